// structure_units.c - a structure in another unit of length, with forces in newtons and times in seconds: a mesh in
// millimetres has stresses in MPa and masses in tonnes.
#include "model/structure.h"

static void scale_all(int n, double *x, double by)
{
    for (int i = 0; i < n; i++) x[i] *= by;
}

static void scale_section(flx_section *c, double s)
{
    double s2 = s * s, s4 = s2 * s2;
    c->A *= s2;
    c->Iy *= s4, c->Iz *= s4, c->J *= s4;
    c->EIy *= s2, c->EIz *= s2, c->GJ *= s2;
    c->mass /= s2, c->nonstructural /= s2;
    c->thickness *= s;
}

static void scale_loads(flx_structure *s, double by)
{
    for (int i = 0; i < s->nload; i++) scale_all(3, s->loads[i].force + 3, by);
    for (int i = 0; i < s->npressure; i++) {
        s->pressures[i].value /= by * by;
        scale_all(3, s->pressures[i].vector, 1 / (by * by));
    }
    for (int i = 0; i < s->nline; i++) scale_all(3, s->lines[i].force, 1 / by);
    for (int i = 0; i < s->nbody; i++) {
        scale_all(3, s->bodies[i].gravity, by);
        scale_all(3, s->bodies[i].centre, by);
    }
    scale_all(3, s->gravity, by);
}

void flx_structure_scale(flx_structure *s, double by)
{
    scale_all(3 * s->nnode, s->x, by);
    for (int i = 0; i < s->nmaterial; i++) {
        s->materials[i].E /= by * by;
        s->materials[i].density /= by * by * by * by;
    }
    for (int i = 0; i < s->nsection; i++) scale_section(s->sections + i, by);
    for (int i = 0; i < s->nsupport; i++) scale_all(3, s->supports[i].value, by);
    for (int i = 0; i < s->nmass; i++) {
        s->masses[i].mass /= by;
        scale_all(6, s->masses[i].inertia, by);
    }
    for (int i = 0; i < s->nspring; i++) {
        scale_all(3, s->springs[i].stiffness, 1 / by);
        scale_all(3, s->springs[i].stiffness + 3, by);
        scale_all(3, s->springs[i].damping, 1 / by);
        scale_all(3, s->springs[i].damping + 3, by);
    }
    for (int i = 0; i < s->nlink; i++) { // of an equation rotations count less beside displacements
        const flx_node_link *l = s->links + i;
        for (int k = 0; l->components && k < l->nnode; k++) {
            if (l->components[k] >= 3) l->weights[k] *= by;
        }
    }
    scale_loads(s, by);
}
