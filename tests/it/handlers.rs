//! Which functions are comm handlers: the ways to register a command of the namespace, and what only looks like it.

use std::collections::BTreeSet;

use gatelint::analysis::{Handler, handlers, registrations};
use gatelint::config::LayerSet;
use gatelint::engine::{lower, units};
use gatelint::finding::Confidence;
use gatelint::link::{Crates, link};
use gatelint::rule::builtin_catalog;

use crate::project::files;

/// The handlers with the names of their commands, those of medium confidence with a question mark.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let files = files(code);
    let catalog = builtin_catalog().expect("the catalogue is valid");
    let facts = lower(&files);
    let layers = vec![LayerSet::EMPTY; files.len()];
    let units = units(&files, &facts, &layers);
    let program = link(&units, Crates::default(), None, &catalog);
    let text = |handler: &Handler| {
        let doubt = if handler.confidence == Confidence::High { "" } else { "?" };
        let name = handler.name.as_deref().unwrap_or("-");
        format!("{}{doubt} = {name}", program.short_name(handler.func))
    };
    let found: BTreeSet<_> = handlers(&registrations(&program, &catalog)).iter().map(text).collect();
    let found: Vec<_> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_registry_is_given_a_name_and_a_function() {
    check(
        "
from elsewhere import get_registry, registry, CommandMetadata

PREFIX = \"comm\"

def by_position(args): pass
def by_keyword(args): pass
def folded(args): pass
def in_metadata(args): pass
def apart(args): pass
def last(args, context): pass

registry.register(\"comm.search\", by_position, \"puts a query\")
get_registry().register(command=\"comm.fetch\", handler=by_keyword, description=\"reads a page\")
registry.register_command(PREFIX + \".brief\", folded)
registry.register_multiple([CommandMetadata(id=\"comm.news\", title=\"News\", handler=in_metadata)])
registry.register(\"comm\", \"weather\", apart)
registry.register(namespace=\"comm\", name=\"map\", handler=last)
",
        &[
            "apart = comm.weather",
            "by_keyword = comm.fetch",
            "by_position = comm.search",
            "folded = comm.brief",
            "in_metadata = comm.news",
            "last = comm.map",
        ],
    );
}

#[test]
fn a_command_that_is_the_namespace_has_a_table() {
    check(
        "
from elsewhere import registry

class Commands:
    @staticmethod
    def search(command, args, context): pass
    @staticmethod
    def fetch(command, args, context): pass

def comm(command, args, context):
    handlers = {\"search\": Commands.search, \"fetch\": Commands.fetch}
    handler = handlers.get(args[0])
    if not handler:
        return None
    return handler(args[0], args[1:], context)

def whole(command, args, context): pass

class Router:
    def __init__(self):
        self._table = {\"brief\": self.brief}
        registry.register(\"comm\", self.route)
    def route(self, command, args):
        return self._table[args[0]](args[1:])
    def brief(self, args): pass

registry.register(command=\"comm\", handler=comm)
registry.register(command=\"comm\", handler=whole)
registry.register(command=\"notes\", handler=comm)
",
        &[
            "Commands.fetch = comm.fetch",
            "Commands.search = comm.search",
            "Router.brief = comm.brief",
            "whole = comm",
        ],
    );
}

#[test]
fn tables_name_handlers() {
    check(
        "
from functools import partial

def search(args): pass
def fetch(args): pass
def brief(args): pass
def news(args): pass
def weather(args): pass
def post(args): pass
def chart(args): pass
def maps(args): pass

HANDLERS = {\"comm.search\": search, \"notes.add\": post}
NESTED = {\"comm\": {\"fetch\": fetch}, \"notes\": {\"add\": post}}
PAIRS = [(\"comm.brief\", brief), (\"notes.add\", post)]
SPECS = [{\"name\": \"comm.news\", \"handler\": news}]
FULL = {\"comm.weather\": {\"handler\": weather, \"schema\": {}}}
BOUND = {\"comm.maps\": partial(maps, 1)}

class Service:
    TABLE = {\"comm.chart\": chart}
    def __init__(self):
        self.handlers = {\"comm.post\": self.post}
        self.handlers[\"comm.draw\"] = self.draw
    def post(self, args): pass
    def draw(self, args): pass
",
        &[
            "Service.draw = comm.draw",
            "Service.post = comm.post",
            "brief = comm.brief",
            "chart = comm.chart",
            "fetch = comm.fetch",
            "maps = comm.maps",
            "news = comm.news",
            "search = comm.search",
            "weather = comm.weather",
        ],
    );
}

#[test]
fn decorators_name_handlers() {
    check(
        "
from elsewhere import command, registry, register
from langchain_core.tools import tool
from names import SEARCH

@command(SEARCH)
def search(args): pass

@registry.command(name=\"comm.fetch\", phase=\"execution\")
async def fetch(args): pass

class Service:
    @register(\"comm.brief\")
    def brief(self, args): pass

@register(\"comm.news\")
class News:
    def execute(self, args): pass
    def helper(self): pass

@tool(\"comm.post\")
def post(text): pass

# file: names.py
SEARCH = \"comm.search\"
",
        &[
            "News.execute = comm.news",
            "Service.brief = comm.brief",
            "fetch = comm.fetch",
            "post = comm.post",
            "search = comm.search",
        ],
    );
}

#[test]
fn the_class_of_a_command_has_the_namespace() {
    check(
        "
from enum import Enum
from base import CommCommand, Command, Defaulting, NamedCommand

class Space(Enum):
    COMM = \"comm\"

class Own:
    namespace = \"comm\"
    name = \"own\"
    def execute(self, args, session_id, execution_phase): pass
    def other(self): pass

class Declared:
    namespace: str = Space.COMM
    async def execute(self, args): pass

class Inherited(CommCommand):
    name = \"inherited\"
    def execute(self, args): pass

class Assigned:
    def __init__(self):
        self.namespace = \"comm\"
        self.name = \"assigned\"
    def execute(self, args): pass

class Getter:
    @property
    def namespace(self):
        return \"comm\"
    def execute(self, args): pass

class HandedUp(Command):
    def __init__(self):
        super().__init__(namespace=\"comm\", name=\"handed\")
    def execute(self, args): pass

class ByPosition(Command):
    def __init__(self):
        super().__init__(\"comm\", \"position\")
    def execute(self, args): pass

class Elsewhere(Command):
    def __init__(self):
        super().__init__(namespace=\"notes\", name=\"add\")
    def execute(self, args): pass

class ByDefault(Defaulting):
    def execute(self, args): pass

class Template(NamedCommand):
    namespace = \"comm\"
    name = \"template\"
    def run(self, args): pass

# file: base.py
class CommCommand:
    namespace = \"comm\"
    def execute(self, args):
        raise NotImplementedError

class Command:
    def __init__(self, namespace, name):
        self.namespace = namespace
        self.name = name

class Defaulting:
    def __init__(self, namespace=\"comm\"):
        self.namespace = namespace

class NamedCommand:
    namespace = \"core\"
    def execute(self, args):
        return self.run(args)
",
        &[
            "Assigned.execute = comm.assigned",
            "ByDefault.execute = -",
            "ByPosition.execute = comm.position",
            "CommCommand.execute = -",
            "Declared.execute = -",
            "Getter.execute = -",
            "HandedUp.execute = comm.handed",
            "Inherited.execute = comm.inherited",
            "NamedCommand.execute? = comm.template",
            "Own.execute = comm.own",
        ],
    );
}

#[test]
fn what_is_registered_may_be_an_object() {
    check(
        "
from elsewhere import registry

class Search:
    def execute(self, args): pass

class Fetch:
    def execute(self, args): pass

class Notes:
    def execute(self, args): pass

registry.register(\"comm.search\", Search())
TABLE = {\"comm.fetch\": Fetch, \"notes.add\": Notes}
",
        &["Fetch.execute = comm.fetch", "Search.execute = comm.search"],
    );
}

#[test]
fn a_loop_registers_under_names_that_begin_alike() {
    check(
        "
from elsewhere import registry

def search(args): pass
def fetch(args): pass

for name, handler in ((\"search\", search), (\"fetch\", fetch)):
    registry.register(f\"comm.{name}\", handler)
",
        &["fetch? = -", "search? = -"],
    );
}

#[test]
fn what_only_looks_like_a_command_is_none() {
    check(
        "
import atexit, click
from elsewhere import registry, router, audit, dispatcher, name
from fastapi import FastAPI

app = FastAPI()

@app.get(\"/comm/search\")
def route(): pass

@router.post(\"comm.search\")
def posted(): pass

@click.command(\"commit\")
def commit(): pass

@audit.traced(\"comm.search\")
def traced(): pass

class Provider:
    namespace = \"community\"
    def execute(self): pass

class Logger:
    def run(self): pass

def callback(): pass
def close(): pass

atexit.register(close)
registry.register(name, callback)
registry.register(\"commander\", callback)
registry.register(\"notes.comm\", callback)
registry.register(\"comm.search\")
registry.register(\"comm.search\", \"a description\")
registry.register(\"comm.search\", Logger())
dispatcher.execute_command(\"comm.search\", callback)
LABELS = {\"comm.search\": \"Search\", \"comm\": callback}
audit.log(\"comm.search\", callback)
",
        &[],
    );
}
