//! Effects that are reached by a name in a value: a module loaded by its name, an attribute looked up by its name, code
//! in a text, and a network module handed over as a value. Only what is constant is followed; what a plugin loader is
//! given is not known here.

mod handed;
mod open;
mod planted;
mod text;

use rustc_hash::{FxHashMap, FxHashSet};

use super::reached::Reached;
use crate::catalog::{Catalog, DataOp, Effect, EffectKind, Loader, Loads};
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Lang};
use crate::link::{At, CallSite, EdgeKind, Func, Known, Program, Target, argument};
use crate::source::FileId;

/// One expression that reaches an effect by a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Obscured {
    pub from: Func,
    pub at: At,
    pub confidence: Confidence,
    /// What is reached: `subprocess`, `os.system`.
    pub target: String,
    pub how: HiddenBy,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HiddenBy {
    Loaded,
    LookedUp,
    InText,
    HandedOver,
    /// Only the run knows the name or the text.
    Open,
}

/// In order of function and place; one for each place. What only the run knows is told of functions that an agent reaches.
pub fn obscured(program: &Program<'_>, catalog: &Catalog, reached: &Reached<'_>) -> Vec<Obscured> {
    let mut finder = Finder {
        program,
        catalog,
        loaders: FxHashMap::default(),
        files: FxHashSet::default(),
        lookups: FxHashMap::default(),
        has_loaders: false,
        found: Vec::new(),
    };
    finder.loaders();
    finder.uses();
    finder.loaded_modules();
    handed::find(program, catalog, &mut finder.found);
    finder.planted();
    let open = finder.open(reached);
    let mut found = finder.found;
    found.sort_unstable();
    found.dedup_by_key(|site| site.at);
    let known: FxHashSet<At> = found.iter().map(|site| site.at).collect();
    found.extend(open.into_iter().filter(|site| !known.contains(&site.at)));
    found.sort_unstable();
    found
}

/// Kinds that are a gate's business; a file or a database is no more hidden than its path.
fn is_guarded(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Network | EffectKind::Process | EffectKind::Hardware)
}

/// The languages in which a text may name a module.
fn loads_by_name() -> impl Iterator<Item = Lang> {
    Lang::ALL.into_iter().filter(|lang| lang.profile().loads_by_name)
}

/// The effect that a module stands for where it is loaded by its name.
fn loaded_effect<'c>(catalog: &'c Catalog, path: &str) -> Option<&'c Effect> {
    loads_by_name().find_map(|lang| catalog.module_effect(lang, path, None))
}

fn is_effect_module(catalog: &Catalog, path: &str) -> bool {
    loads_by_name().any(|lang| catalog.is_effect_module(lang, path))
}

/// A part of a part of a text.
const MAX_DEPTH: u32 = 6;

struct Finder<'p, 'a> {
    program: &'p Program<'a>,
    catalog: &'p Catalog,
    /// Calls that hand back what they loaded, or a function that looks it up.
    loaders: FxHashMap<At, (Func, Loads)>,
    /// The files they stand in: no others can use what they hand back by a name of their own.
    files: FxHashSet<FileId>,
    /// Attributes and modules looked up by a name that is not known, each with what looks it up.
    lookups: FxHashMap<At, (Func, String)>,
    /// Something of the program loads, or is given what does.
    has_loaders: bool,
    found: Vec<Obscured>,
}

impl<'p> Finder<'p, '_> {
    fn loaders(&mut self) {
        let mut known: FxHashMap<Target, bool> = FxHashMap::default();
        for edge in &self.program.edges {
            let Target::External(path) = edge.to else { continue };
            let loads = known
                .entry(edge.to)
                .or_insert_with(|| self.catalog.loader(self.program.path(path)).is_some());
            self.has_loaders |= *loads;
            if *loads && edge.kind == EdgeKind::Call {
                self.loader(edge.from, edge.at, self.program.path(path));
            }
        }
    }

    fn loader(&mut self, from: Func, at: At, path: &str) {
        let Some(loader) = self.catalog.loader(path) else { return };
        let hands_back = loader.of == Loads::Module || loader.is_getter();
        if hands_back {
            self.loaders.insert(at, (from, loader.of));
            self.files.insert(at.file);
        }
        let facts = self.program.facts(at.file);
        let Expr::Call { args, .. } = *facts.expr(at.expr) else { return };
        let args = facts.list(args);
        let tests = loader.argument.iter().chain(&loader.also);
        let values = tests.filter_map(|test| argument(facts, args, test.index, test.name.as_deref()));
        values.for_each(|value| self.loads((from, at), path, loader, (args, value)));
    }

    fn loads(
        &mut self,
        (from, at): (Func, At),
        path: &str,
        loader: &Loader,
        (args, value): (&[Arg], ExprId),
    ) {
        match loader.of {
            Loads::Module => self.module(from, at, value),
            Loads::Attribute if !loader.is_getter() => {
                let object = args.first().map(|arg| arg.value);
                object.into_iter().for_each(|object| self.attribute((from, at), path, object, (from, value)));
            }
            Loads::Code => self.code(from, at, value),
            Loads::Data => self.data(from, at, value),
            Loads::Attribute | Loads::File | Loads::Folder | Loads::Spec | Loads::Names => {}
        }
    }

    /// `import_module("sub" + "process")`.
    fn module(&mut self, from: Func, at: At, value: ExprId) {
        let names = self.program.possible_or_given(from, value);
        let confidence = if names.complete { Confidence::High } else { Confidence::Medium };
        for name in names.list.into_iter().filter(|name| name.whole) {
            let path = name.text.replace(':', ".");
            let guarded = |effect: &Effect| effect.kind.is_some_and(is_guarded);
            let reaches = self.is_effect(&path) || loaded_effect(self.catalog, &path).is_some_and(guarded);
            if reaches && !self.program.is_own_module(at.file, &path) {
                self.found.push(Obscured { from, at, confidence, target: path, how: HiddenBy::Loaded });
            }
        }
    }

    /// `getattr(os, "sys" + "tem")`; of a network module any name.
    fn attribute(&mut self, (from, at): (Func, At), by: &str, object: ExprId, (owner, name): (Func, ExprId)) {
        let names = self.program.possible(owner, name);
        let are_some_known = !names.list.is_empty() && names.list.iter().any(|name| !name.whole);
        if !names.complete && !are_some_known && !self.program.is_own_object(from, object) {
            self.lookups.insert(at, (from, by.to_owned()));
        }
        let Some(object) = self.program.library_path(from, object) else { return };
        for name in names.list.iter().filter(|name| name.whole) {
            let path = format!("{object}.{}", name.text);
            let path = self.catalog.canonical(&path).unwrap_or(path);
            if self.is_effect(&path) {
                let confidence = if names.complete { Confidence::High } else { Confidence::Medium };
                self.found.push(Obscured { from, at, confidence, target: path, how: HiddenBy::LookedUp });
            }
        }
        // A constant of a module has a name in capitals.
        let is_open = |name: &Known| !name.whole && !name.text.starts_with(char::is_uppercase);
        let is_open = match is_effect_module(self.catalog, object) {
            true => names.list.is_empty(),
            false if self.catalog.acts(object) => !names.complete || names.list.iter().any(is_open),
            false => false,
        };
        if is_open {
            let target = object.to_string();
            self.found.push(Obscured {
                from,
                at,
                confidence: Confidence::Medium,
                target,
                how: HiddenBy::LookedUp,
            });
        }
    }

    /// `eval("__import__('os').system('id')")`.
    fn code(&mut self, from: Func, at: At, value: ExprId) {
        // `exec(compile(…))` is one place to look at.
        let is_loader = |to| match to {
            Target::External(path) => self.catalog.loader(self.program.path(path)).is_some(),
            Target::Project(_) => false,
        };
        if self.program.edges_at(from, value).iter().any(|edge| is_loader(edge.to)) {
            return;
        }
        let texts = self.program.possible(from, value);
        let confidence = if texts.complete { Confidence::High } else { Confidence::Medium };
        let reaches = |code: &str| text::reaches(code, |path| self.is_effect(path));
        let reached = texts.list.iter().find_map(|code| reaches(&code.text));
        let is_open = texts.list.is_empty();
        let (reached, confidence) = match reached {
            None if is_open => (self.cut_from(from, value, MAX_DEPTH, &reaches), Confidence::Medium),
            reached => (reached, confidence),
        };
        if let Some(target) = reached {
            self.found.push(Obscured { from, at, confidence, target, how: HiddenBy::InText });
        }
    }

    /// Of a text that is made in an unknown way: what the known texts reach that it is made of.
    fn cut_from(
        &self,
        from: Func,
        value: ExprId,
        depth: u32,
        reaches: &impl Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let facts = self.program.facts(self.program.function(from).file);
        let known = || {
            let texts = self.program.possible(from, value);
            texts.list.iter().find_map(|known| reaches(&known.text))
        };
        let inner = match *facts.expr(value) {
            Expr::Index { base, .. } => Some(base),
            Expr::Call { callee, .. } => match *facts.expr(callee) {
                Expr::Field { base, .. } => Some(base),
                _ => None,
            },
            _ => return known(),
        };
        known().or_else(|| self.cut_from(from, inner?, depth, reaches))
    }

    /// `pickle.loads(b"cos\nsystem\n…")`.
    fn data(&mut self, from: Func, at: At, value: ExprId) {
        let texts = self.program.possible(from, value);
        let confidence = if texts.complete { Confidence::High } else { Confidence::Medium };
        let known = texts.list.iter().filter(|known| known.whole);
        let target = known.filter_map(|data| text::unpickles(&data.text, |path| self.is_effect(path))).next();
        if let Some(target) = target {
            self.found.push(Obscured { from, at, confidence, target, how: HiddenBy::InText });
        }
    }

    fn is_effect(&self, path: &str) -> bool {
        let module = is_effect_module(self.catalog, path)
            && loaded_effect(self.catalog, path).is_some_and(|effect| effect.kind.is_some_and(is_guarded));
        let function = || {
            let mut effects = self.catalog.call_effects(path).map(|id| self.catalog.effect(id));
            effects.any(|effect| {
                loads_by_name().any(|lang| effect.is_of(lang)) && effect.kind.is_some_and(is_guarded)
            })
        };
        module || function()
    }

    /// What is done with the result of a loader: `import_module("os").system(…)`, `attrgetter("system")(os)`.
    fn uses(&mut self) {
        let program = self.program;
        for call in &program.calls {
            if !self.files.contains(&call.at.file) {
                continue;
            }
            let facts = self.program.facts(call.at.file);
            let Expr::Call { callee, args, .. } = *facts.expr(call.at.expr) else { continue };
            if let Some((owner, getter)) = self.getter_behind(call.from, callee) {
                self.getter(call, owner, getter, facts.list(args));
                continue;
            }
            if let Some(loader) = self.loader_behind(call.from, callee) {
                self.used(call.from, call.at, loader);
            }
        }
    }

    /// The call of `attrgetter` that a callee is or is named by, and who made it.
    fn getter_behind(&self, from: Func, callee: ExprId) -> Option<(Func, ExprId)> {
        let (owner, getter) = match self.program.facts(self.program.function(from).file).expr(callee) {
            Expr::Call { .. } => (from, callee),
            _ => self.program.sole_definition(from, callee)?,
        };
        let at = At { file: self.program.function(owner).file, expr: getter };
        self.loaders.get(&at).filter(|loader| loader.1 == Loads::Attribute)?;
        Some((owner, getter))
    }

    fn getter(&mut self, call: &CallSite, owner: Func, getter: ExprId, objects: &[Arg]) {
        let at = At { file: self.program.function(owner).file, expr: getter };
        let facts = self.program.facts(at.file);
        let Expr::Call { args: names, .. } = *facts.expr(getter) else { return };
        let Some(by) = self.loader_path(owner, at) else { return };
        if let ([name, ..], [object, ..]) = (facts.list(names), objects) {
            self.attribute((call.from, call.at), &by, object.value, (owner, name.value));
        }
    }

    /// The call of a loader that a callee's first name holds, or that it begins with.
    fn loader_behind(&self, from: Func, callee: ExprId) -> Option<At> {
        let file = self.program.function(from).file;
        let facts = self.program.facts(file);
        let Expr::Field { mut base, .. } = *facts.expr(callee) else { return None };
        while let Expr::Field { base: next, .. } = *facts.expr(base) {
            base = next;
        }
        let (owner, value) = self.program.sole_definition(from, base).unwrap_or((from, base));
        let at = At { file: self.program.function(owner).file, expr: value };
        self.loaders.get(&at).filter(|loader| loader.1 == Loads::Module).map(|_| at)
    }

    fn used(&mut self, from: Func, call: At, loader: At) {
        for edge in self.program.edges_at(from, call.expr) {
            let Target::External(path) = edge.to else { continue };
            let path = self.program.path(path);
            if self.is_effect(path) {
                let owner = self.loaders.get(&loader).map_or(from, |loader| loader.0);
                let target = path.to_string();
                let (confidence, how) = (edge.confidence, HiddenBy::Loaded);
                self.found.push(Obscured { from: owner, at: loader, confidence, target, how });
            }
        }
    }

    /// `sys.modules["subprocess"]`, `sys.modules.get("subprocess")`.
    fn loaded_modules(&mut self) {
        let operations = &self.catalog.operations;
        let holders: FxHashSet<&str> = operations.modules(DataOp::LoadedModules).collect();
        for func in (0..self.program.functions.len() as u32).map(Func) {
            let file = self.program.function(func).file;
            let facts = self.program.facts(file);
            // A bare name can only be meant if the file imports it; that spares asking about every other one.
            let imports_them = facts.imports().iter().any(|import| holders.contains(facts.str(import.path)));
            for expr in self.program.ir(func).exprs.iter() {
                let (base, key) = match *facts.expr(expr) {
                    Expr::Index { base, key } => (base, key),
                    Expr::Call { callee, args, .. } => match (facts.expr(callee), facts.list(args)) {
                        (Expr::Field { base, name }, [key, ..])
                            if operations.of_name(facts.str(*name)) == Some(DataOp::Get) =>
                        {
                            (*base, key.value)
                        }
                        _ => continue,
                    },
                    _ => continue,
                };
                let may_be = match *facts.expr(base) {
                    Expr::Field { name, .. } => operations.may_be(facts.str(name), &[DataOp::LoadedModules]),
                    Expr::Var(_) | Expr::Free(_) => imports_them,
                    _ => false,
                };
                let path = || self.program.library_path(func, base);
                if may_be
                    && let Some(path) =
                        path().filter(|path| operations.of_call(path) == Some(DataOp::LoadedModules))
                {
                    let at = At { file, expr };
                    self.module(func, at, key);
                    if !self.program.possible_or_given(func, key).complete {
                        self.lookups.insert(at, (func, path.to_owned()));
                    }
                }
            }
        }
    }
}
