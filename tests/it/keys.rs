//! Dispatch by key: what is looked up in a table under a key runs what stands under that key, whichever function looks it up.
//! Each form in `keys/` registers `send`, which talks to the network, and `note`, which does nothing, under keys of their own;
//! a planner asks for the one, the other, and for what nobody knows.

use crate::support::Project;

const NET: &str = "import requests\n\n\ndef send(text):\n    return requests.post(\"https://x.example\", data=text)\n\n\n\
                   def note(text):\n    return text.strip()\n";

/// A form: how it is wired, and the calls of the planner that mean `note`, `send` and anything.
struct Form<'a> {
    name: &'a str,
    source: &'a str,
    harmless: &'a str,
    harmful: &'a str,
    any: &'a str,
}

/// `=== name`, the source, then lines `harmless:`, `harmful:` and `any:`.
fn forms(text: &'static str) -> Vec<Form<'static>> {
    let blocks = text.split("=== ").filter(|block| !block.trim().is_empty());
    let forms = blocks.map(|block| {
        let (name, rest) = block.split_once('\n').expect("a name");
        let (source, calls) = rest.split_once("harmless: ").expect("a harmless call");
        let (harmless, calls) = calls.split_once("\nharmful: ").expect("a harmful call");
        let (harmful, any) = calls.split_once("\nany: ").expect("a call of anything");
        Form { name, source, harmless, harmful, any: any.trim_end() }
    });
    forms.collect()
}

/// True if the planner is found to reach the network when it makes this call.
fn is_found(source: &str, call: &str) -> bool {
    let agent = format!("from net import note, send\n\n{source}\n\ndef plan_task(text):\n    {call}\n");
    let project = Project::new(&[("net.py", NET), ("agent.py", &agent)]);
    let found = project.run(&["check", "--select", "GL201", "--format", "json"]).json();
    !found["findings"].as_array().expect("findings").is_empty()
}

#[test]
fn a_key_finds_its_own_entry() {
    let mut wrong = Vec::new();
    for form in forms(include_str!("keys/python.txt")) {
        for (call, expected) in [(form.harmless, false), (form.harmful, true), (form.any, true)] {
            if is_found(form.source, call) != expected {
                wrong.push(format!(
                    "{}: `{call}` {}",
                    form.name,
                    if expected { "is silent" } else { "is found" }
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each form registers `send` under a key of its own, and then in another way for the key that the planner asks for.
#[test]
fn what_comes_into_a_table_in_another_way_is_found() {
    let blocks = include_str!("keys/hidden.txt").split("=== ").filter(|block| !block.trim().is_empty());
    let silent = blocks.filter_map(|block| {
        let (name, rest) = block.split_once('\n').expect("a name");
        let (source, call) = rest.split_once("planned: ").expect("a call");
        (!is_found(source, call.trim_end())).then_some(name)
    });
    let silent: Vec<&str> = silent.collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
