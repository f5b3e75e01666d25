//! Attributes of objects, as their methods share them: what one method stores another one reads if some object has both. Two
//! classes that only have an ancestor in common share what methods of the ancestor store.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lower;
use crate::analysis::valueflow::graph::{Node, Step, Way};
use crate::analysis::valueflow::places::Owner;
use crate::finding::Confidence;
use crate::ir::Sym;
use crate::link::{Cls, Program};

/// A method of a class reads an attribute of its own object.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRead {
    class: Cls,
    name: Sym,
    to: Node,
}

impl FieldRead {
    pub fn moved(self, to: impl Fn(Node) -> Node) -> Self {
        Self { to: to(self.to), ..self }
    }
}

impl Lower<'_, '_> {
    pub(super) fn store_field(&mut self, from: Node, owner: Owner, name: Sym) {
        let field = self.places.field(owner, name);
        self.flow(from, field, Step::Same, Way::Shared, Confidence::High);
    }

    pub(super) fn read_field(&mut self, class: Cls, name: Sym, to: Node) {
        self.field_reads.push(FieldRead { class, name, to });
    }

    /// Once all functions are read: from where attributes are stored to where they are read.
    pub(super) fn share_fields(&mut self) {
        let fields = by_class(self.places.fields());
        let mut known: FxHashMap<(Owner, Cls), bool> = FxHashMap::default();
        for read in std::mem::take(&mut self.field_reads) {
            let Some(of_name) = fields.get(&read.name) else { continue };
            let stored: Vec<(Owner, Node)> = match relatives(self.program, read.class, of_name.len()) {
                Some(classes) => {
                    classes.iter().filter_map(|class| of_name.get(class)).flatten().copied().collect()
                }
                None => of_name.values().flatten().copied().collect(),
            };
            for (owner, field) in stored {
                let meets = || meets(self.program, owner, read.class);
                if *known.entry((owner, read.class)).or_insert_with(meets) {
                    self.flow(field, read.to, Step::Same, Way::Shared, Confidence::Medium);
                }
            }
        }
    }
}

/// Attributes of one name by the class that has them.
type Stored = FxHashMap<Cls, Vec<(Owner, Node)>>;

fn by_class(fields: FxHashMap<Sym, Vec<(Owner, Node)>>) -> FxHashMap<Sym, Stored> {
    let group = |fields: Vec<(Owner, Node)>| {
        let mut found = Stored::default();
        for (owner, field) in fields {
            let (Owner::Stored(class) | Owner::Made(class)) = owner;
            found.entry(class).or_default().push((owner, field));
        }
        found
    };
    fields.into_iter().map(|(name, fields)| (name, group(fields))).collect()
}

/// The classes whose attributes methods of a class may read: those below it, and what any of them inherits from. None if it is
/// no more work to ask each class that has the attribute.
fn relatives(program: &Program<'_>, class: Cls, most: usize) -> Option<FxHashSet<Cls>> {
    let mut found = FxHashSet::default();
    let mut looked_at = 0;
    for &below in program.subclasses(class).iter().chain([&class]) {
        let above = program.lineage(below);
        looked_at += above.len() + 1;
        if looked_at > most {
            return None;
        }
        found.insert(below);
        found.extend(above);
    }
    Some(found)
}

/// True if some object whose attribute it is has the methods of the class.
fn meets(program: &Program<'_>, owner: Owner, class: Cls) -> bool {
    match owner {
        Owner::Made(made) => program.inherits(made, class),
        Owner::Stored(by) => {
            let is_of_both = |&below: &Cls| program.inherits(below, class);
            program.inherits(by, class)
                || program.inherits(class, by)
                || program.subclasses(by).iter().any(is_of_both)
        }
    }
}
