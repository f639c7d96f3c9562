// slopes.c - see slopes.h: which family a method is of, and changes of states.
#include "integrate/slopes/slopes_parts.h"

#include "integrate/method.h"

#include <string.h>

static const flx_slopes_type *type_of(const flx_integrator *it)
{
    const flx_integrator_type *t = it->type;
    if (t == &flx_generalized_alpha || t == &flx_hht || t == &flx_newmark)
        return &flx_structural_slopes;
    if (t == &flx_radau || t == &flx_implicit_euler || t == &flx_gauss || t == &flx_lobatto)
        return &flx_collocation_slopes;
    if (t == &flx_midpoint || t == &flx_trapezoidal) return &flx_collocation_ends_slopes;
    if (t == &flx_dopri5 || t == &flx_dop853 || t == &flx_rk4 || t == &flx_euler)
        return &flx_explicit_slopes;
    return NULL;
}

bool flx_slopes_can_follow(const flx_integrator *it)
{
    static const flx_integrator_type *const types[] = {&flx_dopri5,
                                                       &flx_dop853,
                                                       &flx_euler,
                                                       &flx_radau,
                                                       &flx_implicit_euler,
                                                       &flx_gauss,
                                                       &flx_generalized_alpha,
                                                       &flx_hht,
                                                       &flx_newmark};
    bool found = false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        found = found || it->type == types[i];
    return found && !(it->def.step > 0.0);
}

flx_status flx_slopes_create(flx_integrator *it, flx_slopes **sl)
{
    const flx_slopes_type *type = type_of(it);
    *sl = NULL;
    if (!type) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' has no derivatives of its steps: give 'method: "
                        "differences', or run with radau, implicit-euler, gauss, lobatto, "
                        "midpoint, trapezoidal, "
                        "generalized-alpha, hht, newmark, dopri5, dop853, rk4 or euler",
                        it->type->name);
    }
    flx_slopes *s = flx_alloc(it->ctx, 1, type->bytes);
    if (!s) return FLX_ERR_MEMORY;
    s->type = type;
    s->sys = it->sys;
    s->ctx = it->ctx;
    s->work = it->sys->ops->work_create(it->sys);
    flx_status status = s->work ? type->create(s, it) : FLX_ERR_MEMORY;
    *sl = s;
    if (status != FLX_OK) flx_slopes_destroy(sl);
    return status;
}

void flx_slopes_destroy(flx_slopes **sl)
{
    flx_slopes *s = sl ? *sl : NULL;
    if (!s) return;
    if (s->type->destroy) s->type->destroy(s);
    flx_instant_destroy(&s->instant);
    if (s->work) s->sys->ops->work_destroy(s->work);
    flx_free(s);
    *sl = NULL;
}

int flx_slopes_size(const flx_slopes *sl)
{
    return sl->size;
}

int flx_slopes_rows(const flx_slopes *sl)
{
    return sl->points * sl->stride;
}

int flx_slopes_stride(const flx_slopes *sl)
{
    return sl->stride;
}

size_t flx_slopes_record_size(const flx_slopes *sl)
{
    return sl->record;
}

void flx_slopes_record(const flx_slopes *sl, flx_integrator *it, double *record)
{
    if (sl->type->record) sl->type->record(sl, it, record);
}

flx_status flx_slopes_residuals(flx_slopes *sl, const flx_system *s, flx_work *work,
                                const flx_state *from, const flx_state *to, const double *record,
                                double *out)
{
    return sl->type->residuals(sl, s, work, from, to, record, out);
}

flx_status flx_slopes_start(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                            double *z)
{
    return sl->type->start(sl, it, x, h, z);
}

// ---- instants -----------------------------------------------------------------------------------

flx_status flx_slopes_need_instant(flx_slopes *sl)
{
    return sl->instant ? FLX_OK : flx_instant_create(sl->sys, &sl->instant);
}

flx_status flx_slopes_instant(flx_slopes *sl, const flx_system *s, flx_work *work,
                              const flx_state *x, double *out)
{
    flx_point p = flx_state_point(s, x);
    FLX_TRY(flx_slopes_need_instant(sl));
    return flx_instant_residuals(sl->instant, s, work, &p, out);
}

flx_status flx_slopes_weigh_instant(flx_slopes *sl, const flx_state *x, const double *wy,
                                    double *eta, double *w)
{
    flx_point p = flx_state_point(sl->sys, x);
    FLX_TRY(flx_slopes_need_instant(sl));
    FLX_TRY(flx_instant_open(sl->instant, sl->work, &p, true));
    return flx_instant_adjoint(sl->instant, sl->work, wy, eta, w);
}

flx_status flx_slopes_change_instant(flx_slopes *sl, const flx_state *x, const double *dz,
                                     const double *rp, double *y)
{
    flx_point p = flx_state_point(sl->sys, x);
    FLX_TRY(flx_slopes_need_instant(sl));
    FLX_TRY(flx_instant_open(sl->instant, sl->work, &p, false));
    return flx_instant_direct(sl->instant, sl->work, dz, rp, y);
}

bool flx_slopes_jumps(const flx_slopes *sl)
{
    return sl->type->jumps;
}

bool flx_slopes_has_start_t(const flx_slopes *sl, const flx_integrator *it)
{
    return sl->type->has_start_t && sl->type->has_start_t(sl, it);
}

flx_status flx_slopes_start_t(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                              const double *w, const double *first, flx_slopes_instants *out)
{
    const flx_dims *d = &sl->sys->dims;
    int n = flx_dims_unknowns(d);
    const double *dx = first + 3 * d->nv + d->nx;
    double *wy = flx_alloc(sl->ctx, (size_t)n + 2 * (size_t)d->nv + (size_t)d->nx, sizeof *wy);
    if (!wy) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) wy[i] = i < d->nv ? first[2 * d->nv + i] : dx[i - d->nv];
    out->n = 1;
    flx_status status = sl->type->start_t(sl, it, x, h, w, wy, out);
    flx_state_copy(out->at[0], x);
    out->at[0]->t = x->t;
    if (status == FLX_OK) status = flx_slopes_weigh_instant(sl, x, wy, out->eta[0], wy + n);
    flx_free(wy);
    return status;
}

flx_status flx_slopes_open(flx_slopes *sl, const flx_state *from, const flx_state *to,
                           const double *record, bool transposed)
{
    flx_status status = sl->type->open(sl, from, to, record, transposed);
    if (status <= 0) return status;
    return FLX_FAIL(sl->ctx, status, FLX_NOWHERE,
                    "the linearised step that ends at t = %.9g is singular", to->t);
}

flx_status flx_slopes_install(const flx_slopes *sl, flx_integrator *it, const double *record,
                              const double *rp, const double *change, double e)
{
    return sl->type->install ? sl->type->install(sl, it, record, rp, change, e) : FLX_OK;
}

bool flx_slopes_has_inside(const flx_slopes *sl)
{
    return sl->type->inside != NULL;
}

void flx_slopes_inside(flx_slopes *sl, const flx_state *from, const double *record, double place,
                       flx_state *out)
{
    sl->type->inside(sl, from, record, place, out);
}

flx_status flx_slopes_close(flx_slopes *sl, flx_integrator *it, flx_state *x)
{
    return sl->type->close(sl, it, x);
}

void flx_slopes_weigh_inside(flx_slopes *sl, double place, double *weights)
{
    sl->type->weigh_inside(sl, place, weights);
}

flx_status flx_slopes_direct(flx_slopes *sl, double *rp, double *dz)
{
    return sl->type->direct(sl, rp, dz);
}

flx_status flx_slopes_adjoint(flx_slopes *sl, double *w, double *eta)
{
    return sl->type->adjoint(sl, w, eta);
}

flx_status flx_slopes_judge(const flx_slopes *sl, double left, double first)
{
    if (left <= FLX_SLOPES_GOOD * first) return FLX_OK;
    return FLX_FAIL(sl->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                    "the derivative of a step could not be solved for: %.2g of it is left",
                    left / first);
}

// ---- changes of states --------------------------------------------------------------------------

int flx_slopes_change_size(const flx_system *s)
{
    const flx_dims *d = &s->dims;
    return 3 * d->nv + 2 * d->nx + d->nw + d->nlam + d->nmu;
}

void flx_slopes_change(const flx_slopes *sl, const double *dz, double *out)
{
    sl->type->change(sl, dz, out);
}

void flx_slopes_change_t(const flx_slopes *sl, const double *out, double *w)
{
    sl->type->change_t(sl, out, w);
}

// The parts of a state behind its positions, in the order of a change.
enum { PARTS = 7 };
static void parts_of(const flx_dims *d, const flx_state *x, double *part[PARTS], int size[PARTS])
{
    double *const p[PARTS] = {x->v, x->a, x->x, x->dx, x->w, x->lam, x->mu};
    const int n[PARTS] = {d->nv, d->nv, d->nx, d->nx, d->nw, d->nlam, d->nmu};
    memcpy(part, p, sizeof p);
    memcpy(size, n, sizeof n);
}

void flx_slopes_of_state(const flx_system *s, const flx_state *x, double *z)
{
    double *part[PARTS];
    int size[PARTS];
    memset(z, 0, (size_t)s->dims.nv * sizeof *z);
    parts_of(&s->dims, x, part, size);
    z += s->dims.nv;
    for (int k = 0; k < PARTS; k++) {
        memcpy(z, part[k], (size_t)size[k] * sizeof *z);
        z += size[k];
    }
}

// ---- methods whose unknowns are the state ------------------------------------------------------------

flx_status flx_slopes_start_at_state(flx_slopes *sl, flx_integrator *it, const flx_state *x,
                                     double h, double *z)
{
    (void)it;
    (void)h;
    flx_slopes_of_state(sl->sys, x, z);
    return FLX_OK;
}

bool flx_slopes_start_is_smooth(const flx_slopes *sl, const flx_integrator *it)
{
    (void)it;
    return !sl->sys->ops->contacts;
}

void flx_slopes_change_state(const flx_slopes *sl, const double *dz, double *out)
{
    memcpy(out, dz, (size_t)sl->size * sizeof *out);
}

void flx_slopes_change_state_t(const flx_slopes *sl, const double *out, double *w)
{
    for (int i = 0; i < sl->size; i++) w[i] += out[i];
}

void flx_slopes_move(const flx_system *s, const flx_state *from, const double *change, double e,
                     flx_state *to)
{
    const flx_dims *d = &s->dims;
    double *part[PARTS], *theta = to->v; // filled afterwards
    int size[PARTS];
    flx_state_copy(to, from);
    for (int i = 0; i < d->nv; i++) theta[i] = e * change[i];
    if (d->nv > 0) s->ops->retract(s, from->q, theta, to->q);
    memcpy(to->v, from->v, (size_t)d->nv * sizeof *to->v);
    parts_of(d, to, part, size);
    change += d->nv;
    for (int k = 0; k < PARTS; k++) {
        for (int i = 0; i < size[k]; i++) part[k][i] += e * *change++;
    }
}

void flx_slopes_move_one(const flx_system *s, const flx_state *from, int at, double e,
                         double *theta, flx_state *to)
{
    const flx_dims *d = &s->dims;
    double *part[PARTS], *origin[PARTS];
    int size[PARTS], i = at - d->nv;
    if (at < d->nv) {
        theta[at] = e;
        s->ops->retract(s, from->q, theta, to->q);
        theta[at] = 1.0;
        return;
    }
    parts_of(d, to, part, size);
    parts_of(d, from, origin, size);
    for (int k = 0; k < PARTS; i -= size[k++]) {
        if (i >= 0 && i < size[k]) part[k][i] = origin[k][i] + e;
    }
}

void flx_slopes_between(const flx_system *s, const flx_state *from, const flx_state *to,
                        double *change)
{
    const flx_dims *d = &s->dims;
    double *a[PARTS], *b[PARTS];
    int size[PARTS];
    if (d->nv > 0) s->ops->difference(s, from->q, to->q, change);
    parts_of(d, from, a, size);
    parts_of(d, to, b, size);
    change += d->nv;
    for (int k = 0; k < PARTS; k++) {
        for (int i = 0; i < size[k]; i++) *change++ = b[k][i] - a[k][i];
    }
}
