//! Constant texts behind an expression: all that a name, an element or a loop variable can be, and whether a text holds one of
//! the markers that somebody looks for.

use std::cell::Cell;
use std::sync::{Arc, PoisonError};

use super::definitions::{Definition, Read};
use super::values::{Bound, Values};
use crate::catalog::DataOp;
use crate::finding::Confidence;
use crate::ir::{EntryKey, Expr, ExprId, Imported, Lit, Op};
use crate::link::Func;

/// Names of names, and containers in containers.
const MAX_HOPS: u32 = 8;
/// A value with more texts is not a constant worth following.
const MAX_TEXTS: usize = 32;
/// No key is longer, and texts are kept for each name.
const MAX_TEXT: usize = 1 << 12;
/// So many expressions are looked at for one answer: constants can be nested wider than deep.
const MAX_STEPS: u32 = 300;

/// A marker, and how sure it is that the text holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    pub marker: String,
    pub confidence: Confidence,
}

/// Texts that somebody looks for.
#[derive(Clone, Debug)]
pub struct Markers<'m> {
    pub texts: &'m [String],
    /// The catalogue's names count as well: the markers are those of the fence.
    pub by_name: bool,
}

impl Values<'_, '_> {
    /// Every constant text that `expr` can be; empty if it is not known.
    pub fn texts(&self, func: Func, expr: ExprId) -> Arc<[String]> {
        self.texts.of(self.place(func, expr), || {
            let mut found = Vec::new();
            Search::new(self).fold(func, expr, MAX_HOPS, &mut found);
            found.sort_unstable();
            found.dedup();
            found.into()
        })
    }

    /// The constant texts in a collection.
    pub fn elements(&self, func: Func, expr: ExprId) -> Arc<[String]> {
        self.elements.of(self.place(func, expr), || {
            let mut found = Vec::new();
            Search::new(self).fold_read(func, expr, &[Read::Any], MAX_HOPS, &mut found);
            found.into()
        })
    }

    /// The marker that the text (or pattern, or table of characters) behind `expr` holds.
    pub fn holds(&self, func: Func, expr: ExprId, markers: &Markers<'_>) -> Option<Held> {
        let key = (self.number_of(markers), self.place(func, expr));
        self.held.of(key, || Search::new(self).held(func, expr, markers, MAX_HOPS))
    }

    /// There are as many markers as rules that look for some.
    fn number_of(&self, markers: &Markers<'_>) -> usize {
        let is_same = |one: &(Vec<String>, bool)| one.0 == markers.texts && one.1 == markers.by_name;
        if let Some(at) = self.markers.read().unwrap_or_else(PoisonError::into_inner).iter().position(is_same)
        {
            return at;
        }
        let mut known = self.markers.write().unwrap_or_else(PoisonError::into_inner);
        known.iter().position(is_same).unwrap_or_else(|| {
            known.push((markers.texts.to_vec(), markers.by_name));
            known.len() - 1
        })
    }
}

/// A search with a budget. It asks for no answer that another search makes, so that an answer can be kept.
struct Search<'v, 'p, 'a> {
    values: &'v Values<'p, 'a>,
    /// How many expressions may still be looked at.
    left: Cell<u32>,
}

impl<'v, 'p, 'a> Search<'v, 'p, 'a> {
    fn new(values: &'v Values<'p, 'a>) -> Self {
        Self { values, left: Cell::new(MAX_STEPS) }
    }

    /// One step deeper; `None` if that is too deep, or too much.
    fn deeper(&self, hops: u32) -> Option<u32> {
        self.left.set(self.left.get().checked_sub(1)?);
        hops.checked_sub(1)
    }

    /// False once the budget is used up: what is left of a long list is not even walked through.
    fn goes_on(&self) -> bool {
        self.left.get() > 0
    }

    /// False once there are too many texts, or the budget is used up.
    fn takes(&self, out: &[String]) -> bool {
        out.len() < MAX_TEXTS && self.goes_on()
    }

    fn fold(&self, func: Func, expr: ExprId, hops: u32, out: &mut Vec<String>) {
        let Some(hops) = self.deeper(hops).filter(|_| out.len() < MAX_TEXTS) else { return };
        let facts = self.values.facts(func);
        if let Expr::Lit(lit) = *facts.expr(expr) {
            if let Lit::Str(text) = lit
                && facts.str(text).len() <= MAX_TEXT
            {
                out.push(facts.str(text).to_owned());
            }
            return;
        }
        if let Some(known) = self.values.program.constant(func, expr).filter(|known| known.whole) {
            out.extend(Some(known.text).filter(|text| text.len() <= MAX_TEXT));
            return;
        }
        match *facts.expr(expr) {
            Expr::Ascribe { value: Some(inner), .. } | Expr::Bind { value: inner, .. } => {
                self.fold(func, inner, hops, out);
            }
            Expr::If { arms, otherwise } => {
                let bodies = facts.list(arms).iter().map(|arm| arm.body).chain(otherwise);
                bodies.for_each(|body| self.fold(func, body, hops, out));
            }
            Expr::Index { base, key } => {
                if let Some(read) = self.constant_read(func, key) {
                    self.fold_read(func, base, &[read], hops, out);
                }
            }
            Expr::Call { .. } => {}
            _ => self.fold_name(func, expr, &[], hops, out),
        }
    }

    fn constant_read(&self, func: Func, key: ExprId) -> Option<Read> {
        match *self.values.facts(func).expr(key) {
            Expr::Lit(Lit::Int(at)) => Some(Read::At(u32::try_from(at).ok()?)),
            Expr::Lit(Lit::Str(name)) => Some(Read::Name(name)),
            _ => None,
        }
    }

    fn fold_name(&self, func: Func, expr: ExprId, reads: &[Read], hops: u32, out: &mut Vec<String>) {
        let Some(bound) = self.values.bound(func, expr) else { return };
        for definition in bound.definitions() {
            if !self.takes(out) {
                return;
            }
            if let Some(reads) = through(definition, reads) {
                self.fold_read(bound.func, definition.value, &reads, hops, out);
            }
        }
    }

    /// The texts of what is read of a container, the first read first.
    fn fold_read(&self, func: Func, expr: ExprId, reads: &[Read], hops: u32, out: &mut Vec<String>) {
        let Some((&read, rest)) = reads.split_first() else { return self.fold(func, expr, hops, out) };
        let Some(hops) = self.deeper(hops).filter(|_| out.len() < MAX_TEXTS) else { return };
        let facts = self.values.facts(func);
        match *facts.expr(expr) {
            Expr::Seq(items) => {
                let items = facts.list(items);
                let chosen = match read {
                    Read::At(wanted) => items.get(wanted as usize..=wanted as usize).unwrap_or_default(),
                    _ => items,
                };
                for &item in chosen {
                    if self.takes(out) {
                        self.fold_read(func, item, rest, hops, out);
                    }
                }
            }
            Expr::Record(entries) => match read {
                Read::Name(name) => {
                    let entries = self.values.entries(func, expr);
                    let values = entries.get(&name).into_iter().flatten();
                    values.for_each(|&value| self.fold_read(func, value, rest, hops, out));
                }
                Read::Any => {
                    for entry in facts.list(entries) {
                        match entry.key {
                            EntryKey::Expr(key) if self.takes(out) => {
                                self.fold_read(func, key, rest, hops, out);
                            }
                            _ => {}
                        }
                    }
                }
                Read::At(_) => {}
            },
            Expr::Op { op: Op::Add | Op::BitOr, args } => {
                facts.list(args).iter().for_each(|&arg| self.fold_read(func, arg, reads, hops, out));
            }
            Expr::Call { args, .. } => {
                let does = self.values.operation(func, expr);
                if let ([arg], Some(DataOp::MakeCollection | DataOp::MakeSet)) = (facts.list(args), does) {
                    self.fold_read(func, arg.value, reads, hops, out);
                }
            }
            _ => self.fold_name(func, expr, reads, hops, out),
        }
    }

    fn held(&self, func: Func, expr: ExprId, markers: &Markers<'_>, hops: u32) -> Option<Held> {
        let hops = self.deeper(hops)?;
        let facts = self.values.facts(func);
        let each = |list: &[ExprId]| {
            let mut list = list.iter().take_while(|_| self.goes_on());
            list.find_map(|&part| self.held(func, part, markers, hops))
        };
        if let Some(held) = self.held_constant(func, expr, markers) {
            return Some(held);
        }
        match *facts.expr(expr) {
            Expr::Text(parts) | Expr::Op { op: Op::Add | Op::BitOr | Op::Mod, args: parts } => {
                each(facts.list(parts))
            }
            Expr::Seq(parts) | Expr::Any(parts) => each(facts.list(parts)),
            Expr::Ascribe { value: Some(inner), .. }
            | Expr::Bind { value: inner, .. }
            | Expr::Await(inner) => self.held(func, inner, markers, hops),
            Expr::Index { base, key } => {
                let is_slice = matches!(facts.expr(key), Expr::Op { op: Op::Slice, .. });
                let read = self.constant_read(func, key).is_some();
                (read && !is_slice).then(|| self.held(func, base, markers, hops)).flatten()
            }
            Expr::Record(entries) => {
                let mut entries = facts.list(entries).iter().take_while(|_| self.goes_on());
                entries.find_map(|entry| match entry.key {
                    EntryKey::Expr(key) => self.held(func, key, markers, hops),
                    EntryKey::Spread => None,
                })
            }
            Expr::Call { args, .. } => {
                let values: Vec<ExprId> = facts.list(args).iter().map(|arg| arg.value).collect();
                let kept = &self.values.catalog.handed_on;
                let by_method = self.values.method(func, expr).filter(|m| kept.keeps_text_by_method(m.name));
                if self.values.path(func, expr).is_some_and(|path| kept.keeps_text(&path)) {
                    return each(&values);
                }
                by_method.and_then(|m| self.held(func, m.receiver, markers, hops).or_else(|| each(&values)))
            }
            _ => self.held_name(func, expr, markers, hops),
        }
    }

    fn held_constant(&self, func: Func, expr: ExprId, markers: &Markers<'_>) -> Option<Held> {
        let facts = self.values.facts(func);
        let known = match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) | Expr::Lit(Lit::Bytes(text)) => facts.str(text).to_owned(),
            Expr::Lit(_) => return None,
            Expr::Call { .. } => {
                self.values.method(func, expr).filter(|method| method.does == Some(DataOp::Join))?;
                self.values.program.constant(func, expr).filter(|known| known.whole)?.text
            }
            _ => self.values.program.constant(func, expr)?.text,
        };
        let known = known.to_lowercase();
        let marker = markers.texts.iter().find(|marker| known.contains(&marker.to_lowercase()))?;
        Some(Held { marker: marker.clone(), confidence: Confidence::High })
    }

    fn held_name(&self, func: Func, expr: ExprId, markers: &Markers<'_>, hops: u32) -> Option<Held> {
        let bound = self.values.bound(func, expr);
        if let Some(bound) = bound.filter(|bound| self.is_own(bound)) {
            let mut definitions = bound.definitions().iter().take_while(|_| self.goes_on());
            return definitions.find_map(|definition| {
                let plain = !definition.is_element || definition.reads.is_empty();
                plain.then(|| self.held(bound.func, definition.value, markers, hops)).flatten()
            });
        }
        let name = self.name(func, expr).filter(|_| markers.by_name)?;
        let is_known = self.values.catalog.fence.names_marker(name);
        is_known.then(|| Held { marker: name.to_owned(), confidence: Confidence::Medium })
    }

    /// True for a name that the project itself binds to something.
    fn is_own(&self, bound: &Bound) -> bool {
        let is_own = |definition: &Definition| match *self.values.facts(bound.func).expr(definition.value) {
            Expr::Import(_) => self.values.program.variable(bound.func, definition.value).is_some(),
            _ => true,
        };
        !bound.definitions().is_empty() && bound.definitions().iter().all(is_own)
    }

    /// The name under which the definition of `expr` would be found.
    fn name(&self, func: Func, expr: ExprId) -> Option<&'a str> {
        let facts = self.values.facts(func);
        let imported = self.values.bound(func, expr).and_then(|bound| {
            let facts = self.values.facts(bound.func);
            bound.definitions().iter().find_map(|definition| {
                let Expr::Import(id) = *facts.expr(definition.value) else { return None };
                match facts.import(id).what {
                    Imported::Name(name) => Some(facts.str(name)),
                    _ => None,
                }
            })
        });
        imported.or(match *facts.expr(expr) {
            Expr::Field { name, .. } | Expr::Free(name) => Some(facts.str(name)),
            _ => None,
        })
    }
}

/// What is read of a definition's value if `reads` are read of the variable; `None` if that is no part of the value.
fn through(definition: &Definition, reads: &[Read]) -> Option<Vec<Read>> {
    if definition.is_element {
        let (_, rest) = reads.split_first()?;
        return Some(rest.to_vec());
    }
    Some(definition.reads.iter().chain(reads).copied().collect())
}
