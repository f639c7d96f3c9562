// collocation_slopes.c - derivatives of steps by collocation (collocation.h): radau, implicit-euler, lobatto IIIC in index 3 and
// GGL; gauss, midpoint, lobatto IIIA and trapezoidal without rigid rows.
//
// The unknowns of a step are those of all its stages, their velocities beside them. Changes of q are in the chart at q, with
// Z_i = q_i (-) q_n, a_ij = Ai_ij / h and T_i = B(-Z_i)^-1:
//     dq_i = B(Z_i) (T_i dq_n + dZ_i),   dV'_i = sum_j a_ij (dV_j - dv_n),   dx'_i = sum_j a_ij (dx_j - dx_n)
//     A0_i (dq_i, dx_i, dw_i, dlam_i, dmu_i) + A1_i (dV_i, dx'_i) + A2_i dV'_i + r_p dp = 0
//     dV_i = d(B(Z_i) Z'_i) + S^2 d(G_i^T eta_i),   d(G_i V_i + g_t) = 0                                  (SEN-7)
// (SEN-8) nearly inverts it; products with all of it, and GMRES, do the rest. With eta and V held, the derivative of
// eta^T G V by q is that of G^T eta times V, which the matrix A0 has for multipliers eta: so the transposed products are found.
// The last stage is the end of the step. Joints that are closed there stay so: their change is tangential already.
// Of gauss and midpoint no stage is: q_n+1 = q_n (+) sum_j d_j Z_j, and likewise v, x; what is not in them follows as in
// (SEN-9), whose rows are those of one point more. Of IIIA the rates at the beginning of a step are those of a stage.
#include "integrate/slopes/collocation_slopes.h"

#include "base/arrays.h"

#include <math.h>
#include <string.h>

// Unknowns of all stages, of systems whose matrices are written in full: beyond, differences of runs are cheaper.
#define MOST_FULL 500

// ---- records ---------------------------------------------------------------------------------------

static size_t record_size(const collocation *co, const flx_dims *d)
{
    return 2 + (size_t)co->most * (size_t)(co->n + 2 * d->nv + d->nx + d->nlam);
}

static void record(const flx_slopes *sl, flx_integrator *it, double *out)
{
    const collocation *co = it->data;
    const flx_dims *d = &sl->sys->dims;
    const collocation_stages *st = &co->last;
    size_t s = (size_t)co->tab_last->s, most = (size_t)co->most;
    out[0] = (double)(co->tab_last - co->table);
    out[1] = co->h_last;
    out += 2;
    const double *from[5] = {st->U, st->V, st->A, st->dX, st->eta};
    const int width[5] = {co->n, d->nv, d->nv, d->nx, d->nlam};
    for (int k = 0; k < 5; k++) {
        memcpy(out, from[k], s * (size_t)width[k] * sizeof *out);
        out += most * (size_t)width[k];
    }
}

// ---- life -----------------------------------------------------------------------------------------

static void destroy(flx_slopes *sl)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    for (int i = 0; i < COLLOCATION_STAGES; i++) flx_step_matrix_destroy(&s->m[i]);
    flx_step_matrix_destroy(&s->other);
    flx_stage_matrix_destroy(&s->matrix);
    flx_gmres_destroy(&s->gmres);
    flx_instant_destroy(&s->end);
    flx_free(s->block);
}

static flx_status refuse(const flx_integrator *it, const collocation *co)
{
    int all = co->most * flx_stage_size(&it->sys->dims);
    const flx_dims *d = &it->sys->dims;
    bool ends = co->tab->ends && !co->settler;
    if (!ends && (co->nrigid > 0 || (co->tab->slopes && d->nlam + d->nmu > 0))) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' moves the ends of its steps to constraints, and has no "
                        "derivatives of its steps then: take joint coordinates, 'radau', or "
                        "differences",
                        it->type->name);
    }
    if (!ends && co->rings && !co->adaptive && co->stiff.nsoft > 0) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' holds stiff constraints at the ends of its steps, and has no "
                        "derivatives of its steps then: take 'radau', or differences",
                        it->type->name);
    }
    if (it->sys->pattern.extra > 0 && all > MOST_FULL) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the stages of a step in joint coordinates have %d unknowns, more than %d, "
                        "whose matrices would be written in full: take differences, or "
                        "'formulation: ggl'",
                        all, MOST_FULL);
    }
    if (it->sys->ops->touches) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "contacts that are met step by step have no derivatives of steps");
    }
    if (co->ggl && co->npos > 0 && it->sys->reads_multipliers) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "forces read those of joints, and method '%s' in formulation ggl has no "
                        "derivatives then: give 'formulation: index-3', or take differences",
                        it->type->name);
    }
    return FLX_OK;
}

static flx_status create(flx_slopes *sl, flx_integrator *it)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    const collocation *co = s->co = it->data;
    FLX_TRY(refuse(it, co));
    s->n = co->n;
    s->first = co->first;
    s->ggl = co->ggl && co->npos > 0;
    s->size = flx_stage_size(d);
    sl->size = parts_of(d).w + rest_of(d);
    sl->points = co->most + (co->tab->ends ? 0 : 1);
    sl->stride = s->size;
    sl->record = record_size(co, d);
    size_t most = (size_t)co->most, nv = (size_t)d->nv, n = (size_t)s->n, size = (size_t)s->size;
    const flx_array arrays[] = {FLX_ARRAY(s->Q, most * (size_t)d->nq),
                                FLX_ARRAY(s->rate, most * nv),
                                FLX_ARRAY(s->back, most * nv),
                                FLX_ARRAY(s->row, size),
                                FLX_ARRAY(s->col, size),
                                FLX_ARRAY(s->y, most * size),
                                FLX_ARRAY(s->b, most * size),
                                FLX_ARRAY(s->x, most * size),
                                FLX_ARRAY(s->inside, most * size),
                                FLX_ARRAY(s->inside_z, sl->size),
                                FLX_ARRAY(s->u0, n),
                                FLX_ARRAY(s->u1, n),
                                FLX_ARRAY(s->u2, n),
                                FLX_ARRAY(s->p, nv),
                                FLX_ARRAY(s->q, d->nq),
                                FLX_ARRAY(s->r, nv),
                                FLX_ARRAY(s->s, nv),
                                FLX_ARRAY(s->theta, nv),
                                FLX_ARRAY(s->lam, d->nlam),
                                FLX_ARRAY(s->gd, 2 * d->nlam),
                                FLX_ARRAY(s->step, nv),
                                FLX_ARRAY(s->step_back, nv),
                                FLX_ARRAY(s->wy, n),
                                FLX_ARRAY(s->wz, 2 * nv + (size_t)d->nx),
                                FLX_ARRAY(s->scale, nv)};
    s->block = flx_alloc_arrays(sl->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!s->block) return FLX_ERR_MEMORY;
    memcpy(s->scale, co->scale, nv * sizeof *s->scale);
    for (int i = 0; i < co->most; i++) FLX_TRY(flx_step_matrix_create(sl->sys, &s->m[i]));
    if (s->ggl) FLX_TRY(flx_step_matrix_create(sl->sys, &s->other));
    if (!co->tab->ends) FLX_TRY(flx_instant_create(sl->sys, &s->end));
    const flx_stage_rows rows = {
        .ggl = s->ggl, .on_position = co->on_position, .sigma = co->sigma, .metric = co->metric};
    FLX_TRY(flx_stage_matrix_create(sl->sys, &rows, &s->matrix));
    return flx_gmres_create(sl->ctx, co->most * s->size, &s->gmres);
}

// ---- the step -------------------------------------------------------------------------------------

flx_point flx_stage_point(const flx_stage_slopes *s, const flx_state *from, const double *rec,
                          int i)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    const stage_values v = values_of(s, rec);
    const double *U = v.U + (size_t)i * (size_t)s->n;
    const collocation_tableau *t = s->co->table + (int)rec[0];
    return (flx_point){.t = from->t + t->c[i] * rec[1],
                       .q = s->Q + (size_t)i * (size_t)d->nq,
                       .v = v.V + (size_t)i * (size_t)d->nv,
                       .a = v.A + (size_t)i * (size_t)d->nv,
                       .x = U + d->nv,
                       .dx = v.dX + (size_t)i * (size_t)d->nx,
                       .w = U + d->nv + d->nx,
                       .lam = U + s->first,
                       .mu = U + s->first + d->nlam,
                       .param = sys->param,
                       .switches = from->switches};
}

static void place_stages(flx_stage_slopes *s, const flx_state *from, const double *rec)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    const collocation_tableau *t = s->co->table + (int)rec[0];
    const double *U = values_of(s, rec).U;
    for (int i = 0; i < t->s && d->nv > 0; i++)
        sys->ops->retract(sys, from->q, U + (size_t)i * (size_t)s->n,
                          s->Q + (size_t)i * (size_t)d->nq);
}

// Rows of (SEN-7), of a system with the same structure and other parameters.
static flx_status residuals(flx_slopes *sl, const flx_system *sys, flx_work *work,
                            const flx_state *from, const flx_state *to, const double *rec,
                            double *out)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    const flx_dims *d = &sys->dims;
    const collocation_tableau *t = s->co->table + (int)rec[0];
    memset(out, 0, (size_t)(sl->points * sl->stride) * sizeof *out);
    place_stages(s, from, rec);
    for (int j = 0; j < d->nv && s->ggl; j++) { // scales follow lengths of the model
        flx_unknown u;
        sys->ops->unknown(sys, j, &u);
        s->scale[j] = u.scale > 0.0 ? u.scale : 1.0;
    }
    for (int i = 0; i < t->s; i++, out += s->size) {
        flx_point p = flx_stage_point(s, from, rec, i);
        p.param = sys->param;
        FLX_TRY(sys->ops->residual(sys, work, &p, out));
        if (!s->ggl) continue;
        double *k = out + s->n, *g = k + d->nv;
        const double *eta = values_of(s, rec).eta + (size_t)i * (size_t)d->nlam;
        FLX_TRY(sys->ops->constraint_force(sys, work, &p, eta, k));
        for (int j = 0; j < d->nv; j++) k[j] *= -s->scale[j] * s->scale[j];
        FLX_TRY(sys->ops->constraint_rate(sys, work, &p, g));
        for (int j = 0; j < d->nlam; j++) g[j] = s->co->on_position[j] ? g[j] : 0.0;
    }
    if (t->ends) return FLX_OK;
    flx_point end = flx_state_point(sys, to);
    return flx_instant_residuals(s->end, sys, work, &end, out);
}

// z is the state.
static flx_status start_t(flx_slopes *sl, flx_integrator *it, const flx_state *x, double h,
                          const double *w, double *wy, flx_slopes_instants *out)
{
    const flx_dims *d = &sl->sys->dims;
    parts at = parts_of(d);
    (void)it;
    (void)x;
    (void)h;
    (void)out;
    for (int i = 0; i < d->nv; i++) wy[i] += w[at.a + i];
    for (int i = 0; i < d->nx + rest_of(d); i++) wy[d->nv + i] += w[at.dx + i];
    return FLX_OK;
}

static flx_status open(flx_slopes *sl, const flx_state *from, const flx_state *to,
                       const double *rec, bool transposed)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    s->tab = s->co->table + (int)rec[0];
    s->h = rec[1];
    s->record = rec;
    s->from = from;
    s->transposed = transposed;
    place_stages(s, from, rec);
    const double *U = values_of(s, rec).U;
    for (int i = 0; i < s->tab->s; i++) {
        const double *Z = U + (size_t)i * (size_t)s->n;
        for (int k = 0; k < d->nv; k++) {
            double sum = s->tab->slopes ? -s->tab->slope[i] * from->v[k] : 0.0;
            for (int j = 0; j < s->tab->s; j++)
                sum += s->tab->Ai[i][j] / s->h * U[(size_t)j * (size_t)s->n + (size_t)k];
            s->rate[i * d->nv + k] = sum;
            s->back[i * d->nv + k] = -Z[k];
        }
        flx_point p = flx_stage_point(s, from, rec, i);
        FLX_TRY(flx_step_matrix_linearise(s->m[i], sl->work, &p));
    }
    for (int k = 0; k < d->nv; k++) {
        s->step[k] = 0.0;
        for (int j = 0; j < s->tab->s; j++)
            s->step[k] += s->tab->d[j] * U[(size_t)j * (size_t)s->n + (size_t)k];
        s->step_back[k] = -s->step[k];
    }
    if (!s->tab->ends) {
        flx_point p = flx_state_point(sl->sys, to);
        FLX_TRY(flx_instant_open(s->end, sl->work, &p, transposed));
    }
    flx_stage_scales(d, s->h, s->row, s->col);
    return flx_stage_matrix_factor(s->matrix, sl->work, s->tab, s->h, s->m, transposed);
}

// ---- solving --------------------------------------------------------------------------------------------

static flx_status product(void *user, const double *x, double *out)
{
    flx_stage_slopes *s = user;
    const double *in = s->transposed ? s->row : s->col, *by = s->transposed ? s->col : s->row;
    int all = s->tab->s * s->size;
    for (int i = 0; i < all; i++) s->y[i] = in[i % s->size] * x[i];
    if (s->transposed) {
        FLX_TRY(flx_stage_multiply_t(s, s->y, out, NULL));
    } else {
        FLX_TRY(flx_stage_multiply(s, s->y, NULL, out));
    }
    for (int i = 0; i < all; i++) out[i] *= by[i % s->size];
    return FLX_OK;
}

static void solve_nearly(void *user, double *x)
{
    const flx_stage_slopes *s = user;
    flx_stage_matrix_solve(s->matrix, x);
}

// s->b is scaled, and solved for; s->y receives the solution.
static flx_status solve(flx_stage_slopes *s)
{
    const double *in = s->transposed ? s->col : s->row, *by = s->transposed ? s->row : s->col;
    const flx_gmres_system system = {.user = s, .product = product, .solve = solve_nearly};
    int all = s->tab->s * s->size;
    double left;
    for (int i = 0; i < all; i++) s->b[i] *= in[i % s->size];
    FLX_TRY(flx_gmres_solve(s->gmres, all, &system, s->b, s->x, &left));
    for (int i = 0; i < all; i++) s->y[i] = by[i % s->size] * s->x[i];
    return flx_slopes_judge(&s->base, left, 1.0);
}

// The end of a step that no stage is, of the changes in s->y and dz at its beginning; rp: rows of its instant.
static flx_status reach_end(flx_stage_slopes *s, const double *rp, double *dz)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    parts at = parts_of(d);
    const collocation_tableau *t = s->tab;
    int nv = d->nv, nx = d->nx;
    memset(s->p, 0, (size_t)nv * sizeof *s->p);
    if (nv > 0) sys->ops->rate(sys, s->step_back, dz, s->p);
    double begin = 1.0;
    for (int j = 0; j < t->s; j++) begin -= t->d[j];
    for (int k = 0; k < nv; k++) dz[at.v + k] *= begin;
    for (int k = 0; k < nx; k++) dz[at.x + k] *= begin;
    for (int j = 0; j < t->s; j++) {
        const double *y = s->y + (size_t)j * (size_t)s->size;
        for (int k = 0; k < nv; k++) {
            s->p[k] += t->d[j] * y[k];
            dz[at.v + k] += t->d[j] * y[s->n + k];
        }
        for (int k = 0; k < nx; k++) dz[at.x + k] += t->d[j] * y[nv + k];
    }
    if (nv > 0) sys->ops->velocity(sys, s->step, s->p, dz);
    memcpy(s->wz, dz, (size_t)(2 * nv) * sizeof *dz);
    memcpy(s->wz + 2 * nv, dz + at.x, (size_t)nx * sizeof *dz);
    FLX_TRY(flx_instant_direct(s->end, s->base.work, s->wz, rp, s->wy));
    memcpy(dz + at.a, s->wy, (size_t)nv * sizeof *dz);
    memcpy(dz + at.dx, s->wy + nv, (size_t)(s->n - nv) * sizeof *dz);
    return FLX_OK;
}

// The transpose: weights w at the end become those of the stages, s->b, and of the beginning; eta: of the rows of its instant.
static flx_status weigh_end(flx_stage_slopes *s, double *w, double *eta)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    parts at = parts_of(d);
    const collocation_tableau *t = s->tab;
    int nv = d->nv, nx = d->nx;
    memcpy(s->wy, w + at.a, (size_t)nv * sizeof *w);
    memcpy(s->wy + nv, w + at.dx, (size_t)(s->n - nv) * sizeof *w);
    memcpy(s->wz, w, (size_t)(2 * nv) * sizeof *w);
    memcpy(s->wz + 2 * nv, w + at.x, (size_t)nx * sizeof *w);
    FLX_TRY(flx_instant_adjoint(s->end, s->base.work, s->wy, eta, s->wz));
    if (nv > 0) sys->ops->velocity_t(sys, s->step, s->wz, s->p);
    double begin = 1.0;
    for (int j = 0; j < t->s; j++) {
        double *b = s->b + (size_t)j * (size_t)s->size;
        begin -= t->d[j];
        for (int k = 0; k < nv; k++) {
            b[k] += t->d[j] * s->p[k];
            b[s->n + k] += t->d[j] * s->wz[nv + k];
        }
        for (int k = 0; k < nx; k++) b[nv + k] += t->d[j] * s->wz[2 * nv + k];
    }
    memset(w, 0, (size_t)s->base.size * sizeof *w);
    if (nv > 0) sys->ops->rate_t(sys, s->step_back, s->p, w);
    for (int k = 0; k < nv; k++) w[at.v + k] = begin * s->wz[nv + k];
    for (int k = 0; k < nx; k++) w[at.x + k] = begin * s->wz[2 * nv + k];
    return FLX_OK;
}

static flx_status direct(flx_slopes *sl, double *rp, double *dz)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    parts at = parts_of(d);
    int all = s->tab->s * s->size, last = s->tab->s - 1;
    memset(s->y, 0, (size_t)all * sizeof *s->y);
    FLX_TRY(flx_stage_multiply(s, s->y, dz, s->b));
    for (int i = 0; i < all; i++) s->b[i] = -s->b[i] - rp[i];
    FLX_TRY(solve(s));
    if (!s->tab->ends) FLX_TRY(reach_end(s, rp + all, dz));
    memcpy(rp, s->y, (size_t)all * sizeof *rp);
    if (!s->tab->ends) return FLX_OK;
    const double *end = s->y + (size_t)last * (size_t)s->size;
    flx_stage_place_change(s, last, s->y, dz, s->p);
    flx_stage_differentiate(s, last, s->y + s->n, dz + at.v, dz + at.a, d->nv, s->r);
    flx_stage_differentiate(s, last, s->y + d->nv, dz + at.x, dz + at.dx, d->nx, dz + at.dx);
    memcpy(dz + at.a, s->r, (size_t)d->nv * sizeof *dz);
    memcpy(dz, s->p, (size_t)d->nv * sizeof *dz);
    memcpy(dz + at.v, end + s->n, (size_t)d->nv * sizeof *dz);
    memcpy(dz + at.x, end + d->nv, (size_t)d->nx * sizeof *dz);
    memcpy(dz + at.w, end + d->nv + d->nx, (size_t)rest_of(d) * sizeof *dz);
    return FLX_OK;
}

// Weights w at the end, which is the last stage, become those of the stages, s->b, and of the beginning.
static void weigh_last(flx_stage_slopes *s, double *w)
{
    const flx_dims *d = &s->base.sys->dims;
    parts at = parts_of(d);
    int last = s->tab->s - 1;
    double *end = s->b + (size_t)last * (size_t)s->size;
    // what the end is made of
    memcpy(end + s->n, w + at.v, (size_t)d->nv * sizeof *w);
    memcpy(end + d->nv, w + at.x, (size_t)d->nx * sizeof *w);
    memcpy(end + d->nv + d->nx, w + at.w, (size_t)rest_of(d) * sizeof *w);
    memcpy(s->r, w + at.a, (size_t)d->nv * sizeof *w);
    memcpy(s->wz, w + at.dx, (size_t)d->nx * sizeof *w);
    memset(w + at.v, 0, (size_t)d->nv * sizeof *w);
    memset(w + at.a, 0, (size_t)d->nv * sizeof *w);
    memset(w + at.dx, 0, (size_t)(d->nx + rest_of(d)) * sizeof *w);
    memset(w + at.x, 0, (size_t)d->nx * sizeof *w);
    flx_stage_spread_rate(s, last, s->r, d->nv, 1.0, s->b + s->n, w + at.v, w + at.a);
    flx_stage_spread_rate(s, last, s->wz, d->nx, 1.0, s->b + d->nv, w + at.x, w + at.dx);
    memcpy(s->p, w, (size_t)d->nv * sizeof *w);
    memset(w, 0, (size_t)d->nv * sizeof *w);
    flx_stage_spread_place(s, last, s->p, s->b, w);
}

static flx_status adjoint(flx_slopes *sl, double *w, double *eta)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    int all = s->tab->s * s->size;
    memset(s->b, 0, (size_t)all * sizeof *s->b);
    memset(eta, 0, (size_t)(sl->points * sl->stride) * sizeof *eta);
    if (s->tab->ends) {
        weigh_last(s, w);
    } else {
        FLX_TRY(weigh_end(s, w, eta + all));
    }
    for (int i = 0; i < all; i++) s->b[i] += s->inside[i];
    for (int i = 0; i < sl->size; i++) w[i] += s->inside_z[i];
    memset(s->inside, 0, (size_t)all * sizeof *w);
    memset(s->inside_z, 0, (size_t)sl->size * sizeof *w);
    FLX_TRY(solve(s));
    memcpy(eta, s->y, (size_t)all * sizeof *eta);
    for (int i = 0; i < sl->size; i++) w[i] = -w[i]; // less what the equations weigh
    FLX_TRY(flx_stage_multiply_t(s, eta, s->b, w));
    for (int i = 0; i < sl->size; i++) w[i] = -w[i];
    return FLX_OK;
}

#define ENDS                                                                                       \
    .bytes = sizeof(flx_stage_slopes), .create = create, .destroy = destroy, .record = record,     \
    .residuals = residuals, .jumps = true, .start = flx_slopes_start_at_state,                     \
    .has_start_t = flx_slopes_start_is_smooth, .start_t = start_t, .open = open, .direct = direct, \
    .adjoint = adjoint, .change = flx_slopes_change_state, .change_t = flx_slopes_change_state_t

const flx_slopes_type flx_collocation_slopes = {
    ENDS, .install = flx_stage_install, .inside = flx_stage_inside, .close = flx_stage_close,
    .weigh_inside = flx_stage_weigh_inside};

// Values inside steps are made of the ends, by Hermite's polynomials.
const flx_slopes_type flx_collocation_ends_slopes = {ENDS};
