// body_study.h - a flexible body measured: the object behind flexion/reduction.h. Whoever reads the model lends it the
// structure of the body while that is there.
#pragma once

#include "reduce/bases.h"

struct flx_reduction {
    flx_ctx *ctx;
    flx_arena *arena; // owned: of the report and the comparison
    const char *body; // asked for; NULL: the first
    flx_reduction_def def;
    bool done;
    flx_reduction_report *report;
    flx_ritz *ritz;     // owned: the whole body, without its vectors, loads and factor
    flx_port_model own; // of scaled ports
    const char **names; // (ports)
    double complex
        *direct; // owned: (def.ndirect, ports, ports) by direct solutions, of scaled ports
    int nbasis;
    flx_reduction_basis bases[FLX_BASIS_COUNT + 2];
    flx_shape_study study;
};

// A study of a body by its name, to be handed to who builds the model.
flx_status flx_body_study_create(flx_ctx *ctx, const char *body, const flx_reduction_def *def,
                                 flx_reduction **out);
// body_direct.c: responses by direct solutions at the frequencies asked for.
flx_status flx_body_study_solve(flx_reduction *r, const flx_free_structure *s);
// body_compare.c: how many shapes every basis needs.
flx_status flx_body_study_compare(flx_reduction *r, const flx_shape_search *q,
                                  const flx_ritz *ritz);
