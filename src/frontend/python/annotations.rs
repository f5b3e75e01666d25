//! Types: annotations, generics, type aliases, and code that stands in a string.

use ruff_python_ast::{self as ast, ExprSubscript, StmtTypeAlias, TypeParam, TypeParams};
use ruff_python_parser::parse_expression;

use super::kept::keep;
use super::scope::Outer;
use super::{DEEPEST, Lowerer, SpanSource, nesting};
use crate::ir::{Expr, ExprId, ExprRange, Lit, Pat, Span};

/// Strings in types in strings.
const DEEPEST_STRING: usize = 3;

/// Segments of a path of names.
const SHORT_PATH: usize = 8;

/// To parse a string costs far more than its length says, so a hostile file could hold very many.
const MOST_STRINGS: usize = 10_000;

/// No type nests so deep; any stack will do.
const DEEPEST_TYPE: usize = 150;

impl<'t> Lowerer<'t> {
    pub(super) fn annotation(&mut self, node: &'t ast::Expr) -> ExprId {
        let outside = std::mem::replace(&mut self.in_annotation, true);
        let made = self.expression(node);
        self.in_annotation = outside;
        made
    }

    /// A string that stands for a type: the type itself, if it can be read.
    pub(super) fn type_in_string(&mut self, value: &str, span: Span) -> ExprId {
        let outside = std::mem::replace(&mut self.spans, SpanSource::Fixed(span));
        let made = self.code_in_string(value.trim(), span);
        self.spans = outside;
        made.unwrap_or_else(|| {
            let value = self.names.intern(value);
            self.constant(Lit::Str(value), span)
        })
    }

    fn code_in_string(&mut self, code: &str, span: Span) -> Option<ExprId> {
        if is_short_path(code) && self.depth + SHORT_PATH < DEEPEST {
            return Some(self.dotted(code, span));
        }
        if self.strings_deep >= DEEPEST_STRING || self.strings_parsed >= MOST_STRINGS || code.is_empty() {
            return None;
        }
        self.strings_parsed += 1;
        if nesting::deepest(code) > DEEPEST_TYPE {
            return None;
        }
        let expression = *parse_expression(code).ok()?.into_syntax().body;
        if matches!(&expression, ast::Expr::Tuple(tuple) if !tuple.parenthesized) {
            return None;
        }
        let expression = keep(&mut self.strings, expression);
        self.strings_deep += 1;
        let made = self.expression(expression);
        self.strings_deep -= 1;
        Some(made)
    }

    /// What stands between brackets; with a comma it is a tuple.
    pub(super) fn key(&mut self, base: ExprId, node: &'t ExprSubscript) -> ExprId {
        match &*node.slice {
            // `a[*b]` has no comma.
            ast::Expr::Tuple(tuple) if !tuple.parenthesized => match tuple.elts.as_slice() {
                [only @ ast::Expr::Starred(spread)] if spread.range == tuple.range => {
                    self.sole_key(base, only)
                }
                items => {
                    self.depth += 1;
                    let start = self.type_arguments(base, items);
                    self.depth -= 1;
                    let items = self.take_exprs(start);
                    self.add(Expr::Seq(items), self.span(node))
                }
            },
            only => self.sole_key(base, only),
        }
    }

    fn sole_key(&mut self, base: ExprId, key: &'t ast::Expr) -> ExprId {
        let start = self.type_arguments(base, std::slice::from_ref(key));
        let made = self.exprs[start];
        self.exprs.truncate(start);
        made
    }

    /// What stands between the brackets of a type. The strings of `Literal` are strings, and so is what follows the type in
    /// `Annotated`.
    fn type_arguments(&mut self, base: ExprId, arguments: &'t [ast::Expr]) -> usize {
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
        for (index, argument) in arguments.iter().enumerate() {
            self.in_annotation = outside && index < strings_from;
            let made = self.expression(argument);
            self.exprs.push(made);
        }
        self.in_annotation = outside;
        start
    }

    /// Opens the scope of `[T: int, *Ts]` and binds its names; the bindings are statements of the block around.
    pub(super) fn open_type_parameters(&mut self, list: &'t TypeParams) -> (Outer, u32) {
        let mut outer = self.scopes.open_types();
        let lo = self.arenas.expr_count() as u32 + 1;
        for parameter in &list.type_params {
            let (name, bound, default) = match parameter {
                TypeParam::TypeVar(it) => (&it.name, it.bound.as_deref(), &it.default),
                TypeParam::TypeVarTuple(it) => (&it.name, None, &it.default),
                TypeParam::ParamSpec(it) => (&it.name, None, &it.default),
            };
            if let Some(default) = default {
                self.aside(default, self.span(&**default));
            }
            let name = self.ident(name);
            let var = self.scopes.bind_inner(name, &mut outer);
            let span = self.span(parameter);
            self.depth += 2;
            let value = match bound {
                Some(bound) => {
                    let ty = self.annotation(bound);
                    self.add(Expr::Ascribe { value: None, ty, is_guess: false }, span)
                }
                None => self.opaque(span),
            };
            self.depth -= 2;
            let made = self.bind(Pat::Var(var), value, span);
            self.exprs.push(made);
        }
        (outer, lo)
    }

    pub(super) fn close_type_parameters(&mut self, (outer, lo): (Outer, u32)) {
        let hi = self.arenas.expr_count() as u32 + 1;
        self.scopes.close(outer, ExprRange { lo, hi });
    }

    /// `type X[T] = ...`.
    pub(super) fn type_alias(&mut self, node: &'t StmtTypeAlias) {
        let scope = node.type_params.as_deref().map(|list| self.open_type_parameters(list));
        self.depth += 1;
        let value = self.annotation(&node.value);
        self.depth -= 1;
        if let Some(scope) = scope {
            self.close_type_parameters(scope);
        }
        let made = self.assign(&node.name, value, self.span(node));
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

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::{calls, check, dump, facts};

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

    #[test]
    fn defaults_of_type_parameters_keep_their_calls() {
        assert_eq!(calls("def f[T = g()](x: T) -> T: return h()\n"), ["g()", "h()"]);
    }

    #[test]
    fn code_in_a_string_needs_no_tokens_of_its_file() {
        for code in [
            "A[1 < (b()) < 3]",
            "A[[x for x in (y) if (z) if w]]",
            "{(a): (b) for c in d if e}",
            "A[lambda: (a)]",
        ] {
            let text = format!("value: \"{code}\" = some_name + other\n");
            assert_eq!(facts(&text).problems, [], "{code}");
        }
    }
}
