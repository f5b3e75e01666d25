//! What a test proves of a variable or of a part of one, and what is left of it where several ways meet.

use rustc_hash::FxHashMap;

use crate::analysis::valueflow::paths::Key;
use crate::catalog::Purposes;
use crate::ir::{ExprId, VarId};

/// What a test can speak of: a variable, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Spot {
    pub var: VarId,
    pub part: Option<Key>,
}

/// That it is harmless for some purposes.
pub(super) type Proof = (Spot, Purposes);

/// The reads of a variable that a test stands before: expressions by number, the last one included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proven {
    pub spot: Spot,
    pub first: ExprId,
    pub last: ExprId,
    /// For what it is harmless there.
    pub purposes: Purposes,
}

/// What is proven on one way, by what it is proven of.
#[derive(Default)]
pub(super) struct Merged(FxHashMap<Spot, Purposes>);

impl Merged {
    pub fn add(&mut self, proofs: &[Proof]) {
        for &(spot, purposes) in proofs {
            let known = self.0.entry(spot).or_default();
            *known = known.with(purposes);
        }
    }

    /// What is left of other ways if this is one, too, on which `own` is proven besides.
    pub fn both(&self, others: Option<Vec<Proof>>, own: &[Proof]) -> Vec<Proof> {
        let Some(others) = others else {
            return self
                .0
                .iter()
                .map(|(&spot, &purposes)| (spot, purposes))
                .chain(own.iter().copied())
                .collect();
        };
        if others.is_empty() {
            return others;
        }
        let mut besides = Merged::default();
        besides.add(own);
        let here = |spot: Spot| self.of(spot).with(besides.of(spot));
        let both = others.into_iter().map(|(spot, purposes)| (spot, purposes.and(here(spot))));
        both.filter(|(_, purposes)| !purposes.is_empty()).collect()
    }

    fn of(&self, spot: Spot) -> Purposes {
        self.0.get(&spot).copied().unwrap_or_default()
    }
}

/// What both ways prove.
pub(super) fn both(one: &[Proof], other: &[Proof]) -> Vec<Proof> {
    Merged::default().both(Some(one.to_vec()), other)
}

/// Adds what is not known yet.
pub(super) fn add(known: &mut Vec<Proof>, proofs: impl IntoIterator<Item = Proof>) {
    for proof in proofs {
        if !known.contains(&proof) {
            known.push(proof);
        }
    }
}
