//! How the functions in class bodies are called, as their decorators say, and which of them run where an object is made.

use super::hierarchy::{Hierarchy, MethodKind};
use super::ids::Func;
use super::index::Index;
use crate::ir::Expr;

impl Hierarchy {
    pub(super) fn find_kinds(&mut self, index: &Index<'_>) {
        for func in (0..index.functions.len() as u32).map(Func) {
            let Some(class) = index.method_of[func.0 as usize] else { continue };
            let kind = method_kind(index, func);
            self.kinds[func.0 as usize] = kind;
            if is_validator(index, func) {
                self.validators.entry(class).or_default().push(func);
            }
            if kind == MethodKind::Property {
                let name = index.ir(func).name;
                self.properties.entry((class, name)).or_insert(func);
                self.property_names.insert(name);
            }
        }
    }
}

fn method_kind(index: &Index<'_>, func: Func) -> MethodKind {
    let file = index.file_of(func);
    let facts = index.units[file].facts;
    if facts.profile().names_object {
        return if index.takes_self(func) { MethodKind::Plain } else { MethodKind::Static };
    }
    for &decorator in facts.list(index.ir(func).decorators) {
        if let Expr::Field { name, .. } = *facts.expr(decorator)
            && matches!(facts.str(name), "setter" | "deleter")
        {
            return MethodKind::Plain;
        }
    }
    let paths = index.decorator_paths(func);
    paths.iter().find_map(|&path| kind_of(index.externals.text(path))).unwrap_or_default()
}

fn is_validator(index: &Index<'_>, func: Func) -> bool {
    let decorators = index.decorator_paths(func);
    let validators = &index.externals.catalog().validators;
    decorators.iter().any(|&path| {
        index.externals.text(path).rsplit('.').next().is_some_and(|name| validators.contains(name))
    })
}

fn kind_of(decorator: &str) -> Option<MethodKind> {
    match decorator.rsplit('.').next()? {
        "staticmethod" | "abstractstaticmethod" => Some(MethodKind::Static),
        "classmethod" | "abstractclassmethod" => Some(MethodKind::Class),
        "property" | "cached_property" | "abstractproperty" | "computed_field" => Some(MethodKind::Property),
        _ => None,
    }
}
