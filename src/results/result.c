// result.c - a result read back: columns by number and by name.
#include "results/result.h"

#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "results/body_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

flx_status flx_result_reserve(flx_result *r, long rows, int columns)
{
    if (rows > INT_MAX) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "the result has %ld rows: too many", rows);
    }
    r->rows = (int)rows;
    r->columns = columns;
    r->names = flx_arena_take(r->arena, (size_t)columns, sizeof *r->names);
    r->units = flx_arena_take(r->arena, (size_t)columns, sizeof *r->units);
    r->data = flx_arena_take(r->arena, (size_t)columns, sizeof *r->data);
    if (!r->names || !r->units || !r->data) return FLX_ERR_MEMORY;
    double *block = flx_alloc(r->ctx, (size_t)rows * (size_t)columns, sizeof *block);
    if (!block) return FLX_ERR_MEMORY;
    for (int c = 0; c < columns; c++) {
        r->data[c] = block + (size_t)c * (size_t)rows;
        r->names[c] = r->units[c] = "";
    }
    return FLX_OK;
}

// The first bytes of an HDF5 file without a user block; known without the library, too.
static const unsigned char hdf5_signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

bool flx_body_file_is(const char *path)
{
    unsigned char begin[sizeof hdf5_signature] = {0};
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(begin, 1, sizeof begin, f);
    fclose(f);
    return n == sizeof begin && memcmp(begin, hdf5_signature, sizeof begin) == 0;
}

static flx_status read_any(flx_result *r, const char *path)
{
    struct stat info;
    FILE *f = fopen(path, "rb");
    if (!f) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot open the result '%s': %s", path,
                        flx_error_text(errno));
    }
    if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) {
        fclose(f);
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' is not a regular file", path);
    }
    unsigned char head[sizeof hdf5_signature] = {0};
    size_t n = fread(head, 1, sizeof head, f);
    flx_status status = flx_input_note(r->ctx, fileno(f), &r->input);
    fclose(f);
    if (status != FLX_OK) return status;
    if (n == 0) return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' is empty", path);
    if (memcmp(head, hdf5_signature, sizeof head) == 0) return flx_result_read_hdf5(r, path);
    return flx_result_read_csv(r, path);
}

flx_status flx_result_create(flx_ctx *ctx, flx_result **out)
{
    const double unknown = (double)NAN;
    *out = NULL;
    flx_result *r = flx_alloc(ctx, 1, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    r->ctx = ctx;
    r->input = -1;
    r->title = "";
    r->work = (flx_result_work){unknown, unknown, unknown, unknown};
    r->arena = flx_arena_create(ctx);
    if (!r->arena) {
        flx_result_close(&r);
        return FLX_ERR_MEMORY;
    }
    *out = r;
    return FLX_OK;
}

flx_status flx_result_open(flx_ctx *ctx, const char *path, flx_result **out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    FLX_TRY(flx_result_create(ctx, out));
    flx_status status = read_any(*out, path);
    if (status != FLX_OK) flx_result_close(out);
    return status;
}

void flx_result_close(flx_result **r_in)
{
    flx_result *r = r_in ? *r_in : NULL;
    if (!r) return;
    if (r->data) flx_free(r->data[0]);
    flx_input_release(r->ctx, r->input);
    flx_free(r->motion);
    flx_free(r->frame);
    flx_free(r->states);
    flx_free(r->facts);
    flx_arena_destroy(&r->arena);
    flx_free(r);
    *r_in = NULL;
}

int flx_result_rows(const flx_result *r)
{
    if (!r) return 0;
    return r->rows;
}

int flx_result_columns(const flx_result *r)
{
    if (!r) return 0;
    return r->columns;
}

static bool has_column(const flx_result *r, int column)
{
    return column >= 0 && column < r->columns;
}

const char *flx_result_name(const flx_result *r, int column)
{
    if (!r) return NULL;
    return has_column(r, column) ? r->names[column] : NULL;
}

const char *flx_result_unit(const flx_result *r, int column)
{
    if (!r) return NULL;
    return has_column(r, column) ? r->units[column] : NULL;
}

const double *flx_result_column(const flx_result *r, int column)
{
    if (!r) return NULL;
    return has_column(r, column) ? r->data[column] : NULL;
}

const char *flx_result_title(const flx_result *r)
{
    if (!r) return NULL;
    return r->title;
}

int flx_result_complete(const flx_result *r)
{
    if (!r) return 0;
    return r->complete;
}

const char *flx_result_model(const flx_result *r)
{
    if (!r) return NULL;
    return r->model;
}

const flx_scene *flx_result_scene(const flx_result *r)
{
    if (!r) return NULL;
    return r->scene;
}

const flx_result_mesh *flx_result_get_mesh(const flx_result *r, int i)
{
    if (!r) return NULL;
    return i >= 0 && i < r->nmesh ? r->meshes + i : NULL;
}

const flx_scene_surface *flx_result_surface(const flx_result *r, int i)
{
    if (!r) return NULL;
    return i >= 0 && i < r->nsurface ? r->surfaces + i : NULL;
}

const double *flx_result_state(const flx_result *r, int i)
{
    if (!r) return NULL;
    return i >= 0 && i < r->nstates ? r->states + (size_t)i * (size_t)r->nstate : NULL;
}

const char *flx_result_structure(const flx_result *r, int *n)
{
    if (!r) return NULL;
    if (n) *n = r->nstate;
    return r->structure;
}

const float *flx_result_motion(const flx_result *r, int *n)
{
    if (!r) return NULL;
    if (n) *n = r->nmotion;
    return r->motion;
}

const char *flx_result_fact(const flx_result *r, int i, const char **text, double *number)
{
    if (!r) return NULL;
    if (i < 0 || i >= r->nfact) return NULL;
    *text = r->facts[i].text;
    *number = r->facts[i].number;
    return r->facts[i].name;
}

const char *flx_result_event(const flx_result *r, int i, double *t)
{
    if (!r) return NULL;
    if (i < 0 || i >= r->nevent) return NULL;
    *t = r->event_times[i];
    return r->event_names[i];
}

const flx_result_work *flx_result_get_work(const flx_result *r)
{
    return &r->work;
}

// ---- names -----------------------------------------------------------------------------------

// Behind the index "(2)" or "(2)(1)" that begins here.
static const char *skip_index(const char *p)
{
    while (*p == '(') {
        const char *close = strchr(p, ')');
        if (!close) break;
        p = close + 1;
    }
    return p;
}

// Whether the column's name is the signal's, or that of a part or member of it: indices may be left
// out, and ".x" may follow. As in `outputs`, rod.modes stands for rod.mode(1), rod.mode(2), ...
static bool matches(const char *name, const char *signal)
{
    static const char mode[] = ".mode";
    const char *first = name;
    while (*signal) {
        bool after = name - first >= 5 && strncmp(name - 5, mode, 5) == 0;
        if (*name == '(' && after && strcmp(signal, "s") == 0) return true;
        if (*name == '(' && *signal != '(') name = skip_index(name);
        if (*name != *signal) return false;
        name++;
        signal++;
    }
    return *name == '\0' || *name == '.' || *name == '(';
}

// The nearest of the names and of what stands before their dots and indices.
static void offer_prefixes(flx_nearest *near, flx_result *r, const char *name)
{
    flx_nearest_offer(near, name);
    for (const char *p = name; *p; p++) {
        if (*p != '.' && *p != '(') continue;
        const char *prefix = flx_arena_copy(r->arena, name, (size_t)(p - name));
        if (prefix) flx_nearest_offer(near, prefix);
    }
}

static void complain(flx_result *r, const char *signal)
{
    flx_nearest near;
    flx_nearest_start(&near, signal);
    for (int c = 0; c < r->columns; c++) offer_prefixes(&near, r, r->names[c]);
    const char *best = flx_nearest_best(&near);
    if (best) {
        FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                 "the result has no signal '%s'; did you mean '%s'?", signal, best);
        return;
    }
    char list[400] = "";
    size_t used = 0;
    for (int c = 0; c < r->columns; c++) {
        int n = flx_snprintf(list + used, sizeof list - used, "%s%s", c ? ", " : "", r->names[c]);
        if (n < 0 || (size_t)n >= sizeof list - used - 5) {
            flx_snprintf(list + used, sizeof list - used, "%s", ", ...");
            break;
        }
        used += (size_t)n;
    }
    FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the result has no signal '%s'; it has: %s",
             signal, list);
}

int flx_result_find(flx_result *r, const char *signal, int max, int *columns)
{
    if (!r || !signal) return 0;
    int n = 0;
    for (int c = 0; c < r->columns && *signal; c++) {
        if (!matches(r->names[c], signal)) continue;
        if (n < max) columns[n] = c;
        n++;
    }
    if (n == 0) complain(r, signal);
    return n < max ? n : max;
}
