// beam_slack.h - the shape of a line that is longer than the distance of its ends.
#pragma once

typedef struct flx_slack {
    int n;
    const double *h;            // (n) unstressed lengths of the pieces
    double *stretch;            // (n) lengths by these, found
    const double *mass;         // (n + 1) at their ends
    double EI, EA, GA, gravity; // gravity: against the second axis
    double chord[2];            // from the first to the last end, shorter than the line
} flx_slack;

// Angles (n) of the pieces from the first axis; an arc of a circle where nothing better is found. work:
// (5 n).
void flx_slack_solve(const flx_slack *s, double *a, double *work);
// Angles (n + 1) of the sections at the ends of the pieces. work: (5 n + 5).
void flx_slack_turn(const flx_slack *s, const double *a, double *turn, double *work);
