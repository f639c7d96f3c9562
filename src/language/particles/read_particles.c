// read_particles.c - the numbers of a set of particles.
#include "contact/surface_pieces.h"
#include "flexion/particles.h"
#include "language/contact/contact_parts.h"
#include "language/particles/particles_parts.h"
#include "language/scope/nums.h"

#include <math.h>
#include <string.h>

#define USUAL_RESTITUTION 0.5
#define USUAL_EXCHANGE 20 // steps
#define MOST_THREADS 256

typedef struct reading {
    flx_builder *b;
    flx_env e;
    const flx_item *item;
    flx_particles_block *to;
    const double *given; // radii, one for each position; NULL: of classes
} reading;

static const flx_entry *key(const reading *r, const char *name)
{
    return flx_entry_get(r->item->def, name);
}

static flx_status read_from(reading *r, const flx_entry *map, const char *name, double usual,
                            double *out)
{
    const flx_entry *y = flx_entry_get(map, name);
    *out = usual;
    return y ? flx_build_number(&r->e, y, out) : FLX_OK;
}

static flx_status check_range(reading *r, const flx_entry *y, const char *what, double x,
                              double least, double most)
{
    if (x >= least && x <= most) return FLX_OK;
    return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y ? y->loc : r->item->loc,
                    "%s of particles is from %g to %g, not %g", what, least, most, x);
}

// ---- sizes --------------------------------------------------------------------------------------

static flx_status read_normal(reading *r, const flx_entry *y, flx_particle_class *c)
{
    static const char *const words[] = {"mean", "deviation", "least", "most"};
    double *const to[] = {&c->mean, &c->deviation, &c->least, &c->most};
    for (int i = 0; i < y->count; i++) {
        int k = 0;
        while (k < 4 && strcmp(words[k], y->keys[i]->text) != 0) k++;
        if (k < 4) continue;
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                        "a distribution of radii has no key '%s'; it has mean, deviation, least "
                        "and most",
                        y->keys[i]->text);
    }
    for (int k = 0; k < 4; k++) {
        const flx_entry *at = flx_entry_get(y, words[k]);
        if (!at) {
            return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc, "a distribution of radii needs `%s`",
                            words[k]);
        }
        FLX_TRY(flx_build_positive(&r->e, at, "this", to[k]));
    }
    c->normal = true;
    if (c->least <= c->mean && c->mean <= c->most) return FLX_OK;
    return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc,
                    "the mean radius %g is not between the least and the most", c->mean);
}

static flx_status check_density(reading *r, const flx_entry *y, double *out)
{
    FLX_TRY(flx_build_positive(&r->e, y, "a density", out));
    return check_range(r, y, "the density", *out, 1e-12, 1e12);
}

static flx_status read_class(reading *r, const flx_entry *map, flx_particle_class *c)
{
    const flx_entry *y = flx_entry_get(map, "radius"), *density = flx_entry_get(map, "density");
    if (!density) density = key(r, "density");
    if (!y || !density) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, map->loc, "particles need a `%s`",
                        y ? "density" : "radius");
    }
    FLX_TRY(check_density(r, density, &c->density));
    if (y->kind == FLX_ENTRY_MAP) return read_normal(r, y, c);
    int n = 1;
    double *x = &c->least;
    if (y->kind == FLX_ENTRY_LIST) {
        FLX_TRY(flx_build_numbers(&r->e, y, &n, &x));
    } else {
        FLX_TRY(flx_build_number(&r->e, y, x));
    }
    c->least = x[0];
    c->most = x[n - 1];
    if (c->least > 0.0 && c->most >= c->least && isfinite(c->most)) return FLX_OK;
    return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc, "%s",
                    c->least > 0.0 ? "of two radii the first is the smaller one"
                                   : "a radius must be positive");
}

// Radii one by one: the class has the smallest and the largest.
static flx_status read_radii(reading *r, flx_particle_class *c)
{
    const flx_entry *y = key(r, "radii"), *density = key(r, "density");
    const flx_entry *positions = key(r, "positions");
    int n = 0, places = positions && positions->kind == FLX_ENTRY_LIST ? positions->count : 0;
    double *x = NULL;
    if (!density) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, r->item->loc, "particles need a `density`");
    }
    FLX_TRY(check_density(r, density, &c->density));
    FLX_TRY(flx_build_numbers(&r->e, y, &n, &x));
    if (n != places) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc,
                        "`radii` has a number for each of the %d `positions`, not %d", places, n);
    }
    r->given = x;
    c->least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        c->least = fmin(c->least, x[i]);
        c->most = fmax(c->most, x[i]);
        if (x[i] > 0.0 && isfinite(x[i])) continue;
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc, "a radius must be positive");
    }
    return FLX_OK;
}

static flx_status read_classes(reading *r)
{
    const flx_entry *y = key(r, "classes");
    flx_particles_block *to = r->to;
    to->nclass = y ? y->count : 1;
    to->classes = flx_arena_take(r->b->m->arena, (size_t)to->nclass, sizeof *to->classes);
    if (!to->classes) return FLX_ERR_MEMORY;
    to->classes[0].fraction = 1.0;
    if (key(r, "radii")) return read_radii(r, to->classes);
    if (!y) return read_class(r, r->item->def, to->classes);
    double sum = 0.0;
    for (int i = 0; i < y->count; i++) {
        FLX_TRY(flx_build_positive(&r->e, flx_entry_get(y->items[i], "fraction"), "a fraction",
                                   &to->classes[i].fraction));
        FLX_TRY(read_class(r, y->items[i], to->classes + i));
        sum += to->classes[i].fraction;
    }
    for (int i = 0; i < y->count; i++) to->classes[i].fraction /= sum;
    return FLX_OK;
}

// ---- the law ------------------------------------------------------------------------------------

static flx_status read_friction(reading *r, const flx_entry *y)
{
    flx_particles_block *to = r->to;
    if (!y) return FLX_OK;
    if (y->kind != FLX_ENTRY_MAP) return flx_build_number(&r->e, y, &to->friction);
    for (int i = 0; i < y->count; i++) {
        const char *name = y->keys[i]->text;
        if (strcmp(name, "coefficient") == 0 || strcmp(name, "rolling") == 0) continue;
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                        "friction of particles has no '%s'; it has coefficient and rolling", name);
    }
    FLX_TRY(read_from(r, y, "coefficient", 0.0, &to->friction));
    return read_from(r, y, "rolling", 0.0, &to->rolling);
}

static flx_status read_law(reading *r)
{
    flx_particles_block *to = r->to;
    const flx_entry *material = key(r, "material"), *E = flx_entry_get(material, "E");
    const flx_entry *nu = flx_entry_get(material, "nu"), *e = key(r, "restitution");
    FLX_TRY(flx_build_positive(&r->e, E, "E", &to->E));
    if (!isfinite(to->E)) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, E->loc,
                        "particles are not rigid: their steps follow from E");
    }
    FLX_TRY(check_range(r, E, "E", to->E, 1e-12, 1e15));
    FLX_TRY(read_from(r, material, "nu", 0.3, &to->nu));
    FLX_TRY(check_range(r, nu, "nu", to->nu, 0.0, 0.5));
    FLX_TRY(read_from(r, r->item->def, "restitution", USUAL_RESTITUTION, &to->restitution));
    FLX_TRY(check_range(r, e, "the restitution", to->restitution, 0.05, 1.0));
    const flx_entry *friction = key(r, "friction");
    FLX_TRY(read_friction(r, friction));
    FLX_TRY(check_range(r, friction, "friction", to->friction, 0.0, 1e3));
    return check_range(r, friction, "rolling friction", to->rolling, 0.0, 1e3);
}

// ---- regions ------------------------------------------------------------------------------------

typedef enum region_use { USE_FILL, USE_INLET, USE_OUTLET } region_use;

static flx_status refuse_keys(reading *r, const flx_entry *y, region_use use)
{
    static const struct {
        const char *key;
        unsigned uses;
    } all[] = {{"plane", 1u << USE_OUTLET},
               {"spacing", 1u << USE_FILL},
               {"seed", 1u << USE_FILL | 1u << USE_INLET},
               {"rate", 1u << USE_INLET},
               {"velocity", 1u << USE_INLET},
               {"start", 1u << USE_INLET | 1u << USE_OUTLET},
               {"until", 1u << USE_INLET}};
    static const char *const uses[] = {"`fill`", "inlets", "outlets"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const flx_entry *at = flx_entry_get(y, all[i].key);
        if (!at || all[i].uses & 1u << use) continue;
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, at->loc, "'%s' has no meaning in %s", all[i].key,
                        uses[use]);
    }
    return FLX_OK;
}

static flx_status unit(reading *r, const flx_entry *y, double axis[3])
{
    double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(size > 0.0) || !isfinite(size))
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc, "a direction cannot be zero");
    for (int k = 0; k < 3; k++) axis[k] /= size;
    return FLX_OK;
}

static flx_status read_shape(reading *r, const flx_entry *y, flx_region *out)
{
    const flx_entry *box = flx_entry_get(y, "box"), *round = flx_entry_get(y, "cylinder");
    const flx_entry *sphere = flx_entry_get(y, "sphere"), *plane = flx_entry_get(y, "plane");
    if (box) {
        int n = 0;
        double *x = NULL;
        FLX_TRY(flx_build_numbers(&r->e, box, &n, &x));
        for (int k = 0; k < n && k < 3; k++) {
            out->size[k] = 0.5 * x[k];
            if (x[k] > 0.0 && isfinite(x[k])) continue;
            return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, box->loc, "an edge must be positive, not %g",
                            x[k]);
        }
        return FLX_OK;
    }
    if (sphere) {
        out->kind = FLX_REGION_SPHERE;
        return flx_build_positive(&r->e, sphere, "a radius", &out->size[0]);
    }
    if (plane) {
        out->kind = FLX_REGION_PLANE;
        FLX_TRY(flx_build_vector(&r->e, plane, out->axis));
        return unit(r, plane, out->axis);
    }
    const flx_entry *axis = flx_entry_get(round, "axis");
    out->kind = FLX_REGION_CYLINDER;
    FLX_TRY(flx_build_positive(&r->e, flx_entry_get(round, "radius"), "a radius", &out->size[0]));
    FLX_TRY(flx_build_positive(&r->e, flx_entry_get(round, "length"), "a length", &out->size[1]));
    out->size[1] *= 0.5;
    out->axis[0] = 1.0;
    if (axis) FLX_TRY(flx_build_vector(&r->e, axis, out->axis));
    return unit(r, axis ? axis : round, out->axis);
}

static flx_status read_region(reading *r, const flx_entry *y, region_use use, flx_region *out)
{
    const flx_entry *at = flx_entry_get(y, "at"), *v = flx_entry_get(y, "velocity");
    const flx_entry *seed = flx_entry_get(y, "seed"), *until = flx_entry_get(y, "until");
    const flx_entry *spacing = flx_entry_get(y, "spacing"), *rate = flx_entry_get(y, "rate");
    int number = 1;
    *out = (flx_region){.kind = FLX_REGION_BOX, .until = HUGE_VAL, .loc = y->loc};
    FLX_TRY(refuse_keys(r, y, use));
    FLX_TRY(read_shape(r, y, out));
    if (at) FLX_TRY(flx_build_vector(&r->e, at, out->at));
    if (v) FLX_TRY(flx_build_vector(&r->e, v, out->velocity));
    if (seed) FLX_TRY(flx_build_integer(&r->e, seed, &number));
    out->seed = (uint64_t)(unsigned)number;
    if (spacing) FLX_TRY(flx_build_positive(&r->e, spacing, "a spacing", &out->spacing));
    FLX_TRY(read_from(r, y, "start", 0.0, &out->start));
    if (until) FLX_TRY(flx_build_number(&r->e, until, &out->until));
    if (!(out->until > out->start)) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, until ? until->loc : y->loc,
                        "`until` %g s is not after `start` %g s: nothing would come", out->until,
                        out->start);
    }
    if (use != USE_INLET) return FLX_OK;
    if (!rate)
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc, "an inlet needs its `rate`, in kg/s");
    FLX_TRY(flx_build_positive(&r->e, rate, "a rate", &out->rate));
    double x[3] = {out->at[0], out->at[1], out->at[2]};
    if (flx_region_depth(out, x) >= flx_particle_largest(r->to)) return FLX_OK;
    return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc,
                    "no particle of radius %g m fits into this "
                    "inlet",
                    flx_particle_largest(r->to));
}

static flx_status read_regions(reading *r, const char *name, region_use use, int *n,
                               flx_region **out)
{
    const flx_entry *y = key(r, name);
    *n = !y ? 0 : y->kind == FLX_ENTRY_LIST ? y->count : 1;
    *out = flx_arena_take(r->b->m->arena, (size_t)*n + 1, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int i = 0; i < *n; i++)
        FLX_TRY(read_region(r, y->kind == FLX_ENTRY_LIST ? y->items[i] : y, use, *out + i));
    return FLX_OK;
}

// ---- who is there -------------------------------------------------------------------------------

static flx_status read_positions(reading *r, const flx_entry *y, int count)
{
    flx_particles_block *to = r->to;
    uint64_t sequence = 1;
    if (y->kind != FLX_ENTRY_LIST || y->count == 0 || (count >= 0 && count != y->count)) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc, "%s",
                        y->kind == FLX_ENTRY_LIST && y->count > 0
                            ? "`count` is not how many positions there are"
                            : "positions are a list of vectors, one at least");
    }
    size_t n = (size_t)y->count;
    to->count = y->count;
    to->positions = flx_arena_take(r->b->m->arena, 3 * n + 1, sizeof(double));
    to->radii = flx_arena_take(r->b->m->arena, n + 1, sizeof(double));
    to->densities = flx_arena_take(r->b->m->arena, n + 1, sizeof(double));
    if (!to->positions || !to->radii || !to->densities) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) {
        FLX_TRY(flx_build_vector(&r->e, y->items[i], to->positions + 3 * (size_t)i));
        to->radii[i] = flx_particle_radius(to, &sequence, to->densities + i);
        if (r->given) to->radii[i] = r->given[i];
    }
    return FLX_OK;
}

// A vector of all, or one for each position.
static flx_status read_motion(reading *r, const char *name, double **out)
{
    const flx_entry *y = key(r, name);
    const int n = r->to->count;
    double all[3] = {0};
    if (!y) return FLX_OK;
    bool each = y->kind == FLX_ENTRY_LIST && y->count > 0 && y->items[0]->kind == FLX_ENTRY_LIST;
    if (!each) FLX_TRY(flx_build_vector(&r->e, y, all));
    if (each && (!key(r, "positions") || y->count != n)) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s' is one vector, or one for each of the %d `positions`, not %d", name,
                        key(r, "positions") ? n : 0, y->count);
    }
    *out = flx_arena_take(r->b->m->arena, 3 * (size_t)n + 1, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        if (each) FLX_TRY(flx_build_vector(&r->e, y->items[i], all));
        memcpy(*out + 3 * (size_t)i, all, sizeof all);
    }
    return FLX_OK;
}

static flx_status read_motions(reading *r)
{
    flx_particles_block *to = r->to;
    FLX_TRY(read_motion(r, "velocity", &to->velocities));
    FLX_TRY(read_motion(r, "angular_velocity", &to->spins));
    for (int i = 0; to->velocities && i < to->count; i++) {
        const double *v = to->velocities + 3 * (size_t)i;
        to->fastest = fmax(to->fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return FLX_OK;
}

static flx_status read_start(reading *r)
{
    const flx_entry *count = key(r, "count"), *positions = key(r, "positions");
    const flx_entry *fill = key(r, "fill");
    int n = -1, nregion = 0;
    flx_region *regions = NULL;
    if (count) FLX_TRY(flx_build_integer(&r->e, count, &n));
    if (count && n < 1) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, count->loc, "%d particles cannot be", n);
    }
    if (positions) return read_positions(r, positions, n);
    if (!fill && !key(r, "inlets")) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, r->item->loc,
                        "'%s' says nowhere where particles are: give `fill`, `positions` or "
                        "`inlets`",
                        r->item->full);
    }
    FLX_TRY(read_regions(r, "fill", USE_FILL, &nregion, &regions));
    return flx_particles_fill(r->b, r->to, nregion, regions, nregion > 0 ? n : -1,
                              fill ? fill->loc : r->item->loc);
}

static flx_status read_period(reading *r)
{
    const flx_entry *y = key(r, "periodic");
    for (int i = 0; y && i < y->count; i++) {
        int n = 0, k = y->keys[i]->text[0] - 'x';
        double *x = NULL;
        if (k < 0 || k > 2 || y->keys[i]->text[1]) {
            return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                            "'%s' is no axis; the axes are x, y and z", y->keys[i]->text);
        }
        FLX_TRY(flx_build_numbers(&r->e, y->items[i], &n, &x));
        r->to->period_from[k] = x[0];
        r->to->period[k] = x[1] - x[0];
        if (r->to->period[k] > 4.3 * flx_particle_largest(r->to)) continue;
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, y->items[i]->loc,
                        "a box that repeats itself is longer than two particles, not %g m",
                        r->to->period[k]);
    }
    return FLX_OK;
}

// ---- walls --------------------------------------------------------------------------------------

static flx_status check_surface(reading *r, const flx_particle_wall *w, const flx_surface *s,
                                flx_loc loc)
{
    if (!flx_surface_has_pieces(s->kind, false)) {
        return FLX_FAIL(
            r->b->ctx, FLX_ERR_MODEL, loc,
            "a surface of kind '%s' is no wall of particles; planes, spheres, capsules, "
            "cylinders, boxes and meshes are",
            s->kind->row.key);
    }
    if (!w->inside || flx_surface_has_pieces(s->kind, true)) return FLX_OK;
    return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, loc,
                    "particles cannot be inside of a surface of kind '%s'", s->kind->row.key);
}

static flx_status read_surfaces(reading *r, const flx_wall_draft *from, flx_particle_wall *w)
{
    flx_builder *b = r->b;
    const flx_entry *y =
        from->entry->kind == FLX_ENTRY_MAP ? flx_entry_get(from->entry, "surface") : NULL;
    int most = !y ? 0 : y->kind == FLX_ENTRY_LIST ? y->count : 1;
    const flx_body_data *body = from->moves ? from->body->data : NULL;
    if (!y && body) most = body->ntouching;
    if (most == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, from->entry->loc,
                        "'%s' has no surface; give it one, as in {on: %s, surface: {plane: [0, 0, "
                        "1]}}",
                        from->body->full, from->name);
    }
    w->surfaces = flx_arena_take(b->m->arena, (size_t)most, sizeof *w->surfaces);
    if (!w->surfaces) return FLX_ERR_MEMORY;
    for (int i = 0; i < most; i++) {
        flx_touching made, *one = &made;
        const flx_entry *at = !y ? from->entry : y->kind == FLX_ENTRY_LIST ? y->items[i] : y;
        if (y) {
            FLX_TRY(flx_build_surface(&r->e, from->body, NULL, at, one));
        } else {
            one = body->touching + i;
        }
        if (one->body != from->body) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, at->loc,
                            "a wall of particles is rigid; this surface is carried by '%s'",
                            one->body->full);
        }
        FLX_TRY(check_surface(r, w, one->side.surface, at->loc));
        w->surfaces[w->nsurface++] = one->side.surface;
    }
    return FLX_OK;
}

static flx_status read_wall(reading *r, const flx_wall_draft *from, flx_particle_wall *w)
{
    const flx_entry *inside =
        from->entry->kind == FLX_ENTRY_MAP ? flx_entry_get(from->entry, "inside") : NULL;
    *w = (flx_particle_wall){.name = from->body->full,
                             .body = from->moves ? from->body->number : FLX_BODY_GROUND,
                             .pose = from->pose,
                             .load = from->load,
                             .loc = from->entry->loc};
    if (inside) FLX_TRY(flx_build_flag(r->b, inside, "inside", &w->inside));
    if (from->moves) {
        const flx_body_data *d = from->body->data;
        if (d->def.type != FLX_BODY_RIGID || flx_body_is_elastic(from->body) ||
            flx_body_is_beam(r->b, from->body) || flx_body_is_solid(r->b, from->body)) {
            return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, from->entry->loc,
                            "a wall of particles is a rigid body or the ground; '%s' is none",
                            from->body->full);
        }
    }
    return read_surfaces(r, from, w);
}

static flx_status read_walls(reading *r)
{
    const flx_particles_item *d = r->item->data;
    r->to->walls = flx_arena_take(r->b->m->arena, (size_t)d->nwall + 1, sizeof *r->to->walls);
    if (!r->to->walls) return FLX_ERR_MEMORY;
    r->to->nwall = d->nwall;
    for (int i = 0; i < d->nwall; i++) FLX_TRY(read_wall(r, d->walls + i, r->to->walls + i));
    return FLX_OK;
}

// ---- steps --------------------------------------------------------------------------------------

static double longest_step(const flx_particles_block *p)
{
    const double v[3] = {flx_particles_fastest(p), 0.0, 0.0};
    double longest = HUGE_VAL;
    for (int k = 0; k < p->nclass; k++) {
        const flx_particles_def d = {.count = 1,
                                     .radii = &p->classes[k].least,
                                     .velocities = v,
                                     .density = p->classes[k].density,
                                     .E = p->E,
                                     .nu = p->nu,
                                     .restitution = p->restitution};
        longest = fmin(longest, flx_particles_longest_step(&d));
    }
    return longest;
}

// A whole number of steps is one exchange (DEM-5).
static flx_status read_steps(reading *r)
{
    flx_particles_block *to = r->to;
    const flx_entry *step = key(r, "step"), *exchange = key(r, "exchange");
    const flx_entry *threads = key(r, "threads");
    double longest = longest_step(to), given = r->b->m->simulate.def.step;
    to->step = longest;
    if (step) FLX_TRY(flx_build_positive(&r->e, step, "a step", &to->step));
    if (!(to->step <= longest * (1.0 + 1e-9))) {
        return FLX_FAIL(
            r->b->ctx, FLX_ERR_MODEL, step->loc,
            "a step of %g s is too long for these particles: at most %.3g s, a fifth "
            "of the time of a wave over the smallest, less where the restitution is small, "
            "and a twentieth of their contact at the largest speed that is given; a smaller E "
            "lets it grow",
            to->step, longest);
    }
    to->exchange = given > 0.0 ? given : USUAL_EXCHANGE * to->step;
    if (exchange)
        FLX_TRY(flx_build_positive(&r->e, exchange, "the time of an exchange", &to->exchange));
    double steps = ceil(to->exchange / to->step * (1.0 - 1e-9));
    if (!(steps < 1e9)) {
        return FLX_FAIL(r->b->ctx, FLX_ERR_MODEL, exchange ? exchange->loc : r->item->loc,
                        "an exchange every %g s would be %.3g steps of particles", to->exchange,
                        steps);
    }
    to->step = to->exchange / steps;
    double end = r->b->m->simulate.until;
    if (end > 0.0 && to->exchange > end * (1.0 + 1e-9)) {
        flx_ctx_warn(r->b->ctx, exchange ? exchange->loc : r->item->loc,
                     "an 'exchange' every %.3g s, and the run ends at %.3g s: nothing of '%s' is "
                     "seen to move",
                     to->exchange, end, r->item->full);
    }
    to->threads = 1;
    if (threads) FLX_TRY(flx_build_integer(&r->e, threads, &to->threads));
    return check_range(r, threads, "the number of threads", to->threads, 1.0, MOST_THREADS);
}

static flx_status read_all(reading *r)
{
    flx_builder *b = r->b;
    const flx_particles_item *d = r->item->data;
    *r->to = (flx_particles_block){
        .name = r->item->full, .loc = r->item->loc, .event = d->event, .sums = d->sums};
    FLX_TRY(read_classes(r));
    FLX_TRY(read_law(r));
    FLX_TRY(read_start(r));
    FLX_TRY(read_motions(r));
    FLX_TRY(read_period(r));
    FLX_TRY(read_walls(r));
    FLX_TRY(read_regions(r, "inlets", USE_INLET, &r->to->ninlet, &r->to->inlets));
    FLX_TRY(read_regions(r, "outlets", USE_OUTLET, &r->to->noutlet, &r->to->outlets));
    FLX_TRY(read_steps(r));
    FLX_TRY(flx_particles_tell_light_walls(b, r->item, r->to));
    flx_event *clock = b->m->events + d->event;
    clock->every = r->to->exchange;
    clock->particles = 1 + (int)(r->to - b->m->particles);
    return FLX_OK;
}

flx_status flx_particles_finish(flx_builder *b)
{
    flx_model *m = b->m;
    if (b->particles.count == 0) return FLX_OK;
    m->particles = flx_arena_take(m->arena, (size_t)b->particles.count, sizeof *m->particles);
    if (!m->particles) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->particles.count; i++) {
        flx_item *item = b->particles.items[i];
        if (item->broken || item->family) return FLX_ERR_MODEL; // told when it was declared
        reading r = {.b = b, .item = item, .to = m->particles + i};
        flx_env_of(&r.e, b, item, FLX_MODE_CONSTANT);
        FLX_TRY(read_all(&r));
        m->nparticles++;
    }
    return FLX_OK;
}
