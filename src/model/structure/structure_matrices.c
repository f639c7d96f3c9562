// structure_matrices.c - a structure that is a pair of matrices of another program, with places of its nodes.
#include "model/structure.h"

int flx_structure_component(const flx_structure *s, int k)
{
    return s->dimension == 2 && k == 2 ? 5 : k;
}

// Pairs of nodes that entries couple; pair NULL: count them.
static int list_pairs(const flx_structure *s, int *mark, int (*pair)[2])
{
    int count = 0;
    for (int i = 0; i < s->nnode; i++) mark[i] = -1;
    for (int node = 0; node < s->nnode; node++) {
        for (int j = node * s->width; j < (node + 1) * s->width; j++) {
            for (int64_t p = s->K.start[j]; p < s->K.start[j + 1]; p++) {
                int other = s->K.row[p] / s->width;
                if (mark[other] == node) continue;
                mark[other] = node;
                if (pair) pair[count][0] = other, pair[count][1] = node;
                count++;
            }
        }
    }
    return count;
}

flx_status flx_structure_set_matrices(flx_structure *s, flx_symmetric *K, flx_symmetric *M,
                                      flx_loc loc)
{
    int low = s->dimension == 2 ? 2 : 3, high = s->dimension == 2 ? 3 : 6;
    s->K = *K;
    s->M = *M;
    *K = *M = (flx_symmetric){0};
    s->width = s->nnode > 0 ? s->K.n / s->nnode : 0;
    if (s->K.n != s->width * s->nnode || (s->width != low && s->width != high)) {
        int n = s->K.n;
        s->width = 0;
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "the matrices have %d unknowns and there are %d nodes: %d or %d unknowns a "
                        "node are expected",
                        n, s->nnode, low, high);
    }
    int *mark = flx_alloc(s->ctx, (size_t)s->nnode, sizeof *mark);
    if (!mark) return FLX_ERR_MEMORY;
    s->npair = list_pairs(s, mark, NULL);
    s->pair = flx_alloc(s->ctx, (size_t)s->npair, sizeof *s->pair);
    if (s->pair) list_pairs(s, mark, s->pair);
    flx_free(mark);
    return s->pair ? FLX_OK : FLX_ERR_MEMORY;
}

// Every entry must be one of a pair of nodes that K or M couple.
flx_status flx_structure_set_damping(flx_structure *s, flx_symmetric *D, flx_loc loc)
{
    s->D = *D;
    *D = (flx_symmetric){0};
    if (s->D.n != s->K.n) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "the damping matrix has %d unknowns, stiffness and mass have %d", s->D.n,
                        s->K.n);
    }
    for (int j = 0; j < s->D.n; j++) {
        for (int64_t p = s->D.start[j]; p < s->D.start[j + 1]; p++) {
            int i = s->D.row[p];
            if (s->D.value[p] == 0 || i / s->width == j / s->width) continue;
            bool coupled = false;
            for (int a = 0; a < s->width * s->width && !coupled; a++) {
                coupled = flx_symmetric_place(&s->K, i / s->width * s->width + a / s->width,
                                              j / s->width * s->width + a % s->width) >= 0;
            }
            if (coupled) continue;
            return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                            "the damping matrix couples the unknowns %d and %d, whose nodes "
                            "neither stiffness nor mass couple: write zeros there into one of them",
                            i + 1, j + 1);
        }
    }
    return FLX_OK;
}
