#!/usr/bin/env bash
# Two builds of the program, by different compilers, give the same table to the last bit.
#   compare_bits.sh PROGRAM OTHER MODEL...
set -eu
program=$1 other=$2
shift 2
bad=0
for model in "$@"; do
    name=bits_$(basename "$model" .yaml)
    "$program" run "$model" -o "$name.1.h5" --csv "$name.1.csv" >/dev/null
    "$other" run "$model" -o "$name.2.h5" --csv "$name.2.csv" >/dev/null
    if cmp -s "$name.1.csv" "$name.2.csv"; then
        echo "ok     $(basename "$model")"
    else
        echo "FAILED $(basename "$model"): the tables differ"
        diff "$name.1.csv" "$name.2.csv" | head -4 | cut -c1-200
        bad=1
    fi
done
exit $bad
