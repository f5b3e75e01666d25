//! Classes: bases, linearised ancestors, descendants, and what a method is (property, static, class method).

use rustc_hash::{FxHashMap, FxHashSet};

use super::ids::{Cls, Func, PathId, Slot};
use super::index::Index;
use super::types::{Type, Types};
use crate::ir::{ClassKind, FnKind, Operator, Sym};

/// How a function in a class body is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MethodKind {
    #[default]
    Plain,
    Static,
    Class,
    /// Reading the attribute calls it.
    Property,
}

#[derive(Default)]
pub struct Hierarchy {
    /// The class itself, then its ancestors; the order approximates C3 (left to right, shared bases last).
    pub ancestors: Vec<Vec<Cls>>,
    /// Library classes among the ancestors.
    pub external_bases: Vec<Vec<PathId>>,
    /// All descendants, and for a protocol its implementors.
    pub descendants: Vec<Vec<Cls>>,
    /// The classes whose members an object of the class or of a descendant may have: ancestors of descendants included,
    /// because a mixin uses what its sibling provides. Sorted.
    related: Vec<Vec<Cls>>,
    pub kinds: Vec<MethodKind>,
    /// Methods of each class's own body that run when an object is made.
    pub validators: FxHashMap<Cls, Vec<Func>>,
    /// Getters by class and name; a setter of the same name would hide them.
    pub properties: FxHashMap<(Cls, Sym), Func>,
    pub property_names: rustc_hash::FxHashSet<Sym>,
    /// What runs where an attribute is set or deleted.
    pub(super) accessors: FxHashMap<(Cls, Sym, Operator), Func>,
    pub(super) accessor_names: FxHashSet<Sym>,
    /// Classes that are asked for attributes which nothing binds.
    pub(super) hooked: FxHashSet<Cls>,
    /// What classes name as the class of themselves.
    pub(super) metaclasses: FxHashMap<Cls, Cls>,
    /// Classes whose bodies list all of their objects.
    pub(super) enumerations: FxHashSet<Cls>,
    /// Classes with more ancestors than are kept.
    pub cut: Vec<Cls>,
    /// By name, the classes whose bodies bind it, sorted.
    binding: FxHashMap<Sym, Vec<Cls>>,
    /// By name, methods that blocks give types which are not of the project.
    pub extensions: FxHashMap<Sym, Vec<Extension>>,
}

/// Such a method, with the type that it is for.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    pub method: Func,
    pub of: Option<PathId>,
}

/// Ten times what real classes have. Whatever is asked of a class is asked of each of its ancestors.
const MAX_ANCESTORS: usize = 128;

impl Hierarchy {
    pub fn new(index: &Index<'_>) -> Self {
        let count = index.classes.len();
        let mut hierarchy =
            Hierarchy { kinds: vec![MethodKind::Plain; index.functions.len()], ..Self::default() };
        let (bases, externals): (Vec<_>, Vec<_>) = (0..count).map(|c| bases(index, Cls(c as u32))).unzip();
        for class in 0..count {
            let (ancestors, is_cut) = linearise(Cls(class as u32), &bases);
            hierarchy.cut.extend(is_cut.then_some(Cls(class as u32)));
            let mut paths: Vec<PathId> =
                ancestors.iter().flat_map(|a| externals[a.0 as usize].iter().copied()).collect();
            paths.dedup();
            hierarchy.ancestors.push(ancestors);
            hierarchy.external_bases.push(paths);
        }
        hierarchy.find_kinds(index);
        hierarchy.find_accessors(index);
        hierarchy.find_metaclasses(index);
        hierarchy.find_hooked(index);
        hierarchy.find_enumerations(index);
        hierarchy.find_binding(index, count);
        hierarchy.find_descendants(index, count);
        hierarchy.find_extensions(index, count);
        hierarchy.related = (0..count).map(|class| hierarchy.relatives(class)).collect();
        hierarchy
    }

    fn relatives(&self, class: usize) -> Vec<Cls> {
        let mut related = self.ancestors[class].clone();
        let mut known: rustc_hash::FxHashSet<Cls> = related.iter().copied().collect();
        for descendant in &self.descendants[class] {
            for &ancestor in &self.ancestors[descendant.0 as usize] {
                if known.insert(ancestor) {
                    related.push(ancestor);
                }
            }
        }
        related.sort_unstable();
        related
    }

    /// True if an object of the class, or of a descendant, may have what the other one provides.
    pub fn is_related(&self, class: Cls, other: Cls) -> bool {
        self.related[class.0 as usize].binary_search(&other).is_ok()
    }

    /// The classes of which objects of this one may have something.
    pub fn kin(&self, class: Cls, exact: bool) -> &[Cls] {
        if exact { &self.ancestors[class.0 as usize] } else { &self.related[class.0 as usize] }
    }

    fn find_binding(&mut self, index: &Index<'_>, count: usize) {
        let body_of: FxHashMap<Func, Cls> =
            (0..count as u32).map(Cls).map(|class| (index.class_body(class), class)).collect();
        for &(body, name) in index.exports.keys() {
            if let Some(&class) = body_of.get(&body) {
                self.binding.entry(name).or_default().push(class);
            }
        }
        self.binding.values_mut().for_each(|classes| classes.sort_unstable());
    }

    /// The classes whose bodies bind a name.
    pub fn binding(&self, name: Sym) -> &[Cls] {
        self.binding.get(&name).map_or(&[], Vec::as_slice)
    }

    fn find_descendants(&mut self, index: &Index<'_>, count: usize) {
        self.descendants = vec![Vec::new(); count];
        for class in 0..count {
            for &ancestor in &self.ancestors[class][1..] {
                if !is_double(index, Cls(class as u32), ancestor) {
                    self.descendants[ancestor.0 as usize].push(Cls(class as u32));
                }
            }
        }
        for (base, class) in index.registered_below() {
            let known = &mut self.descendants[base.0 as usize];
            known.push(class);
            known.sort_unstable();
            known.dedup();
        }
        let protocols: Vec<Cls> =
            (0..count as u32).map(Cls).filter(|&c| self.is_protocol(index, c)).collect();
        for protocol in protocols {
            let implementors = self.implementors(index, protocol);
            self.descendants[protocol.0 as usize].extend(implementors);
            let known = &mut self.descendants[protocol.0 as usize];
            known.sort_unstable();
            known.dedup();
        }
    }

    fn find_extensions(&mut self, index: &Index<'_>, count: usize) {
        let mut methods: FxHashMap<Cls, Vec<Func>> = FxHashMap::default();
        for func in (0..index.functions.len() as u32).map(Func).filter(|&func| index.takes_self(func)) {
            if let Some(class) = index.method_of[func.0 as usize] {
                methods.entry(class).or_default().push(func);
            }
        }
        for class in (0..count as u32).map(Cls) {
            let (_, ir) = index.class_ir(class);
            let ClassKind::Extension(of) = ir.kind else { continue };
            if index.impls.is_part(class) {
                continue;
            }
            let of = index.statics(ir.scope, of).iter().find_map(|ty| match *ty {
                Type::External(path) => Some(path),
                _ => None,
            });
            let mut known = FxHashSet::default();
            let own = self.ancestors[class.0 as usize].iter().filter_map(|ancestor| methods.get(ancestor));
            for &method in own.flatten() {
                let name = index.ir(method).name;
                if known.insert(name) {
                    self.extensions.entry(name).or_default().push(Extension { method, of });
                }
            }
        }
    }

    fn is_protocol(&self, index: &Index<'_>, class: Cls) -> bool {
        let own = bases(index, class).1;
        own.iter().any(|&path| index.externals.text(path).ends_with(".Protocol"))
    }

    /// Classes with every method of the protocol, by name.
    fn implementors(&self, index: &Index<'_>, protocol: Cls) -> Vec<Cls> {
        let methods = method_names(index, protocol);
        if methods.is_empty() {
            return Vec::new();
        }
        let candidates = (0..index.classes.len() as u32).map(Cls).filter(|&class| class != protocol);
        candidates
            .filter(|&class| !is_double(index, class, protocol))
            .filter(|&class| methods.iter().all(|&name| self.answers_like(index, (class, protocol), name)))
            .collect()
    }

    /// True if a class has a method of this name; of one that all objects that can be called have, with as many parameters.
    fn answers_like(&self, index: &Index<'_>, (class, protocol): (Cls, Cls), name: Sym) -> bool {
        let method = |class| self.class_attr(index, class, name).map(|(_, slot)| index.slot_statics(slot));
        let count = |found: Option<Types>| match found.as_deref() {
            Some(&[Type::Function(func)]) => Some(index.ir(func).params.len()),
            _ => None,
        };
        let (own, asked) = (method(class), method(protocol));
        match index.names.text(name).starts_with("__") {
            // Nothing else tells who is meant.
            true => own.is_some() && count(own) == count(asked),
            false => own.is_some(),
        }
    }

    /// The first class among the ancestors whose body binds `name`, and the variable it binds.
    pub fn class_attr(&self, index: &Index<'_>, class: Cls, name: Sym) -> Option<(Cls, Slot)> {
        let ancestors = &self.ancestors[class.0 as usize];
        ancestors.iter().find_map(|&a| index.export(index.class_body(a), name).map(|slot| (a, slot)))
    }

    /// Variables of this name that objects of descendants have in place of the one of the class, each with the getter if it
    /// is a property.
    pub fn overriding(&self, index: &Index<'_>, class: Cls, name: Sym) -> Vec<(Slot, Option<Func>)> {
        let own = self.class_attr(index, class, name).map(|(_, slot)| slot);
        let mut found: Vec<(Slot, Option<Func>)> = Vec::new();
        let mut known = FxHashSet::default();
        let mut add = |class: Cls| {
            let Some((_, slot)) = self.class_attr(index, class, name) else { return };
            let here = (slot, self.property(class, name));
            if Some(slot) != own && known.insert(here) {
                found.push(here);
            }
        };
        let descendants = &self.descendants[class.0 as usize];
        let binding = self.binding.get(&name).map_or(&[][..], Vec::as_slice);
        let is_descendant = |class: &Cls| descendants.binary_search(class).is_ok();
        if descendants.len() <= binding.len() {
            descendants.iter().for_each(|&descendant| add(descendant));
            return found;
        }
        // Only what binds the name makes a difference, in a descendant or beside one.
        for &bound in binding {
            if is_descendant(&bound) {
                add(bound);
            } else if index.export(index.class_body(bound), name) != own {
                self.below(bound).filter(is_descendant).for_each(&mut add);
            }
        }
        found
    }

    /// What `super()` means in a method of the class: what comes next in its own order of bases, or in that of a descendant.
    pub(super) fn next_above(&self, index: &Index<'_>, class: Cls, name: Sym) -> Vec<Slot> {
        let mut found = Vec::new();
        for &of in std::iter::once(&class).chain(&self.descendants[class.0 as usize]) {
            let mut order = self.ancestors[of.0 as usize].iter().skip_while(|&&at| at != class).skip(1);
            let next = order.find_map(|&at| index.export(index.class_body(at), name));
            found.extend(next.filter(|slot| !found.contains(slot)));
        }
        found
    }

    /// The classes below one that is no relative: a mixin.
    fn below(&self, class: Cls) -> impl Iterator<Item = Cls> + '_ {
        self.descendants[class.0 as usize].iter().copied()
    }

    pub fn property(&self, class: Cls, name: Sym) -> Option<Func> {
        let ancestors = &self.ancestors[class.0 as usize];
        ancestors.iter().find_map(|&ancestor| self.properties.get(&(ancestor, name)).copied())
    }

    /// True if the members of a class are all its objects.
    pub fn is_enum(&self, index: &Index<'_>, class: Cls) -> bool {
        self.has_base(index, class, &index.externals.catalog().bases.enums) || index.has_variants(class)
    }

    /// True if the objects of a class are texts.
    pub fn is_text(&self, index: &Index<'_>, class: Cls) -> bool {
        self.has_base(index, class, &index.externals.catalog().bases.texts)
    }

    /// True if a base of a library is one of these, by its last name.
    pub(super) fn has_base(&self, index: &Index<'_>, class: Cls, names: &FxHashSet<String>) -> bool {
        let mut bases = self.external_bases[class.0 as usize].iter().map(|&path| index.externals.text(path));
        bases.any(|path| names.contains(path.rsplit('.').next().unwrap_or(path)))
    }

    pub fn kind(&self, func: Func) -> MethodKind {
        self.kinds[func.0 as usize]
    }
}

/// A class of test code says nothing of what production objects are.
fn is_double(index: &Index<'_>, class: Cls, of: Cls) -> bool {
    index.is_test_code(index.class_body(class)) && !index.is_test_code(index.class_body(of))
}

/// Also what the blocks of a class say that it implements; such a block is no class of its own.
fn bases(index: &Index<'_>, class: Cls) -> (Vec<Cls>, Vec<PathId>) {
    let (mut classes, mut paths) = (Vec::new(), Vec::new());
    if index.impls.is_part(class) {
        return (classes, paths);
    }
    for &part in std::iter::once(&class).chain(index.impls.of(class)) {
        for ty in named_bases(index, part) {
            match ty {
                Type::Class { class: base, .. } if base != class => classes.push(base),
                Type::External(path) | Type::Unbound(path) => paths.push(path),
                _ => {}
            }
        }
    }
    (classes, paths)
}

/// What a class, or a block of one, names as its bases.
fn named_bases<'i>(index: &'i Index<'_>, part: Cls) -> impl Iterator<Item = Type> + 'i {
    let (file, ir) = index.class_ir(part);
    let bases = index.units[file].facts.list(ir.bases);
    bases.iter().flat_map(move |&base| index.base_classes(ir.scope, base))
}

/// True for a block that implements what a library names.
pub(super) fn is_for_library(index: &Index<'_>, block: Cls) -> bool {
    named_bases(index, block).any(|ty| matches!(ty, Type::External(_) | Type::Unbound(_)))
}

/// Depth first, left to right; of a class met twice the last place counts, as in C3 for a diamond.
/// True if there are more than are kept.
fn linearise(class: Cls, bases: &[Vec<Cls>]) -> (Vec<Cls>, bool) {
    let mut order = Vec::new();
    let mut stack = vec![class];
    let mut budget = 1_000;
    while let Some(next) = stack.pop() {
        budget -= 1;
        if budget == 0 || order.len() == MAX_ANCESTORS {
            return (order, true);
        }
        if let Some(at) = order.iter().position(|&seen| seen == next) {
            if next == class {
                continue;
            }
            order.remove(at);
        }
        order.push(next);
        stack.extend(bases[next.0 as usize].iter().rev());
    }
    (order, false)
}

fn method_names(index: &Index<'_>, class: Cls) -> Vec<Sym> {
    let (file, ir) = index.class_ir(class);
    let facts = index.units[file].facts;
    let body = ir.body;
    let methods = facts.functions().iter().filter(|f| f.parent == ir.body && f.kind == FnKind::Plain);
    let is_meant =
        |name: &str| !facts.profile().is_implicit(name) || facts.profile().runs(Operator::Call, name);
    let names = methods.filter(|f| is_meant(facts.str(f.name))).map(|f| f.name);
    let names: Vec<Sym> = names.filter(|&name| index.export(body, name).is_some()).collect();
    let (implicit, others): (Vec<Sym>, Vec<Sym>) =
        names.into_iter().partition(|&name| facts.profile().is_implicit(facts.str(name)));
    if others.is_empty() { implicit } else { others }
}
