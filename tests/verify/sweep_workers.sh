#!/usr/bin/env bash
# A sweep of several workers, of which some are killed, has the table of one process.
#   sweep_workers.sh PROGRAM MODEL [TIMES]
set -u
program=$1 model=$2 times=${3:-2}
folder=sweep_workers.study
"$program" sweep "$model" --csv sweep_workers.csv --quiet || exit 1
killed=0
children() { cat "/proc/$1/task/$1/children" 2>/dev/null; }
for ((k = 0; k < times; k++)); do
    rm -rf $folder
    "$program" sweep "$model" --into $folder --workers 2 --quiet &
    process=$!
    sleep 0.2
    worker=$(children $process | cut -d" " -f1)
    [ -z "$worker" ] || { kill -KILL "$worker" 2>/dev/null && killed=$((killed + 1)); }
    wait $process || exit 1
    cmp sweep_workers.csv $folder/table.csv || exit 1
done
# all of them are killed; another joins what is left, once the claims are free
rm -rf $folder
"$program" sweep "$model" --into $folder --quiet &
process=$!
sleep 0.2
kill -KILL $process $(children $process) 2>/dev/null
wait $process 2>/dev/null
[ ! -d $folder/claims ] || find $folder/claims -name '0*' ! -name '*.done' -exec touch -d '2 minutes ago' {} +
if [ -f $folder/plan ]; then
    "$program" sweep --join $folder || exit 1
    "$program" sweep --gather $folder --csv joined.csv || exit 1
    cmp sweep_workers.csv joined.csv || exit 1
fi
rm -rf $folder sweep_workers.csv joined.csv
echo "$killed workers killed, the same table"
