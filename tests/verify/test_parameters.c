// test_parameters.c - parameters that are set in an instance of a compiled system give the residual of a model that was
// read and compiled with them; slopes of residuals by parameters are those of differences between such models. In
// coordinates of bodies and of joints, one parameter at a time, then all of them.
//   test_parameters MODEL...
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "math/pattern.h"
#include "random_number.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdlib.h>

#define MOVED 0.01     // part by which parameters are changed
#define DISPLACED 1e-3 // m, rad: what the start is moved by
#define SAME 1e-11     // of the largest number among rows of a kind
#define STEP 1e-4      // of the differences that slopes are compared with,
#define SLOPES 1e-6    // which are so accurate

typedef struct compiled {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
} compiled;

static void clear(compiled *c)
{
    flx_simulation_destroy(&c->sim);
    flx_model_destroy(&c->model);
    flx_ctx_destroy(&c->ctx);
}

// With the parameters p of the open model (NULL: all of them open, as they are).
static flx_status compile(const char *path, bool tree, const flx_model *open, const double *p,
                          compiled *c)
{
    char texts[64][128];
    const char *settings[64];
    flx_read_def def = flx_read_def_default();
    *c = (compiled){.ctx = flx_ctx_create()};
    if (open) {
        def.nopen = 0;
        def.settings = settings;
        for (int k = 0; k < open->ntunable && k < 64; k++) {
            if (p[k] == open->tunables[k].value) continue;
            snprintf(texts[def.nset], sizeof texts[0], "%s=%.17g", open->tunables[k].name, p[k]);
            settings[def.nset] = texts[def.nset];
            def.nset++;
        }
    }
    FLX_TRY(flx_model_read_by(c->ctx, path, &def, &c->model));
    if (tree) {
        if (c->model->simulate.tree || c->model->nbody == 0) return FLX_ERR_CANNOT;
        FLX_TRY(flx_model_set_text(c->model, "simulate.formulation", "tree"));
    }
    return flx_simulation_create_as_it_is(c->model, &c->sim);
}

static void disturb(flx_state *x, const flx_system *s)
{
    uint64_t seed = 23;
    const flx_dims *d = &s->dims;
    double *theta = calloc((size_t)d->nv + 1, sizeof *theta);
    for (int i = 0; i < d->nv; i++) theta[i] = DISPLACED * random_number(&seed); // strains
    s->ops->retract(s, x->q, theta, x->q);
    free(theta);
    for (int i = 0; i < d->nv; i++) x->v[i] += 0.3 * random_number(&seed);
    for (int i = 0; i < d->nv; i++) x->a[i] += random_number(&seed);
    for (int i = 0; i < d->nlam; i++) x->lam[i] += random_number(&seed);
    for (int i = 0; i < d->nmu; i++) x->mu[i] += random_number(&seed);
}

static flx_status residual(const flx_system *s, const flx_state *x, double *r)
{
    flx_work *w = s->ops->work_create(s);
    flx_point p = flx_state_point(s, x);
    flx_status status = w ? s->ops->residual(s, w, &p, r) : FLX_ERR_MEMORY;
    if (w) s->ops->work_destroy(w);
    return status;
}

// What is left of the constraints, of rows that were left out too.
static flx_residuals open_rows(const flx_system *s, const flx_state *x)
{
    flx_residuals out = {0};
    flx_work *w = s->ops->work_create(s);
    if (w) flx_descriptor_residuals(s, w, x, &out);
    if (w) s->ops->work_destroy(w);
    return out;
}

static bool closes_alike(const flx_system *a, const flx_system *b, const flx_state *x)
{
    if (!flx_descriptor_loads(a)) return true; // no descriptor
    flx_residuals p = open_rows(a, x), q = open_rows(b, x);
    return fabs(p.position - q.position) <= SAME && fabs(p.velocity - q.velocity) <= SAME &&
           fabs(p.dropped - q.dropped) <= SAME;
}

// Rows of the same kind are compared with the largest of them; the row that differs most, -1: none does.
static int differs(const flx_system *s, const double *a, const double *b, double tolerance)
{
    const flx_dims *d = &s->dims;
    int from = 0, end[5] = {d->nv, d->nx, d->nw, d->nlam, d->nmu};
    for (int k = 0; k < 5; k++) {
        double size = 1.0;
        for (int i = from; i < from + end[k]; i++) size = fmax(size, fabs(b[i]));
        for (int i = from; i < from + end[k]; i++) {
            if (!(fabs(a[i] - b[i]) <= tolerance * size)) return i;
        }
        from += end[k];
    }
    return -1;
}

static bool is_alike(const flx_system *a, const flx_system *b)
{
    return memcmp(&a->dims.nq, &b->dims.nq, 6 * sizeof(int)) == 0;
}

typedef struct counts {
    int set, slopes, refused, failed;
} counts;

static void complain(const char *name, const char *parameter, const char *what, const flx_system *s,
                     int row, double is, double is_to)
{
    flx_unknown u = {0};
    s->ops->unknown(s, row, &u);
    printf("%s: %s: %s of '%s' (%s) is %.15g, not %.15g\n", name, parameter, what,
           u.item ? u.item : "?", u.part ? u.part : "?", is, is_to);
}

// An instance with p against a model compiled with p.
static void check_values(const char *name, const char *path, bool tree, const compiled *c,
                         const char *parameter, const double *p, const flx_state *x, counts *n)
{
    const flx_system *s = c->sim->sys;
    size_t size = (size_t)flx_dims_unknowns(&s->dims);
    double *r = calloc(2 * size + 1, sizeof *r);
    flx_ctx *ctx = flx_ctx_create();
    flx_system *own = NULL;
    compiled fresh;
    flx_status status = flx_system_instance(s, ctx, &own);
    if (status == FLX_OK) status = flx_system_set_parameters(own, p);
    if (status != FLX_OK) {
        n->refused++;
        printf("%s: %s: refused: %s\n", name, parameter,
               flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "?");
    } else if (compile(path, tree, c->model, p, &fresh) != FLX_OK) {
        printf("%s: %s: cannot be compiled\n", name, parameter);
        clear(&fresh);
    } else {
        if (is_alike(s, fresh.sim->sys) && residual(own, x, r) == FLX_OK &&
            residual(fresh.sim->sys, x, r + size) == FLX_OK) {
            int row = differs(s, r, r + size, SAME);
            if (row >= 0) {
                complain(name, parameter, "the row", s, row, r[row], r[size + (size_t)row]);
                n->failed++;
            }
            if (!closes_alike(own, fresh.sim->sys, x)) {
                printf("%s: %s: constraints are open otherwise\n", name, parameter);
                n->failed++;
            }
            n->set++;
        }
        clear(&fresh);
    }
    flx_system_destroy(&own);
    flx_ctx_destroy(&ctx);
    free(r);
}

// Slopes against differences of models compiled on both sides.
static void check_slopes(const char *name, const char *path, bool tree, const compiled *c, int k,
                         const double *p, const flx_state *x, counts *n)
{
    const flx_system *s = c->sim->sys;
    size_t size = (size_t)flx_dims_unknowns(&s->dims);
    double *r = calloc(3 * size + 1, sizeof *r), moved[64], h = STEP * fmax(fabs(p[k]), STEP);
    flx_work *w = s->ops->work_create(s);
    flx_point at = flx_state_point(s, x);
    bool fine = w && s->ops->parameter_slope && s->ops->parameter_slope(s, w, &at, k, r) == FLX_OK;
    for (int side = 0; side < 2 && fine; side++) {
        compiled fresh;
        memcpy(moved, p, (size_t)s->nparameter * sizeof *p);
        moved[k] += side ? h : -h;
        fine = compile(path, tree, c->model, moved, &fresh) == FLX_OK &&
               is_alike(s, fresh.sim->sys) &&
               residual(fresh.sim->sys, x, r + (size_t)(1 + side) * size) == FLX_OK;
        clear(&fresh);
    }
    for (size_t i = 0; i < size && fine; i++)
        r[size + i] = (r[2 * size + i] - r[size + i]) / (2 * h);
    if (fine) {
        int row = differs(s, r, r + size, SLOPES);
        if (row >= 0) {
            complain(name, c->model->tunables[k].name, "the slope", s, row, r[row],
                     r[size + (size_t)row]);
            n->failed++;
        }
        n->slopes++;
    }
    if (w) s->ops->work_destroy(w);
    free(r);
}

// Values that cannot be are refused, and leave all as it was: not a number, of each; and minus what it is, where that is
// refused.
static void check_refusals(const char *name, const compiled *c, const flx_state *x, counts *n)
{
    const flx_system *s = c->sim->sys;
    size_t size = (size_t)flx_dims_unknowns(&s->dims);
    double *r = calloc(2 * size + 1, sizeof *r), p[64];
    flx_ctx *ctx = flx_ctx_create();
    flx_system *own = NULL;
    flx_status status = flx_system_instance(s, ctx, &own);
    for (int i = 0; i < s->nparameter; i++) p[i] = 1.01 * s->param[s->first_parameter + i];
    if (status == FLX_OK) status = flx_system_set_parameters(own, p);
    if (status == FLX_OK) status = residual(own, x, r);
    for (int k = 0; k < 2 * s->nparameter && status == FLX_OK; k++) {
        double q[64];
        memcpy(q, p, sizeof q);
        q[k / 2] = k % 2 ? -p[k / 2] : (double)NAN;
        bool taken = flx_system_set_parameters(own, q) == FLX_OK;
        if (taken) (void)flx_system_set_parameters(own, p);
        if (taken && k % 2) continue; // a number like any other
        status = residual(own, x, r + size);
        if (!taken && memcmp(r, r + size, size * sizeof *r) == 0) continue;
        printf("%s: '%s' of %g changes what it must not\n", name, c->model->tunables[k / 2].name,
               q[k / 2]);
        n->failed++;
    }
    flx_system_destroy(&own);
    flx_ctx_destroy(&ctx);
    free(r);
}

static void check_model(const char *path, bool tree, counts *n)
{
    compiled c;
    flx_state *x = NULL;
    char name[512];
    double p[64];
    snprintf(name, sizeof name, "%s%s", path, tree ? " (tree)" : "");
    flx_status status = compile(path, tree, NULL, NULL, &c);
    int np = status == FLX_OK ? c.sim->sys->nparameter : 0;
    if (np > 0 && np <= 64 && flx_state_create(c.sim->sys, &x) == FLX_OK) {
        flx_state_copy(x, c.sim->start);
        disturb(x, c.sim->sys);
        for (int k = 0; k <= np; k++) { // the last time all of them
            for (int i = 0; i < np; i++) {
                p[i] = c.model->tunables[i].value;
                if (i == k || k == np) p[i] += p[i] != 0.0 ? MOVED * p[i] : MOVED;
            }
            check_values(name, path, tree, &c, k < np ? c.model->tunables[k].name : "all of them",
                         p, x, n);
            for (int i = 0; i < np; i++) p[i] = c.model->tunables[i].value;
            if (k < np) check_slopes(name, path, tree, &c, k, p, x, n);
        }
    }
    if (x) check_refusals(name, &c, x, n);
    flx_state_destroy(&x);
    clear(&c);
}

int main(int argc, char **argv)
{
    counts n = {0};
    int each = short_runs() ? 6 : 1; // a sixth where every operation is watched
    for (int i = 1; i < argc; i += each) {
        check_model(argv[i], false, &n);
        check_model(argv[i], true, &n);
    }
    printf("%d settings and %d slopes, %d differ; %d were refused\n", n.set, n.slopes, n.failed,
           n.refused);
    return n.failed > 0 || n.set == 0;
}
