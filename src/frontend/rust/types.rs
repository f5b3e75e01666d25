//! Types as annotations: what stands behind references, boxes of the language and bounds. A type parameter is its bounds.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    GenericArgument, GenericParam, Generics, Path, PathArguments, QSelf, ReturnType, Token, Type,
    TypeParamBound, WherePredicate,
};

use super::scope::Wanted;
use super::{DEEPEST, Lowerer};
use crate::ir::{Expr, ExprId, Op, Span, Sym};

/// Traits of the language that say nothing of what can be called.
const MARKERS: [&str; 7] = ["Send", "Sync", "Unpin", "Sized", "UnwindSafe", "RefUnwindSafe", "Freeze"];

/// The type parameters that are in scope, and what they are bound by.
pub(super) struct Bounds {
    of: FxHashMap<Sym, Rc<[Path]>>,
    outer: Option<Rc<Bounds>>,
}

impl Bounds {
    fn get(&self, name: Sym) -> Option<Rc<[Path]>> {
        let mut at = Some(self);
        while let Some(bounds) = at {
            if let Some(found) = bounds.of.get(&name) {
                return Some(Rc::clone(found));
            }
            at = bounds.outer.as_deref();
        }
        None
    }
}

impl Bounds {
    /// True for a parameter that is bound by something.
    pub fn says(&self, name: Sym) -> bool {
        self.get(name).is_some_and(|paths| !paths.is_empty())
    }
}

/// The traits among bounds, without markers where something else is left.
pub(super) fn traits(bounds: &Punctuated<TypeParamBound, Token![+]>) -> impl Iterator<Item = &Path> {
    bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) if bound.maybe.is_none() && !is_marker(&bound.path) => Some(&bound.path),
        _ => None,
    })
}

fn is_marker(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| MARKERS.iter().any(|marker| last.ident == marker))
}

impl Lowerer<'_> {
    pub(super) fn ty(&mut self, ty: Type) -> ExprId {
        if self.depth >= DEEPEST {
            let span = self.span(ty.span());
            return self.opaque(span);
        }
        self.depth += 1;
        let made = self.type_proper(ty);
        self.depth -= 1;
        made
    }

    fn type_proper(&mut self, ty: Type) -> ExprId {
        match ty {
            Type::Path(path) => self.type_path(path.qself, path.path),
            Type::Reference(inner) => self.ty(*inner.elem),
            Type::Ptr(inner) => self.ty(*inner.elem),
            Type::Group(inner) => self.ty(*inner.elem),
            Type::Paren(inner) => self.ty(*inner.elem),
            Type::ImplTrait(found) => {
                let paths: Vec<_> = traits(&found.bounds).cloned().collect();
                self.all_of(paths, self.span(found.impl_token.span))
            }
            Type::TraitObject(found) => {
                let paths: Vec<_> = traits(&found.bounds).cloned().collect();
                let span = found.dyn_token.map_or(Span::default(), |token| self.span(token.span));
                self.all_of(paths, span)
            }
            Type::Tuple(tuple) => self.tuple_type(tuple),
            Type::Array(inner) => {
                let span = self.between(inner.bracket_token.span.open(), inner.bracket_token.span.close());
                self.generic("slice", vec![*inner.elem], span)
            }
            Type::Slice(inner) => {
                let span = self.between(inner.bracket_token.span.open(), inner.bracket_token.span.close());
                self.generic("slice", vec![*inner.elem], span)
            }
            Type::FnPtr(found) => {
                let span = self.span(found.fn_token.span);
                let mut parts: Vec<Type> = found.inputs.into_iter().map(|input| input.ty).collect();
                parts.extend(output(found.output));
                self.generic("Fn", parts, span)
            }
            other => {
                let span = self.span(other.span());
                self.opaque(span)
            }
        }
    }

    fn tuple_type(&mut self, tuple: syn::TypeTuple) -> ExprId {
        let span = self.between(tuple.paren_token.span.open(), tuple.paren_token.span.close());
        if tuple.elems.is_empty() {
            return self.none(span);
        }
        let items: Vec<_> = tuple.elems.into_iter().map(|elem| self.ty(elem)).collect();
        let items = self.list(&items);
        self.add(Expr::Seq(items), span)
    }

    /// Several bounds: a value that has them all can be what any of them says.
    fn all_of(&mut self, paths: Vec<Path>, span: Span) -> ExprId {
        let mut made: Vec<_> = paths.into_iter().map(|path| self.type_path(None, path)).collect();
        match (made.pop(), made.is_empty()) {
            (None, _) => self.opaque(span),
            (Some(only), true) => only,
            (Some(last), false) => {
                made.push(last);
                let args = self.list(&made);
                self.add(Expr::Op { op: Op::BitOr, args }, span)
            }
        }
    }

    fn type_path(&mut self, qself: Option<QSelf>, mut path: Path) -> ExprId {
        if qself.is_none()
            && let Some(ident) = path.get_ident()
        {
            let (name, span) = (self.name(ident), self.span(ident.span()));
            if self.is_generic(name) {
                return match self.around.self_type.clone() {
                    Some(ty) if self.around.is_data && self.bounds_of(name).is_empty() => {
                        let base = self.type_name(&ty, span);
                        self.add(Expr::Field { base, name }, span)
                    }
                    _ => self.bound_type(name, span),
                };
            }
        }
        let arguments: Vec<Type> =
            path.segments.iter_mut().flat_map(|segment| type_arguments(&mut segment.arguments)).collect();
        self.depth += 1;
        let base = self.path(qself, path, Wanted::Items);
        let made = self.applied(base, arguments);
        self.depth -= 1;
        made
    }

    fn generic(&mut self, name: &str, arguments: Vec<Type>, span: Span) -> ExprId {
        let name = self.names.intern(name);
        let base = self.add(Expr::Free(name), span);
        self.applied(base, arguments)
    }

    /// `base<arguments>`.
    fn applied(&mut self, base: ExprId, arguments: Vec<Type>) -> ExprId {
        let made: Vec<_> = arguments.into_iter().map(|argument| self.ty(argument)).collect();
        let key = match made[..] {
            [] => return base,
            // A tuple alone is one argument, and not as many as it has parts.
            [only] if !matches!(self.arenas.expr(only), Expr::Seq(_)) => only,
            [first, ..] => {
                let span = super::hull(self.span_of(first), self.span_of(made[made.len() - 1]));
                let items = self.list(&made);
                self.add(Expr::Seq(items), span)
            }
        };
        let span = super::hull(self.span_of(base), self.span_of(key));
        self.add(Expr::Index { base, key }, span)
    }

    pub(super) fn is_generic(&self, name: Sym) -> bool {
        self.around.generics.as_ref().is_some_and(|bounds| bounds.get(name).is_some())
    }

    fn bounds_of(&mut self, name: Sym) -> Vec<Path> {
        let found = self.around.generics.as_ref().and_then(|bounds| bounds.get(name));
        let all = found.iter().flat_map(|paths| paths.iter()).cloned().collect::<Vec<_>>();
        // A parameter bound by another one would lead round in a circle.
        all.into_iter().filter(|path| !self.begins_generic(path)).collect()
    }

    fn begins_generic(&mut self, path: &Path) -> bool {
        path.segments.first().is_some_and(|first| {
            let name = self.name(&first.ident);
            self.is_generic(name) || first.ident == "Self"
        })
    }

    fn bound_type(&mut self, name: Sym, span: Span) -> ExprId {
        // `T: Into<T>` must end.
        let paths = self.bounds_of(name).into_iter().map(without_arguments).collect();
        let outside = self.fixed.replace(span);
        let made = self.all_of(paths, span);
        self.fixed = outside;
        made
    }

    /// `T::new`: through the first trait that `T` is bound by.
    pub(super) fn bound_path(&mut self, name: Sym, span: Span) -> ExprId {
        match self.bounds_of(name).first().cloned() {
            Some(path) => self.path_at(path, span),
            None => self.opaque(span),
        }
    }

    /// The type parameters of an item on top of those around it.
    pub(super) fn bounds(&mut self, generics: &Generics) -> Option<Rc<Bounds>> {
        let outer = self.around.generics.clone();
        let mut of: FxHashMap<Sym, Vec<Path>> = FxHashMap::default();
        for param in &generics.params {
            if let GenericParam::Type(param) = param {
                let name = self.name(&param.ident);
                of.entry(name).or_default().extend(traits(&param.bounds).cloned());
            }
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            let WherePredicate::Type(predicate) = predicate else { continue };
            let Type::Path(bounded) = &predicate.bounded_ty else { continue };
            let Some(ident) = bounded.path.get_ident() else { continue };
            let name = self.name(ident);
            if let Some(known) = of.get_mut(&name) {
                known.extend(traits(&predicate.bounds).cloned());
            }
        }
        if of.is_empty() {
            return outer;
        }
        let of: FxHashMap<Sym, Rc<[Path]>> =
            of.into_iter().map(|(name, paths)| (name, Rc::from(paths))).collect();
        Some(Rc::new(Bounds { of, outer }))
    }
}

fn output(output: ReturnType) -> Option<Type> {
    match output {
        ReturnType::Type(_, ty) => Some(*ty),
        ReturnType::Default => None,
    }
}

/// Takes the types out of `<A, Item = B>` or `(A) -> B`.
fn type_arguments(arguments: &mut PathArguments) -> Vec<Type> {
    match std::mem::replace(arguments, PathArguments::None) {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(found) => found.args.into_iter().filter_map(type_argument).collect(),
        PathArguments::Parenthesized(found) => {
            let inputs = found.inputs.into_iter().map(|input| input.ty);
            inputs.chain(output(found.output)).collect()
        }
    }
}

fn type_argument(argument: GenericArgument) -> Option<Type> {
    match argument {
        GenericArgument::Type(ty) => Some(ty),
        GenericArgument::AssocType(found) => Some(found.ty),
        _ => None,
    }
}

fn without_arguments(mut path: Path) -> Path {
    path.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
    path
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::has;

    #[track_caller]
    fn ty(ty: &str, expected: &str) {
        has(&format!("fn f(a: {ty}) {{}}"), &[&format!("(positional a.0: {expected})")]);
    }

    #[test]
    fn types() {
        ty("&'a mut [A]", "(index @slice @A)");
        ty("Arc<Mutex<dyn a::A + Send + Sync>>", "(index @Arc (index @Mutex (. @a A)))");
        ty("impl Iterator<Item = A> + 'static", "(index @Iterator @A)");
        let map = "(index @HashMap (seq @String (index @Box (index @Fn (seq @A @B)))))";
        ty("HashMap<String, Box<dyn Fn(A) -> B>>", map);
        ty("fn(A) -> B", "(index @Fn (seq @A @B))");
        ty("impl A + B", "(| @A @B)");
        ty("<A as B>::C", "(. @A C)");
        ty("()", "none");
    }
}
