// rest.c - eigenvalues of a random model at rest: copies have the same.
#include "variants.h"

#include "flexion/flexion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EIGENVALUES 256
// Eigenvalues that differ by this part of their size and of what rounding leaves of zero agree.
#define EQUAL 1e-5
#define PLACED 1e-13 // how exactly a point without mass is where its springs are in balance

typedef struct spectrum {
    int status;
    bool read;
    char message[256];
    int n, zero; // eigenvalues, and those of them that are zero, which come first
    double re[EIGENVALUES], im[EIGENVALUES];
} spectrum;

// Nothing moves.
static void stop(spec *s)
{
    const v3 none = v3_make(0, 0, 0);
    for (int i = 0; i < s->nbody; i++) s->bodies[i].velocity = s->bodies[i].omega = none;
    for (int i = 0; i < s->njoint; i++) s->joints[i].motion[0] = s->joints[i].start[1] = 0.0;
    for (int i = 0; i < s->nvariable; i++) s->variables[i].rate = 0.0;
}

static void take(const flx_modes *m, double time, spectrum *out)
{
    out->zero = m->nneutral + m->nhidden; // where they begin is a matter of rounding
    for (int i = 0; i < out->zero && out->n < EIGENVALUES; i++) out->n++;
    for (int i = 0; i < m->nmode; i++) {                                // both of a pair
        bool slow = hypot(m->modes[i].re, m->modes[i].im) <= m->within; // told as zero or not
        for (int k = 0; k < (m->modes[i].im > 0.0 ? 2 : 1) && out->n < EIGENVALUES; k++) {
            out->re[out->n] = slow ? 0.0 : m->modes[i].re * time;
            out->im[out->n++] = slow ? 0.0 : m->modes[i].im * time * (k ? -1.0 : 1.0);
        }
    }
}

static void find(const spec *s, const view *v, const method *m, spectrum *out)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    char *text = write_spec(s, m, s->until, false);
    *out = (spectrum){.n = 0};
    flx_status status = read_model(s, ctx, text, &model);
    out->read = status == FLX_OK;
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    const char *type, *about;
    for (int i = 0; status == FLX_OK && flx_simulation_analysis(sim, i, &type, &about); i++) {
        flx_finding_clear(&f);
        status = flx_simulation_analyse(sim, i, &f);
    }
    if (status == FLX_OK) take(&f.modes, v->time, out);
    out->status = status;
    const flx_message *message = flx_ctx_error(ctx, 0);
    snprintf(out->message, sizeof out->message, "%s", message ? message->text : "");
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    free(text);
}

// The largest distance of an eigenvalue from the nearest one of the other that is left.
static double differ(const spectrum *a, const spectrum *b, int *worst)
{
    bool taken[EIGENVALUES] = {false};
    double most = 0.0;
    for (int i = 0; i < a->n; i++) {
        double best = HUGE_VAL;
        int k = -1;
        for (int j = 0; j < b->n; j++) {
            double d = hypot(a->re[i] - b->re[j], a->im[i] - b->im[j]);
            if (!taken[j] && d < best) best = d, k = j;
        }
        if (k >= 0) taken[k] = true;
        double d = best / (1.0 + hypot(a->re[i], a->im[i]));
        if (d > most) most = d, *worst = i;
    }
    return most;
}

// How much eigenvalues change with data that differ by rounding. Points without mass are in balance as nearly as they were
// placed; over damping that is nearly singular the rest gives them velocities, which turn with nothing and spread zeros.
static double of_rounding(const spec *still, const method *m, const spectrum *a)
{
    enum { TIMES = 3 };
    static spectrum b;
    spec copy;
    view seen = same_view();
    double most = 0.0;
    int worst = -1;
    for (int i = 0; i < TIMES; i++) {
        uint64_t state = still->seed + (uint64_t)i;
        shake(still, state, &copy);
        for (int n = 0; n < copy.nbody; n++) {
            spec_body *p = copy.bodies + n;
            if (p->kind != BODY_POINT || p->mass != 0.0) continue;
            double x[3];
            v3_store(x, p->position);
            for (int k = 0; k < copy.dimension; k++) x[k] += uniform(&state, -1, 1) * PLACED;
            p->position = v3_load(x);
        }
        find(&copy, &seen, m, &b);
        if (b.status == 0) most = fmax(most, differ(a, &b, &worst));
    }
    return most;
}

finding judge_rest(const spec *s, const variant *v)
{
    static spectrum a, b;
    spec still = *s, copy;
    view seen = same_view();
    int worst = -1;
    finding f = {.verdict = UNKNOWN};
    stop(&still);
    find(&still, &seen, &v->m, &a);
    if (a.status != 0) return f;
    v->copy(&still, s->seed, &copy, &seen);
    find(&copy, &seen, &v->m, &b);
    if (b.status != 0) {
        f.verdict = b.read ? FAILED : REFUSED;
        snprintf(f.message, sizeof f.message, "%s", b.message);
        return f;
    }
    f.difference = differ(&a, &b, &worst);
    bool same = a.n == b.n && f.difference <= EQUAL;
    f.verdict = same ? AGREES : DISAGREES;
    bool blurred = !same && a.n == b.n && f.difference <= 10.0 * of_rounding(&still, &v->m, &a);
    if (blurred) f.verdict = ROUNDING;
    snprintf(f.where, sizeof f.where, "eigenvalue %d", worst + 1);
    snprintf(f.message, sizeof f.message, "%d and %d eigenvalues, %d and %d of them zero", a.n, b.n,
             a.zero, b.zero);
    return f;
}
