// tree_paths.c - how far the rows of closures reach along the tree.
//
// A row that knows the motion of its bodies relative to each other does not change when all of them move as one body, and
// its forces on them are in balance:
//     G = 0 along every joint that carries all of its bodies                                    (TRN-6)
// It goes along the paths from its bodies to where these meet, which is near in a tree of short loops, not to the ground.
#include "joint/joint.h"
#include "tree/tree_parts.h"

// Unknowns that some expression reads: what that pushes need not be the bodies of the row.
static bool *list_read(const flx_tree *t)
{
    const flx_descriptor *d = flx_tree_inner(t);
    bool *read = flx_alloc(t->base.ctx, (size_t)flx_dims_unknowns(&d->base.dims), sizeof *read);
    if (!read) return NULL;
    for (int i = 0; i < d->expr.ndep; i++) {
        if (d->expr.deps[i].unknown >= 0) read[d->expr.deps[i].unknown] = true;
    }
    return read;
}

// Neither is the ground, nor fixed to it.
static bool are_free(const flx_tree *t, const int body[2])
{
    for (int s = 0; s < 2; s++) {
        int carrier = body[s] < 0 ? -1 : flx_model_carrier(t->model, body[s]);
        if (carrier < 0 || t->t.mounts[carrier].link < 0) return false;
    }
    return true;
}

// Whether a row knows nothing but the motion of bodies relative to each other, none of them the ground.
static bool is_relative(const flx_tree *t, int row)
{
    const flx_descriptor *d = flx_tree_inner(t);
    int joint = d->rows[row].joint;
    if (joint < 0) {
        const int *pulls = flx_pulls_bodies(d, row);
        return pulls && are_free(t, pulls);
    }
    const flx_joint *j = t->model->joints + joint;
    if (d->joints[joint].read) return false;
    if (!j->kind->on_joints) return are_free(t, j->body);
    for (int s = 0; s < 2; s++) {
        const flx_joint *of = t->model->joints + j->joint[s];
        if (of->kind->on_joints || !are_free(t, of->body)) return false;
    }
    return true;
}

// Where two paths to the ground meet: parents have smaller numbers.
static int meet(const flx_tree *t, int a, int b)
{
    while (a != b) {
        int *deeper = a > b ? &a : &b;
        *deeper = t->t.links[*deeper].parent;
    }
    return a;
}

flx_status flx_tree_paths(const flx_tree *t, flx_tree_fronts *f)
{
    const flx_descriptor *d = flx_tree_inner(t);
    int first = d->variable_v, first_row = flx_first_lam(d) - first;
    bool *read = list_read(t);
    if (!read) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->nother;) { // one block after the other
        int end = i + 1, at = -1;
        while (end < f->nother && d->block_of[first + end] == d->block_of[first + i]) end++;
        bool relative = true, any = false;
        for (int k = i; k < end && relative; k++) {
            relative = k >= first_row && !read[first + k] && is_relative(t, k - first_row);
            for (int e = f->met[k]; e < f->met[k + 1] && relative; e++) {
                int link = f->rows[f->meetings[e]].link;
                at = any ? meet(t, at, link) : link;
                any = true;
            }
        }
        for (; i < end; i++) f->until[i] = relative ? at : -1;
    }
    flx_free(read);
    return FLX_OK;
}

int flx_tree_way_end(const flx_tree *t, const flx_tree_fronts *f, int other)
{
    int end = -1;
    for (int e = f->met[other]; e < f->met[other + 1] && f->until[other] >= 0; e++) {
        int i = f->rows[f->meetings[e]].link;
        if (i == f->until[other]) continue;
        while (t->t.links[i].parent != f->until[other]) i = t->t.links[i].parent;
        if (end < 0 || i < end) end = i;
    }
    return end;
}

flx_status flx_tree_measure_border(const flx_tree *t, double *work)
{
    const flx_tree_fronts *f = &t->fronts;
    size_t n = (size_t)f->n;
    int *count = flx_alloc(t->base.ctx, 2 * n, sizeof *count), *last = count + n;
    if (!count) return FLX_ERR_MEMORY;
    for (int k = 0; k < f->nother; k++) {
        for (int e = f->met[k]; e < f->met[k + 1]; e++) {
            int i = f->rows[f->meetings[e]].link;
            for (; i >= 0 && last[i] != k + 1; i = t->t.links[i].parent) {
                last[i] = k + 1;
                count[i]++;
            }
        }
    }
    *work = 0.0;
    for (int i = 0; i < f->n; i++) {
        double freedom = flx_link_freedom(t->t.links[i].kind, t->t.k.planar);
        *work += freedom * (6.0 + count[i]) * (FLX_TREE_MOTION + count[i]);
    }
    flx_free(count);
    return FLX_OK;
}
