//! The binary: parses the command line and runs it; a panic becomes an exit code here.

use clap::Parser;
use gatelint::cli::{Cli, guard};

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    guard::guard(|| gatelint::run(cli)).into()
}
