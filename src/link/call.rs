//! A call as its constraints see it, and the methods that run where an object is called, made, entered or left.

use super::ids::{Func, Slot};
use crate::ir::{Arg, ExprId};

/// A call as its constraints see it.
#[derive(Clone, Copy)]
pub struct CallExpr<'a> {
    pub func: Func,
    pub expr: ExprId,
    /// `x` in `x.method()`.
    pub receiver: Option<ExprId>,
    pub args: &'a [Arg],
    pub result: Slot,
}

/// The method by which an object is called.
pub(super) const CALL: &str = "__call__";

/// The method that gets what an object is made of.
pub(super) const INIT: &str = "__init__";

/// The methods that run where an object is entered and left.
pub(super) const ENTERS: [&str; 4] = ["__enter__", "__aenter__", "__exit__", "__aexit__"];
