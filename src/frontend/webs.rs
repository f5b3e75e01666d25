//! Splits each variable into webs: definitions that share a use are one variable, others get their own, so that analyses may
//! be insensitive to the order of statements. Works on the core language alone and serves every front end.

mod exceptions;
mod flow;
mod subtree;
#[cfg(test)]
mod tests;
mod values;

use self::flow::Flow;
use self::values::Value;
use crate::ir::walk::Child;
use crate::ir::{Export, Expr, ExprId, Facts, FnKind, Func, Pat, PatId, Sym, VarId};

/// Splits the variables of all functions. On entry a variable is a name: `Function::exports` holds every name that a module or
/// class body binds. The first web of a name keeps its number, so parameters stay first and captures stay valid.
pub fn split(facts: &mut Facts) {
    split_where(facts, |_| true);
}

/// Splits the variables of some functions: where the order of statements means nothing, every definition counts.
pub fn split_where(facts: &mut Facts, has_order: impl Fn(FnKind) -> bool) {
    let captured = captured(facts);
    for (index, captured) in captured.iter().enumerate() {
        let function = Func(index as u32);
        if !has_order(facts.function(function).kind) {
            continue;
        }
        let plan = Plan::new(facts, function, captured);
        if plan.tracked.is_empty() {
            continue;
        }
        let flow = Flow::run(facts, function, &plan);
        if let Some(flow) = flow {
            apply(facts, function, &plan, flow);
        }
    }
}

/// By function, the variables that closures share: they are not split, because a closure may run at any time.
fn captured(facts: &Facts) -> Vec<Vec<VarId>> {
    let mut captured = vec![Vec::new(); facts.functions().len()];
    for (index, function) in facts.functions().iter().enumerate() {
        for capture in facts.list(function.captures) {
            captured[function.parent.0 as usize].push(capture.outer);
            captured[index].push(capture.inner);
        }
    }
    captured
}

/// Which variables of a function are worth the walk.
struct Plan {
    /// The variables, in order.
    tracked: Vec<VarId>,
    /// By `VarId`, the index in `tracked`.
    index: Vec<Option<u32>>,
    /// Where the tracked variables change: the node, and the index in `tracked`; in order.
    events: Vec<(ExprId, u32)>,
    is_open: bool,
}

impl Plan {
    fn new(facts: &Facts, function: Func, captured: &[VarId]) -> Self {
        let count = facts.list(facts.function(function).vars).len();
        let mut survey = Survey::new(facts, function, count);
        for id in facts.function(function).exprs.iter() {
            survey.expr(id);
        }
        for &var in captured {
            survey.whole[var.0 as usize] = true;
        }
        let is_tracked = |var: usize| survey.wanted[var] && !survey.whole[var];
        let tracked: Vec<_> =
            (0..count).filter(|&var| is_tracked(var)).map(|var| VarId(var as u32)).collect();
        let mut index = vec![None; if tracked.is_empty() { 0 } else { count }];
        for (at, var) in tracked.iter().enumerate() {
            index[var.0 as usize] = Some(at as u32);
        }
        let events = survey.events.into_iter();
        let events = events.filter_map(|(id, var)| Some((id, (*index.get(var.0 as usize)?)?))).collect();
        Self { tracked, index, events, is_open: survey.is_open }
    }
}

/// One pass over a function's nodes: which variables are defined more than once.
struct Survey<'f> {
    facts: &'f Facts,
    defined: Vec<bool>,
    /// Defined twice, deleted, or perhaps read too early.
    wanted: Vec<bool>,
    /// Declared without a value: the declaration speaks of all definitions.
    whole: Vec<bool>,
    events: Vec<(ExprId, VarId)>,
    /// What is unbound here may be bound elsewhere: a module's built-ins, a class's globals.
    is_open: bool,
}

impl<'f> Survey<'f> {
    fn new(facts: &'f Facts, id: Func, count: usize) -> Self {
        let function = facts.function(id);
        let is_open = matches!(function.kind, FnKind::Module | FnKind::ClassBody(_));
        let mut defined = vec![false; count];
        let params = facts.list(function.params).len();
        defined.iter_mut().take(params).for_each(|defined| *defined = true);
        Self {
            facts,
            defined,
            wanted: vec![false; count],
            whole: vec![false; count],
            events: Vec::new(),
            is_open,
        }
    }

    fn expr(&mut self, id: ExprId) {
        match *self.facts.expr(id) {
            Expr::Var(var) if self.is_open && !self.defined[var.0 as usize] => {
                self.wanted[var.0 as usize] = true
            }
            Expr::Bind { pat, value } => {
                if let (Expr::Ascribe { value: None, .. }, &Pat::Var(var)) =
                    (self.facts.expr(value), self.facts.pat(pat))
                {
                    self.whole[var.0 as usize] = true;
                }
                self.pat(id, pat);
            }
            Expr::Store { place, value: None, .. } => {
                if let &Expr::Var(var) = self.facts.expr(place) {
                    self.wanted[var.0 as usize] = true;
                    self.events.push((id, var));
                }
            }
            Expr::Try(index) => {
                for handler in self.facts.list(self.facts.arenas.try_at(index).handlers) {
                    let Some(pat) = handler.pat else { continue };
                    self.pat(id, pat);
                    // It is gone behind the handler, which matters where it could be exported.
                    if let (true, &Pat::Var(var)) = (self.is_open, self.facts.pat(pat)) {
                        self.wanted[var.0 as usize] = true;
                    }
                }
            }
            Expr::Loop(_) | Expr::With { .. } | Expr::Match { .. } => {
                let facts = self.facts;
                facts.arenas.each_child(id, |child| {
                    if let Child::Pat(pat) = child {
                        self.pat(id, pat);
                    }
                });
            }
            _ => {}
        }
    }

    fn pat(&mut self, id: ExprId, pat: PatId) {
        if let &Pat::Var(var) | &Pat::As { var, .. } = self.facts.pat(pat) {
            let defined = &mut self.defined[var.0 as usize];
            if std::mem::replace(defined, true) {
                self.wanted[var.0 as usize] = true;
            }
            self.events.push((id, var));
        }
        let facts = self.facts;
        facts.arenas.each_child_of_pat(pat, |child| {
            if let Child::Pat(inner) = child {
                self.pat(id, inner);
            }
        });
    }
}

/// What the walk found, by web.
struct Found {
    pub uses: Vec<(ExprId, Value)>,
    pub defs: Vec<(PatId, Value)>,
    /// By tracked variable: its value where the body ends, if the end is reached.
    pub end: Option<Vec<Value>>,
    pub values: values::Values,
}

fn apply(facts: &mut Facts, id: Func, plan: &Plan, mut found: Found) {
    let exports = facts.list(facts.function(id).exports).to_vec();
    let ends = exported(plan, &exports, &mut found);
    for &(_, value) in &found.uses {
        found.values.mark(value);
    }
    let mut vars = facts.list(facts.function(id).vars).to_vec();
    let numbers = number(plan, &mut found.values, &mut vars);
    for (pat, value) in std::mem::take(&mut found.defs) {
        let web = numbers[found.values.root(value)];
        if let (Some(web), Pat::Var(var) | Pat::As { var, .. }) = (web, facts.arenas_mut().pat_mut(pat)) {
            *var = web;
        }
    }
    for (expr, value) in std::mem::take(&mut found.uses) {
        let name = plan.tracked[found.values.variable(value) as usize];
        let web = numbers[found.values.root(value)];
        *facts.arenas_mut().expr_mut(expr) = match web {
            Some(web) => Expr::Var(web),
            None if plan.is_open => Expr::Free(vars[name.0 as usize]),
            None => Expr::Var(name),
        };
    }
    let exports = export(plan, exports, &ends, &mut found.values, &numbers);
    let arenas = facts.arenas_mut();
    let (vars, exports) = (arenas.add_list(&vars), arenas.add_list(&exports));
    let function = &mut facts.items_mut().functions[id.0 as usize];
    (function.vars, function.exports) = (vars, exports);
}

/// By tracked variable, what is visible from outside when the body has run; of a body that never ends, everything.
fn exported(plan: &Plan, exports: &[Export], found: &mut Found) -> Vec<Option<Value>> {
    let end = found.end.take().unwrap_or_else(|| found.values.all_definitions(plan.tracked.len()));
    let mut ends = vec![None; plan.tracked.len()];
    for export in exports {
        if let Some(index) = plan.index[export.var.0 as usize] {
            ends[index as usize] = Some(end[index as usize]);
            found.values.mark(end[index as usize]);
        }
    }
    ends
}

/// Gives each web a variable: the first web of a name the name's own, the others new ones.
fn number(plan: &Plan, values: &mut values::Values, vars: &mut Vec<Sym>) -> Vec<Option<VarId>> {
    let mut numbers = vec![None; values.len()];
    let mut is_taken = vec![false; plan.tracked.len()];
    for value in values.definitions() {
        let root = values.root(value);
        if numbers[root].is_some() {
            continue;
        }
        let index = values.variable(value) as usize;
        let name = plan.tracked[index];
        numbers[root] = Some(if std::mem::replace(&mut is_taken[index], true) {
            vars.push(vars[name.0 as usize]);
            VarId(vars.len() as u32 - 1)
        } else {
            name
        });
    }
    numbers
}

fn export(
    plan: &Plan,
    exports: Vec<Export>,
    ends: &[Option<Value>],
    values: &mut values::Values,
    numbers: &[Option<VarId>],
) -> Vec<Export> {
    let web = |export: Export| match plan.index[export.var.0 as usize] {
        None => Some(export),
        Some(index) => {
            let var = numbers[values.root(ends[index as usize]?)]?;
            Some(Export { name: export.name, var })
        }
    };
    exports.into_iter().filter_map(web).collect()
}
