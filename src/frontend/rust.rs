//! Rust: text to facts. This file owns the lowerer's state and the order of its work; what one construct means is said in
//! the files below, one per family of constructs. `parse` is the way in; a file that it cannot take goes to `coarse`.

mod arms;
mod attributes;
mod bodies;
mod chains;
mod classes;
mod closures;
mod coarse;
mod conditional;
mod control;
mod deep;
mod dialects;
mod expand;
mod expressions;
mod format;
mod imports;
mod items;
pub(super) mod kind;
mod literals;
mod macros;
mod made;
mod nesting;
mod operators;
mod parse;
mod paths;
mod patterns;
#[cfg(test)]
mod properties;
mod scan;
mod scope;
pub(super) mod spelling;
mod statements;
#[cfg(test)]
mod testing;
mod tokens;
mod types;

use std::num::NonZeroU32;
use std::rc::Rc;

use self::bodies::{Around, Body, Code};
use self::expand::Macros;
use self::scope::Scopes;
use super::{MAX_DEPTH, names, webs};
use crate::ir::arena::Arenas;
use crate::ir::{
    Arg, Class, Expr, ExprId, Facts, FnKind, Func, Function, Import, Items, Label, Lang, ListOf, MODULE,
    Problem, ProblemKind, Site, Span, Stored, Strings, Sym,
};

/// Where lowering stops to go deeper: what replaces the rest is itself a few levels deep.
const DEEPEST: usize = MAX_DEPTH - 24;

/// Lowers one file. Never fails: what cannot be understood is `Opaque` and a problem.
pub fn lower(text: &str) -> Facts {
    let mut facts = parse::with_parsed(text, |parsed| match parsed {
        Ok(parsed) => {
            let mut lowerer = Lowerer::new(text, parsed.offset);
            lowerer.macros = Rc::new(Macros::of(&parsed.file.items));
            lowerer.declare_root(Code::Items(parsed.file.items));
            lowerer.run(parsed.notes)
        }
        Err(rejected) => coarse::lower(text, rejected),
    });
    facts.confusables = nesting::words(text).map_or(Vec::new(), |(words, quoted)| {
        names::confusables(text, &facts, words.into_iter(), &quoted, names::nfc)
    });
    // Else the thread would keep the text of every file it ever parsed.
    proc_macro2::extra::invalidate_current_thread_spans();
    facts.problems.sort();
    // The items of a module have no order, and a name may stand for a module and a function at once.
    webs::split_where(&mut facts, |kind| matches!(kind, FnKind::Plain | FnKind::Lambda));
    facts.seal();
    debug_assert_eq!(facts.check(MAX_DEPTH), Ok(()));
    facts
}

struct Lowerer<'s> {
    text: &'s str,
    /// Of a file that syn rejects: what tree-sitter sees, and how deep an item may nest that syn reads.
    tree: Option<(&'s coarse::Tree<'s>, usize)>,
    /// Those that can be expanded; none of a file that syn rejects.
    macros: Rc<Macros>,
    arenas: Arenas,
    names: Strings,
    imports: Vec<Import>,
    classes: Vec<Class>,
    functions: Vec<Function>,
    calls: Vec<Site>,
    problems: Vec<Problem>,
    scopes: Scopes,
    /// By `Func`: a body is lowered after the body around it is complete, so that a function's expressions are one range
    /// and all that enclosing functions bind is known.
    bodies: Vec<Option<Body>>,
    here: Func,
    /// What the body at hand stands in.
    around: Rc<Around>,
    /// Levels of nesting above the expression that is being made.
    depth: usize,
    loops: Vec<Frame>,
    next_label: u16,
    /// The names that the pattern at hand has bound: alternatives bind the same ones.
    in_pattern: Vec<(Sym, crate::ir::VarId)>,
    /// Where each line begins of the text that was parsed as a whole, and whether it is ASCII.
    lines: Vec<(u32, bool)>,
    /// Where everything lies for now: a type that is written elsewhere (`Self`, a bound) is used here.
    fixed: Option<Span>,
    /// The function whose parameters the pattern at hand belongs to.
    parameters_of: Option<Func>,
    // Scratch stacks: lists are collected on their tops, so that lists within lists need no allocation.
    exprs: Vec<ExprId>,
    args: Vec<Arg>,
}

/// A loop, or a block that `break` can leave, that is being lowered.
struct Frame {
    name: Option<Sym>,
    label: Label,
    /// A `break` without a label does not mean a block.
    is_block: bool,
}

impl<'s> Lowerer<'s> {
    fn new(text: &'s str, offset: u32) -> Self {
        let mut lowerer = Self {
            text,
            tree: None,
            macros: Rc::new(Macros::of(&[])),
            arenas: Arenas::default(),
            names: Strings::default(),
            imports: Vec::new(),
            classes: Vec::new(),
            functions: Vec::new(),
            calls: Vec::new(),
            problems: Vec::new(),
            scopes: Scopes::default(),
            bodies: Vec::new(),
            here: MODULE,
            around: Rc::new(Around { offset, ..Around::default() }),
            depth: 0,
            loops: Vec::new(),
            next_label: 0,
            in_pattern: Vec::new(),
            lines: lines(text, offset),
            fixed: None,
            parameters_of: None,
            exprs: Vec::new(),
            args: Vec::new(),
        };
        lowerer.arenas.reserve(text.len() / 10);
        lowerer
    }

    fn run(mut self, notes: Vec<Span>) -> Facts {
        let mut next = 0;
        while next < self.bodies.len() {
            self.lower_body(Func(next as u32));
            next += 1;
        }
        self.finish(notes)
    }

    fn finish(mut self, notes: Vec<Span>) -> Facts {
        for (function, scope) in self.functions.iter_mut().zip(self.scopes.finish()) {
            function.vars = self.arenas.add_list(&scope.vars);
            function.captures = self.arenas.add_list(&scope.captures);
            function.exports = self.arenas.add_list(&scope.exports);
        }
        let items = Items {
            imports: self.imports,
            classes: self.classes,
            functions: self.functions,
            calls: self.calls,
        };
        let facts = Facts::new(Lang::Rust, items, self.arenas, self.names);
        Facts { notes, problems: self.problems, ..facts }
    }

    fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        self.arenas.add_expr(expr, span)
    }

    fn list<T: Stored>(&mut self, items: &[T]) -> ListOf<T> {
        self.arenas.add_list(items)
    }

    /// Ends a list that began when the scratch stack had `base` entries.
    fn take_exprs(&mut self, base: usize) -> ListOf<ExprId> {
        let list = self.arenas.add_list(&self.exprs[base..]);
        self.exprs.truncate(base);
        list
    }

    fn opaque(&mut self, span: Span) -> ExprId {
        self.add(Expr::Opaque(ListOf::EMPTY), span)
    }

    fn problem(&mut self, span: Span, kind: ProblemKind) {
        self.problems.push(Problem { span, kind });
    }

    fn name(&mut self, ident: &syn::Ident) -> Sym {
        let text = ident.to_string();
        self.names.intern(&names::nfc(text.strip_prefix("r#").unwrap_or(&text)))
    }

    /// Where a token of the file lies. Tokens that nobody wrote lie at its beginning.
    fn span(&self, span: proc_macro2::Span) -> Span {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        if self.tree.is_none() {
            return Span { lo: self.byte(span.start()), hi: self.byte(span.end()) };
        }
        let range = span.byte_range();
        let end = self.text.len() as u32;
        let at = |offset: usize| (offset as u32).saturating_add(self.around.offset).min(end);
        Span { lo: at(range.start), hi: at(range.end) }
    }

    /// Offsets are asked for by line, because asking for bytes makes the tokens keep a map of all that was asked.
    fn byte(&self, at: proc_macro2::LineColumn) -> u32 {
        let end = self.text.len() as u32;
        let Some(&(start, is_ascii)) = self.lines.get(at.line.wrapping_sub(1)) else { return end };
        if is_ascii {
            return (start + at.column as u32).min(end);
        }
        let line = &self.text[start as usize..];
        start + line.char_indices().nth(at.column).map_or(line.len(), |(at, _)| at) as u32
    }

    /// Lowers a path that is written elsewhere.
    fn path_at(&mut self, path: syn::Path, span: Span) -> ExprId {
        let outside = self.fixed.replace(span);
        let made = self.path(None, path, scope::Wanted::Items);
        self.fixed = outside;
        made
    }

    /// From the start of one token to the end of another.
    fn between(&self, first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
        hull(self.span(first), self.span(last))
    }

    fn span_of(&self, expr: ExprId) -> Span {
        self.arenas.span(expr)
    }
}

fn lines(text: &str, offset: u32) -> Vec<(u32, bool)> {
    let mut at = offset;
    let line = |line: &str| {
        let start = at;
        at += line.len() as u32;
        (start, line.is_ascii())
    };
    text[offset as usize..].split_inclusive('\n').map(line).collect()
}

fn hull(first: Span, last: Span) -> Span {
    Span { lo: first.lo.min(last.lo), hi: first.hi.max(last.hi) }
}

/// Stands in a `Function` until its body is lowered.
const NO_BODY: ExprId = ExprId(NonZeroU32::MIN);

#[cfg(test)]
mod tests {
    use super::testing::{calls, facts, has, problems};
    use crate::ir::{ProblemKind, Span};

    #[test]
    fn an_empty_file_has_a_module() {
        assert_eq!(facts("").functions().len(), 1);
        assert_eq!(facts("// only a comment").functions().len(), 1);
        assert_eq!(facts("").problems, []);
    }

    #[test]
    fn notes_are_comments_that_speak_to_gatelint() {
        let source = "fn f() {} // gatelint: allow[GL101] reason=\"x\"\n// another\n";
        assert_eq!(facts(source).notes, [Span { lo: 10, hi: 46 }]);
    }

    #[test]
    fn spans_count_the_bytes_of_the_file() {
        for start in
            ["", "\u{feff}", "#!/usr/bin/env run\n", "\u{feff}#!/bin/x\n", "// größe\n", "#![allow(x)]\n"]
        {
            let source = format!("{start}fn größe() {{ g(\"ä\").h()?; k!(m(1)); }}");
            let expected = ["g(\"ä\")", "g(\"ä\").h()", "m(1)", "k!(m(1))"];
            assert_eq!(calls(&source), expected, "{start:?}");
            let span = facts(&source).functions()[1].name_span;
            assert_eq!(&source[span.lo as usize..span.hi as usize], "größe", "{start:?}");
        }
    }

    #[test]
    fn files_on_one_thread_do_not_disturb_each_other() {
        let one = "fn a() { b(); }";
        let first = calls(one);
        for _ in 0..3 {
            assert_eq!(calls(&"fn x() { y(); }\n".repeat(50)).len(), 50);
            assert_eq!(calls(one), first);
        }
    }

    #[test]
    fn an_error_in_one_function_costs_that_function() {
        let source = "use a::b;\nfn f(c: C) -> D { c.d(\"x\")?.e() }\nfn g() { let = h(1); i::j(\"y\").k() }\n\
                      impl X { fn m(&self) { self.n() } fn o(&self) { let = self.p(); } }\nstruct S { t: T }";
        has(source, &["import 0 a name b in 0", "(positional c.0: @C) -> @D", "fn 2 plain \"g\""]);
        has(source, &["(call (. @i j) \"y\")", "extends @X", "(call (. self.0 n))", "(declare @T)"]);
        assert_eq!(problems(source), [ProblemKind::HidesCode]);
    }

    #[test]
    fn what_is_no_rust_at_all_is_reported() {
        for source in ["fn f( {", "\0", "\"", "'' ''", "}}}}", "/* open", "r#\"open"] {
            assert!(facts(source).is_partial(), "{source:?}");
        }
    }
}
