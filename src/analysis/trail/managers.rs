//! Context managers around a part of an operation: what happens when they are entered and when they are left.

use super::walk::Mode;
use super::{Relation, Summary, Tracer};
use crate::analysis::implicit;
use crate::ir::{ExprId, Operator};
use crate::link::{Func, Target};

/// What entering a context manager does, and leaving it without and with an exception.
#[derive(Clone, Debug)]
pub(super) struct Manager {
    pub enter: Relation,
    pub leave: Relation,
    pub fail: Relation,
}

impl Tracer<'_, '_> {
    /// The `__exit__` of the classes whose `__enter__` is among the functions: link knows of no call of it.
    pub(super) fn leavers(&self, entered: &[Func]) -> Vec<Func> {
        let entered = entered.iter().filter(|&&func| self.is_enter(func));
        entered.flat_map(|&func| self.leaver(func)).collect()
    }

    fn is_enter(&self, func: Func) -> bool {
        implicit::runs(self.program, func, &[Operator::Enter, Operator::EnterAsync])
    }

    fn leaver(&self, enter: Func) -> Option<Func> {
        let class = self.program.function(enter).class?;
        let leave = match implicit::runs(self.program, enter, &[Operator::Enter]) {
            true => Operator::Exit,
            false => Operator::ExitAsync,
        };
        implicit::methods(self.program, class, &[leave]).next()
    }

    /// The object of a `with`, if it has to do with the trail.
    pub(super) fn manager(&self, func: Func, context: ExprId, depth: u32) -> Option<Manager> {
        let edges = self.program.edges_at(func, context).iter();
        let targets = edges.filter_map(|edge| match edge.to {
            Target::Project(target) => Some(target),
            Target::External(_) => None,
        });
        targets
            .filter(|target| self.matters(*target))
            .find_map(|target| {
                if self.program.ir(target).is_generator {
                    return self.generator(target, depth);
                }
                if let Some(maker) = self.made(target) {
                    return self.generator(maker, depth);
                }
                self.is_enter(target).then(|| self.object(target, depth)).flatten()
            })
            .or_else(|| self.left_only(func, context, depth))
    }

    /// The generator that a function hands back, which another one has made.
    fn made(&self, func: Func) -> Option<Func> {
        let mut calls = self.program.returns(func).flat_map(|value| self.program.edges_at(func, value));
        calls.find_map(|edge| match edge.to {
            Target::Project(maker) if self.program.ir(maker).is_generator => Some(maker),
            _ => None,
        })
    }

    /// A function that yields once: before, and after.
    fn generator(&self, func: Func, depth: u32) -> Option<Manager> {
        let enter = self.summary(func, Mode::UpToYield, &[], depth + 1)?;
        let after = self.summary(func, Mode::FromYield, &[], depth + 1)?;
        Some(Manager { enter: enter.returns, leave: after.returns, fail: after.raises })
    }

    /// `__enter__`, and the `__exit__` of its class.
    fn object(&self, enter: Func, depth: u32) -> Option<Manager> {
        let entered = self.summary(enter, Mode::Whole, &[], depth + 1)?;
        let left = self.leaver(enter).and_then(|leave| self.summary(leave, Mode::Whole, &[], depth + 1));
        let left = left.map_or_else(Relation::identity, |left: std::rc::Rc<Summary>| left.returns);
        Some(Manager { enter: entered.returns, leave: left, fail: left })
    }

    /// A class that does nothing when it is entered, and something when it is left.
    fn left_only(&self, func: Func, context: ExprId, depth: u32) -> Option<Manager> {
        let edges = self.program.edges_at(func, context).iter();
        let mut entered = edges.filter_map(|edge| match edge.to {
            Target::Project(target) if self.is_enter(target) => Some(target),
            _ => None,
        });
        let enter = entered.find(|&enter| self.leaver(enter).is_some_and(|leave| self.matters(leave)))?;
        self.object(enter, depth)
    }
}
