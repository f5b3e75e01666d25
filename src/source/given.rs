//! Text that is given in place of a file's, as an editor does with what is not saved yet.

use camino::Utf8PathBuf;

use super::decode::decode;
use super::discover::{Discovered, FileType};
use super::{Skip, Skipped, SourceFile};

/// The file counts as named: it is scanned whatever an ignore file says of it.
pub fn give(found: &mut Discovered, path: Utf8PathBuf, bytes: Vec<u8>, languages: &[FileType]) {
    found.files.retain(|file| file.path != path);
    found.skipped.retain(|skipped| skipped.path != path);
    match read(&path, bytes, languages) {
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
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let known = |file_type: &&FileType| file_type.extensions.contains(&extension.as_str());
    let file_type = languages.iter().find(known).ok_or(Skip::UnknownLanguage)?;
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
