// test_delivery.c - adaptive methods deliver: the error at the end stays within a factor of the
// tolerance times the problem's own amplification.
//
// The amplification is measured: at several times of a tight run the state is moved by 1e-6 of the
// size of its positions and velocities, put back on its constraints and carried on to the end; the
// largest departure there over 1e-6 is what an error made on the way grows to. With FLX_LONG every
// decade of tolerances is asked, and the beam has more links: sixteen, for the published forty take
// minutes a tolerance with every method; test_beam.c asks those of some.
#include "beam_text.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "simulate/simulation_parts.h"

#include <stdlib.h>

#define MOVE 1e-6
#ifdef FLX_LONG
#define PLACES 8
#define DIRECTIONS 1
#define MOST_STEPS 100000
#define MOST_FIRST_STEPS 4000000 // the car axis by implicit Euler at 1e-3 takes 2.3 million
#define MOST_FIRST_STIFF_STEPS MOST_FIRST_STEPS
#define MOST_ROD_STEPS MOST_STEPS
#define LINKS 16
static const double tight_tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
static const double loose_tolerances[] = {1e-3, 1e-4, 1e-5};
static const double stiff_tolerances[] = {1e-3, 1e-4};
static const double first_tolerances[] = {1e-1, 1e-2, 1e-3};
#define FIRST_OF_CAR_AXIS 3
#else
#define PLACES 6
#define DIRECTIONS 1
#define MOST_STEPS 40000
#define MOST_FIRST_STEPS 1000000
#define MOST_FIRST_STIFF_STEPS 40000 // where Euler gives up: the implicit one takes fewer
#define MOST_ROD_STEPS 6000          // where all explicit methods do
#define LINKS 8
static const double tight_tolerances[] = {1e-3, 1e-6, 1e-10};
static const double loose_tolerances[] = {1e-3, 1e-4};
static const double stiff_tolerances[] = {1e-3, 1e-4};
static const double first_tolerances[] = {1e-1, 3e-2, 1e-2};
#define FIRST_OF_CAR_AXIS 2 // the last takes a million steps
#endif
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// ---- amplification ------------------------------------------------------------------------------

static int ignore(void *user, const flx_state *x)
{
    (void)user;
    (void)x;
    return 0;
}

static flx_status advance(const flx_system *s, const flx_integrator_def *d, flx_state *x, double t)
{
    flx_integrator *it = NULL;
    flx_status status = flx_integrator_create(s, d, &it);
    if (status == FLX_OK) {
        flx_schedule schedule = {.until = t};
        status = flx_integrate(it, x, &schedule, ignore, NULL);
    }
    flx_integrator_destroy(&it);
    return status;
}

static double largest(int n, const double *x)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

// A number of [-1, 1] that is always the same.
static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

static flx_status move(const flx_system *s, unsigned *seed, double size_q, double size_v,
                       flx_state *x, double *theta)
{
    for (int i = 0; i < s->dims.nv; i++) {
        theta[i] = MOVE * size_q * random_number(seed);
        x->v[i] += MOVE * size_v * random_number(seed);
    }
    s->ops->retract(s, x->q, theta, x->q);
    for (int i = 0; i < s->dims.nx; i++) x->x[i] *= 1.0 + MOVE * random_number(seed);
    FLX_TRY(flx_start_positions(s, x, NULL, NULL));
    FLX_TRY(flx_start_velocities(s, x, NULL, NULL));
    return flx_start_accelerations(s, x);
}

typedef struct course {
    flx_state *at[PLACES + 1];
    double size_q, size_v, *theta;
} course;

// The tight run, kept at PLACES times and at the end.
static flx_status follow(const flx_simulation *sim, const flx_integrator_def *d, course *c)
{
    const flx_system *s = sim->sys;
    for (int k = 0; k <= PLACES; k++) {
        FLX_TRY(flx_state_create(s, &c->at[k]));
        flx_state_copy(c->at[k], k == 0 ? sim->start : c->at[k - 1]);
        if (k > 0) FLX_TRY(advance(s, d, c->at[k], sim->until * k / PLACES));
        c->size_q = fmax(c->size_q, largest(s->dims.nq, c->at[k]->q));
        c->size_v = fmax(c->size_v, largest(s->dims.nv, c->at[k]->v));
    }
    return FLX_OK;
}

static flx_status amplify(const flx_simulation *sim, const flx_integrator_def *d, course *c,
                          double *out)
{
    const flx_system *s = sim->sys;
    unsigned seed = 1;
    for (int k = 0; k < PLACES * DIRECTIONS; k++) {
        flx_state_copy(sim->state, c->at[k / DIRECTIONS]);
        FLX_TRY(move(s, &seed, c->size_q, c->size_v, sim->state, c->theta));
        FLX_TRY(advance(s, d, sim->state, sim->until));
        s->ops->difference(s, c->at[PLACES]->q, sim->state->q, c->theta);
        *out = fmax(*out, largest(s->dims.nv, c->theta) / (MOVE * c->size_q));
    }
    return FLX_OK;
}

// Of positions at the end, as parts of the largest one, per unit of such a part on the way.
static double amplification(const flx_model *model, const char *tight)
{
    flx_simulation *sim = NULL;
    flx_integrator_def d = flx_integrator_def_default();
    course c = {.size_q = 0.0};
    double out = 0.0;
    flx_status status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) status = flx_method_read(sim->ctx, tight, &d);
    d.rtol = 1e-3 * MOVE; // three digits of what a move grows to
    d.atol = 1e-5 * MOVE;
    if (status == FLX_OK) {
        c.theta = calloc((size_t)sim->sys->dims.nv + 1, sizeof *c.theta);
        status = follow(sim, &d, &c);
    }
    if (status == FLX_OK) status = amplify(sim, &d, &c, &out);
    for (int k = 0; k <= PLACES; k++) flx_state_destroy(&c.at[k]);
    free(c.theta);
    flx_simulation_destroy(&sim);
    return status == FLX_OK ? out : (double)NAN;
}

// ---- delivery -----------------------------------------------------------------------------------

typedef struct problem {
    const char *name;
    const char *tight; // the method of the amplification
    double factor;     // of tolerance and amplification
    bool stiff;
    int first;       // tolerances of methods of first order
    long most_steps; // of the others
} problem;

#define MOST_METHODS 32

// Adaptive methods of first order, of second, or of a higher one: 3.
static int list_methods(int order, const char **words)
{
    int n = 0;
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++) {
        if ((*t)->adaptive && ((*t)->order < 3 ? (*t)->order : 3) == order) words[n++] = (*t)->name;
    }
    if (order < 3) return n;
    words[n++] = "radau(formulation=index-3)";
    words[n++] = "radau(stages=5)";
    words[n++] = "radau(stages=7)";
    return n;
}

// An explicit method, or one whose iteration is explicit, gives up on a stiff system instead of
// delivering something else.
static bool may_give_up(const char *word, flx_status status)
{
    return status == FLX_TOO_MANY_STEPS &&
           (strcmp(word, "dopri5") == 0 || strcmp(word, "dop853") == 0 ||
            strcmp(word, "adams") == 0 || strcmp(word, "euler") == 0);
}

static int judge(const flx_study *s, const char *const *words, const problem *p, double amplified)
{
    int failed = 0;
    double doubt = flx_study_reference_error(s, 0);
    for (int i = 0; i < flx_study_rows(s); i++) {
        const flx_study_row *r = flx_study_get(s, i);
        if (r->status == FLX_ERR_CANNOT || r->status == FLX_ERR_ARGUMENT)
            continue; // refused by name
        if (may_give_up(words[r->method], r->status)) continue;
        double allowed = p->factor * r->value * fmax(amplified, 1.0) + 3.0 * doubt;
        if (r->status == FLX_OK && r->at_end[0] <= allowed) continue;
        printf("  %s, %s, rtol %.0e: error %.2e, %.3g times tolerance and amplification; %s\n",
               p->name, words[r->method], r->value, r->at_end[0],
               r->at_end[0] / (r->value * fmax(amplified, 1.0)), r->reason);
        failed = 1;
    }
    return failed;
}

static int study(const flx_model *model, int order, const problem *p, double amplified)
{
    const char *words[MOST_METHODS];
    // a method of second order takes a hundred thousand steps of a stiff system for 1e-5
    int loose = p->stiff ? COUNT(stiff_tolerances) : COUNT(loose_tolerances);
    const int counts[] = {p->first, loose, COUNT(tight_tolerances)};
    const double *const tolerances[] = {
        first_tolerances, p->stiff ? stiff_tolerances : loose_tolerances, tight_tolerances};
    const long most_first = p->stiff ? MOST_FIRST_STIFF_STEPS : MOST_FIRST_STEPS;
    flx_study_def def = {.nmethod = list_methods(order, words),
                         .methods = words,
                         .ntolerance = counts[order - 1],
                         .tolerances = tolerances[order - 1],
                         .max_steps = order > 1 ? p->most_steps : most_first,
                         .repeats = -1};
    flx_study *s = NULL;
    flx_status status = flx_study_run(model, &def, NULL, NULL, &s);
    if (status != FLX_OK) printf("  %s: no study\n", p->name);
    int failed = status != FLX_OK || judge(s, words, p, amplified);
    flx_study_destroy(&s);
    return failed;
}

static int deliver(flx_model *model, const problem *p)
{
    double amplified = amplification(model, p->tight);
    CHECK(amplified > 0.0);
    printf("  %s: errors on the way grow to %.3g times\n", p->name, amplified);
    int failed = 0;
    for (int order = 1; order <= 3; order++) failed += study(model, order, p, amplified);
    return failed;
}

static int deliver_file(const problem *p)
{
    char path[300];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", FLX_EXAMPLES, p->name);
    flx_status status = flx_model_read(ctx, path, 0, NULL, &model);
    int failed = status != FLX_OK || deliver(model, p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return failed;
}

static int deliver_free(const char *file, const char *tight, double factor)
{
    return deliver_file(&(problem){.name = file,
                                   .tight = tight,
                                   .factor = factor,
                                   .first = COUNT(first_tolerances),
                                   .most_steps = MOST_STEPS});
}

static int andrews_is_delivered(void)
{
    return deliver_free("andrews_equations", "radau(stages=5)", 1000.0) +
           deliver_free("andrews_squeezer", "radau(stages=5)", 1000.0);
}

static int car_axis_is_delivered(void)
{
    return deliver_file(
        &(problem){"car_axis", "radau(stages=5)", 30.0, false, FIRST_OF_CAR_AXIS, MOST_STEPS});
}

static int pleiades_are_delivered(void)
{
    return deliver_free("pleiades", "dop853", 30.0);
}

static int two_bodies_are_delivered(void)
{
    return deliver_free("two_body", "dop853", 30.0);
}

static int damped_systems_are_delivered(void)
{
    return deliver_file(&(problem){"sleigh", "radau(stages=5)", 30.0, true, COUNT(first_tolerances),
                                   MOST_STEPS}) +
           deliver_file(&(problem){"rod_pendulum", "radau(stages=5)", 30.0, true,
                                   COUNT(first_tolerances), MOST_ROD_STEPS});
}

// ---- the inextensible beam ----------------------------------------------------------------------

static int inextensible_beam_is_delivered(void)
{
    const problem p = {"beam", "radau(stages=5)", 30.0, true, COUNT(first_tolerances), MOST_STEPS};
    char *text = beam_text(LINKS, "until: 5");
    CHECK(text != NULL);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_status status = flx_model_read_text(ctx, "beam", text, strlen(text), 0, NULL, &model);
    int failed = status != FLX_OK || deliver(model, &p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    free(text);
    return failed;
}

TEST_MAIN(TEST(andrews_is_delivered), TEST(car_axis_is_delivered), TEST(pleiades_are_delivered),
          TEST(two_bodies_are_delivered), TEST(damped_systems_are_delivered),
          TEST(inextensible_beam_is_delivered))
