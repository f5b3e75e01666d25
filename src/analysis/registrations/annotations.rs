//! What a registration says of the class of its tool: `sensitivity="external"`, flags, the hints of a protocol. Looked for in
//! the arguments, in what those are made of, also by a helper of the project, and in the attributes of a class.

use rustc_hash::FxHashSet;

use super::Finder;
use crate::catalog::ClassWord;
use crate::config::{Irreversibility, Sensitivity};
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, ListOf, Lit};
use crate::link::{Cls, Edge, EdgeKind, Func, Passed, Target};

/// What somebody wrote down of a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// None if it says neither.
    pub class: Option<Sensitivity>,
    /// It says that the tool does not reach outside.
    pub is_closed: bool,
    /// By its name, not by hints.
    is_named: bool,
    pub hints: Hints,
    /// Its framework asks somebody before the tool runs.
    pub asks: bool,
    /// None if it does not say what a call does.
    pub irreversibility: Option<Irreversibility>,
    /// The parts that say its class, as they could be written: `openWorldHint = true`.
    pub text: String,
}

/// What a registration says of its tool in the words of its protocol, as far as it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub open_world: Option<bool>,
}

impl Annotation {
    /// It names a class of this project's own accord, not by the hints of a protocol that other things have, too.
    pub(super) fn is_explicit(&self) -> bool {
        self.class.is_some() && self.is_named
    }
}

/// What the parts of an annotation say.
#[derive(Default)]
struct Said {
    word: Option<String>,
    internal: Option<bool>,
    external: Option<bool>,
    open_world: Option<bool>,
    read_only: Option<bool>,
    destructive: Option<bool>,
    irreversibility: Option<Irreversibility>,
    asks: bool,
    texts: Vec<String>,
    /// What was looked at.
    seen: FxHashSet<ExprId>,
    /// The helpers that are looked into.
    frames: Vec<Frame>,
}

/// The call of a helper: what its parameters are.
struct Frame {
    helper: Func,
    caller: Func,
    given: Vec<(Passed, ExprId)>,
}

impl Finder<'_, '_> {
    /// What these arguments say.
    pub(super) fn annotation(&self, func: Func, args: &[Arg]) -> Option<Annotation> {
        let mut said = Said::default();
        self.arguments(func, args, &mut said);
        said.annotation()
    }

    /// What the decorators of a function say, whichever of them registers it.
    pub(super) fn decorators_say(&self, func: Func, scope: Func) -> Option<Annotation> {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        let mut said = Said::default();
        for &decorator in facts.list(program.ir(func).decorators) {
            if let Expr::Call { args, .. } = *facts.expr(decorator) {
                self.arguments(scope, facts.list(args), &mut said);
            }
        }
        said.annotation()
    }

    /// What the attributes of a class say.
    pub(super) fn class_annotation(&self, class: Cls) -> Option<Annotation> {
        let program = self.program;
        let mut said = Said::default();
        for &ancestor in program.lineage(class) {
            for word in self.catalog.classes.all() {
                for (owner, value) in program.declared(ancestor, word) {
                    self.part(owner, word, value, &mut said);
                }
            }
            let holders = self.catalog.classes.annotations.iter();
            for (owner, value) in holders.flat_map(|name| program.declared(ancestor, name)) {
                self.within(owner, value, &mut said);
            }
        }
        said.annotation()
    }

    fn arguments(&self, func: Func, args: &[Arg], said: &mut Said) {
        let facts = self.program.facts(self.program.function(func).file);
        for arg in args {
            match arg.kind {
                ArgKind::Named(name) => self.part(func, facts.str(name), arg.value, said),
                _ => self.within(func, arg.value, said),
            }
        }
    }

    /// What stands under a name.
    fn part(&self, func: Func, name: &str, value: ExprId, said: &mut Said) {
        let program = self.program;
        match self.catalog.classes.of(name) {
            Some(ClassWord::Sensitivity) => {
                if let Some(text) = super::constant_text(program, func, value) {
                    said.note(name, &text);
                    said.word.get_or_insert(text);
                }
            }
            Some(ClassWord::Irreversibility) => {
                let text = super::constant_text(program, func, value);
                let text = text.or_else(|| Some(program.receiver_name(func, value)?.name.to_owned()));
                let class = text.and_then(|text| Irreversibility::read(&self.catalog.irreversibility, &text));
                said.irreversibility = said.irreversibility.or(class);
            }
            Some(word) => {
                let (func, value) = self.meant(func, value, said);
                if let Some(flag) = self.flag(func, value) {
                    said.set(word, name, flag);
                }
            }
            None if self.catalog.actions.asks_by_option(name) => said.asks |= !self.is_no(func, value),
            None => self.within(func, value, said),
        }
    }

    /// `needs_approval=False`
    fn is_no(&self, func: Func, value: ExprId) -> bool {
        let (func, value) = self.program.bound(func, value);
        match *self.program.facts(self.program.function(func).file).expr(value) {
            Expr::Lit(Lit::Bool(flag)) => !flag,
            Expr::Lit(Lit::None) => true,
            Expr::Lit(Lit::Str(_)) => super::constant_text(self.program, func, value)
                .is_some_and(|text| self.catalog.actions.asks_never(&text)),
            _ => false,
        }
    }

    /// What a value says that is no flag: it may be a record of flags, or a call that makes one.
    fn within(&self, func: Func, value: ExprId, said: &mut Said) {
        let (func, value) = self.meant(func, value, said);
        if !said.seen.insert(value) {
            return;
        }
        match *self.program.facts(self.program.function(func).file).expr(value) {
            Expr::Call { callee, args, .. } => {
                self.made_by_helper(func, value, said);
                self.made(func, callee, args, said);
            }
            Expr::Record(entries) => self.entries(func, entries, said),
            _ => {}
        }
    }

    /// What a name stands for; the parameter of a helper is what its call gives, or its default.
    fn meant(&self, func: Func, value: ExprId, said: &Said) -> (Func, ExprId) {
        let program = self.program;
        let mut at = program.bound(func, value);
        for frame in said.frames.iter().rev() {
            let facts = program.facts(program.function(at.0).file);
            let Expr::Var(var) = *facts.expr(at.1) else { break };
            let Some((helper, wanted)) = program.parameter_of(program.slot_of(at.0, var)) else { break };
            if helper != frame.helper {
                continue;
            }
            let given = frame.given.iter().find(|(passed, _)| *passed == Passed::Param(wanted));
            let param = facts.list(program.ir(helper).params).get(wanted as usize);
            let default = || Some((program.ir(helper).parent, param?.default?));
            let Some((func, value)) = given.map(|&(_, arg)| (frame.caller, arg)).or_else(default) else {
                break;
            };
            at = program.bound(func, value);
        }
        at
    }

    /// `writes(destructive=False)`, of a function of the project that hands back one thing.
    fn made_by_helper(&self, func: Func, call: ExprId, said: &mut Said) {
        let program = self.program;
        let edges = program.edges_at(func, call).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let edges: Vec<&Edge> = edges.collect();
        let [Edge { to: Target::Project(helper), .. }] = edges[..] else { return };
        let returns: Vec<ExprId> = program.returns(*helper).collect();
        let [returned] = returns[..] else { return };
        let given = program.arguments(edges[0]);
        said.frames.push(Frame { helper: *helper, caller: func, given });
        self.within(*helper, returned, said);
        said.frames.pop();
    }

    /// `ToolAnnotations(openWorldHint=True)`, `ToolAnnotations::new().open_world(false)`.
    fn made(&self, func: Func, callee: ExprId, args: ListOf<Arg>, said: &mut Said) {
        let facts = self.program.facts(self.program.function(func).file);
        let args = facts.list(args);
        self.arguments(func, args, said);
        let Expr::Field { base, name } = *facts.expr(callee) else { return };
        if let [only] = args
            && only.kind == ArgKind::Positional
        {
            self.part(func, facts.str(name), only.value, said);
        }
        self.within(func, base, said);
    }

    fn entries(&self, func: Func, entries: ListOf<Entry>, said: &mut Said) {
        for entry in self.program.facts(self.program.function(func).file).list(entries) {
            if let EntryKey::Expr(key) = entry.key
                && let Some(key) = self.program.text(func, key)
            {
                self.part(func, &key, entry.value, said);
            }
        }
    }

    /// What one method of a builder says.
    pub(super) fn built(&self, func: Func, name: &str, args: &[Arg]) -> Option<Annotation> {
        let [only] = args else { return None };
        let mut said = Said::default();
        self.part(func, name, only.value, &mut said);
        said.annotation()
    }

    fn flag(&self, func: Func, value: ExprId) -> Option<bool> {
        let (func, value) = self.program.bound(func, value);
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.expr(value) {
            Expr::Lit(Lit::Bool(flag)) => Some(flag),
            // `Some(true)`
            Expr::Call { args, .. } => match facts.list(args) {
                [only] => match *facts.expr(only.value) {
                    Expr::Lit(Lit::Bool(flag)) => Some(flag),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

impl Said {
    fn note(&mut self, name: &str, value: &str) {
        self.texts.push(format!("{name} = {value}"));
    }

    fn set(&mut self, word: ClassWord, name: &str, flag: bool) {
        let part = match word {
            ClassWord::Internal => &mut self.internal,
            ClassWord::External => &mut self.external,
            ClassWord::OpenWorld => &mut self.open_world,
            ClassWord::ReadOnly => &mut self.read_only,
            ClassWord::Destructive => &mut self.destructive,
            ClassWord::Sensitivity | ClassWord::Irreversibility => return,
        };
        if part.is_none() {
            *part = Some(flag);
            if word != ClassWord::Destructive {
                self.note(name, &flag.to_string());
            }
        }
    }

    /// A tool that is open to the world is external; one that only reads what is inside brings that in.
    fn annotation(self) -> Option<Annotation> {
        let is_closed = self.open_world == Some(false);
        let class = match (&self.word, self.internal, self.external) {
            (Some(word), ..) => Sensitivity::read(word),
            (None, Some(true), _) => Some(Sensitivity::InternalSource),
            (None, _, Some(true)) => Some(Sensitivity::External),
            _ if self.open_world == Some(true) => Some(Sensitivity::External),
            _ if is_closed && self.read_only == Some(true) => Some(Sensitivity::InternalSource),
            _ => None,
        };
        let by_hints = match (self.read_only, self.destructive) {
            (Some(true), _) => Some(Irreversibility::ReadOnly),
            (_, Some(true)) => Some(Irreversibility::Irreversible),
            // As the protocol has it: nothing that is there is changed.
            (_, Some(false)) => Some(Irreversibility::CreatesState),
            _ => None,
        };
        let irreversibility = self.irreversibility.or(by_hints);
        let text = self.texts.join(", ");
        let is_named = self.word.is_some() || self.internal.is_some() || self.external.is_some();
        let says = !text.is_empty() || irreversibility.is_some() || self.asks;
        let hints = Hints { read_only: self.read_only, open_world: self.open_world };
        let asks = self.asks;
        says.then_some(Annotation { class, is_closed, is_named, hints, asks, irreversibility, text })
    }
}
