// write_matrices.c - matrices and tables that an analysis found; see write_matrices.h.
#include "cli/tables/write_matrices.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_is_matrix_kind(const char *kind)
{
    return strcmp(kind, "mat") == 0 || strcmp(kind, "mtx") == 0 || strcmp(kind, "h5") == 0;
}

// "_name.mat" or "_name_A.mtx"; NULL: no memory.
static const char *name_file(const char *model, const char *name, const char *table,
                             const char *kind)
{
    size_t n = strlen(name) + (table ? strlen(table) : 0) + strlen(kind) + 4;
    char *ending = malloc(n);
    if (!ending) return NULL;
    snprintf(ending, n, "_%s%s%s.%s", name, table ? "_" : "", table ? table : "", kind);
    const char *file = cli_named_after(model, ending);
    free(ending);
    return file;
}

// ---- MAT-files: a head of five whole numbers, the name, the numbers by columns --------------------------

static void put_whole(FILE *file, int value)
{
    uint32_t v = (uint32_t)value;
    for (int k = 0; k < 4; k++) fputc((int)(v >> (8 * k) & 255u), file);
}

static void put_number(FILE *file, double value)
{
    uint64_t v;
    memcpy(&v, &value, sizeof v);
    for (int k = 0; k < 8; k++) fputc((int)(v >> (8 * k) & 255u), file);
}

static void put_mat(FILE *file, const flx_finding_table *t)
{
    char name[64];
    size_t n = 0;
    for (const char *c = t->name; *c && n + 1 < sizeof name; c++)
        name[n++] = (char)(isalnum((unsigned char)*c) ? *c : '_');
    name[n] = 0;
    put_whole(file, 0); // little-endian, double precision, full
    put_whole(file, t->nrow);
    put_whole(file, t->ncolumn);
    put_whole(file, 0); // real
    put_whole(file, (int)n + 1);
    fwrite(name, 1, n + 1, file);
    for (int j = 0; j < t->ncolumn; j++) {
        for (int i = 0; i < t->nrow; i++) put_number(file, t->values[i * t->ncolumn + j]);
    }
}

static flx_status write_mat(flx_ctx *ctx, const char *path, const flx_finding *f)
{
    flx_output *o = NULL;
    flx_status status = flx_output_create(ctx, "the matrices", path, &o);
    if (status != FLX_OK) return status;
    for (int i = 0; i < f->ntable; i++) put_mat(flx_output_file(o), f->tables + i);
    return flx_output_close(&o, FLX_OK);
}

// ---- Matrix Market --------------------------------------------------------------------------------------

static flx_status write_market(flx_ctx *ctx, const char *path, const flx_finding_table *t)
{
    flx_output *o = NULL;
    int n = 0;
    flx_status status = flx_output_create(ctx, "the matrix", path, &o);
    if (status != FLX_OK) return status;
    FILE *file = flx_output_file(o);
    for (int i = 0; i < t->nrow * t->ncolumn; i++) n += t->values[i] != 0.0;
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", t->nrow,
            t->ncolumn, n);
    for (int j = 0; j < t->ncolumn; j++) {
        for (int i = 0; i < t->nrow; i++) {
            double v = t->values[i * t->ncolumn + j];
            if (v != 0.0) fprintf(file, "%d %d %.17g\n", i + 1, j + 1, v);
        }
    }
    return flx_output_close(&o, FLX_OK);
}

flx_status cli_write_matrices(flx_ctx *ctx, const char *model, const char *name, const char *kind,
                              const flx_finding *f)
{
    bool market = strcmp(kind, "mtx") == 0;
    flx_status status = FLX_OK;
    if (f->ntable == 0) return FLX_OK;
    for (int i = 0; status == FLX_OK && i < (market ? f->ntable : 1); i++) {
        if (market && f->tables[i].columns) continue; // a table: CSV has it
        const char *file = name_file(model, name, market ? f->tables[i].name : NULL, kind);
        if (!file) return FLX_ERR_MEMORY;
        status = market                    ? write_market(ctx, file, f->tables + i)
                 : strcmp(kind, "h5") == 0 ? flx_finding_write(ctx, file, name, f)
                                           : write_mat(ctx, file, f);
        if (status == FLX_OK) printf("  %s in %s\n", market ? f->tables[i].name : "matrices", file);
    }
    return status;
}
