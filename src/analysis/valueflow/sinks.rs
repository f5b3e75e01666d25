//! Values of calls that something is done with, as the catalogue says: they are run, opened, asked for.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::catalog::{ArgumentTest, Catalog, Form, Purpose, Sink, SinkId};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Lit, Sym};
use crate::link::{CallSite, Func, Program, Resolution, Target, argument};

/// A value that a call does something with.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub func: Func,
    /// The call, or what is handed over to be called.
    pub at: ExprId,
    pub value: ExprId,
    /// What is under this key of the value; otherwise all of it.
    pub key: Option<Sym>,
    pub purpose: Purpose,
    pub form: Form,
    /// The entry of the catalogue; none for what a rule names.
    pub sink: Option<SinkId>,
    pub confidence: Confidence,
    /// What is called, if that is known.
    pub callee: Option<Target>,
}

/// All of them in production code, in the order of their places.
pub fn taken(program: &Program<'_>, catalog: &Catalog) -> Vec<Taken> {
    let mut known: FxHashMap<Target, SmallVec<[(SinkId, &Sink); 1]>> = FxHashMap::default();
    let mut found = Vec::new();
    for edge in program.edges.iter().filter(|edge| edge.kind.carries_content()) {
        let Target::External(path) = edge.to else { continue };
        let sinks = known.entry(edge.to).or_insert_with(|| catalog.sinks.of(program.path(path)).collect());
        if !sinks.is_empty() && edge.confidence > Confidence::Low && !program.is_test_code(edge.from) {
            let (from, at, confidence) = (edge.from, edge.at.expr, edge.confidence);
            let site = |(id, sink)| Site { program, from, at, callee: Some(edge.to), confidence, id, sink };
            sinks.iter().for_each(|&sink| found.extend(site(sink).taken()));
        }
    }
    let open = program.calls.iter().filter(|call| call.resolution == Resolution::Unresolved);
    for call in open.filter(|call| !program.is_test_code(call.from)) {
        found.extend(by_method(program, catalog, call));
    }
    found.sort_by_key(|taken| (taken.func, taken.at, taken.value, taken.purpose));
    found.dedup_by_key(|taken| (taken.func, taken.at, taken.value, taken.purpose));
    found
}

/// `connection.fetch("SELECT …" + name)`, where nobody knows what the connection is: the text says what is done with it.
fn by_method(program: &Program<'_>, catalog: &Catalog, call: &CallSite) -> Vec<Taken> {
    let facts = program.facts(call.at.file);
    let Expr::Call { callee, .. } = *facts.expr(call.at.expr) else { return Vec::new() };
    let Some(name) = facts.written_name(callee) else { return Vec::new() };
    let (from, at, confidence) = (call.from, call.at.expr, Confidence::Medium);
    let sites = catalog.sinks.of_method(facts.str(name));
    let sites = sites.map(|(id, sink)| Site { program, from, at, callee: None, confidence, id, sink });
    let begins = |site: &Site<'_, '_>, taken: &Taken| {
        program.constant(from, taken.value).is_some_and(|known| site.sink.begins(&known.text))
    };
    sites.flat_map(|site| site.taken().into_iter().filter(move |taken| begins(&site, taken))).collect()
}

/// A call of which the catalogue says something.
struct Site<'s, 'p> {
    program: &'s Program<'p>,
    from: Func,
    at: ExprId,
    callee: Option<Target>,
    confidence: Confidence,
    id: SinkId,
    sink: &'s Sink,
}

impl Site<'_, '_> {
    fn facts(&self) -> &Facts {
        self.program.facts(self.program.function(self.from).file)
    }

    fn taken(&self) -> Vec<Taken> {
        let sink = self.sink;
        let named = sink.key.as_deref().and_then(|key| self.program.symbol_of(key));
        let of = |(value, key): (ExprId, Option<Sym>)| Taken {
            func: self.from,
            at: self.at,
            value,
            key: key.or(named),
            purpose: sink.of,
            form: sink.form,
            sink: Some(self.id),
            confidence: sink.confidence.unwrap_or(Confidence::High).min(self.confidence),
            callee: self.callee,
        };
        // A key that no file names is under nothing.
        let is_named = sink.key.is_none() || named.is_some();
        self.values().into_iter().filter(|_| is_named).map(of).collect()
    }

    /// The arguments that are meant, or the records in which they stand under a key.
    fn values(&self) -> Vec<(ExprId, Option<Sym>)> {
        let facts = self.facts();
        let (args, receiver) = match *facts.expr(self.at) {
            Expr::Call { callee, args, .. } => {
                let receiver = match *facts.expr(callee) {
                    Expr::Field { base, .. } => Some(base),
                    _ => None,
                };
                (facts.list(args), receiver)
            }
            _ => (self.handed_with(), None),
        };
        if self.sink.when.as_ref().is_some_and(|test| !self.holds(test, args)) {
            return Vec::new();
        }
        let whole = |values: Vec<ExprId>| values.into_iter().map(|value| (value, None)).collect();
        match &self.sink.argument {
            Some(test) if test.receiver => whole(receiver.into_iter().collect()),
            Some(test) => match argument(facts, args, test.index, test.name.as_deref()) {
                Some(given) => vec![(given, None)],
                None => spread(args, test, &|name| self.program.symbol_of(name)),
            },
            None => {
                let plain =
                    args.iter().filter(|arg| matches!(arg.kind, ArgKind::Positional | ArgKind::Spread));
                whole(plain.map(|arg| arg.value).collect())
            }
        }
    }

    /// `to_thread(run, command)`: what stands behind what is handed over is given to it.
    fn handed_with(&self) -> &[Arg] {
        let facts = self.facts();
        let calls = self.program.ir(self.from).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Call { args, .. } => Some(facts.list(args)),
            _ => None,
        });
        let behind = |args: &'_ [Arg]| args.iter().position(|arg| arg.value == self.at);
        let mut with = calls.filter_map(|args| Some(&args[behind(args)? + 1..]));
        with.next().unwrap_or_default()
    }

    fn holds(&self, test: &ArgumentTest, args: &[Arg]) -> bool {
        let facts = self.facts();
        let given = argument(facts, args, test.index, test.name.as_deref());
        match given.map(|given| facts.expr(given)) {
            None => test.present != Some(true),
            Some(Expr::Lit(Lit::Bool(false) | Lit::None)) => test.present != Some(true),
            Some(_) => {
                let known = given.and_then(|given| self.constant(given));
                test.present != Some(false) && !known.is_some_and(|known| test.not.contains(&known))
            }
        }
    }

    /// The constant text of an argument, or the path of what it names.
    fn constant(&self, given: ExprId) -> Option<String> {
        let path = self.program.library_path(self.from, given).map(str::to_owned);
        path.or_else(|| self.program.constant(self.from, given).map(|known| known.text))
    }
}

/// What is spread over the arguments stands at all of them; of a record, what is under the name.
fn spread(
    args: &[Arg],
    test: &ArgumentTest,
    symbol: &dyn Fn(&str) -> Option<Sym>,
) -> Vec<(ExprId, Option<Sym>)> {
    let name = || test.name.as_deref().and_then(symbol);
    let of = |arg: &Arg| match arg.kind {
        ArgKind::Spread => test.index.map(|_| (arg.value, None)),
        ArgKind::SpreadNamed => Some((arg.value, Some(name()?))),
        _ => None,
    };
    args.iter().filter_map(of).collect()
}
