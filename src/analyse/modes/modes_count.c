// modes_count.c - how many modes there are below a frequency, by the signs of pivots (Sylvester).
//
// Where every s^2 is real, Q(i w) = Q0 - w^2 Q2 is symmetric. On what the constraints leave free it has as many
// negative eigenvalues as there are modes below w, and its factors L D L^T as many negative pivots, those of
// the constraints apart.
#include "analyse/modes/modes_parts.h"
#include "integrate/newton_matrix.h"

flx_status flx_modes_count_below(flx_search *f, double rate, int *below)
{
    flx_linear *lin = NULL;
    const flx_blocks b = {f->q.Q[0], f->q.Q[1], f->q.Q[2]};
    // the matrix is Q2 - Q0 / w^2 with the constraints: its negative pivots are those of the modes above
    const flx_weights w = {.c0 = 1.0, .c1 = 0.0, .c2 = -rate * rate, .cx = 0.0};
    *below = -1;
    if (!f->q.plain || f->s->pattern.extra > 0) return FLX_OK;
    int errors = flx_ctx_error_count(f->ctx);
    flx_status status = flx_linear_create(f->s, false, &lin);
    if (status == FLX_OK) status = flx_linear_factor(lin, &b, &w);
    if (status == FLX_OK) {
        flx_linear_report r = flx_linear_get_report(lin);
        if (r.symmetric && r.regularised == 0) *below = f->q.nv - r.negative;
    }
    flx_linear_destroy(&lin);
    flx_ctx_forget_errors(f->ctx, errors);
    return status == FLX_ERR_MEMORY ? status : FLX_OK;
}
