// newton.c - see newton.h.
#include "integrate/newton.h"

// Above this contraction a linearisation is renewed within the step.
#define SLOW 0.4
// A correction that is more than this part of the last one shrinks no more.
#define STAGNANT 0.3
// ... and, where it is noise, above this one.
#define NOISE 0.5
// One this much smaller than what may be left, and than what is allowed, does, whatever the contraction is.
#define SURELY 0.1
#define SURELY_SMALL 0.03
// Expected where nothing is known: so that a second correction measures it.
#define UNKNOWN 0.9
// Corrections in a row that may be twice the one before.
#define MOST_GROWING 4
// ... and after which no end was in sight.
#define MOST_HOPELESS 5

typedef enum verdict { GO_ON, SOLVED, RENEW, FAILED } verdict;

flx_status flx_newton_factor(flx_integrator *it, flx_linear *lin, const flx_blocks *b,
                             const flx_weights *w)
{
    flx_status status = flx_linear_factor(lin, b, w);
    it->stats.factorisations++;
    return status > 0 ? flx_method_singular(it, status, flx_linear_get_report(lin).worst) : status;
}

void flx_newton_refreshed(flx_newton *n, double h)
{
    n->books->h_factored = h;
    flx_newton_open_books(n->books);
    n->fresh = 0;
}

void flx_newton_open_books(flx_newton_books *b)
{
    b->age = 0;
    b->fresh_iterations = 0;
    b->extra = 0;
    b->contraction = 0.0;
}

bool flx_newton_keep_books(flx_newton_books *b, int iterations, int cost)
{
    b->age++;
    if (b->fresh_iterations == 0) {
        b->fresh_iterations = iterations;
    } else if (iterations > b->fresh_iterations) {
        b->extra += iterations - b->fresh_iterations;
    }
    return b->extra >= cost;
}

void flx_newton_pass_books(flx_newton_books *b, flx_memory *m)
{
    FLX_PASS(m, b->h_factored);
    FLX_PASS(m, b->age);
    FLX_PASS(m, b->fresh_iterations);
    FLX_PASS(m, b->extra);
    FLX_PASS(m, b->contraction);
    FLX_PASS(m, b->contraction_age);
}

// The contraction to reckon with before it is measured: it grows with the age of the linearisation.
static double expected(const flx_newton_books *b)
{
    if (!(b->contraction > 0.0)) return UNKNOWN;
    return fmin(UNKNOWN, b->contraction * (1.0 + b->age) / (1.0 + b->contraction_age));
}

// What is left after this correction, (NEW-1). One that is small beside a wild one says nothing of the next.
static double left(const flx_newton *n)
{
    double rate = n->last > n->best ? fmax(n->rate, n->size / n->best) : n->rate;
    rate = fmax(rate, n->rule.trust);
    return rate < 1.0 ? rate / (1.0 - rate) * n->size : HUGE_VAL;
}

// Whether this iteration will do in the time that it has.
static bool has_an_end(const flx_newton *n)
{
    double rest = n->rule.most - n->iterations;
    return n->rate < 0.99 && pow(n->rate, rest) / (1.0 - n->rate) * n->size <= n->rule.left;
}

static verdict judge(flx_newton *n)
{
    const flx_newton_rule *r = &n->rule;
    if (n->size <= fmin(SURELY * r->left, SURELY_SMALL) || left(n) <= r->left) return SOLVED;
    // what shrinks no more is rounding where it is small enough; and where all that can be solved is
    // solved, it is a singular position, in which nothing determines the rest
    bool stalls = n->measured && n->rate > STAGNANT;
    bool halved = n->size < 0.5 * n->best;
    n->since = halved || !n->is_noise ? 0 : n->since + 1;
    n->noisy = n->is_noise && n->measured && n->rate > NOISE ? n->noisy + 1 : 0;
    n->stagnant = (stalls && n->size <= r->floor) || n->since >= r->enough || n->noisy >= r->enough;
    if (n->stagnant) return SOLVED;
    if (!n->measured) return GO_ON;
    n->growing = n->rate > 2.0 && !n->is_noise ? n->growing + 1 : 0;
    if (n->growing >= MOST_GROWING) return FAILED;
    if (r->gives_up && !has_an_end(n)) {
        if (n->fresh < 0) return RENEW;
        n->hopeless = halved ? 0 : n->hopeless + 1; // the best by far is some progress
        return n->hopeless > MOST_HOPELESS ? FAILED : GO_ON;
    }
    bool slow = n->rate > SLOW && !n->is_noise && !r->gives_up;
    return slow && (n->fresh < 0 || n->fresh >= r->patience) ? RENEW : GO_ON;
}

// What the correction tells of the linearisation: the slowest contraction of a step counts.
static void learn(flx_newton *n)
{
    flx_newton_books *b = n->books;
    if (n->size <= n->rule.noise) return;
    n->slowest = fmax(n->slowest, n->rate);
    b->contraction = fmin(fmax(n->slowest, 1e-6), UNKNOWN);
    b->contraction_age = b->age;
}

static flx_status refresh(flx_integrator *it, const flx_state *x, const flx_newton_steps *steps,
                          flx_newton *n)
{
    n->last = n->slowest = 0.0;
    n->growing = 0;
    return steps->refresh(it, x, n);
}

flx_status flx_newton_solve(flx_integrator *it, const flx_state *x, const flx_newton_steps *steps,
                            flx_newton *n)
{
    flx_newton_books *b = n->books;
    n->best = HUGE_VAL;
    n->last = n->slowest = 0.0;
    n->iterations = n->since = n->noisy = n->growing = n->hopeless = 0;
    n->fresh = -1;
    n->stagnant = n->measured = false;
    while (n->iterations < n->rule.most) {
        flx_status status = steps->evaluate(it, x, n);
        if (status > FLX_OK) return steps->diverged(it, status, n);
        if (status != FLX_OK) return status;
        if (b->h_factored == 0.0) FLX_TRY(refresh(it, x, steps, n));
        n->is_noise = n->more = false;
        FLX_TRY(steps->correct(it, x, n));
        if (!isfinite(n->size)) return steps->diverged(it, FLX_NOT_FINITE, n);
        it->stats.newton_iterations++;
        n->iterations++;
        n->measured = n->last > 0.0;
        n->rate = n->measured ? n->size / n->last : expected(b);
        verdict v = n->more ? GO_ON : judge(n);
        if (n->measured) learn(n);
        bool tells = n->measured && n->fresh >= 0 && n->size > n->rule.noise && !n->is_noise;
        if (tells && steps->judge(it, x, n)) b->h_factored = 0.0;
        if (v == SOLVED) return FLX_OK;
        if (v == FAILED) return steps->diverged(it, FLX_NO_CONVERGENCE, n);
        if (v == RENEW) {
            if (steps->renew) steps->renew(it, x, n);
            b->h_factored = 0.0;
        }
        if (n->fresh >= 0) n->fresh++;
        if (n->size < 0.5 * n->best) n->best = n->size;
        n->last = n->more ? 0.0 : n->size;
    }
    return steps->diverged(it, FLX_NO_CONVERGENCE, n);
}
