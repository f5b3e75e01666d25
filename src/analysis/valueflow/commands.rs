//! What a word of a command line decides: the program, a line for a shell, code for an interpreter, an option, or nothing but one
//! value. It depends on the words before it.

use super::paths::{Key, Path};
use super::sinks::Taken;
use crate::catalog::{Catalog, Commands, Form, Purpose};
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Facts};
use crate::link::{Func, Program};

/// What somebody decides who chooses a part of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    pub purpose: Purpose,
    pub confidence: Confidence,
    /// The program whose options it may be.
    pub option_of: Option<String>,
}

impl Decided {
    /// All of it, for certain.
    pub fn all(purpose: Purpose) -> Option<Self> {
        Some(Self { purpose, confidence: Confidence::High, option_of: None })
    }
}

/// What a part of a value decides that a process is started with; none if it is harmless where it stands.
pub fn decided(program: &Program<'_>, catalog: &Catalog, taken: &Taken, part: Path) -> Option<Decided> {
    let decided = of_part(program, catalog, taken, part)?;
    let runs = matches!(decided.purpose, Purpose::Command | Purpose::Script) && decided.option_of.is_none();
    match part.is_in_file() {
        // Who writes a file decides what runs when that is started.
        true if runs => Decided::all(Purpose::Script),
        true => None,
        false => Some(decided),
    }
}

fn of_part(program: &Program<'_>, catalog: &Catalog, taken: &Taken, part: Path) -> Option<Decided> {
    let facts = program.facts(program.function(taken.func).file);
    let line = Line { program, commands: &catalog.sinks.commands, func: taken.func, facts };
    let first = part.first_step();
    match (taken.form, first) {
        (Form::Whole, _) | (Form::Words, None) => Decided::all(Purpose::Command),
        (Form::Words, Some(Key::At(at))) => {
            let items = line.items(taken.value);
            let own = items.get(at as usize).copied();
            line.judge(&line.words(items.iter().take(at as usize).copied()), own)
        }
        (Form::Words, Some(Key::Each)) => {
            let items = line.items(taken.value);
            line.judge(&line.words(items.into_iter()), None)
        }
        (Form::Words, Some(Key::Any | Key::Name(_) | Key::Attr(_) | Key::File)) => Decided::all(Purpose::Command),
        (Form::Spread, part) => {
            let before = line.arguments(taken.at).into_iter().take_while(|&arg| arg != taken.value);
            let before = line.words(before);
            match (part, facts.expr(taken.value)) {
                (Some(Key::Any | Key::Each), _) | (_, Expr::Spread(_)) => Decided::all(Purpose::Command),
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

/// One command line.
struct Line<'l, 'p> {
    program: &'l Program<'p>,
    commands: &'l Commands,
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
                Expr::Var(_) => {
                    let found = self.program.sole_definition(self.func, expr);
                    found.filter(|(func, value)| *func == self.func && *value < expr).map(|(_, value)| value)
                }
                _ => None,
            };
        }
        Vec::new()
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
                let given = own.filter(|&it| self.is_method_of(it, var));
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

    fn is_method_of(&self, call: ExprId, var: crate::ir::VarId) -> bool {
        let Expr::Call { callee, .. } = *self.facts.expr(call) else { return false };
        let Expr::Field { base, .. } = *self.facts.expr(callee) else { return false };
        matches!(*self.facts.expr(base), Expr::Var(own) if own == var)
    }

    /// True if a call takes one word, and not a sequence of them.
    fn is_one(&self, taken: &Taken) -> bool {
        let Expr::Call { callee, .. } = *self.facts.expr(taken.at) else { return true };
        let name = self.facts.written_name(callee).map(|name| self.facts.str(name));
        !name.is_some_and(|name| self.commands.takes_many(name))
    }

    /// What a word decides behind others.
    fn judge(&self, before: &[Option<String>], own: Option<ExprId>) -> Option<Decided> {
        let head = own.and_then(|own| self.program.constant(self.func, own)).map(|known| known.text);
        judge(self.commands, before, &head.unwrap_or_default())
    }
}

/// `head` is how the word begins for certain.
fn judge(commands: &Commands, before: &[Option<String>], head: &str) -> Option<Decided> {
    let Some((first, rest)) = before.split_first() else { return Decided::all(Purpose::Command) };
    let program = first.as_deref().map(base).unwrap_or_default();
    let last = rest.last().and_then(Option::as_deref);
    if commands.starts_others(program, rest.iter().flatten().map(String::as_str)) {
        return Decided::all(Purpose::Command);
    }
    if let Some(purpose) = last.and_then(|option| commands.runs(program, option)) {
        return Decided::all(purpose);
    }
    let is_option = |word: &Option<String>| word.as_ref().is_none_or(|word| word.starts_with('-'));
    if commands.is_interpreter(program) && rest.iter().all(is_option) && !head.starts_with('-') {
        return Decided::all(Purpose::Script);
    }
    let is_value =
        last.is_some_and(|option| option.len() > 1 && option.starts_with('-') && !option.contains('='));
    let is_behind = rest.iter().flatten().any(|word| word == "--");
    if is_value || is_behind || !head.is_empty() || commands.reads_no_options(program) {
        return None;
    }
    let option_of = first.as_deref().map(|first| base(first).to_owned());
    Some(Decided { purpose: Purpose::Command, confidence: Confidence::Medium, option_of })
}

/// The name of a program without the folder that it is in.
fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}
