// pendulum.c - the library from C: read a model, run it, write a table, look at the ledger.
//
//     cc pendulum.c $(pkg-config --cflags --libs flexion) -o pendulum && ./pendulum pendulum.yaml
#include <flexion/flexion.h>

#include <stdio.h>

static void print_messages(const flx_ctx *ctx)
{
    for (int i = 0; flx_ctx_error(ctx, i); i++) {
        const flx_message *m = flx_ctx_error(ctx, i);
        if (m->loc.file) fprintf(stderr, "%s:%d:%d: ", m->loc.file, m->loc.line, m->loc.column);
        fprintf(stderr, "%s\n", m->text);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "pendulum.yaml";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_sink *table = NULL;
    if (!ctx) return 1;

    flx_status status = flx_model_read(ctx, path, 0, NULL, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) status = flx_csv_sink_create(ctx, "pendulum.csv", &table);
    if (status == FLX_OK) status = flx_simulation_run(sim, 1, &table, NULL, NULL);

    if (status == FLX_OK) {
        const flx_ledger *ledger = flx_simulation_ledger(sim);
        printf("%s: t = %g s after %ld steps, energy drift %.1e\n", flx_model_title(model),
               ledger->t, ledger->work.steps, ledger->energy_drift);
    } else {
        print_messages(ctx);
    }

    // in the reverse order of creation; each accepts NULL
    flx_sink_destroy(&table);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return status == FLX_OK ? 0 : 1;
}
