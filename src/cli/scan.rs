//! What every command takes that looks at a whole project.

use clap::Args;

use super::ConfigArgs;
use super::progress::ProgressArgs;
use super::watchdog::LimitArgs;

#[derive(Debug, Args)]
pub struct ScanArgs {
    /// Scan files that `.gitignore` and `.ignore` hide, too
    #[arg(long)]
    pub no_ignore: bool,

    #[command(flatten)]
    pub config: ConfigArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub progress: ProgressArgs,
}
