//! What a project hands to people as programs, and how it is called: its manifests say so, and files that run by their place.
//! A manifest that cannot be read says nothing.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use toml::{Table, Value};

use crate::config::{Layer, Layers};
use crate::link::MAIN;
use crate::source::{self, Discovered, LANGUAGES, SourceFile};

/// A manifest is written by hand.
const MAX_BYTES: u64 = 4 << 20;
/// Where `pyproject.toml` lists programs.
const SCRIPTS: [&[&str]; 3] =
    [&["project", "scripts"], &["project", "gui-scripts"], &["tool", "poetry", "scripts"]];
/// The same in `setup.cfg`.
const CONSOLE: [&str; 2] = ["console_scripts", "gui_scripts"];

/// A program, by what says that it is one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Program {
    /// `of pyproject.toml`, for a reason.
    pub said: &'static str,
    pub name: String,
}

/// What the manifests of a tree say.
#[derive(Debug, Default)]
pub struct Manifests {
    /// By the file that a program begins in.
    pub programs: BTreeMap<Utf8PathBuf, BTreeSet<Program>>,
    /// How the project and its parts are called.
    pub names: BTreeSet<String>,
}

impl Manifests {
    /// Those beside the files that were found, without those of tests.
    pub fn read(root: &Utf8Path, found: &Discovered) -> Self {
        let mut reader = Reader { files: &found.files, said: Self::default() };
        let folders = found.files.iter().flat_map(|file| file.path.ancestors().skip(1));
        let folders: BTreeSet<&Utf8Path> = folders.filter(|folder| !is_of_tests(folder)).collect();
        for folder in folders {
            let text = |name| source::read_text(root.join(folder).join(name).as_std_path(), MAX_BYTES);
            text("pyproject.toml").into_iter().for_each(|text| reader.pyproject(folder, &text));
            text("setup.cfg").into_iter().for_each(|text| reader.setup(folder, &text));
        }
        for (id, path) in found.manifests.iter() {
            let folder = path.parent().unwrap_or(Utf8Path::new(""));
            if let Some(file) = found.manifests.read(id).filter(|_| !is_of_tests(folder)) {
                reader.crate_of(folder, &file.text);
            }
        }
        reader.run_by_place();
        reader.said
    }
}

fn is_of_tests(folder: &Utf8Path) -> bool {
    Layers::default().of(&folder.join("x")).contains(Layer::Test)
}

struct Reader<'f> {
    files: &'f [SourceFile],
    said: Manifests,
}

impl Reader<'_> {
    fn pyproject(&mut self, folder: &Utf8Path, text: &str) {
        let Ok(table) = text.parse::<Table>() else { return };
        for path in [&["project", "name"][..], &["tool", "poetry", "name"]] {
            self.said.names.extend(at(&table, path).and_then(Value::as_str).map(str::to_owned));
        }
        let scripts = SCRIPTS.iter().filter_map(|path| at(&table, path)?.as_table());
        for (name, target) in scripts.flatten() {
            let target = target.as_str().or_else(|| target.get("reference")?.as_str());
            self.script(folder, "of pyproject.toml", name, target.unwrap_or_default());
        }
    }

    fn setup(&mut self, folder: &Utf8Path, text: &str) {
        let (mut section, mut key) = ("", "");
        for line in text.lines() {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            let (name, value) = (name.trim(), value.trim());
            if let Some(head) = line.strip_prefix('[') {
                (section, key) = (head.trim_end().trim_end_matches(']'), "");
            } else if !line.starts_with([' ', '\t']) {
                key = name;
                let is_name = section == "metadata" && key == "name" && !value.is_empty();
                self.said.names.extend(is_name.then(|| value.to_owned()));
            } else if section == "options.entry_points" && CONSOLE.contains(&key) {
                self.script(folder, "of setup.cfg", name, value);
            }
        }
    }

    /// `app.cli:main` begins in the file of the module; of several the one nearest to the manifest.
    fn script(&mut self, folder: &Utf8Path, said: &'static str, name: &str, target: &str) {
        let module = target.split([':', '[']).next().unwrap_or_default().trim();
        if module.is_empty() {
            return;
        }
        let named = Utf8PathBuf::from(module.replace('.', "/"));
        let files = self.files.iter().map(|file| &file.path);
        let files = files.filter(|path| path.starts_with(folder) && is_module(path, &named));
        let found = files.min_by_key(|path| (path.components().count(), *path)).cloned();
        self.add(found, said, name);
    }

    /// The binaries of a crate: those that its manifest lists, and those that lie where binaries do.
    fn crate_of(&mut self, folder: &Utf8Path, text: &str) {
        let Ok(table) = text.parse::<Table>() else { return };
        let Some(package) = at(&table, &["package", "name"]).and_then(Value::as_str) else { return };
        self.said.names.insert(package.to_owned());
        let listed = table.get("bin").and_then(Value::as_array).into_iter().flatten();
        let listed: BTreeMap<&str, &str> = listed
            .filter_map(|bin| {
                Some((bin.get("path")?.as_str()?.trim_start_matches("./"), bin.get("name")?.as_str()?))
            })
            .collect();
        for file in self.files {
            let Ok(inside) = file.path.strip_prefix(folder) else { continue };
            let name = listed.get(inside.as_str()).copied().or_else(|| binary(inside, package));
            if let Some(name) = name {
                self.add(Some(file.path.clone()), "of Cargo.toml", name);
            }
        }
    }

    /// A folder that runs as a whole.
    fn run_by_place(&mut self) {
        for file in self.files.iter().filter(|file| file.path.file_name() == Some(MAIN)) {
            let name = file.path.parent().and_then(Utf8Path::file_name).unwrap_or(MAIN);
            self.add(Some(file.path.clone()), "run by its folder", name);
        }
    }

    fn add(&mut self, file: Option<Utf8PathBuf>, said: &'static str, name: &str) {
        if let Some(file) = file {
            let program = Program { said, name: name.to_owned() };
            self.said.programs.entry(file).or_default().insert(program);
        }
    }
}

fn at<'t>(table: &'t Table, path: &[&str]) -> Option<&'t Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
}

/// The name of the binary that a file of a package is, by where it lies.
fn binary<'n>(inside: &'n Utf8Path, package: &'n str) -> Option<&'n str> {
    let path = inside.as_str();
    if path == "src/main.rs" {
        return Some(package);
    }
    let name = path.strip_prefix("src/bin/")?;
    let name = name.strip_suffix("/main.rs").or_else(|| name.strip_suffix(".rs"))?;
    (!name.contains('/')).then_some(name)
}

/// A file of a language in which a text names a module, by the path that the name stands for.
fn is_module(path: &Utf8Path, named: &Utf8Path) -> bool {
    let mut languages = LANGUAGES.iter().filter(|known| known.lang.profile().loads_by_name);
    let is_known = languages
        .any(|known| path.extension().is_some_and(|extension| known.extensions.contains(&extension)));
    is_known && path.with_extension("").ends_with(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[&str], manifest: impl Fn(&mut Reader<'_>)) -> Vec<(String, String)> {
        let files: Vec<SourceFile> =
            files.iter().map(|path| SourceFile::new(Utf8PathBuf::from(path), String::new())).collect();
        let mut reader = Reader { files: &files, said: Manifests::default() };
        manifest(&mut reader);
        let programs = reader.said.programs.into_iter();
        let all = programs.flat_map(|(path, found)| found.into_iter().map(move |one| (path.clone(), one)));
        all.map(|(path, program)| (path.to_string(), program.name)).collect()
    }

    fn pair(path: &str, name: &str) -> (String, String) {
        (path.to_owned(), name.to_owned())
    }

    #[test]
    fn programs_are_found_by_the_modules_that_they_begin_in() {
        let files = ["app/cli.py", "lib/app/cli.py", "app/serve.py"];
        let poetry = "[tool.poetry.scripts]\na = \"app.cli:main\"\nb = { reference = \"app.serve:x\" }\n";
        let found = read(&files, |reader| reader.pyproject("".into(), poetry));
        assert_eq!(found, [pair("app/cli.py", "a"), pair("app/serve.py", "b")]);
        let setup = "[metadata]\nname = app\n[options.entry_points]\nconsole_scripts =\n    a = app.cli:main\n\
                     plugins =\n    c = app.serve:x\n";
        let found = read(&files, |reader| reader.setup("".into(), setup));
        assert_eq!(found, [pair("app/cli.py", "a")]);
        let found = read(&files, |reader| reader.setup("lib".into(), setup));
        assert_eq!(found, [pair("lib/app/cli.py", "a")]);
    }

    #[test]
    fn binaries_of_a_crate_are_listed_or_lie_where_binaries_do() {
        let files = ["a/src/main.rs", "a/src/bin/b.rs", "a/src/bin/c/main.rs", "a/src/bin/c/d.rs", "a/e.rs"];
        let manifest = "[package]\nname = \"a\"\n[[bin]]\nname = \"e\"\npath = \"./e.rs\"\n";
        let found = read(&files, |reader| reader.crate_of("a".into(), manifest));
        let binaries = [
            pair("a/e.rs", "e"),
            pair("a/src/bin/b.rs", "b"),
            pair("a/src/bin/c/main.rs", "c"),
            pair("a/src/main.rs", "a"),
        ];
        assert_eq!(found, binaries);
        assert!(read(&files, |reader| reader.crate_of("a".into(), "[workspace]\n")).is_empty());
    }
}
