//! Copies that leave a key out: a comprehension or a loop that runs through the keys of a mapping and copies all but some.

use super::super::values::Values;
use super::{Finder, How, Subject};
use crate::catalog::DataOp::{self, Copy, Entries, Keys};
use crate::ir::{EntryKey, Expr, ExprId, IfArm, Jump, Op, Pat, PatId, Span, VarId};
use crate::link::Func;

/// Which keys a test tells from the others, and the variable that it looks at.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub var: VarId,
    pub keys: Vec<String>,
}

impl Finder<'_, '_, '_> {
    /// `map.retain(|key, _| key != "…")`, `map.into_iter().filter(|(key, _)| key != "…")`.
    pub(super) fn retained(&mut self, receiver: ExprId, method: DataOp, closure: ExprId, span: Span) {
        let Expr::Closure(test) = *self.facts.expr(closure) else { return };
        let params = self.facts.list(self.facts.function(test).params);
        let takes_entry = |pat: PatId| matches!(self.facts.pat(pat), Pat::Seq { .. });
        if method == DataOp::Filter && !params.first().is_some_and(|param| takes_entry(param.pat)) {
            return;
        }
        let program = self.values.program;

        let left_out: Vec<String> =
            program.returns(test).flat_map(|value| left_out(self.values, test, value)).collect();
        for key in left_out.into_iter().filter(|key| self.keys.contains(key)) {
            self.lose(How::Filter, key, Subject::Mapping(receiver), span);
        }
    }

    /// `if k != "key": copy k`, `if k == "key": continue` before a copy, and the same the other way round.
    pub(super) fn filter(&mut self, arms: &[IfArm], otherwise: Option<ExprId>) {
        let Some(first) = arms.first() else { return };
        // Most tests are of something else, and what a key can be is dear to find out.
        if !self.values.tests_loop_variable(self.func, first.test) {
            return;
        }
        let mut found = Vec::new();
        for told in self.told(first.test, false) {
            found.extend(self.copies(first.body, told.var).then_some(told));
        }
        for told in self.told(first.test, true) {
            let goes_on = self.goes_on(first.body);
            let copies_else = || otherwise.is_some_and(|other| self.copies(other, told.var));
            let copied = match goes_on {
                true => self.loop_body(told.var).is_some_and(|body| self.copies(body, told.var)),
                false => !self.copies(first.body, told.var) && copies_else(),
            };
            found.extend(copied.then_some(told));
        }
        let span = self.facts.span(first.test);
        for told in found {
            let Some(mapping) = self.mapping(told.var) else { continue };
            for key in told.keys {
                self.lose(How::Filter, key, Subject::Mapping(mapping), span);
            }
        }
    }

    /// The keys that make the test true (`is`), or false.
    fn told(&self, test: ExprId, is: bool) -> Vec<Told> {
        let facts = self.facts;
        match *facts.expr(test) {
            Expr::Not(inner) => self.told(inner, !is),
            Expr::All(parts) if !is => facts.list(parts).iter().flat_map(|&p| self.told(p, is)).collect(),
            Expr::Any(parts) if is => facts.list(parts).iter().flat_map(|&p| self.told(p, is)).collect(),
            Expr::Op { op, args } => {
                let fits = if is { [Op::Eq, Op::In] } else { [Op::Ne, Op::NotIn] };
                let [left, right] = *facts.list(args) else { return Vec::new() };
                if op == fits[0] {
                    let sides = [(left, right), (right, left)];
                    return sides
                        .into_iter()
                        .filter_map(|(var, key)| self.tells(var, self.known(key)))
                        .collect();
                }
                if op != fits[1] {
                    return Vec::new();
                }
                let keys = self.values.elements(self.func, right);
                let keys = keys.iter().filter(|key| self.keys.contains(key)).cloned().collect();
                self.tells(left, keys).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn tells(&self, expr: ExprId, keys: Vec<String>) -> Option<Told> {
        match *self.facts.expr(expr) {
            Expr::Var(var) if !keys.is_empty() => Some(Told { var, keys }),
            _ => None,
        }
    }

    /// True for a body that leaves the key alone and takes the next.
    fn goes_on(&self, body: ExprId) -> bool {
        match *self.facts.expr(body) {
            Expr::Jump { kind: Jump::Continue(_), .. } => true,
            Expr::Block(list) => self.facts.list(list).last().is_some_and(|&last| self.goes_on(last)),
            _ => false,
        }
    }

    /// True if something below gets an entry under the key in `var`.
    fn copies(&self, body: ExprId, var: VarId) -> bool {
        self.copied.of((body, var), || self.finds_copy(body, var))
    }

    fn finds_copy(&self, body: ExprId, var: VarId) -> bool {
        let facts = self.facts;
        let is_var = |expr: ExprId| *facts.expr(expr) == Expr::Var(var);
        self.values.below(self.func, body).into_iter().any(|id| match *facts.expr(id) {
            Expr::Record(entries) => facts.list(entries).iter().any(|entry| match entry.key {
                EntryKey::Expr(key) => is_var(key),
                EntryKey::Spread => false,
            }),
            // `dict((k, v) for k, v in …)`
            Expr::Seq(items) => matches!(*facts.list(items), [key, _] if is_var(key)),
            Expr::Store { place, value: Some(_), .. } => match *facts.expr(place) {
                Expr::Index { base, key } => is_var(key) && !self.is_source(base, var),
                _ => false,
            },
            _ => false,
        })
    }

    /// An entry that is put back where it came from is no copy.
    fn is_source(&self, place: ExprId, var: VarId) -> bool {
        let root = |expr| self.values.root(self.func, expr);
        self.mapping(var).is_some_and(|mapping| root(place).is_some() && root(place) == root(mapping))
    }

    fn loop_body(&self, var: VarId) -> Option<ExprId> {
        let definitions = self.values.definitions(self.func);
        let of_loop = definitions.of(var).iter().find_map(|definition| definition.of_loop)?;
        match *self.facts.expr(of_loop) {
            Expr::Loop(at) => Some(self.facts.arenas.loop_at(at).body),
            _ => None,
        }
    }

    /// The mapping whose keys `var` runs through, without `.items()` and the like.
    fn mapping(&self, var: VarId) -> Option<ExprId> {
        let definitions = self.values.definitions(self.func);
        let mut source = definitions.of(var).iter().find(|definition| definition.of_loop.is_some())?.value;
        for _ in 0..4 {
            let Expr::Call { args, .. } = *self.facts.expr(source) else { break };
            let method = self.values.method(self.func, source);
            match (method, self.facts.list(args)) {
                (Some(method), _) if matches!(method.does, Some(Entries | Keys | Copy)) => {
                    source = method.receiver;
                }
                (None, [only]) => source = only.value,
                _ => break,
            }
        }
        Some(source)
    }
}

/// The texts for which a test of a parameter does not hold: those it compares with, all of them together.
fn left_out(values: &Values<'_, '_>, test: Func, value: ExprId) -> Vec<String> {
    let facts = values.facts(test);
    let compared = |args: &[ExprId]| -> Vec<String> {
        args.iter().flat_map(|&arg| values.texts(test, arg).to_vec()).collect()
    };
    match *facts.expr(value) {
        Expr::Op { op: Op::Ne, args } => compared(facts.list(args)),
        Expr::All(parts) => facts.list(parts).iter().flat_map(|&part| left_out(values, test, part)).collect(),
        Expr::Not(inner) => match *facts.expr(inner) {
            Expr::Op { op: Op::Eq, args } => compared(facts.list(args)),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
