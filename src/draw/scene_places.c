// scene_places.c - where things of a scene are at a row of the motion.
#include "draw/scene_places.h"

#include <math.h>

#define FINE 4     // samples of a line from node to node
#define THIN 0.008 // radius of lines whose section is not known, part of the scene's size

flx_status flx_scene_of_result(flx_result *r, const flx_scene **out)
{
    *out = r->motion && r->rows > 0 ? r->scene : NULL;
    if (*out) return FLX_OK;
    return FLX_FAIL(
        r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%s",
        r->old_scene ? FLX_RESULT_OLD_SCENE
                     : "the result has no motion of bodies to draw; a result file (.h5) of a model "
                       "with bodies has it");
}

int flx_frame_of_particles(const flx_result *r, double t)
{
    int i = r->nframe - 1;
    while (i > 0 && r->frame_times[i] > t * (1.0 + 1e-12) + 1e-12) i--;
    return i;
}

flx_scene_place flx_scene_find(const flx_scene_body *b, const float *row)
{
    flx_scene_place at = {.R = m33_identity()};
    if (b->motion < 0) return at;
    double x[FLX_SCENE_MOTION], sum = 0;
    for (int k = 0; k < FLX_SCENE_MOTION; k++) {
        x[k] = (double)row[b->motion + k];
        sum += x[k];
    }
    at.known = isfinite(sum);
    if (!at.known) return at;
    at.p = v3_load(x);
    at.R = quat_to_m33(quat_unit(quat_load(x + 3)));
    return at;
}

v3 flx_scene_move(const flx_scene_place *at, v3 x)
{
    return v3_add(at->p, m33_mul_v(at->R, x));
}

v3 flx_scene_end(const flx_scene_link *l, int end, const flx_scene_place *places)
{
    v3 x = v3_load(l->at[end]);
    return l->body[end] < 0 ? x : flx_scene_move(&places[l->body[end]], x);
}

v3 flx_scene_node(const flx_scene_solid *s, int node, const flx_scene_place *places)
{
    v3 x = v3_load(s->at + 3 * (size_t)node);
    return s->body[node] < 0 ? x : flx_scene_move(&places[s->body[node]], x);
}

flx_scene_section flx_scene_section_of(const flx_scene *s, const flx_scene_line *l)
{
    double thin = THIN * s->size;
    return (flx_scene_section){
        .round = l->round || !(l->size[0] > 0),
        .size = {l->size[0] > thin ? l->size[0] : thin, l->size[1] > thin ? l->size[1] : thin}};
}

int flx_scene_samples(const flx_scene_line *l)
{
    return l->nnode > 1 ? FINE * (l->nnode - 1) + 1 : 0;
}

// Between two nodes a cubic along their x axes; axes in proportion.
static flx_scene_place between(const flx_scene_place *a, const flx_scene_place *b, double s)
{
    double length = v3_norm(v3_sub(b->p, a->p));
    double h0 = (1 + 2 * s) * (1 - s) * (1 - s), h1 = s * (1 - s) * (1 - s) * length;
    double h2 = s * s * (3 - 2 * s), h3 = s * s * (s - 1) * length;
    v3 p = v3_add(v3_scale(h0, a->p), v3_scale(h1, m33_col(a->R, 0)));
    p = v3_add(p, v3_add(v3_scale(h2, b->p), v3_scale(h3, m33_col(b->R, 0))));
    quat qa = quat_from_m33(a->R), qb = quat_from_m33(b->R);
    double near = qa.w * qb.w + qa.x * qb.x + qa.y * qb.y + qa.z * qb.z, f = near < 0 ? -s : s;
    quat q = {(1 - s) * qa.w + f * qb.w, (1 - s) * qa.x + f * qb.x, (1 - s) * qa.y + f * qb.y,
              (1 - s) * qa.z + f * qb.z};
    return (flx_scene_place){p, quat_to_m33(quat_unit(q)), a->known && b->known};
}

void flx_scene_sample(const flx_scene_line *l, const flx_scene_place *places, flx_scene_place *out)
{
    for (int i = 0; i + 1 < l->nnode; i++) {
        for (int k = 0; k < FINE; k++) {
            *out++ = between(&places[l->nodes[i]], &places[l->nodes[i + 1]], (double)k / FINE);
        }
    }
    if (l->nnode > 1) *out = places[l->nodes[l->nnode - 1]];
}

int flx_frame_count(int rows, int most)
{
    return rows < most ? rows : most;
}

int flx_frame_row(int rows, int count, int i)
{
    return count > 1 ? (int)lround((double)i * (rows - 1) / (count - 1)) : rows - 1;
}
