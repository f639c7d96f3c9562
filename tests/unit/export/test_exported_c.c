// Exported C: compiled without Flexion and without a warning, it gives the accelerations, efforts
// and closures of the tree on random mechanisms, and derivatives that are derivatives.
#include "check.h"
#include "flexion/export.h"
#include "random_tree.h"
#include "system/tree_parts.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define MECHANISMS 200
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
typedef void rates_function(const double *q, const double *v, double *dq);

// ---- one mechanism ------------------------------------------------------------------------------

typedef struct subject {
    mechanism k;
    flx_system *d, *t;
    flx_state *dx, *tx;
    flx_work *tw;
    int number, nv, nq, nrow;
    void *library;
} subject;

static void subject_close(subject *s)
{
    if (s->tw) s->t->ops->work_destroy(s->tw);
    flx_state_destroy(&s->dx);
    flx_state_destroy(&s->tx);
    flx_system_destroy(&s->t);
    flx_system_destroy(&s->d);
    mechanism_free(&s->k);
}

// The first half without loops.
static int subject_open(subject *s, int number)
{
    *s = (subject){.number = number};
    int dimension = number % 3 == 0 ? 2 : 3;
    if (number > MECHANISMS / 2) {
        random_loops(&s->k, dimension, 3000 + (uint64_t)number);
    } else {
        random_tree(&s->k, dimension, 3000 + (uint64_t)number);
    }
    if (number % 2 == 0) random_forces(&s->k);
    CHECK(flx_descriptor_create(&s->k.m, NULL, &s->d) == FLX_OK);
    CHECK(flx_state_create(s->d, &s->dx) == FLX_OK);
    CHECK(flx_descriptor_draw(s->d, s->dx) == FLX_OK);
    CHECK(flx_tree_create(&s->k.m, s->d, s->dx, 0, &s->t) == FLX_OK);
    CHECK(flx_state_create(s->t, &s->tx) == FLX_OK);
    s->tw = s->t->ops->work_create(s->t);
    CHECK(s->tw);
    s->nv = s->t->dims.nv;
    s->nq = s->t->dims.nq;
    s->nrow = s->t->dims.nlam + s->t->dims.nmu;
    CHECK(s->nv <= MOST && s->nrow <= MOST);
    return flx_tree_from_bodies(s->t, s->dx, s->tx) != FLX_OK;
}

static void *find(const subject *s, const char *function)
{
    char name[64];
    snprintf(name, sizeof name, "m%d_%s", s->number, function);
    return dlsym(s->library, name);
}
#define FUNCTION(s, type, name) ((type *)(uintptr_t)find(s, name))

static double largest(int n, const double *x)
{
    double most = 1.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// A state that meets the closures, with accelerations. False: the closures depend on each other.
static bool set_state(subject *s)
{
    const flx_explicit *e = s->t->ops->explicit_form;
    static double z[512], dz[512];
    double moved_q, moved_v;
    if (s->nrow == 0) {
        random_motion(&s->k, &flx_tree_of(s->t)->t, s->tx->q, s->tx->v);
    } else {
        random_vector(&s->k.seed, s->nv, 1.5, s->tx->v);
    }
    e->pack(s->t, s->tx, z);
    if (e->project(s->t, s->tw, 0.0, z, s->tx, &moved_q, &moved_v) != FLX_OK) return false;
    if (e->rate(s->t, s->tw, 0.0, z, s->tx, dz) != FLX_OK) return false;
    return largest(s->nv, s->tx->a) < 1e3;
}

// ---- comparisons --------------------------------------------------------------------------------

static int forward_is_that_of_the_tree(const subject *s)
{
    const flx_state *x = s->tx;
    double a[MOST], lam[MOST], tolerance = s->nrow > 0 ? 1e-12 : 1e-13;
    if (s->nrow > 0) {
        CHECK(FUNCTION(s, closed_function, "forward")(0, NULL, x->q, x->v, NULL, NULL, a, lam) == 0);
    } else {
        FUNCTION(s, forward_function, "forward")(0, NULL, x->q, x->v, NULL, NULL, a);
    }
    double scale = largest(s->nv, x->a);
    for (int i = 0; i < s->nv; i++) CHECK_NEAR(a[i], x->a[i], tolerance * scale);
    return 0;
}

// At any accelerations, forces of the closures apart.
static int inverse_is_the_residual(subject *s)
{
    flx_state *x = s->tx;
    double keep[MOST], tau[MOST], with[MOST], zero[MOST] = {0}, M[MOST * MOST], r[512];
    inverse_function *inverse = FUNCTION(s, inverse_function, "inverse");
    memcpy(keep, x->a, (size_t)s->nv * sizeof *keep);
    random_vector(&s->k.seed, s->nv, 3.0, x->a);
    memset(x->lam, 0, (size_t)s->t->dims.nlam * sizeof *x->lam);
    memset(x->mu, 0, (size_t)s->t->dims.nmu * sizeof *x->mu);
    flx_point at = flx_state_point(s->t, x);
    CHECK(s->t->ops->residual(s->t, s->tw, &at, r) == FLX_OK);
    inverse(0, NULL, x->q, x->v, NULL, x->a, tau);
    double scale = largest(s->nv, r);
    for (int i = 0; i < s->nv; i++) CHECK_NEAR(tau[i], r[i], 1e-13 * scale);
    FUNCTION(s, mass_function, "mass")(NULL, x->q, M);
    inverse(0, NULL, x->q, x->v, NULL, zero, with);
    for (int i = 0; i < s->nv; i++) {
        for (int k = 0; k < s->nv; k++) with[i] += M[s->nv * i + k] * x->a[k];
        CHECK_NEAR(with[i], tau[i], 1e-13 * scale);
    }
    memcpy(x->a, keep, (size_t)s->nv * sizeof *keep);
    return 0;
}

static void move(const subject *s, const double *q, int k, double by, double *out)
{
    double theta[MOST] = {0};
    theta[k] = by;
    s->t->ops->retract(s->t, q, theta, out);
}

#define STEP 1e-5
#define DIFFERENCES 2e-8 // of differences with that step, relative

static int closures_are_derivatives(const subject *s)
{
    const flx_state *x = s->tx;
    double g[3][MOST], gd[3][MOST], G[3][MOST * MOST], bias[3][MOST], q[2 * MOST];
    state_function *closures = FUNCTION(s, state_function, "closures");
    if (s->nrow == 0) return 0;
    closures(0, NULL, x->q, x->v, NULL, g[0], gd[0], G[0], bias[0]);
    for (int i = 0; i < s->nrow; i++) {
        double sum = 0.0;
        CHECK_NEAR(g[0][i], 0.0, 1e-12);
        for (int k = 0; k < s->nv; k++) sum += G[0][s->nv * i + k] * x->v[k];
        CHECK_NEAR(sum, gd[0][i], 1e-12 * largest(s->nv, x->v));
    }
    for (int k = 0; k < s->nv; k++) {
        for (int side = 1; side <= 2; side++) {
            move(s, x->q, k, side == 1 ? STEP : -STEP, q);
            closures(0, NULL, q, x->v, NULL, g[side], gd[side], G[side], bias[side]);
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
        closures(0, NULL, q, x->v, NULL, g[side], gd[side], G[side], bias[side]);
    }
    for (int i = 0; i < s->nrow; i++) {
        double slope = (gd[1][i] - gd[2][i]) / (2 * STEP);
        CHECK_NEAR(slope, bias[0][i], 10 * DIFFERENCES * largest(s->nrow, bias[0]));
    }
    return 0;
}

// inverse + G^T lam
static void load(const subject *s, const double *q, const double *v, const double *lam, double *out)
{
    FUNCTION(s, inverse_function, "inverse")(0, NULL, q, v, NULL, s->tx->a, out);
    if (s->nrow == 0) return;
    double g[MOST], gd[MOST], G[MOST * MOST], bias[MOST];
    FUNCTION(s, state_function, "closures")(0, NULL, q, v, NULL, g, gd, G, bias);
    for (int i = 0; i < s->nrow; i++) {
        for (int k = 0; k < s->nv; k++) out[k] += G[s->nv * i + k] * lam[i];
    }
}

static int linearisation_is_a_derivative(subject *s)
{
    const flx_state *x = s->tx;
    static double K[MOST * MOST], D[MOST * MOST];
    double lam[MOST], up[MOST], down[MOST], q[2 * MOST], v[MOST];
    random_vector(&s->k.seed, s->nrow, 2.0, lam);
    if (s->nrow > 0) {
        FUNCTION(s, closed_linear_function, "linearise")(0, NULL, x->q, x->v, NULL, x->a, lam, K, D);
    } else {
        FUNCTION(s, linear_function, "linearise")(0, NULL, x->q, x->v, NULL, x->a, K, D);
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

static int rates_are_those_of_the_tree(const subject *s)
{
    double dq[2 * MOST], tree[2 * MOST];
    FUNCTION(s, rates_function, "rates")(s->tx->q, s->tx->v, dq);
    s->t->ops->components->rate(s->t, s->tx->q, s->tx->v, tree);
    for (int i = 0; i < s->nq; i++) CHECK_NEAR(dq[i], tree[i], 1e-14 * largest(s->nq, tree));
    return 0;
}

// ---- all of them --------------------------------------------------------------------------------

static char folder[] = "/tmp/flexion_export_XXXXXX";

static int run(const char *format, const char *what)
{
    char command[512];
    snprintf(command, sizeof command, format, what, what, what);
    return system(command);
}

// Every eighth is linearised: that is most of the text.
static bool is_linearised(int number)
{
    return number % 8 == 0;
}

static int export_all(void)
{
    for (int i = 1; i <= MECHANISMS; i++) {
        subject s;
        char name[16], path[64];
        CHECK(subject_open(&s, i) == 0);
        if (s.nv == 0) {
            subject_close(&s);
            continue;
        }
        snprintf(name, sizeof name, "m%d", i);
        snprintf(path, sizeof path, "%s/m%d.c", folder, i);
        flx_export_options o = {.language = FLX_EXPORT_C, .name = name};
        if (!is_linearised(i)) o.functions = "forward,inverse,mass,closures,rates";
        flx_status status = flx_model_export(&s.k.m, &o, path);
        if (status != FLX_OK) printf("%s\n", flx_ctx_error(s.k.ctx, 0)->text);
        CHECK(status == FLX_OK);
        subject_close(&s);
    }
    CHECK(run("cd %s && " FLX_COMPILER " -std=c99 -Wall -Wextra -pedantic -Werror -O0 -fPIC -shared"
              " m*.c -o all.so -lm",
              folder) == 0);
    return 0;
}

static int exported_code_is_the_tree(void)
{
    int compared = 0, closed = 0;
    char path[64];
    CHECK(mkdtemp(folder));
    CHECK(export_all() == 0);
    snprintf(path, sizeof path, "%s/all.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library);
    for (int i = 1; i <= MECHANISMS; i++) {
        subject s;
        CHECK(subject_open(&s, i) == 0);
        s.library = library;
        if (s.nv == 0 || !set_state(&s)) {
            subject_close(&s);
            continue;
        }
        int bad = forward_is_that_of_the_tree(&s) || inverse_is_the_residual(&s) ||
                  closures_are_derivatives(&s) || rates_are_those_of_the_tree(&s) ||
                  (is_linearised(i) && linearisation_is_a_derivative(&s));
        if (bad) printf("mechanism %d\n", i);
        CHECK(!bad);
        compared++;
        closed += s.nrow > 0;
        subject_close(&s);
    }
    dlclose(library);
    CHECK(run("rm -r %s", folder) == 0);
    printf("%d mechanisms, %d with loops\n", compared, closed);
    CHECK(compared >= 180 && closed >= 50);
    return 0;
}

TEST_MAIN(TEST(exported_code_is_the_tree))
