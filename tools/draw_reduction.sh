#!/usr/bin/env bash
# Draw the pictures of docs/theory/reduction.md: what a reduction costs and what it leaves.
#   tools/draw_reduction.sh PROGRAM
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/.."
. tools/picture.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# model EXAMPLE FILE METHOD "reduce: ..." OUTPUTS
model() {
    sed -e "s/^reduce:.*/$4/" -e "s/^simulate: {until: \([^,]*\),.*/simulate: {until: \1, method: $3}/" \
        -e "s/^outputs:.*/outputs: {$5}/" "examples/$1.yaml" >"$work/$2.yaml"
}

# point MODEL REFERENCE [--set ...]: calls of the equations for the steps themselves, and the mean over time of
# the sum of all differences.
point() {
    local name=$1 reference=$2
    shift 2
    "$program" run "$work/$name.yaml" -o "$work/$name.h5" "$@" 2>/dev/null |
        awk '/^  (steps|rejected) / { steps += $2 } /^  Newton iterations/ { newton = $3 }
             END { printf "%d ", newton ? newton : steps }'
    "$program" compare "$work/$reference.h5" "$work/$name.h5" -q --csv - 2>/dev/null |
        awk -F, 'NR > 1 { sum += $2 } END { print sum }'
}

log_picture() { # NAME, gnuplot's commands as input
    { printf 'set logscale xy\nset format "10^{%%T}"\n'; cat; } | picture "$1"
}

# ---- the Mobot -----------------------------------------------------------------------------------

platform="every: 0.01, signals: [platform.position, platform.angle]"
feet="reduce: {type: quasistatic, neglect_inertia: [foot]}"
tight="radau, rtol: 1e-10, atol: 1e-12, initial_step: 1e-6"
for d in 80 580; do
    model mobot reference "$tight" "" "$platform"
    "$program" run "$work/reference.yaml" -q -o "$work/reference.h5" --set kD=$d
    for tolerance in 3e-1 1e-1 3e-2 1e-2 3e-3 1e-3; do
        model mobot full "euler, rtol: 1e-14, atol: $tolerance, initial_step: 1e-5" "" "$platform"
        point full reference --set kD=$d >>"$work/mobot_full_$d.dat"
        model mobot reduced "euler, rtol: 1e-14, atol: $tolerance, initial_step: 1e-5" "$feet" "$platform"
        point reduced reference --set kD=$d >>"$work/mobot_reduced_$d.dat"
    done
done
log_picture mobot_work <<END
set xlabel "steps of Euler's method, each a call"
set ylabel "mean error of the platform"
set key outside right
plot "$work/mobot_full_80.dat" with linespoints pt 6 lw 1.5 lc rgb "#d95f02" title "full, kD = 80", \
     "$work/mobot_reduced_80.dat" with linespoints pt 7 lw 1.5 lc rgb "#1b5e9e" title "reduced, kD = 80", \
     "$work/mobot_full_580.dat" with linespoints pt 4 lw 1.5 dt 2 lc rgb "#d95f02" title "full, kD = 580", \
     "$work/mobot_reduced_580.dat" with linespoints pt 5 lw 1.5 dt 2 lc rgb "#1b5e9e" title "reduced, kD = 580"
END

for b in 0.5 1 2 5 10 20 50 100 200 500 1000 2000; do
    model mobot reference "$tight" "" "$platform"
    "$program" run "$work/reference.yaml" -q -o "$work/reference.h5" --set kD=0 --set kB=$b
    model mobot floor "$tight" "$feet" "$platform"
    model mobot coarse "dopri5, rtol: 1e-3, atol: 1e-3, initial_step: 1e-6" "$feet" "$platform"
    echo "$b $(point floor reference --set kD=0 --set kB=$b) $(point coarse reference --set kD=0 --set kB=$b)"
done >"$work/mobot_floor.dat"
log_picture mobot_floor <<END
set xlabel "damping kB of the ground in N s/m, kD = 0"
set ylabel "mean error of the platform"
set key top right
\$digest << END_OF_DATA
0.5 1.2e-1
1 9.6e-2
2 6.0e-2
5 1.9e-2
10 6.7e-3
20 2.3e-3
50 4.8e-4
100 1.6e-4
200 8.2e-5
500 7.9e-5
1000 9.4e-5
2000 9.3e-5
END_OF_DATA
plot "$work/mobot_floor.dat" using 1:5 with linespoints pt 6 lw 1.5 lc rgb "#d95f02" title "reduced, tolerance 1e-3", \
     "$work/mobot_floor.dat" using 1:3 with linespoints pt 7 lw 1.5 lc rgb "#1b5e9e" title "reduced, tight: the floor", \
     \$digest with points pt 4 ps 1.4 lc rgb "#888888" title "the floor, recomputed elsewhere"
END

# ---- the flexible four-bar -----------------------------------------------------------------------

shapes="every: 1e-4, signals: [phi1, phi2, phi3, z1, z2, z3, z4]"
third="reduce: {type: quasistatic, neglect_inertia: [z3]}"
model four_bar_flexible reference "radau, rtol: 1e-9, atol: 1e-11" "" "$shapes"
"$program" run "$work/reference.yaml" -q -o "$work/reference.h5"
slowed="reduce: {type: cutoff, raise_inertia: [z3], factor: 3}"
adapted="reduce: {type: quasistatic, neglect_inertia: [z3], mass_damping: alpha}"
choose() { # KIND
    case $1 in
    reduced) echo "$third" ;;
    adapted) echo "$adapted" ;;
    slowed) echo "$slowed" ;;
    esac
}
for tolerance in 2e-2 1e-2 5e-3 2e-3 5e-4 1e-4 2e-5; do
    for kind in full reduced adapted slowed; do
        model four_bar_flexible m "bdf, formulation: ggl, max_order: 4, rtol: 1e-6, atol: $tolerance" "$(choose $kind)" "$shapes"
        point m reference >>"$work/bdf_$kind.dat"
    done
    for kind in full reduced; do
        for order in 2 3; do
            model four_bar_flexible m "bdf, formulation: ggl, max_order: $order, rtol: 1e-6, atol: $tolerance" "$(choose $kind)" "$shapes"
            point m reference >>"$work/order${order}_$kind.dat"
        done
    done
done
axes='set xlabel "Newton iterations, each a call"
set ylabel "mean of |q - q_{reference}|_1"
set key top left
set yrange [1e-7:1e-2]'
full="\"$work/bdf_full.dat\" with linespoints pt 6 lw 1.5 lc rgb '#d95f02' title 'full'"
reduced="\"$work/bdf_reduced.dat\" with linespoints pt 7 lw 1.5 lc rgb '#1b5e9e' title 'z3 without inertia'"
log_picture four_bar_work <<END
$axes
plot $full, $reduced, \
     "$work/bdf_adapted.dat" with linespoints pt 8 lw 1.5 dt 2 lc rgb "#1b9e77" title "its damping adapted, too", \
     3.356e-5 with lines lw 1 dt 3 lc rgb "#888888" title "the floor, recomputed elsewhere"
END
log_picture four_bar_orders <<END
$axes
plot $full, $reduced, \
     "$work/order3_full.dat" with linespoints pt 8 lw 1.5 dt 3 lc rgb "#d95f02" title "order up to 3, full", \
     "$work/order3_reduced.dat" with linespoints pt 9 lw 1.5 dt 3 lc rgb "#1b5e9e" title "order up to 3, z3 without inertia", \
     "$work/order2_full.dat" with linespoints pt 4 lw 1.5 dt 2 lc rgb "#d95f02" title "order up to 2, A-stable, full", \
     "$work/order2_reduced.dat" with linespoints pt 5 lw 1.5 dt 2 lc rgb "#1b5e9e" title "order up to 2, A-stable, z3 without inertia"
END
log_picture four_bar_cutoff <<END
$axes
plot $full, $reduced, \
     "$work/bdf_slowed.dat" with linespoints pt 5 lw 1.5 dt 2 lc rgb "#c76ba6" title "inertia of z3 times 3", \
     6.638e-5 with lines lw 1 dt 3 lc rgb "#c76ba6" title "its floor, recomputed elsewhere"
END
for f in "$work"/*.dat; do echo "$(basename "$f")"; cat "$f"; done
