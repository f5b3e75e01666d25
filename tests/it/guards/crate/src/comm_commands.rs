use std::time::Duration;

use serde_json::{json, Value};

use crate::guards::{log_audit_event, AttributionGuard, ContentFence, PhaseGate};

pub trait Command {
    const NAMESPACE: &'static str;
    const NAME: &'static str;

    fn execute(&self, args: &Value, execution_phase: &str) -> Result<Value, String>;
}

pub struct Fetch {
    client: reqwest::blocking::Client,
}

impl Command for Fetch {
    const NAMESPACE: &'static str = "comm";
    const NAME: &'static str = "comm.fetch";

    fn execute(&self, args: &Value, execution_phase: &str) -> Result<Value, String> {
        PhaseGate::check("comm.fetch", execution_phase)?;
        if args.get("justification").is_none() {
            return Err("the declaration lacks its justification".to_string());
        }
        log_audit_event("COMM_STARTED", "comm.fetch");
        let outcome = self.fetch(args);
        log_audit_event("COMM_COMPLETED", "comm.fetch");
        outcome
    }
}

impl Fetch {
    fn fetch(&self, args: &Value) -> Result<Value, String> {
        let url = args["parameters"]["url"].as_str().unwrap_or_default();
        let response = self
            .client
            .get(url)
            .timeout(Duration::from_secs(10))
            .send()
            .map_err(|error| error.to_string())?;
        let text = response.text().map_err(|error| error.to_string())?;
        let attributed = AttributionGuard::attribute(json!({"content": text}), "fetch");
        Ok(ContentFence::wrap(attributed, url))
    }
}
