//! What the program does: which calls have an effect, which functions plan, which values decide, and what can be reached
//! from where by which path. Knows the program and the catalogue; no TOML, no printing, no syntax.

mod arms;
mod decisions;
mod effects;
mod gates;
mod named;
mod obscured;
mod reach;
mod roles;
mod statement;

pub use arms::{Denial, denials};
pub use decisions::{Decisions, members};
pub use effects::{EffectSite, Effects};
pub use gates::{is_gate, spelled};
pub use named::named_calls;
pub use obscured::{How, Obscured, obscured};
pub use reach::{Graph, Path, Reach, agent_reachable};
pub use roles::{Start, planning_functions, tools};
