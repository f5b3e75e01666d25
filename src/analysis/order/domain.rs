//! The domain of the path interpreter: what the events of a function do to the sessions.

use super::state::State;
use super::walk::{Told, Walk};
use crate::analysis::interp::{Caught, Domain, Entered, Exit};
use crate::ir::{Expr, ExprId, Lit, Op, Pat, PatId};

impl Domain for Walk<'_, '_, '_, '_> {
    type State = State;
    type Value = Told;
    /// It is thrown because the mark was seen.
    type Thrown = bool;
    const SEES_FLIGHT: bool = true;

    fn dead(&self) -> State {
        State { is_live: false, ..State::entry() }
    }

    fn is_live(&self, state: &State) -> bool {
        state.is_live
    }

    fn join(&mut self, into: &mut State, from: &State) {
        into.join(from);
    }

    fn carried(&mut self, entry: &State, before: &State, after: &State) -> State {
        let is_own =
            |key: &super::keys::Key| !before.sources.contains_key(key) || entry.sources.contains_key(key);
        let sources = after.sources.iter().filter(|(key, _)| is_own(key));
        State {
            is_live: entry.is_live && after.is_live,
            sources: sources.map(|(key, source)| (key.clone(), *source)).collect(),
            is_clean: entry.is_clean || (after.is_clean && !before.is_clean),
            reset: entry.reset.union(&after.reset).cloned().collect(),
            ..entry.clone()
        }
    }

    fn forget(&mut self, _state: &mut State) {}

    fn record(&mut self) {
        self.begin_recording();
    }

    fn nothing(&self) -> Told {
        Told::Nothing
    }

    fn merge(&mut self, ways: &[(&State, Told)]) -> Told {
        let Some((_, first)) = ways.first() else { return Told::Nothing };
        if ways.iter().all(|(_, told)| told == first) { *first } else { Told::Nothing }
    }

    fn value(&mut self, _state: &mut State, expr: ExprId, parts: &[Told]) -> Told {
        self.read(expr, parts)
    }

    fn value_when(&self, value: &Told, _holds: bool) -> Told {
        *value
    }

    fn negated(&mut self, value: &Told) -> Told {
        value.flipped()
    }

    fn call(&mut self, state: &mut State, call: ExprId, callee: &Told, args: &[Told]) -> (Told, bool) {
        self.validate(call, args);
        self.plans_given(call);
        let refuses = self.run(state, call);
        self.marks_by_call(state, call);
        let told = match self.handed_back(call) {
            // `bool(mark)`, `len(marks)`, `session.is_contaminated()` of which only the name is known
            Told::Nothing => self.tells_by_name(call, *callee, args),
            told => told,
        };
        (told, refuses)
    }

    fn thrown(
        &mut self,
        state: &mut State,
        _raise: ExprId,
        _value: Option<(ExprId, &Told)>,
        _handling: Option<(ExprId, &bool)>,
    ) -> bool {
        state.is_marked
    }

    fn not_there(&self) -> bool {
        false
    }

    fn caught(&mut self, types: &[ExprId], _thrown: &bool) -> Caught {
        if types.is_empty() { Caught::Yes } else { Caught::Maybe }
    }

    fn flying(&self, before: State, thrown: &bool) -> State {
        State { is_marked: before.is_marked || *thrown, ..before }
    }

    fn handle(&mut self, _state: &mut State, _thrown: &bool, _handler: ExprId) {}

    fn either(&self, one: &bool, other: &bool) -> bool {
        *one || *other
    }

    fn entered(&mut self, _state: &mut State, _context: ExprId, value: &Told) -> Entered<Told, bool> {
        Entered { value: *value, swallows: None, thrown: None }
    }

    fn element(&mut self, _value: &Told) -> Told {
        Told::Nothing
    }

    fn bind(&mut self, _state: &mut State, pat: PatId, value: &Told) {
        let Pat::Var(var) = *self.facts.pat(pat) else { return };
        self.told.insert(var, *value);
        let name = self.facts.list(self.order.program.ir(self.func).vars)[var.0 as usize];
        self.plan_under(self.facts.str(name), *value);
    }

    fn store(&mut self, state: &mut State, place: ExprId, op: Option<Op>, value: Option<(ExprId, &Told)>) {
        let Some(name) = self.name_of(place) else { return };
        let Some((_, &told)) = value else { return };
        self.plan_under(self.facts.str(name), told);
        // `self.contaminated = True`, `self.contaminated |= tool.is_internal_source`, `self.reads += 1`
        if !matches!(told, Told::Is(false)) && (op.is_some() || told != Told::Nothing) {
            self.marked(state, name);
        }
    }

    fn assume(&mut self, state: &mut State, value: &Told, holds: bool) {
        match *value {
            Told::Is(is) if is != holds => *state = self.dead(),
            Told::Mark(when) if when == holds => state.is_marked = true,
            Told::Mark(_) => state.clean(),
            Told::Source(when) if when == holds => state.is_source = true,
            _ => {}
        }
    }

    fn matched(&mut self, state: &State, value: &Told, pat: PatId) -> (State, State, Told) {
        let is_sure = matches!(self.facts.pat(pat), Pat::Wild | Pat::Var(_));
        let miss = if is_sure { self.dead() } else { state.clone() };
        (state.clone(), miss, *value)
    }

    fn exit(&mut self, state: &State, how: Exit<bool>, value: &Told) {
        if state.is_live {
            match how {
                Exit::Return(at) | Exit::Yield(at) => self.leave(state, at, *value),
                Exit::Raise(refuses) => self.refuse(refuses),
            }
        }
    }
}

impl Told {
    fn flipped(self) -> Self {
        match self {
            Told::Is(value) => Told::Is(!value),
            Told::Mark(when) => Told::Mark(!when),
            Told::Source(when) => Told::Source(!when),
            told => told,
        }
    }
}

impl Walk<'_, '_, '_, '_> {
    /// What an expression tells whose parts tell something.
    fn read(&mut self, expr: ExprId, parts: &[Told]) -> Told {
        match *self.facts.expr(expr) {
            Expr::Lit(Lit::Bool(value)) => Told::Is(value),
            Expr::Var(var) => match self.told.get(&var) {
                None | Some(Told::Nothing) => self.named(expr),
                Some(told) => *told,
            },
            Expr::Await(_) | Expr::Ascribe { .. } => parts.first().copied().unwrap_or(Told::Nothing),
            Expr::Op { op, args } => self.compared(op, self.facts.list(args), parts),
            Expr::Seq(_) | Expr::Record(_) => self.written(expr),
            Expr::Field { .. } | Expr::Index { .. } | Expr::Free(_) => self.named(expr),
            _ => Told::Nothing,
        }
    }

    /// What a name, an attribute or a key tells.
    fn named(&self, expr: ExprId) -> Told {
        let Some(name) = self.name_of(expr) else { return Told::Nothing };
        let classes = &self.order.values.catalog.classes;
        let is_called_so = self.order.marks.has(name) && !self.order.never_set.contains(&name);
        if is_called_so || (self.marks.contains(&name) && !matches!(self.facts.expr(expr), Expr::Var(_))) {
            return Told::Mark(true);
        }
        match classes.of(self.facts.str(name)) {
            Some(crate::catalog::ClassWord::Internal) => Told::Source(true),
            _ => self.order.plan_named(self.func, expr).map_or(Told::Nothing, Told::Plan),
        }
    }

    /// `tool.sensitivity == "internal_source"`, `mark is True`, `reads > 0`.
    fn compared(&self, op: Op, args: &[ExprId], parts: &[Told]) -> Told {
        let is_empty = |arg: &ExprId| {
            matches!(self.facts.expr(*arg), Expr::Lit(Lit::None | Lit::Bool(false) | Lit::Int(0)))
        };
        let told = parts.iter().copied().find(|told| matches!(told, Told::Mark(_) | Told::Source(_)));
        let is_class = || {
            args.iter().any(|&arg| {
                let text = self.order.program.text(self.func, arg);
                text.is_some_and(|text| text == crate::config::Sensitivity::InternalSource.name())
            })
        };
        match (op, told) {
            (Op::Eq | Op::Is, Some(told)) if args.iter().any(is_empty) => told.flipped(),
            (Op::Eq | Op::Is | Op::Ne | Op::IsNot | Op::Gt | Op::Ge, Some(told)) => told,
            (Op::Eq | Op::Is, None) if is_class() => Told::Source(true),
            (Op::Ne | Op::IsNot, None) if is_class() => Told::Source(false),
            (Op::BitOr, told) => told.unwrap_or(Told::Nothing),
            _ => Told::Nothing,
        }
    }

    /// What a call of the language or of a library hands on of what it is given.
    fn tells_by_name(&self, call: ExprId, callee: Told, args: &[Told]) -> Told {
        let is_own = self
            .order
            .program
            .edges_at(self.func, call)
            .iter()
            .any(|edge| matches!(edge.to, crate::link::Target::Project(_)));
        match (callee, args) {
            (Told::Mark(when), _) | (_, &[Told::Mark(when)]) if !is_own => Told::Mark(when),
            _ => Told::Nothing,
        }
    }

    /// Something is set where internal data was read, or where a tool is known to be a source: a mark.
    fn marked(&mut self, state: &State, name: crate::ir::Sym) {
        if self.records && (state.is_source || !state.sources.is_empty()) {
            self.found.marks.insert(name);
        }
    }

    /// `self.read.append(name)`, `seen.add(tool)`.
    fn marks_by_call(&mut self, state: &State, call: ExprId) {
        let Some(method) = self.order.values.method(self.func, call) else { return };
        let grows = matches!(
            method.does,
            Some(
                crate::catalog::DataOp::Append | crate::catalog::DataOp::Add | crate::catalog::DataOp::Insert
            )
        );
        if grows
            && state.is_source
            && let Some(name) = self.name_of(method.receiver)
        {
            self.marked(state, name);
        }
    }

    /// The last name of a place.
    pub fn name_of(&self, place: ExprId) -> Option<crate::ir::Sym> {
        match *self.facts.expr(place) {
            Expr::Field { name, .. } | Expr::Free(name) => Some(name),
            Expr::Var(var) => Some(self.facts.list(self.order.program.ir(self.func).vars)[var.0 as usize]),
            Expr::Index { key, .. } => match *self.facts.expr(key) {
                Expr::Lit(Lit::Str(key)) => Some(key),
                _ => None,
            },
            _ => None,
        }
    }
}
