//! Errors that are values: a function that hands one back lets it out as surely as one that raises, and whoever looks at the
//! result holds it. They are followed from the call that makes one through names, methods and arms to where it is handed back.

use super::Escapes;
use super::thrown::{Raised, Sites, Source, Thrown, add};
use super::walk::Walk;
use crate::analysis::exceptions::{Exception, class_of};
use crate::catalog::Wrappers;
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Pat, PatId};
use crate::link::{EdgeKind, Func, Target};

/// What is known of a value.
#[derive(Clone, Default)]
pub struct Known {
    /// Whether it is true, where that is written down.
    pub truth: Option<bool>,
    /// The errors that it may be in place of a value.
    pub errors: Sites,
}

impl Known {
    fn failing(errors: Sites) -> Self {
        Self { truth: None, errors }
    }

    pub fn with(&mut self, other: &Known) {
        for ((raised, at), source) in &other.errors {
            add(&mut self.errors, raised.clone(), *at, source.clone());
        }
    }
}

/// The same errors, as they are seen at another place.
fn seen_at(errors: &Sites, at: ExprId) -> Sites {
    let mut seen = Sites::new();
    for ((raised, _), source) in errors {
        add(&mut seen, raised.clone(), at, source.clone());
    }
    seen
}

impl Walk<'_, '_> {
    /// True in a language whose errors are values.
    pub(super) fn has_results(&self) -> bool {
        self.facts.profile().has_results
    }

    /// What a call hands back and what it throws, from what it throws by itself.
    pub(super) fn result(
        &mut self,
        call: ExprId,
        of: &Known,
        given: &[Known],
        mut thrown: Thrown,
    ) -> (Known, Thrown) {
        let Expr::Call { callee, args, .. } = *self.facts.expr(call) else {
            return (Known::default(), thrown);
        };
        let args = self.facts.list(args);
        if let Some(path) = self.program.library_path(self.func, callee) {
            if self.catalog.handed_on.is_error(path) {
                return (Known::failing(self.made_error(call, args, given)), thrown);
            }
            if self.catalog.exceptions.is_held_by(path) {
                return (Known::failing(thrown.raised), Thrown::default());
            }
        }
        let mut errors = self.of_callees(call);
        if let Expr::Field { name, .. } = *self.facts.expr(callee) {
            let name = self.facts.str(name);
            self.of_method(name, call, of, args, &mut errors, &mut thrown);
        }
        (Known::failing(errors), thrown)
    }

    /// `Err(…)`: a new one, or one that was looked at before.
    fn made_error(&self, call: ExprId, args: &[Arg], given: &[Known]) -> Sites {
        if let Some(known) = given.first().filter(|known| !known.errors.is_empty()) {
            return seen_at(&known.errors, call);
        }
        let class = args.first().and_then(|arg| class_of(self.program, self.func, arg.value));
        let class = class.filter(|class| matches!(class, Exception::Project(_)));
        let source = Source { confidence: Confidence::High, via: None };
        Sites::from([((Raised::Class(class), call), source)])
    }

    /// The errors that functions of the project hand back here.
    fn of_callees(&self, call: ExprId) -> Sites {
        let mut errors = Sites::new();
        for edge in self.program.edges_at(self.func, call) {
            if let (EdgeKind::Call, Target::Project(callee)) = (edge.kind, edge.to) {
                self.handed_back(call, callee, edge.confidence, &mut errors);
            }
        }
        errors
    }

    fn handed_back(&self, call: ExprId, callee: Func, most: Confidence, out: &mut Sites) {
        for (raised, source) in self.known.failed(callee) {
            let source = Source { confidence: source.confidence.min(most), via: Some(callee) };
            add(out, raised.clone(), call, source);
        }
    }

    /// What a method makes of a result that it is called on, and of those that its closures hand back.
    fn of_method(
        &mut self,
        name: &str,
        call: ExprId,
        of: &Known,
        args: &[Arg],
        errors: &mut Sites,
        thrown: &mut Thrown,
    ) {
        let words: &Wrappers = &self.catalog.wrappers;
        let (runs, demands, unwraps) =
            (words.runs.contains(name), words.demands.contains(name), words.unwraps.contains(name));
        let looks = words.defaults.contains(name) || words.drops.contains(name);
        let asks = words.asks_good.contains(name) || words.asks_bad.contains(name);
        let keeps = words.says_of_results(name) || words.maps.contains(name);
        if runs {
            for arg in args {
                self.run_here(call, arg.value, Confidence::High, &mut thrown.raised);
            }
        }
        if unwraps {
            thrown.raised.extend(seen_at(&of.errors, call));
        } else if demands {
            errors.extend(self.made_error(call, args, &[]));
        } else if keeps && !looks && !asks && !self.catalog.exceptions.leaves_out(name) {
            errors.extend(seen_at(&of.errors, call));
            if runs {
                self.of_closures(call, args, errors);
            }
        }
    }

    fn of_closures(&self, call: ExprId, args: &[Arg], out: &mut Sites) {
        for arg in args {
            for edge in self.program.edges_at(self.func, arg.value) {
                if let (EdgeKind::Passed, Target::Project(run)) = (edge.kind, edge.to) {
                    self.handed_back(call, run, edge.confidence, out);
                }
            }
        }
    }

    /// What a pattern binds of the errors in a value: all of them under a name, or what a bad variant holds.
    pub(super) fn bind_errors(&mut self, pat: PatId, value: &Known) {
        if value.errors.is_empty() {
            return;
        }
        match *self.facts.pat(pat) {
            Pat::Var(var) => {
                let known = self.errors.entry(var).or_default();
                for ((raised, at), source) in &value.errors {
                    add(known, raised.clone(), *at, source.clone());
                }
            }
            Pat::As { pat, var } => {
                let known = self.errors.entry(var).or_default();
                known.extend(value.errors.clone());
                self.bind_errors(pat, value);
            }
            Pat::Ctor { path, items, .. } if self.is_bad(path) => {
                self.facts.list(items).iter().for_each(|&item| self.bind_errors(item, value));
            }
            Pat::Or(pats) => self.facts.list(pats).iter().for_each(|&pat| self.bind_errors(pat, value)),
            _ => {}
        }
    }

    /// What is left of a value where it does not fit a pattern.
    pub(super) fn left_of(&self, pat: PatId, value: &Known) -> Known {
        let takes_all = |pat: PatId| matches!(self.facts.pat(pat), Pat::Wild | Pat::Var(_));
        match *self.facts.pat(pat) {
            Pat::Ctor { path, items, .. }
                if self.is_bad(path) && self.facts.list(items).iter().all(|&item| takes_all(item)) =>
            {
                Known { truth: value.truth, errors: Sites::new() }
            }
            _ => value.clone(),
        }
    }

    /// True for a variant that says what went wrong.
    fn is_bad(&self, path: ExprId) -> bool {
        let path = self.program.library_path(self.func, path);
        path.is_some_and(|path| self.catalog.handed_on.is_error(path))
    }
}

impl Escapes<'_> {
    /// The errors that a function hands back, whatever the place.
    fn failed(&self, func: Func) -> impl Iterator<Item = (&Raised, Source)> {
        self.summary(func).into_iter().flat_map(|summary| super::best(&summary.failed))
    }
}
