//! What makes a run incomplete: parts of the project that were not seen or not followed to their end. Each ends in exit code 4
//! where nothing else is found, and is named; what only tests reach, or what cannot act, is not.

use crate::support::{Project, Ran};

/// Kind and name of what makes the run incomplete; the exit code must say the same.
#[track_caller]
fn gaps(ran: &Ran) -> Vec<(String, String)> {
    let report = ran.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let gaps = report["incomplete"].as_array().unwrap().iter();
    let gaps: Vec<_> = gaps.map(|gap| (text(&gap["kind"]), text(&gap["name"]))).collect();
    assert_eq!(report["summary"]["complete"], gaps.is_empty());
    assert_eq!(ran.code, if gaps.is_empty() { 0 } else { 4 }, "{gaps:?} {}", ran.stderr);
    gaps
}

#[track_caller]
fn check(files: &[(&str, &str)]) -> Vec<(String, String)> {
    gaps(&Project::new(files).run(&["check", "--format", "json"]))
}

fn unseen(name: &str) -> Vec<(String, String)> {
    vec![("unseen-module".to_owned(), name.to_owned())]
}

#[test]
fn a_module_that_is_no_source_is_named() {
    let agent = ("agent/run.py", "from .fast import send\n\n\ndef run():\n    send()\n");
    for binary in ["agent/fast.pyc", "agent/fast.cpython-312-x86_64-linux-gnu.so", "agent/fast.pyd"] {
        assert_eq!(check(&[agent, ("agent/__init__.py", ""), (binary, "")]), unseen(".fast"), "{binary}");
    }
    let others = [
        ("from agent import fast\n", "agent"),
        ("from agent.fast import *\n", "agent.fast"),
        ("import agent.fast\n", "agent.fast"),
        ("try:\n    from agent import fast\nexcept ImportError:\n    fast = None\n", "agent"),
    ];
    for (code, name) in others {
        let files = [("main.py", code), ("agent/__init__.py", ""), ("agent/fast.so", "")];
        assert_eq!(check(&files), unseen(name), "{code}");
    }
    let beside = [("main.py", "import fast\n"), ("fast.so", "")];
    assert_eq!(check(&beside), unseen("fast"));
}

#[test]
fn what_the_interpreter_loads_first_decides() {
    let agent = ("main.py", "import fast\n");
    let shadowed = [agent, ("fast.py", ""), ("fast.so", "")];
    assert_eq!(check(&shadowed), unseen("fast"), "an extension module comes before source");
    let stale = [agent, ("fast.py", ""), ("fast.pyc", "")];
    assert_eq!(check(&stale), [], "source comes before bytecode");
    assert_eq!(check(&[("main.py", "import json\n"), ("fast.so", "")]), [], "nothing imports it");
    let package = [agent, ("fast/__init__.py", ""), ("fast.so", "")];
    assert_eq!(check(&package), [], "a package comes before a module");
    let tests = [("main.py", ""), ("tests/test_a.py", "import fast\n"), ("fast.so", "")];
    assert_eq!(check(&tests), [], "only tests import it");
}

#[test]
fn a_module_that_is_not_there_counts_if_it_is_called() {
    let with = |code: &str| check(&[("agent/__init__.py", ""), ("agent/run.py", code)]);
    assert_eq!(with("from .made import send\n\n\ndef run():\n    send()\n"), unseen(".made"));
    assert_eq!(with("from agent.made import Sender\n\nSender().send()\n"), unseen("agent.made"));
    assert_eq!(with("from ._version import __version__\nprint(__version__)\n"), []);
    let optional = "try:\n    from .made import send\nexcept ImportError:\n    send = print\nsend()\n";
    assert_eq!(with(optional), [], "its author says that it may be missing");
    assert_eq!(with("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .made import A\n"), []);
    assert_eq!(with("import yaml\nfrom rich.console import Console\nyaml.dump(Console())\n"), []);
}

#[test]
fn a_module_that_is_declared_has_to_be_there() {
    let lib = |code: &str| {
        check(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", code), ("src/b.rs", "")])
    };
    assert_eq!(lib("mod b;\nuse self::b;\n"), []);
    assert_eq!(lib("mod missing;\n"), unseen("missing"));
    assert_eq!(lib("#[cfg(test)]\nmod missing;\n"), []);
    assert_eq!(lib("#[path = \"../../elsewhere/c.rs\"]\nmod c;\n"), unseen("../../elsewhere/c.rs"));
    assert_eq!(lib("include!(\"b.rs\");\n"), unseen("b.rs"));
    assert_eq!(lib("include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n"), unseen(""));
}

#[test]
fn text_that_was_not_understood_counts_where_it_is_code() {
    let project = Project::new(&[]);
    project.write("a.py", b"# caf\xE9\nx = 1\n");
    assert_eq!(gaps(&project.run(&["check", "--format", "json"])), [], "a comment does nothing");
    project.write("a.py", b"x = 'caf\xE9'\n");
    let lossy = [("lossy-text".to_owned(), String::new())];
    assert_eq!(gaps(&project.run(&["check", "--format", "json"])), lossy);
    project.write("tests/a.py", b"x = 'caf\xE9'\n");
    project.write("a.py", "");
    assert_eq!(gaps(&project.run(&["check", "--format", "json"])), [], "only tests run it");
}

#[test]
fn languages_that_are_not_read_are_counted() {
    let project =
        Project::new(&[("a.py", ""), ("b.py", ""), ("web/a.ts", ""), ("web/b.ts", ""), ("web/c.js", "")]);
    project.write(".gitignore", "out/\n");
    project.write("out/made.js", "");
    let ran = project.run(&["check", "--format", "json"]);
    let unread = serde_json::json!({ "ts": 2, "js": 1 });
    assert_eq!((ran.code, &ran.json()["summary"]["files"]["unread"]), (0, &unread));
    let said = "2 .ts, 1 .js; more than half of the source files: `--strict-coverage`";
    for format in ["human", "concise", "github", "markdown"] {
        let text = project.run(&["check", "--format", format]).stdout;
        let text = text
            .replace("&#45;", "-")
            .replace("&#59;", ";")
            .replace("&#58;", ":")
            .replace("<code>", "`")
            .replace("</code>", "`");
        let words: Vec<_> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(said), "{format}: {text}");
    }
    let sarif = project.run(&["check", "--format", "sarif"]).json();
    assert_eq!(sarif["runs"][0]["properties"]["filesUnread"], unread);
    assert_eq!(project.run(&["commands", "--format", "json"]).json()["coverage"]["files"]["unread"], unread);
    assert_eq!(project.run(&["checklist", "--format", "json"]).json()["coverage"]["unread"], unread);
    assert!(project.run(&["commands"]).stdout.contains("not read: 2 .ts, 1 .js"));
}

#[test]
fn the_strict_ask_for_languages_and_calls() {
    let strict = |files: &[(&str, &str)]| {
        gaps(&Project::new(files).run(&["check", "--strict-coverage", "--format", "json"]))
    };
    let code = [("a.py", ""), ("a.ts", ""), ("b.ts", "")];
    assert_eq!(strict(&code), [("mostly-unread".to_owned(), String::new())]);
    assert_eq!(check(&code), []);
    assert_eq!(strict(&code[..2]), [], "half is not more than half");
    let agent = "def plan_trip(request, box):\n    return help_with(box)\n\n\ndef help_with(box):\n    a = box.thing\n    \
                 a.frobnicate()\n    return a.frobnicate_again()\n\n\ndef other(box):\n    box.frobnicate()\n";
    let calls = [("unresolved-calls".to_owned(), "help_with".to_owned())];
    assert_eq!(strict(&[("agent.py", agent)]), calls);
    assert_eq!(check(&[("agent.py", agent)]), []);
}

#[test]
fn what_production_imports_is_no_test() {
    let planner = "from tests.support import fetch\n\n\ndef plan_trip(request):\n    return fetch(request)\n";
    let support = "import requests\n\n\ndef fetch(url):\n    return requests.get(url)\n";
    let files = [("agent.py", planner), ("tests/__init__.py", ""), ("tests/support.py", support)];
    let ran = Project::new(&files).run(&["check", "--format", "json"]);
    assert_eq!((ran.code, ran.count("GL201"), ran.count("GL102")), (1, 1, 1), "{}", ran.stdout);
    let apart = [("agent.py", ""), ("tests/__init__.py", ""), ("tests/support.py", support)];
    assert_eq!(Project::new(&apart).run(&["check"]).code, 0);
    let roles = "from tests import roles\n";
    let role = "import requests\n\n\ndef plan_trip(request):\n    return requests.get(request)\n";
    let files = [("agent.py", roles), ("tests/__init__.py", ""), ("tests/roles.py", role)];
    assert_eq!(Project::new(&files).run(&["check", "--format", "json"]).count("GL201"), 1);
}

/// As many functions as that, which call one another in circles.
fn filler(count: usize) -> String {
    let calls = |from: usize| {
        let calls = (0..6).map(|step| (from + 1 + step * 37) % count);
        let calls =
            calls.map(|to| format!("    if data.get('k{from}_{to}'):\n        f{to}(data, 'x{from}')\n"));
        calls.collect::<String>()
    };
    let each = |n: usize| {
        format!(
            "def f{n}(data, phase):\n    data['k{n}'] = requests.get(data['url']).text\n{}    return data\n\n\n",
            calls(n)
        )
    };
    "import requests\n\n\n".to_owned() + &(0..count).map(each).collect::<String>()
}

#[test]
fn functions_that_call_each_other_change_nothing_beside_them() {
    let handler = "import requests\n\nfrom guards import require_execution\n\n\n\
        def plan_trip(request):\n    return fetch(request)\n\n\n\
        def fetch(url):\n    page = requests.get(url).text\n    return keep({'text': page})\n\n\n\
        def keep(record):\n    record.pop('source', None)\n    return eval(record['text'])\n\n\n\
        @comm.command('trip.book')\n\
        def execute_booking(params, phase):\n    if params:\n        require_execution(phase)\n    \
        return requests.post(params['url'])\n";
    let guards =
        "def require_execution(phase):\n    if phase != 'execution':\n        raise RuntimeError(phase)\n";
    let findings = |filler: &str| {
        let project = Project::new(&[("agent.py", handler), ("guards.py", guards), ("filler.py", filler)]);
        let report = project.run(&["check", "--format", "json", "--min-confidence", "low"]).json();
        let all = report["findings"].as_array().unwrap().iter();
        let own = all.filter(|finding| finding["location"]["path"] == "agent.py");
        own.map(|finding| (finding["rule"].to_string(), finding["fingerprint"].to_string()))
            .collect::<Vec<_>>()
    };
    let alone = findings("");
    assert!(alone.len() >= 4, "{alone:?}");
    assert_eq!(findings(&filler(200)), alone);
}

const UNSEEN: [(&str, &str); 3] = [
    ("agent/__init__.py", ""),
    ("agent/run.py", "from .made import send\n\n\ndef run():\n    send()\n"),
    ("agent/other.py", "x = 1\n"),
];

#[test]
fn a_baseline_takes_gaps_for_known_and_new_ones_still_count() {
    let project = Project::new(&UNSEEN);
    let written = project.run(&["baseline", "write"]);
    assert_eq!(
        (written.code, written.stdout.as_str()),
        (0, "gatelint-baseline.json: 0 findings and 1 gap noted (1 new)\n")
    );
    let checked = project.run(&["check", "--format", "json"]);
    let report = checked.json();
    assert_eq!(
        (checked.code, &report["summary"]["gaps"]),
        (0, &serde_json::json!({"new": 0, "known": 1, "waived": 0}))
    );
    assert_eq!(project.run(&["commands"]).code, 0, "it is known to every command");
    let human = project.run(&["check"]);
    assert!(human.stdout.contains("0 findings and 1 gap in gatelint-baseline.json"), "{}", human.stdout);
    assert_eq!(project.run(&["check", "--isolated"]).code, 4, "nothing of the tree counts");
    assert_eq!(project.run(&["check", "--no-baseline"]).code, 4);
    project.write("agent/other.py", "from .generated import fetch\n\nfetch()\n");
    assert_eq!(gaps(&project.run(&["check", "--format", "json"])), unseen(".generated"));
}

#[test]
fn a_gap_counts_for_the_files_that_it_lies_in() {
    let project = Project::new(&UNSEEN);
    let changed = |file| project.run(&["check", "--changed", "--format", "json", "--", file]).code;
    assert_eq!((changed("agent/run.py"), changed("agent/other.py")), (4, 0));
    assert_eq!(project.run(&["check", "agent/other.py"]).code, 0);
    assert_eq!(project.run(&["commands", "agent/other.py"]).code, 0);
}

#[test]
fn a_waiver_takes_a_gap_back_and_one_for_nothing_is_told() {
    let waiver = "# gatelint: allow[GL007] reason=\"generated\"\n";
    let waived = |file: &str| waiver.to_owned() + file;
    let project = Project::new(&UNSEEN);
    project.write("agent/run.py", waived(UNSEEN[1].1));
    let ran = project.run(&["check", "--format", "json"]);
    assert_eq!((ran.code, &ran.json()["summary"]["gaps"]["waived"]), (0, &1.into()));
    project.write("agent/other.py", waived(UNSEEN[2].1));
    assert!(project.run(&["check"]).stdout.contains("GL003"), "an unused waiver");
}

#[test]
fn what_is_selected_says_what_was_not_seen_unless_it_is_left_out_by_name() {
    let project = Project::new(&UNSEEN);
    let code = |args: &[&str]| project.run(&[&["check"], args].concat()).code;
    assert_eq!(
        (code(&["--select", "GL103"]), code(&["--ignore", "GL1"]), code(&["--ignore", "GL007"])),
        (4, 4, 0)
    );
    assert_eq!(code(&["--ignore", "GL0", "--select", "GL007"]), 4);
}
