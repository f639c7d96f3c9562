// contact_memories.c - friction of compliant contacts by springs with memory: their numbers, and where the rows of their stretches are.
#include "descriptor/descriptor_parts.h"

// What is beyond the limit goes within this part of sqrt(m/k), the time scale of the mass on the spring.
#define PART_OF_SWING 0.01
// Depth over radius at which Mindlin's stiffness gives that time.
#define USUAL_DEPTH 1e-3

// (LAW-14)
flx_status flx_memories_set_mindlin(const flx_descriptor *d, const flx_contact *c,
                                    flx_contact_point *p)
{
    double curvature, plane = 0.0, shear = 0.0, mass = flx_contacts_reduced_mass(d, c, p->pair);
    FLX_TRY(flx_contacts_curvature(d, c, p->pair, "law 'mindlin' is of spheres and planes alone",
                                   &curvature));
    for (int i = 0; i < 2; i++) {
        plane += (1.0 - c->nu[i] * c->nu[i]) / c->E[i];
        shear += 2.0 * (2.0 - c->nu[i]) * (1.0 + c->nu[i]) / c->E[i];
    }
    double E = 1.0 / plane, G = 1.0 / shear, root = sqrt(1.0 / curvature);
    p->law.c = 2.0 * sqrt(5.0 / 6.0) * c->damping * sqrt(2.0 * E * root * mass);
    p->memory =
        (flx_stretch_law){.k = 8.0 * G * root, .c = 2.0 * sqrt(G / E) * p->law.c, .mindlin = true};
    p->scale = c->friction.coefficient * USUAL_DEPTH / curvature;
    return FLX_OK;
}

void flx_memories_set(const flx_descriptor *d, const flx_contact *c, flx_contact_point *p)
{
    const flx_contact_friction *f = &c->friction;
    double mass = flx_contacts_reduced_mass(d, c, p->pair), k = f->stiffness;
    if (c->law == FLX_CONTACT_MINDLIN) {
        k = p->memory.k * sqrt(p->scale / fmax(f->coefficient, 1e-300));
    } else {
        double weight = f->coefficient * mass * v3_norm(v3_load(d->model->gravity));
        p->memory = (flx_stretch_law){.k = f->stiffness, .c = f->damping};
        p->scale = weight > 0.0 ? weight / f->stiffness : 1e-6 * d->length;
    }
    p->memory.exponent = p->law.n;
    p->memory.friction = f->coefficient;
    p->memory.tau = mass > 0.0 ? PART_OF_SWING * sqrt(mass / k) : flx_model_typical_step(d->model);
}

flx_status flx_memories_couple(flx_descriptor *d, const flx_contact_point *p)
{
    for (int i = 0; i < p->nslip; i++) {
        int block = d->block_of[flx_first_x(d) + p->state + i];
        FLX_TRY(flx_layout_couple_row(d, block, p->gap.body));
        for (int k = 0; k < i; k++) {
            FLX_TRY(flx_layout_couple(d, block, d->block_of[flx_first_x(d) + p->state + k]));
        }
        if (p->row < 0) continue;
        int row = flx_pulls_find(d, d->model->contacts[p->contact].force, p->row);
        FLX_TRY(flx_layout_couple(d, block, d->block_of[flx_first_lam(d) + row]));
    }
    return FLX_OK;
}

void flx_memories_fill(const flx_descriptor *d, flx_contact_point *p)
{
    int first = flx_first_x(d) + p->state;
    for (int i = 0; i < p->nslip; i++) {
        flx_layout_place(d, first + i, p->gap.body, &p->state_place[i]);
        for (int k = 0; k < p->nslip; k++) {
            p->state_slot[i][k] = flx_layout_slot(d, first + i, first + k);
        }
        if (p->row >= 0) {
            p->state_force[i] = flx_layout_slot(d, first + i, flx_first_lam(d) + p->row);
        }
    }
}

void flx_memories_mark(flx_descriptor *d, const flx_contact_point *p)
{
    for (int i = 0; i < p->nslip; i++) {
        for (int b = 0; b < 2; b++) {
            if (p->gap.body[b] >= 0) flx_layout_mark(d, p->state_place[i].g[b], 2);
        }
    }
}

double flx_memories_scale(const flx_descriptor *d, int state)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    for (int i = 0; i < n; i++) {
        bool ours = of[i].state >= 0 && state >= of[i].state && state < of[i].state + of[i].nslip;
        if (ours) return of[i].scale;
    }
    return 0.0;
}
