// exported.h - exported C, compiled and loaded, beside the tree of the same model: the same
// accelerations, efforts and closures, and derivatives that are derivatives.
#pragma once

#include "check.h"
#include "flexion/export.h"
#include "flexion/extend/method_table.h"
#include "random_tree.h"
#include "tree/tree_parts.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 64 // freedoms, rows

typedef void state_function(double t, const double *p, const double *q, const double *v,
                            const double *x, double *g, double *gd, double *G, double *bias);
typedef void forward_function(double t, const double *p, const double *q, const double *v,
                              const double *x, const double *tau, double *a);
typedef int closed_function(double t, const double *p, const double *q, const double *v,
                            const double *x, const double *tau, double *a, double *lam);
typedef void inverse_function(double t, const double *p, const double *q, const double *v,
                              const double *x, const double *a, double *tau);
typedef void mass_function(const double *p, const double *q, double *M);
typedef void linear_function(double t, const double *p, const double *q, const double *v,
                             const double *x, const double *a, double *K, double *D);
typedef void closed_linear_function(double t, const double *p, const double *q, const double *v,
                                    const double *x, const double *a, const double *lam, double *K,
                                    double *D);
typedef void state_linear_function(double t, const double *p, const double *q, const double *v,
                                   const double *x, const double *a, double *K, double *D,
                                   double *Kx, double *Xq, double *Xv, double *Xx);
typedef void states_function(double t, const double *p, const double *q, const double *v,
                             const double *x, double *dx);
typedef void rates_function(const double *q, const double *v, double *dq);

// ---- one model ----------------------------------------------------------------------------------

typedef struct subject {
    const flx_model *m; // borrowed
    uint64_t seed;
    double time;
    const double *p; // parameters; NULL: there are none
    flx_system *d, *t;
    flx_state *dx, *tx;
    flx_state *ex; // of the tree, in the coordinates that are exported: the joints' own
    flx_work *tw;
    int number, nv, nq, nrow; // rows that do not give way
    void *library;            // of functions m<number>_forward, ...
} subject;

static inline void subject_close(subject *s)
{
    if (s->tw) s->t->ops->work_destroy(s->tw);
    flx_state_destroy(&s->dx);
    flx_state_destroy(&s->tx);
    flx_state_destroy(&s->ex);
    flx_system_destroy(&s->t);
    flx_system_destroy(&s->d);
}

static inline int subject_open(subject *s, const flx_model *m, int number)
{
    *s = (subject){.m = m, .number = number, .seed = 77 + (uint64_t)number};
    CHECK(flx_descriptor_create(m, NULL, &s->d) == FLX_OK);
    CHECK(flx_state_create(s->d, &s->dx) == FLX_OK);
    CHECK(flx_descriptor_draw(s->d, s->dx) == FLX_OK);
    CHECK(flx_tree_create(m, s->d, s->dx, 0, &s->t) == FLX_OK);
    CHECK(flx_state_create(s->t, &s->tx) == FLX_OK);
    CHECK(flx_state_create(s->t, &s->ex) == FLX_OK);
    s->tw = s->t->ops->work_create(s->t);
    CHECK(s->tw);
    s->nv = s->t->dims.nv;
    s->nq = s->t->dims.nq;
    for (int i = 0; i < flx_tree_rows(flx_tree_of(s->t)); i++) {
        s->nrow += !(flx_tree_inner(flx_tree_of(s->t))->rows[i].C > 0);
    }
    CHECK(s->nv <= MOST && s->nrow <= MOST);
    return flx_tree_from_bodies(s->t, s->dx, s->tx) != FLX_OK;
}

static inline void *find(const subject *s, const char *function)
{
    char name[64];
    snprintf(name, sizeof name, "m%d_%s", s->number, function);
    return dlsym(s->library, name);
}
#define FUNCTION(s, type, name) ((type *)(uintptr_t)find(s, name))

static inline double largest(int n, const double *x)
{
    double most = 1.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// From coordinates of the links to those of the joints, or back.
static inline void turn_signs(const subject *s, bool position, double *x)
{
    const flx_tree_links *t = &flx_tree_of(s->t)->t;
    for (int i = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        if (l->against) x[position ? l->q : l->v] *= -1.0;
    }
}

static inline void set_exported(const subject *s)
{
    flx_state_copy(s->ex, s->tx);
    turn_signs(s, true, s->ex->q);
    turn_signs(s, false, s->ex->v);
    turn_signs(s, false, s->ex->a);
}

// A state that meets the closures, with accelerations. False: the closures depend on each other.
static inline bool set_state(subject *s)
{
    const flx_explicit *e = s->t->ops->explicit_form;
    static double z[512], dz[512];
    double moved_q, moved_v;
    if (s->nrow == 0) {
        random_motion_of(&s->seed, &flx_tree_of(s->t)->t, s->tx->q, s->tx->v);
    } else {
        random_vector(&s->seed, s->nv, 1.5, s->tx->v);
    }
    if (e->prepare && e->prepare(s->t, s->tw) != FLX_OK) return false;
    e->pack(s->t, s->tx, z);
    if (e->project(s->t, s->tw, s->time, z, s->tx, &moved_q, &moved_v) != FLX_OK) return false;
    s->tx->t = s->time;
    const flx_event_ops *events = s->t->ops->events;
    if (events) events->settle(s->t, s->tw, s->tx); // exported code compares where it is
    if (e->rate(s->t, s->tw, s->time, z, s->tx, dz) != FLX_OK) return false;
    set_exported(s);
    return largest(s->nv, s->tx->a) < 1e3;
}

// ---- comparisons --------------------------------------------------------------------------------

static inline int forward_is_that_of_the_tree(const subject *s)
{
    const flx_state *x = s->ex;
    // shapes have small masses, whose factors lose a digit
    bool solves = s->nrow > 0 || flx_tree_of(s->t)->t.nbend > 0;
    double a[MOST], lam[MOST], tolerance = solves ? 1e-12 : 1e-13;
    if (s->nrow > 0) {
        CHECK(FUNCTION(s, closed_function, "forward")(s->time, s->p, x->q, x->v, x->x, NULL, a,
                                                      lam) == 0);
    } else {
        FUNCTION(s, forward_function, "forward")(s->time, s->p, x->q, x->v, x->x, NULL, a);
    }
    double scale = largest(s->nv, x->a);
    for (int i = 0; i < s->nv; i++) CHECK_NEAR(a[i], x->a[i], tolerance * scale);
    return 0;
}

// Multipliers of rows that give way, from the residual r without them: exported, they are forces.
static inline void yield_rows(const subject *s, const double *r)
{
    const flx_descriptor *d = flx_tree_inner(flx_tree_of(s->t));
    const flx_dims *n = &s->t->dims;
    r += n->nv + n->nx + n->nw;
    for (int i = 0; i < n->nlam + n->nmu; i++) {
        double lam = d->rows[i].C > 0 ? r[i] / d->rows[i].C : 0.0;
        *(i < n->nlam ? s->tx->lam + i : s->tx->mu + i - n->nlam) = lam;
    }
}

// At any accelerations, forces of the closures apart.
static inline int inverse_is_the_residual(subject *s)
{
    flx_state *x = s->tx;
    double keep[MOST], tau[MOST], with[MOST], zero[MOST] = {0}, M[MOST * MOST], r[512];
    inverse_function *inverse = FUNCTION(s, inverse_function, "inverse");
    memcpy(keep, x->a, (size_t)s->nv * sizeof *keep);
    random_vector(&s->seed, s->nv, 3.0, x->a);
    memset(x->lam, 0, (size_t)s->t->dims.nlam * sizeof *x->lam);
    memset(x->mu, 0, (size_t)s->t->dims.nmu * sizeof *x->mu);
    x->t = s->time;
    flx_point at = flx_state_point(s->t, x);
    CHECK(s->t->ops->residual(s->t, s->tw, &at, r) == FLX_OK);
    yield_rows(s, r);
    CHECK(s->t->ops->residual(s->t, s->tw, &at, r) == FLX_OK);
    set_exported(s);
    turn_signs(s, false, r);
    x = s->ex;
    inverse(s->time, s->p, x->q, x->v, x->x, x->a, tau);
    double scale = largest(s->nv, r);
    for (int i = 0; i < s->nv; i++) CHECK_NEAR(tau[i], r[i], 1e-13 * scale);
    FUNCTION(s, mass_function, "mass")(s->p, x->q, M);
    inverse(s->time, s->p, x->q, x->v, x->x, zero, with);
    for (int i = 0; i < s->nv; i++) {
        for (int k = 0; k < s->nv; k++) with[i] += M[s->nv * i + k] * x->a[k];
        CHECK_NEAR(with[i], tau[i], 1e-13 * scale);
    }
    memcpy(s->tx->a, keep, (size_t)s->nv * sizeof *keep);
    set_exported(s);
    return 0;
}

static inline void move(const subject *s, const double *q, int k, double by, double *out)
{
    double theta[MOST] = {0};
    theta[k] = by;
    s->t->ops->retract(s->t, q, theta, out);
}

#define STEP 1e-5
#define DIFFERENCES 2e-8 // of differences with that step, relative

static inline int closures_are_derivatives(const subject *s)
{
    const flx_state *x = s->ex;
    double g[3][MOST], gd[3][MOST], G[3][MOST * MOST], bias[3][MOST], q[2 * MOST];
    state_function *closures = FUNCTION(s, state_function, "closures");
    if (s->nrow == 0) return 0;
    closures(s->time, s->p, x->q, x->v, x->x, g[0], gd[0], G[0], bias[0]);
    for (int i = 0; i < s->nrow; i++) {
        double sum = 0.0;
        CHECK_NEAR(g[0][i], 0.0, 1e-12);
        for (int k = 0; k < s->nv; k++) sum += G[0][s->nv * i + k] * x->v[k];
        CHECK_NEAR(sum, gd[0][i], 1e-12 * largest(s->nv, x->v));
    }
    for (int k = 0; k < s->nv; k++) {
        for (int side = 1; side <= 2; side++) {
            move(s, x->q, k, side == 1 ? STEP : -STEP, q);
            closures(s->time, s->p, q, x->v, x->x, g[side], gd[side], G[side], bias[side]);
        }
        for (int i = 0; i < s->nrow; i++) {
            if (g[1][i] == 0.0 && g[2][i] == 0.0) continue; // of velocities
            double slope = (g[1][i] - g[2][i]) / (2 * STEP);
            CHECK_NEAR(slope, G[0][s->nv * i + k], DIFFERENCES * largest(s->nv, G[0]));
        }
    }
    // the bias: how the rates change along the motion
    for (int side = 1; side <= 2; side++) {
        double theta[MOST];
        for (int k = 0; k < s->nv; k++) theta[k] = (side == 1 ? STEP : -STEP) * x->v[k];
        s->t->ops->retract(s->t, x->q, theta, q);
        closures(s->time, s->p, q, x->v, x->x, g[side], gd[side], G[side], bias[side]);
    }
    for (int i = 0; i < s->nrow; i++) {
        double slope = (gd[1][i] - gd[2][i]) / (2 * STEP);
        CHECK_NEAR(slope, bias[0][i], 10 * DIFFERENCES * largest(s->nrow, bias[0]));
    }
    return 0;
}

// inverse + G^T lam
static inline void load(const subject *s, const double *q, const double *v, const double *lam,
                        double *out)
{
    FUNCTION(s, inverse_function, "inverse")(s->time, s->p, q, v, s->ex->x, s->ex->a, out);
    if (s->nrow == 0 || !lam) return;
    double g[MOST], gd[MOST], G[MOST * MOST], bias[MOST];
    FUNCTION(s, state_function, "closures")(s->time, s->p, q, v, s->ex->x, g, gd, G, bias);
    for (int i = 0; i < s->nrow; i++) {
        for (int k = 0; k < s->nv; k++) out[k] += G[s->nv * i + k] * lam[i];
    }
}

static inline int linearisation_is_a_derivative(subject *s)
{
    const flx_state *x = s->ex;
    static double K[MOST * MOST], D[MOST * MOST], Kx[MOST * MOST], Xq[MOST * MOST];
    static double Xv[MOST * MOST], Xx[MOST * MOST];
    double lam[MOST], up[MOST], down[MOST], q[2 * MOST], v[MOST];
    random_vector(&s->seed, s->nrow, 2.0, lam);
    if (s->m->nstate > 0) {
        FUNCTION(s, state_linear_function, "linearise")
        (s->time, s->p, x->q, x->v, x->x, x->a, K, D, Kx, Xq, Xv, Xx);
    } else if (s->nrow > 0) {
        FUNCTION(s, closed_linear_function, "linearise")
        (s->time, s->p, x->q, x->v, x->x, x->a, lam, K, D);
    } else {
        FUNCTION(s, linear_function, "linearise")(s->time, s->p, x->q, x->v, x->x, x->a, K, D);
    }
    double K_scale = largest(s->nv * s->nv, K), D_scale = largest(s->nv * s->nv, D);
    for (int k = 0; k < s->nv; k++) {
        move(s, x->q, k, STEP, q);
        load(s, q, x->v, lam, up);
        move(s, x->q, k, -STEP, q);
        load(s, q, x->v, lam, down);
        for (int i = 0; i < s->nv; i++) {
            double slope = (up[i] - down[i]) / (2 * STEP);
            CHECK_NEAR(slope, K[s->nv * i + k], DIFFERENCES * K_scale);
        }
        memcpy(v, x->v, (size_t)s->nv * sizeof *v);
        v[k] += STEP;
        load(s, x->q, v, lam, up);
        v[k] -= 2 * STEP;
        load(s, x->q, v, lam, down);
        for (int i = 0; i < s->nv; i++) {
            double slope = (up[i] - down[i]) / (2 * STEP);
            CHECK_NEAR(slope, D[s->nv * i + k], DIFFERENCES * D_scale);
        }
    }
    return 0;
}

static inline int rates_are_those_of_the_tree(const subject *s)
{
    double dq[2 * MOST], tree[2 * MOST];
    FUNCTION(s, rates_function, "rates")(s->ex->q, s->ex->v, dq);
    s->t->ops->components->rate(s->t, s->tx->q, s->tx->v, tree);
    turn_signs(s, true, tree);
    for (int i = 0; i < s->nq; i++) CHECK_NEAR(dq[i], tree[i], 1e-14 * largest(s->nq, tree));
    return 0;
}

static inline int states_are_those_of_the_tree(const subject *s)
{
    const flx_state *x = s->ex;
    double dx[MOST];
    if (s->m->nstate == 0) return 0;
    FUNCTION(s, states_function, "states")(s->time, s->p, x->q, x->v, x->x, dx);
    for (int i = 0; i < s->m->nstate; i++) CHECK_NEAR(dx[i], x->dx[i], 1e-13 * (1 + fabs(dx[i])));
    return 0;
}

// ---- files --------------------------------------------------------------------------------------

static inline int export_as(const flx_model *m, int number, const char *folder,
                            const char *functions)
{
    char name[16], path[128];
    snprintf(name, sizeof name, "m%d", number);
    snprintf(path, sizeof path, "%s/m%d.c", folder, number);
    const flx_export_options o = {.language = FLX_EXPORT_C, .name = name, .functions = functions};
    flx_status status = flx_model_export(m, &o, path);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(m->ctx, 0)->text);
    return status != FLX_OK;
}

// In one piece, which is quicker. NULL: it does not compile without a warning.
static inline void *compile_all(const char *folder)
{
    char text[512];
    snprintf(text, sizeof text,
             "cd %s && cat m*.c > all.c && " FLX_COMPILER
             " -std=c99 -Wall -Wextra -pedantic -Werror -O0 -fPIC -shared all.c -o all.so -lm",
             folder);
    if (system(text) != 0) return NULL;
    snprintf(text, sizeof text, "%s/all.so", folder);
    return dlopen(text, RTLD_NOW);
}

static inline int remove_folder(const char *folder)
{
    char text[256];
    snprintf(text, sizeof text, "rm -r %s", folder);
    return system(text);
}

// Of a model with states and without loops: by the states, and of their rates.
static inline int states_have_derivatives(subject *s)
{
    flx_state *x = s->ex;
    static double K[MOST * MOST], D[MOST * MOST], Kx[MOST * MOST], Xq[MOST * MOST];
    static double Xv[MOST * MOST], Xx[MOST * MOST];
    int nx = s->m->nstate;
    double up[2][MOST], down[2][MOST], q[2 * MOST], keep;
    if (nx == 0) return 0;
    states_function *states = FUNCTION(s, states_function, "states");
    FUNCTION(s, state_linear_function, "linearise")
    (s->time, s->p, x->q, x->v, x->x, x->a, K, D, Kx, Xq, Xv, Xx);
    for (int k = 0; k < nx; k++) {
        keep = x->x[k];
        x->x[k] = keep + STEP;
        load(s, x->q, x->v, NULL, up[0]);
        states(s->time, s->p, x->q, x->v, x->x, up[1]);
        x->x[k] = keep - STEP;
        load(s, x->q, x->v, NULL, down[0]);
        states(s->time, s->p, x->q, x->v, x->x, down[1]);
        x->x[k] = keep;
        for (int i = 0; i < s->nv; i++) {
            CHECK_NEAR((up[0][i] - down[0][i]) / (2 * STEP), Kx[nx * i + k], DIFFERENCES);
        }
        for (int i = 0; i < nx; i++) {
            CHECK_NEAR((up[1][i] - down[1][i]) / (2 * STEP), Xx[nx * i + k], DIFFERENCES);
        }
    }
    for (int k = 0; k < s->nv; k++) {
        move(s, x->q, k, STEP, q);
        states(s->time, s->p, q, x->v, x->x, up[0]);
        move(s, x->q, k, -STEP, q);
        states(s->time, s->p, q, x->v, x->x, down[0]);
        keep = x->v[k];
        x->v[k] = keep + STEP;
        states(s->time, s->p, x->q, x->v, x->x, up[1]);
        x->v[k] = keep - STEP;
        states(s->time, s->p, x->q, x->v, x->x, down[1]);
        x->v[k] = keep;
        for (int i = 0; i < nx; i++) {
            CHECK_NEAR((up[0][i] - down[0][i]) / (2 * STEP), Xq[s->nv * i + k], DIFFERENCES);
            CHECK_NEAR((up[1][i] - down[1][i]) / (2 * STEP), Xv[s->nv * i + k], DIFFERENCES);
        }
    }
    return 0;
}
