//! The formats that are read line by line: `concise`, `github`, and counts alone.

use gatelint::finding::{Outcome, Severity};
use gatelint::report::{Format, ReportOptions, report};
use gatelint::source::SourceFile;

use crate::support::{Project, sample};

fn rendered(outcome: &Outcome, format: Format, statistics: bool) -> String {
    let options = ReportOptions { format, statistics, ..ReportOptions::default() };
    let mut out = Vec::new();
    report(outcome, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// So many findings of one severity, each on a line of its own; the last one is reachable by the agent.
fn crowd(count: usize, severity: Severity) -> Outcome {
    let code: String = (0..count).map(|n| format!("f({n})\n")).collect();
    let mut outcome = sample::clean(vec![SourceFile::new("a.py", code)]);
    let rule = sample::rule("GL102", "direct-network-call", severity);
    let found = (0..count).map(|n| {
        let place = sample::place(&outcome.files, "a.py", &format!("f({n})"), 0);
        sample::finding(&rule, place, &format!("`f` says {n}"))
    });
    outcome.findings = found.collect();
    let via = sample::via(&outcome.files);
    outcome.findings.last_mut().unwrap().via = Some(via);
    outcome
}

fn commands(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("::")).collect()
}

#[test]
fn concise_is_one_line_a_finding() {
    insta::assert_snapshot!(rendered(&sample::atlas(), Format::Concise, false));
}

#[test]
fn counts_without_findings() {
    insta::assert_snapshot!(rendered(&sample::atlas(), Format::Concise, true));
    let human = rendered(&sample::atlas(), Format::Human, true);
    assert!(!human.contains("error[") && human.contains("GL102  direct-network-call"), "{human}");
    let project = Project::new(&[("a.py", "")]);
    assert_eq!(project.run(&["check", "--statistics"]).code, 0);
    let ran = project.run(&["check", "--statistics", "--format", "github"]);
    assert_eq!((ran.code, ran.stderr.contains("`--statistics` is for the formats")), (2, true));
}

#[test]
fn github_writes_commands_and_a_log() {
    insta::assert_snapshot!(rendered(&sample::atlas(), Format::Github, false));
}

#[test]
fn github_names_the_worst_nine_and_counts_the_rest() {
    for (severity, command) in
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "notice")]
    {
        let ten = rendered(&crowd(10, severity), Format::Github, false);
        assert_eq!(commands(&ten).len(), 10);
        assert!(commands(&ten)[0].contains("`f` says 9"), "what an agent reaches comes first: {ten}");
        let more = rendered(&crowd(25, severity), Format::Github, false);
        let commands = commands(&more);
        assert!(commands.len() == 10 && commands[0].contains("`f` says 24"), "{more}");
        let rest = format!("::{command} title=gatelint::16 more of this level; ");
        assert!(commands[9].starts_with(&rest), "{more}");
    }
}

#[test]
fn github_has_room_for_what_was_not_understood() {
    let outcome = sample::partial(crowd(10, Severity::Warning), gatelint::source::FileId(0));
    let text = rendered(&outcome, Format::Github, false);
    assert_eq!(commands(&text).len(), 10);
    assert!(text.starts_with("::warning title=gatelint::not everything was understood"), "{text}");
    assert!(text.contains("\na.py:1: this file was only partly parsed"), "{text}");
}

#[test]
fn github_names_columns_on_one_line_only() {
    let mut outcome = sample::clean(vec![SourceFile::new("a,b: 100%.py", "f(\n  1)\ng()\n")]);
    let rule = sample::rule("GL102", "direct-network-call", Severity::Error);
    let place = |code| sample::place(&outcome.files, "a,b: 100%.py", code, 0);
    let places = [place("f(\n  1)"), place("g()")];
    outcome.findings = places.map(|place| sample::finding(&rule, place, "100 % `x`\n::error::y")).to_vec();
    let text = rendered(&outcome, Format::Github, false);
    let commands = commands(&text);
    assert!(
        commands[0].starts_with("::error file=a%2Cb%3A 100%25.py,line=1,endLine=2,title=GL102 "),
        "{text}"
    );
    assert!(commands[1].contains(".py,line=3,col=1,endLine=3,endColumn=4,title="), "{text}");
    assert!(commands[0].contains("::100 %25 `x`\\u{a}::error::y%0Ahelp: "), "{text}");
    assert_eq!(commands.len(), 2);
}
