//! Seed 002: what a session is told of its tools, and plans that keep to it.

use serde_json::{Value, json};

mod lint;

use crate::support::{Project, Ran, Run};

const MANIFEST: &str = include_str!("ordering/manifest.toml");
const PROMPT: &str = include_str!("ordering/prompt.toml");
const OFFERED: &str = "search_email,search_docs,web_search,github_create_pr";

/// Without the white space between tokens.
fn tight(json: &str) -> String {
    let (mut text, mut in_string) = (String::new(), false);
    for c in json.chars() {
        in_string ^= c == '"';
        if in_string || !c.is_whitespace() {
            text.push(c);
        }
    }
    text
}

fn project(config: &str) -> Project {
    Project::new(&[("gatelint.toml", config)])
}

fn plan(project: &Project, request: &Value) -> Ran {
    Run::new(&["plan", "-"]).within(project.path()).stdin(request.to_string().as_bytes()).ran()
}

fn calls(names: &[&str]) -> Value {
    json!({ "planned_calls": names })
}

#[test]
fn the_gateway_returns_a_manifest_describing_each_available_tool_and_its_sensitivity_class() {
    let ran = project(MANIFEST).run(&["manifest", "--session", "sess_abc123", "--tools", OFFERED]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(tight(&ran.stdout), tight(include_str!("ordering/manifest.json")));
}

#[test]
fn a_short_planning_constraint_is_injected_into_the_system_prompt() {
    let offered = "search_email,search_docs,web_search,slack_post,github_create_pr,github_read_file";
    let ran = project(PROMPT).run(&["manifest", "--prompt", "--tools", offered]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout, include_str!("ordering/prompt.txt"));
}

#[test]
fn a_planned_sequence_is_answered_with_violations_and_a_safe_ordering() {
    let ran = plan(&project(MANIFEST), &calls(&["search_email", "web_search", "github_create_pr"]));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(tight(&ran.stdout), tight(include_str!("ordering/answer.json")));
}

#[test]
fn the_corrected_ordering_proceeds_without_hitting_any_block() {
    let project = project(MANIFEST);
    let first = plan(&project, &calls(&["search_email", "web_search", "github_create_pr"])).json();
    let second = plan(&project, &json!({ "planned_calls": first["safe_ordering"] }));
    assert_eq!(second.code, 0, "{second:?}");
    assert_eq!(
        second.json(),
        json!({ "valid": true, "violations": [], "safe_ordering": first["safe_ordering"] })
    );
}

#[test]
fn no_sensitive_data_ever_coexists_with_an_active_external_tool_even_after_several_sources() {
    let ran = plan(&project(MANIFEST), &calls(&["search_email", "search_docs", "slack_post", "web_search"]));
    let answer = ran.json();
    let steps: Vec<_> = answer["violations"].as_array().unwrap().iter().map(|v| &v["at_step"]).collect();
    assert_eq!(steps, [2, 3]);
    for violation in answer["violations"].as_array().unwrap() {
        assert!(violation["reason"].as_str().unwrap().contains("after search_email (step 0)"), "{violation}");
    }
    assert_eq!(answer["safe_ordering"], json!(["slack_post", "web_search", "search_email", "search_docs"]));
}

#[test]
fn a_step_that_needs_internal_data_cannot_be_moved_before_it_and_that_is_said() {
    let request = json!({ "planned_calls": ["search_email", "web_search"], "depends_on": [[], [0]] });
    let ran = plan(&project(MANIFEST), &request);
    assert_eq!(ran.code, 1, "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["safe_ordering"], Value::Null);
    assert!(answer["violations"][0]["suggestion"].as_str().unwrap().contains("no order is safe"), "{answer}");
}

#[test]
fn what_a_blocked_step_needs_is_moved_with_it() {
    let request = json!({
        "planned_calls": ["search_email", "github_create_pr", "web_search"],
        "depends_on": [[], [], [1]],
    });
    let answer = plan(&project(MANIFEST), &request).json();
    assert_eq!(answer["safe_ordering"], json!(["github_create_pr", "web_search", "search_email"]));
}

#[test]
fn tools_that_are_not_blocked_are_safe_in_any_order() {
    let ran = plan(&project(MANIFEST), &calls(&["search_email", "github_create_pr"]));
    assert_eq!((ran.code, ran.json()["valid"].clone()), (0, true.into()));
}

#[test]
fn a_tool_of_no_class_is_blocked_is_no_source_and_is_named() {
    let files = [
        ("gatelint.toml", MANIFEST),
        ("agent.py", "from langchain_core.tools import tool\n@tool\ndef ponder(text): return text\n"),
    ];
    let project = Project::new(&files);
    let after = plan(&project, &calls(&["search_email", "ponder"]));
    assert_eq!(after.code, 1, "{after:?}");
    assert!(after.stderr.contains("ponder"), "{after:?}");
    let before = plan(&project, &calls(&["ponder", "web_search"]));
    assert_eq!(before.code, 0, "{before:?}");
    let manifest = project.run(&["manifest"]);
    assert!(manifest.stderr.contains("ponder"), "{manifest:?}");
    let tools = manifest.json()["tools"].clone();
    let ponder = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "ponder").unwrap();
    assert_eq!(ponder["sensitivity"], Value::Null);
}

#[test]
fn where_every_order_is_allowed_there_is_no_constraint() {
    let ran = project("[tools.web_search]\nsensitivity = \"external\"\n").run(&["manifest", "--prompt"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("every order"), "{ran:?}");
}

/// What is sent, and what the complaint says of it.
const WRONG: &[(&str, &str)] = &[
    (
        r#"{"planned_calls": ["search_email", "web_serch"]}"#,
        "`planned_calls[1]`: no tool is called `web_serch`; did you mean `web_search`?",
    ),
    (r#"{"planned_calls": "search_email"}"#, "expected a sequence at line 1 column 32"),
    (r#"{"planned_calls": ["search_email", 3]}"#, "expected a string at line 1 column 36"),
    (r#"{"planned_calls": ["search_email""#, "EOF while parsing a list at line 1"),
    (r#"{"planed_calls": []}"#, "unknown field `planed_calls`"),
    (r#"["search_email"]"#, "line 1 column"),
    ("", "EOF while parsing a value at line 1"),
    (
        r#"{"planned_calls": ["web_search"], "depends_on": [[0]]}"#,
        "`depends_on[0]` names step 0; a step can only need those before it",
    ),
    (
        r#"{"planned_calls": ["web_search", "slack_post"], "depends_on": [[1], [0]]}"#,
        "`depends_on[0]` names step 1; a step can only need those before it",
    ),
    (r#"{"planned_calls": ["web_search"], "depends_on": []}"#, "`depends_on` has 0 entries for 1 steps"),
    (r#"{"planned_calls": ["web_search"], "depends_on": [[-1]]}"#, "line 1 column 52"),
];

#[test]
fn a_plan_that_is_none_gets_an_error_with_its_place() {
    let project = project(MANIFEST);
    for (request, complaint) in WRONG {
        let ran = Run::new(&["plan", "-"]).within(project.path()).stdin(request.as_bytes()).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{request}: {ran:?}");
        assert!(ran.stderr.contains(complaint), "{request}: {ran:?}");
    }
    let missing = project.run(&["plan", "absent.json"]);
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.stderr.contains("absent.json"), "{missing:?}");
    let unknown = project.run(&["manifest", "--tools", "search_mail"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.contains("did you mean `search_email`?"), "{unknown:?}");
}

#[test]
fn many_plans_are_answered_line_by_line_and_a_bad_line_stops_none() {
    let project = project(MANIFEST);
    let mut lines = vec![r#"{"planned_calls": ["web_search", "search_email"]}"#.to_owned()];
    lines.extend(WRONG.iter().map(|(request, _)| (*request).to_owned()));
    lines.push(r#"{"planned_calls": ["search_email", "web_search"]}"#.to_owned());
    let text = lines.join("\n") + "\n";
    let ran = Run::new(&["plan", "--lines", "-"]).within(project.path()).stdin(text.as_bytes()).ran();
    assert_eq!(ran.code, 2, "{ran:?}");
    let answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), lines.len());
    assert_eq!((&answers[0]["valid"], &answers[lines.len() - 1]["valid"]), (&true.into(), &false.into()));
    for (nth, (answer, (_, complaint))) in answers[1..].iter().zip(WRONG).enumerate() {
        let keys: Vec<_> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((keys, &answer["line"]), (vec!["error", "line"], &(nth + 2).into()));
        assert!(answer["error"].as_str().unwrap().contains(complaint), "{answer} {complaint}");
    }
    let good = format!("{}\n{}", lines[0], lines[lines.len() - 1]);
    let ran = Run::new(&["plan", "--lines", "-"]).within(project.path()).stdin(good.as_bytes()).ran();
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_hundred_thousand_steps_are_answered_in_a_second() {
    let names = ["search_email", "web_search", "github_create_pr", "slack_post"];
    let planned: Vec<_> = (0..100_000).map(|step| names[step % names.len()]).collect();
    let needs: Vec<Vec<usize>> =
        (0..100_000usize).map(|step| if step % 4 == 3 { vec![step - 2] } else { vec![] }).collect();
    let project = project(MANIFEST);
    let start = std::time::Instant::now();
    let ran = plan(&project, &json!({ "planned_calls": planned, "depends_on": needs }));
    // Built without optimisation and beside other tests; the release build takes a tenth.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!(ran.code, 1);
    let answer = ran.json();
    assert_eq!(answer["violations"].as_array().unwrap().len(), 50_000);
    assert_eq!(answer["safe_ordering"].as_array().unwrap().len(), 100_000);
}
