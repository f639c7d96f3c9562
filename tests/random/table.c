// table.c - a run of a random model.
#include "table.h"

#include "flexion/flexion.h"
#include "kept_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- signals ------------------------------------------------------------------------------------

static void add(signal *list, int *n, signal_kind kind, int item, int part, const char *prefix,
                const char *member)
{
    signal *s = list + (*n)++;
    *s = (signal){.kind = kind, .item = item, .part = part};
    snprintf(s->name, sizeof s->name, "%s%d%s", prefix, item, member);
}

static void list_node(int body, int node, signal *list, int *n)
{
    char name[32];
    snprintf(name, sizeof name, ".node(%d).position", node);
    add(list, n, SIGNAL_POSITION, body, 0, "b", name);
    snprintf(name, sizeof name, ".node(%d).velocity", node);
    add(list, n, SIGNAL_VELOCITY, body, 0, "b", name);
}

static void list_body(const spec *s, int i, signal *list, int *n)
{
    if (s->bodies[i].kind == BODY_SOLID) {
        list_node(i, s->bodies[i].mesh.nnode, list, n);
        list_node(i, s->bodies[i].mesh.nnode - 2, list, n);
        return;
    }
    if (is_flexible(s, i)) {
        static const char *const names[2][2] = {{".start.position", ".start.velocity"},
                                                {".end.position", ".end.velocity"}};
        for (int k = 0; k < 2; k++) {
            add(list, n, SIGNAL_POSITION, i, 0, "b", names[k][0]);
            add(list, n, SIGNAL_VELOCITY, i, 0, "b", names[k][1]);
        }
        return;
    }
    add(list, n, SIGNAL_POSITION, i, 0, "b", ".position");
    add(list, n, SIGNAL_VELOCITY, i, 0, "b", ".velocity");
    // without mass it is a limit, good to 1e-3
    if (s->bodies[i].mass > 0.0) add(list, n, SIGNAL_ACCELERATION, i, 0, "b", ".acceleration");
    if (s->bodies[i].kind == BODY_POINT) return;
    if (s->dimension == 2) {
        add(list, n, SIGNAL_ANGLE, i, 0, "b", ".angle");
        add(list, n, SIGNAL_SPIN, i, 0, "b", ".rate");
    } else {
        add(list, n, SIGNAL_AXIS, i, 0, "b", ".ex");
        add(list, n, SIGNAL_AXIS, i, 1, "b", ".ey");
        add(list, n, SIGNAL_SPIN, i, 0, "b", ".angular_velocity");
    }
}

// It holds a place alone.
static bool is_pinned(const spec *s, int joint)
{
    for (int k = 0; k < 2; k++) {
        int on = s->joints[joint].on[k];
        if (on < 0) continue;
        body_kind kind = s->bodies[on].kind;
        if (kind == BODY_POINT || kind == BODY_BEAM) return true;
    }
    return s->dimension == 2 && s->joints[joint].kind == JOINT_REVOLUTE;
}

static void list_joint(const spec *s, int i, bool reactions, signal *list, int *n)
{
    joint_kind k = s->joints[i].kind;
    if (joint_turns(s, i)) add(list, n, SIGNAL_JOINT_ANGLE, i, 0, "j", ".angle");
    if (joint_slides(s, i)) add(list, n, SIGNAL_JOINT_SLIDE, i, 0, "j", ".displacement");
    if (joint_has_coordinate(s, i)) add(list, n, SIGNAL_JOINT_RATE, i, 0, "j", ".rate");
    bool loads = k != JOINT_GEAR && k != JOINT_FREE;
    if (reactions && loads) add(list, n, SIGNAL_REACTION, i, 0, "j", ".reaction");
    // of others the places of both bodies are apart, and the moment depends on which of them is meant
    bool pivots = k == JOINT_FIXED || k == JOINT_UNIVERSAL || k == JOINT_REVOLUTE;
    if (reactions && pivots && !is_pinned(s, i)) add(list, n, SIGNAL_MOMENT, i, 0, "j", ".moment");
    if (reactions && s->joints[i].moves) add(list, n, SIGNAL_DRIVE, i, 0, "j", ".drive");
}

static void list_force(const spec_force *f, int i, signal *list, int *n)
{
    bool contact = f->kind == FORCE_CONTACT, along = goes_through(f) || f->kind == FORCE_BY_LAW;
    if (!contact && !along && f->kind != FORCE_TYRE) return;
    if (contact) add(list, n, SIGNAL_GAP, i, 0, "f", ".gap");
    if (along) add(list, n, SIGNAL_GAP, i, 0, "f", ".length");
    add(list, n, SIGNAL_PRESS, i, 0, "f", ".value");
    if (f->kind == FORCE_TYRE) {
        add(list, n, SIGNAL_GAP, i, 1, "f", ".deflection");
        add(list, n, SIGNAL_PRESS, i, 1, "f", ".longitudinal");
        add(list, n, SIGNAL_RATIO, i, 0, "f", ".slip");
    }
    if (f->kind == FORCE_MUSCLE) {
        add(list, n, SIGNAL_RATIO, i, 0, "f", ".fibre");
        add(list, n, SIGNAL_RATIO, i, 1, "f", ".activation");
    }
}

int list_signals(const spec *s, bool reactions, signal *list)
{
    int n = 1;
    list[0] = (signal){.name = "energy", .kind = SIGNAL_ENERGY, .item = -1};
    for (int i = 0; i < s->nbody; i++) {
        if (s->bodies[i].there) list_body(s, i, list, &n);
    }
    for (int i = 0; i < s->njoint; i++) {
        if (s->joints[i].there) list_joint(s, i, reactions, list, &n);
    }
    for (int i = 0; i < s->nforce; i++) {
        if (s->forces[i].there) list_force(s->forces + i, i, list, &n);
    }
    for (int i = 0; i < s->nvariable; i++) {
        if (!s->variables[i].there) continue;
        add(list, &n, SIGNAL_VARIABLE, i, 0, "x", "");
        if (s->variables[i].kind == SECOND_ORDER) add(list, &n, SIGNAL_VARIABLE, i, 1, "x", "'");
    }
    for (int i = 0; i < n && s->in_part; i++) {
        if (list[i].item < 0) continue;
        memmove(list[i].name + 2, list[i].name, strlen(list[i].name) + 1);
        memcpy(list[i].name, "p.", 2);
    }
    return n;
}

// ---- back to the original -----------------------------------------------------------------------

static void turn_back(const view *v, double factor, int n, double *x)
{
    v3 a = v3_make(x[0], x[1], n > 2 ? x[2] : 0.0);
    a = v3_scale(factor, m33_tmul_v(v->Q, a));
    x[0] = a.x;
    x[1] = a.y;
    if (n > 2) x[2] = a.z;
}

static void bring_back(const spec *s, const view *v, const signal *g, int n, double *x)
{
    double L = v->length, T = v->time;
    const spec_joint *j = s->joints + (g->item < 0 ? 0 : g->item);
    bool slides = g->kind == SIGNAL_JOINT_RATE && j->kind == JOINT_PRISMATIC;
    double ahead =
        s->dimension == 2 ? v->det : 1.0; // in the plane a tyre's x is that of the ground
    switch (g->kind) {
    case SIGNAL_ENERGY:
        for (int i = 0; i < n; i++) x[i] *= T * T / (L * L * v->mass);
        break;
    case SIGNAL_POSITION:
        x[0] -= v->shift.x;
        x[1] -= v->shift.y;
        if (n > 2) x[2] -= v->shift.z;
        turn_back(v, 1.0 / L, n, x);
        break;
    case SIGNAL_VELOCITY:
        turn_back(v, T / L, n, x);
        break;
    case SIGNAL_ACCELERATION:
        turn_back(v, T * T / L, n, x);
        break;
    case SIGNAL_AXIS: // the body's x is reflected
        turn_back(v, g->part == 0 ? v->det : 1.0, n, x);
        break;
    case SIGNAL_ANGLE:
        x[0] *= v->det;
        break;
    case SIGNAL_SPIN:
        if (n == 1) x[0] *= v->det * T;
        if (n == 3) turn_back(v, v->det * T, n, x);
        break;
    case SIGNAL_JOINT_ANGLE:
        x[0] *= j->angle_sign;
        break;
    case SIGNAL_JOINT_SLIDE:
        x[0] *= j->slide_sign / L;
        break;
    case SIGNAL_JOINT_RATE:
        x[0] *= slides ? j->slide_sign * T / L : j->angle_sign * T;
        break;
    case SIGNAL_REACTION:
        turn_back(v, j->reaction_sign * T * T / (L * v->mass), n, x);
        break;
    case SIGNAL_MOMENT:
        if (n == 1) x[0] *= v->det * j->reaction_sign * T * T / (L * L * v->mass);
        if (n == 3) turn_back(v, v->det * j->reaction_sign * T * T / (L * L * v->mass), n, x);
        break;
    case SIGNAL_DRIVE:
        x[0] *= T * T / (L * v->mass);
        x[0] *= j->kind == JOINT_PRISMATIC ? j->slide_sign : j->angle_sign / L;
        break;
    case SIGNAL_GAP:
        x[0] /= L;
        break;
    case SIGNAL_PRESS:
        x[0] *= T * T / (L * v->mass) * (g->part == 1 ? ahead : 1.0);
        break;
    case SIGNAL_RATIO:
        if (s->forces[g->item].kind == FORCE_TYRE) x[0] *= ahead;
        break;
    case SIGNAL_VARIABLE:
        if (g->part == 1) x[0] *= T;
        break;
    default:
        break;
    }
}

static void count_from_start(table *t, unsigned kinds)
{
    int columns = t->first[t->nsignal];
    for (int i = 0; i < t->nsignal; i++) {
        bool relative = kinds & (1u << t->signals[i].kind);
        for (int c = t->first[i]; c < t->first[i + 1] && relative; c++) {
            for (int r = t->rows - 1; r >= 0; r--) t->x[r * columns + c] -= t->x[c];
        }
    }
}

// ---- a run --------------------------------------------------------------------------------------

static void take(const spec *s, const view *v, flx_result *r, table *t)
{
    int columns[SIGNALS][8], n = 0;
    for (int i = 0; i < t->nsignal; i++) {
        t->first[i] = n;
        n += flx_result_find(r, t->signals[i].name, 8, columns[i]);
    }
    t->first[t->nsignal] = n;
    t->rows = flx_result_rows(r);
    t->x = calloc((size_t)(t->rows * n) + 1, sizeof *t->x);
    if (!t->x) abort();
    for (int i = 0; i < t->nsignal; i++) {
        int width = t->first[i + 1] - t->first[i];
        for (int k = 0; k < t->rows; k++) {
            double *x = t->x + k * n + t->first[i];
            for (int c = 0; c < width; c++) x[c] = flx_result_column(r, columns[i][c])[k];
            bring_back(s, v, t->signals + i, width, x);
        }
    }
    // potentials and angles have no zero of their own
    count_from_start(t, (1u << SIGNAL_ENERGY) | (1u << SIGNAL_ANGLE));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); // whatever else runs
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int read_model(const spec *s, flx_ctx *ctx, const char *text, flx_model **model)
{
    const char *folder = scratch_folder();
    char name[300];
    snprintf(name, sizeof name, "%s/model.yaml", folder);
    write_meshes(s, folder);
    int status = flx_model_read_text(ctx, name, text, strlen(text), 0, NULL, model);
    remove_meshes(s, folder);
    return status;
}

#define PATIENCE 1.5 // seconds of one run

static int impatient(void *user, double t, double until)
{
    (void)t;
    (void)until;
    return now() - *(double *)user > PATIENCE;
}

void table_run(const spec *s, const view *v, const method *m, int rows, bool reactions, table *out)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *result = NULL;
    char *text = write_spec(s, m, s->until / rows, reactions);
    *out = (table){.nsignal = 0};
    out->nsignal = list_signals(s, reactions, out->signals);
    for (int i = 0; i < s->nbody; i++) {
        const spec_body *b = s->bodies + i;
        out->limits = out->limits || (b->there && b->kind == BODY_POINT && b->mass == 0.0);
    }
    double begun = now();
    flx_status status = read_model(s, ctx, text, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) {
        out->started = true;
        out->freedoms = flx_simulation_summary(sim)->freedoms;
        out->redundant = flx_simulation_summary(sim)->redundant;
        status = flx_memory_sink_create(ctx, &sink);
    }
    if (status == FLX_OK) status = flx_simulation_run(sim, 1, &sink, impatient, &begun);
    if (status == FLX_OK) status = flx_memory_sink_take(sink, &result);
    if (status == FLX_OK) take(s, v, result, out);
    for (int i = 0; i < flx_ctx_warning_count(ctx); i++) {
        const char *said = flx_ctx_warning(ctx, i)->text;
        out->shared = out->shared || strstr(said, "one choice of many");
        out->unfollowed =
            out->unfollowed || strstr(said, "the motion is not followed") ||
            strstr(said, "and the motion is wrong"); // joints that contradict a motion
    }
    const flx_message *message = flx_ctx_error(ctx, 0);
    const char *words = message ? message->text : "";
    out->seconds = now() - begun;
    if (status == FLX_OK && !flx_simulation_ledger(sim)->balanced) {
        status = FLX_ERR_CANNOT;
        words = "the result fails its own ledger";
    }
    if (status != FLX_OK && out->seconds > PATIENCE) words = "it takes too long";
    out->status = status;
    snprintf(out->message, sizeof out->message, "%s", words);
    flx_result_close(&result);
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    free(text);
}

void table_clear(table *t)
{
    free(t->x);
    t->x = NULL;
}

// ---- parts of a run -----------------------------------------------------------------------------

void table_count_joints(table *t)
{
    count_from_start(t, (1u << SIGNAL_JOINT_ANGLE) | (1u << SIGNAL_JOINT_SLIDE));
}

void table_from(const table *t, int row, table *out)
{
    size_t n = (size_t)t->first[t->nsignal];
    *out = *t;
    out->rows = t->rows - row;
    out->x = calloc((size_t)out->rows * n + 1, sizeof *out->x);
    if (!out->x) abort();
    memcpy(out->x, t->x + (size_t)row * n, (size_t)out->rows * n * sizeof *out->x);
    count_from_start(out, (1u << SIGNAL_ENERGY) | (1u << SIGNAL_ANGLE));
    table_count_joints(out);
}

const double *table_value(const table *t, signal_kind kind, int item, int part, int row)
{
    for (int i = 0; i < t->nsignal; i++) {
        const signal *s = t->signals + i;
        if (s->kind != kind || s->item != item || s->part != part) continue;
        return t->x + row * t->first[t->nsignal] + t->first[i];
    }
    return NULL;
}

// ---- two runs -----------------------------------------------------------------------------------

// The integral of what is dissipated is not under error control.
enum { DISSIPATED = 3 };
#define LOOSE 1e-3
#define OF_LIMITS 1e-2 // which are good to 1e-5 of the largest

double table_difference(const table *a, const table *b, unsigned kinds, int *worst)
{
    // what is small for bodies of a kilogram and a metre that move within a second
    static const double least[SIGNAL_KINDS] = {0.3, 0.3, 0.3, 1,   0.3, 0.3, 0.3, 0.3, 0.3,
                                               0.3, 1,   1,   0.3, 1,   0.3, 1,   1};
    double scale[SIGNAL_KINDS], most = 0.0;
    int n = a->first[a->nsignal];
    memcpy(scale, least, sizeof scale);
    *worst = -1;
    if (b->rows != a->rows || b->nsignal != a->nsignal || b->first[b->nsignal] != n)
        return HUGE_VAL;
    for (int i = 0; i < a->nsignal; i++) {
        for (int c = a->first[i]; c < a->first[i + 1]; c++) {
            double *to = scale + a->signals[i].kind;
            for (int r = 0; r < a->rows; r++) *to = fmax(*to, fabs(a->x[r * n + c]));
        }
    }
    for (int i = 0; i < a->nsignal; i++) {
        signal_kind kind = a->signals[i].kind;
        if (!(kinds & (1u << kind))) continue;
        for (int c = a->first[i]; c < a->first[i + 1]; c++) {
            for (int r = 0; r < a->rows; r++) {
                double d = fabs(a->x[r * n + c] - b->x[r * n + c]) / scale[kind];
                if (kind == SIGNAL_ENERGY && c - a->first[i] == DISSIPATED) d *= LOOSE;
                bool force = kind == SIGNAL_ACCELERATION || kind == SIGNAL_REACTION ||
                             kind == SIGNAL_PRESS || kind == SIGNAL_MOMENT || kind == SIGNAL_DRIVE;
                if (a->limits && force) d *= OF_LIMITS;
                if (!isfinite(d)) d = HUGE_VAL;
                if (!(d > most)) continue;
                most = d;
                *worst = i;
            }
        }
    }
    return most;
}
