//! Assignments in all their forms, and deletion.

use super::expressions::bare;
use super::kind::Kind;
use super::operators::assigning_op;
use super::patterns::bare_target;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Pat, Span};

/// One `target: type =` of a chain.
struct Target<'n> {
    node: Node<'n>,
    left: Node<'n>,
    ty: Option<Node<'n>>,
    /// Its depth of nesting.
    level: usize,
}

impl Lowerer<'_> {
    pub(super) fn assignment(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let made = self.assignment_here(node);
        self.depth -= 1;
        made
    }

    /// `a = b = v` binds outside in; a chain is long, not deep, until it is lowered.
    pub(super) fn assignment_here(&mut self, node: Node<'_>) -> ExprId {
        let mut targets = Vec::new();
        let mut value = Some(node);
        let outside = self.depth;
        let mut level = outside;
        while let Some(at) = value.filter(|n| n.kind() == Kind::Assignment) {
            let Some(left) = at.child(0) else { break };
            let ty = at.child_of(Kind::Type);
            targets.push(Target { node: at, left, ty, level });
            level += 1 + usize::from(ty.is_some());
            value = at.children().skip(1).find(|n| !n.kind().is_token() && n.kind() != Kind::Type);
        }
        if level > DEEPEST {
            return self.too_deep(node);
        }
        self.depth = level;
        let mut made = value.map(|value| match value.kind() {
            Kind::AugmentedAssignment => self.augmented(value),
            _ => self.value(value),
        });
        for target in targets.iter().rev() {
            self.depth = target.level;
            made = Some(self.assign_to(target, made));
        }
        self.depth = outside;
        made.unwrap_or_else(|| self.opaque(self.span(node)))
    }

    /// What is assigned, at the level of the node itself.
    fn value(&mut self, node: Node<'_>) -> ExprId {
        self.depth -= 1;
        let made = self.expression(node);
        self.depth += 1;
        made
    }

    fn assign_to(&mut self, target: &Target<'_>, value: Option<ExprId>) -> ExprId {
        let span = self.span(target.node);
        let value = match (target.ty, value) {
            (Some(ty), value) => {
                self.depth += 1;
                let ty = self.annotation(ty);
                self.depth -= 1;
                self.add(Expr::Ascribe { value, ty }, span)
            }
            (None, Some(value)) => value,
            (None, None) => self.opaque(span),
        };
        self.assign(target.left, value, span)
    }

    /// Gives `value` to a target at the top of a statement.
    pub(super) fn assign(&mut self, left: Node<'_>, value: ExprId, span: Span) -> ExprId {
        let left = bare_target(left);
        if matches!(left.kind(), Kind::Attribute | Kind::Subscript) {
            let place = self.expression(left);
            return self.add(Expr::Store { place, op: None, value: Some(value) }, span);
        }
        let pat = self.target(left);
        self.bind(pat, value, span)
    }

    /// `x += e` reads and binds `x`; a place is stored to.
    fn augmented(&mut self, node: Node<'_>) -> ExprId {
        let parts: Vec<_> = node.children().collect();
        let &[left, operator, right] = parts.as_slice() else { return self.opaque(self.span(node)) };
        let (left, op, span) = (bare_target(left), assigning_op(operator.kind()), self.span(node));
        if left.kind() != Kind::Identifier {
            let place = self.expression(left);
            let value = Some(self.expression(right));
            return self.add(Expr::Store { place, op: Some(op), value }, span);
        }
        let old = self.name(left.text(), self.span(left));
        let pat = self.name_pattern(left.text(), self.span(left));
        if let Pat::Place(place) = pat {
            let value = Some(self.expression(right));
            return self.add(Expr::Store { place, op: Some(op), value }, span);
        }
        self.depth += 1;
        let value = self.expression(right);
        self.depth -= 1;
        let args = self.list(&[old, value]);
        let value = self.operation(op, args, span);
        self.bind(pat, value, span)
    }

    pub(super) fn delete(&mut self, node: Node<'_>) {
        let mut open: Vec<_> = node.children().collect();
        open.reverse();
        while let Some(target) = open.pop() {
            let target = bare(target);
            if matches!(target.kind(), Kind::ExpressionList | Kind::Tuple | Kind::List) {
                let inside: Vec<_> = target.children().collect();
                open.extend(inside.into_iter().rev());
            } else if target.kind() != Kind::Comma {
                self.delete_one(target, self.span(node));
            }
        }
    }

    fn delete_one(&mut self, target: Node<'_>, span: Span) {
        // A name that is deleted is a name of this function.
        if target.kind() == Kind::Identifier {
            let name = self.ident(target.text());
            self.scopes.bind(name);
        }
        let place = self.nested(target);
        let made = self.add(Expr::Store { place, op: None, value: None }, span);
        self.exprs.push(made);
    }

    /// `type(x).attr = f()` at the start of a statement is parsed as a type alias whose name is `(x).attr`.
    pub(super) fn type_of_assigned(&mut self, node: Node<'_>, left: Node<'_>, right: Node<'_>) {
        let (mut left, mut ty) = (left.child(0).unwrap_or(left), None);
        if left.kind() == Kind::ConstrainedType {
            ty = left.children().last();
            left = left.child(0).and_then(|place| place.child(0)).unwrap_or(left);
        }
        let span = self.span(node);
        self.depth += 2;
        let value = self.expression(right);
        let value = match ty {
            Some(ty) => {
                let ty = self.annotation(ty);
                self.add(Expr::Ascribe { value: Some(value), ty }, span)
            }
            None => value,
        };
        let place = self.on_type_call(node, left);
        self.depth -= 2;
        let made = self.add(Expr::Store { place, op: None, value: Some(value) }, span);
        self.exprs.push(made);
    }

    /// The links of `left` on top of `type(...)`, whose name is the keyword of the statement.
    fn on_type_call(&mut self, node: Node<'_>, left: Node<'_>) -> ExprId {
        let mut links = Vec::new();
        let mut at = left;
        while let (Kind::Call | Kind::Attribute | Kind::Subscript, Some(inner)) = (at.kind(), at.child(0)) {
            links.push(at);
            at = inner;
        }
        let outside = self.depth;
        if outside + links.len() + 2 > DEEPEST {
            return self.too_deep(left);
        }
        self.depth += links.len();
        let keyword = self.span_of(node.lo(), node.lo() + 4);
        let callee = self.name("type", keyword);
        let mut made = self.type_call(at, callee, self.span_of(node.lo(), at.hi()));
        for (level, &link) in links.iter().enumerate().rev() {
            self.depth = outside + level;
            made = self.link(link, made);
        }
        self.depth = outside;
        made
    }

    fn type_call(&mut self, base: Node<'_>, callee: ExprId, span: Span) -> ExprId {
        if base.kind() == Kind::List {
            let key = self.key(callee, base, base.children());
            return self.add(Expr::Index { base: callee, key }, span);
        }
        let start = self.args.len();
        let is_list = matches!(base.kind(), Kind::Tuple | Kind::Parenthesized);
        let items: Vec<_> = if is_list { base.children().collect() } else { vec![base] };
        for item in items.into_iter().filter(|n| n.kind() != Kind::Comma) {
            let value = self.expression(item);
            self.args.push(Arg { kind: ArgKind::Positional, value });
        }
        self.call_with(callee, start, span)
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{calls, check};

    #[test]
    fn assignments() {
        check("a = b = f()", "(bind a.1 (bind b.0 (call @f)))");
        check("a.b = c[d] = e", "(store (. @a b) (store (index @c @d) @e))");
        check("a, (b, *c) = d", "(bind [a.0 [b.1 *c.2]] @d)");
        check("a.b, c = d", "(bind [(place (. @a b)) c.0] @d)");
        check("(a) = b", "(bind a.0 @b)");
        check("(a,) = b", "(bind [a.0] @b)");
        check("[a] = b", "(bind [a.0] @b)");
        check("a: int = b", "(bind a.0 (ascribe @b @int))");
        check("self.a: int = b", "(store (. @self a) (ascribe @b @int))");
        check("self.a: int", "(store (. @self a) (declare @int))");
        check("a: int", "(bind a.0 (declare @int))");
    }

    #[test]
    fn augmented_assignments() {
        check("a += b", "(bind a.0 (+ @a @b))");
        check("a.b //= c", "(storeop (. @a b) @c)");
        check("a[0] |= c", "(store| (index @a 0) @c)");
        check("a = b = c\na += 'x'", "(bind a.1 (bind b.0 @c))\n(bind a.2 (text a.1 \"x\"))");
        check("a += yield", "(bind a.0 (+ @a (yield)))");
    }

    #[test]
    fn deletions() {
        check("del a, b.c, (d[0], e)", "(delete @a)\n(delete (. @b c))\n(delete (index @d 0))\n(delete @e)");
    }

    #[test]
    fn an_attribute_of_a_type_is_no_type_alias() {
        check("type(x).attr = f()", "(store (. (call @type @x) attr) (call @f))");
        check("type(x)(y).z[1].w = f()", "(store (. (index (. (call (call @type @x) @y) z) 1) w) (call @f))");
        check("type(a, b, c).x = g()", "(store (. (call @type @a @b @c) x) (call @g))");
        check("type[x] = f()", "(store (index @type @x) (call @f))");
        check("type(x).attr: int = f()", "(store (. (call @type @x) attr) (ascribe (call @f) @int))");
        assert_eq!(calls("type(x).attr = f()"), ["f()", "type(x)"]);
    }
}
