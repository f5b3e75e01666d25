//! Operators. Runs of one operator are one node; a chain that mixes them nests once per change, whatever its length.

use ruff_python_ast::{self as ast, AnyNodeRef, BoolOp, CmpOp, ExprCompare, ExprUnaryOp, UnaryOp};
use ruff_text_size::Ranged;

use super::{DEEPEST, Lowerer};
use crate::ir::{Expr, ExprId, ListOf, Lit, Op, Operator, Span};

/// `a + b - c + ...` nests once per change of the operator, up to this many times.
const MOST_GROUPS: usize = 32;

/// An operator, what stands behind it, and where that ends.
type Right<'t, O> = (O, &'t ast::Expr, u32);

impl<'t> Lowerer<'t> {
    /// `a + b + c - d`: the operands from left to right, grouped by runs of one operator.
    pub(super) fn binary(&mut self, node: &'t ast::Expr) -> ExprId {
        let mut links = Vec::new();
        let mut at = node;
        while let ast::Expr::BinOp(binary) = at {
            links.push((binary.op, &*binary.right, binary.end().to_u32()));
            at = &binary.left;
        }
        links.reverse();
        if groups(&links) > MOST_GROUPS {
            return self.flat_chain(node, at, &links);
        }
        self.chain(node, at, links, |this, operator, operands, span| {
            let list = this.take_exprs(operands);
            this.operation(binary_op(operator), list, span)
        })
    }

    pub(super) fn boolean(&mut self, node: &'t ast::Expr) -> ExprId {
        let mut links = Vec::new();
        let mut at = node;
        while let ast::Expr::BoolOp(boolean) = at
            && let [first, others @ ..] = boolean.values.as_slice()
        {
            let end = boolean.end().to_u32();
            links.extend(others.iter().rev().map(|other| (boolean.op, other, end)));
            at = first;
        }
        links.reverse();
        self.chain(node, at, links, |this, operator, operands, span| {
            let list = this.take_exprs(operands);
            this.add(if operator == BoolOp::And { Expr::All(list) } else { Expr::Any(list) }, span)
        })
    }

    fn chain<O: Copy + PartialEq>(
        &mut self,
        node: &'t ast::Expr,
        first: &'t ast::Expr,
        links: Vec<Right<'t, O>>,
        make: fn(&mut Self, O, usize, Span) -> ExprId,
    ) -> ExprId {
        let Some(&(mut operator, _, _)) = links.first() else { return self.opaque(self.span(node)) };
        let outside = self.depth;
        let groups = groups(&links);
        if outside + groups > DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        // The leftmost operand lies below all groups.
        self.depth += groups - 1;
        let base = self.exprs.len();
        let left = self.expression(first);
        self.exprs.push(left);
        let (lo, mut hi) = (node.start().to_u32(), 0);
        for (next, right, end) in links {
            if next != operator {
                let group = make(self, operator, base, self.span_between(lo, hi));
                self.exprs.push(group);
                operator = next;
                self.depth -= 1;
            }
            let made = self.expression(right);
            self.exprs.push(made);
            hi = end;
        }
        self.depth = outside;
        make(self, operator, base, self.span(node))
    }

    /// Too many changes of the operator to nest: what is computed is lost, the operands are not.
    fn flat_chain(
        &mut self,
        node: &'t ast::Expr,
        first: &'t ast::Expr,
        links: &[Right<'t, ast::Operator>],
    ) -> ExprId {
        let base = self.exprs.len();
        for operand in [first].into_iter().chain(links.iter().map(|&(_, right, _)| right)) {
            let made = self.expression(operand);
            self.exprs.push(made);
        }
        let args = self.take_exprs(base);
        self.add(Expr::Op { op: Op::Other(None), args }, self.span(node))
    }

    /// A sum with a text in it is a text.
    pub(super) fn operation(&mut self, op: Op, args: ListOf<ExprId>, span: Span) -> ExprId {
        let is_text = |&id: &ExprId| matches!(self.arenas.expr(id), Expr::Lit(Lit::Str(_)) | Expr::Text(_));
        if op == Op::Add && self.arenas.list(args).iter().any(is_text) {
            return self.add(Expr::Text(args), span);
        }
        self.add(Expr::Op { op, args }, span)
    }

    /// `a < b < c` is `a < b and b < c`, where `b` is evaluated once.
    pub(super) fn comparison(&mut self, node: &'t ExprCompare) -> ExprId {
        if let ([operator], [right]) = (&*node.ops, &*node.comparators) {
            let (left, right) = (self.expression(&node.left), self.expression(right));
            return self.compare(*operator, left, right, self.span(node));
        }
        self.depth += 1;
        let base = self.exprs.len();
        let mut left = self.expression(&node.left);
        let mut lo = node.start().to_u32();
        let mut floor = node.left.end().to_u32();
        let last = node.comparators.len();
        for (index, (operator, operand)) in node.ops.iter().zip(&node.comparators).enumerate() {
            let (right, again) = if index + 1 == last {
                (self.expression(operand), None)
            } else {
                self.evaluated_once(operand, floor)
            };
            let span = self.span_between(lo, self.outer_end(operand, floor));
            let made = self.compare(*operator, left, right, span);
            self.exprs.push(made);
            left = again.unwrap_or(right);
            lo = self.outer_start(operand, floor);
            floor = operand.end().to_u32();
        }
        self.depth -= 1;
        let all = self.take_exprs(base);
        self.add(Expr::All(all), self.span(node))
    }

    /// The operand, and what stands for it afterwards: a name or a constant again, anything else through a nameless variable.
    fn evaluated_once(&mut self, node: &'t ast::Expr, floor: u32) -> (ExprId, Option<ExprId>) {
        let span = self.span_between(self.outer_start(node, floor), self.outer_end(node, floor));
        let made = self.nested(node);
        let expr = *self.arenas.expr(made);
        if matches!(expr, Expr::Lit(_) | Expr::Free(_) | Expr::Var(_)) {
            return (made, Some(self.add(expr, span)));
        }
        let nameless = self.names.intern("");
        let var = self.scopes.add_var(self.here, nameless);
        let bound = self.bind(crate::ir::Pat::Var(var), made, span);
        (bound, Some(self.add(Expr::Var(var), span)))
    }

    fn compare(&mut self, operator: CmpOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let args = self.list(&[left, right]);
        self.add(Expr::Op { op: comparison_op(operator), args }, span)
    }

    pub(super) fn unary(&mut self, node: &'t ExprUnaryOp) -> ExprId {
        let span = self.span(node);
        let operand = self.expression(&node.operand);
        let op = match node.op {
            UnaryOp::Not => return self.add(Expr::Not(operand), span),
            UnaryOp::USub => match *self.arenas.expr(operand) {
                Expr::Lit(Lit::Int(value)) => {
                    return self.constant(value.checked_neg().map_or(Lit::Other, Lit::Int), span);
                }
                _ => Op::Sub,
            },
            UnaryOp::UAdd => Op::Other(Some(Operator::Pos)),
            UnaryOp::Invert => Op::Other(Some(Operator::Invert)),
        };
        let args = self.list(&[operand]);
        self.add(Expr::Op { op, args }, span)
    }
}

/// How many runs of one operator there are.
fn groups<O: PartialEq>(links: &[Right<'_, O>]) -> usize {
    1 + links.windows(2).filter(|pair| pair[0].0 != pair[1].0).count()
}

/// What an operator of two operands does; the last seven are what numbers seldom do, and objects that know how.
pub(super) fn binary_op(operator: ast::Operator) -> Op {
    match operator {
        ast::Operator::Add => Op::Add,
        ast::Operator::Sub => Op::Sub,
        ast::Operator::Mult => Op::Mul,
        ast::Operator::Div => Op::Div,
        ast::Operator::Mod => Op::Mod,
        ast::Operator::BitOr => Op::BitOr,
        ast::Operator::FloorDiv => Op::Other(Some(Operator::FloorDiv)),
        ast::Operator::Pow => Op::Other(Some(Operator::Pow)),
        ast::Operator::MatMult => Op::Other(Some(Operator::MatMul)),
        ast::Operator::LShift => Op::Other(Some(Operator::Shl)),
        ast::Operator::RShift => Op::Other(Some(Operator::Shr)),
        ast::Operator::BitAnd => Op::Other(Some(Operator::BitAnd)),
        ast::Operator::BitXor => Op::Other(Some(Operator::BitXor)),
    }
}

fn comparison_op(operator: CmpOp) -> Op {
    match operator {
        CmpOp::Eq => Op::Eq,
        CmpOp::NotEq => Op::Ne,
        CmpOp::Lt => Op::Lt,
        CmpOp::LtE => Op::Le,
        CmpOp::Gt => Op::Gt,
        CmpOp::GtE => Op::Ge,
        CmpOp::In => Op::In,
        CmpOp::NotIn => Op::NotIn,
        CmpOp::Is => Op::Is,
        CmpOp::IsNot => Op::IsNot,
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::check;

    #[test]
    fn runs_of_one_operator_are_one_node() {
        check("a + b + c - d - e", "(- (+ @a @b @c) @d @e)");
        check("a - (b - c)", "(- @a (- @b @c))");
        check("a * b + c % d", "(+ (* @a @b) (% @c @d))");
        check("a ** b ** c", "(op @a (op @b @c))");
        check("a and b and c or d or e", "(or (and @a @b @c) @d @e)");
        check("a | b", "(| @a @b)");
        check("not a and -b", "(and (not @a) (- @b))");
    }

    #[test]
    fn a_sum_with_a_text_is_a_text() {
        check("'soc' + 'ket'", "(text \"soc\" \"ket\")");
        check("a + 'b' + f'{c}'", "(text @a \"b\" (text @c))");
        check("'%s' % a", "(% \"%s\" @a)");
        check("a + b", "(+ @a @b)");
    }

    #[test]
    fn comparisons_in_a_row() {
        check("a < b", "(< @a @b)");
        check("a not in b, a is not b, a != b", "(seq (not-in @a @b) (is-not @a @b) (!= @a @b))");
        check("a < b <= c", "(and (< @a @b) (<= @b @c))");
        check("a < f(x) < c", "(and (< @a (bind .0 (call @f @x))) (< .0 @c))");
    }
}
