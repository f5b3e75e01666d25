//! The configuration as serde reads it: the same keys as in `keys`, with the places of what may match nothing. Only text
//! without mistakes comes here.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::catalog::{Alias, Callback, Handlers, Loader, RawEffect, RawReturns, Registration};

pub type Words = Vec<Spanned<String>>;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Raw {
    pub extends: Vec<String>,
    pub exclude: Words,
    pub layers: RawLayers,
    pub planning: RawPlanning,
    pub gates: RawGates,
    pub fence: RawFence,
    pub handlers: Handlers,
    pub capture: RawCapture,
    pub audit: RawAudit,
    pub workspace: RawWorkspace,
    pub tools: BTreeMap<Spanned<String>, RawTool>,
    pub prompts: RawPrompts,
    pub baseline: Option<RawBaseline>,
    pub rules: RawRules,
    pub levels: Vec<RawLevel>,
    pub effect: Vec<Spanned<RawEffect>>,
    pub returns: Vec<RawReturns>,
    pub alias: Vec<Alias>,
    pub callback: Vec<Callback>,
    pub loader: Vec<Loader>,
    pub registration: Vec<Registration>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawLayers {
    /// None keeps the defaults; an empty list is a statement.
    pub comm: Option<Words>,
    pub operator: Words,
    pub storage: Words,
    pub llm: Words,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawPlanning {
    pub functions: Words,
    pub not_functions: Words,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawGates {
    pub phase: RawPhase,
    pub action: RawAction,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawPhase {
    pub check: Words,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawAction {
    pub check: Words,
    pub executors: Words,
    pub gated_executors: Words,
    pub meta_tools: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawFence {
    pub markers: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawCapture {
    pub functions: Words,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawAudit {
    pub writers: Words,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawWorkspace {
    pub paths: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawTool {
    pub sensitivity: Option<super::Sensitivity>,
    pub blocked: Option<bool>,
    pub irreversibility: Option<super::Irreversibility>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawPrompts {
    pub files: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawBaseline {
    pub file: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawRules {
    pub paths: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawLevel {
    pub paths: Words,
    pub rules: BTreeMap<Spanned<String>, super::Level>,
    pub reason: String,
}
