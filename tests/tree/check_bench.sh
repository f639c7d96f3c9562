#!/usr/bin/env bash
# Benchmarks run on request only; that they agree with the headers is seen with the other tests.
#   check_bench.sh ROOT COMPILER [OPTIONS]
set -eu
root=$1
shift
for file in "$root"/bench/bench_*.c; do
    "$@" -std=c17 -fsyntax-only -Werror=implicit-function-declaration -D_POSIX_C_SOURCE=200809L -DEXAMPLES='""' -UBENCH \
        $(grep -q 'define BENCH' "$file" || echo '-DBENCH=""') "$file"
done
