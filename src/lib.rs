//! gatelint: gate enforcement for AI agents.
pub mod config;
pub mod finding;
pub mod frontend;
pub mod ir;
pub mod rule;
pub mod source;
