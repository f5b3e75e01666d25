//! Which functions of Rust are phase gates, by what they do: results, options, verdicts and panics hold only where somebody
//! looks at them.

use gatelint::catalog::Catalog;
use gatelint::config::Config;
use gatelint::engine::{lower, places, units};
use gatelint::link::link;
use gatelint::rule::builtin_catalog;
use gatelint::source::{SourceFile, Texts};

/// What the functions below ask.
const GATES: &str = "
pub enum Phase { Planning, Execution }
pub enum Verdict { Allow, Deny(String) }
pub struct Blocked;
pub fn ask(phase: &str) -> Result<(), String> { if phase != \"execution\" { return Err(\"no\".into()); } Ok(()) }
pub fn of_enum(phase: Phase) -> Result<(), Blocked> {
    match phase { Phase::Execution => Ok(()), Phase::Planning => Err(Blocked) }
}
pub fn tells(phase: &Phase) -> bool { matches!(phase, Phase::Execution) }
pub fn verdict(phase: &str) -> Verdict {
    if phase == \"execution\" { Verdict::Allow } else { Verdict::Deny(format!(\"no {phase}\")) }
}
pub async fn waits(phase: &str) -> Result<(), String> { ask(phase) }
pub trait Asks { fn asks(&self, phase: &str) -> Result<(), String>; }
pub struct Guard;
impl Asks for Guard { fn asks(&self, phase: &str) -> Result<(), String> { ask(phase) } }
";

/// The first line of what is said of a function `f`.
fn said(f: &str) -> String {
    let catalog: Catalog = builtin_catalog().expect("the catalogue is valid");
    let files = vec![SourceFile::new("f.rs", format!("{GATES}{f}"))];
    let facts = lower(&files);
    let config = Config::defaults("/project");
    let (layers, crates) = places(&files, &facts, &Texts::default(), &config, &catalog);
    let units = units(&files, &facts, &layers);
    let program = link(&units, crates, None, &catalog);
    let bodies = gatelint::analysis::Bodies::new(&program, &catalog);
    let gating = gatelint::analysis::Gating::find(&bodies, &config.gates, &[]);
    let asked = gatelint::explain::AskedGate { bodies: &bodies, gating: &gating, files: &files };
    let page = gatelint::explain::gate(&asked, "f.f").expect("it is defined");
    page.lines().next().unwrap_or_default().to_owned()
}

#[track_caller]
fn is(kind: &str, functions: &[&str]) {
    for f in functions {
        let said = said(f);
        assert!(said.contains(kind), "{f}\n{said}");
    }
}

#[test]
fn what_never_comes_back_otherwise_is_a_gate() {
    is(
        "is a phase gate: it comes back only where",
        &[
            "fn f(phase: &str) { assert_eq!(phase, \"execution\"); }",
            "fn f(phase: &str) { assert!(phase == \"execution\", \"no\"); }",
            "fn f(phase: &str) { ask(phase).unwrap(); }",
            "fn f(phase: &str) { ask(phase).map_err(|e| e.len()).expect(\"no\") }",
            "fn f(phase: &str) { if let Err(e) = ask(phase) { panic!(\"{e}\") } }",
            "fn f(phase: &str) { match verdict(phase) { Verdict::Allow => {} Verdict::Deny(why) => panic!(\"{why}\") } }",
        ],
    );
}

#[test]
fn a_result_that_is_handed_on_is_a_gate() {
    is(
        "is a phase gate that answers",
        &[
            "fn f(phase: &str) -> Result<(), String> { ask(phase)?; Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { ask(phase) }",
            "fn f(phase: &str) -> Result<(), usize> { ask(phase).map_err(|e| e.len())?; Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { if let Err(e) = ask(phase) { return Err(e); } Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { if ask(phase).is_err() { return Err(String::new()); } Ok(()) }",
            "fn f(phase: &str) -> Result<u8, String> { let Ok(()) = ask(phase) else { return Err(String::new()) }; Ok(1) }",
            "fn f(phase: &str) -> Result<(), String> { match ask(phase) { Ok(()) => Ok(()), Err(e) => Err(e) } }",
            "fn f(phase: &str) -> anyhow::Result<()> { anyhow::ensure!(phase == \"execution\", \"no\"); Ok(()) }",
            "fn f(phase: Option<&str>) -> anyhow::Result<()> { if phase != Some(\"execution\") { anyhow::bail!(\"no\") } Ok(()) }",
            "fn f(phase: Option<String>) -> Option<()> { match phase.as_deref() { Some(\"execution\") => Some(()), _ => None } }",
            "fn f(phase: Phase) -> Result<(), Blocked> { of_enum(phase)?; Ok(()) }",
            "fn f(phase: Phase) -> Result<(), String> { if !tells(&phase) { return Err(String::new()); } Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { match verdict(phase) { Verdict::Allow => Ok(()), Verdict::Deny(e) => Err(e) } }",
            "fn f(phase: Phase) -> Result<(), String> {
                match phase { Phase::Planning => return Err(String::new()), Phase::Execution => {} }
                Ok(())
            }",
            "struct D { allowed: bool, why: String }
            fn decide(phase: &str) -> D { D { allowed: phase == \"execution\", why: String::new() } }
            fn f(phase: &str) -> Result<(), String> { let d = decide(phase); if !d.allowed { return Err(d.why); } Ok(()) }",
            "async fn f(phase: &str) -> Result<(), String> { waits(phase).await?; Ok(()) }",
            "fn f(guard: &dyn Asks, phase: &str) -> Result<(), String> { guard.asks(phase)?; Ok(()) }",
            "fn f(phase: &str, n: u8) -> Result<u8, String> {
                ask(phase)?;
                match n { 0 => return Ok(1), 1 => return Ok(2), 2 => return Ok(3), _ => {} }
                if n == 4 { return Ok(5) }
                Ok(n)
            }",
        ],
    );
}

#[test]
fn a_result_that_nobody_looks_at_is_none() {
    is(
        "asks for the phase on some ways only",
        &[
            "fn f(phase: &str) -> Result<(), String> { let _ = ask(phase); Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { ask(phase).ok(); Ok(()) }",
            "struct Open; impl Asks for Open { fn asks(&self, _: &str) -> Result<(), String> { Ok(()) } }
            fn f(guard: &dyn Asks, phase: &str) -> Result<(), String> { guard.asks(phase)?; ask(phase).ok(); Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { ask(phase).unwrap_or_default(); Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> { if let Err(e) = ask(phase) { warn!(\"{e}\"); } Ok(()) }",
            "async fn f(phase: &str) -> Result<(), String> { let later = waits(phase); Ok(()) }",
            "fn f(phase: Option<&str>) -> Result<(), String> { if let Some(phase) = phase { ask(phase)?; } Ok(()) }",
            "fn f(phase: &str) -> Result<(), String> {
                if phase != \"execution\" && phase != \"planning\" { return Err(String::new()); }
                Ok(())
            }",
            "fn f(phase: &str) { debug_assert!(phase == \"execution\"); }",
        ],
    );
}
