//! Calls: functions of the project do what their own deeds say, libraries what the catalogue knows of them.

use super::domain::{State, Thrown};
use super::worth::{Marks, Worth};
use super::{Deed, Walk};
use crate::analysis::implicit;
use crate::analysis::outcomes::{DONE, FAILED, PRESENT};
use crate::catalog::DataOp;
use crate::catalog::{BUILTINS, CallbackResult, RunsWhen};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, Operator};
use crate::link::{Edge, EdgeKind, Func, Passed, Resolution, Target};

/// What a library function does with what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Library {
    /// It tells nothing of it, or only looks.
    Looks,
    /// It hands it back in another form.
    HandsOn,
    /// It keeps it.
    Keeps,
    /// Nobody knows.
    Open,
}

impl<'d> Walk<'_, 'd, '_> {
    pub(super) fn called(
        &mut self,
        state: &mut State,
        call: ExprId,
        callee: Worth,
        values: &[Worth],
    ) -> (Worth, Thrown) {
        let Expr::Call { callee: called, args, .. } = *self.facts.expr(call) else {
            return (Worth::default(), Thrown::default());
        };
        let args = self.facts.list(args);
        self.note_run(state, called);
        if let Some(variant) = self.variant(called, values) {
            return (variant, Thrown::default());
        }
        let edges: Vec<Edge> = self.program.edges_at(self.func, call).to_vec();
        if self.leaves_for_good(&edges) {
            self.deed.raises.push(None);
            state.is_live = false;
            return (Worth::default(), Thrown::default());
        }
        let own: Vec<(Edge, Func)> = edges.iter().filter_map(|edge| Some((*edge, followed(edge)?))).collect();
        let made = self.constructed(called, args, values);
        let (worth, thrown) = match (own.is_empty(), made) {
            (true, Some(made)) => return (made, Thrown::implicit()),
            (true, None) => self.foreign(state, call, (called, callee), (args, values), &edges),
            (false, _) => self.own(state, values, &own, made.is_some()),
        };
        (made.unwrap_or(worth), thrown)
    }

    /// A parameter that is called, or handed to whoever may call it.
    fn note_run(&self, state: &mut State, called: ExprId) {
        // `partial(check, phase)` runs what it is made of.
        if let Expr::Call { callee, args, .. } = *self.facts.expr(called)
            && let Some(path) = self.program.library_path(self.func, callee)
            && let Some(callback) = self.catalog.callback_of(path)
            && self.catalog.callback(callback).result == Some(CallbackResult::Callable)
        {
            self.facts.list(args).iter().for_each(|arg| self.note_run(state, arg.value));
        }
        if matches!(self.facts.expr(called), Expr::Var(_)) {
            let variable = self.program.variable(self.func, called);
            let slot = variable.map(|variable| self.program.slot_of(variable.func, variable.var));
            state.runs.extend(slot.and_then(|slot| self.program.parameter_of(slot)));
        }
    }

    /// `Err(denied)`, `Ok(value)`.
    fn variant(&self, called: ExprId, values: &[Worth]) -> Option<Worth> {
        let Expr::Free(name) = *self.facts.expr(called) else { return None };
        match self.facts.str(name) {
            FAILED => Some(Worth { fails: true, ..Worth::default() }),
            DONE | PRESENT => Some(Worth { fails: false, ..values.first().copied().unwrap_or_default() }),
            _ => None,
        }
    }

    fn leaves_for_good(&self, edges: &[Edge]) -> bool {
        edges.iter().any(|edge| match edge.to {
            Target::External(path) => self.catalog.boundaries.never_returns(self.program.path(path)),
            Target::Project(_) => false,
        })
    }

    /// An object of a class of the project, with what it is made of.
    fn constructed(&self, called: ExprId, args: &[Arg], values: &[Worth]) -> Option<Worth> {
        let class = self.program.class_named(self.func, called)?;
        let names = self.program.field_names(class);
        let mut names = names.iter();
        let mut whole = Worth::default();
        for (arg, &value) in args.iter().zip(values) {
            let marks = match arg.kind {
                ArgKind::Named(name) => self.put(Some(self.facts.str(name)), value),
                ArgKind::Positional => names.next().map_or(value.marks, |name| self.put(Some(name), value)),
                ArgKind::Spread | ArgKind::SpreadNamed => value.marks,
            };
            whole = whole.and(Worth { is_itself: false, ..value }).marked(marks);
        }
        // Its constructor may write them.
        let is_plain = implicit::methods(self.program, class, &[Operator::Construct]).next().is_none();
        Some(Worth { is_blank: false, is_open: whole.is_open || !is_plain, ..whole })
    }

    /// Functions of the project: what all of them do.
    fn own(
        &mut self,
        state: &mut State,
        values: &[Worth],
        targets: &[(Edge, Func)],
        is_made: bool,
    ) -> (Worth, Thrown) {
        let (mut result, mut thrown): (Option<Worth>, Thrown) = (None, Thrown::implicit());
        let found = targets.iter().map(|&(edge, target)| (edge, target, self.deeds.heard(target, self.open)));
        let mut found: Vec<_> = found.collect();
        // What has not come back by any path yet says nothing so far.
        found.retain(|(_, target, deed)| !self.open.has(*target) || !deed.never_leaves());
        if found.is_empty() {
            state.is_live = false;
            return (Worth::default(), Thrown::default());
        }
        for (edge, target, deed) in found {
            for (passed, expr) in self.program.arguments(&edge) {
                let Passed::Param(param) = passed else {
                    self.note_run(state, expr);
                    continue;
                };
                if deed.runs.contains(&(target, param)) || deed.is_open {
                    self.note_run(state, expr);
                }
                if let Some((_, marks)) = deed.marked.iter().find(|(at, _)| *at == param) {
                    self.mark(state, expr, *marks);
                }
            }
            let one = returned(&deed, values);
            result = Some(result.map_or(one, |known| known.or(one)));
            for class in &deed.raises {
                if !thrown.raised.contains(class) {
                    thrown.raised.push(class.clone());
                }
            }
            // An object that is made is nobody who is asked.
            if self.records && !is_made {
                self.deed.keeps |= deed.keeps;
                self.deed.notes |= deed.notes;
                self.deed.is_open |= deed.is_open;
            }
        }
        (result.unwrap_or_default(), thrown)
    }

    /// What is not in the tree.
    fn foreign(
        &mut self,
        state: &mut State,
        call: ExprId,
        (called, callee): (ExprId, Worth),
        (args, values): (&[Arg], &[Worth]),
        edges: &[Edge],
    ) -> (Worth, Thrown) {
        let (base, name) = match *self.facts.expr(called) {
            Expr::Field { base, name } => (Some(base), self.facts.str(name)),
            Expr::Free(name) => (None, self.facts.str(name)),
            _ => (None, ""),
        };
        let operations = &self.catalog.operations;
        let method = operations.known(self.facts.lang, name);
        let does = operations.of_name(method);
        let opens_void = args.iter().any(|arg| self.is_void(arg.value));
        let path = self.external(called, edges);
        let is_void = opens_void
            || base.is_some_and(|base| callee.is_void || self.deeds.drops(self.func, (base, path)));
        let library = if is_void { Library::Looks } else { self.library(call, path) };
        if library == Library::Open || self.runs_arguments(path) {
            args.iter().for_each(|arg| self.note_run(state, arg.value));
        }
        let is_given = callee.is_given || values.iter().any(|value| value.is_given);
        let fills = self.catalog.handed_on.mutates(method) && !values.is_empty();
        let notes = fills && base.is_some_and(|base| self.is_kept(state, base));
        // A store that was handed over outlives the call, too.
        let keeps_in_place = notes || fills && callee.is_given;
        if self.records {
            let is_told = library == Library::Open && !values.is_empty();
            self.deed.keeps |= keeps_in_place || library == Library::Keeps || is_told;
            self.deed.notes |= notes;
            let asks_own = base.is_some_and(|base| self.is_kept(state, base)) && !values.is_empty();
            self.deed.is_open |= library == Library::Open && (is_given || asks_own);
        }
        let added = self.added(args, values);
        if let Some(base) = base
            && (self.catalog.handed_on.mutates(method) || library == Library::Open)
        {
            let marks = if library == Library::Open && is_given { Marks::ALL } else { added };
            self.mark(state, base, marks);
        }
        let receiver = base.map(|base| self.receiver(state, base, callee));
        let of_nothing = || match values {
            [only] if only.truth == Some(false) => self.catalog.tells.of_nothing(path?),
            _ => self.decided(call),
        };
        // `data.get("marker")`
        let may_lack =
            does == Some(DataOp::Get) && matches!(args, [only] if only.kind == ArgKind::Positional);
        let worth = match library {
            Library::Looks | Library::HandsOn if let Some(truth) = of_nothing() => Worth::constant(truth),
            Library::Looks | Library::Keeps => Worth { is_void: opens_void, ..Worth::default() },
            Library::Open => Worth { is_open: is_given, is_given, ..Worth::default() },
            Library::HandsOn => self.handed_on(method, receiver, values).marked(added),
        };
        (if may_lack { worth.or_nothing() } else { worth }, self.refusal(edges))
    }

    /// `os.devnull`: what is written there is gone.
    fn is_void(&self, expr: ExprId) -> bool {
        let audit = &self.catalog.audit;
        match *self.facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => audit.is_void(self.facts.str(text)),
            Expr::Free(name) | Expr::Field { name, .. } if audit.names_void(self.facts.str(name)) => {
                self.program.library_path(self.func, expr).is_some_and(|path| audit.is_void(path))
            }
            _ => false,
        }
    }

    /// A library function that runs what it is given: `asyncio.to_thread(check, phase)`.
    fn runs_arguments(&self, path: Option<&str>) -> bool {
        let callback = path.and_then(|path| self.catalog.callback_of(path));
        let callback = callback.map(|id| self.catalog.callback(id));
        callback.is_some_and(|callback| callback.runs.iter().any(|runs| runs.when == RunsWhen::Now))
    }

    /// A model of a library refuses what does not fit.
    fn refusal(&self, edges: &[Edge]) -> Thrown {
        let refuses = edges.iter().any(|edge| match edge.to {
            Target::External(path) => self.catalog.checklist.is_model(self.program.path(path)),
            Target::Project(_) => false,
        });
        let raised = if refuses { vec![None] } else { Vec::new() };
        Thrown { raised, is_implicit: true }
    }

    /// The object whose method is called: a field of it says less than it does.
    fn receiver(&self, state: &State, base: ExprId, callee: Worth) -> Worth {
        match *self.facts.expr(base) {
            Expr::Var(var) => {
                let known = state.vars.get(&var).copied().unwrap_or_default();
                Worth { root: known.root.or(Some(var)), ..known }
            }
            _ => match self.text(base) {
                Some(text) => self.of_text(&text),
                None => callee,
            },
        }
    }

    /// What a copy, a view or a text is worth that is made of the receiver and the arguments.
    fn handed_on(&self, method: &str, receiver: Option<Worth>, values: &[Worth]) -> Worth {
        let values_on = &self.catalog.handed_on;
        let Some(receiver) = receiver else {
            return match values {
                [only] => Worth { truth: None, root: None, ..*only },
                _ => values.iter().copied().reduce(Worth::and).unwrap_or_default(),
            };
        };
        let is_copy = values_on.is_shallow_method(method)
            || self.catalog.operations.of_name(method) == Some(DataOp::Copy);
        if is_copy {
            return Worth { truth: None, root: None, ..receiver };
        }
        // `"…{}".format(text)`, `marker.join(parts)`
        let given = values.iter().copied().reduce(Worth::and).unwrap_or_default();
        if values_on.keeps_text_by_method(method) && given.is_given {
            return Worth::joined(&[receiver, given]);
        }
        Worth { is_given: receiver.is_given || given.is_given, ..receiver.part() }
    }

    /// The marks of what is handed over by a key: `update(attribution=credit)`, `setdefault("attribution", credit)`.
    fn added(&self, args: &[Arg], values: &[Worth]) -> Marks {
        let mut marks = Marks::default();
        for (at, (arg, &value)) in args.iter().zip(values).enumerate() {
            let key = match arg.kind {
                ArgKind::Named(name) => Some(self.facts.str(name).to_owned()),
                _ => at.checked_sub(1).and_then(|before| self.text(args[before].value)),
            };
            marks = marks.with(value.marks);
            if let Some(key) = key {
                marks = marks.with(self.put(Some(&key), value));
            }
        }
        marks
    }

    /// The library function that is called.
    fn external(&self, called: ExprId, edges: &[Edge]) -> Option<&'d str> {
        let external = edges.iter().find_map(|edge| match edge.to {
            Target::External(path) => Some(self.program.path(path)),
            Target::Project(_) => None,
        });
        external.or_else(|| self.program.library_path(self.func, called))
    }

    /// What the library function of this path does with what it is given.
    fn library(&self, call: ExprId, path: Option<&str>) -> Library {
        let Some(path) = path else {
            return match self.program.resolution(self.func, call) {
                Some(Resolution::Builtin | Resolution::LikelyBuiltin) => Library::HandsOn,
                _ => Library::Open,
            };
        };
        let catalog = self.catalog;
        let first = path.split('.').next().unwrap_or(path);
        let is_own = path.starts_with(BUILTINS)
            || catalog.is_of_language(path)
            || catalog.standard_modules.contains(first);
        match () {
            () if catalog.audit.keeps(path) || catalog.call_effects(path).next().is_some() => Library::Keeps,
            () if catalog.handed_on.by_call(path) || catalog.handed_on.keeps_text(path) => Library::HandsOn,
            () if catalog.tells.is_silent(path) => Library::Looks,
            () if is_own => Library::HandsOn,
            () => Library::Open,
        }
    }
}

/// The function of the project that a call runs.
pub(super) fn followed(edge: &Edge) -> Option<Func> {
    match (edge.kind, edge.to) {
        (EdgeKind::Call | EdgeKind::CallHanded, Target::Project(func)) => Some(func),
        _ => None,
    }
}

/// What comes back from a function that is given these.
fn returned(deed: &Deed, values: &[Worth]) -> Worth {
    let all = deed.returns.iter().map(|(_, worth)| *worth).reduce(Worth::or);
    let is_given = values.iter().any(|value| value.is_given);
    let Some(worth) = all else {
        return Worth {
            is_open: deed.is_open && is_given,
            is_given: deed.is_open && is_given,
            ..Worth::default()
        };
    };
    let given = values.iter().copied().reduce(Worth::and).unwrap_or_default();
    let marks = if worth.is_itself { worth.marks.with(given.marks) } else { worth.marks };
    Worth {
        marks,
        is_given: worth.is_given && given.is_given,
        is_itself: worth.is_itself && given.is_itself,
        is_open: worth.is_open && is_given,
        fails: worth.fails,
        root: None,
        ..worth
    }
}
