// gap.c - depth and slip of a point of two surfaces, with first and second derivatives. Equations (CON-1) to (CON-7) of
// docs/theory/contact.md: the second derivative needs of each surface its curvature at the point, and no more.
#include "contact/gap.h"
#include "contact/gap_motion.h"

#include <float.h>

bool flx_gap_init(flx_gap *g, const flx_surface *first, const flx_surface *second, uint64_t feature,
                  bool planar)
{
    *g = (flx_gap){.surface = {first, second},
                   .planar = planar,
                   .feature = feature,
                   .tangents = planar ? flx_tangents_planar : flx_tangents_usual};
    g->pair = flx_pair_find(first->kind, second->kind, &g->turned);
    return g->pair && (planar || !g->pair->planar);
}

bool flx_gap_touch(const flx_gap *g, const flx_frame *A, const flx_frame *B, flx_touch *out)
{
    if (g->family) return flx_gap_slot(g, A, B, out);
    if (!g->turned) return g->pair->point(g->surface[0], A, g->surface[1], B, g->feature, out);
    if (!g->pair->point(g->surface[1], B, g->surface[0], A, g->feature, out)) return false;
    flx_touch_turn(out);
    return true;
}

void flx_gap_choose_tangents(flx_gap *g, const flx_frame *A, const flx_frame *B)
{
    flx_touch t;
    if (g->planar || !flx_gap_touch(g, A, B, &t)) return;
    g->tangents = flx_tangents_about(t.n);
}

static void put6(double out[6], double sign, v3 a, v3 b)
{
    v3_store(out, v3_scale(sign, a));
    v3_store(out + 3, v3_scale(sign, b));
}

// What both functions of a point begin with.
typedef struct point {
    flx_touch touch;
    v3 n, t[2];
    double spin[2];
    m33 R[2];
    v3 arm[2]; // from the centres of mass to the two places
} point;

static bool find_point(const flx_gap *g, const flx_frame *A, const flx_frame *B, point *p)
{
    const flx_frame *f[2] = {A, B};
    double t[2][3];
    if (!flx_gap_touch(g, A, B, &p->touch)) return false;
    p->n = v3_load(p->touch.n);
    flx_touch_tangents(&g->tangents, p->touch.n, t, p->spin);
    for (int i = 0; i < 2; i++) {
        p->t[i] = v3_load(t[i]);
        p->R[i] = m33_load(f[i]->R);
        p->arm[i] = v3_sub(v3_load(p->touch.p[i]), v3_load(f[i]->r));
    }
    return true;
}

static void clear(int order, double G[2][6], double K[2][2][36])
{
    if (order >= 1) memset(G, 0, 2 * sizeof G[0]);
    if (order >= 2) memset(K, 0, 2 * sizeof K[0]);
}

static void add3(double *K, int r, int c, double w, m33 A)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) K[6 * (r + i) + c + j] += w * A.m[3 * i + j];
    }
}

// (CON-3) Displacements along the tangents of the places that touch, U, and turns of the normals with their bodies, -V.
static void motions(const point *p, flx_touch_motion m[2])
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            put6(m[i].U[k], 1.0, p->t[k], m33_tmul_v(p->R[i], v3_cross(p->arm[i], p->t[k])));
            put6(m[i].V[k], 1.0, v3_make(0, 0, 0), m33_tmul_v(p->R[i], v3_cross(p->t[k], p->n)));
        }
    }
}

// Derivatives of the normal, nu, and of the places on their surfaces, y, along the motions of both bodies.
typedef struct shifts {
    double nu[2][2][6], y[2][2][2][6]; // [tangent][body], [surface][tangent][body]
} shifts;

static void combine(const double N[3][4], const flx_touch_motion m[2], int k, double out[2][6])
{
    for (int c = 0; c < 6; c++) {
        double one = 0.0, two = 0.0;
        for (int l = 0; l < 2; l++) {
            one -= N[0][2 * k + l] * m[0].U[l][c] + N[1][2 * k + l] * m[0].V[l][c];
            two += N[0][2 * k + l] * m[1].U[l][c] - N[2][2 * k + l] * m[1].V[l][c];
        }
        out[0][c] = one;
        out[1][c] = two;
    }
}

static void find_shifts(const point *p, const flx_touch_motion m[2], shifts *s)
{
    flx_shift_maps maps;
    flx_shift_maps_find(&p->touch, p->t, &maps);
    for (int k = 0; k < 2; k++) {
        combine(maps.nu, m, k, s->nu[k]);
        for (int i = 0; i < 2; i++) combine(maps.y[i], m, k, s->y[i][k]);
    }
}

// Block (i, c) of U^T dnu + V^T dy, and the one beyond the diagonal, its transpose.
static void put_block(double sign, const flx_touch_motion *m, const shifts *s, int i, int c,
                      double K[2][2][36])
{
    const double *u = m->U[0], *t = m->U[1], *v = m->V[0], *w = m->V[1];
    const double *a = s->nu[0][c], *b = s->nu[1][c], *x = s->y[i][0][c], *y = s->y[i][1][c];
    for (int r = 0; r < 6; r++) {
        for (int k = 0; k < 6; k++) {
            double sum = u[r] * a[k] + t[r] * b[k];
            if (r >= 3) sum += v[r] * x[k] + w[r] * y[k];
            K[i][c][6 * r + k] = sign * sum;
            if (c != i) K[c][i][6 * k + r] = sign * sum;
        }
    }
}

void flx_gap_depth(const flx_gap *g, const flx_frame *A, const flx_frame *B, const int nv[2],
                   int order, double *value, double G[2][6], double K[2][2][36])
{
    point p;
    clear(order, G, K);
    *value = -DBL_MAX;
    if (!find_point(g, A, B, &p)) return;
    *value = -p.touch.gap;
    if (order < 1) return;
    for (int i = 0; i < 2; i++) { // (CON-2)
        put6(G[i], i ? -1.0 : 1.0, p.n, m33_tmul_v(p.R[i], v3_cross(p.arm[i], p.n)));
    }
    if (order < 2) return;
    flx_touch_motion m[2];
    shifts s;
    motions(&p, m);
    find_shifts(&p, m, &s);
    for (int i = 0; i < 2; i++) { // (CON-5)
        double sign = i ? -1.0 : 1.0;
        for (int c = i; nv[i] > 0 && c < 2; c++) {
            if (nv[c] > 0) put_block(sign, m + i, &s, i, c, K);
        }
        v3 b = m33_tmul_v(p.R[i], p.arm[i]), nb = m33_tmul_v(p.R[i], p.n);
        add3(K[i][i], 3, 3, sign, m33_mul(m33_skew(b), m33_skew(nb)));
    }
}

// (CON-7) Along one motion of one body: dt, dP and the turn of body i, all in ground axes, give the change of the row.
typedef struct slip_change {
    v3 dt, dP, dr[2], turn[2];
} slip_change;

static void slip_column(const point *p, v3 t, const v3 way[2], const slip_change *d, int c, int col,
                        double K[2][2][36])
{
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1.0 : -1.0;
        v3 m = v3_add(v3_cross(v3_sub(d->dP, d->dr[i]), t), v3_cross(way[i], d->dt));
        m = v3_sub(m, v3_cross(d->turn[i], v3_cross(way[i], t)));
        m = m33_tmul_v(p->R[i], m);
        const double row[6] = {d->dt.x, d->dt.y, d->dt.z, m.x, m.y, m.z};
        for (int r = 0; r < 6; r++) K[i][c][6 * r + col] = sign * row[r];
    }
}

// The change along motion `col` of body c.
static slip_change change_of(const point *p, const shifts *s, int along, int c, int col)
{
    slip_change d = {.dt = {0}};
    v3 unit = {col % 3 == 0, col % 3 == 1, col % 3 == 2};
    v3 moved = unit;
    if (col < 3) {
        d.dr[c] = unit;
    } else {
        d.turn[c] = m33_mul_v(p->R[c], unit);
        moved = v3_cross(d.turn[c], p->arm[c]);
    }
    double nu[2] = {s->nu[0][c][col], s->nu[1][c][col]};
    double turn = p->spin[0] * nu[0] + p->spin[1] * nu[1];
    d.dt = v3_axpy(along ? -turn : turn, p->t[1 - along], v3_scale(-nu[along], p->n));
    d.dP = v3_scale(0.5, moved);
    for (int k = 0; k < 2; k++) {
        double y = s->y[0][k][c][col] + s->y[1][k][c][col];
        d.dP = v3_axpy(0.5 * y, p->t[k], d.dP);
    }
    return d;
}

void flx_gap_slip(const flx_gap *g, const flx_frame *A, const flx_frame *B, const int nv[2],
                  int along, int order, double G[2][6], double K[2][2][36])
{
    const flx_frame *f[2] = {A, B};
    point p;
    clear(order, G, K);
    if (order < 1 || !find_point(g, A, B, &p)) return;
    v3 t = p.t[along], way[2];
    v3 P = v3_scale(0.5, v3_add(v3_load(p.touch.p[0]), v3_load(p.touch.p[1])));
    for (int i = 0; i < 2; i++) {
        way[i] = v3_sub(P, v3_load(f[i]->r));
        put6(G[i], i ? 1.0 : -1.0, t, m33_tmul_v(p.R[i], v3_cross(way[i], t)));
    }
    if (order < 2) return;
    flx_touch_motion m[2];
    shifts s;
    motions(&p, m);
    find_shifts(&p, m, &s);
    for (int c = 0; c < 2; c++) {
        for (int col = 0; nv[c] > 0 && col < 6; col++) {
            slip_change d = change_of(&p, &s, along, c, col);
            slip_column(&p, t, way, &d, c, col, K);
        }
    }
}

// Change of an axis along a motion of body c, that of the tangents or of the normal.
static v3 axis_change(const slip_change *d, const point *p, const shifts *s, int about, int c,
                      int col)
{
    if (about < 2) return d->dt;
    return v3_axpy(s->nu[0][c][col], p->t[0], v3_scale(s->nu[1][c][col], p->t[1]));
}

// (CON-11) Less how the tangents turn about the normal, (CON-6).
static void leave_tangents(const point *p, const shifts *s, double G[2][6])
{
    for (int c = 0; c < 2; c++) {
        for (int col = 0; col < 6; col++) {
            G[c][col] -= p->spin[0] * s->nu[0][c][col] + p->spin[1] * s->nu[1][c][col];
        }
    }
}

// (CON-10), (CON-11)
void flx_gap_turn(const flx_gap *g, const flx_frame *A, const flx_frame *B, const int nv[2],
                  int about, int order, double G[2][6], double K[2][2][36])
{
    const double sign[2] = {about == 3 ? 0.5 : -1.0, about == 3 ? 0.5 : 1.0};
    point p;
    clear(order, G, K);
    if (order < 1 || !find_point(g, A, B, &p)) return;
    v3 e = about < 2 ? p.t[about] : p.n;
    for (int i = 0; i < 2; i++) {
        put6(G[i], sign[i], v3_make(0, 0, 0), m33_tmul_v(p.R[i], e));
    }
    if (order < 2 && about < 3) return;
    flx_touch_motion m[2];
    shifts s;
    motions(&p, m);
    find_shifts(&p, m, &s);
    if (about == 3) leave_tangents(&p, &s, G);
    for (int c = 0; c < 2 && order >= 2; c++) {
        for (int col = 0; nv[c] > 0 && col < 6; col++) {
            slip_change d = change_of(&p, &s, about < 2 ? about : 0, c, col);
            v3 de = axis_change(&d, &p, &s, about, c, col);
            for (int i = 0; i < 2; i++) {
                double x[3];
                v3_store(x, m33_tmul_v(p.R[i], v3_sub(de, v3_cross(d.turn[i], e))));
                for (int r = 0; r < 3; r++) K[i][c][6 * (3 + r) + col] = sign[i] * x[r];
            }
        }
    }
}

flx_frame flx_frame_of_plane(const flx_frame2 *f)
{
    return (flx_frame){.R = {f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1},
                       .r = {f->x, f->y, 0},
                       .v = {f->vx, f->vy, 0},
                       .w = {0, 0, f->w}};
}

// Of the six motions of a body in space, x, y and the turn about z stay.
void flx_jet_of_plane(int order, double G[2][6], double K[2][2][36])
{
    static const int kept[3] = {0, 1, 5};
    for (int i = 0; order >= 1 && i < 2; i++) {
        for (int r = 0; r < 3; r++) G[i][r] = G[i][kept[r]];
        for (int j = 0; order >= 2 && j < 2; j++) {
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c < 3; c++) K[i][j][6 * r + c] = K[i][j][6 * kept[r] + kept[c]];
            }
        }
    }
}

void flx_gap_depth2(const flx_gap *g, const flx_frame2 *A, const flx_frame2 *B, const int nv[2],
                    int order, double *value, double G[2][6], double K[2][2][36])
{
    flx_frame a = flx_frame_of_plane(A), b = flx_frame_of_plane(B);
    flx_gap_depth(g, &a, &b, nv, order, value, G, K);
    flx_jet_of_plane(order, G, K);
}

void flx_gap_slip2(const flx_gap *g, const flx_frame2 *A, const flx_frame2 *B, const int nv[2],
                   int order, double G[2][6], double K[2][2][36])
{
    flx_frame a = flx_frame_of_plane(A), b = flx_frame_of_plane(B);
    flx_gap_slip(g, &a, &b, nv, 0, order, G, K);
    flx_jet_of_plane(order, G, K);
}

void flx_gap_turn2(const flx_gap *g, const flx_frame2 *A, const flx_frame2 *B, const int nv[2],
                   int order, double G[2][6], double K[2][2][36])
{
    flx_frame a = flx_frame_of_plane(A), b = flx_frame_of_plane(B);
    flx_gap_turn(g, &a, &b, nv, 1, order, G, K);
    flx_jet_of_plane(order, G, K);
}
