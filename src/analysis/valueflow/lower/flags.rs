//! Flags: what the constructor of an object, or all calls of a function, have set.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bound::Flag;
use crate::analysis::branching::is_all;
use crate::ir::{Expr, ExprId, Lit, Sym};
use crate::link::{Cls, Func, Passed, Program, SharedMemo, Target};
use crate::parallel::Lazy;

/// What objects start as, looked up once.
#[derive(Default)]
pub(super) struct Switches {
    fields: SharedMemo<(Cls, Sym), Option<Flag>>,
    calls: Lazy<FxHashMap<Func, Vec<u32>>>,
    /// Attributes that something other than the object itself sets.
    set_outside: Lazy<FxHashSet<String>>,
}

impl Switches {
    /// The flags that all calls of a function set alike, if all of them are seen.
    pub fn everywhere(&self, program: &Program<'_>, func: Func) -> Vec<(u32, Flag)> {
        let facts = program.facts(program.function(func).file);
        let params = facts.list(program.ir(func).params);
        // What a library may call by itself, it gives what it likes.
        let is_open = |class: Cls| program.library_bases(class).next().is_some();
        let is_open = program.function(func).class.is_some_and(is_open);
        if is_open || params.iter().all(|param| param.default.is_none()) {
            return Vec::new();
        }
        let calls = self.calls(program).get(&func).map_or(&[][..], Vec::as_slice);
        let given: Option<Vec<_>> = calls.iter().map(|&edge| self.arguments(program, edge, func)).collect();
        let Some(given) = given.filter(|given| !given.is_empty()) else { return Vec::new() };
        let at = |at: u32, default: Option<ExprId>| {
            let default = constant(facts.expr(default?))?;
            one(given.iter().map(|(from, given)| {
                let own = given.iter().find(|(passed, _)| *passed == Passed::Param(at));
                own.map_or(Some(default), |&(_, value)| self.set(program, *from, value))
            }))
            .map(|flag| (at, flag))
        };
        (0..).zip(params).filter_map(|(nth, param)| at(nth, param.default)).collect()
    }

    /// What a call gives, if that is all: who only hands the function on says nothing.
    fn arguments(
        &self,
        program: &Program<'_>,
        edge: u32,
        func: Func,
    ) -> Option<(Func, Vec<(Passed, ExprId)>)> {
        let edge = &program.edges[edge as usize];
        let given = program.arguments(edge);
        is_all(program, edge, func, &given).then_some((edge.from, given))
    }

    /// A constant, or an attribute of the own object that is one.
    pub fn set(&self, program: &Program<'_>, func: Func, expr: ExprId) -> Option<Flag> {
        let facts = program.facts(program.function(func).file);
        match *facts.expr(expr) {
            Expr::Field { base, name } => {
                let Expr::Var(var) = *facts.expr(base) else { return None };
                self.field(program, program.own_class_of(func, var)?, name, facts.str(name))
            }
            ref other => constant(other),
        }
    }

    /// What an attribute of the own object is, unless whoever makes the object wants it otherwise.
    fn field(&self, program: &Program<'_>, class: Cls, name: Sym, text: &str) -> Option<Flag> {
        self.fields.of((class, name), || {
            // A class below may turn it off.
            let related = program.lineage(class).iter().chain(program.subclasses(class));
            let stored: Vec<_> = related.flat_map(|&of| program.stored(of, text)).collect();
            let is_open = stored.is_empty() || self.set_outside.of(|| set_outside(program)).contains(text);
            let values = stored.into_iter().flat_map(|(func, value)| self.starts(program, func, value));
            // What has to be turned on first is looked at as if it were.
            if is_open { None } else { one(values).filter(|flag| flag.holds()) }
        })
    }

    /// What a value is: itself, or what constructors are given for it.
    fn starts(&self, program: &Program<'_>, func: Func, value: ExprId) -> Vec<Option<Flag>> {
        let facts = program.facts(program.function(func).file);
        let known = constant(facts.expr(value));
        let Expr::Var(var) = *facts.expr(value) else { return vec![known] };
        let slot = program.slot_of(func, var);
        let Some((owner, at)) = program.parameter_of(slot) else { return vec![None] };
        if owner != func || program.definitions(slot).next().is_some() {
            return vec![None];
        }
        let default = facts.list(program.ir(func).params).get(at as usize).and_then(|it| it.default);
        let own = default.map(|default| constant(facts.expr(default)));
        let calls = self.calls(program).get(&func).into_iter().flatten();
        let given = calls.flat_map(|&edge| {
            let Some((from, given)) = self.arguments(program, edge, func) else { return vec![None] };
            let facts = program.facts(program.function(from).file);
            let own = given.into_iter().filter(|&(passed, _)| passed == Passed::Param(at));
            own.map(|(_, value)| constant(facts.expr(value))).collect::<Vec<_>>()
        });
        own.into_iter().chain(given).collect()
    }

    /// By function, its calls and where else it is run.
    fn calls(&self, program: &Program<'_>) -> &FxHashMap<Func, Vec<u32>> {
        self.calls.of(|| {
            let mut found: FxHashMap<Func, Vec<u32>> = FxHashMap::default();
            for (at, edge) in (0..).zip(&program.edges) {
                if let Target::Project(callee) = edge.to
                    && !program.is_test_code(edge.from)
                {
                    found.entry(callee).or_default().push(at);
                }
            }
            found
        })
    }
}

/// What all are, if all are the same.
fn one(mut flags: impl Iterator<Item = Option<Flag>>) -> Option<Flag> {
    let first = flags.next()??;
    flags.all(|flag| flag == Some(first)).then_some(first)
}

pub(super) fn constant(expr: &Expr) -> Option<Flag> {
    match *expr {
        Expr::Lit(Lit::None) => Some(Flag::None),
        Expr::Lit(Lit::Bool(true)) => Some(Flag::True),
        Expr::Lit(Lit::Bool(false)) => Some(Flag::False),
        _ => None,
    }
}

fn set_outside(program: &Program<'_>) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for func in (0..program.functions.len() as u32).map(Func).filter(|&func| !program.is_test_code(func)) {
        let facts = program.facts(program.function(func).file);
        for expr in program.ir(func).exprs.iter() {
            let Expr::Store { place, .. } = *facts.expr(expr) else { continue };
            let Expr::Field { base, name } = *facts.expr(place) else { continue };
            let is_own = match *facts.expr(base) {
                Expr::Var(var) => program.own_class_of(func, var).is_some(),
                _ => false,
            };
            if !is_own {
                found.insert(facts.str(name).to_owned());
            }
        }
    }
    found
}
