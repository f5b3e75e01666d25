//! Presets: files of settings for a known agent system, which a configuration names in `extends`. The folder is the
//! registry. What such a file may say is what a configuration may say; `config` reads both.

use include_dir::{Dir, include_dir};

static PRESETS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/rules/catalog/presets");

/// Every preset, sorted.
pub fn preset_names() -> Vec<&'static str> {
    let mut names: Vec<_> = PRESETS.files().filter_map(|file| file.path().file_stem()?.to_str()).collect();
    names.sort_unstable();
    names
}

/// The text of a preset.
pub fn preset(name: &str) -> Option<&'static str> {
    PRESETS.get_file(format!("{name}.toml"))?.contents_utf8()
}
