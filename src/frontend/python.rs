//! Python: text to facts. This file owns the lowerer's state and the order of its work; what one construct means is said in
//! the files below, one per family of constructs. Nothing here names a parser.

mod annotations;
mod assignments;
mod calls;
mod comprehensions;
mod confusables;
mod control;
mod definitions;
mod expressions;
mod imports;
mod kind;
pub(super) mod literals;
mod matching;
mod operators;
mod parameters;
mod patterns;
mod problems;
#[cfg(test)]
mod properties;
pub(super) mod scope;
pub(super) mod spelling;
mod statements;
mod strings;
#[cfg(test)]
pub(super) mod testing;

use std::num::NonZeroU32;

pub(super) use self::kind::Kind;
use self::scope::Scopes;
use super::{MAX_DEPTH, names, sitter, tree, webs};
use crate::ir::arena::Arenas;
use crate::ir::{
    Arg, Class, Expr, ExprId, ExprRange, Facts, Func, Function, Import, Items, Label, Lang, ListOf, MODULE,
    Problem, ProblemKind, Site, Span, Stored, Strings, Sym, When,
};

type Tree<'s> = tree::Tree<'s, Kind>;
type Node<'t> = tree::Node<'t, Kind>;

/// Where lowering stops to go deeper: what replaces the rest is itself a few levels deep.
const DEEPEST: usize = MAX_DEPTH - 8;

/// Lowers one file. Never fails: what cannot be understood is `Opaque` and a problem.
pub fn lower(text: &str) -> Facts {
    let clean = problems::clean(text);
    let mut facts = match sitter::parse(&clean, Lang::Python) {
        Some(tree) => {
            let mut facts = Lowerer::new(&tree).run();
            facts.confusables = confusables::of_tree(&tree, &facts);
            facts
        }
        None => out_of_budget(text),
    };
    problems::of_text(text, &mut facts.problems);
    facts.problems.sort();
    webs::split(&mut facts);
    facts.seal();
    debug_assert_eq!(facts.check(MAX_DEPTH), Ok(()));
    facts
}

fn out_of_budget(text: &str) -> Facts {
    let mut facts = Lowerer::new(&Tree::new("")).run();
    let span = Span { lo: 0, hi: text.len() as u32 };
    facts.problems.push(Problem { span, kind: ProblemKind::Budget });
    facts.items_mut().functions[0].span = span;
    facts
}

struct Lowerer<'t> {
    tree: &'t Tree<'t>,
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
    bodies: Vec<Body>,
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
    /// By node of the file's tree, whether it is a call that was lowered.
    seen: Vec<bool>,
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
            seen: vec![false; tree.len()],
            exprs: Vec::new(),
            args: Vec::new(),
        }
    }

    fn run(mut self) -> Facts {
        self.arenas.reserve(self.tree.len() * 2 / 3);
        problems::of_tree(self.tree, &mut self.problems);
        self.declare_module();
        let mut next = 0;
        while next < self.bodies.len() {
            self.lower_body(Func(next as u32));
            next += 1;
        }
        self.finish()
    }

    fn lower_body(&mut self, id: Func) {
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
        self.report_lost_calls();
        for (function, scope) in self.functions.iter_mut().zip(self.scopes.finish()) {
            function.vars = self.arenas.add_list(&scope.vars);
            function.captures = self.arenas.add_list(&scope.captures);
            function.exports = self.arenas.add_list(&scope.exports);
        }
        let notes = self.tree.comments.iter().copied().filter(|&span| {
            let text = self.tree.text().get(span.lo as usize..span.hi as usize);
            text.is_some_and(|text| text.contains("gatelint:"))
        });
        let items = Items {
            imports: self.imports,
            classes: self.classes,
            functions: self.functions,
            calls: self.calls,
        };
        let facts = Facts::new(Lang::Python, items, self.arenas, self.names);
        Facts { notes: notes.collect(), problems: self.problems, ..facts }
    }

    /// Broken code can put a call where nothing looks for one. That must not pass in silence.
    fn report_lost_calls(&mut self) {
        for node in self.tree.root().into_iter().flat_map(|root| root.descendants()) {
            if node.kind() == Kind::Call && !self.seen[node.index() as usize] {
                self.problems.push(Problem { span: node.span(), kind: ProblemKind::HidesCode });
            }
        }
    }

    /// Notes that a call of the file's tree is lowered.
    fn see(&mut self, call: Node<'_>) {
        if matches!(self.spans, SpanSource::Nodes) {
            self.seen[call.index() as usize] = true;
        }
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
    fn a_file_beyond_the_budget_is_an_empty_module_and_a_problem() {
        let facts = super::out_of_budget("f()\n");
        assert_eq!(facts.check(crate::frontend::MAX_DEPTH), Ok(()));
        assert_eq!((facts.calls().len(), facts.is_partial()), (0, true));
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
        assert_eq!(facts.problems.iter().map(|problem| problem.kind).collect::<Vec<_>>(), problems);
    }

    #[test]
    fn long_chains_are_not_deep() {
        finds(&format!("x = 1{}", " + f(1)".repeat(100_000)), 100_000, &[]);
        finds(&format!("x = 1{}", " + f() - g()".repeat(1_000)), 2_000, &[]);
        finds(&format!("x = a{}", " and f(1)".repeat(10_000)), 10_000, &[]);
        finds(&format!("if a: f()\n{}", "elif b: g()\n".repeat(10_000)), 10_001, &[]);
        finds(&format!("x = {} f()", "a if g() else ".repeat(10_000)), 10_001, &[]);
        let text = format!("f({})", "'a' ".repeat(10_000));
        assert_eq!(facts(&text).arenas.expr_count(), 4);
    }

    #[test]
    fn what_is_too_deep_is_reported_and_its_calls_are_kept() {
        let deep = &[ProblemKind::TooDeep];
        finds(&format!("x = a{}", ".b(c())".repeat(10_000)), 20_000, deep);
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
        finds(&format!("x = {}f(){}", "(".repeat(100_000), ")".repeat(100_000)), 1, &[]);
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
