//! What a check takes for known: a baseline, what was allowed at the merge base, and waivers that it writes itself.

use camino::Utf8PathBuf;
use clap::Args;

use crate::report;

#[derive(Debug, Args)]
pub struct KnownArgs {
    /// Leave out the findings that this file knows, in place of the one that the configuration names or that lies in the
    /// project root (see `gatelint baseline --help`)
    #[arg(long, value_name = "FILE", conflicts_with = "no_baseline")]
    pub baseline: Option<Utf8PathBuf>,

    /// Show what the baseline of the project knows, too
    #[arg(long)]
    pub no_baseline: bool,

    /// Report what is looser than at the merge base (GL006): a copy of its tree as a folder, or of its configuration as a
    /// file. A workflow provides it; gatelint starts no git
    #[arg(long, value_name = "FILE_OR_FOLDER")]
    pub base: Option<Utf8PathBuf>,

    /// Write waivers with this reason into the code for everything that is shown, and report what is left
    #[arg(long, value_name = "REASON", value_parser = reason, conflicts_with = "stdin_filename")]
    pub add_waivers: Option<String>,
}

/// What can stand between the quotes of a waiver, on one line and in plain sight.
fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_plain = !text.contains('"') && report::escape_line(text) == text;
    match text.is_empty() {
        true => Err("a waiver says why it is there; give a reason".to_owned()),
        false if !is_plain => Err("a reason is one line of text without double quotes".to_owned()),
        false => Ok(text.to_owned()),
    }
}
