//! Which files hold source code of languages that are not read. They are counted by extension and nothing else is known of
//! them: what an agent does there is not in any report.

use std::collections::BTreeMap;
use std::path::Path;

use camino::Utf8PathBuf;

/// In lower case. Code that runs; declarations alone (`.pyi`, `.d.ts`), markup and data are none.
const EXTENSIONS: &[&str] = &[
    "bash", "bat", "c", "cc", "cjs", "clj", "cljs", "cmd", "coffee", "cpp", "cr", "cs", "cts", "cxx", "dart",
    "elm", "erl", "ex", "exs", "f90", "fish", "fs", "go", "gradle", "groovy", "h", "hh", "hpp", "hrl", "hs",
    "ipynb", "java", "jl", "js", "jsx", "kt", "kts", "lua", "m", "mjs", "ml", "mm", "mts", "nim", "pas",
    "php", "pl", "pm", "ps1", "pyx", "r", "rake", "rb", "scala", "sh", "sol", "svelte", "swift", "tcl", "ts",
    "tsx", "vb", "vue", "zig", "zsh",
];

/// What a language loads as a module and is no source.
const COMPILED: [&str; 5] = ["dll", "pyc", "pyd", "pyo", "so"];

/// How many there are, by extension.
pub type Unread = BTreeMap<String, usize>;

/// The extension of a file with code of a language that nobody reads, in lower case.
pub(super) fn extension(path: &Path) -> Option<String> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let is_declaration = path.to_str().is_some_and(|path| path.to_ascii_lowercase().ends_with(".d.ts"));
    (EXTENSIONS.contains(&extension.as_str()) && !is_declaration).then_some(extension)
}

pub(super) fn is_compiled(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| COMPILED.contains(&extension))
}

/// Modules without source by the path that an import of them has: `a/b` for `a/b.cpython-312-x86_64-linux-gnu.so`.
pub(super) fn modules(files: impl Iterator<Item = Utf8PathBuf>) -> BTreeMap<String, String> {
    let module = |path: Utf8PathBuf| {
        let name = path.file_name()?.split('.').next()?;
        let folder = path.parent().filter(|folder| !folder.as_str().is_empty());
        let place = folder.map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"));
        let place = place.strip_suffix("/__init__").map_or_else(|| place.clone(), str::to_owned);
        Some((place, path.into_string()))
    };
    files.filter_map(module).collect()
}

/// The files by their extension.
pub(super) fn count(files: impl Iterator<Item = Utf8PathBuf>) -> Unread {
    let mut unread = Unread::new();
    for extension in files.filter_map(|path| extension(path.as_std_path())) {
        *unread.entry(extension).or_default() += 1;
    }
    unread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_counted_and_declarations_and_data_are_not() {
        let files = ["a.ts", "b.TS", "c.d.ts", "d.js", "e.json", "f", "g.md", "h.pyi", "i.min.js"];
        let unread = count(files.into_iter().map(Utf8PathBuf::from));
        assert_eq!(unread, Unread::from([("ts".to_owned(), 2), ("js".to_owned(), 2)]));
    }

    #[test]
    fn a_compiled_module_goes_by_the_name_of_its_import() {
        let files = ["a/fast.cpython-312-x86_64-linux-gnu.so", "b.pyc", "c/__init__.pyc"];
        assert!(files.iter().all(|file| is_compiled(Path::new(file))));
        let places: Vec<String> = modules(files.into_iter().map(Utf8PathBuf::from)).into_keys().collect();
        assert_eq!(places, ["a/fast", "b", "c"]);
    }

    #[test]
    fn extensions_are_sorted_and_each_stands_once() {
        assert!(EXTENSIONS.is_sorted_by(|a, b| a < b));
        let read =
            |extension: &&&str| super::super::LANGUAGES.iter().any(|it| it.extensions.contains(*extension));
        assert_eq!(EXTENSIONS.iter().filter(read).count(), 0, "a language that is read is not unread");
    }
}
