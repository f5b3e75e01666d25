//! Every command that reads a project, as the library runs it for the command line, on files that never were on a disk.

use std::collections::BTreeMap;

use gatelint::adopt;
use gatelint::analysis::{Bodies, Gating, registrations};
use gatelint::baseline::{Baseline, Entry};
use gatelint::config::{Config, ConfigOptions, Selection};
use gatelint::debug;
use gatelint::declarations::{Transcript, rules_of_parts};
use gatelint::engine::{analyse, analyse_and, with_program};
use gatelint::exit::Threshold;
use gatelint::explain::{self, AskedGate};
use gatelint::finding::{Confidence, Finding, Outcome, Severity};
use gatelint::harness;
use gatelint::ir::Span;
use gatelint::merge_base::{self, Now};
use gatelint::mutate;
use gatelint::report::{self, Format, Listing, ListingOptions, Matrix, MatrixOptions, ReportOptions};
use gatelint::rule::{self, Check, RuleSet};
use gatelint::source::Discovered;
use gatelint::suppress::suppress;
use gatelint::timings::Timings;
use gatelint::waiver::{self, NOT_WAIVABLE};

use crate::engine::{builtin, reported, threads};
use crate::pieces::Files;

/// Of the functions of a project; the page of one asks for all.
const MAX_GATES: usize = 4;
const MAX_MUTANTS: usize = 3;

pub fn all(files: &Files) {
    let config = harness::configured(files).unwrap_or_else(|_| Config::defaults("/example"));
    let project = Project { found: harness::discovered(files, &config), config };
    threads().install(|| {
        let outcome = project.check();
        project.explain_paths(&outcome);
        project.check_with_baseline(&outcome);
        project.check_with_waivers(&outcome);
        project.check_with_base();
        project.checklist();
        project.commands();
        project.look_inside();
        adopt::proposed(project.found.clone(), &project.config, &builtin().1, &mut Timings::start());
        project.declarations();
    });
    project.mutate();
}

struct Project {
    found: Discovered,
    config: Config,
}

impl Project {
    /// What a check comes to before waivers and baselines are asked.
    fn analysed(&self, found: Discovered, rules: RuleSet) -> Outcome {
        analyse(found, &self.config, &builtin().1, rules, &mut Timings::start())
    }

    fn check(&self) -> Outcome {
        let mut outcome = self.analysed(self.found.clone(), every_rule());
        outcome.be_strict();
        let outcome = suppress(outcome);
        reported(&outcome);
        outcome
    }

    fn explain_paths(&self, outcome: &Outcome) {
        let mut json = Vec::new();
        let options = ReportOptions {
            format: Format::Json,
            min_confidence: Confidence::Low,
            full: true,
            ..ReportOptions::default()
        };
        report::report(outcome, &options, &mut json).unwrap();
        let json = String::from_utf8(json).unwrap();
        for finding in &outcome.findings {
            let place = finding.primary.span;
            let text = &outcome.file(finding.primary.file).text;
            assert!(text.get(place.lo as usize..place.hi as usize).is_some(), "{place:?}");
            // Not every finding has a path.
            let _ = explain::path(&json, &finding.fingerprint);
        }
    }

    /// `baseline write`, then `check`.
    fn check_with_baseline(&self, outcome: &Outcome) {
        let entry = |finding: &Finding| Entry::of(finding, &outcome.file(finding.primary.file).path);
        let written = Baseline::new("baseline.json", outcome.findings.iter().map(entry).collect());
        let mut again = self.analysed(self.found.clone(), every_rule());
        again.be_strict();
        again.pending.baseline = Some(Baseline::read("baseline.json", &written.text().unwrap()).unwrap());
        let again = suppress(again);
        let new: Vec<&String> = again.findings.iter().map(|finding| &finding.message).collect();
        assert!(new.is_empty(), "new since the baseline: {new:?}");
        reported(&again);
    }

    /// `check --add-waivers`: one for each finding, and a check of the new texts.
    fn check_with_waivers(&self, outcome: &Outcome) {
        let mut found = self.found.clone();
        let mut wanted: BTreeMap<&str, Vec<(&str, Span)>> = BTreeMap::new();
        for finding in outcome.findings.iter().filter(|finding| !NOT_WAIVABLE.contains(&&*finding.rule.id)) {
            let path = outcome.file(finding.primary.file).path.as_str();
            wanted.entry(path).or_default().push((&finding.rule.id, finding.primary.span));
        }
        let names = rule::names(&builtin().0);
        for file in &mut found.files {
            if let Some(wanted) = wanted.get(file.path.as_str()) {
                file.text = waiver::place(file, wanted, "reviewed", &names).text;
            }
        }
        let waived = suppress(self.analysed(found, every_rule()));
        reported(&waived);
    }

    /// `check --base`: the first file came with the change, and so did the configuration.
    fn check_with_base(&self) {
        let (rules, catalog) = builtin();
        let (start, options) = (&self.config.root, &ConfigOptions::default());
        let now = Now { config: &self.config, start, options, baseline: None, rules, catalog };
        let then = self.found.files.get(1..).unwrap_or_default();
        let base = merge_base::of_texts(Config::defaults("/example"), then, None, &now);
        let mut outcome = self.analysed(self.found.clone(), every_rule());
        outcome.pending.base = Some(base);
        reported(&suppress(outcome));
    }

    fn checklist(&self) {
        let items = Selection { items_only: true, ..Selection::default() };
        let outcome = suppress(self.analysed(self.found.clone(), RuleSet::meant(&builtin().0, &items)));
        for format in [Matrix::Human, Matrix::Json, Matrix::Markdown, Matrix::Html] {
            let options = MatrixOptions { format, ..MatrixOptions::default() };
            report::matrix(&outcome, &options, &mut Vec::new()).unwrap();
        }
    }

    fn commands(&self) {
        let rules = RuleSet::new(&builtin().0, |rule| rule.checks(Check::AnalysisGap));
        let (config, timings) = (&self.config, &mut Timings::start());
        let (outcome, table) =
            analyse_and(self.found.clone(), config, &builtin().1, rules, timings, |context| {
                rule::inventory(context, true)
            });
        let outcome = suppress(outcome);
        listings(|options, out| report::commands(&outcome, &table.listed, options, out));
    }

    /// `explain --gate` and `debug`.
    fn look_inside(&self) {
        let catalog = &*self.config.extend(&builtin().1);
        let files = &self.found.files;
        files.iter().for_each(|file| drop(debug::ir(file)));
        with_program(&self.found, &self.config, catalog, &Timings::start(), |program, _| {
            debug::calls(program, files);
            debug::edges(program, files);
            debug::statistics(program);
            let registered = registrations(program, catalog);
            let bodies = &Bodies::new(program, catalog);
            let gating = &Gating::find(bodies, &self.config.gates, &registered);
            let functions = &program.functions;
            for function in functions.iter().step_by(functions.len() / MAX_GATES + 1) {
                explain::gate(&AskedGate { bodies, gating, files }, &function.path);
            }
        });
    }

    /// Any text is a transcript.
    fn declarations(&self) {
        let (rules, catalog) = builtin();
        let rules = &rules_of_parts(rules);
        let files = self.found.files.iter();
        let all: Vec<_> = files
            .flat_map(|file| {
                Transcript { catalog, rules, name: file.path.as_str(), text: &file.text }.declared()
            })
            .collect();
        report::declarations(&all, 1, &mut Vec::new()).unwrap();
        report::declarations_json(&all, 1, &mut Vec::new()).unwrap();
    }

    /// It has threads of its own.
    fn mutate(&self) {
        let threshold = Threshold { fail_on: Severity::Error, min_confidence: Confidence::Medium };
        let (found, rules) = (self.found.clone(), every_rule());
        let project =
            mutate::Project { found, config: &self.config, catalog: &builtin().1, rules, threshold };
        let (outcome, tried) = project.run(MAX_MUTANTS, 1, |_| true, &mut Timings::start()).unwrap();
        listings(|options, out| report::mutants(&outcome, &tried, options, out));
    }
}

fn every_rule() -> RuleSet {
    RuleSet::meant(&builtin().0, &Selection::default())
}

fn listings(write: impl Fn(ListingOptions, &mut dyn std::io::Write) -> std::io::Result<()>) {
    for format in [Listing::Human, Listing::Json, Listing::Markdown] {
        write(ListingOptions { format, ..ListingOptions::default() }, &mut Vec::new()).unwrap();
    }
}
