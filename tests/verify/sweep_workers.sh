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
    wait=0.2
    [ "$times" -le 2 ] || wait=0.$(printf %02d $((3 + RANDOM % 20))) # of many, at random
    rm -rf $folder
    "$program" sweep "$model" --into $folder --workers 2 --quiet &
    process=$!
    sleep "$wait"
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
# a page of it, with a run that failed
if [ -f $folder/plan ]; then
    mkdir -p $folder/failed
    printf 'no </script> here: "why"\n' >$folder/failed/000003.txt
    "$program" view $folder -o sweep_workers.html || exit 1
    grep -q '{n:1,v:\[0.5,0,' sweep_workers.html || { echo "the page has no rows"; exit 1; }
    grep -q 'names:\["L","k","low","steps"\]' sweep_workers.html || { echo "the page has no names"; exit 1; }
    grep -q '{n:4,text:"no \\u003c/script> here: ' sweep_workers.html || { echo "the page has no messages"; exit 1; }
    grep -q 'parameters:2,' sweep_workers.html || { echo "the page knows no parameters"; exit 1; }
fi
! "$program" view $folder --max-size 5MB 2>/dev/null || exit 1
rm -rf $folder sweep_workers.csv joined.csv sweep_workers.html
echo "$killed workers killed, the same table"
