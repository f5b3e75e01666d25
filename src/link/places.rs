//! How the path that an expression stands for begins, as far as it is constant. What lies in the workspace and what does
//! not is for the catalogue to say.

use super::ids::Func;
use super::program::Program;
use super::values::Known;
use crate::finding::Confidence;
use crate::ir::ExprId;

impl Program<'_> {
    /// How sure it is that `leads_out` holds for the constant beginning of a path expression: a default and one branch of
    /// several are not always taken.
    pub fn leads_outside(
        &self,
        func: Func,
        path: ExprId,
        leads_out: impl Fn(&str) -> bool,
    ) -> Option<Confidence> {
        let places = self.possible(func, path);
        // Of `"/" + name` nothing is known.
        let is_known = |known: &Known| known.whole || known.text != "/";
        let outside = places.list.iter().filter(|&known| is_known(known) && leads_out(&known.text)).count();
        match outside {
            0 => None,
            _ if places.complete && outside == places.list.len() => Some(Confidence::High),
            _ => Some(Confidence::Medium),
        }
    }
}
