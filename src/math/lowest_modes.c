// lowest_modes.c - the lowest modes: which shift, how many vectors, whether none was missed.
//
// Supported structures need no shift. A free body has a singular K: the shift is then a negative one of
// the size of its lowest elastic mode, which is found by a few blocks at a first guess, again if that
// was far off.
#include "math/lowest_modes.h"
#include "math/dense.h"
#include "math/lowest_modes_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DENSE 300        // unknowns up to which a dense solver is quicker
#define GUESS_BLOCKS 4   // blocks of a first look
#define MOST_BLOCKS 2000 // of an iteration that converges at all, a few restarts are enough
#define FIRST_SHIFT 1e-7 // of the highest mode
#define RIGID 1e-6       // lambda/|shift| of a rigid motion; elastic ones are near 1 or above

typedef struct search {
    flx_ctx *ctx;
    const flx_symmetric *K, *M;
    flx_symmetric thin; // M without its zeros, in the order of elimination
    const flx_modes_def *def;
    flx_frontal *factor;
    flx_mode_set *out;
    double tolerance;
} search;

// ---- the matrix M without zeros -----------------------------------------------------------------

// In the order of elimination: vectors that are multiplied with it are read nearly one after the other.
// Rows come in no order behind the diagonal; it is only multiplied with.
static flx_status thin_out(search *s)
{
    const flx_symmetric *M = s->M;
    const int *order = flx_frontal_order(s->factor);
    flx_symmetric *t = &s->thin;
    size_t n = (size_t)M->n;
    *t = (flx_symmetric){.n = M->n};
    int *place = flx_alloc(s->ctx, n, sizeof *place);
    int64_t *end = flx_alloc(s->ctx, n, sizeof *end);
    t->start = flx_alloc(s->ctx, n + 1, sizeof *t->start);
    flx_status status = place && end && t->start ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && i < M->n; i++) place[order[i]] = i;
    for (int pass = 0; pass < 2 && status == FLX_OK; pass++) {
        for (int i = 0; i < M->n; i++) {
            int j = order[i];
            for (int64_t p = M->start[j]; p < M->start[j + 1]; p++) {
                int r = place[M->row[p]], low = r < i ? r : i, high = r < i ? i : r;
                if (M->value[p] == 0 && low != high) continue;
                if (pass == 0) {
                    t->start[low + 1]++;
                } else {
                    int64_t at = low == high ? t->start[low] : ++end[low];
                    t->row[at] = high;
                    t->value[at] = M->value[p];
                }
            }
        }
        if (pass == 1) break;
        for (size_t i = 0; i < n; i++) t->start[i + 1] += t->start[i];
        memcpy(end, t->start, n * sizeof *end);
        t->row = flx_alloc(s->ctx, (size_t)t->start[n], sizeof *t->row);
        t->value = flx_alloc(s->ctx, (size_t)t->start[n], sizeof *t->value);
        if (!t->row || !t->value) status = FLX_ERR_MEMORY;
    }
    flx_free(place);
    flx_free(end);
    return status;
}

// X from the order of elimination to that of K.
static flx_status reorder(search *s, const int *order, double *X)
{
    size_t n = (size_t)s->K->n;
    double *x = flx_alloc(s->ctx, n, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    for (int k = 0; k < s->out->count; k++, X += n) {
        memcpy(x, X, n * sizeof *x);
        for (size_t i = 0; i < n; i++) X[order[i]] = x[i];
    }
    flx_free(x);
    return FLX_OK;
}

// ---- the shift ----------------------------------------------------------------------------------

static flx_status factor_at(search *s, double shift)
{
    s->out->shift = shift;
    s->out->factorisations++;
    return flx_frontal_factor(s->factor, 1, s->K, -shift, s->M);
}

static flx_status refuse(search *s, const char *why)
{
    return FLX_FAIL(s->ctx, FLX_SINGULAR, FLX_NOWHERE, "the modes cannot be found: %s", why);
}

// The lowest lambda that is not a rigid motion, from above, by a few blocks.
static flx_status look(search *s, double *lowest)
{
    const int p = 8;
    flx_lanczos l;
    FLX_TRY(flx_lanczos_init(&l, s->ctx, &s->thin, s->factor, p, GUESS_BLOCKS * p));
    flx_status status = FLX_OK;
    for (int i = 0; i < GUESS_BLOCKS && status == FLX_OK; i++) {
        status = flx_lanczos_step(&l, p);
    }
    *lowest = 0;
    for (int i = 0; i < l.m && status == FLX_OK && *lowest == 0; i++) {
        double lambda = s->out->shift + 1 / l.theta[i];
        if (lambda > 1e-3 * fabs(s->out->shift)) *lowest = lambda;
    }
    s->out->solves += l.solves;
    flx_lanczos_clear(&l);
    return status;
}

// Largest K_ii/M_ii: of the size of the highest mode.
static double highest_ratio(const search *s)
{
    double most = 0;
    for (int j = 0; j < s->K->n; j++) {
        double k = s->K->value[s->K->start[j]], m = s->M->value[s->M->start[j]];
        if (m > 0 && k / m > most) most = k / m;
    }
    return most;
}

// Without a shift where K can be factored.
static flx_status try_no_shift(search *s, bool *singular)
{
    flx_status status = factor_at(s, 0);
    flx_frontal_report r = flx_frontal_get_report(s->factor);
    // A pivot of this size is what rounding leaves of zero in a large structure.
    *singular = status == FLX_SINGULAR || !(r.ratio > 1e-11) || r.negative > 0;
    return *singular ? FLX_OK : status;
}

static flx_status factor_below(search *s, double shift)
{
    flx_status status = factor_at(s, -shift);
    if (status == FLX_SINGULAR) return refuse(s, "an unknown has neither stiffness nor mass");
    if (status == FLX_OK && flx_frontal_get_report(s->factor).negative > 0) {
        return refuse(s, "the stiffness is not positive");
    }
    return status;
}

static flx_status find_shift(search *s)
{
    double top = highest_ratio(s), shift = FIRST_SHIFT * top;
    bool singular;
    FLX_TRY(try_no_shift(s, &singular));
    if (!singular) return FLX_OK;
    if (!(top > 0)) return refuse(s, "no unknown has a mass");
    for (int tries = 0; tries < 6; tries++) {
        double lowest = 0;
        FLX_TRY(factor_below(s, shift));
        FLX_TRY(look(s, &lowest));
        if (!(lowest > 0) || (lowest > 0.03 * shift && lowest < 30 * shift)) break;
        // far off: the estimate is better than the shift that it was found with
        if (lowest < 1e-13 * top) break; // below rounding
        shift = lowest;
    }
    return FLX_OK;
}

static flx_status make_room(search *s)
{
    flx_mode_set *o = s->out;
    o->X = flx_alloc_unset(s->ctx, (size_t)o->count * (size_t)o->n, sizeof *o->X);
    return o->X ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- dense --------------------------------------------------------------------------------------

// M x = theta (K - shift M) x: also where M is singular.
static flx_status solve_dense_at(search *s)
{
    flx_mode_set *o = s->out;
    size_t n = (size_t)s->K->n;
    double *A = flx_alloc(s->ctx, n * n, sizeof *A), *B = flx_alloc(s->ctx, n * n, sizeof *B);
    double *w = flx_alloc(s->ctx, n, sizeof *w);
    flx_status status = A && B && w ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (size_t j = 0; j < n; j++) {
            for (int64_t p = s->K->start[j]; p < s->K->start[j + 1]; p++) {
                size_t i = (size_t)s->K->row[p];
                A[j * n + i] = A[i * n + j] = -s->M->value[p];
                B[j * n + i] = B[i * n + j] = s->K->value[p] - o->shift * s->M->value[p];
            }
        }
        status = flx_dense_symmetric_pencil(s->ctx, (int)n, A, B, w);
    }
    for (int k = 0; status == FLX_OK && k < o->count; k++) {
        double theta = -w[k];
        if (!(theta > 64 * DBL_EPSILON * -w[0])) {
            status =
                FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                         "%d modes are asked for, but only %d motions move a mass", o->count, k);
            break;
        }
        o->lambda[k] = o->shift + 1 / theta;
        for (size_t i = 0; i < n; i++) o->X[k * n + i] = A[k * n + i] / sqrt(theta);
    }
    flx_free(A);
    flx_free(B);
    flx_free(w);
    return status;
}

// A free body twice: the second time with a shift of the size of its lowest elastic mode, which keeps the
// digits of all.
static flx_status solve_dense(search *s)
{
    flx_mode_set *o = s->out;
    double top = highest_ratio(s);
    bool singular;
    FLX_TRY(make_room(s));
    FLX_TRY(try_no_shift(s, &singular));
    if (singular) {
        if (!(top > 0)) return refuse(s, "no unknown has a mass");
        FLX_TRY(factor_below(s, FIRST_SHIFT * top));
        FLX_TRY(solve_dense_at(s));
        int k = 0;
        while (k < o->count && !(o->lambda[k] > RIGID * FIRST_SHIFT * top)) k++;
        if (k < o->count) FLX_TRY(factor_below(s, o->lambda[k]));
    }
    return solve_dense_at(s);
}

// ---- Lanczos ------------------------------------------------------------------------------------

static int converged(const search *s, const flx_lanczos *l)
{
    int k = 0;
    while (k < l->m && l->theta[k] > 0 && l->error[k] <= s->tolerance * l->theta[k]) k++;
    return k;
}

// A place between two converged modes, or behind the last wanted one, where the count can be made: the
// first gap at or after it, wide enough that the last digits do not decide.
static int find_gap(const search *s, const flx_lanczos *l, int found, double *bound)
{
    for (int k = s->out->count; k <= found && k < l->m; k++) {
        double below = s->out->shift + 1 / l->theta[k - 1];
        double above = s->out->shift + 1 / l->theta[k];
        if (!(above > 0)) above = 2 * below; // not converged at all
        double middle = below + (above - below) / 2;
        if (k == found) middle = fmin(middle, below * 1.01); // the next one may still come down
        if (middle <= RIGID * fabs(s->out->shift)) continue; // rounding of what moves rigidly
        if (middle > 0 && middle - below > 1e-6 * middle) {
            *bound = middle;
            return k;
        }
    }
    return 0;
}

// Whether the modes found below a bound are all there are.
static flx_status count_modes(search *s, const flx_lanczos *l, int found, bool *complete)
{
    flx_mode_set *o = s->out;
    double bound = 0;
    int k = find_gap(s, l, found, &bound);
    *complete = k > 0;
    if (s->def->unchecked || k == 0) {
        *complete = s->def->unchecked;
        return FLX_OK;
    }
    o->factorisations++;
    flx_status status = flx_frontal_count(s->factor, 1, s->K, -bound, s->M, &o->below);
    if (status == FLX_SINGULAR) { // an eigenvalue of a part to the last bit: elsewhere it is not
        bound *= 1 + 1e-9;
        status = flx_frontal_count(s->factor, 1, s->K, -bound, s->M, &o->below);
    }
    if (status != FLX_OK) return status;
    o->bound = bound;
    *complete = o->checked = o->below == k;
    // the count took the place of the factors, which are needed again only now
    return *complete ? FLX_OK : factor_at(s, o->shift);
}

// Vectors of a block, and how many fit before a restart.
static int block_size(const search *s)
{
    int p = s->def->block > 0 ? s->def->block : 8, n = s->K->n;
    return p < n / 8 ? p : n / 8;
}

static flx_status iterate(search *s, flx_lanczos *l)
{
    flx_mode_set *o = s->out;
    int wanted = o->count, found = 0;
    for (int step = 0; step < MOST_BLOCKS; step++) {
        int keep = found + (l->room - found) / 3;
        if (keep < wanted) keep = wanted;
        if (l->m + l->p > l->room && keep + l->p > l->room)
            break; // no room for more beside a block
        FLX_TRY(flx_lanczos_step(l, keep));
        found = converged(s, l);
        if (found < wanted && l->exhausted) {
            return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "%d modes are asked for, but only %d motions move a mass", wanted,
                            found);
        }
        if (found < wanted) continue;
        bool complete;
        FLX_TRY(count_modes(s, l, found, &complete));
        if (complete) return FLX_OK;
        if (o->below > wanted + l->room / 2) break;
        wanted = found + 1 > o->below ? found + 1 : o->below; // go on until the count agrees
    }
    return FLX_FAIL(s->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                    "%d of %d modes were found, and %d lie below %g by the count of pivots", found,
                    o->count, o->below, o->bound);
}

// The factors while they are made, or when they are there with the vectors of Lanczos' method.
static flx_status check_memory(search *s, int p, int room)
{
    flx_frontal_report r = flx_frontal_get_report(s->factor);
    double vectors = (double)s->K->n * (room + 3 * p) * sizeof(double), with = r.bytes + vectors;
    return flx_memory_check(s->ctx, r.most > with ? r.most : with, "%d modes of %d unknowns",
                            s->out->count, s->K->n);
}

static flx_status solve_sparse(search *s)
{
    flx_mode_set *o = s->out;
    flx_lanczos l = {0};
    int p = block_size(s), room = o->count + o->count / 2 + 6 * p;
    if (room > s->K->n - p) room = s->K->n - p;
    room = (room + p - 1) / p * p;
    if (room > s->K->n - p) room -= p;
    flx_status status = check_memory(s, p, room);
    if (status == FLX_OK) status = thin_out(s);
    if (status == FLX_OK) status = find_shift(s);
    if (status == FLX_OK) status = flx_lanczos_init(&l, s->ctx, &s->thin, s->factor, p, room);
    if (status == FLX_OK) status = iterate(s, &l);
    if (status == FLX_OK) {
        flx_frontal_release(s->factor); // the modes themselves take as much as a part of it
        status = make_room(s);
    }
    if (status == FLX_OK) {
        for (int k = 0; k < o->count; k++) o->lambda[k] = o->shift + 1 / l.theta[k];
        flx_lanczos_vectors(&l, o->count, o->X);
        status = reorder(s, flx_frontal_order(s->factor), o->X);
    }
    o->blocks += l.blocks;
    o->solves += l.solves;
    o->restarts = l.restarts;
    flx_lanczos_clear(&l);
    return status;
}

// ---- the result ---------------------------------------------------------------------------------

// The largest entry positive, so that a mode is the same on every run; residuals; rigid motions.
static flx_status finish(search *s)
{
    flx_mode_set *o = s->out;
    size_t n = (size_t)o->n;
    double *Kx = flx_alloc(s->ctx, n, sizeof *Kx), *Mx = flx_alloc(s->ctx, n, sizeof *Mx);
    flx_status status = Kx && Mx ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = 0; status == FLX_OK && k < o->count; k++) {
        double *x = o->X + k * n, most = 0, r = 0, size = 0, rigid = RIGID * fabs(o->shift);
        for (size_t i = 0; i < n; i++) most = fabs(x[i]) > fabs(most) * (1 + 1e-9) ? x[i] : most;
        for (size_t i = 0; i < n && most < 0; i++) x[i] = -x[i];
        flx_symmetric_multiply(s->K, 1, x, Kx);
        flx_symmetric_multiply(s->M, 1, x, Mx);
        if (fabs(o->lambda[k]) <= rigid && o->rigid == k) o->rigid++;
        double scale = o->rigid > k ? fabs(o->shift) : 0;
        for (size_t i = 0; i < n; i++) {
            double d = Kx[i] - o->lambda[k] * Mx[i];
            r += d * d;
            size += scale > 0 ? scale * scale * Mx[i] * Mx[i] : Kx[i] * Kx[i];
        }
        o->residual[k] = sqrt(r / size);
    }
    flx_free(Kx);
    flx_free(Mx);
    return status;
}

flx_status flx_modes_create(flx_ctx *ctx, const flx_symmetric *K, const flx_symmetric *M,
                            const flx_modes_def *def, flx_mode_set **out)
{
    *out = NULL;
    if (def->count < 1 || def->count > K->n) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "%d modes are asked for: there are %d unknowns", def->count, K->n);
    }
    size_t count = (size_t)def->count;
    flx_mode_set *o = flx_alloc(ctx, 1, sizeof *o);
    search s = {.ctx = ctx, .K = K, .M = M, .def = def, .out = o};
    if (!o) return FLX_ERR_MEMORY;
    s.tolerance = def->tolerance > 0 ? def->tolerance : 1e-10;
    *o = (flx_mode_set){.n = K->n, .count = def->count};
    o->lambda = flx_alloc(ctx, count, sizeof *o->lambda);
    o->residual = flx_alloc(ctx, count, sizeof *o->residual);
    flx_status status = o->lambda && o->residual ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_frontal_create(ctx, K, def->group, &s.factor);
    bool dense = K->n <= DENSE || def->count > K->n / 5;
    if (status == FLX_OK) {
        if (dense) {
            status = solve_dense(&s);
        } else {
            status = solve_sparse(&s);
        }
    }
    if (status == FLX_OK) {
        o->factor = flx_frontal_get_report(s.factor);
        o->checked = o->checked || dense;
        status = finish(&s);
    }
    flx_symmetric_clear(&s.thin);
    flx_frontal_destroy(&s.factor);
    if (status != FLX_OK) flx_modes_destroy(&o);
    *out = o;
    return status;
}

void flx_modes_destroy(flx_mode_set **modes)
{
    if (!modes || !*modes) return;
    flx_free((*modes)->lambda);
    flx_free((*modes)->residual);
    flx_free((*modes)->X);
    flx_free(*modes);
    *modes = NULL;
}
