// load_path.c - equilibria along a load path.
//
// With z = (theta, x, w, lambda, mu) and the load factor f,
//     r(z, f) = 0                                                                       (STA-1)
// defines a curve. A step goes along its tangent, K t = -r_f t_f, then back to it in the plane
// across:
//     K d + r_f df = -r,   n . d + n_f df = 0                                           (STA-2)
// by two solutions with one factorisation. n = 0, n_f = 1 are load steps; n = t is the arc length, for
// which the load factor may turn back. Lengths are those of scaled coordinates (STA-3).
#include "analyse/load_path.h"
#include "base/refuse.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ITERATIONS 20
// The iteration converges quadratically: a correction this small, of the scale of its coordinate, leaves
// rounding. What it may be where rounding keeps it from becoming so.
#define CONVERGED 1e-9
#define NEARLY 1e-6
#define WILD 1.0     // a correction this large goes elsewhere
#define FARTHEST 0.4 // move of a step, as a part of the scale of its coordinate
// What leads farther than the step was meant to is another path; this much is not asked.
#define FREE 1e-2
#define SHORTEST 1e-9 // step, as a part of the longest
#define EASY 4        // iterations of a step of good length
#define GROWTH 2.0
#define STRAIGHT 0.8    // cosine between directions of neighbours: else the step was too long
#define SLOPE_STEP 1e-2 // of the range: loads are linear in the factor, or nearly
#define FIRST_OF_BRANCH 0.02
#define CROWDED 1e-3 // steps so short, of the longest, pass several singular tangents as one
#define HIDDEN 1e-5  // steps so short, of the longest, do not look for factors met twice
#define SAME 1e-12

// ---- corrector -----------------------------------------------------------------------------------

static void set_factor(const flx_path *p, double factor)
{
    *p->def->factor = factor;
}

// r_f: exact where the loads are a polynomial of second degree in the factor.
static flx_status find_slope(flx_path *p, const flx_state *x, double factor)
{
    flx_rest *e = &p->e;
    double step = SLOPE_STEP * p->range;
    set_factor(p, factor + step);
    FLX_TRY(flx_rest_eval(e, x, p->slope));
    set_factor(p, factor - step);
    FLX_TRY(flx_rest_eval(e, x, e->force));
    set_factor(p, factor);
    for (int i = 0; i < e->n; i++) p->slope[i] = (p->slope[i] - e->force[i]) / (2.0 * step);
    return FLX_OK;
}

// Factors of the tangent and, in shift, the answer -K^-1 r_f.
static flx_status prepare(flx_path *p, const flx_state *x, double factor)
{
    flx_rest *e = &p->e;
    FLX_TRY(find_slope(p, x, factor));
    FLX_TRY(flx_rest_linearise(e, x));
    FLX_TRY(flx_rest_factor(e, FLX_REST_LONGEST_STEP));
    for (int i = 0; i < e->n; i++) p->shift[i] = -p->slope[i];
    return flx_rest_solve(e, p->shift);
}

// Unknowns that a length is made of: multipliers follow.
static int measured(const flx_path *p)
{
    const flx_dims *d = &p->e.s->dims;
    return flx_dims_first_constraint(d);
}

// (STA-3) sum of a_i b_i over the squares of scales.
static double product(const flx_path *p, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < measured(p); i++) {
        sum += a[i] * b[i] / (p->e.scale[i] * p->e.scale[i]);
    }
    return sum;
}

static double largest(const flx_path *p, const double *d)
{
    double size = 0.0;
    for (int i = 0; i < measured(p); i++) {
        double part = fabs(d[i]) / p->e.scale[i];
        if (!(part <= size)) size = part; // a NaN stays
    }
    return size;
}

// (STA-2) from x, factor; the direction of `from` is the normal of the plane.
static flx_status correct(flx_path *p, const flx_path_place *from, flx_state *x, double *factor)
{
    flx_rest *e = &p->e;
    const flx_system *s = e->s;
    double last = HUGE_VAL;
    for (int k = 1; k <= MOST_ITERATIONS; k++) {
        double df = 0.0;
        p->iterations = k;
        p->report->iterations++;
        FLX_TRY(prepare(p, x, *factor));
        FLX_TRY(flx_rest_eval(e, x, e->d));
        for (int i = 0; i < e->n; i++) e->d[i] = -e->d[i];
        FLX_TRY(flx_rest_solve(e, e->d));
        if (p->arc) {
            double nf = from->t_factor / (p->range * p->range);
            df = -product(p, from->t, e->d) / (product(p, from->t, p->shift) + nf);
            for (int i = 0; i < e->n; i++) e->d[i] += df * p->shift[i];
        }
        double size = fmax(largest(p, e->d), fabs(df) / p->range);
        if (!(size < WILD) || (k > 2 && size > 2.0 * last)) return FLX_NO_CONVERGENCE;
        flx_rest_move(e, x, e->d, 1.0);
        flx_state_copy(x, e->next);
        if (s->ops->events) s->ops->events->settle(s, e->work, x);
        *factor += df;
        p->corrected += size;
        set_factor(p, *factor);
        if (size <= CONVERGED || (size <= NEARLY && size > 0.5 * last)) return FLX_OK;
        last = size;
    }
    return FLX_NO_CONVERGENCE;
}

flx_status flx_path_step(flx_path *p, const flx_path_place *from, double ds, flx_path_place *to)
{
    flx_rest *e = &p->e;
    // multipliers are moved by all of d
    for (int i = 0; i < e->n; i++) e->d[i] = ds * from->t[i];
    flx_rest_move(e, from->x, e->d, 1.0);
    flx_state_copy(to->x, e->next);
    to->factor = from->factor + ds * from->t_factor;
    double predicted = fabs(ds) * largest(p, from->t);
    p->corrected = 0.0;
    flx_status status = correct(p, from, to->x, &to->factor);
    if (status == FLX_OK && p->corrected > fmax(predicted, FREE)) return FLX_NO_CONVERGENCE;
    return status == FLX_SINGULAR || status == FLX_NOT_FINITE ? FLX_NO_CONVERGENCE : status;
}

flx_status flx_path_direct(flx_path *p, const flx_path_place *before, flx_path_place *at)
{
    flx_rest *e = &p->e;
    FLX_TRY(prepare(p, at->x, at->factor));
    double r2 = p->range * p->range, sign = p->def->to > p->def->from ? 1.0 : -1.0, length = 1.0;
    if (p->arc) {
        length = sqrt(product(p, p->shift, p->shift) + 1.0 / r2);
        double along = before ? product(p, p->shift, before->t) + before->t_factor / r2 : sign;
        sign = along < 0.0 ? -1.0 : 1.0;
    }
    for (int i = 0; i < e->n; i++) at->t[i] = sign * p->shift[i] / length;
    at->t_factor = sign / length;
    memcpy(e->d, p->probe, (size_t)e->n * sizeof *e->d);
    FLX_TRY(flx_rest_solve(e, e->d));
    double answer = 0.0;
    for (int i = 0; i < e->n; i++) answer += p->probe[i] * e->d[i];
    at->test = 1.0 / answer;
    at->sign = flx_rest_get_sign(e);
    FLX_TRY(flx_rest_count_negative(e, FLX_REST_LONGEST_STEP, &at->negative));
    return isfinite(length) ? FLX_OK : FLX_SINGULAR;
}

// ---- the way -------------------------------------------------------------------------------------

typedef struct way {
    flx_path p;
    flx_path_place here, next, found;
    double ds, longest; // of steps, by length or factor
    flx_path_callback row;
    void *user;
    int nbifurcation;
} way;

static flx_status take_place(const flx_path *p, flx_path_place *at)
{
    FLX_TRY(flx_state_create(p->e.s, &at->x));
    at->t = flx_alloc(p->e.s->ctx, (size_t)p->e.n, sizeof *at->t);
    return at->t ? FLX_OK : FLX_ERR_MEMORY;
}

static void clear_place(flx_path_place *at)
{
    flx_state_destroy(&at->x);
    flx_free(at->t);
}

static void copy_place(const flx_path *p, flx_path_place *to, const flx_path_place *from)
{
    flx_state_copy(to->x, from->x);
    memcpy(to->t, from->t, (size_t)p->e.n * sizeof *to->t);
    to->factor = from->factor;
    to->t_factor = from->t_factor;
    to->test = from->test;
    to->negative = from->negative;
    to->sign = from->sign;
}

// Any vector that no symmetry is blind to.
static void make_probe(flx_path *p)
{
    unsigned seed = 12345u;
    for (int i = 0; i < p->e.nv; i++) {
        seed = seed * 1664525u + 1013904223u;
        double number = (double)(seed >> 8) / (double)(1u << 24) + 0.5; // 0.5 to 1.5
        p->probe[i] = (seed >> 31 ? -number : number) / p->e.scale[i];
    }
}

static flx_status create(const flx_system *s, const flx_path_def *def, way *w)
{
    flx_path *p = &w->p;
    FLX_TRY(flx_rest_check(s));
    FLX_TRY(flx_rest_create(s, &p->e));
    size_t n = (size_t)p->e.n;
    p->def = def;
    p->arc = def->arc_length != 0;
    p->range = fabs(def->to - def->from);
    p->block = flx_alloc(s->ctx, 3 * n, sizeof *p->block);
    if (!p->block) return FLX_ERR_MEMORY;
    p->slope = p->block;
    p->shift = p->slope + n;
    p->probe = p->shift + n;
    make_probe(p);
    FLX_TRY(take_place(p, &w->here));
    FLX_TRY(take_place(p, &w->next));
    return take_place(p, &w->found);
}

static void destroy(way *w)
{
    flx_rest_destroy(&w->p.e);
    flx_free(w->p.block);
    clear_place(&w->here);
    clear_place(&w->next);
    clear_place(&w->found);
}

// The way in the load factor to the next one that is asked for, beyond `factor` towards `side` and not past `end`.
static bool find_asked(const flx_path *p, double factor, double side, double end, double *asked)
{
    bool found = false;
    for (int i = 0; i < p->def->nfactor; i++) {
        double f = p->def->factors[i], ahead = side * (f - factor);
        if (!(ahead > SAME * p->range) || side * (end - f) < 0.0) continue;
        if (found && ahead > side * (*asked - factor)) continue;
        *asked = f;
        found = true;
    }
    return found;
}

// No step moves farther, or changes the factor by more, than it may; steps of the factor end where one is asked for.
static double limit_step(const way *w, double ds)
{
    const flx_path *p = &w->p;
    double far = largest(p, w->here.t), most = p->range / p->def->steps;
    if (ds * fabs(w->here.t_factor) > most) ds = most / fabs(w->here.t_factor);
    if (ds * far > FARTHEST) ds = FARTHEST / far;
    if (p->arc) return ds;
    double end = p->def->to, side = end > w->here.factor ? 1.0 : -1.0;
    (void)find_asked(p, w->here.factor, side, end, &end);
    double rest = fabs(end - w->here.factor);
    return rest <= ds * (1.0 + SAME) ? rest : ds;
}

// Whether a step past a limit point may have met a factor twice that neither of its ends is beyond.
static bool hides_factor(const way *w, double ds)
{
    const flx_path_place *a = &w->here, *b = &w->next;
    if (!flx_path_has_turned(a, b)) return false;
    double side = a->t_factor > 0.0 ? 1.0 : -1.0, asked;
    double last = side * fmax(side * a->factor, side * b->factor);
    double reach = ds * fmax(fabs(a->t_factor), fabs(b->t_factor));
    return find_asked(&w->p, last, side, last + side * reach, &asked);
}

static flx_status refuse(way *w)
{
    flx_path *p = &w->p;
    flx_mode m;
    FLX_TRY(flx_rest_name_direction(&p->e, w->here.t, &m));
    const flx_mode_part *most = m.parts;
    const char *item = m.npart > 0 ? most->item : "?", *part = m.npart > 0 ? most->part : "?";
    if (p->arc) {
        return FLX_FAIL(p->e.s->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                        "the path ends at the load factor %.9g: steps became too short after %d; "
                        "'%s' (%s) moves most there. Is there a jump in the forces, or a position "
                        "in which a joint is singular?",
                        w->here.factor, p->report->steps, item, part);
    }
    return FLX_FAIL(p->e.s->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
                    "no equilibrium was found beyond the load factor %.9g, of %g: '%s' (%s) gives "
                    "way there. Is it held by anything? 'arc_length: true' follows the path past "
                    "a limit point",
                    w->here.factor, p->def->to, item, part);
}

// Whether more than one singular tangent lies between two places, as far as they are counted.
static bool is_crowded(const flx_path_place *a, const flx_path_place *b)
{
    bool turned = flx_path_has_turned(a, b);
    if (a->negative < 0 || b->negative < 0) { // by the determinant an even number is none
        return turned && a->sign != 0 && b->sign == a->sign;
    }
    int change = abs(a->negative - b->negative);
    return turned ? change != 1 : change > 1;
}

// One step that converges, does not turn too far and passes one singular tangent at most. *ds: what it was.
static flx_status advance(way *w, double *ds)
{
    flx_path *p = &w->p;
    double shortest = SHORTEST * w->longest;
    for (*ds = limit_step(w, w->ds);; *ds *= 0.5) {
        if (!(*ds > shortest)) return refuse(w);
        flx_status status = flx_path_step(p, &w->here, *ds, &w->next);
        if (status == FLX_OK) status = flx_path_direct(p, &w->here, &w->next);
        if (status < 0) return status;
        double turn = 1.0;
        if (status == FLX_OK && p->arc) {
            turn = product(p, w->here.t, w->next.t) +
                   w->here.t_factor * w->next.t_factor / (p->range * p->range);
        }
        bool crowded = *ds > CROWDED * w->longest && is_crowded(&w->here, &w->next);
        crowded =
            crowded || (*ds > HIDDEN * w->longest && status == FLX_OK && hides_factor(w, *ds));
        if (status == FLX_OK && turn >= STRAIGHT && !crowded) break;
        p->report->rejected++;
    }
    double grow = sqrt((double)EASY / p->iterations);
    w->ds = *ds * fmax(0.5, fmin(GROWTH, grow));
    if (p->iterations <= 2) w->ds = GROWTH * *ds;
    return FLX_OK;
}

static double distance(way *w, const flx_path_place *a, const flx_path_place *b)
{
    flx_path *p = &w->p;
    const flx_dims *n = &p->e.s->dims;
    p->e.s->ops->difference(p->e.s, a->x->q, b->x->q, p->e.d);
    for (int i = 0; i < n->nx; i++) p->e.d[n->nv + i] = b->x->x[i] - a->x->x[i];
    for (int i = 0; i < n->nw; i++) p->e.d[n->nv + n->nx + i] = b->x->w[i] - a->x->w[i];
    double df = (b->factor - a->factor) / p->range;
    return sqrt(product(p, p->e.d, p->e.d) + df * df);
}

static flx_status keep(way *w, const flx_path_place *at)
{
    flx_path_report *r = w->p.report;
    set_factor(&w->p, at->factor);
    r->factor = at->factor;
    return w->row ? w->row(w->user, at->x, at->factor, r->length) : FLX_OK;
}

// A singular tangent between here and next is noted. *left: the path goes on from it along its branch.
static flx_status look(way *w, double ds, bool *left)
{
    flx_path *p = &w->p;
    flx_path_report *r = p->report;
    bool found;
    *left = false;
    bool limit = flx_path_has_turned(&w->here, &w->next);
    if (!limit && !flx_path_has_changed(&w->here, &w->next)) return FLX_OK;
    FLX_TRY(flx_path_find_critical(p, &w->here, ds, &w->next, &w->found, &found));
    if (!found && !limit) return FLX_OK;
    if (!found) copy_place(p, &w->found, &w->next); // to the length of the step
    if (r->ncritical < FLX_PATH_CRITICALS) {
        flx_critical *c = r->critical + r->ncritical++;
        c->factor = w->found.factor;
        c->limit = limit;
        FLX_TRY(flx_rest_name_direction(&p->e, w->found.t, &c->mode));
    }
    if (limit || ++w->nbifurcation != p->def->branch) return FLX_OK;
    double size = sqrt(product(p, w->found.t, w->found.t));
    for (int i = 0; i < p->e.n; i++) w->found.t[i] /= size;
    w->found.t_factor = 0.0;
    *left = true;
    return FLX_OK;
}

static flx_status leave(way *w)
{
    w->p.report->length += distance(w, &w->here, &w->found);
    copy_place(&w->p, &w->here, &w->found);
    w->ds = FIRST_OF_BRANCH;
    // which side of it the branch is on is known after its first step
    w->here.test = 0.0;
    w->here.negative = -1;
    w->here.sign = 0;
    return keep(w, &w->here);
}

// Factors that are asked for between here and next, of a path by its length.
static flx_status keep_asked(way *w, double ds)
{
    flx_path *p = &w->p;
    double side = w->next.factor > w->here.factor ? 1.0 : -1.0, asked = w->here.factor;
    double last = w->next.factor - side * SAME * p->range, length = p->report->length;
    if (!p->arc) return FLX_OK;
    while (find_asked(p, asked, side, last, &asked)) {
        copy_place(p, &w->found, &w->next);
        FLX_TRY(flx_path_find_factor(p, &w->here, ds, asked, &w->found));
        p->report->length = length + distance(w, &w->here, &w->found);
        FLX_TRY(keep(w, &w->found));
    }
    p->report->length = length;
    return FLX_OK;
}

static bool passes_end(const way *w)
{
    double to = w->p.def->to;
    return (w->here.factor - to) * (w->next.factor - to) <= 0.0;
}

static flx_status go(way *w)
{
    flx_path *p = &w->p;
    const flx_path_def *def = p->def;
    flx_path_report *r = p->report;
    for (r->steps = 0; r->steps < def->max_steps; r->steps++) {
        double ds;
        bool left = false, end;
        FLX_TRY(advance(w, &ds));
        FLX_TRY(look(w, ds, &left));
        if (left) {
            FLX_TRY(leave(w));
            continue;
        }
        end = passes_end(w);
        if (end && p->arc) FLX_TRY(flx_path_find_factor(p, &w->here, ds, def->to, &w->next));
        FLX_TRY(keep_asked(w, ds));
        r->length += distance(w, &w->here, &w->next);
        copy_place(p, &w->here, &w->next);
        FLX_TRY(keep(w, &w->here));
        if (!end) continue;
        r->arrived = 1;
        r->steps++;
        return FLX_OK;
    }
    return FLX_OK;
}

static flx_status begin(way *w, const flx_state *x)
{
    flx_path *p = &w->p;
    flx_state_copy(w->here.x, x);
    w->here.factor = p->def->from;
    set_factor(p, p->def->from);
    FLX_TRY(flx_equilibrium_find(p->e.s, w->here.x, NULL));
    flx_status status = flx_path_direct(p, NULL, &w->here);
    if (status > 0) {
        return FLX_FAIL(p->e.s->ctx, status, FLX_NOWHERE,
                        "at the load factor %g the equilibrium is singular: something is not held, "
                        "or gives way without any force",
                        p->def->from);
    }
    FLX_TRY(status);
    w->ds = w->longest = p->range / p->def->steps / fabs(w->here.t_factor);
    return keep(w, &w->here);
}

flx_status flx_path_follow(const flx_system *s, flx_state *x, const flx_path_def *def,
                           flx_path_callback row, void *user, flx_path_report *report)
{
    if (!s || !x || !def || !def->factor) return flx_refuse_null(s ? s->ctx : NULL, __func__);
    flx_path_report own;
    way w = {.row = row, .user = user};
    w.p.report = report ? report : &own;
    *w.p.report = (flx_path_report){.factor = def->from};
    flx_status status = create(s, def, &w);
    if (status == FLX_OK) {
        status = begin(&w, x);
        if (status == FLX_OK) status = go(&w);
        flx_state_copy(x, w.here.x);
        set_factor(&w.p, w.here.factor);
    }
    destroy(&w);
    return status;
}
