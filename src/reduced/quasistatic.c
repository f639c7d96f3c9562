// quasistatic.c - velocities whose inertia is neglected or multiplied, in any system: made and
// destroyed. Equations: quasistatic_parts.h and docs/theory/reduction.md.
#include "math/pattern.h"
#include "reduced/quasistatic_parts.h"

// ---- life ---------------------------------------------------------------------------------------

static void work_destroy(flx_work *work)
{
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    if (!w) return;
    flx_lu_destroy(&w->lu);
    flx_quasistatic_solver_destroy(&w->solver);
    flx_wrapper_work_destroy(work);
}

static void work_memory(flx_work *work, flx_memory *m)
{
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    flx_wrapper_work_memory(work, m);
    if (w->lu) flx_lu_memory(w->lu, m);
    if (w->solver) flx_quasistatic_solver_memory(w->solver, w->base.inner->system->dims.nv, m);
}

static bool take_work(const flx_system *base, flx_quasistatic_work *w)
{
    const flx_dims *d = &base->dims;
    int n = flx_dims_unknowns(d);
    const struct {
        double **at;
        int size;
    } arrays[] = {{&w->a, d->nv},
                  {&w->lam, d->nlam},
                  {&w->r, n},
                  {&w->r2, n},
                  {&w->carried, n},
                  {&w->values, (int)flx_pattern_size(&base->pattern)},
                  {&w->zero, d->nv},
                  {&w->theta, d->nv},
                  {&w->rate, d->nlam},
                  {&w->rate0, d->nlam},
                  {&w->bias, d->nlam + d->nmu},
                  {&w->side[0], d->nlam},
                  {&w->side[1], d->nlam},
                  {&w->G, d->nlam},
                  {&w->dq, d->nlam},
                  {&w->dv, d->nlam}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i].at = flx_arena_take(w->base.arena, (size_t)arrays[i].size, sizeof(double));
        if (!*arrays[i].at) return false;
    }
    return flx_pattern_take(&base->pattern, w->base.arena, &w->slow) &&
           flx_pattern_take(&base->pattern, w->base.arena, &w->fast);
}

static flx_work *work_create(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    flx_quasistatic_work *w = flx_wrapper_work_create(s, sizeof *w);
    if (!w) return NULL;
    bool fine = take_work(base, w);
    if (fine && flx_quasistatic_of(s)->nlinked > 0) {
        fine = flx_lu_create(s->ctx, &base->pattern, false, &w->lu) == FLX_OK;
    }
    if (fine) return &w->base.base;
    work_destroy(&w->base.base);
    return NULL;
}

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    const flx_system *base = z->z.base;
    int added = z->nlinked + z->nclosing, first = z->first_row;
    if (i < first || i >= first + added) {
        base->ops->unknown(base, i < first ? i : i - added, u);
        return;
    }
    base->ops->unknown(base, z->origin[i - first], u);
    u->kind = FLX_UNKNOWN_ALGEBRAIC;
    u->scale = z->typical[i - first];
    u->index = 3; // accelerations and forces: rounding of positions comes back through stiffness
    u->sigma = u->tau = u->C = u->E = 0.0;
    u->lower = -HUGE_VAL;
    u->upper = HUGE_VAL;
}

// ---- typical sizes ------------------------------------------------------------------------------

// Of all linked velocities and J: the largest energy that typical displacements may have.
static double find_energy(const flx_quasistatic *z, const double *A0)
{
    const flx_pattern *p = &z->z.base->pattern;
    int nv = z->z.base->dims.nv;
    double most = 0.0;
    for (int bi = 0; bi < p->nblock && p->start[bi] < nv; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int at = p->offset[e], bj = p->col[e];
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                bool here = z->reduced[i] || z->copy[i] >= 0;
                for (int j = p->start[bj]; j < p->start[bj + 1]; j++, at++) {
                    if (!here || j >= nv) continue;
                    most = fmax(most, fabs(A0[at]) * z->scale[i] * z->scale[j]);
                }
            }
        }
    }
    return most;
}

// How much a multiplier of one moves typical velocities.
static double find_gradient(const flx_quasistatic *z, const double *A0, int constraint)
{
    const flx_pattern *p = &z->z.base->pattern;
    double most = 0.0;
    for (int i = 0; i < z->z.base->dims.nv; i++) {
        most = fmax(most, fabs(flx_pattern_value(p, A0, i, constraint)) * z->scale[i]);
    }
    return most;
}

// Before anything is measured.
static void begin_typical(flx_quasistatic *z)
{
    for (int k = 0; k < z->nlinked + z->nclosing; k++) {
        z->typical[k] = k < z->nlinked ? z->scale[z->origin[k]] : 1.0;
    }
}

// The one of which others are made, whose unknowns have the same places; NULL: there is none.
static flx_quasistatic *inside(flx_system *s)
{
    while (flx_wrapper_is(s) && s->ops->residual != flx_quasistatic_residual) {
        s = ((flx_wrapper *)s)->base;
    }
    return s->ops->residual == flx_quasistatic_residual ? (flx_quasistatic *)s : NULL;
}

int flx_quasistatic_scales(flx_system *s, double **at)
{
    flx_quasistatic *z = inside(s);
    *at = z ? z->typical : NULL;
    return z ? z->nlinked + z->nclosing : 0;
}

void flx_quasistatic_forget_scales(flx_system *s)
{
    flx_quasistatic *z = inside(s);
    if (z) begin_typical(z);
}

flx_status flx_quasistatic_measure(flx_system *s, const flx_state *x)
{
    flx_quasistatic *z = inside(s);
    if (!z) return FLX_OK;
    s = &z->z.sys;
    const flx_system *base = z->z.base;
    flx_work *work = s->ops->work_create(s);
    if (!work) return FLX_ERR_MEMORY;
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    flx_point p = flx_state_point(s, x);
    p.a = w->zero;
    p.lam = w->lam;
    flx_status status = base->ops->linearise(base, w->base.inner, &p, &w->slow);
    if (status == FLX_OK) {
        double energy = find_energy(z, w->slow.A0);
        begin_typical(z);
        flx_pattern_diagonal(&base->pattern, w->slow.A2, w->r2);
        for (int k = 0; k < z->nlinked + z->nclosing; k++) {
            int i = z->origin[k];
            double by =
                i < base->dims.nv ? w->r2[i] * z->scale[i] : find_gradient(z, w->slow.A0, i);
            if (by > 0.0) z->typical[k] = fmax(z->typical[k], energy / by);
        }
    }
    s->ops->work_destroy(work);
    return status;
}

// ---- create -------------------------------------------------------------------------------------

static flx_status refuse(const flx_system *base, const flx_quasistatic_how *how)
{
    const flx_dims *d = &base->dims;
    if (how->n <= 0) {
        return FLX_FAIL(base->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a quasi-static reduction needs velocities to reduce");
    }
    for (int i = 0; i < how->n; i++) {
        const int *J = how->J;
        if (J[i] >= 0 && J[i] < d->nv && (i == 0 || J[i] > J[i - 1])) continue;
        return FLX_FAIL(base->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "velocity %d cannot be reduced: numbers go up from 0 to %d", J[i],
                        d->nv - 1);
    }
    if (!(how->factor >= 0.0)) {
        return FLX_FAIL(base->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "inertia cannot be multiplied by %g", how->factor);
    }
    if (base->ops->events && base->ops->events->rows(base) > 0) {
        return FLX_FAIL(base->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "events that set velocities need the inertia of all parts: take them out, "
                        "or the reduction");
    }
    return FLX_OK;
}

static flx_status take_arrays(flx_quasistatic *z)
{
    const flx_dims *d = &z->z.base->dims;
    size_t n = (size_t)flx_dims_unknowns(d), nv = (size_t)d->nv, nlam = (size_t)d->nlam;
    z->reduced = flx_arena_take(z->z.arena, nv, sizeof *z->reduced);
    z->same = flx_arena_take(z->z.arena, n, sizeof *z->same);
    z->copy = flx_arena_take(z->z.arena, n, sizeof *z->copy);
    z->origin = flx_arena_take(z->z.arena, n, sizeof *z->origin);
    z->sigma = flx_arena_take(z->z.arena, nlam, sizeof *z->sigma);
    z->tau = flx_arena_take(z->z.arena, nlam, sizeof *z->tau);
    z->typical = flx_arena_take(z->z.arena, n, sizeof *z->typical);
    z->group = flx_arena_take(z->z.arena, nv, sizeof *z->group);
    z->scale = flx_arena_take(z->z.arena, nv, sizeof *z->scale);
    return z->reduced && z->same && z->copy && z->origin && z->sigma && z->tau && z->typical &&
                   z->group && z->scale
               ? FLX_OK
               : FLX_ERR_MEMORY;
}

static flx_status refuse_slopes(const flx_quasistatic *z)
{
    const flx_system *base = z->z.base;
    flx_unknown u = {0};
    if (z->nclosing == 0 || base->ops->constraint_slope) return FLX_OK;
    base->ops->unknown(base, z->origin[z->nlinked + z->nclosing - 1], &u);
    return FLX_FAIL(base->ctx, FLX_ERR_CANNOT, u.loc,
                    "the inertia of parts that '%s' holds cannot be neglected in joint "
                    "coordinates (%s): leave out the `formulation`, or reduce other parts",
                    u.item ? u.item : "?", base->ops->name);
}

static void take_unknowns(flx_quasistatic *z)
{
    const flx_system *base = z->z.base;
    for (int i = 0; i < z->first_row + base->dims.nlam; i++) {
        flx_unknown u = {0};
        base->ops->unknown(base, i, &u);
        if (i < base->dims.nv) z->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i >= z->first_row && u.C == 0.0) {
            z->sigma[i - z->first_row] = u.sigma;
            z->tau[i - z->first_row] = u.tau;
        }
    }
}

static flx_status renew(flx_wrapper *wrapper)
{
    take_unknowns((flx_quasistatic *)(void *)wrapper);
    return FLX_OK;
}

static flx_status build(flx_quasistatic *z, const flx_quasistatic_how *how)
{
    const flx_system *base = z->z.base;
    FLX_TRY(take_arrays(z));
    z->nreduced = how->n;
    z->factor = how->factor;
    z->mass_damping = how->mass_damping;
    z->first_row = flx_dims_first_constraint(&base->dims);
    for (int i = 0; i < how->n; i++) z->reduced[how->J[i]] = true;
    take_unknowns(z);
    FLX_TRY(flx_quasistatic_find_links(z));
    begin_typical(z);
    FLX_TRY(refuse_slopes(z));
    z->z.sys.dims.nw += z->nlinked + z->nclosing;
    if (!base->reads_multipliers && z->nclosing > 0) {
        z->z.sys.reads_multipliers = FLX_READS_BALANCE;
    }
    FLX_TRY(flx_quasistatic_make_pattern(z));
    return flx_quasistatic_make_groups(z);
}

static double *copy(flx_arena *arena, const double *from, int n)
{
    double *to = flx_arena_take(arena, (size_t)n, sizeof *to);
    if (to && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

// Every run measures at its own start, and scales follow from parameters.
static flx_status own(flx_wrapper *wrapper)
{
    flx_quasistatic *z = (flx_quasistatic *)(void *)wrapper;
    const flx_dims *d = &wrapper->base->dims;
    z->typical = copy(wrapper->arena, z->typical, z->nlinked + z->nclosing);
    z->scale = copy(wrapper->arena, z->scale, d->nv);
    z->sigma = copy(wrapper->arena, z->sigma, d->nlam);
    z->tau = copy(wrapper->arena, z->tau, d->nlam);
    return z->typical && z->scale && z->sigma && z->tau ? FLX_OK : FLX_ERR_MEMORY;
}

static void fill_ops(flx_quasistatic *z)
{
    flx_system_ops *o = &z->z.ops;
    o->residual = flx_quasistatic_residual;
    o->linearise = flx_quasistatic_linearise;
    o->unknown = unknown;
    o->work_create = work_create;
    o->work_destroy = work_destroy;
    o->work_memory = work_memory;
    if (z->z.base->ops->energy) o->energy = flx_quasistatic_energy;
    if (z->factor != 0.0) {
        o->explicit_form = flx_wrapper_explicit(&z->z);
    } else if (z->z.base->ops->explicit_form) {
        o->explicit_form = &flx_quasistatic_explicit;
    }
    z->z.point = flx_quasistatic_seen_point;
    z->z.state = flx_quasistatic_seen_state;
    z->z.own = own;
    z->z.renew = renew;
}

flx_status flx_quasistatic_create(flx_system *base, const flx_quasistatic_how *how, flx_system **s)
{
    *s = NULL;
    flx_status status = refuse(base, how);
    if (status != FLX_OK) {
        flx_system_destroy(&base);
        return status;
    }
    flx_quasistatic *z = flx_wrapper_create(base, "quasistatic", sizeof *z);
    if (!z) return FLX_ERR_MEMORY;
    status = build(z, how);
    if (status == FLX_OK) fill_ops(z);
    return flx_wrapper_finish(&z->z, status, s);
}
