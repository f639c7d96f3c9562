// vtu.h - results at nodes as VTK files, which ParaView and others show.
#pragma once

#include "fe/fe_equations.h"

typedef struct flx_vtu_field {
    char name[64];
    int components;     // 1, 3 or 6
    int stride, offset; // of a node's values in `values`
    const double *values;
    bool cells; // values of elements, not of nodes
} flx_vtu_field;

// All elements with mechanics, the numbers of nodes and elements, and the fields. FLX_ERR_IO.
flx_status flx_vtu_write(const flx_fe *fe, const char *path, int nfield,
                         const flx_vtu_field *fields);
