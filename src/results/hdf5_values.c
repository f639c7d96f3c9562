// hdf5_values.c - arrays of a result file, written and read whole.
#include "results/hdf5_values.h"
#include "base/number.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

flx_hdf5_silence flx_hdf5_hush(void)
{
    flx_hdf5_silence before;
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    return before;
}

void flx_hdf5_speak(flx_hdf5_silence before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

#define MOST_ITEMS 100000

// ---- writing ------------------------------------------------------------------------------------

hid_t flx_hdf5_text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

bool flx_hdf5_put(hid_t place, const char *name, hid_t type, int rank, const hsize_t *dims,
                  const void *data)
{
    hid_t space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = d >= 0 && H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (d >= 0) H5Dclose(d);
    H5Sclose(space);
    return good;
}

bool flx_hdf5_put_groups(hid_t place, const char *name, int n,
                         bool (*put_one)(hid_t group, const void *of, int i), const void *of)
{
    if (n == 0) return true;
    hid_t all = H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = all >= 0;
    for (int i = 0; i < n && good; i++) {
        char number[16];
        flx_snprintf(number, sizeof number, "%d", i);
        hid_t group = H5Gcreate2(all, number, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        good = group >= 0 && put_one(group, of, i);
        if (group >= 0) H5Gclose(group);
    }
    if (all >= 0) H5Gclose(all);
    return good;
}

bool flx_hdf5_put_text(hid_t place, const char *name, const char *text)
{
    if (!text) text = "";
    hid_t type = flx_hdf5_text_type(strlen(text));
    bool good = flx_hdf5_put(place, name, type, 0, NULL, text);
    H5Tclose(type);
    return good;
}

bool flx_hdf5_put_texts(flx_ctx *ctx, hid_t place, const char *name, const char *first, int n,
                        const char *const *texts)
{
    size_t longest = strlen(first ? first : "") + 1;
    for (int i = 0; i < n; i++)
        longest = texts[i] && strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    char *block = flx_alloc(ctx, (size_t)n + 1, longest);
    if (!block) return false;
    if (first) memcpy(block, first, strlen(first));
    for (int i = 0; i < n; i++) {
        if (texts[i]) memcpy(block + (size_t)(i + 1) * longest, texts[i], strlen(texts[i]));
    }
    const hsize_t dims[1] = {(hsize_t)n + 1};
    hid_t type = flx_hdf5_text_type(longest);
    bool good = flx_hdf5_put(place, name, type, 1, dims, block);
    H5Tclose(type);
    flx_free(block);
    return good;
}

bool flx_hdf5_put_group(hid_t place, const char *name)
{
    hid_t g = H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (g >= 0) H5Gclose(g);
    return g >= 0;
}

// ---- reading ------------------------------------------------------------------------------------

static hid_t open_array(hid_t file, const char *path)
{
    return H5Lexists(file, path, H5P_DEFAULT) > 0 ? H5Dopen2(file, path, H5P_DEFAULT) : -1;
}

void *flx_hdf5_take(flx_hdf5_source *s, const char *path, hid_t type, int rank, hsize_t dims[3])
{
    hid_t d = open_array(s->file, path);
    if (d < 0) return NULL;
    void *data = NULL;
    hid_t space = H5Dget_space(d);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    bool fits =
        H5Sget_simple_extent_ndims(space) == rank && count > 0 && count < INT_MAX &&
        H5Dget_storage_size(d) >= (hsize_t)count; // a damaged size asks for more than there is
    if (fits && rank > 0) H5Sget_simple_extent_dims(space, dims, NULL);
    if (fits) {
        data = flx_arena_take(s->r->arena, (size_t)count, H5Tget_size(type));
        if (!data) s->failed = true;
    }
    if (data && H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) data = NULL;
    H5Sclose(space);
    H5Dclose(d);
    return data;
}

const char **flx_hdf5_take_texts(flx_hdf5_source *s, const char *path, int *n)
{
    hid_t d = H5Dopen2(s->file, path, H5P_DEFAULT);
    if (d < 0) return NULL;
    const char **texts = NULL;
    char *block = NULL;
    hid_t type = H5Dget_type(d), space = H5Dget_space(d);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) goto done;
    if (count < 1 || count > INT_MAX || length < 1) goto done;

    block = flx_alloc(s->r->ctx, (size_t)count, length);
    texts = flx_arena_take(s->r->arena, (size_t)count, sizeof *texts);
    if (!block || !texts) s->failed = true;
    if (!block || !texts || H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) {
        texts = NULL;
        goto done;
    }
    for (hssize_t i = 0; i < count; i++) {
        const char *text = block + (size_t)i * length;
        texts[i] = flx_arena_copy(s->r->arena, text, strnlen(text, length));
        if (!texts[i]) texts[i] = "";
    }
    *n = (int)count;

done:
    flx_free(block);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(d);
    return texts;
}

int flx_hdf5_count(hid_t file, const char *path)
{
    int n = 0;
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return 0;
    for (; n < MOST_ITEMS; n++) {
        char item[64];
        flx_snprintf(item, sizeof item, "%s/%d", path, n);
        if (H5Lexists(file, item, H5P_DEFAULT) <= 0) break;
    }
    return n;
}
