//! Which reads of a variable stand behind a test that proves them harmless.

use rustc_hash::FxHashMap;

use super::proof::{Proven, Spot};
use crate::analysis::valueflow::paths::Key;
use crate::analysis::valueflow::ranges::Ranges;
use crate::catalog::Purposes;
use crate::ir::{ExprId, VarId};

/// What tests prove of the reads of a function.
#[derive(Default, Debug)]
pub(super) struct Harmless(FxHashMap<Spot, Vec<(Purposes, Ranges<ExprId>)>>);

impl Harmless {
    pub fn new(proven: &[Proven]) -> Self {
        let mut ranges: FxHashMap<(Spot, Purposes), Vec<(ExprId, ExprId)>> = FxHashMap::default();
        for &Proven { spot, first, last, purposes } in proven {
            ranges.entry((spot, purposes)).or_default().push((first, last));
        }
        let mut found = Self::default();
        for ((spot, purposes), ranges) in ranges {
            found.0.entry(spot).or_default().push((purposes, ranges.into_iter().collect()));
        }
        found
    }

    /// For what a read is harmless.
    pub fn at(&self, spot: Spot, read: ExprId) -> Purposes {
        let known = self.0.get(&spot).into_iter().flatten();
        let here = known.filter(|(_, ranges)| ranges.has(read));
        here.fold(Purposes::default(), |all, (purposes, _)| all.with(*purposes))
    }

    /// Parts of variables, and where they are harmless for what.
    pub fn parts(&self) -> impl Iterator<Item = (VarId, Key, Purposes, &Ranges<ExprId>)> {
        let parts = self.0.iter().filter_map(|(spot, known)| Some((spot.var, spot.part?, known)));
        parts
            .flat_map(|(var, part, known)| known.iter().map(move |(purposes, at)| (var, part, *purposes, at)))
    }

    /// Whole variables that something is proven of.
    pub fn variables(&self) -> impl Iterator<Item = Spot> {
        self.0.keys().filter(|spot| spot.part.is_none()).copied()
    }
}
