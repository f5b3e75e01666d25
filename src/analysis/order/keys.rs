//! Which session a call belongs to: the object that it is called on, or that it is given as a session. Two objects that were
//! made at different places are two sessions, two that were given the same one share it.

use std::sync::Arc;

use crate::analysis::definitions::{Definition, Read};
use crate::analysis::values::Values;
use crate::catalog::SessionWords;
use crate::ir::{ArgKind, Expr, ExprId, Facts, FnKind, Sym};
use crate::link::{Edge, EdgeKind, Func, Passed, Slot, Target, argument};

/// A session.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// Any: nothing tells.
    Any,
    /// What this call in this function made.
    Made(Func, ExprId),
    /// A parameter, by position.
    Param(u32),
    /// A variable of which more is not known.
    Var(Slot),
    /// An attribute.
    Part(Arc<Key>, Sym),
}

impl Key {
    /// True unless the two are certainly, or at least most likely, different sessions.
    pub fn may_be(&self, other: &Key) -> bool {
        self == other || *self == Key::Any || *other == Key::Any
    }

    /// True for what this expression makes, and for parts of it.
    pub fn is_of(&self, func: Func, made: ExprId) -> bool {
        match self {
            Key::Made(owner, at) => (*owner, *at) == (func, made),
            Key::Part(whole, _) => whole.is_of(func, made),
            _ => false,
        }
    }
}

pub struct Keys<'o, 'p, 'a> {
    values: &'o Values<'p, 'a>,
    words: &'p SessionWords,
}

impl<'o, 'p, 'a> Keys<'o, 'p, 'a> {
    pub fn new(values: &'o Values<'p, 'a>) -> Self {
        Self { values, words: &values.catalog.sessions }
    }

    /// The object that an expression stands for.
    pub fn of(&self, func: Func, expr: ExprId) -> Key {
        let facts = self.values.facts(func);
        match *facts.expr(expr) {
            Expr::Await(inner) | Expr::Spread(inner) => self.inner(func, inner),
            Expr::Field { base, name } => self.field(func, base, name, expr),
            Expr::Call { callee, .. } => match *facts.expr(callee) {
                // The same object under another name.
                Expr::Field { base, name } if self.words.is_same(facts.str(name)) => self.inner(func, base),
                _ => Key::Made(func, expr),
            },
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) => self.named(func, expr),
            _ => Key::Any,
        }
    }

    fn inner(&self, func: Func, expr: ExprId) -> Key {
        self.of(func, expr)
    }

    fn named(&self, func: Func, expr: ExprId) -> Key {
        let program = self.values.program;
        let Some(variable) = program.variable(func, expr) else { return Key::Any };
        let slot = program.slot_of(variable.func, variable.var);
        if let Some((owner, at)) = program.parameter_of(slot) {
            return if owner == func { Key::Param(at) } else { Key::Var(slot) };
        }
        let definitions = self.values.definitions(variable.func);
        match definitions.of(variable.var) {
            [only] if !only.is_element && only.value != expr => {
                let value = self.whole(variable.func, only);
                match value.map(|value| self.inner(variable.func, value)) {
                    None | Some(Key::Any) => Key::Var(slot),
                    Some(key) => key,
                }
            }
            _ => Key::Var(slot),
        }
    }

    /// The value of a variable, also where several are bound at once: `a, b = x, y`.
    fn whole(&self, func: Func, definition: &Definition) -> Option<ExprId> {
        match (&definition.reads[..], *self.values.facts(func).expr(definition.value)) {
            ([], _) => Some(definition.value),
            ([Read::At(at)], Expr::Seq(items)) => {
                self.values.facts(func).list(items).get(*at as usize).copied()
            }
            _ => None,
        }
    }

    fn field(&self, func: Func, base: ExprId, name: Sym, expr: ExprId) -> Key {
        match self.inner(func, base) {
            // `module.SESSION`
            Key::Any => self.named(func, expr),
            base => self.part(base, name),
        }
    }

    /// An attribute of an object: what its constructor was given for it, as far as that is seen. Below two attributes
    /// nothing is told apart, so that a chain of them (`node.parent.parent`) comes to an end.
    pub fn part(&self, whole: Key, name: Sym) -> Key {
        let given = match &whole {
            Key::Made(func, call) => self.given(*func, *call, name).map(|value| self.inner(*func, value)),
            Key::Part(outer, _) if matches!(**outer, Key::Part(..)) => return whole,
            _ => None,
        };
        given.unwrap_or_else(|| Key::Part(Arc::new(whole), name))
    }

    /// False for what a call of this function makes anew, each time.
    pub fn is_known_outside(&self, func: Func, key: &Key) -> bool {
        let program = self.values.program;
        match key {
            Key::Made(owner, _) => *owner != func,
            Key::Part(whole, _) => self.is_known_outside(func, whole),
            Key::Var(slot) => {
                let owner = program.owner_of(*slot).map(|variable| variable.func);
                owner != Some(func) || program.ir(func).kind == FnKind::Module
            }
            Key::Any | Key::Param(_) => true,
        }
    }

    /// The argument of a constructor that becomes an attribute.
    fn given(&self, func: Func, call: ExprId, name: Sym) -> Option<ExprId> {
        let program = self.values.program;
        let facts = self.values.facts(func);
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        if let Some(value) = argument(facts, facts.list(args), None, Some(facts.str(name))) {
            return Some(value);
        }
        program.edges_at(func, call).iter().find_map(|edge| {
            let Target::Project(maker) = edge.to else { return None };
            let at = self.kept(maker, name)?;
            let mut arguments = program.arguments(edge).into_iter();
            arguments.find(|(passed, _)| *passed == Passed::Param(at)).map(|(_, value)| value)
        })
    }

    /// The parameter that a constructor keeps under a name: `self.session = session`, `Self { session }`.
    fn kept(&self, maker: Func, name: Sym) -> Option<u32> {
        let program = self.values.program;
        let facts = self.values.facts(maker);
        let class = program.function(maker).class?;
        let stored = program.stored(class, facts.str(name));
        let made = program.returns(maker).filter_map(|value| match *facts.expr(value) {
            Expr::Call { args, .. } => argument(facts, facts.list(args), None, Some(facts.str(name))),
            _ => None,
        });
        let mut values = stored.chain(made.map(|value| (maker, value)));
        values.find_map(|(owner, value)| match (self.inner(owner, value), owner == maker) {
            (Key::Param(at), true) => Some(at),
            (key, false) => self.handed_to(maker, owner, &key),
            _ => None,
        })
    }

    /// The parameter that a function hands to one that it calls as what the key says there.
    fn handed_to(&self, func: Func, callee: Func, key: &Key) -> Option<u32> {
        let mut edges = self.values.program.edges_from(func).iter();
        let edge = edges.find(|edge| edge.kind == EdgeKind::Call && edge.to == Target::Project(callee))?;
        match self.at_caller(key, edge) {
            Key::Param(at) => Some(at),
            _ => None,
        }
    }

    /// The argument of a call that is a session by its name.
    pub fn session_argument(&self, func: Func, call: ExprId) -> Option<Key> {
        let facts = self.values.facts(func);
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        let is_session = |kind: ArgKind, value: ExprId| match kind {
            ArgKind::Named(name) => self.words.is_session(facts.str(name)),
            _ => self.is_session(func, facts, value),
        };
        let session = facts.list(args).iter().find(|arg| is_session(arg.kind, arg.value));
        session.map(|arg| self.of(func, arg.value))
    }

    fn is_session(&self, func: Func, facts: &Facts, value: ExprId) -> bool {
        let is_named = matches!(facts.expr(value), Expr::Var(_) | Expr::Field { .. } | Expr::Free(_));
        let name = self.values.program.receiver_name(func, value);
        is_named && name.is_some_and(|name| self.words.is_session(name.name))
    }

    /// A key of a callee, as its caller knows it.
    pub fn at_caller(&self, key: &Key, edge: &Edge) -> Key {
        match key {
            Key::Param(at) => self.passed(edge, *at).unwrap_or(Key::Any),
            Key::Part(whole, name) => match self.at_caller_of(whole, edge) {
                Key::Any => Key::Any,
                whole => self.part(whole, *name),
            },
            key => key.clone(),
        }
    }

    fn at_caller_of(&self, key: &Key, edge: &Edge) -> Key {
        self.at_caller(key, edge)
    }

    fn passed(&self, edge: &Edge, at: u32) -> Option<Key> {
        let program = self.values.program;
        let facts = program.facts(edge.at.file);
        let Expr::Call { callee, .. } = *facts.expr(edge.at.expr) else { return None };
        if at == 0 && program.takes_object(edge) {
            let Expr::Field { base, .. } = *facts.expr(callee) else { return None };
            return Some(self.of(edge.from, base));
        }
        let mut arguments = program.arguments(edge).into_iter();
        let value = arguments.find(|(passed, _)| *passed == Passed::Param(at)).map(|(_, value)| value)?;
        Some(self.of(edge.from, value))
    }
}
