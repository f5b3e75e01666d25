//! Storage of the core language: ids, lists in typed pools, interned text, spans. Lists are slices of one pool per element
//! type, so a node is small and a file's facts are a handful of allocations.

use std::hash::BuildHasher;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::expr::{Arg, Arm, Entry, Expr, Handler, IfArm, Loop, Pat, PatField, Try};
use super::{Capture, Export, Param};

/// Bytes `lo..hi` of the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

/// An interned string of this file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sym(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub NonZeroU32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PatId(pub NonZeroU32);

impl ExprId {
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

impl PatId {
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

/// A slice of the pool of `T`.
#[derive(PartialEq, Eq, Debug)]
pub struct ListOf<T> {
    start: u32,
    len: u32,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for ListOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListOf<T> {}

impl<T> ListOf<T> {
    pub const EMPTY: Self = Self { start: 0, len: 0, element: PhantomData };

    pub fn len(self) -> usize {
        self.len as usize
    }

    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// An element type that has a pool.
pub trait Stored: Copy {
    fn pool(pools: &Pools) -> &Vec<Self>;
    fn pool_mut(pools: &mut Pools) -> &mut Vec<Self>;
}

macro_rules! pools {
    ($($field:ident: $element:ty),* $(,)?) => {
        /// One vector per element type of a list.
        #[derive(Debug, Default)]
        pub struct Pools { $($field: Vec<$element>),* }

        $(impl Stored for $element {
            fn pool(pools: &Pools) -> &Vec<Self> {
                &pools.$field
            }
            fn pool_mut(pools: &mut Pools) -> &mut Vec<Self> {
                &mut pools.$field
            }
        })*

        impl Pools {
            fn heap_bytes(&self) -> usize {
                0 $(+ self.$field.capacity() * size_of::<$element>())*
            }

            fn shrink(&mut self) {
                $(self.$field.shrink_to_fit();)*
            }
        }
    };
}

pools! {
    exprs: ExprId,
    pats: PatId,
    args: Arg,
    entries: Entry,
    if_arms: IfArm,
    arms: Arm,
    handlers: Handler,
    fields: PatField,
    params: Param,
    captures: Capture,
    exports: Export,
    syms: Sym,
}

/// All nodes of one file.
#[derive(Debug)]
pub struct Arenas {
    exprs: Vec<Expr>,
    spans: Vec<Span>,
    pats: Vec<Pat>,
    loops: Vec<Loop>,
    tries: Vec<Try>,
    pools: Pools,
}

impl Default for Arenas {
    /// Index 0 is taken, so that an optional id costs nothing.
    fn default() -> Self {
        Self {
            exprs: vec![Expr::Opaque(ListOf::EMPTY)],
            spans: vec![Span::default()],
            pats: vec![Pat::Wild],
            loops: Vec::new(),
            tries: Vec::new(),
            pools: Pools::default(),
        }
    }
}

impl Arenas {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.spans[id.index()]
    }

    pub fn pat(&self, id: PatId) -> &Pat {
        &self.pats[id.index()]
    }

    pub fn loop_at(&self, index: u32) -> &Loop {
        &self.loops[index as usize]
    }

    pub fn try_at(&self, index: u32) -> &Try {
        &self.tries[index as usize]
    }

    pub fn list<T: Stored>(&self, list: ListOf<T>) -> &[T] {
        &T::pool(&self.pools)[list.start as usize..(list.start + list.len) as usize]
    }

    /// Every expression with its id, children before parents.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (1u32..).filter_map(NonZeroU32::new).map(ExprId).zip(self.exprs.iter().skip(1))
    }

    pub fn pats(&self) -> impl Iterator<Item = &Pat> {
        self.pats.iter()
    }

    pub fn expr_count(&self) -> usize {
        self.exprs.len() - 1
    }

    pub fn pat_count(&self) -> usize {
        self.pats.len() - 1
    }

    /// What the nodes take beside the struct itself.
    pub fn heap_bytes(&self) -> usize {
        self.exprs.capacity() * size_of::<Expr>()
            + self.spans.capacity() * size_of::<Span>()
            + self.pats.capacity() * size_of::<Pat>()
            + self.loops.capacity() * size_of::<Loop>()
            + self.tries.capacity() * size_of::<Try>()
            + self.pools.heap_bytes()
    }

    // What follows is for front ends, which build facts and then hand them on for good.

    /// Makes room for about so many expressions.
    pub fn reserve(&mut self, exprs: usize) {
        self.exprs.reserve(exprs);
        self.spans.reserve(exprs);
    }

    pub fn add_expr(&mut self, expr: Expr, span: Span) -> ExprId {
        self.exprs.push(expr);
        self.spans.push(span);
        ExprId(nonzero(self.exprs.len() - 1))
    }

    pub fn add_pat(&mut self, pat: Pat) -> PatId {
        self.pats.push(pat);
        PatId(nonzero(self.pats.len() - 1))
    }

    pub fn add_loop(&mut self, value: Loop) -> u32 {
        self.loops.push(value);
        index(self.loops.len() - 1)
    }

    pub fn add_try(&mut self, value: Try) -> u32 {
        self.tries.push(value);
        index(self.tries.len() - 1)
    }

    pub fn add_list<T: Stored>(&mut self, items: &[T]) -> ListOf<T> {
        if items.is_empty() {
            return ListOf::EMPTY;
        }
        let pool = T::pool_mut(&mut self.pools);
        let start = index(pool.len());
        pool.extend_from_slice(items);
        ListOf { start, len: index(items.len()), element: PhantomData }
    }

    pub fn expr_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.exprs[id.index()]
    }

    pub fn pat_mut(&mut self, id: PatId) -> &mut Pat {
        &mut self.pats[id.index()]
    }

    pub fn list_mut<T: Stored>(&mut self, list: ListOf<T>) -> &mut [T] {
        &mut T::pool_mut(&mut self.pools)[list.start as usize..(list.start + list.len) as usize]
    }

    pub fn shrink(&mut self) {
        self.exprs.shrink_to_fit();
        self.spans.shrink_to_fit();
        self.pats.shrink_to_fit();
        self.loops.shrink_to_fit();
        self.tries.shrink_to_fit();
        self.pools.shrink();
    }
}

/// Files are capped far below 4 GiB, so an index always fits; a cap that was raised beyond it saturates and is caught by `nonzero`.
fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn nonzero(value: usize) -> NonZeroU32 {
    NonZeroU32::new(index(value)).unwrap_or(NonZeroU32::MAX)
}

/// The strings of one file, in one allocation.
#[derive(Debug, Default)]
pub struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    pub fn get(&self, sym: Sym) -> &str {
        let index = sym.0 as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start as usize..self.ends[index] as usize]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn heap_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Every string in order of its `Sym`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|i| self.get(Sym(index(i))))
    }
}

/// Hands out one `Sym` per distinct string.
#[derive(Default)]
pub struct Interner {
    strings: Strings,
    /// By the hash of the text, which stands once, in `strings`.
    ids: HashTable<Sym>,
    // A seeded hash: the keys are text of the scanned tree, which may be hostile.
    hasher: DefaultHashBuilder,
    /// What was asked for lately, by a cheap hash: most names come again soon, and a wrong guess costs one comparison.
    recent: Vec<Option<Sym>>,
}

/// A power of two.
const RECENT: usize = 256;

fn cheap_hash(text: &str) -> usize {
    let ends = match text.as_bytes() {
        [] => 0,
        [only] => u32::from(*only),
        [first, .., last] => {
            let middle = text.as_bytes()[text.len() / 2];
            u32::from(*first) | u32::from(*last) << 8 | u32::from(middle) << 16
        }
    };
    let mixed = (ends ^ (text.len() as u32) << 24).wrapping_mul(0x9E37_79B1);
    (mixed >> 24) as usize & (RECENT - 1)
}

impl Interner {
    pub fn intern(&mut self, text: &str) -> Sym {
        let slot = cheap_hash(text);
        if let Some(&Some(sym)) = self.recent.get(slot)
            && self.strings.get(sym) == text
        {
            return sym;
        }
        let sym = self.look_up(text);
        if self.recent.is_empty() {
            self.recent.resize(RECENT, None);
        }
        self.recent[slot] = Some(sym);
        sym
    }

    fn look_up(&mut self, text: &str) -> Sym {
        let (strings, hasher) = (&mut self.strings, &self.hasher);
        let hash = hasher.hash_one(text);
        if let Some(&sym) = self.ids.find(hash, |&sym| strings.get(sym) == text) {
            return sym;
        }
        let sym = Sym(index(strings.ends.len()));
        strings.text.push_str(text);
        strings.ends.push(index(strings.text.len()));
        self.ids.insert_unique(hash, sym, |&sym| hasher.hash_one(strings.get(sym)));
        sym
    }

    pub fn get(&self, sym: Sym) -> &str {
        self.strings.get(sym)
    }

    pub fn finish(mut self) -> Strings {
        self.strings.text.shrink_to_fit();
        self.strings.ends.shrink_to_fit();
        self.strings
    }
}
