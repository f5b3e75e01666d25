//! Whether a pattern leaves few letters of a text.

/// True if a pattern leaves few letters, to the end: `[a-z]+$`. `is_whole`: the end need not be said.
pub fn is_closed(pattern: &str, is_whole: bool) -> bool {
    let ends = is_whole || ["$", "\\Z", "\\z"].iter().any(|end| pattern.ends_with(end));
    let (mut is_escaped, mut is_class, mut last) = (false, false, ' ');
    for letter in pattern.chars() {
        let is_open = match letter {
            'S' | 'W' | 'D' => is_escaped,
            '.' => !is_escaped && !is_class,
            '^' => !is_escaped && last == '[',
            _ => false,
        };
        if is_open {
            return false;
        }
        match letter {
            '[' if !is_escaped => is_class = true,
            ']' if !is_escaped => is_class = false,
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
        last = letter;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::is_closed;

    #[test]
    fn a_pattern_is_closed_if_it_names_its_letters_to_the_end() {
        for (pattern, is_whole, closed) in [
            ("[a-z]+", true, true),
            ("[a-z]+", false, false),
            ("^[a-z]+$", false, true),
            (r"[\w.-]+", true, true),
            (".*", true, false),
            (r"\S+", true, false),
            ("[^/]+", true, false),
            (r"[a-z]+\.py", true, true),
        ] {
            assert_eq!(is_closed(pattern, is_whole), closed, "{pattern}");
        }
    }
}
