// net_text.h - a curved net of plates, 4 by N, ball joints between all neighbours, on two corners; N: %d.
#pragma once

#define NET_TEXT                                                                                   \
    "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {N: %d}\nfunctions:\n"                        \
    "  h: {of: [x, y], value: 0.05*(x*x/(1 + 0.1*x) - 0.6*y*y) + 0.1*sin(2*x + y)}\n"              \
    "bodies:\n"                                                                                    \
    "  plate: {repeat: {i: [1, N], j: [1, 4]}, type: rigid, mass: 1, inertia: [0.02, 0.03, "       \
    "0.04], position: [i, j, \"h(i, j)\"]}\n"                                                      \
    "joints:\n"                                                                                    \
    "  corner: {type: spherical, on: [ground, plate(1)(1)], at: [0.5, 1, \"h(0.5, 1)\"]}\n"        \
    "  side: {type: spherical, on: [ground, plate(1)(4)], at: [0.5, 4, \"h(0.5, 4)\"]}\n"          \
    "  across: {repeat: {i: [2, N], j: [1, 4]}, type: spherical, on: [plate(i-1)(j), "             \
    "plate(i)(j)], at: [i - 0.5, j, \"h(i - 0.5, j)\"]}\n"                                         \
    "  along: {repeat: {i: [1, N], j: [2, 4]}, type: spherical, on: [plate(i)(j-1), "              \
    "plate(i)(j)], at: [i, j - 0.5, \"h(i, j - 0.5)\"]}\n"
