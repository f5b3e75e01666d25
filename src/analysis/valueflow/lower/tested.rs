//! What a test proves of variables, and for which purposes: that they are one of few values, that a path lies inside a folder,
//! that a host is one of a list. What is proven of a part that decides is proven of what it was taken from.

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use super::closed::is_closed;
use crate::analysis::valueflow::paths::Key;
use crate::catalog::{Catalog, DataOp, Outcome, Purposes};
use crate::ir::{Expr, ExprId, Facts, Function, Jump, Lit, Op, Pat, VarId};
use crate::link::{Func, Passed, Program, Target};

/// What a test can speak of: a variable, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub var: VarId,
    pub part: Option<Key>,
}

/// That it is harmless for some purposes.
pub(super) type Proof = (Spot, Purposes);

/// How a function ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ending {
    Returned,
    Yes,
    No,
}

impl Ending {
    pub fn of(answer: bool) -> Self {
        if answer { Ending::Yes } else { Ending::No }
    }
}

/// What a function can prove something of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    Param(u32),
    /// A variable of the function around.
    Outer(VarId),
}

/// By function: of what it has proven something when it ends so.
pub(super) type Helpers = RefCell<FxHashMap<(Func, Ending), Vec<(Held, Purposes)>>>;

/// The tests of one function.
pub(super) struct Tests<'l, 'p> {
    pub program: &'l Program<'p>,
    pub catalog: &'l Catalog,
    pub helpers: &'l Helpers,
    pub func: Func,
    pub facts: &'l Facts,
    /// Parameters by the variable that they are.
    pub params: FxHashMap<VarId, u32>,
    /// Variables of functions around.
    pub captured: Vec<VarId>,
    /// What variables of loops run through, and what those of patterns are taken out of.
    taken_from: FxHashMap<VarId, ExprId>,
    /// What is proven of one element is proven of all.
    pub sees_all: Cell<bool>,
}

impl<'l, 'p> Tests<'l, 'p> {
    pub fn new(program: &'l Program<'p>, catalog: &'l Catalog, helpers: &'l Helpers, func: Func) -> Self {
        let facts = program.facts(program.function(func).file);
        let function = program.ir(func);
        let params = (0..).zip(facts.list(function.params));
        let params = params.filter_map(|(at, param)| match *facts.pat(param.pat) {
            Pat::Var(var) => Some((var, at)),
            _ => None,
        });
        let params = params.collect();
        let captured = facts.list(function.captures).iter().map(|captured| captured.inner).collect();
        let taken_from = taken_from(facts, function);
        let sees_all = Cell::new(true);
        Self { program, catalog, helpers, func, facts, params, captured, taken_from, sees_all }
    }

    /// What a variable is, or what it is taken from.
    pub fn origin(&self, variable: ExprId) -> Option<ExprId> {
        let taken = || match *self.facts.expr(variable) {
            Expr::Var(var) if self.sees_all.get() => self.taken_from.get(&var).copied(),
            _ => None,
        };
        self.definition(variable).map(|(_, value)| value).or_else(taken)
    }

    /// The last name of what is called.
    pub fn name(&self, callee: ExprId) -> Option<&'l str> {
        self.facts.written_name(callee).map(|name| self.facts.str(name))
    }

    /// What is proven if a test holds, or fails.
    pub fn proven_by(&self, test: ExprId, holds: bool) -> Vec<Proof> {
        let (mut found, mut work) = (Vec::new(), vec![(test, holds)]);
        let mut seen = FxHashSet::default();
        while let Some((test, holds)) = work.pop() {
            if !seen.insert((test, holds)) {
                continue;
            }
            match *self.facts.expr(test) {
                Expr::Not(inner) => work.push((inner, !holds)),
                Expr::All(parts) if holds => work.extend(self.facts.list(parts).iter().map(|&it| (it, true))),
                Expr::Any(parts) if !holds => {
                    work.extend(self.facts.list(parts).iter().map(|&it| (it, false)));
                }
                Expr::Op { op, args } => match (op, self.facts.list(args)) {
                    // `pattern.fullmatch(name) is None`
                    (Op::Is | Op::Eq, &[left, right]) if self.is_nothing(right) => work.push((left, !holds)),
                    (Op::IsNot | Op::Ne, &[left, right]) if self.is_nothing(right) => {
                        work.push((left, holds))
                    }
                    (op, args) => found.extend(self.compared(op, args, holds)),
                },
                Expr::Await(inner) => work.push((inner, holds)),
                // `is_safe = check(path)`, and then `if not is_safe`.
                Expr::Var(_) => work.extend(self.definition(test).map(|(_, value)| (value, holds))),
                Expr::Call { callee, args, .. } => {
                    let args: Vec<ExprId> = self.facts.list(args).iter().map(|arg| arg.value).collect();
                    found.extend(self.checked(callee, &args, outcome(holds)));
                    found.extend(self.quantified(test, holds));
                    found.extend(self.by_helper(test, Ending::of(holds)));
                    if holds {
                        found.extend(self.listed((test, callee), &args));
                    }
                }
                Expr::Field { .. } => found.extend(self.checked(test, &[], outcome(holds))),
                _ => {}
            }
        }
        found
    }

    fn compared(&self, op: Op, args: &[ExprId], holds: bool) -> Vec<Proof> {
        let &[left, right] = args else { return Vec::new() };
        match (op, holds) {
            (Op::In, true) | (Op::NotIn, false) => {
                let mut found = self.asked(right, Outcome::Contained);
                if self.is_table(right) {
                    found.extend(self.tested(left));
                }
                found
            }
            (Op::Eq | Op::Is, true) | (Op::Ne | Op::IsNot, false) => {
                let mut found = self.asked(left, Outcome::Equal);
                found.extend(self.asked(right, Outcome::Equal));
                match (self.is_own_value(left), self.is_own_value(right)) {
                    (false, true) => found.extend(self.tested(left)),
                    (true, false) => found.extend(self.tested(right)),
                    _ => {}
                }
                found
            }
            _ => Vec::new(),
        }
    }

    /// What a call or an attribute checks that something is compared with.
    fn asked(&self, expr: ExprId, outcome: Outcome) -> Vec<Proof> {
        match *self.facts.expr(expr) {
            Expr::Call { callee, args, .. } => {
                let args: Vec<ExprId> = self.facts.list(args).iter().map(|arg| arg.value).collect();
                self.checked(callee, &args, outcome)
            }
            Expr::Field { .. } => self.checked(expr, &[], outcome),
            _ => Vec::new(),
        }
    }

    /// What a call that ends without an exception has checked.
    pub fn returned(&self, statement: ExprId) -> Vec<Proof> {
        let mut call = statement;
        while let Expr::Await(inner)
        | Expr::Bind { value: inner, .. }
        | Expr::Ascribe { value: Some(inner), .. }
        | Expr::Jump { kind: Jump::Return, value: Some(inner) } = *self.facts.expr(call)
        {
            call = inner;
        }
        match *self.facts.expr(call) {
            Expr::Call { .. } => {
                let mut found = self.asked(call, Outcome::Returned);
                found.extend(self.by_helper(call, Ending::Returned));
                found
            }
            _ => Vec::new(),
        }
    }

    /// What the catalogue says of a call, or of an attribute.
    fn checked(&self, callee: ExprId, args: &[ExprId], outcome: Outcome) -> Vec<Proof> {
        let Some(name) = self.name(callee) else { return Vec::new() };
        let path = self.program.library_path(self.func, callee);
        let mut found = Vec::new();
        for check in self.catalog.checks.of(name, path).filter(|check| check.outcome == outcome) {
            let values: Vec<ExprId> = match *self.facts.expr(callee) {
                // `commonpath([root, path])`
                _ if check.arguments => args.iter().flat_map(|&arg| self.items(arg)).collect(),
                Expr::Field { base, .. } => vec![base],
                _ => Vec::new(),
            };
            let ends = check.ends.is_empty() || args.iter().any(|&arg| self.ends_with(arg, &check.ends));
            let ends = ends
                && (check.equals.is_empty() || args.iter().any(|&arg| self.is_one_of(arg, &check.equals)));
            for &value in values.iter().filter(|_| ends) {
                if !check.resolved || self.is_resolved(value) {
                    self.origins(value, check.purposes(), &mut found);
                }
            }
        }
        found
    }

    fn items(&self, expr: ExprId) -> Vec<ExprId> {
        match *self.facts.expr(expr) {
            Expr::Seq(items) => self.facts.list(items).to_vec(),
            _ => vec![expr],
        }
    }

    fn is_one_of(&self, expr: ExprId, texts: &[String]) -> bool {
        let known = self.program.constant(self.func, expr).filter(|known| known.whole);
        known.is_some_and(|known| texts.contains(&known.text))
    }

    fn ends_with(&self, expr: ExprId, ends: &[String]) -> bool {
        let is_end = |text: &str| ends.iter().any(|end| text.ends_with(end.as_str()));
        let mut last = expr;
        while let Expr::Op { op: Op::Add, args } | Expr::Text(args) = *self.facts.expr(last) {
            let Some(&part) = self.facts.list(args).last() else { return false };
            last = part;
        }
        let known = || self.program.constant(self.func, last).filter(|known| known.whole);
        self.program.library_path(self.func, last).is_some_and(is_end)
            || known().is_some_and(|known| is_end(&known.text))
    }

    /// A call that says whether something is one of few values: `x.isdigit()`, `NAMES.contains(&x)`, a pattern that leaves few.
    fn listed(&self, (call, callee): (ExprId, ExprId), args: &[ExprId]) -> Vec<Proof> {
        let tells = &self.catalog.tells;
        let path = super::library(self.program, self.func, callee, self.program.edges_at(self.func, call));
        let receiver = match *self.facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        if let Some(path) = path.as_deref().filter(|path| tells.lists(path)) {
            // The pattern is an argument, or what the method belongs to.
            let is_compiled = receiver.and_then(|base| self.pattern(base));
            let pattern =
                is_compiled.or_else(|| Some(self.program.constant(self.func, *args.first()?)?.text));
            let is_open = |pattern: &String| !is_closed(pattern, tells.asks_whole_pattern(path));
            let values = if pattern.as_ref().is_some_and(is_open) { &[] } else { args };
            return values.iter().flat_map(|&arg| self.tested(arg)).collect();
        }
        let (Some(base), Some(name)) = (receiver, self.name(callee)) else { return Vec::new() };
        let asks = self.catalog.operations.own_method(self.facts.lang, name) == Some(DataOp::Contains);
        match args {
            [key] if asks && self.is_table(base) => self.tested(*key),
            _ if tells.lists_by_method(name) && self.pattern(base).is_none_or(|it| is_closed(&it, true)) => {
                args.iter().chain([&base]).flat_map(|&it| self.tested(it)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Of what a function has proven something whenever it ends so.
    pub(super) fn helper(&self, func: Func, ending: Ending) -> Vec<(Held, Purposes)> {
        if let Some(known) = self.helpers.borrow().get(&(func, ending)) {
            return known.clone();
        }
        // Who asks meanwhile, in a circle, hears nothing.
        self.helpers.borrow_mut().insert((func, ending), Vec::new());
        let found = Tests::new(self.program, self.catalog, self.helpers, func).helps(ending);
        self.helpers.borrow_mut().insert((func, ending), found.clone());
        found
    }

    /// What a function of the project has checked of what it is given.
    fn by_helper(&self, call: ExprId, ending: Ending) -> Vec<Proof> {
        let edges = self.program.edges_at(self.func, call);
        let mut ways = edges.iter().map(|edge| {
            let Target::Project(callee) = edge.to else { return Vec::new() };
            let given = self.program.arguments(edge);
            let mut proofs = Vec::new();
            for (held, purposes) in self.helper(callee, ending) {
                let of = match held {
                    Held::Param(at) => {
                        let own = given.iter().filter(|(passed, _)| *passed == Passed::Param(at));
                        own.flat_map(|&(_, arg)| self.tested(arg)).collect()
                    }
                    Held::Outer(var) if self.is_inside(callee) => {
                        vec![(Spot { var, part: None }, Purposes::ALL)]
                    }
                    Held::Outer(_) => Vec::new(),
                };
                proofs.extend(of.into_iter().map(|(spot, of)| (spot, of.and(purposes))));
            }
            proofs
        });
        let first = ways.next().unwrap_or_default();
        ways.fold(first, |known, way| both(&known, &way))
    }

    /// A constant, something of the module or of the own object, or what decides of it: `urlparse(BASE).netloc`. What another
    /// call hands back may be anything.
    fn is_own_value(&self, expr: ExprId) -> bool {
        match *self.facts.expr(expr) {
            Expr::Lit(lit) => lit != Lit::None,
            Expr::Free(_) => true,
            Expr::Field { base, name } => match *self.facts.expr(base) {
                Expr::Free(_) => true,
                Expr::Var(var) => self.program.own_class_of(self.func, var).is_some(),
                _ => {
                    let decides = !self.catalog.checks.aspect(self.facts.str(name)).is_empty();
                    decides && !self.is_made_of_given(expr)
                }
            },
            _ => false,
        }
    }

    fn is_made_of_given(&self, expr: ExprId) -> bool {
        let mut origins = Vec::new();
        self.origins(expr, Purposes::ALL, &mut origins);
        let is_given = |var: &VarId| self.params.contains_key(var) || self.captured.contains(var);
        let is_own = |var| self.program.own_class_of(self.func, var).is_some();
        origins.iter().any(|(spot, _)| is_given(&spot.var) && !is_own(spot.var))
    }

    /// What has few values that the code names: not what a caller gave or what is made of that, and no text.
    fn is_table(&self, expr: ExprId) -> bool {
        let is_given = |var: &VarId| self.params.contains_key(var) || self.captured.contains(var);
        match *self.facts.expr(expr) {
            Expr::Var(var) if is_given(&var) => false,
            Expr::Lit(_) | Expr::Text(_) => false,
            _ => !self.is_made_of_given(expr) && self.program.constant(self.func, expr).is_none(),
        }
    }

    fn is_nothing(&self, expr: ExprId) -> bool {
        *self.facts.expr(expr) == Expr::Lit(Lit::None)
    }
}

/// By variable of a loop or a pattern.
fn taken_from(facts: &Facts, function: &Function) -> FxHashMap<VarId, ExprId> {
    let mut found = FxHashMap::default();
    for expr in function.exprs.iter() {
        match *facts.expr(expr) {
            Expr::Loop(index) => {
                if let Some((pat, iterable)) = facts.arenas.loop_at(index).each {
                    found.extend(facts.arenas.vars_of(pat).into_iter().map(|var| (var, iterable)));
                }
            }
            Expr::Match { subject, arms } => {
                let vars = facts.list(arms).iter().flat_map(|arm| facts.arenas.vars_of(arm.pat));
                found.extend(vars.map(|var| (var, subject)));
            }
            _ => {}
        }
    }
    found
}

fn outcome(holds: bool) -> Outcome {
    if holds { Outcome::True } else { Outcome::False }
}

/// What both ways prove.
pub(super) fn both(one: &[Proof], other: &[Proof]) -> Vec<Proof> {
    let of = |spot: Spot| {
        let known = other.iter().filter(|(known, _)| *known == spot);
        known.fold(Purposes::default(), |all, (_, purposes)| all.with(*purposes))
    };
    let both = one.iter().map(|&(spot, purposes)| (spot, purposes.and(of(spot))));
    both.filter(|(_, purposes)| !purposes.is_empty()).collect()
}

/// Adds what is not known yet.
pub(super) fn add(known: &mut Vec<Proof>, proofs: impl IntoIterator<Item = Proof>) {
    for proof in proofs {
        if !known.contains(&proof) {
            known.push(proof);
        }
    }
}
