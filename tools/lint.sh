#!/usr/bin/env bash
# clang-tidy on every source of a build directory's compile_commands.json.
#   tools/lint.sh BUILD [JOBS] [FILE...]
set -eu
build=$1 jobs=${2:-$(nproc)}
shift; shift || true
if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
else
    sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$build/compile_commands.json" | sort -u
fi | xargs -P "$jobs" -n 1 clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-DFLX_DEBUG --extra-arg=-UNDEBUG 2> >(grep -v 'warnings generated' >&2 || true)
