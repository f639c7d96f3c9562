// ladder_text.h - a ladder: two rails on the ground and rungs between them, a loop each; N: %d.
#pragma once

#define LADDER_TEXT                                                                                \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {N: %d}\nbodies:\n"                \
    "  left: {repeat: {i: [1, N]}, type: rigid, mass: 1, inertia: 0.1, position: [0, i - 0.5]}\n"  \
    "  right: {repeat: {i: [1, N]}, type: rigid, mass: 1, inertia: 0.1, position: [1, i - 0.5]}\n" \
    "  rung: {repeat: {i: [1, N]}, type: rigid, mass: 0.5, inertia: 0.05, position: [0.5, i]}\n"   \
    "joints:\n"                                                                                    \
    "  L1: {type: revolute, on: [ground, left(1)], at: [0, 0]}\n"                                  \
    "  R1: {type: revolute, on: [ground, right(1)], at: [1, 0]}\n"                                 \
    "  L: {repeat: {i: [2, N]}, type: revolute, on: [left(i-1), left(i)], at: [0, i-1]}\n"         \
    "  R: {repeat: {i: [2, N]}, type: revolute, on: [right(i-1), right(i)], at: [1, i-1]}\n"       \
    "  A: {repeat: {i: [1, N]}, type: revolute, on: [left(i), rung(i)], at: [0, i]}\n"             \
    "  B: {repeat: {i: [1, N]}, type: revolute, on: [right(i), rung(i)], at: [1, i]}\n"            \
    "forces:\n"                                                                                    \
    "  k: {repeat: {i: [2, N]}, type: spring, on: L(i), stiffness: 500, damping: 5}\n"             \
    "  foot: {type: spring, on: L1, stiffness: 5000, damping: 50}\n"
