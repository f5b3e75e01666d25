//! Python: text to facts. This file owns the lowerer's state and the order of its work; what one construct means is said in
//! the files below, one per family of constructs. `parse` is the way in; a file that it cannot take goes to `coarse`.

mod annotations;
mod assignments;
mod calls;
mod coarse;
mod comprehensions;
mod confusables;
mod control;
mod definitions;
mod expressions;
mod imports;
mod kept;
pub(super) mod kind;
mod literals;
mod matching;
mod nesting;
mod operators;
mod parameters;
mod parse;
mod patterns;
mod places;
#[cfg(test)]
mod properties;
mod scope;
pub(super) mod spelling;
mod statements;
mod strings;
#[cfg(test)]
pub(super) mod testing;

use std::cell::OnceCell;
use std::num::NonZeroU32;

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_python_ast::{self as ast, ModModule};
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use self::kept::Link;
use self::scope::Scopes;
use super::{MAX_DEPTH, names, webs};
use crate::ir::arena::Arenas;
use crate::ir::{
    Arg, Class, Expr, ExprId, ExprRange, Facts, Func, Function, Import, Items, Label, Lang, ListOf, MODULE,
    Problem, ProblemKind, Site, Span, Stored, Strings, Sym, When,
};

/// Where lowering stops to go deeper: what replaces the rest is itself a few levels deep.
const DEEPEST: usize = MAX_DEPTH - 8;

/// Lowers one file. Never fails: a file that the parser does not take is read coarsely.
pub fn lower(text: &str) -> Facts {
    let mut facts = parse::with_parsed(text, |parsed| match parsed {
        Ok(parsed) => of_tree(text, &parsed),
        Err(rejected) => coarse::lower(text, rejected),
    });
    facts.problems.sort();
    webs::split(&mut facts);
    facts.seal();
    debug_assert_eq!(facts.check(MAX_DEPTH), Ok(()));
    facts
}

fn of_tree(text: &str, parsed: &Parsed<ModModule>) -> Facts {
    let strings = OnceCell::new();
    let mut lowerer = Lowerer::new(text, parsed.tokens(), &strings);
    lowerer.arenas.reserve(parsed.tokens().len() / 2);
    let mut facts = lowerer.run(Code::Block(&parsed.syntax().body));
    let comments = parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Comment);
    facts.notes = notes_in(text, comments.map(places::span_of));
    facts.confusables = confusables::of_tokens(text, parsed.tokens(), &facts);
    facts
}

/// The comments that speak to this program.
fn notes_in(text: &str, comments: impl Iterator<Item = Span>) -> Vec<Span> {
    let is_note = |span: &Span| {
        text.get(span.lo as usize..span.hi as usize).is_some_and(|comment| comment.contains("gatelint:"))
    };
    comments.filter(is_note).collect()
}

struct Lowerer<'t> {
    text: &'t str,
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
    /// A piece of a file that the parser rejects.
    Coarse(kind::Node<'t>),
}

/// Where the spans of nodes come from.
#[derive(Clone, Copy)]
enum SpanSource {
    Nodes,
    /// Code inside a string: everything lies where the string lies.
    Fixed(Span),
}

impl<'t> Lowerer<'t> {
    fn new(text: &'t str, tokens: &'t Tokens, strings: &'t OnceCell<Box<Link>>) -> Self {
        Self {
            text,
            tokens,
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

    fn run(mut self, module: Code<'t>) -> Facts {
        self.declare_module(module);
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
            Code::Coarse(node) => self.coarse_body(node),
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
        let items = Items {
            imports: self.imports,
            classes: self.classes,
            functions: self.functions,
            calls: self.calls,
        };
        let facts = Facts::new(Lang::Python, items, self.arenas, self.names);
        Facts { problems: self.problems, ..facts }
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

#[cfg(test)]
mod tests {
    use super::testing::{calls, check, dump, facts, problems};
    use crate::ir::{Expr, Facts, ProblemKind, Span, Sym};

    #[test]
    fn an_empty_file_has_a_module() {
        check("", "");
        assert_eq!(facts("").functions().len(), 1);
        assert_eq!(facts("# only a comment").functions().len(), 1);
    }

    #[test]
    fn notes_are_comments_that_speak_to_gatelint() {
        let source = "f()  # gatelint: allow[GL101] reason=\"x\"\n# another\n";
        assert_eq!(facts(source).notes, [Span { lo: 5, hi: 40 }]);
        assert!(dump(source).contains("note 5..40"));
    }

    #[test]
    fn spans_end_at_the_last_token() {
        let source = "def f():\n    g()\n    # a comment\n\n# another\nx = 1\n";
        let facts = facts(source);
        let text = |span: Span| &source[span.lo as usize..span.hi as usize];
        assert_eq!(text(facts.functions()[1].span), "def f():\n    g()");
        assert_eq!(text(facts.span(facts.functions()[1].body)), "g()");
        assert_eq!(text(facts.functions()[1].name_span), "f");
    }

    #[test]
    fn line_ends_and_odd_spaces_change_nothing() {
        for source in [
            "def f():\r\n    g(1)\r\nh(f)\r\n",
            "def f():\r    g(1)\rh(f)",
            "\u{feff}def f():\n\tg(1)\n\x0ch(f)",
        ] {
            assert_eq!(calls(source), ["h(f)", "g(1)"], "{source:?}");
            assert_eq!(problems(source), [], "{source:?}");
        }
        check("größe = naïve(1)", "(bind größe.0 (call @naïve 1))");
    }

    #[test]
    fn a_nul_hides_no_call_and_is_reported() {
        let source = "f()\nx = 1 \0\ng()\n";
        assert_eq!(calls(source), ["f()", "g()"]);
        assert_eq!(problems(source), [ProblemKind::HidesCode]);
    }

    #[track_caller]
    fn finds(source: &str, calls: usize, problems: &[ProblemKind]) {
        let facts = facts(source);
        assert_eq!(facts.calls().len(), calls);
        let mut found: Vec<_> = facts.problems.iter().map(|problem| problem.kind).collect();
        found.dedup();
        assert_eq!(found, problems);
    }

    #[test]
    fn long_chains_are_not_deep() {
        finds(&format!("x = 1{}", " + f(1)".repeat(2_000)), 2_000, &[]);
        finds(&format!("x = 1{}", " + f() - g()".repeat(1_000)), 2_000, &[]);
        finds(&format!("x = a{}", " and f(1)".repeat(2_000)), 2_000, &[]);
        finds(&format!("if a: f()\n{}", "elif b: g()\n".repeat(10_000)), 10_001, &[]);
        finds(&format!("x = {} f()", "a if g() else ".repeat(1_000)), 1_001, &[]);
        let text = format!("f({})", "'a' ".repeat(10_000));
        assert_eq!(facts(&text).arenas.expr_count(), 4);
    }

    #[test]
    fn what_is_too_deep_is_reported_and_its_calls_are_kept() {
        let deep = &[ProblemKind::TooDeep];
        finds(&format!("x = a{}", ".b(c())".repeat(1_000)), 2_000, deep);
        finds(&format!("x = a{}", ".b(c())".repeat(10_000)), 20_000, deep);
        finds(&format!("x = 1{}", " + f(1)".repeat(100_000)), 100_000, deep);
        finds(&format!("x = {}f(){}", "(".repeat(100_000), ")".repeat(100_000)), 1, deep);
        finds(&format!("x = a{}", " and f(1)".repeat(10_000)), 10_000, deep);
        finds(&format!("x = {} f()", "a if g() else ".repeat(10_000)), 10_001, deep);
        finds(&format!("x = a{}", ".b()".repeat(100_000)), 100_000, deep);
        finds(&format!("x = {}1{}", "f(".repeat(5_000), ")".repeat(5_000)), 5_000, deep);
        finds(&format!("x = {}f()", "lambda: ".repeat(5_000)), 1, deep);
        finds(&format!("x = [f() {}]", "for a in g() ".repeat(5_000)), 5_001, deep);
        finds(&format!("{}f()", "a = ".repeat(5_000)), 1, deep);
        finds(&format!("x = {}f(){}", "[".repeat(100_000), "]".repeat(100_000)), 1, deep);
        finds(&format!("x = {}f()", "not ".repeat(10_000)), 1, deep);
        assert_eq!(calls(&format!("x = {}b()", "a.".repeat(5_000))).len(), 1);
    }

    #[test]
    fn parentheses_are_not_nesting() {
        finds(&format!("x = {}f(){}", "(".repeat(1_000), ")".repeat(1_000)), 1, &[]);
        let cases = format!("match x:\n    case {}y{}: f()", "(".repeat(1_000), ")".repeat(1_000));
        finds(&cases, 1, &[]);
    }

    #[test]
    fn blocks_nest_as_deep_as_python_allows() {
        let open = (0..90).map(|level| format!("{}if f():\n", " ".repeat(level)));
        finds(&format!("{}{}g()\n", open.collect::<String>(), " ".repeat(90)), 91, &[]);
    }

    #[test]
    fn a_head_belongs_to_the_function_around() {
        let facts = facts("def f(a=g()):\n    def h(b=i()): j()\n    return h\nk()\n");
        let function_of = |name: &str| {
            let is_callee = |callee| *facts.expr(callee) == Expr::Free(sym(&facts, name));
            let mut sites = facts.calls().iter();
            let site = sites.find(
                |site| matches!(*facts.expr(site.expr), Expr::Call { callee, .. } if is_callee(callee)),
            );
            site.map(|site| site.function.0)
        };
        assert_eq!(["g", "i", "j", "k"].map(function_of), [Some(0), Some(1), Some(2), Some(0)]);
    }

    fn sym(facts: &Facts, name: &str) -> Sym {
        let position = facts.strings.iter().position(|string| string == name);
        Sym(position.map_or(u32::MAX, |position| position as u32))
    }
}
