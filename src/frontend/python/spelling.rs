//! How Python writes a mutation: blocks by indentation, errors that are caught, assertions that `-O` takes out.

use crate::frontend::spelling::{Spelling, Stub};

pub struct Python;

const STEP: &str = "    ";

/// The same lines, one level deeper.
fn deeper(code: &str) -> String {
    let lines: Vec<String> = code
        .split('\n')
        .enumerate()
        .map(
            |(at, line)| {
                if at == 0 || line.trim().is_empty() { line.to_owned() } else { format!("{STEP}{line}") }
            },
        )
        .collect();
    lines.join("\n")
}

impl Spelling for Python {
    fn nothing(&self) -> &'static str {
        "pass"
    }

    fn terminator(&self) -> &'static str {
        ""
    }

    fn none(&self) -> &'static str {
        "None"
    }

    fn truth(&self, is_true: bool) -> &'static str {
        if is_true { "True" } else { "False" }
    }

    fn flag(&self) -> &'static str {
        "guards_enabled"
    }

    /// Functions read it when they run, so it may stand behind them.
    fn flag_definition(&self) -> &'static str {
        "\n\nimport os as _os\n\nguards_enabled = _os.environ.get(\"GUARDS\") == \"on\"\n"
    }

    fn when(&self, statement: &str, indent: &str) -> String {
        format!("if {}:\n{indent}{STEP}{}", self.flag(), deeper(statement))
    }

    fn unless(&self, statement: &str, indent: &str) -> String {
        format!("if not {}:\n{indent}{STEP}{}", self.flag(), deeper(statement))
    }

    fn either(&self, value: &str, otherwise: &str) -> String {
        format!("({value} if {} else {otherwise})", self.flag())
    }

    fn and_flag(&self, test: &str) -> String {
        format!("{} and ({test})", self.flag())
    }

    fn or_no_flag(&self, test: &str) -> String {
        format!("({test}) or not {}", self.flag())
    }

    fn swallowed(&self, statement: &str, otherwise: &str, indent: &str) -> Option<String> {
        let otherwise = if otherwise.is_empty() { self.nothing() } else { otherwise };
        let (statement, otherwise) = (deeper(statement), deeper(otherwise));
        Some(format!("try:\n{indent}{STEP}{statement}\n{indent}except Exception:\n{indent}{STEP}{otherwise}"))
    }

    fn swallowed_value(&self, _value: &str, _otherwise: &str) -> Option<String> {
        None
    }

    /// Whatever a guard comes back with, it is not this, unless it refuses.
    fn asserted(&self, call: &str) -> String {
        format!("assert {call} is not False")
    }

    fn asserted_not(&self, test: &str) -> String {
        format!("assert not ({test})")
    }

    fn bound(&self, name: &str, value: &str) -> String {
        format!("{name} = {value}")
    }

    fn returned(&self, value: &str) -> String {
        format!("return {value}")
    }

    fn leave(&self, _result: Option<&str>, stub: &Stub) -> String {
        match stub {
            Stub::Nothing => "return".to_owned(),
            Stub::Yes => "return True".to_owned(),
            Stub::YesAndReason => "return True, \"\"".to_owned(),
            Stub::Given(name) => format!("return {name}"),
        }
    }

    fn objects(&self) -> &'static [&'static str] {
        &["self", "cls"]
    }

    fn decorator_mark(&self) -> Option<char> {
        Some('@')
    }

    fn unmanaged(&self) -> Option<&'static str> {
        Some("if True")
    }
}
