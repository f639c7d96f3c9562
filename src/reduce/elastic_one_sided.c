// elastic_one_sided.c - stiffening of one side: what the quadratic field Gam adds to the series of a body is
// taken out of them and kept apart, for the rows of the elastic coordinates alone (ONE-1):
//
//     S2_kl = int Gam_kl,   J2_kl = J(X, Gam_kl),   N1_kl = int X x Gam_kl                        (ONE-2)
#include "reduce/elastic.h"
#include "reduce/inertia.h"

#include <string.h>

// (ONE-2) of a body whose field is known at grains.
static void sum_grains(const flx_elastic *e, flx_one_sided *o)
{
    int n = e->n;
    for (int j = 0; j < e->ngrain; j++) {
        const double *X = flx_grain_at(e, 0, j);
        for (int kl = 0; kl < n * n; kl++) {
            const double *gam = flx_grain_at(e, flx_grain_second(n, kl / n, kl % n), j);
            double dot = X[0] * gam[0] + X[1] * gam[1] + X[2] * gam[2];
            for (int i = 0; i < 3; i++) {
                int a = (i + 1) % 3, b = (i + 2) % 3;
                o->S2[3 * kl + i] += e->weights[j] * gam[i];
                o->N1[3 * kl + i] += X[a] * gam[b] - X[b] * gam[a];
            }
            for (int i = 0; i < 6; i++) {
                int r = flx_inertia_pair[i][0], c = flx_inertia_pair[i][1];
                o->J2[6 * kl + i] += (r == c ? 2.0 * dot : 0.0) - X[r] * gam[c] - X[c] * gam[r];
            }
        }
    }
}

// to += f from; NULL is zero.
static void add(int n, double f, const double *from, double *to)
{
    for (int i = 0; from && to && i < n; i++) to[i] += f * from[i];
}

flx_status flx_elastic_make_one_sided(flx_ctx *ctx, flx_arena *arena, const flx_sid *sid,
                                      flx_loc loc, flx_elastic *e)
{
    int n2 = e->n * e->n;
    if (!e->stiffened) return FLX_OK;
    flx_one_sided *o = flx_arena_take(arena, 1, sizeof *o);
    double *room = flx_arena_take(arena, 12 * (size_t)n2, sizeof *room);
    if (!o || !room) return FLX_ERR_MEMORY;
    *o = (flx_one_sided){room, room + 3 * n2, room + 9 * n2};
    for (int i = 0; i < e->nnode; i++) {
        e->nodes[i].push = e->nodes[i].phi2;
        e->nodes[i].twist = e->nodes[i].psi2;
    }
    if (sid) { // all that is there, less what is left
        add(3 * n2, 1.0, e->S2, o->S2);
        add(6 * n2, 1.0, e->J2, o->J2);
        add(3 * n2, 1.0, e->N1, o->N1);
        FLX_TRY(flx_elastic_soften(ctx, sid, loc, e));
        add(6 * n2, -1.0, e->J2, o->J2);
        add(3 * n2, -1.0, e->N1, o->N1);
    } else {
        sum_grains(e, o);
        add(6 * n2, -1.0, o->J2, e->J2);
        add(3 * n2, -1.0, o->N1, e->N1);
        e->S2 = NULL;
        e->ngrain = 0;
        for (int i = 0; i < e->nnode; i++) e->nodes[i].phi2 = e->nodes[i].psi2 = NULL;
        flx_elastic_trim(e);
    }
    e->stiffened = true;
    e->one_sided = o;
    return FLX_OK;
}
