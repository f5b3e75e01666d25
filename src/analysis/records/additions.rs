//! What becomes of a record after it was made: entries that are assigned later, and uses in which it is only a part of
//! something larger, so that what it lacks may come from elsewhere.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::values::{Method, Values};
use super::key_of;
use crate::catalog::DataOp::{
    self, Copy, CopyWith, DeepCopy, GetOrInsert, MakeChainedMapping, MakeMapping, Update,
};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Facts, FnKind, Op, Pat, VarId};
use crate::link::{Func, SharedMemo, Target};

/// Functions and constructors, known by their last names, whose result holds what they are given.
const COPIES: [DataOp; 5] = [MakeMapping, MakeChainedMapping, Copy, DeepCopy, CopyWith];

/// An entry that is assigned after the record was made.
pub struct Added {
    /// The keys that lead to it; none if the key is not known.
    pub path: Vec<String>,
    /// Where the statement begins.
    pub lo: u32,
    /// None if it is made elsewhere.
    pub value: Option<ExprId>,
    /// An entry that is there stays.
    pub if_absent: bool,
}

/// What one function does with its records.
#[derive(Default)]
pub struct Additions {
    /// The variable that a literal is bound to.
    pub bound: FxHashMap<ExprId, VarId>,
    pub added: FxHashMap<VarId, Vec<Added>>,
    /// Variables whose value is copied or merged, and completed there.
    pub open: FxHashSet<VarId>,
    /// Literals that are parts of others.
    pub parts: FxHashSet<ExprId>,
}

impl Additions {
    pub fn of(values: &Values<'_, '_>, filled: &Filled, func: Func) -> Self {
        let program = values.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let mut found = Finder { values, filled, owner: func, func, facts, out: Self::default() };
        // What a module binds is used by its functions.
        let users = match program.ir(func).kind {
            FnKind::Module => facts.function_ids().collect(),
            _ => vec![func],
        };
        for user in users {
            found.func = user;
            program.ir(user).exprs.iter().for_each(|expr| found.expr(expr));
        }
        found.out
    }
}

struct Finder<'f, 'p, 'a> {
    values: &'f Values<'p, 'a>,
    filled: &'f Filled,
    /// Whose variables are meant.
    owner: Func,
    /// Where the expression stands that is looked at.
    func: Func,
    facts: &'a Facts,
    out: Additions,
}

impl<'a> Finder<'_, '_, 'a> {
    fn expr(&mut self, expr: ExprId) {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Bind { pat, value } if self.func == self.owner => {
                if let Pat::Var(var) = *facts.pat(pat) {
                    let literal = match *facts.expr(value) {
                        Expr::Ascribe { value: Some(inner), .. } => inner,
                        _ => value,
                    };
                    self.out.bound.insert(literal, var);
                }
            }
            Expr::Store { place, op, value: Some(value) } => self.stored(place, op, value),
            Expr::Record(entries) => {
                let spread = facts.list(entries).iter().filter(|entry| entry.key == EntryKey::Spread);
                spread.for_each(|entry| self.part(entry.value));
            }
            Expr::Op { op: Op::BitOr, args } => facts.list(args).iter().for_each(|&arg| self.part(arg)),
            Expr::Call { .. } => self.call(expr),
            _ => {}
        }
    }

    fn variable(&self, expr: ExprId) -> Option<VarId> {
        if !matches!(self.facts.expr(expr), Expr::Var(_) | Expr::Free(_)) {
            return None;
        }
        self.values
            .program
            .variable(self.func, expr)
            .filter(|variable| variable.func == self.owner)
            .map(|v| v.var)
    }

    fn part(&mut self, expr: ExprId) {
        self.out.parts.insert(expr);
        if let Some(var) = self.variable(expr) {
            self.out.open.insert(var);
        }
    }

    /// The variable that a place is in, and the keys that lead there.
    fn place(&self, place: ExprId) -> Option<(VarId, Vec<Option<String>>)> {
        let (mut place, mut path) = (place, Vec::new());
        loop {
            place = match *self.facts.expr(place) {
                Expr::Index { base, key } => {
                    path.push(key_of(self.values, self.func, key));
                    base
                }
                Expr::Field { base, name } => {
                    path.push(Some(self.facts.str(name).to_owned()));
                    base
                }
                _ => break,
            };
        }
        path.reverse();
        Some((self.variable(place)?, path))
    }

    fn stored(&mut self, place: ExprId, op: Option<Op>, value: ExprId) {
        let Some((var, path)) = self.place(place).filter(|(_, path)| !path.is_empty()) else { return };
        let path = path.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default();
        let value = Some(value).filter(|_| op.is_none() && self.func == self.owner);
        self.add(var, path, self.facts.span(place).lo, value, false);
    }

    fn add(&mut self, var: VarId, path: Vec<String>, lo: u32, value: Option<ExprId>, if_absent: bool) {
        self.out.added.entry(var).or_default().push(Added { path, lo, value, if_absent });
    }

    fn call(&mut self, call: ExprId) {
        let facts = self.facts;
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return };
        let args = facts.list(args);
        for arg in args.iter().filter(|arg| arg.kind == ArgKind::SpreadNamed) {
            self.part(arg.value);
        }
        if let Some(Method { receiver, does: Some(does), args, .. }) = self.values.method(self.func, call) {
            match (does, args) {
                (Copy, []) => self.part(receiver),
                (Update, args) => self.updated(receiver, args),
                (GetOrInsert, [key, value]) => self.defaulted(receiver, key.value, value.value),
                _ => {}
            }
        }
        let name = self.values.program.receiver_name(self.func, callee).map_or("", |name| name.name);
        if self.values.catalog.operations.may_be(name, &COPIES) {
            args.iter().for_each(|arg| self.part(arg.value));
        }
        self.handed_over(call, args);
    }

    fn updated(&mut self, receiver: ExprId, args: &[Arg]) {
        let target = self.place(receiver);
        for arg in args {
            self.out.parts.insert(arg.value);
            let Some((var, path)) = &target else { continue };
            let lo = self.facts.span(arg.value).lo;
            let entries = self.entries(arg);
            match path.iter().cloned().collect::<Option<Vec<_>>>() {
                Some(path) => {
                    for (key, value) in entries {
                        let path = key.map(|key| [path.clone(), vec![key]].concat()).unwrap_or_default();
                        self.add(*var, path, lo, value.filter(|_| self.func == self.owner), false);
                    }
                }
                None => self.add(*var, Vec::new(), lo, None, false),
            }
        }
    }

    /// What an argument of `update` adds; a key that is not known is none.
    fn entries(&self, arg: &Arg) -> Vec<(Option<String>, Option<ExprId>)> {
        if let ArgKind::Named(name) = arg.kind {
            return vec![(Some(self.facts.str(name).to_owned()), Some(arg.value))];
        }
        let Expr::Record(entries) = *self.facts.expr(arg.value) else { return vec![(None, None)] };
        let key = |key| match key {
            EntryKey::Expr(key) => key_of(self.values, self.func, key),
            EntryKey::Spread => None,
        };
        self.facts.list(entries).iter().map(|entry| (key(entry.key), Some(entry.value))).collect()
    }

    fn defaulted(&mut self, receiver: ExprId, key: ExprId, value: ExprId) {
        let Some((var, mut path)) = self.place(receiver) else { return };
        path.push(key_of(self.values, self.func, key));
        let path = path.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default();
        self.add(var, path, self.facts.span(value).lo, Some(value).filter(|_| self.func == self.owner), true);
    }

    /// A function of the project may add entries to what it is given.
    fn handed_over(&mut self, call: ExprId, args: &[Arg]) {
        let is_literal = |arg: &Arg| matches!(self.facts.expr(arg.value), Expr::Record(_));
        let given = args.iter().enumerate().map(|(at, arg)| (at, self.variable(arg.value), is_literal(arg)));
        let given: Vec<_> = given.filter(|(_, var, is_literal)| var.is_some() || *is_literal).collect();
        if given.is_empty() {
            return;
        }
        for callee in callees(self.values, self.func, call) {
            for &(nth, var, _) in &given {
                let name = match args[nth].kind {
                    ArgKind::Named(name) => Some(self.facts.str(name)),
                    _ => None,
                };
                for path in &*self.filled.of(self.values, callee, (nth, name), MAX_HANDS) {
                    match var {
                        Some(var) => self.add(var, path.clone(), self.facts.span(call).lo, None, false),
                        None => drop(self.out.parts.insert(args[nth].value)),
                    }
                }
            }
        }
    }
}

/// So many functions hand a record on to one another.
const MAX_HANDS: u32 = 3;

/// The keys that functions store in what they are given. Functions that hand it on to many others share the answers of those, so
/// that they cost their sum and not their product.
#[derive(Default)]
pub struct Filled(SharedMemo<(Func, VarId, u32), Paths>);

/// The keys that lead to entries; none where one is not known.
type Paths = Arc<[Vec<String>]>;

impl Filled {
    /// The keys that a function, or one that it hands it on to, stores in one of its parameters; none if one is not known.
    fn of(&self, values: &Values<'_, '_>, callee: Func, given: (usize, Option<&str>), hands: u32) -> Paths {
        match parameter(values, callee, given) {
            Some(var) => self.0.of((callee, var, hands), || self.find(values, (callee, var), hands)),
            None => Arc::new([]),
        }
    }

    fn find(&self, values: &Values<'_, '_>, (callee, var): (Func, VarId), hands: u32) -> Paths {
        let facts = values.facts(callee);
        let is_param = |expr: ExprId| matches!(*facts.expr(expr), Expr::Var(own) if own == var);
        let mut out = Vec::new();
        for expr in values.program.ir(callee).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Store { place, value: Some(_), .. } => {
                    if let Expr::Index { base, key } = *facts.expr(place)
                        && is_param(base)
                    {
                        out.push(key_of(values, callee, key).into_iter().collect());
                    }
                }
                Expr::Call { args, .. } => {
                    let method = values.method(callee, expr);
                    if method.is_some_and(|method| {
                        matches!(method.does, Some(Update | GetOrInsert)) && is_param(method.receiver)
                    }) {
                        out.push(Vec::new());
                    }
                    if let Some(nth) = facts.list(args).iter().position(|arg| is_param(arg.value))
                        && let Some(hands) = hands.checked_sub(1)
                    {
                        let name = match facts.list(args)[nth].kind {
                            ArgKind::Named(name) => Some(facts.str(name)),
                            _ => None,
                        };
                        for next in callees(values, callee, expr) {
                            out.extend_from_slice(&self.of(values, next, (nth, name), hands));
                        }
                    }
                }
                _ => {}
            }
        }
        out.sort_unstable();
        out.dedup();
        out.into()
    }
}

/// The variable of the parameter that an argument is given to.
fn parameter(values: &Values<'_, '_>, callee: Func, given: (usize, Option<&str>)) -> Option<VarId> {
    let facts = values.facts(callee);
    let params = facts.list(values.program.ir(callee).params);
    let is_method =
        params.first().is_some_and(|param| facts.profile().own_parameters.contains(&facts.str(param.name)));
    let param = match given {
        (_, Some(name)) => params.iter().find(|param| facts.str(param.name) == name),
        (nth, None) => params.get(nth + usize::from(is_method)),
    };
    match *facts.pat(param?.pat) {
        Pat::Var(var) => Some(var),
        _ => None,
    }
}

/// The project's functions that a call may run.
fn callees(values: &Values<'_, '_>, func: Func, call: ExprId) -> Vec<Func> {
    let at = values.at(func, call);
    let edges = values.program.edges_from(func).iter().filter(|edge| edge.at == at);
    let callees = edges.filter_map(|edge| match edge.to {
        Target::Project(callee) => Some(callee),
        Target::External(_) => None,
    });
    callees.collect()
}
