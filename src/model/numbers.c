// numbers.c - the numbers of a model that follow from its parameters, n = N(p): which they are, the
// program that evaluates them, and models that have numbers of their own.
#include "model/numbers.h"

#include "model/beam_numbers.h"
#include "model/number_limits.h"

#include <stddef.h>
#include <stdlib.h>

// ---- which numbers there are ---------------------------------------------------------------------

// Numbers of an item and, beside them, their expressions.
typedef struct field {
    size_t number, open;
    int count;
    flx_must_be be;
    const char *what;
} field;

#define FIELD(type, member, count, be, what)                                                       \
    {                                                                                              \
        offsetof(type, member), offsetof(type, member##_open), count, FLX_##be, what               \
    }

static const field of_model[] = {FIELD(flx_model, gravity, 3, FINITE, "gravity"), {.count = 0}};
static const field of_body[] = {
    FIELD(flx_body, mass, 1, NOT_NEGATIVE, "mass"),
    FIELD(flx_body, inertia, 9, FINITE, "inertia"),
    FIELD(flx_body, com, 3, FINITE, "centre of mass"),
    FIELD(flx_body, position, 3, FINITE, "position"),
    FIELD(flx_body, R, 9, FINITE, "orientation"),
    FIELD(flx_body, angle, 1, FINITE, "angle"),
    FIELD(flx_body, start.velocity, 3, FINITE, "velocity"),
    FIELD(flx_body, start.angular_velocity, 3, FINITE, "angular velocity"),
    FIELD(flx_body, start.origin, 3, FINITE, "position"),
    FIELD(flx_body, start.carried, 3, FINITE, "angular velocity"),
    {.count = 0},
};
static const field of_point[] = {
    FIELD(flx_point_def, at, 3, FINITE, "place"),
    FIELD(flx_point_def, R, 9, FINITE, "orientation"),
    {.count = 0},
};
static const field of_shape[] = {
    FIELD(flx_shape, size, 3, FINITE, "size of the shape"),
    FIELD(flx_shape, at, 3, FINITE, "place of the shape"),
    {.count = 0},
};
static const field of_joint[] = {
    FIELD(flx_joint, at, 6, FINITE, "place"),
    FIELD(flx_joint, frame, 18, FINITE, "axis"),
    FIELD(flx_joint, axis, 6, FINITE, "axis"),
    FIELD(flx_joint, normal, 3, FINITE, "normal"),
    FIELD(flx_joint, length, 1, POSITIVE, "distance"),
    FIELD(flx_joint, pitch, 1, NOT_ZERO, "pitch"),
    FIELD(flx_joint, ratio, 1, FINITE, "ratio"),
    FIELD(flx_joint, radius, 1, POSITIVE, "radius"),
    FIELD(flx_joint, start_value, 1, FINITE, "initial"),
    FIELD(flx_joint, start_rate_value, 1, FINITE, "rate of the start"),
    {.count = 0},
};
static const field of_variable[] = {
    FIELD(flx_variable, at, 1, FINITE, "initial value"),
    FIELD(flx_variable, rate, 1, FINITE, "initial rate"),
    {.count = 0},
};
static const field of_first[] = {
    FIELD(flx_first_order, at, 1, FINITE, "initial value"),
    FIELD(flx_first_order, mass, 1, NOT_ZERO, "mass"),
    {.count = 0},
};
static const field of_discrete[] = {FIELD(flx_discrete, at, 1, FINITE, "initial value"),
                                    {.count = 0}};
static const field of_constraint[] = {
    FIELD(flx_constraint, compliance, 1, NOT_NEGATIVE, "compliance"),
    FIELD(flx_constraint, restitution, 1, PART, "restitution"),
    FIELD(flx_constraint, friction, 1, NOT_NEGATIVE, "coefficient of friction"),
    FIELD(flx_constraint, sticking, 1, NOT_NEGATIVE, "static friction"),
    {.count = 0},
};
static const field of_event[] = {
    FIELD(flx_event, every, 1, POSITIVE, "interval"),
    FIELD(flx_event, start, 1, NOT_NEGATIVE, "start"),
    {.count = 0},
};
static const field of_force[] = {
    FIELD(flx_force, at, 6, FINITE, "place"),
    FIELD(flx_force, frame, 18, FINITE, "frame"),
    FIELD(flx_force, stiffness, 6, FINITE, "stiffness"),
    FIELD(flx_force, damping, 6, FINITE, "damping"),
    FIELD(flx_force, length, 1, FINITE, "length"),
    FIELD(flx_force, G, 1, FINITE, "G"),
    {.count = 0},
};

static const field of_contact[] = {
    FIELD(flx_contact, stiffness, 1, NOT_NEGATIVE, "stiffness"),
    FIELD(flx_contact, damping, 1, NOT_NEGATIVE, "damping"),
    FIELD(flx_contact, E, 2, NOT_NEGATIVE, "E"),
    FIELD(flx_contact, nu, 2, POISSON_CONTACT, "Poisson's ratio"),
    FIELD(flx_contact, restitution, 1, PART, "restitution"),
    FIELD(flx_contact, friction.coefficient, 1, NOT_NEGATIVE, "coefficient of friction"),
    FIELD(flx_contact, friction.sticking, 1, NOT_NEGATIVE, "static friction"),
    FIELD(flx_contact, friction.velocity, 1, NOT_NEGATIVE, "velocity of friction"),
    FIELD(flx_contact, friction.stiffness, 1, NOT_NEGATIVE, "stiffness of friction"),
    FIELD(flx_contact, friction.damping, 1, NOT_NEGATIVE, "damping of friction"),
    FIELD(flx_contact, friction.rolling, 1, NOT_NEGATIVE, "rolling friction"),
    FIELD(flx_contact, friction.spinning, 1, NOT_NEGATIVE, "spinning friction"),
    {.count = 0},
};

static const field of_stick[] = {
    FIELD(flx_stick, friction, 1, NOT_NEGATIVE, "coefficient of the friction"),
    FIELD(flx_stick, sticking, 1, NOT_NEGATIVE, "static friction"),
    {.count = 0},
};
static const field of_stop[] = {
    FIELD(flx_stop, bounds, 2, FINITE, "limit"),
    FIELD(flx_stop, stiffness, 1, POSITIVE, "stiffness of the limits"),
    FIELD(flx_stop, exponent, 1, ONE_OR_MORE, "exponent of the limits"),
    FIELD(flx_stop, damping, 1, NOT_NEGATIVE, "damping of the limits"),
    FIELD(flx_stop, restitution, 1, PART, "restitution of the limits"),
    {.count = 0},
};

static const field of_section[] = {
    FIELD(flx_given_section, E, 1, POSITIVE, "Young's modulus"),
    FIELD(flx_given_section, nu, 1, POISSON, "Poisson's ratio"),
    FIELD(flx_given_section, density, 1, NOT_NEGATIVE, "density"),
    FIELD(flx_given_section, size, 2, POSITIVE, "size of the section"),
    FIELD(flx_given_section, EA, 1, POSITIVE, "EA"),
    FIELD(flx_given_section, EI, 2, POSITIVE, "EI"),
    FIELD(flx_given_section, GA, 2, POSITIVE, "GA"),
    FIELD(flx_given_section, GJ, 1, POSITIVE, "GJ"),
    FIELD(flx_given_section, stiffness, 36, FINITE, "stiffness of the section"),
    FIELD(flx_given_section, mass, 1, POSITIVE, "mass per length"),
    FIELD(flx_given_section, inertia, 3, NOT_NEGATIVE, "inertia per length"),
    {.count = 0},
};
static const field of_beam[] = {FIELD(flx_beam, damping, 2, NOT_NEGATIVE, "damping"), {.count = 0}};

// An array of items: members of flx_model.
typedef struct kind {
    size_t items, count, more; // more: another count that is added; 0: none
    size_t size, name, loc;    // of an item
    const field *fields;
} kind;

#define KIND(type, items, count, more, fields)                                                     \
    {                                                                                              \
        offsetof(flx_model, items), offsetof(flx_model, count), more, sizeof(type),                \
            offsetof(type, name), offsetof(type, loc), fields                                      \
    }

static const kind kinds[] = {
    KIND(flx_body, bodies, nbody, offsetof(flx_model, nattached), of_body),
    KIND(flx_joint, joints, njoint, 0, of_joint),
    KIND(flx_force, forces, nforce, 0, of_force),
    KIND(flx_force, frictions, nfriction, 0, of_force),
    KIND(flx_contact, contacts, ncontact, 0, of_contact),
    KIND(flx_stop, stops, nstop, 0, of_stop),
    KIND(flx_stick, sticks, nstick, 0, of_stick),
    KIND(flx_variable, variables, nvariable, 0, of_variable),
    KIND(flx_first_order, firsts, nfirst, 0, of_first),
    KIND(flx_discrete, discretes, ndiscrete, 0, of_discrete),
    KIND(flx_constraint, constraints, nconstraint, 0, of_constraint),
    KIND(flx_event, events, nevent, 0, of_event),
};
#define NKIND (sizeof kinds / sizeof *kinds)

static int count_items(const flx_model *m, const kind *k)
{
    const char *base = (const char *)m;
    int n = *(const int *)(base + k->count);
    return k->more ? n + *(const int *)(base + k->more) : n;
}

static char **items_of(flx_model *m, const kind *k)
{
    return (char **)((char *)m + k->items);
}

// ---- the walk ------------------------------------------------------------------------------------

typedef struct flx_number {
    flx_node node;
    flx_must_be be;
    const char *what, *name; // name NULL: of the model itself
    flx_loc loc;
    int body; // inertia of this one; -1: none
} flx_number;

struct flx_numbers {
    int n, capacity;
    flx_number *list;
    flx_program *program;
    int scratch; // of its evaluation with slopes
};

struct flx_varied {
    double **at;     // (n) where the numbers are
    double *p, *new; // (ntunable), (n)
    double *along, *scratch;
};

// Either the numbers are listed, or their places in a varied model, in the same order, or all are shown.
typedef struct walk {
    flx_model *m;
    flx_number_visit *visit;
    void *user;
    flx_numbers *list;
    double **at;
    int n;
} walk;

static flx_status meet(walk *w, const field *f, char *item, const char *name, flx_loc loc, int body)
{
    double *numbers = (double *)(item + f->number);
    const flx_open *open = (const flx_open *)(item + f->open);
    if (w->visit) w->visit(w->user, f->what, name, f->count, numbers);
    for (int i = 0; i < f->count; i++) {
        if (!open[i]) continue;
        if (w->at) w->at[w->n] = numbers + i;
        if (w->list) {
            flx_numbers *l = w->list;
            FLX_TRY(
                flx_grow(w->m->ctx, (void **)&l->list, &l->capacity, w->n + 1, sizeof *l->list));
            l->list[w->n] = (flx_number){open[i] - 1, f->be, f->what, name, loc, body};
        }
        w->n++;
    }
    return FLX_OK;
}

static flx_status meet_all(walk *w, const field *fields, char *item, const char *name, flx_loc loc,
                           int body)
{
    for (const field *f = fields; f->count > 0; f++) {
        bool inertia = body >= 0 && f->number == offsetof(flx_body, inertia);
        FLX_TRY(meet(w, f, item, name, loc, inertia ? body : -1));
    }
    return FLX_OK;
}

// Points and shapes of the bodies.
static flx_status walk_bodies(walk *w)
{
    for (int i = 0; i < flx_model_frames(w->m); i++) {
        const flx_body *b = w->m->bodies + i;
        for (int k = 0; k < b->npoint; k++) {
            flx_point_def *p = b->points + k;
            FLX_TRY(meet_all(w, of_point, (char *)p, b->name, b->loc, -1));
        }
        for (int k = 0; k < b->nshape; k++) {
            flx_shape *s = b->shapes + k;
            FLX_TRY(meet_all(w, of_shape, (char *)s, b->name, b->loc, -1));
        }
    }
    return FLX_OK;
}

// What follows from them, which items have, is shown instead.
static flx_status walk_beams(walk *w)
{
    for (int i = 0; i < w->m->nbeam && !w->visit; i++) {
        flx_beam *b = w->m->beams + i;
        int before = w->n;
        FLX_TRY(meet_all(w, of_beam, (char *)b, b->name, b->loc, -1));
        for (int k = 0; k < b->ngiven; k++) {
            flx_given_section *g = b->given + k;
            FLX_TRY(meet_all(w, of_section, (char *)g, b->name, g->loc, -1));
        }
        if (w->list) b->follows = w->n > before;
    }
    return FLX_OK;
}

// They are no numbers of items: nobody is shown them.
static flx_status walk_limits(walk *w)
{
    for (int i = 0; i < w->m->nlimit && !w->visit; i++) {
        flx_limit *l = w->m->limits + i;
        const field f = {offsetof(flx_limit, value), offsetof(flx_limit, value_open), 1,
                         l->positive ? FLX_POSITIVE : FLX_NOT_NEGATIVE, l->what};
        FLX_TRY(meet(w, &f, (char *)l, l->name, l->loc, -1));
    }
    return FLX_OK;
}

static flx_status walk_model(walk *w)
{
    FLX_TRY(meet_all(w, of_model, (char *)w->m, NULL, FLX_NOWHERE, -1));
    for (size_t i = 0; i < NKIND; i++) {
        const kind *k = kinds + i;
        char *items = *items_of(w->m, k);
        int n = count_items(w->m, k);
        for (int j = 0; j < n; j++) {
            char *item = items + (size_t)j * k->size;
            const char *name = *(const char **)(item + k->name);
            FLX_TRY(meet_all(w, k->fields, item, name, *(flx_loc *)(item + k->loc),
                             k->fields == of_body ? j : -1));
        }
    }
    FLX_TRY(walk_bodies(w));
    FLX_TRY(walk_beams(w));
    return walk_limits(w);
}

void flx_model_each_number(const flx_model *m, flx_number_visit *visit, void *user)
{
    walk w = {.m = (flx_model *)(uintptr_t)m, .visit = visit, .user = user}; // reads alone
    (void)walk_model(&w);
}

// ---- the program ---------------------------------------------------------------------------------

void flx_numbers_destroy(flx_numbers **numbers)
{
    flx_numbers *n = *numbers;
    if (!n) return;
    flx_program_destroy(&n->program);
    flx_free(n->list);
    flx_free(n);
    *numbers = NULL;
}

static flx_status compile(const flx_model *m, flx_numbers *n)
{
    flx_leaf *leaves = flx_alloc(m->ctx, (size_t)m->ntunable, sizeof *leaves);
    flx_node *nodes = flx_alloc(m->ctx, (size_t)n->n, sizeof *nodes);
    flx_status status = leaves && nodes ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int k = 0; k < m->ntunable; k++) leaves[k] = m->tunables[k].leaf;
        for (int i = 0; i < n->n; i++) nodes[i] = n->list[i].node;
        status = flx_program_compile(m->graph, m->ntunable, leaves, n->n, nodes, &n->program);
    }
    flx_free(leaves);
    flx_free(nodes);
    if (status == FLX_OK) n->scratch = flx_program_slope_scratch(n->program);
    return status;
}

// The numbers as the program makes them, which may be other ones in the last digit than those that the reader made: the
// same parameters make the same numbers, whether they were set or read.
static flx_status take_numbers(flx_model *m, const flx_numbers *n)
{
    size_t np = (size_t)m->ntunable, scratch = (size_t)n->scratch;
    double **at = flx_alloc(m->ctx, (size_t)n->n, sizeof *at);
    double *values = flx_alloc(m->ctx, (size_t)n->n + np + scratch, sizeof *values);
    flx_status status = at && values ? FLX_OK : FLX_ERR_MEMORY;
    walk w = {.m = m, .at = at};
    if (status == FLX_OK) status = walk_model(&w);
    if (status == FLX_OK) {
        double *p = values + n->n;
        for (size_t k = 0; k < np; k++) p[k] = m->tunables[k].value;
        flx_program_eval(n->program, p, p + np, values);
        for (int i = 0; i < n->n; i++) *at[i] = values[i];
        status = flx_beams_follow(m);
    }
    flx_free(at);
    flx_free(values);
    return status;
}

flx_status flx_numbers_finish(flx_model *m)
{
    if (m->ntunable == 0) return FLX_OK;
    flx_numbers *n = m->numbers = flx_alloc(m->ctx, 1, sizeof *n);
    if (!n) return FLX_ERR_MEMORY;
    walk w = {.m = m, .list = n};
    FLX_TRY(walk_model(&w));
    n->n = w.n;
    FLX_TRY(compile(m, n));
    return take_numbers(m, n);
}

int flx_model_number_count(const flx_model *m)
{
    return m->numbers ? m->numbers->n : 0;
}

// ---- parameters ----------------------------------------------------------------------------------

int flx_model_tunable(const flx_model *m, flx_leaf leaf)
{
    int from = 0, to = m->ntunable;
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (m->tunables[middle].leaf < leaf) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < m->ntunable && m->tunables[from].leaf == leaf ? from : -1;
}

int flx_param_of_leaf(const flx_model *m, flx_leaf leaf)
{
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    return k && k->parameter ? k->parameter(m, leaf) : -1;
}

void flx_param_fill(const flx_model *m, double *param)
{
    for (int k = 0; k < m->nload; k++) param[k] = 1.0;
    for (int i = 0; i < m->ninput; i++) {
        double *of = param + flx_param_input(m, i, FLX_INPUT_VALUE);
        for (int part = 0; part < FLX_INPUT_NUMBERS; part++) of[part] = 0.0;
        of[FLX_INPUT_VALUE] = m->inputs[i].value;
        of[FLX_INPUT_FREE] = 1.0;
    }
    for (int k = 0; k < m->ntunable; k++) param[flx_param_tunable(m, k)] = m->tunables[k].value;
}

// ---- models with numbers of their own ------------------------------------------------------------

static void *copy(flx_arena *arena, const void *from, size_t n, size_t size)
{
    void *to = flx_arena_take(arena, n, size);
    if (to && n > 0) memcpy(to, from, n * size);
    return to;
}

static flx_status copy_beams(flx_model *own)
{
    own->beams = copy(own->arena, own->beams, (size_t)own->nbeam, sizeof *own->beams);
    if (!own->beams) return FLX_ERR_MEMORY;
    for (int i = 0; i < own->nbeam; i++) {
        flx_beam *b = own->beams + i;
        size_t n = b->stations ? (size_t)(b->nstation * b->nelement) : 0;
        if (!b->follows) continue;
        b->given = copy(own->arena, b->given, (size_t)b->ngiven, sizeof *b->given);
        if (!b->given) return FLX_ERR_MEMORY;
        if (n > 0) b->stations = copy(own->arena, b->stations, n, sizeof *b->stations);
        if (n > 0 && !b->stations) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status copy_items(flx_model *own)
{
    for (size_t i = 0; i < NKIND; i++) {
        const kind *k = kinds + i;
        char **items = items_of(own, k);
        char *mine = copy(own->arena, *items, (size_t)count_items(own, k), k->size);
        if (!mine) return FLX_ERR_MEMORY;
        *items = mine;
    }
    own->limits = copy(own->arena, own->limits, (size_t)own->nlimit, sizeof *own->limits);
    if (!own->limits) return FLX_ERR_MEMORY;
    for (int i = 0; i < flx_model_frames(own); i++) {
        flx_body *b = own->bodies + i;
        flx_point_def *points = copy(own->arena, b->points, (size_t)b->npoint, sizeof *points);
        flx_shape *shapes = copy(own->arena, b->shapes, (size_t)b->nshape, sizeof *shapes);
        if (!points || !shapes) return FLX_ERR_MEMORY;
        b->points = points;
        b->shapes = shapes;
    }
    return copy_beams(own);
}

static flx_status make_varied(flx_model *own)
{
    size_t n = (size_t)flx_model_number_count(own), np = (size_t)own->ntunable;
    flx_arena *a = own->arena;
    flx_varied *v = own->varied = flx_arena_take(a, 1, sizeof *v);
    if (!v) return FLX_ERR_MEMORY;
    v->at = flx_arena_take(a, n, sizeof(double *));
    v->p = flx_arena_take(a, np, sizeof(double));
    v->new = flx_arena_take(a, n, sizeof(double));
    v->along = flx_arena_take(a, np, sizeof(double));
    v->scratch =
        flx_arena_take(a, own->numbers ? (size_t)own->numbers->scratch : 0, sizeof(double));
    if (!v->at || !v->p || !v->new || !v->along || !v->scratch) return FLX_ERR_MEMORY;
    for (size_t k = 0; k < np; k++) v->p[k] = own->tunables[k].value;
    return FLX_OK;
}

flx_status flx_model_vary(const flx_model *m, flx_ctx *ctx, flx_model **out)
{
    *out = NULL;
    flx_arena *arena = flx_arena_create(ctx);
    flx_model *own = arena ? copy(arena, m, 1, sizeof *m) : NULL;
    flx_status status = own ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        own->ctx = ctx;
        own->arena = arena;
        own->varied = NULL;
        own->description = NULL;
        own->core = NULL;
        own->handle = NULL;
        own->users = NULL;
        status = copy_items(own);
    }
    if (status == FLX_OK) status = make_varied(own);
    if (status == FLX_OK) {
        walk w = {.m = own, .at = own->varied->at};
        status = walk_model(&w);
        if (m->varied) memcpy(own->varied->p, m->varied->p, (size_t)m->ntunable * sizeof(double));
    }
    if (status != FLX_OK) {
        flx_arena_destroy(&arena);
        return status;
    }
    *out = own;
    return FLX_OK;
}

static flx_status check_number(const flx_model *m, const flx_number *n, double x)
{
    const char *name = n->name ? n->name : "";
    const char *of = n->name ? " of '" : "", *end = n->name ? "'" : "";
    if (!isfinite(x)) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, n->loc,
                        "with these parameters the %s%s%s%s is not a finite number", n->what, of,
                        name, end);
    }
    if (flx_number_may_be(n->be, x)) return FLX_OK;
    return FLX_FAIL(m->ctx, FLX_ERR_MODEL, n->loc,
                    "with these parameters the %s%s%s%s is %g; it must %s", n->what, of, name, end,
                    x, flx_number_must(n->be));
}

static void exchange(flx_model *own)
{
    flx_varied *v = own->varied;
    for (int i = 0; i < own->numbers->n; i++) {
        double old = *v->at[i];
        *v->at[i] = v->new[i];
        v->new[i] = old;
    }
}

static flx_status check_inertias(const flx_model *own)
{
    const flx_number *list = own->numbers->list;
    for (int i = 0, last = -1; i < own->numbers->n; i++) {
        if (list[i].body < 0 || list[i].body == last) continue;
        last = list[i].body;
        FLX_TRY(flx_body_check_inertia(own->ctx, own->dimension, own->bodies + last,
                                       own->bodies[last].loc));
    }
    return FLX_OK;
}

flx_status flx_model_set_parameters(flx_model *own, const double *p)
{
    const flx_numbers *n = own->numbers;
    flx_varied *v = own->varied;
    if (!v) return FLX_FAIL(own->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the model is shared");
    if (!n) return FLX_OK;
    flx_program_eval(n->program, p, v->scratch, v->new);
    for (int i = 0; i < n->n; i++) FLX_TRY(check_number(own, n->list + i, v->new[i]));
    exchange(own);
    flx_status status = check_inertias(own);
    if (status == FLX_OK) status = flx_numbers_check_pairs(own);
    if (status == FLX_OK) status = flx_beams_follow(own);
    if (status != FLX_OK) {
        exchange(own); // as before
        (void)flx_beams_follow(own);
        return status;
    }
    memcpy(v->p, p, (size_t)own->ntunable * sizeof *p);
    return FLX_OK;
}

const double *flx_model_parameters(const flx_model *own)
{
    return own->varied->p;
}

double *const *flx_model_numbers(const flx_model *own)
{
    return own->varied->at;
}

void flx_model_number_slopes(const flx_model *own, int k, double *out)
{
    flx_varied *v = own->varied;
    if (!own->numbers) return;
    for (int i = 0; i < own->ntunable; i++) v->along[i] = i == k;
    flx_program_slope(own->numbers->program, v->p, v->along, v->scratch, v->new, out);
}
