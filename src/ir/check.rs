//! The invariants of facts, as a check for debug builds and property tests. Whoever reads facts may rely on them.

use super::walk::Child;
use super::{Expr, ExprId, ExprRange, Facts, Function, Pat, PatId, Span, VarId};

impl Facts {
    /// Says which invariant is broken, if any.
    pub fn check(&self, deepest: usize) -> Result<(), String> {
        self.check_ranges()?;
        self.check_calls()?;
        let mut depths = Depths { facts: self, exprs: vec![0; self.expr_count() + 1], smaller: true };
        for id in self.exprs() {
            let depth = depths.of_expr(id);
            ensure(depth <= deepest, || format!("{id:?} nests {depth} deep"))?;
            ensure(depths.smaller, || format!("{id:?} has a child with a greater id"))?;
        }
        let end = self.function(super::MODULE).span.hi;
        let fits = |span: Span| span.lo <= span.hi && span.hi <= end;
        for id in self.exprs() {
            ensure(fits(self.span(id)), || format!("{id:?} has the span {:?}", self.span(id)))?;
        }
        self.problems.iter().try_for_each(|p| ensure(fits(p.span), || format!("{p:?} is outside")))?;
        self.functions().iter().try_for_each(|function| self.check_function(function))
    }

    /// Functions' ranges follow one another and leave nothing out.
    fn check_ranges(&self) -> Result<(), String> {
        let mut next = 1;
        for (index, function) in self.functions().iter().enumerate() {
            let ExprRange { lo, hi } = function.exprs;
            ensure(lo == next && hi > lo, || {
                format!("function {index} has the range {lo}..{hi} after {next}")
            })?;
            ensure(function.body.0.get() == hi - 1, || {
                format!("the body of function {index} is not its last node")
            })?;
            ensure(function.parent.0 <= index as u32, || {
                format!("function {index} is older than its parent")
            })?;
            next = hi;
        }
        ensure(next as usize == self.expr_count() + 1, || "nodes outside all functions".to_owned())
    }

    fn check_calls(&self) -> Result<(), String> {
        let mut count = 0;
        for id in self.exprs() {
            let &Expr::Call { site, .. } = self.expr(id) else { continue };
            count += 1;
            let site = self.calls().get(site.0 as usize).copied().filter(|site| site.expr == id);
            let range = site.map(|site| self.function(site.function).exprs);
            let is_inside = range.is_some_and(|r| r.lo <= id.0.get() && id.0.get() < r.hi);
            ensure(is_inside, || format!("{id:?} is a call of no function"))?;
        }
        ensure(count == self.calls().len(), || format!("{count} calls, {} sites", self.calls().len()))
    }

    fn check_function(&self, function: &Function) -> Result<(), String> {
        let count = self.list(function.vars).len();
        let known = |var: VarId| ensure((var.0 as usize) < count, || format!("{var:?} of {count} variables"));
        for id in function.exprs.iter() {
            if let &Expr::Var(var) = self.expr(id) {
                known(var)?;
            }
            let mut pats = Vec::new();
            self.arenas.each_child(id, |child| pats.extend(child.pat()));
            while let Some(id) = pats.pop() {
                if let &Pat::Var(var) | &Pat::As { var, .. } = self.pat(id) {
                    known(var)?;
                }
                self.arenas.each_child_of_pat(id, |child| pats.extend(child.pat()));
            }
        }
        self.list(function.exports).iter().try_for_each(|export| known(export.var))?;
        self.list(function.captures).iter().try_for_each(|capture| known(capture.inner))?;
        let outer = self.list(self.function(function.parent).vars).len();
        let captures = self.list(function.captures).iter();
        captures
            .map(|c| c.outer)
            .try_for_each(|var| ensure((var.0 as usize) < outer, || format!("outer {var:?}")))
    }
}

/// How deep each node's subtree is.
struct Depths<'f> {
    facts: &'f Facts,
    exprs: Vec<usize>,
    smaller: bool,
}

impl Depths<'_> {
    fn of_expr(&mut self, id: ExprId) -> usize {
        let mut deepest = 0;
        let facts = self.facts;
        facts.arenas.each_child(id, |child| deepest = deepest.max(self.of_child(child, id)));
        self.exprs[id.index()] = deepest + 1;
        deepest + 1
    }

    fn of_child(&mut self, child: Child, parent: ExprId) -> usize {
        match child {
            Child::Expr(id) => {
                self.smaller &= id < parent;
                self.exprs[id.index()]
            }
            Child::Pat(id) => self.of_pat(id, parent),
        }
    }

    fn of_pat(&mut self, id: PatId, parent: ExprId) -> usize {
        let mut deepest = 0;
        let facts = self.facts;
        facts.arenas.each_child_of_pat(id, |child| {
            if let Child::Pat(inner) = child {
                self.smaller &= inner < id;
            }
            deepest = deepest.max(self.of_child(child, parent));
        });
        deepest + 1
    }
}

impl Child {
    pub(super) fn pat(self) -> Option<PatId> {
        match self {
            Child::Pat(id) => Some(id),
            Child::Expr(_) => None,
        }
    }
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
