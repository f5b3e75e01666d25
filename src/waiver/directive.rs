//! What a comment says to gatelint: `gatelint: allow[GL102] reason="health probe, loopback only"`, behind the comment
//! sign of whatever language. It never guesses: what is not exactly this is said to be wrong.

use super::NOT_WAIVABLE;
use crate::config::RuleNames;

const MARK: &str = "gatelint:";
/// How comments begin, and how some end.
const SIGNS: [char; 7] = ['#', '/', '*', '-', ';', '%', '!'];

/// What could be understood of a directive, and what could not.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Directive {
    /// Ids; sorted, none twice.
    pub rules: Vec<String>,
    /// Not empty.
    pub reason: Option<String>,
    pub wrong: Vec<String>,
}

/// None for a comment that only mentions gatelint: a directive begins a comment, or stands behind another sign in it
/// (`# type: ignore  # gatelint: …`).
pub fn parse(comment: &str, names: &RuleNames) -> Option<Directive> {
    let text = comment.match_indices(MARK).find_map(|(at, _)| {
        let before = comment[..at].trim_end();
        let begins = before.chars().all(|c| SIGNS.contains(&c));
        (begins || before.ends_with('#') || before.ends_with("//")).then_some(&comment[at + MARK.len()..])
    })?;
    let mut directive = Directive::default();
    if let Err(wrong) = directive.read(text.trim(), names) {
        directive.wrong.push(wrong);
    }
    Some(directive)
}

impl Directive {
    fn read(&mut self, text: &str, names: &RuleNames) -> Result<(), String> {
        let is_allow = |rest: &&str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        let Some(rest) = text.strip_prefix("allow").filter(is_allow) else {
            return Err("only `allow[…]` is understood after `gatelint:`".to_owned());
        };
        let list = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let Some((list, rest)) = list else {
            return Err("`allow` names no rules; write `allow[GL102]`".to_owned());
        };
        self.rules(list, names);
        self.reason = Some(reason(rest)?);
        Ok(())
    }

    fn rules(&mut self, list: &str, names: &RuleNames) {
        let words = list.split(',').map(str::trim);
        for word in words {
            match names.id_of(word) {
                Some(id) if NOT_WAIVABLE.contains(&id) => self.wrong.push(format!("`{id}` cannot be waived")),
                Some(id) => self.rules.push(id.to_owned()),
                None => self.wrong.push(no_rule(word, names)),
            }
        }
        self.rules.sort_unstable();
        self.rules.dedup();
    }
}

fn no_rule(word: &str, names: &RuleNames) -> String {
    let help = match names.nearest(word) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None if word.contains('*') || word.eq_ignore_ascii_case("all") => "; name each rule".to_owned(),
        None => String::new(),
    };
    if word.is_empty() {
        "a rule is missing between the brackets of `allow[…]`".to_owned()
    } else {
        format!("`{word}` is no rule{help}")
    }
}

/// What follows the rules: `reason="…"` and nothing else but another comment, or the end of this one.
fn reason(text: &str) -> Result<String, String> {
    let Some(value) = text.trim_start().strip_prefix("reason") else {
        return Err("it gives no reason; add `reason=\"…\"`".to_owned());
    };
    let Some(value) = value.trim_start().strip_prefix('=') else {
        return Err("`reason` is not followed by `=\"…\"`".to_owned());
    };
    let Some((reason, rest)) = value.trim_start().strip_prefix('"').and_then(|value| value.split_once('"'))
    else {
        return Err("the reason is not in double quotes".to_owned());
    };
    let rest = rest.trim();
    if reason.trim().is_empty() {
        Err("its reason is empty".to_owned())
    } else if !rest.is_empty() && !rest.starts_with(SIGNS) {
        Err(format!("`{rest}` follows the reason; say all of it between the quotes"))
    } else {
        Ok(reason.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> RuleNames {
        RuleNames::new([
            ("GL002", "invalid-waiver"),
            ("GL101", "direct-network-import"),
            ("GL102", "direct-network-call"),
        ])
    }

    #[track_caller]
    fn check(comment: &str, rules: &[&str], reason: Option<&str>, wrong: &[&str]) {
        let directive = parse(comment, &names()).unwrap_or_else(|| panic!("{comment}: no directive"));
        assert_eq!(directive.rules, rules, "{comment}");
        assert_eq!(directive.reason.as_deref(), reason, "{comment}");
        assert_eq!(directive.wrong, wrong, "{comment}");
    }

    #[test]
    fn rules_are_named_by_id_or_name_behind_any_sign() {
        for comment in [
            "# gatelint: allow[GL102] reason=\"probe\"",
            "#gatelint:allow[GL102]reason=\"probe\"",
            "// gatelint: allow[ gl102 ]  reason = \" probe \"",
            "-- gatelint: allow[direct-network-call] reason=\"probe\"",
            "/* gatelint: allow[GL102] reason=\"probe\" */",
            "# type: ignore  # gatelint: allow[GL102] reason=\"probe\"  # noqa: E501",
        ] {
            check(comment, &["GL102"], Some("probe"), &[]);
        }
        let two = "# gatelint: allow[GL102, direct-network-import, GL102] reason=\"it's [fine]\"";
        check(two, &["GL101", "GL102"], Some("it's [fine]"), &[]);
    }

    #[test]
    fn what_only_mentions_gatelint_is_no_directive() {
        for comment in
            ["# see gatelint: it finds this", "# note - gatelint: strict", "# (gatelint: allow[GL102])"]
        {
            assert_eq!(parse(comment, &names()), None, "{comment}");
        }
    }

    #[test]
    fn a_slip_widens_nothing() {
        let ok = "reason=\"x\"";
        for (list, wrong) in [
            ("*", "`*` is no rule; name each rule"),
            ("all", "`all` is no rule; name each rule"),
            ("GL1", "`GL1` is no rule"),
            ("GL999", "`GL999` is no rule"),
            ("direct-network-cal", "`direct-network-cal` is no rule; did you mean `direct-network-call`?"),
            ("", "a rule is missing between the brackets of `allow[…]`"),
            ("GL002", "`GL002` cannot be waived"),
        ] {
            check(&format!("# gatelint: allow[{list}] {ok}"), &[], Some("x"), &[wrong]);
        }
        check("# gatelint: allow[GL102, GL999] reason=\"x\"", &["GL102"], Some("x"), &["`GL999` is no rule"]);
    }

    #[test]
    fn the_reason_is_a_part_of_it() {
        for (rest, wrong) in [
            ("", "it gives no reason; add `reason=\"…\"`"),
            ("because of the probe", "it gives no reason; add `reason=\"…\"`"),
            ("reason", "`reason` is not followed by `=\"…\"`"),
            ("reason=probe", "the reason is not in double quotes"),
            ("reason=“probe”", "the reason is not in double quotes"),
            ("reason=\"probe", "the reason is not in double quotes"),
            ("reason=\"  \"", "its reason is empty"),
            ("reason=\"a\" b", "`b` follows the reason; say all of it between the quotes"),
        ] {
            check(&format!("# gatelint: allow[GL102] {rest}"), &["GL102"], None, &[wrong]);
        }
    }

    #[test]
    fn other_words_are_no_waiver() {
        for text in ["alow[GL102] reason=\"x\"", "allowed[GL102]", "ignore", "", "this linter is strict"] {
            let wrong = ["only `allow[…]` is understood after `gatelint:`"];
            check(&format!("# gatelint: {text}"), &[], None, &wrong);
        }
        for text in ["allow", "allow GL102 reason=\"x\"", "allow[GL102 reason=\"x\""] {
            let wrong = ["`allow` names no rules; write `allow[GL102]`"];
            check(&format!("# gatelint: {text}"), &[], None, &wrong);
        }
    }
}
