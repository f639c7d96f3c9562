// quasistatic_links.c - the unknowns that M and constraints link to J, and what cannot be reduced.
#include "reduced/quasistatic_parts.h"

// Whether M may couple the two blocks of velocities of this entry.
static bool has_mass(const flx_pattern *p, int e)
{
    return !p->parts || (p->parts[e] & 4);
}

static bool is_hard(const flx_system *base, int i)
{
    flx_unknown u = {0};
    base->ops->unknown(base, i, &u);
    return u.C == 0.0 && u.E == 0.0;
}

// Whether the block holds constraints that do not give way.
static bool is_closing(const flx_system *base, int first_row, int block)
{
    const flx_pattern *p = &base->pattern;
    if (p->start[block] < first_row) return false;
    for (int i = p->start[block]; i < p->start[block + 1]; i++) {
        if (is_hard(base, i)) return true;
    }
    return false;
}

// Blocks that M and closing constraints link to those of J; true: one was added.
static bool spread_links(const flx_quasistatic *z, bool *touched)
{
    const flx_pattern *p = &z->z.base->pattern;
    int nv = z->z.base->dims.nv;
    bool added = false;
    for (int bi = 0; bi < p->nblock; bi++) {
        bool velocity = p->start[bi] < nv;
        if (!velocity && !is_closing(z->z.base, z->first_row, bi)) continue;
        if (velocity && !touched[bi]) continue;
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int bj = p->col[e];
            bool other = p->start[bj] < nv;
            if (velocity && other && has_mass(p, e) && !touched[bj]) touched[bj] = added = true;
            if (!velocity && other && touched[bj] && !touched[bi]) touched[bi] = added = true;
            if (!velocity && other && touched[bi] && !touched[bj]) touched[bj] = added = true;
        }
    }
    return added;
}

// A constraint that J alone can meet leaves its reaction without an equation (RED-1).
static flx_status refuse_alone(const flx_quasistatic *z, int block)
{
    const flx_pattern *p = &z->z.base->pattern;
    for (int e = p->row[block]; e < p->row[block + 1]; e++) {
        int bj = p->col[e];
        for (int j = p->start[bj]; j < p->start[bj + 1] && j < z->z.base->dims.nv; j++) {
            if (!z->reduced[j]) return FLX_OK;
        }
    }
    flx_unknown u = {0};
    z->z.base->ops->unknown(z->z.base, p->start[block], &u);
    return FLX_FAIL(z->z.sys.ctx, FLX_ERR_CANNOT, u.loc,
                    "the constraints of '%s' hold nothing but velocities whose inertia is to be "
                    "neglected; reduce other parts, or give it a stiffness instead",
                    u.item ? u.item : "?");
}

// The unknowns that get a second one: s of linked velocities, eta of closing constraints.
flx_status flx_quasistatic_find_links(flx_quasistatic *z)
{
    const flx_system *base = z->z.base;
    const flx_pattern *p = &base->pattern;
    int nv = base->dims.nv, n = flx_dims_unknowns(&base->dims);
    int first_mu = n - base->dims.nmu, next_unknown = z->first_row;
    bool *touched = flx_arena_take(z->z.arena, (size_t)p->nblock, sizeof *touched);
    if (!touched) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock; b++) {
        for (int i = p->start[b]; i < p->start[b + 1] && i < nv; i++) {
            touched[b] = touched[b] || z->reduced[i];
        }
    }
    while (spread_links(z, touched)) {
    }
    for (int b = 0; b < p->nblock; b++) {
        bool constraint = p->start[b] >= z->first_row;
        if (constraint && touched[b]) FLX_TRY(refuse_alone(z, b));
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            z->copy[i] = -1;
            if (!touched[b] || (constraint ? !is_hard(base, i) : i >= nv || z->reduced[i]))
                continue;
            z->origin[next_unknown - z->first_row] = i;
            z->copy[i] = next_unknown++;
            *(constraint ? &z->nclosing : &z->nlinked) += 1;
            if (i < first_mu && !(constraint && base->reads_multipliers)) continue;
            flx_unknown u = {0};
            base->ops->unknown(base, i, &u);
            return FLX_FAIL(z->z.sys.ctx, FLX_ERR_CANNOT, u.loc,
                            "the inertia of parts that '%s' holds cannot be neglected: %s; reduce "
                            "parts that no constraint links to it",
                            u.item ? u.item : "?",
                            i >= first_mu ? "it constrains velocities"
                            : base->reads_multipliers == FLX_READS_BALANCE
                                ? "another reduction changes the inertia of such parts already"
                                : "a force, as friction, reads the reaction of a joint");
        }
    }
    for (int i = 0; i < n; i++) {
        z->same[i] = i < z->first_row ? i : i + z->nlinked + z->nclosing;
    }
    return FLX_OK;
}
