//! What a capture function does to the response it looks at: it changes the object, itself or by a helper, or it hands back
//! something else in its place. Which parameters are the response is the catalogue's; copies that stay inside may change.

mod alias;
mod pieces;
mod returned;

use std::cell::{Cell, RefCell};
use std::hash::Hash;

use rustc_hash::FxHashMap;

use self::alias::{Alias, Roots};
use self::returned::Kind;
use super::values::Values;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Expr, ExprId, FnKind, Jump, Op, ParamKind, Pat, PatId};
use crate::link::{EdgeKind, Func, Passed, Target};

/// A change of the response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutation {
    /// The function in which it stands: the capture function, or one that is defined inside it.
    pub func: Func,
    pub at: ExprId,
    pub how: Changed,
    pub confidence: Confidence,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changed {
    Assigned,
    Deleted,
    /// A method that changes its object, or a function that changes its argument.
    By(String),
    /// A function of the project that changes what it is given.
    Helper(Func),
    /// Something else is handed back in its place.
    Returned,
}

/// Every change of the response in a capture function, in the order of the text.
pub fn mutations(values: &Values<'_, '_>, func: Func) -> Vec<Mutation> {
    let Some((roots, confidence)) = responses(values, func) else { return Vec::new() };
    let changes = Changes::new(values);
    let mut found = Vec::new();
    for part in within(values, func) {
        found.extend(changes.of_function(part, &roots));
    }
    let facts = values.facts(func);
    for expr in values.program.ir(func).exprs.iter() {
        if let Expr::Jump { kind: Jump::Return, value: Some(value) } = *facts.expr(expr)
            && changes.hands_back_changed(func, value, &roots)
        {
            found.push(Mutation { func, at: expr, how: Changed::Returned, confidence });
        }
    }
    found.iter_mut().for_each(|mutation| mutation.confidence = mutation.confidence.min(confidence));
    found.sort_by_key(|mutation| values.facts(mutation.func).span(mutation.at).lo);
    found
}

/// A function and what is defined inside it, but for classes.
fn within(values: &Values<'_, '_>, func: Func) -> Vec<Func> {
    let mut all = vec![func];
    let mut at = 0;
    while let Some(&next) = all.get(at) {
        all.extend(values.program.nested(next));
        at += 1;
    }
    all
}

/// The parameters that carry the response, and how sure that is.
fn responses(values: &Values<'_, '_>, func: Func) -> Option<(Roots, Confidence)> {
    let facts = values.facts(func);
    let capture = &values.catalog.capture;
    let params = facts.list(values.program.ir(func).params).iter().enumerate();
    let own: Vec<(u32, &str)> = params
        .filter(|(_, param)| !matches!(param.kind, ParamKind::Rest | ParamKind::KeywordRest))
        .map(|(at, param)| (at as u32, facts.str(param.name)))
        .collect();
    let named: Vec<u32> =
        own.iter().filter(|(_, name)| capture.is_response(name)).map(|&(at, _)| at).collect();
    if !named.is_empty() {
        return Some((Roots { func, params: named, is_own: true }, Confidence::High));
    }
    let is_method = values.program.function(func).class.is_some();
    let first = own.iter().find(|(at, _)| !(is_method && *at == 0));
    first
        .filter(|(_, name)| !capture.is_other(name))
        .map(|&(at, _)| (Roots { func, params: vec![at], is_own: true }, Confidence::Medium))
}

/// An expression of a function, and the parameters of a function that are the objects in question.
type Key = (Func, ExprId, Func, u64);
type Known<K, V> = RefCell<FxHashMap<K, V>>;

/// Names of names, helpers of helpers: what leads further is not followed.
const MAX_DEPTH: u32 = 100;

pub(super) struct Changes<'c, 'p, 'a> {
    values: &'c Values<'p, 'a>,
    /// Whether a function changes what it is given in a parameter.
    changed: Known<(Func, u32), bool>,
    aliases: Known<Key, Option<Alias>>,
    kinds: Known<Key, Kind>,
    pieces: Known<Key, bool>,
    piece: Known<Key, bool>,
    depth: Cell<u32>,
}

impl<'c, 'p, 'a> Changes<'c, 'p, 'a> {
    fn new(values: &'c Values<'p, 'a>) -> Self {
        Self {
            values,
            changed: RefCell::default(),
            aliases: RefCell::default(),
            kinds: RefCell::default(),
            pieces: RefCell::default(),
            piece: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The answer to a question, asked once; what asks for itself again, or too deep, gets `least`.
    fn once<K: Hash + Eq + Copy, V: Copy>(
        &self,
        known: &Known<K, V>,
        key: K,
        least: V,
        find: impl FnOnce() -> V,
    ) -> V {
        if let Some(&known) = known.borrow().get(&key) {
            return known;
        }
        if self.depth.get() >= MAX_DEPTH {
            return least;
        }
        known.borrow_mut().insert(key, least);
        self.depth.set(self.depth.get() + 1);
        let found = find();
        self.depth.set(self.depth.get() - 1);
        known.borrow_mut().insert(key, found);
        found
    }
}

impl Changes<'_, '_, '_> {
    /// Changes of what `roots` hold in one function. `+=` on the parameter itself may only make another text: a capture
    /// function says by it that the response is meant to change, a helper does not.
    fn of_function(&self, func: Func, roots: &Roots) -> Vec<Mutation> {
        let facts = self.values.facts(func);
        let function = self.values.program.ir(func);
        if matches!(function.kind, FnKind::ClassBody(_)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for expr in function.exprs.iter() {
            let how = match *facts.expr(expr) {
                Expr::Store { place, value, .. } => self.is_part(func, place, roots).then_some(match value {
                    Some(_) => Changed::Assigned,
                    None => Changed::Deleted,
                }),
                Expr::Bind { pat, .. } => {
                    let is_changed = self.stores(func, pat, roots)
                        || self.augments(func, expr, roots).is_some_and(|in_place| roots.is_own || in_place);
                    is_changed.then_some(Changed::Assigned)
                }
                Expr::Call { .. } => self.call(func, expr, roots),
                _ => None,
            };
            found.extend(how.map(|how| Mutation { func, at: expr, how, confidence: Confidence::High }));
        }
        found
    }

    /// `response.text`, `response["text"]`.
    fn is_part(&self, func: Func, place: ExprId, roots: &Roots) -> bool {
        let (Expr::Field { base, .. } | Expr::Index { base, .. }) = *self.values.facts(func).expr(place)
        else {
            return false;
        };
        self.alias(func, base, roots) == Some(Alias::Same)
    }

    fn stores(&self, func: Func, pat: PatId, roots: &Roots) -> bool {
        let facts = self.values.facts(func);
        match *facts.pat(pat) {
            Pat::Place(place) => self.is_part(func, place, roots),
            Pat::Seq { items, .. } => facts.list(items).iter().any(|&item| self.stores(func, item, roots)),
            _ => false,
        }
    }

    /// `response += …`: the value begins where the statement does, and begins with the parameter. True if the object itself
    /// is certain to change: a list is.
    fn augments(&self, func: Func, bind: ExprId, roots: &Roots) -> Option<bool> {
        let facts = self.values.facts(func);
        let Expr::Bind { value, .. } = *facts.expr(bind) else { return None };
        let (Expr::Op { args: parts, .. } | Expr::Text(parts)) = *facts.expr(value) else { return None };
        let (&first, rest) = facts.list(parts).split_first()?;
        let begins = facts.span(value).lo == facts.span(bind).lo;
        let adds_list =
            rest.iter().any(|&part| matches!(facts.expr(part), Expr::Seq(_) | Expr::Collect { .. }));
        (begins && self.is_root(func, first, roots)).then_some(adds_list)
    }

    fn call(&self, func: Func, call: ExprId, roots: &Roots) -> Option<Changed> {
        let values = self.values;
        let is_same = |expr| self.alias(func, expr, roots) == Some(Alias::Same);
        if let Some(method) = values.method(func, call)
            && values.catalog.handed_on.mutates(method.name)
            && is_same(method.receiver)
        {
            return Some(Changed::By(method.name.to_owned()));
        }
        let facts = values.facts(func);
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return None };
        let path = self.path(func, call, callee);
        if values.catalog.handed_on.mutates_argument(&path) {
            let first = facts.list(args).first().filter(|arg| arg.kind == ArgKind::Positional)?;
            let name = path.rsplit('.').next().unwrap_or(&path);
            return is_same(first.value).then(|| Changed::By(name.to_owned()));
        }
        self.changed_by_helper(func, call, callee, roots)
    }

    /// A function of the project that is given the object, and changes it.
    fn changed_by_helper(&self, func: Func, call: ExprId, callee: ExprId, roots: &Roots) -> Option<Changed> {
        let program = self.values.program;
        let facts = self.values.facts(func);
        for edge in program.edges_at(func, call).iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(helper) = edge.to else { continue };
            let mut given: Vec<(u32, ExprId)> = Vec::new();
            for (passed, expr) in program.arguments(edge) {
                if let Passed::Param(at) = passed {
                    given.push((at, expr));
                }
            }
            // The object whose method it is.
            if let Expr::Field { base, .. } = *facts.expr(callee)
                && program.function(helper).class.is_some()
                && given.iter().all(|&(at, _)| at != 0)
            {
                given.push((0, base));
            }
            let changes = |&(at, expr): &(u32, ExprId)| {
                self.alias(func, expr, roots) == Some(Alias::Same) && self.changes(helper, at)
            };
            if given.iter().any(changes) {
                return Some(Changed::Helper(helper));
            }
        }
        None
    }

    /// The path of what is called, also of a method of the language's own types.
    fn path(&self, func: Func, call: ExprId, callee: ExprId) -> String {
        let path = self.values.path(func, call);
        path.or_else(|| self.values.program.library_path(func, callee).map(str::to_owned)).unwrap_or_default()
    }

    /// True if a function changes what it is given in this parameter.
    fn changes(&self, func: Func, at: u32) -> bool {
        self.once(&self.changed, (func, at), false, || {
            let roots = Roots { func, params: vec![at], is_own: false };
            let mut parts = within(self.values, func).into_iter();
            parts.any(|part| !self.of_function(part, &roots).is_empty())
        })
    }

    /// True for an operation that puts its parts one behind the other.
    fn joins(op: Op) -> bool {
        matches!(op, Op::Add | Op::Mod | Op::BitOr)
    }
}
