//! Python as ruff's parser sees it: text to facts, from a typed tree. This file owns the lowerer's state and the order of its
//! work; what one construct means is said in the files below, one per family of constructs. It takes the place of `python` once
//! the facts of both are known to be equal; what this parser does not take is still lowered there.

mod annotations;
mod assignments;
mod calls;
mod comprehensions;
mod confusables;
mod control;
mod definitions;
#[cfg(test)]
pub(super) mod equal;
mod expressions;
mod imports;
mod kept;
mod matching;
mod nesting;
mod operators;
mod parameters;
mod parse;
mod patterns;
mod places;
mod statements;
mod strings;

use std::cell::OnceCell;
use std::num::NonZeroU32;

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_python_ast::{self as ast, ModModule};
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use self::kept::Link;
use super::python::scope::Scopes;
use super::{MAX_DEPTH, names, python, webs};
use crate::ir::arena::Arenas;
use crate::ir::{
    Arg, Class, Expr, ExprId, ExprRange, Facts, Func, Function, Import, Items, Label, Lang, ListOf, MODULE,
    Problem, ProblemKind, Site, Span, Stored, Strings, Sym, When,
};

/// Where lowering stops to go deeper: what replaces the rest is itself a few levels deep.
const DEEPEST: usize = MAX_DEPTH - 8;

/// Lowers one file. Never fails: a file that the parser does not take is read coarsely.
pub fn lower(text: &str) -> Facts {
    parse::with_parsed(text, |parsed| match parsed {
        Some(parsed) => of_tree(text, &parsed),
        None => python::lower(text),
    })
}

fn of_tree(text: &str, parsed: &Parsed<ModModule>) -> Facts {
    let strings = OnceCell::new();
    let mut facts = Lowerer::new(text, parsed, &strings).run();
    facts.confusables = confusables::of_tokens(text, parsed.tokens(), &facts);
    facts.problems.sort();
    webs::split(&mut facts);
    facts.seal();
    debug_assert_eq!(facts.check(MAX_DEPTH), Ok(()));
    facts
}

struct Lowerer<'t> {
    text: &'t str,
    module: &'t ModModule,
    tokens: &'t Tokens,
    /// Where the tree of the next string of code is kept.
    strings: &'t OnceCell<Box<Link>>,
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
    bodies: Vec<Body<'t>>,
    here: Func,
    /// How many functions are around the one at hand.
    level: usize,
    /// Levels of nesting above the expression that is being made.
    depth: usize,
    when: When,
    loops: Vec<Label>,
    next_label: u16,
    spans: SpanSource,
    /// Strings stand for types.
    in_annotation: bool,
    /// Strings of code within strings of code.
    strings_deep: usize,
    strings_parsed: usize,
    /// Line ends are part of a text in another form than they are written in.
    has_returns: bool,
    // Scratch stacks: lists are collected on their tops, so that lists within lists need no allocation.
    exprs: Vec<ExprId>,
    args: Vec<Arg>,
}

/// A body that is still to be lowered.
#[derive(Clone, Copy)]
struct Body<'t> {
    code: Code<'t>,
    when: When,
    /// How many functions are around it.
    level: usize,
}

#[derive(Clone, Copy)]
enum Code<'t> {
    Block(&'t [ast::Stmt]),
    /// What a lambda returns, and where it stands with its parentheses.
    Value(&'t ast::Expr, Span),
}

/// Where the spans of nodes come from.
#[derive(Clone, Copy)]
enum SpanSource {
    Nodes,
    /// Code inside a string: everything lies where the string lies.
    Fixed(Span),
}

impl<'t> Lowerer<'t> {
    fn new(text: &'t str, parsed: &'t Parsed<ModModule>, strings: &'t OnceCell<Box<Link>>) -> Self {
        Self {
            text,
            module: parsed.syntax(),
            tokens: parsed.tokens(),
            strings,
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
            level: 0,
            depth: 0,
            when: When::Always,
            loops: Vec::new(),
            next_label: 0,
            spans: SpanSource::Nodes,
            in_annotation: false,
            strings_deep: 0,
            strings_parsed: 0,
            has_returns: memchr::memchr(b'\r', text.as_bytes()).is_some(),
            exprs: Vec::new(),
            args: Vec::new(),
        }
    }

    fn run(mut self) -> Facts {
        self.arenas.reserve(self.tokens.len() / 2);
        self.declare_module();
        let mut next = 0;
        while next < self.bodies.len() {
            self.lower_body(Func(next as u32));
            next += 1;
        }
        self.finish()
    }

    fn lower_body(&mut self, id: Func) {
        let Body { code, when, level } = self.bodies[id.0 as usize];
        (self.here, self.when, self.level, self.depth, self.next_label) = (id, when, level, 0, 0);
        self.in_annotation = false;
        self.loops.clear();
        self.scopes.enter(id);
        let lo = self.arenas.expr_count() as u32 + 1;
        let body = match code {
            Code::Block(body) if id == MODULE => self.module_block(body),
            Code::Block(body) => self.block(body),
            Code::Value(value, span) => self.returned(value, span),
        };
        let exprs = ExprRange { lo, hi: self.arenas.expr_count() as u32 + 1 };
        let function = &mut self.functions[id.0 as usize];
        (function.body, function.exprs) = (body, exprs);
        self.scopes.resolve(&mut self.arenas, exprs);
    }

    fn finish(mut self) -> Facts {
        for (function, scope) in self.functions.iter_mut().zip(self.scopes.finish()) {
            function.vars = self.arenas.add_list(&scope.vars);
            function.captures = self.arenas.add_list(&scope.captures);
            function.exports = self.arenas.add_list(&scope.exports);
        }
        let comments = self.tokens.iter().filter(|token| token.kind() == TokenKind::Comment);
        let is_note = |span: &Span| self.text[span.lo as usize..span.hi as usize].contains("gatelint:");
        let notes = comments.map(|comment| places::span_of(comment)).filter(is_note).collect();
        let items = Items {
            imports: self.imports,
            classes: self.classes,
            functions: self.functions,
            calls: self.calls,
        };
        let facts = Facts::new(Lang::Python, items, self.arenas, self.names);
        Facts { notes, problems: self.problems, ..facts }
    }

    /// A name of the program, as the interpreter compares it.
    fn ident(&mut self, name: &str) -> Sym {
        self.names.intern(&names::nfkc(name))
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

    fn span(&self, node: &impl Ranged) -> Span {
        match self.spans {
            SpanSource::Nodes => places::span_of(node),
            SpanSource::Fixed(span) => span,
        }
    }

    /// A span that no node has.
    fn span_between(&self, lo: u32, hi: u32) -> Span {
        match self.spans {
            SpanSource::Nodes => Span { lo, hi },
            SpanSource::Fixed(span) => span,
        }
    }

    fn problem(&mut self, span: Span, kind: ProblemKind) {
        self.problems.push(Problem { span, kind });
    }
}

/// Stands in a `Function` until its body is lowered.
const NO_BODY: ExprId = ExprId(NonZeroU32::MIN);
