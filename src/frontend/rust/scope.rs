//! Names to variables. Rust binds lexically: a `let` is a new variable, items are known in their whole block, closures see
//! both, nested functions only items, and the members of an `impl` are no names at all. Knows nothing of syntax.

use rustc_hash::FxHashMap;

use crate::ir::{Capture, Export, Func, MODULE, Sym, VarId};

/// A hostile file could bind a name so often that each look-up passes thousands that are gone.
const LONGEST_SEARCH: usize = 256;

/// What kind of body a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Holds {
    /// A module: its items are names in it and in all that stands in it.
    #[default]
    Items,
    /// A class body: its members are reached through the class only.
    Members,
    /// A function: what it binds is seen by closures, its items by functions, too.
    Function,
    /// A closure, which also sees the variables around it.
    Closure,
}

/// Which names are asked for: the first segment of a path is never a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Wanted {
    Any,
    Items,
}

/// A function's names.
#[derive(Default)]
pub(super) struct Scope {
    pub vars: Vec<Sym>,
    pub captures: Vec<Capture>,
    pub exports: Vec<Export>,
    parent: u32,
    holds: Holds,
    /// By the clock of the parent.
    born: u32,
    /// Counts what is bound, so that a body that is lowered later sees what was known at its place.
    clock: u32,
    bound: FxHashMap<Sym, Vec<Bound>>,
    captured: FxHashMap<(Sym, Wanted), Option<VarId>>,
}

/// A name and when it is known.
struct Bound {
    var: VarId,
    from: u32,
    to: u32,
    is_item: bool,
}

/// All functions' names.
#[derive(Default)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    here: u32,
    /// The names that open blocks of the function at hand have bound.
    open: Vec<Sym>,
    /// How many blocks are open.
    blocks: usize,
    /// When the innermost block began.
    began: u32,
}

/// What was open before a block.
pub(super) struct Outer {
    names: usize,
    began: u32,
}

impl Scopes {
    /// Adds a function that stands where lowering is now.
    pub fn declare(&mut self, parent: Func, holds: Holds) {
        let born = self.all.get_mut(parent.0 as usize).map_or(0, |around| {
            around.clock += 1;
            around.clock
        });
        self.all.push(Scope { parent: parent.0, holds, born, ..Scope::default() });
    }

    pub fn enter(&mut self, function: Func) {
        (self.here, self.blocks, self.began) = (function.0, 0, 0);
        self.open.clear();
    }

    /// Gives the next variable of a function; parameters come first.
    pub fn add_var(&mut self, function: Func, name: Sym) -> VarId {
        let vars = &mut self.all[function.0 as usize].vars;
        vars.push(name);
        VarId(vars.len() as u32 - 1)
    }

    /// Binds a name in a function whose body is not begun.
    pub fn bind_param(&mut self, function: Func, name: Sym, var: VarId) {
        self.bind_in(function, name, var, false);
    }

    /// A new variable of the function at hand.
    pub fn bind_local(&mut self, name: Sym) -> VarId {
        let function = Func(self.here);
        let var = self.add_var(function, name);
        self.bind_in(function, name, var, false);
        self.open.push(name);
        var
    }

    /// The variable of an item. A type, a function and a module may share a name: then they share a variable.
    pub fn bind_item(&mut self, name: Sym) -> VarId {
        let (began, is_outermost) = (self.began, self.blocks == 0);
        let known = self.scope().bound.get(&name).and_then(|all| all.last());
        if let Some(known) = known.filter(|known| known.is_item && known.from > began && known.to == u32::MAX)
        {
            return known.var;
        }
        let function = Func(self.here);
        let var = self.add_var(function, name);
        self.bind_in(function, name, var, true);
        self.open.push(name);
        let scope = self.scope();
        if is_outermost && matches!(scope.holds, Holds::Items | Holds::Members) {
            scope.exports.push(Export { name, var });
        }
        var
    }

    fn bind_in(&mut self, function: Func, name: Sym, var: VarId, is_item: bool) {
        let scope = &mut self.all[function.0 as usize];
        scope.clock += 1;
        let bound = Bound { var, from: scope.clock, to: u32::MAX, is_item };
        scope.bound.entry(name).or_default().push(bound);
    }

    pub fn open(&mut self) -> Outer {
        let outer = Outer { names: self.open.len(), began: self.began };
        self.blocks += 1;
        self.began = self.scope().clock;
        outer
    }

    /// Ends a block: what it bound is known no longer.
    pub fn close(&mut self, outer: Outer) {
        let names = self.open.split_off(outer.names);
        let scope = &mut self.all[self.here as usize];
        scope.clock += 1;
        for name in names {
            let last =
                scope.bound.get_mut(&name).and_then(|all| all.iter_mut().rev().find(|b| b.to == u32::MAX));
            if let Some(bound) = last {
                bound.to = scope.clock;
            }
        }
        self.blocks -= 1;
        self.began = outer.began;
    }

    /// The variable of the function at hand that a name means; `None` for what link must find.
    pub fn find(&mut self, name: Sym, wanted: Wanted) -> Option<VarId> {
        let (mut at, mut wanted) = (self.here, wanted);
        let mut now = self.all[at as usize].clock;
        let mut path = Vec::new();
        let found = loop {
            if let Some(var) = self.known(at, name, now, wanted) {
                // A module's own names are read from everywhere inside, so link finds them by name.
                break (at != MODULE.0 || self.here == MODULE.0).then_some(var);
            }
            if let Some(&known) = self.all[at as usize].captured.get(&(name, wanted)) {
                break known;
            }
            if at == MODULE.0 {
                break None;
            }
            path.push((at, wanted));
            let scope = &self.all[at as usize];
            if scope.holds != Holds::Closure {
                wanted = Wanted::Items;
            }
            (now, at) = (scope.born, scope.parent);
        };
        self.capture(name, found, &path)
    }

    fn known(&self, function: u32, name: Sym, now: u32, wanted: Wanted) -> Option<VarId> {
        let scope = &self.all[function as usize];
        if scope.holds == Holds::Members {
            return None;
        }
        let all = scope.bound.get(&name)?.iter().rev().take(LONGEST_SEARCH);
        let mut fitting = all.filter(|bound| bound.is_item || wanted == Wanted::Any);
        fitting.find(|bound| bound.from <= now && now < bound.to).map(|bound| bound.var)
    }

    /// Hands a variable on from function to function, and keeps the answer.
    fn capture(&mut self, name: Sym, found: Option<VarId>, path: &[(u32, Wanted)]) -> Option<VarId> {
        let mut var = found;
        for &(function, wanted) in path.iter().rev() {
            if let Some(outer) = var {
                let inner = self.add_var(Func(function), name);
                self.all[function as usize].captures.push(Capture { outer, inner });
                var = Some(inner);
            }
            // What a function at hand does not know yet it may bind later.
            if var.is_some() || function != self.here {
                self.all[function as usize].captured.insert((name, wanted), var);
            }
        }
        var
    }

    pub fn finish(self) -> Vec<Scope> {
        self.all
    }

    fn scope(&mut self) -> &mut Scope {
        &mut self.all[self.here as usize]
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::rust::testing::{check, has};

    #[test]
    fn a_let_is_a_new_variable() {
        check(
            "let a = a.b(); let a = c(a); d(a)",
            "(bind a.2 (call (. a.0 b)))\n(bind a.3 (call @c a.2))\n(call @d a.3)",
        );
        check("{ let a = b; e(a); } e(a)", "(block\n(bind a.2 b.1)\n(call @e a.2))\n(call @e a.0)");
        check("let mut x = 1; x = g(x); x", "(bind x.2 1)\n(bind x.3 (call @g x.2))\nx.3");
    }

    #[test]
    fn the_first_name_of_a_path_is_no_variable() {
        has("fn f(config: C) { config::load(config); }", &["(call (. @config load) config.0)"]);
        has("fn f(g: C) { fn h() { g() } h(); }", &["(bind h.1 (fn 2))", "(call @g)"]);
    }

    #[test]
    fn closures_see_what_was_bound_before_them() {
        has(
            "fn f() { let a = 1; let g = |b| a + b; let a = 2; h(a, g); }",
            &[
                "fn 2 lambda \"\" in 1 (positional b.0) capture a.1=0",
                "(return (+ a.1 b.0))",
                "(call @h a.2 g.1)",
            ],
        );
        has(
            "fn f(a: A) { move || { let a = a.b(); || a } }",
            &[
                "fn 2 lambda \"\" in 1 () capture a.0=0",
                "(bind a.1 (call (. a.0 b)))",
                "fn 3 lambda \"\" in 2 () capture a.0=1",
            ],
        );
    }

    #[test]
    fn items_are_known_in_their_whole_block() {
        has("fn f() { g(); fn g() {} use a::h; h(); }", &["(call g.0)", "(call h.1)"]);
        has("mod m { fn f() { g() } fn g() {} }", &["capture g.0=1", "(call g.0)"]);
    }

    #[test]
    fn a_module_and_a_function_may_share_a_name() {
        let source = "mod a; pub use a::a; fn f() { a(); a::b(); }";
        has(source, &["export a=a.0", "(bind a.0 (import 0))", "(bind a.0 (import 1))"]);
    }

    #[test]
    fn members_are_no_names() {
        has("struct S; impl S { fn a() {} fn b() { a(); Self::a(); } }", &["(call @a)", "(call (. @S a))"]);
    }
}
