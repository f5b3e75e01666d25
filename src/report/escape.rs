//! Making text that came from the scanned tree safe for where it goes. Names, paths, snippets and messages may hold
//! escape sequences, bidirectional overrides or commands of a CI runner; they are shown, never obeyed.

use std::borrow::Cow;
use std::fmt::Write as _;

/// One line for a terminal or a message: everything that is not plain visible text becomes `\u{1b}`. A CI runner takes
/// a line for a command that begins with `::`, and lines are wrapped at spaces, so a word must not begin so.
pub fn line(text: &str) -> Cow<'_, str> {
    let safe = escape(text, |_| false);
    if !safe.starts_with("::") && !safe.contains(" ::") {
        return safe;
    }
    let words = safe.split(' ').map(|word| match word.strip_prefix("::") {
        Some(rest) => format!("\\u{{3a}}:{rest}"),
        None => word.to_owned(),
    });
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// A line of source in a snippet, where tabs are layout. It stands behind a line number, never at the beginning.
pub fn source(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\t')
}

/// Text of several lines of our own rules, such as an explanation.
pub fn block(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\n' || c == '\t')
}

/// Plain text of a SARIF message, in which `[text](target)` would be a link.
pub fn sarif(text: &str) -> String {
    line(text).replace("](", "] (")
}

/// The message of a workflow command: `%` and line ends are written as the runner reads them. Whatever else the text
/// holds was made safe line by line.
pub fn workflow_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command, such as the name of a file.
pub fn workflow_property(text: &str) -> String {
    workflow_data(&escape(text, |c| c == '\n')).replace(':', "%3A").replace(',', "%2C")
}

/// Text in a cell of a Markdown table: one line that formats nothing, links nowhere and ends no cell.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in line(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&' | '!' | '@'
        ) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// The same as code. Only what ends the code or the cell has to be written otherwise there.
pub fn markdown_code(text: &str) -> String {
    let safe = line(text).replace('`', "'").replace('|', "\\|");
    if safe.trim().is_empty() { String::new() } else { format!("`{safe}`") }
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hostile = |c: char| is_hostile(c) && !keep(c);
    // `##[` is the older form of a runner's command, obeyed anywhere in a line.
    if !text.contains(hostile) && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hostile(c) || (c == '[' && safe.ends_with("##")) {
            // Writing to a string cannot fail.
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Characters that move the cursor, change what is shown or are not seen at all.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(line("a\u{1b}[2Jb\rc\nd"), "a\\u{1b}[2Jb\\u{d}c\\u{a}d");
        assert_eq!(
            line("\u{9b}31m \u{202e}txt \u{2066} \u{7f}"),
            "\\u{9b}31m \\u{202e}txt \\u{2066} \\u{7f}"
        );
        assert_eq!(line("zero\u{200b}width"), "zero\\u{200b}width");
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["größe", "日本語", "a b", "naïve — “x” 😀", "[x](y)", "a::b", "`::a`", "#[x]"]
        {
            assert!(matches!(line(text), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(source("\tx\ty"), "\tx\ty");
        assert_eq!(block("a\n\tb\r"), "a\n\tb\\u{d}");
    }

    #[test]
    fn a_runner_sees_no_command() {
        assert_eq!(line("::error file=x::y ::z"), "\\u{3a}:error file=x::y \\u{3a}:z");
        assert_eq!(line("##[add-mask]x"), "##\\u{5b}add-mask]x");
    }

    #[test]
    fn a_workflow_command_ends_where_it_should() {
        assert_eq!(workflow_data("100 %\r\n::error::x"), "100 %25%0D%0A::error::x");
        assert_eq!(workflow_property("a,b:c\n%\u{1b}.py"), "a%2Cb%3Ac%0A%25\\u{1b}.py");
    }

    #[test]
    fn a_sarif_message_holds_no_link() {
        assert_eq!(sarif("[click](http://x)"), "[click] (http://x)");
    }
}
