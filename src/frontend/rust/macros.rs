//! Macros: what their tokens say, if they are expressions; else what statements; else the calls that can be seen in them.
//! The language's own macros mean what they mean; those of libraries are calls of their names.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{
    Expr as SynExpr, ExprCall, ExprClosure, ExprPath, Item, ItemMacro, Macro, Path, PathSegment, ReturnType,
    Token,
};

use super::bodies::Code;
use super::scope::{Holds, Wanted};
use super::tokens::{expressions, named, split_at, statements, without_ref, without_sigil};
use super::{DEEPEST, Lowerer};
use crate::ir::{Arg, ArgKind, Expr, ExprId, FnKind, IfArm, Jump, Op, Span};

/// Macros whose statics are made when somebody first reads them.
const LAZY: [&str; 2] = ["lazy_static", "thread_local"];

impl Lowerer<'_> {
    pub(super) fn macro_call(&mut self, mac: Macro) -> ExprId {
        let last = self.span(mac.delimiter.span().close());
        let first = mac.path.segments.first().map_or(last, |first| self.span(first.ident.span()));
        let span = super::hull(first, last);
        if self.depth >= DEEPEST {
            return self.too_deep_tokens(mac.tokens, span);
        }
        let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "format" | "format_args" => self.formatted(mac, span),
            "concat" => self.concatenated(mac, span),
            "include" => self.included(mac.tokens, span),
            "panic" | "todo" | "unimplemented" | "unreachable" => {
                let value = Some(self.formatting(mac, 0, span));
                self.add(Expr::Jump { kind: Jump::Raise, value }, span)
            }
            "print" | "println" | "eprint" | "eprintln" => self.formatting(mac, 0, span),
            "write" | "writeln" => self.formatting(mac, 1, span),
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
                self.assertion(&name, mac, span)
            }
            "bail" => self.bail(mac, span),
            "ensure" => self.ensure(mac, span),
            "matches" => self.matches(mac, span),
            "vec" => self.vec(mac, span),
            "json" => self.json(mac.tokens, span),
            "select" => self.select(mac, span),
            _ => self.any_macro(mac, span),
        }
    }

    /// Expressions between commas, else statements, else what can be seen.
    pub(super) fn any_macro(&mut self, mac: Macro, span: Span) -> ExprId {
        if let Ok(parts) = expressions(mac.tokens.clone()) {
            return self.macro_of(mac.path, parts, span);
        }
        if let Ok(stmts) = statements(mac.tokens.clone()) {
            let outer = self.scopes.open();
            self.depth += 1;
            let base = self.exprs.len();
            self.statements(stmts);
            let body = self.take_exprs(base);
            self.depth -= 1;
            self.scopes.close(outer);
            return self.add(Expr::Block(body), span);
        }
        self.lenient_macro(mac, span)
    }

    /// A call of the macro's name. A text among the arguments may name variables: `info!("{x}")`.
    fn macro_of(&mut self, path: syn::Path, parts: Vec<SynExpr>, span: Span) -> ExprId {
        let callee = self.path(None, path, Wanted::Items);
        let base = self.args.len();
        for part in parts {
            self.macro_argument(part);
        }
        self.call_with(callee, base, span)
    }

    fn macro_argument(&mut self, part: SynExpr) {
        let (kind, value) = match part {
            SynExpr::Assign(assign) => match &*assign.left {
                SynExpr::Path(path) if path.path.get_ident().is_some() => {
                    let name = path.path.get_ident().map(|ident| self.name(ident));
                    (name.map_or(ArgKind::Positional, ArgKind::Named), *assign.right)
                }
                _ => (ArgKind::Positional, SynExpr::Assign(assign)),
            },
            other => (ArgKind::Positional, other),
        };
        let value = match super::literals::text_of(&value).cloned() {
            Some(text) => self.text_with_names(&text),
            None => self.expr(value),
        };
        self.args.push(Arg { kind, value });
    }

    /// Tokens of a little language of its own: `info!(user = %id, "…")`. Each part by itself.
    fn lenient_macro(&mut self, mac: Macro, span: Span) -> ExprId {
        let callee = self.path(None, mac.path, Wanted::Items);
        let base = self.args.len();
        for part in split_at(mac.tokens, &[',', ';']) {
            let (name, rest) = named(part);
            match syn::parse2::<SynExpr>(without_sigil(rest.clone())) {
                Ok(value) => {
                    self.macro_argument(value);
                    let name = name.map(|name| self.names.intern(&name));
                    if let (Some(name), Some(last)) = (name, self.args.last_mut()) {
                        last.kind = ArgKind::Named(name);
                    }
                }
                Err(_) => {
                    let value = self.scanned(rest);
                    self.args.push(Arg { kind: ArgKind::Positional, value });
                }
            }
        }
        self.call_with(callee, base, span)
    }

    /// A failed assertion ends the function; one for debugging may be compiled away.
    fn assertion(&mut self, name: &str, mac: Macro, span: Span) -> ExprId {
        let Ok(mut parts) = expressions(mac.tokens.clone()) else { return self.any_macro(mac, span) };
        let operands = if name.ends_with("assert") { 1 } else { 2 };
        if parts.len() < operands {
            return self.any_macro(mac, span);
        }
        let message = parts.split_off(operands);
        self.depth += 2;
        let made: Vec<_> = parts.into_iter().map(|part| self.expr(part)).collect();
        let (holds, fails) = match name {
            "assert_eq" | "debug_assert_eq" => (Op::Eq, Op::Ne),
            _ => (Op::Ne, Op::Eq),
        };
        let test = if name.starts_with("debug") {
            if operands == 1 { made[0] } else { self.compared(holds, &made, span) }
        } else if operands == 1 {
            self.add(Expr::Not(made[0]), span)
        } else {
            self.compared(fails, &made, span)
        };
        let made = if name.starts_with("debug") {
            self.add(Expr::Jump { kind: Jump::Assert, value: Some(test) }, span)
        } else {
            let value = Some(self.failed(mac.path, message, span));
            let body = self.add(Expr::Jump { kind: Jump::Raise, value }, span);
            let arms = self.list(&[IfArm { test, body }]);
            self.add(Expr::If { arms, otherwise: None }, span)
        };
        self.depth -= 2;
        made
    }

    /// What a failed check says: one text, if it is a template.
    fn failed(&mut self, path: syn::Path, message: Vec<SynExpr>, span: Span) -> ExprId {
        if message.first().and_then(super::literals::text_of).is_none() {
            return self.macro_of(path, message, span);
        }
        let callee = self.path(None, path, Wanted::Items);
        let base = self.args.len();
        let value = self.text(message, span);
        self.args.push(Arg { kind: ArgKind::Positional, value });
        self.call_with(callee, base, span)
    }

    /// `bail!("…")` hands back an error, whatever library it comes from.
    fn bail(&mut self, mac: Macro, span: Span) -> ExprId {
        self.depth += 2;
        let what = self.formatting(mac, 0, span);
        self.depth -= 2;
        self.hand_back(what, span)
    }

    /// `ensure!(test, "…")` does unless the test holds.
    fn ensure(&mut self, mac: Macro, span: Span) -> ExprId {
        let Ok(mut parts) = expressions(mac.tokens.clone()) else { return self.any_macro(mac, span) };
        if parts.is_empty() {
            return self.any_macro(mac, span);
        }
        let message = parts.split_off(1);
        self.depth += 3;
        let test = self.expr(parts.remove(0));
        let what = self.failed(mac.path, message, span);
        let body = self.hand_back(what, span);
        let test = self.add(Expr::Not(test), span);
        let arms = self.list(&[IfArm { test, body }]);
        self.depth -= 3;
        self.add(Expr::If { arms, otherwise: None }, span)
    }

    fn hand_back(&mut self, error: ExprId, span: Span) -> ExprId {
        let failed = self.names.intern("Err");
        let callee = self.add(Expr::Free(failed), span);
        let base = self.args.len();
        self.args.push(Arg { kind: ArgKind::Positional, value: error });
        let value = Some(self.call_with(callee, base, span));
        self.add(Expr::Jump { kind: Jump::Return, value }, span)
    }

    fn compared(&mut self, op: Op, parts: &[ExprId], span: Span) -> ExprId {
        let args = self.list(parts);
        self.add(Expr::Op { op, args }, span)
    }

    /// A macro among items: items of its own (`lazy_static!`), a definition, or anything.
    pub(super) fn item_macro(&mut self, item: ItemMacro) {
        if let Some(name) = item.ident.filter(|_| item.mac.path.is_ident("macro_rules")) {
            let span = super::hull(self.span(name.span()), self.span(item.mac.delimiter.span().close()));
            let head = self.head(&name, span, FnKind::Plain, Holds::Function);
            let around = std::rc::Rc::new(self.inside());
            let id = self.declare(head, Code::Tokens(item.mac.tokens), around);
            let made = self.add(Expr::Closure(id), span);
            return self.bind_item(&name, made);
        }
        let is_lazy =
            item.mac.path.segments.last().is_some_and(|last| LAZY.iter().any(|it| last.ident == it));
        match syn::parse2::<syn::File>(without_ref(item.mac.tokens.clone())) {
            Ok(file) if !file.items.is_empty() => {
                let items = file.items.into_iter();
                let items = items.map(|item| if is_lazy { made_at_first_use(item) } else { item });
                self.module_items(items.collect(), Span::default());
            }
            _ => {
                let made = self.macro_call(item.mac);
                self.exprs.push(made);
            }
        }
    }
}

/// `static A: B = c();` as `static A: B = LazyLock::new(|| c());`, which means the same.
fn made_at_first_use(item: Item) -> Item {
    let Item::Static(mut item) = item else { return item };
    let span = item.static_token.span;
    let name = |name: &str| PathSegment::from(Ident::new(name, span));
    let path = Path {
        leading_colon: None,
        segments: ["std", "sync", "LazyLock", "new"].map(name).into_iter().collect(),
    };
    let make = ExprClosure {
        attrs: Vec::new(),
        lifetimes: None,
        modifiers: syn::ClosureModifiers::default(),
        constness: None,
        asyncness: None,
        capture: None,
        inputs_begin: Token![|](span),
        inputs: Punctuated::new(),
        inputs_end: Token![|](span),
        output: ReturnType::Default,
        body: item.expr,
    };
    let call = ExprCall {
        attrs: Vec::new(),
        func: Box::new(SynExpr::Path(ExprPath { attrs: Vec::new(), qself: None, path })),
        paren_token: Paren(span),
        args: std::iter::once(SynExpr::Closure(make)).collect(),
    };
    item.expr = Box::new(SynExpr::Call(call));
    Item::Static(item)
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{calls, check, has};

    #[test]
    fn formatting() {
        check("format!(\"x{}y{b:?}{{\", a)", "(text \"x\" a.0 \"y\" b.1 \"{\")");
        check("format!(\"{0}{0}{c}\", a.d(), c = b)", "(text (call (. a.0 d)) (opaque) b.1)");
        check("println!(\"hi\");", "(call @println \"hi\")");
        check("write!(a, \"{}\", b);", "(call @write a.0 (text b.1))");
        check("info!(\"{a} {{}}\", b)", "(call @info (text a.0 \" {}\") b.1)");
        check(
            "info!(target: \"t\", user = %a.b(), \"done\")",
            "(call @info (opaque) user=(call (. a.0 b)) \"done\")",
        );
        check("query!(\"{not_here}\")", "(call @query \"{not_here}\")");
    }

    #[test]
    fn panics_and_assertions() {
        check("panic!(\"{a}\")", "(raise (call @panic (text a.0)))");
        check("assert!(a, \"b\")", "(if ((not a.0) (raise (call @assert \"b\"))))");
        check("assert_eq!(a, b)", "(if ((!= a.0 b.1) (raise (call @assert_eq))))");
        check("debug_assert!(a)", "(assert a.0)");
        check("anyhow::bail!(\"no {a}\")", "(return (call @Err (call (. @anyhow bail) (text \"no \" a.0))))");
        check("ensure!(a, \"no\")", "(if ((not a.0) (return (call @Err (call @ensure \"no\")))))");
    }

    #[test]
    fn collections_and_json() {
        check("vec![a, b]", "(seq a.0 b.1)");
        check("vec![a; 3]", "(seq a.0)");
        check(
            "json!({\"a\": [a, null], \"b\": {\"c\": b.d()}})",
            "(record (\"a\" (seq a.0 none)) (\"b\" (record (\"c\" (call (. b.1 d))))))",
        );
    }

    #[test]
    fn select_runs_one_body() {
        has(
            "fn f(a: A, b: B) { tokio::select! { c = a.f() => d(c), _ = b, if a => {} else => e() } }",
            &[
                "(bind c.2 (await (call (. a.0 f))))",
                "(call @d c.2)",
                "(await b.1)",
                "(call @e)",
                "(match (opaque)",
            ],
        );
    }

    #[test]
    fn what_reads_as_nothing_is_scanned() {
        let source = "fn f() { m! { a => b::c(1, \"x\") ; d.e(f(2)) <g> } }";
        assert_eq!(
            calls(source),
            ["b::c(1, \"x\")", "f(2)", "e(f(2))", "m! { a => b::c(1, \"x\") ; d.e(f(2)) <g> }"]
        );
        has(source, &["(call (. @b c) \"x\")"]);
        let rules = "macro_rules! m { ($x:expr) => { a::b::<T>($x) } } fn f() { m!(1) }";
        assert_eq!(calls(rules), ["a::b::<T>($x)", "m!(1)"]);
    }

    #[test]
    fn macros_with_statements_and_items() {
        has("fn f() { m! { let x = a(); x.b() } }", &["(bind x.0 (call @a))", "(call (. x.0 b))"]);
        has(
            "lazy_static! { static ref A: B = c(); }",
            &["export A=A.0", "(ascribe (call (. (. (. @std sync) LazyLock) new) (fn 1)) @B)", "(call @c)"],
        );
    }
}
