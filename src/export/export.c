// export.c - a model to a file of source text: functions made, planned, written.
#include "flexion/export.h"

#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "export/code.h"

#include <string.h>

// ---- header -------------------------------------------------------------------------------------

typedef struct header {
    FILE *f;
    const char *prefix, *entry;
    int first;
} header;

static void begin_entry(const header *h, const char *array, int i)
{
    flx_fprintf(h->f, "%s  ", h->prefix);
    flx_fprintf(h->f, h->entry, array, h->first + i);
    fputs("  ", h->f);
}

static void write_names(const header *h, const char *array, int n, const flx_name *names)
{
    for (int i = 0; i < n; i++) {
        begin_entry(h, array, i);
        flx_fprintf(h->f, "%s, %s [%s]\n", names[i].item, names[i].part, names[i].unit);
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

static void write_value(FILE *f, const char *name, double value)
{
    flx_fprintf(f, "%s = ", name);
    flx_write_number(f, value);
    fputs("\n", f);
}

void flx_write_header(FILE *f, const flx_functions *all, const flx_language *l)
{
    const char *prefix = l->comment;
    const flx_symbolic *x = &all->x;
    const flx_model *m = x->m;
    const header h = {f, prefix, l->entry, l->first};
    flx_fprintf(f,
                "%sEquations of motion in the coordinates of the joints, written by Flexion %s.\n",
                prefix, flx_version());
    if (m->title && m->title[0]) write_text(f, prefix, m->title);
    flx_fprintf(f, "%sUnits are the model's: m, kg, s, rad, N.\n", prefix);
    flx_fprintf(f,
                "%sCoordinates q, %d; 0 in the initial configuration, but for places and "
                "quaternions of free bodies:\n",
                prefix, x->nq);
    write_names(&h, "q", x->nq, all->q);
    flx_fprintf(f,
                "%sVelocities v, %d; accelerations a and efforts tau (N, Nm) in the same order:\n",
                prefix, x->nv);
    write_names(&h, "v", x->nv, all->v);
    if (m->nstate > 0) flx_fprintf(f, "%sStates x, %d:\n", prefix, m->nstate);
    for (int i = 0; i < m->nfirst; i++) {
        if (m->firsts[i].algebraic) continue;
        begin_entry(&h, "x", m->firsts[i].number);
        flx_fprintf(f, "%s\n", m->firsts[i].name);
    }
    if (all->nu > 0) flx_fprintf(f, "%sInputs u, %d:\n", prefix, all->nu);
    for (int i = 0; i < all->nu; i++) {
        begin_entry(&h, "u", i);
        flx_fprintf(f, "%s%s%s%s\n", all->u[i]->name, all->u[i]->unit[0] ? " [" : "",
                    all->u[i]->unit, all->u[i]->unit[0] ? "]" : "");
    }
    for (int i = 0; i < m->ninput; i++) {
        if (x->given[i]) continue;
        flx_fprintf(f, "%sInput %s has the model's value: its rates are needed.\n", prefix,
                    m->inputs[i].name);
    }
    if (all->ny > 0) flx_fprintf(f, "%sOutputs y, %d:\n", prefix, all->ny);
    for (int i = 0; i < all->ny; i++) {
        begin_entry(&h, "y", i);
        flx_fprintf(f, "%s%s%s%s\n", all->y[i]->name, all->y[i]->unit[0] ? " [" : "",
                    all->y[i]->unit, all->y[i]->unit[0] ? "]" : "");
    }
    if (all->nsilent > 0)
        flx_fprintf(f, "%sNot among them, for want of accelerations and forces:\n", prefix);
    for (int i = 0; i < all->nsilent; i++) flx_fprintf(f, "%s  %s\n", prefix, all->silent[i]);
    flx_fprintf(f, "%sParameters p, %d%s\n", prefix, all->np, all->np ? ", may be changed:" : "");
    for (int i = 0; i < all->np; i++) {
        begin_entry(&h, "p", i);
        write_value(f, all->parameters[i]->name, all->defaults[i]);
    }
    bool fixed = false;
    for (int i = 0; i < m->nparameter; i++) {
        const flx_parameter *p = m->parameters + i;
        if (p->list || !flx_symbolic_is_fixed(x, p)) continue;
        if (!fixed) flx_fprintf(f, "%sFixed when this was written:\n", prefix);
        flx_fprintf(f, "%s  ", prefix);
        write_value(f, p->name, p->values[0]);
        fixed = true;
    }
    if (x->nrow > 0) flx_fprintf(f, "%sClosures, %d, with multipliers lam:\n", prefix, x->nrow);
    for (int i = 0; i < x->nrow; i++) {
        const flx_node_row *r = x->rows + i;
        begin_entry(&h, "lam", i);
        flx_fprintf(f, "%s%s%s%s\n", r->item, r->part[0] ? ", " : "", r->part,
                    r->velocity ? " (of velocities)" : "");
    }
}

void flx_write_named(FILE *f, const char *text, const char *name)
{
    for (const char *at; (at = strstr(text, "NAME")) != NULL; text = at + 4) {
        flx_fprintf(f, "%.*s%s", (int)(at - text), text, name);
    }
    fputs(text, f);
}

void flx_write_solver(FILE *f, const flx_functions *all, const char *text)
{
    const bool u = all->nu > 0;
    const struct {
        const char *word, *is;
    } words[] = {{"NAME", all->name},
                 {"STATE", u ? "t, p, q, v, x, u" : "t, p, q, v, x"},
                 {"GIVEN", u ? "const double *x, const double *u" : "const double *x"},
                 {"COUNT", u ? "7" : "6"}};
    while (*text) {
        size_t k = 0, n = sizeof words / sizeof words[0];
        while (k < n && strncmp(text, words[k].word, strlen(words[k].word)) != 0) k++;
        if (k < n) {
            fputs(words[k].is, f);
            text += strlen(words[k].word);
        } else {
            fputc(*text++, f);
        }
    }
}

void flx_write_inputs(FILE *f, const flx_function *o, const char *number, const char *array,
                      const char *default_tau)
{
    const char *comma = "";
    for (int i = 0; i < FLX_INPUTS; i++) {
        if (!(o->inputs & (1u << i))) continue;
        flx_fprintf(f, "%s%s%s%s", comma, i == FLX_INPUT_T ? number : array, flx_input_names[i],
                    i == FLX_INPUT_TAU ? default_tau : "");
        comma = ", ";
    }
}

void flx_write_numbers(FILE *f, const flx_language *l, int n, const double *values)
{
    for (int i = 0; i < n; i++) {
        if (i > 0) fputs(i % 4 ? l->between : l->next_line, f);
        flx_language_number(f, l, values[i]);
    }
}

// ---- files --------------------------------------------------------------------------------------

static flx_status write_file(const flx_functions *all, const flx_code *codes, const char *path)
{
    static const flx_writer writers[] = {[FLX_EXPORT_C] = flx_write_c,
                                         [FLX_EXPORT_PYTHON] = flx_write_python,
                                         [FLX_EXPORT_OCTAVE] = flx_write_octave,
                                         [FLX_EXPORT_LATEX] = flx_write_latex,
                                         [FLX_EXPORT_BATCH] = flx_write_batch};
    flx_output *o;
    FLX_TRY(flx_output_create(all->x.ctx, "the equations", path, &o));
    return flx_output_close(&o, writers[all->options.language](flx_output_file(o), all, codes));
}

flx_status flx_model_export(const flx_model *model, const flx_export_options *options,
                            const char *path)
{
    if (!model) return flx_refuse_null(NULL, __func__);
    if (!options || !path) return flx_refuse_null(model->ctx, __func__);
    flx_functions all;
    flx_code codes[FLX_FUNCTIONS_MAX] = {0};
    FLX_TRY(flx_model_refresh(model));
    FLX_TRY(flx_model_refuse_awaited(model));
    if (options->open) FLX_TRY(flx_model_refresh(options->open));
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
