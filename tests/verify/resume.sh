#!/usr/bin/env bash
# A run that is killed at any instant, again and again, and resumed, has the rows of one that was not.
#   resume.sh PROGRAM MODEL UNTIL [TIMES]
set -u
program=$1 model=$2 until=$3 times=${4:-10}
name=resume_$(basename "$model" .yaml)
rm -f "$name".*
"$program" run "$model" --until "$until" -o "$name.whole.h5" --csv "$name.whole.csv" --quiet || exit 1
RANDOM=1
killed=0 resumed=0
arguments=(run "$model" --until "$until" -o "$name.h5" --csv "$name.csv" --checkpoint 0.002 --quiet)
for ((k = 0; k < times; k++)); do
    "$program" "${arguments[@]}" &
    process=$!
    for ((i = 0; i < 200; i++)); do # until there is something to go on from, or the run is over
        [ -f "$name.h5.checkpoint" ] || ! kill -0 $process 2>/dev/null && break
        sleep 0.01
    done
    sleep 0.0$((RANDOM % 90 + 10))
    kill -KILL $process 2>/dev/null && killed=$((killed + 1))
    wait $process 2>/dev/null
    if [ -f "$name.h5.checkpoint" ]; then
        arguments=(run --resume "$name.h5" --csv "$name.csv" --quiet)
        resumed=$((resumed + 1))
    else # it was over, or had not begun
        arguments=(run "$model" --until "$until" -o "$name.h5" --csv "$name.csv" --checkpoint 0.002 --quiet)
    fi
done
"$program" "${arguments[@]}" || exit 1
cmp "$name.whole.csv" "$name.csv" || exit 1
for left in "$name.h5.checkpoint" "$name.h5.rows"; do
    if [ -f "$left" ]; then
        echo "$left is left over"
        exit 1
    fi
done
rm -f "$name".*
echo "$(basename "$model"): killed $killed times, resumed $resumed times, the same rows"
