// block_beam.c - beams of large deformation: their nodes as bodies, and as places.
//
// The nodes of a beam are bodies of the model; the first is the beam's own. Elements begin and end at
// the regular places i/elements of the length and at every place that is mentioned, `point(0.3)`; each
// has `order` + 1 nodes at the points of Lobatto's rule, and the mass of the line is lumped there by the
// weights of that rule. A node of segments is a rigid piece of the line, from the middle of an element to that of the next. Which places are mentioned is known when the model was built: it is built again.
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "math/quadrature.h"
#include "model/nodes.h"

#include <stdlib.h>
#include <string.h>

static const double origin[3] = {0, 0, 0};
static const char *const formulations[] = {"ancf", "ancf-cable", "geometrically-exact", "segments",
                                           NULL};

// Places are one when they are nearer than this part of the length.
#define SAME_PART 1e-9
#define SAME_PLACE 1e-6
#define MOST_ELEMENTS 1000000

static flx_beam_data *beam_of(const flx_item *body)
{
    return ((flx_body_data *)body->data)->beam;
}

bool flx_body_is_beam(const flx_builder *b, const flx_item *body)
{
    if (body->kind != FLX_KIND_BODY || b->m->nunavailable > 0) return false;
    const flx_body_data *d = body->data;
    return d->word && strcmp(d->word, "beam") == 0;
}

bool flx_body_is_beam_node(const flx_item *body)
{
    if (body->kind != FLX_KIND_BODY) return false;
    const flx_body_data *d = body->data;
    const flx_body_data *carrier = d->carrier ? d->carrier->data : NULL;
    return d->beam || d->solid || (carrier && (carrier->beam || carrier->solid));
}

// ---- nodes --------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Where elements begin and end.
static flx_status find_ends(flx_builder *b, const flx_item *body, flx_beam_data *d, int elements)
{
    const flx_beam_marks *m = b->marks;
    size_t most = (size_t)elements + 1 + (size_t)m->n;
    double *all = flx_take(b, most, sizeof *all);
    d->ends = flx_take(b, most, sizeof *d->ends);
    d->regular = flx_take(b, (size_t)elements + 1, sizeof *d->regular);
    if (!all || !d->ends || !d->regular) return FLX_ERR_MEMORY;
    int n = 0;
    for (int i = 0; i <= elements; i++) all[n++] = (double)i / elements;
    for (int i = 0; i < m->n; i++) {
        if (strcmp(m->marks[i].beam, body->full) == 0) all[n++] = m->marks[i].at;
    }
    qsort(all, (size_t)n, sizeof *all, by_value);
    for (int i = 0; i < n; i++) {
        if (i == 0 || all[i] - d->ends[d->nend - 1] > SAME_PART) d->ends[d->nend++] = all[i];
    }
    for (int i = 0, k = 0; i <= elements; i++) {
        while (k + 1 < d->nend && d->ends[k] < (double)i / elements - SAME_PART) k++;
        d->regular[i] = k;
    }
    d->def.nelement = d->nend - 1;
    return FLX_OK;
}

flx_status flx_beam_make_node(flx_builder *b, flx_item *body, int i, const char *name,
                              flx_body_type type, flx_item **out)
{
    flx_item *item = flx_take(b, 1, sizeof *item);
    flx_body_data *d = flx_take(b, 1, sizeof *d);
    if (!item || !d || !name) return FLX_ERR_MEMORY;
    *item = *body;
    item->name = flx_arena_printf(b->m->arena, "%s.%s", body->name, name);
    item->full = flx_arena_printf(b->m->arena, "%s.%s", body->full, name);
    if (!item->name || !item->full) return FLX_ERR_MEMORY;
    item->number = b->bodies.count;
    item->data = d;
    *d = (flx_body_data){.word = "node", .carrier = body, .node = i};
    d->def =
        (flx_body){.name = item->full, .loc = body->loc, .type = type, .follows = body->number + 1};
    FLX_TRY(flx_body_make_point(b, item, "com", origin, &d->com));
    FLX_TRY(flx_items_add(b, &b->bodies, item));
    *out = item;
    return FLX_OK;
}

static flx_status take_nodes(flx_builder *b, flx_beam_data *d)
{
    size_t n = (size_t)d->nnode;
    flx_arena *arena = b->m->arena;
    d->at = flx_take(b, n, sizeof *d->at);
    d->nodes = flx_take(b, n, sizeof(flx_item *));
    d->points = flx_take(b, n, sizeof(flx_item *));
    d->def.nodes = flx_arena_take(arena, n, sizeof *d->def.nodes);
    d->def.lengths = flx_arena_take(arena, (size_t)d->def.nelement, sizeof(double));
    d->def.pieces = flx_arena_take(arena, n, sizeof(double));
    d->def.arms = flx_arena_take(arena, 3 * n, sizeof(double));
    bool fine = d->at && d->nodes && d->points && d->def.pieces && d->def.arms;
    return fine && d->def.nodes && d->def.lengths ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status make_nodes(flx_builder *b, flx_item *body, flx_beam_data *d)
{
    int p = d->def.order, n = p * d->def.nelement + 1, regular = 0;
    flx_body_type type = d->def.nslope > 0 ? FLX_BODY_POINT : FLX_BODY_RIGID;
    d->nnode = d->def.nnode = n;
    FLX_TRY(take_nodes(b, d));
    flx_quadrature_lobatto(p + 1, d->def.node_parts, d->def.mass_parts);
    d->nodes[0] = body;
    for (int i = 0; i < n; i++) {
        int e = i / p, k = i % p;
        double h = e < d->def.nelement ? d->ends[e + 1] - d->ends[e] : 0;
        const char *name = NULL;
        d->at[i] = d->ends[e] + h * d->def.node_parts[k];
        if (k == 0 && d->regular[regular] == e) {
            name = flx_arena_printf(b->scratch, "node(%d)", ++regular);
        } else {
            name = flx_arena_printf(b->scratch, "point(%.6g)", d->at[i]);
        }
        if (i > 0) FLX_TRY(flx_beam_make_node(b, body, i, name, type, &d->nodes[i]));
        d->def.nodes[i] = d->nodes[i]->number;
    }
    return FLX_OK;
}

// What resists in a beam in absolute nodal coordinates.
static flx_status read_elasticity(flx_builder *b, const flx_item *body, flx_beam *beam)
{
    static const char *const words[] = {"continuum", "sections", NULL};
    const flx_entry *y = flx_entry_get(body->def, "elasticity");
    int word = 1;
    if (!y) return FLX_OK;
    if (beam->formulation != FLX_BEAM_ANCF) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "'elasticity' is of 'formulation: ancf'; '%s' has that of its section",
                        formulations[beam->formulation]);
    }
    FLX_TRY(flx_build_word(b, y, "elasticity", words, &word));
    beam->continuum = word == 0;
    return FLX_OK;
}

static flx_status declare(flx_builder *b, flx_item *body)
{
    const flx_entry *y = NULL, *formulation = flx_entry_get(body->def, "formulation");
    const flx_entry *order = flx_entry_get(body->def, "order");
    flx_beam_data *d = flx_take(b, 1, sizeof *d);
    int word = FLX_BEAM_EXACT, elements = 0;
    flx_env e;
    if (!d) return FLX_ERR_MEMORY;
    if (formulation) FLX_TRY(flx_build_word(b, formulation, "formulation", formulations, &word));
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_need(b, body, "elements", &y));
    FLX_TRY(flx_build_integer(&e, y, &elements));
    if (elements < 1 || elements > MOST_ELEMENTS) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "a beam has 1 to %d elements, not %d",
                        MOST_ELEMENTS, elements);
    }
    d->def = (flx_beam){.name = body->full,
                        .loc = body->loc,
                        .formulation = (flx_beam_formulation)word,
                        .order = 1};
    FLX_TRY(read_elasticity(b, body, &d->def));
    if (word == FLX_BEAM_CABLE) d->def.nslope = 1;
    if (word == FLX_BEAM_ANCF) d->def.nslope = b->m->dimension;
    if (order && word != FLX_BEAM_EXACT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, order->loc,
                        "'order' is of geometrically exact beams; '%s' has more elements instead",
                        formulations[word]);
    }
    if (order) {
        FLX_TRY(flx_build_integer(&e, order, &d->def.order));
        if (d->def.order < 1 || d->def.order >= FLX_BEAM_MOST_NODES) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, order->loc, "the order is 1 to %d, not %d",
                            FLX_BEAM_MOST_NODES - 1, d->def.order);
        }
    }
    FLX_TRY(find_ends(b, body, d, elements));
    FLX_TRY(make_nodes(b, body, d));
    ((flx_body_data *)body->data)->beam = d;
    if (d->def.nslope == 0) return FLX_OK;
    ((flx_body_data *)body->data)->def.type = FLX_BODY_POINT;
    return flx_beam_declare_slopes(b, body);
}

flx_status flx_beams_declare(flx_builder *b)
{
    return flx_bodies_become_nodes(b, flx_body_is_beam, declare);
}

// ---- drawing ------------------------------------------------------------------------------------

flx_status flx_beam_place(flx_builder *b, flx_item *body)
{
    flx_env e;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_beam_draw(&e, body, beam_of(body)));
    if (beam_of(body)->def.nslope > 0) flx_beam_draw_slopes(body);
    return FLX_OK;
}

double flx_beam_piece_start(const flx_beam_data *d, int i)
{
    if (i <= 0) return 0;
    return i < d->nnode ? 0.5 * (d->at[i - 1] + d->at[i]) : 1;
}

double flx_beam_part(const flx_beam_data *d, int i)
{
    if (d->def.formulation != FLX_BEAM_SEGMENTS) return d->at[i];
    return 0.5 * (flx_beam_piece_start(d, i) + flx_beam_piece_start(d, i + 1));
}

// For pictures: a rigid segment, whose size comes with its mass. Other beams are drawn along their nodes.
static flx_status add_shape(flx_builder *b, const flx_beam *beam, flx_body *out)
{
    flx_shape *s = flx_arena_take(b->m->arena, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    *s = (flx_shape){.kind = beam->round ? &flx_shape_cylinder : &flx_shape_box, .axis = {1, 0, 0}};
    out->nshape = 1;
    out->shapes = s;
    return FLX_OK;
}

flx_body_start flx_start_of_node(const flx_body_start *whole, const double position[3])
{
    flx_body_start out = *whole;
    v3 arm = v3_sub(v3_load(position), v3_load(whole->origin));
    v3 w = v3_load(whole->angular_velocity);
    v3_store(out.velocity, v3_add(v3_load(whole->velocity), v3_cross(w, arm)));
    out.moves = whole->moves || whole->turns;
    return out;
}

static void set_motion(const flx_body_start *whole, flx_body *out)
{
    out->start = flx_start_of_node(whole, out->position);
}

static flx_status set_node(flx_builder *b, const flx_beam_data *d, int i)
{
    const flx_beam *beam = &d->def;
    flx_body_data *own = d->nodes[i]->data;
    if (beam->formulation == FLX_BEAM_SEGMENTS) FLX_TRY(add_shape(b, beam, &own->def));
    FLX_TRY(flx_beam_take_node(b->ctx, beam, i, &own->def));
    own->def.spread = beam->nslope > 0;
    if (!beam->stations) return FLX_OK;
    ((flx_point_data *)own->com->data)->at.x[0] = own->def.com[0];
    return FLX_OK;
}

flx_status flx_beam_finish(flx_builder *b, flx_item *body)
{
    flx_beam_data *d = beam_of(body);
    flx_body_start start;
    flx_env e;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_beam_read_section(&e, body, d));
    flx_num3 at = flx_num3_of(d->origin);
    FLX_TRY(flx_build_motion(&e, body->def, &at, &start));
    flx_start_fix(b, &start, body->loc);
    for (int i = 0; i < d->nnode; i++) {
        FLX_TRY(set_node(b, d, i));
        set_motion(&start, &((flx_body_data *)d->nodes[i]->data)->def);
    }
    if (d->def.nslope > 0) flx_beam_move_slopes(body);
    return FLX_OK;
}

// ---- places -------------------------------------------------------------------------------------

static flx_status point_of(flx_builder *b, flx_item *body, int node, flx_item **point)
{
    flx_beam_data *d = beam_of(body);
    *point = d->points[node];
    if (*point) return FLX_OK;
    flx_item *own = d->nodes[node];
    FLX_TRY(flx_body_make_point(b, own, own->name, d->def.arms + 3 * node, point));
    (*point)->full = own->full;
    if (node == 0) (*point)->full = flx_arena_printf(b->m->arena, "%s.start", body->full);
    if (!(*point)->full) return FLX_ERR_MEMORY;
    flx_point_data *data = (*point)->data;
    data->deformable = true;
    data->place = node;
    d->points[node] = *point;
    return FLX_OK;
}

flx_status flx_beam_node(flx_builder *b, flx_item *body, int number, flx_loc loc, flx_item **point)
{
    flx_beam_data *d = beam_of(body);
    FLX_TRY(flx_body_place(b, body, loc));
    int n = 0;
    while (d->regular[n] < d->nend - 1) n++;
    if (number <= n + 1) return point_of(b, body, d->def.order * d->regular[number - 1], point);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has the nodes 1 to %d, and no node(%d)",
                    body->full, n + 1, number);
}

flx_status flx_beam_end(flx_builder *b, flx_item *body, bool last, flx_item **point)
{
    return point_of(b, body, last ? beam_of(body)->nnode - 1 : 0, point);
}

flx_status flx_beam_mark(flx_builder *b, const flx_item *body, double at, int section)
{
    flx_beam_marks *m = b->marks;
    FLX_TRY(flx_grow(b->ctx, (void **)&m->marks, &m->capacity, m->n + 1, sizeof *m->marks));
    m->marks[m->n] = (struct flx_beam_mark){flx_intern(b->ctx, body->full), at, section};
    if (!m->marks[m->n++].beam) return FLX_ERR_MEMORY;
    m->changed = true;
    return FLX_OK;
}

flx_status flx_beam_point(flx_builder *b, flx_item *body, double at, flx_loc loc, flx_item **point)
{
    flx_beam_data *d = beam_of(body);
    int nearest = 0;
    FLX_TRY(flx_body_place(b, body, loc));
    for (int i = 1; i < d->nnode; i++) {
        if (fabs(d->at[i] - at) < fabs(d->at[nearest] - at)) nearest = i;
    }
    FLX_TRY(point_of(b, body, nearest, point));
    if (fabs(d->at[nearest] - at) <= SAME_PART) return FLX_OK;
    return flx_beam_mark(b, body, at, 0);
}

static v3 initial_place(const flx_beam_data *d, int i)
{
    const flx_body *own = &((const flx_body_data *)d->nodes[i]->data)->def;
    v3 arm = m33_mul_v(m33_load(own->R), v3_load(d->def.arms + 3 * i));
    return v3_add(arm, v3_load(own->position));
}

flx_status flx_beam_node_at(flx_builder *b, flx_item *body, const double position[3], flx_loc loc,
                            flx_item **node, double at[3])
{
    flx_beam_data *d = beam_of(body);
    double best = HUGE_VAL, length = 0;
    int nearest = 0;
    FLX_TRY(flx_body_place(b, body, loc));
    for (int i = 0; i < d->def.nelement; i++) length += d->def.lengths[i];
    for (int i = 0; i < d->nnode; i++) {
        double distance = v3_norm(v3_sub(initial_place(d, i), v3_load(position)));
        if (distance < best) best = distance, nearest = i;
    }
    *node = d->nodes[nearest];
    memcpy(at, d->def.arms + 3 * nearest, 3 * sizeof *at);
    if (best <= SAME_PLACE * length) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                    "no node of '%s' is at this place; the nearest, %s.point(%.6g), is %g m away. "
                    "A joint can be at any part of the length",
                    body->full, body->full, d->at[nearest], best);
}

flx_status flx_beam_member(flx_env *e, const flx_item *point, const char *name, flx_loc loc,
                           flx_operand *out)
{
    flx_builder *b = e->b;
    const flx_point_data *data = point->data;
    flx_item *node = data->body;
    const flx_item *carrier = ((const flx_body_data *)node->data)->carrier;
    const flx_beam_data *d = beam_of(carrier ? carrier : node);
    bool deflection = name[0] == 'd', moment = name[0] == 'm', planar = b->m->dimension == 2;
    flx_node v[3];
    FLX_TRY(
        flx_env_require(e, deflection ? FLX_MODE_MOVING : FLX_MODE_OUTPUT, point->full, name, loc));
    if (deflection) {
        double drawn[3];
        flx_node rest[3];
        FLX_TRY(flx_body_ready(b, node, loc));
        flx_node_position(b, node, &data->at, v);
        v3_store(drawn, initial_place(d, data->place));
        node_const3(b->g, drawn, rest);
        node_sub3(b->g, v, rest, v);
        return flx_env_vector(e, v, out);
    }
    for (int i = 0; i < 3; i++) {
        flx_leaf leaf = flx_leaf_make(FLX_LEAF_SECTION, node->number, 3 * moment + i);
        v[i] = flx_graph_leaf(b->g, leaf);
    }
    if (moment && planar) {
        return flx_operand_set_node(v[2], out);
    }
    return flx_env_vector(e, v, out);
}

// ---- into the model -----------------------------------------------------------------------------

flx_status flx_beams_finish(flx_builder *b)
{
    flx_model *m = b->m;
    int n = 0;
    for (int i = 0; i < b->bodies.count; i++) n += beam_of(b->bodies.items[i]) != NULL;
    m->beams = flx_arena_take(m->arena, (size_t)n, sizeof *m->beams);
    if (!m->beams) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->bodies.count; i++) {
        const flx_beam_data *d = beam_of(b->bodies.items[i]);
        if (d) m->beams[m->nbeam++] = d->def;
    }
    return flx_beams_tie(b);
}
