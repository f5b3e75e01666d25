//! Effect sites: the calls that touch the outside world, and what kind of touch it is.

mod places;

use std::cmp::Reverse;
use std::collections::HashMap;

use hashbrown::DefaultHashBuilder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::statement;
use crate::catalog::{Access, ArgumentTest, Catalog, Effect, EffectId, EffectKind, NameSet};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, FnKind, Lit};
use crate::link::{
    At, CallSite, Edge, EdgeKind, Func, Known, Program, ReceiverName, Resolution, Target, argument,
};
use crate::parallel;

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

impl EffectSite {
    /// It brings internal data in: what the catalogue says does, and what reads a database.
    fn is_internal(&self) -> bool {
        match self.kind {
            None => true,
            Some(EffectKind::Storage) => matches!(self.access, None | Some(Access::Read)),
            Some(_) => false,
        }
    }
}

/// All effect sites of a program.
#[derive(Debug, Default)]
pub struct Effects {
    /// Sorted by function and place; at most one per place and kind.
    pub sites: Vec<EffectSite>,
    /// Calls that bring internal data into a session, in the same order.
    pub internal: Vec<EffectSite>,
    /// Calls that are comm operations: the call graph does not look behind them.
    comm_calls: FxHashMap<At, Confidence>,
}

impl Effects {
    pub fn find(program: &Program<'_>, catalog: &Catalog) -> Self {
        let finder = Finder { program, catalog, targets: targets(program, catalog) };
        let chunks: Vec<_> = program.calls.chunks(CALLS).collect();
        let (mut sites, by_name) = parallel::join(
            || parallel::flat_map(&program.edges, |edge| finder.edge(edge)),
            || parallel::flat_map(chunks, |calls| finder.calls(calls)),
        );
        sites.extend(by_name);
        // The best evidence first, so that it is the one kept.
        sites.sort_by(|a, b| {
            (a.from, a.at, a.kind, Reverse(a.confidence), &a.callee).cmp(&(
                b.from,
                b.at,
                b.kind,
                Reverse(b.confidence),
                &b.callee,
            ))
        });
        sites.dedup_by(|later, first| (later.at, later.kind) == (first.at, first.kind));
        let internal = sites.iter().filter(|site| site.is_internal()).cloned().collect();
        sites.retain(|site| site.kind.is_some());
        let comm_calls = sites.iter().filter(|site| site.kind == Some(EffectKind::Comm));
        let comm_calls = comm_calls.map(|site| (site.at, site.confidence)).collect();
        Self { sites, internal, comm_calls }
    }

    pub fn of_kinds<'e>(&'e self, kinds: &'e [EffectKind]) -> impl Iterator<Item = &'e EffectSite> + 'e {
        self.sites.iter().filter(|site| site.kind.is_some_and(|kind| kinds.contains(&kind)))
    }
}

/// What calls do to files, wherever these are.
#[derive(Debug, Default)]
pub struct FileAccess {
    /// Calls of which nothing says that the path leads out of the workspace: no rule asks for them. Sorted like `Effects::sites`,
    /// and at none of its places.
    pub local: Vec<EffectSite>,
    /// The paths that calls are given, inside or not, in order.
    pub paths: Vec<(At, ExprId)>,
}

impl FileAccess {
    pub fn find(program: &Program<'_>, catalog: &Catalog) -> Self {
        let finder = Finder { program, catalog, targets: targets(program, catalog) };
        let mut found = parallel::flat_map(&program.edges, |edge| finder.files(edge));
        let key = |site: &EffectSite| (site.from, site.at, Reverse(site.confidence));
        found.sort_by(|(a, ..), (b, ..)| (key(a), &a.callee).cmp(&(key(b), &b.callee)));
        let mut paths: Vec<_> = found.iter().map(|(site, path, _)| (site.at, *path)).collect();
        paths.sort_unstable();
        paths.dedup();
        // One end of a copy may lead out.
        let outside: FxHashSet<At> =
            found.iter().filter(|(.., outside)| *outside).map(|(site, ..)| site.at).collect();
        let mut local: Vec<EffectSite> = found.into_iter().map(|(site, ..)| site).collect();
        local.retain(|site| !outside.contains(&site.at));
        local.dedup_by_key(|site| site.at);
        Self { local, paths }
    }

    /// The paths that the call at this place is given.
    pub fn of(&self, at: At) -> impl Iterator<Item = ExprId> + '_ {
        let start = self.paths.partition_point(|(known, _)| *known < at);
        self.paths[start..].iter().take_while(move |(known, _)| *known == at).map(|(_, path)| *path)
    }
}

/// So many calls are looked at by one thread, with one memory for their names.
const CALLS: usize = 1 << 13;

/// What the catalogue says of a target; hundreds of edges lead to one.
struct TargetEffects {
    effects: Vec<EffectId>,
    /// The last name, if calls of that name are decided by an argument.
    dispatcher: Option<String>,
}

fn targets(program: &Program<'_>, catalog: &Catalog) -> FxHashMap<Target, TargetEffects> {
    let targets: FxHashSet<Target> = program.edges.iter().map(|edge| edge.to).collect();
    let known = |target| {
        let effects = effects_of(program, catalog, target);
        (target, TargetEffects { effects, dispatcher: dispatcher_name(program, catalog, target) })
    };
    parallel::map(targets, known).into_iter().collect()
}

/// The project's own functions can be comm operations and nothing else: a project module shadows a library's name. To import a
/// module of operations is to do none of them.
fn effects_of(program: &Program<'_>, catalog: &Catalog, target: Target) -> Vec<EffectId> {
    let (path, own) = match target {
        Target::External(path) => (program.path(path), None),
        Target::Project(func) => (&*program.function(func).path, Some(program.ir(func).kind)),
    };
    let counts = |id: &EffectId| own.is_none() || catalog.effect(*id).kind == Some(EffectKind::Comm);
    match own == Some(FnKind::Module) || catalog.audit.matches(path) {
        true => Vec::new(),
        false => catalog.call_effects(path).chain(catalog.call_sources(path)).filter(counts).collect(),
    }
}

fn dispatcher_name(program: &Program<'_>, catalog: &Catalog, target: Target) -> Option<String> {
    let name = match target {
        Target::Project(func) => program.name(func),
        Target::External(path) => program.path(path).rsplit('.').next()?,
    };
    catalog.callee_effects(name).next().map(|_| name.to_owned())
}

struct Finder<'p, 'a> {
    program: &'p Program<'a>,
    catalog: &'p Catalog,
    targets: FxHashMap<Target, TargetEffects>,
}

impl Finder<'_, '_> {
    /// What the target of an edge says.
    fn edge(&self, edge: &Edge) -> Vec<EffectSite> {
        let mut sites = Vec::new();
        let Some(known) = self.targets.get(&edge.to) else { return sites };
        let is_kept_project_function = edge.kind == EdgeKind::Stored && matches!(edge.to, Target::Project(_));
        if !is_kept_project_function {
            let effects = known.effects.iter().map(|&id| self.catalog.effect(id));
            sites.extend(effects.filter_map(|effect| self.of_target(edge, effect)));
        }
        // The dispatcher under another name: the target's last name counts like the spelled one.
        if let (Some(name), EdgeKind::Call) = (&known.dispatcher, edge.kind)
            && let Expr::Call { args, .. } = *self.program.facts(edge.at.file).expr(edge.at.expr)
        {
            let args = self.program.facts(edge.at.file).list(args);
            self.by_argument(edge.from, edge.at, name, args, &mut sites);
        }
        sites
    }

    fn of_target(&self, edge: &Edge, effect: &Effect) -> Option<EffectSite> {
        if !effect.is_of(self.program.facts(edge.at.file).lang) {
            return None;
        }
        // An instance is named like its constructor, and a client handed on was opened before.
        if effect.access == Some(Access::Open) && edge.kind != EdgeKind::Call {
            return None;
        }
        let decided = match (&effect.argument, edge.kind) {
            (Some(test), EdgeKind::Call) => self.decide(edge.from, edge.at, test),
            // Whoever runs it chooses the path.
            (Some(test), _) if test.outside => None,
            _ => Some(Confidence::High),
        };
        Some(EffectSite {
            from: edge.from,
            at: edge.at,
            kind: effect.kind,
            confidence: effect.confidence.min(edge.confidence).min(decided?),
            is_author: edge.kind != EdgeKind::CallHanded,
            access: self.access(edge.from, edge.at, effect),
            place: self.place(edge.from, edge.at, effect),
            runs: edge.kind != EdgeKind::Stored,
            callee: self.program.target_name(edge.to),
        })
    }

    /// The accesses to files by a path that the call is given, and whether it is known to lead out of the workspace.
    fn files(&self, edge: &Edge) -> Vec<(EffectSite, ExprId, bool)> {
        let (Some(known), EdgeKind::Call) = (self.targets.get(&edge.to), edge.kind) else {
            return Vec::new();
        };
        let facts = self.program.facts(edge.at.file);
        let Expr::Call { callee, args, .. } = *facts.expr(edge.at.expr) else { return Vec::new() };
        let effects = known.effects.iter().map(|&id| self.catalog.effect(id));
        let files =
            effects.filter(|effect| effect.kind == Some(EffectKind::File) && effect.is_of(facts.lang));
        let access = files.filter_map(|effect| {
            let test = effect.argument.as_ref().filter(|test| test.outside)?;
            let path = self.given_path(facts, callee, facts.list(args), test)?;
            let is_outside = self.decide(edge.from, edge.at, test).is_some();
            let callee = self.program.target_name(edge.to);
            let confidence = effect.confidence.min(edge.confidence);
            Some((self.site(edge.from, edge.at, effect, confidence, callee), path, is_outside))
        });
        access.collect()
    }

    /// Effects that a name or an argument decides, whatever the call resolved to.
    fn calls(&self, calls: &[CallSite]) -> Vec<EffectSite> {
        let mut sites = Vec::new();
        // Thousands of calls have the same few names.
        let mut decides: HashMap<&str, bool, DefaultHashBuilder> = HashMap::default();
        for &call in calls {
            let facts = self.program.facts(call.at.file);
            let Expr::Call { callee, args, .. } = *facts.expr(call.at.expr) else { continue };
            let Some(ReceiverName { name, .. }) = self.program.receiver_name(call.from, callee) else {
                continue;
            };
            let asked = || self.catalog.callee_effects(name).next().is_some();
            if !args.is_empty() && *decides.entry(name).or_insert_with(asked) {
                self.by_argument(call.from, call.at, name, facts.list(args), &mut sites);
            }
            if matches!(call.resolution, Resolution::Unresolved | Resolution::LikelyBuiltin) {
                self.by_name(call, callee, name, &mut sites);
            }
        }
        sites
    }

    fn by_argument(&self, from: Func, at: At, name: &str, args: &[Arg], out: &mut Vec<EffectSite>) {
        if args.is_empty() {
            return;
        }
        for id in self.catalog.callee_effects(name) {
            let effect = self.catalog.effect(id);
            let Some(test) =
                effect.argument.as_ref().filter(|_| effect.is_of(self.program.facts(at.file).lang))
            else {
                continue;
            };
            if self.decide(from, at, test).is_some() {
                let callee = self.command(from, at, test).unwrap_or_else(|| name.to_owned());
                out.push(self.site(from, at, effect, effect.confidence, callee));
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

    fn by_name(&self, call: CallSite, callee: ExprId, name: &str, out: &mut Vec<EffectSite>) {
        let facts = self.program.facts(call.at.file);
        let Expr::Field { base, .. } = *facts.expr(callee) else { return };
        let Some(receiver) = self.program.receiver_name(call.from, base) else { return };
        let spelled = format!("{}.{name}", receiver.name);
        for id in self.catalog.name_effects(&spelled, receiver.is_open_parameter) {
            let effect = self.catalog.effect(id);
            if !effect.is_of(facts.lang) {
                continue;
            }
            let confidence = effect.confidence.min(Confidence::Medium);
            out.push(self.site(call.from, call.at, effect, confidence, spelled.clone()));
        }
    }

    /// How sure it is that the call's argument makes it the effect; `None` if it does not.
    fn decide(&self, func: Func, at: At, test: &ArgumentTest) -> Option<Confidence> {
        let facts = self.program.facts(at.file);
        let Expr::Call { callee, args, .. } = *facts.expr(at.expr) else { return Some(Confidence::High) };
        let args = facts.list(args);
        if test.outside {
            let path = self.given_path(facts, callee, args, test);
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
        let path = self.given_path(facts, callee, facts.list(args), test)?;
        let mut places = self.program.possible(func, path).list.into_iter();
        places.find(|known| self.catalog.workspace.is_left_by(&known.text)).map(|known| known.text)
    }

    /// The path that a call is given; what is relative to an open folder (`dir_fd`) leads nowhere known.
    fn given_path(&self, facts: &Facts, callee: ExprId, args: &[Arg], test: &ArgumentTest) -> Option<ExprId> {
        let folders = self.catalog.sets.of(NameSet::FolderArgument);
        if folders.iter().any(|name| argument(facts, args, None, Some(name)).is_some()) {
            return None;
        }
        match *facts.expr(callee) {
            Expr::Field { base, .. } if test.receiver => Some(base),
            _ => argument(facts, args, test.index, test.name.as_deref()),
        }
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
        statement::access(self.program, &self.catalog.sets, func, value)
    }

    fn site(
        &self,
        from: Func,
        at: At,
        effect: &Effect,
        confidence: Confidence,
        callee: String,
    ) -> EffectSite {
        let access = self.access(from, at, effect);
        EffectSite {
            from,
            at,
            kind: effect.kind,
            confidence,
            is_author: true,
            access,
            place: None,
            runs: true,
            callee,
        }
    }
}
