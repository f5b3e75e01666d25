//! What a test proves of variables, and for which purposes: that they are one of few values, that a path lies inside a folder,
//! that a host is one of a list. What is proven of a part that decides is proven of what it was taken from.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bound::{Given, bindings, taken_from};
use super::flags::Switches;
use super::proof::{Proof, both};
use crate::analysis::circular::Circular;
use crate::catalog::{Catalog, Check, Outcome, Purposes};
use crate::ir::{Expr, ExprId, Facts, Jump, Lit, Op, Pat, VarId};
use crate::link::{Func, Program, SharedMemo};

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

/// Whether a test that has a name is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Names {
    Followed,
    Kept,
}

/// What a function can prove something of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Held {
    Param(u32),
    /// A variable of the function around.
    Outer(VarId),
}

/// By function, how it ends and what it is given: of what it has proven something then.
type Proved = SharedMemo<(Func, Ending, Given), Vec<(Held, Purposes)>>;

/// What all threads know of functions that test for others.
#[derive(Default)]
pub(super) struct Known {
    proven: Arc<Proved>,
    switches: Arc<Switches>,
}

/// The same, for one thread.
#[derive(Default)]
pub(in super::super) struct Helpers {
    pub(super) proven: Circular<(Func, Ending, Given), Vec<(Held, Purposes)>>,
    pub(super) switches: Arc<Switches>,
}

impl Helpers {
    pub(super) fn of(known: &Known) -> Self {
        Self { proven: Circular::sharing(&known.proven), switches: Arc::clone(&known.switches) }
    }
}

/// The tests of one function.
pub(super) struct Tests<'l, 'p> {
    pub program: &'l Program<'p>,
    pub catalog: &'l Catalog,
    pub helpers: &'l Helpers,
    pub func: Func,
    pub given: Given,
    pub facts: &'l Facts,
    /// Parameters by the variable that they are.
    pub params: FxHashMap<VarId, u32>,
    /// Variables of functions around.
    pub captured: Vec<VarId>,
    /// What variables of loops run through, and what those of patterns are taken out of.
    taken_from: FxHashMap<VarId, ExprId>,
    /// How often variables are bound.
    pub bindings: FxHashMap<VarId, usize>,
    /// What is proven of one element is proven of all.
    pub sees_all: Cell<bool>,
    /// Variables on which a method is named that changes what they hold, looked up once.
    pub changed: OnceCell<FxHashSet<VarId>>,
}

impl<'l, 'p> Tests<'l, 'p> {
    pub fn new(program: &'l Program<'p>, catalog: &'l Catalog, helpers: &'l Helpers, func: Func) -> Self {
        Self::given(program, catalog, helpers, func, Given::default())
    }

    /// The tests of a function as a call of it sees them, which gives it tables and flags.
    pub fn given(
        program: &'l Program<'p>,
        catalog: &'l Catalog,
        helpers: &'l Helpers,
        func: Func,
        given: Given,
    ) -> Self {
        let facts = program.facts(program.function(func).file);
        let function = program.ir(func);
        let params = (0..).zip(facts.list(function.params));
        let params = params.filter_map(|(at, param)| match *facts.pat(param.pat) {
            Pat::Var(var) => Some((var, at)),
            _ => None,
        });
        let params = params.collect();
        let captured = facts.list(function.captures).iter().map(|captured| captured.inner).collect();
        let (taken_from, bindings) = (taken_from(facts, function), bindings(facts, function));
        let sees_all = Cell::new(true);
        Self {
            program,
            catalog,
            helpers,
            func,
            given,
            facts,
            params,
            captured,
            taken_from,
            bindings,
            sees_all,
            changed: OnceCell::new(),
        }
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
        self.proven_within(test, holds, Names::Followed)
    }

    fn proven_within(&self, test: ExprId, holds: bool, names: Names) -> Vec<Proof> {
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
                Expr::All(parts) | Expr::Any(parts) => {
                    found.extend(self.by_one(self.facts.list(parts), holds));
                }
                Expr::Op { op, args } => match (op, self.facts.list(args)) {
                    // `pattern.fullmatch(name) is None`
                    (Op::Is | Op::Eq, &[left, right]) if self.is_nothing(right) => work.push((left, !holds)),
                    (Op::IsNot | Op::Ne, &[left, right]) if self.is_nothing(right) => {
                        work.push((left, holds))
                    }
                    (Op::Sub, _) if !holds => found.extend(self.by_emptiness(test)),
                    (op, args) => found.extend(self.compared(op, args, holds)),
                },
                Expr::Collect { .. } if !holds => found.extend(self.by_emptiness(test)),
                Expr::Await(inner) => work.push((inner, holds)),
                // `is_safe = check(path)`, and then `if not is_safe`.
                Expr::Var(_) if names == Names::Kept => {}
                Expr::Var(_) => {
                    work.extend(Some(self.unchanged(test)).filter(|&it| it != test).map(|it| (it, holds)));
                }
                Expr::Call { callee, args, .. } => {
                    let args: Vec<ExprId> = self.facts.list(args).iter().map(|arg| arg.value).collect();
                    found.extend(self.checked(callee, &args, outcome(holds)));
                    found.extend(self.quantified(test, holds));
                    found.extend(self.by_helper(test, Ending::of(holds)));
                    match holds {
                        true => found.extend(self.listed((test, callee), &args)),
                        false => found.extend(self.by_emptiness(test)),
                    }
                    found.extend(self.by_inclusion(test, callee, holds));
                }
                Expr::Field { .. } => found.extend(self.checked(test, &[], outcome(holds))),
                _ => {}
            }
        }
        found
    }

    /// One of the parts decided, and nothing says which one. Names inside are not followed: that goes as deep as a test is
    /// written.
    fn by_one(&self, parts: &[ExprId], holds: bool) -> Vec<Proof> {
        let parts = parts.iter().filter(|&&part| self.truth(part) != Some(!holds));
        let ways = parts.map(|&part| self.proven_within(part, holds, Names::Kept));
        ways.reduce(|known, way| both(&known, &way)).unwrap_or_default()
    }

    fn compared(&self, op: Op, args: &[ExprId], holds: bool) -> Vec<Proof> {
        let &[left, right] = args else { return Vec::new() };
        match (op, holds) {
            (Op::In, true) | (Op::NotIn, false) => {
                let mut found = self.asked(right, Outcome::Contained);
                found.extend(self.admitted(left, right));
                if self.is_table(right) {
                    found.extend(self.tested(left));
                }
                found
            }
            (Op::In, false) | (Op::NotIn, true) => self.excluded(left, right),
            (Op::Eq | Op::Is, true) | (Op::Ne | Op::IsNot, false) => {
                let mut found = self.asked(left, Outcome::Equal);
                found.extend(self.asked(right, Outcome::Equal));
                match (self.is_own_value(left), self.is_own_value(right)) {
                    (false, true) => found.extend(self.tested(left)),
                    (true, false) => found.extend(self.tested(right)),
                    _ => found.extend(self.by_order((op, left, right), holds)),
                }
                found
            }
            _ => self.by_order((op, left, right), holds),
        }
    }

    /// `".." not in path.parts`: neither in all of the text nor in what shows its parts.
    fn excluded(&self, text: ExprId, within: ExprId) -> Vec<Proof> {
        let known = self.program.constant(self.func, text).filter(|known| known.whole);
        let mut found = Vec::new();
        for check in
            known.iter().flat_map(|known| self.catalog.checks.of_text(Outcome::Excluded, &known.text))
        {
            let of = match *self.facts.expr(within) {
                Expr::Call { callee, .. } => self.shown(callee, check),
                Expr::Field { .. } => self.shown(within, check),
                _ => Some(within),
            };
            of.into_iter().for_each(|of| self.origins(of, check.purposes(), &mut found));
        }
        found
    }

    /// What a method or an attribute belongs to that a check looks at.
    fn shown(&self, member: ExprId, check: &Check) -> Option<ExprId> {
        match *self.facts.expr(member) {
            Expr::Field { base, name } if check.is_named(self.facts.str(name)) => Some(base),
            _ => None,
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
                && (check.equals.is_empty() || args.iter().any(|&arg| self.is_one_of(arg, &check.equals)))
                && (!check.own || args.iter().all(|&arg| self.is_own(arg)));
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

    /// A constant, something of the module or of the own object, or what decides of it: `urlparse(BASE).netloc`. What another
    /// call hands back may be anything.
    fn is_own_value(&self, expr: ExprId) -> bool {
        match *self.facts.expr(expr) {
            Expr::Lit(lit) => lit != Lit::None,
            Expr::Free(_) => true,
            // An element of a table.
            Expr::Var(var) => self.taken_from.get(&var).is_some_and(|&of| self.is_table(of)),
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
        !self.given_in(expr).is_empty()
    }

    /// The variables that callers or functions around have given, as far as an expression is made of them.
    pub fn given_in(&self, expr: ExprId) -> Vec<VarId> {
        let mut origins = Vec::new();
        // One element is given as well as all are.
        let before = self.sees_all.replace(true);
        self.origins(expr, Purposes::ALL, &mut origins);
        self.sees_all.set(before);
        let is_given = |var: &VarId| self.params.contains_key(var) || self.captured.contains(var);
        let is_own = |var: &VarId| self.program.own_class_of(self.func, *var).is_some();
        origins.iter().map(|(spot, _)| spot.var).filter(|var| is_given(var) && !is_own(var)).collect()
    }

    pub(super) fn is_nothing(&self, expr: ExprId) -> bool {
        *self.facts.expr(expr) == Expr::Lit(Lit::None)
    }
}

fn outcome(holds: bool) -> Outcome {
    if holds { Outcome::True } else { Outcome::False }
}
