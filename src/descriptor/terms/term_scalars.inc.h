// term_scalars.inc.h - the evaluation of terms whose items are forces along a scalar of two frames by a law of its value and
// rate: springs, limits of joints. Who includes it says SCALARS (what the term owns: `of`, n), TERM (its number) and KERNEL
// (its kernels: residual, linearise, energy, values, discrete, discrete_linearise).

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const SCALARS *own = d->own[TERM];
    KERNEL(residual)(own->n, own->of, w->frames, p->switches, p->v, r);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const SCALARS *own = d->own[TERM];
    KERNEL(linearise)(own->n, own->of, w->frames, p->switches, p->v, b->A0, b->A1);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const SCALARS *own = d->own[TERM];
    KERNEL(energy)(own->n, own->of, w->frames, p->switches, p->v, e);
}

static size_t scratch(const flx_descriptor *d)
{
    const SCALARS *own = d->own[TERM];
    return FLX_STEP_VALUES * (size_t)own->n;
}

static void ends(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x, int end)
{
    const SCALARS *own = d->own[TERM];
    flx_step_values s = flx_step_values_of(own->n, w->own[TERM]);
    const flx_point *p = end ? x->p1 : x->p0;
    KERNEL(values)(own->n, own->of, w->frames, p->switches, end ? s.end : s.phi,
                   end && x->b ? s.slope : NULL);
}

static void discrete(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x)
{
    const SCALARS *own = d->own[TERM];
    const double *switches = x->pm->switches;
    flx_step_values s = flx_step_values_of(own->n, w->own[TERM]);
    if (x->out) KERNEL(discrete)(own->n, own->of, w->frames, switches, s.phi, s.end, x->out);
    if (!x->b) return;
    KERNEL(discrete_linearise)(own->n, own->of, w->frames, switches, s.phi, s.end,
                               (const double(*)[2][6])s.slope, x->b->A0);
}
