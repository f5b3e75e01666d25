//! The constant texts in a set, a list, the keys of a table or an enumeration, with what the program adds to it later. What
//! is not known as a whole is not known at all: a missing event would be a wrong finding.

mod wrapped;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::definitions::Definitions;
use crate::catalog::Catalog;
use crate::catalog::DataOp::{
    Add, Append, Copy, Difference, Extend, GetOrInsert, Keys, MakeCollection, MakeMapping, MakeSet, MakeView,
    MemberName, MemberValue, MembersByName, MembersByValue, SetEntry, TypeArguments, Union, Update,
};
use crate::ir::{Arg, Entry, EntryKey, Expr, ExprId, Facts, Op, VarId};
use crate::link::{Cls, EdgeKind, Func, Passed, Program, Target, Variable};

/// A set of sets of sets; more is a cycle.
const MAX_HOPS: u32 = 12;

type Texts = BTreeSet<String>;

/// What holds a set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Holder {
    Variable(Variable),
    /// An attribute of the objects of a class.
    Attribute(Cls, String),
}

/// Something that is added: an element, or all of another set.
#[derive(Clone, Copy, Debug)]
enum Added {
    One(Func, ExprId),
    All(Func, ExprId),
}

pub struct Sets<'s, 'a> {
    program: &'s Program<'a>,
    catalog: &'s Catalog,
    /// Looked for in the whole program once somebody asks for a set.
    added: OnceCell<FxHashMap<Holder, Vec<Added>>>,
}

impl<'s, 'a> Sets<'s, 'a> {
    pub fn new(program: &'s Program<'a>, catalog: &'s Catalog) -> Self {
        Self { program, catalog, added: OnceCell::new() }
    }

    fn facts(&self, func: Func) -> &'a Facts {
        self.program.facts(self.program.function(func).file)
    }

    /// What production code adds to sets after they were made.
    fn added(&self) -> FxHashMap<Holder, Vec<Added>> {
        let mut found: FxHashMap<Holder, Vec<Added>> = FxHashMap::default();
        let functions = (0..self.program.functions.len() as u32).map(Func);
        for func in functions.filter(|&func| !self.program.is_test_code(func)) {
            for expr in self.program.ir(func).exprs.iter() {
                let Some((place, added)) = self.adds(func, expr) else { continue };
                if let Some(holder) = self.holder(func, place) {
                    found.entry(holder).or_default().extend(added);
                }
            }
        }
        found
    }

    /// `EVENTS.add("x")`, `EVENTS |= MORE`, `EVENTS["x"] = ...`.
    fn adds(&self, func: Func, expr: ExprId) -> Option<(ExprId, Vec<Added>)> {
        let facts = self.facts(func);
        match *facts.expr(expr) {
            Expr::Call { callee, args, .. } => {
                let Expr::Field { base, name } = *facts.expr(callee) else { return None };
                let args = facts.list(args);
                match self.catalog.operations.of_method(facts.lang, facts.str(name))? {
                    Add | Append | GetOrInsert | SetEntry => {
                        Some((base, vec![Added::One(func, args.first()?.value)]))
                    }
                    Update | Extend => {
                        Some((base, args.iter().map(|arg| Added::All(func, arg.value)).collect()))
                    }
                    _ => None,
                }
            }
            Expr::Store { place, op: Some(Op::BitOr | Op::Add), value: Some(value) } => {
                Some((place, vec![Added::All(func, value)]))
            }
            Expr::Store { place, op: None, value: Some(_) } => match *facts.expr(place) {
                Expr::Index { base, key } => Some((base, vec![Added::One(func, key)])),
                _ => None,
            },
            _ => None,
        }
    }

    fn holder(&self, func: Func, place: ExprId) -> Option<Holder> {
        if let Some(variable) = self.variable(func, place) {
            return Some(Holder::Variable(variable));
        }
        let facts = self.facts(func);
        let Expr::Field { base, name } = *facts.expr(place) else { return None };
        let class = self.program.own_class(func, base)?;
        Some(Holder::Attribute(class, facts.str(name).to_owned()))
    }

    /// The variable behind other names for it.
    fn variable(&self, func: Func, place: ExprId) -> Option<Variable> {
        let (mut func, mut place) = (func, place);
        let mut found = None;
        for _ in 0..MAX_HOPS {
            let Some(variable) = self.program.variable(func, place) else { break };
            found = Some(variable);
            let slot = self.program.slot_of(variable.func, variable.var);
            let mut values = self.program.definitions(slot);
            let (Some((owner, value)), None) = (values.next(), values.next()) else { break };
            if !matches!(
                self.facts(owner).expr(value),
                Expr::Import(_) | Expr::Var(_) | Expr::Free(_) | Expr::Field { .. }
            ) {
                break;
            }
            (func, place) = (owner, value);
        }
        found
    }

    /// All texts in the set, if there can be no others.
    pub fn members(&self, func: Func, set: ExprId) -> Option<Texts> {
        let mut seen = FxHashSet::default();
        self.within(func, set, &mut seen, MAX_HOPS)
    }

    fn within(&self, func: Func, set: ExprId, seen: &mut FxHashSet<Holder>, hops: u32) -> Option<Texts> {
        let hops = hops.checked_sub(1)?;
        let facts = self.facts(func);
        if let Some(class) = self.enumeration(func, set) {
            return self.of_enum(class, false);
        }
        match *facts.expr(set) {
            Expr::Seq(items) => self.elements(func, facts.list(items), seen, hops),
            Expr::Record(entries) => self.keys(func, facts.list(entries), seen, hops),
            Expr::Op { op: Op::BitOr | Op::Add, args } => self.union(func, facts.list(args), seen, hops),
            // What is taken away would only be missing.
            Expr::Op { op: Op::Sub, args } => self.within(func, *facts.list(args).first()?, seen, hops),
            Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => {
                self.within(func, value, seen, hops)
            }
            Expr::Collect { body: _, item } => self.collected(func, item, seen, hops),
            Expr::Call { callee, args, .. } => self.made(func, (set, callee), facts.list(args), seen, hops),
            Expr::Field { base, name } => self.attribute((func, set), base, facts.str(name), seen, hops),
            _ => self.held(self.holder(func, set)?, seen, hops),
        }
    }

    fn enumeration(&self, func: Func, expr: ExprId) -> Option<Cls> {
        self.program.class_named(func, expr).filter(|&class| self.program.is_enum(class))
    }

    /// `{"a", "b", *MORE}`.
    fn elements(
        &self,
        func: Func,
        items: &[ExprId],
        seen: &mut FxHashSet<Holder>,
        hops: u32,
    ) -> Option<Texts> {
        let mut texts = Texts::new();
        for &item in items {
            match *self.facts(func).expr(item) {
                Expr::Spread(inner) => texts.extend(self.within(func, inner, seen, hops)?),
                // Of a mapping that is made of pairs, the keys.
                Expr::Seq(pair) if self.facts(func).profile().maps_are_pairs => {
                    let key = *self.facts(func).list(pair).first()?;
                    texts.insert(self.program.text(func, key)?);
                }
                _ => drop(texts.insert(self.program.text(func, item)?)),
            }
        }
        Some(texts)
    }

    /// `{"a": 1, **MORE}`.
    fn keys(&self, func: Func, entries: &[Entry], seen: &mut FxHashSet<Holder>, hops: u32) -> Option<Texts> {
        let mut texts = Texts::new();
        for entry in entries {
            match entry.key {
                EntryKey::Expr(key) => drop(texts.insert(self.program.text(func, key)?)),
                EntryKey::Spread => texts.extend(self.within(func, entry.value, seen, hops)?),
            }
        }
        Some(texts)
    }

    fn union(&self, func: Func, sets: &[ExprId], seen: &mut FxHashSet<Holder>, hops: u32) -> Option<Texts> {
        let mut texts = Texts::new();
        for &set in sets {
            texts.extend(self.within(func, set, seen, hops)?);
        }
        Some(texts)
    }

    /// `AuditEvent.__members__`, `self.EVENTS`.
    fn attribute(
        &self,
        (func, set): (Func, ExprId),
        base: ExprId,
        name: &str,
        seen: &mut FxHashSet<Holder>,
        hops: u32,
    ) -> Option<Texts> {
        match (self.enumeration(func, base), self.catalog.operations.of_name(name)) {
            (Some(class), Some(MembersByName)) => return self.of_enum(class, true),
            (Some(class), Some(MembersByValue)) => return self.of_enum(class, false),
            _ => {}
        }
        let mut texts = self.held(self.holder(func, set)?, seen, hops)?;
        for (body, value) in self.overrides(func, base, name) {
            texts.extend(self.within(body, value, seen, hops)?);
        }
        Some(texts)
    }

    /// What a variable, or an attribute, is bound to, and what is added to it.
    fn held(&self, holder: Holder, seen: &mut FxHashSet<Holder>, hops: u32) -> Option<Texts> {
        let mut texts = Texts::new();
        if !seen.insert(holder.clone()) {
            return Some(texts);
        }
        let values: Vec<(Func, ExprId)> = match &holder {
            Holder::Variable(variable) => {
                let slot = self.program.slot_of(variable.func, variable.var);
                if self.program.parameter_of(slot).is_some() {
                    return None;
                }
                self.program.definitions(slot).collect()
            }
            Holder::Attribute(class, name) => self.program.stored(*class, name).collect(),
        };
        if values.is_empty() {
            return None;
        }
        for (func, value) in values {
            texts.extend(self.within(func, value, seen, hops)?);
        }
        for &added in self.added.get_or_init(|| self.added()).get(&holder).into_iter().flatten() {
            match added {
                Added::One(func, expr) => texts.extend(self.one(func, expr, hops)?),
                Added::All(func, expr) => texts.extend(self.within(func, expr, seen, hops)?),
            }
        }
        Some(texts)
    }

    /// What subclasses put in the place of `self.EVENTS`: the object may be one of theirs.
    fn overrides(&self, func: Func, base: ExprId, name: &str) -> Vec<(Func, ExprId)> {
        let Some(class) = self.program.own_class(func, base) else { return Vec::new() };
        let subclasses = self.program.subclasses(class).iter().filter(|&&sub| sub != class);
        let of_class = |&sub: &Cls| self.program.declared(sub, name).chain(self.program.stored(sub, name));
        subclasses.flat_map(of_class).collect()
    }

    /// An element: a constant, or a parameter that every caller gives one.
    fn one(&self, func: Func, expr: ExprId, hops: u32) -> Option<Texts> {
        let hops = hops.checked_sub(1)?;
        let values = self.program.possible(func, expr);
        if values.complete && values.list.iter().all(|value| value.whole) {
            return Some(values.list.into_iter().map(|value| value.text).collect());
        }
        let at = super::own_parameter(self.program, func, expr)?;
        let mut texts = Texts::new();
        for edge in self.program.edges.iter().filter(|edge| edge.to == Target::Project(func)) {
            let mut given = self.program.arguments(edge).into_iter();
            let (_, given) = given.find(|(passed, _)| *passed == Passed::Param(at))?;
            texts.extend(self.one(edge.from, given, hops)?);
        }
        Some(texts)
    }

    /// `frozenset({…})`, `EVENTS.keys()`, `EVENTS.union(MORE)`, `get_args(Event)`, a function that hands one back.
    fn made(
        &self,
        func: Func,
        (call, callee): (ExprId, ExprId),
        args: &[Arg],
        seen: &mut FxHashSet<Holder>,
        hops: u32,
    ) -> Option<Texts> {
        let facts = self.facts(func);
        let path = self.program.library_path(func, callee);
        if facts.profile().has_wrappers
            && let Some((func, set)) = self.wrapped(func, callee, path, args)
        {
            return set.map_or(Some(Texts::new()), |set| self.within(func, set, seen, hops));
        }
        match path.and_then(|path| self.catalog.operations.of_call(path)) {
            Some(MakeCollection | MakeSet | MakeMapping | MakeView) => {
                return match args {
                    [] => Some(Texts::new()),
                    [only] => self.within(func, only.value, seen, hops),
                    _ => None,
                };
            }
            Some(TypeArguments) => {
                return self.literals(func, args.first()?.value);
            }
            _ => {}
        }
        if let Expr::Field { base, name } = *facts.expr(callee) {
            match self.catalog.operations.of_name(facts.str(name)) {
                Some(Keys | Copy | Difference) => return self.within(func, base, seen, hops),
                Some(Union) => {
                    let sets: Vec<ExprId> = args.iter().map(|arg| arg.value).chain([base]).collect();
                    return self.union(func, &sets, seen, hops);
                }
                _ => {}
            }
        }
        let mut makers =
            self.program.edges_at(func, call).iter().filter_map(|edge| match (edge.kind, edge.to) {
                (EdgeKind::Call, Target::Project(maker)) => Some(maker),
                _ => None,
            });
        let (Some(maker), None) = (makers.next(), makers.next()) else { return None };
        let returned: Vec<ExprId> = self.program.returns(maker).collect();
        (!returned.is_empty()).then(|| self.union(maker, &returned, seen, hops))?
    }

    /// `Literal["a", "b"]`, by its name.
    fn literals(&self, func: Func, expr: ExprId) -> Option<Texts> {
        let (func, expr) = self.program.bound(func, expr);
        let facts = self.facts(func);
        let Expr::Index { key, .. } = *facts.expr(expr) else { return None };
        match *facts.expr(key) {
            Expr::Seq(items) => facts.list(items).iter().map(|&item| self.program.text(func, item)).collect(),
            _ => self.program.text(func, key).map(|text| Texts::from([text])),
        }
    }

    /// `{event.value for event in AuditEvent}`, `{event for event in EVENTS}`.
    fn collected(&self, func: Func, item: ExprId, seen: &mut FxHashSet<Holder>, hops: u32) -> Option<Texts> {
        let facts = self.facts(func);
        match *facts.expr(item) {
            Expr::Var(var) => self.within(func, self.looped(func, var)?, seen, hops),
            Expr::Field { base, name } => {
                let Expr::Var(var) = *facts.expr(base) else { return None };
                let class = self.program.class_named(func, self.looped(func, var)?)?;
                let by_name = match self.catalog.operations.of_name(facts.str(name)) {
                    Some(MemberValue) => false,
                    Some(MemberName) => true,
                    _ => return None,
                };
                self.program.is_enum(class).then(|| self.of_enum(class, by_name))?
            }
            _ => None,
        }
    }

    fn looped(&self, func: Func, var: VarId) -> Option<ExprId> {
        match Definitions::new(self.program, self.catalog, func).of(var) {
            [only] if only.of_loop.is_some() => Some(only.value),
            _ => None,
        }
    }

    /// The values, or the names, of the members.
    pub fn of_enum(&self, class: Cls, by_name: bool) -> Option<Texts> {
        let mut texts = Texts::new();
        let body = self.program.class_body(class);
        let facts = self.facts(body);
        for export in facts.list(self.program.ir(body).exports) {
            let name = facts.str(export.name);
            let slot = self.program.slot_of(body, export.var);
            let values: Vec<(Func, ExprId)> = self.program.definitions(slot).collect();
            let is_member = |&(func, value): &(Func, ExprId)| {
                !matches!(self.facts(func).expr(value), Expr::Closure(_) | Expr::Class(_))
            };
            if name.starts_with('_') || !values.iter().all(is_member) {
                continue;
            }
            match by_name {
                true => drop(texts.insert(name.to_owned())),
                false => {
                    for (func, value) in values {
                        texts.insert(self.program.text(func, value)?);
                    }
                }
            }
        }
        (!texts.is_empty()).then_some(texts)
    }
}
