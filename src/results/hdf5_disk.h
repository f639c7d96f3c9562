// hdf5_disk.h - how HDF5 reaches the disk when results are laid out: by a driver of ours. A write that
// fails inside HDF5 leaves the library in a state in which it crashes when the program ends, so that
// the driver keeps the error for us and tells HDF5 that all is well.
#pragma once

#include <hdf5.h>

typedef struct flx_hdf5_disk {
    hid_t driver;
    int error; // errno of the first failure; 0: none
} flx_hdf5_disk;

// A new, empty file by that driver; access: its property list, changed here. Negative: failed.
hid_t flx_hdf5_disk_create(flx_hdf5_disk *disk, const char *path, hid_t access);
// After H5Fclose.
void flx_hdf5_disk_end(flx_hdf5_disk *disk);
