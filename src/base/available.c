// available.c - how much memory there is for a large piece of work, so that what cannot succeed is refused
// with a message instead of being ended by the system in the middle.
#include "base/context.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number behind a name in a file of lines "name number"; of an empty name, the first of the file.
// -1: not there, or no number.
static double read_number(const char *path, const char *name)
{
    char line[256];
    double value = -1;
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    while (value < 0 && fgets(line, sizeof line, file)) {
        char *end, *text = line + strlen(name);
        if (strncmp(line, name, strlen(name)) != 0) continue;
        double x = flx_number_read(text, &end);
        if (end == text) break; // such as "max": no limit
        value = x;
    }
    fclose(file);
    return value;
}

// What a control group leaves: its limit less what it holds, but for files that can be dropped.
static double left_of_group(void)
{
    char line[512], path[768];
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return -1;
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) found = strncmp(line, "0::", 3) == 0;
    fclose(file);
    if (!found) return -1;
    line[strcspn(line, "\n")] = 0;
    flx_snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
    double limit = read_number(path, "");
    flx_snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", line + 3);
    double used = read_number(path, "");
    flx_snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat", line + 3);
    double files = read_number(path, "inactive_file ");
    if (limit < 0 || used < 0) return -1;
    double left = limit - used + (files > 0 ? files : 0);
    return left > 0 ? left : 0;
}

double flx_memory_available(const flx_ctx *ctx)
{
    if (ctx->memory > 0) return ctx->memory;
    double machine = read_number("/proc/meminfo", "MemAvailable:"), group = left_of_group(); // kB
    double swap = read_number("/proc/meminfo", "SwapFree:");
    if (machine < 0) return group;
    machine = 1024 * (machine + (swap > 0 ? swap : 0));
    return group >= 0 && group < machine ? group : machine;
}

void flx_ctx_limit_memory(flx_ctx *ctx, double bytes)
{
    ctx->memory = bytes;
}

flx_status flx_memory_check(flx_ctx *ctx, double bytes, const char *what, ...)
{
    const double gigabyte = 1e9, little = 32e6; // not worth asking the system
    if (!(bytes > little) && !(ctx->memory > 0)) return FLX_OK;
    double there = flx_memory_available(ctx);
    if (there < 0 || bytes <= there) return FLX_OK;
    char text[128];
    va_list list;
    va_start(list, what);
    flx_vsnprintf(text, sizeof text, what, list);
    va_end(list);
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                    "%s need about %.3g GB of memory, and %.3g GB are free: take fewer unknowns (a "
                    "coarser mesh), or a machine with more memory",
                    text, bytes / gigabyte, there / gigabyte);
}
