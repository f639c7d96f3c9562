// design_found.c - numbers that a goal takes of what an analysis found.
#include "optimise/design_found.h"

#include <math.h>
#include <string.h>

static const flx_finding_table *table_of(const flx_finding *f, const char *name)
{
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return NULL;
}

// The largest magnitude at the ends of the table of a response: no peaks by themselves.
static double find_ends(const flx_finding *f)
{
    const flx_finding_table *t = table_of(f, "response");
    double most = 0.0;
    for (int k = 4; t && t->nrow > 0 && k < t->ncolumn; k += 4) {
        most = fmax(most, t->values[k]);
        most = fmax(most, t->values[(size_t)(t->nrow - 1) * (size_t)t->ncolumn + (size_t)k]);
    }
    return most;
}

// The peaks of a response, each for itself as long as there are few: in the order of the table, so that a peak keeps its
// number as long as none comes or goes.
static double find_part(const flx_finding *f, int part)
{
    const flx_finding_table *t = table_of(f, "peaks");
    int last = t ? t->ncolumn - 1 : 0, n = t ? t->nrow : 0;
    if (part <= DESIGN_PEAKS)
        return part <= n ? t->values[(part - 1) * t->ncolumn + last] : (double)NAN;
    double most = find_ends(f);
    for (int i = DESIGN_PEAKS; i < n; i++) most = fmax(most, t->values[i * t->ncolumn + last]);
    return most;
}

// "gains(1, 2)": the name in front of the indices, and these; 0: none.
static size_t read_indices(const char *text, int index[2])
{
    const char *open = strchr(text, '(');
    index[0] = index[1] = 0;
    int n = 0;
    for (const char *c = open; c && *c; c++) {
        if (*c >= '0' && *c <= '9' && index[n] < 100000) index[n] = 10 * index[n] + (*c - '0');
        if (*c == ',' && n == 0) n = 1;
    }
    return open ? (size_t)(open - text) : strlen(text);
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == 0;
}

bool flx_design_take(const flx_finding *f, const flx_result_info *info, const char *text, int part,
                     double *out)
{
    int index[2];
    size_t length = read_indices(text, index);
    if (part > 0) {
        *out = find_part(f, part);
        return true;
    }
    for (int i = 0; i < f->ntable; i++) {
        const flx_finding_table *t = f->tables + i;
        if (!t->columns && is_name(t->name, text, length)) {
            int flat = index[1] == 0 && t->nrow == 1;
            int row = flat ? 1 : index[0] > 0 ? index[0] : 1;
            int column = flat ? (index[0] > 0 ? index[0] : 1) : index[1] > 0 ? index[1] : 1;
            if (row > t->nrow || column > t->ncolumn) return false;
            *out = t->values[(row - 1) * t->ncolumn + column - 1];
            return true;
        }
        for (int c = 0; t->columns && c < t->ncolumn; c++) {
            int row = index[0] > 0 ? index[0] : 1;
            if (!is_name(t->columns[c], text, length) || row > t->nrow) continue;
            *out = t->values[(row - 1) * t->ncolumn + c];
            return true;
        }
    }
    if (is_name("factor", text, length) || is_name("factors", text, length)) { // of buckling
        int i = index[0] > 0 ? index[0] : 1;
        if (i <= f->buckling.n) {
            *out = f->buckling.factors[i - 1];
            return true;
        }
    }
    for (int i = 0; f->signals && i < info->ncolumn; i++) {
        if (strcmp(info->names[i], text) != 0) continue;
        *out = f->signals[i];
        return true;
    }
    return false;
}

bool flx_design_take_mode(const flx_finding *f, int component, double *out)
{
    int i = component / 4;
    if (i >= f->modes.nmode) return false;
    const flx_mode *m = f->modes.modes + i;
    const double numbers[4] = {m->re, m->im, m->frequency, m->damping};
    *out = numbers[component % 4];
    return true;
}
