//! Discovery: what is scanned, what is hidden and counted, what is reported as skipped.

use camino::{Utf8Path, Utf8PathBuf};
use gatelint::source::{DiscoverOptions, Discovered, Encoding, Skip, discover, resolve};
use globset::{Glob, GlobSet};

use crate::support::Project;

fn root(project: &Project) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(project.path().canonicalize().unwrap()).unwrap()
}

fn scan(project: &Project, paths: &[&str], options: &DiscoverOptions) -> Discovered {
    let root = root(project);
    let roots: Vec<_> = paths.iter().map(|path| root.join(path)).collect();
    discover(&resolve(&roots).unwrap(), &root, options).unwrap()
}

fn names(found: &Discovered) -> Vec<&str> {
    found.files.iter().map(|file| file.path.as_str()).collect()
}

fn skips(found: &Discovered) -> Vec<(&str, &str)> {
    found.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.why.code())).collect()
}

#[test]
fn sources_are_sorted_and_hidden_folders_are_looked_at() {
    let project = Project::new(&[
        ("b.py", ""),
        ("a/z.py", ""),
        ("a/types.pyi", ""),
        ("a/window.PYW", ""),
        (".agentos/tool.py", ""),
        ("README.md", ""),
    ]);
    let found = scan(&project, &[""], &DiscoverOptions::default());
    assert_eq!(names(&found), [".agentos/tool.py", "a/window.PYW", "a/z.py", "b.py"]);
    assert_eq!(found.read_log.len(), 4);
}

#[test]
fn ignore_files_hide_and_are_counted() {
    let project = Project::new(&[
        (".gitignore", "build/\n*_gen.py\n!keep_gen.py\n"),
        ("a.py", ""),
        ("b_gen.py", ""),
        ("keep_gen.py", ""),
        ("build/x.py", ""),
        ("build/deep/y.py", ""),
        ("build/note.txt", ""),
        ("sub/.gitignore", "!c_gen.py\nd.py\n"),
        ("sub/c_gen.py", ""),
        ("sub/d.py", ""),
        ("sub/.ignore", "!d.py\n"),
    ]);
    let found = scan(&project, &[""], &DiscoverOptions::default());
    assert_eq!(names(&found), ["a.py", "keep_gen.py", "sub/c_gen.py", "sub/d.py"]);
    assert_eq!(found.further.ignored.len(), 3);
    let read: Vec<_> = found.read_log.iter().map(|read| read.path.as_str()).collect();
    assert!(read.contains(&".gitignore") && read.contains(&"sub/.ignore"), "{read:?}");

    let all = scan(&project, &[""], &DiscoverOptions { no_ignore: true, ..DiscoverOptions::default() });
    assert_eq!((all.files.len(), all.further.ignored.len()), (7, 0));
}

#[test]
fn ignore_files_above_a_scanned_folder_hold_up_to_the_root() {
    let outer = Project::new(&[
        (".gitignore", "*.py\n"),
        ("inner/.gitignore", "sub/hidden.py\n"),
        ("inner/sub/hidden.py", ""),
        ("inner/sub/seen.py", ""),
    ]);
    let inner = root(&outer).join("inner");
    let found = discover(&[inner.join("sub")], &inner, &DiscoverOptions::default()).unwrap();
    assert_eq!((names(&found), found.further.ignored.len()), (vec!["sub/seen.py"], 1));
}

#[test]
fn what_is_named_is_scanned() {
    let project =
        Project::new(&[(".gitignore", "x.py\nbuild\n"), ("x.py", ""), ("build/y.py", ""), ("notes.md", "")]);
    let exclude = GlobSet::new([Glob::new("**/x.py").unwrap()]).unwrap();
    let options = DiscoverOptions { exclude, ..DiscoverOptions::default() };
    let found = scan(&project, &["", "x.py", "build", "notes.md"], &options);
    assert_eq!((names(&found), found.further.ignored.len()), (vec!["build/y.py", "x.py"], 0));
    assert_eq!(skips(&found), [("notes.md", "unknown-language")]);
}

#[test]
fn excluded_files_are_left_out() {
    let project = Project::new(&[("a.py", ""), ("vendor/b.py", ""), ("c.py", "")]);
    let globs = ["vendor", "vendor/**", "c.py"].map(|glob| Glob::new(glob).unwrap());
    let options = DiscoverOptions { exclude: GlobSet::new(globs).unwrap(), ..DiscoverOptions::default() };
    let found = scan(&project, &[""], &options);
    assert_eq!((names(&found), found.further.ignored.len()), (vec!["a.py"], 0));
}

#[test]
fn environments_and_caches_are_never_looked_at() {
    let project = Project::new(&[
        ("a.py", ""),
        ("venv/pyvenv.cfg", ""),
        ("venv/bin/activate", ""),
        ("venv/lib/python3/site-packages/x.py", ""),
        ("node_modules/x/y.py", ""),
        ("__pycache__/z.py", ""),
        ("agent/pyvenv.cfg", ""),
        ("agent/b.py", ""),
    ]);
    for no_ignore in [false, true] {
        let found = scan(&project, &[""], &DiscoverOptions { no_ignore, ..DiscoverOptions::default() });
        // A stray marker without programs beside it hides nothing.
        assert_eq!((names(&found), found.further.ignored.len()), (vec!["a.py", "agent/b.py"], 0));
    }
}

#[test]
fn text_is_decoded_once_for_everybody() {
    let project = Project::new(&[]);
    project.write("bom.py", b"\xEF\xBB\xBFx = 1\n");
    project.write("latin.py", b"# -*- coding: latin-1 -*-\nx = '\xE4'\n");
    project.write("broken.py", b"x = '\xFF'\n");
    project.write("wide.py", b"\xFF\xFEx\0=\x001\0");
    project.write("seven.py", b"# coding: utf-7\n");
    let found = scan(&project, &[""], &DiscoverOptions::default());
    let seen: Vec<_> =
        found.files.iter().map(|file| (file.path.as_str(), file.encoding, file.lossy)).collect();
    assert_eq!(
        seen,
        [
            ("bom.py", Encoding::Utf8Bom, false),
            ("broken.py", Encoding::Utf8, true),
            ("latin.py", Encoding::Latin1, false),
            ("wide.py", Encoding::Utf16, false),
        ]
    );
    assert_eq!(found.files[0].text, "x = 1\n");
    assert!(found.files[2].text.contains('ä'));
    assert_eq!(found.skipped[0].why, Skip::UnknownEncoding { name: "utf-7".into() });
}

#[test]
fn a_path_outside_the_root_is_refused() {
    let project = Project::new(&[("in/a.py", ""), ("out/b.py", "")]);
    let root = root(&project);
    let error = discover(&[root.join("out")], &root.join("in"), &DiscoverOptions::default()).unwrap_err();
    assert!(error.to_string().contains("outside the project root"), "{error}");
    assert!(resolve(&[Utf8PathBuf::from("no/such")]).unwrap_err().to_string().contains("no such file"));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn scripts_are_known_by_their_first_line() {
        let project = Project::new(&[
            ("bin/agent", "#!/usr/bin/env python3\nx = 1\n"),
            ("bin/shell", "#!/bin/sh\n"),
            ("bin/uv", "#!/usr/bin/env -S uv run --script\n"),
            ("cgi/form.cgi", "#!/usr/bin/python3 -u\n"),
            ("cgi/notes.txt", "#!/bin/sh\n''''exec python3 \"$0\" # '''\n"),
            ("cgi/readme.txt", "run it with #!/usr/bin/python3\n"),
            ("logo.png", "\u{1}"),
        ]);
        let found = scan(&project, &[""], &DiscoverOptions::default());
        assert_eq!(names(&found), ["bin/agent", "bin/uv", "cgi/form.cgi", "cgi/notes.txt"]);
        let texts: Vec<_> = found.texts.iter().map(|(_, path)| path.as_str().to_owned()).collect();
        assert_eq!(texts, ["cgi/readme.txt"], "a script is no text");
    }

    #[test]
    fn links_to_files_count_once_and_inside_only() {
        let outside = Project::new(&[("far.py", "")]);
        let project = Project::new(&[("a.py", ""), ("lib/b.py", ""), ("lib/c.txt", ""), ("src/d.py", "")]);
        let link = |target: &Utf8Path, name: &str| symlink(target, project.path().join(name)).unwrap();
        let root = root(&project);
        link(&root.join("a.py"), "src/again.py");
        link(&root.join("lib/b.py"), "src/first.py");
        link(&root.join("lib/b.py"), "src/second.py");
        link(&super::root(&outside).join("far.py"), "src/far.py");
        link(&root.join("nowhere.py"), "src/dangling.py");
        link(Utf8Path::new("circle.py"), "src/circle.py");
        let found = scan(&project, &["src", "a.py"], &DiscoverOptions::default());
        assert_eq!(names(&found), ["a.py", "src/d.py", "src/first.py"]);
        assert_eq!(skips(&found), [("src/far.py", "link-outside-root")]);
    }

    #[test]
    fn links_to_folders_are_not_followed() {
        let outside = Project::new(&[("far.py", "")]);
        let project = Project::new(&[("src/a.py", ""), ("common/b.py", "")]);
        let link = |target: &Utf8Path, name: &str| symlink(target, project.path().join(name)).unwrap();
        let root = root(&project);
        link(Utf8Path::new(".."), "src/loop");
        link(&root.join("common"), "src/common");
        link(&super::root(&outside), "src/far");
        let found = scan(&project, &["src"], &DiscoverOptions::default());
        assert_eq!(names(&found), ["src/a.py"]);
        assert_eq!(
            skips(&found),
            [("src/common", "linked-folder"), ("src/far", "linked-folder"), ("src/loop", "linked-folder")]
        );
        let whole = scan(&project, &[""], &DiscoverOptions::default());
        assert_eq!(names(&whole), ["common/b.py", "src/a.py"]);
        assert_eq!(skips(&whole), [("src/far", "linked-folder")]);
    }
}

#[test]
fn texts_are_found_and_not_read() {
    let files = [
        (".gitignore", "hidden.md\n"),
        ("a.py", ""),
        ("README.md", "x"),
        ("docs/b.RST", ""),
        ("docs/c.csv", ""),
        ("hidden.md", ""),
        ("node_modules/d/package.json", "{}"),
        ("out/e.json", ""),
        ("prompts/f.tmpl", ""),
        ("tests/g.json", "{}"),
    ];
    let project = Project::new(&files);
    let globs = |glob: &str| GlobSet::new([Glob::new(glob).unwrap()]).unwrap();
    let options =
        DiscoverOptions { exclude: globs("out"), watched: globs("prompts/*"), ..DiscoverOptions::default() };
    let found = scan(&project, &[""], &options);
    let texts: Vec<_> = found.texts.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(texts, ["README.md", "docs/b.RST", "prompts/f.tmpl", "tests/g.json"]);
    assert!(found.read_log.iter().all(|read| read.path != "README.md") && found.texts.read_log().is_empty());
    let named = scan(&project, &["out/e.json"], &options);
    assert_eq!(named.texts.iter().map(|(_, path)| path.as_str()).collect::<Vec<_>>(), ["out/e.json"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_text_is_read_inside_the_project_only() {
    let project = Project::new(&[("a.py", ""), ("docs/a.md", "inside")]);
    let outside = Project::new(&[("b.json", "outside")]);
    std::os::unix::fs::symlink("docs/a.md", project.path().join("again.md")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("b.json"), project.path().join("b.json")).unwrap();
    let found = scan(&project, &[""], &DiscoverOptions::default());
    assert!(skips(&found).is_empty(), "nobody asked for it");
    let texts: Vec<_> =
        found.texts.iter().map(|(id, path)| (path.as_str(), found.texts.read(id).is_some())).collect();
    assert_eq!(texts, [("b.json", false), ("docs/a.md", true)]);
    let skipped: Vec<_> = found.texts.skipped().map(|skipped| (skipped.path, skipped.why.code())).collect();
    assert_eq!(skipped, [("b.json".to_owned(), "link-outside-root")]);
}
