//! Bases that are not simply named: one of several, what a function makes; and classes that are said to be below another one by a
//! call: `Search.register(Web)`, `@Search.register`.

use super::ids::{Cls, Func};
use super::index::Index;
use super::types::{Type, Types};
use crate::ir::{Expr, ExprId, FnKind};

impl Index<'_> {
    /// The classes that an expression in the place of a base stands for.
    pub(super) fn base_classes(&self, scope: Func, base: ExprId) -> Types {
        let found = self.statics(scope, base);
        if !found.is_empty() {
            return found;
        }
        let (scope, base) = self.named_once(scope, base);
        let facts = self.units[self.file_of(scope)].facts;
        let choices: Vec<ExprId> = match *facts.expr(base) {
            Expr::If { arms, otherwise } => {
                facts.list(arms).iter().map(|arm| arm.body).chain(otherwise).collect()
            }
            Expr::Call { callee, .. } => match self.statics(scope, callee)[..] {
                [Type::Function(maker)] => {
                    let made = self.returns(maker).flat_map(|made| self.statics(maker, made));
                    return made.filter(|ty| matches!(ty, Type::Class { .. })).collect();
                }
                _ => return found,
            },
            _ => return found,
        };
        let last = |choice: ExprId| match *facts.expr(choice) {
            Expr::Block(items) => facts.list(items).last().copied().unwrap_or(choice),
            _ => choice,
        };
        choices.into_iter().flat_map(|choice| self.statics(scope, last(choice))).collect()
    }

    /// Pairs of a class and one that is registered below it.
    pub(super) fn registered_below(&self) -> Vec<(Cls, Cls)> {
        let mut found = Vec::new();
        for func in (0..self.functions.len() as u32).map(Func) {
            if self.ir(func).kind != FnKind::Module {
                continue;
            }
            let facts = self.units[self.file_of(func)].facts;
            for expr in self.ir(func).exprs.iter() {
                match *facts.expr(expr) {
                    Expr::Call { callee, args, .. } => {
                        let Some(base) = self.registers_at(func, callee) else { continue };
                        let given = facts.list(args).first().map(|arg| self.statics(func, arg.value));
                        if let Some(&[Type::Class { class, .. }]) = given.as_deref() {
                            found.push((base, class));
                        }
                    }
                    Expr::Class(class) => {
                        let decorators = facts.list(facts.class(class).decorators).iter();
                        let bases = decorators.filter_map(|&decorator| self.registers_at(func, decorator));
                        found.extend(bases.map(|base| (base, class)));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The class whose method an expression names that takes others in.
    fn registers_at(&self, func: Func, callee: ExprId) -> Option<Cls> {
        let facts = self.units[self.file_of(func)].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else { return None };
        let words = &self.externals.catalog().registers;
        let [Type::Class { class, .. }] = self.statics(func, base)[..] else { return None };
        // A class with a method of this name means something else.
        let is_own = self.export(self.class_body(class), name).is_some();
        (words.contains(facts.str(name)) && !is_own).then_some(class)
    }
}
