// terms.c - the list of terms, and calls of all of them.
#include "descriptor/descriptor_parts.h"

static const struct {
    const flx_term *term;
    flx_stage stage;
} list[FLX_N_TERMS] = {
#define FLX_TERM(NAME, name, stage) {&flx_term_##name, stage},
#include "descriptor/terms.def"
#undef FLX_TERM
};

// ---- making -------------------------------------------------------------------------------------

flx_status flx_terms_plan(flx_descriptor *d, flx_stage stage)
{
    flx_term_list *there = &d->terms;
    for (int k = 0; k < FLX_N_TERMS; k++) {
        if (list[k].stage != stage) continue;
        FLX_TRY(list[k].term->plan(d));
        if (d->own[k]) there->of[there->n++] = list[k].term;
    }
    there->end[stage] = there->n;
    return FLX_OK;
}

// Terms of a stage are those from first_of on, before the stage's end.
static int first_of(const flx_descriptor *d, flx_stage stage)
{
    return stage == 0 ? 0 : d->terms.end[stage - 1];
}

flx_status flx_terms_couple(flx_descriptor *d)
{
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->couple) FLX_TRY(t->couple(d));
    }
    return FLX_OK;
}

flx_status flx_terms_fill(flx_descriptor *d, flx_stage stage)
{
    for (int i = first_of(d, stage); i < d->terms.end[stage]; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->fill) FLX_TRY(t->fill(d));
    }
    return FLX_OK;
}

void flx_terms_mark(flx_descriptor *d)
{
    for (int i = 0; i < d->terms.n; i++) {
        if (d->terms.of[i]->mark) d->terms.of[i]->mark(d);
    }
}

size_t flx_terms_scratch(const flx_descriptor *d, flx_descriptor_work *w, double *at)
{
    size_t total = 0;
    for (int k = 0; k < FLX_N_TERMS; k++) {
        if (!d->own[k] || !list[k].term->scratch) continue;
        if (at) w->own[k] = at + total;
        total += (list[k].term->scratch(d) + 7) / 8 * 8; // each begins a cache line
    }
    return total;
}

flx_status flx_terms_take(flx_descriptor *d)
{
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->take) FLX_TRY(t->take(d));
    }
    return FLX_OK;
}

flx_status flx_terms_renew(flx_descriptor *d, flx_stage stage)
{
    for (int i = first_of(d, stage); i < d->terms.end[stage]; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->renew) FLX_TRY(t->renew(d));
    }
    return FLX_OK;
}

// ---- evaluation ---------------------------------------------------------------------------------

void flx_terms_residual(const flx_descriptor *d, flx_stage stage, flx_descriptor_work *w,
                        const flx_point *p, double *r)
{
    for (int i = first_of(d, stage); i < d->terms.end[stage]; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->residual) t->residual(d, w, p, r);
    }
}

void flx_terms_linearise(const flx_descriptor *d, flx_stage stage, flx_descriptor_work *w,
                         const flx_point *p, flx_blocks *b)
{
    for (int i = first_of(d, stage); i < d->terms.end[stage]; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->linearise) t->linearise(d, w, p, b);
    }
}

void flx_terms_masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      double *A2)
{
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->masses) t->masses(d, w, p, A2);
    }
}

void flx_terms_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_energies *e)
{
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->energy) t->energy(d, w, p, e);
    }
}

void flx_terms_momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        double *Mv)
{
    bool begun = false;
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (!t->momentum) continue;
        if (t->placed && !begun) p = flx_eval_begin(d, w, p);
        begun = begun || t->placed;
        t->momentum(d, w, p, Mv);
    }
}

void flx_terms_transport(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         double *out)
{
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->transport) t->transport(d, w, p, out);
    }
}

// What a step was like at its ends, of the terms that ask for it. false: there are none, or bodies have attached frames:
// what acts on these is left to the system as a whole.
static bool find_ends(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x)
{
    bool any = false;
    for (int i = 0; i < d->terms.n; i++) any = any || d->terms.of[i]->ends;
    if (!any || d->nattached > 0) return false;
    for (int end = 0; end < 2; end++) {
        flx_eval_frames(d, w, end ? x->p1 : x->p0);
        for (int i = 0; i < d->terms.n; i++) {
            const flx_term *t = d->terms.of[i];
            if (t->ends) t->ends(d, w, x, end);
        }
    }
    return true;
}

void flx_terms_discrete(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x)
{
    bool known = find_ends(d, w, x);
    if (known) flx_eval_frames(d, w, x->pm);
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->discrete && (known || !t->ends)) t->discrete(d, w, x);
    }
}

bool flx_terms_watches(const flx_descriptor *d)
{
    bool any = false;
    for (int i = 0; i < d->terms.n; i++) any = any || d->terms.of[i]->watch;
    return any;
}

void flx_terms_watch(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->watch) t->watch(d, w, p);
    }
}

// What the parts of a beam on both sides of a node feel there is the same but for what acts on the node itself: the mean.
void flx_terms_section(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                       int body, double out[6])
{
    int count = 0;
    for (int k = 0; k < 6; k++) out[k] = 0.0;
    for (int i = 0; i < d->terms.n; i++) {
        const flx_term *t = d->terms.of[i];
        if (t->section) count += t->section(d, w, p, body, out);
    }
    for (int k = 0; k < 6 && count > 1; k++) out[k] /= count;
}
