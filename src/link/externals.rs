//! External paths: what is named through an import but not defined in the project (`requests.Session.get`). One number per
//! path; what the catalogue says of a path is looked up once, when the path is first seen.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use hashbrown::DefaultHashBuilder;

use super::call::CALL;
use super::growing::Growing;
use super::ids::PathId;
use super::memo::SharedMemo;
use super::names::Names;
use super::types::Type;
use crate::catalog::{CallbackId, Catalog, Loader};
use crate::ir::Sym;

/// Paths deeper than this are cut: a fluent chain of thousands of calls is no name.
const MAX_SEGMENTS: u8 = 16;

/// Where no object is in a path, what stands behind the second name is taken for an attribute of what that names.
const MANY_SEGMENTS: usize = 1;

/// The last segment of a path that stands for any attribute of an object, and for what is reached through it.
pub const ANY: &str = "*";

#[derive(Debug)]
struct Info {
    text: Box<str>,
    depth: u8,
    /// The type of what a call of this path hands back.
    result: Option<PathId>,
    callback: Option<CallbackId>,
    is_loader: bool,
    is_of_language: bool,
    /// A call of it sets an attribute by its name.
    sets: bool,
    /// A method of a class that hands back an object of the class.
    makes_own: bool,
    /// Its objects have what others are given by name.
    is_filled: bool,
}

/// Grows while the solver follows attributes; shared, because many readers may discover a path.
pub struct Externals<'c> {
    catalog: &'c Catalog,
    infos: Growing<Info>,
    by_text: RwLock<ByText>,
    children: SharedMemo<(PathId, Sym), PathId>,
}

#[derive(Debug, Default)]
struct ByText {
    /// How many paths there are.
    count: u32,
    // A seeded hash: the keys are text of the scanned tree, which may be hostile.
    ids: HashMap<Box<str>, PathId, DefaultHashBuilder>,
}

impl<'c> Externals<'c> {
    pub fn new(catalog: &'c Catalog) -> Self {
        let (infos, by_text, children) = Default::default();
        Self { catalog, infos, by_text, children }
    }

    pub fn catalog(&self) -> &'c Catalog {
        self.catalog
    }

    /// The path with this text, by the name under which the catalogue knows it.
    pub fn path(&self, text: &str) -> PathId {
        if let Some(&id) = self.by_text.read().unwrap_or_else(PoisonError::into_inner).ids.get(text) {
            return id;
        }
        match self.catalog.canonical(text) {
            Some(canonical) if canonical != text => {
                let id = self.path(&canonical);
                self.by_text.write().unwrap_or_else(PoisonError::into_inner).ids.insert(text.into(), id);
                id
            }
            _ => self.add(text),
        }
    }

    fn add(&self, text: &str) -> PathId {
        let result = self.catalog.returns.first(text).map(|id| self.catalog.text(id).to_owned());
        let result = match result {
            Some(path) if path == text => None,
            Some(path) => Some(self.path(&path)),
            None => None,
        };
        let is_own_result = self.catalog.returns.first(text).is_some() && result.is_none();
        let depth = text.split('.').count().min(usize::from(u8::MAX)) as u8;
        let names_a_class = is_own_result || last_segment(text).starts_with(|c: char| c.is_uppercase());
        let callback = self.catalog.callback_of(text);
        let mut by_text = self.by_text.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster.
        if let Some(&id) = by_text.ids.get(text) {
            return id;
        }
        let id = PathId(by_text.count);
        let result = result.or(names_a_class.then_some(id));
        let is_of_language = self.catalog.is_of_language(text);
        let is_loader = self.catalog.loader(text).is_some();
        let sets = self.catalog.setters.of_call(text).is_some();
        let makes_own = result.is_none() && self.catalog.bases.makes_own(text);
        let is_filled = self.catalog.setters.fills(text);
        let info = Info {
            text: text.into(),
            depth,
            result,
            callback,
            is_loader,
            is_of_language,
            sets,
            makes_own,
            is_filled,
        };
        self.infos.put(id.0, info);
        by_text.count += 1;
        by_text.ids.insert(text.into(), id);
        id
    }

    /// Any attribute of the object that a path begins with: `sqlite3.Row.*` for `sqlite3.Row.content.role`. Of a name that
    /// nothing binds, any attribute of it.
    pub fn any_attribute(&self, path: PathId, is_bound: bool) -> Option<PathId> {
        let text = self.text(path);
        let ends = || text.match_indices('.').map(|(at, _)| at);
        let is_object = |end: &usize| {
            let path = &text[..*end];
            last_segment(path).starts_with(|c: char| c.is_uppercase())
                || path.contains('.') && self.catalog.is_of_language(path)
        };
        let end = match is_bound {
            true => ends().find(is_object).or_else(|| ends().nth(MANY_SEGMENTS))?,
            false => ends().next()?,
        };
        Some(self.path(&format!("{}.{ANY}", &text[..end]))).filter(|&any| any != path)
    }

    /// The method by which an object of the path's class is called.
    pub fn called(&self, path: PathId) -> PathId {
        self.path(&format!("{}.{CALL}", self.text(path)))
    }

    /// True for what stands for any attribute.
    pub fn is_any(&self, path: PathId) -> bool {
        last_segment(self.text(path)) == ANY
    }

    /// True for what an object of a class that the path names has, not for what is reached through that.
    pub fn is_method(&self, path: PathId) -> bool {
        let mut names = self.text(path).rsplit('.');
        names.next() != Some(ANY) && names.next().is_some_and(|owner| owner.starts_with(char::is_uppercase))
    }

    /// True for what stands for anything that a library hands out.
    pub fn is_anything(&self, path: PathId) -> bool {
        self.text(path) == ANY
    }

    /// `path.name`.
    pub fn child(&self, path: PathId, name: Sym, names: &Names<'_>) -> PathId {
        self.children.of((path, name), || {
            let Info { text, depth, .. } = self.info(path);
            if *depth >= MAX_SEGMENTS || last_segment(text) == ANY {
                return path;
            }
            self.path(&format!("{text}.{}", names.text(name)))
        })
    }

    fn info(&self, path: PathId) -> &Info {
        self.infos.get(path.0).expect("who has a number has it from `add`")
    }

    pub fn text(&self, path: PathId) -> &str {
        &self.info(path).text
    }

    /// The path of the instance that calling `path` hands back: a constructor's own path, or what the catalogue says.
    pub fn result(&self, path: PathId) -> Option<PathId> {
        self.info(path).result
    }

    pub fn callback(&self, path: PathId) -> Option<CallbackId> {
        self.info(path).callback
    }

    /// True for a call that stands for the default of a field.
    pub fn makes_field(&self, path: PathId) -> bool {
        self.catalog().fields.contains(last_segment(self.text(path)))
    }

    /// What the path loads, if it is a loader of code.
    pub fn loader(&self, path: PathId) -> Option<&'c Loader> {
        let Info { is_loader, text, .. } = self.info(path);
        is_loader.then(|| self.catalog.loader(text)).flatten()
    }

    /// True if a call of it sets an attribute by its name.
    pub fn sets(&self, path: PathId) -> bool {
        self.info(path).sets
    }

    /// True for a method of a class that hands back an object of the class.
    pub fn makes_own(&self, path: PathId) -> bool {
        self.info(path).makes_own
    }

    /// True for a class whose objects have what others are given by name.
    pub fn is_filled(&self, path: PathId) -> bool {
        self.info(path).is_filled
    }

    /// True for the table of all modules.
    pub fn is_module_table(&self, path: PathId) -> bool {
        self.catalog.setters.is_module_table(self.text(path))
    }

    /// True for what the language comes with and nobody asks for.
    pub fn is_of_language(&self, path: PathId) -> bool {
        self.info(path).is_of_language
    }
}

fn last_segment(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
}

impl Type {
    /// Any attribute of the library object that this is one of; of that, anything that a library hands out.
    pub fn join(self, externals: &Externals<'_>) -> Option<Self> {
        let (path, is_bound) = match self {
            Type::External(path) | Type::Object(path) | Type::Handed(path) => (path, true),
            Type::Unbound(path) => (path, false),
            _ => return None,
        };
        if externals.is_any(path) {
            return Some(Type::Unbound(externals.path(ANY))).filter(|top| *top != self);
        }
        let any = externals.any_attribute(path, is_bound)?;
        Some(match self {
            Type::External(_) => Type::External(any),
            Type::Object(_) => Type::Object(any),
            Type::Handed(_) => Type::Handed(any),
            _ => Type::Unbound(any),
        })
    }
}
