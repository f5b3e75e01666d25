//! Accessors: methods that run where an attribute of an object is read, set or deleted, by a decorator (`@price.setter`) or by a call
//! in the class body (`price = property(get, set)`).

use super::hierarchy::Hierarchy;
use super::ids::{Cls, Func};
use super::index::Index;
use super::types::Type;
use crate::ir::{ArgKind, Expr, FnKind, Operator, Pat, Sym};

impl Hierarchy {
    /// What runs where an attribute of objects of a class is set or deleted.
    pub fn accessor(&self, class: Cls, name: Sym, operator: Operator) -> Option<Func> {
        let ancestors = &self.ancestors[class.0 as usize];
        ancestors.iter().find_map(|&ancestor| self.accessors.get(&(ancestor, name, operator)).copied())
    }

    /// The same, also of what objects of descendants have in its place.
    pub fn all_accessors(&self, class: Cls, exact: bool, name: Sym, operator: Operator) -> Vec<Func> {
        let below: &[Cls] = if exact { &[] } else { &self.descendants[class.0 as usize] };
        let own = self.accessor(class, name, operator);
        let others = below.iter().filter_map(|&at| self.accessors.get(&(at, name, operator)).copied());
        let mut found: Vec<Func> = own.into_iter().chain(others).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Notes the accessors of class bodies.
    pub(super) fn find_accessors(&mut self, index: &Index<'_>) {
        for func in (0..index.functions.len() as u32).map(Func) {
            if let Some(class) = index.method_of[func.0 as usize]
                && let Some(operator) = decorated(index, func)
            {
                self.add_accessor(class, index.ir(func).name, operator, func);
            }
            if let FnKind::ClassBody(class) = index.ir(func).kind {
                self.find_made(index, class, func);
            }
        }
    }

    /// `price = property(get, set)`.
    fn find_made(&mut self, index: &Index<'_>, class: Cls, body: Func) {
        let facts = index.units[index.file_of(body)].facts;
        let implied = &index.externals.catalog().operations.implied;
        for expr in index.ir(body).exprs.iter() {
            let Expr::Bind { pat, value } = *facts.expr(expr) else { continue };
            let (Pat::Var(var), Expr::Call { callee, args, .. }) = (*facts.pat(pat), *facts.expr(value))
            else {
                continue;
            };
            let Some(Type::External(path) | Type::Unbound(path)) =
                index.statics(body, callee).into_iter().next()
            else {
                continue;
            };
            let name = facts.list(index.ir(body).vars)[var.0 as usize];
            for does in implied.of_function(index.externals.text(path)) {
                let given = does.argument.and_then(|at| facts.list(args).get(at));
                let Some(given) = given.filter(|arg| arg.kind == ArgKind::Positional) else { continue };
                for ty in index.statics(body, given.value) {
                    if let Type::Function(accessor) = ty {
                        self.add_accessor(class, name, does.does, accessor);
                    }
                }
            }
        }
    }

    fn add_accessor(&mut self, class: Cls, name: Sym, operator: Operator, func: Func) {
        match operator {
            Operator::GetDescriptor => {
                self.properties.entry((class, name)).or_insert(func);
                self.property_names.insert(name);
            }
            Operator::SetDescriptor | Operator::DeleteDescriptor => {
                self.accessors.entry((class, name, operator)).or_insert(func);
                self.accessor_names.insert(name);
            }
            _ => {}
        }
    }
}

/// What the decorator of a method makes it.
fn decorated(index: &Index<'_>, func: Func) -> Option<Operator> {
    let facts = index.units[index.file_of(func)].facts;
    facts.list(index.ir(func).decorators).iter().find_map(|&decorator| match *facts.expr(decorator) {
        Expr::Field { name, .. } => {
            let implied = &index.externals.catalog().operations.implied;
            implied.of_method(facts.lang, facts.str(name)).map(|does| does.does).next()
        }
        _ => None,
    })
}
