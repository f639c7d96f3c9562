// read_model.c - model files: text to tree, tree to model.
#include "fe/body.h"
#include "flexion/model.h"
#include "model/build.h"
#include "model/file.h"
#include "read/matrix_market.h"
#include "read/mesh.h"
#include "read/sid.h"
#include "read/surface.h"
#include "read/yaml.h"

#include <string.h>

typedef struct reader {
    flx_ctx *ctx;
    flx_arena *arena; // the model's: trees of parts live as long as the model
} reader;

// The text of a file, relative to the file that names it.
static flx_status read_beside(reader *r, const char *path, flx_loc loc, const char **file,
                              char **text, size_t *length)
{
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    if (!whole) return FLX_ERR_MEMORY;
    *file = flx_intern(r->ctx, whole);
    if (!*file) return FLX_ERR_MEMORY;
    return flx_file_read(r->ctx, r->arena, *file, loc, text, length);
}

static flx_status read_part(void *user, const char *path, flx_loc loc, flx_entry **tree)
{
    reader *r = user;
    const char *file = NULL;
    char *text = NULL;
    size_t length = 0;
    *tree = NULL;
    FLX_TRY(read_beside(r, path, loc, &file, &text, &length));
    return flx_yaml_parse(r->ctx, r->arena, file, text, length, tree);
}

static flx_status read_sid(void *user, const char *path, flx_loc loc, flx_sid **sid)
{
    reader *r = user;
    const char *file = NULL;
    char *text = NULL;
    size_t length = 0;
    *sid = NULL;
    FLX_TRY(read_beside(r, path, loc, &file, &text, &length));
    return flx_sid_parse(r->ctx, r->arena, file, text, length, sid);
}

static flx_status read_mesh(void *user, const char *path, flx_loc loc, flx_structure **out)
{
    reader *r = user;
    *out = NULL;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    return whole ? flx_mesh_read(r->ctx, whole, loc, out) : FLX_ERR_MEMORY;
}

static flx_status read_surface(void *user, const char *path, flx_loc loc, const char **file,
                               flx_scene_surface *out)
{
    reader *r = user;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    *file = whole ? flx_intern(r->ctx, whole) : NULL;
    if (!*file) return FLX_ERR_MEMORY;
    return out ? flx_surface_read(r->ctx, r->arena, *file, loc, out) : FLX_OK;
}

static flx_status read_nodes(void *user, const char *path, flx_loc loc, flx_structure **out)
{
    reader *r = user;
    *out = NULL;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    return whole ? flx_mesh_read_nodes(r->ctx, whole, loc, out) : FLX_ERR_MEMORY;
}

static flx_status read_matrices(void *user, const char *stiffness, const char *mass, flx_loc loc,
                                flx_symmetric *K, flx_symmetric *M)
{
    reader *r = user;
    const char *k = flx_file_beside(r->arena, loc.file, stiffness);
    const char *m = flx_file_beside(r->arena, loc.file, mass);
    return k && m ? flx_matrix_market_read(r->ctx, k, m, loc, K, M) : FLX_ERR_MEMORY;
}

static flx_status reduce(void *user, const flx_structure *s, bool lumped, const flx_basis *basis,
                         flx_loc loc, flx_elastic **out)
{
    const reader *r = user;
    return flx_fe_reduce(r->ctx, r->arena, s, lumped, basis, loc, out);
}

typedef enum reading { AS_IT_IS, OPEN, TO_LOAD } reading;

// ---- what a command adds --------------------------------------------------------------------------

static flx_entry *take_scalar(flx_arena *arena, const flx_entry *at, const char *text)
{
    flx_entry *y = flx_arena_take(arena, 1, sizeof *y);
    if (y)
        *y = (flx_entry){.kind = FLX_ENTRY_SCALAR, .loc = at->loc, .text = text, .written = text};
    return y;
}

// The map with one pair more.
static flx_entry *add_pair(flx_arena *arena, flx_entry *map, const char *key, flx_entry *value)
{
    size_t n = (size_t)map->count;
    flx_entry **keys = flx_arena_take(arena, n + 1, sizeof *keys);
    flx_entry **items = flx_arena_take(arena, n + 1, sizeof *items);
    if (!keys || !items || !value) return NULL;
    for (size_t i = 0; i < n; i++) {
        keys[i] = map->keys[i];
        items[i] = map->items[i];
    }
    keys[n] = take_scalar(arena, map, key);
    items[n] = value;
    map->keys = keys;
    map->items = items;
    map->count++;
    return keys[n] ? map : NULL;
}

static flx_entry *take_map(flx_arena *arena, const flx_entry *at)
{
    flx_entry *y = flx_arena_take(arena, 1, sizeof *y);
    if (y) *y = (flx_entry){.kind = FLX_ENTRY_MAP, .loc = at->loc};
    return y;
}

// As if the model had an analysis of all its loads, where it has none of loads.
static flx_status add_path(flx_arena *arena, flx_entry *tree)
{
    flx_entry *block = NULL;
    if (tree->kind != FLX_ENTRY_MAP) return FLX_OK;
    for (int i = 0; i < tree->count; i++) {
        if (strcmp(tree->keys[i]->text, "analyse") == 0) block = tree->items[i];
    }
    if (block && block->kind != FLX_ENTRY_MAP) return FLX_OK;
    for (int i = 0; block && i < block->count; i++) {
        const flx_entry *type = flx_entry_get(block->items[i], "type");
        const char *word = type && type->kind == FLX_ENTRY_SCALAR ? type->text : "";
        if (strcmp(word, "static") == 0 || strcmp(word, "buckling") == 0) return FLX_OK;
    }
    flx_entry *path = take_map(arena, tree);
    if (!path || !add_pair(arena, path, "type", take_scalar(arena, tree, "static"))) {
        return FLX_ERR_MEMORY;
    }
    if (!block) {
        block = take_map(arena, tree);
        if (!add_pair(arena, tree, "analyse", block)) return FLX_ERR_MEMORY;
    }
    return add_pair(arena, block, "path", path) ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status read_into(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                            size_t length, int nset, const char *const *settings, reading how,
                            flx_model **model)
{
    flx_entry *tree = NULL;
    flx_status status = flx_yaml_parse(ctx, arena, file, text, length, &tree);
    if (status != FLX_OK) {
        // what can be said about the shape is said now, beside the mistakes of the text
        if (tree) flx_schema_check(ctx, tree);
        return status;
    }
    if (how == TO_LOAD) FLX_TRY(add_path(arena, tree));
    reader r = {ctx, arena};
    const flx_reader parts = {.user = &r,
                              .read_tree = read_part,
                              .read_sid = read_sid,
                              .read_mesh = read_mesh,
                              .read_surface = read_surface,
                              .read_nodes = read_nodes,
                              .read_matrices = read_matrices,
                              .reduce = reduce};
    return flx_model_build(ctx, file, text, length, tree, &parts, nset, settings, how == OPEN,
                           arena, model);
}

// Either a file (text NULL) or a text.
static flx_status read_model(flx_ctx *ctx, const char *path, const char *text, size_t length,
                             int nset, const char *const *settings, reading how, flx_model **model)
{
    *model = NULL;
    flx_arena *arena = flx_arena_create(ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    char *own = NULL;
    const char *file = flx_intern(ctx, path);
    if (!file) {
        status = FLX_ERR_MEMORY;
    } else if (!text) {
        status = flx_file_read(ctx, arena, path, FLX_NOWHERE, &own, &length);
    } else if (length > FLX_FILE_LIMIT) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                          "the text is larger than %d MB, the limit", (int)(FLX_FILE_LIMIT >> 20));
    } else {
        own = flx_arena_copy(arena, text, length);
        if (!own) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        status = read_into(ctx, arena, file, own, length, nset, settings, how, model);
    }
    if (status != FLX_OK) flx_arena_destroy(&arena); // the model takes it otherwise
    return status;
}

flx_status flx_model_read(flx_ctx *ctx, const char *path, int nset, const char *const *settings,
                          flx_model **model)
{
    return read_model(ctx, path, NULL, 0, nset, settings, AS_IT_IS, model);
}

flx_status flx_model_read_open(flx_ctx *ctx, const char *path, int nset,
                               const char *const *settings, flx_model **model)
{
    return read_model(ctx, path, NULL, 0, nset, settings, OPEN, model);
}

flx_status flx_model_read_to_load(flx_ctx *ctx, const char *path, int nset,
                                  const char *const *settings, flx_model **model)
{
    return read_model(ctx, path, NULL, 0, nset, settings, TO_LOAD, model);
}

flx_status flx_model_read_text(flx_ctx *ctx, const char *name, const char *text, size_t length,
                               int nset, const char *const *settings, flx_model **model)
{
    return read_model(ctx, name ? name : "", text ? text : "", length, nset, settings, AS_IT_IS,
                      model);
}
