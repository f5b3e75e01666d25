//! Enumerations: what a class body binds is an object of the class, which has the value that stands there.

use super::hierarchy::Hierarchy;
use super::ids::{Cls, Func, Key, Slot};
use super::index::Index;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{Expr, ExprId, Operator, Pat, Sym};

impl Hierarchy {
    pub(super) fn find_enumerations(&mut self, index: &Index<'_>) {
        let names = &index.externals.catalog().bases.enums;
        let modules = &index.externals.catalog().bases.enum_modules;
        let is_one = |class: &Cls| {
            let mut paths =
                self.external_bases[class.0 as usize].iter().map(|&path| index.externals.text(path));
            paths.any(|path| {
                let (module, name) = path.rsplit_once('.').unwrap_or_default();
                names.contains(name) && modules.contains(module)
            })
        };
        self.enumerations = (0..index.classes.len() as u32).map(Cls).filter(is_one).collect();
    }

    /// True for a class whose objects are mappings of its fields.
    pub(super) fn is_record(&self, index: &Index<'_>, class: Cls) -> bool {
        self.has_base(index, class, &index.externals.catalog().bases.mappings)
    }

    /// True for a class whose body lists all objects of it.
    pub(super) fn is_enumeration(&self, class: Cls) -> bool {
        self.enumerations.contains(&class)
    }
}

impl Solver<'_, '_> {
    /// The member that a name of an enumeration means.
    pub(super) fn enum_member(&self, class: Cls, name: Sym) -> Option<Type> {
        if !self.hierarchy.is_enumeration(class) {
            return None;
        }
        let (owner, slot) = self.hierarchy.class_attr(self.index, class, name)?;
        let mut bound = self.index.definitions(slot).peekable();
        bound.peek()?;
        let is_value = bound.all(|(scope, value)| {
            let facts = self.index.units[self.index.file_of(scope)].facts;
            !matches!(facts.expr(value), Expr::Closure(_) | Expr::Class(_) | Expr::Import(_))
        });
        is_value.then_some(Type::Instance { class: owner, exact: true })
    }

    /// What objects of an enumeration have that stands in no body: their values, and all of them by their names.
    pub(super) fn of_members(&mut self, class: Cls, name: Sym, to: Slot) {
        let body = self.index.class_body(class);
        let Some(does) = self.hierarchy.is_enumeration(class).then(|| self.method_does(body, name)).flatten()
        else {
            return;
        };
        let members = self.members_of(class);
        match does {
            DataOp::MemberValue => members.iter().for_each(|&(_, slot)| self.copy(Value::In(slot), to)),
            DataOp::MembersByName => {
                let all = self.part(to);
                for (name, _) in members {
                    let member = Type::Instance { class, exact: true };
                    self.store_entry(all, Some(Key::Name(name)), Value::Is(member));
                }
            }
            _ => {}
        }
    }

    /// The names that the body of an enumeration binds to values, each with its slot.
    fn members_of(&self, class: Cls) -> Vec<(Sym, Slot)> {
        let body = self.index.class_body(class);
        let facts = self.index.units[self.index.file_of(body)].facts;
        let names = facts.list(self.index.ir(body).vars).iter().copied();
        let members = names.filter(|&name| self.enum_member(class, name).is_some());
        members.filter_map(|name| self.index.export(body, name).map(|slot| (name, slot))).collect()
    }

    /// `Step.SEND.value` is what stands there.
    pub(super) fn member_value(&mut self, func: Func, base: ExprId, name: Sym) -> Option<Slot> {
        if self.method_does(func, name) != Some(DataOp::MemberValue) {
            return None;
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Field { base: class, name: member } = *facts.expr(base) else { return None };
        let statics = self.index.statics(func, class);
        let [Type::Class { class, .. }] = statics[..] else { return None };
        self.enum_member(class, member)?;
        self.hierarchy.class_attr(self.index, class, member).map(|(_, slot)| slot)
    }

    /// The members of an enumeration are made where its body runs.
    pub(super) fn note_member(&mut self, body: Func, class: Cls, expr: ExprId) {
        if !self.hierarchy.is_enumeration(class) {
            return;
        }
        let facts = self.index.units[self.index.file_of(body)].facts;
        let Expr::Bind { pat, value } = *facts.expr(expr) else { return };
        let Pat::Var(var) = *facts.pat(pat) else { return };
        if self.enum_member(class, facts.list(self.index.ir(body).vars)[var.0 as usize]).is_none() {
            return;
        }
        let given = match *facts.expr(value) {
            Expr::Seq(values) => facts.list(values),
            _ => &[value],
        };
        let given = [given.first().copied(), given.get(1).copied()];
        for operator in [Operator::Create, Operator::Construct] {
            let name = self.answer_of(class, operator, false).and_then(|name| self.index.names.get(name));
            let Some((_, slot)) = name.and_then(|name| self.hierarchy.class_attr(self.index, class, name))
            else {
                continue;
            };
            self.note_hook(body, expr, operator, (class, slot), given);
        }
    }
}
