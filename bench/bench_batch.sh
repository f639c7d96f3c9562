#!/bin/sh
# Runs per second of a slider crank by compiled batches, 2000 steps of rk4 per run, on one core; the load of the machine beside it.
# bench_batch.sh FLEXION SOURCE [RUNS]
set -eu
flexion=$1 source=$2 runs=${3:-8000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed "s/until: 0.5,/until: 2,/; s/count: 19/count: $runs/" "$source/tests/models/batch/crank.yaml" >crank.yaml
"$flexion" sweep crank.yaml --device cpu | grep "runs/s"
cut -d' ' -f1-3 /proc/loadavg
