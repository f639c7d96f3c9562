// perform_norms.c - analyses of type norms: H2, whole and of a band, Hinf, Hankel's singular values (RED-12 to RED-15).
#include "flexion/reduction.h"
#include "math/eigen.h"
#include "simulate/analyses/io_signals.h"
#include "simulate/linear/linear_about.h"
#include "simulate/linear/of_part.h"

#include <math.h>
#include <string.h>

#define MOST_STATES 2000

typedef struct found {
    flx_simulation *sim;
    const flx_analysis *a;
    const flx_norms_keys *keys;
    flx_io_signals io;
    flx_linear_model m;
    flx_finding *out;
} found;

// (ncolumn x nrow) of what is stored by rows (nrow x ncolumn).
static void turn(int nrow, int ncolumn, const double *from, double *to)
{
    for (int i = 0; i < nrow; i++) {
        for (int k = 0; k < ncolumn; k++) to[(size_t)k * nrow + i] = from[(size_t)i * ncolumn + k];
    }
}

// The norms are those of outputs that follow from states alone.
static flx_status check(const found *f)
{
    const flx_linear_model *m = &f->m;
    flx_ctx *ctx = f->sim->ctx;
    if (m->n == 0 || m->n > MOST_STATES) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, f->a->loc,
                        "norms are found of 1 to %d states; this model has %d", MOST_STATES, m->n);
    }
    for (int i = 0; i < m->nout * m->nin; i++) {
        if (m->D[i] == 0.0 && !(m->D1 && m->D1[i] != 0.0) && !(m->D2 && m->D2[i] != 0.0)) continue;
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, f->a->loc,
                        "output '%s' contains the input '%s' itself, however fast it changes: its "
                        "norm H2 is infinite; take outputs of places or velocities",
                        f->io.names[i / m->nin], f->io.inputs[i % m->nin]);
    }
    return FLX_OK;
}

static flx_status put_numbers(found *f, const flx_plant_report *r, double band)
{
    static const char *const heads[] = {"h2", "hinf", "at", "band"};
    static const char *const units[] = {"", "", "rad/s", ""};
    int n = f->keys->to > 0.0 ? 4 : 3;
    const double values[4] = {r->h2, r->hinf, r->at, band};
    FLX_TRY(flx_finding_line(f->sim, f->out, "H2 %.6g; largest gain (Hinf) %.6g at %.6g rad/s",
                             r->h2, r->hinf, r->at));
    if (n == 4) {
        FLX_TRY(flx_finding_line(f->sim, f->out, "H2 from %.6g to %.6g rad/s %.6g", f->keys->from,
                                 f->keys->to, band));
    }
    flx_finding_table *t = flx_finding_add_table(f->sim, f->out, "norms", 1, n);
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        FLX_TRY(flx_finding_column(f->sim, f->out, t, k, heads[k], units[k]));
    memcpy(t->values, values, (size_t)n * sizeof *values);
    return FLX_OK;
}

// With what a truncation to so many states leaves: twice the sum of the rest.
static flx_status put_hankel(found *f, int n, const double *hankel)
{
    static const char *const heads[] = {"states", "hankel", "bound"};
    double rest = 0.0;
    flx_finding_table *t = flx_finding_add_table(f->sim, f->out, "hankel", n, 3);
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < 3; k++) FLX_TRY(flx_finding_column(f->sim, f->out, t, k, heads[k], ""));
    for (int i = n - 1; i >= 0; i--) {
        const double row[3] = {i + 1, hankel[i], 2.0 * rest};
        memcpy(t->values + 3 * i, row, sizeof row);
        rest += hankel[i];
    }
    return FLX_OK;
}

static flx_status put_poles(found *f, int n, const double *poles)
{
    flx_finding_table *t = flx_finding_add_table(f->sim, f->out, "poles", n, 2);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(f->sim, f->out, t, 0, "re", "1/s"));
    FLX_TRY(flx_finding_column(f->sim, f->out, t, 1, "im", "1/s"));
    for (int i = 0; i < n; i++) {
        t->values[2 * i] = poles[i];
        t->values[2 * i + 1] = poles[n + i];
    }
    return FLX_OK;
}

static flx_status measure_plant(found *f, const flx_plant *s)
{
    flx_ctx *ctx = f->sim->ctx;
    size_t n = (size_t)s->n;
    double *P = flx_alloc(ctx, n * n + 3 * n, sizeof *P), band = 0.0;
    if (!P) return FLX_ERR_MEMORY;
    flx_plant_report report = {.hankel = P + n * n, .poles = P + n * n + n};
    flx_status status = flx_plant_norms(ctx, s, &report);
    if (status == FLX_OK && f->keys->to > 0.0)
        status = flx_plant_band_gramian(ctx, s, f->keys->from, f->keys->to, P, &band);
    if (status == FLX_SINGULAR || status == FLX_NO_CONVERGENCE) {
        status = FLX_FAIL(ctx, FLX_ERR_CANNOT, f->a->loc,
                          "the norms cannot be found: the poles span too many magnitudes");
    }
    if (status == FLX_OK) status = put_numbers(f, &report, band);
    if (status == FLX_OK) status = put_hankel(f, s->n, report.hankel);
    if (status == FLX_OK) status = put_poles(f, s->n, report.poles);
    flx_free(P);
    return status;
}

static flx_status measure(found *f)
{
    const flx_linear_model *m = &f->m;
    size_t n = (size_t)m->n, nn = n * n, in = (size_t)m->nin, all = (size_t)m->nout;
    FLX_TRY(check(f));
    double *A = flx_alloc(f->sim->ctx, nn + n * (in + all + 1), sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    double *B = A + nn, *C = B + n * in, *d = C + n * all;
    turn(m->n, m->n, m->A, A);
    turn(m->n, m->nin, m->B, B);
    turn(m->nout, m->n, m->C, C);
    const flx_plant s = {.n = m->n, .inputs = m->nin, .outputs = m->nout, .A = A, .B = B, .C = C};
    flx_status status = flx_dense_balance(f->sim->ctx, m->n, A, d); // states of like size
    for (size_t k = 0; k < n * in; k++) B[k] /= d[k % n];
    for (size_t k = 0; k < n * all; k++) C[k] *= d[k / all];
    if (status == FLX_OK) status = measure_plant(f, &s);
    flx_free(A);
    return status;
}

// ---- of a part ----------------------------------------------------------------------------------

static flx_status measure_part(found *f, flx_of_part *p)
{
    const flx_of_keys *of = &f->keys->of;
    FLX_TRY(flx_of_part_reduce(p));
    for (int i = 0; p->D && i < p->nin * p->nout; i++) {
        if (p->D[i] == 0.0) continue;
        return FLX_FAIL(f->sim->ctx, FLX_ERR_CANNOT, f->a->loc,
                        "the output of '%s' contains its input itself, however fast it changes: "
                        "its norm H2 is infinite",
                        of->name);
    }
    if (p->plant.n == 0 || p->plant.n > MOST_STATES) {
        return FLX_FAIL(f->sim->ctx, FLX_ERR_CANNOT, f->a->loc,
                        "norms are found of 1 to %d states; '%s' has %d", MOST_STATES, of->name,
                        p->plant.n);
    }
    if (of->body) {
        const flx_reduction_report *r = flx_reduction_get_report(p->r);
        FLX_TRY(flx_finding_line(f->sim, f->out,
                                 "%s %s%s, by the %d vectors of its Ritz model: from forces at its "
                                 "ports to their motion%s",
                                 of->name, of->held ? "held at " : "free", of->held ? of->held : "",
                                 r->vectors, of->held ? "" : ", without its rigid motion"));
    }
    return measure_plant(f, &p->plant);
}

// Up to which frequency a body is known: its band, or what is asked for.
static flx_status perform_part(found *f)
{
    const flx_norms_keys *keys = f->keys;
    flx_of_part p;
    FLX_TRY(flx_of_part_create(f->sim, &keys->of, keys->to / (2.0 * FLX_PI), 0, NULL, &p));
    flx_status status = measure_part(f, &p);
    flx_of_part_destroy(&p);
    return status;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    const flx_norms_keys *keys = t->a->own;
    found f = {.sim = t->sim, .a = t->a, .keys = keys, .out = out};
    if (keys->of.name) return perform_part(&f);
    if (keys->io.nin == 0 || keys->io.nout == 0) {
        return FLX_FAIL(t->sim->ctx, FLX_ERR_MODEL, t->a->loc, "a norm needs %s",
                        keys->io.nin == 0 ? "inputs" : "outputs");
    }
    FLX_TRY(flx_analysis_find_own_state(t));
    FLX_TRY(flx_io_signals_create(t->sim, &keys->io, &f.io));
    f.io.turns = true;
    flx_status status = flx_io_signals_linear(&f.io, t->sim, t->place.own, &f.m);
    if (status == FLX_OK) status = flx_io_signals_tell_moving(&f.io, t->sim, &f.m, out);
    if (status == FLX_OK) status = measure(&f);
    flx_linear_model_clear(&f.m);
    flx_io_signals_clear(&f.io);
    return status;
}

const flx_analysis_performer flx_performer_NORMS = {.settled = true, .perform = perform};
