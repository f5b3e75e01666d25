//! A plan as it is sent: `{"planned_calls": ["search_email", "web_search"], "depends_on": [[], [0]]}`.

use serde::Deserialize;
use thiserror::Error;

use super::steps::{Dependencies, Steps};
use super::{Tools, UnknownTool};

/// What is planned, as written.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    planned_calls: Vec<String>,
    /// For each step the earlier steps whose results it needs.
    depends_on: Option<Vec<Vec<usize>>>,
}

/// What is wrong with a plan, and where.
#[derive(Debug, Error)]
pub enum RequestError {
    #[error("the plan is no JSON object with `planned_calls`: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the plan is not UTF-8")]
    NotUtf8,
    #[error("the plan has more than {0} bytes")]
    TooLong(u64),
    #[error("`planned_calls[{step}]`: {unknown}")]
    Unknown { step: usize, unknown: UnknownTool },
    #[error("`depends_on` has {entries} entries for {steps} steps; give each step a list, `[]` for none")]
    Length { entries: usize, steps: usize },
    #[error("`depends_on[{step}]` names step {needs}; a step can only need those before it")]
    NotEarlier { step: usize, needs: usize },
}

impl Planned {
    pub fn read(text: &[u8]) -> Result<Self, RequestError> {
        let text = std::str::from_utf8(text).map_err(|_| RequestError::NotUtf8)?;
        serde_json::from_str(text).map_err(RequestError::from)
    }

    pub fn steps<'t>(&self, tools: &'t Tools) -> Result<Steps<'t>, RequestError> {
        let named = |(step, name): (usize, &String)| {
            tools.named(name).map_err(|unknown| RequestError::Unknown { step, unknown })
        };
        let called: Result<Vec<_>, _> = self.planned_calls.iter().enumerate().map(named).collect();
        Ok(Steps { tools: called?, needs: self.needs()? })
    }

    fn needs(&self) -> Result<Dependencies, RequestError> {
        let steps = self.planned_calls.len();
        let Some(depends_on) = &self.depends_on else { return Ok(Dependencies::none(steps)) };
        if depends_on.len() != steps {
            return Err(RequestError::Length { entries: depends_on.len(), steps });
        }
        for (step, needs) in depends_on.iter().enumerate() {
            if let Some(&needs) = needs.iter().find(|needs| **needs >= step) {
                return Err(RequestError::NotEarlier { step, needs });
            }
        }
        Ok(Dependencies::new(depends_on.clone()))
    }
}
