//! Where statements stand: for every expression of a function what is around it, and the text of a statement with its
//! terminator and its indent. Known from spans and the shape of the core language alone.

use rustc_hash::FxHashMap;

use crate::frontend::spelling::Spelling;
use crate::ir::{Expr, ExprId, Facts, Func, Jump, Span};

/// A file as its changes see it.
pub struct File<'f> {
    pub facts: &'f Facts,
    pub text: &'f str,
    pub spelling: &'static dyn Spelling,
}

impl<'f> File<'f> {
    /// The text of a span.
    pub fn code(&self, span: Span) -> &'f str {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
    }

    pub fn code_of(&self, expr: ExprId) -> &'f str {
        self.code(self.facts.span(expr))
    }

    /// The white space before what begins there; all of the line before it where something else stands on it.
    pub fn indent(&self, at: u32) -> &'f str {
        let before = self.text.get(..at as usize).unwrap_or_default();
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        &line[..line.len() - line.trim_start().len()]
    }

    /// A statement with what ends it.
    pub fn whole(&self, statement: ExprId) -> Span {
        let span = self.facts.span(statement);
        self.with_terminator(span)
    }

    pub fn with_terminator(&self, span: Span) -> Span {
        let terminator = self.spelling.terminator();
        let rest = self.text.get(span.hi as usize..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        match !terminator.is_empty() && rest[blank..].starts_with(terminator) {
            true => Span { lo: span.lo, hi: span.hi + (blank + terminator.len()) as u32 },
            false => span,
        }
    }

    /// The statements of a block; an expression that is none is its own only statement.
    pub fn statements(&self, block: ExprId) -> &'f [ExprId] {
        match *self.facts.expr(block) {
            Expr::Block(list) => self.facts.list(list),
            _ => &[],
        }
    }

    /// The jump by which a block ends, if it leaves what is around it.
    pub fn leaves(&self, block: ExprId) -> Option<ExprId> {
        let last = match *self.facts.expr(block) {
            Expr::Block(list) => self.facts.list(list).last().copied()?,
            _ => block,
        };
        let leaves = matches!(
            self.facts.expr(last),
            Expr::Jump { kind: Jump::Return | Jump::Raise | Jump::Break(_) | Jump::Continue(_), .. }
        );
        leaves.then_some(last)
    }

    /// True if an error is raised somewhere below.
    pub fn raises(&self, below: ExprId) -> bool {
        let exprs = self.facts.arenas.below(below);
        exprs.into_iter().any(|id| matches!(self.facts.expr(id), Expr::Jump { kind: Jump::Raise, .. }))
    }
}

/// What is around each expression of one function.
pub struct Around {
    parents: FxHashMap<ExprId, ExprId>,
}

impl Around {
    pub fn of(facts: &Facts, function: Func) -> Self {
        let mut parents = FxHashMap::default();
        for expr in facts.function(function).exprs.iter() {
            facts.arenas.each_expr(expr, |child| {
                parents.insert(child, expr);
            });
        }
        Self { parents }
    }

    pub fn parent(&self, expr: ExprId) -> Option<ExprId> {
        self.parents.get(&expr).copied()
    }

    /// The statement in which an expression stands, by the innermost block.
    pub fn statement(&self, facts: &Facts, expr: ExprId) -> Option<ExprId> {
        let mut at = expr;
        loop {
            let parent = self.parent(at)?;
            if matches!(facts.expr(parent), Expr::Block(_)) {
                return Some(at);
            }
            at = parent;
        }
    }

    /// What waits for a call and hands its error on, with the call: `await f()`, `f()?`.
    pub fn completed(&self, file: &File<'_>, call: ExprId) -> ExprId {
        let mut at = call;
        while let Some(parent) = self.parent(at) {
            let goes_on = match *file.facts.expr(parent) {
                Expr::Await(_) => true,
                Expr::Match { subject, .. } => {
                    subject == at
                        && file
                            .code_of(parent)
                            .strip_prefix(file.code_of(at))
                            .is_some_and(|rest| rest.trim() == "?")
                }
                _ => false,
            };
            if !goes_on {
                break;
            }
            at = parent;
        }
        at
    }
}
