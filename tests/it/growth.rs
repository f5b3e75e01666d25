//! Shapes of code that cost a careless analysis the square of their size: twice as much of anything may take at most 2.4
//! times as long. What is measured is the processor time of a whole run, at one size and at that size doubled two or three times,
//! without what an empty project takes. A busy machine makes runs slower, and not each by as much: small and large take turns, and
//! one turn in which the large run is quick enough shows that it can be. What grows with the square never is.

#![cfg(target_os = "linux")]

mod repeated;

use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;
use std::sync::OnceLock;

use crate::support::{Project, Run};

/// For twice the size.
const MAX_GROWTH: f64 = 2.4;
/// What is quicker than this says nothing: the clock ticks a hundred times a second.
const SHORT: f64 = 0.06;
const ATTEMPTS: usize = 6;

const HEAD: &str = "\
import requests


def require_execution(phase):
    if phase != 'execution':
        raise PermissionError(phase)


";

type Files = Vec<(String, String)>;

/// The processor time that one run takes, in seconds.
fn time(files: &Files) -> f64 {
    let project = Project::new(&[]);
    files.iter().for_each(|(path, text)| project.write(path, text));
    let args = ["check", "--threads", "1", "--format", "concise", "--output", "report.txt"];
    let mut command = Run::new(&args).within(project.path()).command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let stat = format!("/proc/{}/stat", child.id());
    let used = loop {
        // Behind the name in brackets: the state, ten other fields, the time in the program and in the system.
        let text = fs::read_to_string(&stat).unwrap();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
        if fields[0] == "Z" {
            break fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 1 | 2 | 4)), "{code:?}");
    used / 100.0
}

/// What a run takes that looks at nothing.
fn nothing() -> f64 {
    static NOTHING: OnceLock<f64> = OnceLock::new();
    let files = vec![("a.py".to_owned(), "\n".to_owned())];
    *NOTHING.get_or_init(|| (0..ATTEMPTS).map(|_| time(&files)).fold(f64::MAX, f64::min))
}

#[track_caller]
fn grows_with_its_size(size: usize, shape: impl Fn(usize) -> Files) {
    grows(size, 2, shape);
}

/// From a size at which what grows with the square is most of the run.
#[track_caller]
fn doubles_three_times(size: usize, shape: impl Fn(usize) -> Files) {
    grows(size, 3, shape);
}

#[track_caller]
fn grows(size: usize, doublings: u32, shape: impl Fn(usize) -> Files) {
    let times = 2_usize.pow(doublings);
    let (small, large) = (shape(size), shape(times * size));
    let most = MAX_GROWTH.powi(doublings as i32);
    let mut turns = Vec::new();
    for _ in 0..ATTEMPTS {
        let large = time(&large) - nothing();
        if large <= SHORT * most {
            return;
        }
        let small = time(&small) - nothing();
        if large <= small * most {
            return;
        }
        turns.push((small, large));
    }
    panic!("for {times} times the size, seconds: {turns:.2?}");
}

/// One module.
fn module(text: impl Into<String>) -> Files {
    vec![("a.py".to_owned(), text.into())]
}

/// `line` for each number.
fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |text, at| text + &line(at))
}

/// A handler with this body, in which lines come without the indent.
fn handler(body: &str) -> String {
    let head = "class Order:\n    namespace = 'comm'\n\n    def execute(self, phase, items, fast):\n";
    body.lines().fold(format!("{HEAD}{head}"), |mut text, line| {
        writeln!(text, "        {line}").unwrap();
        text
    })
}

#[test]
fn planners_that_call_one_another() {
    grows_with_its_size(500, |size| {
        let chain = each(size, |at| format!("def plan_{at}(x):\n    return plan_{}(x)\n\n\n", at + 1));
        module(format!("{HEAD}{chain}def plan_{size}(x):\n    return requests.get(x)\n"))
    });
}

#[test]
fn functions_of_rust_that_call_one_another() {
    grows_with_its_size(500, |size| {
        let chain = each(size, |at| format!("fn plan_{at}() {{ plan_{}() }}\n", at + 1));
        let last = format!("fn plan_{size}() {{ reqwest::blocking::get(\"x\"); }}\n");
        let manifest = "[package]\nname = \"agent\"\n".to_owned();
        vec![("Cargo.toml".to_owned(), manifest), ("src/lib.rs".to_owned(), chain + &last)]
    });
}

#[test]
fn continued_lines() {
    grows_with_its_size(3000, |size| module(format!("x = \\\n{}1\n", "\\\n".repeat(size))));
    grows_with_its_size(2000, |size| module(format!("x = 1{}\n", " + \\\n    f(1)".repeat(size))));
}

#[test]
fn unfinished_json_in_a_text() {
    for piece in ["{\"operation\": \"comm.x\", ", "{", "{\"a\": [", "{\"a\": \"b ", "[{\"operation\": "] {
        grows_with_its_size(3000, |size| {
            module(format!("x = \"\"\"comm. justification\n{}\"\"\"\n", piece.repeat(size)))
        });
    }
}

#[test]
fn long_lists_of_declarations() {
    let one =
        "{\"operation\": \"comm.x\", \"parameters\": {}, \"justification\": \"\", \"phase\": \"planning\"}";
    grows_with_its_size(300, |size| module(format!("X = [\n{}]\n", format!("    {one},\n").repeat(size))));
    grows_with_its_size(600, |size| {
        module(format!("X = \"\"\"\n{}\"\"\"\n", format!("{one}\n").repeat(size)))
    });
    grows_with_its_size(600, |size| {
        let list = vec![one; size].join(",\n");
        vec![("a.py".to_owned(), "\n".to_owned()), ("needs.json".to_owned(), format!("[{list}]\n"))]
    });
}

#[test]
fn many_effects_on_one_line() {
    grows_with_its_size(1000, |size| module(format!("{HEAD}{}\n", "requests.get('x'); ".repeat(size))));
    grows_with_its_size(1000, |size| {
        let calls = "requests.get(x), ".repeat(size);
        module(format!("{HEAD}def plan_trip(x): return [{calls}]\n"))
    });
}

#[test]
fn dictionaries_with_many_keys_in_a_handler() {
    grows_with_its_size(600, |size| {
        let entries = each(size, |at| format!("    'k{at}': items.get('k{at}'),\n"));
        module(handler(&format!(
            "require_execution(phase)\ndata = {{\n{entries}}}\nreturn requests.post('x', json=data)"
        )))
    });
    grows_with_its_size(600, |size| {
        let entries = each(size, |at| format!("data['k{at}'] = items.get('k{at}')\n"));
        module(handler(&format!(
            "data = {{}}\n{entries}require_execution(phase)\nreturn requests.post('x', json=data)"
        )))
    });
}

#[test]
fn long_chains_of_branches_in_a_handler() {
    for (test, body) in [
        ("fast == 'a{N}'", "x = items.f{N}()"),
        ("fast == 'a{N}'", "require_execution(phase); x = requests.get('u{N}')"),
        ("phase == 'p{N}'", "x = requests.get('u{N}')"),
    ] {
        grows_with_its_size(250, |size| {
            let arm = |at: usize| format!("elif {test}:\n    {body}\n").replace("{N}", &at.to_string());
            let arms = each(size, arm);
            module(handler(&format!(
                "if fast == 0:\n    x = 1\n{arms}require_execution(phase)\nreturn requests.post('x', json=x)"
            )))
        });
    }
}

#[test]
fn chains_of_classes() {
    let base = "class C0:\n    def go(self):\n        return requests.get('x')\n\n\n";
    grows_with_its_size(500, |size| {
        let chain = each(size, |at| {
            format!("class C{}(C{at}):\n    def m{at}(self):\n        return self.go()\n\n\n", at + 1)
        });
        module(format!("{HEAD}{base}{chain}"))
    });
    grows_with_its_size(500, |size| {
        let chain = each(size, |at| {
            format!("class C{}(C{at}):\n    def go(self):\n        return super().go()\n\n\n", at + 1)
        });
        module(format!("{HEAD}{base}{chain}def plan_trip(c: C0):\n    return c.go()\n"))
    });
}

#[test]
fn many_subclasses_and_many_calls() {
    grows_with_its_size(300, |size| {
        let base = "class Base:\n    def go(self):\n        return requests.get('x')\n\n\n";
        let classes =
            each(size, |at| format!("class C{at}(Base):\n    def run{at}(self):\n        return 1\n\n\n"));
        let calls = each(size, |_| "    x.go()\n".to_owned());
        module(format!("{HEAD}{base}{classes}def plan_trip(x: Base):\n{calls}"))
    });
}

#[test]
fn many_commands_and_many_tests() {
    grows_with_its_size(150, |size| {
        let commands = each(size, |at| {
            format!(
                "class Order{at}:\n    namespace = 'comm'\n    name = 'comm.order{at}'\n\n    def execute(self, phase):\n        \
                 require_execution(phase)\n        return requests.get('x')\n\n\n"
            )
        });
        let tests = each(size, |at| {
            format!(
                "def test_{at}():\n    a.Order{at}().execute('planning')\n    assert 'comm.order{at}'\n\n\n"
            )
        });
        vec![
            ("a.py".to_owned(), format!("{HEAD}{commands}")),
            ("tests/test_a.py".to_owned(), format!("import a\n\n\n{tests}")),
        ]
    });
}

#[test]
fn repeated_imports() {
    grows_with_its_size(1500, |size| {
        let calls = "\n\ndef plan_trip():\n    requests.get('x')\n";
        vec![
            ("a.py".to_owned(), "import requests\n".repeat(size)),
            ("b.py".to_owned(), format!("{}{calls}", "from a import requests\n".repeat(size))),
        ]
    });
    grows_with_its_size(150, |size| {
        let file = |at: usize| (format!("m{at}.py"), format!("from m{} import *\n", at + 1));
        let last = (format!("m{size}.py"), "import requests\n".to_owned());
        (0..size).map(file).chain([last]).collect()
    });
    // In a ring, so that there are very many ways from one to another.
    grows_with_its_size(60, |size| {
        let stars = |at: usize| {
            each(4, |next| format!("from m{} import *\n", (at + next) % size))
                + "\n\ndef f(x):\n    return g(x)\n"
        };
        (0..size).map(|at| (format!("m{at}.py"), stars(at))).collect()
    });
}

#[test]
fn many_mistakes_in_the_configuration() {
    let with =
        |config: String| vec![("a.py".to_owned(), "\n".to_owned()), ("gatelint.toml".to_owned(), config)];
    grows_with_its_size(1000, |size| with(each(size, |at| format!("wrong{at} = 1\n"))));
    grows_with_its_size(1000, |size| with("[[levels]]\nrule = \"GL999\"\nlevel = \"of\"\n".repeat(size)));
}

#[test]
fn many_waivers() {
    doubles_three_times(2000, |size| {
        let line = |at: usize| format!("requests.get('x')  # gatelint: allow[GL102] reason=\"fine {at}\"\n");
        module(format!("{HEAD}{}", each(size, line)))
    });
    doubles_three_times(1000, |size| {
        let function = |at: usize| {
            let waiver = format!("# gatelint: allow[GL102] reason=\"fine {at}\"");
            format!("def f{at}(x):  {waiver}\n    if g(x):  {waiver}\n        return requests.get(x)\n\n\n")
        };
        module(format!("{HEAD}{}", each(size, function)))
    });
}

#[test]
fn many_imports() {
    doubles_three_times(10_000, |size| {
        module(format!("{}\n\ndef plan_trip():\n    requests.get('x')\n", "import requests\n".repeat(size)))
    });
}

#[test]
fn long_lists_of_functions_and_of_objects() {
    let looped = |list: &str, step: &str| {
        format!("ALL = [{list}]\n\n\ndef plan_trip(x):\n    for one in ALL:\n        one{step}(x)\n")
    };
    doubles_three_times(2000, |size| {
        let functions = each(size, |at| format!("def f{at}(x):\n    return x\n\n\n"));
        module(format!("{functions}{}", looped(&each(size, |at| format!("f{at}, ")), "")))
    });
    doubles_three_times(2000, |size| {
        let classes = each(size, |at| format!("class C{at}:\n    def go(self, x):\n        return x\n\n\n"));
        module(format!("{classes}{}", looped(&each(size, |at| format!("C{at}(), ")), ".go")))
    });
}

/// Each table is taken from by functions of its own, through one function that they share.
#[test]
fn many_tables_and_one_function_that_takes_from_them() {
    doubles_three_times(50, |size| {
        let table = |at| {
            let functions = format!("def f{at}(x):\n    return x\n\n\ndef g{at}(x):\n    return x\n\n\n");
            let table = format!("T{at} = {{'f': f{at}, 'g': g{at}}}\n\n\n");
            let takes = |by| format!("def plan_{by}{at}(key, x):\n    return pick(T{at}, key)(x)\n\n\n");
            functions + &table + &takes("a") + &takes("b") + &takes("c")
        };
        module(format!("def pick(table, key):\n    return table[key]\n\n\n{}", each(size, table)))
    });
}

#[test]
fn managers_that_are_generators_and_end_in_the_same_helpers() {
    grows_with_its_size(200, |size| {
        let chain = each(size, |at| format!("def check_{at}(x):\n    return check_{}(x)\n\n\n", at + 1));
        let managers = each(size, |at| {
            let body = "try:\n        yield check_0(x)\n    except KeyError:\n        pass";
            format!("@contextlib.contextmanager\ndef guard_{at}(x):\n    {body}\n\n\n")
        });
        let planners = each(size, |at| {
            let body = "require_execution(phase)\n        requests.get(phase)";
            format!("def plan_{at}(phase):\n    with guard_{at}(phase):\n        {body}\n\n\n")
        });
        let last = format!("def check_{size}(x):\n    raise ValueError(x)\n\n\n");
        module(format!("import contextlib\n{HEAD}{chain}{last}{managers}{planners}"))
    });
}

/// Two ways from each type to the next: `type Rows = list[Row] | dict[str, Row]`.
#[test]
fn types_that_hold_others_twice() {
    grows_with_its_size(200, |size| {
        let types = each(size, |at| {
            let next = at + 1;
            format!("type T{at} = list[T{next}] | dict[str, T{next}]\n")
        });
        module(format!("{types}type T{size} = int\n\n\ndef plan(x: T0):\n    return x\n"))
    });
}
