#!/bin/sh
# optimise_resume.sh PROGRAM EXAMPLES - a fit that is killed in the middle and goes on finds the same optimum.
set -eu
program=$1 examples=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$program" optimise "$examples/pendulum_fit.yaml" > whole.txt
"$program" optimise "$examples/pendulum_fit.yaml" --quiet &
pid=$!
i=0
while [ "$(cat pendulum_fit_optimise.csv 2>/dev/null | wc -l)" -lt 4 ] && [ $i -lt 2000 ]; do
    i=$((i + 1))
    sleep 0.005
done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
cp pendulum_fit_optimise.csv cut.csv
"$program" optimise "$examples/pendulum_fit.yaml" --resume > rest.txt

# name and value, to seven digits
values() { LC_ALL=C awk '/standard error/ { printf "%s %.6e\n", $1, $2 }' "$1"; }
values whole.txt > a
values rest.txt > b
cat a
[ "$(wc -l < a)" -eq 3 ]
cmp a b
# rows so far stay, and others follow
n=$(wc -l < cut.csv)
head -n "$n" pendulum_fit_optimise.csv | cmp - cut.csv
[ "$(wc -l < pendulum_fit_optimise.csv)" -gt "$n" ]

# without rows it begins anew, and says so
rm pendulum_fit_optimise.csv
"$program" optimise "$examples/pendulum_fit.yaml" --resume > anew.txt 2> told.txt
grep -q "holds no row" told.txt
values anew.txt | cmp - a
