// hdf5_values.h - arrays of a result file, written and read whole.
#pragma once

#include "results/result.h"

#include <hdf5.h>

// HDF5 prints its errors by itself unless told otherwise; the program's own setting comes back.
typedef struct flx_hdf5_silence {
    H5E_auto2_t function;
    void *data;
} flx_hdf5_silence;
flx_hdf5_silence flx_hdf5_hush(void); // errno is 0 then
void flx_hdf5_speak(flx_hdf5_silence before);

// ---- writing: false where HDF5 refuses ----------------------------------------------------------

// rank 0: one number.
bool flx_hdf5_put(hid_t place, const char *name, hid_t type, int rank, const hsize_t *dims,
                  const void *data);
// n groups `0`, `1`, ... in the group `name`, each filled by put_one; nothing where n is 0.
bool flx_hdf5_put_groups(hid_t place, const char *name, int n,
                         bool (*put_one)(hid_t group, const void *of, int i), const void *of);
bool flx_hdf5_put_text(hid_t place, const char *name, const char *text);
// `first` and n more texts as one array of texts; NULL among them is "".
bool flx_hdf5_put_texts(flx_ctx *ctx, hid_t place, const char *name, const char *first, int n,
                        const char *const *texts);
bool flx_hdf5_put_group(hid_t place, const char *name);
hid_t flx_hdf5_text_type(size_t length); // closed by the caller

// ---- reading: into the arena of the result ------------------------------------------------------

typedef struct flx_hdf5_source {
    flx_result *r;
    hid_t file;
    bool failed; // there was no memory
} flx_hdf5_source;

// The numbers of an array with `rank` dimensions; NULL: it is missing, empty, damaged, or of another rank.
void *flx_hdf5_take(flx_hdf5_source *s, const char *path, hid_t type, int rank, hsize_t dims[3]);
// Texts; NULL likewise.
const char **flx_hdf5_take_texts(flx_hdf5_source *s, const char *path, int *n);
// How many of path/0, path/1, ... there are. By name: listing the links of a damaged file can end the program.
int flx_hdf5_count(hid_t file, const char *path);
