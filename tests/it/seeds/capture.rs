//! Seed 001, what a capture function must do and must not do.

use super::lines;
use crate::support::Project;

/// The lines of a capture function, which begin at 9, on which a rule reports.
fn reported(rule: &str, body: &str) -> Vec<u64> {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let code = format!(
        "import json
import time
import threading
import openai
from agentos import comm
from core.audit import log_audit_event
client = openai.OpenAI()
def capture_external_info_declarations(response, session):
{body}"
    );
    lines(&Project::new(&[("agent.py", &code)]), rule)
}

const LOGGED: &str = "log_audit_event('EXTERNAL_INFO_DECLARED', metadata=json.loads(response))";

#[test]
fn capture_declarations_from_responses_and_log_them_to_the_audit_trail() {
    assert_eq!(reported("GL208", LOGGED), [0; 0]);
    assert_eq!(reported("GL208", "return json.loads(response)['declarations']"), [0; 0]);
    assert_eq!(reported("GL208", "found = json.loads(response)\nreturn None"), [8]);
    assert_eq!(reported("GL208", "pass"), [8]);
}

#[test]
fn never_trigger_comm_commands_from_the_capture_mechanism() {
    assert_eq!(reported("GL511", LOGGED), [0; 0]);
    assert_eq!(reported("GL511", &format!("{LOGGED}\ncomm.search(response)")), [10]);
}

#[test]
fn never_modify_the_content_of_the_response() {
    assert_eq!(reported("GL512", &format!("{LOGGED}\nreturn response")), [0; 0]);
    assert_eq!(reported("GL512", &format!("{LOGGED}\nresponse['content'] = ''")), [10]);
}

#[test]
fn never_block_or_delay_the_delivery_of_the_response() {
    assert_eq!(reported("GL511", &format!("{LOGGED}\ntime.sleep(1)")), [10]);
    let asks = "client.chat.completions.create(model='small', messages=[])";
    assert_eq!(reported("GL511", &format!("{LOGGED}\n{asks}")), [10]);
    let beside = format!("{LOGGED}\nthreading.Thread(target=lambda: {asks}).start()");
    assert_eq!(reported("GL511", &beside), [0; 0]);
}

#[test]
fn never_raise_exceptions_that_break_the_flow_of_the_chat() {
    assert_eq!(reported("GL513", &format!("{LOGGED}\nraise ValueError(response)")), [10]);
    assert_eq!(
        reported("GL513", &format!("try:\n    raise ValueError\nexcept ValueError:\n    {LOGGED}")),
        [0; 0]
    );
}
