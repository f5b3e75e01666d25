//! Module names from the packages on disk, and which file an import means. A folder with `__init__` is a package; above
//! the topmost package stands an import root. An absolute import is looked for below the importing file's own root first,
//! so a near copy of a package beside it is never merged with it.

mod files;

use std::collections::HashMap;

use camino::Utf8Path;

use super::crates::Crates;
use super::folders::{ancestors, join};
use super::ids::{FileIndex, Module};
use crate::catalog::Catalog;

#[derive(Debug)]
pub struct Modules<'c> {
    pub(super) catalog: &'c Catalog,
    /// The project root's own name: with an `__init__` in it, the root is itself a package.
    root_name: Option<&'c str>,
    /// `a/b/c` for `a/b/c.py` and for `a/b/c/__init__.py`; the package wins.
    by_path: HashMap<String, Module>,
    folders: Vec<String>,
    /// The import root of each file, `""` or `src`, without a slash at the end.
    pub(super) roots: Vec<String>,
    /// The path of each module below its root, with slashes; a package's is its folder.
    places: Vec<String>,
    pub(super) is_package: Vec<bool>,
    in_package: Vec<bool>,
    /// Every import root that holds a package, sorted.
    package_roots: Vec<String>,
    /// What the files of Rust are modules of; nothing of the above is said of them.
    pub(super) crates: Crates,
}

impl<'c> Modules<'c> {
    /// `paths` are the project's files, relative to its root, by file index.
    pub fn new<'a>(
        paths: impl Iterator<Item = &'a Utf8Path>,
        crates: Crates,
        root_name: Option<&'c str>,
        catalog: &'c Catalog,
    ) -> Self {
        let paths: Vec<&Utf8Path> = paths.collect();
        let packages: std::collections::HashSet<&str> = paths
            .iter()
            .filter(|path| path.file_stem() == Some("__init__"))
            .filter_map(|path| path.parent().map(Utf8Path::as_str))
            .collect();
        let mut modules = Modules {
            catalog,
            root_name: root_name.filter(|_| packages.contains("")),
            by_path: HashMap::new(),
            folders: Vec::new(),
            roots: Vec::new(),
            places: Vec::new(),
            is_package: Vec::new(),
            in_package: Vec::new(),
            package_roots: Vec::new(),
            crates,
        };
        for (file, path) in paths.iter().enumerate() {
            modules.add(file, path, &packages);
        }
        for (file, path) in paths.iter().enumerate() {
            if !modules.crates.holds(file) {
                modules.add_folders(path);
            }
        }
        modules.package_roots.sort_unstable();
        modules.package_roots.dedup();
        modules
    }

    fn add(&mut self, file: FileIndex, path: &Utf8Path, packages: &std::collections::HashSet<&str>) {
        let folder = path.parent().map_or("", Utf8Path::as_str);
        let is_package = path.file_stem() == Some("__init__");
        let place = if is_package { folder.to_owned() } else { path.with_extension("").into_string() };
        let root = import_root(folder, packages);
        if packages.contains(folder) {
            self.package_roots.push(root.to_owned());
        }
        // A script of another name is a program, and no import finds it.
        let is_module = matches!(path.extension(), Some("py" | "pyw"));
        let is_known = self.by_path.contains_key(&place) || self.crates.holds(file) || !is_module;
        if is_package || !is_known {
            self.by_path.insert(place.clone(), Module::File(file));
        }
        self.roots.push(root.to_owned());
        self.places.push(place);
        self.is_package.push(is_package);
        self.in_package.push(packages.contains(folder));
    }

    fn add_folders(&mut self, path: &Utf8Path) {
        for folder in path.ancestors().skip(1).map(Utf8Path::as_str).take_while(|f| !f.is_empty()) {
            if !self.by_path.contains_key(folder) {
                let id = self.folders.len() as u32;
                self.folders.push(folder.to_owned());
                self.by_path.insert(folder.to_owned(), Module::Namespace(id));
            }
        }
    }

    /// The dotted name by which the project speaks of the file: from its import root if it is part of a package, else
    /// from the project's root or its source folder.
    pub fn dotted(&self, file: FileIndex) -> String {
        if let Some(dotted) = self.crates.dotted(file) {
            return dotted;
        }
        let place = &self.places[file];
        let root = if self.in_package[file] { self.roots[file].as_str() } else { "" };
        let below = place.strip_prefix(root).unwrap_or(place).trim_start_matches('/');
        let source = ["src/", "lib/"].iter().find_map(|prefix| below.strip_prefix(prefix));
        let dotted = source.unwrap_or(below).replace('/', ".");
        match self.root_name.filter(|_| root.is_empty()) {
            Some(name) if dotted.is_empty() => name.to_owned(),
            Some(name) => format!("{name}.{dotted}"),
            None => dotted,
        }
    }

    /// The module `dotted` as imported by `file` with `level` leading dots; an empty `dotted` is the package itself.
    ///
    /// Rust's paths go through names as well, which are looked up elsewhere.
    pub fn resolve(&self, file: FileIndex, level: u8, dotted: &str) -> Option<Module> {
        if self.crates.holds(file) {
            return None;
        }
        if level > 0 {
            return self.below(&self.anchor(file, level)?, dotted);
        }
        let (first, rest) = dotted.split_once('.').unwrap_or((dotted, ""));
        if self.root_name == Some(first) {
            return self.below("", rest);
        }
        let own = self.roots[file].as_str();
        let mut namespace = None;
        for root in ancestors(own).flat_map(|root| [root.to_owned(), join(root, "src")]) {
            match self.at(&join(&root, first)) {
                // A regular package or module is final: what it lacks is not looked for elsewhere.
                Some(Module::File(found)) if self.may_shadow(found, &root, own) => {
                    return self.below(&root, dotted);
                }
                // The language's own package comes before any folder without `__init__`.
                Some(Module::Namespace(_)) if self.catalog.standard_modules.contains(first) => {}
                Some(Module::Namespace(_)) => match self.below(&root, dotted) {
                    Some(Module::File(found)) => return Some(Module::File(found)),
                    other => namespace = namespace.or(other),
                },
                _ => {}
            }
        }
        if let Some(found) = self.in_added_root(first, dotted) {
            return Some(found);
        }
        let near = (!self.catalog.is_library(first)).then(|| self.resolve_near(own, first, dotted));
        near.flatten().or(namespace)
    }

    /// A package below another import root: the one that shares most of its path with the importing file's.
    fn resolve_near(&self, own: &str, first: &str, dotted: &str) -> Option<Module> {
        let near = self.package_roots.iter().filter(|root| self.is_file_package(&join(root, first)));
        let best = near.max_by_key(|root| (common_prefix(root, own), std::cmp::Reverse(root.as_str())))?;
        self.below(best, dotted)
    }

    /// The package that `segments` dotted segments ending in `module` start with.
    pub fn root_of(&self, module: Module, segments: usize) -> Option<Module> {
        let mut place = match module {
            Module::File(file) => self.places[file].as_str(),
            Module::Namespace(folder) => self.folders[folder as usize].as_str(),
        };
        for _ in 1..segments {
            place = place.rsplit_once('/')?.0;
        }
        self.at(place)
    }

    /// A module or sub-package below an already resolved one.
    pub fn child(&self, module: Module, name: &str) -> Option<Module> {
        let place = match module {
            Module::File(file) if self.crates.holds(file) => {
                return self.crates.child(file, name).map(Module::File);
            }
            Module::File(file) if self.is_package[file] => &self.places[file],
            Module::File(_) => return None,
            Module::Namespace(folder) => &self.folders[folder as usize],
        };
        self.at(&join(place, name))
    }

    /// The folder that `level` dots mean; `None` if they lead out of the project.
    pub(super) fn anchor(&self, file: FileIndex, level: u8) -> Option<String> {
        let mut place = self.places[file].as_str();
        let ups = usize::from(level) - usize::from(self.is_package[file]);
        for _ in 0..ups {
            place = match place.rsplit_once('/') {
                Some((parent, _)) => parent,
                None if place.is_empty() => return None,
                None => "",
            };
        }
        Some(place.to_owned())
    }

    fn below(&self, root: &str, dotted: &str) -> Option<Module> {
        if dotted.is_empty() {
            return self.at(root);
        }
        self.at(&join(root, &dotted.replace('.', "/")))
    }

    /// A module shadows a library of its name only where Python looks before the library: in the importing file's own
    /// root; a name that is not the language's own, also from the top of the project or from `src`. Anything else would
    /// let a folder somewhere in the tree hide every use of a library.
    fn may_shadow(&self, found: FileIndex, root: &str, own: &str) -> bool {
        if root == own {
            return true;
        }
        let name = self.places[found].rsplit('/').next().unwrap_or_default();
        if self.catalog.standard_modules.contains(name) {
            return false;
        }
        let is_top = root.is_empty() || root.ends_with("src");
        is_top || (self.is_package[found] && !self.catalog.is_library(name))
    }

    fn is_file_package(&self, place: &str) -> bool {
        matches!(self.at(place), Some(Module::File(file)) if self.is_package[file])
    }
}

/// The folder above the topmost package that `folder` belongs to; `folder` itself if it is no package.
fn import_root<'a>(folder: &'a str, packages: &std::collections::HashSet<&str>) -> &'a str {
    ancestors(folder).find(|candidate| !packages.contains(candidate)).unwrap_or("")
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn catalog() -> &'static Catalog {
        static CATALOG: crate::parallel::Lazy<Catalog> = crate::parallel::Lazy::new();
        CATALOG.of(|| {
            let text = "[builtins]\nmodules = [\"subprocess\"]\n\
                        [[effect]]\nkind = \"network\"\ncall = [\"requests.get\"]\n";
            Catalog::load([("test", text)]).expect("it is valid")
        })
    }

    fn modules(paths: &[&str]) -> Modules<'static> {
        Modules::new(
            paths.iter().map(|path| Utf8Path::new(*path)),
            Crates::default(),
            Some("project"),
            catalog(),
        )
    }

    /// The path that an absolute import in the first file leads to.
    fn import<'p>(paths: &[&'p str], dotted: &str) -> Option<&'p str> {
        match modules(paths).resolve(0, 0, dotted) {
            Some(Module::File(file)) => Some(paths[file]),
            _ => None,
        }
    }

    #[test]
    fn a_package_is_found_from_inside_and_from_a_script_beside_it() {
        assert_eq!(import(&["app/a.py", "app/__init__.py", "app/b.py"], "app.b"), Some("app/b.py"));
        assert_eq!(import(&["run.py", "app/__init__.py", "app/b.py"], "app.b"), Some("app/b.py"));
        assert_eq!(import(&["tools/run.py", "app/__init__.py", "app/b.py"], "app"), Some("app/__init__.py"));
    }

    #[test]
    fn a_source_folder_is_an_import_root() {
        assert_eq!(import(&["run.py", "src/app/__init__.py"], "app"), Some("src/app/__init__.py"));
        assert_eq!(import(&["src/app/a.py", "src/app/b.py"], "app.b"), Some("src/app/b.py"));
        assert_eq!(modules(&["src/app/b.py"]).dotted(0), "app.b");
    }

    #[test]
    fn a_near_copy_of_the_package_is_not_merged() {
        let paths = ["os/app/a.py", "os/app/__init__.py", "os/app/b.py", "app/__init__.py", "app/b.py"];
        assert_eq!(import(&paths, "app.b"), Some("os/app/b.py"));
        let paths = ["app/a.py", "app/__init__.py", "app/b.py", "os/app/__init__.py", "os/app/b.py"];
        assert_eq!(import(&paths, "app.b"), Some("app/b.py"));
    }

    #[test]
    fn a_folder_of_scripts_shadows_no_library_from_afar() {
        assert_eq!(import(&["app/a.py", "app/__init__.py", "scripts/requests.py"], "requests"), None);
        assert_eq!(import(&["scripts/a.py", "scripts/requests.py"], "requests"), Some("scripts/requests.py"));
        assert_eq!(import(&["run.py", "docker/build.py"], "docker"), None);
        assert_eq!(import(&["run.py", "docker/build.py"], "docker.build"), Some("docker/build.py"));
    }

    #[test]
    fn a_folder_elsewhere_takes_no_name_of_a_library() {
        assert_eq!(
            import(&["app/a.py", "app/__init__.py", "docs/subprocess/__init__.py"], "subprocess"),
            None
        );
        assert_eq!(import(&["app/a.py", "app/__init__.py", "docs/requests/__init__.py"], "requests"), None);
        assert_eq!(import(&["app/cloud/a.py", "app/subprocess/__init__.py"], "subprocess"), None);
        assert_eq!(import(&["a.py", "subprocess/run.py"], "subprocess.run"), None, "a folder is no package");
        let own = ["app/a.py", "app/__init__.py", "subprocess/__init__.py"];
        assert_eq!(import(&own, "subprocess"), Some(own[2]), "Python looks into the own root first");
        let top = ["scripts/a.py", "requests/__init__.py"];
        assert_eq!(import(&top, "requests"), Some(top[1]), "a package at the top is the project's");
        let other = ["run/a.py", "lib/tools/__init__.py"];
        assert_eq!(import(&other, "tools"), Some(other[1]), "no library has this name");
    }

    #[test]
    fn a_root_that_is_a_package_has_the_name_of_its_folder() {
        let paths = ["a.py", "__init__.py", "sub/__init__.py", "sub/b.py"];
        assert_eq!(import(&paths, "project.sub.b"), Some("sub/b.py"));
        assert_eq!(import(&paths, "project"), Some("__init__.py"));
        assert_eq!(modules(&paths).dotted(3), "project.sub.b");
        assert_eq!(modules(&paths).dotted(1), "project");
        assert_eq!(
            import(&["a.py", "sub/b.py"], "project.sub.b"),
            None,
            "a root without `__init__` has no name"
        );
    }

    #[test]
    fn dots_count_from_the_package() {
        let modules = modules(&["a/b/c.py", "a/b/__init__.py", "a/b/d.py", "a/__init__.py", "a/e.py"]);
        assert_eq!(modules.resolve(0, 1, "d"), Some(Module::File(2)));
        assert_eq!(modules.resolve(0, 1, ""), Some(Module::File(1)));
        assert_eq!(modules.resolve(0, 2, "e"), Some(Module::File(4)));
        assert_eq!(modules.resolve(1, 1, "d"), Some(Module::File(2)), "`__init__` is the package itself");
        assert_eq!(modules.resolve(0, 5, "e"), None, "beyond the project");
    }

    proptest! {
        #[test]
        fn every_module_is_found_by_its_own_name(names in prop::collection::btree_set("[ab]{1,2}(/[ab]{1,2}){0,3}", 1..8)) {
            let paths: Vec<String> = names.iter().map(|name| format!("pkg/{name}.py")).collect();
            let folders: std::collections::BTreeSet<&Utf8Path> =
                paths.iter().flat_map(|path| Utf8Path::new(path).ancestors().skip(1)).filter(|f| !f.as_str().is_empty()).collect();
            let mut all: Vec<String> = folders.iter().map(|folder| format!("{folder}/__init__.py")).collect();
            all.extend(paths.iter().cloned());
            let modules = Modules::new(all.iter().map(Utf8Path::new), Crates::default(), None, catalog());
            for (file, path) in all.iter().enumerate() {
                let found = modules.resolve(0, 0, &modules.dotted(file));
                let Some(Module::File(found)) = found else { panic!("{path} is not found") };
                // A package hides a module of its name.
                let hidden = all.contains(&path.replace(".py", "/__init__.py"));
                prop_assert!(found == file || hidden);
            }
        }
    }
}
