//! Attributes that answer by themselves: an object in a class body whose class has the methods of a descriptor runs them where the
//! attribute of an object of the other class is read, set or deleted.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::call::CallExpr;
use super::containers::{Access, Operation};
use super::ids::{Func, Slot};
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::walk::Child;
use crate::ir::{Arg, Arm, Expr, ExprId, FnKind, Operator, Pat, PatId, Sym};

const DESCRIPTORS: [Operator; 3] =
    [Operator::GetDescriptor, Operator::SetDescriptor, Operator::DeleteDescriptor];

impl Solver<'_, '_> {
    /// Notes where attributes are used, if somebody writes a descriptor at all.
    pub(super) fn note_accesses(&mut self, func: Func) {
        let is_spelled = self.has_descriptors();
        if !is_spelled && self.hierarchy.accessors.is_empty() && self.hierarchy.properties.is_empty() {
            return;
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        let mut places = FxHashSet::default();
        let mut found = Vec::new();
        for expr in self.index.ir(func).exprs.iter() {
            let (place, operator, value) = match *facts.expr(expr) {
                Expr::Store { place, value: None, .. } => (place, Operator::DeleteDescriptor, None),
                Expr::Store { place, value, .. } => (place, Operator::SetDescriptor, value),
                Expr::Field { .. } if is_spelled => (expr, Operator::GetDescriptor, None),
                Expr::Bind { pat, .. } | Expr::With { pat: Some(pat), .. } => {
                    self.note_places(func, expr, pat);
                    continue;
                }
                Expr::Loop(at) => {
                    let each = facts.arenas.loop_at(at).each;
                    each.into_iter().for_each(|(pat, _)| self.note_places(func, expr, pat));
                    continue;
                }
                Expr::Match { subject, arms } => {
                    self.note_matched(func, expr, subject, facts.list(arms));
                    continue;
                }
                Expr::Call { callee, args, .. } => {
                    self.note_named(func, (expr, callee), facts.list(args));
                    continue;
                }
                _ => continue,
            };
            if place != expr {
                places.insert(place);
            }
            found.push((expr, place, operator, value));
        }
        for (expr, place, operator, value) in found {
            let Expr::Field { base, name } = *facts.expr(place) else { continue };
            if operator != Operator::GetDescriptor || !places.contains(&place) {
                self.note_access(func, expr, (base, name), operator, value);
            }
        }
    }

    /// True if some class is written to answer for an attribute of another one.
    fn has_descriptors(&self) -> bool {
        DESCRIPTORS.iter().any(|&operator| self.is_spelled(operator, false))
    }

    fn note_access(
        &mut self,
        func: Func,
        expr: ExprId,
        (base, name): (ExprId, Sym),
        operator: Operator,
        value: Option<ExprId>,
    ) {
        let hierarchy = self.hierarchy;
        let may_run = match operator {
            Operator::GetDescriptor => hierarchy.property_names.contains(&name),
            _ => hierarchy.accessor_names.contains(&name),
        };
        if !may_run && !self.has_descriptors() {
            return;
        }
        let asked = self.base_value(func, base);
        if asked != Value::Nothing {
            let access = Access { func, expr, base, asked, name, operator, value };
            self.operations.accesses.push(access);
        }
    }

    /// A function of a library reads an attribute of the objects that it is given.
    pub(super) fn note_read(&mut self, call: CallExpr<'_>, asked: Value, name: Sym) {
        let CallExpr { func, expr, .. } = call;
        let operator = Operator::GetDescriptor;
        if asked != Value::Nothing && self.hierarchy.property_names.contains(&name) {
            let access = Access { func, expr, base: expr, asked, name, operator, value: None };
            self.operations.accesses.push(access);
        }
    }

    /// Attributes that a pattern sets: `a.b, c = value`, `for a.b in values`.
    fn note_places(&mut self, func: Func, expr: ExprId, pat: PatId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let mut open: SmallVec<[PatId; 4]> = smallvec![pat];
        while let Some(pat) = open.pop() {
            if let Pat::Place(place) = *facts.pat(pat)
                && let Expr::Field { base, name } = *facts.expr(place)
            {
                self.note_access(func, expr, (base, name), Operator::SetDescriptor, None);
            }
            facts.arenas.each_child_of_pat(pat, |child| {
                if let Child::Pat(inner) = child {
                    open.push(inner);
                }
            });
        }
    }

    /// `case Order(price=3)` reads the attribute of the subject.
    fn note_matched(&mut self, func: Func, expr: ExprId, subject: ExprId, arms: &[Arm]) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        for arm in arms {
            if let Pat::Ctor { named, .. } = *facts.pat(arm.pat) {
                for field in facts.list(named) {
                    self.note_access(func, expr, (subject, field.name), Operator::GetDescriptor, None);
                }
            }
        }
    }

    /// `getattr(object, "name")`, `setattr(object, "name", value)`.
    fn note_named(&mut self, func: Func, (expr, callee): (ExprId, ExprId), args: &[Arg]) {
        let [base, name, values @ ..] = args else { return };
        let operator = match self.function_does(func, callee) {
            Some(DataOp::GetAttribute | DataOp::HasAttribute) => Operator::GetDescriptor,
            Some(DataOp::SetAttribute) => Operator::SetDescriptor,
            Some(DataOp::DeleteAttribute) => Operator::DeleteDescriptor,
            _ => return,
        };
        for text in self.texts(func, name.value) {
            if let Some(name) = self.index.names.get(&text) {
                let value = values.first().map(|arg| arg.value);
                self.note_access(func, expr, (base.value, name), operator, value);
            }
        }
    }

    /// Looks for descriptors among what classes have by now. True if there are new ones.
    pub(super) fn find_descriptors(&mut self) -> bool {
        let before = self.operations.list.len();
        let mut names = FxHashSet::default();
        if self.has_descriptors() {
            names = self.described();
        }
        let hierarchy = self.hierarchy;
        for at in 0..self.operations.accesses.len() {
            let access = self.operations.accesses[at];
            if names.contains(&access.name) {
                self.find_descriptor(at as u32, access);
            }
            let (name, known) = (access.name, [&hierarchy.accessor_names, &hierarchy.property_names]);
            if known.iter().any(|names| names.contains(&name)) {
                self.find_accessor(at as u32, access);
            }
        }
        self.operations.list.len() > before
    }

    /// The names of class attributes that are descriptors.
    fn described(&mut self) -> FxHashSet<Sym> {
        let mut found = FxHashSet::default();
        for func in (0..self.index.functions.len() as u32).map(Func) {
            let ir = self.index.ir(func);
            if !matches!(ir.kind, FnKind::ClassBody(_)) {
                continue;
            }
            let facts = self.index.units[self.index.file_of(func)].facts;
            for expr in ir.exprs.iter() {
                let Expr::Bind { pat, .. } = *facts.expr(expr) else { continue };
                let Pat::Var(var) = *facts.pat(pat) else { continue };
                let slot = self.index.var(func, var);
                let is_one = self.types(Value::In(slot)).iter().any(|&ty| self.is_descriptor(ty));
                if is_one {
                    found.insert(facts.list(ir.vars)[var.0 as usize]);
                }
            }
        }
        found
    }

    fn is_descriptor(&mut self, ty: Type) -> bool {
        let Type::Instance { class, .. } = ty else { return false };
        DESCRIPTORS.iter().any(|&operator| self.answer_of(class, operator, false).is_some())
    }

    fn find_descriptor(&mut self, access: u32, it: Access) {
        for ty in self.types(it.asked) {
            let (Type::Instance { class, .. } | Type::Class { class, .. }) = ty else { continue };
            let Some((_, slot)) = self.hierarchy.class_attr(self.index, class, it.name) else { continue };
            if self.operations.described.insert((access, slot)) {
                self.note_descriptor(it, slot);
            }
        }
    }

    /// The methods of the class that answer for an attribute. What is read as an attribute runs its getter where it stands.
    fn find_accessor(&mut self, at: u32, it: Access) {
        let facts = self.index.units[self.index.file_of(it.func)].facts;
        let is_plain = matches!(facts.expr(it.expr), Expr::Field { .. });
        for object in self.types(it.asked) {
            let Type::Instance { class, exact } = object else { continue };
            let answers = match it.operator {
                Operator::GetDescriptor if is_plain => Vec::new(),
                Operator::GetDescriptor => self.hierarchy.property(class, it.name).into_iter().collect(),
                operator => self.hierarchy.all_accessors(class, exact, it.name, operator),
            };
            for answer in answers {
                if self.operations.accessed.insert((at, answer)) {
                    let given = [it.value, None];
                    let id = self.operations.add(it.func, it.expr, it.operator, given);
                    self.answered(id, Type::Bound(answer), object);
                }
            }
        }
    }

    fn note_descriptor(&mut self, it: Access, slot: Slot) {
        let to = match (it.operator, self.value(it.func, it.expr)) {
            (Operator::GetDescriptor, Value::In(to)) => Some(to),
            _ => None,
        };
        let given = [Some(it.base), it.value];
        self.operations.list.push(Operation::new(it.func, it.expr, it.operator, Value::In(slot), given, to));
    }
}
