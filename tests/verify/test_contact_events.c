// One-sided constraints with friction at events, on systems made by hand: impacts, stick and slip, what comes to
// rest, what jams, by every method that locates events; closed forms.
#include "check.h"
#include "contact_system.h"
#include "flexion/flexion.h"
#include "system_check.h"

#include <math.h>
#include <string.h>

#define G 9.81
#define MOST_EVENTS 400

typedef struct method {
    const char *name;
    double step, rtol;
    double tolerance; // of what it gives here
} method;

static const method methods[] = {
    {"radau", 0.0, 1e-10, 1e-8},
    {"dopri5", 0.0, 1e-11, 1e-8},
    {"bdf", 0.0, 1e-9, 2e-6},
    {"generalized-alpha", 0.0, 1e-8, 3e-5},
    {"generalized-alpha", 1e-3, 0.0, 2e-5},
    {"radau", 0.02, 0.0, 1e-8},
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

typedef struct course {
    int n;
    double t[MOST_EVENTS];
    double v[MOST_EVENTS][CONTACT_MOST]; // velocities after
    int state[MOST_EVENTS][CONTACT_MOST];
    int npair, nv;
    double lost;
    flx_statistics stats;
    char message[600];
} course;

static int on_output(void *user, const flx_state *x)
{
    (void)user;
    (void)x;
    return 0;
}

static int on_instant(void *user, const flx_state *before, const flx_state *after,
                      const flx_event_report *what)
{
    course *c = user;
    (void)before;
    c->lost += what->lost;
    if (c->n == MOST_EVENTS) return 0;
    c->t[c->n] = after->t;
    for (int i = 0; i < c->nv; i++) c->v[c->n][i] = after->v[i];
    for (int i = 0; i < c->npair; i++) c->state[c->n][i] = (int)after->switches[5 * i];
    c->n++;
    return 0;
}

// From q, v to `until`; q and v receive the end.
static flx_status run(const contact_numbers *is, const method *with, double until, double *q,
                      double *v, course *c, double *tally, flx_integrator_def *more)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = contact_system_create(ctx, is);
    flx_state *x = NULL;
    flx_integrator *it = NULL;
    flx_integrator_def def = more ? *more : flx_integrator_def_default();
    def.method = with->name;
    def.step = with->step;
    def.rtol = with->rtol;
    def.atol = with->rtol;
    *c = (course){.npair = is->npair, .nv = is->n};
    flx_status status = flx_state_create(s, &x);
    memcpy(x->q, q, (size_t)is->n * sizeof *q);
    memcpy(x->v, v, (size_t)is->n * sizeof *v);
    if (status == FLX_OK) status = flx_integrator_create(s, &def, &it);
    flx_schedule schedule = {.until = until, .instant = on_instant};
    if (status == FLX_OK) status = flx_integrate(it, x, &schedule, on_output, c);
    if (it) c->stats = *flx_integrator_statistics(it);
    memcpy(q, x->q, (size_t)is->n * sizeof *q);
    memcpy(v, x->v, (size_t)is->n * sizeof *v);
    for (int i = 0; i < is->npair && tally; i++)
        for (int k = 0; k < 2; k++) tally[2 * i + k] = x->switches[5 * i + 3 + k];
    const flx_message *error = flx_ctx_error(ctx, 0);
    if (error) snprintf(c->message, sizeof c->message, "%s", error->text);
    if (status != FLX_OK) printf("%s: %s\n", with->name, c->message);
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return status;
}

// ---- a ball -----------------------------------------------------------------------------------

static contact_numbers ball(double e)
{
    contact_numbers is = {.n = 1, .npair = 1, .mass = {2.0}, .force = {-2.0 * G}};
    is.pair[0].gap.along[0] = 1.0;
    is.pair[0].restitution = e;
    return is;
}

static int ball_bounces_and_comes_to_rest(void)
{
    contact_numbers is = ball(0.8);
    for (int k = 0; k < NMETHOD; k++) {
        double q[1] = {1.0}, v[1] = {0.0}, tally[2], t = sqrt(2.0 / G), flight = 2.0 * t;
        course c;
        CHECK(run(&is, &methods[k], 5.0, q, v, &c, tally, NULL) == FLX_OK);
        double impulse = 0.0, speed = sqrt(2.0 * G);
        for (int i = 0; i < 10; i++) {
            CHECK_NEAR(c.t[i], t, methods[k].tolerance);
            flight *= 0.8;
            t += flight;
        }
        for (int i = 0; i < 200; i++, speed *= 0.8) impulse += 2.0 * speed * 1.8;
        CHECK_NEAR(c.t[c.n - 1], 4.063712768871579, 2e-5);
        CHECK_NEAR(q[0], 0.0, 1e-12);
        CHECK_NEAR(v[0], 0.0, 1e-12);
        CHECK(c.state[c.n - 1][0] == FLX_CONTACT_SLIDES);
        CHECK(tally[0] == c.n);
        CHECK_REL(tally[1], impulse, 1e-5);
        CHECK_REL(c.lost, 2.0 * G, 1e-5); // all of its energy
        CHECK(c.stats.impacts == c.n);
    }
    return 0;
}

// ---- a block ----------------------------------------------------------------------------------

// On a slope, pulled along it by a spring of which the block has coordinates along and off the slope.
static contact_numbers block(double slope, double f, double fs)
{
    contact_numbers is = {.n = 2,
                          .npair = 1,
                          .mass = {1.5, 0.0, 0.0, 1.5},
                          .force = {1.5 * G * sin(slope), -1.5 * G * cos(slope)}};
    is.pair[0].gap.along[1] = 1.0;
    is.pair[0].ntangent = 1;
    is.pair[0].slip[0].along[0] = 1.0;
    is.pair[0].friction = f;
    is.pair[0].sticking = fs;
    return is;
}

static int block_stops_and_stays(void)
{
    double slope = 0.25, f = 0.4, a = G * (f * cos(slope) - sin(slope)), v0 = 1.2;
    contact_numbers is = block(slope, f, f);
    for (int k = 0; k < NMETHOD; k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double q[2] = {0.0, 0.0}, v[2] = {sign * v0, 0.0};
            double brake = sign > 0 ? a : G * (f * cos(slope) + sin(slope));
            course c;
            CHECK(run(&is, &methods[k], 3.0, q, v, &c, NULL, NULL) == FLX_OK);
            CHECK(c.n == 2);
            CHECK(c.t[0] == 0.0 && c.state[0][0] == FLX_CONTACT_SLIDES);
            CHECK_NEAR(c.t[1], v0 / brake, methods[k].tolerance);
            CHECK(c.state[1][0] == FLX_CONTACT_STICKS);
            CHECK_NEAR(q[0], sign * v0 * v0 / brake / 2.0, methods[k].tolerance);
            CHECK_NEAR(q[1], 0.0, 1e-12);
            CHECK(fabs(v[0]) < 1e-12);
            CHECK(c.stats.impacts == 0);
        }
    }
    return 0;
}

static int block_on_a_steep_slope_slides(void)
{
    double slope = 0.5, f = 0.3, a = G * (sin(slope) - f * cos(slope));
    contact_numbers is = block(slope, f, 0.4);
    for (int k = 0; k < NMETHOD; k++) {
        double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0};
        course c;
        CHECK(run(&is, &methods[k], 1.0, q, v, &c, NULL, NULL) == FLX_OK);
        CHECK(c.n == 1 && c.state[0][0] == FLX_CONTACT_SLIDES);
        CHECK_NEAR(q[0], a / 2.0, methods[k].tolerance);
        // thrown up it turns, between friction and static friction
        q[0] = q[1] = v[1] = 0.0;
        v[0] = -1.0;
        double up = G * (sin(slope) + f * cos(slope)), t = 1.0 / up;
        CHECK(run(&is, &methods[k], 1.0, q, v, &c, NULL, NULL) == FLX_OK);
        CHECK(c.n == 2);
        CHECK_NEAR(c.t[1], t, methods[k].tolerance);
        CHECK_NEAR(q[0], -0.5 / up + a / 2.0 * (1.0 - t) * (1.0 - t), methods[k].tolerance);
    }
    return 0;
}

static int belt_drags_it_to_and_fro(void)
{
    double w = 5.0, D = 0.1 * G / 25.0, u = 0.2;
    contact_numbers is = {.n = 2,
                          .npair = 1,
                          .mass = {1.0, 0.0, 0.0, 1.0},
                          .stiffness = {25.0, 0.0},
                          .force = {0.0, -G}};
    is.pair[0].gap.along[1] = 1.0;
    is.pair[0].ntangent = 1;
    is.pair[0].slip[0].along[0] = 1.0;
    is.pair[0].belt[0] = u;
    is.pair[0].friction = 0.3;
    is.pair[0].sticking = 0.4;
    double slip = (M_PI + 2.0 * atan(u / (w * D))) / w, stick = 2.0 * D / u;
    for (int k = 0; k < NMETHOD; k++) {
        double q[2] = {0.0, 0.0}, v[2] = {u, 0.0};
        course c;
        CHECK(run(&is, &methods[k], 4.0, q, v, &c, NULL, NULL) == FLX_OK);
        double tol = 10.0 * methods[k].tolerance;
        CHECK(c.n == 6);
        CHECK(c.state[0][0] == FLX_CONTACT_STICKS && c.state[1][0] == FLX_CONTACT_SLIDES);
        CHECK_NEAR(c.t[1], 0.7848, tol);
        CHECK_NEAR(c.t[2], 0.7848 + slip, tol);
        CHECK_NEAR(c.t[3], 0.7848 + slip + stick, tol);
        CHECK_NEAR(c.t[4], 0.7848 + 2.0 * slip + stick, tol);
    }
    return 0;
}

// ---- a rod --------------------------------------------------------------------------------------

// x, y, angle; its lower end touches.
static contact_numbers rod(double f, double e)
{
    contact_numbers is = {.n = 3,
                          .npair = 1,
                          .mass = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0},
                          .force = {0.0, -G, 0.0}};
    contact_pair *p = &is.pair[0];
    p->gap = (contact_place){.along = {0.0, 1.0}, .size = -1.0, .angle = 2};
    p->ntangent = 1;
    p->slip[0] = (contact_place){.along = {1.0}, .size = -1.0, .phase = 0.5 * M_PI, .angle = 2};
    p->friction = f;
    p->restitution = e;
    return is;
}

static int rod_jams(void)
{
    contact_numbers is = rod(1.6, 0.0);
    double angle = atan(2.0);
    for (int k = 0; k < NMETHOD; k++) {
        double q[3] = {cos(angle), sin(angle), angle}, v[3] = {-1.0, 0.0, 0.0}, tally[2];
        course c;
        CHECK(run(&is, &methods[k], 0.2, q, v, &c, tally, NULL) == FLX_OK);
        CHECK_NEAR(c.v[0][2], 0.6708203932499369, 1e-9);
        CHECK_NEAR(tally[1], 0.3, 1e-9);
        CHECK(c.state[0][0] == FLX_CONTACT_STICKS && c.stats.jams == 1);
        CHECK_NEAR(c.lost, 0.2, 1e-9);
        CHECK_NEAR(q[2], 1.180063756040035, 10.0 * methods[k].tolerance);
    }
    return 0;
}

// Restitution by rates of gaps with friction may gain energy: it does not here.
static int impacts_gain_no_energy(void)
{
    int lessened = 0;
    for (int k = 0; k < 400; k++) {
        double angle = 0.1 + 1.4 * (k % 20) / 20.0, way = -2.0 + 4.0 * (k / 20) / 19.0, e = 0.9;
        contact_numbers is = rod(0.2 + 0.1 * (k % 7), e);
        double q[3] = {0.0, sin(angle), angle}, v[3] = {way, -1.0, 0.7 * way}, rate;
        double before = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 3.0);
        rate = v[1] - cos(angle) * v[2];
        if (!(rate < 0.0)) continue;
        course c;
        CHECK(run(&is, &methods[1], 1e-6, q, v, &c, NULL, NULL) == FLX_OK);
        const double *u = c.v[0];
        double after = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] / 3.0);
        double rebound = u[1] - cos(angle) * u[2];
        CHECK(c.n >= 1 && after <= before * (1.0 + 1e-8));
        CHECK_NEAR(c.lost, before - after, 1e-8);
        CHECK(rebound >= -1e-9 && rebound <= -e * rate * (1.0 + 1e-9));
        lessened += rebound < -e * rate * (1.0 - 1e-6);
    }
    CHECK(lessened > 0); // there are such cases among these
    return 0;
}

// A ball's oblique impact: it slides through the impact, or sticks.
static int ball_hits_obliquely(void)
{
    for (int k = 0; k < NMETHOD; k++) {
        for (int sticks = 0; sticks < 2; sticks++) {
            double f = sticks ? 0.6 : 0.04, e = 0.8, r = 0.5, J = 0.4 * r * r;
            contact_numbers is = {
                .n = 3, .npair = 1, .mass = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, J}};
            contact_pair *p = &is.pair[0];
            p->gap = (contact_place){.along = {0.0, 1.0}, .offset = -r};
            p->ntangent = 1;
            p->slip[0] = (contact_place){.along = {1.0, 0.0, r}};
            p->friction = f;
            p->restitution = e;
            double q[3] = {0.0, 1.0, 0.0}, v[3] = {10.0, -15.0, 0.0};
            if (sticks) v[0] = 1.0;
            course c;
            CHECK(run(&is, &methods[k], 0.2, q, v, &c, NULL, NULL) == FLX_OK);
            CHECK(c.n == 1);
            CHECK_NEAR(c.v[0][1], 12.0, 1e-9);
            CHECK_NEAR(c.v[0][0], sticks ? 5.0 / 7.0 : 8.92, 1e-9);
        }
    }
    return 0;
}

// ---- several at once ----------------------------------------------------------------------------

// Balls in a row that touch; the first comes with speed 1.
static contact_numbers cradle(int n, double e)
{
    contact_numbers is = {.n = n, .npair = n - 1};
    for (int i = 0; i < n; i++) is.mass[i * n + i] = 1.0;
    for (int i = 0; i + 1 < n; i++) {
        is.pair[i].gap.along[i] = -1.0;
        is.pair[i].gap.along[i + 1] = 1.0;
        is.pair[i].restitution = e;
    }
    is.pair[0].gap.offset = 0.5;
    return is;
}

static int balls_in_a_row(void)
{
    contact_numbers is = cradle(3, 1.0);
    for (int k = 0; k < NMETHOD; k++) {
        for (int in_turn = 0; in_turn < 2; in_turn++) {
            double q[3] = {0.0, 0.0, 0.0}, v[3] = {1.0, 0.0, 0.0};
            course c;
            flx_integrator_def def = flx_integrator_def_default();
            def.impacts = in_turn ? FLX_IMPACTS_SEQUENTIAL : FLX_IMPACTS_SIMULTANEOUS;
            CHECK(run(&is, &methods[k], 1.0, q, v, &c, NULL, &def) == FLX_OK);
            CHECK_NEAR(v[0], in_turn ? 0.0 : -1.0 / 3.0, 1e-9);
            CHECK_NEAR(v[1], in_turn ? 0.0 : 2.0 / 3.0, 1e-9);
            CHECK_NEAR(v[2], in_turn ? 1.0 : 2.0 / 3.0, 1e-9);
            CHECK_NEAR(c.lost, 0.0, 1e-9);
        }
    }
    return 0;
}

// A block, x, y, angle, with two lower corners: half widths b, half heights h.
static contact_numbers two_corners(double b, double h, double f, double fs, double gx)
{
    double m = 2.0, R = hypot(b, h), J = m * R * R / 3.0;
    contact_numbers is = {.n = 3,
                          .npair = 2,
                          .mass = {m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, J},
                          .force = {m * gx, -m * G, 0.0}};
    for (int i = 0; i < 2; i++) {
        // corner (s b, -h): y + s b sin(angle) - h cos(angle), x + s b cos(angle) + h sin(angle)
        double s = i == 0 ? -1.0 : 1.0;
        contact_pair *p = &is.pair[i];
        p->gap =
            (contact_place){.along = {0.0, 1.0}, .size = R, .phase = atan2(-h, s * b), .angle = 2};
        p->ntangent = 1;
        p->slip[0] =
            (contact_place){.along = {1.0}, .size = R, .phase = atan2(s * b, h), .angle = 2};
        p->friction = f;
        p->sticking = fs;
    }
    return is;
}

// Redundant slips: it stays, and slides where it must, with all of its friction.
static int block_on_two_corners(void)
{
    for (int k = 0; k < NMETHOD; k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            contact_numbers is = two_corners(0.3, 0.2, 0.4, 0.4, sign * 0.3 * G);
            double q[3] = {0.0, 0.2, 0.0}, v[3] = {0.0, 0.0, 0.0};
            course c;
            CHECK(run(&is, &methods[k], 1.0, q, v, &c, NULL, NULL) == FLX_OK);
            CHECK(c.n == 1);
            CHECK(fabs(q[0]) < 1e-12 && fabs(q[1] - 0.2) < 1e-12 && fabs(q[2]) < 1e-12);
            is = two_corners(0.3, 0.2, 0.4, 0.5, sign * 0.6 * G);
            CHECK(run(&is, &methods[k], 1.0, q, v, &c, NULL, NULL) == FLX_OK);
            CHECK(c.n == 1);
            CHECK_NEAR(q[0], sign * 0.1 * G, methods[k].tolerance);
            CHECK_NEAR(q[2], 0.0, 1e-9);
            // a spring pulls until the static friction of both corners is reached
            is = two_corners(0.3, 0.2, 0.4, 0.5, 0.0);
            is.n = 3;
            is.stiffness[0] = 30.0;
            q[0] = sign * (0.5 * 2.0 * G / 30.0 - 1e-3);
            q[2] = 0.0;
            q[1] = 0.2;
            v[0] = v[1] = v[2] = 0.0;
            double q0 = q[0];
            CHECK(run(&is, &methods[k], 1.0, q, v, &c, NULL, NULL) == FLX_OK);
            CHECK(fabs(q[0] - q0) < 1e-12);
        }
    }
    return 0;
}

static int block_rocks(void)
{
    double b = 0.1, h = 0.5, R = hypot(b, h), alpha = atan2(b, h), turn = 0.1;
    contact_numbers is = two_corners(b, h, 2.0, 2.0, 0.0);
    static const double impact[] = {0.35111985428517556, 0.9606065773246869, 1.5019778813716194,
                                    1.9896363731625135};
    for (int k = 0; k < NMETHOD; k++) {
        // turned clockwise about the right corner, which is at (b, 0)
        double q[3] = {b + R * sin(turn - alpha), R * cos(alpha - turn), -turn}, v[3] = {0.0};
        course c;
        CHECK(run(&is, &methods[k], 2.0, q, v, &c, NULL, NULL) == FLX_OK);
        int n = 0;
        for (int i = 1; i < c.n && n < 4; i++) {
            if (c.t[i] < 0.01) continue;
            CHECK_NEAR(c.t[i], impact[n++], 30.0 * methods[k].tolerance);
        }
        CHECK(n == 4);
    }
    return 0;
}

// ---- friction alone -----------------------------------------------------------------------------

// A pendulum-like mass on a spring with dry friction: it stops where the spring is below the friction.
static int dry_friction_alone(void)
{
    contact_numbers is = {.n = 1, .npair = 1, .mass = {1.0}, .stiffness = {4.0}};
    is.pair[0].alone = 1;
    is.pair[0].limit = 0.6;
    is.pair[0].friction = 1.0;
    is.pair[0].sticking = 1.0;
    is.pair[0].ntangent = 1;
    is.pair[0].slip[0].along[0] = 1.0;
    for (int k = 0; k < NMETHOD; k++) {
        // amplitudes fall by 2 limit/k = 0.3 each half period
        double q[1] = {1.0}, v[1] = {0.0};
        course c;
        CHECK(run(&is, &methods[k], 8.0, q, v, &c, NULL, NULL) == FLX_OK);
        CHECK(c.n == 4);
        for (int i = 1; i < 4; i++) CHECK_NEAR(c.t[i], 0.5 * M_PI * i, 10.0 * methods[k].tolerance);
        CHECK_NEAR(q[0], -0.1, 10.0 * methods[k].tolerance);
        CHECK(c.state[3][0] == FLX_CONTACT_STICKS && fabs(v[0]) < 1e-12);
    }
    return 0;
}

// What comes after a checkpoint is bit for bit the same, with what the events remember.
static int checkpoint_goes_on(void)
{
    contact_numbers is = two_corners(0.3, 0.2, 0.4, 0.5, 0.0);
    is.pair[0].restitution = is.pair[1].restitution = 0.4;
    for (int k = 0; k < NMETHOD; k++) {
        if (strcmp(methods[k].name, "bdf") == 0) continue; // begins anew
        flx_ctx *ctx = flx_ctx_create();
        flx_system *s = contact_system_create(ctx, &is);
        flx_state *x[2] = {NULL, NULL};
        flx_integrator *it[2] = {NULL, NULL};
        flx_integrator_def def = flx_integrator_def_default();
        def.method = methods[k].name;
        def.step = methods[k].step;
        def.rtol = def.atol = methods[k].rtol;
        course c = {.npair = 2, .nv = 3};
        for (int i = 0; i < 2; i++) {
            CHECK(flx_state_create(s, &x[i]) == FLX_OK);
            CHECK(flx_integrator_create(s, &def, &it[i]) == FLX_OK);
        }
        x[0]->q[1] = 0.5;
        x[0]->q[2] = 0.2;
        x[0]->v[0] = 0.7;
        flx_schedule half = {.until = 0.4, .piece = 1, .horizon = 2.0};
        flx_schedule rest = {.until = 2.0, .piece = 1, .horizon = 2.0, .resume = 1};
        CHECK(flx_integrate(it[0], x[0], &half, on_output, &c) == FLX_OK);
        size_t size = flx_integrator_save(it[0], x[0], NULL, 0);
        void *kept = malloc(size);
        CHECK(kept && flx_integrator_save(it[0], x[0], kept, size) == size);
        CHECK(flx_integrator_restore(it[1], x[1], kept, size) == FLX_OK);
        free(kept);
        for (int i = 0; i < 2; i++)
            CHECK(flx_integrate(it[i], x[i], &rest, on_output, &c) == FLX_OK);
        CHECK(x[0]->switches[3] > 0.0 && x[0]->switches[0] >= FLX_CONTACT_SLIDES);
        CHECK(memcmp(x[0]->block, x[1]->block, x[0]->size * sizeof(double)) == 0);
        for (int i = 0; i < 2; i++) {
            flx_integrator_destroy(&it[i]);
            flx_state_destroy(&x[i]);
        }
        flx_system_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int start_inside_is_refused(void)
{
    contact_numbers is = ball(0.5);
    double q[1] = {-1e-3}, v[1] = {0.0};
    course c;
    CHECK(run(&is, &methods[0], 1.0, q, v, &c, NULL, NULL) == FLX_INCONSISTENT);
    CHECK_TEXT(c.message, "contact a");
    CHECK_TEXT(c.message, "-0.001");
    return 0;
}

// ---- the systems themselves --------------------------------------------------------------------

static int tangents_are_derivatives(void)
{
    contact_numbers all[] = {rod(0.3, 0.5), two_corners(0.3, 0.2, 0.4, 0.5, 1.0), ball(0.5)};
    all[0].njoint = 1;
    all[0].joint[0] = (contact_place){.along = {0.3, 0.1, 0.2}, .size = 0.4, .angle = 2};
    all[2].pair[1] = (contact_pair){.alone = 1, .limit = 0.6, .friction = 1.0, .ntangent = 1};
    all[2].pair[1].slip[0].along[0] = 1.0;
    all[2].npair = 2;
    for (int k = 0; k < 3; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_system *s = contact_system_create(ctx, &all[k]);
        for (int state = FLX_CONTACT_LEANS; state <= FLX_CONTACT_STICKS; state++) {
            system_point p;
            CHECK(system_point_init(&p, s, 7));
            randomise(&p, 0.3);
            for (int i = 0; i < all[k].npair; i++) {
                p.x->switches[5 * i] = state;
                p.x->switches[5 * i + 1] = i % 2 ? -1.0 : 1.0;
            }
            CHECK(check_pattern(s) == 0);
            CHECK(check_tangent(&p, 1e-8) == 0);
            if (state == FLX_CONTACT_STICKS) CHECK(check_constraints(&p, 1e-7) == 0);
            system_point_free(&p);
        }
        flx_system_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(tangents_are_derivatives), TEST(ball_bounces_and_comes_to_rest),
          TEST(block_stops_and_stays), TEST(block_on_a_steep_slope_slides),
          TEST(belt_drags_it_to_and_fro), TEST(rod_jams), TEST(impacts_gain_no_energy),
          TEST(ball_hits_obliquely), TEST(balls_in_a_row), TEST(block_on_two_corners),
          TEST(block_rocks), TEST(dry_friction_alone), TEST(checkpoint_goes_on),
          TEST(start_inside_is_refused))
