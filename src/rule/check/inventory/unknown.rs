//! What a handler calls of which nobody says what it does: functions of libraries that the catalogue does not know.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::super::Context;
use crate::finding::Confidence;
use crate::inventory::UnknownLibrary;
use crate::link::{Edge, EdgeKind, Target};
use crate::source::FileId;

/// The libraries that a project imports and the catalogue does not know.
pub struct Unknown<'c>(FxHashSet<&'c str>);

impl<'c> Unknown<'c> {
    pub fn find(context: &Context<'c>) -> Self {
        let (program, catalog) = (context.program, context.catalog);
        let files = (0..program.units().len() as u32).map(FileId);
        let imports = files.flat_map(|file| {
            program.facts(file).import_ids().filter_map(move |id| program.library_import(file, id))
        });
        let firsts = imports.filter_map(|(path, _)| path.split('.').next());
        Self(firsts.filter(|first| !catalog.tells_of(first)).collect())
    }

    /// Those that are called, each with the first call, by name.
    pub fn called<'e>(
        &self,
        context: &Context<'_>,
        edges: impl Iterator<Item = &'e Edge>,
    ) -> Vec<UnknownLibrary> {
        let mut found: BTreeMap<&str, UnknownLibrary> = BTreeMap::new();
        // An object that may be of several kinds names each of their libraries.
        let is_sure = |edge: &&Edge| edge.kind != EdgeKind::Stored && edge.confidence == Confidence::High;
        for edge in edges.filter(|_| !self.0.is_empty()).filter(is_sure) {
            let Target::External(path) = edge.to else { continue };
            let callee = context.program.path(path);
            let Some(&name) = callee.split('.').next().and_then(|first| self.0.get(first)) else { continue };
            let place = context.place(edge.at);
            let known = found.entry(name).or_insert_with(|| UnknownLibrary {
                name: name.to_owned(),
                callee: callee.to_owned(),
                place,
                calls: 0,
            });
            known.calls += 1;
            if place < known.place {
                (known.callee, known.place) = (callee.to_owned(), place);
            }
        }
        found.into_values().collect()
    }
}
