//! Tests that refuse one word and let every other value through, and the code that runs for those others. The shape of a
//! function decides: the other arms, and what follows if the refusing arm leaves. What that code does is not looked at.

use rustc_hash::FxHashSet;

use super::decisions::{Decisions, members};
use super::gates::is_gate;
use crate::catalog::Vocabulary;
use crate::ir::walk::Child;
use crate::ir::{Arm, Expr, ExprId, Facts, IfArm, Jump, Op, Pat, PatId};
use crate::link::{Func, Passed, Program, Target};

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
    pub beyond: FxHashSet<ExprId>,
}

/// The denials of one function that nothing gates before.
pub fn denials(program: &Program<'_>, words: &Vocabulary, decisions: &Decisions, func: Func) -> Vec<Denial> {
    let facts = program.facts(program.function(func).file);
    let mut walk = Walk { program, words, decisions, func, facts, found: Vec::new() };
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

/// A comparison with words, and where the others go.
#[derive(Clone, Copy)]
struct Comparison {
    test: ExprId,
    value: ExprId,
    with: ExprId,
    side: Side,
}

/// The statements after the current one, from the inside out.
struct Rest<'r> {
    statements: &'r [ExprId],
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
    found: Vec<Denial>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, expr: ExprId, rest: Option<&Rest<'_>>) {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Block(list) => {
                let list = facts.list(list);
                for (at, &statement) in list.iter().enumerate() {
                    let after = Rest { statements: &list[at + 1..], outer: rest, ends_turn: false };
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
        let turn = Rest { statements: &[], outer: rest, ends_turn: true };
        let rest = if matches!(facts.expr(expr), Expr::Loop(_)) { Some(&turn) } else { rest };
        for child in children(facts, expr) {
            self.visit(child, rest);
        }
    }

    fn arms(&mut self, arms: &[IfArm], otherwise: Option<ExprId>, rest: Option<&Rest<'_>>) {
        for (at, arm) in arms.iter().enumerate() {
            let Some(denial) = self.comparison(arm.test, &self.words.closed) else { continue };
            if self.comparison(arm.test, &self.words.open).is_some() {
                continue;
            }
            let mut beyond = FxHashSet::default();
            let goes_on = match denial.side {
                Side::Body => {
                    self.gather(arm.body, &mut beyond);
                    false
                }
                Side::Else => self.later_arms(&arms[at + 1..], otherwise, &mut beyond),
            };
            if let (true, Some(jump)) = (goes_on, leaves(self.facts, arm.body)) {
                self.gather_rest(rest, jump, &mut beyond);
            }
            self.add(denial, beyond);
        }
    }

    fn later_arms(&self, arms: &[IfArm], otherwise: Option<ExprId>, beyond: &mut FxHashSet<ExprId>) -> bool {
        for arm in arms {
            self.gather(arm.test, beyond);
            match self.comparison(arm.test, &self.words.open).map(|found| found.side) {
                // Only the open word comes here …
                Some(Side::Else) => {}
                // … or past it.
                Some(Side::Body) => {
                    return self.gather(arm.body, beyond) && leaves(self.facts, arm.body).is_none();
                }
                None => {
                    self.gather(arm.body, beyond);
                }
            }
        }
        otherwise.is_none_or(|body| self.gather(body, beyond))
    }

    fn cases(&mut self, subject: ExprId, arms: &[Arm], rest: Option<&Rest<'_>>) {
        for (at, arm) in arms.iter().enumerate() {
            let Some(word) = self.word_of(arm.pat, &self.words.closed) else { continue };
            let mut beyond = FxHashSet::default();
            for other in &arms[at + 1..] {
                if self.word_of(other.pat, &self.words.open).is_none() {
                    self.gather(other.body, &mut beyond);
                }
            }
            let is_total = arms.iter().any(|arm| matches!(self.facts.pat(arm.pat), Pat::Wild | Pat::Var(_)));
            if let (false, Some(jump)) = (is_total, leaves(self.facts, arm.body)) {
                self.gather_rest(rest, jump, &mut beyond);
            }
            let denial = Comparison { test: word, value: subject, with: word, side: Side::Else };
            self.add(denial, beyond);
        }
    }

    fn word_of(&self, pat: PatId, words: &[String]) -> Option<ExprId> {
        let Pat::Value(value) = *self.facts.pat(pat) else { return None };
        let text = self.program.text(self.func, value)?;
        words.contains(&text).then_some(value)
    }

    fn add(&mut self, denial: Comparison, beyond: FxHashSet<ExprId>) {
        let Comparison { test, value, with, .. } = denial;
        self.found.push(Denial { func: self.func, test, value, with, beyond });
    }

    /// A comparison with these words alone, wherever it stands in the test.
    fn comparison(&self, test: ExprId, words: &[String]) -> Option<Comparison> {
        let flip = |found: Comparison| Comparison {
            side: if found.side == Side::Body { Side::Else } else { Side::Body },
            ..found
        };
        match *self.facts.expr(test) {
            Expr::Not(inner) => self.comparison(inner, words).map(flip),
            Expr::All(parts) | Expr::Any(parts) => {
                self.facts.list(parts).iter().find_map(|&part| self.comparison(part, words))
            }
            Expr::Op { op, args } => {
                let &[left, right] = self.facts.list(args) else { return None };
                let side = match op {
                    Op::Eq | Op::Is | Op::In => Side::Else,
                    Op::Ne | Op::IsNot | Op::NotIn => Side::Body,
                    _ => return None,
                };
                let is_word =
                    |expr| self.program.text(self.func, expr).is_some_and(|text| words.contains(&text));
                let (value, with) = match op {
                    Op::In | Op::NotIn => {
                        let members = members(self.program, self.func, right);
                        let all = !members.is_empty() && members.iter().all(|word| words.contains(word));
                        all.then_some((left, right))?
                    }
                    _ if is_word(right) => (left, right),
                    _ if is_word(left) => (right, left),
                    _ => return None,
                };
                Some(Comparison { test, value, with, side })
            }
            // A test that has a name.
            Expr::Var(_) => {
                let (func, bound) = self.program.bound(self.func, test);
                let is_here = func == self.func && bound < test;
                is_here.then(|| self.comparison(bound, words)).flatten()
            }
            _ => None,
        }
    }

    /// Collects what runs, up to a gate; false if nothing after it runs ungated.
    fn gather(&self, expr: ExprId, out: &mut FxHashSet<ExprId>) -> bool {
        out.insert(expr);
        match *self.facts.expr(expr) {
            Expr::Block(list) => self.gather_all(self.facts.list(list), out),
            Expr::If { arms, otherwise } => self.later_arms(self.facts.list(arms), otherwise, out),
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

    /// What follows an arm that leaves, for those who do not take it.
    fn gather_rest(&self, rest: Option<&Rest<'_>>, jump: Jump, out: &mut FxHashSet<ExprId>) {
        let mut rest = rest;
        while let Some(this) = rest {
            let in_turn = matches!(jump, Jump::Break(_) | Jump::Continue(_));
            if !self.gather_all(this.statements, out) || (this.ends_turn && in_turn) {
                return;
            }
            rest = this.outer;
        }
    }

    /// True if nothing unknown comes past a statement: it asks a gate, or leaves for whatever is not named.
    fn gates(&self, statement: ExprId) -> bool {
        match *self.facts.expr(statement) {
            Expr::If { arms, .. } => {
                let arms = self.facts.list(arms);
                let refuses = |arm: &IfArm| {
                    let found = self.comparison(arm.test, &self.words.open);
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
        members(self.program, self.func, set).iter().any(|word| self.words.open.contains(word))
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
