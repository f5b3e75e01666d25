//! The arguments of `gatelint debug`.

use camino::Utf8PathBuf;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum DebugCommand {
    /// Print the core language of one file
    Ir { file: Utf8PathBuf },
    /// Print every call with its targets, the reason for each and statistics
    Calls {
        #[arg(default_value = ".")]
        paths: Vec<Utf8PathBuf>,
    },
    /// Print every edge of the call graph, one JSON object a line
    Edges {
        #[arg(default_value = ".")]
        paths: Vec<Utf8PathBuf>,
    },
    /// Print where the parameters of tools get, one JSON object a line
    Flows {
        #[arg(default_value = ".")]
        paths: Vec<Utf8PathBuf>,
    },
}
