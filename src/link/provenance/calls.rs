//! What a call may hand back: what a function of the project returns, what a library was given, the names of a namespace, and
//! what a file that is loaded binds.

use super::{Origin, Provenance, Walk};
use crate::catalog::Loader;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, VarId};
use crate::link::modules::Module;
use crate::link::names::Name;
use crate::link::program::{At, EdgeKind, Func, Target};
use crate::link::types::Type;
use crate::source::FileId;

impl Provenance<'_, '_> {
    pub(super) fn call(&self, func: Func, expr: ExprId, asked: Option<Name>, walk: &mut Walk) {
        let index = &self.program.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(expr) else { return };
        let at = At { file: FileId(file as u32), expr };
        walk.add(Origin::At(at));
        if self.loaded_file(at, asked, walk) || self.namespace(func, callee, walk) {
            return;
        }
        let edges = self.program.edges_at(func, expr).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let own = edges.filter_map(|edge| match edge.to {
            Target::Project(target) => Some(target),
            Target::External(_) => None,
        });
        let own: Vec<Func> = own.collect();
        for &target in &own {
            index.returns(target).for_each(|value| walk.hop((target, value, asked)));
        }
        if own.is_empty() {
            self.of_unknown(func, callee, facts.list(args), asked, walk);
        }
    }

    /// What a call of a library, or of something unknown, may hand back of what it is given.
    fn of_unknown(&self, func: Func, callee: ExprId, args: &[Arg], asked: Option<Name>, walk: &mut Walk) {
        let index = &self.program.index;
        let file = index.file_of(func);
        if self.program.library_path(func, callee).is_none() {
            match *index.units[file].facts.expr(callee) {
                Expr::Field { base, .. } => walk.push((func, base, asked)),
                _ => walk.push((func, callee, asked)),
            }
        }
        let names_fields = asked.is_some_and(|name| self.names_field_in(func, callee, name));
        for arg in args {
            let is_module = || index.statics(func, arg.value).iter().any(|ty| matches!(ty, Type::Module(_)));
            let fits = match (arg.kind, asked) {
                (_, None) | (ArgKind::SpreadNamed, _) => true,
                (ArgKind::Named(name), Some(asked)) => index.name(file, name) == asked,
                (_, Some(_)) => names_fields || self.is_record(func, arg.value) || is_module(),
            };
            if fits {
                let asked = asked.filter(|_| arg.kind == ArgKind::Positional && !names_fields);
                walk.hop((func, arg.value, asked));
            }
        }
    }

    fn is_record(&self, func: Func, value: ExprId) -> bool {
        matches!(self.program.facts(self.program.function(func).file).expr(value), Expr::Record(_))
    }

    /// `Step = namedtuple("Step", ["call"])`: the class that is called names its fields in texts.
    fn names_field_in(&self, func: Func, callee: ExprId, name: Name) -> bool {
        let Some((owner, made)) = self.program.sole_definition(func, callee) else { return false };
        let facts = self.program.facts(self.program.function(owner).file);
        let Expr::Call { args, .. } = *facts.expr(made) else { return false };
        let wanted = self.program.index.names.text(name);
        let is_named = |expr: ExprId| match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => facts.str(text).split([' ', ',']).any(|word| word == wanted),
            _ => false,
        };
        facts.list(args).iter().any(|arg| match *facts.expr(arg.value) {
            Expr::Seq(items) => facts.list(items).iter().any(|&item| is_named(item)),
            _ => is_named(arg.value),
        })
    }

    /// The names of a module or of the function around, as a mapping.
    fn namespace(&self, func: Func, callee: ExprId, walk: &mut Walk) -> bool {
        let index = &self.program.index;
        let setters = &index.externals.catalog().setters;
        let Some(path) = self.program.library_path(func, callee) else { return false };
        if setters.is_local_namespace(path) {
            let vars = 0..index.ir(func).vars.len() as u32;
            vars.for_each(|var| self.slot(func, index.var(func, VarId(var)), None, walk));
            return true;
        }
        if setters.is_own_namespace(path) {
            self.module(func, Module::File(index.file_of(func)), None, walk);
            return true;
        }
        false
    }

    /// What is made of a file of the project has what the file binds.
    fn loaded_file(&self, at: At, asked: Option<Name>, walk: &mut Walk) -> bool {
        let files = self.loaded.get(&at).map_or(&[][..], Vec::as_slice);
        for &file in files {
            let body = self.program.index.module_body(file);
            self.module(body, Module::File(file), asked, walk);
        }
        !files.is_empty()
    }

    /// True for what `attrgetter` and `methodcaller` hand back.
    pub(super) fn is_getter(&self, func: Func, callee: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let (owner, made) = match *facts.expr(callee) {
            Expr::Call { .. } => (func, callee),
            _ => match self.program.sole_definition(func, callee) {
                Some(found) => found,
                None => return false,
            },
        };
        let facts = self.program.facts(self.program.function(owner).file);
        let Expr::Call { callee, .. } = *facts.expr(made) else { return false };
        let externals = &self.program.index.externals;
        let path = self.program.library_path(owner, callee);
        path.and_then(|path| externals.catalog().loader(path)).is_some_and(Loader::is_getter)
    }
}
