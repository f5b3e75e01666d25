//! Which rules run: `--select` and `--ignore`, by id or by the beginning of one.

/// Everything is selected unless `select` names something; `ignore` takes away.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Selection {
    pub select: Vec<String>,
    pub ignore: Vec<String>,
    /// Only rules that ask something of every external operation or tool.
    pub items_only: bool,
}

impl Selection {
    /// The more exact word wins, so `--ignore GL1 --select GL102` runs GL102; of equals, `ignore` does.
    pub fn includes(&self, id: &str) -> bool {
        let selected = longest(&self.select, id);
        let ignored = longest(&self.ignore, id);
        match (selected, ignored) {
            (None, None) => self.select.is_empty(),
            (None, Some(_)) => false,
            (Some(_), None) => true,
            (Some(selected), Some(ignored)) => selected > ignored,
        }
    }

    /// True if `ignore` names it, and `select` does not name it more exactly.
    pub fn ignores(&self, id: &str) -> bool {
        longest(&self.ignore, id).is_some_and(|ignored| Some(ignored) >= longest(&self.select, id))
    }

    /// A word that no rule begins with: a slip that would otherwise select nothing in silence.
    pub fn unknown<'a>(&'a self, ids: &[&str]) -> Option<&'a str> {
        let words = self.select.iter().chain(&self.ignore).map(String::as_str);
        words.into_iter().find(|word| !ids.iter().any(|id| id.starts_with(word)))
    }
}

/// The length of the longest word that the id begins with.
fn longest(words: &[String], id: &str) -> Option<usize> {
    words.iter().filter(|word| id.starts_with(word.as_str())).map(String::len).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(select: &[&str], ignore: &[&str], id: &str) -> bool {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Selection { select: own(select), ignore: own(ignore), items_only: false }.includes(id)
    }

    #[test]
    fn the_more_exact_word_wins() {
        assert!(runs(&[], &[], "GL101"));
        assert!(runs(&["GL1"], &[], "GL101"));
        assert!(!runs(&["GL2"], &[], "GL101"));
        assert!(!runs(&[], &["GL1"], "GL101"));
        assert!(runs(&["GL102"], &["GL1"], "GL102"));
        assert!(!runs(&["GL1"], &["GL102"], "GL102"));
        assert!(!runs(&["GL1"], &["GL1"], "GL101"));
    }

    #[test]
    fn a_slip_is_noticed() {
        let selection =
            Selection { select: vec!["GL1".into()], ignore: vec!["GL99".into()], items_only: false };
        assert_eq!(selection.unknown(&["GL101", "GL201"]), Some("GL99"));
    }
}
