// problem_transient.c - Newmark's method on M x'' + D x' + K x = f, one factorisation for the whole run.
//
//     S = M + gamma h D + beta h^2 K,  D = alpha M + b K                                        (FE-19)
//     xp = x + h v + h^2 (1/2 - beta) a,   vp = v + h (1 - gamma) a
//     S a = f - D vp - K xp,   x = xp + beta h^2 a,   v = vp + gamma h a
// Loads with a factor s(t) have f = f_all + sum (s_k(t) - 1) f_k; their work in a step is that of the mean force.
#include "base/number.h"
#include "base/refuse.h"
#include "base/vtk.h"
#include "fe/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BETA 0.25 // no damping of its own, stable for every step
#define GAMMA 0.5
#define MOST_STEPS 100000000.0

typedef struct motion {
    flx_fe_problem *p;
    const flx_fe_transient *def;
    flx_fe_transient_result *out;
    double h;
    long steps, every;
    double alpha, beta; // Rayleigh's
    flx_frontal *S;
    double *x, *v, *a, *y, *Kx, *Mv, *u; // (n) and (nnode, 6)
    double *f, *before;                  // (n) loads now, and at the beginning of the step
    flx_histories *histories;            // NULL: loads are constant
    double *parts;                       // (nhistory, n) loads of each factor
    double work, dissipated, scale;
    flx_output *table, *series;
    FILE *csv, *pvd; // their streams
    int *nodes;      // index of the asked ones
    int frames;
} motion;

// ---- output -------------------------------------------------------------------------------------

static flx_status open_files(motion *m)
{
    const flx_fe_transient *d = m->def;
    m->nodes = flx_alloc(m->p->ctx, (size_t)d->nnode, sizeof *m->nodes);
    if (!m->nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nnode; i++) {
        m->nodes[i] = flx_structure_node_of(m->p->fe->s, d->nodes[i]);
        if (m->nodes[i] < 0) {
            return FLX_FAIL(m->p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the mesh has no node %d",
                            d->nodes[i]);
        }
    }
    if (d->csv) FLX_TRY(flx_output_create(m->p->ctx, "the table", d->csv, &m->table));
    if (d->pvd) FLX_TRY(flx_output_create(m->p->ctx, "the series", d->pvd, &m->series));
    if (d->csv) m->csv = flx_output_file(m->table);
    if (d->pvd) m->pvd = flx_output_file(m->series);
    if (m->csv) {
        static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz"};
        flx_fprintf(m->csv, "t,energy.kinetic,energy.strain,work");
        for (int i = 0; i < d->nnode; i++) {
            for (int c = 0; c < 6; c++) flx_fprintf(m->csv, ",node(%d).%s", d->nodes[i], words[c]);
        }
        flx_fprintf(m->csv, "\n");
    }
    if (m->pvd) flx_vtk_begin_series(m->pvd);
    return FLX_OK;
}

static flx_status close_files(motion *m, flx_status status)
{
    if (m->pvd) flx_vtk_end_series(m->pvd);
    status = flx_output_close(&m->table, status);
    return flx_output_close(&m->series, status);
}

// One picture beside the .pvd file: beam.pvd, beam_0001.vtu.
static flx_status draw(motion *m, double t)
{
    char path[1024];
    const char *pvd = m->def->pvd, *slash = strrchr(pvd, '/'), *dot = strrchr(pvd, '.');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - pvd) : (int)strlen(pvd);
    int n = flx_snprintf(path, sizeof path, "%.*s_%04d.vtu", stem, pvd, m->frames++);
    if (n < 0 || n >= (int)sizeof path) return flx_output_fail(m->series, "its name is too long");
    flx_vtk_put_series(m->pvd, t, 0, slash ? path + (slash - pvd) + 1 : path);
    const flx_vtu_field field = {"displacement", 3, 6, 0, m->u, false};
    return flx_vtu_write(m->p->fe, path, 1, &field);
}

static flx_status write_row(motion *m, double t, double kinetic, double strain)
{
    const flx_fe *fe = m->p->fe;
    flx_fe_expand(fe, m->x, false, m->u);
    for (int i = 0; i < fe->nnode; i++) {
        const double *v = m->u + 6 * (size_t)i;
        double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (!(size > m->out->displacement)) continue;
        m->out->displacement = size;
        m->out->displacement_node = fe->s->label[i];
        m->out->displacement_time = t;
    }
    if (m->csv) {
        flx_fprintf(m->csv, "%.17g,%.17g,%.17g,%.17g", t, kinetic, strain, m->work);
        for (int i = 0; i < m->def->nnode; i++) {
            const double *v = m->u + 6 * (size_t)m->nodes[i];
            for (int c = 0; c < 6; c++) flx_fprintf(m->csv, ",%.17g", v[c]);
        }
        flx_fprintf(m->csv, "\n");
    }
    return m->pvd ? draw(m, t) : FLX_OK;
}

// ---- steps --------------------------------------------------------------------------------------

// Energies, and the ledger: kinetic + strain + dissipated - work stays what it was.
static flx_status record(motion *m, long step)
{
    size_t n = (size_t)m->p->n;
    double kinetic = 0, strain = 0;
    flx_symmetric_multiply(m->p->M, 1, m->v, m->Mv);
    flx_symmetric_multiply(m->p->K, 1, m->x, m->Kx);
    for (size_t i = 0; i < n; i++) {
        kinetic += m->v[i] * m->Mv[i] / 2;
        strain += m->x[i] * m->Kx[i] / 2;
    }
    double balance = kinetic + strain + m->dissipated - m->work;
    m->scale = fmax(m->scale, fabs(m->work) + kinetic + strain);
    if (m->scale > 0) {
        m->out->energy_drift = fmax(m->out->energy_drift, fabs(balance) / m->scale);
    }
    if (!isfinite(balance)) {
        return FLX_FAIL(m->p->ctx, FLX_NOT_FINITE, FLX_NOWHERE,
                        "the motion is not finite at t = %g", (double)step * m->h);
    }
    if (step % m->every != 0 && step != m->steps) return FLX_OK;
    return write_row(m, (double)step * m->h, kinetic, strain);
}

// a = S^-1 (f - D vp - K xp); xp is in x, vp in v.
static void accelerate(motion *m, flx_frontal *S)
{
    size_t n = (size_t)m->p->n;
    for (size_t i = 0; i < n; i++) m->y[i] = m->x[i] + m->beta * m->v[i];
    flx_symmetric_multiply(m->p->K, 1, m->y, m->Kx);
    flx_symmetric_multiply(m->p->M, 1, m->v, m->Mv);
    for (size_t i = 0; i < n; i++) m->a[i] = m->f[i] - m->Kx[i] - m->alpha * m->Mv[i];
    flx_frontal_solve(S, 1, m->a);
}

static flx_status find_parts(motion *m)
{
    const flx_fe *fe = m->p->fe;
    int count = m->p->model->fe.nhistory;
    size_t n = (size_t)m->p->n, all = 6 * (size_t)fe->nnode;
    memcpy(m->f, fe->f, n * sizeof *m->f);
    if (count == 0) return FLX_OK;
    FLX_TRY(flx_histories_create(m->p->model, &m->histories));
    m->parts = flx_alloc(m->p->ctx, (size_t)count * n, sizeof *m->parts);
    double *F = flx_alloc(m->p->ctx, all, sizeof *F);
    for (int k = 0; m->parts && F && k < count; k++) {
        memset(F, 0, all * sizeof *F);
        flx_fe_nodal_loads(fe, k + 1, F);
        flx_fe_add_force(fe, F, m->parts + (size_t)k * n);
    }
    bool fine = m->parts && F;
    flx_free(F);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status load(motion *m, double t)
{
    size_t n = (size_t)m->p->n;
    if (!m->histories) return FLX_OK;
    const double *s = flx_histories_at(m->histories, t);
    memcpy(m->f, m->p->fe->f, n * sizeof *m->f);
    for (int k = 0; k < m->p->model->fe.nhistory; k++) {
        if (!isfinite(s[k])) {
            return FLX_FAIL(m->p->ctx, FLX_NOT_FINITE, m->p->model->fe.loc,
                            "the factor of a load is not finite at t = %g", t);
        }
        const double *part = m->parts + (size_t)k * n;
        for (size_t i = 0; i < n; i++) m->f[i] += (s[k] - 1) * part[i];
    }
    return FLX_OK;
}

static flx_status advance(motion *m, long step)
{
    size_t n = (size_t)m->p->n;
    double h = m->h, lost = 0, gained = 0;
    memcpy(m->before, m->f, n * sizeof *m->f);
    FLX_TRY(load(m, (double)step * h));
    memcpy(m->u, m->x, n * sizeof *m->u); // x before the step; u is free between outputs
    for (size_t i = 0; i < n; i++) {
        m->x[i] += h * m->v[i] + h * h * (0.5 - BETA) * m->a[i];
        m->v[i] += h * (1 - GAMMA) * m->a[i];
    }
    accelerate(m, m->S);
    for (size_t i = 0; i < n; i++) {
        m->x[i] += BETA * h * h * m->a[i];
        m->v[i] += GAMMA * h * m->a[i];
        m->y[i] = (m->x[i] - m->u[i]) / h; // mean velocity of the step
        gained += 0.5 * (m->before[i] + m->f[i]) * (m->x[i] - m->u[i]);
    }
    m->work += gained;
    if (m->alpha == 0 && m->beta == 0) return FLX_OK;
    flx_symmetric_multiply(m->p->K, 1, m->y, m->Kx);
    flx_symmetric_multiply(m->p->M, 1, m->y, m->Mv);
    for (size_t i = 0; i < n; i++) lost += m->y[i] * (m->alpha * m->Mv[i] + m->beta * m->Kx[i]);
    m->dissipated += h * lost;
    return FLX_OK;
}

// At the start everything is at rest: M a = f.
static flx_status begin(motion *m)
{
    flx_frontal *M = NULL;
    FLX_TRY(flx_frontal_create(m->p->ctx, m->p->M, m->p->group, &M));
    flx_status status = flx_frontal_factor(M, 1, m->p->M, 0, NULL);
    if (status == FLX_OK) status = flx_frontal_reserve(M, 1);
    if (status == FLX_OK) accelerate(m, M);
    flx_frontal_destroy(&M);
    if (status != FLX_SINGULAR) return status;
    return FLX_FAIL(m->p->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    "an unknown has no mass: a transient needs one for each (masses: lumped leaves "
                    "none to rotations of beams without rotary inertia)");
}

static flx_status run(motion *m)
{
    double h = m->h;
    double a = 1 + GAMMA * h * m->alpha, b = BETA * h * h + GAMMA * h * m->beta;
    FLX_TRY(flx_frontal_create(m->p->ctx, m->p->K, m->p->group, &m->S));
    flx_status status = flx_frontal_factor(m->S, a, m->p->M, b, m->p->K);
    if (status != FLX_OK) return status;
    FLX_TRY(flx_frontal_reserve(m->S, 1));
    FLX_TRY(find_parts(m));
    FLX_TRY(load(m, 0));
    FLX_TRY(begin(m));
    FLX_TRY(record(m, 0));
    for (long k = 1; k <= m->steps; k++) {
        FLX_TRY(advance(m, k));
        FLX_TRY(record(m, k));
        m->out->steps = k;
    }
    return FLX_OK;
}

static flx_status plan(motion *m)
{
    const flx_simulate *s = &m->p->model->simulate;
    double until = m->def->until > 0 ? m->def->until : s->until;
    double step = m->def->step > 0 ? m->def->step : s->def.step;
    if (!(until > 0) || !(step > 0)) {
        return FLX_FAIL(m->p->ctx, FLX_ERR_MODEL, s->loc,
                        "a transient needs simulate: {until: ..., step: ...}");
    }
    double count = ceil(until / step * (1 - 1e-12));
    if (!(count <= MOST_STEPS)) {
        return FLX_FAIL(m->p->ctx, FLX_ERR_MODEL, s->loc, "%g steps are too many", count);
    }
    m->steps = (long)count;
    m->h = until / count;
    m->every = m->def->every > 0 ? m->def->every : (m->steps + 99) / 100;
    return FLX_OK;
}

flx_status flx_fe_problem_transient(flx_fe_problem *p, const flx_fe_transient *def,
                                    flx_fe_transient_result *result)
{
    if (!p || !def || !result || def->nnode < 0 || (def->nnode > 0 && !def->nodes)) {
        return flx_refuse_null(p ? p->ctx : NULL, __func__);
    }
    motion m = {.p = p, .def = def, .out = result};
    *result = (flx_fe_transient_result){0};
    FLX_TRY(flx_fe_problem_need_mesh(p, "a transient"));
    if (p->fe->s->D.n > 0) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, p->model->fe.loc,
                        "a damping matrix counts in frequency responses and in flexible bodies: a "
                        "transient takes Rayleigh's damping alone");
    }
    for (int i = 0; i < p->fe->s->nspring; i++) {
        const flx_spring_element *k = p->fe->s->springs + i;
        for (int c = 0; c < 6; c++) {
            if (k->damping[c] == 0) continue;
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, k->loc,
                            "dashpots count in frequency responses and in flexible bodies: a "
                            "transient takes Rayleigh's damping alone");
        }
    }
    for (int i = 0; i < p->fe->s->nmaterial; i++) {
        if (p->fe->s->materials[i].loss == 0) continue;
        flx_ctx_warn(
            p->ctx, p->fe->s->materials[i].loc,
            "a loss factor counts in frequency responses: this transient does not know it");
    }
    FLX_TRY(plan(&m));
    m.alpha = p->model->fe.rayleigh[0];
    m.beta = p->model->fe.rayleigh[1];
    size_t n = (size_t)p->n, all = 6 * (size_t)p->fe->nnode;
    double *block = flx_alloc(p->ctx, 8 * n + (all > n ? all : n), sizeof *block);
    flx_status status = block ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        double **parts[] = {&m.x, &m.v, &m.a, &m.y, &m.Kx, &m.Mv, &m.f, &m.before, &m.u};
        for (size_t i = 0; i < 9; i++) *parts[i] = block + i * n;
        status = open_files(&m);
        if (status == FLX_OK) status = run(&m);
        status = close_files(&m, status);
    }
    flx_frontal_destroy(&m.S);
    flx_histories_destroy(&m.histories);
    flx_free(m.parts);
    flx_free(m.nodes);
    flx_free(block);
    return status;
}
