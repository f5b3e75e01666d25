//! Webs.

use crate::ir::Facts;

pub fn split(_facts: &mut Facts) {}
