#!/usr/bin/env bash
# An FMU of FMI 2.0 from its export to a master that knows the standard alone.
#   run_fmu2.sh FLEXION MASTER MODELS LOADS
set -eu
flexion=$1 master=$2 models=$3 loads=$4
[ -z "${FLX_WHOLE:-}" ] || loads=100
work=$(mktemp -d)
export TMPDIR=$work/temporary
trap 'rm -rf "$work"' EXIT
mkdir -p "$TMPDIR" "$work/source" "$work/a folder"
cp -r "$models"/. "$work/source"
cd "$work"
"$flexion" export fmu source/cart.yaml -o "a folder/cart pole.fmu" >/dev/null
"$flexion" export fmu "$work/source/cart.yaml" -o again.fmu >/dev/null
cmp "a folder/cart pole.fmu" again.fmu || { echo "the same model gives other bytes"; exit 1; }

# A file beside the model's folder goes along; one by its whole path would not be there elsewhere.
mkdir -p deep/models
cp -r source/data deep
sed 's|data/shake|../data/shake|' source/cart.yaml >deep/models/cart.yaml
"$flexion" export fmu deep/models/cart.yaml -o deep.fmu >/dev/null
mv deep gone
"$flexion" fmu run deep.fmu --until 0.1 --step 0.05 --csv deep.csv
sed "s|data/shake|$work/source/data/shake|" source/cart.yaml >source/whole.yaml
if "$flexion" export fmu source/whole.yaml -o whole.fmu 2>said; then echo "a whole path is exported"; exit 1; fi
grep -q "relative to the model" said
[ ! -e whole.fmu ]

printf '0,0\n10,10\n' >wind.csv
run() { "$flexion" run source/cart.yaml --quiet -o "$1.h5" --csv "$1.csv" "${@:2}" >/dev/null; }
run as_it_is
run with_wind --input wind=wind.csv
run longer --set L=0.7
run more --set n=3
mv source elsewhere # the FMU has all that it needs

# The master of the program: the same table.
printf 't,wind\n0,0\n10,10\n' >inputs.csv
"$flexion" fmu check "a folder/cart pole.fmu" >/dev/null
"$flexion" fmu run "a folder/cart pole.fmu" --step 0.05 --input inputs.csv --csv master.csv
python3 - with_wind.csv master.csv <<'END'
import csv, sys
a, b = [list(csv.reader(open(path)))[1:] for path in sys.argv[1:]]
worst = max(abs(float(x) - float(y)) for p, q in zip(a, b) for x, y in zip(p, q))
assert len(a) == len(b) == 21 and worst < 1e-8, f"{len(a)} and {len(b)} rows, off by {worst}"
END
if "$flexion" fmu run again.fmu --set nobody=1 --csv /dev/null 2>said; then echo "a variable that is none is set"; exit 1; fi
grep -q "nobody" said
ls "${TMPDIR:-/tmp}"/flexion-fmu-* 2>/dev/null && { echo "a folder is left"; exit 1; }

python3 -m zipfile -e "a folder/cart pole.fmu" "a folder/un packed"
cd / # no folder of the FMU's
"$master" "$work/a folder/un packed" "$work"/{as_it_is,with_wind,longer,more}.csv "$loads"
