//! The binary: parses the command line and runs it; a panic becomes an exit code here.

use clap::Parser;
use gatelint::cli::{Cli, guard};

/// The parser asks for millions of small pieces of memory, and frees them file by file; see `Cargo.toml`.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    guard::guard(|| gatelint::run(cli)).into()
}
