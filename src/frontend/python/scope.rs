//! Names to variables. While a body is lowered a name is `Free` unless it is known to be bound; when the body is complete the
//! rest is resolved, here and in the functions around. Knows Python's scoping and nothing of its syntax.

use rustc_hash::FxHashMap;

use crate::ir::arena::Arenas;
use crate::ir::{Capture, Export, Expr, ExprId, ExprRange, Func, MODULE, Sym, VarId};

/// A hostile file could nest scopes so that each name is sought in thousands of them.
const LONGEST_CHAIN: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// Bound by the function.
    Local(VarId),
    /// Bound by a comprehension or a list of type parameters that is open.
    Inner(VarId),
    /// Declared `global`.
    Global,
    /// Looked for in the functions around, in vain.
    Nowhere,
}

/// A function's names.
#[derive(Default)]
pub(super) struct Scope {
    pub vars: Vec<Sym>,
    pub captures: Vec<Capture>,
    pub exports: Vec<Export>,
    /// A `Func`.
    parent: u32,
    is_class: bool,
    /// Some enclosing scope other than the module may bind what this one does not.
    can_capture: bool,
    /// The comprehensions of the parent in which this function stands.
    around: Chain,
    /// Sorted by name once the body is complete.
    bound: Vec<(Sym, Binding)>,
    captured: FxHashMap<Sym, VarId>,
    /// In a class body: the comprehensions, which do not see the names of the class.
    blind: Vec<ExprRange>,
}

/// Index behind an entry of `Scopes::inner`; 0 is the end.
type Chain = u32;

/// A name that a comprehension binds, and what was open around it.
struct Inner {
    name: Sym,
    var: VarId,
    around: Chain,
}

/// All functions' names, and by `Sym` what each name means in the function at hand.
#[derive(Default)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    here: u32,
    meaning: Vec<(u32, Binding)>,
    inner: Vec<Inner>,
    open: Chain,
    /// Depth of comprehensions in a class body.
    blind: usize,
}

/// What was open before a comprehension; `close` restores it.
pub(super) struct Outer {
    open: Chain,
    hidden: Vec<(Sym, Option<Binding>)>,
    is_blind: bool,
}

impl Scopes {
    /// Adds a function that stands in `parent` at the place where lowering is now.
    pub fn declare(&mut self, parent: Func, is_class: bool) {
        let around = self.open;
        let can_capture = self
            .all
            .get(parent.0 as usize)
            .is_some_and(|p| around != 0 || p.can_capture || (parent != MODULE && !p.is_class));
        self.all.push(Scope { parent: parent.0, is_class, can_capture, around, ..Scope::default() });
    }

    /// Gives the next variable of a function; parameters come first.
    pub fn add_var(&mut self, function: Func, name: Sym) -> VarId {
        let vars = &mut self.all[function.0 as usize].vars;
        vars.push(name);
        VarId(vars.len() as u32 - 1)
    }

    pub fn name_of(&self, function: Func, var: VarId) -> Sym {
        self.all[function.0 as usize].vars[var.0 as usize]
    }

    /// Says what a name means in a function whose body is not begun.
    pub fn add_param(&mut self, function: Func, name: Sym, var: VarId) {
        self.all[function.0 as usize].bound.push((name, Binding::Local(var)));
    }

    /// Begins a function's body.
    pub fn enter(&mut self, function: Func) {
        self.here = function.0;
        (self.open, self.blind) = (0, 0);
        for index in 0..self.all[function.0 as usize].bound.len() {
            let (name, binding) = self.all[function.0 as usize].bound[index];
            self.set(name, Some(binding));
        }
    }

    pub fn get(&self, name: Sym) -> Option<Binding> {
        let &(function, binding) = self.meaning.get(name.0 as usize)?;
        (function == self.here).then_some(binding)
    }

    /// A name as it is read now: a variable if that is known already.
    pub fn read(&self, name: Sym) -> Expr {
        match self.get(name) {
            Some(Binding::Inner(var)) => Expr::Var(var),
            Some(Binding::Local(var)) if self.blind == 0 => Expr::Var(var),
            _ => Expr::Free(name),
        }
    }

    /// Binds a name in the function at hand; `None` if it is declared `global`.
    pub fn bind(&mut self, name: Sym) -> Option<VarId> {
        match self.get(name) {
            Some(Binding::Global) => None,
            Some(Binding::Local(var) | Binding::Inner(var)) => Some(var),
            Some(Binding::Nowhere) | None => {
                let var = self.add_var(Func(self.here), name);
                self.scope().bound.push((name, Binding::Local(var)));
                self.set(name, Some(Binding::Local(var)));
                Some(var)
            }
        }
    }

    pub fn declare_global(&mut self, name: Sym) {
        if self.here != MODULE.0 && self.get(name).is_none() {
            self.scope().bound.push((name, Binding::Global));
            self.set(name, Some(Binding::Global));
        }
    }

    pub fn declare_nonlocal(&mut self, name: Sym) {
        if self.get(name).is_none()
            && let Some(var) = self.capture(name)
        {
            self.set(name, Some(Binding::Local(var)));
        }
    }

    /// Begins a comprehension.
    pub fn open(&mut self) -> Outer {
        let is_blind = self.scope().is_class;
        self.blind += usize::from(is_blind);
        Outer { is_blind, ..self.open_types() }
    }

    /// Begins a list of type parameters; unlike a comprehension it sees the names of a class.
    pub fn open_types(&mut self) -> Outer {
        Outer { open: self.open, hidden: Vec::new(), is_blind: false }
    }

    /// Binds a name in the innermost scope, for as long as that is open.
    pub fn bind_inner(&mut self, name: Sym, outer: &mut Outer) -> VarId {
        if let Some(Binding::Inner(var)) = self.get(name)
            && outer.hidden.iter().take(LONGEST_CHAIN).any(|&(hidden, _)| hidden == name)
        {
            return var;
        }
        let var = self.add_var(Func(self.here), name);
        outer.hidden.push((name, self.get(name)));
        self.set(name, Some(Binding::Inner(var)));
        self.inner.push(Inner { name, var, around: self.open });
        self.open = self.inner.len() as Chain;
        var
    }

    /// Ends the scope, in which the expressions `made` were made.
    pub fn close(&mut self, outer: Outer, made: ExprRange) {
        self.open = outer.open;
        if outer.is_blind {
            self.blind -= 1;
            self.scope().blind.push(made);
        }
        for (name, binding) in outer.hidden.into_iter().rev() {
            self.set(name, binding);
        }
    }

    /// Turns the free names of a body that is complete into variables.
    pub fn resolve(&mut self, arenas: &mut Arenas, exprs: ExprRange) {
        // Closed inside out, so an outer comprehension may stand behind an inner one.
        self.scope().blind.sort_by_key(|range| (range.lo, std::cmp::Reverse(range.hi)));
        for id in exprs.iter() {
            if let &Expr::Free(name) = arenas.expr(id)
                && let Some(var) = self.resolve_name(name, id)
            {
                *arenas.expr_mut(id) = Expr::Var(var);
            }
        }
        self.scope().bound.sort_unstable_by_key(|&(name, _)| name);
        self.export();
    }

    fn resolve_name(&mut self, name: Sym, id: ExprId) -> Option<VarId> {
        match self.get(name) {
            Some(Binding::Local(var)) if !self.is_blind(id) => return Some(var),
            Some(Binding::Global | Binding::Nowhere) => return None,
            _ => {}
        }
        if !self.scope().can_capture {
            return None;
        }
        let found = self.capture(name);
        if self.get(name).is_none() {
            self.set(name, Some(found.map_or(Binding::Nowhere, Binding::Local)));
        }
        found
    }

    fn is_blind(&self, id: ExprId) -> bool {
        let ranges = &self.all[self.here as usize].blind;
        let behind = ranges.partition_point(|range| range.lo <= id.0.get());
        // Ranges nest, so only those that begin before can hold it; a class body has few.
        ranges[..behind].iter().rev().take(LONGEST_CHAIN).any(|range| id.0.get() < range.hi)
    }

    /// The variable of the function at hand that stands for `name` of a function around it.
    fn capture(&mut self, name: Sym) -> Option<VarId> {
        let mut path = Vec::new();
        let mut at = self.here;
        let mut var = loop {
            if let Some(&var) = self.all[at as usize].captured.get(&name) {
                break var;
            }
            if at == MODULE.0 {
                return None;
            }
            path.push(at);
            let parent = self.all[at as usize].parent;
            if let Some(var) = self.find_around(at, name) {
                break var;
            }
            match self.find_bound(parent, name) {
                Some(Binding::Local(var)) => break var,
                Some(_) => return None,
                None => at = parent,
            }
        };
        for function in path.into_iter().rev() {
            let inner = self.add_var(Func(function), name);
            let scope = &mut self.all[function as usize];
            scope.captures.push(Capture { outer: var, inner });
            scope.captured.insert(name, inner);
            var = inner;
        }
        Some(var)
    }

    /// In the comprehensions of the parent in which `function` stands.
    fn find_around(&self, function: u32, name: Sym) -> Option<VarId> {
        let mut at = self.all[function as usize].around;
        for _ in 0..LONGEST_CHAIN {
            let inner = self.inner.get((at as usize).checked_sub(1)?)?;
            if inner.name == name {
                return Some(inner.var);
            }
            at = inner.around;
        }
        None
    }

    /// Methods see neither the names of their class nor, as variables, those of the module.
    fn find_bound(&self, function: u32, name: Sym) -> Option<Binding> {
        let scope = &self.all[function as usize];
        if scope.is_class || function == MODULE.0 {
            return None;
        }
        let found = scope.bound.binary_search_by_key(&name, |&(bound, _)| bound).ok()?;
        Some(scope.bound[found].1)
    }

    /// Module and class bodies are read from outside, by name.
    fn export(&mut self) {
        let is_module = self.here == MODULE.0;
        let scope = self.scope();
        if is_module || scope.is_class {
            let local = |&(name, binding): &(Sym, Binding)| match binding {
                Binding::Local(var) => Some(Export { name, var }),
                _ => None,
            };
            scope.exports = scope.bound.iter().filter_map(local).collect();
        }
    }

    pub fn finish(self) -> Vec<Scope> {
        self.all
    }

    fn scope(&mut self) -> &mut Scope {
        &mut self.all[self.here as usize]
    }

    fn set(&mut self, name: Sym, binding: Option<Binding>) {
        let index = name.0 as usize;
        if self.meaning.len() <= index {
            self.meaning.resize(index + 1, (u32::MAX, Binding::Nowhere));
        }
        self.meaning[index] = match binding {
            Some(binding) => (self.here, binding),
            None => (u32::MAX, Binding::Nowhere),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::dump;

    #[track_caller]
    fn has(source: &str, parts: &[&str]) {
        let dump = dump(source);
        parts.iter().for_each(|part| assert!(dump.contains(part), "{part:?} in\n{dump}"));
    }

    #[test]
    fn names_are_hoisted() {
        has("def f():\n  x = g\n  def g(): pass", &["(bind x.0 g.1)"]);
        has("def f(): return f\nx = f", &["(return @f)", "(bind x.1 f.0)"]);
    }

    #[test]
    fn captures_are_chained() {
        has(
            "def f(a):\n  def g():\n    def h(): return a\n    return h\n  return g",
            &["fn 2 plain \"g\" in 1 () capture a.1=0", "fn 3 plain \"h\" in 2 () capture a.0=1"],
        );
        has(
            "def f(a):\n  class B:\n    def m(self): return a, B",
            &["\"B\" in 1 () capture a.1=0 capture B.2=1 export m=m.0", "(return (seq a.1 B.2))"],
        );
    }

    #[test]
    fn class_names_are_seen_in_the_class_only() {
        has(
            "class A:\n  x = 1\n  y = x\n  def m(self): return x\n  z = [x for q in x]",
            &["(bind y.1 x.0)", "(return @x)", "(each q.3 x.0) @x)"],
        );
        has("class A:\n  x = x", &["(bind x.0 @x)"]);
        has(
            "def f(x):\n  class A:\n    x = [x for y in z]\n    w = [x for y in z]",
            &["capture x.4=0", "(each y.0 @z) x.4)", "(each y.2 @z) x.4)"],
        );
    }

    #[test]
    fn global_names() {
        has(
            "def f():\n  global g\n  g = 1\n  g += 2\n  def g(): pass\n  for g in a: h(g)\n  del g",
            &["(store @g 1)", "(store+ @g 2)", "(store @g (fn 2))", "(each (place @g) @a)", "(delete @g)"],
        );
        has("def f(x):\n  global y\n  def g(): return x, y", &["(return (seq x.0 @y))"]);
        has("def f(y):\n  def g():\n    global y\n    def h(): return y", &["(return @y)"]);
        has("global g\ng = 1", &["(bind g.0 1)"]);
    }

    #[test]
    fn nonlocal_names_are_not_split() {
        has(
            "def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2\n  x = 3\n  return x",
            &["(bind x.0 1)", "(bind x.0 2)", "(bind x.0 3)", "capture x.0=0"],
        );
    }

    #[test]
    fn a_lambda_in_a_comprehension_sees_its_targets() {
        has("[lambda: x for x in y]", &["fn 1 lambda \"\" in 0 () capture x.0=0"]);
        has("[[lambda: (x, z) for x in y] for z in y]", &["capture x.0=1 capture z.1=0"]);
        has("x = 1\nlambda: x", &["(return @x)"]);
        has(
            "def f():\n  return [lambda: lambda: x for x in y]",
            &["fn 2 lambda \"\" in 1 () capture x.0=0", "fn 3 lambda \"\" in 2 () capture x.0=0"],
        );
    }

    #[test]
    fn built_ins_are_free() {
        has("class A(B):\n  def m(self): super().m(); __class__", &["(call @super)", "@__class__"]);
    }
}
