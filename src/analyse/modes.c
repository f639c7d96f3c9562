// modes.c - eigenvalues and shapes of a system linearised about a state (theory/modes.md).
//
// Of a small system all motions are found, of a large one the slowest; what their eigenvalues are, and
// which of them are zero, is found slice by slice (modes_level.c).
#include "analyse/modes_parts.h"
#include "analyse/pencil.h"
#include "analyse/rest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HARDLY 0.01 // of the largest: not worth telling

// The unknowns that move most, largest first.
void flx_mode_find_parts(const flx_system *s, int nout, flx_mode *mode)
{
    for (int i = 0; i < nout; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        double re = mode->shape[i], im = mode->shape[nout + i];
        double size = hypot(re, im) / (u.scale > 0.0 ? u.scale : 1.0);
        if (!(size > HARDLY)) continue;
        int k = mode->npart;
        if (k == FLX_MODE_PARTS && !(size > mode->parts[k - 1].size)) continue;
        if (k < FLX_MODE_PARTS) mode->npart++;
        if (k == FLX_MODE_PARTS) k--;
        for (; k > 0 && mode->parts[k - 1].size < size; k--) mode->parts[k] = mode->parts[k - 1];
        mode->parts[k] = (flx_mode_part){u.item, u.part, size, atan2(im, re)};
    }
}

static int slower(const void *one, const void *other)
{
    const flx_mode *a = one, *b = other;
    double sa = hypot(a->re, a->im), sb = hypot(b->re, b->im);
    if (sa != sb) return sa < sb ? -1 : 1;
    return a->re < b->re ? -1 : a->re > b->re ? 1 : 0;
}

static flx_status find_all(flx_search *f)
{
    flx_pencil pencil;
    FLX_TRY(flx_pencil_create(&f->q, &pencil));
    f->out->total = pencil.n;
    f->out->counted = FLX_MODES_ALL;
    f->room = pencil.n;
    f->out->modes = flx_arena_take(f->arena, (size_t)pencil.n, sizeof *f->out->modes);
    if (!f->out->modes) return FLX_ERR_MEMORY;
    return flx_modes_slice(f, pencil.n, pencil.T, f->q.fastest);
}

// A position of rest is found to some digits. What is left over turns with what it acts on, and is a
// stiffness that is none.
static flx_status find_balance(flx_search *f, const flx_state *x)
{
    const flx_system *s = f->s;
    flx_rest e = {0};
    for (int i = 0; i < s->dims.nv; i++) {
        if (x->v[i] != 0.0) return FLX_OK;
    }
    int errors = flx_ctx_error_count(s->ctx);
    flx_state *rest = NULL;
    flx_status status = flx_rest_create(s, &e);
    if (status == FLX_OK) status = flx_state_create(s, &rest);
    if (status == FLX_OK) {
        flx_state_copy(rest, x);
        flx_rest_stop(s, rest);
        status = flx_rest_measure(&e, rest);
    }
    for (int i = 0; status == FLX_OK && e.residual <= FLX_REST_NEARLY && i < s->dims.nv; i++) {
        f->out_of_balance = fmax(f->out_of_balance, fabs(e.r[i]) * f->q.scale[i]);
    }
    flx_state_destroy(&rest);
    flx_rest_destroy(&e);
    flx_ctx_forget_errors(s->ctx, errors);
    return status == FLX_ERR_MEMORY ? status : FLX_OK;
}

static flx_status find(flx_search *f, flx_work *work, const flx_state *x, const double *turn)
{
    FLX_TRY(flx_quadratic_create(f->s, work, x, turn, f->arena, &f->q));
    FLX_TRY(flx_shift_create(&f->q, &f->w));
    FLX_TRY(find_balance(f, x));
    FLX_TRY(find_all(f));
    f->out->nshape = f->q.nv + f->q.nx;
    qsort(f->out->modes, (size_t)f->out->nmode, sizeof *f->out->modes, slower);
    return FLX_OK;
}

flx_status flx_modes_find(const flx_system *s, const flx_state *x, const double *turn, int count,
                          flx_modes *out)
{
    *out = (flx_modes){0};
    int errors = flx_ctx_error_count(s->ctx);
    flx_search f = {.s = s, .ctx = s->ctx, .arena = flx_arena_create(s->ctx), .out = out};
    flx_work *work = s->ops->work_create(s);
    out->memory = f.arena;
    flx_status status = f.arena && work ? find(&f, work, x, turn) : FLX_ERR_MEMORY;
    if (work) s->ops->work_destroy(work);
    flx_quadratic_destroy(&f.q);
    if (status != FLX_OK) {
        flx_modes_clear(out);
        if (flx_ctx_error_count(s->ctx) > errors) return status;
        return FLX_FAIL(s->ctx, status, FLX_NOWHERE, "modes: %s", flx_status_text(status));
    }
    if (count > 0 && out->nmode > count) out->nmode = count;
    return FLX_OK;
}

void flx_modes_clear(flx_modes *m)
{
    flx_arena *arena = m->memory;
    flx_arena_destroy(&arena);
    *m = (flx_modes){0};
}
