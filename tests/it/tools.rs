//! Which functions are tools: the ways frameworks mark and register them, and what only looks like it.

#[path = "tools/labelled.rs"]
mod labelled;

use std::collections::BTreeSet;

use gatelint::analysis::{Handler, registrations, tools};
use gatelint::catalog::{Catalog, RegistrationKind};
use gatelint::config::LayerSet;
use gatelint::engine::{lower, units};
use gatelint::finding::Confidence;
use gatelint::link::{Crates, Program, link};
use gatelint::rule::builtin_catalog;

use crate::project::files;

/// Short names of the tools, those of medium confidence with a question mark.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    check_each(code, expected, |_| String::new());
}

/// The same with the name under which each is registered.
#[track_caller]
fn check_names(code: &str, expected: &[&str]) {
    check_each(code, expected, |tool| format!(" = {}", tool.name.as_deref().unwrap_or("-")));
}

#[track_caller]
fn check_each(code: &str, expected: &[&str], also: impl Fn(&Handler) -> String) {
    let found = each(code, |program, tool| {
        let doubt = if tool.confidence == Confidence::High { "" } else { "?" };
        program.short_name(tool.func) + doubt + &also(tool)
    });
    let found: Vec<_> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected);
}

/// `Class.method = name`, whatever the confidence, of all that runs as a tool.
fn tools_of(code: &str) -> BTreeSet<String> {
    linked(code, |program, catalog| {
        let registered = registrations(program, catalog).into_iter();
        let tools = registered.filter(|known| known.kind == RegistrationKind::Tool);
        let named = tools.flat_map(|known| {
            let runs = [known.handler].into_iter().chain(known.others);
            let name = known.name.unwrap_or_else(|| "-".to_owned());
            runs.map(|func| format!("{} = {name}", program.short_name(func))).collect::<Vec<_>>()
        });
        named.collect()
    })
}

/// Of each tool that the files of a project register, what is said of it.
fn each(code: &str, say: impl Fn(&Program<'_>, &Handler) -> String) -> BTreeSet<String> {
    linked(code, |program, catalog| {
        tools(&registrations(program, catalog)).iter().map(|tool| say(program, tool)).collect()
    })
}

fn linked<T>(code: &str, look: impl FnOnce(&Program<'_>, &Catalog) -> T) -> T {
    let files = files(code);
    let catalog = builtin_catalog().expect("the catalogue is valid");
    let facts = lower(&files);
    let layers = vec![LayerSet::EMPTY; files.len()];
    let units = units(&files, &facts, &layers);
    look(&link(&units, Crates::default(), None, &catalog), &catalog)
}

#[test]
fn decorators_mark_tools() {
    check(
        "
from langchain_core.tools import tool as langchain_tool
from agents import function_tool
import smolagents

@langchain_tool
def plain(): pass

@langchain_tool(\"named\", return_direct=True)
def named(): pass

@function_tool
async def asynchronous(): pass

@smolagents.tool
def by_module(): pass
",
        &["asynchronous", "by_module", "named", "plain"],
    );
}

#[test]
fn decorators_of_an_object_made_elsewhere_mark_tools() {
    check(
        "
from servers import mcp, Box
from pydantic_ai import Agent

@mcp.tool()
def called(): pass

@mcp.tool
def bare(): pass

def make(agent: Agent):
    @agent.tool_plain
    def nested(): pass

class Server:
    def __init__(self):
        self.mcp = Box().mcp
        @self.mcp.tool()
        def inner(): pass

# file: servers.py
from mcp.server.fastmcp import FastMCP
mcp = FastMCP(\"x\")
class Box:
    def __init__(self):
        self.mcp = mcp
",
        &["bare", "called", "inner", "nested"],
    );
}

#[test]
fn a_name_alone_is_of_medium_confidence() {
    check(
        "
from elsewhere import server, tool
import own

@server.tool
def first(): pass

@tool(\"x\")
def second(): pass

@own.tool
def third(): pass

# file: own.py
def tool(function):
    return function
",
        // What the project's own decorator does can be seen.
        &["first?", "second?"],
    );
}

#[test]
fn methods_of_tool_classes_are_tools() {
    check(
        "
from langchain_core.tools import BaseTool
from smolagents import Tool
import base

class Search(BaseTool):
    def _run(self): pass
    async def _arun(self): pass
    def prepare(self): pass

class Narrow(Search):
    def _run(self): pass

class Draw(Tool):
    def forward(self): pass

class Own(base.Tool):
    def execute(self): pass
    def setup(self): pass

# file: base.py
class Tool:
    def execute(self): raise NotImplementedError
",
        &["Draw.forward", "Narrow._run", "Own.execute?", "Search._arun", "Search._run"],
    );
}

#[test]
fn registrations_name_tools() {
    check(
        "
from langchain_core.tools import StructuredTool, Tool
from langgraph.prebuilt import ToolNode
from mcp.server.fastmcp import FastMCP
from pydantic_ai import Agent

def by_keyword(): pass
def by_position(): pass
def coroutine(): pass
def added(): pass
def listed(): pass
def in_a_variable(): pass
def noded(): pass
class Toolkit:
    def method(self): pass

StructuredTool.from_function(func=by_keyword, coroutine=coroutine, name=\"x\")
Tool(\"x\", by_position, \"description\")
mcp = FastMCP(\"x\")
mcp.add_tool(added)
TOOLS = [in_a_variable, Toolkit().method]
Agent(\"model\", tools=[listed])
Agent(\"model\", tools=TOOLS)
ToolNode([noded])
",
        &[
            "Toolkit.method",
            "added",
            "by_keyword",
            "by_position",
            "coroutine",
            "in_a_variable",
            "listed",
            "noded",
        ],
    );
}

#[test]
fn a_toolkit_names_its_methods() {
    check(
        "
from agno.tools import Toolkit

class Files(Toolkit):
    def __init__(self):
        super().__init__(name=\"files\", tools=[self.read])
        self.register(self.write)

    def read(self): pass
    def write(self): pass
    def helper(self): pass
",
        &["Files.read", "Files.write"],
    );
}

#[test]
fn a_toolkit_may_collect_its_methods_first() {
    check(
        "
from typing import Any, Callable, List
from agno.tools import Toolkit

class Web(Toolkit):
    def __init__(self, enable_fetch: bool = True, **kwargs):
        tools: List[Any] = []
        tools.append(self.search)
        if enable_fetch:
            tools.append(self.fetch)
        asynchronous = [(self.afetch, \"fetch\")]
        super().__init__(name=\"web\", tools=tools, async_tools=asynchronous, **kwargs)

    def search(self): pass
    def fetch(self): pass
    async def afetch(self): pass
    def helper(self): pass
",
        &["Web.afetch", "Web.fetch", "Web.search"],
    );
}

#[test]
fn a_model_or_an_agent_is_given_tools() {
    check(
        "
from anywhere import model
from google.adk.tools import LongRunningFunctionTool
from langchain_core.tools import tool
from mcp.server.lowlevel import Server
from pydantic_ai import FunctionToolset, Tool

def bound(): pass
def slow(): pass
def wrapped(): pass
def added(): pass
def given(): pass
def decorated_by_call(): pass
async def dispatch(name, arguments): pass
async def listed(context): pass

model.bind_tools([bound])
LongRunningFunctionTool(func=slow)
Tool(wrapped, takes_ctx=False)
toolset = FunctionToolset(tools=[given])
toolset.add_function(added)
searching = tool(decorated_by_call)
server = Server(\"x\", on_list_tools=listed, on_call_tool=dispatch)

@toolset.tool
def marked(context): pass
",
        &["added", "bound?", "decorated_by_call", "dispatch", "given", "marked", "slow", "wrapped"],
    );
}

#[test]
fn a_framework_may_be_the_project_itself() {
    check(
        "
# file: agno/__init__.py
# file: agno/tools/__init__.py
from agno.tools.toolkit import Toolkit

# file: agno/tools/toolkit.py
class Toolkit:
    def __init__(self, name, tools=()):
        self.tools = tools

# file: agno/tools/files.py
from agno.tools import Toolkit

class Files(Toolkit):
    def __init__(self):
        super().__init__(name=\"files\", tools=[self.read])

    def read(self): pass
    def helper(self): pass
",
        &["Files.read"],
    );
}

#[test]
fn a_table_dispatches_what_a_model_is_shown() {
    check_names(
        "
TOOLS = [
    {\"type\": \"function\", \"function\": {\"name\": \"search\", \"parameters\": {}}},
    {\"name\": \"fetch\", \"input_schema\": {}},
]

def search(): pass
def fetch(): pass
def draw(): pass
def other(): pass

DISPATCH = {\"search\": search, \"fetch\": fetch}
DRAWING = {\"search\": draw, \"circle\": draw}
UNRELATED = {\"circle\": other}

def run(name, arguments):
    return DISPATCH[name](**arguments)
",
        &["fetch = fetch", "search = search"],
    );
}

#[test]
fn a_tool_keeps_the_name_that_it_is_given() {
    check_names(
        "
from agents import FunctionTool, function_tool
from langchain_core.tools import BaseTool, StructuredTool, Tool, tool
from mcp.server.fastmcp import FastMCP

NAMESPACE = \"comm\"
mcp = FastMCP(\"x\")

@tool(\"comm.search\")
def first(): pass

@function_tool(name_override=f\"{NAMESPACE}.fetch\")
def second(): pass

@mcp.tool(name=\"third\")
def other(): pass

@mcp.tool()
def unnamed(): pass

class Sixth(BaseTool):
    name: str = \"sixth\"
    def _run(self): pass

def fourth(): pass
def fifth(): pass
def seventh(): pass

StructuredTool.from_function(func=fourth, name=\"4\")
Tool(\"5\", fifth, \"description\")
FunctionTool(\"7\", \"description\", {}, seventh)
",
        &[
            "Sixth._run = sixth",
            "fifth = 5",
            "first = comm.search",
            "fourth = 4",
            "other = third",
            "second = comm.fetch",
            "seventh = 7",
            "unnamed = unnamed",
        ],
    );
}

#[test]
fn what_only_looks_like_a_tool_is_none() {
    check(
        "
import click
from fastapi import FastAPI
from mcp.server.fastmcp import FastMCP
from langchain_core.tools import BaseTool

app, mcp = FastAPI(), FastMCP(\"x\")

@app.get(\"/\")
def route(): pass

@click.command()
def command(): pass

@mcp.resource(\"x://y\")
def resource(): pass

@property
def tools(self): pass

class Toolbox:
    def run(self): pass

class Job(Toolbox):
    def run(self): pass

def use(tool: BaseTool):
    tool.run({})
    app.add_route(command)

def make_tool(): pass
",
        &[],
    );
}
