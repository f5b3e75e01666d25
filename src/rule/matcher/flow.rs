//! Matchers that follow values: content from outside, and what somebody chose.

use crate::analysis::Inflow;
use crate::catalog::Purpose;

/// Where content from outside must not get without a guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    pub from: Vec<Inflow>,
    pub guard: GuardKind,
    pub to: Outlet,
}

/// Which values must not decide what.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Trace {
    /// What a model chooses: parameters of tools, and its replies.
    pub from_model: bool,
    /// What comes from outside.
    pub inflows: Vec<Inflow>,
    /// What these calls hand back.
    pub from: Vec<String>,
    pub to: Vec<Purpose>,
    /// What these calls are given.
    pub into: Vec<String>,
    /// What these hand back is another value.
    pub unless: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outlet {
    /// It leaves a comm handler.
    Handler,
    /// A model is told, by comm handlers and what they run.
    Prompt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardKind {
    Attribution,
    Fence,
}

impl Outlet {
    /// As rules name where it must not get.
    pub const WORDS: [(&'static str, Outlet); 1] = [("prompt", Outlet::Prompt)];
}

impl GuardKind {
    pub const WORDS: [(&'static str, GuardKind); 2] =
        [("attribution", GuardKind::Attribution), ("fence", GuardKind::Fence)];
}
