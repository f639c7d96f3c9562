// test_newton.c - the judge of Newton's iterations, on corrections whose sizes are written down.
#include "check.h"
#include "integrate/newton.h"

#define MOST 60

// What the corrections are, and what was asked for.
typedef struct script {
    flx_newton newton;
    const double *size; // of the corrections, the last of them again and again
    int n;
    bool noise; // all that can be solved is solved
    int evaluated, refreshed, renewed, judged;
} script;

static flx_status evaluate(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)it, (void)x;
    ((script *)n)->evaluated++;
    return FLX_OK;
}

static flx_status refresh(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)it, (void)x;
    ((script *)n)->refreshed++;
    n->books->h_factored = 1.0;
    n->fresh = 0;
    flx_newton_open_books(n->books);
    return FLX_OK;
}

static flx_status correct(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)it, (void)x;
    script *s = (script *)n;
    int k = n->iterations < s->n ? n->iterations : s->n - 1;
    n->size = s->size[k];
    n->is_noise = s->noise;
    return FLX_OK;
}

static void renew(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)it, (void)x;
    ((script *)n)->renewed++;
}

static bool judge(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)it, (void)x;
    ((script *)n)->judged++;
    return false;
}

static flx_status diverged(flx_integrator *it, flx_status status, flx_newton *n)
{
    (void)it, (void)n;
    return status;
}

static const flx_newton_steps STEPS = {.evaluate = evaluate,
                                       .refresh = refresh,
                                       .correct = correct,
                                       .renew = renew,
                                       .judge = judge,
                                       .diverged = diverged};

static const flx_newton_rule RULE = {
    .most = MOST, .left = 0.3, .floor = 10.0, .noise = 10.0, .enough = 2, .patience = 3};

// Corrections of the given sizes, with factors of an older step or with new ones.
static flx_status play(script *s, flx_newton_books *b, const double *size, int n)
{
    flx_integrator it = {0};
    s->newton.books = b;
    s->size = size;
    s->n = n;
    return flx_newton_solve(&it, NULL, &STEPS, &s->newton);
}

static int what_is_left_ends_it(void)
{
    const double by_ten[] = {1e3, 1e2, 1e1, 1.0, 0.1, 0.01};
    flx_newton_books none = {0};
    script s = {.newton.rule = RULE};
    CHECK(play(&s, &none, by_ten, 6) == FLX_OK);
    CHECK(s.newton.iterations == 4); // 1/9 of 1.0 is left
    CHECK(s.refreshed == 1);
    CHECK(s.evaluated == 4);
    CHECK(!s.newton.stagnant);
    CHECK_NEAR(none.contraction, 0.1, 1e-15);
    // the next step reckons with it: one correction of 1 is enough, with an unknown one it is not
    const double one[] = {1.0, 0.1};
    CHECK(none.age == 0);
    flx_newton_keep_books(&none, 4, 10);
    s = (script){.newton.rule = RULE};
    CHECK(play(&s, &none, one, 2) == FLX_OK);
    CHECK(s.newton.iterations == 1);
    flx_newton_books unknown = {.h_factored = 1.0, .age = 3};
    s = (script){.newton.rule = RULE};
    CHECK(play(&s, &unknown, one, 2) == FLX_OK);
    CHECK(s.newton.iterations == 2);
    // a rate that is not relied upon
    flx_newton_books again = {0};
    s = (script){.newton.rule = RULE};
    s.newton.rule.trust = 0.5;
    CHECK(play(&s, &again, by_ten, 6) == FLX_OK);
    CHECK(s.newton.iterations == 5);
    return 0;
}

static int a_small_correction_after_a_wild_one_is_not_believed(void)
{
    const double wild[] = {1.0, 1e6, 1.0, 0.5, 0.05, 0.005};
    flx_newton_books none = {0};
    script s = {.newton.rule = RULE};
    s.newton.rule.floor = 0.0;
    CHECK(play(&s, &none, wild, 6) == FLX_OK);
    CHECK(s.newton.iterations > 3);
    return 0;
}

static int rounding_ends_it(void)
{
    const double floor[] = {20.0, 9.0}, above[] = {1e3, 30.0, 29.0, 31.0, 28.0};
    flx_newton_books none = {0};
    script s = {.newton.rule = RULE};
    CHECK(play(&s, &none, floor, 2) == FLX_OK);
    CHECK(s.newton.iterations == 2);
    CHECK(s.newton.stagnant);
    // above the floor: only where nothing more can be solved, as at singular positions
    none = (flx_newton_books){0};
    s = (script){.newton.rule = RULE, .noise = true};
    CHECK(play(&s, &none, above, 5) == FLX_OK);
    CHECK(s.newton.stagnant);
    CHECK(s.newton.iterations == 4);
    CHECK(s.renewed == 0);
    none = (flx_newton_books){0};
    s = (script){.newton.rule = RULE};
    CHECK(play(&s, &none, above, 5) == FLX_NO_CONVERGENCE);
    CHECK(s.newton.iterations == MOST);
    return 0;
}

static int slow_factors_are_renewed(void)
{
    const double slow[] = {1e4, 5e3, 1e2, 1.0, 0.01};
    flx_newton_books old = {.h_factored = 1.0, .age = 5};
    script s = {.newton.rule = RULE};
    CHECK(play(&s, &old, slow, 5) == FLX_OK);
    CHECK(s.renewed == 1); // at once: the linearisation is an older one
    CHECK(s.refreshed == 1);
    const double slower[] = {1e6, 5e5, 2.5e5, 1.2e5, 6e4, 1e2, 1.0, 0.01};
    flx_newton_books fresh = {0};
    s = (script){.newton.rule = RULE};
    CHECK(play(&s, &fresh, slower, 8) == FLX_OK);
    CHECK(s.renewed == 1); // after three corrections with its own
    CHECK(s.refreshed == 2);
    CHECK(s.judged >= 3);
    return 0;
}

static int growth_and_no_number_end_it(void)
{
    const double grows[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    flx_newton_books none = {0};
    script s = {.newton.rule = RULE};
    s.newton.rule.patience = 20;
    CHECK(play(&s, &none, grows, 7) == FLX_NO_CONVERGENCE);
    CHECK(s.newton.iterations == 5);
    const double bad[] = {1e3, (double)NAN};
    none = (flx_newton_books){0};
    s = (script){.newton.rule = RULE};
    CHECK(play(&s, &none, bad, 2) == FLX_NOT_FINITE);
    return 0;
}

static int with_error_control_it_is_given_up(void)
{
    double slow[MOST];
    slow[0] = 1e6;
    for (int i = 1; i < MOST; i++) slow[i] = 0.9 * slow[i - 1];
    flx_newton_books none = {0};
    script s = {.newton.rule = RULE};
    s.newton.rule.most = 15;
    s.newton.rule.gives_up = true;
    CHECK(play(&s, &none, slow, MOST) == FLX_NO_CONVERGENCE);
    CHECK(s.newton.iterations < 15);
    CHECK(s.renewed == 0);
    flx_newton_books old = {.h_factored = 1.0, .age = 2};
    s = (script){.newton.rule = s.newton.rule};
    CHECK(play(&s, &old, slow, MOST) == FLX_NO_CONVERGENCE);
    CHECK(s.renewed == 1);
    return 0;
}

static int books_tell_when_factors_cost_too_much(void)
{
    flx_newton_books b = {.h_factored = 1.0};
    CHECK(!flx_newton_keep_books(&b, 3, 4));
    CHECK(!flx_newton_keep_books(&b, 5, 4));
    CHECK(!flx_newton_keep_books(&b, 2, 4));
    CHECK(flx_newton_keep_books(&b, 5, 4));
    CHECK(b.age == 4);
    return 0;
}

TEST_MAIN(TEST(what_is_left_ends_it), TEST(a_small_correction_after_a_wild_one_is_not_believed),
          TEST(rounding_ends_it), TEST(slow_factors_are_renewed), TEST(growth_and_no_number_end_it),
          TEST(with_error_control_it_is_given_up), TEST(books_tell_when_factors_cost_too_much))
