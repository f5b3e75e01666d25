//! Fingerprints: what a finding is, without where it stands in its file, so that edits elsewhere keep it.

use std::collections::HashMap;

use crate::finding::Finding;

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
