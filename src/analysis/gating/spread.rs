//! Arguments that are spread: `check(*given)`, `check(**given)`. What the parameters get of a sequence or a mapping whose parts
//! are known is those parts, and of another one a part of it.

use std::sync::Arc;

use super::summary::Given;
use super::walk::Walk;
use crate::analysis::outcomes::{Outcome, Shape, Value};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, ParamKind};
use crate::link::{Func, Passed};

impl Walk<'_, '_> {
    /// What is spread, with the parts of a constant.
    pub(super) fn spread_out(&self, arg: &Arg, value: &Value) -> Value {
        let is_known = |outcome: &Outcome| matches!(outcome.shape, Shape::Seq(_) | Shape::Record { .. });
        let is_spread = matches!(arg.kind, ArgKind::Spread | ArgKind::SpreadNamed);
        if !is_spread || value.outcomes().iter().all(is_known) {
            return value.clone();
        }
        self.constant_parts(arg.value).map_or_else(|| value.clone(), Value::known)
    }

    /// The parts of a constant sequence or mapping.
    fn constant_parts(&self, expr: ExprId) -> Option<Shape> {
        let program = self.known.program;
        let (owner, bound) = program.bound(self.func, expr);
        if (owner, bound) == (self.func, expr) || program.is_altered(self.func, expr) {
            return None;
        }
        let facts = program.facts(program.function(owner).file);
        let part =
            |expr| program.text(owner, expr).map_or(Shape::Unknown(None), |text| Shape::Text(text.into()));
        match *facts.expr(bound) {
            Expr::Seq(items) => Some(Shape::Seq(facts.list(items).iter().map(|&item| part(item)).collect())),
            Expr::Record(entries) => {
                let entries = facts.list(entries).iter().filter_map(|entry| match entry.key {
                    EntryKey::Expr(key) => Some((program.text(owner, key)?.into(), part(entry.value))),
                    EntryKey::Spread => None,
                });
                Some(Shape::Record { class: None, fields: entries.collect() })
            }
            _ => None,
        }
    }

    /// What the parameters of a callee get of what a call spreads.
    pub(super) fn spread(
        &mut self,
        pairs: &[(Passed, ExprId)],
        (list, args): (&[Arg], &[Value]),
        target: Func,
        given: &mut Vec<(u32, Given)>,
    ) {
        let program = self.known.program;
        let facts = program.facts(program.function(target).file);
        let params = facts.list(program.ir(target).params);
        for &(passed, expr) in pairs {
            let Some(at) = list.iter().position(|arg| arg.value == expr) else { continue };
            let value = match passed {
                Passed::SpreadFrom(_) | Passed::SpreadNamed => self.spread_out(&list[at], &args[at]),
                _ => continue,
            };
            for (to, param) in (0..).zip(params) {
                let is_given = given.iter().any(|&(known, _)| known == to);
                let is_one = !matches!(param.kind, ParamKind::Rest | ParamKind::KeywordRest);
                let place = match passed {
                    Passed::SpreadFrom(from) => to.checked_sub(from).map(|nth| Place::At(nth as usize)),
                    _ => Some(Place::Named(facts.str(param.name))),
                };
                if let Some(place) = place.filter(|_| is_one && !is_given) {
                    let part = self.part_of(&value, place);
                    given.extend(part.map(|part| (to, self.gives(&part))));
                }
            }
        }
    }

    fn part_of(&mut self, whole: &Value, place: Place<'_>) -> Option<Value> {
        let mut found = Vec::new();
        for Outcome { shape, gates } in whole.outcomes() {
            let part = match (shape.subject(), place) {
                (Some(of), Place::At(at)) => Shape::Unknown(self.subjects.part(of, &at.to_string())),
                (Some(of), Place::Named(name)) => Shape::Unknown(self.subjects.part(of, name)),
                (None, Place::At(at)) => shape.item(at)?.clone(),
                (None, Place::Named(name)) => shape.field(name)?.clone(),
            };
            found.push(Outcome { shape: part, gates: *gates });
        }
        Some(Value::of(found))
    }
}

/// Where a part stands in what is spread.
#[derive(Clone, Copy)]
enum Place<'p> {
    At(usize),
    Named(&'p str),
}

impl Shape {
    /// One of these stands in it.
    pub(super) fn holds(&self, is_one: &impl Fn(&Arc<str>) -> bool) -> bool {
        match self {
            Shape::Text(text) => is_one(text),
            Shape::Seq(items) => items.iter().any(|item| item.holds(is_one)),
            Shape::Record { fields, .. } => fields.iter().any(|(_, field)| field.holds(is_one)),
            _ => false,
        }
    }
}
