//! Effect sites: the calls that touch the outside world, and what kind of touch it is.

use std::collections::HashMap;

use hashbrown::DefaultHashBuilder;
use rustc_hash::FxHashMap;

use super::statement;
use crate::catalog::{Access, ArgumentTest, Catalog, Effect, EffectId, EffectKind};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Lit};
use crate::link::{At, CallSite, EdgeKind, Func, Known, Program, ReceiverName, Resolution, Target, argument};

/// One expression with one effect, or of a path that a rule names: a call, or a callable that is handed over to be called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EffectSite {
    pub from: Func,
    pub at: At,
    /// None where a rule names the path.
    pub kind: Option<EffectKind>,
    pub confidence: Confidence,
    /// The author of this line reached for the effect; a function that was handed over is called by somebody else.
    pub is_author: bool,
    /// What a call does to storage, as far as it tells.
    pub access: Option<Access>,
    /// The effect runs when the function runs; a callable that is only kept does not.
    pub runs: bool,
    /// The path it is given, where that makes it an effect.
    pub place: Option<String>,
    /// What is called, as a reader knows it: `requests.get`.
    pub callee: String,
}

/// All effect sites of a program.
#[derive(Debug, Default)]
pub struct Effects {
    /// Sorted by function and place; at most one per place and kind.
    pub sites: Vec<EffectSite>,
    /// Calls that are comm operations: the call graph does not look behind them.
    comm_calls: FxHashMap<At, Confidence>,
}

impl Effects {
    pub fn find(program: &Program<'_>, catalog: &Catalog) -> Self {
        let mut finder = Finder {
            program,
            catalog,
            sites: Vec::new(),
            callee_effects: FxHashMap::default(),
            callee_names: HashMap::default(),
        };
        finder.edges();
        finder.dispatchers();
        finder.calls();
        let mut sites = finder.sites;
        // The best evidence first, so that it is the one kept.
        sites.sort_unstable_by(|a, b| {
            (a.from, a.at, a.kind, std::cmp::Reverse(a.confidence), &a.callee).cmp(&(
                b.from,
                b.at,
                b.kind,
                std::cmp::Reverse(b.confidence),
                &b.callee,
            ))
        });
        sites.dedup_by(|later, first| (later.at, later.kind) == (first.at, first.kind));
        let comm_calls = sites.iter().filter(|site| site.kind == Some(EffectKind::Comm));
        let comm_calls = comm_calls.map(|site| (site.at, site.confidence)).collect();
        Self { sites, comm_calls }
    }

    pub fn is_comm_call(&self, at: At) -> bool {
        self.comm_calls.contains_key(&at)
    }

    /// How sure it is that a call is a comm operation.
    pub fn comm_call(&self, at: At) -> Option<Confidence> {
        self.comm_calls.get(&at).copied()
    }

    pub fn of_kinds<'e>(&'e self, kinds: &'e [EffectKind]) -> impl Iterator<Item = &'e EffectSite> + 'e {
        self.sites.iter().filter(|site| site.kind.is_some_and(|kind| kinds.contains(&kind)))
    }
}

struct Finder<'p, 'a> {
    program: &'p Program<'a>,
    catalog: &'p Catalog,
    sites: Vec<EffectSite>,
    /// What the catalogue says of a path, looked up once.
    callee_effects: FxHashMap<Target, Vec<EffectId>>,
    callee_names: HashMap<Box<str>, bool, DefaultHashBuilder>,
}

impl Finder<'_, '_> {
    fn edges(&mut self) {
        for edge in &self.program.edges {
            let is_kept_project_function =
                edge.kind == EdgeKind::Stored && matches!(edge.to, Target::Project(_));
            if is_kept_project_function {
                continue;
            }
            for id in self.effects_of(edge.to) {
                let effect = self.catalog.effect(id);
                // An instance is named like its constructor, and a client handed on was opened before.
                if effect.access == Some(Access::Open) && edge.kind != EdgeKind::Call {
                    continue;
                }
                let decided = match (&effect.argument, edge.kind) {
                    (Some(test), EdgeKind::Call) => self.decide(edge.from, edge.at, test),
                    // Whoever runs it chooses the path.
                    (Some(test), _) if test.outside => None,
                    _ => Some(Confidence::High),
                };
                if let Some(decided) = decided {
                    let confidence = effect.confidence.min(edge.confidence).min(decided);
                    let callee = self.program.target_name(edge.to);
                    self.sites.push(EffectSite {
                        from: edge.from,
                        at: edge.at,
                        kind: Some(effect.kind),
                        confidence,
                        is_author: edge.kind != EdgeKind::CallHanded,
                        access: self.access(edge.from, edge.at, effect),
                        place: self.place(edge.from, edge.at, effect),
                        runs: edge.kind != EdgeKind::Stored,
                        callee,
                    });
                }
            }
        }
    }

    /// The dispatcher under another name: the target's last name counts like the spelled one.
    fn dispatchers(&mut self) {
        // Hundreds of edges lead to one target, and few targets dispatch.
        let mut dispatches: FxHashMap<Target, Option<String>> = FxHashMap::default();
        for edge in self.program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let name = dispatches.entry(edge.to).or_insert_with(|| self.dispatcher_name(edge.to));
            let Some(name) = name.clone() else { continue };
            let facts = self.program.facts(edge.at.file);
            let Expr::Call { args, .. } = *facts.expr(edge.at.expr) else { continue };
            self.by_argument(edge.from, edge.at, &name, facts.list(args));
        }
    }

    /// The last name of a target, if calls of that name are decided by an argument.
    fn dispatcher_name(&self, target: Target) -> Option<String> {
        let name = match target {
            Target::Project(func) => self.program.name(func).to_owned(),
            Target::External(path) => self.program.path(path).rsplit('.').next()?.to_owned(),
        };
        let dispatches = self.catalog.callee_effects(&name).next().is_some();
        dispatches.then_some(name)
    }

    /// The project's own functions can be comm operations and nothing else: a project module shadows a library's name.
    fn effects_of(&mut self, target: Target) -> Vec<EffectId> {
        if let Some(ids) = self.callee_effects.get(&target) {
            return ids.clone();
        }
        let path = match target {
            Target::External(path) => self.program.path(path),
            Target::Project(func) => (*self.program.function(func).path).into(),
        };
        let is_own = matches!(target, Target::Project(_));
        let counts = |id: &EffectId| !is_own || self.catalog.effect(*id).kind == EffectKind::Comm;
        let ids: Vec<EffectId> = match self.catalog.audit.matches(&path) {
            true => Vec::new(),
            false => self.catalog.call_effects(&path).filter(counts).collect(),
        };
        self.callee_effects.insert(target, ids.clone());
        ids
    }

    /// Effects that a name or an argument decides, whatever the call resolved to.
    fn calls(&mut self) {
        for &call in &self.program.calls {
            let facts = self.program.facts(call.at.file);
            let Expr::Call { callee, args, .. } = *facts.expr(call.at.expr) else { continue };
            let Some(ReceiverName { name, .. }) = self.program.receiver_name(call.from, callee) else {
                continue;
            };
            self.by_argument(call.from, call.at, name, facts.list(args));
            if matches!(call.resolution, Resolution::Unresolved | Resolution::LikelyBuiltin) {
                self.by_name(call, callee, name);
            }
        }
    }

    /// Thousands of calls have the same few names.
    fn decides_by_argument(&mut self, name: &str) -> bool {
        if let Some(&known) = self.callee_names.get(name) {
            return known;
        }
        let decides = self.catalog.callee_effects(name).next().is_some();
        self.callee_names.insert(name.into(), decides);
        decides
    }

    fn by_argument(&mut self, from: Func, at: At, name: &str, args: &[Arg]) {
        if args.is_empty() || !self.decides_by_argument(name) {
            return;
        }
        for id in self.catalog.callee_effects(name) {
            let effect = self.catalog.effect(id);
            let Some(test) = &effect.argument else { continue };
            if self.decide(from, at, test).is_some() {
                let callee = self.command(from, at, test).unwrap_or_else(|| name.to_owned());
                self.add(from, at, effect, effect.confidence, callee);
            }
        }
    }

    /// The constant command, as far as it is known and one word.
    fn command(&self, from: Func, at: At, test: &ArgumentTest) -> Option<String> {
        let facts = self.program.facts(at.file);
        let Expr::Call { args, .. } = *facts.expr(at.expr) else { return None };
        let value = argument(facts, facts.list(args), test.index, test.name.as_deref())?;
        let known = self.program.constant(from, value)?;
        known.text.split_whitespace().next().map(str::to_owned)
    }

    fn by_name(&mut self, call: CallSite, callee: ExprId, name: &str) {
        let facts = self.program.facts(call.at.file);
        let Expr::Field { base, .. } = *facts.expr(callee) else { return };
        let Some(receiver) = self.program.receiver_name(call.from, base) else { return };
        let spelled = format!("{}.{name}", receiver.name);
        for id in self.catalog.name_effects(&spelled, receiver.is_open_parameter) {
            let effect = self.catalog.effect(id);
            let confidence = effect.confidence.min(Confidence::Medium);
            self.add(call.from, call.at, effect, confidence, spelled.clone());
        }
    }

    /// How sure it is that the call's argument makes it the effect; `None` if it does not.
    fn decide(&self, func: Func, at: At, test: &ArgumentTest) -> Option<Confidence> {
        let facts = self.program.facts(at.file);
        let Expr::Call { callee, args, .. } = *facts.expr(at.expr) else { return Some(Confidence::High) };
        let args = facts.list(args);
        if test.outside {
            let path = given_path(facts, callee, args, test);
            let leads_out = |start: &str| self.catalog.workspace.is_left_by(start);
            return path.and_then(|path| self.program.leads_outside(func, path, leads_out));
        }
        let unpacked = args.iter().any(|arg| matches!(arg.kind, ArgKind::Spread | ArgKind::SpreadNamed));
        let value = argument(facts, args, test.index, test.name.as_deref());
        let given = value.is_some_and(|value| !matches!(facts.expr(value), Expr::Lit(Lit::None)));
        if test.present.is_some_and(|present| present != (given || unpacked)) {
            return None;
        }
        let known = value.and_then(|value| self.program.constant(func, value));
        if test.string.is_some_and(|string| string != known.is_some()) {
            return None;
        }
        let starts = |known: &Known| test.starts.iter().any(|start| known.text.starts_with(start.as_str()));
        match known {
            Some(known) if known.whole && test.not.contains(&known.text) => None,
            Some(known) if !test.starts.is_empty() => starts(&known).then_some(Confidence::High),
            None if !test.starts.is_empty() => None,
            None if !test.not.is_empty() => Some(Confidence::Low),
            _ => Some(Confidence::High),
        }
    }

    /// The constant beginning of the path that leads out of the workspace.
    fn place(&self, func: Func, at: At, effect: &Effect) -> Option<String> {
        let test = effect.argument.as_ref().filter(|test| test.outside)?;
        let facts = self.program.facts(at.file);
        let Expr::Call { callee, args, .. } = *facts.expr(at.expr) else { return None };
        let path = given_path(facts, callee, facts.list(args), test)?;
        let mut places = self.program.possible(func, path).list.into_iter();
        places.find(|known| self.catalog.workspace.is_left_by(&known.text)).map(|known| known.text)
    }

    /// What the call does to storage: its own name tells, or the statement it is given.
    fn access(&self, func: Func, at: At, effect: &Effect) -> Option<Access> {
        if effect.access != Some(Access::Sql) {
            return effect.access;
        }
        let test = effect.argument.as_ref()?;
        let facts = self.program.facts(at.file);
        let Expr::Call { args, .. } = *facts.expr(at.expr) else { return None };
        let value = argument(facts, facts.list(args), test.index, test.name.as_deref())?;
        statement::access(self.program, func, value)
    }

    fn add(&mut self, from: Func, at: At, effect: &Effect, confidence: Confidence, callee: String) {
        let access = self.access(from, at, effect);
        let kind = Some(effect.kind);
        self.sites.push(EffectSite {
            from,
            at,
            kind,
            confidence,
            is_author: true,
            access,
            place: None,
            runs: true,
            callee,
        });
    }
}

/// The path that a call is given; what is relative to an open folder (`dir_fd`) leads nowhere known.
fn given_path(facts: &Facts, callee: ExprId, args: &[Arg], test: &ArgumentTest) -> Option<ExprId> {
    if argument(facts, args, None, Some("dir_fd")).is_some() {
        return None;
    }
    match *facts.expr(callee) {
        Expr::Field { base, .. } if test.receiver => Some(base),
        _ => argument(facts, args, test.index, test.name.as_deref()),
    }
}
