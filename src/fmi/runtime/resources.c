// resources.c - the folder of an FMU's resources, as masters name it: file:///a%20b, file:/a b, /a b; and what is noted there.
#include "fmi/runtime/instance.h"

#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The path of a URI, percent signs decoded, or a path as it is; NULL: no memory, or another machine's.
static char *path_of(const char *resources)
{
    bool uri = strncmp(resources, "file:", 5) == 0;
    const char *from = uri ? resources + 5 : resources;
    if (uri && strncmp(from, "//", 2) == 0) {
        from = strchr(from + 2, '/'); // what stands before is a host: ours
        if (!from) return NULL;
    }
    char *path = malloc(strlen(from) + 2), *to = path;
    if (!path) return NULL;
    while (*from) {
        int high = uri && *from == '%' ? hexadecimal(from[1]) : -1;
        int low = high >= 0 ? hexadecimal(from[2]) : -1;
        *to++ = low >= 0 ? (char)(16 * high + low) : *from;
        from += low >= 0 ? 3 : 1;
    }
    while (to > path + 1 && to[-1] == '/') to--;
    *to = 0;
    return path;
}

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) flx_snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (!f) return NULL;
    if (fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0 && size < 1 << 20 && fseek(f, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
    if (text) text[fread(text, 1, (size_t)size, f)] = 0;
    fclose(f);
    return text;
}

static bool take_lines(flx_fmu_note *note, const char *folder)
{
    int lines = 1;
    for (const char *c = note->text; *c; c++) lines += *c == '\n';
    note->settings = malloc((size_t)lines * sizeof *note->settings);
    for (char *line = note->text; note->settings && line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end++ = 0;
        if (strncmp(line, "guid ", 5) == 0) note->guid = line + 5;
        if (strncmp(line, "model ", 6) == 0 && !note->path) note->path = join(folder, line + 6);
        if (strncmp(line, "set ", 4) == 0) note->settings[note->nset++] = line + 4;
        line = end;
    }
    return note->settings && note->guid && note->path;
}

bool flx_fmu_read_note(const char *resources, flx_fmu_note *note, char why[256])
{
    *note = (flx_fmu_note){0};
    char *folder = resources ? path_of(resources) : NULL;
    char *path = folder ? join(folder, FLX_FMU_NOTE) : NULL;
    if (path) note->text = read_all(path);
    bool done = note->text && take_lines(note, folder);
    if (!done) {
        flx_snprintf(why, 256, "the resources of the FMU are not at '%.180s': there is no %s",
                     folder      ? folder
                     : resources ? resources
                                 : "(nothing)",
                     FLX_FMU_NOTE);
        flx_fmu_drop_note(note);
    }
    free(path);
    free(folder);
    return done;
}

void flx_fmu_drop_note(flx_fmu_note *note)
{
    free(note->text);
    free((char *)(uintptr_t)note->path);
    free(note->settings);
    *note = (flx_fmu_note){0};
}
