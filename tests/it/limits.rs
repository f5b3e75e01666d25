//! The limits of a run: one that reaches a limit ends with what it has, says what is missing, and is never clean.

use std::fmt::Write as _;

use crate::support::Project;

/// Far too much for a second, by any machine.
fn slow() -> Project {
    planners(1_800)
}

/// Twelve files with so many planners each, every one the begin of a long chain of calls.
fn planners(count: usize) -> Project {
    let mut code = String::from("import requests\n");
    for at in 0..count {
        write!(code, "\n\ndef plan_{at}(x, y):\n").unwrap();
        for part in 0..12 {
            writeln!(code, "    x = y.step_{part}(x, [a for a in y if a.is_open({part})])").unwrap();
        }
        writeln!(code, "    return plan_{}(x, y)", at + 1).unwrap();
    }
    let project = Project::new(&[("start.py", "import requests\n")]);
    for file in 0..12 {
        project.write(&format!("plans_{file}.py"), &code);
    }
    project
}

#[test]
fn a_run_that_is_too_long_says_what_it_did_not_finish() {
    let ran = slow().run(&["check", "--timeout", "1", "--format", "json"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("the analysis is incomplete"), "{}", ran.stderr);
    if ran.stdout.is_empty() {
        assert!(ran.stderr.contains("limit of 1 s (`--timeout`)"), "{}", ran.stderr);
        // On a busy machine the second is over before any rule has begun.
        assert!(["GL201", "plans_"].iter().any(|it| ran.stderr.contains(it)), "{}", ran.stderr);
        return;
    }
    let report = ran.json();
    assert_eq!(report["summary"]["complete"], false);
    let gaps = report["incomplete"].as_array().unwrap();
    assert!(gaps.iter().all(|gap| gap["kind"] == "limit-reached"), "{gaps:?}");
    let text = report["incomplete"].to_string();
    assert!(text.contains("GL201") && text.contains("limit of 1 s (`--timeout`)"), "{text}");
}

/// However fast, slow or busy the machine is, there is a project of which it finishes some rules in time and others not. What
/// else runs on the machine changes from run to run, so each run says only in which direction to search.
#[test]
fn what_was_found_before_the_limit_is_reported() {
    let mut count = 800;
    for _ in 0..20 {
        let ran = planners(count).run(&["check", "--timeout", "3", "--format", "json"]);
        if ran.code != 4 {
            count = count * 3 / 2;
        } else if ran.stdout.is_empty() || ran.count("GL101") == 0 {
            count = count * 2 / 3;
        } else {
            let left = ran.json()["incomplete"].to_string();
            assert_eq!(ran.count("GL101"), 13);
            assert!(!left.contains("GL101") && left.contains("GL4"), "{left}");
            return;
        }
    }
    panic!("no project was found of which some rules are finished");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_too_large_says_so() {
    let ran = slow().run(&["check", "--max-memory", "40"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let said = ran.stdout + &ran.stderr;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("limit of 40 MiB (`--max-memory`)"), "{said}");
}

#[test]
fn nothing_is_written_about_what_was_not_looked_at() {
    let project = slow();
    let ran = project.run(&["baseline", "write", "--timeout", "1"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(!project.path().join("gatelint-baseline.json").exists());
}

#[test]
fn a_short_run_has_no_need_of_a_limit() {
    let project = Project::new(&[("a.py", "import requests\n")]);
    for limits in [["--timeout", "60"], ["--timeout", "0"], ["--max-memory", "0"]] {
        let ran = project.run(&["check", limits[0], limits[1]]);
        assert_eq!(ran.code, 1, "{ran:?}");
    }
}
