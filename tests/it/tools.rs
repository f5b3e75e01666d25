//! Which functions are tools: the ways frameworks mark and register them, and what only looks like it.

use std::collections::BTreeSet;

use gatelint::analysis::{Start, tools};
use gatelint::config::LayerSet;
use gatelint::engine::{lower, units};
use gatelint::finding::Confidence;
use gatelint::link::link;
use gatelint::rule::builtin_catalog;

use crate::project::files;

/// Short names of the tools, those of medium confidence with a question mark.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let files = files(code);
    let catalog = builtin_catalog().expect("the catalogue is valid");
    let facts = lower(&files);
    let layers = vec![LayerSet::EMPTY; files.len()];
    let units = units(&files, &facts, &layers);
    let program = link(&units, None, &catalog);
    let name = |&Start { func, confidence }: &Start| {
        let doubt = if confidence == Confidence::High { "" } else { "?" };
        program.short_name(func) + doubt
    };
    let found: BTreeSet<_> = tools(&program, &catalog).iter().map(name).collect();
    let found: Vec<_> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected);
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
        &["first?", "second?", "third?"],
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
    app.add_tool(command)

def make_tool(): pass
",
        &[],
    );
}
