//! Calls: into functions of the project and back, and through libraries as the catalogue knows them.

use super::Lower;
use std::borrow::Cow;

use crate::analysis::implicit;
use crate::analysis::valueflow::graph::{Flow, Node, Site, Step, Way};
use crate::analysis::valueflow::paths::Key;
use crate::analysis::valueflow::places::Owner;
use crate::catalog::{DataOp, EffectKind, Purpose};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, ListOf, Operator, ParamKind, Pat};
use crate::link::{At, Cls, Edge, EdgeKind, Func, Passed, Resolution, Target};

/// A call of a function of the project.
#[derive(Clone, Copy)]
pub(super) struct Entered {
    pub edge: Edge,
    pub callee: Func,
    pub site: Site,
}

impl Entered {
    /// The same, if it may be another function that is called.
    pub fn unsure(mut self) -> Self {
        self.edge.confidence = self.edge.confidence.min(Confidence::Medium);
        self
    }
}

impl Lower<'_, '_> {
    pub(super) fn call(&mut self, expr: ExprId, callee: ExprId, args: &[Arg]) {
        let is_call = |edge: &Edge| edge.kind.carries_content() && edge.kind != EdgeKind::Passed;
        let follows = |edge: &&Edge| is_call(edge) && edge.confidence > Confidence::Low;
        let edges = self.program.edges_at(self.func, expr).iter().filter(follows);
        let edges: Vec<Edge> = edges.copied().collect();
        self.calls_parameter(expr, callee);
        let mut is_own = false;
        for &edge in &edges {
            if let Target::Project(to) = edge.to {
                is_own = true;
                let site = self.site();
                self.enter(Entered { edge, callee: to, site }, expr, callee);
            }
        }
        match self.program.class_named(self.func, callee) {
            Some(class) => self.construct(class, expr, args),
            None if is_own => {}
            None => self.foreign(expr, callee, args, &edges),
        }
    }

    fn enter(&mut self, call: Entered, expr: ExprId, callee: ExprId) {
        let given = self.program.arguments(&call.edge);
        let mut is_counted = true;
        for &(passed, arg) in &given {
            match passed {
                Passed::SpreadNamed => self.give_named(call, arg, &given),
                Passed::Rest(_) => {}
                Passed::SpreadFrom(first) => {
                    self.spread_over(call, arg, (first, is_counted));
                    is_counted = false;
                }
                _ => self.give(call, passed, arg),
            }
        }
        self.give_rest(call, &given);
        self.hand_to(call.edge, call.callee, &given);
        for (passed, owner, arg) in self.program.arguments_before(&call.edge) {
            if owner == self.func {
                self.give(call, passed, arg);
            }
        }
        let runs_object = implicit::runs(self.program, call.callee, &[Operator::Call]);
        let object = match *self.facts.expr(callee) {
            _ if runs_object => Some(callee),
            Expr::Field { base, .. } if self.program.takes_object(&call.edge) => Some(base),
            _ => None,
        };
        if let Some(object) = object {
            self.give_whole(call, object, 0);
        }
        let is_initialiser = !runs_object && implicit::is_implicit(self.program, call.callee);
        let made = match is_initialiser {
            // An object is what its initialiser has put into it.
            true if self.param_count(call.callee) > 0 => self.places.changed(self.program, call.callee, 0),
            _ => self.places.returned(self.program, call.callee),
        };
        self.leave(call, made, expr, Step::Same);
    }

    /// What a call hands back gets to an expression.
    pub(super) fn leave(&mut self, call: Entered, made: Node, expr: ExprId, step: Step) {
        let to = self.expr(expr);
        self.flow(made, to, step, Way::Leave(call.site), call.edge.confidence);
        // What it has of the function around never went in by a call.
        if self.program.ir(call.callee).parent == self.func {
            self.flow(made, to, step, Way::Here, call.edge.confidence);
        }
    }

    fn is_method(&self, func: Func) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let first = facts.list(self.program.ir(func).params).first().map(|param| *facts.pat(param.pat));
        matches!(first, Some(Pat::Var(var)) if self.program.own_class_of(func, var).is_some())
    }

    fn param_count(&self, func: Func) -> u32 {
        self.program.ir(func).params.len() as u32
    }

    fn is_at_position(kind: ParamKind) -> bool {
        !matches!(kind, ParamKind::Rest | ParamKind::KeywordOnly | ParamKind::KeywordRest)
    }

    /// How many parameters can be given without a name, one argument each.
    fn positional_count(&self, func: Func) -> u32 {
        let facts = self.program.facts(self.program.function(func).file);
        let params = facts.list(self.program.ir(func).params).iter();
        params.take_while(|param| Self::is_at_position(param.kind)).count() as u32
    }

    /// The parameter that collects what has no name, if what is spread from a position on gets there.
    pub(super) fn rest_of(&self, call: Entered, first: u32) -> Option<u32> {
        let at = self.positional_count(call.callee);
        let facts = self.program.facts(self.program.function(call.callee).file);
        let param = facts.list(self.program.ir(call.callee).params).get(at as usize)?;
        (param.kind == ParamKind::Rest && first <= at).then_some(at)
    }

    pub(super) fn give(&mut self, call: Entered, passed: Passed, arg: ExprId) {
        let from = self.expr(arg);
        match passed {
            Passed::Param(at) => self.give_whole(call, arg, at),
            Passed::Rest(at) => self.give_part(call, from, at, Step::Into(Key::Each)),
            Passed::KeywordRest(at, name) => self.give_part(call, from, at, Step::Into(Key::Name(name))),
            Passed::SpreadFrom(first) => {
                self.spread_over(call, arg, (first, false));
                self.give_rest(call, &[(passed, arg)]);
            }
            Passed::SpreadNamed => self.give_named(call, arg, &[]),
        }
    }

    /// `*arguments`: each parameter from a position on gets the element there, or some element if others are spread before.
    fn spread_over(&mut self, call: Entered, arg: ExprId, (first, is_counted): (u32, bool)) {
        let from = self.expr(arg);
        // What a method belongs to is no content.
        let object = u32::from(self.is_method(call.callee));
        for at in first.max(object)..self.positional_count(call.callee) {
            let key = if is_counted { Key::At(at - first) } else { Key::Each };
            self.give_part(call, from, at, Step::OutOf(key));
        }
    }

    /// `**arguments`: each parameter what stands under its name, but for those that the call gives by themselves.
    fn give_named(&mut self, call: Entered, arg: ExprId, given: &[(Passed, ExprId)]) {
        let from = self.expr(arg);
        let facts = self.program.facts(self.program.function(call.callee).file);
        let is_implicit = implicit::is_implicit(self.program, call.callee);
        let is_object = is_implicit || self.is_method(call.callee);
        let params = (0..).zip(facts.list(self.program.ir(call.callee).params));
        for (at, param) in params.skip(usize::from(is_object)) {
            if given.iter().any(|(passed, _)| *passed == Passed::Param(at)) {
                continue;
            }
            let step = match param.kind {
                ParamKind::KeywordRest => Step::Same,
                _ => Step::OutOf(Key::Name(param.name)),
            };
            self.give_part(call, from, at, step);
        }
    }

    pub(super) fn give_part(&mut self, call: Entered, from: Node, at: u32, step: Step) {
        let to = self.places.param(self.program, call.callee, at);
        self.flow(from, to, step, Way::Enter(call.site), call.edge.confidence);
    }

    /// A parameter is the argument itself: what the function puts into it is in the argument.
    pub(super) fn give_whole(&mut self, call: Entered, arg: ExprId, at: u32) {
        if at >= self.param_count(call.callee) {
            return;
        }
        let node = self.expr(arg);
        self.give_part(call, node, at, Step::Same);
        if self.is_place(arg) {
            let changed = self.places.changed(self.program, call.callee, at);
            self.flow(changed, node, Step::Same, Way::Leave(call.site), call.edge.confidence);
            self.write(arg);
        }
    }

    fn is_place(&self, expr: ExprId) -> bool {
        matches!(
            self.facts.expr(expr),
            Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } | Expr::Index { .. }
        )
    }

    /// An object keeps what its class is given under the names of its parameters.
    fn construct(&mut self, class: Cls, expr: ExprId, args: &[Arg]) {
        let node = self.expr(expr);
        for arg in args {
            let step = match arg.kind {
                ArgKind::Named(name) => Step::Into(Key::Attr(name)),
                ArgKind::SpreadNamed => Step::Same,
                ArgKind::Positional | ArgKind::Spread => continue,
            };
            self.pass(arg.value, node, step);
            // Its methods see it, whoever has the object.
            if let ArgKind::Named(name) = arg.kind {
                self.store_field(self.expr(arg.value), Owner::Made(class), name);
            }
        }
    }

    /// What nobody knows makes its result of all that it is given.
    fn foreign(&mut self, expr: ExprId, callee: ExprId, args: &[Arg], edges: &[Edge]) {
        self.file(expr, callee, args);
        let at = At { file: self.program.function(self.func).file, expr };
        if let Some(&kind) = self.outside.get(&at) {
            // What a query brings is in the cursor that was asked.
            if let (EffectKind::Storage, Expr::Field { base, .. }) = (kind, *self.facts.expr(callee)) {
                let from = self.expr(expr);
                self.put(from, base, Step::Same);
            }
            return;
        }
        let path = self.library(callee, edges).map(Cow::into_owned);
        let name = self.facts.written_name(callee).map(|name| self.facts.str(name));
        let is_other = self.catalog.tells.is_answer(path.as_deref(), name)
            || self.is_content(callee, args, path.as_deref());
        if is_other || self.paired(expr, args, path.as_deref()) {
            return;
        }
        if self.run_by_library(expr, args, path.as_deref()) {
            return;
        }
        if let Expr::Field { base, name } = *self.facts.expr(callee) {
            let name = self.facts.str(name);
            // `rules.find(|rule| rule.key == key)`
            let searches = args.iter().any(|arg| self.handed(arg.value, None).is_some());
            let is_of_library = edges.iter().any(|edge| matches!(edge.to, Target::External(_)));
            if !((is_of_library || searches) && self.catalog.tells.asks_of_text(name))
                && self.by_method((expr, base), name, args)
            {
                return;
            }
        }
        let (tells, values) = (&self.catalog.tells, &self.catalog.handed_on);
        let is = |test: &dyn Fn(&str) -> bool| path.as_deref().is_some_and(test);
        if is(&|path| {
            let is_answer = tells.lists(path) && !tells.finds_pattern(path);
            tells.is_silent(path) || tells.is_number(path) || is_answer || tells.opens(path)
        }) {
            return;
        }
        let is_same = is(&|path| values.by_call(path) && !tells.recodes(path));
        let step = if is_same { Step::Same } else { Step::Made };
        let is_open = self.program.resolution(self.func, expr) == Some(Resolution::Unresolved);
        let confidence = if is_open { Confidence::Medium } else { Confidence::High };
        let receiver = match *self.facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        let joins = self.does(callee, path.as_deref()) == Some(DataOp::JoinPath);
        let to = self.expr(expr);
        for (at, given) in receiver.into_iter().chain(args.iter().map(|arg| arg.value)).enumerate() {
            let from = self.expr(given);
            let clean = self.cleaned_by(path.as_deref(), callee, args, given);
            let is_first = at <= usize::from(receiver.is_some() && path.is_some());
            let clean = if joins && !is_first { clean.with(Purpose::Option.into()) } else { clean };
            self.flows.push(Flow { from, to, step, way: Way::Here, confidence, clean });
        }
    }

    /// Methods that take parts out of their object or put something into it. True if that is all.
    fn by_method(&mut self, (expr, base): (ExprId, ExprId), name: &str, args: &[Arg]) -> bool {
        let does = self.catalog.operations.of_method(self.facts.lang, name);
        let (node, object) = (self.expr(expr), self.expr(base));
        if self.catalog.tells.is_silent_member(name) {
            return true;
        }
        if self.catalog.tells.collects(name) {
            self.collect(base, does, args);
        }
        match (does, args) {
            (Some(DataOp::Entries), []) => {
                let pair = self.places.between(self.func);
                self.moved(object, Key::Any, pair, Key::At(1));
                self.moved(object, Key::Names, pair, Key::At(0));
                self.here(pair, node, Step::Into(Key::Each));
            }
            (Some(DataOp::Values), []) => self.moved(object, Key::Any, node, Key::Each),
            (Some(DataOp::Copy), []) => self.here(object, node, Step::Same),
            (Some(DataOp::FillIn), _) => {
                let values: Vec<ExprId> = args.iter().map(|arg| arg.value).collect();
                self.filled(base, &values, node);
            }
            _ if !self.catalog.handed_on.by_method(name) => return false,
            (_, [key, others @ ..]) => {
                let key = self.key(key.value);
                self.here(object, node, Step::OutOf(key));
                others.iter().for_each(|other| self.pass(other.value, node, Step::Same));
            }
            (_, []) => self.here(object, node, Step::Same),
        }
        true
    }

    /// `pages.append(page)`, `pages.update(others)`.
    fn collect(&mut self, base: ExprId, does: Option<DataOp>, args: &[Arg]) {
        if let (Some(DataOp::Extend), Some(last)) = (does, args.last()) {
            let (from, to) = (self.expr(last.value), self.expr(base));
            self.moved(from, Key::Each, to, Key::Any);
            return self.write(base);
        }
        let step = match (does, args) {
            (Some(DataOp::Update), _) => Step::Same,
            (Some(DataOp::SetEntry | DataOp::GetOrInsert), [key, _]) => Step::Into(self.key(key.value)),
            _ => Step::Into(Key::Each),
        };
        if let Some(last) = args.last() {
            let from = self.expr(last.value);
            self.put(from, base, step);
        }
    }

    /// `table.get(key)` stands for the entry.
    pub(super) fn part_by_method(&self, callee: ExprId, args: ListOf<Arg>) -> Option<(ExprId, Key)> {
        let Expr::Field { base, name } = *self.facts.expr(callee) else { return None };
        let key = self.facts.list(args).first()?;
        self.catalog.handed_on.by_method(self.facts.str(name)).then(|| (base, self.key(key.value)))
    }
}
