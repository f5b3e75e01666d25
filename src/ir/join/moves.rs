//! What becomes of each kind of node where files are joined: its ids move, and the rest stays as it is.

use std::num::NonZeroU32;

use crate::ir::arena::{Move, Moves};
use crate::ir::texts::Sym;
use crate::ir::{
    Arg, ArgKind, Arm, Capture, Class, ClassKind, Cls, Entry, EntryKey, Export, Expr, ExprId, ExprRange,
    FnKind, Func, Function, Handler, IfArm, Import, ImportId, Imported, ListOf, Lit, Loop, Param, Pat,
    PatField, PatId, Site, SiteId, Stored, Try,
};

/// Numbers wrap around, so that what moves down is moved as what moves up.
fn moved(id: NonZeroU32, shift: u32) -> NonZeroU32 {
    NonZeroU32::new(id.get().wrapping_add(shift)).unwrap_or(NonZeroU32::MAX)
}

impl Move for ExprId {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        Self(moved(self.0, moves.shift.exprs))
    }
}

/// Moves the numbers of items.
macro_rules! items {
    ($($id:ident: $field:ident),* $(,)?) => {$(
        impl Move for $id {
            fn moved(&self, moves: &mut Moves<'_>) -> Self {
                Self(self.0.wrapping_add(moves.items.$field))
            }
        }
    )*};
}

items! { Func: functions, Cls: classes, ImportId: imports, SiteId: calls }

impl Move for PatId {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        Self(moved(self.0, moves.shift.pats))
    }
}

impl Move for Sym {
    fn moved(&self, Moves { old, known, new, .. }: &mut Moves<'_>) -> Self {
        *known[self.0 as usize].get_or_insert_with(|| new.intern(old.get(*self)))
    }
}

impl<T: Stored> Move for ListOf<T> {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        self.at(|start| start.wrapping_add(T::of(&moves.shift.pools)))
    }
}

impl<T: Move> Move for Option<T> {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        self.as_ref().map(|inner| inner.moved(moves))
    }
}

impl<A: Move, B: Move> Move for (A, B) {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        (self.0.moved(moves), self.1.moved(moves))
    }
}

/// Moves the fields of a record that hold ids.
macro_rules! records {
    ($($record:ident { $($field:ident),* $(,)? })*) => {$(
        impl Move for $record {
            #[allow(clippy::needless_update, reason = "some records hold nothing but ids")]
            fn moved(&self, moves: &mut Moves<'_>) -> Self {
                Self { $($field: self.$field.moved(moves),)* ..*self }
            }
        }
    )*};
}

records! {
    Arg { kind, value }
    Arm { pat, guard, body }
    Class { name, kind, bases, options, decorators, body, scope }
    Entry { key, value }
    Export { name }
    Function { name, parent, kind, params, returns, decorators, body, exprs, vars, captures, exports }
    Handler { types, pat, body }
    IfArm { test, body }
    Import { scope, path, what }
    Loop { test, each, body, otherwise }
    Param { name, pat, ty, default }
    PatField { name, pat }
    Site { expr, function }
    Try { body, handlers, otherwise, finally }
}

impl Move for Capture {
    fn moved(&self, _: &mut Moves<'_>) -> Self {
        *self
    }
}

impl Move for ExprRange {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        let to = |id: u32| id.wrapping_add(moves.shift.exprs);
        Self { lo: to(self.lo), hi: to(self.hi) }
    }
}

impl Move for ArgKind {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        match self {
            Self::Named(name) => Self::Named(name.moved(moves)),
            Self::Positional | Self::Spread | Self::SpreadNamed => *self,
        }
    }
}

impl Move for ClassKind {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        match self {
            Self::Extension(of) => Self::Extension(of.moved(moves)),
            Self::Plain | Self::Interface | Self::Namespace => *self,
        }
    }
}

impl Move for EntryKey {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        match self {
            Self::Expr(key) => Self::Expr(key.moved(moves)),
            Self::Spread => Self::Spread,
        }
    }
}

impl Move for FnKind {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        match self {
            Self::ClassBody(class) => Self::ClassBody(class.moved(moves)),
            Self::Module | Self::Plain | Self::Lambda => *self,
        }
    }
}

impl Move for Imported {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        match self {
            Self::Name(name) => Self::Name(name.moved(moves)),
            Self::Root | Self::Module | Self::Star => *self,
        }
    }
}

impl Move for Lit {
    fn moved(&self, moves: &mut Moves<'_>) -> Self {
        match self {
            Self::Str(text) => Self::Str(text.moved(moves)),
            Self::Bytes(text) => Self::Bytes(text.moved(moves)),
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Other => *self,
        }
    }
}

impl Move for Pat {
    fn moved(&self, to: &mut Moves<'_>) -> Self {
        match *self {
            Self::Wild | Self::Var(_) => *self,
            Self::Place(place) => Self::Place(place.moved(to)),
            Self::Value(value) => Self::Value(value.moved(to)),
            Self::Seq { items, rest } => Self::Seq { items: items.moved(to), rest },
            Self::Record { items, rest } => Self::Record { items: items.moved(to), rest: rest.moved(to) },
            Self::Ctor { path, items, named } => {
                Self::Ctor { path: path.moved(to), items: items.moved(to), named: named.moved(to) }
            }
            Self::Or(items) => Self::Or(items.moved(to)),
            Self::As { pat, var } => Self::As { pat: pat.moved(to), var },
        }
    }
}

impl Move for Expr {
    fn moved(&self, to: &mut Moves<'_>) -> Self {
        match *self {
            Self::Var(_) => *self,
            Self::Closure(id) => Self::Closure(id.moved(to)),
            Self::Class(id) => Self::Class(id.moved(to)),
            Self::Import(id) => Self::Import(id.moved(to)),
            Self::Lit(lit) => Self::Lit(lit.moved(to)),
            Self::Free(name) => Self::Free(name.moved(to)),
            Self::Field { base, name } => Self::Field { base: base.moved(to), name: name.moved(to) },
            Self::Index { base, key } => Self::Index { base: base.moved(to), key: key.moved(to) },
            Self::Call { callee, args, site } => {
                Self::Call { callee: callee.moved(to), args: args.moved(to), site: site.moved(to) }
            }
            Self::Record(entries) => Self::Record(entries.moved(to)),
            Self::Seq(items) => Self::Seq(items.moved(to)),
            Self::Text(parts) => Self::Text(parts.moved(to)),
            Self::Op { op, args } => Self::Op { op, args: args.moved(to) },
            Self::Not(inner) => Self::Not(inner.moved(to)),
            Self::All(list) => Self::All(list.moved(to)),
            Self::Any(list) => Self::Any(list.moved(to)),
            Self::Await(inner) => Self::Await(inner.moved(to)),
            Self::Yield { value, delegate } => Self::Yield { value: value.moved(to), delegate },
            Self::Spread(inner) => Self::Spread(inner.moved(to)),
            Self::Collect { body, item } => Self::Collect { body: body.moved(to), item: item.moved(to) },
            Self::Ascribe { value, ty, is_guess } => {
                Self::Ascribe { value: value.moved(to), ty: ty.moved(to), is_guess }
            }
            Self::Bind { pat, value } => Self::Bind { pat: pat.moved(to), value: value.moved(to) },
            Self::Store { place, op, value } => {
                Self::Store { place: place.moved(to), op, value: value.moved(to) }
            }
            Self::Block(list) => Self::Block(list.moved(to)),
            Self::If { arms, otherwise } => Self::If { arms: arms.moved(to), otherwise: otherwise.moved(to) },
            Self::Match { subject, arms } => Self::Match { subject: subject.moved(to), arms: arms.moved(to) },
            Self::Loop(at) => Self::Loop(at.wrapping_add(to.shift.loops)),
            Self::Try(at) => Self::Try(at.wrapping_add(to.shift.tries)),
            Self::With { context, pat, body, is_async } => {
                Self::With { context: context.moved(to), pat: pat.moved(to), body: body.moved(to), is_async }
            }
            Self::Jump { kind, value } => Self::Jump { kind, value: value.moved(to) },
            Self::Opaque(list) => Self::Opaque(list.moved(to)),
        }
    }
}
