// quadratic_closed.c - rows of closed contacts that follow from others, as those of a box on four corners: they count as open.
//
// The forces of the state are kept where they bend the equations (geometric stiffness); changes of the forces that these rows would have
// are carried by the others, and no motion is another one. A row of positions is kept rather than one of velocities.
#include "analyse/modes/quadratic.h"

#include "math/dense.h"

#include <math.h>

#define DEPENDENT 1e-9 // pivots against the largest
#define BIAS 0.1       // earlier rows are kept rather than later ones

static bool has_closed(const flx_system *s, const flx_state *x)
{
    const flx_contacts *c = s->ops->contacts;
    for (int i = 0; c && i < c->count(s); i++) {
        flx_contact_group g;
        c->group(s, i, &g);
        if (g.normal >= 0 && x->switches[g.state] > FLX_CONTACT_OPEN) return true;
    }
    return false;
}

static int block_of(const flx_pattern *p, int unknown)
{
    int b = 0;
    while (p->start[b + 1] <= unknown) b++;
    return b;
}

// The row of unknown i in Q_k over velocities, (nv); returns its largest number.
static double take_row(const flx_quadratic *q, int k, int i, double *out)
{
    const flx_pattern *p = &q->pattern;
    int b = block_of(p, i);
    double most = 0.0;
    memset(out, 0, (size_t)q->nv * sizeof *out);
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        int j0 = p->start[p->col[e]], nc = p->start[p->col[e] + 1] - j0;
        const double *a = q->Q[k] + p->offset[e] + (i - p->start[b]) * nc;
        for (int c = 0; c < nc && j0 < q->nv; c++) {
            out[j0 + c] = a[c];
            most = fmax(most, fabs(a[c]));
        }
    }
    return most;
}

// Row and column are those of an open contact.
static void open_row(flx_quadratic *q, int i)
{
    const flx_pattern *p = &q->pattern;
    int b = block_of(p, i), r = i - p->start[b], nr = p->start[b + 1] - p->start[b];
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        int nc = p->start[p->col[e] + 1] - p->start[p->col[e]];
        double *const all[4] = {q->Q[0], q->Q[1], q->Q[2], q->sizes};
        for (int k = 0; k < 4; k++) {
            double *across = all[k] + p->offset[e], *down = all[k] + p->offset[p->transpose[e]];
            for (int c = 0; c < nc; c++) across[r * nc + c] = down[c * nr + r] = 0.0;
        }
    }
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        if (p->col[e] != b) continue;
        q->Q[0][p->offset[e] + r * (nr + 1)] = -1.0;
        q->sizes[p->offset[e] + r * (nr + 1)] = 1.0;
    }
}

// Rigid rows, those of positions first, each of length 1 by the masses.
static int take_rows(const flx_quadratic *q, double *A, int *unknown)
{
    int first = flx_dims_first_constraint(&q->s->dims), n = 0, m = q->n - first;
    for (int i = first; i < q->n; i++) {
        flx_unknown u;
        double *v = A + (size_t)n * (size_t)q->nv, norm = 0.0;
        flx_unknown_at(q->s, q->switches, i, &u);
        if (u.kind == FLX_UNKNOWN_CONSTRAINT ? u.C != 0.0 : u.E != 0.0) continue;
        if (take_row(q, 1, i, v) == 0.0 && take_row(q, 0, i, v) == 0.0) continue;
        for (int c = 0; c < q->nv; c++) {
            v[c] *= q->ease[c];
            norm += v[c] * v[c];
        }
        if (!(norm > 0.0)) continue;
        double by = (1.0 - BIAS * (i - first) / m) / sqrt(norm);
        for (int c = 0; c < q->nv; c++) v[c] *= by;
        unknown[n++] = i;
    }
    return n;
}

flx_status flx_quadratic_open_dependent(flx_quadratic *q, const flx_state *x)
{
    int rank, m = q->s->dims.nlam + q->s->dims.nmu;
    if (!has_closed(q->s, x)) return FLX_OK;
    double *A = flx_alloc(q->ctx, (size_t)m * (size_t)q->nv, sizeof *A);
    int *unknown = flx_alloc(q->ctx, 2 * (size_t)m, sizeof *unknown), *perm = unknown + m;
    flx_status status = A && unknown ? FLX_OK : FLX_ERR_MEMORY;
    int n = status == FLX_OK ? take_rows(q, A, unknown) : 0;
    if (n > 0) status = flx_dense_rank(q->ctx, q->nv, n, A, DEPENDENT, perm, &rank);
    for (int k = n > 0 && status == FLX_OK ? rank : n; k < n; k++) open_row(q, unknown[perm[k]]);
    flx_free(A);
    flx_free(unknown);
    return status;
}
