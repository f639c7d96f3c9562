#!/usr/bin/env bash
# The long checks of `make check-long`: fuzzing, valgrind, tests with the label "long".
#   tools/check_long.sh [SECONDS OF FUZZING]
set -eu
seconds=${1:-60}
cd "$(dirname "$0")/.."

echo "== fuzzing the reader for $seconds s"
corpus=build/fuzz/corpus
rm -rf "$corpus" && mkdir -p "$corpus"
find examples tests -name '*.yaml' -size -64k -exec cp -t "$corpus" --backup=numbered {} +
build/fuzz/tests/fuzz/fuzz_reader -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=65536 -artifact_prefix=build/fuzz/ -print_final_stats=1 -verbosity=0 "$corpus"

echo "== unit tests under valgrind"
valgrind="valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
for test in $(find build/tests/unit -type f -name 'test_*' -perm -u+x); do
    echo "$(basename "$test")"
    OPENBLAS_NUM_THREADS=1 FLX_QUICK=1 $valgrind "$test" >build/valgrind.log 2>&1 || {
        cat build/valgrind.log
        exit 1
    }
done

echo "== an example under valgrind"
OPENBLAS_NUM_THREADS=1 $valgrind build/flexion run examples/slider_crank.yaml -o build/valgrind.h5 >/dev/null

echo "== long tests"
ctest --test-dir build -C Long -L long --output-on-failure
