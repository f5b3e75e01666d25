//! A team's own rules: what they can say, that they only add, and every mistake one can make in them, as a user sees it.

use serde_json::Value;

use crate::support::Project;

/// As CONTRIBUTING writes it.
const PICKLE: &str = include_str!("team-rules/pickle-in-tool.toml");

const AGENT: &str = "\
import pickle
from langchain_core.tools import tool


def restore(data):
    return pickle.loads(data)


@tool
def remember(data):
    return restore(data)


def elsewhere(data):
    return restore(data)
";

fn project() -> Project {
    let classes = "[tools.remember]\nsensitivity = \"internal_source\"\n";
    Project::new(&[("agent.py", AGENT), ("rules/pickle.toml", PICKLE), ("gatelint.toml", classes)])
}

/// (rule, line) of each finding.
fn found(report: &Value) -> Vec<(String, u64)> {
    let findings = report["findings"].as_array().unwrap().iter();
    let found = findings.map(|finding| {
        let line = finding["location"]["start"]["line"].as_u64().unwrap();
        (finding["rule"].as_str().unwrap().to_owned(), line)
    });
    found.collect()
}

/// What a user sees of rule files that are wrong.
#[track_caller]
fn complaint(files: &[(&str, &str)]) -> String {
    let project = Project::new(files);
    let ran = project.run(&["check", "--rules", "rules"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    ran.stderr
}

const VALUES: &str = r#"
id = "ACME002"
name = "insecure-tls"
summary = "TLS is off"
severity = "warning"
message = "{problem}"
help = "leave it on"

[[match]]
value = { name = ["tls_mode", "*_tls_mode"], is = ["insecure"], at = ["default", "fallback", "argument", "assignment", "key"] }

[[match]]
compare = { name = ["tls_mode"], denies = ["off"], effects = ["network"] }
"#;

const TLS: &str = r#"
import requests

OFF = "in" + "secure"

class Client:
    appTlsMode: str = OFF

    def get(self, url, tls_mode="insecure"):
        self.tls_mode = tls_mode or "insecure"
        if tls_mode == "off":
            return None
        return requests.get(url)

def fetch(client: Client, url):
    client.get(url, "insecure")
    client.get(url, tls_mode="strict")
    options = {"tls_mode": "insecure", "mode": "insecure"}
    options["tls_mode"] = "insecure"
    tls_mode = "insecure"
    return options, tls_mode
"#;

#[test]
fn a_rule_speaks_of_values_in_its_own_words() {
    let project = Project::new(&[("agent.py", TLS), ("rules/tls.toml", VALUES)]);
    let ran = project.run(&["check", "--rules", "rules", "--format", "json"]);
    let mut lines: Vec<_> =
        found(&ran.json()).into_iter().filter(|(rule, _)| rule == "ACME002").map(|(_, line)| line).collect();
    lines.sort_unstable();
    assert_eq!(lines, [7, 9, 10, 11, 16, 18, 19, 20]);
}

#[test]
fn a_rule_of_ten_lines_forbids_pickle_in_tools() {
    let rule = PICKLE.split("[[example]]").next().unwrap();
    assert!(rule.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count() <= 10);
    // What the model sends is unpickled, as another rule says.
    let ran = project().run(&["check", "--rules", "rules", "--ignore", "GL411", "--format", "json"]);
    assert_eq!((ran.code, found(&ran.json())), (1, vec![("ACME001".to_owned(), 11)]));
    assert_eq!(project().run(&["check", "--ignore", "GL411"]).code, 0, "without it nothing is wrong");
}

#[test]
fn a_rule_of_a_team_is_a_rule_like_any_other() {
    let project = project();
    let out = |args: &[&str]| project.run(&[args, &["--rules", "rules"]].concat());
    assert!(out(&["explain", "acme001"]).stdout.starts_with("# ACME001 pickle-in-tool\n"));
    assert!(out(&["explain", "pickle-in-tool"]).stdout.starts_with("# ACME001"));
    assert!(out(&["rules"]).stdout.starts_with("ACME001  error    pickle-in-tool"));
    assert_eq!(out(&["rules", "--format", "json"]).json()["rules"][0]["id"], "ACME001");
    assert_eq!(out(&["check", "--select", "acme"]).code, 1);
    assert_eq!(out(&["check", "--select", "ACME001", "--ignore", "GL"]).code, 1);
    assert_eq!(out(&["check", "--ignore", "ACME", "--ignore", "GL411"]).code, 0);
    assert_eq!(out(&["check", "--select", "GL1"]).code, 0);
    let sarif = out(&["check", "--ignore", "GL411", "--format", "sarif"]).json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "ACME001");
    assert_eq!(project.run(&["explain", "ACME001"]).code, 2, "nobody knows it without `--rules`");
}

#[test]
fn a_call_is_meant_by_its_path_however_it_is_written() {
    let rule = "id = \"ACME002\"\nname = \"no-code-from-data\"\nsummary = \"s\"\nseverity = \"warning\"\n\
                message = \"`{callee}` runs data\"\nhelp = \"h\"\n\
                [[match]]\ncall = { path = [\"eval\", \"pickle.*\", \"_socket.socket\"], except = [\"pickle.dumps\"] }\n";
    let code = "\
import pickle, asyncio
import pickle as p
from pickle import loads as decode, dumps
from socket import socket

decode(b'')
p.load(f)
eval('1')
socket()
asyncio.to_thread(pickle.loads, b'')
dumps(1)
open('x')
def pickled(): return pickle
pickled().loads(b'')
";
    let project = Project::new(&[("agent.py", code), ("rules/r.toml", rule)]);
    let ran = project.run(&["check", "--rules", "rules", "--select", "ACME", "--format", "json"]);
    let lines: Vec<_> = found(&ran.json()).into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, [6, 7, 8, 9, 10, 14]);
}

#[test]
fn a_function_of_the_project_can_be_named() {
    let rule = "id = \"ACME004\"\nname = \"no-raw-query\"\nsummary = \"s\"\nseverity = \"error\"\n\
                message = \"`{callee}`\"\nhelp = \"h\"\n\
                [[match]]\ncall = { path = [\"store.db.raw\", \"store.db.Session\", \"store.db.Session.run\", \"pickle.loads\"] }\n";
    let agent = "\
from store import raw as ask
from store.db import Session, safe
import pickle

ask('x')
Session().run()
safe('x')
pickle.loads(b'')
LATER = [ask]
";
    let db = "\
def raw(query): ...
def safe(query): ...
class Session:
    def __init__(self): ...
    def run(self): ...
";
    let files = [
        ("agent.py", agent),
        ("store/__init__.py", "from store.db import raw\n"),
        ("store/db.py", db),
        ("pickle.py", "def loads(data): ...\n"),
        ("rules/r.toml", rule),
    ];
    let ran =
        Project::new(&files).run(&["check", "--rules", "rules", "--select", "ACME", "--format", "json"]);
    let lines: Vec<_> = found(&ran.json()).into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, [5, 6, 6], "the project's own `pickle` is not the library");
}

#[test]
fn a_scope_confines_a_rule() {
    let rule = |scope: &str| {
        format!(
            "id = \"ACME003\"\nname = \"x\"\nsummary = \"s\"\nseverity = \"error\"\nmessage = \"`{{callee}}`\"\n\
             help = \"h\"\n[scope]\n{scope}\n[[match]]\ncall = {{ path = [\"pickle.loads\"] }}\n"
        )
    };
    let code = "\
import pickle

@mcp.tool()
def remember(data):
    return (lambda: pickle.loads(data))()

def elsewhere(data):
    return pickle.loads(data)
";
    let lines = |scope: &str| {
        let files = [("agent.py", code), ("comm/net.py", "import pickle\npickle.loads(b'')\n")];
        let project = Project::new(&files);
        project.write("rules/r.toml", rule(scope));
        let ran = project.run(&["check", "--rules", "rules", "--select", "ACME", "--format", "json"]);
        found(&ran.json()).into_iter().map(|(_, line)| line).collect::<Vec<_>>()
    };
    assert_eq!(lines(""), [5, 8, 2]);
    assert_eq!(lines("only = [\"tool\"]"), [5], "a function inside a tool is the tool's");
    assert_eq!(lines("only = [\"comm\"]"), [2]);
    assert_eq!(lines("only = [\"tool\", \"comm\"]"), [5, 2]);
    assert_eq!(lines("except = [\"comm\"]"), [5, 8]);
}

#[test]
fn rules_add_and_never_replace() {
    let copy = |id: &str, name: &str| PICKLE.replace("ACME001", id).replace("pickle-in-tool", name);
    let files = [
        ("rules/a.toml", copy("ACME001", "pickle-in-tool")),
        ("rules/b.toml", copy("GL102", "my-own")),
        ("rules/c.toml", copy("GL999", "planning-phase-io")),
        ("rules/d.toml", copy("ACME001", "another")),
    ];
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    insta::assert_snapshot!(complaint(&files));
}

#[test]
fn every_mistake_of_every_file_at_once() {
    let first = "\
id = \"acme-1\"
name = \"Pickle\"
sumary = \"tool can unpickle\"
severity = \"fatal\"
message = \"`{function}` calls `{caller}`\"
help = 3

[scope]
only = [\"tols\"]

[[match]]
reach = { from = \"tool\", path = [\"pickle.loads()\"], effects = [\"network\"] }

[[match]]
call = { path = [\"pickle loads\", \"**\"] }

[[match]]
reach = { from = \"planer\", effects = [\"netwrok\"] }

[[example]]
name = \"x\"
code = \"x\"
lang = \"python\"
errors = [0]
";
    let second = "id = \"ACME002\n";
    insta::assert_snapshot!(complaint(&[("rules/first.toml", first), ("rules/second.toml", second)]));
}

#[test]
fn a_rule_that_can_never_report_is_a_mistake() {
    let head = PICKLE.split("[[match]]").next().unwrap();
    let complaint = complaint(&[("rules/r.toml", head)]);
    assert!(complaint.contains("`match` is missing in a rule"), "{complaint}");
    assert!(complaint.ends_with("error: a mistake in the rule file `rules/r.toml`\n"), "{complaint}");
}

#[test]
fn no_rule_is_left_out_in_silence() {
    let project = project();
    project.write(".gitignore", "rules/\n");
    assert_eq!(project.run(&["check", "--rules", "rules"]).code, 1, "ignore files hide no rule");
    assert_eq!(project.run(&["check", "--rules", "rules/pickle.toml"]).code, 1, "a file is a folder of one");
    let stderr = |path: &str| {
        let ran = project.run(&["check", "--rules", path]);
        assert_eq!(ran.code, 2);
        ran.stderr
    };
    assert_eq!(stderr("none"), "error: cannot read the rules in `none`: no such file or folder\n");
    std::fs::create_dir(project.path().join("empty")).unwrap();
    assert_eq!(stderr("empty"), "error: `empty` holds no rule; a rule is a file `<name>.toml`\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/hosts", project.path().join("empty/rule.toml")).unwrap();
        assert!(stderr("empty").contains("is a link; put the file itself there"));
    }
}

/// What `test-rules` says of one rule file.
fn tested(rule: &str) -> (i32, String) {
    let project = Project::new(&[("rules/pickle.toml", rule)]);
    let ran = project.run(&["test-rules", "rules"]);
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn examples_of_a_team_are_run() {
    let (code, report) = tested(PICKLE);
    assert_eq!(code, 0, "{report}");
    insta::assert_snapshot!(report);
}

#[test]
fn examples_come_out_as_missing_noisy_wrong_or_closed() {
    let example = |name: &str, code: &str| {
        let head = "import pickle\nfrom langchain_core.tools import tool\n\n";
        format!("\n[[example]]\nname = \"{name}\"\ncode = '''\n{head}{code}\n'''\n")
    };
    let rule = PICKLE.split("[[example]]").next().unwrap().to_owned()
        + &example("missing one", "def plain(data):\n    return pickle.loads(data)  # error")
        + &example("noisy one", "@tool\ndef restore(data):\n    return pickle.loads(data)")
        + &example("wrong one", "@tool\ndef restore(data):  # error\n    return pickle.loads(data)")
        + &example("closed one", "@tool\ndef restore(data):\n    return pickle.loads(data)  # todo-error")
        + &example("misspelt one", "x = 1  # eror: this is no mark\ny = 2  # errors");
    let (code, report) = tested(&rule);
    assert_eq!(code, 1, "{report}");
    insta::assert_snapshot!(report);
}

#[test]
fn rules_that_cannot_be_tested() {
    let (code, report) = tested(PICKLE.split("[[example]]").next().unwrap());
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("  no example: add an `[[example]]`"), "{report}");
    assert!(report.ends_with("1 rule, 0 examples; 1 rule without an example\n"), "{report}");
    let (code, report) = tested("id = 3\n");
    assert!(code == 2 && report.contains("`id` takes a string, not an integer"), "{report}");
    let project = Project::new(&[("rules/README.md", "")]);
    let ran = project.run(&["test-rules", "rules"]);
    assert_eq!((ran.code, ran.stderr.contains("`rules` holds no rule")), (3, true));
    assert_eq!(project.run(&["test-rules"]).code, 2);
}

#[test]
fn help_of_test_rules() {
    insta::assert_snapshot!(Project::new(&[]).run(&["test-rules", "--help"]).stdout);
}

/// Rules that follow values, as CONTRIBUTING says how.
#[test]
fn examples_of_rules_that_follow_values() {
    for rule in [
        include_str!("team-rules/customer-data-sent.toml"),
        include_str!("team-rules/secret-in-log.toml"),
        include_str!("team-rules/mail-to-anybody.toml"),
    ] {
        let (code, report) = tested(rule);
        assert_eq!(code, 0, "{report}");
    }
}
