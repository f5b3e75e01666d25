//! The environment of a process: one that holds all variables of the parent limits nothing.

use super::Calls;
use crate::catalog::DataOp;
use crate::ir::{ArgKind, EntryKey, Expr, ExprId, Op};
use crate::link::Func;

impl Calls<'_, '_> {
    /// True for the parent's environment, a copy of it, and one that adds to it without a search path of its own.
    pub(super) fn is_whole_environment(&self, func: Func, value: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let path = self.program.library_path(func, value);
        if path.is_some_and(|path| self.catalog.limits.is_whole_environment(path)) {
            return true;
        }
        if self.sets_search_path(func, value) {
            return false;
        }
        let is_whole = |part: ExprId| self.is_whole_environment(func, part);
        let operations = &self.catalog.operations;
        match *facts.expr(value) {
            // `os.environ.copy()`, `dict(os.environ, LANG="C")`
            Expr::Call { callee, args, .. } => match *facts.expr(callee) {
                Expr::Field { base, name } if operations.of_name(facts.str(name)) == Some(DataOp::Copy) => {
                    is_whole(base)
                }
                Expr::Free(name) if operations.of_builtin(facts.str(name)) == Some(DataOp::MakeMapping) => {
                    facts.list(args).iter().any(|arg| is_whole(arg.value))
                }
                _ => false,
            },
            // `{**os.environ, "LANG": "C"}`
            Expr::Record(entries) => {
                let mut spread = facts.list(entries).iter().filter(|entry| entry.key == EntryKey::Spread);
                spread.any(|entry| is_whole(entry.value))
            }
            // `os.environ | {"LANG": "C"}`
            Expr::Op { op: Op::BitOr, args } => {
                let parts = facts.list(args);
                !parts.iter().any(|&part| self.sets_search_path(func, part))
                    && parts.iter().any(|&part| is_whole(part))
            }
            _ => false,
        }
    }

    /// True if a mapping is made with the variable that says where programs are looked for.
    fn sets_search_path(&self, func: Func, value: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let is_meant = |key: &str| self.catalog.limits.is_search_path(key);
        match *facts.expr(value) {
            Expr::Record(entries) => facts.list(entries).iter().any(|entry| match entry.key {
                EntryKey::Expr(key) => self.program.text(func, key).is_some_and(|key| is_meant(&key)),
                EntryKey::Spread => false,
            }),
            Expr::Call { args, .. } => facts.list(args).iter().any(|arg| match arg.kind {
                ArgKind::Named(name) => is_meant(facts.str(name)),
                _ => false,
            }),
            _ => false,
        }
    }
}
