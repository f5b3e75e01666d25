//! Texts for readers: seeds that are damaged, and pieces that a reader knows in any order.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What one damage does to a text.
#[derive(Clone, Debug)]
enum Damage {
    /// Takes out what stands between two places.
    Cut(f64, f64),
    /// Puts in something.
    Insert(f64, String),
    /// Puts what stands between two places somewhere else.
    Copy(f64, f64, f64),
    /// Says something again and again.
    Repeat(f64, f64, u8),
}

fn place(text: &str, at: f64) -> usize {
    text.floor_char_boundary((text.len() as f64 * at) as usize)
}

fn range(text: &str, a: f64, b: f64) -> std::ops::Range<usize> {
    // Most damage is small.
    let start = place(text, a);
    let end = text.floor_char_boundary((start + 1 + (b * b * 200.0) as usize).min(text.len()));
    start..end.max(start)
}

impl Damage {
    fn done(&self, text: &mut String) {
        match self {
            Damage::Cut(a, b) => text.replace_range(range(text, *a, *b), ""),
            Damage::Insert(at, what) => text.insert_str(place(text, *at), what),
            Damage::Copy(a, b, to) => {
                let piece = text[range(text, *a, *b)].to_owned();
                text.insert_str(place(text, *to), &piece);
            }
            Damage::Repeat(a, b, count) => {
                let range = range(text, *a, *b);
                let piece = text[range.clone()].repeat(usize::from(*count) + 2);
                text.replace_range(range, &piece);
            }
        }
    }
}

/// One of the seeds with a little damage, or pieces in any order.
pub fn text(seeds: Vec<String>, pieces: &'static [&'static str]) -> BoxedStrategy<String> {
    let piece = || {
        prop_oneof![
            8 => select(pieces).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
            1 => "[ \t\r\n\0\\\\{}()\\[\\]\"'#]{1,4}",
        ]
    };
    let part = || 0.0..1.0f64;
    let damage = prop_oneof![
        (part(), part()).prop_map(|(a, b)| Damage::Cut(a, b)),
        (part(), piece()).prop_map(|(at, what)| Damage::Insert(at, what)),
        (part(), part(), part()).prop_map(|(a, b, to)| Damage::Copy(a, b, to)),
        (part(), part(), any::<u8>()).prop_map(|(a, b, count)| Damage::Repeat(a, b, count)),
    ];
    let damaged = (select(seeds), vec(damage, 0..6)).prop_map(|(mut text, damages)| {
        damages.iter().for_each(|damage| damage.done(&mut text));
        text
    });
    prop_oneof![3 => damaged, 2 => vec(piece(), 0..60).prop_map(|pieces| pieces.concat())].boxed()
}
