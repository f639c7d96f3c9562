// matrix_file.h - the matrices of tests/reference/data, which are files in the format of Matrix Market.
#pragma once

#include "base/number.h"
#include "check.h"

typedef struct matrix {
    int rows, columns;
    double *x; // by columns; the caller frees it
} matrix;

static inline int read_matrix(const char *name, matrix *out)
{
    char path[500], line[300];
    int entries = 0;
    snprintf(path, sizeof path, FLX_TESTS "/reference/data/%s.mtx", name);
    FILE *f = fopen(path, "r");
    CHECK(f);
    do CHECK(fgets(line, sizeof line, f));
    while (line[0] == '%');
    CHECK(sscanf(line, "%d %d %d", &out->rows, &out->columns, &entries) == 3);
    out->x = calloc((size_t)out->rows * (size_t)out->columns, sizeof *out->x);
    CHECK(out->x);
    for (int k = 0; k < entries; k++) {
        char *end;
        CHECK(fgets(line, sizeof line, f));
        long i = strtol(line, &end, 10), j = strtol(end, &end, 10);
        out->x[(j - 1) * out->rows + i - 1] = flx_number_read(end + 1, &end); // in every locale
        CHECK(*end == '\n');
    }
    fclose(f);
    return 0;
}
