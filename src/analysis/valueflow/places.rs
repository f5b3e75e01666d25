//! What nodes stand for: the expressions, variables and parameters of each function, one block per function, and behind them
//! what functions share.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::graph::Node;
use crate::ir::{Cls, ExprId, Function, Sym, VarId};
use crate::link::{Func, Program};

/// What a node of a function stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Expr(ExprId),
    Var(VarId),
    /// What a caller gives.
    Param(u32),
    /// What the function has put into what it was given.
    Changed(u32),
    Returned,
    /// A step on the way to a part.
    Between,
}

/// The first node of each function.
#[derive(Debug, Default)]
pub struct Places {
    starts: Arc<[u32]>,
    /// Behind all blocks.
    others: Vec<Other>,
    fields: FxHashMap<(Owner, Sym), Node>,
}

/// Of which objects an attribute is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// A method of the class has stored it: of the class, or of those that inherit the method.
    Stored(Cls),
    /// The class was called with it: of that class alone.
    Made(Cls),
}

/// Where nodes are that were numbered elsewhere.
#[derive(Debug)]
pub struct Moved {
    blocks: usize,
    others: Vec<Node>,
}

impl Moved {
    pub fn of(&self, node: Node) -> Node {
        (node.0 as usize).checked_sub(self.blocks).map_or(node, |other| self.others[other])
    }
}

/// What is no expression, variable or parameter.
#[derive(Clone, Copy, Debug)]
enum Other {
    Between(Func),
    Field(Sym),
}

/// How many nodes a function has of each kind, in their order.
fn sizes(function: &Function) -> [u32; 5] {
    let params = function.params.len() as u32;
    [function.exprs.hi - function.exprs.lo, function.vars.len() as u32, params, params, 1]
}

impl Places {
    pub fn new(program: &Program<'_>) -> Self {
        let (mut starts, mut next) = (Vec::with_capacity(program.functions.len() + 1), 0);
        for func in (0..program.functions.len() as u32).map(Func) {
            starts.push(next);
            next += sizes(program.ir(func)).iter().sum::<u32>();
        }
        starts.push(next);
        Self { starts: starts.into(), ..Self::default() }
    }

    /// The same functions, for who reads some of them.
    pub fn without_others(&self) -> Self {
        Self { starts: Arc::clone(&self.starts), ..Self::default() }
    }

    /// Takes over what stands behind the blocks of others, and says where each node is then.
    pub fn gather(&mut self, others: Self) -> Moved {
        let owners: FxHashMap<Node, (Owner, Sym)> =
            others.fields.into_iter().map(|(field, node)| (node, field)).collect();
        let blocks = self.blocks();
        let place = |(node, other): (u32, Other)| match owners.get(&Node(node)) {
            Some(&(owner, name)) => self.field(owner, name),
            None => self.other(other),
        };
        let others = (blocks as u32..).zip(others.others).map(place).collect();
        Moved { blocks, others }
    }

    pub fn count(&self) -> usize {
        self.blocks() + self.others.len()
    }

    fn blocks(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    fn node(&self, program: &Program<'_>, func: Func, kind: usize, at: u32) -> Node {
        let before: u32 = sizes(program.ir(func))[..kind].iter().sum();
        Node(self.starts[func.0 as usize] + before + at)
    }

    pub fn expr(&self, program: &Program<'_>, func: Func, expr: ExprId) -> Node {
        self.node(program, func, 0, expr.index() as u32 - program.ir(func).exprs.lo)
    }

    pub fn var(&self, program: &Program<'_>, func: Func, var: VarId) -> Node {
        self.node(program, func, 1, var.0)
    }

    pub fn param(&self, program: &Program<'_>, func: Func, at: u32) -> Node {
        self.node(program, func, 2, at)
    }

    pub fn changed(&self, program: &Program<'_>, func: Func, at: u32) -> Node {
        self.node(program, func, 3, at)
    }

    pub fn returned(&self, program: &Program<'_>, func: Func) -> Node {
        self.node(program, func, 4, 0)
    }

    /// A new node of a function.
    pub fn between(&mut self, func: Func) -> Node {
        self.other(Other::Between(func))
    }

    /// An attribute of objects, which methods share.
    pub fn field(&mut self, owner: Owner, name: Sym) -> Node {
        if let Some(&known) = self.fields.get(&(owner, name)) {
            return known;
        }
        let node = self.other(Other::Field(name));
        self.fields.insert((owner, name), node);
        node
    }

    /// All of them, by name.
    pub fn fields(&self) -> FxHashMap<Sym, Vec<(Owner, Node)>> {
        let mut found: FxHashMap<Sym, Vec<(Owner, Node)>> = FxHashMap::default();
        self.fields
            .iter()
            .for_each(|(&(owner, name), &node)| found.entry(name).or_default().push((owner, node)));
        found.values_mut().for_each(|fields| fields.sort_unstable());
        found
    }

    fn other(&mut self, other: Other) -> Node {
        self.others.push(other);
        Node((self.count() - 1) as u32)
    }

    /// The function that a node is in; none for what functions share.
    pub fn function(&self, node: Node) -> Option<Func> {
        match (node.0 as usize).checked_sub(self.blocks()) {
            Some(other) => match self.others[other] {
                Other::Between(func) => Some(func),
                Other::Field(_) => None,
            },
            None => Some(Func(self.starts.partition_point(|&start| start <= node.0) as u32 - 1)),
        }
    }

    /// The name of an attribute that methods share.
    pub fn field_name(&self, node: Node) -> Option<Sym> {
        match self.others.get((node.0 as usize).checked_sub(self.blocks())?)? {
            Other::Field(name) => Some(*name),
            Other::Between(_) => None,
        }
    }

    pub fn place(&self, program: &Program<'_>, node: Node) -> Place {
        let Some(func) = self.function(node).filter(|_| (node.0 as usize) < self.blocks()) else {
            return Place::Between;
        };
        let function = program.ir(func);
        let (mut at, mut kind) = (node.0 - self.starts[func.0 as usize], 0);
        for size in sizes(function) {
            if at < size {
                break;
            }
            (at, kind) = (at - size, kind + 1);
        }
        let expr = || std::num::NonZeroU32::new(function.exprs.lo + at).map(ExprId);
        match kind {
            0 => expr().map_or(Place::Between, Place::Expr),
            1 => Place::Var(VarId(at)),
            2 => Place::Param(at),
            3 => Place::Changed(at),
            _ => Place::Returned,
        }
    }
}
