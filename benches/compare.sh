#!/usr/bin/env bash
# Measures gatelint beside other linters on the same sources from PyPI: wall time and processor time by hyperfine, and peak memory.
#
#     benches/compare.sh [FOLDER]
#
# The tools, at pinned versions, and the sources (about 1.6 million lines) are put into FOLDER, by default `target/compare`, and
# are there the next time. Needs Python 3, hyperfine and a compiler. Nothing of the sources is run. Nothing else should run meanwhile.
set -euo pipefail

readonly TOOLS=(ruff==0.17.6 ast-grep-cli==0.51.1 semgrep==1.185.0 bandit==1.9.4)
readonly SOURCES=(
    agno==3.1.10 camel-ai==0.2.90 crewai==1.15.30 google-adk==2.13.0 griptape==1.13.0 langchain-community==0.4.2
    llama-index-core==0.14.25 metagpt==0.8.2 openai-agents==0.24.0 semantic-kernel==1.45.0
)

repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "${1:-$repository/target/compare}" && cd "${1:-$repository/target/compare}" && pwd)
python=$folder/tools/bin/python

if ! command -v hyperfine >/dev/null; then
    echo 'hyperfine is missing: `cargo install hyperfine`, or the package of your system' >&2
    exit 2
fi

if [ ! -x "$python" ]; then
    python3 -m venv "$folder/tools"
    "$python" -m pip install --quiet --disable-pip-version-check "${TOOLS[@]}"
fi

# One folder for each package, out of its wheel; an interrupted one is fetched again.
fetch() {
    local name=${1%%==*} wheels
    [ -e "$folder/sources/$name" ] && return
    wheels=$(mktemp -d -p "$folder")
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --dest "$wheels" "$1"
    mkdir -p "$folder/sources"
    "$python" -m zipfile -e "$wheels"/*.whl "$wheels/out"
    mv "$wheels/out" "$folder/sources/$name"
    rm -rf "$wheels"
}
for source in "${SOURCES[@]}"; do fetch "$source"; done

cargo build --quiet --profile dist --bin gatelint --manifest-path "$repository/Cargo.toml"
PATH=$folder/tools/bin:${CARGO_TARGET_DIR:-$repository/target}/dist:$PATH
export PATH SEMGREP_ENABLE_VERSION_CHECK=0 SEMGREP_SEND_METRICS=off

# The same question for those that take patterns: is something run that was put together?
cat >"$folder/semgrep.yml" <<'RULE'
rules:
  - id: runs-what-it-is-given
    languages: [python]
    severity: ERROR
    message: a command that is put together
    mode: taint
    pattern-sources: [{pattern: "def $F(..., $X, ...): ..."}]
    pattern-sinks: [{pattern: "subprocess.$RUN(...)"}, {pattern: "os.system(...)"}, {pattern: "eval(...)"}]
RULE
cat >"$folder/ast-grep.yml" <<'RULE'
id: runs-what-it-is-given
language: python
severity: error
rule: {any: [{pattern: "subprocess.$RUN($$$)"}, {pattern: "os.system($$$)"}, {pattern: "eval($$$)"}]}
RULE

# By name: what to run on the sources.
commands() {
    local at=$1
    printf '%s\t%s\n' \
        gatelint "gatelint check $at --isolated --no-ignore --no-cache --format json" \
        ruff "ruff check --no-cache --isolated --select TID251,S $at" \
        ast-grep "ast-grep scan --rule $folder/ast-grep.yml $at" \
        bandit "bandit --quiet --recursive $at" \
        semgrep "semgrep scan --quiet --disable-version-check --metrics off --config $folder/semgrep.yml $at"
}

measure() {
    local at=$1 title=$2 names=() runs=() name run
    while IFS=$'\t' read -r name run; do
        names+=(--command-name "$name")
        runs+=("$run")
    done < <(commands "$at")
    echo "== $title: $(find "$at" -name '*.py' | wc -l) files, $(find "$at" -name '*.py' -exec cat {} + | wc -l) lines"
    # An exit code says what was found, and is not looked at.
    hyperfine --ignore-failure --warmup 1 --runs 3 --shell none --style none \
        --export-json "$folder/times.json" "${names[@]}" "${runs[@]}" >/dev/null 2>&1
    "$python" - "$folder/times.json" "${runs[@]}" <<'TABLE'
import json, os, shlex, subprocess, sys


def peak(command):
    """In MB, of the largest of its processes, in one run more: not every hyperfine tells it."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    _, _, used = os.wait4(subprocess.Popen(shlex.split(command), **quiet).pid, 0)
    return used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


results = json.load(open(sys.argv[1]))["results"]
first = results[0]["mean"]
print(f"{'':10} {'wall':>9} {'processor':>10} {'memory':>9} {'wall, gatelint is 1':>20}")
for it, command in zip(results, sys.argv[2:]):
    processor = it["user"] + it["system"]
    print(f"{it['command']:10} {it['mean']:7.2f} s {processor:8.2f} s {peak(command):6.0f} MB {it['mean'] / first:20.2f}")
TABLE
}

for source in "${SOURCES[@]}"; do measure "$folder/sources/${source%%==*}" "$source"; done
measure "$folder/sources" 'all together'
