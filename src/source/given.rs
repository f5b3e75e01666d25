//! Text that is given in place of a file's, as an editor does with what is not saved yet.

use camino::Utf8PathBuf;

use super::decode::decode;
use super::discover::{DiscoverOptions, Discovered, FileType};
use super::scripts::{HEAD, script_type};
use super::texts::is_wanted;
use super::{Skip, Skipped, SourceFile};

/// The file counts as named: it is scanned whatever an ignore file says of it.
pub fn give(found: &mut Discovered, path: Utf8PathBuf, bytes: Vec<u8>, options: &DiscoverOptions) {
    found.files.retain(|file| file.path != path);
    found.skipped.retain(|skipped| skipped.path != path);
    if by_extension(&path, &options.languages).is_none() && is_wanted(path.as_std_path(), &options.watched) {
        found.texts.give(path, bytes);
        return;
    }
    match read(&path, bytes, &options.languages) {
        Ok(file) => {
            let at = found.files.partition_point(|other| other.path < path);
            found.files.insert(at, file);
        }
        Err(why) => {
            found.skipped.push(Skipped { path: path.into_string(), why });
            found.skipped.sort();
        }
    }
}

fn read(path: &Utf8PathBuf, bytes: Vec<u8>, languages: &[FileType]) -> Result<SourceFile, Skip> {
    let by_head = || script_type(&bytes[..bytes.len().min(HEAD as usize)], languages);
    let file_type = by_extension(path, languages).copied().or_else(by_head).ok_or(Skip::UnknownLanguage)?;
    let decoded = decode(bytes, file_type.encoding_cookie)
        .map_err(|unknown| Skip::UnknownEncoding { name: unknown.0 })?;
    Ok(SourceFile {
        path: path.clone(),
        text: decoded.text,
        lang: file_type.lang,
        encoding: decoded.encoding,
        lossy: decoded.lossy,
    })
}

fn by_extension<'l>(path: &Utf8PathBuf, languages: &'l [FileType]) -> Option<&'l FileType> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    languages.iter().find(|file_type| file_type.extensions.contains(&extension.as_str()))
}
