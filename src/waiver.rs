//! Waivers: comments by which an author takes a finding back, each for named rules and with a reason. This knows what a
//! comment says and which code it speaks of, in any language whose facts hold comments. What becomes of findings is
//! `suppress`'s part.

mod cover;
mod covering;
mod directive;
mod heads;
mod placing;
mod spans;

use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::config::RuleNames;
use crate::finding::Place;
use crate::finding::base::Waiving;
use crate::ir::Facts;
use crate::source::{FileId, SourceFile};
use cover::Layout;
use covering::Covering;
use directive::parse;

pub use placing::{Placed, place};

/// Rules about waivers themselves, and the one that finds new waivers; a waiver for one would hide what is wrong with
/// waivers.
pub const NOT_WAIVABLE: [&str; 3] = ["GL002", "GL003", "GL006"];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WaiverId(u32);

#[derive(Clone, Debug)]
pub struct Waiver {
    /// The comment.
    pub place: Place,
    /// Ids; sorted, none twice.
    pub rules: Vec<String>,
    pub reason: String,
    /// The name of the function that it stands in or speaks of; empty outside functions.
    pub function: String,
}

impl Waiver {
    /// What it takes back, rule by rule, as a comparison with another tree knows it.
    pub fn waivings<'w>(&'w self, path: &'w Utf8Path) -> impl Iterator<Item = Waiving> + 'w {
        self.rules.iter().map(|rule| Waiving {
            path: path.to_owned(),
            rule: rule.clone(),
            function: self.function.clone(),
            reason: self.reason.clone(),
        })
    }
}

/// A comment that speaks to gatelint and says something that it cannot mean.
#[derive(Clone, Debug)]
pub struct Malformed {
    pub place: Place,
    pub what: String,
}

/// All of a program, in the order of their places.
#[derive(Clone, Default, Debug)]
pub struct Waivers {
    list: Vec<Waiver>,
    of_file: BTreeMap<FileId, Covering>,
    pub malformed: Vec<Malformed>,
}

impl Waivers {
    /// `facts` are those of `files`; `names` are those of all rules, whether they run or not.
    pub fn read(files: &[SourceFile], facts: &[Facts], names: &RuleNames) -> Self {
        let mut waivers = Self::default();
        for (file, (source, facts)) in (0..).map(FileId).zip(files.iter().zip(facts)) {
            if !facts.notes.is_empty() {
                waivers.read_file(file, source, facts, names);
            }
        }
        waivers
    }

    fn read_file(&mut self, file: FileId, source: &SourceFile, facts: &Facts, names: &RuleNames) {
        let layout = Layout::new(&source.text, facts);
        let mut covers = Vec::new();
        for &span in &facts.notes {
            let comment = source.text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
            let Some(said) = parse(comment, names) else { continue };
            let place = Place { file, span };
            if !said.wrong.is_empty() {
                self.malformed.push(Malformed { place, what: said.wrong.join("; ") });
            }
            let Some(reason) = said.reason.filter(|_| !said.rules.is_empty()) else { continue };
            let id = WaiverId(self.list.len() as u32);
            let cover = layout.cover(span);
            let function = layout.function(span, &cover);
            covers.push((id, said.rules.clone(), cover));
            self.list.push(Waiver { place, rules: said.rules, reason, function });
        }
        self.of_file.insert(file, Covering::new(covers));
    }

    pub fn iter(&self) -> impl Iterator<Item = (WaiverId, &Waiver)> {
        (0..).map(WaiverId).zip(&self.list)
    }

    pub fn get(&self, id: WaiverId) -> &Waiver {
        &self.list[id.0 as usize]
    }

    /// The waiver of this rule that speaks of the place: the narrowest, if several do.
    pub fn covering(&self, rule: &str, place: Place) -> Option<WaiverId> {
        self.of_file.get(&place.file)?.narrowest(rule, place.span)
    }

    /// True if no waiver speaks of this rule.
    pub fn is_silent_on(&self, rule: &str) -> bool {
        !self.list.iter().any(|waiver| waiver.rules.iter().any(|named| named == rule))
    }
}
