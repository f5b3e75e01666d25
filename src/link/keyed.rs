//! Dispatch by key: a function that looks up what it calls under a key that it is given runs, for each caller, what stands
//! under that caller's key. An event bus runs the handlers of that event.
//!
//! An attribute that a method calls is looked up in the same way: its key is the class of the object.
//!
//! Inference has one list for all that a table holds. Once it is over, each look-up whose table, key and registrations are
//! understood says which entries a key means; what is not understood means all of them, as before.

mod entries;
mod given;
mod keys;
mod lookups;
mod run;

use rustc_hash::FxHashSet;

use super::edge::{At, Edge, EdgeKind, Receiver, Target};
use super::edges::Pass;
use super::hierarchy::MethodKind;
use super::ids::{Cls, ContainerId, Func};
use super::picks::{Keyed, Pick, Picked};
use super::starts::Starts;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Sym};
use keys::{KeyOf, Part};

/// What entries belong to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Owner {
    Table(ContainerId),
    Attribute(Cls, Sym),
}

/// A key that a function has from a parameter, its own or that of a function around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Asked {
    func: Func,
    parameter: (Func, u32),
    part: Part,
}

/// What a call says of the entries that its callee looks up.
enum Said {
    Exactly(FxHashSet<Func>),
    /// Its own caller says it.
    Given {
        parameter: (Func, u32),
        part: Part,
    },
    Open,
}

/// Edges by what they lead to.
pub(super) struct Callers {
    starts: Starts,
    edges: Vec<u32>,
}

impl Callers {
    fn new(edges: &[Edge], functions: usize, decorators: &FxHashSet<ExprId>) -> Self {
        // What a decorator is given stands below it.
        let project = |(id, edge): (usize, &Edge)| match edge.to {
            Target::Project(_) if decorators.contains(&edge.at.expr) => None,
            Target::Project(func) if edge.kind != EdgeKind::Stored => Some((func.0, id as u32)),
            _ => None,
        };
        let mut by_callee: Vec<(u32, u32)> = edges.iter().enumerate().filter_map(project).collect();
        by_callee.sort_unstable();
        let starts = Starts::new(functions, by_callee.iter().map(|&(func, _)| func));
        Self { starts, edges: by_callee.into_iter().map(|(_, id)| id).collect() }
    }

    fn of(&self, func: Func) -> &[u32] {
        &self.edges[self.starts.of(func.0)]
    }
}

impl Pass<'_, '_, '_> {
    /// Says of each look-up by a key which entries are meant. The edges are sorted.
    pub(super) fn resolve_keys(&mut self) {
        let choices = std::mem::take(&mut self.choices);
        if choices.is_empty() {
            return;
        }
        let index = self.solver.index;
        let is_call = |func: Func, expr: ExprId| {
            matches!(index.units[index.file_of(func)].facts.expr(expr), Expr::Call { .. })
        };
        let named = self.found.decorators.iter().filter(|&&(func, expr, _)| !is_call(func, expr));
        let decorators: FxHashSet<ExprId> = named.map(|&(_, expr, _)| expr).collect();
        let callers = Callers::new(&self.found.edges, index.functions.len(), &decorators);
        self.resolve_given(&choices, &callers);
        let lookups = self.lookups(choices);
        if lookups.is_empty() {
            return;
        }
        let all = self.entries(&lookups, &callers);
        let (mut others, mut told_apart) = (FxHashSet::default(), FxHashSet::default());
        for (lookup, entries) in lookups.iter().zip(&all).filter(|(_, entries)| !entries.keyed.is_empty()) {
            match &lookup.key {
                KeyOf::Known(keys) => {
                    let meant = entries.meant(keys);
                    let is_other = |func: &Func| entries.keyed.contains_key(func) && !meant.contains(func);
                    let edges = self.edges_of(lookup.from, lookup.at);
                    others.extend(edges.filter_map(|(id, func)| is_other(&func).then_some(id)));
                    told_apart.insert(lookup.at);
                }
                &KeyOf::Given { parameter, part } => {
                    let edges = self.edges_of(lookup.from, lookup.at);
                    let keyed: Vec<usize> = edges
                        .filter_map(|(id, func)| entries.keyed.contains_key(&func).then_some(id))
                        .collect();
                    self.pick_edges(keyed.into_iter());
                    let asked = Asked { func: lookup.from, parameter, part };
                    let said = |pass: &mut Self, edge: &Edge, asked| match pass.key_at(edge, asked) {
                        KeyOf::Known(keys) => Said::Exactly(entries.meant(&keys)),
                        KeyOf::Given { parameter, part } => Said::Given { parameter, part },
                        KeyOf::Open => Said::Open,
                    };
                    let is_known = self.ask_callers(asked, &entries.keyed, &callers, said);
                    told_apart.extend(is_known.then_some(lookup.at));
                }
                KeyOf::Open => {}
            }
        }
        let mut ids = 0..;
        self.found.edges.retain(|_| ids.next().is_none_or(|id| !others.contains(&id)));
        for call in self.found.calls.iter_mut().filter(|call| told_apart.contains(&call.at)) {
            (call.is_open, call.is_unseen) = (false, false);
        }
    }

    /// The edges that stand where something is looked up, with what they lead to.
    fn edges_of(&self, from: Func, at: At) -> impl Iterator<Item = (usize, Func)> + use<'_> {
        self.edges_at(from, at).filter_map(|(id, edge)| match edge.to {
            Target::Project(func) => Some((id, func)),
            Target::External(_) => None,
        })
    }

    fn edges_at(&self, from: Func, at: At) -> impl Iterator<Item = (usize, &Edge)> + use<'_> {
        let place = (from, at);
        let start = self.found.edges.partition_point(|edge| (edge.from, edge.at) < place);
        let here = self.found.edges[start..].iter().take_while(move |edge| (edge.from, edge.at) == place);
        here.enumerate().map(move |(nth, edge)| (start + nth, edge))
    }

    /// True if a call may run so many functions that what it gives says nothing of one of them.
    fn is_crowded(&self, edge: &Edge) -> bool {
        let most = self.solver.index.externals.catalog().holders.pooled;
        self.edges_at(edge.from, edge.at).nth(most).is_some()
    }

    /// Marks the edges of a look-up that hold for some keys only.
    fn pick_edges(&mut self, keyed: impl Iterator<Item = usize>) {
        for id in keyed {
            let edge = &mut self.found.edges[id];
            if edge.receiver.is_any() {
                let is_pooled = edge.confidence == Confidence::Low;
                edge.receiver = if is_pooled { Receiver::Pooled } else { Receiver::Picked };
            }
        }
    }

    /// What each call of a function picks by what it gives for the key, and so on for those that are given it themselves. True if
    /// all of them are known to give some key.
    fn ask_callers(
        &mut self,
        asked: Asked,
        keyed: &Keyed,
        callers: &Callers,
        said: impl Fn(&mut Self, &Edge, Asked) -> Said,
    ) -> bool {
        let (mut work, mut known) = (vec![asked], FxHashSet::default());
        let mut is_known = true;
        while let Some(asked) = work.pop().filter(|_| !self.solver.run.is_over()) {
            if !known.insert(asked) {
                continue;
            }
            if asked.part == Part::Class && asked.parameter.1 == 0 {
                self.found.picks.add_objects(asked.func, keyed);
            }
            for &id in callers.of(asked.func) {
                let edge = self.found.edges[id as usize];
                let picked = match said(self, &edge, asked) {
                    Said::Exactly(meant) => Picked::Exactly(meant),
                    Said::Given { parameter, part } if self.sees(edge.from, parameter.0) => {
                        work.push(Asked { func: edge.from, parameter, part });
                        Picked::All(Pick::Through)
                    }
                    _ => {
                        is_known = false;
                        Picked::All(Pick::Any)
                    }
                };
                self.found.picks.add(edge.at.expr, asked.func, keyed, picked);
            }
        }
        is_known
    }

    /// What the caller gives for a key, on the way of `edge`.
    fn key_at(&mut self, edge: &Edge, asked: Asked) -> KeyOf {
        let Asked { func, parameter, part } = asked;
        if func != parameter.0 {
            // A function inside the one that is given the key: whoever runs it from there has the key, too.
            return if self.sees(edge.from, parameter.0) {
                KeyOf::Given { parameter, part }
            } else {
                KeyOf::Open
            };
        }
        if parameter.1 == 0 && self.has_object(func) {
            return self.object_of_call(edge, func, part);
        }
        let given = self.given_at(edge, func, parameter.1);
        given.map_or(KeyOf::Open, |(func, expr)| self.key_of(func, expr, part))
    }

    /// True if a function has the parameters of another one at hand.
    fn sees(&self, func: Func, owner: Func) -> bool {
        func == owner || self.solver.is_inside(func, owner)
    }

    /// A class and those that inherit from it.
    pub(super) fn below(&self, class: Cls) -> impl Iterator<Item = Cls> + use<'_> {
        [class].into_iter().chain(self.solver.hierarchy.descendants[class.0 as usize].iter().copied())
    }

    pub(super) fn has_object(&self, func: Func) -> bool {
        let is_static = self.solver.hierarchy.kind(func) == MethodKind::Static;
        self.solver.index.method_of[func.0 as usize].is_some() && !is_static
    }
}
