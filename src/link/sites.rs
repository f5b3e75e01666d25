//! What became of a call, as analyses ask for it.

use super::edge::{CallSite, Resolution};
use super::ids::{Cls, Func};
use super::program::Program;
use crate::ir::ExprId;

impl Program<'_> {
    /// What became of a call.
    pub fn resolution(&self, func: Func, call: ExprId) -> Option<Resolution> {
        self.call_site(func, call).map(|site| site.resolution)
    }

    /// The class of the project on whose object a method is called that none of its classes has.
    pub fn lacking(&self, func: Func, call: ExprId) -> Option<Cls> {
        self.call_site(func, call)?.lacking
    }

    fn call_site(&self, func: Func, call: ExprId) -> Option<&CallSite> {
        let key = (func, call);
        let at = self.calls.binary_search_by_key(&key, |site| (site.from, site.at.expr)).ok()?;
        Some(&self.calls[at])
    }
}
