// problem_modes.c - modes of vibration, and the masses that they move.
//
//     m_eff = (r^T M x)^2,  r a rigid motion, x^T M x = 1                                       (FE-18)
#include "base/number.h"
#include "base/refuse.h"
#include "fe/fe_parts.h"
#include "fe/problem.h"
#include "math/lowest_modes.h"

#include <math.h>
#include <stdio.h>

static flx_status find_effective(const flx_fe_problem *p, const flx_mode_set *m, flx_fe_mode *modes)
{
    size_t n = (size_t)p->n;
    double *R = flx_alloc(p->ctx, 12 * n, sizeof *R);
    if (!R) return FLX_ERR_MEMORY;
    double *MR = R + 6 * n;
    flx_fe_rigid_motions(p->fe, p->fe->com, R);
    flx_symmetric_multiply(p->M, 6, R, MR);
    for (int k = 0; k < m->count; k++) {
        for (int c = 0; c < 6; c++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += MR[c * n + i] * m->X[k * n + i];
            modes[k].effective[c] = sum * sum;
        }
    }
    flx_free(R);
    return FLX_OK;
}

static flx_status write_modes(const flx_fe_problem *p, const flx_mode_set *m,
                              const flx_fe_mode *modes, const char *path)
{
    size_t all = 6 * (size_t)p->fe->nnode, count = (size_t)m->count;
    double *u = flx_alloc(p->ctx, count * all, sizeof *u);
    flx_vtu_field *fields = flx_alloc(p->ctx, count, sizeof *fields);
    flx_status status = u && fields ? FLX_OK : FLX_ERR_MEMORY;
    for (size_t k = 0; k < count && status == FLX_OK; k++) {
        flx_fe_expand(p->fe, m->X + k * (size_t)p->n, true, u + k * all);
        fields[k] = (flx_vtu_field){"", 3, 6, 0, u + k * all, false};
        flx_snprintf(fields[k].name, sizeof fields[k].name, "mode %zu: %.6g Hz", k + 1,
                     modes[k].frequency);
    }
    if (status == FLX_OK) status = flx_vtu_write(p->fe, path, m->count, fields);
    flx_free(u);
    flx_free(fields);
    return status;
}

#define JUDGED 3 // of the lowest modes with strain

static flx_status judge_mesh(const flx_fe_problem *p, const flx_mode_set *m)
{
    double worst = 0, part;
    double *u = flx_alloc(p->ctx, 6 * (size_t)p->fe->nnode, sizeof *u);
    flx_status status = u ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = m->rigid; k < m->count && k < m->rigid + JUDGED && status == FLX_OK; k++) {
        flx_fe_expand(p->fe, m->X + (size_t)k * (size_t)p->n, true, u);
        status = flx_fe_jumps(p->fe, u, &part);
        worst = fmax(worst, part);
    }
    if (status == FLX_OK) flx_fe_problem_tell_coarse(p, worst, true);
    flx_free(u);
    return status;
}

flx_status flx_fe_problem_modes(flx_fe_problem *p, int count, const char *vtu, flx_fe_mode *modes,
                                flx_fe_modes_report *report)
{
    if (!p || !modes || !report) return flx_refuse_null(p ? p->ctx : NULL, __func__);
    flx_mode_set *m = NULL;
    const flx_modes_def def = {.count = count, .group = p->group};
    if (vtu) FLX_TRY(flx_fe_problem_need_mesh(p, "a picture of modes"));
    FLX_TRY(flx_modes_create(p->ctx, p->K, p->M, &def, &m));
    for (int k = 0; k < count; k++) {
        double f = k < m->rigid || m->lambda[k] < 0 ? 0 : sqrt(m->lambda[k]) / (2 * FLX_PI);
        modes[k] = (flx_fe_mode){.frequency = f, .residual = m->residual[k]};
    }
    *report = (flx_fe_modes_report){.rigid = m->rigid,
                                    .checked = m->checked,
                                    .below = m->below,
                                    .bound = m->bound > 0 ? sqrt(m->bound) / (2 * FLX_PI) : 0,
                                    .factorisations = m->factorisations,
                                    .solutions = m->solves,
                                    .memory = m->factor.most};
    flx_status status = p->fe ? find_effective(p, m, modes) : FLX_OK;
    if (status == FLX_OK && p->fe) status = judge_mesh(p, m);
    if (status == FLX_OK && vtu && p->fe) status = write_modes(p, m, modes, vtu);
    if (status == FLX_OK) status = flx_fe_problem_keep(p, m->count, m->X, false);
    flx_modes_destroy(&m);
    return status;
}
