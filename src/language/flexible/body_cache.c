// body_cache.c - reduced bodies kept in a folder.
#include "language/flexible/body_cache.h"
#include "base/number.h"
#include "flexion/cache.h"
#include "results/body_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char kept_in[4096]; // "": nowhere

flx_status flx_cache_set(const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    if (n >= sizeof kept_in) return FLX_ERR_ARGUMENT;
    memcpy(kept_in, folder ? folder : "", n + 1);
    return FLX_OK;
}

// False: there is none, or it is not whole; nothing is said of it then.
static bool find(flx_arena *arena, const char *path, const char *key, flx_elastic **out,
                 flx_body_origin *origin)
{
    flx_ctx *quiet = access(path, R_OK) == 0 ? flx_ctx_create() : NULL;
    if (!quiet) return false;
    bool good = flx_body_file_read(quiet, arena, path, FLX_NOWHERE, out, origin) == FLX_OK &&
                strcmp(origin->key, key) == 0;
    flx_ctx_destroy(&quiet);
    return good;
}

// Warnings from number `first` on go with the body.
static flx_status keep(flx_ctx *ctx, flx_arena *arena, const char *path, const char *key,
                       flx_loc loc, const char *body, int first, const flx_elastic *e)
{
    int n = 0, all = flx_ctx_warning_count(ctx) - first;
    const char **notes = flx_arena_take(arena, (size_t)all + 1, sizeof *notes);
    if (!notes) return FLX_ERR_MEMORY;
    for (int i = 0; i < all; i++) {
        const flx_message *m = flx_ctx_warning(ctx, first + i);
        if (!m) return FLX_OK; // too many to be kept: neither is the body
        notes[n++] = m->text;
    }
    flx_ctx *quiet = flx_ctx_create();
    const flx_body_origin origin = {
        .body = body ? body : "", .key = key, .nnote = n, .notes = notes};
    flx_status status = quiet ? flx_body_file_write(quiet, path, e, &origin) : FLX_ERR_MEMORY;
    const flx_message *why = quiet ? flx_ctx_error(quiet, 0) : NULL;
    if (status != FLX_OK)
        flx_ctx_warn(ctx, loc, "the body is not kept: %s", why ? why->text : "no memory");
    flx_ctx_destroy(&quiet);
    return FLX_OK;
}

static bool folder_is_there(flx_ctx *ctx, const char *folder, flx_loc loc)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
    flx_ctx_warn(ctx, loc, "bodies cannot be kept in '%s': %s", folder, flx_error_text(errno));
    return false;
}

flx_status flx_body_cache_reduce(flx_ctx *ctx, flx_arena *arena, const flx_structure *s,
                                 bool lumped, const flx_basis *basis, flx_loc loc,
                                 flx_elastic **out)
{
    const char *folder = basis->study || !kept_in[0] ? NULL : kept_in;
    if (!folder || !folder_is_there(ctx, folder, loc))
        return flx_fe_reduce(ctx, arena, s, lumped, basis, loc, out);
    char key[33];
    flx_body_origin origin;
    flx_fe_reduction_key(s, lumped, basis, key);
    const char *path = flx_arena_printf(arena, "%s/%s.h5", folder, key);
    if (!path) return FLX_ERR_MEMORY;
    if (find(arena, path, key, out, &origin)) {
        for (int i = 0; i < origin.nnote; i++) flx_ctx_warn(ctx, loc, "%s", origin.notes[i]);
        return FLX_OK;
    }
    int first = flx_ctx_warning_count(ctx);
    FLX_TRY(flx_fe_reduce(ctx, arena, s, lumped, basis, loc, out));
    return keep(ctx, arena, path, key, loc, basis->body, first, *out);
}
