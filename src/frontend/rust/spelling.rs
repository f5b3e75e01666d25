//! How Rust writes a mutation: errors are values that are dropped, assertions that a release build takes out.

use crate::frontend::spelling::{Spelling, Stub};

pub struct Rust;

/// The call without what hands its error on.
fn fallible(code: &str) -> &str {
    code.trim_end().trim_end_matches(';').trim_end()
}

impl Spelling for Rust {
    fn nothing(&self) -> &'static str {
        "{}"
    }

    fn terminator(&self) -> &'static str {
        ";"
    }

    fn none(&self) -> &'static str {
        "None"
    }

    fn truth(&self, is_true: bool) -> &'static str {
        if is_true { "true" } else { "false" }
    }

    fn flag(&self) -> &'static str {
        "std::env::var(\"GUARDS\").is_ok()"
    }

    fn flag_definition(&self) -> &'static str {
        ""
    }

    fn when(&self, statement: &str, _indent: &str) -> String {
        format!("if {} {{ {}; }}", self.flag(), fallible(statement))
    }

    fn unless(&self, statement: &str, _indent: &str) -> String {
        format!("if !{} {{ {}; }}", self.flag(), fallible(statement))
    }

    fn either(&self, value: &str, otherwise: &str) -> String {
        format!("(if {} {{ {value} }} else {{ {otherwise} }})", self.flag())
    }

    fn and_flag(&self, test: &str) -> String {
        format!("{} && ({test})", self.flag())
    }

    fn or_no_flag(&self, test: &str) -> String {
        format!("({test}) || !{}", self.flag())
    }

    /// A panic goes on; what is lost is an error that was handed on.
    fn swallowed(&self, statement: &str, otherwise: &str, _indent: &str) -> Option<String> {
        let call = fallible(statement).strip_suffix('?')?;
        otherwise.is_empty().then(|| format!("let _ = {call};"))
    }

    fn swallowed_value(&self, value: &str, otherwise: &str) -> Option<String> {
        value.strip_suffix('?').map(|call| format!("{call}.unwrap_or({otherwise})"))
    }

    fn asserted(&self, call: &str) -> String {
        match fallible(call).strip_suffix('?') {
            Some(result) => format!("debug_assert!({result}.is_ok());"),
            None => format!("debug_assert!({{ {}; true }});", fallible(call)),
        }
    }

    fn asserted_not(&self, test: &str) -> String {
        format!("debug_assert!(!({test}));")
    }

    fn bound(&self, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn returned(&self, value: &str) -> String {
        format!("return {value};")
    }

    fn leave(&self, result: Option<&str>, stub: &Stub) -> String {
        let value = match stub {
            Stub::Nothing if result.is_none() => return "return;".to_owned(),
            Stub::Nothing => "()".to_owned(),
            Stub::Yes => "true".to_owned(),
            Stub::YesAndReason => "(true, String::new())".to_owned(),
            Stub::Given(name) => name.clone(),
        };
        match result {
            Some(result) if result.contains("Result") && *stub == Stub::Yes => "return Ok(());".to_owned(),
            Some(result) if result.contains("Result") => format!("return Ok({value});"),
            Some(result) if result.starts_with("Option") && *stub == Stub::Nothing => {
                "return None;".to_owned()
            }
            Some(_) if *stub == Stub::Nothing => "return Default::default();".to_owned(),
            _ => format!("return {value};"),
        }
    }

    fn objects(&self) -> &'static [&'static str] {
        &["self"]
    }

    fn decorator_mark(&self) -> Option<char> {
        None
    }

    fn unmanaged(&self) -> Option<&'static str> {
        None
    }
}
