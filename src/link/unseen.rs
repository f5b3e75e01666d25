//! What a library took, and no use of which is seen: when it runs, and whether, nobody can say from the source.

use rustc_hash::FxHashSet;

use super::edge::{At, EdgeKind, Resolution, Rung, Target};
use super::edges::Pass;
use super::ids::Func;
use crate::finding::Confidence;
use crate::ir::Expr;

impl Pass<'_, '_, '_> {
    /// Marks the calls that give a library a function which nothing is then seen to run, and those that hand over one of many.
    pub(super) fn note_unseen(&mut self) {
        let (mut run, mut pooled) = (FxHashSet::default(), FxHashSet::default());
        let mut kept: Vec<(At, Func)> = Vec::new();
        for edge in &self.found.edges {
            let Target::Project(to) = edge.to else { continue };
            match edge.kind {
                EdgeKind::Stored => {
                    kept.push((edge.at, to));
                    // Of several places nobody knows by which one it came.
                    let giver = self.found.given.entry(to).or_insert(Some(edge.from));
                    *giver = giver.filter(|&giver| giver == edge.from);
                }
                // Whoever calls it by its own name says nothing of what the library does.
                EdgeKind::Call if edge.rung == Rung::Import => {}
                _ => drop(run.insert(to)),
            }
            if edge.kind == EdgeKind::Passed && edge.confidence == Confidence::Low {
                pooled.insert(edge.at);
            }
        }
        let unseen = kept.into_iter().filter(|(_, to)| !run.contains(to)).map(|(at, _)| at);
        let unseen: FxHashSet<At> = unseen.collect();
        let index = self.solver.index;
        for call in &mut self.found.calls {
            let facts = index.units[call.at.file.0 as usize].facts;
            let Expr::Call { args, .. } = *facts.expr(call.at.expr) else { continue };
            let is_given = |places: &FxHashSet<At>| {
                let mut args = facts.list(args).iter();
                args.any(|arg| places.contains(&At { file: call.at.file, expr: arg.value }))
            };
            let is_pooled = is_given(&pooled);
            let is_library = matches!(call.resolution, Resolution::External(_) | Resolution::Unresolved);
            let is_kept = is_library && !index.is_test_code(call.from) && is_given(&unseen);
            call.is_open |= is_pooled;
            call.is_unseen |= is_pooled || is_kept;
        }
    }
}
