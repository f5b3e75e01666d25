//! What calling a tool is in the words of a user, as far as its name says it.

use crate::catalog::words_of_name;

/// A tool in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phrase {
    /// `send email`, `extract entities in memory`
    pub text: String,
    /// What it is about: `email`.
    pub domain: String,
}

impl Phrase {
    pub fn of(name: &str) -> Self {
        match name.rsplit_once(['.', ':', '/']) {
            Some((domain, action)) => Self::of_parts(&words_of_name(domain), &words_of_name(action)),
            None => Self::of_words(&words_of_name(name)),
        }
    }

    fn of_parts(domain: &[String], action: &[String]) -> Self {
        let domain = domain.join(" ");
        let text = match action {
            [verb] => format!("{verb} {domain}"),
            _ => format!("{} in {domain}", action.join(" ")),
        };
        Self { text, domain }
    }

    /// `send_email`: the verb stands first.
    fn of_words(words: &[String]) -> Self {
        let domain = if words.len() > 1 { &words[1..] } else { words };
        Self { text: words.join(" "), domain: domain.join(" ") }
    }

    /// At the beginning of a sentence.
    pub fn capitalised(&self) -> String {
        let mut chars = self.text.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_a_user_would_say_them() {
        let of = |name: &str| {
            let phrase = Phrase::of(name);
            (phrase.text, phrase.domain)
        };
        let said = |text: &str, domain: &str| (text.to_owned(), domain.to_owned());
        assert_eq!(of("email.send"), said("send email", "email"));
        assert_eq!(of("memory.extract_entities"), said("extract entities in memory", "memory"));
        assert_eq!(of("sendEmail"), said("send email", "email"));
        assert_eq!(of("search"), said("search", "search"));
        assert_eq!(Phrase::of("email.send").capitalised(), "Send email");
        assert_eq!(Phrase::of("").capitalised(), "");
    }
}
