//! What a domain of the path interpreter has to say: what a state and a value are, and what events do to them.

use smallvec::SmallVec;

use crate::ir::{ExprId, Op, PatId};

/// The values of the parts of an expression, in the order in which they are evaluated.
pub type Parts<V> = SmallVec<[V; 4]>;

/// How a function is left.
#[derive(Clone, Debug)]
pub enum Exit<T> {
    /// At this `return`; at the body itself if its end is reached.
    Return(ExprId),
    Raise(T),
    /// Control comes back after a while (`yield`).
    Yield(ExprId),
}

/// Whether a handler takes an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caught {
    No,
    /// Of an exception nothing is known but that the handler could take it.
    Maybe,
    Yes,
}

/// How often a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    None,
    /// At least once.
    Some,
    Unknown,
}

/// What entering a `with` comes to.
#[derive(Clone, Debug)]
pub struct Entered<V, T> {
    /// What the `with` binds.
    pub value: V,
    /// Its object swallows exceptions of these types; of all if there are none.
    pub swallows: Option<Vec<ExprId>>,
    /// What is thrown instead, as far as the domain cares.
    pub thrown: Option<T>,
}

/// What a state and a value are, and what events do to them. States form a lattice of finite height.
pub trait Domain {
    type State: Clone + PartialEq;
    type Value: Clone;
    /// What is known of an exception.
    type Thrown: Clone + PartialEq;
    /// True if it matters in which state a call throws although nobody inside the function takes the exception.
    const SEES_FLIGHT: bool = false;

    /// The state of a point that no way leads to.
    fn dead(&self) -> Self::State;
    fn is_live(&self, state: &Self::State) -> bool;
    /// What holds on either way.
    fn join(&mut self, into: &mut Self::State, from: &Self::State);
    /// `entry` after a block that takes `before` to `after`, where `before` is a join that `entry` is part of.
    fn carried(&mut self, entry: &Self::State, before: &Self::State, after: &Self::State) -> Self::State;
    /// Gives up precision for termination: a state that is forgotten whenever it has been joined settles after a few joins.
    fn forget(&mut self, state: &mut Self::State);
    /// No way is known to lead into this expression. `state` is what holds anyway if one does: nothing ever, or what held
    /// before the `try` whose handler it is.
    fn unreached(&mut self, _state: &Self::State, _expr: ExprId) {}
    /// From now on what is seen is final.
    fn record(&mut self);

    /// The value of a statement.
    fn nothing(&self) -> Self::Value;
    /// One of several values, each with the state it comes from.
    fn merge(&mut self, ways: &[(&Self::State, Self::Value)]) -> Self::Value;
    /// The value of an expression that neither calls nor decides, from the values of its parts.
    fn value(&mut self, state: &mut Self::State, expr: ExprId, parts: &[Self::Value]) -> Self::Value;
    /// What is left of a value where it is, or is not, true.
    fn value_when(&self, value: &Self::Value, holds: bool) -> Self::Value;
    /// `not value`.
    fn negated(&mut self, value: &Self::Value) -> Self::Value;
    /// A call, from the values of its callee and its arguments: the result, and what it may throw instead.
    fn call(
        &mut self,
        state: &mut Self::State,
        call: ExprId,
        callee: &Self::Value,
        args: &[Self::Value],
    ) -> (Self::Value, Self::Thrown);
    /// A `raise`: of a value, or of what the innermost handler (its body) is handling.
    fn thrown(
        &mut self,
        state: &mut Self::State,
        raise: ExprId,
        value: Option<(ExprId, &Self::Value)>,
        handling: Option<(ExprId, &Self::Thrown)>,
    ) -> Self::Thrown;
    /// What is thrown where an object has no such key or index.
    fn not_there(&self) -> Self::Thrown;
    /// Whether a handler for `types` (none: for everything) takes an exception.
    fn caught(&mut self, types: &[ExprId], thrown: &Self::Thrown) -> Caught;
    /// What a handler for `types` gets of an exception that it takes, perhaps.
    fn taken(&mut self, _types: &[ExprId], thrown: &Self::Thrown) -> Self::Thrown {
        thrown.clone()
    }
    /// What flies on past a handler for `types` that takes an exception perhaps.
    fn passed(&mut self, _types: &[ExprId], thrown: &Self::Thrown) -> Self::Thrown {
        thrown.clone()
    }
    /// What the body of a `try` may throw without a call.
    fn implicit(&self) -> Option<Self::Thrown> {
        None
    }
    /// The state in which a call throws, from the one before it: it may have done something first.
    fn flying(&self, before: Self::State, _thrown: &Self::Thrown) -> Self::State {
        before
    }
    /// Control comes back at a `yield`.
    fn resumed(&mut self, _state: &mut Self::State, _yielding: ExprId) {}
    /// What whoever takes control at a `yield` may throw into it.
    fn thrown_in(&self, _yielding: ExprId) -> Option<Self::Thrown> {
        None
    }
    /// An exception has come to a handler. `handler` is its body, or the context manager that swallows.
    fn handle(&mut self, state: &mut Self::State, thrown: &Self::Thrown, handler: ExprId);
    /// An exception leaves the body of a handler, which so has not done with what it handles.
    fn flies_out(&mut self, _state: &mut Self::State, _handler: ExprId) {}
    /// One exception or the other.
    fn either(&self, one: &Self::Thrown, other: &Self::Thrown) -> Self::Thrown;
    /// The object of a `with` is entered.
    fn entered(
        &mut self,
        state: &mut Self::State,
        context: ExprId,
        value: &Self::Value,
    ) -> Entered<Self::Value, Self::Thrown>;
    /// True if the object of a `with` does something when it is left.
    fn sees_leaving(&mut self, _context: ExprId) -> bool {
        false
    }
    /// The object of a `with` is left, by an exception or otherwise.
    fn left(&mut self, _state: &mut Self::State, _context: ExprId, _by_exception: bool) {}
    /// How often a loop over this runs.
    fn rounds(&self, _iterable: ExprId, _value: &Self::Value) -> Rounds {
        Rounds::Unknown
    }
    /// What a comprehension keeps of an item that it takes up here.
    fn kept(&mut self, _state: &Self::State, _item: ExprId, value: &Self::Value) -> Self::Value {
        value.clone()
    }
    /// One element of what a loop runs over.
    fn element(&mut self, value: &Self::Value) -> Self::Value;
    fn bind(&mut self, state: &mut Self::State, pat: PatId, value: &Self::Value);
    /// `place = value`, `place op= value`; without a value `place` is deleted.
    fn store(
        &mut self,
        state: &mut Self::State,
        place: ExprId,
        op: Option<Op>,
        value: Option<(ExprId, &Self::Value)>,
    );
    /// The ways on which `value` is, or is not, true.
    fn assume(&mut self, state: &mut Self::State, value: &Self::Value, holds: bool);
    /// The ways on which `value` fits the pattern, and those on which it does not, with what is left of the value there.
    fn matched(
        &mut self,
        state: &Self::State,
        value: &Self::Value,
        pat: PatId,
    ) -> (Self::State, Self::State, Self::Value);
    /// An arm is chosen: its pattern fits what the arms before it have left of `whole`.
    fn chosen(
        &mut self,
        _state: &mut Self::State,
        (_whole, _left): (&Self::Value, &Self::Value),
        _pat: PatId,
        _body: ExprId,
    ) {
    }
    fn exit(&mut self, state: &Self::State, how: Exit<Self::Thrown>, value: &Self::Value);
}
