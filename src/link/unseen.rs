//! What a library took, and no use of which is seen: when it runs, and whether, nobody can say from the source.

use rustc_hash::FxHashSet;

use super::edges::Pass;
use super::program::{At, EdgeKind, Func, Resolution, Rung, Target};
use crate::ir::Expr;

impl Pass<'_, '_, '_> {
    /// Marks the calls that give a library a function which nothing is then seen to run.
    pub(super) fn note_unseen(&mut self) {
        let mut run: FxHashSet<Func> = FxHashSet::default();
        let mut kept: Vec<(At, Func)> = Vec::new();
        for edge in &self.found.edges {
            let Target::Project(to) = edge.to else { continue };
            match edge.kind {
                EdgeKind::Stored => {
                    kept.push((edge.at, to));
                    self.found.given.entry(to).or_insert(edge.from);
                }
                // Whoever calls it by its own name says nothing of what the library does.
                EdgeKind::Call if edge.rung == Rung::Import => {}
                _ => drop(run.insert(to)),
            }
        }
        let unseen = kept.into_iter().filter(|(_, to)| !run.contains(to)).map(|(at, _)| at);
        let unseen: FxHashSet<At> = unseen.collect();
        let index = self.solver.index;
        for call in self.found.calls.iter_mut().filter(|_| !unseen.is_empty()) {
            let facts = index.units[call.at.file.0 as usize].facts;
            let Expr::Call { args, .. } = *facts.expr(call.at.expr) else { continue };
            let is_given = || {
                let mut args = facts.list(args).iter();
                args.any(|arg| unseen.contains(&At { file: call.at.file, expr: arg.value }))
            };
            let is_library = matches!(call.resolution, Resolution::External(_) | Resolution::Unresolved);
            call.is_unseen |= is_library && !index.is_test_code(call.from) && is_given();
        }
    }
}
