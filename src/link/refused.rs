//! Containers that come into slots of a declared type of elements. What the slot holds is known by its declaration, so they are kept
//! out, and elements of other types with them; but code that has the one in hand may have put its elements into the other.

use super::ids::ContainerId;
use super::solve::Solver;
use super::types::{Type, Value};

impl Solver<'_, '_> {
    /// Puts what declared containers hold into those that were kept out where they stand. True if there are any.
    pub(super) fn share_refused(&mut self) -> bool {
        let refused = std::mem::take(&mut self.graph.refused);
        let mut is_any = false;
        for (slot, set) in refused {
            let kept_out: Vec<ContainerId> = containers(self.graph.sets.types(set));
            if kept_out.is_empty() {
                continue;
            }
            let declared: Vec<ContainerId> = containers(self.types(Value::In(slot)));
            for from in declared {
                kept_out.iter().for_each(|&to| self.copy_entries(from, to));
                is_any = true;
            }
        }
        is_any
    }
}

fn containers(types: impl IntoIterator<Item = Type>) -> Vec<ContainerId> {
    let found = types.into_iter().filter_map(|ty| match ty {
        Type::Container(id) => Some(id),
        _ => None,
    });
    found.collect()
}
