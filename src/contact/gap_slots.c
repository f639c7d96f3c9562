// gap_slots.c - points of a pair that come and go, as functions of two frames: they are told apart by how deep they are, the first is
// the deepest one that there is. Orders of continuous gaps are continuous, so that the k-th gap is as long as points do not come.
//
// All points of a pair are asked for at the same two frames, one after the other: the last answer is kept for them.
#include "contact/gap.h"

#define FIRST_REACH 0.1 // of the smaller surface: how far is looked at first
#define WIDER 4.0
#define LOOKS 8

typedef struct answer {
    unsigned family; // 0: none yet
    flx_frame frame[2];
    int n;
    flx_touch of[FLX_GAP_SLOTS];
} answer;

int flx_gap_points(const flx_surface *a, const flx_surface *b, bool *slots)
{
    bool turned;
    int n = flx_pair_points(a, b);
    *slots = n == 0 && flx_pair_find(a->kind, b->kind, &turned);
    return *slots ? FLX_GAP_SLOTS : n;
}

typedef struct box {
    bool bounded;
    double low[3], high[3];
} box;

static box box_of(const flx_surface *s, const flx_frame *f)
{
    box b = {.bounded = s->kind->bounds != NULL};
    if (b.bounded) s->kind->bounds(s, f, b.low, b.high);
    for (int i = 0; i < 3; i++) b.bounded = b.bounded && isfinite(b.low[i] - b.high[i]);
    return b;
}

static double diagonal(const box *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += (b->high[i] - b->low[i]) * (b->high[i] - b->low[i]);
    return sqrt(sum);
}

static double distance(const box *a, const box *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = fmax(fmax(a->low[i] - b->high[i], b->low[i] - a->high[i]), 0.0);
        sum += x * x;
    }
    return sqrt(sum);
}

// How far to look at first: nothing is nearer than the boxes are.
static double first_reach(const flx_gap *g, const flx_frame *A, const flx_frame *B)
{
    box a = box_of(g->surface[0], A), b = box_of(g->surface[1], B);
    double size = HUGE_VAL, apart = a.bounded && b.bounded ? distance(&a, &b) : 0.0;
    if (a.bounded && diagonal(&a) > 0.0) size = diagonal(&a);
    if (b.bounded && diagonal(&b) > 0.0) size = fmin(size, diagonal(&b));
    return isinf(size) ? 1.0 : fmax(FIRST_REACH * size, 2.0 * apart);
}

static int look(const flx_gap *g, const flx_frame *A, const flx_frame *B, double reach,
                flx_touch *out)
{
    return flx_pair_touch(g->surface[0], A, g->surface[1], B, reach, FLX_GAP_SLOTS, NULL, out);
}

static bool is_same(const answer *a, const flx_gap *g, const flx_frame *A, const flx_frame *B)
{
    return a->family == g->family && memcmp(&a->frame[0], A, sizeof *A) == 0 &&
           memcmp(&a->frame[1], B, sizeof *B) == 0;
}

bool flx_gap_slot(const flx_gap *g, const flx_frame *A, const flx_frame *B, flx_touch *out)
{
    static _Thread_local answer last;
    if (!is_same(&last, g, A, B)) {
        double reach = first_reach(g, A, B);
        last = (answer){.family = g->family, .frame = {*A, *B}};
        for (int i = 0; i < LOOKS && last.n == 0; i++, reach *= WIDER)
            last.n = look(g, A, B, reach, last.of);
        if (last.n == 0) last.n = look(g, A, B, HUGE_VAL, last.of);
    }
    if (g->feature >= (uint64_t)last.n) return false;
    *out = last.of[g->feature];
    return true;
}

double flx_gap_share(const flx_gap *g, const flx_frame *A, const flx_frame *B)
{
    flx_touch t;
    if (g->family == 0) return flx_pair_share(g->surface[0], g->surface[1], g->feature);
    if (!g->pair->sharers || !flx_gap_slot(g, A, B, &t)) return 1.0;
    return 1.0 / g->pair->sharers(t.feature);
}
