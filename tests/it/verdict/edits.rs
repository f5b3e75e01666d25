//! For any small tree and any edit, a run that may use what is kept says what an analysis says.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{AGENT, Cache, assert_same};
use crate::support::Project;

const PATHS: [&str; 8] =
    ["a.py", "b.py", "p/__init__.py", "p/c.py", "node_modules/d.py", ".gitignore", "gatelint.toml", "run"];
const TEXTS: [&str; 8] = [
    AGENT,
    "x = 1\n",
    "import p.c\nfrom b import ask\n\nask()\n",
    "import node_modules.d\n",
    "#!/usr/bin/env python3\nimport os\n\nos.system(input())\n",
    "p\n",
    "exclude = [\"p/**\"]\n",
    "",
];

#[derive(Clone, Debug)]
enum Edit {
    Write(&'static str, &'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Link(&'static str, &'static str),
    Folder(&'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    let path = || prop::sample::select(&PATHS[..]);
    prop_oneof![
        3 => (path(), prop::sample::select(&TEXTS[..])).prop_map(|(path, text)| Edit::Write(path, text)),
        1 => path().prop_map(Edit::Remove),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => (path(), path()).prop_map(|(to, path)| Edit::Link(to, path)),
        1 => path().prop_map(Edit::Folder),
    ]
}

/// An edit that is not possible is none.
fn apply(root: &Path, edit: &Edit) {
    let at = |path: &str| -> PathBuf {
        let path = root.join(path);
        let _ = fs::create_dir_all(path.parent().unwrap());
        path
    };
    let _ = match edit {
        Edit::Write(path, text) => fs::write(at(path), text),
        Edit::Remove(path) => fs::remove_file(at(path)),
        Edit::Rename(from, to) => fs::rename(at(from), at(to)),
        Edit::Link(to, path) => std::os::unix::fs::symlink(at(to), at(path)),
        Edit::Folder(path) => fs::create_dir(at(path)),
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_that_may_be_answered_says_what_an_analysis_says(
        tree in prop::collection::vec(edit(), 1..8),
        edits in prop::collection::vec(edit(), 1..3),
    ) {
        let (project, cache) = (Project::new(&[]), Cache::new());
        let check = ["check", "--format", "json"];
        tree.iter().for_each(|edit| apply(project.path(), edit));
        let first = cache.run(project.path(), &check);
        assert_same(&first, &cache.run(project.path(), &check));
        for edit in &edits {
            apply(project.path(), edit);
            assert_same(&cache.run(project.path(), &check), &project.run(&check));
        }
    }
}
