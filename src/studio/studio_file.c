// studio_file.c - the model file of the workbench (studio_file.h).
#include "studio/studio_file.h"
#include "base/letters.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void flx_studio_stamp(const char *path, char out[FLX_STAMP])
{
    struct stat s;
    if (stat(path, &s) != 0) {
        strcpy(out, "none");
        return;
    }
    flx_snprintf(out, FLX_STAMP, "%lld.%09ld-%lld-%llu", (long long)s.st_mtim.tv_sec,
                 s.st_mtim.tv_nsec, (long long)s.st_size, (unsigned long long)s.st_ino);
}

char *flx_studio_beside(const flx_studio_file *f, const char *name)
{
    size_t folder = (size_t)(f->name - f->path), n = strlen(name);
    char *path = malloc(folder + n + 1);
    if (!path) return NULL;
    memcpy(path, f->path, folder);
    memcpy(path + folder, name, n + 1);
    return path;
}

flx_status flx_studio_file_open(flx_ctx *ctx, const char *path, flx_studio_file *f)
{
    char name[512];
    *f = (flx_studio_file){.ctx = ctx, .path = strdup(path)};
    if (!f->path) return FLX_ERR_MEMORY;
    const char *slash = strrchr(f->path, '/');
    f->name = slash ? slash + 1 : f->path;
    int n = flx_snprintf(name, sizeof name, ".%s.autosave", f->name);
    if (f->name[0] == '\0' || n < 0 || (size_t)n >= sizeof name) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' is no name of a model file", path);
    }
    f->copy = flx_studio_beside(f, name);
    flx_studio_stamp(f->path, f->stamp);
    return f->copy ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_studio_file_clear(flx_studio_file *f)
{
    free(f->path);
    free(f->copy);
    *f = (flx_studio_file){0};
}

bool flx_studio_read(const char *path, size_t most, char **text, size_t *length)
{
    FILE *file = fopen(path, "rb");
    struct stat s;
    *text = NULL;
    if (!file) return false;
    if (fstat(fileno(file), &s) == 0 && S_ISREG(s.st_mode) && s.st_size >= 0 &&
        (size_t)s.st_size <= most) {
        *text = malloc((size_t)s.st_size + 1);
    }
    size_t n = *text ? fread(*text, 1, (size_t)s.st_size, file) : 0;
    if (*text) (*text)[n] = '\0';
    if (length) *length = n;
    fclose(file);
    return *text != NULL;
}

bool flx_studio_is_text(const char *text, size_t n)
{
    for (size_t i = 0, width = 1; i < n; i += width) {
        if (flx_utf8_decode((const unsigned char *)text + i, n - i, &width) <= 0) return false;
    }
    return true;
}

static flx_status write_text(flx_studio_file *f, const char *path, const char *text, size_t n)
{
    flx_output *o;
    FLX_TRY(flx_output_create(f->ctx, "the model", path, &o));
    bool written = fwrite(text, 1, n, flx_output_file(o)) == n;
    return flx_output_close(&o, written ? FLX_OK : FLX_ERR_IO);
}

flx_status flx_studio_save(flx_studio_file *f, const char *text, size_t n)
{
    FLX_TRY(write_text(f, f->path, text, n));
    flx_studio_stamp(f->path, f->stamp);
    unlink(f->copy);
    return FLX_OK;
}

flx_status flx_studio_autosave(flx_studio_file *f, const char *text, size_t n)
{
    return write_text(f, f->copy, text, n);
}

static bool is_plain(const char *name)
{
    size_t n = strlen(name);
    if (n < 5 || n > 200 || name[0] == '.') return false;
    for (size_t i = 0; i < n; i++) {
        if (!flx_is_letter(name[i]) && !flx_is_digit(name[i]) && !strchr("._-", name[i])) {
            return false;
        }
    }
    return true;
}

flx_file_kind flx_studio_kind(const char *name)
{
    static const struct {
        const char *ending;
        flx_file_kind kind;
    } known[] = {{".yaml", FLX_FILE_MODEL}, {".urdf", FLX_FILE_ROBOT}, {".xml", FLX_FILE_ROBOT},
                 {".sdf", FLX_FILE_ROBOT},  {".stl", FLX_FILE_MESH},   {".obj", FLX_FILE_MESH},
                 {".dae", FLX_FILE_MESH}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot > name && is_plain(name) && i < sizeof known / sizeof known[0];
         i++) {
        if (strcmp(dot, known[i].ending) == 0) return known[i].kind;
    }
    return FLX_FILE_NONE;
}
