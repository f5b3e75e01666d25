//! Questions to the graph, and sets of them: all are answered in one pass, in which every fact says for which ones it holds.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::graph::{Flow, Node};
use super::paths::Path;
use crate::catalog::Purposes;
use crate::finding::Confidence;

/// Where values come from.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    pub node: Node,
    /// What of it.
    pub part: Path,
    /// For what it is harmless from the beginning.
    pub clean: Purposes,
    pub confidence: Confidence,
}

impl Root {
    pub fn whole(node: Node, confidence: Confidence) -> Self {
        Self { node, part: Path::WHOLE, clean: Purposes::default(), confidence }
    }
}

/// Where values get from `roots`, as far as it leads to one of `ends` and they are not harmless for all of `purposes`.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    pub roots: &'q [Root],
    pub ends: Vec<Node>,
    /// None of them: nothing is harmless.
    pub purposes: Purposes,
    /// What is handed on from here is another value.
    pub cut: &'q [Node],
}

impl Question<'_> {
    fn is_settled_by(&self, clean: Purposes) -> bool {
        !self.purposes.is_empty() && clean.and(self.purposes) == self.purposes
    }
}

/// A set of questions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Asked(u32);

impl Asked {
    /// As many questions fit into a set.
    pub fn room() -> usize {
        u32::BITS as usize
    }

    pub fn only(at: usize) -> Self {
        Self(1 << at)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        let next = |left: &u32| Some(left & (left - 1)).filter(|left| *left != 0);
        let left = std::iter::successors(Some(self.0).filter(|left| *left != 0), next);
        left.map(|left| left.trailing_zeros() as usize)
    }

    /// Those that stand in at least so many of the sets.
    pub fn in_at_least(least: usize, sets: impl ExactSizeIterator<Item = Self>) -> Self {
        if sets.len() < least {
            return Self::default();
        }
        let mut counts = [0usize; u32::BITS as usize];
        sets.flat_map(Self::iter).for_each(|at| counts[at] += 1);
        (0..Self::room()).filter(|&at| counts[at] >= least).map(Self::only).collect()
    }
}

impl FromIterator<Self> for Asked {
    fn from_iter<I: IntoIterator<Item = Self>>(sets: I) -> Self {
        sets.into_iter().fold(Self::default(), Self::with)
    }
}

/// The questions of one pass, at most `Asked::room()`.
pub(super) struct Questions<'q> {
    all: &'q [Question<'q>],
    cut: FxHashMap<Node, Asked>,
    /// Those for which something is harmless, by for what it is.
    settled: FxHashMap<Purposes, Asked>,
}

impl<'q> Questions<'q> {
    /// `cleaned` is all for which flows make something harmless.
    pub fn new(all: &'q [Question<'q>], cleaned: impl Iterator<Item = Purposes>) -> Self {
        let mut cut: FxHashMap<Node, Asked> = FxHashMap::default();
        for (at, question) in all.iter().enumerate() {
            for &node in question.cut {
                let known = cut.entry(node).or_default();
                *known = known.with(Asked::only(at));
            }
        }
        let mut questions = Self { all, cut, settled: FxHashMap::default() };
        questions.settled = cleaned.map(|clean| (clean, questions.settled_by(clean))).collect();
        questions
    }

    pub fn each(&self) -> impl Iterator<Item = (Asked, &'q Question<'q>)> {
        self.all.iter().enumerate().map(|(at, question)| (Asked::only(at), question))
    }

    /// For which nothing gets on that is harmless for `clean`.
    pub fn settled_by(&self, clean: Purposes) -> Asked {
        self.each().filter(|(_, question)| question.is_settled_by(clean)).map(|(own, _)| own).collect()
    }

    /// For which something gets on by a flow.
    pub fn open(&self, flow: &Flow) -> Asked {
        let cut = self.cut.get(&flow.from).copied().unwrap_or_default();
        let settled = if flow.clean.is_empty() { None } else { self.settled.get(&flow.clean) };
        Asked(u32::MAX).without(cut).without(settled.copied().unwrap_or_default())
    }

    /// Where all of them start and end.
    pub fn starts(&self) -> impl Iterator<Item = (Node, Asked)> {
        self.roots().into_iter().map(|(root, asked)| (root.node, asked))
    }

    pub fn ends(&self) -> impl Iterator<Item = (Node, Asked)> {
        self.each().flat_map(|(own, question)| question.ends.iter().map(move |&end| (end, own)))
    }

    /// What they start from that is not harmless from the beginning; what several start from, once.
    pub fn roots(&self) -> Vec<(Root, Asked)> {
        let mut roots: BTreeMap<(Node, Path, Confidence), (Root, Asked)> = BTreeMap::new();
        for (own, question) in self.each() {
            for &root in question.roots.iter().filter(|root| !question.is_settled_by(root.clean)) {
                let known = roots.entry((root.node, root.part, root.confidence));
                let (_, asked) = known.or_insert((root, Asked::default()));
                *asked = asked.with(own);
            }
        }
        roots.into_values().collect()
    }
}
