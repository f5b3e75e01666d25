//! Calls of what is not in the tree, and of classes: the few shapes that are known of their results.

use std::sync::Arc;

use super::calls::Found;
use super::known::Known;
use super::state::State;
use super::walk::{Walk, product};
use crate::analysis::gates::spelled;
use crate::analysis::implicit::{self, methods};
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Operator, Sym};
use crate::link::{Cls, Func};

fn begins_or_ends(test: DataOp, text: &Value, part: &Value) -> Option<bool> {
    let [Outcome { shape: text, .. }] = text.outcomes() else { return None };
    let [Outcome { shape: Shape::Text(part), .. }] = part.outcomes() else { return None };
    match text {
        Shape::Text(text) if test == DataOp::StartsWith => Some(text.starts_with(&**part)),
        Shape::Text(text) => Some(text.ends_with(&**part)),
        Shape::Begins(start) if test == DataOp::StartsWith => match start.len() < part.len() {
            true => (!part.starts_with(&**start)).then_some(false),
            false => Some(start.starts_with(&**part)),
        },
        _ => None,
    }
}

impl<'a> Walk<'_, 'a> {
    /// An object of a class without a constructor of its own, with the fields it is given.
    pub fn constructed(&mut self, call: ExprId, list: &[Arg], args: &[Value], target: Func) -> Option<Value> {
        implicit::runs(self.known.program, target, &[Operator::Construct]).then_some(())?;
        self.object(call, list, args)
    }

    /// `Verdict(allowed=False, reason="…")`.
    fn object(&mut self, call: ExprId, list: &[Arg], args: &[Value]) -> Option<Value> {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return None };
        let program = self.known.program;
        let class = program.class_named(self.func, callee)?;
        let names = self.known.parts_of_object(class);
        let class: Option<Arc<str>> = Some(program.class_name(class).into());
        let mut objects = vec![Outcome { shape: Shape::record(class, Vec::new()), gates: Gates::NONE }];
        let mut positions = names.iter();
        for (arg, value) in list.iter().zip(args) {
            let name: Arc<str> = match arg.kind {
                ArgKind::Named(name) => self.facts.str(name).into(),
                ArgKind::Positional => positions.next()?.clone(),
                ArgKind::Spread | ArgKind::SpreadNamed => return None,
            };
            let value = self.folded(arg.value, value);
            objects = product(&objects, &value, |shape, field| match shape {
                Shape::Record { class, mut fields } => {
                    fields.push((name.clone(), field));
                    // In the order in which a named tuple is taken apart.
                    fields.sort_by_key(|(name, _)| names.iter().position(|known| known == name));
                    Shape::record(class, fields)
                }
                other => other,
            });
        }
        Some(Value::of(objects))
    }

    /// What is not in the tree: a few shapes are known.
    pub(super) fn library(
        &mut self,
        state: &State,
        call: ExprId,
        callee_value: &Value,
        (list, args): (&[Arg], &[Value]),
    ) -> Found {
        let facts = self.facts;
        let Expr::Call { callee, .. } = *facts.expr(call) else { return Found::unknown(Value::unknown()) };
        if let Some(record) = self.object(call, list, args) {
            return Found::unknown(record);
        }
        if let Some(truth) = self.decided(call) {
            return Found::unknown(Value::known(Shape::Bool(truth)));
        }
        if let Some(read) = self.fallback(state, call, list, args) {
            return Found::unknown(read);
        }
        match *facts.expr(callee) {
            // `operation.startswith("comm.")`
            Expr::Field { base, name }
                if list.len() == 1
                    && let Some(test @ (DataOp::StartsWith | DataOp::EndsWith)) = self.method(name) =>
            {
                let text = self.peek(state, base).unwrap_or_else(Value::unknown);
                let part = self.folded(list[0].value, &args[0]);
                let known = begins_or_ends(test, &text, &part);
                Found::unknown(
                    known.map_or_else(|| self.result(call), |known| Value::known(Shape::Bool(known))),
                )
            }
            // `phase.strip().lower()`
            Expr::Field { name, .. } if list.is_empty() && self.known.is_same_word(facts.str(name)) => {
                Found::unknown(callee_value.clone())
            }
            Expr::Free(name) if list.len() == 1 && self.known.is_same_word(facts.str(name)) => {
                Found::unknown(args[0].clone())
            }
            _ => {
                let read = self.text(call, callee_value, list, args);
                Found::unknown(read.unwrap_or_else(|| self.result(call)))
            }
        }
    }

    /// What a method does, whatever the language calls it.
    fn method(&self, name: Sym) -> Option<DataOp> {
        self.known.catalog.operations.of_method(self.facts.lang, self.facts.str(name))
    }

    /// `context.get("execution_phase", "planning")`.
    fn fallback(&mut self, state: &State, call: ExprId, list: &[Arg], args: &[Value]) -> Option<Value> {
        let name = spelled(self.known.program, self.func, call)?;
        let fallback = self.known.catalog.fallbacks.iter().find(|fallback| fallback.matches(&name))?;
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return None };
        let asked = self.folded(list.get(fallback.key)?.value, args.get(fallback.key)?);
        let in_table = match *self.facts.expr(callee) {
            Expr::Field { base, .. } => {
                let default = list.get(fallback.default).zip(args.get(fallback.default));
                let default = default
                    .map_or_else(|| Value::known(Shape::None), |(arg, value)| self.folded(arg.value, value));
                self.looked_up(base, &asked, Some(&default))
            }
            _ => None,
        };
        let Shape::Text(key) = &asked.outcomes().first()?.shape else { return in_table };
        if in_table.is_some() {
            return in_table;
        }
        let of = match (*self.facts.expr(callee), fallback.key) {
            (Expr::Field { base, .. }, 0) => self.peek(state, base)?,
            (_, at) => args.get(at.checked_sub(1)?)?.clone(),
        };
        let read = self.read(state, &of, key);
        Some(match list.get(fallback.default) {
            Some(default) => read.or(&self.folded(default.value, &args[fallback.default])),
            None => read,
        })
    }

    /// The value of something that has just been evaluated, without evaluating it again.
    pub fn peek(&mut self, state: &State, expr: ExprId) -> Option<Value> {
        let place = self.place(expr)?;
        Some(state.get(place))
    }
}

impl Known<'_, '_> {
    /// The attributes that an object is made of, in the order of its constructor: what that keeps of each parameter.
    pub fn parts_of_object(&self, class: Cls) -> Vec<Arc<str>> {
        let Some(made) = methods(self.program, class, &[Operator::Construct]).next() else {
            return self.fields(class);
        };
        let facts = self.program.facts(self.program.function(made).file);
        let kept_as = |param: usize| {
            let is_param = |value: ExprId| {
                matches!(*facts.expr(value), Expr::Var(var) if self.program.parameter_of(self.program.slot_of(made, var))
                    == Some((made, param as u32)))
            };
            self.program.ir(made).exprs.iter().find_map(|expr| match *facts.expr(expr) {
                Expr::Store { place, value: Some(value), .. } if is_param(value) => {
                    match *facts.expr(place) {
                        Expr::Field { name, .. } => Some(facts.str(name)),
                        _ => None,
                    }
                }
                _ => None,
            })
        };
        let params = facts.list(self.program.ir(made).params).iter().enumerate().skip(1);
        params.map(|(at, param)| kept_as(at).unwrap_or(facts.str(param.name)).into()).collect()
    }
}
