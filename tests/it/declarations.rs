//! `gatelint declarations`: what is found in a transcript, what is wrong with it, and the exit codes.

use std::path::Path;

use crate::support::{Project, Ran, Run};

const GOOD: &str = "\
I need something from outside. {not json}

```json
{
  \"external_info\": {
    \"required\": true,
    \"declarations\": [
      {\"action\": \"web_search\", \"reason\": \"newer than the training data\", \"target\": \"Python 3.12\",
       \"priority\": 1, \"estimated_cost\": \"LOW\"}
    ]
  }
}
```

And then: {\"operation\": \"comm.fetch\", \"parameters\": {\"url\": \"https://x\"}, \"phase\": \"execution\", \"session_id\": \"s\",
\"justification\": {\"user_request\": \"a\", \"missing_knowledge\": \"b\", \"expected_use\": \"c\"}} Done.
";

fn run(args: &[&str], stdin: &str) -> Ran {
    let project = Project::new(&[]);
    Run::new(&[&["declarations"], args].concat()).within(project.path()).stdin(stdin.as_bytes()).ran()
}

/// `rule line: message` of every problem.
fn problems(stdin: &str) -> Vec<String> {
    let ran = run(&["-", "--format", "json"], stdin);
    let json = checked(&ran);
    let all =
        json["declarations"].as_array().unwrap().iter().flat_map(|one| one["problems"].as_array().unwrap());
    let told = |one: &serde_json::Value| {
        format!(
            "{} {}: {}",
            one["rule"].as_str().unwrap(),
            one["start"]["line"],
            one["message"].as_str().unwrap()
        )
    };
    all.map(told).collect()
}

#[track_caller]
fn checked(ran: &Ran) -> serde_json::Value {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-declarations.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let json = ran.json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    json
}

#[test]
fn what_is_declared_is_shown() {
    let ran = run(&["-"], GOOD);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    for line in [
        "-:8:7: web_search",
        "  target    Python 3.12",
        "  required  yes",
        "  priority  1",
        "  cost      LOW",
        "  target    {\"url\": \"https://x\"}",
        "2 declarations in 1 file",
    ] {
        assert!(ran.stdout.contains(line), "{line} in {}", ran.stdout);
    }
    let json = checked(&run(&["-", "--format", "json"], GOOD));
    assert_eq!(json["declarations"][0]["required"], true);
    assert_eq!(json["declarations"][1]["operation"], "comm.fetch");
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    assert_eq!(
        problems(&GOOD.replace("\"LOW\"", "\"CHEAP\"").replace("\"execution\"", "\"planning\"")),
        [
            "GL501 9: `estimated_cost` is \"CHEAP\", but has to be \"LOW\", \"MED\" or \"HIGH\"",
            "GL503 15: `phase` is \"planning\", but has to be \"execution\"",
        ]
    );
    let partial =
        "{\"operation\": \"comm.search\", \"parameters\": [], \"justification\": {\"user_request\": \" \"}}";
    assert_eq!(
        problems(partial),
        [
            "GL501 1: `parameters` is a list, but has to be an object",
            "GL502 1: `justification.user_request` is empty, but has to be a text that says something",
            "GL502 1: `justification.missing_knowledge` and `justification.expected_use` are missing",
            "GL501 1: `session_id` is missing",
        ]
    );
    assert_eq!(run(&["-"], partial).code, 1);
}

#[test]
fn a_model_fills_in_its_places() {
    let said =
        GOOD.replace("newer than the training data", "<why, 10-500 characters>").replace("LOW", "LOW|MED");
    assert_eq!(problems(&said).len(), 1, "the choice is none");
}

#[test]
fn json_that_breaks_off_is_said_where_it_breaks() {
    let broken = GOOD.replace("\"target\": \"Python 3.12\",", "\"target\": \"Python 3.12\"");
    assert_eq!(problems(&broken)[0], "GL501 9: the JSON breaks off here: a `,` or a `}` is missing");
    assert_eq!(problems(&broken).len(), 1, "the other one is fine");
    let single = "{'operation': 'comm.search', 'parameters': {}}";
    assert_eq!(problems(single), ["GL501 1: the JSON breaks off here: a key in double quotes is missing"]);
    for prose in ["{\"a\": [1, 2}", "{ {{{ [", "{\"name\": \"comm.search\", \"x\": nope}"] {
        assert_eq!(run(&["-"], prose).code, 3, "{prose}");
    }
}

#[test]
fn hostile_text_is_bounded_and_escaped() {
    let deep = "{\"a\":".repeat(100_000);
    assert_eq!(run(&["-"], &deep).code, 3);
    let hostile = "{\"operation\": \"comm.\\u001b[31mred\", \"phase\": \"execution\"}";
    let shown = run(&["-"], hostile);
    assert_eq!(shown.code, 1);
    assert!(!shown.stdout.contains('\u{1b}'), "{}", shown.stdout);
}

#[test]
fn exit_codes_and_usage() {
    assert_eq!(run(&["-"], "nothing here").code, 3);
    assert_eq!(run(&[], "").code, 2);
    let gone = run(&["gone.txt"], "");
    assert_eq!(
        (gone.code, gone.stderr.as_str()),
        (2, "error: cannot read the transcript `gone.txt`: no such file or folder\n")
    );
    assert!(run(&["--help"], "").stdout.contains("nothing is declared"));
    let printed = Run::new(&["schema", "declarations"]).ran().stdout;
    assert!(printed.contains("gatelint declarations"));
}
