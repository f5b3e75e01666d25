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

/// Markdown as GitHub shows it, also in a cell: what stands in backticks is code, and nothing else is more than text.
pub fn markdown(text: &str) -> String {
    let text = line(text);
    let parts: Vec<_> = text.trim().split('`').collect();
    if parts.len().is_multiple_of(2) {
        return inert(text.trim());
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => inert(part),
        _ => format!("<code>{}</code>", inert(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

/// The same, all of it as code.
pub fn markdown_code(text: &str) -> String {
    format!("<code>{}</code>", inert(&line(text)))
}

/// As references to characters, which are never taken for markup. What is left alone means nothing but itself.
fn inert(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // At the beginning of a line these make a list, and `www.` makes a link anywhere.
        let begins = matches!(c, '.' | ')' | '-') && safe.bytes().all(|byte| byte.is_ascii_digit());
        let links = c == '.' && safe.to_ascii_lowercase().ends_with("www");
        let plain = !c.is_ascii_punctuation() || matches!(c, '.' | ',' | '/' | '(' | ')' | '-' | '\'');
        refer(c, plain && !begins && !links, "&#", &mut safe);
    }
    safe
}

/// The text of a node of a Mermaid graph, between double quotes. Mermaid has references to characters of its own.
pub fn mermaid(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for c in line(text).chars() {
        let plain = !c.is_ascii_punctuation() || matches!(c, '.' | ',' | '/' | '(' | ')' | '-' | '_');
        refer(c, plain, "#", &mut safe);
    }
    safe
}

fn refer(c: char, plain: bool, before: &str, safe: &mut String) {
    match plain {
        true => safe.push(c),
        // Writing to a string cannot fail.
        false => drop(write!(safe, "{before}{};", u32::from(c))),
    }
}

/// At most so many characters of it.
pub fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
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
    fn markdown_shows_code_and_obeys_nothing() {
        assert_eq!(markdown("`plan` calls `x|y`"), "<code>plan</code> calls <code>x&#124;y</code>");
        assert_eq!(markdown("a ` b"), "a &#96; b");
        assert_eq!(
            markdown("![x](http://e) <b> www.e @me #1 **b** $x$"),
            "&#33;&#91;x&#93;(http&#58;//e) &#60;b&#62; www&#46;e &#64;me &#35;1 &#42;&#42;b&#42;&#42; &#36;x&#36;"
        );
        assert_eq!(markdown("12. x"), "12&#46; x");
        assert_eq!(markdown("- x\n::y"), "&#45; x&#92;u&#123;a&#125;&#58;&#58;y");
        assert_eq!(markdown_code("a/b.py:3 `|"), "<code>a/b.py&#58;3 &#96;&#124;</code>");
    }

    #[test]
    fn a_node_of_a_graph_is_text() {
        assert_eq!(
            mermaid("a[\"x\"];`y`<b>%%{init}%%\n"),
            "a#91;#34;x#34;#93;#59;#96;y#96;#60;b#62;#37;#37;#123;init#125;#37;#37;#92;u#123;a#125;"
        );
        assert_eq!(mermaid("plan_trip calls größe (1.2)"), "plan_trip calls größe (1.2)");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöü", 2), "äö…");
    }

    #[test]
    fn a_sarif_message_holds_no_link() {
        assert_eq!(sarif("[click](http://x)"), "[click] (http://x)");
    }
}
