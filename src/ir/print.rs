//! Prints facts as text, for `gatelint debug ir` and for tests: one function at a time, complete, stable, no decisions.

mod control;
mod expressions;
mod patterns;

use std::fmt::{self, Write};

use super::{
    Capture, ClassKind, Cls, ExprId, Facts, FnKind, Func, Function, Import, Imported, ListOf, Param,
    ParamKind, Span, Sym, VarId, When,
};

/// Facts nest less; a printer must end even where they are broken.
const DEEPEST: usize = 1000;

/// Writes all of `facts`; `text` is the file that they were made from.
pub fn print(facts: &Facts, text: &str, out: &mut impl Write) -> fmt::Result {
    let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
    let mut printer = Printer { facts, text, line_ends, out, here: facts.module(), indent: 0, depth: 0 };
    facts.imports().iter().enumerate().try_for_each(|(id, import)| printer.import(id, import))?;
    facts.function_ids().try_for_each(|id| printer.function(id))?;
    facts.notes.iter().try_for_each(|&span| printer.place("note", span))?;
    facts
        .problems
        .iter()
        .try_for_each(|problem| printer.place(&format!("problem {:?}", problem.kind), problem.span))
}

struct Printer<'f, W> {
    facts: &'f Facts,
    text: &'f str,
    line_ends: Vec<usize>,
    out: &'f mut W,
    here: Func,
    indent: usize,
    depth: usize,
}

impl<W: Write> Printer<'_, W> {
    fn import(&mut self, id: usize, import: &Import) -> fmt::Result {
        let dots = ".".repeat(import.level.into());
        write!(self.out, "import {id} {dots}{}", self.facts.str(import.path))?;
        match import.what {
            Imported::Root => write!(self.out, " root")?,
            Imported::Module => write!(self.out, " module")?,
            Imported::Name(name) => write!(self.out, " name {}", self.facts.str(name))?,
            Imported::Star => write!(self.out, " star")?,
        }
        match import.when {
            When::Always => {}
            When::InTry => write!(self.out, " in-try")?,
            When::TypeOnly => write!(self.out, " type-only")?,
        }
        writeln!(self.out, " in {}", self.number(import.scope))
    }

    /// A function by its number in the file.
    fn number(&self, id: Func) -> u32 {
        id.0 - self.facts.module().0
    }

    fn class_number(&self, id: Cls) -> u32 {
        id.0 - self.facts.class_ids().next().unwrap_or(id).0
    }

    fn place(&mut self, what: &str, span: Span) -> fmt::Result {
        let found = self.text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
        let found: String = found.chars().take(60).collect();
        writeln!(self.out, "{what} {}..{} {found:?}", span.lo, span.hi)
    }

    fn function(&mut self, id: Func) -> fmt::Result {
        let facts = self.facts;
        let function = facts.function(id);
        self.here = function.parent;
        self.class_head(function)?;
        write!(
            self.out,
            "fn {} {} {:?}",
            self.number(id),
            kind_name(function.kind),
            facts.str(function.name)
        )?;
        write!(
            self.out,
            "{}{}",
            flag(function.is_async, " async"),
            flag(function.is_generator, " generator")
        )?;
        write!(self.out, " in {}", self.number(function.parent))?;
        self.named_list(" decorators", function.decorators)?;
        self.params(id, function)?;
        if let Some(ty) = function.returns {
            write!(self.out, " -> ")?;
            self.expr(ty)?;
        }
        self.here = id;
        for &Capture { outer, inner } in facts.list(function.captures) {
            write!(self.out, " capture ")?;
            self.var(inner)?;
            write!(self.out, "={}", outer.0)?;
        }
        for export in facts.list(function.exports) {
            write!(self.out, " export {}=", facts.str(export.name))?;
            self.var(export.var)?;
        }
        writeln!(self.out, " line {}", self.line(function.name_span.lo))?;
        self.indent = 1;
        self.newline_indent()?;
        self.expr(function.body)?;
        writeln!(self.out)
    }

    fn line(&self, at: u32) -> usize {
        self.line_ends.partition_point(|&end| end < at as usize) + 1
    }

    fn class_head(&mut self, function: &Function) -> fmt::Result {
        let FnKind::ClassBody(id) = function.kind else { return Ok(()) };
        write!(self.out, "class {}", self.class_number(id))?;
        match self.facts.class(id).kind {
            ClassKind::Plain => {}
            ClassKind::Interface => write!(self.out, " interface")?,
            ClassKind::Namespace => write!(self.out, " namespace")?,
            ClassKind::Extension(of) => {
                write!(self.out, " extends ")?;
                self.expr(of)?;
            }
        }
        self.named_list(" decorators", self.facts.class(id).decorators)?;
        self.named_list(" bases", self.facts.class(id).bases)?;
        writeln!(self.out)
    }

    fn named_list(&mut self, name: &str, list: ListOf<ExprId>) -> fmt::Result {
        if list.is_empty() {
            return Ok(());
        }
        write!(self.out, "{name} (")?;
        self.exprs_inside(list)?;
        write!(self.out, ")")
    }

    fn params(&mut self, id: Func, function: &Function) -> fmt::Result {
        write!(self.out, " (")?;
        for (index, param) in self.facts.list(function.params).iter().enumerate() {
            write!(self.out, "{}", flag(index > 0, ", "))?;
            self.param(id, param)?;
        }
        write!(self.out, ")")
    }

    fn param(&mut self, id: Func, param: &Param) -> fmt::Result {
        let mark = match param.kind {
            ParamKind::Normal => "",
            ParamKind::PositionalOnly => "positional ",
            ParamKind::KeywordOnly => "keyword ",
            ParamKind::Rest => "*",
            ParamKind::KeywordRest => "**",
        };
        write!(self.out, "{mark}")?;
        let around = std::mem::replace(&mut self.here, id);
        self.pat(param.pat)?;
        self.here = around;
        if let Some(ty) = param.ty {
            write!(self.out, ": ")?;
            self.expr(ty)?;
        }
        if let Some(default) = param.default {
            write!(self.out, " = ")?;
            self.expr(default)?;
        }
        Ok(())
    }

    fn var(&mut self, var: VarId) -> fmt::Result {
        let vars = self.facts.list(self.facts.function(self.here).vars);
        let name = vars.get(var.0 as usize).map_or("?", |&name| self.facts.str(name));
        write!(self.out, "{name}.{}", var.0)
    }

    fn sym(&mut self, name: Sym) -> fmt::Result {
        write!(self.out, "{}", self.facts.str(name))
    }

    fn newline_indent(&mut self) -> fmt::Result {
        (0..self.indent).try_for_each(|_| write!(self.out, "  "))
    }

    fn exprs_inside(&mut self, list: ListOf<ExprId>) -> fmt::Result {
        for (index, &id) in self.facts.list(list).iter().enumerate() {
            write!(self.out, "{}", flag(index > 0, " "))?;
            self.expr(id)?;
        }
        Ok(())
    }

    /// `(word child child)`.
    fn node(&mut self, word: &str, children: &[ExprId]) -> fmt::Result {
        write!(self.out, "({word}")?;
        for &child in children {
            write!(self.out, " ")?;
            self.expr(child)?;
        }
        write!(self.out, ")")
    }
}

fn flag(is_set: bool, word: &str) -> &str {
    if is_set { word } else { "" }
}

fn kind_name(kind: FnKind) -> &'static str {
    match kind {
        FnKind::Module => "module",
        FnKind::ClassBody(_) => "class-body",
        FnKind::Plain => "plain",
        FnKind::Lambda => "lambda",
    }
}
