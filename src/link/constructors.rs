//! What runs where an object of a class is made.

use super::call::INIT;
use super::edge::Target;
use super::edges::{Pass, Targets};
use super::ids::Cls;
use super::types::{Type, Value};

impl Pass<'_, '_, '_> {
    /// The constructors of a class, what the language or a library runs besides, and the libraries' classes if there are none.
    pub(super) fn constructor(&mut self, class: Cls, out: &mut Targets) {
        let (index, hierarchy) = (self.solver.index, self.solver.hierarchy);
        if hierarchy.is_enumeration(class) {
            // Its objects were made by its body.
            out.constructed = true;
            return;
        }
        let before = out.list.len();
        let initialisers = &index.externals.catalog().initialisers;
        let methods = ["__new__", INIT].into_iter().chain(initialisers.iter().map(String::as_str));
        for method in methods {
            let Some(name) = index.names.get(method) else { continue };
            let Some((_, slot)) = hierarchy.class_attr(index, class, name) else { continue };
            let members = self.solver.types(Value::In(slot));
            out.list.extend(members.into_iter().filter_map(|ty| match ty {
                Type::Function(func) => Some(Target::Project(func)),
                _ => None,
            }));
        }
        for ancestor in &hierarchy.ancestors[class.0 as usize] {
            let validators = hierarchy.validators.get(ancestor).into_iter().flatten();
            out.list.extend(validators.map(|&validator| Target::Project(validator)));
        }
        if out.list.len() == before {
            let paths = hierarchy.external_bases[class.0 as usize].iter();
            out.list.extend(paths.map(|&path| Target::External(path)));
        }
        out.constructed = true;
    }
}
