//! Sets of Rust behind what makes them: conversions of lists, what is made when it is first asked for, iterators.

use super::Sets;
use crate::catalog::{CallbackResult, NameSet};
use crate::ir::{Arg, Expr, ExprId};
use crate::link::Func;

impl Sets<'_, '_> {
    /// `HashSet::from([…])`, `LazyLock::new(|| …)`, `set.iter().collect()`: what it holds, and nothing for a new one.
    pub(super) fn wrapped(
        &self,
        func: Func,
        callee: ExprId,
        path: Option<&str>,
        args: &[Arg],
    ) -> Option<(Func, Option<ExprId>)> {
        let words = &self.catalog.wrappers;
        let facts = self.facts(func);
        let Some(path) = path else {
            let Expr::Field { base, name } = *facts.expr(callee) else { return None };
            return (args.is_empty() && words.same.contains(facts.str(name))).then_some((func, Some(base)));
        };
        if let [only] = args
            && let Expr::Closure(made) = *facts.expr(only.value)
        {
            let callback = self.catalog.callback_of(path).map(|id| self.catalog.callback(id))?;
            let mut returned = self.program.returns(made);
            return match (returned.next(), returned.next()) {
                (Some(only), None) if callback.result == Some(CallbackResult::Called) => {
                    Some((made, Some(only)))
                }
                _ => None,
            };
        }
        let (owner, made) = path.rsplit_once('.')?;
        let owner = owner.rsplit('.').next().unwrap_or(owner);
        let holds = words.sequences.contains(owner) || words.mappings.contains(owner);
        let is_sized = self.catalog.sets.has(NameSet::SizedConstructor, made);
        match args {
            [] | [_] if holds && words.constructors.contains(made) => {
                Some((func, args.first().filter(|_| !is_sized).map(|arg| arg.value)))
            }
            _ => None,
        }
    }
}
