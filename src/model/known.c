// known.c - what analyses have found, by name.
#include "model/known.h"

#include <stddef.h>
#include <string.h>

const flx_known *flx_known_find(const flx_known *list, const char *analysis)
{
    while (list && strcmp(list->analysis, analysis) != 0) list = list->next;
    return list;
}

const flx_known_table *flx_known_matrix(const flx_known *k, const char *name)
{
    for (int i = 0; i < k->ntable; i++) {
        if (!k->tables[i].columns && strcmp(k->tables[i].name, name) == 0) return k->tables + i;
    }
    return NULL;
}

const flx_known_table *flx_known_column(const flx_known *k, const char *name, int *column)
{
    for (int i = 0; i < k->ntable; i++) {
        const flx_known_table *t = k->tables + i;
        for (*column = 0; t->columns && *column < t->ncolumn; ++*column) {
            if (strcmp(t->columns[*column], name) == 0) return t;
        }
    }
    return NULL;
}
