//! Which code a comment speaks of. It reads spans and the shape of the core language, no syntax: a formatter may break a
//! statement into lines or join them, and the comment at its end, or above it, still speaks of the same code.

use std::collections::BTreeMap;

use super::heads::Heads;
use super::spans::Spans;
use crate::ir::{Expr, Facts, FnKind, Span};
use crate::source::LineIndex;

/// What one comment speaks of.
#[derive(Clone, Default, Debug)]
pub struct Cover {
    /// What begins here: a line.
    pub line: Span,
    /// What lies here: a statement or an argument that ends before the comment or begins below it, a function.
    pub within: Vec<Span>,
    /// This call or import and nothing in it: it goes on over the lines around the comment.
    pub exactly: Option<Span>,
}

impl Cover {
    fn holds(&self, span: Span) -> bool {
        let starts_on_line = self.line.lo <= span.lo && span.lo < self.line.hi;
        starts_on_line
            || self.exactly == Some(span)
            || self.within.iter().any(|wide| wide.lo <= span.lo && span.hi <= wide.hi)
    }
}

/// One file, as comments see it.
pub struct Layout<'a> {
    text: &'a str,
    lines: LineIndex<'a>,
    /// Every expression but blocks, and every import statement.
    spans: Spans<()>,
    /// What findings stand at: calls and imports.
    subjects: Spans<()>,
    heads: Heads<'a>,
    /// Blocks of statements, by where they begin: bodies of functions, classes, branches and loops.
    blocks: Vec<Span>,
    /// The same by where they end.
    ended: Vec<Span>,
    /// By the line of a comment: the first line below it that is no such comment.
    below: BTreeMap<u32, u32>,
}

impl<'a> Layout<'a> {
    pub fn new(text: &'a str, facts: &'a Facts) -> Self {
        let lines = LineIndex::new(text);
        let imports = || facts.imports().iter().map(|import| (import.span, ()));
        let exprs = facts.exprs().filter(|&id| !matches!(facts.expr(id), Expr::Block(_)));
        let exprs = exprs.map(|id| (facts.span(id), ()));
        let calls = facts.calls().iter().map(|site| (facts.span(site.expr), ()));
        let blocks = blocks(facts);
        let mut ended = blocks.clone();
        ended.sort_unstable_by_key(|block| block.hi);
        Self {
            text,
            spans: Spans::new(exprs.chain(imports()).collect()),
            subjects: Spans::new(calls.chain(imports()).collect()),
            heads: Heads::new(text, facts, &lines),
            blocks,
            ended,
            below: below(text, facts, &lines),
            lines,
        }
    }

    pub fn cover(&self, comment: Span) -> Cover {
        let line = self.lines.line_col(comment.lo).line;
        let range = self.lines.line_range(line);
        let before = self.text.get(range.start..comment.lo as usize).unwrap_or_default();
        if before.trim().is_empty() {
            return self.below(line);
        }
        let end = range.start + before.trim_end().len();
        let mut cover = Cover { line: self.line(line), ..Cover::default() };
        cover.within.extend(self.ending_at(end as u32));
        cover.within.extend(self.head_that_ends(comment));
        cover.within.extend(self.heads.on_line(line, Some(comment)));
        self.or_around(cover, line)
    }

    /// The name of the function that a comment speaks of as a whole, or else of the innermost one around it.
    pub fn function(&self, comment: Span, cover: &Cover) -> String {
        let nearest = self.heads.filling(&cover.within).or_else(|| self.heads.around(comment));
        nearest.map(|name| self.slice(name).to_owned()).unwrap_or_default()
    }

    /// The lines on which what holds a place begins, and those on which it ends, from the nearest to the farthest: its
    /// expressions and its statement, of one with a block of its own only the head.
    pub fn lines_around(&self, place: Span) -> (Vec<u32>, Vec<u32>) {
        let is_head = |span: &Span| self.first_block(*span).is_none_or(|block| block.lo > place.lo);
        let around: Vec<Span> = self.spans.holding(place).map(|(span, ())| *span).filter(is_head).collect();
        let end = |span: &Span| {
            let head = Span { lo: span.lo, hi: self.first_block(*span).map_or(span.hi, |block| block.lo) };
            head.lo + self.slice(head).trim_end().len().saturating_sub(1) as u32
        };
        let mut heads: Vec<u32> = around.iter().map(|span| self.lines.line_col(span.lo).line).collect();
        let mut tails: Vec<u32> = around.iter().map(|span| self.lines.line_col(end(span)).line).collect();
        heads.sort_unstable_by_key(|line| std::cmp::Reverse(*line));
        tails.sort_unstable();
        heads.dedup();
        tails.dedup();
        (heads, tails)
    }

    /// A comment on a line of its own speaks of the next line of code; further comments may stand between.
    fn below(&self, line: u32) -> Cover {
        let Some(&line) = self.below.get(&line).filter(|line| **line <= self.lines.lines()) else {
            return Cover::default();
        };
        let code = self.lines.line_text(line);
        if code.trim().is_empty() {
            return Cover::default();
        }
        let start = self.lines.line_range(line).start + code.len() - code.trim_start().len();
        let mut cover = Cover { line: self.line(line), ..Cover::default() };
        cover.within.extend(self.beginning_at(start as u32));
        cover.within.extend(self.heads.on_line(line, None));
        self.or_around(cover, line)
    }

    /// The largest expression that ends where code ends, so that the last line of a broken statement speaks for it.
    fn ending_at(&self, end: u32) -> Option<Span> {
        let code = self.text.get(..end as usize)?;
        let end = code.trim_end_matches([',', ';']).trim_end().len() as u32;
        let mut ending = self.spans.ending_at(end).map(|(span, ())| *span);
        ending.find(|span| self.first_block(*span).is_none())
    }

    /// The largest expression that begins there; of one that has a block of its own only the head.
    fn beginning_at(&self, start: u32) -> Option<Span> {
        let (largest, ()) = *self.spans.beginning_at(start).next()?;
        Some(self.first_block(largest).map_or(largest, |block| Span { lo: largest.lo, hi: block.lo }))
    }

    /// The head of a statement (`if …:`, `with …:`) whose block begins right after the comment.
    fn head_that_ends(&self, comment: Span) -> Option<Span> {
        let next = self.blocks.partition_point(|block| block.lo < comment.hi);
        let block = self.blocks.get(next)?;
        let between = Span { lo: comment.hi, hi: block.lo };
        if !self.slice(between).trim().is_empty() {
            return None;
        }
        let (head, ()) = self.spans.around(comment.lo, block.hi).next()?;
        // Only the last part of it: what stands before another block belongs to that one.
        let ended = &self.ended[..self.ended.partition_point(|other| other.hi <= comment.lo)];
        let lo = ended.last().filter(|other| other.lo > head.lo).map_or(head.lo, |other| other.hi);
        Some(Span { lo, hi: block.lo })
    }

    /// On a line where nothing begins or ends, the comment speaks of the call or import that goes on there.
    fn or_around(&self, mut cover: Cover, line: u32) -> Cover {
        let range = self.line(line);
        let around: Vec<Span> =
            self.subjects.around(range.hi, range.lo + 1).map(|(span, ())| *span).collect();
        let is_covered = around.iter().any(|span| cover.holds(*span));
        if !is_covered {
            cover.exactly = around.into_iter().min_by_key(|span| span.hi - span.lo);
        }
        cover
    }

    /// The first block inside an expression, behind its head.
    fn first_block(&self, span: Span) -> Option<Span> {
        let next = self.blocks.partition_point(|block| block.lo <= span.lo);
        self.blocks.get(next).copied().filter(|block| block.hi <= span.hi)
    }

    fn line(&self, line: u32) -> Span {
        let range = self.lines.line_range(line);
        Span { lo: range.start as u32, hi: range.end as u32 }
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
    }
}

/// Blocks of statements. Those of comprehensions and lambdas are parts of an expression, however they are lowered.
fn blocks(facts: &Facts) -> Vec<Span> {
    let collected = facts.exprs().filter(|&id| matches!(facts.expr(id), Expr::Collect { .. }));
    let lambdas = facts.functions().iter().filter(|function| function.kind == FnKind::Lambda);
    let parts = collected.map(|id| facts.span(id)).chain(lambdas.map(|function| function.span));
    let parts = Spans::new(parts.map(|span| (span, ())).collect());
    let all = facts.exprs().filter(|&id| matches!(facts.expr(id), Expr::Block(_))).map(|id| facts.span(id));
    let mut blocks: Vec<Span> = all.filter(|&span| parts.holding(span).next().is_none()).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// For each line with a comment to gatelint the first line below that does not begin like it. Several may stand in a row,
/// so each asks the next one.
fn below(text: &str, facts: &Facts, lines: &LineIndex) -> BTreeMap<u32, u32> {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let mut known: BTreeMap<u32, (&str, u32)> = BTreeMap::new();
    for note in facts.notes.iter().rev() {
        let comment = text.get(note.lo as usize..note.hi as usize).unwrap_or_default();
        let sign = &comment[..comment.find(|c| !is_sign(c)).unwrap_or(comment.len())];
        let own = lines.line_col(note.lo).line;
        let mut line = own + 1;
        while line <= lines.lines() && lines.line_text(line).trim_start().starts_with(sign) {
            line = known.get(&line).filter(|(same, _)| *same == sign).map_or(line + 1, |(_, next)| *next);
        }
        known.insert(own, (sign, line));
    }
    known.into_iter().map(|(line, (_, next))| (line, next)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend;
    use crate::ir::Lang;

    /// What the one waiver of a text (`# W`) speaks of: calls by the name of their callee, imports as `import`.
    fn covered(text: &str) -> Vec<String> {
        let text = text.replace("# W", "# gatelint: W");
        let facts = frontend::lower(&text, Lang::Python);
        let layout = Layout::new(&text, &facts);
        let [note] = facts.notes[..] else { panic!("one comment\n{text}") };
        let cover = layout.cover(note);
        let mut names: Vec<(u32, String)> = layout
            .subjects
            .around(u32::MAX, 0)
            .map(|(span, ())| *span)
            .filter(|span| cover.holds(*span))
            .map(|span| {
                let word =
                    layout.slice(span).split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                (span.lo, if word == "from" { "import" } else { word }.to_owned())
            })
            .collect();
        names.sort();
        // An import statement is one import per name.
        names.dedup();
        names.into_iter().map(|(_, name)| name).collect()
    }

    #[track_caller]
    fn check(text: &str, names: &[&str]) {
        assert_eq!(covered(text), names, "\n{text}");
    }

    #[test]
    fn at_the_end_of_a_line_it_speaks_of_the_line() {
        check("a()\nb(); c()  # W\nd()\n", &["b", "c"]);
        check("def f(x):\n    a()\n    return b(x)  # W\n", &["b"]);
        check("if x:\n    a()\n    b()  # W\n", &["b"]);
        check("if x:\n    a()\nelse:\n    b()  # W\n    c()\n", &["b"]);
        check("def f(): a()  # W\ndef g(): b()\n", &["a"]);
        check("t = {\n    'a': lambda: a(),  # W\n    'b': lambda: b(),\n}\n", &["a"]);
    }

    #[test]
    fn it_survives_a_formatter_that_breaks_the_statement() {
        check("x = a(\n    b(),\n    c(),\n)  # W\nd()\n", &["a", "b", "c"]);
        check("x = a(  # W\n    b(),\n)\n", &["a"]);
        check("x = (\n    a()\n    .b()\n)  # W\n", &["a"]);
        check("return_value = [\n    a(i)\n    for i in b()\n]  # W\nc()\n", &["a", "b"]);
        check("# W\nx = a(\n    b(),\n)\nc()\n", &["a", "b"]);
        check("if (\n    a()\n    and b()\n):  # W\n    c()\n", &["a", "b"]);
        check("with a() as x, b(\n    c()\n):  # W\n    d()\n", &["a", "b", "c"]);
        check("if x:\n    a()\nelif (\n    b()\n):  # W\n    c()\n", &["b"]);
        check("from a import (\n    b,  # W\n    c,\n)\n", &["import"]);
    }

    #[test]
    fn inside_a_statement_it_speaks_of_the_part_on_its_line() {
        check("a(\n    b(),  # W\n    c(),\n)\n", &["b"]);
        check("a(\n    # W\n    b(),\n    c(),\n)\n", &["b"]);
        check("a(\n    # W\n    b(\n        c()\n    ),\n    d(),\n)\n", &["b", "c"]);
        check("a(\n    b(\n        c()\n    ),  # W\n    d(),\n)\n", &["b", "c"]);
        check("a(\n    b(),\n    timeout=3,  # W\n)\n", &["a"]);
        check("a(\n    b(),\n    # W\n    timeout=3,\n)\n", &["a"]);
    }

    #[test]
    fn on_a_line_of_its_own_it_speaks_of_the_line_below() {
        check("a()\n# W\nb()\nc()\n", &["b"]);
        check("# W\n# why this is fine\nb()\nc()\n", &["b"]);
        check("# W\n\nb()\n", &[]);
        check("a()\n# W\n", &[]);
        check("# W\nif a():\n    b()\n", &["a"]);
        check("# W\nfor x in a(\n    b()\n):\n    c()\n", &["a", "b"]);
        check("# W\nwith a():\n    b()\nc()\n", &["a"]);
        check("# W\nfrom a import (\n    b,\n)\nc()\n", &["import"]);
    }

    #[test]
    fn on_a_def_it_speaks_of_the_function() {
        check("def f(x):  # W\n    a()\n    def g(): b()\nc()\n", &["a", "b"]);
        check("# W\ndef f(x):\n    a()\nc()\n", &["a"]);
        check("@d()\ndef f(x):  # W\n    \"\"\"text\"\"\"\n    a()\n", &["d", "a"]);
        check("@d()  # W\ndef f(x):\n    a()\n", &["d", "a"]);
        check("@d\n# W\nasync def f(x):\n    a()\nb()\n", &["a"]);
        check("# W\n@d\ndef f(x):\n    a()\n", &["a"]);
        check("def f(\n    x,\n) -> int:  # W\n    a()\n", &["a"]);
        check("class C:\n    def f(self):  # W\n        a()\n    def g(self):\n        b()\n", &["a"]);
        check("def f(\n    x=a(),  # W\n):\n    b()\n", &["a"]);
        check("def f():\n    # W\n    a()\n    b()\n", &["a"]);
    }

    #[test]
    fn a_class_is_no_function() {
        check("class C(a()):  # W\n    x = b()\n    def f(self):\n        c()\n", &["a"]);
    }
}
