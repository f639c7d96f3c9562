#!/bin/sh
# design_resume.sh PROGRAM EXAMPLES - a design that is killed in the middle and goes on finds the same optimum, bit by bit.
set -eu
program=$1 examples=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$program" optimise "$examples/tuned_mass_damper.yaml" > whole.txt
rows=$(wc -l < tuned_mass_damper_optimise.csv)
mv tuned_mass_damper_optimise.csv whole.csv
"$program" optimise "$examples/tuned_mass_damper.yaml" --quiet &
pid=$!
i=0
while [ "$(cat tuned_mass_damper_optimise.csv 2>/dev/null | wc -l)" -lt 20 ] && [ $i -lt 2000 ]; do
    i=$((i + 1))
    sleep 0.002
done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
# a row that was cut off in the middle is no harm
head -n 15 tuned_mass_damper_optimise.csv > cut.csv
printf '15,0.9,' >> cut.csv
cp cut.csv tuned_mass_damper_optimise.csv
"$program" optimise "$examples/tuned_mass_damper.yaml" --resume > rest.txt
result() { grep -E '^  (nu|zeta)|bode.peak' "$1"; }
result whole.txt > a
result rest.txt | cmp - a
cat a
[ "$(wc -l < tuned_mass_damper_optimise.csv)" -eq "$rows" ]
cut -d, -f2-6 tuned_mass_damper_optimise.csv > again.csv
cut -d, -f2-6 whole.csv | cmp - again.csv
# by two threads the same
"$program" optimise "$examples/tuned_mass_damper.yaml" --threads 2 > two.txt
result two.txt | cmp - a
