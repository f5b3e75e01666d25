//! What code runs or imports that is no part of the program: files by their path, folders in which imports are looked for,
//! files that imports lead to, and calls of which only the run knows what they load.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::edge::Load;
use super::loads::Paths;
use super::program::Program;
use crate::ir::{Imported, When};
use crate::source::FileId;

impl Program<'_> {
    /// The files that production code runs by their path and that are no part of the program.
    pub fn unread_loads(&self) -> impl Iterator<Item = (&Utf8Path, FileId)> {
        let paths = Paths::new(&self.index, self.hierarchy());
        let in_production = self.loads.iter().filter(|load| !self.is_test_code(load.from));
        let named = in_production.filter_map(|load| Some((load.path.as_deref()?, load.at.file)));
        named.filter(move |(path, _)| paths.file_at(path).is_none())
    }

    /// Calls of which only the run knows what they load.
    pub fn open_loads(&self) -> impl Iterator<Item = &Load> {
        self.loads.iter().filter(|load| load.path.is_none())
    }

    /// The files that imports of production code load if they are there, each with an importing file. `hints` are names of
    /// modules and folders: what holds none of them is not asked for.
    pub fn wanted_files(&self, hints: Option<&BTreeSet<&str>>) -> Vec<(Utf8PathBuf, FileId)> {
        let mut found = BTreeMap::new();
        let files = self.index.units.iter().enumerate().filter(|(_, unit)| !unit.is_test);
        for (file, unit) in files {
            let imports = unit.facts.imports().iter().filter(|import| import.when != When::TypeOnly);
            for import in imports {
                let name = match import.what {
                    Imported::Name(name) => unit.facts.str(name),
                    Imported::Root | Imported::Module | Imported::Star => "",
                };
                let path = unit.facts.str(import.path);
                let mut parts = path.split('.').chain([name]);
                if hints.is_some_and(|hints| !parts.any(|part| hints.contains(part))) {
                    continue;
                }
                let dotted = format!("{path}.{name}");
                let paths = self.index.modules.files(file, import.level, dotted.trim_matches('.'));
                for path in paths {
                    found.entry(path.into_string()).or_insert(FileId(file as u32));
                }
            }
        }
        found.into_iter().map(|(path, by)| (path.into(), by)).collect()
    }
}
