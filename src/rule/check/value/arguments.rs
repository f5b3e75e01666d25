//! Constants that are handed on: to a gate, to a parameter, under a name.

use super::{Scan, Site};
use crate::analysis::{is_gate, spelled};
use crate::catalog::Naming;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Sym};
use crate::link::{EdgeKind, Func, Passed, Target, argument};

impl Scan<'_, '_> {
    pub(super) fn arguments(&self, out: &mut Vec<Site>) {
        for expr in self.program().ir(self.func).exprs.iter() {
            if let Expr::Call { args, .. } = *self.facts.expr(expr) {
                self.call(expr, self.facts.list(args), out);
            }
        }
    }

    fn call(&self, call: ExprId, args: &[Arg], out: &mut Vec<Site>) {
        let given = args.iter().filter(|arg| matches!(arg.kind, ArgKind::Positional | ArgKind::Named(_)));
        let found = given.filter_map(|arg| Some((*arg, self.constant(self.func, arg.value)?)));
        for (arg, value) in found {
            if let Some((name, confidence)) = self.taken(call, args, arg) {
                let callee = spelled(self.program(), self.func, call);
                let callee = callee.map(|callee| callee.trim_start_matches('.').to_owned());
                let to = callee.map_or_else(|| "a call".to_owned(), |callee| format!("`{callee}`"));
                let problem = format!("\"{value}\" is handed to {to} in place of the caller's `{name}`");
                out.push(Site { constant: arg.value, value, name, problem, confidence });
            }
        }
    }

    /// The name under which an argument is taken for the value.
    fn taken(&self, call: ExprId, args: &[Arg], arg: Arg) -> Option<(String, Confidence)> {
        if let Some(confidence) = is_gate(self.program(), self.words, self.func, call) {
            let name = self
                .keyword(arg)
                .or_else(|| self.parameters(call, arg.value).into_iter().next().map(|p| p.0));
            return Some((name.unwrap_or_else(|| "phase".to_owned()), confidence));
        }
        let called = spelled(self.program(), self.func, call).unwrap_or_default();
        let called = called.rsplit('.').next().unwrap_or_default();
        if self.words.is_exempt_call(called)
            || self.words.is_record_class(called)
            || self.declares(called, args)
        {
            return None;
        }
        let by_parameter =
            self.parameters(call, arg.value).into_iter().filter_map(|(name, trust)| Some((name, trust?)));
        if let Some(found) = by_parameter.max_by_key(|(_, confidence)| *confidence) {
            return Some(found);
        }
        let name = self.keyword(arg)?;
        let is_sure = self.words.naming(&name) == Some(Naming::Always);
        (is_sure || self.is_of_callable(args, &name)).then_some((name, Confidence::Medium))
    }

    fn keyword(&self, arg: Arg) -> Option<String> {
        match arg.kind {
            ArgKind::Named(name) => Some(self.facts.str(name).to_owned()),
            _ => None,
        }
    }

    /// The parameters that an argument becomes, each with how sure it is that it means the value.
    fn parameters(&self, call: ExprId, value: ExprId) -> Vec<(String, Option<Confidence>)> {
        let edges = self.program().edges_at(self.func, call).iter();
        let mut found = Vec::new();
        for edge in edges.filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(callee) = edge.to else { continue };
            if self.words.is_exempt_call(self.program().name(callee)) {
                continue;
            }
            for (passed, given) in self.program().arguments(edge) {
                if given == value
                    && let Some((name, trust)) = self.parameter(callee, passed)
                {
                    found.push((name, trust.map(|trust| trust.min(edge.confidence))));
                }
            }
        }
        found
    }

    fn parameter(&self, callee: Func, passed: Passed) -> Option<(String, Option<Confidence>)> {
        let program = self.program();
        let facts = program.facts(program.function(callee).file);
        let (name, slot) = match passed {
            Passed::Param(at) => {
                let name: Sym = facts.list(program.ir(callee).params).get(at as usize)?.name;
                (facts.str(name), program.parameter(callee, at))
            }
            Passed::KeywordRest(_, name) => (self.facts.str(name), None),
            _ => return None,
        };
        let trust = self.trust(name, || slot.is_some_and(|slot| self.decisions.variable_decides(slot)));
        Some((name.to_owned(), trust))
    }

    /// `partial(perform, phase="…")`: a parameter of the function that is handed over with it.
    fn is_of_callable(&self, args: &[Arg], name: &str) -> bool {
        let program = self.program();
        let Some(callable) = argument(self.facts, args, Some(0), None) else { return false };
        program.edges_at(self.func, callable).iter().any(|edge| {
            let Target::Project(callee) = edge.to else { return false };
            let facts = program.facts(program.function(callee).file);
            let mut params = facts.list(program.ir(callee).params).iter();
            let at = params.position(|param| facts.str(param.name) == name);
            let slot = at.and_then(|at| program.parameter(callee, at as u32));
            self.words.naming(name).is_some()
                && slot.is_some_and(|slot| self.decisions.variable_decides(slot))
        })
    }

    /// An object that says which operation it declares carries the value it is meant for.
    fn declares(&self, called: &str, args: &[Arg]) -> bool {
        let makes_object = called.trim_start_matches('_').starts_with(char::is_uppercase);
        makes_object
            && args.iter().any(
                |arg| matches!(arg.kind, ArgKind::Named(name) if self.words.declares(self.facts.str(name))),
            )
    }
}
