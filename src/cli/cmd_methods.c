// cmd_methods.c - flexion methods: the table of methods, computed from their coefficients.
#include "cli/cli.h"
#include "flexion/extend/method_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion methods [METHOD...] [--stages N] [--degree N]\n"
    "\n"
    "Print order, stability and structure of methods, computed from their\n"
    "coefficients; without METHOD, of all with their defaults. Options stand in\n"
    "brackets as in a model's 'simulate': 'radau(stages=5)', 'hht(alpha=-0.1)'.\n"
    "\n"
    "  --stages N   of the methods named, as METHOD(stages=N)\n"
    "  --degree N   of the methods named, as METHOD(degree=N)\n"
    "\n"
    "Examples:\n"
    "  flexion methods\n"
    "  flexion methods radau --stages 5\n"
    "  flexion methods 'galerkin(degree=3)' 'gauss(stages=3)'\n";

static const char legend[] =
    "s         stages; steps of a multistep method\n"
    "order, q  classical order; stage order\n"
    "R(inf)    what is left of an infinitely fast decay after a step; the spectral radius\n"
    "          where a step is a matrix (partitioned, Newmark's family, multistep)\n"
    "A, L      A-stable; L-stable: A-stable and R(inf) = 0\n"
    "sp, sy    symplectic; symmetric\n"
    "sa        stiffly accurate: the last stage is the end of the step\n"
    "limit     for strongly damped systems [1]: A invertible and |R(inf)| < 1\n"
    "axis      for strongly damped systems [1]: no eigenvalue of A negative and |R(-w)| < 1\n"
    "          for all w > 0, along the negative real axis\n"
    "index     of the equations that the method takes: 0 differential, 1 algebraic or\n"
    "          constraints as accelerations, 2 stabilised constraints (GGL), 3 constraints as\n"
    "          positions\n"
    "steps     f fixed, a adaptive\n"
    "+ yes, - no, . not asked of such a method\n"
    "[1] T. Stumpp: Integration stark gedaempfter mechanischer Systeme mit Runge-Kutta-\n"
    "    Verfahren. Dissertation, Universitaet Tuebingen, 2004, conditions (3.7) and (3.8)\n";

static const char *mark(flx_answer a)
{
    return a == FLX_YES ? "+" : a == FLX_NO ? "-" : ".";
}

static void print_index(unsigned bits)
{
    char text[8];
    int n = 0;
    for (int k = 0; k < 4; k++) {
        if (bits >> k & 1u) text[n++] = (char)('0' + k);
    }
    text[n] = '\0';
    printf("  %-5s", text);
}

static void print_infinity(double r)
{
    char text[16];
    snprintf(text, sizeof text, isfinite(r) ? "%.4g" : "inf", r);
    printf(" %8s", text);
}

static void print_row(const char *word, const flx_integrator_type *type,
                      const flx_method_properties *p, unsigned bits)
{
    char q[12];
    snprintf(q, sizeof q, p->stage_order < 0 ? "." : "%d", p->stage_order);
    printf("%-24s %2d %5d %2s", word, p->stages, p->order, q);
    print_infinity(p->at_infinity);
    printf("  %s %s  %2s %2s %2s  %5s %4s", mark(p->a_stable), mark(p->l_stable),
           mark(p->symplectic), mark(p->symmetric), mark(p->stiffly_accurate), mark(p->damped_end),
           mark(p->damped_axis));
    print_index(bits);
    printf("  %s%s\n", type->fixed ? "f" : " ", type->adaptive ? "a" : "");
}

// A row, with the head of the table above the first one.
static flx_status print_method(flx_ctx *ctx, const char *word, bool *headed)
{
    flx_integrator_def def = flx_integrator_def_default();
    flx_method_properties p;
    unsigned bits = 0;
    flx_status status = flx_method_read(ctx, word, &def);
    const flx_integrator_type *const *t = flx_integrator_types();
    if (status == FLX_OK) status = flx_method_properties_find(ctx, &def, &p);
    if (status == FLX_OK) status = flx_method_systems(ctx, &def, &bits);
    while (*t && strcmp((*t)->name, def.method) != 0) t++;
    if (status != FLX_OK || !*t) return status;
    if (!*headed) {
        printf("%-24s %2s %5s %2s %8s  A L  sp sy sa  limit axis  index  steps\n", "method", "s",
               "order", "q", "R(inf)");
        *headed = true;
    }
    print_row(word, *t, &p, bits);
    return FLX_OK;
}

// The word with the options of the command line added.
static void complete_word(const char *word, const char *stages, const char *degree, char *out,
                          size_t size)
{
    size_t n = strlen(word);
    bool bracket = n > 0 && word[n - 1] == ')';
    const char *separator = bracket ? ", " : "(";
    snprintf(out, size, "%.*s", (int)(bracket ? n - 1 : n), word);
    for (int k = 0; k < 2; k++) {
        const char *value = k == 0 ? stages : degree;
        if (!value) continue;
        size_t at = strlen(out);
        snprintf(out + at, size - at, "%s%s=%s", separator, k == 0 ? "stages" : "degree", value);
        separator = ", ";
        bracket = true;
    }
    size_t at = strlen(out);
    if (bracket) snprintf(out + at, size - at, ")");
}

static int print_table(flx_ctx *ctx, const cli_list *words, const char *stages, const char *degree)
{
    flx_status worst = FLX_OK;
    bool headed = false;
    for (int i = 0; i < words->count; i++) {
        char word[200];
        complete_word(words->items[i], stages, degree, word, sizeof word);
        flx_status status = print_method(ctx, word, &headed);
        if (status != FLX_OK) worst = status;
    }
    if (worst == FLX_OK) printf("\n%s", legend);
    fflush(stdout);
    cli_print_errors(ctx);
    if (worst == FLX_OK) return EXIT_DONE;
    return worst == FLX_ERR_MEMORY || worst > 0 ? EXIT_FAILED : EXIT_WRONG;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    const char *stages = NULL, *degree = NULL;
    const cli_option options[] = {
        {.name = "--stages", .value = &stages},
        {.name = "--degree", .value = &degree},
    };
    cli_parsed parsed = cli_parse(&cmd_methods, argc, argv, 2, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (rest.count > 0) return print_table(ctx, &rest, stages, degree);
    if (stages || degree) {
        cli_complain("methods", "--stages and --degree need a method: flexion methods radau "
                                "--stages 5");
        return EXIT_WRONG;
    }
    cli_list all = {0};
    const flx_integrator_type *const *types = flx_integrator_types();
    while (types[all.count]) all.count++;
    all.items = calloc((size_t)all.count + 1, sizeof *all.items);
    if (!all.items) return EXIT_FAILED;
    for (int i = 0; i < all.count; i++) all.items[i] = types[i]->name;
    int code = print_table(ctx, &all, stages, degree);
    free(all.items);
    return code;
}

const cli_command cmd_methods = {
    .name = "methods",
    .summary = "print the table of methods: order, stability, structure",
    .help = help_text,
    .run = run,
};
