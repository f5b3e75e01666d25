//! What a value is made of: backwards through names, texts, records, copies, conversions and helpers of the project, to what
//! nothing is seen behind. What is cut, counted, hashed or picked out of something is not that any more.

use rustc_hash::FxHashSet;

use super::definitions::Read;
use super::gates::spelled;
use super::surroundings::is_for_debugging;
use super::values::{MAX_PARTS, Values};
use crate::catalog::{BUILTINS, DataOp};
use crate::ir::{ArgKind, EntryKey, Expr, ExprId, Jump, Lit, Op};
use crate::link::{Edge, EdgeKind, Func, Passed, Target};

/// An expression that is in a value as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Content {
    pub func: Func,
    pub expr: ExprId,
}

/// Whether what is cut out of a text is still that text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cuts {
    Hide,
    Show,
}

/// The expressions that are in a value as a whole: itself, what it is a text, a record or a copy of, and what helpers hand back.
pub fn contents(values: &Values<'_, '_>, func: Func, expr: ExprId, cuts: Cuts) -> Vec<Content> {
    let todo = vec![Node { func, expr, frame: None, reads: Vec::new() }];
    let mut search = Search { values, cuts, frames: Vec::new(), todo };
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(node) = search.todo.pop() {
        if seen.len() > MAX_PARTS || !seen.insert((node.func, node.expr, node.frame, node.reads.len())) {
            continue;
        }
        if node.reads.is_empty() {
            found.push(Content { func: node.func, expr: node.expr });
        }
        search.step(&node);
    }
    found
}

#[derive(Clone)]
struct Node {
    func: Func,
    expr: ExprId,
    frame: Option<usize>,
    /// What is picked out of it; the next read is the last.
    reads: Vec<Read>,
}

/// A call that is looked into.
struct Frame {
    caller: Func,
    edge: Edge,
    outer: Option<usize>,
}

struct Search<'s, 'p, 'a> {
    values: &'s Values<'p, 'a>,
    cuts: Cuts,
    frames: Vec<Frame>,
    todo: Vec<Node>,
}

impl Search<'_, '_, '_> {
    fn go(&mut self, node: &Node, expr: ExprId) {
        self.todo.push(Node { expr, ..node.clone() });
    }

    fn step(&mut self, node: &Node) {
        let facts = self.values.facts(node.func);
        match *facts.expr(node.expr) {
            Expr::Await(inner) | Expr::Spread(inner) | Expr::Bind { value: inner, .. } => {
                self.go(node, inner)
            }
            Expr::Ascribe { value: Some(inner), .. } => self.go(node, inner),
            Expr::All(parts) | Expr::Any(parts) => {
                facts.list(parts).iter().for_each(|&part| self.go(node, part));
            }
            Expr::Block(list) => facts.list(list).last().into_iter().for_each(|&last| self.go(node, last)),
            Expr::If { arms, otherwise } => {
                facts.list(arms).iter().for_each(|arm| self.go(node, arm.body));
                otherwise.into_iter().for_each(|otherwise| self.go(node, otherwise));
            }
            Expr::Match { arms, .. } => facts.list(arms).iter().for_each(|arm| self.go(node, arm.body)),
            Expr::Var(_) | Expr::Free(_) => self.name(node),
            Expr::Call { .. } => self.call(node),
            Expr::Field { base, name } => self.field(node, base, facts.str(name)),
            _ if node.reads.is_empty() => self.whole(node),
            _ => self.part(node),
        }
    }

    /// What is put together of others, and holds them all.
    fn whole(&mut self, node: &Node) {
        let facts = self.values.facts(node.func);
        match *facts.expr(node.expr) {
            Expr::Text(parts) | Expr::Seq(parts) => {
                facts.list(parts).iter().for_each(|&part| self.go(node, part))
            }
            Expr::Op { op: Op::Add | Op::Mod | Op::BitOr | Op::Mul | Op::Div, args } => {
                facts.list(args).iter().for_each(|&part| self.go(node, part));
            }
            Expr::Record(entries) => facts.list(entries).iter().for_each(|entry| self.go(node, entry.value)),
            Expr::Collect { item, .. } => self.go(node, item),
            Expr::Index { base, key } => {
                let is_cut = matches!(*facts.expr(key), Expr::Op { op: Op::Slice, .. });
                if is_cut && self.cuts == Cuts::Show {
                    self.go(node, base);
                }
            }
            _ => {}
        }
    }

    /// What is picked out of what is put together.
    fn part(&mut self, node: &Node) {
        let facts = self.values.facts(node.func);
        let (Some(&read), rest) = (node.reads.last(), node.reads[..node.reads.len() - 1].to_vec()) else {
            return;
        };
        let inner = |expr| Node { expr, reads: rest.clone(), ..node.clone() };
        match (*facts.expr(node.expr), read) {
            (Expr::Collect { item, .. }, Read::Any | Read::At(_)) => self.todo.push(inner(item)),
            (Expr::Seq(items), Read::At(at)) => {
                self.todo.extend(facts.list(items).get(at as usize).map(|&item| inner(item)));
            }
            (Expr::Seq(items), Read::Any) => {
                self.todo.extend(facts.list(items).iter().map(|&item| inner(item)))
            }
            (Expr::Record(entries), Read::Name(name)) => {
                let of_name = facts.list(entries).iter().filter(|entry| match entry.key {
                    EntryKey::Expr(key) => *facts.expr(key) == Expr::Lit(Lit::Str(name)),
                    EntryKey::Spread => false,
                });
                self.todo.extend(of_name.map(|entry| inner(entry.value)));
            }
            _ => {}
        }
    }

    /// An attribute that a method makes is what that hands back; some attributes are what the whole object is about.
    fn field(&mut self, node: &Node, base: ExprId, name: &str) {
        let getters: Vec<Edge> = self.values.program.edges_at(node.func, node.expr).to_vec();
        let own = getters.into_iter().filter(|edge| matches!(edge.to, Target::Project(_)));
        let own: Vec<Edge> = own.filter(|edge| edge.kind == EdgeKind::Call).collect();
        if node.reads.is_empty() && own.is_empty() && self.values.catalog.runtime.contents.has(name) {
            self.go(node, base);
        }
        own.into_iter().for_each(|edge| self.helper(node, edge));
    }

    fn name(&mut self, node: &Node) {
        let Some(variable) = self.values.program.variable(node.func, node.expr) else { return };
        let definitions = self.values.definitions(variable.func);
        if definitions.parameter(variable.var).is_some() {
            self.parameter(node);
        }
        for definition in definitions.of(variable.var) {
            let mut reads = node.reads.clone();
            match definition.is_element {
                true if reads.is_empty() => {}
                true => drop(reads.pop()),
                false => reads.extend(definition.reads.iter().rev()),
            }
            self.todo.push(Node { func: variable.func, expr: definition.value, reads, ..node.clone() });
        }
    }

    /// What a helper is given.
    fn parameter(&mut self, node: &Node) {
        let program = self.values.program;
        let Some(frame) = node.frame.map(|at| &self.frames[at]) else { return };
        let Expr::Var(var) = *self.values.facts(node.func).expr(node.expr) else { return };
        let Some((_, wanted)) = program.parameter_of(program.slot_of(node.func, var)) else { return };
        let given = program.arguments(&frame.edge).into_iter();
        let given = given.filter(|(passed, _)| *passed == Passed::Param(wanted));
        let given: Vec<Node> = given
            .map(|(_, expr)| Node { func: frame.caller, expr, frame: frame.outer, reads: node.reads.clone() })
            .collect();
        self.todo.extend(given);
    }

    fn call(&mut self, node: &Node) {
        let values = self.values;
        let facts = values.facts(node.func);
        let Expr::Call { callee, args, .. } = *facts.expr(node.expr) else { return };
        let name = spelled(values.program, node.func, node.expr).unwrap_or_default();
        let path = values.path(node.func, node.expr);
        let tells = &values.catalog.tells;
        let is_silent = path.as_deref().is_some_and(|path| tells.is_silent(path) || tells.is_number(path));
        if is_silent {
            return;
        }
        let gets = |path: &str| values.catalog.operations.of_call(path) == Some(DataOp::GetAttribute);
        if let [object, name, ..] = facts.list(args)
            && path.as_deref().is_some_and(gets)
        {
            return match values.program.text(node.func, name.value) {
                Some(name) => self.field(node, object.value, &name),
                None => self.go(node, object.value),
            };
        }
        let edges = values.program.edges_at(node.func, node.expr).iter();
        let own: Vec<Edge> = edges
            .filter(|edge| edge.kind == EdgeKind::Call && matches!(edge.to, Target::Project(_)))
            .copied()
            .collect();
        let makes = values.program.class_named(node.func, callee).is_some();
        let is_one = own.len() == 1;
        if !own.is_empty() && !makes {
            // What several functions may hand back is nothing in particular.
            let own = own.into_iter().filter(|_| is_one);
            own.for_each(|edge| self.helper(node, edge));
            return;
        }
        // A name proves nothing where a body can be read.
        if values.catalog.runtime.hides.has(&name) || !node.reads.is_empty() {
            return;
        }
        if let Some(method) = values.method(node.func, node.expr) {
            let picks = matches!(method.does, Some(DataOp::Get | DataOp::Keys | DataOp::Take));
            if picks || tells.is_silent_member(method.name) {
                return;
            }
            self.go(node, method.receiver);
        }
        // What an unknown function makes of what it is given is its own business.
        let converts = makes
            || values.catalog.runtime.converts.has(&name)
            || path
                .as_deref()
                .is_some_and(|path| values.catalog.handed_on.by_call(path) || path.starts_with(BUILTINS));
        if !converts {
            return;
        }
        facts.list(args).iter().filter(|arg| arg.kind != ArgKind::SpreadNamed).for_each(|arg| {
            self.go(node, arg.value);
        });
    }

    /// What a helper hands back; one that cuts hands back no whole.
    fn helper(&mut self, node: &Node, edge: Edge) {
        let Target::Project(to) = edge.to else { return };
        let facts = self.values.facts(to);
        let exprs = || self.values.program.ir(to).exprs.iter();
        let cuts = exprs().any(|expr| matches!(facts.expr(expr), Expr::Op { op: Op::Slice, .. }));
        if cuts && self.cuts == Cuts::Hide || self.is_inside(node, to) {
            return;
        }
        let frame = Some(self.frames.len());
        self.frames.push(Frame { caller: node.func, edge, outer: node.frame });
        for expr in exprs() {
            if let Expr::Jump { kind: Jump::Return, value: Some(value) } = *facts.expr(expr)
                && !is_for_debugging(self.values.program, self.values.catalog, to, expr)
            {
                self.todo.push(Node { func: to, expr: value, frame, reads: node.reads.clone() });
            }
        }
    }

    /// True for a helper that is looked into already.
    fn is_inside(&self, node: &Node, helper: Func) -> bool {
        let mut at = node.frame;
        while let Some(frame) = at.map(|at| &self.frames[at]) {
            if frame.edge.to == Target::Project(helper) {
                return true;
            }
            at = frame.outer;
        }
        false
    }
}
