// fuzz_mesh.c - meshes and decks of arbitrary bytes: the readers may refuse, never crash, hang or leak; what they
// take is assembled, or refused with a reason. Run by `make check-long`, with the meshes of the tree as a start.
#include "fe/fe_equations.h"
#include "read/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_NODES 300 // that are assembled

// By what the text looks like.
static flx_status read_mesh(flx_scan *scan, flx_structure *s)
{
    if (scan->at < scan->end && *scan->at == '$' && scan->at[1] == 'M')
        return flx_gmsh_read(scan, s);
    if (scan->at < scan->end && *scan->at == '*') return flx_abaqus_read(scan, s);
    return flx_nastran_read(scan, s);
}

static void check(flx_ctx *ctx, flx_structure *s, char *text, size_t size)
{
    flx_scan scan = {.ctx = ctx, .file = s->file, .at = text, .end = text + size, .line = 1};
    flx_fe *fe = NULL;
    flx_status status = read_mesh(&scan, s);
    if (status == FLX_OK) status = flx_structure_index(s);
    if (status == FLX_OK) flx_structure_tidy_sets(s);
    if (status == FLX_OK && s->nnode > 0 && s->nnode < MOST_NODES) {
        status = flx_fe_create(ctx, s, NULL, &fe);
        flx_fe_destroy(&fe);
    }
    if (status != FLX_OK && flx_ctx_error_count(ctx) == 0)
        __builtin_trap(); // whoever refuses says why
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = ctx ? flx_structure_create(ctx, "fuzz/mesh") : NULL;
    char *text = malloc(size + 1);
    if (s && text) {
        memcpy(text, data, size);
        text[size] = '\0';
        check(ctx, s, text, size);
    }
    free(text);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}
