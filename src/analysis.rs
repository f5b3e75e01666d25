//! What the program does: which calls have an effect, which functions plan, and what can be reached from where by which
//! path. Knows the program and the catalogue; no TOML, no printing, no syntax.

mod definitions;
mod effects;
mod mutations;
mod named;
mod origins;
mod reach;
mod roles;
mod texts;
mod values;

pub use effects::{EffectSite, Effects};
pub use mutations::{Change, How, Subject, key_changes, strips, uses_keys};
pub use named::named_calls;
pub use origins::{Origin, origin};
pub use reach::{Path, Reach, agent_reachable};
pub use roles::{Start, planning_functions, tools};
pub use texts::Markers;
pub use values::Values;
