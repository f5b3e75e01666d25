"""Runs the attack suite (tests/it/attacks) against a binary, and proves that attacks are real by running them.

    python scripts/attacks.py target/release/gatelint            what each binary says, and counts per family
    python scripts/attacks.py target/release/gatelint --verbose  with what was said instead
    python scripts/attacks.py --prove                            runs every attack that says how, with libraries replaced

A proof starts the code under `drive:` in a temporary folder. What would reach the outside world prints REACHED in place
of doing so; nothing leaves the machine.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent.parent / "tests" / "it" / "attacks"

STUB = """
import sys

class _Any:
    text = content = "reply"
    status_code = 200
    def __init__(self, *a, **k): pass
    def json(self): return {"reply": 1}
    def __call__(self, *a, **k): return reached(*a, **k)
    def __getattr__(self, name): return self
    def __enter__(self): return self
    def __exit__(self, *a): return False

def reached(*args, **kwargs):
    print("REACHED", flush=True)
    return _Any()

get = post = put = delete = request = head = urlopen = run = reached
class Session:
    def get(self, *a, **k): return reached()
    post = put = request = get
"""

SITE = """
import builtins, os, subprocess, socket, urllib.request, importlib.util, sys
import requests
subprocess.run = subprocess.call = subprocess.check_output = subprocess.Popen = requests.reached
os.system = os.popen = requests.reached
urllib.request.urlopen = requests.reached
socket.create_connection = requests.reached
"""


class Attack:
    def __init__(self, other=None):
        self.name, self.twin = "", False
        self.head = {"run": ["check"]}
        self.files, self.links, self.then, self.base = {}, {}, {}, {}
        if other:
            self.head = {key: list(value) for key, value in other.head.items()}
            for kind in ("files", "links", "then", "base"):
                setattr(self, kind, dict(getattr(other, kind)))

    def read(self, text):
        place = None
        for line in text.splitlines():
            word, _, rest = line[2:].partition(" ") if line.startswith("# ") else ("", "", "")
            rest = rest.strip()
            if word in ("file:", "hex:"):
                place = (self.files, rest, word == "hex:")
            elif word == "then:":
                place = (self.then, rest, False)
            elif word == "base:":
                place = (self.base, rest, False)
            elif word == "gone:":
                self.then[rest] = None
            elif word == "without:":
                self.files.pop(rest, None)
            elif word == "link:":
                a, b = rest.split(" -> ")
                self.links[a] = b
            elif word == "repeat":
                count, text = line[len("# repeat "):].split(": ", 1)
                text, lines = text.replace("\\n", "\n"), []
                for n in range(int(count)):
                    new = text.replace("{n}", str(n)).replace("{next}", str((n + 1) % int(count)))
                    lines.append(new.replace("{indent}", " " * n) + "\n")
                place[0][place[1]] += "".join(lines).encode()
                continue
            elif place is None:
                if line:
                    key, _, value = line.partition(": ")
                    known = ("run", "exit", "says", "either", "names", "why", "drive")
                    assert key in known, f"{self.name}: what is {line}?"
                    if key in ("run", "exit"):
                        self.head[key] = []
                    self.head.setdefault(key, []).append(value)
                continue
            elif place[2]:
                place[0][place[1]] += bytes.fromhex(line)
                continue
            else:
                place[0][place[1]] += line.encode() + b"\n"
                continue
            if word in ("file:", "hex:", "then:", "base:"):
                place[0][place[1]] = b""
        return self

    def marks(self):
        exits = [int(code) for code in " ".join(self.head.get("exit", [])).split()]
        says = [tuple(text.split(" ", 1)) for text in self.head.get("says", [])]
        either = [tuple(text.split(" ", 1)) for text in self.head.get("either", [])]
        if self.twin:
            return exits or [0], says, either
        now = {**self.files, **{path: text for path, text in self.then.items() if text is not None}}
        for path, text in now.items():
            for number, line in enumerate(text.decode(errors="replace").split("\n"), 1):
                for mark, into in (("# error: ", says), ("// error: ", says), ("# either: ", either), ("// either: ", either)):
                    if mark in line:
                        into += [(rule, f"{path}:{number}") for rule in line.split(mark, 1)[1].split()]
        return exits or [1], says, either

    def write(self, folder):
        (folder / ".git").mkdir(parents=True)
        for path, text in self.files.items():
            put(folder / path, text)
        for path, target in self.links.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).symlink_to(target)

    def change(self, folder):
        for path, text in self.then.items():
            if text is None:
                (folder / path).unlink()
            else:
                put(folder / path, text)


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


def attacks(family):
    first, *sections = family.read_text(encoding="utf-8").split("\n=== ")
    common = Attack().read(first)
    last = None
    for section in sections:
        title, _, body = section.partition("\n")
        attack = Attack(last if title == "twin" else common)
        if title == "twin":
            attack.name, attack.twin = f"{last.name}/twin", True
            attack.head = {key: last.head[key] for key in ("run", "drive") if key in last.head}
        else:
            attack.name = f"{family.stem}/{title}"
            last = attack
        yield attack.read(body)


def judge(attack, binary, older=True):
    exits, says, either = attack.marks()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as base:
        project = pathlib.Path(folder) / "p"
        attack.write(project)
        for path, text in attack.base.items():
            put(pathlib.Path(base) / path, text)
        *before, last = attack.head["run"][0].replace("{base}", base).split("; ")
        for command in before:
            subprocess.run([binary, *command.split()], cwd=project, capture_output=True)
        attack.change(project)
        ran = subprocess.run([binary, *last.split(), "--format", "json"], cwd=project, capture_output=True, text=True)
        if older and ran.returncode == 2 and "--base" in last and "unexpected argument" in ran.stderr:
            # An older binary: what it says without the option.
            last = last.replace(f"--base {base}", "")
            ran = subprocess.run([binary, *last.split(), "--format", "json"], cwd=project, capture_output=True, text=True)
    try:
        found = json.loads(ran.stdout)["findings"]
    except ValueError:
        found = []
    said = {(f["rule"], f"{f['location']['path']}:{f['location']['start']['line']}") for f in found}
    said |= {(f["rule"], f"{f['location']['path']}:0") for f in found}
    ok = ran.returncode == 4 or all(s in said for s in says) and (not either or any(s in said for s in either))
    ok = ok and ran.returncode in exits
    ok = ok and all(name in ran.stdout + ran.stderr for name in attack.head.get("names", []))
    verdict = "ok" if ok else "green" if ran.returncode == 0 else "otherwise"
    return verdict, f"exit {ran.returncode} not {exits}, said {sorted(said)}, must {says} {either} {ran.stderr.strip()[:300]}"


def prove(attack):
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder) / "p"
        attack.write(project)
        attack.change(project)
        stubs = pathlib.Path(folder) / "stubs"
        put(stubs / "requests" / "__init__.py", STUB.encode())
        put(stubs / "httpx" / "__init__.py", STUB.encode())
        put(stubs / "sitecustomize.py", SITE.encode())
        code = attack.head["drive"][-1].replace("\\n", "\n")
        ran = subprocess.run(
            [sys.executable, *(["-O"] if "__debug__" in code else []), "-c", code], cwd=project, capture_output=True, text=True,
            env={"PYTHONPATH": f"{project}:{stubs}", "PATH": "/usr/bin:/bin"}, timeout=60,
        )
    word = "BROKEN" if "BROKEN" in code else "REACHED"
    return word in ran.stdout, (ran.stdout[-300:] + ran.stderr[-900:])


def main(args):
    verbose = "--verbose" in args
    wanted = [arg for arg in args[1:] if not arg.startswith("--")] if args[0] != "--prove" else [a for a in args[1:] if not a.startswith("--")]
    total = {}
    for family in sorted(FOLDER.glob("*.txt")):
        if family.stem in ("misses", "before") or wanted and not any(w.split("/")[0] == family.stem for w in wanted):
            continue
        counts = total.setdefault(family.stem, {})
        for attack in attacks(family):
            if any("/" in w for w in wanted) and not any(w in attack.name for w in wanted):
                continue
            if args[0] == "--prove":
                if "drive" not in attack.head:
                    verdict, why = "not driven", ""
                else:
                    reached, why = prove(attack)
                    verdict = "reached" if reached else "not reached"
                    verdict = f"twin {verdict}" if attack.twin else verdict
                show = verdict in ("not reached", "twin reached")
            else:
                verdict, why = judge(attack, pathlib.Path(args[0]).resolve())
                verdict = f"twin {verdict}" if attack.twin else verdict
                show = not verdict.endswith("ok")
            counts[verdict] = counts.get(verdict, 0) + 1
            if show:
                print(f"{verdict:12} {attack.name}" + (f"\n      {why}" if verbose else ""))
    for family, counts in total.items():
        print(f"{family:24}", ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
