//! The item about hints: whether what the registration of a tool says of it (`readOnlyHint`, `openWorldHint`) agrees with what
//! the tool reaches. Clients show and skip approvals by these hints.

use super::{Judged, Operation};
use crate::analysis::{EffectSite, Graph, Path};
use crate::catalog::{Access, EffectKind};
use crate::finding::Confidence;
use crate::ir::Expr;
use crate::link::Edge;
use crate::rule::check::Context;
use crate::rule::check::shared::Shared;

pub(super) fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, tool: &Operation) -> Judged {
    let annotation = context.registered[tool.nth].annotation.as_ref();
    let hints = annotation.map(|annotation| annotation.hints).unwrap_or_default();
    let mut checked = Vec::new();
    if hints.read_only == Some(true) {
        let goals = || context.effects.sites.iter().filter(|site| changes(context, site));
        if let Some(path) = reached(context, shared.kept_calls(context), tool, goals()) {
            return contradicted(context, tool, &path, "it is said to read only");
        }
        checked.push("it only reads");
    }
    if hints.open_world == Some(false) {
        let goals = || context.effects.of_kinds(&[EffectKind::Network, EffectKind::Comm]);
        if let Some(path) = reached(context, shared.calls(context), tool, goals()) {
            return contradicted(context, tool, &path, "it is said to stay inside");
        }
        checked.push("it stays inside");
    }
    match checked.is_empty() {
        true => Judged::unknown(tool.registered, "it has no hints that promise something"),
        false => Judged::pass(
            tool.registered,
            format!("what it reaches agrees with its hints: {}", checked.join(", ")),
        ),
    }
}

/// Starts a process that is not known to read only, or writes to storage.
fn changes(context: &Context<'_>, site: &EffectSite) -> bool {
    match site.kind {
        Some(EffectKind::Process) => {
            let words = &context.catalog.classes;
            let reads = || command(context, site).is_some_and(|command| words.is_reading(&command));
            !words.only_reads(&site.callee) && !reads()
        }
        Some(EffectKind::Storage) => site.access == Some(Access::Write),
        _ => false,
    }
}

/// The command line of a process, its words one behind the other; `…` stands for those from the first on that is not constant.
fn command(context: &Context<'_>, site: &EffectSite) -> Option<String> {
    let program = context.program;
    let Expr::Call { args, .. } = *program.facts(site.at.file).expr(site.at.expr) else { return None };
    let first = program.facts(site.at.file).list(args).first()?;
    let (owner, value) = program.bound(site.from, first.value);
    let facts = program.facts(program.function(owner).file);
    match *facts.expr(value) {
        Expr::Seq(words) => {
            let all = facts.list(words);
            let mut known: Vec<String> =
                all.iter().map_while(|&word| Some(program.text(owner, word)?.to_string())).collect();
            if known.len() < all.len() {
                known.push("…".to_owned());
            }
            Some(known.join(" "))
        }
        _ => program.text(owner, value).map(|text| text.to_string()),
    }
}

/// A way from the tool's own lines. What a decorator does around many functions (credentials, metrics) is nobody's own deed.
fn reached<'p, 'c: 'p>(
    context: &Context<'c>,
    graph: &Graph<'p, 'c>,
    tool: &Operation,
    goals: impl Iterator<Item = &'p EffectSite>,
) -> Option<Path<'p>> {
    let program = context.program;
    let is_own = |edge: &Edge| program.decorator_targets(edge.from).all(|(at, _)| at != edge.at.expr);
    graph.search(goals, is_own).path(tool.handler).filter(|path| path.confidence > Confidence::Low)
}

fn contradicted(context: &Context<'_>, tool: &Operation, path: &Path<'_>, said: &str) -> Judged {
    let (first, effect) = (context.place(path.first()), context.place(path.effect.at));
    let text = format!("{said}, and reaches `{}`", path.effect.callee);
    let judged =
        Judged::fail(tool.registered, text).at_most(path.confidence).and(first, "the way begins here");
    if first == effect { judged } else { judged.and(effect, "the effect") }
}
