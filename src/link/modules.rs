//! Module names from the packages on disk, and which file an import means. A folder with `__init__` is a package; above
//! the topmost package stands an import root. An absolute import is looked for below the importing file's own root first,
//! so a near copy of a package beside it is never merged with it.

use std::collections::HashMap;

use camino::Utf8Path;

/// Indexes the linked files.
pub type FileIndex = usize;

/// What an import path names on disk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Module {
    File(FileIndex),
    /// A folder without `__init__`; indexes `Modules::folders`.
    Namespace(u32),
}

#[derive(Debug, Default)]
pub struct Modules {
    /// `a/b/c` for `a/b/c.py` and for `a/b/c/__init__.py`; the package wins.
    by_path: HashMap<String, Module>,
    folders: Vec<String>,
    /// The import root of each file, `""` or `src`, without a slash at the end.
    roots: Vec<String>,
    /// The path of each module below its root, with slashes; a package's is its folder.
    places: Vec<String>,
    is_package: Vec<bool>,
    /// Every import root that holds a package, sorted.
    package_roots: Vec<String>,
}

impl Modules {
    /// `paths` are the project's files, relative to its root, by file index.
    pub fn new<'a>(paths: impl Iterator<Item = &'a Utf8Path>) -> Self {
        let paths: Vec<&Utf8Path> = paths.collect();
        let packages: std::collections::HashSet<&str> = paths
            .iter()
            .filter(|path| path.file_stem() == Some("__init__"))
            .filter_map(|path| path.parent().map(Utf8Path::as_str))
            .collect();
        let mut modules = Modules::default();
        for (file, path) in paths.iter().enumerate() {
            modules.add(file, path, &packages);
        }
        for path in &paths {
            modules.add_folders(path);
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
        if is_package || !self.by_path.contains_key(&place) {
            self.by_path.insert(place.clone(), Module::File(file));
        }
        self.roots.push(root.to_owned());
        self.places.push(place);
        self.is_package.push(is_package);
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

    /// The dotted name by which the project speaks of the file.
    pub fn dotted(&self, file: FileIndex) -> String {
        let place = &self.places[file];
        let root = &self.roots[file];
        let below = place.strip_prefix(root.as_str()).unwrap_or(place).trim_start_matches('/');
        let source = ["src/", "lib/"].iter().find_map(|prefix| below.strip_prefix(prefix));
        source.unwrap_or(below).replace('/', ".")
    }

    /// The module `dotted` as imported by `file` with `level` leading dots; an empty `dotted` is the package itself.
    pub fn resolve(&self, file: FileIndex, level: u8, dotted: &str) -> Option<Module> {
        if level > 0 {
            return self.below(&self.anchor(file, level)?, dotted);
        }
        let first = dotted.split('.').next().unwrap_or(dotted);
        let own = self.roots[file].as_str();
        let mut namespace = None;
        for root in ancestors(own).flat_map(|root| [root.to_owned(), join(root, "src")]) {
            match self.by_path.get(&join(&root, first)) {
                // A regular package or module is final: what it lacks is not looked for elsewhere.
                Some(Module::File(found)) if self.may_shadow(*found, &root, own) => {
                    return self.below(&root, dotted);
                }
                Some(Module::Namespace(_)) => match self.below(&root, dotted) {
                    Some(Module::File(found)) => return Some(Module::File(found)),
                    other => namespace = namespace.or(other),
                },
                _ => {}
            }
        }
        self.resolve_near(own, first, dotted).or(namespace)
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
        self.by_path.get(place).copied()
    }

    /// A module or sub-package below an already resolved one.
    pub fn child(&self, module: Module, name: &str) -> Option<Module> {
        let place = match module {
            Module::File(file) if self.is_package[file] => &self.places[file],
            Module::File(_) => return None,
            Module::Namespace(folder) => &self.folders[folder as usize],
        };
        self.by_path.get(&join(place, name)).copied()
    }

    /// The folder that `level` dots mean; `None` if they lead out of the project.
    fn anchor(&self, file: FileIndex, level: u8) -> Option<String> {
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
            return self.by_path.get(root).copied();
        }
        self.by_path.get(&join(root, &dotted.replace('.', "/"))).copied()
    }

    /// A loose module shadows a library of its name only where Python would look for it: in the importing file's own
    /// root, at the top of the project, or in `src`.
    fn may_shadow(&self, found: FileIndex, root: &str, own: &str) -> bool {
        self.is_package[found] || root == own || root.is_empty() || root.ends_with("src")
    }

    fn is_file_package(&self, place: &str) -> bool {
        matches!(self.by_path.get(place), Some(Module::File(file)) if self.is_package[*file])
    }
}

/// The folder above the topmost package that `folder` belongs to; `folder` itself if it is no package.
fn import_root<'a>(folder: &'a str, packages: &std::collections::HashSet<&str>) -> &'a str {
    ancestors(folder).find(|candidate| !packages.contains(candidate)).unwrap_or("")
}

/// `a/b`, `a`, ``.
fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| match folder.rsplit_once('/') {
        Some((parent, _)) => Some(parent),
        None if folder.is_empty() => None,
        None => Some(""),
    })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y).count()
}
