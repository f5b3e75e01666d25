//! The `markdown` format: what a job summary shows, how large it may become, and that a scanned tree writes none of it.

use gatelint::finding::{Finding, Known, Outcome, Severity, Step, Waived};
use gatelint::report::{Format, ReportOptions, report};
use gatelint::source::{Skip, Skipped, SourceFile};

use crate::support::sample;

const LIMIT: usize = 900 << 10;

fn rendered(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    let options = ReportOptions { format: Format::Markdown, ..ReportOptions::default() };
    report(outcome, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The sample with a path of so many steps.
fn long_path(steps: usize) -> Outcome {
    let mut outcome = sample::atlas();
    outcome.findings.retain(|finding| finding.rule.id == "GL201");
    let between = outcome.findings[0].steps[1].place;
    let hop = |n| Step::seen(between, format!("`hop_{n}` calls `hop_{}`", n + 1));
    outcome.findings[0].steps = (0..steps).map(hop).collect();
    outcome
}

fn nodes(graph: &str) -> usize {
    graph.lines().filter(|line| line.trim_start().starts_with('s') && line.contains("[\"")).count()
}

#[test]
fn markdown_is_a_summary() {
    insta::assert_snapshot!(rendered(&sample::atlas()));
}

#[test]
fn a_long_path_is_collapsed() {
    let twelve = rendered(&long_path(12));
    assert!(nodes(&twelve) == 12 && !twelve.contains(" calls …"), "{twelve}");
    let text = rendered(&long_path(18));
    assert_eq!(nodes(&text), 12);
    assert!(text.contains("    s5[\"… 7 calls …\"]\n    s4 --> s5\n"), "{text}");
    assert!(text.contains("    s12[\"13. ") && text.contains("    s5 --> s12\n"), "numbers stay: {text}");
    assert!(text.contains("    class s17 effect\n"), "{text}");
}

#[test]
fn five_graphs_of_as_many_rules_as_there_are() {
    let mut outcome = sample::atlas();
    let path = outcome.findings.iter().find(|finding| finding.rule.id == "GL201").unwrap().clone();
    let other = sample::rule("GL511", "capture-triggers-io", Severity::Error);
    let mut last = Finding { rule: other, ..path.clone() };
    last.confidence = gatelint::finding::Confidence::Medium;
    outcome.findings = vec![path; 9];
    outcome.findings.push(last);
    let text = rendered(&outcome);
    assert_eq!(text.matches("```mermaid\n").count(), 5);
    let titles: Vec<_> = text.lines().filter(|line| line.starts_with("#### ")).collect();
    assert!(titles[0].contains("GL201") && titles[1].contains("GL511"), "{titles:?}");
}

#[test]
fn a_summary_stays_below_the_limit() {
    let mut outcome = sample::atlas();
    outcome.findings.iter_mut().for_each(|finding| finding.message = "|".repeat(2_000));
    let finding = outcome.findings[0].clone();
    outcome.findings.extend(vec![finding.clone(); 5_000]);
    let waived = Waived { waiver: finding.primary, finding, reason: "`".repeat(2_000) };
    outcome.waived = vec![waived; 5_000];
    let skipped = |n: usize| Skipped { path: format!("{n}{}", "%".repeat(1_000)), why: Skip::NotRegular };
    outcome.coverage.skipped = (0..5_000).map(skipped).collect();
    let text = rendered(&outcome);
    assert!(text.len() < LIMIT && text.len() > LIMIT / 4, "{}", text.len());
    assert_eq!(text.matches(" more; `gatelint check` lists all of them.").count(), 3);
}

#[test]
fn what_a_baseline_knows_is_counted_apart() {
    assert!(!rendered(&sample::atlas()).contains("in the baseline"));
    let mut outcome = sample::atlas();
    let findings = outcome.findings.split_off(3);
    outcome.known = Some(Known { file: "known.json".into(), findings, ..Known::default() });
    let text = rendered(&outcome);
    assert!(
        text.contains("| GL1 | direct-network-call, direct-network-import | 3 | 0 | 0 | 2 |\n"),
        "{text}"
    );
    assert!(text.contains("| GL2 | planning-phase-io | 0 | 0 | 0 | 1 |\n"), "{text}");
}

#[test]
fn a_tree_writes_no_markup() {
    let path = "a\"];x-->y[\"`|<b>\n```\n%%{init: {}}%%$&_www.e.py";
    let mut outcome = sample::clean(vec![SourceFile::new(path, "f()\n")]);
    let rule = sample::rule("GL201", "planning-phase-io", Severity::Error);
    let place = sample::place(&outcome.files, path, "f()", 0);
    let evil = "</code><img src=x onerror=y> ```\n# h\n|||[a](b) ![c](d) \"]; click s0 href \"javascript:x\"";
    let mut finding = sample::finding(&rule, place, evil);
    finding.steps = vec![Step::seen(place, evil.to_owned()), Step::seen(place, evil.to_owned())];
    outcome.findings = vec![finding];
    let text = rendered(&outcome);
    let ours = ["<code>", "</code>", "<br>"].iter().fold(text.clone(), |text, tag| text.replace(tag, ""));
    assert!(!ours.contains('<'), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("```")).count(), 2, "{text}");
    let (before, graph) = text.split_once("```mermaid\n").unwrap();
    let (graph, after) = graph.split_once("```").unwrap();
    let outside = format!("{before}{after}");
    assert!(!outside.contains("](") && !outside.contains("www.") && !outside.contains('*'), "{text}");
    for line in graph.lines().filter(|line| line.contains('[')) {
        assert!(line.matches('"').count() == 2 && line.ends_with("\"]"), "{line}");
        let label = line.split('"').nth(1).unwrap();
        assert!(!label.contains(['`', '%', '{', '[', ']', '&']), "{line}");
    }
    let cells = |row: &str| row.matches('|').count();
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("| error")).collect();
    assert!(rows.len() == 1 && cells(rows[0]) == 5, "{text}");
}
