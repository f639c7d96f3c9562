// scratch_folder.c - see the header.
#define _XOPEN_SOURCE 700 // nftw
#include "studio/scratch_folder.h"
#include "base/number.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

bool flx_scratch_make(size_t size, char *path)
{
    const char *where = getenv("TMPDIR");
    flx_snprintf(path, size, "%s/flexion-XXXXXX", where && *where ? where : "/tmp");
    return mkdtemp(path) != NULL;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

void flx_scratch_remove(const char *path)
{
    if (path[0]) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
