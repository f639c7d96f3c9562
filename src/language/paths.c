// paths.c - paths: desired motions as functions of the time, piece by piece a polynomial (docs/theory/paths.md).
#include "language/builder.h"
#include "math/curve/profile.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

typedef enum path_word { POLY3, POLY5, POLY7, POLY9, TRAPEZOID, SPLINE } path_word;
static const char *const words[] = {"poly3",     "poly5",  "poly7", "poly9",
                                    "trapezoid", "spline", NULL};

// What is read, and the pieces made of it.
typedef struct draft {
    flx_env e;
    const flx_item *path;
    int word, nrow, nvalue;
    double *times;     // (nrow) NaN: auto
    double *rows;      // (nrow, nvalue)
    double *limits[3]; // (nvalue) of rate, acceleration, jerk; HUGE_VAL: none
    int npiece, capacity, terms, continuous;
    double *begins; // (npiece + 1)
    double *pieces; // (nvalue, capacity, terms)
} draft;

// ---- reading -----------------------------------------------------------------------------------

static bool is_auto(const flx_entry *y)
{
    return y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, "auto") == 0;
}

static flx_status read_time(draft *d, const flx_entry *y, int i)
{
    flx_builder *b = d->e.b;
    if (is_auto(y)) {
        if (i == 0) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the first time of a path is a number");
        }
        if (d->word == SPLINE) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "a spline needs all its times; auto is for polynomials and trapezoids");
        }
        d->times[i] = (double)NAN;
        return FLX_OK;
    }
    FLX_TRY(flx_build_number(&d->e, y, &d->times[i]));
    if (i == 0 || isnan(d->times[i - 1]) || d->times[i] > d->times[i - 1]) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the times of a path ascend; %g comes after %g",
                    d->times[i], d->times[i - 1]);
}

static flx_status read_rows(draft *d)
{
    flx_builder *b = d->e.b;
    const flx_entry *through = flx_entry_get(d->path->def, "through");
    bool list = through && through->kind == FLX_ENTRY_LIST && through->count >= 2;
    if (!list || through->items[0]->kind != FLX_ENTRY_LIST || through->items[0]->count < 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, through ? through->loc : d->path->loc,
                        "path '%s' needs two rows or more of a time and values, as in "
                        "through: [[0, 0.5], [1, 0.8]]",
                        d->path->full);
    }
    d->nrow = through->count;
    d->nvalue = through->items[0]->count - 1;
    d->times = flx_take(b, (size_t)d->nrow, sizeof *d->times);
    d->rows = flx_take(b, (size_t)d->nrow * (size_t)d->nvalue, sizeof *d->rows);
    if (!d->times || !d->rows) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nrow; i++) {
        const flx_entry *row = through->items[i];
        if (row->kind != FLX_ENTRY_LIST || row->count != d->nvalue + 1) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, row->loc,
                            "the rows of path '%s' have a time and %d value%s, as the first has",
                            d->path->full, d->nvalue, d->nvalue == 1 ? "" : "s");
        }
        FLX_TRY(read_time(d, row->items[0], i));
        for (int k = 0; k < d->nvalue; k++) {
            FLX_TRY(flx_build_number(&d->e, row->items[k + 1], &d->rows[d->nvalue * i + k]));
        }
    }
    return FLX_OK;
}

static flx_status read_limit(draft *d, const char *key, double **out)
{
    flx_builder *b = d->e.b;
    const flx_entry *y = flx_entry_get(d->path->def, key);
    int n = 0;
    double *given = NULL;
    *out = flx_take(b, (size_t)d->nvalue, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int k = 0; k < d->nvalue; k++) (*out)[k] = HUGE_VAL;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(&d->e, y, &n, &given));
    if (n != 1 && n != d->nvalue) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "the limit '%s' is one number, or one for each of the %d values", key,
                        d->nvalue);
    }
    for (int k = 0; k < d->nvalue; k++) {
        double limit = given[n == 1 ? 0 : k];
        if (!(limit > 0.0)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "the limit '%s' of path '%s' is positive, not %g", key, d->path->full,
                            limit);
        }
        (*out)[k] = limit;
    }
    return FLX_OK;
}

static const char *const limit_keys[] = {"speed", "acceleration", "jerk"};

static flx_status read_limits(draft *d)
{
    for (int i = 0; i < 3; i++) FLX_TRY(read_limit(d, limit_keys[i], &d->limits[i]));
    for (int i = 0; i < 2 && d->word == TRAPEZOID; i++) {
        const flx_entry *given = NULL;
        FLX_TRY(flx_build_need(d->e.b, d->path, limit_keys[i], &given));
    }
    return FLX_OK;
}

// ---- pieces ------------------------------------------------------------------------------------

static double *piece_of(draft *d, int value, int piece)
{
    return d->pieces + ((size_t)value * (size_t)d->capacity + (size_t)piece) * (size_t)d->terms;
}

static flx_status make_room(draft *d, int pieces, int terms)
{
    d->capacity = pieces;
    d->terms = terms;
    d->begins = flx_take(d->e.b, (size_t)pieces + 1, sizeof *d->begins);
    d->pieces =
        flx_take(d->e.b, (size_t)pieces * (size_t)terms * (size_t)d->nvalue, sizeof *d->pieces);
    return d->begins && d->pieces ? FLX_OK : FLX_ERR_MEMORY;
}

// A limit as one of the way from 0 to 1 between two rows; HUGE_VAL: none.
static double limit_of_way(const draft *d, int row, int which)
{
    double least = HUGE_VAL;
    for (int k = 0; k < d->nvalue; k++) {
        double way = fabs(d->rows[d->nvalue * (row + 1) + k] - d->rows[d->nvalue * row + k]);
        if (way > 0.0) least = fmin(least, d->limits[which][k] / way);
    }
    return least;
}

static flx_status fail_limits(draft *d, int row, double least)
{
    const flx_entry *through = flx_entry_get(d->path->def, "through");
    double given = d->times[row + 1] - d->times[row];
    return FLX_FAIL(
        d->e.b->ctx, FLX_ERR_MODEL, through->items[row + 1]->loc,
        "path '%s' cannot be here in %g s: its limits need %g s; `auto` takes the least "
        "time",
        d->path->full, given, least);
}

// The time from a row to the next: that which is given, or the least.
static flx_status take_time(draft *d, int row, double least)
{
    const flx_entry *through = flx_entry_get(d->path->def, "through");
    if (!isnan(d->times[row + 1])) {
        double given = d->times[row + 1] - d->times[row];
        if (!(given > 0.0)) {
            return FLX_FAIL(d->e.b->ctx, FLX_ERR_MODEL, through->items[row + 1]->loc,
                            "the times of a path ascend; %g comes after %g", d->times[row + 1],
                            d->times[row]);
        }
        return given >= least * (1.0 - 1e-9) ? FLX_OK : fail_limits(d, row, least);
    }
    if (!(least > 0.0)) {
        return FLX_FAIL(d->e.b->ctx, FLX_ERR_MODEL, through->items[row + 1]->loc,
                        "the time cannot be found: %s",
                        isfinite(limit_of_way(d, row, 0)) || isfinite(limit_of_way(d, row, 1))
                            ? "the values stay the same"
                            : "give `speed` or `acceleration`, and values that change");
    }
    d->times[row + 1] = d->times[row] + least;
    return FLX_OK;
}

static flx_status make_polynomials(draft *d)
{
    int degree = 3 + 2 * d->word;
    const double *k = flx_profile_terms(degree);
    FLX_TRY(make_room(d, d->nrow - 1, degree + 1));
    d->continuous = (degree - 1) / 2;
    for (int i = 0; i + 1 < d->nrow; i++) {
        double least = 0.0; // |s^(j)| = peak_j way/T^j
        for (int j = 1; j <= (degree == 3 ? 2 : 3); j++) {
            double limit = limit_of_way(d, i, j - 1);
            if (isfinite(limit)) {
                least = fmax(least, pow(flx_profile_peak(degree, j) / limit, 1.0 / j));
            }
        }
        FLX_TRY(take_time(d, i, least));
        d->begins[i] = d->times[i];
        double T = d->times[i + 1] - d->times[i];
        for (int v = 0; v < d->nvalue; v++) {
            double from = d->rows[d->nvalue * i + v], *c = piece_of(d, v, i), scale = 1.0;
            double way = d->rows[d->nvalue * (i + 1) + v] - from;
            for (int j = 0; j <= degree; j++, scale /= T) c[j] = way * k[j] * scale;
            c[0] = from;
        }
    }
    d->npiece = d->nrow - 1;
    d->begins[d->npiece] = d->times[d->nrow - 1];
    return FLX_OK;
}

// From a row to the next: s(t) from 0 to 1 in its pieces, stretched where more time is given.
static flx_status add_trapezoid(draft *d, int row)
{
    double duration[7], jerks[7], accelerations[7], sum = 0.0;
    double speed = limit_of_way(d, row, 0), acceleration = limit_of_way(d, row, 1);
    int n = 0;
    if (isfinite(speed)) {
        n = flx_profile_trapezoid(speed, acceleration, limit_of_way(d, row, 2), duration, jerks,
                                  accelerations);
    }
    for (int i = 0; i < n; i++) sum += duration[i];
    FLX_TRY(take_time(d, row, sum));
    double T = d->times[row + 1] - d->times[row], stretch = n > 0 ? T / sum : 1.0;
    double s = 0.0, rate = 0.0, t = d->times[row];
    if (n == 0) { // it stays
        n = 1;
        duration[0] = T;
        jerks[0] = accelerations[0] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        double h = duration[i] * stretch, a = accelerations[i] / (stretch * stretch),
               j = jerks[i] / (stretch * stretch * stretch);
        d->begins[d->npiece] = t;
        for (int v = 0; v < d->nvalue; v++) {
            double from = d->rows[d->nvalue * row + v], *c = piece_of(d, v, d->npiece);
            double way = d->rows[d->nvalue * (row + 1) + v] - from;
            c[0] = from + way * s;
            c[1] = way * rate;
            c[2] = 0.5 * way * a;
            c[3] = way * j / 6.0;
        }
        s += h * (rate + h * (0.5 * a + h * j / 6.0));
        rate += h * (a + 0.5 * h * j);
        t += h;
        d->npiece++;
    }
    return FLX_OK;
}

static flx_status make_trapezoids(draft *d)
{
    bool jerky = flx_entry_get(d->path->def, "jerk") != NULL;
    FLX_TRY(make_room(d, 7 * (d->nrow - 1), 4));
    d->continuous = jerky ? 2 : 1;
    for (int i = 0; i + 1 < d->nrow; i++) FLX_TRY(add_trapezoid(d, i));
    d->begins[d->npiece] = d->times[d->nrow - 1];
    return FLX_OK;
}

static flx_status make_splines(draft *d)
{
    static const char *const orders[] = {"3", "5", NULL}, *const ends[] = {"rest", "natural", NULL};
    flx_builder *b = d->e.b;
    const flx_entry *order = flx_entry_get(d->path->def, "order");
    const flx_entry *end = flx_entry_get(d->path->def, "ends");
    int o = 0, kind = 0, n = d->nrow;
    if (order) FLX_TRY(flx_build_word(b, order, "order", orders, &o));
    if (end) FLX_TRY(flx_build_word(b, end, "ends", ends, &kind));
    if (o == 1 && kind == FLX_SPLINE_NATURAL && n < 3) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, order->loc,
                        "a natural spline of order 5 needs three points or more");
    }
    FLX_TRY(make_room(d, n - 1, o == 0 ? 4 : 6));
    double *y = flx_take(b, (size_t)n, sizeof *y);
    if (!y) return FLX_ERR_MEMORY;
    for (int v = 0; v < d->nvalue; v++) {
        for (int i = 0; i < n; i++) y[i] = d->rows[d->nvalue * i + v];
        FLX_TRY(flx_spline_through(b->ctx, o == 0 ? 3 : 5, (flx_spline_ends)kind, n, d->times, y,
                                   piece_of(d, v, 0)));
    }
    memcpy(d->begins, d->times, (size_t)n * sizeof *y);
    d->npiece = n - 1;
    d->continuous = kind == FLX_SPLINE_NATURAL ? 0 : o == 0 ? 1 : 2; // where it is held
    return FLX_OK;
}

// ---- the path ----------------------------------------------------------------------------------

static flx_status add_to_model(draft *d)
{
    flx_model *m = d->e.b->m;
    static const char *const smooth[] = {"C0", "C1", "C2", "C3", "C4"};
    const char *kind = words[d->word], *inside = "";
    if (d->word == TRAPEZOID && d->continuous == 2) kind = "S-curve";
    if (d->word == SPLINE && d->nrow > 2) {
        inside = d->terms == 6 ? "C4 between its ends, " : "C2 between its ends, ";
    }
    const char *text = flx_arena_printf(m->arena, "%s, %d value%s, from %g to %g s, %s%s", kind,
                                        d->nvalue, d->nvalue == 1 ? "" : "s", d->begins[0],
                                        d->begins[d->npiece], inside, smooth[d->continuous]);
    if (!text) return FLX_ERR_MEMORY;
    if (!m->paths) {
        m->paths = flx_arena_take(m->arena, (size_t)d->e.b->paths.count, sizeof *m->paths);
        if (!m->paths) return FLX_ERR_MEMORY;
    }
    m->paths[m->npath++] = (flx_told){.name = d->path->full, .text = text};
    return FLX_OK;
}

static flx_status resolve(flx_builder *b, flx_item *path, flx_path_data *out)
{
    draft d = {.path = path};
    const flx_entry *type = NULL;
    flx_env_of(&d.e, b, path, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_need(b, path, "type", &type));
    FLX_TRY(flx_build_word(b, type, "type", words, &d.word));
    FLX_TRY(read_rows(&d));
    FLX_TRY(read_limits(&d));
    FLX_TRY(d.word == SPLINE      ? make_splines(&d)
            : d.word == TRAPEZOID ? make_trapezoids(&d)
                                  : make_polynomials(&d));
    out->values = flx_take(b, (size_t)d.nvalue, sizeof *out->values);
    if (!out->values) return FLX_ERR_MEMORY;
    out->nvalue = d.nvalue;
    for (int v = 0; v < d.nvalue; v++) {
        int table = flx_graph_add_pieces(b->g, d.npiece + 1, d.begins, d.terms, piece_of(&d, v, 0),
                                         d.continuous, FLX_OUTSIDE_HOLD);
        flx_node t = node_leaf(b->g, FLX_LEAF_TIME, 0, 0);
        out->values[v] = flx_operand_number(table < 0 ? -1 : flx_graph_table(b->g, table, 0, t));
        if (out->values[v].node < 0) return FLX_ERR_MEMORY;
    }
    return add_to_model(&d);
}

flx_status flx_path_resolve(flx_builder *b, flx_item *path, flx_loc loc)
{
    bool skip = false;
    FLX_TRY(flx_item_enter(b, path, &path->state, "paths", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &path->state, resolve(b, path, path->data));
}

flx_status flx_path_value(flx_env *e, flx_item *path, flx_loc loc, flx_operand *out)
{
    FLX_TRY(flx_env_require(e, FLX_MODE_TIME, path->full, NULL, loc));
    FLX_TRY(flx_path_resolve(e->b, path, loc));
    const flx_path_data *d = path->data;
    *out = d->values[0];
    if (d->nvalue > 1) {
        *out = (flx_operand){
            .kind = FLX_OPERAND_LIST, .node = -1, .count = d->nvalue, .items = d->values};
    }
    return FLX_OK;
}

flx_status flx_path_index(flx_env *e, flx_item *path, int n, const flx_operand *args, flx_loc loc,
                          flx_operand *out)
{
    FLX_TRY(flx_env_require(e, FLX_MODE_TIME, path->full, NULL, loc));
    FLX_TRY(flx_path_resolve(e->b, path, loc));
    const flx_path_data *d = path->data;
    double x = 0.0;
    if (n != 1 || args[0].kind != FLX_OPERAND_NUMBER ||
        !flx_build_constant(e->b, args[0].node, loc, &x) || x != floor(x) || !(x >= 1.0) ||
        x > d->nvalue) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "path '%s' has the values %s(1) to %s(%d), of the time t", path->full,
                        path->full, path->full, d->nvalue);
    }
    *out = d->values[(int)x - 1];
    return FLX_OK;
}

flx_status flx_path_check_motion(flx_builder *b, flx_node motion, bool rate, const flx_item *joint,
                                 flx_loc loc)
{
    int table = -1, least = flx_graph_smoothness(b->g, motion, &table);
    if (table < 0) return FLX_OK;
    if (rate) least++;
    if (least >= 2) return FLX_OK;
    if (least < 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "the motion of joint '%s' jumps in its %s at a corner of its path: a body "
                        "would need an infinite force; take a smoother path",
                        joint->full, least < 0 ? "place" : "rate");
    }
    flx_ctx_warn(b->ctx, loc,
                 "the path in the motion of joint '%s' has one continuous derivative: forces jump "
                 "at its corners; `jerk`, poly5 or a spline of order 5 have two",
                 joint->full);
    return FLX_OK;
}
