//! Fuzzing that needs nothing but cargo. Each target makes inputs of its kind, from a seed corpus, from pieces that its reader
//! knows and from whole small projects, and asks that nothing panics, that what comes out is well formed, and that it comes
//! soon. `cargo test` runs each of them for a moment, always with the same inputs;
//! `GATELINT_FUZZ_SECONDS=1800 cargo test --release --test fuzz python` runs one for half an hour of processor time, with others
//! each time.

#[path = "fuzz/commands.rs"]
mod commands;
#[path = "fuzz/engine.rs"]
mod engine;
#[path = "fuzz/pieces.rs"]
mod pieces;
#[path = "fuzz/project.rs"]
mod project;
#[path = "fuzz/run.rs"]
mod run;
#[path = "fuzz/targets.rs"]
mod targets;
#[path = "fuzz/texts.rs"]
mod texts;
#[path = "fuzz/whole.rs"]
mod whole;
