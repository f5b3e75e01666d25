//! Every `[[example]]` of every rule file and every project under `fixtures/` is one named test, run by the same engine
//! as the command line: `cargo test --test corpus GL201` runs those of one rule. What may be wrong with one has a name
//! (`harness::Verdict`), and the message shows the code.

#[path = "corpus/project.rs"]
mod project;
#[path = "corpus/registry.rs"]
mod registry;

use std::process::ExitCode;
use std::sync::Arc;

use gatelint::harness::{self, Comparison, Engine, Summary};
use libtest_mimic::{Arguments, Trial};
use rayon::ThreadPool;

/// As much as the command line gives its threads.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let rules = gatelint::rule::builtin().expect("the built-in rules are valid");
    let engine = Arc::new(Engine::new(rules).expect("the built-in catalogue is valid"));
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
    let threads = Arc::new(threads.expect("threads can be started"));
    let summary = Arc::new(Summary::default());
    let mut trials = registry::trials(&engine);
    for rule in &engine.rules {
        for example in &rule.examples {
            let (engine, rule, example) = (Arc::clone(&engine), Arc::clone(rule), example.clone());
            let name = format!("{}::{}", rule.id, example.name);
            let check = move || harness::check(&engine, &rule, &example);
            trials.push(trial(&name, &summary, &threads, check));
        }
    }
    for folder in project::folders() {
        let engine = Arc::clone(&engine);
        let name = format!("fixtures::{}", folder.file_name().unwrap_or_default());
        trials.push(trial(&name, &summary, &threads, move || project::check(&engine, &folder)));
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
    threads: &Arc<ThreadPool>,
    check: impl FnOnce() -> Comparison + Send + 'static,
) -> Trial {
    let group = name.split("::").next().unwrap_or(name).to_owned();
    let (summary, threads) = (Arc::clone(summary), Arc::clone(threads));
    Trial::test(name, move || {
        let comparison = threads.install(check);
        summary.count(&group, &comparison);
        match comparison.complaint() {
            Some(complaint) => Err(complaint.into()),
            None => Ok(()),
        }
    })
}
