//! Tests: what a comparison or a pattern says of a value, and where it asks for the phase.

use super::walk::{Walk, literal};
use crate::analysis::decided::decided;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::ir::{Expr, ExprId, Op, Pat, PatId};

impl Walk<'_, '_> {
    /// Whether a test is true whatever it is given.
    pub fn decided(&self, test: ExprId) -> Option<bool> {
        decided(self.known.program, self.known.catalog, self.func, test)
    }

    /// `all([phase == "execution"])`, `any((a, b))`: a test of several parts.
    pub fn of_parts(&self, every: bool, parts: &Value) -> Option<Value> {
        let mut found = Vec::new();
        for Outcome { shape, gates } in parts.outcomes() {
            let Shape::Seq(items) = shape else { return None };
            let truths: Vec<_> = items.iter().map(Shape::truth).collect();
            let truth = match () {
                () if truths.contains(&Some(!every)) => Some(!every),
                () if truths.contains(&None) => None,
                () => Some(every),
            };
            found.extend(answers(truth, *gates, (Gates::NONE, Gates::NONE)));
        }
        Some(Value::of(found))
    }

    pub fn operator(&mut self, op: Op, args: &[ExprId], parts: &[Value]) -> Value {
        let (&[left, right], [a, b]) = (args, parts) else { return Value::unknown() };
        match op {
            Op::Eq | Op::Is => self.equal(left, a, right, b),
            Op::Ne | Op::IsNot => self.equal(left, a, right, b).negated(),
            Op::In => self.is_in(a, right, b),
            Op::NotIn => self.is_in(a, right, b).negated(),
            _ => Value::unknown(),
        }
    }

    fn equal(&mut self, left: ExprId, a: &Value, right: ExprId, b: &Value) -> Value {
        let (a, b) = (self.folded(left, a), self.folded(right, b));
        let mut found = Vec::new();
        for x in a.outcomes() {
            for y in b.outcomes() {
                let gates = x.gates.with(y.gates);
                let asked = match self.known.judges_actions() {
                    true => self.said((left, &x.shape), (right, &y.shape)),
                    false => (self.asked(&x.shape, &y.shape), Gates::NONE),
                };
                found.extend(answers(x.shape.equals(&y.shape), gates, asked));
            }
        }
        Value::of(found)
    }

    /// What is passed where these two are equal: one is the word that opens the gate.
    fn asked(&mut self, a: &Shape, b: &Shape) -> Gates {
        let (a, b) = (a.only_part(), b.only_part());
        match (a.subject(), b, b.subject(), a) {
            (Some(of), Shape::Text(word), ..) | (.., Some(of), Shape::Text(word))
                if self.known.is_open(word) =>
            {
                self.atom(of)
            }
            _ => Gates::NONE,
        }
    }

    /// `value in ("execution",)`: asks for the phase if nothing else is let in.
    fn is_in(&mut self, value: &Value, set: ExprId, members: &Value) -> Value {
        let program = self.known.program;
        let known: Option<Vec<Shape>> = match members.outcomes() {
            [Outcome { shape: Shape::Seq(items), .. }] if !program.is_altered(self.func, set) => {
                Some(items.clone())
            }
            _ => program
                .all_members(self.func, set)
                .filter(|texts| !texts.is_empty())
                .map(|texts| texts.iter().map(|text| Shape::Text(text.as_str().into())).collect()),
        };
        let Some(items) = known else { return Value::unknown() };
        let only_open =
            items.iter().all(|item| matches!(item, Shape::Text(word) if self.known.is_open(word)));
        let mut found = Vec::new();
        for outcome in value.outcomes() {
            let equal: Vec<_> = items.iter().map(|item| outcome.shape.equals(item)).collect();
            let is_in = match () {
                () if equal.contains(&Some(true)) => Some(true),
                () if equal.contains(&None) => None,
                () => Some(false),
            };
            let asked = match outcome.shape.subject() {
                _ if self.known.judges_actions() => self.said_of(&outcome.shape, &items),
                Some(of) if only_open => (self.atom(of), Gates::NONE),
                _ => (Gates::NONE, Gates::NONE),
            };
            found.extend(answers(is_in, outcome.gates, asked));
        }
        Value::of(found)
    }

    /// The part of a value that fits a pattern, and the part that does not.
    pub fn split(&mut self, value: &Value, pat: PatId) -> (Value, Value) {
        let (mut hit, mut left) = (Vec::new(), Vec::new());
        for outcome in value.outcomes() {
            let (fits, asked) = self.fits(&outcome.shape, pat);
            let (said, otherwise) = self.said_by(&outcome.shape, pat);
            if fits != Some(false) {
                let gates = outcome.gates.with(asked).with(said);
                hit.push(Outcome { shape: outcome.shape.clone(), gates });
            }
            if fits != Some(true) {
                let gates = outcome.gates.with(otherwise);
                left.push(Outcome { shape: outcome.shape.clone(), gates });
            }
        }
        (Value::of(hit), Value::of(left))
    }

    /// Whether a value of this shape fits, and what it has passed if it does.
    fn fits(&mut self, shape: &Shape, pat: PatId) -> (Option<bool>, Gates) {
        let facts = self.facts;
        if let Some(found) = self.fits_variant(shape, pat) {
            return found;
        }
        match *facts.pat(pat) {
            Pat::Wild | Pat::Var(_) => (Some(true), Gates::NONE),
            Pat::As { pat, .. } => self.fits(shape, pat),
            Pat::Value(constant) => {
                let known = match *facts.expr(constant) {
                    Expr::Lit(lit) => literal(facts, lit),
                    Expr::Free(_) if self.named_value(constant).is_some() => {
                        self.named_value(constant).unwrap_or(Shape::Unknown(None))
                    }
                    _ => self.known.constant(self.func, constant).map_or(Shape::Unknown(None), Shape::Text),
                };
                let asked = self.asked(shape, &known);
                (shape.is_variant(&known).or_else(|| shape.equals(&known)), asked)
            }
            Pat::Or(pats) => {
                let all: Vec<_> = facts.list(pats).iter().map(|&pat| self.fits(shape, pat)).collect();
                let fits = match () {
                    () if all.iter().any(|(fits, _)| *fits == Some(true)) => Some(true),
                    () if all.iter().all(|(fits, _)| *fits == Some(false)) => Some(false),
                    () => None,
                };
                let open = all.iter().filter(|(fits, _)| *fits != Some(false));
                (fits, open.map(|&(_, asked)| asked).reduce(Gates::common).unwrap_or(Gates::NONE))
            }
            Pat::Seq { items, rest: None } => {
                let Shape::Seq(parts) = shape else { return (known_other(shape), Gates::NONE) };
                let items = facts.list(items);
                if items.len() != parts.len() {
                    return (Some(false), Gates::NONE);
                }
                let pairs = parts.iter().zip(items).map(|(part, &item)| (Some(part), item));
                self.all_fit(pairs.collect())
            }
            Pat::Record { items, .. } | Pat::Ctor { named: items, .. } => {
                if !matches!(shape, Shape::Record { .. }) && !shape.is_unknown() {
                    return (Some(false), Gates::NONE);
                }
                let fields = facts.list(items).iter();
                let pairs = fields.map(|field| (shape.field(facts.str(field.name)), field.pat)).collect();
                let (fits, asked) = self.all_fit(pairs);
                // Its class, or a key more, may be another one.
                (fits.filter(|fits| !fits), asked)
            }
            _ => (None, Gates::NONE),
        }
    }

    pub(super) fn all_fit(&mut self, parts: Vec<(Option<&Shape>, PatId)>) -> (Option<bool>, Gates) {
        let mut all = (Some(true), Gates::NONE);
        for (part, pat) in parts {
            let (fits, asked) = self.fits(part.unwrap_or(&Shape::Unknown(None)), pat);
            all.1 = all.1.with(asked);
            all.0 = match (all.0, fits) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        all
    }
}

fn known_other(shape: &Shape) -> Option<bool> {
    (!shape.is_unknown()).then_some(false)
}

/// The truths a test may come out as. What `asked` has first has been passed where it comes out true, the other where not.
fn answers(known: Option<bool>, gates: Gates, (asked, otherwise): (Gates, Gates)) -> Vec<Outcome> {
    let answer = |truth: bool, gates| Outcome { shape: Shape::Bool(truth), gates };
    match known {
        Some(true) => vec![answer(true, gates.with(asked))],
        Some(false) => vec![answer(false, gates.with(otherwise))],
        None => vec![answer(true, gates.with(asked)), answer(false, gates.with(otherwise))],
    }
}
