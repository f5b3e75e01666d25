//! Whether a program has anything from which rules follow values.

use std::sync::Arc;

use super::Context;
use crate::analysis::Registered;
use crate::catalog::{EffectKind, RegistrationKind};
use crate::rule::matcher::Trace;
use crate::rule::{Matcher, Rule};

/// True if some value may have to be followed.
pub fn is_asked(context: &Context<'_>, rules: &[Arc<Rule>]) -> bool {
    let mut matchers = rules.iter().flat_map(|rule| &rule.matches);
    matchers.any(|matcher| matches!(matcher, Matcher::Trace(wanted) if has_sources(context, wanted)))
}

pub fn has_sources(context: &Context<'_>, wanted: &Trace) -> bool {
    let is_tool = |known: &Registered| known.kind == RegistrationKind::Tool;
    let has_model = || {
        context.registered.iter().any(is_tool)
            || context.effects.of_kinds(&[EffectKind::Llm]).next().is_some()
    };
    !wanted.from.is_empty() || wanted.from_model && has_model()
}
