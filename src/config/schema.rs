//! The shape of the configuration: one function per table, each taking what it knows and reporting the rest.
//! It walks the spanned TOML tree by hand instead of deserialising, since a reader wants to see every mistake of the
//! file at once and serde stops at the first.

use std::ops::Range;

use globset::{Glob, GlobSet, GlobSetBuilder};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Planning;
use super::diagnostic::{Mistake, nearest};
use super::layers::{COMM_DEFAULTS, Layer, Layers, LayersBuilder, TEST_DEFAULTS, compile};
use super::names::NamePattern;

/// What a file configures.
#[derive(Debug, Default)]
pub struct Settings {
    pub layers: Layers,
    pub exclude: GlobSet,
    pub planning: Planning,
}

/// Keys that the design names and later versions read; they get a better answer than "unknown".
const LATER: &[&str] = &[
    "extends",
    "gates",
    "fence",
    "capture",
    "audit",
    "workspace",
    "tools",
    "prompts",
    "levels",
    "effect",
    "gate",
];

/// `table` is the whole of `gatelint.toml`, or `[tool.gatelint]`.
pub fn read(table: &DeTable<'_>, mistakes: &mut Vec<Mistake>) -> Settings {
    let mut reader = Reader { mistakes };
    reader.only(table, &["exclude", "layers", "planning"], "");
    let exclude = reader.list(table, "exclude", glob);
    let layers = reader.table(table, "layers").map(|table| reader.layers(table));
    let planning = reader.table(table, "planning").map(|table| reader.planning(table));
    Settings {
        layers: layers.unwrap_or_default(),
        exclude: set(exclude.unwrap_or_default()),
        planning: planning.unwrap_or_default(),
    }
}

struct Reader<'m> {
    mistakes: &'m mut Vec<Mistake>,
}

/// What is wrong with a string: message, label, help.
type Wrong = (String, &'static str, &'static str);

impl Reader<'_> {
    fn layers(&mut self, table: &DeTable<'_>) -> Layers {
        self.only(table, &["comm", "operator", "storage", "llm"], "layers.");
        let mut builder = LayersBuilder::new();
        match self.list(table, "comm", glob) {
            Some(globs) => builder.add(Layer::Comm, globs.concat()),
            None => builder.add_defaults(Layer::Comm, COMM_DEFAULTS),
        }
        for layer in [Layer::Operator, Layer::Storage, Layer::Llm] {
            builder.add(layer, self.list(table, layer.name(), glob).unwrap_or_default().concat());
        }
        builder.add_defaults(Layer::Test, TEST_DEFAULTS);
        builder.build()
    }

    fn planning(&mut self, table: &DeTable<'_>) -> Planning {
        self.only(table, &["functions", "not_functions"], "planning.");
        Planning {
            functions: self.list(table, "functions", name).unwrap_or_default(),
            not_functions: self.list(table, "not_functions", name).unwrap_or_default(),
        }
    }

    /// Reports every key that is not known.
    fn only(&mut self, table: &DeTable<'_>, known: &[&str], path: &str) {
        for key in table.keys() {
            let word = key.get_ref().as_ref();
            if known.contains(&word) {
                continue;
            }
            let (label, help) = if path.is_empty() && LATER.contains(&word) {
                ("not supported by this version", Some("remove it, or use a newer gatelint".to_owned()))
            } else if let Some(meant) = nearest(word, known) {
                ("unknown key", Some(format!("did you mean `{meant}`?")))
            } else {
                ("unknown key", Some(format!("the keys here are {}", listed(known))))
            };
            let message = format!("`{path}{word}` is no key of the configuration");
            self.mistake(key.span(), message, label, help);
        }
    }

    fn table<'t, 'i>(&mut self, table: &'t DeTable<'i>, key: &str) -> Option<&'t DeTable<'i>> {
        let value = table.get(key)?;
        let found = value.get_ref().as_table();
        if found.is_none() {
            let help = format!("write it as a table: `[{key}]`");
            self.wrong_type(value, key, "a table", help);
        }
        found
    }

    /// A list of strings, each parsed. None if the key is absent: an empty list is a statement, too.
    fn list<T>(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        parse: impl Fn(&str) -> Result<T, Wrong>,
    ) -> Option<Vec<T>> {
        let value = table.get(key)?;
        let Some(items) = value.get_ref().as_array() else {
            let help = format!("write `{key} = [\"…\"]`");
            self.wrong_type(value, key, "a list of strings", help);
            return Some(Vec::new());
        };
        let mut parsed = Vec::new();
        for item in items.iter() {
            let Some(text) = item.get_ref().as_str() else {
                self.wrong_type(item, key, "strings", "put it in quotes".to_owned());
                continue;
            };
            match parse(text) {
                Ok(value) => parsed.push(value),
                Err((message, label, help)) => {
                    self.mistake(item.span(), message, label, Some(help.to_owned()));
                }
            }
        }
        Some(parsed)
    }

    fn wrong_type(&mut self, value: &Spanned<DeValue<'_>>, key: &str, wanted: &str, help: String) {
        let found = kind(value.get_ref());
        let message = format!("`{key}` takes {wanted}, not {found}");
        self.mistake(value.span(), message, found, Some(help));
    }

    fn mistake(&mut self, span: Range<usize>, message: String, label: &str, help: Option<String>) {
        self.mistakes.push(Mistake { span, message, label: label.to_owned(), help });
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn glob(text: &str) -> Result<Vec<Glob>, Wrong> {
    const RELATIVE: &str = "globs are relative to the project root";
    if text.trim().is_empty() {
        Err(("an empty glob matches nothing".to_owned(), "empty", "remove it, or write `**` for every file"))
    } else if text.contains('\\') {
        let help = "separate folders by `/`; it means the same on every system";
        Err((format!("the glob `{text}` holds a backslash"), "backslash", help))
    } else if text.starts_with('/') || text.starts_with('~') || text.chars().nth(1) == Some(':') {
        Err((
            format!("the glob `{text}` is absolute, but {RELATIVE}"),
            "absolute",
            "start at the project root",
        ))
    } else if text.split('/').any(|part| part == "..") {
        let help = "files outside the project root are never read";
        Err((format!("the glob `{text}` leaves the project root"), "leaves the root", help))
    } else {
        let help = "`*` matches within a folder, `**` across folders, `[ab]` one of both";
        compile(text).map_err(|error| (format!("`{text}` is no glob: {error}"), "not a glob", help))
    }
}

fn name(text: &str) -> Result<NamePattern, Wrong> {
    NamePattern::parse(text).ok_or_else(|| {
        let help = "write a bare name or a dotted path; `*` matches within a segment";
        (format!("`{text}` is no name of a function"), "not a name", help)
    })
}

fn set(globs: Vec<Vec<Glob>>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs.into_iter().flatten() {
        builder.add(glob);
    }
    // Excluding nothing is the safe side of a set too large to build.
    builder.build().unwrap_or_default()
}

fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
