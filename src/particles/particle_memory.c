// particle_memory.c - all that the next step of a set takes over, as bytes: a run that is restored goes on bit by bit.
#include "base/checkpoint_walk.h"
#include "particles/particle_set.h"

static void pass_array(flx_memory *m, void *x, int n, size_t size)
{
    if (n > 0) flx_memory_pass(m, x, (size_t)n * size);
}

// Room for what is loaded; the arrays are those of a set with the same walls.
static bool make_room(flx_particles *p, flx_memory *m, int n, int npair, int ntouch)
{
    if (n < 0 || npair < 0 || ntouch < 0) {
        flx_memory_fail(m, FLX_ERR_ARGUMENT);
        return false;
    }
    flx_status status = flx_particles_room(p, n);
    if (status == FLX_OK) status = flx_particles_pair_room(p, npair);
    if (status == FLX_OK)
        status = flx_particles_ensure(p, (void **)&p->touches, &p->touch_capacity, ntouch,
                                      sizeof *p->touches);
    if (status != FLX_OK) flx_memory_fail(m, status);
    return status == FLX_OK;
}

// Pairs that do not touch remember nothing: the same bytes for the same run.
static void forget(flx_particles *p)
{
    for (int k = 0; k < p->npair; k++) {
        if (p->touched[k] != (unsigned)p->steps) p->memory[k] = (flx_particle_memory){0};
    }
}

void flx_particles_memory(flx_particles *p, flx_memory *m)
{
    int n = p->n, npair = p->npair, ntouch = p->ntouch;
    FLX_PASS(m, n);
    FLX_PASS(m, npair);
    FLX_PASS(m, ntouch);
    if (flx_memory_loads(m) && !make_room(p, m, n, npair, ntouch)) return;
    p->n = n;
    p->npair = npair;
    p->ntouch = ntouch;
    FLX_PASS(m, p->steps);
    FLX_PASS(m, p->rebuilds);
    FLX_PASS(m, p->time);
    FLX_PASS(m, p->made);
    FLX_PASS(m, p->nleaving);
    FLX_PASS(m, p->gone_mass);
    FLX_PASS(m, p->gone_energy);
    if (p->repeats) FLX_PASS(m, p->round_energy);
    FLX_PASS(m, p->largest);
    FLX_PASS(m, p->least);
    FLX_PASS(m, p->skin);
    FLX_PASS(m, p->reach);
    FLX_PASS(m, p->wall_way);
    flx_memory_numbers(m, p->moved, (size_t)p->threads);
    flx_vec4 *fours[] = {p->x, p->v, p->w, p->kept};
    for (int i = 0; i < 4; i++) pass_array(m, fours[i], n, sizeof(flx_vec4));
    pass_array(m, p->f, n, 3 * sizeof(double));
    pass_array(m, p->t, n, 3 * sizeof(double));
    pass_array(m, p->id, n, sizeof(int));
    pass_array(m, p->label, n, sizeof *p->label);
    pass_array(m, p->leaves, n, sizeof *p->leaves);
    pass_array(m, p->start, n + 1, sizeof(int));
    pass_array(m, p->second, npair, sizeof(int));
    pass_array(m, p->touched, npair, sizeof *p->touched);
    if (!flx_memory_loads(m)) forget(p);
    pass_array(m, p->memory, npair, sizeof *p->memory);
    pass_array(m, p->touches, ntouch, sizeof *p->touches);
    pass_array(m, p->walls, p->nwall, sizeof *p->walls);
    pass_array(m, p->surfaces, p->nsurface, sizeof *p->surfaces);
    if (!flx_memory_loads(m)) return;
    flx_status status = p->n > 0 ? flx_particles_divide(p) : FLX_OK;
    if (status != FLX_OK) flx_memory_fail(m, status);
}
