//! Crowds: a list, a table, a chain of branches, a registry or a base class with many functions, classes or objects, of which only
//! the last one sends. However many there are, GL201 finds it; if none sends, nothing is reported.

use std::fmt::Write as _;

use crate::support::Project;

const SIZES: [usize; 5] = [2, 5, 17, 60, 500];
const SENDS: &str =
    "import requests\n\n\ndef send(value):\n    return requests.post('https://x.example', data=value)\n";
const QUIET: &str = "def send(value):\n    return f'sent {value}'\n";

/// What there are many of.
#[derive(Clone, Copy)]
enum Of {
    Functions,
    Classes,
    Objects,
}

impl Of {
    /// One of the crowd; `head` stands before it, and `base` is what its class extends.
    fn define(self, at: usize, head: &str, base: &str, does: &str) -> String {
        match self {
            Of::Functions => format!("{head}def step{at}(text):\n    {does}\n\n\n"),
            Of::Classes | Of::Objects => {
                format!("{head}class Step{at}{base}:\n    def run(self, text):\n        {does}\n\n\n")
            }
        }
    }

    /// How one of them is named.
    fn name(self, at: usize) -> String {
        match self {
            Of::Functions => format!("step{at}"),
            Of::Classes => format!("Step{at}"),
            Of::Objects => format!("Step{at}()"),
        }
    }

    /// How one that is in hand is run.
    fn call(self, it: &str) -> String {
        match self {
            Of::Functions => format!("{it}(text)"),
            Of::Classes => format!("{it}().run(text)"),
            Of::Objects => format!("{it}.run(text)"),
        }
    }

    /// All of them, of which the last one sends.
    fn crowd(self, size: usize, head: &str, base: &str) -> String {
        (0..size).fold("from net import send\n\n\n".to_owned(), |text, at| {
            let does = if at + 1 == size { "return send(text)" } else { "return [text]" };
            text + &self.define(at, head, base, does)
        })
    }
}

/// `line` for each number.
fn each(size: usize, line: impl Fn(usize) -> String) -> String {
    (0..size).fold(String::new(), |text, at| text + &line(at))
}

/// The crowd and the planner, for a size.
type Shape = fn(Of, usize) -> (String, String);

fn list(of: Of, size: usize) -> (String, String) {
    let mut crowd = of.crowd(size, "", "");
    let names = each(size, |at| format!("    {},\n", of.name(at)));
    write!(crowd, "STEPS = [\n{names}]\n").unwrap();
    let call = of.call("step");
    (
        crowd,
        format!(
            "from crowd import STEPS\n\n\ndef plan_task(text):\n    for step in STEPS:\n        {call}\n"
        ),
    )
}

fn table(of: Of, size: usize) -> (String, String) {
    let mut crowd = of.crowd(size, "", "");
    let names = each(size, |at| format!("    'step{at}': {},\n", of.name(at)));
    write!(crowd, "STEPS = {{\n{names}}}\n").unwrap();
    let call = of.call("STEPS[kind]");
    (crowd, format!("from crowd import STEPS\n\n\ndef plan_task(text, kind):\n    return {call}\n"))
}

fn chain(of: Of, size: usize) -> (String, String) {
    let mut crowd = of.crowd(size, "", "");
    let branches = each(size, |at| format!("    if kind == 'step{at}':\n        return {}\n", of.name(at)));
    write!(crowd, "def choose(kind):\n{branches}    raise KeyError(kind)\n").unwrap();
    let call = of.call("step");
    let planner = format!("def plan_task(text, kind):\n    step = choose(kind)\n    return {call}\n");
    (crowd, format!("from crowd import choose\n\n\n{planner}"))
}

fn registry(of: Of, size: usize) -> (String, String) {
    let kept = if matches!(of, Of::Objects) { "step()" } else { "step" };
    let head = format!(
        "STEPS = {{}}\n\n\ndef register(step):\n    STEPS[step.__name__] = {kept}\n    return step\n\n\n"
    );
    let crowd = head + &of.crowd(size, "@register\n", "");
    let call = of.call("STEPS[kind]");
    (crowd, format!("from crowd import STEPS\n\n\ndef plan_task(text, kind):\n    return {call}\n"))
}

/// Functions have no base class.
fn subclasses(of: Of, size: usize) -> (String, String) {
    let head = "class Step:\n    def run(self, text):\n        raise NotImplementedError\n\n\n".to_owned();
    let crowd = head + &of.crowd(size, "", "(Step)");
    let annotation = if matches!(of, Of::Classes) { "type[Step]" } else { "Step" };
    let call = of.call("step");
    (
        crowd,
        format!("from crowd import Step\n\n\ndef plan_task(text, step: {annotation}):\n    return {call}\n"),
    )
}

#[track_caller]
fn is_found(of: Of, shape: Shape) {
    judge(|size, sends| {
        let (crowd, planner) = shape(of, size);
        let net = if sends { SENDS } else { QUIET };
        vec![("net.py", net.to_owned()), ("crowd.py", crowd), ("agent.py", planner)]
    });
}

/// Runs each size, with what sends and without.
#[track_caller]
fn judge(project_of: impl Fn(usize, bool) -> Vec<(&'static str, String)>) {
    let mut wrong = Vec::new();
    for size in SIZES {
        for sends in [true, false] {
            let project = Project::new(&[]);
            for (path, text) in project_of(size, sends) {
                project.write(path, text);
            }
            let ran = project.run(&["check", "--select", "GL201", "--format", "json"]);
            let expected = usize::from(sends);
            let found = ran.count("GL201");
            if found != expected {
                wrong.push(format!("{found} findings among {size}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! crowds {
    ($($name:ident: $of:ident, $shape:ident;)*) => {
        $(#[test] fn $name() { is_found(Of::$of, $shape); })*
    };
}

crowds! {
    functions_in_a_list: Functions, list;
    classes_in_a_list: Classes, list;
    objects_in_a_list: Objects, list;
    functions_in_a_table: Functions, table;
    classes_in_a_table: Classes, table;
    objects_in_a_table: Objects, table;
    functions_of_a_chain_of_branches: Functions, chain;
    classes_of_a_chain_of_branches: Classes, chain;
    objects_of_a_chain_of_branches: Objects, chain;
    functions_of_a_registry: Functions, registry;
    classes_of_a_registry: Classes, registry;
    objects_of_a_registry: Objects, registry;
    classes_with_one_base: Classes, subclasses;
    objects_with_one_base: Objects, subclasses;
}

/// Where hundreds of values of several kinds meet, a call of one of them is not understood, nor is handing it to who calls it: the
/// run says so, and says of none of them that it is the one.
#[test]
fn hundreds_of_several_kinds_are_no_clean_run() {
    let project = Project::new(&[("net.py", QUIET)]);
    let functions = Of::Functions.crowd(200, "", "");
    let names = |of: Of| each(200, |at| format!("    {},\n", of.name(at)));
    let steps = format!("STEPS = [\n{}{}]\n", names(Of::Functions), names(Of::Objects));
    project.write("crowd.py", functions + &Of::Objects.crowd(200, "", "") + &steps);
    for runs in ["step(text)", "apply(step, text)", "list(map(step, [text]))"] {
        let helper = "def apply(do, text):\n    return do(text)\n";
        let plan = format!("def plan_task(text):\n    for step in STEPS:\n        {runs}\n");
        project.write("agent.py", format!("from crowd import STEPS\n\n\n{helper}\n\n{plan}"));
        let ran = project.run(&["check", "--format", "json"]);
        assert_eq!(ran.code, 4, "{runs}: {}", ran.stderr);
        let told = ran.json()["incomplete"].to_string();
        assert!(told.contains("a call in `plan_task` may mean more functions"), "{runs}: {told}");
        let edges = project.run(&["debug", "edges", "agent.py", "crowd.py", "net.py"]).stdout;
        let from_plan = edges.lines().filter(|line| line.contains(r#""from":"agent.plan_task""#));
        let of_crowd = from_plan.filter(|line| line.contains(r#""to":"crowd.step"#));
        assert!(of_crowd.clone().count() > 1, "{runs}");
        assert!(of_crowd.clone().all(|line| line.contains(r#""confidence":"low""#)), "{runs}");
    }
}

/// A key tells them apart all the same.
#[test]
fn one_of_hundreds_of_several_kinds_is_found_by_its_key() {
    let entries = |of: Of| each(200, |at| format!("    '{0}': {0},\n", of.name(at)));
    let table = format!("TABLE = {{\n{}{}}}\n", entries(Of::Functions), entries(Of::Objects));
    let crowd = Of::Functions.crowd(200, "", "") + &Of::Objects.crowd(200, "", "") + &table;
    let run = "def run(kind, text):\n    return TABLE[kind](text)\n";
    let plans = each(2, |at| format!("\n\ndef plan_{at}(text):\n    return run('step{}', text)\n", 198 + at));
    let agent = format!("from crowd import TABLE\n\n\n{run}{plans}");
    let project = Project::new(&[("net.py", SENDS), ("crowd.py", &crowd), ("agent.py", &agent)]);
    assert_eq!(project.run(&["check", "--select", "GL201", "--format", "json"]).count("GL201"), 1);
}

/// The same in Rust: functions by their pointers, types by a trait.
mod rust {
    use super::{each, judge};

    const MANIFEST: &str = "[package]\nname = \"crowd\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
                            reqwest = { version = \"0.12\", features = [\"blocking\"] }\n";
    const SENDS: &str = "pub fn send(text: &str) -> String {\n    \
                         reqwest::blocking::get(text).and_then(|answer| answer.text()).unwrap_or_default()\n}\n";
    const QUIET: &str = "pub fn send(text: &str) -> String {\n    format!(\"sent {text}\")\n}\n";

    /// What the last one does, and the others.
    fn does(at: usize, size: usize) -> &'static str {
        if at + 1 == size { "send(text)" } else { "text.to_owned()" }
    }

    fn functions(size: usize) -> String {
        each(size, |at| format!("fn step{at}(text: &str) -> String {{\n    {}\n}}\n", does(at, size)))
    }

    fn types(size: usize) -> String {
        let head = "pub trait Step {\n    fn run(&self, text: &str) -> String;\n}\n".to_owned();
        head + &each(size, |at| {
            format!(
                "pub struct Step{at};\nimpl Step for Step{at} {{\n    fn run(&self, text: &str) -> String {{\n        \
                 {}\n    }}\n}}\n",
                does(at, size)
            )
        })
    }

    /// The arms of a match that gives one of the crowd by its name.
    fn choose(size: usize, gives: &str, arm: impl Fn(usize) -> String) -> String {
        let arms = each(size, |at| format!("        \"step{at}\" => {},\n", arm(at)));
        format!(
            "fn choose(kind: &str) -> {gives} {{\n    match kind {{\n{arms}        _ => unreachable!(),\n    }}\n}}\n"
        )
    }

    fn array(size: usize) -> String {
        let names = each(size, |at| format!("    step{at},\n"));
        let steps = format!("const STEPS: [fn(&str) -> String; {size}] = [\n{names}];\n");
        let planner =
            "pub fn plan_task(text: &str) {\n    for step in STEPS {\n        step(text);\n    }\n}\n";
        functions(size) + &steps + planner
    }

    fn table(size: usize) -> String {
        let names = each(size, |at| format!("    (\"step{at}\", step{at}),\n"));
        let steps = format!("const STEPS: &[(&str, fn(&str) -> String)] = &[\n{names}];\n");
        let planner = "pub fn plan_task(text: &str, kind: &str) -> Option<String> {\n    \
                       let (_, step) = STEPS.iter().find(|(name, _)| *name == kind)?;\n    Some(step(text))\n}\n";
        functions(size) + &steps + planner
    }

    fn branches(size: usize) -> String {
        let choose = choose(size, "fn(&str) -> String", |at| format!("step{at}"));
        let planner = "pub fn plan_task(text: &str, kind: &str) -> String {\n    choose(kind)(text)\n}\n";
        functions(size) + &choose + planner
    }

    fn boxes(size: usize) -> String {
        let names = each(size, |at| format!("        Box::new(Step{at}),\n"));
        let planner = format!(
            "pub fn plan_task(text: &str) {{\n    let steps: Vec<Box<dyn Step>> = vec![\n{names}    ];\n    \
             for step in &steps {{\n        step.run(text);\n    }}\n}}\n"
        );
        types(size) + &planner
    }

    fn branches_of_boxes(size: usize) -> String {
        let choose = choose(size, "Box<dyn Step>", |at| format!("Box::new(Step{at})"));
        let planner = "pub fn plan_task(text: &str, kind: &str) -> String {\n    choose(kind).run(text)\n}\n";
        types(size) + &choose + planner
    }

    fn objects(size: usize) -> String {
        types(size) + "pub fn plan_task(text: &str, step: &dyn Step) -> String {\n    step.run(text)\n}\n"
    }

    fn bound(size: usize) -> String {
        types(size) + "pub fn plan_task<S: Step>(text: &str, step: S) -> String {\n    step.run(text)\n}\n"
    }

    #[track_caller]
    fn is_found(shape: fn(usize) -> String) {
        judge(|size, sends| {
            let net = if sends { SENDS } else { QUIET };
            vec![
                ("Cargo.toml", MANIFEST.to_owned()),
                ("src/lib.rs", "mod agent;\nmod net;\n".to_owned()),
                ("src/net.rs", net.to_owned()),
                ("src/agent.rs", format!("use crate::net::send;\n{}", shape(size))),
            ]
        });
    }

    macro_rules! crowds {
        ($($name:ident: $shape:ident;)*) => {
            $(#[test] fn $name() { is_found($shape); })*
        };
    }

    crowds! {
        functions_in_an_array: array;
        functions_in_a_table: table;
        functions_of_a_match: branches;
        objects_in_a_vector: boxes;
        objects_of_a_match: branches_of_boxes;
        objects_of_a_trait: objects;
        a_type_with_a_bound: bound;
    }
}
