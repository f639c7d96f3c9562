// flexion/scene.h - the surfaces of a scene: numbers too many for its text (docs/dev/scene.md).
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Triangles between points.
typedef struct flx_scene_surface {
    int npoint, ntriangle;
    const float *points;  // (npoint, 3)
    const int *triangles; // (ntriangle, 3) numbers of points; counter-clockwise from outside
} flx_scene_surface;

#ifdef __cplusplus
}
#endif
