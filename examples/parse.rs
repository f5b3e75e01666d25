//! The yardstick for speed: `parse DIR` reads all Python files below a folder and parses them, on all processors, and does
//! nothing else. `scripts/bench.sh` runs it in turn with a whole check of the same folder.

use std::path::PathBuf;
use std::process::ExitCode;

use rayon::prelude::*;
use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;

fn main() -> ExitCode {
    let Some(root) = std::env::args().nth(1) else {
        eprintln!("usage: parse DIR");
        return ExitCode::FAILURE;
    };
    let files = python_files(&root);
    let tokens: usize = files.par_iter().with_max_len(1).map(|(_, path)| parse(path)).sum();
    println!("{} files, {tokens} tokens", files.len());
    ExitCode::SUCCESS
}

/// Sizes and paths, the largest first, so that no thread is left with one of them at the end.
fn python_files(root: &str) -> Vec<(u64, PathBuf)> {
    let entries = walkdir::WalkDir::new(root).into_iter().flatten();
    let python = entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "py"));
    let mut files: Vec<_> = python
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| Some((entry.metadata().ok()?.len(), entry.into_path())))
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

/// The number of tokens, so that the work is not optimised away.
fn parse(path: &PathBuf) -> usize {
    let Ok(text) = std::fs::read_to_string(path) else { return 0 };
    parse_unchecked_source(&text, PySourceType::Python).tokens().len()
}
