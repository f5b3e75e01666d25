//! Whole projects of some files, put together from examples of rules: statements move into files that they share, and what a
//! file lacks it imports from where it is now. Some names it imports from where something else is: a guard from a file of
//! constants, a decorator or a base class from among the commands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::pieces::{Example, Files, Piece, words};

/// So many places are drawn for an example; one with more pieces uses them again.
const PLACES: usize = 24;
/// The files that examples share, without their endings.
const SHARED: [[&str; 2]; 4] = [
    ["settings", "guards"],
    ["atlas/settings", "atlas/tools"],
    ["communication/gate", "config"],
    ["src/handlers", "src/net"],
];

/// A file of few constants: most ids of other files mean nothing in it.
const CONSTANTS: &str = "constants.py";

/// A constant of an example.
#[derive(Clone, Debug)]
struct Constant {
    example: Arc<Example>,
    at: usize,
}

/// Where a statement goes. What comes first is what a failing project is made simpler by.
#[derive(Clone, Copy, Debug)]
enum Place {
    Nowhere,
    Home,
    Shared(usize),
}

/// A name of a file that is imported from another one, where it means something else.
#[derive(Clone, Copy, Debug)]
struct Swap {
    file: Index,
    name: Index,
    from: Index,
    export: Index,
}

/// How an import is written.
const STYLES: u8 = 3;

pub fn project(examples: Vec<Arc<Example>>) -> impl Strategy<Value = Files> {
    let place = prop_oneof![
        1 => Just(Place::Nowhere),
        7 => Just(Place::Home),
        4 => (0..2usize).prop_map(Place::Shared),
    ];
    let constant = |example: &Arc<Example>| {
        (0..example.constants.len()).map({
            let example = Arc::clone(example);
            move |at| Constant { example: Arc::clone(&example), at }
        })
    };
    let constants: Vec<Constant> = examples.iter().flat_map(constant).collect();
    let constants = vec(select(constants), 0..3);
    let (rust, python): (Vec<_>, Vec<_>) = examples.into_iter().partition(|example| example.is_rust);
    let taken = |examples: Vec<Arc<Example>>, place| vec((select(examples), vec(place, PLACES)), 1..4);
    let taken = prop_oneof![5 => taken(python, place.clone().boxed()), 1 => taken(rust, place.boxed())];
    let index = any::<Index>;
    let swap = (index(), index(), index(), index());
    let swap = swap.prop_map(|(file, name, from, export)| Swap { file, name, from, export });
    let swaps = vec(swap, 0..8);
    (taken, select(&SHARED[..]), constants, swaps, 0..STYLES).prop_map(
        |(taken, shared, constants, swaps, style)| {
            let mut project = Project { style, ..Project::default() };
            taken.iter().for_each(|(example, places)| project.take(example, places, shared));
            for Constant { example, at } in &constants {
                project.put(CONSTANTS.into(), example, &example.constants[*at]);
            }
            project.written(&swaps)
        },
    )
}

/// Modules of Rust lie beside the first file; those of Python wherever their name says.
fn shared_file(example: &Example, name: &str) -> Utf8PathBuf {
    let stem = name.rsplit('/').next().unwrap_or_default();
    match example.is_rust {
        true => example.pieces[0].home.with_file_name(format!("{stem}.rs")),
        false => format!("{name}.py").into(),
    }
}

#[derive(Default)]
struct Project {
    style: u8,
    files: BTreeMap<Utf8PathBuf, Module>,
    others: Files,
}

#[derive(Default)]
struct Module {
    imports: BTreeSet<String>,
    texts: Vec<String>,
    /// The names that imports bind.
    imported: BTreeSet<String>,
    /// The names that are defined here.
    defined: BTreeSet<String>,
}

impl Module {
    fn add(&mut self, piece: &Piece) {
        let names = if piece.is_import { &mut self.imported } else { &mut self.defined };
        names.extend(piece.binds.iter().cloned());
        match piece.is_import {
            true => drop(self.imports.insert(piece.text.clone())),
            false => self.texts.push(piece.text.clone()),
        }
    }

    fn uses(&self) -> BTreeSet<&str> {
        self.texts.iter().flat_map(|text| words(text)).collect()
    }

    /// What others can import from here.
    fn exports(&self) -> Vec<&String> {
        let all = if self.defined.is_empty() { &self.imported } else { &self.defined };
        all.iter().collect()
    }
}

impl Project {
    /// What a statement needs comes with it, also where it moves.
    fn take(&mut self, example: &Example, places: &[Place], shared: [&str; 2]) {
        let shared = shared.map(|name| shared_file(example, name));
        let bodies = example.pieces.iter().filter(|piece| !piece.is_import);
        for (piece, place) in bodies.zip(places.iter().cycle()) {
            match *place {
                Place::Nowhere => {}
                Place::Home => self.put(&piece.home, example, piece),
                Place::Shared(at) => self.put(&shared[at], example, piece),
            }
        }
        for (path, text) in &example.others {
            self.others.entry(path.clone()).or_insert_with(|| text.clone());
        }
    }

    fn put(&mut self, path: &Utf8Path, example: &Example, piece: &Piece) {
        let module = self.files.entry(path.to_owned()).or_default();
        module.add(piece);
        example.imports_for(&piece.home, &piece.text).into_iter().for_each(|import| module.add(import));
    }

    fn written(self, swaps: &[Swap]) -> Files {
        let paths: Vec<&Utf8PathBuf> = self.files.keys().collect();
        let mut imports: BTreeMap<&Utf8Path, String> = BTreeMap::new();
        let mut import = |to, from: &Utf8Path, export: &str, name: &str| {
            *imports.entry(to).or_default() += &self.import(from, export, name);
        };
        for path in &paths {
            self.lacks(path).into_iter().for_each(|(from, name)| import(path.as_path(), from, name, name));
        }
        for Swap { file, name, from, export } in swaps.iter().filter(|_| paths.len() > 1) {
            let (to, from) = (paths[file.index(paths.len())], paths[from.index(paths.len())]);
            let lacking = self.lacks(to).into_iter().map(|(_, name)| name);
            let names: Vec<&str> =
                self.files[to].imported.iter().map(String::as_str).chain(lacking).collect();
            let exports = self.files[from].exports();
            let is_between = to != from && to.extension() == from.extension();
            if is_between && !names.is_empty() && !exports.is_empty() {
                import(
                    to.as_path(),
                    from,
                    exports[export.index(exports.len())],
                    names[name.index(names.len())],
                );
            }
        }
        let text = |(path, module): (&Utf8PathBuf, &Module)| {
            let own: String = module.imports.iter().map(String::as_str).collect();
            let more = imports.get(&**path).map_or("", String::as_str);
            (path.clone(), format!("{own}{more}\n{}", module.texts.join("\n")))
        };
        let mut files: Files = self.files.iter().map(text).collect();
        self.declare_modules(&mut files);
        let mut all = self.others;
        all.append(&mut files);
        all
    }

    /// What a file uses and others define, each name with the first of them. Constants of functions are called like any
    /// variable, so their file neither lacks nor gives anything.
    fn lacks(&self, path: &Utf8Path) -> Vec<(&Utf8Path, &str)> {
        let module = &self.files[path];
        let others = || {
            self.files.iter().filter(|(other, _)| {
                **other != path && *other != CONSTANTS && other.extension() == path.extension()
            })
        };
        let used =
            module.uses().into_iter().filter(|name| path != CONSTANTS && !module.defined.contains(*name));
        let owner = |name: &str| {
            others().find_map(|(other, from)| Some((&**other, from.defined.get(name)?.as_str())))
        };
        used.filter_map(owner).collect()
    }

    fn import(&self, from: &Utf8Path, export: &str, name: &str) -> String {
        let module = from.with_extension("");
        let module = module.as_str().trim_end_matches("/__init__").trim_end_matches("/mod");
        if from.extension() == Some("rs") {
            let module = module.trim_start_matches("src/").replace('/', "::");
            return match self.style {
                0 => format!("use crate::{module}::{export} as {name};\n"),
                1 => format!("use crate::{module}::*;\nuse {export} as {name};\n"),
                _ => format!("use crate::{module};\nuse {module}::{{{export} as {name}}};\n"),
            };
        }
        let module = module.replace('/', ".");
        match self.style {
            0 => format!("from {module} import {export} as {name}\n"),
            1 => format!("import {module}\n{name} = {module}.{export}\n"),
            _ => format!("from {module} import *\n{name} = {export}\n"),
        }
    }

    /// A root of Rust says which files beside it are its modules.
    fn declare_modules(&self, files: &mut Files) {
        let of_rust: Vec<&Utf8PathBuf> =
            self.files.keys().filter(|path| path.extension() == Some("rs")).collect();
        let is_root = |path: &&&Utf8PathBuf| matches!(path.file_stem(), Some("agent" | "lib" | "main"));
        let Some(&root) = of_rust.iter().find(is_root).or(of_rust.first()) else { return };
        let beside = of_rust.iter().filter(|path| **path != root && path.parent() == root.parent());
        let modules: String =
            beside.flat_map(|path| path.file_stem()).map(|name| format!("mod {name};\n")).collect();
        *files.entry(root.clone()).or_default() += &modules;
    }
}
