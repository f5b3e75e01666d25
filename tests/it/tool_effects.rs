//! Which effects a tool has, and which belong to its neighbours: branches of a dispatcher, methods of its own object, tables and
//! constants that a call gives, decorators.

use crate::inventory::{effects, rows};
use crate::support::Project;

/// `name: effect, effect`, one line for each tool.
#[track_caller]
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let rows = rows(files, &[]);
    let line = |row: &serde_json::Value| {
        format!("{}: {}", row["name"].as_str().unwrap_or("?"), effects(row).join(", "))
    };
    rows.iter().map(line).collect()
}

const SERVER: &str = "\
import sqlite3
from mcp.server import Server

server = Server(\"notes\")
kept = []

def execute(query, parameters=None):
    cursor = sqlite3.connect(\"notes.db\").cursor()
    if parameters:
        return cursor.executemany(query, parameters)
    return cursor.execute(query)

@server.call_tool()
async def call_tool(name: str, arguments: dict):
    if name == \"list_notes\":
        return execute(\"SELECT title FROM notes\")
    elif name == \"find_notes\":
        return execute(f\"SELECT title FROM notes WHERE {arguments['where']}\")
    elif name == \"keep_note\":
        kept.append(arguments[\"text\"])
        return \"kept\"
    raise ValueError(name)
";

#[test]
fn a_dispatcher_gives_each_tool_its_branch() {
    assert_eq!(
        told(&[("server.py", SERVER)]),
        [
            "list_notes: storage sqlite3.connect:8 constant \"notes.db\": open, \
             storage sqlite3.Cursor.execute:11: open",
            "find_notes: storage sqlite3.connect:8 constant \"notes.db\": open, \
             storage sqlite3.Cursor.execute:11 caller arguments: open",
            "keep_note: ",
        ]
    );
}

const LOADERS: &str = "\
from __future__ import annotations

import subprocess
import sys

import requests
from langchain_core.tools import tool

class Loader:
    def load(self, source):
        return self.parse(self.fetch(source))

    def fetch(self, source):
        raise NotImplementedError

    def parse(self, data):
        return data

class WebLoader(Loader):
    def fetch(self, source):
        return requests.get(source).text

class ShellLoader(Loader):
    def fetch(self, source):
        return subprocess.run(source, shell=True)

class Shell:
    loader: ShellLoader

    def __init__(self, loader: ShellLoader):
        self.loader = loader

    @tool
    def run(self, line: str):
        return self.loader.load(line)

class Any:
    def __init__(self, loader: Loader):
        self.loader = loader

    @tool
    def load(self, source: str):
        return self.loader.load(source)
";

#[test]
fn an_inherited_method_calls_those_of_its_own_object() {
    assert_eq!(
        told(&[("loaders.py", LOADERS)]),
        [
            "run: process subprocess.run:25 caller line: open",
            "load: network requests.get:21 caller source: open, process subprocess.run:25 caller source: open",
        ]
    );
}

const DECORATED: &str = "\
import functools
import os
import subprocess
from langchain_core.tools import tool

def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with open(\"/var/log/agent\", \"a\") as log:
            log.write(function.__name__)
        return function(*args, **kwargs)
    return wrapper

@tool
@logged
def run(line: str):
    subprocess.run(line, shell=True)

@tool
@logged
def drop(path: str):
    os.remove(path)
";

#[test]
fn what_a_decorator_does_is_done_by_each_tool_below_it() {
    assert_eq!(
        told(&[("tools.py", DECORATED)]),
        [
            "run: process subprocess.run:17 caller line: open, \
             file write builtins.open:9 constant \"/var/log/agent\": open",
            "drop: file write builtins.open:9 constant \"/var/log/agent\": open, \
             file delete os.remove:22 caller path: open",
        ]
    );
}

const TABLES: &str = "\
import subprocess
import requests
from langchain_core.tools import tool

def answer(model, functions=None):
    return follow(model, functions)

def follow(model, functions):
    name, given = model()
    if functions and name in functions:
        return functions[name](given)
    return name

def plan(text):
    return text.split()

def fetch(url):
    return requests.get(url)

@tool
def think(text: str, model):
    return answer(model, functions={\"plan\": plan})

@tool
def browse(text: str, model):
    return answer(model, functions={\"plan\": plan, \"fetch\": fetch})

@tool
def talk(text: str, model):
    return answer(model)
";

#[test]
fn a_table_that_is_given_holds_what_its_caller_put_in() {
    assert_eq!(told(&[("agent.py", TABLES)]), ["think: ", "browse: network requests.get:18: open", "talk: "]);
}

const BRANCHES: &str = "\
import os
import subprocess
import requests
from langchain_core.tools import tool

def content(data=None, path=None, url=None):
    if data is not None:
        return data
    elif path is not None:
        return open(path).read()
    elif url:
        return requests.get(url).text
    raise ValueError

def backend(kind):
    if kind == \"shell\":
        return subprocess.run(\"ls\")
    if kind != \"web\":
        return None
    return requests.get(\"https://api.example.org\")

def close(force=False):
    if not force:
        return
    os.remove(\"/srv/lock\")

@tool
def show(data: bytes):
    return content(data)

@tool
def fetch(url: str):
    close()
    return content(url=url)

@tool
def list_files(name: str):
    close(force=True)
    return backend(\"shell\")

@tool
def status(name: str):
    return backend(\"web\")

@tool
def choose(kind: str):
    return backend(kind)
";

#[test]
fn a_branch_that_the_call_rules_out_is_not_taken() {
    let get = "network requests.get:20 constant \"https://api.example.org\": open";
    let list = "process subprocess.run:17 constant \"ls\": open";
    assert_eq!(
        told(&[("tools.py", BRANCHES)]),
        [
            "show: ".to_owned(),
            "fetch: network requests.get:12 caller url: open".to_owned(),
            format!("list_files: {list}, file delete os.remove:25 constant \"/srv/lock\": open"),
            format!("status: {get}"),
            format!("choose: {get}, {list}"),
        ]
    );
}

const ANSWERS: &str = "\
import requests
from langchain_core.tools import tool

HOSTS = {\"docs\": \"https://docs.example.org\", \"wiki\": \"https://wiki.example.org\"}

@tool
def search(query: str, site: str):
    found = requests.post(\"https://api.example.org/search\", json={\"q\": query}).json()
    requests.get(f\"https://api.example.org/{found['id']}\")
    requests.get(HOSTS[site])
    requests.get(\"https://a.example.org\" if query == \"a\" else \"https://b.example.org\")
    requests.get(query)
";

#[test]
fn what_only_decides_which_value_it_is_is_no_part_of_it() {
    let [search] = &told(&[("tools.py", ANSWERS)])[..] else { panic!() };
    let callers = search.matches(" caller ").count();
    assert_eq!(callers, 1, "{search}");
    assert!(search.contains("requests.get:12 caller query: open"), "{search}");
}

const MAKERS: &str = "\
from langchain_core.tools import BaseTool

class ShellTool(BaseTool):
    name: str = \"shell\"
    def _run(self, line: str):
        import subprocess
        return subprocess.run(line, shell=True)

class Answer(BaseTool):
    name: str = \"answer\"
    text: str = \"\"
    def _run(self, text):
        return Answer(text=text)

def _get_shell() -> BaseTool:
    return ShellTool()

TOOLS = {\"terminal\": _get_shell}
";

#[test]
fn what_makes_a_tool_is_none() {
    assert_eq!(
        told(&[("tools.py", MAKERS)]),
        ["shell: process subprocess.run:7 caller line: open", "answer: "]
    );
}

#[test]
fn what_the_catalogue_does_not_know_is_said() {
    let code = "\
import json

import lidar
from langchain_core.tools import tool

@tool
def scan(path: str):
    return json.dumps(lidar.open_scan(path).points())
";
    let rows = rows(&[("tools.py", code)], &[]);
    let unknown = &rows[0]["unknown_libraries"];
    assert_eq!((&unknown[0]["name"], &unknown[0]["line"]), (&"lidar".into(), &8.into()), "{unknown}");
    assert_eq!(unknown.as_array().unwrap().len(), 1, "{unknown}");
}

const PUT: &str = "\
import functools
import os
from langchain_core.tools import tool

def evil(x):
    os.system(\"e\")

def plan(x):
    return x

def add(functions):
    functions.update(evil=evil)

def follow(name, functions):
    functions[\"evil\"] = evil
    return functions[name](name)

def follow_added(name, functions):
    add(functions)
    return functions[name](name)

@tool
def stored(name: str):
    return follow(name, {\"plan\": plan})

@tool
def added(name: str):
    return follow_added(name, {\"plan\": plan})

def work(line, shell=False):
    if shell:
        os.system(\"s\")

in_shell = functools.partial(work, shell=True)

@tool
def preset(line: str):
    in_shell(line)

def with_shell(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args, shell=True)
    return wrapper

@with_shell
def decorated(line, shell=False):
    if shell:
        os.system(\"d\")

@tool
def below(line: str):
    decorated(line)
";

/// What a call does not say itself it may have been given all the same.
#[test]
fn what_is_put_or_given_in_another_way_is_followed() {
    let rows = rows(&[("agent.py", PUT)], &[]);
    for (name, line) in [("stored", 6), ("added", 6), ("preset", 32), ("below", 49)] {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        let all = effects(row);
        assert!(all.iter().any(|effect| effect.contains(&format!("os.system:{line} "))), "{name}: {all:?}");
    }
}

const DRY: &str = "\
import os
from langchain_core.tools import tool

def run(cmd, dry=True):
    if dry:
        return None
    os.system(cmd)

@tool
def look(cmd: str):
    run(cmd)

@tool
def act(cmd: str):
    run(cmd, dry=False)
";

/// Values of two tools arrive in one place and are told together: that one call ends before it says nothing of the other.
#[test]
fn a_branch_that_another_call_takes_is_no_guess() {
    let report =
        Project::new(&[("agent.py", DRY)]).run(&["check", "--format", "json", "--select", "GL412"]).json();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{report}");
    assert_ne!(findings[0]["confidence"], "low", "{report}");
    let alone = DRY.replace("dry=False", "dry=True");
    let report =
        Project::new(&[("agent.py", &alone)]).run(&["check", "--format", "json", "--select", "GL412"]).json();
    assert!(report["findings"].as_array().unwrap().iter().all(|it| it["confidence"] == "low"), "{report}");
}
