//! Constant text and numbers, as analyses ask for them.

use super::{Folder, MAX_HOPS};
use crate::ir::{Expr, ExprId};
use crate::link::ids::Func;
use crate::link::program::Program;
use crate::link::values::{Known, Values};

/// Calls of one function whose arguments are looked at.
const MAX_GIVEN: usize = 64;

impl Program<'_> {
    /// The constant text of `expr`, which stands in `func`, if it can be no other.
    pub fn constant(&self, func: Func, expr: ExprId) -> Option<Known> {
        self.possible(func, expr).only()
    }

    /// The texts that `expr` is known to be sometimes.
    pub fn possible(&self, func: Func, expr: ExprId) -> Values {
        Folder::new(&self.index, self.hierarchy()).fold(func, expr)
    }

    /// The same; of a parameter about which nothing is known, what the callers of the function give for it.
    pub fn possible_or_given(&self, func: Func, expr: ExprId) -> Values {
        let known = self.possible(func, expr);
        let Expr::Var(var) = *self.index.units[self.index.file_of(func)].facts.expr(expr) else {
            return known;
        };
        match self.index.param_of.get(&self.index.var(func, var)) {
            Some(&param) if known.list.is_empty() => {
                let given = self.index.handed(param).into_iter().take(MAX_GIVEN);
                Values::any(given.map(|(func, value)| self.possible(func, value))).or_unknown()
            }
            _ => known,
        }
    }

    /// The constant number of `expr`, if it can be no other.
    pub fn number(&self, func: Func, expr: ExprId) -> Option<i64> {
        Folder::new(&self.index, self.hierarchy()).number(func, expr, MAX_HOPS)
    }

    /// The text that the body of a function begins with.
    pub fn said_by(&self, func: Func) -> Option<String> {
        let said = Folder::new(&self.index, self.hierarchy()).said_by(func).only()?;
        said.whole.then_some(said.text)
    }
}
