#!/usr/bin/env bash
# The steps of action.yml: `check` fetches gatelint and runs it, `gate` ends with its exit code. Inputs come as environment
# variables and are handed on as words of arrays, so that nothing of a workflow or a pull request is ever read as code.
set -euo pipefail

readonly SUMMARY_LIMIT=$((900 * 1024))

# Text as the data of a workflow command.
escaped() {
    local text=${1//'%'/%25}
    text=${text//$'\r'/%0D}
    printf '%s' "${text//$'\n'/%0A}"
}

# On standard error, which the runner reads as well, since some of it is said where standard output is a value.
fail() {
    printf '::error title=gatelint::%s\n' "$(escaped "$1")" >&2
    exit 2
}

output() {
    case $2 in
    *$'\n'* | *$'\r'*) fail "the output $1 would have several lines" ;;
    esac
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# A slip of the pen must not switch something off.
is_on() {
    case $2 in
    true) return 0 ;;
    false) return 1 ;;
    *) fail "\`$1\` is \`true\` or \`false\`, not \`$2\`" ;;
    esac
}

# What a complaint of another program would repeat as it is.
plain() {
    if [[ $2 =~ [[:cntrl:]] ]]; then fail "\`$1\` holds a control character"; fi
}

# One word per line into the array `words`, without the blanks around it.
split() {
    local line
    words=()
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line#"${line%%[![:space:]]*}"}
        line=${line%"${line##*[![:space:]]}"}
        plain "$1" "$line"
        [ -z "$line" ] || words+=("$line")
    done <<<"$2"
}

# A value of the manifest that lies beside this action, so that both are of one version.
manifest() {
    sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1
}

target() {
    case "${RUNNER_OS:-}-${RUNNER_ARCH:-}" in
    Linux-X64) echo x86_64-unknown-linux-gnu ;;
    Linux-ARM64) echo aarch64-unknown-linux-gnu ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    Windows-X64) echo x86_64-pc-windows-msvc ;;
    *) fail "there is no release for ${RUNNER_OS:-unknown} on ${RUNNER_ARCH:-unknown}" ;;
    esac
}

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

# What the archive must be: said by the workflow, or listed beside this script.
checksum() {
    local sum name expected=$GATELINT_CHECKSUM
    if [ -z "$expected" ]; then
        while read -r sum name; do
            if [ "$name" = "$1" ]; then expected=$sum; fi
        done <"$GITHUB_ACTION_PATH/action/checksums.txt"
    fi
    [[ $expected =~ ^[0-9a-fA-F]{64}$ ]] || fail "no checksum of \`$1\` is known; say it by \`checksum\`"
    printf '%s' "$expected" | tr 'A-F' 'a-f'
}

# Puts the archive at `$2`.
obtain() {
    case $1 in
    https://*)
        curl --proto '=https' --tlsv1.2 --fail --location --silent --show-error --retry 3 --output "$2" -- "$1" ||
            fail "cannot fetch \`$1\`"
        ;;
    *://*) fail "\`$1\` is not an https address" ;;
    *) cp -- "$1" "$2" || fail "there is no archive \`$1\`" ;;
    esac
}

# Fetches, compares, unpacks: `binary` is what may be run then.
install_gatelint() {
    local version name source expected actual exe=''
    version=${GATELINT_VERSION#v}
    [ -n "$version" ] || version=$(manifest version)
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "\`$version\` is not a version"
    source=$GATELINT_ARCHIVE
    if [ -z "$source" ]; then
        local base
        base=$(manifest repository)
        [ -z "$GATELINT_REPOSITORY" ] || base=${GITHUB_SERVER_URL:-https://github.com}/$GATELINT_REPOSITORY
        name=gatelint-$version-$(target).tar.gz
        source=$base/releases/download/v$version/$name
    fi
    name=${source##*/}
    expected=$(checksum "$name")
    obtain "$source" "$work/archive.tar.gz"
    actual=$(sha256 "$work/archive.tar.gz")
    [ "$actual" = "$expected" ] || fail "the checksum of \`$name\` is $actual and should be $expected; nothing was run"
    mkdir "$work/gatelint"
    tar -xzf "$work/archive.tar.gz" -C "$work/gatelint" --strip-components=1 || fail "cannot unpack \`$name\`"
    if [ "${RUNNER_OS:-}" = Windows ]; then exe=.exe; fi
    binary=$work/gatelint/gatelint$exe
    actual=$("$binary" --version) || fail "\`$name\` holds no gatelint that runs here"
    [ -z "$GATELINT_VERSION" ] || [ "$actual" = "gatelint $version" ] || fail "\`$name\` is $actual, not $version"
    output version "${actual#gatelint }"
}

# git in the checkout, whoever owns it, without its filters and hooks.
in_checkout() {
    GIT_LFS_SKIP_SMUDGE=1 git -c "safe.directory=$GITHUB_WORKSPACE" -c core.hooksPath=/dev/null -C "$GITHUB_WORKSPACE" "$@"
}

# Sets `base` to what the policy is compared with: a path that was given, or the files of the merge base of a pull request.
# The commit that GitHub tests is a merge into the tip of the base branch, so in a checkout without history that tip is it.
find_base() {
    local tip=$GATELINT_BASE_COMMIT commit
    base=$GATELINT_BASE
    if [ "$base" = none ]; then base=''; return 0; fi
    if [ -n "$base" ] || [ -z "$tip" ]; then return 0; fi
    [[ $tip =~ ^[0-9a-f]{40,64}$ ]] || fail "\`$tip\` is not a commit"
    if ! in_checkout cat-file -e "$tip^{commit}" 2>/dev/null; then
        in_checkout fetch --quiet --no-tags --depth=1 origin "$tip" ||
            fail "cannot fetch \`$tip\` to compare the policy with; \`base: none\` compares nothing"
    fi
    commit=$(in_checkout merge-base "$tip" HEAD 2>/dev/null) || commit=$tip
    base=$work/base
    mkdir "$base"
    if ! GIT_INDEX_FILE=$work/base.index in_checkout read-tree "$commit" ||
        ! GIT_INDEX_FILE=$work/base.index in_checkout checkout-index --all --quiet --prefix="$base/"; then
        fail "cannot check out \`$commit\` to compare the policy with"
    fi
}

# The words of the command line into the array `command`.
compose() {
    local format=concise
    if is_on annotations "$GATELINT_ANNOTATIONS"; then format=github; fi
    # What an ignore file hides runs all the same.
    command=(check --no-ignore --format "$format" --also "json=$work/report.json")
    if [ "$GATELINT_SARIF" = file ] || is_on sarif "$GATELINT_SARIF"; then
        command+=(--also "sarif=$work/gatelint.sarif")
    fi
    if is_on summary "$GATELINT_SUMMARY"; then command+=(--also "markdown=$work/summary.md"); fi
    # As one word each, so that a value is never taken for an option.
    if [ -n "$GATELINT_CONFIG" ]; then command+=("--config=$GATELINT_CONFIG"); fi
    if [ -n "$GATELINT_BASELINE" ]; then command+=("--baseline=$GATELINT_BASELINE"); fi
    if [ -n "$base" ]; then command+=("--base=$base"); fi
    if [ -n "$GATELINT_FAIL_ON" ]; then command+=("--fail-on=$GATELINT_FAIL_ON"); fi
    if [ -n "$GATELINT_MIN_CONFIDENCE" ]; then command+=("--min-confidence=$GATELINT_MIN_CONFIDENCE"); fi
    split args "$GATELINT_ARGS"
    command+=(${words[@]+"${words[@]}"})
    split paths "$GATELINT_PATHS"
    command+=(-- ${words[@]+"${words[@]}"})
}

# The summary of a step is dropped if it is too large, so what has no room is left out with a word.
summarise() {
    local text=$work/summary.md size
    is_on summary "$GATELINT_SUMMARY" || return 0
    [ -f "$text" ] || printf '## gatelint: no verdict (exit code %s)\n\nThe log of this step says why.\n' "$1" >"$text"
    touch "$GITHUB_STEP_SUMMARY"
    size=$(cat "$GITHUB_STEP_SUMMARY" "$text" | wc -c)
    if [ "$size" -gt "$SUMMARY_LIMIT" ]; then
        printf '\ngatelint: this summary has no room for another one.\n' >>"$GITHUB_STEP_SUMMARY"
    else
        cat "$text" >>"$GITHUB_STEP_SUMMARY"
    fi
}

# Numbers of the report. Strings of JSON hold no line ends, so nothing but the report itself makes these lines.
tell() {
    local report=$work/report.json counts=0 incomplete=true
    if [ -f "$report" ]; then
        counts=$(sed -n '/^    "findings": {$/,/^    }/ s/^      "[a-z]*": \([0-9]*\),\{0,1\}$/\1/p' "$report")
        counts=$((${counts//$'\n'/+}))
        if grep -q '^    "complete": true' "$report"; then incomplete=false; fi
    fi
    output findings-count "$counts"
    output incomplete "$incomplete"
    output exit-code "$1"
}

# A fork may not upload: it sees annotations and the summary.
offer_sarif() {
    [ -f "$work/gatelint.sarif" ] || return 0
    output sarif-file "$work/gatelint.sarif"
    if [ "$GATELINT_SARIF" = file ]; then return 0; fi
    if [ "$GATELINT_FORK" = true ]; then
        echo 'gatelint: a pull request of a fork may not upload to code scanning'
    else
        output upload true
    fi
}

check() {
    local code=0
    plain version "$GATELINT_VERSION"
    plain archive "$GATELINT_ARCHIVE"
    plain config "$GATELINT_CONFIG"
    plain baseline "$GATELINT_BASELINE"
    plain base "$GATELINT_BASE"
    plain fail-on "$GATELINT_FAIL_ON"
    plain min-confidence "$GATELINT_MIN_CONFIDENCE"
    plain working-directory "$GATELINT_DIRECTORY"
    work=$(mktemp -d "$RUNNER_TEMP/gatelint.XXXXXX")
    cd -- "$GITHUB_WORKSPACE/$GATELINT_DIRECTORY" || fail "there is no folder \`$GATELINT_DIRECTORY\`"
    install_gatelint
    find_base
    compose
    "$binary" "${command[@]}" || code=$?
    summarise "$code"
    tell "$code"
    offer_sarif
}

# Last, so that everything else is there whatever the verdict.
gate() {
    [[ $GATELINT_EXIT_CODE =~ ^[0-9]+$ ]] || fail 'gatelint did not run'
    exit "$GATELINT_EXIT_CODE"
}

case ${1:-} in
check | gate) "$1" ;;
*) fail 'usage: run.sh check|gate' ;;
esac
