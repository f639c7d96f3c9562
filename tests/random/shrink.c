// shrink.c - from a model that fails to a small one: items are left out and numbers made simple as long
// as the failure stays.
#include "variants.h"

#include <math.h>
#include <stddef.h>

typedef struct shrinking {
    const variant *v;
    spec *s;
    finding *found;
} shrinking;

static void drop_hanging(spec *s)
{
    for (int again = 1; again;) {
        again = 0;
        for (int i = 0; i < s->njoint; i++) {
            if (!s->joints[i].there || !joint_hangs(s, i)) continue;
            s->joints[i].there = false;
            again = 1;
        }
        for (int i = 0; i < s->nrelation; i++) {
            if (s->relations[i].there && relation_hangs(s, i)) s->relations[i].there = false;
        }
        for (int i = 0; i < s->nforce; i++) {
            if (!s->forces[i].there || !force_hangs(s, i)) continue;
            s->forces[i].there = false;
            again = 1;
        }
    }
}

// Whether the changed model fails as well; it is then the one to go on with.
static bool accept(shrinking *k, spec *changed)
{
    drop_hanging(changed);
    int bodies = 0;
    for (int i = 0; i < changed->nbody; i++) bodies += changed->bodies[i].there;
    if (bodies == 0) return false;
    finding f = judge_alone(changed, k->v);
    if (f.verdict != k->found->verdict) return false;
    *k->s = *changed;
    *k->found = f;
    return true;
}

static int drop(shrinking *k, size_t offset, size_t size, int n)
{
    int dropped = 0;
    for (int i = 0; i < n; i++) {
        spec changed = *k->s;
        bool *there = (bool *)(void *)((char *)&changed + offset + (size_t)i * size);
        if (!*there) continue;
        *there = false;
        dropped += accept(k, &changed);
    }
    return dropped;
}

#define DROP(k, list, n) drop(k, offsetof(spec, list), sizeof(k)->s->list[0], (k)->s->n)

static void simplify_vector(shrinking *k, size_t offset)
{
    spec changed = *k->s;
    v3 *a = (v3 *)(void *)((char *)&changed + offset);
    *a = v3_make(0, 0, 0);
    (void)accept(k, &changed);
}

static void simplify_number(shrinking *k, size_t offset, double to)
{
    spec changed = *k->s;
    double *a = (double *)(void *)((char *)&changed + offset);
    if (*a == to) return;
    *a = to;
    (void)accept(k, &changed);
}

static size_t in_body(int i, size_t offset)
{
    return offsetof(spec, bodies) + (size_t)i * sizeof(spec_body) + offset;
}
static size_t in_joint(int i, size_t offset)
{
    return offsetof(spec, joints) + (size_t)i * sizeof(spec_joint) + offset;
}
static size_t in_force(int i, size_t offset)
{
    return offsetof(spec, forces) + (size_t)i * sizeof(spec_force) + offset;
}

static void simplify(shrinking *k)
{
    simplify_vector(k, offsetof(spec, gravity));
    for (int i = 0; i < k->s->nbody; i++) {
        if (!k->s->bodies[i].there) continue;
        simplify_vector(k, in_body(i, offsetof(spec_body, com)));
        simplify_number(k, in_body(i, offsetof(spec_body, mass)), 1.0);
    }
    for (int i = 0; i < k->s->njoint; i++) {
        if (!k->s->joints[i].there) continue;
        simplify_number(k, in_joint(i, offsetof(spec_joint, viscous)), 0.0);
        simplify_number(k, in_joint(i, offsetof(spec_joint, friction)), 0.0);
        spec changed = *k->s;
        if (changed.joints[i].moves) {
            changed.joints[i].moves = false;
            (void)accept(k, &changed);
        }
    }
    for (int i = 0; i < k->s->nforce; i++) {
        if (!k->s->forces[i].there) continue;
        simplify_number(k, in_force(i, offsetof(spec_force, wave)), 0.0);
        simplify_number(k, in_force(i, offsetof(spec_force, cubic)), 0.0);
        for (size_t c = 0; c < 6; c++) {
            simplify_number(k, in_force(i, offsetof(spec_force, c) + c * sizeof(double)), 0.0);
        }
    }
    spec rest = *k->s;
    for (int i = 0; i < rest.nbody; i++) {
        rest.bodies[i].velocity = rest.bodies[i].omega = v3_make(0, 0, 0);
    }
    (void)accept(k, &rest);
}

void shrink(const variant *v, spec *s, finding *found)
{
    shrinking k = {v, s, found};
    int dropped;
    do {
        dropped = DROP(&k, forces, nforce) + DROP(&k, variables, nvariable) +
                  DROP(&k, relations, nrelation) + DROP(&k, joints, njoint) +
                  DROP(&k, bodies, nbody);
    } while (dropped > 0);
    simplify(&k);
}
