//! Where a value was put into a list of words: what stands before it there says what it decides.

use super::graph::Node;
use super::paths::{Key, Path};
use super::places::Place;
use crate::catalog::{Catalog, DataOp};
use crate::ir::{Expr, ExprId, Facts, ParamKind, Pat};
use crate::link::{Func, Passed, Program, Target};

/// A value that is put into a list of words, which becomes a command or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Put {
    pub func: Func,
    /// The list as it is written down, the variable that gets the word, or the call that collects its arguments.
    pub list: ExprId,
    pub word: ExprId,
    /// It is a sequence, whose elements stand there.
    pub is_spread: bool,
    /// All elements of the sequence are the value's.
    pub is_whole: bool,
}

impl Put {
    fn new(func: Func, list: ExprId, word: ExprId, is_spread: bool) -> Self {
        Self { func, list, word, is_spread, is_whole: false }
    }
}

/// A node of a way that is no step between two others.
#[derive(Clone, Copy)]
struct Stop {
    func: Func,
    place: Place,
    part: Path,
}

/// The lists that a value is put into on a way to a command, the outermost first: each one stands where the word of the one
/// before it does.
pub fn puts(
    program: &Program<'_>,
    catalog: &Catalog,
    place: impl Fn(Node) -> Option<(Func, Place)>,
    way: &[(Node, Path)],
) -> Vec<Put> {
    let stop = |&(node, part): &(Node, Path)| {
        let (func, place) = place(node)?;
        (place != Place::Between).then_some(Stop { func, place, part })
    };
    let stops: Vec<Stop> = way.iter().filter_map(stop).collect();
    let lists = Lists { program, catalog };
    // The step of the part that says where the value stands in the command; before the first one where it is an element.
    let mut depth = 0;
    let mut found: Vec<Put> = Vec::new();
    for pair in stops.windows(2).rev() {
        let [from, to] = *pair else { continue };
        let grown = to.part.keys().len() as i32 - from.part.keys().len() as i32;
        let here = if depth == 0 { lists.between(from, to) } else { Vec::new() };
        let is_spread = here.last().is_some_and(|put| put.is_spread);
        found.extend(here);
        let is_whole = match (depth, grown) {
            (0, 1..) if is_spread && lists.is_written_so(from) => None,
            (0, 1..) => Some(is_spread),
            (-1, 0) => Some(true),
            _ => None,
        };
        if let Some(is_whole) = is_whole {
            found.last_mut().into_iter().for_each(|last| last.is_whole = is_whole && last.is_spread);
            break;
        }
        depth -= grown;
    }
    found
}

struct Lists<'l, 'p> {
    program: &'l Program<'p>,
    catalog: &'l Catalog,
}

impl Lists<'_, '_> {
    fn facts(&self, func: Func) -> &Facts {
        self.program.facts(self.program.function(func).file)
    }

    /// True for `*words` inside a list: what is before it is the sequence.
    fn is_written_so(&self, stop: Stop) -> bool {
        let is_spread = |expr| matches!(self.facts(stop.func).expr(expr), Expr::Spread(_));
        matches!(stop.place, Place::Expr(expr) if is_spread(expr))
    }

    /// The lists that a value gets into between two nodes.
    fn between(&self, from: Stop, to: Stop) -> Vec<Put> {
        let Place::Expr(word) = from.place else { return Vec::new() };
        match to.place {
            Place::Expr(list) if from.func == to.func => match self.into(from.func, list, word) {
                Some(put) => vec![put],
                None => self.handed_back(from.func, list, word, to.part),
            },
            Place::Param(at) => self.collected((from.func, word), (to.func, at)).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The list that a word is put into by an expression.
    fn into(&self, func: Func, list: ExprId, word: ExprId) -> Option<Put> {
        let facts = self.facts(func);
        let holds = |items: ExprId| matches!(*facts.expr(items), Expr::Seq(items) if facts.list(items).contains(&word));
        let is_written_so = matches!(facts.expr(word), Expr::Spread(_));
        let is_spread = match *facts.expr(list) {
            Expr::Seq(_) => holds(list).then_some(is_written_so),
            Expr::Op { args, .. } => {
                let is_part = facts.list(args).contains(&word);
                let is_held = facts.list(args).iter().any(|&arg| holds(arg));
                (is_part || is_held).then_some(is_part || is_written_so)
            }
            Expr::Var(_) => self.adds(func, list, word),
            _ => None,
        };
        Some(Put::new(func, list, word, is_spread?))
    }

    /// For `list.append(word)`: whether it is the elements of the word that are added.
    fn adds(&self, func: Func, list: ExprId, word: ExprId) -> Option<bool> {
        let facts = self.facts(func);
        self.program.ir(func).exprs.iter().find_map(|expr| {
            let Expr::Call { callee, args, .. } = *facts.expr(expr) else { return None };
            let Expr::Field { base, name } = *facts.expr(callee) else { return None };
            let is_added = base == list && facts.list(args).last()?.value == word;
            let does = self.catalog.operations.of_method(facts.lang, facts.str(name));
            is_added.then_some(does == Some(DataOp::Extend))
        })
    }

    /// The call by which a function collects a word among its other arguments.
    fn collected(&self, (func, word): (Func, ExprId), (callee, at): (Func, u32)) -> Option<Put> {
        let edges = self.program.edges_from(func).iter();
        let mut edges = edges.filter(|edge| edge.to == Target::Project(callee));
        edges.find_map(|edge| {
            let given = self.program.arguments(edge).into_iter().filter(|(_, value)| *value == word);
            let mut given = given.filter_map(|(passed, _)| match passed {
                Passed::Rest(own) if own == at => Some(false),
                Passed::SpreadFrom(_) if self.collects(callee, at) => Some(true),
                _ => None,
            });
            Some(Put::new(func, edge.at.expr, word, given.next()?))
        })
    }

    /// True for `*arguments`.
    fn collects(&self, func: Func, at: u32) -> bool {
        let param = self.facts(func).list(self.program.ir(func).params).get(at as usize);
        param.is_some_and(|param| param.kind == ParamKind::Rest)
    }

    /// The list that a function of the project writes down and hands back, and the call that collects the word for it.
    fn handed_back(&self, func: Func, call: ExprId, word: ExprId, part: Path) -> Vec<Put> {
        for edge in self.program.edges_at(func, call) {
            let Target::Project(callee) = edge.to else { continue };
            let given = self.program.arguments(edge).into_iter().find(|(_, value)| *value == word);
            let params = 0..self.program.ir(callee).params.len() as u32;
            let at = match given {
                Some((Passed::Param(at) | Passed::Rest(at), _)) => Some(at),
                Some((Passed::SpreadFrom(_), _)) => params.into_iter().find(|&at| self.collects(callee, at)),
                _ => None,
            };
            let Some(at) = at else { continue };
            let own = self.shortest(callee, at).into_iter();
            let found: Vec<Put> = own.chain(self.collected((func, word), (callee, at))).collect();
            if !found.is_empty() {
                return found;
            }
        }
        match part.first_step() {
            Some(Key::At(at)) => self.sole(func, call, at).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Of the lists of a function that hold a parameter the one in which least stands before it: that says least of it.
    fn shortest(&self, func: Func, at: u32) -> Option<Put> {
        let facts = self.facts(func);
        let param = facts.list(self.program.ir(func).params).get(at as usize)?;
        let Pat::Var(param) = *facts.pat(param.pat) else { return None };
        let reads = |item: ExprId| {
            let mut below = facts.arenas.below(item).into_iter();
            below.any(|expr| matches!(*facts.expr(expr), Expr::Var(var) if var == param))
        };
        let lists = self.program.ir(func).exprs.iter().filter_map(|list| {
            let Expr::Seq(items) = *facts.expr(list) else { return None };
            let (before, &word) = facts.list(items).iter().enumerate().find(|(_, item)| reads(**item))?;
            Some((before, Put::new(func, list, word, matches!(facts.expr(word), Expr::Spread(_)))))
        });
        lists.min_by_key(|(before, _)| *before).map(|(_, put)| put)
    }

    /// The element at a position of the only list that a function writes down.
    fn sole(&self, func: Func, call: ExprId, at: u32) -> Option<Put> {
        let callees = self.program.edges_at(func, call).iter().filter_map(|edge| match edge.to {
            Target::Project(callee) => Some(callee),
            Target::External(_) => None,
        });
        let mut lists = callees.flat_map(|func| {
            let facts = self.facts(func);
            self.program.ir(func).exprs.iter().filter_map(move |list| match *facts.expr(list) {
                Expr::Seq(items) => Some(Put::new(func, list, *facts.list(items).get(at as usize)?, false)),
                _ => None,
            })
        });
        lists.next().filter(|_| lists.next().is_none())
    }
}
