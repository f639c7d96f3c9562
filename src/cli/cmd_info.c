// cmd_info.c - flexion info: version, libraries and methods of this build.
#include "cli/cli.h"
#include "flexion/extend/method_table.h"

#include <stdlib.h>

static const char help_text[] =
    "Usage: flexion info\n"
    "\n"
    "Say what this program is made of: version, compiler, libraries with their\n"
    "versions, processor, and the methods that 'simulate: {method: ...}' may name.\n"
    "\n"
    "Example:\n"
    "  flexion info\n";

static void print_methods(void)
{
    const flx_integrator_type *const *types = flx_integrator_types();
    printf("\nmethods\n");
    for (; *types; types++) {
        const flx_integrator_type *m = *types;
        const char *steps = m->fixed && m->adaptive ? "fixed or adaptive"
                            : m->fixed              ? "fixed step"
                                                    : "adaptive step";
        printf("  %-18s order %2d, %-18s %s\n", m->name, m->order, steps,
               m->summary ? m->summary : "");
    }
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    (void)ctx;
    cli_list rest = {0};
    cli_parsed parsed = cli_parse(&cmd_info, argc, argv, 0, NULL, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (rest.count > 0) {
        cli_complain("info", "takes no arguments; see 'flexion info --help'");
        return EXIT_WRONG;
    }
    const char *name, *value;
    for (int i = 0; (name = flx_build_fact(i, &value)) != NULL; i++)
        printf("%-12s %s\n", name, value);
    print_methods();
    return EXIT_DONE;
}

const cli_command cmd_info = {
    .name = "info",
    .summary = "say what this program is made of: libraries, methods",
    .seldom = true,
    .help = help_text,
    .run = run,
};
