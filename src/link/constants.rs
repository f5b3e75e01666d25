//! Constant text: what a string or path expression is known to be, or to start with, through names, attributes, branches
//! and the functions that build text. By definitions alone: what callers pass is unknown here.

mod accumulated;
mod calls;
mod changes;
mod decoding;
mod documentation;
mod operations;
mod program;
mod sequences;
mod words;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::hierarchy::{Hierarchy, MethodKind};
use super::ids::{Cls, Func, Slot};
use super::index::{Index, Iterated};
use super::types::{Global, Type};
use super::values::{Item, Values};
use crate::ir::{EntryKey, Expr, ExprId, FnKind, Lit, Op, Sym, VarId};

pub use changes::change;

/// A name of a name of a name; more is a cycle.
const MAX_HOPS: u32 = 12;
/// Expressions looked at for one answer: branches of branches multiply.
const MAX_STEPS: u32 = 400;

/// Numbers and characters looked at for one answer: a name has a few dozen, a list that is built of lists has none.
const MAX_ITEMS: u32 = 1 << 12;

pub(super) struct Folder<'i, 'a> {
    index: &'i Index<'a>,
    hierarchy: &'i Hierarchy,
    left: Cell<u32>,
    items_left: Cell<u32>,
    /// What a variable is while an expression is looked at for one element of a list.
    bound: RefCell<Vec<(Func, VarId, Item)>>,
}

impl<'i, 'a> Folder<'i, 'a> {
    pub(super) fn new(index: &'i Index<'a>, hierarchy: &'i Hierarchy) -> Self {
        let (left, items_left) = (Cell::new(MAX_STEPS), Cell::new(MAX_ITEMS));
        Self { index, hierarchy, left, items_left, bound: RefCell::default() }
    }

    /// The answer to a question of its own; the same one is asked for each use of a name.
    pub(super) fn fold(&self, func: Func, expr: ExprId) -> Values {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let slot = match *facts.expr(expr) {
            Expr::Var(var) => Some(self.index.var(func, var)),
            _ => None,
        };
        let find = || self.value(func, expr, MAX_HOPS);
        match slot {
            Some(slot) => self.index.constants.variables.of_some(slot, find, Values::is_short),
            None => self.index.constants.answers.of_some((func, expr), find, Values::is_short),
        }
    }

    /// One of several, as far as the budget goes: with nothing left, each further one is unknown.
    fn any(&self, mut several: impl Iterator<Item = Values>) -> Values {
        let mut is_cut = false;
        let known = Values::any(std::iter::from_fn(|| {
            is_cut = self.left.get() == 0;
            if is_cut { None } else { several.next() }
        }));
        // The last may have used up what was left.
        if is_cut && several.next().is_some() { known.or_unknown() } else { known }
    }

    fn value(&self, func: Func, expr: ExprId, hops: u32) -> Values {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        // What is written at one place is no further name.
        let hop = u32::from(!matches!(*facts.expr(expr), Expr::Text(_) | Expr::Op { op: Op::Add, .. }));
        let Some(hops) = hops.checked_sub(hop).filter(|_| self.left.get() > 0) else {
            return Values::unknown();
        };
        self.left.set(self.left.get() - 1);
        let each = |exprs: &[ExprId]| self.any(exprs.iter().map(|&part| self.value(func, part, hops)));
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text) | Lit::Bytes(text)) => Values::text(facts.str(text)),
            Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => {
                Values::joined(facts.list(parts).iter().map(|&part| self.value(func, part, hops)), "")
            }
            Expr::Op { op: Op::Div, args } => {
                Values::joined(facts.list(args).iter().map(|&part| self.value(func, part, hops)), "/")
            }
            Expr::Op { op: Op::Mod, args } => self.formatted(func, facts.list(args), hops),
            Expr::Op { op: Op::Mul, args } => self.repeated(func, facts.list(args), hops),
            Expr::Any(parts) => each(facts.list(parts)),
            Expr::If { arms, otherwise } => {
                let arms = facts.list(arms).iter().map(|arm| arm.body);
                let bodies: Vec<ExprId> = arms.chain(otherwise).collect();
                if otherwise.is_some() { each(&bodies) } else { each(&bodies).or_unknown() }
            }
            Expr::Block(body) => {
                facts.list(body).last().map_or(Values::unknown(), |&last| self.value(func, last, hops))
            }
            Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } | Expr::Await(value) => {
                self.value(func, value, hops)
            }
            Expr::Var(var) => match self.bound(func, var) {
                Some(item) => item.text().map_or(Values::unknown(), |text| Values::text(&text)),
                None => self.variable(self.index.var(func, var), hops),
            },
            Expr::Free(name) if self.is_documentation(func, facts.str(name)) => {
                self.said_by(self.index.module_body(file))
            }
            Expr::Free(name) => self.global(self.index.global(file, name), hops),
            Expr::Import(id) => match self.index.imported(file, id) {
                Some(global) => self.global(global, hops),
                None => Values::unknown(),
            },
            Expr::Field { base, name } => self.attribute(func, base, name, hops),
            Expr::Index { base, key } => self.entry(func, base, key, hops),
            Expr::Call { callee, args, .. } => self.call(func, callee, facts.list(args), hops),
            Expr::Match { subject, arms } if facts.profile().match_is_exhaustive => {
                self.matched(func, subject, arms, hops)
            }
            _ => Values::unknown(),
        }
    }

    fn global(&self, global: Global, hops: u32) -> Values {
        match global {
            Global::Slot(slot) => self.variable(slot, hops),
            Global::Is(_) => Values::unknown(),
        }
    }

    /// All that a variable is bound to; a parameter can be anything, and its default when nothing is given.
    fn variable(&self, slot: Slot, hops: u32) -> Values {
        if let Some(text) = self.accumulated(slot, hops) {
            return text;
        }
        let bound = self.index.definitions(slot).chain(self.assigned(slot).iter().copied());
        let bound = bound.map(|(func, value)| self.value(func, value, hops));
        if let Some(&(owner, position)) = self.index.param_of.get(&slot) {
            return self.any(bound.chain(self.default(owner, position, hops))).or_unknown();
        }
        let mut bound = bound.peekable();
        if bound.peek().is_some() {
            return self.any(bound);
        }
        match self.index.iterated(slot) {
            Some(iterated) => self.elements(iterated, hops),
            None => Values::unknown(),
        }
    }

    fn default(&self, owner: Func, position: u32, hops: u32) -> Option<Values> {
        let file = self.index.file_of(owner);
        let function = self.index.ir(owner);
        let param = self.index.units[file].facts.list(function.params).get(position as usize)?;
        Some(self.value(function.parent, param.default?, hops))
    }

    /// What a loop over constants runs through, or over the folder at a constant path.
    fn elements(&self, Iterated { func, iterable, position }: Iterated, hops: u32) -> Values {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let iterable = self.unordered(func, iterable);
        let (list, is_values) = match *facts.expr(iterable) {
            Expr::Call { callee, .. } => match *facts.expr(callee) {
                Expr::Field { base, name } => match facts.str(name) {
                    "iterdir" | "glob" | "rglob" => return self.value(func, base, hops).cut(),
                    "values" => (base, position.is_none()),
                    "items" => (base, position == Some(1)),
                    _ => (iterable, false),
                },
                _ => (iterable, false),
            },
            _ => (iterable, false),
        };
        let Some((func, literal)) = self.literal(func, list, hops) else { return Values::unknown() };
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.expr(literal) {
            Expr::Seq(items) if position.is_none() => {
                self.any(facts.list(items).iter().map(|&item| self.value(func, item, hops)))
            }
            Expr::Record(entries) if is_values => {
                self.any(facts.list(entries).iter().map(|entry| self.value(func, entry.value, hops)))
            }
            _ => Values::unknown(),
        }
    }

    /// `sorted(paths)` runs through the same values as `paths`.
    fn unordered(&self, func: Func, iterable: ExprId) -> ExprId {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(iterable) else { return iterable };
        let [first, ..] = facts.list(args) else { return iterable };
        let is_copy = match self.index.statics(func, callee)[..] {
            [Type::External(path)] => {
                let path = self.index.externals.text(path);
                matches!(
                    path.strip_prefix("builtins."),
                    Some("sorted" | "list" | "tuple" | "set" | "reversed" | "frozenset")
                )
            }
            _ => false,
        };
        if is_copy { first.value } else { iterable }
    }

    /// The list or dict that an expression names, and where it stands.
    fn literal(&self, func: Func, expr: ExprId, hops: u32) -> Option<(Func, ExprId)> {
        let hops = hops.checked_sub(1)?;
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let named = |slot| {
            let (func, value) = self.index.sole_definition(slot)?;
            self.literal(func, value, hops)
        };
        match *facts.expr(expr) {
            Expr::Seq(_) | Expr::Record(_) => Some((func, expr)),
            Expr::Ascribe { value: Some(value), .. } => self.literal(func, value, hops),
            Expr::Call { callee, .. } => {
                let target = self.target(func, callee)?;
                let [value] = self.returns(target)[..] else { return None };
                self.literal(target, value, hops)
            }
            Expr::Var(var) => named(self.index.var(func, var)),
            Expr::Free(name) => match self.index.global(file, name) {
                Global::Slot(slot) => named(slot),
                Global::Is(_) => None,
            },
            Expr::Import(id) => match self.index.imported(file, id)? {
                Global::Slot(slot) => named(slot),
                Global::Is(_) => None,
            },
            Expr::Field { base, name } => {
                let [(func, value)] = self.definitions_of_attribute(func, base, name)[..] else {
                    return None;
                };
                self.literal(func, value, hops)
            }
            _ => None,
        }
    }

    /// `PATHS["db"]` of a literal dict, `os.environ["HOME"]`.
    fn entry(&self, func: Func, base: ExprId, key: ExprId, hops: u32) -> Values {
        if self.index.statics(func, base).iter().any(|&ty| calls::is_environment(self.index, ty)) {
            let key = self.value(func, key, hops).only();
            return key.map_or(Values::unknown(), |key| calls::environment(&key.text, Values::unknown()));
        }
        let indexed = || self.indexed(func, base, key, hops).unwrap_or_else(Values::unknown);
        let Some((owner, literal)) = self.literal(func, base, hops) else { return indexed() };
        let facts = self.index.units[self.index.file_of(owner)].facts;
        let Expr::Record(entries) = *facts.expr(literal) else { return indexed() };
        let key = self.value(func, key, hops).only();
        // With nothing left, no further key is known to be this one.
        let entries = facts.list(entries).iter().take_while(|_| key.is_none() || self.left.get() > 0);
        let values = entries.filter(|entry| match (entry.key, &key) {
            // An unknown key may be any of them.
            (EntryKey::Expr(_), None) => true,
            (EntryKey::Expr(at), Some(key)) => self.value(owner, at, hops).only().as_ref() == Some(key),
            (EntryKey::Spread, _) => false,
        });
        let found = values.map(|entry| self.value(owner, entry.value, hops));
        let found = found.chain(self.put(func, base, key.as_ref(), hops));
        if key.is_none() { self.any(found) } else { Values::any(found) }
    }

    /// `Config.PATH`, `settings.PATH`, `self.path`; `.value` of a member of an enumeration and `.parent` of a path begin
    /// like what they are read from.
    fn attribute(&self, func: Func, base: ExprId, name: Sym, hops: u32) -> Values {
        if let Some(variant) = self.variant(func, base, name) {
            return variant;
        }
        if let Some(said) = self.documentation(func, base, name) {
            return said;
        }
        let definitions = self.definitions_of_attribute(func, base, name);
        if !definitions.is_empty() {
            return self.any(definitions.iter().map(|&(func, value)| match self.property(func, value) {
                Some(getter) => self.returned(getter, hops),
                // The declared field of a model is a default.
                None if self.is_declared(func, value) => self.value(func, value, hops).or_unknown(),
                None => self.value(func, value, hops),
            }));
        }
        match self.index.names.text(name) {
            "value" => self.value(func, base, hops),
            "parent" => self.value(func, base, hops).cut(),
            _ => Values::unknown(),
        }
    }

    fn definitions_of_attribute(&self, func: Func, base: ExprId, name: Sym) -> Arc<[(Func, ExprId)]> {
        if let Some(class) = self.own_class(func, base) {
            return self.definitions_in_class(class, name);
        }
        let bases = self.index.statics(func, base);
        let [only] = bases[..] else { return Arc::default() };
        match only {
            Type::Class { class, .. } => self.definitions_in_class(class, name),
            Type::Module(module) => match self.index.module_attr(module, name) {
                Some(Global::Slot(slot)) => self.index.definitions(slot).collect(),
                _ => Arc::default(),
            },
            _ => Arc::default(),
        }
    }

    /// The class whose object `self` or `cls` is.
    fn own_class(&self, func: Func, base: ExprId) -> Option<Cls> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Var(var) = *facts.expr(base) else { return None };
        let &(owner, position) = self.index.param_of.get(&self.index.var(func, var))?;
        self.index.method_of[owner.0 as usize].filter(|_| self.index.is_receiver(owner, position))
    }

    /// What the class body and the methods store under a name, ancestors included.
    fn definitions_in_class(&self, class: Cls, name: Sym) -> Arc<[(Func, ExprId)]> {
        self.index.constants.attributes.of((class, name), || {
            let ancestors = &self.hierarchy.ancestors[class.0 as usize];
            let body = ancestors.iter().find_map(|&at| self.index.export(self.index.class_body(at), name));
            let of_body = body.into_iter().flat_map(|slot| self.index.definitions(slot));
            let stored = ancestors.iter().flat_map(|&at| self.index.stored(at, name));
            let added = ancestors.iter().flat_map(|&at| self.added(at, name));
            of_body.chain(stored).chain(added).collect()
        })
    }

    fn is_declared(&self, func: Func, value: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        matches!(self.index.ir(func).kind, FnKind::ClassBody(_))
            && matches!(facts.expr(value), Expr::Ascribe { .. })
    }

    fn property(&self, func: Func, value: ExprId) -> Option<Func> {
        let file = self.index.file_of(func);
        let Expr::Closure(getter) = *self.index.units[file].facts.expr(value) else { return None };
        (self.hierarchy.kind(getter) == MethodKind::Property).then_some(getter)
    }

    /// The project's function that a callee names: by definitions, or as a method of its own object.
    fn target(&self, func: Func, callee: ExprId) -> Option<Func> {
        if let [Type::Function(target)] = self.index.statics(func, callee)[..] {
            return Some(target);
        }
        let file = self.index.file_of(func);
        let Expr::Field { base, name } = *self.index.units[file].facts.expr(callee) else { return None };
        let class = self.own_class(func, base)?;
        let definitions = self.definitions_in_class(class, name);
        let [(owner, value)] = definitions[..] else { return None };
        let file = self.index.file_of(owner);
        match *self.index.units[file].facts.expr(value) {
            Expr::Closure(id) => Some(id),
            _ => None,
        }
    }

    fn returns(&self, target: Func) -> Arc<[ExprId]> {
        self.index.constants.returns.of(target, || self.index.returns(target).collect())
    }

    /// What a function of the project hands back.
    fn returned(&self, target: Func, hops: u32) -> Values {
        self.any(self.returns(target).iter().map(|&value| self.value(target, value, hops)))
    }
}
