//! From decoded sources to an outcome: lower, link, analyse, check. Prints nothing, and reads no file but texts that a rule
//! asks for, so that the command line and the tests of rules run the very same steps.

use rayon::prelude::*;

use crate::analysis::{
    Effects, Handler, agent_reachable, capture_functions, handlers, planning_functions, registrations, tools,
};
use crate::catalog::Catalog;
use crate::config::{Config, Layer, LayerSet};
use crate::finding::{Calls, Coverage, Outcome, Pending};
use crate::frontend;
use crate::ir::Facts;
use crate::link::{Crates, Func, Program, Resolution, Unit, link};
use crate::rule::{self, Checked, Context, RuleSet};
use crate::source::{Discovered, FileId, SourceFile, Texts};
use crate::timings::Timings;
use crate::waiver::Waivers;

/// Analyses what was discovered and runs `rules` over it.
pub fn analyse(
    found: Discovered,
    config: &Config,
    catalog: &Catalog,
    rules: impl Into<RuleSet>,
    timings: &mut Timings,
) -> Outcome {
    analyse_and(found, config, catalog, rules, timings, |_| ()).0
}

/// The same, and what `look` makes of all that the rules were shown.
pub fn analyse_and<T>(
    found: Discovered,
    config: &Config,
    catalog: &Catalog,
    rules: impl Into<RuleSet>,
    timings: &mut Timings,
    look: impl FnOnce(&Context<'_>) -> T,
) -> (Outcome, T) {
    let Discovered { files, mut skipped, ignored, read_log: _, extent, matched, texts, manifests } = found;
    let rules = rules.into();
    let catalog = &*config.extend(catalog);
    let facts = lower_watched(&files, timings);
    timings.stage("lower", size_of_facts(&facts));
    let (layers, crates) = places(&files, &facts, &manifests, config);
    let units = units(&files, &facts, &layers);
    timings.begin("joining files into a program", 0);
    let program = link(&units, crates, config.root.file_name(), catalog);
    timings.stage("link", format!("{} functions, {} edges", program.functions.len(), program.edges.len()));
    timings.begin("looking for what acts", 0);
    let (registered, (effects, planning)) = rayon::join(
        || registrations(&program, catalog),
        || (Effects::find(&program, catalog), planning_functions(&program, catalog, &config.planning)),
    );
    let (tools, handlers) = (tools(&registered), handlers(&registered));
    let capture = capture_functions(&program, catalog, &config.capture);
    let called = tools.iter().chain(&handlers).map(|handler| handler.func);
    let entries: Vec<Func> = planning.iter().copied().chain(called).collect();
    let reachable = agent_reachable(&program, &entries);
    timings.stage("analyse", format!("{} sites, {} entry points", effects.sites.len(), entries.len()));
    let config_file = SourceFile::new(config.origin.path(), config.text.clone());
    let waivers = Waivers::read(&files, &facts, &rules.names);
    let context = Context {
        program: &program,
        catalog,
        effects: &effects,
        registered: &registered,
        planning: &planning,
        tools: &tools,
        capture: &capture,
        handlers: &handlers,
        agent_reachable: &reachable,
        layers: &layers,
        sources: &files,
        waivers: &waivers,
        config,
        config_file: &config_file,
        skipped: &skipped,
        extent: &extent,
        matched: &matched,
        texts: &texts,
    };
    timings.begin("checking rules", 0);
    let Checked { findings, waived, used, gates, incomplete, checklist, .. } =
        rule::check(&rules.selected, &context);
    timings.stage("check", format!("{} findings", findings.len()));
    let seen = look(&context);
    skipped.extend(texts.skipped());
    skipped.sort();
    let in_production = |func: &Func| !program.is_test_code(*func);
    let count = |handlers: &[Handler]| handlers.iter().filter(|handler| in_production(&handler.func)).count();
    let planners = planning.iter().filter(|func| in_production(func)).count();
    let coverage = Coverage {
        ignored,
        reported: None,
        skipped,
        partial: partial(&facts),
        calls: count_calls(&program),
        entry_points: [
            ("planning function", planners),
            ("tool", count(&tools)),
            ("comm handler", count(&handlers)),
        ]
        .into(),
        gates,
        incomplete,
        inert: config.inert.clone(),
        configured: config.is_configured() || layers.iter().any(|layers| layers.contains(Layer::Comm)),
    };
    let pending = Pending {
        waivers,
        used,
        extent,
        levels: config.levels.clone(),
        asked: None,
        baseline: None,
        baseline_file: config.baseline.clone(),
    };
    let (root, rules) = (config.root.clone(), rules.selected);
    let outcome = Outcome {
        root,
        files,
        config: config_file,
        texts,
        rules,
        findings,
        waived,
        known: None,
        levels: Vec::new(),
        pending,
        coverage,
        checklist,
    };
    (outcome, seen)
}

/// Lowers every file, the largest first, so that no thread is left with one of them at the end.
pub fn lower(files: &[SourceFile]) -> Vec<Facts> {
    lower_watched(files, &Timings::start())
}

/// The same for whoever wants to see how far it is.
pub fn lower_watched(files: &[SourceFile], timings: &Timings) -> Vec<Facts> {
    timings.begin("reading code", files.len());
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_unstable_by_key(|&file| std::cmp::Reverse((files[file].text.len(), file)));
    let mut lowered: Vec<(usize, Facts)> = order
        .into_par_iter()
        .with_max_len(1)
        .map(|file| {
            let facts = frontend::lower(&files[file].text, files[file].lang);
            timings.advance();
            (file, facts)
        })
        .collect();
    lowered.sort_unstable_by_key(|&(file, _)| file);
    lowered.into_iter().map(|(_, facts)| facts).collect()
}

/// The layers of each file, and the crates that the files are modules of: of some modules only the module above says that
/// they are built for tests.
pub fn places(
    files: &[SourceFile],
    facts: &[Facts],
    manifests: &Texts,
    config: &Config,
) -> (Vec<LayerSet>, Crates) {
    let paths = files.iter().map(|file| file.path.as_path());
    let crates = Crates::new(paths.zip(facts), manifests, config.root.file_name());
    let layers = files.iter().enumerate().map(|(file, source)| {
        let layers = config.layers.of(&source.path);
        if crates.is_test(file) { layers.with(Layer::Test) } else { layers }
    });
    (layers.collect(), crates)
}

/// Files as link sees them.
pub fn units<'a>(files: &'a [SourceFile], facts: &'a [Facts], layers: &[LayerSet]) -> Vec<Unit<'a>> {
    let files = files.iter().zip(facts).zip(layers);
    files
        .map(|((file, facts), layers)| Unit {
            path: &file.path,
            facts,
            is_test: layers.contains(Layer::Test),
        })
        .collect()
}

fn size_of_facts(facts: &[Facts]) -> String {
    let calls: usize = facts.iter().map(|facts| facts.calls.len()).sum();
    let exprs: usize = facts.iter().map(|facts| facts.arenas.expr_count()).sum();
    format!("{calls} calls, {exprs} expressions")
}

fn partial(facts: &[Facts]) -> Vec<FileId> {
    let files = facts.iter().enumerate().filter(|(_, facts)| facts.is_partial());
    files.map(|(file, _)| FileId(file as u32)).collect()
}

fn count_calls(program: &Program<'_>) -> Calls {
    let mut calls = Calls::default();
    for call in &program.calls {
        match call.resolution {
            Resolution::Resolved(_) | Resolution::Parameter => calls.resolved += 1,
            Resolution::External(_) => calls.external += 1,
            Resolution::Builtin | Resolution::LikelyBuiltin => calls.builtin += 1,
            Resolution::Unresolved => calls.unresolved += 1,
        }
    }
    calls
}
