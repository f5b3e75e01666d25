//! The report formats, from outcomes made by hand: layout by snapshot, structure by schema.

use std::collections::BTreeSet;
use std::path::Path;

use gatelint::explain;
use gatelint::finding::{Calls, Confidence, Finding, Gap, Outcome, Severity, Step};
use gatelint::report::{Format, ReportOptions, report};
use gatelint::source::{Encoding, Skip, Skipped, SourceFile};
use serde_json::Value;

use crate::support::sample;

fn rendered(outcome: &Outcome, options: ReportOptions) -> String {
    let mut out = Vec::new();
    report(outcome, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn human(outcome: &Outcome) -> String {
    rendered(outcome, ReportOptions::default())
}

/// Checked against its schema.
#[track_caller]
fn valid(outcome: &Outcome, format: Format, min_confidence: Confidence) -> Value {
    let schema = match format {
        Format::Sarif => "tests/it/sarif-2.1.0.schema.json",
        _ => "docs/gatelint-report.schema.json",
    };
    let schema = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(schema)).unwrap();
    // A slip of the SARIF schema: a bracket that most engines refuse.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$");
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let text = rendered(outcome, ReportOptions { format, min_confidence, ..ReportOptions::default() });
    let value = serde_json::from_str(&text).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(&value).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value
}

fn sarif(outcome: &Outcome) -> Value {
    valid(outcome, Format::Sarif, Confidence::Medium)["runs"][0].clone()
}

fn json(outcome: &Outcome) -> Value {
    valid(outcome, Format::Json, Confidence::Medium)
}

/// Many findings that no agent reaches, in few files.
fn crowd(count: usize) -> Outcome {
    let files = vec![
        SourceFile::new("atlas/a.py", "import requests\n".to_owned() + &"requests.get(u)\n".repeat(count)),
        SourceFile::new("atlas/b.py", "import socket\n"),
    ];
    let import = sample::rule("GL101", "direct-network-import", Severity::Error);
    let call = sample::rule("GL102", "direct-network-call", Severity::Warning);
    let mut outcome = sample::clean(files);
    let named = |mut finding: Finding, module: &str| {
        finding.captures.insert("module", module.to_owned());
        finding
    };
    let called = |mut finding: Finding| {
        finding.captures.insert("callee", "requests.get".to_owned());
        finding
    };
    let at = |path: &str, code: &str, nth| sample::place(&outcome.files, path, code, nth);
    let mut findings =
        vec![named(sample::finding(&import, at("atlas/a.py", "import requests", 0), "x"), "requests")];
    let sent = |nth| sample::finding(&call, at("atlas/a.py", "requests.get(u)", nth), "x");
    findings.extend((0..count).map(|nth| called(sent(nth))));
    findings.push(named(sample::finding(&import, at("atlas/b.py", "import socket", 0), "x"), "socket"));
    outcome.rules = vec![import, call];
    outcome.findings = findings;
    outcome
}

#[test]
fn human_shows_the_path_across_files() {
    insta::assert_snapshot!(human(&sample::atlas()));
}

#[test]
fn human_rolls_up_what_no_agent_reaches() {
    let mut outcome = crowd(12);
    let rule = sample::rule("GL201", "planning-phase-io", Severity::Error);
    let place = sample::place(&outcome.files, "atlas/b.py", "socket", 0);
    let mut reached = sample::finding(&rule, place, "`plan` can reach network while planning");
    reached.via = Some(sample::via(&outcome.files));
    outcome.findings.push(reached);
    insta::assert_snapshot!(human(&outcome));
}

#[test]
fn human_joins_paths_with_one_end_and_shortens_them() {
    let mut outcome = sample::atlas();
    outcome.findings.retain(|finding| finding.rule.id == "GL201");
    let path = &mut outcome.findings[0];
    let between = path.steps[1].place;
    let hop =
        |n| Step { place: between, text: format!("`hop_{n}` calls `hop_{}`", n + 1), why: String::new() };
    path.steps.splice(1..2, (1..14).map(hop));
    let mut other = path.clone();
    other.primary = sample::place(&outcome.files, "atlas/planner.py", "plan_trip", 0);
    other.captures.insert("function", "plan_\u{1b}other_trip".to_owned());
    other.confidence = Confidence::Medium;
    outcome.findings.push(other);
    insta::assert_snapshot!(human(&outcome));
}

#[test]
fn human_groups_by_entry_point() {
    let mut outcome = crowd(2);
    let via = sample::via(&outcome.files);
    outcome.findings.iter_mut().for_each(|finding| finding.via = Some(via.clone()));
    let text = human(&outcome);
    let places: Vec<_> = text.lines().filter(|line| line.contains("╭─[")).map(str::trim).collect();
    // Calls before imports.
    let wanted = ["╭─[atlas/a.py:2:1]", "╭─[atlas/a.py:3:1]", "╭─[atlas/a.py:1:1]", "╭─[atlas/b.py:1:1]"];
    assert_eq!(places, wanted, "{text}");
    let head = format!("\n\nreachable by the agent (4)\n\n{} `{}`  atlas/", via.kind.noun(), via.name);
    assert!(text.contains(&head), "{text}");
}

/// What an agent reaches, of three rules, and more of the first than anybody reads.
fn flood() -> Outcome {
    let mut outcome = crowd(40);
    let via = sample::via(&outcome.files);
    outcome.findings.iter_mut().for_each(|finding| {
        finding.via = Some(via.clone());
        finding.rule = sample::rule(&finding.rule.id, "a-rule", Severity::Error);
    });
    outcome
}

#[test]
fn human_draws_some_of_each_rule_and_lists_the_others() {
    let outcome = flood();
    let text = human(&outcome);
    let cards = |text: &str, rule: &str| text.matches(&format!("[{rule}] a-rule\n")).count();
    assert_eq!((cards(&text, "GL101"), cards(&text, "GL102")), (1, 1), "{text}");
    assert_eq!(text.matches("  help: ").count(), 2, "what to do is said once a rule: {text}");
    assert!(text.contains("reachable by the agent (42)\n"), "{text}");
    assert!(text.contains("  also reaches the network: GL102 atlas/a.py:3, :4,"), "{text}");
    assert!(text.contains("and 31 more\n"), "{text}");
    let full = rendered(&outcome, ReportOptions { full: true, ..ReportOptions::default() });
    assert_eq!((cards(&full, "GL101"), cards(&full, "GL102")), (2, 40), "{full}");
    assert!(!full.contains("--full"), "{full}");
}

#[test]
fn human_lists_the_fullest_files_and_counts_the_others() {
    let files: Vec<_> = (0..30)
        .map(|n| SourceFile::new(format!("f{n:02}.py"), "requests.get(u)\n".repeat(1 + n % 3)))
        .collect();
    let rule = sample::rule("GL102", "direct-network-call", Severity::Error);
    let mut outcome = sample::clean(files);
    for n in 0..30 {
        for at in 0..1 + n % 3 {
            let place = sample::place(&outcome.files, &format!("f{n:02}.py"), "requests.get(u)", at);
            outcome.findings.push(sample::finding(&rule, place, "`it` is wrong"));
        }
    }
    let text = human(&outcome);
    assert!(text.contains("all findings, by file (60)\n"), "{text}");
    assert!(text.contains("  GL102 f29.py:1, :2, :3") && !text.contains(" f03.py"), "{text}");
    assert!(text.contains("\n  and 10 more files with 10 findings (`--full` lists them)\n"), "{text}");
    let full = rendered(&outcome, ReportOptions { full: true, ..ReportOptions::default() });
    assert!(full.contains("  GL102 f03.py:1") && !full.contains("--full"), "{full}");
}

#[test]
fn human_stays_within_the_screen() {
    for outcome in [sample::atlas(), flood()] {
        for width in [60, 80, 120] {
            let text = rendered(&outcome, ReportOptions { width, ..ReportOptions::default() });
            let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > width).collect();
            assert!(wide.is_empty(), "{width}: {wide:#?}");
        }
    }
}

#[test]
fn human_says_what_comes_next_where_nobody_configured_anything() {
    let mut outcome = flood();
    let with_config = human(&outcome);
    outcome.config = SourceFile::new("", "");
    let without = human(&outcome);
    for command in ["gatelint explain GL10", "gatelint init", "gatelint baseline write"] {
        let found = |text: &str| text.rsplit_once("\nnext\n").is_some_and(|(_, next)| next.contains(command));
        assert!(found(&without) && !found(&with_config), "{command}\n{without}\n{with_config}");
    }
    let clean = sample::clean(vec![SourceFile::new("a.py", "x = 1\n")]);
    assert!(!human(&clean).contains("\nnext\n"));
}

#[test]
fn human_fills_the_lines_of_a_roll_up() {
    let mut outcome = crowd(12);
    for (nth, finding) in outcome.findings.iter_mut().enumerate() {
        if let Some(callee) = finding.captures.get_mut("callee") {
            *callee = format!("requests.\u{1b}[2J{}", nth / 2);
        }
    }
    for width in [60, 80] {
        let text = rendered(&outcome, ReportOptions { width, ..ReportOptions::default() });
        let (_, listed) = text.split_once("all findings, by file (14)\n\n").unwrap();
        let (listed, _) = listed.split_once("\n\n").unwrap();
        assert!(listed.lines().all(|line| line.chars().count() <= width), "{listed}");
        assert!(listed.lines().all(|line| line.starts_with("  GL") || line.starts_with("          ")));
        assert!(listed.contains("(requests.\\u{1b}[2J1)") && listed.contains("and 4 more"), "{listed}");
    }
}

#[test]
fn human_says_once_that_nothing_plans() {
    let mut outcome = crowd(12);
    outcome.coverage.entry_points.clear();
    assert_eq!(human(&outcome).matches("no tool, comm handler").count(), 1);
}

#[test]
fn human_rounds_no_call_away() {
    let mut outcome = sample::clean(vec![SourceFile::new("a.py", "x = 1\n")]);
    outcome.coverage.calls = Calls { resolved: 9_999, unresolved: 1, ..Calls::default() };
    let text = human(&outcome);
    assert!(
        text.contains("calls   99.9 % of 10000 calls understood (9999 in the project), 1 not\n"),
        "{text}"
    );
    outcome.coverage.calls.unresolved = 0;
    let text = human(&outcome);
    assert!(text.contains("calls   all 9999 calls understood (9999 in the project)\n"), "{text}");
}

#[test]
fn human_is_short_if_there_is_nothing() {
    let outcome = sample::clean(vec![SourceFile::new("a.py", "x = 1\n")]);
    insta::assert_snapshot!(human(&outcome));
}

#[test]
fn human_says_what_would_help() {
    let mut outcome = sample::clean(vec![SourceFile::new("a.py", "x = 1\n")]);
    outcome.coverage.configured = false;
    outcome.coverage.entry_points.clear();
    insta::assert_snapshot!(human(&outcome));
}

#[test]
fn human_counts_what_it_does_not_list() {
    let mut outcome = sample::clean(vec![SourceFile::new("a.py", "x = 1\n")]);
    let skipped = |n: usize| Skipped { path: format!("{n:03}.py"), why: Skip::NotRegular };
    outcome.coverage.skipped = (0..60).map(skipped).collect();
    let text = human(&outcome);
    assert!(text.contains("  049.py: it is not a regular file\n  and 10 more"), "{text}");
    assert!(text.contains("60 skipped"), "{text}");
}

#[test]
fn human_in_colour_is_the_same_text() {
    let colour = rendered(&sample::atlas(), ReportOptions { color: true, ..ReportOptions::default() });
    assert!(colour.contains("\u{1b}[31m"), "{colour}");
    let mut plain = String::new();
    let mut inside = false;
    for c in colour.chars() {
        match c {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            _ if inside => {}
            c => plain.push(c),
        }
    }
    assert_eq!(plain, human(&sample::atlas()));
}

#[test]
fn human_draws_odd_places() {
    let minified = format!("{}evil(){}\n", "a();".repeat(5_000), ";b()".repeat(5_000));
    let files = vec![
        SourceFile::new("cr.py", "x = 1\rtab(\t)\ry = 2\r"),
        SourceFile::new("empty.py", ""),
        SourceFile::new("long.py", minified),
        SourceFile::new("lines.py", "f(\n    1,\n)\n"),
    ];
    let rule = sample::rule("GL102", "direct-network-call", Severity::Warning);
    let mut outcome = sample::clean(files);
    let at = |path, code| sample::place(&outcome.files, path, code, 0);
    let places = [
        at("cr.py", "tab(\t)"),
        at("empty.py", ""),
        at("long.py", "evil()"),
        at("lines.py", "f(\n    1,\n)"),
    ];
    outcome.findings = places.map(|place| sample::finding(&rule, place, "`it` is odd")).to_vec();
    insta::assert_snapshot!(human(&outcome));
}

#[test]
fn json_is_what_its_schema_says() {
    let report = json(&sample::atlas());
    assert_eq!(report["findings"].as_array().unwrap().len(), 7);
    assert_eq!(
        (&report["summary"]["findings"]["note"], &report["summary"]["gaps"]["new"]),
        (&1.into(), &1.into())
    );
    assert_eq!(report["summary"]["hidden_low_confidence"], 1);
    assert_eq!(report["summary"]["rules"]["GL102"], 3);
    let path =
        report["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "GL201").unwrap();
    let steps: Vec<_> = path["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (&step["number"], &step["location"]["path"]))
        .collect();
    assert_eq!(
        format!("{steps:?}"),
        r#"[(Number(1), String("atlas/planner.py")), (Number(2), String("atlas/facts.py")), (Number(3), String("atlas/net.py"))]"#
    );
    let all = valid(&sample::atlas(), Format::Json, Confidence::Low);
    assert_eq!(
        (all["findings"].as_array().unwrap().len(), &all["summary"]["hidden_low_confidence"]),
        (8, &0.into())
    );
    json(&sample::clean(Vec::new()));
}

#[test]
fn json_layout() {
    let mut outcome = sample::atlas();
    outcome.findings.retain(|finding| finding.rule.id == "GL201");
    insta::assert_snapshot!(rendered(
        &outcome,
        ReportOptions { format: Format::Json, ..ReportOptions::default() }
    ));
}

#[test]
fn sarif_is_what_its_schema_says() {
    let run = sarif(&sample::atlas());
    assert_eq!(run["results"].as_array().unwrap().len(), 7, "hidden ones are left out");
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 5);
    for result in run["results"].as_array().unwrap() {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    sarif(&sample::clean(Vec::new()));
}

#[test]
fn rules_of_a_team_keep_the_schemas() {
    let mut outcome = sample::atlas();
    let mut rule = (*sample::rule("ACME001", "pickle-in-tool", Severity::Warning)).clone();
    rule.why.clear();
    rule.references.clear();
    rule.examples = Vec::new().into();
    let rule = std::sync::Arc::new(rule);
    outcome.findings.iter_mut().for_each(|finding| finding.rule = rule.clone());
    outcome.rules = vec![rule];
    assert_eq!(json(&outcome)["findings"][0]["rule"], "ACME001");
    let described = &sarif(&outcome)["tool"]["driver"]["rules"][0];
    assert_eq!(described["fullDescription"]["text"], "pickle in tool is a bad sign");
    assert_eq!(described["id"], "ACME001");
}

#[test]
fn sarif_layout() {
    let mut outcome = sample::atlas();
    outcome.findings.retain(|finding| finding.rule.id == "GL201");
    outcome.rules.retain(|rule| rule.id == "GL201");
    let text = rendered(&outcome, ReportOptions { format: Format::Sarif, ..ReportOptions::default() });
    insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn sarif_names_what_was_not_understood() {
    let run = sarif(&sample::atlas());
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let ids: Vec<_> = notifications.iter().map(|told| told["descriptor"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["skipped-file", "partial-file"]);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn every_format_names_what_makes_a_run_incomplete() {
    let outcome = sample::incomplete();
    for format in [Format::Human, Format::Concise, Format::Github, Format::Markdown] {
        let text = rendered(&outcome, ReportOptions { format, full: true, ..ReportOptions::default() });
        let unescaped = text.replace("&#95;", "_").replace("&#45;", "-").replace("&#58;", ":");
        let unescaped = unescaped.replace("<code>", "`").replace("</code>", "`").replace("\n      ", " ");
        for kind in Gap::ALL {
            let code = format!("is not known by {}", kind.code());
            assert_eq!(unescaped.matches(&code).count(), 1, "{format:?} {code}: {text}");
        }
        assert!(unescaped.contains("agent.py:2:"), "{format:?}: {text}");
        assert!(text.contains("but not everything was understood") && !text.contains('\u{1b}'), "{text}");
    }
    let json = json(&outcome);
    let kinds: BTreeSet<_> =
        json["incomplete"].as_array().unwrap().iter().filter_map(|gap| gap["kind"].as_str()).collect();
    assert_eq!(kinds, Gap::ALL.map(Gap::code).into());
    assert_eq!(json["incomplete"][0]["location"]["start"]["line"], 2);
    assert_eq!(
        (&json["summary"]["complete"], &json["given_up"][0]["name"]),
        (&false.into(), &"run\\u{1b}".into())
    );
    assert_eq!(json["unfollowed"], 1);
    let run = sarif(&outcome);
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let ids: Vec<_> = notifications.iter().map(|told| told["descriptor"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["mostly-unread", "limit-reached"], "what has no place");
    let known = run["tool"]["driver"]["notifications"].as_array().unwrap();
    assert!(ids.iter().all(|id| known.iter().any(|kind| kind["id"] == *id)));
    let results = run["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["ruleId"] == "GL007" && result["level"] == "note"));
    assert_eq!(results.len(), Gap::ALL.len() - ids.len());
}

/// A reader's first screen has one line about gaps, which says how many and where.
#[test]
fn the_human_report_counts_gaps_in_one_line() {
    let text = rendered(&sample::incomplete(), ReportOptions::default());
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("gaps")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].contains("6 in 1 file: 1 with unknown gates"), "{text}");
    assert!(!text.contains("agent.py:2"), "{text}");
}

#[test]
fn sarif_drops_the_least_severe_first_and_says_so() {
    let outcome = crowd(5_010);
    let run = sarif(&outcome);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 5_000);
    let errors = results.iter().filter(|result| result["level"] == "error").count();
    assert_eq!(errors, 2, "the error in the last file is kept");
    assert_eq!(results[0]["ruleId"], "GL102", "a call comes before an import");
    let told = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(told, "12 of 5012 results were left out, the least severe first");
}

#[test]
fn sarif_shortens_a_path_in_the_middle_and_keeps_its_numbers() {
    let mut outcome = crowd(1);
    let place = outcome.findings[0].primary;
    outcome.findings[0].steps =
        (0..150).map(|n| Step { place, text: format!("step {n}"), why: String::new() }).collect();
    let run = sarif(&outcome);
    let is_way = |result: &&serde_json::Value| result.get("codeFlows").is_some();
    let way = run["results"].as_array().unwrap().iter().find(is_way).unwrap();
    let flow = way["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(flow.len(), 100);
    assert_eq!(flow[49]["location"]["message"]["text"], "50. step 49 (50 steps left out)");
    assert_eq!(flow[50]["location"]["message"]["text"], "101. step 100");
    assert_eq!(flow[99]["executionOrder"], 150);
}

#[test]
fn sarif_places_are_one_line_and_percent_encoded() {
    let mut outcome = sample::clean(vec![SourceFile::new("a b/ä.py", "x = ä(\n  1)\n")]);
    let rule = sample::rule("GL102", "direct-network-call", Severity::Error);
    let place = sample::place(&outcome.files, "a b/ä.py", "ä(\n  1)", 0);
    outcome.findings = vec![sample::finding(&rule, place, "x")];
    let run = sarif(&outcome);
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%A4.py");
    let region = serde_json::json!({ "startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 7 });
    assert_eq!(place["region"], region);
    assert!(run["results"][0]["partialFingerprints"]["primaryLocationLineHash"].is_string());
    outcome.files[0].encoding = Encoding::Latin1;
    assert!(sarif(&outcome)["results"][0]["partialFingerprints"]["primaryLocationLineHash"].is_null());
}

#[test]
fn the_explanation_of_a_rule() {
    insta::assert_snapshot!(explain::markdown(&sample::rule("GL201", "planning-phase-io", Severity::Error)));
}

#[test]
fn an_example_says_what_gatelint_does_with_it() {
    let mut rule = (*sample::rule("GL201", "x", Severity::Error)).clone();
    let mut examples = rule.examples.to_vec();
    examples[0].name = "known miss: a lambda".to_owned();
    examples[0].code = "a()  # todo-error\n".to_owned();
    rule.examples = examples.clone().into();
    let page = explain::markdown(&rule);
    assert!(page.contains("## Example: a lambda (known miss)\n"), "{page}");
    assert!(page.contains("## Example: a plan without effects (silent)\n"), "{page}");
    examples[0].code += "b()  # error\n";
    rule.examples = examples.into();
    assert!(explain::markdown(&rule).contains("## Example: known miss: a lambda (reported)\n"));
}

#[test]
fn the_table_of_rules() {
    insta::assert_snapshot!(explain::table(&sample::atlas().rules));
}

#[test]
fn code_cannot_end_its_fence() {
    let rule = sample::rule("GL201", "x", Severity::Error);
    let mut rule = (*rule).clone();
    let mut examples = rule.examples.to_vec();
    examples[0].code = "x = '''\n````\n'''\n".to_owned();
    rule.examples = examples.into();
    assert!(explain::markdown(&rule).contains("`````python\n"));
}
