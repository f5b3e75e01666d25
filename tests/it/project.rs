//! A project in one string, as the examples of rule files write it: `# file: agent/net.py` starts another file.

use gatelint::source::SourceFile;

/// The files of `text`; what stands before the first marker is `agent.py`.
pub fn files(text: &str) -> Vec<SourceFile> {
    let mut files: Vec<(String, String)> = vec![("agent.py".to_owned(), String::new())];
    for line in text.lines() {
        match line.trim().strip_prefix("# file: ") {
            Some(path) => files.push((path.trim().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files.retain(|(path, text)| path != "agent.py" || !text.trim().is_empty());
    files.sort();
    files.into_iter().map(|(path, text)| SourceFile::new(path, text)).collect()
}
