// body_density.c - mass, centre and inertia of a rigid body from its shapes and a density.
//
// Shapes are solids of that density, a mesh the solid that it bounds; what overlaps counts twice. With a volume V_k, a centre c_k
// and an inertia J_k of mass 1 about it, turned by R_k:
//     m_k = rho V_k,   c = sum m_k c_k / sum m_k,   I = sum m_k (R_k J_k R_k^T + |d|^2 1 - d d^T),   d = c_k - c
#include "language/builder.h"
#include "language/scope/nums.h"
#include "read/robot/robot.h"
#include "read/surface_solid.h"

#include <string.h>

// In its own axes, of a round one along z.
static flx_status solid_of(const flx_env *e, const flx_shape *s, flx_loc loc, flx_robot_solid *out)
{
    flx_ctx *ctx = e->b->ctx;
    if (s->kind->solid) {
        flx_shape_solid solid = s->kind->solid(s->size);
        *out = (flx_robot_solid){.volume = solid.volume, .inertia = m33_zero()};
        for (int k = 0; k < 3; k++) out->inertia.m[4 * k] = solid.inertia[k];
        if (out->volume > 0.0) return FLX_OK;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "a shape without a volume has no mass: with a 'density' a box has three "
                        "edges, in the plane too");
    }
    flx_surface_solid mesh;
    FLX_TRY(flx_surface_solid_find(ctx, &e->b->m->surfaces[s->surface].mesh, &mesh));
    if (mesh.nopen > 0) {
        return FLX_FAIL(
            ctx, FLX_ERR_MODEL, loc,
            "the mesh is open at %d edges, so that it bounds no solid: close it, or give "
            "'mass', 'com' and 'inertia' in the place of 'density'",
            mesh.nopen);
    }
    if (!(mesh.volume > 0.0))
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "the mesh encloses no volume");
    double x = s->scale;
    *out = (flx_robot_solid){x * x * x * mesh.volume, v3_scale(x, v3_load(mesh.centre)),
                             m33_scale(x * x, m33_load(mesh.inertia))};
    return FLX_OK;
}

static m33 turned(const flx_shape *s, const m33 *J)
{
    if (s->kind->form == FLX_SHAPE_OF_ROUND) { // about the axis, and about all across it
        m33 along = m33_outer(v3_load(s->axis), v3_load(s->axis));
        return m33_add(m33_scale(J->m[0], m33_identity()), m33_scale(J->m[8] - J->m[0], along));
    }
    m33 R = quat_to_m33(quat_load(s->turn));
    return m33_mul_t(m33_mul(R, *J), R);
}

static flx_status add_shape(flx_env *e, flx_shape *s, flx_loc loc, double density,
                            flx_robot_link *sum)
{
    flx_robot_solid solid = {0};
    flx_nums_fix(e->b, 3, s->size_open, loc);
    flx_nums_fix(e->b, 3, s->at_open, loc);
    FLX_TRY(solid_of(e, s, loc, &solid));
    v3 centre =
        s->kind->rotates ? m33_mul_v(quat_to_m33(quat_load(s->turn)), solid.centre) : solid.centre;
    double mass = density * solid.volume;
    flx_robot_add_mass(sum, mass, v3_add(v3_load(s->at), centre),
                       m33_scale(mass, turned(s, &solid.inertia)));
    return FLX_OK;
}

flx_status flx_body_weigh(flx_builder *b, flx_item *body, flx_num3 *com)
{
    const flx_entry *y = flx_entry_get(body->def, "density"),
                    *shape = flx_entry_get(body->def, "shape");
    flx_body *def = &((flx_body_data *)body->data)->def;
    flx_robot_link sum = {.I = m33_zero()};
    flx_env e;
    double density, centre[3];
    if (!shape) return flx_build_need(b, body, "shape", &shape);
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_positive(&e, y, "a density", &density));
    FLX_TRY(flx_build_shapes(&e, body, def));
    for (int i = 0; i < def->nshape; i++) {
        const flx_entry *one = shape->kind == FLX_ENTRY_LIST ? shape->items[i] : shape;
        FLX_TRY(add_shape(&e, def->shapes + i, one->loc, density, &sum));
    }
    def->mass = sum.mass;
    memset(def->inertia, 0, sizeof def->inertia);
    for (int i = 0; i < 9; i++) {
        if (b->m->dimension == 3 || i == 8) def->inertia[i] = sum.I.m[i];
    }
    v3_store(centre, sum.com);
    if (b->m->dimension == 2) centre[2] = 0.0;
    *com = flx_num3_of(centre);
    return FLX_OK;
}
