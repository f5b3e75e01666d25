//! An outcome made by hand: a planner that reaches the network through two files, imports and calls elsewhere, a low
//! confidence finding, a skipped and a partial file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use gatelint::finding::{
    Calls, Confidence, Coverage, EntryKind, Finding, Gap, Incomplete, Likeness, Outcome, Pending, Place,
    Severity, Step, Via, Where,
};
use gatelint::ir::Span;
use gatelint::rule::{Check, Example, Matcher, Rule, Scope, builtin};
use gatelint::source::{FileId, Skip, Skipped, SourceFile, Texts};

const PLANNER: &str = "\
from atlas.facts import gather_facts


def plan_trip(city, days):
    \"\"\"Think about a trip.\"\"\"
    facts = gather_facts(city)
    return [f\"day {day}: {facts[day]}\" for day in range(days)]
";

const FACTS: &str = "\
from atlas import net

CITIES = \"https://cities.example\"


def gather_facts(city):
    return net.fetch_json(f\"{CITIES}/{city}\")
";

const NET: &str = "\
import json
from urllib.request import urlopen


def fetch_json(url):
    with urlopen(url) as response:
        return json.load(response)
";

const CLI: &str = "\
import requests


def show(city):
    print(requests.get(f\"https://a.example/{city}\").text)
    print(requests.get(f\"https://b.example/{city}\").text)
";

pub fn rule(id: &str, name: &str, severity: Severity) -> Arc<Rule> {
    static ALL: OnceLock<Vec<Arc<Rule>>> = OnceLock::new();
    let all = ALL.get_or_init(|| builtin().expect("the rules are valid"));
    let known = all.iter().find(|rule| rule.id == id);
    Arc::new(Rule {
        on_request: false,
        title: None,
        id: id.to_owned(),
        name: name.to_owned(),
        summary: format!("{} is a bad sign", name.replace('-', " ")),
        severity,
        languages: BTreeSet::from(["python".to_owned()]),
        message: String::new(),
        help: "declare the need and run it as a comm.* command in the execution phase".to_owned(),
        references: vec!["ADR principle 1".into(), "OWASP-ASI02:2026".into(), "CWE-696".into()],
        why: "A plan is shown to a person before anything happens.\n\nWhat reaches out *before* was never approved."
            .to_owned(),
        scope: Scope::default(),
        without_comm: None,
        advice: Vec::new(),
        covered: Vec::new(),
        // What it matches says how bad it is.
        matches: known.map_or(Vec::new(), |known| known.matches.clone()),
        examples: vec![
            Example {
                name: "search while planning".into(),
                language: "python".into(),
                code: "def plan_task(user_input):\n    return comm.search(user_input)  # error\n".into(),
                errors: Vec::new(),
            },
            Example {
                name: "a plan without effects".into(),
                language: "python".into(),
                code: "def plan_task(user_input):\n    return [user_input]\n".into(),
                errors: Vec::new(),
            },
        ]
        .into(),
    })
}

/// The place of the `nth` occurrence of `code`.
pub fn place(files: &[SourceFile], path: &str, code: &str, nth: usize) -> Place {
    let file = files.iter().position(|file| file.path == path).unwrap();
    let (at, _) = files[file].text.match_indices(code).nth(nth).unwrap();
    let span = Span { lo: at as u32, hi: (at + code.len()) as u32 };
    Place { file: FileId(file as u32), span }
}

pub fn finding(rule: &Arc<Rule>, primary: Place, message: &str) -> Finding {
    Finding {
        rule: Arc::clone(rule),
        severity: rule.severity,
        confidence: Confidence::High,
        message: message.to_owned(),
        primary,
        steps: Vec::new(),
        captures: BTreeMap::new(),
        fingerprint: format!("{}-{}-{}", rule.id, primary.file.0, primary.span.lo),
        likeness: Likeness::default(),
        via: None,
        is_without_comm: false,
    }
}

/// The planner, which leads to itself.
pub fn via(files: &[SourceFile]) -> Via {
    let path = files.last().map_or("", |file| file.path.as_str());
    Via {
        kind: EntryKind::Planning,
        name: "plan_trip".into(),
        function: "atlas.planner.plan_trip".into(),
        at: Place { file: place(files, path, "", 0).file, span: Span::default() },
        confidence: Confidence::High,
        calls: 0,
        steps: Vec::new(),
    }
}

/// Without findings, with everything understood.
pub fn clean(files: Vec<SourceFile>) -> Outcome {
    Outcome {
        root: "/project".into(),
        files,
        config: SourceFile::new("gatelint.toml", ""),
        texts: Texts::default(),
        rules: Vec::new(),
        findings: Vec::new(),
        waived: Vec::new(),
        covered: Vec::new(),
        known: None,
        levels: Vec::new(),
        pending: Pending::default(),
        checklist: gatelint::finding::checklist::Checklist::default(),
        coverage: Coverage {
            configured: true,
            names_comm: true,
            entry_points: BTreeMap::from([("planning function", 1)]),
            ..Coverage::default()
        },
    }
}

/// One of each kind of what makes a run incomplete: gaps at their places, and what concerns the run.
pub fn incomplete() -> Outcome {
    let mut outcome = clean(vec![SourceFile::new("agent.py", "x = 1\ndef run(): pass\n")]);
    let at = place(&outcome.files, "agent.py", "run", 0);
    let said = |kind: Gap| format!("`run\u{1b}` is not known by {}", kind.code());
    let of_run = |(kind, at)| Incomplete {
        kind,
        at,
        name: "run\u{1b}".into(),
        function: String::new(),
        message: said(kind),
    };
    let of_runs = [(Gap::MostlyUnread, Where::Run), (Gap::LimitReached, Where::Path("b\u{1b}.py".into()))];
    outcome.coverage.incomplete = of_runs.into_iter().map(of_run).collect();
    let rule = gap_rule();
    let placed = Gap::ALL.into_iter().filter(|kind| !matches!(kind, Gap::MostlyUnread | Gap::LimitReached));
    outcome.findings = placed.map(|kind| gap(&rule, at, kind, &said(kind))).collect();
    outcome.rules = vec![rule];
    outcome
}

fn gap_rule() -> Arc<Rule> {
    let matches = vec![Matcher::Check(Check::AnalysisGap)];
    Arc::new(Rule { matches, ..Rule::clone(&rule("GL007", "analysis-gap", Severity::Note)) })
}

fn gap(rule: &Arc<Rule>, at: Place, kind: Gap, message: &str) -> Finding {
    let captures = BTreeMap::from([("kind", kind.code().to_owned()), ("name", "run\u{1b}".to_owned())]);
    let fingerprint = kind.code().to_owned();
    Finding { captures, fingerprint, ..finding(rule, at, message) }
}

/// With a file that was only partly parsed.
pub fn partial(mut outcome: Outcome, file: FileId) -> Outcome {
    let rule = gap_rule();
    let at = Place { file, span: Span::default() };
    outcome.coverage.partial = vec![file];
    outcome.findings.push(gap(&rule, at, Gap::Partial, "this file was only partly parsed"));
    outcome.rules.push(rule);
    outcome
}

pub fn atlas() -> Outcome {
    let files = vec![
        SourceFile::new("atlas/cli.py", CLI),
        SourceFile::new("atlas/facts.py", FACTS),
        SourceFile::new("atlas/net.py", NET),
        SourceFile::new("atlas/planner.py", PLANNER),
    ];
    let rules = [
        rule("GL101", "direct-network-import", Severity::Error),
        rule("GL102", "direct-network-call", Severity::Error),
        rule("GL201", "planning-phase-io", Severity::Error),
        rule("GL207", "unused-guard", Severity::Note),
    ];
    let [imports, calls, plans, guards] = &rules;
    let mut findings = vec![
        finding(imports, place(&files, "atlas/cli.py", "import requests", 0), "import of `requests`"),
        finding(calls, place(&files, "atlas/cli.py", "requests.get", 0), "`requests.get` sends a request"),
        finding(calls, place(&files, "atlas/cli.py", "requests.get", 1), "`requests.get` sends a request"),
        finding(
            imports,
            place(&files, "atlas/net.py", "from urllib.request import urlopen", 0),
            "import of `urllib.request`",
        ),
        finding(
            calls,
            place(&files, "atlas/net.py", "urlopen(url)", 0),
            "`urllib.request.urlopen` opens a connection",
        ),
        path(plans, &files),
        finding(
            guards,
            place(&files, "atlas/planner.py", "plan_trip", 0),
            "`plan_trip` is a guard that nobody calls",
        ),
    ];
    findings[0].captures.insert("module", "requests".into());
    findings[3].captures.insert("module", "urllib.request".into());
    findings[6].confidence = Confidence::Low;
    let mut outcome = clean(files);
    outcome.rules = rules.to_vec();
    outcome.findings = findings;
    outcome.coverage.ignored = 12;
    outcome.coverage.skipped = vec![Skipped {
        path: "atlas/model.py".into(),
        why: Skip::TooLarge { bytes: 52_428_800, limit: 4_194_304 },
    }];
    outcome.coverage.calls = Calls { resolved: 45, external: 30, builtin: 20, unresolved: 5 };
    partial(outcome, FileId(1))
}

fn path(rule: &Arc<Rule>, files: &[SourceFile]) -> Finding {
    let steps = [
        ("atlas/planner.py", "gather_facts(city)", "`plan_trip` calls `gather_facts`"),
        ("atlas/facts.py", "net.fetch_json(f\"{CITIES}/{city}\")", "`gather_facts` calls `fetch_json`"),
        ("atlas/net.py", "urlopen(url)", "`fetch_json` calls `urllib.request.urlopen` (network)"),
    ];
    let steps: Vec<_> = steps
        .into_iter()
        .map(|(path, code, text)| Step {
            place: place(files, path, code, 0),
            text: text.to_owned(),
            why: "resolved by a definition or an import, high confidence".to_owned(),
        })
        .collect();
    let mut finding = finding(rule, steps[0].place, "`plan_trip` can reach network while planning");
    finding.steps = steps;
    finding.via = Some(via(files));
    finding
}
