//! What tests say of a value: behind `isinstance(value, Client)` it is a client, if nothing else is known of it. A use of a variable,
//! or of an attribute of one, that stands where a test has passed has a slot of its own.

mod fixed;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ids::{Func, Slot};
use super::react::React;
use super::solve::{Fallback, Narrowed, Solver};
use super::types::{Type, Types, Value};
use crate::catalog::DataOp;
use crate::ir::{Arg, Arm, Expr, ExprId, Facts, IfArm, Jump, ListOf, Op, Pat, Sym, VarId};
use fixed::Fixed;

/// What is tested: a variable, or an attribute of one.
type Subject = (VarId, Option<Sym>);

/// What is known of the value of a subject.
#[derive(Clone)]
struct Told {
    subject: Subject,
    types: Types,
    /// It is one of the types, or none of them.
    is_one: bool,
    /// Where the test fails, it is none of them.
    excludes: bool,
}

/// The expressions behind `first` up to `last`, of which something is known.
struct Region {
    told: Told,
    first: ExprId,
    last: ExprId,
}

impl Solver<'_, '_> {
    /// Finds the uses of a function that tests speak of.
    pub(super) fn note_tests(&mut self, func: Func) {
        let mut regions: FxHashMap<Subject, Vec<Region>> = FxHashMap::default();
        for region in self.regions(func) {
            regions.entry(region.told.subject).or_default().push(region);
        }
        if regions.is_empty() {
            return;
        }
        let facts = self.index.units[self.index.file_of(func)].facts;
        for expr in self.index.ir(func).exprs.iter() {
            let Some(subject) = subject(facts, expr) else { continue };
            for Region { told, first, last } in regions.get(&subject).into_iter().flatten() {
                if *first < expr && expr <= *last {
                    let known = self.narrowed.entry(expr).or_default();
                    let list = if told.is_one { &mut known.is } else { &mut known.is_not };
                    list.extend(told.types.iter().copied());
                }
            }
        }
    }

    /// The value of an expression where tests have said something of it.
    pub(super) fn narrowed(&mut self, expr: ExprId, whole: Value) -> Value {
        let known = self.narrowed.get(&expr).cloned().unwrap_or_default();
        // Uses of which the same is known are one.
        let key = (whole, known);
        if let Some(&shared) = self.narrowed_slots.get(&key) {
            return Value::In(shared);
        }
        let to = self.new_slot();
        self.narrowed_slots.insert(key.clone(), to);
        let Narrowed { is, is_not } = key.1;
        match is_not.is_empty() {
            true => self.copy(whole, to),
            false => self.on(whole, React::Unless { expr, to }),
        }
        is.into_iter().for_each(|ty| self.fallbacks.push(Fallback::Is(ty, to)));
        Value::In(to)
    }

    /// Lets in what no test has ruled out.
    pub(super) fn unless_excluded(&mut self, ty: Type, expr: ExprId, to: Slot) {
        let excluded = |excluded: &Type| self.is_below(ty, *excluded);
        if !self.narrowed.get(&expr).is_some_and(|known| known.is_not.iter().any(excluded)) {
            self.insert(to, ty);
        }
    }

    fn is_below(&self, ty: Type, above: Type) -> bool {
        match (ty, above) {
            (Type::Instance { class, .. }, Type::Instance { class: above, .. }) => {
                self.hierarchy.ancestors[class.0 as usize].contains(&above)
            }
            (Type::Object(path), Type::Object(above)) => {
                let externals = &self.index.externals;
                let below = externals.catalog().bases.below.get(externals.text(above));
                path == above || below.is_some_and(|below| below.contains(externals.text(path)))
            }
            _ => false,
        }
    }

    fn regions(&self, func: Func) -> Vec<Region> {
        let of = &Fixed::new(self.index, func);
        let facts = of.facts;
        let mut regions = Vec::new();
        for expr in self.index.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::If { arms, .. } => self.behind_arms(of, expr, facts.list(arms), &mut regions),
                Expr::All(parts) => self.behind_parts(of, expr, (parts, true), &mut regions),
                Expr::Any(parts) => self.behind_parts(of, expr, (parts, false), &mut regions),
                Expr::Block(items) => self.behind_exits(of, expr, facts.list(items), &mut regions),
                Expr::Match { subject, arms } => {
                    self.behind_patterns(of, subject, facts.list(arms), &mut regions);
                }
                _ => {}
            }
        }
        regions
    }

    /// `if isinstance(x, C): … else: …`
    fn behind_arms(&self, of: &Fixed<'_, '_>, whole: ExprId, arms: &[IfArm], regions: &mut Vec<Region>) {
        for arm in arms {
            let passed = self.told(of, arm.test, true).into_iter();
            regions.extend(passed.map(|told| Region { told, first: arm.test, last: arm.body }));
            let failed = self.told(of, arm.test, false).into_iter();
            regions.extend(failed.map(|told| Region { told, first: arm.body, last: whole }));
        }
    }

    /// `isinstance(x, C) and x.run()`: what stands behind is reached where this one is true, and for `or` where it is false.
    fn behind_parts(
        &self,
        of: &Fixed<'_, '_>,
        whole: ExprId,
        (parts, is_true): (ListOf<ExprId>, bool),
        regions: &mut Vec<Region>,
    ) {
        let facts = of.facts;
        for &part in facts.list(parts) {
            let told = self.told(of, part, is_true).into_iter();
            regions.extend(told.map(|told| Region { told, first: part, last: whole }));
        }
    }

    /// `if not isinstance(x, C): return`, `assert isinstance(x, C)`: what stands behind in the block.
    fn behind_exits(&self, of: &Fixed<'_, '_>, block: ExprId, items: &[ExprId], regions: &mut Vec<Region>) {
        let facts = of.facts;
        for &item in items {
            let (test, is_true) = match *facts.expr(item) {
                Expr::Jump { kind: Jump::Assert, value: Some(test) } => (test, true),
                Expr::If { arms, otherwise: None } => match facts.list(arms) {
                    [only] if leaves(facts, only.body) => (only.test, false),
                    _ => continue,
                },
                _ => continue,
            };
            let told = self.told(of, test, is_true).into_iter();
            regions.extend(told.map(|told| Region { told, first: item, last: block }));
        }
    }

    /// `case Client(): …`
    fn behind_patterns(&self, of: &Fixed<'_, '_>, tested: ExprId, arms: &[Arm], regions: &mut Vec<Region>) {
        let facts = of.facts;
        let Some(subject) = subject(facts, tested) else { return };
        let mut first = tested;
        for arm in arms {
            if let Pat::Ctor { path, .. } = *facts.pat(arm.pat) {
                let types = self.index.annotation(of.func, path, None).types;
                let told = Told { subject, types, is_one: true, excludes: false };
                regions.push(Region { told, first, last: arm.body });
            }
            first = arm.body;
        }
    }

    /// What is known where a test is true, or where it is false.
    fn told(&self, of: &Fixed<'_, '_>, test: ExprId, is_true: bool) -> SmallVec<[Told; 1]> {
        let facts = of.facts;
        let parts = match *facts.expr(test) {
            Expr::All(parts) if is_true => facts.list(parts),
            Expr::Any(parts) if !is_true => facts.list(parts),
            _ => &[test],
        };
        let told = parts.iter().filter_map(|&part| {
            let (part, is_true) = match *facts.expr(part) {
                Expr::Not(inner) => (inner, !is_true),
                _ => (part, is_true),
            };
            let told = self.told_once(of.func, part)?;
            // What may be another value by now is not ruled out.
            (is_true || told.excludes && told.subject.1.is_none() && of.has(told.subject.0))
                .then_some(Told { is_one: is_true, ..told })
        });
        told.collect()
    }

    fn told_once(&self, func: Func, test: ExprId) -> Option<Told> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let (tested, types, excludes) = match *facts.expr(test) {
            Expr::Call { callee, args, .. } => self.told_by_call(func, callee, facts.list(args))?,
            // `type(x) is C`
            Expr::Op { op: Op::Is | Op::Eq, args } => {
                let &[asked, class] = facts.list(args) else { return None };
                let Expr::Call { callee, args, .. } = *facts.expr(asked) else { return None };
                let &[Arg { value, .. }] = facts.list(args) else { return None };
                (self.function_does(func, callee) == Some(DataOp::Class)).then_some(())?;
                (value, self.index.annotation(func, class, None).types, false)
            }
            _ => return None,
        };
        let subject = subject(facts, tested)?;
        (!types.is_empty()).then_some(Told { subject, types, is_one: true, excludes })
    }

    /// `isinstance(x, (A, B))`, and functions that say by their annotation what they test.
    fn told_by_call(&self, func: Func, callee: ExprId, args: &[Arg]) -> Option<(ExprId, Types, bool)> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if self.function_does(func, callee) == Some(DataOp::IsInstance) {
            let &[Arg { value, .. }, Arg { value: classes, .. }] = args else { return None };
            let classes = match *facts.expr(classes) {
                Expr::Seq(classes) => facts.list(classes),
                _ => &[classes],
            };
            let types = classes.iter().flat_map(|&class| self.index.annotation(func, class, None).types);
            let types: Types = types.collect();
            // A class may say of any object whether it is one of its own.
            let is_plain = |ty: &Type| match *ty {
                Type::Instance { class, .. } => self.hierarchy.metaclass(class).is_none(),
                _ => true,
            };
            let excludes = types.iter().all(is_plain);
            return Some((value, types, excludes));
        }
        let (Expr::Free(_) | Expr::Field { .. }) = facts.expr(callee) else { return None };
        let &[Arg { value, .. }, ..] = args else { return None };
        let statics = self.index.statics(func, callee);
        let [Type::Function(guard)] = statics[..] else { return None };
        let types = self.index.guarded_by(guard, self.index.ir(guard).returns?);
        Some((value, types, false))
    }
}

/// What a test may speak of.
fn subject(facts: &Facts, expr: ExprId) -> Option<Subject> {
    match *facts.expr(expr) {
        Expr::Var(var) => Some((var, None)),
        Expr::Field { base, name } => match *facts.expr(base) {
            Expr::Var(var) => Some((var, Some(name))),
            _ => None,
        },
        _ => None,
    }
}

/// True if nothing behind a block is reached from it.
fn leaves(facts: &Facts, block: ExprId) -> bool {
    let last = match *facts.expr(block) {
        Expr::Block(items) => facts.list(items).last().copied(),
        _ => Some(block),
    };
    let is_jump = |last: ExprId| match *facts.expr(last) {
        Expr::Jump { kind, .. } => kind != Jump::Assert,
        _ => false,
    };
    last.is_some_and(is_jump)
}
