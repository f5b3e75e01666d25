//! Functions, classes and lambdas. What stands in the head belongs to the function around; the body is queued.

use super::kind::Kind;
use super::{Body, DEEPEST, Lowerer, NO_BODY, Node, SpanSource};
use crate::ir::{
    Arg, ArgKind, Class, ClassKind, Cls, Expr, ExprId, ExprRange, FnKind, Func, Function, ListOf, Span, Sym,
    When,
};

impl Lowerer<'_> {
    pub(super) fn declare_module(&mut self) {
        let span = Span { lo: 0, hi: self.tree.text().len() as u32 };
        let name = self.names.intern("");
        let head =
            Head { name, span, name_span: Span { lo: 0, hi: 0 }, kind: FnKind::Module, is_private: false };
        self.declare(head, self.tree.root().map(|root| root.index()));
    }

    /// `def` and `class`, with their decorators.
    pub(super) fn definition(&mut self, node: Node<'_>) {
        let mut inner = node;
        let base = self.exprs.len();
        if node.kind() == Kind::DecoratedDefinition {
            for decorator in node.children().filter(|n| n.kind() == Kind::Decorator) {
                let value = decorator.children().find(|n| !n.kind().is_token());
                let made = value.map(|value| self.nested(value));
                self.exprs.extend(made);
            }
            inner = node.children().last().unwrap_or(node);
        }
        let decorators = self.take_exprs(base);
        if self.level >= DEEPEST {
            let made = self.too_deep(inner);
            return self.exprs.push(made);
        }
        match inner.kind() {
            Kind::ClassDefinition => self.class(inner, decorators),
            Kind::FunctionDefinition => self.function(inner, decorators),
            _ => {}
        }
    }

    fn function(&mut self, node: Node<'_>, decorators: ListOf<ExprId>) {
        let name = node.child_of(Kind::Identifier);
        let scope = node.child_of(Kind::TypeParameter).map(|list| self.open_type_parameters(list));
        let head = self.head(node, name, FnKind::Plain);
        let id = self.declare(head, node.child_of(Kind::Block).map(|body| body.index()));
        self.depth += 1;
        let params = self.parameters(node.child_of(Kind::Parameters), id);
        let returns = node.child_of(Kind::Type).map(|ty| self.annotation(ty));
        self.depth -= 1;
        if let Some(scope) = scope {
            self.close_type_parameters(scope);
        }
        let function = &mut self.functions[id.0 as usize];
        function.is_async = node.child_of(Kind::Async).is_some();
        (function.params, function.returns, function.decorators) = (params, returns, decorators);
        self.bind_definition(node, name, Expr::Closure(id));
    }

    fn class(&mut self, node: Node<'_>, decorators: ListOf<ExprId>) {
        let name = node.child_of(Kind::Identifier);
        let scope = node.child_of(Kind::TypeParameter).map(|list| self.open_type_parameters(list));
        let id = Cls(self.classes.len() as u32);
        let head = self.head(node, name, FnKind::ClassBody(id));
        let (class_name, span) = (head.name, head.span);
        let body = self.declare(head, node.child_of(Kind::Block).map(|body| body.index()));
        let (bases, options) = self.bases(node);
        if let Some(scope) = scope {
            self.close_type_parameters(scope);
        }
        let (kind, scope) = (ClassKind::Plain, self.here);
        self.classes.push(Class { name: class_name, kind, span, bases, options, decorators, body, scope });
        self.bind_definition(node, name, Expr::Class(id));
    }

    /// Keyword arguments are no bases; what they compute is kept as a statement before the class, too.
    fn bases(&mut self, node: Node<'_>) -> (ListOf<ExprId>, ListOf<Arg>) {
        let list = node.child_of(Kind::ArgumentList);
        let arguments =
            || list.into_iter().flat_map(|list| list.children()).filter(|n| n.kind() != Kind::Comma);
        let is_keyword = |n: &Node<'_>| matches!(n.kind(), Kind::KeywordArgument | Kind::DictionarySplat);
        let mut options = Vec::new();
        for keyword in arguments().filter(is_keyword) {
            let mut parts = keyword.children().filter(|n| !n.kind().is_token());
            let name = parts.next();
            let made = self.aside(parts.last().or(name));
            if let (Kind::KeywordArgument, Some(name), Some(value)) = (keyword.kind(), name, made) {
                options.push(Arg { kind: ArgKind::Named(self.ident(name.text())), value });
            }
        }
        let options = self.list(&options);
        let base = self.exprs.len();
        for argument in arguments().filter(|n| !is_keyword(n)) {
            let made = self.nested(argument);
            self.exprs.push(made);
        }
        (self.take_exprs(base), options)
    }

    pub(super) fn lambda(&mut self, node: Node<'_>) -> ExprId {
        // A body is queued by its place in the file's tree, which code in a string does not have.
        if matches!(self.spans, SpanSource::Fixed(_)) {
            return self.opaque(self.span(node));
        }
        let body = node.children().last().filter(|n| n.kind() != Kind::LambdaParameters);
        let head = self.head(node, None, FnKind::Lambda);
        if self.level >= DEEPEST {
            return self.too_deep(node);
        }
        let id = self.declare(head, body.map(|body| body.index()));
        let params = self.parameters(node.child_of(Kind::LambdaParameters), id);
        self.functions[id.0 as usize].params = params;
        self.add(Expr::Closure(id), self.span(node))
    }

    fn head(&mut self, node: Node<'_>, name: Option<Node<'_>>, kind: FnKind) -> Head {
        let span = self.span(node);
        let first = Span { lo: span.lo, hi: (span.lo + 1).min(span.hi) };
        let name_span = name.map_or(first, |name| self.span(name));
        let text = name.map_or("", |name| name.text());
        let is_private = text.starts_with('_') && !text.starts_with("__");
        Head { name: self.ident(text), span, name_span, kind, is_private }
    }

    fn declare(&mut self, head: Head, body: Option<u32>) -> Func {
        let id = Func(self.functions.len() as u32);
        let is_class = matches!(head.kind, FnKind::ClassBody(_));
        self.scopes.declare(self.here, is_class);
        let when = if self.when == When::TypeOnly { When::TypeOnly } else { When::Always };
        self.bodies.push(Body { node: body, when, level: self.level + 1 });
        self.functions.push(Function {
            name: head.name,
            span: head.span,
            name_span: head.name_span,
            parent: self.here,
            kind: head.kind,
            is_async: false,
            is_generator: false,
            is_test: false,
            is_private: head.is_private,
            params: ListOf::EMPTY,
            returns: None,
            decorators: ListOf::EMPTY,
            body: NO_BODY,
            exprs: ExprRange::default(),
            vars: ListOf::EMPTY,
            captures: ListOf::EMPTY,
            exports: ListOf::EMPTY,
        });
        id
    }

    fn bind_definition(&mut self, node: Node<'_>, name: Option<Node<'_>>, value: Expr) {
        let span = self.span(node);
        let value = self.add(value, span);
        let made = match name {
            Some(name) => self.bind_name(name, value, span),
            None => value,
        };
        self.exprs.push(made);
    }
}

/// What a function is called and where it stands.
struct Head {
    name: Sym,
    span: Span,
    name_span: Span,
    kind: FnKind,
    /// By the usual underscore.
    is_private: bool,
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{check, check_all, dump};

    #[test]
    fn functions() {
        check_all(
            "@d.e(1)\nasync def f(a: A = b) -> C: yield a",
            "fn 0 module \"\" in 0 () export f=f.0 line 1
             (block
             (bind f.0 (fn 1)))
             fn 1 plain \"f\" async generator in 0 decorators ((call (. @d e) 1)) (a.0: @A = @b) -> @C line 2
             (block
             (yield a.0))",
        );
        check("f = lambda x, y=z: x", "(bind f.0 (fn 1))");
        assert!(dump("f = lambda x, y=z: x").contains("(x.0, y.1 = @z) line 1\n  (block\n    (return x.0))"));
        assert!(dump("lambda: (yield)").contains("generator"));
    }

    #[test]
    fn classes() {
        check_all(
            "@d\nclass A(B, *c, metaclass=m(n), total=False):\n  x: int = 1\n  def f(self): return x",
            "fn 0 module \"\" in 0 () export A=A.0 line 1
             (block
             (opaque (call @m @n))
             (bind A.0 (class 0)))
             class 0 decorators (@d) bases (@B (spread @c))
             fn 1 class-body \"A\" in 0 () export x=x.0 export f=f.1 line 2
             (block
             (bind x.0 (ascribe 1 @int))
             (bind f.1 (fn 2)))
             fn 2 plain \"f\" in 1 (self.0) line 4
             (block
             (return @x))",
        );
    }
}
