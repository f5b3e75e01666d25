//! Lists whose elements are known: written out, made of a text, mapped, turned around, collected by a loop.

use super::Folder;
use super::changes::{change, character, number_of, slice, split};
use super::operations::positional;
use crate::catalog::TextOp;
use crate::ir::{Arg, Expr, ExprId, FnKind, Lit, Op, Pat, VarId};
use crate::link::ids::Func;
use crate::link::values::{Item, Values};

/// Longer lists are tables, not names.
const MAX_ITEMS: usize = 1 << 12;

impl Folder<'_, '_> {
    /// The elements of a list, the characters of a text.
    pub(super) fn sequence(&self, func: Func, expr: ExprId, hops: u32) -> Option<Vec<Item>> {
        let hops = hops.checked_sub(1)?;
        self.spend()?;
        let facts = self.facts_of(func);
        let items = match *facts.expr(expr) {
            Expr::Seq(items) => {
                facts.list(items).iter().map(|&item| self.item(func, item, hops)).collect::<Option<Vec<_>>>()
            }
            Expr::Lit(Lit::Bytes(bytes)) => {
                Some(facts.str(bytes).chars().map(|byte| Item::Number(i64::from(u32::from(byte)))).collect())
            }
            Expr::Collect { body, item } => self.collected(func, body, item, hops),
            Expr::Call { callee, args, .. } => self.sequence_of_call(func, callee, facts.list(args), hops),
            Expr::Index { base, key } => match *facts.expr(key) {
                Expr::Op { op: Op::Slice, args } => {
                    let items = self.sequence(func, base, hops)?;
                    self.part(func, items, facts.list(args), hops)
                }
                _ => None,
            },
            Expr::Ascribe { value: Some(value), .. } => self.sequence(func, value, hops),
            Expr::Op { op, args } => self.sequence_of(func, op, facts.list(args), hops),
            Expr::Var(var) if self.bound(func, var).is_some() => None,
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) if self.is_grown(func, expr) => {
                self.filled_list(func, expr, hops)
            }
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) => {
                let found = self.definition(func, expr);
                found.and_then(|(func, value)| self.sequence(func, value, hops))
            }
            _ => None,
        };
        let items = items.or_else(|| {
            let text = self.value(func, expr, hops).only().filter(|known| known.whole)?.text;
            Some(text.chars().map(|c| Item::Text(c.to_string())).collect())
        });
        items.filter(|items| items.len() <= MAX_ITEMS)
    }

    fn sequence_of_call(&self, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Option<Vec<Item>> {
        let (op, receiver) = self.operation(func, callee)?;
        let mut operands = receiver.into_iter().chain(positional(args));
        let first = operands.next()?;
        match op {
            TextOp::Elements => self.sequence(func, first, hops),
            TextOp::Reversed => {
                let mut items = self.sequence(func, first, hops)?;
                items.reverse();
                Some(items)
            }
            TextOp::Mapped => {
                let items = self.sequence(func, operands.next()?, hops)?;
                items.into_iter().map(|item| self.applied(func, first, item, hops)).collect()
            }
            TextOp::Split => {
                let text = self.value(func, first, hops).only().filter(|known| known.whole)?.text;
                let separator = match operands.next() {
                    Some(separator) => Some(self.value(func, separator, hops).only()?.text),
                    None => None,
                };
                Some(split(&text, separator.as_deref()).into_iter().map(Item::Text).collect())
            }
            _ => None,
        }
    }

    /// What a function makes of one element: an operation, or a function that only returns something of its parameter.
    fn applied(&self, func: Func, function: ExprId, item: Item, hops: u32) -> Option<Item> {
        if let Some((op, None)) = self.operation(func, function) {
            return match (op, item) {
                (TextOp::Character, Item::Number(number)) => character(number).map(Item::Text),
                (TextOp::Same, item) => Some(item),
                (op, Item::Text(text)) => number_of(op, Item::Text(text.clone()), 10)
                    .map(Item::Number)
                    .or_else(|| change(op, &text, &[]).map(Item::Text)),
                _ => None,
            };
        }
        let Expr::Closure(closure) = *self.facts_of(func).expr(function) else { return None };
        let is_lambda = self.index.ir(closure).kind == FnKind::Lambda;
        let result = self.returns(closure).first().copied().filter(|_| is_lambda)?;
        self.with_bound(closure, VarId(0), item, || self.item(closure, result, hops))
    }

    /// `[chr(n) for n in numbers]`: one loop without a condition.
    fn collected(&self, func: Func, body: ExprId, item: ExprId, hops: u32) -> Option<Vec<Item>> {
        let facts = self.facts_of(func);
        let Expr::Block(statements) = *facts.expr(body) else { return None };
        let [only] = facts.list(statements) else { return None };
        let Expr::Loop(at) = *facts.expr(*only) else { return None };
        let found = facts.arenas.loop_at(at);
        let (pat, iterable) = found.each?;
        let Pat::Var(var) = *facts.pat(pat) else { return None };
        let is_plain = found.body == item
            || matches!(*facts.expr(found.body), Expr::Block(inner) if facts.list(inner) == [item]);
        let items = self.sequence(func, iterable, hops).filter(|_| is_plain)?;
        items
            .into_iter()
            .map(|each| self.with_bound(func, var, each, || self.item(func, item, hops)))
            .collect()
    }

    /// `text[1:5]`, `text[::-1]`, `text[3]`, `"a b".split()[1]`.
    pub(super) fn indexed(&self, func: Func, base: ExprId, key: ExprId, hops: u32) -> Option<Values> {
        let facts = self.facts_of(func);
        if let Expr::Op { op: Op::Slice, args } = *facts.expr(key) {
            if let [lo, hi, ..] = *facts.list(args)
                && matches!(facts.expr(lo), Expr::Lit(Lit::None | Lit::Int(0)))
                && *facts.expr(hi) == Expr::Lit(Lit::Int(0))
            {
                return Some(Values::text(""));
            }
            let text = self.value(func, base, hops).only().filter(|known| known.whole)?.text;
            let items = text.chars().map(|c| Item::Text(c.to_string())).collect();
            let part: Option<String> =
                self.part(func, items, facts.list(args), hops)?.into_iter().map(Item::text).collect();
            return Some(Values::text(&part?));
        }
        let at = self.number(func, key, hops)?;
        let items = self.sequence(func, base, hops)?;
        let at = if at < 0 { at + items.len() as i64 } else { at };
        let item = items.get(usize::try_from(at).ok()?)?.clone();
        item.text().map(|text| Values::text(&text))
    }

    fn part(&self, func: Func, items: Vec<Item>, bounds: &[ExprId], hops: u32) -> Option<Vec<Item>> {
        let facts = self.facts_of(func);
        let bound = |at: usize| match bounds.get(at).map(|&bound| (bound, *facts.expr(bound))) {
            None | Some((_, Expr::Lit(Lit::None))) => Some(None),
            Some((bound, _)) => self.number(func, bound, hops).map(Some),
        };
        let (lo, hi, step) = (bound(0)?, bound(1)?, bound(2)?.unwrap_or(1));
        Some(slice(items, lo, hi, step))
    }
}
