//! Branches that some calls of a function never take, by what these give for a parameter or leave out: where they are, and which
//! of them each call rules out, one bit each.

use rustc_hash::FxHashMap;

use crate::ir::{ExprId, Func, Span};

/// Some of the branches of one function.
pub type Mask = u64;

#[derive(Default, Debug)]
pub struct Branches {
    /// What runs only if a parameter passes a test; at most as many as a mask has bits.
    pub spans: FxHashMap<Func, Vec<Span>>,
    /// By call and callee, the branches of that which the call does not take.
    pub closed: FxHashMap<(ExprId, Func), Mask>,
}

impl Branches {
    /// The branches of a function in which a place stands.
    pub fn around(&self, func: Func, place: Span) -> Mask {
        let Some(spans) = self.spans.get(&func) else { return 0 };
        let is_in = |span: &Span| span.lo <= place.lo && place.hi <= span.hi;
        spans.iter().enumerate().fold(0, |mask, (nth, span)| mask | Mask::from(is_in(span)) << nth)
    }

    /// The branches of the callee that the call does not take.
    pub fn closed(&self, call: ExprId, callee: Func) -> Mask {
        self.closed.get(&(call, callee)).copied().unwrap_or_default()
    }
}
