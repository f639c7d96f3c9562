// descriptor_saddle.c - the matrix [M G^T A^T; G; A] of accelerations and projections, its factors and
// solutions with it: (EXP-1) to (EXP-3). One matrix, one order of elimination.
#include "descriptor/descriptor_parts.h"
#include "math/pattern.h"

#include <float.h>

static bool has_massless_body(const flx_model *m)
{
    for (int i = 0; i < m->nbody; i++) {
        bool elastic = false; // the material has the mass
        for (int k = 0; k < m->nmodal; k++) elastic = elastic || m->modals[k].body == i;
        if (elastic || m->bodies[i].slope) continue;
        const double *J = m->bodies[i].inertia;
        bool rigid = m->bodies[i].type == FLX_BODY_RIGID;
        double inertia = m->dimension == 2 ? J[8] : fmin(J[0], fmin(J[4], J[8]));
        if (!(m->bodies[i].mass > 0) || (rigid && !(inertia > 0))) return true;
    }
    return false;
}

flx_status flx_saddle_prepare(const flx_descriptor *d, flx_descriptor_work *w)
{
    flx_saddle_work *k = &w->saddle;
    if (k->ldl) return FLX_OK;
    k->factored = (double)NAN;
    const flx_pattern *p = &d->base.pattern;
    flx_ctx *ctx = d->base.ctx;
    size_t nvalue = (size_t)p->offset[p->row[p->nblock]];
    size_t n = (size_t)flx_dims_unknowns(&d->base.dims);
    signed char *sign = flx_alloc(ctx, (size_t)p->nblock, 1);
    if (!k->A0) k->A0 = flx_alloc(ctx, nvalue, sizeof(double));
    if (!k->A2) k->A2 = flx_alloc(ctx, nvalue, sizeof(double));
    if (!k->A1 && d->base.dims.nw > 0) k->A1 = flx_alloc(ctx, nvalue, sizeof(double));
    if (!k->rhs) k->rhs = flx_alloc(ctx, n, sizeof(double));
    if (!k->tmp) k->tmp = flx_alloc(ctx, 2 * n, sizeof(double));
    if (!k->states) k->states = flx_alloc(ctx, (size_t)d->ngroup, sizeof(double));
    flx_status status = FLX_ERR_MEMORY;
    bool fine =
        sign && k->A0 && k->A2 && k->rhs && k->tmp && k->states && (k->A1 || d->base.dims.nw == 0);
    if (fine) {
        for (int b = 0; b < p->nblock; b++) sign[b] = p->start[b] < flx_first_lam(d) ? 1 : -1;
        status = flx_ldl_create(ctx, p, sign, false, &k->ldl);
    }
    if (status == FLX_OK && has_massless_body(d->model)) {
        status = flx_lu_create(ctx, p, false, &k->lu);
    }
    if (status == FLX_OK && d->base.reads_multipliers) {
        status = flx_index1_create(&d->base, &k->together);
    }
    if (status != FLX_OK) flx_ldl_destroy(&k->ldl); // all or nothing
    flx_free(sign);
    return status;
}

void flx_saddle_free(flx_descriptor_work *w)
{
    flx_saddle_work *k = &w->saddle;
    flx_ldl_destroy(&k->ldl);
    flx_lu_destroy(&k->lu);
    flx_index1_destroy(&k->together);
    flx_free(k->A0);
    flx_free(k->A1);
    flx_free(k->A2);
    flx_free(k->rhs);
    flx_free(k->tmp);
    flx_free(k->states);
}

void flx_saddle_work_memory(flx_work *work, flx_memory *m)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    flx_saddle_work *k = &w->saddle;
    bool made = k->ldl != NULL; // when first needed
    FLX_PASS(m, made);
    if (made && flx_memory_loads(m)) {
        flx_status status = flx_saddle_prepare(flx_descriptor_of(w->base.system), w);
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    if (!made || !k->ldl) return;
    // factors of a time that is over serve nobody any more
    bool kept = !(isnan(k->factored) || k->factored < m->now);
    FLX_PASS(m, kept);
    FLX_PASS(m, k->by_lu);
    FLX_PASS(m, k->factored);
    if (flx_memory_loads(m) && !kept) k->factored = (double)NAN;
    FLX_PASS(m, k->regularity);
    FLX_PASS(m, k->probed);
    flx_memory_numbers(m, k->states, (size_t)flx_descriptor_of(w->base.system)->ngroup);
    size_t entries = flx_pattern_size(&flx_descriptor_of(w->base.system)->base.pattern);
    if (kept) flx_memory_numbers(m, k->A0, entries);
    if (kept) flx_memory_numbers(m, k->A2, entries);
    flx_ldl_memory(k->ldl, kept, m);
    if (k->lu) flx_lu_memory(k->lu, m);
    if (k->together) flx_index1_memory(k->together, m);
}

// The matrix at p into A0. Unknowns that are neither velocity nor active constraint get a diagonal.
static void assemble(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    flx_saddle_work *k = &w->saddle;
    flx_eval_saddle(d, w, p, k->A0, k->A2);
    for (int r = 0; r < d->touched[1].n; r++) {
        int at = d->touched[1].at[r];
        for (int i = at; i < at + d->touched[1].count[r]; i++) k->A0[i] += k->A2[i];
    }
    for (int i = flx_first_x(d); i < flx_first_lam(d); i++) k->A0[flx_layout_slot(d, i, i)] = 1.0;
    for (int i = flx_first_lam(d); i < flx_dims_unknowns(&d->base.dims); i++) {
        if (flx_row_gives(d, i - flx_first_lam(d), p->switches))
            k->A0[flx_layout_slot(d, i, i)] = -1.0;
    }
}

// Whether a velocity has no mass at all; otherwise a singular matrix is one of position.
static bool has_massless(const flx_descriptor *d, const flx_descriptor_work *w)
{
    for (int i = 0; i < d->base.dims.nv; i++) {
        if (!(w->saddle.A2[flx_layout_slot(d, i, i)] > 0)) return true;
    }
    return false;
}

// The first velocity with neither mass nor constraint, -1 if there is none.
static int find_loose(const flx_descriptor *d, const flx_descriptor_work *w)
{
    const flx_pattern *p = &d->base.pattern;
    for (int i = 0; i < d->base.dims.nv; i++) {
        int bi = d->block_of[i];
        bool empty = true;
        for (int e = p->row[bi]; e < p->row[bi + 1] && empty; e++) {
            int n = p->start[p->col[e] + 1] - p->start[p->col[e]];
            const double *row = w->saddle.A0 + p->offset[e] + (i - p->start[bi]) * n;
            for (int j = 0; j < n && empty; j++) empty = row[j] == 0.0;
        }
        if (empty) return i;
    }
    return -1;
}

// Say what has no mass: where that is not plain, the smallest pivot belongs to an unknown.
static flx_status fail_singular(const flx_descriptor *d, const flx_descriptor_work *w)
{
    flx_unknown u;
    int loose = find_loose(d, w), worst = flx_ldl_get_report(w->saddle.ldl).worst;
    if (!has_massless(d, w)) return FLX_SINGULAR;
    if (loose >= 0) worst = loose;
    d->base.ops->unknown(&d->base, worst < 0 ? 0 : worst, &u);
    return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, u.loc,
                    "'%s' (%s): the masses do not determine the accelerations, which an explicit "
                    "method needs; use generalized-alpha or radau, or give it a mass",
                    u.item ? u.item : "?", u.part ? u.part : "?");
}

// Backward errors: at which refinement ends, and that still is a solution (half the digits).
#define REFINED (64 * DBL_EPSILON)
#define WORST_SOLUTION 1e-8
#define MOST_REFINEMENTS 6

// r = b - A x; returns the largest residual relative to the terms of its kind of row, the larger of
// velocities and constraints. (Row by row would be too strict: a massless body's multipliers are exactly
// zero, and any rounding is then an error of one.) Where everything that constraints hold is at rest, their terms are
// rounding as well: balanced, they are compared with what the forces would give the masses alone.
static double residual_of(const flx_descriptor *d, const double *A, const double *b,
                          const double *x, bool balanced, double *r)
{
    const flx_pattern *p = &d->base.pattern;
    double most[2] = {0, 0}, terms[2] = {0, 0}, free = 0.0;
    for (int bi = 0; bi < p->nblock; bi++) {
        int kind = p->start[bi] >= flx_first_lam(d);
        for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
            double sum = b[i], size = fabs(b[i]);
            for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
                int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
                const double *row = A + p->offset[e] + (i - p->start[bi]) * n;
                for (int j = 0; j < n; j++) {
                    sum -= row[j] * x[j0 + j];
                    size += fabs(row[j] * x[j0 + j]);
                }
            }
            r[i] = sum;
            if (!isfinite(sum)) return HUGE_VAL;
            if (fabs(sum) > most[kind]) most[kind] = fabs(sum);
            if (size > terms[kind]) terms[kind] = size;
            bool moves = balanced && i < d->base.dims.nv;
            double mass = moves ? A[flx_layout_slot(d, i, i)] : 0.0;
            if (mass > 0.0) free = fmax(free, size / mass);
        }
    }
    terms[1] = fmax(terms[1], free);
    double error = 0.0;
    for (int k = 0; k < 2; k++) {
        if (most[k] > 0) error = fmax(error, most[k] / terms[k]);
    }
    return error;
}

static void solve_once(const flx_saddle_work *k, double *b)
{
    if (k->by_lu) {
        flx_lu_solve(k->lu, b);
    } else {
        flx_ldl_solve(k->ldl, b);
    }
}

// x <- A^-1 b with refinement: the factors may be those of a regularised matrix. Returns the
// backward error.
static double solve_refined(const flx_descriptor *d, const flx_saddle_work *k, const double *b,
                            double *r, double *x)
{
    int n = flx_dims_unknowns(&d->base.dims);
    double last = HUGE_VAL;
    memcpy(x, b, (size_t)n * sizeof *x);
    solve_once(k, x);
    for (int i = 0;; i++) {
        double error = residual_of(d, k->A0, b, x, false, r);
        if (error <= REFINED || i == MOST_REFINEMENTS || !(error < 0.5 * last)) {
            return fmin(error, last);
        }
        last = error;
        solve_once(k, r);
        for (int j = 0; j < n; j++) x[j] += r[j];
    }
}

static bool is_regular(const flx_saddle_work *k)
{
    flx_ldl_report r = flx_ldl_get_report(k->ldl);
    return !k->by_lu && r.regularised == 0 && r.pivot_ratio > FLX_REGULAR;
}

// The fixed order of LDL cannot always put the constraints that hold a massless body
// before it; pivoting can.
flx_status flx_saddle_work_solve(const flx_descriptor *d, flx_descriptor_work *w)
{
    flx_saddle_work *k = &w->saddle;
    int n = flx_dims_unknowns(&d->base.dims);
    double *b = k->tmp, *r = k->tmp + n;
    for (int i = 0; i < n; i++) { // a force without a value is not the matrix's fault
        if (!isfinite(k->rhs[i])) return FLX_NOT_FINITE;
    }
    if (is_regular(k)) {
        flx_ldl_solve(k->ldl, k->rhs);
        return FLX_OK;
    }
    memcpy(b, k->rhs, (size_t)n * sizeof *b);
    double error = solve_refined(d, k, b, r, k->rhs);
    if (!(error <= WORST_SOLUTION) && k->lu && !k->by_lu) {
        if (flx_lu_factor(k->lu, k->A0) != FLX_OK) return fail_singular(d, w);
        k->by_lu = true;
        error = solve_refined(d, k, b, r, k->rhs);
    }
    if (!(error <= WORST_SOLUTION)) error = residual_of(d, k->A0, b, k->rhs, true, r);
    return error <= WORST_SOLUTION ? FLX_OK : fail_singular(d, w);
}

// Masses may be zero where constraints hold the body. Forces of any kind on everything must then have an
// answer: asked once.
static flx_status probe(const flx_descriptor *d, flx_descriptor_work *w)
{
    flx_saddle_work *k = &w->saddle;
    k->probed = true;
    if (!has_massless(d, w)) return FLX_OK;
    memset(k->rhs, 0, (size_t)flx_dims_unknowns(&d->base.dims) * sizeof(double));
    for (int i = 0; i < d->base.dims.nv; i++) k->rhs[i] = 1.0 + 0.3 * sin(1.7 * i); // no symmetry
    return flx_saddle_work_solve(d, w);
}

// Its state, and which slips others hold while it sticks.
static double rows_of_group(const flx_contact_group *g, const double *switches)
{
    double state = switches[g->state];
    for (int t = 0; t < g->ntangent && state >= FLX_CONTACT_STICKS; t++) {
        if (switches[g->slip + t] != 0.0) state += 1 + t;
    }
    return state;
}

// Whether rows hold that did not when the matrix was factored, or the other way round.
static bool have_switched(const flx_descriptor *d, const flx_saddle_work *k, const flx_point *p)
{
    for (int i = 0; i < d->ngroup; i++) {
        if (k->states[i] != rows_of_group(&d->groups[i].is, p->switches)) return true;
    }
    return false;
}

flx_status flx_saddle_work_factor(const flx_descriptor *d, flx_descriptor_work *w,
                                  const flx_point *p)
{
    flx_saddle_work *k = &w->saddle;
    if (have_switched(d, k, p)) {
        k->probed = k->by_lu = false; // it is another matrix
        for (int i = 0; i < d->ngroup; i++)
            k->states[i] = rows_of_group(&d->groups[i].is, p->switches);
    }
    assemble(d, w, p);
    k->factored = (double)NAN;
    if (k->by_lu) return flx_lu_factor(k->lu, k->A0); // once needed, needed again
    if (!k->probed) flx_ldl_equilibrate(k->ldl, k->A0);
    flx_status status = flx_ldl_factor(k->ldl, k->A0);
    if (status == FLX_SINGULAR) return fail_singular(d, w);
    if (status == FLX_OK && !k->probed) status = probe(d, w);
    if (status == FLX_OK) k->factored = p->t;
    return status;
}

bool flx_saddle_work_serves(const flx_descriptor *d, const flx_saddle_work *k, const flx_point *p)
{
    return k->factored == p->t && is_regular(k) && !have_switched(d, k, p);
}
