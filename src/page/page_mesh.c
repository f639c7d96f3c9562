// page_mesh.c - surfaces and meshes of results in a page. In this order, as page_pack.h lays numbers
// out: of each surface x, y, z of its points and its triangles; of each mesh the same, numbers of its
// nodes, then for each elastic coordinate x, y, z of the displacements and xx to xz of the stresses, as
// integers of 16 bits whose unit the header names.
#include "page/page_mesh.h"
#include "draw/decimate.h"
#include "page/page_pack.h"
#include "page/page_particles.h"

#include <limits.h>
#include <math.h>

#define MOST_TRIES 16
#define MOST_POINTS 20000 // so many move smoothly also where a processor draws
#define FEWEST 64         // points of a mesh that is made coarser
#define UNITS 32767.0     // of the largest number

typedef struct maker {
    flx_ctx *ctx;
    flx_page_meshes *out;
    double part; // of all points that is kept
    flx_text numbers;
} maker;

static flx_status coarsen(maker *m, int n, const float *points, int k, const int *triangles,
                          flx_coarse *out)
{
    double most = fmax(m->part * n, FEWEST);
    FLX_TRY(
        flx_decimate(m->ctx, n, points, k, triangles, most < INT_MAX ? (int)most : INT_MAX, out));
    m->out->kept += out->npoint;
    return FLX_OK;
}

static flx_status put_surface(maker *m, const float *points, const flx_coarse *c)
{
    float *x = flx_alloc(m->ctx, (size_t)c->npoint, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < c->npoint; i++) x[i] = points[3 * (size_t)c->points[i] + k];
        flx_pack_floats(&m->numbers, c->npoint, 1, x, 1);
    }
    flx_free(x);
    flx_pack_ints(&m->numbers, 3 * c->ntriangle, c->triangles, 4);
    return FLX_OK;
}

// Fields of every coordinate, `width` numbers a node; their units go to the header.
static flx_status put_fields(maker *m, flx_text *header, const char *key,
                             const flx_result_mesh *mesh, const float *fields, size_t width,
                             const flx_coarse *c)
{
    int *x = flx_alloc(m->ctx, (size_t)c->npoint, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    flx_text_print(header, ", \"%s\": [", key);
    for (int mode = 0; mode < mesh->nmode; mode++) {
        const float *field = fields + (size_t)mode * (size_t)mesh->nnode * width;
        double largest = 0;
        for (int i = 0; i < c->npoint; i++) {
            for (size_t k = 0; k < width; k++) {
                double size = fabs((double)field[width * (size_t)c->points[i] + k]);
                if (size > largest) largest = size;
            }
        }
        if (!isfinite(largest)) largest = 0;
        flx_text_put(header, mode ? ", " : "");
        flx_text_put_number(header, largest / UNITS);
        for (size_t k = 0; k < width; k++) {
            for (int i = 0; i < c->npoint; i++) {
                double v = (double)field[width * (size_t)c->points[i] + k] / largest;
                x[i] = v >= -1 && v <= 1 ? (int)lrint(UNITS * v) : 0; // NaN, and all of nothing
            }
            flx_pack_ints(&m->numbers, c->npoint, x, 2);
        }
    }
    flx_text_put(header, "]");
    flx_free(x);
    return FLX_OK;
}

static void put_counts(flx_text *header, int i, const flx_coarse *c)
{
    flx_text_print(header, "%s{\"points\": %d, \"triangles\": %d", i ? ", " : "", c->npoint,
                   c->ntriangle);
}

static flx_status put_mesh(maker *m, flx_text *header, const flx_result_mesh *mesh,
                           const flx_coarse *c)
{
    flx_status status = put_surface(m, mesh->nodes, c);
    int *labels = flx_alloc(m->ctx, (size_t)c->npoint, sizeof *labels);
    if (!labels) return FLX_ERR_MEMORY;
    for (int i = 0; i < c->npoint; i++) labels[i] = mesh->labels[c->points[i]];
    flx_pack_ints(&m->numbers, c->npoint, labels, 4);
    flx_free(labels);
    if (status == FLX_OK) status = put_fields(m, header, "modes", mesh, mesh->modes, 3, c);
    if (status == FLX_OK && mesh->stress) {
        status = put_fields(m, header, "stress", mesh, mesh->stress, 6, c);
    }
    return status;
}

static flx_status put_result(maker *m, flx_result *r, flx_text *header)
{
    const flx_scene_surface *s;
    const flx_result_mesh *mesh;
    flx_coarse c;
    flx_text_put(header, ", \"surfaces\": [");
    for (int i = 0; (s = flx_result_surface(r, i)) != NULL; i++) {
        FLX_TRY(coarsen(m, s->npoint, s->points, s->ntriangle, s->triangles, &c));
        put_counts(header, i, &c);
        flx_text_put(header, "}");
        flx_status status = put_surface(m, s->points, &c);
        flx_coarse_clear(&c);
        if (status != FLX_OK) return status;
    }
    flx_text_put(header, "], \"meshes\": [");
    for (int i = 0; (mesh = flx_result_get_mesh(r, i)) != NULL; i++) {
        FLX_TRY(coarsen(m, mesh->nsurface, mesh->nodes, mesh->ntriangle, mesh->triangles, &c));
        put_counts(header, i, &c);
        flx_status status = put_mesh(m, header, mesh, &c);
        flx_coarse_clear(&c);
        if (status != FLX_OK) return status;
        flx_text_put(header, "}");
    }
    flx_text_put(header, "]");
    FLX_TRY(flx_page_particles_put(r, m->part, header, &m->numbers));
    return header->failed || m->numbers.failed ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status put_all(maker *m, const flx_page_def *def)
{
    flx_page_meshes *out = m->out;
    out->kept = 0;
    flx_text_clear(&m->numbers);
    flx_text_clear(&out->block);
    for (int i = 0; i < def->nresult; i++) {
        flx_text_clear(&out->headers[i]);
        FLX_TRY(put_result(m, def->results[i], &out->headers[i]));
    }
    return m->numbers.length > 0 ? flx_pack_deflate(&out->block, &m->numbers) : FLX_OK;
}

// Points that triangles use, of a surface with n points and k triangles.
static flx_status count_used(flx_ctx *ctx, int n, int k, const int *triangles, long *sum)
{
    bool *used = flx_alloc(ctx, (size_t)n, sizeof *used);
    if (!used) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)k; i++) {
        *sum += !used[triangles[i]];
        used[triangles[i]] = true;
    }
    flx_free(used);
    return FLX_OK;
}

static flx_status count_points(flx_ctx *ctx, const flx_page_def *def, long *sum)
{
    const flx_scene_surface *s;
    const flx_result_mesh *m;
    for (int i = 0; i < def->nresult; i++) {
        for (int k = 0; (s = flx_result_surface(def->results[i], k)) != NULL; k++) {
            FLX_TRY(count_used(ctx, s->npoint, s->ntriangle, s->triangles, sum));
        }
        for (int k = 0; (m = flx_result_get_mesh(def->results[i], k)) != NULL; k++) {
            FLX_TRY(count_used(ctx, m->nsurface, m->ntriangle, m->triangles, sum));
        }
    }
    return FLX_OK;
}

flx_status flx_page_meshes_make(flx_ctx *ctx, const flx_page_def *def, size_t room,
                                flx_page_meshes *out)
{
    maker m = {.ctx = ctx, .out = out, .part = 1};
    *out = (flx_page_meshes){0};
    flx_text_start(&m.numbers, ctx);
    flx_text_start(&out->block, ctx);
    out->headers = flx_alloc(ctx, (size_t)def->nresult, sizeof *out->headers);
    if (!out->headers) return FLX_ERR_MEMORY;
    out->nresult = def->nresult;
    for (int i = 0; i < def->nresult; i++) flx_text_start(&out->headers[i], ctx);
    flx_status status = count_points(ctx, def, &out->points);
    double most = def->mesh_points > 0 ? (double)def->mesh_points : MOST_POINTS;
    if ((double)out->points > most) m.part = most / (double)out->points;
    if (status == FLX_OK) status = put_all(&m, def);
    // what does not fit with the fewest points is refused by whoever adds up the page
    for (int i = 0; status == FLX_OK && out->block.length > room && i < MOST_TRIES; i++) {
        m.part *= 0.9 * (double)room / (double)out->block.length;
        status = put_all(&m, def);
    }
    flx_text_clear(&m.numbers);
    return status;
}

void flx_page_meshes_clear(flx_page_meshes *m)
{
    for (int i = 0; i < m->nresult; i++) flx_text_clear(&m->headers[i]);
    flx_free(m->headers);
    flx_text_clear(&m->block);
    *m = (flx_page_meshes){0};
}
