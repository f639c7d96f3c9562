#!/usr/bin/env bash
# Draw the pictures of README.md and docs/ with the program itself.
#   tools/draw_docs.sh PROGRAM
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/.."
. tools/picture.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

draw() { # EXAMPLE "OPTIONS OF RUN" SIGNALS AND OPTIONS OF PLOT
    local name=$1 options=$2
    shift 2
    "$program" run "examples/$name.yaml" -q $options -o "$work/$name.h5"
    "$program" plot "$work/$name.h5" "$@" -o "docs/img/$name.svg"
}

draw gyroscope "" top.tip.position.y --x top.tip.position.x --size 560x560
draw pendulum "" hinge.angle hinge.rate
draw slider_crank "" crank.rate slider.position.x pin.reaction
draw spatial_crank "" rail.displacement bearing.drive
draw speed_control "" flywheel_bearing.rate rotor_bearing.rate current
draw pendulum_wave "--until 15" "bob(1).position.y" "bob(8).position.y" "bob(15).position.y"
draw metronomes "" left.hinge.angle right.hinge.angle board.position.x
(
    cd "$work"
    pole=$OLDPWD/examples/flexible_pole.yaml img=$OLDPWD/docs/img
    "$program" analyse "$pole" plant bode pd >/dev/null
    "$program" plot flexible_pole_plant.csv flexible_pole_plant_zeros_of_pairs.csv --poles -o "$img/walk_poles.svg"
    "$program" plot flexible_pole_bode.csv --bode -o "$img/walk_bode.svg"
    "$program" plot flexible_pole_pd.csv flexible_pole_pd_zeros.csv --locus -o "$img/walk_locus.svg"
    "$program" run "$pole" -q
    "$program" plot flexible_pole.h5 rail.displacement tip.position.x hinge.angle F -o "$img/walk_run.svg"
    "$program" run "$pole" -q --set ideal=1 -o ideal.h5
    "$program" compare ideal.h5 flexible_pole.h5 --quiet --signals rail.displacement -o "$img/walk_compare.svg" >/dev/null
)
"$program" run examples/rotor_run_up.yaml -q -o "$work/rotor_run_up.h5"
"$program" spectrum "$work/rotor_run_up.h5" housing.position.y --speed bearing.rate --orders 1 --segment 4 --from 1 -o docs/img/rotor_run_up.svg >/dev/null
"$program" run examples/slider_crank.yaml -q -o "$work/slider_crank.h5"
"$program" plot "$work/slider_crank.h5" slider.position.x --spectrum -o docs/img/slider_crank_spectrum.svg
draw crane_without_swing "" rail.displacement rope.angle:deg F
draw arm_least_time "" u1 u2 shoulder.angle elbow.angle
draw arm_sizes "--set w=0.00963091 --set h=0.0385236" lag hub.drive # what its optimisation finds
(
    cd "$work"
    "$program" optimise "$OLDPWD/examples/drop_test.yaml" >/dev/null
    "$program" plot drop_test_fit.csv --fit -o "$OLDPWD/docs/img/drop_test.svg"
)
draw joint_friction "" ramp.displacement ramp.rate bearing.rate
draw woodpecker "" y p s
draw stick_slip "" block.position.x block.velocity.x rub.friction
draw kicking_leg "" hip.angle knee.angle knee.limit
draw thrown_ball "" ball.position.z ball.velocity.x ball.angular_velocity.y
draw cam_follower "--set omega=110" touch.value touch.gap
draw touching_beams "" touch.value touch.gap "rod.point(0.5).position.z"
draw ball_on_rubber "" ball.position.z "bar.node(120).position.z" touch.value
draw bouncing_ball "" ball.position.y ball.velocity.y top
draw belt_sled "" lap.value shoulder.value head.angle
draw knee_extension "" knee.angle vasti.value vasti.activation
draw lane_change "" chassis.position.y chassis.angular_velocity.z "tyre(1).lateral" "tyre(2).lateral"
draw sampled_control "" hinge.angle rail.displacement u

# Eigenvalues over a parameter.
"$program" sweep examples/bicycle.yaml -q --csv "$work/bicycle.csv"
"$program" plot "$work/bicycle.csv" weave.re weave.im --x v -o docs/img/bicycle_modes.svg

# Methods compared.
"$program" convergence examples/slider_crank.yaml -q --until 0.5 --steps 0.004..0.0005 \
    --methods "generalized-alpha,galerkin(degree=2),radau" --signals positions,multipliers \
    -o docs/img/slider_crank_orders.svg
"$program" work-precision examples/andrews_squeezer.yaml -q --tolerances 1e-3..1e-10 --repeats 40 \
    --methods "radau,radau(stages=5),dopri5,dop853,bdf" -o docs/img/andrews_squeezer_work.svg

# What hht and newmark make of a spring that the step does not resolve.
"$program" run examples/stiff_coupling.yaml -q -o "$work/damped.h5" --csv "$work/damped.csv"
sed 's/method: hht, alpha: -0.1/method: newmark/' examples/stiff_coupling.yaml >"$work/kept.yaml"
"$program" run "$work/kept.yaml" -q -o "$work/kept.h5" --csv "$work/kept.csv"
picture stiff_coupling <<END
set datafile separator ","
set xlabel "t in s"
set ylabel "force of the coupling in N"
set yrange [-800:1000]
set key top right
plot "$work/kept.csv" using 1:5 every ::1 with lines lw 0.8 lc rgb "#d95f02" title "newmark", \\
     "$work/damped.csv" using 1:5 every ::1 with lines lw 2 lc rgb "#1b5e9e" title "hht, alpha -0.1"
END

# Steps of the rod pendulum against its damping, in both forms, beside the published ones.
steps() { # MODEL DAMPING
    "$program" run "$1" --set "d=$2" -o "$work/rod.h5" | sed -n 's/^  steps *//p'
}
sed 's/form: mixed/form: plain/' examples/rod_pendulum.yaml >"$work/plain.yaml"
for d in 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10; do
    echo "$d $(steps "$work/plain.yaml" $d) $(steps examples/rod_pendulum.yaml $d)"
done >"$work/steps.dat"
picture rod_pendulum_steps <<END
set logscale xy
set format x "10^{%T}"
set xlabel "damping d in N s/m"
set ylabel "accepted steps"
set xrange [5:2e10]
set yrange [20:2000]
set key top center
\$published << END_OF_DATA
1e1 209
1e2 46
1e3 37
1e4 60
1e5 128
1e6 185
1e7 291
1e8 583
END_OF_DATA
plot \$published with linespoints pt 4 lc rgb "#888888" title "RADAU5, published", \
     "$work/steps.dat" using 1:2 with linespoints pt 6 lc rgb "#d95f02" title "plain form", \
     "$work/steps.dat" using 1:3 with linespoints pt 7 lc rgb "#1b5e9e" title "mixed form"
END

# Steps of the gymnast against the damping of his joints, in both forms.
mkdir "$work/human"
for file in high_bar human/man; do
    sed 's/damping: \[d, d, d\]/damping: [d, d, d], form: plain/' "examples/$file.yaml" >"$work/$file.yaml"
done
for d in 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10; do
    echo "$d $(steps "$work/high_bar.yaml" $d) $(steps examples/high_bar.yaml $d)"
done >"$work/steps.dat"
picture high_bar_steps <<END
set logscale xy
set format x "10^{%T}"
set xlabel "damping d of a joint in N s/m"
set ylabel "accepted steps"
set xrange [5e1:2e10]
set yrange [20:20000]
set key top left
plot "$work/steps.dat" using 1:2 with linespoints pt 6 lc rgb "#d95f02" title "plain form", \
     "$work/steps.dat" using 1:3 with linespoints pt 7 lc rgb "#1b5e9e" title "mixed form"
END

# Steps of the collision against its damping, beside the published ones.
sed 's/method: radau/method: dopri5/' examples/collision.yaml >"$work/explicit.yaml"
sed 's/method: radau/method: radau, stages: 3/' examples/collision.yaml >"$work/three.yaml"
for d in 1e4 5e4 1e5 5e5 1e6 5e6 1e7 5e7; do
    echo "$d $(steps examples/collision.yaml $d) $(steps "$work/three.yaml" $d) $(steps "$work/explicit.yaml" $d 2>/dev/null)"
done >"$work/steps.dat"
picture collision_steps <<END
set logscale xy
set format x "10^{%T}"
set xlabel "damping d"
set ylabel "accepted steps"
set xrange [7e3:8e7]
set yrange [20:50000]
set key top left
\$published << END_OF_DATA
1e4 64 63
5e4 80 75
1e5 136 164
5e5 144 422
1e6 122 929
5e6 91 5748
1e7 89 8120
5e7 91 18107
END_OF_DATA
plot \$published using 1:2 with linespoints pt 4 lc rgb "#888888" title "RADAU5, published", \
     \$published using 1:3 with linespoints pt 8 lc rgb "#888888" title "ODE45, published", \
     "$work/steps.dat" using 1:4 with linespoints pt 6 lc rgb "#d95f02" title "dopri5", \
     "$work/steps.dat" using 1:3 with linespoints pt 5 lc rgb "#1b9e77" title "radau, 3 stages", \
     "$work/steps.dat" using 1:2 with linespoints pt 7 lc rgb "#1b5e9e" title "radau, 3 to 7 stages"
END

# The two-body problem: errors at t = 0.25, and how far energy has gone from its start.
"$program" convergence examples/two_body.yaml -q --until 0.25 --signals positions \
    --methods "euler,implicit-euler,variational(alpha=0.2),midpoint,galerkin(degree=2),galerkin(degree=3),galerkin(degree=4)" \
    --steps 0.125..0.0009765625 -o docs/img/two_body_orders.svg
energy() { # NAME METHOD
    sed "s/^simulate:.*/simulate: {until: 50, step: 1e-3, method: $2}/
         s/^outputs:.*/outputs: {every: 0.02, signals: [energy.total]}/" examples/two_body.yaml >"$work/two_body.yaml"
    "$program" run "$work/two_body.yaml" -q -o "$work/energy.h5" --csv "$work/energy.csv" 2>/dev/null || true # one falls into the sun
    awk -F, '/^[0-9]/ { e = $2 - 112.5; if (e < 0) e = -e; if (e > m) m = e
                        if ($1 > 0) print $1, (m > 1e-13 ? m : 1e-13) }' "$work/energy.csv" >"$work/$1.dat"
}
energy euler euler
energy implicit implicit-euler
energy kick "variational, alpha: 0"
energy middle "variational, alpha: 0.5"
energy galerkin "galerkin, degree: 2"
picture two_body_energy <<END
set logscale y
set format y "10^{%T}"
set xlabel "t in s"
set ylabel "largest |E - 112.5 J| so far, in J"
set xrange [0:50]
set yrange [1e-13:1e4]
set key right top at graph 0.98, graph 0.5
plot "$work/implicit.dat" with lines lw 1.6 lc rgb "#d95f02" title "implicit-euler", \
     "$work/euler.dat" with lines lw 1.6 lc rgb "#1b5e9e" title "euler", \
     "$work/kick.dat" with lines lw 1.6 lc rgb "#1b9e77" title "variational, alpha 0", \
     "$work/middle.dat" with lines lw 1.6 lc rgb "#c76ba6" title "midpoint", \
     "$work/galerkin.dat" with lines lw 1.6 lc rgb "#404040" title "galerkin, degree 2"
END

# What reductions cost and what they leave.
tools/draw_reduction.sh "$program" >/dev/null

# The same pendulum by the four formulations of a beam: the tip seen from the straight line through pin and middle.
for f in geometrically-exact ancf-cable ancf segments; do
    sed "s/formulation: ancf-cable/formulation: $f/" examples/bending_pendulum.yaml >"$work/$f.yaml"
    "$program" run "$work/$f.yaml" -q -o "$work/$f.h5" --csv "$work/$f.csv"
done
picture bending_pendulum <<END
set datafile separator ","
set xlabel "t in s"
set ylabel "tip from the line through pin and middle, in m"
set key top right
bent(x, y, u, v) = (u*y - v*x)/sqrt(u*u + v*v)
plot "$work/geometrically-exact.csv" using 1:(bent(\$2, \$3, \$4, \$5)) every ::1 with lines lw 5 lc rgb "#c8d8ea" title "geometrically exact", \\
     "$work/ancf-cable.csv" using 1:(bent(\$2, \$3, \$4, \$5)) every ::1 with lines lw 1.4 lc rgb "#1b5e9e" title "ancf-cable", \\
     "$work/ancf.csv" using 1:(bent(\$2, \$3, \$4, \$5)) every 4::1 with points pt 6 ps 0.6 lc rgb "#d95f02" title "ancf", \\
     "$work/segments.csv" using 1:(bent(\$2, \$3, \$4, \$5)) every 4::3 with points pt 2 ps 0.6 lc rgb "#2a7a2a" title "segments"
END
