//! Texts that the code writes down, put together from their parts, with the place of every character in the file. What is put
//! in when the program runs is a hole.

use rustc_hash::FxHashSet;

use super::super::values::Values;
use crate::ir::{Expr, ExprId, Facts, Lit, Op, Span};
use crate::link::Func;
use crate::record::HOLE;

/// A text and where its bytes come from.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    /// From this byte of the text on: the byte of the file. Sorted.
    places: Vec<(u32, u32)>,
}

impl Written {
    /// The place in the file of a stretch of the text.
    pub fn place(&self, span: Span) -> Span {
        let lo = self.offset(span.lo);
        Span { lo, hi: self.offset(span.hi.saturating_sub(1)).max(lo) + 1 }
    }

    fn offset(&self, at: u32) -> u32 {
        match self.places.partition_point(|(from, _)| *from <= at).checked_sub(1) {
            Some(nth) => self.places[nth].1,
            None => self.places.first().map_or(0, |(_, place)| *place),
        }
    }

    fn push(&mut self, c: char, place: u32) {
        self.places.push((self.text.len() as u32, place));
        self.text.push(c);
    }
}

/// The texts of a function that hold one of these words, without those that nothing takes: comments in the form of a text.
pub fn texts(values: &Values<'_, '_>, func: Func, source: &str, marks: &[&str]) -> Vec<Written> {
    let facts = values.facts(func);
    let mut passed: FxHashSet<ExprId> = FxHashSet::default();
    let mut whole = Vec::new();
    for expr in values.program.ir(func).exprs.iter() {
        match *facts.expr(expr) {
            Expr::Block(statements) => passed.extend(facts.list(statements)),
            Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => {
                passed.extend(facts.list(parts));
                whole.push(expr);
            }
            Expr::Lit(Lit::Str(_)) => whole.push(expr),
            _ => {}
        }
    }
    whole.retain(|expr| !passed.contains(expr) && mentions(facts, *expr, marks));
    let written = |&expr: &ExprId| {
        let mut out = Written::default();
        write(values, func, source, expr, &mut out);
        out
    };
    whole.iter().map(written).collect()
}

fn mentions(facts: &Facts, expr: ExprId, marks: &[&str]) -> bool {
    match *facts.expr(expr) {
        Expr::Lit(Lit::Str(text)) => {
            let text = facts.str(text);
            text.contains('{') && marks.iter().any(|mark| text.contains(mark))
        }
        Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => {
            let is_marked = |part: &ExprId| match *facts.expr(*part) {
                Expr::Lit(Lit::Str(text)) => marks.iter().any(|mark| facts.str(text).contains(mark)),
                _ => mentions(facts, *part, marks),
            };
            facts.list(parts).iter().any(is_marked)
        }
        _ => false,
    }
}

fn write(values: &Values<'_, '_>, func: Func, source: &str, expr: ExprId, out: &mut Written) {
    let facts = values.facts(func);
    let span = facts.span(expr);
    match *facts.expr(expr) {
        Expr::Lit(Lit::Str(text)) => {
            let raw = source.get(span.lo as usize..span.hi as usize).unwrap_or_default();
            align(facts.str(text), raw, span.lo, out);
        }
        Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } => {
            facts.list(parts).iter().for_each(|&part| write(values, func, source, part, out));
        }
        _ => match values.program.text(func, expr) {
            Some(text) => text.chars().for_each(|c| out.push(c, span.lo)),
            None => out.push(HOLE, span.lo),
        },
    }
}

/// Finds the characters of a text in what is written for it: as they are, or as an escape. What else is written (quotes,
/// prefixes, the gap between two literals) stands for nothing and is passed over.
fn align(text: &str, raw: &str, base: u32, out: &mut Written) {
    let mut written = raw.char_indices().peekable();
    for c in text.chars() {
        let mut place = base + raw.len() as u32;
        while let Some((at, found)) = written.next() {
            place = base + at as u32;
            if found == c {
                break;
            }
            if found == '\\' {
                let Some(&(_, escaped)) = written.peek() else { break };
                written.next();
                if escaped == '\n' || escaped == '\r' {
                    continue;
                }
                let digits = match escaped {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                for _ in 0..digits {
                    written.next();
                }
                break;
            }
        }
        out.push(c, place);
    }
}
