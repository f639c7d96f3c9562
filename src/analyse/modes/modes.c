// modes.c - eigenvalues and shapes of a system linearised about a state (theory/modes.md).
//
// Of a small system all motions are found, of a large one the slowest; what their eigenvalues are, and
// which of them are zero, is found slice by slice (modes_level.c).
#include "analyse/modes/modes_parts.h"
#include "analyse/modes/pencil.h"
#include "analyse/rest.h"
#include "base/refuse.h"
#include "math/complex_number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSE 500       // coordinates and rates: all modes, in a second or two
#define MOST_DENSE 3000 // ... where nearly all are asked for
#define TWO_PI 6.283185307179586
#define HARDLY 0.01 // of the largest: not worth telling
// Eigenvalues that lie evenly round zero: sums of their powers, their sizes, what they leave of the equations at least, and
// what rounding changes of the coefficients.
#define EVENLY 0.1
#define AS_LARGE 1.2
#define LEAVE 1e-9
#define CHANGED (1e3 * DBL_EPSILON)

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

static void sort(flx_modes *out)
{
    qsort(out->modes, (size_t)out->nmode, sizeof *out->modes, slower);
}

// How many of the first modes lie evenly round zero; *n: eigenvalues. A chain of n zeros that rounding spreads does:
// s^n is what it makes of the coefficients.
static int count_spread(const flx_modes *m, int *n)
{
    double size = m->nmode > 0 ? hypot(m->modes[0].re, m->modes[0].im) : 0.0;
    int k = 0;
    *n = 0;
    for (; k < m->nmode; k++) {
        const flx_mode *x = m->modes + k;
        if (hypot(x->re, x->im) > AS_LARGE * size || x->residual < LEAVE) break;
        *n += x->im > 0.0 ? 2 : 1;
    }
    if (*n < 3 || k == m->nmode) return 0;
    double fastest = hypot(m->modes[m->nmode - 1].re, m->modes[m->nmode - 1].im);
    if (size > fastest * pow(CHANGED, 1.0 / *n)) return 0;
    for (int power = 1; power < *n; power++) {
        double complex sum = 0.0;
        for (int i = 0; i < k; i++) {
            double complex s = cpow(flx_complex(m->modes[i].re, m->modes[i].im) / size, power);
            sum += m->modes[i].im > 0.0 ? 2.0 * creal(s) : s;
        }
        if (cabs(sum) > EVENLY * *n) return 0;
    }
    return k;
}

static void hide_spread(flx_modes *m)
{
    int n, k = m->nneutral > 0 ? count_spread(m, &n) : 0;
    if (k == 0) return;
    double below = 2.0 * hypot(m->modes[k - 1].re, m->modes[k - 1].im);
    m->hidden = m->nhidden > 0 ? fmax(m->hidden, below) : below;
    m->nhidden += n;
    m->nmode -= k;
    memmove(m->modes, m->modes + k, (size_t)m->nmode * sizeof *m->modes);
}

// ---- all modes of a small system ----------------------------------------------------------------

static flx_status find_all(flx_search *f)
{
    flx_pencil pencil;
    FLX_TRY(flx_pencil_create(&f->q, &pencil));
    f->out->total = f->room = pencil.n;
    f->out->counted = FLX_MODES_ALL;
    f->out->modes = flx_arena_take(f->arena, (size_t)pencil.n, sizeof *f->out->modes);
    if (!f->out->modes) return FLX_ERR_MEMORY;
    FLX_TRY(flx_modes_slice(f, pencil.n, pencil.T, pencil.fastest));
    sort(f->out);
    hide_spread(f->out);
    return FLX_OK;
}

// ---- the slowest modes of a large one -----------------------------------------------------------

// How many motions these modes are, of a system whose s^2 are real: two eigenvalues each, +-s.
static int count_found(const flx_modes *m, double rate)
{
    int n = (m->nneutral + m->nhidden) / 2;
    for (int i = 0; i < m->nmode; i++) {
        bool half = m->modes[i].im > 0.0 || m->modes[i].re > 0.0;
        n += half && hypot(m->modes[i].re, m->modes[i].im) < rate;
    }
    return n;
}

// Counts the modes below a rate at which there is none. *missing: so many more there are than were found.
static flx_status check_count(flx_search *f, double rate, int *missing)
{
    int below;
    *missing = 0;
    FLX_TRY(flx_modes_count_below(f, rate, &below));
    if (below < 0) return FLX_OK;
    *missing = below - count_found(f->out, rate);
    if (*missing == 0) f->out->counted = FLX_MODES_BELOW;
    return FLX_OK;
}

// With room for `ask`; *complete: as many as were asked for are among them, as far as can be told.
static flx_status find_some(flx_search *f, int count, int ask, bool *complete, int *missing)
{
    flx_modes *out = f->out;
    double *B, shift, reach;
    int d, n = 0;
    FLX_TRY(flx_modes_find_slowest(f, ask, &d, &B, &shift, &reach));
    f->room = d;
    out->nmode = 0;
    out->total = f->w.m;
    out->modes = flx_arena_take(f->arena, (size_t)d, sizeof *out->modes);
    if (!out->modes) return FLX_ERR_MEMORY;
    FLX_TRY(flx_modes_slice(f, d, B, shift));
    sort(out);
    while (n < out->nmode && hypot(out->modes[n].re, out->modes[n].im) <= reach) n++;
    *complete = n >= count;
    FLX_TRY(check_count(f, reach, missing));
    if (count > out->nmode) count = out->nmode;
    if (count > 0) out->bound = hypot(out->modes[count - 1].re, out->modes[count - 1].im) / TWO_PI;
    return FLX_OK;
}

#define TRIES 3

static flx_status find_slowest(flx_search *f, int count)
{
    int ask = count, missing = 0;
    bool complete = false;
    for (int k = 0; k < TRIES; k++, ask += ask / 2 + 8) {
        FLX_TRY(find_some(f, count, ask, &complete, &missing));
        if (complete && missing == 0) return FLX_OK;
    }
    if (missing != 0) {
        return FLX_FAIL(f->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                        "modes: by the count %d more are among the slowest than were found",
                        missing);
    }
    return FLX_OK;
}

static flx_status find(flx_search *f, flx_work *work, const flx_state *x, const double *turn,
                       int count)
{
    FLX_TRY(flx_quadratic_create(f->s, work, x, turn, f->arena, &f->q));
    FLX_TRY(flx_shift_create(&f->q, &f->w));
    FLX_TRY(flx_quadratic_balance(&f->q, x, f->w.c, &f->out->unbalance, &f->out_of_balance));
    f->out->nshape = f->q.nv + f->q.nx;
    f->out->scale = f->q.scale;
    int m = f->w.m;
    bool all = m <= DENSE || (count > 0 && m <= MOST_DENSE && 4 * count > m);
    if (all) return find_all(f);
    int errors = flx_ctx_error_count(f->ctx);
    flx_status status = find_slowest(f, count > 0 ? count : FLX_MODES_SLOWEST);
    bool missed = status == FLX_SINGULAR || status == FLX_NO_CONVERGENCE;
    if (missed && m <= MOST_DENSE) { // it names a direction, and finds any number of equal modes
        flx_ctx_forget_errors(f->ctx, errors);
        f->out->nmode = 0;
        return find_all(f);
    }
    if (status != FLX_SINGULAR) return status;
    return FLX_FAIL(f->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    "the motion is not determined: a direction has neither mass nor damping nor "
                    "stiffness");
}

flx_status flx_modes_find(const flx_system *s, const flx_state *x, const double *turn, int count,
                          flx_modes *out)
{
    if (!s || !x || !out) return flx_refuse_null(NULL, __func__);
    *out = (flx_modes){0};
    int errors = flx_ctx_error_count(s->ctx);
    flx_search f = {.s = s, .ctx = s->ctx, .arena = flx_arena_create(s->ctx), .out = out};
    flx_work *work = s->ops->work_create(s);
    out->memory = f.arena;
    flx_status status = f.arena && work ? find(&f, work, x, turn, count) : FLX_ERR_MEMORY;
    if (work) s->ops->work_destroy(work);
    flx_quadratic_destroy(&f.q);
    if (status != FLX_OK) {
        flx_modes_clear(out);
        if (flx_ctx_error_count(s->ctx) > errors) return status;
        return FLX_FAIL(s->ctx, status, FLX_NOWHERE, "modes: %s", flx_status_text(status));
    }
    if (count == 0 && out->counted != FLX_MODES_ALL) count = FLX_MODES_SLOWEST;
    if (count > 0 && out->nmode > count) out->nmode = count;
    return FLX_OK;
}

void flx_modes_clear(flx_modes *m)
{
    if (!m) return;
    flx_arena *arena = m->memory;
    flx_arena_destroy(&arena);
    *m = (flx_modes){0};
}
