//! What is put into objects after they were made: stored in their attributes and entries, given to their methods, or given to a
//! library beside them; and what patterns take out of values. By file, because few files are ever asked.

use rustc_hash::FxHashMap;

use crate::ir::{ArgKind, Expr, ExprId, FnId, Lit, Pat, PatId};
use crate::link::names::Name;
use crate::link::program::{Cls, Edge, EdgeKind, Func, Program, Target};
use crate::link::types::Slot;

/// The name under which something is put into an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    Named(Name),
    /// By its place among arguments or under a key.
    Placed,
    /// The name is not known.
    Any,
    /// It was taken out of the value, not put into it.
    Taken,
}

pub struct Gift {
    pub label: Label,
    pub func: Func,
    pub value: ExprId,
}

#[derive(Default)]
pub struct Gifts {
    of_slots: FxHashMap<Slot, Vec<Gift>>,
    of_attributes: FxHashMap<(Cls, Name), Vec<Gift>>,
}

impl Gifts {
    pub fn find(program: &Program<'_>, file: usize) -> Self {
        let mut gifts = Self::default();
        let facts = program.index.units[file].facts;
        for id in 0..facts.functions.len() as u32 {
            let func = program.index.func(file, FnId(id));
            for expr in program.ir(func).exprs.iter() {
                gifts.expression(program, func, expr);
            }
        }
        gifts
    }

    pub fn of_slot(&self, slot: Slot) -> impl Iterator<Item = &Gift> {
        self.of_slots.get(&slot).into_iter().flatten()
    }

    pub fn of_attribute(&self, class: Cls, name: Name) -> impl Iterator<Item = &Gift> {
        self.of_attributes.get(&(class, name)).into_iter().flatten()
    }

    fn expression(&mut self, program: &Program<'_>, func: Func, expr: ExprId) {
        let index = &program.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        match *facts.expr(expr) {
            Expr::Store { place, value: Some(value), .. } => {
                let (base, label) = match *facts.expr(place) {
                    Expr::Field { base, name } => (base, Label::Named(index.name(file, name))),
                    Expr::Index { base, key } => match *facts.expr(key) {
                        Expr::Lit(Lit::Str(key)) => (base, Label::Named(index.name(file, key))),
                        _ => (base, Label::Any),
                    },
                    _ => return,
                };
                self.give(program, (func, base), label, (func, value));
            }
            Expr::Call { .. } => self.call(program, func, expr),
            Expr::Bind { pat, value } | Expr::With { context: value, pat: Some(pat), .. } => {
                self.taken(program, func, pat, value);
            }
            Expr::Match { subject, arms } => {
                facts.list(arms).iter().for_each(|arm| self.taken(program, func, arm.pat, subject));
            }
            Expr::Loop(at) => {
                if let Some((pat, iterable)) = facts.arenas.loop_at(at).each {
                    self.taken(program, func, pat, iterable);
                }
            }
            _ => {}
        }
    }

    /// `JOBS.put(job)`, `heappush(JOBS, job)`: of a library call, what stands beside an object may end in it.
    fn call(&mut self, program: &Program<'_>, func: Func, expr: ExprId) {
        let index = &program.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(expr) else { return };
        let args = facts.list(args);
        let is_own = |edge: &Edge| edge.kind == EdgeKind::Call && matches!(edge.to, Target::Project(_));
        let edges = program.edges_at(func, expr);
        let loads = |edge: &Edge| match edge.to {
            Target::External(path) => index.externals.loader(path).is_some(),
            Target::Project(_) => false,
        };
        let loads = edges.iter().any(loads);
        if args.is_empty() || !loads && edges.iter().any(is_own) {
            return;
        }
        if let Expr::Field { base, .. } = *facts.expr(callee) {
            for arg in args {
                let label = match arg.kind {
                    ArgKind::Named(name) => Label::Named(index.name(file, name)),
                    _ => Label::Placed,
                };
                self.give(program, (func, base), label, (func, arg.value));
            }
        }
        let is_name =
            |expr: ExprId| matches!(facts.expr(expr), Expr::Var(_) | Expr::Free(_) | Expr::Field { .. });
        // `setattr(step, "send", post)`
        let text = args.iter().find_map(|arg| match *facts.expr(arg.value) {
            Expr::Lit(Lit::Str(text)) => Some(text),
            _ => None,
        });
        let label = text.map_or(Label::Any, |text| Label::Named(index.name(file, text)));
        for object in args.iter().filter(|arg| is_name(arg.value)) {
            // `exec(text, names)`: the names get what the text binds.
            if loads {
                self.give(program, (func, object.value), Label::Any, (func, expr));
            }
            for other in args.iter().filter(|other| other.value != object.value) {
                self.give(program, (func, object.value), label, (func, other.value));
            }
        }
    }

    /// What a pattern takes apart may end in each of its names.
    fn taken(&mut self, program: &Program<'_>, func: Func, pat: PatId, value: ExprId) {
        if may_hold(program.facts(program.function(func).file).expr(value)) {
            self.patterns(program, func, pat, value);
        }
    }

    fn patterns(&mut self, program: &Program<'_>, func: Func, pat: PatId, value: ExprId) {
        let facts = program.facts(program.function(func).file);
        let mut inner = Vec::new();
        match *facts.pat(pat) {
            Pat::Var(var) => {
                let slot = program.index.var(func, var);
                let is_known = program.index.definitions(slot).any(|known| known == (func, value));
                if !is_known {
                    self.of_slots.entry(slot).or_default().push(Gift { label: Label::Taken, func, value });
                }
            }
            Pat::Seq { items, .. } | Pat::Or(items) => inner.extend(facts.list(items)),
            Pat::As { pat, var } => {
                let slot = program.index.var(func, var);
                self.of_slots.entry(slot).or_default().push(Gift { label: Label::Taken, func, value });
                inner.push(pat);
            }
            Pat::Record { items, .. } => inner.extend(facts.list(items).iter().map(|field| field.pat)),
            Pat::Ctor { items, named, .. } => {
                inner.extend(facts.list(items));
                inner.extend(facts.list(named).iter().map(|field| field.pat));
            }
            Pat::Wild | Pat::Value(_) | Pat::Place(_) => {}
        }
        inner.into_iter().for_each(|pat| self.patterns(program, func, pat, value));
    }

    fn give(
        &mut self,
        program: &Program<'_>,
        to: (Func, ExprId),
        label: Label,
        (func, value): (Func, ExprId),
    ) {
        let index = &program.index;
        let facts = index.units[index.file_of(to.0)].facts;
        if !may_hold(index.units[index.file_of(func)].facts.expr(value)) {
            return;
        }
        let gift = Gift { label, func, value };
        let mut base = to.1;
        loop {
            match *facts.expr(base) {
                Expr::Field { base: object, name } if program.is_own_object(to.0, object) => {
                    let Some(class) = index.enclosing_class(to.0) else { return };
                    let name = index.name(index.file_of(to.0), name);
                    return self.of_attributes.entry((class, name)).or_default().push(gift);
                }
                Expr::Field { base: next, .. } | Expr::Index { base: next, .. } => base = next,
                Expr::Var(_) | Expr::Free(_) | Expr::Import(_) => break,
                _ => return,
            }
        }
        if let Some(slot) = program.named(to.0, base) {
            self.of_slots.entry(slot).or_default().push(gift);
        }
    }
}

/// False for what is no callable and holds none.
fn may_hold(value: &Expr) -> bool {
    !matches!(value, Expr::Lit(_) | Expr::Text(_) | Expr::Not(_))
}
