//! What flies at one point: exceptions that somebody raised, each with its place, and what else calls may throw.

use std::collections::BTreeMap;

use crate::analysis::exceptions::{self, Exception};
use crate::analysis::interp::Caught;
use crate::catalog::Catalog;
use crate::finding::Confidence;
use crate::ir::ExprId;
use crate::link::{Func, Program};

/// A parameter of a function, by position.
pub type Parameter = (Func, u32);

/// What is raised.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Raised {
    /// An exception of this class, if that is known.
    Class(Option<Exception>),
    /// Whatever a parameter raises when it is called; whoever hands a function over knows.
    Parameter(Parameter),
    /// Whatever the body of a `with` raises, at the `yield` of its context manager.
    Body,
}

/// Where an exception comes from, inside one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    pub confidence: Confidence,
    /// The function that lets it out; none for an own `raise`.
    pub via: Option<Func>,
}

impl Source {
    /// The best first: the surest, then what is nearest.
    pub fn rank(&self) -> (std::cmp::Reverse<Confidence>, Option<Func>) {
        (std::cmp::Reverse(self.confidence), self.via)
    }
}

/// What is raised at which place.
pub type Sites = BTreeMap<(Raised, ExprId), Source>;

pub fn add(sites: &mut Sites, raised: Raised, at: ExprId, source: Source) {
    let known = sites.entry((raised, at)).or_insert_with(|| source.clone());
    if source.rank() < known.rank() {
        *known = source;
    }
}

/// One flight.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thrown {
    pub raised: Sites,
    /// What calls may throw that nobody raised in sight; what a handler got of it has the classes of the handler.
    pub implicit: Option<Vec<Option<Exception>>>,
}

impl Thrown {
    /// Anything, but raised by nobody in sight.
    pub fn implicit() -> Self {
        Self { raised: Sites::new(), implicit: Some(Vec::new()) }
    }

    pub fn or(&self, other: &Thrown) -> Self {
        let mut both = self.clone();
        for ((raised, at), source) in &other.raised {
            add(&mut both.raised, raised.clone(), *at, source.clone());
        }
        match (&mut both.implicit, &other.implicit) {
            (Some(known), Some(more)) => {
                known.extend(more.iter().cloned());
                known.sort_unstable();
                known.dedup();
            }
            (known @ None, more) => *known = more.clone(),
            (Some(_), None) => {}
        }
        both
    }

    /// The same, raised again by hand at `at`.
    pub fn again(&self, catalog: &Catalog, at: ExprId) -> Sites {
        let mut sites = Sites::new();
        let is_of_others = |raised: &Raised| !matches!(raised, Raised::Class(_));
        // A helper that only looks on adds nothing to what it was given to run.
        let looks_on = self.raised.keys().any(|(raised, _)| is_of_others(raised));
        for ((raised, _), source) in &self.raised {
            let via = source.via.filter(|_| is_of_others(raised));
            add(&mut sites, raised.clone(), at, Source { confidence: source.confidence, via });
        }
        if let Some(classes) = self.implicit.as_ref().filter(|_| !looks_on) {
            let any = [Some(Exception::any(catalog))];
            let classes = if classes.is_empty() { &any[..] } else { classes };
            for class in classes {
                let source = Source { confidence: Confidence::High, via: None };
                add(&mut sites, Raised::Class(class.clone()), at, source);
            }
        }
        sites
    }
}

/// The handler for `types` of one function.
pub struct Handler<'h, 'a> {
    pub program: &'h Program<'a>,
    pub catalog: &'h Catalog,
    /// Empty: it takes everything.
    pub classes: Vec<Option<Exception>>,
    /// What the body of a `with` raises, if that is known.
    pub body: Option<&'h Exception>,
}

impl Handler<'_, '_> {
    fn takes(&self, raised: &Raised) -> Caught {
        let class = match raised {
            Raised::Class(class) => class.as_ref(),
            Raised::Body => self.body,
            Raised::Parameter(_) => None,
        };
        if self.classes.is_empty() {
            return Caught::Yes;
        }
        let takes = |handler: &Option<Exception>| {
            exceptions::takes(self.program, self.catalog, handler.as_ref(), class)
        };
        self.classes.iter().map(takes).fold(Caught::No, exceptions::most)
    }

    fn is_broad(&self) -> bool {
        self.classes.is_empty() || self.classes.iter().flatten().any(|class| class.is_broad(self.catalog))
    }

    pub fn catches(&self, thrown: &Thrown) -> Caught {
        let taken = thrown.raised.keys().map(|(raised, _)| self.takes(raised));
        let implicit = thrown.implicit.as_ref().map(|_| match self.is_broad() {
            true => Caught::Yes,
            false => Caught::Maybe,
        });
        let all: Vec<Caught> = taken.chain(implicit).collect();
        match (all.iter().all(|one| *one == Caught::Yes), all.iter().all(|one| *one == Caught::No)) {
            // Nothing flies: nothing comes.
            (_, true) => Caught::No,
            (true, _) => Caught::Yes,
            _ => Caught::Maybe,
        }
    }

    /// What the handler gets.
    pub fn taken(&self, thrown: &Thrown) -> Thrown {
        let mut taken = thrown.clone();
        taken.raised.retain(|(raised, _), _| self.takes(raised) != Caught::No);
        taken.implicit = taken.implicit.map(|_| self.classes.clone());
        taken
    }

    /// What flies past it.
    pub fn passed(&self, thrown: &Thrown) -> Thrown {
        let mut passed = Thrown::default();
        for ((raised, at), source) in &thrown.raised {
            let confidence = match (self.takes(raised), raised) {
                (Caught::Yes, _) => continue,
                (Caught::No, _) => source.confidence,
                // Nothing is known of the exception, and much of the handler.
                (Caught::Maybe, Raised::Class(None)) => source.confidence.min(Confidence::Medium),
                (Caught::Maybe, _) => Confidence::Low,
            };
            add(&mut passed.raised, raised.clone(), *at, Source { confidence, via: source.via });
        }
        passed.implicit = thrown.implicit.clone().filter(|_| !self.is_broad());
        passed
    }
}
