//! What Python runs is what is read: files that code runs by their path, folders that imports lead into, names and encodings
//! as the interpreter takes them.

use crate::support::{Project, Ran};

const FETCH: &str = "import requests\n\ndef fetch(url):\n    return requests.get(url)\n";

/// `rule path:line` of each finding, and what was skipped.
#[track_caller]
fn told(ran: &Ran) -> (Vec<String>, Vec<String>) {
    let report = ran.json();
    let line = |finding: &serde_json::Value| {
        let at = &finding["location"];
        format!("{} {}:{}", finding["rule"], at["path"], at["start"]["line"]).replace('"', "")
    };
    let skip = |skip: &serde_json::Value| format!("{} {}", skip["path"], skip["reason"]).replace('"', "");
    let list = |of: &serde_json::Value| of.as_array().cloned().unwrap_or_default();
    let findings = list(&report["findings"]).iter().map(line).collect();
    (findings, list(&report["skipped"]).iter().map(skip).collect())
}

#[track_caller]
fn check(files: &[(&str, &str)]) -> Ran {
    Project::new(files).run(&["check", "--format", "json"])
}

#[test]
fn a_file_that_is_run_by_a_constant_path_is_a_module() {
    for run in [
        "import runpy\n\ndef plan_trip(city):\n    return runpy.run_path(\"steps/net.txt\")\n",
        "def plan_trip(city):\n    exec(open(\"steps/net.txt\").read())\n",
        "def plan_trip(city):\n    with open(\"steps/net.txt\") as file:\n        exec(compile(file.read(), \"x\", \"exec\"))\n",
        "from pathlib import Path\nHERE = Path(__file__).parent\n\ndef plan_trip(city):\n    exec((HERE / \"steps\" / \"net.txt\").read_text())\n",
        "import os\n\ndef plan_trip(city):\n    here = os.path.dirname(os.path.abspath(__file__))\n    source = open(os.path.join(here, \"steps/net.txt\")).read()\n    exec(source)\n",
        "from importlib.machinery import SourceFileLoader\n\ndef plan_trip(city):\n    return SourceFileLoader(\"net\", \"./steps/net.txt\").load_module()\n",
        "from importlib.util import spec_from_file_location\n\ndef plan_trip(city):\n    return spec_from_file_location(\"net\", location=\"steps/net.txt\")\n",
    ] {
        let ran =
            check(&[("agent.py", run), ("steps/net.txt", "import requests\nrequests.get(\"http://x\")\n")]);
        let (findings, skipped) = told(&ran);
        assert!(findings.iter().any(|found| found.starts_with("GL201 agent.py")), "{run}: {findings:?}");
        assert!(findings.contains(&"GL102 steps/net.txt:2".to_owned()), "{run}: {findings:?}");
        assert_eq!(skipped, [""; 0], "{run}");
    }
}

#[test]
fn what_is_run_and_cannot_be_read_is_named() {
    let ran =
        check(&[("agent.py", "import runpy\nrunpy.run_path(\"gone.txt\")\nrunpy.run_path(\"/opt/x.py\")\n")]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert_eq!(told(&ran).1, ["/opt/x.py outside-root", "gone.txt unreadable"]);
    let quiet = "import ctypes, runpy\n\ndef load(path):\n    ctypes.CDLL(\"libc.so.6\")\n    return runpy.run_path(path)\n";
    assert_eq!(check(&[("agent.py", quiet)]).code, 0, "only the run knows the path");
    let test =
        check(&[("agent.py", ""), ("tests/test_a.py", "import runpy\nrunpy.run_path(\"gone.txt\")\n")]);
    assert_eq!(test.code, 0, "a test may make what it runs: {test:?}");
}

#[test]
fn folders_that_are_not_looked_at_are_read_where_imports_lead() {
    let ran = check(&[
        ("agent.py", "from node_modules.kit.net import fetch\nfrom __pycache__ import far\n"),
        ("node_modules/kit/__init__.py", ""),
        ("node_modules/kit/net.py", FETCH),
        ("node_modules/kit/other.py", "import socket\n"),
        ("__pycache__/far.py", "import subprocess\n\nsubprocess.run([\"id\"])\n"),
    ]);
    let (findings, skipped) = told(&ran);
    let expected = ["GL102 node_modules/kit/net.py:4", "GL103 __pycache__/far.py:3"];
    for finding in expected {
        assert!(findings.contains(&finding.to_owned()), "{findings:?}");
    }
    assert!(!findings.iter().any(|found| found.contains("other.py")), "nothing imports it: {findings:?}");
    assert_eq!(skipped, [""; 0]);
    assert_eq!(ran.json()["summary"]["files"]["scanned"], 4);
}

#[test]
fn a_folder_that_code_adds_to_the_path_is_an_import_root() {
    for (add, folder) in [
        ("import sys\nsys.path.insert(0, \".hg\")\n", ".hg"),
        (
            "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), \"node_modules/kit\"))\n",
            "node_modules/kit",
        ),
        (
            "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent / \"vendor\"))\n",
            "vendor",
        ),
    ] {
        let agent = format!("{add}from net import fetch\n\ndef plan_trip(city):\n    return fetch(city)\n");
        let ran = check(&[("agent.py", &agent), (&format!("{folder}/net.py"), FETCH)]);
        let (findings, _) = told(&ran);
        assert!(findings.iter().any(|found| found.starts_with("GL201 agent.py")), "{folder}: {findings:?}");
    }
}

#[test]
fn an_ignored_file_that_code_imports_makes_the_run_incomplete() {
    let files = [
        (".gitignore", "secret/\n_version.py\n"),
        ("agent/__init__.py", "from agent.secret.net import fetch\n"),
        ("agent/secret/net.py", "def fetch(url):\n    return url\n"),
        ("agent/_version.py", "version = 1\n"),
    ];
    let ran = check(&files);
    assert_eq!((ran.code, told(&ran).1), (4, vec!["agent/secret/net.py ignored".to_owned()]));
    let all = Project::new(&files).run(&["check", "--format", "json", "--no-ignore"]);
    assert_eq!(all.code, 0, "{all:?}");
}

#[test]
fn a_name_in_other_letters_is_the_name() {
    let ran = check(&[("agent.py", "import ｏs\n\ndef run(command):\n    ｏs.ｓystem(command)\n")]);
    let (findings, _) = told(&ran);
    assert!(findings.contains(&"GL103 agent.py:4".to_owned()), "{findings:?}");
    assert!(findings.contains(&"GL005 agent.py:1".to_owned()), "{findings:?}");
}

#[test]
fn code_pages_in_which_a_quote_may_be_half_a_letter_are_not_guessed() {
    for name in ["gbk", "gb18030", "shift_jis", "big5", "cp932", "johab", "hz", "iso2022_jp", "utf-7"] {
        let ran = check(&[("agent.py", &format!("# coding: {name}\nx = 1\n"))]);
        assert_eq!((ran.code, told(&ran).1), (4, vec!["agent.py unknown-encoding".to_owned()]), "{name}");
    }
}

#[test]
fn a_script_is_known_by_its_first_line() {
    for head in ["#!/usr/bin/env -S uv run --script", "#!/bin/sh\n''''exec python3 \"$0\" \"$@\" # '''"] {
        let ran =
            check(&[("bin/agent.txt", &format!("{head}\nimport subprocess\nsubprocess.run([\"id\"])\n"))]);
        let (findings, _) = told(&ran);
        assert!(
            findings.iter().any(|found| found.starts_with("GL103 bin/agent.txt")),
            "{head}: {findings:?}"
        );
    }
}

/// The calls whose target nothing shows are counted, whatever the interpreter calls them.
#[test]
fn text_that_becomes_code_is_unresolved() {
    let unresolved = |text: &str| {
        let report = check(&[("agent.py", text)]).json();
        report["summary"]["calls"]["unresolved"].as_u64().unwrap()
    };
    assert_eq!(unresolved("def run(text):\n    exec(text)\n    eval(text)\n    __import__(text)\n"), 3);
    assert_eq!(
        unresolved("import importlib\n\ndef load(name):\n    return importlib.import_module(name)\n"),
        1
    );
    assert_eq!(unresolved("def call(it, name):\n    return getattr(it, name)()\n"), 1);
    assert_eq!(unresolved("exec(\"x = 1\")\neval(\"1\" + \"+1\")\n__import__(\"json\")\n"), 0);
}

#[test]
fn what_a_planner_runs_by_an_unknown_name_is_a_finding_of_low_confidence() {
    let files = [(
        "agent.py",
        "import importlib\n\ndef plan_trip(name):\n    return importlib.import_module(name)\n\n\
         def load(name):\n    return importlib.import_module(name)\n",
    )];
    let low = Project::new(&files).run(&["check", "--format", "json", "--min-confidence", "low"]);
    assert_eq!(told(&low).0, ["GL107 agent.py:4"]);
    assert_eq!(check(&files).code, 0, "it is hidden by default");
}
