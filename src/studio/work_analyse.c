// work_analyse.c - an analysis of the model, told to the page: what it found (work_findings.c), and, of modes and load paths,
// a motion that plays.
#include "base/number.h"
#include "studio/work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN "studio_analysis"
#define REST "studio_rest"

// "FROM:TO:SIGNAL", in rad/s: of all inputs.
static flx_status add_frequency(flx_model *m, const char *text)
{
    char *end, signal[200];
    double from = flx_number_read(text, &end),
           to = *end == ':' ? flx_number_read(end + 1, &end) : 0;
    flx_snprintf(signal, sizeof signal, "%s", *end == ':' ? end + 1 : "");
    const flx_value value = {0.0, signal};
    FLX_TRY(flx_model_set_text(m, "analyse." OWN ".type", "frequency"));
    FLX_TRY(flx_model_set(m, "analyse." OWN ".from", from));
    FLX_TRY(flx_model_set(m, "analyse." OWN ".to", to));
    return flx_model_set_list(m, "analyse." OWN ".outputs", 1, &value);
}

// An analysis that the model does not have is added to what was read, never to the file: "@modes", "@equilibrium", "@rest" for
// modes about it, "@frequency:FROM:TO:SIGNAL".
static flx_status add_own(flx_model *m, const char *option)
{
    if (option[0] != '@') return FLX_OK;
    if (strncmp(option, "@frequency:", 11) == 0) {
        FLX_TRY(add_frequency(m, option + 11));
    } else if (strcmp(option, "@rest") == 0) {
        FLX_TRY(flx_model_set_text(m, "analyse." REST ".type", "equilibrium"));
        FLX_TRY(flx_model_set_text(m, "analyse." OWN ".type", "modes"));
        FLX_TRY(flx_model_set_text(m, "analyse." OWN ".about", REST));
    } else {
        FLX_TRY(flx_model_set_text(m, "analyse." OWN ".type", option + 1));
    }
    return flx_model_check(m);
}

static flx_status find(flx_ctx *ctx, const flx_simulation *sim, const char *option, int *number,
                       const char **type)
{
    const char *name, *wanted = option[0] == '@' ? OWN : option, *about;
    for (int i = 0; (name = flx_simulation_analysis(sim, i, type, &about)) != NULL; i++) {
        *number = i;
        if (strcmp(name, wanted) == 0) return FLX_OK;
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the model has no analysis '%s'", option);
}

// Modes and load paths are motions.
static flx_status perform(flx_ctx *ctx, const flx_chore *chore, flx_simulation *sim, flx_finding *f,
                          flx_text *data, const char **type)
{
    int i = 0;
    flx_sink *sink = NULL;
    FLX_TRY(find(ctx, sim, chore->option, &i, type));
    bool moves = strcmp(*type, "modes") == 0 || strcmp(*type, "static") == 0;
    if (!moves) return flx_simulation_analyse(sim, i, f);
    char *path = flx_work_scratch(chore, "analysis.h5");
    flx_status status = path ? flx_hdf5_sink_create(ctx, path, &sink) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_simulation_analyse_to(sim, i, 1, &sink, f);
    flx_sink_destroy(&sink);
    if (status ==
        FLX_ERR_CANNOT) { // there is nothing to be seen; what it found is told all the same
        flx_ctx_clear_messages(ctx);
        flx_finding_clear(f);
        free(path);
        return flx_simulation_analyse(sim, i, f);
    }
    if (status == FLX_OK && access(path, R_OK) == 0) {
        status = flx_work_put_result(ctx, path, *type, data);
        unlink(path);
    }
    free(path);
    return status;
}

void flx_work_analyse(flx_desk *d, void *user)
{
    const flx_chore *chore = user;
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    const char *type = "";
    flx_text data, t;
    if (!ctx) return;
    flx_text_start(&data, ctx);
    flx_text_start(&t, ctx);
    flx_status status = flx_work_read(ctx, chore, false, &model);
    if (status == FLX_OK) status = add_own(model, chore->option);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    if (status == FLX_OK) status = perform(ctx, chore, sim, &f, &data, &type);
    if (data.length > 0) flx_desk_tell(d, "result", data.data, data.length);
    flx_text_print(&t,
                   "{\"ok\": %s, \"motion\": %s, \"status\": ", status == FLX_OK ? "true" : "false",
                   data.length > 0 ? "true" : "false");
    flx_text_put_string(&t, flx_status_text(status));
    flx_text_put(&t, ", \"messages\": ");
    flx_work_put_messages(&t, ctx, chore->path);
    if (sim) flx_work_put_finding(&t, sim, type, &f);
    flx_text_put(&t, "}");
    if (!t.failed) flx_desk_tell(d, "done", t.data, t.length);
    flx_text_clear(&t);
    flx_text_clear(&data);
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}
