// front_crew.h - threads that share the work of one front, or of many. Which of them does a part changes no bit: every part is
// the same arithmetic, with memory of its own.
#pragma once

#include "base/common.h"

typedef struct flx_front_crew flx_front_crew;

// threads: with the caller; fewer where they cannot be had. scratch: numbers that each of them has. Only the thread that makes
// it may call it, and its process.
flx_status flx_front_crew_create(flx_ctx *ctx, int threads, size_t scratch, flx_front_crew **out);
void flx_front_crew_destroy(flx_front_crew **crew);
// Its threads, with the caller.
int flx_front_crew_count(const flx_front_crew *crew);
// Who works on a front: a crew, or one thread alone with scratch of its own.
typedef struct flx_front_hands {
    flx_front_crew *crew; // NULL: alone
    double *scratch;
    bool single; // one thread works on the whole matrix: BLAS may be called
} flx_front_hands;
// Parts 0 to count - 1, the first ones begun first; flops: of all of them.
typedef void flx_front_part(void *user, int part, double *scratch);
void flx_front_crew_share(flx_front_crew *crew, int count, double flops, flx_front_part *work,
                          void *user);
void flx_front_share(const flx_front_hands *hands, int count, double flops, flx_front_part *work,
                     void *user);
