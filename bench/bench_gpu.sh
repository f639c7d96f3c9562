#!/bin/sh
# Steps per second of chains of links on a device, as docs/dev/gpu.md lists them: links, dimension, method, stiffness of the hinges,
# duration, and two flexible links among them (with 3 coordinates each) or none.
# bench_gpu.sh FLEXION [DEVICE [RUNS]]; the kept objects of the user are left alone.
set -eu
flexion=$(realpath "$1") device=${2:-cuda} runs=${3:-131072}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
XDG_CACHE_HOME=$work/cache && mkdir cache && export XDG_CACHE_HOME

chain() { # links, dimension, method, stiffness, until, flexible
    awk -v flexible="$6" -v n="$1" -v space="$(($2 == 3))" -v method="$3" -v k="$4" -v until="$5" -v runs="$runs" 'BEGIN {
        split("[0, 1, 0]|[0, 0, 1]|[1, 0, 0]", axis, "|")
        if (!space) print "dimension: 2"
        print "flexion: 1\ngravity: " (space ? "[0, 0, -9.81]" : "[0, -9.81]") "\nparameters: {m: 1, k: " k ", c: 0.05}\nbodies:"
        first = flexible ? int(n / 3) : -1
        second = flexible ? int(2 * n / 3) : -1
        zero = space ? ", 0" : ""
        for (i = 0; i < n; i++)
            if (i == first || i == second) printf "  b%d: {type: flexible, position: [%g, 0%s], fe: {line: [[0, 0%s], [0.2, 0%s]], elements: 4, section: {width: 0.02, height: 0.01}, material: {E: 2e9, density: 5000}}, reduce: {type: craig-bampton, interfaces: [end], modes: 3}, damping: {ratio: 0.02}}\n", i, 0.2 * i, zero, zero, zero
            else if (space) printf "  b%d: {type: rigid, mass: m, position: [%g, 0, 0], com: [0.1, 0.01, 0], inertia: [0.001, 0.004, 0.004]}\n", i, 0.2 * i
            else printf "  b%d: {type: rigid, mass: m, position: [%g, 0], com: [0.1, 0], inertia: 0.004}\n", i, 0.2 * i
        print "joints:"
        for (i = 0; i < n; i++) {
            at = i && (i - 1 == first || i - 1 == second) ? "b" i - 1 ".end" : sprintf("[%g, 0%s]", 0.2 * i, zero)
            printf "  j%d: {type: revolute, on: [%s, b%d], at: %s%s}\n", i, i ? "b" i - 1 : "ground", i, at, space ? ", axis: " axis[i % 3 + 1] : ""
        }
        print "forces:"
        for (i = 0; i < n; i++) printf "  s%d: {type: torque, on: j%d, value: -k*j%d.angle - c*j%d.rate}\n", i, i, i, i
        print "simulate: {until: " until ", method: " method ", step: 1e-3, formulation: tree}"
        print "outputs: {every: 0.1, signals: [b" n - 1 ".position." (space ? "z" : "y") ", j0.angle, j" int(n / 2) ".angle]}"
        print "sweep: {sample: {count: " runs ", method: sobol, seed: 1}, parameters: {m: {from: 0.8, to: 1.2}, k: {from: " k / 2 ", to: " k "}, c: {from: 0.01, to: 0.1}}}" }'
}

for what in "6 2 rk4 1 0.5 0" "6 3 rk4 1 0.5 0" "24 2 rk4 1 0.1 0" "24 2 midpoint 100 0.2 0" "24 3 midpoint 100 0.2 0" "18 2 midpoint 100 0.2 1" "18 3 midpoint 100 0.2 1"; do
    # shellcheck disable=SC2086
    chain $what >chain.yaml
    echo "--- $what"
    "$flexion" sweep chain.yaml --device "$device" --csv chain.csv | grep -E "runs/s|steps/s|registers"
done
