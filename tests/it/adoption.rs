//! gatelint where others run it: as a commit hook, as a step of a workflow, as a wheel, as an archive. These need tools that
//! not every machine has; without one a test says so and passes, unless `GATELINT_REQUIRE_TOOLS` is set, as in `.ci/run`.

mod action;
mod gateway;
mod hooks;
mod runner;
mod scripts;
mod sentinel;
mod wheel;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::Run;

const REQUIRE: &str = "GATELINT_REQUIRE_TOOLS";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn required() -> bool {
    std::env::var_os(REQUIRE).is_some()
}

/// False, with a word, if one of these programs is missing.
#[track_caller]
fn have(tools: &[&str]) -> bool {
    let runs = |tool: &&str| {
        Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    let missing: Vec<_> = tools.iter().copied().filter(|tool| !runs(tool)).collect();
    assert!(missing.is_empty() || !required(), "{REQUIRE} is set, and these are not installed: {missing:?}");
    if !missing.is_empty() {
        eprintln!("skipped: {} not installed", missing.join(", "));
    }
    missing.is_empty()
}

/// False, with a word, if nobody asked for what takes minutes or packages of others.
fn wanted(why: &str) -> bool {
    if !required() {
        eprintln!("skipped: {why}; runs with {REQUIRE}=1");
    }
    required()
}

/// A program that sees nothing of the environment but where things are.
fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    // No test keeps verdicts where the user has theirs.
    command.env_clear().env("GATELINT_NO_CACHE", "1").stdin(Stdio::null());
    for name in ["PATH", "HOME", "TMPDIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// What came out, on both channels, and the code.
fn ran(command: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().unwrap_or(-1), text)
}

/// The output of a program that must succeed.
#[track_caller]
fn ok(command: &mut Command) -> String {
    let (code, text) = ran(command);
    assert_eq!(code, 0, "{command:?}:\n{text}");
    text
}

/// The binary under test.
fn binary() -> PathBuf {
    PathBuf::from(Run::new(&[]).command().get_program())
}
