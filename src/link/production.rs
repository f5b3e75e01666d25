//! Which files that look like test code are production code after all, because production code imports them: what is
//! exempt as a test must not be reached by what is deployed. Knows imports and modules, but no function.

use camino::Utf8Path;

use super::crates::Crates;
use super::ids::{FileIndex, Module};
use super::modules::Modules;
use crate::catalog::Catalog;
use crate::ir::{Facts, Import, ImportId, Imported, When};

/// A file and whether its place says that it is test code.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    pub path: &'a Utf8Path,
    pub facts: &'a Facts,
    pub is_test: bool,
}

/// By file: whether only tests run it. What production code imports, directly or through others, is none; an import that never
/// happens at run time (`if TYPE_CHECKING:`, `#[cfg(test)]`) takes nothing along.
pub fn test_files(
    files: &[Candidate<'_>],
    crates: Crates,
    root_name: Option<&str>,
    catalog: &Catalog,
) -> (Vec<bool>, Crates) {
    let mut is_test: Vec<bool> = files.iter().map(|file| file.is_test).collect();
    if !is_test.contains(&true) {
        return (is_test, crates);
    }
    let modules = Modules::new(files.iter().map(|file| file.path), crates, root_name, catalog);
    let mut work: Vec<FileIndex> = (0..files.len()).filter(|&file| !is_test[file]).collect();
    while let Some(file) = work.pop() {
        for (id, import) in files[file].facts.numbered_imports() {
            if import.when == When::TypeOnly {
                continue;
            }
            for found in loaded(&modules, files[file].facts, file, (id, import)) {
                if std::mem::take(&mut is_test[found]) {
                    work.push(found);
                }
            }
        }
    }
    (is_test, modules.crates)
}

/// The files that run when an import is: the module, the packages above it, and what it brings if that is a module.
fn loaded(
    modules: &Modules<'_>,
    facts: &Facts,
    file: FileIndex,
    (id, import): (ImportId, &Import),
) -> Vec<FileIndex> {
    let path = facts.str(import.path);
    if modules.crates.holds(file) {
        let first = path.split('.').next().unwrap_or_default();
        let library = || modules.crates.library(file, modules.crates.original(file, first));
        let library = (import.level == 0).then(library).flatten();
        return modules.crates.declared(file, id).into_iter().chain(library).collect();
    }
    let mut found = Vec::new();
    if let Some(module) = modules.resolve(file, import.level, path) {
        let child = match import.what {
            Imported::Name(name) => modules.child(module, facts.str(name)),
            Imported::Root | Imported::Module | Imported::Star => None,
        };
        let segments = if path.is_empty() { 1 } else { path.split('.').count() };
        let above = (1..=segments).filter_map(|segments| modules.root_of(module, segments));
        let all = child.into_iter().chain(above);
        found.extend(all.filter_map(|module| match module {
            Module::File(file) => Some(file),
            Module::Namespace(_) => None,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lower;
    use crate::ir::Lang;
    use crate::source::Texts;

    /// The files that stay test code.
    fn tests<'p>(files: &[(&'p str, &str)], lang: Lang) -> Vec<&'p str> {
        let facts: Vec<Facts> = files.iter().map(|(_, code)| lower(code, lang)).collect();
        let paths = || files.iter().map(|(path, _)| Utf8Path::new(*path));
        let crates = Crates::new(paths().zip(&facts), &Texts::default(), Some("project"));
        let is_test =
            |path: &str| path.starts_with("tests/") || path.contains("/tests/") || path.contains("test_");
        let candidates: Vec<_> = paths()
            .zip(&facts)
            .enumerate()
            .map(|(file, (path, facts))| Candidate {
                path,
                facts,
                is_test: is_test(path.as_str()) || crates.is_test(file),
            })
            .collect();
        let (is_test, _) = test_files(&candidates, crates, Some("project"), &Catalog::default());
        files.iter().zip(is_test).filter(|(_, is_test)| *is_test).map(|((path, _), _)| *path).collect()
    }

    #[test]
    fn what_production_imports_is_production_through_any_number_of_files() {
        let files = [
            ("agent.py", "from tests.helpers import net\nimport tests.other.deep as deep\n"),
            ("tests/__init__.py", ""),
            ("tests/helpers/__init__.py", ""),
            ("tests/helpers/net.py", "from . import far\n"),
            ("tests/helpers/far.py", "from ..shared import *\n"),
            ("tests/shared.py", ""),
            ("tests/other/deep.py", ""),
            ("tests/test_agent.py", "import agent\nfrom tests import only\n"),
            ("tests/only.py", ""),
        ];
        assert_eq!(tests(&files, Lang::Python), ["tests/test_agent.py", "tests/only.py"]);
    }

    #[test]
    fn what_never_runs_takes_nothing_along() {
        let agent = "if TYPE_CHECKING:\n    from tests.helpers import Net\n";
        let files = [("agent.py", agent), ("tests/__init__.py", ""), ("tests/helpers.py", "")];
        assert_eq!(tests(&files, Lang::Python), ["tests/__init__.py", "tests/helpers.py"]);
        let optional = "def run():\n    try:\n        from tests import helpers\n    except ImportError:\n        pass\n";
        let files = [("agent.py", optional), ("tests/__init__.py", ""), ("tests/helpers.py", "")];
        assert!(tests(&files, Lang::Python).is_empty());
    }

    #[test]
    fn a_module_of_a_crate_is_what_the_crate_is() {
        let files = [
            ("src/lib.rs", "#[path = \"../tests/net.rs\"]\nmod net;\n#[cfg(test)]\nmod tests;\n"),
            ("src/tests.rs", "mod deep;\n"),
            ("src/tests/deep.rs", ""),
            ("tests/net.rs", ""),
            ("tests/cases.rs", "mod support;\n"),
            ("tests/support.rs", ""),
        ];
        let left = tests(&files, Lang::Rust);
        assert_eq!(left, ["src/tests.rs", "src/tests/deep.rs", "tests/cases.rs", "tests/support.rs"]);
    }
}
