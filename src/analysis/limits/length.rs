//! How long a timeout is, as far as it is a constant: one of hours bounds nothing.

use super::given::MAX_HOPS;
use super::{Calls, Given};
use crate::catalog::{Bound, SECOND};
use crate::ir::{Arg, Expr, ExprId, Lit};
use crate::link::Func;

impl Calls<'_, '_> {
    /// What a value that is no name bounds as a timeout: a number of seconds, several of them, a length of time.
    pub(super) fn length(&self, func: Func, value: ExprId, hops: u32) -> Given {
        let facts = self.facts(func);
        match *facts.expr(value) {
            // `timeout=(5, 600)`
            Expr::Seq(parts) => {
                let each = facts.list(parts).iter().map(|&part| self.value(func, part, Bound::Timeout, hops));
                each.max().unwrap_or(Given::Yes)
            }
            Expr::Call { callee, args, .. } => {
                let path = self.program.library_path(func, callee);
                let unit = path.and_then(|path| self.catalog.limits.unit(path));
                unit.map_or(Given::Yes, |unit| self.made(func, facts.list(args), unit, hops))
            }
            _ => self.counted(func, value, SECOND),
        }
    }

    /// A number of units of so many milliseconds.
    fn counted(&self, func: Func, value: ExprId, unit: i64) -> Given {
        let number = self.program.number(func, value);
        let is_too_long = number.is_some_and(|number| self.catalog.limits.is_too_long(number, unit));
        if is_too_long { Given::Excessive } else { Given::Yes }
    }

    /// `httpx.Timeout(10, read=None)`: the longest; without an end only if nothing has one.
    fn made(&self, func: Func, args: &[Arg], unit: i64, hops: u32) -> Given {
        let each = args.iter().map(|arg| match unit {
            SECOND => self.value(func, arg.value, Bound::Timeout, hops),
            _ => self.counted(func, arg.value, unit),
        });
        each.filter(|&given| given != Given::No).max().unwrap_or(Given::No)
    }

    /// What ends after these: `asyncio.timeout(30)`, `asyncio.wait_for(page, None)`.
    pub(super) fn ends_after(&self, func: Func, args: &[Arg]) -> Given {
        let facts = self.facts(func);
        if args.iter().any(|arg| matches!(facts.expr(arg.value), Expr::Lit(Lit::None))) {
            return Given::No;
        }
        let mut each = args.iter().map(|arg| self.value(func, arg.value, Bound::Timeout, MAX_HOPS));
        if each.any(|given| given == Given::Excessive) { Given::Excessive } else { Given::Yes }
    }
}
