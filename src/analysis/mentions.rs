//! What tests speak of: the names and texts that a test function holds, with those of the helpers and fixtures that it uses
//! and of what stands over it. Which of them matter is the rules' business.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::catalog::Checklist;
use crate::ir::walk::Child;
use crate::ir::{Expr, ExprId, FnKind, Lit};
use crate::link::{Cls, EdgeKind, Func, Program, Target};

/// Helpers of helpers of a test.
const MAX_HELPERS: u32 = 3;
/// So many expressions behind one name are looked at: a list of operations, a declaration.
const MAX_PARTS: usize = 400;

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    pub func: Func,
    /// Names and texts, each with the first place where it stands.
    pub mentions: BTreeMap<String, (Func, ExprId)>,
    /// Itself, and the helpers and fixtures that it uses.
    pub functions: BTreeSet<Func>,
}

/// The tests of a program, to be found by the words of their texts.
#[derive(Debug, Default)]
pub struct Tests {
    /// In order.
    all: Vec<Test>,
    /// By word, the tests that mention it, sorted. A seeded hash: the keys are text of the scanned tree.
    by_word: HashMap<String, Vec<usize>>,
}

impl Tests {
    fn new(all: Vec<Test>) -> Self {
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, test) in all.iter().enumerate() {
            for word in test.mentions.keys().flat_map(|text| words_of(text)) {
                match by_word.get_mut(word) {
                    Some(known) if known.last() == Some(&at) => {}
                    Some(known) => known.push(at),
                    None => drop(by_word.insert(word.to_owned(), vec![at])),
                }
            }
        }
        Self { all, by_word }
    }

    /// The tests that have all words of one of these texts, in order: no others can hold one of them as a whole.
    pub fn with_words_of(&self, texts: &[&str]) -> Vec<&Test> {
        let found: BTreeSet<usize> = texts.iter().flat_map(|text| self.with_words(text)).collect();
        found.into_iter().map(|at| &self.all[at]).collect()
    }

    fn with_words(&self, text: &str) -> Vec<usize> {
        let lists = words_of(text).map(|word| self.by_word.get(word).map_or(&[][..], Vec::as_slice));
        match lists.min_by_key(|list| list.len()) {
            Some(list) => list.to_vec(),
            None => (0..self.all.len()).collect(),
        }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The test functions of a program.
pub fn tests(program: &Program<'_>, words: &Checklist) -> Tests {
    let fixtures = fixtures(program);
    let functions = (0..program.functions.len() as u32).map(Func);
    let is_test = |func: &Func| {
        program.may_be_test(*func)
            && program.ir(*func).kind == FnKind::Plain
            && (words.is_test(program.name(*func)) || is_marked(program, words, *func))
    };
    let of_classes = |func: Func| objects(program, func).into_iter().map(move |class| (func, class));
    let tests = functions.filter(is_test).flat_map(of_classes);
    Tests::new(tests.map(|(func, class)| test(program, words, &fixtures, func, class)).collect())
}

/// The classes on whose objects a test runs: its own, and those that inherit it as it is.
fn objects(program: &Program<'_>, func: Func) -> Vec<Option<Cls>> {
    let Some(own) = program.function(func).class else { return vec![None] };
    let heirs = program.subclasses(own).iter().copied().filter(|&heir| program.is_method_of(func, heir));
    let mut classes: Vec<Cls> = heirs.collect();
    if !classes.contains(&own) {
        classes.insert(0, own);
    }
    classes.into_iter().map(Some).collect()
}

/// `#[test]`, `#[tokio::test]`.
fn is_marked(program: &Program<'_>, words: &Checklist, func: Func) -> bool {
    let facts = program.facts(program.function(func).file);
    facts.list(program.ir(func).decorators).iter().any(|&decorator| {
        let named = match *facts.expr(decorator) {
            Expr::Call { callee, .. } => callee,
            _ => decorator,
        };
        program.ir(func).is_test
            && program.receiver_name(func, named).is_some_and(|it| words.is_test(it.name))
    })
}

/// Functions of test code that stand under a decorator, by name: a parameter that is called like one gets what it makes.
fn fixtures<'a>(program: &Program<'a>) -> BTreeMap<&'a str, Vec<Func>> {
    let mut found: BTreeMap<&'a str, Vec<Func>> = BTreeMap::new();
    for func in (0..program.functions.len() as u32).map(Func) {
        let function = program.ir(func);
        if program.may_be_test(func) && !function.decorators.is_empty() {
            found.entry(program.name(func)).or_default().push(func);
        }
    }
    found
}

fn test(
    program: &Program<'_>,
    words: &Checklist,
    fixtures: &BTreeMap<&str, Vec<Func>>,
    func: Func,
    class: Option<Cls>,
) -> Test {
    let mut reader = Reader { program, fixtures, seen: BTreeSet::new(), mentions: BTreeMap::new() };
    reader.function(func, MAX_HELPERS);
    if let Some(class) = class {
        let own = program.function(func).class;
        if own != Some(class) {
            reader.methods(class, words);
        }
        reader.around(class, &words.prepares);
    }
    Test { func, mentions: reader.mentions, functions: reader.seen }
}

struct Reader<'r, 'a> {
    program: &'r Program<'a>,
    fixtures: &'r BTreeMap<&'r str, Vec<Func>>,
    seen: BTreeSet<Func>,
    mentions: BTreeMap<String, (Func, ExprId)>,
}

impl Reader<'_, '_> {
    fn function(&mut self, func: Func, hops: u32) {
        let Some(hops) = hops.checked_sub(1).filter(|_| self.seen.insert(func)) else { return };
        let (program, function) = (self.program, self.program.ir(func));
        let file = program.function(func).file;
        let facts = program.facts(file);
        let docstring = match *facts.expr(function.body) {
            Expr::Block(list) => facts.list(list).first().copied(),
            _ => None,
        };
        for expr in function.exprs.iter().filter(|expr| Some(*expr) != docstring) {
            self.expression(func, expr);
        }
        let scope = function.parent;
        for &decorator in facts.list(function.decorators) {
            self.parts(scope, decorator);
        }
        for param in facts.list(function.params) {
            let made = self.fixtures.get(facts.str(param.name)).cloned().unwrap_or_default();
            made.into_iter().for_each(|fixture| self.function(fixture, hops));
        }
        let helpers = program.edges_from(func).iter().filter_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Stored, _) | (_, Target::External(_)) => None,
            (_, Target::Project(helper)) => program.may_be_test(helper).then_some(helper),
        });
        let helpers: Vec<Func> = helpers.chain(program.nested(func)).collect();
        helpers.into_iter().for_each(|helper| self.function(helper, hops));
    }

    /// What a class adds to the steps of a test that it inherits.
    fn methods(&mut self, class: Cls, words: &Checklist) {
        let program = self.program;
        let own: Vec<Func> = program.nested(program.class_body(class)).collect();
        let steps = own.into_iter().filter(|&step| !words.is_test(program.name(step)));
        steps.for_each(|step| self.function(step, MAX_HELPERS));
    }

    /// What the class around a test and what it inherits from say, and what prepares its tests.
    fn around(&mut self, class: Cls, prepares: &[String]) {
        let program = self.program;
        for &ancestor in program.lineage(class) {
            for name in prepares {
                if let Some(prepares) = program.own_method(ancestor, name) {
                    self.function(prepares, 1);
                }
            }
            let body = program.class_body(ancestor);
            let file = program.function(body).file;
            let facts = program.facts(file);
            let FnKind::ClassBody(id) = program.ir(body).kind else { continue };
            let scope = program.ir(body).parent;
            for &decorator in facts.list(facts.class(id).decorators) {
                self.parts(scope, decorator);
            }
            for expr in program.ir(body).exprs.iter() {
                if let Expr::Bind { value, .. } = *facts.expr(expr)
                    && !matches!(facts.expr(value), Expr::Closure(_) | Expr::Class(_))
                {
                    self.parts(body, value);
                }
            }
        }
    }

    fn expression(&mut self, func: Func, expr: ExprId) {
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => self.mention(facts.str(text), func, expr),
            Expr::Field { name, .. } => {
                self.mention(facts.str(name), func, expr);
                self.behind(func, expr);
            }
            Expr::Free(name) => {
                self.mention(facts.str(name), func, expr);
                self.behind(func, expr);
            }
            Expr::Import(id) => {
                if let crate::ir::Imported::Name(name) = facts.import(id).what {
                    self.mention(facts.str(name), func, expr);
                }
            }
            Expr::Call { args, .. } => {
                for arg in facts.list(args) {
                    if let crate::ir::ArgKind::Named(name) = arg.kind {
                        self.mention(facts.str(name), func, expr);
                    }
                }
            }
            _ => {}
        }
    }

    /// What a name of a module or a class stands for: a text, a list of them, a declaration.
    fn behind(&mut self, func: Func, expr: ExprId) {
        let (owner, value) = self.program.bound(func, expr);
        if (owner, value) == (func, expr) {
            return;
        }
        let facts = self.program.facts(self.program.function(owner).file);
        let is_data = matches!(facts.expr(value), Expr::Lit(_) | Expr::Seq(_) | Expr::Record(_));
        let is_test = self.program.may_be_test(owner);
        if is_data && (is_test || matches!(facts.expr(value), Expr::Lit(_))) {
            self.below(owner, value, (func, expr));
        }
    }

    fn parts(&mut self, func: Func, expr: ExprId) {
        self.below(func, expr, (func, expr));
    }

    fn below(&mut self, func: Func, top: ExprId, at: (Func, ExprId)) {
        let facts = self.program.facts(self.program.function(func).file);
        let mut todo = vec![top];
        let mut left = MAX_PARTS;
        while let Some(expr) = todo.pop() {
            let Some(less) = left.checked_sub(1) else { break };
            left = less;
            match *facts.expr(expr) {
                Expr::Lit(Lit::Str(text)) => self.mention(facts.str(text), at.0, at.1),
                Expr::Free(name) | Expr::Field { name, .. } => {
                    self.mention(facts.str(name), at.0, at.1);
                    self.behind(func, expr);
                }
                // A module's own variable, over one of its functions.
                Expr::Var(_) => self.behind(func, expr),
                _ => {}
            }
            facts.arenas.each_child(expr, |child| {
                if let Child::Expr(child) = child {
                    todo.push(child);
                }
            });
        }
    }

    fn mention(&mut self, text: &str, func: Func, expr: ExprId) {
        if !self.mentions.contains_key(text) {
            self.mentions.insert(text.to_owned(), (func, expr));
        }
    }
}
