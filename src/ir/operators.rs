//! Operations that run a method although nobody writes a call, and the names of those methods in each language. Data of the
//! profiles; which expressions do them stands in `implied`, which class has such a method is for link to say.

/// An operation that may run a method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// `a + b`; of two classes the second is asked where the first has no answer.
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Rem,
    Pow,
    MatMul,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    DivMod,
    /// `a += b`.
    AddAssign,
    SubAssign,
    MulAssign,
    DivAssign,
    FloorDivAssign,
    RemAssign,
    PowAssign,
    MatMulAssign,
    ShlAssign,
    ShrAssign,
    BitAndAssign,
    BitOrAssign,
    BitXorAssign,
    Neg,
    Pos,
    Invert,
    /// A test that is turned round, where that is an operator.
    Not,
    /// Comparisons; the reflected method is that of the mirrored comparison.
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Which of two comes first, as a sort asks.
    Order,
    Hash,
    /// `a in b`: the container is the operand that is asked.
    Contains,
    /// `a[b]`, read, stored into, deleted; and a key that a mapping lacks.
    Index,
    SetIndex,
    DeleteIndex,
    Missing,
    /// A class with parameters.
    IndexClass,
    /// A value that no member of an enumeration has.
    FindMember,
    Length,
    /// A loop asks for an iterator once, and that for each element.
    Iterate,
    Next,
    IterateAsync,
    NextAsync,
    Reversed,
    /// A managed block.
    Enter,
    Exit,
    EnterAsync,
    ExitAsync,
    Await,
    /// What a test of a value asks.
    Truth,
    /// A value in a text, by its own format or as the language's text of it.
    Format,
    Text,
    Repr,
    Bytes,
    Number,
    Float,
    Complex,
    Absolute,
    Round,
    Floor,
    Ceiling,
    /// A copy, and what is written down of an object.
    Copy,
    DeepCopy,
    Pickle,
    Unpickle,
    /// The end of what is open.
    Close,
    /// A path that an object stands for.
    Path,
    Size,
    LengthHint,
    Dir,
    /// An object that is called.
    Call,
    /// An object that is made: its memory, its constructor, and what runs after a constructor that the language writes.
    Create,
    Construct,
    Initialise,
    /// An object whose fields start as they do by themselves.
    Default,
    /// An attribute, whatever its name, and one that is not found.
    GetAttribute,
    FindAttribute,
    SetAttribute,
    DeleteAttribute,
    /// An object in a class body that answers for an attribute.
    GetDescriptor,
    SetDescriptor,
    DeleteDescriptor,
    NameDescriptor,
    /// A class that is defined below this one, what a class is defined in, what stands for a base, and what asks for its class.
    Subclass,
    Prepare,
    BaseEntries,
    SubclassHook,
    InstanceCheck,
    SubclassCheck,
    /// A value that stands for another one.
    Deref,
    DerefMut,
    /// An error that is handed on becomes the one that the function hands back; the class is that one.
    Try,
    /// The end of a value.
    Drop,
    /// A value that becomes one of the type that is wanted; the class is that one.
    Convert,
    TryConvert,
    Parse,
    /// What an iterator hands out becomes one value of that type.
    Gather,
    Sum,
    Product,
    /// An object that is read from data, and what may be written into.
    Deserialize,
    Write,
}

impl Operator {
    /// `a += b` for `a + b`.
    pub fn in_place(self) -> Option<Self> {
        use Operator::{
            Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
            FloorDiv, FloorDivAssign, MatMul, MatMulAssign, Mul, MulAssign, Pow, PowAssign, Rem, RemAssign,
            Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
        };
        const PAIRS: [(Operator, Operator); 13] = [
            (Add, AddAssign),
            (Sub, SubAssign),
            (Mul, MulAssign),
            (Div, DivAssign),
            (FloorDiv, FloorDivAssign),
            (Rem, RemAssign),
            (Pow, PowAssign),
            (MatMul, MatMulAssign),
            (Shl, ShlAssign),
            (Shr, ShrAssign),
            (BitAnd, BitAndAssign),
            (BitOr, BitOrAssign),
            (BitXor, BitXorAssign),
        ];
        PAIRS.iter().find(|(plain, _)| *plain == self).map(|&(_, in_place)| in_place)
    }
}

/// The methods of one operation. A class that has none of them does not take part in it, or does so without running code.
#[derive(Clone, Copy, Debug)]
pub struct Implicit {
    pub operator: Operator,
    /// In order: the first that the class of the first operand has is run.
    pub methods: &'static [&'static str],
    /// The same for the second operand, where the first one has no answer.
    pub reflected: &'static [&'static str],
}

const fn row(operator: Operator, methods: &'static [&'static str]) -> Implicit {
    Implicit { operator, methods, reflected: &[] }
}

const fn both(
    operator: Operator,
    methods: &'static [&'static str],
    reflected: &'static [&'static str],
) -> Implicit {
    Implicit { operator, methods, reflected }
}

/// The data model of Python.
pub(super) const PYTHON_OPERATORS: &[Implicit] = &[
    both(Operator::Add, &["__add__"], &["__radd__"]),
    both(Operator::Sub, &["__sub__"], &["__rsub__"]),
    both(Operator::Mul, &["__mul__"], &["__rmul__"]),
    both(Operator::Div, &["__truediv__"], &["__rtruediv__"]),
    both(Operator::FloorDiv, &["__floordiv__"], &["__rfloordiv__"]),
    both(Operator::Rem, &["__mod__"], &["__rmod__"]),
    both(Operator::Pow, &["__pow__"], &["__rpow__"]),
    both(Operator::MatMul, &["__matmul__"], &["__rmatmul__"]),
    both(Operator::Shl, &["__lshift__"], &["__rlshift__"]),
    both(Operator::Shr, &["__rshift__"], &["__rrshift__"]),
    both(Operator::BitAnd, &["__and__"], &["__rand__"]),
    both(Operator::BitOr, &["__or__"], &["__ror__"]),
    both(Operator::BitXor, &["__xor__"], &["__rxor__"]),
    both(Operator::DivMod, &["__divmod__"], &["__rdivmod__"]),
    both(Operator::AddAssign, &["__iadd__", "__add__"], &["__radd__"]),
    both(Operator::SubAssign, &["__isub__", "__sub__"], &["__rsub__"]),
    both(Operator::MulAssign, &["__imul__", "__mul__"], &["__rmul__"]),
    both(Operator::DivAssign, &["__itruediv__", "__truediv__"], &["__rtruediv__"]),
    both(Operator::FloorDivAssign, &["__ifloordiv__", "__floordiv__"], &["__rfloordiv__"]),
    both(Operator::RemAssign, &["__imod__", "__mod__"], &["__rmod__"]),
    both(Operator::PowAssign, &["__ipow__", "__pow__"], &["__rpow__"]),
    both(Operator::MatMulAssign, &["__imatmul__", "__matmul__"], &["__rmatmul__"]),
    both(Operator::ShlAssign, &["__ilshift__", "__lshift__"], &["__rlshift__"]),
    both(Operator::ShrAssign, &["__irshift__", "__rshift__"], &["__rrshift__"]),
    both(Operator::BitAndAssign, &["__iand__", "__and__"], &["__rand__"]),
    both(Operator::BitOrAssign, &["__ior__", "__or__"], &["__ror__"]),
    both(Operator::BitXorAssign, &["__ixor__", "__xor__"], &["__rxor__"]),
    row(Operator::Neg, &["__neg__"]),
    row(Operator::Pos, &["__pos__"]),
    row(Operator::Invert, &["__invert__"]),
    both(Operator::Eq, &["__eq__"], &["__eq__"]),
    both(Operator::Ne, &["__ne__", "__eq__"], &["__ne__", "__eq__"]),
    // A class with one of them may have the others made of it.
    both(Operator::Lt, &["__lt__", "__le__", "__gt__", "__ge__"], &["__gt__"]),
    both(Operator::Le, &["__le__", "__lt__", "__gt__", "__ge__"], &["__ge__"]),
    both(Operator::Gt, &["__gt__", "__lt__", "__le__", "__ge__"], &["__lt__"]),
    both(Operator::Ge, &["__ge__", "__lt__", "__le__", "__gt__"], &["__le__"]),
    row(Operator::Hash, &["__hash__"]),
    row(Operator::Contains, &["__contains__", "__iter__", "__getitem__"]),
    row(Operator::Index, &["__getitem__"]),
    row(Operator::IndexClass, &["__class_getitem__"]),
    row(Operator::SetIndex, &["__setitem__"]),
    row(Operator::DeleteIndex, &["__delitem__"]),
    row(Operator::Missing, &["__missing__"]),
    row(Operator::FindMember, &["_missing_"]),
    row(Operator::Length, &["__len__"]),
    row(Operator::Iterate, &["__iter__", "__getitem__"]),
    row(Operator::Next, &["__next__"]),
    row(Operator::IterateAsync, &["__aiter__"]),
    row(Operator::NextAsync, &["__anext__"]),
    row(Operator::Reversed, &["__reversed__"]),
    row(Operator::Enter, &["__enter__"]),
    row(Operator::Exit, &["__exit__"]),
    row(Operator::EnterAsync, &["__aenter__"]),
    row(Operator::ExitAsync, &["__aexit__"]),
    row(Operator::Await, &["__await__"]),
    row(Operator::Truth, &["__bool__", "__len__"]),
    row(Operator::Format, &["__format__", "__str__", "__repr__"]),
    row(Operator::Text, &["__str__", "__repr__"]),
    row(Operator::Repr, &["__repr__"]),
    row(Operator::Bytes, &["__bytes__"]),
    row(Operator::Number, &["__int__", "__index__", "__trunc__"]),
    row(Operator::Float, &["__float__", "__index__"]),
    row(Operator::Complex, &["__complex__", "__float__", "__index__"]),
    row(Operator::Copy, &["__copy__", "__reduce_ex__", "__reduce__", "__getstate__"]),
    row(Operator::DeepCopy, &["__deepcopy__", "__reduce_ex__", "__reduce__", "__getstate__"]),
    row(Operator::Pickle, &["__reduce_ex__", "__reduce__", "__getstate__"]),
    row(Operator::Unpickle, &["__setstate__"]),
    row(Operator::Close, &["close", "aclose"]),
    row(Operator::Write, &["write"]),
    row(Operator::Path, &["__fspath__"]),
    row(Operator::Size, &["__sizeof__"]),
    row(Operator::LengthHint, &["__length_hint__", "__len__"]),
    row(Operator::Dir, &["__dir__"]),
    row(Operator::Absolute, &["__abs__"]),
    row(Operator::Round, &["__round__"]),
    row(Operator::Floor, &["__floor__", "__float__"]),
    row(Operator::Ceiling, &["__ceil__", "__float__"]),
    row(Operator::Call, &["__call__"]),
    row(Operator::Create, &["__new__"]),
    row(Operator::Construct, &["__init__"]),
    row(Operator::Initialise, &["__post_init__"]),
    row(Operator::GetAttribute, &["__getattribute__"]),
    row(Operator::FindAttribute, &["__getattr__"]),
    row(Operator::SetAttribute, &["__setattr__"]),
    row(Operator::DeleteAttribute, &["__delattr__"]),
    row(Operator::GetDescriptor, &["__get__"]),
    row(Operator::SetDescriptor, &["__set__"]),
    row(Operator::DeleteDescriptor, &["__delete__"]),
    row(Operator::NameDescriptor, &["__set_name__"]),
    row(Operator::Subclass, &["__init_subclass__"]),
    row(Operator::Prepare, &["__prepare__"]),
    row(Operator::BaseEntries, &["__mro_entries__"]),
    row(Operator::SubclassHook, &["__subclasshook__"]),
    row(Operator::InstanceCheck, &["__instancecheck__"]),
    row(Operator::SubclassCheck, &["__subclasscheck__"]),
    row(Operator::Drop, &["__del__"]),
];

/// The traits of Rust's operators, by their methods. A trait that says no more than what a type is has none.
pub(super) const RUST_OPERATORS: &[Implicit] = &[
    row(Operator::Add, &["add"]),
    row(Operator::Sub, &["sub"]),
    row(Operator::Mul, &["mul"]),
    row(Operator::Div, &["div"]),
    row(Operator::Rem, &["rem"]),
    row(Operator::Shl, &["shl"]),
    row(Operator::Shr, &["shr"]),
    row(Operator::BitAnd, &["bitand"]),
    row(Operator::BitOr, &["bitor"]),
    row(Operator::BitXor, &["bitxor"]),
    row(Operator::AddAssign, &["add_assign"]),
    row(Operator::SubAssign, &["sub_assign"]),
    row(Operator::MulAssign, &["mul_assign"]),
    row(Operator::DivAssign, &["div_assign"]),
    row(Operator::RemAssign, &["rem_assign"]),
    row(Operator::ShlAssign, &["shl_assign"]),
    row(Operator::ShrAssign, &["shr_assign"]),
    row(Operator::BitAndAssign, &["bitand_assign"]),
    row(Operator::BitOrAssign, &["bitor_assign"]),
    row(Operator::BitXorAssign, &["bitxor_assign"]),
    row(Operator::Neg, &["neg"]),
    row(Operator::Not, &["not"]),
    row(Operator::Eq, &["eq"]),
    row(Operator::Ne, &["ne", "eq"]),
    row(Operator::Lt, &["lt", "partial_cmp", "cmp"]),
    row(Operator::Le, &["le", "partial_cmp", "cmp"]),
    row(Operator::Gt, &["gt", "partial_cmp", "cmp"]),
    row(Operator::Ge, &["ge", "partial_cmp", "cmp"]),
    row(Operator::Order, &["cmp", "partial_cmp"]),
    row(Operator::Hash, &["hash"]),
    row(Operator::Index, &["index"]),
    row(Operator::SetIndex, &["index_mut"]),
    row(Operator::Iterate, &["into_iter"]),
    row(Operator::Next, &["next"]),
    row(Operator::Await, &["into_future", "poll"]),
    row(Operator::Format, &["fmt"]),
    row(Operator::Text, &["to_string", "fmt"]),
    row(Operator::Repr, &["fmt"]),
    row(Operator::Default, &["default"]),
    row(Operator::Deref, &["deref"]),
    row(Operator::DerefMut, &["deref_mut"]),
    // What a value does not have itself, what it stands for has.
    row(Operator::FindAttribute, &["deref"]),
    row(Operator::Try, &["from"]),
    row(Operator::Drop, &["drop"]),
    row(Operator::Reversed, &["next_back"]),
    row(Operator::Copy, &["clone"]),
    row(Operator::Convert, &["from"]),
    row(Operator::TryConvert, &["try_from"]),
    row(Operator::Parse, &["from_str"]),
    row(Operator::Gather, &["from_iter"]),
    row(Operator::Sum, &["sum"]),
    row(Operator::Product, &["product"]),
    row(Operator::Deserialize, &["deserialize"]),
    row(Operator::Pickle, &["serialize"]),
    row(Operator::Write, &["write_fmt", "write_str", "write_all", "write"]),
];

/// An operation that the compiler, or a macro of a type, writes out: each part of an object is asked the same.
pub(super) type Derived = (Operator, &'static [&'static str]);

/// By the names that stand in `#[derive(…)]`; without one, every type has it.
pub(super) const RUST_DERIVED: &[Derived] = &[
    (Operator::Drop, &[]),
    (Operator::Copy, &["Clone"]),
    (Operator::Eq, &["PartialEq"]),
    (Operator::Ne, &["PartialEq"]),
    (Operator::Lt, &["PartialOrd"]),
    (Operator::Le, &["PartialOrd"]),
    (Operator::Gt, &["PartialOrd"]),
    (Operator::Ge, &["PartialOrd"]),
    (Operator::Order, &["Ord"]),
    (Operator::Hash, &["Hash"]),
    (Operator::Format, &["Debug"]),
    (Operator::Repr, &["Debug"]),
    (Operator::Default, &["Default"]),
    (Operator::Deserialize, &["Deserialize"]),
    (Operator::Pickle, &["Serialize"]),
];
