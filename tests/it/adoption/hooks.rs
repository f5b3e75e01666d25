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
    assert!(code == 0 && log.contains("no files to check"), "{log}");
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
