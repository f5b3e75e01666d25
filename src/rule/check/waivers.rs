//! GL002: a comment that means to waive and does not, or only a part of what it says.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::finding::Finding;
use crate::rule::Rule;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    for malformed in &context.waivers.malformed {
        let captures = BTreeMap::from([("problem", malformed.what.clone())]);
        out.push(context.finding(rule, Draft::at(malformed.place, captures)));
    }
}
