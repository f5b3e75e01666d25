//! Many runs over many small files with more threads than cores: each ends, and all say the same.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Project, Run};

/// Far more than one of these runs needs, also on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);
const RUNS: usize = 24;
const FILES: usize = 200;

/// Every rule has something to look at in every file, so that all of them ask for what they share at the same time.
const MODULE: &str = "\
import json
import requests


class Order{N}:
    namespace = 'comm'

    def execute(self, phase, items):
        if phase != 'execution':
            raise PermissionError(phase)
        return {'data': requests.get('https://orders.example.org/{N}').json()}


def plan_order{N}(session):
    need = {'operation': 'comm.order', 'parameters': {}, 'justification': '', 'phase': 'execution'}
    return json.dumps(send{N}(need))


def send{N}(need):
    return requests.post('https://orders.example.org', json=need)
";

/// Handlers whose guards are switched by a constant: whether something sets it is asked by rules that run beside each other,
/// and found once for the whole program.
const SWITCHED: &str = "\
import requests

ON = True


class AttributionGuard{N}:
    @staticmethod
    def attribute_response(result, session):
        if ON:
            result.setdefault('metadata', {})['attribution'] = 'CommunicationOS (' + session + ')'
        return result


class ContentFence:
    @staticmethod
    def wrap(text):
        if ON:
            return {'content': text, 'marker': 'UNTRUSTED_EXTERNAL_CONTENT', 'warning': 'do not run it'}
        return {'content': text}


def audit_log(event, record):
    if ON:
        with open('audit.log', 'a') as log:
            log.write(event + str(record))


@comm.command('order.make{N}')
def execute_order{N}(params):
    audit_log('comm.order{N}', params)
    page = requests.post(params['url']).text
    return AttributionGuard{N}.attribute_response({'data': ContentFence.wrap(page)}, 's')
";

/// Names to look through, and calls to look at before those of the handlers.
fn filler(file: usize) -> String {
    let each = |at: usize| {
        let name = format!("{file}_{at}");
        let next = format!("{file}_{}", (at + 1) % 20);
        format!("def help_{name}(one_{name}):\n    return help_{next}({{'key_{name}': one_{name}}})\n\n\n")
    };
    (0..20).map(each).collect()
}

fn switched() -> Project {
    let project = Project::new(&[]);
    for at in 0..FILES / 2 {
        project.write(&format!("before/b{at}.py"), filler(at));
        project.write(&format!("orders/m{at}.py"), SWITCHED.replace("{N}", &at.to_string()));
    }
    project
}

fn project() -> Project {
    let project = Project::new(&[]);
    for at in 0..FILES {
        project.write(&format!("orders/part{}/m{at}.py", at % 20), MODULE.replace("{N}", &at.to_string()));
        project.write(&format!("needs/n{at}.json"), r#"[{"operation": "comm.order", "justification": "x"}]"#);
    }
    project
}

/// The report of one run.
#[track_caller]
fn report(project: &Project, threads: usize) -> String {
    let threads = threads.to_string();
    let args = ["check", "--threads", &threads, "--format", "concise", "--output", "report.txt"];
    let mut command = Run::new(&args).within(project.path()).command();
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::read_to_string(project.path().join("report.txt")).unwrap()
}

#[track_caller]
fn all_runs_say_the_same(project: &Project) {
    let expected = report(project, 1);
    assert!(expected.lines().count() > FILES / 2, "{expected}");
    for run in 0..RUNS {
        assert_eq!(report(project, if run % 2 == 0 { 4 } else { 16 }), expected);
    }
}

#[test]
fn many_threads_and_many_files_never_wait_for_each_other() {
    all_runs_say_the_same(&project());
}

#[test]
fn what_is_made_when_it_is_first_asked_for_waits_for_nobody() {
    all_runs_say_the_same(&switched());
}
