//! Prints facts as text, for `gatelint debug ir` and for tests.
use super::Facts;
pub fn print(_: &Facts, _: &str, _: &mut impl std::fmt::Write) -> std::fmt::Result {
    Ok(())
}
