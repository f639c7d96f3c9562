// mechanism_check.h - all of system_check.h for the descriptor system of a mechanism.
#pragma once

#include "mechanism.h"
#include "system_check.h"

// energy: whether the balance holds at lam = 0 (a force that is an unknown works through lam).
static inline int check_mechanism(mechanism *k, const flx_descriptor_options *o, uint64_t seed,
                                  double away, bool energy)
{
    flx_system *s = NULL;
    system_point p = {0};
    flx_status status = flx_descriptor_create(&k->m, o, &s);
    if (status != FLX_OK) {
        printf("%s\n", flx_ctx_error(k->ctx, 0)->text);
        return 1;
    }
    int bad = !system_point_init(&p, s, seed);
    if (!bad) {
        bad += flx_descriptor_draw(s, p.x) != FLX_OK;
        randomise(&p, away);
        bad += check_pattern(s);
        bad += check_tangent(&p, 1e-8);
        bad += check_constraints(&p, 2e-8);
        bad += check_chart(&p, 1e-8);
        if (energy) bad += check_energy(&p, 1e-7);
    }
    system_point_free(&p);
    flx_system_destroy(&s);
    return bad;
}
