// Random expressions with switches, nested and several on their border at one instant, integrated by the
// methods and by brute force: the sum over tiny steps of the expression as it stands, whose arguments are
// known in closed form. They stand in an equation, in an equation that they read the unknown of, in a force, in a motion
// of a joint and in the condition of an event. Seeds and counts are printed; what fails is made small before it is shown.
//     FLX_LONG=1: many more. FLX_SEED=n: this one alone.
#include "base/common.h"
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"
#include "random_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 64, STEPS = 60000 };
#define END 3.0
#define CLOSE 2e-3

typedef enum kind {
    NUMBER,
    T,
    Y,
    Z,
    X, // what is sought
    ADD,
    SUB,
    MUL,
    TABLE,
    MOD,
    FLOOR,
    CEIL,
    ROUND,
    MIN,
    MAX,
    ABS,
    SIGN,
    IF,
    IF_AND,
    IF_OR,
    N_KINDS
} kind;

typedef struct tree {
    int n; // the root is the last
    struct {
        kind k;
        double number;
        int a, b, c, d;
    } at[MOST_NODES];
} tree;

// What the expression is: x' of the time alone or also of x; the force on a mass at x, likewise; the rate of the
// displacement x of a joint; what an event waits for to be positive, which x counts.
typedef enum place { IN_EQUATION, IN_FEEDBACK, IN_FORCE, IN_MOTION, IN_EVENT, N_PLACES } place;

// y = y0 + y1 t, z'' = -4 z
typedef struct setting {
    uint64_t seed;
    place where;
    bool reads, smooth;        // x; it has no jumps
    double y0, y1, z0, border; // which the event waits for
    tree e;
} setting;

// ---- a model ----------------------------------------------------------------------------------

static int pick(uint64_t *state, int n)
{
    return (int)(0.5 * (random_number(state) + 1.0) * n) % n;
}

// Quarters, so that borders meet.
static double quarter(uint64_t *state)
{
    return 0.25 * (pick(state, 17) - 8);
}

static int add(tree *t, kind k, int a, int b, int c, int d)
{
    t->at[t->n].k = k;
    t->at[t->n].a = a;
    t->at[t->n].b = b;
    t->at[t->n].c = c;
    t->at[t->n].d = d;
    return t->n++;
}

// Of what reads x none jumps: where it slid along a jump it would have no rate of its own.
static kind random_kind(const setting *s, uint64_t *state)
{
    static const kind smooth[] = {ADD, SUB, MUL, TABLE, MIN, MAX, ABS};
    return s->smooth ? smooth[pick(state, 7)] : (kind)(ADD + pick(state, N_KINDS - ADD));
}

static int grow(setting *s, uint64_t *state, int depth)
{
    tree *t = &s->e;
    if (depth == 0 || t->n > MOST_NODES - 24) {
        int k = pick(state, s->reads ? 8 : 5);
        kind leaf = k == 0 ? NUMBER : k == 1 ? T : k == 2 ? Z : k < 5 ? Y : X;
        int at = add(t, leaf, 0, 0, 0, 0);
        t->at[at].number = quarter(state);
        return at;
    }
    kind k = random_kind(s, state);
    int a = grow(s, state, depth - 1), b = a, c = a, d = a;
    if (k == MUL) { // by a number: values stay small
        b = add(t, NUMBER, 0, 0, 0, 0);
        t->at[b].number = quarter(state) * (s->reads ? 0.5 : 1.0);
    } else if (k == MOD) {
        b = add(t, NUMBER, 0, 0, 0, 0);
        t->at[b].number = 0.5 * (1 + pick(state, 3));
    } else if (k != TABLE && k != FLOOR && k != CEIL && k != ROUND && k != ABS && k != SIGN) {
        b = grow(s, state, depth - 1);
    }
    if (k == IF || k == IF_AND || k == IF_OR) {
        c = grow(s, state, depth - 1);
        d = grow(s, state, depth - 1);
    }
    return add(t, k, a, b, c, d);
}

static setting make(uint64_t seed, place where)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1 + 1000003u * where);
    setting s = {.seed = seed, .where = where};
    s.reads = where == IN_FEEDBACK || (where == IN_FORCE && seed % 2 == 0);
    s.smooth = s.reads || where == IN_MOTION; // a rate that jumps needs an impulse
    for (int i = 0; i < 4; i++) (void)random_number(&state);
    s.y0 = quarter(&state);
    // not a multiple of the time: two values that are the same at all times have no order
    s.y1 = (pick(&state, 2) ? 1.0 : -1.0) * (0.35 + 0.5 * pick(&state, 4));
    s.z0 = 0.25 * (1 + pick(&state, 6));
    (void)grow(&s, &state, 1 + pick(&state, 3));
    s.border = quarter(&state) + 0.07;
    return s;
}

// leaves: y, z, x.
static void write(const tree *t, int i, const char (*leaves)[64], char *out, size_t size)
{
    static const char *const format[N_KINDS] = {
        [T] = "t",
        [ADD] = "(%s + %s)",
        [SUB] = "(%s - %s)",
        [MUL] = "(%s)*(%s)",
        [TABLE] = "p(%s)",
        [MOD] = "mod(%s, %s)",
        [FLOOR] = "floor(%s)",
        [CEIL] = "ceil(%s)",
        [ROUND] = "floor(%s + 0.5)",
        [MIN] = "min(%s, %s)",
        [MAX] = "max(%s, %s)",
        [ABS] = "abs(%s)",
        [SIGN] = "sign(%s)",
        [IF] = "if(%s < %s, %s, %s)",
        [IF_AND] = "if(%s > %s and t > 0.5, %s, %s)",
        [IF_OR] = "if(%s >= %s or y > 1, %s, %s)"}; // never of a motion
    char parts[4][1024];
    if (t->at[i].k == NUMBER) {
        snprintf(out, size, "(%.17g)", t->at[i].number);
        return;
    }
    if (t->at[i].k >= Y && t->at[i].k <= X) {
        snprintf(out, size, "%s", leaves[t->at[i].k - Y]);
        return;
    }
    const int of[4] = {t->at[i].a, t->at[i].b, t->at[i].c, t->at[i].d};
    for (int k = 0; k < 4; k++) {
        parts[k][0] = '\0';
        if (t->at[i].k >= ADD) write(t, of[k], leaves, parts[k], sizeof parts[k]);
    }
    // NOLINTNEXTLINE: formats of this table
    snprintf(out, size, format[t->at[i].k], parts[0], parts[1], parts[2], parts[3]);
}

static const double px[] = {-1, -0.5, 0, 0.5, 1}, py[] = {0.5, -1, 1, 0, 2};

static double table_at(double x)
{
    if (x <= px[0]) return py[0];
    for (int i = 1; i < 5; i++) {
        if (x <= px[i])
            return py[i - 1] + (py[i] - py[i - 1]) * (x - px[i - 1]) / (px[i] - px[i - 1]);
    }
    return py[4];
}

static double eval(const tree *tr, int i, double t, double y, double z, double x)
{
    kind k = tr->at[i].k;
    if (k == NUMBER) return tr->at[i].number;
    if (k < ADD) return k == T ? t : k == Y ? y : k == Z ? z : x;
    double a = eval(tr, tr->at[i].a, t, y, z, x), b = a;
    if (tr->at[i].b != tr->at[i].a) b = eval(tr, tr->at[i].b, t, y, z, x);
    bool condition = k == IF ? a < b : k == IF_AND ? a > b && t > 0.5 : a >= b || y > 1;
    switch (k) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case TABLE:
        return table_at(a);
    case MOD:
        return a - b * floor(a / b);
    case FLOOR:
        return floor(a);
    case CEIL:
        return ceil(a);
    case ROUND:
        return floor(a + 0.5);
    case MIN:
        return fmin(a, b);
    case MAX:
        return fmax(a, b);
    case ABS:
        return fabs(a);
    case SIGN:
        return (a > 0) - (a < 0);
    default:
        return eval(tr, condition ? tr->at[i].c : tr->at[i].d, t, y, z, x);
    }
}

// ---- both ways ----------------------------------------------------------------------------------

static double at(const setting *s, double t, double x)
{
    return eval(&s->e, s->e.n - 1, t, s->y0 + s->y1 * t, s->z0 * cos(2.0 * t), x);
}

// The sum over tiny steps, from the middle of each; *size: of what is summed.
static double by_force(const setting *s, double *size)
{
    double x = 0.0, v = 0.0, h = END / STEPS;
    bool second = s->where == IN_FORCE;
    *size = 1.0;
    for (int i = 0; i < STEPS; i++) {
        double t = (i + 0.5) * h, ahead = x;
        if (s->reads) ahead += 0.5 * h * (second ? v : at(s, i * h, x));
        double f = at(s, t, ahead);
        x += second ? h * (v + 0.5 * h * f) : h * f;
        v += h * f;
        *size += h * fabs(f);
    }
    *size = second ? *size * END : *size;
    return x;
}

#define TOUCHES 5e-3 // what comes nearer than a fifth of that and goes back may touch
#define SHORT 20     // of tiny steps: what lasts less may be seen or not

// How often the event happens; *size: 0 where that is a matter of the last digits.
static double count_by_force(const setting *s, double *size)
{
    double h = END / STEPS, before = at(s, 0.0, 0.0) - s->border, far = 0.0;
    int count = 0, since = 0;
    bool near = fabs(before) < 0.2 * TOUCHES;
    *size = 1e-3;
    for (int i = 1; i <= STEPS; i++) {
        double g = at(s, i * h, 0.0) - s->border;
        if ((g > 0) != (before > 0)) {
            if (since < SHORT || far < TOUCHES) *size = 0.0;
            count += g > 0;
            far = 0.0;
            since = 0;
            near = false;
        }
        far = fmax(far, fabs(g));
        if (fabs(g) < 0.2 * TOUCHES && since > SHORT) near = true;
        if (near && fabs(g) > TOUCHES && since > SHORT) *size = 0.0; // it did not pass
        before = g;
        since++;
    }
    if (since < SHORT || near) *size = 0.0;
    return count;
}

static void write_model(const setting *s, const char *method, char *out, size_t size)
{
    static const char *const signals[] = {"x", "x", "b.position.x", "j.displacement", "x"};
    char text[1024], x[1280] = "", more[1500] = "";
    char leaves[3][64] = {"y", "z", "x"};
    if (s->where == IN_FORCE) snprintf(leaves[2], sizeof leaves[2], "b.position.x");
    if (s->where == IN_MOTION) { // of the time alone
        snprintf(leaves[0], sizeof leaves[0], "(%.17g + %.17g*t)", s->y0, s->y1);
        snprintf(leaves[1], sizeof leaves[1], "%.17g*cos(2*t)", s->z0);
    }
    write(&s->e, s->e.n - 1, leaves, text, sizeof text);
    switch (s->where) {
    case IN_FORCE:
        snprintf(more, sizeof more,
                 "bodies: {b: {type: point, mass: 1}}\n"
                 "forces: {f: {type: force, on: b, value: [\"%s\", 0, 0]}}\n",
                 text);
        break;
    case IN_MOTION:
        snprintf(more, sizeof more,
                 "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {j: {type: prismatic, on: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], "
                 "motion: {rate: \"%s\"}}}\n",
                 text);
        break;
    case IN_EVENT:
        snprintf(x, sizeof x, "  discrete: {x: {at: 0}}\n");
        snprintf(more, sizeof more, "events: {e: {when: \"%s > %.17g\", set: {x: x + 1}}}\n", text,
                 s->border);
        break;
    default:
        snprintf(x, sizeof x, "    x: {at: 0, derivative: \"%s\"}\n", text);
        break;
    }
    snprintf(out, size,
             "flexion: 1\n"
             "functions: {p: {points: [[-1, 0.5], [-0.5, -1], [0, 1], [0.5, 0], [1, 2]]}}\n"
             "%s"
             "equations:\n"
             "  second_order: {z: {at: %.17g, force: -4*z}}\n"
             "  first_order:\n"
             "    y: {at: %.17g, derivative: %.17g%s}\n"
             "%s"
             "simulate: {until: %g, method: %s}\n"
             "outputs: {times: [%g], signals: [%s]}\n",
             more, s->z0, s->y0, s->y1, s->where == IN_EQUATION ? " + 0*x" : "", x, END, method,
             END, signals[s->where]);
}

// Whether a method agrees; *x: its result, not a number where it stopped.
static bool agrees(const setting *s, const char *method, double *x, double *right)
{
    char model[4096];
    case_table t = {0};
    double size;
    write_model(s, method, model, sizeof model);
    *right = s->where == IN_EVENT ? count_by_force(s, &size) : by_force(s, &size);
    *x = *right;
    if (size == 0.0) return true;
    bool ran = case_run(model, NULL, &t, NULL, NULL) && t.rows > 0;
    *x = ran ? t.values[(size_t)(t.rows - 1) * (size_t)t.columns + 1] : (double)NAN;
    case_table_clear(&t);
    return fabs(*x - *right) <= (s->reads ? 2.0 : 1.0) * CLOSE * size;
}

// The branch at i alone, as a tree of its own.
static int copy(const tree *from, int i, tree *to)
{
    const int of[4] = {from->at[i].a, from->at[i].b, from->at[i].c, from->at[i].d};
    int now[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4 && from->at[i].k >= ADD; k++) {
        now[k] = k > 0 && of[k] == of[0] ? now[0] : copy(from, of[k], to);
    }
    int at = add(to, from->at[i].k, now[0], now[1], now[2], now[3]);
    to->at[at].number = from->at[i].number;
    return at;
}

// Smaller expressions that fail too: the operands in the place of an operation.
static setting shrink(setting s, const char *method)
{
    double x, right;
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (int i = 0; i < s.e.n && !smaller; i++) {
            if (s.e.at[i].k < ADD) continue;
            const int of[4] = {s.e.at[i].a, s.e.at[i].b, s.e.at[i].c, s.e.at[i].d};
            for (int k = 0; k < 4 && !smaller; k++) {
                setting less = s, tight = s;
                less.e.at[i] = s.e.at[of[k]];
                tight.e.n = 0;
                (void)copy(&less.e, less.e.n - 1, &tight.e);
                if (tight.e.n >= s.e.n || agrees(&tight, method, &x, &right)) continue;
                s = tight;
                smaller = true;
            }
        }
    }
    return s;
}

static const char *const methods[] = {"radau",
                                      "dopri5",
                                      "dop853",
                                      "gauss",
                                      "generalized-alpha, rtol: 1e-4",
                                      "radau, step: 0.02",
                                      "midpoint, step: 0.005",
                                      "lobatto, step: 0.02",
                                      "bdf",
                                      "adams"};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

// Whether setting number `seed` is integrated; what is not is made small and shown.
static bool is_integrated(long seed, place where, const char *method)
{
    double x, right;
    char model[4096];
    setting s = make((uint64_t)seed, where);
    if (agrees(&s, method, &x, &right)) return true;
    setting least = shrink(s, method);
    (void)agrees(&least, method, &x, &right);
    write_model(&least, method, model, sizeof model);
    printf("seed %ld: %.9g for %.9g\n%s\n", seed, x, right, model);
    return false;
}

static int integrate_in(place where, int all, int many)
{
    const char *one = getenv("FLX_SEED");
    long first = one ? atol(one) : 1, count = one ? 1 : getenv("FLX_LONG") ? many : all;
    int wrong = 0, runs = 0;
    for (long seed = first; seed < first + count; seed++) {
        for (int k = 0; k < (one ? N_METHODS : 2); k++, runs++) {
            const char *method = methods[one ? k : (seed + 5 * k) % N_METHODS];
            // it cannot hold what a motion prescribes
            if (where == IN_MOTION && strcmp(method, "gauss") == 0) method = "auto";
            wrong += !is_integrated(seed, where, method);
        }
    }
    printf("seeds %ld to %ld: %d runs, %d wrong\n", first, first + count - 1, runs, wrong);
    CHECK(wrong == 0);
    return 0;
}

static int random_expressions_are_integrated(void)
{
    return integrate_in(IN_EQUATION, 150, 20000);
}
static int those_that_read_what_they_move_are(void)
{
    return integrate_in(IN_FEEDBACK, 60, 5000);
}
static int random_forces_are_integrated(void)
{
    return integrate_in(IN_FORCE, 60, 5000);
}
static int random_motions_are_followed(void)
{
    return integrate_in(IN_MOTION, 40, 3000);
}
static int random_events_happen(void)
{
    return integrate_in(IN_EVENT, 60, 5000);
}

// Two switches on their border at the start, of which one reads the other, and nothing that moves yet.
static int those_that_were_wrong_are_not(void)
{
    for (int k = 0; k < N_METHODS; k++) CHECK(is_integrated(500788, IN_EQUATION, methods[k]));
    return 0;
}

TEST_MAIN(TEST(random_expressions_are_integrated), TEST(those_that_read_what_they_move_are),
          TEST(random_forces_are_integrated), TEST(random_motions_are_followed),
          TEST(random_events_happen), TEST(those_that_were_wrong_are_not))
