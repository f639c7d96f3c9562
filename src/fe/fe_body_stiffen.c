// fe_body_stiffen.c - geometric stiffening of a body made of solids: the quadratic field that takes the stress out
// of large rotations. A displacement sum q_k phi_k has, to the second order, the strain
//
//     eps = q_k eps(phi_k) + q_k q_l/2 (E_kl + eps(Gam_kl)),  E_kl = sym(grad phi_k^T grad phi_l)   (MSH-7)
//     K Gam_kl = - int B^T C E_kl                                                                (MSH-8)
// Nodes that follow a frame as a rigid body turn with it: of the second order they have
// Gam0_kl = sym(t_k x (t_l x s)), t the rotation of the frame and s the arm, and -K Gam0_kl joins the loads.
// The Gam_kl leave no stress of the second order that any displacement could lower, so no energy of the third
// order is left: what pulls or spins the body works on q through Gam, and through nothing else. With the masses
// between nodes (MSH-4) the fields give the body its grains (FLX-7).
#include "fe/fe_body.h"
#include "fe/fe_parts.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

#define MOST_NUMBERS 5e7 // of all fields
// Shapes of a body that stiffens.
#define MOST_SHAPES 64
#define COLUMNS 64 // of fields whose products are found at a time

typedef struct stiffener {
    const flx_fe *fe;
    int n, pairs;
    double *X;   // (pairs, fe->n) loads, then fields
    double *all; // (rows, width) 1, X, shapes, fields at the nodes and what turns with them
    int width;
    double *u;                  // (n, nnode, 6) shapes
    double *own, *f;            // of one element
    double *Mx;                 // (fe->n)
    const flx_node_link **link; // (nnode) that a node follows as a rigid body; NULL: none
    flx_element_matrices *m;
} stiffener;

static flx_status check(const flx_fe *fe, int n, flx_loc loc)
{
    const flx_structure *s = fe->s;
    for (int i = 0; i < s->nelement; i++) {
        flx_family family = s->elements[i].family;
        if (family != FLX_FAMILY_BEAM && family != FLX_FAMILY_TRUSS) continue;
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc,
                        "stiffening of meshes is that of solids and plane elements: element %d is "
                        "a %s; take a line",
                        s->elements[i].label, flx_family_words[family]);
    }
    if (s->npair > 0) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc,
                        "stiffening needs the elements: matrices do not know it");
    }
    if (n > MOST_SHAPES) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc,
                        "stiffening has a field for each pair of shapes, of %d shapes at the most: "
                        "here are %d",
                        MOST_SHAPES, n);
    }
    if (0.5 * n * (n + 1) * fe->n > MOST_NUMBERS) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc,
                        "stiffening of %d shapes with %d unknowns needs %.3g numbers: keep fewer "
                        "shapes, or take a coarser mesh",
                        n, fe->n, 0.5 * n * (n + 1) * fe->n);
    }
    return FLX_OK;
}

static void find_links(stiffener *t)
{
    const flx_structure *s = t->fe->s;
    for (int i = 0; i < s->nlink; i++) {
        const flx_node_link *l = s->links + i;
        if (l->kind != FLX_LINK_RIGID || (l->mask & 077u) != 077u) continue;
        for (int k = 0; k < l->nnode; k++) t->link[l->nodes[k]] = l;
    }
}

// Gam0_kl of a node that follows a frame, zero of the others.
static v3 turned(const stiffener *t, int node, int k, int l)
{
    const flx_node_link *link = t->link[node];
    const double *x = t->fe->s->x;
    if (!link) return (v3){0, 0, 0};
    v3 arm = v3_sub(v3_load(x + 3 * (size_t)node), v3_load(x + 3 * (size_t)link->reference));
    size_t all = (size_t)t->fe->nnode, at = (size_t)link->reference;
    v3 a = v3_load(t->u + 6 * ((size_t)k * all + at) + 3);
    v3 b = v3_load(t->u + 6 * ((size_t)l * all + at) + 3);
    return v3_scale(0.5, v3_add(v3_cross(a, v3_cross(b, arm)), v3_cross(b, v3_cross(a, arm))));
}

// What the nodes of an element that follow a frame cost: f -= K Gam0.
static flx_status add_turns(stiffener *t, int element, const int *nodes, int count)
{
    bool any = false;
    double gam[3 * FLX_CELL_NODES], *f = t->f;
    for (int a = 0; a < count; a++) any = any || t->link[nodes[a]];
    if (!any) return FLX_OK;
    FLX_TRY(flx_fe_matrices(t->fe, element, t->m));
    const flx_element_matrices *m = t->m;
    for (int k = 0; k < t->n; k++) {
        for (int l = k; l < t->n; l++, f += 3 * count) {
            for (int a = 0; a < count; a++) v3_store(gam + 3 * a, turned(t, nodes[a], k, l));
            for (int i = 0; i < m->n; i++) {
                for (int j = 0; j < m->n; j++) {
                    f[3 * m->node[i] + m->comp[i]] -=
                        m->K[i * m->n + j] * gam[3 * m->node[j] + m->comp[j]];
                }
            }
        }
    }
    return FLX_OK;
}

// Loads of one element into those of the structure.
static void add_loads(stiffener *t, const int *nodes, int count)
{
    const flx_fe *fe = t->fe;
    for (int a = 0; a < count; a++) {
        for (int c = 0; c < 3; c++) {
            const int *unknown = NULL;
            const double *weight = NULL;
            double constant;
            int terms = flx_fe_terms(fe, nodes[a], c, &unknown, &weight, &constant);
            for (int p = 0; p < t->pairs; p++) {
                double force = t->f[3 * (p * count + a) + c];
                double *x = t->X + (size_t)p * (size_t)fe->n;
                for (int k = 0; k < terms; k++) x[unknown[k]] += weight[k] * force;
            }
        }
    }
}

static flx_status find_loads(stiffener *t)
{
    const flx_fe *fe = t->fe;
    find_links(t);
    for (int i = 0; i < fe->s->nelement; i++) {
        const flx_element *e = fe->s->elements + i;
        const int *nodes = flx_element_nodes(fe->s, i);
        int count = flx_cells[e->cell].nodes;
        double x[3 * FLX_CELL_NODES];
        flx_hooke c;
        if (e->family == FLX_FAMILY_NONE) continue;
        flx_fe_places(fe, i, x);
        flx_fe_hooke(fe, e, &c);
        for (int k = 0; k < t->n; k++) {
            for (int a = 0; a < count; a++) {
                memcpy(t->own + 3 * (k * count + a),
                       t->u + 6 * ((size_t)k * (size_t)fe->nnode + (size_t)nodes[a]),
                       3 * sizeof *t->own);
            }
        }
        memset(t->f, 0, 3 * (size_t)(t->pairs * count) * sizeof *t->f);
        FLX_TRY(flx_continuum_stretch(fe->tables[e->cell], &c, x, t->n, t->own, t->f));
        FLX_TRY(add_turns(t, i, nodes, count));
        add_loads(t, nodes, count);
    }
    return FLX_OK;
}

// Symmetric in k and l.
static void set_both(double *A, int n, int each, int k, int l, const double *value)
{
    memcpy(A + each * (k * n + l), value, (size_t)each * sizeof *A);
    memcpy(A + each * (l * n + k), value, (size_t)each * sizeof *A);
}

// J(X, Gam) of one field at the nodes (MSH-3): Y the masses times the places first.
static void add_inertia(const flx_fe *fe, const flx_fe_fields *f, const double *gam, double J[6])
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    double A[3][3] = {{0}};
    for (size_t i = 0; i < (size_t)fe->nnode; i++) {
        const double *mX = f->Y + i * (size_t)f->nf;
        for (int k = 0; k < 9; k++) A[k / 3][k % 3] += mX[k / 3] * gam[6 * i + k % 3];
    }
    double dot = A[0][0] + A[1][1] + A[2][2];
    for (int k = 0; k < 6; k++) {
        int r = pair[k][0], c = pair[k][1];
        J[k] += (r == c ? 2 * dot : 0) - A[r][c] - A[c][r];
    }
}

// int Gam and int X x Gam: R^T M x.
static void find_momenta(const flx_fe_stiffening *def, const double *x, double *Mx, double out[6])
{
    size_t n = (size_t)def->fe->n;
    bool planar = def->s->nrigid == 3;
    memset(out, 0, 6 * sizeof *out);
    flx_symmetric_multiply(def->s->M, 1, x, Mx);
    for (int r = 0; r < def->s->nrigid; r++) {
        double *sum = out + (planar && r == 2 ? 5 : r);
        for (size_t i = 0; i < n; i++) *sum += def->s->rigid[(size_t)r * n + i] * Mx[i];
    }
}

static flx_status add_field(const flx_fe_stiffening *def, stiffener *t, int pair, int k, int l)
{
    const double *x = t->X + (size_t)pair * (size_t)def->fe->n;
    const flx_fe *fe = def->fe;
    flx_elastic *e = def->e;
    int n = e->n;
    double J[6], momenta[6], *gam = t->u, *turn = gam + 6 * (size_t)fe->nnode;
    flx_fe_expand(fe, x, true, gam);
    FLX_TRY(flx_fe_recover(fe, gam, NULL, NULL, turn));
    memcpy(J, e->J2 + 6 * (k * n + l), sizeof J);
    add_inertia(fe, def->fields, gam, J);
    find_momenta(def, x, t->Mx, momenta);
    set_both(e->J2, n, 6, k, l, J);
    set_both(e->S2, n, 3, k, l, momenta);
    for (int c = 0; c < 3; c++) {
        e->N1[3 * (k * n + l) + c] += momenta[3 + c];
        if (k != l) e->N1[3 * (l * n + k) + c] += momenta[3 + c];
    }
    for (int i = 0; i < e->nnode; i++) {
        set_both(e->nodes[i].phi2, n, 3, k, l, gam + 6 * (size_t)def->nodes[i]);
        set_both(e->nodes[i].psi2, n, 3, k, l, turn + 6 * (size_t)def->nodes[i]);
    }
    double *column = t->all + 4 + 3 * n + 3 * pair;
    for (size_t i = 0; i < (size_t)fe->nnode; i++) {
        memcpy(column + i * (size_t)t->width, gam + 6 * i, 3 * sizeof *gam);
    }
    return FLX_OK;
}

// 1, X and the shapes; what turns with a node has no translation of its own.
static void copy_shapes(const flx_fe_stiffening *def, stiffener *t)
{
    const flx_fe_fields *f = def->fields;
    for (size_t i = 0; i < (size_t)f->rows; i++) {
        double *row = t->all + i * (size_t)t->width;
        row[0] = i < (size_t)def->fe->nnode ? 1.0 : 0.0;
        memcpy(row + 1, f->F + i * (size_t)f->nf, (size_t)f->nf * sizeof *row);
    }
}

// G = all^T m all, some columns at a time.
static flx_status multiply_all(const flx_fe_stiffening *def, const stiffener *t, double *part,
                               double *Y, double *G)
{
    const flx_fe *fe = def->fe;
    const flx_fe_fields *f = def->fields;
    int width = t->width;
    size_t rows = (size_t)f->rows, nodes = (size_t)fe->nnode;
    for (int c = 0; c < width; c += COLUMNS) {
        int m = width - c < COLUMNS ? width - c : COLUMNS;
        size_t each = (size_t)m * sizeof *Y;
        memset(Y, 0, rows * each);
        for (size_t i = 0; i < rows; i++) {
            memcpy(part + i * (size_t)m, t->all + i * (size_t)width + c, each);
        }
        FLX_TRY(flx_fe_multiply_masses(fe, m, part, Y));
        for (size_t i = nodes; i < rows; i++) { // with their sign, as in fe_body_mass.c
            const double *F = f->F + i * (size_t)f->nf, *mF = f->Y + i * (size_t)f->nf;
            double sign = F[0] * mF[0] + F[1] * mF[1] + F[2] * mF[2] < 0 ? -1.0 : 1.0;
            for (int k = 0; k < m; k++) Y[i * (size_t)m + k] = sign * part[i * (size_t)m + k];
        }
        flx_products_add(f->rows, width, t->all, c, m, Y, G);
    }
    return FLX_OK;
}

static flx_status make_grains(const flx_fe_stiffening *def, const stiffener *t)
{
    flx_ctx *ctx = def->fe->ctx;
    size_t width = (size_t)t->width, rows = (size_t)def->fields->rows;
    double *G = flx_alloc(ctx, width * width, sizeof *G);
    double *part = flx_alloc(ctx, 2 * COLUMNS * rows, sizeof *part);
    flx_status status = G && part ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = multiply_all(def, t, part, part + COLUMNS * rows, G);
    if (status == FLX_OK) status = flx_elastic_set_products(ctx, def->arena, G, def->e);
    flx_free(part);
    flx_free(G);
    return status;
}

static flx_status reserve_nodes(const flx_fe_stiffening *def)
{
    size_t n2 = (size_t)def->e->n * (size_t)def->e->n;
    for (int i = 0; i < def->e->nnode; i++) {
        flx_elastic_node *node = def->e->nodes + i;
        node->phi2 = flx_arena_take(def->arena, 6 * n2, sizeof *node->phi2);
        if (!node->phi2) return FLX_ERR_MEMORY;
        node->psi2 = node->phi2 + 3 * n2;
    }
    return FLX_OK;
}

static flx_status stiffen(const flx_fe_stiffening *def, stiffener *t)
{
    const flx_fe *fe = def->fe;
    int n = t->n;
    for (int k = 0; k < n; k++) {
        flx_fe_expand(fe, def->shapes->V + (size_t)k * (size_t)fe->n, true,
                      t->u + 6 * (size_t)k * (size_t)fe->nnode);
    }
    FLX_TRY(find_loads(t));
    FLX_TRY(flx_shapes_relax(def->s, def->basis, def->shapes->omega2[0], t->pairs, t->X));
    FLX_TRY(reserve_nodes(def));
    copy_shapes(def, t);
    int pair = 0;
    for (int k = 0; k < n; k++) {
        for (int l = k; l < n; l++) FLX_TRY(add_field(def, t, pair++, k, l));
    }
    def->e->stiffened = true;
    return make_grains(def, t);
}

flx_status flx_fe_stiffen(const flx_fe_stiffening *def)
{
    const flx_fe *fe = def->fe;
    stiffener t = {.fe = fe, .n = def->e->n, .pairs = def->e->n * (def->e->n + 1) / 2};
    FLX_TRY(check(fe, t.n, def->s->loc));
    size_t n = (size_t)t.n, pairs = (size_t)t.pairs;
    // the room of the shapes is that of a field and its rotations later
    t.u = flx_alloc(fe->ctx, 6 * (n > 1 ? n : 2) * (size_t)fe->nnode, sizeof *t.u);
    t.width = FLX_PRODUCTS(t.n);
    t.all = flx_alloc(fe->ctx, (size_t)def->fields->rows * (size_t)t.width, sizeof *t.all);
    t.X = flx_alloc(fe->ctx, pairs * (size_t)fe->n, sizeof *t.X);
    t.own = flx_alloc(fe->ctx, 3 * FLX_CELL_NODES * n, sizeof *t.own);
    t.f = flx_alloc(fe->ctx, 3 * FLX_CELL_NODES * pairs, sizeof *t.f);
    t.Mx = flx_alloc(fe->ctx, (size_t)fe->n, sizeof *t.Mx);
    t.link = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *t.link);
    t.m = flx_alloc(fe->ctx, 1, sizeof *t.m);
    flx_status status = t.u && t.all && t.X && t.own && t.f && t.Mx && t.link && t.m
                            ? stiffen(def, &t)
                            : FLX_ERR_MEMORY;
    void *owned[] = {t.u, t.all, t.X, t.own, t.f, t.Mx, (void *)t.link, t.m};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    return status;
}
