// index1.c - the matrix of index1.h on a system's pattern, and Newton's iteration with it.
#include "math/index1.h"

#include "base/common.h"
#include "math/lu.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 40
#define MOST_USUAL 8 // of them
// Corrections of this part of the largest value of their kind are rounding,
#define ROUNDING (64.0 * DBL_EPSILON)
// ... and those that shrink no more if they are not larger than this.
#define STAGNATED 1e-10

typedef struct row { // a constraint or velocity-level constraint
    double sigma, tau;
    double yield; // sigma/tau; 0: no damper, or one that is left out
    bool soft;    // C > 0, E > 0, and not held; or open
    int own;      // of a group that opens and closes: place of its diagonal; -1: of none
} row;

struct flx_index1 {
    const flx_system *sys; // borrowed
    flx_blocks blocks;     // owned, in one piece
    flx_lu *lu;            // or:
    void *own;             // the system's factors, where its pattern leaves something out
    double *values;        // on the pattern
    double *unit;          // (n) of unknowns in it, powers of two: the LU judges it by its pivots
    row *rows;             // (nlam + nmu)
    double *r, *d;         // (n)
    double *bias, *rate;   // (nlam + nmu) (nlam)
    int worst;             // unknown of the last correction
    bool switched;         // some rows open and close
};

// ---- life -----------------------------------------------------------------------------------

void flx_index1_destroy(flx_index1 **m)
{
    if (!m || !*m) return;
    flx_lu_destroy(&(*m)->lu);
    if ((*m)->own) (*m)->sys->ops->factors_destroy((*m)->own);
    flx_free((*m)->blocks.A0);
    flx_free((*m)->values);
    flx_free((*m)->unit);
    flx_free((*m)->rows);
    flx_free((*m)->r);
    flx_free((*m)->d);
    flx_free((*m)->bias);
    flx_free((*m)->rate);
    flx_free(*m);
    *m = NULL;
}

void flx_index1_renew(flx_index1 *m)
{
    const flx_system *s = m->sys;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u;
        s->ops->unknown(s, flx_dims_first_constraint(d) + i, &u);
        bool constraint = i < d->nlam;
        double tau = constraint ? u.tau : 0.0;
        m->rows[i] = (row){u.sigma, tau, tau != 0.0 ? u.sigma / tau : 0.0,
                           constraint ? u.C != 0.0 : u.E != 0.0, -1};
        int tangent, unknown = flx_dims_first_constraint(d) + i;
        if (!s->ops->contacts || s->ops->contacts->of_unknown(s, unknown, &tangent) < 0) continue;
        m->rows[i].own = flx_pattern_slot(&s->pattern, unknown, unknown);
        m->switched = true;
    }
}

// A row that is open has nothing but its diagonal: the linearisation tells.
static void find_open(flx_index1 *m)
{
    const flx_dims *d = &m->sys->dims;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        row *k = m->rows + i;
        if (k->own >= 0) k->soft = m->blocks.A0[k->own] != 0.0;
    }
}

static flx_status make(flx_index1 *m)
{
    const flx_system *s = m->sys;
    const flx_dims *d = &s->dims;
    const flx_pattern *p = &s->pattern;
    size_t n = (size_t)flx_dims_unknowns(d), nb = (size_t)d->nlam + (size_t)d->nmu;
    size_t nvalue = (size_t)p->offset[p->row[p->nblock]];
    size_t whole = nvalue + (size_t)p->extra;
    double *all = flx_alloc(s->ctx, 3 * whole, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    m->blocks = (flx_blocks){all, all + whole, all + 2 * whole};
    m->values = flx_alloc(s->ctx, nvalue, sizeof *m->values);
    m->unit = flx_alloc(s->ctx, n, sizeof *m->unit);
    m->rows = flx_alloc(s->ctx, nb, sizeof *m->rows);
    m->r = flx_alloc(s->ctx, n, sizeof *m->r);
    m->d = flx_alloc(s->ctx, n, sizeof *m->d);
    m->bias = flx_alloc(s->ctx, nb, sizeof *m->bias);
    m->rate = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *m->rate);
    if (!m->values || !m->unit || !m->rows || !m->r || !m->d || !m->bias || !m->rate)
        return FLX_ERR_MEMORY;
    flx_index1_renew(m);
    if (p->extra == 0) return flx_lu_create(s->ctx, p, false, &m->lu);
    m->own = s->ops->factors_create(s, false);
    return m->own ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_index1_create(const flx_system *s, flx_index1 **m)
{
    *m = flx_alloc(s->ctx, 1, sizeof **m);
    if (!*m) return FLX_ERR_MEMORY;
    (*m)->sys = s;
    flx_status status = make(*m);
    if (status != FLX_OK) flx_index1_destroy(m);
    return status;
}

void flx_index1_hold(flx_index1 *m, const bool *soft, const double *yield)
{
    const flx_dims *d = &m->sys->dims;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        m->rows[i].soft = soft[i];
        if (i < d->nlam) m->rows[i].yield = yield[i];
    }
}

// ---- matrix ---------------------------------------------------------------------------------

// One entry of the pattern: rows from i0, columns from j0.
typedef struct entry {
    int o, i0, nr, j0, nc;
} entry;

static entry entry_at(const flx_pattern *p, int i, int n)
{
    int j = p->col[n];
    return (entry){p->offset[n], p->start[i], p->start[i + 1] - p->start[i], p->start[j],
                   p->start[j + 1] - p->start[j]};
}

static bool is_state(const flx_dims *d, int i)
{
    return i >= d->nv && i < d->nv + d->nx;
}

// Numbers of one row of an entry from one of the parts, times a factor; NULL: zeros.
static void put(const entry *e, int k, const double *A, double factor, double *values)
{
    double *out = values + e->o + k * e->nc;
    for (int c = 0; c < e->nc; c++) out[c] = A ? factor * A[e->o + k * e->nc + c] : 0.0;
}

static void fill_row(const flx_dims *d, const entry *e, int k, const flx_blocks *b, const row *rows,
                     double *values)
{
    int i = e->i0 + k, first = flx_dims_first_constraint(d);
    bool by_velocity = e->j0 < d->nv, by_state = is_state(d, e->j0);
    const double *A = by_velocity || by_state ? NULL : b->A0;
    double factor = 1.0;
    if (is_state(d, i)) A = NULL;
    if (i < d->nv && by_velocity) A = b->A2;
    if (i >= first && !rows[i - first].soft) {
        const row *s = rows + (i - first);
        bool velocity = i >= first + d->nlam;
        A = !by_velocity ? NULL : velocity || s->tau != 0.0 ? b->A1 : b->A0;
        factor = velocity ? 1.0 : s->tau != 0.0 ? 1.0 / s->tau : 1.0 / s->sigma;
    }
    put(e, k, A, factor, values);
    if (is_state(d, i) && i >= e->j0 && i < e->j0 + e->nc) {
        values[e->o + k * e->nc + i - e->j0] = 1.0;
    }
}

static void fill(const flx_dims *d, const flx_pattern *p, const flx_blocks *b, const row *rows,
                 double *values)
{
    for (int i = 0; i < p->nblock; i++) {
        for (int n = p->row[i]; n < p->row[i + 1]; n++) {
            entry e = entry_at(p, i, n);
            for (int k = 0; k < e.nr; k++) fill_row(d, &e, k, b, rows, values);
        }
    }
}

// Minus the residual: r of velocities, algebraic rows and soft constraints, and G a + bias of the others.
static void set_rhs(const flx_dims *d, const flx_pattern *p, const double *values, const row *rows,
                    const double *r, const double *bias, const double *a, double *rhs)
{
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    for (int i = 0; i < n; i++) {
        bool rigid = i >= first && !rows[i - first].soft;
        rhs[i] = is_state(d, i) ? 0.0 : rigid ? -bias[i - first] : -r[i];
    }
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1] && p->start[i] >= first; e++) {
            int j = p->col[e], j0 = p->start[j], nc = p->start[j + 1] - j0;
            if (j0 >= d->nv) break; // columns ascend
            for (int k = p->start[i]; k < p->start[i + 1]; k++) {
                if (rows[k - first].soft) continue;
                const double *G = values + p->offset[e] + (k - p->start[i]) * nc;
                for (int c = 0; c < nc; c++) rhs[k] -= G[c] * a[j0 + c];
            }
        }
    }
}

// Units in which masses are one and so are the columns of multipliers beside them: in mm, g and ms inertias are 1e9 times
// what constraints are made of. Rows are scaled by the LU.

// Of velocities: the roots of their masses; zero where there is none.
static void weigh_velocities(const entry *e, const double *values, double *unit)
{
    if (e->i0 != e->j0) return;
    for (int k = 0; k < e->nr; k++) {
        double mass = fabs(values[e->o + k * e->nc + k]);
        unit[e->i0 + k] = mass > 0.0 ? ldexp(1.0, -(ilogb(mass) / 2)) : 0.0;
    }
}

static void weigh_column(const entry *e, const double *values, double *unit)
{
    for (int k = 0; k < e->nr * e->nc; k++) {
        double *most = unit + e->j0 + k % e->nc;
        *most = fmax(*most, unit[e->i0 + k / e->nc] * fabs(values[e->o + k]));
    }
}

static void set_units(const flx_dims *d, const flx_pattern *p, double *values, double *unit)
{
    int n = flx_dims_unknowns(d), forces = d->nv + d->nx;
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int pass = 0; pass < 2; pass++) { // the second reads what the first has found
        for (int i = 0; i < p->nblock && p->start[i] < d->nv; i++) {
            for (int k = p->row[i]; k < p->row[i + 1]; k++) {
                entry e = entry_at(p, i, k);
                if (pass == 0) weigh_velocities(&e, values, unit);
                if (pass == 1 && e.j0 >= forces) weigh_column(&e, values, unit);
            }
        }
    }
    for (int j = 0; j < n; j++) {
        if (j >= forces && unit[j] > 0.0) unit[j] = ldexp(1.0, -ilogb(unit[j]));
        if (!(unit[j] > 0.0) || !isfinite(unit[j])) unit[j] = 1.0;
    }
    for (int i = 0; i < p->nblock; i++) {
        for (int k = p->row[i]; k < p->row[i + 1]; k++) {
            entry e = entry_at(p, i, k);
            for (int l = 0; l < e.nr * e.nc; l++) values[e.o + l] *= unit[e.j0 + l % e.nc];
        }
    }
}

// By the system's own factors: columns of algebraic unknowns and multipliers have the weight of positions, rigid rows
// that of what they hold.
static flx_status solve_own(flx_index1 *m)
{
    static const double c[4] = {FLX_SMALL_POSITION, FLX_SMALL_RATE, 1.0, 1.0};
    const flx_system *s = m->sys;
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    for (int i = first; i < n; i++) {
        const row *k = m->rows + (i - first);
        bool rate = i >= first + d->nlam;
        if (!k->soft) {
            m->d[i] *= rate            ? FLX_SMALL_RATE
                       : k->tau != 0.0 ? k->tau * FLX_SMALL_RATE
                                       : k->sigma * FLX_SMALL_POSITION;
        }
    }
    FLX_TRY(s->ops->factor(s, &m->blocks, c, NULL, NULL, m->own));
    FLX_TRY(s->ops->solve(s, m->own, m->d, NULL));
    for (int i = d->nv + d->nx; i < n; i++) m->d[i] *= FLX_SMALL_POSITION;
    return FLX_OK;
}

// ---- iteration ------------------------------------------------------------------------------

// The largest force of inertia, by the diagonal of the masses: multipliers that are rounding beside it are zero.
static double inertia_of(const flx_system *s, const double *A2, const double *a)
{
    const flx_pattern *p = &s->pattern;
    double most = 0.0;
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        int n = p->start[i + 1] - p->start[i], e = p->row[i];
        while (p->col[e] != i) e++;
        for (int k = 0; k < n; k++) {
            most = fmax(most, fabs(A2[p->offset[e] + k * n + k] * a[p->start[i] + k]));
        }
    }
    return most;
}

// x += d; returns the largest d as a part of the largest x, before or after, or of `least`.
static double add(double *x, const double *d, int n, double least)
{
    double size = least, most = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
        x[i] += d[i];
        size = fmax(size, fabs(x[i]));
        most = fmax(most, fabs(d[i]));
        if (!isfinite(d[i])) return HUGE_VAL;
    }
    return most > 0.0 ? most / size : 0.0;
}

// The largest correction, of a multiplier where there is one: forces that read it are what does not settle.
static int find_worst(const flx_dims *d, const double *by)
{
    int n = flx_dims_unknowns(d), from = n > d->nv + d->nx ? d->nv + d->nx : 0, worst = from;
    for (int i = from; i < n; i++) {
        if (!(fabs(by[i]) <= fabs(by[worst]))) worst = i;
    }
    return n > 0 ? worst : -1;
}

int flx_index1_worst(const flx_index1 *m)
{
    return m->worst;
}

// One correction; returns its size as a part of what is corrected.
static double largest(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

static flx_status correct(flx_index1 *m, flx_work *work, flx_state *x, int round, double *size)
{
    const flx_system *s = m->sys;
    const flx_dims *d = &s->dims;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->residual(s, work, &p, m->r));
    FLX_TRY(s->ops->linearise(s, work, &p, &m->blocks));
    if (m->switched) find_open(m);
    if (d->nlam + d->nmu > 0) FLX_TRY(s->ops->constraint_bias(s, work, &p, m->bias));
    if (d->nlam > 0) FLX_TRY(s->ops->constraint_rate(s, work, &p, m->rate));
    for (int i = 0; i < d->nlam; i++) { // d/dt of sigma g + tau g' = 0
        const row *k = m->rows + i;
        if (!k->soft) m->bias[i] += k->yield * m->rate[i];
    }
    fill(d, &s->pattern, &m->blocks, m->rows, m->values);
    set_rhs(d, &s->pattern, m->values, m->rows, m->r, m->bias, x->a, m->d);
    if (m->own) {
        FLX_TRY(solve_own(m));
    } else {
        set_units(d, &s->pattern, m->values, m->unit);
        FLX_TRY(flx_lu_factor(m->lu, m->values));
        flx_lu_solve(m->lu, m->d);
        for (int i = 0; i < flx_dims_unknowns(d); i++) m->d[i] *= m->unit[i];
    }
    m->worst = find_worst(d, m->d);
    const double *by = m->d + d->nv + d->nx;
    double moved = inertia_of(s, m->blocks.A2, m->d);
    // with a contact open a body may fly freely: what turns is accelerated by the rounding of its turning
    double turning = m->switched ? largest(x->v, d->nv) : 0.0;
    *size = add(x->a, m->d, d->nv, turning * turning);
    double least = inertia_of(s, m->blocks.A2, x->a);
    // forces that balance leave accelerations that are their rounding
    double forces = fmax(largest(x->lam, d->nlam), largest(x->mu, d->nmu));
    if (round >= MOST_USUAL && moved <= ROUNDING * forces) {
        *size = 0.0;
        least = fmax(least, forces);
    }
    // an algebraic unknown that is zero has what small weights leave there
    *size = fmax(*size, add(x->w, by, d->nw, FLX_SMALL_RATE));
    *size = fmax(*size, add(x->lam, by + d->nw, d->nlam, least));
    *size = fmax(*size, add(x->mu, by + d->nw + d->nlam, d->nmu, least));
    return *size < HUGE_VAL ? FLX_OK : FLX_NOT_FINITE;
}

flx_status flx_index1_solve(flx_index1 *m, flx_work *work, flx_state *x, long *residuals,
                            long *linearisations)
{
    const flx_system *s = m->sys;
    const flx_dims *d = &s->dims;
    double last = HUGE_VAL;
    memset(x->dx, 0, (size_t)d->nx * sizeof *x->dx);
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        double size = 0.0;
        FLX_TRY(correct(m, work, x, k, &size));
        ++*residuals;
        ++*linearisations;
        bool done = size <= ROUNDING || (size <= STAGNATED && size > 0.1 * last);
        last = size;
        if (!done) continue;
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->residual(s, work, &p, m->r));
        ++*residuals;
        for (int i = 0; i < d->nx; i++) x->dx[i] = -m->r[d->nv + i];
        return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}

void flx_index1_memory(flx_index1 *m, flx_memory *memory)
{
    if (m->lu) flx_lu_memory(m->lu, memory);
    if (m->own && m->sys->ops->factors_memory) m->sys->ops->factors_memory(m->own, memory);
}
