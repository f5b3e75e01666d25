//! Variables that production code changes where they are not bound: a list that grows, a constant of a module or a class
//! that is set from elsewhere. What they were bound to says nothing of what they hold.

use rustc_hash::FxHashSet;

use super::meant::Meant;
use super::overwritten::SetAttribute;
use super::program::{Func, Program};
use super::statics::Global;
use super::types::{Slot, Type};
use crate::ir::{Arg, Expr, ExprId};

/// A name of a list of a list.
const MAX_HOPS: u32 = 4;

impl Program<'_> {
    /// True if production code changes what a name or an attribute holds, beside binding it.
    pub fn is_altered(&self, func: Func, expr: ExprId) -> bool {
        self.location(func, expr).is_some_and(|slot| self.altered().contains(&slot))
    }

    fn altered(&self) -> &FxHashSet<Slot> {
        self.index.constants.altered.get_or_init(|| self.find_altered())
    }

    fn find_altered(&self) -> FxHashSet<Slot> {
        let catalog = self.index.externals.catalog();
        let changers = self.meant(|name| {
            catalog.handed_on.mutates(name)
                || catalog.handed_on.may_mutate_argument(name)
                || catalog.setters.may_be(name)
        });
        let functions = (0..self.functions.len() as u32).map(Func);
        let mut found = FxHashSet::default();
        for func in functions.filter(|&func| !self.is_test_code(func)) {
            for expr in self.ir(func).exprs.iter() {
                self.alters(func, expr, &changers, &mut found);
            }
        }
        found
    }

    fn alters(&self, func: Func, expr: ExprId, changers: &Meant, found: &mut FxHashSet<Slot>) {
        let facts = self.facts(self.function(func).file);
        match *facts.expr(expr) {
            Expr::Store { place, .. } => match *facts.expr(place) {
                Expr::Index { base, .. } => self.alter(func, base, found),
                Expr::Field { base, .. } if !self.is_own_object(func, base) => {
                    found.extend(self.set_slots(func, expr));
                }
                _ => found.extend(self.location(func, place)),
            },
            Expr::Call { callee, args, .. } => {
                let name = match *facts.expr(callee) {
                    Expr::Field { name, .. } | Expr::Free(name) => Some(name),
                    Expr::Var(var) => facts.list(self.ir(func).vars).get(var.0 as usize).copied(),
                    _ => None,
                };
                if name.is_some_and(|name| self.is_meant(func, name, changers)) {
                    self.alters_by_call(func, (expr, callee), facts.list(args), found);
                }
            }
            _ => {}
        }
    }

    /// `ALLOWED.add(word)`, `set.add(ALLOWED, word)`, `setattr(policy, "ALLOWED", words)`
    fn alters_by_call(
        &self,
        func: Func,
        (call, callee): (ExprId, ExprId),
        args: &[Arg],
        found: &mut FxHashSet<Slot>,
    ) {
        let facts = self.facts(self.function(func).file);
        let known = &self.index.externals.catalog().handed_on;
        if let Expr::Field { base, name } = *facts.expr(callee)
            && known.mutates(facts.str(name))
        {
            self.alter(func, base, found);
        }
        let changes = self.library_path(func, callee).is_some_and(|path| {
            let name = path.rsplit('.').next().unwrap_or(path);
            known.mutates_argument(path) || known.mutates(name)
        });
        if let Some(first) = args.first().filter(|_| changes) {
            self.alter(func, first.value, found);
        }
        found.extend(self.set_slots(func, call));
    }

    /// What a name holds, whichever names it has.
    fn alter(&self, mut func: Func, mut expr: ExprId, found: &mut FxHashSet<Slot>) {
        for _ in 0..MAX_HOPS {
            let Some(slot) = self.location(func, expr) else { return };
            found.insert(slot);
            match self.bound_once(func, expr) {
                Some(next) => (func, expr) = next,
                None => return,
            }
        }
    }

    /// The variables of classes and modules that an expression sets as attributes.
    fn set_slots(&self, func: Func, expr: ExprId) -> Vec<Slot> {
        self.set_attributes(func, expr).iter().filter_map(|set| self.slot_of_attribute(set)).collect()
    }

    /// The variable that a name means, or an attribute of a module, of a class, of the own object.
    fn location(&self, func: Func, expr: ExprId) -> Option<Slot> {
        match *self.facts(self.function(func).file).expr(expr) {
            Expr::Field { base, .. } => self.attribute(func, base, expr),
            _ => self.named(func, expr),
        }
    }

    fn slot_of_attribute(&self, set: &SetAttribute) -> Option<Slot> {
        let name = self.index.names.get(&set.name)?;
        match set.owner {
            Type::Class { class, .. } => {
                self.hierarchy.class_attr(&self.index, class, name).map(|(_, slot)| slot)
            }
            Type::Module(module) => match self.index.module_attr(module, name)? {
                Global::Slot(slot) => Some(slot),
                Global::Is(_) => None,
            },
            _ => None,
        }
    }
}
