//! How an attack is written down: what stands before the first `===` holds for every project of the family, a project may
//! replace any file of it, and `=== twin` replaces files of the project above it. README.md beside this file has the details.

use std::collections::BTreeMap;
use std::{fmt, fs};

/// One project, or the harmless twin of one.
#[derive(Clone, Default)]
pub struct Attack {
    pub name: String,
    pub is_twin: bool,
    /// Commands of gatelint; what the last one says counts.
    pub run: String,
    /// Exit codes that are right; empty if the marks decide.
    pub exits: Vec<i32>,
    /// Every one of these must be said.
    pub says: Vec<Said>,
    /// At least one of these must be said.
    pub either: Vec<Said>,
    /// Texts that the report has to hold.
    pub names: Vec<String>,
    pub files: BTreeMap<String, Vec<u8>>,
    /// Symbolic links and what they point to.
    pub links: BTreeMap<String, String>,
    /// What changes before the last command: files written, and files that go.
    pub then: BTreeMap<String, Option<Vec<u8>>>,
    /// The state at the merge base, kept outside of the project.
    pub base: BTreeMap<String, Vec<u8>>,
}

/// A rule, a file and a line from 1, or `ANYWHERE` in the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Said(pub String, pub String, pub u64);

pub const ANYWHERE: u64 = 0;

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.0, self.1, self.2)
    }
}

/// Where the lines that follow go.
enum Place {
    Head,
    File(String),
    Hex(String),
    Then(String),
    Base(String),
}

/// The projects of a family, twins included.
pub fn family(name: &str) -> Vec<Attack> {
    let path = format!("{}/tests/it/attacks/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut sections = text.split("\n=== ");
    let common = Reader::default().read(sections.next().unwrap_or_default());
    let mut attacks: Vec<Attack> = Vec::new();
    for section in sections {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let twin_of = (title == "twin").then(|| attacks.iter().rfind(|attack| !attack.is_twin).expect(name));
        let base = twin_of.map_or_else(|| common.clone(), twin);
        let mut attack = Reader { attack: base, ..Reader::default() }.read(body);
        if !attack.is_twin {
            attack.name = format!("{name}/{title}");
        }
        attack.marks();
        attacks.push(attack);
    }
    attacks
}

/// Everything of the attack except what must be said.
fn twin(attack: &Attack) -> Attack {
    Attack {
        name: format!("{}/twin", attack.name),
        is_twin: true,
        exits: vec![0],
        says: Vec::new(),
        either: Vec::new(),
        names: Vec::new(),
        ..attack.clone()
    }
}

struct Reader {
    attack: Attack,
    place: Place,
}

impl Default for Reader {
    fn default() -> Self {
        Self { attack: Attack { run: "check".to_owned(), ..Attack::default() }, place: Place::Head }
    }
}

impl Reader {
    fn read(mut self, text: &str) -> Attack {
        for line in text.lines() {
            if !self.directive(line) {
                self.line(line);
            }
        }
        self.attack
    }

    /// True if the line says where the next ones go, or stands for others.
    fn directive(&mut self, line: &str) -> bool {
        let Some((word, rest)) = line.strip_prefix("# ").and_then(|rest| rest.split_once(' ')) else {
            return false;
        };
        let path = rest.trim().to_owned();
        match word {
            "file:" => {
                self.attack.files.insert(path.clone(), Vec::new());
                self.place = Place::File(path);
            }
            "hex:" => {
                self.attack.files.insert(path.clone(), Vec::new());
                self.place = Place::Hex(path);
            }
            "then:" => {
                self.attack.then.insert(path.clone(), Some(Vec::new()));
                self.place = Place::Then(path);
            }
            "base:" => {
                self.attack.base.insert(path.clone(), Vec::new());
                self.place = Place::Base(path);
            }
            "gone:" => drop(self.attack.then.insert(path, None)),
            "without:" => drop(self.attack.files.remove(&path)),
            "link:" => {
                let (from, to) = path.split_once(" -> ").expect("`# link: PATH -> TARGET`");
                self.attack.links.insert(from.to_owned(), to.to_owned());
            }
            "repeat" => self.repeat(rest),
            _ => return false,
        }
        true
    }

    /// `# repeat 200: def f{n}(x):\n    return f{next}(x)`.
    fn repeat(&mut self, rest: &str) {
        let (count, line) = rest.split_once(": ").expect("`# repeat COUNT: TEXT`");
        let count: usize = count.parse().expect("a number of repetitions");
        for n in 0..count {
            let text = line.replace("\\n", "\n").replace("{n}", &n.to_string());
            let text = text.replace("{next}", &((n + 1) % count).to_string());
            self.line(&text.replace("{indent}", &" ".repeat(n)));
        }
    }

    fn line(&mut self, line: &str) {
        let attack = &mut self.attack;
        let text = match &self.place {
            Place::Head => return attack.head(line),
            Place::File(path) => attack.files.get_mut(path),
            Place::Base(path) => attack.base.get_mut(path),
            Place::Then(path) => attack.then.get_mut(path).and_then(Option::as_mut),
            Place::Hex(path) => {
                let bytes = attack.files.get_mut(path).expect("a file that has begun");
                return bytes.extend(hex(line));
            }
        };
        let text = text.expect("a file that has begun");
        text.extend(line.bytes());
        text.push(b'\n');
    }
}

fn hex(line: &str) -> impl Iterator<Item = u8> {
    let digits: Vec<u32> = line.chars().filter_map(|digit| digit.to_digit(16)).collect();
    assert!(digits.len().is_multiple_of(2), "whole bytes: {line}");
    let bytes: Vec<u8> = digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect();
    bytes.into_iter()
}

impl Attack {
    fn head(&mut self, line: &str) {
        let Some((word, rest)) = line.split_once(": ") else {
            return assert!(line.is_empty(), "{}: what is `{line}`?", self.name);
        };
        match word {
            "run" => rest.clone_into(&mut self.run),
            "exit" => self.exits = rest.split(' ').map(|code| code.parse().expect("an exit code")).collect(),
            "says" => self.says.push(said(rest)),
            "either" => self.either.push(said(rest)),
            "names" => self.names.push(rest.to_owned()),
            // For people, and for who wants to run the attack.
            "why" | "drive" => {}
            _ => panic!("{}: what is `{word}`?", self.name),
        }
    }

    /// `# error: GL202` and `# either: GL202` at the end of lines; in a twin they belong to the attack.
    fn marks(&mut self) {
        if self.is_twin {
            return;
        }
        let changed = self.then.iter().filter_map(|(path, text)| Some((path, text.as_ref()?)));
        let unchanged = self.files.iter().filter(|(path, _)| !self.then.contains_key(*path));
        for (path, text) in unchanged.chain(changed) {
            for (number, line) in (1..).zip(String::from_utf8_lossy(text).lines()) {
                let mark = |word| {
                    line.split_once(word).map(|(_, rules)| rules.split_whitespace().map(str::to_owned))
                };
                let at = |rule| Said(rule, path.clone(), number);
                self.says.extend(mark("# error: ").into_iter().flatten().map(at));
                self.says.extend(mark("// error: ").into_iter().flatten().map(at));
                self.either.extend(mark("# either: ").into_iter().flatten().map(at));
                self.either.extend(mark("// either: ").into_iter().flatten().map(at));
            }
        }
        if self.exits.is_empty() {
            self.exits.push(1);
        }
    }
}

/// `GL107 agent/load.py:3`.
fn said(text: &str) -> Said {
    let (rule, place) = text.split_once(' ').expect("`GLxxx PATH:LINE`");
    let (path, line) = place.rsplit_once(':').expect("`GLxxx PATH:LINE`");
    Said(rule.to_owned(), path.to_owned(), line.parse().expect("a line"))
}
