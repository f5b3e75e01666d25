//! Layouts in which it is easy to put a comment where it breaks something or speaks of nothing.

use proptest::prelude::*;

use super::*;
use crate::ir::Lang;

const REASON: &str = "known";

fn names() -> RuleNames {
    RuleNames::new([("GL101", "an-import"), ("GL102", "a-call"), ("GL201", "a-path")])
}

/// The places of `X` in a text, which are calls `X…()`.
fn wanted(text: &str) -> Vec<(&'static str, Span)> {
    let at = |rule, name: &str| {
        let ends = text.match_indices(name).map(|(lo, _)| (lo, lo + text[lo..].find(')').unwrap() + 1));
        ends.map(|(lo, hi)| (rule, Span { lo: lo as u32, hi: hi as u32 })).collect::<Vec<_>>()
    };
    [at("GL102", "x("), at("GL201", "y(")].concat()
}

fn placed(text: &str) -> Placed {
    place(&SourceFile::new("a.py", text), &wanted(text), REASON, &names())
}

/// `W` stands for the comment, with the rules that are not GL102.
#[track_caller]
fn check(text: &str, expected: &str) {
    let expected = expected
        .replace("W12", "# gatelint: allow[GL102, GL201] reason=\"known\"")
        .replace('W', "# gatelint: allow[GL102] reason=\"known\"");
    let placed = placed(text);
    assert_eq!(placed.text, expected, "\n{}", placed.text);
    assert!(placed.is_waived.iter().all(|done| *done), "{:?}\n{text}", placed.is_waived);
}

#[test]
fn at_the_end_of_a_line_that_has_room() {
    check("x(1)\n", "x(1)  W\n");
    check("def f():\n    return x(1)\n", "def f():\n    return x(1)  W\n");
    check("a = 1; x(1); y(2)\n", "a = 1; x(1); y(2)  W12\n");
    check("if a: x(1)\nelse: b()\n", "if a: x(1)  W\nelse: b()\n");
    check("x(1)", "x(1)  W");
}

#[test]
fn above_a_line_that_is_long_or_has_a_comment() {
    let long = "a".repeat(60);
    check(&format!("if a:\n\tx({long})\n"), &format!("if a:\n\tW\n\tx({long})\n"));
    check("x(1)  # noqa: S310\n", "W\nx(1)  # noqa: S310\n");
    check("# about\nx(1)  # type: ignore\n", "# about\nW\nx(1)  # type: ignore\n");
    check(
        &format!("if b:\n    c()\nelif x({long}):\n    d()\n"),
        &format!("if b:\n    c()\nW\nelif x({long}):\n    d()\n"),
    );
    check(&format!("@x({long})\ndef f():\n    pass\n"), &format!("W\n@x({long})\ndef f():\n    pass\n"));
}

#[test]
fn lines_end_as_they_did() {
    let long = "a".repeat(60);
    for end in ["\n", "\r\n"] {
        let lines = |text: &str| text.replace('\n', end);
        check(&lines(&format!("b\nx({long})\n")), &lines(&format!("b\nW\nx({long})\n")));
        check(&lines(&format!("b\nx({long})")), &lines(&format!("b\nW\nx({long})")));
        check(&lines("b\nx(1)\nc\n"), &lines("b\nx(1)  W\nc\n"));
    }
}

#[test]
fn inside_a_statement_it_speaks_of_its_part() {
    check("a(\n    x(1),\n    b,\n)\n", "a(\n    x(1),  W\n    b,\n)\n");
    check("a = (\n    b\n    .c(x(1))\n)\n", "a = (\n    b\n    .c(x(1))  W\n)\n");
    check("with x(\n    1\n) as f:\n    pass\n", "with x(  W\n    1\n) as f:\n    pass\n");
}

#[test]
fn a_line_that_goes_on_behind_a_backslash_is_not_broken() {
    check("a = b + \\\n    x(1)\n", "a = b + \\\n    x(1)  W\n");
    check("a = x(1) + \\\n    b\n", "W\na = x(1) + \\\n    b\n");
    let long = "a".repeat(60);
    check(
        &format!("c = b + \\\n    x({long}) + \\\n    d\n"),
        &format!("W\nc = b + \\\n    x({long}) + \\\n    d\n"),
    );
}

#[test]
fn no_text_is_changed() {
    check("a = f\"\"\"\n{x(1)}\n\"\"\"\n", "W\na = f\"\"\"\n{x(1)}\n\"\"\"\n");
    check("a = f\"\"\"\n{\n  x(1)\n}\n\"\"\"\n", "W\na = f\"\"\"\n{\n  x(1)\n}\n\"\"\"\n");
    check("x(1, \"\"\"\nb\n\"\"\")\n", "W\nx(1, \"\"\"\nb\n\"\"\")\n");
    check("\"\"\"text\"\"\"; x(1)\n", "\"\"\"text\"\"\"; x(1)  W\n");
    check("a = '''\n''' + x(1)\n", "a = '''\n''' + x(1)  W\n");
}

#[test]
fn rules_join_a_comment_with_the_same_reason_and_no_other() {
    let own = "x(1)  # gatelint: allow[GL201] reason=\"known\"\n";
    assert_eq!(placed(own).text, "x(1)  # gatelint: allow[GL201, GL102] reason=\"known\"\n");
    let above = "# gatelint: allow[a-path] reason=\"known\"\nx(1)\n";
    assert_eq!(placed(above).text, "# gatelint: allow[a-path, GL102] reason=\"known\"\nx(1)\n");
    let whole = "def f():  # gatelint: allow[GL201] reason=\"known\"\n    x(1)\n";
    let own = whole.replace("x(1)", "x(1)  # gatelint: allow[GL102] reason=\"known\"");
    assert_eq!(placed(whole).text, own, "that one speaks of all of the function");
    let other = "x(1)  # gatelint: allow[GL201] reason=\"other\"\n";
    assert_eq!(placed(other).text, format!("# gatelint: allow[GL102] reason=\"known\"\n{other}"));
}

#[test]
fn what_a_comment_cannot_speak_of_stays() {
    // Above it the line before goes on, behind it there is a text, and the statement ends in a line that goes on.
    let text = "if a: \\\n    b = f'''{x(1)}\n'''; c \\\n()\n";
    let placed = placed(text);
    assert_eq!((placed.text.as_str(), &*placed.is_waived), (text, &[false][..]));
}

/// Statements that stand anywhere, one or several calls each.
fn statement() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "x(1)",
        "a = x(1); y(2)",
        "b(\n  x(1),\n  y(\n    2),\n)",
        "c = x(1) + \\\n  y(2)",
        "d = f'''\n{x(1)}\n'''",
        "d = '''\n# ''' + x(1)  # why",
        "with x(1) as a, y(2):\n  x(3)",
        "if x(1):\n  y(2)\nelif y(3):\n  pass\nelse: x(4)",
        "@x(1)\ndef f(a=y(2)):\n  '''text'''\n  return x(3)",
        "for a in [x(i) for i in y(2)]: x(3)",
        "e = lambda: x(1)",
        "try: x(1)\nexcept y(2):\n\n  # why\n  x(3)\nfinally:\n  y(4)",
        "x(1)  # gatelint: allow[GL101] reason=\"other\"",
        "class C(x(1)):\n  a = y(2)",
    ])
}

proptest! {
    #[test]
    fn whatever_is_waived_is_covered_and_the_code_is_the_same(statements in prop::collection::vec(statement(), 1..6), windows: bool) {
        let text: String = statements.iter().map(|statement| format!("{statement}\n")).collect();
        let text = if windows { text.replace('\n', "\r\n") } else { text };
        let placed = placed(&text);
        prop_assert!(placed.is_waived.iter().all(|done| *done), "{}", placed.text);
        let (before, after) = (frontend::lower(&text, Lang::Python), frontend::lower(&placed.text, Lang::Python));
        prop_assert_eq!(before.calls().len(), after.calls().len());
        prop_assert_eq!(before.problems.len(), after.problems.len());
        prop_assert_eq!(text.matches('\r').count() == text.lines().count(), placed.text.matches('\r').count() == placed.text.lines().count());
        let file = SourceFile::new("a.py", &*placed.text);
        let waivers = Waivers::read(std::slice::from_ref(&file), std::slice::from_ref(&after), &names());
        prop_assert!(waivers.malformed.is_empty());
        for (rule, span) in wanted(&placed.text) {
            prop_assert!(waivers.covering(rule, Place { file: FileId(0), span }).is_some(), "{} {}", rule, placed.text);
        }
    }
}
