//! Expressions and patterns. Control flow is an expression, as it is in most of the languages gatelint reads; Python never
//! uses the values. A node exists only if at least two languages need it.

use super::operators::Operator;
use super::{Cls, ExprId, Func, ImportId, ListOf, PatId, SiteId, Span, Sym, VarId};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Expr {
    // Values.
    Lit(Lit),
    /// A variable of this function: bound here or captured.
    Var(VarId),
    /// A name that no function of this file binds: a module attribute, an import, a built-in; link decides.
    Free(Sym),
    Field {
        base: ExprId,
        name: Sym,
    },
    Index {
        base: ExprId,
        key: ExprId,
    },
    Call {
        callee: ExprId,
        args: ListOf<Arg>,
        site: SiteId,
    },
    /// `{k: v}`, a keyword record.
    Record(ListOf<Entry>),
    /// List, tuple, set.
    Seq(ListOf<ExprId>),
    /// f-string, template, concatenation of text: n-ary.
    Text(ListOf<ExprId>),
    Op {
        op: Op,
        args: ListOf<ExprId>,
    },
    Not(ExprId),
    /// Short-circuit `and`, n-ary.
    All(ListOf<ExprId>),
    /// Short-circuit `or`, n-ary; also `??`.
    Any(ListOf<ExprId>),
    /// A function as a value: `def`, `lambda`.
    Closure(Func),
    /// A class as a value.
    Class(Cls),
    /// What an import brings.
    Import(ImportId),
    Await(ExprId),
    Yield {
        value: Option<ExprId>,
        delegate: bool,
    },
    /// `*x`, `**x` outside a call.
    Spread(ExprId),
    /// `body` is run, the value is the sequence of all values of `item`, which stands inside `body` (a comprehension).
    Collect {
        body: ExprId,
        item: ExprId,
    },
    /// `value` with a declared type; without a value only the declaration (`x: T`).
    Ascribe {
        value: Option<ExprId>,
        ty: ExprId,
        /// No declaration says so, but the name of what is called and what stands beside it: `from_str::<T>(text)`.
        is_guess: bool,
    },

    // Binding and mutation.
    /// `=`, `let`, walrus, `def`, `class`, `import`: its value is `value`.
    Bind {
        pat: PatId,
        value: ExprId,
    },
    /// Attribute, index, `global` name and augmented assignment; without `value` it deletes `place`.
    Store {
        place: ExprId,
        op: Option<Op>,
        value: Option<ExprId>,
    },

    // Control.
    /// The value is that of the last expression.
    Block(ListOf<ExprId>),
    /// Arms are tested in order.
    If {
        arms: ListOf<IfArm>,
        otherwise: Option<ExprId>,
    },
    Match {
        subject: ExprId,
        arms: ListOf<Arm>,
    },
    /// Indexes `Arenas::loops`.
    Loop(u32),
    /// Indexes `Arenas::tries`.
    Try(u32),
    With {
        context: ExprId,
        pat: Option<PatId>,
        body: ExprId,
        is_async: bool,
    },
    Jump {
        kind: Jump,
        value: Option<ExprId>,
    },
    /// Not understood; the children still show the calls inside.
    Opaque(ListOf<ExprId>),
}

/// Names a loop for `break` and `continue`; unique within its function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u16);

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loop {
    pub label: Label,
    /// `while test`.
    pub test: Option<ExprId>,
    /// `for pat in iterable`.
    pub each: Option<(PatId, ExprId)>,
    pub body: ExprId,
    /// Runs when the loop was not left by `break`.
    pub otherwise: Option<ExprId>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Try {
    pub body: ExprId,
    pub handlers: ListOf<Handler>,
    pub otherwise: Option<ExprId>,
    pub finally: Option<ExprId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    Return,
    Break(Label),
    Continue(Label),
    Raise,
    /// `assert value`; no gate, because it can be compiled away.
    Assert,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lit {
    None,
    Bool(bool),
    Int(i64),
    Str(Sym),
    Bytes(Sym),
    /// A number that is no `i64`, an ellipsis.
    Other,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    pub key: EntryKey,
    pub value: ExprId,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EntryKey {
    Expr(ExprId),
    /// `**value`.
    Spread,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arg {
    pub kind: ArgKind,
    pub value: ExprId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    Positional,
    Named(Sym),
    /// `*value`.
    Spread,
    /// `**value`.
    SpreadNamed,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IfArm {
    pub test: ExprId,
    pub body: ExprId,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arm {
    pub pat: PatId,
    pub guard: Option<ExprId>,
    pub body: ExprId,
    /// From the keyword to the end of the pattern.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Handler {
    /// Empty = catches everything.
    pub types: ListOf<ExprId>,
    pub pat: Option<PatId>,
    pub body: ExprId,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// Also the union of types.
    BitOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    Is,
    IsNot,
    /// `a[lo:hi:step]`; absent parts are `Lit::None`.
    Slice,
    /// What only objects that know how answer to, or what the front end did not read.
    Other(Option<Operator>),
}

impl Op {
    /// What it asks of its first operand.
    pub fn operator(self) -> Option<Operator> {
        Some(match self {
            Op::Add => Operator::Add,
            Op::Sub => Operator::Sub,
            Op::Mul => Operator::Mul,
            Op::Div => Operator::Div,
            Op::Mod => Operator::Rem,
            Op::BitOr => Operator::BitOr,
            Op::Eq => Operator::Eq,
            Op::Ne => Operator::Ne,
            Op::Lt => Operator::Lt,
            Op::Le => Operator::Le,
            Op::Gt => Operator::Gt,
            Op::Ge => Operator::Ge,
            Op::Other(operator) => return operator,
            // The second operand is asked whether it contains the first; the others ask nobody.
            Op::In | Op::NotIn | Op::Is | Op::IsNot | Op::Slice => return None,
        })
    }

    /// What it hands back is true or false.
    pub fn is_test(self) -> bool {
        use Op::{Eq, Ge, Gt, In, Is, IsNot, Le, Lt, Ne, NotIn};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | In | NotIn | Is | IsNot)
    }
}

/// What a value is taken apart into.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pat {
    Wild,
    Var(VarId),
    /// Assigned to an attribute, an index or a `global` name while taking apart.
    Place(ExprId),
    /// Compared for equality: a literal or a dotted constant.
    Value(ExprId),
    Seq {
        items: ListOf<PatId>,
        rest: Option<RestAt>,
    },
    Record {
        items: ListOf<PatField>,
        rest: Option<PatId>,
    },
    Ctor {
        path: ExprId,
        items: ListOf<PatId>,
        named: ListOf<PatField>,
    },
    Or(ListOf<PatId>),
    As {
        pat: PatId,
        var: VarId,
    },
}

/// `*rest` in a sequence pattern: `items[at]` takes what the others leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RestAt(pub u32);

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PatField {
    pub name: Sym,
    pub pat: PatId,
}
