// exchange.c - the strike of the clock of particles.
//
// At t the walls say where they are and how they move; the particles have come to t too, along the motion that the walls had at the strike before.
// They go on for one exchange H, and the impulse P and angular impulse L (about the origin) that they give to a wall are F = P/H, M = L/H until then:
// momentum goes over to rounding, whatever the method of the bodies.
#include "simulate/exchange/exchange.h"
#include "base/checkpoint_walk.h"
#include "integrate/method.h"
#include "particles/particle_set.h"
#include "simulate/exchange/fmu_steps.h"
#include "simulate/run_parts.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 // of an interval of output: it is due now

// ---- the account --------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) {
        int i = (c + 1) % 3, j = (c + 2) % 3;
        out[c] = a[i] * b[j] - a[j] * b[i];
    }
}

// Power of a constant force and moment about the origin on a wall: F (v - w x x) + M w.
static double power(const double *pose, const double *load)
{
    const double *x = pose, *v = pose + 9, *w = pose + 12;
    double arm[3];
    cross(x, load, arm);
    return dot(load, v) + dot(load + 3, w) - dot(arm, w);
}

// Work on the bodies since the strike before, by the trapezoidal rule.
static void account_walls(flx_exchange *x, const double *D)
{
    const flx_particles_block *b = x->block;
    for (int i = 0; i < b->nwall; i++) {
        const flx_particle_wall *w = b->walls + i;
        double *last = x->last + (FLX_WALL_POSE + FLX_WALL_LOAD) * i;
        if (w->pose < 0) continue;
        if (x->started)
            x->given +=
                0.5 * b->exchange *
                (power(last, last + FLX_WALL_POSE) + power(D + w->pose, last + FLX_WALL_POSE));
        memcpy(last, D + w->pose, FLX_WALL_POSE * sizeof *last);
    }
}

static void tell_sums(flx_exchange *x, double *D)
{
    const flx_particles_block *b = x->block;
    const flx_particles_sums s = flx_particles_sum(x->set);
    double work = 0.0, moving = 0.0, *out = D + b->sums;
    for (int i = 0; i < b->nwall; i++) {
        double done = flx_particles_wall_work(x->set, i);
        work += done;
        if (b->walls[i].pose >= 0) moving += done;
    }
    x->energy = s.kinetic + s.potential + s.elastic;
    if (!x->started) x->energy_start = x->energy;
    x->supplied = 0.0 - work;
    x->dissipated = x->energy_start + x->entered - s.gone_energy - work - x->energy;
    x->defect = x->given - moving;
    x->overlap = fmax(x->overlap, s.overlap);
    out[FLX_SUM_COUNT] = (double)s.count;
    out[FLX_SUM_MASS] = s.mass;
    out[FLX_SUM_CONTACTS] = (double)s.contacts;
    out[FLX_SUM_KINETIC] = s.kinetic;
    out[FLX_SUM_POTENTIAL] = s.potential;
    out[FLX_SUM_ELASTIC] = s.elastic;
    out[FLX_SUM_SUPPLIED] = x->supplied;
    out[FLX_SUM_DISSIPATED] = x->dissipated;
    out[FLX_SUM_DEFECT] = x->defect;
    out[FLX_SUM_GONE] = s.gone_mass;
    out[FLX_SUM_SPEED] = s.fastest;
    for (int c = 0; c < 3; c++) {
        out[FLX_SUM_CENTRE + c] = s.centre[c];
        out[FLX_SUM_VELOCITY + c] = s.mass > 0.0 ? s.momentum[c] / s.mass : 0.0;
        out[FLX_SUM_MOMENTUM + c] = s.momentum[c];
        out[FLX_SUM_ANGULAR + c] = s.angular_momentum[c];
    }
}

// Energy of those that have come: the sums before and after.
static flx_status pass(flx_exchange *x, double t)
{
    if (x->block->ninlet == 0) return flx_exchange_pass(x, t);
    const flx_particles_sums before = flx_particles_sum(x->set);
    FLX_TRY(flx_exchange_pass(x, t));
    const flx_particles_sums now = flx_particles_sum(x->set);
    x->entered += now.kinetic + now.potential - before.kinetic - before.potential;
    return FLX_OK;
}

// ---- places that are kept -----------------------------------------------------------------------

flx_status flx_exchange_room(flx_exchange *x, int n)
{
    if (n <= x->frame_capacity) return FLX_OK;
    int a = x->frame_capacity, b = a, c = a;
    FLX_TRY(flx_grow(x->ctx, (void **)&x->frame, &a, n, 5 * sizeof *x->frame));
    FLX_TRY(flx_grow(x->ctx, (void **)&x->labels, &b, n, sizeof *x->labels));
    FLX_TRY(flx_grow(x->ctx, (void **)&x->longs, &c, n, sizeof *x->longs));
    return flx_grow(x->ctx, (void **)&x->doubles, &x->frame_capacity, n, 7 * sizeof *x->doubles);
}

static flx_status put_places(flx_exchange *x, double t)
{
    int n = flx_particles_count(x->set);
    FLX_TRY(flx_exchange_room(x, n > 0 ? n : 1));
    double *at = x->doubles, *v = at + 3 * (size_t)n, *r = v + 3 * (size_t)n;
    float *places = x->frame, *radii = places + 3 * (size_t)n, *speeds = radii + n;
    flx_particles_get(x->set, at, v, NULL);
    flx_particles_get_sizes(x->set, r, x->longs);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) places[3 * i + c] = (float)at[3 * i + c];
        radii[i] = (float)r[i];
        speeds[i] = (float)sqrt(dot(v + 3 * i, v + 3 * i));
        x->labels[i] = (int)x->longs[i];
    }
    const flx_particle_frame frame = {
        .count = n, .positions = places, .radii = radii, .speeds = speeds, .labels = x->labels};
    for (int i = 0; i < x->nsink; i++) {
        const flx_sink_type *type = x->sinks[i]->type;
        if (type->particles) FLX_TRY(type->particles(x->sinks[i], t, &frame));
    }
    return FLX_OK;
}

static flx_status keep_places(flx_exchange *x, double t)
{
    if (!(x->every > 0.0) || x->nsink == 0) return FLX_OK;
    if ((double)x->next * x->every > t + SAME * x->every) return FLX_OK;
    while ((double)x->next * x->every <= t + SAME * x->every) x->next++;
    return put_places(x, t);
}

// ---- the strike ---------------------------------------------------------------------------------

static void move_walls(flx_exchange *x, const double *D)
{
    const flx_particles_block *b = x->block;
    for (int i = 0; i < b->nwall; i++) {
        if (b->walls[i].pose < 0) continue;
        const double *pose = D + b->walls[i].pose, *e[2] = {pose + 3, pose + 6};
        double third[3], R[9];
        cross(e[0], e[1], third);
        for (int k = 0; k < 3; k++) {
            R[3 * k] = e[0][k];
            R[3 * k + 1] = e[1][k];
            R[3 * k + 2] = third[k];
        }
        flx_particles_move_wall(x->set, i, pose, R, pose + 9, pose + 12);
    }
}

static void find_loads(flx_exchange *x, const double *before, double *D)
{
    const flx_particles_block *b = x->block;
    for (int i = 0; i < b->nwall; i++) {
        if (b->walls[i].load < 0) continue;
        double *load = D + b->walls[i].load, after[6];
        flx_particles_wall_impulse(x->set, i, after, after + 3);
        for (int k = 0; k < FLX_WALL_LOAD; k++)
            load[k] = (after[k] - before[FLX_WALL_LOAD * i + k]) / b->exchange;
        memcpy(x->last + (FLX_WALL_POSE + FLX_WALL_LOAD) * i + FLX_WALL_POSE, load,
               FLX_WALL_LOAD * sizeof *load);
    }
}

static flx_status strike(flx_exchange *x, double t, double *D)
{
    const flx_particles_block *b = x->block;
    double *before = x->impulses;
    account_walls(x, D);
    x->t = t;
    FLX_TRY(pass(x, t));
    tell_sums(x, D);
    FLX_TRY(keep_places(x, t));
    move_walls(x, D);
    if (!x->started) FLX_TRY(flx_particles_check_start(x->set, b->loc));
    x->started = true;
    for (int i = 0; i < b->nwall; i++)
        flx_particles_wall_impulse(x->set, i, before + FLX_WALL_LOAD * i,
                                   before + FLX_WALL_LOAD * i + 3);
    FLX_TRY(flx_particles_run(x->set, x->steps));
    find_loads(x, before, D);
    return FLX_OK;
}

static flx_status on_event(void *user, flx_state *x, flx_event_report *h, int from)
{
    flx_simulation *sim = user;
    for (int i = from; i < h->nevent; i++) {
        const flx_event *event = sim->model->events + h->events[i];
        if (event->particles) {
            FLX_TRY(strike(sim->exchange, x->t, x->switches + sim->exchange->first));
        } else if (event->fmu) {
            FLX_TRY(flx_fmu_step(sim->fmus, event, x->t, x->switches + sim->fmus->first, x->x, h));
        } else {
            continue;
        }
        h->changed = 1;
        flx_method_of(sim->it)->input_jumped = true; // steps stay as long as they were
    }
    return FLX_OK;
}

// ---- of a run -----------------------------------------------------------------------------------

void flx_exchange_attach(flx_simulation *sim)
{
    if (!sim->it || (!sim->exchange && !sim->fmus)) return;
    flx_method_of(sim->it)->outside = on_event;
    flx_method_of(sim->it)->outside_user = sim;
}

flx_status flx_exchange_begin(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    flx_exchange_destroy(&sim->exchange);
    flx_fmu_steps_destroy(&sim->fmus);
    if (!m || m->nparticles + m->nfmu == 0) return FLX_OK;
    if (m->nreduced + m->ncutoff + m->ncondensed + m->nscaled > 0 || m->reduce_auto) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, m->reduce_loc,
                        "a model with %s is not reduced: leave out `reduce`",
                        m->nparticles > 0 ? "particles" : "FMUs");
    }
    int first = flx_descriptor_first_discrete(sim->bodies ? sim->bodies : sim->sys);
    if (m->nparticles > 0) {
        FLX_TRY(flx_exchange_make(sim->ctx, m->particles, m->gravity, &sim->exchange));
        sim->exchange->first = first;
        FLX_TRY(flx_exchange_room(sim->exchange, m->particles->count + 1));
    }
    if (m->nfmu > 0) FLX_TRY(flx_fmu_steps_begin(sim, first));
    flx_exchange_attach(sim);
    return FLX_OK;
}

void flx_exchange_keep(flx_simulation *sim, int nsink, flx_sink *const *sinks, double every)
{
    flx_exchange *x = sim->exchange;
    if (!x) return;
    x->nsink = nsink;
    x->sinks = sinks;
    x->every = sim->model->outputs.particles > 0.0 ? sim->model->outputs.particles : every;
    if (!(x->every > 0.0)) x->every = x->block->exchange;
}

void flx_exchange_memory(flx_exchange *x, struct flx_memory *m)
{
    if (!x) return;
    const flx_particles_block *b = x->block;
    FLX_PASS(m, x->next);
    FLX_PASS(m, x->started);
    FLX_PASS(m, x->energy_start);
    FLX_PASS(m, x->entered);
    FLX_PASS(m, x->given);
    FLX_PASS(m, x->energy);
    FLX_PASS(m, x->dissipated);
    FLX_PASS(m, x->supplied);
    FLX_PASS(m, x->defect);
    flx_memory_numbers(m, x->last, (size_t)(FLX_WALL_POSE + FLX_WALL_LOAD) * (size_t)b->nwall);
    flx_memory_pass(m, x->sequence, (size_t)b->ninlet * sizeof *x->sequence);
    flx_memory_numbers(m, x->poured, (size_t)b->ninlet);
    flx_particles_memory(x->set, m);
}

void flx_exchange_close(const flx_exchange *x, flx_ledger *l)
{
    if (!x) return;
    const flx_particles_sums s = flx_particles_sum(x->set);
    l->particles = s.count;
    l->particle_steps = s.steps;
    l->particle_rebuilds = s.rebuilds;
    l->particle_energy_start = x->energy_start;
    l->particle_energy_end = x->energy;
    l->particle_dissipated = x->dissipated;
    l->particle_supplied = x->supplied;
    l->particle_defect = x->defect;
    l->particle_overlap = fmax(x->overlap, s.overlap);
}
