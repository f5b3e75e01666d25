//! Assignments in all their forms, and deletion.

use ruff_python_ast::{self as ast, AnyNodeRef, StmtAnnAssign, StmtAssign, StmtAugAssign, StmtDelete};
use ruff_text_size::Ranged;

use super::operators::binary_op;
use super::patterns::parts_of;
use super::{DEEPEST, Lowerer};
use crate::ir::{Expr, ExprId, Pat, Span};

impl<'t> Lowerer<'t> {
    /// `a = b = v` binds outside in; a chain is long, not deep, until it is lowered.
    pub(super) fn assignment(&mut self, node: &'t StmtAssign) -> ExprId {
        let outside = self.depth + 1;
        let level = outside + node.targets.len();
        if level > DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        // What is assigned stands at the level of the node itself.
        self.depth = level - 1;
        let mut made = self.expression(&node.value);
        for (at, target) in node.targets.iter().enumerate().rev() {
            self.depth = outside + at;
            let lo = match at.checked_sub(1).and_then(|before| node.targets.get(before)) {
                Some(before) => self.outer_start(target, before.end().to_u32()),
                None => node.start().to_u32(),
            };
            made = self.assign(target, made, self.span_between(lo, node.end().to_u32()));
        }
        self.depth = outside - 1;
        made
    }

    pub(super) fn declaration(&mut self, node: &'t StmtAnnAssign) -> ExprId {
        let outside = self.depth;
        let span = self.span(node);
        if outside + 3 > DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        self.depth = outside + 2;
        let value = node.value.as_deref().map(|value| self.expression(value));
        let ty = self.annotation(&node.annotation);
        self.depth = outside + 1;
        let value = self.add(Expr::Ascribe { value, ty, is_guess: false }, span);
        let made = self.assign(&node.target, value, span);
        self.depth = outside;
        made
    }

    /// Gives `value` to a target at the top of a statement.
    pub(super) fn assign(&mut self, left: &'t ast::Expr, value: ExprId, span: Span) -> ExprId {
        if matches!(left, ast::Expr::Attribute(_) | ast::Expr::Subscript(_)) {
            let place = self.expression(left);
            return self.add(Expr::Store { place, op: None, value: Some(value) }, span);
        }
        let pat = self.target(left);
        self.bind(pat, value, span)
    }

    /// `x += e` reads and binds `x`; a place is stored to.
    pub(super) fn augmented(&mut self, node: &'t StmtAugAssign) -> ExprId {
        self.depth += 1;
        let made = self.augmented_here(node);
        self.depth -= 1;
        made
    }

    fn augmented_here(&mut self, node: &'t StmtAugAssign) -> ExprId {
        let (op, span) = (Some(binary_op(node.op)), self.span(node));
        let ast::Expr::Name(name) = &*node.target else {
            let place = self.expression(&node.target);
            let value = Some(self.expression(&node.value));
            return self.add(Expr::Store { place, op, value }, span);
        };
        let old = self.name(&name.id, self.span(name));
        let pat = self.name_pattern(&name.id, self.span(name));
        if let Pat::Place(place) = pat {
            let value = Some(self.expression(&node.value));
            return self.add(Expr::Store { place, op, value }, span);
        }
        let value = self.nested(&node.value);
        let args = self.list(&[old, value]);
        let value = self.operation(binary_op(node.op), args, span);
        self.bind(pat, value, span)
    }

    pub(super) fn delete(&mut self, node: &'t StmtDelete) {
        let mut open: Vec<_> = node.targets.iter().rev().collect();
        while let Some(target) = open.pop() {
            match parts_of(target) {
                Some(parts) => open.extend(parts.iter().rev()),
                None => self.delete_one(target, self.span(node)),
            }
        }
    }

    fn delete_one(&mut self, target: &'t ast::Expr, span: Span) {
        // A name that is deleted is a name of this function.
        if let ast::Expr::Name(name) = target {
            let name = self.ident(&name.id);
            self.scopes.bind(name);
        }
        let place = self.nested(target);
        let made = self.add(Expr::Store { place, op: None, value: None }, span);
        self.exprs.push(made);
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
