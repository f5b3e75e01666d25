//! What bounds the processes and connections of an operation: which working directory, environment and timeout reach the
//! call that starts them. Values are followed through parameters, attributes and the objects on which a call is made; what
//! nobody can see is said to be unknown.

mod address;
mod built;
mod environment;
mod given;
mod length;

use std::cell::RefCell;
use std::rc::Rc;

use given::Ending;
use rustc_hash::FxHashMap;

use super::effects::{EffectSite, Effects};
use crate::catalog::{Bound, Catalog, EffectKind};
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Facts};
use crate::link::{Cls, Edge, EdgeKind, Func, PathId, Program, Receiver, Target};

/// Functions between a handler and what it starts; more is not looked at.
const MAX_FUNCTIONS: usize = 2_000;

/// Whether a bound reaches a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Given {
    Yes,
    Unknown,
    /// It is there, and bounds nothing: a timeout of hours.
    Excessive,
    No,
}

/// One bound of one call.
#[derive(Clone, Debug)]
pub struct Bounded<'e> {
    pub site: &'e EffectSite,
    pub bound: Bound,
    pub given: Given,
    pub confidence: Confidence,
}

/// The calls of an operation, and who makes them.
struct Calls<'c, 'a> {
    program: &'c Program<'a>,
    catalog: &'c Catalog,
    handler: Func,
    class: Option<Cls>,
    /// How surely a function is reached, and by which calls.
    reached: FxHashMap<Func, (Confidence, Vec<&'c Edge>)>,
    /// Every connection has a timeout.
    has_default: bool,
    /// By function, what ends the calls inside it.
    endings: RefCell<FxHashMap<Func, Rc<[Ending]>>>,
}

/// `socket.setdefaulttimeout(10)`, anywhere.
pub fn gives_default_timeout(program: &Program<'_>, catalog: &Catalog) -> bool {
    let mut paths: Vec<PathId> = program
        .edges
        .iter()
        .filter_map(|edge| match edge.to {
            Target::External(path) => Some(path),
            Target::Project(_) => None,
        })
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().any(|path| catalog.limits.is_default(program.path(path)))
}

/// The bounds that `wanted` asks of each kind of effect, for every call that the handler leads to, and whether those are all.
/// `enters` says into which functions the operation is followed; `has_default` is `gives_default_timeout`.
pub fn bounds<'e>(
    program: &Program<'_>,
    catalog: &Catalog,
    effects: &'e Effects,
    (handler, class): (Func, Option<Cls>),
    (wanted, has_default): (&[(EffectKind, Vec<Bound>)], bool),
    enters: impl Fn(Func) -> bool,
) -> (Vec<Bounded<'e>>, bool) {
    let (reached, endings) = Default::default();
    let mut calls = Calls { program, catalog, handler, class, reached, has_default, endings };
    let order = calls.follow(enters);
    let is_all = order.len() <= MAX_FUNCTIONS;
    let mut found = Vec::new();
    for func in order {
        let sites = &effects.sites;
        let start = sites.partition_point(|site| site.from < func);
        let own = sites[start..].iter().take_while(|site| site.from == func);
        for site in own.filter(|site| site.runs && site.confidence > Confidence::Low) {
            let asked = wanted.iter().filter(|(kind, _)| site.kind == Some(*kind));
            for &bound in asked.flat_map(|(_, bounds)| bounds) {
                let (given, sure) = match bound {
                    Bound::Https => calls.leads_plainly(site).map(|sure| (Given::No, sure)).unzip(),
                    _ => (calls.given(site, bound), None),
                };
                let confidence = sure.unwrap_or(Confidence::High).min(site.confidence);
                found.extend(given.map(|given| Bounded { site, bound, given, confidence }));
            }
        }
    }
    (found, is_all)
}

impl<'c> Calls<'c, '_> {
    /// The functions that the operation runs, in the order in which they are met.
    fn follow(&mut self, enters: impl Fn(Func) -> bool) -> Vec<Func> {
        let program = self.program;
        self.reached.insert(self.handler, (Confidence::High, Vec::new()));
        let (mut order, mut at) = (vec![self.handler], 0);
        while at < order.len().min(MAX_FUNCTIONS) {
            let func = order[at];
            at += 1;
            let sure = self.reached[&func].0;
            for edge in program.edges_from(func) {
                let Target::Project(target) = edge.to else { continue };
                if edge.kind == EdgeKind::Stored || !self.is_meant(edge, target) || !enters(target) {
                    continue;
                }
                let class = self.class;
                let known = self.reached.entry(target).or_insert_with(|| {
                    order.push(target);
                    // Which of several methods is meant is known where the object is.
                    let is_own = edge.receiver == Receiver::SameDispatched && class.is_some();
                    let known = if is_own { Confidence::High } else { edge.confidence };
                    (known.min(sure), Vec::new())
                });
                known.1.push(edge);
            }
        }
        order
    }

    /// True unless the object of the operation has another method there.
    fn is_meant(&self, edge: &Edge, target: Func) -> bool {
        match (edge.receiver, self.class) {
            (Receiver::SameDispatched, Some(class)) => self.program.is_method_of(target, class),
            _ => true,
        }
    }

    /// Whether a bound reaches a call; `None` if nobody asks it of this call.
    fn given(&self, site: &EffectSite, bound: Bound) -> Option<Given> {
        let limits = &self.catalog.limits;
        let limit = limits.of(&site.callee);
        if limit.is_some_and(|limit| limit.exempt) {
            return None;
        }
        let Some((call, args)) = self.call(site) else { return Some(Given::Unknown) };
        let facts = self.facts(site.from);
        let at = limit.and_then(|limit| limit.timeout_at).filter(|_| bound == Bound::Timeout);
        let mut given = match limit.is_some_and(|limit| limit.never.contains(&bound)) {
            true => Given::No,
            false => self.argument(site.from, facts, args, bound, at),
        };
        // What the call says itself is not what the object says.
        let is_said = given == Given::Excessive;
        if given != Given::Yes && !is_said && site.kind == Some(EffectKind::Network) {
            given = given.min(self.of_object(site.from, call, bound));
        }
        if given != Given::Yes && !is_said {
            given = given.min(self.built(site.from, call, bound));
        }
        if given != Given::Yes && !is_said {
            given = given.min(self.bound_before(site.from, call, bound));
        }
        if given == Given::Excessive && limit.is_some_and(|limit| limit.other_unit) {
            given = Given::Yes;
        }
        if given != Given::Yes && bound == Bound::Timeout {
            let waited = limit.is_some_and(|limit| limit.waited);
            given = given.min(self.ended(site.from, call, waited));
        }
        // One of several that may be meant.
        let sure = self.reached.get(&site.from).map_or(Confidence::High, |(sure, _)| *sure);
        let is_sure = sure == Confidence::High && site.confidence > Confidence::Low;
        Some(if given >= Given::Excessive && !is_sure { Given::Unknown } else { given })
    }

    fn facts(&self, func: Func) -> &'c Facts {
        self.program.facts(self.program.function(func).file)
    }

    /// The call, or the one that is handed what has the effect: `to_thread(requests.get, url, timeout=5)`.
    fn call(&self, site: &EffectSite) -> Option<(ExprId, &'c [Arg])> {
        let facts = self.facts(site.from);
        if let Expr::Call { args, .. } = *facts.expr(site.at.expr) {
            return Some((site.at.expr, facts.list(args)));
        }
        self.program.ir(site.from).exprs.iter().find_map(|expr| match *facts.expr(expr) {
            Expr::Call { args, .. } => {
                let args = facts.list(args);
                args.iter().any(|arg| arg.value == site.at.expr).then_some((expr, args))
            }
            _ => None,
        })
    }
}
