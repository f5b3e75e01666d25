//! The phase gate of an operation: whether it comes first, and whether it lets anything but the right phase through.

use super::{Judged, KEEPS, Operation, REACHES_OUT, head, place};
use crate::analysis::{
    Asked, EffectSite, Gating, Graph, Guarded, Opening, Path, Reach, is_gate, opening, spelled,
};
use crate::catalog::EffectKind;
use crate::finding::Place;
use crate::ir::ExprId;
use crate::link::{At, EdgeKind, Func, Target};
use crate::rule::check::Context;
use crate::rule::check::shared::Shared;

/// The gates of the program and the ways to its effects, made once for all operations.
pub(super) struct Gates<'g, 'c> {
    context: &'g Context<'c>,
    gating: &'g Gating,
    guarded: Guarded<'g, 'c, 'c>,
    /// What leaves the machine, and what is kept on it.
    out: Ways<'c>,
    kept: Ways<'c>,
}

/// The ways to effects of some kinds.
pub(super) struct Ways<'c> {
    pub all: Reach<'c>,
    /// Those on which nothing refuses.
    pub open: Reach<'c>,
}

impl<'g, 'c> Gates<'g, 'c> {
    pub fn new(context: &'g Context<'c>, shared: &'g Shared<'c>) -> Self {
        let (gating, guarded) = (shared.gating(context), shared.guarded(context));
        let ways = |calls, kinds: &'static [EffectKind]| Ways::new(context, &guarded, calls, kinds);
        let out = ways(shared.calls(context), &REACHES_OUT);
        let kept = ways(shared.kept_calls(context), &KEEPS);
        Self { context, gating, guarded, out, kept }
    }

    /// GL603: before asking for the phase an operation does nothing.
    pub fn first(&self, operation: &Operation) -> Judged {
        let (context, handler) = (self.context, operation.handler);
        let name = |func: Func| context.program.short_name(func);
        match self.opening(handler) {
            Opening::First(asked) if self.is_unheard(handler, &asked) => {
                let text = "the phase is asked for here, and nothing that follows waits for the answer";
                Judged::fail(place(context, (asked.func, asked.at)), text)
            }
            Opening::First(asked) => {
                let text = format!("`{}` asks for the phase first", name(asked.func));
                Judged::pass(place(context, (asked.func, asked.at)), text)
            }
            Opening::Behind { asked, before, func } => {
                let text = format!("`{}` does this before it asks for the phase", name(func));
                Judged::fail(place(context, (func, before)), text)
                    .and(place(context, (asked.func, asked.at)), "the phase is asked for here")
            }
            Opening::Unknown(asked) => {
                let text = "the phase is handed to something that is not in the tree";
                Judged::unknown(place(context, (asked.func, asked.at)), text)
            }
            Opening::Never if self.guarded.is_entered_held(handler) => self.entered(handler),
            Opening::Never => {
                Judged::fail(head(context, handler), format!("`{}` never asks for the phase", name(handler)))
            }
        }
    }

    /// GL604: in any other phase no effect of the operation can run.
    pub fn closed(&self, operation: &Operation) -> Judged {
        let handler = operation.handler;
        let is_entered = self.guarded.is_entered_held(handler);
        match self.ungated(handler).filter(|_| !is_entered) {
            Some(path) => self.leaks(handler, &path),
            None => self.holds(handler, is_entered),
        }
    }

    /// Something runs in other phases, too: either the gate lets them through, or there is another reason.
    fn leaks(&self, handler: Func, path: &Path<'_>) -> Judged {
        let first = self.context.place(path.first());
        let reached = format!("`{}` can run in other phases, too", path.effect.callee);
        let through = |func, at| self.lets_through(func, at).and(first, &*reached).at_most(path.confidence);
        match self.opening(handler) {
            Opening::First(asked) if self.is_unheard(handler, &asked) => {
                let text = "the refusal that is given here stops nothing";
                let gate = Judged::fail(place(self.context, (asked.func, asked.at)), text);
                gate.and(first, reached).at_most(path.confidence)
            }
            Opening::First(asked) => through(asked.func, asked.at),
            // What runs before the gate is another matter; what it lets through is this one.
            Opening::Behind { asked, .. } if !self.closes(asked.func, asked.at) => {
                through(asked.func, asked.at)
            }
            // Behind the gate, and yet not on every way behind it.
            Opening::Behind { asked, .. } if self.is_behind(first, path, &asked) => {
                let text = "the phase is asked for here, but not on every way to an effect";
                let gate = Judged::fail(place(self.context, (asked.func, asked.at)), text);
                gate.and(first, reached).at_most(path.confidence)
            }
            Opening::Behind { .. } | Opening::Unknown(_) => {
                let text =
                    "an effect does not wait for the gate, so what the gate lets through decides nothing";
                Judged::unknown(first, text)
            }
            Opening::Never => {
                let text = format!("nothing asks for the phase before `{}`", path.effect.callee);
                Judged::fail(first, text).at_most(path.confidence)
            }
        }
    }

    /// Nothing is known to run in other phases.
    fn holds(&self, handler: Func, is_entered: bool) -> Judged {
        let context = self.context;
        let asked = match self.opening(handler) {
            Opening::First(asked) | Opening::Behind { asked, .. } | Opening::Unknown(asked) => Some(asked),
            Opening::Never => None,
        };
        let pass = |func, at| {
            let text = "no effect can run unless the phase is the one for execution";
            Judged::pass(place(context, (func, at)), text)
        };
        let has_effect = self.out.all.path(handler).or_else(|| self.kept.all.path(handler)).is_some();
        match (asked, has_effect, self.runner(handler)) {
            (Some(asked), true, _) => pass(asked.func, asked.at),
            (None, true, _) if is_entered => self.entered(handler),
            // The runner is not in the tree: what holds where it is called is all there is to know.
            (Some(asked), false, Some(runner)) if self.gating.is_held(runner) => pass(asked.func, asked.at),
            (Some(asked), false, Some(runner)) => self
                .lets_through(asked.func, asked.at)
                .and(context.place(runner), "this runs in other phases, too"),
            _ => Judged::unknown(head(context, handler), "no external effect was found behind it"),
        }
    }

    /// True if the effect, or what leads to it, stands behind the gate.
    fn is_behind(&self, first: Place, path: &Path<'_>, asked: &Asked) -> bool {
        let gate = place(self.context, (asked.func, asked.at));
        let effect = self.context.place(path.effect.at);
        [first, effect].iter().any(|at| at.file == gate.file && at.span.lo > gate.span.lo)
    }

    fn opening(&self, handler: Func) -> Opening {
        opening(self.context.program, self.context.catalog, self.gating, handler)
    }

    fn entered(&self, handler: Func) -> Judged {
        Judged::pass(head(self.context, handler), "whoever calls it has asked for the phase before")
    }

    fn lets_through(&self, func: Func, at: ExprId) -> Judged {
        let text = "what is asked here does not refuse every phase but the one for execution";
        Judged::fail(place(self.context, (func, at)), text)
    }

    /// The best way to an effect before which nothing refuses; what is kept counts where there is nothing else.
    fn ungated(&self, func: Func) -> Option<Path<'c>> {
        let ways = if self.out.all.path(func).is_some() { &self.out } else { &self.kept };
        ways.open.path(func)
    }

    /// A runner that is not in the tree.
    fn runner(&self, func: Func) -> Option<At> {
        let program = self.context.program;
        let runs = |expr: &ExprId| {
            let name = spelled(program, func, *expr);
            let last = name.as_deref().and_then(|name| name.rsplit('.').next());
            last.is_some_and(|last| self.context.catalog.flow.runs_command(last))
        };
        let found = program.ir(func).exprs.iter().find(runs)?;
        Some(At { file: program.function(func).file, expr: found })
    }

    /// True if the gate refuses as it should, and nothing heeds it: its error is caught, its answer only logged.
    fn is_unheard(&self, handler: Func, asked: &Asked) -> bool {
        let is_entered = self.guarded.is_entered_held(handler);
        let leaks = || self.ungated(handler).is_some() && !is_entered;
        self.tells(asked.func, asked.at) && !self.is_awaited(asked.func, asked.at) && leaks()
    }

    /// True if what is asked refuses, or something behind the gate waits for it.
    fn closes(&self, func: Func, at: ExprId) -> bool {
        self.tells(func, at) || self.is_awaited(func, at)
    }

    /// True if the functions that are asked tell the phase for execution from all others; of a gate that is not in the tree
    /// that is taken for granted.
    fn tells(&self, func: Func, at: ExprId) -> bool {
        let (program, phase) = (self.context.program, &self.context.catalog.phase);
        let of_project = program.edges_at(func, at).iter().filter_map(|edge| match edge.to {
            Target::Project(target) => Some(target),
            Target::External(_) => None,
        });
        let targets: Vec<Func> = of_project.collect();
        let tells = |&target: &Func| self.gating.summary(target).is_some_and(|summary| summary.tells());
        match targets.is_empty() {
            true => is_gate(program, phase, func, at).is_some(),
            false => targets.iter().any(tells),
        }
    }

    fn is_awaited(&self, func: Func, at: ExprId) -> bool {
        let mut behind =
            self.context.program.edges_from(func).iter().filter(|edge| edge.kind != EdgeKind::Stored);
        behind.any(|edge| edge.at.expr != at && self.gating.is_held(edge.at))
    }
}

impl<'c> Ways<'c> {
    pub fn new(
        context: &Context<'c>,
        guarded: &Guarded<'_, 'c, 'c>,
        calls: &Graph<'c, 'c>,
        kinds: &'static [EffectKind],
    ) -> Self {
        let goals = || -> Vec<&'c EffectSite> { context.effects.of_kinds(kinds).collect() };
        let all = calls.search(goals().into_iter(), |_| true);
        let open = goals().into_iter().filter(|site| !guarded.is_held(site));
        let open = calls.search(open, |edge| guarded.is_open(edge));
        Self { all, open }
    }
}
