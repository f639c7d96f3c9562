// tree_mass.c - the mass matrix of a tree of links in space, by composite bodies. Theory: docs/theory/tree.md.
//
// Column by column the wrench of a composite body for a unit acceleration of its joint goes down to the ground and is read
// at every joint on its way. Four columns go together: those of a link and of the links that it hangs on share their way.
#include "tree/recursion/tree_frames.h"

typedef struct rigid { // mass, mass times centre, inertia about the origin
    double m;
    v3 h;
    sym3 J;
} rigid;

// Of a composite body in its parent's frame: J' = J - h~ r~ - r~ h~ - m r~ r~, all turned.
static inline rigid carry_rigid(const flx_link *l, const flx_link_state *s, rigid b)
{
    v3 r = s->r, h = out_of(l, s, b.h);
    if (by_matrix(l)) {
        b.J = sym3_rotate(s->R, b.J);
    } else {
        turn_z_sym3(s->phi, &b.J);
        turn_x_sym3(l->alpha, &b.J);
        if (l->turned) turn_z_sym3(l->beta, &b.J);
    }
    // with g = h + m r/2: J - (h~ r~ + r~ h~) - m r~ r~ = J - (g~ r~ + r~ g~)
    v3 g = v3_axpy(0.5 * b.m, r, h);
    double gr = 2.0 * v3_dot(g, r);
    b.J.xx += gr - 2.0 * g.x * r.x;
    b.J.yy += gr - 2.0 * g.y * r.y;
    b.J.zz += gr - 2.0 * g.z * r.z;
    b.J.xy -= g.x * r.y + g.y * r.x;
    b.J.xz -= g.x * r.z + g.z * r.x;
    b.J.yz -= g.y * r.z + g.z * r.y;
    b.h = v3_axpy(b.m, r, h);
    return b;
}

// ---- columns ------------------------------------------------------------------------------------

#define WIDTH 4

typedef struct columns {
    int n, at[WIDTH];   // their numbers
    double *row[WIDTH]; // ... and rows in the matrix
    double nx[WIDTH], ny[WIDTH], nz[WIDTH], fx[WIDTH], fy[WIDTH], fz[WIDTH];
} columns;

// The composite body's wrench for a unit acceleration of a freedom joins.
static void join(const flx_linkage *m, const flx_link *l, int freedom, const flx_link_state *s,
                 double *M, columns *c)
{
    double unit[3] = {0, 0, 0};
    v3 alpha, a, h = s->p.n;
    unit[freedom] = 1.0;
    flx_link_expand(l, unit, &alpha, &a);
    v3 n = v3_add(sym3_mul(s->Ia.A, alpha), v3_cross(h, a));
    v3 f = v3_axpy(s->Ia.M.xx, a, v3_cross(alpha, h));
    int k = c->n++;
    c->at[k] = l->v + freedom;
    c->row[k] = M + (size_t)m->nv * (size_t)c->at[k];
    c->nx[k] = n.x, c->ny[k] = n.y, c->nz[k] = n.z;
    c->fx[k] = f.x, c->fy[k] = f.y, c->fz[k] = f.z;
}

static INLINE void turn_columns(turn t, double *restrict x, double *restrict y)
{
    for (int k = 0; k < WIDTH; k++) {
        double a = x[k], b = y[k];
        x[k] = t.c * a - t.s * b;
        y[k] = t.s * a + t.c * b;
    }
}

static void turn_by_matrix(const m33 *R, double *x, double *y, double *z)
{
    for (int k = 0; k < WIDTH; k++) {
        v3 a = m33_mul_v(*R, v3_make(x[k], y[k], z[k]));
        x[k] = a.x, y[k] = a.y, z[k] = a.z;
    }
}

// From a link's frame to its parent's.
static INLINE void carry_columns(const flx_link *l, const flx_link_state *s, columns *restrict c)
{
    if (by_matrix(l)) {
        turn_by_matrix(&s->R, c->nx, c->ny, c->nz);
        turn_by_matrix(&s->R, c->fx, c->fy, c->fz);
    } else {
        turn_columns(s->phi, c->nx, c->ny);
        turn_columns(s->phi, c->fx, c->fy);
        turn_columns(l->alpha, c->ny, c->nz);
        turn_columns(l->alpha, c->fy, c->fz);
        if (l->turned) {
            turn_columns(l->beta, c->nx, c->ny);
            turn_columns(l->beta, c->fx, c->fy);
        }
    }
    v3 r = s->r;
    for (int k = 0; k < WIDTH; k++) {
        c->nx[k] += r.y * c->fz[k] - r.z * c->fy[k];
        c->ny[k] += r.z * c->fx[k] - r.x * c->fz[k];
        c->nz[k] += r.x * c->fy[k] - r.y * c->fx[k];
    }
}

static INLINE void put_row(const flx_linkage *k, const columns *c, int row, const double *value,
                           double *M)
{
    size_t nv = (size_t)k->nv, here = (size_t)row;
    if (c->n == WIDTH) { // unrolled
        for (int j = 0; j < WIDTH; j++) {
            M[nv * here + (size_t)c->at[j]] = c->row[j][here] = value[j];
        }
        return;
    }
    for (int j = 0; j < c->n; j++) M[nv * here + (size_t)c->at[j]] = c->row[j][here] = value[j];
}

// What the columns say along the joint of a link.
static INLINE void read_columns(const flx_linkage *k, const flx_link *l, const columns *c,
                                double *M)
{
    double both[WIDTH];
    switch (l->kind) {
    case FLX_LINK_TURN:
        put_row(k, c, l->v, c->nz, M);
        break;
    case FLX_LINK_SLIDE:
        put_row(k, c, l->v, c->fz, M);
        break;
    case FLX_LINK_SCREW:
        for (int j = 0; j < WIDTH; j++) both[j] = c->nz[j] + l->pitch * c->fz[j];
        put_row(k, c, l->v, both, M);
        break;
    case FLX_LINK_BALL:
        put_row(k, c, l->v, c->nx, M);
        put_row(k, c, l->v + 1, c->ny, M);
        put_row(k, c, l->v + 2, c->nz, M);
        break;
    case FLX_LINK_SHIFT:
        put_row(k, c, l->v, c->fx, M);
        put_row(k, c, l->v + 1, c->fy, M);
        put_row(k, c, l->v + 2, c->fz, M);
        break;
    case FLX_LINK_BEND:
        break;
    }
}

// Down from a link, with those of its freedoms that are not done. Links on the way join while there is room.
static void go_down(const flx_linkage *k, flx_link_state *s, int link, double *M)
{
    columns c = {0};
    for (int i = link; i >= 0; i = k->links[i].parent) {
        const flx_link *l = k->links + i;
        int freedom = flx_link_freedom(l->kind, false), *done = &s[i].columns;
        while (c.n < WIDTH && *done < freedom) join(k, l, (*done)++, s + i, M, &c);
        read_columns(k, l, &c, M);
        if (l->parent >= 0) carry_columns(l, s + i, &c);
    }
}

// Every link hangs on the one before it: then no entry is zero by structure.
static bool is_chain(const flx_linkage *k)
{
    for (int i = 0; i < k->n; i++) {
        if (k->links[i].parent != i - 1) return false;
    }
    return true;
}

void flx_linkage_mass(const flx_linkage *k, flx_link_state *states, const double *q, double *M)
{
    if (k->planar) {
        flx_linkage2_mass(k, states, q, M);
        return;
    }
    flx_link_state *s = states + 1;
    if (!is_chain(k)) memset(M, 0, (size_t)k->nv * (size_t)k->nv * sizeof *M);
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        place(l, q, s + i);
        s[i].Ia.M.xx = l->m; // of the composite body
        s[i].p.n = l->h;
        s[i].Ia.A = l->J;
        s[i].columns = 0;
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        if (l->parent < 0) continue;
        rigid b = carry_rigid(l, s + i, (rigid){s[i].Ia.M.xx, s[i].p.n, s[i].Ia.A});
        flx_link_state *parent = s + l->parent;
        parent->Ia.M.xx += b.m;
        parent->p.n = v3_add(parent->p.n, b.h);
        parent->Ia.A = sym3_add(parent->Ia.A, b.J);
    }
    for (int i = k->n - 1; i >= 0; i--) {
        while (s[i].columns < flx_link_freedom(k->links[i].kind, false)) go_down(k, s, i, M);
    }
}
