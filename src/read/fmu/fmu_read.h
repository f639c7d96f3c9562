// fmu_read.h - modelDescription.xml read (fmu_read.c) and held to the standard (fmu_rules.c; what it is made of: fmu_structure.c).
#pragma once

#include "flexion/fmi.h"
#include "read/fmu/zip.h"
#include "read/robot/xml.h"

typedef struct flx_fmu_reader {
    flx_fmu_info info;
    flx_ctx *ctx;
    flx_arena *arena; // owned; all texts
    const char *file; // interned: of messages
    flx_archive archive;
    const flx_xml *root, *variables, *structure;
    const flx_xml **elements; // (nport) of the variables
    const flx_xml *
        *values; // (nport) with their attributes: of FMI 2 <Real>, of FMI 3 the variable itself
} flx_fmu_reader;

static inline flx_loc flx_fmu_place(const flx_fmu_reader *r, const flx_xml *e)
{
    return e ? e->loc : (flx_loc){r->file, 0, 0, NULL};
}
#define FLX_FMU_WRONG(r, e, ...)                                                                   \
    ((void)FLX_FAIL((r)->ctx, FLX_ERR_MODEL, flx_fmu_place(r, e), __VA_ARGS__))

// What is wrong is told; reading goes on.
void flx_fmu_check_variables(flx_fmu_reader *r);
void flx_fmu_check_structure(flx_fmu_reader *r);
void flx_fmu_check_schema(flx_fmu_reader *r); // attributes of elements: fmu_schema.c
// Number of the variable with this name, or with this reference; -1: none.
int flx_fmu_find_reference(const flx_fmu_reader *r, unsigned reference);
// A whole number from 0 on; false: it is none.
bool flx_fmu_read_count(const char *text, unsigned *out);
