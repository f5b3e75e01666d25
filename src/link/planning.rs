//! What is registered as a node of a planning graph.

use super::edge::Target;
use super::edges::{Pass, Targets};
use super::ids::Func;
use super::types::Type;
use crate::ir::{Arg, Expr, Lit};

impl Pass<'_, '_, '_> {
    /// `graph.add_node("plan", function)`.
    pub(super) fn planning_node(&mut self, func: Func, args: &[Arg], targets: &Targets) {
        let index = self.solver.index;
        let planning = &index.externals.catalog().planning;
        let registers = targets.list.iter().any(|target| match *target {
            Target::External(path) => planning.node_calls.matches(index.externals.text(path)),
            Target::Project(_) => false,
        });
        let facts = index.units[index.file_of(func)].facts;
        let [name, node, ..] = args else { return };
        let Expr::Lit(Lit::Str(text)) = *facts.expr(name.value) else { return };
        if registers && facts.str(text).starts_with(&planning.node_prefix) {
            let nodes = self.solver.eval(func, node.value).into_iter().filter_map(|ty| match ty {
                Type::Function(func) | Type::Bound(func) => Some(func),
                _ => None,
            });
            self.found.planning_nodes.extend(nodes);
        }
    }
}
