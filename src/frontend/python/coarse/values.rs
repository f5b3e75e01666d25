//! Expressions as tree-sitter sees them: names, attributes, calls and texts mean what they mean, of others their parts are kept.

use crate::frontend::python::kind::{Kind, Node};
use crate::frontend::python::literals::{decode, integer, unquote};
use crate::frontend::python::{Code, DEEPEST, Lowerer};
use crate::ir::{Arg, ArgKind, Expr, ExprId, FnKind, Lit, Pat, PatId, RestAt, Span};

impl<'t> Lowerer<'t> {
    pub(super) fn value(&mut self, node: Node<'t>) -> ExprId {
        let node = bare(node);
        if self.depth >= DEEPEST {
            return self.coarse_too_deep(node);
        }
        self.depth += 1;
        let made = self.value_here(node);
        self.depth -= 1;
        made
    }

    /// One value, or what several hold.
    pub(super) fn coarse_values(&mut self, parts: &[Node<'t>], span: Span) -> ExprId {
        if let [only] = parts {
            return self.value(*only);
        }
        let base = self.exprs.len();
        self.depth += 1;
        parts.iter().for_each(|part| self.coarse_statement(*part));
        self.depth -= 1;
        let parts = self.take_exprs(base);
        self.add(Expr::Opaque(parts), span)
    }

    fn value_here(&mut self, node: Node<'t>) -> ExprId {
        let span = node.span();
        match (node.kind(), pair(node)) {
            (Kind::Identifier, _) => self.name(node.text(), span),
            (Kind::Attribute, Some((of, name))) if name.kind() == Kind::Identifier => {
                let base = self.value(of);
                let name = self.ident(name.text());
                self.add(Expr::Field { base, name }, span)
            }
            (Kind::Call, _) => self.coarse_call(node),
            (Kind::Subscript, Some((of, key))) => {
                let base = self.value(of);
                let key = self.value(key);
                self.add(Expr::Index { base, key }, span)
            }
            (Kind::Constant, _) => self.constant(constant(node.text()), span),
            (Kind::Integer, _) => self.constant(integer(node.text()), span),
            (Kind::Text, _) if node.is_leaf() => self.coarse_text(node.text(), span),
            (Kind::Text | Kind::Texts, _) => self.coarse_template(node),
            (Kind::Sequence, _) => {
                let base = self.exprs.len();
                self.coarse_parts(node);
                let items = self.take_exprs(base);
                self.add(Expr::Seq(items), span)
            }
            (Kind::Assignment | Kind::Augmented, _) => self.coarse_assignment(node),
            (Kind::Bound, Some((value, target))) => {
                let value = self.value(value);
                self.give(target, value, span)
            }
            (Kind::Lambda, _) => self.coarse_lambda(node),
            (Kind::Yield, _) => {
                self.functions[self.here.0 as usize].is_generator = true;
                let parts: Vec<_> = node.all_children().collect();
                let value = (!parts.is_empty()).then(|| self.coarse_values(&parts, span));
                self.add(Expr::Yield { value, delegate: false }, span)
            }
            (Kind::Await | Kind::Not | Kind::Spread | Kind::SpreadNamed, _) => self.coarse_wrap(node),
            _ => self.coarse_opaque(node),
        }
    }

    fn coarse_wrap(&mut self, node: Node<'t>) -> ExprId {
        let parts: Vec<_> = node.all_children().collect();
        let inner = self.coarse_values(&parts, node.span());
        let made = match node.kind() {
            Kind::Await => Expr::Await(inner),
            Kind::Not => Expr::Not(inner),
            _ => Expr::Spread(inner),
        };
        self.add(made, node.span())
    }

    fn coarse_call(&mut self, node: Node<'t>) -> ExprId {
        let mut parts = node.all_children();
        let callee = parts.next().map(|callee| self.value(callee));
        let callee = callee.unwrap_or_else(|| self.opaque(node.span()));
        let base = self.args.len();
        for part in parts {
            match part.kind() {
                Kind::Arguments => part.all_children().for_each(|argument| self.coarse_argument(argument)),
                _ => self.coarse_argument(part),
            }
        }
        self.call_with(callee, base, node.span())
    }

    fn coarse_argument(&mut self, node: Node<'t>) {
        let (kind, value) = match (node.kind(), pair(node)) {
            (Kind::Keyword, Some((name, value))) => (ArgKind::Named(self.ident(name.text())), value),
            (Kind::Spread, _) => (ArgKind::Spread, sole(node)),
            (Kind::SpreadNamed, _) => (ArgKind::SpreadNamed, sole(node)),
            _ => (ArgKind::Positional, node),
        };
        let value = self.value(value);
        self.args.push(Arg { kind, value });
    }

    /// `print` and `exec` of Python 2 are calls of the functions that they became.
    pub(super) fn old_statement(&mut self, node: Node<'t>, name: &str) -> ExprId {
        let callee = self.keyword_callee(node, name);
        let base = self.args.len();
        node.all_children().for_each(|part| self.coarse_argument(part));
        self.call_with(callee, base, node.span())
    }

    pub(super) fn keyword_callee(&mut self, node: Node<'t>, name: &str) -> ExprId {
        let span = Span { lo: node.lo(), hi: node.hi().min(node.lo() + name.len() as u32) };
        self.name(name, span)
    }

    fn coarse_text(&mut self, text: &str, span: Span) -> ExprId {
        let (quoting, content) = unquote(text);
        if quoting.is_backtick {
            return self.backticks(content, span);
        }
        let value = self.names.intern(&decode(content, quoting));
        self.constant(if quoting.is_bytes { Lit::Bytes(value) } else { Lit::Str(value) }, span)
    }

    /// The parser does not read what backticks quote.
    fn backticks(&mut self, content: &str, span: Span) -> ExprId {
        let callee = self.name("repr", span);
        let base = self.args.len();
        let value = self.type_in_string(content, span);
        self.args.push(Arg { kind: ArgKind::Positional, value });
        self.call_with(callee, base, span)
    }

    /// Texts and what they interpolate, in order.
    fn coarse_template(&mut self, node: Node<'t>) -> ExprId {
        let (quoting, _) = unquote(node.text());
        let base = self.exprs.len();
        for part in node.all_children() {
            match part.kind() {
                Kind::TextStart | Kind::TextEnd => {}
                Kind::TextContent if part.is_leaf() => {
                    let value = self.names.intern(&decode(part.text(), quoting));
                    let made = self.constant(Lit::Str(value), part.span());
                    self.exprs.push(made);
                }
                _ => self.coarse_statement(part),
            }
        }
        let parts = self.take_exprs(base);
        self.add(Expr::Text(parts), node.span())
    }

    fn coarse_lambda(&mut self, node: Node<'t>) -> ExprId {
        if self.level >= DEEPEST {
            return self.coarse_too_deep(node);
        }
        let head = self.head(node.span(), None, FnKind::Lambda);
        let id = self.declare(head, Code::Coarse(node));
        let params = self.coarse_parameters(node, id);
        self.functions[id.0 as usize].params = params;
        self.add(Expr::Closure(id), node.span())
    }

    /// `a = b`, `a: T = b`, `a := b`, and `a += b`, which gives `a` what both hold.
    fn coarse_assignment(&mut self, node: Node<'t>) -> ExprId {
        let (types, parts): (Vec<_>, Vec<_>) = node.all_children().partition(|n| n.kind() == Kind::Type);
        let span = node.span();
        let (Some((target, rest)), true) = (parts.split_first(), types.len() < 2) else {
            return self.coarse_opaque(node);
        };
        self.depth += types.len();
        let is_name = bare(*target).kind() == Kind::Identifier;
        let value = match node.kind() {
            Kind::Augmented if is_name => self.coarse_values(&parts, span),
            _ if rest.is_empty() => self.opaque(span),
            _ => self.coarse_values(rest, span),
        };
        let value = match types.first() {
            Some(ty) => {
                let ty = self.value(*ty);
                self.add(Expr::Ascribe { value: Some(value), ty, is_guess: false }, span)
            }
            None => value,
        };
        self.depth -= types.len();
        self.give(*target, value, span)
    }

    fn give(&mut self, target: Node<'t>, value: ExprId, span: Span) -> ExprId {
        let pat = self.coarse_target(target);
        self.bind(pat, value, span)
    }

    pub(super) fn coarse_pattern(&mut self, node: Node<'t>) -> PatId {
        let pat = self.coarse_target(node);
        self.arenas.add_pat(pat)
    }

    fn coarse_target(&mut self, node: Node<'t>) -> Pat {
        let node = bare(node);
        match node.kind() {
            Kind::Identifier if !node.text().is_empty() => self.name_pattern(node.text(), node.span()),
            Kind::Sequence if self.depth < DEEPEST => {
                self.depth += 1;
                let rest = node.all_children().position(|n| n.kind() == Kind::Spread);
                let items: Vec<_> = node.all_children().map(|part| self.coarse_pattern(part)).collect();
                self.depth -= 1;
                Pat::Seq { items: self.list(&items), rest: rest.map(|at| RestAt(at as u32)) }
            }
            Kind::Spread if self.depth < DEEPEST && sole(node).index() != node.index() => {
                self.depth += 1;
                let pat = self.coarse_target(sole(node));
                self.depth -= 1;
                pat
            }
            _ => Pat::Place(self.value(node)),
        }
    }
}

fn constant(text: &str) -> Lit {
    match text {
        "None" => Lit::None,
        "True" => Lit::Bool(true),
        "False" => Lit::Bool(false),
        _ => Lit::Other,
    }
}

/// The only part, or the node itself.
pub(super) fn sole(node: Node<'_>) -> Node<'_> {
    let mut parts = node.all_children();
    match (parts.next(), parts.next()) {
        (Some(only), None) => only,
        _ => node,
    }
}

/// Without what means nothing around it.
pub(super) fn bare(mut node: Node<'_>) -> Node<'_> {
    while matches!(node.kind(), Kind::Wrapped | Kind::Type) && sole(node).index() != node.index() {
        node = sole(node);
    }
    node
}

/// The parts of what has two.
pub(super) fn pair<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let mut parts = node.all_children();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(last), None) => Some((first, last)),
        _ => None,
    }
}
