// ritz.c - the Ritz model of a body: block Lanczos from the loads at its ports.
#include "reduce/ritz/ritz_parts.h"

#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define MOST_VECTORS 1200
#define MOST_MODES 600 // of a band
#define SHIFT 0.01     // of the lowest eigenvalue, that makes K regular
#define SLOW 4         // blocks that gain less than a factor of 3 each
#define CORRECTIONS 40 // of the static shapes, at the most

typedef flx_shape_search search;
typedef flx_ritz_blocks lanczos;

// ---- the shift, the static shapes ---------------------------------------------------------------

// A smooth field of the second degree in the coordinates: products of rigid motions, of the least quotient.
static double guess_lowest(const lanczos *l, double *x, double *Ax)
{
    const flx_free_structure *s = l->q->s;
    int n = (int)l->n;
    double least = 0;
    for (int a = 0; a < s->nrigid; a++) {
        for (int b = 0; b <= a; b++) {
            for (int i = 0; i < n; i++) {
                x[i] =
                    s->rigid[(size_t)a * l->n + (size_t)i] * s->rigid[(size_t)b * l->n + (size_t)i];
            }
            flx_ritz_blocks_mass(l, 1, x, Ax);
            double whole = flx_blas_dot(n, x, Ax);
            flx_ritz_blocks_center(l, 1, x);
            flx_ritz_blocks_mass(l, 1, x, Ax);
            double mass = flx_blas_dot(n, x, Ax);
            if (!(mass > 1e-6 * whole)) continue; // a rigid motion
            flx_symmetric_multiply(s->K, 1, x, Ax);
            double stiffness = flx_blas_dot(n, x, Ax);
            if (stiffness > 0 && (least == 0 || stiffness / mass < least)) least = stiffness / mass;
        }
    }
    return least;
}

static flx_status factor(lanczos *l, double sigma)
{
    const flx_free_structure *s = l->q->s;
    flx_ritz *r = l->r;
    r->sigma = sigma;
    r->factorisations++;
    flx_status status = flx_frontal_factor(r->factor, 1, s->K, sigma, s->M);
    flx_frontal_report report = flx_frontal_get_report(r->factor);
    if (status == FLX_SINGULAR || (status == FLX_OK && report.negative > 0)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        s->nrigid > 0 ? "the body cannot be reduced: an unknown has neither "
                                        "stiffness nor mass, or its stiffness is not positive"
                                      : "the structure is not held: its stiffness is singular");
    }
    return status;
}

// X = K^+ B by x <- N^-1 (B + sigma M x), till it stands still. Gbb = B^T N^-1 B comes from the first step.
static flx_status find_statics(lanczos *l, bool *slow)
{
    flx_ritz *r = l->r;
    int p = l->p, n = (int)l->n;
    size_t all = (size_t)p * l->n;
    const double *B = r->ports.B;
    double before = (double)INFINITY;
    memcpy(l->X, B, all * sizeof *l->X);
    flx_ritz_blocks_solve(l, p, l->X);
    flx_dense_multiply(true, false, p, p, n, B, l->X, r->Gbb);
    for (int step = 1; step < CORRECTIONS && r->sigma > 0; step++) {
        flx_ritz_blocks_mass(l, p, l->X, l->Y);
        for (size_t i = 0; i < all; i++) l->Y[i] = B[i] + r->sigma * l->Y[i];
        flx_ritz_blocks_solve(l, p, l->Y);
        double change = 0;
        for (int j = 0; j < p; j++) { // by the compliances, which have one unit for a port
            double x = flx_blas_dot(n, B + (size_t)j * l->n, l->X + (size_t)j * l->n);
            double y = flx_blas_dot(n, B + (size_t)j * l->n, l->Y + (size_t)j * l->n);
            if (y > 0) change = fmax(change, fabs(y - x) / y);
        }
        memcpy(l->X, l->Y, all * sizeof *l->X);
        if (change < 1e-13 || (step > 3 && change < 1e-11 && change > 0.5 * before)) return FLX_OK;
        if (step == 3 && change > 0.03) { // sigma is above the lowest mode
            *slow = true;
            return FLX_OK;
        }
        before = change;
    }
    return FLX_OK;
}

static flx_status find_scales(lanczos *l)
{
    flx_ports *ports = &l->r->ports;
    double most = 0;
    if (!l->q->b->unscaled) FLX_TRY(flx_ports_find_axes(ports, l->X, l->r->Gbb));
    for (int j = 0; j < l->p; j++) {
        double y = flx_blas_dot((int)l->n, ports->B + (size_t)j * l->n, l->X + (size_t)j * l->n);
        ports->scale[j] = y;
        most = fmax(most, y);
    }
    for (int j = 0; j < l->p; j++) {
        // a port that moves nothing but the whole body counts nothing
        ports->scale[j] = ports->scale[j] > 1e-200 && most > 0 ? 1 / sqrt(ports->scale[j]) : 0;
        if (l->q->b->unscaled) ports->scale[j] = 1;
    }
    for (int i = 0; i < l->p * l->p; i++) {
        l->r->Gbb[i] *= ports->scale[i / l->p] * ports->scale[i % l->p];
    }
    if (most > 0) return FLX_OK;
    return FLX_FAIL(l->ctx, FLX_ERR_MODEL, l->q->s->loc,
                    "loads at the interfaces do not deform the body: one interface holds all of "
                    "it, or it is rigid");
}

// Rayleigh's least quotient of the static shapes: from above, and near where the loads excite the lowest mode.
static flx_status find_lowest(lanczos *l)
{
    int m = l->m;
    double *A = flx_alloc(l->ctx, (size_t)m * (size_t)m + (size_t)m, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    for (int j = 0; j < m; j++) {
        memcpy(A + (size_t)j * m, l->K + (size_t)j * l->room, (size_t)m * sizeof *A);
    }
    flx_status status = flx_dense_symmetric_eigen(l->ctx, m, A, A + (size_t)m * m);
    l->lowest = A[(size_t)m * m];
    flx_free(A);
    return status;
}

static flx_status begin(lanczos *l)
{
    double sigma = 0;
    if (l->q->s->nrigid > 0) sigma = 1e-6 * guess_lowest(l, l->X, l->Y);
    if (l->q->s->nrigid > 0 && sigma == 0) sigma = 1e-6 * flx_shapes_highest_ratio(l->q->s);
    for (int tries = 0; tries < 6; tries++) {
        bool slow = false;
        l->m = l->r->blocks = 0;
        FLX_TRY(factor(l, sigma));
        FLX_TRY(flx_frontal_reserve(l->r->factor, l->p));
        FLX_TRY(find_statics(l, &slow));
        if (!slow) FLX_TRY(find_scales(l));
        FLX_TRY(flx_ritz_blocks_take(l, l->p, l->X));
        if (l->m == 0) break;
        FLX_TRY(flx_ritz_blocks_measure(l));
        FLX_TRY(find_lowest(l));
        if (sigma == 0 || (!slow && sigma > 1e-8 * l->lowest)) return FLX_OK;
        sigma = SHIFT * l->lowest;
    }
    return FLX_FAIL(l->ctx, FLX_ERR_MODEL, l->q->s->loc,
                    "no static shapes of the interfaces can be found: the stiffness of the body "
                    "spans too many magnitudes");
}

// ---- the model and its certificate --------------------------------------------------------------

// E^T M E in Ritz vectors: blocks before the last have N^-1 M Q in Q. Of one block alone N^-1 B is not in Q: nothing is known.
static flx_status find_rest(lanczos *l, const double *Y)
{
    flx_ritz *r = l->r;
    int m = l->m, k = l->last, first = m - k;
    size_t mm = (size_t)m * (size_t)m, kk = (size_t)k * (size_t)k, mk = (size_t)m * (size_t)k;
    flx_free(r->Gee);
    r->Gee = NULL;
    if (r->blocks < 2) return FLX_OK;
    r->Gee = flx_alloc(l->ctx, mm, sizeof *r->Gee);
    double *C = flx_alloc(l->ctx, kk + 2 * mk, sizeof *C);
    if (!r->Gee || !C) {
        flx_free(C);
        return FLX_ERR_MEMORY;
    }
    double *rows = C + kk, *CR = rows + mk;
    for (int j = 0; j < k; j++) { // less the part in Q
        for (int i = 0; i < k; i++) {
            double sum = l->E[j * k + i];
            for (int e = 0; e < m; e++)
                sum -= l->G[(size_t)(first + i) * l->room + e] *
                       l->G[(size_t)(first + j) * l->room + e];
            C[j * k + i] = sum;
        }
    }
    for (int j = 0; j < m; j++) {
        memcpy(rows + (size_t)j * k, Y + (size_t)j * m + first, (size_t)k * sizeof *rows);
    }
    flx_dense_multiply(false, false, k, m, k, C, rows, CR);
    flx_dense_multiply(true, false, m, m, k, rows, CR, r->Gee);
    flx_free(C);
    return FLX_OK;
}

// Ritz pairs of what is there; Y (m, m) the vectors.
flx_status flx_ritz_blocks_model(lanczos *l, double *Y)
{
    flx_ritz *r = l->r;
    int m = l->m, p = l->p;
    double *T = flx_alloc(l->ctx, (size_t)m * (size_t)(m > p ? m : p), sizeof *T);
    flx_free(r->Gbm);
    flx_free(r->Gmm);
    flx_port_model_clear(&r->model);
    r->Gbm = flx_alloc(l->ctx, (size_t)m * (size_t)p, sizeof *r->Gbm);
    r->Gmm = flx_alloc(l->ctx, (size_t)m * (size_t)m, sizeof *r->Gmm);
    flx_status status =
        T && r->Gbm && r->Gmm ? flx_port_model_init(l->ctx, m, p, &r->model) : FLX_ERR_MEMORY;
    r->m = m;
    for (int j = 0; j < m && status == FLX_OK; j++) {
        memcpy(Y + (size_t)j * m, l->K + (size_t)j * l->room, (size_t)m * sizeof *Y);
        memcpy(T + (size_t)j * m, l->G + (size_t)j * l->room, (size_t)m * sizeof *T);
    }
    if (status == FLX_OK) status = flx_dense_symmetric_eigen(l->ctx, m, Y, r->model.L);
    double *U = status == FLX_OK ? flx_alloc(l->ctx, (size_t)m * (size_t)m, sizeof *U) : NULL;
    if (status == FLX_OK && !U) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        l->lowest = r->model.L[0];
        flx_dense_multiply(false, false, m, m, m, T, Y, U);
        flx_dense_multiply(true, false, m, m, m, Y, U, r->Gmm);
        for (int j = 0; j < m; j++) {
            for (int i = 0; i < j; i++) {
                double mean = 0.5 * (r->Gmm[j * m + i] + r->Gmm[i * m + j]);
                r->Gmm[j * m + i] = r->Gmm[i * m + j] = mean;
            }
        }
        for (int j = 0; j < p; j++) {
            double s = r->ports.scale[j];
            for (int i = 0; i < m; i++) T[i] = s * l->b[(size_t)j * l->room + i];
            flx_dense_apply(true, m, m, Y, T, r->model.b + (size_t)j * m);
            for (int i = 0; i < m; i++) T[i] = s * l->c[(size_t)j * l->room + i];
            flx_dense_apply(true, m, m, Y, T, r->Gbm + (size_t)j * m);
        }
        r->modes = 0;
        double end = 2 * FLX_PI * r->to;
        while (r->modes < m && r->model.L[r->modes] < end * end) r->modes++;
    }
    flx_free(U);
    flx_free(T);
    return status == FLX_OK ? find_rest(l, Y) : status;
}

flx_status flx_ritz_blocks_certify(lanczos *l)
{
    flx_ritz *r = l->r;
    flx_free(r->grid.hz);
    r->grid.hz = NULL;
    FLX_TRY(flx_port_grid_init(&r->ports, &r->model, &r->conditions, r->from, r->to, &r->grid));
    size_t all = (size_t)r->grid.count * (size_t)r->conditions.count;
    flx_free(r->estimate);
    r->estimate = flx_alloc(l->ctx, 2 * all, sizeof *r->estimate);
    if (!r->estimate) return FLX_ERR_MEMORY;
    r->proof = r->estimate + all;
    FLX_TRY(flx_ritz_certify(r, &r->conditions, r->grid.count, r->grid.hz, r->estimate, r->proof));
    r->known = r->proved = 0;
    for (size_t i = 0; i < all; i++) {
        r->known = fmax(r->known, r->estimate[i]);
        r->proved = fmax(r->proved, r->proof[i]);
    }
    return FLX_OK;
}

// Elastic modes below the end of the band: negative pivots of K - w^2 M, with a factor of its own.
static flx_status count_modes(lanczos *l)
{
    const flx_free_structure *s = l->q->s;
    flx_frontal *f = NULL;
    double end = 2 * FLX_PI * l->r->to;
    int negative = 0;
    FLX_TRY(flx_frontal_create(s->ctx, s->K, s->group, &f));
    flx_status status = FLX_SINGULAR;
    for (int tries = 0; tries < 3 && status == FLX_SINGULAR; tries++) {
        status = flx_frontal_count(f, 1, s->K, -end * end * (1 + 1e-6 * tries), s->M, &negative);
        l->r->counts++;
    }
    flx_frontal_destroy(&f);
    if (status == FLX_OK) l->r->counted = negative - s->nrigid;
    return status;
}

flx_status flx_ritz_blocks_keep(lanczos *l, const double *Y)
{
    flx_ritz *r = l->r;
    flx_free(r->Q);
    r->Q = flx_alloc(l->ctx, (size_t)l->m * l->n, sizeof *r->Q);
    if (!r->Q) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, (int)l->n, l->m, l->m, l->Q, Y, r->Q);
    return FLX_OK;
}

static flx_status refuse_modes(const lanczos *l, const char *least, int modes)
{
    return FLX_FAIL(l->ctx, FLX_ERR_MODEL, l->q->s->loc,
                    "%s%d modes of the %d unknowns lie below %g Hz: shapes are found for bands of "
                    "up to %d; give a lower frequency",
                    least, modes, (int)l->n, l->r->to, MOST_MODES);
}

// Blocks till there may be as many vectors as the band has modes: before that nothing can be decided.
static flx_status fill(lanczos *l)
{
    while (l->m < l->r->counted) {
        int known = l->m;
        FLX_TRY(flx_ritz_blocks_add(l, l->last, l->X));
        if (l->m == known) break;
    }
    return FLX_OK;
}

static flx_status run(lanczos *l, const flx_ritz_def *def)
{
    flx_ritz *r = l->r;
    double *Y = NULL, before = (double)INFINITY;
    int slow = 0;
    bool first = true;
    flx_status status = begin(l);
    if (r->to == 0) r->to = 2 * sqrt(fmax(l->lowest, 0.0)) / (2 * FLX_PI); // no band is given
    if (status == FLX_OK && !def->uncounted) status = count_modes(l);
    if (status == FLX_OK && r->counted > MOST_MODES) status = refuse_modes(l, "", r->counted);
    if (status == FLX_OK) status = fill(l);
    while (status == FLX_OK) {
        flx_free(Y);
        Y = flx_alloc(l->ctx, (size_t)l->m * (size_t)l->m, sizeof *Y);
        status = Y ? flx_ritz_blocks_model(l, Y) : FLX_ERR_MEMORY;
        if (status == FLX_OK && r->modes > MOST_MODES)
            status = refuse_modes(l, "at least ", r->modes);
        if (status == FLX_OK && first)
            status = flx_port_conditions_prune(l->q->s, &r->ports, &r->model, &r->conditions);
        first = false;
        if (status == FLX_OK) status = flx_ritz_blocks_certify(l);
        if (status != FLX_OK) break;
        bool complete = r->counted < 0 || r->modes >= r->counted;
        if ((complete && r->known <= def->tolerance) || l->m >= MOST_VECTORS) break;
        slow = complete && r->known > 0.3 * before ? slow + 1 : 0;
        before = r->known;
        if (slow >= SLOW) break; // rounding is reached
        int known = l->m;
        status = flx_ritz_blocks_add(l, l->last, l->X);
        if (status == FLX_OK && l->m == known) break; // the ports know no more of the body
    }
    if (status == FLX_OK) status = flx_ritz_blocks_keep(l, Y);
    flx_free(Y);
    bool other = l->q->s->S || l->q->s->D;
    return status == FLX_OK && other ? flx_ritz_damp(l, def->tolerance) : status;
}

flx_status flx_ritz_create(const search *q, const flx_ritz_def *def, flx_ritz **out)
{
    flx_ctx *ctx = q->s->ctx;
    flx_ritz *r = flx_alloc(ctx, 1, sizeof *r);
    *out = NULL;
    if (!r) return FLX_ERR_MEMORY;
    *r = (flx_ritz){.q = q, .from = def->from, .to = def->to, .counted = -1};
    r->damping = q->b->damping;
    // with other damping alone the blocks are judged by a loss factor of the same kind
    if (!(r->damping.loss > 0) && !(r->damping.alpha > 0) && !(r->damping.beta > 0)) {
        r->damping = (flx_damping){.loss = FLX_ASSUMED_LOSS, .assumed = true};
    }
    lanczos l = {.r = r, .q = q, .ctx = ctx, .n = q->n};
    flx_status status = flx_ports_init(q, &r->ports);
    if (status == FLX_OK) status = flx_port_conditions_init(q->s, q->b, &r->ports, &r->conditions);
    if (status == FLX_OK) {
        size_t p = (size_t)r->ports.count;
        l.p = r->ports.count;
        r->Gbb = flx_alloc(ctx, p * p, sizeof *r->Gbb);
        l.E = flx_alloc(ctx, p * p, sizeof *l.E);
        l.X = flx_alloc(ctx, 3 * p * q->n, sizeof *l.X);
        l.Y = l.X + p * q->n;
        l.W = l.Y + p * q->n;
        status = r->Gbb && l.X && l.E ? flx_ritz_blocks_reserve(&l, 4 * l.p) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = flx_frontal_create(ctx, q->s->K, q->s->group, &r->factor);
    if (status == FLX_OK) status = run(&l, def);
    flx_free(l.E);
    flx_free(l.X);
    flx_free(l.Q);
    flx_free(l.K);
    flx_free(l.G);
    flx_free(l.b);
    flx_free(l.c);
    if (status != FLX_OK) flx_ritz_destroy(&r);
    *out = r;
    return status;
}

void flx_ritz_forget(flx_ritz *r)
{
    flx_free(r->Q);
    flx_free(r->ports.B);
    flx_frontal_destroy(&r->factor);
    r->Q = r->ports.B = NULL;
    r->q = NULL;
}

void flx_ritz_destroy(flx_ritz **ritz)
{
    flx_ritz *r = ritz ? *ritz : NULL;
    if (!r) return;
    flx_ports_clear(&r->ports);
    flx_port_conditions_clear(&r->conditions);
    flx_port_model_clear(&r->model);
    flx_free(r->grid.hz);
    flx_free(r->Q);
    flx_free(r->Gbb);
    flx_free(r->Gbm);
    flx_free(r->Gmm);
    flx_free(r->Gee);
    flx_ritz_losses_clear(&r->losses);
    flx_free(r->estimate);
    flx_frontal_destroy(&r->factor);
    flx_free(r);
    *ritz = NULL;
}
