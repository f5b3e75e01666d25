//! Classes of classes: what a class gets from its metaclass, and what runs where a class is defined. Which metaclass a class has is
//! said by itself or by one of its bases.

use super::args::{Passed, pair};
use super::hierarchy::Hierarchy;
use super::ids::{Cls, Func, Module, Slot};
use super::index::Index;
use super::react::React;
use super::solve::Solver;
use super::types::{Global, Type, Value};
use crate::ir::{ArgKind, ExprId, Operator, Sym};

/// What of a metaclass runs where one of its classes is defined.
const MAKES: [Operator; 3] = [Operator::Prepare, Operator::Create, Operator::Construct];

impl Hierarchy {
    /// True if a class is asked for attributes that nothing binds.
    pub(super) fn has_hook(&self, class: Cls) -> bool {
        self.hooked.contains(&class)
    }

    pub(super) fn find_hooked(&mut self, index: &Index<'_>) {
        let is_one = |class: &Cls| {
            let profile = index.units[index.file_of(index.class_body(*class))].facts.profile();
            let mut hooks = profile.methods(Operator::FindAttribute).iter();
            let is_own = |name: Sym| self.class_attr(index, *class, name).is_some();
            hooks.any(|name| index.names.get(name).is_some_and(is_own))
        };
        self.hooked = (0..index.classes.len() as u32).map(Cls).filter(is_one).collect();
    }

    /// The metaclass of a class, if the project defines it.
    pub(super) fn metaclass(&self, class: Cls) -> Option<Cls> {
        let ancestors = &self.ancestors[class.0 as usize];
        ancestors.iter().find_map(|ancestor| self.metaclasses.get(ancestor).copied())
    }

    /// What a class has from its metaclass.
    pub(super) fn metaclass_attr(&self, index: &Index<'_>, class: Cls, name: Sym) -> Option<(Cls, Slot)> {
        let metaclass = self.metaclass(class)?;
        self.class_attr(index, metaclass, name).map(|(_, slot)| (metaclass, slot))
    }

    pub(super) fn find_metaclasses(&mut self, index: &Index<'_>) {
        for class in (0..index.classes.len() as u32).map(Cls) {
            let (file, ir) = index.class_ir(class);
            let facts = index.units[file].facts;
            for option in facts.list(ir.options) {
                let is_meant = matches!(option.kind, ArgKind::Named(name) if facts.str(name) == facts.profile().metaclass);
                if !is_meant {
                    continue;
                }
                if let [Type::Class { class: metaclass, .. }] = index.statics(ir.scope, option.value)[..] {
                    self.metaclasses.insert(class, metaclass);
                }
            }
        }
    }
}

impl Solver<'_, '_> {
    /// What a module hands out for names that it does not bind.
    pub(super) fn asked_of_module(&self, module: Module) -> Option<Global> {
        let Module::File(file) = module else { return None };
        let facts = self.index.units[file].facts;
        let hooks = facts.profile().methods(Operator::FindAttribute).iter();
        let hook = hooks
            .filter_map(|name| self.index.names.get(name))
            .find_map(|name| self.index.export(self.index.module_body(file), name))?;
        match self.index.slot_statics(hook)[..] {
            [Type::Function(hook)] => Some(Global::Slot(self.returned(hook))),
            _ => None,
        }
    }

    /// What runs where a class is defined: hooks of the classes above, and methods of its metaclass, which is given the class.
    pub(super) fn note_class(&mut self, func: Func, expr: ExprId, class: Cls) {
        self.note_subclass(func, expr, class);
        let Some(metaclass) = self.hierarchy.metaclass(class) else { return };
        for operator in MAKES {
            let name = self.answer_of(metaclass, operator, false).and_then(|name| self.index.names.get(name));
            let Some(name) = name else { continue };
            let Some((_, slot)) = self.hierarchy.class_attr(self.index, metaclass, name) else { continue };
            self.note_hook(func, expr, operator, (metaclass, slot), [None; 2]);
            if operator == Operator::Construct {
                for member in self.types(Value::In(slot)) {
                    if let Type::Function(constructor) = member {
                        self.pass(constructor, 0, Value::Is(Type::Class { class, exact: true }));
                    }
                }
            }
        }
    }

    /// A class is told that another one is defined below it, with the options of that.
    fn note_subclass(&mut self, func: Func, expr: ExprId, class: Cls) {
        let profile = self.index.units[self.index.file_of(func)].facts.profile();
        for name in profile.methods(Operator::Subclass) {
            let Some(name) = self.index.names.get(name) else { continue };
            let above = self.hierarchy.ancestors[class.0 as usize].iter().filter(|&&above| above != class);
            let hook = above.copied().find_map(|above| {
                let slot = self.index.export(self.index.class_body(above), name)?;
                Some((above, slot))
            });
            if let Some(hook) = hook {
                self.note_hook(func, expr, Operator::Subclass, hook, [None; 2]);
                self.give_options(func, class, hook.1);
            }
        }
    }

    /// A method of a class runs, whatever the class of the operands.
    pub(super) fn note_hook(
        &mut self,
        func: Func,
        expr: ExprId,
        operator: Operator,
        (class, slot): (Cls, Slot),
        given: [Option<ExprId>; 2],
    ) {
        let object = Type::Class { class, exact: true };
        let id = self.operations.add(func, expr, operator, given);
        self.on(Value::In(slot), React::Answer { operation: id, object });
    }

    /// `class Search(Plugin, call=send)` gives the hook its arguments.
    fn give_options(&mut self, func: Func, class: Cls, hook: Slot) {
        for member in self.types(Value::In(hook)) {
            let Type::Function(target) = member else { continue };
            for (at, value) in self.index.options_for(class, target) {
                let value = self.value(func, value);
                self.pass(target, at, value.handed());
            }
        }
    }
}

impl Index<'_> {
    /// The options of a class that become parameters of a hook, by position.
    pub(super) fn options_for(&self, class: Cls, hook: Func) -> Vec<(u32, ExprId)> {
        let (file, ir) = self.class_ir(class);
        let facts = self.units[file].facts;
        let given = pair(self, facts, facts.list(ir.options), hook, 1).into_iter();
        given
            .filter_map(|(passed, value)| match passed {
                Passed::Param(at) => Some((at, value)),
                _ => None,
            })
            .collect()
    }
}
