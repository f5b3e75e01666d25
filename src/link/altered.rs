//! Variables that production code changes where they are not bound: a list that grows, a constant of a module or a class
//! that is set from elsewhere. What they were bound to says nothing of what they hold.

use rustc_hash::FxHashSet;

use super::asked::Altered;
use super::ids::{Func, Slot};
use super::names::Meant;
use super::overwritten::SetAttribute;
use super::program::Program;
use super::types::{Global, Type};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Lit, Sym};

/// A name of a list of a list.
const MAX_HOPS: u32 = 4;

/// Names that calls are told by.
struct Words {
    changers: Meant,
    mutators: Meant,
    identifiers: Meant,
}

impl Program<'_> {
    /// True if production code changes what a name or an attribute holds, beside binding it.
    pub fn is_altered(&self, func: Func, expr: ExprId) -> bool {
        self.location(func, expr).is_some_and(|slot| self.altered().slots.contains(&slot))
    }

    /// The same, or something of this name is set of which it is not known what it is.
    pub fn may_be_altered(&self, func: Func, expr: ExprId) -> bool {
        let name = self.facts(self.function(func).file).last_name(self.ir(func), expr);
        name.is_some_and(|name| self.altered().names.contains(&name)) || self.is_altered(func, expr)
    }

    fn altered(&self) -> &Altered {
        self.index.constants.altered.of(|| self.find_altered())
    }

    fn find_altered(&self) -> Altered {
        let catalog = self.index.externals.catalog();
        let changes = |name: &str| {
            catalog.handed_on.mutates(name)
                || catalog.handed_on.may_mutate_argument(name)
                || catalog.setters.may_be(name)
        };
        let words = Words {
            changers: self.meant_serially(changes),
            mutators: self.meant_serially(|name| catalog.handed_on.mutates(name)),
            identifiers: self.meant_serially(is_identifier),
        };
        let functions = (0..self.functions.len() as u32).map(Func);
        let mut found = Altered::default();
        for func in functions.filter(|&func| !self.is_test_code(func)) {
            for expr in self.ir(func).exprs.iter() {
                self.alters(func, expr, &words.changers, &mut found.slots);
                self.names(func, expr, &words, &mut found.names);
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
                let name = facts.last_name(self.ir(func), callee);
                if name.is_some_and(|name| changers.has(name)) {
                    self.alters_by_call(func, (expr, callee), facts.list(args), found);
                }
            }
            _ => {}
        }
    }

    /// The names that an expression sets, whatever they are names of: by an assignment, as a word of a text or of a call, by a
    /// method that changes what they hold.
    fn names(&self, func: Func, expr: ExprId, words: &Words, found: &mut FxHashSet<Sym>) {
        let facts = self.facts(self.function(func).file);
        let named = |expr| facts.last_name(self.ir(func), expr);
        match *facts.expr(expr) {
            Expr::Store { place, .. } => found.extend(wholes(facts, place).filter_map(named)),
            Expr::Lit(Lit::Str(text)) if words.identifiers.has(text) => {
                found.insert(text);
            }
            Expr::Call { callee, args, .. } => {
                let given = facts.list(args).iter().filter_map(|arg| match arg.kind {
                    ArgKind::Named(name) => Some(name),
                    _ => None,
                });
                found.extend(given);
                if let Expr::Field { base, name } = *facts.expr(callee)
                    && words.mutators.has(name)
                {
                    found.extend(named(base));
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

/// A place that is set, and what it is an entry of.
fn wholes(facts: &Facts, place: ExprId) -> impl Iterator<Item = ExprId> + '_ {
    std::iter::successors(Some(place), |&at| match *facts.expr(at) {
        Expr::Index { base, .. } => Some(base),
        _ => None,
    })
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
