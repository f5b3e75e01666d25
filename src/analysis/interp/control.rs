//! Branches, loops, `try` and `with`.

use super::frames::{Catch, Frame, Leaving, Pending};
use super::{Domain, Entered, Interp, MAX_ROUNDS, Rounds, Way, Ways};
use crate::ir::{Arm, Expr, ExprId, IfArm, Loop, PatId, Try};

impl<D: Domain> Interp<'_, D> {
    pub(super) fn control(&mut self, expr: ExprId, state: &mut D::State) -> D::Value {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::If { arms, otherwise } => self.branch(expr, facts.list(arms), otherwise, state),
            Expr::Match { subject, arms } => self.select(expr, subject, facts.list(arms), state),
            Expr::Loop(index) => self.repeat(expr, index, *facts.arenas.loop_at(index), state),
            Expr::Try(index) => self.attempt(expr, *facts.arenas.try_at(index), state),
            Expr::With { context, pat, body, .. } => self.with(context, pat, body, state),
            _ => self.domain.nothing(),
        }
    }

    fn branch(
        &mut self,
        at: ExprId,
        arms: &[IfArm],
        otherwise: Option<ExprId>,
        state: &mut D::State,
    ) -> D::Value {
        let mut ways = Vec::new();
        let mut rest = state.clone();
        for (nth, arm) in arms.iter().enumerate() {
            let Ways { yes, no } = self.test(arm.test, rest);
            self.way(Way::Arm(at, nth), Some(arm.body), yes, &mut ways);
            rest = no;
        }
        self.way(Way::Arm(at, arms.len()), otherwise, rest, &mut ways);
        self.merge(ways, state)
    }

    /// Walks one arm, if any way leads there.
    fn way(
        &mut self,
        way: Way,
        body: Option<ExprId>,
        mut state: D::State,
        ways: &mut Vec<(D::State, D::Value)>,
    ) {
        if self.course.is_closed(way) {
            return;
        }
        self.has_begun |= self.course.begins_at(way);
        let value = match body {
            Some(body) => self.eval(body, &mut state),
            None => self.domain.nothing(),
        };
        ways.push((state, value));
    }

    fn select(&mut self, at: ExprId, subject: ExprId, arms: &[Arm], state: &mut D::State) -> D::Value {
        let mut value = self.eval(subject, state);
        let whole = value.clone();
        let mut ways = Vec::new();
        let mut rest = state.clone();
        for (nth, arm) in arms.iter().enumerate() {
            let (mut hit, mut miss, left) = self.domain.matched(&rest, &value, arm.pat);
            self.domain.chosen(&mut hit, (&whole, &value), arm.pat, arm.body);
            self.domain.bind(&mut hit, arm.pat, &value);
            if let Some(guard) = arm.guard {
                let Ways { yes, no } = self.test(guard, hit);
                self.domain.join(&mut miss, &no);
                hit = yes;
            } else {
                value = left;
            }
            self.way(Way::Case(at, nth), Some(arm.body), hit, &mut ways);
            rest = miss;
        }
        // Some arm fits where the compiler sees to it.
        if !self.facts.profile().match_is_exhaustive {
            self.way(Way::Case(at, arms.len()), None, rest, &mut ways);
        }
        self.merge(ways, state)
    }

    fn repeat(&mut self, at: ExprId, index: u32, found: Loop, state: &mut D::State) -> D::Value {
        let each = found.each.map(|(pat, iterable)| (pat, self.eval(iterable, state)));
        let is_outermost = self.depth == 0;
        self.depth += 1;
        self.deepest = self.depth.max(if is_outermost { 0 } else { self.deepest });
        if is_outermost {
            self.forgets = self.given_up.contains(&index);
        }
        let mut rounds = 0;
        let left = loop {
            if is_outermost {
                self.changed = false;
            }
            let left = self.round(at, index, found, each.as_ref(), state);
            rounds += 1;
            if !is_outermost || !self.changed {
                break left;
            }
            // From the innermost loop to the outermost, what is known moves one step a round.
            if rounds == MAX_ROUNDS + self.deepest {
                self.given_up.insert(index);
                self.forgets = true;
            }
        };
        self.depth -= 1;
        self.forgets &= !is_outermost;
        *state = left;
        self.domain.nothing()
    }

    /// Walks the body once from the head; what comes back is what holds behind the loop.
    fn round(
        &mut self,
        at: ExprId,
        index: u32,
        found: Loop,
        each: Option<&(PatId, D::Value)>,
        entry: &D::State,
    ) -> D::State {
        let mut head = self.heads.get(&index).cloned().unwrap_or_else(|| self.domain.dead());
        self.domain.join(&mut head, entry);
        let (breaks, continues) = (self.domain.dead(), self.domain.dead());
        self.frames.push(Frame::Loop { label: found.label, breaks, continues });
        let mut ways = match found.test {
            Some(test) => self.test(test, head.clone()),
            None if each.is_some() => Ways { yes: head.clone(), no: head.clone() },
            None => Ways { yes: head.clone(), no: self.domain.dead() },
        };
        let over = found.each.map(|(_, iterable)| iterable).zip(each);
        let rounds =
            over.map_or(Rounds::Unknown, |(iterable, (_, value))| self.domain.rounds(iterable, value));
        if rounds == Rounds::None {
            ways.yes = self.domain.dead();
        }
        if let Some((pat, value)) = each {
            let element = self.domain.element(value);
            self.bind(*pat, &element, &mut ways.yes);
        }
        self.eval(found.body, &mut ways.yes);
        let Some(Frame::Loop { mut breaks, continues, .. }) = self.frames.pop() else {
            return ways.no;
        };
        self.domain.join(&mut head, &ways.yes);
        self.domain.join(&mut head, &continues);
        if self.forgets {
            self.domain.forget(&mut head);
        }
        let has_round = rounds == Rounds::Some || self.course.is_closed(Way::NoRound(at));
        if has_round && self.domain.is_live(&ways.no) {
            ways.no = ways.yes;
            self.domain.join(&mut ways.no, &continues);
        }
        if self.heads.get(&index) != Some(&head) {
            self.changed = true;
            self.heads.insert(index, head);
        }
        if let Some(otherwise) = found.otherwise {
            self.eval(otherwise, &mut ways.no);
        }
        self.domain.join(&mut breaks, &ways.no);
        breaks
    }

    fn attempt(&mut self, at: ExprId, found: Try, state: &mut D::State) -> D::Value {
        let Some(finally) = found.finally else {
            self.handled(at, found, state);
            return self.domain.nothing();
        };
        self.frames.push(Frame::Finally(Vec::new()));
        self.handled(at, found, state);
        let Some(Frame::Finally(pending)) = self.frames.pop() else { return self.domain.nothing() };
        let mut before = state.clone();
        for Pending { way, state, .. } in &pending {
            let mut entry = state.clone();
            if let Leaving::Raise(thrown) = way {
                // Whoever returns from here takes the exception.
                self.domain.handle(&mut entry, thrown, finally);
            }
            self.domain.join(&mut before, &entry);
        }
        let mut after = before.clone();
        self.eval(finally, &mut after);
        self.set_carried(state, &before, &after);
        for Pending { way, state: mut left, value } in pending {
            self.set_carried(&mut left, &before, &after);
            if self.domain.is_live(&left) {
                self.leave_again(way, left, value);
            }
        }
        self.domain.nothing()
    }

    fn set_carried(&mut self, state: &mut D::State, before: &D::State, after: &D::State) {
        *state = match self.domain.is_live(state) && self.domain.is_live(after) {
            true => self.domain.carried(state, before, after),
            false => self.domain.dead(),
        };
    }

    /// Behind the `finally` the way goes on, now to what stands around it.
    fn leave_again(&mut self, way: Leaving<D::Thrown>, state: D::State, value: D::Value) {
        match way {
            Leaving::Raise(thrown) => self.throw(&state, &thrown),
            way => self.leave(way, state, value),
        }
    }

    /// The body with its handlers and its `else`.
    fn handled(&mut self, at: ExprId, found: Try, state: &mut D::State) {
        let handlers = self.facts.list(found.handlers);
        let types = |handler: &crate::ir::Handler| self.facts.list(handler.types).to_vec();
        let catches = handlers.iter().map(|handler| Catch::new(&*self.domain, types(handler), handler.body));
        self.frames.push(Frame::Handlers(catches.collect()));
        if let Some(thrown) = self.domain.implicit() {
            self.throw(state, &thrown);
        }
        let before = state.clone();
        self.eval(found.body, state);
        let Some(Frame::Handlers(catches)) = self.frames.pop() else { return };
        if let Some(otherwise) = found.otherwise {
            self.eval(otherwise, state);
        }
        if self.course.is_closed(Way::Done(at)) {
            *state = self.domain.dead();
        }
        for (handler, mut catch) in handlers.iter().zip(catches) {
            let Some(thrown) = catch.thrown else {
                // `1 / 0` and the like are not looked for.
                self.domain.unreached(&before, handler.body);
                continue;
            };
            let way = Way::Handler(handler.body);
            if self.course.is_closed(way) {
                continue;
            }
            self.has_begun |= self.course.begins_at(way);
            if let Some(pat) = handler.pat {
                let value = self.domain.nothing();
                self.domain.bind(&mut catch.entry, pat, &value);
            }
            self.handling.push((handler.body, thrown));
            self.frames.push(Frame::Handling(handler.body));
            self.eval(handler.body, &mut catch.entry);
            self.frames.pop();
            self.handling.pop();
            self.domain.join(state, &catch.entry);
        }
    }

    fn with(&mut self, context: ExprId, pat: Option<PatId>, body: ExprId, state: &mut D::State) -> D::Value {
        let value = self.eval(context, state);
        let before = self.is_guarded().then(|| state.clone());
        let Entered { value, swallows, thrown } = self.domain.entered(state, context, &value);
        if let (Some(before), Some(thrown)) = (before, thrown) {
            self.throw(&before, &thrown);
        }
        if let Some(pat) = pat {
            self.bind(pat, &value, state);
        }
        let Some(types) = swallows else { return self.inside(context, body, state) };
        let catch = Catch::new(&*self.domain, types, context);
        self.frames.push(Frame::Handlers(vec![catch]));
        let value = self.eval(body, state);
        if let Some(Frame::Handlers(catches)) = self.frames.pop() {
            catches.iter().for_each(|catch| self.domain.join(state, &catch.entry));
        }
        value
    }

    /// The body of a `with`, and what its object does when it is left.
    fn inside(&mut self, context: ExprId, body: ExprId, state: &mut D::State) -> D::Value {
        if !self.domain.sees_leaving(context) {
            return self.eval(body, state);
        }
        self.frames.push(Frame::Finally(Vec::new()));
        let value = self.eval(body, state);
        let Some(Frame::Finally(pending)) = self.frames.pop() else { return value };
        if self.domain.is_live(state) {
            self.domain.left(state, context, false);
        }
        for Pending { way, state: mut left, value } in pending {
            if self.domain.is_live(&left) {
                self.domain.left(&mut left, context, matches!(way, Leaving::Raise(_)));
                self.leave_again(way, left, value);
            }
        }
        value
    }
}
