//! What operations of the catalogue make of texts, numbers and lists that are known: a name that is built of pieces, characters
//! or encoded bytes is the name. It knows no function by its name.

use super::Folder;
use super::changes::{arithmetic, character, known_change, number_of};
use crate::catalog::TextOp;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Lit, VarId};
use crate::link::ids::Func;
use crate::link::types::{Global, Type};
use crate::link::values::{Item, Known, Values};

impl<'a> Folder<'_, 'a> {
    /// What a variable is for the element at hand.
    pub(super) fn bound(&self, func: Func, var: VarId) -> Option<Item> {
        let bound = self.bound.borrow();
        bound
            .iter()
            .rev()
            .find(|(owner, name, _)| (*owner, *name) == (func, var))
            .map(|found| found.2.clone())
    }

    pub(super) fn with_all_bound<T>(
        &self,
        func: Func,
        items: Vec<(VarId, Item)>,
        then: impl FnOnce() -> T,
    ) -> T {
        let before = self.bound.borrow().len();
        self.bound.borrow_mut().extend(items.into_iter().map(|(var, item)| (func, var, item)));
        let made = then();
        self.bound.borrow_mut().truncate(before);
        made
    }

    pub(super) fn with_bound<T>(&self, func: Func, var: VarId, item: Item, then: impl FnOnce() -> T) -> T {
        self.bound.borrow_mut().push((func, var, item));
        let made = then();
        self.bound.borrow_mut().pop();
        made
    }

    /// `None` if the budget is used up.
    pub(super) fn spend(&self) -> Option<()> {
        self.items_left.set(self.items_left.get().checked_sub(1)?);
        Some(())
    }

    pub(super) fn facts_of(&self, func: Func) -> &'a Facts {
        self.index.units[self.index.file_of(func)].facts
    }

    /// The operation that a callee is, and whether it is called on its first operand.
    pub(super) fn operation(&self, func: Func, callee: ExprId) -> Option<(TextOp, Option<ExprId>)> {
        let externals = &self.index.externals;
        let ops = &externals.catalog().text_ops;
        if let [Type::External(path) | Type::Unbound(path)] = self.index.statics(func, callee)[..]
            && let Some(op) = ops.of_call(externals.text(path))
        {
            return Some((op, None));
        }
        let facts = self.facts_of(func);
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        Some((ops.of_method(facts.lang, facts.str(name))?, Some(base)))
    }

    /// The text that a call makes of others; `None` if the catalogue knows no operation by this callee.
    pub(super) fn operated(&self, func: Func, callee: ExprId, args: &[Arg], hops: u32) -> Option<Values> {
        let (op, receiver) = self.operation(func, callee)?;
        let mut operands = receiver.into_iter().chain(positional(args));
        let Some(first) = operands.next() else { return Some(Values::unknown()) };
        let rest: Vec<ExprId> = operands.collect();
        Some(match op {
            TextOp::Character => self.number(func, first, hops).map_or(Values::unknown(), |number| {
                character(number).map_or(Values::unknown(), |text| Values::text(&text))
            }),
            TextOp::Joined => self.joined(func, first, rest.first().copied(), hops),
            TextOp::Same if receiver.is_none() => {
                // `bytes([115, 121])`.
                let value = self.value(func, first, hops);
                if value.list.is_empty() { self.of_numbers(func, first, hops) } else { value }
            }
            TextOp::Mapped | TextOp::Reversed | TextOp::Elements | TextOp::Unordered | TextOp::Split => {
                Values::unknown()
            }
            TextOp::CodePoint | TextOp::Number | TextOp::Length | TextOp::Documentation => Values::unknown(),
            op => self.changed(func, op, first, &rest, hops),
        })
    }

    fn changed(&self, func: Func, op: TextOp, first: ExprId, rest: &[ExprId], hops: u32) -> Values {
        let rest = if takes_more(op) { rest } else { &[] };
        let given: Vec<Values> = rest.iter().map(|&arg| self.value(func, arg, hops)).collect();
        let given: Option<Vec<Known>> = given.into_iter().map(Values::only).collect();
        let text = self.value(func, first, hops);
        let Some(given) = given.filter(|given| given.iter().all(|known| known.whole)) else {
            // How bytes become text, and what is cut off at the ends, changes no letter that a name has.
            let keeps = matches!(op, TextOp::Decode | TextOp::Encode | TextOp::Trim | TextOp::TrimEnd);
            return if keeps { text } else { Values::unknown() };
        };
        let given: Vec<&str> = given.iter().map(|known| known.text.as_str()).collect();
        let op = match op {
            TextOp::Decode | TextOp::Encode => self.codec(op, &given),
            op => Some(op),
        };
        op.map_or(Values::unknown(), |op| text.filter_map(|known| known_change(op, known, &given)))
    }

    /// What the codec does that is named first; to encode by one is understood where that is the same as to decode.
    fn codec(&self, op: TextOp, given: &[&str]) -> Option<TextOp> {
        let Some(name) = given.first() else { return Some(TextOp::Same) };
        let codec = self.index.externals.catalog().text_ops.of_codec(name)?;
        let is_own_inverse = matches!(codec, TextOp::Same | TextOp::Rot13);
        (op == TextOp::Decode || is_own_inverse).then_some(codec)
    }

    fn joined(&self, func: Func, separator: ExprId, list: Option<ExprId>, hops: u32) -> Values {
        let (Some(list), Some(separator)) = (list, self.value(func, separator, hops).only()) else {
            return Values::unknown();
        };
        let known = self.joined_list(func, list, &separator.text, hops);
        let is_known = known.complete && known.list.iter().all(|known| known.whole) && !known.list.is_empty();
        if is_known {
            return known;
        }
        let items = self.sequence(func, list, hops);
        let texts: Option<Vec<String>> = items.and_then(|items| items.into_iter().map(Item::text).collect());
        texts.map_or(known, |texts| Values::text(&texts.join(&separator.text)))
    }

    fn of_numbers(&self, func: Func, list: ExprId, hops: u32) -> Values {
        let items = self.sequence(func, list, hops).unwrap_or_default();
        let text: Option<String> = items
            .into_iter()
            .map(|item| match item {
                Item::Number(number) => character(number),
                Item::Text(_) => None,
            })
            .collect();
        text.filter(|text| !text.is_empty()).map_or(Values::unknown(), |text| Values::text(&text))
    }

    /// A number that is known.
    pub(super) fn number(&self, func: Func, expr: ExprId, hops: u32) -> Option<i64> {
        let hops = hops.checked_sub(1)?;
        self.spend()?;
        let facts = self.facts_of(func);
        let each = |parts: &[ExprId]| -> Option<Vec<i64>> {
            parts.iter().map(|&part| self.number(func, part, hops)).collect()
        };
        match *facts.expr(expr) {
            Expr::Lit(Lit::Int(number)) => Some(number),
            Expr::Lit(Lit::Bool(flag)) => Some(i64::from(flag)),
            Expr::Ascribe { value: Some(value), .. } => self.number(func, value, hops),
            Expr::Op { op, args } => arithmetic(op, &each(facts.list(args))?),
            Expr::Call { callee, args, .. } => {
                let (op, receiver) = self.operation(func, callee)?;
                let mut operands = receiver.into_iter().chain(positional(facts.list(args)));
                let (first, next) = (operands.next()?, operands.next());
                let item = self.item(func, first, hops)?;
                let base = next.map_or(Some(10), |next| self.number(func, next, hops))?;
                number_of(op, item, base)
            }
            Expr::Var(var) if self.bound(func, var).is_some() => match self.bound(func, var) {
                Some(Item::Number(number)) => Some(number),
                _ => None,
            },
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) => {
                let (func, value) = self.definition(func, expr)?;
                self.number(func, value, hops)
            }
            _ => None,
        }
    }

    /// What a name is bound to, once.
    pub(super) fn definition(&self, func: Func, name: ExprId) -> Option<(Func, ExprId)> {
        let file = self.index.file_of(func);
        let global = match *self.facts_of(func).expr(name) {
            Expr::Var(var) => Global::Slot(self.index.var(func, var)),
            Expr::Free(name) => self.index.global(file, name),
            Expr::Import(id) => self.index.imported(file, id)?,
            _ => return None,
        };
        let Global::Slot(slot) = global else { return None };
        let is_given = self.index.iterated(slot).is_some() || self.index.param_of.contains_key(&slot);
        self.index.sole_definition(slot).filter(|_| !is_given)
    }

    pub(super) fn item(&self, func: Func, expr: ExprId, hops: u32) -> Option<Item> {
        if let Some(number) = self.number(func, expr, hops) {
            return Some(Item::Number(number));
        }
        self.value(func, expr, hops).only().filter(|known| known.whole).map(|known| Item::Text(known.text))
    }
}

/// True if other arguments say what is done to the first.
fn takes_more(op: TextOp) -> bool {
    use TextOp::{Decode, DropPrefix, DropSuffix, Encode, Replace, Trim, TrimEnd, TrimStart};
    matches!(op, Decode | Encode | Replace | DropPrefix | DropSuffix | Trim | TrimStart | TrimEnd)
}

/// Arguments by position, up to the first that is spread.
pub(super) fn positional(args: &[Arg]) -> impl Iterator<Item = ExprId> + '_ {
    args.iter().take_while(|arg| arg.kind == ArgKind::Positional).map(|arg| arg.value)
}
