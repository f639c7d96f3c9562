// finding_file.c - what an analysis found, as an HDF5 file: /analyses/NAME has a matrix as an array, and a table as a group
// with its values, names of columns and units.
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/simulation.h"
#include "results/hdf5_disk.h"
#include "results/hdf5_values.h"

#include <errno.h>

static bool put_table(flx_ctx *ctx, hid_t place, const flx_finding_table *t)
{
    const hsize_t dims[2] = {(hsize_t)t->nrow, (hsize_t)t->ncolumn};
    if (!t->columns) return flx_hdf5_put(place, t->name, H5T_NATIVE_DOUBLE, 2, dims, t->values);
    hid_t group = H5Gcreate2(place, t->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good =
        group >= 0 && flx_hdf5_put(group, "values", H5T_NATIVE_DOUBLE, 2, dims, t->values) &&
        flx_hdf5_put_texts(ctx, group, "columns", t->columns[0], t->ncolumn - 1, t->columns + 1) &&
        flx_hdf5_put_texts(ctx, group, "units", t->units[0], t->ncolumn - 1, t->units + 1);
    if (group >= 0) H5Gclose(group);
    return good;
}

static bool put_finding(flx_ctx *ctx, hid_t file, const char *name, const flx_finding *f)
{
    bool good = flx_hdf5_put_group(file, "analyses");
    hid_t all = good ? H5Gopen2(file, "analyses", H5P_DEFAULT) : -1;
    hid_t group = all >= 0 ? H5Gcreate2(all, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = group >= 0;
    if (good && f->nline > 0)
        good = flx_hdf5_put_texts(ctx, group, "lines", f->lines[0], f->nline - 1, f->lines + 1);
    for (int i = 0; good && i < f->ntable; i++) good = put_table(ctx, group, f->tables + i);
    if (group >= 0) H5Gclose(group);
    if (all >= 0) H5Gclose(all);
    return good;
}

flx_status flx_finding_write(flx_ctx *ctx, const char *path, const char *name, const flx_finding *f)
{
    if (!ctx || !f) return flx_refuse_null(ctx, __func__);
    flx_output *o = NULL;
    flx_hdf5_disk disk;
    flx_status status = flx_output_reserve(ctx, "what was found", path, &o);
    if (status != FLX_OK) return status;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    hid_t file = flx_hdf5_disk_create(&disk, o->part, access);
    bool good = file >= 0 && put_finding(ctx, file, name, f);
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    flx_hdf5_disk_end(&disk);
    H5Pclose(access);
    errno = disk.error;
    if (!good || disk.error != 0)
        status = flx_output_fail(o, disk.error ? "" : "HDF5 refused");
    else if (!flx_output_commit(o))
        status = flx_output_fail(o, "");
    flx_output_drop(&o);
    return status;
}
