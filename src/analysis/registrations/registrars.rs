//! Functions of the project that register what they are given: a parameter ends in something that keeps tools, is marked as
//! one, or is handed to somebody who does that with it. Read from their bodies, whatever they are called.

use rustc_hash::FxHashMap;

use super::constructed::without_arguments;
use crate::analysis::decorators::made_by;
use crate::catalog::{Argument, Catalog, DataOp, Offers, Registration};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Facts, ListOf, Lit};
use crate::link::{Edge, EdgeKind, Func, Meant, Program, Target, argument};

/// What each of them registers, as the catalogue would say it.
#[derive(Default)]
pub(super) struct Registrars(FxHashMap<Func, Registration>);

impl Registrars {
    pub fn find(program: &Program<'_>, catalog: &Catalog, words: &Words) -> Self {
        let mut reading = Reading { program, catalog, words, kept: Kept::default(), new: Vec::new() };
        (0..program.functions.len() as u32).map(Func).for_each(|func| reading.function(func));
        reading.handed_on();
        let all = reading.kept.iter().map(|(&func, params)| (func, registration(program, func, params)));
        Self(all.collect())
    }

    /// What a call of this function registers.
    pub fn of(&self, func: Func) -> Option<&Registration> {
        self.0.get(&func)
    }

    /// What stands below this decorator is registered.
    pub fn by_decorator(&self, program: &Program<'_>, decorator: Func) -> Option<&Registration> {
        made_by(program, decorator).into_iter().find_map(|maker| self.of(maker))
    }
}

/// Of each function the parameters that are kept, and whether they are names.
type Kept = FxHashMap<Func, Vec<(u32, Role)>>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Tool,
    /// What the tool is kept under.
    Name,
}

/// The words of the catalogue, asked once for each name of the program.
pub(super) struct Words {
    pub holders: Meant,
    keepers: Meant,
    members: Meant,
    pub lists: Meant,
    marks: Meant,
    pub makers: Meant,
    pub dispatchers: Meant,
    subjects: Meant,
    calls: Meant,
    names: Meant,
}

impl Words {
    pub fn of(program: &Program<'_>, catalog: &Catalog) -> Self {
        let offers: &Offers = &catalog.registrations.offers;
        Self {
            holders: program.meant(|name| offers.is_holder(name)),
            keepers: program.meant(|name| offers.is_keeper(name)),
            members: program.meant(|name| offers.is_member(name)),
            lists: program.meant(|name| offers.is_list(name)),
            marks: program.meant(|name| offers.is_mark(name)),
            makers: program.meant(|name| offers.is_maker(name)),
            dispatchers: program.meant(|name| offers.is_dispatcher(name)),
            subjects: program.meant(|name| offers.is_subject(name)),
            calls: program.meant(|name| offers.is_call(name)),
            names: program.meant(|name| catalog.registrations.names.iter().any(|known| known == name)),
        }
    }

    /// True for something that keeps tools by its name, or because the object does that it belongs to.
    pub fn holds(&self, program: &Program<'_>, func: Func, expr: ExprId) -> bool {
        let facts = program.facts(program.function(func).file);
        let is_named = facts.last_name(program.ir(func), expr).is_some_and(|name| self.holders.has(name));
        is_named || matches!(facts.expr(expr), Expr::Field { .. }) && self.is_kept_by_own(program, func, expr)
    }

    /// True for the name of a tool that is to run, in a function that runs one: `name`, `tool_call.name`, `call["name"]`.
    pub fn is_name_of_tool(&self, program: &Program<'_>, func: Func, expr: ExprId) -> bool {
        let last = |func: Func, expr: ExprId| {
            program.facts(program.function(func).file).last_name(program.ir(func), expr)
        };
        if last(func, expr).is_some_and(|name| self.subjects.has(name)) {
            return true;
        }
        let (func, expr) = program.bound(func, expr);
        let facts = program.facts(program.function(func).file);
        let is_call = |base: ExprId| last(func, base).is_some_and(|name| self.calls.has(name));
        let is_name =
            |key: ExprId| matches!(*facts.expr(key), Expr::Lit(Lit::Str(key)) if self.names.has(key));
        match *facts.expr(expr) {
            Expr::Var(var) => {
                let is_given = program.parameter_of(program.slot_of(func, var)).is_some();
                is_given && last(func, expr).is_some_and(|name| self.names.has(name))
            }
            Expr::Field { base, name } => self.names.has(name) && is_call(base),
            Expr::Index { base, key } => is_name(key) && is_call(base),
            Expr::Call { callee, args, .. } => match (facts.expr(callee), facts.list(args)) {
                (Expr::Field { base, .. }, [key, ..]) => is_name(key.value) && is_call(*base),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_kept_by_own(&self, program: &Program<'_>, func: Func, expr: ExprId) -> bool {
        let facts = program.facts(program.function(func).file);
        let Expr::Field { base, name } = *facts.expr(expr) else { return false };
        let Some(class) = program.function(func).class else { return false };
        let keeps = program.symbol_of(program.class_name(class)).is_some_and(|name| self.keepers.has(name));
        // `_callbacks` of a registry of tools keeps callbacks.
        keeps && self.members.has(name) && program.is_own_object(func, base)
    }
}

/// What puts something into a collection: the last argument.
const ADDS: [DataOp; 6] =
    [DataOp::Append, DataOp::Prepend, DataOp::Add, DataOp::Insert, DataOp::SetEntry, DataOp::GetOrInsert];

struct Reading<'f, 'a> {
    program: &'f Program<'a>,
    catalog: &'f Catalog,
    words: &'f Words,
    kept: Kept,
    /// Functions of which something is known that their callers have not been told.
    new: Vec<Func>,
}

impl Reading<'_, '_> {
    fn function(&mut self, func: Func) {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        for expr in program.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Store { place, value: Some(value), .. } => match *facts.expr(place) {
                    Expr::Index { base, key } if self.words.holds(program, func, base) => {
                        self.keep(func, value, Role::Tool);
                        self.keep(func, key, Role::Name);
                    }
                    Expr::Field { base, name } if self.words.marks.has(name) => {
                        self.keep(func, base, Role::Tool)
                    }
                    _ => {}
                },
                Expr::Call { callee, args, .. } => self.call(func, expr, callee, args),
                _ => {}
            }
        }
    }

    /// `TOOLS.append(f)`, `setattr(f, "is_tool", True)`, `Tool(name, f)`.
    fn call(&mut self, func: Func, call: ExprId, callee: ExprId, args: ListOf<Arg>) {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let args = facts.list(args);
        let operations = &self.catalog.operations;
        if let Expr::Field { base, name } = *facts.expr(callee)
            && operations.of_name(facts.str(name)).is_some_and(|does| ADDS.contains(&does))
            && self.words.holds(program, func, base)
        {
            args.last().into_iter().for_each(|arg| self.keep(func, arg.value, Role::Tool));
            if let [key, _] = args {
                self.keep(func, key.value, Role::Name);
            }
            return;
        }
        let named = without_arguments(facts, callee);
        let Some(name) = facts.last_name(program.ir(func), named) else { return };
        if operations.may_be(facts.str(name), &[DataOp::SetAttribute]) {
            let marked = argument(facts, args, Some(1), None).and_then(|name| program.text(func, name));
            let is_mark = marked.is_some_and(|mark| self.catalog.registrations.offers.is_mark(&mark));
            let object = argument(facts, args, Some(0), None).filter(|_| is_mark);
            object.into_iter().for_each(|object| self.keep(func, object, Role::Tool));
        } else if self.words.makers.has(name) && makes(program, func, call, callee) {
            let functions = args.iter().filter(|arg| may_be_function(self.catalog, facts, arg));
            functions.for_each(|arg| self.keep(func, arg.value, Role::Tool));
        }
    }

    /// What is handed to a function that keeps it, until nothing is new.
    fn handed_on(&mut self) {
        let mut calls: FxHashMap<Func, Vec<&Edge>> = FxHashMap::default();
        for edge in self.program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
            if let Target::Project(callee) = edge.to {
                calls.entry(callee).or_default().push(edge);
            }
        }
        while let Some(callee) = self.new.pop() {
            let params = self.kept.get(&callee).cloned().unwrap_or_default();
            for edge in calls.get(&callee).into_iter().flatten() {
                let facts = self.program.facts(edge.at.file);
                let Expr::Call { args, .. } = *facts.expr(edge.at.expr) else { continue };
                for &(param, role) in &params {
                    let Argument { index, name } = given(self.program, callee, param);
                    let value = argument(facts, facts.list(args), index, name.as_deref());
                    value.into_iter().for_each(|value| self.keep(edge.from, value, role));
                }
            }
        }
    }

    /// Notes the parameters that a value is made of.
    fn keep(&mut self, func: Func, value: ExprId, role: Role) {
        let own = |&(owner, param): &(Func, u32)| !self.program.is_receiver(owner, param);
        for (owner, param) in parameters(self.program, func, value).into_iter().filter(own) {
            let known = self.kept.entry(owner).or_default();
            if !known.contains(&(param, role)) {
                known.push((param, role));
                self.new.push(owner);
            }
        }
    }
}

/// The parameters that a value is, holds or closes over, also of the functions around.
fn parameters(program: &Program<'_>, func: Func, value: ExprId) -> Vec<(Func, u32)> {
    let mut found = Vec::new();
    let mut left = vec![(func, value, super::lists::MAX_DEPTH)];
    while let Some((func, value, depth)) = left.pop() {
        let Some(depth) = depth.checked_sub(1) else { continue };
        let facts = program.facts(program.function(func).file);
        let mut next =
            |values: &mut dyn Iterator<Item = ExprId>| left.extend(values.map(|it| (func, it, depth)));
        match *facts.expr(value) {
            Expr::Var(var) => {
                let slot = program.slot_of(func, var);
                found.extend(program.parameter_of(slot));
                left.extend(program.definitions(slot).map(|(func, value)| (func, value, depth)));
            }
            Expr::Closure(inner) => {
                let slots =
                    facts.list(program.ir(inner).captures).iter().map(|it| program.slot_of(inner, it.inner));
                found.extend(slots.filter_map(|slot| program.parameter_of(slot)));
            }
            Expr::Call { args, .. } => next(&mut facts.list(args).iter().map(|arg| arg.value)),
            Expr::Seq(items) => next(&mut facts.list(items).iter().copied()),
            Expr::Record(entries) => {
                let keyed = facts.list(entries).iter().filter(|entry| matches!(entry.key, EntryKey::Expr(_)));
                next(&mut keyed.map(|entry| entry.value));
            }
            Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => {
                next(&mut [value].into_iter())
            }
            _ => {}
        }
    }
    found
}

/// A parameter as a caller gives it.
fn given(program: &Program<'_>, func: Func, param: u32) -> Argument {
    let facts = program.facts(program.function(func).file);
    let name =
        facts.list(program.ir(func).params).get(param as usize).map(|it| facts.str(it.name).to_owned());
    let index = param as usize - usize::from(program.is_receiver(func, 0));
    Argument { index: Some(index), name }
}

fn registration(program: &Program<'_>, func: Func, params: &[(u32, Role)]) -> Registration {
    let of = |wanted: Role| {
        let params = params.iter().filter(move |(_, role)| *role == wanted);
        params.map(|(param, _)| given(program, func, *param))
    };
    let named: Vec<Argument> = of(Role::Name).collect();
    let named_at = named.first().and_then(|name| name.index);
    let named = named.into_iter().filter_map(|name| name.name).collect();
    Registration::of_project(of(Role::Tool).collect(), named, named_at)
}

/// A call that makes an object, or of a function that nobody can read.
pub(super) fn makes(program: &Program<'_>, func: Func, call: ExprId, callee: ExprId) -> bool {
    let is_written = |edge: &Edge| edge.kind == EdgeKind::Call && matches!(edge.to, Target::Project(_));
    program.class_named(func, callee).is_some() || !program.edges_at(func, call).iter().any(is_written)
}

/// Positional, or under a name that functions have.
pub(super) fn may_be_function(catalog: &Catalog, facts: &Facts, arg: &Arg) -> bool {
    match arg.kind {
        ArgKind::Named(name) => catalog.handlers.function.iter().any(|known| known == facts.str(name)),
        _ => true,
    }
}
