//! From decoded sources to an outcome: lower, link, analyse, check. Prints nothing, and reads no file but texts that a rule
//! asks for, so that the command line and the tests of rules run the very same steps.

mod acting;
mod coverage;
mod further;
mod gaps;

use crate::analysis::{Bodies, branches};
use crate::catalog::Catalog;
use crate::config::{Config, Layer, LayerSet, Layers};
use crate::finding::policy::Policy;
use crate::finding::{Coverage, Incomplete, Outcome, Pending, Where};
use crate::frontend;
use crate::ir::{self, Facts};
use crate::limits::{Part, Run};
use crate::link::{Candidate, Crates, Program, Unit, link_within, test_files};
use crate::parallel;
use crate::rule::{self, Checked, Context, RuleSet};
use crate::source::{Discovered, SourceFile, Texts};
use crate::timings::Timings;
use crate::waiver::Waivers;
use acting::Acting;

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
    let facts = lower_watched(&found.files, timings);
    timings.stage("lower", size_of_facts(&facts));
    analyse_lowered(found, &facts, config, catalog, rules, timings, look)
}

/// The same from the facts of the files on, which are joined and in their order: whoever changes one file lowers that one alone.
pub fn analyse_lowered<T>(
    mut found: Discovered,
    facts: &[Facts],
    config: &Config,
    catalog: &Catalog,
    rules: impl Into<RuleSet>,
    timings: &mut Timings,
    look: impl FnOnce(&Context<'_>) -> T,
) -> (Outcome, T) {
    let built_in = catalog;
    let mut rules = rules.into();
    let run = timings.run.clone();
    run.expects(Part::Rule, rules.selected.iter().map(|rule| rule.id.clone()));
    let catalog = &*config.extend(catalog);
    let mut files = std::mem::take(&mut found.files);
    let (layers, mut crates) = places(&files, facts, &found.manifests, config, catalog);
    let links = found.further.links.iter();
    crates.links = links.map(|(link, folder)| (link.to_string(), folder.to_string())).collect();
    let policy = Policy::new(config, &files, &layers, &found.excluded, &rules);
    let units = units(&files, facts, &layers);
    timings.begin("joining files into a program", 0);
    let mut program = link_within(&units, crates, config.root.file_name(), catalog, &run);
    program.branches = branches(&program);
    let is_linked = !run.is_over();
    timings.stage("link", format!("{} functions, {} edges", program.functions.len(), program.edges.len()));
    let more = match is_linked {
        true => further::unread(&program, &mut found.further, &found.texts),
        false => further::More::default(),
    };
    found.skipped.extend(more.skipped);
    if !more.files.is_empty() {
        drop(program);
        drop(units);
        let lowered = lower_watched(&more.files, timings);
        let facts = further::add(&mut files, facts, more.files, &lowered);
        found.files = files;
        return analyse_lowered(found, &facts, config, built_in, rules, timings, look);
    }
    let Discovered { mut skipped, excluded, unread, mut compiled, further, extent, matched, texts, .. } =
        found;
    compiled.extend(further.archived.clone());
    timings.begin("looking for what acts", 0);
    let acting = Acting::find(&program, catalog, config);
    timings.stage("analyse", acting.size());
    let config_file = SourceFile::new(config.origin.path(), config.text.clone());
    let waivers = Waivers::read(&files, facts, &rules.names);
    let bodies = Bodies::new(&program, catalog);
    let has_comm = layers.iter().any(|layers| layers.contains(Layer::Comm));
    let context = Context {
        program: &program,
        catalog,
        bodies: &bodies,
        effects: &acting.effects,
        registered: &acting.registered,
        planning: &acting.planning,
        tools: &acting.tools,
        capture: &acting.capture,
        handlers: &acting.handlers,
        reached: &acting.reached,
        knows_comm: config.names_comm || has_comm || acting.knows_comm(),
        layers: &layers,
        sources: &files,
        waivers: &waivers,
        config,
        config_file: &config_file,
        skipped: &skipped,
        extent: &extent,
        matched: &matched,
        texts: &texts,
        run: &run,
    };
    timings.begin("checking rules", 0);
    let Checked { mut findings, waived, used, gates, mut incomplete, checklist, .. } =
        rule::check(&rules.selected, &context);
    timings.stage("check", format!("{} findings", findings.len()));
    let seen = look(&context);
    let unfinished = unfinished(&run);
    // What a rule has not looked at is neither fixed nor without need of its waivers.
    rules.selected.retain(|rule| !unfinished.iter().any(|gap| gap.name == rule.id));
    incomplete.extend(unfinished);
    // Where a limit was reached, everything is open, and that has been said.
    if !run.is_over() {
        incomplete.extend(gaps::open_calls(&program, &acting.effects, &acting.reached));
    }
    incomplete.extend(gaps::unseen(&program, &compiled).chain(gaps::lossy(&program, &files)));
    findings.extend(rule::gaps(&rules.selected, &context, &incomplete));
    incomplete.retain(|gap| !matches!(gap.at, Where::Place(_)));
    incomplete.sort_unstable();
    let unresolved = gaps::unresolved(&program, &acting.reached);
    let unresolved = rule::gaps(&rules.selected, &context, &unresolved);
    skipped.extend(texts.skipped());
    skipped.sort();
    let coverage = Coverage {
        policy: Policy { not_planning: coverage::not_planning(&program, catalog, config), ..policy },
        ignored: further.ignored.len(),
        unread,
        reported: None,
        skipped,
        skipped_elsewhere: Vec::new(),
        partial: coverage::partial(facts),
        calls: coverage::count_calls(&program),
        entry_points: acting.count(&program),
        gates,
        incomplete,
        unresolved,
        configured: config.is_configured() || has_comm,
        names_comm: config.names_comm || has_comm,
    };
    let pending = Pending {
        waivers,
        used,
        extent,
        hidden: further.ignored.into_iter().chain(excluded.iter().cloned()).collect(),
        excluded,
        functions: program.functions.iter().map(|function| function.path.to_string()).collect(),
        levels: config.levels.clone(),
        baseline_file: config.baseline_file().map(ToOwned::to_owned),
        ..Pending::default()
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
        covered: Vec::new(),
        known: None,
        levels: Vec::new(),
        pending,
        coverage,
        checklist,
    };
    (outcome, seen)
}

/// What was not finished, if a limit was reached.
fn unfinished(run: &Run) -> Vec<Incomplete> {
    let reached = run.reached();
    let left = run.left().parts.into_iter();
    left.filter_map(|(part, name)| Some(Incomplete::limit_reached(reached?, part, name))).collect()
}

/// Lowers every file and joins the facts of all.
pub fn lower(files: &[SourceFile]) -> Vec<Facts> {
    lower_watched(files, &Timings::start())
}

/// The same for whoever wants to see how far it is.
pub fn lower_watched(files: &[SourceFile], timings: &Timings) -> Vec<Facts> {
    timings.begin("reading code", files.len());
    // The largest first, so that no thread is left with one of them at the end.
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_unstable_by_key(|&file| std::cmp::Reverse((files[file].text.len(), file)));
    timings.run.expects(Part::File, files.iter().map(|file| file.path.to_string()));
    let mut lowered: Vec<(usize, Facts)> = parallel::map_each(order, |file| {
        let SourceFile { path, text, lang, .. } = &files[file];
        if timings.run.is_over() {
            return (file, frontend::lower("", *lang));
        }
        let facts = frontend::lower(text, *lang);
        timings.run.finished(Part::File, path.as_str());
        timings.advance();
        (file, facts)
    });
    lowered.sort_unstable_by_key(|&(file, _)| file);
    match timings.run.is_over() {
        // No rule will run: what was read needs no look at either.
        true => ir::join(files.iter().map(|file| frontend::lower("", file.lang))),
        false => ir::join(lowered.into_iter().map(|(_, facts)| facts)),
    }
}

/// The layers of each file, and the crates that the files are modules of: of some modules only the module above says that
/// they are built for tests. What production code imports is no test code, wherever it stands.
pub fn places(
    files: &[SourceFile],
    facts: &[Facts],
    manifests: &Texts,
    config: &Config,
    catalog: &Catalog,
) -> (Vec<LayerSet>, Crates) {
    let paths = files.iter().map(|file| file.path.as_path());
    let crates = Crates::new(paths.zip(facts), manifests, config.root.file_name());
    let layers: Vec<LayerSet> = files.iter().map(|file| config.layers.of(&file.path)).collect();
    let candidates = files.iter().zip(facts).zip(&layers).enumerate();
    let candidates = candidates.map(|(file, ((source, facts), layers))| Candidate {
        path: &source.path,
        facts,
        is_test: layers.contains(Layer::Test) || crates.is_test(file),
    });
    let candidates: Vec<Candidate<'_>> = candidates.collect();
    let (is_test, crates) = test_files(&candidates, crates, config.root.file_name(), catalog);
    let layers = layers.into_iter().zip(is_test).map(|(layers, is_test)| match is_test {
        true => layers.with(Layer::Test),
        false => layers.without(Layer::Test),
    });
    (layers.collect(), crates)
}

/// Lowers and links what was discovered, for whoever asks something else of a program than a check does. `look` is shown the
/// layers of the files as well.
pub fn with_program<T>(
    found: &Discovered,
    config: &Config,
    catalog: &Catalog,
    timings: &Timings,
    look: impl FnOnce(&Program<'_>, &[LayerSet]) -> T,
) -> T {
    let facts = lower_watched(&found.files, timings);
    let (layers, crates) = places(&found.files, &facts, &found.manifests, config, catalog);
    let units = units(&found.files, &facts, &layers);
    look(&link_within(&units, crates, config.root.file_name(), catalog, &timings.run), &layers)
}

/// Files as link sees them.
pub fn units<'a>(files: &'a [SourceFile], facts: &'a [Facts], layers: &[LayerSet]) -> Vec<Unit<'a>> {
    let by_place = Layers::default();
    let files = files.iter().zip(facts).zip(layers);
    files
        .map(|((file, facts), layers)| Unit {
            path: &file.path,
            facts,
            is_test: layers.contains(Layer::Test),
            holds_tests: by_place.of(&file.path).contains(Layer::Test),
        })
        .collect()
}

fn size_of_facts(facts: &[Facts]) -> String {
    let calls: usize = facts.iter().map(|facts| facts.calls().len()).sum();
    let exprs: usize = facts.iter().map(|facts| facts.expr_count()).sum();
    format!("{calls} calls, {exprs} expressions")
}
