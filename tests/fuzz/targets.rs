//! The targets: whatever reads what somebody else has written.

use std::fs;
use std::path::Path;

use gatelint::baseline::Baseline;
use gatelint::config::{self, Config};
use gatelint::explain;
use gatelint::finding::Severity;
use gatelint::frontend;
use gatelint::ir::{Lang, Span};
use gatelint::record::{Reading, blocks, whole};
use gatelint::rule::{self, LoadError};
use gatelint::source::SourceFile;
use gatelint::waiver;

use crate::commands;
use crate::engine::{analysed, builtin, reported, threads};
use crate::pieces::{self, examples};
use crate::project::{Files, project};
use crate::run::{CASES, fuzz, fuzz_some};
use crate::texts::text;
use crate::whole;

/// The files of the repository with this ending below a folder: seeds that mean something.
fn seeds(folder: &str, ending: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|file| file.path().extension().is_some_and(|known| known == ending));
    let texts = files.map(|file| fs::read_to_string(file.path()).unwrap());
    texts.filter(|text| text.len() < 20_000).collect()
}

fn source(path: &str, text: &str) -> SourceFile {
    let lang = if path.ends_with(".rs") { Lang::Rust } else { Lang::Python };
    SourceFile { lang, ..SourceFile::new(path, text) }
}

/// Lowering checks its own facts in debug builds.
fn lowers(text: &str, lang: Lang) {
    let facts = threads().install(|| frontend::lower(text, lang));
    assert_eq!(facts.check(frontend::MAX_DEPTH), Ok(()));
    let again = threads().install(|| frontend::lower(text, lang));
    assert_eq!(facts.calls().len(), again.calls().len());
}

#[test]
fn python() {
    const PIECES: &[&str] = &[
        "def f(a, *b, c=1, **d):\n",
        "    ",
        "\n",
        "class A(B, metaclass=M):\n",
        "return ",
        "yield from ",
        "await ",
        "async ",
        "lambda x: ",
        "if x:\n",
        "elif ",
        "else:\n",
        "for a, *b in c:\n",
        "while True:\n",
        "try:\n",
        "except* E as e:\n",
        "finally:\n",
        "with a as b, c:\n",
        "match x:\n",
        "case {'a': [b, *_], **r} if r:\n",
        "import a.b as c\n",
        "from .. import *\n",
        "x = ",
        "x: int = ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"\"\"",
        "f'{x!r:>{w}}'",
        "rb'\\x00'",
        "\\\n",
        "\\",
        "#",
        ":",
        ",",
        ".",
        "=",
        ":=",
        "->",
        "@",
        "*",
        "**",
        "not ",
        " in ",
        " is ",
        " if ",
        " else ",
        "...",
        "0x_1",
        "1e9j",
        "é",
        "\u{202e}",
        "\u{feff}",
        "\r",
        "\0",
        "type X[T] = int\n",
        "print >>f, x\n",
        "exec 'x'\n",
    ];
    fuzz(text(seeds("fixtures", "py"), PIECES), |text| lowers(text, Lang::Python));
}

#[test]
fn rust() {
    const PIECES: &[&str] = &[
        "fn f<T: A + 'static>(x: &mut T) -> Result<(), E> ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ";",
        ",",
        "::",
        "?",
        ".await",
        "let Some(x) = y else ",
        "if let A(b) = c ",
        "match x ",
        "=> ",
        "loop ",
        "while ",
        "'a: ",
        "for x in 0..=9 ",
        "async move ",
        "|x| ",
        "move || ",
        "impl<T> A for B<T> ",
        "trait A: B ",
        "struct A { b: C }",
        "enum E { A(u8), B }",
        "mod m ",
        "use a::{b, c::*};",
        "pub(crate) ",
        "unsafe ",
        "extern \"C\" ",
        "macro_rules! m { ($($x:tt)*) => { $($x)* }; }",
        "m!(",
        "vec![",
        "format!(\"{x:?}\")",
        "#[cfg(test)]",
        "#![allow(x)]",
        "//",
        "/*",
        "*/",
        "r#\"",
        "\"#",
        "'",
        "b'x'",
        "1_u8",
        "..=",
        "&&",
        "||",
        "x as u8",
        "return ",
        "break 'a ",
        "\n",
        " ",
        "é",
        "\u{202e}",
        "\0",
    ];
    fuzz(text(seeds("src/record", "rs"), PIECES), |text| lowers(text, Lang::Rust));
}

/// From files to every report, and from a report back to the page of each path.
#[test]
fn projects() {
    fuzz(project(), |files: &Files| {
        let config = config::from_text("/project", "gatelint.toml", &files["gatelint.toml"]);
        let config = config.unwrap_or_else(|_| Config::defaults("/project"));
        let sources: Vec<SourceFile> = files
            .iter()
            .filter(|(path, _)| !path.ends_with(".toml"))
            .map(|(path, text)| source(path, text))
            .collect();
        let outcome = threads().install(|| analysed(sources, &config));
        let json = String::from_utf8(reported(&outcome)).unwrap();
        for finding in outcome.findings.iter().filter(|finding| finding.severity == Severity::Error) {
            let place = finding.primary.span;
            let text = &outcome.file(finding.primary.file).text;
            assert!(text.get(place.lo as usize..place.hi as usize).is_some(), "{place:?}");
            // One of low confidence is not in the report.
            let _ = explain::path(&json, &finding.fingerprint);
        }
    });
}

/// Whole projects, made of the examples of the rules, through every command.
#[test]
fn whole_projects() {
    let projects = whole::project(examples(&builtin().0));
    fuzz_some(CASES / 12, projects, |files: &pieces::Files| commands::all(files));
}

#[test]
fn configurations() {
    const PIECES: &[&str] = &[
        "[layers]\n",
        "comm = ",
        "[\"a/**\"]\n",
        "\"",
        "[[levels]]\n",
        "rules = [\"GL1\"]\n",
        "level = \"off\"\n",
        "reason = \"x\"\n",
        "[planning]\n",
        "functions = ",
        "[gates]\n",
        "exclude = ",
        "[\n",
        "]\n",
        "{",
        "}",
        "=",
        "\n",
        "#",
        "1979-05-27",
        "true",
        "-1",
        "'''",
        "[tools]\n",
        "a.b.c = ",
        "**",
        "[!a]",
        "{a,b",
        "\\",
        "\u{202e}",
        "preset = \"x\"\n",
    ];
    let seeds =
        [seeds("fixtures", "toml"), seeds("rules/catalog/presets", "toml"), vec![String::new()]].concat();
    fuzz(text(seeds, PIECES), |text| {
        if let Err(config::ConfigError::Mistakes(mistakes)) =
            config::from_text("/project", "gatelint.toml", text)
        {
            let mut out = Vec::new();
            gatelint::report::mistakes(&mistakes, false, 80, &mut out).unwrap();
            assert!(!out.is_empty());
        }
    });
}

#[test]
fn rules() {
    const PIECES: &[&str] = &[
        "id = \"ACME001\"\n",
        "name = \"x\"\n",
        "summary = \"x\"\n",
        "severity = \"error\"\n",
        "message = \"`{function}` {x}\"\n",
        "help = \"x\"\n",
        "[[match]]\n",
        "reach = { from = \"tool\", path = [\"a.*\"] }\n",
        "call = { effects = [\"network\"] }\n",
        "[scope]\nonly = [\"tool\"]\n",
        "[[example]]\nname = \"x\"\ncode = \"\"\"\nf()  # error\n\"\"\"\n",
        "item.named = {}\n",
        "{",
        "}",
        "\"",
        "\n",
        "=",
        "[",
        "]",
    ];
    fuzz(text(seeds("rules/fence", "toml"), PIECES), |text| {
        let folder = tempfile::tempdir().unwrap();
        let path = camino::Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        fs::write(path.join("rule.toml"), text.replace("GL4", "ACME4")).unwrap();
        if let Err(LoadError::Mistakes(files)) = rule::team(&[path], &builtin().0) {
            for mistakes in &files {
                gatelint::report::mistakes(mistakes, false, 80, &mut Vec::new()).unwrap();
            }
        }
    });
}

/// Comments that speak to gatelint are read, and those that it writes leave the code around them as it was.
#[test]
fn waivers() {
    const PIECES: &[&str] = &[
        "# gatelint: allow[GL102] reason=\"reviewed\"\n",
        "# gatelint: allow",
        "[GL101, GL2",
        "]",
        " until 2030-01-01",
        "# gatelint: off\n",
        "# gatelint: on\n",
        "#gatelint:allow-file[GL1] reason=\"x\"\n",
        "import requests",
        "requests.get(url)",
        "; ",
        "\n",
        "    ",
        "\\\n",
        "\"\"\"",
        "(\n",
        ")\n",
        "def f():\n",
        "x = '# gatelint: allow[GL102] reason=\"x\"'\n",
        "\r",
        "\u{202e}",
    ];
    let names = rule::names(&builtin().0);
    fuzz((text(seeds("fixtures", "py"), PIECES), 0.0..1.0f64), |(text, at)| {
        let file = SourceFile::new("a.py", text.as_str());
        let lo = text.floor_char_boundary((text.len() as f64 * at) as usize) as u32;
        let wanted = [("GL102", Span { lo, hi: lo })];
        let placed = threads().install(|| waiver::place(&file, &wanted, "reviewed", &names));
        assert!(placed.is_waived.len() == 1 && placed.text.len() >= text.len());
        let outcome = threads().install(|| analysed(vec![file], &Config::defaults("/project")));
        reported(&outcome);
    });
}

#[test]
fn baselines() {
    const PIECES: &[&str] = &[
        "{\"version\": 1, \"findings\": [",
        "{\"rule\": \"GL102\", \"path\": \"a.py\", \"fingerprint\": \"00\"}",
        "]",
        "}",
        "[",
        "{",
        ",",
        "null",
        "-1",
        "1e999",
        "\"",
        "\\ud800",
        "\n",
        ":",
    ];
    let seeds = vec![Baseline::default().text().unwrap(), "{\"version\": 1, \"findings\": []}".to_owned()];
    fuzz(text(seeds, PIECES), |text| {
        if let Ok(baseline) = Baseline::read("baseline.json", text) {
            let again = Baseline::read("baseline.json", &baseline.text().unwrap()).unwrap();
            assert_eq!(again.text().unwrap(), baseline.text().unwrap());
        }
    });
}

/// Declarations in any text, and reports that somebody kept.
#[test]
fn json() {
    const PIECES: &[&str] = &[
        "{\"operation\": \"comm.search\", ",
        "\"parameters\": {}",
        ", \"justification\": \"x\"",
        "\"phase\": \"planning\"",
        "}",
        "{",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\u12",
        "\\",
        "{{",
        "}}",
        "<why>",
        "...",
        "${x}",
        "//",
        "\n",
        "null",
        "-1e5",
        "1.",
        "“",
        "'",
        "```json\n",
        "\u{f8ff}",
    ];
    let one = "{\"operation\": \"comm.search\", \"parameters\": {\"a\": [1, 2.5, null]}, \"justification\": \"x\", \"phase\": \"execution\"}";
    let seeds = vec![
        one.to_owned(),
        format!("Answer with\n```json\n{one}\n```\nor\n{one}"),
        format!("[{one}, {one}]"),
    ];
    let schemas = &builtin().1.records;
    fuzz(text(seeds, PIECES), |text| {
        for is_template in [false, true] {
            let reading = Reading { is_template };
            let found = [blocks(schemas, text, reading), whole(schemas, text, reading)];
            for block in found.iter().flatten() {
                let (lo, hi) = match block {
                    gatelint::record::Block::Whole(node) => (node.span.lo as usize, node.span.hi as usize),
                    gatelint::record::Block::Broken(broken) => (broken.start, broken.at),
                };
                assert!(text.get(lo..hi).is_some(), "{block:?}");
            }
        }
        let _ = explain::path(text, "0");
    });
}
