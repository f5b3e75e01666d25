//! Makes a new file below `rules/` a reason to build again: the macro that embeds the folder notices only those it has
//! already seen. Gives the build a name: a verdict that one build kept is no answer of another. And writes the catalogue down as
//! JSON, which a run reads several times as fast as TOML.

use std::env;
use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// All that decides what the program does.
const PARTS: [&str; 6] =
    ["src", "rules", "docs/gatelint-report.schema.json", "build.rs", "Cargo.toml", "Cargo.lock"];
const SETTINGS: [&str; 5] =
    ["TARGET", "PROFILE", "OPT_LEVEL", "CARGO_PKG_VERSION", "CARGO_ENCODED_RUSTFLAGS"];

/// The catalogue, and the part of it that is read only where a configuration names it.
const CATALOG: &str = "rules/catalog";
const PRESETS: &str = "rules/catalog/presets";

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for part in PARTS {
        println!("cargo:rerun-if-changed={part}");
        list(Path::new(part), &mut files);
    }
    files.sort();
    let halves = [0_u8, 1].map(|half| {
        let mut hasher = DefaultHasher::new();
        half.hash(&mut hasher);
        SETTINGS.map(env::var_os).hash(&mut hasher);
        for file in &files {
            (file, fs::read(file).ok()).hash(&mut hasher);
        }
        hasher.finish()
    });
    println!("cargo:rustc-env=GATELINT_BUILD={:016x}{:016x}", halves[0], halves[1]);
    let folder = env::var_os("OUT_DIR").ok_or("cargo names no folder for what is made")?;
    fs::write(Path::new(&folder).join("catalog.json"), catalog(&files)?)?;
    Ok(())
}

/// Pairs of a file's name below `rules/` and what it says, sorted by name.
fn catalog(files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let mut read: Vec<(String, toml::Table)> = Vec::new();
    for file in files.iter().filter(|file| file.starts_with(CATALOG) && !file.starts_with(PRESETS)) {
        let table = toml::from_str(&fs::read_to_string(file)?);
        let table = table.map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.strip_prefix("rules")?.to_string_lossy().replace('\\', "/");
        read.push((name, table));
    }
    read.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(serde_json::to_string(&read)?)
}

fn list(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| list(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}
