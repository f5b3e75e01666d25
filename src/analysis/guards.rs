//! Which functions of the project promise to guard something, by the names that the catalogue and the configuration know, and
//! whether their bodies keep the promise. A body that can be read has the last word: whoever relies on a guard (gates, flow,
//! trails, rules) asks here.

use std::sync::Arc;

use super::deeds::{Deed, Deeds, Marks};
use super::escape::Managers;
use super::stubs;
use crate::catalog::{Catalog, Guarding};
use crate::ir::{Expr, ExprId};
use crate::link::{Decorator, Func, Program, SharedMemo, Target};

/// What a function promises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promise {
    /// It lets the phase for execution pass and no other.
    Gate,
    Attribution(Guards),
    Fence(Guards),
    /// It records an event of the audit trail.
    Records,
    /// It refuses declarations that say too little.
    Validates,
    /// It writes down what a model declares.
    Captures,
}

/// What a function of an attribution guard or a content fence does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guards {
    Marks,
    Credits,
    Checks,
    Asks,
}

/// Whether a promise is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    Yes,
    /// Nobody can tell from here: it is left to others, or it asks what is not in the tree.
    Open,
    Broken(Fault),
}

/// How a promise is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// It neither refuses nor answers.
    LetsPass,
    /// It refuses something, and not every phase but the right one.
    AsksOther,
    /// What stands around it does not run it on every way, or swallows its refusal.
    CutOff,
    HandsBack,
    NoMarker,
    AlwaysYes,
    Blank,
    WritesNothing,
    CapturesNothing,
    /// Nothing can be read of what stands there.
    Unreadable,
}

impl Fault {
    /// As a reader reads it behind the name of the guard.
    pub fn said(self) -> &'static str {
        match self {
            Fault::LetsPass => "refuses nothing on any path",
            Fault::AsksOther => "does not refuse every phase but the one for execution",
            Fault::CutOff => {
                "stands behind a decorator that does not run it on every path, or swallows its refusal"
            }
            Fault::HandsBack => "hands back what it was given, on some path without an attribution",
            Fault::NoMarker => "hands content back, on some path without a marker",
            Fault::AlwaysYes => "says yes on every path",
            Fault::Blank => "writes an empty text",
            Fault::WritesNothing => "writes the event nowhere",
            Fault::CapturesNothing => "records nothing of what a model declares",
            Fault::Unreadable => "the analysis cannot read",
        }
    }
}

impl Promise {
    /// What a function of this dotted path promises; `is_gate`: the configuration vouches for it.
    pub fn of(catalog: &Catalog, path: &str, is_vouched: bool) -> Option<Self> {
        let (name, spelled) = names(path);
        if is_vouched || catalog.phase.promises_gate(path, spelled, name) {
            return Some(Promise::Gate);
        }
        if let Some(guards) = catalog.attribution.role(path).and_then(guards) {
            return Some(Promise::Attribution(guards));
        }
        if let Some(guards) = catalog.fence.role(path).and_then(guards) {
            return Some(Promise::Fence(guards));
        }
        if catalog.audit.matches(path) && catalog.audit.records(name) {
            return Some(Promise::Records);
        }
        if catalog.capture.selects(name) {
            return Some(Promise::Captures);
        }
        catalog.checklist.validates(spelled).then_some(Promise::Validates)
    }
}

fn guards(role: Guarding) -> Option<Guards> {
    match role {
        Guarding::Guards => Some(Guards::Marks),
        Guarding::Credits => Some(Guards::Credits),
        Guarding::Checks => Some(Guards::Checks),
        Guarding::Asks => Some(Guards::Asks),
        Guarding::Displays => None,
    }
}

/// The last name of a path, and the same with the one before it.
fn names(path: &str) -> (&str, &str) {
    let mut dots = path.rmatch_indices('.').map(|(at, _)| at + 1);
    let last = dots.next().unwrap_or_default();
    let before = dots.next().unwrap_or_default();
    (&path[last..], &path[before..])
}

/// The bodies behind the promises: made once per program, and asked by all threads.
pub struct Bodies<'b, 'a> {
    program: &'b Program<'a>,
    catalog: &'b Catalog,
    deeds: Deeds<'b, 'a>,
    /// By decorator: whether what it is put around runs whatever happens.
    runs: SharedMemo<(Func, bool), bool>,
}

impl<'b, 'a> Bodies<'b, 'a> {
    pub fn new(program: &'b Program<'a>, catalog: &'b Catalog) -> Self {
        Self { program, catalog, deeds: Deeds::new(program, catalog), runs: SharedMemo::default() }
    }

    pub fn program(&self) -> &'b Program<'a> {
        self.program
    }

    pub fn catalog(&self) -> &'b Catalog {
        self.catalog
    }

    /// What context managers take of what is raised inside their `with`.
    pub fn managers(&self) -> &Managers<'b, 'a> {
        self.deeds.managers()
    }

    pub fn deed(&self, func: Func) -> Arc<Deed> {
        self.deeds.of(func)
    }

    /// True if a decorator of the project does not run the function on every way, or comes back where it refuses.
    pub fn is_cut_off(&self, func: Func) -> bool {
        let is_lazy = |decorator: Decorator| !self.program.ir(func).is_generator && self.is_lazy(decorator);
        let cuts_off = |decorator| !self.runs_whatever_happens(decorator) || is_lazy(decorator);
        self.program.decorators(func).any(cuts_off) || self.is_swallowed_around(func)
    }

    /// A decorator whose wrapper is a generator: a call of it runs nothing.
    fn is_lazy(&self, decorator: Decorator) -> bool {
        let plain = |func: &Func| self.program.ir(*func).decorators.is_empty();
        let makers = match decorator.is_called {
            true => self.closures(decorator.func),
            false => vec![decorator.func],
        };
        let mut wrappers = makers.into_iter().flat_map(|maker| self.closures(maker)).filter(plain);
        wrappers.any(|wrapper| self.program.ir(wrapper).is_generator)
    }

    /// A context manager stands around it as a decorator and lets nothing out.
    fn is_swallowed_around(&self, func: Func) -> bool {
        let file = self.program.function(func).file;
        let scope = self.program.ir(func).parent;
        let mut decorators = self.program.facts(file).list(self.program.ir(func).decorators).iter();
        decorators.any(|&decorator| self.managers().takes_all_of_decorated(scope, decorator))
    }

    fn runs_whatever_happens(&self, decorator: Decorator) -> bool {
        let lets_run = |&maker: &Func| {
            let mut wrappers = self.closures(maker).into_iter();
            wrappers.all(|wrapper| self.runs_parameter(wrapper, (maker, 0)))
        };
        self.runs.of((decorator.func, decorator.is_called), || {
            let makers = match decorator.is_called {
                true => self.closures(decorator.func),
                false => vec![decorator.func],
            };
            makers.iter().all(lets_run)
        })
    }

    /// True if a wrapper runs this before it comes back; one that never comes back refuses all.
    fn runs_parameter(&self, wrapper: Func, parameter: (Func, u32)) -> bool {
        let deed = self.deeds.of(wrapper);
        deed.returns.is_empty() || deed.runs.contains(&parameter)
    }

    /// The functions of its own that a function hands back.
    fn closures(&self, func: Func) -> Vec<Func> {
        let closure = |value: ExprId| {
            let (owner, bound) = self.program.bound(func, value);
            let file = self.program.function(owner).file;
            match *self.program.facts(file).expr(bound) {
                Expr::Closure(id) => Some(id),
                _ => None,
            }
        };
        self.program.returns(func).filter_map(closure).collect()
    }

    /// A function of the project is the guard that its path says unless its body shows that it is none.
    pub fn may_keep(&self, target: Target, path: &str) -> bool {
        let Target::Project(func) = target else { return true };
        let broken = |promise| matches!(self.kept(func, promise), Kept::Broken(_));
        !Promise::of(self.catalog, path, false).is_some_and(broken)
    }

    /// Whether a function that promises something else than a gate does it.
    pub fn kept(&self, func: Func, promise: Promise) -> Kept {
        if stubs::is_open(self.program, self.catalog, func) {
            return Kept::Open;
        }
        if self.is_cut_off(func) {
            return Kept::Broken(Fault::CutOff);
        }
        let deed = self.deeds.of(func);
        let broken = match promise {
            Promise::Gate => deed.is_toothless().then_some(Fault::LetsPass),
            // What is wrong may be noted for later.
            Promise::Validates => (deed.is_toothless() && !deed.notes).then_some(Fault::LetsPass),
            Promise::Attribution(Guards::Checks) | Promise::Fence(Guards::Checks) => {
                deed.is_toothless().then_some(Fault::LetsPass)
            }
            Promise::Attribution(Guards::Asks) | Promise::Fence(Guards::Asks) => {
                says_yes(&deed).then_some(Fault::AlwaysYes)
            }
            Promise::Attribution(Guards::Credits) | Promise::Fence(Guards::Credits) => {
                writes_blank(&deed).then_some(Fault::Blank)
            }
            Promise::Attribution(Guards::Marks) => {
                lacks(&deed, Marks::ATTRIBUTED).then_some(Fault::HandsBack)
            }
            Promise::Fence(Guards::Marks) => lacks(&deed, Marks::FENCED).then_some(Fault::NoMarker),
            Promise::Records => (!deed.keeps && !deed.is_open).then_some(Fault::WritesNothing),
            Promise::Captures => captures_nothing(&deed).then_some(Fault::CapturesNothing),
        };
        broken.map_or(Kept::Yes, Kept::Broken)
    }

    /// True if the content that an attribution guard or a fence is given leaves it as it was: a look-up of something else
    /// is no guard, and breaks no promise.
    pub fn hands_content_back(&self, func: Func) -> bool {
        self.deeds.of(func).returns.iter().any(|(_, worth)| worth.is_itself)
    }
}

/// Some way back lacks the mark, in the result and in what was given.
fn lacks(deed: &Deed, mark: Marks) -> bool {
    let is_marked_in_place = deed.marked.iter().any(|(_, marks)| marks.has(mark));
    let lacks = |worth: &super::deeds::Worth| !worth.marks.has(mark) && !worth.is_open;
    !is_marked_in_place && deed.returns.iter().any(|(_, worth)| lacks(worth))
}

fn says_yes(deed: &Deed) -> bool {
    let yes = |worth: &super::deeds::Worth| worth.truth == Some(true);
    !deed.refuses() && !deed.returns.is_empty() && deed.returns.iter().all(|(_, worth)| yes(worth))
}

/// Nothing is written down, and there is no result that a caller could write down.
fn captures_nothing(deed: &Deed) -> bool {
    let is_constant = |worth: &super::deeds::Worth| worth.truth.is_some();
    let keeps = deed.keeps || deed.notes || deed.is_open || deed.refuses();
    !keeps && deed.returns.iter().all(|(_, worth)| is_constant(worth))
}

fn writes_blank(deed: &Deed) -> bool {
    deed.returns.iter().any(|(_, worth)| worth.is_blank)
}
