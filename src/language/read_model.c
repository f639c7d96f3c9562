// read_model.c - model files: text to tree, tree to model.
#include "base/letters.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "base/text_file.h"
#include "flexion/fmi.h"
#include "flexion/model.h"
#include "language/build_model.h"
#include "language/calls/calls.h"
#include "language/flexible/body_cache.h"
#include "language/schema/schema_old.h"
#include "read/dense_market.h"
#include "read/matrix_market.h"
#include "read/mesh.h"
#include "read/robot/robot_file.h"
#include "read/sid/sid_file.h"
#include "read/surface.h"
#include "read/yaml.h"
#include "read/yaml_write.h"
#include "results/body_file.h"
#include "results/body_snapshots.h"

#include <stdio.h>
#include <string.h>

typedef struct reader {
    flx_ctx *ctx;
    flx_arena *arena; // the model's: trees of parts live as long as the model
} reader;

// The text of a file, relative to the file that names it. large: data, which may be as large as meshes are.
static flx_status read_beside(reader *r, const char *path, flx_loc loc, bool large,
                              const char **file, char **text, size_t *length)
{
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    if (!whole) return FLX_ERR_MEMORY;
    *file = flx_intern(r->ctx, whole);
    if (!*file) return FLX_ERR_MEMORY;
    return large ? flx_file_read_large(r->ctx, r->arena, *file, loc, text, length)
                 : flx_file_read(r->ctx, r->arena, *file, loc, text, length);
}

static flx_status read_part(void *user, const char *path, flx_loc loc, flx_entry **tree)
{
    reader *r = user;
    const char *file = NULL;
    char *text = NULL;
    size_t length = 0;
    *tree = NULL;
    FLX_TRY(read_beside(r, path, loc, false, &file, &text, &length));
    if (flx_robot_is_file(text, length))
        return flx_robot_parse(r->ctx, r->arena, file, text, length, NULL, tree);
    FLX_TRY(flx_yaml_parse(r->ctx, r->arena, file, text, length, tree));
    return flx_schema_renew(r->ctx, *tree);
}

static flx_status read_sid(void *user, const char *path, flx_loc loc, flx_sid **sid)
{
    reader *r = user;
    const char *file = NULL;
    char *text = NULL;
    size_t length = 0;
    *sid = NULL;
    FLX_TRY(read_beside(r, path, loc, true, &file, &text, &length));
    return flx_sid_parse(r->ctx, r->arena, file, text, length, sid);
}

static flx_status read_body(void *user, const char *path, flx_loc loc, flx_elastic **out)
{
    reader *r = user;
    flx_body_origin origin;
    *out = NULL;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    if (!whole) return FLX_ERR_MEMORY;
    if (!flx_body_file_is(whole)) return FLX_OK;
    return flx_body_file_read(r->ctx, r->arena, whole, loc, out, &origin);
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

static flx_status read_snapshots(void *user, const char *path, const char *body, flx_loc loc,
                                 flx_snapshots *out)
{
    reader *r = user;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    return whole ? flx_body_snapshots_read(r->ctx, r->arena, whole, body, loc, out)
                 : FLX_ERR_MEMORY;
}

static flx_status read_matrix(void *user, const char *path, flx_loc loc, flx_dense_market *out)
{
    reader *r = user;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    return whole ? flx_dense_market_read(r->ctx, r->arena, whole, loc, out) : FLX_ERR_MEMORY;
}

static flx_status reduce(void *user, const flx_structure *s, bool lumped, const flx_basis *basis,
                         flx_loc loc, flx_elastic **out)
{
    const reader *r = user;
    return flx_body_cache_reduce(r->ctx, r->arena, s, lumped, basis, loc, out);
}

static flx_status read_fmu(void *user, const char *path, flx_loc loc, flx_fmu_info **out)
{
    reader *r = user;
    const char *whole = flx_file_beside(r->arena, loc.file, path);
    *out = NULL;
    if (!whole) return FLX_ERR_MEMORY;
    flx_status status = flx_fmu_read(r->ctx, whole, out);
    if (status == FLX_OK || status == FLX_ERR_MEMORY) return status;
    return FLX_FAIL(r->ctx, status, loc, "the FMU '%s' cannot be used: see the message before this",
                    path);
}

// With its text, what the model is read from anew.
static flx_status keep_settings(flx_model *m, const flx_read_def *asked)
{
    const char **own = flx_arena_take(m->arena, (size_t)asked->nset + 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    for (int i = 0; i < asked->nset; i++) {
        own[i] = flx_arena_copy(m->arena, asked->settings[i], strlen(asked->settings[i]));
        if (!own[i]) return FLX_ERR_MEMORY;
    }
    m->nset = asked->nset;
    m->settings = own;
    return FLX_OK;
}

// The core of a model of this tree.
static flx_status build(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                        size_t length, const flx_entry *tree, const flx_read_def *asked,
                        const struct flx_known *known, flx_shape_study *study, flx_model **core)
{
    reader r = {ctx, arena};
    const flx_reader parts = {.user = &r,
                              .read_tree = read_part,
                              .read_sid = read_sid,
                              .read_body = read_body,
                              .read_mesh = read_mesh,
                              .read_surface = read_surface,
                              .read_nodes = read_nodes,
                              .read_matrices = read_matrices,
                              .read_snapshots = read_snapshots,
                              .read_matrix = read_matrix,
                              .reduce = reduce,
                              .read_fmu = read_fmu,
                              .known = known,
                              .study = study};
    FLX_TRY(flx_model_build(ctx, file, text, length, tree, &parts, asked, arena, core));
    (*core)->tree = tree;
    (*core)->core = *core; // copies of its members lead back to it
    return keep_settings(*core, asked);
}

// ---- models that calls make or change ---------------------------------------------------------------

// What the calls made stands in no file; files that it names are sought beside that of the description.
static void place(flx_entry *e, const char *file)
{
    if (!e->loc.file) e->loc.file = file;
    for (int i = 0; i < e->count; i++) {
        if (e->keys && !e->keys[i]->loc.file) e->keys[i]->loc.file = file;
        place(e->items[i], file);
    }
}

static flx_status build_again(flx_description *d, flx_arena *arena, flx_entry *tree,
                              flx_model **core)
{
    size_t length = 0;
    char *text = NULL;
    if (d->root) {
        FLX_TRY(flx_yaml_write(d->ctx, arena, tree, &text, &length));
    } else { // as it was read
        length = d->handle->text_length;
        text = flx_arena_copy(arena, d->handle->text, length);
        if (!text) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_schema_renew(d->ctx, tree));
    if (d->file[0]) place(tree, d->file);
    for (flx_given_file *f = d->files; f; f = f->next) {
        const char *path = flx_file_beside(arena, d->file, f->name);
        f->path = path ? flx_intern(d->ctx, path) : NULL;
        if (!f->path) return FLX_ERR_MEMORY;
    }
    flx_ctx_give_files(d->ctx, d->files);
    flx_status status =
        build(d->ctx, arena, d->file, text, length, tree, &d->asked, d->known, d->study, core);
    flx_ctx_give_files(d->ctx, NULL);
    if (status == FLX_OK) flx_bindings_renew(d->ctx, d->bindings, (*core)->graph);
    return status;
}

// The user's model; takes the core.
static flx_status make_handle(flx_ctx *ctx, const char *file, const flx_read_def *asked,
                              flx_model *core, flx_model **model)
{
    FLX_TRY(flx_handle_create(ctx, file, asked, core, model));
    (*model)->description->build = build_again;
    return FLX_OK;
}

flx_status flx_model_create(flx_ctx *ctx, int dimension, flx_model **m)
{
    const flx_read_def asked = flx_read_def_default();
    if (!m) return FLX_ERR_ARGUMENT;
    *m = NULL;
    if (!ctx) return FLX_ERR_ARGUMENT;
    if (dimension != 2 && dimension != 3) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the dimension is 2 or 3, not %d",
                        dimension);
    }
    FLX_TRY(make_handle(ctx, flx_intern(ctx, ""), &asked, NULL, m));
    flx_description *d = (*m)->description;
    d->arena = flx_arena_create(ctx);
    d->root = d->arena ? flx_entry_map(d->arena, FLX_NOWHERE) : NULL;
    d->changed = true;
    flx_status status = d->file && d->root ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_model_set(*m, "flexion", 1);
    if (status == FLX_OK) status = flx_model_set(*m, "dimension", dimension);
    if (status != FLX_OK) flx_model_destroy(m);
    return status;
}

flx_status flx_model_set_file(flx_model *m, const char *path)
{
    FLX_TRY(flx_call_begin(m));
    const char *file = flx_intern(m->ctx, path ? path : "");
    if (!file || !flx_description_open(m)) return flx_call_end(m, FLX_ERR_MEMORY);
    m->description->file = file;
    return FLX_OK;
}

const char *flx_model_write_text(flx_model *m)
{
    if (flx_call_begin(m) != FLX_OK) return NULL;
    flx_description *d = m->description;
    if (d->asked.nset > 0 && !flx_description_open(m)) return NULL; // settings are written too
    const flx_entry *tree = flx_description_tree(m);
    char *text = NULL;
    size_t length = 0;
    flx_arena *arena = flx_arena_create(d->ctx);
    if (arena && flx_yaml_write(d->ctx, arena, tree, &text, &length) == FLX_OK) {
        flx_free(d->written);
        d->written = flx_alloc(d->ctx, length + 1, 1);
        if (d->written) memcpy(d->written, text, length + 1);
        text = d->written;
    }
    flx_arena_destroy(&arena);
    return text;
}

static flx_status write_file(flx_ctx *ctx, const char *path, const char *text, size_t length)
{
    flx_output *o = NULL;
    FLX_TRY(flx_output_create(ctx, "the model", path, &o));
    fwrite(text, 1, length, flx_output_file(o));
    return flx_output_close(&o, FLX_OK);
}

static bool can_be_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f) fclose(f);
    return f != NULL;
}

// The name of a file: it has an ending of letters and digits. Expressions that look like one name no file.
static bool may_be_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    size_t n = dot ? strlen(dot + 1) : 0;
    return n > 0 && n < 10 && flx_is_letter(dot[1]) && !strpbrk(text, "\n*()[]{},");
}

// Files that a description names are sought beside it: those that stay where it was are told.
static void tell_left_behind(const flx_model *m, flx_arena *arena, const flx_entry *e,
                             const char *path)
{
    for (int i = 0; e->kind != FLX_ENTRY_SCALAR && i < e->count; i++)
        tell_left_behind(m, arena, e->items[i], path);
    if (e->kind != FLX_ENTRY_SCALAR || !may_be_file(e->text)) return;
    const char *file = m->description->file;
    const char *from = flx_file_beside(arena, file, e->text);
    const char *to = flx_file_beside(arena, path, e->text);
    if (!from || !to || strcmp(from, to) == 0 || !can_be_read(from) || can_be_read(to)) return;
    flx_ctx_warn(m->ctx, e->loc,
                 "'%s' is sought beside '%s' from now on, and is beside '%s': copy it there, or "
                 "name it by its whole path",
                 e->text, path, file);
}

flx_status flx_model_write(flx_model *m, const char *path)
{
    FLX_TRY(flx_call_begin(m));
    const flx_trail none = {NULL, NULL, 0};
    if (!path || !path[0]) return FLX_REFUSE(m, &none, "a model is written to a path");
    flx_arena *arena = flx_arena_create(m->ctx);
    const char *text = arena ? flx_model_write_text(m) : NULL;
    flx_status status = text ? write_file(m->ctx, path, text, strlen(text)) : FLX_ERR_MEMORY;
    for (const flx_given_file *f = m->description->files; f && status == FLX_OK; f = f->next) {
        const char *beside = flx_file_beside(arena, path, f->name);
        status = beside ? write_file(m->ctx, beside, f->text, f->length) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) tell_left_behind(m, arena, flx_description_tree(m), path);
    flx_arena_destroy(&arena);
    return status;
}

// ---- model files ------------------------------------------------------------------------------------

// A robot file becomes the tree of a model, whose places are in that file; the text is that of the model.
static flx_status read_robot(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                             size_t length, const flx_read_def *asked, flx_model **model)
{
    const flx_robot_options options = {.floating = asked->floating != 0,
                                       .strict = asked->strict != 0,
                                       .absolute = asked->absolute != 0,
                                       .npackage = asked->npackage,
                                       .packages = asked->packages};
    flx_entry *tree = NULL;
    char *written = NULL;
    size_t size = 0;
    FLX_TRY(flx_robot_parse(ctx, arena, file, text, length, &options, &tree));
    FLX_TRY(flx_settings_apply(ctx, arena, tree, asked->nset, asked->settings));
    FLX_TRY(flx_yaml_write(ctx, arena, tree, &written, &size));
    return build(ctx, arena, file, written, size, tree, asked, NULL, NULL, model);
}

static flx_status read_into(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                            size_t length, const flx_read_def *asked, flx_model **model)
{
    flx_entry *tree = NULL;
    if (flx_robot_is_file(text, length))
        return read_robot(ctx, arena, file, text, length, asked, model);
    flx_status status = flx_yaml_parse(ctx, arena, file, text, length, &tree);
    flx_status renewed = tree ? flx_schema_renew(ctx, tree) : FLX_OK;
    if (status == FLX_OK) status = renewed;
    if (status != FLX_OK) {
        // what can be said about the shape is said now, beside the mistakes of the text
        if (tree) flx_schema_check(ctx, tree);
        return status;
    }
    FLX_TRY(flx_settings_apply(ctx, arena, tree, asked->nset, asked->settings));
    return build(ctx, arena, file, text, length, tree, asked, NULL, NULL, model);
}

// Either a file (text NULL) or a text.
static flx_status read_model(flx_ctx *ctx, const char *path, const char *text, size_t length,
                             const flx_read_def *asked, flx_model **model)
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
    flx_model *core = NULL;
    if (status == FLX_OK) status = read_into(ctx, arena, file, own, length, asked, &core);
    if (status != FLX_OK) {
        flx_arena_destroy(&arena); // the core takes it otherwise
        return status;
    }
    status = make_handle(ctx, file, asked, core, model);
    if (status != FLX_OK) flx_model_destroy(&core);
    return status;
}

static flx_status check_list(flx_ctx *ctx, const char *what, int n, const char *const *texts)
{
    bool whole = n == 0 || (n > 0 && texts);
    for (int i = 0; i < n && whole; i++) whole = texts[i] != NULL;
    if (whole) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the list of %d %s is not whole", n, what);
}

flx_status flx_model_read_by(flx_ctx *ctx, const char *path, const flx_read_def *given,
                             flx_model **model)
{
    if (!ctx || !model) return flx_refuse_null(ctx, __func__);
    flx_read_def def = flx_read_def_default();
    *model = NULL;
    if (given && (given->size == 0 || given->size > sizeof def)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a flx_read_def begins with flx_read_def_default(), of this version");
    }
    if (given) memcpy(&def, given, given->size); // of an earlier version: the rest by default
    FLX_TRY(check_list(ctx, "settings", def.nset, def.settings));
    FLX_TRY(check_list(ctx, "open parameters", def.nopen < 0 ? 0 : def.nopen, def.open));
    FLX_TRY(check_list(ctx, "inputs", def.ninput, def.inputs));
    FLX_TRY(check_list(ctx, "packages", def.npackage, def.packages));
    return read_model(ctx, path ? path : "", def.text, def.length, &def, model);
}

flx_status flx_model_read(flx_ctx *ctx, const char *path, int nset, const char *const *settings,
                          flx_model **model)
{
    if (!ctx || !model) return flx_refuse_null(ctx, __func__);
    const flx_read_def def = {.size = sizeof def, .nset = nset, .settings = settings};
    return flx_model_read_by(ctx, path, &def, model);
}

flx_status flx_model_read_text(flx_ctx *ctx, const char *name, const char *text, size_t length,
                               int nset, const char *const *settings, flx_model **model)
{
    if (!ctx || !model) return flx_refuse_null(ctx, __func__);
    const flx_read_def def = {.size = sizeof def,
                              .text = text ? text : "",
                              .length = text ? length : 0,
                              .nset = nset,
                              .settings = settings};
    return flx_model_read_by(ctx, name, &def, model);
}
