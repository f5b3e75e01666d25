//! Where something is taken out of a table to be run, and what stands in that table under which key.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::edge::At;
use super::super::edges::Pass;
use super::super::ids::{Cls, ContainerId, Func, Key};
use super::super::picks::Keyed;
use super::super::receivers::MAX_STEPS;
use super::super::types::{Type, Value};
use super::entries::Registered;
use super::keys::{KeyOf, Part};
use super::{Callers, Owner};
use crate::catalog::DataOp;
use crate::ir::{Expr, ExprId, Lit, Op, Sym};

/// Methods by which an entry is taken out of a table.
const TAKES: [DataOp; 4] = [DataOp::Get, DataOp::GetEntry, DataOp::GetOrInsert, DataOp::Take];
/// Functions that hand on what a list holds.
const COPIES: [DataOp; 4] = [DataOp::MakeCollection, DataOp::MakeSet, DataOp::Reverse, DataOp::Iterate];

/// An entry of a table, as an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Where table and key stand.
    pub(super) scope: Func,
    pub(super) table: ExprId,
    pub(super) key: ExprId,
    /// The attribute of the entry that is meant.
    pub(super) attribute: Option<Sym>,
}

/// A place that runs one of several entries.
#[derive(Debug)]
pub(super) struct Lookup {
    pub(super) from: Func,
    pub(super) at: At,
    /// Where the attribute stands that is called.
    scope: Func,
    pub(super) key: KeyOf,
    /// The attribute of the entry that is meant.
    attribute: Option<Sym>,
    place: Place,
}

/// What something is looked up in.
#[derive(Debug)]
enum Place {
    Tables(Vec<ContainerId>),
    /// An attribute of the method's own object.
    Own {
        class: Cls,
        name: Sym,
        value: ExprId,
    },
}

/// An attribute of the method's own object, as an expression.
struct Own {
    scope: Func,
    object: (Func, u32),
    place: Place,
    attribute: Option<Sym>,
}

/// What a look-up may run, by key.
#[derive(Default, Debug)]
pub(super) struct Entries {
    by_key: FxHashMap<Key, FxHashSet<Func>>,
    /// What stands under keys that are not understood.
    always: FxHashSet<Func>,
    /// What stands under some keys only.
    pub(super) keyed: Keyed,
}

impl Entries {
    pub(super) fn meant(&self, keys: &[Key]) -> FxHashSet<Func> {
        let meant = keys.iter().filter_map(|key| self.by_key.get(key)).flatten().copied();
        meant.filter(|func| self.keyed.contains_key(func)).collect()
    }

    /// Says what stands under some keys only. What all these classes have is told by none of them.
    fn settle(&mut self, all: &[Cls]) {
        let mut keyed: FxHashMap<Func, FxHashSet<Cls>> = FxHashMap::default();
        for (key, funcs) in &self.by_key {
            for &func in funcs.iter().filter(|func| !self.always.contains(func)) {
                let classes = keyed.entry(func).or_default();
                classes.extend(if let Key::Class(class) = *key { Some(class) } else { None });
            }
        }
        if !all.is_empty() {
            keyed.retain(|_, classes| !all.iter().all(|class| classes.contains(class)));
        }
        self.keyed = Arc::new(keyed);
    }
}

impl Place {
    fn owners(&self) -> Vec<Owner> {
        match self {
            Place::Tables(tables) => tables.iter().map(|&table| Owner::Table(table)).collect(),
            Place::Own { class, name, .. } => vec![Owner::Attribute(*class, *name)],
        }
    }
}

impl Pass<'_, '_, '_> {
    /// Remembers what is called or handed over at a place, if it is one of several.
    pub(in super::super) fn note_choice(&mut self, from: Func, at: ExprId, value: ExprId, count: usize) {
        if count > 1 {
            let at = self.at(from, at);
            self.choices.push((from, at, value));
        }
    }

    /// The choices that are entries of tables, or attributes that several classes set.
    pub(super) fn lookups(&mut self, choices: Vec<(Func, At, ExprId)>) -> Vec<Lookup> {
        choices.into_iter().filter_map(|choice| self.lookup(choice)).collect()
    }

    fn lookup(&mut self, (from, at, value): (Func, At, ExprId)) -> Option<Lookup> {
        if let Some(Entry { scope, table, key, attribute }) = self.entry_of_table(from, value) {
            let key = self.key_of(scope, key, Part::Itself);
            let tables = if key == KeyOf::Open { Vec::new() } else { self.tables_at(scope, table) };
            let is_known = !tables.is_empty();
            return is_known.then_some(Lookup {
                from,
                at,
                scope,
                key,
                attribute,
                place: Place::Tables(tables),
            });
        }
        let Own { scope, object, place, attribute } = self.own_attribute(from, value)?;
        let is_family = self.family(&place).len() > 1;
        let key = KeyOf::Given { parameter: object, part: Part::Class };
        is_family.then_some(Lookup { from, at, scope, key, attribute, place })
    }

    /// The attribute of its own object that an expression is, with the attribute of that.
    fn own_attribute(&self, func: Func, value: ExprId) -> Option<Own> {
        let index = self.solver.index;
        let (mut scope, mut expr, mut attribute) = (func, value, None);
        for _ in 0..MAX_STEPS {
            let facts = index.units[index.file_of(scope)].facts;
            (scope, expr) = match *facts.expr(expr) {
                Expr::Var(var) => index.sole_definition(index.var(scope, var))?,
                Expr::Field { base, name } => match self.own_object(scope, base) {
                    Some(object) => {
                        let class = index.method_of[object.0.0 as usize]?;
                        let place = Place::Own { class, name, value: expr };
                        return Some(Own { scope, object, place, attribute });
                    }
                    None if attribute.is_none() => {
                        attribute = Some(name);
                        (scope, base)
                    }
                    None => return None,
                },
                Expr::Await(inner) | Expr::Ascribe { value: Some(inner), .. } => (scope, inner),
                _ => return None,
            };
        }
        None
    }

    /// The containers that an expression is; none if it may be something else, or nobody tells them apart.
    pub(super) fn tables_at(&mut self, func: Func, table: ExprId) -> Vec<ContainerId> {
        let mut tables = Vec::new();
        for ty in self.solver.eval(func, table) {
            match ty {
                Type::Container(id) if !self.solver.is_summary(id) => {
                    tables.push(self.solver.containers.find(id))
                }
                Type::Container(_) | Type::Anything => return Vec::new(),
                _ => {}
            }
        }
        tables
    }

    /// The entry of a table that an expression is, through names, loops and copies.
    pub(super) fn entry_of_table(&self, func: Func, value: ExprId) -> Option<Entry> {
        let index = self.solver.index;
        let (mut scope, mut expr, mut attribute) = (func, value, None);
        for step in 0..MAX_STEPS {
            let facts = index.units[index.file_of(scope)].facts;
            (scope, expr) = match *facts.expr(expr) {
                Expr::Var(var) => index.sole_definition(index.var(scope, var))?,
                // A pair that stands in the table, or the table itself.
                Expr::Index { base, key } if matches!(facts.expr(key), Expr::Lit(Lit::Int(_))) => {
                    (scope, base)
                }
                Expr::Index { base, key } => return Some(Entry { scope, table: base, key, attribute }),
                Expr::Field { base, name } if step == 0 => {
                    attribute = Some(name);
                    (scope, base)
                }
                Expr::Call { callee, args, .. } => match (*facts.expr(callee), facts.list(args)) {
                    (Expr::Field { base, name }, [key, ..]) if self.does(func, name, &TAKES) => {
                        return Some(Entry { scope, table: base, key: key.value, attribute });
                    }
                    (Expr::Free(name), [only]) if self.builtin_does(func, name, &COPIES) => {
                        (scope, only.value)
                    }
                    _ => return None,
                },
                Expr::Await(inner) | Expr::Spread(inner) | Expr::Ascribe { value: Some(inner), .. } => {
                    (scope, inner)
                }
                _ => return None,
            };
        }
        None
    }

    /// The values that a list is made of, besides those that the table has already.
    pub(super) fn parts_of(&mut self, func: Func, value: ExprId) -> Vec<ExprId> {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let (mut parts, mut work) = (Vec::new(), vec![value]);
        while let Some(value) = work.pop() {
            match *facts.expr(value) {
                Expr::Seq(items) => work.extend(facts.list(items)),
                Expr::Op { op: Op::Add | Op::BitOr, args } => work.extend(facts.list(args)),
                Expr::Spread(inner) | Expr::Ascribe { value: Some(inner), .. } => work.push(inner),
                Expr::Var(_) | Expr::Call { .. } if self.entry_of_table(func, value).is_some() => {}
                _ => parts.push(value),
            }
        }
        parts
    }

    /// What each look-up may run under which key.
    pub(super) fn entries(&mut self, lookups: &[Lookup], callers: &Callers) -> Vec<Arc<Entries>> {
        let owners = lookups.iter().flat_map(|lookup| lookup.place.owners()).collect();
        let registered = self.registered(&owners, callers);
        let mut known: FxHashMap<(Vec<Owner>, Option<Sym>, bool), Arc<Entries>> = FxHashMap::default();
        let of = |lookup: &Lookup| {
            let found =
                known.entry((lookup.place.owners(), lookup.attribute, matches!(lookup.key, KeyOf::Known(_))));
            found.or_insert_with(|| Arc::new(self.entries_of(lookup, &registered))).clone()
        };
        lookups.iter().map(of).collect()
    }

    fn entries_of(&mut self, lookup: &Lookup, registered: &FxHashMap<Owner, Vec<Registered>>) -> Entries {
        let mut entries = Entries::default();
        let owners = lookup.place.owners();
        let put = || owners.iter().filter_map(|owner| registered.get(owner)).flatten();
        for put in put() {
            let funcs = put.keys.as_ref().map(|_| self.run_of(put.values, lookup.attribute));
            for &key in put.keys.iter().flatten() {
                entries.by_key.entry(key).or_default().extend(funcs.iter().flat_map(|funcs| funcs.iter()));
            }
        }
        let registered: FxHashSet<Func> = entries.by_key.values().flatten().copied().collect();
        let is_blurred = self.is_blurred(&lookup.place);
        // Inference tells constant keys apart, but for what is registered under them.
        let is_told = matches!(lookup.key, KeyOf::Known(_)) && registered.is_empty();
        for &owner in owners.iter().filter(|_| !is_told) {
            let Owner::Table(table) = owner else { continue };
            for (key, slot) in self.solver.all_keys_of(table) {
                let funcs = self.run_of(Value::In(slot), lookup.attribute);
                entries.by_key.entry(key).or_default().extend(funcs.iter());
            }
        }
        if entries.by_key.values().all(FxHashSet::is_empty) {
            return entries;
        }
        for put in put().filter(|put| put.keys.is_none()) {
            let funcs = self.run_of(put.values, lookup.attribute);
            entries.always.extend(funcs.iter());
        }
        for values in self.unkeyed(lookup) {
            let funcs = self.run_of(values, lookup.attribute);
            entries.always.extend(funcs.iter().filter(|func| is_blurred || !registered.contains(func)));
        }
        entries.settle(&self.family(&lookup.place));
        entries
    }

    /// True if something may come in that is not registered.
    fn is_blurred(&mut self, place: &Place) -> bool {
        match place {
            Place::Tables(tables) => {
                let containers = &self.solver.containers;
                let part =
                    |ty: Type| if let Type::Container(id) = ty { Some(containers.find(id)) } else { None };
                let parts = tables.iter().flat_map(|&table| self.solver.held_by(table)).filter_map(part);
                tables.iter().copied().chain(parts).any(|id| containers.is_blurred(id))
            }
            // The constructor of a class of data is nowhere written down.
            Place::Own { name, .. } => {
                self.solver.set_elsewhere.contains(name)
                    || self.family(place).into_iter().any(|below| self.solver.is_model(below))
            }
        }
    }

    /// What stands in the tables under keys that inference does not know, or in the attribute of any object.
    fn unkeyed(&mut self, lookup: &Lookup) -> Vec<Value> {
        match &lookup.place {
            Place::Tables(tables) => {
                let unknown = tables.iter().map(|&table| self.solver.containers.of(table).unknown);
                unknown.map(Value::In).collect()
            }
            Place::Own { value, .. } => vec![self.solver.value(lookup.scope, *value)],
        }
    }

    /// The classes on whose objects a method runs that calls an attribute.
    fn family(&self, place: &Place) -> Vec<Cls> {
        let Place::Own { class, .. } = *place else { return Vec::new() };
        self.below(class).collect()
    }
}
