// scene_read.c - the scene of a result, read back from its text.
#include "draw/scene_read.h"
#include "base/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define MOTION 7   // numbers of a body in a row
#define FINE 4     // samples of a line from node to node
#define THIN 0.008 // radius of lines whose section is not known, part of the scene's size

typedef struct reader {
    flx_result *r;
    flx_scene *scene;
} reader;

static int whole(const flx_json *map, const char *key, int least, int most)
{
    double x = flx_json_number(map, key, -1);
    return x >= least && x <= most && x == floor(x) ? (int)x : -1;
}

static int count_of(const flx_json *list)
{
    return list && list->kind == FLX_JSON_LIST ? list->count : 0;
}

static void read_shape(reader *rd, const flx_json *j, flx_scene_shape *s)
{
    double turn[4];
    s->kind = flx_json_text(j, "kind");
    flx_json_numbers(flx_json_get(j, "size"), 3, s->size);
    flx_json_numbers(flx_json_get(j, "at"), 3, s->at);
    flx_json_numbers(flx_json_get(j, "axis"), 3, s->axis);
    bool turned = flx_json_numbers(flx_json_get(j, "turn"), 4, turn);
    s->turn = turned ? quat_load(turn) : (quat){1, 0, 0, 0};
    s->scale = flx_json_number(j, "scale", 1);
    s->surface = whole(j, "surface", 0, rd->r->nsurface - 1);
}

static flx_status read_shapes(reader *rd, const flx_json *list, flx_scene_body *b)
{
    int n = count_of(list);
    b->shapes = flx_arena_take(rd->r->arena, (size_t)n, sizeof *b->shapes);
    if (!b->shapes) return FLX_ERR_MEMORY;
    for (const flx_json *j = n > 0 ? list->first : NULL; j; j = j->next) {
        read_shape(rd, j, b->shapes + b->nshape++);
    }
    return FLX_OK;
}

// Places of nodes, n lists of three. NULL: there is no memory.
static double *read_places(reader *rd, const flx_json *list, int n)
{
    double *x = flx_arena_take(rd->r->arena, 3 * (size_t)n, sizeof *x);
    const flx_json *j = list && list->kind == FLX_JSON_LIST ? list->first : NULL;
    for (int i = 0; x && j && i < n; i++, j = j->next) {
        flx_json_numbers(j, 3, x + 3 * (size_t)i);
    }
    return x;
}

static flx_status read_elastic(reader *rd, const flx_json *j, flx_scene_body *b)
{
    const flx_json *nodes = flx_json_get(j, "nodes"), *shapes = flx_json_get(j, "shapes");
    flx_scene_elastic *e = flx_arena_take(rd->r->arena, 1, sizeof *e);
    if (!e) return FLX_ERR_MEMORY;
    e->motion = whole(j, "motion", 0, rd->r->nmotion);
    e->mesh = whole(j, "mesh", 0, rd->r->nmesh - 1);
    e->line = flx_json_number(j, "line", 0) != 0;
    e->nnode = count_of(nodes);
    e->nmode = count_of(shapes);
    int modes = e->mesh >= 0 ? rd->r->meshes[e->mesh].nmode : e->nmode;
    if (e->motion < 0 || modes > rd->r->nmotion - e->motion) return FLX_OK; // not of this result
    e->nodes = read_places(rd, nodes, e->nnode);
    size_t one = 3 * (size_t)e->nnode;
    e->shapes = flx_arena_take(rd->r->arena, (size_t)e->nmode * one, sizeof *e->shapes);
    if (!e->nodes || !e->shapes) return FLX_ERR_MEMORY;
    int k = 0;
    for (const flx_json *s = e->nmode > 0 ? shapes->first : NULL; s; s = s->next) {
        const double *x = read_places(rd, s, e->nnode);
        if (!x) return FLX_ERR_MEMORY;
        memcpy(e->shapes + one * (size_t)k++, x, one * sizeof *x);
    }
    b->elastic = e;
    return FLX_OK;
}

static flx_status read_body(reader *rd, const flx_json *j, flx_scene_body *b)
{
    b->name = flx_json_text(j, "name");
    b->motion = whole(j, "motion", 0, rd->r->nmotion - MOTION);
    b->mass = flx_json_number(j, "mass", 0);
    flx_json_numbers(flx_json_get(j, "com"), 3, b->com);
    b->place = flx_json_number(j, "place", 1) != 0;
    FLX_TRY(read_shapes(rd, flx_json_get(j, "shapes"), b));
    const flx_json *elastic = flx_json_get(j, "elastic");
    return elastic ? read_elastic(rd, elastic, b) : FLX_OK;
}

static void read_link(reader *rd, const flx_json *j, flx_scene_link *l)
{
    double body[2];
    const flx_json *at = flx_json_get(j, "at");
    l->name = flx_json_text(j, "name");
    l->type = flx_json_text(j, "type");
    flx_json_numbers(flx_json_get(j, "bodies"), 2, body);
    for (int k = 0; k < 2; k++) {
        bool known = body[k] >= 0 && body[k] < rd->scene->nbody;
        l->body[k] = known ? (int)body[k] : -1;
    }
    const flx_json *first = at && at->kind == FLX_JSON_LIST ? at->first : NULL;
    flx_json_numbers(first, 3, l->at[0]);
    flx_json_numbers(first ? first->next : NULL, 3, l->at[1]);
    flx_json_numbers(flx_json_get(j, "axis"), 3, l->axis);
    flx_json_numbers(flx_json_get(j, "axis2"), 3, l->axis2);
}

static flx_status read_links(reader *rd, const flx_json *list, int *n, flx_scene_link **links)
{
    int count = count_of(list);
    *links = flx_arena_take(rd->r->arena, (size_t)count, sizeof **links);
    if (!*links) return FLX_ERR_MEMORY;
    for (const flx_json *j = count > 0 ? list->first : NULL; j; j = j->next) {
        read_link(rd, j, *links + (*n)++);
    }
    return FLX_OK;
}

static flx_status read_line(reader *rd, const flx_json *j, flx_scene_line *l)
{
    const flx_json *nodes = flx_json_get(j, "nodes");
    int n = count_of(nodes);
    l->name = flx_json_text(j, "name");
    l->round = flx_json_number(j, "round", 1) != 0;
    flx_json_numbers(flx_json_get(j, "size"), 2, l->size);
    l->nodes = flx_arena_take(rd->r->arena, (size_t)n, sizeof *l->nodes);
    if (!l->nodes) return FLX_ERR_MEMORY;
    for (const flx_json *k = n > 0 ? nodes->first : NULL; k; k = k->next) {
        bool known = k->kind == FLX_JSON_NUMBER && k->number >= 0 && k->number < rd->scene->nbody;
        if (known) l->nodes[l->nnode++] = (int)k->number;
    }
    double thin = THIN * rd->scene->size;
    if (!(l->size[0] > 0)) l->round = true;
    if (!(l->size[0] > thin)) l->size[0] = thin;
    if (!(l->size[1] > thin)) l->size[1] = thin;
    return FLX_OK;
}

static flx_status read_lines(reader *rd, const flx_json *list)
{
    flx_scene *s = rd->scene;
    int n = count_of(list);
    s->lines = flx_arena_take(rd->r->arena, (size_t)n, sizeof *s->lines);
    if (!s->lines) return FLX_ERR_MEMORY;
    for (const flx_json *j = n > 0 ? list->first : NULL; j; j = j->next) {
        FLX_TRY(read_line(rd, j, s->lines + s->nline++));
    }
    return FLX_OK;
}

// Triangles whose nodes are there.
static void read_triangles(const flx_json *list, flx_scene_solid *s)
{
    for (const flx_json *j = count_of(list) > 0 ? list->first : NULL; j; j = j->next) {
        double x[3];
        bool known = flx_json_numbers(j, 3, x);
        for (int k = 0; k < 3; k++) known = known && x[k] >= 0 && x[k] < s->nnode;
        for (int k = 0; known && k < 3; k++) s->triangles[3 * s->ntriangle + k] = (int)x[k];
        s->ntriangle += known;
    }
}

static flx_status read_solid(reader *rd, const flx_json *j, flx_scene_solid *s)
{
    const flx_json *bodies = flx_json_get(j, "bodies"), *faces = flx_json_get(j, "triangles");
    size_t n = (size_t)count_of(bodies);
    s->name = flx_json_text(j, "name");
    s->body = flx_arena_take(rd->r->arena, n, sizeof *s->body);
    s->triangles = flx_arena_take(rd->r->arena, 3 * (size_t)count_of(faces), sizeof(int));
    s->at = read_places(rd, flx_json_get(j, "at"), (int)n);
    if (!s->body || !s->triangles || !s->at) return FLX_ERR_MEMORY;
    for (const flx_json *k = n > 0 ? bodies->first : NULL; k; k = k->next) {
        bool known = k->kind == FLX_JSON_NUMBER && k->number >= 0 && k->number < rd->scene->nbody;
        s->body[s->nnode++] = known ? (int)k->number : -1;
    }
    read_triangles(faces, s);
    return FLX_OK;
}

static flx_status read_solids(reader *rd, const flx_json *list)
{
    flx_scene *s = rd->scene;
    s->solids = flx_arena_take(rd->r->arena, (size_t)count_of(list), sizeof *s->solids);
    if (!s->solids) return FLX_ERR_MEMORY;
    for (const flx_json *j = count_of(list) > 0 ? list->first : NULL; j; j = j->next) {
        FLX_TRY(read_solid(rd, j, s->solids + s->nsolid++));
    }
    return FLX_OK;
}

static flx_status read_all(reader *rd, const flx_json *top)
{
    flx_scene *s = rd->scene;
    const flx_json *bodies = flx_json_get(top, "bodies");
    s->dimension = flx_json_number(top, "dimension", 3) == 2 ? 2 : 3;
    s->size = flx_json_number(top, "size", 1);
    if (!(s->size > 0 && isfinite(s->size))) s->size = 1;
    flx_json_numbers(flx_json_get(top, "gravity"), 3, s->gravity);
    int n = count_of(bodies);
    s->bodies = flx_arena_take(rd->r->arena, (size_t)n, sizeof *s->bodies);
    if (!s->bodies) return FLX_ERR_MEMORY;
    for (const flx_json *j = n > 0 ? bodies->first : NULL; j; j = j->next) {
        FLX_TRY(read_body(rd, j, s->bodies + s->nbody++));
    }
    FLX_TRY(read_lines(rd, flx_json_get(top, "lines")));
    FLX_TRY(read_solids(rd, flx_json_get(top, "solids")));
    FLX_TRY(read_links(rd, flx_json_get(top, "joints"), &s->njoint, &s->joints));
    return read_links(rd, flx_json_get(top, "forces"), &s->nforce, &s->forces);
}

flx_status flx_scene_read(flx_result *r, flx_scene **out)
{
    *out = NULL;
    if (!r->scene || !r->motion || r->rows == 0) {
        return FLX_FAIL(
            r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "the result has no motion of bodies to draw; a result file (.h5) of a model "
            "with bodies has it");
    }
    const flx_json *top = flx_json_parse(r->arena, r->scene);
    if (!top) {
        return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the scene of the result cannot be read: the file is damaged");
    }
    reader rd = {.r = r, .scene = flx_arena_take(r->arena, 1, sizeof(flx_scene))};
    if (!rd.scene) return FLX_ERR_MEMORY;
    FLX_TRY(read_all(&rd, top));
    *out = rd.scene;
    return FLX_OK;
}

flx_scene_place flx_scene_find(const flx_scene_body *b, const float *row)
{
    flx_scene_place at = {.R = m33_identity()};
    if (b->motion < 0) return at;
    double x[MOTION], sum = 0;
    for (int k = 0; k < MOTION; k++) {
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
