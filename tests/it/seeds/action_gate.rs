//! Seed 003, the sentinel: what stands around it, what it is itself, and how it is asked.

use super::lines;
use crate::support::Project;

mod scenarios;

/// A call site as the seed has it, in Python: `{body}` runs a skill that a sub-agent asks for.
fn around(body: &str) -> Project {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let code = format!(
        "class SubAgent:
    def __init__(self, sentinel, permissions, skills, mission):
        self.sentinel = sentinel
        self.permissions = permissions
        self.skills = skills
        self.mission = mission

    def execute_use_skill(self, skill_name, skill_args, agent_id, original_request):
        proposed_action = {{'skill_name': skill_name, 'arguments': skill_args, 'agent_id': agent_id}}
{body}
    def execute_skill_call(self, skill_name, skill_args):
        return self.skills[skill_name](**skill_args)


class Sentinel:
    def check(self, request, mission, action):
        if action['skill_name'] in mission.denied:
            return {{'decision': 'reject', 'reason': 'not of this mission'}}
        return {{'decision': 'approve', 'reason': ''}}
"
    );
    Project::new(&[("sub_agent.py", &code)])
}

/// A sentinel whose `check` has this body.
fn sentinel(body: &str) -> Project {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let code = format!(
        "import json
import logging
import openai

log = logging.getLogger(__name__)
client = openai.OpenAI(timeout=10)
APPROVED = {{'decision': 'approve', 'reason': ''}}


class Sentinel:
    def check(self, original_request, agent_mission, proposed_action):
{body}"
    );
    Project::new(&[("sentinel.py", &code)])
}

const CHECK: &str = "verdict = self.sentinel.check(original_request, self.mission, proposed_action)";

#[test]
fn the_sentinel_evaluates_every_tool_call_before_execution() {
    let held = format!(
        "{CHECK}\nif verdict['decision'] != 'approve':\n    return verdict['reason']\nreturn self.execute_skill_call(skill_name, skill_args)"
    );
    assert_eq!(lines(&around(&held), "GL801"), [0; 0]);
    let unheld = format!("{CHECK}\nreturn self.execute_skill_call(skill_name, skill_args)");
    assert_eq!(lines(&around(&unheld), "GL801"), [11]);
    let late = format!(
        "result = self.execute_skill_call(skill_name, skill_args)\n{CHECK}\nreturn result if verdict['decision'] == 'approve' else None"
    );
    assert_eq!(lines(&around(&late), "GL801"), [10]);
}

#[test]
fn what_runs_is_what_was_judged() {
    let other = format!(
        "{CHECK}\nif verdict['decision'] != 'approve':\n    return verdict['reason']\nskill_name, skill_args = self.next_call()\nreturn self.execute_skill_call(skill_name, skill_args)"
    );
    assert_eq!(lines(&around(&other), "GL801"), [14]);
}

#[test]
fn the_sentinel_is_the_last_gate_behind_scope_and_permission() {
    let held = "if verdict['decision'] != 'approve':\n    return verdict['reason']\n";
    let scope = "if skill_name not in self.skills:\n    return 'not in scope'\n";
    let permission = "if not self.permissions.is_enabled(skill_name):\n    return 'disabled'\n";
    let run = "return self.execute_skill_call(skill_name, skill_args)";
    let ordered = format!("{scope}{permission}{CHECK}\n{held}{run}");
    assert_eq!(lines(&around(&ordered), "GL801"), [0; 0]);
}

#[test]
fn the_sentinel_is_synchronous() {
    let awaited = "async def run():\n    verdict = await self.sentinel.check(original_request, self.mission, proposed_action)\n    if verdict['decision'] == 'approve':\n        return self.execute_skill_call(skill_name, skill_args)\n    return verdict['reason']\nreturn run()";
    assert_eq!(lines(&around(awaited), "GL801"), [0; 0]);
    let beside = "import threading\nthreading.Thread(target=self.sentinel.check, args=(original_request, self.mission, proposed_action)).start()\nreturn self.execute_skill_call(skill_name, skill_args)";
    assert_eq!(lines(&around(beside), "GL801"), [12]);
}

#[test]
fn a_skip_list_holds_read_only_skills_only() {
    let skips = |list: &str| {
        let body = format!(
            "if skill_name not in {list}:\n    {CHECK}\n    if verdict['decision'] != 'approve':\n        return verdict['reason']\nreturn self.execute_skill_call(skill_name, skill_args)"
        );
        lines(&around(&body), "GL801")
    };
    assert_eq!(skips("('email.list', 'email.search', 'files.read')"), [14]);
}

#[test]
fn a_stub_that_always_approves_is_no_gate() {
    assert_eq!(lines(&sentinel("return APPROVED"), "GL802"), [11]);
    assert_eq!(
        lines(&sentinel("log.info('checked %s', proposed_action['skill_name'])\nreturn APPROVED"), "GL802"),
        [11]
    );
    let decides = "if proposed_action['skill_name'].startswith('email.'):\n    return {'decision': 'reject', 'reason': 'no mail'}\nreturn APPROVED";
    assert_eq!(lines(&sentinel(decides), "GL802"), [0; 0]);
}

#[test]
fn doubles_in_tests_may_approve() {
    let code = "class MockSentinel:\n    def check(self, request, mission, action):\n        return {'decision': 'approve'}\n";
    assert_eq!(lines(&Project::new(&[("tests/test_agent.py", code)]), "GL802"), [0; 0]);
}

#[test]
fn fail_open_with_logging_is_the_recommendation_and_silence_is_not() {
    let with = |handler: &str| {
        let body = format!(
            "try:\n    answer = self.ask(original_request, agent_mission, proposed_action)\nexcept Exception:\n{handler}return answer"
        );
        lines(&sentinel(&body), "GL803")
    };
    assert_eq!(with("    log.error('sentinel failed')\n    return APPROVED\n"), [0; 0]);
    assert_eq!(with("    return APPROVED\n"), [15]);
    assert_eq!(with("    return {'decision': 'reject', 'reason': 'no verdict'}\n"), [0; 0]);
}

#[test]
fn a_missing_request_is_judged_by_the_mission() {
    let open = "if original_request is None:\n    return APPROVED\nreturn self.ask(original_request, agent_mission, proposed_action)";
    assert_eq!(lines(&sentinel(open), "GL803"), [13]);
    let judged = "request = 'none' if original_request is None else original_request\nreturn self.ask(request, agent_mission, proposed_action)";
    assert_eq!(lines(&sentinel(judged), "GL803"), [0; 0]);
}

fn asks(options: &str) -> Vec<u64> {
    let schema = "schema = {'type': 'object', 'properties': {'decision': {'type': 'string', 'enum': ['approve', 'reject']}, 'reason': {'type': 'string'}}, 'required': ['decision', 'reason'], 'additionalProperties': False}";
    let body = format!(
        "{schema}\nanswer = client.chat.completions.create(model='m', messages=[], {options})\nreturn json.loads(answer.choices[0].message.content)"
    );
    lines(&sentinel(&body), "GL804")
}

const STRICT: &str = "response_format={'type': 'json_schema', 'json_schema': {'name': 'sentinel_decision', 'strict': True, 'schema': schema}}";

#[test]
fn the_verdict_has_a_strict_schema() {
    assert_eq!(asks(&format!("temperature=0.0, max_tokens=150, {STRICT}")), [0; 0]);
    assert_eq!(asks("temperature=0.0, max_tokens=150, response_format={'type': 'json_object'}"), [13]);
    assert_eq!(asks("temperature=0.0, max_tokens=150"), [13]);
    let loose = STRICT.replace("'strict': True", "'strict': False");
    assert_eq!(asks(&format!("temperature=0.0, max_tokens=150, {loose}")), [13]);
}

#[test]
fn the_decision_is_deterministic_and_its_tokens_are_bounded() {
    assert_eq!(asks(&format!("temperature=0.7, max_tokens=150, {STRICT}")), [13]);
    assert_eq!(asks(&format!("max_tokens=150, {STRICT}")), [13]);
    assert_eq!(asks(&format!("temperature=0.0, {STRICT}")), [13]);
}

#[test]
fn a_verdict_is_not_parsed_out_of_free_text() {
    assert_eq!(
        lines(&sentinel("text = self.ask(proposed_action)\nreturn 'approve' in text.lower()"), "GL804"),
        [13]
    );
}
