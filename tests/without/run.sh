#!/usr/bin/env bash
# A program that was built without SUNDIALS: it says so, refuses what it cannot do, and gives the numbers of the other.
#   run.sh PROGRAM OTHER_PROGRAM SOURCE_DIRECTORY
set -eu
. "$3/tests/without/claims.sh" "$@"

claim=no_library_of_sundials_is_linked
if ldd "$program" | grep -i sundials; then fail "the program is linked with SUNDIALS"; fi
ok

claim=the_program_says_that_it_has_no_sundials
"$program" info | grep -qE '^ *SUNDIALS +not in this build' || fail "'flexion info' does not say that SUNDIALS is not in this build"
ok

claim=methods_of_sundials_are_listed_and_refused
for method in bdf adams; do
    "$program" methods | grep -q "^ *$method " || fail "'flexion methods' does not list $method"
    sed "s/method: dopri5/method: $method/" "$source/examples/pendulum.yaml" >$method.yaml
    if "$program" run $method.yaml >refused.txt 2>&1; then
        fail "$method is not refused"
    fi
    grep -q "method '$method' .*libsundials-dev" refused.txt || fail "the message does not say what to install: $(cat refused.txt)"
    [ ! -e $method.h5 ] || fail "a run that is refused leaves a result file"
done
ok

claim=methods_compared_on_a_model_go_without
"$program" work-precision "$source/examples/pendulum.yaml" --methods "radau,bdf" --tolerances 1e-4,1e-5 -o work.svg >compared.txt 2>&1 || true
grep -q "libsundials-dev" compared.txt || fail "a comparison does not say what to install: $(cat compared.txt)"
ok

claim=other_methods_give_the_same_numbers
for example in slider_crank four_bar_flexible; do
    "$program" run "$source/examples/$example.yaml" --csv mine.csv >/dev/null
    "$other" run "$source/examples/$example.yaml" --csv other.csv >/dev/null
    cmp mine.csv other.csv || fail "$example differs"
done
ok
