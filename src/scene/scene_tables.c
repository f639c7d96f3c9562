// scene_tables.c - the tables of a scene, put together.
#include "scene/scene_tables.h"

// Rows begin with the number of their body.
static int body_of(const void *table, size_t size, int row)
{
    return *(const int *)(const void *)((const char *)table + (size_t)row * size);
}

// How many rows belong to a body, and the first of them; *at: where the rows of the next body may begin.
static int rows_of(int body, int n, const void *table, size_t size, int *at, int *first)
{
    int k = *at, count = 0;
    while (k < n && body_of(table, size, k) < body) k++;
    *first = k;
    for (; k < n && body_of(table, size, k) == body; k++) count++;
    *at = k;
    return count;
}

void flx_scene_connect(flx_scene *s)
{
    int point = 0, shape = 0, elastic = 0, first;
    for (int i = 0; i < s->nbody; i++) {
        flx_scene_body *b = s->bodies + i;
        b->npoint = rows_of(i, s->npoint, s->points, sizeof *s->points, &point, &first);
        b->points = b->npoint > 0 ? s->points + first : NULL;
        b->nshape = rows_of(i, s->nshape, s->shapes, sizeof *s->shapes, &shape, &first);
        b->shapes = b->nshape > 0 ? s->shapes + first : NULL;
        int n = rows_of(i, s->nelastic, s->elastics, sizeof *s->elastics, &elastic, &first);
        b->elastic = n > 0 ? s->elastics + first : NULL;
    }
}
