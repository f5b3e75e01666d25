//! Items: functions, constants, type aliases, modules. An item binds its name in the module or block around; what stands in
//! its head belongs to the function around, its body is queued.

use std::rc::Rc;

use syn::spanned::Spanned;
use syn::{
    Attribute, Block, Expr as SynExpr, FnArg, ForeignItem, Ident, Item, ItemExternCrate, ItemForeignMod,
    ItemMod, Pat as SynPat, Receiver, ReturnType, Signature, Type, UseTree, Visibility,
};

use super::attributes;
use super::bodies::{Around, Code};
use super::scope::Holds;
use super::{Lowerer, hull};
use crate::ir::{
    Class, ClassKind, Cls, Expr, ExprId, FnKind, Func, Imported, ListOf, Lit, Param, ParamKind, Pat, Span,
    Sym,
};

impl Lowerer<'_> {
    /// The statements of a module, whose items may stand in any order.
    pub(super) fn module_items(&mut self, items: Vec<Item>, span: Span) -> Span {
        let items = self.expanded(items);
        items.iter().for_each(|(item, _)| self.hoist(item));
        for (item, made) in items {
            match made {
                Some(around) => self.made_item(item, around),
                None => self.item(item),
            }
        }
        span
    }

    /// Binds the names of an item before anything of its block is lowered.
    pub(super) fn hoist(&mut self, item: &Item) {
        let ident = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::ExternCrate(item) => item.rename.as_ref().map_or(&item.ident, |(_, name)| name),
            Item::Fn(item) => &item.sig.ident,
            Item::Macro(item) => match &item.ident {
                Some(ident) => ident,
                None => return,
            },
            Item::Mod(item) => &item.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::TraitAlias(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Use(item) => return self.hoist_use(&item.tree),
            Item::ForeignMod(item) => {
                for ident in foreign_functions(item) {
                    let name = self.name(ident);
                    self.scopes.bind_item(name);
                }
                return;
            }
            _ => return,
        };
        let name = self.name(ident);
        self.scopes.bind_item(name);
    }

    fn hoist_use(&mut self, tree: &UseTree) {
        let mut open = vec![(tree, None)];
        while let Some((tree, module)) = open.pop() {
            match tree {
                UseTree::Path(path) => open.push((&path.tree, Some(&path.ident))),
                UseTree::Group(group) => open.extend(group.items.iter().map(|item| (item, module))),
                UseTree::Name(found) => {
                    let ident = if found.ident == "self" { module } else { Some(&found.ident) };
                    if let Some(ident) = ident {
                        let name = self.name(ident);
                        self.scopes.bind_item(name);
                    }
                }
                UseTree::Rename(found) if found.rename != "_" => {
                    let name = self.name(&found.rename);
                    self.scopes.bind_item(name);
                }
                _ => {}
            }
        }
    }

    pub(super) fn item(&mut self, item: Item) {
        match item {
            Item::Fn(item) => {
                let name = item.sig.ident.clone();
                let made = self.function(item.attrs, item.sig, Some(*item.block));
                if let Expr::Closure(id) = *self.arenas.expr(made) {
                    self.functions[id.0 as usize].is_private = matches!(item.vis, Visibility::Inherited);
                }
                self.bind_item(&name, made);
            }
            Item::Const(item) => self.constant_item(&item.ident, *item.ty, Some(*item.expr)),
            Item::Static(item) => self.constant_item(&item.ident, *item.ty, Some(*item.expr)),
            Item::Type(item) => self.type_alias(&item.ident, *item.ty),
            Item::Struct(item) => self.struct_item(item),
            Item::Union(item) => self.union_item(item),
            Item::Enum(item) => self.enum_item(item),
            Item::Trait(item) => self.trait_item(item),
            Item::Impl(item) => self.impl_item(item),
            Item::Mod(item) => self.module(item),
            Item::Use(item) => self.use_item(item),
            Item::ExternCrate(item) => self.extern_crate(&item),
            Item::Macro(item) => self.item_macro(item),
            Item::ForeignMod(item) => self.foreign(&item),
            Item::Verbatim(tokens) => {
                self.scanned_statement(tokens, Span::default());
            }
            _ => {}
        }
    }

    pub(super) fn bind_item(&mut self, ident: &Ident, value: ExprId) {
        let name = self.name(ident);
        self.bind_name(name, value, self.span_of(value));
    }

    pub(super) fn bind_name(&mut self, name: Sym, value: ExprId, span: Span) {
        let var = self.scopes.bind_item(name);
        let pat = self.arenas.add_pat(Pat::Var(var));
        let made = self.add(Expr::Bind { pat, value }, span);
        self.exprs.push(made);
    }

    /// A constant, a static, an associated constant; one of a trait may have no value.
    pub(super) fn constant_item(&mut self, ident: &Ident, ty: Type, value: Option<SynExpr>) {
        self.depth += 2;
        let value = value.map(|value| self.expr(value));
        let ty = self.ty(ty);
        self.depth -= 2;
        let span = hull(self.span(ident.span()), self.span_of(value.unwrap_or(ty)));
        let made = self.add(Expr::Ascribe { value, ty, is_guess: false }, span);
        self.bind_item(ident, made);
    }

    pub(super) fn type_alias(&mut self, ident: &Ident, ty: Type) {
        self.depth += 1;
        let made = self.ty(ty);
        self.depth -= 1;
        self.bind_item(ident, made);
    }

    /// `extern crate a as b;`
    fn extern_crate(&mut self, item: &ItemExternCrate) {
        let span = self.between(item.extern_token.span, item.semi_token.span);
        let path = self.name(&item.ident);
        let import = self.add_import(span, 0, path, Imported::Module);
        let made = self.add(import, span);
        self.bind_item(item.rename.as_ref().map_or(&item.ident, |(_, name)| name), made);
    }

    /// `extern "C" { fn system(…); }`: functions of C are known as those of the crate that declares them for everybody.
    fn foreign(&mut self, item: &ItemForeignMod) {
        let library = self.names.intern("libc");
        for ident in foreign_functions(item) {
            let (span, name) = (self.span(ident.span()), self.name(ident));
            let import = self.add_import(span, 0, library, Imported::Name(name));
            let made = self.add(import, span);
            self.bind_item(ident, made);
        }
    }

    /// `mod a;` is the file of that name, `mod a { … }` a namespace.
    fn module(&mut self, item: ItemMod) {
        let is_test = attributes::is_test(&item.attrs);
        let Some((brace, items)) = item.content else {
            let span = self.between(item.mod_token.span, item.ident.span());
            let outside = Rc::clone(&self.around);
            self.around = Rc::new(Around { is_test: is_test || outside.is_test, ..Around::clone(&outside) });
            let import = self.module_file(&item.attrs, &item.ident, span);
            self.around = outside;
            let made = self.add(import, span);
            if item.attrs.iter().any(|attr| attr.path().is_ident("macro_use")) {
                let name = self.name(&item.ident);
                let star = self.add_import(span, 1, name, Imported::Star);
                let star = self.add(star, span);
                self.exprs.push(star);
            }
            return self.bind_item(&item.ident, made);
        };
        let decorators = self.decorators(&item.attrs);
        let span = self.between(item.mod_token.span, brace.span.close());
        let id = Cls(self.classes.len() as u32);
        let head = self.head(&item.ident, span, FnKind::ClassBody(id), Holds::Items);
        let name = head.name;
        let around = Around {
            modules: self.around.modules.saturating_add(1),
            is_test: is_test || self.around.is_test,
            self_type: None,
            generics: None,
            ..self.inside()
        };
        let body = self.declare(head, Code::Items(items), Rc::new(around));
        let (kind, bases, scope) = (ClassKind::Namespace, ListOf::EMPTY, self.here);
        self.classes.push(Class { name, kind, span, bases, options: ListOf::EMPTY, decorators, body, scope });
        let made = self.add(Expr::Class(id), span);
        self.bind_item(&item.ident, made);
    }

    /// A function or method as a value. One that a trait only asks for has no body.
    pub(super) fn function(&mut self, attrs: Vec<Attribute>, sig: Signature, block: Option<Block>) -> ExprId {
        self.depth += 2;
        let decorators = self.decorators(&attrs);
        let first =
            sig.constness.map(|t| t.span).or(sig.asyncness.map(|t| t.span)).unwrap_or(sig.fn_token.span);
        let last =
            block.as_ref().map_or(sig.paren_token.span.close(), |block| block.brace_token.span.close());
        let span = self.between(first, last);
        let head = self.head(&sig.ident, span, FnKind::Plain, Holds::Function);
        let bounds = self.bounds(&sig.generics);
        let is_test = self.around.is_test || attributes::is_test(&attrs);
        let around = Rc::new(Around { is_test, generics: bounds, ..self.inside() });
        let has_value = !matches!(sig.output, ReturnType::Default);
        let code = block.map_or(Code::Nothing, |block| Code::Block(block, has_value));
        let id = self.declare(head, code, Rc::clone(&around));
        let outside = std::mem::replace(&mut self.around, around);
        let params = self.parameters(sig.inputs.into_iter().collect(), id);
        let returns = match sig.output {
            ReturnType::Type(_, ty) => Some(self.ty(*ty)),
            ReturnType::Default => None,
        };
        self.around = outside;
        self.depth -= 2;
        let function = &mut self.functions[id.0 as usize];
        function.is_async = sig.asyncness.is_some();
        (function.params, function.returns, function.decorators) = (params, returns, decorators);
        self.add(Expr::Closure(id), span)
    }

    fn parameters(&mut self, inputs: Vec<FnArg>, id: Func) -> ListOf<Param> {
        let mut taken_apart = Vec::new();
        let mut params = Vec::with_capacity(inputs.len());
        for input in inputs {
            match input {
                FnArg::Receiver(receiver) => params.push(self.receiver(&receiver, id)),
                FnArg::Typed(typed) => {
                    let pat = self.parameter(*typed.pat, Some(*typed.ty), id, &mut params);
                    taken_apart.extend(pat.map(|pat| (params.len() - 1, pat)));
                }
            }
        }
        self.take_apart(taken_apart, id, &mut params);
        self.list(&params)
    }

    fn receiver(&mut self, receiver: &Receiver, id: Func) -> Param {
        let name = self.names.intern("self");
        let var = self.scopes.add_var(id, name);
        self.scopes.bind_param(id, name, var);
        let span = self.span(receiver.self_token.span);
        Param {
            name,
            pat: self.arenas.add_pat(Pat::Var(var)),
            ty: None,
            default: None,
            kind: ParamKind::Normal,
            span,
        }
    }

    /// Adds a parameter with its variable; a pattern that takes it apart is handed back, because parameters come first.
    pub(super) fn parameter(
        &mut self,
        pat: SynPat,
        ty: Option<Type>,
        id: Func,
        params: &mut Vec<Param>,
    ) -> Option<SynPat> {
        let (name, rest, span) = match pat {
            SynPat::Ident(ident) if ident.subpat.is_none() => {
                (Some(self.name(&ident.ident)), None, self.span(ident.ident.span()))
            }
            SynPat::Wild(wild) => (None, None, self.span(wild.underscore_token.span)),
            other => {
                let span = self.span(other.span());
                (None, Some(other), span)
            }
        };
        let sym = name.unwrap_or_else(|| self.names.intern(""));
        let var = self.scopes.add_var(id, sym);
        if let Some(name) = name {
            self.scopes.bind_param(id, name, var);
        }
        let ty = ty.map(|ty| self.ty(ty));
        let pat = self.arenas.add_pat(Pat::Var(var));
        params.push(Param { name: sym, pat, ty, default: None, kind: ParamKind::PositionalOnly, span });
        rest
    }

    /// Patterns of parameters bind in the function, though its body is not begun.
    pub(super) fn take_apart(&mut self, pats: Vec<(usize, SynPat)>, id: Func, params: &mut [Param]) {
        for (at, pat) in pats {
            params[at].pat = self.parameter_pattern(pat, id);
        }
    }

    pub(super) fn none(&mut self, span: Span) -> ExprId {
        self.add(Expr::Lit(Lit::None), span)
    }
}

fn foreign_functions(item: &ItemForeignMod) -> impl Iterator<Item = &Ident> {
    item.items.iter().filter_map(|item| match item {
        ForeignItem::Fn(function) => Some(&function.sig.ident),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::has;

    #[test]
    fn functions() {
        has(
            "#[t::tool(name = \"x\", on(a = true))] pub async fn f(mut a: &mut A, (b, c): (B, C), _: D) -> R<E> { a }",
            &[
                "fn 1 plain \"f\" async in 0 decorators ((call (. @t tool) name=\"x\" (call @on a=true)))",
                "(positional a.0: @A, positional [b.3 c.4]: (seq @B @C), positional .2: @D) -> (index @R @E)",
                "(return a.0)",
            ],
        );
        has("fn f() { g() }", &["(block\n    (call @g))"]);
        let required = "fn 2 plain \"f\" in 1 (self.0, positional a.1: @A) -> @B";
        has("trait T { fn f(&self, a: A) -> B; }", &[required]);
        has("fn f() { async move { a.await? } }", &["fn 2 lambda \"\" async in 1", "(call (fn 2))"]);
    }

    #[test]
    fn constants_and_aliases() {
        has(
            "const A: &str = \"x\"; static B: C = D; type E = F<G>;",
            &["(bind A.0 (ascribe \"x\" @str))", "(bind B.1 (ascribe @D @C))", "(bind E.2 (index @F @G))"],
        );
    }

    #[test]
    fn modules() {
        has(
            "mod a; #[path = \"x/y.rs\"] mod b; #[path = \"z.rs\"] mod c;",
            &["import 0 . name a", "import 1 .x/y.rs module", "import 2 ../z.rs module"],
        );
        has(
            "use crate::a; mod m { use super::b; use super::super::c; pub fn f() { super::d(); crate::e(); self::g() } \
             fn g() {} }",
            &[
                "import 0 crate name a",
                "import 1 .. name b in 1",
                "import 2 ... name c in 1",
                "class 0 namespace",
            ],
        );
        has(
            "mod m { fn f() { super::d(); crate::e(); self::g() } fn g() {} }",
            &["(call @d)", "(call (. (import 0) e))"],
        );
        has(
            "fn f() { super::d(); self::g() }",
            &["import 0 .. module", "(call (. (import 0) d))", "import 1 . module"],
        );
    }

    #[test]
    fn tests_are_never_run() {
        has(
            "#[cfg(test)] mod tests { use super::*; fn f() { use a::b; } }",
            &["import 0 .. star type-only", "import 1 a name b type-only"],
        );
        has(
            "#[cfg(all(unix, test))] use a::b; #[cfg(not(test))] use c::d; #[cfg(any(test, e))] use f::g;",
            &["import 0 a name b type-only", "import 1 c name d in", "import 2 f name g in"],
        );
        has(
            "#[tokio::test] async fn f() { use a::b; } #[cfg(test)] mod c;",
            &["name b type-only", "name c type-only"],
        );
    }
}
