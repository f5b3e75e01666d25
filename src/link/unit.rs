//! A file as link is given it.

use camino::Utf8Path;

use crate::ir::Facts;

/// One file as link sees it.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Relative to the project root.
    pub path: &'a Utf8Path,
    pub facts: &'a Facts,
    /// Test code is linked, but what it passes around does not flow into production code.
    pub is_test: bool,
    /// Tests stand in it, by its place, even if production code imports it.
    pub holds_tests: bool,
}
