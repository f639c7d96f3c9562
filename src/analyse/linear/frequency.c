// frequency.c - frequency response on sparse blocks; see frequency.h.
#include "analyse/linear/frequency.h"

#include "math/pattern.h"

#include <math.h>
#include <string.h>

void flx_reads_of(const flx_dims *d, int start[FLX_READS + 1])
{
    const int sizes[FLX_READS] = {d->nv, d->nv, d->nv, d->nx, d->nx, d->nw, d->nlam, d->nmu};
    start[0] = 0;
    for (int k = 0; k < FLX_READS; k++) start[k + 1] = start[k] + sizes[k];
}

// ---- axes that turn --------------------------------------------------------------------------------

// W and L = W - C(v) of every block of velocities.
static flx_status find_brackets(flx_frequency *f)
{
    const flx_quadratic *q = f->q;
    const flx_pattern *p = &q->pattern;
    size_t size = 0;
    bool moves = f->turn != NULL;
    for (int i = 0; i < q->nv; i++) moves = moves || f->x->v[i] != 0.0;
    if (!moves) return FLX_OK;
    for (int b = 0; b < p->nblock && p->start[b] < q->nv; b++) {
        size_t n = (size_t)(p->start[b + 1] - p->start[b]);
        size += 2 * n * n;
    }
    f->brackets = flx_arena_take(f->arena, size, sizeof *f->brackets);
    if (!f->brackets) return FLX_ERR_MEMORY;
    return flx_quadratic_brackets(q, f->x, f->turn, f->brackets);
}

// v = (s + W) theta, a = (s + L) v
static void find_rates(const flx_frequency *f, double complex s, const double complex *theta,
                       double complex *v, double complex *a)
{
    const flx_pattern *p = &f->q->pattern;
    int nv = f->q->nv;
    const double *W = f->brackets;
    for (int i = 0; i < nv; i++) v[i] = s * theta[i];
    for (int i = 0; i < nv && !W; i++) a[i] = s * v[i];
    for (int b = 0; W && b < p->nblock && p->start[b] < nv; b++) {
        int first = p->start[b], n = p->start[b + 1] - first;
        const double *L = W + n * n;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) v[first + i] += W[i * n + j] * theta[first + j];
        }
        for (int i = 0; i < n; i++) {
            a[first + i] = s * v[first + i];
            for (int j = 0; j < n; j++) a[first + i] += L[i * n + j] * v[first + j];
        }
        W = L + n * n;
    }
}

// ---- one frequency ---------------------------------------------------------------------------------

// c -= Q z
static void subtract_product(const flx_frequency *f, const double complex *z, double complex *c)
{
    const flx_pattern *p = &f->q->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int nr = p->start[b + 1] - p->start[b];
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int col = p->start[p->col[e]], nc = p->start[p->col[e] + 1] - col;
            const double complex *a = f->Q + p->offset[e];
            for (int i = 0; i < nr; i++) {
                double complex sum = 0.0;
                for (int j = 0; j < nc; j++) sum += a[i * nc + j] * z[col + j];
                c[p->start[b] + i] -= sum;
            }
        }
    }
}

static flx_status factor(flx_frequency *f, double complex s)
{
    const flx_quadratic *q = f->q;
    size_t size = flx_pattern_size(&q->pattern);
    double complex s2 = s * s;
    for (size_t i = 0; i < size; i++) f->Q[i] = q->Q[0][i] + s * q->Q[1][i] + s2 * q->Q[2][i];
    return flx_lu_factor_complex(f->lu, f->Q);
}

static void right_side(const flx_frequency *f, double complex s, int k, double complex *c)
{
    for (int i = 0; i < f->q->n; i++) {
        size_t at = (size_t)i * (size_t)f->nin + (size_t)k;
        c[i] = -f->R[0][at];
        if (f->R[1]) c[i] -= s * (f->R[1][at] + s * f->R[2][at]);
    }
}

// The unknowns of one input, refined once.
static void solve(flx_frequency *f, double complex s, int k)
{
    size_t n = (size_t)f->q->n;
    right_side(f, s, k, f->c);
    memcpy(f->z, f->c, n * sizeof *f->z);
    flx_lu_solve_complex(f->lu, f->z);
    subtract_product(f, f->z, f->c);
    flx_lu_solve_complex(f->lu, f->c);
    for (size_t i = 0; i < n; i++) f->z[i] += f->c[i];
}

static void read_outputs(flx_frequency *f, double complex s, int k, double complex *y)
{
    const flx_dims *d = &f->q->s->dims;
    const flx_read_slopes *H = f->H;
    int start[FLX_READS + 1];
    double complex *r = f->read;
    flx_reads_of(d, start);
    memcpy(r, f->z, (size_t)d->nv * sizeof *r);
    find_rates(f, s, r, r + start[FLX_READ_V], r + start[FLX_READ_A]);
    for (int i = 0; i < d->nx; i++) {
        r[start[FLX_READ_X] + i] = f->z[d->nv + i];
        r[start[FLX_READ_DX] + i] = s * f->z[d->nv + i];
    }
    memcpy(r + start[FLX_READ_W], f->z + d->nv + d->nx,
           (size_t)(d->nw + d->nlam + d->nmu) * sizeof *r);
    for (int i = 0; i < H->nout; i++) {
        double complex sum = 0.0, power = 1.0;
        for (int e = H->row[i]; e < H->row[i + 1]; e++) sum += H->value[e] * r[H->col[e]];
        for (int j = 0; j < 3; j++, power *= s) {
            if (f->D[j]) sum += power * f->D[j][i * f->nin + k];
        }
        y[i * f->nin + k] = sum;
    }
}

flx_status flx_frequency_find(flx_frequency *f, double complex s, double complex *y)
{
    FLX_TRY(factor(f, s));
    for (int k = 0; k < f->nin; k++) {
        solve(f, s, k);
        read_outputs(f, s, k, y);
    }
    return FLX_OK;
}

// ---- life ------------------------------------------------------------------------------------------

flx_status flx_frequency_create(flx_frequency *f)
{
    const flx_quadratic *q = f->q;
    int start[FLX_READS + 1];
    flx_reads_of(&q->s->dims, start);
    f->lu = NULL;
    f->brackets = NULL;
    f->Q = flx_arena_take(f->arena, flx_pattern_size(&q->pattern), sizeof *f->Q);
    f->z = flx_arena_take(f->arena, (size_t)q->n, sizeof *f->z);
    f->c = flx_arena_take(f->arena, (size_t)q->n, sizeof *f->c);
    f->read = flx_arena_take(f->arena, (size_t)start[FLX_READS], sizeof *f->read);
    if (!f->Q || !f->z || !f->c || !f->read) return FLX_ERR_MEMORY;
    FLX_TRY(find_brackets(f));
    FLX_TRY(flx_lu_create(q->ctx, &q->pattern, true, &f->lu));
    flx_lu_accept_any(f->lu); // near a pole as well
    return FLX_OK;
}

void flx_frequency_destroy(flx_frequency *f)
{
    flx_lu_destroy(&f->lu);
}
