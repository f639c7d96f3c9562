// arrays.h - arrays in one block: what many arrays of a run cost is their making and the first touch of their pages.
#pragma once

#include "base/common.h"

typedef struct flx_array {
    void *at; // address of the pointer
    size_t n, size;
} flx_array;
#define FLX_ARRAY(pointer, count)                                                                  \
    {                                                                                              \
        .at = &(pointer), .n = (size_t)(count), .size = sizeof *(pointer)                          \
    }

// Each array is zeroed and 64-byte aligned. Returns the block, which is freed as one, and sets the pointers; NULL: no memory,
// nothing is set.
void *flx_alloc_arrays(flx_ctx *ctx, const flx_array *arrays, size_t n);
