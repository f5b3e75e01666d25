//! Storage of the core language: ids, lists in typed pools, spans. Lists are slices of one pool per element
//! type, so a node is small and a file's facts are a handful of allocations.

use std::marker::PhantomData;
use std::num::NonZeroU32;

use super::expr::{Arg, Arm, Entry, Expr, Handler, IfArm, Loop, Pat, PatField, Try};
use super::texts::{Strings, Sym};
use super::{Capture, Export, Param};

/// Bytes `lo..hi` of the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

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

    /// The same elements where their pool begins elsewhere.
    pub(super) fn at(self, to: impl Fn(u32) -> u32) -> Self {
        if self.is_empty() { self } else { Self { start: to(self.start), ..self } }
    }
}

/// An element type that has a pool.
pub trait Stored: Copy {
    fn pool(pools: &Pools) -> &Vec<Self>;
    fn pool_mut(pools: &mut Pools) -> &mut Vec<Self>;
    /// Of a number for each pool, that of the elements' own.
    fn of(counts: &PoolCounts) -> u32;
}

macro_rules! pools {
    ($($field:ident: $element:ty),* $(,)?) => {
        /// One vector per element type of a list.
        #[derive(Clone, Debug, Default)]
        pub struct Pools { $($field: Vec<$element>),* }

        $(impl Stored for $element {
            fn pool(pools: &Pools) -> &Vec<Self> {
                &pools.$field
            }
            fn pool_mut(pools: &mut Pools) -> &mut Vec<Self> {
                &mut pools.$field
            }
            fn of(counts: &PoolCounts) -> u32 {
                counts.$field
            }
        })*

        /// A number for each pool: how many elements it has, or how far they move.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct PoolCounts { $($field: u32),* }

        impl PoolCounts {
            fn shift(self, to: Self) -> Self {
                Self { $($field: to.$field.wrapping_sub(self.$field)),* }
            }
        }

        impl Pools {
            fn counts(&self) -> PoolCounts {
                PoolCounts { $($field: index(self.$field.len())),* }
            }

            /// Adds a part of other pools.
            fn extend(&mut self, other: &Self, (from, to): (PoolCounts, PoolCounts), moves: &mut Moves<'_>) {
                $({
                    let part = &other.$field[from.$field as usize..to.$field as usize];
                    self.$field.extend(part.iter().map(|element| element.moved(moves)));
                })*
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

/// All nodes of a file, or of files that are joined.
#[derive(Clone, Debug)]
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

/// How far the arenas are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub exprs: u32,
    pub pats: u32,
    pub loops: u32,
    pub tries: u32,
    pub pools: PoolCounts,
}

impl Default for Counts {
    /// Index 0 of expressions and patterns is taken.
    fn default() -> Self {
        Self { exprs: 1, pats: 1, loops: 0, tries: 0, pools: PoolCounts::default() }
    }
}

impl Counts {
    /// How far everything moves that stood behind this and comes to stand behind `to`; wraps around where it moves down.
    pub(super) fn shift(self, to: Self) -> Self {
        Self {
            exprs: to.exprs.wrapping_sub(self.exprs),
            pats: to.pats.wrapping_sub(self.pats),
            loops: to.loops.wrapping_sub(self.loops),
            tries: to.tries.wrapping_sub(self.tries),
            pools: self.pools.shift(to.pools),
        }
    }
}

/// How many there are of each, or how far they move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ItemCounts {
    pub imports: u32,
    pub classes: u32,
    pub functions: u32,
    pub calls: u32,
}

impl ItemCounts {
    /// How far everything moves that stood behind this and comes to stand behind `to`; wraps around where it moves down.
    pub(super) fn shift(self, to: Self) -> Self {
        Self {
            imports: to.imports.wrapping_sub(self.imports),
            classes: to.classes.wrapping_sub(self.classes),
            functions: to.functions.wrapping_sub(self.functions),
            calls: to.calls.wrapping_sub(self.calls),
        }
    }
}

/// Where the ids of a file move to.
pub struct Moves<'j> {
    pub shift: Counts,
    pub items: ItemCounts,
    pub old: &'j Strings,
    /// The strings of `old` that have a number already.
    pub known: &'j mut [Option<Sym>],
    pub new: &'j mut Strings,
}

/// What holds ids of a file.
pub trait Move: Sized {
    /// The same with the ids that it has where all files are joined.
    fn moved(&self, moves: &mut Moves<'_>) -> Self;
}

impl Arenas {
    pub fn counts(&self) -> Counts {
        Counts {
            exprs: index(self.exprs.len()),
            pats: index(self.pats.len()),
            loops: index(self.loops.len()),
            tries: index(self.tries.len()),
            pools: self.pools.counts(),
        }
    }

    /// Adds a part of other arenas, which `moves` leads to the end of these.
    pub(super) fn extend(&mut self, other: &Self, (from, to): (Counts, Counts), moves: &mut Moves<'_>) {
        let range = |from: u32, to: u32| from as usize..to as usize;
        let exprs = range(from.exprs, to.exprs);
        self.spans.extend_from_slice(&other.spans[exprs.clone()]);
        self.exprs.extend(other.exprs[exprs].iter().map(|expr| expr.moved(moves)));
        self.pats.extend(other.pats[range(from.pats, to.pats)].iter().map(|pat| pat.moved(moves)));
        self.loops.extend(other.loops[range(from.loops, to.loops)].iter().map(|found| found.moved(moves)));
        self.tries.extend(other.tries[range(from.tries, to.tries)].iter().map(|found| found.moved(moves)));
        self.pools.extend(&other.pools, (from.pools, to.pools), moves);
    }

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

    pub(super) fn pats(&self, from: Counts, to: Counts) -> &[Pat] {
        &self.pats[from.pats as usize..to.pats as usize]
    }

    pub fn expr_count(&self) -> usize {
        self.exprs.len() - 1
    }

    pub fn pat_count(&self) -> usize {
        self.pats.len() - 1
    }

    // What follows is for front ends, which build facts and then hand them on for good.

    /// Makes room for about so many expressions more.
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
