// certificate_errors.c - the error that neglected inertia makes: as the expansion says, and as a run of
// the full model meets it.
//
// The first-order term delta of the expansion is the answer of the reduced equations, linearised along
// their motion, to the inertia force that they leave out,
//     A2 delta'' + A1 delta' + A0 delta = -(0, N z''),   N = P^T M P                    (CERT-7)
// with the velocity of J as the full model has it before t = 0, so that the impulse of the layer is in
// it. Both derivatives are BDF2 on the samples; z'' is taken of positions, which a layer leaves finite.
#include "certify/certificate_parts.h"

#include "integrate/newton_matrix.h"

#include <math.h>
#include <string.h>

#define SAMPLES 400       // at least, ...
#define MOST_SAMPLES 4000 // ... and at the most
#define RESOLVED 0.2      // radians of the fastest of the rest between samples
#define FEWEST 8
#define TIGHT 1e-9   // relative tolerance of both runs ...
#define LOOSEST 1e-6 // ... or what rounding lets them have
#define MOST_STEPS 40000
#define QUICK 1e-6 // the same of a run for the first-order term alone
#define QUICK_STEPS 4000
#define QUICK_SAMPLES 800
#define FEWEST_QUICK 200
#define LAYERS 5.0        // decay times after which errors count
#define FIRST_STEP 1e-7   // of the window
#define INERTIA_POINTS 24 // N is interpolated between them

// ---- courses ------------------------------------------------------------------------------------

typedef struct course {
    const flx_system *sys;
    int n, most;
    flx_state *x[MOST_SAMPLES + 1]; // owned
    flx_status status;
} course;

static int keep(void *user, const flx_state *x)
{
    course *c = user;
    if (c->n > c->most || (c->n > 0 && !(x->t > c->x[c->n - 1]->t))) return 0;
    c->status = flx_state_create(c->sys, &c->x[c->n]);
    if (c->status != FLX_OK) return 1;
    flx_state_copy(c->x[c->n++], x);
    return 0;
}

static void clear(course *c)
{
    for (int i = 0; i < c->n; i++) flx_state_destroy(&c->x[i]);
    c->n = 0;
}

// As far as the steps go; a positive status of the run is no failure.
static flx_status run_once(flx_simulation *sim, double window, long steps, double rtol, course *c,
                           bool *whole)
{
    flx_integrator_def def = flx_integrator_def_default();
    flx_integrator *it = NULL;
    int before = flx_ctx_error_count(sim->ctx);
    double from = sim->start->t;
    def.method = "radau";
    def.rtol = rtol;
    def.atol = 0.01 * rtol;
    def.initial_step = FIRST_STEP * window;
    def.max_steps = steps;
    c->sys = sim->sys;
    flx_schedule schedule = {.until = from + window, .every = window / c->most};
    flx_state_copy(sim->state, sim->start);
    flx_status status = flx_integrator_create(sim->sys, &def, &it);
    if (status == FLX_OK) status = flx_integrate(it, sim->state, &schedule, keep, c);
    bool used_up = it && flx_integrator_statistics(it)->steps >= steps;
    flx_integrator_destroy(&it);
    if (c->status != FLX_OK) return c->status;
    if (status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(sim->ctx, before);
    *whole = status == FLX_OK || used_up;
    return FLX_OK;
}

static flx_status run(flx_simulation *sim, double window, long steps, course *c)
{
    bool whole = false;
    for (double rtol = TIGHT; rtol < 2.0 * LOOSEST; rtol *= 10.0) {
        clear(c);
        FLX_TRY(run_once(sim, window, steps, rtol, c, &whole));
        if (whole) break;
    }
    return FLX_OK;
}

// ---- the neglected inertia ----------------------------------------------------------------------

// N at some samples of the reduced motion; (points x nJ x nJ).
typedef struct inertia {
    int nJ, every, n;
    double *N; // owned
} inertia;

static flx_status find_inertia(flx_certificate *c, const course *motion, inertia *out)
{
    const flx_neglect *r = &c->reduced->plan->reduction;
    flx_status status = FLX_OK;
    out->nJ = r->n;
    out->every = (motion->n + INERTIA_POINTS - 1) / INERTIA_POINTS;
    out->n = (motion->n - 1) / out->every + 2;
    size_t square = (size_t)(r->n * r->n);
    out->N = flx_alloc(c->ctx, (size_t)out->n * square, sizeof *out->N);
    if (!out->N) return FLX_ERR_MEMORY;
    for (int k = 0; k < out->n && status == FLX_OK; k++) {
        int at = k * out->every < motion->n ? k * out->every : motion->n - 1;
        flx_state x = *motion->x[at];
        flx_work *work = c->reduced->work;
        const flx_system *base = flx_wrapper_base(c->reduced->sys, &work, &x);
        flx_arena *arena = flx_arena_create(c->ctx);
        flx_frozen f;
        flx_split split;
        if (!arena) return FLX_ERR_MEMORY;
        status = flx_frozen_create(base, work, &x, arena, &f);
        if (status == FLX_OK) {
            status = flx_split_find(&f, r->n, r->J, &split, out->N + (size_t)k * square);
        }
        flx_arena_destroy(&arena);
    }
    return status;
}

// out (nJ) += N(sample) a.
static void add_inertia(const inertia *m, int sample, const double *a, double *out)
{
    int k = sample / m->every, n = m->nJ;
    double part = (double)(sample - k * m->every) / m->every;
    const double *A = m->N + (size_t)k * (size_t)(n * n), *B = A + n * n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            out[i] += ((1.0 - part) * A[j * n + i] + part * B[j * n + i]) * a[j];
    }
}

// ---- the first-order term -----------------------------------------------------------------------

// Three times of one vector, the newest first.
typedef struct history {
    double *now, *last, *before;
} history;

typedef struct variation {
    const flx_certificate *c;
    const flx_system *sys;
    const course *motion;
    inertia mass;
    int n, nv, nx, nJ;
    double h;
    flx_blocks blocks;
    flx_linear *linear;
    double *block;               // owned: all below
    history d, dv, z, zv;        // (n) (nv) delta and its rate; (nJ) positions and rates of J
    double *rate, *bend;         // (n) what the history gives of delta' and delta''
    double *rhs, *force, *theta; // (n) (nJ) (nv)
} variation;

static void shift(history *h)
{
    double *old = h->before;
    h->before = h->last;
    h->last = h->now;
    h->now = old;
}

// The part of a derivative that the past gives, and the weight of the present.
static double past(const history *h, int i, bool first, double step)
{
    return first ? -h->last[i] / step : (h->before[i] - 4.0 * h->last[i]) / (2.0 * step);
}

static double present(bool first, double step)
{
    return (first ? 1.0 : 1.5) / step;
}

// out += A u on the pattern.
static void add_product(const flx_pattern *p, const double *A, const double *u, double factor,
                        double *out)
{
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], nj = p->start[j + 1] - p->start[j];
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                const double *a = A + p->offset[e] + (r - p->start[i]) * nj;
                for (int k = 0; k < nj; k++) out[r] += factor * a[k] * u[p->start[j] + k];
            }
        }
    }
}

// N z'' at a sample, by differences of positions.
static void find_force(variation *v, int sample)
{
    const int *J = v->c->reduced->plan->reduction.J;
    bool first = sample == 1;
    double c1 = present(first, v->h);
    v->sys->ops->difference(v->sys, v->motion->x[sample - 1]->q, v->motion->x[sample]->q, v->theta);
    memset(v->force, 0, (size_t)v->nJ * sizeof *v->force);
    for (int k = 0; k < v->nJ; k++) {
        v->z.now[k] = v->z.last[k] + v->theta[J[k]];
        v->zv.now[k] = c1 * v->z.now[k] + past(&v->z, k, first, v->h);
        v->rhs[k] = c1 * v->zv.now[k] + past(&v->zv, k, first, v->h); // z''
    }
    add_inertia(&v->mass, sample, v->rhs, v->force);
}

static flx_status step(variation *v, int sample)
{
    const flx_state *x = v->motion->x[sample];
    const int *J = v->c->reduced->plan->reduction.J;
    bool first = sample == 1;
    double c1 = present(first, v->h);
    const flx_weights weights = {.c0 = 1.0, .c1 = c1, .c2 = c1 * c1, .cx = c1};
    flx_point p = flx_state_point(v->sys, x);
    find_force(v, sample);
    FLX_TRY(v->sys->ops->linearise(v->sys, v->c->reduced->work, &p, &v->blocks));
    FLX_TRY(flx_linear_factor(v->linear, &v->blocks, &weights));
    memset(v->rhs, 0, (size_t)v->n * sizeof *v->rhs);
    for (int i = 0; i < v->nv + v->nx; i++) v->rate[i] = past(&v->d, i, first, v->h);
    for (int i = 0; i < v->nv; i++) v->bend[i] = c1 * v->rate[i] + past(&v->dv, i, first, v->h);
    add_product(&v->sys->pattern, v->blocks.A1, v->rate, -1.0, v->rhs);
    add_product(&v->sys->pattern, v->blocks.A2, v->bend, -1.0, v->rhs);
    for (int k = 0; k < v->nJ; k++) v->rhs[J[k]] -= v->force[k];
    FLX_TRY(flx_linear_solve(v->linear, v->rhs));
    memcpy(v->d.now, v->rhs, (size_t)v->n * sizeof *v->rhs);
    for (int i = 0; i < v->nv; i++) v->dv.now[i] = c1 * v->d.now[i] + v->rate[i];
    return FLX_OK;
}

static flx_status prepare(variation *v)
{
    const flx_dims *d = &v->sys->dims;
    v->n = flx_dims_unknowns(d);
    v->nv = d->nv;
    v->nx = d->nx;
    v->nJ = v->c->reduced->plan->reduction.n;
    size_t n = (size_t)v->n, nv = (size_t)v->nv, nJ = (size_t)v->nJ;
    v->block = flx_alloc(v->c->ctx, 6 * n + 4 * nv + 7 * nJ + nJ, sizeof *v->block);
    if (!v->block) return FLX_ERR_MEMORY;
    double *at = v->block,
           **const places[] = {&v->d.now,     &v->d.last, &v->d.before, &v->rate,      &v->bend,
                               &v->rhs,       &v->dv.now, &v->dv.last,  &v->dv.before, &v->theta,
                               &v->z.now,     &v->z.last, &v->z.before, &v->zv.now,    &v->zv.last,
                               &v->zv.before, &v->force};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *places[i] = at;
        at += i < 6 ? n : i < 10 ? nv : nJ;
    }
    // the velocity before the layer; a corrected start has its impulse in it
    const flx_state *before =
        v->c->reduced->model->reduce_corrected ? v->c->reduced->start : v->c->full->start;
    for (int k = 0; k < v->nJ; k++) v->zv.now[k] = before->v[v->c->reduced->plan->reduction.J[k]];
    FLX_TRY(flx_blocks_create(v->sys, &v->blocks));
    FLX_TRY(flx_linear_create(v->sys, false, &v->linear));
    flx_linear_take_full(v->linear);
    return FLX_OK;
}

// ---- largest errors -----------------------------------------------------------------------------

// One sample's errors of positions and states: the largest of the rest is returned.
static double add_errors(const flx_certificate *c, const double *e, double t,
                         flx_certified_error *rest, flx_certified_error *fast, double *worst)
{
    const flx_system *s = c->full->sys;
    const flx_neglect *r = &c->reduced->plan->reduction;
    double largest = 0.0;
    for (int i = 0; i < s->dims.nv + s->dims.nx; i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        bool reduced = flx_is_listed(r->n, r->J, i);
        flx_certified_error *to = reduced ? fast : rest;
        double part = fabs(e[i]) / (u.scale > 0.0 ? u.scale : 1.0);
        if (!reduced) largest = fmax(largest, part);
        if (t < c->numbers.layer || !(part > worst[reduced])) continue;
        worst[reduced] = part;
        *to = (flx_certified_error){.item = u.item, .part = u.part, .largest = fabs(e[i]), .at = t};
    }
    return largest;
}

static flx_status expect(flx_certificate *c, const course *motion)
{
    variation v = {.c = c, .sys = c->reduced->sys, .motion = motion};
    double worst[2] = {0.0, 0.0};
    v.h = motion->x[1]->t - motion->x[0]->t;
    flx_status status = prepare(&v);
    if (status == FLX_OK) status = find_inertia(c, motion, &v.mass);
    for (int k = 1; k < c->nsample && status == FLX_OK; k++) { // as long as the full one
        shift(&v.d);
        shift(&v.dv);
        shift(&v.z);
        shift(&v.zv);
        status = step(&v, k);
        if (status != FLX_OK) break;
        c->expected[k] = add_errors(c, v.d.now, motion->x[k]->t, &c->numbers.expected,
                                    &c->numbers.expected_fast, worst);
    }
    c->expected_part = v.nv + v.nx > v.nJ ? worst[0] : worst[1];
    flx_linear_destroy(&v.linear);
    flx_blocks_destroy(&v.blocks);
    flx_free(v.mass.N);
    flx_free(v.block);
    return status;
}

static flx_status meet(flx_certificate *c, const course *motion, const course *full)
{
    const flx_system *s = c->full->sys;
    double worst[2] = {0.0, 0.0};
    int nv = s->dims.nv, nx = s->dims.nx;
    double *theta = flx_alloc(c->ctx, (size_t)(nv + nx), sizeof *theta);
    if (!theta) return FLX_ERR_MEMORY;
    for (int k = 0; k < c->nsample; k++) {
        s->ops->difference(s, motion->x[k]->q, full->x[k]->q, theta);
        for (int i = 0; i < nx; i++) theta[nv + i] = full->x[k]->x[i] - motion->x[k]->x[i];
        c->times[k] = motion->x[k]->t;
        c->met[k] = add_errors(c, theta, c->times[k], &c->numbers.met, &c->numbers.met_fast, worst);
    }
    flx_free(theta);
    return FLX_OK;
}

// ---- together -----------------------------------------------------------------------------------

static bool moves_masses(const flx_model *m)
{
    for (int i = 0; i < m->nreduced; i++) {
        if (m->reduced[i].moves != 0.0) return true;
    }
    return false;
}

static flx_status find(flx_certificate *c, const course *motion, const course *full)
{
    flx_certificate_numbers *n = &c->numbers;
    double from = full->x[0]->t;
    c->nsample = motion->n < full->n ? motion->n : full->n;
    if (c->nsample < FEWEST) {
        c->error_reason = "the full model could not be run far enough; give a shorter --window";
        c->nsample = 0;
        return FLX_OK;
    }
    size_t size = (size_t)c->nsample;
    c->times = flx_alloc(c->ctx, size, sizeof *c->times);
    c->expected = flx_alloc(c->ctx, (size_t)motion->n, sizeof *c->expected);
    c->met = flx_alloc(c->ctx, size, sizeof *c->met);
    if (!c->times || !c->expected || !c->met) return FLX_ERR_MEMORY;
    n->window = full->x[c->nsample - 1]->t - from;
    n->layer = from + (n->decay > 0.0 ? fmin(LAYERS / n->decay, 0.25 * n->window) : 0.0);
    FLX_TRY(meet(c, motion, full));
    double h = n->window / (c->nsample - 1);
    if (!(h * n->next <= 2.0 * RESOLVED)) {
        c->error_reason = flx_arena_printf(c->arena,
                                           "the rest moves at %.3g/s, too fast to be followed over "
                                           "%.3g s; a --window of %.2g s can be",
                                           n->next, n->window, RESOLVED * MOST_SAMPLES / n->next);
        return c->error_reason ? FLX_OK : FLX_ERR_MEMORY;
    }
    if (moves_masses(c->reduced->model)) {
        c->error_reason = "masses are moved to neighbours, which the expansion does not contain";
        return FLX_OK;
    }
    int before = flx_ctx_error_count(c->ctx);
    flx_status status = expect(c, motion);
    if (status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(c->ctx, before);
    if (status != FLX_OK) {
        n->expected.largest = n->expected_fast.largest = (double)NAN;
        c->error_reason = "the equations linearised along the reduced motion cannot be solved";
    }
    return FLX_OK;
}

flx_status flx_certificate_find_errors(flx_certificate *c, const flx_certificate_def *def)
{
    course *both = flx_alloc(c->ctx, 2, sizeof *both);
    if (!both) return FLX_ERR_MEMORY;
    double window = def->window > 0.0 ? def->window : c->full->until - c->full->start->t;
    double wanted = window * c->numbers.next / RESOLVED;
    both[0].most = both[1].most = (int)fmax(SAMPLES, fmin(wanted, MOST_SAMPLES));
    long steps = def->steps > 0 ? def->steps : MOST_STEPS;
    flx_status status = run(c->full, window, steps, &both[0]);
    if (status == FLX_OK) status = run(c->reduced, window, steps, &both[1]);
    if (status == FLX_OK) status = find(c, &both[1], &both[0]);
    clear(&both[0]);
    clear(&both[1]);
    flx_free(both);
    return status;
}

flx_status flx_certificate_expect(flx_certificate *c, double window)
{
    course *motion = flx_alloc(c->ctx, 1, sizeof *motion);
    if (!motion) return FLX_ERR_MEMORY;
    bool whole = false;
    int before = flx_ctx_error_count(c->ctx);
    double wanted = window * c->numbers.next / RESOLVED;
    if (wanted > QUICK_SAMPLES) window *= QUICK_SAMPLES / wanted;
    motion->most = (int)fmax(FEWEST_QUICK, fmin(wanted, QUICK_SAMPLES));
    flx_status status = run_once(c->reduced, window, QUICK_STEPS, QUICK, motion, &whole);
    c->nsample = motion->n;
    c->expected =
        status == FLX_OK ? flx_alloc(c->ctx, (size_t)motion->n + 1, sizeof *c->expected) : NULL;
    if (status == FLX_OK && !c->expected) status = FLX_ERR_MEMORY;
    if (status == FLX_OK && motion->n < FEWEST) status = FLX_NO_CONVERGENCE;
    if (status == FLX_OK) {
        double decay = c->numbers.decay;
        c->numbers.layer =
            motion->x[0]->t + (decay > 0.0 ? fmin(LAYERS / decay, 0.25 * window) : 0.0);
        status = expect(c, motion);
    }
    clear(motion);
    flx_free(motion);
    if (status != FLX_ERR_MEMORY) flx_ctx_forget_errors(c->ctx, before);
    return status;
}
