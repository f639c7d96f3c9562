// elastic.c - making the numbers of a flexible body, from particles (FLX-1).
#include "reduce/elastic.h"
#include "reduce/inertia.h"

#include <math.h>

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
        int r = flx_inertia_pair[i][0], c = flx_inertia_pair[i][1];
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
