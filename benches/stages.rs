//! How long each step takes on the demonstration project, copied until there is enough of it to measure. The copies lie
//! side by side and do not import each other, so more of them is more work and never harder work. One thread, no disk.
//!
//!     cargo bench --bench stages

use camino::Utf8Path;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use gatelint::catalog::Catalog;
use gatelint::config::{Config, LayerSet};
use gatelint::engine;
use gatelint::frontend;
use gatelint::ir::{Facts, Lang};
use gatelint::link;
use gatelint::rule;
use gatelint::source::{self, DiscoverOptions, Discovered, SourceFile};
use gatelint::timings::Timings;
use rayon::{ThreadPool, ThreadPoolBuilder};
use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;

const COPIES: usize = 20;

fn main() {
    divan::main();
}

/// The parser alone: the yardstick for everything below.
#[divan::bench]
fn parse(bencher: Bencher) {
    let files = files();
    let parsed = |file: &SourceFile| parse_unchecked_source(black_box(&file.text), PySourceType::Python);
    bencher
        .counter(bytes(&files))
        .bench_local(|| files.iter().filter(|file| parsed(file).errors().is_empty()).count());
}

/// Parsing included.
#[divan::bench]
fn lower(bencher: Bencher) {
    let files = files();
    bencher.counter(bytes(&files)).bench_local(|| lowered(black_box(&files)));
}

#[divan::bench]
fn link(bencher: Bencher) {
    let files = files();
    let (facts, layers, catalog) = (lowered(&files), layers(&files), catalog());
    let units = engine::units(&files, &facts, &layers);
    bencher
        .counter(bytes(&files))
        .bench_local(|| link::link(black_box(&units), link::Crates::default(), None, &catalog).edges.len());
}

/// Everything between reading and reporting.
#[divan::bench]
fn analyse(bencher: Bencher) {
    let files = files();
    let (config, catalog, pool) = (config(), catalog(), one_thread());
    let rules = rule::builtin().expect("the built-in rules are valid");
    bencher
        .counter(bytes(&files))
        .with_inputs(|| (Discovered { files: files.clone(), ..Discovered::default() }, rules.clone()))
        .bench_local_values(|(found, rules)| {
            let mut timings = Timings::start();
            pool.install(|| engine::analyse(found, &config, &catalog, rules, &mut timings)).findings.len()
        });
}

/// `copy_0/atlas/planner.py` and so on, sorted by path.
fn files() -> Vec<SourceFile> {
    let fixture = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/atlas-agent");
    let roots = source::resolve(&[fixture]).expect("the demonstration project is there");
    let found = source::discover(&roots, &roots[0], &DiscoverOptions::default()).expect("it can be read");
    let copy = |number: usize| {
        let renamed = move |file: &SourceFile| SourceFile {
            path: format!("copy_{number}/{}", file.path).into(),
            ..file.clone()
        };
        found.files.iter().map(renamed).collect::<Vec<_>>()
    };
    let mut files: Vec<_> = (0..COPIES).flat_map(copy).collect();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    files
}

fn bytes(files: &[SourceFile]) -> BytesCount {
    BytesCount::new(files.iter().map(|file| file.text.len()).sum::<usize>())
}

fn lowered(files: &[SourceFile]) -> Vec<Facts> {
    files.iter().map(|file| frontend::lower(&file.text, Lang::Python)).collect()
}

fn layers(files: &[SourceFile]) -> Vec<LayerSet> {
    let config = config();
    files.iter().map(|file| config.layers.of(&file.path)).collect()
}

fn config() -> Config {
    Config::defaults("/copies")
}

fn catalog() -> Catalog {
    rule::builtin_catalog().expect("the built-in catalogue is valid")
}

fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be started")
}
