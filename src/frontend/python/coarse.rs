//! Files that ruff's parser rejects: tree-sitter says where things are. Functions, classes, imports and every call are kept, and
//! the order in which they run; operators, comprehensions and patterns are only what they hold. Python 2 is read so, too.

mod control;
mod items;
pub(super) mod text;
mod values;

use std::cell::OnceCell;

use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;

use super::kind::{Kind, Node, Tree};
use super::{Code, DEEPEST, Lowerer, confusables, notes_in};
use crate::frontend::sitter;
use crate::ir::{Expr, ExprId, Facts, Jump, Lang, Problem, ProblemKind, Span};

/// Lowers a file that was rejected for this reason.
pub(super) fn lower(text: &str, rejected: Problem) -> Facts {
    let clean = text::clean(text);
    let tree: Option<Tree<'_>> = sitter::parse(&clean, Lang::Python);
    of_tree(&clean, tree.as_ref(), rejected)
}

/// `tree` is `None` if the budget of the parser ran out.
fn of_tree(text: &str, tree: Option<&Tree<'_>>, rejected: Problem) -> Facts {
    let nothing = parse_unchecked_source("", PySourceType::Python);
    let strings = OnceCell::new();
    let lowerer = Lowerer::new(text, nothing.tokens(), &strings);
    let root = tree.and_then(Tree::root);
    let mut facts = lowerer.run(root.map_or(Code::Block(&[]), Code::Coarse));
    let Some(tree) = tree else {
        let span = Span { lo: 0, hi: text.len() as u32 };
        facts.problems.push(Problem { span, kind: ProblemKind::Budget });
        return facts;
    };
    facts.notes = notes_in(text, tree.comments.iter().copied());
    facts.confusables = confusables::of_tree(tree, &facts);
    if !facts.problems.iter().any(|problem| problem.kind == rejected.kind) {
        facts.problems.push(rejected);
    }
    facts
}

impl<'t> Lowerer<'t> {
    /// What a module, a function, a class or a lambda runs.
    pub(super) fn coarse_body(&mut self, node: Node<'t>) -> ExprId {
        match node.kind() {
            Kind::Lambda => {
                self.depth += 2;
                let parts: Vec<_> = node.all_children().filter(|n| n.kind() != Kind::Parameters).collect();
                let value = self.coarse_values(&parts, node.span());
                self.depth -= 2;
                let jump = self.add(Expr::Jump { kind: Jump::Return, value: Some(value) }, node.span());
                let body = self.list(&[jump]);
                self.add(Expr::Block(body), node.span())
            }
            // The whole file may be an error.
            Kind::Module | Kind::Error => {
                let base = self.exprs.len();
                self.depth += 1;
                self.coarse_parts(node);
                self.depth -= 1;
                let body = self.take_exprs(base);
                self.add(Expr::Block(body), node.span())
            }
            _ => self.coarse_block(node),
        }
    }

    /// The statements of a clause; a broken clause may have several blocks, or none.
    pub(super) fn coarse_block(&mut self, clause: Node<'t>) -> ExprId {
        let base = self.exprs.len();
        let mut span = None;
        self.depth += 1;
        for block in clause.all_children().filter(|n| n.kind() == Kind::Block) {
            span = Some(span.map_or(block.span(), |first: Span| Span { lo: first.lo, hi: block.hi() }));
            self.coarse_parts(block);
        }
        self.depth -= 1;
        let body = self.take_exprs(base);
        self.add(Expr::Block(body), span.unwrap_or(clause.span()))
    }

    /// A statement, or anything else out of its place.
    pub(super) fn coarse_statement(&mut self, node: Node<'t>) {
        if !node.kind().is_statement() {
            let made = self.value(node);
            return self.exprs.push(made);
        }
        if self.depth >= DEEPEST {
            let made = self.coarse_too_deep(node);
            return self.exprs.push(made);
        }
        self.depth += 1;
        self.coarse_statement_here(node);
        self.depth -= 1;
    }

    fn coarse_statement_here(&mut self, node: Node<'t>) {
        let span = node.span();
        let made = match node.kind() {
            Kind::Nothing => {
                let errors = node.all_children().filter(|n| n.kind() == Kind::Error);
                return errors.for_each(|error| self.coarse_statement(error));
            }
            Kind::Block => return self.coarse_parts(node),
            Kind::Decorated => return self.coarse_decorated(node),
            Kind::Function => return self.coarse_function(node, &[]),
            Kind::Class => return self.coarse_class(node, &[]),
            Kind::Import => return self.coarse_import(node),
            Kind::ImportFrom => return self.coarse_import_from(node),
            Kind::Global | Kind::Nonlocal => return self.coarse_scope(node),
            Kind::Return => self.coarse_jump(node, Jump::Return),
            Kind::Raise => self.coarse_jump(node, Jump::Raise),
            Kind::Assert => self.coarse_jump(node, Jump::Assert),
            Kind::Break => self.jump_out(Jump::Break, span),
            Kind::Continue => self.jump_out(Jump::Continue, span),
            Kind::If => self.coarse_if(node),
            Kind::Match => self.coarse_match(node),
            Kind::For => self.coarse_for(node),
            Kind::While => self.coarse_while(node),
            Kind::Try => self.coarse_try(node),
            Kind::With => self.coarse_with(node),
            Kind::Print => self.old_statement(node, "print"),
            Kind::Exec => self.old_statement(node, "exec"),
            _ => self.coarse_opaque(node),
        };
        self.exprs.push(made);
    }

    /// All that a node holds, as statements of the block around.
    pub(super) fn coarse_parts(&mut self, node: Node<'t>) {
        let mut open: Vec<Node<'t>> = Vec::new();
        for child in node.all_children() {
            open.push(child);
            while let Some(part) = open.pop() {
                // The parts of a long row of operators stand side by side.
                if part.kind() == Kind::Operator {
                    let first = open.len();
                    open.extend(part.all_children());
                    open[first..].reverse();
                    continue;
                }
                self.coarse_statement(part);
                if node.kind() == Kind::Error {
                    self.lost_call(part);
                }
            }
        }
    }

    /// Not understood, and what it holds.
    pub(super) fn coarse_opaque(&mut self, node: Node<'t>) -> ExprId {
        let base = self.exprs.len();
        self.coarse_parts(node);
        let parts = self.take_exprs(base);
        self.add(Expr::Opaque(parts), node.span())
    }

    /// A name before a parenthesis that was never closed is a call all the same.
    fn lost_call(&mut self, node: Node<'t>) {
        let before = self.text.get(..node.lo() as usize).unwrap_or_default().trim_end();
        let after = self.text.get(node.hi() as usize..).unwrap_or_default();
        let gap = after.len() - after.trim_start_matches([' ', '\t']).len();
        let is_callable =
            matches!(node.kind(), Kind::Identifier | Kind::Attribute) && !text::is_keyword(node.text());
        let is_definition = before.ends_with("def") || before.ends_with("class");
        if is_callable
            && !is_definition
            && after[gap..].starts_with('(')
            && let Some(callee) = self.exprs.pop()
        {
            let span = Span { lo: node.lo(), hi: node.hi() + gap as u32 + 1 };
            let made = self.call_with(callee, self.args.len(), span);
            self.exprs.push(made);
        }
    }

    /// Stops going deeper: the calls below stand side by side, without their arguments.
    pub(super) fn coarse_too_deep(&mut self, node: Node<'t>) -> ExprId {
        self.problem(node.span(), ProblemKind::TooDeep);
        let base = self.exprs.len();
        for call in node.descendants() {
            let callee = match call.kind() {
                Kind::Call => self.coarse_callee(call),
                Kind::Print => self.keyword_callee(call, "print"),
                Kind::Exec => self.keyword_callee(call, "exec"),
                _ => continue,
            };
            let made = self.call_with(callee, self.args.len(), call.span());
            self.exprs.push(made);
        }
        let calls = self.take_exprs(base);
        self.add(Expr::Opaque(calls), node.span())
    }

    /// A name, or a name of something.
    fn coarse_callee(&mut self, call: Node<'t>) -> ExprId {
        let Some(callee) = call.all_children().next() else { return self.opaque(call.span()) };
        let mut parts = callee.all_children();
        match (callee.kind(), parts.next(), parts.next()) {
            (Kind::Identifier, ..) => self.name(callee.text(), callee.span()),
            (Kind::Attribute, Some(of), Some(name)) => {
                let base = match of.kind() {
                    Kind::Identifier => self.name(of.text(), of.span()),
                    _ => self.opaque(of.span()),
                };
                let name = self.ident(name.text());
                self.add(Expr::Field { base, name }, callee.span())
            }
            _ => self.opaque(callee.span()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::MAX_DEPTH;
    use crate::frontend::python::testing::{calls, check, check_all, dump, problems};

    #[test]
    fn a_file_beyond_the_budget_is_an_empty_module_and_a_problem() {
        let rejected = Problem { span: Span { lo: 0, hi: 1 }, kind: ProblemKind::HidesCode };
        let mut facts = of_tree("f()\n", None, rejected);
        facts.seal();
        assert_eq!(facts.check(MAX_DEPTH), Ok(()));
        assert_eq!((facts.calls().len(), facts.is_partial()), (0, true));
    }

    #[test]
    fn old_statements_are_calls() {
        check("print 'a', f(x)", "(call @print \"a\" (call @f @x))");
        check("exec code in a, b", "(call @exec @code @a @b)");
        check("x = `f(y)`", "(bind x.0 (call @repr (call @f @y)))");
        check(
            "try: exec f\nexcept (A, B), e: g(e)\nexcept A: raise",
            "(try (block
             (call @exec @f)) (except (@A @B) e.0 (block
             (call @g e.0))) (except (@A) (block
             (raise))))",
        );
        assert_eq!(problems("print 'a'"), [ProblemKind::HidesCode]);
    }

    #[test]
    fn items_keep_their_names() {
        check_all(
            "print 1\nfrom ..a . b import c as d, e\nimport f.g\n@h(1)\nclass A(B, m=c):\n  x: T = 1\n  async def i(self, j, k=2, *l, m, **n):\n    return lambda o: self.j(o)\n",
            "import 0 ..a.b name c in 0
             import 1 ..a.b name e in 0
             import 2 f.g root in 0
             fn 0 module \"\" in 0 () export d=d.0 export e=e.1 export f=f.2 export A=A.3 line 1
             (block
             (call @print 1)
             (bind d.0 (import 0))
             (bind e.1 (import 1))
             (bind f.2 (import 2))
             (bind A.3 (class 0)))
             class 0 decorators ((call @h 1)) bases (@B)
             fn 1 class-body \"A\" in 0 () export x=x.0 export i=i.1 line 5
             (block
             (bind x.0 (ascribe 1 @T))
             (bind i.1 (fn 2)))
             fn 2 plain \"i\" async in 1 (self.0, j.1, k.2 = 2, *l.3, keyword m.4, **n.5) line 7
             (block
             (return (fn 3)))
             fn 3 lambda \"\" in 2 (o.0) capture self.1=0 line 8
             (block
             (return (call (. self.1 j) o.0)))
             problem HidesCode 6..7 \"1\"",
        );
    }

    #[test]
    fn what_runs_is_kept_in_order() {
        check(
            "print 1\nif not a(): return\nelif b and c(d.e['f'], *g, h=i): j\nelse: k",
            "(call @print 1)
             (if ((not (call @a)) (block
             (return))) ((opaque @b (call @c (index (. @d e) \"f\") *@g h=@i)) (block
             @j)) (else (block
             @k)))",
        );
        check(
            "print 1\nfor a, (b, *c) in d(): break\nelse: e\nwhile f(): continue",
            "(call @print 1)
             (loop L0 (each [a.0 [b.1 *c.2]] (call @d)) (block
             (break L0)) (else (block
             @e)))
             (loop L1 (while (call @f)) (block
             (continue L1)))",
        );
        check(
            "print 1\nwith a() as b, c: d(b)\nx.y = z = f'a{b!r}c'\nx += 1",
            "(call @print 1)
             (with (call @a) as b.0 (with @c (block
             (call @d b.0))))
             (store (. @x y) (bind z.1 (text \"a\" b.0 \"c\")))
             (bind x.2 (opaque @x 1))",
        );
    }

    #[test]
    fn errors_keep_their_calls() {
        let conflict = "<<<<<<< a\nf()\n=======\ng()\n>>>>>>> b\nh()\n";
        assert_eq!(calls(conflict), ["f()", "g()", "h()"]);
        assert_eq!(calls("def f(a=g()) h: i(\n1)\nj()\n"), ["g()", "j()", "i(\n1)"]);
        assert_eq!(problems("f() )\ng()\n"), [ProblemKind::HidesCode]);
        let unclosed = "f(a, g(b)\nh(1)\nx = k()\n";
        for call in ["f(", "g(b)", "h(", "k()"] {
            assert!(calls(unclosed).iter().any(|found| found == call), "{call} of {:?}", calls(unclosed));
        }
        assert!(problems(unclosed).contains(&ProblemKind::HidesCode));
    }

    #[test]
    fn a_definition_inside_an_error_is_a_definition() {
        assert!(calls("x = (1,\ndef f():\n    return g()\n").contains(&"g()".to_owned()));
        assert!(dump("x = )\nclass A:\n  def f(self):\n    return g()\n").contains("plain \"f\" in 1"));
    }

    #[test]
    fn what_is_swallowed_is_reported() {
        for source in ["x = '''abc\nf()\n", "x = 'abc\nf()\n", "f('''\n", "x = f\"{a\n"] {
            assert!(problems(source).contains(&ProblemKind::HidesCode), "{source:?}: {:?}", problems(source));
        }
    }
}
