#!/usr/bin/env bash
# A run much longer than the model's own keeps its ledger: the program says so when it does not.
#   run_long.sh PROGRAM MODEL SECONDS
set -eu -o pipefail
program=$1 model=$2 until=$3
result=long_$(basename "$model" .yaml)
"$program" run "$model" --until "$until" -o "$result.h5" 2>&1 | tee "$result.txt"
rm -f "$result.h5"
! grep -q 'fails its own ledger' "$result.txt"
