// fe_response.c - flexion fe response: what moves at some nodes of a structure by forces at others, over frequency.
#include "cli/cli.h"
#include "draw/drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static flx_status read_numbers(const cli_response *o, flx_fe_response_def *d)
{
    double count = 0;
    bool linear = o->spacing && strcmp(o->spacing, "linear") == 0;
    bool zero = o->from && strcmp(o->from, "0") == 0;
    if (o->spacing && !linear && strcmp(o->spacing, "log") != 0) {
        cli_complain("fe", "--spacing is log or linear, not '%s'", o->spacing);
        return FLX_ERR_ARGUMENT;
    }
    if (!o->to) {
        cli_complain("fe", "a response needs its last frequency: --to HZ");
        return FLX_ERR_ARGUMENT;
    }
    if ((!zero && !cli_read_positive("fe", "--from", o->from, &d->from)) ||
        !cli_read_positive("fe", "--to", o->to, &d->to) ||
        !cli_read_positive("fe", "--count", o->count, &count))
        return FLX_ERR_ARGUMENT;
    d->linear = linear || zero;
    d->count = o->count ? (int)fmin(count, 1e7) : 200;
    if (!o->from) d->from = 1e-3 * d->to;
    d->direct = o->direct;
    return FLX_OK;
}

static void print_report(const flx_fe_response *r)
{
    printf("  frequencies        %12d from %g to %g Hz\n", r->count, r->hz[0], r->hz[r->count - 1]);
    printf("  damping            ");
    if (r->loss > 0) printf("loss factor %g%s", r->loss, r->assumed ? " (our choice)" : "");
    if (r->alpha > 0 || r->beta > 0)
        printf("%s%g M + %g K", r->loss > 0 ? ", " : "", r->alpha, r->beta);
    if (r->other)
        printf("%slosses by region or dashpots", r->loss + r->alpha + r->beta > 0 ? ", " : "");
    putchar('\n');
    if (r->rigid > 0) printf("  rigid motions      %12d, in the response\n", r->rigid);
    if (!r->estimate) {
        printf("  solved directly    %12d factorisations, %d solutions\n", r->factorisations,
               r->solutions);
        return;
    }
    printf("  vectors            %12d by %d factorisation%s, %d solutions\n", r->vectors,
           r->factorisations, r->factorisations == 1 ? "" : "s", r->solutions);
    printf("  error              %12.1e estimated, ", r->known);
    if (r->checked > 0) {
        printf("checked at %d frequencies by direct solutions\n", r->checked);
    } else {
        printf("%.1e proved\n", r->proved);
    }
}

static flx_status write_table(flx_ctx *ctx, const cli_response *o, const flx_fe_response *r)
{
    flx_output *file = NULL;
    flx_status status = flx_output_create(ctx, "the table", o->csv, &file);
    if (status != FLX_OK) return status;
    FILE *f = flx_output_file(file);
    fprintf(f, "frequency (Hz)");
    for (int i = 0; i < r->noutput; i++) {
        for (int j = 0; j < r->ninput; j++) {
            const char *y = o->outputs->items[i], *u = o->inputs->items[j];
            fprintf(f, ",%s/%s re,%s/%s im", y, u, y, u);
        }
    }
    fprintf(f, r->estimate ? ",estimate of the error\n" : "\n");
    int size = 2 * r->noutput * r->ninput;
    for (int k = 0; k < r->count; k++) {
        fprintf(f, "%.17g", r->hz[k]);
        for (int i = 0; i < size; i++) fprintf(f, ",%.17g", r->H[(size_t)k * (size_t)size + i]);
        if (r->estimate) fprintf(f, ",%.3e", r->estimate[k]);
        fputc('\n', f);
    }
    status = flx_output_close(&file, FLX_OK);
    if (status == FLX_OK) printf("  table in %s\n", o->csv);
    return status;
}

static flx_status draw(flx_ctx *ctx, const cli_response *o, const flx_fe_response_def *d,
                       const flx_fe_response *r, const char *title)
{
    int n = r->noutput * r->ninput;
    flx_bode_curve *curves = calloc((size_t)n, sizeof *curves);
    char(*names)[120] = calloc((size_t)n, sizeof *names);
    const flx_chart_series error = {.name = "estimate of the error",
                                    .n = r->count,
                                    .x = r->hz,
                                    .y = r->estimate,
                                    .slope = (double)NAN,
                                    .line_only = 1};
    const flx_bode_def def = {.path = o->picture,
                              .title = title,
                              .linear = d->linear,
                              .ncurve = n,
                              .curves = curves,
                              .nerror = r->estimate != NULL,
                              .errors = &error};
    flx_status status = curves && names ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        snprintf(names[i], sizeof names[i], "%s by %s", o->outputs->items[i / r->ninput],
                 o->inputs->items[i % r->ninput]);
        curves[i] = (flx_bode_curve){
            .name = names[i], .n = r->count, .hz = r->hz, .H = r->H + 2 * i, .step = 2 * n};
    }
    if (status == FLX_OK) status = flx_bode_draw(ctx, &def);
    if (status == FLX_OK) printf("  drawn in %s\n", o->picture);
    free(curves);
    free(names);
    return status;
}

flx_status cli_respond(flx_ctx *ctx, flx_fe_problem *p, const cli_response *o, const char *title)
{
    const flx_fe_response *r = NULL;
    const cli_list *out = o->outputs->count > 0 ? o->outputs : o->inputs;
    flx_fe_response_def d = {.ninput = o->inputs->count,
                             .noutput = out->count,
                             .inputs = (const char *const *)o->inputs->items,
                             .outputs = (const char *const *)out->items};
    cli_response own = *o;
    own.outputs = out;
    flx_status status = read_numbers(o, &d);
    if (status == FLX_OK && o->csv) status = flx_output_check(ctx, "the table", o->csv);
    if (status == FLX_OK && o->picture) status = flx_output_check(ctx, "the drawing", o->picture);
    if (status == FLX_OK) status = flx_fe_problem_response(p, &d, &r);
    if (status == FLX_OK) print_report(r);
    if (status == FLX_OK && o->csv) status = write_table(ctx, &own, r);
    if (status == FLX_OK && o->picture) status = draw(ctx, &own, &d, r, title);
    return status;
}
