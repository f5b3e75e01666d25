//! What the compiler, or a macro above a type, writes out for it: an operation of an object is one of each of its parts. Which
//! parts have a method of their own for it is read from what the type declares.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::ids::{Cls, Func, OperationId};
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::ir::{ClassKind, Expr, Operator, Sym};

impl Solver<'_, '_> {
    /// True if an object answers an operation: by a method, by its parts, or by what another type does with it.
    pub(super) fn has_answer(&mut self, class: Cls, operator: Operator, is_reflected: bool) -> bool {
        self.answer_of(class, operator, is_reflected).is_some()
            || match is_reflected {
                true => !self.second_operand(class, operator).is_empty(),
                false => !self.answering_parts(class, operator).is_empty(),
            }
    }

    /// The parts of an object, at whatever depth, that answer an operation which its class has without writing it.
    pub(super) fn answering_parts(&mut self, class: Cls, operator: Operator) -> Rc<[Type]> {
        if let Some(known) = self.operations.parts.get(&(class, operator)) {
            return Rc::clone(known);
        }
        let (mut found, mut known) = (Vec::new(), FxHashSet::from_iter([class]));
        let mut open = vec![class];
        while let Some(next) = open.pop() {
            if !self.is_derived(next, operator) {
                continue;
            }
            for part in self.parts(next) {
                let (Type::Instance { class, .. } | Type::Class { class, .. }) = part else { continue };
                if !known.insert(class) {
                    continue;
                }
                match self.answer_of(class, operator, false) {
                    Some(_) => found.push(part),
                    None => open.push(class),
                }
            }
        }
        let found: Rc<[Type]> = found.into();
        self.operations.parts.insert((class, operator), Rc::clone(&found));
        found
    }

    pub(super) fn ask_parts(&mut self, id: OperationId, class: Cls, operator: Operator) {
        for &part in &*self.answering_parts(class, operator) {
            let (Type::Instance { class, .. } | Type::Class { class, .. }) = part else { continue };
            let name = self.answer_of(class, operator, false).and_then(|name| self.index.names.get(name));
            name.into_iter().for_each(|name| self.ask_method(id, (part, class), name));
        }
    }

    pub(super) fn ask_method(&mut self, id: OperationId, (object, asked): (Type, Cls), name: Sym) {
        let method = match object {
            Type::Class { .. } => self.hierarchy.class_attr(self.index, asked, name).map(|(_, slot)| slot),
            _ => None,
        };
        let method = method.map_or_else(|| self.attr(object, name), Value::In);
        self.on(method, React::Answer { operation: id, object });
    }

    fn is_derived(&self, class: Cls, operator: Operator) -> bool {
        let body = self.index.class_body(class);
        let profile = self.index.units[self.index.file_of(body)].facts.profile();
        let Some(names) = profile.derived(operator) else { return false };
        // A variant has what its enumeration says.
        let mut classes = self.hierarchy.ancestors[class.0 as usize].iter();
        names.is_empty() || classes.any(|&class| self.derives(class, names))
    }

    fn derives(&self, class: Cls, names: &[&str]) -> bool {
        let (file, ir) = self.index.class_ir(class);
        let facts = self.index.units[file].facts;
        facts.list(ir.decorators).iter().any(|&decorator| {
            let Expr::Call { args, .. } = *facts.expr(decorator) else { return false };
            let written = facts.list(args).iter().filter_map(|arg| facts.written_name(arg.value));
            written.into_iter().any(|name| names.contains(&facts.str(name)))
        })
    }

    /// What the fields of a class are declared to be; those of an enumeration stand in its variants.
    fn parts(&self, class: Cls) -> Vec<Type> {
        let is_trait = self.index.class_ir(class).1.kind == ClassKind::Interface;
        let below = if is_trait { &[][..] } else { &self.hierarchy.descendants[class.0 as usize] };
        let mut found = Vec::new();
        for &class in [class].iter().chain(below) {
            self.declared_parts(class, self.index.class_body(class), &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn declared_parts(&self, class: Cls, body: Func, found: &mut Vec<Type>) {
        let facts = self.index.units[self.index.file_of(body)].facts;
        for expr in self.index.ir(body).exprs.iter() {
            if let Expr::Bind { value, .. } = *facts.expr(expr)
                && let Expr::Ascribe { value: None, ty, .. } = *facts.expr(value)
            {
                let annotation = self.index.annotation(body, ty, Some(class));
                found.extend(annotation.types.into_iter().chain(annotation.elements));
            }
        }
    }
}
