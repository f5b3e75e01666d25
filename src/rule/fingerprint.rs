//! Fingerprints: what a finding is, without where it stands in its file, so that edits elsewhere keep it.

use std::collections::HashMap;

use camino::Utf8Path;

use crate::finding::{Finding, Likeness};

/// Hashes the parts of a finding's identity: rule, path, enclosing function, snippet, names of the chain.
pub fn fingerprint<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // The length keeps ("ab", "c") apart from ("a", "bc").
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The snippet without the layout that a formatter may change: white space, trailing commas before a bracket, quotes.
pub fn normalise(snippet: &str) -> String {
    let mut out = String::with_capacity(snippet.len());
    for c in snippet.chars().filter(|c| !c.is_whitespace()) {
        if matches!(c, ')' | ']' | '}') && out.ends_with(',') {
            out.pop();
        }
        out.push(if c == '\'' { '"' } else { c });
    }
    out
}

/// Code without layout and without what a formatter adds and takes away: what is left of a text that must be found again.
pub fn plain(text: &str) -> String {
    without_brackets(&normalise(text))
}

fn without_brackets(normalised: &str) -> String {
    normalised.chars().filter(|c| !matches!(c, '(' | ')' | ',' | '\\')).collect()
}

/// Of the code of a finding, so that a baseline stays small.
const MAX_CODE: usize = 80;

/// What is left of a finding's identity when its file is renamed or its function moves: names without their modules, and
/// the snippet without what a formatter adds and takes away.
pub fn likeness(rule: &str, path: &Utf8Path, snippet: &str, names: &[&str]) -> Likeness {
    let snippet = without_brackets(snippet);
    let function = names.first().map(|name| (*name).to_owned());
    let code = snippet.chars().take(MAX_CODE).collect();
    let mut names: Vec<&str> = names.to_vec();
    if let Some(first) = names.first_mut().filter(|first| is_module(first, path)) {
        *first = "";
    }
    let names: Vec<&str> = names.iter().map(|name| name.rsplit('.').next().unwrap_or(name)).collect();
    let outline = names.first().map(|first| fingerprint([rule, &snippet, first, &names.len().to_string()]));
    let content = fingerprint([rule, &*snippet].into_iter().chain(names));
    Likeness { content, outline, function, code }
}

/// True if this is the name of the module itself, in which code outside functions is.
fn is_module(name: &str, path: &Utf8Path) -> bool {
    let module = path.with_extension("").as_str().replace('/', ".");
    let module = module.strip_suffix(".__init__").unwrap_or(&module);
    module == name || module.strip_suffix(name).is_some_and(|before| before.ends_with('.'))
}

/// Two equal violations in one function differ by their order only.
pub fn number_repeats(findings: &mut [Finding]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for finding in findings {
        let count = seen.entry(finding.fingerprint.clone()).or_default();
        *count += 1;
        if *count > 1 {
            finding.fingerprint = format!("{}-{count}", finding.fingerprint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn layout_does_not_count() {
        assert_eq!(normalise("f(\n    'a',\n    b,\n)"), normalise("f(\"a\", b)"));
        assert_ne!(normalise("f(a)"), normalise("f(b)"));
    }

    #[test]
    fn a_move_keeps_what_a_finding_is_like() {
        let at = |path: &str, snippet, names: &[&str]| likeness("GL1", path.into(), snippet, names);
        let of = |at: &Likeness| (at.content.clone(), at.outline.clone(), at.code.clone());
        let here = at("a/net.py", "get(url)", &["a.net.fetch", "requests.get"]);
        assert_eq!(of(&here), of(&at("b/web.py", "get(url,)", &["b.web.Client.fetch", "requests.get"])));
        assert_ne!(here, at("a/net.py", "get(url)", &["a.net.other", "requests.get"]));
        assert_eq!(
            of(&at("a/net.py", "get(url)", &["a.net"])),
            of(&at("src/b/web/__init__.py", "get(url)", &["b.web"]))
        );
        assert!(plain("x = get(\n  url,\n)").contains(&here.code));
        assert_eq!(at("a.py", "import(x)", &[]).outline, None);
    }

    proptest! {
        #[test]
        fn parts_do_not_run_together(a in "[a-c]{0,4}", b in "[a-c]{0,4}", c in "[a-c]{0,4}", d in "[a-c]{0,4}") {
            let same = (&a, &b) == (&c, &d);
            prop_assert_eq!(fingerprint([a.as_str(), &b]) == fingerprint([c.as_str(), &d]), same);
        }

        #[test]
        fn white_space_never_matters(text in "[a-z(), ]{0,30}", at in 0usize..30) {
            let mut spaced = text.clone();
            spaced.insert_str(at.min(text.len()), "\n    ");
            prop_assert_eq!(normalise(&text), normalise(&spaced));
        }
    }
}
