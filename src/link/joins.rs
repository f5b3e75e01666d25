//! What stands for many values of a kind: where a slot holds enough attributes of one library object, any attribute of it.

use rustc_hash::FxHashMap;

use super::graph::{Graph, Watcher};
use super::ids::{SetId, TypeId};

/// Attributes of one library object that one slot tells apart; beyond, it holds any of them.
const MAX_ALIKE: usize = 4;
/// Attributes of all library objects that one slot tells apart; beyond, it holds something of a library.
const MAX_DERIVED: usize = 16;

impl<W: Watcher> Graph<'_, W> {
    /// Values of which a set holds enough are replaced by what stands for all of their kind.
    pub(super) fn join(&mut self, held: SetId, new: &mut Vec<TypeId>) {
        if !new.iter().any(|&id| self.sets.joined(id).is_some()) {
            return;
        }
        let mut alike: FxHashMap<TypeId, usize> = FxHashMap::default();
        let mut count = 0;
        for join in self.sets.members(held).iter().filter_map(|&id| self.sets.joined(id)) {
            *alike.entry(join).or_default() += 1;
            count += 1;
        }
        for id in new.iter_mut() {
            let Some(join) = self.sets.joined(*id) else { continue };
            let known = alike.entry(join).or_default();
            *known += 1;
            count += 1;
            let top = self.sets.joined(join);
            if count > MAX_DERIVED {
                *id = top.unwrap_or(join);
            } else if top.is_some() && *known > MAX_ALIKE {
                *id = join;
            }
        }
        let is_held = |id: Option<TypeId>| id.is_some_and(|id| self.sets.contains(held, id));
        new.retain(|&id| {
            let join = self.sets.joined(id);
            !is_held(Some(id)) && !is_held(join) && !is_held(join.and_then(|join| self.sets.joined(join)))
        });
        new.sort_unstable();
        new.dedup();
    }
}
