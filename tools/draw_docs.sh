#!/usr/bin/env bash
# Draw the pictures of README.md and docs/guide.md with the program itself.
#   tools/draw_docs.sh PROGRAM
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/.."
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
