//! What is known of a value: the labels of its parts, apart by key as far as keys are constant, and the marks it carries for
//! certain. Most values are nothing of interest, and cost nothing.

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use super::labels::Key;
use super::labels::{Aspect, Labels};
use crate::finding::Confidence;
use crate::parallel::Lazy;

/// Records and tuples are told apart by so many keys; what is beyond counts for any key.
const MAX_KEYS: usize = 16;

/// What a value carries on every way that leads to it. What is joined with something without a mark loses the mark, and
/// keeps what the mark did to its labels.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marks(u8);

impl Marks {
    /// It says where it comes from, by the attribution guard.
    pub const ATTRIBUTED: Marks = Marks(1);
    /// It holds the marker of the content fence.
    pub const FENCED: Marks = Marks(2);
    /// It is, or holds, the text of an attribution, made by the guard: what it is put into is attributed.
    pub const CREDIT: Marks = Marks(4);
    /// It is, or begins with, the bare marker of the fence: what it is put into is fenced.
    pub const MARKER: Marks = Marks(8);
    /// It holds the warning that comes with the fence.
    pub const WARNED: Marks = Marks(16);

    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn or(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    pub fn and(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    fn without(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The labels of what carries the marks.
    pub fn guard(self, labels: Labels) -> Labels {
        let labels = if self.has(Marks::ATTRIBUTED) { labels.without(Aspect::Unattributed) } else { labels };
        let labels = if self.has(Marks::FENCED) { labels.without(Aspect::Unfenced) } else { labels };
        if self.has(Marks::WARNED) { labels.without(Aspect::Unwarned) } else { labels }
    }
}

#[derive(Clone, Default, Debug)]
struct Node {
    /// What is under no key of its own.
    rest: Labels,
    /// Sorted.
    fields: Vec<(Key, Data)>,
    marks: Marks,
    /// The labels of the whole, once somebody has asked.
    total: Lazy<Labels>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.marks == other.marks && self.rest == other.rest && self.fields == other.fields
    }
}

#[derive(Clone, Default, Debug)]
pub struct Data(Option<Arc<Node>>);

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0.is_some() && self.0 == other.0
    }
}

/// Joins that have been made. At each call inside a `try` all variables are joined with what the handler knows of them,
/// and all but one are the same as at the call before.
#[derive(Default, Debug)]
pub struct Joins(FxHashMap<(usize, usize), [Data; 3]>);

impl Joins {
    pub fn of(&mut self, one: &Data, other: &Data) -> Data {
        let (Some(a), Some(b)) = (&one.0, &other.0) else { return one.join(other) };
        if Arc::ptr_eq(a, b) {
            return one.clone();
        }
        // The parts are kept, so that no other data gets their addresses.
        let make = || [one.clone(), other.clone(), one.join(other)];
        self.0.entry((Arc::as_ptr(a).addr(), Arc::as_ptr(b).addr())).or_insert_with(make)[2].clone()
    }
}

impl Data {
    pub fn new(rest: Labels, marks: Marks) -> Self {
        Self::from(Node { rest, marks, ..Node::default() })
    }

    pub fn marked(marks: Marks) -> Self {
        Self::new(Labels::default(), marks)
    }

    fn from(mut node: Node) -> Self {
        node.total.forget();
        let is_nothing = node.rest.is_empty() && node.marks.is_empty();
        if is_nothing && node.fields.iter().all(|(_, field)| field.is_nothing()) {
            return Self(None);
        }
        Self(Some(Arc::new(node)))
    }

    pub fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    pub fn marks(&self) -> Marks {
        self.0.as_ref().map(|node| node.marks).unwrap_or_default()
    }

    /// The labels of the whole.
    pub fn total(&self) -> Labels {
        let Some(node) = &self.0 else { return Labels::default() };
        let all = || {
            let mut labels = node.rest.clone();
            for (_, field) in &node.fields {
                labels.join(&field.total().without(Aspect::Itself));
            }
            node.marks.guard(labels)
        };
        node.total.of(all).clone()
    }

    /// The whole without its parts.
    pub fn flat(&self) -> Data {
        match &self.0 {
            Some(node) if !node.fields.is_empty() => Self::new(self.total(), node.marks),
            _ => self.clone(),
        }
    }

    /// Changes every label, and keeps the shape.
    pub fn map(&self, change: &dyn Fn(&Labels) -> Labels) -> Data {
        let Some(node) = &self.0 else { return Data::default() };
        let rest = change(&node.rest);
        let fields: Vec<_> = node.fields.iter().map(|(key, field)| (*key, field.map(change))).collect();
        let mut pairs = fields.iter().zip(&node.fields);
        // What is shared is soon known to be the same.
        if rest.is_same(&node.rest) && pairs.all(|((_, new), (_, old))| new.is_same(old)) {
            return self.clone();
        }
        Self::from(Node { rest, fields, marks: node.marks, ..Node::default() })
    }

    fn is_same(&self, other: &Data) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    pub fn without(&self, aspect: Aspect) -> Data {
        self.map(&|labels| labels.clone().without(aspect))
    }

    pub fn weakened(&self, by: Confidence) -> Data {
        if by == Confidence::High { self.clone() } else { self.map(&|labels| labels.clone().weakened(by)) }
    }

    pub fn with_marks(&self, marks: Marks) -> Data {
        let mut node = self.node();
        node.marks = node.marks.or(marks);
        Self::from(node)
    }

    pub fn without_marks(&self, marks: Marks) -> Data {
        let mut node = self.node();
        node.marks = node.marks.without(marks);
        Self::from(node)
    }

    fn node(&self) -> Node {
        self.0.as_deref().cloned().unwrap_or_default()
    }

    /// What marks did to the labels stays, the marks themselves go.
    fn settled(&self, lost: Marks) -> Data {
        if lost.is_empty() {
            return self.clone();
        }
        let guarded = self.map(&|labels| lost.guard(labels.clone()));
        let mut node = guarded.node();
        node.marks = node.marks.without(lost);
        Self::from(node)
    }

    /// Either of two.
    pub fn join(&self, other: &Data) -> Data {
        if let (Some(one), Some(two)) = (&self.0, &other.0)
            && Arc::ptr_eq(one, two)
        {
            return self.clone();
        }
        if self.absorbs(other) {
            return self.clone();
        }
        if other.absorbs(self) {
            return other.clone();
        }
        let marks = self.marks().and(other.marks());
        let (one, two) =
            (self.settled(self.marks().without(marks)), other.settled(other.marks().without(marks)));
        let (Some(a), Some(b)) = (&one.0, &two.0) else {
            return if one.is_nothing() { two } else { one };
        };
        let mut rest = a.rest.clone();
        rest.join(&b.rest);
        let mut fields: Vec<(Key, Data)> = Vec::new();
        for (key, field) in &a.fields {
            fields.push((*key, field.join(&b.under(*key))));
        }
        for (key, field) in b.fields.iter().filter(|(key, _)| a.find(*key).is_none()) {
            fields.push((*key, a.under(*key).join(field)));
        }
        fields.sort_unstable_by_key(|(key, _)| *key);
        let mut node = Node { rest, fields, marks, ..Node::default() };
        node.limit();
        Self::from(node)
    }

    /// True if a join with the other changes nothing. Most joins do not, and need no new data.
    fn absorbs(&self, other: &Data) -> bool {
        let (Some(own), new) = (&self.0, &other.0) else { return other.is_nothing() };
        let Some(new) = new else {
            return own.marks.is_empty() && own.fields.iter().all(|(_, field)| field.absorbs(other));
        };
        Arc::ptr_eq(own, new)
            || own.marks == new.marks
                && own.rest.covers(&new.rest)
                && new.fields.iter().all(|(key, _)| own.find(*key).is_some())
                && own.fields.iter().all(|(key, field)| field.absorbs(&new.under(*key)))
    }

    /// Both, where nothing is no alternative but means that nothing is known.
    pub fn and(&self, other: &Data) -> Data {
        match (self.is_nothing(), other.is_nothing()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => self.join(other),
        }
    }

    /// What is under a key.
    pub fn read(&self, key: Key) -> Data {
        match key {
            Key::Each => self.element(),
            Key::Rest => Self::new(self.read_rest(), Marks::default()),
            _ => self.0.as_ref().map(|node| node.under(key)).unwrap_or_default(),
        }
    }

    /// True if something of its own is under the key.
    pub fn has_field(&self, key: Key) -> bool {
        self.0.as_ref().is_some_and(|node| node.find(key).is_some())
    }

    /// Some part of it.
    fn element(&self) -> Data {
        let Some(node) = &self.0 else { return Data::default() };
        let rest = Data::new(node.rest.under(Key::Each), Marks::default());
        let mut all: Option<Data> = Some(rest).filter(|rest| !rest.is_nothing() || node.fields.is_empty());
        for (_, field) in &node.fields {
            all = Some(all.map_or_else(|| field.clone(), |all| all.join(field)));
        }
        all.unwrap_or_default().map(&|labels| node.marks.guard(labels.clone()))
    }

    /// With one more element.
    pub fn with_element(&self, value: &Data) -> Data {
        let known = self.0.as_ref().and_then(|node| node.find(Key::Each)).cloned();
        self.with_field(Key::Each, &known.map_or_else(|| value.clone(), |known| known.join(value)))
    }

    /// With something else under a key.
    pub fn with_field(&self, key: Key, value: &Data) -> Data {
        let mut node = self.node();
        let value = value.limited(1);
        match node.fields.binary_search_by_key(&key, |(own, _)| *own) {
            Ok(at) => node.fields[at].1 = value,
            // Nothing hides nothing.
            Err(_) if value.is_nothing() && node.rest.is_empty() => {}
            Err(at) => node.fields.insert(at, (key, value)),
        }
        node.limit();
        Self::from(node)
    }

    /// With something more in it, under whatever key.
    pub fn with_rest(&self, labels: &Labels) -> Data {
        if labels.is_empty() {
            return self.clone();
        }
        let mut node = self.node();
        node.rest.join(labels);
        Self::from(node)
    }

    /// Fields of fields are told apart, and nothing below.
    fn limited(&self, depth: u32) -> Data {
        let Some(node) = self.0.as_ref().filter(|node| !node.fields.is_empty()) else { return self.clone() };
        if depth == 0 {
            return self.flat();
        }
        let fields = node.fields.iter().map(|(key, field)| (*key, field.limited(depth - 1))).collect();
        Self::from(Node { rest: node.rest.clone(), fields, marks: node.marks, ..Node::default() })
    }

    /// The fields of a record that is spread into another.
    pub fn fields(&self) -> impl Iterator<Item = (Key, &Data)> {
        self.0.iter().flat_map(|node| &node.fields).map(|(key, field)| (*key, field))
    }

    /// What is under a key that is not known.
    pub fn read_rest(&self) -> Labels {
        let Some(node) = &self.0 else { return Labels::default() };
        let mut labels = node.marks.guard(node.rest.under(Key::Rest));
        if let Some(each) = node.find(Key::Each) {
            labels.join(&each.total().without(Aspect::Itself));
        }
        labels
    }

    /// What is under no key of its own.
    pub fn rest(&self) -> Labels {
        self.0.as_ref().map(|node| node.rest.clone()).unwrap_or_default()
    }
}

impl Node {
    fn find(&self, key: Key) -> Option<&Data> {
        let at = self.fields.binary_search_by_key(&key, |(own, _)| *own).ok()?;
        Some(&self.fields[at].1)
    }

    fn under(&self, key: Key) -> Data {
        // The very content that was put there, without what the record around it says.
        if let Some(field) = self.find(key) {
            return field.clone();
        }
        let rest = Data::new(self.marks.guard(self.rest.under(key)), Marks::default());
        match self.find(Key::Each) {
            Some(each) => rest.and(each),
            None => rest,
        }
    }

    fn limit(&mut self) {
        if self.fields.len() > MAX_KEYS {
            for (_, field) in self.fields.split_off(MAX_KEYS) {
                self.rest.join(&field.total().without(Aspect::Itself));
            }
        }
    }
}
