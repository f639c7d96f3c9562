// export.c - a model to a file of source text: functions made, planned, written.
#include "flexion/export.h"

#include "export/code.h"

#include <errno.h>
#include <string.h>

// ---- header -------------------------------------------------------------------------------------

static void write_names(FILE *f, const char *prefix, const char *array, int n, const flx_name *names)
{
    for (int i = 0; i < n; i++) {
        fprintf(f, "%s  %s[%d]  %s, %s [%s]\n", prefix, array, i, names[i].item, names[i].part,
                names[i].unit);
    }
}

static void write_text(FILE *f, const char *prefix, const char *text)
{
    fputs(prefix, f);
    for (const char *c = text; *c; c++) {
        bool ends_comment = c[0] == '*' && c[1] == '/';
        fputc((unsigned char)*c < ' ' || ends_comment ? ' ' : *c, f);
    }
    fputc('\n', f);
}

void flx_write_header(FILE *f, const flx_functions *all, const char *prefix)
{
    const flx_symbolic *x = &all->x;
    const flx_model *m = x->m;
    fprintf(f, "%sEquations of motion in the coordinates of the joints, written by Flexion %s.\n",
            prefix, flx_version());
    if (m->title && m->title[0]) write_text(f, prefix, m->title);
    fprintf(f, "%sUnits are those of the model: SI units in, SI units out; t in s.\n", prefix);
    fprintf(f, "%s\n%sCoordinates q, %d; zero as drawn, but for places and quaternions of free "
               "bodies:\n",
            prefix, prefix, x->nq);
    write_names(f, prefix, "q", x->nq, all->q);
    fprintf(f, "%sVelocities v, %d; accelerations a and efforts tau (N, Nm) in the same order:\n",
            prefix, x->nv);
    write_names(f, prefix, "v", x->nv, all->v);
    if (m->nstate > 0) fprintf(f, "%sStates x, %d:\n", prefix, m->nstate);
    for (int i = 0; i < m->nfirst; i++) {
        fprintf(f, "%s  x[%d]  %s\n", prefix, m->firsts[i].number, m->firsts[i].name);
    }
    fprintf(f, "%sParameters p, %d%s\n", prefix, all->np, all->np ? ":" : "");
    for (int i = 0; i < all->np; i++) {
        fprintf(f, "%s  p[%d]  %s = %.17g\n", prefix, i, all->parameters[i], all->defaults[i]);
    }
    if (x->nrow > 0) fprintf(f, "%sClosures, %d, with multipliers lam:\n", prefix, x->nrow);
    for (int i = 0; i < x->nrow; i++) {
        const flx_node_row *r = x->rows + i;
        fprintf(f, "%s  lam[%d]  %s%s%s%s\n", prefix, i, r->item, r->part[0] ? ", " : "", r->part,
                r->velocity ? " (of velocities)" : "");
    }
}

// ---- files --------------------------------------------------------------------------------------

static flx_status write_file(const flx_functions *all, const flx_code *codes, const char *path)
{
    static const flx_writer writers[] = {[FLX_EXPORT_C] = flx_write_c,
                                         [FLX_EXPORT_PYTHON] = flx_write_python,
                                         [FLX_EXPORT_OCTAVE] = flx_write_octave,
                                         [FLX_EXPORT_LATEX] = flx_write_latex};
    bool standard = strcmp(path, "-") == 0;
    flx_ctx *ctx = all->x.ctx;
    FILE *f = standard ? stdout : fopen(path, "w");
    if (!f) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write '%s': %s", path,
                        strerror(errno));
    }
    flx_status status = writers[all->options.language](f, all, codes);
    bool bad = ferror(f) != 0;
    bad = (standard ? fflush(f) : fclose(f)) != 0 || bad;
    if (status == FLX_OK && bad) {
        status = FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write all of '%s': %s", path,
                          strerror(errno));
    }
    return status;
}

flx_status flx_model_export(const flx_model *model, const flx_export_options *options,
                            const char *path)
{
    flx_functions all;
    flx_code codes[FLX_FUNCTIONS_MAX] = {0};
    FLX_TRY(flx_functions_create(model, options, &all));
    flx_status status = FLX_OK;
    for (int i = 0; i < all.n && status == FLX_OK; i++) {
        status = flx_code_plan(&all, all.f + i, codes + i);
    }
    if (status == FLX_OK) status = write_file(&all, codes, path);
    for (int i = 0; i < all.n; i++) flx_code_clear(codes + i);
    flx_functions_clear(&all);
    return status;
}
