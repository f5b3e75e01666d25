//! Measures lowering: `lower DIR` reads all Python files below a folder; `lower --dump FILE` prints the facts of one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use gatelint::frontend;
use gatelint::ir::{Facts, Lang};
use rayon::prelude::*;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--dump", path] => dump(path),
        ["--calls", path] => calls(path),
        [root] => measure(root),
        _ => {
            eprintln!("usage: lower DIR | lower --dump FILE | lower --calls DIR");
            ExitCode::FAILURE
        }
    }
}

fn dump(path: &str) -> ExitCode {
    let Ok(text) = std::fs::read_to_string(path) else { return ExitCode::FAILURE };
    let facts = frontend::lower(&text, Lang::Python);
    let mut out = String::new();
    let printed = gatelint::ir::print::print(&facts, &text, &mut out);
    print!("{out}");
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The ends of all calls of each file, to be compared with another parser's.
fn calls(root: &str) -> ExitCode {
    for (path, text) in read(root) {
        let facts = frontend::lower(&text, Lang::Python);
        let mut ends: Vec<u32> = facts.calls.iter().map(|site| facts.span(site.expr).hi).collect();
        ends.sort_unstable();
        println!("{path}\t{}\t{ends:?}", facts.problems.len());
    }
    ExitCode::SUCCESS
}

fn read(root: &str) -> Vec<(String, String)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(root)
        .into_iter()
        .flatten()
        .map(|entry| entry.into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    files.sort();
    let text =
        |path: std::path::PathBuf| Some((path.display().to_string(), std::fs::read_to_string(path).ok()?));
    files.into_iter().filter_map(text).collect()
}

fn measure(root: &str) -> ExitCode {
    let texts = read(root);
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    println!("files {}  bytes {bytes}", texts.len());
    for _ in 0..5 {
        let before = cpu();
        let nodes: usize = texts.iter().map(|(_, text)| parse_only(text)).sum();
        let parse = cpu() - before;
        let before = cpu();
        let all: Vec<Facts> = texts.iter().map(|(_, text)| frontend::lower(text, Lang::Python)).collect();
        let both = cpu() - before;
        drop(all);
        println!(
            "cpu ms: parse {parse:.0}  parse+lower {both:.0}  overhead {:.1} %  nodes {nodes}",
            (both / parse - 1.0) * 100.0
        );
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let before = Instant::now();
    let lower = || texts.par_iter().map(|(_, text)| frontend::lower(text, Lang::Python)).collect::<Vec<_>>();
    let all = pool.map(|pool| pool.install(lower)).unwrap_or_default();
    println!("two threads, wall: {:?}", before.elapsed());
    report(&texts, &all);
    ExitCode::SUCCESS
}

/// The number of nodes, so that the work is not optimised away.
fn parse_only(text: &str) -> usize {
    thread_local! {
        static PARSER: RefCell<tree_sitter::Parser> = RefCell::new(tree_sitter::Parser::new());
    }
    PARSER.with_borrow_mut(|parser| {
        let _ = parser.set_language(&tree_sitter_python::LANGUAGE.into());
        parser.parse(text, None).map_or(0, |tree| tree.root_node().descendant_count())
    })
}

fn report(texts: &[(String, String)], all: &[Facts]) {
    let sum = |count: fn(&Facts) -> usize| all.iter().map(count).sum::<usize>();
    let size = |facts: &Facts| facts.size();
    println!("calls {}  exprs {}", sum(|f| f.calls.len()), sum(|f| f.arenas.expr_count()));
    println!("functions {}  classes {}", sum(|f| f.functions.len()), sum(|f| f.classes.len()));
    println!("imports {}  pats {}", sum(|f| f.imports.len()), sum(|f| f.arenas.pat_count()));
    println!("facts take {:.1} MB", all.iter().map(size).sum::<usize>() as f64 / 1e6);
    let mut kinds: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for ((path, text), facts) in texts.iter().zip(all) {
        for problem in &facts.problems {
            let line =
                text.as_bytes()[..problem.span.lo as usize].iter().filter(|&&b| b == b'\n').count() + 1;
            kinds.entry(problem.kind).or_default().push(format!("{path}:{line}"));
        }
    }
    for (kind, places) in kinds {
        println!("{kind:?}: {}", places.len());
        places.iter().take(200).for_each(|place| println!("  {place}"));
    }
}

/// Milliseconds that this thread has run.
fn cpu() -> f64 {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    status.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e6
}
