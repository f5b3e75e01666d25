//! The keys of the configuration. A new setting is a line here, a field in `raw`, and whoever reads it.

use super::shape::{Fields, Key, Shape, Text};
use Shape::{Flag, Index, Map, Named, Table, Tables, Text as One, Texts};

pub const LEVELS: &[&str] = &["off", "note", "warning", "error"];
pub const SENSITIVITIES: &[&str] = &["internal_source", "external"];
pub const IRREVERSIBILITIES: &[&str] =
    &["read_only", "creates_state", "modifies_state", "irreversible", "costs_money"];
const EFFECTS: &[&str] = &["network", "process", "storage", "file", "hardware", "llm", "comm"];
const ACCESSES: &[&str] = &["open", "read", "write", "sql"];
const REGISTERS: &[&str] = &["tool", "command"];
const LOADS: &[&str] = &["module", "attribute", "code", "file", "data"];
const CONFIDENCES: &[&str] = &["low", "medium", "high"];

/// `gatelint.toml`, or the table `[tool.gatelint]`.
pub const CONFIG: Fields = Fields::new(&[
    Key::new("extends", Texts(Text::Preset), "presets whose settings come first; this file adds to them"),
    Key::new("exclude", Texts(Text::Glob), "what is not scanned"),
    Key::new("layers", Table(LAYERS), "which files play which role"),
    Key::new("planning", Table(PLANNING), "which functions plan"),
    Key::new("gates", Table(GATES), "what approves, and what has to be approved"),
    Key::new("fence", Table(FENCE), "how content from outside is marked"),
    Key::new(
        "handlers",
        Table(HANDLERS),
        "how commands of the comm layer are registered, besides the known ways",
    ),
    Key::new("capture", Table(CAPTURE), "what records declared needs"),
    Key::new("audit", Table(AUDIT), "what writes the audit trail"),
    Key::new("workspace", Table(WORKSPACE), "where an agent may touch files"),
    Key::new("tools", Named(TOOL), "the tools of the agent, by name"),
    Key::new("prompts", Table(PROMPTS), "text files with declarations"),
    Key::new("baseline", Table(BASELINE), "findings that are known"),
    Key::new("rules", Table(RULES), "rules of your own, besides `--rules`"),
    Key::new(
        "levels",
        Tables(LEVEL),
        "how severe a rule is in a part of the project, or that it is off there",
    ),
    Key::new("effect", Tables(EFFECT), "calls and modules that reach the outside world"),
    Key::new(
        "returns",
        Tables(RETURNS),
        "library calls that hand back an object although their name does not say so",
    ),
    Key::new("alias", Tables(ALIAS), "two names of one library function or module"),
    Key::new("callback", Tables(CALLBACK), "library functions that run the functions they are given"),
    Key::new("loader", Tables(LOADER), "library functions that load code, or reach a name, by a value"),
    Key::new(
        "registration",
        Tables(REGISTRATION),
        "how commands and tools are registered, besides the known ways",
    ),
]);

const LAYERS: Fields = Fields::new(&[
    Key::new("comm", Texts(Text::Glob), "the sanctioned channel to the outside; replaces the default globs"),
    Key::new("operator", Texts(Text::Glob), "run by people, not by the agent"),
    Key::new("storage", Texts(Text::Glob), "may touch storage"),
    Key::new("llm", Texts(Text::Glob), "talks to model providers"),
]);

const PLANNING: Fields = Fields::new(&[
    Key::new("functions", Texts(Text::Name), "functions that plan, whatever they are called"),
    Key::new("not_functions", Texts(Text::Name), "functions that do not plan, although they are called so"),
]);

const GATES: Fields = Fields::new(&[
    Key::new("phase", Table(PHASE), "gates that let only the execution phase pass"),
    Key::new("action", Table(ACTION), "gates that approve single actions"),
]);

const PHASE: Fields = Fields::new(&[Key::new(
    "check",
    Texts(Text::Name),
    "functions that return only in the execution phase, besides those that are recognised",
)]);

const ACTION: Fields = Fields::new(&[
    Key::new(
        "check",
        Texts(Text::Name),
        "functions that judge whether an action may run, besides those that are recognised",
    ),
    Key::new(
        "executors",
        Texts(Text::Name),
        "functions that run a tool or skill, so a gate must stand before them",
    ),
    Key::new("gated_executors", Texts(Text::Name), "executors that somebody else has gated"),
    Key::new("meta_tools", Texts(Text::Words), "tools that need no gate, by name"),
]);

const FENCE: Fields = Fields::new(&[Key::new(
    "markers",
    Texts(Text::Words),
    "texts that mark content as untrusted, besides the built-in one",
)]);

const HANDLERS: Fields = Fields::new(&[
    Key::new("namespaces", Texts(Text::Words), "what the names of commands begin with"),
    Key::new("namespace", Texts(Text::Words), "attributes and keywords that hold the namespace of a command"),
    Key::new("name", Texts(Text::Words), "attributes and keywords that hold the name of a command"),
    Key::new("function", Texts(Text::Words), "keywords and keys that hold the function"),
    Key::new("methods", Texts(Text::Words), "methods that run a command object"),
    Key::new("calls", Texts(Text::Words), "last names of functions and classes that register a command"),
    Key::new("decorators", Texts(Text::Words), "last names of decorators that register a command"),
]);

const CAPTURE: Fields = Fields::new(&[Key::new(
    "functions",
    Texts(Text::Name),
    "functions that record declared needs and run nothing",
)]);

const AUDIT: Fields = Fields::new(&[Key::new(
    "writers",
    Texts(Text::Name),
    "functions that write the audit trail; calling them is no effect",
)]);

const WORKSPACE: Fields = Fields::new(&[Key::new(
    "paths",
    Texts(Text::Folder),
    "folders in which files may be read, written and deleted",
)]);

const TOOL: Fields = Fields {
    keys: &[
        Key::new(
            "sensitivity",
            One(Text::OneOf(SENSITIVITIES)),
            "whether the tool reads what must stay inside, or reaches outside",
        ),
        Key::new(
            "blocked",
            Flag,
            "false for an external tool that may be called after internal data was read",
        ),
        Key::new(
            "irreversibility",
            One(Text::OneOf(IRREVERSIBILITIES)),
            "what calling the tool does that cannot be taken back, for gates of actions",
        ),
    ],
    one_of: &["sensitivity", "blocked", "irreversibility"],
    implies: &[],
};

const PROMPTS: Fields =
    Fields::new(&[Key::new("files", Texts(Text::Glob), "text files in which declarations are checked")]);

const BASELINE: Fields = Fields::new(&[Key::new(
    "file",
    One(Text::Inside),
    "the file that `gatelint baseline write` makes and every check reads, relative to the project root",
)
.required()]);

const RULES: Fields = Fields::new(&[Key::new(
    "paths",
    Texts(Text::Inside),
    "folders with rule files, relative to the project root",
)]);

const LEVEL: Fields = Fields::new(&[
    Key::new("paths", Texts(Text::Glob), "the files in question").required(),
    Key::new("rules", Map(Text::Rule, Text::OneOf(LEVELS)), "rules by id or name, each with its level there")
        .required(),
    Key::new("reason", One(Text::Words), "why, for whoever reads the report").required(),
]);

const EFFECT: Fields = Fields {
    keys: &[
        Key::new("kind", One(Text::OneOf(EFFECTS)), "what it does").required(),
        Key::new("call", Texts(Text::Pattern), "library functions whose call is the effect, by dotted path"),
        Key::new("except", Texts(Text::Pattern), "functions that `call` matches and that are none after all"),
        Key::new("module", Texts(Text::Path), "modules whose import is reported"),
        Key::new("except_module", Texts(Text::Path), "parts of them that hold only types or constants"),
        Key::new(
            "name",
            Texts(Text::Pattern),
            "`receiver.method` where the receiver is known by its name alone",
        ),
        Key::new(
            "parameter",
            Texts(Text::Pattern),
            "the same, for parameters that the caller may fill with anything",
        ),
        Key::new("callee", Texts(Text::Name), "names of functions for which an argument decides"),
        Key::new("argument", Table(ARGUMENT), "narrows the effect by one argument"),
        Key::new("access", One(Text::OneOf(ACCESSES)), "what it does to storage; `sql`: the statement tells"),
        Key::new("confidence", One(Text::OneOf(CONFIDENCES)), "how sure it is; `high` unless said otherwise"),
    ],
    one_of: &["call", "module", "name", "parameter", "callee"],
    implies: &[("callee", "argument"), ("except", "call"), ("except_module", "module")],
};

const ARGUMENT: Fields = Fields {
    keys: &[
        Key::new("index", Index, "its position"),
        Key::new("name", One(Text::Path), "its keyword"),
        Key::new("receiver", Flag, "the receiver of the method is meant, not an argument"),
        Key::new("present", Flag, "whether it is given"),
        Key::new("outside", Flag, "it is a path that leads out of the workspace"),
        Key::new("string", Flag, "whether it is constant text"),
        Key::new("not", Texts(Text::Exact), "it is none of these"),
        Key::new("starts", Texts(Text::Words), "it starts with one of these"),
    ],
    one_of: &["index", "name", "receiver"],
    implies: &[],
};

const RETURNS: Fields = Fields::new(&[
    Key::new("call", Texts(Text::Pattern), "library functions").required(),
    Key::new("type", One(Text::Path), "the class of what they hand back").required(),
]);

const ALIAS: Fields = Fields::new(&[
    Key::new("path", One(Text::Pattern), "as the code spells it; `.*` at its end means a whole module")
        .required(),
    Key::new("is", One(Text::Pattern), "as the catalogue knows it").required(),
]);

const CALLBACK: Fields = Fields {
    keys: &[
        Key::new("call", Texts(Text::Pattern), "library functions"),
        Key::new("name", Texts(Text::Name), "names that say enough where the receiver is not known"),
        Key::new("runs", Tables(RUNS), "which of their arguments they run"),
        Key::new("forwards", Flag, "the other arguments are handed to the function that is run"),
        Key::new("result", One(Text::OneOf(&["callable", "called", "argument"])), "what the call hands back"),
    ],
    one_of: &["call", "name"],
    implies: &[],
};

const LOADER: Fields = Fields::new(&[
    Key::new("call", Texts(Text::Pattern), "library functions").required(),
    Key::new("of", One(Text::OneOf(LOADS)), "what the value names").required(),
    Key::new("argument", Table(ARGUMENT), "the value; without it the function knows what to load"),
]);

const REGISTRATION: Fields = Fields {
    keys: &[
        Key::new("framework", One(Text::Words), "whose way it is; as the inventory shows it"),
        Key::new("kind", One(Text::OneOf(REGISTERS)), "what it registers; `tool` unless said otherwise"),
        Key::new("decorator", Texts(Text::Pattern), "decorators that register, by dotted path"),
        Key::new("decorator_name", Texts(Text::Name), "the same, where the name alone says enough"),
        Key::new("base", Texts(Text::Pattern), "classes whose subclasses are registered, by dotted path"),
        Key::new("base_name", Texts(Text::Name), "the same, where the name alone says enough"),
        Key::new("methods", Texts(Text::Name), "what is called of such a class, the usual one first"),
        Key::new("call", Texts(Text::Pattern), "calls that register, by dotted path"),
        Key::new(
            "call_name",
            Texts(Text::Pattern),
            "the same as `receiver.method`, where the names alone say enough",
        ),
        Key::new("argument", Tables(GIVEN), "the function that such a call is given, or a list of functions"),
        Key::new("named", Texts(Text::Words), "keywords and attributes that hold the name, besides `name`"),
        Key::new("named_at", Index, "the position of the name"),
        Key::new("list", Flag, "the argument is a list, and a name beside it is not theirs"),
        Key::new("dispatches", Flag, "the function is given the name of a tool and runs it"),
    ],
    one_of: &["decorator", "decorator_name", "base", "base_name", "call", "call_name"],
    implies: &[
        ("base", "methods"),
        ("base_name", "methods"),
        ("call", "argument"),
        ("call_name", "argument"),
    ],
};

const GIVEN: Fields = Fields {
    keys: &[Key::new("index", Index, "its position"), Key::new("name", One(Text::Path), "its keyword")],
    one_of: &["index", "name"],
    implies: &[],
};

const RUNS: Fields = Fields {
    keys: &[
        Key::new("index", Index, "its position"),
        Key::new("name", One(Text::Path), "its keyword"),
        Key::new("when", One(Text::OneOf(&["now", "later"])), "`now`, unless said otherwise"),
    ],
    one_of: &["index", "name"],
    implies: &[],
};
