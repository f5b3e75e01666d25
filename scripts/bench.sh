#!/usr/bin/env bash
# Measures a whole run over a tree: time per step, wall time over several runs beside the parser alone, peak memory.
#
#     scripts/bench.sh FOLDER [OPTION OF `gatelint check`]...
#
# Wall time needs hyperfine; without it each of five runs is printed. Nothing else should run meanwhile.
set -euo pipefail

if [ $# -lt 1 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi

repository=$(cd "$(dirname "$0")/.." && pwd)
# Relative folders are those of the caller.
cargo build --quiet --profile dist --bins --example parse --manifest-path "$repository/Cargo.toml"
built=${CARGO_TARGET_DIR:-$repository/target}/dist
gatelint=$built/gatelint
parser=("$built/examples/parse" "$1")

run=("$gatelint" check "$@" --format json --output /dev/null --exit-zero)

echo "== steps (the first run also warms the disk cache)"
"${run[@]}" --timings

echo "== wall time"
if command -v hyperfine >/dev/null; then
    hyperfine --warmup 2 --runs 10 --shell none "$(printf '%q ' "${run[@]}")" "$(printf '%q ' "${parser[@]}")"
else
    TIMEFORMAT='%R s wall, %U s user, %S s system'
    for _ in 1 2 3 4 5; do
        time "${run[@]}"
        time "${parser[@]}"
    done
fi

echo "== peak memory"
if [ ! -x /usr/bin/time ]; then
    echo "not measured: there is no /usr/bin/time"
elif /usr/bin/time -v true 2>/dev/null; then
    /usr/bin/time -v "${run[@]}" 2>&1 | grep 'Maximum resident'
else
    /usr/bin/time -l "${run[@]}" 2>&1 | grep 'maximum resident'
fi
