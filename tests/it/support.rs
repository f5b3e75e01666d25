//! What the tests share: a folder to scan, the binary in a clean environment, and an outcome made by hand.

pub mod listed;
pub mod sample;

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A temporary project. It has a `.git`, so that nothing above it is looked at.
pub struct Project {
    pub dir: TempDir,
}

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(project.path().join(".git")).unwrap();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Run::new(args).within(self.path()).ran()
    }
}

/// What a run of the binary left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// How many findings of a rule a JSON report has.
    #[track_caller]
    pub fn count(&self, rule: &str) -> usize {
        let report = self.json();
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == rule).count()
    }

    /// Paths of the files that were skipped, from a JSON report.
    #[track_caller]
    pub fn skipped(&self) -> Vec<(String, String)> {
        let report = self.json();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let skipped = report["skipped"].as_array().unwrap().iter();
        skipped.map(|skipped| (text(&skipped["path"]), text(&skipped["reason"]))).collect()
    }
}

/// A run of the binary; CI's own variables must not change what a test sees.
pub struct Run(Command);

impl Run {
    pub fn new(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gatelint"));
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            let speaks = ["CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"];
            if speaks.contains(&&*name_text)
                || name_text.starts_with("GH_")
                || name_text.starts_with("GITHUB_")
            {
                command.env_remove(&name);
            }
        }
        // No test keeps verdicts where the user has theirs.
        command.env("GATELINT_NO_CACHE", "1").env_remove("GATELINT_CACHE_DIR");
        command.args(args).stdin(Stdio::null());
        Self(command)
    }

    pub fn within(mut self, folder: &Path) -> Self {
        self.0.current_dir(folder);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.0.env_remove(name);
        self
    }

    /// What the program reads on standard input.
    pub fn stdin(mut self, bytes: &[u8]) -> Self {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        self.0.stdin(file);
        self
    }

    pub fn command(self) -> Command {
        self.0
    }

    pub fn ran(mut self) -> Ran {
        let output = self.0.output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
