// gradient_groups.c - parameters that are moved together: no equation contains two of them.
//
// Which equations a parameter is in is seen where half of them are moved, by the bits of their numbers, or it alone, at some steps of
// the run and at its start. As what touches
// may change along a run, groups are tested: parameters whose number has a certain bit are moved, and equations that belong to
// others must not change; each step has one of the bits in turn.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"
#include "descriptor/descriptor.h"
#include "integrate/method.h"

#include <math.h>
#include <string.h>

#define LOOKS 3         // steps that are looked at
#define LOOK_TURN 0.618 // by how much parts differ that parameters are moved by together

struct flx_gradient_groups {
    gradient *g;
    const flx_slopes_instants *instants;
    int n, nu, rows; // rows of a step; of an instant; of both together
    int ngroup;
    int **owner;         // (ngroup) (rows) 1 + parameter, 0: nobody's
    int *group_of;       // (nparam)
    bool *moves;         // (nparam) what the run begins with
    bool *seen;          // (nparam) by probes themselves
    bool all_move;       // the start is found otherwise than by placing things
    double *base;        // (LOOKS n + instants nu)
    double *look;        // the same
    double *p;           // all parameters of the system
    double *nominal;     // the same
    int *touched, *mark; // (rows)
    int ntouched, stamp;
    double *probes, *now; // (LOOKS 2 nprobe) (2 nprobe)
    double *rows_at[2];   // (constraints: rows, then rates) at the start
    flx_state *drawn[2];  // owned
    void *block;
};

static flx_simulation *twin_of(const flx_gradient_groups *x)
{
    return x->g->twin->sim;
}

// The system in which things are placed, and the start in its coordinates.
static flx_system *placed_in(const flx_gradient_groups *x)
{
    flx_simulation *sim = twin_of(x);
    return sim->bodies ? sim->bodies : sim->sys;
}

static flx_state *start_in(const flx_gradient_groups *x)
{
    flx_simulation *sim = twin_of(x);
    return sim->bodies ? sim->bodies_state : sim->start;
}

// ---- life -----------------------------------------------------------------------------------------

void flx_gradient_groups_destroy(flx_gradient_groups **groups)
{
    flx_gradient_groups *x = groups ? *groups : NULL;
    if (!x) return;
    for (int i = 0; i < x->ngroup; i++) flx_free(x->owner[i]);
    for (int k = 0; k < 2; k++) flx_state_destroy(&x->drawn[k]);
    flx_free(x->block);
    flx_free(x);
    *groups = NULL;
}

static flx_status make(flx_gradient_groups *x)
{
    gradient *g = x->g;
    flx_simulation *sim = twin_of(x);
    const flx_system *s = sim->sys, *placed = placed_in(x);
    size_t np = (size_t)g->def->nparam, all = (size_t)s->nparameter;
    size_t looks = (size_t)(LOOKS * x->n + x->nu);
    size_t nprobe = (size_t)sim->model->outputs.nprobe;
    size_t nc = 2 * (size_t)placed->dims.nlam + (size_t)flx_dims_unknowns(&placed->dims);
    const flx_array arrays[] = {FLX_ARRAY(x->owner, np),
                                FLX_ARRAY(x->group_of, np),
                                FLX_ARRAY(x->moves, np),
                                FLX_ARRAY(x->seen, np),
                                FLX_ARRAY(x->base, looks),
                                FLX_ARRAY(x->look, x->rows),
                                FLX_ARRAY(x->p, all),
                                FLX_ARRAY(x->nominal, all),
                                FLX_ARRAY(x->touched, x->rows),
                                FLX_ARRAY(x->mark, x->rows),
                                FLX_ARRAY(x->probes, 2 * LOOKS * nprobe),
                                FLX_ARRAY(x->now, 2 * nprobe),
                                FLX_ARRAY(x->rows_at[0], nc),
                                FLX_ARRAY(x->rows_at[1], nc)};
    x->block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!x->block) return FLX_ERR_MEMORY;
    for (int k = 0; k < 2; k++) FLX_TRY(flx_state_create(placed, &x->drawn[k]));
    return FLX_OK;
}

// ---- moving parameters ----------------------------------------------------------------------------

static flx_status tune(flx_gradient_groups *x, const double *p)
{
    flx_simulation *sim = twin_of(x);
    flx_ctx_clear_messages(x->g->quiet);
    flx_account_forget(sim);
    FLX_TRY(flx_system_set_parameters(sim->sys, p));
    return sim->bodies ? flx_system_set_parameters(sim->bodies, p) : FLX_OK;
}

static double reach(const flx_gradient_groups *x, int k)
{
    return flx_gradient_reach(x->g, k, FLX_GRADIENT_PART);
}

static bool has_bit(int k, int bit)
{
    return bit < 0 || (((k + 1) >> bit) & 1);
}

flx_status flx_gradient_groups_move(flx_gradient_groups *x, int group, double places, int bit)
{
    const gradient *g = x->g;
    memcpy(x->p, x->nominal, (size_t)twin_of(x)->sys->nparameter * sizeof *x->p);
    for (int k = 0; k < g->def->nparam; k++) {
        bool moved = group >= 0 && x->group_of[k] == group && has_bit(k, bit);
        if (moved) x->p[g->def->param[k]] = g->p[k] + places * reach(x, k);
    }
    return tune(x, x->p);
}

// ---- looking --------------------------------------------------------------------------------------

static int step_of(const flx_gradient_groups *x, int look)
{
    static const double places[LOOKS] = {0.6, 1.0, 0.0};
    int i = (int)(places[look] * (x->g->n - 2));
    if (flx_gradient_jump_at(x->g, i)) i += i > 0 ? -1 : 1;
    return i;
}

// Rows of the step of a look; of the first instant.
static flx_status look_at_step(flx_gradient_groups *x, int look, double *out)
{
    gradient *g = x->g;
    flx_simulation *sim = twin_of(x);
    int i = step_of(x, look);
    flx_state from, to;
    flx_gradient_ends(g, i, &from, &to);
    return flx_slopes_residuals(g->sl, sim->sys, sim->work, &from, &to, flx_gradient_record(g, i),
                                out);
}

static flx_status look_at_instant(flx_gradient_groups *x, double *out)
{
    const flx_simulation *sim = twin_of(x);
    if (x->instants->n == 0) return FLX_OK;
    return flx_slopes_instant(x->g->sl, sim->sys, sim->work, x->instants->at[0], out);
}

// Between the ends of a step that the run has halved, joints are closed, too: a state in the middle of step i, into g->to. False:
// there is nothing to close.
static bool place_between(flx_gradient_groups *x, int i)
{
    gradient *g = x->g;
    flx_simulation *sim = twin_of(x);
    const flx_method *m = flx_method_of(sim->it);
    if (sim->course.inner > 0 || !m->close || !flx_halves_cut(&g->halves)) return false;
    flx_gradient_node(g, i, g->from);
    flx_gradient_node(g, i + 1, g->moved);
    flx_hermite(sim->sys, g->from, g->moved, 0.5 * (g->from->t + g->moved->t), m->theta, m->rate,
                g->to);
    return true;
}

// Probes at the end of step i, and inside it, where joints are closed anew: (2 nprobe).
static flx_status look_at_probes(flx_gradient_groups *x, int i, double *out)
{
    gradient *g = x->g;
    flx_simulation *sim = twin_of(x);
    size_t n = (size_t)sim->model->outputs.nprobe;
    flx_state from, to;
    flx_gradient_ends(g, i, &from, &to);
    flx_account_forget(sim);
    FLX_TRY(flx_account_signals(&sim->probes, sim, &to, 0.0));
    memcpy(out, sim->probes.out, n * sizeof *out);
    if (place_between(x, i)) {
        FLX_TRY(flx_method_of(sim->it)->close(sim->it, g->to));
    } else if (sim->course.inner > 0 && flx_slopes_has_inside(g->sl)) {
        flx_gradient_node(g, i, g->from);
        flx_slopes_inside(g->sl, g->from, flx_gradient_record(g, i),
                          flx_quadrature_place(&sim->course, 0), g->to);
        FLX_TRY(flx_slopes_close(g->sl, sim->it, g->to));
    } else {
        return FLX_OK;
    }
    flx_account_forget(sim);
    FLX_TRY(flx_account_signals(&sim->probes, sim, g->to, 0.0));
    memcpy(out + n, sim->probes.out, n * sizeof *out);
    return FLX_OK;
}

// Where things are placed, and constraints at the start.
static flx_status look_at_start(flx_gradient_groups *x, int which)
{
    flx_simulation *sim = twin_of(x);
    flx_system *s = placed_in(x);
    flx_work *work = sim->bodies ? sim->bodies_work : sim->work;
    int first = flx_dims_first_constraint(&s->dims), n = flx_dims_unknowns(&s->dims);
    double *rows = x->rows_at[which];
    FLX_TRY(flx_descriptor_draw(s, x->drawn[which]));
    if (s->dims.nlam + s->dims.nmu == 0) return FLX_OK;
    flx_point p = flx_state_point(s, start_in(x));
    FLX_TRY(s->ops->residual(s, work, &p, rows));
    memset(rows, 0, (size_t)first * sizeof *rows);
    return s->dims.nlam > 0 ? s->ops->constraint_rate(s, work, &p, rows + n) : FLX_OK;
}

static bool same(const double *a, const double *b, int n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool same_motion(const flx_dims *d, const flx_state *a, const flx_state *b)
{
    return same(a->q, b->q, d->nq) && same(a->v, b->v, d->nv) && same(a->x, b->x, d->nx);
}

static bool start_is_same(const flx_gradient_groups *x)
{
    const flx_dims *d = &placed_in(x)->dims;
    return same_motion(d, x->drawn[0], x->drawn[1]) &&
           same(x->rows_at[0], x->rows_at[1], flx_dims_unknowns(d) + d->nlam);
}

static void touch(flx_gradient_groups *x, int row)
{
    if (x->mark[row] == x->stamp) return;
    x->mark[row] = x->stamp;
    x->touched[x->ntouched++] = row;
}

// Rows that the parameters as they are now change: of the first look that shows any, and of the start, where the same rows of
// the system are taken, too: forces may be in balance there.
static flx_status find_touched(flx_gradient_groups *x)
{
    int stride = flx_slopes_stride(x->g->sl), n;
    x->ntouched = 0;
    x->stamp++;
    for (int l = 0; l < LOOKS && x->ntouched == 0; l++) {
        const double *base = x->base + (size_t)l * (size_t)x->n;
        FLX_TRY(look_at_step(x, l, x->look));
        for (int r = 0; r < x->n; r++) {
            if (x->look[r] != base[r]) touch(x, r);
        }
    }
    FLX_TRY(look_at_instant(x, x->look));
    n = x->ntouched;
    for (int i = 0; i < x->instants->n; i++) {
        const double *base = x->base + (size_t)LOOKS * (size_t)x->n;
        int first = x->n + i * x->nu;
        for (int k = 0; k < n; k++) {
            int r = x->touched[k] % stride;
            if (r < x->nu) touch(x, first + r);
        }
        for (int r = 0; r < x->nu; r++) {
            if (x->look[r] != base[r]) touch(x, first + r);
        }
    }
    return FLX_OK;
}

// The parameters from `from` to before `to` moved, by parts that differ; of them only those whose number has this bit, or has it
// not, -1: all.
static flx_status move_some(flx_gradient_groups *x, int from, int to, int bit, bool set)
{
    const gradient *g = x->g;
    memcpy(x->p, x->nominal, (size_t)twin_of(x)->sys->nparameter * sizeof *x->p);
    for (int k = from; k < to; k++) {
        double part = to - from > 1 ? 1.0 + fmod(LOOK_TURN * k, 1.0) : 1.0;
        if (bit < 0 || has_bit(k, bit) == set)
            x->p[g->def->param[k]] = g->p[k] + part * reach(x, k);
    }
    return tune(x, x->p);
}

static flx_status probes_change(flx_gradient_groups *x, bool *changed)
{
    int n = 2 * twin_of(x)->model->outputs.nprobe;
    *changed = false;
    for (int l = 0; l < LOOKS && !*changed; l++) {
        FLX_TRY(look_at_probes(x, step_of(x, l), x->now));
        *changed = !same(x->now, x->probes + (size_t)l * (size_t)n, n);
    }
    return FLX_OK;
}

// Those from `from` to before `to` that move what the run begins with, or that probes see: all at once, and halves of them where
// something changes.
static flx_status find_direct(flx_gradient_groups *x, bool probes, int from, int to)
{
    bool changed;
    FLX_TRY(move_some(x, from, to, -1, true));
    if (probes) {
        FLX_TRY(probes_change(x, &changed));
    } else {
        FLX_TRY(look_at_start(x, 1));
        changed = !start_is_same(x);
    }
    if (!changed) return FLX_OK;
    if (to - from == 1) {
        (probes ? x->seen : x->moves)[from] = true;
        return FLX_OK;
    }
    int middle = from + (to - from) / 2;
    FLX_TRY(find_direct(x, probes, from, middle));
    return find_direct(x, probes, middle, to);
}

// The first group with room for what was looked at; parameters that were nowhere have one of their own.
static flx_status join(flx_gradient_groups *x, int k)
{
    int group = x->ntouched > 0 ? 0 : x->ngroup;
    for (; group < x->ngroup; group++) {
        bool room = true;
        for (int i = 0; i < x->ntouched && room; i++) room = x->owner[group][x->touched[i]] == 0;
        if (room && x->owner[group][x->rows] == 0) break;
    }
    if (group == x->ngroup) {
        x->owner[group] = flx_alloc(x->g->ctx, (size_t)x->rows + 1, sizeof **x->owner);
        if (!x->owner[group]) return FLX_ERR_MEMORY;
        x->ngroup++;
        x->owner[group][x->rows] = x->ntouched == 0; // closed
    }
    for (int i = 0; i < x->ntouched; i++) x->owner[group][x->touched[i]] = k + 1;
    x->group_of[k] = group;
    return FLX_OK;
}

// ---- all at once ----------------------------------------------------------------------------------

// Rows that change where parameters with a bit are moved, and where those without it are: a row of one parameter alone spells its
// number. `ones` and `zeros` (n + nu): of a step, then of an instant.
static flx_status find_codes(flx_gradient_groups *x, int *ones, int *zeros)
{
    const double *instant = x->base + (size_t)LOOKS * (size_t)x->n;
    for (int b = 0; b < 2 * flx_gradient_groups_bits(x); b++) {
        int *code = b % 2 ? ones : zeros;
        FLX_TRY(move_some(x, 0, x->g->def->nparam, b / 2, b % 2 == 1));
        for (int l = 0; l < LOOKS; l++) {
            const double *base = x->base + (size_t)l * (size_t)x->n;
            FLX_TRY(look_at_step(x, l, x->look));
            for (int r = 0; r < x->n; r++) code[r] |= x->look[r] != base[r] ? 1 << (b / 2) : 0;
        }
        FLX_TRY(look_at_instant(x, x->look));
        for (int r = 0; r < x->nu && x->instants->n > 0; r++)
            code[x->n + r] |= x->look[r] != instant[r] ? 1 << (b / 2) : 0;
    }
    return FLX_OK;
}

static bool claim(int *owner, int row, int k)
{
    if (owner[row] != 0 && owner[row] != k) return false;
    owner[row] = k;
    return true;
}

// All parameters as one group, where no row has two of them. At starts the rows of steps are taken, too: forces may be in
// balance there.
static bool read_codes(const flx_gradient_groups *x, const int *ones, const int *zeros, int *owner)
{
    int stride = flx_slopes_stride(x->g->sl), np = x->g->def->nparam;
    int all = (int)((1u << flx_gradient_groups_bits(x)) - 1u);
    for (int r = 0; r < x->n + x->nu; r++) {
        int k = ones[r], place = r < x->n ? r % stride : r - x->n;
        if (k == 0 && zeros[r] == 0) continue;
        if ((k ^ zeros[r]) != all || k < 1 || k > np) return false;
        if (r < x->n && !claim(owner, r, k)) return false;
        for (int i = 0; i < x->instants->n && place < x->nu; i++) {
            if (!claim(owner, x->n + i * x->nu + place, k)) return false;
        }
    }
    return true;
}

static flx_status join_at_once(flx_gradient_groups *x, bool *joined)
{
    size_t n = (size_t)(x->n + x->nu);
    int *codes = flx_alloc(x->g->ctx, 2 * n, sizeof *codes);
    *joined = false;
    x->owner[0] = flx_alloc(x->g->ctx, (size_t)x->rows + 1, sizeof **x->owner);
    flx_status status = codes && x->owner[0] ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find_codes(x, codes, codes + n);
    bool refused = status != FLX_OK && status != FLX_ERR_MEMORY; // not all can be moved together
    if (status == FLX_OK) *joined = read_codes(x, codes, codes + n, x->owner[0]);
    flx_free(codes);
    if (!*joined) {
        flx_free(x->owner[0]);
        x->owner[0] = NULL;
        return refused ? FLX_OK : status;
    }
    x->ngroup = 1;
    for (int k = 0; k < x->g->def->nparam; k++) x->group_of[k] = -1;
    for (int r = 0; r < x->rows; r++) {
        if (x->owner[0][r] > 0) x->group_of[x->owner[0][r] - 1] = 0;
    }
    x->ntouched = 0;
    for (int k = 0; k < x->g->def->nparam; k++) {
        if (x->group_of[k] < 0) FLX_TRY(join(x, k));
    }
    return FLX_OK;
}

static flx_status join_each(flx_gradient_groups *x)
{
    bool joined;
    FLX_TRY(join_at_once(x, &joined));
    for (int k = 0; k < x->g->def->nparam && !joined; k++) {
        FLX_TRY(move_some(x, k, k + 1, -1, true));
        FLX_TRY(find_touched(x));
        FLX_TRY(join(x, k));
    }
    return FLX_OK;
}

// ---- all of it ------------------------------------------------------------------------------------

static bool starts_otherwise(const flx_gradient_groups *x)
{
    const flx_simulation *sim = twin_of(x);
    const flx_system *s = placed_in(x);
    if (x->instants->n == 0 || sim->model->simulate.start >= 0 || sim->from) return true;
    if (sim->plan->reduction.n > 0 || sim->plan->balances || sim->plan->balanced.program)
        return true;
    return flx_wrapper_innermost(s) != s;
}

// What was closed follows masses, too.
static bool was_closed(const flx_gradient_groups *x)
{
    return !same_motion(&placed_in(x)->dims, x->drawn[0], start_in(x));
}

// Those that no look has seen in probes, all moved: nothing may change along the whole run. Else each is taken as seen.
static flx_status confirm_unseen(flx_gradient_groups *x)
{
    gradient *g = x->g;
    size_t n = 2 * (size_t)twin_of(x)->model->outputs.nprobe;
    int steps = g->n - 1;
    bool any = false, changed = false;
    double *kept = flx_alloc(g->ctx, (size_t)steps * n + 1, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    flx_status status = flx_gradient_groups_move(x, -1, 0.0, -1);
    for (int i = 0; i < steps && status == FLX_OK; i++) {
        if (!flx_gradient_jump_at(g, i)) status = look_at_probes(x, i, kept + (size_t)i * n);
    }
    for (int k = 0; k < g->def->nparam; k++) {
        if (x->seen[k]) continue;
        x->p[g->def->param[k]] = g->p[k] + reach(x, k);
        any = true;
    }
    if (status == FLX_OK && any) status = tune(x, x->p);
    for (int i = 0; i < steps && status == FLX_OK && any && !changed; i++) {
        if (flx_gradient_jump_at(g, i)) continue;
        status = look_at_probes(x, i, x->now);
        changed = !same(x->now, kept + (size_t)i * n, (int)n);
    }
    for (int k = 0; k < g->def->nparam && changed; k++) x->seen[k] = true;
    flx_free(kept);
    return status;
}

static flx_status sort(flx_gradient_groups *x)
{
    gradient *g = x->g;
    flx_simulation *sim = twin_of(x);
    int nprobe = 2 * sim->model->outputs.nprobe;
    FLX_TRY(flx_gradient_shift(g, 0, 0.0));
    flx_gradient_sharpen(sim);
    const double *p = sim->sys->param + sim->sys->first_parameter;
    memcpy(x->nominal, p, (size_t)sim->sys->nparameter * sizeof *p);
    for (int l = 0; l < LOOKS; l++) FLX_TRY(look_at_step(x, l, x->base + (size_t)l * (size_t)x->n));
    FLX_TRY(look_at_instant(x, x->base + (size_t)LOOKS * (size_t)x->n));
    x->all_move = starts_otherwise(x);
    if (!x->all_move) FLX_TRY(look_at_start(x, 0));
    x->all_move = x->all_move || was_closed(x);
    for (int l = 0; l < LOOKS && !sim->probes.settles; l++)
        FLX_TRY(look_at_probes(x, step_of(x, l), x->probes + (size_t)l * (size_t)nprobe));
    for (int k = 0; k < g->def->nparam; k++) {
        x->seen[k] = sim->probes.settles; // states are settled by numbers of a start
        x->moves[k] = x->all_move;
    }
    FLX_TRY(join_each(x));
    if (!x->all_move) FLX_TRY(find_direct(x, false, 0, g->def->nparam));
    if (!sim->probes.settles) FLX_TRY(find_direct(x, true, 0, g->def->nparam));
    if (!sim->probes.settles) FLX_TRY(confirm_unseen(x));
    return flx_gradient_groups_move(x, -1, 0.0, -1);
}

flx_status flx_gradient_groups_create(gradient *g, const flx_slopes_instants *instants,
                                      flx_gradient_groups **out)
{
    flx_gradient_groups *x = *out = flx_alloc(g->ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->g = g;
    x->instants = instants;
    x->n = flx_slopes_rows(g->sl);
    x->nu = flx_dims_unknowns(&g->run->sim->sys->dims);
    x->rows = x->n + instants->n * x->nu;
    flx_status status = make(x);
    if (status == FLX_OK) status = sort(x);
    if (status != FLX_OK) flx_gradient_groups_destroy(out);
    return status;
}

int flx_gradient_groups_count(const flx_gradient_groups *x)
{
    return x->ngroup;
}

bool flx_gradient_groups_has(const flx_gradient_groups *x, int group, int k)
{
    return x->group_of[k] == group;
}

int flx_gradient_groups_size(const flx_gradient_groups *x, int group)
{
    int n = 0;
    for (int k = 0; k < x->g->def->nparam; k++) n += x->group_of[k] == group;
    return n;
}

const int *flx_gradient_groups_owner(const flx_gradient_groups *x, int group)
{
    return x->owner[group];
}

bool flx_gradient_groups_moves(const flx_gradient_groups *x, int k)
{
    return x->moves[k];
}

bool flx_gradient_groups_seen(const flx_gradient_groups *x, int k)
{
    return x->seen[k];
}

int flx_gradient_groups_bits(const flx_gradient_groups *x)
{
    int bits = 1;
    while (x->g->def->nparam >> bits) bits++;
    return bits;
}

bool flx_gradient_groups_bit(int k, int bit)
{
    return has_bit(k, bit);
}
