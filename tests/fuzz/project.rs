//! Small projects: a few files that import one another, with planners, handlers, tools, gates and tests made of statements
//! that mean something to an analysis, in any order and any nesting.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub type Files = BTreeMap<String, String>;

const MODULES: [&str; 4] = ["alpha", "beta", "gamma", "tests.test_alpha"];
const NAMES: [&str; 12] = [
    "plan_trip",
    "run",
    "execute",
    "send",
    "require_execution",
    "check_phase",
    "fetch",
    "helper",
    "capture",
    "wrap",
    "main",
    "on_message",
];
const HEADS: [&str; 14] = [
    "if phase != 'execution'",
    "if items",
    "if is_allowed(phase) and fast",
    "else",
    "for item in items",
    "while more()",
    "try",
    "except PermissionError",
    "except Exception as error",
    "finally",
    "with lock as held",
    "match phase",
    "case 'execution'",
    "async with session.get(url) as held",
];
const LINES: [&str; 40] = [
    "requests.get(url)",
    "requests.post(url, json=data, timeout=3)",
    "subprocess.run(['ls'], check=True)",
    "open(path).read()",
    "raise PermissionError(phase)",
    "return helper(phase, items)",
    "return data",
    "return",
    "pass",
    "break",
    "continue",
    "data = fetch(url)",
    "items = [fetch(item) for item in items]",
    "data = {'source': url, 'text': data, **items}",
    "self.client = httpx.Client(timeout=5)",
    "self.client.get(url)",
    "require_execution(phase)",
    "assert phase == 'execution'",
    "ok = is_allowed(phase)",
    "self.gate.check(phase)",
    "data.pop('attribution')",
    "data = wrap(data)",
    "getattr(self, name)(phase)",
    "globals()['send'](items)",
    "exec(data)",
    "__import__(name).run()",
    "run = partial(send, items)",
    "run(phase)",
    "yield data",
    "await fetch(url)",
    "lambda: send(items)",
    "TABLE[name](items)",
    "print(data)",
    "log.info(data)",
    "audit.log_audit_event('comm.search', data)",
    "x = y = z",
    "x, *y = items",
    "del data['warning']",
    "global data",
    "need = {'operation': 'comm.search', 'parameters': {}, 'justification': '', 'phase': 'planning'}",
];
const TOPS: [&str; 16] = [
    "import requests",
    "import subprocess as sp, httpx",
    "from functools import partial",
    "from . import beta",
    "from alpha import *",
    "from beta import send as fetch",
    "from gamma import Base, run",
    "import importlib",
    "TABLE = {'a': send, 'b': helper}",
    "requests.get = helper",
    "sys.modules[__name__] = send",
    "del send",
    "register('comm.search', Search())",
    "tools = [StructuredTool.from_function(run)]",
    "if TYPE_CHECKING:\n    import alpha",
    "x = 1  # gatelint: allow[GL102] reason=\"reviewed\"",
];
const DECORATORS: [&str; 8] = [
    "@tool",
    "@staticmethod",
    "@property",
    "@gated('comm.search')",
    "@app.command()",
    "@abstractmethod",
    "@pytest.fixture",
    "@run",
];
const BASES: [&str; 8] =
    ["Base", "Search", "object", "ABC", "Protocol", "BaseTool", "Enum", "requests.Session"];
const CONFIGS: [&str; 6] = [
    "",
    "[layers]\ncomm = [\"beta.py\"]\n",
    "[layers]\ntest = [\"**\"]\n",
    "[planning]\nfunctions = [\"run\"]\n",
    "exclude = [\"gamma.py\"]\n",
    "[[levels]]\npaths = [\"**\"]\nrules = [\"GL1\"]\nlevel = \"off\"\nreason = \"fuzz\"\n",
];
const RUST: [&str; 22] = [
    "use std::fs;",
    "use crate::beta::*;",
    "mod beta;",
    "pub mod gamma { pub use super::*; }",
    "struct Search;",
    "impl Search { fn execute(&self, phase: &str) { send(phase); } }",
    "trait Tool { fn run(&self) { send(\"x\") } }",
    "impl Tool for Search { fn run(&self) { self.execute(\"planning\") } }",
    "fn plan_trip(x: &dyn Tool) { x.run(); }",
    "fn send(x: &str) { reqwest::blocking::get(x).unwrap(); }",
    "async fn fetch() -> Result<(), E> { client().get(URL).send().await?; Ok(()) }",
    "#[tool] fn look() { std::process::Command::new(\"ls\").spawn(); }",
    "#[cfg(test)] mod tests { use super::*; #[test] fn a() { send(\"x\") } }",
    "macro_rules! go { ($x:expr) => { send($x) }; }",
    "fn b() { go!(plan_trip(&Search)); }",
    "const TABLE: &[fn(&str)] = &[send];",
    "fn c() { TABLE[0](\"x\"); let f = |x| send(x); f(\"y\"); }",
    "fn d(phase: Phase) -> Result<(), E> { if phase != Phase::Execution { return Err(E) } send(\"x\"); Ok(()) }",
    "enum Phase { Planning, Execution }",
    "type Client = reqwest::Client;",
    "fn e<T: Tool>(t: T) where T: Clone { loop { t.run(); break } }",
    "fn f() { match x { Some(y) if y => send(y), _ => {} } }",
];

#[derive(Clone, Debug)]
enum Stmt {
    Line(&'static str),
    Block(&'static str, Vec<Stmt>),
}

fn stmt() -> impl Strategy<Value = Stmt> {
    let line = select(&LINES[..]).prop_map(Stmt::Line);
    line.prop_recursive(4, 24, 4, |inner| {
        (select(&HEADS[..]), vec(inner, 1..4)).prop_map(|(head, body)| Stmt::Block(head, body))
    })
}

fn write(stmts: &[Stmt], indent: usize, out: &mut String) {
    let pad = "    ".repeat(indent);
    for stmt in stmts {
        match stmt {
            Stmt::Line(line) => *out += &format!("{pad}{line}\n"),
            Stmt::Block(head, body) => {
                // What has to stand behind something else mostly does.
                let before = match head.split(' ').next() {
                    Some("else") => format!("{pad}if fast:\n{pad}    send(items)\n"),
                    Some("except" | "finally") => format!("{pad}try:\n{pad}    send(items)\n"),
                    Some("case") => format!("{pad}match items:\n"),
                    _ => String::new(),
                };
                let inside = usize::from(head.starts_with("case"));
                *out += &before;
                *out += &format!("{pad}{}{head}:\n", "    ".repeat(inside));
                write(body, indent + inside + 1, out);
                if *head == "try" {
                    *out += &format!("{pad}except KeyError:\n{pad}    pass\n");
                }
            }
        }
    }
}

fn function(indent: usize) -> impl Strategy<Value = String> {
    let body = vec(stmt(), 1..6);
    (vec(select(&DECORATORS[..]), 0..2), any::<bool>(), select(&NAMES[..]), body).prop_map(
        move |(decorators, is_async, name, body)| {
            let pad = "    ".repeat(indent);
            let head: String = decorators.iter().map(|decorator| format!("{pad}{decorator}\n")).collect();
            let keyword = if is_async { "async def" } else { "def" };
            let own = if indent > 0 { "self, " } else { "" };
            let mut out = format!(
                "{head}{pad}{keyword} {name}({own}phase=None, items=(), fast=False, *rest, **data):\n"
            );
            write(&body, indent + 1, &mut out);
            out + "\n"
        },
    )
}

fn class() -> impl Strategy<Value = String> {
    let name = prop_oneof![Just("Search"), Just("Base"), Just("TripPlanner")];
    (name, vec(select(&BASES[..]), 0..3), any::<bool>(), vec(function(1), 1..4)).prop_map(
        |(name, bases, is_command, methods)| {
            let own = if is_command { "    namespace = 'comm'\n    name = 'search'\n\n" } else { "" };
            format!("class {name}({}):\n{own}{}\n", bases.join(", "), methods.concat())
        },
    )
}

fn module() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => select(&TOPS[..]).prop_map(|top| format!("{top}\n")),
        4 => function(0),
        2 => class(),
        1 => stmt().prop_map(|stmt| { let mut out = String::new(); write(&[stmt], 0, &mut out); out }),
    ];
    vec(part, 1..8).prop_map(|parts| parts.concat())
}

pub fn project() -> impl Strategy<Value = Files> {
    let python = vec((select(&MODULES[..]), module()), 0..4);
    let rust = vec(
        (select(&["src/lib.rs", "src/beta.rs", "src/gamma/mod.rs"][..]), vec(select(&RUST[..]), 0..10)),
        0..3,
    );
    (python, rust, select(&CONFIGS[..])).prop_map(|(python, rust, config)| {
        let python = python.into_iter().map(|(name, text)| (format!("{}.py", name.replace('.', "/")), text));
        let rust = rust.into_iter().map(|(name, items)| (name.to_owned(), items.join("\n")));
        python.chain(rust).chain([("gatelint.toml".to_owned(), config.to_owned())]).collect()
    })
}
