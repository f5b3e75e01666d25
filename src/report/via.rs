//! How an agent gets to a finding, as one line: the same words in every format.

use super::numbers::counted;
use super::places::Places;
use super::{confidence, escape};
use crate::finding::Via;

/// `tool `memorize` (agent.py:12), 2 calls away`.
pub fn line(via: &Via, places: &Places) -> String {
    let at = format!("{}:{}", escape::line(places.path(via.at)), places.line(via.at));
    let away = if via.calls == 0 { String::new() } else { format!(", {} away", counted(via.calls, "call")) };
    let sure = confidence(via.confidence);
    format!("{} `{}` ({at}){away}{sure}", via.kind.noun(), escape::line(&via.name))
}
