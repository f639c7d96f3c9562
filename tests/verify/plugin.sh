#!/bin/sh
# External functions of a plugin: runs, sweeps with workers, refusals by name; nothing but the plugin's own functions is taken.
# plugin.sh FLEXION SOURCE
set -eu
flexion=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$source/examples/plugin/braked_wheel.yaml" wheel.yaml
cc -O1 -shared -fPIC "$source/examples/plugin/tyre.c" -o tyre.so -lm
sed 's/{external: tyre, of: \[slip, load\], scale: \[0.1, 1000\]}/{of: [slip, load], value: 1.2*load*tanh(8*slip)}/' wheel.yaml >formula.yaml
grep -q 'value: 1.2' formula.yaml

"$flexion" run wheel.yaml --plugin tyre.so --csv a.csv --quiet 2>told.txt
"$flexion" run formula.yaml --csv b.csv --quiet
LC_ALL=C awk -F, 'FNR == NR { for (k = 1; k <= NF; k++) a[FNR, k] = $k; n = FNR; next }
    FNR > 1 { for (k = 1; k <= NF; k++) { d = $k - a[FNR, k]; if (!(d * d <= 1e-16 * (1 + $k * $k))) { print "row " FNR; exit 1 } } }
    END { if (FNR != n || n < 50) exit 1 }' a.csv b.csv

refused() { # exit status, words, arguments
    status=$1 words=$2 code=0
    shift 2
    "$flexion" "$@" >told.txt 2>&1 || code=$?
    [ $code -eq "$status" ] && grep -q "$words" told.txt || { echo "$code, not '$words': $*"; cat told.txt; exit 1; }
}
refused 2 "wheel.yaml:9:20: error: the external function 'tyre' is not bound" run wheel.yaml
refused 2 "cannot be loaded" run wheel.yaml --plugin ./missing.so
refused 2 "the external function 'tyre' cannot be exported" export c wheel.yaml --plugin ./tyre.so
refused 2 "runs without the program that gives the external function 'tyre'" export fmu wheel.yaml --plugin ./tyre.so -o w.fmu
sed 's/external: tyre/external: tanh/' wheel.yaml >other.yaml # of a library that the plugin needs
refused 2 "'tanh' is not bound" run other.yaml --plugin ./tyre.so
sed 's/external: tyre/external: _init/' wheel.yaml >other.yaml
refused 2 "_init" run other.yaml --plugin ./tyre.so

# a plugin without slopes: told once, same numbers
sed 's/if (slopes == NULL) return 0;/return 0;/' "$source/examples/plugin/tyre.c" >plain.c
cc -O1 -shared -fPIC plain.c -o plain.so -lm
"$flexion" run wheel.yaml --plugin ./plain.so --csv c.csv >told.txt 2>&1
[ "$(grep -c "derivatives of the external function 'tyre' are differences" told.txt)" -eq 1 ]

# sweeps: one process, and workers with a folder
cat >>wheel.yaml <<'END'
sweep: {parameters: {brake: {from: 400, to: 900, count: 4}}}
END
sed -i 's/^outputs: {/outputs: {metrics: {slow: minimum(wheel.velocity.x)}, /' wheel.yaml
"$flexion" sweep wheel.yaml --plugin ./tyre.so --csv one.csv --quiet
"$flexion" sweep wheel.yaml --plugin ./tyre.so --into s.study --workers 2 --csv two.csv --quiet >/dev/null
cmp one.csv two.csv
