//! Shell scripts, and the archive of a release.

use std::path::PathBuf;
use std::process::Command;

use crate::support::Run;

use super::{clean, have, ok, ran, root, wanted};

const SCRIPTS: [&str; 4] = [".ci/run", "action/run.sh", "scripts/bench.sh", "scripts/package"];

#[test]
fn shellcheck_has_nothing_to_say() {
    if have(&["shellcheck"]) {
        ok(clean("shellcheck").args(SCRIPTS).current_dir(root()));
    }
}

#[test]
fn bash_completes_commands_and_options() {
    if !have(&["bash"]) {
        return;
    }
    let script = Run::new(&["completions", "bash"]).ran().stdout;
    for (line, word) in [("gatelint bas", "baseline"), ("gatelint check --min-c", "--min-confidence")] {
        let words: Vec<_> = line.split(' ').collect();
        let (last, count) = (words[words.len() - 1], words.len() - 1);
        let ask = format!(
            "COMP_WORDS=({line})\nCOMP_CWORD={count}\n_gatelint gatelint {last} {}",
            words[count - 1]
        );
        let asked = format!("{script}\n{ask}\necho \"${{COMPREPLY[@]}}\"");
        assert_eq!(ok(clean("bash").args(["--noprofile", "--norc", "-c", &asked])).trim(), word);
    }
}

#[test]
fn a_release_is_static_and_complete() {
    if !wanted("building a static binary takes minutes") || !have(&["bash", "cargo", "tar", "gzip", "ldd"]) {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    // Optimising takes minutes and has no say in what is tested here.
    let fast = [("LTO", "off"), ("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16"), ("DEBUG", "false")];
    let fast = fast.map(|(name, value)| (format!("CARGO_PROFILE_RELEASE_{name}"), value));
    let said = ok(Command::new(root().join("scripts/package")).arg(out.path()).envs(fast));
    let archive = PathBuf::from(said.lines().last().unwrap());
    ok(clean("tar").arg("-xzf").arg(&archive).arg("-C").arg(out.path()));
    let name = archive.file_name().unwrap().to_str().unwrap().strip_suffix(".tar.gz").unwrap();
    let folder = out.path().join(name);
    let wanted = [
        "LICENSE",
        "README.md",
        "docs/README.md",
        "completions/_gatelint",
        "man/gatelint.1",
        "man/gatelint-baseline-write.1",
    ];
    wanted.iter().for_each(|file| assert!(folder.join(file).is_file(), "{file}"));
    let binary = folder.join("gatelint");
    let linked = ran(clean("ldd").arg(&binary)).1;
    assert!(linked.contains("statically linked") || linked.contains("not a dynamic executable"), "{linked}");
    let args = ["check", "--exit-zero", "fixtures/atlas-agent"];
    let text = ok(clean(binary).args(args).current_dir(root()));
    assert_eq!(text, Run::new(&args).within(root()).ran().stdout, "it says what any other build says");
}
