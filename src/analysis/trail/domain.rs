//! What the events of a walk do to how far the operation has come: the domain of the path interpreter.

use super::walk::{Mode, State, Thrown, Told, Walk, flipped};
use super::{Event, Happens, Left, Relation, Summary};
use crate::analysis::exceptions::{Exception, class_of, handled, most, takes};
use crate::analysis::interp::{Caught, Domain, Entered, Exit};
use crate::ir::{Expr, ExprId, Op, Pat, PatId};

impl Walk<'_, '_, '_> {
    /// A call that brings the event about; `None` if it does not.
    fn event(&mut self, state: &mut State, call: ExprId) -> Option<(Told, Thrown)> {
        match self.tracer.happens_at(self.func, call)? {
            Happens::Now => {
                self.happens(state, call);
                // Whether a record can fail is the writer's business.
                let is_record = *self.tracer.events.event() == Event::Audit;
                // What nobody can look into may refuse by whatever it raises.
                let classes = match self.runs(call).filter(|_| !is_record) {
                    Some(summary) => summary.classes,
                    None if is_record || !self.tracer.is_foreign(self.func, call) => Vec::new(),
                    None => vec![None],
                };
                Some((Told::Nothing, Thrown { classes, rows: Relation::identity(), at: call }))
            }
            Happens::If(arm) => {
                if self.records {
                    self.tracer.found.borrow_mut().seen.push((self.func, call));
                }
                Some((Told::If(arm), self.nothing_flies(call)))
            }
        }
    }
}

impl Domain for Walk<'_, '_, '_> {
    type State = State;
    type Value = Told;
    type Thrown = Thrown;
    const SEES_FLIGHT: bool = true;

    fn dead(&self) -> State {
        State { is_live: false, rows: Relation::NOWHERE }
    }

    fn is_live(&self, state: &State) -> bool {
        state.is_live
    }

    fn join(&mut self, into: &mut State, from: &State) {
        into.is_live |= from.is_live;
        into.rows.join(&from.rows);
    }

    fn carried(&mut self, entry: &State, before: &State, after: &State) -> State {
        let rows = Relation::carried(&entry.rows, &before.rows, &after.rows);
        State { is_live: entry.is_live && after.is_live, rows }
    }

    fn forget(&mut self, _state: &mut State) {}

    fn record(&mut self) {
        self.records = true;
        self.exits.clear();
        self.early.clear();
        self.classes.clear();
        self.yielded = Relation::NOWHERE;
    }

    fn nothing(&self) -> Told {
        Told::Nothing
    }

    fn merge(&mut self, ways: &[(&State, Told)]) -> Told {
        let Some((_, first)) = ways.first() else { return Told::Nothing };
        if ways.iter().all(|(_, told)| told == first) { *first } else { Told::Nothing }
    }

    fn value(&mut self, state: &mut State, expr: ExprId, parts: &[Told]) -> Told {
        if self.in_line.contains(&expr) {
            self.happens(state, expr);
        }
        self.read(expr, parts)
    }

    fn value_when(&self, value: &Told, _holds: bool) -> Told {
        *value
    }

    fn negated(&mut self, value: &Told) -> Told {
        flipped(*value)
    }

    fn call(&mut self, state: &mut State, call: ExprId, _callee: &Told, args: &[Told]) -> (Told, Thrown) {
        if self.in_line.contains(&call) {
            self.happens(state, call);
        }
        if let Some(done) = self.event(state, call) {
            return done;
        }
        let before = state.rows;
        if self.has_effect(call) {
            state.rows = state.rows.then(&Relation::effect());
            self.note_effect(&before, &state.rows, call);
            if self.records {
                self.tracer.found.borrow_mut().effects.push((self.func, call));
            }
            // Where a failure is a value, what is done with it stands behind the call.
            let is_value = self.facts.profile().has_results;
            let (classes, rows) = match is_value {
                true => (Vec::new(), Relation::NOWHERE),
                false => (vec![None], Relation::effect()),
            };
            return (Told::Nothing, Thrown { classes, rows, at: call });
        }
        let Some(Summary { returns, raises, classes, .. }) = self.runs(call) else {
            let hands_on = args.iter().copied().find(|told| matches!(told, Told::If(_)));
            return (hands_on.unwrap_or(Told::Nothing), self.nothing_flies(call));
        };
        state.rows = state.rows.then(&returns);
        self.note_effect(&before, &state.rows, call);
        (Told::Nothing, Thrown { classes, rows: raises, at: call })
    }

    fn flying(&self, before: State, thrown: &Thrown) -> State {
        State { rows: before.rows.then(&thrown.rows), ..before }
    }

    fn thrown(
        &mut self,
        _state: &mut State,
        raise: ExprId,
        value: Option<(ExprId, &Told)>,
        handling: Option<(ExprId, &Thrown)>,
    ) -> Thrown {
        let classes = match (value, handling) {
            (Some((value, _)), _) => vec![class_of(self.tracer.program, self.func, value)],
            (None, Some((_, handling))) => handling.classes.clone(),
            (None, None) => vec![None],
        };
        Thrown { classes, rows: Relation::identity(), at: raise }
    }

    fn not_there(&self) -> Thrown {
        Thrown { classes: Vec::new(), rows: Relation::NOWHERE, at: self.tracer.program.ir(self.func).body }
    }

    fn caught(&mut self, types: &[ExprId], thrown: &Thrown) -> Caught {
        if thrown.classes.is_empty() {
            return Caught::No;
        }
        if types.is_empty() {
            return Caught::Yes;
        }
        let handlers = handled(self.tracer.program, self.func, types);
        let of = |class: &Option<Exception>| {
            let each = handlers.iter().map(|handler| {
                takes(self.tracer.program, self.tracer.catalog, handler.as_ref(), class.as_ref())
            });
            each.reduce(most).unwrap_or(Caught::No)
        };
        let all: Vec<Caught> = thrown.classes.iter().map(of).collect();
        match () {
            () if all.iter().all(|caught| *caught == Caught::Yes) => Caught::Yes,
            () if all.iter().all(|caught| *caught == Caught::No) => Caught::No,
            () => Caught::Maybe,
        }
    }

    fn passed(&mut self, types: &[ExprId], thrown: &Thrown) -> Thrown {
        let kept = thrown.classes.iter().filter(|class| {
            let one = Thrown { classes: vec![(*class).clone()], ..thrown.clone() };
            self.caught(types, &one) != Caught::Yes
        });
        let classes = kept.cloned().collect();
        Thrown { classes, ..thrown.clone() }
    }

    fn thrown_in(&self, yielding: ExprId) -> Option<Thrown> {
        let is_meant = self.mode == Mode::FromYield;
        is_meant.then(|| Thrown { classes: vec![None], rows: Relation::identity(), at: yielding })
    }

    fn resumed(&mut self, state: &mut State, _yielding: ExprId) {
        if self.mode == Mode::FromYield {
            state.rows = Relation::identity();
        }
    }

    fn handle(&mut self, state: &mut State, _thrown: &Thrown, _handler: ExprId) {
        state.rows = state.rows.then(&Relation::exception());
    }

    fn either(&self, one: &Thrown, other: &Thrown) -> Thrown {
        let mut classes = one.classes.clone();
        classes.extend(other.classes.iter().filter(|class| !one.classes.contains(class)).cloned());
        Thrown { classes, ..one.clone() }
    }

    fn entered(&mut self, state: &mut State, context: ExprId, _value: &Told) -> Entered<Told, Thrown> {
        if let Some(manager) = self.manager(context) {
            let before = state.rows;
            state.rows = state.rows.then(&manager.enter);
            self.note_effect(&before, &state.rows, context);
            if self.records && manager.enter != Relation::identity() {
                self.tracer.found.borrow_mut().seen.push((self.func, context));
            }
        }
        let swallows = match *self.facts.expr(context) {
            Expr::Call { callee, args, .. } => {
                let path = self.tracer.program.library_path(self.func, callee);
                let swallows = path.is_some_and(|path| self.tracer.catalog.phase.swallows(path));
                let types = || self.facts.list(args).iter().map(|arg| arg.value).collect();
                swallows.then(types)
            }
            _ => None,
        };
        Entered { value: Told::Nothing, swallows, thrown: None }
    }

    fn sees_leaving(&mut self, context: ExprId) -> bool {
        self.manager(context).is_some()
    }

    fn left(&mut self, state: &mut State, context: ExprId, by_exception: bool) {
        if let Some(manager) = self.manager(context) {
            let by = if by_exception { Relation::exception().then(&manager.fail) } else { manager.leave };
            state.rows = state.rows.then(&by);
        }
    }

    fn element(&mut self, _value: &Told) -> Told {
        Told::Nothing
    }

    fn bind(&mut self, _state: &mut State, pat: PatId, value: &Told) {
        match *self.facts.pat(pat) {
            Pat::Var(var) => drop(self.told.insert(var, *value)),
            // `ok, errors = validate(args)`
            Pat::Seq { items, .. } if matches!(value, Told::If(_)) => {
                let parts = self.facts.list(items).iter().zip([Told::If(true), Told::If(false)]);
                for (&item, part) in parts {
                    if let Pat::Var(var) = *self.facts.pat(item) {
                        self.told.insert(var, part);
                    }
                }
            }
            _ => {}
        }
    }

    fn store(
        &mut self,
        _state: &mut State,
        _place: ExprId,
        _op: Option<Op>,
        _value: Option<(ExprId, &Told)>,
    ) {
    }

    fn assume(&mut self, state: &mut State, value: &Told, holds: bool) {
        match *value {
            Told::Is(value) if value != holds => *state = self.dead(),
            Told::If(arm) if arm == holds => state.rows = state.rows.then(&Relation::event()),
            _ => {}
        }
    }

    fn matched(&mut self, state: &State, value: &Told, pat: PatId) -> (State, State, Told) {
        let is_sure = matches!(self.facts.pat(pat), Pat::Wild | Pat::Var(_));
        let miss = if is_sure { self.dead() } else { state.clone() };
        (state.clone(), miss, *value)
    }

    fn exit(&mut self, state: &State, how: Exit<Thrown>, _value: &Told) {
        if !self.records || !state.is_live {
            return;
        }
        let (at, by_exception) = match how {
            Exit::Return(at) => (at, false),
            Exit::Yield(_) => return self.yielded.join(&state.rows),
            Exit::Raise(thrown) if thrown.classes.is_empty() => return,
            Exit::Raise(thrown) => {
                for class in thrown.classes {
                    if !self.classes.contains(&class) {
                        self.classes.push(class);
                    }
                }
                (thrown.at, true)
            }
        };
        let rows = state.rows;
        let known = self.exits.iter_mut().find(|left| left.at == at && left.by_exception == by_exception);
        match known {
            Some(left) => left.rows.join(&rows),
            None => self.exits.push(Left { func: self.func, at, by_exception, rows }),
        }
    }
}
