//! What the program does: which calls have an effect, which functions plan, which values decide, and what can be reached
//! from where by which path. Knows the program and the catalogue; no TOML, no printing, no syntax.

mod arms;
mod components;
mod decisions;
mod definitions;
mod effects;
mod flow;
mod gates;
mod gating;
mod handlers;
pub mod interp;
mod mutations;
mod named;
mod obscured;
mod origins;
mod outcomes;
mod piped;
mod reach;
mod roles;
mod statement;
mod subjects;
mod texts;
mod tools;
mod ungated;
mod values;

pub use arms::{Denial, denials};
pub use decisions::Decisions;
pub use effects::{EffectSite, Effects};
pub use flow::{Aspect, Flows, Inflow, Sink, Use, UseKind, Witness};
pub use gates::{is_gate, spelled};
pub use gating::{Gating, Left, Summary};
pub use handlers::{Handler, handlers};
pub use interp::Way;
pub use mutations::{Change, How, Subject, key_changes, made_keys, strips, used_keys};
pub use named::named_calls;
pub use obscured::{HiddenBy, Obscured, obscured};
pub use origins::{Origin, origin};
pub use outcomes::Shape;
pub use piped::{Piped, piped_downloads};
pub use reach::{Graph, Path, Reach, agent_reachable};
pub use roles::planning_functions;
pub use texts::Markers;
pub use tools::tools;
pub use ungated::Guarded;
pub use values::Values;
