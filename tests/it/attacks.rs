//! What a hostile change would try, family by family: each small project comes with what must be said of it, and harmless
//! twins must stay silent. What is missed stands in `attacks/misses.txt` with its reason; what is found does not.

mod format;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use format::{ANYWHERE, Attack, Said, family};
use serde_json::Value;

use crate::support::{Project, Run, listed};

/// One test each; a file of the folder that is not listed here fails one, too.
macro_rules! families {
    ($($name:ident)*) => {
        const FAMILIES: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

families! {
    gates asked_about around attribution_fence_audit identifiers hidden_code text_to_code filler configuration changes indirect rust_code
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/attacks");
/// Files of the folder that hold no attacks.
const LISTS: [&str; 2] = ["misses", "before"];
const INCOMPLETE: i32 = 4;
/// Where the README has its table.
const TABLE: [&str; 2] = ["<!-- table -->\n", "<!-- end -->\n"];

/// What was expected, or why not.
type Verdict = Result<(), String>;

fn check(name: &str) {
    let misses = list("misses");
    let mut complaints = Vec::new();
    let mut found = BTreeSet::new();
    for attack in family(name) {
        match (run(&attack), misses.get(&attack.name)) {
            (Ok(()), Some(reason)) => {
                let how = "take it out of misses.txt (GATELINT_UPDATE=1 does)";
                complaints.push(format!("{}: found now, so {how}: {reason}", attack.name));
                found.insert(attack.name);
            }
            (Err(why), None) => complaints.push(format!("{}: {why}", attack.name)),
            (Ok(()), None) | (Err(_), Some(_)) => {}
        }
    }
    if std::env::var_os("GATELINT_UPDATE").is_some() {
        listed::take_out(&format!("{FOLDER}/misses.txt"), &found);
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Names of attacks, each with a reason.
fn list(file: &str) -> BTreeMap<String, String> {
    listed::read(&format!("{FOLDER}/{file}.txt"))
}

#[test]
fn every_family_is_run() {
    let files = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = files.filter_map(|file| Some(file.strip_suffix(".txt")?.to_owned()));
    let found: BTreeSet<String> = names.filter(|name| !LISTS.contains(&name.as_str())).collect();
    assert_eq!(found, FAMILIES.iter().map(|&name| name.to_owned()).collect());
}

/// A miss of an attack that does not exist would be believed for ever.
#[test]
fn every_listed_attack_exists() {
    let attacks: Vec<Attack> = FAMILIES.iter().flat_map(|name| family(name)).collect();
    let names: BTreeSet<&String> = attacks.iter().map(|attack| &attack.name).collect();
    assert_eq!(names.len(), attacks.len(), "two attacks have one name");
    for file in LISTS {
        let list = list(file);
        let stale: Vec<&String> = list.keys().filter(|name| !names.contains(name)).collect();
        assert!(stale.is_empty(), "{file}.txt: {stale:?}");
    }
}

#[test]
fn the_suite_is_as_large_as_it_says() {
    let attacks: Vec<Attack> = FAMILIES.iter().flat_map(|name| family(name)).collect();
    let (twins, attacks): (Vec<_>, Vec<_>) = attacks.iter().partition(|attack| attack.is_twin);
    assert!(attacks.len() >= 150 && twins.len() >= 50, "{} attacks, {} twins", attacks.len(), twins.len());
    let path = format!("{FOLDER}/README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (head, rest) = readme.split_once(TABLE[0]).unwrap();
    let (_, tail) = rest.split_once(TABLE[1]).unwrap();
    let fresh = format!("{head}{}{}{}{tail}", TABLE[0], table(), TABLE[1]);
    if std::env::var_os("GATELINT_UPDATE").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    assert!(readme == fresh, "the table is old: GATELINT_UPDATE=1 cargo test --test it attacks");
}

fn table() -> String {
    let before = list("before");
    let mut text = "| family | attacks | green before | twins |\n|---|--:|--:|--:|\n".to_owned();
    let mut total = [0; 3];
    for name in FAMILIES {
        let (twins, attacks): (Vec<_>, Vec<_>) = family(name).into_iter().partition(|attack| attack.is_twin);
        let green = attacks.iter().filter(|attack| before.contains_key(&attack.name)).count();
        let counts = [attacks.len(), green, twins.len()];
        row(&mut text, name, &counts);
        total = std::array::from_fn(|at| total[at] + counts[at]);
    }
    row(&mut text, "all", &total);
    text
}

fn row(text: &mut String, name: &str, counts: &[usize]) {
    let counts: Vec<_> = counts.iter().map(usize::to_string).collect();
    let _ = writeln!(text, "| {} | {} |", name.replace('_', " "), counts.join(" | "));
}

fn run(attack: &Attack) -> Verdict {
    let (code, stdout, stderr) = last_of(attack);
    let said = findings(&serde_json::from_str(&stdout).unwrap_or_default());
    let mut wrong = Vec::new();
    if !attack.exits.contains(&code) {
        wrong.push(format!("exit code {code}, not {:?}", attack.exits));
    }
    // What is said to be incomplete has been found out.
    if code != INCOMPLETE {
        let missing = attack.says.iter().filter(|must| !said.contains(must));
        wrong.extend(missing.map(|must| format!("no {must}")));
        if !attack.either.is_empty() && !attack.either.iter().any(|may| said.contains(may)) {
            let may: Vec<_> = attack.either.iter().map(Said::to_string).collect();
            wrong.push(format!("none of {}", may.join(", ")));
        }
    }
    let unnamed = attack.names.iter().filter(|text| !stdout.contains(*text) && !stderr.contains(*text));
    wrong.extend(unnamed.map(|text| format!("`{text}` is not named")));
    match wrong.is_empty() {
        true => Ok(()),
        false => {
            let said: Vec<_> = said.iter().filter(|said| said.2 != ANYWHERE).map(Said::to_string).collect();
            Err(format!("{}; said: {} {}", wrong.join(", "), said.join(", "), stderr.trim()))
        }
    }
}

fn findings(report: &Value) -> BTreeSet<Said> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = report["findings"].as_array().into_iter().flatten();
    let said = found.flat_map(|finding| {
        let (rule, at) = (text(&finding["rule"]), &finding["location"]);
        let line = at["start"]["line"].as_u64().unwrap_or_default();
        [ANYWHERE, line].map(|line| Said(rule.clone(), text(&at["path"]), line))
    });
    said.collect()
}

/// Exit code, output and errors of the last command.
fn last_of(attack: &Attack) -> (i32, String, String) {
    let project = Project::new(&[]);
    for (path, bytes) in &attack.files {
        project.write(path, bytes);
    }
    link(attack, project.path());
    let base = Project::new(&[]);
    for (path, bytes) in &attack.base {
        base.write(path, bytes);
    }
    let command = attack.run.replace("{base}", &base.path().to_string_lossy());
    let (before, last) = command.rsplit_once("; ").unwrap_or(("", &command));
    for command in before.split("; ").filter(|command| !command.is_empty()) {
        start(command, project.path());
    }
    for (path, text) in &attack.then {
        match text {
            Some(text) => project.write(path, text),
            None => fs::remove_file(project.path().join(path)).unwrap(),
        }
    }
    start(&format!("{last} --format json"), project.path())
}

fn start(command: &str, folder: &Path) -> (i32, String, String) {
    let args: Vec<&str> = command.split_whitespace().collect();
    let output = Run::new(&args).within(folder).command().output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[cfg(unix)]
fn link(attack: &Attack, root: &Path) {
    for (path, target) in &attack.links {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }
}

#[cfg(not(unix))]
fn link(_: &Attack, _: &Path) {}
