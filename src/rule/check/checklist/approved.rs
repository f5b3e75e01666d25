//! The item about gates of actions: whether somebody decides before a tool has its effect. Its registration may ask its
//! framework for an approval, a gate may stand in its own code, around every call of it, or in what runs tools by their names.

use super::gate::Ways;
use super::{Judged, KEEPS, Operation, REACHES_OUT, head};
use crate::analysis::{Gating, Guarded, Path, SaidClasses, said_classes};
use crate::config::Irreversibility;
use crate::finding::Place;
use crate::rule::check::Context;
use crate::rule::check::shared::Shared;
use crate::rule::check::{skills, ungated};

/// The gates of actions and the ways to effects, made once for all tools.
pub(super) struct Approvals<'g, 'c> {
    context: &'g Context<'c>,
    guarded: Guarded<'g, 'c, 'c>,
    out: Ways<'c>,
    kept: Ways<'c>,
    said: SaidClasses,
    /// Where tools are run by their names, and where that asks no gate.
    executors: Option<(Place, Option<Place>)>,
}

impl<'g, 'c> Approvals<'g, 'c> {
    pub fn new(context: &'g Context<'c>, shared: &'g Shared<'c>) -> Self {
        let gating: &Gating = shared.actions(context);
        let guarded = Guarded::find(context.program, gating);
        let out = Ways::new(context, &guarded, shared.calls(context), &REACHES_OUT);
        let kept = Ways::new(context, &guarded, shared.kept_calls(context), &KEEPS);
        let executors = ungated::executors(context, shared);
        let said = said_classes(context.program, context.catalog);
        Self { context, guarded, out, kept, said, executors }
    }

    pub fn judge(&self, tool: &Operation) -> Judged {
        let known = &self.context.registered[tool.nth];
        if known.annotation.as_ref().is_some_and(|annotation| annotation.asks) {
            return Judged::pass(tool.registered, "its registration asks for an approval");
        }
        if skills::class(self.context, &self.said, known) == Some(Irreversibility::ReadOnly) {
            return Judged::pass(tool.registered, "it is classed `read_only`: nothing has to be decided");
        }
        if self.guarded.is_entered_held(tool.handler) {
            return Judged::pass(
                head(self.context, tool.handler),
                "whoever calls it has asked a gate before",
            );
        }
        let ways = if self.out.all.path(tool.handler).is_some() { &self.out } else { &self.kept };
        match (ways.open.path(tool.handler), ways.all.path(tool.handler), self.executors) {
            (Some(_), _, Some((executor, None))) => match known.framework {
                None => Judged::pass(executor, "what runs tools by their names asks a gate before"),
                Some(_) => {
                    let text = "this asks a gate before it runs tools by their names; whether it runs this one is not seen";
                    Judged::unknown(executor, text)
                }
            },
            (Some(path), _, Some((_, Some(leak)))) => {
                self.open(&path).and(leak, "this runs tools by their names, and asks no gate")
            }
            (Some(path), ..) => self.open(&path),
            (None, Some(path), _) => self.held(&path),
            (None, None, _) => {
                Judged::unknown(head(self.context, tool.handler), "no effect was found behind it")
            }
        }
    }

    fn open(&self, path: &Path<'_>) -> Judged {
        let (first, effect) = (self.context.place(path.first()), self.context.place(path.effect.at));
        let text = format!("nobody decides whether `{}` may run", path.effect.callee);
        let judged = Judged::fail(first, text).at_most(path.confidence);
        if first == effect { judged } else { judged.and(effect, "the effect") }
    }

    fn held(&self, path: &Path<'_>) -> Judged {
        let places = path.hops.iter().map(|edge| edge.at).chain([path.effect.at]);
        let gated = places.clone().find(|&at| self.guarded.gating.is_held(at));
        let text = format!("a gate decides before `{}` runs", path.effect.callee);
        Judged::pass(self.context.place(gated.unwrap_or(path.effect.at)), text)
    }
}
