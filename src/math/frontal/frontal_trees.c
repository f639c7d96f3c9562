// frontal_trees.c - several threads walk over the tree: each over parts of it that do not touch each other, the rest above them
// together, sharing the fronts. A front does the same arithmetic whoever works on it, and takes its children in by the order of
// the sequence: no bit depends on the number of threads.
#include "math/frontal/frontal_parts.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define UNEVEN 1.1     // the busiest thread over the mean
#define MOST_PARTS 512 // subtrees

typedef struct subtree { // places in the sequence
    int first, end;
    double flops;
    flx_status status;
} subtree;

typedef struct forest {
    flx_frontal *f;
    const flx_frontal_sum *m;
    subtree list[MOST_PARTS];
    int count;
    int by_size[MOST_PARTS]; // numbers in the list, the largest first
    int *size;               // (nfront) fronts of the subtree that ends at a place
    double *flops;           // (nfront) of it
    // a walker for each thread
    int threads;
    flx_frontal_walker *walkers, *results; // (threads), (count)
    atomic_flag *taken;                    // (threads)
    atomic_int failed;                     // place in the sequence; nfront: nowhere
    int64_t stack, panel;                  // numbers that each needs
} forest;

// ---- which parts ----------------------------------------------------------------------------------

static void weigh(const forest *t)
{
    const flx_frontal *f = t->f;
    int *place = f->waiting; // of a front
    for (int k = 0; k < f->nfront; k++) {
        place[f->sequence[k]] = k;
        t->size[k] = 1;
        double c = f->ncol[f->sequence[k]], r = f->nrow[f->sequence[k]];
        t->flops[k] = c * c * c / 3 + c * c * r + c * r * r;
    }
    for (int k = 0; k < f->nfront; k++) {
        int parent = f->parent[f->sequence[k]];
        if (parent < 0) continue;
        t->size[place[parent]] += t->size[k];
        t->flops[place[parent]] += t->flops[k];
    }
}

static void add_part(forest *t, int last)
{
    subtree s = {.first = last + 1 - t->size[last], .end = last + 1, .flops = t->flops[last]};
    int at = t->count++;
    for (; at > 0 && t->list[at - 1].flops < s.flops; at--) t->list[at] = t->list[at - 1];
    t->list[at] = s; // the largest first
}

// The largest part is taken apart: its root goes to what all do together.
static void split_first(forest *t)
{
    subtree s = t->list[0];
    memmove(t->list, t->list + 1, (size_t)--t->count * sizeof *t->list);
    for (int k = s.end - 2; k >= s.first; k -= t->size[k]) add_part(t, k);
}

static int children_of(const forest *t, const subtree *s)
{
    int count = 0;
    for (int k = s->end - 2; k >= s->first; k -= t->size[k]) count++;
    return count;
}

// The largest sum where each part goes to the thread that has the least, over the mean.
static double find_unevenness(const forest *t)
{
    double load[64] = {0}, sum = 0, most = 0;
    int n = t->threads < 64 ? t->threads : 64;
    for (int i = 0; i < t->count; i++) {
        int least = 0;
        for (int k = 1; k < n; k++) {
            if (load[k] < load[least]) least = k;
        }
        load[least] += t->list[i].flops;
        sum += t->list[i].flops;
        most = fmax(most, load[least]);
    }
    return sum > 0 ? most * n / sum : 1;
}

static void choose(forest *t)
{
    const flx_frontal *f = t->f;
    weigh(t);
    for (int k = f->nfront - 1; k >= 0; k -= t->size[k]) {
        if (t->count == MOST_PARTS) { // loose parts: all together are too many
            t->count = 0;
            return;
        }
        add_part(t, k);
    }
    while (t->count > 0 && find_unevenness(t) > UNEVEN) {
        int more = children_of(t, t->list);
        if (more == 0 || t->count - 1 + more > MOST_PARTS) return;
        split_first(t);
    }
}

static int compare_places(const void *a, const void *b)
{
    return ((const subtree *)a)->first - ((const subtree *)b)->first;
}

// From here on the parts are in the order of the sequence.
static void order_parts(forest *t)
{
    qsort(t->list, (size_t)t->count, sizeof *t->list, compare_places);
    for (int i = 0; i < t->count; i++) {
        int at = i;
        for (; at > 0 && t->list[t->by_size[at - 1]].flops < t->list[i].flops; at--)
            t->by_size[at] = t->by_size[at - 1];
        t->by_size[at] = i;
    }
}

// ---- memory -------------------------------------------------------------------------------------

// Numbers of the stack while a part is walked over, and the largest panel.
static void measure_part(forest *t, const subtree *s)
{
    const flx_frontal *f = t->f;
    int64_t waiting = 0;
    int top = 0;
    for (int k = s->first; k < s->end; k++) {
        int front = f->sequence[k];
        int64_t update = flx_frontal_update_size(f, front),
                panel = flx_frontal_panel_size(f, front);
        if (waiting + update > t->stack) t->stack = waiting + update;
        if (panel > t->panel) t->panel = panel;
        for (int i = 0; i < f->nchild[front]; i++)
            waiting -= flx_frontal_update_size(f, f->waiting[--top]);
        if (f->nrow[front] > 0) f->waiting[top++] = front;
        waiting += update;
    }
}

// ... above the parts, which are in the order of the sequence.
static int64_t measure_rest(forest *t, int64_t *panel)
{
    const flx_frontal *f = t->f;
    int64_t waiting = 0, most = 0;
    int top = 0, part = 0;
    for (int i = 0; i < t->count; i++)
        waiting += flx_frontal_update_size(f, f->sequence[t->list[i].end - 1]);
    most = waiting;
    for (int k = 0; k < f->nfront; k++) {
        if (part < t->count && k == t->list[part].first) {
            k = t->list[part++].end - 1;
            if (f->nrow[f->sequence[k]] > 0) f->waiting[top++] = f->sequence[k];
            continue;
        }
        int front = f->sequence[k];
        int64_t update = flx_frontal_update_size(f, front), own = flx_frontal_panel_size(f, front);
        if (own > *panel) *panel = own;
        if (waiting + update > most) most = waiting + update;
        for (int i = 0; i < f->nchild[front]; i++)
            waiting -= flx_frontal_update_size(f, f->waiting[--top]);
        if (f->nrow[front] > 0) f->waiting[top++] = front;
        waiting += update;
    }
    return most;
}

// ---- the parts ----------------------------------------------------------------------------------

static flx_status make_walkers(forest *t, bool keep)
{
    flx_frontal *f = t->f;
    t->walkers = flx_alloc(f->ctx, (size_t)t->threads, sizeof *t->walkers);
    t->results = flx_alloc(f->ctx, (size_t)t->count, sizeof *t->results);
    t->taken = flx_alloc(f->ctx, (size_t)t->threads, sizeof *t->taken);
    if (!t->walkers || !t->results || !t->taken) return FLX_ERR_MEMORY;
    for (int i = 0; i < t->threads; i++) {
        flx_frontal_walker *w = t->walkers + i;
        atomic_flag_clear(t->taken + i);
        w->f = f;
        w->stack = flx_alloc_unset(f->ctx, (size_t)t->stack, sizeof *w->stack);
        w->work = flx_alloc_unset(f->ctx, (size_t)f->max_work, sizeof *w->work);
        w->local = flx_alloc(f->ctx, (size_t)f->ngroup, sizeof *w->local);
        w->relative = flx_alloc(f->ctx, (size_t)f->max_row, sizeof *w->relative);
        w->waiting = flx_alloc(f->ctx, (size_t)f->nfront, sizeof *w->waiting);
        if (!keep) w->panel = flx_alloc_unset(f->ctx, (size_t)t->panel, sizeof *w->panel);
        if (!w->stack || !w->work || !w->local || !w->relative || !w->waiting ||
            (!keep && !w->panel)) {
            return FLX_ERR_MEMORY;
        }
    }
    for (int i = 0; i < t->count; i++) { // what is left of each part
        int root = f->sequence[t->list[i].end - 1];
        int64_t size = flx_frontal_update_size(f, root);
        f->update[root] = flx_alloc_unset(f->ctx, (size_t)size, sizeof **f->update);
        if (!f->update[root]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static void clear_walkers(forest *t)
{
    for (int i = 0; t->walkers && i < t->threads; i++) {
        flx_frontal_walker *w = t->walkers + i;
        flx_free(w->stack);
        flx_free(w->work);
        flx_free(w->local);
        flx_free(w->relative);
        flx_free(w->waiting);
        flx_free(w->panel);
    }
    flx_free(t->walkers);
    t->walkers = NULL;
}

static void walk_part(void *user, int part, double *scratch)
{
    forest *t = user;
    part = t->by_size[part];
    subtree *s = t->list + part;
    flx_frontal *f = t->f;
    int root = f->sequence[s->end - 1], i = 0;
    double *left = f->update[root];
    if (atomic_load(&t->failed) < s->first) return; // nothing comes of it
    while (atomic_flag_test_and_set(t->taken + i)) i = (i + 1) % t->threads;
    flx_frontal_walker *w = t->walkers + i;
    w->hands = (flx_front_hands){.scratch = scratch};
    w->low = t->stack;
    w->floor = 0;
    w->top = 0;
    w->report = (flx_frontal_report){.ratio = (double)INFINITY};
    w->at = f->nfront;
    s->status = flx_frontal_walk(w, t->m, s->first, s->end);
    if (s->status == FLX_OK)
        memcpy(left, f->update[root], (size_t)flx_frontal_update_size(f, root) * sizeof *left);
    f->update[root] = left;
    t->results[part] = *w;
    for (int failed = atomic_load(&t->failed); s->status != FLX_OK && w->at < failed;) {
        if (atomic_compare_exchange_weak(&t->failed, &failed, w->at)) break;
    }
    atomic_flag_clear(t->taken + i);
}

// What is above the parts, up to the first place where one failed.
static flx_status walk_rest(forest *t, flx_frontal_walker *all)
{
    flx_frontal *f = t->f;
    int failed = atomic_load(&t->failed);
    for (int k = 0, part = 0; k < f->nfront && k < failed;) {
        if (part < t->count && k == t->list[part].first) {
            flx_frontal_join(all, t->results + part);
            k = t->list[part++].end;
            if (f->nrow[f->sequence[k - 1]] > 0) all->waiting[all->top++] = f->sequence[k - 1];
            continue;
        }
        FLX_TRY(flx_frontal_walk(all, t->m, k, k + 1));
        k++;
    }
    for (int i = 0; i < t->count; i++) {
        if (t->list[i].status == FLX_OK || t->results[i].at != failed) continue;
        flx_frontal_join(all, t->results + i);
        return t->list[i].status;
    }
    return FLX_OK;
}

// Updates that nobody took in: the last of each tree, and those of a walk that failed.
static void clear_updates(forest *t)
{
    flx_frontal *f = t->f;
    for (int k = 0, part = 0; k < f->nfront; k++) {
        if (part < t->count && k == t->list[part].first) k = t->list[part++].end - 1;
        flx_free(f->update[f->sequence[k]]);
        f->update[f->sequence[k]] = NULL;
    }
}

// In numbers: beside the panels that are kept.
static double find_memory(forest *t, bool keep)
{
    const flx_frontal *f = t->f;
    int64_t above = 0;
    for (int i = 0; i < t->count; i++) measure_part(t, t->list + i);
    double rest = (double)measure_rest(t, &above);
    double each = (double)t->stack + (double)f->max_work + (keep ? 0 : (double)t->panel);
    if (above > t->panel) t->panel = above;
    return rest + t->threads * each + (keep ? (double)f->factors : (double)t->panel);
}

static flx_status walk_all(forest *t, flx_frontal_walker *all, bool keep)
{
    flx_frontal *f = t->f;
    atomic_store(&t->failed, f->nfront);
    flx_status status = make_walkers(t, keep);
    if (status == FLX_OK) {
        double flops = 0;
        for (int i = 0; i < t->count; i++) flops += t->list[i].flops;
        flx_front_crew_share(f->crew, t->count, flops, walk_part, t);
    }
    clear_walkers(t);
    if (status == FLX_OK) status = walk_rest(t, all);
    clear_updates(t);
    flx_free(t->results);
    flx_free(t->taken);
    return status;
}

static flx_status walk_forest(forest *t, flx_frontal_walker *all, bool keep, bool *done)
{
    flx_frontal *f = t->f;
    t->size = flx_alloc(f->ctx, (size_t)f->nfront, sizeof *t->size);
    t->flops = flx_alloc(f->ctx, (size_t)f->nfront, sizeof *t->flops);
    if (!t->size || !t->flops) return FLX_ERR_MEMORY;
    choose(t);
    if (t->count == 0) return FLX_OK;
    order_parts(t);
    double need = find_memory(t, keep) * sizeof(double), there = flx_memory_available(f->ctx);
    if (there >= 0 && need > there) return FLX_OK; // one thread needs less
    *done = true;
    FLX_TRY(flx_frontal_take(f, keep ? f->factors : t->panel));
    all->panel = keep ? NULL : f->numbers;
    all->stack = NULL;
    return walk_all(t, all, keep);
}

flx_status flx_frontal_walk_together(flx_frontal_walker *all, const flx_frontal_sum *m, bool keep,
                                     bool *done)
{
    *done = false;
    if (!all->f->crew || flx_front_crew_count(all->f->crew) < 2 || all->hands.single) return FLX_OK;
    forest *t = flx_alloc(all->f->ctx, 1, sizeof *t);
    if (!t) return FLX_ERR_MEMORY;
    t->f = all->f;
    t->m = m;
    t->threads = flx_front_crew_count(t->f->crew);
    flx_status status = walk_forest(t, all, keep, done);
    flx_free(t->size);
    flx_free(t->flops);
    flx_free(t);
    return status;
}
