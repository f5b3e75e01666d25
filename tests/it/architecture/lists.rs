//! Lists of today that may only shrink: what is new fails, and so does what is listed and gone. One entry a line, in order;
//! `#` for people.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Compares what there is with a list beside this file. `instead` says what a new entry could have been.
pub fn only_shrinks(list: &str, found: &BTreeSet<String>, instead: &str) {
    let text = read(list);
    let listed: BTreeSet<&str> = text.lines().filter(|line| is_entry(line)).collect();
    if updates() {
        let kept: Vec<&str> = text.lines().filter(|line| !is_entry(line) || found.contains(*line)).collect();
        write(list, &(kept.join("\n") + "\n"));
    }
    let new = found.iter().filter(|entry| !listed.contains(entry.as_str()));
    let new = new.map(|entry| format!("{entry} is not in {list}; {instead}"));
    let gone = listed.iter().filter(|entry| !found.contains(**entry) && !updates());
    let gone = gone.map(|entry| format!("{entry} is gone; take it out of {list} ({UPDATE} does)"));
    super::none(new.chain(gone).collect());
}

/// Compares with a list that is made anew, or makes it.
pub fn is_fresh(list: &str, made: &str, complaints: impl FnOnce(&str) -> Vec<String>) {
    let text = read(list);
    match updates() {
        true => write(list, made),
        false if text != made => panic!("\n{}", complaints(&text).join("\n")),
        false => {}
    }
}

pub const UPDATE: &str = "GATELINT_UPDATE=1 cargo test architecture";

pub fn is_entry(line: &str) -> bool {
    !line.starts_with('#') && !line.is_empty()
}

fn updates() -> bool {
    std::env::var_os("GATELINT_UPDATE").is_some()
}

fn read(list: &str) -> String {
    fs::read_to_string(path(list)).unwrap()
}

fn write(list: &str, text: &str) {
    fs::write(path(list), text).unwrap();
}

fn path(list: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/it/architecture", list].iter().collect()
}
