//! Names and paths in expressions: variables, items, `crate`, `self`, `super`, `Self`, and paths through a type.

use syn::{Path, QSelf, Type};

use super::Lowerer;
use super::scope::Wanted;
use super::types::traits;
use crate::frontend::MAX_DEPTH;
use crate::ir::{Expr, ExprId, Imported, Span, Sym};

/// Longer paths lose their end.
const MOST_SEGMENTS: usize = 16;

/// One name of a path and where it stands.
type Segment = (Sym, Span);

impl Lowerer<'_> {
    /// A name by itself.
    pub(super) fn read(&mut self, name: Sym, wanted: Wanted, span: Span) -> ExprId {
        let expr = match self.scopes.find(name, wanted) {
            Some(var) => Expr::Var(var),
            None => Expr::Free(name),
        };
        self.add(expr, span)
    }

    /// A path as a value. `wanted` says whether a single name may be a variable.
    pub(super) fn path(&mut self, qself: Option<QSelf>, path: Path, wanted: Wanted) -> ExprId {
        let position = qself.as_ref().map_or(0, |qself| qself.position);
        let segments: Vec<Segment> = path
            .segments
            .iter()
            .map(|segment| (self.name(&segment.ident), self.span(segment.ident.span())))
            .collect();
        if let Some(qself) = qself {
            let first = self.span(qself.lt_token.span);
            return self.qualified(*qself.ty, &segments, position, first);
        }
        if path.leading_colon.is_some() {
            let Some((&(name, span), rest)) = segments.split_first() else {
                return self.opaque(Span::default());
            };
            let base = self.add(Expr::Free(name), span);
            return self.fields(base, rest);
        }
        self.segments(&segments, wanted)
    }

    pub(super) fn segments(&mut self, segments: &[Segment], wanted: Wanted) -> ExprId {
        let Some((&(first, span), rest)) = segments.split_first() else {
            return self.opaque(Span::default());
        };
        let is_alone = rest.is_empty();
        let base = match self.names.get(first) {
            "Self" => self.self_path(span),
            "self" if is_alone => self.read(first, Wanted::Any, span),
            "crate" | "self" | "super" => return self.relative(segments),
            _ if self.is_generic(first) => self.bound_path(first, span),
            _ => self.read(first, if is_alone { wanted } else { Wanted::Items }, span),
        };
        self.fields(base, rest)
    }

    /// `crate::a`, `self::a`, `super::super::a`: from a module that is found by where this file stands. Out of an inline
    /// module a path may lead to a module of this file, whose names are found from here.
    fn relative(&mut self, segments: &[Segment]) -> ExprId {
        let span = segments[0].1;
        let is_crate = self.names.get(segments[0].0) == "crate";
        let ups = segments.iter().take_while(|(name, _)| self.names.get(*name) == "super").count();
        let skip = usize::from(is_crate || self.names.get(segments[0].0) == "self").max(ups);
        let inline = usize::from(self.around.modules);
        let rest = &segments[skip..];
        if !is_crate && ups <= inline && inline > 0 && !rest.is_empty() {
            return self.segments(rest, Wanted::Items);
        }
        let path = self.names.intern(if is_crate { "crate" } else { "" });
        let level = if is_crate { 0 } else { u8::try_from(ups + 1).unwrap_or(u8::MAX) };
        let import = self.add_import(span, level, path, Imported::Module);
        let base = self.add(import, span);
        self.fields(base, rest)
    }

    fn self_path(&mut self, span: Span) -> ExprId {
        match self.around.self_type.clone() {
            Some(ty) => self.type_name(&ty, span),
            None => self.opaque(span),
        }
    }

    /// What a type is called, without what it is generic over.
    pub(super) fn type_name(&mut self, ty: &Type, span: Span) -> ExprId {
        match named(ty).cloned() {
            Some(path) => self.path_at(path, span),
            None => self.opaque(span),
        }
    }

    /// `<T as Trait>::name`: by the type if it has a name, else by the trait.
    fn qualified(&mut self, ty: Type, segments: &[Segment], position: usize, span: Span) -> ExprId {
        let (of_trait, rest) = segments.split_at(position.min(segments.len()));
        let is_known = match &ty {
            Type::Path(path) => match path.path.get_ident() {
                Some(ident) if ident == "Self" => self.around.self_type.is_some(),
                Some(ident) => {
                    let name = self.name(ident);
                    !self.is_generic(name)
                }
                None => true,
            },
            _ => false,
        };
        let base = match of_trait {
            [] => self.self_or_type(&ty, span),
            _ if is_known => self.self_or_type(&ty, span),
            _ => {
                let of_trait: Vec<_> = of_trait.iter().map(|&(name, _)| (name, span)).collect();
                self.segments(&of_trait, Wanted::Items)
            }
        };
        self.fields(base, rest)
    }

    fn self_or_type(&mut self, ty: &Type, span: Span) -> ExprId {
        match ty {
            Type::Path(path) if path.path.is_ident("Self") => self.self_path(span),
            _ => self.type_name(ty, span),
        }
    }

    /// `base.a.b`, as far as the nesting allows.
    fn fields(&mut self, base: ExprId, rest: &[Segment]) -> ExprId {
        let room = (MAX_DEPTH - 2).saturating_sub(self.depth).min(MOST_SEGMENTS);
        let mut made = base;
        let start = self.span_of(base).lo;
        for &(name, span) in rest.iter().take(room) {
            made = self.add(Expr::Field { base: made, name }, Span { lo: start.min(span.lo), hi: span.hi });
        }
        made
    }
}

/// The path that a type is called by. `Self` is none: it is what is asked for.
fn named(mut ty: &Type) -> Option<&Path> {
    let path = loop {
        match ty {
            Type::Path(path) if path.qself.is_none() => break &path.path,
            Type::TraitObject(object) => break traits(&object.bounds).next()?,
            Type::Reference(inner) => ty = &inner.elem,
            Type::Group(inner) => ty = &inner.elem,
            Type::Paren(inner) => ty = &inner.elem,
            _ => return None,
        }
    };
    path.segments.first().is_some_and(|first| first.ident != "Self").then_some(path)
}
