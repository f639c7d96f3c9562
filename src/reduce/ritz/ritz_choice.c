// ritz_choice.c - shapes chosen among Ritz vectors. In coordinates z = L^(1/2) x the stiffness is 1, the mass L^-1, and the
// loads L^(-1/2) b: all of it dense and small.
#include "reduce/bases.h"

#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void flx_ritz_choice_clear(flx_ritz_choice *c)
{
    flx_free(c->U);
    flx_free(c->T);
    flx_free(c->L);
    flx_free(c->worst);
    flx_free(c->errors);
    flx_free(c->spun);
    *c = (flx_ritz_choice){0};
}

// Columns of A (m, k) by its singular vectors of values above `least` of the largest: appended to the candidates.
static flx_status append(flx_ritz_choice *c, int k, double *A, double least)
{
    flx_ctx *ctx = c->ritz->ports.ctx;
    int m = c->ritz->m, some = m < k ? m : k;
    double *w = flx_alloc(ctx, (size_t)some, sizeof *w);
    double *U = flx_alloc(ctx, (size_t)m * (size_t)m, sizeof *U);
    double *V = flx_alloc(ctx, (size_t)k * (size_t)k, sizeof *V);
    flx_status status = w && U && V ? flx_dense_svd(ctx, m, k, A, w, U, V) : FLX_ERR_MEMORY;
    for (int j = 0; j < some && status == FLX_OK && c->count < m; j++) {
        if (!(w[j] > least * w[0])) break;
        double *u = c->U + (size_t)c->count * (size_t)m;
        memcpy(u, U + (size_t)j * (size_t)m, (size_t)m * sizeof *u);
        for (int sweep = 0; sweep < 2; sweep++) {
            for (int i = 0; i < c->count; i++) {
                const double *v = c->U + (size_t)i * (size_t)m;
                FLX_ONE_THREAD cblas_daxpy(m, -flx_blas_dot(m, u, v), v, 1, u, 1);
            }
        }
        double size = flx_blas_norm(m, u);
        if (!(size > 1e-6)) continue;
        FLX_ONE_THREAD cblas_dscal(m, 1 / size, u, 1);
        c->count++;
    }
    flx_free(w);
    flx_free(U);
    flx_free(V);
    return status;
}

// Loads at all ports that nothing else balances are among the conditions.
static bool has_all_loads(const flx_ritz *r)
{
    for (int i = 0; i < r->conditions.count; i++) {
        if (r->conditions.items[i].free || r->conditions.items[i].all) return true;
    }
    return false;
}

// The static shapes of the conditions alone: loads at the ports that are free with what then holds the others. A (p, m):
// those of single loads. The frequency is far below the body's own, so that the rigid motion decides what holds.
static flx_status append_held(flx_ritz_choice *c, const double *A, double least)
{
    const flx_ritz *r = c->ritz;
    int m = r->m, p = r->model.p;
    double omega = 1e-4 * sqrt(r->model.L[0]);
    flx_port_work w;
    double *X = flx_alloc(r->ports.ctx, (size_t)m * (size_t)p, sizeof *X);
    if (!X) return FLX_ERR_MEMORY;
    flx_status status = flx_port_work_init(r->ports.ctx, m, p, &w);
    for (int i = 0; i < r->conditions.count && status == FLX_OK; i++) {
        if (!flx_port_respond(&r->model, &r->damping, omega, &w)) break;
        flx_port_add_rigid(&r->ports, &r->damping, omega, &w);
        if (!flx_port_hold(&r->ports, r->conditions.items + i, &w)) continue;
        for (int j = 0; j < w.columns; j++) {
            for (int k = 0; k < m; k++) {
                double sum = 0;
                for (int l = 0; l < p; l++) sum += A[l * m + k] * creal(w.T[j * p + l]);
                X[j * m + k] = sum;
            }
        }
        status = flx_ritz_choice_add(c, w.columns, X, least);
    }
    flx_port_work_clear(&w);
    flx_free(X);
    return status;
}

flx_status flx_ritz_choice_init(const flx_ritz *r, double part, flx_ritz_choice *out)
{
    int m = r->m, p = r->model.p;
    *out = (flx_ritz_choice){.ritz = r};
    out->U = flx_alloc(r->ports.ctx, (size_t)m * (size_t)m, sizeof *out->U);
    out->worst = flx_alloc(r->ports.ctx, (size_t)m + 1, sizeof *out->worst);
    double *A = flx_alloc(r->ports.ctx, (size_t)m * (size_t)p, sizeof *A);
    flx_status status = out->U && out->worst && A ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i <= m; i++) out->worst[i] = -1;
        for (int i = 0; i < m * p; i++) A[i] = r->model.b[i] / sqrt(r->model.L[i % m]);
        double least = part > 0 ? sqrt(part) : 1e-9;
        if (part >= 0) {
            status = has_all_loads(r) ? append(out, p, A, least) : append_held(out, A, least);
        }
    }
    flx_free(A);
    out->least = out->count;
    if (status != FLX_OK) flx_ritz_choice_clear(out);
    return status;
}

flx_status flx_ritz_choice_add(flx_ritz_choice *c, int k, const double *X, double least)
{
    int m = c->ritz->m;
    double *A = flx_alloc(c->ritz->ports.ctx, (size_t)m * (size_t)k, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    memcpy(A, X, (size_t)m * (size_t)k * sizeof *A);
    for (int sweep = 0; sweep < 2; sweep++) {
        for (int j = 0; j < k; j++) {
            double *a = A + (size_t)j * (size_t)m;
            for (int i = 0; i < c->count; i++) {
                const double *v = c->U + (size_t)i * (size_t)m;
                FLX_ONE_THREAD cblas_daxpy(m, -flx_blas_dot(m, a, v), v, 1, a, 1);
            }
        }
    }
    flx_status status = append(c, k, A, least);
    flx_free(A);
    return status;
}

// Of the first r candidates: mass U^T L^-1 U = Y theta Y^T, so that shapes U Y theta^(-1/2) have unit mass and stiffness
// 1/theta. Z (r, m): the shapes in energy coordinates, ascending frequencies.
static flx_status diagonalise(const flx_ritz_choice *c, int r, double *Z, double *L)
{
    flx_ctx *ctx = c->ritz->ports.ctx;
    int m = c->ritz->m;
    size_t mr = (size_t)m * (size_t)r, rr = (size_t)r * (size_t)r;
    double *A = flx_alloc(ctx, mr + rr + (size_t)r, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    double *G = A + mr, *w = G + rr;
    for (size_t i = 0; i < mr; i++) A[i] = c->U[i] / c->ritz->model.L[i % (size_t)m];
    flx_dense_multiply(true, false, r, r, m, c->U, A, G);
    flx_status status = flx_dense_symmetric_eigen(ctx, r, G, w); // largest theta last
    if (status == FLX_OK) {
        for (int k = 0; k < r; k++) {
            double theta = w[r - 1 - k];
            const double *y = G + (size_t)(r - 1 - k) * (size_t)r;
            L[k] = 1 / theta;
            flx_dense_apply(false, m, r, c->U, y, Z + (size_t)k * (size_t)m);
            FLX_ONE_THREAD cblas_dscal(m, 1 / sqrt(theta), Z + (size_t)k * (size_t)m, 1);
        }
    }
    flx_free(A);
    return status;
}

flx_status flx_ritz_choice_model(const flx_ritz_choice *c, int r, flx_port_model *out)
{
    flx_ctx *ctx = c->ritz->ports.ctx;
    const flx_port_model *full = &c->ritz->model;
    int m = full->m, p = full->p;
    *out = (flx_port_model){0};
    double *Z = flx_alloc(ctx, (size_t)m * (size_t)(r + p), sizeof *Z);
    if (!Z) return FLX_ERR_MEMORY;
    double *load = Z + (size_t)m * (size_t)r;
    flx_status status = flx_port_model_init(ctx, r, p, out);
    if (status == FLX_OK) status = diagonalise(c, r, Z, out->L);
    if (status == FLX_OK) {
        for (int i = 0; i < m * p; i++) load[i] = full->b[i] / sqrt(full->L[i % m]);
        flx_dense_multiply(true, false, r, p, m, Z, load, out->b);
        for (int i = 0; i < m * r; i++) Z[i] /= sqrt(full->L[i % m]);
        status = flx_port_model_project(ctx, full, Z, out);
    }
    flx_free(Z);
    if (status != FLX_OK) flx_port_model_clear(out);
    return status;
}

static flx_status measure(flx_ritz_choice *c, int r, double *errors)
{
    const flx_ritz *x = c->ritz;
    flx_port_model model;
    FLX_TRY(flx_ritz_choice_model(c, r, &model));
    flx_status status = flx_port_errors(&x->ports, &x->conditions, &x->grid, &x->damping, &x->model,
                                        &model, errors);
    flx_port_model_clear(&model);
    if (status != FLX_OK) return status;
    double most = 0;
    for (int i = 0; i < x->conditions.count * x->grid.count; i++) most = fmax(most, errors[i]);
    c->worst[r] = most;
    return FLX_OK;
}

static flx_status exceeds(const flx_ritz_choice *c, int r, double tolerance, int *at, bool *yes)
{
    const flx_ritz *x = c->ritz;
    flx_port_model model;
    FLX_TRY(flx_ritz_choice_model(c, r, &model));
    flx_status status = flx_port_errors_exceed(&x->ports, &x->conditions, &x->grid, &x->damping,
                                               &x->model, &model, x->known, tolerance, at, yes);
    flx_port_model_clear(&model);
    return status;
}

flx_status flx_ritz_choice_take(flx_ritz_choice *c, int shapes, double tolerance)
{
    const flx_ritz *x = c->ritz;
    flx_ctx *ctx = x->ports.ctx;
    size_t all = (size_t)x->conditions.count * (size_t)x->grid.count, m = (size_t)x->m;
    flx_free(c->errors); // of fewer
    flx_free(c->T);
    flx_free(c->L);
    c->T = c->L = NULL;
    c->errors = flx_alloc(ctx, all, sizeof *c->errors);
    if (!c->errors) return FLX_ERR_MEMORY;
    int r = c->least > 0 ? c->least : 1;
    if (shapes > 0) {
        r = shapes < c->count ? shapes : c->count;
    } else {
        bool more = r < c->count;
        for (int at = x->grid.count - 1; more;) {
            FLX_TRY(exceeds(c, r, tolerance, &at, &more));
            r += more;
            more = more && r < c->count;
        }
    }
    for (int fewer = r - 3; fewer < r; fewer += 2) {
        if (fewer >= c->least && fewer > 0) FLX_TRY(measure(c, fewer, c->errors));
    }
    FLX_TRY(measure(c, r, c->errors));
    c->taken = r;
    c->T = flx_alloc(ctx, m * (size_t)r, sizeof *c->T);
    c->L = flx_alloc(ctx, (size_t)r, sizeof *c->L);
    if (!c->T || !c->L) return FLX_ERR_MEMORY;
    FLX_TRY(diagonalise(c, r, c->T, c->L));
    for (size_t i = 0; i < m * (size_t)r; i++) c->T[i] /= sqrt(x->model.L[i % m]);
    return FLX_OK;
}

// ---- the report ---------------------------------------------------------------------------------

static const char *list_interfaces(const flx_ritz *r, flx_arena *arena)
{
    const flx_free_structure *s = r->q->s;
    const char *text = "";
    for (int i = 0; i < s->ninterface && text; i++) {
        text = flx_arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", s->interfaces[i].name);
    }
    return text;
}

static flx_status report_conditions(const flx_ritz *r, double tolerance, flx_arena *arena,
                                    const double *errors, flx_reduction_report *p)
{
    size_t nc = (size_t)r->conditions.count, ng = (size_t)r->grid.count;
    flx_reduction_condition *c = flx_arena_take(arena, nc, sizeof *c);
    double *hz = flx_arena_take(arena, ng, sizeof *hz);
    double *curves = flx_arena_take(arena, nc * ng, sizeof *curves);
    if (!c || !hz || !curves) return FLX_ERR_MEMORY;
    memcpy(hz, r->grid.hz, ng * sizeof *hz);
    memcpy(curves, errors, nc * ng * sizeof *curves);
    p->met = tolerance > 0;
    for (size_t i = 0; i < nc; i++) {
        const char *name = r->conditions.items[i].name;
        c[i].name = flx_arena_copy(arena, name, strlen(name));
        if (!c[i].name) return FLX_ERR_MEMORY;
        c[i].errors = curves + i * ng;
        for (size_t k = 0; k < ng; k++) {
            if (errors[i * ng + k] > c[i].error) {
                c[i].error = errors[i * ng + k];
                c[i].at = hz[k];
            }
            c[i].estimate = fmax(c[i].estimate, r->estimate[i * ng + k]);
            c[i].proof = fmax(c[i].proof, r->proof[i * ng + k]);
        }
        if (!(c[i].error + c[i].estimate <= tolerance)) p->met = false;
    }
    p->ncondition = (int)nc;
    p->conditions = c;
    p->nhz = (int)ng;
    p->hz = hz;
    return FLX_OK;
}

flx_status flx_ritz_report(const flx_ritz *r, const flx_basis *b, int shapes, const double *errors,
                           double highest, int above, flx_reduction_report **out)
{
    flx_arena *arena = b->arena;
    *out = NULL;
    if (!arena) return FLX_OK;
    flx_reduction_report *p = flx_arena_take(arena, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    const char *body = b->body ? b->body : "";
    *p = (flx_reduction_report){.body = flx_arena_copy(arena, body, strlen(body)),
                                .type = flx_basis_get(b->kind)->name,
                                .interfaces = list_interfaces(r, arena),
                                .unknowns = r->q->s->K->n,
                                .shapes = shapes,
                                .ports = r->ports.count,
                                .from = r->from,
                                .to = r->to,
                                .tolerance = b->tolerance,
                                .loss = r->damping.loss,
                                .alpha = r->damping.alpha,
                                .beta = r->damping.beta,
                                .assumed = r->damping.assumed,
                                .modes = r->modes,
                                .counted = r->counted,
                                .vectors = r->m,
                                .factorisations = r->factorisations,
                                .solutions = r->solutions,
                                .counts = r->counts,
                                .known = r->known,
                                .proved = r->checked > 0 ? 0 : r->proved,
                                .other = r->losses.count > 0,
                                .checked = r->checked,
                                .highest = highest,
                                .above = above};
    if (!p->interfaces || !p->body) return FLX_ERR_MEMORY;
    FLX_TRY(report_conditions(r, b->tolerance, arena, errors, p));
    *out = p;
    return FLX_OK;
}
