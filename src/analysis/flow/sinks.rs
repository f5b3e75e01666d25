//! What runs or reads content: which of the values of a call get to it.

use super::calls::Call;
use super::labels::{Aspect, Labels};
use super::model::{Sink, SinkSite};
use super::tables::{Taker, UseKind};
use super::walk::Walk;
use crate::ir::{Expr, ExprId, Lit};
use crate::link::argument;

impl Walk<'_, '_, '_> {
    pub(super) fn sinks(&mut self, call: &Call<'_, '_>) {
        let model = self.model;
        for site in model.sinks(self.at(call.expr)) {
            let labels = self.taken_by(call, site);
            self.use_at(call.expr, site, labels);
        }
        for nth in 0..call.args.len() {
            self.handed_sink(call, nth);
        }
    }

    /// A sink that is handed over gets the arguments behind it.
    fn handed_sink(&mut self, call: &Call<'_, '_>, nth: usize) {
        let model = self.model;
        let value = call.args[nth].value;
        let builtin = match self.facts.expr(value) {
            // A call among the arguments was told of when it was made.
            Expr::Call { .. } => return,
            Expr::Free(_) => model.builtin_sink(self.func, value),
            _ => None,
        };
        let sites: Vec<SinkSite<'_>> = model.sinks(self.at(value)).iter().cloned().chain(builtin).collect();
        for site in sites {
            let mut labels = Labels::default();
            for value in &call.values[nth + 1..] {
                labels.join(&value.data.total());
            }
            self.use_at(value, &site, labels);
        }
    }

    fn use_at(&mut self, at: ExprId, site: &SinkSite<'_>, labels: Labels) {
        let aspect = match site.sink {
            Sink::Prompt => Aspect::Unfenced,
            Sink::File => Aspect::Filed,
            Sink::Process | Sink::Code | Sink::Module | Sink::Data => Aspect::Content,
        };
        let mut taken = labels.clone().only(aspect);
        // A path from outside names a file of somebody else's choice; a script is run by its interpreter.
        match site.sink {
            Sink::File => taken.join(&labels.only(Aspect::Content)),
            Sink::Process if self.runs_script(at) => taken.join(&labels.only(Aspect::Filed)),
            _ => false,
        };
        let labels = taken.weakened(site.confidence);
        self.event(at, labels, Taker::Use(UseKind::Sink(site.sink)));
    }

    fn taken_by(&self, call: &Call<'_, '_>, site: &SinkSite<'_>) -> Labels {
        let Some(test) = site.argument else {
            let mut labels = Labels::default();
            for value in call.values {
                labels.join(&value.data.total());
            }
            // `Command::new("sh").arg(text).status()`
            let is_built = site.sink == Sink::Process && self.facts.profile().has_builders;
            if site.sink == Sink::File || is_built {
                labels.join(&call.receiver.data.total());
            }
            return labels;
        };
        let given = argument(self.facts, call.args, test.index, test.name.as_deref());
        let at = given.and_then(|given| call.args.iter().position(|arg| arg.value == given));
        at.map(|at| call.values[at].data.total()).unwrap_or_default()
    }

    /// `["python", path]`: an interpreter stands among the constants of the call.
    fn runs_script(&self, call: ExprId) -> bool {
        let interpreters = &self.model.catalog.flow.interpreters;
        self.values.below(self.func, call).into_iter().any(|expr| match *self.facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => {
                let word = self.facts.str(text).split_whitespace().next().unwrap_or_default();
                let program = word.rsplit('/').next().unwrap_or(word);
                interpreters.iter().any(|known| known == program)
            }
            Expr::Field { .. } | Expr::Free(_) => {
                let path = self.model.program.library_path(self.func, expr);
                path.is_some_and(|path| interpreters.iter().any(|known| **known == *path))
            }
            _ => false,
        })
    }
}
