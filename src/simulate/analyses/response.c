// response.c - frequency response of a simulation about a state; see response.h.
#include "simulate/analyses/response.h"
#include "simulate/linear/corners.h"

#include "base/number.h"
#include "base/refuse.h"
#include "flexion/linear.h"
#include "integrate/newton_matrix.h"
#include "simulate/steady.h"
#include "system/wrapper.h"

#include <math.h>
#include <string.h>

#define AT_REST 1e-12       // velocities as a part of their scales, 1/s
#define OUT_OF_BALANCE 1e-6 // accelerations at rest, likewise, 1/s^2
#define ROUNDED 100.0       // ... or forces, in parts of their rounding

static double largest(const flx_system *s, const double *v)
{
    double size = 0.0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        size = fmax(size, fabs(v[i]) / (u.scale > 0.0 ? u.scale : 1.0));
    }
    return size;
}

bool flx_is_balanced(const flx_system *s, const flx_state *x, double unbalance)
{
    return largest(s, x->a) <= OUT_OF_BALANCE || unbalance <= ROUNDED;
}

flx_status flx_bodies_of(flx_simulation *sim, const flx_state *own, const flx_system **sys,
                         flx_state **x)
{
    // of joint coordinates, which bodies know nothing of; what turns is that of bodies
    bool reduced = flx_wrapper_is(sim->sys) && !(largest(sim->sys, own->v) > AT_REST);
    *sys = sim->bodies && !reduced ? sim->bodies : sim->sys;
    FLX_TRY(flx_state_create(*sys, x));
    if (*sys == sim->sys) {
        flx_state_copy(*x, own);
        return FLX_OK;
    }
    flx_state_copy(*x, sim->bodies_state);
    flx_work *work = sim->work;
    flx_state y = *own;
    const flx_system *tree = flx_wrapper_base(sim->sys, &work, &y);
    flx_tree_to_bodies(tree, work, &y, *x);
    return flx_start_accelerations(*sys, *x);
}

flx_status flx_turn_of(const flx_system *s, const flx_state *x, double **turn, double turning[3],
                       bool *steady)
{
    int nv = s->dims.nv;
    flx_body_axes body;
    *turn = NULL;
    *steady = true;
    if (!(largest(s, x->v) > AT_REST) || !flx_descriptor_body_axes(s, x->q, 0, &body))
        return FLX_OK;
    *turn = flx_alloc(s->ctx, (size_t)nv * (size_t)nv, sizeof **turn);
    if (!*turn) return FLX_ERR_MEMORY;
    return flx_steady_find(s, x, *turn, turning, steady);
}

static flx_status find_balance(flx_response *r)
{
    double unbalance = 0.0, work = 0.0;
    double *sizes = flx_arena_take(r->arena, (size_t)r->q.n, sizeof *sizes);
    if (!sizes) return FLX_ERR_MEMORY;
    FLX_TRY(flx_quadratic_balance(&r->q, r->x, sizes, &unbalance, &work));
    r->balanced = r->turn || flx_is_balanced(r->sys, r->x, unbalance);
    return FLX_OK;
}

static flx_status make(flx_response *r, const flx_state *own)
{
    flx_simulation *sim = r->sim;
    const flx_io_keys *keys = r->io.keys;
    FLX_TRY(flx_cut_inputs_begin(&r->none, own, keys->closed, keys->nin, keys->inputs, r->arena,
                                 &r->inputs));
    FLX_TRY(flx_bodies_of(sim, own, &r->sys, &r->x));
    FLX_TRY(flx_corners_tell(sim, r->sys, r->x));
    FLX_TRY(flx_turn_of(r->sys, r->x, &r->turn, r->turning, &r->steady));
    r->work = r->sys->ops->work_create(r->sys);
    if (!r->work) return FLX_ERR_MEMORY;
    FLX_TRY(flx_quadratic_create(r->sys, r->work, r->x, r->turn, r->arena, &r->q));
    FLX_TRY(find_balance(r));
    FLX_TRY(flx_io_slopes_find(sim, r->sys, r->x, &r->inputs, &r->io, r->arena, &r->slopes));
    r->y = flx_arena_take(r->arena, (size_t)keys->nout * (size_t)keys->nin, sizeof *r->y);
    if (!r->y) return FLX_ERR_MEMORY;
    r->f = (flx_frequency){.q = &r->q,
                           .x = r->x,
                           .turn = r->turn,
                           .nin = keys->nin,
                           .R = {r->slopes.R[0], r->slopes.R[1], r->slopes.R[2]},
                           .H = &r->slopes.H,
                           .D = {r->slopes.D[0], r->slopes.D[1], r->slopes.D[2]},
                           .arena = r->arena};
    return flx_frequency_create(&r->f);
}

flx_status flx_response_create(flx_simulation *sim, const flx_state *own, const flx_io_keys *keys,
                               flx_response *out)
{
    *out = (flx_response){.sim = sim, .none = {.sim = sim}, .steady = true, .balanced = true};
    out->arena = flx_arena_create(sim->ctx);
    if (!out->arena) return FLX_ERR_MEMORY;
    flx_status status = flx_io_signals_create(sim, keys, &out->io);
    if (status == FLX_OK) status = make(out, own);
    if (status != FLX_OK) flx_response_destroy(out);
    return status;
}

void flx_response_destroy(flx_response *r)
{
    if (!r->sim) return;
    flx_cut_inputs_end(&r->inputs);
    flx_frequency_destroy(&r->f);
    flx_quadratic_destroy(&r->q);
    flx_io_signals_clear(&r->io);
    if (r->work) r->sys->ops->work_destroy(r->work);
    flx_state_destroy(&r->x);
    flx_free(r->turn);
    flx_arena_destroy(&r->arena);
    r->sim = NULL;
}

flx_status flx_response_find(flx_response *r, double w, double *re, double *im)
{
    flx_status status = flx_frequency_find(&r->f, flx_complex(0.0, w), r->y);
    int n = r->io.keys->nout * r->io.keys->nin;
    bool finite = status == FLX_OK;
    for (int i = 0; finite && i < n; i++) {
        re[i] = creal(r->y[i]);
        im[i] = cimag(r->y[i]);
        finite = isfinite(re[i]) && isfinite(im[i]);
    }
    if (finite || (status != FLX_OK && status != FLX_SINGULAR)) return status;
    return FLX_FAIL(r->sim->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    w == 0.0 ? "there is no response at %g rad/s: something is free to move"
                             : "there is no frequency response at %.9g rad/s, which is a pole",
                    w);
}

flx_status flx_run_frequency(flx_run *run, const flx_io *io, int nw, const double *w, double *re,
                             double *im)
{
    if (!run) return flx_refuse_null(NULL, __func__);
    flx_response r;
    flx_simulation *sim = run->sim;
    if (!io || (nw > 0 && (!w || !re || !im))) return flx_refuse_null(sim->ctx, __func__);
    const flx_model *m = sim->model;
    size_t step = (size_t)io->nin * (size_t)io->nout;
    FLX_TRY(flx_running_check_io(run, io));
    flx_column *outputs = flx_alloc(sim->ctx, (size_t)io->nout + 1, sizeof *outputs);
    int *inputs = flx_alloc(sim->ctx, (size_t)io->nin + 1, sizeof *inputs);
    flx_status status = outputs && inputs ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int k = 0; k < io->nout; k++) outputs[k] = m->outputs.columns[io->outputs[k]];
        for (int k = 0; k < io->nin; k++) inputs[k] = io->inputs[k];
        const flx_io_keys keys = {io->nin, io->nout, 0, inputs, outputs, NULL, false};
        status = flx_response_create(sim, sim->state, &keys, &r);
        for (int k = 0; status == FLX_OK && k < nw; k++)
            status = flx_response_find(&r, w[k], re + (size_t)k * step, im + (size_t)k * step);
        flx_response_destroy(&r);
    }
    flx_free(outputs);
    flx_free(inputs);
    flx_account_forget(sim);
    return status;
}
