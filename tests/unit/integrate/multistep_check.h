// multistep_check.h - what is asked of bdf and adams alike: the error follows the tolerance on every
// kind of system, between steps too, and joints are closed.
#pragma once

#include "method_check.h"

static inline flx_integrator_def multistep(const char *method, double rtol)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = method;
    def.rtol = def.atol = rtol;
    return def;
}

// Error of q (on the chart), v and x at t_end; negative: the run failed.
static inline double multistep_error(const char *method, rig_maker make, double t_end, double rtol,
                                     flx_statistics *work)
{
    rig r;
    flx_integrator_def def = multistep(method, rtol);
    double e = -1.0, theta[64];
    flx_status s = FLX_OK;
    if (rig_up(&r, make, &def) == 0) {
        while (r.x->t < t_end && s == FLX_OK) {
            s = flx_integrator_step(r.it, r.x, t_end - r.x->t, NULL);
        }
        if (s != FLX_OK) printf("    %s\n", flx_ctx_error(r.ctx, 0)->text);
    }
    if (r.it && s == FLX_OK) {
        const flx_dims *d = &r.sys->dims;
        rig_reference(make, t_end, r.y);
        r.sys->ops->difference(r.sys, r.y->q, r.x->q, theta);
        e = 0.0;
        for (int i = 0; i < d->nv; i++) {
            e = fmax(e, fmax(fabs(theta[i]), fabs(r.x->v[i] - r.y->v[i])));
        }
        for (int i = 0; i < d->nx; i++) e = fmax(e, fabs(r.x->x[i] - r.y->x[i]));
        if (d->nlam > 0 && !(rig_gap(&r, r.x) < 1e-14)) e = HUGE_VAL;
        if (work) *work = r.it->stats;
    }
    rig_down(&r);
    return e;
}

// Between 1e-4 and 1e-10 the error is at most `factor` times the tolerance.
static inline int multistep_delivers(const char *method, const char *name, rig_maker make,
                                     double t_end, double factor)
{
    for (int k = 4; k <= 10; k += 2) {
        flx_statistics work = {0};
        double rtol = pow(10.0, -k), e = multistep_error(method, make, t_end, rtol, &work);
        printf(
            "    %-12s rtol 1e-%-2d: error %.2g = %.1f tol, %ld steps, %ld rejected, %ld evals\n",
            name, k, e, e / rtol, work.steps, work.rejected, work.residuals);
        CHECK(e >= 0.0 && e < factor * rtol);
    }
    return 0;
}

// Values between steps are as good as those at their ends, and meet the joints.
static inline int multistep_interpolates(const char *method, double factor)
{
    rig r;
    flx_integrator_def def = multistep(method, 1e-8);
    double most = 0.0, gap = 0.0;
    CHECK(rig_up(&r, rig_top, &def) == 0);
    for (double t = 0.0; t < 0.2;) {
        CHECK(flx_integrator_step(r.it, r.x, 0.2 - r.x->t, NULL) == FLX_OK);
        double end = r.x->t;
        if (r.it->stats.steps % 10 == 0) {
            double middle = 0.3 * t + 0.7 * end;
            flx_state *out = NULL;
            CHECK(flx_state_create(r.sys, &out) == FLX_OK);
            CHECK(flx_integrator_interpolate(r.it, middle, out) == FLX_OK);
            CHECK(out->t == middle);
            rig_reference(rig_top, middle, r.y);
            for (int i = 0; i < 7; i++) most = fmax(most, fabs(out->q[i] - r.y->q[i]));
            for (int i = 0; i < 6; i++) most = fmax(most, fabs(out->v[i] - r.y->v[i]));
            gap = fmax(gap, rig_gap(&r, out));
            flx_state_destroy(&out);
        }
        t = end;
    }
    printf("    between steps: error %.2g, gap %.2g\n", most, gap);
    rig_down(&r);
    CHECK(most > 0.0 && most < factor * 1e-8);
    CHECK(gap < 1e-14);
    return 0;
}

// Nothing of ours is allocated in steps and between them.
static inline int multistep_allocates_nothing(const char *method)
{
    const rig_maker top = rig_top;
    flx_integrator_def def = multistep(method, 1e-8);
    return method_allocates_nothing(&def, &top, 1);
}

// What the next step cannot compute leaves the state as it was, and a message.
static inline int multistep_fails_cleanly(const char *method)
{
    rig r;
    flx_integrator_def def = multistep(method, 1e-6);
    flx_status s = FLX_OK;
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    tiny_break_after(r.sys, 0.3);
    while (s == FLX_OK) {
        flx_state_copy(r.y, r.x);
        s = flx_integrator_step(r.it, r.x, 1.0, NULL);
    }
    CHECK(s > 0);
    CHECK(r.x->t == r.y->t && r.x->t > 0.05);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK(flx_ctx_error_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "at t = 0.");
    rig_down(&r);
    return 0;
}
