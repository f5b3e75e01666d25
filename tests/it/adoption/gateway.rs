//! The gateway of `docs/tool-order.md`, as it stands there: real requests, and an agent that follows a script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{clean, have};
use crate::support::Project;

const PAGE: &str = include_str!("../../../docs/tool-order.md");
const TOOLS: &str = include_str!("../seeds/ordering/manifest.toml");

struct Gateway {
    process: Child,
    port: u16,
    _project: Project,
}

impl Gateway {
    fn start() -> Self {
        let (_, code) = PAGE.split_once("```python\n").unwrap();
        let (code, _) = code.split_once("```").unwrap();
        let project = Project::new(&[("gatelint.toml", TOOLS)]);
        // Outside the project: it is no part of the agent.
        let file = project.path().join(".git/gateway.py");
        std::fs::write(&file, code).unwrap();
        let folder = Path::new(env!("CARGO_BIN_EXE_gatelint")).parent().unwrap();
        let path = std::env::join_paths(
            [folder.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        let mut process = clean("python3")
            .args([file.as_path(), project.path(), Path::new("0")])
            .env("PATH", path.unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { process, port: port.trim().parse().unwrap(), _project: project }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{method} {path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// A session of its own, and the system prompt that it begins with.
    fn session(&self) -> (String, String) {
        let (status, begun) =
            self.ask("POST", "/v1/session", &json!({ "system_prompt": "You are an assistant." }));
        assert_eq!(status, 200);
        let text = |key: &str| begun[key].as_str().unwrap().to_owned();
        (text("session_id"), text("system_prompt"))
    }

    /// Calls tools until one is blocked; how many were not.
    fn call(&self, session: &str, tools: &[&str]) -> usize {
        let path = format!("/v1/session/{session}/call");
        tools.iter().take_while(|tool| self.ask("POST", &path, &json!({ "tool": tool })).0 == 200).count()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What an agent does with a manifest: what has no consequence comes first.
fn reordered<'t>(manifest: &Value, task: &[&'t str]) -> Vec<&'t str> {
    let entries = manifest["tools"].as_array().unwrap();
    let blocks = |tool: &&str| {
        let entry = entries.iter().find(|entry| entry["name"] == **tool).unwrap();
        entry["consequence"].as_str().unwrap().starts_with("calling this tool will block")
    };
    let (last, first): (Vec<_>, Vec<_>) = task.iter().partition(|tool| blocks(tool));
    [first, last].concat()
}

#[test]
fn an_agent_meets_a_block_without_the_manifest_and_none_with_it() {
    if !have(&["python3"]) {
        return;
    }
    let gateway = Gateway::start();
    let task = ["search_email", "web_search"];
    let (unaware, _) = gateway.session();
    assert_eq!(gateway.call(&unaware, &task), 1, "web_search is blocked");

    let (aware, prompt) = gateway.session();
    assert!(prompt.starts_with("You are an assistant.\n\nTool ordering constraint"), "{prompt}");
    let (status, manifest) = gateway.ask("GET", &format!("/v1/session/{aware}/manifest"), &json!({}));
    assert_eq!((status, manifest["session_id"].as_str()), (200, Some(aware.as_str())));
    let planned = reordered(&manifest, &task);
    assert_eq!(planned, ["web_search", "search_email"]);
    assert_eq!(gateway.call(&aware, &planned), 2, "nothing is blocked");

    let path = format!("/v1/session/{aware}/validate-plan");
    let (status, answer) = gateway.ask("POST", &path, &json!({ "planned_calls": task }));
    assert_eq!((status, &answer["valid"], &answer["safe_ordering"]), (200, &false.into(), &json!(planned)));
    let (status, answer) = gateway.ask("POST", &path, &json!({ "planned_calls": planned }));
    assert_eq!((status, &answer["valid"]), (200, &true.into()));
    let (status, answer) = gateway.ask("POST", &path, &json!({ "planned_calls": ["web_serch"] }));
    assert_eq!(status, 400, "{answer}");
}
