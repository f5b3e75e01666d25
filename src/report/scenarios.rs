//! What `gatelint scenarios` prints: one scenario a line, for gates, and the score of a gate, for people and for programs.

use std::io::{self, Write};

use super::{escape, json, tolerate_closed_pipe};
use crate::scenarios::{Decision, Missed, Scenario, Score, Tally};

pub fn scenarios(all: &[Scenario], out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| all.iter().try_for_each(|scenario| json::write_line(scenario, out)))
}

pub fn score_json(score: &Score<'_>, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| json::write_value(score, out))
}

pub fn score(score: &Score<'_>, out: &mut dyn Write) -> io::Result<()> {
    tolerate_closed_pipe(|| {
        missed("false approvals", Some(Decision::Approve), &score.false_approvals, out)?;
        missed("false rejections", Some(Decision::Reject), &score.false_rejections, out)?;
        missed("without a verdict", None, &score.unanswered, out)?;
        let names = score.categories.iter().map(|(name, _)| name.chars().count());
        let width = names.chain(["all".len()]).max().unwrap_or_default();
        for (name, tally) in &score.categories {
            line(name, *tally, width, out)?;
        }
        line("all", score.all, width, out)?;
        out.flush()
    })
}

fn line(name: &str, Tally { agreed, of }: Tally, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{name:<width$}  {agreed} of {of}")
}

fn missed(title: &str, said: Option<Decision>, all: &[Missed<'_>], out: &mut dyn Write) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}: {}", all.len())?;
    for Missed { id, skill_name, why, reason, .. } in all {
        writeln!(out, "  {}: `{}`", escape::line(id), escape::line(skill_name))?;
        writeln!(out, "    expected: {}", escape::line(why))?;
        if let (Some(said), Some(reason)) = (said, reason) {
            writeln!(out, "    {}: {}", said.name(), escape::line(reason))?;
        }
    }
    writeln!(out)
}
