//! Texts and lists that grow by steps: repeated, added to by a loop over something that is known, or changed elsewhere. What
//! grows in a way that is not followed is not known, so that it never passes for what it begins with.

use super::operations::positional;
use super::{Folder, MAX_ITEMS, MAX_STEPS};
use crate::ir::{Expr, ExprId, ExprRange, Op, Pat, Sym, VarId};
use crate::link::asked::Changes;
use crate::link::ids::{Cls, Func, Slot};
use crate::link::index::Index;
use crate::link::types::Global;
use crate::link::values::{Item, Known, Values};

type Place = (Func, ExprId);

/// Methods by which a list becomes another one; the others read it.
const GROWS: &[&str] = &[
    "append",
    "appendleft",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
];
/// A binding, a block and a loop stand behind what is bound, and what the loop runs through may.
const BEHIND: u32 = 8;
/// The one that adds an element behind the others.
const APPEND: &str = "append";

impl Changes {
    fn find(index: &Index<'_>) -> Self {
        let mut changes = Self::default();
        for func in (0..index.functions.len() as u32).map(Func) {
            let facts = index.units[index.file_of(func)].facts;
            for expr in index.ir(func).exprs.iter() {
                match *facts.expr(expr) {
                    Expr::Store { place, op, value: Some(value) } => {
                        changes.store(index, (func, expr), place, (op.is_none()).then_some(value));
                    }
                    Expr::Call { callee, .. } => changes.call(index, func, callee, expr),
                    _ => {}
                }
            }
        }
        changes
    }

    /// `value` is what the place holds then; none if something is added to what it held.
    fn store(&mut self, index: &Index<'_>, (func, store): Place, place: ExprId, value: Option<ExprId>) {
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        match *facts.expr(place) {
            Expr::Free(_) => {
                if let Some(slot) = own_slot(index, func, place) {
                    self.globals.entry(slot).or_default().push((func, value.unwrap_or(store)));
                }
            }
            Expr::Field { base, name } if value.is_none() => {
                let Expr::Var(var) = *facts.expr(base) else { return };
                let owner = index.param_of.get(&index.var(func, var));
                let owner = owner.filter(|&&(owner, at)| index.is_receiver(owner, at));
                if let Some(class) = owner.and_then(|(owner, _)| index.method_of[owner.0 as usize]) {
                    self.attributes.entry((class, name)).or_default().push((func, store));
                }
            }
            Expr::Index { base, .. } => {
                if let Some(slot) = own_slot(index, func, base) {
                    self.lists.entry(slot).or_default().push((func, store));
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, index: &Index<'_>, func: Func, callee: ExprId, call: ExprId) {
        let facts = index.units[index.file_of(func)].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return };
        if GROWS.contains(&facts.str(name))
            && let Some(slot) = own_slot(index, func, base)
        {
            self.lists.entry(slot).or_default().push((func, call));
        }
    }
}

impl<'a> Folder<'_, 'a> {
    fn changes(&self) -> &Changes {
        self.index.constants.changes.of(|| Changes::find(self.index))
    }

    /// What functions assign to a name of their module.
    pub(super) fn assigned(&self, slot: Slot) -> &[Place] {
        self.changes().globals.get(&slot).map_or(&[], Vec::as_slice)
    }

    /// Where methods of a class add to an attribute.
    pub(super) fn added(&self, class: Cls, name: Sym) -> impl Iterator<Item = Place> + '_ {
        self.changes().attributes.get(&(class, name)).into_iter().flatten().copied()
    }

    /// `"ab" * 2`.
    pub(super) fn repeated(&self, func: Func, parts: &[ExprId], hops: u32) -> Values {
        let [left, right] = *parts else { return Values::unknown() };
        let Some((text, count)) = self.times(func, left, right, hops) else { return Values::unknown() };
        self.value(func, text, hops).filter_map(|known| {
            let is_short = known.text.len().saturating_mul(count) <= MAX_ITEMS as usize;
            (known.whole && is_short).then(|| known.text.repeat(count))
        })
    }

    /// `[a, b] * 2`, `[a] + [b]`.
    pub(super) fn sequence_of(&self, func: Func, op: Op, parts: &[ExprId], hops: u32) -> Option<Vec<Item>> {
        match (op, parts) {
            (Op::Add, _) => {
                let each: Option<Vec<_>> =
                    parts.iter().map(|&part| self.sequence(func, part, hops)).collect();
                Some(each?.concat())
            }
            (Op::Mul, &[left, right]) => {
                let (list, count) = self.times(func, left, right, hops)?;
                let items = self.sequence(func, list, hops)?;
                let is_short = items.len().saturating_mul(count) <= MAX_ITEMS as usize;
                is_short.then(|| std::iter::repeat_n(items, count).flatten().collect())
            }
            _ => None,
        }
    }

    /// What is repeated, and how often.
    fn times(&self, func: Func, left: ExprId, right: ExprId, hops: u32) -> Option<(ExprId, usize)> {
        let (what, count) = match (self.number(func, left, hops), self.number(func, right, hops)) {
            (None, Some(count)) => (left, count),
            (Some(count), None) => (right, count),
            _ => return None,
        };
        Some((what, usize::try_from(count).unwrap_or(0)))
    }

    /// `for part in PARTS: name += part`: what the name was before, and a piece for each element.
    pub(super) fn accumulated(&self, slot: Slot, hops: u32) -> Option<Values> {
        let definitions: Vec<Place> = self.index.definitions(slot).take(3).collect();
        let [first, second] = definitions[..] else { return None };
        let (start, sum) =
            if self.around(second, slot).is_some() { (first, second) } else { (second, first) };
        let (before, after) = self.around(sum, slot)?;
        let (func, sum) = (sum.0, sum.1);
        let (var, iterable) = self.round(func, sum)?;
        let mut text = self.value(start.0, start.1, hops).only().filter(|known| known.whole)?.text;
        for item in self.sequence(func, iterable, hops)? {
            let piece = |parts: &[ExprId]| -> Option<String> {
                let each = parts.iter().map(|&part| self.item(func, part, hops)?.text());
                self.with_bound(func, var, item.clone(), || each.collect())
            };
            text = piece(before)? + &text + &piece(after)?;
            if text.len() > MAX_ITEMS as usize {
                return None;
            }
        }
        Some(Values::text(&text))
    }

    /// The parts of a sum before and behind the variable that it is added to.
    fn around(&self, (func, sum): Place, slot: Slot) -> Option<(&'a [ExprId], &'a [ExprId])> {
        let facts = self.facts_of(func);
        let parts = match *facts.expr(sum) {
            Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => facts.list(parts),
            _ => return None,
        };
        let at = parts.iter().position(|&part| slot_of(self.index, func, part) == Some(slot))?;
        Some((&parts[..at], &parts[at + 1..]))
    }

    /// The loop of a function that does nothing but one step: its variable, and what it runs through.
    fn round(&self, func: Func, step: ExprId) -> Option<(VarId, ExprId)> {
        let facts = self.facts_of(func);
        // Its body and the loop itself stand right behind a step that is all of the body.
        let lo = step.0.get() + 1;
        let behind = ExprRange { lo, hi: self.index.ir(func).exprs.hi.min(lo + BEHIND) };
        behind.iter().find_map(|expr| {
            let Expr::Loop(at) = *facts.expr(expr) else { return None };
            let found = facts.arenas.loop_at(at);
            let (pat, iterable) = found.each?;
            let (Pat::Var(var), Expr::Block(body)) = (*facts.pat(pat), *facts.expr(found.body)) else {
                return None;
            };
            let [only] = *facts.list(body) else { return None };
            let is_step =
                only == step || matches!(*facts.expr(only), Expr::Bind { value, .. } if value == step);
            is_step.then_some((var, iterable))
        })
    }

    /// True if the list that a name holds is not what the name is bound to.
    pub(super) fn is_grown(&self, func: Func, list: ExprId) -> bool {
        slot_of(self.index, func, list).is_some_and(|slot| self.changes().lists.contains_key(&slot))
    }

    /// What is put into a table under a key; a key that is not known may be any of them.
    pub(super) fn put(&self, func: Func, table: ExprId, key: Option<&Known>, hops: u32) -> Option<Values> {
        let places = self.changes().lists.get(&slot_of(self.index, func, table)?)?;
        if places.len() > MAX_STEPS as usize {
            return Some(Values::unknown());
        }
        let values = places.iter().filter_map(|&(owner, change)| {
            let facts = self.facts_of(owner);
            let Expr::Store { place, op: None, value: Some(value) } = *facts.expr(change) else {
                return Some(Values::unknown());
            };
            let Expr::Index { key: at, .. } = *facts.expr(place) else { return None };
            let at = self.value(owner, at, hops).only();
            let is_other = at.is_some() && key.is_some() && at.as_ref() != key;
            (!is_other).then(|| self.value(owner, value, hops))
        });
        let values: Vec<Values> = values.collect();
        (!values.is_empty()).then(|| Values::any(values))
    }

    /// A list that a loop fills, and nothing else changes.
    pub(super) fn filled_list(&self, func: Func, list: ExprId, hops: u32) -> Option<Vec<Item>> {
        let slot = slot_of(self.index, func, list)?;
        let [(owner, call)] = self.changes().lists.get(&slot)?[..] else { return None };
        let facts = self.facts_of(owner);
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return None };
        let is_append = matches!(*facts.expr(callee), Expr::Field { name, .. } if facts.str(name) == APPEND);
        let added = positional(facts.list(args)).next().filter(|_| is_append)?;
        let (start, value) = self.index.sole_definition(slot)?;
        let mut items = self.sequence(start, value, hops)?;
        let (var, iterable) = self.round(owner, call)?;
        for item in self.sequence(owner, iterable, hops)? {
            items.push(self.with_bound(owner, var, item, || self.item(owner, added, hops))?);
        }
        Some(items)
    }
}

/// The variable of the same file that a name means. No import is followed: this may be asked while they are looked for.
fn own_slot(index: &Index<'_>, func: Func, name: ExprId) -> Option<Slot> {
    let file = index.file_of(func);
    match *index.units[file].facts.expr(name) {
        Expr::Var(var) => Some(index.var(func, var)),
        Expr::Free(name) => index.export(index.module_body(file), name),
        _ => None,
    }
}

/// The variable that a name means.
fn slot_of(index: &Index<'_>, func: Func, name: ExprId) -> Option<Slot> {
    let file = index.file_of(func);
    let global = match *index.units[file].facts.expr(name) {
        Expr::Var(var) => Global::Slot(index.var(func, var)),
        Expr::Free(name) => index.global(file, name),
        Expr::Import(id) => index.imported(file, id)?,
        _ => return None,
    };
    match global {
        Global::Slot(slot) => Some(slot),
        Global::Is(_) => None,
    }
}
