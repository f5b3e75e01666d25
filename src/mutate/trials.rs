//! The mutants of a project and the check of each. A check has one thread of its own, so that many run side by side and none
//! waits for another's; results are put together in the order of the guards.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::Utf8Path;

use crate::baseline::{Baseline, Entry};
use crate::catalog::Catalog;
use crate::config::Config;
use crate::exit::{Threshold, is_about_code};
use crate::finding::{Finding, Outcome, Place};
use crate::ir::{Facts, join, print};
use crate::mutation::{Fate, Guard, Guards, Mutant, Skip, Trial, Tried, changes, difference};
use crate::rule::RuleSet;
use crate::source::{Discovered, SourceFile};
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::{Failure, engine, frontend, parallel, rule};

/// What is checked again and again.
pub struct Project<'p> {
    pub found: Discovered,
    pub config: &'p Config,
    pub catalog: &'p Catalog,
    pub rules: RuleSet,
    pub threshold: Threshold,
}

/// What is known of the project as it is.
struct Before {
    facts: Vec<Facts>,
    outcome: Outcome,
    guards: Guards,
    /// Its findings.
    known: Vec<Entry>,
}

/// The mutants that are checked, and those that are not.
#[derive(Default)]
struct Mutants {
    list: Vec<(Mutant, Facts)>,
    skipped: BTreeMap<Skip, usize>,
    untried: usize,
}

impl Project<'_> {
    /// Checks the project as it is, and then each mutant of the guards in the files that were asked for.
    pub fn run(
        mut self,
        limit: usize,
        threads: usize,
        is_asked: impl Fn(&Utf8Path) -> bool + Sync,
        timings: &mut Timings,
    ) -> Result<(Outcome, Tried), Failure> {
        let pool = crate::threads(threads)?;
        let mut before = pool.install(|| self.before(timings));
        before.guards.found.retain(|guard| is_asked(&self.found.files[guard.file.0 as usize].path));
        let mutants = pool.install(|| self.mutants(&before, limit));
        timings.begin("checking mutants", mutants.list.len());
        let fates = self.fates(&before, &mutants.list, pool.threads(), timings)?;
        let trials =
            mutants.list.iter().zip(fates).map(|((mutant, _), fate)| self.trial(&before, mutant, fate));
        let tried = Tried {
            trials: trials.collect(),
            guards: before.guards.found.len(),
            outside: before.guards.outside,
            skipped: mutants.skipped,
            untried: mutants.untried,
        };
        Ok((before.outcome, tried))
    }

    fn before(&mut self, timings: &mut Timings) -> Before {
        let facts = engine::lower_watched(&self.found.files, timings);
        let (found, rules) = (self.found.clone(), self.rules.clone());
        let (outcome, guards) =
            engine::analyse_lowered(found, &facts, self.config, self.catalog, rules, timings, rule::guards);
        let outcome = suppress(outcome);
        if outcome.files.len() > self.found.files.len() {
            // What the program turned out to run besides belongs to it from the beginning, so that guards are those of `facts`.
            self.found.files = outcome.files;
            return self.before(timings);
        }
        let entry = |finding: &Finding| Entry::of(finding, &outcome.file(finding.primary.file).path);
        let known = outcome.findings.iter().map(entry).collect();
        Before { facts, outcome, guards, known }
    }

    /// The mutants in order, no text twice. The guards beyond the limit are counted all the same.
    fn mutants(&self, before: &Before, limit: usize) -> Mutants {
        let made: Vec<Vec<Result<(Mutant, Facts), Skip>>> = {
            let guards: Vec<_> = before.guards.found.iter().enumerate().collect();
            parallel::map(guards, |(at, guard)| self.of_guard(before, at, guard))
        };
        let mut mutants = Mutants::default();
        let mut seen: HashSet<(u32, String)> = HashSet::new();
        for made in made.into_iter().flatten() {
            let made = made.and_then(|(mutant, facts)| {
                let is_new = seen.insert((mutant.place.file.0, mutant.text.clone()));
                if is_new { Ok((mutant, facts)) } else { Err(Skip::Repeated) }
            });
            match made {
                Err(skip) => *mutants.skipped.entry(skip).or_default() += 1,
                Ok(_) if mutants.list.len() >= limit => mutants.untried += 1,
                Ok(mutant) => mutants.list.push(mutant),
            }
        }
        mutants
    }

    fn of_guard(&self, before: &Before, at: usize, guard: &Guard) -> Vec<Result<(Mutant, Facts), Skip>> {
        let source = &self.found.files[guard.file.0 as usize];
        let facts = &before.facts[guard.file.0 as usize];
        let place = Place { file: guard.file, span: changes::place(facts, guard) };
        let as_it_is = core(facts, &source.text);
        let made = changes::changes(facts, &source.text, guard).into_iter().map(|(change, text)| {
            let changed = frontend::lower(&text, source.lang);
            if changed.problems.len() > facts.problems.len() {
                return Err(Skip::Unparsed);
            }
            if core(&changed, &text) == as_it_is {
                return Err(Skip::Same);
            }
            Ok((Mutant { guard: at, change, place, text }, changed))
        });
        made.collect()
    }

    /// What became of each mutant, in their order, whoever took it.
    fn fates(
        &self,
        before: &Before,
        mutants: &[(Mutant, Facts)],
        threads: usize,
        timings: &Timings,
    ) -> Result<Vec<Fate>, Failure> {
        let pools = (0..threads.max(1)).map(|_| crate::threads(1)).collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let work = || {
            let mut own = Vec::new();
            while let Some((at, mutant)) = take(&next, mutants) {
                own.push((at, self.fate(before, &mutant.0, &mutant.1)));
                timings.advance();
            }
            own
        };
        let done: BTreeMap<usize, Fate> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                pools.into_iter().map(|pool| scope.spawn(move || pool.install(work))).collect();
            let all =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            all.flatten().collect()
        });
        Ok(done.into_values().collect())
    }

    fn fate(&self, before: &Before, mutant: &Mutant, facts: &Facts) -> Fate {
        let at = mutant.place.file.0 as usize;
        let mut found = self.found.clone();
        found.files[at] = SourceFile { text: mutant.text.clone(), ..found.files[at].clone() };
        let mut all: Vec<&Facts> = before.facts.iter().collect();
        all[at] = facts;
        let silent = &mut Timings::start();
        let (config, rules) = (self.config, self.rules.clone());
        let (mut outcome, ()) =
            engine::analyse_lowered(found, &join(all), config, self.catalog, rules, silent, |_| ());
        outcome.pending.baseline = Some(Baseline::new("", before.known.clone()));
        let after = suppress(outcome);
        let new = after.findings.iter().filter(|finding| is_about_code(finding));
        let new: Vec<&Finding> = new.filter(|finding| !is_altered(before, finding, mutant)).collect();
        let rules = |findings: Vec<&Finding>| {
            let ids: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.id.as_str()).collect();
            ids.into_iter().map(str::to_owned).collect::<Vec<String>>()
        };
        let (counted, others): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|finding| self.threshold.counts(finding));
        match () {
            () if !counted.is_empty() => Fate::Killed(rules(counted)),
            () if after.gaps().next().is_some() || missed(&after) > missed(&before.outcome) => {
                Fate::Incomplete
            }
            () => Fate::Survived(rules(others)),
        }
    }

    fn trial(&self, before: &Before, mutant: &Mutant, fate: Fate) -> Trial {
        let guard = &before.guards.found[mutant.guard];
        let source = &self.found.files[mutant.place.file.0 as usize];
        // What defines the flag is no part of the change.
        let definition = frontend::spelling(source.lang).flag_definition();
        let text = mutant.text.strip_suffix(definition).unwrap_or(&mutant.text);
        let (was, is) = difference(&source.text, text);
        Trial {
            kind: guard.kind,
            name: guard.name.clone(),
            within: guard.within.clone(),
            change: mutant.change,
            place: mutant.place,
            lines: (was.to_owned(), is.to_owned()),
            fate,
        }
    }
}

fn take<'m, T>(next: &AtomicUsize, all: &'m [T]) -> Option<(usize, &'m T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    all.get(at).map(|one| (at, one))
}

/// What the front end understood of a text.
fn core(facts: &Facts, text: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = print::print(facts, text, &mut out);
    out
}

/// What stands in the way of an analysis as a whole; gaps of single functions are known by their fingerprints.
fn missed(outcome: &Outcome) -> usize {
    outcome.coverage.skipped.len() + outcome.coverage.incomplete.len()
}

/// True for a finding that was there before and reads otherwise now, because what was changed stands in its own text. What
/// begins before the change is still where it was.
fn is_altered(before: &Before, finding: &Finding, mutant: &Mutant) -> bool {
    let (place, changed) = (finding.primary, mutant.place);
    let is_same = |known: &Finding| {
        known.rule.id == finding.rule.id
            && known.primary.file == place.file
            && known.primary.span.lo == place.span.lo
            && known.primary.span.hi >= changed.span.lo
    };
    place.file == changed.file
        && place.span.lo <= changed.span.hi
        && before.outcome.findings.iter().any(is_same)
}
