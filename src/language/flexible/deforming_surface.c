// deforming_surface.c - surfaces of bodies that deform: the line of a beam, faces of solids, and nodes.
//
// A line is a surface of its own for what is round, and a sphere at every node for everything else (block_contact.c).
#include "contact/contact_surface.h"
#include "language/contact/contact_parts.h"
#include "language/scope/nums.h"
#include "model/structure.h"

#include <math.h>
#include <string.h>

bool flx_surface_is_deforming(const flx_surface_kind *kind)
{
    return kind->value == FLX_SURFACE_LINE || kind->value == FLX_SURFACE_NODES ||
           kind->value == FLX_SURFACE_FACES;
}

static v3 centre_of(const flx_item *body)
{
    const flx_body_data *d = body->data;
    if (d->def.type == FLX_BODY_POINT || !d->com) return (v3){0};
    return v3_load(((const flx_point_data *)d->com->data)->at.x);
}

// A sphere, or a line, that a body carries at a place of its frame.
static flx_status put(flx_builder *b, const flx_surface_kind *kind, flx_item *body,
                      const flx_item *named, const double *at, double radius, flx_loc loc,
                      flx_touching *out)
{
    flx_surface *s = flx_arena_take(b->m->arena, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->kind = kind;
    s->size[0] = radius;
    m33_store(s->axes, m33_identity());
    if (at) v3_store(s->at, v3_sub(v3_load(at), centre_of(body)));
    *out = (flx_touching){.body = body, .named = named, .side = {body->number, s, loc}};
    return FLX_OK;
}

static flx_status read_radius(flx_env *e, const flx_entry *y, double *out)
{
    const flx_entry *round = flx_entry_get(y, "round");
    if (!round) return FLX_OK;
    FLX_TRY(flx_build_number(e, round, out));
    if (*out >= 0 && isfinite(*out)) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, round->loc, "a radius cannot be negative, it is %g",
                    *out);
}

static flx_status refuse_keys(flx_env *e, const flx_entry *y, const char *word)
{
    static const char *const keys[] = {"at", "orientation", "scale"};
    for (int i = 0; i < 3; i++) {
        const flx_entry *key = flx_entry_get(y, keys[i]);
        if (!key) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, key->loc, "'%s' has no meaning with '%s'",
                        keys[i], word);
    }
    return FLX_OK;
}

// ---- beams --------------------------------------------------------------------------------------

static flx_status add_beam_nodes(flx_env *e, flx_item *body, const flx_entry *y, double radius,
                                 bool of_line, flx_touching *out)
{
    const flx_beam_data *d = ((const flx_body_data *)body->data)->beam;
    for (int i = 0; i < d->nnode; i++) {
        const double *arm = d->def.arms + 3 * (ptrdiff_t)i;
        FLX_TRY(put(e->b, &flx_surface_sphere, d->nodes[i], body, arm, radius, y->loc, out + i));
        out[i].of_line = of_line;
    }
    return FLX_OK;
}

// The radius of a section, of a rectangle half of the shorter edge.
static double radius_of(const flx_beam *b)
{
    return b->round ? b->size[0] : 0.5 * fmin(b->size[0], b->size[1]);
}

static flx_status read_line(flx_env *e, flx_item *body, const flx_entry *y, int *n,
                            flx_touching **out)
{
    flx_builder *b = e->b;
    const flx_entry *round = flx_entry_get(y, "round");
    if (!flx_body_is_beam(b, body)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "'line' is for bodies of type beam; '%s' is none. Other bodies that "
                        "deform have 'nodes'",
                        body->full);
    }
    flx_beam_data *d = ((const flx_body_data *)body->data)->beam;
    double radius = radius_of(&d->def);
    if (!round && d->def.ngiven > 0) flx_nums_fix(b, 2, d->def.given->size_open, y->loc);
    FLX_TRY(read_radius(e, y, &radius));
    if (!(radius > 0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, round ? round->loc : y->loc,
                        "the section of '%s' has no radius: give the line its own by 'round', "
                        "which must be positive",
                        body->full);
    }
    *n = d->nnode + 1;
    *out = flx_take(b, (size_t)*n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    FLX_TRY(put(b, &flx_surface_line, body, body, NULL, radius, y->loc, *out));
    return add_beam_nodes(e, body, y, radius, true, *out + 1);
}

// ---- solids and flexible bodies -----------------------------------------------------------------

static bool is_true(const flx_entry *y)
{
    return y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, "true") == 0;
}

// Behind the *n that are there: nodes of faces.
static flx_status add_solid_nodes(flx_env *e, flx_item *body, const flx_entry *y,
                                  const flx_solid_faces *faces, double radius, int *n,
                                  flx_touching *out)
{
    flx_builder *b = e->b;
    const flx_solid_data *d = ((const flx_body_data *)body->data)->solid;
    bool *wanted = flx_take(b, (size_t)d->def.nnode, sizeof *wanted);
    if (!wanted) return FLX_ERR_MEMORY;
    for (int i = 0; i < faces->n; i++) {
        int count = flx_cells[faces->cells[i]].nodes;
        for (int k = 0; k < count; k++) wanted[faces->nodes[faces->first[i] + k]] = true;
    }
    for (int i = 0; i < d->def.nnode; i++) { // held ones move with what holds them
        if (!wanted[i] || !d->nodes[i]) continue;
        FLX_TRY(put(b, &flx_surface_sphere, d->nodes[i], body, NULL, radius, y->loc, out + *n));
        ++*n;
    }
    return FLX_OK;
}

// `nodes` or `faces`: these, and behind them their nodes.
static flx_status read_solid(flx_env *e, flx_item *body, const flx_entry *y, const flx_entry *which,
                             bool faces, double radius, int *n, flx_touching **out)
{
    flx_builder *b = e->b;
    const flx_solid_data *d = ((const flx_body_data *)body->data)->solid;
    flx_solid_faces *of = flx_arena_take(b->m->arena, 1, sizeof *of);
    *out = flx_take(b, (size_t)d->def.nnode + 1, sizeof **out);
    *n = faces;
    if (!of || !*out) return FLX_ERR_MEMORY;
    FLX_TRY(flx_solid_faces_of(b, body, is_true(which) ? NULL : which, of));
    FLX_TRY(add_solid_nodes(e, body, y, of, radius, n, *out));
    if (*n == faces) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, which->loc, "no free node of '%s' is among these",
                        body->full);
    }
    if (!faces) return FLX_OK;
    FLX_TRY(put(b, &flx_surface_faces, body, body, NULL, radius, y->loc, *out));
    ((flx_surface *)(uintptr_t)(*out)->side.surface)->data = of;
    for (int i = 1; i < *n; i++) (*out)[i].of_faces = true;
    return FLX_OK;
}

static flx_status read_faces(flx_env *e, flx_item *body, const flx_entry *y, int *n,
                             flx_touching **out)
{
    double radius = 0.0;
    FLX_TRY(read_radius(e, y, &radius));
    if (!flx_body_is_solid(e->b, body)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'faces' is for bodies of type solid; '%s' is none. Other bodies that "
                        "deform have 'nodes', beams a 'line'",
                        body->full);
    }
    return read_solid(e, body, y, flx_entry_get(y, "faces"), true, radius, n, out);
}

static flx_status add_flexible_nodes(flx_env *e, flx_item *body, const flx_entry *y, double radius,
                                     int *n, flx_touching **out)
{
    flx_builder *b = e->b;
    FLX_TRY(flx_elastic_body_ready(b, body, y->loc));
    const flx_elastic *own = ((const flx_body_data *)body->data)->elastic.e;
    *n = own->nnode;
    *out = flx_take(b, (size_t)*n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int i = 0; i < *n; i++) {
        flx_item *node;
        FLX_TRY(flx_elastic_body_attached(b, body, i, y->loc, &node));
        FLX_TRY(put(b, &flx_surface_sphere, node, body, NULL, radius, y->loc, *out + i));
    }
    return FLX_OK;
}

static flx_status read_nodes(flx_env *e, flx_item *body, const flx_entry *y, int *n,
                             flx_touching **out)
{
    flx_builder *b = e->b;
    const flx_entry *which = flx_entry_get(y, "nodes");
    double radius = 0.0;
    FLX_TRY(read_radius(e, y, &radius));
    if (flx_body_is_solid(b, body)) return read_solid(e, body, y, which, false, radius, n, out);
    if (!is_true(which)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, which->loc,
                        "sets of nodes are those of solids; of '%s' say 'nodes: true'", body->full);
    }
    if (flx_body_is_elastic(body)) return add_flexible_nodes(e, body, y, radius, n, out);
    if (!flx_body_is_beam(b, body)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "'nodes' is for beams, solids and flexible bodies; '%s' has no nodes",
                        body->full);
    }
    *n = ((const flx_body_data *)body->data)->beam->nnode;
    *out = flx_take(b, (size_t)*n, sizeof **out);
    return *out ? add_beam_nodes(e, body, y, radius, false, *out) : FLX_ERR_MEMORY;
}

flx_status flx_build_deforming(flx_env *e, flx_item *body, const flx_surface_kind *kind,
                               const flx_entry *y, int *n, flx_touching **out)
{
    bool line = kind->value == FLX_SURFACE_LINE, given = true;
    const flx_entry *is = flx_entry_get(y, kind->row.key);
    bool faces = kind->value == FLX_SURFACE_FACES, word = is->kind == FLX_ENTRY_SCALAR;
    FLX_TRY(refuse_keys(e, y, kind->row.key));
    if (line || (faces && word)) FLX_TRY(flx_build_flag(e->b, is, kind->row.key, &given));
    if (!given) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s: false' is no surface; leave the surface out", kind->row.key);
    }
    if (faces) return read_faces(e, body, y, n, out);
    return line ? read_line(e, body, y, n, out) : read_nodes(e, body, y, n, out);
}
