//! Patterns: what a value is taken apart into. A name in lower case is a new variable, one in capitals a constant.

use syn::spanned::Spanned;
use syn::{FieldPat, Member as SynMember, Pat as SynPat, PatIdent, PatStruct, PatTupleStruct};

use super::scope::Wanted;
use super::{DEEPEST, Lowerer};
use crate::ir::{
    Expr, ExprId, Func, ListOf, Op, Pat, PatField, PatId, ProblemKind, RestAt, Span, Sym, VarId,
};

impl Lowerer<'_> {
    /// A pattern as a whole; its variables are known from here on.
    pub(super) fn pattern(&mut self, pat: SynPat) -> PatId {
        let outside = std::mem::take(&mut self.in_pattern);
        let made = self.part(pat);
        self.in_pattern = outside;
        made
    }

    /// The pattern of a parameter of `function`, whose body is not begun.
    pub(super) fn parameter_pattern(&mut self, pat: SynPat, function: Func) -> PatId {
        let outside = self.parameters_of.replace(function);
        let made = self.pattern(pat);
        self.parameters_of = outside;
        made
    }

    fn part(&mut self, pat: SynPat) -> PatId {
        if self.depth >= DEEPEST {
            let span = self.span(pat.span());
            self.problem(span, ProblemKind::TooDeep);
            return self.arenas.add_pat(Pat::Wild);
        }
        self.depth += 1;
        let made = self.part_proper(pat);
        self.depth -= 1;
        self.arenas.add_pat(made)
    }

    fn part_proper(&mut self, pat: SynPat) -> Pat {
        match pat {
            SynPat::Ident(ident) => self.name_part(ident),
            SynPat::Lit(lit) => self.value_part(syn::Expr::Lit(lit)),
            SynPat::Const(block) => self.value_part(syn::Expr::Const(block)),
            SynPat::Path(path) => self.value_part(syn::Expr::Path(path)),
            SynPat::Range(range) => self.range_part(range),
            SynPat::Or(or) => {
                let parts: Vec<_> = or.cases.into_iter().map(|case| self.part(case)).collect();
                Pat::Or(self.list(&parts))
            }
            SynPat::Paren(inner) => self.inner_part(*inner.pat),
            SynPat::Reference(inner) => self.inner_part(*inner.pat),
            SynPat::Type(inner) => self.inner_part(*inner.pat),
            SynPat::Guard(inner) => self.inner_part(*inner.pat),
            SynPat::Slice(slice) => self.sequence(slice.elems.into_iter().collect()),
            // There is one unit only.
            SynPat::Tuple(tuple) if tuple.elems.is_empty() => Pat::Wild,
            SynPat::Tuple(tuple) => self.sequence(tuple.elems.into_iter().collect()),
            SynPat::Struct(found) => self.record_part(found),
            SynPat::TupleStruct(found) => self.constructor_part(found),
            _ => Pat::Wild,
        }
    }

    /// Brackets and references mean nothing, but their nesting is bounded all the same.
    fn inner_part(&mut self, pat: SynPat) -> Pat {
        let made = self.part(pat);
        *self.arenas.pat(made)
    }

    fn name_part(&mut self, found: PatIdent) -> Pat {
        let is_constant = found.ident.to_string().starts_with(char::is_uppercase);
        if is_constant && found.subpat.is_none() && found.by_ref.is_none() {
            if self.parameters_of.is_some() {
                return Pat::Wild;
            }
            let name = self.name(&found.ident);
            let span = self.span(found.ident.span());
            let value = self.read(name, Wanted::Items, span);
            return Pat::Value(value);
        }
        let name = self.name(&found.ident);
        let var = self.pattern_var(name);
        match found.subpat {
            Some((_, inner)) => Pat::As { pat: self.part(*inner), var },
            None => Pat::Var(var),
        }
    }

    fn pattern_var(&mut self, name: Sym) -> VarId {
        if let Some(&(_, var)) = self.in_pattern.iter().find(|(known, _)| *known == name) {
            return var;
        }
        let var = match self.parameters_of {
            None => self.scopes.bind_local(name),
            Some(function) => {
                let var = self.scopes.add_var(function, name);
                self.scopes.bind_param(function, name, var);
                var
            }
        };
        self.in_pattern.push((name, var));
        var
    }

    fn value_part(&mut self, value: syn::Expr) -> Pat {
        if self.parameters_of.is_some() {
            return Pat::Wild;
        }
        Pat::Value(self.nested(value))
    }

    fn range_part(&mut self, range: syn::ExprRange) -> Pat {
        if self.parameters_of.is_some() {
            return Pat::Wild;
        }
        let first = range.start.map(|start| self.nested(*start));
        let last = range.end.map(|end| self.nested(*end));
        let span = first.or(last).map_or(Span::default(), |expr| self.span_of(expr));
        let ends: Vec<ExprId> = first.into_iter().chain(last).collect();
        let args = self.list(&ends);
        Pat::Value(self.add(Expr::Op { op: Op::Other(None), args }, span))
    }

    fn sequence(&mut self, elems: Vec<SynPat>) -> Pat {
        let is_rest = |pat: &SynPat| match pat {
            SynPat::Rest(_) => true,
            SynPat::Ident(ident) => {
                matches!(&ident.subpat, Some((_, inner)) if matches!(**inner, SynPat::Rest(_)))
            }
            _ => false,
        };
        let rest = elems.iter().position(is_rest).map(|at| RestAt(at as u32));
        let parts: Vec<_> = elems.into_iter().map(|pat| self.part(without_rest(pat))).collect();
        Pat::Seq { items: self.list(&parts), rest }
    }

    /// The pattern of a parameter holds no expressions: they would stand in the function around.
    fn record_part(&mut self, found: PatStruct) -> Pat {
        let is_parameter = self.parameters_of.is_some();
        let path = (!is_parameter).then(|| self.path(found.qself, found.path, Wanted::Items));
        let named: Vec<_> = found.fields.into_iter().map(|field| self.field_part(field)).collect();
        let named = self.list(&named);
        match path {
            Some(path) => Pat::Ctor { path, items: ListOf::EMPTY, named },
            None => Pat::Record { items: named, rest: None },
        }
    }

    fn field_part(&mut self, field: FieldPat) -> PatField {
        let name = match field.member {
            SynMember::Named(name) => self.name(&name),
            SynMember::Unnamed(at) => self.names.intern(&at.index.to_string()),
        };
        PatField { name, pat: self.part(*field.pat) }
    }

    fn constructor_part(&mut self, found: PatTupleStruct) -> Pat {
        let is_parameter = self.parameters_of.is_some();
        let path = (!is_parameter).then(|| self.path(found.qself, found.path, Wanted::Items));
        let parts: Vec<_> = found.elems.into_iter().filter(|pat| !matches!(pat, SynPat::Rest(_))).collect();
        let items: Vec<_> = parts.into_iter().map(|pat| self.part(pat)).collect();
        let items = self.list(&items);
        match path {
            Some(path) => Pat::Ctor { path, items, named: ListOf::EMPTY },
            None => Pat::Seq { items, rest: None },
        }
    }
}

/// `rest @ ..` binds what the others leave.
fn without_rest(pat: SynPat) -> SynPat {
    match pat {
        SynPat::Ident(mut ident) if matches!(&ident.subpat, Some((_, inner)) if matches!(**inner, SynPat::Rest(_))) =>
        {
            ident.subpat = None;
            SynPat::Ident(ident)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{facts, has};

    #[test]
    fn parameters_hold_no_expressions() {
        has(
            "fn f(P(a): P, S { b, c: (d, _) }: S, [e, ..]: [u8; 3]) { |(g, Some(h))| a }",
            &["positional [a.3]: @P", "{ b: b.4 c: [d.5 _]}", "[e.6", "(positional [g.1 [h.2]])"],
        );
        facts(
            "struct S; fn f() { fn g(S { a }: S) { let b = a; let b = b; } let c = |S { a }: S| a; let c = c; }",
        );
    }

    #[test]
    fn alternatives_bind_the_same_names() {
        has("fn f(a: A) { match a { B(c) | D(_, c) => c } }", &["(ctor @B c.1)", "(ctor @D _ c.1)"]);
    }
}
