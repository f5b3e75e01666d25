//! gatelint: gate enforcement for AI agents.
pub mod catalog;
pub mod finding;
pub mod frontend;
pub mod ir;
pub mod link;
pub mod rule;
pub mod source;
