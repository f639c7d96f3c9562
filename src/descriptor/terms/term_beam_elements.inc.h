// term_beam_elements.inc.h - terms of elements between nodes of beams, which have no unknowns of their own: elements that
// deform and hinges of segments are made, refilled and evaluated alike. Who includes it says
//     ELEMENTS           what the term owns: `of` (n), and `C`
//     ELEMENT(own, i)    the flx_beam_exact of element i
//     TERM               its number
//     IS_OURS, PLAN_BEAM of which beams, and how one of them is planned
//     SPACE, PLANE       its kernels: residual, linearise, energy

static flx_status plan(flx_descriptor *d)
{
    int n = flx_beams_count(d->model, IS_OURS);
    if (n == 0) return FLX_OK;
    ELEMENTS *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, (size_t)n, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    d->own[TERM] = own;
    FLX_TRY(flx_beam_stiffness_make(d, IS_OURS, &own->C));
    return flx_beams_each(d, IS_OURS, PLAN_BEAM);
}

static flx_status take(flx_descriptor *d)
{
    ELEMENTS *own = FLX_OWN(d, d->own[TERM], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? flx_beam_stiffness_take(d, &own->C) : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    ELEMENTS *own = d->own[TERM];
    int next = 0;
    flx_beam_stiffness_fill(d, &own->C);
    for (int k = 0; k < d->model->nbeam; k++) {
        const flx_beam *b = d->model->beams + k;
        const double *C = flx_beam_stiffness_of(d, &own->C, b);
        for (int i = 0; IS_OURS(b) && i < b->nelement; i++) {
            flx_beam_exact *e = ELEMENT(own, next++);
            e->C = C + (ptrdiff_t)e->next * i * e->rule->npoint;
            e->viscosity = b->rayleigh[1];
        }
    }
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const ELEMENTS *own = d->own[TERM];
    for (int i = 0; i < own->n; i++) {
        const flx_beam_exact *e = ELEMENT(own, i);
        for (int j = 0; j < e->rule->nnode; j++) {
            for (int k = 0; k < j; k++) { // a body's block has the body's number
                FLX_TRY(flx_layout_couple(d, e->frame[j] - 1, e->frame[k] - 1));
            }
        }
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const ELEMENTS *own = d->own[TERM];
    for (int i = 0; i < own->n; i++) flx_beam_element_fill(d, ELEMENT(own, i));
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const ELEMENTS *own = d->own[TERM];
    for (int i = 0; i < own->n; i++) flx_beam_element_mark(d, ELEMENT(own, i));
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const ELEMENTS *own = d->own[TERM];
    (void)p;
    if (d->planar) {
        PLANE(residual)(own->n, own->of, w->frames.plane, r);
    } else {
        SPACE(residual)(own->n, own->of, w->frames.space, r);
    }
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const ELEMENTS *own = d->own[TERM];
    (void)p;
    if (d->planar) {
        PLANE(linearise)(own->n, own->of, w->frames.plane, b->A0, b->A1);
    } else {
        SPACE(linearise)(own->n, own->of, w->frames.space, b->A0, b->A1);
    }
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const ELEMENTS *own = d->own[TERM];
    (void)p;
    if (d->planar) {
        PLANE(energy)(own->n, own->of, w->frames.plane, e);
    } else {
        SPACE(energy)(own->n, own->of, w->frames.space, e);
    }
}
