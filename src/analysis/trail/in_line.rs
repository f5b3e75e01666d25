//! Tests of a declaration that a function makes itself, instead of asking a validator.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Event;
use super::events::Events;
use crate::ir::walk::Child;
use crate::ir::{Expr, ExprId, Facts, FnKind, Jump, Lit, Pat, PatId};
use crate::link::{Func, Target};

/// A function that names so many fields of a declaration looks at one.
const FIELDS: usize = 2;

impl Events<'_, '_> {
    /// The tests of the declaration that a function makes itself, with an arm that leaves: once such a test has been
    /// looked at, whoever goes on has a declaration. Also what the loop runs over that holds such a test. Each with what
    /// runs where it refuses.
    pub fn tests_in_line(&self, func: Func) -> FxHashMap<ExprId, ExprId> {
        let mut found = FxHashMap::default();
        if *self.event != Event::Declaration || self.program.ir(func).kind == FnKind::Module {
            return found;
        }
        let facts = self.program.facts(self.program.function(func).file);
        for expr in self.program.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::If { arms, .. } => {
                    let asks = facts.list(arms).iter().filter(|arm| leaves(facts, arm.body));
                    let asks = asks.filter(|arm| self.names_field(func, arm.test));
                    found.extend(asks.map(|arm| (innermost(facts, arm.test), arm.body)));
                }
                Expr::Match { subject, arms } => {
                    let arms = facts.list(arms);
                    let asks = arms.iter().any(|arm| self.pattern_names_field(facts, arm.pat));
                    let refusal = arms.iter().find(|arm| leaves(facts, arm.body));
                    if let Some(refusal) = refusal.filter(|_| asks || self.names_field(func, subject)) {
                        found.insert(subject, refusal.body);
                    }
                }
                Expr::Loop(at) => {
                    let looped = facts.arenas.loop_at(at);
                    if let Some((_, each)) = looped.each
                        && self.names_field(func, each)
                        && holds_refusal(facts, looped.body)
                    {
                        found.insert(each, looped.body);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// True if an expression is made of the name of a field of a declaration.
    fn names_field(&self, func: Func, expr: ExprId) -> bool {
        let words = &self.catalog.checklist;
        let mut todo = vec![(func, expr)];
        let mut seen = FxHashSet::default();
        while let Some((func, expr)) = todo.pop() {
            if !seen.insert((func, expr)) || seen.len() > 200 {
                continue;
            }
            let facts = self.program.facts(self.program.function(func).file);
            match *facts.expr(expr) {
                Expr::Lit(Lit::Str(text)) if words.is_field(facts.str(text)) => return true,
                Expr::Call { .. } if self.targets(func, expr).iter().any(|&it| self.judges(it)) => {
                    return true;
                }
                Expr::Field { name, .. } if words.is_field(facts.str(name)) => return true,
                Expr::Var(var) => {
                    let slot = self.program.slot_of(func, var);
                    todo.extend(self.program.definitions(slot));
                }
                Expr::Free(_) => {
                    let bound = self.program.bound(func, expr);
                    todo.extend((bound != (func, expr)).then_some(bound));
                }
                _ => facts.arenas.each_child(expr, |child| {
                    if let Child::Expr(child) = child {
                        todo.push((func, child));
                    }
                }),
            }
        }
        false
    }

    /// True for a function that looks at a declaration, or hands it to one that does: `errors = self.problems(args)`.
    fn judges(&self, func: Func) -> bool {
        let mut fields = self.fields_named(func);
        for edge in self.program.edges_from(func) {
            if let Target::Project(helper) = edge.to {
                fields.extend(self.fields_named(helper));
            }
        }
        fields.len() >= FIELDS
    }

    fn fields_named(&self, func: Func) -> FxHashSet<&str> {
        let facts = self.program.facts(self.program.function(func).file);
        let named = self.program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => Some(facts.str(text)),
            Expr::Field { name, .. } => Some(facts.str(name)),
            _ => None,
        });
        named.filter(|name| self.catalog.checklist.is_field(name)).collect()
    }

    /// `case {"justification": why}:`
    fn pattern_names_field(&self, facts: &Facts, pat: PatId) -> bool {
        let names = |name| self.catalog.checklist.is_field(facts.str(name));
        let fields = match *facts.pat(pat) {
            Pat::Record { items, .. } | Pat::Ctor { named: items, .. } => facts.list(items),
            _ => &[],
        };
        let mut inner = Vec::new();
        facts.arenas.each_child_of_pat(pat, |child| {
            if let Child::Pat(pat) = child {
                inner.push(pat);
            }
        });
        fields.iter().any(|field| names(field.name))
            || inner.into_iter().any(|pat| self.pattern_names_field(facts, pat))
    }
}

/// Where the test is decided first: what is looked at in any case.
fn innermost(facts: &Facts, test: ExprId) -> ExprId {
    match *facts.expr(test) {
        Expr::Not(inner) => innermost(facts, inner),
        Expr::All(parts) | Expr::Any(parts) => {
            facts.list(parts).first().map_or(test, |&first| innermost(facts, first))
        }
        _ => test,
    }
}

/// True if a block never comes to its end.
fn leaves(facts: &Facts, block: ExprId) -> bool {
    match *facts.expr(block) {
        Expr::Block(list) => facts.list(list).last().is_some_and(|&last| leaves(facts, last)),
        Expr::Jump { kind: Jump::Return | Jump::Raise, .. } => true,
        Expr::With { body, .. } => leaves(facts, body),
        _ => false,
    }
}

fn holds_refusal(facts: &Facts, body: ExprId) -> bool {
    let mut todo = vec![body];
    while let Some(expr) = todo.pop() {
        if let Expr::If { arms, .. } = *facts.expr(expr)
            && facts.list(arms).iter().any(|arm| leaves(facts, arm.body))
        {
            return true;
        }
        facts.arenas.each_child(expr, |child| {
            if let Child::Expr(child) = child {
                todo.push(child);
            }
        });
    }
    false
}
