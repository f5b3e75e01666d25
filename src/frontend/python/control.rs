//! Control flow: branches, loops, `try`, `with`.

use ruff_python_ast::{
    self as ast, AnyNodeRef, ExceptHandler, ExceptHandlerExceptHandler, Stmt, StmtFor, StmtIf, StmtTry,
    StmtWhile, StmtWith,
};

use super::DEEPEST;
use super::Lowerer;
use crate::ir::{Expr, ExprId, Handler, IfArm, Label, Loop, PatId, Span, Try, When};

impl<'t> Lowerer<'t> {
    /// An `elif` ladder is one node.
    pub(super) fn if_statement(&mut self, node: &'t StmtIf) -> ExprId {
        let outside = self.when;
        self.depth += 1;
        let mut arms = vec![self.if_arm(&node.test, &node.body)];
        let mut otherwise = None;
        for clause in &node.elif_else_clauses {
            match &clause.test {
                Some(test) => arms.push(self.if_arm(test, &clause.body)),
                None => otherwise = Some(self.block(&clause.body)),
            }
        }
        self.depth -= 1;
        self.when = outside;
        let arms = self.list(&arms);
        self.add(Expr::If { arms, otherwise }, self.span(node))
    }

    fn if_arm(&mut self, condition: &'t ast::Expr, body: &'t [Stmt]) -> IfArm {
        let test = self.expression(condition);
        let outside = self.when;
        if is_type_checking(condition) {
            self.when = When::TypeOnly;
        }
        let body = self.block(body);
        self.when = outside;
        IfArm { test, body }
    }

    pub(super) fn while_statement(&mut self, node: &'t StmtWhile) -> ExprId {
        self.depth += 1;
        let test = Some(self.expression(&node.test));
        let made = self.loop_with((test, None), &node.body, &node.orelse, self.span(node));
        self.depth -= 1;
        made
    }

    pub(super) fn for_statement(&mut self, node: &'t StmtFor) -> ExprId {
        self.depth += 1;
        let iterable = self.expression(&node.iter);
        let each = Some((self.pattern(&node.target), iterable));
        let made = self.loop_with((None, each), &node.body, &node.orelse, self.span(node));
        self.depth -= 1;
        made
    }

    fn loop_with(
        &mut self,
        (test, each): (Option<ExprId>, Option<(PatId, ExprId)>),
        body: &'t [Stmt],
        otherwise: &'t [Stmt],
        span: Span,
    ) -> ExprId {
        let label = self.new_label();
        self.loops.push(label);
        let body = self.block(body);
        self.loops.pop();
        let otherwise = self.block_if_any(otherwise);
        let index = self.arenas.add_loop(Loop { label, test, each, body, otherwise });
        self.add(Expr::Loop(index), span)
    }

    /// The block of a clause that may be absent.
    fn block_if_any(&mut self, body: &'t [Stmt]) -> Option<ExprId> {
        (!body.is_empty()).then(|| self.block(body))
    }

    /// More loops than labels share the last one; `break` means the innermost of them.
    pub(super) fn new_label(&mut self) -> Label {
        let label = Label(self.next_label);
        self.next_label = self.next_label.saturating_add(1);
        label
    }

    pub(super) fn try_statement(&mut self, node: &'t StmtTry) -> ExprId {
        let outside = self.when;
        self.depth += 1;
        if outside == When::Always {
            self.when = When::InTry;
        }
        let body = self.block(&node.body);
        let mut handlers = Vec::new();
        for ExceptHandler::ExceptHandler(clause) in &node.handlers {
            handlers.push(self.handler(clause));
        }
        self.when = outside;
        let otherwise = self.block_if_any(&node.orelse);
        let finally = self.block_if_any(&node.finalbody);
        self.depth -= 1;
        let handlers = self.list(&handlers);
        let index = self.arenas.add_try(Try { body, handlers, otherwise, finally });
        self.add(Expr::Try(index), self.span(node))
    }

    /// `except A as e`, `except (A, B)`, `except A, B`.
    fn handler(&mut self, clause: &'t ExceptHandlerExceptHandler) -> Handler {
        let base = self.exprs.len();
        let types = match clause.type_.as_deref() {
            Some(ast::Expr::Tuple(types)) => &types.elts,
            Some(only) => std::slice::from_ref(only),
            None => &[],
        };
        for ty in types {
            let made = self.expression(ty);
            self.exprs.push(made);
        }
        let pat = clause.name.as_ref().map(|name| {
            let pat = self.name_pattern(name, self.span(name));
            self.arenas.add_pat(pat)
        });
        let types = self.take_exprs(base);
        let body = self.block(&clause.body);
        Handler { types, pat, body, span: self.span(clause) }
    }

    /// Several items nest, the first outermost.
    pub(super) fn with_statement(&mut self, node: &'t StmtWith) -> ExprId {
        let outside = self.depth;
        if outside + node.items.len() > DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        let mut open = Vec::new();
        for item in &node.items {
            self.depth += 1;
            let context = self.expression(&item.context_expr);
            open.push((context, item.optional_vars.as_deref().map(|target| self.pattern(target))));
        }
        let mut body = self.block(&node.body);
        for (context, pat) in open.into_iter().rev() {
            let is_async = node.is_async;
            body = self.add(Expr::With { context, pat, body, is_async }, self.span(node));
        }
        self.depth = outside;
        body
    }
}

/// The flag itself, under any name of its module, and no condition that only ends with it.
fn is_type_checking(condition: &ast::Expr) -> bool {
    let mut at = condition;
    let last = match at {
        ast::Expr::Attribute(attribute) => attribute.attr.as_str(),
        ast::Expr::Name(name) => name.id.as_str(),
        _ => return false,
    };
    while let ast::Expr::Attribute(attribute) = at {
        at = &attribute.value;
    }
    last == "TYPE_CHECKING" && at.is_name_expr()
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[test]
    fn branches_and_loops() {
        check("if a: b\nelif c: d\nelse: e", "(if (@a (block\n@b)) (@c (block\n@d)) (else (block\n@e)))");
        check("for a, b in c: d\nelse: e", "(loop L0 (each [a.0 b.1] @c) (block\n@d) (else (block\n@e)))");
        check("while a: b", "(loop L0 (while @a) (block\n@b))");
    }

    #[test]
    fn handlers() {
        check(
            "try: a\nexcept E as e: e\nexcept (A, B): b\nexcept: c\nelse: d\nfinally: f",
            "(try (block
             @a) (except (@E) e.0 (block
             e.0)) (except (@A @B) (block
             @b)) (except () (block
             @c)) (else (block
             @d)) (finally (block
             @f)))",
        );
        check(
            "try: a\nexcept* E: b\nexcept* A, B: c",
            "(try (block\n@a) (except (@E) (block\n@b)) (except (@A @B) (block\n@c)))",
        );
    }

    #[test]
    fn contexts_nest() {
        check("with a as b, c() as (d, e): f", "(with @a as b.0 (with (call @c) as [d.1 e.2] (block\n@f)))");
        check("with (a as b, c): f", "(with @a as b.0 (with @c (block\n@f)))");
        check("with (a as b): f", "(with @a as b.0 (block\n@f))");
        check("with a as self.b: f", "(with @a as (place (. @self b)) (block\n@f))");
    }

    #[test]
    fn a_condition_as_context_keeps_its_target() {
        check("with (a if b else c as d): e", "(with (if (@b @a) (else @c)) as d.0 (block\n@e))");
        check(
            "with a if b else c as d, f as g: e",
            "(with (if (@b @a) (else @c)) as d.0 (with @f as g.1 (block\n@e)))",
        );
        check("with (a if b else c) as d: e", "(with (if (@b @a) (else @c)) as d.0 (block\n@e))");
        check("with (a if b else c): e", "(with (if (@b @a) (else @c)) (block\n@e))");
    }
}
