//! Where jumps and exceptions go: the loops, handlers and `finally` blocks around a point.

use std::borrow::Cow;

use super::{Caught, Domain, Exit, Interp};
use crate::ir::{ExprId, Label};

/// What stands around a point.
pub(super) enum Frame<D: Domain> {
    Loop {
        label: Label,
        breaks: D::State,
        continues: D::State,
    },
    /// The body of a `try` with handlers, or of a `with` whose object swallows exceptions.
    Handlers(Vec<Catch<D>>),
    /// This body of a handler.
    Handling(ExprId),
    /// Everything inside a `try` with a `finally`.
    Finally(Vec<Pending<D>>),
}

pub(super) struct Catch<D: Domain> {
    /// Empty: everything.
    pub types: Vec<ExprId>,
    /// The handler's body, or the context manager.
    pub handler: ExprId,
    /// What holds where the handler starts, and what it handles.
    pub entry: D::State,
    pub thrown: Option<D::Thrown>,
}

/// Somebody who leaves through a `finally`.
pub(super) struct Pending<D: Domain> {
    pub way: Leaving<D::Thrown>,
    pub state: D::State,
    pub value: D::Value,
}

#[derive(Clone, PartialEq)]
pub(super) enum Leaving<T> {
    /// At this jump.
    Return(ExprId),
    Break(Label),
    Continue(Label),
    Raise(T),
}

impl<D: Domain> Frame<D> {
    fn catches(&self) -> bool {
        matches!(self, Frame::Handlers(_) | Frame::Finally(_))
    }
}

impl<D: Domain> Interp<'_, D> {
    /// True if an exception thrown here is seen by something inside the function.
    pub(super) fn is_guarded(&self) -> bool {
        self.frames.iter().any(Frame::catches)
    }

    /// Jumps outwards with what holds there.
    pub(super) fn leave(&mut self, way: Leaving<D::Thrown>, state: D::State, value: D::Value) {
        for frame in self.frames.iter_mut().rev() {
            match (frame, &way) {
                (Frame::Finally(pending), _) => {
                    return Pending { way, state, value }.join(pending, self.domain);
                }
                (Frame::Loop { label, breaks, .. }, Leaving::Break(to)) if label == to => {
                    return self.domain.join(breaks, &state);
                }
                (Frame::Loop { label, continues, .. }, Leaving::Continue(to)) if label == to => {
                    return self.domain.join(continues, &state);
                }
                _ => {}
            }
        }
        match way {
            Leaving::Return(at) => self.exit(&state, Exit::Return(at), &value),
            Leaving::Raise(thrown) => self.exit(&state, Exit::Raise(thrown), &value),
            // A jump out of nothing: the front end has reported the syntax error.
            Leaving::Break(_) | Leaving::Continue(_) => {}
        }
    }

    /// What leaves the function counts once the course has begun.
    pub(super) fn exit(&mut self, state: &D::State, how: Exit<D::Thrown>, value: &D::Value) {
        if self.has_begun {
            self.domain.exit(state, how, value);
        }
    }

    /// An exception flies from where `state` holds: to every handler that may take it, and on unless one surely does.
    pub(super) fn throw(&mut self, state: &D::State, thrown: &D::Thrown) {
        let mut thrown = thrown.clone();
        let mut state = Cow::Borrowed(state);
        for frame in self.frames.iter_mut().rev() {
            match frame {
                Frame::Loop { .. } => {}
                Frame::Handling(handler) => self.domain.flies_out(state.to_mut(), *handler),
                Frame::Finally(pending) => {
                    let value = self.domain.nothing();
                    let way = Leaving::Raise(thrown);
                    return Pending { way, state: state.into_owned(), value }.join(pending, self.domain);
                }
                Frame::Handlers(catches) => {
                    for catch in catches {
                        let caught = self.domain.caught(&catch.types, &thrown);
                        if caught != Caught::No {
                            let taken = self.domain.taken(&catch.types, &thrown);
                            catch.take(self.domain, &state, &taken);
                        }
                        match caught {
                            Caught::Yes => return,
                            Caught::Maybe => thrown = self.domain.passed(&catch.types, &thrown),
                            Caught::No => {}
                        }
                    }
                }
            }
        }
        let nothing = self.domain.nothing();
        self.exit(&state, Exit::Raise(thrown), &nothing);
    }
}

impl<D: Domain> Catch<D> {
    pub(super) fn new(domain: &D, types: Vec<ExprId>, handler: ExprId) -> Self {
        Self { types, handler, entry: domain.dead(), thrown: None }
    }

    fn take(&mut self, domain: &mut D, state: &D::State, thrown: &D::Thrown) {
        let mut state = state.clone();
        domain.handle(&mut state, thrown, self.handler);
        domain.join(&mut self.entry, &state);
        self.thrown = Some(match self.thrown.take() {
            Some(known) => domain.either(&known, thrown),
            None => thrown.clone(),
        });
    }
}

impl<D: Domain> Pending<D> {
    /// Those who leave the same way leave together; what is returned stays apart.
    fn join(self, pending: &mut Vec<Self>, domain: &mut D) {
        let known = pending.iter_mut().find(|known| known.way == self.way);
        match known {
            Some(known) if !matches!(self.way, Leaving::Return(_)) => {
                domain.join(&mut known.state, &self.state)
            }
            _ => pending.push(self),
        }
    }
}
