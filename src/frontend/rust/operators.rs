//! Operators and assignment. Chains of one operator are one node, because generated code sums thousands of terms.

use syn::{BinOp, Expr as SynExpr, ExprBinary};

use super::expressions::bare;
use super::{DEEPEST, Lowerer, hull};
use crate::ir::{Expr, ExprId, Op, Operator as Implicit, Pat, PatId};

/// What an operator of two operands is.
#[derive(Clone, Copy, PartialEq)]
enum Operator {
    And,
    Or,
    Op(Op),
    /// `a += b`
    Assign(Op),
}

impl Lowerer<'_> {
    pub(super) fn binary(&mut self, binary: ExprBinary) -> ExprId {
        let operator = operator(&binary.op);
        if let Operator::Assign(op) = operator {
            return self.compound(*binary.left, op, *binary.right);
        }
        let mut rights = Vec::new();
        let mut left = SynExpr::Binary(binary);
        left = loop {
            match left {
                SynExpr::Binary(inner) if self::operator(&inner.op) == operator => {
                    rights.push(*inner.right);
                    left = bare(*inner.left);
                }
                other => break other,
            }
        };
        let base = self.exprs.len();
        let first = self.expr(left);
        self.exprs.push(first);
        for right in rights.into_iter().rev() {
            let made = self.expr(right);
            self.exprs.push(made);
        }
        let span =
            self.exprs[base..].iter().fold(self.span_of(first), |span, &part| hull(span, self.span_of(part)));
        let args = self.take_exprs(base);
        let made = match operator {
            Operator::And => Expr::All(args),
            Operator::Or => Expr::Any(args),
            Operator::Op(op) | Operator::Assign(op) => Expr::Op { op, args },
        };
        self.add(made, span)
    }

    fn compound(&mut self, place: SynExpr, op: Op, value: SynExpr) -> ExprId {
        let value = self.expr(value);
        let place = self.expr(place);
        let span = hull(self.span_of(place), self.span_of(value));
        self.add(Expr::Store { place, op: Some(op), value: Some(value) }, span)
    }

    /// `a = b`: a name is bound again, everything else is stored to.
    pub(super) fn assign(&mut self, left: SynExpr, right: SynExpr) -> ExprId {
        // Through a reference nobody's name is bound.
        let is_name = matches!(left, SynExpr::Path(_));
        self.depth += 1;
        let value = self.expr(right);
        let place = match bare(left) {
            SynExpr::Tuple(tuple) => Err(tuple.elems.into_iter().collect()),
            SynExpr::Array(array) => Err(array.elems.into_iter().collect()),
            other => Ok(other),
        };
        self.depth -= 1;
        let place = match place {
            Err(parts) => {
                let span = self.span_of(value);
                let pat = self.assigned_parts(parts);
                return self.add(Expr::Bind { pat, value }, span);
            }
            Ok(place) => place,
        };
        if matches!(place, SynExpr::Infer(_)) {
            let pat = self.arenas.add_pat(Pat::Wild);
            return self.add(Expr::Bind { pat, value }, self.span_of(value));
        }
        let place = self.expr(place);
        let span = hull(self.span_of(place), self.span_of(value));
        match *self.arenas.expr(place) {
            Expr::Var(var) if is_name => {
                let pat = self.arenas.add_pat(Pat::Var(var));
                self.add(Expr::Bind { pat, value }, span)
            }
            _ => self.add(Expr::Store { place, op: None, value: Some(value) }, span),
        }
    }

    /// `(a, self.b) = c;`
    fn assigned_parts(&mut self, parts: Vec<SynExpr>) -> PatId {
        self.depth += 1;
        let items: Vec<_> = parts.into_iter().map(|part| self.assigned_part(part)).collect();
        self.depth -= 1;
        let items = self.list(&items);
        self.arenas.add_pat(Pat::Seq { items, rest: None })
    }

    fn assigned_part(&mut self, part: SynExpr) -> PatId {
        let is_name = matches!(part, SynExpr::Path(_));
        let pat = match bare(part) {
            SynExpr::Tuple(tuple) if self.depth < DEEPEST => {
                return self.assigned_parts(tuple.elems.into_iter().collect());
            }
            SynExpr::Infer(_) | SynExpr::Range(_) => Pat::Wild,
            place => {
                let place = self.expr(place);
                match *self.arenas.expr(place) {
                    Expr::Var(var) if is_name => Pat::Var(var),
                    _ => Pat::Place(place),
                }
            }
        };
        self.arenas.add_pat(pat)
    }
}

fn operator(op: &BinOp) -> Operator {
    match op {
        BinOp::And(_) => Operator::And,
        BinOp::Or(_) => Operator::Or,
        BinOp::Add(_) => Operator::Op(Op::Add),
        BinOp::Sub(_) => Operator::Op(Op::Sub),
        BinOp::Mul(_) => Operator::Op(Op::Mul),
        BinOp::Div(_) => Operator::Op(Op::Div),
        BinOp::Rem(_) => Operator::Op(Op::Mod),
        BinOp::BitOr(_) => Operator::Op(Op::BitOr),
        BinOp::Eq(_) => Operator::Op(Op::Eq),
        BinOp::Ne(_) => Operator::Op(Op::Ne),
        BinOp::Lt(_) => Operator::Op(Op::Lt),
        BinOp::Le(_) => Operator::Op(Op::Le),
        BinOp::Gt(_) => Operator::Op(Op::Gt),
        BinOp::Ge(_) => Operator::Op(Op::Ge),
        BinOp::AddAssign(_) => Operator::Assign(Op::Add),
        BinOp::SubAssign(_) => Operator::Assign(Op::Sub),
        BinOp::MulAssign(_) => Operator::Assign(Op::Mul),
        BinOp::DivAssign(_) => Operator::Assign(Op::Div),
        BinOp::RemAssign(_) => Operator::Assign(Op::Mod),
        BinOp::BitOrAssign(_) => Operator::Assign(Op::BitOr),
        BinOp::BitAndAssign(_) => Operator::Assign(Op::Other(Some(Implicit::BitAnd))),
        BinOp::BitXorAssign(_) => Operator::Assign(Op::Other(Some(Implicit::BitXor))),
        BinOp::ShlAssign(_) => Operator::Assign(Op::Other(Some(Implicit::Shl))),
        BinOp::ShrAssign(_) => Operator::Assign(Op::Other(Some(Implicit::Shr))),
        BinOp::BitAnd(_) => Operator::Op(Op::Other(Some(Implicit::BitAnd))),
        BinOp::BitXor(_) => Operator::Op(Op::Other(Some(Implicit::BitXor))),
        BinOp::Shl(_) => Operator::Op(Op::Other(Some(Implicit::Shl))),
        BinOp::Shr(_) => Operator::Op(Op::Other(Some(Implicit::Shr))),
        _ => Operator::Op(Op::Other(None)),
    }
}
