// patch_surfaces.c - what lines of beams, rigid spheres and capsules, and faces of solids and their nodes are as patches.
#include "contact/contact_surface.h"
#include "descriptor/descriptor_parts.h"
#include "force/patch_force.h"
#include "model/structure.h"

// Number of a body among those of a pair.
static int member_of(flx_patch_pair *p, int body)
{
    if (body < 0) return -1;
    for (int i = 0; i < p->nbody; i++) {
        if (p->bodies[i].body == body) return i;
    }
    p->bodies[p->nbody].body = body;
    return p->nbody++;
}

static flx_patch_vector vector_of(flx_patch_pair *p, int body, double place, v3 arm)
{
    flx_patch_vector z = {.frame = body + 1, .member = member_of(p, body), .place = place};
    v3_store(z.arm, arm);
    return z;
}

static const flx_beam *find_beam(const flx_model *m, int body)
{
    for (int i = 0; i < m->nbeam; i++) {
        if (m->beams[i].nodes[0] == body) return m->beams + i;
    }
    return NULL;
}

// A node of a beam: its place, and the derivative of the line over a length.
static void plan_node(const flx_descriptor *d, flx_patch_pair *p, const flx_beam *b, int node,
                      double length, flx_patch_vector z[2])
{
    int body = b->nodes[node];
    v3 arm = {0};
    if (b->nslope > 0) {
        z[0] = vector_of(p, body, 1.0, arm);
        z[1] = vector_of(p, b->slopes[node * b->nslope], length, arm);
        return;
    }
    if (b->arms) arm = v3_sub(v3_load(b->arms + 3 * node), v3_load(d->model->bodies[body].com));
    z[0] = vector_of(p, body, 1.0, arm);
    z[1] = vector_of(p, body, 0.0, v3_make(length, 0, 0));
}

static double length_between(const flx_model *m, const flx_beam *b, int node)
{
    if (b->order == 1) return b->lengths[node];
    v3 from = v3_load(m->bodies[b->nodes[node]].position);
    return v3_norm(v3_sub(v3_load(m->bodies[b->nodes[node + 1]].position), from));
}

static flx_status plan_line(flx_descriptor *d, flx_patch_pair *p, int side, const flx_beam *b)
{
    int n = b->nnode - 1;
    flx_patch *of = flx_arena_take(d->arena, (size_t)n, sizeof *of);
    if (!of) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        double length = length_between(d->model, b, i);
        of[i] =
            (flx_patch){.kind = FLX_PATCH_CUBIC, .inner = {{i > 0, i < n - 1}}, .length = length};
        if (b->nslope == 0) of[i].nturn = 2, of[i].turn[0] = 1, of[i].turn[1] = 3;
        for (int k = 0; k < 2; k++) plan_node(d, p, b, i + k, length, of[i].z + 2 * k);
    }
    p->of[side] = of;
    p->n[side] = n;
    return FLX_OK;
}

// A rigid sphere or capsule.
static flx_status plan_rigid(flx_descriptor *d, flx_patch_pair *p, int side, int body,
                             const flx_surface *s)
{
    flx_patch *of = flx_arena_take(d->arena, 1, sizeof *of);
    bool capsule = s->kind->value == FLX_SURFACE_ROUND;
    v3 at = v3_load(s->at), axis = m33_col(m33_load(s->axes), 2);
    double half = 0.5 * s->size[1];
    if (!of) return FLX_ERR_MEMORY;
    *of = (flx_patch){.kind = capsule ? FLX_PATCH_SEGMENT : FLX_PATCH_POINT, .nturn = 1};
    for (int i = 0; i < flx_patch_vectors(of->kind); i++) {
        v3 arm = capsule ? v3_axpy(i ? half : -half, axis, at) : at;
        of->z[i] = vector_of(p, body, 1.0, arm);
    }
    p->of[side] = of;
    p->n[side] = 1;
    return FLX_OK;
}

// ---- faces ----------------------------------------------------------------------------------------

static const flx_solid *find_solid(const flx_model *m, int body)
{
    for (int i = 0; i < m->nsolid; i++) {
        if (m->solids[i].nfree > 0 && m->solids[i].free[0] == body) return m->solids + i;
    }
    return NULL;
}

// A node: a point of its own, or a place of what holds it.
static flx_patch_vector node_of(const flx_descriptor *d, flx_patch_pair *p, const flx_solid *s,
                                int node)
{
    int body = s->body[node];
    v3 arm = v3_load(s->arm + 3 * (ptrdiff_t)node);
    if (body >= 0) arm = v3_sub(arm, v3_load(d->model->bodies[body].com));
    return vector_of(p, body, 1.0, arm);
}

// Flat pieces between the nodes of a face, four corners each: of a triangle the last twice.
static int pieces_of(flx_cell cell, const int (**out)[4])
{
    static const int tri3[1][4] = {{0, 1, 2, 2}}, quad4[1][4] = {{0, 1, 2, 3}};
    static const int tri6[4][4] = {{0, 3, 5, 5}, {3, 1, 4, 4}, {5, 4, 2, 2}, {3, 4, 5, 5}};
    static const int quad8[5][4] = {
        {0, 4, 7, 7}, {4, 1, 5, 5}, {5, 2, 6, 6}, {7, 6, 3, 3}, {4, 5, 6, 7}};
    switch (cell) {
    case FLX_CELL_TRI3:
        *out = tri3;
        return 1;
    case FLX_CELL_TRI6:
        *out = tri6;
        return 4;
    case FLX_CELL_QUAD8:
        *out = quad8;
        return 5;
    default:
        *out = quad4;
        return 1;
    }
}

static flx_status plan_faces(flx_descriptor *d, flx_patch_pair *p, int side, const flx_solid *s,
                             const flx_solid_faces *faces)
{
    const int(*corner)[4];
    int n = 0;
    for (int i = 0; i < faces->n; i++) n += pieces_of((flx_cell)faces->cells[i], &corner);
    flx_patch *of = flx_arena_take(d->arena, (size_t)n, sizeof *of);
    if (!of) return FLX_ERR_MEMORY;
    p->of[side] = of;
    p->n[side] = n;
    for (int i = 0; i < faces->n; i++) {
        int count = pieces_of((flx_cell)faces->cells[i], &corner);
        for (int k = 0; k < count; k++, of++) {
            of->kind = FLX_PATCH_FACE;
            for (int z = 0; z < 4; z++)
                of->z[z] = node_of(d, p, s, faces->nodes[faces->first[i] + corner[k][z]]);
        }
    }
    return FLX_OK;
}

static flx_status plan_nodes(flx_descriptor *d, flx_patch_pair *p, int side, const flx_solid *s,
                             const flx_solid_faces *faces)
{
    bool *wanted = flx_arena_take(d->arena, (size_t)s->nnode, sizeof *wanted);
    flx_patch *of = flx_arena_take(d->arena, (size_t)s->nnode, sizeof *of);
    if (!wanted || !of) return FLX_ERR_MEMORY;
    p->of[side] = of;
    for (int i = 0; i < faces->n; i++) {
        int count = flx_cells[faces->cells[i]].nodes;
        for (int k = 0; k < count; k++) wanted[faces->nodes[faces->first[i] + k]] = true;
    }
    for (int i = 0; i < s->nnode; i++) {
        if (!wanted[i]) continue;
        of->kind = FLX_PATCH_POINT;
        of->z[0] = node_of(d, p, s, i);
        of++;
    }
    p->n[side] = (int)(of - p->of[side]);
    return FLX_OK;
}

// ---- one side of a pair -----------------------------------------------------------------------------

int flx_patches_bodies(const flx_model *m, const flx_contact_side *side)
{
    flx_surface_value value = side->surface->kind->value;
    if (value == FLX_SURFACE_FACES) return find_solid(m, side->body)->nnode;
    return value == FLX_SURFACE_LINE ? 2 * find_beam(m, side->body)->nnode : 1;
}

flx_status flx_patches_plan_side(flx_descriptor *d, flx_patch_pair *p, int i, bool nodes,
                                 const flx_contact_side *side)
{
    const flx_surface *s = side->surface;
    p->radius[i] = s->size[0] + s->skin;
    if (s->kind->value == FLX_SURFACE_LINE)
        return plan_line(d, p, i, find_beam(d->model, side->body));
    if (s->kind->value != FLX_SURFACE_FACES) return plan_rigid(d, p, i, side->body, s);
    const flx_solid *solid = find_solid(d->model, side->body);
    return (nodes ? plan_nodes : plan_faces)(d, p, i, solid, s->data);
}
