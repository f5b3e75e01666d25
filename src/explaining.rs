//! `gatelint explain`: a rule, a gate, or the whole path of a finding.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::adopt::KnownBy;
use crate::cli::ExplainArgs;
use crate::config::Selection;
use crate::exit::ExitCode;
use crate::finding::Confidence;
use crate::report::{Format, ReportOptions};
use crate::rule::Rule;
use crate::source::Asked;
use crate::timings::Timings;
use crate::{
    Failure, Task, all_rules, analysis, discover, engine, explain as explained, pipeline, report, rule, say,
    source, suppress, threads,
};

/// A report that is longer is none that a person asks about.
const MAX_REPORT: u64 = 256 << 20;

pub fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let page = match (&args.gate, &args.path) {
        (Some(function), _) => explain_gate(args, function)?,
        (_, Some(fingerprint)) => explain_path(args, fingerprint)?,
        (None, None) => explain_rules(args)?,
    };
    say(&report::escape_block(&page))
}

fn explain_rules(args: &ExplainArgs) -> Result<String, Failure> {
    let rules = all_rules(&args.team.rules)?;
    let page = |word: &String| {
        let wanted = |rule: &&Arc<Rule>| rule.id.eq_ignore_ascii_case(word) || rule.name == *word;
        let rule = rules.iter().find(wanted).ok_or_else(|| Failure::UnknownRule(word.clone()))?;
        Ok(match args.examples {
            true => explained::markdown(rule),
            false => explained::brief(rule),
        })
    };
    let pages: Result<Vec<String>, Failure> = args.what.iter().map(page).collect();
    Ok(pages?.join("\n"))
}

/// Why a function is a phase gate, or is none.
fn explain_gate(args: &ExplainArgs, function: &str) -> Result<String, Failure> {
    let catalog = rule::builtin_catalog()?;
    let (found, config) = discover(&args.roots(), &args.config.options(), false, &mut Timings::start())?;
    let page = threads(0)?.install(|| {
        let catalog = &*config.extend(&catalog);
        engine::with_program(&found, &config, catalog, &Timings::start(), |program, _| {
            let registered = analysis::registrations(program, catalog);
            let bodies = &analysis::Bodies::new(program, catalog);
            let gating = &analysis::Gating::find(bodies, &config.gates, &registered);
            explained::gate(&explained::AskedGate { bodies, gating, files: &found.files }, function)
        })
    });
    page.ok_or_else(|| Failure::UnknownFunction(function.to_owned()))
}

/// The whole path of a finding: of a report that was kept, or of a check that is run now.
fn explain_path(args: &ExplainArgs, fingerprint: &str) -> Result<String, Failure> {
    let report = match &args.report {
        Some(file) => source::read_text(file.as_std_path(), MAX_REPORT)
            .map_err(|error| Failure::Report { path: file.clone(), error })?,
        None => {
            let task = Task {
                asked: Asked::new(source::Input::Paths(args.roots()))?,
                team: args.team.rules.clone(),
                config: args.config.options(),
                selection: Selection::default(),
                no_ignore: false,
                strict_coverage: false,
                known_by: KnownBy::Nobody,
                base: None,
                texts: BTreeMap::new(),
            };
            let outcome = threads(0)?.install(|| pipeline(&task, &mut Timings::start()))?;
            let options = ReportOptions {
                format: Format::Json,
                min_confidence: Confidence::Low,
                ..ReportOptions::default()
            };
            let mut text = Vec::new();
            report::report(&suppress::suppress(outcome), &options, &mut text).map_err(Failure::Stdout)?;
            String::from_utf8_lossy(&text).into_owned()
        }
    };
    Ok(explained::path(&report, fingerprint)?)
}
