//! One project under `fixtures/`: read from the disk like a user's, all rules at once. Its lines say in a trailing comment
//! which rules must report there: `# error: GL101, GL102`. `# later: GL301` waits for a rule that does not exist yet. A project
//! that a document shows has no such comments; its marks stand in `marks/`, a line each: `notes.py:17: GL103, GL412`.

use camino::{Utf8Path, Utf8PathBuf};
use gatelint::config::{self, Config, ConfigOptions, Layers};
use gatelint::source::{self, DiscoverOptions, Discovered, SourceFile};

use gatelint::harness::{Comparison, Engine, Expected, Mark, compare};

use crate::rewrite::Files;

const MARK: &str = "# error: ";
const MISS: &str = "# todo-error: ";
const LISTS: &str = "tests/corpus/marks";

/// Every project, sorted by name.
pub fn folders() -> Vec<Utf8PathBuf> {
    let fixtures = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries =
        fixtures.read_dir_utf8().map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
    let mut folders: Vec<_> =
        entries.into_iter().map(|entry| entry.path().to_owned()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// What its files expect, and its layers.
pub fn read(folder: &Utf8Path) -> (Expected, Layers) {
    let (found, config) = discovered(folder);
    let files = found.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect();
    (expected(files), config.layers)
}

/// With `files` in place of those on the disk.
pub fn check(engine: &Engine, folder: &Utf8Path, files: &Files) -> Comparison {
    let (mut found, config) = discovered(folder);
    found.files = files.iter().map(|(path, text)| SourceFile::new(path.clone(), text.clone())).collect();
    let mut expected = expected(files.clone());
    listed(&list(folder).unwrap_or_default(), &mut expected);
    compare(expected, &engine.run(found, &config, None, engine.rules.clone()))
}

/// The marks of a project without comments. Nothing moves them with the code, so such a project is not rewritten.
pub fn list(folder: &Utf8Path) -> Option<String> {
    let name = folder.file_name()?;
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(LISTS).join(format!("{name}.txt"))).ok()
}

fn discovered(folder: &Utf8Path) -> (Discovered, Config) {
    let roots = source::resolve(&[folder.to_owned()]).expect("a fixture is a folder");
    let config = config::load(&roots[0], &ConfigOptions::default()).expect("its configuration is valid");
    let options = DiscoverOptions {
        exclude: config.exclude.clone(),
        watched: config.prompts.clone(),
        ..DiscoverOptions::default()
    };
    (source::discover(&roots, &config.root, &options).expect("a fixture can be read"), config)
}

fn expected(files: Files) -> Expected {
    let mut expected = Expected::default();
    for (path, text) in &files {
        marks(path, text, &mut expected);
    }
    expected.files = files;
    expected
}

fn marks(path: &Utf8Path, text: &str, expected: &mut Expected) {
    for (line, code) in (1..).zip(text.lines()) {
        let Expected { errors, misses, unreadable, .. } = expected;
        for (start, marks) in [(MARK, errors), (MISS, misses)] {
            let Some((_, rules)) = code.split_once(start) else { continue };
            for rule in rules.split(',').map(str::trim) {
                if !rule.starts_with("GL") {
                    unreadable.push(format!("{path}:{line}: `{rule}` is no rule"));
                }
                marks.insert(Mark { path: path.to_owned(), line, rule: rule.to_owned() });
            }
        }
    }
}

/// `path:line: rule, rule`, as `concise` begins.
fn listed(list: &str, expected: &mut Expected) {
    for entry in list.lines() {
        let mut parts = entry.splitn(3, ':');
        let (path, line, rules) = (parts.next(), parts.next().and_then(|at| at.parse().ok()), parts.next());
        let (Some(path), Some(line), Some(rules)) = (path, line, rules) else {
            expected.unreadable.push(format!("`{entry}` is no mark"));
            continue;
        };
        for rule in rules.split(',').map(str::trim) {
            expected.errors.insert(Mark { path: path.into(), line, rule: rule.to_owned() });
        }
    }
}
