//! `gatelint commands`: every effect that a handler reaches, what it is done to and who chooses that; planning functions; and the
//! bill of materials. What is registered at all, `commands.rs` asks.

use std::path::Path;

use jsonschema::Registry;
use serde_json::Value;

use crate::support::Project;

/// The rows of the list, by name, checked against the schema.
#[track_caller]
pub fn rows(files: &[(&str, &str)], args: &[&str]) -> Vec<Value> {
    let ran = Project::new(files).run(&[&["commands", "--format", "json"], args].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let value = ran.json();
    valid(&value, &jsonschema::validator_for(&schema("docs/gatelint-commands.schema.json")).unwrap());
    value["commands"].as_array().unwrap().clone()
}

#[track_caller]
fn valid(value: &Value, validator: &jsonschema::Validator) {
    let errors = validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path()));
    let errors: Vec<_> = errors.collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn schema(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// `file delete os.remove:9 caller path "/srv/": open`, one for each effect of a row.
pub fn effects(row: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or(String::new(), |text| format!(" {text}"));
    let each = row["effects"].as_array().unwrap().iter().map(|effect| {
        let line = &effect["steps"].as_array().unwrap().last().unwrap()["line"];
        let kind = effect["kind"].as_str().unwrap();
        let callee = effect["callee"].as_str().unwrap();
        let (access, target) = (text(&effect["access"]), text(&effect["target"]));
        let known = effect["text"].as_str().map_or(String::new(), |text| format!(" {text:?}"));
        let gated = if effect["gated"].as_bool().unwrap() { "gated" } else { "open" };
        let low = if effect["confidence"] == "low" { ", low" } else { "" };
        format!("{kind}{access} {callee}:{line}{target}{}{known}: {gated}{low}", text(&effect["argument"]))
    });
    each.collect()
}

const TOOLS: &str = "\
import os
import subprocess
from pathlib import Path

import requests
from langchain_core.tools import tool

def require_execution(phase):
    if phase != \"execution\":
        raise PermissionError(phase)

def run(line, folder):
    subprocess.run([\"sh\", \"-c\", line], cwd=folder)

@tool
def work(command, name, phase):
    \"\"\"Does the work.

    All of it.
    \"\"\"
    open(\"notes/today.md\", \"a\")
    open(\"/etc/hosts\")
    words = []
    words.append(command)
    run(\" \".join(words), \"out\")
    subprocess.run([\"git\", \"pull\"])
    os.remove(name)
    target = Path(\"data\") / name
    target.write_text(name)
    requests.get(\"https://api.example.org/\" + name)
    requests.get(address())
    require_execution(phase)
    subprocess.run([\"git\", \"push\"])
";

#[test]
fn every_effect_is_listed_with_who_chooses_what_it_is_done_to() {
    let rows = rows(&[("tools.py", TOOLS)], &[]);
    let [work] = &rows[..] else { panic!("{rows:#?}") };
    assert_eq!(
        effects(work),
        [
            "network requests.get:30 caller name \"https://api.example.org/\": open",
            "network requests.get:31: open",
            "process subprocess.run:26 constant \"git pull\": open",
            "process subprocess.run:13 caller command \"sh -c\": open",
            "process subprocess.run:33 constant \"git push\": gated",
            "file write builtins.open:21 workspace \"notes/today.md\": open",
            "file read builtins.open:22 constant \"/etc/hosts\": open",
            "file delete os.remove:27 caller name: open",
            "file write pathlib.Path.write_text:29 caller name \"data\": open",
        ]
    );
    assert_eq!(work["description"], "Does the work.");
    assert_eq!(work["gates"].as_array().unwrap(), &["tools.require_execution"]);
}

#[test]
fn a_way_from_the_caller_goes_through_functions_that_are_handed_over_or_defined_inside() {
    let code = "\
import asyncio
import subprocess
from agents import function_tool

def execute(line, *, verbose):
    subprocess.run(line, shell=True)

@function_tool
async def shell(context, command, limit):
    await asyncio.to_thread(execute, command, verbose=limit)

@function_tool
def later(command, limit):
    def inner():
        subprocess.run(command, shell=True)
    inner()
    execute(\"uptime\", verbose=limit)
";
    let rows = rows(&[("tools.py", code)], &[]);
    assert_eq!(effects(&rows[0]), ["process subprocess.run:6 caller command: open"]);
    assert_eq!(
        effects(&rows[1]),
        ["process subprocess.run:6: open", "process subprocess.run:15 caller command: open"]
    );
}

#[test]
fn rust_has_targets_too() {
    let code = "\
use rmcp::tool;
use std::process::Command;

pub struct Server;

impl Server {
    #[tool(description = \"runs a line\")]
    async fn shell(&self, line: String) -> String {
        let mut command = Command::new(\"sh\");
        command.arg(\"-c\").arg(&line);
        command.output();
        std::fs::write(\"notes/log.md\", &line);
        std::fs::remove_file(&line);
        Command::new(\"git\").arg(\"pull\").output();
        String::new()
    }
}
";
    let manifest = "[package]\nname = \"server\"\n\n[dependencies]\nrmcp = \"1\"\n";
    let rows = rows(&[("src/lib.rs", code), ("Cargo.toml", manifest)], &[]);
    let [shell] = &rows[..] else { panic!("{rows:#?}") };
    let effects = effects(shell);
    for expected in ["caller line \"sh -c\": open", "constant \"git pull\": open"] {
        let is_it = |effect: &String| effect.starts_with("process") && effect.ends_with(expected);
        assert!(effects.iter().any(is_it), "{expected}: {effects:#?}");
    }
    let files: Vec<_> = effects.iter().filter(|effect| effect.starts_with("file")).collect();
    assert_eq!(
        files,
        [
            "file write std.fs.write:12 workspace \"notes/log.md\": open",
            "file delete std.fs.remove_file:13 caller line: open",
        ]
    );
}

#[test]
fn a_statement_says_what_storage_is_done_to() {
    let code = "\
import sqlite3
from langchain_core.tools import tool

@tool
def forget(name):
    store = sqlite3.connect(\"notes.db\")
    store.execute(\"DELETE FROM notes WHERE name = ?\", (name,))
    store.execute(\"SELECT * FROM notes WHERE name = '\" + name + \"'\")
";
    let rows = rows(&[("tools.py", code)], &[]);
    assert_eq!(
        effects(&rows[0]),
        [
            "storage sqlite3.connect:6 constant \"notes.db\": open",
            "storage delete sqlite3.Connection.execute:7 constant \"DELETE FROM notes WHERE name = ?\": open",
            "storage read sqlite3.Connection.execute:8 caller name \"SELECT * FROM notes WHERE name = '\": open",
        ]
    );
}

#[test]
fn the_workspace_is_there_to_be_used_and_guesses_come_last() {
    let code = "\
import socket
import subprocess
from langchain_core.tools import tool

@tool
def note(text):
    open(\"notes.md\", \"w\").write(text)

@tool
def guess(host):
    find(host)
    subprocess.run([\"ls\"])

@tool
def only_guess(host):
    find(host)

def find(host):
    socket.gethostbyname(host)
";
    let project = Project::new(&[("tools.py", code)]);
    let listed = project.run(&["commands"]).stdout;
    assert!(listed.contains("2 with effects, 1 of them without a"), "{listed}");
    let rows = rows(&[("tools.py", code)], &[]);
    let found = "network socket.gethostbyname:19 caller host: open, low";
    assert_eq!(effects(&rows[1]), ["process subprocess.run:12 constant \"ls\": open", found]);
    assert_eq!(effects(&rows[2]), [found]);
    assert_eq!(rows[2]["effects"][0]["steps"].as_array().unwrap().len(), 1);
}

#[test]
fn people_read_three_effects_of_a_kind() {
    let project = Project::new(&[("tools.py", TOOLS)]);
    insta::assert_snapshot!(project.run(&["commands"]).stdout);
    let markdown = project.run(&["commands", "--format", "markdown"]).stdout;
    assert!(markdown.contains("and 1 more"), "{markdown}");
}

const KINDS: &str = "\
import requests
from langchain_core.tools import BaseTool
from elsewhere import registry

def plan_trip(goal):
    return requests.get(goal)

def fetch(command, args):
    return requests.get(args[0])

def about(command, args): pass

registry.register(\"comm.fetch\", fetch)
registry.register(\"/about\", about)

class Search(BaseTool):
    name: str = \"search\"
    def _run(self, query):
        return requests.get(query)
    async def _arun(self, query):
        return requests.post(query)
";

#[test]
fn kinds_are_listed_as_they_are_asked_for() {
    let files = [("agent.py", KINDS)];
    let names = |args: &[&str]| -> Vec<String> {
        rows(&files, args).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["comm.fetch", "/about", "search"]);
    assert_eq!(names(&["--kind", "tool"]), ["search"]);
    assert_eq!(names(&["--kind", "command"]), ["comm.fetch", "/about"]);
    assert_eq!(names(&["--kind", "handler", "--kind", "tool"]), ["comm.fetch", "search"]);
    assert_eq!(names(&["--kind", "planner", "--kind", "handler"]), ["plan_trip", "comm.fetch"]);
    let [plan] = &rows(&files, &["--kind", "planner"])[..] else { panic!() };
    assert_eq!((&plan["kind"], &plan["entry_point"]), (&"planner".into(), &"planning function".into()));
    assert_eq!(plan["handler"], plan_place());
    assert_eq!(effects(plan), ["network requests.get:6 caller goal: open"]);
}

fn plan_place() -> Value {
    serde_json::json!({ "function": "agent.plan_trip", "path": "agent.py", "line": 5 })
}

#[test]
fn what_runs_in_place_of_a_handler_is_named() {
    let rows = rows(&[("agent.py", KINDS)], &["--kind", "tool"]);
    let also = serde_json::json!([{ "function": "agent.Search._arun", "path": "agent.py", "line": 20 }]);
    assert_eq!(rows[0]["also"], also);
    let both = ["network requests.get:19 caller query: open", "network requests.post:21 caller query: open"];
    assert_eq!(effects(&rows[0]), both);
}

/// The official schema, with those that it refers to.
fn cyclonedx() -> jsonschema::Validator {
    let base = "http://cyclonedx.org/schema/";
    let mut registry = Registry::new();
    for name in ["spdx.schema.json", "jsf-0.82.schema.json"] {
        registry =
            registry.add(format!("{base}{name}"), schema(&format!("tests/it/cyclonedx/{name}"))).unwrap();
    }
    let registry = registry.prepare().unwrap();
    let bom = schema("tests/it/cyclonedx/bom-1.6.schema.json");
    jsonschema::options().with_registry(&registry).build(&bom).unwrap()
}

#[test]
fn a_bill_of_materials_follows_the_schema_of_cyclonedx() {
    let project = Project::new(&[("agent.py", KINDS), ("tools.py", TOOLS)]);
    let bill = || project.run(&["commands", "--format", "cyclonedx", "--kind", "tool", "--kind", "planner"]);
    let ran = bill();
    assert_eq!((ran.code, &ran.stdout), (0, &bill().stdout));
    let value = ran.json();
    let validator = cyclonedx();
    valid(&value, &validator);
    assert!(!validator.is_valid(&serde_json::json!({ "bomFormat": "CycloneDX", "specVersion": 1.6 })));
    let components = value["components"].as_array().unwrap();
    let refs: Vec<_> = components.iter().map(|component| component["bom-ref"].as_str().unwrap()).collect();
    let expected =
        ["planner:agent.plan_trip#plan_trip", "tool:agent.Search._run#search", "tool:tools.work#work"];
    assert_eq!(refs, expected);
    assert_eq!(value["dependencies"][0]["dependsOn"], serde_json::json!(expected));
    let properties = components[2]["properties"].as_array().unwrap();
    let of = |name: &str| -> Vec<&str> {
        let named = properties.iter().filter(|property| property["name"] == name);
        named.map(|property| property["value"].as_str().unwrap()).collect()
    };
    assert_eq!(of("gatelint:kind"), ["tool"]);
    assert_eq!(of("gatelint:handler"), ["tools.work tools.py:16"]);
    assert_eq!(of("gatelint:gate"), ["tools.require_execution"]);
    let shell =
        "process subprocess.run tools.py:13 target=caller gated=false argument=command confidence=high";
    assert!(of("gatelint:effect").contains(&shell), "{:#?}", of("gatelint:effect"));
    assert!(of("gatelint:path").contains(&"tools.py:25 > tools.py:13"), "{:#?}", of("gatelint:path"));
}

#[test]
fn what_is_registered_twice_has_two_references_and_gaps_are_said() {
    let code = "\
from langchain_core.tools import StructuredTool

def look(): pass

StructuredTool.from_function(look, name=\"look\")
StructuredTool.from_function(look, name=\"look\")
";
    let project = Project::new(&[("tools.py", code), ("broken.py", "x = '''\nnever closed\n")]);
    let value = project.run(&["commands", "--format", "cyclonedx"]).json();
    valid(&value, &cyclonedx());
    let components = value["components"].as_array().unwrap();
    let refs: std::collections::BTreeSet<_> =
        components.iter().map(|component| component["bom-ref"].as_str().unwrap()).collect();
    assert_eq!(refs.len(), components.len());
    assert_eq!(value["compositions"][0]["aggregate"], "incomplete");
}
