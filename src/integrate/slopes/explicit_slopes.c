// explicit_slopes.c - derivatives of explicit Runge-Kutta steps (explicit_rk.h).
//
// Stages are carried one after the other, and weights back: with Y the change of a stage by components and K that of its slope,
//     Y_i = dz + h sum_j a_ij K_j,   K = (d(T v), dv', dx'),   (SEN-9) with theta = T^+ Y_q              (SEN-12)
// then the end is closed, (SEN-10), (SEN-11), and its slope and those of the dense output follow in the same way.
#include "base/arrays.h"
#include "integrate/explicit/explicit_rk.h"
#include "integrate/method.h"
#include "integrate/slopes/components.h"
#include "integrate/slopes/explicit_ends.h"
#include "integrate/slopes/slopes_parts.h"

#include <string.h>

typedef struct slopes {
    flx_slopes base;
    const flx_rk_pair *pair;
    const flx_explicit *form;
    int inner, nslope,
        all;   // stages of the end; with that of the end; with those of the dense output
    int n, nz; // unknowns; components of z
    bool closes;
    size_t size;                    // numbers of a state
    flx_instant *in[FLX_RK_SLOPES]; // owned
    flx_component_blocks *t;        // owned
    flx_end_slopes *ends;           // owned; NULL: nothing is closed
    flx_closer *closer;             // owned; NULL: the same
    flx_state *x[FLX_RK_SLOPES];    // owned: states of the slopes; of the end before it is closed
    flx_state *raw, *begin;         // owned
    const double *record;
    double h;
    double *K;                        // (all nz) changes of slopes, or their weights
    double *Y, *dz, *dz1, *k;         // (nz)
    double *y, *d, *e;                // (n) (2 nv + nx) (nv)
    double *in_begin, *in_end, *in_K; // (nz) (nz) (all nz) weights of values inside
    void *block;
} slopes;

// What a record holds: length, whether stages were projected; states of the slopes, their q as it is in z; the end before it is
// closed, and what closed it.
typedef struct parts {
    const double *head, *states, *q, *raw;
    flx_closed done;
} parts;

static parts parts_of(const slopes *s, const double *record)
{
    const flx_dims *d = &s->base.sys->dims;
    size_t all = (size_t)s->all;
    parts p = {.head = record, .states = record + 4};
    p.q = p.states + all * s->size;
    p.raw = p.q + (all + 1) * (size_t)d->nq;
    double *done = (double *)(uintptr_t)(p.raw + s->size);
    p.done.theta = done;
    p.done.nu = p.done.theta + d->nv;
    p.done.dv = p.done.nu + d->nlam;
    p.done.rates = p.done.dv + d->nv;
    return p;
}

static size_t record_size(const slopes *s, const flx_dims *d)
{
    size_t all = (size_t)s->all;
    return 4 + (all + 1) * (s->size + (size_t)d->nq) + (size_t)(2 * d->nv + 2 * d->nlam + d->nmu);
}

// ---- life -----------------------------------------------------------------------------------------

static void destroy(flx_slopes *sl)
{
    slopes *s = (slopes *)sl;
    for (int i = 0; i < FLX_RK_SLOPES; i++) {
        flx_instant_destroy(&s->in[i]);
        flx_state_destroy(&s->x[i]);
    }
    flx_state_destroy(&s->raw);
    flx_state_destroy(&s->begin);
    flx_component_blocks_destroy(&s->t);
    flx_end_slopes_destroy(&s->ends);
    flx_closer_destroy(&s->closer);
    flx_free(s->block);
}

static flx_status refuse(const flx_integrator *it, const slopes *s)
{
    const flx_system *sys = it->sys;
    const char *why = NULL;
    if (s->form->fill || s->nz != sys->dims.nq + sys->dims.nv + sys->dims.nx)
        why = "its unknowns are not positions and velocities (bodies without mass, momenta)";
    else if (sys->ops->touches)
        why = "contacts that are met step by step have no derivatives of steps";
    else if (sys->ops->contacts)
        why = "rigid contacts, whose rows open and close";
    else if (sys->reads_multipliers)
        why = "forces read those of joints";
    else if (it->def.drift && sys->dims.nlam + sys->dims.nmu > 0)
        why = "joints are left open ('drift')";
    if (!why) return FLX_OK;
    return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "method '%s' has no derivatives of its steps here: %s; take differences",
                    it->type->name, why);
}

static flx_status make_arrays(slopes *s)
{
    const flx_dims *d = &s->base.sys->dims;
    size_t nz = (size_t)s->nz, all = (size_t)s->all * nz;
    const flx_array arrays[] = {FLX_ARRAY(s->K, all),
                                FLX_ARRAY(s->Y, nz),
                                FLX_ARRAY(s->dz, nz),
                                FLX_ARRAY(s->dz1, nz),
                                FLX_ARRAY(s->k, nz),
                                FLX_ARRAY(s->y, s->n),
                                FLX_ARRAY(s->d, 2 * d->nv + d->nx + s->n),
                                FLX_ARRAY(s->e, d->nv),
                                FLX_ARRAY(s->in_begin, nz),
                                FLX_ARRAY(s->in_end, nz),
                                FLX_ARRAY(s->in_K, all)};
    s->block = flx_alloc_arrays(s->base.ctx, arrays, sizeof arrays / sizeof arrays[0]);
    return s->block ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status create(flx_slopes *sl, flx_integrator *it)
{
    slopes *s = (slopes *)sl;
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    flx_rk_made made = flx_rk_last(it);
    s->pair = made.pair;
    s->form = sys->ops->explicit_form;
    s->nz = made.n;
    s->n = flx_dims_unknowns(d);
    s->nslope = made.slopes;
    s->inner = made.pair->last_is_end ? made.pair->stages - 1 : made.pair->stages;
    s->all = made.slopes + made.pair->extra;
    s->closes = made.projects && d->nlam + d->nmu > 0;
    FLX_TRY(refuse(it, s));
    if (s->form->prepare) FLX_TRY(s->form->prepare(sys, sl->work));
    FLX_TRY(make_arrays(s));
    for (int i = 0; i < s->all; i++) {
        FLX_TRY(flx_instant_create(sys, &s->in[i]));
        FLX_TRY(flx_state_create(sys, &s->x[i]));
    }
    FLX_TRY(flx_state_create(sys, &s->raw));
    FLX_TRY(flx_state_create(sys, &s->begin));
    FLX_TRY(flx_component_blocks_create(sys, &s->t));
    if (s->closes) {
        FLX_TRY(flx_end_slopes_create(sys, &s->ends));
        FLX_TRY(flx_closer_create(sys, &s->closer));
    }
    s->size = s->raw->size;
    sl->size = flx_slopes_change_size(sys);
    sl->points = s->all + 1;
    sl->stride = s->n > s->nz ? s->n : s->nz;
    if (flx_end_slopes_rows(sys) > sl->stride) sl->stride = flx_end_slopes_rows(sys);
    sl->record = record_size(s, d);
    return FLX_OK;
}

// ---- records ----------------------------------------------------------------------------------------

// z + h sum_j w_j k_j
static void combine(const slopes *s, const double *z, double h, const double *w,
                    const double *const *k, int m, double *out)
{
    memcpy(out, z, (size_t)s->nz * sizeof *out);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < s->nz && w[j] != 0.0; i++) out[i] += h * w[j] * k[j][i];
    }
}

static void record(const flx_slopes *sl, flx_integrator *it, double *out)
{
    slopes *s = (slopes *)(uintptr_t)sl;
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    flx_rk_made m = flx_rk_last(it);
    const flx_rk_pair *r = s->pair;
    parts p = parts_of(s, out);
    const double *k[FLX_RK_SLOPES];
    double *states = out + 4, *q = states + (size_t)s->all * s->size;
    double *raw = q + (size_t)(s->all + 1) * (size_t)d->nq;
    bool good = !m.careful;
    memcpy(k, m.k, sizeof m.k);
    for (int i = 0; i < s->all; i++) {
        bool end = i == s->nslope - 1;
        double t = m.t + (end ? 1.0 : r->c[i]) * m.h;
        if (end) {
            memcpy(s->Y, m.end, (size_t)s->nz * sizeof *s->Y);
        } else {
            combine(s, m.z, m.h, r->a[i], k, i, s->Y);
        }
        flx_state *x = s->x[i];
        flx_state_copy(x, flx_method_of(it)->before);
        double *dz = s->K + (size_t)i * (size_t)s->nz;
        good = s->form->rate(sys, sl->work, t, s->Y, x, dz) == FLX_OK && good;
        if (i >= s->nslope) k[i] = dz;
        memcpy(states + (size_t)i * s->size, x->block, s->size * sizeof *out);
        memcpy(q + (size_t)i * (size_t)d->nq, s->Y, (size_t)d->nq * sizeof *out);
    }
    combine(s, m.z, m.h, r->b, k, s->inner, s->Y);
    flx_state_copy(s->raw, flx_method_of(it)->before);
    s->form->unpack(sys, m.t + m.h, s->Y, s->raw);
    memcpy(q + (size_t)s->all * (size_t)d->nq, s->Y, (size_t)d->nq * sizeof *out);
    memcpy(raw, s->raw->block, s->size * sizeof *out);
    s->raw->t = m.t + m.h;
    if (s->closes) good = flx_closer_close(s->closer, sl->work, s->raw, &p.done) == FLX_OK && good;
    out[0] = m.h;
    out[1] = good ? 1.0 : 0.0;
    out[2] = m.t;
}

static double time_of(const slopes *s, const double *record, int i)
{
    return record[2] + (i == s->nslope - 1 ? 1.0 : s->pair->c[i]) * record[0];
}

static void place_states(slopes *s, const double *record)
{
    parts p = parts_of(s, record);
    for (int i = 0; i < s->all; i++) {
        memcpy(s->x[i]->block, p.states + (size_t)i * s->size, s->size * sizeof *p.states);
        s->x[i]->t = time_of(s, record, i);
    }
    memcpy(s->raw->block, p.raw, s->size * sizeof *p.raw);
    s->raw->t = record[2] + record[0];
}

static const double *q_of(const slopes *s, const double *record, int i)
{
    return parts_of(s, record).q + (size_t)i * (size_t)s->base.sys->dims.nq;
}

static flx_status residuals(flx_slopes *sl, const flx_system *sys, flx_work *work,
                            const flx_state *from, const flx_state *to, const double *record,
                            double *out)
{
    slopes *s = (slopes *)sl;
    (void)from;
    (void)to;
    memset(out, 0, (size_t)(sl->points * sl->stride) * sizeof *out);
    place_states(s, record);
    for (int i = 0; i < s->all; i++, out += sl->stride) {
        flx_point p = flx_state_point(sys, s->x[i]);
        FLX_TRY(flx_instant_residuals(s->in[i], sys, work, &p, out));
    }
    if (!s->closes) return FLX_OK;
    parts p = parts_of(s, record);
    return flx_end_slopes_residuals(s->ends, sys, work, s->raw, s->x[s->nslope - 1], &p.done, out);
}

static flx_status start_t(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                          const double *w, double *wy, flx_slopes_instants *out)
{
    const flx_dims *d = &sl->sys->dims;
    (void)it;
    (void)x;
    (void)h;
    (void)out;
    for (int i = 0; i < d->nv; i++) wy[i] += w[2 * d->nv + i];
    for (int i = 0; i < flx_dims_unknowns(d) - d->nv; i++)
        wy[d->nv + i] += w[3 * d->nv + d->nx + i];
    return FLX_OK;
}

static flx_status open(flx_slopes *sl, const flx_state *from, const flx_state *to,
                       const double *record, bool transposed)
{
    slopes *s = (slopes *)sl;
    const flx_system *sys = sl->sys;
    if (record[1] == 0.0) {
        return FLX_FAIL(sl->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the step that ends at t = %.9g passes a singular position, where stages "
                        "are projected: it has no derivative; take differences",
                        to->t);
    }
    s->record = record;
    s->h = record[0];
    flx_state_copy(s->begin, from);
    place_states(s, record);
    for (int i = 0; i < s->all; i++) {
        flx_point p = flx_state_point(sys, s->x[i]);
        FLX_TRY(flx_instant_open(s->in[i], sl->work, &p, transposed));
    }
    if (!s->closes) return FLX_OK;
    parts p = parts_of(s, record);
    return flx_end_slopes_open(s->ends, sl->work, s->raw, s->x[s->nslope - 1], &p.done, transposed);
}

// ---- direct ---------------------------------------------------------------------------------------

static double *slope_of(const slopes *s, int i)
{
    return s->K + (size_t)i * (size_t)s->nz;
}

// The slope of stage i by the change Y of its place, by components; rp: its rows by a parameter. s->y is filled.
static flx_status stage(slopes *s, int i, const double *Y, const double *rp)
{
    const flx_dims *d = &s->base.sys->dims;
    const double *q = q_of(s, s->record, i), *v = s->x[i]->v;
    double *K = slope_of(s, i);
    flx_components_turn(s->t, q, Y, s->d);
    memcpy(s->d + d->nv, Y + d->nq, (size_t)(d->nv + d->nx) * sizeof *Y);
    FLX_TRY(flx_instant_direct(s->in[i], s->base.work, s->d, rp, s->y));
    flx_components_slope(s->t, q, v, Y, K);
    flx_components_rate(s->t, q, Y + d->nq, s->k);
    for (int j = 0; j < d->nq; j++) K[j] += s->k[j];
    memcpy(K + d->nq, s->y, (size_t)(d->nv + d->nx) * sizeof *K);
    return FLX_OK;
}

static void gather(slopes *s, const double *w, int m, double *Y)
{
    memcpy(Y, s->dz, (size_t)s->nz * sizeof *Y);
    for (int j = 0; j < m; j++) {
        const double *K = slope_of(s, j);
        for (int i = 0; i < s->nz && w[j] != 0.0; i++) Y[i] += s->h * w[j] * K[i];
    }
}

static flx_status direct(flx_slopes *sl, double *rp, double *dz)
{
    slopes *s = (slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    const flx_rk_pair *r = s->pair;
    int end = s->nslope - 1, nv = d->nv;
    double *x = dz + 3 * nv;
    flx_components_rate(s->t, s->begin->q, dz, s->dz);
    memcpy(s->dz + d->nq, dz + nv, (size_t)nv * sizeof *dz);
    memcpy(s->dz + d->nq + nv, x, (size_t)d->nx * sizeof *dz);
    for (int i = 0; i < s->inner; i++) {
        gather(s, r->a[i], i, s->Y);
        FLX_TRY(stage(s, i, s->Y, rp + (size_t)i * (size_t)sl->stride));
    }
    gather(s, r->b, s->inner, s->Y);
    flx_components_turn(s->t, q_of(s, s->record, s->all), s->Y, dz);
    memcpy(dz + nv, s->Y + d->nq, (size_t)nv * sizeof *dz);
    memcpy(x, s->Y + d->nq + nv, (size_t)d->nx * sizeof *dz);
    if (s->closes)
        FLX_TRY(flx_end_slopes_direct(s->ends, sl->work, rp + (size_t)s->all * (size_t)sl->stride,
                                      dz, dz + nv));
    flx_components_rate(s->t, q_of(s, s->record, end), dz, s->Y);
    memcpy(s->Y + d->nq, dz + nv, (size_t)nv * sizeof *dz);
    memcpy(s->Y + d->nq + nv, x, (size_t)d->nx * sizeof *dz);
    FLX_TRY(stage(s, end, s->Y, rp + (size_t)end * (size_t)sl->stride));
    memcpy(dz + 2 * nv, s->y, (size_t)nv * sizeof *dz);
    memcpy(x + d->nx, s->y + nv, (size_t)(s->n - nv) * sizeof *dz);
    for (int i = s->nslope; i < s->all; i++) {
        gather(s, r->a[i], i, s->Y);
        FLX_TRY(stage(s, i, s->Y, rp + (size_t)i * (size_t)sl->stride));
    }
    for (int i = 0; i < s->all; i++)
        memcpy(rp + (size_t)i * (size_t)sl->stride, slope_of(s, i), (size_t)s->nz * sizeof *rp);
    return FLX_OK;
}

// ---- adjoint --------------------------------------------------------------------------------------

// Weights K of the slope of stage i, and those of s->y beyond v' and x', which the caller has set: eta, and weights of its place,
// by components, into Y.
static flx_status stage_t(slopes *s, int i, double *eta)
{
    const flx_dims *d = &s->base.sys->dims;
    const double *q = q_of(s, s->record, i), *v = s->x[i]->v, *K = slope_of(s, i);
    int nv = d->nv, nx = d->nx;
    for (int j = 0; j < nv + nx; j++) s->y[j] += K[d->nq + j];
    memset(s->d, 0, (size_t)(2 * nv + nx) * sizeof *s->d);
    FLX_TRY(flx_instant_adjoint(s->in[i], s->base.work, s->y, eta, s->d));
    memset(s->Y, 0, (size_t)s->nz * sizeof *s->Y);
    memcpy(s->Y + d->nq, s->d + nv, (size_t)(nv + nx) * sizeof *s->Y);
    flx_components_rate_t(s->t, q, K, s->Y + d->nq);
    flx_components_turn_t(s->t, q, s->d, s->Y);
    flx_components_slope_t(s->t, q, v, K, s->Y);
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    return FLX_OK;
}

// The transpose of gather.
static void spread(slopes *s, const double *w, int m)
{
    for (int i = 0; i < s->nz; i++) s->dz[i] += s->Y[i];
    for (int j = 0; j < m; j++) {
        double *K = slope_of(s, j);
        for (int i = 0; i < s->nz && w[j] != 0.0; i++) K[i] += s->h * w[j] * s->Y[i];
    }
}

static flx_status adjoint(flx_slopes *sl, double *w, double *eta)
{
    slopes *s = (slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    const flx_rk_pair *r = s->pair;
    int end = s->nslope - 1, nv = d->nv;
    size_t nz = (size_t)s->nz * sizeof *w, all = (size_t)s->all;
    double *x = w + 3 * nv, *wq = s->e;
    memset(eta, 0, (size_t)(sl->points * sl->stride) * sizeof *eta);
    memcpy(s->K, s->in_K, all * nz);
    memcpy(s->dz, s->in_begin, nz);
    memset(s->in_K, 0, all * nz);
    memset(s->in_begin, 0, nz);
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    for (int i = s->all - 1; i >= s->nslope; i--) {
        FLX_TRY(stage_t(s, i, eta + (size_t)i * (size_t)sl->stride));
        spread(s, r->a[i], i);
    }
    // the slope at the end, with accelerations and multipliers there
    memcpy(s->y, w + 2 * nv, (size_t)nv * sizeof *w);
    memcpy(s->y + nv, x + d->nx, (size_t)(s->n - nv) * sizeof *w);
    FLX_TRY(stage_t(s, end, eta + (size_t)end * (size_t)sl->stride));
    for (int i = 0; i < s->nz; i++) s->Y[i] += s->in_end[i];
    memset(s->in_end, 0, nz);
    memcpy(wq, w, (size_t)nv * sizeof *w);
    flx_components_rate_t(s->t, q_of(s, s->record, end), s->Y, wq);
    for (int i = 0; i < nv; i++) w[nv + i] += s->Y[d->nq + i];
    for (int i = 0; i < d->nx; i++) x[i] += s->Y[d->nq + nv + i];
    if (s->closes)
        FLX_TRY(flx_end_slopes_adjoint(s->ends, sl->work, wq, w + nv,
                                       eta + (size_t)s->all * (size_t)sl->stride));
    memset(s->Y, 0, nz);
    flx_components_turn_t(s->t, q_of(s, s->record, s->all), wq, s->Y);
    memcpy(s->Y + d->nq, w + nv, (size_t)nv * sizeof *w);
    memcpy(s->Y + d->nq + nv, x, (size_t)d->nx * sizeof *w);
    spread(s, r->b, s->inner);
    for (int i = s->inner - 1; i >= 0; i--) {
        FLX_TRY(stage_t(s, i, eta + (size_t)i * (size_t)sl->stride));
        spread(s, r->a[i], i);
    }
    memset(w, 0, (size_t)sl->size * sizeof *w);
    flx_components_rate_t(s->t, s->begin->q, s->dz, w);
    memcpy(w + nv, s->dz + d->nq, (size_t)nv * sizeof *w);
    memcpy(x, s->dz + d->nq + nv, (size_t)d->nx * sizeof *w);
    return FLX_OK;
}

// ---- inside -----------------------------------------------------------------------------------------

// (DP-3) as weights: of the beginning, the end, and the slopes, each times h.
static void weights_inside(const slopes *s, double place, double *begin, double *end, double *k)
{
    const flx_rk_pair *r = s->pair;
    double c[FLX_RK_DENSE], u[2] = {place, 1.0 - place}, product = 1.0;
    for (int j = 0; j < r->ndense; j++) c[j] = product *= u[j % 2];
    memset(k, 0, FLX_RK_SLOPES * sizeof *k);
    double d1 = c[1], d2 = c[2],
           diff = c[0] - d1 + 2.0 * d2; // of z1 - z; F_1 = h k - F_0; F_2 = F_0 - h k_1 - F_1
    *begin = 1.0 - diff;
    *end = diff;
    k[0] += d1 - d2;
    k[s->nslope - 1] -= d2;
    for (int j = 3; j < r->ndense; j++) {
        for (int i = 0; i < s->all; i++) k[i] += c[j] * r->d[j - 3][i];
    }
}

static void slope_at(slopes *s, const double *record, int i, double *k)
{
    const flx_dims *d = &s->base.sys->dims;
    flx_components_rate(s->t, q_of(s, record, i), s->x[i]->v, k);
    memcpy(k + d->nq, s->x[i]->a, (size_t)d->nv * sizeof *k);
    memcpy(k + d->nq + d->nv, s->x[i]->dx, (size_t)d->nx * sizeof *k);
}

static void inside(flx_slopes *sl, const flx_state *from, const double *record, double place,
                   flx_state *out)
{
    slopes *s = (slopes *)sl;
    double begin, end, k[FLX_RK_SLOPES];
    flx_state_copy(out, from); // switches are those of the step
    place_states(s, record);
    weights_inside(s, place, &begin, &end, k);
    s->form->pack(sl->sys, from, s->Y);
    s->form->pack(sl->sys, s->x[s->nslope - 1], s->dz1);
    for (int i = 0; i < s->nz; i++) s->Y[i] = begin * s->Y[i] + end * s->dz1[i];
    for (int j = 0; j < s->all; j++) {
        if (k[j] == 0.0) continue;
        slope_at(s, record, j, s->dz1);
        for (int i = 0; i < s->nz; i++) s->Y[i] += record[0] * k[j] * s->dz1[i];
    }
    s->form->unpack(sl->sys, record[2] + place * record[0], s->Y, out);
    out->t = record[2] + place * record[0];
}

static flx_status close_inside(flx_slopes *sl, flx_integrator *it, flx_state *x)
{
    (void)sl;
    return flx_rk_close(it, x);
}

static void weigh_inside(flx_slopes *sl, double place, double *by)
{
    slopes *s = (slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    double begin, end, k[FLX_RK_SLOPES];
    inside(sl, s->begin, s->record, place, s->raw); // leaves its z in Y
    memcpy(s->dz1, s->Y, (size_t)d->nq * sizeof *s->dz1);
    memset(s->Y, 0, (size_t)s->nz * sizeof *s->Y);
    flx_components_turn_t(s->t, s->dz1, by, s->Y);
    memcpy(s->Y + d->nq, by + d->nv, (size_t)d->nv * sizeof *by);
    memcpy(s->Y + d->nq + d->nv, by + 3 * d->nv, (size_t)d->nx * sizeof *by);
    weights_inside(s, place, &begin, &end, k);
    for (int i = 0; i < s->nz; i++) {
        s->in_begin[i] += begin * s->Y[i];
        s->in_end[i] += end * s->Y[i];
        for (int j = 0; j < s->all; j++)
            s->in_K[(size_t)j * (size_t)s->nz + (size_t)i] += s->h * k[j] * s->Y[i];
    }
    place_states(s, s->record);
}

// The slopes moved; their ends are those of the states.
static flx_status install(const flx_slopes *sl, flx_integrator *it, const double *record,
                          const double *rp, const double *change, double e)
{
    slopes *s = (slopes *)(uintptr_t)sl;
    const flx_method *m = flx_method_of(it);
    flx_rk_made made = flx_rk_last(it);
    (void)change;
    place_states(s, record);
    made.t = record[2];
    made.h = record[0];
    s->form->pack(sl->sys, m->before, s->Y);
    s->form->pack(sl->sys, m->after, s->dz1);
    made.z = s->Y;
    made.end = s->dz1;
    for (int i = 0; i < s->nslope; i++) {
        double *k = slope_of(s, i);
        slope_at(s, record, i, k);
        const double *dk = rp + (size_t)i * (size_t)sl->stride;
        for (int j = 0; j < s->nz; j++) k[j] += e * dk[j];
        made.k[i] = k;
    }
    flx_rk_install(it, &made);
    return FLX_OK;
}

const flx_slopes_type flx_explicit_slopes = {.bytes = sizeof(slopes),
                                             .create = create,
                                             .destroy = destroy,
                                             .record = record,
                                             .residuals = residuals,
                                             .jumps = true,
                                             .start = flx_slopes_start_at_state,
                                             .has_start_t = flx_slopes_start_is_smooth,
                                             .start_t = start_t,
                                             .open = open,
                                             .direct = direct,
                                             .adjoint = adjoint,
                                             .change = flx_slopes_change_state,
                                             .change_t = flx_slopes_change_state_t,
                                             .install = install,
                                             .inside = inside,
                                             .close = close_inside,
                                             .weigh_inside = weigh_inside};
