//! Where the value of a bound comes from.

use std::rc::Rc;

use super::{Calls, Given};
use crate::analysis::implicit;
use crate::catalog::{Bound, CallbackResult};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Facts, Lit, Pat, Span};
use crate::link::{Cls, Func, Passed, Target};

/// Names of values that are handed on; more is a cycle.
pub(super) const MAX_HOPS: u32 = 8;

/// A call or a `with` that ends what takes too long.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    by: ExprId,
    /// What is inside it.
    span: Span,
    /// Whether it ends that soon enough.
    given: Given,
}

impl Calls<'_, '_> {
    /// What an argument list says of a bound.
    pub(super) fn argument(
        &self,
        func: Func,
        facts: &Facts,
        args: &[Arg],
        bound: Bound,
        at: Option<usize>,
    ) -> Given {
        let limits = &self.catalog.limits;
        let by_name = args
            .iter()
            .find(|arg| matches!(arg.kind, ArgKind::Named(name) if limits.carries(bound, facts.str(name))));
        let plain = || args.iter().take_while(|arg| arg.kind == ArgKind::Positional);
        if let Some(arg) = by_name.or_else(|| at.and_then(|at| plain().nth(at))) {
            let is_other =
                matches!(arg.kind, ArgKind::Named(name) if limits.is_in_other_unit(facts.str(name)));
            return match self.value(func, arg.value, bound, MAX_HOPS) {
                Given::Excessive if is_other => Given::Yes,
                given => given,
            };
        }
        let spread = args.iter().filter(|arg| arg.kind == ArgKind::SpreadNamed);
        spread.map(|arg| self.unpacked(func, arg.value, bound)).min().unwrap_or(Given::No)
    }

    /// `**options`: what is known to be in it, or what callers have put there by name.
    fn unpacked(&self, func: Func, value: ExprId, bound: Bound) -> Given {
        let (owner, record) = self.program.bound(func, value);
        let facts = self.facts(owner);
        let Expr::Record(entries) = *facts.expr(record) else { return self.collected(func, value, bound) };
        for entry in facts.list(entries) {
            let EntryKey::Expr(key) = entry.key else { return Given::Unknown };
            let is_meant = |key: &str| self.catalog.limits.carries(bound, key);
            if self.program.text(owner, key).is_some_and(|key| is_meant(&key)) {
                return self.value(owner, entry.value, bound, MAX_HOPS);
            }
        }
        Given::No
    }

    /// What callers have put into `**options` by name; that they have not proves nothing.
    fn collected(&self, func: Func, value: ExprId, bound: Bound) -> Given {
        let Expr::Var(var) = *self.facts(func).expr(value) else { return Given::Unknown };
        let Some((owner, at)) = self.program.parameter_of(self.program.slot_of(func, var)) else {
            return Given::Unknown;
        };
        let Some((_, callers)) = self.reached.get(&owner).filter(|(_, callers)| !callers.is_empty()) else {
            return Given::Unknown;
        };
        let is_given = |edge: &&crate::link::Edge| {
            let facts = self.program.facts(edge.at.file);
            self.program.arguments(edge).into_iter().any(|(passed, value)| match passed {
                Passed::KeywordRest(position, name) if position == at => {
                    self.catalog.limits.carries(bound, facts.str(name))
                        && self.value(edge.from, value, bound, MAX_HOPS) == Given::Yes
                }
                _ => false,
            })
        };
        if callers.iter().all(is_given) { Given::Yes } else { Given::Unknown }
    }

    /// Whether a value is one at all.
    pub(super) fn value(&self, func: Func, value: ExprId, bound: Bound, hops: u32) -> Given {
        let Some(hops) = hops.checked_sub(1) else { return Given::Unknown };
        let facts = self.facts(func);
        if bound == Bound::Env && self.is_whole_environment(func, value) {
            return Given::No;
        }
        match *facts.expr(value) {
            Expr::Lit(Lit::None) => Given::No,
            Expr::Var(var) => {
                let slot = self.program.slot_of(func, var);
                let definitions: Vec<_> = self.program.definitions(slot).collect();
                if let Some((owner, at)) = self.program.parameter_of(slot).filter(|_| definitions.is_empty())
                {
                    return self.parameter(owner, at, bound, hops);
                }
                let each =
                    definitions.into_iter().map(|(owner, value)| self.value(owner, value, bound, hops));
                each.min().unwrap_or(Given::Yes)
            }
            Expr::Any(parts) => {
                let each = facts.list(parts).iter().map(|&part| self.value(func, part, bound, hops));
                each.min().unwrap_or(Given::Unknown)
            }
            Expr::If { arms, otherwise } => {
                let arms = facts.list(arms).iter().map(|arm| arm.body).chain(otherwise);
                arms.map(|arm| self.value(func, arm, bound, hops)).max().unwrap_or(Given::Unknown)
            }
            Expr::Block(parts) => match facts.list(parts).last() {
                Some(&last) => self.value(func, last, bound, hops),
                None => Given::Unknown,
            },
            Expr::Ascribe { value: Some(value), .. } | Expr::Await(value) => {
                self.value(func, value, bound, hops)
            }
            Expr::Field { base, name } => self.attribute(func, value, base, facts.str(name), bound, hops),
            Expr::Free(_) => match self.program.bound(func, value) {
                bound_to if bound_to == (func, value) => Given::Yes,
                (owner, bound_to) => self.value(owner, bound_to, bound, hops),
            },
            _ if bound == Bound::Timeout => self.length(func, value, hops),
            _ => Given::Yes,
        }
    }

    /// What callers hand over, or else the default.
    fn parameter(&self, func: Func, at: u32, bound: Bound, hops: u32) -> Given {
        let facts = self.facts(func);
        let Some(param) = facts.list(self.program.ir(func).params).get(at as usize) else {
            return Given::Unknown;
        };
        let around = self.program.ir(func).parent;
        let default = || param.default.map_or(Given::Yes, |default| self.value(around, default, bound, hops));
        let callers = self.reached.get(&func).map_or(&[][..], |(_, callers)| callers);
        let handed = callers.iter().map(|edge| {
            let mut spread = false;
            for (passed, value) in self.program.arguments(edge) {
                match passed {
                    Passed::Param(position) if position == at => {
                        return self.value(edge.from, value, bound, hops);
                    }
                    Passed::SpreadFrom(_) | Passed::SpreadNamed => spread = true,
                    _ => {}
                }
            }
            if spread { Given::Unknown } else { default() }
        });
        handed.max().unwrap_or_else(default)
    }

    /// `self.timeout`: what methods store there and what the class body says.
    fn attribute(
        &self,
        func: Func,
        whole: ExprId,
        base: ExprId,
        name: &str,
        bound: Bound,
        hops: u32,
    ) -> Given {
        let Some(class) = self.program.own_class(func, base) else {
            let (owner, value) = self.program.bound(func, whole);
            let is_none = matches!(self.facts(owner).expr(value), Expr::Lit(Lit::None));
            return if is_none { Given::No } else { Given::Yes };
        };
        let class = self.class.filter(|own| self.program.inherits(*own, class)).unwrap_or(class);
        let stored = self.kept(class, name);
        let each = stored.into_iter().map(|(owner, value)| self.value(owner, value, bound, hops));
        each.min().unwrap_or(Given::Unknown)
    }

    /// What an attribute of a class's objects is made to be.
    fn kept(&self, class: Cls, name: &str) -> Vec<(Func, ExprId)> {
        for &ancestor in self.program.lineage(class) {
            let stored = self.program.stored(ancestor, name);
            let found: Vec<_> = stored.chain(self.program.declared(ancestor, name)).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// What the object says on which the call is made: `httpx.Client(timeout=10).get(url)`.
    pub(super) fn of_object(&self, func: Func, call: ExprId, bound: Bound) -> Given {
        let facts = self.facts(func);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return Given::No };
        let Expr::Field { base, .. } = *facts.expr(callee) else { return Given::No };
        if self.program.library_path(func, callee).is_some() {
            return Given::No;
        }
        let makers = self.makers(func, base, MAX_HOPS);
        if makers.is_empty() {
            return Given::Unknown;
        }
        let each = makers.into_iter().map(|(owner, maker)| {
            let facts = self.facts(owner);
            let Expr::Call { args, .. } = *facts.expr(maker) else { return Given::Unknown };
            self.argument(owner, facts, facts.list(args), bound, None)
        });
        each.max().unwrap_or(Given::Unknown)
    }

    /// What was bound to the callee before: `get = partial(session.get, timeout=10)`.
    pub(super) fn bound_before(&self, func: Func, call: ExprId, bound: Bound) -> Given {
        let Expr::Call { callee, .. } = *self.facts(func).expr(call) else { return Given::No };
        let prepared = self.makers(func, callee, MAX_HOPS).into_iter().filter_map(|(owner, maker)| {
            let facts = self.facts(owner);
            let Expr::Call { args, .. } = *facts.expr(maker) else { return None };
            let is_prepared = self.result(owner, maker) == Some(CallbackResult::Callable);
            is_prepared.then(|| self.argument(owner, facts, facts.list(args), bound, None))
        });
        prepared.max().unwrap_or(Given::No)
    }

    /// What a library's function makes of a callable or an object that it is given.
    fn result(&self, func: Func, call: ExprId) -> Option<CallbackResult> {
        let edges = self.program.edges_at(func, call).iter();
        let mut paths = edges.filter_map(|edge| match edge.to {
            Target::External(path) => Some(self.program.path(path)),
            Target::Project(_) => None,
        });
        paths.find_map(|path| self.catalog.callback(self.catalog.callback_of(path)?).result)
    }

    /// The calls that make an object.
    pub(super) fn makers(&self, func: Func, object: ExprId, hops: u32) -> Vec<(Func, ExprId)> {
        let Some(hops) = hops.checked_sub(1) else { return Vec::new() };
        let facts = self.facts(func);
        let of = |(owner, value)| self.makers(owner, value, hops);
        match *facts.expr(object) {
            Expr::Call { args, .. } => {
                // `closing(HTTPSConnection(host, timeout=10))`
                if self.result(func, object) == Some(CallbackResult::Argument) {
                    return facts.list(args).first().map_or_else(Vec::new, |first| of((func, first.value)));
                }
                let made = self.program.edges_at(func, object).iter().filter_map(|edge| match edge.to {
                    Target::Project(maker) if !implicit::is_implicit(self.program, maker) => Some(maker),
                    _ => None,
                });
                let made: Vec<Func> = made.collect();
                if made.is_empty() {
                    return vec![(func, object)];
                }
                made.into_iter()
                    .flat_map(|maker| self.program.returns(maker).map(move |value| (maker, value)))
                    .flat_map(of)
                    .collect()
            }
            // A match takes it out of its result: `builder.build()?`.
            Expr::Await(inner)
            | Expr::Ascribe { value: Some(inner), .. }
            | Expr::Match { subject: inner, .. } => of((func, inner)),
            Expr::Any(parts) => facts.list(parts).last().map_or_else(Vec::new, |&last| of((func, last))),
            Expr::Var(var) => {
                let entered = self.entered(func, object);
                if !entered.is_empty() {
                    return entered.into_iter().flat_map(of).collect();
                }
                let slot = self.program.slot_of(func, var);
                if let Some((owner, at)) = self.program.parameter_of(slot) {
                    return self.handed(owner, at).into_iter().flat_map(of).collect();
                }
                self.program.definitions(slot).flat_map(of).collect()
            }
            Expr::Field { base, name } => match self.program.own_class(func, base) {
                Some(class) => self.kept(class, facts.str(name)).into_iter().flat_map(of).collect(),
                None => Vec::new(),
            },
            Expr::Free(_) => {
                let bound = self.program.bound(func, object);
                if bound == (func, object) { Vec::new() } else { of(bound) }
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn handed(&self, func: Func, at: u32) -> Vec<(Func, ExprId)> {
        let callers = self.reached.get(&func).map_or(&[][..], |(_, callers)| callers);
        let handed = callers.iter().flat_map(|edge| {
            let passed = self.program.arguments(edge).into_iter();
            passed.filter(|(passed, _)| *passed == Passed::Param(at)).map(|(_, value)| (edge.from, value))
        });
        handed.collect()
    }

    /// What a `with` binds to a variable.
    fn entered(&self, func: Func, variable: ExprId) -> Vec<(Func, ExprId)> {
        let Some(wanted) = self.program.variable(func, variable) else { return Vec::new() };
        let facts = self.facts(wanted.func);
        let contexts = self.program.ir(wanted.func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::With { context, pat: Some(pat), .. } => {
                matches!(*facts.pat(pat), Pat::Var(var) if var == wanted.var).then_some(context)
            }
            _ => None,
        });
        contexts.map(|context| (wanted.func, context)).collect()
    }

    /// Whether something around the call ends what takes too long; or, for a process, the call that waits for it.
    pub(super) fn ended(&self, func: Func, call: ExprId, is_waited: bool) -> Given {
        let around = self.ended_around(func, call, MAX_HOPS);
        if around == Given::Yes || self.has_default {
            return Given::Yes;
        }
        if !is_waited {
            return around;
        }
        let facts = self.facts(func);
        let waits = self.program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Call { callee, args, .. } => match *facts.expr(callee) {
                Expr::Field { name, .. } if self.catalog.limits.waits(facts.str(name)) => {
                    Some((expr, facts.list(args)))
                }
                _ => None,
            },
            _ => None,
        });
        let each = waits.map(|(wait, args)| match self.ended_around(func, wait, MAX_HOPS) {
            Given::Yes => Given::Yes,
            _ => self.argument(func, facts, args, Bound::Timeout, None),
        });
        each.min().unwrap_or(Given::Unknown)
    }

    /// What `asyncio.wait_for(…)` or `async with asyncio.timeout(…)` says, here or wherever the function is called.
    fn ended_around(&self, func: Func, call: ExprId, hops: u32) -> Given {
        let Some(hops) = hops.checked_sub(1) else { return Given::No };
        let at = self.facts(func).span(call);
        let endings = self.endings(func);
        let around = endings.iter().filter(|ending| ending.by != call && holds(ending.span, at));
        let around = around.map(|ending| ending.given).min().unwrap_or(Given::No);
        if around == Given::Yes { around } else { around.min(self.ended_outside(func, hops)) }
    }

    /// What all callers of a function say; one that says nothing is enough.
    fn ended_outside(&self, func: Func, hops: u32) -> Given {
        let callers = self.reached.get(&func).map_or(&[][..], |(_, callers)| callers);
        let mut least = None;
        for edge in callers {
            let given = match edge.from == func {
                true => Given::No,
                false => self.ended_around(edge.from, edge.at.expr, hops),
            };
            if given == Given::No {
                return given;
            }
            least = least.max(Some(given));
        }
        least.unwrap_or(Given::No)
    }

    /// What in a function ends whatever takes too long inside it.
    fn endings(&self, func: Func) -> Rc<[Ending]> {
        if let Some(known) = self.endings.borrow().get(&func) {
            return Rc::clone(known);
        }
        let facts = self.facts(func);
        let ending = |by: ExprId| {
            let (ends, inside) = match *facts.expr(by) {
                Expr::Call { .. } => (by, by),
                Expr::With { context, body, .. } => (context, body),
                _ => return None,
            };
            let (callee, args) = match *facts.expr(ends) {
                Expr::Call { callee, args, .. } => (callee, facts.list(args)),
                _ => (ends, &[][..]),
            };
            let ends =
                self.program.library_path(func, callee).is_some_and(|path| self.catalog.limits.ends(path));
            ends.then(|| Ending { by, span: facts.span(inside), given: self.ends_after(func, args) })
        };
        let found: Rc<[Ending]> = self.program.ir(func).exprs.iter().filter_map(ending).collect();
        self.endings.borrow_mut().insert(func, Rc::clone(&found));
        found
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.lo <= inner.lo && inner.hi <= outer.hi
}
