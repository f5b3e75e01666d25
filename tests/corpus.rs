//! Every `[[example]]` of every rule file and every project under `fixtures/` is one named test, run by the same engine
//! as the command line: `cargo test --test corpus GL201` runs those of one rule. What may be wrong with one has a name
//! (`verdict`), and the message shows the code.

#[path = "corpus/example.rs"]
mod example;
#[path = "corpus/project.rs"]
mod project;
#[path = "corpus/registry.rs"]
mod registry;
#[path = "corpus/run.rs"]
mod run;
#[path = "corpus/summary.rs"]
mod summary;
#[path = "corpus/verdict.rs"]
mod verdict;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use run::Engine;
use summary::Summary;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let engine = Arc::new(Engine::new());
    let summary = Arc::new(Summary::default());
    let mut trials = registry::trials(&engine);
    for rule in &engine.rules {
        for example in &rule.examples {
            let (engine, rule, example) = (Arc::clone(&engine), Arc::clone(rule), example.clone());
            let name = format!("{}::{}", rule.id, example.name);
            let check = move || example::check(&engine, &rule, &example);
            trials.push(trial(&name, &summary, check));
        }
    }
    for folder in project::folders() {
        let engine = Arc::clone(&engine);
        let name = format!("fixtures::{}", folder.file_name().unwrap_or_default());
        trials.push(trial(&name, &summary, move || project::check(&engine, &folder)));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list && !arguments.quiet {
        print!("{summary}");
    }
    conclusion.exit_code()
}

fn trial(
    name: &str,
    summary: &Arc<Summary>,
    check: impl FnOnce() -> verdict::Comparison + Send + 'static,
) -> Trial {
    let (group, summary) = (name.split("::").next().unwrap_or(name).to_owned(), Arc::clone(summary));
    Trial::test(name, move || {
        let comparison = check();
        summary.count(&group, &comparison);
        match comparison.complaint() {
            Some(complaint) => Err(complaint.into()),
            None => Ok(()),
        }
    })
}
