// problem.h - a structure ready to be computed; statics, modes and transients are a file each.
#pragma once

#include "fe/vtu.h"
#include "flexion/fe.h"
#include "math/frontal.h"
#include "model/model.h"

struct flx_fe_problem {
    flx_ctx *ctx;
    const flx_model *model; // borrowed
    flx_fe *fe;             // NULL: only matrices are known
    const flx_symmetric *K, *M;
    int n;
    int *group; // (n) node of an unknown; NULL with matrices
};

// No finite elements, no picture: refused.
flx_status flx_fe_problem_need_mesh(const flx_fe_problem *p, const char *what);
// Factor of K, refused with the node that is free where it is singular.
flx_status flx_fe_problem_factor(const flx_fe_problem *p, flx_frontal **f);
