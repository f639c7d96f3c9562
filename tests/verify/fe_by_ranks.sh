#!/usr/bin/env bash
# Finite elements by two ranks, with factors by parallel MUMPS, beside the same by this process: statics, modes with their count,
# responses, a body that is free and one with losses by region; a structure that nothing holds is refused by both.
#   fe_by_ranks.sh PROGRAM EXAMPLES
set -eu
program=$1 examples=$2
command -v mpirun >/dev/null && [ -x "$(dirname "$program")/flexion-fe-mpi" ] || { echo "skipped: no mpirun, or no flexion-fe-mpi"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid it
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
cd "$folder"

# same A B TOLERANCE [COLUMN...]: the numbers of two tables, of these columns, in proportion to the largest of a row
same() {
    paste -d' ' <(grep -E '^ *[0-9]' "$1" | tr , ' ') <(grep -E '^ *[0-9]' "$2" | tr , ' ') >both
    [ -s both ] || { echo "$1: no numbers"; exit 1; }
    LC_ALL=C awk -v tolerance="$3" -v columns="${*:4}" -v name="$1" '
        function size(x) { return x < 0 ? -x : x }
        { n = split(columns, c, " "); half = NF / 2; most = 0
          for (i = 1; i <= n; i++) if (size($(c[i])) > most) most = size($(c[i]))
          for (i = 1; i <= n; i++) { d = size($(c[i]) - $(c[i] + half)) / (most + 1e-4); if (d > worst) worst = d } }
        END { printf "%s: %.1e\n", name, worst; exit !(worst <= tolerance) }' both
}

modes() { grep -E '^ +[0-9]+ +[0-9]+\.' "$1"; }
cat >free.yaml <<END
flexion: 1
fe: {mesh: $examples/elastic_arm.msh, material: {E: 7e10, nu: 0.33, density: 2700}}
END
for model in "$examples/fe/bracket.yaml" free.yaml; do
    "$program" fe modes "$model" --count 9 --vtu none >one.txt
    "$program" fe modes "$model" --count 9 --vtu none --ranks 2 >two.txt
    grep -q "none is missing" two.txt
    modes one.txt >modes && modes two.txt >modes.txt
    same modes modes.txt 1e-9 2
done

"$program" fe static "$examples/fe/bracket.yaml" --vtu none | grep -v residual >one.txt
"$program" fe static "$examples/fe/bracket.yaml" --vtu none --ranks 2 | grep -v residual | diff one.txt -

for way in "" --direct; do
    "$program" fe response "$examples/fe/damped_beam.yaml" --in END.y --to 600 --count 15 $way --csv "response $way" >/dev/null
    "$program" fe response "$examples/fe/damped_beam.yaml" --in END.y --to 600 --count 15 $way --csv two.csv --ranks 2 >/dev/null
    same "response $way" two.csv 1e-7 2 3
done

# the body that they write is read back alike
cat >arm.yaml <<END
flexion: 1
bodies:
  arm:
    type: flexible
    fe: {mesh: $examples/elastic_arm.msh, material: {E: 7e10, nu: 0.33, density: 2700, loss: 0.02}}
    reduce: {type: band, to: 2000, tolerance: 1e-3, interfaces: [hub, tip]}
END
"$program" export body arm.yaml -o one.h5 >/dev/null
"$program" export body arm.yaml -o two.h5 --ranks 2 >/dev/null
for way in one two; do
    printf 'flexion: 1\nbodies: {arm: {type: flexible, data: %s.h5}}\n' $way >$way.yaml
    "$program" reduce $way.yaml >$way.txt
    grep -E '^ +[0-9]+ +[0-9]+\.[0-9]{6} ' $way.txt >"shapes of $way"
done
same "shapes of one" "shapes of two" 1e-9 2
grep -q "counted: none is missing" two.txt

status=0
"$program" fe static free.yaml --ranks 2 >/dev/null 2>free.txt || status=$?
[ $status = 1 ] && grep -q "the structure is not held" free.txt
