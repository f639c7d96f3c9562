// forms.c - which form a stiff force takes: computed from positions and velocities, or an unknown
// with an equation of its own.
//
// With h a typical step and 1/m = G M^-1 G^T, the mobility where the force acts, its own motion is
// faster than the steps by
//     k h^2 / m    and    d h / m                                              (MIX-3)
// A method that cannot follow such a motion need not be bothered with it: where one of these numbers
// is large the force becomes an unknown. The mobility is an estimate: bodies are free, and only the
// diagonals of their inertias count.
#include "language/force_parts.h"

#include <math.h>
#include <string.h>

// A step then holds more than one period of the force's own motion, or lets it die out altogether.
#define STIFF 100.0

double flx_model_typical_step(const flx_model *m)
{
    double h = m->simulate.def.step > 0 ? m->simulate.def.step : 1e-3 * m->simulate.until;
    return h > 0 ? h : 1e-3;
}

static const flx_body *body_of(const flx_item *item)
{
    return item->kind == FLX_KIND_BODY ? &((const flx_body_data *)item->data)->def : NULL;
}

// Along any direction at a place of a body; without mass or inertia a part does not count.
static double place_mobility(const flx_builder *b, const flx_body *body, const double at[3])
{
    if (!body || !(body->mass > 0)) return 0.0;
    double sum = 1.0 / body->mass, s2[3], all = 0.0;
    if (body->type == FLX_BODY_POINT) return sum;
    for (int i = 0; i < 3; i++) {
        double s = at[i] - body->com[i];
        s2[i] = s * s;
        all += s2[i];
    }
    for (int i = b->m->dimension == 2 ? 2 : 0; i < 3; i++) {
        double inertia = body->inertia[4 * i];
        if (inertia > 0) sum += (all - s2[i]) / inertia;
    }
    return sum;
}

// About an axis of the body; NULL: about any.
static double turn_mobility(const flx_builder *b, const flx_body *body, const double *axis)
{
    double sum = 0.0;
    if (!body || body->type == FLX_BODY_POINT) return sum;
    for (int i = b->m->dimension == 2 ? 2 : 0; i < 3; i++) {
        double inertia = body->inertia[4 * i], a = axis && b->m->dimension == 3 ? axis[i] : 1.0;
        if (inertia > 0) sum += a * a / inertia;
    }
    return sum;
}

static double joint_mobility(const flx_builder *b, const flx_joint_data *j, bool slides)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const flx_body *body = j->body[i] ? body_of(j->body[i]) : NULL;
        const double *F = j->def.frame[i], axis[3] = {F[2], F[5], F[8]};
        sum += slides ? place_mobility(b, body, j->def.at[i]) : turn_mobility(b, body, axis);
    }
    return sum;
}

static double mobility(const flx_builder *b, const flx_force_data *d, bool turns, bool slides)
{
    double sum = 0.0;
    if (d->joint) return joint_mobility(b, d->joint->data, slides);
    for (int i = 0; i < 2; i++) {
        const flx_body *body = body_of(d->body[i]);
        sum += turns ? turn_mobility(b, body, NULL) : place_mobility(b, body, d->def.at[i]);
    }
    return sum;
}

// Methods that gain from it. Explicit ones eliminate such unknowns again, and variational ones want
// potentials.
static bool takes_unknowns(const flx_simulate *s)
{
    static const char *const words[] = {"auto", "radau", "generalized-alpha", "newmark",
                                        "hht",  "bdf",   "implicit-euler",    "lobatto"};
    if (s->def.formulation == FLX_FORMULATION_INDEX1) return false;
    for (size_t i = 0; s->method && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(s->method, words[i]) == 0) return true;
    }
    return false;
}

bool flx_force_is_stiff(const flx_builder *b, const flx_force_data *d, bool slides)
{
    if (!takes_unknowns(&b->m->simulate)) return false;
    double h = flx_model_typical_step(b->m);
    for (int i = 0; i < d->def.ncomponent; i++) {
        double m = mobility(b, d, i >= b->m->dimension, slides);
        if (fabs(d->def.stiffness[i]) * h * h * m > STIFF) return true;
        if (fabs(d->def.damping[i]) * h * m > STIFF) return true;
    }
    return false;
}

// (LAW-15) n k d0^(n-1) h^2/m, d0: depth under the weight, or of the impact of the speeds at the start.
bool flx_contact_is_stiff(const flx_builder *b, const flx_item *const body[2], double k, double n)
{
    const double *g = b->m->gravity;
    double free = 0.0, h = flx_model_typical_step(b->m), v[3] = {0};
    for (int i = 0; i < 2; i++) {
        const flx_body *one = body_of(body[i]);
        for (int c = 0; one && c < 3; c++) {
            v[c] += i == 0 ? one->start.velocity[c] : -one->start.velocity[c];
        }
        if (one && one->mass > 0) free += 1.0 / one->mass;
    }
    if (!takes_unknowns(&b->m->simulate) || b->m->simulate.steps || !(free > 0)) return false;
    double speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / free;
    double rests = pow(weight / k, 1.0 / n);
    double strikes = pow((n + 1.0) * speed2 / (2.0 * free * k), 1.0 / (n + 1.0));
    double depth = fmax(rests, strikes);
    return depth > 0.0 && n * k * pow(depth, n - 1.0) * h * h * free > STIFF;
}
