//! Python: text to facts. This file owns the lowerer's state and the order of its work; what one construct means is said in
//! the files below, one per family of constructs. Nothing here names a parser.

mod annotations;
mod assignments;
mod calls;
mod comprehensions;
mod control;
mod definitions;
mod expressions;
mod imports;
mod kind;
mod literals;
mod matching;
mod operators;
mod parameters;
mod patterns;
mod problems;
mod scope;
mod statements;
mod strings;

use std::num::NonZeroU32;

use self::kind::Kind;
use self::scope::Scopes;
use super::{MAX_DEPTH, sitter, tree, webs};
use crate::ir::arena::{Arenas, Interner};
use crate::ir::{
    Arg, Class, Expr, ExprId, ExprRange, Facts, FnId, Function, Import, Label, Lang, ListOf, MODULE, Problem,
    ProblemKind, Site, Span, Stored, When,
};

type Tree<'s> = tree::Tree<'s, Kind>;
type Node<'t> = tree::Node<'t, Kind>;

/// Where lowering stops to go deeper: what replaces the rest is itself a few levels deep.
const DEEPEST: usize = MAX_DEPTH - 8;

/// Lowers one file. Never fails: what cannot be understood is `Opaque` and a problem.
pub fn lower(text: &str) -> Facts {
    let clean = problems::clean(text);
    let mut facts = match sitter::parse(&clean, Lang::Python) {
        Some(tree) => Lowerer::new(&tree).run(),
        None => out_of_budget(text),
    };
    problems::of_text(text, &mut facts.problems);
    facts.problems.sort();
    webs::split(&mut facts);
    debug_assert_eq!(facts.check(MAX_DEPTH), Ok(()));
    facts
}

fn out_of_budget(text: &str) -> Facts {
    let mut facts = Lowerer::new(&Tree::new("")).run();
    let span = Span { lo: 0, hi: text.len() as u32 };
    facts.problems.push(Problem { span, kind: ProblemKind::Budget });
    facts
}

struct Lowerer<'t> {
    tree: &'t Tree<'t>,
    arenas: Arenas,
    names: Interner,
    imports: Vec<Import>,
    classes: Vec<Class>,
    functions: Vec<Function>,
    calls: Vec<Site>,
    problems: Vec<Problem>,
    scopes: Scopes,
    /// By `FnId`: a body is lowered after the body around it is complete, so that a function's expressions are one range
    /// and all that enclosing functions bind is known.
    bodies: Vec<Body>,
    here: FnId,
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
    // Scratch stacks: lists are collected on their tops, so that lists within lists need no allocation.
    exprs: Vec<ExprId>,
    args: Vec<Arg>,
}

/// A body that is still to be lowered.
#[derive(Clone, Copy)]
struct Body {
    node: Option<u32>,
    when: When,
    /// How many functions are around it.
    level: usize,
}

/// Where the spans of nodes come from.
#[derive(Clone, Copy)]
enum SpanSource {
    Nodes,
    /// Code inside a string: everything lies where the string lies.
    Fixed(Span),
}

impl<'t> Lowerer<'t> {
    fn new(tree: &'t Tree<'t>) -> Self {
        Self {
            tree,
            arenas: Arenas::default(),
            names: Interner::default(),
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
            exprs: Vec::new(),
            args: Vec::new(),
        }
    }

    fn run(mut self) -> Facts {
        problems::of_tree(self.tree, &mut self.problems);
        self.declare_module();
        let mut next = 0;
        while next < self.bodies.len() {
            self.lower_body(FnId(next as u32));
            next += 1;
        }
        self.finish()
    }

    fn lower_body(&mut self, id: FnId) {
        let Body { node, when, level } = self.bodies[id.0 as usize];
        (self.here, self.when, self.level, self.depth, self.next_label) = (id, when, level, 0, 0);
        self.in_annotation = false;
        self.loops.clear();
        self.scopes.enter(id);
        let lo = self.arenas.expr_count() as u32 + 1;
        let body = match node.and_then(|index| self.tree.node(index)) {
            Some(node) if matches!(node.kind(), Kind::Block | Kind::Module) => self.block(node),
            Some(node) if node.kind() == Kind::Error => self.block_of_error(node),
            Some(node) => self.returned(node),
            None => self.add(Expr::Block(ListOf::EMPTY), self.functions[id.0 as usize].span),
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
        let notes = self.tree.comments.iter().copied().filter(|&span| {
            let text = self.tree.text().get(span.lo as usize..span.hi as usize);
            text.is_some_and(|text| text.contains("gatelint:"))
        });
        Facts {
            lang: Lang::Python,
            notes: notes.collect(),
            strings: self.names.finish(),
            imports: self.imports,
            classes: self.classes,
            functions: self.functions,
            calls: self.calls,
            arenas: self.arenas,
            problems: self.problems,
        }
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

    fn span(&self, node: Node<'_>) -> Span {
        match self.spans {
            SpanSource::Nodes => node.span(),
            SpanSource::Fixed(span) => span,
        }
    }

    /// A span that no node has.
    fn span_of(&self, lo: u32, hi: u32) -> Span {
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
