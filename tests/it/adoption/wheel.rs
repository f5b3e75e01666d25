//! The wheel: built, installed into a fresh environment, and run. Three commands from nothing to a finding.

use std::fs;
use std::process::Command;

use super::{clean, have, ok, ran, root, wanted};

#[test]
fn a_wheel_brings_the_binary() {
    if !wanted("building a wheel takes minutes") || !have(&["maturin", "python3", "cargo"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut build = Command::new("maturin");
    ok(build.args(["build", "--release", "--out"]).arg(dir.path()).current_dir(root()));
    let wheel = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    let name = wheel.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(concat!("gatelint-", env!("CARGO_PKG_VERSION"), "-py3-none-")), "{name}");

    let scratch = dir.path().join("scratch");
    fs::create_dir_all(scratch.join(".git")).unwrap();
    fs::write(scratch.join("agent.py"), "import requests\n").unwrap();
    // From nothing to a finding.
    ok(clean("python3").args(["-m", "venv", "fresh"]).current_dir(dir.path()));
    ok(clean(dir.path().join("fresh/bin/pip")).args(["install", "--no-index"]).arg(&wheel));
    let (code, text) = ran(clean(dir.path().join("fresh/bin/gatelint")).arg("check").current_dir(&scratch));
    assert!(code == 1 && text.contains("GL101"), "{text}");

    let about = ok(clean(dir.path().join("fresh/bin/pip")).args(["show", "--verbose", "gatelint"]));
    for line in [
        concat!("Version: ", env!("CARGO_PKG_VERSION")),
        concat!("Summary: ", env!("CARGO_PKG_DESCRIPTION")),
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_LICENSE"),
    ] {
        assert!(about.contains(line), "{line} is missing:\n{about}");
    }
}
