//! What a configuration allows that an older one did not, as far as its keys alone tell: names that are vouched for, names
//! that are no longer watched, entries about libraries. What globs take in depends on files; whoever has them compares.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Config, OWN_TABLE, PYPROJECT};
use crate::catalog::Catalog;

/// One place where a configuration is looser than it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loosening {
    /// Bytes of the newer file; its beginning if what made it strict is gone.
    pub span: Range<usize>,
    pub what: String,
}

/// Lists whose every word exempts or vouches for something.
const VOUCHES: &[&str] = &[
    "planning.not_functions",
    "gates.phase.check",
    "gates.action.check",
    "gates.action.gated_executors",
    "gates.action.meta_tools",
    "audit.writers",
    "workspace.paths",
];
/// Lists whose every word has something watched.
const WATCHES: &[&str] = &[
    "planning.functions",
    "gates.action.executors",
    "handlers.namespaces",
    "handlers.namespace",
    "handlers.name",
    "handlers.function",
    "handlers.methods",
    "handlers.calls",
    "handlers.decorators",
    "capture.functions",
    "prompts.files",
    "rules.paths",
];
/// Presets do both; a marker is believed to fence, and is watched over.
const BOTH: &[&str] = &["extends", "fence.markers"];
/// What is taken for known; that a file of it is named is a loosening before it holds anything.
const BASELINE: &str = "baseline.file";
/// Entries that say more about libraries; the first that fits a call counts, so one of one's own can also say less.
const ENTRIES: &[&str] = &["effect", "returns", "alias", "callback", "loader", "registration"];
/// Lists of an entry that make it speak of less.
const NARROWS: [&str; 2] = ["except", "except_module"];
const TOOLS: &str = "tools";
const BLOCKED: &str = "blocked";

type Value<'i> = Spanned<DeValue<'i>>;

/// Every key by which `is` allows more than `was`, in the order of the keys.
pub fn loosened(was: &Config, is: &Config, catalog: &Catalog) -> Vec<Loosening> {
    let (old, new) = (parsed(was), parsed(is));
    let (old, new) = (own(was, old.get_ref()), own(is, new.get_ref()));
    let pair = Pair { old, new, catalog };
    let mut found = Vec::new();
    for path in VOUCHES.iter().chain(BOTH) {
        found.extend(pair.added(path));
    }
    for path in WATCHES.iter().chain(BOTH) {
        found.extend(pair.removed(path));
    }
    for path in ENTRIES {
        found.extend(pair.entries(path));
    }
    found.extend(pair.tools());
    found
}

/// The baseline that is named where none was.
pub fn named_baseline(was: &Config, is: &Config) -> Option<Loosening> {
    let name = is.baseline.as_ref().filter(|_| was.baseline.is_none())?;
    let span = span_of(is, BASELINE);
    Some(Loosening { span, what: format!("the baseline `{name}` is named for the first time") })
}

/// Where the value of a key stands; the beginning of the file if it has none.
pub fn span_of(config: &Config, path: &str) -> Range<usize> {
    let table = parsed(config);
    value(own(config, table.get_ref()), path).map_or(0..0, Spanned::span)
}

fn parsed(config: &Config) -> Spanned<DeTable<'_>> {
    crate::spanned::parse(&config.text).0
}

fn own<'t, 'i>(config: &Config, table: &'t DeTable<'i>) -> Option<&'t DeTable<'i>> {
    if config.origin.path().file_name() != Some(PYPROJECT) {
        return Some(table);
    }
    OWN_TABLE.iter().try_fold(table, |table, key| table.get(*key)?.get_ref().as_table())
}

struct Pair<'t, 'i> {
    old: Option<&'t DeTable<'i>>,
    new: Option<&'t DeTable<'i>>,
    catalog: &'t Catalog,
}

impl<'t, 'i> Pair<'t, 'i> {
    fn added(&self, path: &str) -> Vec<Loosening> {
        let old: Vec<&str> = words(self.old, path).map(|(word, _)| word).collect();
        let new = words(self.new, path).filter(|(word, _)| !old.contains(word));
        new.map(|(word, span)| Loosening { span, what: format!("`{word}` was added to `{path}`") }).collect()
    }

    fn removed(&self, path: &str) -> Vec<Loosening> {
        let new: Vec<&str> = words(self.new, path).map(|(word, _)| word).collect();
        let old = words(self.old, path).filter(|(word, _)| !new.contains(word));
        let span = self.span(path);
        old.map(|(word, _)| Loosening {
            span: span.clone(),
            what: format!("`{word}` was taken out of `{path}`"),
        })
        .collect()
    }

    /// Where a key stands now, or else what it would stand in; the beginning of the file if nothing of it is left.
    fn span(&self, path: &str) -> Range<usize> {
        let (mut table, mut span) = (self.new, 0..0);
        for key in path.split('.') {
            let Some((name, value)) = table.and_then(|table| table.get_key_value(key)) else { break };
            span = name.span();
            table = value.get_ref().as_table();
        }
        span
    }

    /// An old entry has to be there still, or one that says as much; a new one may not speak of what is known already.
    fn entries(&self, path: &str) -> Vec<Loosening> {
        let (old, new) = (tables(self.old, path), tables(self.new, path));
        let lost = old.iter().filter(|(old, _)| !new.iter().any(|(new, _)| says_as_much(new, old)));
        let lost = lost.map(|(entry, _)| Loosening {
            span: self.span(path),
            what: format!("an entry of `{path}` ({}) was taken out or says less", title(entry)),
        });
        let fresh = new.iter().filter(|(new, _)| !old.iter().any(|(old, _)| says_as_much(new, old)));
        let fresh = fresh.filter(|(entry, _)| self.is_known(entry)).map(|(entry, span)| Loosening {
            span: span.clone(),
            what: format!("an entry of `{path}` changes what is known of {}", title(entry)),
        });
        lost.chain(fresh).collect()
    }

    /// True if the catalogue speaks of a library that the entry speaks of.
    fn is_known(&self, entry: &DeTable<'_>) -> bool {
        let named = entry.iter().filter(|(key, _)| !NARROWS.contains(&key.get_ref().as_ref()));
        let named =
            named.filter(|(key, _)| !["kind", "of", "type", "framework"].contains(&key.get_ref().as_ref()));
        named.flat_map(|(_, value)| strings(value.get_ref())).any(|word| {
            let first = word.split(['.', '*']).next().unwrap_or_default();
            first.is_empty() || self.catalog.is_library(first)
        })
    }

    /// What was said of a tool and is no longer, and tools that may newly be called after internal data was read.
    fn tools(&self) -> Vec<Loosening> {
        let old = self.old.and_then(|table| table.get(TOOLS)?.get_ref().as_table());
        let new = self.new.and_then(|table| table.get(TOOLS)?.get_ref().as_table());
        let mut found = Vec::new();
        for (name, value) in old.into_iter().flatten() {
            let name = name.get_ref().as_ref();
            let now = new.and_then(|table| table.get_key_value(name));
            if now.is_none_or(|(_, now)| rendered(now.get_ref()) != rendered(value.get_ref())) {
                let span = now.map_or_else(|| self.span(TOOLS), |(key, _)| key.span());
                found
                    .push(Loosening { span, what: format!("what is said of the tool `{name}` was changed") });
            }
        }
        for (name, value) in new.into_iter().flatten() {
            let is_new = old.is_none_or(|table| !table.contains_key(name.get_ref().as_ref()));
            let blocked = value.get_ref().as_table().and_then(|tool| tool.get(BLOCKED)?.get_ref().as_bool());
            if is_new && blocked == Some(false) {
                let what =
                    format!("the tool `{}` is not blocked after internal data was read", name.get_ref());
                found.push(Loosening { span: name.span(), what });
            }
        }
        found
    }
}

fn value<'t, 'i>(table: Option<&'t DeTable<'i>>, path: &str) -> Option<&'t Value<'i>> {
    let (above, key) = path.rsplit_once('.').map_or((None, path), |(above, key)| (Some(above), key));
    let inner = above.into_iter().flat_map(|above| above.split('.'));
    let table = inner.fold(table, |table, key| table?.get(key)?.get_ref().as_table());
    table?.get(key)
}

/// The strings of a list, each with its place.
fn words<'t>(table: Option<&'t DeTable<'_>>, path: &str) -> impl Iterator<Item = (&'t str, Range<usize>)> {
    let list = value(table, path).and_then(|value| value.get_ref().as_array());
    list.into_iter()
        .flat_map(|list| list.iter())
        .filter_map(|item| Some((item.get_ref().as_str()?, item.span())))
}

fn tables<'t, 'i>(table: Option<&'t DeTable<'i>>, path: &str) -> Vec<(&'t DeTable<'i>, Range<usize>)> {
    let list = value(table, path).and_then(|value| value.get_ref().as_array());
    let items = list.into_iter().flat_map(|list| list.iter());
    items.filter_map(|item| Some((item.get_ref().as_table()?, item.span()))).collect()
}

/// True if `new` holds for all that `old` holds for, and says the same of it.
fn says_as_much(new: &DeTable<'_>, old: &DeTable<'_>) -> bool {
    let keys = old.keys().chain(new.keys()).map(|key| key.get_ref().as_ref());
    keys.collect::<std::collections::BTreeSet<&str>>().into_iter().all(|key| {
        let of = |table: &DeTable<'_>| table.get(key).map(|value| parts(value.get_ref()));
        let (now, before) = (of(new).unwrap_or_default(), of(old).unwrap_or_default());
        match NARROWS.contains(&key) {
            true => now.iter().all(|word| before.contains(word)),
            false => before.iter().all(|word| now.contains(word)) && (!before.is_empty() || now.is_empty()),
        }
    })
}

/// The items of a list, or the one value.
fn parts(value: &DeValue<'_>) -> Vec<String> {
    match value.as_array() {
        Some(list) => list.iter().map(|item| rendered(item.get_ref())).collect(),
        None => vec![rendered(value)],
    }
}

/// Without places.
fn rendered(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Array(_) => parts(value).join(","),
        DeValue::Table(table) => {
            let entries = table.iter();
            let entries =
                entries.map(|(key, value)| format!("{}={}", key.get_ref(), rendered(value.get_ref())));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        DeValue::String(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    }
}

fn strings<'t>(value: &'t DeValue<'_>) -> Vec<&'t str> {
    match value {
        DeValue::String(text) => vec![text],
        DeValue::Array(list) => list.iter().filter_map(|item| item.get_ref().as_str()).collect(),
        _ => Vec::new(),
    }
}

/// What a reader knows an entry by: its first word.
fn title(entry: &DeTable<'_>) -> String {
    let named = ["call", "module", "path", "name", "parameter", "callee", "decorator", "base", "call_name"];
    let word = named.iter().find_map(|key| strings(entry.get(*key)?.get_ref()).first().copied());
    word.map_or_else(|| "without a name".to_owned(), |word| format!("`{word}`"))
}

#[cfg(test)]
mod tests {
    use super::super::from_text;
    use super::super::keys::CONFIG;
    use super::super::shape::{Fields, Shape};
    use super::*;

    fn changes(was: &str, is: &str) -> Vec<String> {
        let known = "[[effect]]\nkind = \"network\"\ncall = [\"requests.get\"]\nmodule = [\"requests\"]\n";
        let catalog = Catalog::load([("python/network.toml", known)]).unwrap();
        let [was, is] = [was, is].map(|text| from_text("/a", "gatelint.toml", text).unwrap());
        let found = loosened(&was, &is, &catalog);
        let shown = |found: Loosening| format!("{} {}", found.what, &is.text[found.span]);
        found.into_iter().map(shown).collect()
    }

    /// A new key has to be judged, here or by what its globs take in.
    #[test]
    fn every_key_is_judged() {
        fn leaves(fields: &Fields, path: &str, out: &mut Vec<String>) {
            for key in fields.keys {
                let path = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
                match key.shape {
                    Shape::Table(inner) => leaves(&inner, &path, out),
                    _ => out.push(path),
                }
            }
        }
        let mut all = Vec::new();
        leaves(&CONFIG, "", &mut all);
        let by_files =
            ["exclude", "layers.comm", "layers.operator", "layers.storage", "layers.llm", "levels"];
        let elsewhere = [BASELINE, TOOLS];
        let judged = [VOUCHES, WATCHES, BOTH, ENTRIES, &by_files, &elsewhere].concat();
        all.retain(|path| !judged.contains(&path.as_str()));
        assert_eq!(all, [""; 0], "say in VOUCHES, WATCHES, BOTH or ENTRIES how a change of it loosens");
    }

    #[test]
    fn what_vouches_may_not_grow_and_what_watches_may_not_shrink() {
        let strict = "[planning]\nfunctions = [\"a\", \"b\"]\n";
        let loose =
            "[planning]\nfunctions = [\"a\"]\nnot_functions = [\"c\"]\n[gates.phase]\ncheck = [\"d\"]\n";
        assert_eq!(
            changes(strict, loose),
            [
                "`c` was added to `planning.not_functions` \"c\"",
                "`d` was added to `gates.phase.check` \"d\"",
                "`b` was taken out of `planning.functions` functions",
            ]
        );
        assert_eq!(changes(loose, strict), [""; 0]);
        assert_eq!(changes("extends = [\"agentos\"]", ""), ["`agentos` was taken out of `extends` "]);
        assert_eq!(changes("", "extends = [\"agentos\"]"), ["`agentos` was added to `extends` \"agentos\""]);
    }

    #[test]
    fn an_entry_may_say_more_and_not_less() {
        let entry = |more: &str| format!("[[effect]]\nkind = \"network\"\n{more}\n");
        let one = entry("call = [\"acme.get\"]");
        let two = entry("call = [\"acme.get\", \"acme.post\"]");
        let except = entry("call = [\"acme.*\"]\nexcept = [\"acme.get\"]");
        let whole = entry("call = [\"acme.*\"]");
        let unsure = entry("call = [\"acme.get\"]\nconfidence = \"low\"");
        for (was, is, count) in [
            (&one, &two, 0),
            (&two, &one, 1),
            (&except, &whole, 0),
            (&whole, &except, 1),
            (&one, &unsure, 1),
            (&String::new(), &two, 0),
            (&two, &String::new(), 1),
        ] {
            assert_eq!(changes(was, is).len(), count, "{was} {is}");
        }
        let known = "[[effect]]\nkind = \"file\"\ncall = [\"requests.get\"]\n";
        assert!(
            changes("", known)[0].starts_with("an entry of `effect` changes what is known of `requests.get`")
        );
        let alias = "[[alias]]\npath = \"requests.get\"\nis = \"acme.nothing\"\n";
        assert_eq!(changes("", alias).len(), 1);
    }
}
