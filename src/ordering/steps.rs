//! The steps of a plan that means something: what each calls, and which earlier ones it needs.

use super::SessionTool;

/// A plan that means something: every tool is known and every step needs only earlier ones.
#[derive(Debug)]
pub struct Steps<'t> {
    pub tools: Vec<&'t SessionTool>,
    pub needs: Dependencies,
}

/// For each step the earlier steps that it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependencies(Vec<Vec<usize>>);

impl Dependencies {
    pub fn none(steps: usize) -> Self {
        Self(vec![Vec::new(); steps])
    }

    /// Every step names earlier ones only.
    pub fn new(needs: Vec<Vec<usize>>) -> Self {
        debug_assert!(needs.iter().enumerate().all(|(step, needs)| needs.iter().all(|need| *need < step)));
        Self(needs)
    }

    /// The steps that are marked, and all that they need.
    pub fn with_needed(&self, mut marked: Vec<bool>) -> Vec<bool> {
        for step in (0..marked.len()).rev().filter(|step| !self.0[*step].is_empty()) {
            if marked[step] {
                self.0[step].iter().for_each(|need| marked[*need] = true);
            }
        }
        marked
    }

    /// The steps that are marked, and all that need them.
    pub fn with_dependents(&self, mut marked: Vec<bool>) -> Vec<bool> {
        for step in 0..marked.len() {
            marked[step] |= self.0[step].iter().any(|need| marked[*need]);
        }
        marked
    }
}
