// saddle.c - the matrix of projections and accelerations (SAD-1).
#include "integrate/saddle.h"

#include "base/arrays.h"
#include "integrate/pivoted.h"
#include "math/ldl/ldl.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Refinement ends at this backward error, or after so many sweeps.
#define BACKWARD_ERROR 1e-15
#define SWEEPS 4
// A derivative that is this part of the others of its row is their rounding.
#define ROUNDING (64.0 * DBL_EPSILON)

struct flx_saddle {
    const flx_system *sys; // borrowed
    int n, version;
    bool stale; // numbers of rows and unknowns are to be read: many are made that never factor
    flx_pattern filled; // what of the system's pattern can differ from zero here
    int *filled_owned;
    void *block; // of the arrays that follow from the system, not from its pattern
    flx_ldl *ldl;
    signed char *sign;   // (nblock)
    bool *active;        // (n) rows of constraints that take part
    double *sigma, *tau; // (n) of constraints; (0, 1) of velocity-level constraints
    bool *rigid, *held;  // (n) C = 0, E = 0; as if
    bool *absent;        // (n) as if they were not there
    int *own_entry;   // (n) rows of groups that open and close: place of their diagonal; -1: others
    double *diagonal; // (nv) of W, for the size of the damping
    double *reach, *scale; // (n), (nv) of flx_unknown
    double left;           // least part, squared, of its reach that is left of a row
    double *values, *work; // on the pattern; (2 n)
    void *own;             // the system's factors, where its pattern leaves something out
    bool by_own;           // the last factors are these
    signed char *left_out; // (n)
};

void flx_saddle_destroy(flx_saddle **sd)
{
    if (!sd || !*sd) return;
    flx_saddle *s = *sd;
    if (s->own) s->sys->ops->factors_destroy(s->own);
    flx_free(s->left_out);
    flx_ldl_destroy(&s->ldl);
    flx_free(s->filled_owned);
    flx_free(s->sign);
    flx_free(s->block);
    flx_free(s->values);
    flx_free(s);
    *sd = NULL;
}

// Inertia couples far fewer bodies than forces do, and constraints see bodies alone: worth a pattern of its own
// where forces couple many.
static bool is_filled(const flx_saddle *sd, int e, int i, int j)
{
    enum { HAS_A2 = 4 }; // flx_pattern.parts
    const flx_system *s = sd->sys;
    const flx_pattern *p = &s->pattern;
    int nv = s->dims.nv, low = p->start[i < j ? i : j], high = p->start[i < j ? j : i];
    if (i == j) return true;
    if (high < nv) return !p->parts || ((p->parts[e] | p->parts[p->transpose[e]]) & HAS_A2);
    return low < nv && high >= flx_dims_first_constraint(&s->dims);
}

static flx_status select_filled(flx_saddle *sd)
{
    const flx_pattern *p = &sd->sys->pattern;
    if (!flx_ldl_wants_fronts(p)) { // all of it
        sd->filled = *p;
        return FLX_OK;
    }
    unsigned char *keep = flx_alloc(sd->sys->ctx, (size_t)p->row[p->nblock], sizeof *keep);
    if (!keep) return FLX_ERR_MEMORY;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) keep[e] = is_filled(sd, e, i, p->col[e]);
    }
    flx_status status = flx_pattern_select(sd->sys->ctx, p, keep, &sd->filled_owned, &sd->filled);
    flx_free(keep);
    return status;
}

static flx_status make_solver(flx_saddle *sd)
{
    const flx_system *s = sd->sys;
    const flx_pattern *p = &s->pattern;
    flx_ldl_destroy(&sd->ldl);
    flx_free(sd->filled_owned);
    flx_free(sd->sign);
    flx_free(sd->values);
    sd->filled_owned = NULL;
    sd->version = p->version;
    sd->sign = flx_alloc(s->ctx, (size_t)p->nblock, sizeof *sd->sign);
    sd->values = flx_alloc(s->ctx, flx_pattern_size(p), sizeof *sd->values);
    if (!sd->sign || !sd->values) return FLX_ERR_MEMORY;
    for (int i = 0; i < p->nblock; i++)
        sd->sign[i] = p->start[i] < flx_dims_first_constraint(&s->dims) ? 1 : -1;
    sd->stale = true; // places of diagonals
    FLX_TRY(select_filled(sd));
    return flx_ldl_create(s->ctx, &sd->filled, sd->sign, false, &sd->ldl);
}

static void find_switched(flx_saddle *sd)
{
    const flx_system *s = sd->sys;
    for (int i = 0; i < sd->n; i++) sd->own_entry[i] = -1;
    if (!s->ops->contacts) return;
    for (int i = flx_dims_first_constraint(&s->dims); i < sd->n; i++) {
        int tangent;
        if (s->ops->contacts->of_unknown(s, i, &tangent) < 0) continue;
        sd->own_entry[i] = flx_pattern_slot(&s->pattern, i, i);
    }
}

static void read_numbers(flx_saddle *sd)
{
    const flx_system *s = sd->sys;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        sd->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    for (int i = flx_dims_first_constraint(&s->dims); i < sd->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        bool constraint = u.kind == FLX_UNKNOWN_CONSTRAINT;
        sd->sigma[i] = constraint ? u.sigma : 0.0;
        sd->tau[i] = constraint ? u.tau : 1.0;
        sd->rigid[i] = constraint ? u.C == 0.0 : u.E == 0.0;
        sd->reach[i] = u.reach;
    }
    find_switched(sd);
    sd->stale = false;
}

void flx_saddle_renew(flx_saddle *sd)
{
    sd->stale = true;
}

static flx_status make(flx_saddle *sd)
{
    const flx_system *s = sd->sys;
    size_t n = (size_t)sd->n, nv = (size_t)s->dims.nv;
    const flx_array arrays[] = {
        FLX_ARRAY(sd->active, n),    FLX_ARRAY(sd->rigid, n),     FLX_ARRAY(sd->held, n),
        FLX_ARRAY(sd->absent, n),    FLX_ARRAY(sd->own_entry, n), FLX_ARRAY(sd->sigma, n),
        FLX_ARRAY(sd->tau, n),       FLX_ARRAY(sd->reach, n),     FLX_ARRAY(sd->scale, nv),
        FLX_ARRAY(sd->diagonal, nv), FLX_ARRAY(sd->work, 2 * n)};
    sd->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!sd->block) return FLX_ERR_MEMORY;
    if (s->pattern.extra > 0) {
        sd->own = s->ops->factors_create(s, false);
        sd->left_out = flx_alloc(s->ctx, n, sizeof *sd->left_out);
        if (!sd->own || !sd->left_out) return FLX_ERR_MEMORY;
    }
    return make_solver(sd);
}

flx_status flx_saddle_create(const flx_system *s, flx_saddle **sd)
{
    *sd = NULL;
    flx_saddle *x = flx_alloc(s->ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->sys = s;
    x->n = flx_dims_unknowns(&s->dims);
    flx_status status = make(x);
    if (status != FLX_OK) flx_saddle_destroy(&x);
    *sd = x;
    return status;
}

// ---- filling --------------------------------------------------------------------------------

// A row that is open has nothing but its diagonal: the linearisation tells.
static void choose_rows(flx_saddle *sd, const flx_blocks *b, flx_saddle_rows rows)
{
    for (int i = flx_dims_first_constraint(&sd->sys->dims); i < sd->n; i++) {
        bool some = sd->sigma[i] != 0.0 || sd->tau[i] != 0.0;
        sd->active[i] = (sd->rigid[i] || sd->held[i]) && some;
        if (rows == FLX_ROWS_POSITION && sd->tau[i] != 0.0) sd->active[i] = false;
        if (sd->absent[i]) sd->active[i] = false;
        if (sd->own_entry[i] >= 0 && b->A0[sd->own_entry[i]] != 0.0) sd->active[i] = false;
    }
}

// Block (i, j) of velocities: W.
static void fill_metric(flx_saddle *sd, const flx_blocks *b, int e, int i, int j,
                        const flx_saddle_metric *m)
{
    const flx_pattern *p = &sd->filled;
    int i0 = p->start[i], j0 = p->start[j], k = p->offset[e];
    for (int r = i0; r < p->start[i + 1]; r++) {
        for (int c = j0; c < p->start[j + 1]; c++, k++) {
            double w = m->without_mass ? 0.0 : b->A2[k];
            if (r == c && m->shift) w += m->shift[r];
            if (m->weight) w *= sqrt(m->weight[r] * m->weight[c]);
            sd->values[k] = w;
            if (r == c) sd->diagonal[r] = w;
        }
    }
}

static bool is_light(const flx_saddle *sd, int j)
{
    const flx_pattern *p = &sd->sys->pattern;
    for (int c = p->start[j]; c < p->start[j + 1]; c++) {
        if (sd->diagonal[c] == 0.0) return true;
    }
    return false;
}

// Derivatives along velocities without inertia that are rounding of the row's others: in a column of
// nothing else they would be scaled to one, and the column would look determined.
static void drop_rounding(const flx_saddle *sd, int first, int n, double *g)
{
    double most = 0.0;
    for (int c = 0; c < n; c++) most = fmax(most, fabs(g[c]) * sd->scale[first + c]);
    for (int c = 0; c < n; c++) {
        if (sd->diagonal[first + c] != 0.0) continue;
        if (fabs(g[c]) * sd->scale[first + c] <= ROUNDING * most) g[c] = 0.0;
    }
}

// Block (i, j) of constraint rows and velocities: G or A; and its transpose.
static void fill_constraints(flx_saddle *sd, const flx_blocks *b, int e, int i, int j)
{
    const flx_pattern *p = &sd->filled;
    int nr = p->start[i + 1] - p->start[i], nc = p->start[j + 1] - p->start[j];
    double *G = sd->values + p->offset[e], *Gt = sd->values + p->offset[p->transpose[e]];
    const double *A0 = b->A0 + p->offset[e], *A1 = b->A1 + p->offset[e];
    bool light = is_light(sd, j);
    for (int r = 0; r < nr; r++) {
        int row = p->start[i] + r;
        for (int c = 0; c < nc; c++) {
            int k = r * nc + c;
            double g = sd->tau[row] != 0.0 ? A1[k] / sd->tau[row] : A0[k] / sd->sigma[row];
            G[k] = sd->active[row] ? g : 0.0;
        }
        if (light) drop_rounding(sd, p->start[j], nc, G + r * nc);
        for (int c = 0; c < nc; c++) Gt[c * nr + r] = G[r * nc + c];
    }
}

// Diagonal block of constraint rows: minus the damping, minus one for rows left out. A row may vanish as a whole:
// what is left of it is told by its reach, in the metric of the scales.
static void fill_damping(flx_saddle *sd, int i, double damping, bool by_scales)
{
    const flx_pattern *p = &sd->filled;
    int nr = p->start[i + 1] - p->start[i], diagonal = -1;
    for (int e = p->row[i]; e < p->row[i + 1]; e++) {
        if (p->col[e] == i) diagonal = e;
    }
    for (int r = 0; r < nr; r++) {
        int row = p->start[i] + r;
        double size = 0.0, reach = sd->active[row] ? sd->reach[row] * sd->reach[row] : 0.0;
        for (int e = p->row[i]; e < p->row[i + 1] && (damping > 0.0 || reach > 0.0); e++) {
            int j = p->col[e], nc = p->start[j + 1] - p->start[j];
            if (p->start[j] >= sd->sys->dims.nv) continue;
            const double *g = sd->values + p->offset[e] + r * nc;
            for (int c = 0; c < nc; c++) size += g[c] * g[c] / sd->diagonal[p->start[j] + c];
        }
        if (reach > 0.0 && by_scales) {
            sd->left = fmin(sd->left, size / reach);
            size = fmax(size, reach);
        }
        double d = sd->active[row] ? damping * size : 1.0;
        sd->values[p->offset[diagonal] + r * nr + r] = -d;
    }
}

static void fill(flx_saddle *sd, const flx_blocks *b, const flx_saddle_metric *m)
{
    const flx_system *s = sd->sys;
    const flx_pattern *p = &sd->filled;
    int nv = s->dims.nv, fb = flx_dims_first_constraint(&s->dims);
    memset(sd->values, 0, flx_pattern_size(p) * sizeof *sd->values);
    sd->left = 1.0;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], nr = p->start[i + 1] - p->start[i];
            if (p->start[i] < nv && p->start[j] < nv) {
                fill_metric(sd, b, e, i, j, m);
            } else if (p->start[i] >= fb && p->start[j] < nv) {
                fill_constraints(sd, b, e, i, j);
            } else if (i == j && p->start[i] < fb) { // states and algebraic unknowns: apart
                for (int r = 0; r < nr; r++) sd->values[p->offset[e] + r * nr + r] = 1.0;
            }
        }
    }
    for (int i = 0; i < p->nblock; i++) {
        if (p->start[i] >= fb) fill_damping(sd, i, m->damping, m->without_mass);
    }
}

// ---- by the system itself -------------------------------------------------------------------

// The factor of a row of constraints in the Newton matrix of these weights.
static double own_weight(const flx_saddle *sd, int i)
{
    if (sd->tau[i] != 0.0) return sd->tau[i] * FLX_SMALL_RATE;
    return sd->sigma[i] * FLX_SMALL_POSITION;
}

// With these weights the Newton matrix of a system is (SAD-1), its mass the metric.
static flx_status factor_own(flx_saddle *sd, const flx_blocks *b)
{
    const flx_system *s = sd->sys;
    const double c[4] = {FLX_SMALL_POSITION, FLX_SMALL_RATE, 1.0, 1.0};
    for (int i = s->dims.nv; i < sd->n; i++) sd->left_out[i] = !sd->active[i];
    sd->by_own = true;
    return s->ops->factor(s, b, c, NULL, sd->left_out, sd->own);
}

static void solve_own(flx_saddle *sd, double *b)
{
    const flx_system *s = sd->sys;
    for (int i = flx_dims_first_constraint(&s->dims); i < sd->n; i++) {
        if (sd->active[i]) b[i] *= own_weight(sd, i);
    }
    s->ops->solve(s, sd->own, b, NULL);
    for (int i = flx_dims_first_constraint(&s->dims); i < sd->n; i++)
        b[i] *= FLX_SMALL_POSITION; // as their columns
}

// ---- use ------------------------------------------------------------------------------------

void flx_saddle_hold(flx_saddle *sd, int i, bool held)
{
    sd->held[i] = held;
}

void flx_saddle_leave_out(flx_saddle *sd, int i, bool out)
{
    sd->absent[i] = out;
}

flx_status flx_saddle_fill(flx_saddle *sd, const flx_blocks *b, flx_saddle_rows rows,
                           const flx_saddle_metric *metric)
{
    if (sd->version != sd->sys->pattern.version) FLX_TRY(make_solver(sd));
    if (sd->stale) read_numbers(sd);
    choose_rows(sd, b, rows);
    fill(sd, b, metric);
    return FLX_OK;
}

flx_status flx_saddle_factor(flx_saddle *sd, const flx_blocks *b, flx_saddle_rows rows,
                             const flx_saddle_metric *metric)
{
    FLX_TRY(flx_saddle_fill(sd, b, rows, metric));
    sd->by_own = false;
    if (sd->own && !metric->without_mass) return factor_own(sd, b); // its mass is enough
    flx_ldl_equilibrate(sd->ldl, sd->values);
    return flx_ldl_factor(sd->ldl, sd->values);
}

static void clear_inactive(const flx_saddle *sd, double *b)
{
    for (int i = sd->sys->dims.nv; i < sd->n; i++) {
        if (!sd->active[i]) b[i] = 0.0;
    }
}

void flx_saddle_solve_once(flx_saddle *sd, double *b)
{
    clear_inactive(sd, b);
    if (sd->by_own) {
        solve_own(sd, b);
    } else {
        flx_ldl_solve(sd->ldl, b);
    }
}

double flx_saddle_solve(flx_saddle *sd, double *b)
{
    clear_inactive(sd, b);
    if (sd->by_own) {
        solve_own(sd, b);
        return 0.0;
    }
    return flx_ldl_solve_refined(sd->ldl, sd->values, b, sd->work, BACKWARD_ERROR, SWEEPS);
}

flx_status flx_saddle_solve_firmly(flx_saddle *sd, double trusted, double *b, double *asked,
                                   double *error)
{
    size_t bytes = (size_t)sd->n * sizeof *b;
    memcpy(asked, b, bytes);
    *error = flx_saddle_solve(sd, b);
    if (*error < trusted || sd->sys->pattern.extra > 0) return FLX_OK;
    FLX_TRY(flx_solve_pivoted(sd->sys, sd->values, asked, error));
    if (*error < trusted) memcpy(b, asked, bytes);
    return FLX_OK;
}

void flx_saddle_constraint_product(const flx_saddle *sd, const double *u, double *out)
{
    const flx_system *s = sd->sys;
    const flx_pattern *p = &sd->filled;
    memset(out, 0, (size_t)sd->n * sizeof *out);
    for (int i = 0; i < p->nblock; i++) {
        if (p->start[i] < flx_dims_first_constraint(&s->dims)) continue;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], k = p->offset[e];
            if (p->start[j] >= s->dims.nv) continue;
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++, k++) {
                    out[r] += sd->values[k] * u[c];
                }
            }
        }
    }
}

void flx_saddle_metric_product(const flx_saddle *sd, const double *u, double *out)
{
    const flx_system *s = sd->sys;
    const flx_pattern *p = &sd->filled;
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], k = p->offset[e];
            if (p->start[j] >= s->dims.nv) break; // columns ascend
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++, k++) {
                    out[r] += sd->values[k] * u[c];
                }
            }
        }
    }
}

bool flx_saddle_active(const flx_saddle *sd, int i)
{
    return sd->active[i];
}

const double *flx_saddle_values(const flx_saddle *sd)
{
    return sd->values;
}

int flx_saddle_regularised(const flx_saddle *sd, int *worst)
{
    if (sd->by_own && !sd->sys->ops->pivots) return 0;
    if (sd->by_own) {
        flx_pivots p = sd->sys->ops->pivots(sd->sys, sd->own);
        if (worst) *worst = p.worst;
        return p.moved;
    }
    flx_ldl_report r = flx_ldl_get_report(sd->ldl);
    if (worst) *worst = r.worst;
    return r.regularised;
}

double flx_saddle_pivot_ratio(const flx_saddle *sd)
{
    if (sd->by_own && !sd->sys->ops->pivots) return 1.0;
    if (sd->by_own) return sd->sys->ops->pivots(sd->sys, sd->own).ratio;
    return fmin(sd->left, flx_ldl_get_report(sd->ldl).pivot_ratio);
}

// ---- checkpoint -----------------------------------------------------------------------------

void flx_saddle_memory(flx_saddle *sd, flx_memory *m)
{
    size_t n = (size_t)sd->n;
    if (sd->stale && flx_memory_loads(m)) read_numbers(sd); // of the factors that are loaded
    FLX_PASS(m, sd->by_own);
    FLX_PASS(m, sd->left);
    flx_memory_pass(m, sd->active, n * sizeof *sd->active);
    flx_memory_pass(m, sd->held, n * sizeof *sd->held);
    flx_memory_numbers(m, sd->diagonal, (size_t)sd->sys->dims.nv);
    flx_memory_numbers(m, sd->values, flx_pattern_size(&sd->sys->pattern));
    if (sd->own) sd->sys->ops->factors_memory(sd->own, m);
    flx_ldl_memory(sd->ldl, true, m);
}
