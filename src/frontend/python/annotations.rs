//! Types: annotations, generics, type aliases, and code that stands in a string.

use super::kind::Kind;
use super::scope::Outer;
use super::{DEEPEST, Lowerer, Node, SpanSource, Tree};
use crate::frontend::sitter;
use crate::ir::{Arg, ArgKind, Expr, ExprId, ExprRange, Lang, Lit, Op, Pat, Span, VarId};

/// Strings in types in strings.
const DEEPEST_STRING: usize = 3;

/// Segments of a path of names.
const SHORT_PATH: usize = 8;

/// To parse a string costs far more than its length says, so a hostile file could hold very many.
const MOST_STRINGS: usize = 10_000;

impl Lowerer<'_> {
    pub(super) fn annotation(&mut self, node: Node<'_>) -> ExprId {
        let outside = std::mem::replace(&mut self.in_annotation, true);
        let made = self.expression(node);
        self.in_annotation = outside;
        made
    }

    /// A string that stands for a type: the type itself, if it can be read.
    pub(super) fn type_in_string(&mut self, value: &str, span: Span) -> ExprId {
        let outside = std::mem::replace(&mut self.spans, SpanSource::Fixed(span));
        let made = self.code_in_string(value.trim());
        self.spans = outside;
        made.unwrap_or_else(|| {
            let value = self.names.intern(value);
            self.constant(Lit::Str(value), span)
        })
    }

    /// Python 2: a call of `repr`.
    pub(super) fn backticks(&mut self, code: &str, span: Span) -> ExprId {
        let outside = std::mem::replace(&mut self.spans, SpanSource::Fixed(span));
        let callee = self.name("repr", span);
        let base = self.args.len();
        if let Some(value) = self.code_in_string(code.trim()) {
            self.args.push(Arg { kind: ArgKind::Positional, value });
        }
        self.spans = outside;
        self.call_with(callee, base, span)
    }

    fn code_in_string(&mut self, code: &str) -> Option<ExprId> {
        if is_short_path(code) && self.depth + SHORT_PATH < DEEPEST {
            return Some(self.dotted(code, 0, SHORT_PATH));
        }
        if self.strings_deep >= DEEPEST_STRING || self.strings_parsed >= MOST_STRINGS || code.is_empty() {
            return None;
        }
        self.strings_parsed += 1;
        let tree: Tree<'_> = sitter::parse(code, Lang::Python)?;
        let statement = tree.root()?.child(0).filter(|n| n.kind() == Kind::ExpressionStatement)?;
        let expression = statement.child(0)?;
        if tree.has_error || tree.root()?.child(1).is_some() || statement.child(1).is_some() {
            return None;
        }
        self.strings_deep += 1;
        let made = expression.kind().is_expression().then(|| self.expression(expression));
        self.strings_deep -= 1;
        made
    }

    /// What stands between the brackets of a type. The strings of `Literal` are strings, and so is what follows the type in
    /// `Annotated`.
    pub(super) fn type_arguments<'n>(
        &mut self,
        base: ExprId,
        arguments: impl Iterator<Item = Node<'n>>,
    ) -> usize {
        let name = match *self.arenas.expr(base) {
            Expr::Free(name) | Expr::Field { name, .. } => self.names.get(name),
            Expr::Var(var) => self.names.get(self.scopes.name_of(self.here, var)),
            _ => "",
        };
        let strings_from = match name {
            "Literal" => 0,
            "Annotated" => 1,
            _ => usize::MAX,
        };
        let start = self.exprs.len();
        let outside = self.in_annotation;
        for (index, argument) in arguments.enumerate() {
            self.in_annotation = outside && index < strings_from;
            let made = self.expression(argument);
            self.exprs.push(made);
        }
        self.in_annotation = outside;
        start
    }

    /// `list[int]` where only a type can stand.
    pub(super) fn generic_type(&mut self, node: Node<'_>) -> ExprId {
        let (Some(base), Some(list)) = (node.child(0), node.child(1)) else {
            return self.opaque(self.span(node));
        };
        let base = self.expression(base);
        let key = self.key(base, list, list.children());
        self.add(Expr::Index { base, key }, self.span(node))
    }

    /// What stands between brackets; with a comma it is a tuple.
    pub(super) fn key<'n>(
        &mut self,
        base: ExprId,
        node: Node<'_>,
        parts: impl Iterator<Item = Node<'n>> + Clone,
    ) -> ExprId {
        let is_comma = |n: &Node<'n>| n.kind() == Kind::Comma;
        let is_tuple = parts.clone().any(|n| is_comma(&n));
        self.depth += usize::from(is_tuple);
        let start = self.type_arguments(base, parts.filter(|n| !is_comma(n)));
        self.depth -= usize::from(is_tuple);
        match self.exprs[start..] {
            [only] if !is_tuple => {
                self.exprs.truncate(start);
                only
            }
            _ => {
                let items = self.take_exprs(start);
                self.add(Expr::Seq(items), self.span(node))
            }
        }
    }

    pub(super) fn union_type(&mut self, node: Node<'_>) -> ExprId {
        let base = self.exprs.len();
        for part in node.children().filter(|n| n.kind() == Kind::Type) {
            let made = self.expression(part);
            self.exprs.push(made);
        }
        let args = self.take_exprs(base);
        self.add(Expr::Op { op: Op::BitOr, args }, self.span(node))
    }

    pub(super) fn member_type(&mut self, node: Node<'_>) -> ExprId {
        let (Some(base), Some(name)) = (node.child(0), node.child(1)) else {
            return self.opaque(self.span(node));
        };
        let base = self.expression(base);
        let name = self.ident(name.text());
        self.add(Expr::Field { base, name }, self.span(node))
    }

    pub(super) fn splat_type(&mut self, node: Node<'_>) -> ExprId {
        let Some(name) = node.child_of(Kind::Identifier) else { return self.opaque(self.span(node)) };
        let inner = self.name(name.text(), self.span(name));
        self.add(Expr::Spread(inner), self.span(node))
    }

    /// Opens the scope of `[T: int, *Ts]` and binds its names; the bindings are statements of the block around.
    pub(super) fn open_type_parameters(&mut self, list: Node<'_>) -> (Outer, u32) {
        let mut outer = self.scopes.open_types();
        let lo = self.arenas.expr_count() as u32 + 1;
        let mut is_default = false;
        for parameter in list.all_children() {
            // `T = int` is an error to the parser; the name is inside it, the default behind it.
            if parameter.kind() == Kind::Error {
                is_default = parameter.text().ends_with('=');
            } else if std::mem::take(&mut is_default) {
                continue;
            }
            let Some(name) = parameter.descendants().find(|n| is_type_name(*n)) else { continue };
            let name = self.ident(name.text());
            let var = self.scopes.bind_inner(name, &mut outer);
            self.bind_type_parameter(parameter, var);
        }
        (outer, lo)
    }

    fn bind_type_parameter(&mut self, parameter: Node<'_>, var: VarId) {
        let span = self.span(parameter);
        let bound = parameter.child_of(Kind::ConstrainedType).and_then(|pair| pair.children().last());
        self.depth += 2;
        let value = match bound {
            Some(bound) => {
                let ty = self.annotation(bound);
                self.add(Expr::Ascribe { value: None, ty }, span)
            }
            None => self.opaque(span),
        };
        self.depth -= 2;
        let made = self.bind(Pat::Var(var), value, span);
        self.exprs.push(made);
    }

    pub(super) fn close_type_parameters(&mut self, (outer, lo): (Outer, u32)) {
        let hi = self.arenas.expr_count() as u32 + 1;
        self.scopes.close(outer, ExprRange { lo, hi });
    }

    /// `type X[T] = ...`; see also `type_of_assigned`.
    pub(super) fn type_alias(&mut self, node: Node<'_>) {
        let mut parts = node.children().filter(|n| n.kind() == Kind::Type);
        let (Some(left), Some(right)) = (parts.next(), parts.next()) else { return };
        let name = left.descendants().find(|n| is_type_name(*n)).filter(|n| n.lo() == left.lo());
        let Some(name) = name else { return self.type_of_assigned(node, left, right) };
        let list = left.child_of(Kind::GenericType).and_then(|generic| generic.child_of(Kind::TypeParameter));
        let scope = list.map(|list| self.open_type_parameters(list));
        self.depth += 1;
        let value = self.annotation(right);
        self.depth -= 1;
        if let Some(scope) = scope {
            self.close_type_parameters(scope);
        }
        let made = self.bind_name(name, value, self.span(node));
        self.exprs.push(made);
    }
}

/// Most types in strings are a name or two; they need no parser.
fn is_short_path(code: &str) -> bool {
    let is_name = |part: &str| {
        let is_first = |b: u8| b.is_ascii_alphabetic() || b == b'_';
        part.bytes().next().is_some_and(is_first) && part.bytes().all(|b| is_first(b) || b.is_ascii_digit())
    };
    code.split('.').count() <= SHORT_PATH && code.split('.').all(is_name)
}

/// A plain name, which the parser gives as an identifier or as a type without children.
fn is_type_name(node: Node<'_>) -> bool {
    node.kind() == Kind::Identifier || (node.kind() == Kind::Type && node.is_leaf())
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{calls, check, dump};

    #[test]
    fn strings_stand_for_types() {
        check("x: 'A'", "(bind x.0 (declare @A))");
        check("x: Optional['A.B'] = None", "(bind x.0 (ascribe none (index @Optional (. @A B))))");
        check(
            r#"x: 'dict[str, "A"] | None' = y"#,
            "(bind x.0 (ascribe @y (| (index @dict (seq @str @A)) none)))",
        );
        check("x: a.b['C', 'D']", "(bind x.0 (declare (index (. @a b) (seq @C @D))))");
        check("x: Callable[['A'], B]", "(bind x.0 (declare (index @Callable (seq (seq @A) @B))))");
        check("x: 'not a type'", r#"(bind x.0 (declare "not a type"))"#);
        check("x: 'A' 'B'", "(bind x.0 (declare @AB))");
    }

    #[test]
    fn some_strings_in_types_are_strings() {
        check("x: Literal['a', 'b']", r#"(bind x.0 (declare (index @Literal (seq "a" "b"))))"#);
        check(
            "x: t.Annotated['A', 'b', F('c')]",
            r#"(bind x.0 (declare (index (. @t Annotated) (seq @A "b" (call @F "c")))))"#,
        );
        check("x: A = 'b'", r#"(bind x.0 (ascribe "b" @A))"#);
        check("x['a'] = 'b'", r#"(store (index @x "a") "b")"#);
    }

    #[test]
    fn calls_in_a_string_lie_where_the_string_lies() {
        assert_eq!(calls("def f(x: 'A[g()]'): pass"), ["'A[g()]'"]);
    }

    #[test]
    fn aliases_and_type_parameters() {
        check("type X = list[int]", "(bind X.0 (index @list @int))");
        check("type X[T] = list[T]", "(bind T.0 (opaque))\n(bind X.1 (index @list T.0))");
        check("def f[T: int](x: T): return T", "(bind T.0 (declare @int))\n(bind f.1 (fn 1))");
        assert!(dump("def f[T](x): return T").contains("capture T.1=0"));
        assert!(dump("class A[T]:\n  def f(self): return T").contains("(return T.1)"));
        assert!(dump("T = 1\ndef f[T](): pass\nT").contains("export T=T.0"));
        assert!(dump("def f[T = int](): return T, int").contains("(return (seq T.0 @int))"));
    }
}
