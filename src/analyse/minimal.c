// minimal.c - free coordinates near a state; see minimal.h.
#include "analyse/minimal.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10 // of rows and columns in their scales
#define MOST_STEPS 30   // with a matrix that was made nearby
#define CLOSED 1e-9     // rows against their scales: further corrections must not be needed
#define AGAIN 0.5       // a correction that is not smaller by this is rounding

void flx_minimal_destroy(flx_minimal **made)
{
    flx_minimal *m = made ? *made : NULL;
    if (!m) return;
    flx_projector_destroy(&m->rows);
    flx_accelerator_destroy(&m->acc);
    if (m->work) m->s->ops->work_destroy(m->work);
    flx_state_destroy(&m->at);
    flx_arena_destroy(&m->arena);
    flx_free(m);
    *made = NULL;
}

// ---- which ----------------------------------------------------------------------------------------

// Rigid rows: of positions, and all of them on the level of velocities.
static flx_status list_rows(flx_minimal *m)
{
    const flx_dims *d = &m->s->dims;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    m->hold = flx_arena_take(m->arena, (size_t)(n - first), sizeof(int));
    m->rate_row = flx_arena_take(m->arena, (size_t)(n - first), sizeof(int));
    if (!m->hold || !m->rate_row) return FLX_ERR_MEMORY;
    for (int i = first; i < n; i++) {
        flx_unknown u;
        flx_unknown_at(m->s, m->at->switches, i, &u);
        bool constraint = u.kind == FLX_UNKNOWN_CONSTRAINT;
        if ((constraint ? u.C : u.E) != 0.0) continue;
        if (constraint && u.tau == 0.0) m->hold[m->nhold++] = i;
        m->rate_row[m->nrate++] = i;
    }
    return FLX_OK;
}

// Which of A0, A1 has the derivatives of a row by velocities, and how many times.
static double factor_of(const flx_minimal *m, int row, bool *on_position)
{
    flx_unknown u;
    m->s->ops->unknown(m->s, row, &u);
    *on_position = u.kind == FLX_UNKNOWN_CONSTRAINT && u.tau == 0.0;
    if (u.kind != FLX_UNKNOWN_CONSTRAINT) return 1.0;
    return *on_position ? u.sigma : u.tau;
}

// Row `row` of J (nr x nv), number i, as the pattern has it.
static void take_row(const flx_minimal *m, int row, const double *A, double factor, int i, int nr,
                     double *J)
{
    const flx_pattern *p = &m->s->pattern;
    int b = 0;
    while (p->start[b + 1] <= row) b++;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        int first = p->start[p->col[e]], nc = p->start[p->col[e] + 1] - first;
        const double *from = A + p->offset[e] + (row - p->start[b]) * nc;
        for (int j = 0; j < nc && first + j < m->s->dims.nv; j++)
            J[(size_t)(first + j) * (size_t)nr + (size_t)i] = from[j] / factor;
    }
}

// What the pattern leaves out: column by column.
static flx_status take_products(const flx_minimal *m, int nr, const int *rows, double *J)
{
    const flx_system *s = m->s;
    int n = flx_dims_unknowns(&s->dims);
    const double one[3] = {1.0, 1.0, 1.0};
    double *u = flx_arena_take(m->arena, (size_t)s->dims.nv, sizeof *u);
    double *out = flx_arena_take(m->arena, 2 * (size_t)n, sizeof *out);
    if (!u || !out) return FLX_ERR_MEMORY;
    for (int j = 0; j < s->dims.nv; j++) {
        const double *const position[3] = {u, NULL, NULL}, *const rate[3] = {NULL, u, NULL};
        memset(out, 0, 2 * (size_t)n * sizeof *out);
        u[j] = 1.0;
        s->ops->product(s, m->work, &m->rows->blocks, one, position, out);
        s->ops->product(s, m->work, &m->rows->blocks, one, rate, out + n);
        u[j] = 0.0;
        for (int i = 0; i < nr; i++) {
            bool on_position;
            double factor = factor_of(m, rows[i], &on_position);
            J[(size_t)j * (size_t)nr + (size_t)i] = out[rows[i] + (on_position ? 0 : n)] / factor;
        }
    }
    return FLX_OK;
}

// J (nr x nv, column-major): derivatives of the rows by velocities.
static flx_status fill_rows(const flx_minimal *m, int nr, const int *rows, double *J)
{
    const flx_blocks *b = &m->rows->blocks;
    if (m->s->pattern.extra > 0) return take_products(m, nr, rows, J);
    memset(J, 0, (size_t)nr * (size_t)m->s->dims.nv * sizeof *J);
    for (int i = 0; i < nr; i++) {
        bool on_position;
        double factor = factor_of(m, rows[i], &on_position);
        take_row(m, rows[i], on_position ? b->A0 : b->A1, factor, i, nr, J);
    }
    return FLX_OK;
}

static flx_status refuse_rows(const flx_minimal *m, int row)
{
    flx_unknown u;
    m->s->ops->unknown(m->s, row, &u);
    return FLX_FAIL(m->s->ctx, FLX_SINGULAR, u.loc,
                    "at this position the constraints depend on each other (such as '%s'): there "
                    "are no independent coordinates",
                    u.item ? u.item : "?");
}

// The inverse of the columns `by` of J.
static flx_status invert(const flx_minimal *m, int nr, const int *by, const double *J, double **out)
{
    size_t size = (size_t)nr * (size_t)nr;
    double *A = flx_arena_take(m->arena, size, sizeof *A);
    *out = flx_arena_take(m->arena, size, sizeof **out);
    if (!A || !*out) return FLX_ERR_MEMORY;
    for (int j = 0; j < nr; j++) {
        memcpy(A + (size_t)j * (size_t)nr, J + (size_t)by[j] * (size_t)nr, (size_t)nr * sizeof *A);
        (*out)[(size_t)j * (size_t)(nr + 1)] = 1.0;
    }
    return nr > 0 ? flx_dense_solve(m->s->ctx, nr, nr, A, *out) : FLX_OK;
}

// Columns that the rows determine, and the others, ascending.
static flx_status choose(flx_minimal *m, int nr, const int *rows, double *J, int **by, int *nfree,
                         int **kept)
{
    int nv = m->s->dims.nv, rank = 0;
    int *perm = flx_arena_take(m->arena, (size_t)nv, sizeof *perm);
    double *A = flx_arena_take(m->arena, (size_t)nr * (size_t)nv, sizeof *A);
    bool *taken = flx_arena_take(m->arena, (size_t)nv, sizeof *taken);
    *kept = flx_arena_take(m->arena, (size_t)nv, sizeof **kept);
    if (!perm || !A || !taken || !*kept) return FLX_ERR_MEMORY;
    for (int i = 0; i < nr; i++) {
        double size = 0.0;
        for (int j = 0; j < nv; j++) size = fmax(size, fabs(J[j * nr + i]) * m->rows->scale[j]);
        for (int j = 0; j < nv && size > 0.0; j++)
            A[j * nr + i] = J[j * nr + i] * m->rows->scale[j] / size;
    }
    if (nr > 0) FLX_TRY(flx_dense_rank(m->s->ctx, nr, nv, A, DEPENDENT, perm, &rank));
    if (rank < nr) return refuse_rows(m, rows[nr - 1]);
    for (int i = 0; i < nr; i++) taken[perm[i]] = true;
    *nfree = 0;
    for (int j = 0; j < nv; j++) {
        if (!taken[j]) (*kept)[(*nfree)++] = j;
    }
    *by = perm;
    return FLX_OK;
}

static flx_status choose_coordinates(flx_minimal *m)
{
    const flx_system *s = m->s;
    flx_point p = flx_state_point(s, m->at);
    double *J = flx_arena_take(m->arena, (size_t)m->nrate * (size_t)s->dims.nv, sizeof *J);
    if (!J) return FLX_ERR_MEMORY;
    FLX_TRY(s->ops->linearise(s, m->work, &p, &m->rows->blocks));
    FLX_TRY(fill_rows(m, m->nhold, m->hold, J));
    FLX_TRY(choose(m, m->nhold, m->hold, J, &m->by_hold, &m->npos, &m->pos));
    FLX_TRY(invert(m, m->nhold, m->by_hold, J, &m->hold_inverse));
    FLX_TRY(fill_rows(m, m->nrate, m->rate_row, J));
    FLX_TRY(choose(m, m->nrate, m->rate_row, J, &m->by_rate, &m->nvel, &m->vel));
    FLX_TRY(invert(m, m->nrate, m->by_rate, J, &m->rate_inverse));
    m->n = m->npos + m->nvel + s->dims.nx;
    return FLX_OK;
}

// ---- where ----------------------------------------------------------------------------------------

// step (nv): the change of what the rows determine that closes them, with the matrix of the first state; *size by scales.
static void correct(flx_minimal *m, int nr, const int *rows, const int *by, const double *inverse,
                    double *size)
{
    memset(m->step, 0, (size_t)m->s->dims.nv * sizeof *m->step);
    *size = 0.0;
    for (int i = 0; i < nr; i++) {
        double sum = 0.0;
        for (int j = 0; j < nr; j++)
            sum -= inverse[(size_t)j * (size_t)nr + (size_t)i] * m->rows->row[rows[j]];
        m->step[by[i]] = sum;
        *size = fmax(*size, fabs(sum) / m->rows->scale[by[i]]);
    }
}

static flx_status close_positions(flx_minimal *m, flx_state *x)
{
    const flx_system *s = m->s;
    double gap, size, last = HUGE_VAL;
    int worst;
    for (int k = 0; k < MOST_STEPS; k++, last = size) {
        s->ops->retract(s, m->at->q, m->theta, x->q);
        if (m->nhold == 0) return FLX_OK;
        FLX_TRY(flx_projector_gap(m->rows, x, FLX_ROWS_POSITION, &gap, &worst));
        correct(m, m->nhold, m->hold, m->by_hold, m->hold_inverse, &size);
        if (!(size < AGAIN * last)) return gap <= CLOSED ? FLX_OK : FLX_NO_CONVERGENCE;
        for (int j = 0; j < s->dims.nv; j++) m->theta[j] += m->step[j];
    }
    return FLX_NO_CONVERGENCE;
}

static flx_status close_velocities(flx_minimal *m, flx_state *x)
{
    double gap, size, last = HUGE_VAL;
    int worst, nv = m->s->dims.nv;
    for (int k = 0; k < MOST_STEPS && m->nrate > 0; k++, last = size) {
        FLX_TRY(flx_projector_gap(m->rows, x, FLX_ROWS_VELOCITY, &gap, &worst));
        correct(m, m->nrate, m->rate_row, m->by_rate, m->rate_inverse, &size);
        double speed = 1.0;
        for (int j = 0; j < nv; j++) speed = fmax(speed, fabs(x->v[j]) / m->rows->scale[j]);
        if (!(size < AGAIN * last)) return gap <= CLOSED * speed ? FLX_OK : FLX_NO_CONVERGENCE;
        for (int j = 0; j < nv; j++) x->v[j] += m->step[j];
    }
    return m->nrate > 0 ? FLX_NO_CONVERGENCE : FLX_OK;
}

flx_status flx_minimal_settle(flx_minimal *m, flx_state *x)
{
    return flx_accelerator_eval(m->acc, m->work, x, NULL, NULL);
}

flx_status flx_minimal_place(flx_minimal *m, const double *d, flx_state *x)
{
    const flx_system *s = m->s;
    flx_state_copy(x, m->at);
    memset(m->theta, 0, (size_t)s->dims.nv * sizeof *m->theta);
    for (int i = 0; i < m->npos; i++) m->theta[m->pos[i]] = d[i];
    for (int i = 0; i < m->nvel; i++) x->v[m->vel[i]] += d[m->npos + i];
    for (int i = 0; i < s->dims.nx; i++) x->x[i] += d[m->npos + m->nvel + i];
    FLX_TRY(close_positions(m, x));
    FLX_TRY(close_velocities(m, x));
    return flx_minimal_settle(m, x);
}

void flx_minimal_rate(const flx_minimal *m, const flx_state *x, double *rate)
{
    const flx_system *s = m->s;
    s->ops->rate(s, m->theta, x->v, m->step);
    for (int i = 0; i < m->npos; i++) rate[i] = m->step[m->pos[i]];
    for (int i = 0; i < m->nvel; i++) rate[m->npos + i] = x->a[m->vel[i]];
    for (int i = 0; i < s->dims.nx; i++) rate[m->npos + m->nvel + i] = x->dx[i];
}

// ---- life -----------------------------------------------------------------------------------------

static flx_status refuse_accelerations(const flx_minimal *m, flx_status status)
{
    flx_unknown u = {0};
    int worst = flx_accelerator_worst(m->acc);
    if (worst >= 0) m->s->ops->unknown(m->s, worst, &u);
    return FLX_FAIL(
        m->s->ctx, status, u.loc,
        "forces do not determine the acceleration of '%s' (%s): positions and velocities are "
        "no states here; `modes`, `frequency`, and `linear` with `form: descriptor`, have no need "
        "of them",
        u.item ? u.item : "?", flx_status_text(status));
}

static flx_status make(flx_minimal *m, const flx_state *x)
{
    const flx_system *s = m->s;
    flx_state *there = NULL;
    m->work = s->ops->work_create(s);
    if (!m->work) return FLX_ERR_MEMORY;
    FLX_TRY(flx_projector_create(s, NULL, &m->rows));
    FLX_TRY(flx_accelerator_create(s, &m->acc));
    flx_accelerator_insist(m->acc);
    FLX_TRY(flx_state_create(s, &m->at));
    flx_state_copy(m->at, x);
    m->theta = flx_arena_take(m->arena, (size_t)s->dims.nv, sizeof *m->theta);
    m->step = flx_arena_take(m->arena, (size_t)s->dims.nv, sizeof *m->step);
    if (!m->theta || !m->step) return FLX_ERR_MEMORY;
    FLX_TRY(list_rows(m));
    FLX_TRY(choose_coordinates(m));
    double *zero = flx_arena_take(m->arena, (size_t)m->n, sizeof *zero);
    if (!zero) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(s, &there));
    flx_status status = flx_minimal_place(m, zero, there);
    if (status == FLX_OK) flx_state_copy(m->at, there);
    flx_state_destroy(&there);
    return status > 0 ? refuse_accelerations(m, status) : status;
}

flx_status flx_minimal_create(const flx_system *s, const flx_state *x, flx_minimal **made)
{
    flx_minimal *m = *made = flx_alloc(s->ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    m->s = s;
    m->arena = flx_arena_create(s->ctx);
    flx_status status = m->arena ? make(m, x) : FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_minimal_destroy(made);
    return status;
}
