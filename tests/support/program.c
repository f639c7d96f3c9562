// program.c - see program.h.
#include "program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char folder[64];
int status;
char out[1 << 16], err[1 << 16];

const char pendulum[] =
    "flexion: 1\n"
    "title: A pendulum\n"
    "dimension: 2\n"
    "parameters: {l: 0.8, m: 1.3}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: rigid, mass: m, com: [l/2, 0], inertia: m*l^2/12, points: {end: [l, 0]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n"
    "outputs:\n"
    "  every: 0.01\n"
    "  signals: [rod.end.position, hinge.angle, energy, constraints]\n"
    "  metrics: {deepest: minimum(rod.end.position.y)}\n";

int files_start(void)
{
    char command[256];
    snprintf(folder, sizeof folder, "test_program_%ld", (long)getpid());
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    CHECK(system(command) == 0);
    return 0;
}

int files_end(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return 0;
}

void read_all(const char *name, char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    if (f) fclose(f);
}

void flexion(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' %s >out.txt 2>err.txt </dev/null", folder,
             FLX_PROGRAM, arguments);
    int code = system(command);
    status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    read_all("out.txt", out, sizeof out);
    read_all("err.txt", err, sizeof err);
}

void write_model(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0) abort();
    fclose(f);
}

long file_size(const char *name)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

flx_result *result(flx_ctx *ctx, const char *name)
{
    char path[128];
    flx_result *r = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    flx_result_open(ctx, path, &r);
    return r;
}
