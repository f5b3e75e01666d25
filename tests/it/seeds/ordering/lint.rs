//! Seed 002, before anything runs: the order of tools in code, against the same table that the manifest is made of.

use serde_json::Value;

use crate::seeds::lines;
use crate::support::{Project, Run};

const CONFIG: &str = include_str!("manifest.toml");

fn contaminated(code: &str) -> Vec<u64> {
    lines(&Project::new(&[("gatelint.toml", CONFIG), ("agent.py", code)]), "GL701")
}

#[test]
fn calling_search_email_first_loses_access_to_web_search_for_the_rest_of_the_session() {
    let code = "def answer(session, question):
    session.call_tool('search_email', question)
    session.call_tool('github_create_pr', question)
    session.call_tool('web_search', question)
";
    assert_eq!(contaminated(code), [4]);
}

#[test]
fn external_tool_calls_that_are_complete_before_internal_ones_are_no_finding() {
    let code = "def answer(session, question):
    session.call_tool('web_search', question)
    session.call_tool('search_email', question)
    session.call_tool('search_docs', question)
";
    assert_eq!(contaminated(code), [0; 0]);
}

/// Every order of these, by the digits of its number.
fn order(steps: &[&'static str], mut nth: usize) -> Vec<&'static str> {
    let mut left = steps.to_vec();
    let counts = (1..=steps.len()).rev();
    let each = counts.map(|count| {
        let at = nth % count;
        nth /= count;
        left.remove(at)
    });
    each.collect()
}

#[test]
fn what_plan_calls_a_violation_the_lint_reports_and_what_it_returns_as_safe_it_does_not() {
    let steps = ["search_email", "web_search", "github_create_pr", "slack_post", "search_docs"];
    let orders: Vec<Vec<&str>> = (0..120).map(|nth| order(&steps, nth)).collect();
    let call = |tool: &&str| format!("    session.call_tool('{tool}', question)\n");
    let function = |(nth, planned): (usize, &Vec<&str>)| {
        format!("def run_{nth}(session, question):\n{}", planned.iter().map(call).collect::<String>())
    };
    let code: String = orders.iter().enumerate().map(function).collect();
    let project = Project::new(&[("gatelint.toml", CONFIG), ("agent.py", &code)]);

    let requests: String = orders.iter().map(|planned| super::calls(planned).to_string() + "\n").collect();
    let ran = Run::new(&["plan", "--lines", "-"]).within(project.path()).stdin(requests.as_bytes()).ran();
    let answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let height = steps.len() as u64 + 1;
    let blocked = answers.enumerate().flat_map(|(nth, answer)| {
        let violations = answer["violations"].as_array().unwrap().clone();
        let line = move |it: Value| nth as u64 * height + it["at_step"].as_u64().unwrap() + 2;
        violations.into_iter().map(line)
    });
    let blocked: Vec<u64> = blocked.collect();
    assert!(blocked.len() > 100);
    assert_eq!(lines(&project, "GL701"), blocked);
}

#[test]
fn is_internal_source_and_is_external_class_a_tool() {
    let code = "from backends import mail, web
def search_inbox(query): return mail(query)
def search_pages(query): return web(query)
TOOLS = [
    {'name': 'search_inbox', 'is_internal_source': True},
    {'name': 'search_pages', 'is_external': True},
]
def answer(question):
    found = search_inbox(question)
    return search_pages(question), found
";
    let project = Project::new(&[("agent.py", code)]);
    let tools = project.run(&["manifest"]).json()["tools"].clone();
    let classes: Vec<_> = tools.as_array().unwrap().iter().map(|tool| &tool["sensitivity"]).collect();
    assert_eq!(classes, ["internal_source", "external"]);
    assert_eq!(lines(&project, "GL701"), [10]);
}

#[test]
fn any_other_word_is_no_class() {
    let code = "from langchain_core.tools import tool
@tool(extras={'sensitivity': 'confidential'})
def ponder(text): return text
";
    let project = Project::new(&[("agent.py", code)]);
    assert_eq!(lines(&project, "GL702"), [3]);
    let config = "[tools.ponder]\nsensitivity = \"confidential\"\n";
    let ran = Project::new(&[("agent.py", code), ("gatelint.toml", config)]).run(&["check"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn a_block_at_run_time_that_cannot_be_passed_is_what_the_rule_asks_for() {
    let gateway = |refusal: &str| {
        format!(
            "class Blocked(Exception): pass
class Session:
    def __init__(self, tools):
        self.tools, self.contaminated = tools, False
    def call_tool(self, name, question):
        tool = self.tools[name]
        if self.contaminated and tool.is_external:
            {refusal}
        if tool.is_internal_source:
            self.contaminated = True
        return tool.run(question)
def answer(tools, question):
    session = Session(tools)
    session.call_tool('search_email', question)
    return session.call_tool('web_search', question)
"
        )
    };
    assert_eq!(contaminated(&gateway("raise Blocked(name)")), [0; 0]);
    assert_eq!(contaminated(&gateway("print('late', name)")), [15]);
}

#[test]
fn an_agent_that_is_only_offered_tools_of_both_classes_is_no_finding() {
    let code = "from langchain.agents import create_agent
from tools import search_email, web_search
agent = create_agent('model', tools=[search_email, web_search])
def answer(question):
    return agent.invoke({'messages': [question]})
";
    assert_eq!(contaminated(code), [0; 0]);
}

#[test]
fn a_session_of_its_own_and_a_reset_begin_clean() {
    let code = "def apart(connect, question):
    connect('mail').call_tool('search_email', question)
    connect('web').call_tool('web_search', question)
def again(session, question):
    session.call_tool('search_email', question)
    session.reset()
    session.call_tool('web_search', question)
";
    assert_eq!(contaminated(code), [0; 0]);
}
