//! Statements: what runs in a row. Each pushes what it becomes onto the list of the block around it.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{self as ast, AnyNodeRef, ExprCall, Identifier, Stmt, StmtAssert, StmtRaise};
use ruff_text_size::Ranged;

use super::{DEEPEST, Lowerer};
use crate::ir::{Expr, ExprId, Jump, Label, ListOf, ProblemKind, Span};

impl<'t> Lowerer<'t> {
    /// The block of the file begins with its first comment.
    pub(super) fn module_block(&mut self, body: &'t [Stmt]) -> ExprId {
        let is_trivia = |kind| {
            matches!(
                kind,
                TokenKind::NonLogicalNewline | TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent
            )
        };
        let first = self.tokens.iter().find(|token| !is_trivia(token.kind()));
        let lo = first.map_or(self.text.len() as u32, |token| token.start().to_u32());
        let hi = body.last().map_or(lo, |last| last.end().to_u32());
        self.block_at(body, Span { lo, hi })
    }

    pub(super) fn block(&mut self, body: &'t [Stmt]) -> ExprId {
        let lo = body.first().map_or(0, |first| first.start().to_u32());
        let hi = body.last().map_or(lo, |last| last.end().to_u32());
        self.block_at(body, Span { lo, hi })
    }

    fn block_at(&mut self, body: &'t [Stmt], span: Span) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep_at(body.iter().map(AnyNodeRef::from), span);
        }
        self.depth += 1;
        let base = self.exprs.len();
        for statement in body {
            self.statement(statement);
        }
        self.depth -= 1;
        let body = self.take_exprs(base);
        self.add(Expr::Block(body), span)
    }

    fn statement(&mut self, node: &'t Stmt) {
        let span = self.span(node);
        let made = match node {
            Stmt::Expr(statement) => self.expression(&statement.value),
            Stmt::Assign(statement) => self.assignment(statement),
            Stmt::AnnAssign(statement) => self.declaration(statement),
            Stmt::AugAssign(statement) => self.augmented(statement),
            Stmt::Import(statement) => return self.import(statement),
            Stmt::ImportFrom(statement) => return self.import_from(statement),
            Stmt::FunctionDef(definition) => return self.function(definition),
            Stmt::ClassDef(definition) => return self.class(definition),
            Stmt::Delete(statement) => return self.delete(statement),
            Stmt::Assert(statement) => return self.assert(statement),
            Stmt::Raise(statement) => return self.raise(statement),
            Stmt::Global(statement) => return self.global(&statement.names),
            Stmt::Nonlocal(statement) => return self.nonlocal(&statement.names),
            Stmt::TypeAlias(statement) => return self.type_alias(statement),
            Stmt::Pass(_) => return,
            Stmt::Return(statement) => {
                let value = statement.value.as_deref().map(|value| self.nested(value));
                self.add(Expr::Jump { kind: Jump::Return, value }, span)
            }
            Stmt::Break(_) => self.jump_out(Jump::Break, span),
            Stmt::Continue(_) => self.jump_out(Jump::Continue, span),
            Stmt::If(statement) => self.if_statement(statement),
            Stmt::For(statement) => self.for_statement(statement),
            Stmt::While(statement) => self.while_statement(statement),
            Stmt::Try(statement) => self.try_statement(statement),
            Stmt::With(statement) => self.with_statement(statement),
            Stmt::Match(statement) => self.match_statement(statement),
            Stmt::IpyEscapeCommand(_) => self.opaque(span),
        };
        self.exprs.push(made);
    }

    /// An expression one level below the node that will hold it.
    pub(super) fn nested(&mut self, node: &'t ast::Expr) -> ExprId {
        self.depth += 1;
        let made = self.expression(node);
        self.depth -= 1;
        made
    }

    /// The body of a lambda.
    pub(super) fn returned(&mut self, node: &'t ast::Expr, span: Span) -> ExprId {
        self.depth += 2;
        let value = self.expression(node);
        self.depth -= 2;
        let jump = self.add(Expr::Jump { kind: Jump::Return, value: Some(value) }, span);
        let body = self.list(&[jump]);
        self.add(Expr::Block(body), span)
    }

    pub(super) fn jump_out(&mut self, kind: fn(Label) -> Jump, span: Span) -> ExprId {
        let expr = match self.loops.last() {
            Some(&label) => Expr::Jump { kind: kind(label), value: None },
            None => Expr::Opaque(ListOf::EMPTY),
        };
        self.add(expr, span)
    }

    /// The cause is kept as a statement of its own, before the jump.
    fn raise(&mut self, node: &'t StmtRaise) {
        if let Some(cause) = &node.cause {
            let floor = node.exc.as_deref().map_or(node.start(), |exc| exc.end());
            let span = self.span_between(self.outer_start(&**cause, floor.to_u32()), node.end().to_u32());
            self.aside(cause, span);
        }
        let value = node.exc.as_deref().map(|value| self.nested(value));
        let made = self.add(Expr::Jump { kind: Jump::Raise, value }, self.span(node));
        self.exprs.push(made);
    }

    /// The message is kept as a statement of its own, before the assertion.
    fn assert(&mut self, node: &'t StmtAssert) {
        if let Some(message) = &node.msg {
            let lo = self.outer_start(&**message, node.test.end().to_u32());
            self.aside(message, self.span_between(lo, node.end().to_u32()));
        }
        let value = Some(self.nested(&node.test));
        let made = self.add(Expr::Jump { kind: Jump::Assert, value }, self.span(node));
        self.exprs.push(made);
    }

    /// Keeps what has no place in the core language, unless it is only a name or a constant.
    pub(super) fn aside(&mut self, node: &'t ast::Expr, span: Span) -> ExprId {
        let made = self.nested(node);
        if !matches!(self.arenas.expr(made), Expr::Lit(_) | Expr::Free(_) | Expr::Var(_)) {
            let children = self.list(&[made]);
            let aside = self.add(Expr::Opaque(children), span);
            self.exprs.push(aside);
        }
        made
    }

    fn global(&mut self, names: &'t [Identifier]) {
        for name in names {
            let name = self.ident(name);
            self.scopes.declare_global(name);
        }
    }

    fn nonlocal(&mut self, names: &'t [Identifier]) {
        for name in names {
            let name = self.ident(name);
            self.scopes.declare_nonlocal(name);
        }
    }

    /// Stops going deeper: the calls below stand side by side, without their arguments.
    pub(super) fn too_deep(&mut self, node: AnyNodeRef<'t>) -> ExprId {
        let span = self.span(&node);
        self.too_deep_at([node].into_iter(), span)
    }

    pub(super) fn too_deep_at(&mut self, nodes: impl Iterator<Item = AnyNodeRef<'t>>, span: Span) -> ExprId {
        self.problem(span, ProblemKind::TooDeep);
        let mut calls = Calls(Vec::new());
        for node in nodes {
            calls.enter_node(node);
            node.visit_source_order(&mut calls);
        }
        let base = self.exprs.len();
        for call in calls.0 {
            let callee = self.flat_callee(&call.func);
            let made = self.call_with(callee, self.args.len(), self.span(call));
            self.exprs.push(made);
        }
        let calls = self.take_exprs(base);
        self.add(Expr::Opaque(calls), span)
    }

    fn flat_callee(&mut self, callee: &'t ast::Expr) -> ExprId {
        let span = self.span(callee);
        match callee {
            ast::Expr::Name(name) => self.name(&name.id, span),
            ast::Expr::Attribute(attribute) => {
                let base = match &*attribute.value {
                    ast::Expr::Name(name) => self.name(&name.id, self.span(name)),
                    _ => self.opaque(span),
                };
                let name = self.ident(&attribute.attr);
                self.add(Expr::Field { base, name }, span)
            }
            _ => self.opaque(span),
        }
    }
}

/// Collects the calls of a tree, outside in and from left to right.
struct Calls<'t>(Vec<&'t ExprCall>);

impl<'t> SourceOrderVisitor<'t> for Calls<'t> {
    fn enter_node(&mut self, node: AnyNodeRef<'t>) -> TraversalSignal {
        if let AnyNodeRef::ExprCall(call) = node {
            self.0.push(call);
        }
        TraversalSignal::Traverse
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[test]
    fn jumps_and_asides() {
        check("raise E(a) from f(b)", "(opaque (call @f @b))\n(raise (call @E @a))");
        check("raise E from e", "(raise @E)");
        check("raise", "(raise)");
        check("assert a, f(b)", "(opaque (call @f @b))\n(assert @a)");
        check("break", "(opaque)");
        check("a, b()", "(seq @a (call @b))");
        check("a,", "(seq @a)");
        check("pass; a; b", "@a\n@b");
        check("print >>a, b", "(seq (op @print @a) @b)");
        check(
            "while a:\n  while b: break\n  else: continue",
            "(loop L0 (while @a) (block
             (loop L1 (while @b) (block
             (break L1)) (else (block
             (continue L0))))))",
        );
    }
}
