//! Which function a call means, across files: the sixteen call forms and two negatives that peers are measured on, and the
//! rungs of the ladder.

use std::collections::BTreeSet;

use gatelint::catalog::Catalog;
use gatelint::config::Config;
use gatelint::engine::{lower, units};
use gatelint::link::{Crates, EdgeKind, Program, Target, link};
use gatelint::rule::builtin_catalog;

use crate::project::files;

/// Everything that runs when `from` runs: paths of project functions and of library functions.
fn reached(text: &str, from: &str) -> BTreeSet<String> {
    let catalog: Catalog = builtin_catalog().expect("the catalogue is valid");
    let files = files(text);
    let facts = lower(&files);
    let config = Config::defaults("/project");
    let layers: Vec<_> = files.iter().map(|file| config.layers.of(&file.path)).collect();
    let units = units(&files, &facts, &layers);
    let program = link(&units, Crates::default(), None, &catalog);
    follow(&program, from)
}

pub(crate) fn follow(program: &Program<'_>, from: &str) -> BTreeSet<String> {
    let start = program.functions.iter().position(|function| &*function.path == from);
    let start = start.unwrap_or_else(|| panic!("there is no function `{from}`"));
    let mut work = vec![gatelint::link::Func(start as u32)];
    let mut seen = BTreeSet::new();
    while let Some(func) = work.pop() {
        for edge in program.edges_from(func) {
            if edge.kind == EdgeKind::Stored {
                continue;
            }
            match edge.to {
                Target::Project(next) => {
                    if seen.insert(program.function(next).path.to_string()) {
                        work.push(next);
                    }
                }
                Target::External(path) => {
                    seen.insert(program.path(path).to_string());
                }
            }
        }
    }
    seen
}

const NET: &str = "
# file: pkg/__init__.py
# file: pkg/net.py
import requests

def push(payload):
    return requests.post('https://example.com', json=payload)

class Client:
    def send(self, payload):
        return requests.post('https://example.com', json=payload)

default_client = Client()
";

#[track_caller]
fn finds(planner: &str) {
    let reached = reached(&format!("{planner}{NET}"), "agent.plan");
    assert!(reached.contains("requests.post"), "reached only {reached:?}");
}

#[track_caller]
fn silent(planner: &str) {
    let reached = reached(&format!("{planner}{NET}"), "agent.plan");
    assert!(!reached.contains("requests.post"), "reached {reached:?}");
}

#[test]
fn from_import() {
    finds("from pkg.net import push\ndef plan(x):\n    push(x)\n");
}

#[test]
fn from_import_with_alias() {
    finds("from pkg.net import push as p\ndef plan(x):\n    p(x)\n");
}

#[test]
fn module_alias() {
    finds("import pkg.net as n\ndef plan(x):\n    n.push(x)\n");
}

#[test]
fn dotted_module() {
    finds("import pkg.net\ndef plan(x):\n    pkg.net.push(x)\n");
}

#[test]
fn relative_imports_over_three_hops() {
    let text = "
from flow.first import go
def plan(x):
    go(x)
# file: flow/__init__.py
# file: flow/first.py
from .second import go_on
def go(x):
    go_on(x)
# file: flow/second.py
from . import third
def go_on(x):
    third.finish(x)
# file: flow/third.py
import requests
def finish(x):
    requests.post('https://example.com', json=x)
";
    assert!(reached(text, "agent.plan").contains("requests.post"));
}

#[test]
fn re_export_through_the_package() {
    let text = "
from tools import push
def plan(x):
    push(x)
# file: tools/__init__.py
from .net import push
__all__ = ['push']
# file: tools/net.py
import requests
def push(x):
    requests.post('https://example.com', json=x)
";
    assert!(reached(text, "agent.plan").contains("requests.post"));
}

#[test]
fn local_instance() {
    finds("from pkg.net import Client\ndef plan(x):\n    c = Client()\n    c.send(x)\n");
}

#[test]
fn module_level_instance() {
    finds("from pkg.net import default_client\ndef plan(x):\n    default_client.send(x)\n");
}

#[test]
fn attribute_of_self() {
    finds(
        "from pkg.net import Client\nclass A:\n    def __init__(self):\n        self.client = Client()\n    def go(self, x):\n        self.client.send(x)\ndef plan(x):\n    A().go(x)\n",
    );
}

#[test]
fn inherited_method() {
    finds("from pkg.net import Client\nclass Mine(Client):\n    pass\ndef plan(x):\n    Mine().send(x)\n");
}

#[test]
fn partial() {
    finds(
        "from functools import partial\nfrom pkg.net import push\ndef plan(x):\n    go = partial(push, x)\n    go()\n",
    );
}

#[test]
fn map_over_a_function() {
    finds("from pkg.net import push\ndef plan(xs):\n    return list(map(push, xs))\n");
}

#[test]
fn table_of_functions() {
    finds(
        "from pkg.net import push\nTABLE = {'push': push, 'skip': print}\ndef plan(name, x):\n    TABLE[name](x)\n",
    );
}

#[test]
fn annotated_parameter() {
    finds("from pkg.net import Client\ndef plan(client: 'Client', x):\n    client.send(x)\n");
}

#[test]
fn asynchronous_client() {
    let text = "
import httpx
async def fetch(url):
    async with httpx.AsyncClient() as client:
        return await client.post(url)
async def plan(url):
    return await fetch(url)
";
    assert!(reached(text, "agent.plan").contains("httpx.AsyncClient.post"));
}

#[test]
fn nested_function() {
    finds("from pkg.net import push\ndef plan(x):\n    def inner():\n        push(x)\n    inner()\n");
}

#[test]
fn decorated_helper() {
    finds(
        "import functools\nfrom pkg.net import push\ndef logged(f):\n    @functools.wraps(f)\n    def wrapper(*args):\n        print(f)\n        return f(*args)\n    return wrapper\n@logged\ndef helper(x):\n    push(x)\ndef plan(x):\n    helper(x)\n",
    );
}

#[test]
fn imported_but_never_called() {
    silent("from pkg.net import push\ndef plan(x):\n    return x\n");
}

#[test]
fn local_function_of_the_same_name() {
    silent("def push(x):\n    return x\ndef plan(x):\n    push(x)\n");
}

#[test]
fn a_shadowed_import_is_not_the_import() {
    silent("from pkg.net import push\ndef plan(x):\n    push = str.upper\n    push(x)\n");
}

#[test]
fn a_decorator_does_not_join_what_it_decorates() {
    silent(
        "from pkg.net import push\ndef registered(f):\n    return f\n@registered\ndef far(x):\n    push(x)\n@registered\ndef near(x):\n    return x\ndef plan(x):\n    near(x)\n",
    );
}

/// `@tool` and `@tool(name="x")`: what one gives back is nothing that the other may be.
const OPTIONAL: &str = "
from pkg.net import push
def note(f, name):
    f.name = name
    return f
def tool(f=None, *, name=None):
    def decorate(f):
        return note(f, name)
    if f:
        return decorate(f)
    return decorate
";

#[test]
fn a_decorator_with_or_without_arguments_does_not_join_what_it_decorates() {
    let decorated = "@tool\ndef far(x):\n    push(x)\n@tool(name='near')\ndef near(x):\n    return x\n";
    silent(&format!("{OPTIONAL}{decorated}def plan(x):\n    near(x)\n    tool(name='other')(near)(x)\n"));
    finds(&format!("{OPTIONAL}{decorated}def plan(x):\n    tool(far)(x)\n"));
    finds(&format!("{OPTIONAL}{decorated}def plan(x):\n    tool(name='other')(far)(x)\n"));
}

#[test]
fn what_a_helper_hands_back_belongs_to_the_call_however_many_helpers_there_are() {
    let helpers = "from pkg.net import push\ndef same(f):\n    return f\nasync def later(f):\n    return same(f)\n\
                   async def chosen(n, f):\n    if n:\n        return await later(f=f)\n    return print\n\
                   async def other(x):\n    (await chosen(1, push))(x)\n";
    silent(&format!("{helpers}async def plan(x):\n    (await chosen(1, str.upper))(x)\n"));
    finds(&format!("{helpers}async def plan(x):\n    (await chosen(1, push))(x)\n"));
    let bound = "def keep(f, n):\n    if n:\n        f = push\n    return same(f)\n";
    finds(&format!("{helpers}{bound}def plan(x):\n    keep(print, x)(x)\n"));
}

/// More tables than are told apart where they meet: in `fill`.
fn tables(does: &str, reads: &str) -> String {
    let tables: String = (0..20).map(|at| format!("T{at} = {{'own{at}': print}}\n")).collect();
    let filled: String = (0..20).map(|at| format!("fill(T{at})\n")).collect();
    format!(
        "from pkg.net import push\nEXTRA = {{'more': push}}\ndef fill(table):\n    {does}\n{tables}{filled}def plan(x):\n    {reads}\n"
    )
}

#[test]
fn what_all_of_many_tables_are_given_stands_in_each_under_its_key() {
    finds(&tables("table['go'] = push", "T3['go'](x)"));
    finds(&tables("table.update(EXTRA)", "T3['more'](x)"));
    finds(&tables("table.update(EXTRA)", "for f in T3.values():\n        f(x)"));
    finds(&tables("table['go'] = push", "copy = {**T3}\n    copy['go'](x)"));
    finds(&tables("table['own3'] = push", "copy = {**{**T3, 'a': 1}, 'b': 2}\n    copy['own3'](x)"));
    finds(&tables("table.setdefault('go', push)", "T3.get('go')(x)"));
    silent(&tables("table['go'] = push", "T3['own3'](x)"));
    silent(&tables("table['go'] = str.upper", "T3['go'](x)"));
}

#[test]
fn what_stands_in_one_of_many_tables_does_not_stand_in_the_others() {
    let one = |reads| tables("table['go'] = str.upper", &format!("T3['one'] = push\n    {reads}"));
    finds(&one("T3['one'](x)"));
    finds(&one("dict(T3)['one'](x)"));
    silent(&one("T4['one'](x)"));
    silent(&one("T4['go'](x)"));
}

#[test]
fn a_logger_runs_nothing_of_what_it_is_told() {
    let told = |call| format!("import logging\nfrom pkg.net import push\ndef plan(x):\n    {call}\n");
    silent(&told("logging.getLogger('plan').info('runs %s', push)"));
    silent(&told("logging.warning(push)"));
}

#[test]
fn a_callable_belongs_to_the_site_that_passes_it() {
    silent(
        "from pkg.net import push\ndef twice(f, x):\n    f(x)\n    f(x)\ndef other(x):\n    twice(push, x)\ndef plan(x):\n    twice(print, x)\n",
    );
    finds(
        "from pkg.net import push\ndef twice(f, x):\n    f(x)\n    f(x)\ndef plan(x):\n    twice(push, x)\n",
    );
}

const STEPS: &str = "
import requests
class Base:
    def run(self, x):
        return self.step(x)
    def step(self, x):
        return x
class Net(Base):
    def step(self, x):
        return requests.get(x)
class Quiet(Base):
    def step(self, x):
        return x.lower()
";

/// The findings of a rule, by the function they name.
fn planners(text: &str) -> Vec<String> {
    let catalog = builtin_catalog().expect("the catalogue is valid");
    let rules = gatelint::rule::builtin().expect("the rules are valid");
    let rules: Vec<_> = rules.into_iter().filter(|rule| rule.id == "GL201").collect();
    let found = gatelint::source::Discovered { files: files(text), ..Default::default() };
    let mut timings = gatelint::timings::Timings::start();
    let outcome = gatelint::engine::analyse(found, &Config::defaults("/p"), &catalog, rules, &mut timings);
    outcome.findings.iter().map(|finding| finding.captures["function"].clone()).collect()
}

#[test]
fn a_path_through_a_base_class_holds_for_objects_whose_class_takes_it() {
    let text = format!(
        "{STEPS}def plan_net(x):\n    return Net().run(x)\ndef plan_quiet(x):\n    return Quiet().run(x)\n"
    );
    assert_eq!(planners(&text), ["plan_net"]);
    let text = format!("{STEPS}def plan_any(base: Base, x):\n    return base.run(x)\n");
    assert_eq!(planners(&text), ["plan_any"], "a base class may be any of its subclasses");
}

#[test]
fn a_callable_in_a_table_belongs_to_who_passes_the_table() {
    let text = "
import requests
def run(table, key, x):
    return table[key](x)
def plan_quiet(x):
    return run({'a': str.upper, 'b': lambda v: v}, 'b', x)
def plan_net(x):
    return run({'a': lambda v: requests.get(v)}, 'a', x)
";
    assert_eq!(planners(text), ["plan_net"]);
}

/// A package `tools` with this body, beside a module that posts.
#[track_caller]
fn finds_lazily(body: &str) {
    let text = format!(
        "from tools import push\ndef plan(x):\n    push(x)\n# file: tools/__init__.py\n{body}\n# file: tools/net.py\n\
         import requests\ndef push(x):\n    requests.post('https://example.com', json=x)\n"
    );
    let reached = reached(&text, "agent.plan");
    assert!(reached.contains("requests.post"), "reached only {reached:?}");
}

#[test]
fn names_that_a_package_hands_out_on_demand() {
    finds_lazily(
        "def __getattr__(name):\n    if name == 'push':\n        from .net import push\n        return push",
    );
    finds_lazily("def __getattr__(name):\n    from tools import net\n    return getattr(net, name)");
    finds_lazily("LAZY = {'push': 'tools.net'}\ndef __getattr__(name):\n    return load(LAZY[name], name)");
    finds_lazily("LAZY = {'push': ('.net', 'push')}\ndef __getattr__(name):\n    return load(*LAZY[name])");
}

#[test]
fn a_name_handed_out_by_itself_ends() {
    let text = "
from tools import push
def plan(x):
    push(x)
# file: tools/__init__.py
def __getattr__(name):
    from tools import push, other
    from . import push as again
    return push
";
    assert!(!reached(text, "agent.plan").contains("requests.post"));
}
