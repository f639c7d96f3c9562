// light_walls.c - walls of particles that are too light for the time between two exchanges (DEM-7).
#include "language/particles/particles_parts.h"

#include <math.h>
#include <string.h>

double flx_particles_fastest(const flx_particles_block *p)
{
    double v = p->fastest;
    for (int i = 0; i < p->ninlet; i++) {
        const double *u = p->inlets[i].velocity;
        v = fmax(v, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    return v;
}

// Of Hertz's contact of a largest particle with a wall, as deep as by its weight, or by its speed at the start (DEM-7).
static double wall_stiffness(const flx_builder *b, const flx_particles_block *p)
{
    const double *g = b->m->gravity, down = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double E = 0.5 * p->E / (1.0 - p->nu * p->nu), v = flx_particles_fastest(p), most = 0.0;
    for (int k = 0; k < p->nclass; k++) {
        double R = p->classes[k].most,
               mass = p->classes[k].density * 4.0 / 3.0 * FLX_PI * R * R * R;
        double weight = pow(0.75 * mass * down / (E * sqrt(R)), 2.0 / 3.0);
        double impact = pow(15.0 / 16.0 * mass * v * v / (E * sqrt(R)), 0.4);
        most = fmax(most, 2.0 * E * sqrt(R * fmax(weight, impact)));
    }
    return most;
}

// A joint that leaves nothing free, or whose motion is given.
static bool holds(const flx_item *joint)
{
    const flx_entry *type = flx_entry_get(joint->def, "type");
    if (!type) return false;
    bool one = strcmp(type->text, "revolute") == 0 || strcmp(type->text, "prismatic") == 0;
    return strcmp(type->text, "fixed") == 0 || (one && flx_entry_get(joint->def, "motion"));
}

// Mass of a wall with all bodies that are held by it, marked by `with`; HUGE_VAL: the ground is one of them.
static double mass_with(const flx_builder *b, const flx_item *body, bool *with)
{
    double mass = 0.0;
    bool more = true;
    memset(with, 0, (size_t)b->bodies.count * sizeof *with);
    for (int i = 0; i < b->bodies.count; i++) with[i] = b->bodies.items[i] == body;
    while (more) {
        more = false;
        for (int i = 0; i < b->joints.count; i++) {
            const flx_joint_data *d = b->joints.items[i]->data;
            if (!d || !holds(b->joints.items[i])) continue;
            for (int k = 0; k < 2; k++) {
                int other = -1;
                bool here = false;
                for (int j = 0; j < b->bodies.count; j++) {
                    here = here || (with[j] && b->bodies.items[j] == d->body[k]);
                    if (b->bodies.items[j] == d->body[1 - k]) other = j;
                }
                if (here && other < 0) return HUGE_VAL;
                if (!here || with[other]) continue;
                with[other] = more = true;
            }
        }
    }
    for (int i = 0; i < b->bodies.count; i++) {
        const flx_body_data *d = b->bodies.items[i]->data;
        if (with[i] && d) mass += d->def.mass;
    }
    return mass;
}

flx_status flx_particles_tell_light_walls(flx_builder *b, const flx_item *item,
                                          const flx_particles_block *p)
{
    const flx_particles_item *d = item->data;
    const flx_entry *exchange = flx_entry_get(item->def, "exchange");
    double k = wall_stiffness(b, p);
    bool *with = flx_take(b, (size_t)b->bodies.count + 1, sizeof *with);
    if (!with) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nwall; i++) {
        const flx_wall_draft *w = d->walls + i;
        if (!w->moves || !(k > 0.0)) continue;
        double mass = mass_with(b, w->body, with);
        double longest = 0.1 * sqrt(mass / k);
        if (!(mass > 0.0) || p->exchange <= longest * (1.0 + 1e-9)) continue;
        flx_ctx_warn(b->ctx, exchange ? exchange->loc : w->entry->loc,
                     "wall '%s' of %.3g kg is light for an 'exchange' every %.2g s: at most %.2g "
                     "s, a tenth of sqrt(m/k) with the stiffness of one contact, or the forces "
                     "on it lag behind",
                     w->body->full, mass, p->exchange, longest);
    }
    return FLX_OK;
}
