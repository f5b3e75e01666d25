//! Seed 004, a runtime that denies by default: which tools are seen and run, what a model is told of them, what is logged.

use super::lines;
use crate::support::Project;

fn reported(rule: &str, code: &str) -> Vec<u64> {
    lines(&Project::new(&[("agent.py", code)]), rule)
}

// ---- 1, tools are denied by default

/// Who opens a session with this policy; the line is 9.
fn session(policy: &str) -> Vec<u64> {
    let code = format!(
        "from agent_core.policies import AllowAll, ConfirmAll, DenyAll, DenyAllVisible, PatternRules, Profiled, Ruleset


class Session:
    def __init__(self, tools, tool_policy=DenyAll()):
        self.tools, self.tool_policy = tools, tool_policy

def open_session(tools):
    return Session(tools, tool_policy={policy})
"
    );
    reported("GL901", &code)
}

#[test]
fn the_policy_of_a_runtime_denies_all_by_default() {
    assert_eq!(session("DenyAll()"), [0; 0]);
    assert_eq!(session("DenyAllVisible()"), [0; 0]);
    assert_eq!(session("AllowAll()"), [9]);
    let default = "from agent_core.policies import AllowAll\nclass Session:\n    def __init__(self, tools, tool_policy=AllowAll()):\n        self.tools = tools\n";
    assert_eq!(reported("GL901", default), [3]);
}

#[test]
fn confirm_all_asks_and_rules_narrow_what_they_delegate() {
    assert_eq!(session("ConfirmAll()"), [0; 0]);
    assert_eq!(session("Ruleset(deny=['shell'], confirm=['mail'], delegate=AllowAll())"), [0; 0]);
    assert_eq!(session("Profiled(allowed=['search', 'read'], delegate=DenyAll())"), [0; 0]);
}

#[test]
fn what_no_rule_speaks_of_is_denied() {
    let policy = |last: &str| {
        let code = format!(
            "class RulesetPolicy:
    def __init__(self, deny, confirm, allow):
        self.deny, self.confirm, self.allow = deny, confirm, allow

    def authorize(self, tool_call):
        if tool_call.name in self.deny:
            return 'deny'
        if tool_call.name in self.confirm:
            return 'confirm'
        if tool_call.name in self.allow:
            return 'allow'
        return '{last}'
"
        );
        reported("GL901", &code)
    };
    assert_eq!(policy("deny"), [0; 0]);
    assert_eq!(policy("allow"), [12]);
}

#[test]
fn a_denied_call_becomes_an_error_result() {
    let code = |refused: &str| {
        format!(
            "class ToolLoop:
    def __init__(self, tool_policy, tools):
        self.tool_policy, self.tools = tool_policy, tools

    def run(self, tool_call):
        if not self.tool_policy.authorize(tool_call):
            {refused}
        return self.tools[tool_call.name](**tool_call.arguments)
"
        )
    };
    assert_eq!(reported("GL801", &code("return {'error': 'tool_denied'}")), [0; 0]);
    assert_eq!(reported("GL801", &code("print('denied')")), [8]);
}

// ---- 1.1, tools that start agents

#[test]
fn agents_that_were_started_start_none() {
    let spawn = |check: &str| {
        let code = format!(
            "from agents import Agent, function_tool

@function_tool
def subagent_spawn(task: str, context) -> str:
    {check}
    child = Agent(name='child', tools=context.tools)
    return child.run(task)
"
        );
        reported("GL910", &code)
    };
    assert_eq!(spawn("pass"), [4]);
    assert_eq!(spawn("if context.is_subagent:\n        raise ValueError('nested spawn')"), [0; 0]);
}

fn poll(rule: &str, body: &str) -> Vec<u64> {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let code = format!(
        "import uuid
from agents import function_tool

@function_tool
def subagent_poll(ctx, child_conversation_id: str, limit_turns: int = 10) -> list:
{body}"
    );
    reported(rule, &code)
}

#[test]
fn a_poll_shows_fifty_turns_at_most() {
    let turns = "turns = ctx.conversations.find(child_conversation_id, owner_id=ctx.user_id).turns\n";
    assert_eq!(poll("GL902", &format!("{turns}return turns[-limit_turns:]")), [7]);
    let capped = format!("limit_turns = min(max(limit_turns, 1), 50)\n{turns}return turns[-limit_turns:]");
    assert_eq!(poll("GL902", &capped), [0; 0]);
}

#[test]
fn a_poll_asks_whose_child_it_is() {
    let find = "child = ctx.conversations.find(child_conversation_id)\n";
    let take = "return child.turns[-10:]";
    assert_eq!(poll("GL908", &format!("{find}{take}")), [6]);
    let owned =
        "if child.metadata['subagent']['parent_conversation_id'] != ctx.conversation_id:\n    return []\n";
    assert_eq!(poll("GL908", &format!("{find}{owned}{take}")), [0; 0]);
    // That something looks like an id says nothing about whose it is.
    assert_eq!(poll("GL908", &format!("uuid.UUID(child_conversation_id)\n{find}{take}")), [7]);
}

// ---- 2, arguments and results

fn executor(rule: &str, body: &str) -> Vec<u64> {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let code = format!(
        "import json
import logging

log = logging.getLogger(__name__)
LIMIT = 200_000

class ValidationError(Exception):
    pass

class TaskExecutor:
    def __init__(self, tools, settings):
        self.tools, self.settings = tools, settings

    def execute_tool(self, tool_call):
{body}"
    );
    reported(rule, &code)
}

#[test]
fn arguments_are_summed_up_and_cut() {
    let run = "return self.tools[tool_call.name](**tool_call.arguments)";
    assert_eq!(executor("GL904", &format!("log.info('%s', json.dumps(tool_call.arguments))\n{run}")), [15]);
    let preview = format!("log.info('%s', json.dumps(tool_call.arguments)[:200])\n{run}");
    assert_eq!(executor("GL904", &preview), [0; 0]);
}

#[test]
fn results_are_cut_and_say_so() {
    let tool = "@server.tool()\ndef read_log() -> str:\n    text = open('app.log').read()\n    return ";
    let head = "from mcp.server.fastmcp import FastMCP\nserver = FastMCP('logs')\n";
    assert_eq!(reported("GL902", &format!("{head}{tool}text\n")), [6]);
    let cut = format!("{head}{tool}text if len(text) <= 200_000 else text[:200_000] + '[truncated]'\n");
    assert_eq!(reported("GL902", &cut), [0; 0]);
}

fn failing(handler: &str) -> Vec<u64> {
    let body = format!("try:\n    return self.tools[tool_call.name](**tool_call.arguments)\n{handler}");
    executor("GL905", &body)
}

#[test]
fn errors_are_told_by_their_type_alone() {
    assert_eq!(failing("except Exception as error:\n    return f'failed: {type(error).__name__}'"), [0; 0]);
    assert_eq!(failing("except Exception as error:\n    return f'failed: {error}'"), [18]);
}

#[test]
fn what_does_not_validate_may_say_why() {
    assert_eq!(failing("except ValidationError as error:\n    return f'wrong: {error}'"), [0; 0]);
}

#[test]
fn texts_of_errors_are_for_debugging() {
    let debug = "except Exception as error:\n    if self.settings.debug:\n        return f'failed: {error}'\n    return 'failed'";
    assert_eq!(failing(debug), [0; 0]);
}

// ---- 3, files of skills

fn store(rule: &str, body: &str) -> Vec<u64> {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let code = format!(
        "import os
from pathlib import Path

class FileSystemSkillStore:
    def __init__(self, root):
        self.root = Path(root).resolve()

    def read_skill_file(self, skill, rel_path):
{body}"
    );
    reported(rule, &code)
}

#[test]
fn files_of_skills_are_opened_by_their_real_paths() {
    let read = "return path.read_text()[:65536]";
    assert_eq!(store("GL906", &format!("path = self.root / skill / rel_path\n{read}")), [10]);
    let real = "path = (self.root / skill / rel_path).resolve()\nif not path.is_relative_to(self.root):\n    raise ValueError(rel_path)\n";
    assert_eq!(store("GL906", &format!("{real}{read}")), [0; 0]);
}

#[test]
fn a_list_of_folders_stops_no_link() {
    let listed = "if rel_path.split('/')[0] not in ('scripts', 'references', 'assets'):\n    raise ValueError(rel_path)\npath = self.root / skill / rel_path\nreturn path.read_text()[:65536]";
    assert_eq!(store("GL906", listed), [12]);
}

#[test]
fn a_failing_tool_ends_no_session() {
    let run = |handler: &str| {
        let code = format!(
            "def run_calls(calls, session, messages):
    for call in calls:
        try:
            messages.append(session.call_tool(call.name, call.arguments))
        except {handler}:
            messages.append('the tool failed')
"
        );
        reported("GL909", &code)
    };
    assert_eq!(run("Exception"), [0; 0]);
    assert_eq!(run("TimeoutError"), [4]);
}

// ---- 4, tools of servers

#[test]
fn tools_of_servers_have_names_of_our_own() {
    let adopt = |name: &str| {
        let code = format!(
            "import re

async def adopt(server_id, session, tools):
    for tool in await session.list_tools():
        tools[{name}] = tool
"
        );
        reported("GL907", &code)
    };
    assert_eq!(adopt("tool.name"), [5]);
    assert_eq!(adopt("re.sub(r'[^a-zA-Z0-9_-]', '_', f'mcp_{server_id}__{tool.name}')"), [0; 0]);
}

// ---- 5, media from addresses

#[test]
fn media_from_addresses_are_off_by_default() {
    let config = |rest: &str| {
        reported("GL903", &format!("class MediaConfig:\n    allow_url_media_sources = {rest}\n"))
    };
    assert_eq!(config("False"), [0; 0]);
    assert_eq!(config("True"), [2]);
    assert_eq!(config("True\n    allowed_media_url_hosts = ('media.example.com',)"), [0; 0]);
}

// ---- 6, what is observed

#[test]
fn no_payload_is_observed() {
    let run = "result = self.tools[tool_call.name](**tool_call.arguments)\n";
    assert_eq!(executor("GL904", &format!("{run}log.debug('result %s', result)\nreturn result")), [16]);
    assert_eq!(
        executor("GL904", &format!("{run}log.debug('%d characters', len(result))\nreturn result")),
        [0; 0]
    );
    let asked = "if self.settings.log_payloads:\n    log.debug('result %s', result)\n";
    assert_eq!(executor("GL904", &format!("{run}{asked}return result")), [0; 0]);
}
