//! Branches of functions that a parameter decides, and which of them each call rules out by a constant that it gives or by what it
//! leaves out: `resolve(data)` never gets to what stands below `if url is not None`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, ExprId, Facts, Lit, Op, Param, ParamKind, Pat, Span};
use crate::link::{Branches, Edge, EdgeKind, Func, Mask, Passed, Program, Target};
use crate::parallel;

/// A part of a function that runs only if a test of a parameter comes out as it says.
struct Branch {
    span: Span,
    param: u32,
    test: Test,
}

/// No place stands there.
const NOWHERE: Span = Span { lo: u32::MAX, hi: 0 };

/// What a parameter must be.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Test {
    True(bool),
    None(bool),
    /// One of these texts, or none of them.
    Among(bool, Vec<String>),
}

/// What a call gives for a parameter, as far as a test asks.
enum Given {
    None,
    Bool(bool),
    Text(String),
    /// Not `None`, and empty or not if that is known.
    Something(Option<bool>),
}

/// Looks through all functions, then through all calls of those with such branches.
pub fn branches(program: &Program<'_>) -> Branches {
    let functions: Vec<Func> = (0..program.functions.len() as u32).map(Func).collect();
    let found = parallel::map(functions, |func| (func, of_function(program, func)));
    let mut found: FxHashMap<Func, Vec<Branch>> =
        found.into_iter().filter(|(_, branches)| !branches.is_empty()).collect();
    let mut branches = Branches { handed: handed(program, &mut found), ..Branches::default() };
    for edge in &program.edges {
        let Target::Project(callee) = edge.to else { continue };
        let closed = found.get(&callee).map_or(0, |all| closed(program, edge, callee, all));
        if closed != 0 {
            branches.closed.insert((edge.at.expr, callee), closed);
        }
    }
    branches.spans =
        found.into_iter().map(|(func, all)| (func, all.iter().map(|branch| branch.span).collect())).collect();
    branches
}

/// `self.load(source)`: a test of what is handed on is a test of the own parameter. It encloses nothing there.
fn handed(
    program: &Program<'_>,
    found: &mut FxHashMap<Func, Vec<Branch>>,
) -> FxHashMap<(ExprId, Func), Vec<(u32, u32)>> {
    let mut calls: FxHashMap<Func, Vec<&Edge>> = FxHashMap::default();
    for edge in &program.edges {
        if let Target::Project(callee) = edge.to {
            calls.entry(callee).or_default().push(edge);
        }
    }
    let mut work: Vec<Func> = found.keys().copied().collect();
    work.sort_unstable();
    let mut handed: FxHashMap<(ExprId, Func), Vec<(u32, u32)>> = FxHashMap::default();
    while let Some(callee) = work.pop() {
        for edge in calls.get(&callee).into_iter().flatten().filter(|edge| edge.from != callee) {
            let own = own_arguments(program, edge, callee);
            let tests = found[&callee].iter().map(|branch| (branch.param, branch.test.clone()));
            for (nth, (param, test)) in (0..).zip(tests.collect::<Vec<_>>()) {
                let Some(&(_, given)) = own.iter().find(|(passed, _)| *passed == param) else { continue };
                let (of_caller, is_new) = enclosing_nothing(found.entry(edge.from).or_default(), given, test);
                let Some(of_caller) = of_caller else { continue };
                let known = handed.entry((edge.at.expr, callee)).or_default();
                if !known.contains(&(nth, of_caller)) {
                    known.push((nth, of_caller));
                }
                if is_new {
                    work.push(edge.from);
                }
            }
        }
    }
    handed
}

/// The parameters of the callee that are parameters of the caller.
fn own_arguments(program: &Program<'_>, edge: &Edge, callee: Func) -> Vec<(u32, u32)> {
    let arguments = program.arguments(edge);
    let own = |&(passed, value): &(Passed, ExprId)| match passed {
        Passed::Param(at) => Some((at, parameter(program, edge.from, value)?)),
        _ => None,
    };
    let own: Vec<_> = arguments.iter().filter_map(own).collect();
    if own.is_empty() || !is_all(program, edge, callee, &arguments) { Vec::new() } else { own }
}

/// The number of a branch that a parameter decides, and whether it is new; none where a mask has no bit left.
fn enclosing_nothing(branches: &mut Vec<Branch>, param: u32, test: Test) -> (Option<u32>, bool) {
    let is_it = |known: &Branch| known.span == NOWHERE && known.param == param && known.test == test;
    if let Some(at) = branches.iter().position(is_it) {
        return (Some(at as u32), false);
    }
    if branches.len() == Mask::BITS as usize {
        return (None, false);
    }
    branches.push(Branch { span: NOWHERE, param, test });
    (Some(branches.len() as u32 - 1), true)
}

fn of_function(program: &Program<'_>, func: Func) -> Vec<Branch> {
    let facts = program.facts(program.function(func).file);
    if facts.list(program.ir(func).params).is_empty() {
        return Vec::new();
    }
    let mut search = Search { program, func, facts, found: Vec::new() };
    for expr in program.ir(func).exprs.iter() {
        if search.is_full() {
            break;
        }
        match *facts.expr(expr) {
            Expr::If { arms, otherwise } => {
                let mut before = Vec::new();
                for arm in facts.list(arms) {
                    // Each arm repeats the tests of all before it.
                    if search.is_full() {
                        break;
                    }
                    search.add(
                        facts.span(arm.body),
                        before.iter().cloned().chain(search.tests(arm.test, true)).collect(),
                    );
                    before.extend(search.tests(arm.test, false));
                }
                if let Some(otherwise) = otherwise {
                    search.add(facts.span(otherwise), before);
                }
            }
            Expr::Match { subject, arms } => {
                for arm in facts.list(arms) {
                    let tests = search.matched(subject, facts.pat(arm.pat));
                    search.add(facts.span(arm.body), tests);
                }
            }
            Expr::Block(statements) => search.leaving(facts.list(statements)),
            _ => {}
        }
    }
    // What has no bit is a branch that any call may take.
    search.found.truncate(Mask::BITS as usize);
    search.found
}

struct Search<'s, 'a> {
    program: &'s Program<'a>,
    func: Func,
    facts: &'s Facts,
    found: Vec<Branch>,
}

impl Search<'_, '_> {
    /// No mask has a bit for more.
    fn is_full(&self) -> bool {
        self.found.len() >= Mask::BITS as usize
    }

    fn add(&mut self, span: Span, tests: Vec<(u32, Test)>) {
        self.found.extend(tests.into_iter().map(|(param, test)| Branch { span, param, test }));
    }

    /// What stands behind `if name is None: return` runs for another value only.
    fn leaving(&mut self, statements: &[ExprId]) {
        for (nth, &statement) in statements.iter().enumerate() {
            let Expr::If { arms, otherwise: None } = *self.facts.expr(statement) else { continue };
            let ([arm], [first, .., last] | [first @ last]) = (self.facts.list(arms), &statements[nth + 1..])
            else {
                continue;
            };
            if self.leaves(arm.body) {
                let span = Span { lo: self.facts.span(*first).lo, hi: self.facts.span(*last).hi };
                self.add(span, self.tests(arm.test, false));
            }
        }
    }

    fn leaves(&self, body: ExprId) -> bool {
        let last = match *self.facts.expr(body) {
            Expr::Block(statements) => self.facts.list(statements).last().copied().unwrap_or(body),
            _ => body,
        };
        matches!(self.facts.expr(last), Expr::Jump { .. })
    }

    /// What parameters must be for a test to come out as `outcome`; each of them must.
    fn tests(&self, test: ExprId, outcome: bool) -> Vec<(u32, Test)> {
        let (mut found, mut work) = (Vec::new(), vec![(test, outcome)]);
        while let Some((test, outcome)) = work.pop() {
            match *self.facts.expr(test) {
                Expr::Not(inner) => work.push((inner, !outcome)),
                Expr::All(parts) if outcome => {
                    work.extend(self.facts.list(parts).iter().map(|&part| (part, true)))
                }
                Expr::Any(parts) if !outcome => {
                    work.extend(self.facts.list(parts).iter().map(|&part| (part, false)))
                }
                Expr::Op { op, args } => {
                    if let &[value, with] = self.facts.list(args) {
                        found.extend(self.compared(op, value, with, outcome));
                    }
                }
                Expr::Var(_) => found.extend(self.parameter(test).map(|param| (param, Test::True(outcome)))),
                _ => {}
            }
        }
        found
    }

    fn compared(&self, op: Op, value: ExprId, with: ExprId, outcome: bool) -> Option<(u32, Test)> {
        let param = self.parameter(value)?;
        let outcome = match op {
            Op::Eq | Op::Is | Op::In => outcome,
            Op::Ne | Op::IsNot | Op::NotIn => !outcome,
            _ => return None,
        };
        let test = match (*self.facts.expr(with), op) {
            (Expr::Seq(items), Op::In | Op::NotIn) => {
                let texts = self.facts.list(items).iter().map(|&item| self.program.text(self.func, item));
                Test::Among(outcome, texts.collect::<Option<Vec<_>>>()?)
            }
            (_, Op::In | Op::NotIn) => return None,
            (Expr::Lit(Lit::None), _) => Test::None(outcome),
            (Expr::Lit(Lit::Bool(wanted)), Op::Is | Op::IsNot) => match outcome {
                true => Test::True(wanted),
                false => return None,
            },
            _ => Test::Among(outcome, vec![self.program.text(self.func, with)?]),
        };
        Some((param, test))
    }

    fn matched(&self, subject: ExprId, pat: &Pat) -> Vec<(u32, Test)> {
        let text = match *pat {
            Pat::Value(value) => self.program.text(self.func, value),
            _ => None,
        };
        let param = self.parameter(subject);
        text.zip(param).map(|(text, param)| (param, Test::Among(true, vec![text]))).into_iter().collect()
    }

    fn parameter(&self, expr: ExprId) -> Option<u32> {
        parameter(self.program, self.func, expr)
    }
}

/// The parameter that an expression is, if nothing else is ever bound to it.
fn parameter(program: &Program<'_>, func: Func, expr: ExprId) -> Option<u32> {
    let Expr::Var(var) = *program.facts(program.function(func).file).expr(expr) else { return None };
    let slot = program.slot_of(func, var);
    let (owner, at) = program.parameter_of(slot)?;
    (owner == func && program.definitions(slot).next().is_none()).then_some(at)
}

/// The branches that the call does not take.
fn closed(program: &Program<'_>, edge: &Edge, callee: Func, all: &[Branch]) -> Mask {
    let arguments = program.arguments(edge);
    if !is_all(program, edge, callee, &arguments) {
        return 0;
    }
    let rules_out = |branch: &Branch| {
        let passed = arguments.iter().find(|(passed, _)| *passed == Passed::Param(branch.param));
        let given = match passed {
            Some(&(_, value)) => given(program, edge.from, value),
            None => default(program, callee, branch.param),
        };
        given.is_some_and(|given| branch.test.fails(&given))
    };
    all.iter().enumerate().fold(0, |mask, (nth, branch)| mask | Mask::from(rules_out(branch)) << nth)
}

/// True if these arguments are what the callee is given: nobody gave some of them before, no decorator adds to them, none is spread,
/// and none is missing.
pub(super) fn is_all(
    program: &Program<'_>,
    edge: &Edge,
    callee: Func,
    arguments: &[(Passed, ExprId)],
) -> bool {
    let facts = program.facts(program.function(callee).file);
    let ir = program.ir(callee);
    let is_spread =
        |(passed, _): &(Passed, ExprId)| matches!(passed, Passed::SpreadFrom(_) | Passed::SpreadNamed);
    let given: FxHashSet<Passed> = arguments.iter().map(|&(passed, _)| passed).collect();
    let is_missing = |(at, param): (u32, &Param)| {
        let is_own = at == 0 && program.function(callee).class.is_some();
        let is_required =
            param.default.is_none() && !matches!(param.kind, ParamKind::Rest | ParamKind::KeywordRest);
        is_required && !is_own && !given.contains(&Passed::Param(at))
    };
    matches!(edge.kind, EdgeKind::Call | EdgeKind::CallHanded)
        && matches!(program.facts(edge.at.file).expr(edge.at.expr), Expr::Call { .. })
        && program.arguments_before(edge).is_empty()
        && facts.list(ir.decorators).is_empty()
        && !arguments.iter().any(is_spread)
        && !(0..).zip(facts.list(ir.params)).any(is_missing)
}

fn default(program: &Program<'_>, callee: Func, param: u32) -> Option<Given> {
    let facts = program.facts(program.function(callee).file);
    let default = facts.list(program.ir(callee).params).get(param as usize)?.default?;
    given(program, program.ir(callee).parent, default)
}

fn given(program: &Program<'_>, func: Func, value: ExprId) -> Option<Given> {
    let facts = program.facts(program.function(func).file);
    Some(match *facts.expr(value) {
        Expr::Lit(Lit::None) => Given::None,
        Expr::Lit(Lit::Bool(value)) => Given::Bool(value),
        Expr::Lit(Lit::Int(number)) => Given::Something(Some(number != 0)),
        Expr::Seq(items) => Given::Something(items.is_empty().then_some(false)),
        Expr::Record(entries) => Given::Something(entries.is_empty().then_some(false)),
        Expr::Closure(_) => Given::Something(Some(true)),
        _ => Given::Text(program.text(func, value)?),
    })
}

impl Test {
    /// True if what is given does not pass.
    fn fails(&self, given: &Given) -> bool {
        match (self, given) {
            (Test::True(wanted), Given::None) => *wanted,
            (Test::True(wanted), Given::Bool(value) | Given::Something(Some(value))) => wanted != value,
            (Test::True(wanted), Given::Text(text)) => *wanted == text.is_empty(),
            (Test::True(_), Given::Something(None)) => false,
            (Test::None(wanted), given) => *wanted != matches!(given, Given::None),
            (Test::Among(wanted, texts), Given::Text(text)) => *wanted != texts.contains(text),
            (Test::Among(wanted, _), _) => *wanted,
        }
    }
}
