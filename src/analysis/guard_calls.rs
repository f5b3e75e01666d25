//! Which calls ask a guard, and of what kind it is: phase gates by what they do, the guards of content, the audit trail and
//! the declaration as flow and trails know them. One answer for whoever lists guards instead of judging what lacks one.

use super::gates::{is_gate, spelled};
use super::gating::{Gating, asks_phase};
use super::guards::Bodies;
use super::trail::{Event, Events, Happens};
use crate::catalog::{Catalog, Guarding};
use crate::ir::{Expr, ExprId};
use crate::link::{Edge, EdgeKind, Func, Program, Target};

const AUDIT: &Event = &Event::Audit;
const DECLARATION: &Event = &Event::Declaration;

/// What a call asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The phase.
    Phase,
    Attribution(Guarding),
    Fence(Guarding),
    /// It records.
    Audit,
    Declaration,
    /// Whether an action may run.
    Action,
}

/// The calls of a program that ask a guard.
pub struct GuardCalls<'g, 'a> {
    program: &'g Program<'a>,
    catalog: &'g Catalog,
    gating: &'g Gating,
    actions: &'g Gating,
    audit: Events<'g, 'a>,
    declaration: Events<'g, 'a>,
}

impl<'g, 'a> GuardCalls<'g, 'a> {
    /// With the gates of phases, and those of actions.
    pub fn new(bodies: &'g Bodies<'g, 'a>, gating: &'g Gating, actions: &'g Gating) -> Self {
        let events = |event| Events::new(bodies, event);
        let (program, catalog) = (bodies.program(), bodies.catalog());
        Self { program, catalog, gating, actions, audit: events(AUDIT), declaration: events(DECLARATION) }
    }

    /// What a call asks; none if it asks no guard.
    pub fn at(&self, func: Func, call: ExprId) -> Option<Asked> {
        if self.asks_phase(func, call) {
            return Some(Asked::Phase);
        }
        if self.actions.asks_judge(self.program, self.catalog, func, call) {
            return Some(Asked::Action);
        }
        if let Some(asked) = self.asks_content(func, call) {
            return Some(asked);
        }
        if self.declaration.at(func, call).is_some() {
            return Some(Asked::Declaration);
        }
        (self.audit.at(func, call) == Some(Happens::Now)).then_some(Asked::Audit)
    }

    /// The functions of the project that a call means.
    pub fn callees(&self, func: Func, call: ExprId) -> Vec<Func> {
        let project = self.calls(func, call).filter_map(|edge| match edge.to {
            Target::Project(callee) => Some(callee),
            Target::External(_) => None,
        });
        project.collect()
    }

    /// What is called, as a reader knows it.
    pub fn name(&self, func: Func, call: ExprId) -> String {
        let mut edges = self.calls(func, call);
        let known = edges.next().map(|edge| self.program.target_name(edge.to));
        known.or_else(|| spelled(self.program, func, call)).unwrap_or_default()
    }

    /// The comparisons and matches of a function that ask for the phase in its own text.
    pub fn phase_tests(&self, func: Func) -> Vec<ExprId> {
        let exprs = self.program.ir(func).exprs.iter();
        exprs.filter(|&expr| asks_phase(self.program, &self.catalog.phase, func, expr)).collect()
    }

    fn asks_phase(&self, func: Func, call: ExprId) -> bool {
        let (program, words) = (self.program, &self.catalog.phase);
        let targets = self.callees(func, call);
        let is_one =
            |&callee: &Func| self.gating.is_gate(program, words, callee) || self.gating.is_vouched(callee);
        targets.iter().any(is_one) || (targets.is_empty() && is_gate(program, words, func, call).is_some())
    }

    /// By the path of what is called, or else, where no body is in the tree, by its name.
    fn asks_content(&self, func: Func, call: ExprId) -> Option<Asked> {
        let Catalog { attribution, fence, .. } = self.catalog;
        let of_path = |path: &str| {
            let credit = attribution.role(path).map(Asked::Attribution);
            credit.or_else(|| fence.role(path).map(Asked::Fence))
        };
        let of_edge = |edge: &Edge| match edge.to {
            Target::Project(callee) => of_path(&self.program.function(callee).path),
            Target::External(path) => of_path(self.program.path(path)),
        };
        if let Some(asked) = self.calls(func, call).find_map(of_edge) {
            return Some(asked);
        }
        if !self.callees(func, call).is_empty() {
            return None;
        }
        let name = spelled(self.program, func, call)?;
        let credit = attribution.role_of_name(&name).map(Asked::Attribution);
        credit.or_else(|| fence.role_of_name(&name).map(Asked::Fence))
    }

    fn calls(&self, func: Func, call: ExprId) -> impl Iterator<Item = &'g Edge> {
        let is_call = |edge: &&Edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::CallHanded);
        self.program.edges_at(func, call).iter().filter(is_call)
    }
}

/// The expressions of a function that call.
pub fn calls_of<'p>(program: &'p Program<'_>, func: Func) -> impl Iterator<Item = ExprId> + 'p {
    let facts = program.facts(program.function(func).file);
    program.ir(func).exprs.iter().filter(move |&expr| matches!(facts.expr(expr), Expr::Call { .. }))
}
