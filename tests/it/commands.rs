//! `gatelint commands`: what is registered, by which idiom, and what the list says of it.

use std::path::Path;

use gatelint::analysis::{Registered, registrations};
use gatelint::catalog::{Catalog, RegistrationKind};
use gatelint::config::{self, LayerSet};
use gatelint::engine::{lower, units};
use gatelint::finding::Confidence;
use gatelint::link::{Crates, link};
use gatelint::rule::builtin_catalog;
use gatelint::source::LineIndex;
use serde_json::Value;

use crate::project::files;
use crate::support::Project;

/// What is registered, in order: `tool langchain search = find:4`, with the line of the registration.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    check_with(&builtin_catalog().expect("the catalogue is valid"), code, expected);
}

#[track_caller]
fn check_with(catalog: &Catalog, code: &str, expected: &[&str]) {
    let files = files(code);
    let facts = lower(&files);
    let layers = vec![LayerSet::EMPTY; files.len()];
    let units = units(&files, &facts, &layers);
    let program = link(&units, Crates::default(), None, catalog);
    let text = |known: &Registered| {
        let kind = match known.kind {
            RegistrationKind::Command => "command",
            RegistrationKind::Tool => "tool",
        };
        let framework = known.framework.as_deref().unwrap_or("-");
        let doubt = if known.confidence == Confidence::High { "" } else { "?" };
        let others: String =
            known.others.iter().map(|&func| format!("+{}", program.short_name(func))).collect();
        let line = LineIndex::new(&files[known.file.0 as usize].text).line_col(known.span.lo).line;
        let (name, handler) = (known.name.as_deref().unwrap_or("-"), program.short_name(known.handler));
        format!("{kind} {framework} {name}{doubt} = {handler}{others}:{line}")
    };
    let found: Vec<_> = registrations(&program, catalog).iter().map(text).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_registry_of_commands_is_given_a_name_and_a_function() {
    check(
        "\
from base import SlashCommandRegistry, CommandMetadata, ProviderRegistry, get_registry
from elsewhere import registry, hooks

def stream(command, args): pass
def export(command, args): pass
def model(args): pass
def select(args): pass
def search(args): pass
def task(args): pass
class Provider: pass

get_registry().register(command=\"stream\", handler=stream, description=\"on or off\")
SlashCommandRegistry().register(\"export\", export, \"to a file\")
registry.register(\"/model\", model)
get_registry().register_all([
    CommandMetadata(id=\"model:select\", title=\"Select\", handler=select),
    CommandMetadata(id=\"kb:search\", title=\"Search\", handler=search),
])
ProviderRegistry().register(\"local\", task)
hooks.register(\"on_start\", task)
registry.register(Provider())
registry.register(name_of(task), task)

# file: base.py
from dataclasses import dataclass
from typing import Callable

class SlashCommandRegistry:
    def register(self, command, handler, description=\"\"):
        self.commands[command] = handler

@dataclass
class CommandMetadata:
    id: str
    title: str
    handler: Callable

class ProviderRegistry:
    def register(self, name, make):
        self.makers[name] = make

def get_registry() -> SlashCommandRegistry:
    return SlashCommandRegistry()
",
        &[
            "command - stream = stream:12",
            "command - export = export:13",
            "command - /model? = model:14",
            "command - model:select? = select:16",
            "command - kb:search? = search:17",
        ],
    );
}

#[test]
fn a_command_with_a_table_is_as_many_as_stand_there() {
    check(
        "\
from elsewhere import registry

class Commands:
    @staticmethod
    def search(command, args, context): pass
    @staticmethod
    def fetch(command, args, context): pass

def comm(command, args, context):
    handlers = {
        \"search\": Commands.search,
        \"find\": Commands.search,
        \"fetch\": Commands.fetch,
    }
    handler = handlers.get(args[0])
    return handler(args[0], args[1:], context)

registry.register(command=\"comm\", handler=comm)
",
        &[
            "command - comm.search = Commands.search:11",
            "command - comm.find = Commands.search:12",
            "command - comm.fetch = Commands.fetch:13",
            "command - comm? = comm:18",
        ],
    );
}

#[test]
fn the_class_of_a_command_stands_for_it() {
    check(
        "\
class CommCommand:
    namespace = \"comm\"

class Search(CommCommand):
    name = \"search\"
    def execute(self, args): pass
",
        &["command - comm.search = Search.execute:4"],
    );
}

#[test]
fn a_tool_of_a_class_is_one_however_many_methods_run_it() {
    check(
        "\
from langchain_core.tools import BaseTool, StructuredTool

class Search(BaseTool):
    name: str = \"search\"
    async def _arun(self, query): pass
    def _run(self, query): pass

class Narrow(Search):
    name: str = \"narrow\"

def fetch(url): pass
async def afetch(url): pass

StructuredTool.from_function(func=fetch, coroutine=afetch, name=\"fetch\")
",
        &[
            "tool langchain search = Search._run+Search._arun:3",
            "tool langchain narrow = Search._run+Search._arun:8",
            "tool langchain fetch = fetch+afetch:14",
        ],
    );
}

#[test]
fn a_list_of_tools_is_read_element_by_element() {
    check(
        "\
from agno.tools import Toolkit

class Mail(Toolkit):
    def __init__(self, send: bool = False):
        tools = [self.read]
        if send:
            tools.append(self.send)
        later = [(self.aread, \"read\")]
        super().__init__(name=\"mail\", tools=tools, async_tools=later)

    def read(self): pass
    async def aread(self): pass
    def send(self): pass
    def helper(self): pass
",
        &["tool agno read = Mail.read+Mail.aread:5", "tool agno send = Mail.send:7"],
    );
}

#[test]
fn what_is_said_at_the_function_is_not_said_again() {
    check(
        "\
from agents import Agent, FunctionTool, function_tool

@function_tool
def look(): pass

@function_tool(name_override=\"find\")
def search(): pass

def run(context, arguments): pass

Agent(name=\"a\", tools=[look, search])
FunctionTool(name=NAME, description=\"\", params_json_schema={}, on_invoke_tool=run)
",
        &[
            "tool openai-agents look = look:3",
            "tool openai-agents find = search:6",
            "tool openai-agents - = run:12",
        ],
    );
}

#[test]
fn a_server_declares_tools_and_dispatches_to_them() {
    check(
        "\
from mcp.server.lowlevel import Server
from mcp.types import Tool

server = Server(\"x\")

@server.list_tools()
async def tools():
    return [
        Tool(name=\"search\", inputSchema={}),
        Tool(name=\"fetch\", inputSchema={}),
    ]

@server.call_tool()
async def call(name, arguments):
    if name == \"search\":
        return []
    return []
",
        &["tool mcp search = call:9", "tool mcp fetch = call:10"],
    );
}

#[test]
fn branches_dispatch_what_a_model_is_shown() {
    check(
        "\
TOOLS = [
    {\"name\": \"search\", \"description\": \"\", \"input_schema\": {}},
    {\"type\": \"function\", \"function\": {\"name\": \"fetch\", \"parameters\": {}}},
]

def search(query): pass
def fetch(url): pass
def log(name): pass

def loop(client):
    for block in client.ask(TOOLS):
        if block.name == \"search\":
            result = search(**block.input)
        elif block.name == \"fetch\":
            result = fetch(**block.input)
        client.tell(result)

def only(name):
    if name == \"search\":
        log(name)
",
        &["tool - search? = search:12", "tool - fetch? = fetch:14"],
    );
}

#[test]
fn other_frameworks() {
    check(
        "\
from autogen_core.tools import FunctionTool
from crewai.tools import BaseTool
from fastmcp import FastMCP
from google.adk.agents import Agent as Adk
from llama_index.core.tools import FunctionTool as Llama
from mcp.server.mcpserver import MCPServer
from pydantic_ai import Agent
from smolagents import Tool

fast, server, agent = FastMCP(\"x\"), MCPServer(\"x\"), Agent(\"model\")

def first(): pass
def second(): pass
def third(): pass

FunctionTool(first, description=\"\", name=\"one\")
Llama.from_defaults(fn=second)
Adk(name=\"a\", tools=[third])

class Crew(BaseTool):
    name: str = \"Ask\"
    def _run(self): pass

class Smol(Tool):
    name = \"smol\"
    def forward(self): pass

@fast.tool
def quick(): pass

@server.tool(name=\"served\")
def slow(): pass

@agent.tool_plain
def plain(): pass
",
        &[
            "tool autogen one = first:16",
            "tool llama-index second = second:17",
            "tool google-adk third = third:18",
            "tool crewai Ask = Crew._run:20",
            "tool smolagents smol = Smol.forward:24",
            "tool fastmcp quick = quick:28",
            "tool mcp served = slow:31",
            "tool pydantic-ai plain = plain:34",
        ],
    );
}

#[test]
fn what_only_looks_like_a_registration_is_none() {
    check(
        "\
import abc, argparse, atexit, click, codecs, typer
from fastapi import APIRouter, FastAPI
from langgraph.graph import StateGraph
from elsewhere import bus, policies, prompts, providers, registry

app, router, shell, graph = FastAPI(), APIRouter(), typer.Typer(), StateGraph(dict)

class Provider:
    def complete(self): pass

class Policy(abc.ABC): pass

@app.get(\"/search\")
def searched(): pass

@router.post(\"/fetch\")
def fetched(): pass

@click.command(\"brief\")
def brief(): pass

@click.group()
def cli(): pass

@cli.command(\"news\")
def news(): pass

@shell.command()
def weather(): pass

def close(): pass
def make(): pass

atexit.register(close)
codecs.register(close)
Policy.register(Provider)
registry.register(Provider())
registry.register(\"openai\", Provider)
providers.register(\"openai\", make)
policies.register(\"strict\", close)
prompts.register(\"greeting\", \"hello\")
bus.register(\"started\", close)
graph.add_node(\"search\", make)
cli.add_command(brief)
parser = argparse.ArgumentParser()
parser.add_subparsers().add_parser(\"run\").set_defaults(handler=close)
",
        &[],
    );
}

const ACME: &str = "
[[registration]]
framework = \"acme\"
decorator = [\"acme_agents.skill\"]

[[registration]]
framework = \"acme\"
base = [\"acme_agents.Skill\"]
methods = [\"perform\"]
named = [\"title\"]

[[registration]]
framework = \"acme\"
kind = \"command\"
call = [\"acme_agents.Desk.enlist\"]
argument = [{ index = 1, name = \"worker\" }]
named_at = 0
";

/// A framework that nobody here has heard of, by data alone.
#[test]
fn a_configuration_adds_a_framework() {
    let config = config::from_text("/project", "gatelint.toml", ACME).unwrap();
    let builtin = builtin_catalog().unwrap();
    check_with(
        &config.extend(&builtin),
        "\
from acme_agents import Desk, Skill, skill

@skill
def look(): pass

@skill(name=\"find\")
def search(): pass

class Fetch(Skill):
    title = \"fetch\"
    def perform(self): pass

def brief(): pass

Desk().enlist(\"brief\", brief)
Desk().enlist(make_name(), brief)
",
        &[
            "tool acme look = look:3",
            "tool acme find = search:6",
            "tool acme fetch = Fetch.perform:9",
            "command acme brief = brief:15",
        ],
    );
}

const AGENT: &str = "\
import requests
from langchain_core.tools import tool
from elsewhere import registry

def require_execution(phase):
    if phase != \"execution\":
        raise PermissionError(phase)

def get(url):
    return requests.get(url)

def fetch(command, args, phase):
    require_execution(phase)
    return get(args[0])

registry.register(\"comm.fetch\", fetch)

@tool
def look_up(word):
    return get(word)

@tool(\"read|mail`\")
def read_mail(): pass

@tool(sensitivity=\"internal_source\")
def read_notes(): pass

@tool(annotations=ToolAnnotations(title=\"x\", openWorldHint=True))
def look_around(): pass
";

/// Checked against the schema.
#[track_caller]
fn json(project: &Project, args: &[&str]) -> Value {
    let ran = project.run(&[&["commands", "--format", "json"], args].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let value = ran.json();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-commands.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(&value).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value
}

#[test]
fn json_says_what_is_reached_and_what_stands_before_it() {
    let configured = "[tools.look_up]\nsensitivity = \"external\"\n";
    let project = Project::new(&[
        ("agent.py", AGENT),
        ("gatelint.toml", configured),
        ("tests/test_agent.py", "from langchain_core.tools import tool\n@tool\ndef fake(): pass\n"),
    ]);
    let value = json(&project, &[]);
    let commands = value["commands"].as_array().unwrap();
    let names: Vec<_> = commands.iter().map(|command| command["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["comm.fetch", "look_up", "read|mail`", "read_notes", "look_around"]);
    let [fetch, look_up, mail, notes, around] = &commands[..] else { panic!("{commands:#?}") };
    assert_eq!(fetch["kind"], "command");
    assert_eq!(fetch["framework"], Value::Null);
    assert_eq!(fetch["handler"]["function"], "agent.fetch");
    assert_eq!((&fetch["handler"]["line"], &fetch["registered"]["line"]), (&12.into(), &16.into()));
    assert_eq!(fetch["gates"].as_array().unwrap(), &["agent.require_execution"]);
    assert_eq!(fetch["sensitivity"], "external");
    let [network] = &fetch["effects"].as_array().unwrap()[..] else { panic!("{fetch:#}") };
    assert_eq!((network["kind"].as_str(), network["gated"].as_bool()), (Some("network"), Some(true)));
    let lines: Vec<_> = network["steps"].as_array().unwrap().iter().map(|step| &step["line"]).collect();
    assert_eq!(lines, [14, 10]);
    assert_eq!(
        (&look_up["effects"][0]["gated"], &look_up["sensitivity"]),
        (&false.into(), &"external".into())
    );
    assert!(look_up["gates"].as_array().unwrap().is_empty());
    assert_eq!(around["sensitivity"], "external");
    let class = |sensitivity: &str, reason: &str, confidence: &str| serde_json::json!({ "sensitivity": sensitivity, "reason": reason, "confidence": confidence });
    assert_eq!(mail["class"], class("internal_source", "its name alone", "low"));
    let annotated = "annotated `sensitivity = internal_source`";
    assert_eq!(notes["class"], class("internal_source", annotated, "high"));
    assert_eq!(look_up["class"], class("external", "configured", "high"));
    assert!(value["coverage"]["complete"].as_bool().unwrap());
}

#[test]
fn files_that_are_named_are_listed() {
    let other = "from langchain_core.tools import tool\n@tool\ndef other(): pass\n";
    let project = Project::new(&[("agent.py", AGENT), ("other.py", other), ("pyproject.toml", "")]);
    let value = json(&project, &["other.py"]);
    let names: Vec<_> =
        value["commands"].as_array().unwrap().iter().map(|command| &command["name"]).collect();
    assert_eq!(names, ["other"]);
    assert_eq!(value["coverage"]["files"]["reported"], 1);
}

#[test]
fn people_read_a_table() {
    let project = Project::new(&[("agent.py", AGENT)]);
    let human = project.run(&["commands"]);
    assert!(human.stdout.lines().all(|line| line.chars().count() <= 80), "{}", human.stdout);
    insta::assert_snapshot!(human.stdout);
    insta::assert_snapshot!(project.run(&["commands", "--format", "markdown"]).stdout);
}

#[test]
fn no_format_of_the_list_obeys_the_scanned_tree() {
    let hostile = "\
from langchain_core.tools import tool

@tool(\"x\\n| a | b |\\n::error::<img src=x>\\u001b[2J`](http://e)\")
def f(): pass
";
    let project = Project::new(&[("a|b`c.py", hostile)]);
    for format in ["human", "json", "markdown", "cyclonedx"] {
        let text = project.run(&["commands", "--format", format]).stdout;
        assert!(text.contains("img src"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains("\n::"), "{text}");
        if format == "markdown" {
            let row = text.lines().find(|line| line.contains("img src")).unwrap();
            let bars = row.replace("\\|", "").matches('|').count();
            assert_eq!(bars, 9, "{row}");
            assert!(!text.contains("\n| a"), "{text}");
        }
    }
}

#[test]
fn exit_codes_of_the_list() {
    let nothing = Project::new(&[("notes.txt", "")]);
    assert_eq!(nothing.run(&["commands"]).code, 3);
    let broken = Project::new(&[("agent.py", "x = '''\nnever closed\n")]);
    assert_eq!(broken.run(&["commands"]).code, 4);
    let wrong = Project::new(&[("agent.py", ""), ("gatelint.toml", "[[registration]]\nframework = \"x\"\n")]);
    assert_eq!(wrong.run(&["commands"]).code, 2);
    let clean = Project::new(&[("agent.py", AGENT)]);
    assert_eq!(clean.run(&["commands"]).code, 0);
    let printed = clean.run(&["schema", "commands"]).stdout;
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-commands.schema.json");
    assert_eq!(printed, std::fs::read_to_string(committed).unwrap());
}
