// fmu_host.c - an FMU in a folder of its own for as long as it runs.
#include "cli/fmu/fmu_host.h"
#include "studio/scratch_folder.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_fmu_say(cli_fmu *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
}

void cli_fmu_hear(cli_fmu *f, bool error, const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ')) n--;
    if (error) {
        snprintf(f->why, sizeof f->why, "%.*s", (int)(n < 500 ? n : 500), text);
    } else {
        fprintf(stderr, "%s: warning: %.*s\n", f->info->name, (int)n, text);
    }
}

bool cli_fmu_room(cli_fmu *f, size_t size)
{
    f->size = size;
    if (size <= f->room) return true;
    free(f->bytes);
    f->bytes = malloc(size);
    f->room = f->bytes ? size : 0;
    return f->bytes != NULL;
}

void *cli_fmu_find(cli_fmu *f, const char *name)
{
    void *found = dlsym(f->library, name);
    if (!found) cli_fmu_say(f, "its library has no function %s", name);
    return found;
}

static bool unpack(cli_fmu *f)
{
    if (!flx_scratch_make(sizeof f->folder, f->folder)) {
        cli_fmu_say(f, "no folder can be made at '%s'", f->folder);
        f->folder[0] = 0;
        return false;
    }
    if (flx_fmu_unpack(f->info, f->folder) == FLX_OK) return true;
    cli_fmu_say(f, "it cannot be unpacked to '%s'", f->folder);
    return false;
}

static bool open_it(cli_fmu *f)
{
    char path[4096 + 512];
    flx_fmu_info *info = f->info;
    if (!info->library) {
        cli_fmu_say(f, "it has no library for this machine");
        return false;
    }
    if (f->exchange ? !info->exchange : !info->cosimulation) {
        cli_fmu_say(f, f->exchange
                           ? "it is not for model exchange"
                           : "it is for model exchange alone; those for co-simulation are run");
        return false;
    }
    f->calls = info->version == 2 ? &cli_fmu_calls2 : &cli_fmu_calls3;
    if (!unpack(f)) return false;
    snprintf(path, sizeof path, "%s/%s", f->folder, info->library);
    if (f->exchange) { // its library may be another one
        char *end = strrchr(path, '/');
        size_t room = (size_t)(path + sizeof path - end);
        snprintf(end, room, "/%s.so", info->exchange);
    }
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) {
        cli_fmu_say(f, "its library cannot be loaded: %s", dlerror());
        return false;
    }
    return f->calls->load(f) && f->calls->create(f);
}

bool cli_fmu_open(cli_fmu *f, flx_fmu_info *info)
{
    *f = (cli_fmu){.info = info};
    return open_it(f);
}

bool cli_fmu_open_exchange(cli_fmu *f, flx_fmu_info *info, int nin, const int *in, int nout,
                           const int *out)
{
    *f = (cli_fmu){.info = info, .exchange = true, .nin = nin, .in = in, .nout = nout, .out = out};
    return open_it(f);
}

void cli_fmu_close(cli_fmu *f)
{
    if (f->instance) f->calls->destroy(f);
    if (f->library) dlclose(f->library);
    flx_scratch_remove(f->folder);
    free(f->functions);
    free(f->bytes);
    *f = (cli_fmu){0};
}
