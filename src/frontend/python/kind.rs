//! The node kinds of Python: the names that tree-sitter-python gives its nodes, said once. Everything else in this front end
//! speaks of `Kind`.

use std::sync::OnceLock;

use crate::frontend::tree::{self, Role};

macro_rules! kinds {
    (nodes { $($node:ident = $name:literal,)* } leaves { $($leaf:ident = $leaf_name:literal,)* }
     tokens { $($token:ident = $text:literal,)* }) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kind {
            Error,
            String,
            Attribute,
            Type,
            ArgumentList,
            $($node,)*
            $($leaf,)*
            $($token,)*
        }

        fn named(name: &str) -> Role<Kind> {
            match name {
                "comment" => Role::Comment,
                "line_continuation" => Role::Trivia,
                "string" => Role::Maybe(Kind::String, is_template),
                "attribute" => Role::Maybe(Kind::Attribute, is_not_dotted),
                "type" => Role::Maybe(Kind::Type, is_not_dotted),
                "argument_list" => Role::Maybe(Kind::ArgumentList, is_not_empty),
                $($name => Role::Node(Kind::$node),)*
                $($leaf_name => Role::Leaf(Kind::$leaf),)*
                _ => Role::Token,
            }
        }

        fn token(text: &str) -> Role<Kind> {
            match text {
                $($text => Role::Leaf(Kind::$token),)*
                _ => Role::Token,
            }
        }
    };
}

kinds! {
    nodes {
        AliasedImport = "aliased_import",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        Assert = "assert_statement",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        Await = "await",
        Binary = "binary_operator",
        Block = "block",
        Boolean = "boolean_operator",
        Call = "call",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        Chevron = "chevron",
        ClassDefinition = "class_definition",
        ClassPattern = "class_pattern",
        Comparison = "comparison_operator",
        ComplexPattern = "complex_pattern",
        ConcatenatedString = "concatenated_string",
        Conditional = "conditional_expression",
        ConstrainedType = "constrained_type",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        DefaultParameter = "default_parameter",
        Delete = "delete_statement",
        DictPattern = "dict_pattern",
        Dictionary = "dictionary",
        DictionaryComprehension = "dictionary_comprehension",
        DictionarySplat = "dictionary_splat",
        DictionarySplatPattern = "dictionary_splat_pattern",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        ExceptClause = "except_clause",
        Exec = "exec_statement",
        ExpressionList = "expression_list",
        ExpressionStatement = "expression_statement",
        FinallyClause = "finally_clause",
        ForInClause = "for_in_clause",
        For = "for_statement",
        FormatExpression = "format_expression",
        FormatSpecifier = "format_specifier",
        FunctionDefinition = "function_definition",
        FutureImport = "future_import_statement",
        GeneratorExpression = "generator_expression",
        GenericType = "generic_type",
        Global = "global_statement",
        IfClause = "if_clause",
        If = "if_statement",
        ImportFrom = "import_from_statement",
        Import = "import_statement",
        Interpolation = "interpolation",
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        Lambda = "lambda",
        LambdaParameters = "lambda_parameters",
        List = "list",
        ListComprehension = "list_comprehension",
        ListPattern = "list_pattern",
        ListSplat = "list_splat",
        ListSplatPattern = "list_splat_pattern",
        Match = "match_statement",
        MemberType = "member_type",
        Module = "module",
        NamedExpression = "named_expression",
        Nonlocal = "nonlocal_statement",
        Not = "not_operator",
        Pair = "pair",
        Parameters = "parameters",
        Parenthesized = "parenthesized_expression",
        ParenthesizedListSplat = "parenthesized_list_splat",
        PatternList = "pattern_list",
        Print = "print_statement",
        Raise = "raise_statement",
        RelativeImport = "relative_import",
        Return = "return_statement",
        Set = "set",
        SetComprehension = "set_comprehension",
        Slice = "slice",
        SplatPattern = "splat_pattern",
        SplatType = "splat_type",
        Subscript = "subscript",
        Try = "try_statement",
        Tuple = "tuple",
        TuplePattern = "tuple_pattern",
        TypeAlias = "type_alias_statement",
        TypeParameter = "type_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        TypedParameter = "typed_parameter",
        Unary = "unary_operator",
        UnionPattern = "union_pattern",
        UnionType = "union_type",
        While = "while_statement",
        WithClause = "with_clause",
        WithItem = "with_item",
        With = "with_statement",
        Yield = "yield",
    }
    leaves {
        Break = "break_statement",
        Continue = "continue_statement",
        DottedName = "dotted_name",
        Ellipsis = "ellipsis",
        False = "false",
        Float = "float",
        Identifier = "identifier",
        ImportPrefix = "import_prefix",
        Integer = "integer",
        KeywordSeparator = "keyword_separator",
        None = "none",
        Pass = "pass_statement",
        PositionalSeparator = "positional_separator",
        StringContent = "string_content",
        StringEnd = "string_end",
        StringStart = "string_start",
        True = "true",
        TypeConversion = "type_conversion",
        WildcardImport = "wildcard_import",
    }
    tokens {
        AddAssign = "+=",
        Amp = "&",
        AmpAssign = "&=",
        And = "and",
        As = "as",
        Assign = "=",
        Async = "async",
        At = "@",
        AtAssign = "@=",
        Bar = "|",
        BarAssign = "|=",
        Caret = "^",
        CaretAssign = "^=",
        Colon = ":",
        Comma = ",",
        DivAssign = "/=",
        Eq = "==",
        FloorDiv = "//",
        FloorDivAssign = "//=",
        From = "from",
        Ge = ">=",
        Gt = ">",
        In = "in",
        Is = "is",
        IsNot = "is not",
        Le = "<=",
        Lt = "<",
        Minus = "-",
        ModAssign = "%=",
        MulAssign = "*=",
        Ne = "!=",
        NeOld = "<>",
        NotIn = "not in",
        Or = "or",
        Percent = "%",
        Plus = "+",
        Power = "**",
        PowerAssign = "**=",
        ShiftLeft = "<<",
        ShiftLeftAssign = "<<=",
        ShiftRight = ">>",
        ShiftRightAssign = ">>=",
        Slash = "/",
        Star = "*",
        SubAssign = "-=",
        Tilde = "~",
        Underscore = "_",
    }
}

impl Kind {
    pub(super) fn is_statement(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Assert
                | Block
                | Break
                | ClassDefinition
                | Continue
                | DecoratedDefinition
                | Delete
                | Exec
                | ExpressionStatement
                | For
                | FunctionDefinition
                | FutureImport
                | Global
                | If
                | Import
                | ImportFrom
                | Match
                | Nonlocal
                | Pass
                | Print
                | Raise
                | Return
                | Try
                | TypeAlias
                | While
                | With
        )
    }

    /// What `Lowerer::expression` gives a meaning.
    pub(super) fn is_expression(self) -> bool {
        use Kind::*;
        matches!(
            self,
            AsPattern
                | Assignment
                | Attribute
                | AugmentedAssignment
                | Await
                | Binary
                | Boolean
                | Call
                | Comparison
                | ConcatenatedString
                | Conditional
                | Dictionary
                | DictionaryComprehension
                | Ellipsis
                | ExpressionList
                | False
                | Float
                | GeneratorExpression
                | GenericType
                | Identifier
                | Integer
                | Lambda
                | List
                | ListComprehension
                | ListPattern
                | ListSplat
                | ListSplatPattern
                | NamedExpression
                | None
                | Not
                | Parenthesized
                | ParenthesizedListSplat
                | PatternList
                | Set
                | SetComprehension
                | Slice
                | String
                | Subscript
                | True
                | Tuple
                | TuplePattern
                | Type
                | Unary
                | UnionType
                | Yield
        )
    }

    /// A token that is kept only for what it says about its parent.
    pub(super) fn is_token(self) -> bool {
        self as u8 >= Kind::AddAssign as u8
    }
}

impl tree::Kind for Kind {
    const ERROR: Self = Kind::Error;

    fn role(name: &str, is_named: bool) -> Role<Self> {
        if is_named { named(name) } else { token(name) }
    }

    fn roles() -> &'static OnceLock<Vec<Role<Self>>> {
        static ROLES: OnceLock<Vec<Role<Kind>>> = OnceLock::new();
        &ROLES
    }

    fn holds_statements(self) -> bool {
        matches!(self, Kind::Module | Kind::Block)
    }
}

/// Only f-strings and t-strings can hold code; the content of others is decoded from the text.
fn is_template(text: &[u8]) -> bool {
    text.iter().take_while(|b| b.is_ascii_alphabetic()).any(|b| matches!(b, b'f' | b'F' | b't' | b'T'))
}

fn is_not_dotted(text: &[u8]) -> bool {
    text.first().is_none_or(|b| b.is_ascii_digit() || *b == b'.')
        || text.iter().any(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'.'))
}

fn is_not_empty(text: &[u8]) -> bool {
    text != b"()"
}
