//! Operators. Runs of one operator are one node; a chain that mixes them nests once per change, whatever its length.

use super::expressions::bare;
use super::kind::Kind;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Expr, ExprId, ListOf, Lit, Op, Operator, Span};

/// `a + b - c + ...` nests once per change of the operator, up to this many times.
const MOST_GROUPS: usize = 32;

impl Lowerer<'_> {
    pub(super) fn binary(&mut self, node: Node<'_>) -> ExprId {
        self.chain(node, Kind::Binary, |this, operator, operands, span| {
            let list = this.take_exprs(operands);
            this.operation(binary_op(operator), list, span)
        })
    }

    pub(super) fn boolean(&mut self, node: Node<'_>) -> ExprId {
        self.chain(node, Kind::Boolean, |this, operator, operands, span| {
            let list = this.take_exprs(operands);
            this.add(if operator == Kind::And { Expr::All(list) } else { Expr::Any(list) }, span)
        })
    }

    /// `a + b + c - d`: the operands from left to right, grouped by runs of one operator.
    fn chain(
        &mut self,
        node: Node<'_>,
        kind: Kind,
        make: fn(&mut Self, Kind, usize, Span) -> ExprId,
    ) -> ExprId {
        let (at, links) = links_of(node, kind);
        let Some(&(first, _)) = links.first() else { return self.anything_but(node) };
        let groups = 1 + links.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
        if groups > MOST_GROUPS && kind == Kind::Binary {
            return self.flat_chain(node, at, &links);
        }
        let outside = self.depth;
        if outside + groups > DEEPEST {
            return self.too_deep(node);
        }
        // The leftmost operand lies below all groups.
        self.depth += groups - 1 + usize::from(node.text().starts_with('*'));
        let base = self.exprs.len();
        let left = self.expression(at);
        let (left, is_spread) = self.unspread(left);
        self.exprs.push(left);
        let (mut operator, mut hi) = (first, at.hi());
        for (next, right) in links {
            if next != operator {
                let group = make(self, operator, base, self.span_of(node.lo(), hi));
                self.exprs.push(group);
                operator = next;
                self.depth -= 1;
            }
            let made = self.expression(right);
            self.exprs.push(made);
            hi = right.hi();
        }
        self.depth = outside;
        let made = make(self, operator, base, self.span(node));
        if is_spread { self.add(Expr::Spread(made), self.span(node)) } else { made }
    }

    /// Too many changes of the operator to nest: what is computed is lost, the operands are not.
    fn flat_chain(&mut self, node: Node<'_>, first: Node<'_>, links: &[(Kind, Node<'_>)]) -> ExprId {
        let base = self.exprs.len();
        for operand in [first].into_iter().chain(links.iter().map(|&(_, right)| right)) {
            let made = self.expression(operand);
            self.exprs.push(made);
        }
        let args = self.take_exprs(base);
        self.add(Expr::Op { op: Op::Other(None), args }, self.span(node))
    }

    fn anything_but(&mut self, node: Node<'_>) -> ExprId {
        let base = self.exprs.len();
        for child in node.children().filter(|n| !n.kind().is_token()) {
            let made = self.expression(child);
            self.exprs.push(made);
        }
        let children = self.take_exprs(base);
        self.add(Expr::Opaque(children), self.span(node))
    }

    /// `*a + b` is parsed as `(*a) + b`.
    fn unspread(&self, id: ExprId) -> (ExprId, bool) {
        match *self.arenas.expr(id) {
            Expr::Spread(inner) => (inner, true),
            _ => (id, false),
        }
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
    pub(super) fn comparison(&mut self, node: Node<'_>) -> ExprId {
        let parts: Vec<_> = node.children().collect();
        match parts[..] {
            [left, operator, right] => {
                let (left, right) = (self.expression(left), self.expression(right));
                self.compare(operator, left, right, self.span(node))
            }
            [first, _, _, ..] => self.comparisons(node, first, &parts[1..]),
            _ => self.anything_but(node),
        }
    }

    fn comparisons(&mut self, node: Node<'_>, first: Node<'_>, pairs: &[Node<'_>]) -> ExprId {
        self.depth += 1;
        let base = self.exprs.len();
        let mut left = self.expression(first);
        let mut lo = first.lo();
        let last = pairs.len() / 2;
        for (index, pair) in pairs.chunks_exact(2).enumerate() {
            let (right, again) = if index + 1 == last {
                (self.expression(pair[1]), None)
            } else {
                self.evaluated_once(pair[1])
            };
            let span = self.span_of(lo, pair[1].hi());
            let made = self.compare(pair[0], left, right, span);
            self.exprs.push(made);
            left = again.unwrap_or(right);
            lo = pair[1].lo();
        }
        self.depth -= 1;
        let all = self.take_exprs(base);
        self.add(Expr::All(all), self.span(node))
    }

    /// The operand, and what stands for it afterwards: a name or a constant again, anything else through a nameless variable.
    fn evaluated_once(&mut self, node: Node<'_>) -> (ExprId, Option<ExprId>) {
        let span = self.span(node);
        self.depth += 1;
        let made = self.expression(node);
        self.depth -= 1;
        let expr = *self.arenas.expr(made);
        if matches!(expr, Expr::Lit(_) | Expr::Free(_) | Expr::Var(_)) {
            return (made, Some(self.add(expr, span)));
        }
        let nameless = self.names.intern("");
        let var = self.scopes.add_var(self.here, nameless);
        let bound = self.bind(crate::ir::Pat::Var(var), made, span);
        (bound, Some(self.add(Expr::Var(var), span)))
    }

    fn compare(&mut self, operator: Node<'_>, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let args = self.list(&[left, right]);
        self.add(Expr::Op { op: comparison_op(operator.kind()), args }, span)
    }

    pub(super) fn not(&mut self, node: Node<'_>) -> ExprId {
        match node.child(0) {
            Some(inner) => {
                let inner = self.expression(inner);
                self.add(Expr::Not(inner), self.span(node))
            }
            None => self.opaque(self.span(node)),
        }
    }

    pub(super) fn unary(&mut self, node: Node<'_>) -> ExprId {
        let (Some(operator), Some(operand)) = (node.child(0), node.child(1)) else {
            return self.anything_but(node);
        };
        let operand = self.expression(operand);
        if operator.kind() == Kind::Minus
            && let &Expr::Lit(Lit::Int(value)) = self.arenas.expr(operand)
        {
            return self.constant(value.checked_neg().map_or(Lit::Other, Lit::Int), self.span(node));
        }
        let args = self.list(&[operand]);
        let op = match operator.kind() {
            Kind::Minus => Op::Sub,
            Kind::Plus => Op::Other(Some(Operator::Pos)),
            Kind::Tilde => Op::Other(Some(Operator::Invert)),
            _ => Op::Other(None),
        };
        self.add(Expr::Op { op, args }, self.span(node))
    }
}

/// The leftmost operand, and each operator with what stands behind it.
fn links_of(node: Node<'_>, kind: Kind) -> (Node<'_>, Vec<(Kind, Node<'_>)>) {
    let mut links = Vec::new();
    let mut at = node;
    while at.kind() == kind {
        let mut parts = at.children();
        let (Some(left), Some(operator), Some(right)) = (parts.next(), parts.next(), parts.next()) else {
            break;
        };
        links.push((operator.kind(), right));
        at = bare(left);
    }
    links.reverse();
    (at, links)
}

fn binary_op(operator: Kind) -> Op {
    match operator {
        Kind::Plus => Op::Add,
        Kind::Minus => Op::Sub,
        Kind::Star => Op::Mul,
        Kind::Slash => Op::Div,
        Kind::Percent => Op::Mod,
        Kind::Bar => Op::BitOr,
        _ => Op::Other(rare(operator)),
    }
}

pub(super) fn assigning_op(operator: Kind) -> Op {
    match operator {
        Kind::AddAssign => Op::Add,
        Kind::SubAssign => Op::Sub,
        Kind::MulAssign => Op::Mul,
        Kind::DivAssign => Op::Div,
        Kind::ModAssign => Op::Mod,
        Kind::BarAssign => Op::BitOr,
        _ => Op::Other(rare(operator)),
    }
}

/// What numbers seldom do, and objects that know how.
fn rare(operator: Kind) -> Option<Operator> {
    Some(match operator {
        Kind::FloorDiv | Kind::FloorDivAssign => Operator::FloorDiv,
        Kind::Power | Kind::PowerAssign => Operator::Pow,
        Kind::At | Kind::AtAssign => Operator::MatMul,
        Kind::ShiftLeft | Kind::ShiftLeftAssign => Operator::Shl,
        Kind::ShiftRight | Kind::ShiftRightAssign => Operator::Shr,
        Kind::Amp | Kind::AmpAssign => Operator::BitAnd,
        Kind::Caret | Kind::CaretAssign => Operator::BitXor,
        _ => return None,
    })
}

fn comparison_op(operator: Kind) -> Op {
    match operator {
        Kind::Eq => Op::Eq,
        Kind::Ne | Kind::NeOld => Op::Ne,
        Kind::Lt => Op::Lt,
        Kind::Le => Op::Le,
        Kind::Gt => Op::Gt,
        Kind::Ge => Op::Ge,
        Kind::In => Op::In,
        Kind::NotIn => Op::NotIn,
        Kind::Is => Op::Is,
        Kind::IsNot => Op::IsNot,
        _ => Op::Other(None),
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
        check("a not in b, a is not b, a <> b", "(seq (not-in @a @b) (is-not @a @b) (!= @a @b))");
        check("a < b <= c", "(and (< @a @b) (<= @b @c))");
        check("a < f(x) < c", "(and (< @a (bind .0 (call @f @x))) (< .0 @c))");
    }
}
