// finding.c - what any type of analysis may find: lines for the user, tables, matrices. They live in one arena, the
// finding's memory.
#include "simulate/analyses/performer.h"

#include "base/number.h"

#include <stdarg.h>
#include <string.h>

#define LONGEST 1000 // line

static flx_arena *memory_of(flx_simulation *sim, flx_finding *f)
{
    if (!f->memory) f->memory = flx_arena_create(sim->ctx);
    return f->memory;
}

// Room for one more at the end of a list.
static void *grow(flx_arena *arena, const void *list, int n, size_t size)
{
    if (n > 0 && (n & (n - 1)) != 0) return (void *)list; // room is doubled at powers of two
    char *larger = flx_arena_take(arena, n > 0 ? 2 * (size_t)n : 1, size);
    if (larger && n > 0) memcpy(larger, list, (size_t)n * size);
    return larger;
}

flx_status flx_finding_line(flx_simulation *sim, flx_finding *f, const char *format, ...)
{
    char text[LONGEST];
    va_list args;
    va_start(args, format);
    flx_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    flx_arena *arena = memory_of(sim, f);
    char *line = arena ? flx_arena_copy(arena, text, strlen(text)) : NULL;
    const char **lines = line ? grow(arena, f->lines, f->nline, sizeof *lines) : NULL;
    if (!lines) return FLX_ERR_MEMORY;
    f->lines = lines;
    f->lines[f->nline++] = line;
    return FLX_OK;
}

flx_finding_table *flx_finding_add_matrix(flx_simulation *sim, flx_finding *f, const char *name,
                                          int nrow, int ncolumn)
{
    flx_arena *arena = memory_of(sim, f);
    size_t n = (size_t)nrow * (size_t)ncolumn;
    flx_finding_table t = {.nrow = nrow, .ncolumn = ncolumn};
    if (!arena) return NULL;
    t.name = flx_arena_copy(arena, name, strlen(name));
    t.values = flx_arena_take(arena, n > 0 ? n : 1, sizeof *t.values);
    flx_finding_table *tables = grow(arena, f->tables, f->ntable, sizeof *tables);
    if (!t.name || !t.values || !tables) return NULL;
    f->tables = tables;
    f->tables[f->ntable] = t;
    return f->tables + f->ntable++;
}

flx_finding_table *flx_finding_add_table(flx_simulation *sim, flx_finding *f, const char *name,
                                         int nrow, int ncolumn)
{
    flx_finding_table *t = flx_finding_add_matrix(sim, f, name, nrow, ncolumn);
    if (!t) return NULL;
    size_t n = (size_t)(ncolumn > 0 ? ncolumn : 1);
    t->columns = flx_arena_take(f->memory, n, sizeof *t->columns);
    t->units = flx_arena_take(f->memory, n, sizeof *t->units);
    if (!t->columns || !t->units) return NULL;
    for (int k = 0; k < ncolumn; k++) t->columns[k] = t->units[k] = "";
    return t;
}

flx_status flx_finding_column(flx_simulation *sim, flx_finding *f, flx_finding_table *t, int k,
                              const char *name, const char *unit)
{
    flx_arena *arena = memory_of(sim, f);
    t->columns[k] = flx_arena_copy(arena, name, strlen(name));
    t->units[k] = flx_arena_copy(arena, unit ? unit : "", unit ? strlen(unit) : 0);
    return t->columns[k] && t->units[k] ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_finding_clear(flx_finding *f)
{
    if (!f) return;
    flx_modes_clear(&f->modes);
    flx_buckling_clear(&f->buckling);
    flx_arena *arena = f->memory;
    flx_arena_destroy(&arena);
    f->memory = NULL;
    f->lines = NULL;
    f->tables = NULL;
    f->nline = f->ntable = 0;
}
