// method_check.h - what every method promises, whatever it computes: no allocation in a step, a state
// that is bit for bit as it was when a step fails, and memory that may run out at any time.
#pragma once

#include "check.h"
#include "rig.h"

// Steps and values in between allocate nothing. With error control the method chooses its steps.
static inline int method_allocates_nothing(const flx_integrator_def *def, const rig_maker *makers,
                                           int n)
{
    double h = def->step > 0.0 ? 1e-3 : 1.0;
    for (int m = 0; m < n; m++) {
        rig r;
        CHECK(rig_up(&r, makers[m], def) == 0);
        long before = flx_ctx_allocation_count(r.ctx);
        for (int k = 0; k < 50; k++) {
            CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
            CHECK(flx_integrator_interpolate(r.it, r.x->t, r.y) == FLX_OK);
        }
        long after = flx_ctx_allocation_count(r.ctx);
        rig_down(&r);
        CHECK(before == after);
    }
    return 0;
}

// The residual breaks at t = 0.0105: the step that meets it fails with one message.
static inline int method_failure_changes_nothing(const flx_integrator_def *def, rig_maker make,
                                                 const char *message)
{
    rig r;
    CHECK(rig_up(&r, make, def) == 0);
    tiny_break_after(r.sys, 0.0105);
    flx_status status = FLX_OK;
    for (int k = 0; k < 200 && status == FLX_OK; k++) {
        flx_state_copy(r.y, r.x);
        status = flx_integrator_step(r.it, r.x, 1e-3, NULL);
    }
    CHECK(status > 0);
    CHECK(r.x->t == r.y->t);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK(flx_ctx_error_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, message);
    rig_down(&r);
    return 0;
}

static inline int method_survives_want_of_memory(const flx_integrator_def *def, rig_maker make)
{
    for (long k = 0; k < 500; k++) {
        rig r;
        flx_status status = rig_up_failing(&r, make, def, k);
        bool ok = status == FLX_OK || status == FLX_ERR_MEMORY;
        rig_down(&r);
        CHECK(ok);
        if (status == FLX_OK) return 0;
    }
    return 1;
}

// Creation is refused with this in the message.
static inline int method_refuses(const flx_integrator_def *def, rig_maker make, const char *message)
{
    rig r;
    CHECK(rig_up(&r, make, def) != 0);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, message);
    rig_down(&r);
    return 0;
}

// A motion that dies out within 1e-4 s: within so many steps there is one warning, with this in it.
static inline int method_hints_at_stiffness(const flx_integrator_def *def, int steps,
                                            const char *message)
{
    flx_ctx *ctx = flx_ctx_create();
    double M[1] = {1.0}, D[1] = {2e4}, K[1] = {3.0};
    flx_system *s = linear_create(ctx, 1, M, D, K);
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    CHECK(flx_integrator_create(s, def, &it) == FLX_OK);
    x->q[0] = 1.0;
    for (int k = 0; k < steps; k++) CHECK(flx_integrator_step(it, x, 1.0, NULL) == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, message);
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}
