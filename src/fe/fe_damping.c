// fe_damping.c - what a structure loses: loss factors of materials, dashpots beside springs.
//
//     (K + i S + i w D - w^2 M) x = f,   S = sum loss_e T_e^T K_e T_e                              (FE-24)
// Where all that is stiff has one loss factor S is that times K, and no matrix is made.
#include "fe/fe_parts.h"

#include <math.h>
#include <string.h>

static double loss_of(const flx_fe *fe, int block)
{
    const flx_structure *s = fe->s;
    if (block >= s->nelement || s->elements[block].material < 0) return 0;
    return s->materials[s->elements[block].material].loss;
}

// Whether a block has stiffness.
static bool is_stiff(const flx_fe *fe, int block)
{
    const flx_structure *s = fe->s;
    const int *nodes;
    if (flx_fe_block_nodes(fe, block, &nodes) == 0) return false;
    if (block < s->nelement || block >= s->nelement + s->nspring + s->nmass) return true;
    if (block >= s->nelement + s->nspring) return false;
    for (int c = 0; c < 6; c++) {
        if (s->springs[block - s->nelement].stiffness[c] != 0) return true;
    }
    return false;
}

// One loss factor of everything; false: there are several.
static bool is_uniform(const flx_fe *fe, double *loss)
{
    int n = flx_fe_block_count(fe);
    bool first = true;
    *loss = 0;
    for (int b = 0; b < n; b++) {
        if (!is_stiff(fe, b)) continue;
        double one = loss_of(fe, b);
        if (!first && one != *loss) return false;
        first = false;
        *loss = one;
    }
    return true;
}

static flx_status add_losses(flx_fe *fe, flx_element_matrices *m)
{
    FLX_TRY(flx_symmetric_init_like(fe->ctx, &fe->K, &fe->S));
    for (int b = 0; b < fe->s->nelement; b++) {
        const int *nodes;
        double loss = loss_of(fe, b);
        if (loss == 0 || flx_fe_block_nodes(fe, b, &nodes) == 0) continue;
        FLX_TRY(flx_fe_matrices(fe, b, m));
        for (int i = 0; i < m->n * m->n; i++) m->K[i] *= loss;
        flx_fe_scatter(fe, nodes, m, m->K, &fe->S);
    }
    return FLX_OK;
}

static flx_status add_dashpots(flx_fe *fe, flx_element_matrices *m)
{
    const flx_structure *s = fe->s;
    for (int k = 0; k < s->nspring; k++) {
        flx_spring_element dashpot = s->springs[k];
        bool any = false;
        for (int c = 0; c < 6; c++) any = any || dashpot.damping[c] > 0;
        if (!any) continue;
        if (fe->D.n == 0) FLX_TRY(flx_symmetric_init_like(fe->ctx, &fe->K, &fe->D));
        memcpy(dashpot.stiffness, dashpot.damping, sizeof dashpot.stiffness);
        flx_fe_spring(fe, &dashpot, m);
        flx_fe_scatter(fe, dashpot.node, m, m->K, &fe->D);
    }
    return FLX_OK;
}

// The damping matrix of another program, pair by pair of nodes.
static flx_status add_given(flx_fe *fe, flx_element_matrices *m)
{
    const flx_structure *s = fe->s;
    int w = s->width, first = s->nelement + s->nspring + s->nmass;
    if (s->D.n == 0) return FLX_OK;
    if (fe->D.n == 0) FLX_TRY(flx_symmetric_init_like(fe->ctx, &fe->K, &fe->D));
    for (int k = 0; k < s->npair; k++) {
        const int *pair = s->pair[k];
        FLX_TRY(flx_fe_matrices(fe, first + k, m));
        for (int i = 0; i < m->n; i++) {
            for (int j = 0; j < m->n; j++) {
                bool own = pair[0] != pair[1] && i / w == j / w; // of another block
                int row = pair[i / w] * w + i % w, column = pair[j / w] * w + j % w;
                m->K[i * m->n + j] = own ? 0 : flx_symmetric_get(&s->D, row, column);
            }
        }
        flx_fe_scatter(fe, pair, m, m->K, &fe->D);
    }
    return FLX_OK;
}

flx_status flx_fe_find_damping(flx_fe *fe)
{
    flx_element_matrices *m = flx_alloc(fe->ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    if (!is_uniform(fe, &fe->loss)) {
        fe->loss = 0;
        status = add_losses(fe, m);
    }
    if (status == FLX_OK) status = add_dashpots(fe, m);
    if (status == FLX_OK) status = add_given(fe, m);
    flx_free(m);
    return status;
}

// The largest number of A R beside those of A and R: what rigid motions R meet.
static flx_status resistance(const flx_fe *fe, const flx_symmetric *A, int nrigid, const double *R,
                             double *out)
{
    size_t n = (size_t)fe->n;
    double most = 0, rest = 0, size = 0;
    *out = 0;
    if (A->n == 0 || nrigid == 0) return FLX_OK;
    double *AR = flx_alloc(fe->ctx, (size_t)nrigid * n, sizeof *AR);
    if (!AR) return FLX_ERR_MEMORY;
    flx_symmetric_multiply(A, nrigid, R, AR);
    for (int j = 0; j < fe->n; j++) most = fmax(most, A->value[A->start[j]]);
    for (size_t i = 0; i < (size_t)nrigid * n; i++) {
        size = fmax(size, fabs(R[i]));
        rest = fmax(rest, fabs(AR[i]));
    }
    flx_free(AR);
    *out = most * size > 0 ? rest / (most * size) : 0;
    return FLX_OK;
}

flx_status flx_fe_check_dashpots(const flx_fe *fe, int nrigid, const double *R, flx_loc loc)
{
    double part;
    FLX_TRY(resistance(fe, &fe->D, nrigid, R, &part));
    if (part <= 1e-8) return FLX_OK;
    return FLX_FAIL(
        fe->ctx, FLX_ERR_MODEL, loc,
        fe->s->D.n > 0 ? "the damping matrix resists a motion of the whole body: what is in "
                         "proportion to the mass belongs to the body, 'damping: {rayleigh: [..]}'"
                       : "the dashpots resist a rotation of the whole body: their nodes are apart; "
                         "let them act along the line between the nodes alone");
}

#define ROUNDED 1e-9 // numbers of equations in a file have some digits: told above the one, refused
#define HELD 1e-4    // above the other

flx_status flx_fe_check_free(const flx_fe *fe, int nrigid, const double *R, flx_loc loc)
{
    const char *text =
        fe->s->width > 0
            ? "the stiffness matrix resists a motion of the whole body, by %.1e of its largest "
              "number: a body is free, and joints hold it; numbers of few digits do that, too"
            : "equations between nodes, or springs between nodes that are apart, resist a motion "
              "of the whole body, by %.1e of its largest stiffness: let equations hold in every "
              "rigid motion, and springs act along the line between their nodes alone";
    const flx_structure *s = fe->s;
    double part;
    bool can = s->width > 0 || s->nspring > 0;
    flx_loc at = loc;
    for (int i = 0; i < s->nspring; i++) at = s->springs[i].loc;
    for (int i = 0; i < s->nlink; i++) {
        if (s->links[i].kind != FLX_LINK_EQUATION) continue;
        can = true;
        at = s->links[i].loc;
    }
    if (!can) return FLX_OK; // the stiffness of a body that is all of one interface is rounding
    FLX_TRY(resistance(fe, &fe->K, nrigid, R, &part));
    if (part <= ROUNDED) return FLX_OK;
    loc = at;
    if (part > HELD) return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, loc, text, part);
    flx_ctx_warn(fe->ctx, loc, text, part);
    return FLX_OK;
}
