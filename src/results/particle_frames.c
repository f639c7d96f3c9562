// particle_frames.c - places of particles, to a result file and back.
#include "results/particle_frames.h"
#include "base/refuse.h"
#include "results/hdf5_values.h"
#include "results/result.h"

#include <string.h>

#define CHUNK 16384 // numbers
#define FIELDS 4
#define WIDTH 6 // numbers of 4 bytes a particle

static const struct field {
    const char *name;
    int first, width; // in the 4 byte numbers of a frame, times its size
} fields[FIELDS] = {{"particles/positions", 0, 3},
                    {"particles/radii", 3, 1},
                    {"particles/speeds", 4, 1},
                    {"particles/labels", 5, 1}};

static hid_t type_of(const struct field *f)
{
    return f->first == 5 ? H5T_NATIVE_INT : H5T_NATIVE_FLOAT;
}

// ---- writing ------------------------------------------------------------------------------------

flx_status flx_frame_spool_add(flx_frame_spool *s, flx_ctx *ctx, double t,
                               const flx_particle_frame *f)
{
    size_t n = (size_t)f->count;
    int capacity = s->capacity;
    if (!s->file) s->file = tmpfile();
    FLX_TRY(flx_grow(ctx, (void **)&s->times, &capacity, s->count + 1, sizeof *s->times));
    FLX_TRY(flx_grow(ctx, (void **)&s->sizes, &s->capacity, s->count + 1, sizeof *s->sizes));
    if (!s->file || fwrite(f->positions, 3 * sizeof(float), n, s->file) != n ||
        fwrite(f->radii, sizeof(float), n, s->file) != n ||
        fwrite(f->speeds, sizeof(float), n, s->file) != n ||
        fwrite(f->labels, sizeof(int), n, s->file) != n) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "places of particles cannot be kept: no room for a scratch file");
    }
    s->times[s->count] = t;
    s->sizes[s->count++] = f->count;
    return FLX_OK;
}

void flx_frame_spool_clear(flx_frame_spool *s)
{
    if (s->file) fclose(s->file);
    flx_free(s->times);
    flx_free(s->sizes);
    *s = (flx_frame_spool){0};
}

static hid_t create(hid_t file, const struct field *f, hsize_t total)
{
    const hsize_t dims[2] = {total, (hsize_t)f->width};
    const hsize_t chunk[2] = {total < CHUNK && total > 0 ? total : CHUNK, (hsize_t)f->width};
    int rank = f->width > 1 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, dims, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (total > 0) H5Pset_chunk(how, rank, chunk);
    if (total > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 1);
    }
    hid_t d = H5Dcreate2(file, f->name, type_of(f), space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return d;
}

// A part of a dataset.
static bool pass(hid_t d, const struct field *f, hsize_t first, hsize_t n, bool writes, void *data)
{
    const hsize_t from[2] = {first, 0}, count[2] = {n, (hsize_t)f->width};
    int rank = f->width > 1 ? 2 : 1;
    if (n == 0) return true;
    hid_t space = H5Dget_space(d), memory = H5Screate_simple(rank, count, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0;
    if (good && writes) good = H5Dwrite(d, type_of(f), memory, space, H5P_DEFAULT, data) >= 0;
    if (good && !writes) good = H5Dread(d, type_of(f), memory, space, H5P_DEFAULT, data) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

static bool put_field(flx_frame_spool *s, hid_t file, const struct field *f, hsize_t total,
                      uint32_t *room)
{
    hid_t d = create(file, f, total);
    bool good = d >= 0;
    hsize_t before = 0;
    for (int i = 0; i < s->count && good; i++) {
        size_t n = (size_t)s->sizes[i];
        long at = (long)(4 * (WIDTH * before + (hsize_t)f->first * n));
        good = fseek(s->file, at, SEEK_SET) == 0 &&
               fread(room, 4 * (size_t)f->width, n, s->file) == n &&
               pass(d, f, before, n, true, room);
        before += n;
    }
    if (d >= 0) H5Dclose(d);
    return good;
}

bool flx_frame_spool_put(flx_frame_spool *s, flx_ctx *ctx, hid_t file)
{
    if (!s->file) return true;
    hsize_t most = 1, total = 0, frames = (hsize_t)s->count, ends = frames + 1;
    long long *start = flx_alloc(ctx, (size_t)ends, sizeof *start);
    for (int i = 0; start && i < s->count; i++) {
        total += (hsize_t)s->sizes[i];
        start[i + 1] = (long long)total;
        if ((hsize_t)s->sizes[i] > most) most = (hsize_t)s->sizes[i];
    }
    uint32_t *room = flx_alloc_unset(ctx, 3 * (size_t)most, sizeof *room);
    hid_t group = H5Gcreate2(file, "particles", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = start && room && group >= 0 &&
                flx_hdf5_put(file, "particles/t", H5T_NATIVE_DOUBLE, 1, &frames, s->times) &&
                flx_hdf5_put(file, "particles/start", H5T_NATIVE_LLONG, 1, &ends, start);
    for (int k = 0; k < FIELDS && good; k++) good = put_field(s, file, fields + k, total, room);
    if (group >= 0) H5Gclose(group);
    flx_free(room);
    flx_free(start);
    return good && fseek(s->file, 0, SEEK_END) == 0;
}

// ---- reading ------------------------------------------------------------------------------------

flx_status flx_result_read_frames(flx_result *r, hid_t file, const char *path)
{
    hsize_t n[3] = {0}, ends[3] = {0};
    if (H5Lexists(file, "particles", H5P_DEFAULT) <= 0) return FLX_OK;
    flx_hdf5_source source = {r, file, false};
    const double *t = flx_hdf5_take(&source, "particles/t", H5T_NATIVE_DOUBLE, 1, n);
    const long long *start = flx_hdf5_take(&source, "particles/start", H5T_NATIVE_LLONG, 1, ends);
    bool good = t && start && ends[0] == n[0] + 1 && n[0] < INT32_MAX && start[0] == 0;
    for (hsize_t i = 0; good && i < n[0]; i++)
        good = start[i + 1] >= start[i] && start[i + 1] - start[i] < INT32_MAX / 8;
    if (!good) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' is damaged: its particles cannot be read", path);
    }
    r->path = flx_arena_copy(r->arena, path, strlen(path));
    r->nframe = (int)n[0];
    r->frame_times = t;
    r->frame_starts = start;
    return r->path ? FLX_OK : FLX_ERR_MEMORY;
}

static bool read_frame(flx_result *r, int i, size_t n)
{
    bool good = true;
    hid_t file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int k = 0; k < FIELDS && good && file >= 0; k++) {
        hid_t d = H5Dopen2(file, fields[k].name, H5P_DEFAULT);
        void *to = (uint32_t *)r->frame + (size_t)fields[k].first * n;
        good = d >= 0 && pass(d, fields + k, (hsize_t)r->frame_starts[i], n, false, to);
        if (d >= 0) H5Dclose(d);
    }
    if (file >= 0) H5Fclose(file);
    return good && file >= 0;
}

flx_status flx_result_particles(flx_result *r, int i, double *t, flx_particle_frame *out)
{
    if (!r || !out) return flx_refuse_null(NULL, __func__);
    if (i < 0 || i >= r->nframe) {
        return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the result has %d frames of particles, and no number %d", r->nframe, i);
    }
    size_t n = (size_t)(r->frame_starts[i + 1] - r->frame_starts[i]);
    FLX_TRY(flx_grow(r->ctx, &r->frame, &r->frame_capacity, (int)n + 1, WIDTH * sizeof(float)));
    flx_hdf5_silence before = flx_hdf5_hush();
    bool good = read_frame(r, i, n);
    flx_hdf5_speak(before);
    if (!good) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s': particles cannot be read any more",
                        r->path);
    }
    const float *all = r->frame;
    *t = r->frame_times[i];
    *out = (flx_particle_frame){.count = (int)n,
                                .positions = all,
                                .radii = all + 3 * n,
                                .speeds = all + 4 * n,
                                .labels = (const int *)r->frame + 5 * n};
    return FLX_OK;
}

int flx_result_frames(const flx_result *r)
{
    if (!r) return 0;
    return r->nframe;
}
