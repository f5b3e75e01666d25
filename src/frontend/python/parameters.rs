//! Parameters of functions and lambdas. A parameter's variable is the function's variable of the same number.

use ruff_python_ast::{self as ast, Parameter, ParameterWithDefault, Parameters};

use super::Lowerer;
use crate::ir::{Func, ListOf, Param, ParamKind, Pat, Span};

impl<'t> Lowerer<'t> {
    pub(super) fn parameters(&mut self, list: &'t Parameters, function: Func) -> ListOf<Param> {
        let mut params = Vec::new();
        self.plain_parameters(&list.posonlyargs, ParamKind::PositionalOnly, function, &mut params);
        self.plain_parameters(&list.args, ParamKind::Normal, function, &mut params);
        let rest = list.vararg.as_deref();
        params.extend(rest.map(|it| self.parameter(it, None, ParamKind::Rest, function, self.span(it))));
        self.plain_parameters(&list.kwonlyargs, ParamKind::KeywordOnly, function, &mut params);
        let rest = list.kwarg.as_deref();
        params
            .extend(rest.map(|it| self.parameter(it, None, ParamKind::KeywordRest, function, self.span(it))));
        self.list(&params)
    }

    fn plain_parameters(
        &mut self,
        list: &'t [ParameterWithDefault],
        kind: ParamKind,
        function: Func,
        params: &mut Vec<Param>,
    ) {
        for it in list {
            let span = self.span(it);
            params.push(self.parameter(&it.parameter, it.default.as_deref(), kind, function, span));
        }
    }

    fn parameter(
        &mut self,
        node: &'t Parameter,
        default: Option<&'t ast::Expr>,
        kind: ParamKind,
        function: Func,
        span: Span,
    ) -> Param {
        let name = self.ident(&node.name);
        let var = self.scopes.add_var(function, name);
        let pat = self.arenas.add_pat(Pat::Var(var));
        self.scopes.add_param(function, name, var);
        let ty = node.annotation.as_deref().map(|ty| self.annotation(ty));
        let default = default.map(|default| self.expression(default));
        Param { name, pat, ty, default, kind, span }
    }
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
}
