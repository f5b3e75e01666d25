//! The node kinds of Python: the names that tree-sitter-python gives its nodes, said once. Everything else in this front end
//! speaks of `Kind`.

use crate::frontend::tree::{self, Role};
use crate::parallel::Lazy;

/// Makes the enum and the way from the grammar's names to it. A node is kept with its children, a leaf without.
macro_rules! kinds {
    (
        statements { $($statement:ident = $statement_name:literal,)* }
        expressions { $($expression:ident = $expression_name:literal,)* }
        parts { $($part:ident = $part_name:literal,)* }
        leaf_statements { $($leaf_statement:ident = $leaf_statement_name:literal,)* }
        leaf_expressions { $($leaf_expression:ident = $leaf_expression_name:literal,)* }
        leaf_parts { $($leaf_part:ident = $leaf_part_name:literal,)* }
        tokens { $($token:ident = $text:literal,)* }
    ) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kind {
            Error,
            String,
            Attribute,
            Type,
            ArgumentList,
            $($statement,)* $($expression,)* $($part,)*
            $($leaf_statement,)* $($leaf_expression,)* $($leaf_part,)*
            $($token,)*
        }

        impl Kind {
            pub(super) fn is_statement(self) -> bool {
                matches!(self, $(Kind::$statement)|* $(| Kind::$leaf_statement)*)
            }

            /// What `Lowerer::expression` gives a meaning.
            pub(super) fn is_expression(self) -> bool {
                matches!(self, Kind::String | Kind::Attribute | Kind::Type)
                    || matches!(self, $(Kind::$expression)|* $(| Kind::$leaf_expression)*)
            }

            /// A token that is kept only for what it says about its parent.
            pub(super) fn is_token(self) -> bool {
                matches!(self, $(Kind::$token)|*)
            }
        }

        fn named(name: &str) -> Role<Kind> {
            match name {
                "comment" => Role::Comment,
                "line_continuation" => Role::Trivia,
                "string" => Role::Maybe(Kind::String, is_template),
                "attribute" => Role::Maybe(Kind::Attribute, is_not_dotted),
                "type" => Role::Maybe(Kind::Type, is_not_dotted),
                "argument_list" => Role::Maybe(Kind::ArgumentList, is_not_empty),
                $($statement_name => Role::Node(Kind::$statement),)*
                $($expression_name => Role::Node(Kind::$expression),)*
                $($part_name => Role::Node(Kind::$part),)*
                $($leaf_statement_name => Role::Leaf(Kind::$leaf_statement),)*
                $($leaf_expression_name => Role::Leaf(Kind::$leaf_expression),)*
                $($leaf_part_name => Role::Leaf(Kind::$leaf_part),)*
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
    statements {
        Assert = "assert_statement",
        Block = "block",
        ClassDefinition = "class_definition",
        DecoratedDefinition = "decorated_definition",
        Delete = "delete_statement",
        Exec = "exec_statement",
        ExpressionStatement = "expression_statement",
        For = "for_statement",
        FunctionDefinition = "function_definition",
        FutureImport = "future_import_statement",
        Global = "global_statement",
        If = "if_statement",
        Import = "import_statement",
        ImportFrom = "import_from_statement",
        Match = "match_statement",
        Nonlocal = "nonlocal_statement",
        Print = "print_statement",
        Raise = "raise_statement",
        Return = "return_statement",
        Try = "try_statement",
        TypeAlias = "type_alias_statement",
        While = "while_statement",
        With = "with_statement",
    }
    expressions {
        AsPattern = "as_pattern",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        Await = "await",
        Binary = "binary_operator",
        Boolean = "boolean_operator",
        Call = "call",
        Comparison = "comparison_operator",
        ConcatenatedString = "concatenated_string",
        Conditional = "conditional_expression",
        Dictionary = "dictionary",
        DictionaryComprehension = "dictionary_comprehension",
        ExpressionList = "expression_list",
        GeneratorExpression = "generator_expression",
        GenericType = "generic_type",
        Lambda = "lambda",
        List = "list",
        ListComprehension = "list_comprehension",
        ListPattern = "list_pattern",
        ListSplat = "list_splat",
        ListSplatPattern = "list_splat_pattern",
        NamedExpression = "named_expression",
        Not = "not_operator",
        Parenthesized = "parenthesized_expression",
        ParenthesizedListSplat = "parenthesized_list_splat",
        PatternList = "pattern_list",
        Set = "set",
        SetComprehension = "set_comprehension",
        Slice = "slice",
        Subscript = "subscript",
        Tuple = "tuple",
        TuplePattern = "tuple_pattern",
        Unary = "unary_operator",
        UnionType = "union_type",
        Yield = "yield",
    }
    parts {
        AliasedImport = "aliased_import",
        AsPatternTarget = "as_pattern_target",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        Chevron = "chevron",
        ClassPattern = "class_pattern",
        ComplexPattern = "complex_pattern",
        ConstrainedType = "constrained_type",
        Decorator = "decorator",
        DefaultParameter = "default_parameter",
        DictPattern = "dict_pattern",
        DictionarySplat = "dictionary_splat",
        DictionarySplatPattern = "dictionary_splat_pattern",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        ExceptClause = "except_clause",
        FinallyClause = "finally_clause",
        ForInClause = "for_in_clause",
        FormatExpression = "format_expression",
        FormatSpecifier = "format_specifier",
        IfClause = "if_clause",
        Interpolation = "interpolation",
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        LambdaParameters = "lambda_parameters",
        MemberType = "member_type",
        Module = "module",
        Pair = "pair",
        Parameters = "parameters",
        RelativeImport = "relative_import",
        SplatPattern = "splat_pattern",
        SplatType = "splat_type",
        TypeParameter = "type_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        TypedParameter = "typed_parameter",
        UnionPattern = "union_pattern",
        WithClause = "with_clause",
        WithItem = "with_item",
    }
    leaf_statements {
        Break = "break_statement",
        Continue = "continue_statement",
        Pass = "pass_statement",
    }
    leaf_expressions {
        Ellipsis = "ellipsis",
        False = "false",
        Float = "float",
        Identifier = "identifier",
        Integer = "integer",
        None = "none",
        True = "true",
    }
    leaf_parts {
        DottedName = "dotted_name",
        ImportPrefix = "import_prefix",
        KeywordSeparator = "keyword_separator",
        PositionalSeparator = "positional_separator",
        StringContent = "string_content",
        StringEnd = "string_end",
        StringStart = "string_start",
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

impl tree::Kind for Kind {
    const ERROR: Self = Kind::Error;

    fn role(name: &str, is_named: bool) -> Role<Self> {
        if is_named { named(name) } else { token(name) }
    }

    fn roles() -> &'static Lazy<Vec<Role<Self>>> {
        static ROLES: Lazy<Vec<Role<Kind>>> = Lazy::new();
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
