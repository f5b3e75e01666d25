//! Files of one layer that need one another in a circle: none of them can be read, tested or changed alone. The module graph
//! is made of `crate::…` and `super::…` paths, through re-exports; that a module uses the files in its own folder is no
//! edge, since a folder belongs to the module that it is named after.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, UseTree};

use super::{Reader, Source, none, sources};

/// The cycles of today. The list may only shrink: a file that joins a cycle is a mistake, and one that left its cycle has to
/// be taken off.
const CYCLES: &[&[&str]] = &[
    &[
        "analysis/escape/causes.rs",
        "analysis/escape/managers.rs",
        "analysis/escape/results.rs",
        "analysis/escape/walk.rs",
    ],
    &["analysis/flow/solve.rs", "analysis/flow/spread.rs"],
    &["analysis/gating/known.rs", "analysis/gating/special.rs", "analysis/gating/visit.rs"],
    &["analysis/handlers.rs", "analysis/registrations.rs"],
    &["analysis/origins.rs", "analysis/texts.rs", "analysis/values.rs"],
    &["analysis/outcomes.rs", "analysis/subjects.rs"],
    &["analysis/trail/managers.rs", "analysis/trail/walk.rs"],
    &["baseline.rs", "finding.rs", "finding/base.rs", "rule.rs", "waiver.rs"],
    &["frontend/rust/bodies.rs", "frontend/rust/classes.rs"],
    &["harness/run.rs", "harness/verdict.rs"],
    &["ir/arena.rs", "ir/expr.rs"],
    &["mutation/changes.rs", "mutation/verdicts.rs"],
    &[
        "rule/check/checklist.rs",
        "rule/check/checklist/operations.rs",
        "rule/check/reach.rs",
        "rule/check/shared.rs",
    ],
    &["source/discover.rs", "source/excluded.rs", "source/further.rs", "source/scripts.rs", "source/walk.rs"],
];

type Module = Vec<String>;

/// What the files of a tree name of one another.
struct Graph {
    files: BTreeMap<Module, String>,
    /// What a module hands out under a name of its own: where it is from.
    exports: BTreeMap<Module, BTreeMap<String, Module>>,
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    fn new(sources: &[Source]) -> Self {
        let sources = || sources.iter().filter(|source| !source.is_test());
        let files = sources().map(|source| (source.module.clone(), source.name.clone())).collect();
        let mut graph = Self { files, exports: BTreeMap::new(), edges: BTreeMap::new() };
        let read: Vec<Named> = sources().map(|source| Named::of(source, &graph.files)).collect();
        for (source, named) in sources().zip(&read) {
            graph.exports.insert(source.module.clone(), named.exports.clone());
        }
        for (source, named) in sources().zip(&read) {
            let found = named.paths.iter().filter_map(|path| graph.file_of(path, 0));
            let found = found.filter(|file| *file != source.module).collect();
            graph.edges.insert(source.module.clone(), found);
        }
        graph
    }

    /// The file in which the last name of a path is, as far as modules and re-exports lead.
    fn file_of(&self, path: &[String], hops: u32) -> Option<Module> {
        let mut at = Module::new();
        for (nth, name) in path.iter().enumerate() {
            let below: Module = at.iter().chain([name]).cloned().collect();
            if self.files.contains_key(&below) {
                at = below;
                continue;
            }
            let exported = self.exports.get(&at).and_then(|exports| exports.get(name)).filter(|_| hops < 8);
            return match exported {
                Some(from) => {
                    let whole: Module = from.iter().chain(&path[nth + 1..]).cloned().collect();
                    self.file_of(&whole, hops + 1)
                }
                None => Some(at).filter(|at| !at.is_empty()),
            };
        }
        Some(at).filter(|at| !at.is_empty())
    }

    /// The strongly connected components of more than one file, by the names of the files.
    fn cycles(&self) -> BTreeSet<BTreeSet<&str>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.edges.keys().map(|from| (from, self.reached(from))).collect();
        let of = |file: &Module| -> BTreeSet<&str> {
            let both = reached[file].iter().filter(|other| reached[*other].contains(file));
            both.map(|other| self.files[*other].as_str()).collect()
        };
        self.edges.keys().map(of).filter(|cycle| cycle.len() > 1).collect()
    }

    fn reached(&self, from: &Module) -> BTreeSet<&Module> {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<&Module> = self.edges[from].iter().collect();
        while let Some(file) = todo.pop() {
            if seen.insert(file) {
                todo.extend(&self.edges[file]);
            }
        }
        seen
    }
}

/// What the production code of one file names.
struct Named {
    paths: Vec<Module>,
    exports: BTreeMap<String, Module>,
}

impl Named {
    fn of(source: &Source, files: &BTreeMap<Module, String>) -> Self {
        let file = syn::parse_file(&source.text).unwrap();
        let mut reader = Production(Reader { module: source.module.clone(), ..Reader::default() });
        reader.visit_file(&file);
        let mut exports = BTreeMap::new();
        for item in &file.items {
            if let Item::Use(item) = item {
                exported(&source.module, files, &[], &item.tree, &mut exports);
            }
        }
        Self { paths: reader.0.inside, exports }
    }
}

/// Notes what a `use` of a module's own folder, or of the crate, binds.
fn exported(
    module: &Module,
    files: &BTreeMap<Module, String>,
    before: &[String],
    tree: &UseTree,
    out: &mut BTreeMap<String, Module>,
) {
    let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
    let mut add = |path: Module, name: String| {
        let below: Module = module.iter().chain(path.first()).cloned().collect();
        match path[0].as_str() {
            "crate" => drop(out.insert(name, path[1..].to_vec())),
            _ if files.contains_key(&below) => {
                drop(out.insert(name, module.iter().chain(&path).cloned().collect()))
            }
            _ => {}
        }
    };
    match tree {
        UseTree::Path(path) => exported(module, files, &with(path.ident.to_string()), &path.tree, out),
        UseTree::Name(name) => add(with(name.ident.to_string()), name.ident.to_string()),
        UseTree::Rename(name) => add(with(name.ident.to_string()), name.rename.to_string()),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| exported(module, files, before, tree, out));
        }
        UseTree::Glob(_) => {}
    }
}

/// A reader of what is not built for tests alone.
struct Production(Reader);

impl<'ast> Visit<'ast> for Production {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.0.visit_item_use(item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" && item.content.is_some() {
            self.0.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.0.module.pop();
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.visit_path(path);
        visit::visit_path(self, path);
    }
}

#[test]
fn no_file_joins_a_cycle() {
    let sources = sources();
    let graph = Graph::new(&sources);
    let found = graph.cycles();
    let listed: BTreeSet<BTreeSet<&str>> =
        CYCLES.iter().map(|cycle| cycle.iter().copied().collect()).collect();
    let known = |cycle: &BTreeSet<&str>| listed.iter().any(|known| cycle.is_subset(known));
    let new = found.iter().filter(|cycle| !known(cycle));
    let mut complaints: Vec<String> = new.map(|cycle| format!("these need one another: {cycle:?}")).collect();
    for gone in listed.difference(&found) {
        let left: BTreeSet<_> = found.iter().filter(|cycle| cycle.is_subset(gone)).collect();
        if found.iter().all(&known) {
            complaints.push(format!("the cycle {gone:?} is smaller now; list what is left of it: {left:?}"));
        }
    }
    none(complaints);
}

#[test]
fn a_cycle_is_seen_through_re_exports_and_not_in_a_folder() {
    let file = |name: &str, text: &str| {
        let module: Module = name.split('/').map(str::to_owned).collect();
        Source { name: format!("{name}.rs"), module, text: text.to_owned() }
    };
    let sources = [
        file("a", "mod b; mod c; pub use b::B; pub use c::C; pub struct A; fn f() { b::g(); }"),
        file("a/b", "use super::A; fn f(c: crate::a::C) {} mod tests { use super::super::d; }"),
        file("a/c", "use super::{A, B};"),
        file("d", "use crate::a::A; mod tests { fn f(c: crate::a::C) {} }"),
    ];
    let graph = Graph::new(&sources);
    let cycles: Vec<Vec<&str>> =
        graph.cycles().into_iter().map(|cycle| cycle.into_iter().collect()).collect();
    assert_eq!(cycles, [["a/b.rs", "a/c.rs"]]);
}
