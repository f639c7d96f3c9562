// analyses.c - what the analyses of a model find.
#include "extension.h"

#include <string.h>

static PyObject *texts(int n, const char *const *items)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        PyObject *one = Py_BuildValue("z", items[i]);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// (name, columns or None, units, values) of every table.
static PyObject *tables_of(const flx_finding *f)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < f->ntable; i++) {
        const flx_finding_table *t = f->tables + i;
        Py_ssize_t shape[2] = {t->nrow, t->ncolumn};
        PyObject *columns = t->columns ? texts(t->ncolumn, t->columns) : texts(0, NULL);
        PyObject *units = t->columns && t->units ? texts(t->ncolumn, t->units) : texts(0, NULL);
        PyObject *values = ext_array_copy(t->values, 2, shape), *one = NULL;
        if (columns && units && values)
            one = Py_BuildValue("(zOOO)", t->name, columns, units, values);
        Py_XDECREF(columns);
        Py_XDECREF(units);
        Py_XDECREF(values);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// (re, im, frequency, damping, residual) of every mode.
static PyObject *modes_of(const flx_modes *m)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < m->nmode; i++) {
        const flx_mode *k = m->modes + i;
        PyObject *one =
            Py_BuildValue("(ddddd)", k->re, k->im, k->frequency, k->damping, k->residual);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *signals_of(const flx_simulation *sim, const flx_finding *f)
{
    const flx_result_info *info = flx_simulation_info(sim);
    PyObject *all = PyDict_New();
    for (int i = 0; all && f->signals && i < info->ncolumn; i++) {
        PyObject *v = PyFloat_FromDouble(f->signals[i]);
        if (!v || PyDict_SetItemString(all, info->names[i], v) != 0) Py_CLEAR(all);
        Py_XDECREF(v);
    }
    return all;
}

static PyObject *factors_of(const flx_buckling *b)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < b->n; i++) {
        PyObject *v = PyFloat_FromDouble(b->factors[i]);
        if (!v || PyList_Append(list, v) != 0) Py_CLEAR(list);
        Py_XDECREF(v);
    }
    return list;
}

static PyObject *finding_of(const flx_simulation *sim, const char *name, const char *type,
                            const char *about, const flx_finding *f)
{
    PyObject *lines = texts(f->nline, f->lines), *tables = tables_of(f),
             *modes = modes_of(&f->modes), *signals = signals_of(sim, f),
             *factors = factors_of(&f->buckling), *out = NULL;
    if (lines && tables && modes && signals && factors)
        out =
            Py_BuildValue("(zzzOOOOO)", name, type, about, lines, tables, signals, modes, factors);
    Py_XDECREF(lines);
    Py_XDECREF(tables);
    Py_XDECREF(modes);
    Py_XDECREF(signals);
    Py_XDECREF(factors);
    return out;
}

// A list of (name, type, about, lines, tables, signals, modes, factors): of the analyses named, or of all.
PyObject *ext_analyse(ext_model *m, PyObject *args)
{
    const char *only = NULL, *name, *type = NULL, *about = NULL;
    flx_simulation *sim = NULL;
    if (!PyArg_ParseTuple(args, "|z", &only)) return NULL;
    ext_work w = {0};
    ext_release(&w);
    flx_status status = flx_simulation_create_to_analyse(m->model, &sim);
    ext_take_back(&w);
    PyObject *list = ext_settle(m->c, status) ? PyList_New(0) : NULL;
    bool found = false;
    for (int i = 0; list && (name = flx_simulation_analysis(sim, i, &type, &about)) != NULL; i++) {
        flx_finding f = {0};
        if (only && strcmp(only, name) != 0) continue;
        found = true;
        ext_release(&w);
        status = flx_simulation_analyse(sim, i, &f);
        ext_take_back(&w);
        PyObject *one = ext_settle(m->c, status) ? finding_of(sim, name, type, about, &f) : NULL;
        flx_finding_clear(&f);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    if (list && only && !found) {
        PyErr_Format(PyExc_ValueError, "the model has no analysis '%s'", only);
        Py_CLEAR(list);
    }
    flx_simulation_destroy(&sim);
    return list;
}
