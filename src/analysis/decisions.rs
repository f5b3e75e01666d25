//! Which values decide: what is compared with a word of a vocabulary, handed to a gate, or handed to a parameter that
//! decides. Found backwards from the tests, through variables, parameters, attributes and results, until nothing new
//! comes. Knows no rule.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::is_gate;
use crate::analysis::implicit;
use crate::catalog::{Naming, Vocabulary};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Op, Pat, PatId};
use crate::link::{At, Cls, Edge, EdgeKind, Func, Passed, Program, Slot, Target};
use crate::parallel;
use crate::source::FileId;

/// A method name that more classes define says nothing of the object.
const MAX_METHODS: usize = 3;

/// The values of a program that decide, as far as a vocabulary goes.
#[derive(Debug, Default)]
pub struct Decisions {
    exprs: FxHashSet<At>,
    slots: FxHashSet<Slot>,
    /// Attributes of a class's objects.
    fields: FxHashSet<(Cls, String)>,
    /// By file, whether anything in it can be about the value.
    files: Vec<bool>,
}

impl Decisions {
    pub fn find(program: &Program<'_>, words: &Vocabulary) -> Self {
        let found = Self { files: concerned(program, words), ..Self::default() };
        let (work, results, askers) = Default::default();
        let mut search = Search { program, words, found, work, results, askers };
        if !words.asks_who_decides() || !program.holds_text(&words.open) {
            return search.found;
        }
        search.find_askers();
        let is_concerned = |func: Func| {
            let file = program.function(func).file;
            search.found.concerns(file) && !program.is_test_code(func)
        };
        search.work = parallel::flat_map(0..program.functions.len() as u32, |func| {
            let concerned = Some(Func(func)).filter(|&func| is_concerned(func));
            concerned.into_iter().flat_map(|func| search.tests(func))
        });
        search.named_parameters();
        let calls = CallsOf::new(program);
        while let Some((func, expr)) = search.work.pop() {
            search.follow(&calls, func, expr);
        }
        search.found
    }

    /// False if nothing in the file has a name or a word of the vocabulary, or calls what has one.
    pub fn concerns(&self, file: FileId) -> bool {
        self.files[file.0 as usize]
    }

    pub fn decides(&self, at: At) -> bool {
        self.exprs.contains(&at)
    }

    pub fn variable_decides(&self, slot: Slot) -> bool {
        self.slots.contains(&slot)
    }

    pub fn field_decides(&self, class: Cls, name: &str) -> bool {
        self.fields.contains(&(class, name.to_owned()))
    }
}

/// Most files of a program have nothing to do with the value, and need no look at their bodies.
fn concerned(program: &Program<'_>, words: &Vocabulary) -> Vec<bool> {
    let own = program
        .files_with(|text| words.naming(text).is_some() || words.is_word(text) || words.may_spell_gate(text));
    let asks: Vec<bool> = (0..program.functions.len() as u32)
        .map(Func)
        .map(|func| {
            let file = program.function(func).file;
            let facts = program.facts(file);
            let mut params = facts.list(program.ir(func).params).iter();
            own[file.0 as usize] && params.any(|param| words.naming(facts.str(param.name)).is_some())
        })
        .collect();
    let mut files = own;
    let mut gates: FxHashMap<Target, bool> = FxHashMap::default();
    for edge in &program.edges {
        let asks = matches!(edge.to, Target::Project(func) if asks[func.0 as usize]);
        let mut is_gate =
            || *gates.entry(edge.to).or_insert_with(|| words.is_gate(&program.target_name(edge.to)));
        if asks || is_gate() {
            files[edge.at.file.0 as usize] = true;
        }
    }
    files
}

struct Search<'s, 'a> {
    program: &'s Program<'a>,
    words: &'s Vocabulary,
    found: Decisions,
    work: Vec<(Func, ExprId)>,
    /// The functions whose results decide.
    results: FxHashSet<Func>,
    /// The functions with a parameter whose name always means this value, by their name.
    askers: FxHashMap<&'a str, Vec<Func>>,
}

impl Search<'_, '_> {
    /// The values that a function tests or hands to somebody who does, by what can be seen in its own text.
    fn tests(&self, func: Func) -> Vec<(Func, ExprId)> {
        let facts = self.program.facts(self.program.function(func).file);
        let mut found = Vec::new();
        for expr in self.program.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Op { op: Op::Eq | Op::Ne | Op::Is | Op::IsNot, args } => {
                    if let &[left, right] = facts.list(args) {
                        let word = |with| self.is_word(func, with);
                        found.extend(word(right).then_some((func, left)));
                        found.extend(word(left).then_some((func, right)));
                    }
                }
                Expr::Op { op: Op::In | Op::NotIn, args } => {
                    if let &[value, set] = facts.list(args)
                        && decides_by(self.words, &self.program.members(func, set))
                    {
                        found.push((func, value));
                    }
                }
                Expr::Match { subject, arms }
                    if facts.list(arms).iter().any(|arm| self.names_word(func, arm.pat)) =>
                {
                    found.push((func, subject));
                }
                Expr::Call { callee, args, .. } => {
                    let handed = self.handed(func, expr, callee, facts.list(args));
                    found.extend(handed.into_iter().map(|value| (func, value)));
                }
                _ => {}
            }
        }
        found
    }

    fn is_word(&self, func: Func, expr: ExprId) -> bool {
        self.program.text(func, expr).is_some_and(|text| self.words.is_word(&text))
    }

    fn names_word(&self, func: Func, pat: PatId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.pat(pat) {
            Pat::Value(value) => self.is_word(func, value),
            Pat::Or(pats) => facts.list(pats).iter().any(|&pat| self.names_word(func, pat)),
            _ => false,
        }
    }

    /// To a gate, or under a name that always means this value.
    fn handed(&self, func: Func, call: ExprId, callee: ExprId, args: &[Arg]) -> Vec<ExprId> {
        let mut found = self.handed_by_name(func, call, args);
        let facts = self.program.facts(self.program.function(func).file);
        let is_gate = !args.is_empty() && is_gate(self.program, self.words, func, call).is_some();
        let is_exempt = || {
            let name = self.program.receiver_name(func, callee);
            !is_gate && name.is_some_and(|name| self.words.is_exempt_call(name.name))
        };
        for arg in args {
            let always = matches!(arg.kind, ArgKind::Named(name) if self.words.naming(facts.str(name)) == Some(Naming::Always));
            if (is_gate || always) && !is_exempt() {
                found.push(arg.value);
            }
        }
        found
    }

    /// To a method of an unknown object, if the few methods of its name take such a value there.
    fn handed_by_name(&self, func: Func, call: ExprId, args: &[Arg]) -> Vec<ExprId> {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return Vec::new() };
        let Expr::Field { name, .. } = *facts.expr(callee) else { return Vec::new() };
        let is_known = program.edges_at(func, call).iter().any(|edge| edge.kind == EdgeKind::Call);
        let askers =
            self.askers.get(facts.str(name)).filter(|askers| !is_known && askers.len() <= MAX_METHODS);
        let positional = args.iter().take_while(|arg| arg.kind == ArgKind::Positional).enumerate();
        let is_handed = |&(at, arg): &(usize, &Arg)| {
            let name = program.receiver_name(func, arg.value);
            let is_named = name.is_some_and(|name| self.words.naming(name.name).is_some());
            let mut askers = askers.into_iter().flatten();
            // The object comes first.
            is_named && askers.any(|&asker| self.naming(asker, at as u32 + 1) == Some(Naming::Always))
        };
        positional.filter(is_handed).map(|(_, arg)| arg.value).collect()
    }

    fn find_askers(&mut self) {
        for func in (0..self.program.functions.len() as u32).map(Func) {
            if self.program.function(func).class.is_some() && self.has_named_parameter(func) {
                self.askers.entry(self.program.name(func)).or_default().push(func);
            }
        }
    }

    /// What is handed by position to a parameter whose name always means this value.
    fn named_parameters(&mut self) {
        let program = self.program;
        let functions = 0..program.functions.len() as u32;
        let named: Vec<bool> = functions.map(|func| self.has_named_parameter(Func(func))).collect();
        for edge in program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(callee) = edge.to else { continue };
            if !named[callee.0 as usize] || program.is_test_code(edge.from) {
                continue;
            }
            for (passed, value) in program.arguments(edge) {
                if let Passed::Param(at) = passed
                    && self.naming(callee, at) == Some(Naming::Always)
                {
                    self.work.push((edge.from, value));
                }
            }
        }
    }

    fn has_named_parameter(&self, func: Func) -> bool {
        let count = self.program.ir(func).params.len() as u32;
        (0..count).any(|at| self.naming(func, at) == Some(Naming::Always))
            && !self.words.is_exempt_call(self.program.name(func))
    }

    fn naming(&self, func: Func, at: u32) -> Option<Naming> {
        let facts = self.program.facts(self.program.function(func).file);
        let param = facts.list(self.program.ir(func).params).get(at as usize)?;
        self.words.naming(facts.str(param.name))
    }

    /// `expr` decides; so does whatever it comes from.
    fn follow(&mut self, calls: &CallsOf, func: Func, expr: ExprId) {
        let file = self.program.function(func).file;
        if !self.found.exprs.insert(At { file, expr }) {
            return;
        }
        let facts = self.program.facts(file);
        match *facts.expr(expr) {
            Expr::Var(var) => self.follow_slot(calls, self.program.slot_of(func, var)),
            Expr::Field { base, name } => {
                let name = facts.str(name);
                match self.program.own_class(func, base) {
                    Some(class) => self.follow_field(class, name),
                    None if self.words.is_same_word(name) => self.work.push((func, base)),
                    None => {}
                }
                self.follow_results(func, expr);
            }
            Expr::Call { callee, .. } => {
                if let Expr::Field { base, name } = *facts.expr(callee)
                    && self.words.is_same_word(facts.str(name))
                {
                    self.work.push((func, base));
                }
                self.follow_results(func, expr);
            }
            Expr::Any(parts) | Expr::All(parts) => {
                self.work.extend(facts.list(parts).iter().map(|&part| (func, part)));
            }
            Expr::If { arms, otherwise } => {
                let bodies = facts.list(arms).iter().map(|arm| arm.body).chain(otherwise);
                self.work.extend(bodies.map(|body| (func, body)));
            }
            Expr::Await(inner)
            | Expr::Bind { value: inner, .. }
            | Expr::Ascribe { value: Some(inner), .. } => {
                self.work.push((func, inner));
            }
            _ => {}
        }
    }

    fn follow_slot(&mut self, calls: &CallsOf, slot: Slot) {
        if !self.found.slots.insert(slot) {
            return;
        }
        self.work.extend(self.program.definitions(slot));
        let Some((owner, position)) = self.program.parameter_of(slot) else { return };
        for &id in calls.of(owner) {
            let edge = &self.program.edges[id as usize];
            if self.program.is_test_code(edge.from) {
                continue;
            }
            let given = self.program.arguments(edge).into_iter();
            let given = given.filter(|(passed, _)| *passed == Passed::Param(position));
            self.work.extend(given.map(|(_, value)| (edge.from, value)));
        }
    }

    /// What the methods of the class keep under the name.
    fn follow_field(&mut self, class: Cls, name: &str) {
        if !self.found.fields.insert((class, name.to_owned())) {
            return;
        }
        self.work.extend(self.program.stored(class, name));
    }

    /// What the functions called at `expr` hand back.
    fn follow_results(&mut self, func: Func, expr: ExprId) {
        let program = self.program;
        let called = program.edges_at(func, expr).iter();
        for edge in called.filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(callee) = edge.to else { continue };
            if implicit::is_implicit(program, callee) {
                continue;
            }
            if self.results.insert(callee) {
                self.work.extend(program.returns(callee).map(|value| (callee, value)));
            }
        }
    }
}

/// A set of every word is a validator: it decides nothing.
fn decides_by(words: &Vocabulary, members: &BTreeSet<String>) -> bool {
    let has = |some: &[String]| some.iter().any(|word| members.contains(word));
    has(&words.open) != has(&words.closed)
}

/// The edges of calls by callee.
struct CallsOf {
    /// Sorted.
    edges: Vec<(Func, u32)>,
    ids: Vec<u32>,
}

impl CallsOf {
    fn new(program: &Program<'_>) -> Self {
        let call = |(id, edge): (usize, &Edge)| match (edge.to, edge.kind) {
            (Target::Project(func), EdgeKind::Call) => Some((func, id as u32)),
            _ => None,
        };
        let mut edges: Vec<(Func, u32)> = program.edges.iter().enumerate().filter_map(call).collect();
        edges.sort_unstable();
        let ids = edges.iter().map(|&(_, id)| id).collect();
        Self { edges, ids }
    }

    fn of(&self, func: Func) -> &[u32] {
        let start = self.edges.partition_point(|&(callee, _)| callee < func);
        let len = self.edges[start..].partition_point(|&(callee, _)| callee == func);
        &self.ids[start..start + len]
    }
}
