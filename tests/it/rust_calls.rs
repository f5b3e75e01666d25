//! The forms of a call in Rust: through bindings, boxes, locks, options, lists, closures, traits and builders. Every one of
//! them leads to the network.

use crate::rust_link::reached;

/// What the functions below use.
const NET: &str = r#"
// file: net.rs
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
pub fn push(x: &str) -> Result<String, String> { reqwest::blocking::get(x); Ok(String::new()) }
pub async fn push_later(x: &str) -> Result<String, String> { push(x) }
#[derive(Clone, Default)]
pub struct Client { base: String }
impl Client {
    pub fn new(base: &str) -> Self { Self { base: base.into() } }
    pub fn builder() -> ClientBuilder { ClientBuilder { base: String::new() } }
    pub fn on(mut self, base: &str) -> Self { self.base = base.into(); self }
    pub fn send(&self, x: &str) -> Result<String, String> { push(x) }
}
pub struct ClientBuilder { base: String }
impl ClientBuilder {
    pub fn base(mut self, base: &str) -> Self { self.base = base.into(); self }
    pub fn build(self) -> Result<Client, String> { Ok(Client { base: self.base }) }
}
pub trait Fetch: Send + Sync {
    fn fetch(&self, x: &str) -> String;
    fn twice(&self, x: &str) -> String { self.fetch(x) }
}
impl Fetch for Client { fn fetch(&self, x: &str) -> String { self.send(x).unwrap() } }
pub struct Silent;
impl Fetch for Silent { fn fetch(&self, _: &str) -> String { String::new() } }
pub enum Backend { Http(Client), Other { inner: Client }, None }
pub static SHARED: LazyLock<Client> = LazyLock::new(|| Client::new("x"));
pub fn make() -> impl Fetch { Client::new("x") }
pub fn boxed() -> Box<dyn Fetch> { Box::new(Client::new("x")) }
pub fn maybe() -> Option<Client> { None }
pub type Handler = Box<dyn Fn(&str) -> Result<String, String> + Send + Sync>;
pub struct Table { pub list: Vec<Arc<dyn Fetch>>, pub client: Option<Client>, pub locked: Arc<tokio::sync::Mutex<Client>> }
impl std::ops::Deref for Table {
    type Target = Client;
    fn deref(&self) -> &Client { self.client.as_ref().unwrap() }
}
pub struct Wrapped(pub Client);
pub struct Holds { pub run: fn(&str) -> Result<String, String> }
pub struct Agent { pub net: Arc<dyn Fetch>, client: Client }
impl Agent {
    pub fn client(&self) -> &Client { &self.client }
    pub fn by_field(&self) { self.client.send("x").unwrap(); }
    pub fn by_method(&self) { self.client().send("x").unwrap(); }
    pub fn by_path(&self) { let all: Vec<_> = ["a"].iter().map(Self::each).collect(); }
    fn each(x: &&str) -> String { push(x).unwrap() }
}
pub fn run(f: impl Fn(&str) -> Result<String, String>) { f("x").unwrap(); }
"#;

#[track_caller]
fn all(functions: &[&str]) {
    for f in functions {
        let text = format!("// file: main.rs\nmod net;\nuse net::*;\n{f}\n{NET}");
        let reached = reached(&text, "project.f");
        assert!(reached.contains("reqwest.get"), "{f}\n{reached:?}");
    }
}

#[test]
fn names_and_bindings() {
    all(&[
        "fn f() { crate::net::push(\"x\"); }",
        "fn f() { use self::net::push as go; go(\"x\"); }",
        "fn f() { let g = push; g(\"x\"); }",
        "fn f() { let (c, _) = (Client::new(\"x\"), 1); c.send(\"x\"); }",
        "fn f() { let c = { let c = Client::new(\"x\"); c }; c.send(\"x\"); }",
        "fn f(a: bool) { let c = if a { Client::new(\"x\") } else { Client::new(\"y\") }; c.send(\"x\"); }",
        "fn f() { let c: Client = \"x\".into(); c.send(\"x\"); }",
        "fn f() { Client::default().send(\"x\"); }",
        "fn f() { SHARED.send(\"x\"); }",
        "fn f(c: Wrapped) { c.0.send(\"x\"); }",
        "fn f(c: &Table) { c.send(\"x\"); }",
    ]);
}

#[test]
fn builders() {
    all(&[
        "fn f() { Client::new(\"x\").on(\"y\").send(\"x\"); }",
        "fn f() { let c = Client::builder().base(\"x\").build().unwrap(); c.send(\"x\"); }",
        "fn f() -> Result<(), String> { Client::builder().build()?.send(\"x\")?; Ok(()) }",
    ]);
}

#[test]
fn traits() {
    all(&[
        "fn f(c: &dyn Fetch) { c.fetch(\"x\"); }",
        "fn f<T: Fetch>(c: T) { c.fetch(\"x\"); }",
        "fn f<T>(c: T) where T: Fetch { c.fetch(\"x\"); }",
        "fn f(c: impl Fetch) { c.twice(\"x\"); }",
        "fn f() { make().fetch(\"x\"); }",
        "fn f() { boxed().fetch(\"x\"); }",
        "fn f(a: &Agent) { a.net.fetch(\"x\"); }",
        "fn f() { <Client as Fetch>::fetch(&Client::new(\"x\"), \"y\"); }",
        "fn f() { Fetch::fetch(&Client::new(\"x\"), \"y\"); }",
    ]);
}

#[test]
fn what_holds_a_value() {
    all(&[
        "fn f() { let c = std::sync::Arc::new(Client::new(\"x\")); let d = std::sync::Arc::clone(&c); d.send(\"x\"); }",
        "fn f(c: std::rc::Rc<std::cell::RefCell<Client>>) { c.borrow().send(\"x\"); }",
        "fn f(c: &std::sync::RwLock<Client>) { let c = c.read().unwrap(); c.send(\"x\"); }",
        "async fn f(t: &Table) { t.locked.lock().await.send(\"x\"); }",
        "fn f(t: &Table) { t.client.as_ref().unwrap().send(\"x\"); }",
        "fn f() { if let Some(c) = maybe() { c.send(\"x\"); } }",
        "fn f() { let Some(c) = maybe() else { return }; c.send(\"x\"); }",
        "fn f() { while let Some(c) = maybe() { c.send(\"x\"); } }",
        "fn f(c: Result<Client, String>) { match c { Ok(c) => { c.send(\"x\"); } Err(_) => {} } }",
        "fn f() { maybe().map(|c| c.send(\"x\")); }",
        "fn f() { maybe().unwrap_or_else(|| Client::new(\"x\")).send(\"x\"); }",
        "fn f() { let c = maybe().ok_or(\"x\").map_err(|e| e.len()).unwrap(); c.send(\"x\"); }",
        "fn f(b: Backend) { match b { Backend::Http(c) => { c.send(\"x\"); } _ => {} } }",
        "fn f(b: &Backend) { if let Backend::Other { inner } = b { inner.send(\"x\"); } }",
    ]);
}

#[test]
fn many_values() {
    all(&[
        "fn f(t: &Table) { for c in &t.list { c.fetch(\"x\"); } }",
        "fn f(t: &Table) { t.list.iter().for_each(|c| { c.fetch(\"x\"); }); }",
        "fn f(t: &Table) { if let Some(c) = t.list.iter().find(|_| true) { c.fetch(\"x\"); } }",
        "fn f(all: &[Client]) { for (at, c) in all.iter().enumerate() { c.send(\"x\"); } }",
        "fn f(all: std::collections::HashMap<String, Client>) { for (_, c) in &all { c.send(\"x\"); } }",
        "fn f(all: std::collections::HashMap<String, Client>) { all.values().next().unwrap().send(\"x\"); }",
        "fn f(all: &mut Vec<Client>) { all.push(Client::new(\"x\")); all.last_mut().unwrap().send(\"x\"); }",
        "fn f() { let all = vec![Client::new(\"x\")]; all[0].send(\"x\"); }",
        "fn f() { let mut all = std::collections::HashMap::new(); all.insert(\"a\", push); all[\"a\"](\"x\"); }",
        "fn f() { let mut all: std::collections::HashMap<&str, Handler> = Default::default();
            all.insert(\"a\", Box::new(|x| push(x))); if let Some(h) = all.get(\"a\") { h(\"x\"); } }",
    ]);
}

#[test]
fn closures_and_tasks() {
    all(&[
        "fn f() { let g = |x: &str| push(x); g(\"x\"); }",
        "fn f() { run(|x| push(x)); }",
        "fn f() { run(push); }",
        "fn f() { [\"a\"].iter().map(|x| push(x)).collect::<Vec<_>>(); }",
        "fn f() { vec![\"a\"].into_iter().map(push).for_each(drop); }",
        "fn f() { let g: Box<dyn Fn()> = Box::new(|| { push(\"x\"); }); g(); }",
        "fn f() { let h = Holds { run: push }; (h.run)(\"x\"); }",
        "fn f(a: &Agent) { a.by_field(); }",
        "fn f(a: &Agent) { a.by_method(); }",
        "fn f(a: &Agent) { a.by_path(); }",
        "fn f() { std::thread::spawn(|| push(\"x\")); }",
        "async fn f() { push_later(\"x\").await.unwrap(); }",
        "async fn f() { tokio::spawn(async move { push_later(\"x\").await }).await.unwrap(); }",
        "async fn f() { let (a, b) = tokio::join!(push_later(\"x\"), push_later(\"y\")); }",
        "async fn f() { tokio::select! { _ = push_later(\"x\") => {}, _ = other() => {} } }",
        "async fn f() { futures::future::join_all([\"x\"].iter().map(|x| async move { push_later(x).await })).await; }",
    ]);
}
