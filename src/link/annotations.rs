//! Annotations: what a declared type promises of a value.

use super::ids::{Cls, Func};
use super::index::Index;
use super::kinds::{Accepted, Kinds};
use super::statics::MAX_HOPS;
use super::types::{Type, Types};
use crate::ir::{ClassKind, Expr, ExprId, Lit, Op};

/// What an annotation promises.
#[derive(Clone, Debug, Default)]
pub struct Annotation {
    /// Instances, classes and libraries' types.
    pub types: Types,
    /// Element types of an annotated container.
    pub elements: Types,
    /// What may come besides: nothing where a class or a scalar is declared, what can be called for `Callable`.
    pub accepts: Kinds,
    /// The compiler lets nothing else come.
    is_checked: bool,
    /// Something that can be called, whatever it is, ...
    is_callable: bool,
    /// ... and a container of such.
    pub holds_callables: bool,
    /// It is a container by the name of a wrapper, even where no class says of what.
    is_wrapped: bool,
    /// `Self`: the class of the receiver, which the caller knows best.
    pub is_own: bool,
    /// Aliases that may still be followed.
    pub(super) hops: u32,
}

/// Generic types whose argument is the value itself.
const TRANSPARENT: [&str; 12] = [
    "Optional",
    "Union",
    "Annotated",
    "Final",
    "ClassVar",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Awaitable",
    "Coroutine",
    "InitVar",
    "TypeGuard",
];
/// Generic types that hand their last argument to `with`.
const CONTEXTS: [&str; 4] =
    ["ContextManager", "AsyncContextManager", "AbstractContextManager", "AbstractAsyncContextManager"];
const SCALARS: [&str; 9] = ["str", "int", "float", "bool", "bytes", "complex", "bytearray", "None", "range"];
const CONTAINERS: [&str; 34] = [
    "ContextVar",
    "list",
    "dict",
    "set",
    "tuple",
    "frozenset",
    "List",
    "Dict",
    "Set",
    "Tuple",
    "FrozenSet",
    "Sequence",
    "Iterable",
    "Iterator",
    "AsyncIterator",
    "AsyncIterable",
    "Generator",
    "AsyncGenerator",
    "Collection",
    "Mapping",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Deque",
    "DefaultDict",
    "OrderedDict",
    "deque",
    "defaultdict",
    "OrderedDict",
    "ChainMap",
    "KeysView",
    "ValuesView",
    "ItemsView",
    "Reversible",
];

/// Types of which no value leads to a call.
const WORDS: [&str; 6] = ["Literal", "LiteralString", "Text", "AnyStr", "Never", "NoReturn"];

impl Annotation {
    /// True for a container, whatever it holds.
    pub fn is_container(&self) -> bool {
        !self.elements.is_empty() || self.is_wrapped
    }

    /// What is let in where it stands.
    pub fn accepted(&self) -> Accepted {
        Accepted { kinds: self.accepts, is_checked: self.is_checked }
    }

    fn accept(&mut self, kinds: Kinds) {
        self.accepts = self.accepts.or(kinds);
    }
}

fn of_builtin(name: &str) -> Kinds {
    match name {
        _ if SCALARS.contains(&name) => Kinds::NONE,
        _ if CONTAINERS.contains(&name) => Kinds::MANY,
        "type" | "callable" => Kinds::CALLABLE,
        _ => Kinds::ANY,
    }
}

fn of_typing(name: &str) -> Kinds {
    match name {
        _ if WORDS.contains(&name) => Kinds::NONE,
        _ if CONTAINERS.contains(&name) => Kinds::MANY,
        "Callable" | "Type" => Kinds::CALLABLE,
        _ => Kinds::ANY,
    }
}

impl Index<'_> {
    /// Reads an annotation that stands in `func`. `class` is what `Self` means.
    pub fn annotation(&self, func: Func, expr: ExprId, class: Option<Cls>) -> Annotation {
        let mut annotation = Annotation { hops: MAX_HOPS, ..Annotation::default() };
        self.annotate(func, expr, class, &mut annotation);
        annotation.types.sort_unstable();
        annotation.types.dedup();
        if !annotation.types.is_empty() {
            annotation.accepts = annotation.accepts.and(Kinds::CALLABLE);
        }
        if self.units[self.file_of(func)].facts.profile().checks_types {
            self.believe(&mut annotation);
        }
        annotation
    }

    /// A value of a class that is no interface is nothing else, and nor are the elements of a container of such.
    fn believe(&self, annotation: &mut Annotation) {
        let Annotation { types, elements, accepts, .. } = annotation;
        let is_class = |ty: &Type| match *ty {
            Type::Instance { class, .. } => self.class_ir(class).1.kind != ClassKind::Interface,
            _ => false,
        };
        let are_classes = types.iter().chain(&*elements).all(is_class);
        if !are_classes || annotation.holds_callables || annotation.is_callable {
            return;
        }
        match (types.is_empty(), elements.is_empty()) {
            (false, true) if *accepts == Kinds::NONE => annotation.is_checked = true,
            (true, false) => {
                annotation.accepts = Kinds::NOT_ONLY_MANY;
                annotation.is_checked = true;
            }
            _ => {}
        }
    }

    fn annotate(&self, func: Func, expr: ExprId, class: Option<Cls>, out: &mut Annotation) {
        let facts = self.units[self.file_of(func)].facts;
        match *facts.expr(expr) {
            Expr::Op { op: Op::BitOr, args } => {
                facts.list(args).iter().for_each(|&arg| self.annotate(func, arg, class, out));
            }
            Expr::Index { base, key } => self.annotate_generic(func, base, key, class, out),
            Expr::Lit(Lit::None) => {}
            Expr::Lit(Lit::Str(text)) => self.annotate_text(func, facts.str(text), class, out),
            Expr::Lit(_) => out.accepts = Kinds::ANY,
            // A tuple is none of its parts.
            Expr::Seq(_) if facts.profile().checks_types => out.accepts = Kinds::ANY,
            _ => {
                if let Some((func, value)) = self.type_alias(func, expr, out) {
                    return self.annotate(func, value, class, out);
                }
                let named = self.statics(func, expr);
                if named.is_empty() {
                    out.accepts = Kinds::ANY;
                }
                named.into_iter().for_each(|ty| self.annotate_named(ty, class, out));
            }
        }
    }

    pub(super) fn annotate_named(&self, ty: Type, class: Option<Cls>, out: &mut Annotation) {
        match ty {
            Type::Class { class, .. } => out.types.push(Type::Instance { class, exact: false }),
            Type::External(path) | Type::Unbound(path) => {
                let text = self.externals.text(path);
                match text.split_once('.') {
                    Some(("builtins", name)) => out.accept(of_builtin(name)),
                    Some(("typing" | "typing_extensions", "Self")) => {
                        out.is_own = true;
                        out.types.extend(class.map(|class| Type::Instance { class, exact: false }));
                    }
                    Some((
                        "typing" | "typing_extensions" | "collections" | "contextvars" | "types",
                        name,
                    )) => {
                        out.accept(of_typing(name.rsplit('.').next().unwrap_or(name)));
                    }
                    Some(("std", rest)) if self.is_callable_type(rest) => {
                        out.accepts = Kinds::ANY;
                        out.is_callable = true;
                    }
                    _ => out.types.push(Type::Object(path)),
                }
            }
            _ => out.accepts = Kinds::ANY,
        }
    }

    /// Who calls a value of such a type calls what somebody made of it.
    fn is_callable_type(&self, path: &str) -> bool {
        let name = path.rsplit('.').next().unwrap_or(path);
        self.externals.catalog().wrappers.callables.contains(name)
    }

    fn annotate_generic(
        &self,
        func: Func,
        base: ExprId,
        key: ExprId,
        class: Option<Cls>,
        out: &mut Annotation,
    ) {
        let facts = self.units[self.file_of(func)].facts;
        let keys: Vec<ExprId> = match *facts.expr(key) {
            Expr::Seq(items) => facts.list(items).to_vec(),
            _ => vec![key],
        };
        let named = self.statics(func, base);
        let generic = named.iter().find_map(|ty| match *ty {
            Type::External(path) | Type::Unbound(path) => Some(self.externals.text(path)),
            _ => None,
        });
        let Some(generic) = generic else {
            return named.into_iter().for_each(|ty| self.annotate_named(ty, class, out));
        };
        let name = generic.rsplit('.').next().unwrap_or_default();
        if self.units[self.file_of(func)].facts.profile().has_wrappers {
            return self.annotate_wrapped(func, (name, &named), &keys, class, out);
        }
        if name == "Annotated" {
            self.annotate(func, keys[0], class, out);
        } else if TRANSPARENT.contains(&name) {
            keys.iter().for_each(|&key| self.annotate(func, key, class, out));
        } else if CONTEXTS.contains(&name) {
            keys.iter().take(1).for_each(|&key| self.annotate(func, key, class, out));
        } else if name == "type" || name == "Type" {
            out.accept(Kinds::CALLABLE);
            out.types.extend(keys.iter().flat_map(|&key| self.statics(func, key)).map(inexact));
        } else if CONTAINERS.contains(&name) {
            out.accept(Kinds::MANY);
            self.annotate_elements(func, name, &keys, class, out);
        } else {
            named.into_iter().for_each(|ty| self.annotate_named(ty, class, out));
        }
    }

    /// The words are the catalogue's.
    fn annotate_wrapped(
        &self,
        func: Func,
        (name, named): (&str, &Types),
        keys: &[ExprId],
        class: Option<Cls>,
        out: &mut Annotation,
    ) {
        let words = &self.externals.catalog().wrappers;
        let held = match () {
            () if words.types.contains(name) => return self.annotate(func, keys[0], class, out),
            () if words.sequences.contains(name) => keys.first(),
            () if words.mappings.contains(name) => keys.last(),
            () => return named.iter().for_each(|&ty| self.annotate_named(ty, class, out)),
        };
        out.accepts = Kinds::ANY;
        held.into_iter().for_each(|&key| self.annotate_held(func, key, class, out));
        out.is_wrapped = true;
    }

    /// Mappings hold their last argument, everything else all of them.
    fn annotate_elements(
        &self,
        func: Func,
        name: &str,
        keys: &[ExprId],
        class: Option<Cls>,
        out: &mut Annotation,
    ) {
        let is_mapping = name.ends_with("ict") || name.contains("Mapping");
        let skip = if is_mapping { keys.len().saturating_sub(1) } else { 0 };
        keys[skip..].iter().for_each(|&key| self.annotate_held(func, key, class, out));
    }

    fn annotate_held(&self, func: Func, key: ExprId, class: Option<Cls>, out: &mut Annotation) {
        let mut inner = Annotation { hops: out.hops, ..Annotation::default() };
        self.annotate(func, key, class, &mut inner);
        // A type that holds itself twice would be read twice as often at each level.
        out.hops = inner.hops;
        out.holds_callables |= inner.is_callable;
        out.elements.extend(inner.types);
        out.elements.sort_unstable();
        out.elements.dedup();
    }
}

/// `type[T]` may be any subclass.
fn inexact(ty: Type) -> Type {
    match ty {
        Type::Class { class, .. } => Type::Class { class, exact: false },
        other => other,
    }
}
