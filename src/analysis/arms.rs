//! Tests that refuse one word and let every other value through, and the code that runs for those others. The shape of a
//! function decides: the other arms, and what follows if the refusing arm leaves. What that code does is not looked at.

mod beyond;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::decisions::Decisions;
use super::gates::is_gate;
use crate::catalog::Vocabulary;
use crate::ir::walk::Child;
use crate::ir::{Arm, Expr, ExprId, Facts, IfArm, Jump, Op, Pat, PatId};
use crate::link::{Func, Memo, Passed, Program, Target};
use beyond::{Beyond, Gathered};

/// A test against a word that closes the gate.
#[derive(Debug)]
pub struct Denial {
    pub func: Func,
    /// The comparison.
    pub test: ExprId,
    /// What is compared.
    pub value: ExprId,
    /// What it is compared with: the word, or a set of words.
    pub with: ExprId,
    /// The expressions that run for any other value.
    pub beyond: Beyond,
}

/// The denials of one function that nothing gates before.
pub fn denials(program: &Program<'_>, words: &Vocabulary, decisions: &Decisions, func: Func) -> Vec<Denial> {
    let facts = program.facts(program.function(func).file);
    let (gated, compared, lists, found) = Default::default();
    let mut walk = Walk { program, words, decisions, func, facts, gated, compared, lists, found };
    let has_test = |expr: ExprId| matches!(facts.expr(expr), Expr::If { .. } | Expr::Match { .. });
    if program.ir(func).exprs.iter().any(has_test) {
        walk.visit(program.ir(func).body, None);
    }
    walk.found
}

/// Where values other than the word go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Body,
    Else,
}

/// Names of tests that are made of names of tests; more is no test that somebody reads.
const MAX_HOPS: u32 = 8;

/// A comparison with words, and where the others go.
#[derive(Clone, Copy)]
struct Comparison {
    test: ExprId,
    value: ExprId,
    with: ExprId,
    side: Side,
}

impl Comparison {
    fn flipped(self) -> Self {
        Self { side: if self.side == Side::Body { Side::Else } else { Side::Body }, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Open,
    Closed,
}

/// The statements from a place in a list on, from the inside out.
struct Rest<'r> {
    list: &'r [ExprId],
    from: usize,
    outer: Option<&'r Rest<'r>>,
    /// `continue` and `break` end here.
    ends_turn: bool,
}

struct Walk<'w, 'a> {
    program: &'w Program<'a>,
    words: &'w Vocabulary,
    decisions: &'w Decisions,
    func: Func,
    facts: &'a Facts,
    gated: Memo<ExprId, bool>,
    /// Comparisons by test, by whether it is with open words, and by the names that may still be followed.
    compared: Memo<(ExprId, bool, u32), Option<Comparison>>,
    /// What runs in a list of statements or of arms, by its first.
    lists: Memo<ExprId, Arc<Gathered>>,
    found: Vec<Denial>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, expr: ExprId, rest: Option<&Rest<'_>>) {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Block(list) => {
                let list = facts.list(list);
                for (at, &statement) in list.iter().enumerate() {
                    let after = Rest { list, from: at + 1, outer: rest, ends_turn: false };
                    self.visit(statement, Some(&after));
                    if self.gates(statement) {
                        return;
                    }
                }
                return;
            }
            Expr::If { arms, otherwise } => self.arms(facts.list(arms), otherwise, rest),
            Expr::Match { subject, arms } => self.cases(subject, facts.list(arms), rest),
            _ => {}
        }
        let turn = Rest { list: &[], from: 0, outer: rest, ends_turn: true };
        let rest = if matches!(facts.expr(expr), Expr::Loop(_)) { Some(&turn) } else { rest };
        for child in children(facts, expr) {
            self.visit(child, rest);
        }
    }

    fn arms(&mut self, arms: &[IfArm], otherwise: Option<ExprId>, rest: Option<&Rest<'_>>) {
        for (at, arm) in arms.iter().enumerate() {
            let Some(denial) = self.comparison(arm.test, Words::Closed) else { continue };
            if self.comparison(arm.test, Words::Open).is_some() {
                continue;
            }
            let (mut beyond, mut goes_on) = (Beyond::default(), false);
            match denial.side {
                Side::Body => beyond = self.body(arm.body),
                Side::Else => goes_on = beyond.add(self.gathered_arms(arms, otherwise), at + 1),
            }
            if let (true, Some(jump)) = (goes_on, leaves(self.facts, arm.body)) {
                self.gather_rest(rest, jump, &mut beyond);
            }
            self.add(denial, beyond);
        }
    }

    fn body(&self, body: ExprId) -> Beyond {
        let mut runs = FxHashSet::default();
        self.gather(body, &mut runs);
        Beyond::of(runs)
    }

    fn gathered_arms(&self, arms: &[IfArm], otherwise: Option<ExprId>) -> Arc<Gathered> {
        let gather = |at: usize, out: &mut FxHashSet<ExprId>| self.arm(arms, otherwise, at, out);
        let count = arms.len() + usize::from(otherwise.is_some());
        self.lists.of(arms[0].test, || Arc::new(Gathered::new(count, gather)))
    }

    /// What runs in one arm for a value that is no closed word, and, if that is known, whether something does after the
    /// branches.
    fn arm(
        &self,
        arms: &[IfArm],
        otherwise: Option<ExprId>,
        at: usize,
        out: &mut FxHashSet<ExprId>,
    ) -> Option<bool> {
        let Some(arm) = arms.get(at) else { return otherwise.map(|body| self.gather(body, out)) };
        self.gather(arm.test, out);
        match self.comparison(arm.test, Words::Open).map(|found| found.side) {
            // Only the open word comes here …
            Some(Side::Else) => None,
            // … or past it.
            Some(Side::Body) => Some(self.gather(arm.body, out) && leaves(self.facts, arm.body).is_none()),
            None => {
                self.gather(arm.body, out);
                None
            }
        }
    }

    fn cases(&mut self, subject: ExprId, arms: &[Arm], rest: Option<&Rest<'_>>) {
        let is_total = arms.iter().any(|arm| matches!(self.facts.pat(arm.pat), Pat::Wild | Pat::Var(_)));
        for (at, arm) in arms.iter().enumerate() {
            let Some(word) = self.word_of(arm.pat, &self.words.closed) else { continue };
            let mut beyond = Beyond::default();
            beyond.add(self.gathered_cases(arms), at + 1);
            if let (false, Some(jump)) = (is_total, leaves(self.facts, arm.body)) {
                self.gather_rest(rest, jump, &mut beyond);
            }
            let denial = Comparison { test: word, value: subject, with: word, side: Side::Else };
            self.add(denial, beyond);
        }
    }

    fn gathered_cases(&self, arms: &[Arm]) -> Arc<Gathered> {
        let gather = |at: usize, out: &mut FxHashSet<ExprId>| {
            if self.word_of(arms[at].pat, &self.words.open).is_none() {
                self.gather(arms[at].body, out);
            }
            None
        };
        self.lists.of(arms[0].body, || Arc::new(Gathered::new(arms.len(), gather)))
    }

    fn word_of(&self, pat: PatId, words: &[String]) -> Option<ExprId> {
        let Pat::Value(value) = *self.facts.pat(pat) else { return None };
        let text = self.program.text(self.func, value)?;
        words.contains(&text).then_some(value)
    }

    fn add(&mut self, denial: Comparison, beyond: Beyond) {
        let Comparison { test, value, with, .. } = denial;
        self.found.push(Denial { func: self.func, test, value, with, beyond });
    }

    fn words(&self, words: Words) -> &[String] {
        match words {
            Words::Open => &self.words.open,
            Words::Closed => &self.words.closed,
        }
    }

    /// A comparison with these words alone, wherever it stands in the test.
    fn comparison(&self, test: ExprId, words: Words) -> Option<Comparison> {
        self.compare(test, words, MAX_HOPS)
    }

    fn compare(&self, test: ExprId, words: Words, hops: u32) -> Option<Comparison> {
        let find = || match *self.facts.expr(test) {
            Expr::Not(inner) => self.compare(inner, words, hops).map(Comparison::flipped),
            Expr::All(parts) | Expr::Any(parts) => {
                self.facts.list(parts).iter().find_map(|&part| self.compare(part, words, hops))
            }
            Expr::Op { op, args } => {
                let &[left, right] = self.facts.list(args) else { return None };
                self.operation(test, op, [left, right], self.words(words))
            }
            // A test that has a name.
            Expr::Var(_) => {
                let (func, bound) = self.program.bound(self.func, test);
                let hops = hops.checked_sub(1).filter(|_| func == self.func && bound < test)?;
                self.compare(bound, words, hops)
            }
            _ => None,
        };
        self.compared.of((test, words == Words::Open, hops), find)
    }

    fn operation(
        &self,
        test: ExprId,
        op: Op,
        [left, right]: [ExprId; 2],
        words: &[String],
    ) -> Option<Comparison> {
        let side = match op {
            Op::Eq | Op::Is | Op::In => Side::Else,
            Op::Ne | Op::IsNot | Op::NotIn => Side::Body,
            _ => return None,
        };
        let is_word = |expr| self.program.text(self.func, expr).is_some_and(|text| words.contains(&text));
        let (value, with) = match op {
            Op::In | Op::NotIn => {
                let members = self.program.members(self.func, right);
                let all = !members.is_empty() && members.iter().all(|word| words.contains(word));
                all.then_some((left, right))?
            }
            _ if is_word(right) => (left, right),
            _ if is_word(left) => (right, left),
            _ => return None,
        };
        Some(Comparison { test, value, with, side })
    }

    /// Collects what runs, up to a gate; false if nothing after it runs ungated.
    fn gather(&self, expr: ExprId, out: &mut FxHashSet<ExprId>) -> bool {
        out.insert(expr);
        match *self.facts.expr(expr) {
            Expr::Block(list) => self.gather_all(self.facts.list(list), out),
            Expr::If { arms, otherwise } => self.gather_arms(self.facts.list(arms), otherwise, out),
            _ => {
                for child in children(self.facts, expr) {
                    self.gather(child, out);
                }
                true
            }
        }
    }

    fn gather_all(&self, statements: &[ExprId], out: &mut FxHashSet<ExprId>) -> bool {
        statements.iter().all(|&statement| !self.gates(statement) && self.gather(statement, out))
    }

    fn gather_arms(&self, arms: &[IfArm], otherwise: Option<ExprId>, out: &mut FxHashSet<ExprId>) -> bool {
        (0..=arms.len()).find_map(|at| self.arm(arms, otherwise, at, out)).unwrap_or(true)
    }

    /// What follows an arm that leaves, for those who do not take it.
    fn gather_rest(&self, rest: Option<&Rest<'_>>, jump: Jump, beyond: &mut Beyond) {
        let in_turn = matches!(jump, Jump::Break(_) | Jump::Continue(_));
        let mut rest = rest;
        while let Some(this) = rest {
            let goes_on = this.list.is_empty() || beyond.add(self.gathered(this.list), this.from);
            if !goes_on || (this.ends_turn && in_turn) {
                return;
            }
            rest = this.outer;
        }
    }

    fn gathered(&self, statements: &[ExprId]) -> Arc<Gathered> {
        let gather = |at: usize, out: &mut FxHashSet<ExprId>| {
            let goes_on = !self.gates(statements[at]) && self.gather(statements[at], out);
            if goes_on { None } else { Some(false) }
        };
        self.lists.of(statements[0], || Arc::new(Gathered::new(statements.len(), gather)))
    }

    /// True if nothing unknown comes past a statement: it asks a gate, or leaves for whatever is not named.
    fn gates(&self, statement: ExprId) -> bool {
        self.gated.of(statement, || self.is_gated(statement))
    }

    fn is_gated(&self, statement: ExprId) -> bool {
        match *self.facts.expr(statement) {
            Expr::If { arms, .. } => {
                let arms = self.facts.list(arms);
                let refuses = |arm: &IfArm| {
                    let found = self.comparison(arm.test, Words::Open);
                    let is_refused = found.is_some_and(|found| found.side == Side::Body);
                    (is_refused || self.validates(arm.test)) && leaves(self.facts, arm.body).is_some()
                };
                arms.iter().any(|arm| refuses(arm) || self.asks(arm.test, false))
            }
            Expr::Bind { value, .. } => self.asks(value, true),
            Expr::Call { .. } | Expr::Await(_) => self.asks(statement, true),
            _ => false,
        }
    }

    /// `phase not in ("planning", "execution")`: past it nothing but these words comes.
    fn validates(&self, test: ExprId) -> bool {
        let Expr::Op { op: Op::NotIn, args } = *self.facts.expr(test) else { return false };
        let &[_, set] = self.facts.list(args) else { return false };
        self.program.members(self.func, set).iter().any(|word| self.words.open.contains(word))
    }

    /// A gate by name, or a function that decides about what it is given (and raises).
    fn asks(&self, expr: ExprId, must_raise: bool) -> bool {
        if matches!(self.facts.expr(expr), Expr::Call { .. }) {
            if is_gate(self.program, self.words, self.func, expr).is_some() {
                return true;
            }
            let edges = self.program.edges_at(self.func, expr).iter();
            for edge in edges {
                let Target::Project(callee) = edge.to else { continue };
                let decides = |passed: &Passed| match *passed {
                    Passed::Param(at) => {
                        let slot = self.program.parameter(callee, at);
                        slot.is_some_and(|slot| self.decisions.variable_decides(slot))
                    }
                    _ => false,
                };
                let is_asked = self.program.arguments(edge).iter().any(|(passed, _)| decides(passed));
                if is_asked && (!must_raise || self.raises(callee)) {
                    return true;
                }
            }
        }
        children(self.facts, expr).into_iter().any(|child| self.asks(child, must_raise))
    }

    fn raises(&self, callee: Func) -> bool {
        let facts = self.program.facts(self.program.function(callee).file);
        let mut exprs = self.program.ir(callee).exprs.iter();
        exprs.any(|expr| matches!(facts.expr(expr), Expr::Jump { kind: Jump::Raise, .. }))
    }
}

/// How a body leaves at its end, if it does.
fn leaves(facts: &Facts, body: ExprId) -> Option<Jump> {
    match *facts.expr(body) {
        Expr::Block(list) => facts.list(list).last().and_then(|&last| leaves(facts, last)),
        Expr::Jump { kind: Jump::Assert, .. } => None,
        Expr::Jump { kind, .. } => Some(kind),
        Expr::If { arms, otherwise: Some(otherwise) } => {
            let arms = facts.list(arms).iter().map(|arm| leaves(facts, arm.body));
            arms.chain([leaves(facts, otherwise)]).reduce(|one, other| one.and(other)).flatten()
        }
        _ => None,
    }
}

fn children(facts: &Facts, expr: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    facts.arenas.each_child(expr, |child| {
        if let Child::Expr(child) = child {
            found.push(child);
        }
    });
    found
}
