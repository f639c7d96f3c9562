// descriptor_passages.c - surfaces that are apart do not pass through each other within a step: how long a step may be for
// contacts that are open, of all laws, and a word where the step is given.
#include "contact/pair.h"
#include "descriptor/descriptor_parts.h"
#include "descriptor/terms/terms.h"

// A surface is at least this part of its longest edge thick: steps do not end at one that has no thickness.
#define FLAT 1e-3
// Nearer than this part of their thickness surfaces come by no more than it in a step, however small the gap is.
#define PART_OF_THICKNESS 0.5
// Surfaces that slide along each other: a rate of the gap below this part of their speed is none.
#define ALONG 1e-6
// Features that are not there have a depth below this.
#define NOWHERE (-1e300)

// Half of the shortest edge of a box round it, in its own axes; infinite: it has no end.
static double thickness(const flx_surface *s)
{
    flx_frame own = {0};
    double low[3], high[3], least = HUGE_VAL, most = 0.0;
    if (!s->kind->bounds) return HUGE_VAL;
    m33_store(own.R, m33_transpose(m33_load(s->axes)));
    s->kind->bounds(s, &own, low, high);
    for (int i = 0; i < 3; i++) {
        least = fmin(least, 0.5 * (high[i] - low[i]));
        most = fmax(most, 0.5 * (high[i] - low[i]));
    }
    return isinf(most) ? least : fmax(least, FLAT * most);
}

double flx_passage_thickness(const flx_contact *c, int pair)
{
    const int *side = c->pairs[pair];
    return thickness(c->sides[side[0]].surface) + thickness(c->sides[side[1]].surface);
}

// The length of what moves at rates v: along the normal and both slips.
static double length_of(const flx_descriptor *d, const flx_descriptor_work *w, const flx_state *x,
                        const flx_scalar *gap, const flx_jet *normal, const double *v)
{
    double rate = flx_jet_rate(gap, normal, v), square = rate * rate;
    flx_scalar slip = *gap;
    slip.kind = FLX_SCALAR_SLIP;
    for (slip.along = 0; slip.along < (d->planar ? 1 : 2); slip.along++) {
        flx_jet j;
        flx_scalar_gradient(&slip, w->frames, x->switches, &j);
        double u = flx_jet_rate(&slip, &j, v);
        square += u * u;
    }
    return sqrt(square);
}

// Until open surfaces could be through each other: c h + a h^2/2 = the gap, or a part of their thickness, with the speed c
// at which they come nearer and its rate a. Those that approach may graze each other, which closes and opens within the
// thickness: their whole velocity counts. Those that part have c < 0, and a brings them back.
static double passage_of(const flx_descriptor *d, const flx_descriptor_work *w, const flx_state *x,
                         const flx_scalar *gap, double thick, const flx_moves *m)
{
    flx_jet j;
    if (isinf(thick)) return HUGE_VAL;
    flx_scalar_gradient(gap, w->frames, x->switches, &j);
    if (j.value < NOWHERE) return HUGE_VAL;
    double far = fmax(-j.value, PART_OF_THICKNESS * thick);
    double speed = length_of(d, w, x, gap, &j, m->v), c = flx_jet_rate(gap, &j, m->v), a;
    if (c > ALONG * speed) {
        c = speed;
        a = length_of(d, w, x, gap, &j, m->a);
    } else {
        a = fmax(flx_jet_rate(gap, &j, m->a), 0.0);
    }
    double sum = c + sqrt(c * c + 2.0 * far * a);
    return sum > 0.0 ? 2.0 * far / sum : HUGE_VAL;
}

flx_moves flx_passages_moves(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    if (d->nattached == 0) return (flx_moves){.v = x->v, .a = x->a};
    flx_attached_move(d, w, x->a, true, w->attached.a);
    return (flx_moves){.v = w->attached.v, .a = w->attached.a};
}

bool flx_passages_exist(const flx_descriptor *d)
{
    return d->ngroup > 0 || flx_watches_count(d) > 0 || d->own[FLX_TERM_PATCH];
}

double flx_passages_longest(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                            int *contact)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    double h = HUGE_VAL;
    *contact = -1;
    flx_moves m = flx_passages_moves(d, w, x);
    if (d->own[FLX_TERM_PATCH]) h = flx_patches_longest(d, w, m.a, contact);
    for (int i = 0; i < n + d->ngroup; i++) {
        const flx_row_group *g = i < n ? NULL : d->groups + (i - n);
        double most = HUGE_VAL;
        if (!g && x->switches[of[i].side] == 0.0) {
            most = passage_of(d, w, x, &of[i].gap, of[i].thickness, &m);
        } else if (g && g->of.normal && g->of.gap.pair &&
                   x->switches[g->is.state] <= FLX_CONTACT_OPEN) {
            // friction of a compliant point has no row of its gap, which is among the points
            most = passage_of(d, w, x, d->scalars[g->scalar].term, g->of.thickness, &m);
        }
        if (!(most < h)) continue;
        h = most;
        *contact = g ? g->of.contact : of[i].contact;
    }
    return h;
}

void flx_passages_accept(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    double h = d->model->simulate.def.step;
    int contact;
    if (w->told_passage || !(h > 0.0)) return;
    double most = flx_passages_longest(d, w, x, &contact);
    if (!(h > most)) return;
    const flx_contact *c = d->model->contacts + contact;
    w->told_passage = true;
    flx_ctx_warn(d->base.ctx, c->loc,
                 "contact '%s': at t = %.9g the surfaces move so fast that they may pass through "
                 "each other within a step of %.3g s. Take steps below %.3g s or error control "
                 "(rtol)",
                 c->name, x->t, h, most);
}
