// elastic_from_sid.c - the numbers of a flexible body from Standard Input Data:
//
//     S0 = mdCM m0,  S1 = mdCM m1,  S2_kl = Ct m1(k, l),   J0, J1 = J m0, m1
//     d2J_aa = -2 Oe m1,  d2J_ab = -Oe m1 (a, b different),  N0 = Cr m0,  dN_k/dq_l = Cr m1(k, l)  (SID-2)
// for Oe is -1/2 dJ/dq by the equations of Lagrange, its mixed columns holding O_ab + O_ba. Gr and Ge
// follow from J and N and are not needed; where Cr has no m1, Ge/2 stands for it. Slopes that mdCM or J leave out
// are those of Ct and Oe.
#include "math/small.h"
#include "reduce/elastic.h"
#include "reduce/inertia.h"

#include <math.h>

// ---- the order of columns -----------------------------------------------------------------------

// The entry, or its mirror where it is missing, or the mean of the two.
static double mirrored(double a, double b)
{
    return a == 0.0 ? b : b == 0.0 ? a : 0.5 * (a + b);
}

// Entry i of xx yy zz xy yz xz: of J at rest (l < 0) or of its slope by coordinate l.
static double inertia(const flx_sid *s, flx_sid_order order, int l, int i)
{
    const flx_taylor *J = &s->J;
    if (J->ncol == 3) {
        int r = flx_inertia_pair[i][0], c = flx_inertia_pair[i][1];
        if (l < 0) return mirrored(flx_taylor_m0(J, r, c), flx_taylor_m0(J, c, r));
        return mirrored(flx_taylor_m1(J, r, l, c), flx_taylor_m1(J, c, l, r));
    }
    int row = order.J_xz_first && i > 3 ? 9 - i : i;
    return l < 0 ? flx_taylor_m0(J, row, 0) : flx_taylor_m1(J, row, l, 0);
}

// How far Gr is from what J and Cr say, in one of the orders.
static double gyroscopic_error(const flx_sid *s, flx_sid_order order)
{
    double error = 0.0;
    for (int l = 0; l < s->nq; l++) {
        const double N[3] = {flx_taylor_m0(&s->Cr, l, 0), flx_taylor_m0(&s->Cr, l, 1),
                             flx_taylor_m0(&s->Cr, l, 2)};
        for (int rc = 0; rc < 9; rc++) {
            int r = rc / 3, c = rc % 3;
            double known = inertia(s, order, l, flx_inertia_place[r][c]) - flx_tilde_entry(N, r, c);
            error += fabs(flx_taylor_m0(&s->Gr, r, flx_sid_column(s, order, c, l)) - known);
        }
    }
    return error;
}

// The same of Oe and -J, in the columns that may change places.
static double mixed_error(const flx_sid *s, flx_sid_order order)
{
    double error = 0.0;
    for (int l = 0; l < s->nq; l++) {
        for (int i = 4; i < 6; i++) {
            error += fabs(flx_taylor_m0(&s->Oe, l, flx_sid_oe_column(order, i)) +
                          inertia(s, order, l, i));
        }
    }
    return error;
}

flx_sid_order flx_sid_find_order(const flx_sid *s)
{
    flx_sid_order best = {false, false, false};
    double least = gyroscopic_error(s, best);
    for (int i = 1; i < 4; i++) {
        flx_sid_order other = {i % 2 == 1, i / 2 == 1, false};
        double error = gyroscopic_error(s, other);
        // the usual order unless another is clearly better: rounding does not decide
        if (!(error < 0.5 * least)) continue;
        best = other;
        least = error;
    }
    // data without slopes of J say by Oe alone what they are: columns stand as in J
    best.Oe_xz_first = best.J_xz_first;
    if (!s->J.m1) return best;
    flx_sid_order turned = best;
    turned.Oe_xz_first = !best.Oe_xz_first;
    return mixed_error(s, turned) < 0.5 * mixed_error(s, best) ? turned : best;
}

// ---- copies -------------------------------------------------------------------------------------

static void copy_symmetric(const flx_taylor *t, int n, double *out)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            out[i * n + j] = mirrored(flx_taylor_m0(t, i, j), flx_taylor_m0(t, j, i));
        }
    }
}

// First order: of coordinate k.
static void copy_slopes(const flx_sid *s, flx_sid_order order, int k, flx_elastic *e)
{
    for (int i = 0; i < 3; i++) {
        e->S1[3 * k + i] =
            s->mdCM.m1 ? flx_taylor_m1(&s->mdCM, i, k, 0) : flx_taylor_m0(&s->Ct, k, i);
        e->N0[3 * k + i] = flx_taylor_m0(&s->Cr, k, i);
    }
    for (int i = 0; i < 6; i++) {
        double twice = -(i < 3 ? 2.0 : 1.0);
        e->J1[6 * k + i] = s->J.m1 ? inertia(s, order, k, i)
                                   : twice * flx_taylor_m0(&s->Oe, k, flx_sid_oe_column(order, i));
    }
    e->k0[k] = flx_taylor_m0(&s->ksigma, k, 0);
    e->labels[k] = s->labels[k];
}

static void copy_series(const flx_sid *s, flx_elastic *e)
{
    int n = e->n;
    flx_sid_order order = flx_sid_find_order(s);
    for (int i = 0; i < 3; i++) e->S0[i] = flx_taylor_m0(&s->mdCM, i, 0);
    for (int i = 0; i < 6; i++) e->J0[i] = inertia(s, order, -1, i);
    copy_symmetric(&s->Me, n, e->M);
    copy_symmetric(&s->Ke, n, e->K);
    copy_symmetric(&s->De, n, e->D);
    for (int k = 0; k < n; k++) {
        copy_slopes(s, order, k, e);
        for (int l = 0; l < n; l++) {
            int kl = k * n + l;
            for (int i = 0; i < 3; i++) {
                // S2 and J2 are second derivatives: the mean of the two orders
                e->S2[3 * kl + i] =
                    0.5 * (flx_taylor_m1(&s->Ct, k, l, i) + flx_taylor_m1(&s->Ct, l, k, i));
                e->N1[3 * (l * n + k) + i] =
                    s->Cr.m1 ? flx_taylor_m1(&s->Cr, k, l, i)
                             : 0.5 * flx_taylor_m0(&s->Ge, k, flx_sid_column(s, order, i, l));
            }
            for (int i = 0; i < 6; i++) {
                int c = flx_sid_oe_column(order, i);
                double o = flx_taylor_m1(&s->Oe, k, l, c) + flx_taylor_m1(&s->Oe, l, k, c);
                e->J2[6 * kl + i] = -(i < 3 ? 1.0 : 0.5) * o;
            }
            e->K[kl] +=
                0.5 * (flx_taylor_m1(&s->ksigma, k, l, 0) + flx_taylor_m1(&s->ksigma, l, k, 0));
        }
    }
}

// Second order of a node's place or turn (n x n x 3); *out stays NULL where the block has none.
static flx_status copy_second(flx_arena *arena, const flx_taylor *t, int n, double **out)
{
    if (!t->m1) return FLX_OK;
    *out = flx_arena_take(arena, 3 * (size_t)n * (size_t)n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int kl = 0; kl < n * n; kl++) {
        int k = kl / n, l = kl % n;
        for (int i = 0; i < 3; i++) {
            (*out)[3 * kl + i] = 0.5 * (flx_taylor_m1(t, i, l, k) + flx_taylor_m1(t, i, k, l));
        }
    }
    return FLX_OK;
}

static flx_status copy_node(flx_arena *arena, const flx_sid_node *from, int n, flx_elastic_node *to)
{
    to->id = from->id;
    FLX_TRY(copy_second(arena, &from->phi, n, &to->phi2));
    FLX_TRY(copy_second(arena, &from->psi, n, &to->psi2));
    for (int i = 0; i < 3; i++) to->at[i] = flx_taylor_m0(&from->origin, i, 0);
    for (int i = 0; i < 9; i++) to->R[i] = flx_taylor_m0(&from->AP, i / 3, i % 3);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            to->phi[3 * k + i] = flx_taylor_m0(&from->phi, i, k);
            to->psi[3 * k + i] = flx_taylor_m0(&from->psi, i, k);
        }
    }
    if (!from->sigma.m1) return FLX_OK;
    to->sigma = flx_arena_take(arena, 6 * (size_t)n, sizeof *to->sigma);
    if (!to->sigma) return FLX_ERR_MEMORY;
    for (int i = 0; i < 6; i++) to->sigma_rest[i] = flx_taylor_m0(&from->sigma, i, 0);
    for (int i = 0; i < 6 * n; i++) to->sigma[i] = flx_taylor_m1(&from->sigma, i / n, i % n, 0);
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
    FLX_TRY(flx_elastic_check_sid(ctx, sid, loc, *e));
    for (int i = 0; i < sid->nnode; i++) { // a rotation to the last digit
        double *R = (*e)->nodes[i].R;
        m33_store(R, quat_to_m33(quat_unit(quat_from_m33(m33_load(R)))));
    }
    flx_elastic_trim(*e);
    (*e)->stiffened = (*e)->S2 != NULL;
    for (int i = 0; i < (*e)->nnode; i++) (*e)->stiffened |= (*e)->nodes[i].phi2 != NULL;
    return FLX_OK;
}
