// own_method.c - a method of one's own, the explicit midpoint rule, for every system z' = F(t, z), with joints too.
//     cc own_method.c $(pkg-config --cflags --libs flexion) -o own_method && ./own_method
#include <flexion/extend/method_table.h>
#include <flexion/flexion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct midpoint {
    flx_state *x;      // what is computed on: the caller's state changes at the end of a step only
    int n;             // numbers of z
    double *z, *y, *k; // (n) each, in one block
} midpoint;

static flx_status create(flx_integrator *it)
{
    const flx_explicit *form = it->sys->ops->explicit_form;
    if (!form) return flx_ctx_complain(it->ctx, FLX_ERR_CANNOT, "the system has no explicit form");
    midpoint *m = (midpoint *)calloc(1, sizeof *m);
    if (!(it->data = m)) return FLX_ERR_MEMORY; // from now on destroy is called
    m->n = form->size(it->sys);
    if (!(m->z = (double *)calloc(3 * (size_t)m->n + 1, sizeof *m->z))) return FLX_ERR_MEMORY;
    m->k = (m->y = m->z + m->n) + m->n;
    flx_status s = flx_state_create(it->sys, &m->x);
    return s == FLX_OK && form->prepare ? form->prepare(it->sys, it->work) : s;
}

static flx_status step(flx_integrator *it, flx_state *x, double h, double *taken)
{
    const flx_explicit *form = it->sys->ops->explicit_form;
    midpoint *m = (midpoint *)it->data;
    const double t = x->t + (*taken = h);
    double moved[2]; // onto the joints
    flx_state_copy(m->x, x);
    form->pack(it->sys, x, m->z);
    flx_status s = form->fill ? form->fill(it->sys, it->work, x, m->z) : FLX_OK;
    if (s == FLX_OK) s = form->rate(it->sys, it->work, x->t, m->z, m->x, m->k);
    for (int i = 0; i < m->n; i++) m->y[i] = m->z[i] + 0.5 * h * m->k[i];
    if (s == FLX_OK) s = form->rate(it->sys, it->work, x->t + 0.5 * h, m->y, m->x, m->k);
    for (int i = 0; i < m->n; i++) m->y[i] = m->z[i] + h * m->k[i];
    if (s == FLX_OK) s = form->project(it->sys, it->work, t, m->y, m->x, moved, moved + 1);
    if (s == FLX_OK) s = form->rate(it->sys, it->work, t, m->y, m->x, m->k);
    if (s == FLX_OK) form->unpack(it->sys, t, m->y, m->x), flx_state_copy(x, m->x), x->t = t;
    return s;
}

static void destroy(flx_integrator *it)
{
    midpoint *m = (midpoint *)it->data;
    flx_state_destroy(&m->x), free(m->z), free(m);
}

int main(void)
{
    flx_integrator_type own;
    memset(&own, 0, sizeof own);
    own.name = "own midpoint", own.order = 2, own.fixed = own.settled = 1;
    own.create = create, own.step = step, own.destroy = destroy;
    const char *text = "{flexion: 1, dimension: 2, gravity: [0, -9.81],"
                       " bodies: {bob: {type: point, mass: 1, position: [1, 0]}},"
                       " joints: {rod: {type: distance, on: [ground, bob], at: [[0, 0], bob]}},"
                       " outputs: {every: 1, signals: [energy.total]}}";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_system *system = NULL;
    flx_run *run = NULL;
    flx_run_def def = flx_run_def_default();
    def.method.type = &own, def.method.step = 1e-3;
    flx_status s = flx_model_read_text(ctx, "pendulum", text, strlen(text), 0, NULL, &model);
    if (s == FLX_OK) s = flx_system_compile(model, NULL, ctx, &system);
    if (s == FLX_OK) s = flx_run_create(system, &def, ctx, &run);
    if (s == FLX_OK) s = flx_run_advance(run, 2.0);
    double e = s == FLX_OK ? flx_run_get(run, flx_system_output(system, "energy.total", ctx)) : 1;
    if (s == FLX_OK) printf("energy %.1e J of 9.81 J at t = %g s\n", e, flx_run_time(run));
    for (int i = 0; flx_ctx_error(ctx, i); i++) puts(flx_ctx_error(ctx, i)->text);
    flx_run_destroy(&run), flx_system_destroy(&system), flx_model_destroy(&model),
        flx_ctx_destroy(&ctx);
    return !(e > -1e-4 && e < 1e-4);
}
