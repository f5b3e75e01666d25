//! Functions that are handed over and called by somebody else: they get what that one has for them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lower;
use super::calls::Entered;
use crate::analysis::valueflow::graph::Step;
use crate::analysis::valueflow::paths::Key;
use crate::catalog::CallbackResult;
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Pat, VarId};
use crate::link::{Edge, EdgeKind, Func, Passed, Target};

/// A function as it is handed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handed {
    edge: Edge,
    callee: Func,
    /// The call that hands it over, if that calls a function of the project.
    by: Option<Edge>,
    value: ExprId,
}

/// By function and parameter.
pub(super) type ByParameter<T> = FxHashMap<(Func, u32), Vec<T>>;

impl Lower<'_, '_> {
    /// The function of the project that an argument is, and that is run. One of many is none: who knows which gets what.
    pub(super) fn handed(&self, value: ExprId, by: Option<Edge>) -> Option<Handed> {
        let edges = self.program.edges_at(self.func, value).iter();
        let edges = edges.filter(|edge| edge.kind == EdgeKind::Passed && edge.confidence > Confidence::Low);
        let mut edges = edges.filter_map(|edge| match edge.to {
            Target::Project(callee) => Some(Handed { edge: *edge, callee, by, value }),
            Target::External(_) => None,
        });
        let first = edges.next()?;
        edges.all(|other| other.callee == first.callee).then_some(first)
    }

    /// A library calls what it is given, with the other arguments or with their elements. True if the result is what comes back.
    pub(super) fn run_by_library(&mut self, expr: ExprId, args: &[Arg], path: Option<&str>) -> bool {
        let callback = path.and_then(|path| self.catalog.callback_of(path));
        let callback = callback.map(|id| self.catalog.callback(id));
        let forwards = callback.is_some_and(|callback| callback.forwards);
        let is_made = callback.is_some_and(|callback| callback.result == Some(CallbackResult::Callable));
        let mut is_result = false;
        for (at, arg) in args.iter().enumerate().filter(|_| !is_made) {
            if let Some(handed) = self.handed(arg.value, None) {
                let entered = self.entered(handed);
                let (given, filled) = self.made_with(handed);
                // `sorted(rows, key=name)`
                let others = if arg.kind == ArgKind::Positional { &args[at + 1..] } else { &args[..at] };
                let behind: Vec<Arg> =
                    given.iter().chain(others.iter().filter(|_| forwards)).copied().collect();
                let pairs = self.program.handed_arguments(self.func, &behind, (handed.callee, filled));
                pairs.into_iter().for_each(|(passed, arg)| self.give(entered, passed, arg));
                let first = filled + given.len() as u32;
                for (nth, other) in (first..).zip(others.iter().filter(|_| !forwards)) {
                    let from = self.expr(other.value);
                    self.give_part(entered, from, nth, Step::OutOf(Key::Each));
                }
                let step = if forwards || others.is_empty() { Step::Same } else { Step::Into(Key::Each) };
                if arg.kind == ArgKind::Positional {
                    let returned = self.places.returned(self.program, handed.callee);
                    self.leave(entered, returned, expr, step);
                    is_result |= forwards;
                }
            }
        }
        is_result
    }

    /// What a function of the project is given to call.
    pub(super) fn hand_to(&mut self, by: Edge, callee: Func, pairs: &[(Passed, ExprId)]) {
        for &(passed, value) in pairs {
            if let Passed::Param(at) = passed
                && let Some(handed) = self.handed(value, Some(by))
            {
                self.handed_to.entry((callee, at)).or_default().push(handed);
            }
        }
    }

    /// A call of a parameter of this function, or of one around it.
    pub(super) fn calls_parameter(&mut self, call: ExprId, callee: ExprId) {
        let Expr::Var(var) = *self.facts.expr(callee) else { return };
        let parameter = match (self.params.get(&var), self.captured.get(&var)) {
            (Some(&at), _) => Some((self.func, at)),
            (None, Some(&outer)) => self.parameter_around(outer),
            (None, None) => None,
        };
        if let Some(parameter) = parameter {
            self.parameter_calls.entry(parameter).or_default().push((self.func, call));
        }
    }

    fn parameter_around(&self, var: VarId) -> Option<(Func, u32)> {
        let parent = self.program.ir(self.func).parent;
        let facts = self.program.facts(self.program.function(parent).file);
        let mut params = (0..).zip(facts.list(self.program.ir(parent).params));
        params.find(|(_, param)| *facts.pat(param.pat) == Pat::Var(var)).map(|(at, _)| (parent, at))
    }

    /// Once all functions are read: what parameters that are called are given.
    pub(super) fn call_parameters(&mut self) {
        let mut handed: Vec<_> = std::mem::take(&mut self.handed_to).into_iter().collect();
        handed.sort_unstable_by_key(|(parameter, _)| *parameter);
        for (parameter, handed) in handed {
            let calls = self.parameter_calls.get(&parameter).cloned().unwrap_or_default();
            let callees: FxHashSet<Func> = handed.iter().map(|handed| handed.callee).collect();
            // Who of many is called depends on who calls; what that one gives is known.
            let is_sole = callees.len() == 1;
            for (func, call) in calls {
                for &handed in &handed {
                    self.call_handed(func, call, handed, is_sole);
                }
            }
        }
    }

    fn call_handed(&mut self, func: Func, call: ExprId, handed: Handed, is_sole: bool) {
        let Some(by) = handed.by else { return };
        self.enter_function(by.from);
        let (given, filled) = self.made_with(handed);
        let object = self.entered(handed);
        let pairs = self.program.handed_arguments(self.func, &given, (handed.callee, filled));
        pairs.into_iter().for_each(|(passed, arg)| self.give(object, passed, arg));
        let filled = filled + given.len() as u32;
        let returned = self.places.returned(self.program, handed.callee);
        if !is_sole {
            self.leave(object.unsure(), returned, by.at.expr, Step::Same);
        }
        self.enter_function(func);
        let Expr::Call { args, .. } = *self.facts.expr(call) else { return };
        let args = self.facts.list(args).to_vec();
        let entered = self.entered_from(handed);
        let entered = if is_sole { entered } else { entered.unsure() };
        let pairs = self.program.handed_arguments(func, &args, (handed.callee, filled));
        for (passed, arg) in pairs {
            match self.own_parameter(arg).filter(|_| !is_sole) {
                None => self.give(entered, passed, arg),
                Some(own) => self.give_through(object, by, own, passed),
            }
        }
        if is_sole {
            self.leave(entered, returned, call, Step::Same);
        }
    }

    /// What a function gives that has it as a parameter is what its caller gives.
    fn give_through(&mut self, call: Entered, by: Edge, own: u32, passed: Passed) {
        let func = self.func;
        let pairs = self.program.arguments(&by);
        self.enter_function(by.from);
        for (nth, &(given, arg)) in pairs.iter().enumerate() {
            match given {
                Passed::Param(at) if at == own => self.give(call, passed, arg),
                Passed::Rest(at) if at == own => {
                    let before = pairs[..nth].iter().filter(|(other, _)| *other == given).count() as u32;
                    if let Passed::SpreadFrom(first) = passed {
                        self.give(call, Passed::Param(first + before), arg);
                    }
                }
                Passed::KeywordRest(at, name) if at == own => {
                    let facts = self.program.facts(self.program.function(call.callee).file);
                    let params = facts.list(self.program.ir(call.callee).params);
                    if let Some(at) = params.iter().position(|param| param.name == name) {
                        self.give(call, Passed::Param(at as u32), arg);
                    }
                }
                _ => {}
            }
        }
        self.enter_function(func);
    }

    /// The parameter of this function that an argument is, or spreads.
    fn own_parameter(&self, arg: ExprId) -> Option<u32> {
        match *self.facts.expr(arg) {
            Expr::Var(var) => self.params.get(&var).copied(),
            _ => None,
        }
    }

    /// `partial(run, path)`: the arguments that are given before, and how many parameters are filled without them.
    fn made_with(&self, handed: Handed) -> (Vec<Arg>, u32) {
        let made = match *self.facts.expr(handed.value) {
            Expr::Var(_) => self.program.sole_definition(self.func, handed.value),
            _ => None,
        };
        let made = made.filter(|(func, _)| *func == self.func).map_or(handed.value, |(_, value)| value);
        if let Expr::Call { args, .. } = *self.facts.expr(made)
            && let [function, others @ ..] = self.facts.list(args)
        {
            return (others.to_vec(), self.program.filled(self.func, function.value, handed.callee));
        }
        (Vec::new(), self.program.filled(self.func, handed.value, handed.callee))
    }

    /// The call of a function that is handed over here: its object is known.
    fn entered(&mut self, handed: Handed) -> Entered {
        let entered = self.entered_from(handed);
        if let Expr::Field { base, .. } = *self.facts.expr(handed.value)
            && self.program.filled(self.func, handed.value, handed.callee) > 0
        {
            self.give_whole(entered, base, 0);
        }
        entered
    }

    fn entered_from(&mut self, handed: Handed) -> Entered {
        Entered { edge: handed.edge, callee: handed.callee, site: self.site() }
    }
}
