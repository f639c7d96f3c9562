// descriptor_watches.c - compliant contacts at instants: each point has two switches, whether it is closed, and the speed at which
// it closed (while it is open, the largest gap since).
//
// A law with a kink or jump at d = 0 has its branch held within a step, as conditions of expressions have. Others follow the
// depth by themselves. But a short contact in a long flight would be stepped over without a trace: once the surfaces were clear
// of each other, there is no force within a step until they are found to close, where the step ends. That they open, or close
// after next to no flight, ends nothing.
#include "descriptor/descriptor_parts.h"

// A switch on the wrong side by more than this part of the size is held against its own value.
#define WRONG 1e-6
// Features that are not there have a depth below this.
#define NOWHERE (-1e300)
// A step is at most this part of the duration of an impact, else what is between its places of evaluation decides; as long as
// the depth moves by more than a part of itself. A force that is an unknown is for what rests: it need not be followed there.
#define PART_OF_IMPACT 0.2
#define STILL 0.1
#define STILL_MIXED 1.0
#define PI 3.14159265358979323846

int flx_watches_count(const flx_descriptor *d)
{
    return flx_contacts_points(d, NULL);
}

static double depth_of(const flx_contact_point *p, const flx_descriptor_work *w,
                       const double *switches)
{
    flx_jet j;
    flx_scalar_value(&p->gap, w->frames, switches, &j);
    return j.value;
}

static double rate_of(const flx_descriptor *d, const flx_contact_point *p, flx_descriptor_work *w,
                      const flx_state *x)
{
    flx_jet j;
    flx_scalar_gradient(&p->gap, w->frames, x->switches, &j);
    return flx_jet_rate(&p->gap, &j, d->nattached > 0 ? w->attached.v : x->v);
}

static void begin(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    flx_eval_frames(d, w, &p);
}

void flx_watches_indicate(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          double *value)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    if (n == 0) return;
    flx_eval_frames(d, w, p);
    for (int i = 0; i < n; i++) {
        double depth = depth_of(of + i, w, p->switches);
        value[i] = depth < NOWHERE ? HUGE_VAL : p->switches[of[i].side] != 0.0 ? depth : -depth;
    }
}

// Whether the equations are others after the change.
static bool acts(const flx_contact_point *p, bool closes)
{
    return p->located || flx_law_has_kink(&p->law) || (closes && flx_law_reads_closing(&p->law));
}

bool flx_watches_idle(const flx_descriptor *d, const flx_state *x, const signed char *changed)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    for (int i = 0; i < n; i++) {
        const double *s = x->switches + of[i].side;
        bool closes = s[0] == 0.0;
        if (!changed[i]) continue;
        if (acts(of + i, closes) || flx_contact_point_is_held(of + i, x->switches)) return false;
    }
    return true;
}

// The speed at which a point closes. One that takes the place of others of its pair appears at a depth: its surfaces met before,
// at the speed of those.
static double closing_speed(const flx_descriptor *d, int point, flx_descriptor_work *w,
                            const flx_state *x, const double *switches)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    const flx_contact_point *p = of + point;
    double met = 0.0, depth = depth_of(p, w, x->switches);
    bool appears = depth > p->clear || depth < NOWHERE;
    for (int i = 0; i < n && appears; i++) {
        const double *s = switches + of[i].side;
        bool same = of[i].contact == p->contact && of[i].pair == p->pair;
        if (same && s[0] != 0.0) met = fmax(met, s[1]);
    }
    return fmax(met, rate_of(d, p, w, x));
}

void flx_watches_change(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                        const signed char *changed, double *switches)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    bool begun = false;
    for (int i = 0; i < n; i++) {
        double *s = switches + of[i].side;
        if (!changed[i]) continue;
        if (!begun) begin(d, w, x);
        begun = true;
        if (s[0] == 0.0) s[1] = closing_speed(d, i, w, x, switches);
    }
    for (int i = 0; i < n; i++) {
        double *s = switches + of[i].side;
        if (!changed[i]) continue;
        s[0] = s[0] == 0.0;
        if (s[0] == 0.0) s[1] = fmax(-depth_of(of + i, w, x->switches), 0.0);
    }
}

void flx_watches_happen(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                        const signed char *changed, flx_event_report *h)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    for (int i = 0; i < n; i++) {
        const flx_contact *c = d->model->contacts + of[i].contact;
        bool closes = x->switches[of[i].side] == 0.0;
        // a force that is an unknown and was held open has a row now
        bool begins = of[i].row >= 0 && closes && flx_contact_point_is_held(of + i, x->switches);
        if (!changed[i] || !(acts(of + i, closes) || begins)) continue;
        h->changed = 1;
        h->item = c->name;
        h->loc = c->loc;
    }
    flx_watches_change(d, w, x, changed, x->switches);
}

int flx_watches_judge(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                      double *size)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of), wrong = -1;
    if (n > 0) begin(d, w, x);
    for (int i = n - 1; i >= 0; i--) {
        double depth = depth_of(of + i, w, x->switches);
        if (depth < NOWHERE) continue;
        size[i] = fmax(size[i], fabs(depth));
        double beyond = x->switches[of[i].side] != 0.0 ? -depth : depth;
        if (flx_contact_point_is_held(of + i, x->switches) && beyond > WRONG * size[i]) wrong = i;
    }
    return wrong;
}

// ---- how long an impact lasts -------------------------------------------------------------------

double flx_contacts_mass(const flx_model *m, int body)
{
    if (body < m->nbody && m->bodies[body].mass > 0.0) return m->bodies[body].mass;
    for (int i = 0; i < m->nmodal; i++) {
        if (m->modals[i].body == flx_model_carrier(m, body)) return m->modals[i].e->m;
    }
    return 0.0;
}

double flx_contacts_reduced_mass(const flx_descriptor *d, const flx_contact *c, int pair)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        int body = c->sides[c->pairs[pair][i]].body;
        double mass = body < 0 ? 0.0 : flx_contacts_mass(d->model, body);
        if (mass > 0.0) sum += 1.0 / mass;
    }
    return sum > 0.0 ? 1.0 / sum : 0.0;
}

// 1/m of the point along its normal; of each body as if it were free.
static double mobility(const flx_descriptor *d, const flx_contact_point *p, const flx_jet *j)
{
    int translations = d->planar ? 2 : 3;
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        int body = p->gap.body[i];
        if (body < 0) continue;
        double mass = flx_contacts_mass(d->model, body);
        const double *J = d->model->bodies[body].inertia;
        for (int k = 0; k < p->gap.e.nv[i]; k++) {
            double inertia = k < translations ? mass : d->planar ? J[8] : J[4 * (k - 3)];
            if (inertia > 0.0) sum += j->g[i][k] * j->g[i][k] / inertia;
        }
    }
    return sum;
}

// The speed at which surfaces that begin closed would have met: that of all that the contact stores and of the rate.
static double met_before(const flx_descriptor *d, const flx_contact_point *p,
                         flx_descriptor_work *w, const flx_state *x, double rate)
{
    flx_jet j;
    if (!flx_law_reads_closing(&p->law)) return fmax(rate, 0.0);
    flx_scalar_jet(&p->gap, w->frames, x->switches, &j);
    return sqrt(rate * rate + 2.0 * mobility(d, p, &j) * flx_law_energy(&p->law, j.value));
}

// On the border of a law with a kink it is closed unless it opens.
void flx_watches_settle(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    if (n > 0) begin(d, w, x);
    for (int i = 0; i < n; i++) {
        double depth = depth_of(of + i, w, x->switches), rate = rate_of(d, of + i, w, x);
        double *s = x->switches + of[i].side;
        s[0] = depth > 0.0 || (depth == 0.0 && rate >= 0.0 && acts(of + i, false));
        s[1] = s[0] != 0.0 ? met_before(d, of + i, w, x, rate) : fmax(-depth, 0.0);
    }
}

// How long the impact at a point that is closed lasts, by the speed that all of its energy would be; HUGE_VAL: nothing of
// the kind. acc: accelerations.
static double impact_of(const flx_descriptor *d, const flx_contact_point *p, flx_descriptor_work *w,
                        const flx_state *x, const double *acc)
{
    const double *s = x->switches + p->side, *v = d->nattached > 0 ? w->attached.v : x->v;
    flx_jet j;
    if (s[0] == 0.0) return HUGE_VAL;
    flx_scalar_jet(&p->gap, w->frames, x->switches, &j);
    double rate = flx_jet_rate(&p->gap, &j, v), free = mobility(d, p, &j);
    double second = flx_jet_rate(&p->gap, &j, acc) + flx_jet_bias(&p->gap, &j, v);
    double speed = sqrt(rate * rate + 2.0 * free * flx_law_energy(&p->law, j.value));
    if (!(free > 0.0) || !(speed > 0.0)) return HUGE_VAL;
    double lasts = flx_law_duration(p->law.k, p->law.n, 1.0 / free, speed);
    double moves = lasts / PI * hypot(rate, lasts / PI * second);
    if (p->row < 0) return moves > STILL * j.value ? lasts : HUGE_VAL;
    bool meets = s[1] > p->law.slowest && lasts / PI * s[1] > STILL_MIXED * j.value;
    return meets && moves > STILL_MIXED * j.value ? lasts : HUGE_VAL;
}

// The highest frequency of a flexible body that carries a side of the point, Hz.
static double frequency_of(const flx_descriptor *d, const flx_contact_point *p)
{
    const flx_model *m = d->model;
    double most = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = p->gap.body[side];
        for (int i = 0; body >= 0 && i < m->nmodal; i++) {
            const flx_elastic *e = m->modals[i].e;
            if (m->modals[i].body != flx_model_carrier(m, body)) continue;
            for (int k = 0; k < e->n; k++) { // of modes these are the frequencies
                double M = e->M[k * e->n + k], K = e->K[k * e->n + k];
                if (M > 0.0 && K > 0.0) most = fmax(most, sqrt(K / M));
            }
        }
    }
    return most / (2.0 * PI);
}

void flx_descriptor_forecast(const flx_system *s, flx_work *work, const flx_state *x, int contact,
                             flx_contact_forecast *out)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    *out = (flx_contact_forecast){.lasts = HUGE_VAL};
    if (n > 0) begin(d, w, x);
    flx_moves m = n > 0 ? flx_passages_moves(d, w, x) : (flx_moves){0};
    for (int i = 0; i < n; i++) {
        flx_jet j;
        if (of[i].contact != contact) continue;
        flx_scalar_jet(&of[i].gap, w->frames, x->switches, &j);
        if (j.value < NOWHERE) continue;
        double c = flx_jet_rate(&of[i].gap, &j, m.v), free = mobility(d, of + i, &j);
        double a = flx_jet_rate(&of[i].gap, &j, m.a) + flx_jet_bias(&of[i].gap, &j, m.v);
        double square = c * c + 2.0 * a * fmax(-j.value, 0.0);
        bool meets = square > 0.0 && (c > 0.0 || a > 0.0) && j.value <= 0.0 && free > 0.0;
        if (!meets) continue;
        double speed = sqrt(square);
        double lasts = flx_law_duration(of[i].law.k, of[i].law.n, 1.0 / free, speed);
        if (!(lasts < out->lasts)) continue;
        *out = (flx_contact_forecast){speed, lasts, frequency_of(d, of + i)};
    }
    if (isinf(out->lasts)) out->lasts = 0.0;
}

double flx_watches_longest(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    double h = HUGE_VAL;
    const double *acc = flx_passages_moves(d, w, x).a;
    for (int i = 0; i < n; i++) h = fmin(h, PART_OF_IMPACT * impact_of(d, of + i, w, x, acc));
    return h;
}

void flx_watches_remark(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    double *told = w->own[FLX_TERM_CONTACT];
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    double h = d->model->simulate.def.step;
    if (n == 0 || *told != 0.0 || !(h > 0.0)) return;
    const double *acc = flx_passages_moves(d, w, x).a;
    for (int i = 0; i < n && *told == 0.0; i++) {
        const flx_contact *c = d->model->contacts + of[i].contact;
        double lasts = impact_of(d, of + i, w, x, acc);
        if (!(h > PART_OF_IMPACT * lasts)) continue;
        *told = 1.0;
        flx_ctx_warn(d->base.ctx, c->loc,
                     "contact '%s': at t = %.9g the surfaces meet at %.3g m/s, which lasts about "
                     "%.3g s; steps of %.3g s do not follow that. Take steps below %.3g s or error "
                     "control (rtol), a softer law, or the law 'restitution'",
                     c->name, x->t, x->switches[of[i].side + 1], lasts, h, PART_OF_IMPACT * lasts);
    }
}

// What an accepted state tells of contacts without a kink; the largest gap of those that are open. Frames are there.
void flx_watches_accept(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    const flx_contact_point *of;
    int n = flx_contacts_points(d, &of);
    for (int i = 0; i < n; i++) {
        double depth = depth_of(of + i, w, x->switches), *s = x->switches + of[i].side;
        if (s[0] == 0.0 && -depth > s[1]) s[1] = -depth;
    }
}
