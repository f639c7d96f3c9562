// system.c - System: a model compiled once; its inputs, outputs and parameters by name.
#include "extension.h"

#include <stdlib.h>

#include "flexion/extend/system_table.h"

static void system_dealloc(ext_system *s)
{
    PyTypeObject *type = Py_TYPE(OBJ(s));
    if (s->system) flx_system_destroy(&s->system);
    ext_ctx_leave(s->c);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(s);
    Py_DECREF(OBJ(type));
}

// (name, unit, value, lower, upper, tunable) of every port.
static PyObject *system_ports(ext_system *s, PyObject *args)
{
    int port;
    flx_port_info info;
    if (!PyArg_ParseTuple(args, "i", &port)) return NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && flx_system_describe(s->system, (flx_port)port, i, &info); i++) {
        PyObject *one = Py_BuildValue("(ssdddi)", info.name, info.unit ? info.unit : "", info.value,
                                      info.lower, info.upper, info.tunable);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// The number of an output (0), input (3) or parameter (4).
static PyObject *system_find(ext_system *s, PyObject *args)
{
    int port, i;
    const char *name;
    if (!PyArg_ParseTuple(args, "is", &port, &name)) return NULL;
    switch (port) {
    case FLX_PORT_OUTPUT:
        i = flx_system_output(s->system, name, s->c->ctx);
        break;
    case FLX_PORT_INPUT:
        i = flx_system_input(s->system, name, s->c->ctx);
        break;
    case FLX_PORT_PARAMETER:
        i = flx_system_parameter(s->system, name, s->c->ctx);
        break;
    default:
        PyErr_SetString(PyExc_ValueError, "there is no such kind of port");
        return NULL;
    }
    if (!ext_settle(s->c, i < 0 ? FLX_ERR_ARGUMENT : FLX_OK)) return NULL;
    return PyLong_FromLong(i);
}

static PyObject *system_info(ext_system *s, PyObject *none)
{
    (void)none;
    const flx_result_info *i = flx_system_info(s->system);
    const flx_summary *m = flx_system_summary(s->system);
    return Py_BuildValue("{s:z,s:z,s:z,s:z,s:O,s:i,s:i,s:i,s:i}", "title", i ? i->title : NULL,
                         "method", i ? i->method : NULL, "formulation", i ? i->formulation : NULL,
                         "settings", i ? i->settings : NULL, "chosen",
                         flx_system_has_chosen(s->system) ? Py_True : Py_False, "bodies",
                         m ? m->bodies : 0, "joints", m ? m->joints : 0, "coordinates",
                         m ? m->coordinates : 0, "freedoms", m ? m->freedoms : 0);
}

// ---- many runs -------------------------------------------------------------------------------------------------

// What a call of `ensemble` holds: lists of numbers, taken over before the lock is released.
typedef struct many {
    flx_ensemble_def def;
    ext_work work;
    int *lists[4];
    double *numbers[6];
    double *outputs, *metrics;
    flx_ensemble_end *ends;
} many;

static int on_done(void *user, int done, int runs)
{
    return ext_progress(&((many *)user)->work, done, runs);
}

// n numbers of every run; None: none.
static bool take_numbers(many *m, int k, PyObject *from, int runs, int n, const double **out)
{
    if (from == Py_None) return true;
    m->numbers[k] = PyMem_Malloc(((size_t)runs * (size_t)n + 1) * sizeof(double));
    if (!m->numbers[k]) PyErr_NoMemory();
    *out = m->numbers[k];
    return m->numbers[k] && ext_read_numbers(from, runs * n, m->numbers[k]);
}

static bool take_many(ext_system *s, PyObject *args, many *m)
{
    PyObject *list[4], *values[6], *progress;
    flx_ensemble_def *d = &m->def;
    if (!PyArg_ParseTuple(args, "iidOOOOOOOOOOO", &d->runs, &d->threads, &d->until, &list[0],
                          &values[0], &list[1], &values[1], &values[2], &values[3], &values[4],
                          &list[2], &values[5], &list[3], &progress))
        return false;
    m->work.progress = progress == Py_None ? NULL : progress;
    const int **lists[4] = {&d->parameters, &d->inputs, &d->outputs, &d->metrics};
    int *counts[4] = {&d->nparameter, &d->ninput, &d->noutput, &d->nmetric};
    for (int k = 0; k < 4; k++) {
        m->lists[k] = ext_read_list(list[k], counts[k]);
        if (!m->lists[k]) return false;
        *lists[k] = m->lists[k];
    }
    const flx_dims *n = &s->system->dims;
    const double **numbers[5] = {&d->parameter_values, &d->input_values, &d->q, &d->v, &d->x};
    const int widths[5] = {d->nparameter, d->ninput, n->nq, n->nv, n->nx};
    for (int k = 0; k < 5; k++) {
        if (!take_numbers(m, k, values[k], d->runs, widths[k], numbers[k])) return false;
    }
    if (values[5] != Py_None) {
        d->ntime = (int)PySequence_Size(values[5]);
        if (d->ntime < 0 || !take_numbers(m, 5, values[5], 1, d->ntime, &d->times)) return false;
    }
    size_t runs = (size_t)d->runs, times = d->ntime > 0 ? (size_t)d->ntime : 1;
    m->outputs = PyMem_Malloc((runs * times * (size_t)d->noutput + 1) * sizeof(double));
    m->metrics = PyMem_Malloc((runs * (size_t)d->nmetric + 1) * sizeof(double));
    m->ends = PyMem_Malloc((runs + 1) * sizeof *m->ends);
    if (!m->outputs || !m->metrics || !m->ends) PyErr_NoMemory();
    return m->outputs && m->metrics && m->ends;
}

// (outputs, metrics, [(run, status, t, message) of those that did not go to their end])
static PyObject *give_many(const many *m)
{
    const flx_ensemble_def *d = &m->def;
    Py_ssize_t shape[3] = {d->runs, d->ntime > 0 ? d->ntime : 1, d->noutput};
    Py_ssize_t wide[2] = {d->runs, d->nmetric};
    PyObject *outputs = ext_array_copy(m->outputs, 3, shape);
    PyObject *metrics = ext_array_copy(m->metrics, 2, wide), *list = PyList_New(0);
    for (int i = 0; list && i < d->runs; i++) {
        const flx_ensemble_end *e = m->ends + i;
        if (e->status == FLX_OK) continue;
        PyObject *one = Py_BuildValue("(iids)", i, (int)e->status, e->t, e->message);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    if (outputs && metrics && list) return Py_BuildValue("(NNN)", outputs, metrics, list);
    Py_XDECREF(outputs);
    Py_XDECREF(metrics);
    Py_XDECREF(list);
    return NULL;
}

static PyObject *system_ensemble(ext_system *s, PyObject *args)
{
    many m = {.def = flx_ensemble_def_default()};
    PyObject *answer = NULL;
    m.def.progress = on_done;
    m.def.user = &m;
    if (take_many(s, args, &m)) {
        ext_release(&m.work);
        flx_status status =
            flx_ensemble_run(s->system, &m.def, s->c->ctx, m.ends, m.outputs, m.metrics);
        ext_take_back(&m.work);
        if (!m.work.failed && ext_settle(s->c, status)) answer = give_many(&m);
    }
    for (int k = 0; k < 4; k++) free(m.lists[k]);
    for (int k = 0; k < 6; k++) PyMem_Free(m.numbers[k]);
    PyMem_Free(m.outputs);
    PyMem_Free(m.metrics);
    PyMem_Free(m.ends);
    return answer;
}

static PyMethodDef methods[] = {
    {"ports", (PyCFunction)system_ports, METH_VARARGS,
     "ports(kind) -> list of (name, unit, value, lower, upper, tunable)"},
    {"find", (PyCFunction)system_find, METH_VARARGS, "find(kind, name) -> number"},
    {"ensemble", (PyCFunction)system_ensemble, METH_VARARGS,
     "ensemble(runs, threads, until, parameters, values, inputs, values, q, v, x, outputs, times, "
     "metrics, progress) -> "
     "(outputs, metrics, ends)"},
    {"info", (PyCFunction)system_info, METH_NOARGS, "Title, method, counts."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_dealloc, system_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A model compiled once."},
                              {0, NULL}};
PyType_Spec ext_system_spec = {.name = "flexion._flexion.System",
                               .basicsize = sizeof(ext_system),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = slots};
