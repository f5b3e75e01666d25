//! What is put into tables under keys that the function which does it is given: `on(event, handler)`, and a decorator that
//! takes the key. Each call of such a function is one registration.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::edge::{Edge, Target};
use super::super::edges::Pass;
use super::super::ids::{Cls, ContainerId, Func, Key};
use super::super::types::{Type, Value};
use super::keys::{KeyOf, Part};
use super::{Callers, Owner};
use crate::catalog::DataOp;
use crate::ir::{Arg, Expr, ExprId, Facts, Lit, Pat, PatId};

/// Methods that put a value into a list or set.
const ADDS: [DataOp; 4] = [DataOp::Append, DataOp::Prepend, DataOp::Add, DataOp::Insert];

/// Methods that put a value under a key.
const PUTS: [DataOp; 2] = [DataOp::GetOrInsert, DataOp::SetEntry];

/// What was put into a table.
#[derive(Debug)]
pub(super) struct Registered {
    /// `None` if the key is not understood.
    pub(super) keys: Option<Vec<Key>>,
    pub(super) values: Value,
}

/// Something that is put under a key, as far as it is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Put {
    key: PutKey,
    value: PutValue,
    /// Indexes the tables of `Puts`.
    into: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum PutKey {
    At(Func, ExprId, Part),
    Known(Vec<Key>),
    /// The class of the object whose method does it: this one, or one below.
    Own(Cls),
    Open,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum PutValue {
    At(Func, ExprId),
    /// The same, whoever calls.
    Any(Func, ExprId),
    Decorated(Func),
}

impl PutValue {
    fn any(self) -> Self {
        match self {
            PutValue::At(func, expr) => PutValue::Any(func, expr),
            other => other,
        }
    }
}

/// What of a registration the callers give: parameters of the function that registers.
#[derive(Clone, Copy)]
struct Wanted {
    key: Option<((Func, u32), Part)>,
    value: Option<(Func, u32)>,
}

/// What the search for registrations knows.
struct Puts<'c> {
    callers: &'c Callers,
    /// What each place puts something into.
    into: Vec<Vec<Owner>>,
    work: Vec<Put>,
    known: FxHashSet<Put>,
    /// What stands below decorators that are calls, ...
    decorated: FxHashMap<ExprId, Vec<Func>>,
    /// ... and below those that are functions.
    taken: FxHashMap<Func, Vec<Func>>,
    found: FxHashMap<Owner, Vec<Registered>>,
}

impl Pass<'_, '_, '_> {
    /// What is put into each of these tables, or into a list that stands in one.
    pub(super) fn registered(
        &mut self,
        of: &FxHashSet<Owner>,
        callers: &Callers,
    ) -> FxHashMap<Owner, Vec<Registered>> {
        let owners = self.owners_of(of);
        let (decorated, taken) = self.below_decorators();
        let (into, work, known, found) = Default::default();
        let mut puts = Puts { callers, into, work, known, decorated, taken, found };
        self.own_puts(&mut puts, of);
        let index = self.solver.index;
        for func in (0..index.functions.len() as u32).map(Func).filter(|_| !owners.is_empty()) {
            let facts = index.units[index.file_of(func)].facts;
            for expr in index.ir(func).exprs.iter() {
                match *facts.expr(expr) {
                    Expr::Store { place, value: Some(value), .. } => {
                        if let Expr::Index { base, key } = *facts.expr(place) {
                            self.puts(&mut puts, &owners, (func, base), Some((func, key)), value);
                        }
                    }
                    // `T[key], rest = values`: which of them, nobody says.
                    Expr::Bind { pat, value } if matches!(facts.pat(pat), Pat::Seq { .. }) => {
                        for base in tables_in(facts, pat) {
                            self.puts(&mut puts, &owners, (func, base), None, value);
                        }
                    }
                    Expr::Call { callee, args, .. } => {
                        self.adds(&mut puts, &owners, func, callee, facts.list(args));
                    }
                    _ => {}
                }
            }
        }
        while let Some(put) = puts.work.pop().filter(|_| !self.solver.run.is_over()) {
            if puts.known.insert(put.clone()) {
                self.lift(&mut puts, put);
            }
        }
        puts.found
    }

    fn below_decorators(&self) -> (FxHashMap<ExprId, Vec<Func>>, FxHashMap<Func, Vec<Func>>) {
        let (mut decorated, mut taken): (FxHashMap<_, Vec<Func>>, FxHashMap<_, Vec<Func>>) =
            Default::default();
        for &(func, decorator, target) in &self.found.decorators {
            let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
            match (facts.expr(decorator), target) {
                (Expr::Call { .. }, _) => decorated.entry(decorator).or_default().push(func),
                (_, Target::Project(taker)) => taken.entry(taker).or_default().push(func),
                _ => {}
            }
        }
        (decorated, taken)
    }

    /// The tables that each container is, or is part of.
    fn owners_of(&mut self, owners: &FxHashSet<Owner>) -> FxHashMap<ContainerId, Vec<Owner>> {
        let mut found: FxHashMap<ContainerId, Vec<Owner>> = FxHashMap::default();
        for &owner in owners {
            let Owner::Table(table) = owner else { continue };
            let mut parts = vec![table];
            parts.extend(self.solver.held_by(table).into_iter().filter_map(|ty| match ty {
                Type::Container(id) => Some(self.solver.containers.find(id)),
                _ => None,
            }));
            parts.sort_unstable();
            parts.dedup();
            parts.into_iter().for_each(|part| found.entry(part).or_default().push(owner));
        }
        found
    }

    /// What methods store in attributes of their own object: by the class whose method does it.
    fn own_puts(&self, puts: &mut Puts<'_>, owners: &FxHashSet<Owner>) {
        let (index, hierarchy) = (self.solver.index, self.solver.hierarchy);
        for &owner in owners {
            let Owner::Attribute(class, name) = owner else { continue };
            let ancestors = hierarchy.ancestors[class.0 as usize].iter();
            let family = ancestors.chain(hierarchy.descendants[class.0 as usize].iter());
            let family: FxHashSet<Cls> = family.copied().collect();
            let place = puts.into.len();
            puts.into.push(vec![owner]);
            for class in family {
                let stored = index.stored(class, name).map(|(func, value)| PutValue::At(func, value));
                puts.work.extend(stored.map(|value| Put { key: PutKey::Own(class), value, into: place }));
            }
        }
    }

    /// `T[key].append(value)`, `T.setdefault(key, value)`. A position in a list is not where things stay.
    fn adds(
        &mut self,
        puts: &mut Puts<'_>,
        owners: &FxHashMap<ContainerId, Vec<Owner>>,
        func: Func,
        callee: ExprId,
        args: &[Arg],
    ) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return };
        match args {
            [key, value] if self.does(func, name, &PUTS) => {
                let is_position = matches!(facts.expr(key.value), Expr::Lit(Lit::Int(_)));
                self.puts(
                    puts,
                    owners,
                    (func, base),
                    (!is_position).then_some((func, key.value)),
                    value.value,
                );
            }
            [.., value] if self.does(func, name, &ADDS) => {
                let entry = self.entry_of_table(func, base).filter(|entry| entry.attribute.is_none());
                let key = entry.map(|entry| (entry.scope, entry.key));
                self.puts(puts, owners, (func, base), key, value.value);
            }
            _ => {}
        }
    }

    /// Notes what is put into `base` if that is one of the tables.
    fn puts(
        &mut self,
        puts: &mut Puts<'_>,
        owners: &FxHashMap<ContainerId, Vec<Owner>>,
        (func, base): (Func, ExprId),
        key: Option<(Func, ExprId)>,
        value: ExprId,
    ) {
        let mut into = Vec::new();
        for ty in self.solver.eval(func, base) {
            if let Type::Container(id) = ty {
                into.extend(owners.get(&self.solver.containers.find(id)).into_iter().flatten().copied());
            }
        }
        if into.is_empty() {
            return;
        }
        into.sort_unstable();
        into.dedup();
        let key = key.map_or(PutKey::Open, |(func, key)| PutKey::At(func, key, Part::Itself));
        let place = puts.into.len();
        puts.into.push(into);
        for value in self.parts_of(func, value) {
            let value = PutValue::At(func, value);
            puts.work.push(Put { key: key.clone(), value, into: place });
        }
    }

    /// Follows what is put to the calls that give it.
    fn lift(&mut self, puts: &mut Puts<'_>, put: Put) {
        let key = match put.key.clone() {
            PutKey::At(func, expr, part) => self.key_of(func, expr, part),
            PutKey::Known(keys) => KeyOf::Known(keys),
            PutKey::Own(class) => KeyOf::Known(self.below(class).map(Key::Class).collect()),
            PutKey::Open => KeyOf::Open,
        };
        let value = match put.value {
            PutValue::At(func, expr) => self.sole_parameter(func, expr),
            PutValue::Any(..) | PutValue::Decorated(_) => None,
        };
        let (given, asked) = match (key, value) {
            (KeyOf::Open, _) => return self.found(puts, put.value, None, put.into),
            (KeyOf::Known(keys), None) => return self.found(puts, put.value, Some(keys), put.into),
            (KeyOf::Known(_), Some((func, _))) => (None, func),
            (KeyOf::Given { parameter, part }, _) => (Some((parameter, part)), parameter.0),
        };
        let wanted = Wanted { key: given, value };
        let before = puts.work.len();
        if let Some((owner, _)) = value.filter(|&(owner, _)| owner == asked) {
            self.lift_to_decorated(puts, &put, owner, wanted);
        }
        self.lift_to_callers(puts, &put, asked, wanted);
        if puts.work.len() == before {
            self.found(puts, put.value, None, put.into);
        }
    }

    /// The parameter that an expression is, if nothing else is ever bound to it.
    pub(super) fn sole_parameter(&self, func: Func, expr: ExprId) -> Option<(Func, u32)> {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let Expr::Var(var) = *facts.expr(expr) else { return None };
        let is_bound = index.definitions(index.var(func, var)).next().is_some();
        self.parameter(func, expr).filter(|_| !is_bound)
    }

    /// Asks each call of `asked` what it gives.
    fn lift_to_callers(
        &mut self,
        puts: &mut Puts<'_>,
        put: &Put,
        asked: Func,
        Wanted { key, value }: Wanted,
    ) {
        for id in puts.callers.of(asked).to_vec() {
            let edge = self.found.edges[id as usize];
            if self.solver.is_test_into_production(edge.from, asked) {
                continue;
            }
            let given_key = match (key, &put.key) {
                (Some(((_, position), part)), _) => {
                    self.given_at(&edge, asked, position).map(|(func, expr)| PutKey::At(func, expr, part))
                }
                (None, PutKey::Own(_)) => self.own_key(&edge, asked),
                (None, known) => Some(known.clone()),
            };
            let values = match value {
                None => Some(vec![put.value]),
                Some((owner, position)) if owner == asked => {
                    self.given_at(&edge, asked, position).map(|(func, expr)| vec![PutValue::At(func, expr)])
                }
                Some((owner, position)) => self.given_to_made(puts, edge.from, edge.at.expr, owner, position),
            };
            // What is not understood may be anything that ever arrives there, or stand under any key.
            let key = given_key.unwrap_or(PutKey::Open);
            let values = values.unwrap_or_else(|| vec![put.value.any()]);
            let lifted = values.into_iter().map(|value| Put { key: key.clone(), value, into: put.into });
            puts.work.extend(lifted);
        }
    }

    /// The functions below a decorator that puts them into a table itself, perhaps under their own names.
    fn lift_to_decorated(&self, puts: &mut Puts<'_>, put: &Put, taker: Func, Wanted { key, value }: Wanted) {
        for &func in puts.taken.get(&taker).into_iter().flatten() {
            let key = match (key, &put.key) {
                // Another decorator may put something of another name in its place.
                (Some((parameter, Part::Name)), _) if Some(parameter) == value && self.is_plain(func) => {
                    PutKey::Known(vec![Key::Name(self.solver.index.ir(func).name)])
                }
                (None, PutKey::Known(keys)) => PutKey::Known(keys.clone()),
                _ => PutKey::Open,
            };
            puts.work.push(Put { key, value: PutValue::Decorated(func), into: put.into });
        }
    }

    /// True below one decorator.
    fn is_plain(&self, func: Func) -> bool {
        let index = self.solver.index;
        index.units[index.file_of(func)].facts.list(index.ir(func).decorators).len() == 1
    }

    /// The class of the object, as the caller knows it.
    fn own_key(&mut self, edge: &Edge, method: Func) -> Option<PutKey> {
        match self.object_of_call(edge, method, Part::Class) {
            KeyOf::Known(keys) => Some(PutKey::Known(keys)),
            KeyOf::Given { parameter, .. } => {
                self.solver.index.method_of[parameter.0.0 as usize].map(PutKey::Own)
            }
            KeyOf::Open => None,
        }
    }

    /// What the function that a call hands back is given: the function below the decorator, the argument of the next call.
    fn given_to_made(
        &mut self,
        puts: &Puts<'_>,
        func: Func,
        made: ExprId,
        owner: Func,
        position: u32,
    ) -> Option<Vec<PutValue>> {
        if let Some(decorated) = puts.decorated.get(&made) {
            return Some(decorated.iter().map(|&func| PutValue::Decorated(func)).collect());
        }
        let calls = puts.callers.of(owner).iter().map(|&id| self.found.edges[id as usize]);
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let is_next = |expr: ExprId| matches!(*facts.expr(expr), Expr::Call { callee, .. } if callee == made);
        let next = calls.filter(|edge| edge.from == func && is_next(edge.at.expr)).collect::<Vec<_>>();
        let mut given = Vec::new();
        for edge in next {
            let (func, expr) = self.given_at(&edge, owner, position)?;
            given.push(PutValue::At(func, expr));
        }
        (!given.is_empty()).then_some(given)
    }

    fn found(&mut self, puts: &mut Puts<'_>, value: PutValue, keys: Option<Vec<Key>>, into: usize) {
        let values = match value {
            PutValue::At(func, expr) | PutValue::Any(func, expr) => self.solver.value(func, expr),
            PutValue::Decorated(func) => Value::Is(Type::Function(func)),
        };
        self.solver.settle();
        for &table in &puts.into[into] {
            let registered = Registered { keys: keys.clone(), values };
            puts.found.entry(table).or_default().push(registered);
        }
    }
}

/// What the entries belong to that a pattern binds.
fn tables_in(facts: &Facts, pat: PatId) -> Vec<ExprId> {
    let (mut found, mut work) = (Vec::new(), vec![pat]);
    while let Some(pat) = work.pop() {
        match *facts.pat(pat) {
            Pat::Seq { items, .. } => work.extend(facts.list(items)),
            Pat::Place(place) => {
                found.extend(if let Expr::Index { base, .. } = *facts.expr(place) {
                    Some(base)
                } else {
                    None
                });
            }
            _ => {}
        }
    }
    found
}
