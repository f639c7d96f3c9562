#!/usr/bin/env bash
# The long checks of `make check-long`: fuzzing, valgrind, ThreadSanitizer, the commands of the guide, all tests under sanitizers,
# tests with the label "long".
#   tools/check_long.sh [SECONDS OF FUZZING]
set -eu
seconds=${1:-60}
cd "$(dirname "$0")/.."

corpus=build/fuzz/corpus
rm -rf "$corpus" "$corpus-sid" "$corpus-mesh" && mkdir -p "$corpus" "$corpus-sid" "$corpus-mesh"
find examples tests -name '*.yaml' -size -64k -exec cp -t "$corpus" --backup=numbered {} +
find examples tests -name '*.SID_FEM' -size -64k -exec cp -t "$corpus-sid" --backup=numbered {} +
find examples tests \( -name '*.msh' -o -name '*.inp' -o -name '*.bdf' \) -size -64k -exec cp -t "$corpus-mesh" --backup=numbered {} +
fuzz() { # TARGET SECONDS LONGEST [CORPUS]
    echo "== $1 for $2 s"
    build/fuzz/tests/fuzz/"$1" -max_total_time="$2" -timeout=20 -rss_limit_mb=2048 -max_len="$3" \
        -artifact_prefix=build/fuzz/ -print_final_stats=1 -verbosity=0 "${4:-$corpus}" \
        >build/fuzz/"$1".log 2>&1 || {
        tail -n 60 build/fuzz/"$1".log
        exit 1
    }
    grep -E 'number_of_executed_units|peak_rss' build/fuzz/"$1".log
}
fuzz fuzz_reader "$seconds" 65536
fuzz fuzz_start "$seconds" 4000
fuzz fuzz_sid "$seconds" 65536 "$corpus-sid"
fuzz fuzz_mesh "$seconds" 16384 "$corpus-mesh"

echo "== unit tests under valgrind"
# Only memory is judged: valgrind computes long double with 64 bits, so a test may miss its tolerance.
bad_memory=99
valgrind="valgrind --quiet --error-exitcode=$bad_memory --leak-check=full --errors-for-leak-kinds=definite
    --suppressions=tests/support/valgrind.supp"
for test in $(find build/tests/unit -type f -name 'test_*' -perm -u+x | sort); do
    status=0
    OPENBLAS_NUM_THREADS=1 $valgrind "$test" >build/valgrind.log 2>&1 || status=$?
    echo "$(basename "$test"): $(tail -n 1 build/valgrind.log)"
    if [ $status = $bad_memory ] || [ $status -ge 128 ]; then
        cat build/valgrind.log
        exit 1
    fi
done

echo "== an example under valgrind"
OPENBLAS_NUM_THREADS=1 $valgrind build/flexion run examples/slider_crank.yaml -o build/valgrind.h5 >/dev/null

echo "== one system, four threads, under ThreadSanitizer"
OPENBLAS_NUM_THREADS=1 TSAN_OPTIONS=halt_on_error=1 \
    build/tsan/tests/verify/test_instances --threads examples/{slider_crank,spatial_crank,joint_friction,bouncing_ball}.yaml \
    examples/{speed_control,elastic_crank,two_mass_reduced,condensed_chain,mobot,four_bar_flexible}.yaml tests/verify/parameters/*.yaml tests/models/14-stewart-platform.yaml

echo "== the commands of the guide"
tools/check_commands.py build/flexion

echo "== whole under sanitizers: what 'make test' samples or skips there"
FLX_WHOLE=1 ctest --test-dir build/ci-clang -j "$(nproc)" --output-on-failure

echo "== long tests"
ctest --test-dir build -C Long -L long --output-on-failure
