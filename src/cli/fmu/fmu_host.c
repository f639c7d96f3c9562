// fmu_host.c - an FMU in a folder of its own for as long as it runs.
#define _XOPEN_SOURCE 700 // nftw, mkdtemp
#include "cli/fmu/fmu_host.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

void *cli_fmu_find(cli_fmu *f, const char *name)
{
    void *found = dlsym(f->library, name);
    if (!found) cli_complain("fmu", "the library of the FMU has no function %s", name);
    return found;
}

static bool unpack(cli_fmu *f)
{
    const char *where = getenv("TMPDIR");
    snprintf(f->folder, sizeof f->folder, "%s/flexion-fmu-XXXXXX",
             where && *where ? where : "/tmp");
    if (!mkdtemp(f->folder)) {
        cli_complain("fmu", "no folder can be made at '%s'", f->folder);
        f->folder[0] = 0;
        return false;
    }
    return flx_fmu_unpack(f->info, f->folder) == FLX_OK;
}

bool cli_fmu_open(cli_fmu *f, flx_fmu_info *info)
{
    char path[4096 + 512];
    *f = (cli_fmu){.info = info};
    if (!info->library) {
        cli_complain("fmu", "the FMU has no library for this machine");
        return false;
    }
    if (!info->cosimulation) {
        cli_complain("fmu", "the FMU is for model exchange alone; those for co-simulation are run");
        return false;
    }
    f->calls = info->version == 2 ? &cli_fmu_calls2 : &cli_fmu_calls3;
    if (!unpack(f)) return false;
    snprintf(path, sizeof path, "%s/%s", f->folder, info->library);
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) {
        cli_complain("fmu", "the library of the FMU cannot be loaded: %s", dlerror());
        return false;
    }
    return f->calls->load(f) && f->calls->create(f);
}

void cli_fmu_close(cli_fmu *f)
{
    if (f->instance) f->calls->destroy(f);
    if (f->library) dlclose(f->library);
    if (f->folder[0]) nftw(f->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(f->functions);
    *f = (cli_fmu){0};
}
