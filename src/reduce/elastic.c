// elastic.c - making the numbers of an elastic body: from particles (FLX-1), and from Standard Input
// Data:
//
//     S0 = mdCM m0,  S1 = mdCM m1,  S2_kl = Ct m1(k, l),   J0, J1 = J m0, m1
//     d2J_aa = -2 Oe m1,  d2J_ab = -Oe m1 (a, b different),  N0 = Cr m0,  dN_k/dq_l = Cr m1(k, l)  (SID-2)
// for Oe is -1/2 dJ/dq by the equations of Lagrange, its mixed columns holding O_ab + O_ba. Gr and Ge
// follow from J and N and are not needed; where Cr has no m1, Ge/2 stands for it.
#include "reduce/elastic.h"

#include "math/small.h"

#include <math.h>
#include <string.h>

// Numbers of the files are rounded, and differ by this part from what they should be.
#define ROUNDED 1e-4

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};

static double *take(flx_arena *arena, size_t n)
{
    return flx_arena_take(arena, n, sizeof(double));
}

flx_status flx_elastic_create(flx_arena *arena, int n, int nnode, flx_elastic **e)
{
    size_t k = (size_t)n;
    flx_elastic *b = flx_arena_take(arena, 1, sizeof *b);
    if (!b) return FLX_ERR_MEMORY;
    *b = (flx_elastic){.n = n, .nnode = nnode};
    b->S1 = take(arena, 3 * k);
    b->S2 = take(arena, 3 * k * k);
    b->J1 = take(arena, 6 * k);
    b->J2 = take(arena, 6 * k * k);
    b->N0 = take(arena, 3 * k);
    b->N1 = take(arena, 3 * k * k);
    b->M = take(arena, k * k);
    b->K = take(arena, k * k);
    b->D = take(arena, k * k);
    b->k0 = take(arena, k);
    b->labels = flx_arena_take(arena, k, sizeof *b->labels);
    b->nodes = flx_arena_take(arena, (size_t)nnode, sizeof *b->nodes);
    bool fine = b->S1 && b->S2 && b->J1 && b->J2 && b->N0 && b->N1 && b->M && b->K && b->D &&
                b->k0 && b->labels && b->nodes;
    for (int i = 0; i < nnode && fine; i++) {
        b->nodes[i].phi = take(arena, 3 * k);
        b->nodes[i].psi = take(arena, 3 * k);
        fine = b->nodes[i].phi && b->nodes[i].psi;
    }
    *e = fine ? b : NULL;
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// out += f (2 a.b I - a b^T - b a^T), six entries.
static void add_inertia(double f, const double a[3], const double b[3], double out[6])
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 6; i++) {
        int r = pair[i][0], c = pair[i][1];
        out[i] += f * ((r == c ? 2.0 * dot : 0.0) - a[r] * b[c] - b[r] * a[c]);
    }
}

static void add_cross(double f, const double a[3], const double b[3], double out[3])
{
    out[0] += f * (a[1] * b[2] - a[2] * b[1]);
    out[1] += f * (a[2] * b[0] - a[0] * b[2]);
    out[2] += f * (a[0] * b[1] - a[1] * b[0]);
}

void flx_elastic_add_mass(flx_elastic *e, double dm, const double X[3], const double *phi,
                          const double *gam)
{
    int n = e->n;
    e->m += dm;
    for (int i = 0; i < 3; i++) e->S0[i] += dm * X[i];
    add_inertia(0.5 * dm, X, X, e->J0);
    for (int k = 0; k < n; k++) {
        const double *a = phi + 3 * k;
        for (int i = 0; i < 3; i++) e->S1[3 * k + i] += dm * a[i];
        add_inertia(dm, X, a, e->J1 + 6 * k);
        add_cross(dm, X, a, e->N0 + 3 * k);
        for (int l = 0; l < n; l++) {
            const double *b = phi + 3 * l, *g = gam ? gam + 3 * (k * n + l) : NULL;
            int kl = k * n + l;
            e->M[kl] += dm * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            add_inertia(dm, a, b, e->J2 + 6 * kl);
            add_cross(dm, a, b, e->N1 + 3 * kl); // entry (k, l): dN_l/dq_k
            if (!g) continue;
            for (int i = 0; i < 3; i++) e->S2[3 * kl + i] += dm * g[i];
            add_inertia(dm, X, g, e->J2 + 6 * kl);
            add_cross(dm, X, g, e->N1 + 3 * kl);
        }
    }
}

static bool is_zero(const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] != 0.0) return false;
    }
    return true;
}

void flx_elastic_trim(flx_elastic *e)
{
    int n2 = e->n * e->n;
    if (e->S2 && is_zero(e->S2, 3 * n2)) e->S2 = NULL;
    if (e->J2 && is_zero(e->J2, 6 * n2)) e->J2 = NULL;
    if (e->N1 && is_zero(e->N1, 3 * n2)) e->N1 = NULL;
    for (int i = 0; i < e->nnode; i++) {
        flx_elastic_node *node = e->nodes + i;
        if (node->phi2 && is_zero(node->phi2, 3 * n2)) node->phi2 = NULL;
        if (node->psi2 && is_zero(node->psi2, 3 * n2)) node->psi2 = NULL;
    }
}

double flx_elastic_lowest(const flx_elastic *e)
{
    double lowest = HUGE_VAL;
    for (int k = 0; k < e->n; k++) {
        double K = e->K[k * e->n + k], M = e->M[k * e->n + k];
        lowest = fmin(lowest, M > 0 && K > 0 ? K / M : 0.0);
    }
    return sqrt(lowest);
}

// ---- Standard Input Data ------------------------------------------------------------------------

// A symmetric matrix: the mirror of an entry that is missing, else the mean of the two.
static void symmetric(const flx_taylor *t, double *out)
{
    int n = t->nrow;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double a = flx_taylor_m0(t, i, j), b = flx_taylor_m0(t, j, i);
            out[i * n + j] = a == 0.0 ? b : b == 0.0 ? a : 0.5 * (a + b);
        }
    }
}

static void copy_series(const flx_sid *s, flx_elastic *e)
{
    int n = e->n;
    bool last = flx_sid_counts_components_last(s);
    for (int i = 0; i < 3; i++) e->S0[i] = flx_taylor_m0(&s->mdCM, i, 0);
    for (int i = 0; i < 6; i++) e->J0[i] = flx_taylor_m0(&s->J, i, 0);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            e->S1[3 * k + i] = flx_taylor_m1(&s->mdCM, i, k, 0);
            e->N0[3 * k + i] = flx_taylor_m0(&s->Cr, k, i);
        }
        for (int i = 0; i < 6; i++) e->J1[6 * k + i] = flx_taylor_m1(&s->J, i, k, 0);
        e->k0[k] = flx_taylor_m0(&s->ksigma, k, 0);
        e->labels[k] = s->labels[k];
        for (int l = 0; l < n; l++) {
            int kl = k * n + l;
            for (int i = 0; i < 3; i++) {
                // S2 and J2 are second derivatives: the mean of the two orders
                e->S2[3 * kl + i] =
                    0.5 * (flx_taylor_m1(&s->Ct, k, l, i) + flx_taylor_m1(&s->Ct, l, k, i));
                e->N1[3 * (l * n + k) + i] =
                    s->Cr.m1 ? flx_taylor_m1(&s->Cr, k, l, i)
                             : 0.5 * flx_taylor_m0(&s->Ge, k, flx_sid_column(s, last, i, l));
            }
            for (int i = 0; i < 6; i++) {
                double o = flx_taylor_m1(&s->Oe, k, l, i) + flx_taylor_m1(&s->Oe, l, k, i);
                e->J2[6 * kl + i] = -(i < 3 ? 1.0 : 0.5) * o;
            }
        }
    }
    symmetric(&s->Me, e->M);
    symmetric(&s->Ke, e->K);
    symmetric(&s->De, e->D);
    for (int kl = 0; kl < n * n; kl++) e->K[kl] += flx_taylor_m1(&s->ksigma, kl / n, kl % n, 0);
}

static flx_status copy_node(flx_arena *arena, const flx_sid_node *from, int n, flx_elastic_node *to)
{
    size_t n2 = (size_t)n * (size_t)n;
    to->id = from->id;
    to->phi2 = take(arena, 3 * n2);
    to->psi2 = take(arena, 3 * n2);
    if (!to->phi2 || !to->psi2) return FLX_ERR_MEMORY;
    for (int i = 0; i < 3; i++) to->at[i] = flx_taylor_m0(&from->origin, i, 0);
    for (int i = 0; i < 9; i++) to->R[i] = flx_taylor_m0(&from->AP, i / 3, i % 3);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            to->phi[3 * k + i] = flx_taylor_m0(&from->phi, i, k);
            to->psi[3 * k + i] = flx_taylor_m0(&from->psi, i, k);
            for (int l = 0; l < n; l++) {
                to->phi2[3 * (k * n + l) + i] =
                    0.5 * (flx_taylor_m1(&from->phi, i, l, k) + flx_taylor_m1(&from->phi, i, k, l));
                to->psi2[3 * (k * n + l) + i] =
                    0.5 * (flx_taylor_m1(&from->psi, i, l, k) + flx_taylor_m1(&from->psi, i, k, l));
            }
        }
    }
    if (!from->sigma.m1) return FLX_OK;
    to->sigma = take(arena, 6 * (size_t)n);
    if (!to->sigma) return FLX_ERR_MEMORY;
    for (int i = 0; i < 6 * n; i++) to->sigma[i] = flx_taylor_m1(&from->sigma, i / n, i % n, 0);
    return FLX_OK;
}

// Whether the axes of a node are those of a frame, to the digits of a file.
static bool is_rotation(const double R[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dot = 0.0;
            for (int k = 0; k < 3; k++) dot += R[3 * i + k] * R[3 * j + k];
            if (!(fabs(dot - (i == j)) < ROUNDED)) return false;
        }
    }
    double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                 R[2] * (R[3] * R[7] - R[4] * R[6]);
    return det > 0;
}

// What no body can have; and what a file says twice.
static flx_status check_body(flx_ctx *ctx, const flx_sid *s, const flx_elastic *e, flx_loc loc)
{
    int n = e->n;
    double size = 0.0;
    for (int k = 0; k < n; k++) {
        if (!(e->M[k * n + k] > 0)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "coordinate %d of the body has no mass in 'Me'", k + 1);
        }
        if (!(e->K[k * n + k] >= 0)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "coordinate %d of the body has a negative stiffness in 'Ke'", k + 1);
        }
        for (int i = 0; i < 3; i++) size = fmax(size, fabs(e->S1[3 * k + i]));
    }
    for (int i = 0; i < 3; i++) {
        if (e->J0[i] > 0) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "the inertia 'J' of the body is not positive");
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            double twice = flx_taylor_m0(&s->Ct, k, i);
            if (fabs(twice - e->S1[3 * k + i]) <= ROUNDED * size) continue;
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "the data contradict themselves: 'Ct' (%d, %d) is %g and 'mdCM' says "
                            "%g",
                            k + 1, i + 1, twice, e->S1[3 * k + i]);
        }
    }
    for (int i = 0; i < s->nnode; i++) {
        if (is_rotation(e->nodes[i].R)) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "'AP' of node '%s' is not a rotation",
                        e->nodes[i].id);
    }
    return FLX_OK;
}

flx_status flx_elastic_from_sid(flx_ctx *ctx, flx_arena *arena, const flx_sid *sid, flx_loc loc,
                                flx_elastic **e)
{
    FLX_TRY(flx_elastic_create(arena, sid->nq, sid->nnode, e));
    (*e)->m = sid->mass;
    copy_series(sid, *e);
    for (int i = 0; i < sid->nnode; i++) {
        FLX_TRY(copy_node(arena, sid->nodes + i, sid->nq, (*e)->nodes + i));
    }
    FLX_TRY(check_body(ctx, sid, *e, loc));
    for (int i = 0; i < sid->nnode; i++) { // a rotation to the last digit
        double *R = (*e)->nodes[i].R;
        m33_store(R, quat_to_m33(quat_unit(quat_from_m33(m33_load(R)))));
    }
    flx_elastic_trim(*e);
    (*e)->stiffened = (*e)->S2 != NULL;
    for (int i = 0; i < (*e)->nnode; i++) (*e)->stiffened |= (*e)->nodes[i].phi2 != NULL;
    return FLX_OK;
}
