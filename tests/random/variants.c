// variants.c - what a random model is compared with.
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 4
#define RTOL 1e-9
#define TIGHT 1e-11
#define AGREEMENT 1e-6 // of runs with RTOL
#define FIXED 200      // steps of a run with a fixed step

// ---- copies -------------------------------------------------------------------------------------

static void turned(const spec *s, uint64_t seed, spec *out, view *v)
{
    copy_turned(s, seed, false, out, v);
}
static void mirrored(const spec *s, uint64_t seed, spec *out, view *v)
{
    copy_turned(s, seed, true, out, v);
}
static void reversed(const spec *s, uint64_t seed, spec *out, view *v)
{
    *v = same_view();
    copy_reversed(s, seed, out);
}
static void permuted(const spec *s, uint64_t seed, spec *out, view *v)
{
    *v = same_view();
    copy_permuted(s, seed, out);
}
static void in_millimetres(const spec *s, uint64_t seed, spec *out, view *v)
{
    (void)seed;
    copy_rescaled(s, 1e3, 1e3, 1e3, out, v); // mm, g, ms
}

// ---- list ---------------------------------------------------------------------------------------

#define BIT(kind) (1u << SIGNAL_##kind)
#define ALL ((1u << SIGNAL_KINDS) - 1)
#define MOTION (ALL & ~BIT(ACCELERATION) & ~BIT(REACTION))

const method references[FORMS] = {
    {"dop853", "index-1", "", RTOL, 0},
    {"radau", "index-3", "", RTOL, 0},
};

#define ADAPTIVE(method, form, kinds, often)                                                       \
    {                                                                                              \
        method " " form, {method, form, "", RTOL, 0}, kinds, NULL, 0, often                        \
    }
#define COPY(name, function)                                                                       \
    {                                                                                              \
        name, {"", "", "", RTOL, 0}, ALL, function, 0, 1                                           \
    }
#define STEPS(method, form, keys, kinds)                                                           \
    {                                                                                              \
        method " " form " with steps", {method, form, keys, 0, 1}, kinds, NULL, 1e-5, 10           \
    }

// Until accelerations and multipliers are solved for at every output of these methods.
#define OF_STAGES MOTION

const variant variants[] = {
    ADAPTIVE("dop853", "tree", ALL, 1),
    ADAPTIVE("dopri5", "index-1", ALL, 3),
    ADAPTIVE("auto", "auto", OF_STAGES, 1),
    ADAPTIVE("radau", "index-3", OF_STAGES, 3),
    ADAPTIVE("radau", "ggl", OF_STAGES, 3),
    ADAPTIVE("radau", "tree", OF_STAGES, 3),
    ADAPTIVE("bdf", "ggl", OF_STAGES, 5),
    ADAPTIVE("adams", "index-1", ALL, 5),
    COPY("turned", turned),
    COPY("mirrored", mirrored),
    COPY("reversed", reversed),
    COPY("permuted", permuted),
    COPY("in a part", copy_into_part),
    COPY("in mm, g, ms", in_millimetres),
    STEPS("generalized-alpha", "index-3", "", MOTION),
    STEPS("generalized-alpha", "ggl", "", MOTION),
    STEPS("generalized-alpha", "tree", "", MOTION),
    STEPS("radau", "index-3", "", MOTION),
    STEPS("hht", "index-3", "", MOTION),
    STEPS("midpoint", "index-3", "", MOTION),
    STEPS("implicit-euler", "ggl", "", MOTION),
    STEPS("lobatto", "ggl", "", MOTION),
    STEPS("variational", "index-3", "", MOTION),
    STEPS("energy-momentum", "", "", MOTION),
};
const int variant_count = (int)(sizeof variants / sizeof variants[0]);

// ---- runs ---------------------------------------------------------------------------------------

static method method_of(const spec *s, const variant *v, int form, double rtol, double step)
{
    method m = v->m;
    if (m.name[0] == 0) m = references[form];
    if (m.rtol > 0) m.rtol = rtol;
    if (m.step > 0) m.step = step * s->until / s->tick;
    return m;
}

static void run_variant(const spec *s, const variant *v, int form, double rtol, double step,
                        table *t)
{
    spec copy = *s;
    view seen = same_view();
    method m = method_of(s, v, form, rtol, step);
    if (v->copy) v->copy(s, s->seed, &copy, &seen);
    table_run(&copy, &seen, &m, ROWS, true, t);
}

char *variant_text(const spec *s, const variant *v)
{
    spec copy = *s;
    view seen;
    method m = method_of(s, v, 0, RTOL, 1.0 / FIXED);
    if (v->copy) v->copy(s, s->seed, &copy, &seen);
    return write_spec(&copy, &m, copy.until / ROWS, true);
}

int refer(const spec *s, double rtol, table *a)
{
    for (int i = 0; i < FORMS; i++) {
        view v = same_view();
        method m = references[i];
        m.rtol = rtol;
        table_run(s, &v, &m, ROWS, true, a);
        if (a->status == 0) return i;
        if (i + 1 < FORMS) table_clear(a);
    }
    return -1;
}

static finding say(verdict v, double difference, const table *t, int worst)
{
    finding f = {.verdict = v, .difference = difference};
    snprintf(f.message, sizeof f.message, "%s", t->message);
    if (worst >= 0) snprintf(f.where, sizeof f.where, "%s", t->signals[worst].name);
    return f;
}

static finding refused(const table *t)
{
    return say(t->started ? FAILED : REFUSED, 0, t, -1);
}

// Forces of redundant joints are not unique.
static unsigned kinds_of(const variant *v, const table *a)
{
    return a->redundant > 0 ? v->kinds & ~BIT(REACTION) : v->kinds;
}

// Differences of tolerances shrink with them.
static finding look_closer(const spec *s, const variant *v, double before)
{
    table a, b;
    finding f = {.verdict = UNKNOWN};
    int worst = -1, form = refer(s, TIGHT, &a);
    if (form >= 0) {
        run_variant(s, v, form, TIGHT, 1.0 / FIXED, &b);
        if (b.status != 0) {
            f = refused(&b);
        } else {
            double d = table_difference(&a, &b, kinds_of(v, &a), &worst);
            bool less = d < AGREEMENT || d < 0.1 * before;
            f = say(less ? SENSITIVE : DISAGREES, d, &a, worst);
        }
        table_clear(&b);
    }
    table_clear(&a);
    return f;
}

static finding judge_steps(const spec *s, const variant *v, const table *a)
{
    table one, two;
    finding f;
    int worst = -1, other;
    run_variant(s, v, 0, 0, 1.0 / FIXED, &one);
    run_variant(s, v, 0, 0, 0.5 / FIXED, &two);
    if (one.status != 0 || two.status != 0) {
        f = refused(one.status != 0 ? &one : &two);
    } else {
        unsigned kinds = kinds_of(v, a);
        double change = table_difference(&one, &two, kinds, &other);
        double d = table_difference(a, &two, kinds, &worst);
        f = say(d <= 2.0 * change + v->tolerance ? AGREES : DISAGREES, d, a, worst);
        snprintf(f.message, sizeof f.message, "half the step changes it by %.3g", change);
    }
    table_clear(&one);
    table_clear(&two);
    return f;
}

finding judge(const spec *s, const variant *v, int form, const table *a)
{
    table b;
    int worst = -1;
    if (v->tolerance > 0) return judge_steps(s, v, a);
    run_variant(s, v, form, RTOL, 0, &b);
    finding f;
    if (b.status != 0) {
        f = refused(&b);
    } else if (b.freedoms != a->freedoms || b.redundant != a->redundant) {
        bool tree = strstr(v->name, "tree") || strstr(v->name, "auto"); // counts what is left
        f = say(tree ? AGREES : DISAGREES, INFINITY, a, -1);
        snprintf(f.message, sizeof f.message, "%d freedoms and %d redundant rows, not %d and %d",
                 b.freedoms, b.redundant, a->freedoms, a->redundant);
        if (tree) f.difference = table_difference(a, &b, kinds_of(v, a), &worst);
        if (tree && f.difference > AGREEMENT) f = look_closer(s, v, f.difference);
    } else {
        double d = table_difference(a, &b, kinds_of(v, a), &worst);
        f = d <= AGREEMENT ? say(AGREES, d, a, worst) : look_closer(s, v, d);
    }
    table_clear(&b);
    return f;
}

finding judge_alone(const spec *s, const variant *v)
{
    table a;
    finding f = {.verdict = UNKNOWN};
    int form = refer(s, RTOL, &a);
    if (form >= 0) f = judge(s, v, form, &a);
    table_clear(&a);
    return f;
}
