//! The GitHub Action: what its steps do in a runner, and what must hold of its text.

use std::fs;

use super::runner::{Runner, entries, yaml};
use super::{have, root};

const RED: &str = "import requests\n\n\ndef f(u):\n    return requests.get(u)\n";
const TOOLS: [&str; 3] = ["bash", "tar", "gzip"];

fn output<'s>(step: &'s super::runner::Step, name: &str) -> &'s str {
    step.outputs.get(name).map_or("", String::as_str)
}

#[test]
fn findings_are_told_everywhere_and_fail_the_run_last() {
    if !have(&TOOLS) {
        return;
    }
    let runner = Runner::new(&[("agent.py", RED)]);
    let step = runner.check(&[]);
    assert_eq!(step.code, 0, "{step:?}");
    let outputs = ["findings-count", "exit-code", "incomplete", "version", "sarif-file", "upload"];
    let outputs = outputs.map(|name| output(&step, name));
    assert_eq!(outputs, ["1", "1", "false", env!("CARGO_PKG_VERSION"), "", ""]);
    assert!(step.log.contains("::error file=agent.py,line=5,"), "{step:?}");
    assert!(step.summary.starts_with("## gatelint: 1 error\n"), "{step:?}");
    assert_eq!(runner.verdict(&step), 1);

    let again = runner.check(&[("annotations", "false")]);
    assert_eq!(again.summary.matches("## gatelint: 1 error\n").count(), 2, "appended: {again:?}");
    assert!(!again.log.contains("::error") && again.log.contains("agent.py:5:12: error[GL102]"), "{again:?}");
}

#[test]
fn what_is_clean_or_incomplete_is_told() {
    if !have(&TOOLS) {
        return;
    }
    let runner = Runner::new(&[("agent.py", "x = 1\n")]);
    let clean = runner.check(&[]);
    assert_eq!((output(&clean, "findings-count"), runner.verdict(&clean)), ("0", 0));
    runner.write("large.py", &"#".repeat(5 << 20));
    let incomplete = runner.check(&[("summary", "false")]);
    assert_eq!((output(&incomplete, "incomplete"), runner.verdict(&incomplete)), ("true", 4));
    assert_eq!(incomplete.summary, clean.summary, "no summary was asked for");
    runner.write("gatelint.toml", "nonsense = 1\n");
    let none = runner.check(&[("sarif", "true")]);
    assert_eq!((output(&none, "exit-code"), output(&none, "incomplete")), ("2", "true"));
    assert_eq!((output(&none, "sarif-file"), runner.verdict(&none)), ("", 2));
    assert!(none.summary.contains("## gatelint: no verdict (exit code 2)\n"), "{none:?}");
}

#[test]
fn inputs_reach_the_command_line() {
    if !have(&TOOLS) {
        return;
    }
    let runner = Runner::new(&[
        ("part/agent.py", RED),
        ("part/two words/b.py", "import socket\n"),
        ("part/own.toml", "[layers]\ncomm = [\"part/agent.py\"]\n"),
        ("part/known.json", "{}"),
    ]);
    let part = ("working-directory", "part");
    let count = |inputs: &[(&str, &str)]| {
        let step = runner.check(&[&[part], inputs].concat());
        (output(&step, "findings-count").to_owned(), output(&step, "exit-code").to_owned())
    };
    let pair = |count: &str, code: &str| (count.to_owned(), code.to_owned());
    assert_eq!(count(&[]), pair("2", "1"));
    assert_eq!(count(&[("paths", "  two words \n\n")]), pair("1", "1"));
    assert_eq!(count(&[("paths", "two words\nagent.py\n")]), pair("2", "1"));
    assert_eq!(count(&[("config", "own.toml")]), pair("1", "1"));
    assert_eq!(count(&[("args", "--ignore\nGL101\n--exit-zero")]), pair("1", "0"));
    assert_eq!(count(&[("min-confidence", "high"), ("fail-on", "warning")]), pair("2", "1"));
    assert_eq!(count(&[("baseline", "known.json")]).1, "2", "that is no baseline");
    assert_eq!(count(&[("fail-on", "nonsense")]).1, "2");
}

/// The folder of the workspace as a repository with one commit, whose name comes back.
fn committed(runner: &super::runner::Runner) -> String {
    let git = |args: &[&str]| {
        let mut git = super::clean("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
            .args(args);
        super::ok(git.current_dir(runner.path("workspace")))
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "A"]);
    git(&["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn a_pull_request_that_loosens_the_policy_is_stopped() {
    if !have(&[&TOOLS[..], &["git"]].concat()) {
        return;
    }
    let mut runner = Runner::new(&[
        ("part/atlas/comm/net.py", "x = 1\n"),
        ("part/atlas/agent.py", RED),
        ("part/gatelint.toml", "[layers]\ncomm = [\"atlas/comm\"]\n"),
        (".gitattributes", "gatelint.toml export-ignore\n"),
    ]);
    fs::remove_dir(runner.path("workspace/.git")).unwrap();
    runner.base = committed(&runner);
    let check = |runner: &Runner, inputs: &[(&str, &str)]| {
        let step =
            runner.check(&[&[("working-directory", "part"), ("annotations", "false")], inputs].concat());
        assert!(!step.log.contains("cannot"), "{step:?}");
        step
    };
    let same = check(&runner, &[]);
    assert_eq!(output(&same, "findings-count"), "1", "{same:?}");
    runner.write("part/gatelint.toml", "[layers]\ncomm = [\"atlas/comm\", \"atlas/agent.py\"]\n");
    committed(&runner);
    let loose = check(&runner, &[]);
    assert_eq!((output(&loose, "findings-count"), output(&loose, "exit-code")), ("1", "1"), "{loose:?}");
    assert!(
        loose.log.contains("gatelint.toml:2:23: error[GL006] `atlas/agent.py` in `layers.comm`"),
        "{loose:?}"
    );
    assert_eq!(output(&check(&runner, &[("base", "none")]), "exit-code"), "0");
    runner.write("part/then.toml", "[layers]\ncomm = [\"atlas/comm\", \"atlas/agent.py\"]\n");
    assert_eq!(output(&check(&runner, &[("base", "then.toml")]), "exit-code"), "0");
    for hostile in ["--upload-pack=id", "HEAD; id", "0000"] {
        runner.base = hostile.to_owned();
        let step = runner.check(&[]);
        assert_eq!(step.code, 2);
        assert!(step.log.contains("is not a commit"), "{step:?}");
    }
    runner.base = "0".repeat(40);
    let gone = runner.check(&[]);
    assert!(gone.code == 2 && gone.log.contains("cannot fetch"), "{gone:?}");
}

#[test]
fn sarif_is_uploaded_where_that_is_allowed() {
    if !have(&TOOLS) {
        return;
    }
    let mut runner = Runner::new(&[("agent.py", RED)]);
    let upload = runner.check(&[("sarif", "true")]);
    assert_eq!(output(&upload, "upload"), "true");
    let sarif: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(output(&upload, "sarif-file")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    let file = runner.check(&[("sarif", "file")]);
    assert_eq!((output(&file, "upload"), output(&file, "sarif-file").is_empty()), ("", false));
    runner.fork = true;
    let fork = runner.check(&[("sarif", "true")]);
    assert_eq!((output(&fork, "upload"), output(&fork, "sarif-file").is_empty()), ("", false));
    assert!(fork.log.contains("a pull request of a fork may not upload"), "{fork:?}");
    assert_eq!(runner.verdict(&fork), 1);
}

#[test]
fn nothing_runs_unless_the_checksum_is_right() {
    if !have(&TOOLS) {
        return;
    }
    let runner = Runner::new(&[("agent.py", RED)]);
    let wrong = "0".repeat(64);
    let shouted = runner.checksum.to_uppercase();
    assert_eq!(runner.check(&[("checksum", &shouted)]).code, 0);
    for (inputs, why) in [
        (vec![("checksum", wrong.as_str())], "nothing was run"),
        (vec![("checksum", "")], "no checksum of `gatelint-"),
        (vec![("checksum", "abc")], "no checksum of `gatelint-"),
        (vec![("archive", ""), ("checksum", "")], "no checksum of `gatelint-"),
        (vec![("archive", "none.tar.gz")], "there is no archive `none.tar.gz`"),
        (vec![("archive", "http://example.org/gatelint.tar.gz")], "is not an https address"),
        (vec![("version", "9.9.9")], "not 9.9.9"),
        (vec![("version", "latest; id")], "`latest; id` is not a version"),
    ] {
        let step = runner.check(&inputs);
        assert_eq!((step.code, output(&step, "exit-code")), (2, ""), "{step:?}");
        let complaint = step.log.lines().find(|line| line.starts_with("::error title=gatelint::"));
        assert!(complaint.is_some_and(|line| line.contains(why)), "{why}: {step:?}");
        assert_ne!(runner.verdict(&step), 0, "what did not run is not clean");
    }
}

#[test]
fn an_archive_that_is_listed_needs_no_checksum() {
    if !have(&TOOLS) {
        return;
    }
    let mut runner = Runner::new(&[("agent.py", RED)]);
    let own = runner.path("action");
    fs::create_dir_all(own.join("action")).unwrap();
    for file in ["Cargo.toml", "action/run.sh", "action/checksums.txt"] {
        fs::copy(root().join(file), own.join(file)).unwrap();
    }
    runner.action = own;
    let list = runner.action.join("action/checksums.txt");
    let listed = |sum: &str| {
        let name = runner.archive.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(root().join("action/checksums.txt")).unwrap();
        fs::write(&list, format!("{text}{sum}  {name}\n")).unwrap();
        runner.check(&[("checksum", "")])
    };
    let known = listed(&runner.checksum);
    assert_eq!((known.code, output(&known, "findings-count")), (0, "1"), "{known:?}");
    assert!(listed(&"0".repeat(64)).log.contains("nothing was run"));
}

#[test]
fn hostile_inputs_and_names_stay_words() {
    if !have(&TOOLS) {
        return;
    }
    let name = "::error file=x::100%\n::warning::y.py";
    let runner =
        Runner::new(&[("agent.py", RED), (name, "import socket\n"), ("$(touch pwned).py", "x = 1\n")]);
    let found = runner.check(&[("sarif", "true")]);
    assert_eq!(output(&found, "findings-count"), "2", "{found:?}");
    let ours = |line: &str| line.starts_with("::error file=") && !line.starts_with("::error file=x::");
    let commands: Vec<_> = found.log.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    assert!(commands.len() == 2 && commands.iter().all(|line| ours(line)), "{commands:?}");
    assert!(
        found.log.contains("file=%3A%3Aerror file=x%3A%3A100%25%0A%3A%3Awarning%3A%3Ay.py,"),
        "{found:?}"
    );
    for input in [
        "paths",
        "args",
        "config",
        "baseline",
        "fail-on",
        "min-confidence",
        "working-directory",
        "sarif",
        "annotations",
        "summary",
        "version",
        "archive",
        "checksum",
    ] {
        for evil in ["$(touch pwned)`touch pwned`", "a' \"; touch pwned", "a\u{1b}b", "a\r::error::b"] {
            let step = runner.check(&[(input, evil)]);
            assert!(step.code != 0 || output(&step, "exit-code") == "2", "{input}={evil}: {step:?}");
            let commands = step.log.lines().filter(|line| line.trim_start().starts_with("::"));
            assert!(
                commands.into_iter().all(|line| line.starts_with("::error title=gatelint::")),
                "{step:?}"
            );
            assert!(!step.log.contains('\r'), "{step:?}");
        }
    }
    let several = runner.check(&[("paths", "--exit-zero\n$(touch pwned).py\nagent.py")]);
    assert_eq!(output(&several, "exit-code"), "2", "a path is no option: {several:?}");
    let odd = runner.check(&[("paths", "$(touch pwned).py")]);
    assert_eq!(output(&odd, "exit-code"), "0", "{odd:?}");
    let workspace = fs::read_dir(runner.path("workspace")).unwrap();
    assert!(workspace.into_iter().all(|entry| entry.unwrap().file_name() != "pwned"));
}

#[test]
fn a_full_summary_is_not_made_larger() {
    if !have(&TOOLS) {
        return;
    }
    let runner = Runner::new(&[("agent.py", RED)]);
    fs::write(runner.path("summary.md"), "x".repeat(900 << 10)).unwrap();
    let step = runner.check(&[]);
    assert!(step.summary.ends_with("xx\ngatelint: this summary has no room for another one.\n"));
}

/// What no run would show: text that a later edit could break.
#[test]
fn the_text_of_the_action_keeps_its_rules() {
    let action = yaml("action.yml");
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let script = fs::read_to_string(root().join("action/run.sh")).unwrap();
    let steps = action["runs"]["steps"].as_vec().unwrap();
    for step in steps {
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step:?}");
        if let Some(uses) = step["uses"].as_str() {
            let (_, commit) = uses.split_once('@').unwrap();
            assert!(commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()), "{uses}");
            assert_eq!(step["continue-on-error"].as_bool(), Some(true), "{uses}");
        }
    }
    for (input, _) in entries(&action["inputs"]) {
        assert_eq!(text.matches(&format!("${{{{ inputs.{input} }}}}")).count(), 1, "{input}");
    }
    for (variable, _) in entries(&steps[0]["env"]) {
        assert!(
            script.contains(&format!("${variable}")) || script.contains(&format!("${{{variable}")),
            "{variable}"
        );
    }
    for (output, value) in entries(&action["outputs"]) {
        let wanted = format!("${{{{ steps.check.outputs.{output} }}}}");
        assert_eq!(value["value"].as_str(), Some(wanted.as_str()));
        assert!(script.contains(&format!("output {output} ")), "{output}");
    }
    let last = steps.last().unwrap()["run"].as_str().unwrap();
    assert!(last.ends_with(" gate"), "the verdict comes last");
}
