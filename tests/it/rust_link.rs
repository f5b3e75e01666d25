//! Which function a call in Rust means: through modules, crates, `use` and traits.

use std::collections::BTreeSet;

use gatelint::catalog::Catalog;
use gatelint::config::Config;
use gatelint::engine::{lower, places, units};
use gatelint::link::link;
use gatelint::rule::builtin_catalog;
use gatelint::source::{SourceFile, Texts};

use crate::link::follow;

/// The files of a text in which `// file: a.rs` begins one.
fn files(text: &str) -> (Vec<SourceFile>, Texts) {
    let (mut files, mut manifests) = (Vec::new(), Texts::default());
    for part in text.split("// file: ").skip(1) {
        let (path, code) = part.split_once('\n').unwrap_or((part, ""));
        match path.trim() {
            path if path.ends_with(".toml") => manifests.give(path.into(), code.into()),
            path => files.push(SourceFile::new(path, code)),
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    (files, manifests)
}

pub(crate) fn reached(text: &str, from: &str) -> BTreeSet<String> {
    let catalog: Catalog = builtin_catalog().expect("the catalogue is valid");
    let (files, manifests) = files(text);
    let facts = lower(&files);
    let (layers, crates) = places(&files, &facts, &manifests, &Config::defaults("/project"), &catalog);
    let units = units(&files, &facts, &layers);
    follow(&link(&units, crates, Some("project"), &catalog), from)
}

#[track_caller]
fn reaches(text: &str, from: &str, wanted: &[&str]) {
    let reached = reached(text, from);
    for path in wanted {
        assert!(reached.contains(*path), "no `{path}` among {reached:?}");
    }
}

#[track_caller]
fn misses(text: &str, from: &str, unwanted: &str) {
    let reached = reached(text, from);
    assert!(!reached.contains(unwanted), "{reached:?}");
}

#[test]
fn modules_are_found_where_they_are_declared() {
    let text = "
// file: Cargo.toml
[package]
name = \"the-agent\"
// file: src/main.rs
mod net;
mod deep;
#[path = \"elsewhere/odd.rs\"]
mod odd;
fn main() { net::send(); deep::inner::run(); odd::go(); crate::inline::here(); }
mod inline { pub fn here() { super::beside(); self::own(); } fn own() { reqwest::blocking::get(\"\"); } }
fn beside() {}
// file: src/net.rs
pub fn send() { super::deep::inner::run() }
// file: src/deep/mod.rs
pub mod inner;
// file: src/deep/inner.rs
pub fn run() { tokio::fs::read(\"x\"); }
// file: src/elsewhere/odd.rs
pub fn go() {}
";
    let wanted = [
        "the_agent.net.send",
        "the_agent.deep.inner.run",
        "the_agent.odd.go",
        "the_agent.inline.here",
        "the_agent.inline.own",
        "the_agent.beside",
        "tokio.fs.read",
    ];
    reaches(text, "the_agent.main", &wanted);
}

#[test]
fn names_come_through_use() {
    let text = "
// file: src/lib.rs
pub mod a;
pub mod b;
pub mod prelude { pub use crate::a::*; pub use crate::b::{run as go, Kind::{self, *}}; }
use prelude::*;
pub fn start() { first(); go(); second(); build(One); Kind::make(); }
// file: src/a.rs
pub use self::inner::second;
pub fn first() { use super::b as other; other::run(); }
mod inner { pub fn second() { crate::a::third() } }
fn third() {}
// file: src/b.rs
use super::*;
pub enum Kind { One, Two(String) }
impl Kind { pub fn make() -> Self { first(); Two(String::new()) } }
pub fn run() {}
pub fn build(kind: Kind) {}
";
    let wanted = ["lib.a.first", "lib.b.run", "lib.a.inner.second", "lib.a.third", "lib.b.Kind.make"];
    reaches(&text.replace("src/", "lib/src/"), "lib.start", &wanted);
}

#[test]
fn crates_of_the_workspace_know_each_other() {
    let text = "
// file: Cargo.toml
[workspace]
members = [\"core\", \"cli\"]
// file: core/Cargo.toml
[package]
name = \"agent-core\"
[dependencies]
http = { package = \"reqwest\", version = \"1\" }
// file: core/src/lib.rs
pub mod tools;
pub use tools::fetch;
// file: core/src/tools.rs
pub fn fetch() { http::get(\"\"); }
// file: cli/Cargo.toml
[package]
name = \"agent-cli\"
[dependencies]
engine = { package = \"agent-core\", path = \"../core\" }
// file: cli/src/main.rs
use engine::fetch as get;
fn main() { get(); agent_core::tools::fetch(); }
";
    reaches(text, "agent_cli.main", &["agent_core.tools.fetch", "reqwest.get"]);
}

#[test]
fn what_a_library_has_keeps_its_path() {
    let text = "
// file: src/lib.rs
use std::process::{self, Command as Run};
use anyhow::{anyhow, Context};
use tokio::net::*;
pub fn start() { Run::new(\"ls\"); process::exit(1); TcpStream::connect(\"a\"); anyhow::Error::msg(\"x\"); serde::x(); }
";
    let wanted = ["std.process.Command.new", "tokio.net.TcpStream.connect", "serde.x"];
    let text = text.replace("src/", "lib/src/");
    reaches(&text, "lib.start", &wanted[1..]);
    misses(&text, "lib.start", "tokio.net.serde.x");
}

#[test]
fn a_rust_file_hides_no_python_module() {
    let text = "
// file: app/net.rs
pub fn send() {}
// file: app/net.py
def send():
    requests.get('x')
// file: app/main.py
from net import send
def main():
    send()
";
    reaches(text, "app.main.main", &["app.net.send"]);
}

#[test]
fn a_facade_is_the_library_behind_it() {
    let text = "
// file: Cargo.toml
[package]
name = \"tidy\"
// file: src/main.rs
use core::net::TcpStream;
fn main() {
    TcpStream::connect(\"a\");
    alloc::process::Command::new(\"ls\").status();
}
";
    reaches(text, "tidy.main", &["std.net.TcpStream.connect", "std.process.Command.status"]);
}

/// `core` is a frequent name of packages in Python.
#[test]
fn no_facade_is_known_in_python() {
    let text = "
// file: desk.py
from core.http import get
def look():
    return get(\"https://desk.example\")
";
    reaches(text, "desk.look", &["core.http.get"]);
}
