//! What is known of the values of a program before anything flows, by its classes and the catalogue.

use super::call::CALL;
use super::hierarchy::Hierarchy;
use super::ids::Cls;
use super::index::Index;
use super::kinds::{Domain, Kinds};
use super::types::Type;

/// Methods of what holds many.
const MANY_METHODS: [&str; 5] = ["__iter__", "__getitem__", "__next__", "__aiter__", "__anext__"];

/// The values of a program.
pub struct Known<'i, 'a> {
    pub index: &'i Index<'a>,
    pub hierarchy: &'i Hierarchy,
}

impl Known<'_, '_> {
    fn inherits(&self, class: Cls, base: Cls) -> bool {
        self.hierarchy.ancestors[class.0 as usize].contains(&base)
    }

    /// True if an object of the class may have one of the methods, perhaps from a library.
    fn has_any(&self, ty: Type, methods: &[&str]) -> bool {
        let Type::Instance { class, exact } = ty else { return false };
        let Known { index, hierarchy } = *self;
        let is_open = |&path| !is_marker(index.externals.text(path));
        hierarchy.external_bases[class.0 as usize].iter().any(is_open)
            || methods.iter().filter_map(|method| index.names.get(method)).any(|name| {
                hierarchy.class_attr(index, class, name).is_some()
                    || !exact && !hierarchy.overriding(index, class, name).is_empty()
            })
    }
}

impl Domain for Known<'_, '_> {
    fn covers(&self, whole: Type, part: Type) -> bool {
        match (whole, part) {
            (Type::Instance { class: base, exact: false }, Type::Instance { class, .. })
            | (Type::Class { class: base, exact: false }, Type::Class { class, .. }) => {
                self.inherits(class, base)
            }
            // What inherits from what in a library is not known.
            (Type::Object(_), Type::Object(_)) => true,
            _ => whole == part,
        }
    }

    fn is_value_of(&self, whole: Type, part: Type) -> bool {
        match (whole, part) {
            (Type::Instance { class: base, exact: false }, Type::Class { class, .. }) => {
                self.inherits(class, base)
            }
            _ => false,
        }
    }

    fn is_certain(&self, ty: Type) -> bool {
        match ty {
            Type::External(path) | Type::Handed(path) | Type::Object(path) => {
                let externals = &self.index.externals;
                let mut names = externals.text(path).rsplit('.');
                let is_placeholder =
                    names.next().is_some_and(|name| externals.catalog().fields.contains(name));
                !is_placeholder && !names.any(|owner| owner.starts_with(char::is_uppercase))
            }
            Type::Unbound(_) | Type::Anything => false,
            _ => true,
        }
    }

    fn join(&self, ty: Type) -> Option<Type> {
        ty.join(&self.index.externals)
    }

    fn kinds(&self, ty: Type) -> Kinds {
        match ty {
            Type::Function(_)
            | Type::Bound(_)
            | Type::Partial(_)
            | Type::Class { .. }
            | Type::External(_)
            | Type::Handed(_)
            | Type::Unbound(_) => Kinds::CALLABLE,
            Type::Container(_) | Type::Generator(_) => Kinds::MANY,
            Type::Object(_) => Kinds::OTHER.or(Kinds::MANY),
            Type::Module(_) | Type::Super(_) => Kinds::OTHER,
            Type::Anything | Type::Holder(_) | Type::PartOf(_) => Kinds::ANY,
            Type::Instance { .. } => {
                let when =
                    |methods: &[&str], kinds| if self.has_any(ty, methods) { kinds } else { Kinds::NONE };
                Kinds::OTHER.or(when(&[CALL], Kinds::CALLABLE)).or(when(&MANY_METHODS, Kinds::MANY))
            }
        }
    }
}

/// Bases that say what a class is and provide nothing to call.
pub(super) fn is_marker(base: &str) -> bool {
    let module = base.split('.').next().unwrap_or(base);
    matches!(module, "abc" | "typing" | "typing_extensions" | "std") || base == "builtins.object"
}
