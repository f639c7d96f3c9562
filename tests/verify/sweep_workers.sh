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
# rows that are lost are done again; a name with a quote; a study that is only planned
for rows in "$folder"/rows/*; do
    head -c 300 "$rows" >rows.part && mv rows.part "$rows"
done
"$program" sweep --join $folder | grep -q "runs are lost, and are done again" || { echo "nothing is missed"; exit 1; }
"$program" sweep --gather $folder --csv joined.csv --quiet || exit 1
cmp sweep_workers.csv joined.csv || exit 1
rm -rf "it's a.study"
"$program" sweep "$model" --into "it's a.study" --dry-run | grep -q "to a chunk" || exit 1
[ -z "$(ls "it's a.study/rows")" ] || { echo "a dry run has done something"; exit 1; }
"$program" sweep "$model" --into "it's a.study" --slurm "-p main" --dry-run >job.txt || exit 1
bash -n "it's a.study/job.sh" && [ "$(eval "set -- $(cat job.txt)" && echo "$#")" = 4 ] || { cat job.txt; exit 1; }
rm -rf "it's a.study" job.txt
# two who begin the same study at once work at it together
rm -rf $folder
"$program" sweep "$model" --into $folder --workers 1 --quiet &
"$program" sweep "$model" --into $folder --workers 3 --quiet || exit 1
wait $! || exit 1
"$program" sweep --gather $folder --csv joined.csv --quiet || exit 1
cmp sweep_workers.csv joined.csv || exit 1
# without a place for claims nobody waits for ever; the first command makes it again
rm -rf $folder/claims
timeout 30 "$program" sweep --join $folder 2>told.txt
[ $? -eq 1 ] && grep -q "cannot write '$folder/claims/0" told.txt || { echo "no word of the claims"; cat told.txt; exit 1; }
"$program" sweep "$model" --into $folder --quiet || exit 1
cmp sweep_workers.csv $folder/table.csv || exit 1
rm told.txt
# signals are kept, by any number of workers the same table
rm -rf "$folder"
"$program" sweep "$model" --into $folder --workers 2 --results --quiet || exit 1
[ -s $folder/study.h5 ] || { echo "there are no signals"; exit 1; }
virtual=$(stat -c %s $folder/study.h5)
"$program" sweep --gather $folder --csv joined.csv --pack --quiet || exit 1
[ "$(stat -c %s $folder/study.h5)" -gt "$virtual" ] || { echo "nothing was packed"; exit 1; }
paste -d, sweep_workers.csv joined.csv | awk -F, '{ n = NF / 2; for (i = 1; i <= n; i++) { d = $i - $(i + n); if (d < 0) d = -d; if (d > 1e-12 * ($i < 0 ? 1 - $i : 1 + $i)) bad = 1 } } END { exit bad }' ||
    { echo "a study with signals has another table"; exit 1; }
"$program" sweep --status $folder | grep -q 'rows, .* runs/s' || { echo "no workers are listed"; exit 1; }
"$program" view $folder --play 2 -o sweep_workers.html >/dev/null || exit 1
grep -q 'pages:{1:"sweep_workers_run1.html",120:"sweep_workers_run120.html"}' sweep_workers.html || { echo "runs have no pages"; exit 1; }
[ -s sweep_workers_run120.html ] || { echo "a page is missing"; exit 1; }
rm -f sweep_workers_run1.html sweep_workers_run120.html
# a file of the model that changes, another version, a job that is about to end, a study that mostly fails
mkdir -p sweep_workers_files
sed 's/^parameters:/functions: {push: {file: push.csv}}\nparameters:/; s/stiffness: k/stiffness: "k*push(0)"/' "$model" >sweep_workers_files/m.yaml
printf '0,1\n1,1\n' >sweep_workers_files/push.csv
refused() { # words of the message, command
    local words=$1 said
    shift
    said=$("$@" 2>&1) && { echo "not refused: $*"; exit 1; }
    echo "$said" | grep -q "$words" || { echo "$said"; exit 1; }
}
rm -rf $folder
"$program" sweep sweep_workers_files/m.yaml --into $folder --slurm "" --dry-run >/dev/null || exit 1
printf '0,1\n1,2\n' >sweep_workers_files/push.csv
refused "push.csv' has changed since" "$program" sweep --join $folder
printf '0,1\n1,1\n' >sweep_workers_files/push.csv
SLURM_JOB_END_TIME=1000000000 "$program" sweep --join $folder | grep -q "the job ends" || exit 1
sed -i 's/^version .*/version 0.0.1/' $folder/plan
refused "planned by Flexion 0.0.1" "$program" sweep --join $folder
sed 's/stiffness: k/stiffness: "if(k > 4 and k < 8, sqrt(-k), 1)"/' "$model" >sweep_workers_files/bad.yaml
rm -rf $folder
refused "the study stops" "$program" sweep sweep_workers_files/bad.yaml --into $folder --workers 2 --stop-after 20%
refused "as 20%" "$program" sweep sweep_workers_files/bad.yaml --into $folder --stop-after 0.2
# runs that fail have their rows, with their numbers and parameters alone; those that nobody has done leave gaps
"$program" sweep sweep_workers_files/bad.yaml --csv bad.csv --quiet 2>/dev/null && exit 1
grep -q ',nan,nan$' bad.csv && ! tail -1 bad.csv | grep -q nan || { echo "no run fails in the middle"; cat bad.csv; exit 1; }
rm -rf $folder
"$program" sweep sweep_workers_files/bad.yaml --into $folder --workers 2 --quiet 2>/dev/null && exit 1
cmp bad.csv $folder/table.csv || exit 1
for rows in "$folder"/rows/*; do
    head -c 400 "$rows" >rows.part && mv rows.part "$rows"
done
"$program" sweep --gather $folder --csv gaps.csv --quiet && exit 1
[ "$(wc -l <gaps.csv)" -lt "$(wc -l <bad.csv)" ] && ! grep -vxFf bad.csv gaps.csv || { echo "rows have other numbers"; exit 1; }
# a sample has its report
cat >sweep_workers_files/sample.yaml <<END
flexion: 1
parameters: {x: 1, y: 1}
bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], velocity: [x, y, 0]}}
simulate: {until: 1}
outputs: {every: 1, signals: [b.position], metrics: {f: "final(b.position.x)*y"}}
sweep: {sample: {count: 32, method: sobol}, parameters: {x: {from: 0, to: 1}, y: {from: 0, to: 2}}, report: [mean, quantiles, indices]}
END
(cd sweep_workers_files && "$program" sweep sample.yaml --quiet) || exit 1
rm -rf $folder
"$program" sweep sweep_workers_files/sample.yaml --into $folder --workers 2 | grep -q "2.5, 25, 50, 75, 97.5 per cent" || { echo "no report"; exit 1; }
cmp sweep_workers_files/sample_report.csv $folder/report.csv || exit 1
rm -rf sweep_workers_files $folder joined.csv bad.csv gaps.csv
rm -rf $folder && "$program" sweep "$model" --into $folder --quiet || exit 1
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
