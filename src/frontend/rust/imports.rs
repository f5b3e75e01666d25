//! `use`, `mod name;` and the paths that begin with `crate`, `self` or `super`: what a file takes from elsewhere.

use proc_macro2::TokenStream;
use syn::{Attribute, Ident, ItemUse, LitStr, Meta, UseTree};

use super::Lowerer;
use super::conditional::holds;
use super::literals::text_of;
use super::tokens::{named, split};
use crate::ir::{Expr, ExprId, Import, ImportId, Imported, Span, Sym, Takes, When};

/// Longer paths are nobody's; they would make this quadratic.
const MOST_SEGMENTS: usize = 64;

impl Lowerer<'_> {
    pub(super) fn use_item(&mut self, item: ItemUse) {
        let is_test = super::attributes::is_test(&item.attrs);
        let span = self.between(item.use_token.span, item.semi_token.span);
        let first = self.imports.len();
        let mut open = vec![(item.tree, Vec::new())];
        while let Some((tree, mut path)) = open.pop() {
            match tree {
                UseTree::Path(found) => {
                    if path.len() < MOST_SEGMENTS {
                        path.push(found.ident);
                        open.push((*found.tree, path));
                    }
                }
                UseTree::Group(group) => {
                    // The stack turns the order around.
                    open.extend(group.items.into_iter().rev().map(|tree| (tree, path.clone())));
                }
                UseTree::Name(found) => {
                    let bound =
                        if found.ident == "self" { path.last().cloned() } else { Some(found.ident.clone()) };
                    self.use_name(path, found.ident, bound, span);
                }
                UseTree::Rename(found) => {
                    let bound = (found.rename != "_").then_some(found.rename);
                    self.use_name(path, found.ident, bound, span);
                }
                UseTree::Glob(found) => {
                    let at = self.span(found.star_token.span);
                    let (level, path) = self.module_of(&path);
                    let star = self.add_import(span, level, path, Imported::Star);
                    let made = self.add(star, at);
                    self.exprs.push(made);
                }
            }
        }
        if is_test {
            self.imports[first..].iter_mut().for_each(|import| import.when = When::TypeOnly);
        }
    }

    /// `path::ident as bound`; without a name to bind it is only kept.
    fn use_name(&mut self, mut path: Vec<Ident>, ident: Ident, bound: Option<Ident>, span: Span) {
        let at = self.span(ident.span());
        let name = if ident == "self" { path.pop() } else { Some(ident) };
        let Some(name) = name else { return };
        let is_root = path.is_empty() && !matches!(name.to_string().as_str(), "crate" | "super");
        let import = if is_root {
            let name = self.name(&name);
            self.add_import(span, 0, name, Imported::Module)
        } else {
            let (level, module) = self.module_of(&path);
            let name = self.name(&name);
            self.add_import(span, level, module, Imported::Name(name))
        };
        let value = self.add(import, at);
        match bound {
            Some(bound) => {
                let bound = self.name(&bound);
                self.bind_name(bound, value, at);
            }
            None => self.exprs.push(value),
        }
    }

    /// `self` is level 1, `super` level 2 and so on.
    fn module_of(&mut self, path: &[Ident]) -> (u8, Sym) {
        let first = path.first().map(ToString::to_string).unwrap_or_default();
        let ups = path.iter().take_while(|ident| *ident == "super").count();
        let skip = ups.max(usize::from(first == "self"));
        let rest: Vec<String> =
            path[skip..].iter().map(|ident| ident.to_string().replace("r#", "")).collect();
        let level = match skip {
            0 => 0,
            _ => u8::try_from(ups + 1).unwrap_or(u8::MAX),
        };
        (level, self.names.intern(&rest.join(".")))
    }

    /// The file of `mod name;`, or the one that `#[path = "…"]` names.
    pub(super) fn module_file(&mut self, attrs: &[Attribute], name: &Ident, span: Span) -> Expr {
        let file = attrs.iter().find_map(|attr| match &attr.meta {
            Meta::NameValue(found) if found.path.is_ident("path") => {
                text_of(&found.value).map(|text| text.value())
            }
            Meta::List(list) if list.path.is_ident("cfg_attr") => conditional_path(list.tokens.clone()),
            _ => None,
        });
        match file {
            Some(file) => self.file_import(&file, span, Takes::Module),
            None => {
                let (none, name) = (self.names.intern(""), self.name(name));
                let import = self.add_import(span, 1, none, Imported::Name(name));
                self.take_last(Takes::Module);
                import
            }
        }
    }

    /// `include!("x.rs")`; nothing is known of a file whose name is not constant.
    pub(super) fn included(&mut self, tokens: proc_macro2::TokenStream, span: Span) -> ExprId {
        let file = syn::parse2::<syn::LitStr>(tokens).map(|text| text.value()).unwrap_or_default();
        let import = self.file_import(&file, span, Takes::Text);
        self.add(import, span)
    }

    fn file_import(&mut self, file: &str, span: Span, takes: Takes) -> Expr {
        let file = if file.contains('/') { file.to_owned() } else { format!("./{file}") };
        let file = self.names.intern(&file);
        let import = self.add_import(span, 1, file, Imported::Module);
        self.take_last(takes);
        import
    }

    fn take_last(&mut self, takes: Takes) {
        self.imports.last_mut().into_iter().for_each(|import| import.takes = takes);
    }

    pub(super) fn add_import(&mut self, span: Span, level: u8, path: Sym, what: Imported) -> Expr {
        let id = ImportId(self.imports.len() as u32);
        let when = if self.around.is_test { When::TypeOnly } else { When::Always };
        self.imports.push(Import { span, scope: self.here, level, path, what, when, takes: Takes::Names });
        Expr::Import(id)
    }
}

/// `path = "x.rs"` of `#[cfg_attr(all(), path = "x.rs")]`, if the condition holds in every build.
fn conditional_path(tokens: TokenStream) -> Option<String> {
    let mut parts = split(tokens).into_iter();
    if holds(&parts.next()?, 0) != Some(true) {
        return None;
    }
    parts.find_map(|part| match named(part) {
        (Some(name), value) if name == "path" => Some(syn::parse2::<LitStr>(value).ok()?.value()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::has;

    #[test]
    fn trees() {
        has(
            "use a::{self, b as c, d::{e, *}, f as _}; use g; use h as i; use super::super::j::k; use r#type::l;",
            &[
                "import 0 a module",
                "import 1 a name b",
                "import 2 a.d name e",
                "import 3 a.d star",
                "import 4 a name f",
                "import 5 g module",
                "import 6 h module",
                "import 7 ...j name k",
                "import 8 type name l",
            ],
        );
        has("use a::{self, b as c};", &["(bind a.", "(bind c."]);
    }
}
