//! Every `[[example]]` of every rule file and every project under `fixtures/` is one named test, run by the same engine
//! as the command line: `cargo test --test corpus GL201` runs those of one rule. What may be wrong with one has a name
//! (`harness::Verdict`), and the message shows the code. Each is run again in other words (`rewrite`), under its own name
//! with that of the rewrite: `cargo test --test corpus lazy-import`.

#[path = "corpus/project.rs"]
mod project;
#[path = "corpus/registry.rs"]
mod registry;
#[path = "corpus/rewrite.rs"]
mod rewrite;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use gatelint::config::Config;
use gatelint::harness::{self, Comparison, Engine, Summary, Verdict};
use gatelint::rule::{Boundary, Rule};
use libtest_mimic::{Arguments, Trial};
use rayon::ThreadPool;
use rewrite::{Applied, Marks, Misses};

/// As much as the command line gives its threads.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut corpus = Corpus::new();
    corpus.trials = registry::trials(&corpus.engine);
    corpus.examples();
    corpus.fixtures();
    corpus.stale_misses();
    let Corpus { trials, summary, applied, .. } = corpus;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list && !arguments.quiet {
        print!("{summary}\n{applied}");
    }
    conclusion.exit_code()
}

/// The tests, and what they share.
struct Corpus {
    engine: Arc<Engine>,
    threads: Arc<ThreadPool>,
    summary: Arc<Summary>,
    misses: Misses,
    applied: Applied,
    trials: Vec<Trial>,
}

impl Corpus {
    fn new() -> Self {
        let rules = gatelint::rule::builtin().expect("the built-in rules are valid");
        let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
        Self {
            engine: Arc::new(Engine::new(rules).expect("the built-in catalogue is valid")),
            threads: Arc::new(threads.expect("threads can be started")),
            summary: Arc::default(),
            misses: Misses::read(),
            applied: Applied::default(),
            trials: Vec::new(),
        }
    }

    fn examples(&mut self) {
        let engine = Arc::clone(&self.engine);
        for (rule, example) in
            engine.rules.iter().flat_map(|rule| rule.examples.iter().map(move |e| (rule, e)))
        {
            let name = format!("{}::{}", rule.id, example.name);
            let expected = harness::expected(rule, example);
            let config = harness::configured(&expected.files).unwrap_or_else(|_| Config::defaults("/"));
            // Nothing could say where a line goes that has no comment.
            let rewritten = match example.errors.is_empty() {
                true => self.applied.rewrite(&expected, &config.layers, marks(rule)),
                false => Vec::new(),
            };
            for (rewrite, files) in rewritten {
                let (engine, rule) = (Arc::clone(&engine), Arc::clone(rule));
                let check = move || harness::judge(&engine, &rule, harness::marked(&rule, files));
                self.rewritten(&format!("{name}::{rewrite}"), check);
            }
            let (engine, rule, example) = (Arc::clone(&engine), Arc::clone(rule), example.clone());
            self.counted(&name, move || harness::check(&engine, &rule, &example));
        }
    }

    fn fixtures(&mut self) {
        for folder in project::folders() {
            let name = format!("fixtures::{}", folder.file_name().unwrap_or_default());
            let (expected, layers) = project::read(&folder);
            let rewritten = match project::list(&folder) {
                None => self.applied.rewrite(&expected, &layers, Marks::Mixed),
                Some(_) => Vec::new(),
            };
            for (rewrite, files) in rewritten {
                let (engine, folder) = (Arc::clone(&self.engine), folder.clone());
                let check = move || project::check(&engine, &folder, &files);
                self.rewritten(&format!("{name}::{rewrite}"), check);
            }
            let engine = Arc::clone(&self.engine);
            self.counted(&name, move || project::check(&engine, &folder, &expected.files));
        }
    }

    /// A test as somebody wrote it.
    fn counted(&mut self, name: &str, check: impl FnOnce() -> Comparison + Send + 'static) {
        let group = name.split("::").next().unwrap_or(name).to_owned();
        let summary = Arc::clone(&self.summary);
        self.trial(name, check, move |comparison| {
            summary.count(&group, &comparison);
            comparison.complaint()
        });
    }

    /// A test in other words. A miss that these words close is no defect.
    fn rewritten(&mut self, name: &str, check: impl FnOnce() -> Comparison + Send + 'static) {
        let miss = self.misses.reason(name);
        self.trial(name, check, move |comparison| {
            let complaint = comparison.complaint().filter(|_| comparison.verdict != Verdict::Closed);
            match (complaint, miss) {
                (Some(_), Some(_)) => None,
                (None, Some(reason)) => Some(format!("closed, so take it out of misses.toml: {reason}")),
                (complaint, None) => complaint,
            }
        });
    }

    fn trial(
        &mut self,
        name: &str,
        check: impl FnOnce() -> Comparison + Send + 'static,
        complaint: impl FnOnce(Comparison) -> Option<String> + Send + 'static,
    ) {
        let threads = Arc::clone(&self.threads);
        self.trials.push(Trial::test(name, move || match complaint(threads.install(check)) {
            Some(complaint) => Err(complaint.into()),
            None => Ok(()),
        }));
    }

    /// A miss of a test that does not exist would be believed for ever.
    fn stale_misses(&mut self) {
        let names: BTreeSet<&str> = self.trials.iter().map(Trial::name).collect();
        let stale = self.misses.stale(&names).join("\n");
        self.trials.push(Trial::test("rewrites::every known miss is one of a test", move || {
            if stale.is_empty() { Ok(()) } else { Err(format!("no test is called\n{stale}").into()) }
        }));
    }
}

fn marks(rule: &Rule) -> Marks {
    if rule.boundaries().next().is_some() {
        return Marks::Boundary { is_handed_back: rule.boundaries().any(|at| at == Boundary::PassThrough) };
    }
    match rule.follows_values() {
        (true, true) => Marks::Mixed,
        (false, true) => Marks::Start,
        (true, false) => Marks::End,
        _ if rule.follows_paths() => Marks::Start,
        _ => Marks::End,
    }
}
