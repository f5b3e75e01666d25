//! Constant texts behind an expression: all that a name, an element or a loop variable can be, and whether a text holds one of
//! the markers that somebody looks for.

use super::definitions::{Definition, Read};
use super::values::Values;
use crate::catalog::BUILTINS;
use crate::finding::Confidence;
use crate::ir::{EntryKey, Expr, ExprId, Imported, Lit, Op};
use crate::link::Func;

/// Names of names, and containers in containers.
const MAX_HOPS: u32 = 8;
/// A value with more texts is not a constant worth following.
const MAX_TEXTS: usize = 32;
/// So many expressions are looked at for one answer: constants can be nested wider than deep.
const MAX_STEPS: u32 = 300;
/// Containers of the language that keep their elements.
const CONTAINERS: [&str; 5] = ["tuple", "list", "set", "frozenset", "sorted"];

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
    pub fn texts(&self, func: Func, expr: ExprId) -> Vec<String> {
        let mut found = Vec::new();
        self.bounded(|| self.fold(func, expr, MAX_HOPS, &mut found));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The constant texts in a collection.
    pub fn elements(&self, func: Func, expr: ExprId) -> Vec<String> {
        let mut found = Vec::new();
        self.bounded(|| self.fold_read(func, expr, &[Read::Any], MAX_HOPS, &mut found));
        found
    }

    /// Runs a search with a budget; a search inside a search shares that of the outer one.
    fn bounded<T>(&self, search: impl FnOnce() -> T) -> T {
        if self.steps.get().is_some() {
            return search();
        }
        self.steps.set(Some(MAX_STEPS));
        let found = search();
        self.steps.set(None);
        found
    }

    /// One step deeper; `None` if that is too deep, or too much.
    fn deeper(&self, hops: u32) -> Option<u32> {
        let left = self.steps.get()?.checked_sub(1)?;
        self.steps.set(Some(left));
        hops.checked_sub(1)
    }

    fn fold(&self, func: Func, expr: ExprId, hops: u32, out: &mut Vec<String>) {
        let Some(hops) = self.deeper(hops).filter(|_| out.len() < MAX_TEXTS) else { return };
        let facts = self.facts(func);
        if let Expr::Lit(lit) = *facts.expr(expr) {
            if let Lit::Str(text) = lit {
                out.push(facts.str(text).to_owned());
            }
            return;
        }
        if let Some(known) = self.program.constant(func, expr).filter(|known| known.whole) {
            out.push(known.text);
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
            Expr::Call { .. } => out.extend(self.joined(func, expr)),
            _ => self.fold_name(func, expr, &[], hops, out),
        }
    }

    fn constant_read(&self, func: Func, key: ExprId) -> Option<Read> {
        match *self.facts(func).expr(key) {
            Expr::Lit(Lit::Int(at)) => Some(Read::At(u32::try_from(at).ok()?)),
            Expr::Lit(Lit::Str(name)) => Some(Read::Name(name)),
            _ => None,
        }
    }

    /// `"_".join((A, B))`.
    fn joined(&self, func: Func, call: ExprId) -> Option<String> {
        let method = self.method(func, call).filter(|method| method.name == "join")?;
        let separator = self.program.constant(func, method.receiver).filter(|known| known.whole)?;
        let facts = self.facts(func);
        let Expr::Seq(parts) = *facts.expr(method.args.first()?.value) else { return None };
        let part = |&part: &ExprId| match &self.texts(func, part)[..] {
            [only] => Some(only.clone()),
            _ => None,
        };
        let parts: Option<Vec<String>> = facts.list(parts).iter().map(part).collect();
        Some(parts?.join(&separator.text))
    }

    fn fold_name(&self, func: Func, expr: ExprId, reads: &[Read], hops: u32, out: &mut Vec<String>) {
        for (func, definition) in self.bound(func, expr) {
            let Some(reads) = through(&definition, reads) else { continue };
            self.fold_read(func, definition.value, &reads, hops, out);
        }
    }

    /// The texts of what is read of a container, the first read first.
    fn fold_read(&self, func: Func, expr: ExprId, reads: &[Read], hops: u32, out: &mut Vec<String>) {
        let Some((&read, rest)) = reads.split_first() else { return self.fold(func, expr, hops, out) };
        let Some(hops) = self.deeper(hops).filter(|_| out.len() < MAX_TEXTS) else { return };
        let facts = self.facts(func);
        match *facts.expr(expr) {
            Expr::Seq(items) => {
                let chosen = facts.list(items).iter().enumerate().filter(|(at, _)| match read {
                    Read::At(wanted) => wanted as usize == *at,
                    _ => true,
                });
                chosen.for_each(|(_, &item)| self.fold_read(func, item, rest, hops, out));
            }
            Expr::Record(entries) => {
                for entry in facts.list(entries) {
                    let EntryKey::Expr(key) = entry.key else { continue };
                    match (read, facts.expr(key)) {
                        (Read::Any, _) => self.fold_read(func, key, rest, hops, out),
                        (Read::Name(name), Expr::Lit(Lit::Str(key)))
                            if facts.str(name) == facts.str(*key) =>
                        {
                            self.fold_read(func, entry.value, rest, hops, out);
                        }
                        _ => {}
                    }
                }
            }
            Expr::Op { op: Op::Add | Op::BitOr, args } => {
                facts.list(args).iter().for_each(|&arg| self.fold_read(func, arg, reads, hops, out));
            }
            Expr::Call { args, .. } => {
                let path = self.path(func, expr).unwrap_or_default();
                let name = path.strip_prefix(BUILTINS).unwrap_or_default();
                if let ([arg], true) = (facts.list(args), CONTAINERS.contains(&name)) {
                    self.fold_read(func, arg.value, reads, hops, out);
                }
            }
            _ => self.fold_name(func, expr, reads, hops, out),
        }
    }

    /// The marker that the text (or pattern, or table of characters) behind `expr` holds.
    pub fn holds(&self, func: Func, expr: ExprId, markers: &Markers<'_>) -> Option<Held> {
        self.bounded(|| self.held(func, expr, markers, MAX_HOPS))
    }

    fn held(&self, func: Func, expr: ExprId, markers: &Markers<'_>, hops: u32) -> Option<Held> {
        let hops = self.deeper(hops)?;
        let facts = self.facts(func);
        let each = |list: &[ExprId]| list.iter().find_map(|&part| self.held(func, part, markers, hops));
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
            Expr::Record(entries) => facts.list(entries).iter().find_map(|entry| match entry.key {
                EntryKey::Expr(key) => self.held(func, key, markers, hops),
                EntryKey::Spread => None,
            }),
            Expr::Call { args, .. } => {
                let values: Vec<ExprId> = facts.list(args).iter().map(|arg| arg.value).collect();
                let kept = &self.catalog.handed_on;
                let by_method = self.method(func, expr).filter(|m| kept.keeps_text_by_method(m.name));
                if self.path(func, expr).is_some_and(|path| kept.keeps_text(&path)) {
                    return each(&values);
                }
                by_method.and_then(|m| self.held(func, m.receiver, markers, hops).or_else(|| each(&values)))
            }
            _ => self.held_name(func, expr, markers, hops),
        }
    }

    fn held_constant(&self, func: Func, expr: ExprId, markers: &Markers<'_>) -> Option<Held> {
        let facts = self.facts(func);
        let known = match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) | Expr::Lit(Lit::Bytes(text)) => facts.str(text).to_owned(),
            Expr::Lit(_) => return None,
            Expr::Call { .. } => self.joined(func, expr)?,
            _ => self.program.constant(func, expr)?.text,
        };
        let known = known.to_lowercase();
        let marker = markers.texts.iter().find(|marker| known.contains(&marker.to_lowercase()))?;
        Some(Held { marker: marker.clone(), confidence: Confidence::High })
    }

    fn held_name(&self, func: Func, expr: ExprId, markers: &Markers<'_>, hops: u32) -> Option<Held> {
        let bound = self.bound(func, expr);
        let is_own = |(func, definition): &(Func, Definition)| match *self.facts(*func).expr(definition.value)
        {
            Expr::Import(_) => self.program.variable(*func, definition.value).is_some(),
            _ => true,
        };
        if !bound.is_empty() && bound.iter().all(is_own) {
            return bound.into_iter().find_map(|(func, definition)| {
                let plain = !definition.is_element || definition.reads.is_empty();
                plain.then(|| self.held(func, definition.value, markers, hops)).flatten()
            });
        }
        let name = self.name(func, expr).filter(|_| markers.by_name)?;
        let is_known = self.catalog.fence.names_marker(name);
        is_known.then(|| Held { marker: name.to_owned(), confidence: Confidence::Medium })
    }

    /// The name under which the definition of `expr` would be found.
    fn name(&self, func: Func, expr: ExprId) -> Option<&str> {
        let facts = self.facts(func);
        let imported = self.bound(func, expr).into_iter().find_map(|(func, definition)| {
            let facts = self.facts(func);
            let Expr::Import(id) = *facts.expr(definition.value) else { return None };
            match facts.import(id).what {
                Imported::Name(name) => Some(facts.str(name)),
                _ => None,
            }
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
