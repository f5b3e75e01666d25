//! External paths: what is named through an import but not defined in the project (`requests.Session.get`). One number per
//! path; what the catalogue says of a path is looked up once, when the path is first seen.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;
use rustc_hash::FxHashMap;

use super::names::{Name, Names};
use crate::catalog::{CallbackId, Catalog};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PathId(pub u32);

/// Paths deeper than this are cut: a fluent chain of thousands of calls is no name.
const MAX_SEGMENTS: u8 = 16;

#[derive(Debug)]
struct Info {
    text: Arc<str>,
    depth: u8,
    /// The type of what a call of this path hands back.
    result: Option<PathId>,
    callback: Option<CallbackId>,
}

/// Grows while the solver follows attributes; shared, because many readers may discover a path.
#[derive(Debug)]
pub struct Externals<'c> {
    catalog: &'c Catalog,
    table: RefCell<Table>,
}

#[derive(Debug, Default)]
struct Table {
    infos: Vec<Info>,
    by_text: HashMap<Box<str>, PathId, DefaultHashBuilder>,
    children: FxHashMap<(PathId, Name), PathId>,
}

impl<'c> Externals<'c> {
    pub fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, table: RefCell::default() }
    }

    pub fn catalog(&self) -> &'c Catalog {
        self.catalog
    }

    /// The path with this text, by the name under which the catalogue knows it.
    pub fn path(&self, text: &str) -> PathId {
        if let Some(&id) = self.table.borrow().by_text.get(text) {
            return id;
        }
        let id = match self.catalog.canonical(text) {
            Some(canonical) if canonical != text => self.path(&canonical),
            _ => self.add(text),
        };
        self.table.borrow_mut().by_text.insert(text.into(), id);
        id
    }

    fn add(&self, text: &str) -> PathId {
        let result = self.catalog.returns.first(text).map(|id| self.catalog.text(id).to_owned());
        let result = match result {
            Some(path) if path == text => None,
            Some(path) => Some(self.path(&path)),
            None => None,
        };
        let is_own_result = self.catalog.returns.first(text).is_some() && result.is_none();
        let mut table = self.table.borrow_mut();
        let id = PathId(table.infos.len() as u32);
        let depth = text.split('.').count().min(usize::from(u8::MAX)) as u8;
        let names_a_class = is_own_result || last_segment(text).starts_with(|c: char| c.is_uppercase());
        let result = result.or(names_a_class.then_some(id));
        table.infos.push(Info { text: text.into(), depth, result, callback: self.catalog.callback_of(text) });
        id
    }

    /// `path.name`.
    pub fn child(&self, path: PathId, name: Name, names: &Names<'_>) -> PathId {
        if let Some(&child) = self.table.borrow().children.get(&(path, name)) {
            return child;
        }
        if self.table.borrow().infos[path.0 as usize].depth >= MAX_SEGMENTS {
            return path;
        }
        let text = format!("{}.{}", self.text(path), names.text(name));
        let child = self.path(&text);
        self.table.borrow_mut().children.insert((path, name), child);
        child
    }

    pub fn text(&self, path: PathId) -> Arc<str> {
        Arc::clone(&self.table.borrow().infos[path.0 as usize].text)
    }

    /// The path of the instance that calling `path` hands back: a constructor's own path, or what the catalogue says.
    pub fn result(&self, path: PathId) -> Option<PathId> {
        self.table.borrow().infos[path.0 as usize].result
    }

    pub fn callback(&self, path: PathId) -> Option<CallbackId> {
        self.table.borrow().infos[path.0 as usize].callback
    }
}

fn last_segment(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
}
