//! Where values get, by the value-flow graph: each program in `valueflow/` marks the lines on which a parameter of its tool is
//! run, and every other line on which something is run must not be found.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Project;

const PYTHON: &str = "from dataclasses import dataclass\nfrom langchain_core.tools import tool\n\n";
const RUST: &str = "use std::process::Command;\nuse rmcp::{tool, tool_router};\n\n";

/// Lines of `source` with the parameter that a comment names.
fn marked(source: &str, comment: &str) -> BTreeSet<(u64, String)> {
    let lines = (1..).zip(source.lines());
    lines.filter_map(|(at, line)| Some((at, line.split_once(comment)?.1.trim().to_owned()))).collect()
}

fn found(file: &str, source: &str) -> BTreeSet<(u64, String)> {
    let printed = Project::new(&[(file, source)]).run(&["debug", "flows"]).stdout;
    let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines
        .map(|line| (line["line"].as_u64().unwrap_or(0), line["parameter"].as_str().unwrap_or("").to_owned()))
        .collect()
}

fn check(programs: &str, file: &str, head: &str, comment: &str) {
    let mut wrong = Vec::new();
    for program in programs.split("=== ").filter(|program| !program.trim().is_empty()) {
        let (name, body) = program.split_once('\n').expect("a name");
        let source = format!("{head}{body}");
        let (expected, found) = (marked(&source, comment), found(file, &source));
        if expected != found {
            wrong.push(format!("{name}: expected {expected:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_get_where_python_takes_them() {
    check(include_str!("valueflow/python.txt"), "agent.py", PYTHON, "  # ");
}

#[test]
fn values_get_where_rust_takes_them() {
    check(include_str!("valueflow/rust.txt"), "src/lib.rs", RUST, " // ");
}

/// No number of calls, of functions that call each other or of keys is too many.
#[test]
fn nothing_is_too_far() {
    use std::fmt::Write as _;
    let tool = |body: &str| format!("\n@tool\ndef run(command: str) -> str:\n    \"\"\"Run.\"\"\"\n{body}");
    let mut chain = String::from("def f0(x):\n    return eval(x)\n");
    let mut circle = String::new();
    let mut record = String::from("    table = {}\n");
    for at in 1..3_000 {
        write!(chain, "\n\ndef f{at}(x):\n    return f{}(x.strip())\n", at - 1).unwrap();
    }
    for at in 0..300 {
        let next = (at + 1) % 300;
        write!(
            circle,
            "\n\ndef g{at}(x, n):\n    if n == 0:\n        return x\n    return g{next}(x, n - 1)\n"
        )
        .unwrap();
    }
    for at in 0..1_000 {
        let value = if at % 2 == 0 { "command" } else { "\"1\"" };
        writeln!(record, "    table[\"k{at}\"] = {value}").unwrap();
    }
    record += "    return eval(table[\"k0\"])\n";
    for (code, body) in [
        (chain, "    return f2999(command)\n".to_owned()),
        (circle, "    eval(g0(\"1\", 3))\n    return eval(g0(command, 3))\n".to_owned()),
        (String::new(), record),
    ] {
        let found = found("agent.py", &format!("{PYTHON}{code}\n{}", tool(&body)));
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
