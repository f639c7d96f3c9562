// mumps_engine.c - rank 0 says a word to all ranks, and all do the same.
#include "mpi/mumps_engine.h"
#include "mpi/mumps_piece.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_FACTORS 64 // at a time
#define NAP 200000      // ns between looks for a word: ranks that wait leave their core to others

enum { END, CREATE, DESTROY, FACTOR, SOLVE, RELEASE };

typedef struct word {
    int what, place, n, complex_sum, count, k;
} word;

typedef struct handle {
    int place;
    flx_ctx *ctx;
} handle;

static mumps_piece *pieces[MOST_FACTORS]; // the same places on all ranks

// Collective; w comes from rank 0.
static void say(word *w)
{
    const struct timespec nap = {0, NAP};
    MPI_Request request;
    int there = 0;
    MPI_Ibcast(w, sizeof *w / sizeof(int), MPI_INT, 0, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there) {
        nanosleep(&nap, NULL);
    }
}

static void fail_all(const char *what)
{
    fprintf(stderr, "flexion-fe-mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// ---- rank 0 -----------------------------------------------------------------------------------------

static flx_status create(void *self, flx_ctx *ctx, const flx_symmetric *A, void **out)
{
    (void)self;
    word w = {.what = CREATE, .n = A->n};
    while (w.place < MOST_FACTORS && pieces[w.place]) w.place++;
    handle *h = w.place < MOST_FACTORS ? flx_alloc(ctx, 1, sizeof *h) : NULL;
    *out = h;
    if (!h) return FLX_ERR_MEMORY;
    *h = (handle){w.place, ctx};
    say(&w);
    pieces[h->place] = mumps_piece_create(A->n, A);
    if (pieces[h->place]) return FLX_OK;
    flx_free(h);
    *out = NULL;
    return FLX_ERR_MEMORY;
}

static void destroy(void *factor)
{
    handle *h = factor;
    word w = {.what = DESTROY, .place = h->place};
    say(&w);
    mumps_piece_destroy(pieces[h->place]);
    pieces[h->place] = NULL;
    flx_free(h);
}

static flx_status factor(void *factor, int nterm, const flx_frontal_term *terms, bool complex_sum,
                         bool count, flx_frontal_report *report)
{
    const handle *h = factor;
    word w = {.what = FACTOR, .place = h->place, .complex_sum = complex_sum, .count = count};
    const mumps_sum sum = {nterm, terms, complex_sum, count};
    say(&w);
    flx_status status = mumps_piece_factor(pieces[h->place], &sum, report);
    if (status != FLX_ERR_MEMORY) return status;
    return FLX_FAIL(h->ctx, status, FLX_NOWHERE,
                    "the ranks have not the memory for the factors; more ranks on more machines "
                    "have");
}

static void solve(void *factor, int k, void *X)
{
    const handle *h = factor;
    word w = {.what = SOLVE, .place = h->place, .k = k};
    say(&w);
    if (!mumps_piece_solve(pieces[h->place], k, X)) fail_all("a solution failed");
}

static void release(void *factor)
{
    const handle *h = factor;
    word w = {.what = RELEASE, .place = h->place};
    say(&w);
    mumps_piece_release(pieces[h->place]);
}

const flx_engine *mumps_engine(void)
{
    static const flx_engine engine = {NULL, create, destroy, factor, solve, release};
    return &engine;
}

void mumps_engine_end(void)
{
    word w = {.what = END};
    say(&w);
}

// ---- the others ---------------------------------------------------------------------------------------

static void obey(const word *w)
{
    const mumps_sum sum = {.complex_sum = w->complex_sum, .count = w->count};
    mumps_piece **p = pieces + w->place;
    switch (w->what) {
    case CREATE:
        *p = mumps_piece_create(w->n, NULL);
        break;
    case DESTROY:
        mumps_piece_destroy(*p);
        *p = NULL;
        break;
    case FACTOR:
        mumps_piece_factor(*p, &sum, NULL);
        break;
    case SOLVE:
        mumps_piece_solve(*p, w->k, NULL);
        break;
    default:
        mumps_piece_release(*p);
        break;
    }
}

void mumps_engine_serve(void)
{
    for (;;) {
        word w = {0};
        say(&w);
        if (w.what == END) return;
        obey(&w);
    }
}
