//! From the bodies of functions to the graph: each expression is read once, children before parents.

mod alphabets;
mod bound;
mod calls;
mod closed;
mod elements;
mod fields;
mod files;
mod flags;
mod gathered;
mod handed;
mod harmless;
mod joined;
mod matched;
mod origins;
mod patterns;
mod proof;
mod proofs;
mod quantified;
mod sanitized;
mod stores;
mod switches;
mod tables;
mod tested;
mod texts;
mod values;
mod words;
mod wrapped;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Flow, Graph, Node, Site, Step, Way};
use super::paths::Key;
use super::places::Places;
use super::ranges::Ranges;
use crate::analysis::effects::Effects;
use crate::catalog::{BUILTINS, Catalog, EffectKind, Purposes};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, Lit, Param, Pat, VarId};
use crate::link::{At, Edge, Func, Program, Target};
use crate::parallel;
use bound::Given;
use fields::FieldRead;
use handed::{ByParameter, Handed};
use harmless::Harmless;
pub(super) use tested::Helpers;
use tested::{Known, Tests};
pub(super) use wrapped::checked_around;

/// The graph of a program, with what its nodes stand for.
#[derive(Debug, Default)]
pub struct Lowered {
    pub graph: Graph,
    pub places: Places,
}

/// Reads one function after the other.
struct Lower<'l, 'p> {
    program: &'l Program<'p>,
    catalog: &'l Catalog,
    /// Calls whose results are made elsewhere, and not of what they are given.
    outside: &'l FxHashMap<At, EffectKind>,
    places: Places,
    flows: Vec<Flow>,
    sites: u32,
    func: Func,
    facts: &'l Facts,
    /// Parameters by the variable that they are.
    params: FxHashMap<VarId, u32>,
    /// Variables of functions around, by the own variable that stands for them.
    captured: FxHashMap<VarId, VarId>,
    /// Attributes of own objects that methods read.
    field_reads: Vec<FieldRead>,
    /// Expressions that something is put into.
    written: FxHashSet<ExprId>,
    /// Reads of variables that carry nothing any more.
    proven: Harmless,
    helpers: Helpers,
    /// Parts of variables, and among which reads of the whole they are harmless.
    parts: Vec<(Node, Key, Purposes, Ranges<Node>)>,
    /// Functions that parameters are given.
    handed_to: ByParameter<Handed>,
    /// Calls of parameters, by the functions that they stand in.
    parameter_calls: ByParameter<(Func, ExprId)>,
}

/// The value-flow graph of a program without its tests.
pub fn lower(program: &Program<'_>, catalog: &Catalog, effects: &Effects) -> Lowered {
    let outside = effects.sites.iter().filter_map(|site| Some((site.at, site.kind?))).collect();
    if program.functions.is_empty() {
        return Lowered::default();
    }
    let (places, known) = (Places::new(program), Known::default());
    let empty = || Lower::new((program, catalog), &outside, places.without_others(), Helpers::of(&known));
    let read = parallel::map_in_turn(&gathered::chunks(program), |chunk| empty().read(chunk));
    let mut lower = empty();
    read.into_iter().for_each(|chunk| lower.gather(chunk));
    lower.call_parameters();
    lower.share_fields();
    let mut graph = Graph::new(lower.places.count(), lower.flows);
    lower.parts.into_iter().for_each(|(var, part, purposes, reads)| graph.prove(var, part, purposes, reads));
    Lowered { graph, places: lower.places }
}

impl<'l, 'p> Lower<'l, 'p> {
    fn new(
        (program, catalog): (&'l Program<'p>, &'l Catalog),
        outside: &'l FxHashMap<At, EffectKind>,
        places: Places,
        helpers: Helpers,
    ) -> Self {
        Self {
            program,
            catalog,
            outside,
            places,
            flows: Vec::new(),
            sites: 0,
            func: Func(0),
            facts: program.facts(program.function(Func(0)).file),
            params: FxHashMap::default(),
            captured: FxHashMap::default(),
            field_reads: Vec::new(),
            written: FxHashSet::default(),
            proven: Harmless::default(),
            helpers,
            parts: Vec::new(),
            handed_to: ByParameter::default(),
            parameter_calls: ByParameter::default(),
        }
    }
}

impl Lower<'_, '_> {
    /// From here on, expressions are those of this function.
    fn enter_function(&mut self, func: Func) {
        self.func = func;
        self.facts = self.program.facts(self.program.function(func).file);
        self.params.clear();
        self.written.clear();
        let captures = self.facts.list(self.program.ir(func).captures);
        self.captured = captures.iter().map(|it| (it.inner, it.outer)).collect();
        for (at, param) in (0..).zip(self.facts.list(self.program.ir(func).params)) {
            if let Pat::Var(var) = *self.facts.pat(param.pat) {
                self.params.insert(var, at);
            }
        }
    }

    fn function(&mut self, func: Func) {
        let function = self.program.ir(func);
        self.enter_function(func);
        for (at, param) in (0..).zip(self.facts.list(function.params)) {
            self.parameter(at, *param);
        }
        for (inner, outer) in self.captured.clone() {
            let outer = self.places.var(self.program, function.parent, outer);
            let inner = self.var(inner);
            // A function inside belongs to the same call as the one around it.
            self.here(outer, inner, Step::Same);
        }
        let flags = self.helpers.switches.everywhere(self.program, func);
        let given = Given { flags, ..Given::default() };
        let tests = Tests::given(self.program, self.catalog, &self.helpers, func, given);
        let proven = Harmless::new(&tests.proofs());
        let dead: Ranges<ExprId> = tests.dead().into_iter().collect();
        self.proven = proven;
        self.prove_parts();
        let is_run = |expr: &ExprId| !dead.has(*expr);
        for expr in function.exprs.iter().filter(is_run) {
            self.expression(expr);
        }
        for expr in self.program.returns(func).filter(is_run).collect::<Vec<_>>() {
            let (from, to) = (self.expr(expr), self.places.returned(self.program, func));
            self.here(from, to, Step::Same);
        }
    }

    fn prove_parts(&mut self) {
        for (var, part, purposes, reads) in self.proven.parts() {
            let reads = reads.map(|read| self.places.expr(self.program, self.func, read));
            self.parts.push((self.places.var(self.program, self.func, var), part, purposes, reads));
        }
    }

    fn parameter(&mut self, at: u32, param: Param) {
        let node = self.places.param(self.program, self.func, at);
        self.bind(node, param.pat);
        // A default belongs to the function around.
        let parent = self.program.ir(self.func).parent;
        if let Some(default) = param.default {
            let from = self.places.expr(self.program, parent, default);
            self.shared(from, node);
        }
    }

    fn expr(&self, expr: ExprId) -> Node {
        self.places.expr(self.program, self.func, expr)
    }

    fn var(&self, var: VarId) -> Node {
        self.places.var(self.program, self.func, var)
    }

    fn here(&mut self, from: Node, to: Node, step: Step) {
        self.flow(from, to, step, Way::Here, Confidence::High);
    }

    fn shared(&mut self, from: Node, to: Node) {
        self.flow(from, to, Step::Same, Way::Shared, Confidence::High);
    }

    fn flow(&mut self, from: Node, to: Node, step: Step, way: Way, confidence: Confidence) {
        self.flows.push(Flow { from, to, step, way, confidence, clean: Purposes::default() });
    }

    /// What gets on here is harmless for some purposes.
    fn cleaned(&mut self, from: Node, to: Node, step: Step, clean: Purposes) {
        if clean != Purposes::ALL {
            let (way, confidence) = (Way::Here, Confidence::High);
            self.flows.push(Flow { from, to, step, way, confidence, clean });
        }
    }

    /// A part of one value becomes a part of another.
    fn moved(&mut self, from: Node, out_of: Key, to: Node, into: Key) {
        let between = self.places.between(self.func);
        self.here(from, between, Step::OutOf(out_of));
        self.here(between, to, Step::Into(into));
    }

    /// The path of what is called, if a library or the language has it.
    fn library(&self, callee: ExprId, edges: &[Edge]) -> Option<Cow<'_, str>> {
        library(self.program, self.func, callee, edges)
    }

    fn site(&mut self) -> Site {
        self.sites += 1;
        Site(self.sites)
    }

    /// The key that an index names.
    fn key(&self, key: ExprId) -> Key {
        match *self.facts.expr(key) {
            Expr::Lit(Lit::Str(text)) => Key::Name(text),
            Expr::Lit(Lit::Int(at)) => u32::try_from(at).map_or(Key::Each, Key::At),
            _ => Key::Any,
        }
    }
}

/// The path of what is called, if a library or the language has it.
fn library<'l>(program: &'l Program<'_>, func: Func, callee: ExprId, edges: &[Edge]) -> Option<Cow<'l, str>> {
    let external = edges.iter().find_map(|edge| match edge.to {
        Target::External(path) => Some(Cow::Borrowed(program.path(path))),
        Target::Project(_) => None,
    });
    let facts = program.facts(program.function(func).file);
    let named = || program.library_path(func, callee).map(Cow::Borrowed);
    external.or_else(named).or_else(|| match *facts.expr(callee) {
        Expr::Free(name) if program.variable(func, callee).is_none() => {
            Some(Cow::Owned(format!("{BUILTINS}{}", facts.str(name))))
        }
        _ => None,
    })
}
