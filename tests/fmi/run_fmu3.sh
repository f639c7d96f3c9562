#!/usr/bin/env bash
# An FMU of FMI 3.0 from its export to a master that knows the standard alone.
#   run_fmu3.sh FLEXION MASTER MODELS
set -eu
flexion=$1 master=$2 models=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$flexion" export fmu "$models/ball.yaml" --fmi 3 -o ball.fmu >/dev/null
"$flexion" fmu check ball.fmu >/dev/null
"$flexion" run "$models/ball.yaml" --quiet -o run.h5 --csv run.csv >/dev/null
"$flexion" run "$models/ball.yaml" --set high=0.7 --quiet -o high.h5 --csv high.csv >/dev/null
"$flexion" fmu run ball.fmu --step 0.05 --csv master.csv
[ "$(head -1 master.csv)" = "t,ball.position[1],ball.position[2],ball.velocity[1],ball.velocity[2],output.push" ]
[ "$(wc -l <master.csv)" = 22 ]
python3 -m zipfile -e ball.fmu "un packed"
"$master" "$work/un packed" run.csv high.csv

# Contacts that are met step by step: no rates of outputs, and none are promised.
"$flexion" export fmu "$models/../../../examples/stack_of_boxes.yaml" --fmi 3 -o pile.fmu >/dev/null
python3 -m zipfile -e pile.fmu pile
grep -q 'maxOutputDerivativeOrder="0"' pile/modelDescription.xml
