#!/usr/bin/env bash
# A study on a cluster: a controller and two nodes of SLURM on this machine, one of which is killed in the middle; mpirun with
# two ranks; GNU parallel. Every table is that of one process, bit for bit. Without SLURM, mpirun or parallel that part is skipped.
#   study_cluster.sh PROGRAM MODEL
set -u
program=$(readlink -f "$1")
work=$(mktemp -d)
sed 's/until: 5/until: 15/; s/count: 12/count: 40/; s/count: 10/count: 20/' "$2" >"$work/rods.yaml" # long enough to be disturbed
model=$work/rods.yaml
short=$(readlink -f "$2")
pids=()
finish() {
    for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done
    for p in "${pids[@]}"; do wait "$p" 2>/dev/null; done
    [ -z "${FLX_KEEP:-}" ] && rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
mkdir bin
ln -s "$program" bin/flexion
export PATH=$work/bin:$PATH
"$program" sweep "$model" --csv serial.csv --quiet || exit 1
same() { # folder, words
    "$program" sweep --gather "$1" --csv "$1.csv" --quiet || { echo "$2: not all runs are there"; exit 1; }
    cmp serial.csv "$1.csv" || exit 1
    echo "$2: the same table"
}
plan() { # folder: a study that nobody does yet
    "$program" sweep "$model" --into "$1" --workers 2 --slurm "" --dry-run >/dev/null || exit 1
}

if command -v mpirun >/dev/null; then
    plan mpi.study
    mpirun --allow-run-as-root --oversubscribe -n 2 "$program" sweep --join mpi.study >mpi.log 2>&1 || { cat mpi.log; exit 1; }
    same mpi.study "mpirun, 2 ranks"
    # workers of both ranks are killed with -9 at random: each rank begins another in its place
    "$program" sweep "$short" --csv short.csv --quiet || exit 1
    killed=0 times=${FLX_KILLS:-10}
    for ((k = 0; k < times; k++)); do
        rm -rf kill.study
        "$program" sweep "$short" --into kill.study --workers 2 --slurm "" --dry-run >/dev/null || exit 1
        mpirun --allow-run-as-root --oversubscribe -n 2 "$program" sweep --join kill.study >mpi.log 2>&1 &
        launcher=$!
        sleep 0.$(printf %02d $((25 + RANDOM % 60)))
        worker=
        for rank in $(pgrep -P $launcher); do worker="$worker $(pgrep -P "$rank" | head -1)"; done
        worker=$(echo $worker | tr ' ' '\n' | shuf -n 1)
        [ -z "$worker" ] || { kill -KILL "$worker" 2>/dev/null && killed=$((killed + 1)); }
        wait $launcher || { cat mpi.log; exit 1; }
        "$program" sweep --gather kill.study --csv kill.csv --quiet && cmp short.csv kill.csv || exit 1
    done
    echo "mpirun, $killed workers killed in $times runs: the same table"
else
    echo "mpirun: skipped"
fi
if command -v parallel >/dev/null; then
    plan parallel.study
    parallel -j 2 -n 0 "$program" sweep --join parallel.study ::: 1 2 >parallel.log 2>&1 || { cat parallel.log; exit 1; }
    same parallel.study "GNU parallel, 2 workers"
else
    echo "parallel: skipped"
fi

# ---- SLURM ------------------------------------------------------------------------------------------
for p in slurmctld slurmd munged sbatch; do
    command -v $p >/dev/null || PATH=$PATH:/usr/sbin command -v $p >/dev/null || { echo "SLURM: skipped, there is no $p"; exit 0; }
done
PATH=$PATH:/usr/sbin
[ "$(id -u)" -eq 0 ] || { echo "SLURM: skipped, its daemons want root"; exit 0; }
host=$(hostname -s)
mkdir -p munge state spool1 spool2 tmp1 tmp2
dd if=/dev/urandom of=munge/key bs=1 count=1024 status=none
chmod 700 munge
chmod 600 munge/key
munged --force -F --key-file=munge/key --socket=munge/socket --pid-file=munge/pid --log-file=munge/log --seed-file=munge/seed &
pids+=($!)
cat >slurm.conf <<END
ClusterName=flexion
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17817
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
ReturnToService=2
SlurmdTimeout=30
StateSaveLocation=$work/state
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmdSpoolDir=$work/spool-%n
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17818 CPUs=1 RealMemory=100 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17819 CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
mkdir -p spool-n1 spool-n2
export SLURM_CONF=$work/slurm.conf
slurmctld -D -c >/dev/null 2>&1 &
pids+=($!)
slurmd -D -N n1 >/dev/null 2>&1 &
pids+=($!)
slurmd -D -N n2 >/dev/null 2>&1 &
second=$!
pids+=($second)
for ((i = 0; i < 100; i++)); do
    [ "$(sinfo -h -o %T 2>/dev/null | sort -u)" = idle ] && break
    sleep 0.2
done
[ "$(sinfo -h -o %T 2>/dev/null | sort -u)" = idle ] || { echo "SLURM: skipped, its nodes do not come up:"; sinfo; tail -3 ./*.log; exit 77; }
"$program" sweep "$model" --into slurm.study --workers 2 --slurm "-p main -n 1 --mem=40" || exit 1
for ((i = 0; i < 100; i++)); do # both nodes work
    [ "$(squeue -h -t R | wc -l)" -ge 2 ] && [ "$(find slurm.study/rows -name '*.rows' 2>/dev/null | wc -l)" -ge 2 ] && break
    sleep 0.1
done
echo "running: $(squeue -h -t R -o %N | tr '\n' ' ')"
# the second node dies, with what it does
steps=$(pgrep -P "$second"; pgrep -f "slurmstepd.*" | while read -r p; do grep -qz "SLURMD_NODENAME=n2" /proc/"$p"/environ 2>/dev/null && echo "$p"; done)
worker=$(for p in /proc/[0-9]*; do grep -qz "SLURMD_NODENAME=n2" "$p/environ" 2>/dev/null && basename "$p"; done)
kill -KILL "$second" $steps $worker 2>/dev/null
[ -n "$worker" ] || echo "the node had no work when it died"
# its claims are old enough at once: nobody waits a minute here
sleep 1
find slurm.study/claims -name '0*' ! -name '*.done' | while read -r claim; do
    owner=$(sed 's/^.*-\([0-9]*\)-[0-9a-f]*$/\1/' "$claim")
    kill -0 "$owner" 2>/dev/null || touch -d '2 minutes ago' "$claim"
done
for ((i = 0; i < 600; i++)); do
    "$program" sweep --gather slurm.study --csv slurm.csv --quiet >/dev/null 2>&1 && break
    sleep 0.2
done
same slurm.study "SLURM, a node of two lost"
