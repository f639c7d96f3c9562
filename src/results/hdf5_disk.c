// hdf5_disk.c - a driver of HDF5's files that never fails in its sight; see hdf5_disk.h.
#include "results/hdf5_disk.h"

#include "base/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct disk_file {
    H5FD_t base; // HDF5's part comes first
    flx_hdf5_disk *disk;
    int fd;
    haddr_t end, size; // of what is allocated, of the file
} disk_file;

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    flx_hdf5_disk *const *disk = H5Pget_driver_info(access);
    disk_file *f = disk ? calloc(1, sizeof *f) : NULL;
    (void)most;
    if (!f) return NULL;
    f->disk = *disk;
    f->fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0), 0666);
    if (f->fd >= 0) return &f->base;
    f->disk->error = errno;
    free(f);
    return NULL;
}

static void keep_error(disk_file *f)
{
    if (f->disk->error == 0) f->disk->error = errno ? errno : EIO;
}

static herr_t close_file(H5FD_t *base)
{
    disk_file *f = (disk_file *)base;
    if (close(f->fd) != 0) keep_error(f);
    free(f);
    return 0;
}

static int compare_files(const H5FD_t *a, const H5FD_t *b)
{
    return a < b ? -1 : a > b;
}

static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA; // as those of plain files
    return 0;
}

static haddr_t get_end(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)base)->end;
}

static herr_t set_end(H5FD_t *base, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((disk_file *)base)->end = end;
    return 0;
}

static haddr_t get_size(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)base)->size;
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t how, haddr_t at, size_t n, void *out)
{
    disk_file *f = (disk_file *)base;
    char *p = out;
    (void)type;
    (void)how;
    while (n > 0) {
        ssize_t r = pread(f->fd, p, n, (off_t)at);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) keep_error(f);
        if (r <= 0) break;
        p += r;
        at += (haddr_t)r;
        n -= (size_t)r;
    }
    memset(p, 0, n); // behind the end, or what could not be written
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t how, haddr_t at, size_t n,
                          const void *from)
{
    disk_file *f = (disk_file *)base;
    const char *p = from;
    (void)type;
    (void)how;
    if (at + n > f->size) f->size = at + n;
    while (n > 0 && f->disk->error == 0) {
        ssize_t w = pwrite(f->fd, p, n, (off_t)at);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) {
            keep_error(f);
            break;
        }
        p += w;
        at += (haddr_t)w;
        n -= (size_t)w;
    }
    return 0;
}

static herr_t cut(H5FD_t *base, hid_t how, hbool_t closing)
{
    disk_file *f = (disk_file *)base;
    (void)how;
    (void)closing;
    if (f->size == f->end) return 0;
    if (f->disk->error == 0 && ftruncate(f->fd, (off_t)f->end) != 0) keep_error(f);
    f->size = f->end;
    return 0;
}

hid_t flx_hdf5_disk_create(flx_hdf5_disk *disk, const char *path, hid_t access)
{
    static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)512, // of those that are nobody's
#endif
        .name = "flexion",
        .maxaddr = (haddr_t)INT64_MAX,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(flx_hdf5_disk *),
        .open = open_file,
        .close = close_file,
        .cmp = compare_files,
        .query = query,
        .get_eoa = get_end,
        .set_eoa = set_end,
        .get_eof = get_size,
        .read = read_bytes,
        .write = write_bytes,
        .truncate = cut,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    *disk = (flx_hdf5_disk){.driver = H5FDregister(&driver), .error = 0};
    if (disk->driver < 0 || H5Pset_driver(access, disk->driver, &disk) < 0) return -1;
    return H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
}

void flx_hdf5_disk_end(flx_hdf5_disk *disk)
{
    if (disk->driver >= 0) H5FDunregister(disk->driver);
}
