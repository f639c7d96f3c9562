// shapes_check.c - how exact the frequencies of shapes are. One step of inverse iteration from a shape x with
// the square lambda of its frequency gives a y nearer to the mode, and Rayleigh's quotient of it:
//
//     (K + s M) y = (lambda + s) M x,   rho = (lambda + s) y^T M x / y^T M y - s                    (MSH-5)
// The error of rho is of the second order of what is left in y: sqrt(lambda/rho) - 1 is that of the shape.
#include "math/blas.h"
#include "reduce/shapes_parts.h"

#include <math.h>

typedef struct checker {
    const flx_shape_search *q;
    const flx_symmetric *K, *M;
    const int *list; // unknowns of the part; NULL: all
    int n;
    double shift;
    flx_frontal *f;
    double *x, *Mx, *y, *My; // (n)
} checker;

static double check_shape(checker *c, const double *v, double lambda)
{
    for (int i = 0; i < c->n; i++) c->x[i] = v[c->list ? c->list[i] : i];
    flx_symmetric_multiply(c->M, 1, c->x, c->Mx);
    for (int i = 0; i < c->n; i++) c->y[i] = (lambda + c->shift) * c->Mx[i];
    flx_frontal_solve(c->f, 1, c->y);
    if (!c->list) flx_shapes_take_mean_away(c->q, c->y);
    flx_symmetric_multiply(c->M, 1, c->y, c->My);
    double rho =
        (lambda + c->shift) * flx_blas_dot(c->n, c->y, c->Mx) / flx_blas_dot(c->n, c->y, c->My) -
        c->shift;
    return rho > 0 ? fmax(0.0, sqrt(lambda / rho) - 1) : (double)NAN;
}

flx_status flx_shapes_check(const flx_shape_search *q, const flx_shape_part *p,
                            const double *omega2, double *error)
{
    flx_ctx *ctx = q->s->ctx;
    checker c = {.q = q, .K = p ? &p->K : q->s->K, .M = p ? &p->M : q->s->M};
    c.n = c.K->n;
    c.list = p ? p->list : NULL;
    c.shift = p ? 0 : FLX_SHAPES_SHIFT * omega2[0];
    c.x = flx_alloc(ctx, 4 * (size_t)c.n, sizeof *c.x);
    flx_status status = c.x ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK && p) {
        status = flx_shapes_factor(q, p, &c.f);
    } else if (status == FLX_OK) {
        status = flx_frontal_create(ctx, c.K, q->s->group, &c.f);
        if (status == FLX_OK) status = flx_frontal_factor(c.f, 1, c.K, c.shift, c.M);
    }
    if (status == FLX_OK) status = flx_frontal_reserve(c.f, 1);
    c.Mx = c.x + c.n;
    c.y = c.Mx + c.n;
    c.My = c.y + c.n;
    for (int k = 0; k < q->count && status == FLX_OK; k++) {
        error[k] = check_shape(&c, q->V + (size_t)k * q->n, omega2[k]);
    }
    flx_frontal_destroy(&c.f);
    flx_free(c.x);
    return status;
}
