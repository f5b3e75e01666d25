//! Parameters of functions and lambdas. A parameter's variable is the function's variable of the same number.

use super::kind::Kind;
use super::{Lowerer, Node};
use crate::ir::{Func, ListOf, Param, ParamKind, Pat};

/// The parts of a parameter as it is written.
#[derive(Clone, Copy)]
struct Written<'n> {
    node: Node<'n>,
    target: Node<'n>,
    ty: Option<Node<'n>>,
    default: Option<Node<'n>>,
}

impl Lowerer<'_> {
    pub(super) fn parameters(&mut self, list: Option<Node<'_>>, function: Func) -> ListOf<Param> {
        let Some(list) = list else { return ListOf::EMPTY };
        let mut params = Vec::new();
        let mut taken_apart = Vec::new();
        let mut kind = ParamKind::Normal;
        for node in list.children().filter(|n| n.kind() != Kind::Comma) {
            match node.kind() {
                Kind::PositionalSeparator => params.iter_mut().for_each(make_positional),
                Kind::KeywordSeparator => kind = ParamKind::KeywordOnly,
                _ => {
                    let written = written(node);
                    let param = self.parameter(written, kind, function);
                    if param.kind == ParamKind::Rest {
                        kind = ParamKind::KeywordOnly;
                    }
                    if !is_name(written.target) {
                        taken_apart.push((params.len(), written.target));
                    }
                    params.push(param);
                }
            }
        }
        // Only now, so that the parameters are the first variables.
        for (index, target) in taken_apart {
            let pat = self.parts_of_parameter(target, function);
            params[index].pat = self.arenas.add_pat(pat);
        }
        self.list(&params)
    }

    fn parameter(&mut self, written: Written<'_>, kind: ParamKind, function: Func) -> Param {
        let (kind, name) = match written.target.kind() {
            Kind::ListSplatPattern => (ParamKind::Rest, written.target.children().last()),
            Kind::DictionarySplatPattern => (ParamKind::KeywordRest, written.target.children().last()),
            _ => (kind, Some(written.target)),
        };
        let text = name.filter(|n| n.kind() == Kind::Identifier).map_or("", |n| n.text());
        let name = self.ident(text);
        let var = self.scopes.add_var(function, name);
        let pat = self.arenas.add_pat(Pat::Var(var));
        if !text.is_empty() {
            self.scopes.add_param(function, name, var);
        }
        let ty = written.ty.map(|ty| self.annotation(ty));
        let default = written.default.map(|default| self.expression(default));
        Param { name, pat, ty, default, kind, span: self.span(written.node) }
    }

    /// Python 2: `def f(a, (b, c))`.
    fn parts_of_parameter(&mut self, node: Node<'_>, function: Func) -> Pat {
        let mut items = Vec::new();
        for item in node.descendants().filter(|n| n.kind() == Kind::Identifier) {
            let name = self.ident(item.text());
            let var = self.scopes.add_var(function, name);
            self.scopes.add_param(function, name, var);
            items.push(self.arenas.add_pat(Pat::Var(var)));
        }
        Pat::Seq { items: self.list(&items), rest: None }
    }
}

/// Not one that Python 2 took apart.
fn is_name(target: Node<'_>) -> bool {
    target.kind() != Kind::TuplePattern
}

fn make_positional(param: &mut Param) {
    if param.kind == ParamKind::Normal {
        param.kind = ParamKind::PositionalOnly;
    }
}

fn written(node: Node<'_>) -> Written<'_> {
    let mut parts = node.children().filter(|n| !n.kind().is_token());
    let wraps =
        matches!(node.kind(), Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter);
    if !wraps {
        return Written { node, target: node, ty: None, default: None };
    }
    let target = parts.next().unwrap_or(node);
    let is_type = |n: &Node<'_>| n.kind() == Kind::Type;
    let ty = node.children().skip(1).find(is_type).filter(|_| node.kind() != Kind::DefaultParameter);
    let default = (node.kind() != Kind::TypedParameter).then(|| node.children().last()).flatten();
    Written { node, target, ty, default }
}

#[cfg(test)]
mod tests {
    use crate::frontend::python::testing::dump;

    #[track_caller]
    fn params(list: &str, expected: &str) {
        let dump = dump(&format!("def f({list}): pass"));
        assert!(dump.contains(&format!("in 0 ({expected}) line 1\n")), "{dump}");
    }

    #[test]
    fn kinds() {
        params("a, /, b, *, c", "positional a.0, b.1, keyword c.2");
        params("a, *b, c, **d", "a.0, *b.1, keyword c.2, **d.3");
        params("a: int, b: str = 'x'", "a.0: @int, b.1: @str = \"x\"");
        params("*c: int, d=1, **e: A", "*c.0: @int, keyword d.1 = 1, **e.2: @A");
        params("a=f(1)", "a.0 = (call @f 1)");
        params("type, match=None, print=1", "type.0, match.1 = none, print.2 = 1");
        params("*args: *Ts", "*args.0: (spread @Ts)");
    }

    #[test]
    fn old_tuples_keep_the_numbers_of_the_others() {
        params("a, (b, c), d=1", "a.0, [b.3 c.4], d.2 = 1");
    }
}
