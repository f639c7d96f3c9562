// descriptor_form.c - a linear model with its constraints; see descriptor_form.h.
//
// Rows: theta' = p, p' = r, x' = d with p, r, d as unknowns of their own, then the equations as they stand (MODE-3),
//     0 = Q2 r + Q1 (p, d) + Q0 (theta, x, w, lambda, mu) + R0 u + R1 u' + R2 u''.
// Outputs read v = p + W theta, a = r + (W + L) p + L W theta, x' = d, and the rest as it is.
#include "simulate/analyses/descriptor_form.h"
#include "simulate/analyses/response.h"

#include <string.h>

#define MOST 1500 // unknowns: matrices are written whole

// Where parts of z begin.
typedef struct form {
    flx_simulation *sim;
    flx_finding *out;
    flx_response *r;
    int nv, nx, n; // n: of the equations
    int p, acc, x, d, rest, size;
} form;

static flx_finding_table *add(form *f, const char *name, int nrow, int ncolumn)
{
    return flx_finding_add_matrix(f->sim, f->out, name, nrow, ncolumn);
}

// The place in z of unknown j of the equations, (theta, x, w, lambda, mu).
static int place_of(const form *f, int j)
{
    if (j < f->nv) return j;
    return j < f->nv + f->nx ? f->x + j - f->nv : f->rest + j - f->nv - f->nx;
}

static flx_status put_E(form *f)
{
    flx_finding_table *t = add(f, "E", f->size, f->size);
    if (!t) return FLX_ERR_MEMORY;
    for (int i = 0; i < 2 * f->nv; i++) t->values[(size_t)i * (size_t)f->size + (size_t)i] = 1.0;
    for (int i = 0; i < f->nx; i++) {
        size_t row = (size_t)(2 * f->nv + i);
        t->values[row * (size_t)f->size + (size_t)(f->x + i)] = 1.0;
    }
    return FLX_OK;
}

static flx_status put_A(form *f)
{
    size_t size = (size_t)f->size;
    flx_finding_table *t = add(f, "A", f->size, f->size);
    double *Q = flx_arena_take(f->r->arena, (size_t)f->n * (size_t)f->n + 1, sizeof *Q);
    if (!t || !Q) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->nv; i++) {
        t->values[(size_t)i * size + (size_t)(f->p + i)] = 1.0;
        t->values[(size_t)(f->nv + i) * size + (size_t)(f->acc + i)] = 1.0;
    }
    for (int i = 0; i < f->nx; i++)
        t->values[(size_t)(2 * f->nv + i) * size + (size_t)(f->d + i)] = 1.0;
    for (int k = 0; k < 3; k++) {
        flx_quadratic_spread(&f->r->q, k, Q);
        for (int j = 0; j < f->n; j++) {
            int at = k == 0   ? place_of(f, j)
                     : k == 1 ? (j < f->nv ? f->p + j : f->d + j - f->nv)
                              : f->acc + j;
            if ((k == 1 && j >= f->nv + f->nx) || (k == 2 && j >= f->nv)) continue; // no rates
            for (int i = 0; i < f->n; i++)
                t->values[(size_t)(2 * f->nv + f->nx + i) * size + (size_t)at] -=
                    Q[(size_t)j * (size_t)f->n + (size_t)i];
        }
    }
    return FLX_OK;
}

static flx_status put_B(form *f, const char *name, const double *R, bool always)
{
    int nin = f->r->io.keys->nin;
    bool any = always;
    for (int i = 0; R && i < f->n * nin; i++) any = any || R[i] != 0.0;
    if (!any || nin == 0) return FLX_OK;
    flx_finding_table *t = add(f, name, f->size, nin);
    if (!t) return FLX_ERR_MEMORY;
    for (int i = 0; R && i < f->n; i++) {
        for (int k = 0; k < nin; k++)
            t->values[(2 * f->nv + f->nx + i) * nin + k] = -R[i * nin + k];
    }
    return FLX_OK;
}

static flx_status put_D(form *f, const char *name, const double *D, bool always)
{
    int n = f->r->io.keys->nin * f->r->io.keys->nout;
    bool any = always;
    for (int i = 0; D && i < n; i++) any = any || D[i] != 0.0;
    if (!any || n == 0) return FLX_OK;
    flx_finding_table *t = add(f, name, f->r->io.keys->nout, f->r->io.keys->nin);
    if (!t) return FLX_ERR_MEMORY;
    if (D) memcpy(t->values, D, (size_t)n * sizeof *D);
    return FLX_OK;
}

// row += h v_i, or h a_i; W, L: of the block that i is in, from first on, of n velocities; NULL: at rest.
static void add_rate(const form *f, double *row, double h, int i, bool acceleration, int first,
                     int n, const double *W, const double *L)
{
    if (!acceleration) {
        row[f->p + i] += h;
        for (int j = 0; W && j < n; j++) row[first + j] += h * W[(i - first) * n + j];
        return;
    }
    row[f->acc + i] += h;
    for (int j = 0; W && j < n; j++) {
        row[f->p + first + j] += h * (W[(i - first) * n + j] + L[(i - first) * n + j]);
        for (int k = 0; k < n; k++) row[first + j] += h * L[(i - first) * n + k] * W[k * n + j];
    }
}

// The block of velocities that i is in, and its W and L.
static void find_block(const form *f, int i, int *first, int *n, const double **W, const double **L)
{
    const flx_pattern *p = &f->r->q.pattern;
    const double *at = f->r->f.brackets;
    for (int b = 0; b < p->nblock; b++) {
        *first = p->start[b];
        *n = p->start[b + 1] - *first;
        *W = at;
        *L = at ? at + *n * *n : NULL;
        if (i < p->start[b + 1]) return;
        if (at) at += 2 * *n * *n;
    }
}

static flx_status put_C(form *f)
{
    const flx_read_slopes *H = &f->r->slopes.H;
    int start[FLX_READS + 1], nout = f->r->io.keys->nout;
    if (nout == 0) return FLX_OK;
    flx_finding_table *t = add(f, "C", nout, f->size);
    if (!t) return FLX_ERR_MEMORY;
    flx_reads_of(&f->r->sys->dims, start);
    for (int o = 0; o < nout; o++) {
        double *row = t->values + (size_t)o * (size_t)f->size;
        for (int e = H->row[o]; e < H->row[o + 1]; e++) {
            int part = 0, first = 0, n = 0;
            const double *W = NULL, *L = NULL;
            while (H->col[e] >= start[part + 1]) part++;
            int i = H->col[e] - start[part];
            double h = H->value[e];
            if (part == FLX_READ_V || part == FLX_READ_A) {
                find_block(f, i, &first, &n, &W, &L);
                add_rate(f, row, h, i, part == FLX_READ_A, first, n, W, L);
            } else if (part == FLX_READ_THETA) {
                row[i] += h;
            } else if (part == FLX_READ_X) {
                row[f->x + i] += h;
            } else if (part == FLX_READ_DX) {
                row[f->d + i] += h;
            } else { // w, lambda, mu follow one another in both
                row[f->rest + H->col[e] - start[FLX_READ_W]] += h;
            }
        }
    }
    return FLX_OK;
}

static flx_status tell(form *f)
{
    const flx_dims *d = &f->r->sys->dims;
    FLX_TRY(flx_finding_line(
        f->sim, f->out,
        "E z' = A z + B u, y = C z + D u; z: %d positions, their rates, their second derivatives, "
        "%d first-order states, their rates, %d algebraic unknowns, %d multipliers of constraints, "
        "%d of velocity-level ones",
        d->nv, d->nx, d->nw, d->nlam, d->nmu));
    if (!f->r->steady)
        FLX_TRY(flx_finding_line(f->sim, f->out,
                                 "the motion is not steady: the coefficients are those of this "
                                 "instant"));
    return FLX_OK;
}

static flx_status put_all(form *f)
{
    const flx_io_slopes *s = &f->r->slopes;
    if (f->size > MOST) {
        return FLX_FAIL(f->sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the descriptor form has %d unknowns, and its matrices are written whole: "
                        "%d are the most",
                        f->size, MOST);
    }
    FLX_TRY(tell(f));
    FLX_TRY(put_E(f));
    FLX_TRY(put_A(f));
    FLX_TRY(put_B(f, "B", s->R[0], true));
    FLX_TRY(put_B(f, "B1", s->R[1], false));
    FLX_TRY(put_B(f, "B2", s->R[2], false));
    FLX_TRY(put_C(f));
    FLX_TRY(put_D(f, "D", s->D[0], true));
    FLX_TRY(put_D(f, "D1", s->D[1], false));
    return put_D(f, "D2", s->D[2], false);
}

flx_status flx_descriptor_form(flx_task *t, const flx_io_keys *keys, flx_finding *out)
{
    flx_response r;
    FLX_TRY(flx_response_create(t->sim, t->place.own, keys, &r));
    form f = {.sim = t->sim, .out = out, .r = &r, .nv = r.q.nv, .nx = r.q.nx, .n = r.q.n};
    f.p = f.nv;
    f.acc = 2 * f.nv;
    f.x = 3 * f.nv;
    f.d = f.x + f.nx;
    f.rest = f.d + f.nx;
    f.size = f.n + 2 * f.nv + f.nx;
    flx_status status = put_all(&f);
    flx_response_destroy(&r);
    return status;
}
