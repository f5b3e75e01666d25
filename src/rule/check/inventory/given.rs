//! Which parameters of a function a value in its body is made of, by the names that stand in it: without order and branches, and
//! what a call is given is in what it hands back, unless that comes from outside. What only decides which value it is, a key or a
//! condition, is no part of it. Coarser than the value-flow graph, which keeps one way per value; the inventory
//! asks for each handler on its own. It knows no effects.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Reached;
use crate::catalog::DataOp;
use crate::ir::{Arg, Expr, ExprId, Facts, VarId};
use crate::link::{At, Edge, EdgeKind, Func, Passed, Target};
use crate::rule::check::Context;

/// Parameters of a function, then the variables that it captures; one bit each. More than there are bits are not told.
type Mask = u128;

/// What one function does with what it is given.
#[derive(Default)]
pub struct Given {
    /// Of the expressions that were asked for, those that hold something given.
    values: FxHashMap<ExprId, Mask>,
    handed: Vec<Handed>,
}

/// What is handed on to a parameter of a function.
struct Handed {
    at: At,
    to: Func,
    param: u32,
    of: Mask,
}

/// What a handler is given, by the functions in which it is: the parameters there, each with that of the handler.
#[derive(Default)]
pub struct Origins(FxHashMap<Func, Vec<(u32, String)>>);

impl Given {
    /// `outside` are the calls that hand back what is not of this program; `asked` are the values to be told about.
    pub fn of(
        context: &Context<'_>,
        func: Func,
        outside: FxHashSet<ExprId>,
        asked: impl Iterator<Item = ExprId>,
    ) -> Self {
        let mut body = Body::new(context, func, outside);
        body.solve();
        let values = asked.filter_map(|expr| Some((expr, body.held.get(&expr).copied()?))).collect();
        let edges = context.program.edges_from(func).iter();
        let handed = edges.filter(|edge| edge.kind != EdgeKind::Stored).flat_map(|edge| body.handed(edge));
        let handed = handed.chain(body.captured()).filter(|handed| handed.of != 0).collect();
        Self { values, handed }
    }

    fn holds(&self, value: ExprId, slot: u32) -> bool {
        self.values.get(&value).is_some_and(|mask| mask & bit(slot) != 0)
    }
}

impl Origins {
    /// Follows what callers choose through the functions that are reached.
    pub fn follow(
        context: &Context<'_>,
        runs: &[Func],
        reached: &Reached<'_>,
        given: &FxHashMap<Func, Given>,
        takes: impl Fn(Func, At) -> bool,
    ) -> Self {
        let mut origins = Self::default();
        let mut seen: FxHashSet<(Func, u32)> = FxHashSet::default();
        let mut work: Vec<(Func, u32, String)> =
            runs.iter().flat_map(|&func| chosen(context, func)).collect();
        work.reverse();
        while let Some((func, slot, name)) = work.pop() {
            if !seen.insert((func, slot)) {
                continue;
            }
            let handed = given.get(&func).into_iter().flat_map(|given| &given.handed);
            let next = handed.filter(|Handed { at, to, of, .. }| {
                of & bit(slot) != 0 && reached.is(*to) && takes(func, *at)
            });
            work.extend(next.map(|handed| (handed.to, handed.param, name.clone())));
            origins.0.entry(func).or_default().push((slot, name));
        }
        origins
    }

    /// The parameter of the handler of which a value is made.
    pub fn argument(&self, given: &FxHashMap<Func, Given>, func: Func, value: ExprId) -> Option<&str> {
        let (own, given) = (self.0.get(&func)?, given.get(&func)?);
        own.iter().filter(|(slot, _)| given.holds(value, *slot)).map(|(_, name)| name.as_str()).min()
    }
}

/// The parameters of a handler that whoever calls it chooses: not its object, nor what a framework gives it.
fn chosen<'c>(context: &Context<'c>, func: Func) -> impl Iterator<Item = (Func, u32, String)> + use<'c> {
    let (program, catalog) = (context.program, context.catalog);
    let facts = program.facts(program.function(func).file);
    let params = (0..).zip(facts.list(program.ir(func).params));
    params.filter_map(move |(at, param)| {
        let vars = facts.arenas.vars_of(param.pat);
        let is_own = vars.iter().any(|&var| program.own_class_of(func, var).is_some());
        let name = facts.str(param.name);
        (!is_own && !catalog.flow.is_injected(name)).then(|| (func, at, name.to_owned()))
    })
}

fn bit(slot: u32) -> Mask {
    (1 as Mask).checked_shl(slot).unwrap_or(0)
}

/// One function while its expressions are looked at.
struct Body<'b, 'a> {
    context: &'b Context<'a>,
    facts: &'b Facts,
    func: Func,
    vars: FxHashMap<VarId, Mask>,
    held: FxHashMap<ExprId, Mask>,
    outside: FxHashSet<ExprId>,
    /// By an argument, the arguments of its call that stand behind it.
    behind: FxHashMap<ExprId, &'b [Arg]>,
}

impl<'b, 'a> Body<'b, 'a> {
    fn new(context: &'b Context<'a>, func: Func, outside: FxHashSet<ExprId>) -> Self {
        let program = context.program;
        let facts = program.facts(program.function(func).file);
        let ir = program.ir(func);
        let params = facts.list(ir.params).iter().map(|param| facts.arenas.vars_of(param.pat));
        let captures = facts.list(ir.captures).iter().map(|capture| vec![capture.inner]);
        let mut vars: FxHashMap<VarId, Mask> = FxHashMap::default();
        for (slot, bound) in (0..).zip(params.chain(captures)) {
            bound.into_iter().for_each(|var| *vars.entry(var).or_default() |= bit(slot));
        }
        let (held, behind) = Default::default();
        Self { context, facts, func, vars, held, outside, behind }
    }

    /// Until no variable holds more. Children come before their parents, so one round sees an expression as a whole.
    fn solve(&mut self) {
        let exprs = self.context.program.ir(self.func).exprs;
        loop {
            let before: u32 = self.vars.values().map(|mask| mask.count_ones()).sum();
            for expr in exprs.iter() {
                let mask = self.mask(expr);
                if mask != 0 {
                    self.held.insert(expr, mask);
                }
                self.bind(expr);
            }
            if before == self.vars.values().map(|mask| mask.count_ones()).sum::<u32>() {
                break;
            }
        }
    }

    fn held(&self, expr: ExprId) -> Mask {
        self.held.get(&expr).copied().unwrap_or_default()
    }

    fn mask(&self, expr: ExprId) -> Mask {
        let any =
            |parts: &mut dyn Iterator<Item = ExprId>| parts.fold(0, |mask, part| mask | self.held(part));
        match *self.facts.expr(expr) {
            Expr::Var(var) => self.vars.get(&var).copied().unwrap_or_default(),
            Expr::Index { base, .. } => self.held(base),
            Expr::Not(_) => 0,
            Expr::Op { op, .. } if op.is_test() => 0,
            Expr::Call { .. } if self.outside.contains(&expr) => 0,
            Expr::Call { callee, args, .. } if self.is_lookup(callee) => {
                let otherwise = self.facts.list(args).iter().skip(1).map(|arg| arg.value);
                any(&mut [callee].into_iter().chain(otherwise))
            }
            Expr::Block(parts) => self.facts.list(parts).last().map_or(0, |&last| self.held(last)),
            Expr::If { arms, otherwise } => {
                any(&mut self.facts.list(arms).iter().map(|arm| arm.body).chain(otherwise))
            }
            Expr::Match { arms, .. } => any(&mut self.facts.list(arms).iter().map(|arm| arm.body)),
            _ => {
                let mut mask = 0;
                self.facts.arenas.each_expr(expr, |child| mask |= self.held(child));
                mask
            }
        }
    }

    /// `skills.get(name)`
    fn is_lookup(&self, callee: ExprId) -> bool {
        let Expr::Field { name, .. } = *self.facts.expr(callee) else { return false };
        self.context.catalog.operations.of_name(self.facts.str(name)) == Some(DataOp::Get)
    }

    /// What a variable is given by an expression: a binding, a loop over it, a part that is stored, an element that is added.
    fn bind(&mut self, expr: ExprId) {
        let facts = self.facts;
        let (pat, value) = match *facts.expr(expr) {
            Expr::Bind { pat, value } => (pat, value),
            Expr::With { context, pat: Some(pat), .. } => (pat, context),
            Expr::Loop(at) => match facts.arenas.loop_at(at).each {
                Some(each) => each,
                None => return,
            },
            Expr::Match { subject, arms } => {
                let pats = facts.list(arms).iter().map(|arm| arm.pat);
                return pats.for_each(|pat| self.give(facts.arenas.vars_of(pat), subject));
            }
            Expr::Store { place, value: Some(value), .. } => return self.give(self.root(place), value),
            Expr::Call { callee, args, .. } => return self.collect(callee, facts.list(args)),
            _ => return,
        };
        self.give(facts.arenas.vars_of(pat), value);
    }

    fn give(&mut self, vars: Vec<VarId>, value: ExprId) {
        let mask = self.held(value);
        if mask != 0 {
            vars.into_iter().for_each(|var| *self.vars.entry(var).or_default() |= mask);
        }
    }

    /// `parts.append(path)`
    fn collect(&mut self, callee: ExprId, args: &'b [Arg]) {
        for (at, arg) in args.iter().enumerate() {
            self.behind.insert(arg.value, &args[at + 1..]);
        }
        let Expr::Field { base, name } = *self.facts.expr(callee) else { return };
        if self.context.catalog.tells.collects(self.facts.str(name)) {
            args.iter().for_each(|arg| self.give(self.root(base), arg.value));
        }
    }

    /// The variable of which an expression is a part.
    fn root(&self, mut place: ExprId) -> Vec<VarId> {
        loop {
            match *self.facts.expr(place) {
                Expr::Field { base, .. } | Expr::Index { base, .. } => place = base,
                Expr::Var(var) => return vec![var],
                _ => return Vec::new(),
            }
        }
    }

    fn handed(&self, edge: &Edge) -> Vec<Handed> {
        let Target::Project(to) = edge.to else { return Vec::new() };
        let program = self.context.program;
        let args = match (edge.kind, self.behind.get(&edge.at.expr)) {
            // `to_thread(run, command)`
            (EdgeKind::Passed, Some(args)) => {
                let skip = program.filled(self.func, edge.at.expr, to);
                program.handed_arguments(self.func, args, (to, skip))
            }
            _ => program.arguments(edge),
        };
        let count = program.ir(to).params.len() as u32;
        let each = |(passed, value): (Passed, ExprId)| {
            let params = match passed {
                Passed::Param(at) | Passed::Rest(at) | Passed::KeywordRest(at, _) => at..at + 1,
                Passed::SpreadFrom(at) => at..count,
                Passed::SpreadNamed => 0..count,
            };
            let of = self.held(value);
            params.map(move |param| Handed { at: edge.at, to, param, of })
        };
        args.into_iter().flat_map(each).collect()
    }

    /// What the functions that are defined here take from it.
    fn captured(&self) -> Vec<Handed> {
        let closures =
            self.context.program.ir(self.func).exprs.iter().filter_map(|expr| match *self.facts.expr(expr) {
                Expr::Closure(to) => Some((to, expr)),
                _ => None,
            });
        let file = self.context.program.function(self.func).file;
        let each = |(to, expr): (Func, ExprId)| {
            let inner = self.facts.function(to);
            let captures = (inner.params.len() as u32..).zip(self.facts.list(inner.captures));
            captures.map(move |(param, capture)| {
                let of = self.vars.get(&capture.outer).copied().unwrap_or_default();
                Handed { at: At { file, expr }, to, param, of }
            })
        };
        closures.flat_map(each).collect()
    }
}
