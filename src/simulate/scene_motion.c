// scene_motion.c - where the bodies' frames are, for whoever draws the run.
#include "scene/model_scene.h"
#include "simulate/simulation_parts.h"

#include <math.h>

// Leaves of one body: the centre of mass, then the rotation (planar: the angle; none of a point).
static int rotation_leaves(const flx_model *m, const flx_body *b)
{
    if (b->type == FLX_BODY_POINT) return 0;
    return m->dimension == 2 ? 1 : 9;
}

static void list_leaves(const flx_model *m, flx_leaf *leaves)
{
    for (int i = 0; i < flx_model_frames(m); i++) {
        int n = rotation_leaves(m, m->bodies + i);
        for (int k = 0; k < 3; k++) *leaves++ = flx_leaf_make(FLX_LEAF_BODY_POSITION, i, k);
        for (int k = 0; k < n; k++) *leaves++ = flx_leaf_make(FLX_LEAF_BODY_ROTATION, i, k);
    }
    for (int i = m->nvariable - m->nmode; i < m->nvariable; i++) {
        *leaves++ = flx_leaf_make(FLX_LEAF_VARIABLE, i, 0);
    }
}

// Meshes of flexible bodies, in the order in which the scene counts them.
static flx_status list_meshes(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    sim->motion.meshes = flx_alloc(sim->ctx, (size_t)m->nmodal, sizeof *sim->motion.meshes);
    if (!sim->motion.meshes) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nmodal; i++) {
        const flx_elastic_mesh *x = m->modals[i].e->mesh;
        if (!x) continue;
        const flx_result_mesh drawn = {FLX_ELASTIC_MESH_DRAWN(x, m->modals[i].e->n)};
        sim->motion.meshes[sim->info.nmesh++] = drawn;
    }
    sim->info.meshes = sim->motion.meshes;
    return FLX_OK;
}

static flx_status make_scene(flx_simulation *sim)
{
    sim->motion.arena = flx_arena_create(sim->ctx);
    if (!sim->motion.arena) return FLX_ERR_MEMORY;
    FLX_TRY(flx_scene_make(sim->model, sim->motion.arena, &sim->motion.scene));
    sim->info.scene = sim->motion.scene;
    sim->info.nmotion = FLX_SCENE_MOTION * flx_model_frames(sim->model) + sim->model->nmode;
    return FLX_OK;
}

static flx_status list_surfaces(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    flx_scene_surface *surfaces = flx_alloc(sim->ctx, (size_t)m->nsurface, sizeof *surfaces);
    if (!surfaces) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nsurface; i++) surfaces[i] = m->surfaces[i].mesh;
    sim->motion.surfaces = surfaces;
    sim->info.nsurface = m->nsurface;
    sim->info.surfaces = surfaces;
    return FLX_OK;
}

flx_status flx_motion_create(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    flx_motion *motion = &sim->motion;
    if (m->nbody == 0 || motion->scene) return FLX_OK;
    for (int i = 0; i < flx_model_frames(m); i++)
        motion->nleaf += 3 + rotation_leaves(m, m->bodies + i);
    motion->nleaf += m->nmode;
    FLX_TRY(list_meshes(sim));
    FLX_TRY(make_scene(sim));
    FLX_TRY(list_surfaces(sim));
    motion->leaves = flx_alloc(sim->ctx, (size_t)motion->nleaf, sizeof *motion->leaves);
    motion->in = flx_alloc(sim->ctx, (size_t)motion->nleaf, sizeof *motion->in);
    motion->out = flx_alloc(sim->ctx, (size_t)sim->info.nmotion, sizeof *motion->out);
    if (!motion->leaves || !motion->in || !motion->out) return FLX_ERR_MEMORY;
    list_leaves(m, motion->leaves);
    return FLX_OK;
}

void flx_motion_clear(flx_motion *m)
{
    flx_free(m->leaves);
    flx_free(m->in);
    flx_free(m->out);
    flx_arena_destroy(&m->arena);
    flx_free(m->surfaces);
    flx_free(m->meshes);
    *m = (flx_motion){0};
}

static quat orientation(int n, const double *rotation)
{
    if (n == 0) return (quat){1, 0, 0, 0};
    if (n == 1) return (quat){cos(0.5 * rotation[0]), 0, 0, sin(0.5 * rotation[0])};
    return quat_from_m33(m33_load(rotation));
}

// Axes along a slope, and across it as near to a second one as can be; NULL: the nearest to the ground's.
static m33 axes_of(const flx_model *m, const double *along, const double *across)
{
    v3 x = v3_unit(v3_load(along)), y = v3_make(-x.y, x.x, 0);
    if (m->dimension == 3) {
        y = across ? v3_load(across) : v3_make(0, 1, 0);
        if (!across && fabs(x.y) > 0.99) y = v3_make(1, 0, 0);
    }
    v3 z = v3_unit(v3_cross(x, y));
    return m33_from_cols(x, v3_cross(z, x), z);
}

// Nodes in absolute nodal coordinates are points; they are turned as their slopes say.
static void turn_nodes(const flx_model *m, double *out)
{
    for (int i = 0; i < m->nbeam; i++) {
        const flx_beam *b = m->beams + i;
        for (int k = 0; b->nslope > 0 && k <= b->nelement; k++) {
            const int *slope = b->slopes + k * b->nslope;
            const double *along = out + FLX_SCENE_MOTION * slope[0];
            const double *across = b->nslope > 1 ? out + FLX_SCENE_MOTION * slope[1] : NULL;
            if (!(v3_norm(v3_load(along)) > 0)) continue;
            quat q = quat_from_m33(axes_of(m, along, across));
            quat_store(out + FLX_SCENE_MOTION * b->nodes[k] + 3, q);
        }
    }
}

flx_status flx_motion_eval(flx_simulation *sim, const flx_state *x)
{
    const flx_model *m = sim->model;
    const flx_motion *motion = &sim->motion;
    const double *in = motion->in;
    FLX_TRY(flx_simulation_observe(sim, x, false, motion->nleaf, motion->leaves, motion->in));
    for (int i = 0; i < flx_model_frames(m); i++) {
        const flx_body *b = m->bodies + i;
        double *out = motion->out + FLX_SCENE_MOTION * i;
        int n = rotation_leaves(m, b);
        quat q = orientation(n, in + 3);
        v3 com = m33_mul_v(quat_to_m33(q), v3_load(b->com));
        v3_store(out, v3_sub(v3_load(in), com));
        quat_store(out + 3, q);
        in += 3 + n;
    }
    turn_nodes(m, motion->out);
    double *modes = motion->out + FLX_SCENE_MOTION * flx_model_frames(m);
    for (int i = 0; i < m->nmode; i++) modes[i] = in[i];
    return FLX_OK;
}
