// own_system.c - a system of one's own, q'' = 5 (1 - q^2) q' - q (van der Pol), as the table that every method reads.
//     cc own_system.c $(pkg-config --cflags --libs flexion) -o own_system && ./own_system
#include <flexion/extend/system_table.h>
#include <flexion/flexion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED(x) (void)(x)

static flx_status residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    UNUSED(s), UNUSED(w);
    r[0] = p->a[0] - 5.0 * (1.0 - p->q[0] * p->q[0]) * p->v[0] + p->q[0]; // M a - f
    return FLX_OK;
}
static flx_status linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    UNUSED(s), UNUSED(w);
    b->A2[0] = 1.0;                              // by a
    b->A1[0] = -5.0 * (1.0 - p->q[0] * p->q[0]); // by v
    b->A0[0] = 10.0 * p->q[0] * p->v[0] + 1.0;   // by q
    return FLX_OK;
}
static void retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    UNUSED(s), out[0] = q[0] + theta[0]; // a plain number
}
static void difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    UNUSED(s), theta[0] = q1[0] - q0[0];
}
static void same(const flx_system *s, const double *theta, const double *u, double *out)
{
    UNUSED(s), UNUSED(theta), out[0] = u[0]; // theta' = v
}
static void unknown(const flx_system *s, int i, flx_unknown *info)
{
    UNUSED(s), UNUSED(i), memset(info, 0, sizeof *info);
    info->kind = FLX_UNKNOWN_VELOCITY, info->scale = 1.0, info->item = "q", info->part = "";
}
static flx_work *work_create(const flx_system *s)
{
    flx_work *w = (flx_work *)malloc(sizeof *w); // scratch of one's own begins with a flx_work
    if (w) w->system = s;
    return w;
}
static void work_destroy(flx_work *w)
{
    free(w);
}

int main(void)
{
    static const int start[] = {0, 1}, zero[] = {0}; // one block, of one unknown
    flx_system_ops ops;
    flx_system s;
    memset(&ops, 0, sizeof ops), memset(&s, 0, sizeof s);
    ops.name = s.title = "van der Pol";
    ops.residual = residual, ops.linearise = linearise, ops.unknown = unknown;
    ops.retract = retract, ops.difference = difference;
    ops.velocity = ops.rate = ops.velocity_t = ops.rate_t = same;
    ops.work_create = work_create, ops.work_destroy = work_destroy;
    s.ops = &ops, s.ctx = flx_ctx_create(), s.dims.nq = s.dims.nv = s.pattern.nblock = 1;
    s.pattern.start = s.pattern.row = s.pattern.offset = start,
    s.pattern.col = s.pattern.transpose = zero;

    const double q = 2.0, v = 0.0;
    flx_run *run = NULL;
    flx_run_def def = flx_run_def_default();
    def.method.method = "radau", def.method.rtol = 1e-9;
    flx_status status = flx_run_create(&s, &def, s.ctx, &run);
    if (status == FLX_OK) status = flx_run_set_state(run, &q, &v, NULL, NULL);
    if (status == FLX_OK) status = flx_run_advance(run, 20.0);
    double end = status == FLX_OK ? flx_run_view(run, FLX_VIEW_Q, NULL)[0] : 0.0;
    if (status == FLX_OK) printf("q = %.6f at t = %g s\n", end, flx_run_time(run));
    for (int i = 0; flx_ctx_error(s.ctx, i); i++) puts(flx_ctx_error(s.ctx, i)->text);
    flx_run_destroy(&run), flx_ctx_destroy(&s.ctx);
    return !(end > -1.60131 && end < -1.60129);
}
