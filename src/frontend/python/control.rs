//! Control flow: branches, loops, `try`, `with`.

use super::expressions::bare;
use super::kind::Kind;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Expr, ExprId, Handler, IfArm, Label, Loop, PatId, Try, When};

impl Lowerer<'_> {
    /// An `elif` ladder is one node.
    pub(super) fn if_statement(&mut self, node: Node<'_>) -> ExprId {
        let outside = self.when;
        self.depth += 1;
        let mut arms = vec![self.if_arm(node)];
        let mut otherwise = None;
        for clause in node.children() {
            match clause.kind() {
                Kind::ElifClause => arms.push(self.if_arm(clause)),
                Kind::ElseClause => otherwise = Some(self.block_of(clause)),
                _ => {}
            }
        }
        self.depth -= 1;
        self.when = outside;
        let arms = self.list(&arms);
        self.add(Expr::If { arms, otherwise }, self.span(node))
    }

    fn if_arm(&mut self, clause: Node<'_>) -> IfArm {
        let condition = clause.child(0).filter(|n| n.kind() != Kind::Block);
        let test = match condition {
            Some(condition) => self.expression(condition),
            None => self.opaque(self.span(clause)),
        };
        let outside = self.when;
        if condition.is_some_and(is_type_checking) {
            self.when = When::TypeOnly;
        }
        let body = self.block_of(clause);
        self.when = outside;
        IfArm { test, body }
    }

    pub(super) fn while_statement(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let test = node.child(0).filter(|n| n.kind() != Kind::Block).map(|test| self.expression(test));
        let made = self.loop_with(node, test, None);
        self.depth -= 1;
        made
    }

    pub(super) fn for_statement(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let mut parts = node.children().filter(|n| !matches!(n.kind(), Kind::Async | Kind::In));
        let (target, iterable) = (parts.next(), parts.next().filter(|n| n.kind() != Kind::Block));
        let each = target.zip(iterable).map(|(target, iterable)| {
            let iterable = self.expression(iterable);
            (self.pattern(target), iterable)
        });
        let made = self.loop_with(node, None, each);
        self.depth -= 1;
        made
    }

    fn loop_with(&mut self, node: Node<'_>, test: Option<ExprId>, each: Option<(PatId, ExprId)>) -> ExprId {
        let label = self.new_label();
        self.loops.push(label);
        let body = self.block_of(node);
        self.loops.pop();
        let otherwise = node.child_of(Kind::ElseClause).map(|clause| self.block_of(clause));
        let index = self.arenas.add_loop(Loop { label, test, each, body, otherwise });
        self.add(Expr::Loop(index), self.span(node))
    }

    /// More loops than labels share the last one; `break` means the innermost of them.
    pub(super) fn new_label(&mut self) -> Label {
        let label = Label(self.next_label);
        self.next_label = self.next_label.saturating_add(1);
        label
    }

    pub(super) fn try_statement(&mut self, node: Node<'_>) -> ExprId {
        let outside = self.when;
        self.depth += 1;
        if outside == When::Always {
            self.when = When::InTry;
        }
        let body = self.block_of(node);
        let mut handlers = Vec::new();
        for clause in node.children().filter(|n| n.kind() == Kind::ExceptClause) {
            handlers.push(self.handler(clause));
        }
        self.when = outside;
        let otherwise = node.child_of(Kind::ElseClause).map(|clause| self.block_of(clause));
        let finally = node.child_of(Kind::FinallyClause).map(|clause| self.block_of(clause));
        self.depth -= 1;
        let handlers = self.list(&handlers);
        let index = self.arenas.add_try(Try { body, handlers, otherwise, finally });
        self.add(Expr::Try(index), self.span(node))
    }

    /// `except A as e`, `except (A, B)`, `except A, B`; an old `except A, e` cannot be told from the last.
    fn handler(&mut self, clause: Node<'_>) -> Handler {
        let base = self.exprs.len();
        let mut pat = None;
        let is_value = |n: &Node<'_>| !n.kind().is_token() && n.kind() != Kind::Block;
        for value in clause.children().filter(is_value) {
            match as_target(value) {
                Some((value, target)) => {
                    self.handled_types(value);
                    pat = Some(self.pattern(target));
                }
                None => self.handled_types(value),
            }
        }
        let types = self.take_exprs(base);
        let body = self.block_of(clause);
        Handler { types, pat, body, span: self.span(clause) }
    }

    fn handled_types(&mut self, value: Node<'_>) {
        let value = bare(value);
        if value.kind() != Kind::Tuple {
            let made = self.expression(value);
            self.exprs.push(made);
            return;
        }
        for item in value.children().filter(|n| n.kind() != Kind::Comma) {
            let made = self.expression(item);
            self.exprs.push(made);
        }
    }

    /// Several items nest, the first outermost.
    pub(super) fn with_statement(&mut self, node: Node<'_>) -> ExprId {
        let is_async = node.child_of(Kind::Async).is_some();
        let clause = node.child_of(Kind::WithClause);
        let items: Vec<_> =
            clause.into_iter().flat_map(|c| c.children()).filter(|n| n.kind() == Kind::WithItem).collect();
        let outside = self.depth;
        if outside + items.len() > DEEPEST {
            return self.too_deep(node);
        }
        let mut open = Vec::new();
        for &item in &items {
            self.depth += 1;
            open.push(self.with_item(item));
        }
        let mut body = self.block_of(node);
        for ((context, pat), item) in open.into_iter().zip(items).rev() {
            let span = self.span_of(item.lo().min(node.lo()), node.hi());
            body = self.add(Expr::With { context, pat, body, is_async }, span);
        }
        self.depth = outside;
        body
    }

    fn with_item(&mut self, item: Node<'_>) -> (ExprId, Option<PatId>) {
        let Some(value) = item.child(0) else { return (self.opaque(self.span(item)), None) };
        let value = bare(value);
        if let Some((context, target)) = as_target(value) {
            let context = self.expression(context);
            return (context, Some(self.pattern(target)));
        }
        self.with_conditional(value).unwrap_or_else(|| (self.expression(value), None))
    }

    /// `with (a if b else c as d)` is parsed as if `as` bound tighter than `else`.
    fn with_conditional(&mut self, node: Node<'_>) -> Option<(ExprId, Option<PatId>)> {
        let mut arms = Vec::new();
        let mut at = node;
        while at.kind() == Kind::Conditional {
            let mut parts = at.children();
            let (body, test, last) = (parts.next()?, parts.next()?, parts.next()?);
            arms.push((body, test));
            at = last;
        }
        let (last, target) = as_target(at).filter(|_| !arms.is_empty())?;
        self.depth += 1;
        let mut made = Vec::new();
        for (body, test) in arms {
            let test = self.expression(test);
            made.push(IfArm { test, body: self.expression(body) });
        }
        let otherwise = Some(self.expression(last));
        self.depth -= 1;
        let arms = self.list(&made);
        let context = self.add(Expr::If { arms, otherwise }, self.span_of(node.lo(), last.hi()));
        Some((context, Some(self.pattern(target))))
    }
}

/// The flag itself, under any name of its module, and no condition that only ends with it.
fn is_type_checking(condition: Node<'_>) -> bool {
    let condition = bare(condition);
    let is_name =
        condition.kind() == Kind::Identifier || (condition.kind() == Kind::Attribute && condition.is_leaf());
    is_name && condition.text().rsplit('.').next() == Some("TYPE_CHECKING")
}

/// `value as target`.
fn as_target(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let mut parts = node.children().filter(|n| n.kind() != Kind::As);
    (node.kind() == Kind::AsPattern).then_some(())?;
    Some((parts.next()?, parts.next()?))
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
            "try: a\nexcept* E: b\nexcept A, B: c",
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
