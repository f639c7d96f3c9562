// model_check.h - everything of system_check.h for the descriptor system of a model that is given as text.
#pragma once

#include "descriptor/descriptor.h"
#include "flexion/flexion.h"
#include "system_check.h"

// Everything of system_check.h, about where the model is drawn. energy: nothing works through a multiplier.
static inline int check_model(const char *text, double away, bool energy)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_system *s = NULL;
    int bad = 0;
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (status == FLX_OK) {
        model->reduces = true; // third derivatives as well
        status = flx_descriptor_create(model, NULL, &s);
    }
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text), bad++;
    for (uint64_t seed = 1; seed <= 3 && !bad; seed++) {
        system_point p = {0};
        if (system_point_init(&p, s, seed) && flx_descriptor_draw(s, p.x) == FLX_OK) {
            randomise(&p, away);
            bad += check_pattern(s);
            bad += check_tangent(&p, 2e-8);
            bad += check_constraints(&p, 5e-8);
            bad += check_chart(&p, 1e-8);
            if (energy) bad += check_energy(&p, 1e-6);
        } else {
            bad++;
        }
        system_point_free(&p);
    }
    flx_system_destroy(&s);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return bad;
}
