//! What reaching storage is worth to a rule about planning: a write has acted, a read has only looked.

use crate::analysis::{EffectSite, Effects};
use crate::catalog::{Access, EffectKind};
use crate::finding::Confidence;

/// Calls on an open database, and calls that open one: a write as sure as it is, an unknown statement at most of medium
/// confidence, a read of low. Opening is of medium confidence, for callers of which nothing else is known.
pub fn goals(effects: &Effects) -> (Vec<EffectSite>, Vec<EffectSite>) {
    let sites = effects.of_kinds(&[EffectKind::Storage]).map(|site| {
        let at_most = match site.access {
            Some(Access::Write) => Confidence::High,
            Some(Access::Read) => Confidence::Low,
            _ => Confidence::Medium,
        };
        EffectSite { confidence: site.confidence.min(at_most), ..site.clone() }
    });
    sites.partition(|site| site.access != Some(Access::Open))
}
