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
    /// By call and callee, branches of that, each with the one of the caller that is taken for the same reason.
    pub handed: FxHashMap<(ExprId, Func), Vec<(u32, u32)>>,
}

impl Branches {
    /// The branches of a function in which a place stands.
    pub fn around(&self, func: Func, place: Span) -> Mask {
        let Some(spans) = self.spans.get(&func) else { return 0 };
        let is_in = |span: &Span| span.lo <= place.lo && place.hi <= span.hi;
        spans.iter().enumerate().fold(0, |mask, (nth, span)| mask | Mask::from(is_in(span)) << nth)
    }

    /// The branches of the callee that a call does not take, where the caller does not take its `own`.
    pub fn closed(&self, call: ExprId, callee: Func, own: Mask) -> Mask {
        let closed = self.closed.get(&(call, callee)).copied().unwrap_or_default();
        let handed = self.handed(call, callee).iter().filter(|(_, of_caller)| own & bit(*of_caller) != 0);
        handed.fold(closed, |closed, &(of_callee, _)| closed | bit(of_callee))
    }

    /// The branches that the caller must take for the callee to take these.
    pub fn needed(&self, call: ExprId, callee: Func, taken: Mask) -> Mask {
        let handed = self.handed(call, callee).iter().filter(|(of_callee, _)| taken & bit(*of_callee) != 0);
        handed.fold(0, |needed, &(_, of_caller)| needed | bit(of_caller))
    }

    fn handed(&self, call: ExprId, callee: Func) -> &[(u32, u32)] {
        self.handed.get(&(call, callee)).map_or(&[], Vec::as_slice)
    }
}

fn bit(nth: u32) -> Mask {
    1 << nth
}
