// export_fmu.c - flexion export fmu: where the program finds the run-time library, and what it says.
#include "cli/fmu/export_fmu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKED "flexion-fmi.so.gz"

// Beside the program as in a build, or in the folder of libraries as it is installed; NULL: at neither place.
static const char *find_library(char path[4096])
{
    static const char *const places[] = {PACKED, "../lib/flexion/" PACKED,
                                         "../" FLX_LIBDIR "/flexion/" PACKED};
    char program[3000];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = n > 0 ? (program[n] = 0, strrchr(program, '/')) : NULL;
    if (!slash) return NULL;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, 4096, "%s/%s", program, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    return NULL;
}

int cli_export_fmu(flx_ctx *ctx, const char *model, flx_fmu_def *def, const char *output)
{
    char path[4096];
    if (!def->library) def->library = find_library(path);
    flx_status status = flx_fmu_export(ctx, model, def, output);
    if (status == FLX_OK) printf("%s\n", output);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MEMORY || status == FLX_ERR_IO ? EXIT_FAILED : EXIT_WRONG;
}
