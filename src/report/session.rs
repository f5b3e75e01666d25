//! What `gatelint manifest` and `gatelint plan` print: JSON for programs, and text for a system prompt.

use std::io::{self, Write};

use serde::Serialize;

use super::{escape, json, tolerate_closed_pipe};
use crate::ordering::{Manifest, Verdict};

/// The answer to a line that is no plan.
#[derive(Serialize)]
struct Wrong {
    /// From 1.
    line: usize,
    error: String,
}

pub fn manifest(manifest: &Manifest<'_>, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| json::write_value(manifest, out))
}

/// The planning constraint, harmless to look at.
pub fn prompt(text: &str, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| {
        writeln!(out, "{}", escape::block(text))?;
        out.flush()
    })
}

pub fn plan(verdict: &Verdict<'_>, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| json::write_value(verdict, out))
}

/// One of many answers, written at once. Who reads no more answers gets an error, so that there is an end.
pub fn plan_line(verdict: &Verdict<'_>, out: &mut dyn Write) -> io::Result<()> {
    json::write_line(verdict, out)
}

/// The same for a line that is no plan.
pub fn wrong_line(line: usize, error: &str, out: &mut dyn Write) -> io::Result<()> {
    json::write_line(&Wrong { line, error: error.to_owned() }, out)
}
