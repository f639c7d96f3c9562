// test_terms.c - every term of the descriptor system alone: its tangent is the derivative of its residual, its masses are those of
// the tangent, its momentum is that of the masses, and what it stores is the work of its forces. A term that no model here has
// fails.
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include "check.h"
#include "random_number.h"

#include "descriptor/descriptor_parts.h"

#include <stdlib.h>

// ---- models -------------------------------------------------------------------------------------

static const char forces[] =
    "flexion: 1\ngravity: [1, 2, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], com: [0.4, 0.1, 0]}\n"
    "  b: {type: rigid, mass: 2, inertia: [2, 1.5, 1], position: [1, 0.3, 0], com: [0.2, 0, 0.3]}\n"
    "  c: {type: point, mass: 1.5, position: [1, 2, 0]}\n"
    "forces:\n"
    "  s: {type: spring, on: [b, c], at: [b, c], stiffness: 100, damping: 3, length: 1}\n"
    "  z: {type: spring, on: [a, c], at: [a, c], stiffness: 10, damping: 2, length: 0}\n"
    "  k: {type: bushing, on: [a, b], at: b, stiffness: [10, 20, 30, 4, 5, 6],\n"
    "      damping: [1, 2, 3, 0.4, 0.5, 0.6]}\n"
    "  u: {type: spring, on: [a, b], at: [a, b], stiffness: 1e3, length: 1, form: mixed}\n"
    "  g: {type: gravitation, G: 2}\n"
    "  e: {type: expression, on: b, at: b, force: [x*a.position.y, c.velocity.x, 0],\n"
    "      torque: [0, x^2, b.angular_velocity.z]}\n"
    "equations:\n"
    "  second_order: {x: {mass: 2 + x^2, force: -x*c.position.z}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n";

// Beyond their limits.
static const char stops[] =
    "flexion: 1\ngravity: [1, 2, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], com: [0.4, 0.1, 0]}\n"
    "  b: {type: rigid, mass: 2, inertia: [2, 1.5, 1], position: [1, 0.3, 0], com: [0.2, 0, 0.3]}\n"
    "  c: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [1, 1, 0.5]}\n"
    "joints:\n"
    "  r: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [1, 2, 0.5],\n"
    "      limits: {upper: -0.3, stiffness: 20, damping: 0.4}}\n"
    "  y: {type: cylindrical, on: [a, b], at: b, axis: [1, 2, 0.5],\n"
    "      limits: [{coordinate: angle, lower: 0.4, stiffness: 10, exponent: 2, damping: 0.1},\n"
    "               {lower: 0.3, upper: 0.6, stiffness: 30, exponent: 1, damping: 0.2}]}\n"
    "  u: {type: universal, on: [b, c], at: b, axes: [[1, 0, 0], [0.3, 1, 0.2]],\n"
    "      limits: [{coordinate: first, upper: -0.3, stiffness: 15, exponent: 3},\n"
    "               {coordinate: second, lower: 0.2, stiffness: 12, damping: 0.3}]}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n";
static const char stops_in_plane[] =
    "flexion: 1\ndimension: 2\ngravity: [1, 2]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: 1, position: [0, 0], com: [0.4, 0.1]}\n"
    "  b: {type: rigid, mass: 2, inertia: 2, position: [1, 0.3], com: [0.2, 0]}\n"
    "joints:\n"
    "  r: {type: revolute, on: [ground, a], at: [0, 0],\n"
    "      limits: {upper: -0.3, stiffness: 20, damping: 0.4}}\n"
    "  y: {type: prismatic, on: [a, b], at: b, axis: [1, 2],\n"
    "      limits: {lower: 0.3, upper: 0.6, stiffness: 30, exponent: 2, damping: 0.2}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n";

#define BEAM(formulation)                                                                          \
    "flexion: 1\ngravity: [1, 2, -9.81]\n"                                                         \
    "bodies:\n"                                                                                    \
    "  r: {type: beam, from: [0, 0, 0], to: [1, 0.5, 0], elements: 3, formulation: " formulation   \
    ",\n"                                                                                          \
    "      damping: {rayleigh: [0.3, 0.02]},\n"                                                    \
    "      section: {EA: 1e3, GA: 4e2, EI: 20, GJ: 10, mass: 1.3, inertia: [0.2, 0.1, 0.1]}}\n"    \
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n"

static const char exact[] = BEAM("geometrically-exact"), segments[] = BEAM("segments"),
                  cable[] = "flexion: 1\ngravity: [1, 2, -9.81]\n"
                            "bodies:\n"
                            "  r: {type: beam, from: [0, 0, 0], to: [1, 0.5, 0], elements: 3,\n"
                            "      formulation: ancf-cable, damping: {rayleigh: [0.3, 0.02]},\n"
                            "      section: {EA: 1e3, EI: 20, mass: 1.3}}\n"
                            "simulate: {until: 1, method: radau, rtol: 1e-6}\n";

// Everything touches everything.
static const char touch[] =
    "flexion: 1\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [0, 0, 0.8], com: [0.4, 0.1, 0],\n"
    "      surface: [{sphere: 1}, {sphere: 0.4, at: [0.2, 0.1, -0.9]}]}\n"
    "  b: {type: rigid, mass: 2, inertia: [2, 1.5, 1], position: [1.2, 0.3, 0.7], com: [0.2, 0, "
    "0.3],\n"
    "      surface: {sphere: 0.9, at: [0.1, 0, 0.1]}}\n"
    "  c: {type: point, mass: 1.5, position: [0.3, 1.1, 0.2], surface: {sphere: 0.5}}\n"
    "forces:\n"
    "  h: {type: contact, on: [a, b], law: hertz, stiffness: 30}\n"
    "  r: {type: contact, on: [b, c], law: hunt-crossley, stiffness: 20, restitution: 0.6,\n"
    "      friction: {coefficient: 0.4, velocity: 0.3}}\n"
    "  l: {type: contact, on: [a, c], law: penalty, stiffness: 10, damping: 2}\n"
    "  g: {type: contact, among: [ground, a, b, c], ground: {plane: [0.2, -0.1, 1]}, law: "
    "penalty,\n"
    "      stiffness: 10, exponent: 2, damping: 2, damping_exponent: 1,\n"
    "      friction: {coefficient: 0.3, velocity: 0.5, rolling: 0.2, spinning: 0.4}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n";

static const char touch2[] =
    "flexion: 1\ndimension: 2\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: 2, position: [0, 0.8], com: [0.4, 0.1],\n"
    "      surface: [{sphere: 1}, {plane: [0.6, -0.8], at: [-0.2, 0.3]}]}\n"
    "  b: {type: rigid, mass: 2, inertia: 1.5, position: [1.2, 0.3], orientation: 0.4,\n"
    "      surface: {sphere: 0.9, at: [0.1, 0.2]}}\n"
    "  c: {type: point, mass: 1.5, position: [0.3, 0.1], surface: {sphere: 0.5}}\n"
    "forces:\n"
    "  g: {type: contact, among: [ground, b, c], law: flores, stiffness: 10, restitution: 0.5,\n"
    "      friction: {coefficient: 0.3, velocity: 0.5, rolling: 0.2}}\n"
    "  h: {type: contact, on: [a, b], law: hunt-crossley, exponent: 2.2, stiffness: 30, damping: "
    "0.3}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n";

// Lines of beams with each other, a ball and a capsule.
#define LINES(formulation)                                                                         \
    "flexion: 1\n"                                                                                 \
    "bodies:\n"                                                                                    \
    "  r: {type: beam, from: [0, 0, 0], to: [1, 0.5, 0], elements: 2, formulation: " formulation   \
    ",\n"                                                                                          \
    "      surface: {line: true, round: 0.2},\n"                                                   \
    "      section: {EA: 1e3, GA: 4e2, EI: 20, GJ: 10, mass: 1.3, inertia: [0.2, 0.1, 0.1]}}\n"    \
    "  s: {type: beam, from: [0.3, -0.5, 0.1], to: [0.6, 0.7, 0.35], elements: 2,\n"               \
    "      surface: {line: true, round: 0.15},\n"                                                  \
    "      section: {EA: 1e3, GA: 4e2, EI: 20, GJ: 10, mass: 1.3, inertia: [0.2, 0.1, 0.1]}}\n"    \
    "  a: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [0.2, 0.2, 0.4], com: [0.1, 0.1, "  \
    "0],\n"                                                                                        \
    "      surface: [{sphere: 0.3, at: [0.1, 0, 0]}, {capsule: {radius: 0.1, length: 0.6,\n"       \
    "      axis: [0.1, 1, 0.2]}, at: [0.7, 0.3, -0.2]}]}\n"                                        \
    "forces:\n"                                                                                    \
    "  h: {type: contact, among: [r, s, a], law: hertz, stiffness: 30,\n"                          \
    "      friction: {coefficient: 0.4, velocity: 0.3}}\n"                                         \
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n"

static const char lines[] = LINES("geometrically-exact"), lines_ancf[] = LINES("ancf"),
                  lines_segments[] = LINES("segments"),
                  lines2[] =
                      "flexion: 1\ndimension: 2\n"
                      "bodies:\n"
                      "  r: {type: beam, from: [0, 0], to: [1, 0.5], elements: 2,\n"
                      "      surface: {line: true, round: 0.2},\n"
                      "      section: {EA: 1e3, GA: 4e2, EI: 20, mass: 1.3, inertia: 0.2}}\n"
                      "  s: {type: beam, from: [0.4, 0.5], to: [0.3, 1.2], elements: 2,\n"
                      "      formulation: ancf-cable,\n"
                      "      surface: {line: true, round: 0.2}, section: {EA: 1e3, EI: 20, mass: "
                      "1.3}}\n"
                      "  a: {type: rigid, mass: 1, inertia: 2, position: [0.8, 0.0],\n"
                      "      surface: {sphere: 0.3, at: [0.1, 0]}}\n"
                      "forces:\n"
                      "  h: {type: contact, among: [r, s, a], law: hertz,\n"
                      "      stiffness: 30,\n"
                      "      friction: {coefficient: 0.4, velocity: 0.3}}\n"
                      "simulate: {until: 1, method: radau, rtol: 1e-6}\n";

// ---- one model ----------------------------------------------------------------------------------

typedef struct trial {
    flx_system *s;
    const flx_descriptor *d;
    flx_descriptor_work *w;
    flx_state *x, *y;
    int n, nvalue; // rows and numbers, with those of attached frames
    double *r, *slope, *theta;
    flx_blocks b;
    double *A2;
} trial;

static double *numbers(int n)
{
    return calloc((size_t)n, sizeof(double));
}

// spread: how far from where it is drawn.
static int open_trial(const flx_model *m, double spread, trial *t)
{
    uint64_t random = 5;
    CHECK(flx_descriptor_create(m, NULL, &t->s) == FLX_OK);
    t->d = flx_descriptor_of(t->s);
    t->w = flx_descriptor_work_of(t->s->ops->work_create(t->s));
    CHECK(t->w);
    CHECK(flx_state_create(t->s, &t->x) == FLX_OK);
    CHECK(flx_state_create(t->s, &t->y) == FLX_OK);
    CHECK(flx_descriptor_draw(t->s, t->x) == FLX_OK);
    t->n = flx_dims_unknowns(&t->s->dims) + flx_attached_rows(t->d);
    t->nvalue = t->d->nvalue;
    t->r = numbers(t->n), t->slope = numbers(t->n), t->theta = numbers(t->n);
    t->b = (flx_blocks){numbers(t->nvalue), numbers(t->nvalue), numbers(t->nvalue)};
    t->A2 = numbers(t->nvalue);
    for (int i = 0; i < t->s->dims.nv; i++) {
        t->theta[i] = spread * random_number(&random);
        t->x->v[i] = random_number(&random);
        t->x->a[i] = random_number(&random);
    }
    t->s->ops->retract(t->s, t->x->q, t->theta, t->x->q); // not where it was drawn
    t->s->ops->events->settle(t->s, &t->w->base, t->x);
    for (int i = 0; i < t->s->dims.nv; i++) t->theta[i] = 50.0 * spread * random_number(&random);
    return 0;
}

static void close_trial(trial *t)
{
    free(t->r), free(t->slope), free(t->theta), free(t->A2);
    free(t->b.A0), free(t->b.A1), free(t->b.A2);
    if (t->w) t->s->ops->work_destroy(&t->w->base);
    flx_state_destroy(&t->x);
    flx_state_destroy(&t->y);
    flx_system_destroy(&t->s);
}

// y = x moved along theta: its positions, velocities or accelerations.
static flx_point moved(trial *t, int which, double h)
{
    int nv = t->s->dims.nv;
    double *step = t->r; // free before a residual
    flx_state_copy(t->y, t->x);
    for (int i = 0; i < nv; i++) {
        step[i] = h * t->theta[i];
        if (which == 1) t->y->v[i] += step[i];
        if (which == 2) t->y->a[i] += step[i];
    }
    if (which == 0) t->s->ops->retract(t->s, t->x->q, step, t->y->q);
    return flx_state_point(t->s, t->y);
}

static void residual(trial *t, const flx_term *term, const flx_point *p, double *r)
{
    p = flx_eval_begin(t->d, t->w, p);
    memset(r, 0, (size_t)t->n * sizeof *r);
    term->residual(t->d, t->w, p, r);
}

static double entry(const trial *t, const double *A, int i, int j)
{
    bool there = flx_layout_entry(t->d, t->d->block_of[i], t->d->block_of[j]) >= 0;
    return there ? A[flx_layout_slot(t->d, i, j)] : 0.0;
}

// The largest difference between A u and out, and the largest of out.
static double off(const trial *t, const double *A, const double *u, const double *out, double *size)
{
    double worst = 0.0;
    for (int i = 0; i < t->s->dims.nv; i++) {
        double sum = 0.0;
        for (int j = 0; j < t->s->dims.nv; j++) sum += entry(t, A, i, j) * u[j];
        worst = fmax(worst, fabs(sum - out[i]));
        *size = fmax(*size, fabs(out[i]));
    }
    return worst;
}

// Differences of fourth order.
#define STEP 3e-5
#define NOISE (1e-15 / STEP) // of what is differentiated
static const struct {
    double at, weight;
} points[] = {{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}};

static int check_tangent(trial *t, const flx_term *term)
{
    const double *const A[3] = {t->b.A0, t->b.A1, t->b.A2};
    flx_point at = flx_state_point(t->s, t->x);
    const flx_point *p = flx_eval_begin(t->d, t->w, &at);
    for (int k = 0; k < 3; k++) memset((double *)A[k], 0, (size_t)t->nvalue * sizeof(double));
    term->linearise(t->d, t->w, p, &t->b);
    for (int which = 0; which < 3; which++) {
        double *slope = t->slope, size = 1.0, most = 0.0;
        memset(slope, 0, (size_t)t->n * sizeof *slope);
        for (int k = 0; k < 4; k++) {
            flx_point there = moved(t, which, points[k].at * STEP);
            residual(t, term, &there, t->r);
            for (int i = 0; i < t->n; i++) slope[i] += points[k].weight * t->r[i] / STEP;
            for (int i = 0; i < t->n; i++) most = fmax(most, fabs(t->r[i]));
        }
        double wrong = off(t, A[which], t->theta, slope, &size);
        CHECK_NEAR(wrong / size, 0.0, 1e-8 + NOISE * most / size);
    }
    return 0;
}

static int check_masses(trial *t, const flx_term *term)
{
    flx_point at = flx_state_point(t->s, t->x);
    const flx_point *p = flx_eval_begin(t->d, t->w, &at);
    double size = 1.0;
    memset(t->A2, 0, (size_t)t->nvalue * sizeof(double));
    term->masses(t->d, t->w, p, t->A2);
    for (int i = 0; i < t->nvalue; i++) CHECK_NEAR(t->A2[i], t->b.A2[i], 1e-13);
    CHECK(term->momentum);
    memset(t->r, 0, (size_t)t->n * sizeof(double));
    term->momentum(t->d, t->w, p, t->r);
    double wrong = off(t, t->A2, t->x->v, t->r, &size);
    CHECK_NEAR(wrong / size, 0.0, 1e-13);
    return 0;
}

static double stored(trial *t, const flx_term *term, double h)
{
    flx_energies e = {0};
    flx_point at = moved(t, 0, h);
    term->energy(t->d, t->w, flx_eval_begin(t->d, t->w, &at), &e);
    return e.potential + e.strain;
}

// At rest the residual is the gradient of what is stored.
static int check_energy(trial *t, const flx_term *term)
{
    size_t n = (size_t)t->s->dims.nv * sizeof(double);
    double work = 0.0, size = 1.0, slope = 0.0, most = 0.0;
    memset(t->x->v, 0, n);
    memset(t->x->a, 0, n);
    flx_point at = flx_state_point(t->s, t->x);
    residual(t, term, &at, t->r);
    for (int i = 0; i < t->s->dims.nv; i++) {
        work += t->r[i] * t->theta[i];
        size = fmax(size, fabs(t->r[i]));
    }
    for (int k = 0; k < 4; k++) {
        double energy = stored(t, term, points[k].at * STEP);
        slope += points[k].weight * energy / STEP;
        most = fmax(most, fabs(energy));
    }
    CHECK_NEAR(slope / size, work / size, 1e-8 + NOISE * most / size);
    return 0;
}

// ---- all terms ----------------------------------------------------------------------------------

static int check_model(flx_ctx *ctx, const char *text, const char *path, double spread, bool *seen)
{
    flx_model *m = NULL;
    flx_status status = text ? flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m)
                             : flx_model_read(ctx, path, 0, NULL, &m);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    static const flx_term *const terms[] = {
#define FLX_TERM(NAME, name, stage) &flx_term_##name,
#include "descriptor/terms.def"
#undef FLX_TERM
    };
    static const char *const names[] = {
#define FLX_TERM(NAME, name, stage) #name,
#include "descriptor/terms.def"
#undef FLX_TERM
    };
    for (int k = 0; k < FLX_N_TERMS; k++) {
        trial t = {0};
        if (open_trial(m, spread, &t)) return 1;
        if (t.d->own[k]) {
            const flx_term *term = terms[k];
            int bad = 0;
            seen[k] = true;
            CHECK(!term->residual == !term->linearise);
            if (term->linearise) bad += check_tangent(&t, term);
            if (term->masses) bad += check_masses(&t, term);
            if (term->residual && k != FLX_TERM_EXPRESSION) bad += check_energy(&t, term);
            if (bad) printf("the term is '%s'\n", names[k]);
            if (bad) return 1;
        }
        close_trial(&t);
    }
    flx_model_destroy(&m);
    return 0;
}

static int every_term_is_consistent(void)
{
    bool seen[FLX_N_TERMS] = {false};
    flx_ctx *ctx = flx_ctx_create();
    CHECK(check_model(ctx, forces, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, stops, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, stops_in_plane, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, exact, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, segments, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, cable, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, touch, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, touch2, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, lines, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, lines_ancf, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, lines_segments, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, lines2, NULL, 0.02, seen) == 0);
    CHECK(check_model(ctx, NULL, FLX_EXAMPLES "/elastic_crank.yaml", 0.02, seen) == 0);
    CHECK(check_model(ctx, NULL, FLX_EXAMPLES "/rubber_bar.yaml", 1e-3, seen) == 0);
    for (int k = 0; k < FLX_N_TERMS; k++) CHECK(seen[k]);
    flx_ctx_destroy(&ctx);
    return 0;
}

// At the last node the section feels what the last element does to it, weight and all, whatever the load factor is.
static int section_at_the_end_is_the_force_of_the_last_element(void)
{
    static const char *const models[] = {exact, segments, cable};
    static const int kinds[] = {FLX_TERM_BEAM, FLX_TERM_HINGE, FLX_TERM_ANCF};
    static const flx_term *const terms[] = {&flx_term_beam, &flx_term_hinge, &flx_term_ancf};
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(text, sizeof text, "%sanalyse: {g: {type: static, load: gravity}}\n", models[k]);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        trial t = {0};
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
        if (open_trial(m, 0.02, &t)) return 1;
        CHECK(t.d->own[kinds[k]]);
        flx_descriptor_loads(t.s)[0] = 0.3;
        flx_point at = flx_state_point(t.s, t.x);
        int end = m->beams[0].nodes[m->beams[0].nnode - 1];
        double out[6];
        residual(&t, terms[k], &at, t.r);
        flx_terms_section(t.d, t.w, flx_eval_begin(t.d, t.w, &at), end, out);
        for (int i = 0; i < 3; i++) CHECK_NEAR(out[i], t.r[t.d->body_v[end] + i], 1e-10);
        close_trial(&t);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(every_term_is_consistent), TEST(section_at_the_end_is_the_force_of_the_last_element))
