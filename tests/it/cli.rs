//! The command line: exit codes, help, colours, output files, pipes.

use std::fs;
use std::process::Stdio;

use gatelint::exit::{ExitCode, Threshold, exit_code};
use gatelint::finding::{Confidence, Gap, Outcome, Severity};
use gatelint::source::{FileId, Skip, Skipped, SourceFile};

use crate::support::{Project, Run, sample};

const THRESHOLD: Threshold = Threshold { fail_on: Severity::Error, min_confidence: Confidence::Medium };

fn with(rule: &str, severity: Severity, confidence: Confidence) -> Outcome {
    let mut outcome = sample::clean(vec![SourceFile::new("a.py", "f()\n")]);
    let rule = sample::rule(rule, "some-rule", severity);
    let mut finding = sample::finding(&rule, sample::place(&outcome.files, "a.py", "f()", 0), "`f` is wrong");
    finding.confidence = confidence;
    outcome.findings.push(finding);
    outcome
}

fn skipping(mut outcome: Outcome) -> Outcome {
    outcome.coverage.skipped.push(Skipped { path: "b.py".into(), why: Skip::NameNotUtf8 });
    outcome
}

#[test]
fn findings_count_by_severity_and_confidence() {
    let code = |severity, confidence, fail_on, min_confidence| {
        exit_code(&with("GL101", severity, confidence), Threshold { fail_on, min_confidence })
    };
    use Confidence::{Low, Medium};
    use Severity::{Error, Note, Warning};
    assert_eq!(code(Error, Medium, Error, Medium), ExitCode::Findings);
    assert_eq!(code(Warning, Medium, Error, Medium), ExitCode::Clean);
    assert_eq!(code(Warning, Medium, Warning, Medium), ExitCode::Findings);
    assert_eq!(code(Note, Medium, Note, Medium), ExitCode::Findings);
    assert_eq!(code(Error, Low, Error, Medium), ExitCode::Clean);
    assert_eq!(code(Error, Low, Error, Low), ExitCode::Findings);
}

#[test]
fn incomplete_is_not_clean_and_findings_come_first() {
    let clean = || sample::clean(vec![SourceFile::new("a.py", "")]);
    assert_eq!(exit_code(&clean(), THRESHOLD), ExitCode::Clean);
    assert_eq!(exit_code(&skipping(clean()), THRESHOLD), ExitCode::Incomplete);
    assert_eq!(exit_code(&sample::partial(clean(), FileId(0)), THRESHOLD), ExitCode::Incomplete);
    assert_eq!(exit_code(&sample::incomplete(), THRESHOLD), ExitCode::Incomplete);
    let found = || with("GL101", Severity::Error, Confidence::High);
    assert_eq!(exit_code(&skipping(found()), THRESHOLD), ExitCode::Findings);
    let mut found = found();
    found.coverage.incomplete = sample::incomplete().coverage.incomplete;
    assert_eq!(exit_code(&found, THRESHOLD), ExitCode::Incomplete, "at a limit there may be more to find");
    found.coverage.incomplete.retain(|gap| gap.kind != Gap::LimitReached);
    assert_eq!(exit_code(&found, THRESHOLD), ExitCode::Findings);
    assert_eq!(exit_code(&sample::clean(Vec::new()), THRESHOLD), ExitCode::NothingToScan);
    assert_eq!(exit_code(&skipping(sample::clean(Vec::new())), THRESHOLD), ExitCode::Incomplete);
}

#[test]
fn rules_about_the_scan_do_not_stand_in_for_findings() {
    let strict = Threshold { fail_on: Severity::Warning, ..THRESHOLD };
    let unparsed = || with("GL001", Severity::Warning, Confidence::High);
    assert_eq!(
        exit_code(&unparsed(), THRESHOLD),
        ExitCode::Clean,
        "what is not read whole says so by itself"
    );
    assert_eq!(exit_code(&unparsed(), strict), ExitCode::Findings);
    assert_eq!(exit_code(&skipping(unparsed()), strict), ExitCode::Incomplete);
}

#[test]
fn every_code_from_the_outside() {
    let clean = Project::new(&[("a.py", "")]);
    assert_eq!(clean.run(&["check"]).code, 0);
    assert_eq!(clean.run(&["check", "no/such/path"]).code, 2);
    assert_eq!(clean.run(&["check", "--fail-on", "nonsense"]).code, 2);
    assert_eq!(clean.run(&["check", "--config", "none.toml"]).code, 2);
    assert_eq!(clean.run(&["check", "--select", "planning"]).code, 2);
    assert_eq!(clean.run(&["check", "--select", "GL999"]).code, 2);
    assert_eq!(clean.run(&["explain", "GL999"]).code, 2);
    assert_eq!(clean.run(&["nonsense"]).code, 2);
    assert_eq!(clean.run(&["--help"]).code, 0);
    let empty = Project::new(&[]);
    assert_eq!(empty.run(&["check"]).code, 3);
    assert_eq!(empty.run(&["check", "--exit-zero"]).code, 3, "there is no report to read");
    let wrong = Project::new(&[("a.py", ""), ("gatelint.toml", "x = 1\n")]);
    let ran = wrong.run(&["check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("error: a mistake in `gatelint.toml`"), "{ran:?}");
    assert_eq!(wrong.run(&["check", "--isolated"]).code, 0);
}

#[test]
fn findings_from_the_outside() {
    let project =
        Project::new(&[("agent.py", "import requests\n\n\ndef f(u):\n    return requests.get(u)\n")]);
    assert_eq!(project.run(&["check"]).code, 1);
    assert_eq!(project.run(&["check", "--exit-zero"]).code, 0);
    assert_eq!(project.run(&["check", "--format", "sarif"]).code, 1, "the same for every format");
    assert_eq!(project.run(&["check", "--ignore", "GL1"]).code, 0);
    assert_eq!(project.run(&["check", "--select", "gl2,GL001"]).code, 0);
    let ids = |args: &[&str]| {
        let report = project.run(args).json();
        let findings = report["findings"].as_array().unwrap().iter();
        findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["check", "--format", "json"]), ["GL102", "GL101"], "the import is covered");
    assert_eq!(ids(&["check", "--format", "json", "--ignore", "GL1", "--select", "GL102"]), ["GL102"]);
    project.write("gatelint.toml", "[layers]\ncomm = [\"agent.py\"]\n");
    assert_eq!(project.run(&["check"]).code, 0, "the comm layer may");
    project.write("gatelint.toml", "exclude = [\"agent.py\"]\n");
    assert_eq!(project.run(&["check"]).code, 3, "nothing is left");
}

#[test]
fn messages_say_what_and_what_to_do() {
    let project = Project::new(&[("a.py", "")]);
    let stderr = |args: &[&str]| project.run(args).stderr;
    assert_eq!(stderr(&["check", "nope"]), "error: cannot scan `nope`: no such file or folder\n");
    assert_eq!(
        stderr(&["explain", "GL999"]),
        "error: no rule is called `GL999`; `gatelint rules` lists them all\n"
    );
    let unreadable = stderr(&["check", "--config", "none.toml"]);
    assert_eq!(unreadable, "error: cannot read the configuration `none.toml`: no such file or folder\n");
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(Project::new(&[]).run(&["--help"]).stdout);
}

#[test]
fn help_of_check() {
    insta::assert_snapshot!(Project::new(&[]).run(&["check", "--help"]).stdout);
}

#[test]
fn colours_are_for_those_who_want_them() {
    let project = Project::new(&[("a.py", "")]);
    let coloured = |args: &[&str], env: &[(&str, &str)]| {
        let run = env.iter().fold(Run::new(args), |run, (name, value)| run.env(name, value));
        run.within(project.path()).ran().stdout.contains('\u{1b}')
    };
    assert!(!coloured(&["check"], &[]), "a pipe is no terminal");
    assert!(coloured(&["check", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["check", "--color", "never"], &[("FORCE_COLOR", "1")]));
    assert!(coloured(&["check"], &[("FORCE_COLOR", "1")]));
    assert!(coloured(&["check"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(!coloured(&["check"], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
    assert!(!coloured(&["check", "--format", "json"], &[("FORCE_COLOR", "1")]), "data has no colour");
}

#[test]
fn a_report_in_a_file_is_whole_and_plain() {
    let project = Project::new(&[("a.py", ""), ("report.json", "old")]);
    let run = Run::new(&["check", "--format", "json", "--output", "report.json"]).env("FORCE_COLOR", "1");
    let ran = run.within(project.path()).ran();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let text = fs::read_to_string(project.path().join("report.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["version"], 1);
    let left: Vec<_> =
        fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
    let human = Run::new(&["check", "--output", "report.txt"]).env("FORCE_COLOR", "1");
    assert_eq!(human.within(project.path()).ran().code, 0);
    assert!(!fs::read_to_string(project.path().join("report.txt")).unwrap().contains('\u{1b}'));
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let project = Project::new(&[("a.py", "")]);
    let ran = project.run(&["check", "--output", "no/such/folder/report.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot write the report to `no/such/folder/report.json`"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_report_goes_to_a_device_as_it_is() {
    let project = Project::new(&[("a.py", "")]);
    let ran = project.run(&["check", "--output", "/dev/stdout"]);
    assert!(ran.code == 0 && ran.stdout.contains("no findings"), "{ran:?}");
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let project = Project::new(&[("a.py", "")]);
    for args in [&["check"][..], &["check", "--format", "sarif"], &["rules"]] {
        let mut command = Run::new(args).within(project.path()).command();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn machine_readable_reports_leave_a_word_on_standard_error() {
    let project = Project::new(&[]);
    let ran = project.run(&["check", "--format", "sarif"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (3, "gatelint: nothing to scan\n"));
}

#[test]
fn one_check_writes_several_reports() {
    let project = Project::new(&[("a.py", "import requests\n")]);
    let ran =
        project.run(&["check", "--format", "concise", "--also", "sarif=a.sarif", "--also", "json=a=b.json"]);
    assert_eq!((ran.code, &ran.stdout), (1, &project.run(&["check", "--format", "concise"]).stdout));
    for (format, file) in [("sarif", "a.sarif"), ("json", "a=b.json")] {
        let written = fs::read_to_string(project.path().join(file)).unwrap();
        assert_eq!(written, project.run(&["check", "--format", format]).stdout);
    }
    for (also, why) in [
        ("a.sarif", "say which format and which file"),
        ("xml=a.xml", "no format is called `xml`"),
        ("sarif=", "say which format and which file"),
        ("sarif=none/a.sarif", "cannot write the report to `none/a.sarif`"),
    ] {
        let ran = project.run(&["check", "--also", also]);
        assert!(ran.code == 2 && ran.stderr.contains(why), "{ran:?}");
    }
}

#[test]
fn every_shell_has_completions() {
    let project = Project::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = project.run(&["completions", shell]);
        assert_eq!(script.code, 0);
        for word in ["baseline", "min-confidence"] {
            assert!(script.stdout.contains(word), "{shell} knows no `{word}`");
        }
    }
    assert_eq!(project.run(&["completions", "cmd"]).code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::new(&[]);
    let page = |command: &[&str]| {
        let ran = project.run(&[&["man"], command].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    };
    let program = page(&[]);
    assert!(program.contains(".TH gatelint 1") && program.contains("gatelint\\-check(1)"), "{program}");
    assert!(page(&["check"]).contains("\\fB\\-\\-min\\-confidence\\fR"));
    assert!(page(&["baseline", "write"]).contains(".TH gatelint-baseline-write 1"));
    let none = project.run(&["man", "baseline", "grow"]);
    assert_eq!(none.stderr, "error: there is no command `baseline grow`; `gatelint --help` lists them all\n");
}

#[test]
fn timings_are_no_part_of_the_report() {
    let project = Project::new(&[("a.py", "")]);
    let ran = project.run(&["check", "--timings"]);
    assert!(
        ran.stderr.contains("discover") && ran.stderr.contains("1 files") && ran.stderr.contains("total"),
        "{ran:?}"
    );
    assert_eq!(ran.stdout, project.run(&["check"]).stdout);
}

#[test]
fn the_list_of_rules_is_data_too() {
    let project = Project::new(&[]);
    let list = project.run(&["rules", "--format", "json"]).json();
    assert_eq!(list["version"], 1);
    let ids: Vec<_> =
        list["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"GL101") && ids.is_sorted(), "{ids:?}");
}

#[test]
fn a_rule_is_explained_by_id_or_name() {
    let project = Project::new(&[]);
    let page = project.run(&["explain", "GL101"]).stdout;
    assert!(page.starts_with("# GL101 direct-network-import\n"), "{page}");
    assert_eq!(project.run(&["explain", "gl101"]).stdout, page);
    assert_eq!(project.run(&["explain", "direct-network-import"]).stdout, page);
}
