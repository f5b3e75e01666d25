//! Blocks and what runs in them in a row. Items are known in their whole block, `let` from where it stands.

use syn::{Block, Expr as SynExpr, Local, Pat as SynPat, Stmt, Type};

use super::expressions::bare;
use super::{DEEPEST, Lowerer, hull};
use crate::ir::{Arm, Expr, ExprId, ListOf, Pat, Span};

impl Lowerer<'_> {
    /// A block as an expression: its value is that of the last one.
    pub(super) fn block(&mut self, block: Block) -> ExprId {
        let span = self.block_span(&block);
        if self.depth >= DEEPEST {
            return self.too_deep_block(&block, span);
        }
        let outer = self.scopes.open();
        self.depth += 1;
        let base = self.exprs.len();
        self.statements(block.stmts);
        let body = self.take_exprs(base);
        self.depth -= 1;
        self.scopes.close(outer);
        self.add(Expr::Block(body), span)
    }

    /// The body of a function: its last expression is handed back, if the function hands back anything.
    pub(super) fn function_block(&mut self, mut block: Block, has_value: bool) -> Span {
        let span = self.block_span(&block);
        let value = match block.stmts.pop() {
            Some(Stmt::Expr(value, None)) if has_value => Some(value),
            Some(Stmt::Macro(found)) if has_value && found.semi_token.is_none() => {
                Some(SynExpr::Macro(syn::ExprMacro { attrs: found.attrs, mac: found.mac }))
            }
            last => {
                block.stmts.extend(last);
                None
            }
        };
        let outer = self.scopes.open();
        self.statements(block.stmts);
        if let Some(value) = value {
            let made = self.nested(value);
            self.add_return(made);
        }
        self.scopes.close(outer);
        span
    }

    pub(super) fn statements(&mut self, stmts: Vec<Stmt>) {
        let (stmts, made) = self.apart(stmts);
        for stmt in &stmts {
            if let Stmt::Item(item) = stmt {
                self.hoist(item);
            }
        }
        made.iter().for_each(|(item, _)| self.hoist(item));
        made.into_iter().for_each(|(item, around)| self.made_item(item, around));
        let mut rest = stmts.into_iter().peekable();
        while let Some(stmt) = rest.next() {
            if let Some(stmt) = self.conditional(stmt, &mut rest) {
                self.statement(stmt);
            }
        }
    }

    pub(super) fn statement(&mut self, stmt: Stmt) {
        let made = match stmt {
            Stmt::Local(local) => return self.local(local),
            Stmt::Item(item) => return self.item(item),
            Stmt::Expr(expr, _) => self.expr(expr),
            Stmt::Macro(found) => self.macro_call(found.mac),
        };
        self.exprs.push(made);
    }

    fn local(&mut self, local: Local) {
        let (pat, ty) = match local.pat {
            SynPat::Type(typed) => (*typed.pat, Some(*typed.ty)),
            pat => (pat, None),
        };
        let start = self.span(local.let_token.span);
        let Some(init) = local.init else { return self.declared(pat, ty, start) };
        self.depth += 2;
        let value = self.expr(*init.expr);
        let value = self.ascribed(value, ty, false);
        self.depth -= 2;
        let span = hull(start, self.span_of(value));
        let made = match init.diverge {
            None => {
                let pat = self.pattern(pat);
                self.add(Expr::Bind { pat, value }, span)
            }
            Some((_, otherwise)) => self.let_else(value, pat, *otherwise, span),
        };
        self.exprs.push(made);
    }

    /// `let x: T;`: what it is bound to comes later.
    fn declared(&mut self, pat: SynPat, ty: Option<Type>, span: Span) {
        let ty = ty.map(|ty| self.ty(ty));
        let pat = self.pattern(pat);
        if let Some(ty) = ty {
            let value = self.add(Expr::Ascribe { value: None, ty, is_guess: false }, span);
            let made = self.add(Expr::Bind { pat, value }, span);
            self.exprs.push(made);
        }
    }

    pub(super) fn ascribed(&mut self, value: ExprId, ty: Option<Type>, is_guess: bool) -> ExprId {
        match ty.filter(|ty| !matches!(ty, Type::Infer(_))) {
            None => value,
            Some(ty) => {
                let ty = self.ty(ty);
                let span = self.span_of(value);
                self.add(Expr::Ascribe { value: Some(value), ty, is_guess }, span)
            }
        }
    }

    /// `let Some(x) = y else { return };` goes on only where the pattern fits.
    fn let_else(&mut self, subject: ExprId, pat: SynPat, otherwise: SynExpr, span: Span) -> ExprId {
        self.depth += 1;
        let leave = match bare(otherwise) {
            SynExpr::Block(found) => self.block(found.block),
            other => self.expr(other),
        };
        self.depth -= 1;
        let empty = self.add(Expr::Block(ListOf::EMPTY), self.span_of(subject));
        let pat = self.pattern(pat);
        let fits = Arm { pat, guard: None, body: empty, span };
        let wild = self.arenas.add_pat(Pat::Wild);
        let fails = Arm { pat: wild, guard: None, body: leave, span: self.span_of(leave) };
        let arms = self.list(&[fits, fails]);
        let span = hull(span, self.span_of(leave));
        self.add(Expr::Match { subject, arms }, span)
    }
}
