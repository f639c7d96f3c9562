// build_model.h - from the tree of the file to the model.
#pragma once

#include "model/entry.h"
#include "model/model_data.h"
#include "reduce/basis.h"

struct flx_fmu_info;

// Everything a reader needs to call: checks the tree against the language's table (schema.def),
// unrolls repeat, like and parts, resolves names, evaluates constants, fills the model.
// read_part: how to read the file of `parts: {.. model: leg.yaml}` and tables of functions.
struct flx_dense_market;
typedef struct flx_reader {
    void *user;
    // Another model file, path relative to `from`. Records its own messages.
    flx_status (*read_tree)(void *user, const char *path, flx_loc loc, flx_entry **tree);
    // Standard Input Data; lives as long as the model.
    flx_status (*read_sid)(void *user, const char *path, flx_loc loc, flx_sid **sid);
    // A body file; *out NULL: the file is of another kind. It lives as long as the model.
    flx_status (*read_body)(void *user, const char *path, flx_loc loc, flx_elastic **out);
    // A mesh file, path relative to the file of loc. The structure is the caller's.
    flx_status (*read_mesh)(void *user, const char *path, flx_loc loc, struct flx_structure **out);
    // A surface for pictures, path relative to the file of loc; *file: the whole path, interned. out
    // NULL: the path alone. What is read lives as long as the model.
    flx_status (*read_surface)(void *user, const char *path, flx_loc loc, const char **file,
                               flx_scene_surface *out);
    // The nodes of a table or of a mesh file, its elements without mechanics. The caller's.
    flx_status (*read_nodes)(void *user, const char *path, flx_loc loc, struct flx_structure **out);
    // Stiffness and mass of another program; the caller clears them.
    flx_status (*read_matrices)(void *user, const char *stiffness, const char *mass, flx_loc loc,
                                flx_symmetric *K, flx_symmetric *M);
    // How a flexible body deformed in a run; it lives as long as the model.
    flx_status (*read_snapshots)(void *user, const char *path, const char *body, flx_loc loc,
                                 flx_snapshots *out);
    // A dense matrix of a file; it lives as long as the model.
    flx_status (*read_matrix)(void *user, const char *path, flx_loc loc,
                              struct flx_dense_market *out);
    // A structure of finite elements as a flexible body; it lives as long as the model.
    flx_status (*reduce)(void *user, const struct flx_structure *s, bool lumped,
                         const flx_basis *basis, flx_loc loc, flx_elastic **out);
    // What an FMU says of itself; the caller destroys it.
    flx_status (*read_fmu)(void *user, const char *path, flx_loc loc, struct flx_fmu_info **out);
    const struct flx_known *known; // what analyses have found; NULL: nothing yet
    // Looks at the structures of flexible bodies; NULL: nobody does.
    flx_shape_study *study;
} flx_reader;

flx_status flx_model_build(flx_ctx *ctx, const char *path, const char *text, size_t length,
                           const flx_entry *tree, const flx_reader *reader,
                           const flx_read_def *asked, flx_arena *arena, flx_model **model);

// Check the tree's shape against schema.def: unknown, missing, duplicate keys, wrong kinds.
// Records every error (up to the limit) and returns FLX_ERR_MODEL if there was one.
flx_status flx_schema_check(flx_ctx *ctx, const flx_entry *tree);
