// modal_grains.c - flexible body in a floating frame whose field is known at grains (FLX-7). With the
// weight o, the place r and its slopes r_k = Phi_k + Gam_kl q_l of a grain, in body axes:
//
//     v = o R^T r' + w x r + r_k q_k',   T = sum v.v / 2                                          (MOD-6)
//     a = o b + w' x r + w x (w x r) + 2 w x r_k q_k' + r_k q_k'' + Gam_kl q_k' q_l'
//     rows = sum B^T a,   B = (o R^T, -r~, r_k)                                                  (MOD-7)
// a square, so that no deformation makes T negative. Tangents are those of B and a.
#include "body/modal_grains.h"

#include "math/row_products.h"

// What a grain does is linear in one row of numbers for all: its rows times
//     (1, q, qq/2),   (0, q', qq'),   (0, q'', qq'' + q'q')                                      (MOD-8)
// are r, r', and r'' as the body sees it; products qq stand for those with k <= l, both orders together.
enum { PLACES, RATES, SECOND, ORDERS };

// A chunk of grains at one q: rows of three numbers a grain.
typedef struct field {
    int n, nf, count, width; // coordinates, rows of the frame, grains, 3 count
    const double *o;         // (count)
    const double *rows;      // (FLX_GRAIN_ROWS(n)): X, phi, gam
    double *r, *rd, *rdd;    // r, r_k q_k', r_k q_k'' + Gam_kl q_k' q_l'
    double *a;               // velocity or acceleration
    double *frame;           // (nf): B of the frame
    const int *axis;         // of each row of the frame, as in space
} field;

// axes of the rows of the frame; in the plane three count
static const int space[6] = {0, 1, 2, 3, 4, 5}, plane[6] = {0, 1, 5};

static v3 unit(int i)
{
    return v3_make(i == 0, i == 1, i == 2);
}

// Scratch: coefficients of (MOD-8) and sums along the rows of grains, then what a chunk needs.
static double *coefficients(const flx_grain_view *x, int order)
{
    return x->scratch + order * FLX_GRAIN_ROWS(x->e->n);
}

static double *sums(const flx_grain_view *x)
{
    return coefficients(x, ORDERS);
}

static double *room(const flx_grain_view *x)
{
    return coefficients(x, ORDERS + 1);
}

static int count_chunks(const flx_grain_view *x)
{
    return (x->e->ngrain + FLX_CHUNK - 1) / FLX_CHUNK;
}

// (MOD-8); qdd NULL: none. The sums are zero.
static void begin(const flx_grain_view *x, const double *qdd)
{
    int n = x->e->n, at = 1 + n;
    const double *q = x->q, *u = x->u;
    double *c0 = coefficients(x, PLACES), *c1 = coefficients(x, RATES);
    double *c2 = coefficients(x, SECOND);
    memset(sums(x), 0, (size_t)FLX_GRAIN_ROWS(n) * sizeof *c0);
    c0[0] = 1.0, c1[0] = c2[0] = 0.0;
    for (int k = 0; k < n; k++) {
        double ak = qdd ? qdd[k] : 0.0;
        c0[1 + k] = q[k], c1[1 + k] = u[k], c2[1 + k] = ak;
        c0[at] = 0.5 * q[k] * q[k];
        c1[at] = q[k] * u[k];
        c2[at++] = q[k] * ak + u[k] * u[k];
        for (int l = k + 1; l < n; l++, at++) {
            double al = qdd ? qdd[l] : 0.0;
            c0[at] = q[k] * q[l];
            c1[at] = q[k] * u[l] + q[l] * u[k];
            c2[at] = q[k] * al + q[l] * ak + 2.0 * u[k] * u[l];
        }
    }
}

static field evaluate(const flx_grain_view *x, int c)
{
    const flx_elastic *e = x->e;
    int n = e->n, nf = x->nf, count = flx_chunk_count(e, c), width = 3 * count;
    field g = {.n = n, .nf = nf, .count = count, .width = width, .o = e->weights + c * FLX_CHUNK};
    g.rows = flx_chunk(e, c);
    g.axis = nf == 6 ? space : plane;
    g.r = room(x), g.rd = g.r + width, g.rdd = g.rd + width, g.a = g.rdd + width;
    g.frame = g.a + width;
    flx_rows_product(ORDERS, FLX_GRAIN_ROWS(n), width, coefficients(x, 0), g.rows, g.r);
    for (int d = 0; d < nf; d++) {
        int i = g.axis[d];
        double *B = g.frame + d * width;
        if (i < 3) {
            v3 row = m33_row(x->R, i);
            for (int j = 0; j < count; j++) v3_store(B + 3 * j, v3_scale(g.o[j], row));
        } else {
            v3 axis = unit(i - 3);
            for (int j = 0; j < width; j += 3) v3_store(B + j, v3_cross(axis, v3_load(g.r + j)));
        }
    }
    return g;
}

// v into g->a
static void find_velocity(const flx_grain_view *x, const field *g)
{
    v3 u = m33_tmul_v(x->R, x->v);
    for (int j = 0; j < g->count; j++) {
        v3 inner = v3_add(v3_cross(x->w, v3_load(g->r + 3 * j)), v3_load(g->rd + 3 * j));
        v3_store(g->a + 3 * j, v3_axpy(g->o[j], u, inner));
    }
}

static void find_acceleration(const flx_grain_view *x, const flx_grain_rates *at, const field *g)
{
    v3 b = m33_tmul_v(x->R, at->a);
    for (int j = 0; j < g->count; j++) {
        v3 r = v3_load(g->r + 3 * j);
        v3 around = v3_axpy(2.0, v3_load(g->rd + 3 * j), v3_cross(x->w, r));
        v3 a = v3_add(v3_cross(at->alpha, r), v3_cross(x->w, around));
        v3_store(g->a + 3 * j, v3_axpy(g->o[j], b, v3_add(a, v3_load(g->rdd + 3 * j))));
    }
}

// B^T f: rows of the frame; of the coordinates the sums, which give_sums spreads
static void add_rows(const flx_grain_view *x, const field *g, const double *f, double *rows)
{
    flx_rows_dot(g->nf, g->width, g->frame, f, rows);
    flx_rows_dot(FLX_GRAIN_ROWS(g->n), g->width, g->rows, f, sums(x));
}

// own_k += first phi_k.f + gam_kl.f y_l, of the sums
static void give_sums(const flx_grain_view *x, bool first, const double *y, double *own)
{
    int n = x->e->n;
    const double *s = sums(x) + 1, *second = s + n;
    for (int k = 0; k < n; k++) {
        if (first) own[k] += s[k];
        own[k] += *second++ * y[k];
        for (int l = k + 1; l < n; l++, second++) {
            own[k] += *second * y[l];
            own[l] += *second * y[k];
        }
    }
}

void flx_grains_residual(const flx_grain_view *x, const flx_grain_rates *a, double *rows,
                         double *own)
{
    begin(x, a->qdd);
    for (int c = 0; c < count_chunks(x); c++) {
        field g = evaluate(x, c);
        find_acceleration(x, a, &g);
        add_rows(x, &g, g.a, rows);
    }
    give_sums(x, true, x->q, own);
}

void flx_grains_energy(const flx_grain_view *x, const double *gravity, flx_energies *out)
{
    v3 P = {0, 0, 0}, H = {0, 0, 0}, S = {0, 0, 0};
    begin(x, NULL);
    for (int c = 0; c < count_chunks(x); c++) {
        field g = evaluate(x, c);
        find_velocity(x, &g);
        for (int j = 0; j < g.count; j++) {
            v3 v = v3_load(g.a + 3 * j), r = v3_load(g.r + 3 * j);
            out->kinetic += 0.5 * v3_dot(v, v);
            P = v3_axpy(g.o[j], v, P);
            H = v3_add(H, v3_cross(r, v));
            S = v3_axpy(g.o[j], r, S);
        }
    }
    v3 lever = m33_mul_v(x->R, S), linear = m33_mul_v(x->R, P);
    out->potential -= v3_dot(v3_load(gravity), v3_axpy(x->e->m, x->r, lever));
    v3_add_to(out->linear, 1.0, linear);
    v3_add_to(out->angular, 1.0, v3_add(v3_cross(x->r, linear), m33_mul_v(x->R, H)));
}

void flx_grains_momentum(const flx_grain_view *x, double *rows, double *own)
{
    begin(x, NULL);
    for (int c = 0; c < count_chunks(x); c++) {
        field g = evaluate(x, c);
        find_velocity(x, &g);
        add_rows(x, &g, g.a, rows);
    }
    give_sums(x, true, x->q, own);
}

// B^T v' with the velocities as they are, and B'^T v of the frame
static void transport_frame(const flx_grain_view *x, const field *g, double *rows)
{
    v3 w = x->w, uw = v3_cross(m33_tmul_v(x->R, x->v), w), H = {0, 0, 0};
    for (int d = 0; d < g->nf; d++) {
        for (int j = 0; g->axis[d] < 3 && j < g->width; j += 3) {
            v3 turned = v3_cross(v3_load(g->frame + d * g->width + j), w);
            rows[d] += v3_dot(turned, v3_load(g->a + j));
        }
    }
    for (int j = 0; j < g->count; j++) {
        v3 v = v3_load(g->a + 3 * j), r = v3_load(g->r + 3 * j), rd = v3_load(g->rd + 3 * j);
        v3 inner = v3_add(v3_cross(w, rd), v3_load(g->rdd + 3 * j));
        H = v3_add(H, v3_add(v3_cross(rd, v), v3_cross(w, v3_cross(r, v))));
        v3_store(g->a + 3 * j, v3_axpy(g->o[j], uw, inner));
    }
    for (int d = 0; d < g->nf; d++) {
        if (g->axis[d] >= 3) rows[d] += v3_dot(unit(g->axis[d] - 3), H);
    }
    add_rows(x, g, g->a, rows);
}

void flx_grains_transport(const flx_grain_view *x, double *rows, double *own)
{
    begin(x, NULL);
    for (int c = 0; c < count_chunks(x); c++) {
        field g = evaluate(x, c);
        find_velocity(x, &g);
        flx_rows_dot(FLX_GRAIN_ROWS(g.n), g.width, g.rows, g.a, sums(x));
    }
    give_sums(x, false, x->u, own); // Gam_kl q_l'.v
    begin(x, NULL);
    for (int c = 0; c < count_chunks(x); c++) {
        field g = evaluate(x, c);
        find_velocity(x, &g);
        transport_frame(x, &g, rows);
    }
    give_sums(x, true, x->q, own);
}

// ---- tangent ------------------------------------------------------------------------------------

typedef struct slopes {
    double *B, *own; // (nf + n): B; of them the last n, r_k
    double *Gu;      // (n): Gam_kl q_l'
    double *d;       // (nf + n): derivatives of a
} slopes;

static slopes find_slopes(const flx_grain_view *x, const field *g)
{
    int n = g->n, nf = g->nf, width = g->width;
    const double *phi = g->rows + width, *gam = phi + n * width;
    slopes s = {.B = g->frame};
    s.own = s.B + nf * width, s.Gu = s.own + n * width, s.d = s.Gu + n * width;
    memcpy(s.own, phi, (size_t)(n * width) * sizeof *s.own);
    memset(s.Gu, 0, (size_t)(n * width) * sizeof *s.Gu);
    flx_rows_multiply(n, width, gam, x->q, s.own);
    flx_rows_multiply(n, width, gam, x->u, s.Gu);
    return s;
}

// A += B^T D, in its four blocks
static void add_product(const field *g, const slopes *s, const int at[2][2], const double *D,
                        double *A)
{
    int nf = g->nf, n = g->n, width = g->width;
    const double *inner = D + nf * width;
    flx_rows_gram(nf, nf, width, s->B, D, A + at[0][0]);
    flx_rows_gram(nf, n, width, s->B, inner, A + at[0][1]);
    flx_rows_gram(n, nf, width, s->own, D, A + at[1][0]);
    flx_rows_gram(n, n, width, s->own, inner, A + at[1][1]);
}

// da/dv
static void velocity_columns(const flx_grain_view *x, const field *g, const slopes *s)
{
    for (int d = 0; d < g->nf; d++) {
        int i = g->axis[d];
        double *to = s->d + d * g->width;
        if (i < 3) {
            memset(to, 0, (size_t)g->width * sizeof *to);
            continue;
        }
        v3 e = unit(i - 3);
        for (int j = 0; j < g->width; j += 3) {
            v3 r = v3_load(g->r + j);
            v3 wr = v3_axpy(2.0, v3_load(g->rd + j), v3_cross(x->w, r));
            v3_store(to + j, v3_add(v3_cross(e, wr), v3_cross(x->w, v3_cross(e, r))));
        }
    }
    double *to = s->d + g->nf * g->width;
    for (int kj = 0; kj < g->n * g->width; kj += 3) {
        v3 c = v3_add(v3_cross(x->w, v3_load(s->own + kj)), v3_load(s->Gu + kj));
        v3_store(to + kj, v3_scale(2.0, c));
    }
}

// da/dx; a turn of the frame by its axis i turns b back
static void position_columns(const flx_grain_view *x, const flx_grain_rates *at, const field *g,
                             const slopes *s)
{
    v3 b = m33_tmul_v(x->R, at->a);
    for (int d = 0; d < g->nf; d++) {
        int i = g->axis[d];
        v3 c = i < 3 ? v3_make(0, 0, 0) : v3_cross(b, unit(i - 3));
        double *to = s->d + d * g->width;
        for (int j = 0; j < g->count; j++) v3_store(to + 3 * j, v3_scale(g->o[j], c));
    }
    double *to = s->d + g->nf * g->width;
    for (int kj = 0; kj < g->n * g->width; kj += 3) {
        v3 slope = v3_load(s->own + kj);
        v3 around = v3_axpy(2.0, v3_load(s->Gu + kj), v3_cross(x->w, slope));
        v3_store(to + kj, v3_add(v3_cross(at->alpha, slope), v3_cross(x->w, around)));
    }
    flx_rows_multiply(g->n, g->width, g->rows + (1 + g->n) * g->width, at->qdd, to);
}

// A += dB^T/dx a, of the frame's rows
static void turn_rows(const field *g, const slopes *s, const int at[2][2], double *A)
{
    int n = g->n, nf = g->nf, width = g->width;
    for (int d = 0; d < nf; d++) {
        v3 turned = {0, 0, 0}; // a x B
        for (int j = 0; g->axis[d] < 3 && j < width; j += 3) {
            v3 B = v3_load(s->B + d * width + j);
            turned = v3_add(turned, v3_cross(v3_load(g->a + j), B));
        }
        for (int f = 0; f < nf; f++) {
            if (g->axis[f] < 3) continue;
            A[at[0][0] + d * nf + f] += v3_dot(unit(g->axis[f] - 3), turned);
        }
    }
    for (int k = 0; k < n; k++) {
        v3 turned = {0, 0, 0}; // r_k x a
        for (int j = 0; j < width; j += 3) {
            v3 slope = v3_load(s->own + k * width + j);
            turned = v3_add(turned, v3_cross(slope, v3_load(g->a + j)));
        }
        for (int d = 0; d < nf; d++) {
            if (g->axis[d] < 3) continue;
            A[at[0][1] + d * n + k] += v3_dot(unit(g->axis[d] - 3), turned);
        }
    }
}

// own += gam_kl.a, of the sums
static void curve_rows(const flx_grain_view *x, double *own)
{
    int n = x->e->n;
    const double *second = sums(x) + 1 + n;
    for (int k = 0; k < n; k++) {
        own[k * n + k] += *second++;
        for (int l = k + 1; l < n; l++, second++) {
            own[k * n + l] += *second;
            own[l * n + k] += *second;
        }
    }
}

void flx_grains_linearise(const flx_grain_view *x, const flx_grain_rates *a, const int at[2][2],
                          double *A0, double *A1, double *A2)
{
    begin(x, A0 ? a->qdd : NULL);
    for (int c = 0; c < count_chunks(x); c++) {
        field g = evaluate(x, c);
        slopes s = find_slopes(x, &g);
        add_product(&g, &s, at, s.B, A2);
        if (A1) {
            velocity_columns(x, &g, &s);
            add_product(&g, &s, at, s.d, A1);
        }
        if (A0) {
            position_columns(x, a, &g, &s);
            add_product(&g, &s, at, s.d, A0);
            find_acceleration(x, a, &g);
            turn_rows(&g, &s, at, A0);
            flx_rows_dot(FLX_GRAIN_ROWS(g.n), g.width, g.rows, g.a, sums(x));
        }
    }
    if (A0) curve_rows(x, A0 + at[1][1]);
}

// ---- elastic forces -----------------------------------------------------------------------------

void flx_elastic_forces(const flx_elastic *e, const double *q, const double *u, double *own)
{
    for (int k = 0; k < e->n; k++) {
        double sum = e->k0[k];
        for (int l = 0; l < e->n; l++) {
            sum += e->K[k * e->n + l] * q[l] + e->D[k * e->n + l] * u[l];
        }
        own[k] += sum;
    }
}

void flx_elastic_tangents(const flx_elastic *e, double *A0, double *A1)
{
    for (int kl = 0; A0 && kl < e->n * e->n; kl++) A0[kl] += e->K[kl];
    for (int kl = 0; A1 && kl < e->n * e->n; kl++) A1[kl] += e->D[kl];
}

void flx_elastic_energy(const flx_elastic *e, const double *q, const double *u, flx_energies *out)
{
    for (int k = 0; k < e->n; k++) {
        out->strain += e->k0[k] * q[k];
        for (int l = 0; l < e->n; l++) {
            out->strain += 0.5 * q[k] * e->K[k * e->n + l] * q[l];
            out->dissipated_power += u[k] * e->D[k * e->n + l] * u[l];
        }
    }
}

void flx_elastic_add_kinetic(const flx_elastic *e, const double *u, flx_energies *out)
{
    for (int k = 0; k < e->n; k++) {
        for (int l = 0; l < e->n; l++) out->kinetic += 0.5 * u[k] * e->M[k * e->n + l] * u[l];
    }
}
