//! What a value may be made of, whoever made it: functions, modules and library paths that are named on the way to it, through
//! names, tables, objects that were given them, and calls of which nothing is known. An upper bound, for who asks what an
//! unresolved call may run; nothing resolves by it.

mod calls;
mod gifts;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::externals::PathId;
use super::loads::Paths;
use super::modules::Module;
use super::names::Name;
use super::program::{At, CallSite, Cls, Func, Program, Resolution};
use super::statics::Global;
use super::types::{Slot, Type};
use crate::ir::{EntryKey, Expr, ExprId, Lit};
use crate::source::FileId;
use gifts::{Gifts, Label};

/// Expressions looked at for one answer, the nearest first.
const MAX_STEPS: u32 = 400;
/// Parameters, results and unknown calls on the way to one expression.
const MAX_HOPS: u8 = 6;

/// Something that a value may be, or may be made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    Function(Func),
    Library(PathId),
    /// What a call or a look-up at this place hands back.
    At(At),
}

/// An expression, and the attribute that is read from it; none if all that it holds is meant.
type Step = (Func, ExprId, Option<Name>);

pub struct Provenance<'p, 'a> {
    pub(super) program: &'p Program<'a>,
    gifts: RefCell<FxHashMap<usize, Rc<Gifts>>>,
    relatives: RefCell<FxHashMap<Cls, Rc<[Cls]>>>,
    /// The files of the program that calls load by their paths.
    loaded: FxHashMap<At, Vec<usize>>,
}

#[derive(Default)]
struct Walk {
    /// With the hops on the way; the nearest come first.
    work: VecDeque<(Step, u8)>,
    /// The hops to the expression at hand.
    hops: u8,
    seen: FxHashSet<Step>,
    slots: FxHashSet<(Slot, Option<Name>)>,
    found: BTreeSet<Origin>,
}

impl Walk {
    fn push(&mut self, step: Step) {
        if self.seen.insert(step) {
            self.work.push_back((step, self.hops));
        }
    }

    /// To what another function, or something unknown, was given or hands back.
    fn hop(&mut self, step: Step) {
        if self.hops < MAX_HOPS && self.seen.insert(step) {
            self.work.push_back((step, self.hops + 1));
        }
    }

    fn add(&mut self, origin: Origin) {
        self.found.insert(origin);
    }
}

impl<'p, 'a> Provenance<'p, 'a> {
    pub fn new(program: &'p Program<'a>) -> Self {
        let paths = Paths::new(&program.index, program.hierarchy());
        let mut loaded: FxHashMap<At, Vec<usize>> = FxHashMap::default();
        for load in &program.loads {
            let file = load.path.as_deref().and_then(|path| paths.file_at(path));
            loaded.entry(load.at).or_default().extend(file);
        }
        Self { program, gifts: RefCell::default(), relatives: RefCell::default(), loaded }
    }

    /// What the callee of a call may be made of.
    pub fn of_callee(&self, func: Func, call: ExprId) -> BTreeSet<Origin> {
        let mut walk = Walk::default();
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return walk.found };
        walk.push((func, callee, None));
        // `methodcaller("post")(client)`: what it is called with is what it is made of.
        if self.is_getter(func, callee) {
            facts.list(args).iter().for_each(|arg| walk.push((func, arg.value, None)));
        }
        self.run(walk)
    }

    fn run(&self, mut walk: Walk) -> BTreeSet<Origin> {
        let mut left = MAX_STEPS;
        while let Some((step, hops)) = walk.work.pop_front() {
            walk.hops = hops;
            let Some(less) = left.checked_sub(1) else { break };
            left = less;
            self.step(step, &mut walk);
        }
        walk.found
    }

    fn step(&self, (func, expr, asked): Step, walk: &mut Walk) {
        let index = &self.program.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let mut each = |list: &[ExprId]| list.iter().for_each(|&part| walk.push((func, part, asked)));
        match *facts.expr(expr) {
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) => self.name(func, expr, asked, walk),
            Expr::Field { .. } => self.field(func, expr, walk),
            Expr::Index { base, .. } => {
                walk.add(Origin::At(At { file: FileId(file as u32), expr }));
                walk.push((func, base, None));
                self.members(func, base, walk);
            }
            Expr::Call { .. } => self.call(func, expr, asked, walk),
            Expr::Closure(id) => self.function(index.func(file, id), walk),
            Expr::Seq(items) => each(facts.list(items)),
            Expr::Record(_) => self.record(func, expr, asked, walk),
            Expr::Any(parts) | Expr::All(parts) | Expr::Op { args: parts, .. } => each(facts.list(parts)),
            Expr::If { arms, otherwise } => {
                facts.list(arms).iter().map(|arm| arm.body).chain(otherwise).for_each(|body| each(&[body]));
            }
            Expr::Match { arms, .. } => facts.list(arms).iter().for_each(|arm| each(&[arm.body])),
            Expr::Block(body) => facts.list(body).last().iter().for_each(|&&last| each(&[last])),
            Expr::Collect { item: inner, .. }
            | Expr::Await(inner)
            | Expr::Spread(inner)
            | Expr::Bind { value: inner, .. }
            | Expr::Ascribe { value: Some(inner), .. } => each(&[inner]),
            _ => {}
        }
    }

    /// `Step["SEND"]`: what the body of an enumeration binds, but for its methods.
    fn members(&self, func: Func, base: ExprId, walk: &mut Walk) {
        let index = &self.program.index;
        for ty in index.statics(func, base) {
            let Type::Class { class, .. } = ty else { continue };
            let body = index.class_body(class);
            let facts = index.units[index.file_of(body)].facts;
            for export in facts.list(index.ir(body).exports) {
                let bound = index.definitions(index.var(body, export.var));
                let values = bound.filter(|&(_, value)| !matches!(facts.expr(value), Expr::Closure(_)));
                values.for_each(|(func, value)| walk.push((func, value, None)));
            }
        }
    }

    /// A function itself, and what it hands back where it is run by somebody unknown.
    fn function(&self, function: Func, walk: &mut Walk) {
        walk.add(Origin::Function(function));
        let returns = self.program.index.returns(function);
        returns.for_each(|value| walk.hop((function, value, None)));
    }

    fn name(&self, func: Func, expr: ExprId, asked: Option<Name>, walk: &mut Walk) {
        let index = &self.program.index;
        let file = index.file_of(func);
        let global = match *index.units[file].facts.expr(expr) {
            Expr::Var(var) => Some(Global::Slot(index.var(func, var))),
            Expr::Free(name) => Some(index.global(file, index.name(file, name))),
            Expr::Import(id) => index.imported(file, id),
            _ => None,
        };
        match global {
            Some(Global::Slot(slot)) => self.slot(func, slot, asked, walk),
            Some(Global::Is(ty)) => self.known(func, ty, asked, walk),
            None => {}
        }
    }

    fn known(&self, func: Func, ty: Type, asked: Option<Name>, walk: &mut Walk) {
        let externals = &self.program.index.externals;
        match ty {
            Type::Module(module) => self.module(func, module, asked, walk),
            Type::External(path) => {
                let names = &self.program.index.names;
                let path = asked.map_or(path, |name| externals.child(path, name, names));
                walk.add(Origin::Library(path));
            }
            Type::Function(function) => self.function(function, walk),
            _ => {}
        }
    }

    /// The attribute that is asked for, or whatever a module has.
    fn module(&self, func: Func, module: Module, asked: Option<Name>, walk: &mut Walk) {
        let index = &self.program.index;
        if let Some(name) = asked {
            match index.module_attr(module, name) {
                Some(Global::Slot(slot)) => self.slot(func, slot, None, walk),
                Some(Global::Is(ty)) => self.known(func, ty, None, walk),
                None => {}
            }
            return;
        }
        let Module::File(file) = module else { return };
        let body = index.module_body(file);
        for export in index.units[file].facts.list(index.ir(body).exports) {
            for ty in index.slot_statics(index.var(body, export.var)) {
                match ty {
                    Type::Function(function) => walk.add(Origin::Function(function)),
                    Type::External(path) => walk.add(Origin::Library(path)),
                    _ => {}
                }
            }
        }
    }

    fn slot(&self, func: Func, slot: Slot, asked: Option<Name>, walk: &mut Walk) {
        if !walk.slots.insert((slot, asked)) {
            return;
        }
        let index = &self.program.index;
        index.definitions(slot).for_each(|(func, value)| walk.push((func, value, asked)));
        if let Some(iterated) = index.iterated(slot) {
            walk.push((iterated.func, iterated.iterable, asked));
        }
        // What is given to a parameter has its types there, and nothing is known of their attributes.
        let param = index.param_of.get(&slot).copied().filter(|_| asked.is_none());
        if let Some(param) = param.filter(|&(owner, at)| !index.is_receiver(owner, at)) {
            index.handed(param).into_iter().for_each(|(func, value)| walk.hop((func, value, None)));
        }
        let owner = index.owner(slot).map(|(owner, _)| index.file_of(owner));
        let files: BTreeSet<usize> = owner.into_iter().chain([index.file_of(func)]).collect();
        for file in files {
            let gifts = self.gifts(file);
            for gift in gifts.of_slot(slot).filter(|gift| gift.label.fits(asked)) {
                let asked = asked.filter(|_| gift.label == Label::Taken);
                walk.push((gift.func, gift.value, asked));
            }
        }
    }

    fn gifts(&self, file: usize) -> Rc<Gifts> {
        let mut gifts = self.gifts.borrow_mut();
        Rc::clone(gifts.entry(file).or_insert_with(|| Rc::new(Gifts::find(self.program, file))))
    }

    fn field(&self, func: Func, expr: ExprId, walk: &mut Walk) {
        let index = &self.program.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let Expr::Field { base, name } = *facts.expr(expr) else { return };
        let (text, name) = (facts.str(name), index.name(file, name));
        if let Some(slot) = self.program.attribute(func, base, expr) {
            return self.slot(func, slot, None, walk);
        }
        if self.program.is_own_object(func, base) {
            return self.own_attribute(func, name, walk);
        }
        let setters = &index.externals.catalog().setters;
        if setters.is_namespace_of_function(text) {
            for ty in index.statics(func, base) {
                if let Type::Function(function) = ty {
                    self.module(func, Module::File(index.file_of(function)), None, walk);
                }
            }
        }
        // What every object has, and `.value` of a member of an enumeration, is about the object as a whole.
        let is_whole = text == "value" || text.starts_with("__");
        walk.push((func, base, (!is_whole).then_some(name)));
    }

    /// What methods store under the name, those of mixins included that only some subclasses have.
    fn own_attribute(&self, func: Func, name: Name, walk: &mut Walk) {
        let index = &self.program.index;
        let Some(class) = index.enclosing_class(func) else { return };
        for &relative in self.relatives(class).iter() {
            index.stored(relative, name).for_each(|(func, value)| walk.push((func, value, None)));
            let file = index.file_of(index.class_body(relative));
            for gift in self.gifts(file).of_attribute(relative, name) {
                walk.push((gift.func, gift.value, None));
            }
        }
    }

    fn relatives(&self, class: Cls) -> Rc<[Cls]> {
        if let Some(known) = self.relatives.borrow().get(&class) {
            return Rc::clone(known);
        }
        let hierarchy = self.program.hierarchy();
        let below = hierarchy.descendants[class.0 as usize].iter();
        let all = below.chain([&class]).flat_map(|at| &hierarchy.ancestors[at.0 as usize]);
        let all: BTreeSet<Cls> = all.copied().collect();
        let all: Rc<[Cls]> = all.into_iter().collect();
        self.relatives.borrow_mut().insert(class, Rc::clone(&all));
        all
    }

    fn record(&self, func: Func, expr: ExprId, asked: Option<Name>, walk: &mut Walk) {
        let index = &self.program.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let Expr::Record(entries) = *facts.expr(expr) else { return };
        for entry in facts.list(entries) {
            let fits = match (entry.key, asked) {
                (EntryKey::Expr(key), Some(asked)) => match *facts.expr(key) {
                    Expr::Lit(Lit::Str(text)) => index.name(file, text) == asked,
                    _ => true,
                },
                _ => true,
            };
            if fits {
                walk.push((func, entry.value, None));
            }
        }
    }
}

impl Program<'_> {
    /// The calls that stand in a function, in order.
    pub fn calls_of(&self, func: Func) -> &[CallSite] {
        let start = self.calls.partition_point(|call| call.from < func);
        let len = self.calls[start..].partition_point(|call| call.from == func);
        &self.calls[start..start + len]
    }

    /// True for a call that resolves to nothing, or to what a library's object has and no import names.
    pub fn is_unknown(&self, call: &CallSite) -> bool {
        // What closures of Rust are given is known where they are passed.
        let is_open = matches!(call.resolution, Resolution::Unresolved | Resolution::External(_));
        if !is_open || self.index.is_rust(call.at.file.0 as usize) {
            return false;
        }
        match *self.facts(call.at.file).expr(call.at.expr) {
            Expr::Call { callee, .. } => self.library_path(call.from, callee).is_none(),
            _ => false,
        }
    }
}

impl Label {
    /// True if what is labelled so may be read by this name; without one, everything may.
    fn fits(self, asked: Option<Name>) -> bool {
        match (self, asked) {
            (_, None) | (Label::Any | Label::Taken, _) => true,
            (Label::Named(name), Some(asked)) => name == asked,
            (Label::Placed, Some(_)) => false,
        }
    }
}
