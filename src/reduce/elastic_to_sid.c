// elastic_to_sid.c - a flexible body as Standard Input Data (SID-2), with what other programs need and ours does
// not:
//
//     Gr_l = J_l - N_l~,   m1: J_kl - (int Phi_k x Phi_l)~,   Ge = 2 int Phi_l x Phi_k                 (SID-3)
// where J_kl is that of the shapes alone. Columns of Gr and Ge, as written: component first, then coordinate.
#include "reduce/elastic.h"
#include "reduce/inertia.h"

#include <math.h>
#include <string.h>

typedef struct maker {
    flx_arena *arena;
    const flx_elastic *e;
    double *J2; // (n x n x 6) of the shapes alone
    flx_status status;
} maker;

static void begin(maker *m, flx_taylor *t, int order, int nrow, int ncol)
{
    size_t size = (size_t)nrow * (size_t)ncol, n = (size_t)m->e->n;
    *t = (flx_taylor){.given = true,
                      .order = order,
                      .nrow = nrow,
                      .ncol = ncol,
                      .nq = m->e->n,
                      .structure = FLX_SID_GENERAL};
    t->m0 = flx_arena_take(m->arena, size, sizeof *t->m0);
    if (order > 0) t->m1 = flx_arena_take(m->arena, n * size, sizeof *t->m1);
    if (!t->m0 || (order > 0 && !t->m1)) m->status = FLX_ERR_MEMORY;
}

static double *m1_at(const flx_taylor *t, int row, int mode, int col)
{
    return t->m1 + (mode * t->nrow + row) * t->ncol + col;
}

// What is zero is left out.
static void finish(flx_taylor *t)
{
    int n = t->nrow * t->ncol;
    bool zero = true;
    for (int i = 0; t->m1 && i < t->nq * n && zero; i++) zero = t->m1[i] == 0.0;
    if (!zero) return;
    t->m1 = NULL;
    t->order = 0;
    for (int i = 0; i < n && zero; i++) zero = t->m0[i] == 0.0;
    if (zero) t->structure = FLX_SID_ZERO;
}

static void copy_square(maker *m, flx_taylor *t, const double *from)
{
    int n = m->e->n;
    begin(m, t, 0, n, n);
    if (m->status != FLX_OK) return;
    memcpy(t->m0, from, (size_t)n * (size_t)n * sizeof *from);
    finish(t);
    if (t->structure == FLX_SID_GENERAL) t->structure = FLX_SID_SYMMETRIC;
}

// The inertia of the shapes, of a body with grains theirs.
static void find_shape_inertia(maker *m)
{
    const flx_elastic *e = m->e;
    int n = e->n;
    m->J2 = flx_arena_take(m->arena, 6 * (size_t)n * (size_t)n, sizeof *m->J2);
    if (!m->J2) {
        m->status = FLX_ERR_MEMORY;
        return;
    }
    if (e->ngrain == 0) {
        if (e->J2) memcpy(m->J2, e->J2, 6 * (size_t)n * (size_t)n * sizeof *m->J2);
        return;
    }
    for (int j = 0; j < e->ngrain; j++) {
        for (int kl = 0; kl < n * n; kl++) {
            const double *a = flx_grain_at(e, 1 + kl / n, j), *b = flx_grain_at(e, 1 + kl % n, j);
            double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            for (int r = 0; r < 3; r++) {
                for (int c = r; c < 3; c++) {
                    m->J2[6 * kl + flx_inertia_place[r][c]] +=
                        (r == c ? 2.0 * dot : 0.0) - a[r] * b[c] - b[r] * a[c];
                }
            }
        }
    }
}

static double entry(const double *series, int index, int i, int width)
{
    return series ? series[width * index + i] : 0.0;
}

static void make_frame(maker *m, flx_sid *s)
{
    const flx_elastic *e = m->e;
    const flx_one_sided o = e->one_sided ? *e->one_sided : (flx_one_sided){0};
    int n = e->n;
    begin(m, &s->mdCM, 1, 3, 1);
    begin(m, &s->J, 1, 6, 1);
    begin(m, &s->Ct, 1, n, 3);
    begin(m, &s->Cr, 1, n, 3);
    begin(m, &s->Oe, 1, n, 6);
    if (m->status != FLX_OK) return;
    memcpy(s->mdCM.m0, e->S0, sizeof e->S0);
    memcpy(s->J.m0, e->J0, sizeof e->J0);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            *m1_at(&s->mdCM, i, k, 0) = s->Ct.m0[3 * k + i] = e->S1[3 * k + i];
            s->Cr.m0[3 * k + i] = e->N0[3 * k + i];
        }
        for (int i = 0; i < 6; i++) {
            double half = i < 3 ? -0.5 : -1.0;
            *m1_at(&s->J, i, k, 0) = e->J1[6 * k + i];
            s->Oe.m0[6 * k + i] = half * e->J1[6 * k + i];
            for (int l = 0; l < n; l++) {
                double J2 = entry(e->J2, k * n + l, i, 6) + entry(o.J2, k * n + l, i, 6);
                *m1_at(&s->Oe, k, l, i) = half * J2;
            }
        }
        for (int l = 0; l < n; l++) {
            for (int i = 0; i < 3; i++) {
                int kl = k * n + l, lk = l * n + k;
                *m1_at(&s->Ct, k, l, i) = entry(e->S2, kl, i, 3) + entry(o.S2, kl, i, 3);
                *m1_at(&s->Cr, k, l, i) = entry(e->N1, lk, i, 3) + entry(o.N1, lk, i, 3);
            }
        }
    }
    finish(&s->mdCM);
    finish(&s->J);
    finish(&s->Ct);
    finish(&s->Cr);
    finish(&s->Oe);
}

// int Phi_l x Phi_k: stiffening is symmetric in the two, and drops out.
static void cross_of(const flx_elastic *e, int l, int k, double out[3])
{
    int n = e->n;
    for (int i = 0; i < 3; i++) {
        out[i] = 0.5 * (entry(e->N1, l * n + k, i, 3) - entry(e->N1, k * n + l, i, 3));
    }
}

// (SID-3)
static void make_gyroscopic(maker *m, flx_sid *s)
{
    const flx_elastic *e = m->e;
    int n = e->n;
    begin(m, &s->Gr, 1, 3, 3 * n);
    begin(m, &s->Ge, 0, n, 3 * n);
    if (m->status != FLX_OK) return;
    for (int l = 0; l < n; l++) {
        for (int i = 0; i < 9; i++) {
            int r = i / 3, c = i % 3, column = c * n + l;
            s->Gr.m0[3 * n * r + column] =
                e->J1[6 * l + flx_inertia_place[r][c]] - flx_tilde_entry(e->N0 + 3 * l, r, c);
            for (int k = 0; k < n; k++) {
                double a[3];
                cross_of(e, k, l, a);
                *m1_at(&s->Gr, r, k, column) =
                    m->J2[6 * (k * n + l) + flx_inertia_place[r][c]] - flx_tilde_entry(a, r, c);
            }
        }
        for (int k = 0; k < n; k++) {
            double a[3];
            cross_of(e, l, k, a);
            for (int i = 0; i < 3; i++) s->Ge.m0[3 * n * k + i * n + l] = 2.0 * a[i];
        }
    }
    finish(&s->Gr);
    finish(&s->Ge);
}

static void make_node(maker *m, const flx_elastic_node *from, flx_sid_node *to)
{
    int n = m->e->n;
    to->id = from->id;
    to->rframe = "body ref";
    begin(m, &to->origin, 1, 3, 1);
    begin(m, &to->phi, from->phi2 || from->push, 3, n);
    begin(m, &to->psi, from->psi2 || from->twist, 3, n);
    begin(m, &to->AP, 1, 3, 3);
    if (from->sigma) begin(m, &to->sigma, 1, 6, 1);
    if (m->status != FLX_OK) return;
    memcpy(to->origin.m0, from->at, sizeof from->at);
    memcpy(to->AP.m0, from->R, sizeof from->R);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            *m1_at(&to->origin, i, k, 0) = to->phi.m0[n * i + k] = from->phi[3 * k + i];
            to->psi.m0[n * i + k] = from->psi[3 * k + i];
            for (int l = 0; to->phi.m1 && l < n; l++) {
                *m1_at(&to->phi, i, l, k) =
                    entry(from->phi2, k * n + l, i, 3) + entry(from->push, k * n + l, i, 3);
            }
            for (int l = 0; to->psi.m1 && l < n; l++) {
                *m1_at(&to->psi, i, l, k) =
                    entry(from->psi2, k * n + l, i, 3) + entry(from->twist, k * n + l, i, 3);
            }
            for (int j = 0; j < 3; j++) {
                double sum = 0.0;
                for (int c = 0; c < 3; c++) {
                    sum += flx_tilde_entry(from->psi + 3 * k, i, c) * from->R[3 * c + j];
                }
                *m1_at(&to->AP, i, k, j) = sum;
            }
        }
        for (int i = 0; from->sigma && i < 6; i++) {
            to->sigma.m0[i] = from->sigma_rest[i];
            *m1_at(&to->sigma, i, k, 0) = from->sigma[i * n + k];
        }
    }
    finish(&to->origin);
    finish(&to->phi);
    finish(&to->psi);
    finish(&to->AP);
    if (from->sigma) finish(&to->sigma);
}

flx_status flx_elastic_to_sid(flx_arena *arena, const flx_elastic *e, const char *name,
                              flx_sid **sid)
{
    maker m = {.arena = arena, .e = e};
    flx_sid *s = flx_arena_take(arena, 1, sizeof *s);
    *sid = s;
    if (!s) return FLX_ERR_MEMORY;
    *s = (flx_sid){.name = name, .mass = e->m, .nq = e->n, .nnode = e->nnode};
    s->header = flx_arena_printf(arena, "%d %d : %s", e->nnode, e->n, name);
    s->labels = flx_arena_take(arena, (size_t)e->n, sizeof *s->labels);
    s->nodes = flx_arena_take(arena, (size_t)e->nnode, sizeof *s->nodes);
    if (!s->header || !s->labels || !s->nodes) return FLX_ERR_MEMORY;
    for (int k = 0; k < e->n; k++) s->labels[k] = e->labels[k] ? e->labels[k] : "";
    for (int i = 0; i < e->nnode && m.status == FLX_OK; i++) {
        make_node(&m, e->nodes + i, s->nodes + i);
    }
    find_shape_inertia(&m);
    if (m.status == FLX_OK) make_frame(&m, s);
    if (m.status == FLX_OK) make_gyroscopic(&m, s);
    copy_square(&m, &s->Me, e->M);
    copy_square(&m, &s->Ke, e->K);
    copy_square(&m, &s->De, e->D);
    begin(&m, &s->ksigma, 0, e->n, 1);
    if (m.status != FLX_OK) return m.status;
    memcpy(s->ksigma.m0, e->k0, (size_t)e->n * sizeof *e->k0);
    finish(&s->ksigma);
    return FLX_OK;
}
