//! Configuration: where it is found, what it says, and every mistake one can make in it, as a user sees it.

use camino::{Utf8Path, Utf8PathBuf};
use gatelint::config::{Config, ConfigError, ConfigOptions, Layer, Origin, load};
use gatelint::report;

use crate::support::Project;

fn root(project: &Project) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(project.path().canonicalize().unwrap()).unwrap()
}

fn load_in(project: &Project, path: &str) -> Result<Config, ConfigError> {
    load(&root(project).join(path), &ConfigOptions::default())
}

fn named(file: Utf8PathBuf) -> ConfigOptions {
    ConfigOptions { file: Some(file), ..ConfigOptions::default() }
}

/// What a user sees of a configuration that is wrong.
#[track_caller]
fn complaint(name: &str, text: &str) -> String {
    let project = Project::new(&[(name, text)]);
    match load_in(&project, "") {
        Err(ConfigError::Mistakes(mistakes)) => {
            let mut out = Vec::new();
            report::mistakes(&mistakes, false, 80, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn unknown_key() {
    insta::assert_snapshot!(complaint("gatelint.toml", "exlude = [\"vendor/**\"]\n"));
}

#[test]
fn unknown_key_in_a_table() {
    insta::assert_snapshot!(complaint("gatelint.toml", "[layers]\ncommunication_layer = []\n"));
}

#[test]
fn wrong_type() {
    insta::assert_snapshot!(complaint("gatelint.toml", "exclude = \"vendor\"\n"));
}

#[test]
fn wrong_type_of_a_table() {
    insta::assert_snapshot!(complaint("gatelint.toml", "layers = [\"atlas/comm/**\"]\n"));
}

#[test]
fn wrong_type_in_a_list() {
    insta::assert_snapshot!(complaint("gatelint.toml", "[planning]\nfunctions = [\"draft\", 3]\n"));
}

#[test]
fn not_a_glob() {
    insta::assert_snapshot!(complaint("gatelint.toml", "[layers]\ncomm = [\"atlas/[comm/**\"]\n"));
}

#[test]
fn globs_that_leave_the_root() {
    insta::assert_snapshot!(complaint(
        "gatelint.toml",
        "exclude = [\"/opt/x\", \"../y\", \"a\\\\b\", \"\", \"~/z\"]\n"
    ));
}

#[test]
fn globs_that_take_too_long() {
    for glob in ["{a,".repeat(10_000), "[!a]".repeat(10_000)] {
        let complaint = complaint("gatelint.toml", &format!("exclude = [\"{glob}\"]\n"));
        assert!(complaint.contains("at most 1000 characters and 16"), "{complaint}");
    }
}

#[test]
fn not_a_function_name() {
    insta::assert_snapshot!(complaint(
        "gatelint.toml",
        "[planning]\nnot_functions = [\"atlas/planner.py\"]\n"
    ));
}

#[test]
fn not_toml() {
    insta::assert_snapshot!(complaint("gatelint.toml", "exclude = [\"a\"\n[planning]\nfunctions = ]\n"));
}

#[test]
fn duplicate_key() {
    insta::assert_snapshot!(complaint("gatelint.toml", "exclude = []\nexclude = []\n"));
}

#[test]
fn all_mistakes_at_once_in_pyproject() {
    let text = "[project]\nname = \"x\"\n\n[tool.gatelint]\nexclude = 1\nlayer = {}\n\n[tool.gatelint.planning]\nfunctions = [\"a b\"]\n";
    insta::assert_snapshot!(complaint("pyproject.toml", text));
}

#[test]
fn hostile_text_is_shown_not_obeyed() {
    let text = "\"\u{202e}x\" = 1\n# \u{1b}[2J\n";
    let complaint = complaint("gatelint.toml", text);
    assert!(!complaint.contains(['\u{202e}', '\u{1b}']), "{complaint}");
    assert!(complaint.contains("\\u{202e}x") && complaint.contains("\\u{1b}"), "{complaint}");
}

#[test]
fn every_file_name_is_found_upwards_and_makes_the_root() {
    let own = "[layers]\noperator = [\"cli/**\"]\n";
    let pyproject = "[tool.gatelint.layers]\noperator = [\"cli/**\"]\n";
    for (name, text) in [("gatelint.toml", own), (".gatelint.toml", own), ("pyproject.toml", pyproject)] {
        let project = Project::new(&[("app/src/a.py", "")]);
        project.write(&format!("app/{name}"), text);
        let config = load_in(&project, "app/src/a.py").unwrap();
        assert_eq!(config.root, root(&project).join("app"), "{name}");
        assert_eq!(config.origin, Origin::File(name.into()));
        assert!(config.layers.of(Utf8Path::new("cli/a.py")).contains(Layer::Operator));
    }
}

#[test]
fn nothing_above_the_repository_speaks() {
    let project = Project::new(&[
        ("gatelint.toml", "exclude = [\"x\"]\n"),
        ("inner/.git/HEAD", ""),
        ("inner/src/a.py", ""),
    ]);
    let config = load_in(&project, "inner/src").unwrap();
    assert_eq!((config.root, config.origin), (root(&project).join("inner"), Origin::Defaults));
}

#[test]
fn without_repository_the_path_itself_is_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    let config = load(&folder, &ConfigOptions { isolated: true, ..ConfigOptions::default() }).unwrap();
    assert_eq!(config.root, folder);
}

#[test]
fn two_configurations_in_one_folder_are_a_mistake() {
    let project = Project::new(&[("gatelint.toml", ""), ("pyproject.toml", "[tool.gatelint]\n")]);
    let error = load_in(&project, "").unwrap_err().to_string();
    assert!(error.contains("holds two configurations, `gatelint.toml` and `pyproject.toml`"), "{error}");
}

#[test]
fn a_pyproject_of_others_is_none_of_our_business() {
    for text in ["[project]\nname = \"x\"\n", "this is no toml", "tool = 3\n"] {
        let project = Project::new(&[("pyproject.toml", text)]);
        assert_eq!(load_in(&project, "").unwrap().origin, Origin::Defaults, "{text}");
    }
}

#[test]
fn a_named_file_wins_and_isolation_ignores_all() {
    let project =
        Project::new(&[("gatelint.toml", "nonsense = 1\n"), ("ci/strict.toml", "exclude = [\"x\"]\n")]);
    let file = root(&project).join("ci/strict.toml");
    let config = load(&root(&project), &named(file)).unwrap();
    assert_eq!(config.root, root(&project));
    assert!(config.exclude.is_match("x/a.py") && config.is_configured());
    let isolated =
        load(&root(&project), &ConfigOptions { isolated: true, ..ConfigOptions::default() }).unwrap();
    assert!(!isolated.is_configured());
}

#[test]
fn a_named_pyproject_needs_the_table() {
    let project = Project::new(&[("pyproject.toml", "[project]\nname = \"x\"\n")]);
    let file = root(&project).join("pyproject.toml");
    let error = load(&root(&project), &named(file)).unwrap_err();
    assert!(matches!(error, ConfigError::NoTable { .. }), "{error:?}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_read() {
    let secret = Project::new(&[("secret.toml", "password = 1\n")]);
    let project = Project::new(&[]);
    std::os::unix::fs::symlink(secret.path().join("secret.toml"), project.path().join("gatelint.toml"))
        .unwrap();
    let error = load_in(&project, "").unwrap_err();
    assert!(matches!(error, ConfigError::LinkedAway { .. }), "{error:?}");
}

#[test]
fn comm_globs_replace_the_defaults_and_others_add() {
    let project =
        Project::new(&[("gatelint.toml", "[layers]\ncomm = [\"net\"]\nllm = [\"providers/**\"]\n")]);
    let layers = load_in(&project, "").unwrap().layers;
    let has = |path: &str, layer| layers.of(Utf8Path::new(path)).contains(layer);
    assert!(has("net/a.py", Layer::Comm) && !has("comm/a.py", Layer::Comm));
    assert!(has("providers/a.py", Layer::Llm));
    assert!(has("tests/test_a.py", Layer::Test), "not configurable");
    assert!(!has("a/b.py", Layer::Operator) && !has("a/b.py", Layer::Storage));
}
