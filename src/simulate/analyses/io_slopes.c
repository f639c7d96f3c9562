// io_slopes.c - slopes of residuals and outputs; see io_slopes.h.
//
// What outputs read is found by halves: numbers that are changed together, each by its own amount, and change no bit of any
// output are not read. So an output of one body costs a few evaluations, however large the model is.
#include "simulate/analyses/io_slopes.h"

#include "math/slope.h"

#include <math.h>
#include <string.h>

#define STEP 2e-3 // of typical sizes
#define NUDGE 1e-4

typedef struct probe {
    flx_simulation *sim;
    const flx_system *sys;
    const flx_state *x; // as it is
    flx_state *y;       // changed
    flx_work *work;
    flx_io_signals *io;
    const flx_cut_inputs *inputs;
    flx_arena *arena;
    int start[FLX_READS + 1];
    double *theta; // (nv) scratch
    double *scale; // (n) of unknowns
    double *base;  // (nout) outputs at x
    double *out, *scratch;
    double *f0; // (max(n, nout))
    // what is changed
    int number;      // read
    int input, part; // or an input
    bool of_residual;
    // found: columns one after another
    int ncolumn, room;
    int *columns;   // (room)
    double *slopes; // (room x nout)
} probe;

// ---- states that are changed --------------------------------------------------------------------------

static int part_of(const probe *p, int number)
{
    int k = 0;
    while (number >= p->start[k + 1]) k++;
    return k;
}

static double *array_of(const flx_state *y, int part)
{
    double *const arrays[FLX_READS] = {NULL, y->v, y->a, y->x, y->dx, y->w, y->lam, y->mu};
    return arrays[part];
}

// A typical size of a number that is read.
static double typical(const probe *p, int number)
{
    const flx_dims *d = &p->sys->dims;
    int part = part_of(p, number), i = number - p->start[part];
    static const int first_of[FLX_READS] = {0, 0, 0, 1, 1, 2, 3, 4};
    const int firsts[] = {0, d->nv, d->nv + d->nx, d->nv + d->nx + d->nw,
                          d->nv + d->nx + d->nw + d->nlam};
    double scale = p->scale[firsts[first_of[part]] + i];
    const double *now = array_of(p->x, part);
    return now ? fmax(scale, fabs(now[i])) : scale;
}

static void change(probe *p, int number, double by)
{
    int part = part_of(p, number), i = number - p->start[part];
    if (part == FLX_READ_THETA) {
        p->theta[i] = by;
    } else {
        array_of(p->y, part)[i] += by;
    }
}

static flx_status outputs_of(probe *p, double *out)
{
    const flx_signals *s = &p->io->signals;
    p->sys->ops->retract(p->sys, p->x->q, p->theta, p->y->q);
    FLX_TRY(flx_signals_eval_in(&p->io->signals, p->sim, p->sys, p->y));
    memcpy(out, s->out, (size_t)p->io->keys->nout * sizeof *out);
    return FLX_OK;
}

static void put_back(probe *p)
{
    flx_state_copy(p->y, p->x);
    memset(p->theta, 0, (size_t)p->sys->dims.nv * sizeof *p->theta);
}

// ---- what outputs read --------------------------------------------------------------------------------

static flx_status evaluate_read(void *user, double d, double *f)
{
    probe *p = user;
    put_back(p);
    change(p, p->number, d);
    return outputs_of(p, f);
}

static flx_status add_column(probe *p, int number)
{
    int nout = p->io->keys->nout;
    if (p->ncolumn == p->room) {
        int room = 2 * p->room + 16;
        int *columns = flx_arena_take(p->arena, (size_t)room, sizeof *columns);
        double *slopes = flx_arena_take(p->arena, (size_t)room * (size_t)nout, sizeof *slopes);
        if (!columns || !slopes) return FLX_ERR_MEMORY;
        if (p->ncolumn > 0) {
            memcpy(columns, p->columns, (size_t)p->ncolumn * sizeof *columns);
            memcpy(slopes, p->slopes, (size_t)p->ncolumn * (size_t)nout * sizeof *slopes);
        }
        p->columns = columns;
        p->slopes = slopes;
        p->room = room;
    }
    flx_slope s = {.n = nout,
                   .step = STEP * typical(p, number),
                   .user = p,
                   .eval = evaluate_read,
                   .f0 = p->base,
                   .scratch = p->scratch};
    p->number = number;
    FLX_TRY(flx_slope_find(&s, p->slopes + (size_t)p->ncolumn * (size_t)nout));
    p->columns[p->ncolumn++] = number;
    return FLX_OK;
}

// Numbers from lo on, before hi.
static flx_status seek(probe *p, int lo, int hi)
{
    int nout = p->io->keys->nout;
    if (lo >= hi) return FLX_OK;
    put_back(p);
    for (int i = lo; i < hi; i++) { // amounts that do not cancel
        double by = 0.5 + fmod((double)i * 0.6180339887498949, 0.5);
        change(p, i, NUDGE * by * typical(p, i));
    }
    FLX_TRY(outputs_of(p, p->out));
    if (memcmp(p->out, p->base, (size_t)nout * sizeof *p->out) == 0) return FLX_OK;
    if (hi - lo == 1) return add_column(p, lo);
    int mid = lo + (hi - lo) / 2;
    FLX_TRY(seek(p, lo, mid));
    return seek(p, mid, hi);
}

static flx_status put_slopes(const probe *p, flx_read_slopes *H)
{
    int nout = p->io->keys->nout, n = 0;
    size_t most = (size_t)p->ncolumn * (size_t)nout;
    H->nout = nout;
    H->row = flx_arena_take(p->arena, (size_t)nout + 1, sizeof *H->row);
    H->col = flx_arena_take(p->arena, most, sizeof *H->col);
    H->value = flx_arena_take(p->arena, most, sizeof *H->value);
    if (!H->row || !H->col || !H->value) return FLX_ERR_MEMORY;
    for (int i = 0; i < nout; i++) {
        H->row[i] = n;
        for (int k = 0; k < p->ncolumn; k++) {
            double slope = p->slopes[(size_t)k * (size_t)nout + (size_t)i];
            if (slope == 0.0) continue;
            H->col[n] = p->columns[k];
            H->value[n++] = slope;
        }
    }
    H->row[nout] = n;
    return FLX_OK;
}

// ---- what inputs do -----------------------------------------------------------------------------------

static flx_status evaluate_input(void *user, double d, double *f)
{
    probe *p = user;
    flx_cut_inputs_change(p->inputs, p->input, p->part, d);
    flx_point at = flx_state_point(p->sys, p->x);
    flx_status status =
        p->of_residual ? p->sys->ops->residual(p->sys, p->work, &at, f) : outputs_of(p, f);
    flx_cut_inputs_change(p->inputs, p->input, p->part, 0.0);
    return status;
}

// Columns of to (n x nin), of the residual or of the outputs. *reads: these know the value, or of parts 1 and 2 the rate, of
// an input: where it moves a joint, or where something is made of its rate.
static flx_status find_columns(probe *p, int part, int n, double *to, bool *reads)
{
    int nin = p->inputs->nin;
    put_back(p);
    for (p->input = 0; p->input < nin; p->input++) {
        double size = flx_cut_inputs_size(p->inputs, p->input, part);
        p->part = part;
        flx_slope s = {.n = n,
                       .step = STEP * size,
                       .user = p,
                       .eval = evaluate_input,
                       .f0 = p->f0,
                       .scratch = p->scratch};
        FLX_TRY(evaluate_input(p, 0.0, p->f0));
        FLX_TRY(evaluate_input(p, size, p->out));
        if (part > 0 && memcmp(p->out, p->f0, (size_t)n * sizeof *p->out) == 0) continue;
        *reads = true;
        FLX_TRY(flx_slope_find(&s, p->out));
        for (int i = 0; i < n; i++) to[(size_t)i * (size_t)nin + (size_t)p->input] = p->out[i];
    }
    return FLX_OK;
}

static flx_status find_inputs(probe *p, flx_io_slopes *out)
{
    int nin = p->inputs->nin, n = flx_dims_unknowns(&p->sys->dims), nout = p->io->keys->nout;
    bool value = false, rates = false;
    for (int part = 0; part < 3; part++) {
        bool *reads = part == 0 ? &value : &rates;
        out->R[part] = flx_arena_take(p->arena, (size_t)n * (size_t)nin, sizeof(double));
        out->D[part] = flx_arena_take(p->arena, (size_t)nout * (size_t)nin, sizeof(double));
        if (!out->R[part] || !out->D[part]) return FLX_ERR_MEMORY;
        p->of_residual = true;
        FLX_TRY(find_columns(p, part, n, out->R[part], reads));
        p->of_residual = false;
        if (nout > 0) FLX_TRY(find_columns(p, part, nout, out->D[part], reads));
    }
    for (int part = 1; part < 3 && !rates; part++) out->R[part] = out->D[part] = NULL;
    return FLX_OK;
}

// ---- together -----------------------------------------------------------------------------------------

static flx_status find(probe *p, flx_io_slopes *out)
{
    const flx_dims *d = &p->sys->dims;
    int n = flx_dims_unknowns(d), nout = p->io->keys->nout, most = n > nout ? n : nout;
    flx_reads_of(d, p->start);
    p->theta = flx_arena_take(p->arena, (size_t)d->nv, sizeof *p->theta);
    p->scale = flx_arena_take(p->arena, (size_t)n, sizeof *p->scale);
    p->base = flx_arena_take(p->arena, (size_t)nout, sizeof *p->base);
    p->out = flx_arena_take(p->arena, (size_t)most, sizeof *p->out);
    p->f0 = flx_arena_take(p->arena, (size_t)most, sizeof *p->f0);
    p->scratch = flx_arena_take(p->arena, FLX_SLOPE_SCRATCH * (size_t)most, sizeof *p->scratch);
    if (!p->theta || !p->scale || !p->base || !p->out || !p->f0 || !p->scratch)
        return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        p->sys->ops->unknown(p->sys, i, &u);
        p->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    put_back(p);
    if (nout > 0) FLX_TRY(outputs_of(p, p->base));
    if (nout > 0) FLX_TRY(seek(p, 0, p->start[FLX_READS]));
    FLX_TRY(put_slopes(p, &out->H));
    return find_inputs(p, out);
}

flx_status flx_io_slopes_find(flx_simulation *sim, const flx_system *sys, const flx_state *x,
                              const flx_cut_inputs *inputs, flx_io_signals *io, flx_arena *arena,
                              flx_io_slopes *out)
{
    probe p = {.sim = sim, .sys = sys, .x = x, .io = io, .inputs = inputs, .arena = arena};
    *out = (flx_io_slopes){0};
    p.work = sys->ops->work_create(sys);
    flx_status status = p.work ? flx_state_create(sys, &p.y) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find(&p, out);
    flx_state_destroy(&p.y);
    if (p.work) sys->ops->work_destroy(p.work);
    return status;
}
