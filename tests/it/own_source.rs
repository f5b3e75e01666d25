//! What gatelint promises of itself, by its own rules: nothing in it opens a connection or starts a process.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use crate::support::{Project, Ran};

/// The sources and the configuration that CI uses, in a scratch folder.
fn copy() -> Project {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = Project::new(&[]);
    for entry in WalkDir::new(root.join("src")).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            project.write(&path, fs::read(entry.path()).unwrap());
        }
    }
    for path in ["Cargo.toml", "build.rs", ".ci/gatelint.toml"] {
        project.write(path, fs::read(root.join(path)).unwrap());
    }
    project.write("fixtures/agent.py", "import requests\n");
    project.write("scripts/score.py", "import subprocess\n\nsubprocess.run([\"true\"])\n");
    project
}

/// CI runs every rule over the sources; here are those that speak of connections and processes.
fn check(project: &Project) -> Ran {
    let args = ["check", ".", "--config", ".ci/gatelint.toml", "--select", "GL101,GL103", "--format", "json"];
    project.run(&args)
}

#[test]
fn a_process_and_a_connection_are_noticed() {
    let project = copy();
    let engine = fs::read_to_string(project.path().join("src/engine.rs")).unwrap();
    let process = "\npub fn version() -> Option<Vec<u8>> {\n    \
        Some(std::process::Command::new(\"git\").arg(\"--version\").output().ok()?.stdout)\n}\n";
    project.write("src/engine.rs", engine + process);
    project.write("src/report/upload.rs", "use std::net::TcpStream;\n");
    let changed = check(&project);
    let scanned = &changed.json()["summary"]["files"]["scanned"];
    assert!(scanned.as_u64().unwrap() > 200, "the sources were read");
    // One of each: there was none before.
    assert_eq!((changed.code, changed.count("GL103"), changed.count("GL101")), (1, 1, 1), "{changed:?}");
}
