//! Results and options: values that say whether all went well, in languages that have them. They hold only where somebody looks:
//! `?`, a match, `unwrap`. Who turns a refusal into something else and goes on has taken it.

use std::sync::Arc;

use super::calls::Found;
use super::state::State;
use super::tables::kept;
use super::thrown::Gate;
use super::walk::Walk;
use crate::analysis::outcomes::{ABSENT, DONE, FAILED, Gates, Outcome, PRESENT, Shape, Value};
use crate::catalog::Wrappers;
use crate::ir::{Expr, ExprId, ListOf, Pat, PatId};

/// The field in which a variant keeps the only thing that it holds.
const HELD: &str = "0";
impl Shape {
    /// A variant that holds one value; what is wrong is one thing, whatever is said of it.
    pub(super) fn variant(name: &str, held: Option<Shape>) -> Self {
        let fields = held.into_iter().map(|held| (Arc::from(HELD), held));
        Shape::record(Some(name.into()), fields.collect())
    }

    fn held(&self) -> Shape {
        self.field(HELD).cloned().unwrap_or(Shape::Unknown(None))
    }
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn has_results(&self) -> bool {
        self.facts.profile().has_results
    }

    fn words(&self) -> &Wrappers {
        &self.known.catalog.wrappers
    }

    /// The value that a method of the language's own types is called on takes the place of its name: what the method makes
    /// of it is for `of_language` to say.
    pub(super) fn is_called_on(&self, field: ExprId, name: &str) -> bool {
        self.has_results() && self.callees.contains(&field) && self.words().says_of_results(name)
    }

    /// A name that stands for a value by itself: a variant that holds nothing.
    pub(super) fn named_value(&self, expr: ExprId) -> Option<Shape> {
        if !self.has_results() && !self.known.judges_actions() {
            return None;
        }
        let parts = |class| self.known.parts_of_object(class);
        let elsewhere =
            || self.known.judges_actions().then(|| kept(self.known.program, &parts, self.func, expr))?;
        match *self.facts.expr(expr) {
            Expr::Free(name) if self.has_results() && self.facts.str(name) == ABSENT => {
                Some(Shape::variant(ABSENT, None))
            }
            Expr::Free(_) => elsewhere(),
            Expr::Field { .. } => self.known.constant(self.func, expr).map(Shape::Text).or_else(elsewhere),
            _ => None,
        }
    }

    /// What the language's own functions and methods make of results.
    pub(super) fn of_language(
        &mut self,
        call: ExprId,
        callee: &Value,
        args: &[Value],
        state: &mut State,
    ) -> Option<Found> {
        let Expr::Call { callee: called, args: list, .. } = *self.facts.expr(call) else { return None };
        if !self.has_results() {
            return None;
        }
        if let Some(path) = self.known.program.library_path(self.func, called) {
            let last = path.rsplit('.').next().unwrap_or(path);
            match last {
                DONE | PRESENT => {
                    let given = self.facts.list(list).first().map(|arg| arg.value)?;
                    let held = self.folded(given, args.first()?);
                    return Some(Found::unknown(held.map(|held| Shape::variant(last, Some(held.clone())))));
                }
                FAILED => return Some(Found::unknown(Value::known(Shape::variant(FAILED, None)))),
                _ if self.words().hands_back(path) => return Some(Found::unknown(args.first()?.clone())),
                _ => {}
            }
        }
        let Expr::Field { name, .. } = *self.facts.expr(called) else { return None };
        let name = self.facts.str(name);
        if !self.is_called_on(called, name) {
            return None;
        }
        self.of_method(name, call, callee, args, state).map(Found::unknown)
    }

    fn of_method(
        &mut self,
        name: &str,
        call: ExprId,
        of: &Value,
        args: &[Value],
        state: &mut State,
    ) -> Option<Value> {
        let words = self.words();
        if words.unwraps.contains(name) {
            return Some(of.only(|shape| !shape.is_bad()).map(|shape| match shape.is_good() {
                true => shape.held(),
                false => shape.clone(),
            }));
        }
        if words.asks_good.contains(name) || words.asks_bad.contains(name) {
            let wanted = words.asks_good.contains(name);
            let truths = of.outcomes().iter().flat_map(|outcome| {
                let truth =
                    |truth: bool| Outcome { shape: Shape::Bool(truth == wanted), gates: outcome.gates };
                match (outcome.shape.is_good(), outcome.shape.is_bad()) {
                    (true, _) => vec![truth(true)],
                    (_, true) => vec![truth(false)],
                    _ => vec![truth(true), truth(false)],
                }
            });
            return Some(Value::of(truths.collect::<Vec<_>>()));
        }
        if words.drops.contains(name) || words.defaults.contains(name) {
            let (is_dropped, own) = (words.drops.contains(name), args.first().cloned());
            self.take(state, of, call);
            return Some(of.map(|shape| match (shape.is_good(), shape.is_bad()) {
                (true, _) if is_dropped => Shape::variant(PRESENT, Some(shape.held())),
                (_, true) if is_dropped => Shape::variant(ABSENT, None),
                (true, _) => shape.held(),
                (_, true) => match own.as_ref().map(Value::outcomes) {
                    Some([only]) => only.shape.clone(),
                    _ => Shape::Unknown(None),
                },
                _ => shape.clone(),
            }));
        }
        if words.demands.contains(name) {
            return Some(of.map(|shape| match (shape.is_good(), shape.is_bad()) {
                (true, _) => Shape::variant(DONE, Some(shape.held())),
                (_, true) => Shape::variant(FAILED, None),
                _ => shape.clone(),
            }));
        }
        if words.changes.contains(name) {
            return Some(of.map(|shape| match shape.class() {
                Some(good @ (DONE | PRESENT)) => Shape::variant(good, Some(Shape::Unknown(None))),
                _ => shape.clone(),
            }));
        }
        words.same.contains(name).then(|| of.clone())
    }

    /// A value of which the bad variants are as good as gone: whoever said no is not heard any more.
    fn take(&self, state: &mut State, value: &Value, by: ExprId) {
        let refused = value.outcomes().iter().any(|outcome| outcome.shape.is_bad());
        if let Some(gate) = self.asked_by(state, value).filter(|_| refused) {
            state.take(by, gate);
        }
    }

    /// The gate that the good variants have passed and the bad ones have not.
    fn asked_by(&self, state: &State, value: &Value) -> Option<Gate> {
        let good = value.only(Shape::is_good).least()?.without(state.passed);
        let bad = value.only(Shape::is_bad).least().unwrap_or(Gates::NONE);
        let asked = good.without(bad);
        match () {
            () if asked.has(Gates::ATTRIBUTED) => Some(Gate::Attribution),
            () if self.asks_for_phase(asked) => Some(Gate::Phase),
            () => None,
        }
    }

    /// An arm that only a refusal leads to takes it.
    pub(super) fn takes_refusal(
        &mut self,
        state: &mut State,
        (whole, left): (&Value, &Value),
        pat: PatId,
        body: ExprId,
    ) {
        if !self.has_results() || !whole.outcomes().iter().any(|outcome| outcome.shape.is_bad()) {
            return;
        }
        let (hit, _) = self.split(left, pat);
        if !hit.outcomes().is_empty() && hit.outcomes().iter().all(|outcome| outcome.shape.is_bad()) {
            self.take(state, whole, body);
        }
    }

    /// What a gate that is taken at its word hands back: it panics, or it hands back a result.
    pub(super) fn checked(&self, value: Value, hands_back_result: bool) -> Value {
        if !self.has_results() || !hands_back_result {
            return value;
        }
        let good = value.outcomes().iter().map(|outcome| Outcome {
            shape: Shape::variant(DONE, Some(outcome.shape.clone())),
            gates: outcome.gates,
        });
        let bad = Outcome { shape: Shape::variant(FAILED, None), gates: Gates::NONE };
        Value::of(good.chain([bad]).collect::<Vec<_>>())
    }

    /// Whether a value of this shape is the variant that a pattern names, and the parts to look into.
    pub(super) fn fits_variant(&mut self, shape: &Shape, pat: PatId) -> Option<(Option<bool>, Gates)> {
        let Pat::Ctor { path, items, named } = *self.facts.pat(pat) else { return None };
        if !self.has_results() {
            return None;
        }
        let name = self.last_name(path)?;
        let parts: Vec<(Option<Shape>, PatId)> = match shape {
            Shape::Record { class: Some(class), .. } if **class != *name => {
                return Some((Some(false), Gates::NONE));
            }
            Shape::Record { .. } => self.parts_of(shape, items, named),
            // Of what an unknown option holds, tests speak of the option itself.
            shape if shape.is_unknown() => {
                let is_bad = matches!(name, FAILED | ABSENT);
                let held = (!is_bad).then(|| Shape::Unknown(shape.subject()));
                let held = held.filter(|_| matches!(name, DONE | PRESENT));
                self.facts.list(items).iter().map(|&item| (held.clone(), item)).collect()
            }
            _ => return Some((Some(false), Gates::NONE)),
        };
        let parts = parts.iter().map(|(part, pat)| (part.as_ref(), *pat)).collect();
        let (fits, asked) = self.all_fit(parts);
        Some((fits.filter(|fits| !fits || !shape.is_unknown()), asked))
    }

    fn parts_of(
        &self,
        shape: &Shape,
        items: ListOf<PatId>,
        named: ListOf<crate::ir::PatField>,
    ) -> Vec<(Option<Shape>, PatId)> {
        let items = self.facts.list(items).iter().enumerate();
        let items = items.map(|(at, &item)| (shape.item(at).cloned(), item));
        let named = self.facts.list(named).iter();
        items
            .chain(named.map(|field| (shape.field(self.facts.str(field.name)).cloned(), field.pat)))
            .collect()
    }

    /// The parts of a variant become what the pattern calls them.
    pub(super) fn bind_variant(&mut self, state: &mut State, pat: PatId, value: &Value) -> bool {
        use crate::analysis::interp::Domain;
        let Pat::Ctor { path, items, named } = *self.facts.pat(pat) else { return false };
        let Some(name) = self.last_name(path).filter(|_| self.has_results()) else { return false };
        let fits = value.only(|shape| shape.class().is_none_or(|class| class == name));
        for (at, &item) in self.facts.list(items).iter().enumerate() {
            let part = fits.map(|shape| match shape {
                Shape::Unknown(subject) if matches!(name, DONE | PRESENT) => Shape::Unknown(*subject),
                shape => shape.item(at).cloned().unwrap_or(Shape::Unknown(None)),
            });
            self.bind(state, item, &part);
        }
        for field in self.facts.list(named) {
            let part = self.read(state, &fits, self.facts.str(field.name));
            self.bind(state, field.pat, &part);
        }
        true
    }

    fn last_name(&self, path: ExprId) -> Option<&'a str> {
        self.known.program.receiver_name(self.func, path).map(|known| known.name)
    }
}
