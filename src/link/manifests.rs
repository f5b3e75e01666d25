//! What the manifests of a Rust workspace say of its crates: how they are called, in which file a library begins, and which
//! of their dependencies they call by another name. They are read as text; nothing is run.

use std::collections::HashMap;

use camino::Utf8Path;
use toml::{Table, Value};

use crate::source::Texts;

/// Where a manifest lists what a crate depends on.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

#[derive(Debug)]
pub struct Manifest {
    /// Relative to the project root, without a slash at the end.
    pub folder: String,
    /// As code spells it: `agent_core`.
    pub package: Option<String>,
    /// The name of its library, if that is another one.
    pub library: Option<String>,
    /// The file that the library begins in, relative to the project root.
    pub library_file: String,
    /// What the crate calls a dependency, and how that is called itself.
    renamed: HashMap<String, String>,
}

impl Manifest {
    /// How a dependency that is called `name` here calls itself.
    pub fn original(&self, name: &str) -> Option<&str> {
        self.renamed.get(name).map(String::as_str)
    }
}

/// Those that can be read, the deeper folders first.
pub fn read(texts: &Texts) -> Vec<Manifest> {
    let files = texts.iter().filter_map(|(id, _)| texts.read(id));
    let mut manifests: Vec<Manifest> =
        files.filter_map(|file| manifest(&file.path, file.text.parse().ok()?)).collect();
    manifests.sort_by_key(|manifest| std::cmp::Reverse(manifest.folder.len()));
    manifests
}

fn manifest(path: &Utf8Path, table: Table) -> Option<Manifest> {
    let folder = path.parent()?.as_str().to_owned();
    let library = table.get("lib").and_then(Value::as_table);
    let text = |table: Option<&Table>, key| table?.get(key)?.as_str().map(str::to_owned);
    let file = text(library, "path").unwrap_or_else(|| "src/lib.rs".to_owned());
    let file = file.trim_start_matches("./");
    Some(Manifest {
        package: text(table.get("package").and_then(Value::as_table), "name").map(|name| spelled(&name)),
        library: text(library, "name").map(|name| spelled(&name)),
        library_file: if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") },
        renamed: renamed(&table),
        folder,
    })
}

/// Of the crate itself, of the targets that it has dependencies for, and of the workspace it is the root of.
fn renamed(table: &Table) -> HashMap<String, String> {
    let targets = table.get("target").and_then(Value::as_table).into_iter().flat_map(|all| all.values());
    let workspace = table.get("workspace");
    let owners = targets.chain(workspace).filter_map(Value::as_table).chain([table]);
    let lists = owners.flat_map(|owner| DEPENDENCIES.iter().filter_map(|kind| owner.get(*kind)?.as_table()));
    let entries = lists.flatten().filter_map(|(name, value)| {
        let package = value.as_table()?.get("package")?.as_str()?;
        Some((spelled(name), spelled(package)))
    });
    entries.filter(|(name, package)| name != package).collect()
}

/// Names of packages may hold a hyphen, names in code do not.
fn spelled(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_called_as_their_manifests_say() {
        let mut texts = Texts::default();
        texts
            .give("Cargo.toml".into(), b"[workspace.dependencies]\nweb = { package = \"reqwest\" }".to_vec());
        texts.give(
            "a/Cargo.toml".into(),
            b"[package]\nname = \"the-agent\"\n[lib]\npath = \"./x.rs\"".to_vec(),
        );
        texts.give("b/Cargo.toml".into(), b"no manifest".to_vec());
        let read = read(&texts);
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].package.as_deref(), &*read[0].library_file), (Some("the_agent"), "a/x.rs"));
        assert_eq!(read[1].original("web"), Some("reqwest"));
        assert_eq!(read[1].original("serde"), None);
    }
}
