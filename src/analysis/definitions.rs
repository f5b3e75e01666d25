//! What the variables of one function are bound to, and through which reads: `for k, v in d.items()` binds `v` to the second
//! of any item of `d.items()`. The front end has split names by reaching definitions, so a variable has few of them.

use rustc_hash::FxHashMap;

use crate::catalog::DataOp::{Add, Append, Insert, Prepend};
use crate::catalog::{Catalog, DataOps};
use crate::ir::{ArgKind, Expr, ExprId, Facts, ParamKind, Pat, PatId, Sym, VarId};
use crate::link::{Func, Program};

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// An attribute, or an entry with this key.
    Name(Sym),
    At(u32),
    /// Some element.
    Any,
}

/// One way for a variable to get its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    pub value: ExprId,
    /// What is read of the value, the first read first.
    pub reads: Vec<Read>,
    /// The variable does not become the value but gets it as an element (`pages.append(page)`).
    pub is_element: bool,
    /// The loop whose variable it is.
    pub of_loop: Option<ExprId>,
}

/// The definitions of one function.
#[derive(Debug, Default)]
pub struct Definitions {
    of: FxHashMap<VarId, Vec<Definition>>,
    params: FxHashMap<VarId, ParamKind>,
    /// Attributes that the function assigns: of which variable, the name, the value.
    fields: FxHashMap<(VarId, Sym), Vec<ExprId>>,
}

impl Definitions {
    pub fn new(program: &Program<'_>, catalog: &Catalog, func: Func) -> Self {
        let facts = program.facts(program.function(func).file);
        let function = program.ir(func);
        let mut found = Collector { operations: &catalog.operations, facts, out: Definitions::default() };
        for param in facts.list(function.params) {
            if let Pat::Var(var) = *facts.pat(param.pat) {
                found.out.params.insert(var, param.kind);
            }
        }
        function.exprs.iter().for_each(|id| found.expr(id));
        found.out
    }

    pub fn of(&self, var: VarId) -> &[Definition] {
        self.of.get(&var).map_or(&[], Vec::as_slice)
    }

    pub fn parameter(&self, var: VarId) -> Option<ParamKind> {
        self.params.get(&var).copied()
    }

    /// What the function assigns to this attribute of the object in `var`.
    pub fn field(&self, var: VarId, name: Sym) -> impl Iterator<Item = ExprId> + '_ {
        self.fields.get(&(var, name)).into_iter().flatten().copied()
    }
}

struct Collector<'f, 'a> {
    operations: &'f DataOps,
    facts: &'a Facts,
    out: Definitions,
}

impl Collector<'_, '_> {
    fn expr(&mut self, id: ExprId) {
        let facts = self.facts;
        match *facts.expr(id) {
            Expr::Bind { pat, value } => self.pattern(pat, untyped(facts, value), &mut Vec::new(), None),
            Expr::Loop(at) => {
                if let Some((pat, iterable)) = facts.arenas.loop_at(at).each {
                    self.pattern(pat, iterable, &mut vec![Read::Any], Some(id));
                }
            }
            Expr::With { context, pat: Some(pat), .. } => self.pattern(pat, context, &mut Vec::new(), None),
            Expr::Match { subject, arms } => {
                for arm in facts.list(arms) {
                    self.pattern(arm.pat, subject, &mut Vec::new(), None);
                }
            }
            Expr::Store { place, value: Some(value), op: None } => self.store(place, value),
            Expr::Call { callee, args, .. } => {
                let Expr::Field { base, name } = *facts.expr(callee) else { return };
                let Expr::Var(var) = *facts.expr(base) else { return };
                let does = self.operations.of_name(facts.str(name));
                if matches!(does, Some(Append | Add | Prepend | Insert)) {
                    let mut args = facts.list(args).iter().filter(|arg| arg.kind == ArgKind::Positional);
                    args.next_back().into_iter().for_each(|arg| self.element(var, arg.value));
                }
            }
            _ => {}
        }
    }

    fn store(&mut self, place: ExprId, value: ExprId) {
        let facts = self.facts;
        match *facts.expr(place) {
            Expr::Field { base, name } => {
                if let Expr::Var(var) = *facts.expr(base) {
                    self.out.fields.entry((var, name)).or_default().push(untyped(facts, value));
                }
            }
            Expr::Index { base, .. } => {
                if let Expr::Var(var) = *facts.expr(base) {
                    self.element(var, value);
                }
            }
            _ => {}
        }
    }

    fn element(&mut self, var: VarId, value: ExprId) {
        let definition = Definition { value, reads: Vec::new(), is_element: true, of_loop: None };
        self.out.of.entry(var).or_default().push(definition);
    }

    fn pattern(&mut self, pat: PatId, value: ExprId, reads: &mut Vec<Read>, of_loop: Option<ExprId>) {
        let facts = self.facts;
        match *facts.pat(pat) {
            Pat::Var(var) => self.define(var, value, reads, of_loop),
            Pat::As { pat, var } => {
                self.define(var, value, reads, of_loop);
                self.pattern(pat, value, reads, of_loop);
            }
            Pat::Seq { items, rest } => {
                for (at, &item) in facts.list(items).iter().enumerate() {
                    match rest {
                        Some(rest) if rest.0 as usize == at => self.pattern(item, value, reads, of_loop),
                        Some(rest) if (rest.0 as usize) < at => {
                            self.read(item, value, reads, Read::Any, of_loop)
                        }
                        _ => self.read(item, value, reads, Read::At(at as u32), of_loop),
                    }
                }
            }
            Pat::Record { items, rest } => {
                for field in facts.list(items) {
                    self.read(field.pat, value, reads, Read::Name(field.name), of_loop);
                }
                // What the others leave is a copy.
                rest.into_iter().for_each(|rest| self.pattern(rest, value, reads, of_loop));
            }
            Pat::Ctor { items, named, .. } => {
                for &item in facts.list(items) {
                    self.read(item, value, reads, Read::Any, of_loop);
                }
                for field in facts.list(named) {
                    self.read(field.pat, value, reads, Read::Name(field.name), of_loop);
                }
            }
            Pat::Or(pats) => {
                for &pat in facts.list(pats) {
                    self.pattern(pat, value, reads, of_loop);
                }
            }
            Pat::Place(place) if reads.is_empty() => self.store(place, value),
            Pat::Wild | Pat::Place(_) | Pat::Value(_) => {}
        }
    }

    fn read(
        &mut self,
        pat: PatId,
        value: ExprId,
        reads: &mut Vec<Read>,
        read: Read,
        of_loop: Option<ExprId>,
    ) {
        reads.push(read);
        self.pattern(pat, value, reads, of_loop);
        reads.pop();
    }

    fn define(&mut self, var: VarId, value: ExprId, reads: &[Read], of_loop: Option<ExprId>) {
        let definition = Definition { value, reads: reads.to_vec(), is_element: false, of_loop };
        self.out.of.entry(var).or_default().push(definition);
    }
}

/// A declared type changes no value.
fn untyped(facts: &Facts, value: ExprId) -> ExprId {
    match *facts.expr(value) {
        Expr::Ascribe { value: Some(inner), .. } => inner,
        _ => value,
    }
}
