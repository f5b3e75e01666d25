//! Matchers that follow values: content from outside, and what somebody chose.

use crate::analysis::{Inflow, Sink};
use crate::catalog::Purpose;

/// Where content from outside must not get, or not without a guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    pub from: Vec<Inflow>,
    pub to: Outlet,
}

/// Which values must not decide what.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trace {
    /// What a model chooses: parameters of tools, and its replies.
    pub from_model: bool,
    /// What these calls hand back.
    pub from: Vec<String>,
    pub to: Vec<Purpose>,
    /// What these calls are given.
    pub into: Vec<String>,
    /// What these hand back is another value.
    pub unless: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outlet {
    /// What leaves a comm handler must have passed the guard.
    Handler(GuardKind),
    /// What it must not get to; or not without the guard, from comm handlers and what they run.
    Sinks(Vec<Sink>, Option<GuardKind>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardKind {
    Attribution,
    Fence,
}

impl GuardKind {
    pub const WORDS: [(&'static str, GuardKind); 2] =
        [("attribution", GuardKind::Attribution), ("fence", GuardKind::Fence)];
}
