//! What the settings of a configuration come to, and what a user sees of mistakes in those that have a shape of their own.

use camino::Utf8Path;
use gatelint::config::{self, Config, ConfigError, ConfigOptions, Layer, Level, RuleNames, Sensitivity};
use gatelint::{report, rule};

use crate::support::Project;

/// Every setting there is, in the words of `docs/configuration.md`.
pub const EVERYTHING: &str = include_str!("settings/everything.toml");

fn read(text: &str) -> Config {
    match config::from_text("/project", "gatelint.toml", text) {
        Ok(config) => config,
        Err(error) => panic!("{error:?}"),
    }
}

fn complaint(text: &str, rules: RuleNames) -> String {
    let project = Project::new(&[("gatelint.toml", text)]);
    let root = Utf8Path::from_path(project.path()).unwrap().canonicalize_utf8().unwrap();
    let options = ConfigOptions { rules, ..ConfigOptions::default() };
    match config::load(&root, &options) {
        Err(error) => shown(&error),
        Ok(config) => panic!("{config:?}"),
    }
}

fn shown(error: &ConfigError) -> String {
    let ConfigError::Mistakes(mistakes) = error else { panic!("{error}") };
    let mut out = Vec::new();
    report::mistakes(mistakes, false, 80, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn builtin() -> RuleNames {
    rule::names(&rule::builtin().unwrap())
}

#[test]
fn every_setting_arrives() {
    let config = read(EVERYTHING);
    assert!(config.exclude.is_match("vendor/a.py"));
    assert!(config.layers.of(Utf8Path::new("atlas/store/a.py")).contains(Layer::Storage));
    let names = |names: &[config::NamePattern]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(&config.planning.functions), ["draft_itinerary"]);
    assert_eq!(names(&config.planning.not_functions), ["billing.plans.*"]);
    assert!(names(&config.gates.phase_checks).contains(&"atlas.guards.require_execution".to_owned()));
    assert!(names(&config.gates.action_gates).contains(&"atlas.sentinel.judge".to_owned()));
    assert_eq!(names(&config.gates.executors), ["atlas.runner.execute_skill"]);
    assert_eq!(names(&config.gates.gated_executors), ["atlas.runner.TaskExecutor.run"]);
    assert_eq!(config.gates.meta_tools, ["delete task"]);
    let names: Vec<_> = config.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["search_email", "web search", "github_create_pr"]);
    assert_eq!(config.tool("search_email").unwrap().sensitivity, Some(Sensitivity::InternalSource));
    assert_eq!(config.tool("github_create_pr").unwrap().blocked, Some(false));
    assert!(config.prompts.is_match("prompts/a/b.md") && !config.prompts.is_match("a.md"));
    assert_eq!(config.rules_paths, ["lint/rules"]);
    let level = &config.levels[0];
    assert!(level.globs.is_match("atlas/legacy/a.py"));
    assert_eq!(level.reason, "replaced by ATL-412 in March");
    let levels: Vec<_> = level.rules.iter().map(|(rule, _, level)| (rule.as_str(), *level)).collect();
    assert_eq!(levels, [("GL101", Level::Warning), ("direct-network-call", Level::Off)]);
    assert_eq!(config.extension.effects.len(), 3, "one's own and those of the preset");
}

#[test]
fn a_preset_adds_to_what_the_project_says() {
    let own = "[gates.phase]\ncheck = [\"own\"]\n[tools.x]\nsensitivity = \"external\"\n";
    let config = read(&format!("extends = [\"agentos\"]\n{own}"));
    let names: Vec<_> = config.gates.phase_checks.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["own", "PhaseGate.check", "_check_phase_gate", "SkillInvoker.invoke"]);
    assert!(config.claims.iter().all(|claim| claim.text == "own"), "what a preset names need not exist here");
}

#[test]
fn a_project_is_asked_before_the_built_in_catalogue() {
    let builtin = rule::builtin_catalog().unwrap();
    let text = "[[returns]]\ncall = [\"requests.session\"]\ntype = \"acme.Session\"\n\
                [fence]\nmarkers = [\"OURS\"]\n[audit]\nwriters = [\"record\"]\n[handlers]\nnamespaces = [\"outside\"]\n";
    let config = read(text);
    let catalog = config.extend(&builtin);
    assert!(catalog.handlers.is_command("outside.search") && catalog.handlers.is_command("comm.search"));
    let returned = catalog.returns.first("requests.session").map(|id| catalog.text(id));
    assert_eq!(returned, Some("acme.Session"));
    assert_eq!(catalog.fence.markers, ["UNTRUSTED_EXTERNAL_CONTENT", "OURS"]);
    assert!(catalog.audit.matches("record") && catalog.audit.matches("atlas.audit.record"));
    assert!(catalog.audit.matches("atlas.log_audit_event"), "the built-in ones stay");
    let same = read("");
    assert!(std::ptr::eq(&*same.extend(&builtin), &builtin), "nothing is copied for nothing");
}

#[test]
fn mistakes_in_tables_of_every_kind() {
    insta::assert_snapshot!(complaint(include_str!("settings/mistakes.toml"), builtin()));
}

#[test]
fn a_level_for_a_rule_that_is_none() {
    let text = "[[levels]]\npaths = [\"a\"]\nrules = { GL1 = \"off\", direct-network-cal = \"note\" }\nreason = \"x\"\n";
    insta::assert_snapshot!(complaint(text, builtin()));
}

#[test]
fn with_rules_of_ones_own_levels_are_checked_when_those_are_loaded() {
    let text = "[rules]\npaths = [\"lint\"]\n[[levels]]\npaths = [\"a\"]\nrules = { ACME1 = \"off\" }\nreason = \"x\"\n";
    let project = Project::new(&[("gatelint.toml", text)]);
    let root = Utf8Path::from_path(project.path()).unwrap().canonicalize_utf8().unwrap();
    let options = ConfigOptions { rules: builtin(), ..ConfigOptions::default() };
    let config = config::load(&root, &options).unwrap();
    assert!(config.check_rules(&RuleNames::new([("ACME1", "acme-thing")])).is_ok());
    let error = config.check_rules(&builtin()).unwrap_err();
    assert!(shown(&error).contains("no rule is called `ACME1`"), "{}", shown(&error));
}

const OWN_RULE: &str = r#"
id = "ACME001"
name = "pickle-in-planner"
summary = "planner unpickles data"
severity = "error"
message = "`{callee}` runs whatever the data says"
help = "exchange data as JSON"

[[match]]
call = { path = ["pickle.loads"] }
"#;

/// Rules of one's own come from the configuration as from `--rules`: levels and waivers know them.
#[test]
fn rules_of_ones_own_from_the_configuration() {
    let level = "[[levels]]\npaths = [\"old.py\"]\nrules = { pickle-in-planner = \"off\" }\nreason = \"x\"\n";
    let config = format!("[rules]\npaths = [\"lint\"]\n{level}");
    let code = "import pickle\n\npickle.loads(x)\n";
    let waived = "import pickle\n\npickle.loads(x)  # gatelint: allow[ACME001] reason=\"our own bytes\"\n";
    let project = Project::new(&[
        ("gatelint.toml", config.as_str()),
        ("lint/a.toml", OWN_RULE),
        ("new.py", code),
        ("old.py", code),
        ("waived.py", waived),
    ]);
    let ran = project.run(&["check", "--format", "json"]);
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{ran:?}");
    assert_eq!(
        (&findings[0]["rule"], &findings[0]["location"]["path"]),
        (&"ACME001".into(), &"new.py".into())
    );
    assert_eq!(report["summary"]["levels"][0]["off"]["ACME001"], 1);
    assert_eq!(report["waived"][0]["rule"], "ACME001");
    project.write("lint/a.toml", OWN_RULE.replace("severity", "severty"));
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("─[lint/a.toml:"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_folder_of_rules_that_leads_out_of_the_project_is_not_read() {
    let secret = Project::new(&[("a.toml", "password = 1\n")]);
    let project = Project::new(&[("gatelint.toml", "[rules]\npaths = [\"lint\"]\n"), ("a.py", "x = 1\n")]);
    std::os::unix::fs::symlink(secret.path(), project.path().join("lint")).unwrap();
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("is a link out of the project") && !ran.stderr.contains("password"),
        "{ran:?}"
    );
}
