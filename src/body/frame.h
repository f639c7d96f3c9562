// frame.h - where a body is and how it moves, as the kernels of joints and forces see it. Frames
// are filled once an evaluation, at the centre of mass; number 0 is the ground, body i is i + 1.
#pragma once

typedef struct flx_frame {
    double R[9]; // body axes to ground axes, row-major
    double r[3]; // centre of mass, ground axes
    double v[3]; // its velocity, ground axes
    double w[3]; // angular velocity, body axes
} flx_frame;

typedef struct flx_frame2 { // planar
    double c, s;            // cosine and sine of the angle
    double x, y;            // centre of mass
    double angle;
    double vx, vy, w;
} flx_frame2;

// The frames of one evaluation; one of the two is NULL.
typedef struct flx_frames {
    flx_frame *space;
    flx_frame2 *plane;
} flx_frames;
