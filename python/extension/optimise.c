// optimise.c - parameters from measured data, or for the least of goals: the block `optimise` of a model.
#include "extension.h"

#include <stdlib.h>

// ---- evaluations ---------------------------------------------------------------------------------------------

// Who is told of every evaluation. They may be made by threads of the library.
typedef struct watcher {
    PyObject *call;    // borrowed: true stops the search; NULL: none
    PyObject *failure; // owned: an exception of it, or of a signal
} watcher;

static PyObject *values_of(int n, const double *values)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        PyObject *v = PyFloat_FromDouble(values[i]);
        if (!v || PyList_Append(list, v) != 0) Py_CLEAR(list);
        Py_XDECREF(v);
    }
    return list;
}

static int tell(watcher *w, int number, int nparam, const double *values, int nrow,
                const double *rows, const char *failed)
{
    if (w->failure) return 1;
    PyGILState_STATE held = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() != 0;
    if (!stop && w->call) {
        PyObject *p = values_of(nparam, values), *r = values_of(nrow, rows), *answer = NULL;
        if (p && r) answer = PyObject_CallFunction(w->call, "iOOz", number, p, r, failed);
        stop = answer ? PyObject_IsTrue(answer) != 0 : 1;
        Py_XDECREF(answer);
        Py_XDECREF(p);
        Py_XDECREF(r);
    }
    if (PyErr_Occurred()) w->failure = ext_take_exception();
    PyGILState_Release(held);
    return stop;
}

static int on_fit(void *user, int number, int nparam, const double *values, double sum,
                  const char *failed)
{
    return tell(user, number, nparam, values, 1, &sum, failed);
}

static int on_design(void *user, const flx_design_row *row)
{
    return tell(user, row->number, row->nparam, row->values, row->failed ? 0 : row->nrow, row->rows,
                row->failed);
}

// (what was found or None, status, messages, exception of a callback or None); `found` is taken over.
static PyObject *settled(ext_model *m, watcher *w, flx_status status, PyObject *found)
{
    PyObject *messages = found ? ext_messages(m->c, false) : NULL, *out = NULL;
    if (!w->failure && ext_raise_failure(m->c)) w->failure = ext_take_exception();
    if (messages && ext_settle(m->c, FLX_OK))
        out = Py_BuildValue("(OiOO)", found, (int)status, messages,
                            w->failure ? w->failure : Py_None);
    Py_XDECREF(found);
    Py_XDECREF(messages);
    Py_CLEAR(w->failure);
    return out;
}

// ---- fits ----------------------------------------------------------------------------------------------------

static PyObject *fitted(const flx_fit *f)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < f->nparam; i++) {
        const flx_fit_parameter *p = f->parameters + i;
        PyObject *one = Py_BuildValue("(sddddii)", p->name, p->value, p->error, p->from, p->to,
                                      p->at_bound, p->undetermined);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *points(const flx_fit *f)
{
    Py_ssize_t shape[2] = {f->npoint, 6};
    double *all = malloc(((size_t)f->npoint * 6 + 1) * sizeof *all);
    if (!all) return PyErr_NoMemory();
    for (int i = 0; i < f->npoint; i++) {
        const flx_fit_point *p = f->points + i;
        const double row[6] = {p->table, p->t, p->measured, p->fitted, p->error, p->weight};
        for (int k = 0; k < 6; k++) all[i * 6 + k] = row[k];
    }
    PyObject *out = ext_array_copy(all, 2, shape);
    free(all);
    return out;
}

static PyObject *fit_of(const flx_fit *f)
{
    Py_ssize_t shape[2] = {f->nparam, f->nparam};
    if (!f->parameters) Py_RETURN_NONE;
    PyObject *parameters = fitted(f), *all = points(f),
             *correlation = ext_array_copy(f->correlation, 2, shape), *out = NULL;
    if (parameters && all && correlation)
        out = Py_BuildValue("(OOOddiiizisd)", parameters, correlation, all, f->sum, f->first_sum,
                            f->iterations, f->evaluations, f->failures, f->why, f->converged,
                            ext_gradient_method(f->method), f->slope_error);
    Py_XDECREF(parameters);
    Py_XDECREF(all);
    Py_XDECREF(correlation);
    return out;
}

// fit(evaluated): (fit or None, status, messages, exception or None)
PyObject *ext_fit(ext_model *m, PyObject *args)
{
    PyObject *call = NULL;
    if (!PyArg_ParseTuple(args, "|O", &call)) return NULL;
    watcher w = {.call = call == Py_None ? NULL : call};
    flx_fit_def def = flx_fit_def_default();
    flx_fit f = {0};
    ext_work work = {0};
    def.evaluated = on_fit;
    def.user = &w;
    ext_release(&work);
    flx_status status = flx_fit_find(m->model, &def, m->c->ctx, &f);
    ext_take_back(&work);
    PyObject *out = settled(m, &w, status, fit_of(&f));
    flx_fit_clear(&f);
    return out;
}

// ---- designs ---------------------------------------------------------------------------------------------------

static PyObject *designed(const flx_design *d)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < d->nparam; i++) {
        const flx_design_parameter *p = d->parameters + i;
        PyObject *one = Py_BuildValue("(sdddi)", p->name, p->value, p->from, p->to, p->at_bound);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *goals(const flx_design *d)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < d->ngoal; i++) {
        const flx_design_goal *g = d->goals + i;
        PyObject *one = Py_BuildValue("(sdi)", g->text, g->value, g->parts);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *conditions(const flx_design *d)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < d->ncondition; i++) {
        const flx_design_condition *c = d->conditions + i;
        PyObject *one =
            Py_BuildValue("(sdddi)", c->text, c->value, c->limit, c->multiplier, c->holds);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *design_of(const flx_design *d)
{
    Py_ssize_t shape[2] = {d->npoint, d->nparam + d->ngoal};
    if (!d->parameters) Py_RETURN_NONE;
    PyObject *parameters = designed(d), *aims = goals(d), *limits = conditions(d),
             *front = ext_array_copy(d->points, 2, shape), *out = NULL;
    if (parameters && aims && limits && front)
        out = Py_BuildValue("(OOOOizdiiiizizd)", parameters, aims, limits, front, d->converged,
                            d->why, d->unbalanced, d->starts, d->agreeing, d->evaluations,
                            d->failures, d->failed, d->differences, d->idle, d->slope_error);
    Py_XDECREF(parameters);
    Py_XDECREF(aims);
    Py_XDECREF(limits);
    Py_XDECREF(front);
    return out;
}

// design(threads, evaluated): (design or None, status, messages, exception or None)
PyObject *ext_design(ext_model *m, PyObject *args)
{
    PyObject *call = NULL;
    int threads = 0;
    if (!PyArg_ParseTuple(args, "|iO", &threads, &call)) return NULL;
    watcher w = {.call = call == Py_None ? NULL : call};
    flx_design_def def = flx_design_def_default();
    flx_design d = {0};
    ext_work work = {0};
    def.threads = threads;
    def.evaluated = on_design;
    def.user = &w;
    ext_release(&work);
    flx_status status = flx_design_find(m->model, &def, m->c->ctx, &d);
    ext_take_back(&work);
    PyObject *out = settled(m, &w, status, design_of(&d));
    flx_design_clear(&d);
    return out;
}
