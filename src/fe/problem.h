// problem.h - a structure ready to be computed; statics, modes and transients are a file each.
#pragma once

#include "fe/vtu.h"
#include "flexion/fe.h"
#include "math/frontal/frontal.h"
#include "model/model_data.h"

struct flx_fe_problem {
    flx_ctx *ctx;
    const flx_model *model; // the core
    flx_model *core;        // held
    flx_fe *fe;             // NULL: only matrices are known
    const flx_symmetric *K, *M;
    int n;
    int *group; // (n) node of an unknown; NULL with matrices
    int nfound;
    double *found;       // (nfound, n) owned: what statics or modes found last
    bool whole;          // with the displacements of supports; else they rest
    flx_arena *drawings; // owned; NULL: none
    flx_arena *response; // owned: the last one; NULL: none
};

// No finite elements, no picture: refused.
flx_status flx_fe_problem_need_mesh(const flx_fe_problem *p, const char *what);
// Keep shapes x (count, n) for flx_fe_problem_mesh. FLX_ERR_MEMORY.
flx_status flx_fe_problem_keep(flx_fe_problem *p, int count, const double *x, bool whole);
// A note where the jumps of stress are so large a part of the energy (flx_fe_jumps) that the mesh is too coarse.
void flx_fe_problem_tell_coarse(const flx_fe_problem *p, double part, bool modes);
// Factor of K, refused with the node that is free where it is singular.
flx_status flx_fe_problem_factor(const flx_fe_problem *p, flx_frontal **f);
