// frames.c - the motion of a result as pictures: FOLDER/frame_0000.png, ...
#include "base/number.h"
#include "draw/drawings.h"
#include "draw/film.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_FRAMES 200
#define DEFAULT_WIDTH 960
#define DEFAULT_HEIGHT 600
#define LARGEST 8192       // pixels of an edge
#define ROWS_LOOKED_AT 200 // for the box of the motion and the scale of colours
#define PIN 0.014          // radius of coils, part of the size
#define PATH_LENGTH 4096

static const flx_colour palette[] = {
    {0.23F, 0.49F, 0.85F}, {0.91F, 0.53F, 0.12F}, {0.30F, 0.69F, 0.31F}, {0.77F, 0.31F, 0.32F},
    {0.55F, 0.44F, 0.75F}, {0.55F, 0.43F, 0.31F}, {0.83F, 0.44F, 0.71F}, {0.44F, 0.49F, 0.55F},
    {0.71F, 0.65F, 0.26F}, {0.16F, 0.65F, 0.65F}};
#define N_PALETTE ((int)(sizeof palette / sizeof palette[0]))
static const flx_colour ink = {0.15F, 0.17F, 0.2F}, metal = {0.32F, 0.36F, 0.42F};
static const flx_colour stone = {0.60F, 0.65F, 0.70F};
static const flx_colour brass = {0.72F, 0.53F, 0.05F}, red = {0.75F, 0.22F, 0.17F};

typedef struct film {
    flx_result *r;
    const flx_frames_def *def;
    const flx_scene *scene;
    flx_scene empty; // of particles alone
    flx_raster raster;
    flx_camera camera;
    flx_painter painter;
    flx_scene_place *places; // (nbody) owned
    flx_triangles *solids;   // (nbody) owned: what keeps its form
    flx_colour **own; // (nbody) owned: of points, where shapes have colours; NULL: that of the body
    flx_triangles *bent; // (nbody) owned: surfaces of meshes, or tubes, as deformed
    int *
        paint; // (nbody) owned: which colour of the palette a body has; of beams and solids those after them
    int npaint; // colours of bodies
    flx_symbols symbols;
    flx_layers layers;
    flx_triangles swept;      // the beam or solid at hand
    flx_scene_place *samples; // owned, of it
    int sample_capacity;
    double *nodes;         // owned: displacements of a line's nodes
    float *field, *stress; // owned: displacements and stresses of a mesh's surface
    flx_colour *colours;   // owned: of points
    int node_capacity, field_capacity, stress_capacity, colour_capacity;
    double largest; // of displacement or stress over the run
    double fastest; // particle
    bool elastic;
    v3 low, high;
} film;

// ---- flexible bodies -----------------------------------------------------------------------------

static const flx_result_mesh *mesh_of(const film *f, const flx_scene_elastic *e)
{
    return e->mesh >= 0 ? f->r->meshes + e->mesh : NULL;
}

static bool by_stress(const film *f, const flx_result_mesh *m)
{
    return f->def->stress && m && m->stress;
}

// Displacements of a mesh's surface into f->field, and what colours it into its fourth quarter.
static flx_status deform_mesh(film *f, const flx_scene_elastic *e, const flx_result_mesh *m,
                              const float *row)
{
    int n = m->nsurface;
    FLX_TRY(flx_grow(f->r->ctx, (void **)&f->field, &f->field_capacity, 4 * n, sizeof *f->field));
    float *value = f->field + 3 * (size_t)n;
    flx_deform_mesh(m, row + e->motion, n, f->field);
    if (by_stress(f, m)) {
        FLX_TRY(flx_grow(f->r->ctx, (void **)&f->stress, &f->stress_capacity, 6 * n,
                         sizeof *f->stress));
        flx_deform_stress(m, row + e->motion, n, f->stress, value);
        return FLX_OK;
    }
    for (int i = 0; i < n; i++) {
        const float *u = f->field + 3 * (size_t)i;
        value[i] = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    return FLX_OK;
}

static flx_status deform_line(film *f, const flx_scene_elastic *e, const float *row)
{
    FLX_TRY(
        flx_grow(f->r->ctx, (void **)&f->nodes, &f->node_capacity, 3 * e->nnode, sizeof *f->nodes));
    flx_deform_nodes(e, row, f->nodes);
    return FLX_OK;
}

// The largest value at a row, for the scale of colours.
static flx_status look_at(film *f, const float *row)
{
    for (int i = 0; i < f->scene->nbody; i++) {
        const flx_scene_elastic *e = f->scene->bodies[i].elastic;
        const flx_result_mesh *m = e ? mesh_of(f, e) : NULL;
        if (m) FLX_TRY(deform_mesh(f, e, m, row));
        for (int k = 0; m && k < m->nsurface; k++) {
            f->largest = fmax(f->largest, (double)f->field[3 * (size_t)m->nsurface + k]);
        }
        if (m || !e || f->def->stress) continue;
        FLX_TRY(deform_line(f, e, row));
        for (int k = 0; k < e->nnode; k++) {
            f->largest = fmax(f->largest, v3_norm(v3_load(f->nodes + 3 * (size_t)k)));
        }
    }
    return FLX_OK;
}

static flx_status colour_points(film *f, int n, const float *values)
{
    FLX_TRY(flx_grow(f->r->ctx, (void **)&f->colours, &f->colour_capacity, n, sizeof *f->colours));
    for (int i = 0; i < n; i++) {
        f->colours[i] = flx_scale_colour(f->largest > 0 ? (double)values[i] / f->largest : 0);
    }
    return FLX_OK;
}

// A body of a plane in its layer.
static flx_scene_place lifted(const film *f, int body)
{
    flx_scene_place at = f->places[body];
    at.p.z += f->layers.of[body].z;
    return at;
}

static flx_status paint_mesh(film *f, int body, const flx_result_mesh *m, const float *row)
{
    flx_triangles *s = f->bent + body;
    FLX_TRY(deform_mesh(f, f->scene->bodies[body].elastic, m, row));
    if (s->npoint == 0) {
        for (int i = 0; i < m->nsurface; i++) FLX_TRY(flx_triangles_add_point(s, v3_make(0, 0, 0)));
        for (int i = 0; i < m->ntriangle; i++) {
            const int *t = m->triangles + 3 * (size_t)i;
            FLX_TRY(flx_triangles_add_triangle(s, t[0], t[1], t[2]));
        }
    }
    for (size_t i = 0; i < 3 * (size_t)m->nsurface; i++) {
        s->points[i] = (double)m->nodes[i] + f->def->exaggeration * (double)f->field[i];
    }
    FLX_TRY(colour_points(f, m->nsurface, f->field + 3 * (size_t)m->nsurface));
    const flx_scene_place at = lifted(f, body);
    return flx_paint_solid(&f->painter, s, &at, palette[0], f->colours);
}

// Nodes one after the other as a tube; else a ball each.
static flx_status paint_line(film *f, int body, const float *row)
{
    const flx_scene_elastic *e = f->scene->bodies[body].elastic;
    double radius = FLX_FILM_TUBE * f->scene->size;
    flx_triangles *s = f->bent + body;
    const flx_scene_place place = lifted(f, body);
    FLX_TRY(deform_line(f, e, row));
    for (int i = 0; i + (e->line ? 1 : 0) < e->nnode; i++) {
        v3 by[2], at[2];
        for (int k = 0; k < 2; k++) {
            size_t node = 3 * (size_t)(e->line ? i + k : i);
            by[k] = v3_load(f->nodes + node);
            at[k] = v3_add(v3_load(e->nodes + node), v3_scale(f->def->exaggeration, by[k]));
        }
        v3 along = v3_sub(at[1], at[0]);
        flx_triangles_clear(s);
        FLX_TRY(flx_triangles_add_round(s, v3_scale(0.5, v3_add(at[0], at[1])), along, radius,
                                        v3_norm(along), true));
        double moved = 0.5 * (v3_norm(by[0]) + v3_norm(by[1]));
        flx_colour c = f->def->stress ? palette[f->paint[body] % N_PALETTE]
                                      : flx_scale_colour(f->largest > 0 ? moved / f->largest : 0);
        FLX_TRY(flx_paint_solid(&f->painter, s, &place, c, NULL));
    }
    return FLX_OK;
}

// ---- what is there ------------------------------------------------------------------------------

// The shapes of a body, and the colours of their points where some have one of their own.
static flx_status add_shapes(film *f, int i, const flx_scene_body *b)
{
    const flx_scene_shape *s = b->shapes;
    bool coloured = false;
    flx_colour of_body = palette[f->paint[i] % N_PALETTE];
    int *ends = flx_alloc(f->r->ctx, (size_t)b->nshape + 1, sizeof *ends);
    flx_status status = ends ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = 0; k < b->nshape && status == FLX_OK; k++) {
        status = flx_triangles_add_shape(&f->solids[i], f->r, s + k, f->scene->size);
        ends[k + 1] = f->solids[i].npoint;
        coloured = coloured || s[k].colour > 0;
    }
    if (status == FLX_OK && coloured) {
        f->own[i] = flx_alloc(f->r->ctx, (size_t)f->solids[i].npoint + 1, sizeof **f->own);
        if (!f->own[i]) status = FLX_ERR_MEMORY;
    }
    for (int k = 0; k < b->nshape && f->own[i]; k++) {
        int hue = s[k].colour - 1;
        flx_colour own = {(float)(hue >> 16 & 255) / 255.0F, (float)(hue >> 8 & 255) / 255.0F,
                          (float)(hue & 255) / 255.0F};
        for (int p = ends[k]; p < ends[k + 1]; p++) f->own[i][p] = hue >= 0 ? own : of_body;
    }
    flx_free(ends);
    return status;
}

static flx_status make_solids(film *f)
{
    const flx_scene *s = f->scene;
    flx_ctx *ctx = f->r->ctx;
    f->places = flx_alloc(ctx, (size_t)s->nbody + 1, sizeof *f->places);
    f->solids = flx_alloc(ctx, (size_t)s->nbody + 1, sizeof *f->solids);
    f->own = flx_alloc(ctx, (size_t)s->nbody + 1, sizeof *f->own);
    f->bent = flx_alloc(ctx, (size_t)s->nbody + 1, sizeof *f->bent);
    f->layers.of = flx_alloc(ctx, (size_t)s->nbody + (size_t)s->nline + 1, sizeof *f->layers.of);
    f->paint = flx_alloc(ctx, (size_t)s->nbody + 1, sizeof *f->paint);
    if (!f->places || !f->solids || !f->own || !f->bent || !f->layers.of || !f->paint)
        return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nbody; i++) {
        const flx_scene_body *b = s->bodies + i;
        f->solids[i].ctx = f->bent[i].ctx = ctx;
        f->elastic = f->elastic || b->elastic;
        f->paint[i] = f->npaint;
        f->npaint += b->nshape > 0 || b->elastic;
        FLX_TRY(add_shapes(f, i, b));
    }
    flx_layers_make(s, f->solids, &f->layers);
    return flx_symbols_make(f->r, s, &f->layers, flx_scene_up(s), &f->symbols);
}

static void cover(film *f, v3 x)
{
    if (!isfinite(x.x + x.y + x.z)) return;
    f->low = v3_make(fmin(f->low.x, x.x), fmin(f->low.y, x.y), fmin(f->low.z, x.z));
    f->high = v3_make(fmax(f->high.x, x.x), fmax(f->high.y, x.y), fmax(f->high.z, x.z));
}

// All corners of what a body is drawn with, at a row.
static void cover_body(film *f, int i, const float *row)
{
    const flx_scene_body *b = f->scene->bodies + i;
    flx_scene_place at = flx_scene_find(b, row);
    f->places[i] = at;
    if (!at.known || !b->place) return;
    const flx_result_mesh *m = b->elastic ? mesh_of(f, b->elastic) : NULL;
    for (int k = 0; k < f->solids[i].npoint; k++) {
        cover(f, flx_scene_move(&at, v3_load(f->solids[i].points + 3 * (size_t)k)));
    }
    for (int k = 0; b->elastic && !m && k < b->elastic->nnode; k++) {
        cover(f, flx_scene_move(&at, v3_load(b->elastic->nodes + 3 * (size_t)k)));
    }
    for (int k = 0; m && k < m->nsurface; k++) {
        const float *x = m->nodes + 3 * (size_t)k;
        cover(f, flx_scene_move(&at, v3_make((double)x[0], (double)x[1], (double)x[2])));
    }
    cover(f, flx_scene_move(&at, v3_load(b->com)));
}

// Sections of beams round their nodes.
static void cover_lines(film *f)
{
    for (int i = 0; i < f->scene->nline; i++) {
        const flx_scene_line *l = f->scene->lines + i;
        const flx_scene_section section = flx_scene_section_of(f->scene, l);
        double y = section.round ? section.size[0] : 0.5 * section.size[1];
        double z = section.round ? section.size[0] : 0.5 * section.size[0];
        for (int k = 0; k < 4 * l->nnode; k++) {
            const flx_scene_place *at = &f->places[l->nodes[k / 4]];
            v3 corner = v3_make(0, k & 1 ? y : -y, k & 2 ? z : -z);
            if (at->known) cover(f, flx_scene_move(at, corner));
        }
    }
}

static const float *row_at(const film *f, int row)
{
    return f->r->motion ? f->r->motion + (size_t)row * (size_t)f->r->nmotion : NULL;
}

static flx_status look_around(film *f)
{
    int n = flx_frame_count(f->r->rows, ROWS_LOOKED_AT);
    f->low = v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    f->high = v3_scale(-1, f->low);
    for (int i = 0; i < n; i++) {
        const float *row = row_at(f, flx_frame_row(f->r->rows, n, i));
        for (int k = 0; k < f->scene->nbody; k++) cover_body(f, k, row);
        cover_lines(f);
        if (f->elastic) FLX_TRY(look_at(f, row));
    }
    const flx_triangles *on_ground[2] = {&f->symbols.posts, &f->symbols.ground};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < on_ground[i]->npoint; k++) {
            cover(f, v3_load(on_ground[i]->points + 3 * (size_t)k));
        }
    }
    flx_scene seen = *f->scene; // bodies go far where they leave the box of the particles, too
    v3 low = v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = v3_scale(-1, low);
    FLX_TRY(flx_particles_look(f->r, &low, &high, &f->fastest));
    if (low.x <= high.x) {
        cover(f, low);
        cover(f, high);
        seen.size = fmax(seen.size, v3_norm(v3_sub(high, low)));
    }
    flx_camera_aim(&f->camera, &seen, f->def->view, f->low, f->high);
    flx_camera_fit(&f->camera, &f->raster);
    return FLX_OK;
}

// ---- one frame ----------------------------------------------------------------------------------

static void follow(film *f)
{
    if (f->camera.follow < 0 || !f->places[f->camera.follow].known) return;
    const flx_scene_body *b = f->scene->bodies + f->camera.follow;
    f->camera.target = flx_scene_move(&f->places[f->camera.follow], v3_load(b->com));
    flx_camera_fit(&f->camera, &f->raster);
}

static flx_status paint_bodies(film *f, const float *row)
{
    for (int i = 0; i < f->scene->nbody; i++) {
        const flx_scene_elastic *e = f->scene->bodies[i].elastic;
        flx_colour c = palette[f->paint[i] % N_PALETTE];
        FLX_TRY(flx_paint_solid(&f->painter, &f->solids[i], &f->places[i], c, f->own[i]));
        if (!e || !f->places[i].known) continue;
        const flx_result_mesh *m = mesh_of(f, e);
        FLX_TRY(m ? paint_mesh(f, i, m, row) : paint_line(f, i, row));
    }
    return FLX_OK;
}

static flx_status paint_lines(film *f)
{
    const flx_scene_place ground = {.R = m33_identity(), .known = true};
    for (int i = 0; i < f->scene->nline; i++) {
        const flx_scene_line *l = f->scene->lines + i;
        int n = flx_scene_samples(l);
        FLX_TRY(
            flx_grow(f->r->ctx, (void **)&f->samples, &f->sample_capacity, n, sizeof *f->samples));
        flx_scene_sample(l, f->places, f->samples);
        const flx_layer layer = f->layers.of[f->scene->nbody + i];
        for (int k = 0; k < n; k++) f->samples[k].p.z += layer.z;
        flx_triangles_clear(&f->swept);
        const flx_scene_section section = flx_scene_section_of(f->scene, l);
        FLX_TRY(flx_triangles_sweep(&f->swept, n, f->samples, section.round, section.size));
        FLX_TRY(flx_paint_solid(&f->painter, &f->swept, &ground,
                                palette[(f->npaint + i) % N_PALETTE], NULL));
    }
    return FLX_OK;
}

static flx_status paint_surfaces(film *f)
{
    const flx_scene_place ground = {.R = m33_identity(), .known = true};
    for (int i = 0; i < f->scene->nsolid; i++) {
        const flx_scene_solid *s = f->scene->solids + i;
        flx_colour c = palette[(f->npaint + f->scene->nline + i) % N_PALETTE];
        flx_triangles_clear(&f->swept);
        for (int k = 0; k < s->nnode; k++) {
            FLX_TRY(flx_triangles_add_point(&f->swept, flx_scene_node(s, k, f->places)));
        }
        for (int k = 0; k < s->ntriangle; k++) {
            const int *t = s->triangles + 3 * (size_t)k;
            FLX_TRY(flx_triangles_add_triangle(&f->swept, t[0], t[1], t[2]));
        }
        FLX_TRY(flx_paint_solid(&f->painter, &f->swept, &ground, c, NULL));
    }
    return FLX_OK;
}

// Above all sheets of a plane.
static v3 end_of(const film *f, const flx_scene_link *l, int end)
{
    v3 x = flx_scene_end(l, end, f->places);
    x.z += f->layers.top;
    return x;
}

static flx_status paint_links(film *f)
{
    const flx_scene_place ground = {.R = m33_identity(), .known = true};
    FLX_TRY(flx_paint_solid(&f->painter, &f->symbols.ground, &ground, stone, NULL));
    FLX_TRY(flx_paint_solid(&f->painter, &f->symbols.posts, &ground, metal, NULL));
    for (int i = 0; i < f->scene->nbody; i++) {
        FLX_TRY(flx_paint_solid(&f->painter, &f->symbols.bodies[i], &f->places[i], metal, NULL));
    }
    for (int i = 0; i < f->scene->njoint; i++) {
        const flx_scene_link *l = f->scene->joints + i;
        if (strcmp(l->type, "distance") == 0) {
            flx_paint_line(&f->painter, end_of(f, l, 0), end_of(f, l, 1), 4, metal);
        }
    }
    for (int i = 0; i < f->scene->nforce; i++) {
        const flx_scene_link *l = f->scene->forces + i;
        v3 a = end_of(f, l, 0), b = end_of(f, l, 1);
        if (strcmp(l->type, "spring") == 0) {
            flx_paint_coil(&f->painter, a, b, PIN * f->scene->size, brass);
        } else if (strcmp(l->type, "actuator") == 0 || strcmp(l->type, "muscle") == 0) {
            flx_paint_line(&f->painter, a, b, 4, red);
        } else if (strcmp(l->type, "cable") == 0) {
            flx_paint_line(&f->painter, a, b, 2, metal);
        }
    }
    return FLX_OK;
}

// The pixels of a row.
static flx_status draw_row(film *f, int row)
{
    char text[64];
    const float *motion = row_at(f, row);
    for (int i = 0; i < f->scene->nbody; i++) {
        f->places[i] = flx_scene_find(f->scene->bodies + i, motion);
    }
    follow(f);
    flx_raster_begin(&f->raster, (flx_colour){1, 1, 1});
    flx_paint_grid(&f->painter, f->scene);
    FLX_TRY(paint_bodies(f, motion));
    FLX_TRY(paint_lines(f));
    FLX_TRY(paint_surfaces(f));
    FLX_TRY(paint_links(f));
    FLX_TRY(flx_paint_particles(&f->painter, f->r, f->r->data[0][row], f->fastest));
    if (f->elastic && f->largest > 0) {
        flx_paint_scale(&f->painter, f->largest, f->def->stress ? "Pa" : "m");
    } else if (f->fastest > 0) {
        flx_paint_scale(&f->painter, f->fastest, "m/s");
    }
    flx_snprintf(text, sizeof text, "t = %.4g s", f->r->data[0][row]);
    flx_raster_text(&f->raster, 12, 12, 2, text, ink);
    flx_raster_finish(&f->raster);
    return FLX_OK;
}

// ---- the film -----------------------------------------------------------------------------------

static flx_status check(flx_ctx *ctx, const flx_frames_def *def)
{
    static const char *const views[] = {"x", "y", "z", "slant"};
    bool known = !def->view;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        known = known || strcmp(def->view, views[i]) == 0;
    }
    if (!known) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'%s' is no view: there are x, y, z and slant", def->view);
    }
    if (def->width < 16 || def->height < 16 || def->width > LARGEST || def->height > LARGEST) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "pictures of %dx%d pixels cannot be made: 16 to %d in each direction",
                        def->width, def->height, LARGEST);
    }
    if (!(def->exaggeration > 0 && isfinite(def->exaggeration))) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "deformations are exaggerated by a positive number");
    }
    return FLX_OK;
}

static void clear(film *f)
{
    for (int i = 0; f->solids && i < f->scene->nbody; i++) flx_triangles_clear(&f->solids[i]);
    for (int i = 0; f->own && i < f->scene->nbody; i++) flx_free(f->own[i]);
    flx_free(f->own);
    for (int i = 0; f->bent && i < f->scene->nbody; i++) flx_triangles_clear(&f->bent[i]);
    flx_symbols_clear(&f->symbols, f->scene->nbody);
    flx_free(f->places);
    flx_free(f->solids);
    flx_free(f->bent);
    flx_free(f->layers.of);
    flx_free(f->paint);
    flx_triangles_clear(&f->swept);
    flx_free(f->samples);
    flx_free(f->nodes);
    flx_free(f->field);
    flx_free(f->stress);
    flx_free(f->colours);
    flx_painter_clear(&f->painter);
    flx_raster_clear(&f->raster);
}

static flx_status find_scene(film *f)
{
    const flx_result *r = f->r;
    bool alone = !r->motion && !r->old_scene && r->nframe > 0 && r->rows > 0;
    if (!alone) return flx_scene_of_result(f->r, &f->scene);
    f->empty = (flx_scene){.dimension = 3, .gravity = {0, 0, -9.81}};
    f->scene = &f->empty;
    return FLX_OK;
}

// The scene of f is there; cleared by the caller, also after a failure.
static flx_status prepare(film *f)
{
    FLX_TRY(flx_raster_create(f->r->ctx, f->def->width, f->def->height, &f->raster));
    f->painter = (flx_painter){.ctx = f->r->ctx, .raster = &f->raster, .camera = &f->camera};
    FLX_TRY(make_solids(f));
    return look_around(f);
}

flx_status flx_frames_draw(flx_result *r, const flx_frames_def *asked, int n,
                           int (*row)(void *, int),
                           flx_status (*take)(void *, int, const flx_raster *), void *user)
{
    flx_frames_def def = *asked;
    film f = {.r = r, .def = &def, .swept.ctx = r->ctx};
    if (def.width == 0) def.width = DEFAULT_WIDTH;
    if (def.height == 0) def.height = DEFAULT_HEIGHT;
    if (def.exaggeration == 0) def.exaggeration = 1;
    FLX_TRY(find_scene(&f));
    FLX_TRY(check(r->ctx, &def));
    flx_status status = prepare(&f);
    for (int i = 0, last = -1; i < n && status == FLX_OK; i++) {
        int at = row(user, i);
        if (at != last) status = draw_row(&f, at);
        last = at;
        if (status == FLX_OK) status = take(user, i, &f.raster);
    }
    clear(&f);
    return status;
}

// ---- files --------------------------------------------------------------------------------------

typedef struct folder {
    flx_ctx *ctx;
    const char *name;
    int rows, frames;
} folder;

static int row_of_frame(void *user, int frame)
{
    const folder *d = user;
    return flx_frame_row(d->rows, d->frames, frame);
}

static flx_status write_frame(void *user, int frame, const flx_raster *raster)
{
    const folder *d = user;
    char path[PATH_LENGTH];
    int n = flx_snprintf(path, sizeof path, "%s/frame_%04d.png", d->name, frame);
    if (n < 0 || n >= PATH_LENGTH) {
        return FLX_FAIL(d->ctx, FLX_ERR_IO, FLX_NOWHERE, "the path '%s' is too long", d->name);
    }
    // The folder is made when there is something to put into it.
    if (frame == 0 && mkdir(d->name, 0777) != 0 && errno != EEXIST) {
        return FLX_FAIL(d->ctx, FLX_ERR_IO, FLX_NOWHERE, "the folder '%s' cannot be made: %s",
                        d->name, flx_error_text(errno));
    }
    return flx_raster_write(raster, path);
}

flx_status flx_frames_write(flx_result *r, const flx_frames_def *def, int *written)
{
    folder d = {.ctx = r->ctx, .name = def->folder, .rows = r->rows};
    d.frames = *written = flx_frame_count(r->rows, def->frames > 0 ? def->frames : DEFAULT_FRAMES);
    return flx_frames_draw(r, def, d.frames, row_of_frame, write_frame, &d);
}

flx_status flx_picture_write(flx_result *r, int row, int width, int height, const char *path)
{
    const flx_frames_def def = {.width = width, .height = height, .exaggeration = 1};
    film f = {.r = r, .def = &def, .swept.ctx = r->ctx};
    FLX_TRY(find_scene(&f));
    flx_status status = prepare(&f);
    if (status == FLX_OK) status = draw_row(&f, row);
    if (status == FLX_OK) status = flx_raster_write(&f.raster, path);
    clear(&f);
    return status;
}
