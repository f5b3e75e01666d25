//! Reports and commands agree: on what an agent reaches and by way of what, and on every number that two of them say.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::Project;

const NET: &str = "\
import requests

def _send(text):
    return requests.post(\"https://notes.example\", data=text, timeout=5).text

def publish(text):
    return _send(text)
";

const TOOLS: &str = "\
from langchain_core.tools import tool
from net import publish

@tool(\"memorize\")
def keep(text):
    return publish(text)
";

const DISPATCHED: &str = "\
import requests
from langchain_core.tools import tool

class Base:
    def run(self):
        return self.step()

class Net(Base):
    def step(self):
        return requests.get(\"https://a.example\", timeout=5)

class Quiet(Base):
    def step(self):
        return 1

@tool
def calm():
    return Quiet().run()
";

const PLANNER: &str = "\
from net import publish

def plan_trip(city):
    return publish(city)
";

const TESTS: &str = "\
from langchain_core.tools import tool
from net import publish

@tool
def only_here(text):
    return publish(text)
";

/// Small projects, each with what leads an agent to its request, if anything does.
fn projects() -> Vec<(Project, Option<&'static str>)> {
    let project = |files: &[(&str, &str)]| Project::new(files);
    vec![
        (project(&[("net.py", NET)]), None),
        (project(&[("net.py", NET), ("tools.py", TOOLS)]), Some("tool memorize")),
        (project(&[("net.py", NET), ("planner.py", PLANNER)]), Some("planning function plan_trip")),
        (project(&[("net.py", NET), ("tests/test_tools.py", TESTS)]), None),
        (project(&[("agent.py", DISPATCHED)]), None),
    ]
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The findings that count: in the place of the others these stand.
fn counted(report: &Value) -> Vec<&Value> {
    list(report, "findings").iter().filter(|finding| finding.get("covered_by").is_none()).collect()
}

fn json(project: &Project, args: &[&str]) -> Value {
    project.run(&[args, &["--format", "json"]].concat()).json()
}

/// `tool memorize`, as the report of a check says it.
fn via(finding: &Value) -> Option<String> {
    let text = |key: &str| finding["via"][key].as_str();
    Some(format!("{} {}", text("kind")?, text("name")?))
}

/// The same in words.
fn in_words(via: &str, finding: &Value) -> String {
    let (kind, name) = via.rsplit_once(' ').unwrap();
    let at = &finding["via"]["location"];
    format!("via {kind} `{name}` ({}:{})", at["path"].as_str().unwrap(), at["start"]["line"])
}

#[test]
fn a_request_is_reached_by_way_of_what_leads_there() {
    for (project, expected) in projects() {
        let report = json(&project, &["check"]);
        let requests = list(&report, "findings").iter().filter(|finding| finding["rule"] == "GL102");
        let found: Vec<Option<String>> = requests.map(via).collect();
        assert_eq!(found, [expected.map(str::to_owned)], "{report:#}");
    }
}

#[test]
fn every_report_says_the_same_of_what_an_agent_reaches() {
    for (project, _) in projects() {
        let report = json(&project, &["check"]);
        let explained = |finding: &Value| {
            let fingerprint = finding["fingerprint"].as_str().unwrap();
            project.run(&["explain", "--path", fingerprint]).stdout
        };
        let report_as = |format: &str| project.run(&["check", "--format", format, "--full"]).stdout;
        let texts = ["human", "github", "markdown"].map(|format| (format, plain(&report_as(format))));
        let sarif = json_of(&project.run(&["check", "--format", "sarif"]).stdout);
        let mut results = list(&sarif["runs"][0], "results").iter();
        for finding in list(&report, "findings") {
            let result = results.find(|result| result["ruleId"] == finding["rule"]).unwrap();
            let properties = &result["properties"];
            let via = via(finding);
            assert_eq!(finding["agent_reachable"], via.is_some(), "{finding:#}");
            assert_eq!(properties["agentReachable"], via.is_some(), "{result:#}");
            let Some(via) = via else {
                assert!(properties["reachedVia"].is_null(), "{result:#}");
                let none = "No tool, comm handler or planning function is known to reach it.";
                assert!(explained(finding).contains(none), "{}", explained(finding));
                continue;
            };
            let words = in_words(&via, finding);
            assert!(explained(finding).contains(&format!("Reachable by the agent {words}")), "{words}");
            assert!(
                properties["reachedVia"].as_str().unwrap().starts_with(&words["via ".len()..]),
                "{result:#}"
            );
            if finding["covered_by"].is_string() {
                continue;
            }
            for (format, text) in &texts {
                // People read it once, above all that the entry point leads to.
                let words = match *format {
                    "human" => words["via ".len()..].replace(['(', ')'], ""),
                    _ => words.clone(),
                };
                assert!(text.contains(&words), "{format}: {words}\n{text}");
            }
        }
        let counts =
            |finding: &&Value| finding["agent_reachable"] == true && !finding["covered_by"].is_string();
        let reached = list(&report, "findings").iter().filter(counts);
        let head = format!("reachable by the agent ({})", reached.clone().count());
        assert_eq!(texts[0].1.contains(&head), reached.count() > 0, "{}", texts[0].1);
    }
}

/// Without line breaks, and what Markdown and annotations escape as it is.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let written = [("<code>", "`"), ("</code>", "`"), ("&#58;", ":"), ("&#95;", "_"), ("%3A", ":")];
    written.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What a check says that an agent acts from is what the inventory lists, and what the inventory says that a tool reaches is
/// reached for a check.
#[test]
fn the_inventory_agrees_with_the_check() {
    for (project, _) in projects() {
        let (report, inventory) = (json(&project, &["check"]), json(&project, &["commands"]));
        let entry_points = &report["summary"]["entry_points"];
        assert_eq!(entry_points, &inventory["coverage"]["entry_points"]);
        let mut counts = BTreeMap::from([("tool", 0), ("comm handler", 0)]);
        let listed = list(&inventory, "commands");
        for kind in listed.iter().filter_map(|known| known["entry_point"].as_str()) {
            *counts.get_mut(kind).unwrap() += 1;
        }
        for (kind, count) in counts {
            assert_eq!(entry_points[kind], count, "{kind}: {inventory:#}");
        }
        let place =
            |at: &Value, line: &Value| (at["path"].as_str().unwrap().to_owned(), line.as_u64().unwrap());
        let findings = || list(&report, "findings").iter();
        let reached: BTreeSet<_> = findings()
            .filter(|finding| finding["agent_reachable"] == true)
            .map(|finding| place(&finding["location"], &finding["location"]["start"]["line"]))
            .collect();
        for effect in listed.iter().flat_map(|known| list(known, "effects")) {
            let last = list(effect, "steps").last().unwrap();
            assert!(reached.contains(&place(last, &last["line"])), "{effect:#}\n{report:#}");
        }
        let functions: BTreeSet<_> =
            listed.iter().map(|known| known["handler"]["function"].as_str()).collect();
        let by_tools = findings().filter(|finding| finding["via"]["kind"] == "tool");
        for finding in by_tools {
            assert!(functions.contains(&finding["via"]["function"].as_str()), "{finding:#}\n{inventory:#}");
        }
    }
}

/// Who passes an effect through and is registered nowhere stands apart, and no report calls it reachable.
#[test]
fn a_bypass_that_no_agent_takes_stands_apart() {
    let alone = Project::new(&[("net.py", NET)]).run(&["check"]).stdout;
    assert!(alone.contains("\nerror[GL204] phase-gate-bypass (medium confidence)\n"), "{alone}");
    assert!(plain(&alone).contains("nothing is known to be reachable"), "{alone}");
    assert!(!alone.contains("reachable by the agent ("), "{alone}");
    let used = Project::new(&[("net.py", NET), ("tools.py", TOOLS)]).run(&["check"]).stdout;
    assert!(used.contains("tool `memorize`  tools.py:5"), "{used}");
    assert!(!used.contains("ways past a gate"), "{used}");
    let pass = |n: u32| format!("\ndef publish_{n}(text):\n    return _send(text)\n");
    let many = [NET.to_owned(), (0..6).map(pass).collect()].concat();
    let many = Project::new(&[("net.py", &many)]).run(&["check"]).stdout;
    assert!(many.contains("\nways past a gate that the agent is not known to take, by file (7)\n"), "{many}");
    assert!(plain(&many).contains("is known to lead to these functions"), "{many}");
}

/// Two calls of one helper are one way to its request; another helper with a request of its own is another.
#[test]
fn a_function_that_hands_one_effect_through_twice_is_told_once() {
    let source = "\
import requests
from langchain_core.tools import tool

def _ask(word, language):
    return requests.get(\"https://words.example.org\", params={language: word}, timeout=5).text

def _look(word):
    return requests.get(\"https://forms.example.org\", params={\"q\": word}, timeout=5).text

def translate(word, language):
    if language is None:
        return _ask(word, \"en\")
    return _ask(word, language)

def forms(word, language):
    if language is None:
        return _look(word)
    return _ask(word, language)

@tool
def look_up(word: str, language: str) -> str:
    if language is None:
        return _ask(word, \"en\")
    return _ask(word, language)
";
    let report = json(&Project::new(&[("words.py", source)]), &["check", "--select", "GL204"]);
    let lines = list(&report, "findings").iter().filter(|finding| finding["rule"] == "GL204");
    let lines: BTreeSet<_> =
        lines.map(|finding| finding["location"]["start"]["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, BTreeSet::from([12, 17, 18, 23]), "{report:#}");
}

#[test]
fn a_tool_is_one_however_many_functions_run_it() {
    let project = Project::new(&[(
        "tools.py",
        "\
from langchain_core.tools import BaseTool

class Search(BaseTool):
    name: str = \"search\"
    async def _arun(self, query): return query
    def _run(self, query): return query
",
    )]);
    let (check, commands) = (project.run(&["check"]).stdout, project.run(&["commands"]).stdout);
    assert!(check.contains("agent   acts from 1 tool\n"), "{check}");
    assert!(commands.contains("\nagent acts from 1 tool\n0 commands and 1 tool: "), "{commands}");
}

/// The heads of the sections add up to the totals, and every finding has its line, though two of them look alike.
#[test]
fn sections_add_up_and_name_every_finding_once() {
    let twice = "import requests\nprint(requests.get(A), requests.get(A))\n";
    let files: Vec<(String, &str)> = (0..3).map(|n| (format!("m{n}.py"), twice)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let project = Project::new(&[&files[..], &[("net.py", NET), ("tools.py", TOOLS)]].concat());
    let text = project.run(&["check"]).stdout;
    let all = counted(&json(&project, &["check"])).len();
    let heads = ["reachable by the agent (", "the rest, by file (", "lesser findings, by rule ("];
    let count = |head: &str| -> usize {
        let (_, rest) = text.split_once(head).unwrap_or_else(|| panic!("{head}: {text}"));
        rest.split_once(')').unwrap().0.parse().unwrap()
    };
    assert_eq!(heads.map(count).iter().sum::<usize>(), all, "{text}");
    assert!(text.contains("  GL102 m0.py:2 ×2 (requests.get)"), "{text}");
}

/// What a baseline notes is what the next check knows, hidden findings and gaps included.
#[test]
fn known_and_shown_findings_add_up_to_what_was_noted() {
    let unsure = "def look(socket):\n    import socket as net\n    return net.gethostbyname(\"a\")\n";
    let project = Project::new(&[("net.py", NET), ("tools.py", TOOLS), ("dns.py", unsure)]);
    let before = json(&project, &["check", "--min-confidence", "low"]);
    let noted = project.run(&["baseline", "write"]).stdout;
    let known = project.run(&["check"]).stdout;
    let words = noted.split_once(": ").unwrap().1.split_once(" noted").unwrap().0.to_owned();
    let line = known.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains(&format!("known {words} in gatelint-baseline.json")), "{noted}\n{known}");
    for selection in [&[][..], &["--select", "GL102"]] {
        let report = json(&project, &[&["check"], selection].concat());
        let baseline = &report["summary"]["baseline"];
        let parts = ["known", "hidden", "fixed", "unseen"].map(|part| baseline[part].as_u64().unwrap());
        let gaps = report["summary"]["gaps"]["known"].as_u64().unwrap();
        assert_eq!(parts.iter().sum::<u64>() + gaps, counted(&before).len() as u64, "{baseline:#}");
        assert!(counted(&report).is_empty(), "{report:#}");
    }
}

#[test]
fn a_selection_is_said_in_one_word() {
    let project = Project::new(&[("net.py", NET)]);
    let line = |args: &[&str]| project.run(&[&["check"], args].concat()).stdout;
    let selected = line(&["--select", "GL102"]);
    assert!(selected.contains("selected: GL102\n") && !selected.contains("switched off"), "{selected}");
    let both = line(&["--select", "GL10", "--ignore", "GL103"]);
    assert!(both.contains("selected: GL10\n") && both.contains("rules switched off: GL103\n"), "{both}");
    let ignored = line(&["--ignore", "GL103"]);
    assert!(ignored.contains("rules switched off: GL103\n") && !ignored.contains("selected"), "{ignored}");
}
