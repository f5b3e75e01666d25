//! What a word of a command line decides: the program, a line for a shell, code for an interpreter, an option, or nothing but one
//! value. It depends on the words before it.

use super::paths::{Key, Path};
use super::puts::Put;
use super::sinks::Taken;
use crate::catalog::{Catalog, Commands, Form, Purpose, Sinks};
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Facts, Op, VarId};
use crate::link::{Func, Passed, Program};

/// What somebody decides who chooses a part of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    pub purpose: Purpose,
    pub confidence: Confidence,
    /// The program whose options it may be, if that is known.
    pub option_of: Option<String>,
}

impl Decided {
    /// All of it, for certain.
    pub fn all(purpose: Purpose) -> Option<Self> {
        Some(Self { purpose, confidence: Confidence::High, option_of: None })
    }
}

/// What a part of a value decides that a process is started with; none if it is harmless where it stands.
/// `puts` are the lists of words that it was put into, the outermost first, as far as that was seen.
pub fn decided(
    program: &Program<'_>,
    catalog: &Catalog,
    taken: &Taken,
    part: Path,
    puts: &[Put],
) -> Option<Decided> {
    let is_word = taken.form != Form::Whole && part.first_step().is_some_and(Key::is_position);
    let among = if is_word { among(program, catalog, taken, puts) } else { None };
    let decided = match among {
        Some(decided) => decided?,
        None => of_part(program, catalog, taken, part)?,
    };
    let runs = matches!(decided.purpose, Purpose::Command | Purpose::Script);
    match part.is_in_file() {
        // Who writes a file decides what runs when that is started.
        true if runs => Decided::all(Purpose::Script),
        true => None,
        false => Some(decided),
    }
}

fn of_part(program: &Program<'_>, catalog: &Catalog, taken: &Taken, part: Path) -> Option<Decided> {
    let facts = program.facts(program.function(taken.func).file);
    let line =
        Line { program, commands: &catalog.sinks.commands, sinks: &catalog.sinks, func: taken.func, facts };
    let first = part.first_step();
    match (taken.form, first) {
        (Form::Whole, _) | (Form::Words, None) => Decided::all(Purpose::Command),
        (Form::Words, Some(Key::At(at))) => {
            let items = line.items(taken.value);
            let own = items.get(at as usize).copied();
            line.judge(&line.words(items.iter().take(at as usize).copied()), own)
        }
        (Form::Words, Some(Key::From(at))) => {
            let items = line.items(taken.value);
            let before = items.get(..at as usize).map(|before| line.words(before.iter().copied()));
            before.map_or_else(|| Decided::all(Purpose::Command), |before| line.judge(&before, None))
        }
        (Form::Words, Some(Key::Each)) => {
            let items = line.items(taken.value);
            line.judge(&line.words(items.into_iter()), None)
        }
        (Form::Words, Some(Key::Any | Key::Name(_) | Key::Attr(_) | Key::File | Key::Names)) => {
            Decided::all(Purpose::Command)
        }
        (Form::Spread, part) => {
            let before = line.arguments(taken.at).into_iter().take_while(|&arg| arg != taken.value);
            let before = [line.words_of(taken), line.words(before)].concat();
            match (part, facts.expr(taken.value)) {
                (Some(Key::Any | Key::Each | Key::From(_)), _) | (_, Expr::Spread(_)) => {
                    Decided::all(Purpose::Command)
                }
                _ => line.judge(&before, Some(taken.value)),
            }
        }
        (Form::Further, part) => {
            let before = line.words(line.given_before(taken.at).into_iter());
            match part {
                // `args(text.split(' '))`
                None if !line.is_one(taken) => Decided::all(Purpose::Command),
                Some(Key::Any) => Decided::all(Purpose::Command),
                Some(Key::At(at)) => {
                    let items = line.items(taken.value);
                    let words = line.words(items.iter().take(at as usize).copied());
                    let before: Vec<_> = before.into_iter().chain(words).collect();
                    line.judge(&before, items.get(at as usize).copied())
                }
                _ => line.judge(&before, Some(taken.value)),
            }
        }
    }
}

/// What a word decides behind those that stand before it, in its own list and in those which take up its own. None if it is not
/// known what the command begins with.
fn among(program: &Program<'_>, catalog: &Catalog, taken: &Taken, puts: &[Put]) -> Option<Option<Decided>> {
    let line = |func: Func| Line {
        program,
        commands: &catalog.sinks.commands,
        sinks: &catalog.sinks,
        func,
        facts: program.facts(program.function(func).file),
    };
    let last = puts.last().filter(|_| taken.form != Form::Further)?;
    let whole = line(taken.func);
    let mut before = whole.words_of(taken);
    if taken.form == Form::Spread {
        let arguments = whole.arguments(taken.at).into_iter();
        before.extend(whole.words(arguments.take_while(|&arg| arg != taken.value)));
    }
    puts.iter().for_each(|put| before.extend(line(put.func).words_before(*put)));
    if before.is_empty() {
        return None;
    }
    let mut decided = line(last.func).judge(&before, (!last.is_spread).then_some(last.word));
    if let Some(Decided { confidence, option_of: Some(_), .. }) = &mut decided
        && last.is_whole
    {
        // One of many words begins with a dash whenever that is of use.
        *confidence = Confidence::High;
    }
    Some(decided)
}

/// One command line.
struct Line<'l, 'p> {
    program: &'l Program<'p>,
    commands: &'l Commands,
    sinks: &'l Sinks,
    func: Func,
    facts: &'l Facts,
}

impl Line<'_, '_> {
    /// The items of a list that an expression is, or begins with.
    fn items(&self, expr: ExprId) -> Vec<ExprId> {
        let mut next = Some(expr);
        while let Some(expr) = next {
            next = match *self.facts.expr(expr) {
                Expr::Seq(items) => return self.facts.list(items).to_vec(),
                Expr::Op { args, .. } => self.facts.list(args).first().copied(),
                Expr::Call { args, .. } => self.facts.list(args).first().map(|arg| arg.value),
                Expr::Var(var) => self.beginning(var).filter(|value| *value < expr),
                _ => None,
            };
        }
        Vec::new()
    }

    /// What a list begins with to which other words are added; none if it may begin in several ways.
    fn beginning(&self, var: VarId) -> Option<ExprId> {
        let adds = |value: ExprId| match *self.facts.expr(value) {
            Expr::Op { args, .. } => {
                let first = self.facts.list(args).first();
                first.is_some_and(|&first| *self.facts.expr(first) == Expr::Var(var))
            }
            _ => false,
        };
        let found = self.program.definitions(self.program.slot_of(self.func, var));
        let mut found = found.filter(|(_, value)| !adds(*value));
        let only = found.next().filter(|_| found.next().is_none());
        only.filter(|(func, _)| *func == self.func).map(|(_, value)| value)
    }

    /// The words of the command before what the call is given.
    fn words_of(&self, taken: &Taken) -> Vec<Option<String>> {
        let words = taken.sink.map_or(&[][..], |sink| self.sinks.words(sink));
        words.iter().cloned().map(Some).collect()
    }

    /// The words of a list before one that is put into it.
    fn words_before(&self, put: Put) -> Vec<Option<String>> {
        match *self.facts.expr(put.list) {
            Expr::Seq(_) => return self.words(self.items_before(put.list, put.word).into_iter()),
            Expr::Op { args, .. } => {
                let args = self.facts.list(args).iter().copied();
                let before =
                    args.flat_map(|arg| self.items_or_whole(arg)).take_while(|&word| word != put.word);
                return self.words(before);
            }
            Expr::Call { .. } => return self.words(self.collected_before(put).into_iter()),
            _ => {}
        }
        let Expr::Var(var) = *self.facts.expr(put.list) else { return Vec::new() };
        let own = self.program.ir(self.func).exprs.iter().filter(|&it| it < put.list);
        let added = own.filter(|&it| self.is_method_of(it, var) && self.is_surely_before(it, put.list));
        let added = added.flat_map(|it| self.arguments(it)).flat_map(|arg| self.items_or_whole(arg));
        self.words(self.items(put.list).into_iter().chain(added))
    }

    fn items_before(&self, list: ExprId, word: ExprId) -> Vec<ExprId> {
        self.items_or_whole(list).into_iter().take_while(|&item| item != word).collect()
    }

    /// The items of a list that is written down; anything else stands for itself.
    fn items_or_whole(&self, expr: ExprId) -> Vec<ExprId> {
        match *self.facts.expr(expr) {
            Expr::Seq(items) => self.facts.list(items).to_vec(),
            _ => vec![expr],
        }
    }

    /// The arguments that a function collects before one of them.
    fn collected_before(&self, put: Put) -> Vec<ExprId> {
        let edges = self.program.edges_at(self.func, put.list).iter();
        let given = edges.map(|edge| self.program.arguments(edge));
        let mut given = given.filter(|given| given.iter().any(|(_, value)| *value == put.word));
        let before = given.next().unwrap_or_default().into_iter().take_while(|(_, value)| *value != put.word);
        let is_collected = |passed: &Passed| matches!(passed, Passed::Rest(_) | Passed::SpreadFrom(_));
        before.filter(|(passed, _)| is_collected(passed)).map(|(_, value)| value).collect()
    }

    fn words(&self, items: impl Iterator<Item = ExprId>) -> Vec<Option<String>> {
        items.map(|item| self.word(item)).collect()
    }

    /// A word as far as it is constant: its text, or the path of what a library calls so.
    fn word(&self, item: ExprId) -> Option<String> {
        let known = self.program.constant(self.func, item).filter(|known| known.whole);
        known
            .map(|known| known.text)
            .or_else(|| self.program.library_path(self.func, item).map(str::to_owned))
    }

    /// How a word begins for certain.
    fn head(&self, word: ExprId) -> Option<String> {
        let mut first = word;
        while let Expr::Text(parts) | Expr::Op { op: Op::Add, args: parts } = *self.facts.expr(first) {
            first = *self.facts.list(parts).first()?;
        }
        self.program.constant(self.func, first).map(|known| known.text)
    }

    fn arguments(&self, call: ExprId) -> Vec<ExprId> {
        match *self.facts.expr(call) {
            Expr::Call { args, .. } => self.facts.list(args).iter().map(|arg: &Arg| arg.value).collect(),
            _ => Vec::new(),
        }
    }

    /// What a command that is put together was given before this call, in order: `Command::new("git").arg("log").arg(name)`.
    fn given_before(&self, call: ExprId) -> Vec<ExprId> {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return Vec::new() };
        let Expr::Field { base, .. } = *self.facts.expr(callee) else { return Vec::new() };
        match *self.facts.expr(base) {
            Expr::Var(var) => {
                let own = self.program.ir(self.func).exprs.iter().filter(|&it| it < base);
                let given = own.filter(|&it| self.is_method_of(it, var) && self.is_surely_before(it, base));
                let made =
                    self.program.sole_definition(self.func, base).filter(|(func, _)| *func == self.func);
                let made = made.into_iter().flat_map(|(_, value)| self.given_by(value));
                made.chain(given.flat_map(|it| self.arguments(it))).collect()
            }
            _ => self.given_by(base),
        }
    }

    fn given_by(&self, call: ExprId) -> Vec<ExprId> {
        let own = self.arguments(call).into_iter().flat_map(|arg| match self.facts.expr(arg) {
            Expr::Seq(_) => self.items(arg),
            _ => vec![arg],
        });
        self.given_before(call).into_iter().chain(own).collect()
    }

    fn is_method_of(&self, call: ExprId, var: VarId) -> bool {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return false };
        let Expr::Field { base, .. } = *self.facts.expr(callee) else { return false };
        matches!(*self.facts.expr(base), Expr::Var(own) if own == var)
    }

    /// True if no branch that does not lead to `at` holds a call that stands before it.
    fn is_surely_before(&self, call: ExprId, at: ExprId) -> bool {
        let mut bodies =
            self.program.ir(self.func).exprs.iter().flat_map(|expr| match *self.facts.expr(expr) {
                Expr::If { arms, otherwise } => {
                    let arms = self.facts.list(arms).iter().map(|arm| arm.body);
                    arms.chain(otherwise).collect::<Vec<_>>()
                }
                Expr::Match { arms, .. } => self.facts.list(arms).iter().map(|arm| arm.body).collect(),
                Expr::Loop(index) => vec![self.facts.arenas.loop_at(index).body],
                _ => Vec::new(),
            });
        bodies.all(|body| {
            let below = self.facts.arenas.below(body);
            !below.contains(&call) || below.contains(&at)
        })
    }

    /// True if a call takes one word, and not a sequence of them.
    fn is_one(&self, taken: &Taken) -> bool {
        let Expr::Call { callee, .. } = *self.facts.expr(taken.at) else { return true };
        let name = self.facts.written_name(callee).map(|name| self.facts.str(name));
        !name.is_some_and(|name| self.commands.takes_many(name))
    }

    /// What a word decides behind others.
    fn judge(&self, before: &[Option<String>], own: Option<ExprId>) -> Option<Decided> {
        let head = own.and_then(|own| self.head(own));
        judge(self.commands, before, &head.unwrap_or_default(), own.is_some())
    }
}

/// `head` is how the word begins for certain. Of many words, only the first one may be the value of the option before them.
fn judge(commands: &Commands, before: &[Option<String>], head: &str, is_one: bool) -> Option<Decided> {
    let Some((first, rest)) = before.split_first() else { return Decided::all(Purpose::Command) };
    let program = first.as_deref().map(base).unwrap_or_default();
    let last = rest.last().and_then(Option::as_deref);
    if commands.starts_others(program, rest.iter().flatten().map(String::as_str)) {
        return Decided::all(Purpose::Command);
    }
    if let Some(purpose) = last.and_then(|option| commands.runs(program, option)) {
        return Decided::all(purpose);
    }
    // What stands behind the code is given to the code.
    let runs_code =
        |word: &String| matches!(commands.runs(program, word), Some(Purpose::Code | Purpose::Command));
    if commands.is_interpreter(program) && rest.iter().flatten().any(runs_code) {
        return None;
    }
    let is_option = |word: &Option<String>| word.as_ref().is_none_or(|word| word.starts_with('-'));
    if commands.is_interpreter(program) && rest.iter().all(is_option) && !head.starts_with('-') {
        return Decided::all(Purpose::Script);
    }
    let is_value = is_one
        && last.is_some_and(|option| option.len() > 1 && option.starts_with('-') && !option.contains('='));
    let is_behind = rest.iter().flatten().any(|word| word == "--");
    if is_value || is_behind || !head.is_empty() || commands.reads_no_options(program) {
        return None;
    }
    let option_of = first.as_deref().map(|first| base(first).to_owned());
    Some(Decided { purpose: Purpose::Option, confidence: Confidence::Medium, option_of })
}

/// The name of a program without the folder that it is in.
fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}
