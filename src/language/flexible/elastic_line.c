// elastic_line.c - flexible bodies made of a line of beams: the keys `fe` and `reduce`; of meshes:
// elastic_mesh.c.
#include "language/flexible/deformable.h"
#include "language/flexible/section_along.h"
#include "language/flexible/section_read.h"
#include "language/scope/nums.h"
#include "model/nodes.h"
#include "reduce/line.h"

#include <stdlib.h>
#include <string.h>

#define ELEMENTS 20       // unless said otherwise
#define MOST_ELEMENTS 200 // modes are found by dense algebra

// The section's y axis of each straight part.
static flx_status find_axes(flx_env *e, const flx_item *body, const flx_section *c, flx_line *line)
{
    int n = line->npoint - 1;
    double *y = flx_take(e->b, 3 * (size_t)n, sizeof *y), R[9], along[3];
    if (!y) return FLX_ERR_MEMORY;
    line->y = y;
    for (int i = 0; i < n; i++) {
        const double *p = line->points + 3 * i;
        v3_store(along, v3_sub(v3_load(p + 3), v3_load(p)));
        if (!flx_section_axes(along, c->has_up ? c->up : NULL, e->b->m->dimension, R)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, c->loc, "'up' of '%s' is along its line",
                            body->full);
        }
        memcpy(y + 3 * i, R + 3, 3 * sizeof *y);
    }
    return FLX_OK;
}

// At one place of the line: its law, with the axes of a straight part along it.
static flx_status read_place(flx_env *e, const flx_item *body, const flx_entry *fe, flx_section *c,
                             flx_beam_law *law)
{
    const flx_entry *y = flx_entry_get(fe, "section"), *inertia = flx_entry_get(y, "inertia");
    flx_given_section g;
    double C[36];
    FLX_TRY(flx_section_read_beam(e, body, "the line of a flexible body", y,
                                  flx_entry_get(fe, "material"), &g, C, c, law));
    flx_given_section_fix(e->b, &g);
    if (c->coupled) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, flx_entry_get(y, "stiffness")->loc,
                        "a section whose stiffnesses are coupled needs 'type: beam' with "
                        "'formulation: geometrically-exact'");
    }
    if (inertia && fabs(law->Ix - law->Iy - law->Iz) > 1e-9 * (law->Ix + law->Iy + law->Iz)) {
        flx_ctx_warn(e->b->ctx, inertia->loc,
                     "the sections of a flexible body are flat: their inertia about x is taken as "
                     "the sum of the other two, %g kg m instead of %g",
                     law->Iy + law->Iz, law->Ix);
    }
    return FLX_OK;
}

static flx_line_station station_of(const flx_beam_law *law)
{
    return (flx_line_station){.mass = law->mass,
                              .EA = law->EA,
                              .GJ = law->GJ,
                              .EI = {law->EIz, law->EIy}, // bending along y is about z
                              .GA = {law->GAy, law->GAz},
                              .second = {law->Iz, law->Iy}};
}

// The straight part of the line at the part s of its length, and the way along it.
static int part_at(const flx_line *line, double s, double along[3])
{
    double left = s * flx_line_length(line);
    int i = 0;
    for (;; i++) {
        const double *p = line->points + 3 * i;
        v3 d = v3_sub(v3_load(p + 3), v3_load(p));
        v3_store(along, d);
        if (left <= v3_norm(d) || i + 2 >= line->npoint) return i;
        left -= v3_norm(d);
    }
}

// A section that changes along the line.
static flx_status read_stations(flx_env *e, const flx_item *body, const flx_entry *fe,
                                flx_line *line)
{
    const flx_entry *y = flx_entry_get(fe, "section");
    const int n = FLX_LINE_POINTS;
    double x[FLX_LINE_POINTS], w[FLX_LINE_POINTS];
    flx_line_station *all = flx_take(e->b, (size_t)(n * line->elements), sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    flx_line_points(x, w);
    for (int i = 0; i < n * line->elements; i++) {
        double s = (i / n + x[i % n]) / line->elements, along[3], R[9];
        flx_local local;
        flx_env here;
        flx_section c;
        flx_beam_law law;
        FLX_TRY(flx_env_along(e, y, s, &local, &here));
        FLX_TRY(read_place(&here, body, fe, &c, &law));
        all[i] = station_of(&law);
        int part = part_at(line, s, along);
        memcpy(all[i].y, line->y + (ptrdiff_t)3 * part, sizeof all[i].y);
        if (!c.has_up) continue;
        if (!flx_section_axes(along, c.up, e->b->m->dimension, R)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, c.loc, "'up' of '%s' is along its line",
                            body->full);
        }
        memcpy(all[i].y, R + 3, sizeof all[i].y);
    }
    line->along = all;
    return FLX_OK;
}

static flx_status read_section(flx_env *e, const flx_item *body, const flx_entry *fe,
                               flx_line *line)
{
    const flx_entry *y = flx_entry_get(fe, "section");
    bool varies = flx_entry_is_along(y) || flx_entry_is_along(flx_entry_get(fe, "material"));
    flx_section c;
    flx_beam_law law;
    flx_local s;
    flx_env here = *e;
    here.scope.user = &here;
    if (varies) FLX_TRY(flx_env_along(e, y, 0.5, &s, &here));
    FLX_TRY(read_place(&here, body, fe, &c, &law));
    flx_line_station at = station_of(&law);
    line->mass = at.mass;
    line->EA = at.EA, line->GJ = at.GJ;
    memcpy(line->EI, at.EI, sizeof line->EI);
    memcpy(line->GA, at.GA, sizeof line->GA);
    memcpy(line->second, at.second, sizeof line->second);
    FLX_TRY(find_axes(e, body, &c, line));
    return varies ? read_stations(e, body, fe, line) : FLX_OK;
}

static flx_status read_line(flx_env *e, const flx_item *body, const flx_entry *fe, flx_line *line)
{
    flx_builder *b = e->b;
    const flx_entry *y = flx_entry_get(fe, "line"), *elements = flx_entry_get(fe, "elements");
    const flx_entry *theory = flx_entry_get(fe, "theory");
    flx_stiffening_kind stiffening = FLX_STIFFENING_NONE;
    double *points = flx_take(b, 3 * (size_t)y->count, sizeof *points);
    if (!points) return FLX_ERR_MEMORY;
    *line = (flx_line){.npoint = y->count, .points = points, .planar = b->m->dimension == 2};
    for (int i = 0; i < y->count; i++) {
        FLX_TRY(flx_build_vector(e, y->items[i], points + 3 * i));
        if (i == 0 || v3_norm(v3_sub(v3_load(points + 3 * i), v3_load(points + 3 * i - 3))) > 0) {
            continue;
        }
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->items[i]->loc, "two corners are at one place");
    }
    line->elements = ELEMENTS;
    if (elements) FLX_TRY(flx_build_integer(e, elements, &line->elements));
    if (line->elements < 1 || line->elements > MOST_ELEMENTS) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, elements->loc, "a line has 1 to %d elements, not %d",
                        MOST_ELEMENTS, line->elements);
    }
    line->shear = !theory || strcmp(theory->text, "timoshenko") == 0;
    FLX_TRY(flx_elastic_body_read_stiffening(b, body, &stiffening));
    line->stiffening = stiffening != FLX_STIFFENING_NONE;
    return read_section(e, body, fe, line);
}

// ---- shapes as functions ------------------------------------------------------------------------

typedef struct functions {
    int n;
    double length, *out, *scratch;
    const flx_line *line;
    flx_program *program; // 9 values a shape: displacement, its first and second derivative by s
} functions;

static flx_status shape_at(void *user, int element, double s, const flx_line_field *f)
{
    const functions *x = user;
    double t[3], y[3], z[3], L = x->length;
    (void)element;
    flx_program_eval(x->program, &s, x->scratch, x->out);
    flx_line_axes(x->line, s, t, y, z);
    for (int k = 0; k < x->n; k++) {
        const double *o = x->out + 9 * k;
        v3 du = v3_scale(1.0 / L, v3_load(o + 3)), ddu = v3_scale(1.0 / (L * L), v3_load(o + 6));
        for (int i = 0; i < 3; i++) f->u[3 * k + i] = o[i];
        v3_store(f->du + 3 * k, du);
        v3_store(f->turn + 3 * k, v3_cross(v3_load(t), du));
        v3_store(f->dturn + 3 * k, v3_cross(v3_load(t), ddu));
    }
    return FLX_OK;
}

static flx_status compile_shapes(flx_env *e, const flx_item *body, const flx_entry *list,
                                 functions *x)
{
    flx_builder *b = e->b;
    flx_leaf along = flx_leaf_make(FLX_LEAF_TIME, 0, 0); // s stands where the time does
    flx_local s = {"s", flx_operand_number(flx_graph_leaf(b->g, along)), body->locals};
    flx_env at = *e;
    at.scope.user = &at;
    at.locals = &s;
    x->n = list->count;
    flx_node *nodes = flx_take(b, 9 * (size_t)x->n, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int k = 0; k < x->n; k++) {
        FLX_TRY(flx_build_node_vector(&at, list->items[k], nodes + 9 * k));
        for (int i = 3; i < 9; i++) {
            nodes[9 * k + i] =
                flx_graph_derive(b->g, nodes[9 * k + i - 3], flx_leaf_time_rate, b->m);
            if (nodes[9 * k + i] < 0) return FLX_ERR_MEMORY;
        }
        for (int i = 0; i < 9; i++) {
            nodes[9 * k + i] = flx_open_fix(b, nodes[9 * k + i], list->loc);
            if (nodes[9 * k + i] < 0) return FLX_ERR_MEMORY;
        }
    }
    FLX_TRY(flx_program_compile(b->g, 1, &along, 9 * x->n, nodes, &x->program));
    x->out = flx_take(b, 9 * (size_t)x->n, sizeof *x->out);
    x->scratch = flx_take(b, (size_t)flx_program_scratch(x->program), sizeof *x->scratch);
    return x->out && x->scratch ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status from_shapes(flx_env *e, const flx_item *body, const flx_entry *reduce,
                              const flx_line *line, flx_elastic **out)
{
    flx_builder *b = e->b;
    const flx_entry *list = flx_entry_get(reduce, "shapes"),
                    *frame = flx_entry_get(body->def, "frame");
    functions x = {.length = flx_line_length(line), .line = line};
    if (line->shear) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, reduce->loc,
                        "given shapes say how the line bends, and nothing of shear: write 'theory: "
                        "euler-bernoulli' in 'fe'");
    }
    if (frame) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, frame->loc,
                        "the frame of given shapes is that in which they are given");
    }
    flx_status status = compile_shapes(e, body, list, &x);
    if (status == FLX_OK) {
        status = flx_line_elastic(b->ctx, b->m->arena, line, x.n, shape_at, &x, out);
    }
    flx_program_destroy(&x.program);
    return status;
}

// ---- finite elements ----------------------------------------------------------------------------

// "start", "end", "node(3)" or 3.
static flx_status read_interface(flx_builder *b, const flx_entry *y, int elements, int *node)
{
    const char *text = y->kind == FLX_ENTRY_SCALAR ? y->text : "", *digits = text;
    char *rest = NULL;
    if (strcmp(text, "start") == 0 || strcmp(text, "end") == 0) {
        *node = text[0] == 's' ? 0 : elements;
        return FLX_OK;
    }
    bool named = strncmp(text, "node(", 5) == 0;
    if (named) digits += 5;
    long x = strtol(digits, &rest, 10);
    if (rest != digits && strcmp(rest, named ? ")" : "") == 0 && x >= 1 && x <= elements + 1) {
        *node = (int)x - 1;
        return FLX_OK;
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                    "an interface of a line is 'start', 'end' or a node from 1 to %d, not '%s'",
                    elements + 1, text);
}

static flx_status from_elements(flx_env *e, const flx_item *body, const flx_entry *reduce,
                                const flx_line *line, flx_elastic **out)
{
    flx_builder *b = e->b;
    const flx_entry *list = flx_entry_get(reduce, "interfaces");
    flx_basis basis;
    FLX_TRY(flx_elastic_body_read_basis(e, body, reduce, &basis));
    if (list && list->kind != FLX_ENTRY_LIST) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, list->loc,
                        "interfaces of a line are a list of its nodes, as in [start, end]");
    }
    if (flx_entry_get(reduce, "attachment")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(reduce, "attachment")->loc,
                        "attachment is for meshes: of a line take type: craig-bampton");
    }
    int count = list ? list->count : 0;
    int *interfaces = flx_take(b, (size_t)count, sizeof *interfaces);
    if (!interfaces) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        FLX_TRY(read_interface(b, list->items[i], line->elements, interfaces + i));
        for (int j = 0; j < i; j++) {
            if (interfaces[j] != interfaces[i]) continue;
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, list->items[i]->loc,
                            "'%s' and '%s' are the same node; name each interface once",
                            list->items[j]->text, list->items[i]->text);
        }
    }
    basis.ninterface = count;
    basis.interfaces = interfaces;
    const char **names = flx_take(b, (size_t)count, sizeof *names);
    if (!names) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) names[i] = list->items[i]->text;
    basis.names = names;
    FLX_TRY(flx_elastic_body_read_conditions(b, reduce, count, names, &basis));
    bool held = basis.kind == FLX_BASIS_GUYAN || basis.kind == FLX_BASIS_CRAIG_BAMPTON;
    if (held && basis.modes == 0 && count < 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, list ? list->loc : reduce->loc,
                        "one interface leaves no shapes: it moves as a rigid body");
    }
    return flx_line_reduce(b->ctx, b->m->arena, line, &basis, reduce->loc, out);
}

// What a flexible body takes of the keys of a structure.
static flx_status check_keys(flx_builder *b, const flx_item *body, const flx_entry *fe)
{
    static const char *const taken[] = {"line", "elements", "section", "material", "theory", NULL};
    for (int i = 0; i < fe->count; i++) {
        const char *const *w = taken;
        while (*w && strcmp(*w, fe->keys[i]->text) != 0) w++;
        if (*w) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, fe->keys[i]->loc,
                        "a line takes section, material, theory and elements: '%s' of '%s' needs "
                        "a mesh",
                        fe->keys[i]->text, body->full);
    }
    return FLX_OK;
}

flx_status flx_elastic_body_read_fe(flx_env *e, flx_item *body, flx_elastic **out)
{
    const flx_entry *fe = flx_entry_get(body->def, "fe");
    const flx_entry *reduce = flx_entry_get(body->def, "reduce");
    flx_line line;
    if (!reduce) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, fe->loc,
                        "'%s' needs 'reduce': which shapes of its finite elements are kept",
                        body->full);
    }
    if (!flx_entry_get(fe, "line")) return flx_elastic_body_read_mesh(e, body, fe, reduce, out);
    FLX_TRY(check_keys(e->b, body, fe));
    FLX_TRY(read_line(e, body, fe, &line));
    bool shapes = strcmp(flx_entry_get(reduce, "type")->text, "shapes") == 0;
    return (shapes ? from_shapes : from_elements)(e, body, reduce, &line, out);
}
