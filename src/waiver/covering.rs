//! Which of the waivers of one file speaks of a place: they are ordered by rule and by what they cover, so that a finding
//! does not ask each of them.

use std::collections::BTreeMap;

use super::WaiverId;
use super::cover::Cover;
use super::spans::Spans;
use crate::ir::Span;

/// The waivers of a file by the rules that they name.
#[derive(Clone, Debug)]
pub struct Covering(BTreeMap<String, OfRule>);

/// What waivers of one rule speak of, as in `Cover`.
#[derive(Clone, Default, Debug)]
struct OfRule {
    lines: Spans<WaiverId>,
    within: Spans<WaiverId>,
    exactly: BTreeMap<Span, WaiverId>,
}

impl Covering {
    /// The waivers of one file with their rules, in order.
    pub fn new(waivers: Vec<(WaiverId, Vec<String>, Cover)>) -> Self {
        let mut by_rule: BTreeMap<String, Vec<(WaiverId, &Cover)>> = BTreeMap::new();
        for (id, rules, cover) in &waivers {
            for rule in rules {
                by_rule.entry(rule.clone()).or_default().push((*id, cover));
            }
        }
        Self(by_rule.into_iter().map(|(rule, covers)| (rule, OfRule::new(&covers))).collect())
    }

    /// The waiver of the rule that speaks of the place: the narrowest, if several do.
    pub fn narrowest(&self, rule: &str, span: Span) -> Option<WaiverId> {
        self.0.get(rule)?.narrowest(span)
    }
}

impl OfRule {
    fn new(covers: &[(WaiverId, &Cover)]) -> Self {
        let lines = covers.iter().map(|(id, cover)| (cover.line, *id));
        let within = covers.iter().flat_map(|(id, cover)| cover.within.iter().map(|span| (*span, *id)));
        // Of several that speak of the same, the first counts.
        let exactly = covers.iter().rev().filter_map(|(id, cover)| Some((cover.exactly?, *id)));
        Self {
            lines: Spans::new(lines.collect()),
            within: Spans::new(within.collect()),
            exactly: exactly.collect(),
        }
    }

    fn narrowest(&self, span: Span) -> Option<WaiverId> {
        let begins = Span { lo: span.lo, hi: span.lo + 1 };
        let exactly = self.exactly.get_key_value(&span).map(|(span, id)| (*span, *id));
        let wider = self.lines.holding(begins).chain(self.within.holding(span)).copied();
        wider.chain(exactly).min_by_key(|(cover, id)| (cover.hi - cover.lo, *id)).map(|(_, id)| id)
    }
}
