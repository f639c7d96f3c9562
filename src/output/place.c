// place.c - files that appear whole or not at all.
#define _XOPEN_SOURCE 700 // realpath

#include "output/place.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static flx_status keep_names(flx_ctx *ctx, const char *path, flx_place *p)
{
    size_t length = strlen(path) + 1;
    p->path = flx_alloc(ctx, length, 1);
    p->part = flx_alloc(ctx, length + 32, 1);
    if (!p->path || !p->part) return FLX_ERR_MEMORY;
    memcpy(p->path, path, length);
    flx_snprintf(p->part, length + 32, "%s.%ld.part", path, (long)getpid());
    return FLX_OK;
}

static flx_status create_part(flx_ctx *ctx, const char *what, const char *path, flx_place *p)
{
    int fd = open(p->part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot create %s '%s': %s", what, path,
                        strerror(errno));
    }
    close(fd);
    return FLX_OK;
}

flx_status flx_place_open(flx_ctx *ctx, const char *what, const char *path, flx_place *p)
{
    struct stat info;
    char *real = NULL;
    *p = (flx_place){NULL, NULL};
    if (stat(path, &info) == 0) {
        if (!S_ISREG(info.st_mode)) {
            return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE,
                            "cannot write %s to '%s': it is not a regular file", what, path);
        }
        real = realpath(path, NULL);
    }
    flx_status status = keep_names(ctx, real ? real : path, p);
    free(real);
    if (status == FLX_OK) status = create_part(ctx, what, path, p);
    if (status != FLX_OK) flx_place_close(p);
    return status;
}

bool flx_place_commit(const flx_place *p)
{
    return rename(p->part, p->path) == 0;
}

void flx_place_close(flx_place *p)
{
    if (p->part) unlink(p->part);
    flx_free(p->path);
    flx_free(p->part);
    *p = (flx_place){NULL, NULL};
}
