//! Which effect a constant piece of source text reaches, by its words: no parser stands behind the front ends, and a
//! word that names an effect after `import` or with a call behind it is evidence enough.

/// The first effect that `code` imports or names, by `is_effect`.
pub fn reaches(code: &str, is_effect: impl Fn(&str) -> bool) -> Option<String> {
    let mut rest = code;
    let mut before = "";
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let path = dotted(&rest[start..]);
        let behind = rest[start + path.len()..].trim_start();
        if path == "__import__" || path.ends_with("import_module") {
            if let Some(found) = imported(behind, &is_effect) {
                return Some(found);
            }
        } else if (matches!(before, "import" | "from") || behind.starts_with('(')) && is_effect(path) {
            return Some(path.to_owned());
        }
        // `from os import system`
        if before == "from" && behind.starts_with("import") {
            let name = behind["import".len()..].trim_start();
            let whole = format!("{path}.{}", dotted(name));
            if is_effect(&whole) {
                return Some(whole);
            }
        }
        before = path;
        rest = &rest[start + path.len()..];
    }
    None
}

/// `('os').system(…)` behind `__import__`.
fn imported(behind: &str, is_effect: impl Fn(&str) -> bool) -> Option<String> {
    let text = behind.strip_prefix('(')?.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (module, tail) = text[1..].split_once(quote)?;
    let tail = tail.trim_start().strip_prefix(')')?;
    let whole = match tail.strip_prefix('.') {
        Some(names) => format!("{module}.{}", dotted(names)),
        None => module.to_owned(),
    };
    [whole, module.to_owned()].into_iter().find(|path| is_effect(path))
}

/// The dotted name that `text` begins with.
fn dotted(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_calls_are_evidence() {
        let effects = ["os.system", "subprocess", "requests"];
        let cases = [
            ("__import__('os').system('id')", Some("os.system")),
            ("import json\nimport subprocess", Some("subprocess")),
            ("from os import system", Some("os.system")),
            ("os.system ('id')", Some("os.system")),
            ("__import__(\"json\").loads('1')", None),
            ("x = 1 + subprocess_count", None),
            ("'see subprocess for details'", None),
            ("", None),
        ];
        for (code, wanted) in cases {
            assert_eq!(reaches(code, |path| effects.contains(&path)).as_deref(), wanted, "{code}");
        }
    }
}
