"""Runs the call forms (tests/it/forms): what a binary makes of each, and whether the Python ones call what they say.

    python scripts/forms.py                                    runs every case in Python, with a `net` that writes down its calls
    python scripts/forms.py --binary target/release/gatelint   what is found of each family, counted, silent, or noisy in the twin
    python scripts/forms.py --binary … --verbose               each case that is not found
    python scripts/forms.py --binary … --misses                what comes out otherwise than misses.txt says, as lines for it

`--only WORD` takes the cases whose name holds the word. A case is driven by `plan_task("x")`, or by the code behind `# drive:`;
with `none` it is not. Libraries that are not installed are replaced by the stand-ins below, as far as the cases need them.
Some cases need Python 3.12; `--python` says which interpreter runs them.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent.parent / "tests" / "it" / "forms"
LANGUAGES = {"python": ("# ", "agent.py"), "rust": ("// ", "src/agent.rs")}

class Case:
    def __init__(self, language, common=None):
        self.language = language
        self.drive, self.files = None, {}
        # What sends and what does not.
        self.red, self.twin = {}, {}
        if common:
            self.files, self.red, self.twin = dict(common.files), common.red, common.twin

    def called(self, title):
        self.family, _, name = title.partition(": ")
        self.name = f"{self.language}/{self.family}/{name}"
        return self

    def read(self, text, first=None):
        mark, _ = LANGUAGES[self.language]
        into = {"file": self.files, "red": self.red, "twin": self.twin}
        place, path = self.files, first
        for line in text.splitlines():
            word, _, rest = line[len(mark):].partition(": ") if line.startswith(mark) else ("", "", "")
            if word in into:
                place, path = into[word], rest.strip()
                place[path] = ""
            elif word == "drive":
                self.drive = rest
            elif path:
                place[path] = place.get(path, "") + line + "\n"
        return self

    def write(self, folder, red):
        (folder / ".git").mkdir(parents=True)
        for path, text in (self.files | (self.red if red else self.twin)).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")


def cases(only=""):
    for language, (_, first) in LANGUAGES.items():
        text = (FOLDER / f"{language}.txt").read_text(encoding="utf-8")
        head, *sections = re.split(r"^## ", text, flags=re.M)
        common = Case(language).read(head)
        for section in sections:
            title, _, body = section.partition("\n")
            case = Case(language, common).called(title).read(body, first)
            if only in case.name:
                yield case


# ---- in Python

RECORD = """
import os

def _sent(value):
    with open(os.environ["FORMS_LOG"], "a") as log:
        log.write("sent\\n")
    return "sent x"

def send(value=None):
    return _sent(value)

async def asend(value=None):
    return _sent(value)

class Client:
    def send(self, value=None):
        return _sent(value)
"""

DRIVE = """
import os, sys
sys.path.append(os.environ["FORMS_STUBS"])
sys.dont_write_bytecode = True
import agent
if os.path.exists(os.environ["FORMS_LOG"]):
    os._exit(9)
"""

PLAN = """
import asyncio, inspect
made = agent.plan_task("x")
if inspect.iscoroutine(made):
    made = asyncio.run(made)
if inspect.isgenerator(made):
    made = list(made)
"""

# What of each library the cases need, without its broker, server or model.
STUBS = {
    "celery/__init__.py": """
class Task:
    def __init__(self, call, bind=False):
        self.call = (lambda *a, **k: call(self, *a, **k)) if bind else call
    def __call__(self, *args, **kwargs):
        return self.call(*args, **kwargs)
    def delay(self, *args, **kwargs):
        return self.call(*args, **kwargs)
    def apply_async(self, args=(), kwargs=None, **options):
        return self.call(*args, **(kwargs or {}))
    def s(self, *args):
        return Signature(self, args)
class Signature:
    def __init__(self, task, args):
        self.task, self.args = task, args
    def apply_async(self):
        return self.task(*self.args)
class chain:
    def __init__(self, *parts):
        self.parts = parts
    def apply_async(self):
        last = None
        for number, part in enumerate(self.parts):
            last = part.task(*part.args) if number == 0 else part.task(last, *part.args)
        return last
def shared_task(call=None, bind=False, **options):
    return Task(call, bind) if call else lambda call: Task(call, bind)
class Celery:
    def __init__(self, *args, **kwargs):
        self.task = shared_task
""",
    "dramatiq/__init__.py": """
class Actor:
    def __init__(self, call):
        self.call = call
    def send(self, *args):
        self.call(*args)
    def send_with_options(self, args=(), **options):
        self.call(*args)
def actor(call=None, **options):
    return Actor(call) if call else Actor
""",
    "rq/__init__.py": """
class Queue:
    def enqueue(self, call, *args):
        return call(*args)
""",
    "huey/__init__.py": """
class MemoryHuey:
    def __init__(self, **options):
        pass
    def task(self):
        return lambda call: call
""",
    "apscheduler/__init__.py": "",
    "apscheduler/schedulers/__init__.py": "",
    "apscheduler/schedulers/background.py": """
class BackgroundScheduler:
    def add_job(self, call, trigger, args=(), **options):
        self.job = call, args
    def start(self):
        call, args = self.job
        call(*args)
""",
    "prefect/__init__.py": """
def flow(call):
    return call
class task:
    def __init__(self, call):
        self.call = call
    def submit(self, *args):
        return self.call(*args)
""",
    "langgraph/__init__.py": "",
    "langgraph/graph.py": """
END = "end"
class StateGraph:
    def __init__(self, state):
        self.nodes, self.edges = {}, {}
    def add_node(self, name, call):
        self.nodes[name] = call
    def set_entry_point(self, name):
        self.first = name
    def add_edge(self, start, end):
        self.edges[start] = end
    def compile(self):
        return self
    def invoke(self, state):
        name = self.first
        while name != END:
            state, name = self.nodes[name](state), self.edges[name]
        return state
""",
    "langchain_core/__init__.py": "",
    "langchain_core/tools.py": """
class tool:
    def __init__(self, call):
        self.call = call
    def invoke(self, value):
        return self.call(value)
""",
}


def entry_points(folder, text):
    """What an installer makes of the entry points of a project."""
    lines = text.partition("entry-points.")[2].splitlines()
    if lines:
        made = folder / "agent-1.0.dist-info"
        made.mkdir()
        (made / "METADATA").write_text("Metadata-Version: 2.1\nName: agent\nVersion: 1.0\n")
        group = lines[0].strip("\"]")
        (made / "entry_points.txt").write_text(f"[{group}]\n" + "\n".join(lines[1:]).replace('"', "") + "\n")


def prove(case, python, stubs):
    """True if the case has called `net`, and why not."""
    if case.drive == "none":
        return None, "not driven"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        case.write(folder / "p", red=False)
        (folder / "p" / "net.py").write_text(RECORD)
        entry_points(folder / "p", case.files.get("pyproject.toml", ""))
        log = folder / "log"
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder / "p"), "FORMS_LOG": str(log), "FORMS_STUBS": stubs}
        try:
            ran = subprocess.run(
                [python, "-c", DRIVE + (case.drive + "\n" if case.drive else PLAN)],
                cwd=folder / "p", env=environment, capture_output=True, text=True, timeout=60,
            )
        except subprocess.TimeoutExpired:
            return False, "does not end"
        if ran.returncode == 9:
            return False, "sends as soon as it is imported"
        return log.exists(), (ran.stderr.strip().splitlines() or ["it calls nothing"])[-1][:200]


def prove_all(args):
    failed = counts = 0
    with tempfile.TemporaryDirectory() as stubs, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, text in STUBS.items():
            path = pathlib.Path(stubs) / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        chosen = [case for case in cases(args.only) if case.language == "python"]
        for case, (sent, why) in zip(chosen, pool.map(lambda case: prove(case, args.python, stubs), chosen)):
            counts += sent is True
            if not sent:
                failed += sent is False
                print(f"{case.name}: {why}")
    print(f"{counts} of {len(chosen)} cases send, {failed} do not")
    return bool(failed)


# ---- by gatelint


def check(case, binary, red):
    """The exit code, and the rules of the findings: of GL201 alone where `net` sends, of all in the twin."""
    more = ["--select", "GL201", "--strict-coverage"] if red else []
    with tempfile.TemporaryDirectory() as folder:
        case.write(pathlib.Path(folder) / "p", red)
        ran = subprocess.run([binary, "check", ".", "--format", "json", *more], cwd=f"{folder}/p", capture_output=True, text=True)
    if ran.returncode not in (0, 1, 4):
        raise SystemExit(f"{case.name}: exit code {ran.returncode}: {ran.stderr}")
    return ran.returncode, {finding["rule"] for finding in json.loads(ran.stdout)["findings"]}


def judge(case, binary):
    """`found`, `counted` as a call that is not resolved, or `silent`; and whether the twin is noisy."""
    code, found = check(case, binary, red=True)
    noisy = check(case, binary, red=False) != (0, set())
    return "found" if "GL201" in found else "counted" if code == 4 else "silent", noisy


def misses():
    """What is known to be missed, each with how."""
    path = FOLDER / "misses.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    pairs = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    return {name: reason.rpartition(", ")[2] for name, reason in pairs}


def judge_all(args):
    binary = str(pathlib.Path(args.binary).resolve())
    chosen, known, table = list(cases(args.only)), misses(), {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda case: judge(case, binary), chosen))
    for case, (verdict, noisy) in zip(chosen, verdicts):
        counts = table.setdefault((case.language, case.family), collections.Counter())
        counts.update([verdict, *["noisy"] * noisy])
        if args.verbose and (verdict != "found" or noisy):
            print(verdict + (", noisy twin" if noisy else ""), case.name)
        if args.misses and verdict != known.get(case.name, "found"):
            was = f" (was: {known[case.name]})" if case.name in known else ""
            print(f"{case.name}: the call graph does not see this call, {verdict}{was}")
    if args.misses:
        return False
    columns = ("found", "counted", "silent", "noisy")
    print(f"{'':32}" + "".join(f"{column:>9}" for column in columns))
    total = collections.Counter()
    for (language, family), counts in sorted(table.items()):
        print(f"{language + '/' + family:32}" + "".join(f"{counts[column]:9}" for column in columns))
        total += counts
    print(f"{f'{len(chosen)} cases':32}" + "".join(f"{total[column]:9}" for column in columns))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--misses", action="store_true")
    args = parser.parse_args()
    sys.exit(judge_all(args) if args.binary else prove_all(args))


if __name__ == "__main__":
    main()
