#!/usr/bin/env bash
# The program without HDF5, KLU, SUNDIALS, IPOPT, NLopt, expat and METIS: it says so, refuses what needs them, and finds the
# numbers of the other.
#   light.sh PROGRAM OTHER_PROGRAM SOURCE_DIRECTORY
set -eu
. "$3/tests/without/claims.sh" "$@"
# refuses TEXT ARGUMENT...: the program fails, and its message has TEXT
refuses() {
    local text=$1
    shift
    if "$program" "$@" >refused.txt 2>&1; then fail "'flexion $*' is not refused"; fi
    grep -q -- "$text" refused.txt || fail "the message of 'flexion $*' has no '$text': $(cat refused.txt)"
}

# near A B: each column of two tables to 1e-7 of its largest value
near() {
    paste -d, "$1" "$2" | awk -F, '
        NR > 1 { n = NF / 2; for (i = 1; i <= n; i++) { a = $i < 0 ? -$i : $i; d = $i - $(i + n); if (d < 0) d = -d
                 if (a > most[i]) most[i] = a; if (d > off[i]) off[i] = d } rows++ }
        END { if (rows < 2) { print "no rows"; exit 1 }
              for (i = 1; i <= n; i++) if (off[i] > 1e-7 * most[i] + 1e-12) { print "column " i ": " off[i] " of " most[i]; bad = 1 }
              exit bad }'
}

if "$program" info | grep -qE '^ *HDF5 +[0-9]'; then
    echo "skipped: this build cannot make the light program"
    exit 0
fi

claim=no_optional_library_is_linked
if ldd "$program" | grep -iE 'hdf5|klu|sundials|ipopt|nlopt|expat|metis'; then fail "the program is linked with these"; fi
ok

claim=the_program_says_what_it_has_not
"$program" info | grep -qE '^ *HDF5 +not in this build' || fail "'flexion info' does not say that HDF5 is not in this build"
"$program" info | grep -qE '^ *SuiteSparse .*LU of our own' || fail "'flexion info' does not say whose LU it is"
ok

claim=a_run_writes_a_table
cp "$source/examples/pendulum.yaml" .
"$program" run pendulum.yaml >run.txt || fail "$(cat run.txt)"
grep -q "results in pendulum.csv" run.txt || fail "the run does not say where its table is: $(cat run.txt)"
[ -s pendulum.csv ] && [ ! -e pendulum.h5 ] || fail "there is no table, or another file"
"$program" run pendulum.yaml --csv other.csv >run.txt
cmp pendulum.csv other.csv
"$program" plot pendulum.csv hinge.angle -o pendulum.svg >/dev/null && [ -s pendulum.svg ] || fail "the table cannot be drawn"
ok

claim=files_of_hdf5_are_refused
refuses libhdf5-dev run pendulum.yaml -o pendulum.h5
[ ! -e pendulum.h5 ] || fail "a run that is refused leaves a file"
"$other" run pendulum.yaml -o there.h5 >/dev/null
refuses libhdf5-dev plot there.h5
refuses libhdf5-dev view there.h5
ok

claim=what_else_is_missing_is_refused_by_name
printf '<robot name="r"><link name="base"/></robot>' >r.urdf
refuses libexpat1-dev run r.urdf
refuses libsundials-dev run pendulum.yaml --set simulate.method=bdf
refuses coinor-libipopt-dev analyse "$source/examples/arm_least_time.yaml"
ok

# Sparse matrices without symmetry go to the LU of our own: friction in joints, first-order states, loops, flexible bodies.
claim=the_numbers_are_those_of_the_other
for example in slider_crank four_bar_flexible joint_friction cart_pole_lqr mobot; do
    tight=
    [ $example != four_bar_flexible ] || tight="--set simulate.rtol=1e-9 --set simulate.atol=1e-11"
    "$program" run "$source/examples/$example.yaml" $tight --csv $example.csv >run.txt 2>&1 || fail "$(cat run.txt)"
    "$other" run "$source/examples/$example.yaml" $tight -o $example.h5 --csv $example.other.csv >/dev/null 2>&1
    near $example.csv $example.other.csv >compared.txt || fail "$example differs: $(cat compared.txt)"
done
ok

claim=structures_are_solved
"$program" fe modes "$source/examples/fe/cantilever.yaml" >mine.txt 2>&1 || fail "$(cat mine.txt)"
ok
