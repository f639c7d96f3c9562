// linear_check.c - linear models held to the response of the equations as they stand; see linear_check.h.
#include "simulate/linear/linear_check.h"

#include "analyse/linear/linear_solve.h"
#include "base/log.h"
#include "base/number.h"
#include "math/complex_number.h"
#include "simulate/analyses/response.h"

#include <math.h>
#include <string.h>

#define PLACES 4
#define AT_REST 1e-12
#define FAR 1e-6
#define SLIGHT 1e-8 // responses beside those of the same output, and beside those to the same input
#define NOTHING 1e-15 // ... that are rounding of zero, in any likely units
#define SLOW 1e-5     // Hz: slower ones are rounding of what is free
#define MOST 200      // states: matrices are full
#define BESIDE 1.31   // poles

typedef struct check {
    flx_arena *arena;
    const flx_linear_model *m;
    int n, nin, npair;
    flx_linear_solver solver;
    double w[PLACES];
    double complex *y[2]; // (PLACES x npair): of the equations, of the states
} check;

static void say_nothing(void *user, const flx_message *message)
{
    (void)user;
    (void)message;
}

// ---- together --------------------------------------------------------------------------------------------

// Beside poles, from the slowest that moves to the fastest.
static flx_status choose_places(check *k, flx_ctx *ctx, bool *known)
{
    flx_linear_modes modes;
    int first = 0, n = k->n;
    for (int i = 0; i < PLACES; i++) k->w[i] = pow(10.0, i - 1);
    if (n == 0) return FLX_OK;
    flx_status status = flx_linear_find_modes(ctx, k->m, &modes);
    *known = status == FLX_OK;
    if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    while (first + 1 < n && !(modes.frequency[first] > SLOW)) first++;
    for (int i = 0; i < PLACES && modes.frequency[n - 1] > SLOW; i++) {
        int mode = first + (n - 1 - first) * i / (PLACES - 1);
        k->w[i] = BESIDE * 2.0 * FLX_PI * modes.frequency[mode];
    }
    flx_linear_modes_clear(&modes);
    return FLX_OK;
}

static flx_status compare(check *k, flx_response *r, bool *known)
{
    size_t pairs = (size_t)k->npair;
    double *re = flx_arena_take(k->arena, 2 * pairs, sizeof *re);
    for (int i = 0; i < 2; i++) k->y[i] = flx_arena_take(k->arena, PLACES * pairs, sizeof *k->y[i]);
    if (!re || !k->y[0] || !k->y[1]) return FLX_ERR_MEMORY;
    for (int p = 0; p < PLACES && *known; p++) {
        flx_status status = flx_response_find(r, k->w[p], re, re + pairs);
        *known =
            status == FLX_OK && flx_linear_solver_respond(&k->solver, flx_complex(0.0, k->w[p]),
                                                          k->y[1] + (size_t)p * pairs);
        if (status < 0) return status;
        for (int i = 0; i < k->npair; i++)
            k->y[0][(size_t)p * pairs + (size_t)i] = flx_complex(re[i], re[pairs + (size_t)i]);
    }
    return FLX_OK;
}

// The largest at any place.
static double size_of(const check *k, int pair)
{
    double most = 0.0;
    for (int p = 0; p < PLACES; p++) {
        int at = p * k->npair + pair;
        most = fmax(most, fmax(cabs(k->y[0][at]), cabs(k->y[1][at])));
    }
    return most;
}

static void find_worst(const check *k, flx_linear_check *out)
{
    for (int pair = 0; pair < k->npair; pair++) {
        int output = pair / k->nin, input = pair % k->nin;
        double size = size_of(k, pair), most = 0.0, off = 0.0;
        for (int i = 0; i < k->npair; i++) {
            if (i / k->nin == output || i % k->nin == input) most = fmax(most, size_of(k, i));
        }
        if (!(size > fmax(NOTHING, SLIGHT * most))) continue;
        for (int p = 0; p < PLACES; p++)
            off = fmax(off, cabs(k->y[0][p * k->npair + pair] - k->y[1][p * k->npair + pair]));
        if (off / size <= out->off) continue;
        *out = (flx_linear_check){true, off / size, output, input};
    }
}

static bool rests(const flx_state *x, int nv)
{
    for (int i = 0; i < nv; i++) {
        if (fabs(x->v[i]) > AT_REST) return false;
    }
    return true;
}

static flx_status run(check *k, flx_response *r, flx_linear_check *out)
{
    out->known = !r->turn && r->balanced;
    FLX_TRY(flx_linear_solver_create(k->m, k->arena, &k->solver));
    if (out->known) FLX_TRY(choose_places(k, r->sim->ctx, &out->known));
    if (out->known) FLX_TRY(compare(k, r, &out->known));
    if (out->known) find_worst(k, out);
    return FLX_OK;
}

flx_status flx_linear_check_response(flx_simulation *sim, const flx_io_keys *keys,
                                     const flx_state *at, const flx_linear_model *m,
                                     flx_linear_check *out)
{
    flx_response r;
    flx_ctx *ctx = sim->ctx;
    flx_io_keys pairs = *keys;
    *out = (flx_linear_check){0};
    pairs.nstate = 0;
    check k = {.m = m, .n = m->n, .nin = m->nin, .npair = m->nin * m->nout};
    if (k.npair == 0 || m->n > MOST || !rests(at, sim->sys->dims.nv)) return FLX_OK;
    k.arena = flx_arena_create(ctx);
    if (!k.arena) return FLX_ERR_MEMORY;
    int errors = flx_ctx_error_count(ctx), warnings = flx_ctx_warning_count(ctx);
    flx_log_guard log = flx_log_begin(ctx, say_nothing, NULL);
    flx_status status = flx_response_create(sim, at, &pairs, &r);
    if (status == FLX_OK) status = run(&k, &r, out);
    flx_response_destroy(&r);
    flx_log_end(&log);
    flx_ctx_forget_errors(ctx, errors);
    flx_ctx_forget_warnings(ctx, warnings);
    flx_arena_destroy(&k.arena);
    return status < 0 && status == FLX_ERR_MEMORY ? status : FLX_OK;
}

void flx_linear_check_tell(flx_simulation *sim, const flx_io_signals *s, const flx_linear_check *c)
{
    if (!c->known || !(c->off > FAR)) return;
    flx_ctx_warn(sim->ctx, FLX_NOWHERE,
                 "the linear model has lost digits: the response of '%s' to '%s' is off by %.2g of "
                 "itself from that of the equations as they stand; `frequency`, and `linear` with "
                 "`form: descriptor`, have them",
                 s->names[c->output], s->inputs[c->input], c->off);
}
