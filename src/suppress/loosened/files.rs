//! What the globs of two configurations say of the files that are there now: a file that came into a layer, that is scanned
//! no more, or for which a rule has become less severe. A file that moved under a glob of before is no loosening.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use camino::Utf8Path;

use crate::config::{About, Claim, Layer, Loosening};
use crate::finding::base::{Base, word};
use crate::finding::{Outcome, Pending};

pub fn loosened(outcome: &Outcome, pending: &Pending, base: &Base) -> Vec<Loosening> {
    let judge = Judge { outcome, pending, base };
    let mut found = judge.layers();
    found.extend(judge.exclusions());
    found.extend(judge.levels());
    found.extend(judge.idle());
    found
}

/// The files of one glob, by where it stands.
type Files<'o> = BTreeMap<(usize, usize, String), Vec<&'o Utf8Path>>;

struct Judge<'o> {
    outcome: &'o Outcome,
    pending: &'o Pending,
    base: &'o Base,
}

impl<'o> Judge<'o> {
    fn layers(&self) -> Vec<Loosening> {
        let Base { was, is, .. } = self.base;
        let mut grown = Files::new();
        for file in &self.outcome.files {
            let before = self.base.path(&file.path).map(|path| was.layers.of(&path)).unwrap_or_default();
            let now = is.layers.of(&file.path);
            let gained =
                Layer::ALL.into_iter().filter(|layer| now.contains(*layer) && !before.contains(*layer));
            for layer in gained {
                let claim = self.claim(&format!("layers.{}", layer.name()), &file.path);
                let (span, what) = match claim {
                    Some(claim) => (claim.span.clone(), format!("`{}` in `{}`", claim.text, claim.key)),
                    None => (0..0, format!("the default of `layers.{}`", layer.name())),
                };
                grown.entry((span.start, span.end, what)).or_default().push(&file.path);
            }
        }
        let told = |what: &str, files: &str| format!("{what} takes in {files} that were not in the layer");
        sentences(grown, told)
    }

    /// The glob of now that a scanned file is in a layer by.
    fn claim(&self, key: &str, path: &Utf8Path) -> Option<&'o Claim> {
        let matches = |claim: &&Claim| match &claim.about {
            About::Scanned(globs) => claim.key == key && globs.is_match(path),
            _ => false,
        };
        self.base.is.claims.iter().find(matches)
    }

    fn exclusions(&self) -> Vec<Loosening> {
        let Base { was, is, .. } = self.base;
        let mut left_out = Files::new();
        for path in &self.pending.excluded {
            let before = self.base.path(path).is_some_and(|path| {
                path.ancestors().any(|path| !path.as_str().is_empty() && was.exclude.is_match(path))
            });
            if before {
                continue;
            }
            let by: BTreeSet<usize> = path.ancestors().flat_map(|path| is.exclude.matches(path)).collect();
            let names = |claim: &&Claim| match &claim.about {
                About::Excluded(range) => range.clone().any(|glob| by.contains(&glob)),
                _ => false,
            };
            let (span, what) = match is.claims.iter().find(names) {
                Some(claim) => (claim.span.clone(), format!("`{}` in `exclude`", claim.text)),
                None => (0..0, "`exclude`".to_owned()),
            };
            left_out.entry((span.start, span.end, what)).or_default().push(path);
        }
        sentences(left_out, |what, files| format!("{what} leaves out {files} that were scanned"))
    }

    fn levels(&self) -> Vec<Loosening> {
        let Base { was, is, names, .. } = self.base;
        let words = was.levels.iter().chain(&is.levels).flat_map(|level| &level.rules);
        let ids: BTreeSet<&str> = words.filter_map(|(word, ..)| names.id_of(word)).collect();
        let mut lowered = Files::new();
        let texts = self.outcome.texts.iter().map(|(_, path)| path);
        for path in self.outcome.files.iter().map(|file| &*file.path).chain(texts) {
            let before = self.base.path(path);
            for id in &ids {
                let then = before.as_deref().map_or_else(
                    || self.base.severities.get(*id).copied(),
                    |before| self.base.severity(was, id, before),
                );
                let now = self.base.severity(is, id, path);
                if now < then {
                    let span = self.level_span(id, path);
                    let what = format!("`{id}` is {} instead of {} in", word(now), word(then));
                    lowered.entry((span.start, span.end, what)).or_default().push(path);
                }
            }
        }
        sentences(lowered, |what, files| format!("{what} {files}"))
    }

    /// Where the level stands that counts now.
    fn level_span(&self, id: &str, path: &Utf8Path) -> Range<usize> {
        let names = &self.base.names;
        let counts = self.base.is.levels.iter().rev().find(|level| level.of(id, path, names).is_some());
        let rules = counts.into_iter().flat_map(|level| &level.rules);
        let mut meant = rules.filter(|(word, ..)| names.id_of(word) == Some(id));
        meant.next().map_or(0..0, |(_, span, _)| span.clone())
    }

    /// A new glob that matches nothing yet will match what comes later.
    fn idle(&self) -> Vec<Loosening> {
        let Base { was, is, .. } = self.base;
        let is_old =
            |claim: &Claim| was.claims.iter().any(|old| (old.key, &old.text) == (claim.key, &claim.text));
        let is_idle = |claim: &&Claim| match &claim.about {
            About::Scanned(globs) => !self.outcome.files.iter().any(|file| globs.is_match(&file.path)),
            About::Excluded(range) => !self.pending.excluded.iter().any(|path| {
                let by: BTreeSet<usize> =
                    path.ancestors().flat_map(|path| is.exclude.matches(path)).collect();
                range.clone().any(|glob| by.contains(&glob))
            }),
            _ => false,
        };
        let idle = is.claims.iter().filter(|claim| !is_old(claim)).filter(is_idle);
        idle.map(|claim| Loosening {
            span: claim.span.clone(),
            what: format!("`{}` was added to `{}` and matches no source file yet", claim.text, claim.key),
        })
        .collect()
    }
}

/// One sentence for each glob, with the first of its files.
fn sentences(files: Files<'_>, told: impl Fn(&str, &str) -> String) -> Vec<Loosening> {
    let each = files.into_iter().map(|((start, end, what), files)| {
        let first = files.iter().min().map(|path| path.as_str()).unwrap_or_default();
        let listed = match files.len() {
            1 => format!("1 file (`{first}`)"),
            count => format!("{count} files (`{first}`, …)"),
        };
        Loosening { span: start..end, what: told(&what, &listed) }
    });
    each.collect()
}
