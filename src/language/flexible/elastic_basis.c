// elastic_basis.c - the keys of a flexible body's `reduce`: which shapes, up to which frequency, with which error.
#include "language/flexible/deformable.h"
#include "reduce/bases.h"

#include <string.h>

#define TOLERANCE 1e-3

// Only contacts ask for what the shapes leave out of a node's compliance.
static bool has_contacts(const flx_builder *b)
{
    for (int i = 0; i < b->forces.count; i++) {
        const flx_entry *type = flx_entry_get(b->forces.items[i]->def, "type");
        if (type && type->text && strcmp(type->text, "contact") == 0) return true;
    }
    return false;
}

// The damping that responses are measured with: that of the body.
static flx_status read_damping(flx_env *e, const flx_item *body, flx_damping *out)
{
    const flx_entry *damping = flx_entry_get(body->def, "damping");
    int n = 0;
    double *x = NULL;
    if (!damping) return FLX_OK;
    const flx_entry *ratio = flx_entry_get(damping, "ratio");
    FLX_TRY(flx_build_numbers(e, ratio ? ratio : flx_entry_get(damping, "rayleigh"), &n, &x));
    if (ratio && n > 0) out->loss = 2 * x[0];
    if (!ratio && n > 1) {
        out->alpha = x[0];
        out->beta = x[1];
    }
    return FLX_OK;
}

static flx_status read_band(flx_env *e, const flx_entry *reduce, flx_basis *basis)
{
    const flx_entry *from = flx_entry_get(reduce, "from"), *to = flx_entry_get(reduce, "to");
    const flx_entry *tolerance = flx_entry_get(reduce, "tolerance");
    const flx_entry *shapes = flx_entry_get(reduce, "shapes");
    if (from) FLX_TRY(flx_build_number(e, from, &basis->from));
    if (to) FLX_TRY(flx_build_positive(e, to, "the end of the band", &basis->to));
    if (from && !(basis->from >= 0 && basis->from < basis->to)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, from->loc,
                        "a band from %g to %g Hz: 'from' is at least 0 and below 'to'", basis->from,
                        basis->to);
    }
    if (tolerance && shapes) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, shapes->loc,
                        "'shapes' says how many there are, 'tolerance' lets them be found: one of "
                        "both");
    }
    if (tolerance) {
        FLX_TRY(flx_build_positive(e, tolerance, "the tolerance", &basis->tolerance));
        if (basis->tolerance < 1e-10 || basis->tolerance >= 1) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, tolerance->loc,
                            "a tolerance of %g: it is a part of the response, from 1e-10 to 1",
                            basis->tolerance);
        }
    } else if (!shapes && flx_basis_get(basis->kind)->by_tolerance) {
        basis->tolerance = TOLERANCE;
    }
    if (!shapes) return FLX_OK;
    FLX_TRY(flx_build_integer(e, shapes, &basis->shapes));
    if (basis->shapes >= 1) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, shapes->loc, "at least 1 shape");
}

static flx_status read_krylov(flx_env *e, const flx_entry *reduce, flx_basis *basis)
{
    const flx_entry *blocks = flx_entry_get(reduce, "blocks");
    const flx_entry *shifts = flx_entry_get(reduce, "shifts");
    double *x = NULL;
    if (blocks) FLX_TRY(flx_build_integer(e, blocks, &basis->blocks));
    if (blocks && basis->blocks < 1) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, blocks->loc, "at least 1 block");
    }
    if (!shifts) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, shifts, &basis->nshift, &x));
    basis->shifts = x;
    for (int i = 0; i < basis->nshift; i++) {
        if (!(x[i] >= 0)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, shifts->loc,
                            "a shift is a frequency in Hz, at least 0, not %g", x[i]);
        }
        if (x[i] > basis->to) basis->to = x[i];
    }
    return FLX_OK;
}

// A number: about any axis; a vector: about this one.
static flx_status read_spin(flx_env *e, const flx_entry *reduce, flx_basis *basis)
{
    const flx_entry *spin = flx_entry_get(reduce, "angular_velocity");
    if (!spin) return FLX_OK;
    if (spin->kind == FLX_ENTRY_LIST) return flx_build_vector(e, spin, basis->angular_velocity);
    return flx_build_positive(e, spin, "the angular velocity", &basis->spin);
}

static flx_status read_statics(flx_env *e, const flx_entry *reduce, flx_basis *basis)
{
    const flx_entry *statics = flx_entry_get(reduce, "statics");
    if (!statics || (statics->text && strcmp(statics->text, "exact") == 0)) return FLX_OK;
    FLX_TRY(flx_build_positive(e, statics, "what may be left out of the statics", &basis->statics));
    if (basis->statics < 1) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, statics->loc,
                    "statics is 'exact', or the part of the static compliance that may be left "
                    "out, below 1");
}

// What a run said of the body.
static flx_status read_snapshots(flx_env *e, const flx_item *body, const flx_entry *reduce,
                                 flx_basis *basis)
{
    const flx_entry *data = flx_entry_get(reduce, "data");
    const flx_reader *r = e->b->reader;
    if (!data) return FLX_OK;
    if (!r || !r->read_snapshots)
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, data->loc, "results cannot be read here");
    flx_snapshots *s = flx_arena_take(e->b->m->arena, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    basis->snapshots = s;
    return r->read_snapshots(r->user, data->text, body->full, data->loc, s);
}

flx_status flx_elastic_body_read_basis(flx_env *e, const flx_item *body, const flx_entry *reduce,
                                       flx_basis *basis)
{
    const flx_entry *frame = flx_entry_get(body->def, "frame"),
                    *type = flx_entry_get(reduce, "type");
    const flx_entry *modes = flx_entry_get(reduce, "modes");
    const flx_entry *relief = flx_entry_get(reduce, "inertia_relief");
    const flx_entry *count = flx_entry_get(reduce, "count");
    bool counted = true;
    int kind = flx_basis_named(type->text);
    *basis = (flx_basis){.kind = kind >= 0 ? (flx_basis_kind)kind : FLX_BASIS_MODES,
                         .residual = has_contacts(e->b),
                         .arena = e->b->m->arena,
                         .body = body->full,
                         .study = e->b->reader ? e->b->reader->study : NULL};
    if (frame && strcmp(frame->text, "buckens") == 0) basis->frame = FLX_FRAME_BUCKENS;
    if (frame && strcmp(frame->text, "chord") == 0) basis->frame = FLX_FRAME_CHORD;
    FLX_TRY(read_damping(e, body, &basis->damping));
    FLX_TRY(read_band(e, reduce, basis));
    FLX_TRY(read_krylov(e, reduce, basis));
    FLX_TRY(read_statics(e, reduce, basis));
    FLX_TRY(read_snapshots(e, body, reduce, basis));
    FLX_TRY(read_spin(e, reduce, basis));
    if (relief) FLX_TRY(flx_build_flag(e->b, relief, "inertia_relief", &basis->inertia_relief));
    if (count) FLX_TRY(flx_build_flag(e->b, count, "count", &counted));
    basis->uncounted = !counted;
    if (!modes) return FLX_OK;
    FLX_TRY(flx_build_integer(e, modes, &basis->modes));
    int least = basis->kind == FLX_BASIS_MODES;
    if (basis->modes >= least) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, modes->loc, "at least %d mode%s", least,
                    least == 1 ? "" : "s");
}

// ---- conditions ---------------------------------------------------------------------------------

static flx_status hold(flx_builder *b, const flx_entry *y, int n, const char *const *names,
                       bool *held)
{
    const char *text = y->kind == FLX_ENTRY_SCALAR ? y->text : "";
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], text) != 0) continue;
        held[i] = true;
        return FLX_OK;
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                    "'%s' is no interface of this body; a condition is 'free', 'all', an interface "
                    "that is held, or a list of them",
                    text);
}

flx_status flx_elastic_body_read_conditions(flx_builder *b, const flx_entry *reduce, int n,
                                            const char *const *names, flx_basis *basis)
{
    const flx_entry *list = flx_entry_get(reduce, "conditions");
    if (!list) return FLX_OK;
    int count = list->count;
    bool *held = flx_take(b, (size_t)count * (size_t)n, sizeof *held);
    if (!held) return FLX_ERR_MEMORY;
    basis->ncondition = count;
    basis->conditions = held;
    for (int i = 0; i < count; i++, held += n) {
        const flx_entry *y = list->items[i];
        if (y->kind == FLX_ENTRY_LIST) {
            for (int k = 0; k < y->count; k++) FLX_TRY(hold(b, y->items[k], n, names, held));
        } else if (strcmp(y->text, "all") == 0) {
            for (int k = 0; k < n; k++) held[k] = true;
        } else if (strcmp(y->text, "free") != 0) {
            FLX_TRY(hold(b, y, n, names, held));
        }
    }
    return FLX_OK;
}
