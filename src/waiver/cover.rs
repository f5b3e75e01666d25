//! Which code a comment speaks of. It reads spans and the shape of the core language, no syntax: a formatter may break a
//! statement into lines or join them, and the comment at its end, or above it, still speaks of the same code.

use crate::ir::{Expr, Facts, FnKind, Function, Span};
use crate::source::LineIndex;

/// What one comment speaks of.
#[derive(Clone, Default, Debug)]
pub struct Cover {
    /// What begins here: a line.
    line: Span,
    /// What lies here: a statement or an argument that ends before the comment or begins below it, a function.
    within: Vec<Span>,
    /// This call or import and nothing in it: it goes on over the lines around the comment.
    exactly: Option<Span>,
}

impl Cover {
    /// How wide the cover is that holds this span, if one does.
    pub fn breadth(&self, span: Span) -> Option<u32> {
        let starts_on_line = self.line.lo <= span.lo && span.lo < self.line.hi;
        let wide = self.within.iter().filter(|wide| contains(**wide, span)).map(|wide| wide.hi - wide.lo);
        let line = starts_on_line.then_some(self.line.hi - self.line.lo);
        let exactly = (self.exactly == Some(span)).then_some(span.hi - span.lo);
        line.into_iter().chain(exactly).chain(wide).min()
    }
}

/// One file, as comments see it.
pub struct Layout<'a> {
    text: &'a str,
    facts: &'a Facts,
    lines: LineIndex<'a>,
    /// Blocks of statements, by where they begin: bodies of functions, classes, branches and loops.
    blocks: Vec<Span>,
}

impl<'a> Layout<'a> {
    pub fn new(text: &'a str, facts: &'a Facts) -> Self {
        Self { text, facts, lines: LineIndex::new(text), blocks: blocks(facts) }
    }

    pub fn cover(&self, comment: Span) -> Cover {
        let line = self.lines.line_col(comment.lo).line;
        let range = self.lines.line_range(line);
        let before = self.text.get(range.start..comment.lo as usize).unwrap_or_default();
        if before.trim().is_empty() {
            return self.below(comment, line);
        }
        let end = range.start + before.trim_end().len();
        let mut cover = Cover { line: self.line(line), ..Cover::default() };
        cover.within.extend(self.ending_at(end as u32));
        cover.within.extend(self.head_that_ends(comment));
        cover.within.extend(self.function_of_head(line, Some(comment)));
        self.or_around(cover, line)
    }

    /// The name of the function that a comment speaks of as a whole, or else of the innermost one around it.
    pub fn function(&self, comment: Span, cover: &Cover) -> String {
        let plain = || self.facts.functions().iter().filter(|function| function.kind == FnKind::Plain);
        let is_whole =
            |span: Span| cover.within.iter().any(|whole| contains(*whole, span) && whole.hi == span.hi);
        let width = |function: &&Function| function.span.hi - function.span.lo;
        let meant = plain().filter(|function| is_whole(function.span)).max_by_key(width);
        let around = || plain().filter(|function| contains(function.span, comment)).min_by_key(width);
        let nearest = meant.or_else(around);
        nearest.map(|function| self.slice(function.name_span).to_owned()).unwrap_or_default()
    }

    /// The lines on which what holds a place begins, and those on which it ends, from the nearest to the farthest: its
    /// expressions and its statement, of one with a block of its own only the head.
    pub fn lines_around(&self, place: Span) -> (Vec<u32>, Vec<u32>) {
        let is_head = |span: &Span| self.first_block(*span).is_none_or(|block| block.lo > place.lo);
        let around: Vec<Span> = self.spans().filter(|span| contains(*span, place)).filter(is_head).collect();
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
    fn below(&self, comment: Span, line: u32) -> Cover {
        let sign: String =
            self.slice(comment).chars().take_while(|c| !c.is_alphanumeric() && !c.is_whitespace()).collect();
        let is_comment = |line: &u32| self.lines.line_text(*line).trim_start().starts_with(&sign);
        let last = self.lines.lines();
        let Some(line) = (line + 1..=last).find(|line| !is_comment(line)) else { return Cover::default() };
        let code = self.lines.line_text(line);
        if code.trim().is_empty() {
            return Cover::default();
        }
        let start = self.lines.line_range(line).start + code.len() - code.trim_start().len();
        let mut cover = Cover { line: self.line(line), ..Cover::default() };
        cover.within.extend(self.beginning_at(start as u32));
        cover.within.extend(self.function_of_head(line, None));
        self.or_around(cover, line)
    }

    /// The largest expression that ends where code ends, so that the last line of a broken statement speaks for it.
    fn ending_at(&self, end: u32) -> Option<Span> {
        let code = self.text.get(..end as usize)?;
        let end = code.trim_end_matches([',', ';']).trim_end().len() as u32;
        let simple = |span: &Span| span.hi == end && self.first_block(*span).is_none();
        self.spans().filter(simple).min_by_key(|span| span.lo)
    }

    /// The largest expression that begins there; of one that has a block of its own only the head.
    fn beginning_at(&self, start: u32) -> Option<Span> {
        let largest = self.spans().filter(|span| span.lo == start).max_by_key(|span| span.hi)?;
        Some(self.first_block(largest).map_or(largest, |block| Span { lo: largest.lo, hi: block.lo }))
    }

    /// The head of a statement (`if …:`, `with …:`) whose block begins right after the comment.
    fn head_that_ends(&self, comment: Span) -> Option<Span> {
        let block = self.blocks.iter().find(|block| block.lo >= comment.hi)?;
        let between = Span { lo: comment.hi, hi: block.lo };
        if !self.slice(between).trim().is_empty() {
            return None;
        }
        let around = self.spans().filter(|span| span.lo < comment.lo && block.hi <= span.hi);
        let head = around.max_by_key(|span| span.lo)?;
        // Only the last part of it: what stands before another block belongs to that one.
        let earlier = self.blocks.iter().filter(|other| other.lo > head.lo && other.hi <= comment.lo);
        let lo = earlier.map(|other| other.hi).max().unwrap_or(head.lo);
        Some(Span { lo, hi: block.lo })
    }

    /// The function whose head is on the line. `behind` is the comment at the end of it, if it stands there.
    fn function_of_head(&self, line: u32, behind: Option<Span>) -> Option<Span> {
        let plain = self.facts.functions().iter().filter(|function| function.kind == FnKind::Plain);
        plain
            .filter_map(|function| {
                let body = self.facts.span(function.body);
                let decorators = self.facts.list(function.decorators);
                let starts = decorators.iter().map(|&id| self.facts.span(id).lo).chain([function.span.lo]);
                let on_line = starts.clone().any(|lo| self.lines.line_col(lo).line == line);
                let ends_head = |comment: Span| {
                    let between = Span { lo: comment.hi, hi: body.lo };
                    function.span.lo < comment.lo
                        && comment.hi <= body.lo
                        && self.slice(between).trim().is_empty()
                };
                let whole = Span { lo: starts.min()?, hi: function.span.hi };
                // On one line with its body, the comment speaks of that line.
                let is_head = behind.is_none_or(|comment| comment.hi <= body.lo);
                (is_head && on_line || behind.is_some_and(ends_head)).then_some(whole)
            })
            .min_by_key(|span| span.hi - span.lo)
    }

    /// On a line where nothing begins or ends, the comment speaks of the call or import that goes on there.
    fn or_around(&self, mut cover: Cover, line: u32) -> Cover {
        let range = self.line(line);
        let around: Vec<Span> =
            self.subjects().filter(|span| span.lo < range.hi && range.lo < span.hi).collect();
        let is_covered = around.iter().any(|span| cover.breadth(*span).is_some());
        if !is_covered {
            cover.exactly = around.into_iter().min_by_key(|span| span.hi - span.lo);
        }
        cover
    }

    /// What findings stand at: calls and imports.
    fn subjects(&self) -> impl Iterator<Item = Span> {
        let calls = self.facts.calls().iter().map(|site| self.facts.span(site.expr));
        calls.chain(self.facts.imports().iter().map(|import| import.span))
    }

    /// Every expression but blocks, and every import statement.
    fn spans(&self) -> impl Iterator<Item = Span> {
        let exprs = self.facts.exprs().filter(|&id| !matches!(self.facts.expr(id), Expr::Block(_)));
        let exprs = exprs.map(|id| self.facts.span(id));
        exprs.chain(self.facts.imports().iter().map(|import| import.span))
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

fn contains(outer: Span, inner: Span) -> bool {
    outer.lo <= inner.lo && inner.hi <= outer.hi
}

/// Blocks of statements. Those of comprehensions and lambdas are parts of an expression, however they are lowered.
fn blocks(facts: &Facts) -> Vec<Span> {
    let mut parts: Vec<Span> = facts
        .exprs()
        .filter(|&id| matches!(facts.expr(id), Expr::Collect { .. }))
        .map(|id| facts.span(id))
        .collect();
    let lambdas = facts.functions().iter().filter(|function| function.kind == FnKind::Lambda);
    parts.extend(lambdas.map(|function| function.span));
    let is_part = |span: Span| parts.iter().any(|part| contains(*part, span));
    let all = facts.exprs().filter(|&id| matches!(facts.expr(id), Expr::Block(_))).map(|id| facts.span(id));
    let mut blocks: Vec<Span> = all.filter(|&span| !is_part(span)).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
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
            .subjects()
            .filter(|span| cover.breadth(*span).is_some())
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
