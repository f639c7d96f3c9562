// study_play.c - pages that play runs of a study.
#include "cli/sweep/study_play.h"
#include "cli/plugins.h"
#include "page/pages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST 200 // characters of a setting

char *study_play_name(const study_play *p, int number)
{
    size_t n = strlen(p->page), room = n + 40;
    if (n > 5 && strcmp(p->page + n - 5, ".html") == 0) n -= 5;
    char *name = malloc(room);
    if (name) snprintf(name, room, "%.*s_run%d.html", (int)n, p->page, number);
    return name;
}

static int stop(void *user, double t, double until)
{
    (void)user, (void)t, (void)until;
    return cli_was_interrupted();
}

// The settings of the study, then the parameters of the run; texts: owned by the caller.
static bool list_settings(const flx_folder_plan *plan, const flx_model *model, int run,
                          cli_list *all, char (**texts)[LONGEST])
{
    int n = 0;
    const char *name;
    while (flx_model_sweep_parameter(model, n)) n++;
    *texts = calloc((size_t)n + 1, sizeof **texts);
    all->items = calloc((size_t)(plan->nsetting + n) + 1, sizeof *all->items);
    if (!*texts || !all->items) return false;
    for (int i = 0; i < plan->nsetting; i++) all->items[all->count++] = plan->settings[i];
    for (int i = 0; (name = flx_model_sweep_parameter(model, i)) != NULL; i++) {
        snprintf((*texts)[i], LONGEST, "%s=%.17g", name, flx_model_sweep_value(model, run, i));
        all->items[all->count++] = (*texts)[i];
    }
    return true;
}

static flx_status run_it(flx_ctx *ctx, const char *path, const cli_list *settings,
                         const char *result)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_status status = cli_model_read(ctx, path, settings->count, settings->items, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) status = flx_hdf5_sink_create(ctx, result, &sink);
    if (status == FLX_OK) status = flx_simulation_run(sim, 1, &sink, stop, NULL);
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

static flx_status write_page(flx_ctx *ctx, const char *result, int run, const char *path)
{
    flx_result *r = NULL;
    flx_page_size size;
    char label[40];
    snprintf(label, sizeof label, "run %d", run + 1);
    const char *labels[] = {label};
    flx_status status = flx_result_open(ctx, result, &r);
    const flx_page_def def = {.path = path, .nresult = 1, .results = &r, .labels = labels};
    if (status == FLX_OK) status = flx_page_write(ctx, &def, &size);
    flx_result_close(&r);
    return status;
}

int study_play_write(const study_play *p, int run, const char *path)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_folder *f = NULL;
    flx_model *model = NULL;
    cli_list settings = {0};
    char(*texts)[LONGEST] = NULL, *result = malloc(strlen(path) + 8);
    flx_status status = ctx && result ? flx_folder_open(ctx, p->folder, &f) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_folder_check(f);
    const flx_folder_plan *plan = status == FLX_OK ? flx_folder_get_plan(f) : NULL;
    if (plan && (run < 0 || run >= plan->runs)) status = FLX_ERR_ARGUMENT;
    if (plan && status == FLX_OK)
        status = cli_model_read(ctx, plan->model, plan->nsetting, plan->settings, &model);
    if (status == FLX_OK && !list_settings(plan, model, run, &settings, &texts))
        status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        snprintf(result, strlen(path) + 8, "%s.h5", path);
        status = run_it(ctx, plan->model, &settings, result);
        // what a run that failed came to is played as well
        if (status == FLX_OK || status > 0) status = write_page(ctx, result, run, path);
        (void)unlink(result);
    }
    if (ctx) cli_print_errors(ctx);
    flx_model_destroy(&model);
    flx_folder_close(&f);
    flx_ctx_destroy(&ctx);
    free(settings.items);
    free(texts);
    free(result);
    return status == FLX_OK ? EXIT_DONE : cli_exit_of(status);
}

const char *study_play_serve(void *user, const char *name)
{
    study_play *p = user;
    char *end;
    if (strncmp(name, "run", 3) != 0 || name[3] < '1' || name[3] > '9') return NULL;
    long number = strtol(name + 3, &end, 10);
    if (*end || number > 1000000000) return NULL;
    study_play_end(p);
    p->made = study_play_name(p, (int)number);
    return p->made && study_play_write(p, (int)number - 1, p->made) == EXIT_DONE ? p->made : NULL;
}

// What was made to be served goes again; pages that were asked for stay.
void study_play_end(study_play *p)
{
    if (p->made && p->most == 0) (void)unlink(p->made);
    free(p->made);
    p->made = NULL;
}
