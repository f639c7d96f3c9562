// descriptor_start.c - what a start of velocities is made of: rows Y v = value of what the model gives, and the
// motions of deformable bodies as if they were rigid.
#include "descriptor/descriptor_parts.h"

static v3 place_of(const flx_descriptor *d, int body, const double *q)
{
    const double *r = q + d->body_q[body];
    return v3_make(r[0], r[1], d->planar ? 0.0 : r[2]);
}

static m33 axes_of(const flx_descriptor *d, int body, const double *q)
{
    const double *r = q + d->body_q[body];
    if (d->model->bodies[body].type != FLX_BODY_RIGID) return m33_identity();
    if (!d->planar) return quat_to_m33(quat_load(r + 3));
    double c = cos(r[2]), s = sin(r[2]);
    return (m33){{c, -s, 0, s, c, 0, 0, 0, 1}};
}

// ---- what is given ------------------------------------------------------------------------------

// What is given to something without mass or inertia weighs little beside the mean of what has some, wherever it is.
#define WEIGHTLESS 1e-3

static double or_little(double own, double mean)
{
    return own > 0.0 ? own : WEIGHTLESS * mean;
}

// Mean masses and moments of inertia, of what has some.
static void find_means(const flx_descriptor *d, double mean[2])
{
    const flx_model *m = d->model;
    int count[2] = {0, 0}, first = d->planar ? 8 : 0;
    mean[0] = mean[1] = 0.0;
    for (int i = 0; i < m->nbody; i++) {
        const flx_body *b = m->bodies + i;
        bool rigid = b->type == FLX_BODY_RIGID;
        if (b->mass > 0.0) mean[0] += b->mass, count[0]++;
        for (int k = first; k < 9 && rigid; k += 4) {
            if (b->inertia[k] > 0.0) mean[1] += b->inertia[k], count[1]++;
        }
    }
    for (int k = 0; k < 2; k++) mean[k] = count[k] ? mean[k] / count[k] : 1.0;
}

// The velocity of the frame's origin, one row for each direction of the ground: v - omega x R c.
static int origin_rows(const flx_descriptor *d, int body, const flx_state *x, double mean,
                       flx_given_row *rows)
{
    const flx_body *b = d->model->bodies + body;
    int dim = d->planar ? 2 : 3, nv = d->body_nv[body];
    bool rigid = b->type == FLX_BODY_RIGID;
    m33 R = axes_of(d, body, x->q);
    for (int k = 0; k < dim; k++) {
        flx_given_row *r = rows + k;
        double weight = or_little(b->mass, mean);
        *r = (flx_given_row){.first = d->body_v[body], .n = nv, .weight = weight};
        r->y[k] = 1.0;
        for (int j = dim; rigid && j < nv; j++) {
            v3 axis = d->planar ? v3_make(0, 0, 1) : m33_col(R, j - dim);
            v3 turned = v3_cross(axis, m33_mul_v(R, v3_load(b->com)));
            r->y[j] = -(k == 0 ? turned.x : k == 1 ? turned.y : turned.z);
        }
    }
    return dim;
}

static int spin_rows(const flx_descriptor *d, int body, double mean, flx_given_row *rows)
{
    const flx_body *b = d->model->bodies + body;
    int dim = d->planar ? 2 : 3, n = d->body_nv[body] - dim;
    for (int k = 0; k < n; k++) {
        double inertia = or_little(b->inertia[d->planar ? 8 : 4 * k], mean);
        rows[k] = (flx_given_row){.first = d->body_v[body], .n = dim + n, .weight = inertia};
        rows[k].y[dim + k] = 1.0;
    }
    return n;
}

static void set_values(int n, flx_given_row *rows, const flx_state *drawn)
{
    for (int i = 0; i < n; i++) {
        flx_given_row *r = rows + i;
        r->value = 0.0;
        for (int j = 0; j < r->n; j++) r->value += r->y[j] * drawn->v[r->first + j];
    }
}

flx_status flx_descriptor_given(const flx_system *s, const flx_state *drawn, const flx_state *x,
                                int *count, flx_given_row **rows)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_model *m = d->model;
    int n = 0;
    flx_given_row *all =
        flx_alloc(s->ctx, 6 * (size_t)m->nbody + (size_t)m->nvariable, sizeof *all);
    *rows = all;
    *count = 0;
    double mean[2];
    if (!all) return FLX_ERR_MEMORY;
    find_means(d, mean);
    for (int i = 0; i < m->nbody; i++) {
        const flx_body *b = m->bodies + i;
        int first = n;
        if (b->start.moves && !b->slope) { // of the drawing, then as the position now is
            set_values(origin_rows(d, i, drawn, mean[0], all + n), all + n, drawn);
            double value[3];
            for (int k = 0; k < 3; k++) value[k] = all[n + k].value;
            int dim = origin_rows(d, i, x, mean[0], all + n);
            for (int k = 0; k < dim; k++) all[n + k].value = value[k];
            n += dim;
        }
        if (b->start.turns && b->type == FLX_BODY_RIGID) {
            first = n;
            n += spin_rows(d, i, mean[1], all + n);
            set_values(n - first, all + first, drawn);
            if (d->planar) continue;
            m33 R = axes_of(d, i, x->q), R0 = axes_of(d, i, drawn->q);
            v3 w = m33_mul_v(R0,
                             v3_make(all[first].value, all[first + 1].value, all[first + 2].value));
            w = m33_tmul_v(R, w); // the same in the ground
            all[first].value = w.x, all[first + 1].value = w.y, all[first + 2].value = w.z;
        }
    }
    for (int i = 0; i < m->nvariable; i++) {
        if (!m->variables[i].rate_given) continue;
        all[n++] = (flx_given_row){
            .first = d->variable_v + i, .n = 1, .y = {1.0}, .value = m->variables[i].rate};
    }
    *count = n;
    return FLX_OK;
}

// ---- deformable bodies as rigid ones ----------------------------------------------------------------

// Velocities of a node by those (v, omega) of its body at the place o, ground axes.
static void ride(const flx_descriptor *d, int body, v3 o, const double *q, double *P)
{
    const flx_body *b = d->model->bodies + body;
    int dim = d->planar ? 2 : 3;
    v3 r = place_of(d, body, q);
    v3 arm = b->slope ? r : v3_sub(r, o);
    m33 R = axes_of(d, body, q);
    for (int j = 0; j < 3; j++) { // turning about an axis of the ground
        v3 axis = v3_make(j == 0, j == 1, j == 2), moved = v3_cross(axis, arm);
        const double along[3] = {moved.x, moved.y, moved.z};
        for (int k = 0; k < dim; k++) {
            P[FLX_RIDE * k + j] = !b->slope && j == k ? 1.0 : 0.0;
            P[FLX_RIDE * k + 3 + j] = along[k];
        }
        if (b->type != FLX_BODY_RIGID) continue;
        if (d->planar) {
            P[FLX_RIDE * 2 + 3 + j] = j == 2 ? 1.0 : 0.0;
            continue;
        }
        v3 own = m33_tmul_v(R, axis);
        P[FLX_RIDE * 3 + 3 + j] = own.x;
        P[FLX_RIDE * 4 + 3 + j] = own.y;
        P[FLX_RIDE * 5 + 3 + j] = own.z;
    }
}

flx_status flx_descriptor_rides(const flx_system *s, const flx_state *x, flx_rides *out)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_model *m = d->model;
    size_t nv = (size_t)s->dims.nv;
    *out = (flx_rides){0};
    out->carrier = flx_alloc(s->ctx, nv, sizeof *out->carrier);
    out->P = flx_alloc(s->ctx, FLX_RIDE * nv, sizeof *out->P);
    if (!out->carrier || !out->P) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < nv; i++) out->carrier[i] = FLX_RIDES_ITSELF;
    for (int i = 0; i < m->nbody; i++) { // a first node and those that follow it
        int lead = m->bodies[i].follows - 1;
        if (lead < 0) continue;
        for (int side = 0; side < 2; side++) {
            int body = side ? i : lead;
            v3 o = place_of(d, lead, x->q);
            for (int k = 0; k < d->body_nv[body]; k++) out->carrier[d->body_v[body] + k] = lead;
            ride(d, body, o, x->q, out->P + FLX_RIDE * d->body_v[body]);
        }
        out->n++;
    }
    for (int i = s->dims.nv - m->nmode; i < s->dims.nv; i++) {
        out->carrier[i] = FLX_RIDES_HELD;
        out->n++;
    }
    return FLX_OK;
}

void flx_rides_clear(flx_rides *r)
{
    flx_free(r->carrier);
    flx_free(r->P);
    *r = (flx_rides){0};
}
