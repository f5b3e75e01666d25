//! Which effect a constant piece of source text reaches, by its words: no parser stands behind the front ends, and a
//! word that names an effect after `import` or with a call behind it is evidence enough.

/// The first effect that `code` imports or names, by `is_effect`.
pub fn reaches(code: &str, is_effect: impl Fn(&str) -> bool) -> Option<String> {
    let mut rest = code;
    let mut before = "";
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let path = dotted(&rest[start..]);
        let behind = rest[start + path.len()..].trim_start();
        let is_loader = path == "__import__" || path.ends_with("import_module");
        let is_used = matches!(before, "import" | "from") || behind.starts_with('(');
        let found = match is_loader {
            true => imported(behind, &is_effect),
            false => (is_used && is_effect(path)).then(|| path.to_owned()),
        };
        if found.is_some() {
            return found;
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

/// The first effect that serialised objects name: a module and, behind it, what is taken out of it.
pub fn unpickles(data: &str, is_effect: impl Fn(&str) -> bool) -> Option<String> {
    let is_sign = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.';
    let mut names = data.split(is_sign).filter(|name| !name.is_empty());
    let mut module = names.next()?;
    names.find_map(|name| {
        let before = std::mem::replace(&mut module, name);
        // Some spell the path as one word.
        if name.contains('.') && is_effect(name) {
            return Some(name.to_owned());
        }
        // In the oldest form the letter of the operation stands before the module.
        let modules = [Some(before), before.strip_prefix('c')];
        modules.into_iter().flatten().map(|module| format!("{module}.{name}")).find(|path| is_effect(path))
    })
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
    fn serialised_objects_name_what_they_take() {
        let effects = ["os.system", "subprocess.Popen"];
        let reached = |data| unpickles(data, |path| effects.contains(&path));
        assert_eq!(reached("cos\nsystem\n(S'true'\ntR.").as_deref(), Some("os.system"));
        assert_eq!(
            reached("\u{80}\u{4}\u{8c}\u{2}os\u{94}\u{8c}\u{6}system\u{94}\u{93}.").as_deref(),
            Some("os.system")
        );
        assert_eq!(reached("}q\0(X\u{4}\0\0\0nameq\u{1}X\u{2}\0\0\0osq\u{2}u."), None);
        assert_eq!(reached("!!python/object/apply:os.system ['id']").as_deref(), Some("os.system"));
        assert_eq!(reached(""), None);
    }

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
