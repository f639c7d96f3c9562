// cmd_reduce.c - flexion reduce: what a model reduces, and whether it may.
#include "cli/cli.h"
#include "cli/plugins.h"
#include "draw/drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion reduce MODEL [--compare | --certify] [OPTIONS]\n"
    "\n"
    "Of each flexible body its modes, how exact its shapes are and what was left out;\n"
    "with --to, or a band of its basis, the errors of responses at its interfaces.\n"
    "With --certify whether the inertia that 'reduce' takes away may go: conditions\n"
    "with their numbers, the error to expect, and that found beside the full model.\n"
    "\n"
    "  --body NAME       of this flexible body alone\n"
    "  --to HZ           measure errors up to this frequency\n"
    "  --tolerance E     take another tolerance than the model's\n"
    "  --compare         set all bases side by side: how many shapes each needs\n"
    "  --in PORT         draw the response to a load at a port (tip.z), with -o;\n"
    "                    --out PORT: what moves; --held NAME: this interface is held\n"
    "  --certify         judge what has no inertia; exit status 1 where it should\n"
    "  --window T        run the full model for T seconds; default: the whole run\n"
    "  --steps N         of the full model at the most; default 40000\n"
    "  -o FILE           draw the errors over frequency or time: .svg, .png or .pdf\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --ranks N         by N processes, with flexion-fe-mpi and mpirun\n"
    "Examples:\n"
    "  flexion reduce examples/elastic_arm.yaml --to 2000 --compare -o error.svg\n"
    "  flexion reduce examples/mobot.yaml --certify -o error.svg\n"
    "\n"
    "Exit: 0 done or certified, 1 a condition is not met or open, 2 wrong input.\n";

typedef struct reduce_options {
    const char *model, *window, *steps, *picture, *body, *to, *tolerance, *in, *out, *held, *ranks;
    cli_list settings;
    bool certify, compare;
} reduce_options;

// ---- the report of a body whose error is known ----------------------------------------------------

static void print_damping(const flx_reduction_report *p)
{
    if (p->loss > 0) printf(", loss factor %g%s", p->loss, p->assumed ? " (our choice)" : "");
    if (p->alpha > 0 || p->beta > 0) printf(", damping %g M + %g K", p->alpha, p->beta);
    if (p->other) printf(", losses by region or dashpots");
    putchar('\n');
}

static void print_conditions(const flx_reduction_report *p)
{
    int width = 18;
    for (int i = 0; i < p->ncondition; i++) {
        int length = (int)strlen(p->conditions[i].name);
        if (length > width) width = length;
    }
    printf("  %-*s %13s %10s", width, "condition", "largest error", "at Hz");
    printf(p->tolerance > 0 ? " %8s\n" : "\n", "asked");
    for (int i = 0; i < p->ncondition; i++) {
        const flx_reduction_condition *c = p->conditions + i;
        printf("  %-*s %13.1e %10.5g", width, c->name, c->error, c->at);
        if (i == 0 && p->tolerance > 0) printf(" %8.1e", p->tolerance);
        putchar('\n');
    }
}

static void print_whole(const flx_reduction_report *p)
{
    printf("  modes in the band  %d, ", p->modes);
    if (p->counted < 0) {
        printf("not counted\n");
    } else if (p->counted == p->modes) {
        printf("counted: none is missing\n");
    } else {
        printf("counted: %d; the others are not moved by the interfaces\n", p->counted);
    }
    printf("  the full model     known by %d vectors to %.0e, ", p->vectors, p->known);
    if (p->checked > 0) {
        printf("checked at %d frequencies", p->checked);
    } else {
        printf("proved to %.0e", p->proved);
    }
    printf("; %d factorisation%s, %d solutions, %d count%s\n", p->factorisations,
           p->factorisations == 1 ? "" : "s", p->solutions, p->counts, p->counts == 1 ? "" : "s");
}

static void print_reduction(const char *body, const flx_reduction_report *p)
{
    printf("%s: %s, %d shapes for %d unknowns; %d ports at %s; %g to %g Hz", body, p->type,
           p->shapes, p->unknowns, p->ports, p->interfaces, p->from, p->to);
    print_damping(p);
    print_conditions(p);
    print_whole(p);
    if (p->nfewer > 0) {
        printf("  fewer shapes       ");
        for (int i = 0; i < p->nfewer; i++) {
            printf("%s%d: %.1e", i > 0 ? ", " : "", p->fewer[i], p->fewer_error[i]);
        }
        putchar('\n');
    }
    printf("  highest frequency  %.3g kHz; %d shape%s above the band%s\n", p->highest / 1000,
           p->above, p->above == 1 ? " lies" : "s lie",
           p->above > 0 ? ": static corrections (see quasistatic)" : "");
    if (p->centrifugal > 0) {
        printf("  centrifugal forces %d static shape%s for the field inside, beside these\n",
               p->centrifugal, p->centrifugal == 1 ? "" : "s");
    }
    printf("  loads              are followed that last no shorter than about %.2g ms\n",
           2000 / p->to);
    if (p->tolerance > 0 && !p->met) printf("  THE TOLERANCE IS NOT MET\n");
}

// The fewest shapes of a row whose error, and that of all more, is at most the tolerance.
static int needed(const flx_reduction_basis *b, double tolerance)
{
    int found = -1;
    for (int i = b->count - 1; i >= 0 && b->errors[i] <= tolerance; i--) found = b->shapes[i];
    return found;
}

static void print_comparison(const flx_reduction *r)
{
    const double tolerances[] = {1e-2, 1e-3, 1e-4};
    flx_reduction_basis b;
    printf("shapes needed, worst of all conditions\n  %-24s %8s %8s %8s   %s\n", "basis", "1e-2",
           "1e-3", "1e-4", "error of the most that were tried");
    for (int i = 0; flx_reduction_compared(r, i, &b); i++) {
        printf("  %-24s", b.name);
        for (int k = 0; k < 3; k++) {
            int n = needed(&b, tolerances[k]);
            if (n >= 0) {
                printf(" %8d", n);
            } else {
                printf(" %8s", "-");
            }
        }
        printf("   %d: %.1e\n", b.shapes[b.count - 1], b.errors[b.count - 1]);
    }
}

// ---- flexible bodies -----------------------------------------------------------------------------

static void print_modes(const flx_elastic_summary *body, const flx_elastic_mode *modes)
{
    double moved[6] = {0}, whole[6];
    for (int c = 0; c < 6; c++) whole[c] = c < 3 ? body->mass : body->inertia[c - 3];
    printf("  the frame held\n   mode   frequency Hz   effective mass x, y, z, inertia x, y, z / "
           "whole\n");
    for (int k = 0; k < body->modes; k++) {
        printf("  %5d %14.6f  ", k + 1, modes[k].frequency);
        for (int c = 0; c < 6; c++) {
            moved[c] += modes[k].effective[c];
            printf(" %8.5f", whole[c] > 0 ? modes[k].effective[c] / whole[c] : 0.0);
        }
        putchar('\n');
    }
    printf("    all                 ");
    bool still = true;
    for (int c = 0; c < 6; c++) {
        double part = whole[c] > 0 ? moved[c] / whole[c] : 0.0;
        still = still && part < 1e-9; // rounding
        printf(" %8.5f", part);
    }
    putchar('\n');
    if (still) printf("  they move no mass as a whole: the frame follows its mean motion\n");
}

// Shapes that are no modes of the structure: how near they come.
static void print_shapes(const flx_elastic_summary *body, const flx_elastic_shape *shapes)
{
    bool exact = true;
    for (int k = 0; k < body->modes; k++) exact = exact && !(shapes[k].error != 0);
    if (exact) return;
    printf("  the shapes by themselves\n  shape   frequency Hz   above that of all unknowns\n");
    for (int k = 0; k < body->modes; k++) {
        printf("  %5d %14.6f   %9.2e\n", k + 1, shapes[k].frequency, shapes[k].error);
    }
}

static flx_status print_elastic(const flx_model *model, int i, const flx_elastic_summary *body)
{
    size_t n = (size_t)body->modes;
    flx_elastic_mode *modes = calloc(n, sizeof *modes);
    flx_elastic_shape *shapes = calloc(n, sizeof *shapes);
    flx_status status =
        modes && shapes ? flx_model_elastic_modes(model, i, modes, shapes) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        printf("%s: %d elastic coordinates", body->name, body->modes);
        if (body->unknowns > 0) printf(" for %d unknowns", body->unknowns);
        printf(", %d nodes, %.6g kg\n", body->nodes, body->mass);
        print_modes(body, modes);
        print_shapes(body, shapes);
        if (body->next > 0) printf("  the first mode left out: %.6f Hz\n", body->next);
        const flx_reduction_report *p = flx_model_elastic_report(model, i);
        if (p) print_reduction(body->name, p);
        if (body->mesh > 0) {
            printf("  the mesh           makes the lowest frequencies about %.2g %% too high, by "
                   "jumps "
                   "of stress%s\n",
                   100 * body->mesh,
                   p && p->tolerance > 0 && p->tolerance < body->mesh
                       ? ": more than the tolerance, which is about the mesh"
                       : "");
        }
    }
    free(modes);
    free(shapes);
    return status;
}

// ---- what is reduced ----------------------------------------------------------------------------

static void print_names(const char *first, const char *reason, const void *of,
                        const char *(*name)(const void *of, int i))
{
    if (first) {
        printf("without inertia:");
        for (int i = 0; name(of, i); i++) printf("%s %s", i > 0 ? "," : "", name(of, i));
        putchar('\n');
    }
    if (reason) printf("%s%s\n", first ? "  " : "", reason);
}

static const char *name_of_simulation(const void *sim, int i)
{
    return flx_simulation_reduced(sim, i);
}

static const char *name_of_certificate(const void *c, int i)
{
    return flx_certificate_reduced(c, i);
}

static flx_status list(const flx_model *model)
{
    flx_simulation *sim = NULL;
    flx_elastic_summary body;
    int elastic = 0;
    flx_status status = FLX_OK;
    while (status == FLX_OK && flx_model_elastic(model, elastic, &body)) {
        status = print_elastic(model, elastic++, &body);
    }
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) {
        const char *first = flx_simulation_reduced(sim, 0);
        const char *reason = flx_simulation_reduction(sim);
        print_names(first, reason, sim, name_of_simulation);
        if (!first && !reason && elastic == 0) printf("the model reduces nothing\n");
    }
    flx_simulation_destroy(&sim);
    return status;
}

// ---- responses of a flexible body ----------------------------------------------------------------

static int port_named(const flx_reduction *r, const char *name)
{
    const char *port;
    for (int i = 0; (port = flx_reduction_port(r, i)) != NULL; i++) {
        if (strcmp(port, name) == 0) return i;
    }
    cli_complain("reduce", "'%s' is no port of the body; ports are such as '%s'", name,
                 flx_reduction_port(r, 0));
    return -1;
}

// The whole body and its shapes in one picture, and the difference.
static flx_status draw_responses(const reduce_options *o, flx_ctx *ctx, const flx_reduction *r,
                                 const char *title)
{
    enum { COUNT = 600 };
    const flx_reduction_report *p = flx_reduction_get_report(r);
    size_t ports = (size_t)p->ports, step = 2 * ports * ports;
    int in = port_named(r, o->in), out = o->out ? port_named(r, o->out) : in;
    char held[200];
    if (in < 0 || out < 0) return FLX_ERR_ARGUMENT;
    snprintf(held, sizeof held, "%s held", o->held ? o->held : "");
    double *hz = calloc(2 * COUNT * (1 + step), sizeof *hz);
    if (!hz) return FLX_ERR_MEMORY;
    double *error = hz + COUNT, *H = error + COUNT, *own = H + COUNT * step;
    for (int k = 0; k < COUNT; k++) hz[k] = p->to * pow(1e-3, 1 - (double)k / (COUNT - 1));
    flx_status status = flx_reduction_response(r, 1, COUNT, hz, o->held ? held : NULL, H);
    if (status == FLX_OK)
        status = flx_reduction_response(r, 0, COUNT, hz, o->held ? held : NULL, own);
    size_t at = 2 * ((size_t)out * ports + (size_t)in);
    for (int k = 0; k < COUNT && status == FLX_OK; k++) {
        const double *a = H + (size_t)k * step + at, *b = own + (size_t)k * step + at;
        error[k] = hypot(a[0] - b[0], a[1] - b[1]) / hypot(a[0], a[1]);
    }
    const flx_bode_curve curves[2] = {{"whole body", COUNT, (int)step, hz, H + at},
                                      {"its shapes", COUNT, (int)step, hz, own + at}};
    const flx_chart_series difference = {.name = "difference",
                                         .n = COUNT,
                                         .x = hz,
                                         .y = error,
                                         .slope = (double)NAN,
                                         .line_only = 1};
    const flx_bode_def def = {.path = o->picture,
                              .title = title,
                              .ncurve = 2,
                              .curves = curves,
                              .nerror = 1,
                              .errors = &difference};
    if (status == FLX_OK) status = flx_bode_draw(ctx, &def);
    free(hz);
    return status;
}

// ---- errors of a flexible body -------------------------------------------------------------------

static flx_status measure(const reduce_options *o, flx_ctx *ctx, flx_model *model, bool *good)
{
    flx_reduction *r = NULL;
    flx_reduction_def def = {.compare = o->compare};
    if (!cli_read_positive("reduce", "--to", o->to, &def.to) ||
        !cli_read_positive("reduce", "--tolerance", o->tolerance, &def.tolerance))
        return FLX_ERR_ARGUMENT;
    flx_status status = flx_reduction_create(model, o->body, &def, &r);
    if (status == FLX_OK) {
        const flx_reduction_report *p = flx_reduction_get_report(r);
        print_reduction(p->body, p);
        if (o->compare) print_comparison(r);
        *good = !(p->tolerance > 0) || p->met;
        if (o->picture) {
            const char *title = flx_model_title(model);
            status = o->in ? draw_responses(o, ctx, r, title)
                           : flx_reduction_draw(ctx, r, title, o->picture);
            if (status == FLX_OK) printf("drawn in %s\n", o->picture);
        }
    }
    flx_reduction_destroy(&r);
    return status;
}

// ---- the certificate ----------------------------------------------------------------------------

static void print_error(const char *name, const flx_certified_error *e)
{
    if (!e->item || !isfinite(e->largest)) {
        printf("  %-22s %12s\n", name, "-");
        return;
    }
    printf("  %-22s %12.3e  in %s %s, at t = %.4g\n", name, e->largest, e->item,
           e->part ? e->part : "", e->at);
}

static void print_certificate(const flx_certificate *c)
{
    static const char *const words[] = {"met", "NOT MET", "undecided"};
    const flx_certificate_numbers *n = flx_certificate_get_numbers(c);
    const flx_condition *k;
    bool endless = true; // the errors are bounded for all times too
    printf("conditions, at %d points of a run to t = %.4g (%.2g s)\n", n->points, n->pilot_until,
           n->pilot_seconds);
    for (int i = 0; (k = flx_certificate_condition(c, i)) != NULL; i++) {
        printf("  %-20s %-10s %s\n", k->name, words[k->verdict], k->text);
        endless = endless && (k->needed || k->verdict == FLX_VERDICT_MET);
    }
    printf("largest errors of positions, t = %.4g to %.4g\n", n->layer, n->window);
    print_error("first-order, rest", &n->expected);
    print_error("first-order, reduced", &n->expected_fast);
    print_error("met, rest", &n->met);
    print_error("met, reduced", &n->met_fast);
    flx_verdict verdict = flx_certificate_verdict(c);
    printf("%s; %.2g s\n",
           verdict == FLX_VERDICT_MET
               ? (endless ? "certified" : "certified, though not for all times")
           : verdict == FLX_VERDICT_NOT_MET ? "not certified: a condition is not met"
                                            : "not certified: a condition could not be decided",
           n->seconds);
}

static flx_status certify(const reduce_options *o, const flx_model *model, bool *good)
{
    flx_certificate *c = NULL;
    flx_certificate_def def = {0};
    double steps = 0.0;
    if (!cli_read_positive("reduce", "--window", o->window, &def.window) ||
        !cli_read_positive("reduce", "--steps", o->steps, &steps))
        return FLX_ERR_ARGUMENT;
    def.steps = (long)fmin(ceil(steps), 1e15);
    flx_status status = flx_certificate_create(model, &def, &c);
    if (status == FLX_OK) {
        const char *first = flx_certificate_reduced(c, 0);
        print_names(first, flx_certificate_reason(c), c, name_of_certificate);
        if (first) print_certificate(c);
        *good = flx_certificate_verdict(c) == FLX_VERDICT_MET;
        if (first && o->picture) {
            status = flx_certificate_draw(c, o->picture);
            if (status == FLX_OK) printf("drawn in %s\n", o->picture);
        }
    }
    flx_certificate_destroy(&c);
    return status;
}

static int reduce(flx_ctx *ctx, const reduce_options *o)
{
    flx_model *model = NULL;
    bool good = true;
    flx_status status = cli_model_read(ctx, o->model, o->settings.count, o->settings.items, &model);
    if (status == FLX_OK && o->picture) status = flx_output_check(ctx, "the drawing", o->picture);
    bool errors = o->compare || o->to || o->tolerance || o->body || o->picture;
    if (status == FLX_OK) {
        status = o->certify ? certify(o, model, &good)
                 : errors   ? measure(o, ctx, model, &good)
                            : list(model);
    }
    fflush(stdout);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_model_destroy(&model);
    if (status == FLX_OK) return good ? EXIT_DONE : EXIT_FAILED;
    return status > 0 || status == FLX_ERR_MEMORY ? EXIT_FAILED : EXIT_WRONG;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    reduce_options o = {0};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--certify", .flag = &o.certify},
        {.name = "--compare", .flag = &o.compare},
        {.name = "--body", .value = &o.body},
        {.name = "--to", .value = &o.to},
        {.name = "--tolerance", .value = &o.tolerance},
        {.name = "--window", .value = &o.window},
        {.name = "--steps", .value = &o.steps},
        {.name = "--output", .letter = 'o', .value = &o.picture},
        {.name = "--set", .list = &o.settings},
        {.name = "--in", .value = &o.in},
        {.name = "--out", .value = &o.out},
        {.name = "--held", .value = &o.held},
        {.name = "--ranks", .value = &o.ranks},
    };
    cli_parsed parsed = cli_parse(&cmd_reduce, argc, argv, 13, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (o.ranks) return cli_start_ranks(o.ranks, argc, argv);
    if (!cli_is_one_model(&cmd_reduce, &rest)) return EXIT_WRONG;
    if ((o.in || o.out || o.held) && !(o.in && o.picture)) {
        cli_complain("reduce", "a response is drawn: give --in PORT and -o FILE");
        return EXIT_WRONG;
    }
    o.model = rest.items[0];
    return reduce(ctx, &o);
}

const cli_command cmd_reduce = {
    .name = "reduce",
    .summary = "what a model reduces, and whether it may",
    .help = help_text,
    .run = run,
};
