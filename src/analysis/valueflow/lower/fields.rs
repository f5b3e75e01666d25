//! Attributes of objects, as their methods share them: what one method stores another one reads if some object has both. Two
//! classes that only have an ancestor in common share what methods of the ancestor store.

use rustc_hash::FxHashMap;

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
        let fields = self.places.fields();
        let mut known: FxHashMap<(Owner, Cls), bool> = FxHashMap::default();
        for read in std::mem::take(&mut self.field_reads) {
            for &(owner, field) in fields.get(&read.name).into_iter().flatten() {
                let meets = || meets(self.program, owner, read.class);
                if *known.entry((owner, read.class)).or_insert_with(meets) {
                    self.flow(field, read.to, Step::Same, Way::Shared, Confidence::Medium);
                }
            }
        }
    }
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
