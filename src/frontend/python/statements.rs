//! Statements: what runs in a row. Each pushes what it becomes onto the list of the block around it.

use super::kind::Kind;
use super::problems::is_keyword;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Jump, ListOf, Lit, ProblemKind, Span};

impl Lowerer<'_> {
    pub(super) fn block(&mut self, node: Node<'_>) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep(node);
        }
        self.depth += 1;
        let base = self.exprs.len();
        for child in node.all_children() {
            self.statement(child);
        }
        self.depth -= 1;
        let body = self.take_exprs(base);
        self.add(Expr::Block(body), self.span(node))
    }

    /// A file of which the parser understood nothing as a whole.
    pub(super) fn block_of_error(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let base = self.exprs.len();
        self.statement(node);
        self.depth -= 1;
        let body = self.take_exprs(base);
        self.add(Expr::Block(body), self.span(node))
    }

    /// The block of a clause, which the parser leaves out if the clause is broken.
    pub(super) fn block_of(&mut self, clause: Node<'_>) -> ExprId {
        match clause.child_of(Kind::Block) {
            Some(block) => self.block(block),
            None => self.empty(clause),
        }
    }

    pub(super) fn empty(&mut self, node: Node<'_>) -> ExprId {
        self.add(Expr::Block(ListOf::EMPTY), self.span(node))
    }

    pub(super) fn statement(&mut self, node: Node<'_>) {
        self.statement_proper(node);
        self.errors(node);
    }

    /// What the parser could not fit into the statement runs behind it.
    pub(super) fn errors(&mut self, node: Node<'_>) {
        for error in self.tree.errors_of(node) {
            let error = self.error(error);
            self.exprs.push(error);
        }
    }

    fn statement_proper(&mut self, node: Node<'_>) {
        let made = match node.kind() {
            Kind::ExpressionStatement => return self.expression_statement(node),
            Kind::Import | Kind::ImportFrom => return self.import(node),
            Kind::FunctionDefinition | Kind::ClassDefinition | Kind::DecoratedDefinition => {
                return self.definition(node);
            }
            Kind::Delete => return self.delete(node),
            Kind::Assert => return self.assert(node),
            Kind::Raise => return self.raise(node),
            Kind::Global | Kind::Nonlocal => return self.scope_statement(node),
            Kind::TypeAlias => return self.type_alias(node),
            Kind::Pass | Kind::FutureImport | Kind::Error | Kind::Comma => return,
            Kind::Return => self.return_statement(node),
            Kind::Break => self.jump_out(node, Jump::Break),
            Kind::Continue => self.jump_out(node, Jump::Continue),
            Kind::If => self.if_statement(node),
            Kind::For => self.for_statement(node),
            Kind::While => self.while_statement(node),
            Kind::Try => self.try_statement(node),
            Kind::With => self.with_statement(node),
            Kind::Match => self.match_statement(node),
            Kind::Print => self.print_statement(node),
            Kind::Exec => self.exec_statement(node),
            Kind::Block => self.block(node),
            _ => self.expression(node),
        };
        self.exprs.push(made);
    }

    fn expression_statement(&mut self, node: Node<'_>) {
        let mut parts = node.children().filter(|n| n.kind() != Kind::Comma);
        let Some(first) = parts.next() else { return };
        let made = match first.kind() {
            Kind::Assignment | Kind::AugmentedAssignment => self.assignment(first),
            _ if node.children().any(|n| n.kind() == Kind::Comma) => self.sequence(node),
            _ => self.expression(first),
        };
        self.exprs.push(made);
    }

    fn return_statement(&mut self, node: Node<'_>) -> ExprId {
        let value = node.child(0).map(|value| self.nested(value));
        self.add(Expr::Jump { kind: Jump::Return, value }, self.span(node))
    }

    /// An expression one level below the node that will hold it.
    pub(super) fn nested(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 1;
        let made = self.expression(node);
        self.depth -= 1;
        made
    }

    /// The body of a lambda.
    pub(super) fn returned(&mut self, node: Node<'_>) -> ExprId {
        self.depth += 2;
        let value = self.expression(node);
        self.depth -= 2;
        let span = self.span(node);
        let jump = self.add(Expr::Jump { kind: Jump::Return, value: Some(value) }, span);
        let body = self.list(&[jump]);
        self.add(Expr::Block(body), span)
    }

    fn jump_out(&mut self, node: Node<'_>, kind: fn(crate::ir::Label) -> Jump) -> ExprId {
        let expr = match self.loops.last() {
            Some(&label) => Expr::Jump { kind: kind(label), value: None },
            None => Expr::Opaque(ListOf::EMPTY),
        };
        self.add(expr, self.span(node))
    }

    /// The cause is kept as a statement of its own, before the jump.
    fn raise(&mut self, node: Node<'_>) {
        let mut parts = node.children();
        let mut value = None;
        if let Some(part) = parts.next() {
            if part.kind() == Kind::From {
                self.aside(parts.next());
            } else {
                let rest: Vec<_> = parts.filter(|n| n.kind() != Kind::From).collect();
                for n in rest {
                    self.aside(Some(n));
                }
                value = Some(self.nested(part));
            }
        }
        let made = self.add(Expr::Jump { kind: Jump::Raise, value }, self.span(node));
        self.exprs.push(made);
    }

    /// The message is kept as a statement of its own, before the assertion.
    fn assert(&mut self, node: Node<'_>) {
        let mut parts = node.children().filter(|n| n.kind() != Kind::Comma);
        let value = parts.next();
        for message in parts {
            self.aside(Some(message));
        }
        let value = value.map(|value| self.nested(value));
        let made = self.add(Expr::Jump { kind: Jump::Assert, value }, self.span(node));
        self.exprs.push(made);
    }

    /// Keeps what has no place in the core language, unless it is only a name or a constant.
    pub(super) fn aside(&mut self, node: Option<Node<'_>>) -> Option<ExprId> {
        let node = node?;
        let made = self.nested(node);
        if !matches!(self.arenas.expr(made), Expr::Lit(_) | Expr::Free(_) | Expr::Var(_)) {
            let children = self.list(&[made]);
            let aside = self.add(Expr::Opaque(children), self.span(node));
            self.exprs.push(aside);
        }
        Some(made)
    }

    fn scope_statement(&mut self, node: Node<'_>) {
        for name in node.children().filter(|n| n.kind() == Kind::Identifier) {
            let name = self.ident(name.text());
            if node.kind() == Kind::Global {
                self.scopes.declare_global(name);
            } else {
                self.scopes.declare_nonlocal(name);
            }
        }
    }

    fn print_statement(&mut self, node: Node<'_>) -> ExprId {
        let callee = self.keyword_callee(node, "print");
        let base = self.args.len();
        for part in node.children().filter(|n| n.kind() != Kind::Comma) {
            let (kind, value) = match part.kind() {
                Kind::Chevron => (ArgKind::Named(self.names.intern("file")), part.children().last()),
                _ => (ArgKind::Positional, Some(part)),
            };
            if let Some(value) = value {
                let value = self.nested(value);
                self.args.push(Arg { kind, value });
            }
        }
        self.call_with(callee, base, self.span(node))
    }

    fn exec_statement(&mut self, node: Node<'_>) -> ExprId {
        let callee = self.keyword_callee(node, "exec");
        let base = self.args.len();
        for part in node.children().filter(|n| !matches!(n.kind(), Kind::Comma | Kind::In)) {
            let value = self.nested(part);
            self.args.push(Arg { kind: ArgKind::Positional, value });
        }
        self.call_with(callee, base, self.span(node))
    }

    /// A statement that later became a function is a call of it.
    fn keyword_callee(&mut self, node: Node<'_>, name: &str) -> ExprId {
        let span = self.span_of(node.lo(), node.lo() + name.len() as u32);
        let name = self.names.intern(name);
        self.add(Expr::Free(name), span)
    }

    /// An error: whatever the parser saw inside it.
    fn error(&mut self, node: Node<'_>) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep(node);
        }
        self.depth += 1;
        let base = self.exprs.len();
        for child in node.children() {
            let made = self.anything(child);
            let made = self.lost_call(child, made);
            self.exprs.push(made);
        }
        self.depth -= 1;
        let children = self.take_exprs(base);
        self.add(Expr::Opaque(children), self.span(node))
    }

    /// A name before a parenthesis that was never closed is a call all the same.
    fn lost_call(&mut self, node: Node<'_>, made: ExprId) -> ExprId {
        let text = self.tree.text();
        let before = text.get(..node.lo() as usize).unwrap_or_default().trim_end();
        let after = text.get(node.hi() as usize..).unwrap_or_default();
        let gap = after.len() - after.trim_start_matches([' ', '\t']).len();
        let is_callable =
            matches!(node.kind(), Kind::Identifier | Kind::Attribute) && !is_keyword(node.text());
        let is_definition = before.ends_with("def") || before.ends_with("class");
        if !is_callable || is_definition || !after[gap..].starts_with('(') {
            return made;
        }
        let span = Span { lo: node.lo(), hi: node.hi() + gap as u32 + 1 };
        self.call_with(made, self.args.len(), span)
    }

    /// A node out of its place: a statement, an expression, or a clause whose parts are kept.
    pub(super) fn anything(&mut self, node: Node<'_>) -> ExprId {
        if self.depth >= DEEPEST {
            return self.too_deep(node);
        }
        let base = self.exprs.len();
        self.depth += 1;
        if node.kind().is_statement() {
            self.statement_proper(node);
        } else if node.kind().is_expression() {
            let made = self.expression(node);
            self.exprs.push(made);
        } else {
            for child in node.children().filter(|n| !n.kind().is_token()) {
                let made = self.anything(child);
                self.exprs.push(made);
            }
        }
        self.depth -= 1;
        if self.exprs.len() == base + 1
            && let Some(only) = self.exprs.pop()
        {
            return only;
        }
        let children = self.take_exprs(base);
        self.add(Expr::Opaque(children), self.span(node))
    }

    /// Stops going deeper: the calls below stand side by side, without their arguments.
    pub(super) fn too_deep(&mut self, node: Node<'_>) -> ExprId {
        let span = self.span(node);
        self.problem(span, ProblemKind::TooDeep);
        let base = self.exprs.len();
        for call in node.descendants().filter(|n| n.kind() == Kind::Call) {
            let callee = self.flat_callee(call);
            self.see(call);
            let made = self.call_with(callee, self.args.len(), self.span(call));
            self.exprs.push(made);
        }
        let calls = self.take_exprs(base);
        self.add(Expr::Opaque(calls), span)
    }

    fn flat_callee(&mut self, call: Node<'_>) -> ExprId {
        let Some(callee) = call.child(0) else { return self.empty(call) };
        let span = self.span(callee);
        match callee.kind() {
            Kind::Identifier => self.name(callee.text(), span),
            Kind::Attribute if callee.is_leaf() => self.dotted(callee.text(), callee.lo(), 4),
            Kind::Attribute => {
                let base = self.add(Expr::Opaque(ListOf::EMPTY), span);
                let name = callee.children().last().map_or("", |n| n.text());
                let name = self.ident(name);
                self.add(Expr::Field { base, name }, span)
            }
            _ => self.add(Expr::Opaque(ListOf::EMPTY), span),
        }
    }

    pub(super) fn none(&mut self, span: Span) -> ExprId {
        self.add(Expr::Lit(Lit::None), span)
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{calls, check, dump, problems};
    use crate::ir::ProblemKind;

    #[test]
    fn jumps_and_asides() {
        check("raise E(a) from f(b)", "(opaque (call @f @b))\n(raise (call @E @a))");
        check("raise E from e", "(raise @E)");
        check("raise", "(raise)");
        check("assert a, f(b)", "(opaque (call @f @b))\n(assert @a)");
        check("break", "(opaque)");
        check("a, b()", "(seq @a (call @b))");
        check("a,", "(seq @a)");
        check("pass; a; b", "@a\n@b");
        check(
            "while a:\n  while b: break\n  else: continue",
            "(loop L0 (while @a) (block
             (loop L1 (while @b) (block
             (break L1)) (else (block
             (continue L0))))))",
        );
    }

    #[test]
    fn old_statements_are_calls() {
        check("print 'a', f(x)", "(call @print \"a\" (call @f @x))");
        check("print >>g, x", "(call @print file=@g @x)");
        check("exec code in a, b", "(call @exec @code @a @b)");
        check("x = `f(y)`", "(bind x.0 (call @repr (call @f @y)))");
    }

    #[test]
    fn errors_keep_their_calls() {
        let conflict = "<<<<<<< a\nf()\n=======\ng()\n>>>>>>> b\nh()\n";
        assert_eq!(calls(conflict), ["f()", "g()", "h()"]);
        assert_eq!(calls("lazy import os\nf()\n"), ["f()"]);
        assert_eq!(problems("lazy import os\nf()\n"), [ProblemKind::LocalSyntax]);
        let defaults = "def f[T = int](x: T) -> T: return g()\n";
        assert_eq!(calls(defaults), ["g()"]);
        assert_eq!(problems(defaults), [ProblemKind::LocalSyntax]);
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
