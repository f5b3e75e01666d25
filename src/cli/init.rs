//! `gatelint init`: where, and whether to write.

use camino::Utf8PathBuf;
use clap::Args;

use super::progress::ProgressArgs;

const INIT_HELP: &str = "\
Writes `gatelint.toml` into the project root, with comments: the layers that the code seems to have, and what speaks \
for each. Nothing is ever replaced. Read it before you use it: whatever is in a layer may do there what others may not.

Exit codes:
  0  written, or printed
  2  the project is configured already, wrong usage, or a file that cannot be written
  3  nothing to scan, nothing written";

#[derive(Debug, Args)]
#[command(after_help = INIT_HELP)]
pub struct InitArgs {
    /// The folder of the project
    #[arg(default_value = ".", value_name = "DIR")]
    pub path: Utf8PathBuf,

    /// Print the proposal and write nothing
    #[arg(long)]
    pub print: bool,

    /// Scan files that `.gitignore` and `.ignore` hide, too
    #[arg(long)]
    pub no_ignore: bool,

    #[command(flatten)]
    pub progress: ProgressArgs,
}
