// structural_slopes.c - derivatives of steps of the methods of structural dynamics (structural.h), index 3.
//
// z = (q, v, a, v', x, y, x', w, lambda, mu); changes of q are in the chart at q. With theta = q_n+1 (-) q_n and the chart's
// turn (SEN-3), (GA-1) to (GA-3) are linear, and the residual at the end
//     A0 (dq, dx, dw, dlam, dmu) + A1 (dv, dx') + A2 dv' + r_p dp = 0                                    (SEN-4)
// is solved for (d theta, dx, dw, dlam, dmu): by factors without B, whose error the products find.
#include "integrate/slopes/slopes_parts.h"

#include "base/arrays.h"
#include "integrate/structural/structural.h"

#include <math.h>
#include <string.h>

typedef struct slopes {
    flx_slopes base;
    double am, af, gamma, beta;
    int n;
    double h;             // of all steps; 0: not known yet
    double *theta, *back; // (nv) of the step, and its negative
    double *d, *r;        // (n) unknowns, and what is left of the equations
    double *u0, *u1, *u2; // (n) what the three matrices act on, or the transposed products
    double *z1;           // (size) at the end
    bool exact;           // of this step: one solution leaves rounding, as where nothing turns
    flx_step_matrix *m;
    void *block;
} slopes;

// Where the parts of z begin.
typedef struct places {
    int q, v, a, dv, x, y, dx, w; // w, lambda and mu lie together
} places;

static places places_of(const flx_dims *d)
{
    places p = {.v = d->nv, .a = 2 * d->nv, .dv = 3 * d->nv, .x = 4 * d->nv};
    p.y = p.x + d->nx;
    p.dx = p.y + d->nx;
    p.w = p.dx + d->nx;
    return p;
}

static int rest_of(const flx_dims *d)
{
    return d->nw + d->nlam + d->nmu;
}

// ---- life ---------------------------------------------------------------------------------------

static flx_status refuse(const flx_integrator *it, const structural *g)
{
    if (g->ggl) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' in formulation ggl closes positions along normals of earlier "
                        "steps, which have no derivative: give 'formulation: index-3', or "
                        "'method: differences' to the analysis",
                        it->type->name);
    }
    if (g->settles) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' without dissipation makes accelerations anew at the ends of "
                        "steps with constraints, of which there is no derivative: give it "
                        "dissipation, or 'method: differences' to the analysis",
                        it->type->name);
    }
    if (!(it->def.step > 0.0)) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "derivatives of '%s' are those of equal steps: give 'step'",
                        it->type->name);
    }
    return FLX_OK;
}

static void destroy(flx_slopes *sl)
{
    slopes *s = (slopes *)sl;
    flx_step_matrix_destroy(&s->m);
    flx_free(s->block);
}

static flx_status create(flx_slopes *sl, flx_integrator *it)
{
    slopes *s = (slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    if (sl->sys->ops->touches) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "contacts that are met step by step have no derivatives of steps");
    }
    const structural *g = it->data;
    FLX_TRY(refuse(it, g));
    s->am = g->am;
    s->af = g->af;
    s->gamma = g->gamma;
    s->beta = g->beta;
    s->n = flx_dims_unknowns(d);
    sl->size = places_of(d).w + rest_of(d);
    sl->points = 1;
    sl->stride = s->n;
    size_t n = (size_t)s->n;
    const flx_array arrays[] = {FLX_ARRAY(s->theta, d->nv), FLX_ARRAY(s->back, d->nv),
                                FLX_ARRAY(s->d, n),         FLX_ARRAY(s->r, n),
                                FLX_ARRAY(s->u0, n),        FLX_ARRAY(s->u1, n),
                                FLX_ARRAY(s->u2, n),        FLX_ARRAY(s->z1, sl->size)};
    s->block = flx_alloc_arrays(sl->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!s->block) return FLX_ERR_MEMORY;
    return flx_step_matrix_create(sl->sys, &s->m);
}

// ---- the step -----------------------------------------------------------------------------------

static flx_point point(const flx_system *s, const flx_state *from, const flx_state *to)
{
    flx_point p = flx_state_point(s, to);
    p.switches = from->switches;
    return p;
}

static flx_status residuals(flx_slopes *sl, const flx_system *s, flx_work *work,
                            const flx_state *from, const flx_state *to, const double *record,
                            double *out)
{
    (void)sl;
    (void)record;
    flx_point p = point(s, from, to);
    return s->ops->residual(s, work, &p, out);
}

static flx_status start(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h, double *z)
{
    const flx_dims *d = &sl->sys->dims;
    const structural *g = it->data;
    places at = places_of(d);
    size_t nv = (size_t)d->nv * sizeof *z, nx = (size_t)d->nx * sizeof *z;
    memset(z, 0, (size_t)sl->size * sizeof *z);
    FLX_TRY(flx_structural_start(it, x, h));
    memcpy(z + at.v, g->v0, nv);
    memcpy(z + at.a, g->a, nv);
    memcpy(z + at.dv, g->dv0, nv);
    memcpy(z + at.x, x->x, nx);
    memcpy(z + at.y, g->y, nx);
    memcpy(z + at.dx, g->dx0, nx);
    return FLX_OK;
}

// In index 3 velocities are moved along normals at a start (GA-5), which has no transpose here.
static bool has_start_t(const flx_slopes *sl, const flx_integrator *it)
{
    const structural *g = it->data;
    return g->npos == 0 && !sl->sys->ops->contacts;
}

// a = v' + (am - af) h (v'_e - v') / delta, e a little later than x, by Taylor's series: as flx_structural_start has it.
static flx_status start_t(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                          const double *w, double *wy, flx_slopes_instants *out)
{
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    const structural *g = it->data;
    places at = places_of(d);
    slopes *s = (slopes *)sl;
    double shift = g->am - g->af, delta = fmax(fabs(shift), 0.1) * h, part = shift * h / delta;
    FLX_TRY(flx_structural_start(it, x, h));
    if (g->unresolved) part = 0.0;
    for (int i = 0; i < d->nv; i++) wy[i] += w[at.dv + i] + (1.0 - part) * w[at.a + i];
    for (int i = 0; i < d->nx; i++) wy[d->nv + i] += w[at.dx + i] + (1.0 - part) * w[at.y + i];
    if (part == 0.0) return FLX_OK;
    flx_state *e = out->at[1];
    flx_state_copy(e, x);
    e->t = x->t + delta;
    for (int i = 0; i < d->nv; i++) {
        s->theta[i] = delta * x->v[i] + 0.5 * delta * delta * g->dv0[i];
        e->v[i] = x->v[i] + delta * g->dv0[i];
    }
    if (d->nv > 0) sys->ops->retract(sys, x->q, s->theta, e->q);
    for (int i = 0; i < d->nx; i++) e->x[i] = x->x[i] + delta * g->dx0[i];
    FLX_TRY(
        flx_accelerator_eval(g->acc, it->work, e, &it->stats.residuals, &it->stats.linearisations));
    memset(s->r, 0, (size_t)s->n * sizeof *s->r);
    for (int i = 0; i < d->nv; i++) s->r[i] = part * w[at.a + i];
    for (int i = 0; i < d->nx; i++) s->r[d->nv + i] = part * w[at.y + i];
    memset(s->z1, 0, (size_t)sl->size * sizeof *s->z1); // (2 nv + nx) of the state at e
    FLX_TRY(flx_slopes_weigh_instant(sl, e, s->r, out->eta[1], s->z1));
    out->n = 2;
    if (d->nv > 0) sys->ops->velocity_t(sys, s->theta, s->z1, s->u0);
    for (int i = 0; i < d->nv; i++)
        wy[i] += 0.5 * delta * delta * s->u0[i] + delta * s->z1[d->nv + i];
    for (int i = 0; i < d->nx; i++) wy[d->nv + i] += delta * s->z1[2 * d->nv + i];
    return FLX_OK;
}

static flx_status open(flx_slopes *sl, const flx_state *from, const flx_state *to,
                       const double *record, bool transposed)
{
    slopes *s = (slopes *)sl;
    const flx_system *sys = sl->sys;
    double h = to->t - from->t;
    (void)record;
    s->exact = false;
    if (s->h == 0.0) s->h = h;
    if (!(fabs(h - s->h) <= 1e-6 * s->h)) {
        return FLX_FAIL(sl->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the step that ends at t = %.9g is %.6g s long and others are %.6g s: "
                        "derivatives are those of equal steps; choose a step that divides the time",
                        to->t, h, s->h);
    }
    if (sys->dims.nv > 0) sys->ops->difference(sys, from->q, to->q, s->theta);
    for (int i = 0; i < sys->dims.nv; i++) s->back[i] = -s->theta[i];
    flx_point p = point(sys, from, to);
    FLX_TRY(flx_step_matrix_linearise(s->m, sl->work, &p));
    flx_step_weights c = {.c0 = 1.0,
                          .c1 = s->gamma / (s->h * s->beta),
                          .c2 = (1.0 - s->am) / (s->h * s->h * s->beta * (1.0 - s->af))};
    c.cx = c.c2 / c.c1;
    return flx_step_matrix_factor(s->m, sl->work, &c, transposed);
}

// ---- direct -------------------------------------------------------------------------------------

// (GA-1) to (GA-3): z at the end, without positions, from the unknowns.
static void follow(const slopes *s, const double *z, double *z1)
{
    const flx_dims *d = &s->base.sys->dims;
    const double h = s->h, p0 = h * h * (0.5 - s->beta), p1 = h * h * s->beta;
    const double cy = (1.0 - s->af) / (1.0 - s->am), cr = s->af / (1.0 - s->am),
                 ca = s->am / (1.0 - s->am);
    places at = places_of(d);
    for (int i = 0; i < d->nv; i++) {
        double a1 = (s->d[i] - h * z[at.v + i] - p0 * z[at.a + i]) / p1;
        z1[at.v + i] = z[at.v + i] + h * (1.0 - s->gamma) * z[at.a + i] + h * s->gamma * a1;
        z1[at.dv + i] = (a1 - cr * z[at.dv + i] + ca * z[at.a + i]) / cy;
        z1[at.a + i] = a1;
    }
    const double *x1 = s->d + d->nv;
    for (int i = 0; i < d->nx; i++) {
        double y = z[at.y + i];
        double y1 = (x1[i] - z[at.x + i] - h * (1.0 - s->gamma) * y) / (h * s->gamma);
        z1[at.dx + i] = (y1 - cr * z[at.dx + i] + ca * y) / cy;
        z1[at.x + i] = x1[i];
        z1[at.y + i] = y1;
    }
    memcpy(z1 + at.w, x1 + d->nx, (size_t)rest_of(d) * sizeof *z1);
}

// The left side of (SEN-4), into r.
static void evaluate(slopes *s, const double *rp, const double *turned, double *z1)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    places at = places_of(d);
    size_t n = (size_t)s->n * sizeof(double), nv = (size_t)d->nv * sizeof(double);
    for (int i = 0; i < d->nv; i++) z1[i] = turned[i] + s->d[i];
    if (d->nv > 0) sys->ops->velocity(sys, s->theta, z1, z1);
    memcpy(s->u0, s->d, n);
    memcpy(s->u0, z1, nv);
    memset(s->u1, 0, n);
    memcpy(s->u1, z1 + at.v, nv);
    memcpy(s->u1 + d->nv, z1 + at.dx, (size_t)d->nx * sizeof(double));
    memset(s->u2, 0, n);
    memcpy(s->u2, z1 + at.dv, nv);
    memcpy(s->r, rp, n);
    const double *const u[3] = {s->u0, s->u1, s->u2};
    flx_step_matrix_product(s->m, s->base.work, u, s->r);
}

static double size_of(const double *y, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    return most;
}

// Whether what is left in r, before round k, is rounding: without rotations that is so after the first.
static bool is_solved(const slopes *s, int k, double *whole)
{
    double left = flx_step_matrix_size(s->m, s->r);
    if (k == 0) *whole = left;
    return k > 0 && left <= FLX_SLOPES_SOLVED * *whole;
}

static flx_status direct(flx_slopes *sl, double *rp, double *dz)
{
    slopes *s = (slopes *)sl;
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    double *turned = dz, first = 0.0, last = HUGE_VAL, whole = 0.0;
    memset(s->d, 0, (size_t)s->n * sizeof *s->d);
    if (d->nv > 0) sys->ops->rate(sys, s->back, dz, turned);
    for (int i = 0; i < d->nv; i++) s->d[i] = s->h * dz[d->nv + i]; // a guess
    for (int k = 0; k < FLX_SLOPES_ROUNDS; k++) {
        follow(s, dz, s->z1);
        evaluate(s, rp, turned, s->z1);
        if (is_solved(s, k, &whole)) last = 0.0;
        if (last == 0.0) s->exact = k == 1;
        if (last == 0.0) break;
        flx_step_matrix_solve(s->m, s->r);
        for (int i = 0; i < s->n; i++) s->d[i] -= s->r[i];
        double size = size_of(s->r, d->nv + d->nx);
        if (k == 0) first = fmax(size, size_of(s->d, d->nv + d->nx));
        if (s->exact) last = 0.0; // so was the change by another parameter
        if (last == 0.0) break;
        if (!(size > FLX_SLOPES_CLOSE * first) || !(size < 0.9 * last)) {
            last = fmin(size, last);
            break;
        }
        last = size;
    }
    follow(s, dz, s->z1);
    for (int i = 0; i < d->nv; i++) s->z1[i] = turned[i] + s->d[i];
    if (d->nv > 0) sys->ops->velocity(sys, s->theta, s->z1, s->z1);
    memcpy(dz, s->z1, (size_t)sl->size * sizeof *dz);
    return flx_slopes_judge(sl, last, first);
}

// ---- adjoint ------------------------------------------------------------------------------------

// The weights at the end less those of the equations, A^T eta, into z1; u0 to u2 are the products. What the unknowns of the
// step leave of them goes to r. eta NULL: zeros.
static flx_status weigh(slopes *s, const double *w, const double *eta)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    places at = places_of(d);
    double *z1 = s->z1, *r = s->r;
    const double h = s->h, p1 = h * h * s->beta, cy = (1.0 - s->af) / (1.0 - s->am);
    double *const u[3] = {s->u0, s->u1, s->u2};
    for (int k = 0; k < 3; k++) memset(u[k], 0, (size_t)s->n * sizeof(double));
    if (eta) FLX_TRY(flx_step_matrix_product_t(s->m, s->base.work, eta, u));
    memcpy(z1, w, (size_t)s->base.size * sizeof *z1);
    for (int i = 0; i < d->nv; i++) {
        z1[i] -= s->u0[i];
        z1[at.v + i] -= s->u1[i];
        z1[at.dv + i] -= s->u2[i];
    }
    for (int i = 0; i < d->nx; i++) {
        z1[at.x + i] -= s->u0[d->nv + i];
        z1[at.dx + i] -= s->u1[d->nv + i];
    }
    for (int i = 0; i < rest_of(d); i++) z1[at.w + i] -= s->u0[d->nv + d->nx + i];
    if (d->nv > 0) sys->ops->velocity_t(sys, s->theta, z1, r);
    for (int i = 0; i < d->nv; i++) {
        r[i] += (h * s->gamma * z1[at.v + i] + z1[at.a + i] + z1[at.dv + i] / cy) / p1;
    }
    for (int i = 0; i < d->nx; i++) {
        r[d->nv + i] = z1[at.x + i] + (z1[at.y + i] + z1[at.dx + i] / cy) / (h * s->gamma);
    }
    memcpy(r + d->nv + d->nx, z1 + at.w, (size_t)rest_of(d) * sizeof *r);
    return FLX_OK;
}

static flx_status adjoint(flx_slopes *sl, double *w, double *eta)
{
    slopes *s = (slopes *)sl;
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    places at = places_of(d);
    double first = 0.0, last = HUGE_VAL, whole;
    memset(eta, 0, (size_t)s->n * sizeof *eta);
    FLX_TRY(weigh(s, w, NULL));
    is_solved(s, 0, &whole);
    for (int k = 0; k < FLX_SLOPES_ROUNDS; k++) {
        flx_step_matrix_solve(s->m, s->r);
        for (int i = 0; i < s->n; i++) eta[i] += s->r[i];
        double size = size_of(s->r, d->nv + d->nx);
        if (k == 0) first = fmax(size, size_of(eta, d->nv + d->nx));
        FLX_TRY(weigh(s, w, eta));
        bool done = !(size > FLX_SLOPES_CLOSE * first) || !(size < 0.9 * last);
        last = is_solved(s, k + 1, &whole) ? 0.0 : done ? fmin(size, last) : size;
        if (done || last == 0.0) break;
    }
    const double *z1 = s->z1, h = s->h, p0 = h * h * (0.5 - s->beta), p1 = h * h * s->beta;
    const double cy = (1.0 - s->af) / (1.0 - s->am), cr = s->af / (1.0 - s->am),
                 ca = s->am / (1.0 - s->am);
    memset(w, 0, (size_t)sl->size * sizeof *w);
    if (d->nv > 0) {
        sys->ops->velocity_t(sys, s->theta, z1, w);
        sys->ops->rate_t(sys, s->back, w, w);
    }
    for (int i = 0; i < d->nv; i++) {
        double a1 = h * s->gamma * z1[at.v + i] + z1[at.a + i] + z1[at.dv + i] / cy;
        w[at.v + i] = z1[at.v + i] - h / p1 * a1;
        w[at.a + i] = h * (1.0 - s->gamma) * z1[at.v + i] - p0 / p1 * a1 + ca / cy * z1[at.dv + i];
        w[at.dv + i] = -cr / cy * z1[at.dv + i];
    }
    for (int i = 0; i < d->nx; i++) {
        double y1 = z1[at.y + i] + z1[at.dx + i] / cy;
        w[at.x + i] = -y1 / (h * s->gamma);
        w[at.y + i] = -(1.0 - s->gamma) / s->gamma * y1 + ca / cy * z1[at.dx + i];
        w[at.dx + i] = -cr / cy * z1[at.dx + i];
    }
    return flx_slopes_judge(sl, last, first);
}

// ---- changes of states --------------------------------------------------------------------------

static void change(const flx_slopes *sl, const double *dz, double *out)
{
    const flx_dims *d = &sl->sys->dims;
    places at = places_of(d);
    size_t nv = (size_t)d->nv * sizeof *out, nx = (size_t)d->nx * sizeof *out;
    memcpy(out, dz, 2 * nv);
    memcpy(out + 2 * d->nv, dz + at.dv, nv);
    out += 3 * d->nv;
    memcpy(out, dz + at.x, nx);
    memcpy(out + d->nx, dz + at.dx, nx);
    memcpy(out + 2 * d->nx, dz + at.w, (size_t)rest_of(d) * sizeof *out);
}

static void change_t(const flx_slopes *sl, const double *out, double *w)
{
    const flx_dims *d = &sl->sys->dims;
    places at = places_of(d);
    for (int i = 0; i < 2 * d->nv; i++) w[i] += out[i];
    for (int i = 0; i < d->nv; i++) w[at.dv + i] += out[2 * d->nv + i];
    out += 3 * d->nv;
    for (int i = 0; i < d->nx; i++) {
        w[at.x + i] += out[i];
        w[at.dx + i] += out[d->nx + i];
    }
    for (int i = 0; i < rest_of(d); i++) w[at.w + i] += out[2 * d->nx + i];
}

const flx_slopes_type flx_structural_slopes = {.bytes = sizeof(slopes),
                                               .create = create,
                                               .destroy = destroy,
                                               .residuals = residuals,
                                               .start = start,
                                               .has_start_t = has_start_t,
                                               .start_t = start_t,
                                               .open = open,
                                               .direct = direct,
                                               .adjoint = adjoint,
                                               .change = change,
                                               .change_t = change_t};
