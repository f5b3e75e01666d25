//! Operations of the core language that run a method although nobody writes a call: who is asked, and what it is given.

use smallvec::SmallVec;

use super::{ArgKind, EntryKey, Expr, ExprId, Facts, Jump, Lit, Op, Operator, Pat, PatId};

/// An operation that one operand may answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Implied {
    pub operator: Operator,
    /// The operand whose class has the method.
    pub asked: ExprId,
    /// What the method is given besides its object.
    pub given: [Option<ExprId>; 2],
    /// The second operand is asked, where the first one has no answer.
    pub is_reflected: bool,
    /// Not the operand is asked, but each element of it.
    pub is_element: bool,
}

/// Those of one expression; most have none.
pub type AllImplied = SmallVec<[Implied; 4]>;

impl Implied {
    fn of(operator: Operator, asked: ExprId, given: &[ExprId]) -> Self {
        let given = [given.first().copied(), given.get(1).copied()];
        Self { operator, asked, given, is_reflected: false, is_element: false }
    }

    fn of_elements(operator: Operator, asked: ExprId, given: &[ExprId]) -> Self {
        Self { is_element: true, ..Self::of(operator, asked, given) }
    }
}

impl Facts {
    /// What an expression runs by itself, its operands aside.
    pub fn implied(&self, expr: ExprId) -> AllImplied {
        let mut found = AllImplied::new();
        match *self.expr(expr) {
            Expr::Op { op, args } => self.of_operator(op, self.list(args), &mut found),
            Expr::Not(inner) => {
                self.tests(inner, &mut found);
                found.push(Implied::of(Operator::Not, inner, &[]));
            }
            Expr::All(parts) | Expr::Any(parts) => {
                self.list(parts).iter().for_each(|&part| self.tests(part, &mut found));
            }
            Expr::If { arms, .. } => {
                self.list(arms).iter().for_each(|arm| self.tests(arm.test, &mut found));
            }
            Expr::Loop(index) => {
                let of = self.arenas.loop_at(index);
                of.test.into_iter().for_each(|test| self.tests(test, &mut found));
                if let Some((pat, iterable)) = of.each {
                    found.push(Implied::of(Operator::Iterate, iterable, &[]));
                    self.takes_apart(pat, iterable, &mut found);
                }
            }
            Expr::Jump { kind: Jump::Assert, value: Some(test) } => self.tests(test, &mut found),
            Expr::Record(entries) => {
                for entry in self.list(entries) {
                    found.push(match entry.key {
                        EntryKey::Expr(key) => Implied::of(Operator::Hash, key, &[]),
                        EntryKey::Spread => Implied::of(Operator::Index, entry.value, &[]),
                    });
                }
            }
            Expr::Match { subject, arms } => {
                let values = self.list(arms).iter().filter_map(|arm| match *self.pat(arm.pat) {
                    Pat::Value(value) => Some(value),
                    _ => None,
                });
                for value in values {
                    found.push(Implied::of(Operator::Eq, subject, &[value]));
                    found.push(Implied::of(Operator::Eq, value, &[subject]));
                }
            }
            Expr::Index { base, key } => {
                found.push(Implied::of(Operator::Hash, key, &[]));
                found.push(Implied::of(Operator::Number, key, &[]));
                found.push(Implied::of(Operator::Index, base, &[key]));
                found.push(Implied::of(Operator::IndexClass, base, &[key]));
                found.push(Implied::of(Operator::Missing, base, &[key]));
            }
            Expr::Text(parts) => {
                for &part in self.list(parts).iter().filter(|&&part| !matches!(self.expr(part), Expr::Lit(_)))
                {
                    found.push(Implied::of(Operator::Format, part, &[]));
                }
            }
            Expr::Store { place, op, value } => self.of_store(place, op, value, &mut found),
            Expr::Bind { pat, value } => {
                self.takes_apart(pat, value, &mut found);
                self.of_augmented(expr, value, &mut found);
                // What has a name ends with it.
                if matches!(self.expr(value), Expr::Call { .. } | Expr::Free(_)) {
                    found.push(Implied::of(Operator::Drop, value, &[]));
                }
            }
            Expr::Spread(inner) => found.push(Implied::of(Operator::Iterate, inner, &[])),
            Expr::Class(class) => {
                let bases = self.list(self.class(class).bases).iter();
                found.extend(bases.map(|&base| Implied::of(Operator::BaseEntries, base, &[])));
            }
            Expr::Call { callee, args, .. } => {
                // A class is asked whether it makes an object at all.
                let given = self.list(args).first().map(|arg| arg.value);
                found.push(Implied::of(Operator::Call, callee, given.as_slice()));
                found.push(Implied::of(Operator::FindMember, callee, given.as_slice()));
                found.extend(self.list(args).iter().filter_map(|arg| match arg.kind {
                    ArgKind::Spread => Some(Implied::of(Operator::Iterate, arg.value, &[])),
                    ArgKind::SpreadNamed => Some(Implied::of(Operator::Index, arg.value, &[])),
                    ArgKind::Positional | ArgKind::Named(_) => None,
                }));
            }
            Expr::Yield { value: Some(value), delegate: true } => {
                found.push(Implied::of(Operator::Iterate, value, &[]));
            }
            // `raise Failure`: a class makes its object here.
            Expr::Jump { kind: Jump::Raise, value: Some(value) } => {
                found.push(Implied::of(Operator::Construct, value, &[]));
            }
            Expr::Field { base, .. } => {
                // Who has no name ends with the statement.
                if matches!(self.expr(base), Expr::Call { .. }) {
                    found.push(Implied::of(Operator::Drop, base, &[]));
                }
                found.push(Implied::of(Operator::GetAttribute, base, &[]));
                found.push(Implied::of(Operator::FindAttribute, base, &[]));
            }
            Expr::Block(body) => {
                let calls = self.list(body).iter().filter(|&&it| matches!(self.expr(it), Expr::Call { .. }));
                found.extend(calls.map(|&call| Implied::of(Operator::Drop, call, &[])));
            }
            Expr::Await(inner) => found.push(Implied::of(Operator::Await, inner, &[])),
            _ => {}
        }
        found
    }

    fn of_operator(&self, op: Op, args: &[ExprId], found: &mut AllImplied) {
        match (op, args) {
            (Op::Sub, &[only]) => found.push(Implied::of(Operator::Neg, only, &[])),
            (Op::In | Op::NotIn, &[value, container]) => {
                found.push(Implied::of(Operator::Contains, container, &[value]));
                // A list compares it with each of its elements, and a set finds it by its hash.
                found.push(Implied::of(Operator::Eq, value, &[]));
                found.push(Implied::of_elements(Operator::Eq, container, &[value]));
                found.push(Implied::of(Operator::Hash, value, &[]));
            }
            (Op::Mod, &[text, value]) if matches!(self.expr(text), Expr::Lit(_) | Expr::Text(_)) => {
                let values = match *self.expr(value) {
                    Expr::Seq(values) => self.list(values),
                    _ => &args[1..],
                };
                found.extend(values.iter().map(|&value| Implied::of(Operator::Text, value, &[])));
            }
            (_, &[first, ref others @ ..]) => {
                let Some(operator) = op.operator() else { return };
                // `a + b + c`: what the first two make is asked next, and is known by its method only.
                found.push(Implied::of(operator, first, others));
                for &other in others {
                    let is_asked = Implied { is_reflected: true, ..Implied::of(operator, other, &[first]) };
                    found.push(is_asked);
                }
                // Collections compare their elements, and a path is joined to what stands for one.
                match operator {
                    Operator::Eq | Operator::Ne => {
                        found.push(Implied::of_elements(Operator::Eq, first, others))
                    }
                    Operator::Div => {
                        found.extend(others.iter().map(|&other| Implied::of(Operator::Path, other, &[])));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// `place = value`, `place += value`, `del place`.
    fn of_store(&self, place: ExprId, op: Option<Op>, value: Option<ExprId>, found: &mut AllImplied) {
        if let (Some(op), Some(value)) = (op, value)
            && let Some(operator) = op.operator().and_then(Operator::in_place)
        {
            found.push(Implied::of(operator, place, &[value]));
            let is_asked = Implied { is_reflected: true, ..Implied::of(operator, value, &[place]) };
            found.push(is_asked);
        }
        found.extend(match (*self.expr(place), value) {
            (Expr::Index { base, key }, Some(value)) => {
                Some(Implied::of(Operator::SetIndex, base, &[key, value]))
            }
            (Expr::Index { base, key }, None) => Some(Implied::of(Operator::DeleteIndex, base, &[key])),
            (Expr::Field { base, .. }, Some(_)) => Some(Implied::of(Operator::SetAttribute, base, &[])),
            (Expr::Field { base, .. }, None) => Some(Implied::of(Operator::DeleteAttribute, base, &[])),
            (_, None) => Some(Implied::of(Operator::Drop, place, &[])),
            _ => None,
        });
    }

    /// `a += b` of a local name is a binding that spans no more than what is bound.
    fn of_augmented(&self, binding: ExprId, value: ExprId, found: &mut AllImplied) {
        let Expr::Op { op, args } = *self.expr(value) else { return };
        if let &[first, second] = self.list(args)
            && self.span(binding) == self.span(value)
            && let Some(operator) = op.operator().and_then(Operator::in_place)
        {
            found.push(Implied::of(operator, first, &[second]));
            if operator == Operator::AddAssign {
                found.push(Implied::of(Operator::Iterate, second, &[]));
            }
        }
    }

    /// A test of a value asks whether it is true; one that is a test itself was asked already.
    fn tests(&self, test: ExprId, found: &mut AllImplied) {
        let is_known = match *self.expr(test) {
            Expr::Op { op, .. } => op.is_test(),
            Expr::Not(_) | Expr::All(_) | Expr::Any(_) | Expr::Lit(_) => true,
            _ => false,
        };
        if !is_known {
            found.push(Implied::of(Operator::Truth, test, &[]));
        }
    }

    /// `first, second = value`
    fn takes_apart(&self, pat: PatId, value: ExprId, found: &mut AllImplied) {
        if matches!(self.pat(pat), Pat::Seq { .. })
            && !matches!(self.expr(value), Expr::Seq(_) | Expr::Lit(Lit::None))
        {
            found.push(Implied::of(Operator::Iterate, value, &[]));
        }
    }
}
