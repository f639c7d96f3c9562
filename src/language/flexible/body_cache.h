// body_cache.h - reduced bodies kept in the folder of flexion/cache.h, each a body file named by its key: a body is reduced
// once.
#pragma once

#include "fe/fe_body.h"

// flx_fe_reduce, or what it made before of the same things. What a reduction had to say is said again. Without a folder, or
// where somebody looks at the structure, it is flx_fe_reduce alone; a folder that cannot be written to is told and not used.
flx_status flx_body_cache_reduce(flx_ctx *ctx, flx_arena *arena, const flx_structure *s,
                                 bool lumped, const flx_basis *basis, flx_loc loc,
                                 flx_elastic **out);
