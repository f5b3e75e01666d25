//! Rust's modules: which file `mod a;` means, which crate a file belongs to, and where a path that begins with `crate`,
//! `super` or the name of a crate starts. Everything is read off the facts (`mod` declarations), the paths on disk and the
//! manifests. Of what nobody declares, the place of the file says what it is a module of.

use std::collections::HashMap;

use camino::Utf8Path;

use super::folders::normal;
use super::ids::FileIndex;
use super::manifests::{self, Manifest};
use crate::ir::{Facts, FnKind, Func, ImportId, Imported, When};
use crate::source::Texts;

/// Parents of parents: more is a circle that no compiler accepts.
const MOST_UPS: usize = 128;
/// Files with these names hold the modules that lie beside them.
const OWNERS: [&str; 4] = ["lib", "main", "mod", "build"];

#[derive(Debug, Default)]
pub struct Crates {
    /// Folders in which code lets imports be looked for, too (`sys.path`); no crate is concerned.
    pub import_roots: Vec<String>,
    /// Other names of folders: what a link is called, and where it leads.
    pub links: Vec<(String, String)>,
    /// By file; `None` for other languages.
    members: Vec<Option<Member>>,
    /// The file that a declaration means.
    declared: HashMap<(FileIndex, ImportId), FileIndex>,
    /// `a/b` for `a/b.rs` and `a/b/mod.rs`.
    by_place: HashMap<String, FileIndex>,
    /// The files that libraries begin in, by the name of their crate.
    libraries: HashMap<String, Vec<FileIndex>>,
    manifests: Vec<Manifest>,
}

#[derive(Debug)]
struct Member {
    parent: Option<FileIndex>,
    /// As its parent calls it; the crate's name for a root.
    name: String,
    /// Where the modules inside it lie.
    folder: String,
    path: String,
    is_test: bool,
}

impl Crates {
    pub fn new<'f>(
        files: impl Iterator<Item = (&'f Utf8Path, &'f Facts)>,
        manifests: &Texts,
        root_name: Option<&str>,
    ) -> Self {
        let files: Vec<(&Utf8Path, &Facts)> = files.collect();
        let mut crates = Crates::default();
        if files.iter().all(|(_, facts)| !facts.profile().has_crates) {
            return crates;
        }
        crates.manifests = manifests::read(manifests);
        for (file, (path, facts)) in files.iter().enumerate() {
            crates.add(file, path, facts.profile().has_crates);
        }
        for (file, (_, facts)) in files.iter().enumerate() {
            crates.declare(file, facts);
        }
        crates.find_parents();
        for file in 0..files.len() {
            crates.name_root(file, root_name);
        }
        for file in 0..files.len() {
            let is_test = crates.line(file).any(|member| member.is_test);
            crates.members[file].iter_mut().for_each(|member| member.is_test = is_test);
        }
        crates
    }

    fn add(&mut self, file: FileIndex, path: &Utf8Path, has_crates: bool) {
        let folder = path.parent().map_or("", Utf8Path::as_str);
        let stem = path.file_stem().unwrap_or_default();
        let place = place_of(path);
        let inside = if OWNERS.contains(&stem) { folder } else { place };
        let member = || Member {
            parent: None,
            name: place.rsplit('/').next().unwrap_or(stem).to_owned(),
            folder: inside.to_owned(),
            path: path.to_string(),
            is_test: false,
        };
        self.members.push(has_crates.then(member));
        if has_crates {
            self.by_place.entry(place.to_owned()).or_insert(file);
        }
    }

    /// Finds the files that a file declares as its modules.
    fn declare(&mut self, file: FileIndex, facts: &Facts) {
        let Some(member) = &self.members[file] else { return };
        let beside = Utf8Path::new(&member.path).parent().map_or("", Utf8Path::as_str).to_owned();
        let folder = member.folder.clone();
        for (id, import) in facts.numbered_imports().filter(|(_, import)| import.level == 1) {
            let path = facts.str(import.path);
            let inline = inline_folder(facts, import.scope);
            let found = match import.what {
                // `#[path = "x.rs"] mod a;`
                Imported::Module if path.contains('/') && path != "./" => {
                    let place = normal(Utf8Path::new(&join(&join(&beside, &inline), path)));
                    self.by_place.get(place_of(&place)).copied()
                }
                Imported::Name(name) if path.is_empty() => {
                    let name = facts.str(name);
                    // The file that a crate begins in may have any name; its modules lie beside it.
                    [&folder, &beside]
                        .iter()
                        .find_map(|base| self.by_place.get(&join(&join(base, &inline), name)).copied())
                }
                _ => None,
            };
            if let Some(child) = found.filter(|&child| child != file) {
                self.declared.insert((file, id), child);
                self.adopt(file, child, import.when == When::TypeOnly);
            }
        }
    }

    fn adopt(&mut self, parent: FileIndex, child: FileIndex, is_test: bool) {
        if self.line(parent).any(|member| Some(&member.path) == self.members[child].as_ref().map(|m| &m.path))
        {
            return;
        }
        if let Some(member) = &mut self.members[child]
            // Production code that tests take a second time stays production code.
            && (member.parent.is_none() || member.is_test && !is_test)
        {
            (member.parent, member.is_test) = (Some(parent), is_test);
        }
    }

    /// A macro may have declared what nobody seems to: then the place of the file says whose module it is.
    fn find_parents(&mut self) {
        for file in 0..self.members.len() {
            let Some(member) = self.members[file].as_ref().filter(|member| member.parent.is_none()) else {
                continue;
            };
            let place = place_of(Utf8Path::new(&member.path)).to_owned();
            let (folder, name) = place.rsplit_once('/').unwrap_or(("", &place));
            if matches!(name, "lib" | "main" | "build") || member.path == "mod.rs" || self.is_library(file) {
                continue;
            }
            let above = [folder.to_owned(), join(folder, "lib"), join(folder, "main")];
            let parent = above.iter().find_map(|place| self.by_place.get(place.as_str()).copied());
            if let Some(parent) = parent.filter(|&parent| parent != file && !self.is_apart(folder)) {
                self.adopt(parent, file, false);
            }
        }
    }

    /// Each file in these folders is a crate of its own.
    fn is_apart(&self, folder: &str) -> bool {
        let manifest = self.manifest(folder).map_or("", |manifest| manifest.folder.as_str());
        let below = folder.strip_prefix(manifest).unwrap_or(folder).trim_start_matches('/');
        matches!(below, "tests" | "benches" | "examples" | "src/bin")
    }

    fn is_library(&self, file: FileIndex) -> bool {
        let path = self.members[file].as_ref().map(|member| member.path.as_str());
        self.manifests.iter().any(|manifest| Some(manifest.library_file.as_str()) == path)
    }

    /// How a crate is called, if the file is the one that it begins in; anything else is called by its place.
    fn name_root(&mut self, file: FileIndex, root_name: Option<&str>) {
        let Some(member) = self.members[file].as_ref().filter(|member| member.parent.is_none()) else {
            return;
        };
        let path = Utf8Path::new(&member.path);
        let folder = path.parent().map_or("", Utf8Path::as_str);
        let manifest = self.manifest(folder);
        let package_folder = folder.strip_suffix("src").unwrap_or(folder).trim_end_matches('/');
        let package = || {
            let own = manifest.filter(|manifest| manifest.folder == package_folder)?;
            own.package.clone()
        };
        let by_folder = || {
            let last = package_folder.rsplit('/').next().filter(|last| !last.is_empty());
            last.or(root_name).map(|name| name.replace('-', "_"))
        };
        let named = manifest.filter(|manifest| manifest.library_file == member.path);
        let library = named.and_then(|manifest| manifest.library.clone().or(manifest.package.clone()));
        let stem = path.file_stem().unwrap_or_default();
        let is_library = named.is_some() || stem == "lib";
        let name = match stem {
            _ if is_library => library.or_else(package).or_else(by_folder),
            "main" => package().or_else(by_folder),
            _ => None,
        };
        let has_library = self.by_place.contains_key(&join(folder, "lib"));
        let name = match name {
            Some(name) if !is_library && has_library => format!("{name}.{stem}"),
            Some(name) => name,
            None => by_place(path),
        };
        if is_library {
            self.libraries.entry(name.clone()).or_default().push(file);
        }
        if let Some(member) = &mut self.members[file] {
            member.name = name;
        }
    }

    /// The nearest one at or above a folder.
    fn manifest(&self, folder: &str) -> Option<&Manifest> {
        let holds = |manifest: &&Manifest| {
            let below = folder.strip_prefix(&manifest.folder);
            below
                .is_some_and(|below| manifest.folder.is_empty() || below.is_empty() || below.starts_with('/'))
        };
        self.manifests.iter().find(holds)
    }

    pub fn holds(&self, file: FileIndex) -> bool {
        self.members.get(file).is_some_and(Option::is_some)
    }

    /// True if only tests are built with the file, by what the modules above it say.
    pub fn is_test(&self, file: FileIndex) -> bool {
        self.members.get(file).and_then(Option::as_ref).is_some_and(|member| member.is_test)
    }

    /// The file that a `mod name;` means.
    pub fn declared(&self, file: FileIndex, id: ImportId) -> Option<FileIndex> {
        self.declared.get(&(file, id)).copied()
    }

    /// A library of the workspace, the nearest one of that name. Inside a library its own name means another one.
    pub fn library(&self, from: FileIndex, name: &str) -> Option<FileIndex> {
        let own = &self.members.get(from)?.as_ref()?.path;
        let inside = self.root(from);
        let all = self.libraries.get(name)?.iter().copied().filter(|&library| library != inside);
        all.max_by_key(|&file| {
            let path = self.members[file].as_ref().map_or("", |member| &member.path);
            (common_prefix(path, own), std::cmp::Reverse(file))
        })
    }

    /// The name that a crate goes by outside: `name` itself, unless the manifest calls it differently.
    pub fn original<'n>(&'n self, from: FileIndex, name: &'n str) -> &'n str {
        let Some(member) = self.members.get(from).and_then(Option::as_ref) else { return name };
        let folder = Utf8Path::new(&member.path).parent().map_or("", Utf8Path::as_str);
        let above = self.manifests.iter().filter(|manifest| {
            manifest.folder.is_empty()
                || folder
                    .strip_prefix(&manifest.folder)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        above.filter_map(|manifest| manifest.original(name)).next().unwrap_or(name)
    }

    /// A module that lies where one of this name inside `file` would, declared or not.
    pub fn child(&self, file: FileIndex, name: &str) -> Option<FileIndex> {
        let member = self.members.get(file)?.as_ref()?;
        let beside = Utf8Path::new(&member.path).parent().map_or("", Utf8Path::as_str);
        let mut folders = vec![member.folder.as_str()];
        if member.parent.is_none() {
            folders.push(beside);
        }
        let found = folders.into_iter().find_map(|folder| self.by_place.get(&join(folder, name)).copied());
        found.filter(|&found| found != file)
    }

    /// The module above, and `None` for a crate's root.
    pub fn parent(&self, file: FileIndex) -> Option<FileIndex> {
        self.members.get(file)?.as_ref()?.parent
    }

    pub fn root(&self, file: FileIndex) -> FileIndex {
        (0..MOST_UPS).try_fold(file, |file, _| self.parent(file).ok_or(file)).unwrap_or_else(|root| root)
    }

    /// `rig_core.agent.builder`.
    pub fn dotted(&self, file: FileIndex) -> Option<String> {
        let mut names: Vec<&str> = self.line(file).map(|member| member.name.as_str()).collect();
        names.reverse();
        (!names.is_empty()).then(|| names.join("."))
    }

    /// The module and those above it.
    fn line(&self, file: FileIndex) -> impl Iterator<Item = &Member> {
        let member = |file: FileIndex| self.members.get(file).and_then(Option::as_ref);
        std::iter::successors(member(file), move |below| member(below.parent?)).take(MOST_UPS)
    }
}

/// The inline modules around a declaration, as a folder.
fn inline_folder(facts: &Facts, scope: Func) -> String {
    let mut names = Vec::new();
    let mut at = scope;
    while at != facts.module() {
        let function = facts.function(at);
        if let FnKind::ClassBody(_) = function.kind {
            names.push(facts.str(function.name));
        }
        at = function.parent;
    }
    names.reverse();
    names.join("/")
}

/// `atlas.guards` for `src/atlas/guards.rs`.
fn by_place(path: &Utf8Path) -> String {
    let place = place_of(path);
    place.strip_prefix("src/").unwrap_or(place).replace('/', ".")
}

/// `a/b` for `a/b.rs` and `a/b/mod.rs`.
fn place_of(path: &Utf8Path) -> &str {
    let place = path.as_str().strip_suffix(".rs").unwrap_or(path.as_str());
    place.strip_suffix("/mod").unwrap_or(place)
}

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", _) => name.to_owned(),
        (_, "") => folder.to_owned(),
        _ => format!("{folder}/{name}"),
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y).count()
}
