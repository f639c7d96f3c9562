// massless_states.c - the equations as they stand, theta' = p of all positions among them, reduced to what is free to be given
// (STATE-9); see massless_states.h.
#include "simulate/linear/massless_states.h"

#include "analyse/linear/linear_states.h"
#include "analyse/linear/semistate.h"
#include "reduced/condensed.h"
#include "simulate/analyses/response.h"

#include <math.h>
#include <string.h>

#define MOST 1000 // numbers of z: matrices are full

typedef struct massless {
    flx_simulation *sim;
    flx_io_signals *s; // its keys have states apart
    flx_response *r;   // ... of which they are outputs
    flx_arena *arena;  // of the result
    flx_semistate of;
    int nv, nx, n; // n: of the equations
} massless;

// z = (theta, p, x, w, lambda, mu): where unknown j of the equations is.
static int place_of(const massless *m, int j)
{
    return j < m->nv ? j : m->nv + j;
}

static flx_status put_equations(massless *m)
{
    int nv = m->nv, size = m->of.n;
    size_t all = (size_t)size * (size_t)size;
    double *E = m->of.E = flx_arena_take(m->arena, all, sizeof *E);
    double *F = m->of.F = flx_arena_take(m->arena, all, sizeof *F);
    double *Q = flx_arena_take(m->arena, (size_t)m->n * (size_t)m->n, sizeof *Q);
    if (!E || !F || !Q) return FLX_ERR_MEMORY;
    for (int j = 0; j < nv; j++) E[j * size + j] = F[(nv + j) * size + j] = 1.0;
    for (int k = 0; k < 3; k++) {
        flx_quadratic_spread(&m->r->q, k, Q);
        for (int j = 0; j < m->n; j++) {
            bool velocity = k > 0 && j < nv;
            if (k > 0 && j >= (k == 1 ? nv + m->nx : nv)) continue; // no rates
            double sign = k == 0 || (k == 1 && velocity) ? -1.0 : 1.0;
            double *to = (sign < 0.0 ? F : E) + (velocity ? nv + j : place_of(m, j)) * size + nv;
            for (int i = 0; i < m->n; i++) to[i] += sign * Q[j * m->n + i];
        }
    }
    return FLX_OK;
}

// Positions that follow others do so by what their rows say of accelerations (RED-13): they are no states, which would stay as they
// are.
static void put_followers(massless *m)
{
    const int *S;
    int nv = m->nv, size = m->of.n, n = flx_condensed_list(m->r->sys, &S);
    for (int k = 0; k < n; k++) {
        int row = nv + S[k];
        for (int j = 0; j < size; j++) m->of.F[j * size + row] = 0.0;
        for (int j = 0; j < nv; j++) {
            m->of.F[j * size + row] = m->of.E[(nv + j) * size + row];
            m->of.E[(nv + j) * size + row] = 0.0;
        }
    }
}

static flx_status put_inputs(massless *m)
{
    int nin = m->of.nin, size = m->of.n;
    for (int k = 0; k < FLX_SEMISTATE_GIVEN; k++) {
        const double *R = m->r->slopes.R[k];
        m->of.d[k] = m->r->slopes.D[k];
        double *b = m->of.b[k] = flx_arena_take(m->arena, (size_t)(size * nin) + 1, sizeof *b);
        if (!b) return FLX_ERR_MEMORY;
        for (int i = 0; R && i < m->n; i++) {
            for (int j = 0; j < nin; j++) b[j * size + m->nv + i] = -R[i * nin + j];
        }
    }
    return FLX_OK;
}

static flx_status put_outputs(massless *m)
{
    const flx_read_slopes *read = &m->r->slopes.H;
    int start[FLX_READS + 1], size = m->of.n;
    size_t all = (size_t)m->of.nout * (size_t)size + 1;
    double *H = flx_arena_take(m->arena, all, sizeof *H),
           *H1 = flx_arena_take(m->arena, all, sizeof *H1);
    m->of.H = H;
    m->of.H1 = H1;
    if (!H || !H1) return FLX_ERR_MEMORY;
    flx_reads_of(&m->r->sys->dims, start);
    for (int o = 0; o < m->of.nout; o++) {
        for (int e = read->row[o]; e < read->row[o + 1]; e++) {
            int part = 0;
            while (read->col[e] >= start[part + 1]) part++;
            int i = read->col[e] - start[part];
            const int first[FLX_READS] = {[FLX_READ_V] = m->nv,
                                          [FLX_READ_A] = m->nv,
                                          [FLX_READ_X] = 2 * m->nv,
                                          [FLX_READ_DX] = 2 * m->nv};
            int at = part >= FLX_READ_W ? 2 * m->nv + m->nx + read->col[e] - start[FLX_READ_W]
                                        : first[part] + i;
            bool rate = part == FLX_READ_A || part == FLX_READ_DX;
            (rate ? H1 : H)[o * size + at] += read->value[e];
        }
    }
    return FLX_OK;
}

static flx_status name_states(massless *m, flx_linear_model *out)
{
    const flx_system *s = m->r->sys;
    flx_state_info *to = out->states =
        flx_arena_take(m->arena, (size_t)out->n + 1, sizeof *out->states);
    if (!to) return FLX_ERR_MEMORY;
    for (int i = 0; i < out->n; i++) {
        flx_unknown u;
        int z = m->of.chosen[i];
        to[i].kind = z < m->nv       ? FLX_STATE_POSITION
                     : z < 2 * m->nv ? FLX_STATE_VELOCITY
                                     : FLX_STATE_FIRST_ORDER;
        to[i].unknown = z < m->nv ? z : z < 2 * m->nv ? z - m->nv : z - 2 * m->nv;
        s->ops->unknown(s, z < m->nv ? z : z - m->nv, &u);
        to[i].item = u.item ? u.item : "";
        to[i].part = u.part ? u.part : "";
    }
    return FLX_OK;
}

// The last outputs become the states.
static flx_status take_signals(massless *m, flx_linear_model *out)
{
    const flx_io_keys *keys = m->s->keys;
    int ns = keys->nstate, nin = out->nin, nout = keys->nout;
    double *by = flx_arena_take(m->arena, (size_t)(ns * nin) + 1, sizeof *by);
    if (!by) return FLX_ERR_MEMORY;
    out->nout = nout;
    if (ns == 0) return FLX_OK;
    for (int i = 0; i < ns * nin; i++) {
        int at = nout * nin + i;
        by[i] = fabs(out->D[at]) + (out->D1 ? fabs(out->D1[at]) : 0.0) +
                (out->D2 ? fabs(out->D2[at]) : 0.0);
    }
    const flx_linear_signals signals = {.n = ns,
                                        .S = out->C + nout * out->n,
                                        .by_input = by,
                                        .numbers = m->s->places + nout,
                                        .names = m->s->names + nout,
                                        .inputs = m->s->inputs,
                                        .outputs = m->s->names};
    return flx_linear_take_signals(m->sim->ctx, m->arena, &signals, out);
}

static flx_status find(massless *m, flx_linear_model *out)
{
    m->nv = m->r->q.nv;
    m->nx = m->r->q.nx;
    m->n = m->r->q.n;
    int size = m->nv + m->n;
    if (m->r->turn || size > MOST) return FLX_ERR_CANNOT; // it moves
    m->of = (flx_semistate){.n = size, .nin = m->s->keys->nin, .nout = m->r->io.keys->nout};
    int *kind = flx_arena_take(m->arena, 2 * (size_t)size, sizeof *kind);
    if (!kind) return FLX_ERR_MEMORY;
    m->of.kind = kind;
    int *position = kind + size;
    m->of.position = position;
    FLX_TRY(put_equations(m));
    put_followers(m);
    for (int i = 0; i < size; i++) {
        bool light = i >= m->nv && i < 2 * m->nv && m->of.E[i * size + i] == 0.0;
        position[i] = i >= m->nv && i < 2 * m->nv ? i - m->nv : -1;
        kind[i] = i < m->nv ? 0 : i < 2 * m->nv ? (light ? 3 : 1) : i < 2 * m->nv + m->nx ? 2 : -1;
    }
    FLX_TRY(put_inputs(m));
    FLX_TRY(put_outputs(m));
    FLX_TRY(flx_semistate_reduce(m->sim->ctx, m->arena, &m->of, out));
    FLX_TRY(name_states(m, out));
    m->s->shifts = m->of.shifts;
    return take_signals(m, out);
}

flx_status flx_massless_linear(flx_io_signals *s, flx_simulation *sim, const flx_state *at,
                               flx_linear_model *out)
{
    flx_response r;
    flx_io_keys keys = *s->keys;
    size_t n = (size_t)(keys.nout + keys.nstate) + 1;
    *out = (flx_linear_model){0};
    massless m = {.sim = sim, .s = s, .r = &r, .arena = flx_arena_create(sim->ctx)};
    keys.outputs = m.arena ? flx_arena_take(m.arena, n, sizeof *keys.outputs) : NULL;
    flx_status status = keys.outputs ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && i + 1 < (int)n; i++)
        keys.outputs[i] = i < keys.nout ? s->keys->outputs[i] : s->keys->states[i - keys.nout];
    keys.nout += keys.nstate;
    keys.nstate = 0;
    if (status == FLX_OK) {
        status = flx_response_create(sim, at, &keys, &r);
        if (status == FLX_OK) status = find(&m, out);
        flx_response_destroy(&r);
    }
    out->memory = m.arena;
    if (status != FLX_OK) flx_linear_model_clear(out);
    return status;
}
