//! Callables that are handed over: their edges belong to the site that passes them (ARCHITECTURE "Linking").

use rustc_hash::{FxHashMap, FxHashSet};

use super::args::{Passed, argument, pair};
use super::edge::Target;
use super::edges::{Pass, Targets};
use super::ids::{Cls, Func, PathId};
use super::runs::{Handed, Position, Taker};
use super::types::{Type, Types, Value};
use crate::catalog::{CallbackResult, HolderOp};
use crate::ir::{Arg, ArgKind, EntryKey, Expr, ExprId, Operator};

/// What one target of a call is given, by argument.
struct PassedTo {
    target: Target,
    /// How many parameters are given already.
    skip: u32,
    by_argument: FxHashMap<ExprId, Vec<Passed>>,
}

impl<'a> Pass<'_, '_, 'a> {
    /// Arguments that are callables: their edges belong to this site.
    pub(super) fn hand_over(
        &mut self,
        func: Func,
        (expr, callee): (ExprId, ExprId),
        args: &'a [Arg],
        types: &[Type],
        targets: &Targets,
    ) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let by_parameter = self.called_parameter(func, callee);
        let mut passed = None;
        for (nth, arg) in (0..).zip(args) {
            if !may_be_callable(facts.expr(arg.value)) {
                continue;
            }
            let handed = self.callables(func, arg.value);
            // Of many things that are spread nobody says which parameter gets which.
            let is_spread = matches!(arg.kind, ArgKind::Spread | ArgKind::SpreadNamed);
            let few = self.solver.index.externals.catalog().holders.pooled;
            let own_parameter = self.called_parameter(func, self.uncopied(func, arg.value));
            if is_spread && handed.len() > few && own_parameter.is_none() {
                continue;
            }
            if handed.is_empty() && own_parameter.is_none() {
                continue;
            }
            let passed = passed.get_or_insert_with(|| self.passed(func, args, types, targets));
            let takers = self.takers(func, (callee, args, arg), types, targets, passed);
            let at = self.at(func, arg.value);
            if let Some(parameter) = own_parameter {
                // Which of them runs, a function that hands all on does not say of each.
                match arg.kind {
                    ArgKind::SpreadNamed => self.runs.spreads(parameter, &takers),
                    ArgKind::Spread => {}
                    _ => self.runs.passes_on(parameter, &takers),
                }
                if let Some(called) = by_parameter {
                    self.runs.applies(parameter, called, position_of(arg, nth));
                }
                continue;
            }
            // What is kept of so many things that nobody tells them apart says nothing of one.
            let is_kept = takers.iter().all(|taker| *taker == Taker::Keeps);
            let is_crowd = handed.len() > few && self.is_crowd(func, arg.value);
            if is_kept && is_crowd {
                continue;
            }
            let is_pooled = is_crowd || self.is_one_of_many(func, arg.value, handed.len());
            self.note_choice(func, arg.value, arg.value, handed.len());
            let written = self.told_apart(func, arg.value);
            let is_guess = |ty: &Type| written.as_ref().is_some_and(|written| !written.contains(ty));
            let (guessed, sure): (Types, Types) = handed.into_iter().partition(is_guess);
            for (types, is_pooled) in [(sure, is_pooled), (guessed, true)] {
                let targets: Vec<_> =
                    types.into_iter().filter_map(|ty| self.handed_target(func, ty)).collect();
                if !targets.is_empty() {
                    let handed = Handed::new(func, at, targets, takers.clone());
                    self.runs.hand(Handed { is_pooled, call: Some(expr), ..handed });
                }
            }
        }
    }

    /// `sys.excepthook = failed`: what is put there is run.
    pub(super) fn hand_to_interpreter(&mut self, func: Func, place: ExprId, value: ExprId) {
        let externals = &self.solver.index.externals;
        let [Type::External(path)] = self.solver.index.statics(func, place)[..] else { return };
        if !externals.catalog().runs_stored(externals.text(path)) {
            return;
        }
        self.hand_to_runner(func, value);
    }

    /// `return make, (text,)` of a method that says how its object is written down: whoever reads it calls that.
    pub(super) fn hand_to_copier(&mut self, func: Func, value: ExprId) {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let says_how = index.method_of[func.0 as usize].is_some()
            && facts.profile().runs(Operator::Pickle, facts.str(index.ir(func).name));
        let Expr::Seq(parts) = *facts.expr(value) else { return };
        if let Some(&made_by) = facts.list(parts).first().filter(|_| says_how) {
            self.hand_to_runner(func, made_by);
        }
    }

    fn hand_to_runner(&mut self, func: Func, value: ExprId) {
        let handed = self.callables(func, value);
        let targets: Vec<_> = handed.into_iter().filter_map(|ty| self.handed_target(func, ty)).collect();
        if !targets.is_empty() {
            let at = self.at(func, value);
            self.runs.hand(Handed::new(func, at, targets, vec![Taker::Runs]));
        }
    }

    /// What a class statement gives the hooks of the classes above it.
    pub(super) fn hand_options(&mut self, func: Func, class: Cls) {
        let (index, hierarchy) = (self.solver.index, self.solver.hierarchy);
        let (file, ir) = index.class_ir(class);
        let facts = index.units[file].facts;
        if facts.list(ir.options).is_empty() {
            return;
        }
        for name in facts.profile().methods(Operator::Subclass) {
            let above = index.names.get(name).and_then(|name| hierarchy.class_attr(index, class, name));
            let hooks = above.map_or_else(Types::new, |(_, slot)| self.solver.types(Value::In(slot)));
            for hook in hooks {
                let Type::Function(hook) = hook else { continue };
                for (at, value) in index.options_for(class, hook) {
                    let handed = self.callables(func, value);
                    let targets: Vec<_> =
                        handed.into_iter().filter_map(|ty| self.handed_target(func, ty)).collect();
                    let (at, takers) = (self.at(func, value), vec![Taker::Parameter(hook, at)]);
                    if !targets.is_empty() {
                        self.runs.hand(Handed::new(func, at, targets, takers));
                    }
                }
            }
        }
    }

    /// The callables that a value is, or that a table or list holds.
    pub(super) fn callables(&mut self, func: Func, value: ExprId) -> Types {
        let own = |ty: &Type| matches!(ty, Type::Function(_) | Type::Bound(_) | Type::Partial(_));
        let written = self.written_entries(func, value);
        // Whoever is given a table may put more into it. What stands in another one is not meant.
        let put = written.is_some().then(|| self.put_anywhere());
        let is_meant = |ty: &Type| match (&put, *ty) {
            (Some(put), Type::Function(held) | Type::Bound(held) | Type::Partial(held)) => {
                put.contains(&held)
            }
            _ => true,
        };
        let mut found: Types = written.into_iter().flatten().filter(own).collect();
        for ty in self.solver.eval(func, value) {
            match ty {
                Type::Container(container) => {
                    let entries = self.solver.held_by(container);
                    found.extend(entries.into_iter().filter(|ty| own(ty) && is_meant(ty)));
                }
                _ if ty.is_callable() => found.push(ty),
                _ => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn is_crowd(&mut self, func: Func, value: ExprId) -> bool {
        self.solver.eval(func, value).contains(&Type::Anything)
    }

    /// What is written down at this place, if nobody tells the table that it is from others.
    fn told_apart(&mut self, func: Func, value: ExprId) -> Option<Types> {
        let written = self.written_entries(func, value)?;
        let types = self.solver.eval(func, value);
        let is_merged = types.iter().any(|ty| match *ty {
            Type::Container(id) => self.pooled.contains(&self.solver.containers.find(id)),
            _ => false,
        });
        is_merged.then_some(written)
    }

    /// What stands in a table or list that is written down at this place. Others may put more into what has a name.
    pub(super) fn written_entries(&mut self, func: Func, value: ExprId) -> Option<Types> {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let values: Vec<ExprId> = match *facts.expr(value) {
            Expr::Record(entries) => {
                let entries = facts.list(entries);
                let is_plain = entries.iter().all(|entry| matches!(entry.key, EntryKey::Expr(_)));
                entries.iter().filter(|_| is_plain).map(|entry| entry.value).collect()
            }
            Expr::Seq(items) => facts.list(items).to_vec(),
            _ => return None,
        };
        let is_spread = |value: &ExprId| matches!(facts.expr(*value), Expr::Spread(_));
        let is_whole = !values.is_empty() && !values.iter().any(is_spread);
        is_whole.then(|| values.into_iter().flat_map(|value| self.solver.eval(func, value)).collect())
    }

    pub(super) fn handed_target(&self, func: Func, ty: Type) -> Option<(Target, bool)> {
        match ty {
            Type::Function(target) | Type::Bound(target) | Type::Partial(target) => {
                Some((Target::Project(target), self.solver.is_inside(target, func)))
            }
            Type::External(path) if self.is_worth_an_edge(path) => Some((Target::External(path), false)),
            Type::Handed(_) => None,
            _ => None,
        }
    }

    /// What each target is given, by argument.
    fn passed(&self, func: Func, args: &[Arg], types: &[Type], targets: &Targets) -> Vec<PassedTo> {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let bound: FxHashSet<&Type> = types.iter().filter(|ty| matches!(ty, Type::Bound(_))).collect();
        let is_constructor = is_constructor(types);
        // A parameter that is called hands on to what callers give for it.
        let given = types.iter().filter_map(|ty| match *ty {
            Type::Function(given) | Type::Bound(given) if targets.parameter => Some(Target::Project(given)),
            _ => None,
        });
        let passed = targets.list.iter().copied().chain(given).map(|target| {
            let mut by_argument: FxHashMap<ExprId, Vec<Passed>> = FxHashMap::default();
            let mut skip = 0;
            if let Target::Project(callee) = target {
                skip = u32::from(is_constructor || bound.contains(&Type::Bound(callee)));
                for (passed, value) in pair(index, facts, args, callee, skip) {
                    by_argument.entry(value).or_default().push(passed);
                }
            }
            PassedTo { target, skip, by_argument }
        });
        passed.collect()
    }

    /// Who receives an argument: parameters of the project's functions, a library function that runs it, or somebody unknown.
    fn takers(
        &mut self,
        func: Func,
        (callee, args, arg): (ExprId, &'a [Arg], &Arg),
        types: &[Type],
        targets: &Targets,
        passed: &[PassedTo],
    ) -> Vec<Taker> {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let mut takers = Vec::new();
        for PassedTo { target, skip, by_argument } in passed {
            match *target {
                Target::Project(callee) => {
                    for &passed in by_argument.get(&arg.value).into_iter().flatten() {
                        let count = index.ir(callee).params.len() as u32;
                        match passed {
                            Passed::KeywordRest(at, name) => takers
                                .extend([Taker::Parameter(callee, at), Taker::Keyword(callee, at, name)]),
                            Passed::Param(at) | Passed::Rest(at) => takers.push(Taker::Parameter(callee, at)),
                            // Any of them may get any of it.
                            Passed::SpreadFrom(from) => {
                                takers.extend((from..count).map(|at| Taker::Parameter(callee, at)));
                            }
                            Passed::SpreadNamed => {
                                takers.extend((*skip..count).map(|at| Taker::Parameter(callee, at)));
                            }
                        }
                    }
                }
                Target::External(path) => takers.push(self.external_taker(path, facts, args, arg)),
            }
        }
        for &ty in types {
            if let Type::External(path) = ty
                && self.is_builtin(path)
            {
                let taker = self.external_taker(path, facts, args, arg);
                takers.push(if self.runs_closures(func, callee) { Taker::Runs } else { taker });
            }
        }
        if takers.is_empty() && self.runs_closures(func, callee) {
            takers.push(Taker::Runs);
        }
        let keeps = targets.constructed || self.is_builtin_method(func, callee);
        if takers.is_empty() && self.named_taker(facts, callee, args, arg) == Taker::Runs {
            takers.push(Taker::Runs);
        }
        if takers.is_empty() && keeps {
            // A field of a data class, an element of a list.
            takers.push(Taker::Keeps);
        }
        if takers.is_empty() {
            takers.push(self.named_taker(facts, callee, args, arg));
        }
        takers
    }

    fn external_taker(&mut self, path: PathId, facts: &crate::ir::Facts, args: &[Arg], arg: &Arg) -> Taker {
        let externals = &self.solver.index.externals;
        // Whoever takes the value out of its box runs it.
        if facts.lang.profile().has_wrappers && externals.catalog().wrappers.hands_back(externals.text(path))
        {
            return Taker::Keeps;
        }
        let Some(callback) = externals.callback(path).map(|id| externals.catalog().callback(id)) else {
            let takes = self.solver.takes(path);
            let may_run = takes.is_none_or(|takes| takes.operation == Some(HolderOp::Uses) && !takes.is_deaf);
            return if may_run { Taker::Unknown } else { Taker::Keeps };
        };
        let runs = callback.runs.iter().any(|runs| {
            runs.is_meant(args.len())
                && argument(facts, args, runs.index, runs.name.as_deref()) == Some(arg.value)
        });
        let hands_back = matches!(callback.result, Some(CallbackResult::Argument | CallbackResult::Callable));
        if runs && !hands_back { Taker::Runs } else { Taker::Keeps }
    }

    /// A method of the language's own types that runs its closures at once.
    fn runs_closures(&self, func: Func, callee: ExprId) -> bool {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let words = &index.externals.catalog().wrappers;
        match *facts.expr(callee) {
            Expr::Field { name, .. } => {
                self.solver.has_wrappers(func) && words.runs.contains(facts.str(name))
            }
            _ => false,
        }
    }

    /// A method of an unknown object whose name says that it runs what it is given (`loop.run_in_executor`).
    fn named_taker(&self, facts: &crate::ir::Facts, callee: ExprId, args: &[Arg], arg: &Arg) -> Taker {
        let Expr::Field { name, .. } = *facts.expr(callee) else { return Taker::Unknown };
        let catalog = self.solver.index.externals.catalog();
        let Some(callback) = catalog.callback_named(facts.str(name)) else { return Taker::Unknown };
        let runs = catalog.callback(callback).runs.iter().any(|runs| {
            runs.is_meant(args.len())
                && argument(facts, args, runs.index, runs.name.as_deref()) == Some(arg.value)
        });
        if runs { Taker::Runs } else { Taker::Unknown }
    }
}

/// Where an argument arrives, as far as its place says.
fn position_of(arg: &Arg, nth: u32) -> Position {
    match arg.kind {
        ArgKind::Positional => Position::At(nth),
        _ => Position::From(nth),
    }
}

fn is_constructor(types: &[Type]) -> bool {
    types.iter().any(|ty| matches!(ty, Type::Class { .. } | Type::Instance { .. }))
}

/// Calls are evaluated where they stand; literals hold no callable.
fn may_be_callable(expr: &Expr) -> bool {
    !matches!(expr, Expr::Lit(_) | Expr::Text(_) | Expr::Op { .. } | Expr::Not(_))
}
