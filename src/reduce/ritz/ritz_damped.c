// ritz_damped.c - the Ritz model of a body whose damping is not in proportion to stiffness and mass: loss factors by region,
// dashpots. Vectors of Lanczos are not enough; responses at the frequencies where the residual is largest join them, real and
// imaginary parts, one complex factorisation each. Eigenvectors of K and M are none of A then, so that nothing is proved: the
// two worst frequencies are checked by direct solutions.
#include "reduce/ritz/ritz_parts.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define MOST_SAMPLES 24

typedef flx_ritz_blocks lanczos;

void flx_ritz_losses_clear(flx_ritz_losses *o)
{
    flx_free(o->GE);
    flx_free(o->GM);
    flx_free(o->GB);
    *o = (flx_ritz_losses){0};
}

// Q^T E Q of the Ritz vectors, E Q (m, n).
static flx_status project(lanczos *l, const flx_symmetric *E, double *EQ, double **out)
{
    flx_ritz *r = l->r;
    int m = r->m;
    flx_free(*out);
    *out = flx_alloc(l->ctx, (size_t)m * (size_t)m, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    flx_symmetric_multiply(E, m, r->Q, EQ);
    flx_dense_multiply(true, false, m, m, (int)l->n, r->Q, EQ, *out);
    return FLX_OK;
}

// Everything that the residual needs of the losses; EQ, WE (count m, n) and MQ (m, n): scratch.
static flx_status measure_losses(lanczos *l, double *EQ, double *WE, double *MQ)
{
    flx_ritz *r = l->r;
    const flx_free_structure *s = l->q->s;
    flx_ritz_losses *o = &r->losses;
    int m = r->m, p = l->p, n = (int)l->n, count = (s->S != NULL) + (s->D != NULL);
    size_t all = (size_t)count * (size_t)m, mn = (size_t)m * l->n;
    if (s->S) FLX_TRY(project(l, s->S, EQ, &r->model.loss));
    if (s->D) FLX_TRY(project(l, s->D, EQ + (s->S ? mn : 0), &r->model.D));
    flx_ritz_losses_clear(o);
    o->count = count;
    o->GE = flx_alloc(l->ctx, all * all, sizeof *o->GE);
    o->GM = flx_alloc(l->ctx, all * (size_t)m, sizeof *o->GM);
    o->GB = flx_alloc(l->ctx, all * (size_t)p, sizeof *o->GB);
    if (!o->GE || !o->GM || !o->GB) return FLX_ERR_MEMORY;
    for (int e = 0; e < count; e++) {
        o->viscous[e] = e == 1 || !s->S;
        o->small[e] = o->viscous[e] ? r->model.D : r->model.loss;
    }
    memcpy(WE, EQ, (size_t)count * mn * sizeof *WE);
    for (int k = 0; k < (int)all; k += p) { // as many at once as there is room for
        int some = (int)all - k < p ? (int)all - k : p;
        flx_ritz_blocks_solve(l, some, WE + (size_t)k * l->n);
    }
    flx_dense_multiply(true, false, (int)all, (int)all, n, WE, EQ, o->GE);
    flx_symmetric_multiply(s->M, m, r->Q, MQ);
    flx_dense_multiply(true, false, (int)all, m, n, WE, MQ, o->GM);
    flx_dense_multiply(true, false, (int)all, p, n, WE, r->ports.B, o->GB);
    for (size_t i = 0; i < all * (size_t)p; i++) o->GB[i] *= r->ports.scale[i / all];
    return FLX_OK;
}

// Ritz pairs, vectors, losses and the estimate of what is there.
static flx_status judge(lanczos *l)
{
    flx_ritz *r = l->r;
    size_t m = (size_t)l->m, mn = m * l->n, count = (l->q->s->S != NULL) + (l->q->s->D != NULL);
    double *Y = flx_alloc(l->ctx, m * m, sizeof *Y);
    double *EQ = flx_alloc(l->ctx, (2 * count + 1) * mn, sizeof *EQ);
    flx_status status = Y && EQ ? FLX_OK : FLX_ERR_MEMORY;
    flx_ritz_losses_clear(&r->losses);
    if (status == FLX_OK) status = flx_ritz_blocks_model(l, Y);
    flx_free(r->Gee); // blocks are not Lanczos' any more
    r->Gee = NULL;
    if (status == FLX_OK) status = flx_ritz_blocks_keep(l, Y);
    if (status == FLX_OK) status = measure_losses(l, EQ, EQ + count * mn, EQ + 2 * count * mn);
    if (status == FLX_OK) status = flx_ritz_blocks_certify(l);
    flx_free(Y);
    flx_free(EQ);
    return status;
}

// The frequency of the largest estimate that was not taken yet.
static double worst(const flx_ritz *r, int ntaken, const double *taken)
{
    double most = -1, at = r->to;
    for (int i = 0; i < r->conditions.count * r->grid.count; i++) {
        double hz = r->grid.hz[i % r->grid.count];
        bool known = false;
        for (int k = 0; k < ntaken; k++) known = known || fabs(hz - taken[k]) < 1e-6 * r->to;
        if (known || !(r->estimate[i] > most)) continue;
        most = r->estimate[i];
        at = hz;
    }
    return at;
}

typedef struct sampler {
    flx_frontal *f;
    double complex *X; // (p, n)
    double complex *H; // (p, p)
    int ntaken;
    double taken[MOST_SAMPLES + 2];
} sampler;

static flx_status respond(lanczos *l, sampler *a, double hz)
{
    flx_ritz *r = l->r;
    a->taken[a->ntaken++] = hz;
    r->factorisations++;
    r->solutions += l->p;
    return flx_port_respond_directly(l->q->s, &r->ports, &r->damping, 2 * FLX_PI * hz, a->f, a->X,
                                     a->H);
}

static flx_status sample(lanczos *l, sampler *a)
{
    size_t all = (size_t)l->p * l->n;
    FLX_TRY(respond(l, a, worst(l->r, a->ntaken, a->taken)));
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < all; i++) l->X[i] = part ? cimag(a->X[i]) : creal(a->X[i]);
        for (int j = 0; j < l->p && l->q->s->nrigid > 0; j++) // what rounding brings
            flx_shapes_take_mean_away(l->q, l->X + (size_t)j * l->n);
        FLX_TRY(flx_ritz_blocks_add(l, l->p, l->X));
    }
    return FLX_OK;
}

// The error of the free body where the estimate is largest.
static flx_status check(lanczos *l, sampler *a)
{
    flx_ritz *r = l->r;
    flx_port_work w;
    int size = l->p * l->p;
    FLX_TRY(flx_port_work_init(l->ctx, r->m, l->p, &w));
    flx_status status = FLX_OK;
    for (int k = 0; k < 2 && status == FLX_OK; k++) {
        double hz = worst(r, a->ntaken, a->taken);
        status = respond(l, a, hz);
        if (status != FLX_OK || !flx_port_respond(&r->model, &r->damping, 2 * FLX_PI * hz, &w))
            break;
        for (int i = 0; i < size; i++) w.H[i] -= a->H[i];
        r->known = fmax(r->known, flx_port_norm(size, w.H) / flx_port_norm(size, a->H));
        r->checked++;
    }
    flx_port_work_clear(&w);
    return status;
}

static flx_status run(lanczos *l, sampler *a, double tolerance)
{
    flx_ritz *r = l->r;
    FLX_TRY(judge(l));
    while (r->known > tolerance && a->ntaken < MOST_SAMPLES) {
        int before = l->m;
        FLX_TRY(sample(l, a));
        if (l->m == before) break;
        FLX_TRY(judge(l));
    }
    return check(l, a);
}

flx_status flx_ritz_damp(lanczos *l, double tolerance)
{
    flx_ritz *r = l->r;
    const flx_free_structure *s = l->q->s;
    sampler a = {0};
    if (r->damping.assumed) r->damping = (flx_damping){0}; // there is damping
    a.X = flx_alloc(l->ctx, (size_t)l->p * l->n, sizeof *a.X);
    a.H = flx_alloc(l->ctx, (size_t)(l->p * l->p), sizeof *a.H);
    flx_status status =
        a.X && a.H ? flx_frontal_create(l->ctx, s->K, s->group, &a.f) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_frontal_reserve(a.f, 2 * l->p);
    if (status == FLX_OK) status = run(l, &a, tolerance);
    flx_frontal_destroy(&a.f);
    flx_free(a.X);
    flx_free(a.H);
    return status;
}
