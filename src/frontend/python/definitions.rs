//! Functions, classes and lambdas. What stands in the head belongs to the function around; the body is queued.

use ruff_python_ast::{
    AnyNodeRef, Arguments, Decorator, ExprLambda, Identifier, StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::{Ranged, TextRange};

use super::{Body, Code, DEEPEST, Lowerer, NO_BODY, SpanSource};
use crate::ir::{
    Arg, ArgKind, Class, ClassKind, Cls, Expr, ExprId, ExprRange, FnKind, Func, Function, ListOf, Span, Sym,
    When,
};

impl<'t> Lowerer<'t> {
    pub(super) fn declare_module(&mut self, code: Code<'t>) {
        let span = Span { lo: 0, hi: self.text.len() as u32 };
        let name = self.names.intern("");
        let head =
            Head { name, span, name_span: Span { lo: 0, hi: 0 }, kind: FnKind::Module, is_private: false };
        self.declare(head, code);
    }

    /// What stands above a definition, and where that is without it; none if the definition is too deep.
    fn above(&mut self, node: AnyNodeRef<'t>, list: &'t [Decorator]) -> Option<(ListOf<ExprId>, Span)> {
        let decorators = self.decorators(list);
        let span = self.without_decorators(node.range(), list);
        if self.level < DEEPEST {
            return Some((decorators, span));
        }
        let made = self.too_deep_at([node].into_iter(), span);
        self.exprs.push(made);
        None
    }

    fn decorators(&mut self, list: &'t [Decorator]) -> ListOf<ExprId> {
        let base = self.exprs.len();
        for decorator in list {
            let made = self.nested(&decorator.expression);
            self.exprs.push(made);
        }
        self.take_exprs(base)
    }

    pub(super) fn function(&mut self, node: &'t StmtFunctionDef) {
        let Some((decorators, span)) = self.above(node.into(), &node.decorator_list) else { return };
        let scope = node.type_params.as_deref().map(|list| self.open_type_parameters(list));
        let head = self.head(span, Some((&node.name, self.span(&node.name))), FnKind::Plain);
        let id = self.declare(head, Code::Block(&node.body));
        self.depth += 1;
        let params = self.parameters(&node.parameters, id);
        let returns = node.returns.as_deref().map(|ty| self.annotation(ty));
        self.depth -= 1;
        if let Some(scope) = scope {
            self.close_type_parameters(scope);
        }
        let function = &mut self.functions[id.0 as usize];
        function.is_async = node.is_async;
        (function.params, function.returns, function.decorators) = (params, returns, decorators);
        self.bind_definition(&node.name, Expr::Closure(id), span);
    }

    pub(super) fn class(&mut self, node: &'t StmtClassDef) {
        let Some((decorators, span)) = self.above(node.into(), &node.decorator_list) else { return };
        let scope = node.type_params.as_deref().map(|list| self.open_type_parameters(list));
        let id = Cls(self.classes.len() as u32);
        let head = self.head(span, Some((&node.name, self.span(&node.name))), FnKind::ClassBody(id));
        let name = head.name;
        let body = self.declare(head, Code::Block(&node.body));
        let (bases, options) = self.bases(node.arguments.as_deref());
        if let Some(scope) = scope {
            self.close_type_parameters(scope);
        }
        let (kind, scope) = (ClassKind::Plain, self.here);
        self.classes.push(Class { name, kind, span, bases, options, decorators, body, scope });
        self.bind_definition(&node.name, Expr::Class(id), span);
    }

    /// From the keyword on.
    fn without_decorators(&self, range: TextRange, decorators: &[Decorator]) -> Span {
        match decorators.last() {
            Some(last) => self.span_between(self.next_code(last.end()), range.end().to_u32()),
            None => self.span(&range),
        }
    }

    /// Keyword arguments are no bases; what they compute is kept as a statement before the class, too.
    fn bases(&mut self, list: Option<&'t Arguments>) -> (ListOf<ExprId>, ListOf<Arg>) {
        let Some(list) = list else { return (ListOf::EMPTY, ListOf::EMPTY) };
        let mut options = Vec::new();
        for keyword in &list.keywords {
            let lo = self.outer_start(&keyword.value, keyword.start().to_u32());
            let value = self.aside(&keyword.value, self.span_between(lo, keyword.end().to_u32()));
            if let Some(name) = &keyword.arg {
                options.push(Arg { kind: ArgKind::Named(self.ident(name)), value });
            }
        }
        let options = self.list(&options);
        let base = self.exprs.len();
        for argument in &list.args {
            let made = self.nested(argument);
            self.exprs.push(made);
        }
        (self.take_exprs(base), options)
    }

    pub(super) fn lambda(&mut self, node: &'t ExprLambda) -> ExprId {
        // Code in a string has no functions of its own.
        if matches!(self.spans, SpanSource::Fixed(_)) {
            return self.opaque(self.span(node));
        }
        let head = self.head(self.span(node), None, FnKind::Lambda);
        if self.level >= DEEPEST {
            return self.too_deep(AnyNodeRef::from(node));
        }
        let mut body = self.span(&*node.body);
        if body.hi < node.end().to_u32() {
            body = Span { lo: self.outer_start(&*node.body, node.start().to_u32()), hi: node.end().to_u32() };
        }
        let id = self.declare(head, Code::Value(&node.body, body));
        let params = node.parameters.as_deref().map(|list| self.parameters(list, id));
        self.functions[id.0 as usize].params = params.unwrap_or(ListOf::EMPTY);
        self.add(Expr::Closure(id), self.span(node))
    }

    pub(super) fn head(&mut self, span: Span, name: Option<(&str, Span)>, kind: FnKind) -> Head {
        let first = Span { lo: span.lo, hi: (span.lo + 1).min(span.hi) };
        let (text, name_span) = name.unwrap_or(("", first));
        let is_private = text.starts_with('_') && !text.starts_with("__");
        Head { name: self.ident(text), span, name_span, kind, is_private }
    }

    pub(super) fn declare(&mut self, head: Head, code: Code<'t>) -> Func {
        let id = Func(self.functions.len() as u32);
        let is_class = matches!(head.kind, FnKind::ClassBody(_));
        self.scopes.declare(self.here, is_class);
        let when = if self.when == When::TypeOnly { When::TypeOnly } else { When::Always };
        self.bodies.push(Body { code, when, level: self.level + 1 });
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

    fn bind_definition(&mut self, name: &'t Identifier, value: Expr, span: Span) {
        let value = self.add(value, span);
        self.bind_as(name, value, span);
    }

    /// Binds a name as a statement of the block around.
    pub(super) fn bind_as(&mut self, name: &'t Identifier, value: ExprId, span: Span) {
        let pat = self.name_pattern(name, self.span(name));
        let made = self.bind(pat, value, span);
        self.exprs.push(made);
    }
}

/// What a function is called and where it stands.
pub(super) struct Head {
    pub name: Sym,
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
