// perform_linear.c - analyses of type linear: A, B, C, D with poles and zeros, and what reaches and sees each mode.
#include "base/number.h"
#include "simulate/analyses/along/linear_series.h"
#include "simulate/analyses/descriptor_form.h"
#include "simulate/analyses/io_signals.h"
#include "simulate/linear/linear_about.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-12 // of the largest number of D
#define SAME 1e-7      // eigenvalues, as a part of the largest
#define MOST_NAMED 40
#define LONG 900

typedef struct found {
    flx_simulation *sim;
    const flx_linear_keys *keys;
    flx_io_signals io;
    flx_linear_model m;
    flx_linear_modes modes;
    flx_finding *out;
} found;

// ---- matrices -----------------------------------------------------------------------------------------

static flx_status put_matrix(found *f, const char *name, int nrow, int ncolumn, const double *from)
{
    if (!from || nrow == 0 || ncolumn == 0) return FLX_OK;
    flx_finding_table *t = flx_finding_add_matrix(f->sim, f->out, name, nrow, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    memcpy(t->values, from, (size_t)nrow * (size_t)ncolumn * sizeof *from);
    return FLX_OK;
}

static flx_status put_matrices(found *f)
{
    const flx_linear_model *m = &f->m;
    FLX_TRY(put_matrix(f, "A", m->n, m->n, m->A));
    FLX_TRY(put_matrix(f, "B", m->n, m->nin, m->B));
    FLX_TRY(put_matrix(f, "C", m->nout, m->n, m->C));
    FLX_TRY(put_matrix(f, "D", m->nout, m->nin, m->D));
    FLX_TRY(put_matrix(f, "D1", m->nout, m->nin, m->D1));
    FLX_TRY(put_matrix(f, "D2", m->nout, m->nin, m->D2));
    if (!f->keys->gramians) return FLX_OK;
    flx_finding_table *reach = flx_finding_add_matrix(f->sim, f->out, "reach", m->n, m->n);
    if (!reach) return FLX_ERR_MEMORY;
    FLX_TRY(flx_linear_find_gramians(f->sim->ctx, m, reach->values, NULL));
    flx_finding_table *sight = flx_finding_add_matrix(f->sim, f->out, "sight", m->n, m->n);
    if (!sight) return FLX_ERR_MEMORY;
    return flx_linear_find_gramians(f->sim->ctx, m, NULL, sight->values);
}

// ---- lines --------------------------------------------------------------------------------------------

static flx_status put_names(found *f, const char *what, int n, const char *const *names)
{
    char line[LONG] = "";
    size_t at = 0;
    for (int k = 0; k < n && k < MOST_NAMED && at + 80 < sizeof line; k++)
        at +=
            (size_t)flx_snprintf(line + at, sizeof line - at, "%s%s", k > 0 ? ", " : "", names[k]);
    return flx_finding_line(f->sim, f->out, "%s: %s%s", what, line, n > MOST_NAMED ? ", ..." : "");
}

static flx_status put_states(found *f)
{
    char text[MOST_NAMED][60];
    const char *names[MOST_NAMED];
    int n = f->m.n;
    for (int k = 0; k < n && k < MOST_NAMED; k++) {
        flx_name_state(f->m.states + k, sizeof text[k], text[k]);
        names[k] = text[k];
    }
    FLX_TRY(put_names(f, "states", n, names));
    if (f->m.nin > 0) FLX_TRY(put_names(f, "inputs", f->m.nin, f->io.inputs));
    return f->m.nout > 0 ? put_names(f, "outputs", f->m.nout, f->io.names) : FLX_OK;
}

static flx_status tell_steady(found *f)
{
    const double *w = f->io.motion.turning;
    double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!(rate > 0.0)) {
        return flx_finding_line(f->sim, f->out,
                                "the motion is steady: the coefficients are constant");
    }
    return flx_finding_line(f->sim, f->out,
                            "the motion is steady: the coefficients are constant in axes that turn "
                            "with it, by %.6g rad/s; inputs and outputs are to be of these axes",
                            rate);
}

// Whether the state moves, so that coefficients are those of an instant.
static flx_status tell_motion(found *f)
{
    return f->io.motion.steady ? tell_steady(f)
                               : flx_io_signals_tell_moving(&f->io, f->sim, &f->m, f->out);
}

// Rates of inputs that outputs contain.
static flx_status tell_rates(found *f, const char *name, const char *rate, const double *D)
{
    const flx_linear_model *m = &f->m;
    for (int i = 0; D && i < m->nout; i++) {
        for (int k = 0; k < m->nin; k++) {
            if (D[i * m->nin + k] == 0.0) continue;
            FLX_TRY(flx_finding_line(f->sim, f->out,
                                     "output '%s' contains the %s of the input '%s': %s has it",
                                     f->io.names[i], rate, f->io.inputs[k], name));
        }
    }
    return FLX_OK;
}

static flx_status tell_mode(found *f, int i, const char *what, const double *all)
{
    const flx_linear_modes *m = &f->modes;
    bool decays = m->re[i] < 0.0;
    double last = i > 0 ? hypot(m->re[i] - m->re[i - 1], m->im[i] - m->im[i - 1]) : HUGE_VAL;
    bool alike = i > 0 && all[i] == all[i - 1]; // of eigenvalues that are the same
    if (alike && last <= SAME * 2.0 * FLX_PI * m->frequency[m->n - 1])
        return FLX_OK; // told already
    if (!(all[i] < FLX_LINEAR_NOT_REACHED) || m->im[i] < 0.0) return FLX_OK;
    if (m->im[i] == 0.0) {
        return flx_finding_line(f->sim, f->out, "mode %d, s = %.6g: %s%s", i + 1, m->re[i], what,
                                decays ? "" : ", and does not decay");
    }
    return flx_finding_line(f->sim, f->out, "mode %d, s = %.6g +- %.6gi: %s%s", i + 1, m->re[i],
                            m->im[i], what, decays ? "" : ", and does not decay");
}

static flx_status tell_unreached(found *f)
{
    for (int i = 0; i < f->modes.n; i++) {
        if (f->m.nin > 0) FLX_TRY(tell_mode(f, i, "not reached by any input", f->modes.reach_all));
        if (f->m.nout > 0) FLX_TRY(tell_mode(f, i, "not seen by any output", f->modes.sight_all));
    }
    return FLX_OK;
}

// ---- poles and zeros ----------------------------------------------------------------------------------

static flx_status put_poles(found *f)
{
    const flx_linear_modes *m = &f->modes;
    int n = m->n, nin = m->nin, nout = m->nout, ncolumn = 4 + nin + nout;
    static const char *const heads[] = {"re", "im", "frequency", "damping"};
    static const char *const units[] = {"1/s", "1/s", "Hz", ""};
    flx_finding_table *t = flx_finding_add_table(f->sim, f->out, "poles", n, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < ncolumn; k++) {
        char head[120];
        const char *name = k < 4         ? heads[k]
                           : k < 4 + nin ? f->io.inputs[k - 4]
                                         : f->io.names[k - 4 - nin];
        flx_snprintf(head, sizeof head, "%s%s",
                     k < 4         ? ""
                     : k < 4 + nin ? "reach "
                                   : "sight ",
                     name);
        FLX_TRY(flx_finding_column(f->sim, f->out, t, k, head, k < 4 ? units[k] : ""));
    }
    for (int i = 0; i < n; i++) {
        double *row = t->values + (size_t)i * (size_t)ncolumn;
        row[0] = m->re[i];
        row[1] = m->im[i];
        row[2] = m->frequency[i];
        row[3] = m->damping[i];
        for (int k = 0; k < nin; k++) row[4 + k] = m->reach[i * nin + k];
        for (int k = 0; k < nout; k++) row[4 + nin + k] = m->sight[i * nout + k];
    }
    return FLX_OK;
}

// Columns of numbers before the zeros.
static flx_finding_table *add_zeros(found *f, const char *name, int n, int npair)
{
    static const char *const heads[] = {"output", "input", "re", "im"};
    flx_finding_table *t = flx_finding_add_table(f->sim, f->out, name, n, npair + 2);
    for (int k = 0; t && k < npair + 2; k++) {
        int at = k + 2 - npair;
        if (flx_finding_column(f->sim, f->out, t, k, heads[at], at > 1 ? "1/s" : "") != FLX_OK)
            return NULL;
    }
    return t;
}

static flx_status put_zeros(found *f, double *re, double *im)
{
    int n = 0, told = flx_ctx_error_count(f->sim->ctx);
    flx_status status = flx_linear_find_zeros(f->sim->ctx, &f->m, 0, NULL, NULL, &n, re, im);
    if (status == FLX_SINGULAR) {
        flx_ctx_forget_errors(f->sim->ctx, told);
        return flx_finding_line(f->sim, f->out,
                                "the whole has no zeros: two of the inputs do the same to the "
                                "outputs, or one does nothing to them");
    }
    FLX_TRY(status);
    flx_finding_table *t = add_zeros(f, "zeros", n, 0);
    if (!t) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        t->values[2 * i] = re[i];
        t->values[2 * i + 1] = im[i];
    }
    return FLX_OK;
}

// All pairs; rows: what was found of them so far.
static flx_status find_pairs(found *f, double *re, double *im, double *rows, int *n)
{
    const flx_linear_model *m = &f->m;
    *n = 0;
    for (int i = 0; i < m->nout; i++) {
        for (int k = 0; k < m->nin; k++) {
            int nzero = 0, told = flx_ctx_error_count(f->sim->ctx);
            flx_status status = flx_linear_find_zeros(f->sim->ctx, m, 1, &k, &i, &nzero, re, im);
            if (status == FLX_SINGULAR) { // the output does not answer
                flx_ctx_forget_errors(f->sim->ctx, told);
                FLX_TRY(flx_finding_line(f->sim, f->out,
                                         "output '%s' does not answer to input '%s'",
                                         f->io.names[i], f->io.inputs[k]));
                continue;
            }
            FLX_TRY(status);
            for (int j = 0; j < nzero; j++) {
                double *row = rows + 4 * (*n)++;
                row[0] = i + 1;
                row[1] = k + 1;
                row[2] = re[j];
                row[3] = im[j];
            }
        }
    }
    return FLX_OK;
}

// As many inputs as outputs: of the whole. And of pairs of one input and one output, by their numbers.
static flx_status put_all_zeros(found *f)
{
    const flx_linear_model *m = &f->m;
    size_t most = (size_t)m->n + 2 * (size_t)m->nin, pairs = (size_t)m->nin * (size_t)m->nout;
    int n = 0;
    if (pairs == 0) return FLX_OK;
    double *re = flx_alloc(f->sim->ctx, (2 + 4 * pairs) * most, sizeof *re);
    if (!re) return FLX_ERR_MEMORY;
    double *im = re + most, *rows = im + most;
    flx_status status = m->nin == m->nout && m->nin > 1 ? put_zeros(f, re, im) : FLX_OK;
    if (status == FLX_OK) status = find_pairs(f, re, im, rows, &n);
    int npair = pairs == 1 ? 0 : 2;
    flx_finding_table *t =
        status == FLX_OK ? add_zeros(f, npair > 0 ? "zeros_of_pairs" : "zeros", n, npair) : NULL;
    if (status == FLX_OK && !t) status = FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && i < n; i++)
        memcpy(t->values + i * (npair + 2), rows + 4 * i + 2 - npair,
               (size_t)(npair + 2) * sizeof *rows);
    flx_free(re);
    return status;
}

// ---- responses in time ----------------------------------------------------------------------------------

// Columns t, then every output over every input.
static flx_status put_course(found *f, const char *name, int impulse)
{
    const flx_linear_model *m = &f->m;
    int nt = f->keys->count, npair = m->nin * m->nout, ncolumn = 1 + npair;
    double dt = f->keys->until / (nt - 1);
    double *y = flx_alloc(f->sim->ctx, (size_t)nt * (size_t)m->nout, sizeof *y);
    flx_finding_table *t = y ? flx_finding_add_table(f->sim, f->out, name, nt, ncolumn) : NULL;
    flx_status status = t ? flx_finding_column(f->sim, f->out, t, 0, "t", "s") : FLX_ERR_MEMORY;
    for (int i = 0; t && i < nt; i++) t->values[(size_t)i * (size_t)ncolumn] = i * dt;
    for (int k = 0; status == FLX_OK && k < m->nin; k++) {
        status = flx_linear_course(f->sim->ctx, m, k, impulse, nt, dt, y);
        for (int j = 0; status == FLX_OK && j < m->nout; j++) {
            char head[200];
            int column = 1 + j * m->nin + k;
            flx_snprintf(head, sizeof head, "%s/%s", f->io.names[j], f->io.inputs[k]);
            status = flx_finding_column(f->sim, f->out, t, column, head, "");
            for (int i = 0; i < nt; i++)
                t->values[(size_t)i * (size_t)ncolumn + (size_t)column] = y[i * m->nout + j];
        }
    }
    flx_free(y);
    return status;
}

// What an input does to an output at once is no number of a table over time: of an impulse D, of a step D1, is an impulse at
// t = 0, and what is in the matrices behind these are its derivatives.
static flx_status tell_impulses(found *f, const char *name, const double *D, const double *more,
                                const double *most)
{
    const flx_linear_model *m = &f->m;
    for (int i = 0; i < m->nout; i++) {
        for (int k = 0; k < m->nin; k++) {
            int at = i * m->nin + k;
            double size = D ? D[at] : 0.0, largest = fabs(size);
            bool rates = (more && more[at] != 0.0) || (most && most[at] != 0.0);
            for (int j = 0; D && j < m->nout * m->nin; j++) largest = fmax(largest, fabs(D[j]));
            if (!(fabs(size) > ROUNDING * largest)) size = 0.0;
            if (size == 0.0 && !rates) continue;
            FLX_TRY(flx_finding_line(
                f->sim, f->out,
                "the response of '%s' to %s of '%s' has an impulse of %.6g at t = 0 as well%s: the "
                "table leaves it out",
                f->io.names[i], name, f->io.inputs[k], size, rates ? ", and its derivatives" : ""));
        }
    }
    return FLX_OK;
}

static flx_status put_courses(found *f)
{
    const flx_linear_model *m = &f->m;
    if (f->keys->until == 0.0 || m->nin == 0 || m->nout == 0) return FLX_OK;
    FLX_TRY(put_course(f, "step", 0));
    FLX_TRY(put_course(f, "impulse", 1));
    FLX_TRY(tell_impulses(f, "a step", m->D1, m->D2, NULL));
    return tell_impulses(f, "an impulse", m->D, m->D1, m->D2);
}

// ---- together -----------------------------------------------------------------------------------------

static flx_status tell(found *f)
{
    FLX_TRY(put_states(f));
    FLX_TRY(tell_motion(f));
    if (f->io.shifts >= 0) {
        FLX_TRY(flx_finding_line(f->sim, f->out,
                                 "rates of the input '%s' act on the states, which are those above "
                                 "less what it moves at once",
                                 f->io.inputs[f->io.shifts]));
    }
    FLX_TRY(tell_rates(f, "D1", "rate", f->m.D1));
    FLX_TRY(tell_rates(f, "D2", "second derivative", f->m.D2));
    FLX_TRY(flx_linear_find_modes(f->sim->ctx, &f->m, &f->modes));
    FLX_TRY(tell_unreached(f));
    FLX_TRY(put_poles(f));
    FLX_TRY(put_all_zeros(f));
    FLX_TRY(put_courses(f));
    return put_matrices(f);
}

// ---- along the run ------------------------------------------------------------------------------------

static flx_status tell_series(found *f, const flx_linear_series *s)
{
    f->m = (flx_linear_model){.n = s->n, .nin = s->nin, .nout = s->nout, .states = s->states};
    flx_status status = put_states(f);
    f->m = (flx_linear_model){0};
    FLX_TRY(status);
    FLX_TRY(
        flx_finding_line(f->sim, f->out,
                         "%d linear models along the motion, from t = %.6g to %.6g: columns of the "
                         "table are their entries over the time",
                         s->nt, s->t[0], s->t[s->nt - 1]));
    if (f->keys->io.nstate == 0 && f->sim->model->dimension == 3)
        FLX_TRY(
            flx_finding_line(f->sim, f->out,
                             "rotations in space are turns from where the body is at each time: "
                             "for a design name signals as `states`"));
    if (s->shifts >= 0) {
        FLX_TRY(flx_finding_line(f->sim, f->out,
                                 "rates of the input '%s' act on the states, which are those less "
                                 "what it moves at once: B leaves out how that changes along the "
                                 "motion; ask for models about instants",
                                 f->io.inputs[s->shifts]));
    }
    if (!s->rates) return FLX_OK;
    return flx_finding_line(f->sim, f->out,
                            "some outputs contain rates of inputs, which are not in the table: ask "
                            "for them about one instant (`about: {time: ..}`)");
}

static flx_status put_series(flx_task *t, found *f)
{
    flx_linear_series s;
    FLX_TRY(flx_io_signals_create(t->sim, &f->keys->io, &f->io));
    flx_status status = flx_linear_series_find(t, &f->keys->io, &f->keys->way, &s);
    int n = s.n, nin = s.nin, nout = s.nout, at = 1;
    if (status == FLX_OK) status = tell_series(f, &s);
    flx_finding_table *table = NULL;
    if (status == FLX_OK) {
        table = flx_finding_add_table(f->sim, f->out, "series", s.nt, 1 + (n + nout) * (n + nin));
        if (!table) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = flx_finding_column(f->sim, f->out, table, 0, "t", "s");
    for (int k = 0; status == FLX_OK && k < s.nt; k++)
        table->values[(size_t)k * (size_t)table->ncolumn] = s.t[k];
    const struct {
        const char *name;
        int nrow, ncolumn;
        const double *values;
    } parts[] = {{"A", n, n, s.A}, {"B", n, nin, s.B}, {"C", nout, n, s.C}, {"D", nout, nin, s.D}};
    for (int k = 0; status == FLX_OK && k < 4; k++) {
        status = flx_linear_series_put(f->sim, f->out, table, at, parts[k].name, parts[k].nrow,
                                       parts[k].ncolumn, parts[k].values);
        at += parts[k].nrow * parts[k].ncolumn;
    }
    flx_linear_series_clear(&s);
    flx_io_signals_clear(&f->io);
    return status;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    const flx_linear_keys *keys = t->a->own;
    found f = {.sim = t->sim, .keys = keys, .out = out};
    if (keys->way.every > 0.0) return put_series(t, &f);
    FLX_TRY(flx_analysis_find_own_state(t));
    if (keys->descriptor) return flx_descriptor_form(t, &keys->io, out);
    FLX_TRY(flx_io_signals_create(t->sim, &keys->io, &f.io));
    f.io.turns = true;
    flx_status status = flx_io_signals_linear(&f.io, t->sim, t->place.own, &f.m);
    if (status == FLX_OK) status = tell(&f);
    flx_linear_modes_clear(&f.modes);
    flx_linear_model_clear(&f.m);
    flx_io_signals_clear(&f.io);
    return status;
}

const flx_analysis_performer flx_performer_LINEAR = {.settled = true, .perform = perform};
