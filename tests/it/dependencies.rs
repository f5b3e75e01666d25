//! gatelint cannot call anybody, start anything or load code, because nothing it is built from can. `deny.toml` lists the
//! crates that could; this holds where cargo-deny is not installed, and for the tests and benchmarks, too.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml::Table;

fn read(name: &str) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn texts(list: &toml::Value, key: &str) -> BTreeSet<String> {
    let entries = list.as_array().unwrap().iter();
    entries.map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn no_denied_crate_is_locked() {
    let denied = texts(&read("deny.toml")["bans"]["deny"], "crate");
    let locked = texts(&read("Cargo.lock")["package"], "name");
    assert!(denied.len() > 30 && locked.contains("tree-sitter"), "both files were read");
    let found: Vec<_> = denied.intersection(&locked).collect();
    assert!(found.is_empty(), "denied by deny.toml, but in Cargo.lock: {found:?}");
}
