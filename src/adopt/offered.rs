//! What an agent of the project can do, in the comments at the head of the proposal: the frameworks that its tools are
//! registered with, the tools, and what they reach.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::reasons::{Part, fitted};
use crate::catalog::EffectKind;
use crate::inventory::Listed;
use crate::report;

/// So many tools are named.
const MAX_TOOLS: usize = 5;
/// A line of the head is no longer than this.
const MAX_CHARS: usize = 118;
/// What a reader asks of tools first.
const REACHED: [EffectKind; 4] =
    [EffectKind::Process, EffectKind::Network, EffectKind::File, EffectKind::Storage];

/// Three lines, or one that says that there are no tools.
pub fn offered(tools: &[Listed]) -> String {
    if tools.is_empty() {
        return "# No tool was seen that a model may call; `gatelint commands` lists what else is registered.\n"
            .to_owned();
    }
    [frameworks(tools), names(tools), reached(tools)]
        .map(|part| format!("# {}\n", fitted(&[part], MAX_TOOLS, MAX_CHARS)))
        .concat()
}

fn frameworks(tools: &[Listed]) -> Part {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in tools {
        *counts.entry(tool.framework.as_deref().unwrap_or("the project's own")).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (Reverse(*count), *name));
    let counts: Vec<String> = counts.into_iter().map(|(name, count)| format!("{name}: {count}")).collect();
    Part::new(format!("Agent frameworks, by tools: {}.", report::escape_line(&counts.join(", "))))
}

fn names(tools: &[Listed]) -> Part {
    let mut names: Vec<String> = Vec::new();
    for tool in tools {
        let name = tool.name.as_ref().unwrap_or(&tool.function);
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let count = report::counted(tools.len(), "tool");
    Part::naming(format!("`gatelint commands` lists {count}"), &names)
}

fn reached(tools: &[Listed]) -> Part {
    let count = |kind: EffectKind| {
        let reaches = tools
            .iter()
            .filter(|tool| tool.effects.iter().any(|effect| effect.kind == kind && effect.counts()));
        format!("{} {}", kind.noun(), reaches.count())
    };
    Part::new(format!("How many of them can reach: {}.", REACHED.map(count).join(", ")))
}
