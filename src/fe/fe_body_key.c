// fe_body_key.c - what a reduced body is made of, as a key: two structures and bases of one key give one body. All that is
// said of the structure and of the basis is in it, and the version; places in files, for messages, are not.
#include "base/checkpoint_walk.h"
#include "base/number.h"
#include "fe/fe_body.h"

#include <inttypes.h>
#include <string.h>

// Whoever adds a member to one of these makes it part of the key here, and then writes the new size.
#if defined(__x86_64__)
_Static_assert(sizeof(flx_structure) == 480, "key of a structure");
_Static_assert(sizeof(flx_basis) == 248, "key of a basis");
_Static_assert(sizeof(flx_element) == 40, "key of an element");
_Static_assert(sizeof(flx_material) == 64, "key of a material");
_Static_assert(sizeof(flx_section) == 240, "key of a section");
_Static_assert(sizeof(flx_point_mass) == 88, "key of a mass");
_Static_assert(sizeof(flx_spring_element) == 128, "key of a spring");
_Static_assert(sizeof(flx_node_link) == 72, "key of a link");
#endif

typedef struct key {
    uint64_t a, b;
} key;

static void feed(key *k, const void *data, size_t size)
{
    k->a = flx_hash(k->a, &size, sizeof size);
    k->b = flx_hash(k->b, &size, sizeof size);
    if (size == 0) return;
    k->a = flx_hash(k->a, data, size);
    k->b = flx_hash(k->b, data, size);
}

static void text(key *k, const char *word)
{
    feed(k, word ? word : "", word ? strlen(word) + 1 : 0);
}

static void integer(key *k, long long x)
{
    feed(k, &x, sizeof x);
}

static void reals(key *k, size_t n, const double *x)
{
    feed(k, x, x ? n * sizeof *x : 0);
}

static void integers(key *k, size_t n, const int *x)
{
    feed(k, x, x ? n * sizeof *x : 0);
}

static void matrix(key *k, const flx_symmetric *A)
{
    integer(k, A->n);
    if (A->n == 0) return;
    size_t n = (size_t)A->n, entries = (size_t)A->start[A->n];
    feed(k, A->start, (n + 1) * sizeof *A->start);
    integers(k, entries, A->row);
    reals(k, entries, A->value);
}

// ---- structures ---------------------------------------------------------------------------------

static void section_alone(key *k, const flx_section *c)
{
    text(k, c->name);
    const int flags[] = {c->sized, c->own_inertia, c->shear, c->rotary, c->has_up};
    const double x[] = {
        c->A,     c->Iy,         c->Iz,         c->J,          c->ky,        c->kz,
        c->EA,    c->EIy,        c->EIz,        c->GJ,         c->GAy,       c->GAz,
        c->mass,  c->inertia[0], c->inertia[1], c->inertia[2], c->thickness, c->nonstructural,
        c->up[0], c->up[1],      c->up[2]};
    integers(k, sizeof flags / sizeof *flags, flags);
    reals(k, sizeof x / sizeof *x, x);
    reals(k, 36, c->coupled);
}

static void section(key *k, const flx_section *c)
{
    section_alone(k, c);
    for (int p = 0; c->along && p < FLX_SECTION_POINTS; p++) section_alone(k, c->along + p);
}

static void elements(key *k, const flx_structure *s)
{
    integer(k, s->nelement);
    for (int i = 0; i < s->nelement; i++) {
        const flx_element *e = s->elements + i;
        const int x[] = {(int)e->cell, (int)e->family, e->label,
                         e->material,  e->section,     e->incompatible};
        integers(k, sizeof x / sizeof *x, x);
        integers(k, (size_t)flx_cells[e->cell].nodes, flx_element_nodes(s, i));
    }
}

static void links(key *k, const flx_structure *s)
{
    integer(k, s->nlink);
    for (int i = 0; i < s->nlink; i++) {
        const flx_node_link *l = s->links + i;
        const int x[] = {(int)l->kind, l->reference, (int)l->mask, l->nnode};
        integers(k, sizeof x / sizeof *x, x);
        integers(k, (size_t)l->nnode, l->nodes);
        reals(k, (size_t)l->nnode, l->weights);
        integers(k, (size_t)l->nnode, l->components);
    }
}

// Supports and loads are no part of a body.
static void structure(key *k, const flx_structure *s)
{
    size_t n = (size_t)s->nnode;
    integer(k, s->dimension);
    integer(k, s->nnode);
    reals(k, 3 * n, s->x);
    integers(k, n, s->label);
    elements(k, s);
    integer(k, s->nset);
    for (int i = 0; i < s->nset; i++) {
        text(k, s->sets[i].name);
        integers(k, (size_t)s->sets[i].nnode, s->sets[i].nodes);
        integers(k, (size_t)s->sets[i].nelement, s->sets[i].elements);
    }
    integer(k, s->nmaterial);
    for (int i = 0; i < s->nmaterial; i++) {
        const flx_material *m = s->materials + i;
        const double x[] = {m->E, m->nu, m->density, m->loss};
        text(k, m->name);
        reals(k, sizeof x / sizeof *x, x);
    }
    integer(k, s->nsection);
    for (int i = 0; i < s->nsection; i++) section(k, s->sections + i);
    integer(k, s->nmass);
    for (int i = 0; i < s->nmass; i++) {
        integer(k, s->masses[i].node);
        reals(k, 1, &s->masses[i].mass);
        reals(k, 6, s->masses[i].inertia);
    }
    integer(k, s->nspring);
    for (int i = 0; i < s->nspring; i++) {
        integers(k, 2, s->springs[i].node);
        reals(k, 6, s->springs[i].stiffness);
        reals(k, 6, s->springs[i].damping);
    }
    links(k, s);
    integer(k, s->width);
    matrix(k, &s->K);
    matrix(k, &s->M);
    matrix(k, &s->D);
    integer(k, s->npair);
    feed(k, s->pair, (size_t)s->npair * sizeof *s->pair);
}

// ---- bases --------------------------------------------------------------------------------------

static void basis(key *k, const flx_basis *b)
{
    const int x[] = {(int)b->kind,  b->modes,      b->stiffening,     b->attachment,
                     b->residual,   b->ninterface, (int)b->frame,     b->shapes,
                     b->ncondition, b->blocks,     b->nshift,         b->inertia_relief,
                     b->uncounted,  b->unscaled,   b->damping.assumed};
    const double y[] = {b->from,
                        b->to,
                        b->tolerance,
                        b->statics,
                        b->angular_velocity[0],
                        b->angular_velocity[1],
                        b->angular_velocity[2],
                        b->spin,
                        b->damping.loss,
                        b->damping.alpha,
                        b->damping.beta};
    size_t held = (size_t)b->ncondition * (size_t)b->ninterface;
    integers(k, sizeof x / sizeof *x, x);
    reals(k, sizeof y / sizeof *y, y);
    integers(k, (size_t)b->ninterface, b->interfaces);
    for (int i = 0; i < b->ninterface; i++) text(k, b->names ? b->names[i] : NULL);
    for (size_t i = 0; i < held; i++) integer(k, b->conditions[i]);
    for (int i = 0; i < b->ninterface; i++) integer(k, b->components ? (int)b->components[i] : 077);
    reals(k, (size_t)b->nshift, b->shifts);
    integers(k, (size_t)b->nloaded, b->loaded);
    for (int i = 0; i < b->nloaded; i++) integer(k, b->loaded_turns ? b->loaded_turns[i] : -1);
    integer(k, b->snapshots ? b->snapshots->count : -1);
    if (b->snapshots) {
        size_t places = (size_t)b->snapshots->places;
        integers(k, places, b->snapshots->label);
        reals(k, 3 * places, b->snapshots->at);
        reals(k, 3 * places * (size_t)b->snapshots->count, b->snapshots->u);
    }
    integer(k, b->arena != NULL);
    text(k, b->body);
}

void flx_fe_reduction_key(const flx_structure *s, bool lumped, const flx_basis *b, char out[33])
{
    key k = {FLX_HASH_START, FLX_HASH_START ^ UINT64_C(0x9e3779b97f4a7c15)};
    text(&k, flx_version());
    integer(&k, lumped);
    basis(&k, b);
    structure(&k, s);
    flx_snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, k.a, k.b);
}
