// at_parameter.c - an analysis with another value of a parameter; see at_parameter.h.
#include "simulate/analyses/at_parameter.h"
#include "base/number.h"

flx_status flx_analysis_check_text(const flx_task *t, const char *what)
{
    const flx_model *m = t->sim->model;
    if (m->text && m->text_length > 0) return FLX_OK;
    return FLX_FAIL(t->sim->ctx, FLX_ERR_CANNOT, t->a->loc,
                    "%s reads the model anew at every value, and there is no text", what);
}

static flx_status do_it(const flx_task *t, int nset, const char *const *settings,
                        flx_status (*call)(void *user, flx_task *other), void *user)
{
    const flx_model *m = t->sim->model;
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status =
        flx_model_read_text(t->sim->ctx, m->path, m->text, m->text_length, nset, settings, &model);
    if (status == FLX_OK) status = flx_model_bind_like(model, m);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    if (status == FLX_OK) {
        flx_task other = {.sim = sim, .number = t->number};
        other.a = sim->model->analyses + other.number;
        status = call(user, &other);
        flx_state_destroy(&other.place.x);
        flx_state_destroy(&other.place.own);
        flx_state_destroy(&other.place.instant);
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

flx_status flx_analysis_at(const flx_task *t, const char *parameter, double value,
                           flx_status (*call)(void *user, flx_task *other), void *user)
{
    const flx_model *m = t->sim->model;
    char setting[200], number[40];
    const char **settings = flx_alloc(t->sim->ctx, (size_t)m->nset + 1, sizeof *settings);
    if (!settings) return FLX_ERR_MEMORY;
    flx_snprintf(number, sizeof number, "%.17g", value);
    flx_snprintf(setting, sizeof setting, "%s=%s", parameter, number);
    for (int i = 0; i < m->nset; i++) settings[i] = m->settings[i];
    settings[m->nset] = setting;
    flx_status status = do_it(t, m->nset + 1, settings, call, user);
    flx_free(settings);
    return status;
}
