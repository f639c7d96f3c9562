// problem_static.c - the structure at rest under its loads: K x = f.
#include "base/refuse.h"
#include "fe/fe_parts.h"
#include "fe/problem.h"
#include "reduce/elastic.h"

#include <math.h>
#include <string.h>

// x = K^-1 f with one step of refinement; *residual: |K x - f| / |f|.
static flx_status solve(const flx_fe_problem *p, double *x, double *work, double *residual)
{
    size_t n = (size_t)p->n;
    flx_frontal *f = NULL;
    FLX_TRY(flx_fe_problem_factor(p, &f));
    flx_status status = flx_frontal_reserve(f, 1);
    memset(x, 0, n * sizeof *x);
    for (int sweep = 0; sweep < 3 && status == FLX_OK; sweep++) {
        double r = 0, size = 0;
        flx_symmetric_multiply(p->K, 1, x, work);
        for (size_t i = 0; i < n; i++) {
            work[i] = p->fe->f[i] - work[i];
            r += work[i] * work[i];
            size += p->fe->f[i] * p->fe->f[i];
        }
        *residual = size > 0 ? sqrt(r / size) : 0;
        if (sweep == 2) break;
        flx_frontal_solve(f, 1, work);
        for (size_t i = 0; i < n; i++) x[i] += work[i];
    }
    flx_frontal_destroy(&f);
    return status;
}

static void find_largest(const flx_fe *fe, const double *u, const double *sigma, double *mises,
                         flx_fe_static *r)
{
    r->displacement = r->von_mises = -1;
    for (int i = 0; i < fe->nnode; i++) {
        const double *v = u + 6 * (size_t)i;
        double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        mises[i] = flx_von_mises(sigma + 6 * (size_t)i);
        if (size > r->displacement) {
            r->displacement = size;
            r->displacement_node = fe->s->label[i];
        }
        if (mises[i] > r->von_mises) {
            r->von_mises = mises[i];
            r->von_mises_node = fe->s->label[i];
        }
    }
}

static bool has_members(const flx_structure *s)
{
    for (int i = 0; i < s->nelement; i++) {
        if (flx_fe_is_member(s->elements + i)) return true;
    }
    return false;
}

static void find_largest_members(const flx_structure *s, const double *forces, flx_fe_static *r)
{
    for (int i = 0; i < 2 * s->nelement; i++) {
        const double *f = forces + 6 * (size_t)i;
        double moment = sqrt(f[4] * f[4] + f[5] * f[5]);
        if (fabs(f[0]) > fabs(r->axial)) {
            r->axial = f[0];
            r->axial_element = s->elements[i / 2].label;
        }
        if (moment > r->bending) {
            r->bending = moment;
            r->bending_element = s->elements[i / 2].label;
        }
    }
}

// Forces that hold the nodes, of all supports together.
static void sum_reactions(const flx_fe *fe, const double *F, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < fe->nnode; i++) {
        const double *x = fe->s->x + 3 * (size_t)i, *f = F + 6 * (size_t)i;
        for (int c = 0; c < 3; c++) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[c] += f[c];
            out[3 + c] += f[3 + c] + x[c1] * f[c2] - x[c2] * f[c1];
        }
    }
}

flx_status flx_fe_problem_static(flx_fe_problem *p, const char *vtu, flx_fe_static *r)
{
    if (!p || !r) return flx_refuse_null(NULL, __func__);
    *r = (flx_fe_static){0};
    FLX_TRY(flx_fe_problem_need_mesh(p, "a static problem"));
    size_t n = (size_t)p->n, m = (size_t)p->fe->nnode;
    double part = 0;
    double *x = flx_alloc(p->ctx, 2 * n, sizeof *x), *u = flx_alloc(p->ctx, 6 * m, sizeof *u);
    double *sigma = flx_alloc(p->ctx, 6 * m, sizeof *sigma);
    double *F = flx_alloc(p->ctx, 6 * m, sizeof *F), *mises = flx_alloc(p->ctx, m, sizeof *mises);
    double *members = flx_alloc(p->ctx, 12 * (size_t)p->fe->s->nelement, sizeof *members);
    flx_status status = x && u && sigma && F && mises && members ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = solve(p, x, x + n, &r->residual);
    if (status == FLX_OK) {
        flx_fe_expand(p->fe, x, false, u);
        status = flx_fe_recover(p->fe, u, sigma, NULL, NULL);
    }
    if (status == FLX_OK) status = flx_fe_problem_keep(p, 1, x, true);
    if (status == FLX_OK) status = flx_fe_reactions(p->fe, u, false, F);
    if (status == FLX_OK) { // strain energy of all nodes, prescribed ones included
        for (size_t i = 0; i < 6 * m; i++) r->strain_energy += u[i] * F[i] / 2;
        status = flx_fe_reactions(p->fe, u, true, F);
    }
    if (status == FLX_OK) {
        find_largest(p->fe, u, sigma, mises, r);
        status = flx_fe_members(p->fe, u, members);
    }
    if (status == FLX_OK) {
        find_largest_members(p->fe->s, members, r);
        sum_reactions(p->fe, F, r->reaction);
        status = flx_fe_jumps(p->fe, u, &part);
    }
    if (status == FLX_OK) flx_fe_problem_tell_coarse(p, part, false);
    if (status == FLX_OK && vtu) {
        const flx_vtu_field fields[] = {
            {"displacement", 3, 6, 0, u, false},
            {"rotation", 3, 6, 3, u, false},
            {"stress (xx yy zz xy yz xz)", 6, 6, 0, sigma, false},
            {"von Mises", 1, 1, 0, mises, false},
            {"reaction", 3, 6, 0, F, false},
            {"forces at the first end (N Qy Qz T My Mz)", 6, 12, 0, members, true},
            {"forces at the second end (N Qy Qz T My Mz)", 6, 12, 6, members, true}};
        status = flx_vtu_write(p->fe, vtu, has_members(p->fe->s) ? 7 : 5, fields);
    }
    void *owned[] = {x, u, sigma, F, mises, members};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    return status;
}
