//! Closures and `async` blocks: functions without a name, which see the variables around them.

use std::rc::Rc;

use syn::{ExprAsync, ExprClosure, Pat as SynPat, ReturnType};

use super::Lowerer;
use super::bodies::Code;
use super::expressions::end;
use crate::ir::{Expr, ExprId, Span};

impl Lowerer<'_> {
    pub(super) fn closure(&mut self, closure: ExprClosure) -> ExprId {
        let last = end(&closure.body);
        let first = closure.asyncness.map(|t| t.span).or(closure.capture.map(|t| t.span));
        let span = self.between(first.unwrap_or(closure.inputs_begin.span), last);
        let head = self.anonymous(span);
        let around = Rc::new(self.inside());
        let id = self.declare(head, Code::Value(closure.body), around);
        let mut params = Vec::new();
        let mut taken_apart = Vec::new();
        for input in closure.inputs {
            let (pat, ty) = match input {
                SynPat::Type(typed) => (*typed.pat, Some(*typed.ty)),
                pat => (pat, None),
            };
            let rest = self.parameter(pat, ty, id, &mut params);
            taken_apart.extend(rest.map(|pat| (params.len() - 1, pat)));
        }
        self.take_apart(taken_apart, id, &mut params);
        let returns = match closure.output {
            ReturnType::Type(_, ty) => Some(self.ty(*ty)),
            ReturnType::Default => None,
        };
        let params = self.list(&params);
        let function = &mut self.functions[id.0 as usize];
        (function.params, function.returns) = (params, returns);
        function.is_async = closure.asyncness.is_some();
        self.add(Expr::Closure(id), span)
    }

    /// `async { … }` is a coroutine that somebody else runs: a call of a function that stands here. `return` and `?` leave
    /// the block and not the function around.
    pub(super) fn async_block(&mut self, block: ExprAsync) -> ExprId {
        let span = self.between(block.async_token.span, block.block.brace_token.span.close());
        let callee = self.coroutine(Code::Block(block.block, true), span);
        let base = self.args.len();
        self.call_with(callee, base, span)
    }

    fn coroutine(&mut self, code: Code, span: Span) -> ExprId {
        let head = self.anonymous(span);
        let around = Rc::new(self.inside());
        let id = self.declare(head, code, around);
        self.functions[id.0 as usize].is_async = true;
        self.add(Expr::Closure(id), span)
    }
}
