// modes_level.c - eigenvalues slice by slice, from the fastest to the slowest.
//
// T (MODE-5) at a shift resolves what is about as fast as the shift: an eigenvalue s has an error of
// rounding times max(|s|, shift)^2 / min(|s|, shift). Slower motions are all near -1; they are kept as the
// subspace that they are, and looked at again from a smaller shift, until none is left, or all that are left are
// proven to be zero, or rounding hides them.
#include "analyse/modes/modes_parts.h"
#include "analyse/rest.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SLOWER 0.03    // of the shift: left to the next slice; between half and twice that at a gap
#define NEXT 0.01      // the next shift
#define MOST_SLICES 24 // of the range of numbers, and more
#define TOO_NEAR 30.0  // |T|: an eigenvalue is at the shift
#define OTHER_SHIFT 1.4 // ... which then is moved
#define TRIES 4
#define HIDDEN 0.1 // of a motion: what rounding of Q0 makes of it at this shift
#define REAL 1e-2  // parts of s, where s^2 is known to be real: rounding
#define TWO_PI 6.283185307179586

typedef struct slice {
    flx_search *f;
    int d;
    double *B;         // (m x d) in units, orthonormal
    double *TB;        // (m x d) T B, then scratch
    double *S, *V;     // (d x d) Schur form of T on B, its vectors
    double *re, *im;   // (d) of T
    double *sr, *si;   // (d) s
    int slow, *select; // motions left to the next slice, at the front of S
} slice;

static flx_status take_slice(flx_search *f, int d, slice *p)
{
    int m = f->w.m;
    *p = (slice){.f = f, .d = d};
    p->B = flx_search_take(f, m, d);
    p->TB = flx_search_take(f, m, d);
    p->S = flx_search_take(f, d, d);
    p->V = flx_search_take(f, d, d);
    p->re = flx_search_take(f, d, 4);
    p->select = flx_arena_take(f->arena, (size_t)d, sizeof *p->select);
    if (!p->B || !p->TB || !p->S || !p->V || !p->re || !p->select) return FLX_ERR_MEMORY;
    p->im = p->re + d;
    p->sr = p->im + d;
    p->si = p->sr + d;
    return FLX_OK;
}

// ---- the eigenvalues of T -----------------------------------------------------------------------

static void find_rates(slice *p)
{
    double shift = p->f->q.shift;
    for (int i = 0; i < p->d; i++) { // s = shift (1 + 1/t)
        double size = p->re[i] * p->re[i] + p->im[i] * p->im[i];
        p->sr[i] = shift * (1.0 + p->re[i] / size);
        p->si[i] = p->im[i] == 0.0 ? 0.0 : -shift * p->im[i] / size;
    }
}

// The border is where neighbours are farthest apart.
static void choose_slow(slice *p)
{
    double shift = p->f->q.shift, low = 0.5 * SLOWER * shift, high = 2.0 * SLOWER * shift;
    double border = SLOWER * shift, widest = 1.0, below = low;
    for (;;) { // rates within the window, upwards
        double next = high;
        for (int i = 0; i < p->d; i++) {
            double size = hypot(p->sr[i], p->si[i]);
            if (size > below * (1.0 + 1e-9) && size < next) next = size;
        }
        if (next / below > widest) {
            widest = next / below;
            border = sqrt(next * below);
        }
        if (next == high) break;
        below = next;
    }
    p->slow = 0;
    for (int i = 0; i < p->d; i++) {
        p->select[i] = hypot(p->sr[i], p->si[i]) < border;
        p->slow += p->select[i];
    }
}

static void apply(slice *p)
{
    size_t m = (size_t)p->f->w.m;
    for (int j = 0; j < p->d; j++) {
        flx_shift_apply(&p->f->w, p->B + (size_t)j * m, p->TB + (size_t)j * m);
    }
}

// T on B at a shift. *near: an eigenvalue is at the shift. purge: B is made better first, as a shift nearer
// to its motions does.
static flx_status resolve(slice *p, const double *B, double shift, bool purge, bool *near)
{
    flx_search *f = p->f;
    int m = f->w.m, d = p->d;
    double largest = 0.0;
    *near = true;
    flx_status status = flx_shift_move(&f->w, shift);
    if (status != FLX_OK) return status;
    memcpy(p->B, B, (size_t)m * (size_t)d * sizeof *B);
    flx_shift_to_units(&f->w, d, p->B);
    FLX_TRY(flx_dense_orthonormalise(f->ctx, m, d, p->B));
    apply(p);
    if (purge) {
        memcpy(p->B, p->TB, (size_t)m * (size_t)d * sizeof *B);
        FLX_TRY(flx_dense_orthonormalise(f->ctx, m, d, p->B));
        apply(p);
    }
    flx_dense_multiply(true, false, d, d, m, p->B, p->TB, p->S);
    FLX_TRY(flx_dense_schur(f->ctx, d, p->S, p->re, p->im, p->V));
    for (int i = 0; i < d; i++) largest = fmax(largest, hypot(p->re[i], p->im[i]));
    *near = largest > TOO_NEAR;
    return FLX_OK;
}

// ---- modes --------------------------------------------------------------------------------------

// Shape as theta and x, turned and scaled so that its largest scaled number is 1.
static void set_shape(const flx_search *f, const double *zr, const double *zi, double *shape)
{
    double largest = 0.0, a = 1.0, b = 0.0;
    int nout = f->q.nv + f->q.nx;
    for (int i = 0; i < nout; i++) {
        double scale = f->q.scale[i], size = hypot(zr[i], zi[i]) / scale;
        if (!(size > largest)) continue;
        largest = size;
        a = zr[i] / scale;
        b = zi[i] / scale;
    }
    double d = a * a + b * b;
    for (int i = 0; i < nout; i++) {
        shape[i] = (zr[i] * a + zi[i] * b) / d;
        shape[nout + i] = (zi[i] * a - zr[i] * b) / d;
    }
}

static flx_status add_mode(flx_search *f, double re, double im, const double *zr, const double *zi)
{
    const double s[2] = {re, im};
    flx_modes *out = f->out;
    if (out->nmode == f->room) return FLX_ERR_MEMORY; // cannot be: there are no more eigenvalues
    flx_mode *mode = out->modes + out->nmode++;
    *mode = (flx_mode){.re = re, .im = im, .frequency = im / TWO_PI};
    mode->damping = re == 0.0 ? 0.0 : -re / hypot(re, im);
    mode->residual = flx_shift_residual(&f->w, s, zr, zi);
    mode->shape = flx_search_take(f, 2 * (f->q.nv + f->q.nx), 1);
    if (!mode->shape) return FLX_ERR_MEMORY;
    set_shape(f, zr, zi, mode->shape);
    flx_mode_find_parts(f->s, f->q.nv + f->q.nx, mode);
    return FLX_OK;
}

// The modes of this slice. A motion is taken once more through T, which gives its multipliers too.
static flx_status add_modes(slice *p)
{
    flx_search *f = p->f;
    int m = f->w.m, n = f->q.n, d = p->d;
    double *y = flx_search_take(f, m, 1), *out = flx_search_take(f, m, 1);
    double *z = flx_search_take(f, 2, n);
    if (!y || !out || !z) return FLX_ERR_MEMORY;
    FLX_TRY(flx_dense_schur_vectors(f->ctx, d, p->S, p->V));
    for (int j = p->slow; j < d; j++) {
        if (p->si[j] < 0.0) continue; // the other of a pair, which follows or goes before
        bool pair = p->si[j] > 0.0;
        // of T the first of a pair has im > 0, and s im < 0
        int first = pair ? j - 1 : j;
        for (int part = 0; part < 2; part++) {
            double *to = z + part * n;
            memset(to, 0, (size_t)n * sizeof *to);
            if (part == 1 && !pair) break;
            flx_dense_apply(false, m, d, p->B, p->V + (size_t)(first + part) * (size_t)d, y);
            flx_shift_apply(&f->w, y, out);
            for (int i = 0; i < n; i++) to[i] = part == 1 ? -f->w.z[i] : f->w.z[i];
        }
        double re = p->sr[j], im = p->si[j];
        if (f->q.plain && fabs(re) < REAL * im) re = 0.0;
        FLX_TRY(add_mode(f, re, im, z, z + n));
    }
    return FLX_OK;
}

// ---- slices -------------------------------------------------------------------------------------

// Whether rounding of Q0 hides the motions Y (m x d, not in units) at this shift.
static flx_status find_hidden(flx_search *f, int d, const double *Y, bool *hidden)
{
    int m = f->w.m, n = f->q.n, first = f->q.nv + f->q.nx;
    double *z = flx_search_take(f, n, 1), *b = flx_search_take(f, n, 1);
    *hidden = false;
    if (!z || !b) return FLX_ERR_MEMORY;
    for (int j = 0; j < d && !*hidden; j++) {
        double size = 0.0, change = 0.0;
        memcpy(z, Y + (size_t)j * (size_t)m, (size_t)first * sizeof *z);
        flx_shift_rounding(&f->w, z, 0.0, b);
        for (int i = 0; i < n; i++) b[i] *= (i * 7919) % 13 < 6 ? -1.0 : 1.0; // any signs
        flx_quadratic_solve(&f->q, b);
        for (int i = 0; i < first; i++) {
            size = fmax(size, fabs(z[i]) / f->q.scale[i]);
            change = fmax(change, fabs(b[i]) / f->q.scale[i]);
        }
        *hidden = !(change <= HIDDEN * size);
    }
    return FLX_OK;
}

// One slice. The motions left are the leading *left columns of B, not in units. *hidden: all of them, as
// rounding is larger than what the shift makes of them.
static flx_status cut(flx_search *f, double *B, double shift, bool first, int *left, bool *hidden)
{
    slice p;
    bool near = true;
    int m = f->w.m;
    *hidden = false;
    FLX_TRY(take_slice(f, *left, &p));
    flx_status status = FLX_OK;
    for (int k = 0; k < TRIES && near; k++, shift *= OTHER_SHIFT) {
        status = resolve(&p, B, shift, !first, &near);
        if (status != FLX_OK && status != FLX_SINGULAR) return status;
    }
    *hidden = status == FLX_SINGULAR && !first;
    if (status == FLX_OK && !first) FLX_TRY(find_hidden(f, p.d, B, hidden));
    if (*hidden) return FLX_OK;
    if (status != FLX_OK) return status;
    find_rates(&p);
    choose_slow(&p);
    if (p.slow > 0 && p.slow < p.d) {
        FLX_TRY(flx_dense_schur_sort(f->ctx, p.d, p.select, p.S, p.re, p.im, p.V));
        find_rates(&p);
    }
    if (p.slow > 0) {
        flx_dense_multiply(false, false, m, p.slow, p.d, p.B, p.V, B);
        flx_shift_from_units(&f->w, p.slow, B);
    }
    *left = p.slow;
    return add_modes(&p);
}

// The modes beside proven zeros, from the shift at which these were proven.
static flx_status add_rest(flx_search *f, const flx_remnant *r)
{
    slice p;
    FLX_TRY(take_slice(f, r->d, &p));
    FLX_TRY(flx_shift_move(&f->w, r->shift));
    p.B = r->Y;
    p.S = r->S;
    p.V = r->V;
    p.sr = r->sr;
    p.si = r->si;
    p.slow = r->n;
    f->out->within = r->within;
    return add_modes(&p);
}

// Smaller shifts resolve what is slower, but rounding moves more there along motions that are zero: what is
// left beside these in the end is taken from the shift that knew it best.
flx_status flx_modes_slice(flx_search *f, int d, double *B, double shift)
{
    int left = d, zero = 0;
    double bound = 0.0;
    flx_remnant best = {.error = HUGE_VAL};
    for (int k = 0; k < MOST_SLICES && left > 0; k++, shift *= NEXT) {
        bool hidden;
        flx_remnant r;
        FLX_TRY(cut(f, B, shift, k == 0, &left, &hidden));
        if (hidden || left == 0) break;
        if (left != best.d) best.error = HUGE_VAL;
        FLX_TRY(flx_modes_prove_zero(f, left, B, &r));
        FLX_TRY(flx_modes_find_remnant(f, &r));
        zero = r.n;
        bound = 2.0 * SLOWER * shift;
        if (zero == left) break;
        if (r.error < best.error) best = r;
    }
    if (left > 0 && left == best.d && best.error <= HIDDEN) {
        FLX_TRY(add_rest(f, &best));
        left = zero = best.n;
    }
    f->out->nneutral = left > 0 ? zero : 0;
    f->out->nhidden = left > 0 ? left - zero : 0;
    f->out->hidden = bound;
    return FLX_OK;
}
