// cone_rig.h - problems of impulses with friction for tests: bodies, contact points, W = J M^-1 J^T.
#pragma once

#include "math/cone/cone.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct cone_rig {
    int nv, m, ngroup;
    double *M_inv; // (nv) diagonal
    double *J;     // (m x nv)
    double *W, *b, *lam, *u;
    flx_cone_group *groups;
    double *free; // (nv) velocities before
} cone_rig;

static inline void rig_init(cone_rig *r, int nv, int rows)
{
    size_t n = (size_t)nv, m = (size_t)rows;
    *r = (cone_rig){.nv = nv};
    r->M_inv = calloc(n + 1, sizeof(double));
    r->free = calloc(n + 1, sizeof(double));
    r->J = calloc(n * m + 1, sizeof(double));
    r->W = calloc(m * m + 1, sizeof(double));
    r->b = calloc(m + 1, sizeof(double));
    r->lam = calloc(m + 1, sizeof(double));
    r->u = calloc(m + 1, sizeof(double));
    r->groups = calloc(m + 1, sizeof *r->groups);
}

static inline void rig_free(cone_rig *r)
{
    free(r->M_inv), free(r->free), free(r->J), free(r->W), free(r->b), free(r->lam), free(r->u);
    free(r->groups);
}

static inline double *rig_row(cone_rig *r)
{
    return r->J + (size_t)r->nv * (size_t)r->m++;
}

// A group whose rows are the next ones: the normal, then the tangents.
static inline flx_cone_group *rig_group(cone_rig *r, int ntangent, double friction)
{
    flx_cone_group *g = &r->groups[r->ngroup++];
    *g = (flx_cone_group){.normal = r->m, .ntangent = ntangent, .friction = friction};
    for (int i = 0; i < ntangent; i++) g->tangent[i] = r->m + 1 + i;
    return g;
}

// W and b = J free of the rows.
static inline void rig_close(cone_rig *r)
{
    for (int i = 0; i < r->m; i++) {
        const double *a = r->J + (size_t)i * (size_t)r->nv;
        for (int j = 0; j < r->m; j++) {
            const double *c = r->J + (size_t)j * (size_t)r->nv;
            double sum = 0;
            for (int k = 0; k < r->nv; k++) sum += a[k] * r->M_inv[k] * c[k];
            r->W[(size_t)i * (size_t)r->m + (size_t)j] = sum;
        }
        double sum = 0;
        for (int k = 0; k < r->nv; k++) sum += a[k] * r->free[k];
        r->b[i] = sum;
    }
}

// A row of the velocity along n at x of a body in space (6 velocities from k on; -1: the ground); sign: of this body.
static inline void rig_point(double *row, int k, const double n[3], const double x[3], double sign)
{
    if (k < 0) return;
    for (int i = 0; i < 3; i++) row[k + i] += sign * n[i];
    row[k + 3] += sign * (x[1] * n[2] - x[2] * n[1]);
    row[k + 4] += sign * (x[2] * n[0] - x[0] * n[2]);
    row[k + 5] += sign * (x[0] * n[1] - x[1] * n[0]);
}

// A contact of two bodies in space at places seen from their centres; normal n from the first to the second.
static inline void rig_contact(cone_rig *r, int first, const double xa[3], int second,
                               const double xb[3], const double axes[9], int ntangent,
                               double friction)
{
    rig_group(r, ntangent, friction);
    for (int i = 0; i <= ntangent; i++) {
        double *row = rig_row(r);
        rig_point(row, first, axes + 3 * i, xa, -1);
        rig_point(row, second, axes + 3 * i, xb, 1);
    }
}

// Numbers from a seed.
static inline double rig_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (double)(*s >> 11) / 9007199254740992.0;
}
static inline double rig_between(uint64_t *s, double a, double b)
{
    return a + (b - a) * rig_random(s);
}

// N boxes on one another, four corners each; free: after h of gravity along g.
static inline void rig_stack(cone_rig *r, int N, double friction, const double g[3], double mass,
                             double top)
{
    const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    rig_init(r, 6 * N, 12 * N);
    for (int k = 0; k < N; k++) {
        double m = mass * (k == N - 1 ? top : 1.0);
        double inertia[3] = {m * (1 + 0.04) / 12, m * (1 + 0.04) / 12, m * 2.0 / 12};
        for (int i = 0; i < 3; i++) {
            r->M_inv[6 * k + i] = 1 / m;
            r->M_inv[6 * k + 3 + i] = 1 / inertia[i];
            r->free[6 * k + i] = g[i];
        }
        for (int c = 0; c < 4; c++) {
            double x = c & 1 ? 0.5 : -0.5, y = c & 2 ? 0.5 : -0.5;
            double below[3] = {x, y, 0.1}, above[3] = {x, y, -0.1};
            rig_contact(r, k == 0 ? -1 : 6 * (k - 1), below, 6 * k, above, axes, 2, friction);
        }
    }
    rig_close(r);
}

// N discs of radius 0.5 on one another, planar (x, y, turn), the top one heavier.
static inline void rig_column(cone_rig *r, int N, double friction, const double g[2], double mass,
                              double top)
{
    rig_init(r, 3 * N, 2 * N);
    for (int k = 0; k < N; k++) {
        double m = mass * (k == N - 1 ? top : 1.0);
        r->M_inv[3 * k] = r->M_inv[3 * k + 1] = 1 / m;
        r->M_inv[3 * k + 2] = 1 / (0.125 * m);
        r->free[3 * k] = g[0];
        r->free[3 * k + 1] = g[1];
        rig_group(r, 1, friction);
        double *n = rig_row(r), *t = rig_row(r);
        n[3 * k + 1] = 1;
        t[3 * k] = 1, t[3 * k + 2] = 0.5;
        if (k == 0) continue;
        n[3 * k - 2] = -1;
        t[3 * k - 3] = -1, t[3 * k - 1] = 0.5;
    }
    rig_close(r);
}

// The same by M and J, velocities in blocks of this size; lam and u as by W.
static inline flx_status rig_solve_sparse(flx_cone *c, cone_rig *r, int size,
                                          flx_cone_report *report)
{
    int nblock = r->nv / size, status;
    size_t nb = (size_t)nblock, nv = (size_t)r->nv, m = (size_t)r->m;
    int *index = calloc(4 * (nb + 1), sizeof *index);
    double *value = calloc(nv * (size_t)size + 1, sizeof *value), *v = calloc(nv + 1, sizeof *v);
    double *J = calloc(m * nv + 1, sizeof *J);
    char *taken = calloc(m + 1, 1);
    int *start = index, *row = start + nb + 1, *col = row + nb + 1, *offset = col + nb + 1;
    for (int k = 0; k <= nblock; k++)
        start[k] = k * size, row[k] = k, col[k] = k, offset[k] = k * size * size;
    for (int i = 0; i < r->nv; i++)
        value[offset[i / size] + (size + 1) * (i % size)] = 1 / r->M_inv[i];
    flx_cone_matrix M = {
        .nblock = nblock, .start = start, .row = row, .col = col, .offset = offset, .value = value};
    status = flx_cone_begin(c, &M);
    int first[3], ngroup = 0, *rows = calloc(3 * m + 3, sizeof *rows);
    for (int g = 0; g < r->ngroup + r->m && status == FLX_OK; g++) {
        flx_cone_rows add = {.n = 1};
        double *at = J;
        if (g < r->ngroup) {
            const flx_cone_group *from = &r->groups[g];
            add.n = 1 + from->ntangent;
            add.friction = from->friction;
            first[0] = from->normal;
            for (int i = 0; i < from->ntangent; i++) first[1 + i] = from->tangent[i];
        } else {
            if (taken[g - r->ngroup]) continue;
            add.holds = true;
            first[0] = g - r->ngroup;
        }
        for (int b = 0; b < nblock; b++) {
            double any = 0;
            for (int i = 0; i < add.n; i++) {
                for (int k = 0; k < size; k++)
                    any += fabs(r->J[(size_t)first[i] * nv + (size_t)(b * size + k)]);
            }
            if (any == 0) continue;
            add.block[add.npart] = b;
            add.J[add.npart++] = at;
            for (int i = 0; i < add.n; i++) {
                for (int k = 0; k < size; k++)
                    *at++ = r->J[(size_t)first[i] * nv + (size_t)(b * size + k)];
            }
        }
        for (int i = 0; i < add.n; i++) {
            taken[first[i]] = 1;
            add.b[i] = r->b[first[i]];
            rows[3 * ngroup + i] = first[i] + 1;
        }
        ngroup++;
        status = flx_cone_add(c, &add);
    }
    if (status == FLX_OK) status = flx_cone_solve_sparse(c, 0, v, report);
    for (int g = 0; g < ngroup; g++) {
        for (int i = 0; i < 3; i++) {
            if (rows[3 * g + i]) r->lam[rows[3 * g + i] - 1] = flx_cone_lambda(c, g)[i];
        }
    }
    for (int i = 0; i < r->m; i++) {
        r->u[i] = r->b[i];
        for (int k = 0; k < r->nv; k++) r->u[i] += r->J[(size_t)i * nv + (size_t)k] * v[k];
    }
    free(index), free(value), free(v), free(J), free(taken), free(rows);
    return status;
}
