//! What a value is taken from: what a test of it tells of others.

use rustc_hash::FxHashSet;

use super::proof::{Proof, Spot};
use super::tested::Tests;
use crate::analysis::valueflow::paths::Key;
use crate::catalog::Purposes;
use crate::ir::{Arg, Expr, ExprId, ListOf, Lit};
use crate::link::Func;

impl Tests<'_, '_> {
    /// The variable, or the part of one, that an expression reads.
    pub fn spot(&self, expr: ExprId) -> Option<Spot> {
        let of = |base: ExprId, key: Key| match *self.facts.expr(base) {
            Expr::Var(var) => Some(Spot { var, part: Some(key) }),
            _ => None,
        };
        match *self.facts.expr(expr) {
            Expr::Var(var) => Some(Spot { var, part: None }),
            Expr::Field { base, name } => of(base, Key::Attr(name)),
            Expr::Index { base, key } => match *self.facts.expr(key) {
                Expr::Lit(Lit::Str(name)) => of(base, Key::Name(name)),
                _ => None,
            },
            _ => None,
        }
    }

    /// What is known if an expression is one of few values: what it reads, perhaps as seen by a method (`name.as_str()`), and what
    /// that was taken from.
    pub fn tested(&self, expr: ExprId) -> Vec<Proof> {
        if let Expr::Seq(items) = *self.facts.expr(expr) {
            // Each of them is, if all together are.
            return self.facts.list(items).iter().flat_map(|&item| self.tested_one(item)).collect();
        }
        self.tested_one(expr)
    }

    fn tested_one(&self, expr: ExprId) -> Vec<Proof> {
        let expr = self.seen(expr);
        let mut found: Vec<Proof> = self.spot(expr).map(|spot| (spot, Purposes::ALL)).into_iter().collect();
        let value = match self.facts.expr(expr) {
            Expr::Var(_) => self.origin(expr),
            _ => Some(expr),
        };
        match value {
            Some(value) => found.extend(self.of_aspect(value)),
            None => found.extend(self.of_each(expr, |value| self.of_aspect(value))),
        }
        found
    }

    /// What a method shows that hands back what it is called on, or what that holds.
    fn seen(&self, expr: ExprId) -> ExprId {
        let mut expr = expr;
        while let Expr::Call { callee, args, .. } = *self.facts.expr(expr) {
            let Expr::Field { base, name } = *self.facts.expr(callee) else { break };
            let (name, handed_on) = (self.facts.str(name), &self.catalog.handed_on);
            let is_same = handed_on.by_method(name)
                || handed_on.keeps_text_by_method(name)
                || self.is_unwrapped(callee);
            if !args.is_empty() || !is_same {
                break;
            }
            expr = base;
        }
        expr
    }

    /// `urlparse(url).hostname` is one of few: so is where `url` leads.
    fn of_aspect(&self, expr: ExprId) -> Vec<Proof> {
        let (mut found, mut work) = (Vec::new(), vec![expr]);
        while let Some(expr) = work.pop() {
            let (named, purposes, inner) = match *self.facts.expr(expr) {
                Expr::Field { base, name } => {
                    (base, self.catalog.checks.aspect(self.facts.str(name)), Some(base))
                }
                Expr::Call { callee, .. } => {
                    let name = self.name(callee).unwrap_or_default();
                    let receiver = match *self.facts.expr(callee) {
                        Expr::Field { base, .. } => Some(base),
                        _ => None,
                    };
                    (expr, self.catalog.checks.aspect(name), receiver)
                }
                // What stands first: `name.split(".")[0]`.
                Expr::Index { base, key } if *self.facts.expr(key) == Expr::Lit(Lit::Int(0)) => {
                    work.push(base);
                    continue;
                }
                Expr::Any(parts) => {
                    work.extend(self.facts.list(parts));
                    continue;
                }
                Expr::Match { subject: inner, .. } | Expr::Ascribe { value: Some(inner), .. } => {
                    work.push(inner);
                    continue;
                }
                _ => continue,
            };
            // `urlparse(url).hostname.lower()`
            match inner {
                _ if !purposes.is_empty() => self.origins(named, purposes, &mut found),
                Some(inner) => work.push(inner),
                None => {}
            }
        }
        found
    }

    /// What an expression is made of, through variables of one value. Returns the reads of others.
    pub fn followed(&self, expr: ExprId, purposes: Purposes, found: &mut Vec<Proof>) -> Vec<ExprId> {
        let (mut work, mut open) = (vec![expr], Vec::new());
        while let Some(expr) = work.pop() {
            for read in self.reads(expr) {
                let spot = self.spot(read).filter(|&spot| !found.contains(&(spot, purposes)));
                let Some(spot) = spot else { continue };
                found.push((spot, purposes));
                match *self.facts.expr(read) {
                    // Who knows the host knows where the address leads.
                    Expr::Field { base, name }
                        if self.catalog.checks.aspect(self.facts.str(name)).and(purposes) == purposes =>
                    {
                        work.push(base);
                    }
                    _ if spot.part.is_none() => match self.origin(read) {
                        Some(value) if self.choices(value).len() == 1 => work.push(value),
                        _ => open.push(read),
                    },
                    _ => {}
                }
            }
        }
        open
    }

    /// The expressions below one that stand for what they read, and neither for a method nor for what a part is taken of.
    fn reads(&self, expr: ExprId) -> Vec<ExprId> {
        let mut below = self.facts.arenas.below(expr);
        let called = below.iter().filter_map(|&expr| match *self.facts.expr(expr) {
            Expr::Call { callee, .. } => Some(callee),
            _ => None,
        });
        let called: FxHashSet<ExprId> = called.collect();
        below.retain(|read| !called.contains(read));
        let base = |&expr: &ExprId| match *self.facts.expr(expr) {
            Expr::Field { base, .. } | Expr::Index { base, .. } => self.spot(expr).map(|_| base),
            _ => None,
        };
        let bases: FxHashSet<ExprId> = below.iter().filter_map(base).collect();
        below.retain(|read| !bases.contains(read));
        below
    }

    /// What a variable of this function is, if it is one thing, and was so before.
    pub fn definition(&self, variable: ExprId) -> Option<(Func, ExprId)> {
        let found = self.program.sole_definition(self.func, variable)?;
        (found.0 == self.func && found.1 < variable).then_some(found)
    }

    /// True if a value was brought into one form: `(root / name).resolve()`.
    pub fn is_resolved(&self, expr: ExprId) -> bool {
        let mut work = vec![(self.func, expr)];
        let mut seen = FxHashSet::default();
        while let Some(at) = work.pop() {
            if seen.insert(at) {
                let Some(next) = self.resolved_by(at) else { return false };
                work.extend(next);
            }
        }
        true
    }

    /// What has to be in one form for an expression to be so. `None`: it is not.
    fn resolved_by(&self, (func, expr): (Func, ExprId)) -> Option<Vec<(Func, ExprId)>> {
        let inner = match *self.facts.expr(expr) {
            Expr::Var(_) => return self.resolved_values(func, expr),
            // Text of the code is chosen by its author.
            Expr::Lit(_) => return Some(Vec::new()),
            Expr::If { arms, otherwise: Some(otherwise) } => {
                let bodies = self.facts.list(arms).iter().map(|arm| arm.body);
                return Some(bodies.chain([otherwise]).map(|body| (func, body)).collect());
            }
            Expr::Block(parts) => self.facts.list(parts).last().copied(),
            // What is left of a result: `canonicalize()?`
            Expr::Await(inner)
            | Expr::Match { subject: inner, .. }
            | Expr::Ascribe { value: Some(inner), .. } => Some(inner),
            Expr::Call { callee, .. }
                if self.name(callee).is_some_and(|it| self.catalog.checks.resolves(it)) =>
            {
                return Some(Vec::new());
            }
            Expr::Call { callee, args, .. } => self.shown_by(func, callee, args),
            _ => None,
        };
        inner.map(|value| vec![(func, value)])
    }

    fn resolved_values(&self, func: Func, variable: ExprId) -> Option<Vec<(Func, ExprId)>> {
        // A function inside sees what was made outside.
        let around = self.program.ir(self.func).parent;
        if let Some((by, value)) = self.program.sole_definition(func, variable) {
            return (by == around || by == func && value < variable).then(|| vec![(by, value)]);
        }
        let values = if func == self.func { self.values(variable) } else { Vec::new() };
        (!values.is_empty()).then(|| values.into_iter().map(|value| (func, value)).collect())
    }

    /// What a call only shows in another form: as a text, as a reference, unwrapped.
    fn shown_by(&self, func: Func, callee: ExprId, args: ListOf<Arg>) -> Option<ExprId> {
        let path = self.program.library_path(func, callee);
        let hands_on = path.is_some_and(|path| self.catalog.handed_on.keeps_text(path));
        let first = self.facts.list(args).first().map(|arg| arg.value).filter(|_| hands_on);
        let receiver = match *self.facts.expr(callee) {
            Expr::Field { base, .. } if self.is_unwrapped(callee) => Some(base),
            _ => None,
        };
        first.or(receiver)
    }

    /// A method that hands back what it is called on, or what that holds.
    fn is_unwrapped(&self, callee: ExprId) -> bool {
        let is_same = |name: &str| self.catalog.wrappers.same.contains(name);
        self.facts.profile().has_wrappers
            && self.name(callee).is_some_and(|name| is_same(name) && name != "join")
    }
}
