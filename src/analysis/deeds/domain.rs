//! What the events of a walk do to what is known: the domain of the path interpreter.

use std::collections::{BTreeMap, BTreeSet};

use super::worth::Worth;
use super::{Param, Walk};
use crate::analysis::exceptions::{Exception, class_of, handled, most, takes};
use crate::analysis::interp::{Caught, Domain, Entered, Exit, Rounds};
use crate::analysis::rounds::rounds;
use crate::ir::{Expr, ExprId, Lit, Op, Pat, PatId, VarId};

#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct State {
    pub is_live: bool,
    pub vars: BTreeMap<VarId, Worth>,
    /// What has run on every way.
    pub runs: BTreeSet<Param>,
}

/// What flies.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Thrown {
    /// The classes of what somebody raises.
    pub raised: Vec<Option<Exception>>,
    /// Something may go wrong that nobody wrote.
    pub is_implicit: bool,
}

impl Thrown {
    pub fn implicit() -> Self {
        Self { raised: Vec::new(), is_implicit: true }
    }
}

impl Domain for Walk<'_, '_, '_> {
    type State = State;
    type Value = Worth;
    type Thrown = Thrown;

    fn dead(&self) -> State {
        State::default()
    }

    fn is_live(&self, state: &State) -> bool {
        state.is_live
    }

    fn join(&mut self, into: &mut State, from: &State) {
        if !from.is_live {
            return;
        }
        if !into.is_live {
            *into = from.clone();
            return;
        }
        into.runs.retain(|param| from.runs.contains(param));
        for (var, &worth) in &from.vars {
            into.vars.entry(*var).and_modify(|known| *known = known.or(worth)).or_insert(worth);
        }
    }

    fn carried(&mut self, entry: &State, before: &State, after: &State) -> State {
        if !entry.is_live || !after.is_live {
            return self.dead();
        }
        let mut out = after.clone();
        out.runs.extend(entry.runs.iter().copied());
        for (var, worth) in &entry.vars {
            if after.vars.get(var) == before.vars.get(var) {
                out.vars.insert(*var, *worth);
            }
        }
        out
    }

    fn forget(&mut self, _state: &mut State) {}

    fn record(&mut self) {
        self.records = true;
        self.deed = super::Deed::default();
        self.left.clear();
    }

    fn nothing(&self) -> Worth {
        Worth::nothing()
    }

    fn merge(&mut self, ways: &[(&State, Worth)]) -> Worth {
        let live = ways.iter().filter(|(state, _)| state.is_live).map(|(_, worth)| *worth);
        live.reduce(Worth::or).unwrap_or_default()
    }

    fn value(&mut self, state: &mut State, expr: ExprId, parts: &[Worth]) -> Worth {
        let first = parts.first().copied().unwrap_or_default();
        match *self.facts.expr(expr) {
            Expr::Lit(Lit::None) => Worth::nothing(),
            Expr::Lit(Lit::Bool(value)) => Worth { says_no: !value, ..Worth::constant(value) },
            Expr::Lit(Lit::Int(value)) => Worth::constant(value != 0),
            Expr::Lit(Lit::Str(text)) => self.of_text(self.facts.str(text)),
            Expr::Lit(_) => Worth::default(),
            Expr::Var(var) => match state.vars.get(&var) {
                Some(worth) => Worth { root: worth.root.or(Some(var)), ..*worth },
                None => self.named(expr),
            },
            Expr::Free(_) => self.named(expr),
            Expr::Field { base, name } => match self.text(expr) {
                Some(text) if !first.is_given => self.of_text(&text),
                None if let Some(truth) = self.switched(expr) => Worth::constant(truth),
                _ => {
                    let part = self.part(first, Some(self.facts.str(name)));
                    Worth { root: first.root.or(self.root(state, base)), ..part }
                }
            },
            Expr::Index { .. } | Expr::Op { op: Op::Mul, .. } if let Some(text) = self.text(expr) => {
                self.of_text(&text)
            }
            Expr::Index { key, .. } => {
                let key = self.text(key);
                self.part(first, key.as_deref())
            }
            Expr::Record(entries) => self.record_of(self.facts.list(entries), parts),
            Expr::Seq(_) => Worth {
                truth: None,
                is_itself: false,
                is_blank: false,
                ..parts.iter().copied().reduce(Worth::and).unwrap_or_default()
            },
            Expr::Text(_) | Expr::Op { op: Op::Add | Op::Mod, .. } => Worth::joined(parts),
            Expr::Op { op: Op::BitOr, .. } => parts.iter().copied().reduce(Worth::and).unwrap_or_default(),
            Expr::Op { .. } => self.decided(expr).map(Worth::constant).unwrap_or_default(),
            Expr::Await(_) | Expr::Spread(_) | Expr::Ascribe { .. } => first,
            // Of what has no round nothing is collected.
            Expr::Collect { item, .. } if first == self.nothing() => {
                let is_empty = !matches!(self.facts.expr(item), Expr::Lit(_));
                Worth { truth: is_empty.then_some(false), ..Worth::default() }
            }
            Expr::Collect { .. } => Worth { truth: None, is_itself: false, is_blank: false, ..first },
            Expr::Opaque(_) => Worth { is_open: true, ..Worth::default() },
            _ => Worth::default(),
        }
    }

    fn value_when(&self, value: &Worth, holds: bool) -> Worth {
        match holds {
            true => Worth { may_be_blank: false, ..*value },
            false => value.or_nothing(),
        }
    }

    fn negated(&mut self, value: &Worth) -> Worth {
        Worth {
            truth: value.truth.map(|truth| !truth),
            says_no: value.truth == Some(true),
            ..Worth::default()
        }
    }

    fn call(&mut self, state: &mut State, call: ExprId, callee: &Worth, args: &[Worth]) -> (Worth, Thrown) {
        self.called(state, call, *callee, args)
    }

    fn thrown(
        &mut self,
        _state: &mut State,
        _raise: ExprId,
        value: Option<(ExprId, &Worth)>,
        handling: Option<(ExprId, &Thrown)>,
    ) -> Thrown {
        let raised = match (value, handling) {
            (Some((value, _)), _) => vec![class_of(self.program, self.func, value)],
            (None, Some((_, handling))) => return handling.clone(),
            (None, None) => vec![None],
        };
        Thrown { raised, is_implicit: false }
    }

    fn not_there(&self) -> Thrown {
        Thrown::implicit()
    }

    fn caught(&mut self, types: &[ExprId], thrown: &Thrown) -> Caught {
        if types.is_empty() {
            return Caught::Yes;
        }
        let classes = thrown.raised.iter().map(Option::as_ref).chain(thrown.is_implicit.then_some(None));
        if let Some(caught) = self.deeds.managers.caught(self.func, types, classes) {
            return caught;
        }
        let handlers = handled(self.program, self.func, types);
        let of = |class: &Option<Exception>| {
            let each = handlers
                .iter()
                .map(|handler| takes(self.program, self.catalog, handler.as_ref(), class.as_ref()));
            each.reduce(most).unwrap_or(Caught::No)
        };
        let implicit = thrown.is_implicit.then(|| of(&None));
        let all: Vec<Caught> = thrown.raised.iter().map(of).chain(implicit).collect();
        match () {
            () if all.iter().all(|caught| *caught == Caught::Yes) => Caught::Yes,
            () if all.iter().all(|caught| *caught == Caught::No) => Caught::No,
            () => Caught::Maybe,
        }
    }

    fn passed(&mut self, types: &[ExprId], thrown: &Thrown) -> Thrown {
        let flies = |class: &Option<Exception>, walk: &mut Self| {
            let one = Thrown { raised: vec![class.clone()], is_implicit: false };
            walk.caught(types, &one) != Caught::Yes
        };
        let raised = thrown.raised.iter().filter(|class| flies(class, self)).cloned().collect();
        Thrown { raised, is_implicit: thrown.is_implicit }
    }

    fn implicit(&self) -> Option<Thrown> {
        Some(Thrown::implicit())
    }

    fn handle(&mut self, _state: &mut State, _thrown: &Thrown, _handler: ExprId) {}

    fn either(&self, one: &Thrown, other: &Thrown) -> Thrown {
        let mut both = one.clone();
        let new = other.raised.iter().filter(|class| !one.raised.contains(class));
        both.raised.extend(new.cloned());
        Thrown { is_implicit: one.is_implicit || other.is_implicit, ..both }
    }

    fn entered(&mut self, _state: &mut State, context: ExprId, value: &Worth) -> Entered<Worth, Thrown> {
        let swallows = self.deeds.managers.swallowed(self.func, context);
        Entered { value: value.part(), swallows, thrown: None }
    }

    fn rounds(&self, iterable: ExprId, value: &Worth) -> Rounds {
        match value.truth {
            Some(false) => Rounds::None,
            _ => rounds(self.program, self.func, iterable),
        }
    }

    fn element(&mut self, value: &Worth) -> Worth {
        value.part()
    }

    fn bind(&mut self, state: &mut State, pat: PatId, value: &Worth) {
        match *self.facts.pat(pat) {
            Pat::Var(var) => {
                let root = value.root.filter(|root| *root != var);
                state.vars.insert(var, Worth { root, ..*value });
            }
            Pat::As { pat, var } => {
                self.bind(state, pat, value);
                state.vars.insert(var, *value);
            }
            Pat::Place(place) => self.stored(state, place, *value),
            Pat::Seq { items, .. } | Pat::Or(items) => {
                self.facts.list(items).iter().for_each(|&item| self.bind(state, item, &value.part()));
            }
            Pat::Ctor { items, named, .. } => {
                self.facts.list(items).iter().for_each(|&item| self.bind(state, item, &value.part()));
                self.facts.list(named).iter().for_each(|field| self.bind(state, field.pat, &value.part()));
            }
            Pat::Record { items, rest } => {
                self.facts.list(items).iter().for_each(|field| self.bind(state, field.pat, &value.part()));
                rest.into_iter().for_each(|pat| self.bind(state, pat, value));
            }
            Pat::Wild | Pat::Value(_) => {}
        }
    }

    fn store(&mut self, state: &mut State, place: ExprId, op: Option<Op>, value: Option<(ExprId, &Worth)>) {
        let Some((_, value)) = value else { return };
        match (op, *self.facts.expr(place)) {
            // `text += footer`
            (Some(_), Expr::Var(var)) => {
                let known = state.vars.get(&var).copied().unwrap_or_default();
                let parts = [known, *value];
                state.vars.insert(var, Worth { root: known.root, ..Worth::joined(&parts) });
            }
            _ => self.stored(state, place, *value),
        }
    }

    fn assume(&mut self, state: &mut State, value: &Worth, holds: bool) {
        if value.truth.is_some_and(|truth| truth != holds) {
            *state = self.dead();
        }
    }

    fn matched(&mut self, state: &State, value: &Worth, pat: PatId) -> (State, State, Worth) {
        let is_sure = matches!(self.facts.pat(pat), Pat::Wild | Pat::Var(_));
        let miss = if is_sure { self.dead() } else { state.clone() };
        (state.clone(), miss, *value)
    }

    fn exit(&mut self, state: &State, how: Exit<Thrown>, value: &Worth) {
        if !self.records || !state.is_live {
            return;
        }
        match how {
            Exit::Return(at) => {
                self.deed.returns.push((at, *value));
                let params = (0..).zip(self.facts.list(self.program.ir(self.func).params));
                let marked = params.filter_map(|(at, param)| match *self.facts.pat(param.pat) {
                    Pat::Var(var) => Some((at, state.vars.get(&var)?.marks)),
                    _ => None,
                });
                self.left.push((marked.collect(), state.runs.clone()));
            }
            Exit::Raise(thrown) => {
                let new = thrown.raised.into_iter().filter(|class| !self.deed.raises.contains(class));
                let new: Vec<_> = new.collect();
                self.deed.raises.extend(new);
            }
            Exit::Yield(_) => {}
        }
    }
}
