// surface_outline.c - plane curves of surfaces: two expressions of s, or the height of a profile over x. They become cells of
// a curve (contact/outline.h), as many as it takes to follow them.
#include "contact/outline.h"
#include "language/contact/contact_parts.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 64, MOST_CURVE = 4096, MOST_PROFILE = 65536 };
static const double SAME = 1e-12; // of the size: the cells follow the expressions

typedef struct line {
    flx_builder *b;
    const flx_entry *y;
    const char *variable;
    flx_program *program; // x, y and their first and second derivatives
    double *scratch;
    double from, to;
} line;

static flx_status eval(const line *l, double s, double out[6])
{
    flx_program_eval(l->program, &s, l->scratch, out);
    for (int i = 0; i < 6; i++) {
        if (isfinite(out[i])) continue;
        return FLX_FAIL(l->b->ctx, FLX_ERR_MODEL, l->y->loc,
                        "it has no value, or no first and second derivative, at %s = %g",
                        l->variable, s);
    }
    return FLX_OK;
}

static flx_status compile(flx_env *e, bool profile, line *l)
{
    flx_builder *b = e->b;
    flx_leaf along = flx_leaf_make(FLX_LEAF_TIME, 0, 0); // the variable stands where the time does
    flx_node s = flx_graph_leaf(b->g, along), nodes[6];
    flx_local local = {l->variable, flx_operand_number(s), e->locals};
    flx_env at = *e;
    at.scope.user = &at;
    at.locals = &local;
    if (profile) {
        nodes[0] = s;
        FLX_TRY(flx_build_node(&at, l->y, &nodes[1]));
    } else {
        for (int i = 0; i < 2; i++) FLX_TRY(flx_build_node(&at, l->y->items[i], &nodes[i]));
    }
    for (int i = 0; i < 6; i++) {
        if (i >= 2) nodes[i] = flx_graph_derive(b->g, nodes[i - 2], flx_leaf_time_rate, b->m);
        nodes[i] = flx_open_fix(b, nodes[i], l->y->loc);
        if (nodes[i] < 0) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_program_compile(b->g, 1, &along, 6, nodes, &l->program));
    l->scratch = flx_take(b, (size_t)flx_program_scratch(l->program), sizeof *l->scratch);
    return l->scratch ? FLX_OK : FLX_ERR_MEMORY;
}

// The curve at n + 1 places; a place where it does not move along has no direction.
static flx_status sample(const line *l, int n, double (*rows)[6])
{
    double size = 0.0, slowest = HUGE_VAL, where = l->from;
    for (int i = 0; i <= n; i++) {
        double s = l->from + (l->to - l->from) * i / n;
        FLX_TRY(eval(l, s, rows[i]));
        size = fmax(size, hypot(rows[i][0] - rows[0][0], rows[i][1] - rows[0][1]));
        double speed = hypot(rows[i][2], rows[i][3]);
        if (speed < slowest) slowest = speed, where = s;
    }
    if (slowest * (l->to - l->from) > 1e-9 * size) return FLX_OK;
    return FLX_FAIL(l->b->ctx, FLX_ERR_MODEL, l->y->loc,
                    "the curve stands still at %s = %g, where it has no direction; its expressions "
                    "must go on along it",
                    l->variable, where);
}

// How far the cells are from the expressions midway, as a part of the size.
static flx_status error_of(const line *l, const flx_outline *o, int n, int first, double *out)
{
    *out = 0.0;
    for (int i = 0; i < n; i++) {
        double row[6];
        flx_outline_place p = flx_outline_at(o, first + i, 0.5);
        FLX_TRY(eval(l, l->from + (l->to - l->from) * (i + 0.5) / n, row));
        *out = fmax(*out, hypot(p.c[0] - row[0], p.c[1] - row[1]) / o->size);
    }
    return FLX_OK;
}

static flx_status make_outline(line *l, bool profile, flx_outline **out)
{
    flx_builder *b = l->b;
    int most = profile ? MOST_PROFILE : MOST_CURVE;
    int up = profile && b->m->dimension == 3 ? 2 : 1;
    double error = HUGE_VAL;
    double(*rows)[6] = flx_take(b, (size_t)most + 1, sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    for (int n = FEWEST; n <= most && error > SAME; n *= 2) {
        FLX_TRY(sample(l, n, rows));
        double h = (l->to - l->from) / n;
        *out = flx_outline_make(b->m->arena, n, h, rows, profile ? -1.0 : 1.0, profile, up);
        if (!*out) return FLX_ERR_MEMORY;
        FLX_TRY(error_of(l, *out, n, profile ? 1 : 0, &error));
    }
    if (error > 1e-6) {
        flx_ctx_warn(b->ctx, l->y->loc,
                     "the curve has corners or jumps; they are rounded over 1/%d of its length",
                     most);
    }
    return FLX_OK;
}

static flx_status read_range(flx_env *e, const flx_entry *y, line *l)
{
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    l->from = x[0];
    l->to = x[1];
    if (x[0] < x[1] && isfinite(x[1] - x[0])) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "the range of a profile must go upwards, from %g to %g it does not", x[0],
                    x[1]);
}

flx_status flx_build_outline(flx_env *e, const flx_entry *surface, flx_surface *s)
{
    bool profile = s->kind->value == FLX_SURFACE_FUNCTION;
    line l = {.b = e->b,
              .y = flx_entry_get(surface, s->kind->row.key),
              .variable = profile ? "x" : "s",
              .to = 1.0};
    flx_outline *o = NULL;
    if (profile) FLX_TRY(read_range(e, flx_entry_get(surface, "range"), &l));
    flx_status status = compile(e, profile, &l);
    if (status == FLX_OK) status = make_outline(&l, profile, &o);
    flx_program_destroy(&l.program);
    s->data = o;
    return status;
}
