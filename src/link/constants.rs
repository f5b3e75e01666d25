//! Constant text: what a string expression is known to be, or to start with, through names and concatenation.

use super::index::Index;
use super::program::{Func, Program};
use super::statics::Global;
use super::types::Slot;
use crate::ir::{Expr, ExprId, Lit, Op};

/// A name of a name of a name; more is a cycle.
const MAX_HOPS: u32 = 8;

/// Text that is known as a whole, or only where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    pub text: String,
    pub whole: bool,
}

impl Program<'_> {
    /// The constant text of `expr`, which stands in `func`.
    pub fn constant(&self, func: Func, expr: ExprId) -> Option<Known> {
        fold(&self.index, func, expr, MAX_HOPS)
    }
}

pub(super) fn fold(index: &Index<'_>, func: Func, expr: ExprId, hops: u32) -> Option<Known> {
    let hops = hops.checked_sub(1)?;
    let file = index.file_of(func);
    let facts = index.units[file].facts;
    match *facts.expr(expr) {
        Expr::Lit(Lit::Str(text)) => Some(Known { text: facts.str(text).to_owned(), whole: true }),
        Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => {
            join(index, func, facts.list(parts), hops)
        }
        Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => fold(index, func, value, hops),
        Expr::Var(var) => fold_slot(index, index.var(func, var), hops),
        Expr::Free(name) => match index.global(file, index.name(file, name)) {
            Global::Slot(slot) => fold_slot(index, slot, hops),
            Global::Is(_) => None,
        },
        Expr::Import(id) => match index.imported(file, id)? {
            Global::Slot(slot) => fold_slot(index, slot, hops),
            Global::Is(_) => None,
        },
        _ => None,
    }
}

/// A name with one value; with several it is no constant.
fn fold_slot(index: &Index<'_>, slot: Slot, hops: u32) -> Option<Known> {
    let mut definitions = index.definitions(slot);
    let (func, value) = definitions.next()?;
    if definitions.next().is_some() || index.param_of.contains_key(&slot) {
        return None;
    }
    fold(index, func, value, hops)
}

/// The text up to the first part that is not constant.
fn join(index: &Index<'_>, func: Func, parts: &[ExprId], hops: u32) -> Option<Known> {
    let mut known = Known { text: String::new(), whole: true };
    for &part in parts {
        match fold(index, func, part, hops) {
            Some(part) if known.whole => {
                known.text.push_str(&part.text);
                known.whole = part.whole;
            }
            _ => known.whole = false,
        }
        if !known.whole {
            break;
        }
    }
    Some(known).filter(|known| !known.text.is_empty())
}
