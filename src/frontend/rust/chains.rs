//! Calls, methods, fields, indices, `.await` and `?`: a chain of them is lowered by a loop over its links, because fluent
//! code is long, not deep.

use proc_macro2::{Ident, Span as TokenSpan};
use syn::punctuated::Punctuated;
use syn::{Expr as SynExpr, GenericArgument, PathArguments, Token, Type};

use super::expressions::bare;
use super::{DEEPEST, Lowerer};
use crate::ir::{Arg, ArgKind, Arm, Expr, ExprId, Jump, ListOf, Pat, Site, SiteId, Span, Sym};

/// One step of a chain and where it ends.
enum Link {
    Call(Args, TokenSpan),
    Method(Ident, Args, TokenSpan),
    Field(Sym, TokenSpan),
    Index(Box<SynExpr>, TokenSpan),
    Await(TokenSpan),
    Try(TokenSpan),
    /// `::<T>` of what hands back a `T`.
    Typed(Box<Type>),
}

type Args = Punctuated<SynExpr, Token![,]>;

/// What hands back what its type argument says, or holds it.
const MAKES: [&str; 13] = [
    "parse",
    "collect",
    "sum",
    "product",
    "downcast",
    "downcast_ref",
    "downcast_mut",
    "json",
    "deserialize",
    "from_str",
    "from_slice",
    "from_value",
    "from_reader",
];

impl Link {
    /// How many levels it adds to what it is applied to.
    fn levels(&self) -> usize {
        match self {
            Link::Method(..) => 2,
            _ => 1,
        }
    }
}

impl Lowerer<'_> {
    /// Lowers `a.b(c)?.d[e].await` from its base outwards. What is longer than the nesting allows loses its inner end.
    pub(super) fn chain(&mut self, expr: SynExpr) -> ExprId {
        let outside = self.depth;
        let mut links = Vec::new();
        let mut levels = 0;
        let mut at = Ok(expr);
        while let Ok(expr) = at {
            if outside + levels >= DEEPEST {
                at = Ok(expr);
                break;
            }
            at = self.unlink(bare(expr), &mut links, &mut levels);
        }
        self.depth = outside + levels.saturating_sub(1);
        let mut made = match at {
            Ok(rest) => self.too_deep(&rest),
            Err(base) => self.expr(*base),
        };
        for link in links.into_iter().rev() {
            levels -= link.levels();
            self.depth = outside + levels;
            made = self.link(link, made);
        }
        self.depth = outside;
        made
    }

    /// Takes the last link off; what is no chain is the base.
    fn unlink(
        &mut self,
        expr: SynExpr,
        links: &mut Vec<Link>,
        levels: &mut usize,
    ) -> Result<SynExpr, Box<SynExpr>> {
        let before = links.len();
        let (link, inner) = match expr {
            SynExpr::Call(e) => {
                links.extend(argument_of(&e.func).map(|ty| Link::Typed(Box::new(ty))));
                (Link::Call(e.args, e.paren_token.span.close()), e.func)
            }
            SynExpr::MethodCall(e) => {
                let argument = e.turbofish.as_ref().and_then(|found| made_type(&e.method, &found.args));
                links.extend(argument.map(|ty| Link::Typed(Box::new(ty))));
                (Link::Method(e.method, e.args, e.paren_token.span.close()), e.receiver)
            }
            SynExpr::Field(e) => {
                let last = match &e.member {
                    syn::Member::Named(name) => name.span(),
                    syn::Member::Unnamed(at) => at.span,
                };
                (Link::Field(self.member(&e.member), last), e.base)
            }
            SynExpr::Index(e) => (Link::Index(e.index, e.bracket_token.span.close()), e.expr),
            SynExpr::Await(e) => (Link::Await(e.await_token.span), e.base),
            SynExpr::Try(e) => (Link::Try(e.question_token.span), e.expr),
            base => return Err(Box::new(base)),
        };
        *levels += link.levels() + links[before..].len();
        links.push(link);
        Ok(*inner)
    }

    /// One link on top of what it is applied to.
    fn link(&mut self, link: Link, base: ExprId) -> ExprId {
        let lo = self.span_of(base).lo;
        let to = |lowerer: &Self, last: TokenSpan| {
            let last = lowerer.span(last);
            Span { lo: lo.min(last.lo), hi: last.hi }
        };
        match link {
            Link::Call(args, last) => {
                let span = to(self, last);
                self.call(base, args, span)
            }
            Link::Method(name, args, last) => {
                let at = to(self, name.span());
                let name = self.name(&name);
                let callee = self.add(Expr::Field { base, name }, at);
                let span = to(self, last);
                self.call(callee, args, span)
            }
            Link::Field(name, last) => {
                let span = to(self, last);
                self.add(Expr::Field { base, name }, span)
            }
            Link::Index(key, last) => {
                let key = self.expr(*key);
                let span = to(self, last);
                self.add(Expr::Index { base, key }, span)
            }
            Link::Await(last) => {
                let span = to(self, last);
                self.add(Expr::Await(base), span)
            }
            Link::Try(last) => {
                let span = to(self, last);
                self.propagate(base, span)
            }
            Link::Typed(ty) => self.ascribed(base, Some(*ty), true),
        }
    }

    fn call(&mut self, callee: ExprId, args: Args, span: Span) -> ExprId {
        let base = self.args.len();
        for arg in args {
            let value = self.expr(arg);
            self.args.push(Arg { kind: ArgKind::Positional, value });
        }
        self.call_with(callee, base, span)
    }

    /// Makes a call with the arguments that were collected since there were `base`.
    pub(super) fn call_with(&mut self, callee: ExprId, base: usize, span: Span) -> ExprId {
        let args = self.arenas.add_list(&self.args[base..]);
        self.args.truncate(base);
        let site = SiteId(self.calls.len() as u32);
        let expr = self.add(Expr::Call { callee, args, site }, span);
        self.calls.push(Site { expr, function: self.here });
        expr
    }

    /// `value?` is a match like any other: what is `Ok` or `Some` goes on, everything else is handed back at once.
    fn propagate(&mut self, subject: ExprId, span: Span) -> ExprId {
        let mark = Span { lo: span.hi.saturating_sub(1).max(span.lo), hi: span.hi };
        let good = ["Ok", "Some"].map(|name| self.unwrapped(name, mark));
        let none = self.names.intern("");
        let var = self.scopes.add_var(self.here, none);
        let pat = self.arenas.add_pat(Pat::Var(var));
        let value = self.add(Expr::Var(var), mark);
        let body = self.add(Expr::Jump { kind: Jump::Return, value: Some(value) }, mark);
        let [one, other] = good;
        let arms = self.list(&[one, other, Arm { pat, guard: None, body, span: mark }]);
        self.add(Expr::Match { subject, arms }, span)
    }

    fn unwrapped(&mut self, constructor: &str, span: Span) -> Arm {
        let name = self.names.intern(constructor);
        let path = self.add(Expr::Free(name), span);
        let none = self.names.intern("");
        let var = self.scopes.add_var(self.here, none);
        let inner = self.arenas.add_pat(Pat::Var(var));
        let items = self.list(&[inner]);
        let pat = self.arenas.add_pat(Pat::Ctor { path, items, named: ListOf::EMPTY });
        Arm { pat, guard: None, body: self.add(Expr::Var(var), span), span }
    }
}

/// The type argument of the path of a function that makes such a value.
fn argument_of(callee: &SynExpr) -> Option<Type> {
    let SynExpr::Path(path) = callee else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(found) => made_type(&last.ident, &found.args),
        _ => None,
    }
}

/// A type by its bare name: those of the language with arguments of their own have no methods of the project.
fn made_type(function: &Ident, arguments: &Punctuated<GenericArgument, Token![,]>) -> Option<Type> {
    let mut arguments = arguments.iter();
    let (Some(GenericArgument::Type(Type::Path(path))), None) = (arguments.next(), arguments.next()) else {
        return None;
    };
    let last = path.path.segments.last()?;
    let is_named = matches!(last.arguments, PathArguments::None)
        && last.ident.to_string().starts_with(char::is_uppercase);
    (is_named && MAKES.iter().any(|name| function == name)).then(|| Type::Path(path.clone()))
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{check, has};

    #[test]
    fn a_type_argument_says_what_a_call_makes() {
        check("a.parse::<B>()", "(ascribe (call (. a.0 parse)) @B)");
        check("a.parse::<u8>()", "(call (. a.0 parse))");
        check("j::from_str::<B>(a)", "(ascribe (call (. @j from_str) a.0) @B)");
        check("j::size_of::<B>()", "(call (. @j size_of))");
    }

    #[test]
    fn chains() {
        check("a.b(1).c[2].d.0", "(. (. (index (. (call (. a.0 b) 1) c) 2) d) 0)");
        check("(&mut *a).b(&b)", "(call (. a.0 b) b.1)");
        check("x::y::<T>(a)(b)", "(call (call (. @x y) a.0) b.1)");
        check("a.get(b).await", "(await (call (. a.0 get) b.1))");
    }

    #[test]
    fn a_question_mark_hands_back_what_is_not_good() {
        check(
            "let c = a.b()?;",
            "(bind c.5 (match (call (. a.0 b)) (case (ctor @Ok .2) .2) (case (ctor @Some .3) .3) (case .4 (return .4))))",
        );
        has("fn f() { || a()?; }", &["fn 2 lambda", "(return .2)"]);
    }
}
