//! A verdict as bytes: a head, a code that only the owner of the secret can make, and what is kept. What does not fit in every
//! part is none.

use std::path::{Path, PathBuf};

use crate::exit::ExitCode;
use crate::source::disk::{Answer, Log, MARK, Moment, Question, Stat, What};

const CODE: usize = 32;
/// What is longer is not kept: reading it would take as long as what it saves.
pub const MAX_BYTES: u64 = 16 << 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// When the run began.
    pub begun: Moment,
    /// Before `--exit-zero` had its say.
    pub verdict: ExitCode,
    pub report: Vec<u8>,
    pub log: Log,
}

/// `None` if it is too long or names what has no name here. The name of the file goes into the code, so that a file is of
/// no use under the name of another one.
pub fn encode(entry: &Entry, secret: &[u8; 32], name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Writer([MARK, &[0; CODE]].concat());
    out.moment(entry.begun);
    out.number(entry.verdict.code().into());
    out.bytes(&entry.report);
    out.number(entry.log.answers.len() as u64);
    for (question, answer) in &entry.log.answers {
        out.question(question)?;
        out.answer(answer);
    }
    let mut bytes = out.0;
    let code = code(&bytes[MARK.len() + CODE..], secret, name);
    bytes[MARK.len()..MARK.len() + CODE].copy_from_slice(code.as_bytes());
    (bytes.len() as u64 <= MAX_BYTES).then_some(bytes)
}

pub fn decode(bytes: &[u8], secret: &[u8; 32], name: &[u8]) -> Option<Entry> {
    let (given, body) = bytes.strip_prefix(MARK)?.split_first_chunk::<CODE>()?;
    // Compared in constant time.
    if code(body, secret, name) != blake3::Hash::from_bytes(*given) {
        return None;
    }
    let mut read = Reader(body);
    let (begun, verdict) = (read.moment()?, verdict(read.number()?)?);
    let report = read.bytes()?.to_vec();
    let mut log = Log::default();
    for _ in 0..read.number()? {
        let question = read.question()?;
        log.put(question, read.answer()?);
    }
    read.0.is_empty().then_some(Entry { begun, verdict, report, log })
}

fn code(body: &[u8], secret: &[u8; 32], name: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name).update(body).finalize()
}

fn verdict(code: u64) -> Option<ExitCode> {
    let verdicts = [ExitCode::Clean, ExitCode::Findings, ExitCode::NothingToScan, ExitCode::Incomplete];
    verdicts.into_iter().find(|verdict| u64::from(verdict.code()) == code)
}

/// Numbers have eight bytes, whatever comes after a length is that long.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn moment(&mut self, moment: Moment) {
        self.0.extend(moment.seconds.to_le_bytes());
        self.0.extend(moment.nanos.to_le_bytes());
    }

    fn question(&mut self, question: &Question) -> Option<()> {
        let (what, number) = match question.what {
            What::Kind => (0, 0),
            What::OwnKind => (1, 0),
            What::Real => (2, 0),
            What::Entries => (3, 0),
            What::Whole { limit } => (4, limit),
            What::Head { length } => (5, length),
        };
        self.0.push(what);
        self.number(number);
        self.bytes(bytes_of(&question.path)?);
        Some(())
    }

    fn answer(&mut self, answer: &Answer) {
        self.0.extend(answer.fingerprint);
        self.0.push(answer.stat.is_some().into());
        if let Some(stat) = answer.stat {
            self.number(stat.length);
            self.moment(stat.modified);
            self.moment(stat.changed);
            self.number(stat.inode);
            self.number(stat.device);
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*array)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn moment(&mut self) -> Option<Moment> {
        let seconds = self.array().map(i64::from_le_bytes)?;
        Some(Moment { seconds, nanos: self.array().map(i64::from_le_bytes)? })
    }

    fn question(&mut self) -> Option<Question> {
        let [what] = self.array()?;
        let number = self.number()?;
        let path = path_of(self.bytes()?)?;
        let what = match what {
            0 => What::Kind,
            1 => What::OwnKind,
            2 => What::Real,
            3 => What::Entries,
            4 => What::Whole { limit: number },
            5 => What::Head { length: number },
            _ => return None,
        };
        Some(Question { path, what })
    }

    fn answer(&mut self) -> Option<Answer> {
        let fingerprint = self.array()?;
        let stat = match self.array()? {
            [0] => None,
            _ => Some(Stat {
                length: self.number()?,
                modified: self.moment()?,
                changed: self.moment()?,
                inode: self.number()?,
                device: self.number()?,
            }),
        };
        Some(Answer { fingerprint, stat, lasts: true })
    }
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Option<&[u8]> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(path.as_os_str().as_bytes())
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Option<&[u8]> {
    path.to_str().map(str::as_bytes)
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    fn entry() -> Entry {
        let moment = Moment { seconds: 5, nanos: 6 };
        let stat = Stat { length: 1, modified: moment, changed: moment, inode: 2, device: 3 };
        let mut log = Log::default();
        let whats = [What::Kind, What::OwnKind, What::Real, What::Entries];
        let whats = whats.into_iter().chain([What::Whole { limit: 9 }, What::Head { length: 8 }]);
        for (number, what) in (0..).zip(whats) {
            let stat = (number > 3).then_some(stat);
            let question = Question { path: format!("a/{number}").into(), what };
            log.put(question, Answer { fingerprint: [number; 32], stat, lasts: true });
        }
        Entry { begun: moment, verdict: ExitCode::Findings, report: b"report\n".to_vec(), log }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let bytes = encode(&entry(), &SECRET, b"name").unwrap();
        assert_eq!(decode(&bytes, &SECRET, b"name"), Some(entry()));
    }

    #[test]
    fn nothing_else_is_believed() {
        let bytes = encode(&entry(), &SECRET, b"name").unwrap();
        assert_eq!(decode(&bytes, &[8; 32], b"name"), None, "another secret");
        assert_eq!(decode(&bytes, &SECRET, b"names"), None, "another name");
        assert_eq!(decode(&[&bytes[..], b"x"].concat(), &SECRET, b"name"), None, "longer");
        for at in 0..bytes.len() {
            assert_eq!(decode(&bytes[..at], &SECRET, b"name"), None, "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(decode(&changed, &SECRET, b"name"), None, "changed at {at}");
        }
    }

    #[test]
    fn what_has_a_right_code_and_a_wrong_body_is_none() {
        for body in [&b""[..], b"x", &[0xff; 64]] {
            let code = code(body, &SECRET, b"name");
            assert_eq!(decode(&[MARK, code.as_bytes(), body].concat(), &SECRET, b"name"), None);
        }
    }

    #[test]
    fn what_is_too_long_is_not_kept() {
        let long = Entry { report: vec![b'x'; MAX_BYTES as usize], ..entry() };
        assert_eq!(encode(&long, &SECRET, b"name"), None);
    }
}
