// patch_force.c - a compliant law between two patches, with friction against the slip of their surfaces.
//
// With the vectors z of both patches, their rates, and the angular velocities w of what turns with them, y = (z', w):
//     D = B z,  B = [-N_1 .. N_2],   n = D/|D|,   u = E y,   E = [B, m a n~]                                  (PAT-2)
// m: part of a body in the angular velocity of its surface, a: from the line to the point midway between the surfaces. The
// force on the second is
//     P = F n - f F u_t/sqrt(u_t^2 + v_s^2),   F = F(d, d'),  d = r_1 + r_2 - |D|,  d' = -n.u                  (PAT-3)
// The nearest places move with z, where they are free:
//     H ds = -(N D_s + N_s D) dz,   H = D_s.D_s + D.D_ss                                                       (PAT-4)
// and with y = T v of the bodies
//     r_v -= T^T E^T P,   A0 -= T^T (d(E^T P)/dz T + E^T dP/dy Y) + dT^T E^T P,   A1 -= T^T E^T dP/dy T        (PAT-5)
#include "force/patch_force.h"

#include "contact/gap.h"

#include <math.h>
#include <string.h>

#define MOST 12 // vectors of y: four of each patch, and two that turn
#define PARAMETERS 4

typedef double row[3 * MOST]; // along all dz or dy

// ---- vectors ------------------------------------------------------------------------------------

static flx_frame frame_of(flx_frames f, int i)
{
    return f.plane ? flx_frame_of_plane(f.plane + i) : f.space[i];
}

void flx_patch_place_vectors(const flx_patch *p, flx_frames f, v3 z[FLX_PATCH_VECTORS])
{
    for (int i = 0; i < flx_patch_vectors(p->kind); i++) {
        flx_frame at = frame_of(f, p->z[i].frame);
        z[i] = m33_mul_v(m33_load(at.R), v3_load(p->z[i].arm));
        z[i] = v3_axpy(p->z[i].place, v3_load(at.r), z[i]);
    }
}

static v3 rate_of(const flx_patch_vector *z, const flx_frame *f)
{
    v3 turned = v3_cross(v3_load(f->w), v3_load(z->arm));
    return v3_axpy(z->place, v3_load(f->v), m33_mul_v(m33_load(f->R), turned));
}

void flx_patch_move_vectors(const flx_patch *p, flx_frames f, v3 rate[FLX_PATCH_VECTORS])
{
    for (int i = 0; i < flx_patch_vectors(p->kind); i++) {
        flx_frame at = frame_of(f, p->z[i].frame);
        rate[i] = rate_of(p->z + i, &at);
    }
}

typedef struct vector { // of y
    const flx_patch_vector *of;
    bool turns; // an angular velocity
    int side;
    double sign;        // of a place: -1 of the first
    double N, first[2]; // of the functions, or of m
    flx_frame f;
} vector;

// Everything at the place where two patches touch.
typedef struct touch {
    int n; // vectors of y
    vector of[MOST];
    v3 y[MOST];
    int nfree;            // parameters that move
    v3 along[PARAMETERS]; // D_s
    v3 turn[PARAMETERS];  // (E y)_s
    int side[PARAMETERS], which[PARAMETERS];
    double H[PARAMETERS][PARAMETERS];
    v3 n3, D, u, slip;
    double distance, arm[2], depth, rate, weight;
    double longer[2]; // how much the arms grow with the distance
} touch;

static void add_vector(touch *t, const flx_patch_vector *of, bool turns, int side, double N,
                       const double first[2], flx_frames frames)
{
    vector *o = t->of + t->n;
    *o = (vector){.of = of,
                  .turns = turns,
                  .side = side,
                  .sign = turns  ? 1.0
                          : side ? 1.0
                                 : -1.0,
                  .N = N,
                  .first = {first[0], first[1]},
                  .f = frame_of(frames, of->frame)};
    t->y[t->n++] = turns ? m33_mul_v(m33_load(o->f.R), v3_load(o->f.w)) : rate_of(of, &o->f);
}

// The parts of y.
static void list_vectors(const flx_patch_pair *p, const flx_patch_touch *at, flx_frames f,
                         v3 z[2][FLX_PATCH_VECTORS], flx_patch_shape shape[2], touch *t)
{
    t->n = 0;
    for (int side = 0; side < 2; side++) {
        const flx_patch *of = p->of[side] + at->patch[side];
        flx_patch_place_vectors(of, f, z[side]);
        flx_patch_shape_at(of->kind, at->at.s[side], &shape[side]);
        for (int i = 0; i < flx_patch_vectors(of->kind); i++) {
            const double first[2] = {shape[side].first[0][i], shape[side].first[1][i]};
            add_vector(t, of->z + i, false, side, shape[side].N[i], first, f);
        }
    }
    for (int side = 0; side < 2; side++) {
        const flx_patch *of = p->of[side] + at->patch[side];
        for (int i = 0; i < of->nturn; i++) {
            double s = at->at.s[side][0], m = of->nturn == 1 ? 1.0 : i ? s : 1.0 - s;
            const double first[2] = {of->nturn == 1 ? 0.0 : i ? 1.0 : -1.0, 0.0};
            add_vector(t, of->z + of->turn[i], true, side, m, first, f);
        }
    }
}

// (PAT-4) The parameters that move, and H.
static void list_parameters(const flx_patch_pair *p, const flx_patch_touch *at,
                            v3 z[2][FLX_PATCH_VECTORS], const flx_patch_shape shape[2], touch *t)
{
    t->nfree = 0;
    for (int side = 0; side < 2; side++) {
        flx_patch_kind kind = p->of[side][at->patch[side]].kind;
        for (int k = 0; k < flx_patch_parameters(kind); k++) {
            if (at->at.border[side][k] != 0) continue;
            v3 sum = {0};
            for (int i = 0; i < flx_patch_vectors(kind); i++)
                sum = v3_axpy(shape[side].first[k][i], z[side][i], sum);
            t->along[t->nfree] = v3_scale(side ? 1.0 : -1.0, sum);
            t->side[t->nfree] = side;
            t->which[t->nfree++] = k;
        }
    }
    for (int a = 0; a < t->nfree; a++) {
        for (int b = 0; b < t->nfree; b++) {
            t->H[a][b] = v3_dot(t->along[a], t->along[b]);
            if (t->side[a] != t->side[b]) continue;
            int side = t->side[a];
            const double *second = shape[side].second[t->which[a] + t->which[b]];
            v3 sum = {0};
            int n = flx_patch_vectors(p->of[side][at->patch[side]].kind);
            for (int i = 0; i < n; i++) sum = v3_axpy(second[i], z[side][i], sum);
            t->H[a][b] += (side ? 1.0 : -1.0) * v3_dot(t->D, sum);
        }
    }
}

// (PAT-2) The velocity of the second relative to the first.
static void find_velocity(touch *t)
{
    t->u = (v3){0};
    for (int a = 0; a < t->nfree; a++) t->turn[a] = (v3){0};
    for (int i = 0; i < t->n; i++) {
        const vector *o = t->of + i;
        v3 e = o->turns ? v3_scale(t->arm[o->side], v3_cross(t->n3, t->y[i]))
                        : v3_scale(o->sign, t->y[i]);
        t->u = v3_axpy(o->N, e, t->u);
        for (int a = 0; a < t->nfree; a++) {
            if (t->side[a] == o->side) t->turn[a] = v3_axpy(o->first[t->which[a]], e, t->turn[a]);
        }
    }
    t->rate = -v3_dot(t->n3, t->u);
    t->slip = v3_axpy(t->rate, t->n3, t->u);
}

static void begin(const flx_patch_pair *p, const flx_patch_touch *at, flx_frames f, touch *t)
{
    v3 z[2][FLX_PATCH_VECTORS];
    flx_patch_shape shape[2];
    list_vectors(p, at, f, z, shape, t);
    t->n3 = v3_load(at->at.normal);
    t->weight = at->weight;
    t->distance = at->at.distance;
    t->D = v3_scale(t->distance, t->n3);
    double difference = p->faces ? t->distance : p->radius[0] - p->radius[1];
    for (int side = 0; side < 2; side++) { // faces do not turn: there the force acts on them alone
        t->longer[side] = p->faces ? 1.0 - side : 0.5;
        t->arm[side] = 0.5 * (t->distance + (side ? -difference : difference));
    }
    t->depth = p->radius[0] + p->radius[1] - t->distance;
    list_parameters(p, at, z, shape, t);
    find_velocity(t);
}

// ---- the law ------------------------------------------------------------------------------------

typedef struct push { // (PAT-3)
    flx_law_force F;
    double root;
    v3 grip; // friction over the normal force, against the slip
    v3 force;
} push;

static push find_push(const flx_patch_pair *p, const touch *t)
{
    push o = {.F = flx_law_eval(&p->law, t->depth, t->rate, 0.0, true)};
    o.F.force *= t->weight, o.F.by_depth *= t->weight, o.F.by_rate *= t->weight;
    o.root = sqrt(v3_dot(t->slip, t->slip) + p->velocity * p->velocity);
    if (p->friction > 0.0) o.grip = v3_scale(p->friction / o.root, t->slip);
    o.force = v3_scale(o.F.force, v3_sub(t->n3, o.grip));
    return o;
}

// E^T of a force: on a vector of y.
static v3 force_on(const touch *t, int i, v3 force)
{
    const vector *o = t->of + i;
    if (!o->turns) return v3_scale(o->sign * o->N, force);
    return v3_scale(o->N * t->arm[o->side], v3_cross(force, t->n3));
}

// ---- from vectors to bodies ---------------------------------------------------------------------

// 3 x 6, along the motions of the vector's body: T of y, and Y, the derivative of y by positions.
static void motion_of(const vector *o, double T[3][6], double Y[3][6])
{
    m33 R = m33_load(o->f.R);
    v3 arm = v3_load(o->of->arm), w = v3_load(o->f.w), wa = v3_cross(w, arm);
    for (int k = 0; k < 3; k++) {
        double e[3] = {0}, x[3];
        e[k] = 1.0;
        v3 axis = v3_load(e);
        for (int i = 0; i < 3; i++) {
            T[i][k] = !o->turns && i == k ? o->of->place : 0.0;
            Y[i][k] = 0.0;
        }
        v3_store(x, m33_mul_v(R, o->turns ? axis : v3_cross(axis, arm)));
        for (int i = 0; i < 3; i++) T[i][3 + k] = x[i];
        v3_store(x, m33_mul_v(R, v3_cross(axis, o->turns ? w : wa)));
        for (int i = 0; i < 3; i++) Y[i][3 + k] = x[i];
    }
}

// The numbers of a body among six: those of the plane, or of a point.
static int pick(const flx_patch_pair *p, int nv, int to[6])
{
    static const int plane[3] = {0, 1, 5};
    for (int i = 0; i < nv; i++) to[i] = p->planar ? plane[i] : i;
    return nv;
}

void flx_patch_residual(const flx_patch_pair *p, const flx_patch_touch *at, flx_frames f, double *r)
{
    touch t;
    begin(p, at, f, &t);
    push o = find_push(p, &t);
    for (int i = 0; i < t.n; i++) {
        const vector *of = t.of + i;
        double T[3][6], Y[3][6], x[3];
        int index[6];
        if (of->of->member < 0) continue;
        const flx_patch_body *b = p->bodies + of->of->member;
        motion_of(of, T, Y);
        v3_store(x, force_on(&t, i, o.force));
        int n = pick(p, b->nv, index);
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < 3; j++) r[b->v + k] -= T[j][index[k]] * x[j];
        }
    }
}

static int place_of(int member, int *n, int of[FLX_PATCH_MEMBERS])
{
    for (int k = 0; k < *n; k++) {
        if (of[k] == member) return k;
    }
    FLX_ASSERT(*n < FLX_PATCH_MEMBERS);
    of[*n] = member;
    return (*n)++;
}

int flx_patch_rows(const flx_patch_pair *p, const flx_patch_touch *at, flx_frames f, int n,
                   const double (*e)[3], int member[FLX_PATCH_MEMBERS],
                   double rows[FLX_PATCH_MEMBERS][18])
{
    touch t;
    int count = 0;
    begin(p, at, f, &t);
    memset(rows, 0, FLX_PATCH_MEMBERS * sizeof *rows);
    for (int i = 0; i < t.n; i++) {
        const vector *of = t.of + i;
        double T[3][6], Y[3][6], x[3];
        int index[6];
        if (of->of->member < 0) continue;
        motion_of(of, T, Y);
        int nv = pick(p, p->bodies[of->of->member].nv, index);
        double *out = rows[place_of(of->of->member, &count, member)];
        for (int k = 0; k < n; k++) {
            v3_store(x, force_on(&t, i, v3_load(e[k])));
            for (int c = 0; c < nv; c++) {
                for (int j = 0; j < 3; j++) out[k * nv + c] += T[j][index[c]] * x[j];
            }
        }
    }
    return count;
}

// ---- tangent ------------------------------------------------------------------------------------

// Columns of the derivatives of a vector of three: along dz and along dy.
typedef struct slopes {
    row z[3], y[3];
} slopes;

static void set_column(row *m, int column, v3 x)
{
    m[0][column] = x.x, m[1][column] = x.y, m[2][column] = x.z;
}

static v3 get_column(row *m, int column)
{
    return v3_make(m[0][column], m[1][column], m[2][column]);
}

// ds of (PAT-4) for a right side; what has no answer stays where it is.
static void shift(const touch *t, const double *b, double *x)
{
    double A[PARAMETERS][PARAMETERS], c[PARAMETERS];
    bool used[PARAMETERS] = {false};
    int order[PARAMETERS], n = 0;
    memcpy(A, t->H, sizeof A);
    memcpy(c, b, (size_t)t->nfree * sizeof *c);
    memset(x, 0, PARAMETERS * sizeof *x);
    for (;;) { // symmetric elimination with the largest pivots
        int best = -1;
        double most = 0.0;
        for (int i = 0; i < t->nfree; i++) {
            double scale = v3_dot(t->along[i], t->along[i]);
            if (used[i] || !(fabs(A[i][i]) > 1e-9 * scale) || !(fabs(A[i][i]) > most)) continue;
            most = fabs(A[i][i]);
            best = i;
        }
        if (best < 0) break;
        used[best] = true;
        order[n++] = best;
        for (int i = 0; i < t->nfree; i++) {
            if (used[i]) continue;
            double part = A[i][best] / A[best][best];
            for (int j = 0; j < t->nfree; j++) A[i][j] -= part * A[best][j];
            c[i] -= part * c[best];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        int i = order[k];
        double sum = c[i];
        for (int j = k + 1; j < n; j++) sum -= A[i][order[j]] * x[order[j]];
        x[i] = sum / A[i][i];
    }
}

// How the place, the normal and the distance move along one component of z.
typedef struct moved {
    double s[PARAMETERS], distance;
    v3 n3;
} moved;

static moved move_along(const touch *t, int i, int k)
{
    const vector *o = t->of + i;
    double e[3] = {0}, b[PARAMETERS];
    moved m;
    e[k] = o->sign;
    v3 axis = v3_load(e);
    for (int a = 0; a < t->nfree; a++) {
        double N = t->side[a] == o->side ? o->first[t->which[a]] : 0.0;
        b[a] = -(o->N * v3_dot(axis, t->along[a]) + N * v3_dot(axis, t->D));
    }
    shift(t, b, m.s);
    v3 D = v3_scale(o->N, axis);
    for (int a = 0; a < t->nfree; a++) D = v3_axpy(m.s[a], t->along[a], D);
    m.distance = v3_dot(t->n3, v3_scale(o->N, axis));
    m.n3 = v3_scale(1.0 / t->distance, v3_axpy(-v3_dot(t->n3, D), t->n3, D));
    return m;
}

// dP of (PAT-3) from the changes of the normal, the depth and the velocity.
static v3 push_slope(const flx_patch_pair *p, const touch *t, const push *o, v3 dn, double ddepth,
                     v3 du)
{
    double drate = -(v3_dot(dn, t->u) + v3_dot(t->n3, du));
    double dF = o->F.by_depth * ddepth + o->F.by_rate * drate;
    v3 out = v3_scale(dF, v3_sub(t->n3, o->grip));
    out = v3_axpy(o->F.force, dn, out);
    if (!(p->friction > 0.0)) return out;
    v3 dslip = v3_add(du, v3_add(v3_scale(t->rate, dn), v3_scale(drate, t->n3)));
    double along = v3_dot(t->slip, dslip) / (o->root * o->root);
    v3 dgrip = v3_scale(p->friction / o->root, v3_axpy(-along, t->slip, dslip));
    return v3_axpy(-o->F.force, dgrip, out);
}

static double part_moved(const touch *t, const vector *o, const double *s)
{
    double sum = 0.0;
    for (int a = 0; a < t->nfree; a++) {
        if (t->side[a] == o->side) sum += o->first[t->which[a]] * s[a];
    }
    return sum;
}

// d(E^T P) by z and by y, of every vector.
static void find_slopes(const flx_patch_pair *p, const touch *t, const push *o, slopes *out)
{
    v3 spin = {0}, half = {0}; // of d(E y) by the normal and by the distance
    for (int i = 0; i < t->n; i++) {
        const vector *v = t->of + i;
        if (!v->turns) continue;
        spin = v3_axpy(v->N * t->arm[v->side], t->y[i], spin);
        half = v3_axpy(t->longer[v->side] * v->N, t->y[i], half);
    }
    half = v3_cross(t->n3, half);
    for (int j = 0; j < t->n; j++) {
        for (int k = 0; k < 3; k++) {
            int column = 3 * j + k;
            double e[3] = {0};
            const vector *v = t->of + j;
            e[k] = 1.0;
            v3 axis = v3_load(e);
            v3 du = v->turns ? v3_scale(v->N * t->arm[v->side], v3_cross(t->n3, axis))
                             : v3_scale(v->sign * v->N, axis);
            v3 by_y = push_slope(p, t, o, (v3){0}, 0.0, du);
            for (int i = 0; i < t->n; i++) set_column(out[i].y, column, force_on(t, i, by_y));
            if (v->turns) continue;
            moved m = move_along(t, j, k);
            du = v3_axpy(m.distance, half, v3_cross(m.n3, spin));
            for (int a = 0; a < t->nfree; a++) du = v3_axpy(m.s[a], t->turn[a], du);
            v3 by_z = push_slope(p, t, o, m.n3, -m.distance, du);
            for (int i = 0; i < t->n; i++) {
                const vector *w = t->of + i;
                double dN = part_moved(t, w, m.s);
                v3 sum = force_on(t, i, by_z);
                if (!w->turns) {
                    sum = v3_axpy(w->sign * dN, o->force, sum);
                } else {
                    v3 across = v3_cross(o->force, t->n3);
                    sum = v3_axpy(dN * t->arm[w->side] + t->longer[w->side] * w->N * m.distance,
                                  across, sum);
                    sum = v3_axpy(w->N * t->arm[w->side], v3_cross(o->force, m.n3), sum);
                }
                set_column(out[i].z, column, sum);
            }
        }
    }
}

// d(T^T x) along rotations of the vector's body, 3 x 3.
static void turn_force(const vector *o, v3 x, double out[3][3])
{
    v3 own = m33_tmul_v(m33_load(o->f.R), x);
    for (int k = 0; k < 3; k++) {
        double e[3] = {0}, c[3];
        e[k] = 1.0;
        v3 turned = v3_cross(own, v3_load(e));
        v3_store(c, o->turns ? turned : v3_cross(v3_load(o->of->arm), turned));
        for (int i = 0; i < 3; i++) out[i][k] = c[i];
    }
}

typedef struct motions { // of a vector of y
    double T[3][6], Y[3][6];
} motions;

// The force on vector i along the motions of vector j's body.
static void add_block(const flx_patch_pair *p, const touch *t, slopes *of, const motions *m, int i,
                      int j, double *A0, double *A1)
{
    int mi = t->of[i].of->member, mj = t->of[j].of->member, to[6], from[6];
    if (mi < 0 || mj < 0) return;
    int ni = pick(p, p->bodies[mi].nv, to), nj = pick(p, p->bodies[mj].nv, from);
    int slot = p->block[mi * p->nbody + mj];
    for (int c = 0; c < nj; c++) {
        v3 q = {0}, v = {0};
        for (int k = 0; k < 3; k++) {
            double by = m[j].T[k][from[c]], kept = m[j].Y[k][from[c]];
            if (!t->of[j].turns) q = v3_axpy(by, get_column(of[i].z, 3 * j + k), q);
            q = v3_axpy(kept, get_column(of[i].y, 3 * j + k), q);
            v = v3_axpy(by, get_column(of[i].y, 3 * j + k), v);
        }
        for (int r = 0; r < ni; r++) {
            v3 e = v3_make(m[i].T[0][to[r]], m[i].T[1][to[r]], m[i].T[2][to[r]]);
            A0[slot + r * nj + c] -= v3_dot(e, q);
            if (A1) A1[slot + r * nj + c] -= v3_dot(e, v);
        }
    }
}

// The force on vector i turns with its body.
static void add_turn(const flx_patch_pair *p, const touch *t, int i, v3 force, double *A0)
{
    int member = t->of[i].of->member, to[6];
    double turn[3][3];
    if (member < 0) return;
    int n = pick(p, p->bodies[member].nv, to), slot = p->block[member * (p->nbody + 1)];
    turn_force(t->of + i, force, turn);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) {
            if (to[r] >= 3 && to[c] >= 3) A0[slot + r * n + c] -= turn[to[r] - 3][to[c] - 3];
        }
    }
}

void flx_patch_linearise(const flx_patch_pair *p, const flx_patch_touch *at, flx_frames f,
                         double *A0, double *A1)
{
    touch t;
    slopes of[MOST];
    motions m[MOST];
    begin(p, at, f, &t);
    push o = find_push(p, &t);
    find_slopes(p, &t, &o, of);
    for (int i = 0; i < t.n; i++) motion_of(t.of + i, m[i].T, m[i].Y);
    for (int i = 0; i < t.n; i++) {
        for (int j = 0; j < t.n; j++) add_block(p, &t, of, m, i, j, A0, A1);
        add_turn(p, &t, i, force_on(&t, i, o.force), A0);
    }
}

// ---- what there is to know ----------------------------------------------------------------------

flx_patch_state flx_patch_look(const flx_patch_pair *p, const flx_patch_touch *at, flx_frames f)
{
    touch t;
    begin(p, at, f, &t);
    flx_patch_state s = {.depth = t.depth, .rate = t.rate, .slip = t.slip};
    if (!(t.depth > 0.0)) return s;
    push o = find_push(p, &t);
    double elastic = t.weight * flx_law_eval(&p->law, t.depth, 0.0, 0.0, true).force;
    s.force = o.F.force;
    s.stored = t.weight * flx_law_energy(&p->law, t.depth);
    s.friction = v3_scale(-o.F.force, o.grip);
    s.lost = (o.F.force - elastic) * t.rate - v3_dot(s.friction, t.slip);
    return s;
}
