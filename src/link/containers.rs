//! Lists, tuples, sets and dictionaries, objects of libraries that hold what they are given, operations: what is kept of each. A
//! container is the place that makes it; where more than a handful meet in one slot, a summary stands for them.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::ids::{CallId, Cls, ContainerId, Func, HolderId, Key, OperationId, PathId, Role, SetId, Slot};
use super::react::{Held, React};
use super::types::{Type, Types, Value};
use crate::catalog::{HolderOp, ModelOp};
use crate::ir::{ExprId, Operator, Sym};

#[derive(Debug)]
pub(super) struct Container {
    /// Every value, whatever its key.
    pub(super) any: Slot,
    /// Values under unknown keys.
    pub(super) unknown: Slot,
    /// In order, as are the copies.
    pub(super) keys: Vec<(Key, Slot)>,
    /// What holds the same entries, and perhaps more.
    pub(super) copies: Vec<ContainerId>,
    /// Those of which it is a copy.
    pub(super) sources: Vec<ContainerId>,
    /// Its entries become the attributes of these classes.
    pub(super) fields_of: SmallVec<[Cls; 1]>,
    /// It stands for others: what is stored in all of them.
    pub(super) shared: Option<ContainerId>,
    /// What stands for it where it meets too many.
    pub(super) stood_for_by: Option<ContainerId>,
}

#[derive(Default)]
pub struct Containers {
    pub(super) list: Vec<Container>,
    /// The one that each has become: summaries that meet are one.
    pub(super) parents: Vec<ContainerId>,
    pub(super) made_at: FxHashMap<(u32, ExprId, Role), ContainerId>,
    /// Those that code puts something into under a key that is not known, ...
    pub(super) keyed: FxHashSet<ContainerId>,
    /// ... and those into which something comes in another way than by code that writes a key or appends.
    pub(super) blurred: FxHashSet<ContainerId>,
    /// Pairs, each with the key that its first element is, if that is known.
    pub(super) pairs: FxHashMap<ContainerId, Option<Key>>,
    /// What stands for parts of others, and for several behind one another, by the slot of that.
    pub(super) parts: FxHashMap<Slot, ContainerId>,
    /// Lists that are written down, with their length.
    pub(super) written: FxHashMap<ContainerId, u32>,
    /// Where slices begin and end, by the slot of what they make.
    pub(super) bounds: FxHashMap<Slot, (u32, Option<u32>)>,
    /// Those whose entries are attributes.
    pub(super) records: FxHashSet<ContainerId>,
    /// Those among them that are the attributes of a class: a call of one makes an object.
    pub(super) classes: FxHashSet<ContainerId>,
    /// The summary of all containers that a slot holds.
    pub(super) summary_of: FxHashMap<Slot, ContainerId>,
}

/// What stands for an object of a library that holds what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Holding {
    /// What an expression makes: a call of a library, an operator, a function that a library decorates.
    Made(ExprId),
    /// A module or a class of a library.
    Named(PathId),
    /// Objects of a class of the project, for its bases in libraries.
    Objects(Cls),
    /// The fields of objects of a class of the project: what runs when one is made of data, or data of it.
    Fields(Cls, ModelOp),
}

/// What a function or class of a library does with what it is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Takes {
    /// Nothing for what makes an object, which keeps it.
    pub(super) operation: Option<HolderOp>,
    pub(super) held: Held,
    /// The catalogue says what it runs, ...
    pub(super) is_known: bool,
    /// ... and it has run once the call is over.
    pub(super) is_over: bool,
    /// It runs what its object holds, and nothing of what it is given.
    pub(super) is_deaf: bool,
}

/// Objects of libraries with what they hold.
#[derive(Default)]
pub(super) struct Holders {
    /// The values that each holds, and what it came from.
    pub(super) list: Vec<(Slot, SmallVec<[HolderId; 1]>)>,
    pub(super) ids: FxHashMap<Holding, HolderId>,
    /// Receivers that are given something, by number, ...
    pub(super) receivers: Vec<Value>,
    /// ... and those of them that were given something and are known by nothing that made them.
    pub(super) waiting: BTreeSet<u32>,
    /// What was reacted to, so that a container that holds itself comes to an end.
    pub(super) known: FxHashSet<(React, Type)>,
    /// Calls of functions of libraries, as they are found.
    pub(super) calls: Vec<(CallId, PathId)>,
    /// What sets of values are as receivers of a library's methods.
    pub(super) receiver_kinds: FxHashMap<SetId, ReceiverKind>,
    /// What functions of libraries do with what they are given.
    pub(super) takers: FxHashMap<PathId, Option<Takes>>,
    pub(super) models: FxHashMap<Cls, bool>,
    /// Classes whose bodies make fields by a library of data.
    pub(super) with_fields: FxHashMap<Cls, bool>,
    /// Results of calls of libraries.
    pub(super) results: Vec<(Slot, ExprId)>,
    /// What stands above functions.
    pub(super) decorators: FxHashSet<ExprId>,
    /// Operators whose value nobody uses.
    pub(super) statements: FxHashSet<ExprId>,
    /// Names of methods that code of the project calls.
    pub(super) called: FxHashSet<Sym>,
    /// The methods of a class that only a library can call.
    pub(super) hooks: FxHashMap<Cls, Rc<[Func]>>,
}

/// What the receiver of a library's method is, as far as it matters for what it is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiverKind {
    /// A class of the project that it is, or is an object of.
    pub own: Option<Cls>,
    /// True if it may be an object of a library.
    pub is_object: bool,
}

impl Containers {
    /// The container that this one has become.
    pub fn find(&self, id: ContainerId) -> ContainerId {
        let mut at = id;
        while self.parents[at.0 as usize] != at {
            at = self.parents[at.0 as usize];
        }
        at
    }

    /// The container that an expression makes, if something of it is followed.
    pub(super) fn made_here(&self, file: usize, at: ExprId) -> Option<ContainerId> {
        self.made_at.get(&(file as u32, at, Role::Value)).copied()
    }

    /// True if something comes in that no code writes under a key or appends.
    pub(super) fn is_blurred(&self, id: ContainerId) -> bool {
        let is_blurred = |id| self.blurred.contains(&self.find(id));
        is_blurred(id) || self.shared_with(id).is_some_and(is_blurred)
    }

    /// What is stored in all that a summary stands for, if this is one.
    pub(super) fn shared_by(&self, summary: ContainerId) -> Option<ContainerId> {
        let shared = self.find(self.of(summary).shared?);
        (shared != self.find(summary)).then_some(shared)
    }

    /// What a container shares with all others that one summary stands for.
    pub(super) fn shared_with(&self, id: ContainerId) -> Option<ContainerId> {
        let shared = self.shared_by(self.of(id).stood_for_by?)?;
        (shared != self.find(id)).then_some(shared)
    }

    /// True if nobody takes all entries of a container but what stands for it, which takes them from its sources, too. Then it has
    /// entries for those keys only that somebody asks for.
    pub(super) fn is_lazy(&self, id: ContainerId) -> bool {
        let Container { copies, fields_of, shared, stood_for_by, .. } = self.of(id);
        let (own, summary) = (self.find(id), stood_for_by.map(|summary| self.find(summary)));
        let mut copies = copies.iter().map(|&copy| self.find(copy));
        shared.is_none() && fields_of.is_empty() && copies.all(|copy| copy == own || Some(copy) == summary)
    }

    pub(super) fn of(&self, id: ContainerId) -> &Container {
        &self.list[self.find(id).0 as usize]
    }

    pub(super) fn of_mut(&mut self, id: ContainerId) -> &mut Container {
        let id = self.find(id);
        &mut self.list[id.0 as usize]
    }

    /// From now on one is the other.
    pub(super) fn become_one(&mut self, gone: ContainerId, kept: ContainerId) {
        self.parents[gone.0 as usize] = kept;
        if self.blurred.contains(&gone) {
            self.blurred.insert(kept);
        }
    }
}

/// A place where an attribute is read, set or deleted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub func: Func,
    pub expr: ExprId,
    pub base: ExprId,
    pub asked: Value,
    pub name: Sym,
    pub operator: Operator,
    pub value: Option<ExprId>,
}

/// An operation whose operand may be an object of the project.
#[derive(Debug)]
pub(super) struct Operation {
    pub func: Func,
    /// Where its edges stand.
    pub at: ExprId,
    pub operator: Operator,
    pub is_reflected: bool,
    pub asked: Value,
    pub given: [Option<ExprId>; 2],
    /// What the method hands back.
    pub to: Option<Slot>,
    /// All objects of the project that meet here answer, and they are few: it is them that are meant.
    pub is_meant: bool,
    /// So many things meet here that nobody tells them apart.
    pub is_crowd: bool,
    /// The methods that answer, each with the class of the object.
    pub answers: Vec<(Func, Cls, bool)>,
}

impl Operation {
    pub fn new(
        func: Func,
        at: ExprId,
        operator: Operator,
        asked: Value,
        given: [Option<ExprId>; 2],
        to: Option<Slot>,
    ) -> Self {
        Self {
            func,
            at,
            operator,
            is_reflected: false,
            asked,
            given,
            to,
            is_meant: true,
            is_crowd: false,
            answers: Vec::new(),
        }
    }
}

/// What of a set answers.
#[derive(Clone, Default)]
pub(super) struct Answering {
    pub types: Rc<[Type]>,
    pub is_meant: bool,
    pub is_crowd: bool,
}

impl Operations {
    /// An operation of which it is known who answers.
    pub fn add(
        &mut self,
        func: Func,
        at: ExprId,
        operator: Operator,
        given: [Option<ExprId>; 2],
    ) -> OperationId {
        self.list.push(Operation::new(func, at, operator, Value::Nothing, given, None));
        OperationId(self.list.len() as u32 - 1)
    }
}

#[derive(Default)]
pub(super) struct Operations {
    pub list: Vec<Operation>,
    /// Those for which some file spells a method.
    pub spelled: FxHashSet<(Operator, bool)>,
    /// Where attributes are used that may be descriptors, and which of those are known to be.
    pub accesses: Vec<Access>,
    pub described: FxHashSet<(u32, Slot)>,
    pub accessed: FxHashSet<(u32, Func)>,
    /// By class, operation and side, the first method that the class has.
    pub methods: FxHashMap<(Cls, Operator, bool), Option<&'static str>>,
    /// The objects in a set that answer.
    pub answering: FxHashMap<(SetId, Operator, bool), Answering>,
    pub asked: FxHashSet<(OperationId, Type)>,
    pub answered: FxHashSet<(OperationId, Func)>,
    /// The parts of objects that answer what their class has without writing it.
    pub parts: FxHashMap<(Cls, Operator), Rc<[Type]>>,
    /// By language and operation, the methods of types outside the project that take an object of a class on their right.
    pub seconds: FxHashMap<(&'static str, Operator), FxHashMap<Cls, Vec<Func>>>,
    /// Closures that are given what a value of the language holds: nobody hands that over as an argument.
    pub unpacked: FxHashSet<Func>,
    /// What the calls of a function are wanted as; of the one that was looked at last.
    pub wanted: (Option<Func>, FxHashMap<ExprId, Types>),
}
