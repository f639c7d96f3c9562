// beam_slack.h - the shape of a line that is longer than the distance of its ends, in the plane.
#pragma once

#include "base/common.h"

typedef struct flx_slack {
    int n;               // tangents
    const double *rest;  // (n) unstressed lengths that they stand for
    const double *apart; // (n - 1) unstressed distances of the places where they are
    double first;        // ... of the first from the start
    double *beyond;      // (n) mass that hangs on each
    double EI, EA;
    double g[2];     // gravity
    double chord[2]; // from the start to the end, shorter than the line
    double *a;       // (n) found: angles from the first axis
    double *stretch; // (n) ... and lengths by the unstressed ones
} flx_slack;

// An arc of a circle where nothing better is found; without weight it bulges to the right of the chord.
flx_status flx_slack_solve(flx_ctx *ctx, const flx_slack *s);
// Of pieces, with the shear stiffness GA: angles (n + 1) of the sections at their ends.
flx_status flx_slack_turn(flx_ctx *ctx, const flx_slack *s, double GA, double *turn);
