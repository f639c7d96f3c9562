// structure_file.c - the matrices of a structure as Matrix Market files.
#include "reduce/structure_file.h"
#include "base/number.h"
#include "base/output_file.h"

#include <stdio.h>

static const char *const components[] = {"x", "y", "z", "rx", "ry", "rz"};

static flx_status begin(const flx_free_structure *s, const char *prefix, const char *ending,
                        flx_output **o)
{
    char path[4096];
    int n = flx_snprintf(path, sizeof path, "%s%s", prefix, ending);
    if (n < 0 || (size_t)n >= sizeof path) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the name of the files is too long");
    }
    return flx_output_create(s->ctx, "the matrix", path, o);
}

// The lower triangle, without entries that are zero.
static flx_status write_symmetric(const flx_free_structure *s, const char *prefix,
                                  const char *ending, const flx_symmetric *A)
{
    flx_output *o = NULL;
    long long entries = 0;
    FLX_TRY(begin(s, prefix, ending, &o));
    FILE *f = flx_output_file(o);
    for (int64_t i = 0; i < A->start[A->n]; i++) entries += A->value[i] != 0;
    flx_fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %lld\n", A->n, A->n,
                entries);
    for (int j = 0; j < A->n; j++) {
        for (int64_t i = A->start[j]; i < A->start[j + 1]; i++) {
            if (A->value[i] != 0)
                flx_fprintf(f, "%d %d %.17g\n", A->row[i] + 1, j + 1, A->value[i]);
        }
    }
    return flx_output_close(&o, FLX_OK);
}

static flx_status write_ports(const flx_free_structure *s, const char *prefix)
{
    flx_output *o = NULL;
    int ports = 0;
    long entries = 0;
    for (int i = 0; i < 6 * s->ninterface; i++) {
        int count = s->interfaces[i / 6].count[i % 6];
        ports += count > 0;
        entries += count;
    }
    FLX_TRY(begin(s, prefix, "_B.mtx", &o));
    FILE *f = flx_output_file(o);
    flx_fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%d %d %ld\n", s->K->n, ports,
                entries);
    for (int i = 0, port = 0; i < 6 * s->ninterface; i++) {
        const flx_interface *face = s->interfaces + i / 6;
        int c = i % 6;
        port += face->count[c] > 0;
        for (int k = 0; k < face->count[c]; k++)
            flx_fprintf(f, "%d %d %.17g\n", face->unknown[c][k] + 1, port, face->weight[c][k]);
    }
    FLX_TRY(flx_output_close(&o, FLX_OK));
    FLX_TRY(begin(s, prefix, "_ports.csv", &o));
    f = flx_output_file(o);
    flx_fprintf(f, "column,port\n");
    for (int i = 0, port = 0; i < 6 * s->ninterface; i++) {
        if (s->interfaces[i / 6].count[i % 6] > 0)
            flx_fprintf(f, "%d,%s.%s\n", ++port, s->interfaces[i / 6].name, components[i % 6]);
    }
    return flx_output_close(&o, FLX_OK);
}

static flx_status write_unknowns(const flx_free_structure *s, const char *prefix)
{
    flx_output *o = NULL;
    if (!s->label) return FLX_OK;
    FLX_TRY(begin(s, prefix, "_unknowns.csv", &o));
    FILE *f = flx_output_file(o);
    flx_fprintf(f, "row,node,component,x,y,z\n");
    for (int i = 0; i < s->K->n; i++) {
        const double *x = s->at + 3 * (size_t)i;
        flx_fprintf(f, "%d,%d,%s,%.17g,%.17g,%.17g\n", i + 1, s->label[i],
                    components[s->component[i]], x[0], x[1], x[2]);
    }
    return flx_output_close(&o, FLX_OK);
}

flx_status flx_structure_write(const flx_free_structure *s, const char *prefix)
{
    FLX_TRY(write_symmetric(s, prefix, "_K.mtx", s->K));
    FLX_TRY(write_symmetric(s, prefix, "_M.mtx", s->M));
    if (s->S) FLX_TRY(write_symmetric(s, prefix, "_S.mtx", s->S));
    if (s->D) FLX_TRY(write_symmetric(s, prefix, "_D.mtx", s->D));
    if (s->ninterface > 0) FLX_TRY(write_ports(s, prefix));
    return write_unknowns(s, prefix);
}
