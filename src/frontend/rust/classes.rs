//! Structs, enums, traits and `impl` blocks: classes. A struct's body declares its fields; an `impl` is a body of its own
//! that adds to the class; a variant that carries something is a class below the enum.

use std::rc::Rc;

use syn::spanned::Spanned;
use syn::{
    Attribute, Block, Expr as SynExpr, Field, Fields, GenericArgument, Ident, ImplItem, ItemEnum, ItemImpl,
    ItemStruct, ItemTrait, ItemUnion, Macro, Path, PathArguments, Signature, TraitItem, Type, Variant,
};

use super::Lowerer;
use super::bodies::{Around, Code};
use super::scope::{Holds, Wanted};
use super::types::traits;
use crate::ir::{Class, ClassKind, Cls, Expr, ExprId, FnKind, ListOf, Span};

/// What stands in a class body.
pub(super) enum Member {
    Field(Field, usize),
    Variant(Variant),
    Function(Vec<Attribute>, Box<Signature>, Option<Block>),
    Constant(Ident, Type, Option<SynExpr>),
    Type(Ident, Type),
    Macro(Macro),
}

impl Lowerer<'_> {
    pub(super) fn struct_item(&mut self, item: ItemStruct) {
        let last = match &item.fields {
            Fields::Named(fields) => fields.brace_token.span.close(),
            _ => item.semi_token.map_or(item.ident.span(), |token| token.span),
        };
        let span = self.between(item.struct_token.span, last);
        let generics = self.bounds(&item.generics);
        self.class(&item.attrs, &item.ident, span, fields(item.fields), generics);
    }

    pub(super) fn union_item(&mut self, item: ItemUnion) {
        let span = self.between(item.union_token.span, item.fields.brace_token.span.close());
        let generics = self.bounds(&item.generics);
        self.class(&item.attrs, &item.ident, span, fields(Fields::Named(item.fields)), generics);
    }

    pub(super) fn enum_item(&mut self, item: ItemEnum) {
        let span = self.between(item.enum_token.span, item.brace_token.span.close());
        let generics = self.bounds(&item.generics);
        let variants = item.variants.into_iter().map(Member::Variant).collect();
        self.class(&item.attrs, &item.ident, span, variants, generics);
    }

    fn class(
        &mut self,
        attrs: &[Attribute],
        name: &Ident,
        span: Span,
        members: Vec<Member>,
        generics: Option<Rc<super::types::Bounds>>,
    ) {
        let itself =
            Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: Path::from(name.clone()) });
        let around = Around { self_type: Some(Rc::new(itself)), generics, is_data: true, ..self.inside() };
        let decorators = self.decorators(attrs);
        let made = self.body(name, span, members, around, (ClassKind::Plain, ListOf::EMPTY, decorators));
        self.bind_item(name, made);
    }

    /// Declares a class and gives it as a value.
    fn body(
        &mut self,
        name: &Ident,
        span: Span,
        members: Vec<Member>,
        around: Around,
        (kind, bases, decorators): (ClassKind, ListOf<ExprId>, ListOf<ExprId>),
    ) -> ExprId {
        let id = Cls(self.classes.len() as u32);
        let head = self.head(name, span, FnKind::ClassBody(id), Holds::Members);
        let name = head.name;
        let body = self.declare(head, Code::Members(members), Rc::new(around));
        self.classes.push(Class {
            name,
            kind,
            span,
            bases,
            options: ListOf::EMPTY,
            decorators,
            body,
            scope: self.here,
        });
        self.add(Expr::Class(id), span)
    }

    pub(super) fn trait_item(&mut self, item: ItemTrait) {
        let span = self.between(item.trait_token.span, item.brace_token.span.close());
        let generics = self.bounds(&item.generics);
        let decorators = self.decorators(&item.attrs);
        let supertraits: Vec<_> = traits(&item.supertraits).cloned().collect();
        let bases = self.paths(supertraits);
        let itself = Type::Path(syn::TypePath {
            attrs: Vec::new(),
            qself: None,
            path: Path::from(item.ident.clone()),
        });
        let around = Around { self_type: Some(Rc::new(itself)), generics, ..self.inside() };
        let members = item.items.into_iter().filter_map(of_trait).collect();
        let made = self.body(&item.ident, span, members, around, (ClassKind::Interface, bases, decorators));
        self.bind_item(&item.ident, made);
    }

    /// An `impl` has no name: it is a statement that adds to what its type names.
    pub(super) fn impl_item(&mut self, item: ItemImpl) {
        let span = self.between(item.impl_token.span, item.brace_token.span.close());
        let generics = self.bounds(&item.generics);
        let decorators = self.decorators(&item.attrs);
        let is_test = super::attributes::is_test(&item.attrs) || self.around.is_test;
        let inside = Around { generics: generics.clone(), ..Around::clone(&self.around) };
        let outside = std::mem::replace(&mut self.around, Rc::new(inside));
        self.depth += 1;
        let at = self.span(item.self_ty.span());
        let of = self.type_name(&item.self_ty, at);
        let bases = self.paths(item.trait_.map(|(path, _)| path).into_iter().collect());
        self.depth -= 1;
        self.around = outside;
        let name = last_name(&item.self_ty, item.impl_token.span);
        let bounded = self.bounded_arguments(&item.self_ty, &item.generics, generics.as_ref());
        let around = Around { self_type: Some(Rc::new(*item.self_ty)), generics, is_test, ..self.inside() };
        let members = item.items.into_iter().filter_map(of_impl).chain(bounded).collect();
        let made = self.body(&name, span, members, around, (ClassKind::Extension(of), bases, decorators));
        self.exprs.push(made);
    }

    /// `impl<T: Tool> Agent<T>` says what the `T` of the struct is: a type that the class has under that name.
    fn bounded_arguments(
        &mut self,
        ty: &Type,
        generics: &syn::Generics,
        bounds: Option<&Rc<super::types::Bounds>>,
    ) -> Vec<Member> {
        let (Type::Path(path), Some(bounds)) = (ty, bounds) else { return Vec::new() };
        let Some(PathArguments::AngleBracketed(found)) =
            path.path.segments.last().map(|last| &last.arguments)
        else {
            return Vec::new();
        };
        let own: Vec<_> = generics.type_params().map(|param| &param.ident).collect();
        let arguments = found.args.iter().filter_map(|argument| match argument {
            GenericArgument::Type(ty @ Type::Path(path)) => Some((path.path.get_ident()?, ty)),
            _ => None,
        });
        let named = arguments.filter(|(ident, _)| own.contains(ident));
        let known = named.filter(|(ident, _)| bounds.says(self.names.intern(&ident.to_string())));
        known.map(|(ident, ty)| Member::Type(ident.clone(), ty.clone())).collect()
    }

    fn paths(&mut self, paths: Vec<Path>) -> ListOf<ExprId> {
        let made: Vec<_> = paths.into_iter().map(|path| self.path(None, path, Wanted::Items)).collect();
        self.list(&made)
    }

    pub(super) fn members(&mut self, members: Vec<Member>, span: Span) -> Span {
        for member in members {
            match member {
                Member::Field(field, at) => self.field(field, at),
                Member::Variant(variant) => self.variant(variant),
                Member::Function(attrs, sig, block) => {
                    let name = sig.ident.clone();
                    let made = self.function(attrs, *sig, block);
                    self.bind_item(&name, made);
                }
                Member::Constant(name, ty, value) => self.constant_item(&name, ty, value),
                Member::Type(name, ty) => self.type_alias(&name, ty),
                Member::Macro(mac) => {
                    let made = self.macro_call(mac);
                    self.exprs.push(made);
                }
            }
        }
        span
    }

    fn field(&mut self, field: Field, at: usize) {
        self.depth += 2;
        let span = self.span(field.ty.span());
        let ty = self.ty(field.ty);
        self.depth -= 2;
        let value = self.add(Expr::Ascribe { value: None, ty, is_guess: false }, span);
        let name = match &field.ident {
            Some(ident) => self.name(ident),
            None => self.names.intern(&at.to_string()),
        };
        self.bind_name(name, value, span);
        for (method, path) in super::attributes::data_functions(&field.attrs) {
            let name = self.names.intern(method);
            self.depth += 1;
            let value = self.path(None, path, Wanted::Items);
            self.depth -= 1;
            self.bind_name(name, value, span);
        }
    }

    /// A variant that carries nothing is a constant.
    fn variant(&mut self, variant: Variant) {
        let span = self.span(variant.ident.span());
        let value = variant.discriminant.map(|(_, value)| self.nested(value));
        if matches!(variant.fields, Fields::Unit) {
            let value = value.unwrap_or_else(|| self.opaque(span));
            return self.bind_item(&variant.ident, value);
        }
        self.exprs.extend(value);
        let base = match self.around.self_type.clone() {
            Some(ty) => self.type_name(&ty, span),
            None => self.opaque(span),
        };
        let bases = self.list(&[base]);
        let decorators = self.decorators(&variant.attrs);
        let around = self.inside();
        let parts = fields(variant.fields);
        let made = self.body(&variant.ident, span, parts, around, (ClassKind::Plain, bases, decorators));
        self.bind_item(&variant.ident, made);
    }
}

fn fields(fields: Fields) -> Vec<Member> {
    fields.into_iter().enumerate().map(|(at, field)| Member::Field(field, at)).collect()
}

fn of_trait(item: TraitItem) -> Option<Member> {
    match item {
        TraitItem::Const(item) => {
            Some(Member::Constant(item.ident, item.ty, item.default.map(|(_, value)| value)))
        }
        TraitItem::Fn(item) => Some(Member::Function(item.attrs, Box::new(item.sig), item.default)),
        TraitItem::Type(item) => item.default.map(|(_, ty)| Member::Type(item.ident, ty)),
        TraitItem::Macro(item) => Some(Member::Macro(item.mac)),
        _ => None,
    }
}

fn of_impl(item: ImplItem) -> Option<Member> {
    match item {
        ImplItem::Const(item) => Some(Member::Constant(item.ident, item.ty, Some(item.expr))),
        ImplItem::Fn(item) => Some(Member::Function(item.attrs, Box::new(item.sig), Some(item.block))),
        ImplItem::Type(item) => Some(Member::Type(item.ident, item.ty)),
        ImplItem::Macro(item) => Some(Member::Macro(item.mac)),
        _ => None,
    }
}

/// What the functions of an `impl` are called after.
fn last_name(ty: &Type, otherwise: proc_macro2::Span) -> Ident {
    let mut at = ty;
    loop {
        at = match at {
            Type::Reference(inner) => &inner.elem,
            Type::Group(inner) => &inner.elem,
            Type::Paren(inner) => &inner.elem,
            Type::Path(path) => match path.path.segments.last() {
                Some(last) => return last.ident.clone(),
                None => return Ident::new("_impl", otherwise),
            },
            Type::TraitObject(object) => {
                match traits(&object.bounds).next().and_then(|path| path.segments.last()) {
                    Some(last) => return last.ident.clone(),
                    None => return Ident::new("_impl", otherwise),
                }
            }
            _ => return Ident::new("_impl", otherwise),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::has;

    #[test]
    fn structs_and_enums() {
        has(
            "#[derive(D)] struct S<T: U> { a: Option<Box<dyn A + Send>>, b: T, c: [u8; 3] }",
            &[
                "class 0 decorators ((call @derive @D))",
                "(bind a.0 (declare (index @Option (index @Box @A))))",
                "(bind b.1 (declare @U))",
                "(bind c.2 (declare (index @slice @u8)))",
            ],
        );
        has("struct S<T> { a: T }", &["(bind a.0 (declare (. @S T)))"]);
        has("struct P(A, pub b::B);", &["(bind 0.0 (declare @A))", "(bind 1.1 (declare (. @b B)))"]);
        has(
            "enum E { A, B(C), D { f: G }, H = 3 }",
            &[
                "(bind A.0 (opaque))",
                "(bind B.1 (class 1))",
                "bases (@E)",
                "(bind f.0 (declare @G))",
                "(bind H.3 3)",
            ],
        );
    }

    #[test]
    fn traits_and_implementations() {
        has(
            "impl<T: A> B<T> for C<T> where T: D { const N: &'static str = \"n\"; type O = E; fn f(&self, x: T) { T::g(x) } }",
            &[
                "class 0 extends @C bases (@B)",
                "(bind N.0 (ascribe \"n\" @str))",
                "(bind O.1 @E)",
                "positional x.1: (| @A @D)",
                "(call (. @A g) x.1)",
                "(bind T.3 (| @A @D))",
            ],
        );
        has(
            "impl dyn A { fn f() {} } impl A for &mut B {} impl<T> C for T {}",
            &["class 0 extends @A", "class 1 extends @B bases (@A)", "class 2 extends (opaque) bases (@C)"],
        );
    }

    #[test]
    fn bounds_that_lead_in_a_circle_end() {
        has("fn f<T: U, U: T, V: V>(a: T, b: V) { T::g(); }", &["positional a.0: (opaque)"]);
        has(
            "impl Self { fn f() { Self::g() } } impl Self::A { fn f() { Self::g() } }",
            &["extends (opaque)"],
        );
    }
}
