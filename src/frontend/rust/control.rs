//! Control flow: branches, `match`, loops and the ways out of them. Whether a pattern fits is a match whose value is a
//! boolean, so that `if let`, `while let`, chains of them and `matches!` are one thing; a lone `if let` is the match itself.

use std::collections::VecDeque;

use proc_macro2::Span as TokenSpan;
use syn::{
    BinOp, Block, Expr as SynExpr, ExprBinary, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLet,
    ExprLoop, ExprMatch, ExprWhile, Label as SynLabel, Lifetime, Pat as SynPat,
};

use super::expressions::bare;
use super::{DEEPEST, Frame, Lowerer, hull};
use crate::ir::{Arm, Expr, ExprId, IfArm, Jump, Label, ListOf, Lit, Loop, Pat, PatId, Span};

/// The branches of an `if` with its `else if`, and what runs otherwise.
struct Ladder {
    branches: VecDeque<(SynExpr, Block)>,
    otherwise: Option<SynExpr>,
}

impl Lowerer<'_> {
    pub(super) fn if_ladder(&mut self, found: ExprIf) -> ExprId {
        let mut ladder = Ladder { branches: VecDeque::new(), otherwise: None };
        let first = self.span(found.if_token.span);
        let mut at = found;
        loop {
            ladder.branches.push_back((*at.cond, at.then_branch));
            match at.else_branch {
                Some((_, other)) => match *other {
                    SynExpr::If(next) => at = next,
                    other => {
                        ladder.otherwise = Some(other);
                        break;
                    }
                },
                None => break,
            }
        }
        self.ladder(ladder, first)
    }

    /// Branches up to the first `if let`, or that alone; the rest of the ladder is what happens otherwise.
    fn ladder(&mut self, mut ladder: Ladder, first: Span) -> ExprId {
        if let Some((SynExpr::Let(_), _)) = ladder.branches.front() {
            return self.if_let(ladder, first);
        }
        let mut arms = Vec::new();
        while let Some((cond, block)) = ladder.branches.pop_front() {
            if matches!(cond, SynExpr::Let(_)) {
                ladder.branches.push_front((cond, block));
                break;
            }
            let outer = self.scopes.open();
            let test = self.condition(cond);
            self.depth += 1;
            let body = self.block(block);
            self.depth -= 1;
            self.scopes.close(outer);
            arms.push(IfArm { test, body });
        }
        let last = arms.last().map_or(first, |arm| self.span_of(arm.body));
        let otherwise = self.otherwise(ladder, last);
        let span = hull(hull(first, last), otherwise.map_or(last, |other| self.span_of(other)));
        let arms = self.list(&arms);
        self.add(Expr::If { arms, otherwise }, span)
    }

    fn if_let(&mut self, mut ladder: Ladder, first: Span) -> ExprId {
        let Some((SynExpr::Let(found), block)) = ladder.branches.pop_front() else {
            return self.opaque(first);
        };
        let subject = self.nested(*found.expr);
        let outer = self.scopes.open();
        let (pat, mark) = self.arm_pattern(*found.pat);
        self.depth += 1;
        let body = self.block(block);
        self.depth -= 1;
        self.scopes.close(outer);
        let last = self.span_of(body);
        let otherwise = self.otherwise(ladder, last);
        let span = hull(hull(first, last), otherwise.map_or(last, |other| self.span_of(other)));
        let other = match otherwise {
            Some(other) => other,
            None => self.add(Expr::Block(ListOf::EMPTY), Span { lo: last.hi, hi: last.hi }),
        };
        let wild = self.arenas.add_pat(Pat::Wild);
        let other = Arm { pat: wild, guard: None, body: other, span: self.span_of(other) };
        let arms = self.list(&[Arm { pat, guard: None, body, span: mark }, other]);
        self.add(Expr::Match { subject, arms }, span)
    }

    fn otherwise(&mut self, ladder: Ladder, last: Span) -> Option<ExprId> {
        if ladder.branches.is_empty() {
            return ladder.otherwise.map(|other| self.nested(other));
        }
        if self.depth >= DEEPEST {
            return Some(self.too_deep_ladder(ladder.branches, ladder.otherwise));
        }
        self.depth += 1;
        let made = self.ladder(ladder, Span { lo: last.hi, hi: last.hi });
        self.depth -= 1;
        Some(made)
    }

    fn too_deep_ladder(
        &mut self,
        branches: VecDeque<(SynExpr, Block)>,
        otherwise: Option<SynExpr>,
    ) -> ExprId {
        let mut parts = Vec::new();
        for (cond, block) in &branches {
            parts.push(self.too_deep(cond));
            let span = self.block_span(block);
            parts.push(self.too_deep_block(block, span));
        }
        parts.extend(otherwise.map(|other| self.too_deep(&other)));
        let span = parts.first().map_or(Span::default(), |&part| self.span_of(part));
        let parts = self.list(&parts);
        self.add(Expr::Opaque(parts), span)
    }

    /// A test: `a && let Some(b) = c && d`. What its patterns bind is known behind it.
    pub(super) fn condition(&mut self, cond: SynExpr) -> ExprId {
        let mut rights = Vec::new();
        let mut left = bare(cond);
        while let SynExpr::Binary(ExprBinary { op: BinOp::And(_), left: inner, right, .. }) = left {
            rights.push(*right);
            left = bare(*inner);
        }
        if rights.is_empty() {
            return self.tested(left);
        }
        self.depth += 1;
        let base = self.exprs.len();
        let first = self.tested(left);
        self.exprs.push(first);
        for right in rights.into_iter().rev() {
            let made = self.tested(right);
            self.exprs.push(made);
        }
        self.depth -= 1;
        let span =
            self.exprs[base..].iter().fold(self.span_of(first), |span, &part| hull(span, self.span_of(part)));
        let parts = self.take_exprs(base);
        self.add(Expr::All(parts), span)
    }

    fn tested(&mut self, part: SynExpr) -> ExprId {
        match part {
            SynExpr::Let(ExprLet { pat, expr, let_token, .. }) => {
                let subject = self.nested(*expr);
                let mark = self.span(let_token.span);
                self.fits(subject, *pat, mark)
            }
            other => self.nested(other),
        }
    }

    /// True if the subject fits the pattern, which may have a guard.
    pub(super) fn fits(&mut self, subject: ExprId, pat: SynPat, mark: Span) -> ExprId {
        let span = hull(mark, self.span_of(subject));
        self.depth += 1;
        let (pat, guard) = self.guarded(pat);
        self.depth -= 1;
        let yes = self.add(Expr::Lit(Lit::Bool(true)), span);
        let no = self.add(Expr::Lit(Lit::Bool(false)), span);
        let wild = self.arenas.add_pat(Pat::Wild);
        let arms = [Arm { pat, guard, body: yes, span }, Arm { pat: wild, guard: None, body: no, span }];
        let arms = self.list(&arms);
        self.add(Expr::Match { subject, arms }, span)
    }

    fn guarded(&mut self, pat: SynPat) -> (PatId, Option<ExprId>) {
        match pat {
            SynPat::Guard(found) => {
                let pat = self.pattern(*found.pat);
                (pat, Some(self.condition(*found.guard)))
            }
            pat => (self.pattern(pat), None),
        }
    }

    fn arm_pattern(&mut self, pat: SynPat) -> (PatId, Span) {
        use syn::spanned::Spanned;
        let mark = self.span(pat.span());
        self.depth += 1;
        let made = self.pattern(pat);
        self.depth -= 1;
        (made, mark)
    }

    pub(super) fn match_expr(&mut self, found: ExprMatch) -> ExprId {
        use syn::spanned::Spanned;
        let span = self.between(found.match_token.span, found.brace_token.span.close());
        let subject = self.expr(*found.expr);
        let mut arms = Vec::with_capacity(found.arms.len());
        for arm in found.arms {
            let span = self.span(arm.pat.span());
            let outer = self.scopes.open();
            let (pat, guard) = self.guarded(arm.pat);
            let body = self.expr(*arm.body);
            self.scopes.close(outer);
            arms.push(Arm { pat, guard, body, span });
        }
        let arms = self.list(&arms);
        self.add(Expr::Match { subject, arms }, span)
    }

    pub(super) fn endless(&mut self, found: ExprLoop) -> ExprId {
        let span = self.between(found.loop_token.span, found.body.brace_token.span.close());
        let test = self.add(Expr::Lit(Lit::Bool(true)), self.span(found.loop_token.span));
        self.loop_with(found.label.as_ref(), Some(test), None, found.body, span)
    }

    pub(super) fn while_loop(&mut self, found: ExprWhile) -> ExprId {
        let span = self.between(found.while_token.span, found.body.brace_token.span.close());
        let outer = self.scopes.open();
        let test = self.condition(*found.cond);
        let made = self.loop_with(found.label.as_ref(), Some(test), None, found.body, span);
        self.scopes.close(outer);
        made
    }

    pub(super) fn for_loop(&mut self, found: ExprForLoop) -> ExprId {
        let span = self.between(found.for_token.span, found.body.brace_token.span.close());
        let iterable = self.expr(*found.expr);
        let outer = self.scopes.open();
        let pat = self.pattern(*found.pat);
        let made = self.loop_with(found.label.as_ref(), None, Some((pat, iterable)), found.body, span);
        self.scopes.close(outer);
        made
    }

    fn loop_with(
        &mut self,
        name: Option<&SynLabel>,
        test: Option<ExprId>,
        each: Option<(PatId, ExprId)>,
        body: Block,
        span: Span,
    ) -> ExprId {
        let label = self.enter_loop(name, false);
        self.depth += 1;
        let body = self.block(body);
        self.depth -= 1;
        self.loops.pop();
        let index = self.arenas.add_loop(Loop { label, test, each, body, otherwise: None });
        self.add(Expr::Loop(index), span)
    }

    /// `'a: { … break 'a value … }`: a loop that is left at its end.
    pub(super) fn labelled(&mut self, name: &SynLabel, block: Block) -> ExprId {
        let span = self.block_span(&block);
        let test = self.add(Expr::Lit(Lit::Bool(true)), span);
        let label = self.enter_loop(Some(name), true);
        self.depth += 2;
        let value = self.block(block);
        self.depth -= 2;
        self.loops.pop();
        let leave = self.add(Expr::Jump { kind: Jump::Break(label), value: Some(value) }, span);
        let body = self.list(&[leave]);
        let body = self.add(Expr::Block(body), span);
        let index = self.arenas.add_loop(Loop { label, test: Some(test), each: None, body, otherwise: None });
        self.add(Expr::Loop(index), span)
    }

    /// More loops than labels share the last one; `break` means the innermost of them.
    fn enter_loop(&mut self, name: Option<&SynLabel>, is_block: bool) -> Label {
        let label = Label(self.next_label);
        self.next_label = self.next_label.saturating_add(1);
        let name = name.map(|label| self.name(&label.name.ident));
        self.loops.push(Frame { name, label, is_block });
        label
    }

    pub(super) fn jump(&mut self, kind: Jump, token: TokenSpan, value: Option<Box<SynExpr>>) -> ExprId {
        let value = value.map(|value| self.expr(*value));
        let span = self.span(token);
        let span = value.map_or(span, |value| hull(span, self.span_of(value)));
        self.add(Expr::Jump { kind, value }, span)
    }

    pub(super) fn break_out(&mut self, found: ExprBreak) -> ExprId {
        match self.loop_named(found.label.as_ref()) {
            Some(label) => self.jump(Jump::Break(label), found.break_token.span, found.expr),
            None => {
                let value = found.expr.map(|value| self.expr(*value));
                let children = self.list(value.as_slice());
                self.add(Expr::Opaque(children), self.span(found.break_token.span))
            }
        }
    }

    pub(super) fn continue_with(&mut self, found: &ExprContinue) -> ExprId {
        match self.loop_named(found.label.as_ref()) {
            Some(label) => self.jump(Jump::Continue(label), found.continue_token.span, None),
            None => self.opaque(self.span(found.continue_token.span)),
        }
    }

    fn loop_named(&mut self, name: Option<&Lifetime>) -> Option<Label> {
        let name = name.map(|name| self.name(&name.ident));
        let mut frames = self.loops.iter().rev();
        let found = match name {
            Some(name) => frames.find(|frame| frame.name == Some(name)),
            None => frames.find(|frame| !frame.is_block),
        };
        found.map(|frame| frame.label)
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{check, has};

    #[test]
    fn branches() {
        check(
            "if a { b } else if b { a } else { c }",
            "(if (a.0 (block\nb.1)) (b.1 (block\na.0)) (else (block\n@c)))",
        );
        check(
            "if let Some(c) = a { c } else { b }",
            "(match a.0 (case (ctor @Some c.2) (block\nc.2)) (case _ (block\nb.1)))",
        );
        check(
            "if b && let Some(c) = a && c { c }",
            "(if ((and b.1 (match a.0 (case (ctor @Some c.2) true) (case _ false)) c.2) (block\nc.2)))",
        );
        check(
            "if let A = a {} else if b { c }",
            "(match a.0 (case (value @A) (block)) (case _ (if (b.1 (block\n@c)))))",
        );
    }

    #[test]
    fn matches() {
        has(
            "fn f(a: A, b: B) { match a { Some(1 | 2) => b, C::D { e, f: g } if e => g, [h, .., i] => h, j @ 3 => j } }",
            &["(ctor @Some (|", "(ctor (. @C D) e: e.2 f: g.3)", "[h.4", "i.5]", "j.6"],
        );
        has(
            "fn f(a: A) { matches!(a, B(c) if c > 1) }",
            &["(ctor @B c.1)", "(> c.1 1)", "true) (case _ false)"],
        );
    }

    #[test]
    fn loops() {
        check(
            "for (c, d) in a { if c { break } }",
            "(loop L0 (each [c.2 d.3] a.0) (block\n(if (c.2 (block\n(break L0))))))",
        );
        check("loop { a() }", "(loop L0 (while true) (block\n(call a.0)))");
        check(
            "while let Some(c) = a.next() { c }",
            "(loop L0 (while (match (call (. a.0 next)) (case (ctor @Some c.2) true) (case _ false))) (block\nc.2))",
        );
        has("fn f() { 'a: loop { loop { break 'a; } continue 'a } }", &["(break L0)", "(continue L0)"]);
        has(
            "fn f() { 'a: { if b { break 'a 1; } 2 }; loop { 'c: { break; } } }",
            &["(break L0 1)", "(break L1)"],
        );
    }

    #[test]
    fn let_else_goes_on_where_it_fits() {
        check(
            "let Some(c) = a else { return b }; c",
            "(match a.0 (case (ctor @Some c.2) (block)) (case _ (block\n(return b.1))))\nc.2",
        );
    }
}
