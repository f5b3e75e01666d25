//! `gatelint explain`: what to explain.

use camino::Utf8PathBuf;
use clap::Args;

use super::{ConfigArgs, TeamArgs};

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The id or the name of a rule (`GL201`, `planning-phase-io`); with `--gate` and `--path` the files and folders to scan
    #[arg(required_unless_present_any = ["gate", "path"])]
    pub what: Vec<String>,

    /// Why a function is, or is not, a phase gate: its dotted path, or the end of it
    #[arg(long, value_name = "FUNCTION")]
    pub gate: Option<String>,

    /// The whole path of a finding, by its fingerprint or the beginning of it
    #[arg(long, value_name = "FINGERPRINT", conflicts_with = "gate")]
    pub path: Option<String>,

    /// Read the finding from a report in `json` instead of checking again
    #[arg(long, value_name = "FILE", requires = "path", conflicts_with = "what")]
    pub report: Option<Utf8PathBuf>,

    /// The whole page of a rule, with all of its examples
    #[arg(long, conflicts_with_all = ["gate", "path"])]
    pub examples: bool,

    #[command(flatten)]
    pub config: ConfigArgs,

    #[command(flatten)]
    pub team: TeamArgs,
}

impl ExplainArgs {
    /// The files and folders to scan.
    pub fn roots(&self) -> Vec<Utf8PathBuf> {
        match self.what.is_empty() {
            true => vec![".".into()],
            false => self.what.iter().map(Utf8PathBuf::from).collect(),
        }
    }
}
