//! gatelint: gate enforcement for AI agents.
pub mod analysis;
pub mod catalog;
pub mod config;
pub mod finding;
pub mod frontend;
pub mod ir;
pub mod link;
pub mod rule;
pub mod source;
