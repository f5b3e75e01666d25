//! A runner of workflows in small: it reads `action.yml`, fills in its expressions, and runs its shell steps as they stand
//! there, with the files and variables that a runner gives them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

use super::{binary, clean, ok, ran, root};

pub const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The document of a file of the repository.
pub fn yaml(path: &str) -> Yaml {
    let text = fs::read_to_string(root().join(path)).unwrap();
    YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}")).remove(0)
}

/// Entries of a mapping whose keys are text.
pub fn entries(map: &Yaml) -> Vec<(&str, &Yaml)> {
    let entries = map.as_hash().into_iter().flatten();
    entries.map(|(key, value)| (key.as_str().unwrap(), value)).collect()
}

/// A job with a checked-out workspace and an archive of the binary under test.
pub struct Runner {
    dir: TempDir,
    /// Where the action is checked out.
    pub action: PathBuf,
    pub fork: bool,
    /// The tip of the base branch of a pull request.
    pub base: String,
    pub archive: PathBuf,
    pub checksum: String,
}

#[derive(Debug)]
pub struct Step {
    pub code: i32,
    pub log: String,
    pub outputs: BTreeMap<String, String>,
    pub summary: String,
}

impl Runner {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["workspace/.git", "temp", "release"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let (archive, checksum) = packed(&dir.path().join("release"));
        let runner =
            Self { dir, action: root().to_owned(), fork: false, base: String::new(), archive, checksum };
        for (path, text) in files {
            runner.write(path, text);
        }
        runner
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path("workspace").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The first step, with the archive at hand unless the inputs name another one.
    pub fn check(&self, inputs: &[(&str, &str)]) -> Step {
        let archive = self.archive.to_str().unwrap();
        let mut all = BTreeMap::from([("archive", archive), ("checksum", self.checksum.as_str())]);
        all.extend(inputs.iter().copied());
        self.step(0, &all, &BTreeMap::new())
    }

    /// What the whole action ends with.
    pub fn verdict(&self, check: &Step) -> i32 {
        self.step(2, &BTreeMap::new(), &check.outputs).code
    }

    fn step(&self, index: usize, inputs: &BTreeMap<&str, &str>, outputs: &BTreeMap<String, String>) -> Step {
        let action = yaml("action.yml");
        let step = &action["runs"]["steps"][index];
        assert_eq!(step["shell"].as_str(), Some("bash"));
        let mut shell = clean("bash");
        shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().unwrap()]);
        for (name, value) in entries(&step["env"]) {
            shell.env(name, self.expression(value.as_str().unwrap(), &action, inputs, outputs));
        }
        let files = [("GITHUB_OUTPUT", "outputs"), ("GITHUB_STEP_SUMMARY", "summary.md")];
        let folders = [("GITHUB_WORKSPACE", "workspace"), ("RUNNER_TEMP", "temp")];
        shell.envs(files.iter().chain(&folders).map(|(name, file)| (*name, self.path(file))));
        shell.env("GITHUB_ACTION_PATH", &self.action).env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64");
        fs::write(self.path("outputs"), "").unwrap();
        let (code, log) = ran(shell.current_dir(self.path("workspace")));
        let read = |name: &str| fs::read_to_string(self.path(name)).unwrap_or_default();
        let outputs = read("outputs");
        let outputs = outputs.lines().map(|line| line.split_once('=').unwrap_or_else(|| panic!("{line}")));
        let outputs = outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Step { code, log, outputs, summary: read("summary.md") }
    }

    fn expression(
        &self,
        text: &str,
        action: &Yaml,
        inputs: &BTreeMap<&str, &str>,
        outputs: &BTreeMap<String, String>,
    ) -> String {
        let inside = text.strip_prefix("${{ ").and_then(|text| text.strip_suffix(" }}")).unwrap();
        if let Some(input) = inside.strip_prefix("inputs.") {
            let default = || action["inputs"][input]["default"].as_str().unwrap();
            return inputs.get(input).copied().unwrap_or_else(default).to_owned();
        }
        if let Some(output) = inside.strip_prefix("steps.check.outputs.") {
            return outputs.get(output).cloned().unwrap_or_default();
        }
        match inside {
            "github.event.pull_request.base.sha" => self.base.clone(),
            "github.action_repository" => "gatelint/gatelint".to_owned(),
            _ if inside.contains("head.repo.full_name") => self.fork.to_string(),
            _ => panic!("no runner knows `{inside}` here"),
        }
    }
}

/// As a release has it, but small: what is packed runs the binary under test.
fn packed(out: &Path) -> (PathBuf, String) {
    let script = out.join("gatelint");
    fs::write(&script, format!("#!/bin/sh\nexec '{}' \"$@\"\n", binary().display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let archive = ok(clean(root().join("scripts/package")).arg(out).arg(&script).arg(TARGET));
    let archive = PathBuf::from(archive.lines().last().unwrap());
    let sums = fs::read_to_string(format!("{}.sha256", archive.display())).unwrap();
    let (sum, name) = sums.trim().split_once("  ").unwrap();
    assert_eq!(Some(name), archive.file_name().and_then(|name| name.to_str()));
    (archive, sum.to_owned())
}
