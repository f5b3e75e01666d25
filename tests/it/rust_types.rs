//! What the declared types of Rust say of values: the compiler has checked them, so that values of other types do not come in,
//! however many of them have met on the way.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::rust_link::reached;

/// More than are told apart where containers meet.
const MANY: usize = 12;

fn from(start: &str, code: &str) -> BTreeSet<String> {
    reached(&format!("// file: src/lib.rs\n{code}"), &format!("project.{start}"))
}

#[track_caller]
fn exactly(start: &str, code: &str, wanted: &[&str], unwanted: &[&str]) {
    let found = from(start, code);
    for path in wanted {
        assert!(found.contains(&format!("project.{path}")), "no `{path}` among {found:?}");
    }
    for path in unwanted {
        assert!(!found.contains(&format!("project.{path}")), "`{path}` is among {found:?}");
    }
}

/// Lists of many types that go through one generic function.
fn lists(returned: impl Fn(usize) -> String) -> String {
    let mut code = "fn keep<T>(all: Vec<T>) -> Vec<T> { let kept = all; kept }\n".to_owned();
    for number in 0..MANY {
        let declared = returned(number);
        _ = write!(
            code,
            "pub struct Tool{number};\n\
             impl Tool{number} {{ pub fn run(&self) {{}} }}\n\
             fn all{number}() -> {declared} {{ keep(vec![Tool{number}]) }}\n\
             pub fn start{number}() {{ for tool in all{number}() {{ tool.run(); }} }}\n"
        );
    }
    code
}

#[test]
fn a_list_of_a_declared_type_holds_no_other() {
    let code = lists(|number| format!("Vec<Tool{number}>"));
    exactly("start3", &code, &["Tool3.run"], &["Tool0.run", "Tool4.run", "Tool11.run"]);
    let code = lists(|number| format!("Option<Vec<Tool{number}>>"));
    exactly("start5", &code, &["Tool5.run"], &["Tool0.run"]);
}

#[test]
fn what_is_put_into_a_list_through_a_parameter_is_in_the_list_of_the_caller() {
    let code = "
pub struct Tool;
impl Tool { pub fn run(&self) {} }
fn fill(all: &mut Vec<Tool>) { all.push(Tool); }
pub fn start() { let mut all = Vec::new(); fill(&mut all); for tool in all { tool.run(); } }
";
    exactly("start", code, &["Tool.run"], &[]);
}

#[test]
fn a_tuple_is_one_argument_of_a_type() {
    let code = "
pub struct Tool;
impl Tool { pub fn run(&self) {} pub fn stop(&self) {} pub fn name(&self) {} }
pub struct Other;
impl Other { pub fn run(&self) {} pub fn stop(&self) {} pub fn name(&self) {} }
pub struct Holder<'a> { one: Option<(&'a Tool, usize)>, many: Vec<(Option<u32>, Tool)> }
pub fn start(tool: &Tool) {
    let mut holder = Holder { one: None, many: Vec::new() };
    holder.one = Some((tool, 5));
    holder.many.push((None, Tool));
    holder.body();
}
impl<'a> Holder<'a> {
    fn body(&self) {
        let Some((tool, _)) = self.one else { return };
        tool.run();
        for (_, tool) in &self.many { tool.stop(); }
        self.many.iter().for_each(|(_, tool)| tool.name());
    }
}
";
    let unwanted = ["Other.run", "Other.stop", "Other.name"];
    exactly("start", code, &["Tool.run", "Tool.stop", "Tool.name"], &unwanted);
}

#[test]
fn a_type_beside_the_name_of_a_function_is_no_declaration() {
    let code = "
pub struct Json;
pub struct Tree;
impl Tree { pub fn walk(&self) {} }
fn parse<K>(text: &str) -> Option<Tree> { None }
pub fn start() { let tree = parse::<Json>(\"x\").unwrap(); tree.walk(); }
";
    exactly("start", code, &["Tree.walk"], &[]);
}

#[test]
fn a_value_that_is_written_as_its_type_comes_in() {
    let code = "
pub struct Plain;
pub enum Mode { Fast, Slow }
impl Plain { pub fn run(&self) {} }
impl Mode { pub fn run(&self) {} }
fn with(plain: Plain, mode: Mode) { plain.run(); mode.run(); }
pub fn start() { with(Plain, Mode::Fast); }
";
    exactly("start", code, &["Plain.run", "Mode.run"], &[]);
}

#[test]
fn an_interface_lets_in_whatever_is_given_for_it() {
    let code = "
pub trait Handler { fn call(&self); }
impl<F: Fn()> Handler for F { fn call(&self) { self() } }
fn send() {}
fn each(handlers: Vec<Box<dyn Handler>>) { for handler in handlers { handler.call(); } }
pub struct Own;
impl Handler for Own { fn call(&self) { own() } }
fn own() {}
pub fn start() { each(vec![Box::new(send), Box::new(Own)]); }
";
    exactly("start", code, &["own"], &[]);
}
