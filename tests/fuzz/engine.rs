//! What the targets ask of the library: the built-in rules, made once, threads, an analysis and its reports.

use std::sync::{Arc, OnceLock};

use gatelint::catalog::Catalog;
use gatelint::config::Config;
use gatelint::finding::Outcome;
use gatelint::report::{Format, ReportOptions, report};
use gatelint::rule::{self, Rule};
use gatelint::source::{Discovered, SourceFile};
use gatelint::suppress::suppress;
use gatelint::timings::Timings;

/// Threads with stacks like those of the command line.
pub fn threads() -> &'static rayon::ThreadPool {
    static THREADS: OnceLock<rayon::ThreadPool> = OnceLock::new();
    THREADS
        .get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(64 << 20).build().unwrap())
}

pub fn builtin() -> &'static (Vec<Arc<Rule>>, Catalog) {
    static BUILTIN: OnceLock<(Vec<Arc<Rule>>, Catalog)> = OnceLock::new();
    BUILTIN.get_or_init(|| {
        let rules = rule::builtin().unwrap();
        let catalog = rule::catalog_for(&rules).unwrap();
        (rules, catalog)
    })
}

pub fn analysed(files: Vec<SourceFile>, config: &Config) -> Outcome {
    let (rules, catalog) = builtin();
    let found = Discovered { files, ..Discovered::default() };
    suppress(gatelint::engine::analyse(found, config, catalog, rules.clone(), &mut Timings::start()))
}

/// Every format says it, and those for programs are well formed.
pub fn reported(outcome: &Outcome) -> Vec<u8> {
    let mut json = Vec::new();
    let formats =
        [Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Github, Format::Markdown];
    for format in formats {
        let mut out = Vec::new();
        report(outcome, &ReportOptions { format, ..ReportOptions::default() }, &mut out).unwrap();
        if matches!(format, Format::Json | Format::Sarif) {
            serde_json::from_slice::<serde_json::Value>(&out).unwrap();
        }
        if format == Format::Json {
            json = out;
        }
    }
    json
}
