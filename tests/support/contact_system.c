// contact_system.c - see contact_system.h for the equations.
#include "contact_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UNKNOWNS (5 * CONTACT_MOST)
#define SWITCHES 5 // of a group: state, direction (2), impacts, impulse

typedef struct contacts {
    flx_system base;
    contact_numbers is;
    int nnormal;
    int normal[CONTACT_MOST], tangent[CONTACT_MOST]; // first rows of a group
    int start[4], row[4], col[9], offset[10], transpose[9];
    char name[CONTACT_MOST][16];
} contacts;

typedef struct contact_work {
    flx_work base;
    double a[MOST_UNKNOWNS * MOST_UNKNOWNS], b[MOST_UNKNOWNS];
} contact_work;

static const contacts *of(const flx_system *s)
{
    return (const contacts *)s;
}

// ---- functions of the coordinates -----------------------------------------------------------

static double place_value(const contact_place *h, int n, const double *q)
{
    double sum = h->offset + h->size * sin(q[h->angle] + h->phase);
    for (int i = 0; i < n; i++) sum += h->along[i] * q[i];
    return sum;
}
static double place_slope(const contact_place *h, const double *q, int i)
{
    return h->along[i] + (i == h->angle ? h->size * cos(q[i] + h->phase) : 0.0);
}
static double place_curve(const contact_place *h, const double *q) // by the angle twice
{
    return -h->size * sin(q[h->angle] + h->phase);
}
static double place_rate(const contact_place *h, int n, const double *q, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += place_slope(h, q, i) * v[i];
    return sum;
}

static int state_of(const flx_point *p, int group)
{
    return (int)p->switches[SWITCHES * group];
}

// A row of a constraint or of a slip: its function, its sign, and whether it holds.
typedef struct row {
    const contact_place *h;
    double sign, belt;
    int holds, velocity;
} row;

static int row_count(const contacts *c)
{
    return c->base.dims.nlam + c->base.dims.nmu;
}

static row row_at(const contacts *c, const flx_point *p, int k)
{
    const contact_numbers *is = &c->is;
    int nlam = c->base.dims.nlam;
    if (k >= c->nnormal && k < nlam) return (row){&is->joint[k - c->nnormal], 1.0, 0.0, 1, 0};
    for (int i = 0; i < is->npair; i++) {
        const contact_pair *g = &is->pair[i];
        int state = p ? state_of(p, i) : FLX_CONTACT_OPEN, t = k - nlam - c->tangent[i];
        if (!g->alone && k == c->normal[i])
            return (row){&g->gap, -1.0, 0.0, state >= FLX_CONTACT_SLIDES, 0};
        if (k >= nlam && t >= 0 && t < g->ntangent)
            return (row){&g->slip[t], 1.0, g->belt[t], state == FLX_CONTACT_STICKS, 1};
    }
    return (row){0};
}

static double lambda_of(const contacts *c, const flx_point *p, int k)
{
    int nlam = c->base.dims.nlam;
    return k < nlam ? p->lam[k] : p->mu[k - nlam];
}

// Limit of friction alone, and its slope by the multiplier of joint 0.
static double limit_alone(const contacts *c, const contact_pair *g, const flx_point *p,
                          double *slope)
{
    if (c->is.njoint == 0) {
        *slope = 0.0;
        return g->limit;
    }
    double lam = p->lam[c->nnormal];
    *slope = g->by_joint * (lam < 0.0 ? -1.0 : 1.0);
    return g->limit + g->by_joint * fabs(lam);
}

// Friction of a group that slides, along the slip t: f lambda d, and d/d lambda.
static double sliding(const contacts *c, const flx_point *p, int i, int t, int *reads,
                      double *slope)
{
    const contact_pair *g = &c->is.pair[i];
    double d = p->switches[SWITCHES * i + 1 + t];
    if (g->alone) {
        double limit = limit_alone(c, g, p, slope);
        double part = g->sticking > 0.0 ? g->friction / g->sticking : 1.0;
        *reads = c->nnormal;
        *slope *= part * d;
        return part * d * limit;
    }
    *reads = c->normal[i];
    *slope = g->friction * d;
    return g->friction * d * p->lam[*reads];
}

// ---- equations ------------------------------------------------------------------------------

static flx_status residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const contacts *c = of(s);
    int n = c->is.n, reads;
    for (int i = 0; i < n; i++) {
        r[i] = c->is.stiffness[i] * p->q[i] + c->is.damping[i] * p->v[i] - c->is.force[i];
        for (int j = 0; j < n; j++) r[i] += c->is.mass[i * n + j] * p->a[j];
    }
    for (int k = 0; k < row_count(c); k++) {
        row at = row_at(c, p, k);
        double lam = lambda_of(c, p, k);
        for (int i = 0; i < n && at.holds; i++) r[i] += at.sign * place_slope(at.h, p->q, i) * lam;
        r[n + k] = !at.holds     ? -lam
                   : at.velocity ? place_rate(at.h, n, p->q, p->v) - at.belt
                                 : at.sign * place_value(at.h, n, p->q);
    }
    for (int i = 0; i < c->is.npair; i++) {
        const contact_pair *g = &c->is.pair[i];
        double slope;
        if (state_of(p, i) != FLX_CONTACT_SLIDES) continue;
        for (int t = 0; t < g->ntangent; t++) {
            double force = sliding(c, p, i, t, &reads, &slope);
            for (int j = 0; j < n; j++) r[j] += force * place_slope(&g->slip[t], p->q, j);
        }
    }
    return FLX_OK;
}

static void put(const flx_system *s, double *A, int i, int j, double value)
{
    const flx_pattern *p = &s->pattern;
    int bi = 0, bj = 0;
    while (i >= p->start[bi + 1]) bi++;
    while (j >= p->start[bj + 1]) bj++;
    int width = p->start[bj + 1] - p->start[bj];
    A[p->offset[bi * p->nblock + bj] + (i - p->start[bi]) * width + (j - p->start[bj])] += value;
}

static flx_status linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    (void)w;
    const contacts *c = of(s);
    const flx_pattern *pt = &s->pattern;
    int n = c->is.n, reads;
    size_t bytes = (size_t)pt->offset[pt->row[pt->nblock]] * sizeof(double);
    memset(b->A0, 0, bytes);
    memset(b->A1, 0, bytes);
    memset(b->A2, 0, bytes);
    for (int i = 0; i < n; i++) {
        put(s, b->A0, i, i, c->is.stiffness[i]);
        put(s, b->A1, i, i, c->is.damping[i]);
        for (int j = 0; j < n; j++) put(s, b->A2, i, j, c->is.mass[i * n + j]);
    }
    for (int k = 0; k < row_count(c); k++) {
        row at = row_at(c, p, k);
        int a = at.h->angle;
        if (!at.holds) { // its multiplier acts on nothing, which keeps the matrix symmetric
            put(s, b->A0, n + k, n + k, -1.0);
            continue;
        }
        put(s, b->A0, a, a, at.sign * place_curve(at.h, p->q) * lambda_of(c, p, k));
        for (int i = 0; i < n; i++) {
            double slope = at.sign * place_slope(at.h, p->q, i);
            put(s, b->A0, i, n + k, slope);
            put(s, at.velocity ? b->A1 : b->A0, n + k, i, slope);
        }
        if (at.velocity) put(s, b->A0, n + k, a, place_curve(at.h, p->q) * p->v[a]);
    }
    for (int i = 0; i < c->is.npair; i++) {
        const contact_pair *g = &c->is.pair[i];
        if (state_of(p, i) != FLX_CONTACT_SLIDES) continue;
        for (int t = 0; t < g->ntangent; t++) {
            double by, force = sliding(c, p, i, t, &reads, &by);
            int a = g->slip[t].angle;
            put(s, b->A0, a, a, force * place_curve(&g->slip[t], p->q));
            for (int j = 0; j < n && reads < s->dims.nlam; j++)
                put(s, b->A0, j, n + reads, by * place_slope(&g->slip[t], p->q, j));
        }
    }
    return FLX_OK;
}

static flx_status constraint_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    (void)w;
    const contacts *c = of(s);
    for (int k = 0; k < s->dims.nlam; k++) {
        row at = row_at(c, p, k);
        gd[k] = at.sign * place_rate(at.h, c->is.n, p->q, p->v);
    }
    return FLX_OK;
}

static flx_status constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *eta, double *out)
{
    (void)w;
    const contacts *c = of(s);
    memset(out, 0, (size_t)c->is.n * sizeof *out);
    for (int k = 0; k < s->dims.nlam; k++) {
        row at = row_at(c, p, k);
        for (int i = 0; i < c->is.n; i++) out[i] += at.sign * place_slope(at.h, p->q, i) * eta[k];
    }
    return FLX_OK;
}

static flx_status constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                  double *bias)
{
    (void)w;
    (void)s;
    const contacts *c = of(s);
    for (int k = 0; k < row_count(c); k++) {
        row at = row_at(c, p, k);
        double rate = p->v[at.h->angle];
        bias[k] = at.sign * place_curve(at.h, p->q) * rate * rate;
    }
    return FLX_OK;
}

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const contacts *c = of(s);
    int n = c->is.n;
    *u = (flx_unknown){.kind = FLX_UNKNOWN_VELOCITY,
                       .index = 1,
                       .scale = 1.0,
                       .lower = -HUGE_VAL,
                       .upper = HUGE_VAL,
                       .item = "body",
                       .part = "x"};
    if (i < n) return;
    row at = row_at(c, NULL, i - n);
    u->kind = at.velocity ? FLX_UNKNOWN_VELOCITY_CONSTRAINT : FLX_UNKNOWN_CONSTRAINT;
    u->index = at.velocity ? 2 : 3;
    u->sigma = 1.0;
    u->item = "contact";
    u->part = at.velocity ? "slip" : "gap";
}

// ---- contacts -------------------------------------------------------------------------------

static int count(const flx_system *s)
{
    return of(s)->is.npair;
}

static void group(const flx_system *s, int i, flx_contact_group *out)
{
    const contacts *c = of(s);
    const contact_pair *g = &c->is.pair[i];
    *out = (flx_contact_group){.normal = g->alone ? -1 : c->normal[i],
                               .ntangent = g->ntangent,
                               .tangent = {c->tangent[i], c->tangent[i] + 1},
                               .state = SWITCHES * i,
                               .slip = SWITCHES * i + 1,
                               .tally = SWITCHES * i + 3,
                               .friction = g->friction,
                               .sticking = g->sticking,
                               .restitution = g->restitution,
                               .item = c->name[i]};
}

static int of_unknown(const flx_system *s, int unknown, int *tangent)
{
    const contacts *c = of(s);
    int k = unknown - c->is.n, nlam = s->dims.nlam;
    for (int i = 0; i < c->is.npair; i++) {
        int t = k - nlam - c->tangent[i];
        *tangent = k < nlam ? -1 : t;
        if (k < nlam ? !c->is.pair[i].alone && k == c->normal[i]
                     : t >= 0 && t < c->is.pair[i].ntangent)
            return i;
    }
    return -1;
}

static flx_status gaps(const flx_system *s, flx_work *w, const flx_point *p, double *gap,
                       double *rate, double *slip)
{
    (void)w;
    const contacts *c = of(s);
    int n = c->is.n;
    for (int i = 0; i < c->is.npair; i++) {
        const contact_pair *g = &c->is.pair[i];
        if (gap) gap[i] = g->alone ? 0.0 : place_value(&g->gap, n, p->q);
        if (rate) rate[i] = g->alone ? 0.0 : place_rate(&g->gap, n, p->q, p->v);
        for (int t = 0; slip && t < 2; t++)
            slip[2 * i + t] =
                t < g->ntangent ? place_rate(&g->slip[t], n, p->q, p->v) - g->belt[t] : 0.0;
    }
    return FLX_OK;
}

static flx_status limits(const flx_system *s, flx_work *w, const flx_point *p, double *limit)
{
    (void)w;
    const contacts *c = of(s);
    double slope;
    for (int i = 0; i < c->is.npair; i++) {
        const contact_pair *g = &c->is.pair[i];
        limit[i] = g->alone ? limit_alone(c, g, p, &slope) : HUGE_VAL;
    }
    return FLX_OK;
}

static const flx_contacts contact_ops = {
    .count = count, .group = group, .of_unknown = of_unknown, .gaps = gaps, .limits = limits};

// ---- explicit form --------------------------------------------------------------------------

static int solve_dense(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (!(fabs(a[best * n + k]) > 1e-14)) return 0;
        for (int j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0.0 : a[i * n + k] / a[k * n + k];
            if (f == 0.0) continue;
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++) b[k] /= a[k * n + k];
    return 1;
}

// [M, forces of multipliers; rows, -1 where they do not hold]; with friction that reads lambda or not.
static int fill(const contacts *c, contact_work *w, const flx_point *p, int friction)
{
    int n = c->is.n, m = n + row_count(c), reads;
    double slope;
    memset(w->a, 0, (size_t)m * (size_t)m * sizeof *w->a);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) w->a[i * m + j] = c->is.mass[i * n + j];
    }
    for (int k = 0; k < row_count(c); k++) {
        row at = row_at(c, p, k);
        for (int i = 0; i < n; i++) {
            w->a[i * m + n + k] = at.sign * place_slope(at.h, p->q, i);
            if (at.holds) w->a[(n + k) * m + i] = w->a[i * m + n + k];
        }
        if (!at.holds) w->a[(n + k) * m + n + k] = 1.0;
    }
    for (int i = 0; i < c->is.npair && friction; i++) {
        const contact_pair *g = &c->is.pair[i];
        if (state_of(p, i) != FLX_CONTACT_SLIDES) continue;
        for (int t = 0; t < g->ntangent; t++) {
            (void)sliding(c, p, i, t, &reads, &slope);
            for (int j = 0; j < n && reads < c->base.dims.nlam; j++)
                w->a[j * m + n + reads] += slope * place_slope(&g->slip[t], p->q, j);
        }
    }
    return m;
}

static int explicit_size(const flx_system *s)
{
    return 2 * s->dims.nv;
}
static void explicit_pack(const flx_system *s, const flx_state *x, double *z)
{
    size_t n = (size_t)s->dims.nv;
    memcpy(z, x->q, n * sizeof *z);
    memcpy(z + n, x->v, n * sizeof *z);
}
static void explicit_unpack(const flx_system *s, double t, const double *z, flx_state *x)
{
    size_t n = (size_t)s->dims.nv;
    x->t = t;
    memcpy(x->q, z, n * sizeof *z);
    memcpy(x->v, z + n, n * sizeof *z);
}

static flx_status explicit_rate(const flx_system *s, flx_work *work, double t, const double *z,
                                flx_state *x, double *dz)
{
    contact_work *w = (contact_work *)work;
    const contacts *c = of(s);
    int n = s->dims.nv;
    double r[MOST_UNKNOWNS], bias[MOST_UNKNOWNS];
    explicit_unpack(s, t, z, x);
    // friction alone reads |lambda|: once more with the sign that came out
    memset(x->lam, 0, (size_t)s->dims.nlam * sizeof(double));
    for (int round = 0; round < 2; round++) {
        memset(x->a, 0, (size_t)n * sizeof(double));
        memset(x->mu, 0, (size_t)s->dims.nmu * sizeof(double));
        flx_point p = flx_state_point(s, x);
        int m = fill(c, w, &p, 1);
        for (int k = 0; k < s->dims.nlam; k++) x->lam[k] = 0.0;
        (void)residual(s, work, &p, r);
        (void)constraint_bias(s, work, &p, bias);
        for (int i = 0; i < m; i++) w->b[i] = i < n ? -r[i] : 0.0;
        for (int k = 0; k < row_count(c); k++)
            if (row_at(c, &p, k).holds) w->b[n + k] = -bias[k];
        if (!solve_dense(m, w->a, w->b)) return FLX_SINGULAR;
        memcpy(x->a, w->b, (size_t)n * sizeof(double));
        memcpy(x->lam, w->b + n, (size_t)s->dims.nlam * sizeof(double));
        memcpy(x->mu, w->b + n + s->dims.nlam, (size_t)s->dims.nmu * sizeof(double));
    }
    memcpy(dz, x->v, (size_t)n * sizeof(double));
    memcpy(dz + n, x->a, (size_t)n * sizeof(double));
    return FLX_OK;
}

static flx_status explicit_project(const flx_system *s, flx_work *work, double t, double *z,
                                   flx_state *x, double *moved_q, double *moved_v)
{
    contact_work *w = (contact_work *)work;
    const contacts *c = of(s);
    int n = s->dims.nv;
    *moved_q = *moved_v = 0.0;
    explicit_unpack(s, t, z, x);
    for (int k = 0; k < 4; k++) { // positions three times, then velocities
        flx_point p = flx_state_point(s, x);
        int m = fill(c, w, &p, 0), positions = k < 3;
        memset(w->b, 0, (size_t)m * sizeof *w->b);
        for (int i = 0; i < row_count(c); i++) {
            row at = row_at(c, &p, i);
            if (!at.holds || (positions && at.velocity)) continue;
            w->b[n + i] = -at.sign * (positions ? place_value(at.h, n, x->q)
                                                : place_rate(at.h, n, x->q, x->v) - at.belt);
        }
        if (!solve_dense(m, w->a, w->b)) return FLX_SINGULAR;
        for (int i = 0; i < n; i++) {
            double *moved = positions ? moved_q : moved_v;
            *moved = fmax(*moved, fabs(w->b[i]));
            (positions ? x->q : x->v)[i] += w->b[i];
        }
    }
    explicit_pack(s, x, z);
    return FLX_OK;
}

static const flx_explicit explicit_form = {.size = explicit_size,
                                           .pack = explicit_pack,
                                           .unpack = explicit_unpack,
                                           .rate = explicit_rate,
                                           .project = explicit_project};

// ---- life -----------------------------------------------------------------------------------

static void retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    for (int i = 0; i < s->dims.nv; i++) out[i] = q[i] + theta[i];
}
static void difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    for (int i = 0; i < s->dims.nv; i++) theta[i] = q1[i] - q0[i];
}
static void same(const flx_system *s, const double *theta, const double *u, double *out)
{
    (void)theta;
    memmove(out, u, (size_t)s->dims.nv * sizeof *u);
}

static flx_work *work_create(const flx_system *s)
{
    contact_work *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->base.system = s;
    return &w->base;
}
static void work_destroy(flx_work *w)
{
    free(w);
}
static void destroy(flx_system *s)
{
    free(s);
}

static const flx_system_ops ops = {.name = "contacts",
                                   .residual = residual,
                                   .linearise = linearise,
                                   .retract = retract,
                                   .difference = difference,
                                   .velocity = same,
                                   .rate = same,
                                   .velocity_t = same,
                                   .rate_t = same,
                                   .unknown = unknown,
                                   .work_create = work_create,
                                   .work_destroy = work_destroy,
                                   .destroy = destroy,
                                   .constraint_rate = constraint_rate,
                                   .constraint_force = constraint_force,
                                   .constraint_bias = constraint_bias,
                                   .explicit_form = &explicit_form,
                                   .contacts = &contact_ops};

// One block for each kind of unknown, all of them coupled.
static void make_pattern(contacts *c)
{
    const flx_dims *d = &c->base.dims;
    int size[3] = {d->nv, d->nlam, d->nmu}, n = 0;
    for (int k = 0; k < 3; k++) {
        if (size[k] == 0) continue;
        c->start[n + 1] = c->start[n] + size[k];
        n++;
    }
    for (int i = 0, e = 0; i < n; i++) {
        c->row[i + 1] = c->row[i] + n;
        for (int j = 0; j < n; j++, e++) {
            c->col[e] = j;
            c->transpose[e] = j * n + i;
            c->offset[e + 1] =
                c->offset[e] + (c->start[i + 1] - c->start[i]) * (c->start[j + 1] - c->start[j]);
        }
    }
    c->base.pattern = (flx_pattern){.nblock = n,
                                    .start = c->start,
                                    .row = c->row,
                                    .col = c->col,
                                    .offset = c->offset,
                                    .transpose = c->transpose,
                                    .version = 1};
}

flx_system *contact_system_create(flx_ctx *ctx, const contact_numbers *numbers)
{
    contacts *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->is = *numbers;
    int nmu = 0, friction = 0;
    for (int i = 0; i < numbers->npair; i++) {
        const contact_pair *g = &numbers->pair[i];
        c->normal[i] = g->alone ? -1 : c->nnormal++;
        c->tangent[i] = nmu;
        nmu += g->ntangent;
        friction += g->ntangent;
        if (c->is.pair[i].sticking < g->friction) c->is.pair[i].sticking = g->friction;
        memcpy(c->name[i], "contact ", 8);
        c->name[i][8] = (char)('a' + i);
    }
    c->base = (flx_system){.ops = &ops,
                           .ctx = ctx,
                           .title = "contacts",
                           .dims = {.nq = numbers->n,
                                    .nv = numbers->n,
                                    .nlam = c->nnormal + numbers->njoint,
                                    .nmu = nmu,
                                    .nswitch = SWITCHES * numbers->npair},
                           .reads_multipliers = friction ? FLX_READS_FORCES : FLX_READS_NOTHING};
    make_pattern(c);
    return &c->base;
}
