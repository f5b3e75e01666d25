//! What is known of values before anything flows: what declared types speak of, and what stands for all values of a kind.

use super::call::CALL;
use super::hierarchy::Hierarchy;
use super::ids::Cls;
use super::index::Index;
use super::types::Type;

/// What can be done with a value, as far as declared types speak of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Kinds(u8);

impl Kinds {
    pub const NONE: Self = Self(0);
    /// Functions, classes, objects that can be called.
    pub const CALLABLE: Self = Self(1);
    /// Containers, generators, objects that can be subscripted or iterated over.
    pub const MANY: Self = Self(2);
    pub const ANY: Self = Self(7);
    const OTHER: Self = Self(4);

    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What the graph asks of values.
pub trait Domain {
    /// What stands for all values of the kind, of which a set need not hold many.
    fn join(&self, ty: Type) -> Option<Type>;

    fn kinds(&self, ty: Type) -> Kinds;

    /// True if a value is one of those that another one stands for.
    fn covers(&self, whole: Type, part: Type) -> bool;

    /// False of what may be anything, as an attribute of a library's object, and of what stands for a field's default.
    fn is_certain(&self, ty: Type) -> bool;
}

/// Methods of what holds many.
const MANY_METHODS: [&str; 5] = ["__iter__", "__getitem__", "__next__", "__aiter__", "__anext__"];

/// The values of a program.
pub struct Known<'i, 'a> {
    pub index: &'i Index<'a>,
    pub hierarchy: &'i Hierarchy,
}

impl Known<'_, '_> {
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
        let inherits = |class: Cls, base: Cls| self.hierarchy.ancestors[class.0 as usize].contains(&base);
        match (whole, part) {
            (Type::Instance { class: base, exact: false }, Type::Instance { class, .. })
            | (Type::Class { class: base, exact: false }, Type::Class { class, .. }) => inherits(class, base),
            // What inherits from what in a library is not known.
            (Type::Object(_), Type::Object(_)) => true,
            _ => whole == part,
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

/// Values that have no kinds to tell apart.
#[cfg(test)]
pub(super) struct Plain;

#[cfg(test)]
impl Domain for Plain {
    fn join(&self, _: Type) -> Option<Type> {
        None
    }

    fn kinds(&self, _: Type) -> Kinds {
        Kinds::ANY
    }

    fn covers(&self, whole: Type, part: Type) -> bool {
        whole == part
    }

    fn is_certain(&self, _: Type) -> bool {
        true
    }
}
