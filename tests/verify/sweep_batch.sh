#!/bin/sh
# Sweeps by compiled batches: the tables of ordinary runs, the refusals by name, and the same text as device code of a GPU.
# sweep_batch.sh FLEXION SOURCE
set -eu
flexion=$1 source=$2
here=$(cd "$(dirname "$0")" && pwd)
models=$source/tests/models/batch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
XDG_CACHE_HOME=$work/cache && mkdir "$work/cache" && export XDG_CACHE_HOME
# Clang compiles in a third of the time of GCC, and what counts here are the numbers, not the speed.
if command -v clang >/dev/null; then
    printf '#!/bin/sh\nexec clang "$@" -O1\n' >cc && chmod +x cc
    CC=$work/cc && export CC
fi

agree() { # ordinary, batch: every number to 1e-9 of the largest of its column
    awk -F, '
        FNR == 1 { file++; if (file == 2 && $0 != header) { print "other columns: " $0; exit 1 }; header = $0; next }
        file == 1 { for (k = 1; k <= NF; k++) { a[FNR, k] = $k; v = $k < 0 ? -$k : $k; if (v > size[k]) size[k] = v }; rows = FNR }
        file == 2 { if (FNR == 2) w = NF; for (k = 1; k <= NF; k++) { d = $k - a[FNR, k]; if (d < 0) d = -d
                    if (!(d <= 1e-9 * size[k])) { print "row " FNR - 1 ", column " k ": " a[FNR, k] ", " $k; exit 1 } }; last = FNR }
        END { if (last != rows || rows < 3) { print "rows: " rows ", " last; exit 1 } }' "$1" "$2"
}

for name in crank hanging lagging_arm stiff_chain elastic_arm elastic_chain elastic_four_bar drawn_crank drawn_loops drawn_arm tumbling regulated driven equations; do
    "$flexion" sweep "$models/$name.yaml" --csv ordinary.csv --quiet
    "$flexion" sweep "$models/$name.yaml" --device cpu --csv batch.csv >told.txt
    grep -q "agree with ordinary runs" told.txt
    LC_ALL=C agree ordinary.csv batch.csv
done

# the implicit method turns quaternions as a run does
sed 's/method: rk4, step: 3e-3/method: midpoint, step: 4e-3/' "$models/tumbling.yaml" >tumbling.yaml
"$flexion" sweep tumbling.yaml --csv ordinary.csv --quiet
"$flexion" sweep tumbling.yaml --device cpu --csv batch.csv --quiet
LC_ALL=C agree ordinary.csv batch.csv

refused() { # words of the message, then arguments
    words=$1
    shift
    code=0
    "$flexion" sweep "$@" >told.txt 2>&1 || code=$?
    [ $code -eq 2 ] || { echo "exit status $code of: $*"; cat told.txt; exit 1; }
    grep -q "$words" told.txt || { echo "not '$words':"; cat told.txt; exit 1; }
}
change() { # expression: the crank, changed
    sed "$1" "$models/crank.yaml" >changed.yaml
}
change 's/stall: {from: 3, to: 4}/h: {from: 1e-3, to: 2e-3}/; s/stall: 3.5/h: 1e-3, stall: 3.5/; s/step: 1e-3/step: h/'
refused "parameter 'h' shapes the mechanism" changed.yaml --device cpu
change 's/method: rk4, step: 1e-3/method: radau/'
refused "batches of runs make equal steps by rk4, dopri5 or midpoint: method 'radau'" changed.yaml --device cpu
change 's/method: rk4/method: midpoint/'
refused "not with closed loops" changed.yaml --device cpu
sed 's/method: dopri5/method: midpoint/' "$models/hanging.yaml" >changed.yaml
refused "no means and integrals along steps of the midpoint rule" changed.yaml --device cpu
change 's/slider.velocity.x\]/slider.acceleration.x]/'
refused "signal 'slider.acceleration.x' reads an acceleration" changed.yaml --device cpu
change 's/slider.velocity.x\]/pin.reaction.x]/'
refused "signal 'pin.reaction.x' reads" changed.yaml --device cpu
change 's/value: stall/value: abs(motor.angle) + stall/'
refused "contains a comparison or a jump" changed.yaml --device cpu
change '$a events: {end: {when: motor.angle > 9, stop: true}}'
refused "the event 'end' happens within a run" changed.yaml --device cpu
"$flexion" export batch "$source/examples/rubber_bar.yaml" -o solid.c >told.txt 2>&1 && exit 1
grep -q "the solid 'bar' cannot be exported" told.txt
sed 's/frame: buckens/stiffening: true/' "$models/elastic_arm.yaml" >changed.yaml
refused "the stiffening of the flexible body 'tail' cannot be exported" changed.yaml --device cpu
refused "there is no device 'gpu'" "$models/crank.yaml" --device gpu
refused "leave it out, and let" "$models/crank.yaml" --device cpu --into here.study --slurm "-p main"
(PATH=$work/none CC=none && export PATH CC && refused_alone=$("$flexion" sweep "$models/crank.yaml" --device cpu 2>&1 || true) &&
    case $refused_alone in *"needs a C compiler"*) ;; *) echo "$refused_alone"; exit 1 ;; esac)

# A signal that is rounding alone, as the height of the slider is, does not count as a difference.
change 's/slider.velocity.x\]/slider.position.y]/'
"$flexion" sweep changed.yaml --device cpu >told.txt
grep -q "agree with ordinary runs" told.txt

# Where every run fails there is nothing that agrees.
change 's/stall: {from: 3, to: 4}/stall: {from: 1e300, to: 2e300}/'
"$flexion" sweep changed.yaml --device cpu >told.txt 2>&1 && exit 1
grep -q "nothing was compared" told.txt
if grep -q agree told.txt; then cat told.txt; exit 1; fi

# A kept object: nothing is compiled the second time, and what is changed is.
"$flexion" sweep "$models/crank.yaml" --device cpu --csv batch.csv >told.txt
if grep -q compil told.txt; then cat told.txt; exit 1; fi
"$flexion" sweep "$models/crank.yaml" --set l=0.41 --device cpu --csv batch.csv >told.txt
grep -q "compiled in" told.txt

# Through a study folder: one worker by batches, the rest by ordinary runs.
"$flexion" sweep "$models/crank.yaml" --csv ordinary.csv --quiet
"$flexion" sweep "$models/crank.yaml" --device cpu --into far.study >told.txt
LC_ALL=C agree ordinary.csv far.study/table.csv

# A GPU that is none: driver and compiler by the processor. Launches, shares of the work, the check and what is said are the real ones.
if ! command -v nvidia-smi >/dev/null; then
    refused "needs a GPU of NVIDIA or AMD with its driver" "$models/crank.yaml" --device cuda
    echo 'int cuInit(int f) { return f; } int cuDeviceGetCount(int *n) { *n = 1; return 0; }' >driver.c
    mkdir driver && ${CC:-cc} -shared -fPIC driver.c -o driver/libcuda.so.1
    LD_LIBRARY_PATH=$work/driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} && export LD_LIBRARY_PATH
    (NVCC=none PATH=$(dirname "$(command -v sh)") && export NVCC PATH && "$flexion" sweep "$models/crank.yaml" --device cuda >told.txt 2>&1 || true)
    grep -q "needs NVIDIA's compiler nvcc" told.txt || [ -x /usr/local/cuda/bin/nvcc ]
    cat >nvcc <<EOF
#!/bin/sh
for last; do case \$last in *.cu) text=\$last ;; *.so) object=\$last ;; esac; done
exec g++ -O1 -std=c++17 -w -shared -fPIC -include "$here/cuda_on_processor.h" -x c++ "\$text" -o "\$object"
EOF
    chmod +x nvcc
    NVCC=$work/nvcc && export NVCC
    for name in hanging elastic_chain; do
        "$flexion" sweep "$models/$name.yaml" --csv ordinary.csv --quiet
        "$flexion" sweep "$models/$name.yaml" --device cuda --csv batch.csv >told.txt
        grep -q "steps/s; as many runs of each batch by the same equations on the processor differ by" told.txt
        grep -q "64 times slower in double precision" told.txt
        LC_ALL=C agree ordinary.csv batch.csv
    done
    (NO_CARD_MEMORY=1 && export NO_CARD_MEMORY && "$flexion" sweep "$models/hanging.yaml" --device cuda >told.txt 2>&1) && exit 1
    grep -q "the GPU ended with: out of memory" told.txt
    "$flexion" sweep "$models/hanging.yaml" --device cuda --into near.study >told.txt
    "$flexion" sweep "$models/hanging.yaml" --csv ordinary.csv --quiet
    LC_ALL=C agree ordinary.csv near.study/table.csv
fi
if command -v clang >/dev/null; then
    for name in crank lagging_arm elastic_chain; do
        "$flexion" export batch "$models/$name.yaml" --name batch -o batch.cu >/dev/null
        clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -O1 -S -include "$here/cuda_declarations.h" \
            batch.cu -o batch.ptx 2>told.txt || { cat told.txt; exit 1; }
        grep -q "visible .entry batch_kernel" batch.ptx
    done
    "$flexion" export batch "$models/drawn_crank.yaml" --name batch -o batch.hip >/dev/null
    clang -x hip --cuda-device-only --offload-arch=gfx90a -nogpuinc -nogpulib -fno-builtin -O1 -S -I"$here" \
        batch.hip -o batch.gcn 2>told.txt || { cat told.txt; exit 1; }
    grep -q "amdhsa_kernel batch_kernel" batch.gcn
    echo "device code compiled"
else
    echo "device code skipped: there is no clang"
fi
