//! Values made of others: records and their guards, sequences, texts that are put together, comparisons.

use super::data::{Data, Key, Marks};
use super::labels::Labels;
use super::state::Value;
use super::walk::Walk;
use crate::ir::{Entry, EntryKey, Expr, ExprId, Op};

impl Walk<'_, '_, '_> {
    /// A part of a value.
    pub(super) fn read(&self, of: &Value, key: Option<Key>) -> Value {
        let data = match key {
            Some(key) => {
                let read = self.of_given(of.data.read(key));
                let mark = self.mark_of(of.data.marks(), key);
                match mark == Marks::default() {
                    true => read,
                    // What the fence says of the content is no content.
                    false if mark.has(Marks::MARKER) && !of.data.has_field(key) => Data::marked(mark),
                    false => read.with_marks(mark),
                }
            }
            None => of.data.read(Key::Each),
        };
        Value { data, path: of.path.map(|path| path.under(key)), ..Value::default() }
    }

    /// What guards a value stands under keys that are known.
    fn mark_of(&self, marks: Marks, key: Key) -> Marks {
        let words = self.model.catalog;
        if marks.has(Marks::ATTRIBUTED) && self.is_one_of(key, &words.attribution.keys) {
            return Marks::CREDIT;
        }
        if marks.has(Marks::ATTRIBUTED) && self.is_one_of(key, &words.attribution.holders) {
            return Marks::ATTRIBUTED;
        }
        if marks.has(Marks::FENCED) && self.is_one_of(key, &words.fence.keys) {
            return Marks::FENCED.or(Marks::MARKER);
        }
        Marks::default()
    }

    pub(super) fn is_one_of(&self, key: Key, words: &[String]) -> bool {
        let Key::Name(name) = key else { return false };
        words.iter().any(|word| self.model.program.symbol_of(word) == Some(name))
    }

    /// A record says where its content comes from, or that it is fenced, if one of its fields does.
    pub(super) fn sealed(&self, record: Data, key: Key, value: &Data) -> Data {
        let words = self.model.catalog;
        let marks = value.marks();
        let credits = marks.has(Marks::CREDIT) && self.is_one_of(key, &words.attribution.keys);
        let holds = marks.has(Marks::ATTRIBUTED) && self.is_one_of(key, &words.attribution.holders);
        let record = if credits || holds { record.with_marks(Marks::ATTRIBUTED) } else { record };
        // The marker itself, and nothing that is fenced on its own.
        let marker = marks.has(Marks::MARKER) && value.total().is_empty();
        let holder = marks.has(Marks::FENCED) && self.is_one_of(key, &words.attribution.holders);
        let record = if marker || holder && value.total().is_empty() {
            record.with_marks(Marks::FENCED)
        } else {
            record
        };
        if self.is_one_of(key, &words.fence.warning) { record.with_marks(Marks::WARNED) } else { record }
    }

    pub(super) fn record(&mut self, entries: &[Entry], parts: &[Value]) -> Data {
        let mut out = Data::default();
        for (entry, value) in entries.iter().zip(parts) {
            match entry.key {
                EntryKey::Expr(key) => {
                    out = match self.key(key) {
                        Some(key) if self.blanks_warning(Some(key), Some(entry.value)) => {
                            out.without_marks(Marks::WARNED)
                        }
                        Some(key) => self.sealed(out.with_field(key, &value.data), key, &value.data),
                        None => out.with_rest(&value.data.total()),
                    };
                }
                EntryKey::Spread => out = merged(&out, &value.data),
            }
        }
        out
    }

    pub(super) fn sequence(&self, items: &[ExprId], parts: &[Value]) -> Data {
        let mut out = Data::default();
        let mut at = Some(0);
        for (item, value) in items.iter().zip(parts) {
            if matches!(self.facts.expr(*item), Expr::Spread(_)) {
                out = out.with_element(&value.data.read(Key::Each));
                at = None;
                continue;
            }
            out = match at {
                Some(at) => out.with_field(Key::At(at), &value.data),
                None => out.with_element(&value.data),
            };
            if value.data.marks().has(Marks::MARKER) && value.data.total().is_empty() {
                out = out.with_marks(Marks::FENCED.or(Marks::MARKER));
            }
            at = at.map(|at| at + 1);
        }
        out
    }

    pub(super) fn operation(&mut self, op: Op, parts: &[Value]) -> Value {
        match op {
            Op::Add | Op::Mod => Value::of(joined_text(parts.iter().map(|part| &part.data))),
            Op::BitOr => {
                let first = Data::default();
                Value::of(parts.iter().fold(first, |all, part| merged(&all, &part.data)))
            }
            Op::Eq | Op::In | Op::Ne | Op::NotIn => Value::default(),
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Is | Op::IsNot => Value::default(),
            Op::Slice | Op::Sub | Op::Mul | Op::Div | Op::Other(_) => {
                Value::of(joined_text(parts.iter().map(|part| &part.data)))
            }
        }
    }
}

/// A text put together: one part of it can guard the others.
pub(super) fn joined_text<'d>(parts: impl Iterator<Item = &'d Data>) -> Data {
    let (mut labels, mut marks) = (Labels::default(), Marks::default());
    for part in parts.filter(|part| !part.is_nothing()) {
        labels.join(&part.total());
        if part.marks().has(Marks::MARKER) {
            // What a text says beside the marker is for people to judge.
            marks = marks.or(Marks::FENCED).or(Marks::MARKER).or(Marks::WARNED);
        }
        if part.marks().has(Marks::CREDIT) {
            marks = marks.or(Marks::ATTRIBUTED).or(Marks::CREDIT);
        }
    }
    Data::new(marks.guard(labels), marks)
}

/// A record with the fields of another laid over its own.
pub(super) fn merged(under: &Data, over: &Data) -> Data {
    let base = under.with_rest(&over.rest()).with_marks(over.marks());
    over.fields().fold(base, |out, (key, field)| out.with_field(key, field))
}

/// `data` with a change of one of its parts.
pub(super) fn changed(data: &Data, keys: &[Option<Key>], change: &dyn Fn(&Data) -> Data) -> Data {
    match keys {
        [] => change(data),
        [Some(key), others @ ..] => data.with_field(*key, &changed(&data.read(*key), others, change)),
        // Some element, and not the others.
        [None, ..] => data.clone(),
    }
}
