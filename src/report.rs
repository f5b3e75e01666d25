//! From an outcome to text, one function per format; the only place that prints.
//! It knows nothing of analysis: whatever a report says, the outcome holds.

mod chain;
mod checklist;
mod concise;
mod declarations;
mod escape;
mod gaps;
mod github;
mod human;
mod json;
mod listing;
mod markdown;
mod mermaid;
mod mutants;
mod numbers;
mod order;
mod paint;
mod places;
mod rank;
mod sarif;
mod scenarios;
mod session;
mod totals;
mod via;

use std::io::{self, Write};

use crate::config::Mistakes;
use crate::finding::{Confidence, Outcome};
use crate::inventory::Listed;
use crate::mutation::Tried;

pub use checklist::{Matrix, MatrixOptions, matrix};
pub use declarations::{
    Complaint, Declared, SCHEMA as DECLARATIONS_SCHEMA, human as declarations, json as declarations_json,
};
pub use escape::{block as escape_block, line as escape_line};
pub use numbers::counted;
pub use scenarios::{scenarios, score, score_json};
pub use session::{manifest, plan, plan_line, prompt, wrong_line};
pub use totals::noted;

/// What the `json` format promises.
pub const JSON_SCHEMA: &str = include_str!("../docs/gatelint-report.schema.json");

/// What `gatelint checklist --format json` promises.
pub const CHECKLIST_SCHEMA: &str = include_str!("../docs/gatelint-checklist.schema.json");
/// The same for the list of commands.
pub const COMMANDS_SCHEMA: &str = include_str!("../docs/gatelint-commands.schema.json");
/// The same for mutated guards.
pub const MUTATE_SCHEMA: &str = include_str!("../docs/gatelint-mutate.schema.json");

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    #[default]
    Human,
    Concise,
    Json,
    Sarif,
    Github,
    Markdown,
}

#[derive(Clone, Copy, Debug)]
pub struct ReportOptions {
    pub format: Format,
    pub color: bool,
    /// Findings below are counted, not shown.
    pub min_confidence: Confidence,
    pub width: usize,
    /// Counts per rule in place of the findings, where people read them.
    pub statistics: bool,
    /// No limit to what the human report shows whole and lists.
    pub full: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            format: Format::Human,
            color: false,
            min_confidence: Confidence::Medium,
            width: 80,
            statistics: false,
            full: false,
        }
    }
}

/// Writes the report. The same outcome and options give the same bytes. A reader that stops reading (`| head`) is no
/// error: who wants no more text gets none, and the exit code still tells the verdict.
pub fn report(outcome: &Outcome, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let view = order::View::new(outcome, options.min_confidence);
    tolerate_closed_pipe(|| match options.format {
        Format::Human => human::write(&view, options, out),
        Format::Concise => concise::write(&view, options, out),
        Format::Json => json::write(&view, out),
        Format::Sarif => sarif::write(&view, out),
        Format::Github => github::write(&view, out),
        Format::Markdown => markdown::write(&view, out),
    })
}

/// How the list of commands is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Listing {
    #[default]
    Human,
    Json,
    Markdown,
}

#[derive(Clone, Copy, Debug)]
pub struct ListingOptions {
    pub format: Listing,
    pub width: usize,
}

impl Default for ListingOptions {
    fn default() -> Self {
        Self { format: Listing::Human, width: 80 }
    }
}

/// Writes the list of commands and tools.
pub fn commands(
    outcome: &Outcome,
    listed: &[Listed],
    options: ListingOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    tolerate_closed_pipe(|| listing::write(outcome, listed, options, out))
}

/// Writes the same as a bill of materials.
pub fn materials(outcome: &Outcome, listed: &[Listed], out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| listing::materials(outcome, listed, out))
}

/// Writes what came of mutated guards.
pub fn mutants(
    outcome: &Outcome,
    tried: &Tried,
    options: ListingOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    tolerate_closed_pipe(|| mutants::write(outcome, tried, options, out))
}

/// What stands behind a finding that is not certain.
fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "",
        Confidence::Medium => " (medium confidence)",
        Confidence::Low => " (low confidence)",
    }
}

/// The mistakes of a configuration or rule file, each on its token.
pub fn mistakes(mistakes: &Mistakes, color: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| human::write_mistakes(mistakes, color, width, out))
}

/// Writes text of one's own making, such as an explanation.
pub fn text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// JSON of one's own making, with the same escapes as the report.
pub fn json_text(value: &impl serde::Serialize) -> io::Result<String> {
    let mut bytes = Vec::new();
    json::write_value(value, &mut bytes)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn tolerate_closed_pipe(write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    match write() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
