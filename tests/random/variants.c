// variants.c - what a random model is compared with.
#include "variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 4
#define RTOL 1e-9
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

static void in_small_units(const spec *s, uint64_t seed, spec *out, view *v)
{
    (void)seed;
    copy_rescaled(s, 1e9, 1e12, 1e6, out, v); // nm, ng, us
}
static void in_large_units(const spec *s, uint64_t seed, spec *out, view *v)
{
    (void)seed;
    copy_rescaled(s, 1e-6, 1e-6, 1e-4, out, v); // Mm, Gg, 1e4 s
}

void shake(const spec *s, uint64_t seed, spec *out)
{
    uint64_t state = seed;
    double x[3];
    *out = *s;
    v3_store(x, s->gravity);
    for (int i = 0; i < 3; i++) x[i] *= 1.0 + uniform(&state, -1, 1) * 1e-15;
    out->gravity = v3_load(x);
    for (int i = 0; i < s->nbody; i++) {
        double by = 1.0 + uniform(&state, -1, 1) * 1e-15;
        out->bodies[i].mass *= by;
        out->bodies[i].density *= by;
        out->bodies[i].J = m33_scale(1.0 + uniform(&state, -1, 1) * 1e-15, s->bodies[i].J);
    }
    for (int i = 0; i < s->nforce; i++) {
        double by = 1.0 + uniform(&state, -1, 1) * 1e-15;
        for (int n = 0; n < 6; n++) out->forces[i].k[n] *= by;
    }
}

// No copy at all: shows that a difference is found.
static void heavier(const spec *s, uint64_t seed, spec *out, view *v)
{
    (void)seed;
    *v = same_view();
    *out = *s;
    for (int i = 0; i < s->nbody; i++) out->bodies[i].mass *= 1.001;
}

// ---- list ---------------------------------------------------------------------------------------

#define BIT(kind) (1u << SIGNAL_##kind)
#define ALL ((1u << SIGNAL_KINDS) - 1)
#define LOADS (BIT(REACTION) | BIT(MOMENT) | BIT(DRIVE))
#define MOTION (ALL & ~BIT(ACCELERATION) & ~LOADS & ~BIT(PRESS))

const method references[FORMS] = {
    {"dop853", "index-1", "", RTOL, 0, NULL},
    {"radau", "index-3", "", RTOL, 0, NULL},
};

#define ADAPTIVE(method, form, kinds, often)                                                       \
    {                                                                                              \
        method " " form, {method, form, "", RTOL, 0, NULL}, kinds, NULL, false, 0, often           \
    }
#define COPY(name, function)                                                                       \
    {                                                                                              \
        name, {"", "", "", RTOL, 0, NULL}, ALL, function, false, 0, 3                              \
    }
#define STEPS(method, form, keys, kinds)                                                           \
    {                                                                                              \
        method " " form " with steps", {method, form, keys, 0, 1, NULL}, kinds, NULL, false, 1e-5, \
            20                                                                                     \
    }

#define AS_DRAWN "analyse: {m: {type: modes}}\n"
#define AT_REST(name, function, analyses)                                                          \
    {                                                                                              \
        name, {"auto", "auto", "", RTOL, 0, analyses}, 0, function, false, 0, 6                    \
    }

const variant variants[] = {
    ADAPTIVE("dop853", "tree", ALL, 2),
    ADAPTIVE("dopri5", "index-1", ALL, 5),
    ADAPTIVE("auto", "auto", ALL, 2),
    ADAPTIVE("radau", "index-3", ALL, 4),
    ADAPTIVE("radau", "ggl", ALL, 4),
    ADAPTIVE("radau", "tree", ALL, 4),
    ADAPTIVE("bdf", "ggl", ALL, 10),
    ADAPTIVE("adams", "index-1", ALL, 10),
    COPY("turned", turned),
    COPY("mirrored", mirrored),
    COPY("reversed", reversed),
    COPY("permuted", permuted),
    {"begun later", {"", "", "", RTOL, 0, NULL}, ALL, NULL, true, 0, 3},
    COPY("in a part", copy_into_part),
    {"wrong", {"", "", "", RTOL, 0, NULL}, ALL, heavier, false, 0, NEVER},
    COPY("in mm, g, ms", in_millimetres),
    COPY("in nm, ng, us", in_small_units),
    COPY("in Mm, Gg, 1e4 s", in_large_units),
    AT_REST("modes, turned", turned, AS_DRAWN),
    AT_REST("modes, mirrored", mirrored, AS_DRAWN),
    AT_REST("modes, reversed", reversed, AS_DRAWN),
    AT_REST("modes, permuted", permuted, AS_DRAWN),
    AT_REST("modes, in a part", copy_into_part, AS_DRAWN),
    AT_REST("modes, in mm, g, ms", in_millimetres, AS_DRAWN),
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
    STEPS("gauss", "index-3", "", MOTION),
    STEPS("trapezoidal", "ggl", "", MOTION),
    STEPS("newmark", "index-3", "", MOTION),
    STEPS("galerkin", "index-3", "", MOTION),
    STEPS("variational", "tree", "", MOTION),
    STEPS("hht", "tree", "", MOTION),
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

void write_variant_meshes(const spec *s, const variant *v, const char *folder)
{
    spec copy = *s;
    view seen;
    if (v->copy) v->copy(s, s->seed, &copy, &seen);
    write_meshes(&copy, folder);
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

// Forces of redundant joints are not unique, nor those of contacts that stick where others hold them.
static unsigned kinds_of(const variant *v, const table *a)
{
    unsigned kinds = a->redundant > 0 || a->shared ? v->kinds & ~LOADS : v->kinds;
    if (a->shared) kinds &= ~BIT(PRESS);
    return kinds;
}

// ---- another start of time ----------------------------------------------------------------------

static v3 vector_of(const double *x, int dimension)
{
    return x ? v3_make(x[0], x[1], dimension == 3 ? x[2] : 0.0) : v3_make(0, 0, 0);
}

static void place_body(const spec *s, const table *a, int row, int i, spec_body *b)
{
    int n = s->dimension;
    b->position = vector_of(table_value(a, SIGNAL_POSITION, i, 0, row), n);
    b->velocity = vector_of(table_value(a, SIGNAL_VELOCITY, i, 0, row), n);
    if (b->kind == BODY_POINT) return;
    const double *spin = table_value(a, SIGNAL_SPIN, i, 0, row);
    b->omega = n == 3 ? vector_of(spin, 3) : v3_make(0, 0, spin[0]);
    if (n == 3) {
        v3 x = v3_unit(vector_of(table_value(a, SIGNAL_AXIS, i, 0, row), 3));
        v3 y = vector_of(table_value(a, SIGNAL_AXIS, i, 1, row), 3);
        v3 z = v3_unit(v3_cross(x, y));
        b->R = m33_from_cols(x, v3_cross(z, x), z);
    } else {
        double turned = table_value(a, SIGNAL_ANGLE, i, 0, row)[0];
        b->R = m33_mul(quat_to_m33(quat_exp(v3_make(0, 0, turned))), b->R);
    }
}

// The drawing is the state of that row: coordinates begin at zero.
static void shift_joint(spec *s, int joint, double coordinate)
{
    spec_joint *j = s->joints + joint;
    j->starts = false;
    j->wall[0] -= coordinate;
    j->stop.at -= coordinate;
    for (int i = 0; i < s->nforce; i++) {
        spec_force *f = s->forces + i;
        if (acts_on_joint(f) && f->on[0] == joint) f->rest -= coordinate;
    }
    for (int i = 0; i < s->nvariable; i++) {
        if (s->variables[i].joint == joint) s->variables[i].offset += coordinate;
    }
    for (int i = 0; i < s->nrelation; i++) {
        for (int k = 0; k < 2; k++) {
            if (s->relations[i].of[k] == joint) s->relations[i].offset[k] += coordinate;
        }
    }
}

static v3 turned_with(const spec *before, const spec *after, int body, v3 a)
{
    if (body < 0) return a;
    return m33_mul_v(after->bodies[body].R, m33_tmul_v(before->bodies[body].R, a));
}

static void begin_later(const spec *s, const table *a, int row, spec *out)
{
    *out = *s;
    double at = s->until * row / (a->rows - 1);
    out->time += at;
    out->until -= at;
    for (int i = 0; i < s->nbody; i++) {
        if (s->bodies[i].there) place_body(s, a, row, i, out->bodies + i);
    }
    for (int i = 0; i < s->njoint; i++) {
        spec_joint *j = out->joints + i;
        if (!j->there || j->kind == JOINT_GEAR) continue;
        bool second = j->kind == JOINT_KNIFE;
        j->axis = turned_with(s, out, j->on[second], j->axis);
        j->axis2 = turned_with(s, out, j->on[1], j->axis2);
        if (!joint_has_coordinate(s, i)) continue;
        signal_kind kind = j->kind == JOINT_PRISMATIC ? SIGNAL_JOINT_SLIDE : SIGNAL_JOINT_ANGLE;
        shift_joint(out, i, table_value(a, kind, i, 0, row)[0]);
    }
    for (int i = 0; i < s->nvariable; i++) {
        spec_variable *x = out->variables + i;
        if (!x->there) continue;
        x->at = table_value(a, SIGNAL_VARIABLE, i, 0, row)[0];
        if (x->kind == SECOND_ORDER) x->rate = table_value(a, SIGNAL_VARIABLE, i, 1, row)[0];
    }
}

static finding judge_later(const spec *s, const variant *v, int form, const table *a, double rtol)
{
    spec later;
    view seen = same_view();
    table b, rest;
    finding f;
    int worst = -1;
    method m = references[form];
    m.rtol = rtol;
    begin_later(s, a, ROWS / 2, &later);
    table_run(&later, &seen, &m, ROWS / 2, true, &b);
    if (b.status != 0) {
        f = refused(&b);
    } else {
        table_from(a, ROWS / 2, &rest);
        table_count_joints(&b);
        double d = table_difference(&rest, &b, kinds_of(v, a), &worst);
        f = say(d <= AGREEMENT ? AGREES : DISAGREES, d, a, worst);
        table_clear(&rest);
    }
    table_clear(&b);
    return f;
}

static finding judge_at(const spec *s, const variant *v, double rtol)
{
    table a, b;
    finding f = {.verdict = UNKNOWN};
    int worst = -1, form = refer(s, rtol, &a);
    if (form >= 0 && v->later) {
        f = judge_later(s, v, form, &a, rtol);
    } else if (form >= 0) {
        run_variant(s, v, form, rtol, 1.0 / FIXED, &b);
        if (b.status != 0) {
            f = refused(&b);
        } else {
            double d = table_difference(&a, &b, kinds_of(v, &a), &worst);
            f = say(d < AGREEMENT ? AGREES : DISAGREES, d, &a, worst);
        }
        table_clear(&b);
    }
    table_clear(&a);
    return f;
}

// How much the result changes with data that differ by rounding: of a model that bounces without end, or
// is tossed by a stop, no digit may be left.
static double of_rounding(const spec *s, double rtol)
{
    enum { TIMES = 3 };
    table a, b;
    spec copy;
    double most = 0.0;
    int worst, form = refer(s, rtol, &a);
    for (int i = 0; i < TIMES && form >= 0; i++) {
        view seen = same_view();
        method m = references[form];
        m.rtol = rtol;
        shake(s, s->seed + (uint64_t)i, &copy);
        table_run(&copy, &seen, &m, ROWS, true, &b);
        if (b.status == 0) most = fmax(most, table_difference(&a, &b, ALL, &worst));
        table_clear(&b);
    }
    table_clear(&a);
    return most;
}

// Differences of tolerances shrink with them.
static finding look_closer(const spec *s, const variant *v, double before)
{
    static const double tight[] = {1e-11, 1e-12};
    finding f = {.verdict = UNKNOWN};
    for (int i = 0; i < 2; i++) {
        f = judge_at(s, v, tight[i]);
        bool less = f.verdict == DISAGREES && f.difference < 0.1 * before;
        if (f.verdict == AGREES || less) f.verdict = SENSITIVE;
        if (f.verdict == SENSITIVE) return f;
        bool blurred = f.verdict == DISAGREES && f.difference <= 10.0 * of_rounding(s, tight[i]);
        if (blurred) f.verdict = ROUNDING;
        if (blurred) return f;
    }
    return f;
}

// Whether still shorter steps are nearer: steps that end at switches do not halve alike, and a start far from what damping
// without mass allows is over within one of them.
static bool gets_closer(const spec *s, const variant *v, const table *a, unsigned kinds, double d)
{
    static const double length[] = {1.0 / 8.0, 1.0 / 64.0};
    bool closer = false;
    for (int i = 0; i < 2 && !closer; i++) {
        table b;
        int worst;
        run_variant(s, v, 0, 0, length[i] / FIXED, &b);
        closer = b.status == 0 && table_difference(a, &b, kinds, &worst) < 0.5 * d;
        table_clear(&b);
    }
    return closer;
}

// Whether it is the reference that is off: a tighter one is as near as steps are.
static bool reference_is_off(const spec *s, const table *steps, unsigned kinds, double most)
{
    table tight;
    int worst;
    bool off =
        refer(s, 1e-12, &tight) >= 0 && table_difference(&tight, steps, kinds, &worst) <= most;
    table_clear(&tight);
    return off;
}

static finding judge_steps(const spec *s, const variant *v, const table *a)
{
    table one, two;
    finding f;
    int worst = -1, other;
    for (int i = 0; i < s->nbody; i++) { // these steps do not resolve its vibrations
        if (s->bodies[i].there && is_flexible(s, i)) return (finding){.verdict = UNKNOWN};
    }
    run_variant(s, v, 0, 0, 1.0 / FIXED, &one);
    run_variant(s, v, 0, 0, 0.5 / FIXED, &two);
    if (one.status != 0 || two.status != 0) {
        f = refused(one.status != 0 ? &one : &two);
    } else {
        unsigned kinds = kinds_of(v, a);
        double change = table_difference(&one, &two, kinds, &other);
        double d = table_difference(a, &two, kinds, &worst);
        f = say(d <= 2.0 * change + v->tolerance ? AGREES : DISAGREES, d, a, worst);
        if (f.verdict == DISAGREES && two.unfollowed) f.verdict = SENSITIVE;
        if (f.verdict == DISAGREES && gets_closer(s, v, a, kinds, d)) f.verdict = SENSITIVE;
        bool off =
            f.verdict == DISAGREES && reference_is_off(s, &two, kinds, 2.0 * change + v->tolerance);
        if (off) f.verdict = SENSITIVE;
        snprintf(f.message, sizeof f.message, "half the step changes it by %.3g", change);
    }
    table_clear(&one);
    table_clear(&two);
    return f;
}

// Friction follows reactions; where these are not unique, it is not either.
static bool is_unique(const spec *s, const table *a)
{
    bool rubs = false;
    for (int i = 0; i < s->njoint; i++) {
        rubs = rubs || (s->joints[i].there && s->joints[i].friction[0] > 0);
    }
    return !(rubs && (a->redundant > 0 || a->shared));
}

finding judge(const spec *s, const variant *v, int form, const table *a)
{
    table b;
    int worst = -1;
    if (!is_unique(s, a) || (v->later && !can_be_shifted(s))) return (finding){.verdict = UNKNOWN};
    if (v->m.analyses) return judge_rest(s, v);
    if (v->tolerance > 0) return judge_steps(s, v, a);
    if (v->later) {
        finding f = judge_later(s, v, form, a, RTOL);
        return f.verdict == DISAGREES ? look_closer(s, v, f.difference) : f;
    }
    run_variant(s, v, form, RTOL, 0, &b);
    finding f;
    if (b.status != 0) {
        f = refused(&b);
    } else if (b.freedoms != a->freedoms || b.redundant != a->redundant) {
        bool tree = strstr(v->name, "tree") || strstr(v->name, "auto"); // counts what is left
        f = say(tree ? AGREES : DISAGREES, HUGE_VAL, a, -1);
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
