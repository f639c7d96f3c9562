// block_solid.c - solids of large deformation: a mesh whose nodes are points of the model, and as places.
//
// Nodes of `fixed` sets are places of the ground, those of `attach` places of other bodies; every other
// node of an element is a body of the model, a point; the first stands for the solid itself. The mass
// of an element goes to its nodes by the diagonal of its consistent mass matrix (Hinton, Rock and
// Zienkiewicz), which for a cell with straight edges is a part of the volume.
#include "language/flexible/deformable.h"
#include "language/flexible/section_read.h"
#include "language/scope/nums.h"
#include "model/cell_shape.h"
#include "model/structure.h"

#include <stdio.h>
#include <string.h>

static const double origin[3] = {0, 0, 0};
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const char *const laws[] = {"st-venant-kirchhoff", "neo-hookean", NULL};
// Nodes of one solid, bodies that they become.
#define MOST_NODES 1000000
#define LOST 1e-3       // part of the mass that is worth a word
#define SAME_PLACE 1e-6 // of a size of the mesh: a place is a node

enum { UNUSED, FREE, FIXED, ATTACHED };

static flx_solid_data *solid_of(const flx_item *body)
{
    return body->kind == FLX_KIND_BODY ? ((flx_body_data *)body->data)->solid : NULL;
}

bool flx_body_is_solid(const flx_builder *b, const flx_item *body)
{
    if (body->kind != FLX_KIND_BODY || b->m->nunavailable > 0) return false;
    const flx_body_data *d = body->data;
    return d->word && strcmp(d->word, "solid") == 0;
}

// ---- sets ---------------------------------------------------------------------------------------

static flx_status mark(flx_builder *b, const flx_structure *s, const flx_entry *y,
                       flx_solid_data *d, int kind, flx_item *owner)
{
    int label, one, n = 1;
    const int *nodes = &one;
    const flx_mesh_set *set = flx_structure_find_set(s, y->text);
    if (flx_structure_node_word(y->text, &label)) {
        one = flx_structure_node_of(s, label);
        if (one < 0) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the mesh has no node %d", label);
        }
    } else if (set && set->nnode > 0) {
        nodes = set->nodes;
        n = set->nnode;
    } else {
        flx_nearest near;
        flx_nearest_start(&near, y->text);
        for (int i = 0; i < s->nset; i++) flx_nearest_offer(&near, s->sets[i].name);
        const char *best = flx_nearest_best(&near);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "the mesh has no set of nodes named '%s'%s%s%s", y->text,
                        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    for (int i = 0; i < n; i++) {
        if (d->kind[nodes[i]] > FREE && d->owner[nodes[i]] != owner) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "node %d of '%s' is held by '%s' already", s->label[nodes[i]], y->text,
                            d->owner[nodes[i]]->full);
        }
        d->kind[nodes[i]] = (signed char)kind;
        d->owner[nodes[i]] = owner;
    }
    return FLX_OK;
}

static flx_status mark_all(flx_builder *b, const flx_structure *s, const flx_entry *y,
                           flx_solid_data *d, int kind, flx_item *owner)
{
    if (y->kind != FLX_ENTRY_LIST) return mark(b, s, y, d, kind, owner);
    for (int i = 0; i < y->count; i++) FLX_TRY(mark(b, s, y->items[i], d, kind, owner));
    return FLX_OK;
}

static flx_status read_holds(flx_builder *b, const flx_item *body, const flx_structure *s,
                             flx_solid_data *d)
{
    const flx_entry *fixed = flx_entry_get(body->def, "fixed");
    const flx_entry *attach = flx_entry_get(body->def, "attach");
    if (fixed) FLX_TRY(mark_all(b, s, fixed, d, FIXED, b->ground));
    for (int i = 0; attach && i < attach->count; i++) {
        const flx_entry *name = attach->keys[i];
        flx_item *to = flx_names_find(&body->space->names, name->text);
        bool rigid = to && to->kind == FLX_KIND_BODY && !to->family &&
                     strcmp(((flx_body_data *)to->data)->word, "rigid") == 0;
        if (!rigid) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc,
                            "'%s' is no rigid body that nodes could be attached to", name->text);
        }
        FLX_TRY(mark_all(b, s, attach->items[i], d, ATTACHED, to));
    }
    return FLX_OK;
}

// ---- mass ---------------------------------------------------------------------------------------

// The integrals of the functions of an element in the initial configuration (SOL-10), added to those of its nodes, and of 1.
static double integrate(flx_cell cell, const double *x, const int *n, double *volumes)
{
    flx_shape_table t;
    double all = 0;
    flx_shape_fill(cell, FLX_RULE_MASS, &t);
    for (int g = 0; g < t.points; g++) {
        v3 c[3] = {{0}};
        for (int a = 0; a < t.nodes; a++) {
            for (int k = 0; k < 3; k++) c[k] = v3_axpy(t.dN[g][a][k], v3_load(x + 3 * n[a]), c[k]);
        }
        double size = t.weight[g] * v3_dot(v3_cross(c[0], c[1]), c[2]);
        all += size;
        for (int a = 0; a < t.nodes; a++) volumes[n[a]] += t.N[g][a] * size;
    }
    return all;
}

// The part of the mass that a node has.
static double share(flx_cell cell, int node)
{
    switch (cell) {
    case FLX_CELL_TET4:
        return 1.0 / 4.0;
    case FLX_CELL_TET10:
        return node < 4 ? 1.0 / 36.0 : 4.0 / 27.0;
    case FLX_CELL_HEX8:
        return 1.0 / 8.0;
    default:
        return node < 8 ? 7.0 / 248.0 : 2.0 / 31.0;
    }
}

// ---- elements and nodes -------------------------------------------------------------------------

static bool is_solid_cell(flx_cell cell)
{
    return flx_cells[cell].dimension == 3;
}

static flx_status copy_elements(flx_builder *b, const flx_item *body, const flx_structure *s,
                                flx_solid_data *d)
{
    flx_solid *o = &d->def;
    size_t nodes = 0;
    for (int i = 0; i < s->nelement; i++) {
        if (!is_solid_cell(s->elements[i].cell)) continue;
        o->nelement++;
        nodes += (size_t)flx_cells[s->elements[i].cell].nodes;
    }
    if (o->nelement == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(body->def, "mesh")->loc,
                        "the mesh has no tetrahedra or hexahedra");
    }
    o->cells = flx_arena_take(b->m->arena, (size_t)o->nelement, sizeof *o->cells);
    o->first = flx_arena_take(b->m->arena, (size_t)o->nelement, sizeof *o->first);
    o->nodes = flx_arena_take(b->m->arena, nodes, sizeof *o->nodes);
    if (!o->cells || !o->first || !o->nodes) return FLX_ERR_MEMORY;
    int n = 0, at = 0;
    for (int i = 0; i < s->nelement; i++) {
        flx_cell cell = s->elements[i].cell;
        const int *from = flx_element_nodes(s, i);
        if (!is_solid_cell(cell)) continue;
        double size = integrate(cell, s->x, from, o->volumes);
        if (!(size > 0)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_structure_loc(s, s->elements[i].line),
                            "element %d is inverted or flat: its volume is %g",
                            s->elements[i].label, size);
        }
        o->cells[n] = (int)cell;
        o->first[n++] = at;
        for (int k = 0; k < flx_cells[cell].nodes; k++) {
            o->nodes[at++] = from[k];
            d->lumped[from[k]] += share(cell, k) * size;
            if (d->kind[from[k]] == UNUSED) d->kind[from[k]] = FREE;
        }
    }
    return FLX_OK;
}

static flx_status make_node(flx_builder *b, flx_item *body, flx_solid_data *d, int i, bool first)
{
    flx_item *item = body;
    flx_body_data *own = body->data;
    const char *full = flx_arena_printf(b->m->arena, "%s.node(%d)", body->full, d->labels[i]);
    if (!full) return FLX_ERR_MEMORY;
    if (!first) {
        item = flx_take(b, 1, sizeof *item);
        own = flx_take(b, 1, sizeof *own);
        if (!item || !own) return FLX_ERR_MEMORY;
        *item = *body;
        item->name = item->full = full;
        item->number = b->bodies.count;
        item->data = own;
        *own = (flx_body_data){.word = "node", .carrier = body, .node = i};
        FLX_TRY(flx_body_make_point(b, item, "com", origin, &own->com));
        FLX_TRY(flx_items_add(b, &b->bodies, item));
    }
    own->def = (flx_body){.name = full,
                          .loc = body->loc,
                          .type = FLX_BODY_POINT,
                          .follows = first ? 0 : body->number + 1};
    memcpy(own->def.R, identity, sizeof identity);
    d->nodes[i] = item;
    return FLX_OK;
}

static flx_status take_arrays(flx_builder *b, const flx_structure *s, flx_solid_data *d)
{
    size_t n = (size_t)s->nnode;
    d->def.nnode = s->nnode;
    d->kind = flx_take(b, n, sizeof *d->kind);
    d->owner = flx_take(b, n, sizeof(flx_item *));
    d->nodes = flx_take(b, n, sizeof(flx_item *));
    d->points = flx_take(b, n, sizeof(flx_item *));
    d->labels = flx_take(b, n, sizeof *d->labels);
    d->lumped = flx_take(b, n, sizeof *d->lumped);
    d->def.volumes = flx_arena_take(b->m->arena, n, sizeof(double));
    d->def.x = flx_arena_take(b->m->arena, 3 * n, sizeof *d->def.x);
    d->def.body = flx_arena_take(b->m->arena, n, sizeof *d->def.body);
    d->def.arm = flx_arena_take(b->m->arena, 3 * n, sizeof *d->def.arm);
    if (!d->kind || !d->owner || !d->nodes || !d->points || !d->labels || !d->lumped ||
        !d->def.volumes || !d->def.x || !d->def.body || !d->def.arm) {
        return FLX_ERR_MEMORY;
    }
    memcpy(d->labels, s->label, n * sizeof *d->labels);
    memcpy(d->def.x, s->x, 3 * n * sizeof *d->def.x);
    return FLX_OK;
}

static flx_status use_mesh(flx_builder *b, flx_item *body, flx_structure *s, flx_solid_data *d)
{
    bool first = true;
    FLX_TRY(flx_structure_index(s));
    FLX_TRY(take_arrays(b, s, d));
    FLX_TRY(copy_elements(b, body, s, d));
    FLX_TRY(read_holds(b, body, s, d));
    FLX_TRY(flx_solid_find_surface(b, s, d));
    for (int i = 0; i < s->nnode; i++) {
        if (d->kind[i] != FREE) continue;
        if (b->bodies.count > MOST_NODES) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, body->loc, "the mesh has more than %d nodes",
                            MOST_NODES);
        }
        FLX_TRY(make_node(b, body, d, i, first));
        first = false;
    }
    if (!first) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, body->loc, "every node of '%s' is held: nothing moves",
                    body->full);
}

static flx_status read_material(flx_env *e, const flx_item *body, flx_solid *o, double *density)
{
    flx_builder *b = e->b;
    const flx_entry *y = NULL, *nu, *law = flx_entry_get(body->def, "law");
    double E = 0, v = 0.3;
    int word = 0;
    FLX_TRY(flx_build_need(b, body, "material", &y));
    FLX_TRY(flx_material_refuse_loss(b, y));
    FLX_TRY(flx_build_positive(e, flx_entry_get(y, "E"), "E", &E));
    FLX_TRY(flx_build_positive(e, flx_entry_get(y, "density"), "density", density));
    nu = flx_entry_get(y, "nu");
    if (nu) FLX_TRY(flx_build_number(e, nu, &v));
    if (nu && !(v > -1.0 && v < 0.5)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, nu->loc,
                        "Poisson's ratio lies between -1 and 0.5: %g does not", v);
    }
    if (law) FLX_TRY(flx_build_word(b, law, "law", laws, &word));
    o->neo_hookean = word == 1;
    o->mu = E / (2.0 * (1.0 + v));
    o->lambda = E * v / ((1.0 + v) * (1.0 - 2.0 * v));
    return FLX_OK;
}

static flx_status read_damping(flx_env *e, const flx_item *body, flx_solid *o)
{
    const flx_entry *damping = flx_entry_get(body->def, "damping");
    const flx_entry *y = damping ? flx_entry_get(damping, "rayleigh") : NULL;
    double *v;
    int n = 0;
    if (!damping) return FLX_OK;
    if (!y) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, damping->loc,
                        "a solid has no modes to give a ratio to: give rayleigh: [alpha, beta]");
    }
    FLX_TRY(flx_build_numbers(e, y, &n, &v));
    if (n != 2) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "alpha and beta are two numbers, not %d",
                        n);
    }
    for (int i = 0; i < n; i++) {
        o->rayleigh[i] = v[i];
        if (!(v[i] >= 0)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "damping cannot be negative");
        }
    }
    return FLX_OK;
}

// Another unit of length shows in the size.
static void warn_of_size(flx_builder *b, const flx_entry *mesh, const flx_solid_data *d)
{
    double size = 0;
    int first = 0;
    while (d->kind[first] == UNUSED) first++;
    for (int i = first; i < d->def.nnode; i++) {
        if (d->kind[i] == UNUSED) continue;
        v3 apart = v3_sub(v3_load(d->def.x + 3 * i), v3_load(d->def.x + 3 * first));
        size = fmax(size, v3_norm(apart));
    }
    if (!(size > FLX_LARGE_MESH)) return;
    flx_ctx_warn(b->ctx, mesh->loc,
                 "it is %.3g m long: are its lengths in mm? They are expected in m; of a mesh in "
                 "mm write 'scale: 0.001' beside 'mesh'",
                 size);
}

// What elements of 8 nodes are called for in meshes of small deformations, they do not have here.
static void warn_of_own_modes(flx_builder *b, const flx_entry *mesh, const flx_item *body,
                              const flx_structure *s)
{
    for (int i = 0; i < s->nelement; i++) {
        if (!s->elements[i].incompatible || s->elements[i].cell != FLX_CELL_HEX8) continue;
        flx_ctx_warn(
            b->ctx, mesh->loc,
            "the mesh asks for hexahedra of 8 nodes that do not lock in bending (C3D8I, C3D8R, "
            "CHEXA); "
            "those of '%s' have no incompatible modes and do, where they are thin by a multiple of "
            "the stiffness: take hexahedra of 20 nodes or tetrahedra of 10",
            body->full);
        return;
    }
}

static flx_status declare(flx_builder *b, flx_item *body)
{
    const flx_entry *mesh = NULL, *scale = flx_entry_get(body->def, "scale");
    double unit = 1;
    flx_solid_data *d = flx_take(b, 1, sizeof *d);
    flx_structure *s = NULL;
    flx_env e;
    if (!d) return FLX_ERR_MEMORY;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_need(b, body, "mesh", &mesh));
    if (!b->reader || !b->reader->read_mesh) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, mesh->loc, "meshes cannot be read here");
    }
    d->def = (flx_solid){.name = body->full, .loc = body->loc};
    FLX_TRY(read_material(&e, body, &d->def, &d->density));
    FLX_TRY(read_damping(&e, body, &d->def));
    if (scale) FLX_TRY(flx_build_positive(&e, scale, "the scale", &unit));
    FLX_TRY(b->reader->read_mesh(b->reader->user, mesh->text, mesh->loc, &s));
    if (scale) flx_structure_scale(s, unit);
    flx_status status = use_mesh(b, body, s, d);
    if (status == FLX_OK) warn_of_size(b, mesh, d);
    if (status == FLX_OK) warn_of_own_modes(b, mesh, body, s);
    flx_structure_destroy(&s);
    if (status == FLX_OK) ((flx_body_data *)body->data)->solid = d;
    return status;
}

flx_status flx_solids_declare(flx_builder *b)
{
    return flx_bodies_become_nodes(b, flx_body_is_solid, declare);
}

// ---- drawing ------------------------------------------------------------------------------------

flx_status flx_solid_place(flx_builder *b, flx_item *body)
{
    flx_solid_data *d = ((flx_body_data *)body->data)->solid;
    const flx_body *frame = &((flx_body_data *)body->data)->def;
    v3 r = v3_load(frame->position);
    m33 R = m33_load(frame->R);
    memcpy(d->origin, frame->position, sizeof d->origin);
    for (int i = 0; i < d->def.nnode; i++) {
        v3 at = v3_add(r, m33_mul_v(R, v3_load(d->def.x + 3 * i)));
        double place[3];
        v3_store(place, at);
        if (d->kind[i] == FIXED) memcpy(d->def.arm + 3 * i, place, sizeof place);
        if (d->kind[i] == ATTACHED) {
            FLX_TRY(flx_body_place(b, d->owner[i], body->loc));
            flx_num3 arm = flx_ground_to_body(b, d->owner[i], flx_num3_of(place));
            flx_num3_fix(b, &arm, body->loc);
            memcpy(d->def.arm + 3 * i, arm.x, sizeof arm.x);
        }
        if (d->kind[i] != FREE) continue;
        flx_body *node = &((flx_body_data *)d->nodes[i]->data)->def;
        memcpy(node->position, place, sizeof place);
        memcpy(node->R, identity, sizeof identity);
    }
    return FLX_OK;
}

// What moves with a rigid body has the mass that the body is given.
static void warn_of_mass(flx_builder *b, const flx_item *body, const flx_solid_data *d)
{
    double held = 0.0, all = 0.0;
    for (int i = 0; i < d->def.nnode; i++) {
        all += d->density * d->lumped[i];
        if (d->kind[i] == ATTACHED) held += d->density * d->lumped[i];
    }
    if (!(held > LOST * all)) return;
    flx_ctx_warn(b->ctx, body->loc,
                 "nodes of '%s' with a mass of %.3g kg are attached to bodies and not counted: add "
                 "it to theirs",
                 body->full, held);
}

flx_status flx_solid_finish(flx_builder *b, flx_item *body)
{
    flx_solid_data *d = ((flx_body_data *)body->data)->solid;
    flx_body_start start;
    flx_env e;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    flx_num3 at = flx_num3_of(d->origin);
    FLX_TRY(flx_build_motion(&e, body->def, &at, &start));
    flx_start_fix(b, &start, body->loc);
    warn_of_mass(b, body, d);
    for (int i = 0; i < d->def.nnode; i++) {
        if (d->kind[i] != FREE) continue;
        flx_body *node = &((flx_body_data *)d->nodes[i]->data)->def;
        node->mass = d->density * d->lumped[i];
        node->overweight = d->density * (d->def.volumes[i] - d->lumped[i]);
        if (!(node->mass > 0)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, body->loc, "node %d of '%s' has no mass",
                            d->labels[i], body->full);
        }
        node->start = flx_start_of_node(&start, node->position);
    }
    return FLX_OK;
}

// ---- places -------------------------------------------------------------------------------------

static flx_status point_of(flx_builder *b, const flx_item *body, int node, flx_item **point)
{
    flx_solid_data *d = solid_of(body);
    *point = d->points[node];
    if (*point) return FLX_OK;
    flx_item *own = d->nodes[node];
    const char *name = flx_arena_printf(b->m->arena, "%s.node(%d)", body->full, d->labels[node]);
    if (!name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_body_make_point(b, own, name, origin, point));
    (*point)->full = name;
    ((flx_point_data *)(*point)->data)->deformable = true;
    d->points[node] = *point;
    return FLX_OK;
}

flx_status flx_solid_node(flx_builder *b, flx_item *body, int label, flx_loc loc, flx_item **point)
{
    const flx_solid_data *d = solid_of(body);
    for (int i = 0; i < d->def.nnode; i++) {
        if (d->labels[i] != label || d->kind[i] == UNUSED) continue;
        if (d->kind[i] == FREE) return point_of(b, body, i, point);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "node %d of '%s' is held by '%s', and moves with that", label, body->full,
                        d->owner[i]->full);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "the mesh of '%s' has no node %d", body->full,
                    label);
}

flx_status flx_solid_node_at(flx_builder *b, flx_item *body, const double position[3], flx_loc loc,
                             flx_item **node)
{
    const flx_solid_data *d = solid_of(body);
    double best = HUGE_VAL, size = 0;
    int nearest = -1;
    FLX_TRY(flx_body_place(b, body, loc));
    for (int i = 0; i < d->def.nnode; i++) {
        if (d->kind[i] != FREE) continue;
        const flx_body *own = &((const flx_body_data *)d->nodes[i]->data)->def;
        double distance = v3_norm(v3_sub(v3_load(own->position), v3_load(position)));
        size = fmax(size, distance);
        if (distance < best) best = distance, nearest = i;
    }
    if (best <= SAME_PLACE * size) {
        *node = d->nodes[nearest];
        return FLX_OK;
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                    "no free node of '%s' is at this place; the nearest, node(%d), is %g m away",
                    body->full, d->labels[nearest], best);
}

// ---- into the model -----------------------------------------------------------------------------

// The first is the solid's own; those of the other nodes follow each other.
static void add_free(flx_solid *s, int body)
{
    if (s->nfree == 0) s->free[0] = body;
    if (s->nfree == 1) s->free[1] = body;
    if (s->nfree++ > 0) s->free[2] = body;
}

flx_status flx_solids_finish(flx_builder *b)
{
    flx_model *m = b->m;
    int n = 0;
    for (int i = 0; i < b->bodies.count; i++) n += solid_of(b->bodies.items[i]) != NULL;
    m->solids = flx_arena_take(m->arena, (size_t)n, sizeof *m->solids);
    if (!m->solids) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->bodies.count; i++) {
        flx_solid_data *d = solid_of(b->bodies.items[i]);
        if (!d) continue;
        for (int k = 0; k < d->def.nnode; k++) {
            d->def.body[k] = FLX_BODY_GROUND;
            if (d->kind[k] == FREE) add_free(&d->def, d->def.body[k] = d->nodes[k]->number);
            if (d->kind[k] == ATTACHED) d->def.body[k] = d->owner[k]->number;
        }
        for (int k = 0; k < b->forces.count; k++) {
            const flx_force_data *f = b->forces.items[k]->data;
            if (f->load && f->body[1] == b->bodies.items[i]) f->load->solid = m->nsolid;
        }
        d->def.surface = d->surface;
        m->solids[m->nsolid++] = d->def;
    }
    return FLX_OK;
}
