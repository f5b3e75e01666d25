//! The effects of one call, found by where it stands.

use super::{EffectSite, Effects};
use crate::finding::Confidence;
use crate::link::{At, Func};

impl Effects {
    /// The effects of a call of a function, in order.
    pub fn of_call(&self, from: Func, at: At) -> &[EffectSite] {
        let first = self.sites.partition_point(|site| (site.from, site.at) < (from, at));
        let rest = &self.sites[first..];
        &rest[..rest.partition_point(|site| (site.from, site.at) == (from, at))]
    }

    pub fn is_comm_call(&self, at: At) -> bool {
        self.comm_calls.contains_key(&at)
    }

    /// How sure it is that a call is a comm operation.
    pub fn comm_call(&self, at: At) -> Option<Confidence> {
        self.comm_calls.get(&at).copied()
    }
}
