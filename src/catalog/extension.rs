//! What a project adds to the catalogue.

use serde::Deserialize;

use super::effects::RawEffect;
use super::handlers::Handlers;
use super::registrations::Registration;
use super::{Alias, Callback, Loader};

/// One `[[returns]]` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawReturns {
    pub(super) call: Vec<String>,
    pub(super) r#type: String,
}

/// What a project, or a preset, adds to the built-in catalogue. Its own entries are asked first: who knows a library
/// better than its users?
#[derive(Clone, Default, Debug)]
pub struct Extension {
    pub effects: Vec<RawEffect>,
    pub returns: Vec<RawReturns>,
    pub aliases: Vec<Alias>,
    pub callbacks: Vec<Callback>,
    pub loaders: Vec<Loader>,
    /// Patterns for dotted paths.
    pub audit_writers: Vec<String>,
    pub workspace_paths: Vec<String>,
    pub fence_markers: Vec<String>,
    pub handlers: Handlers,
    pub registrations: Vec<Registration>,
}

impl Extension {
    pub fn is_empty(&self) -> bool {
        let Self { effects, returns, aliases, callbacks, loaders, .. } = self;
        let Self { audit_writers, workspace_paths, fence_markers, handlers, registrations, .. } = self;
        let entries = effects.len() + returns.len() + aliases.len() + callbacks.len() + loaders.len();
        let entries = entries + registrations.len();
        let words = audit_writers.len() + workspace_paths.len() + fence_markers.len();
        entries + words == 0 && handlers.is_empty()
    }

    /// Adds what another one says, after one's own.
    pub fn append(&mut self, other: Extension) {
        self.effects.extend(other.effects);
        self.returns.extend(other.returns);
        self.aliases.extend(other.aliases);
        self.callbacks.extend(other.callbacks);
        self.loaders.extend(other.loaders);
        self.audit_writers.extend(other.audit_writers);
        self.workspace_paths.extend(other.workspace_paths);
        self.fence_markers.extend(other.fence_markers);
        self.handlers.append(other.handlers);
        self.registrations.extend(other.registrations);
    }
}
