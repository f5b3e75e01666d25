//! The tools of a program, and how a call may mean one: by its function, its class, the place of its registration, its name.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::analysis::Registered;
use crate::finding::Confidence;
use crate::ir::Span;
use crate::link::{Cls, Func};
use crate::source::FileId;

/// What a tool does to a session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// It brings internal data in.
    Source,
    /// It reaches outside, and is blocked once internal data was read.
    External,
    /// Neither, as far as is known.
    Other,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    pub name: String,
    pub role: Role,
    /// How sure the role is.
    pub confidence: Confidence,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ToolId(u32);

/// All tools.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    all: Vec<Tool>,
    by_name: BTreeMap<String, ToolId>,
    by_func: FxHashMap<Func, ToolId>,
    by_class: FxHashMap<Cls, ToolId>,
    /// Tools that are classes: the methods of one are one tool.
    class_of: FxHashMap<ToolId, Cls>,
    by_place: FxHashMap<(FileId, Span), ToolId>,
    /// Stands for every operation of the comm namespace: those are external by definition.
    comm: Option<ToolId>,
}

impl Tools {
    /// A tool of which nothing but the name is known.
    pub fn add(&mut self, tool: Tool) -> ToolId {
        let id = ToolId(self.all.len() as u32);
        self.by_name.entry(tool.name.clone()).or_insert(id);
        self.all.push(tool);
        id
    }

    /// A function that nothing registers and that has the name of a tool.
    pub fn is_run_by(&mut self, name: &str, func: Func) {
        if let Some(&id) = self.by_name.get(name) {
            self.by_func.entry(func).or_insert(id);
        }
    }

    /// One that is registered.
    pub fn register(&mut self, tool: Tool, known: &Registered) {
        let id = self.add(tool);
        for &func in [known.handler].iter().chain(&known.others) {
            self.by_func.entry(func).or_insert(id);
        }
        if let Some(class) = known.class {
            self.by_class.entry(class).or_insert(id);
            self.class_of.insert(id, class);
        }
        self.by_place.entry((known.file, known.span)).or_insert(id);
    }

    /// Comm operations are known without a name.
    pub fn add_comm(&mut self, tool: Tool) {
        self.comm = Some(self.add(tool));
    }

    pub fn comm(&self) -> Option<ToolId> {
        self.comm
    }

    pub fn get(&self, id: ToolId) -> &Tool {
        &self.all[id.0 as usize]
    }

    pub fn named(&self, name: &str) -> Option<ToolId> {
        self.by_name.get(name).copied()
    }

    pub fn of_func(&self, func: Func) -> Option<ToolId> {
        self.by_func.get(&func).copied()
    }

    pub fn of_class(&self, class: Cls) -> Option<ToolId> {
        self.by_class.get(&class).copied()
    }

    pub fn class_of(&self, id: ToolId) -> Option<Cls> {
        self.class_of.get(&id).copied()
    }

    /// The one that is registered by this expression.
    pub fn at(&self, file: FileId, span: Span) -> Option<ToolId> {
        self.by_place.get(&(file, span)).copied()
    }

    /// The first tool of a role.
    pub fn first(&self, role: Role) -> Option<&Tool> {
        self.all.iter().find(|tool| tool.role == role)
    }

    /// True if there are tools of both roles: else nothing can come in the wrong order.
    pub fn meet(&self) -> bool {
        self.first(Role::Source).is_some() && self.first(Role::External).is_some()
    }
}
