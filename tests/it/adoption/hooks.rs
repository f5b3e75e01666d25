//! The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself in a repository of their own.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::runner::{entries, yaml};
use super::{binary, clean, have, ok, ran, root};

const CLEAN: &str = "def plan_trip(city):\n    return [city]\n";
const NET: &str = "import requests\n\n\ndef fetch(city):\n    return requests.get(city)\n";
const PLANNER: &str = "from agent.comm.net import fetch\n\n\ndef plan_trip(city):\n    return fetch(city)\n";

/// A repository that uses a hook of another one.
struct Scratch {
    dir: TempDir,
}

impl Scratch {
    /// `args` as a user writes them; none means those of the hook.
    fn new(args: Option<&str>) -> Self {
        let scratch = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(scratch.path("hooks")).unwrap();
        fs::copy(root().join(".pre-commit-hooks.yaml"), scratch.path("hooks/.pre-commit-hooks.yaml"))
            .unwrap();
        for folder in ["hooks", "work"] {
            fs::create_dir_all(scratch.path(folder)).unwrap();
            ok(scratch.git(folder).args(["init", "--quiet"]));
        }
        ok(scratch.git("hooks").args(["add", "--all"]));
        ok(scratch.git("hooks").args(["commit", "--quiet", "--message", "Hooks"]));
        let revision = ok(scratch.git("hooks").args(["rev-parse", "HEAD"]));
        let hooks = scratch.path("hooks");
        let args = args.map(|args| format!("        args: {args}\n")).unwrap_or_default();
        let config = format!(
            "repos:\n  - repo: {}\n    rev: {}\n    hooks:\n      - id: gatelint-system\n{args}",
            hooks.display(),
            revision.trim()
        );
        scratch.write(".pre-commit-config.yaml", &config);
        ok(scratch.tool("pre-commit", "work").args(["install"]));
        scratch
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn tool(&self, program: &str, folder: &str) -> Command {
        let mut command = clean(program);
        let path = std::env::var("PATH").unwrap_or_default();
        let own = binary().parent().map(Path::to_owned).unwrap_or_default();
        command.env("PATH", format!("{}:{path}", own.display())).current_dir(self.path(folder));
        command.env("HOME", self.dir.path()).env("PRE_COMMIT_HOME", self.path("cache"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        command
    }

    fn git(&self, folder: &str) -> Command {
        self.tool("git", folder)
    }

    fn commit(&self) -> (i32, String) {
        ok(self.git("work").args(["add", "--all"]));
        ran(self.git("work").args(["commit", "--message", "Change"]))
    }
}

#[test]
fn a_red_line_is_not_committed_and_a_clean_change_is() {
    if !have(&["git", "pre-commit"]) {
        return;
    }
    let scratch = Scratch::new(None);
    scratch.write("agent/planner.py", CLEAN);
    scratch.write("agent/comm/net.py", NET);
    scratch.write("notes.md", "a note\n");
    let (code, log) = scratch.commit();
    assert!(code == 0 && log.contains("gatelint") && log.contains("Passed"), "{log}");

    scratch.write("agent/planner.py", PLANNER);
    let (code, log) = scratch.commit();
    assert!(code != 0 && log.contains("[GL201]"), "the path leads through a file that did not change: {log}");
    assert!(log.contains("agent/comm/net.py:5"), "{log}");

    scratch.write("agent/planner.py", CLEAN);
    scratch.write("agent/other.py", "x = 1\n");
    assert_eq!(scratch.commit().0, 0);
    fs::remove_file(scratch.path("work/agent/other.py")).unwrap();
    fs::rename(scratch.path("work/agent/planner.py"), scratch.path("work/agent/plan.py")).unwrap();
    let (code, log) = scratch.commit();
    assert_eq!(code, 0, "files that are gone stop nothing: {log}");
    scratch.write("notes.md", "another note\n");
    let (code, log) = scratch.commit();
    assert!(code == 0 && log.contains("Passed"), "{log}");
    scratch.write("picture.svg", "<svg/>\n");
    let (code, log) = scratch.commit();
    assert!(code == 0 && log.contains("no files to check"), "{log}");
}

/// A planner that calls a helper, which calls another one; nothing reaches out yet.
fn with_baseline(files: &[(&str, &str)], config: &str) -> Scratch {
    let scratch = Scratch::new(None);
    for (path, text) in files {
        scratch.write(path, text);
    }
    scratch.write("gatelint.toml", &format!("{config}\n[baseline]\nfile = \"gatelint-baseline.json\"\n"));
    ok(scratch.tool("gatelint", "work").args(["baseline", "write"]));
    let (code, log) = scratch.commit();
    assert!(code == 0 && log.contains("Passed"), "{log}");
    scratch
}

#[track_caller]
fn is_stopped(scratch: &Scratch, rule: &str, at: &[&str]) {
    let (code, log) = scratch.commit();
    assert!(code != 0 && log.contains(&format!("[{rule}]")), "{log}");
    at.iter().for_each(|at| assert!(log.contains(at), "{at}: {log}"));
}

#[test]
fn a_change_of_a_helper_alone_shows_the_path_that_it_opens() {
    if !have(&["git", "pre-commit"]) {
        return;
    }
    let helper =
        |body: &str| format!("from agent.comm.net import fetch\n\n\ndef look_up(city):\n    {body}\n");
    let files = [
        ("agent/__init__.py", ""),
        ("agent/comm/__init__.py", ""),
        ("agent/comm/net.py", NET),
        ("agent/helper.py", &helper("return [city]")),
        (
            "agent/planner.py",
            "from agent.helper import look_up\n\n\ndef plan_trip(city):\n    return look_up(city)\n",
        ),
        ("agent/old.py", "import socket\n"),
    ];
    let scratch = with_baseline(&files, "");
    scratch.write("agent/helper.py", &helper("return fetch(city)"));
    is_stopped(&scratch, "GL201", &["agent/planner.py:5", "agent/helper.py:5", "agent/comm/net.py:5"]);
    scratch.write("agent/helper.py", &helper("return [fetch]"));
    assert_eq!(scratch.commit().0, 0, "what the baseline knows stops nothing");
}

/// No step of the finding lies in the file that changed: only the baseline tells that it is new.
#[test]
fn a_gate_that_is_taken_away_elsewhere_stops_the_commit() {
    if !have(&["git", "pre-commit"]) {
        return;
    }
    let files = [
        ("agent/__init__.py", ""),
        ("agent/helper.py", "def is_live():\n    return False\n"),
        ("agent/names.py", "fetch = None\n"),
        (
            "agent/planner.py",
            "from agent import names\n\n\ndef plan_trip(city):\n    return names.fetch(city)\n",
        ),
        ("agent/net.py", "import requests\n\n\ndef fetch(city):\n    return requests.get(city)\n"),
    ];
    let scratch = with_baseline(&files, "");
    scratch.write("agent/names.py", "from agent.net import fetch\n");
    is_stopped(&scratch, "GL201", &["agent/planner.py:5", "agent/net.py:5"]);
}

#[test]
fn a_rust_crate_is_checked_as_well() {
    if !have(&["git", "pre-commit"]) {
        return;
    }
    let helper = |body: &str| format!("pub fn look_up(city: &str) -> Option<String> {{\n    {body}\n}}\n");
    let files = [
        ("Cargo.toml", "[package]\nname = \"agent\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/main.rs", "mod helper;\nmod planner;\nfn main() {}\n"),
        ("src/helper.rs", &helper("Some(city.to_owned())")),
        (
            "src/planner.rs",
            "use crate::helper::look_up;\n\npub fn plan_trip(city: &str) -> Option<String> {\n    look_up(city)\n}\n",
        ),
    ];
    let scratch = with_baseline(&files, "");
    scratch.write("src/helper.rs", &helper("reqwest::blocking::get(city).ok()?.text().ok()"));
    is_stopped(&scratch, "GL201", &["src/planner.rs:4", "src/helper.rs:2"]);
}

#[test]
fn a_changed_prompt_and_a_changed_configuration_are_checked() {
    if !have(&["git", "pre-commit"]) {
        return;
    }
    let prompt = |phase: &str| {
        format!(
            "Declare a need:\n\n```json\n{{\"operation\": \"comm.search\", \"parameters\": {{\"query\": \"a\"}}, \"justification\": \
             \"prices change daily\", \"phase\": \"{phase}\", \"session_id\": \"s1\"}}\n```\n"
        )
    };
    let files = [
        ("agent/__init__.py", ""),
        ("agent/comm/__init__.py", ""),
        ("agent/comm/net.py", NET),
        ("agent/planner.py", CLEAN),
        ("prompts/search.md", &prompt("execution")),
    ];
    let prompts = "[prompts]\nfiles = [\"prompts/*.md\"]\n";
    let scratch = with_baseline(&files, prompts);
    scratch.write("prompts/search.md", &prompt("planning"));
    is_stopped(&scratch, "GL503", &["prompts/search.md:4"]);
    scratch.write("prompts/search.md", &(prompt("execution") + "Be brief.\n"));
    assert_eq!(scratch.commit().0, 0);
    // Code that nobody touched is judged by the configuration that changed.
    let config = "[layers]\ncomm = [\"agent/channel/**\"]\n[baseline]\nfile = \"gatelint-baseline.json\"\n";
    scratch.write("gatelint.toml", &format!("{prompts}{config}"));
    is_stopped(&scratch, "GL102", &["agent/comm/net.py:5"]);
}

#[test]
fn long_lists_and_odd_names_change_no_verdict() {
    if !have(&["git", "pre-commit"]) {
        return;
    }
    let scratch = Scratch::new(Some("[--fail-on, warning, --]"));
    // pre-commit splits a list that is longer than a command line may be.
    for n in 0..700 {
        scratch.write(&format!("agent/{}/{n}.py", "long".repeat(50)), "x = 1\n");
    }
    scratch.write("--exit-zero", "#!/usr/bin/env python3\nimport socket\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(scratch.path("work/--exit-zero"), mode).unwrap();
    let (code, log) = scratch.commit();
    assert!(code != 0 && log.contains("[GL101]") && log.contains("--exit-zero:2:1"), "{log}");
}

/// pre-commit itself says what a list of hooks may be.
#[test]
fn the_hooks_are_what_pre_commit_expects() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_vec().unwrap();
    let ids: Vec<_> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["gatelint", "gatelint-full", "gatelint-src", "gatelint-system"]);
    for hook in hooks {
        let keys: Vec<_> = entries(hook).into_iter().map(|(key, _)| key).collect();
        assert_eq!(hook["require_serial"].as_bool(), Some(true), "{keys:?}");
        let takes_names = hook["pass_filenames"].as_bool() != Some(false);
        let entry = hook["entry"].as_str().unwrap();
        assert_eq!(entry.ends_with(" --changed"), takes_names, "{entry}");
        assert_eq!(hook["args"][0].as_str(), takes_names.then_some("--"), "{entry}");
    }
    if have(&["pre-commit"]) {
        ok(clean("pre-commit").args(["validate-manifest", ".pre-commit-hooks.yaml"]).current_dir(root()));
    }
}
