//! Code as a small tree, written by hand in tests: what can be said of it is what the core language can say.

use crate::ir::Op;

pub type Name = &'static str;

#[derive(Clone)]
pub enum Term {
    Lit(Constant),
    Name(Name),
    Field(Box<Term>, Name),
    Call(Box<Term>, Vec<(Option<Name>, Term)>),
    Not(Box<Term>),
    All(Vec<Term>),
    Any(Vec<Term>),
    Op(Op, Box<Term>, Box<Term>),
    Seq(Vec<Term>),
    Record(Vec<(Name, Term)>),
    Await(Box<Term>),
    Yield,
    Lambda(Box<Term>),
    Import(Name, Name),
    Def(Def),
    Let(Pattern, Box<Term>),
    Store(Box<Term>, Box<Term>),
    If(Vec<(Term, Vec<Term>)>, Vec<Term>),
    Match(Box<Term>, Vec<(Pattern, Vec<Term>)>),
    While(Option<Box<Term>>, Vec<Term>, Vec<Term>),
    For(Pattern, Box<Term>, Vec<Term>, Vec<Term>),
    Try { body: Vec<Term>, handlers: Vec<(Vec<Name>, Vec<Term>)>, finally: Vec<Term> },
    With(Box<Term>, Vec<Term>),
    Break,
    Return(Box<Term>),
    Raise(Option<Box<Term>>),
    Assert(Box<Term>),
}

#[derive(Clone, Copy)]
pub enum Constant {
    None,
    Bool(bool),
    Int(i64),
    Text(Name),
}

#[derive(Clone)]
pub enum Pattern {
    Wild,
    Var(Name),
    Value(Constant),
    Seq(Vec<Pattern>),
    Or(Vec<Pattern>),
    Record(Vec<(Name, Pattern)>),
}

#[derive(Clone)]
pub struct Def {
    pub name: Name,
    pub params: Vec<Name>,
    pub decorators: Vec<Term>,
    pub is_async: bool,
    pub body: Vec<Term>,
}

/// The names that statements bind, each once.
pub fn bound(terms: &[Term], names: &mut Vec<Name>) {
    let mut add = |name: Name| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for term in terms {
        match term {
            Term::Def(def) => add(def.name),
            Term::Import(_, name) => add(name),
            Term::Let(pattern, _) | Term::For(pattern, ..) => of_pattern(pattern, &mut add),
            _ => {}
        }
    }
    for term in terms {
        inside(term).into_iter().for_each(|terms| bound(terms, names));
    }
}

fn of_pattern(pattern: &Pattern, add: &mut impl FnMut(Name)) {
    match pattern {
        Pattern::Var(name) => add(name),
        Pattern::Seq(items) | Pattern::Or(items) => items.iter().for_each(|item| of_pattern(item, add)),
        Pattern::Record(fields) => fields.iter().for_each(|(_, item)| of_pattern(item, add)),
        Pattern::Wild | Pattern::Value(_) => {}
    }
}

/// The blocks of a statement.
fn inside(term: &Term) -> Vec<&[Term]> {
    match term {
        Term::If(arms, otherwise) => arms.iter().map(|(_, body)| &body[..]).chain([&otherwise[..]]).collect(),
        Term::Match(_, arms) => arms.iter().map(|(_, body)| &body[..]).collect(),
        Term::While(_, body, otherwise) | Term::For(_, _, body, otherwise) => vec![body, otherwise],
        Term::Try { body, handlers, finally } => {
            let handlers = handlers.iter().map(|(_, body)| &body[..]);
            handlers.chain([&body[..], &finally[..]]).collect()
        }
        Term::With(_, body) => vec![body],
        _ => Vec::new(),
    }
}

// ---- short ways to write it

pub fn name(text: Name) -> Term {
    Term::Name(text)
}

pub fn text(text: Name) -> Term {
    Term::Lit(Constant::Text(text))
}

pub fn truth(value: bool) -> Term {
    Term::Lit(Constant::Bool(value))
}

pub fn none() -> Term {
    Term::Lit(Constant::None)
}

pub fn call<const N: usize>(function: Name, args: [Term; N]) -> Term {
    Term::Call(Box::new(name(function)), args.into_iter().map(|arg| (None, arg)).collect())
}

pub fn op(op: Op, left: Term, right: Term) -> Term {
    Term::Op(op, Box::new(left), Box::new(right))
}

pub fn not(term: Term) -> Term {
    Term::Not(Box::new(term))
}

pub fn set(variable: Name, value: Term) -> Term {
    Term::Let(Pattern::Var(variable), Box::new(value))
}

pub fn when(test: Term, body: Vec<Term>) -> Term {
    Term::If(vec![(test, body)], Vec::new())
}

pub fn either(test: Term, body: Vec<Term>, otherwise: Vec<Term>) -> Term {
    Term::If(vec![(test, body)], otherwise)
}

pub fn each(variable: Name, iterable: Term, body: Vec<Term>) -> Term {
    Term::For(Pattern::Var(variable), Box::new(iterable), body, Vec::new())
}

pub fn give(value: Term) -> Term {
    Term::Return(Box::new(value))
}

pub fn raise(class: Name) -> Term {
    Term::Raise(Some(Box::new(call(class, []))))
}

pub fn attempt(body: Vec<Term>, types: &[Name], handler: Vec<Term>) -> Term {
    Term::Try { body, handlers: vec![(types.to_vec(), handler)], finally: Vec::new() }
}

pub fn finally(body: Vec<Term>, finally: Vec<Term>) -> Term {
    Term::Try { body, handlers: Vec::new(), finally }
}

pub fn with(context: Term, body: Vec<Term>) -> Term {
    Term::With(Box::new(context), body)
}

pub fn define<const N: usize>(name: Name, params: [Name; N], body: Vec<Term>) -> Term {
    Term::Def(Def { name, params: params.to_vec(), decorators: Vec::new(), is_async: false, body })
}

pub fn decorated<const N: usize>(decorator: Term, name: Name, params: [Name; N], body: Vec<Term>) -> Term {
    let decorators = vec![decorator];
    Term::Def(Def { name, params: params.to_vec(), decorators, is_async: false, body })
}

pub fn coroutine<const N: usize>(name: Name, params: [Name; N], body: Vec<Term>) -> Term {
    Term::Def(Def { name, params: params.to_vec(), decorators: Vec::new(), is_async: true, body })
}
