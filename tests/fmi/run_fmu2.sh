#!/usr/bin/env bash
# An FMU of FMI 2.0 from its export to a master that knows the standard alone.
#   run_fmu2.sh FLEXION MASTER MODELS LOADS
set -eu
flexion=$1 master=$2 models=$3 loads=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/source" "$work/a folder"
cp -r "$models"/. "$work/source"
cd "$work"
"$flexion" export fmu source/cart.yaml -o "a folder/cart pole.fmu" >/dev/null
"$flexion" export fmu "$work/source/cart.yaml" -o again.fmu >/dev/null
cmp "a folder/cart pole.fmu" again.fmu || { echo "the same model gives other bytes"; exit 1; }

printf '0,0\n10,10\n' >wind.csv
run() { "$flexion" run source/cart.yaml --quiet -o "$1.h5" --csv "$1.csv" "${@:2}" >/dev/null; }
run as_it_is
run with_wind --input wind=wind.csv
run longer --set L=0.7
run more --set n=3
mv source elsewhere # the FMU has all that it needs

python3 -m zipfile -e "a folder/cart pole.fmu" "a folder/un packed"
cd / # no folder of the FMU's
"$master" "$work/a folder/un packed" "$work"/{as_it_is,with_wind,longer,more}.csv "$loads"
