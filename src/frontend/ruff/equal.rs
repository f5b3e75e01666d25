//! Compares the facts of both lowerings over real trees: `GATELINT_TREES` names directories, with `:` between them, and with
//! `GATELINT_RETURNS` each line ends with CR and LF. What is known
//! to differ for a reason is put into one form first (see `normal`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::parse;
use crate::frontend::python;
use crate::ir::print::print;
use crate::ir::{Expr, ExprId, Facts, Lit, Op, Span};

/// For whoever runs this by hand: not captured by the harness of the tests.
macro_rules! say {
    ($($part:tt)*) => {
        writeln!(std::io::stdout(), $($part)*).expect("a terminal takes all")
    };
}

/// How many differing files are shown of each tree.
const SHOWN: usize = 12;

#[test]
#[ignore = "needs trees to read"]
fn facts_are_equal() {
    let trees = std::env::var("GATELINT_TREES").unwrap_or_default();
    trees.split(':').filter(|tree| !tree.is_empty()).for_each(|tree| compare_tree(Path::new(tree)));
}

#[test]
fn facts_of_the_fixtures_are_equal() {
    for file in python_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")) {
        let text = std::fs::read_to_string(&file).expect("a fixture is a text");
        assert_eq!(difference(&text), None, "{}", file.display());
        assert_eq!(difference(&text.replace('\n', "\r\n")), None, "{}", file.display());
    }
}

#[derive(Default)]
struct Count {
    equal: usize,
    rejected: usize,
    differing: usize,
    old: Duration,
    new: Duration,
    survey: Duration,
    bytes: usize,
}

fn compare_tree(tree: &Path) {
    let mut count = Count::default();
    let returns = std::env::var_os("GATELINT_RETURNS").is_some();
    for file in python_files(tree) {
        if let Ok(text) = std::fs::read_to_string(&file) {
            let text = if returns { text.replace('\n', "\r\n") } else { text };
            compare_file(&file, &text, &mut count);
        }
    }
    say!(
        "{}: {} equal, {} differ, {} rejected; {} bytes, old {:?}, new {:?} of which survey {:?}",
        tree.display(),
        count.equal,
        count.differing,
        count.rejected,
        count.bytes,
        count.old,
        count.new,
        count.survey
    );
}

fn compare_file(file: &Path, text: &str, count: &mut Count) {
    let start = Instant::now();
    let old = python::lower(text);
    count.old += start.elapsed();
    if parse::with_parsed(text, |parsed| parsed.is_none()) {
        count.rejected += 1;
        if old.problems.is_empty() {
            say!("rejected, and the old has no problem: {}", file.display());
        }
        return;
    }
    let start = Instant::now();
    let new = super::lower(text);
    count.new += start.elapsed();
    count.bytes += text.len();
    let start = Instant::now();
    std::hint::black_box(super::nesting::deepest(text));
    count.survey += start.elapsed();
    let (old, new) = (describe(&normal(old), text), describe(&normal(new), text));
    if old == new {
        count.equal += 1;
        return;
    }
    count.differing += 1;
    if count.differing <= SHOWN {
        say!("differs: {}", file.display());
        show_difference(&old, &new);
    }
}

fn show_difference(old: &str, new: &str) {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let at = old.iter().zip(&new).position(|(a, b)| a != b).unwrap_or(old.len().min(new.len()));
    for (side, lines) in [("old", &old), ("new", &new)] {
        for line in lines.iter().skip(at).take(2) {
            say!("  {side} {at}: {}", line.chars().take(300).collect::<String>());
        }
    }
}

fn python_files(tree: &Path) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(tree).sort_by_file_name().into_iter().filter_map(Result::ok);
    files.map(|entry| entry.into_path()).filter(|path| path.extension().is_some_and(|e| e == "py")).collect()
}

/// The dump, and what it leaves out: the place of each thing.
fn describe(facts: &Facts, text: &str) -> String {
    let mut out = String::new();
    print(facts, text, &mut out).expect("a string takes all");
    let shown_span = |span: Span| without_semicolon(span, text);
    for (at, function) in facts.functions().iter().enumerate() {
        writeln!(
            out,
            "function {at} {:?} {:?} private {}",
            shown_span(function.span),
            function.name_span,
            function.is_private
        )
        .expect("a string takes all");
        let params: Vec<_> =
            facts.list(function.params).iter().map(|param| (param.span, param.kind)).collect();
        writeln!(out, "params {params:?}").expect("a string takes all");
    }
    for class in facts.classes() {
        writeln!(out, "class {:?} {:?} {:?}", shown_span(class.span), class.body, class.scope)
            .expect("a string takes all");
    }
    for import in facts.imports() {
        writeln!(out, "import {:?} {:?}", import.span, import.level).expect("a string takes all");
    }
    let shown = shown_exprs(facts);
    let normal = normal_spans(facts, text);
    for (&id, &number) in &shown {
        let expr = format!("{:?}", facts.expr(id));
        let kind = expr.split([' ', '(', '{']).next().unwrap_or_default();
        let span = shown_span(normal.get(&id).copied().unwrap_or_else(|| facts.span(id)));
        let code = text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
        writeln!(out, "expr {number} {kind} {}..{} {:?}", span.lo, span.hi, code)
            .expect("a string takes all");
        match *facts.expr(id) {
            Expr::Match { arms, .. } => {
                let spans: Vec<_> = facts.list(arms).iter().map(|arm| arm.span).collect();
                writeln!(out, "arms {spans:?}").expect("a string takes all");
            }
            Expr::Try(index) => {
                let handlers = facts.arenas.try_at(index).handlers;
                let spans: Vec<_> =
                    facts.list(handlers).iter().map(|handler| shown_span(handler.span)).collect();
                writeln!(out, "handlers {spans:?}").expect("a string takes all");
            }
            _ => {}
        }
    }
    for site in facts.calls() {
        writeln!(out, "call {:?} {:?}", shown.get(&site.expr), site.function).expect("a string takes all");
    }
    writeln!(out, "{:?}", facts.confusables).expect("a string takes all");
    out
}

/// Unions of types are one node here and nest in the old lowering, whose grammar is ambiguous; `dict[str: int]` is a slice here.
fn normal(mut facts: Facts) -> Facts {
    for id in facts.exprs() {
        match *facts.expr(id) {
            Expr::Op { op: Op::BitOr, args } => {
                let flat: Vec<_> = facts.list(args).iter().flat_map(|&arg| union_of(&facts, arg)).collect();
                let args = facts.arenas_mut().add_list(&flat);
                *facts.arenas_mut().expr_mut(id) = Expr::Op { op: Op::BitOr, args };
            }
            Expr::Op { op: Op::Slice, args } => {
                if let &[lo, hi, step] = facts.list(args)
                    && *facts.expr(step) == Expr::Lit(Lit::None)
                {
                    let parts = facts.arenas_mut().add_list(&[lo, hi]);
                    *facts.arenas_mut().expr_mut(id) = Expr::Opaque(parts);
                }
            }
            _ => {}
        }
    }
    facts
}

fn union_of(facts: &Facts, id: ExprId) -> Vec<ExprId> {
    match *facts.expr(id) {
        Expr::Op { op: Op::BitOr, args } => facts.list(args).to_vec(),
        _ => vec![id],
    }
}

/// The old lowering gives the semicolon behind its last statement to a block.
fn without_semicolon(span: Span, text: &str) -> Span {
    let code = text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
    match code.strip_suffix(';') {
        Some(rest) => Span { lo: span.lo, hi: span.lo + rest.trim_end().len() as u32 },
        None => span,
    }
}

/// The first lines that differ, if the new lowering takes the text. What the old grammar takes for a statement of Python 2 or for
/// a type alias is another name here, and so is the keyword of a pattern, which it takes for a variable.
pub(in crate::frontend) fn difference(text: &str) -> Option<String> {
    let text =
        text.replace("print >>", "prins >>").replace("type(", "typo(").replace("(x=P.q)", "(unused=P.q)");
    if parse::with_parsed(&text, |parsed| parsed.is_none()) {
        return None;
    }
    let old = describe(&normal(python::lower(&text)), &text);
    let new = describe(&normal(super::lower(&text)), &text);
    let mut lines = old.lines().zip(new.lines()).filter(|(old, new)| old != new);
    lines.next().map(|(old, new)| format!("old {old}\nnew {new}\n{text:?}"))
}

/// The expressions that something refers to, numbered in order. The old lowering leaves some that nothing does.
fn shown_exprs(facts: &Facts) -> BTreeMap<ExprId, usize> {
    let mut open: Vec<ExprId> = Vec::new();
    for function in facts.functions() {
        open.push(function.body);
        open.extend(facts.list(function.decorators));
        open.extend(function.returns);
        open.extend(facts.list(function.params).iter().flat_map(|param| [param.ty, param.default]).flatten());
    }
    for class in facts.classes() {
        open.extend(facts.list(class.bases).iter().chain(facts.list(class.decorators)));
        open.extend(facts.list(class.options).iter().map(|option| option.value));
    }
    let mut found = BTreeMap::new();
    while let Some(id) = open.pop() {
        if found.insert(id, 0).is_none() {
            facts.arenas.each_expr(id, |child| open.push(child));
        }
    }
    found.values_mut().enumerate().for_each(|(at, number)| *number = at);
    found
}

/// Spans that mean nothing in the old lowering: its grammar gives a star to what it spreads, and a tuple between brackets the
/// place of the brackets in a type, of the whole subscript elsewhere.
fn normal_spans(facts: &Facts, text: &str) -> BTreeMap<ExprId, Span> {
    let mut spans = BTreeMap::new();
    for id in facts.exprs() {
        let span = facts.span(id);
        if let Expr::Index { key, .. } = *facts.expr(id)
            && matches!(facts.expr(key), Expr::Seq(_))
        {
            spans.insert(key, Span { lo: span.hi, hi: span.hi });
        }
        let code = &text[span.lo as usize..span.hi as usize];
        if let Some(rest) = code.strip_prefix('*')
            && !matches!(facts.expr(id), Expr::Spread(_))
        {
            let gap = rest.len() - rest.trim_start_matches(['*', ' ']).len();
            spans.entry(id).or_insert(Span { lo: span.lo + 1 + gap as u32, hi: span.hi });
        }
    }
    spans
}
