//! The type that an expression is wanted as: what it is bound to, handed back as or given to says so. Conversions are answered by
//! that type (`text.into()`), and so is an error that is handed on (`work()?`).

use rustc_hash::FxHashMap;

use super::args::{Passed, pair};
use super::containers::Operation;
use super::ids::{Cls, Func};
use super::solve::Solver;
use super::types::{Type, Types, Value};
use crate::ir::{Arg, ArgKind, Arm, Expr, ExprId, Facts, Jump, ListOf, Operator, Pat};

impl Solver<'_, '_> {
    /// The objects of the project, or of libraries, that an expression is wanted as.
    pub(super) fn wanted_at(&mut self, func: Func, expr: ExprId) -> Types {
        if self.operations.wanted.0 != Some(func) {
            let found = self.wanted_in(func);
            self.operations.wanted = (Some(func), found);
        }
        self.operations.wanted.1.get(&expr).cloned().unwrap_or_default()
    }

    fn wanted_in(&mut self, func: Func) -> FxHashMap<ExprId, Types> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let mut found = FxHashMap::default();
        for expr in self.index.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Ascribe { value: Some(value), ty, .. } => {
                    let class = self.declaring_class(func);
                    let types = self.index.annotation(func, ty, class).types;
                    self.want(func, value, &types, &mut found);
                }
                Expr::Jump { kind: Jump::Return, value: Some(value) } => {
                    let types = self.declared_result(func);
                    self.want(func, value, &types, &mut found);
                }
                Expr::Call { callee, args, .. } => {
                    self.want_arguments(func, callee, facts.list(args), &mut found);
                }
                _ => {}
            }
        }
        found
    }

    fn declared_result(&self, func: Func) -> Types {
        let function = self.index.ir(func);
        let class = self.index.enclosing_class(func);
        function.returns.map(|ty| self.index.annotation(function.parent, ty, class).types).unwrap_or_default()
    }

    /// Notes it for an expression and for what only hands its own value on.
    fn want(&self, func: Func, value: ExprId, types: &Types, found: &mut FxHashMap<ExprId, Types>) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let mut open = if types.is_empty() { Vec::new() } else { vec![value] };
        while let Some(at) = open.pop() {
            match *facts.expr(at) {
                Expr::Block(body) => open.extend(facts.list(body).last()),
                Expr::If { arms, otherwise } => {
                    open.extend(facts.list(arms).iter().map(|arm| arm.body).chain(otherwise));
                }
                Expr::Match { subject, arms } if handed_on(facts, arms).is_some() => open.push(subject),
                Expr::Match { arms, .. } => open.extend(facts.list(arms).iter().map(|arm| arm.body)),
                Expr::Await(inner) => open.push(inner),
                Expr::Call { callee, args, .. } => {
                    found.entry(at).or_insert_with(|| types.clone());
                    open.extend(self.hands_on(func, callee, facts.list(args)));
                }
                _ => {}
            }
        }
    }

    /// What a call only hands on: `Ok(value)`, `value.unwrap()`.
    fn hands_on(&self, func: Func, callee: ExprId, args: &[Arg]) -> Option<ExprId> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let words = &self.index.externals.catalog().wrappers;
        let held = match self.index.statics(func, callee)[..] {
            [Type::External(path)] => words.hands_back(self.index.externals.text(path)),
            _ => false,
        };
        match *facts.expr(callee) {
            _ if held => args.first().map(|arg| arg.value),
            Expr::Field { base, name } if words.keeps_type(facts.str(name)) => Some(base),
            _ => None,
        }
    }

    fn want_arguments(
        &mut self,
        func: Func,
        callee: ExprId,
        args: &[Arg],
        found: &mut FxHashMap<ExprId, Types>,
    ) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let may_convert = |arg: &Arg| matches!(facts.expr(arg.value), Expr::Call { .. } | Expr::Match { .. });
        if !args.iter().any(may_convert) {
            return;
        }
        let (target, skip) = match self.callees(func, callee)[..] {
            [Type::Function(target)] => (target, 0),
            [Type::Bound(target)] => (target, 1),
            [Type::Class { class, .. }] => return self.want_fields(func, class, args, found),
            _ => return,
        };
        let params = self.index.units[self.index.file_of(target)].facts.list(self.index.ir(target).params);
        for (passed, value) in pair(self.index, facts, args, target, skip) {
            let Passed::Param(at) = passed else { continue };
            let types = params.get(at as usize).and_then(|param| param.ty);
            let types = types.map(|ty| self.declared_type(target, ty)).unwrap_or_default();
            self.want(func, value, &types, found);
        }
    }

    pub(super) fn declared_type(&self, of: Func, ty: ExprId) -> Types {
        let class = self.index.enclosing_class(of);
        self.index.annotation(self.index.ir(of).parent, ty, class).types
    }

    /// `Settings { goal: text.into(), ..Default::default() }`
    fn want_fields(&self, func: Func, class: Cls, args: &[Arg], found: &mut FxHashMap<ExprId, Types>) {
        for (position, arg) in args.iter().enumerate() {
            let name = match arg.kind {
                ArgKind::Named(name) => Some(name),
                ArgKind::Positional => self.index.names.get(&position.to_string()),
                ArgKind::SpreadNamed => {
                    let own = Types::from_slice(&[Type::Instance { class, exact: true }]);
                    self.want(func, arg.value, &own, found);
                    continue;
                }
                ArgKind::Spread => None,
            };
            let body = self.index.class_body(class);
            let slot = name.and_then(|name| self.index.export(body, name));
            let Some(&(scope, ty)) = slot.and_then(|slot| self.declared.get(&slot)) else { continue };
            let types = self.index.annotation(scope, ty, Some(class)).types;
            self.want(func, arg.value, &types, found);
        }
    }

    /// A value becomes one of another type, which is asked to make it.
    pub(super) fn note_conversion(
        &mut self,
        func: Func,
        at: ExprId,
        (operator, into): (Operator, Type),
        given: Option<ExprId>,
    ) {
        let operation = Operation::new(func, at, operator, Value::Is(into), [given, None], None);
        self.operations.list.push(operation);
    }

    /// `work()?` in a function that hands back errors of a class: the class is asked to make one of what `work` failed with.
    pub(super) fn note_handed_on(&mut self, func: Func, expr: ExprId, subject: ExprId, arms: ListOf<Arm>) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if !self.is_spelled(Operator::Try, false) || handed_on(facts, arms).is_none() {
            return;
        }
        let own = self.errors_of(func);
        let failed = self.failures(func, subject);
        if failed.is_none_or(|failed| failed.iter().any(|ty| own.contains(ty))) {
            return;
        }
        for &error in own.iter().filter(|ty| matches!(ty, Type::Instance { .. })) {
            self.note_conversion(func, expr, (Operator::Try, error), Some(subject));
        }
    }

    /// What the errors are that a function hands back, by what it declares.
    fn errors_of(&self, func: Func) -> Types {
        let function = self.index.ir(func);
        let mut at = function.returns.map(|ty| (function.parent, ty));
        while let Some((scope, ty)) = at {
            let facts = self.index.units[self.index.file_of(scope)].facts;
            let Expr::Index { base, key } = *facts.expr(ty) else { return Types::new() };
            if let Expr::Seq(items) = *facts.expr(key)
                && let [_, error] = *facts.list(items)
            {
                return self.index.annotation(scope, error, self.index.enclosing_class(func)).types;
            }
            // `type Result<T> = std::result::Result<T, Failure>`
            let named = self.index.named_once(scope, base);
            at = Some(named).filter(|&named| named != (scope, base) && named != (scope, ty));
        }
        Types::new()
    }

    /// What an expression may fail with; none where nobody says, or where it is made on the way.
    fn failures(&mut self, func: Func, subject: ExprId) -> Option<Types> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let subject = match *facts.expr(subject) {
            Expr::Await(inner) => inner,
            _ => subject,
        };
        let Expr::Call { callee, .. } = *facts.expr(subject) else { return None };
        if let Expr::Field { name, .. } = *facts.expr(callee)
            && self.index.externals.catalog().wrappers.says_of_results(facts.str(name))
        {
            return None;
        }
        match self.callees(func, callee)[..] {
            [Type::Function(target) | Type::Bound(target)] => {
                Some(self.errors_of(target)).filter(|types| !types.is_empty())
            }
            [Type::External(_)] | [] => Some(Types::new()),
            _ => None,
        }
    }

    /// True for a conversion that takes something else than what is given.
    pub(super) fn is_for_another(&mut self, func: Func, target: Func, given: (Operator, ExprId)) -> bool {
        let given = match given {
            (Operator::Try, subject) => self.failures(func, subject).unwrap_or_default(),
            (Operator::Convert | Operator::TryConvert, value) => {
                let value = self.value(func, value);
                self.types(value)
            }
            _ => return false,
        };
        let facts = self.index.units[self.index.file_of(target)].facts;
        let first = facts.list(self.index.ir(target).params).first().and_then(|param| param.ty);
        let taken = first.map(|ty| self.declared_type(target, ty)).unwrap_or_default();
        let class_of = |ty: &Type| match *ty {
            Type::Instance { class, .. } | Type::Class { class, .. } => Some(class),
            _ => None,
        };
        let known: Vec<Cls> = given.iter().filter_map(class_of).collect();
        let mut wanted = taken.iter().filter_map(class_of).peekable();
        match (known.is_empty(), wanted.peek().is_none()) {
            (true, is_any) => !is_any,
            (false, true) => !taken.is_empty(),
            (false, false) => !wanted.any(|class| known.contains(&class)),
        }
    }
}

/// What `value?` hands back of a value that is a bad one: its last arm.
fn handed_on(facts: &Facts, arms: ListOf<Arm>) -> Option<ExprId> {
    let [.., last] = *facts.list(arms) else { return None };
    let Pat::Var(bound) = *facts.pat(last.pat) else { return None };
    let Expr::Jump { kind: Jump::Return, value: Some(value) } = *facts.expr(last.body) else { return None };
    matches!(*facts.expr(value), Expr::Var(var) if var == bound).then_some(value)
}
