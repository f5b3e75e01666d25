//! Hostile and broken input, against what the design promises: no panic, no hang, a message that says what happened, the
//! right exit code, and the other files unharmed.

use std::fs::{self, File};
use std::time::Duration;

use gatelint::finding::{Confidence, Severity};
use gatelint::report::{Format, ReportOptions, report};
use gatelint::source::SourceFile;

use crate::support::{Project, Run, sample};

#[test]
fn an_empty_folder_is_not_clean() {
    let ran = Project::new(&[]).run(&["check"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stdout.contains("nothing was scanned") && ran.stdout.contains("no source file was found"),
        "{ran:?}"
    );
}

/// What an imported constant is asked is a word of the file that asks: the file of the constant holds fewer words.
#[test]
fn a_method_of_an_imported_constant_is_read_where_it_is_called() {
    let settings = "import os\nURL = os.getenv(\"URL\")\n";
    let agent = "import requests\nfrom settings import URL\n\ndef search(query, execution_phase):\n    \
                 if execution_phase != \"execution\":\n        raise PermissionError(execution_phase)\n    \
                 return requests.get(URL.rstrip(\"/\"), timeout=5).text\n";
    let ran = Project::new(&[("settings.py", settings), ("agent.py", agent)]).run(&["check"]);
    assert!(matches!(ran.code, 0 | 1) && !ran.stderr.contains("internal error"), "{ran:?}");
}

#[test]
fn an_ignored_file_is_counted_and_scanned_on_request() {
    let project = Project::new(&[(".gitignore", "secret.py\n"), ("secret.py", "")]);
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.contains("1 ignored (`--no-ignore` scans them)"), "{ran:?}");
    assert_eq!(project.run(&["check", "--no-ignore"]).code, 0);
    assert_eq!(project.run(&["check", "secret.py"]).code, 0);
}

#[test]
fn a_file_over_the_limit_makes_the_run_incomplete() {
    let project = Project::new(&[("a.py", "")]);
    File::create(project.path().join("big.py")).unwrap().set_len(50 << 20).unwrap();
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 4);
    assert!(ran.stdout.contains("big.py: 52428800 bytes are over the limit of 4194304"), "{ran:?}");
    assert!(ran.stdout.contains("not everything was understood"), "{ran:?}");
    assert_eq!(project.run(&["check", "--exit-zero"]).code, 0);
}

/// Beside a file with one finding, which has to be found whatever the other file does.
#[track_caller]
fn beside_a_finding(bytes: &[u8]) -> crate::support::Ran {
    let project = Project::new(&[("good.py", "import requests\n")]);
    project.write("odd.py", bytes);
    let ran = project.run(&["check", "--format", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    let found = report["findings"].as_array().unwrap().iter();
    let found: Vec<_> = found.filter(|finding| finding["location"]["path"] == "good.py").collect();
    assert!(found.len() == 1 && found[0]["rule"] == "GL101", "{found:?}");
    fs::remove_file(project.path().join("good.py")).unwrap();
    project.run(&["check", "--format", "json"])
}

#[test]
fn nesting_without_end_is_reported() {
    let nested =
        |open: &str, close: &str, times| format!("x = {}1{}\n", open.repeat(times), close.repeat(times));
    let brackets = beside_a_finding(nested("[", "]", 100_000).as_bytes());
    assert_eq!((brackets.code, &brackets.json()["partial"][0]), (4, &"odd.py".into()));
    let parentheses = beside_a_finding(nested("(", ")", 1_000).as_bytes());
    assert_eq!(parentheses.code, 0, "they mean nothing, so nothing is lost");
}

#[test]
fn a_string_without_end_may_hide_calls() {
    let ran = beside_a_finding(b"x = 1\ny = \"\"\"oops\nz = f(x)\n");
    assert_eq!((ran.code, &ran.json()["partial"][0]), (4, &"odd.py".into()));
}

#[test]
fn odd_bytes_harm_nobody_else() {
    for bytes in
        [&b"\xFF\xFE\xFF"[..], b"\0\0\0", b"\xEF\xBB\xBFx = 1", b"\r\r\r", b"# coding: latin-1\n\xE4", b""]
    {
        let ran = beside_a_finding(bytes);
        assert!(ran.code == 0 || ran.code == 4, "{bytes:?}: {ran:?}");
    }
}

#[test]
fn broken_bytes_are_no_reason_to_stop() {
    let project = Project::new(&[("a.py", "x = 1\n")]);
    project.write("invalid.py", b"x = '\xFF\xFE'\n");
    project.write("bom.py", b"\xEF\xBB\xBFx = 1\n");
    project.write("nul.py", b"x = 1\0\ny = 2\n");
    project.write("empty.py", b"");
    project.write("cr.py", b"x = 1\ry = 2\r");
    let ran = project.run(&["check", "--format", "json"]);
    assert_eq!(ran.json()["summary"]["files"]["scanned"], 6);
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    const ESCAPE: &str = "a\u{1b}[2J\u{1b}]8;;x\n\u{202e}b.py";

    #[test]
    fn hostile_names_are_shown_not_obeyed() {
        let project = Project::new(&[("a.py", "")]);
        File::create(project.path().join(ESCAPE)).unwrap().set_len(5 << 20).unwrap();
        File::create(project.path().join("::error file=x::y.py")).unwrap().set_len(5 << 20).unwrap();
        for format in ["human", "concise", "json", "sarif", "github", "markdown"] {
            let ran = project.run(&["check", "--format", format]);
            assert_eq!(ran.code, 4, "{format}");
            assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{format}: {ran:?}");
            let ours = |line: &&str| format == "github" && line.starts_with("::warning title=gatelint::");
            let mut commands = ran.stdout.lines().filter(|line| line.trim_start().starts_with("::"));
            assert!(commands.all(|line| ours(&line)), "{format}: {ran:?}");
        }
        let ran = project.run(&["check"]);
        assert!(ran.stdout.contains("a\\u{1b}[2J\\u{1b}]8;;x\\u{a}\\u{202e}b.py"), "{ran:?}");
        let exact = project.run(&["check", "--format", "json"]).skipped();
        assert!(exact.iter().any(|(path, _)| path == ESCAPE), "for programs the name is exact: {exact:?}");
    }

    #[test]
    fn a_name_that_is_not_utf8_is_reported() {
        let project = Project::new(&[("a.py", "")]);
        fs::write(project.path().join(OsStr::from_bytes(b"b\xFF.py")), "").unwrap();
        fs::write(project.path().join(OsStr::from_bytes(b"c\xFF.txt")), "").unwrap();
        let ran = project.run(&["check", "--format", "json"]);
        assert_eq!(ran.code, 4);
        assert_eq!(ran.skipped(), [("b\u{fffd}.py".to_owned(), "name-not-utf8".to_owned())]);
    }

    #[test]
    fn what_is_no_regular_file_is_never_opened() {
        let project = Project::new(&[("a.py", "")]);
        let _socket = UnixListener::bind(project.path().join("socket.py")).unwrap();
        symlink("/dev/zero", project.path().join("zero.py")).unwrap();
        let ran = project.run(&["check", "--format", "json"]);
        assert_eq!(ran.code, 4);
        let own = |path: &str, why: &str| (path.to_owned(), why.to_owned());
        assert_eq!(ran.skipped(), [own("socket.py", "not-regular"), own("zero.py", "link-outside-root")]);
    }

    #[test]
    fn an_unreadable_file_or_folder_makes_the_run_incomplete() {
        let project = Project::new(&[("a.py", ""), ("b.py", ""), ("c/d.py", "")]);
        let lock = |name: &str, mode| {
            fs::set_permissions(project.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        lock("b.py", 0o000);
        lock("c", 0o000);
        let may_read_anything = File::open(project.path().join("b.py")).is_ok();
        let ran = project.run(&["check", "--format", "json"]);
        lock("c", 0o755);
        if may_read_anything {
            return; // The superuser: no file is unreadable.
        }
        assert_eq!(ran.code, 4);
        let own = |path: &str| (path.to_owned(), "unreadable".to_owned());
        assert_eq!(ran.skipped(), [own("b.py"), own("c")]);
    }

    #[test]
    fn a_circle_of_links_ends() {
        let project = Project::new(&[("a/b.py", "")]);
        symlink("..", project.path().join("a/up")).unwrap();
        symlink("x", project.path().join("y")).unwrap();
        symlink("y", project.path().join("x")).unwrap();
        let ran = project.run(&["check", "--format", "json"]);
        assert_eq!((ran.code, &ran.json()["summary"]["files"]["scanned"]), (0, &1.into()));
    }

    /// Opening a FIFO would wait for a writer for ever.
    #[test]
    fn nothing_waits_for_a_fifo() {
        let project = Project::new(&[("a.py", "")]);
        for name in ["pipe.py", ".gitignore", "gatelint.toml"] {
            let made = std::process::Command::new("mkfifo").arg(project.path().join(name)).status();
            if !made.is_ok_and(|status| status.success()) {
                return;
            }
        }
        let run = |args: &[&str]| {
            let mut child = Run::new(args).within(project.path()).command();
            let mut child = child
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            for _ in 0..200 {
                if let Some(status) = child.try_wait().unwrap() {
                    return status.code();
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            child.kill().unwrap();
            panic!("still waiting");
        };
        assert_eq!(run(&["check"]), Some(2), "the configuration cannot be read");
        assert_eq!(run(&["check", "--isolated"]), Some(4));
    }
}

#[test]
fn deep_folders_and_many_files_are_fine() {
    let project = Project::new(&[]);
    let deep = "d/".repeat(200);
    project.write(&format!("{deep}a.py"), "");
    for n in 0..300 {
        project.write(&format!("many/{n}.py"), "");
    }
    let ran = project.run(&["check", "--format", "json"]);
    assert_eq!((ran.code, &ran.json()["summary"]["files"]["scanned"]), (0, &301.into()));
}

/// What is asked about one use of a name is asked about each of thousands; the answers to all of them are needed here.
#[test]
fn many_uses_of_wide_values_end_and_are_reported() {
    let lists: String =
        (1..5).map(|n| format!("N{n} = [{}]\n", vec![format!("N{}", n - 1); 8].join(", "))).collect();
    let branches: String = (0..1_000).map(|n| format!("    if c == {n}:\n        x = 'k{n}'\n")).collect();
    let uses = "    for k in N4:\n        m.pop(k)\n    m.pop(x)\n    m.pop('attribution')\n".repeat(2_000);
    let text = format!("N0 = ['a', 'b']\n{lists}def f(c, m):\n{branches}{uses}");
    let ran = Project::new(&[("a.py", &text)]).run(&["check", "--format", "json"]);
    assert_eq!(ran.count("GL301"), 2_000);
}

#[test]
fn many_tests_of_one_value_end_and_are_reported() {
    let test = "    if phase == 'planning':\n        raise E\n    os.system(c)\n".repeat(1_000);
    let named: String = (0..1_000).map(|n| format!("    x{} = x{n} and x{n}\n", n + 1)).collect();
    let text = format!(
        "import os\ndef f(phase, c):\n{test}    x0 = phase == 'planning'\n{named}    if x1000:\n        return\n"
    );
    let ran = Project::new(&[("a.py", &text)]).run(&["check", "--format", "json"]);
    assert_eq!(ran.count("GL203"), 1_000);
}

/// The files number their strings each on their own.
#[test]
fn a_key_of_one_file_is_looked_up_in_a_record_of_another() {
    let reads =
        "from b import D\ndef f():\n    v = w = 'only here'\n    D['a long way down'].pop('attribution')\n";
    let project = Project::new(&[("a.py", reads), ("b.py", "D = {'z': {}}\n")]);
    assert_eq!(project.run(&["check", "--format", "json"]).count("GL301"), 1);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let project = Project::new(&[]);
    for n in 0..50 {
        project.write(&format!("{n}.py"), format!("x = {n}\n"));
        File::create(project.path().join(format!("big{n}.py"))).unwrap().set_len(5 << 20).unwrap();
    }
    for format in ["human", "concise", "json", "sarif", "github", "markdown"] {
        let runs =
            ["1", "2", "7"].map(|n| project.run(&["check", "--format", format, "--threads", n]).stdout);
        assert!(runs[0] == runs[1] && runs[1] == runs[2], "{format}");
    }
}

#[test]
fn a_low_confidence_path_hides_nothing_and_counts_nothing() {
    let mut outcome = sample::clean(vec![SourceFile::new("a.py", "f()\ng()\n")]);
    let rule = sample::rule("GL102", "direct-network-call", Severity::Error);
    let mut low =
        sample::finding(&rule, sample::place(&outcome.files, "a.py", "f()", 0), "`f` may send a request");
    low.confidence = Confidence::Low;
    let high = sample::finding(&rule, sample::place(&outcome.files, "a.py", "g()", 0), "`g` sends a request");
    outcome.findings = vec![low, high];
    let mut out = Vec::new();
    report(&outcome, &ReportOptions::default(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("`g` sends") && !text.contains("`f` may"), "{text}");
    assert!(text.contains("hidden  1 of low confidence"), "{text}");
}

/// Everything that a tree can put into a report, at its worst.
#[test]
fn no_format_obeys_the_scanned_tree() {
    let name = "\u{1b}]0;x\u{7}\u{202e}::error::\r\n.py";
    let code = "f(\u{1b}[31m'\u{9b}2J\u{2066}')\r\n";
    let mut outcome = sample::clean(vec![SourceFile::new(name, code)]);
    let rule = sample::rule("GL102", "direct-network-call", Severity::Error);
    let place = sample::place(&outcome.files, name, "f", 0);
    let mut finding =
        sample::finding(&rule, place, "`\u{1b}[1m\r::set-output::` [link](http://evil.example)");
    finding.captures.insert("function", "\u{1b}[1m".into());
    finding.steps.push(gatelint::finding::Step {
        place,
        text: "\u{1b}c calls ##[add-mask]x".into(),
        why: "\u{1b}c".into(),
    });
    outcome.findings = vec![finding];
    for format in
        [Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Github, Format::Markdown]
    {
        let mut out = Vec::new();
        report(&outcome, &ReportOptions { format, ..ReportOptions::default() }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let obeyed = |c: char| {
            c != '\n' && (c.is_control() || ('\u{2066}'..='\u{2069}').contains(&c) || c == '\u{202e}')
        };
        assert!(!text.contains(obeyed), "{format:?}: {text}");
        let commands: Vec<_> = text.lines().filter(|line| line.trim_start().starts_with("::")).collect();
        let ours =
            format == Format::Github && commands.len() == 1 && commands[0].starts_with("::error file=");
        assert!(ours || commands.is_empty(), "{format:?}: {text}");
        assert!(!text.contains("##["), "{format:?}: {text}");
        assert!(format != Format::Sarif || !text.contains("](http"), "{text}");
    }
}
