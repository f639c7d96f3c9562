// result.c - Result: what a run gave, in memory; and the run itself, from start to ledger.
#include "extension.h"

#include "page/pages.h"
#include "recording.h"

#include <stdlib.h>
#include <string.h>

typedef struct ext_result {
    PyObject_HEAD ext_ctx *c;
    flx_result *result;
} ext_result;

// The interpreter's lock is held here: HDF5 serves one thread.
static PyObject *open_at(const char *path)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(ext_result_type, Py_tp_alloc);
    ext_result *r = (ext_result *)alloc(ext_result_type, 0);
    if (!r) return NULL;
    r->c = ext_ctx_create();
    if (!r->c || !ext_settle(r->c, flx_result_open(r->c->ctx, path, &r->result))) {
        Py_XDECREF(OBJ(r));
        r = NULL;
    }
    return (PyObject *)r;
}

PyObject *ext_open_result(PyObject *self, PyObject *args)
{
    const char *path;
    (void)self;
    return PyArg_ParseTuple(args, "s", &path) ? open_at(path) : NULL;
}

static void result_dealloc(ext_result *r)
{
    PyTypeObject *type = Py_TYPE(OBJ(r));
    if (r->result) flx_result_close(&r->result);
    ext_ctx_leave(r->c);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(r);
    Py_DECREF(OBJ(type));
}

// ---- what it has -----------------------------------------------------------------------------------------------

static PyObject *result_columns(ext_result *r, PyObject *none)
{
    (void)none;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < flx_result_columns(r->result); i++) {
        PyObject *one =
            Py_BuildValue("(ss)", flx_result_name(r->result, i), flx_result_unit(r->result, i));
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *result_column(ext_result *r, PyObject *args)
{
    int i;
    if (!PyArg_ParseTuple(args, "i", &i)) return NULL;
    if (i < 0 || i >= flx_result_columns(r->result)) {
        PyErr_SetString(PyExc_IndexError, "the result has no column of this number");
        return NULL;
    }
    Py_ssize_t shape[1] = {flx_result_rows(r->result)};
    return ext_array_view((PyObject *)r, flx_result_column(r->result, i), 'd', 1, shape);
}

static PyObject *result_find(ext_result *r, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
    int most = flx_result_columns(r->result), *found = calloc((size_t)most + 1, sizeof *found);
    if (!found) return PyErr_NoMemory();
    int n = flx_result_find(r->result, name, most, found);
    PyObject *list = ext_settle(r->c, n == 0 ? FLX_ERR_ARGUMENT : FLX_OK) ? PyList_New(0) : NULL;
    for (int i = 0; list && i < n; i++) {
        PyObject *one = PyLong_FromLong(found[i]);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    free(found);
    return list;
}

static PyObject *result_facts(ext_result *r, PyObject *none)
{
    (void)none;
    const char *name, *text;
    double number;
    PyObject *out = PyDict_New();
    for (int i = 0; out && (name = flx_result_fact(r->result, i, &text, &number)) != NULL; i++) {
        PyObject *value = text ? PyUnicode_FromString(text) : PyFloat_FromDouble(number);
        if (!value || PyDict_SetItemString(out, name, value) != 0) Py_CLEAR(out);
        Py_XDECREF(value);
    }
    return out;
}

static PyObject *result_events(ext_result *r, PyObject *none)
{
    (void)none;
    const char *name;
    double t;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && (name = flx_result_event(r->result, i, &t)) != NULL; i++) {
        PyObject *one = Py_BuildValue("(ds)", t, name);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *result_motion(ext_result *r, PyObject *none)
{
    (void)none;
    int n = 0;
    const float *motion = flx_result_motion(r->result, &n);
    if (!motion) Py_RETURN_NONE;
    Py_ssize_t shape[2] = {flx_result_rows(r->result), n};
    return ext_array_view((PyObject *)r, motion, 'f', 2, shape);
}

static PyObject *result_about(ext_result *r, PyObject *none)
{
    (void)none;
    return Py_BuildValue("(zOz)", flx_result_title(r->result),
                         flx_result_complete(r->result) ? Py_True : Py_False,
                         flx_result_model(r->result));
}

static PyMethodDef methods[] = {
    {"columns", (PyCFunction)result_columns, METH_NOARGS,
     "(name, unit) of every column; t is the first."},
    {"column", (PyCFunction)result_column, METH_VARARGS, "column(number)"},
    {"find", (PyCFunction)result_find, METH_VARARGS, "find(signal) -> numbers of its columns"},
    {"facts", (PyCFunction)result_facts, METH_NOARGS,
     "What the result says of itself and its run."},
    {"events", (PyCFunction)result_events, METH_NOARGS, "(t, name) of every event."},
    {"motion", (PyCFunction)result_motion, METH_NOARGS, "The motion of the scene, row by row."},
    {"about", (PyCFunction)result_about, METH_NOARGS, "(title, complete, text of the model)"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_dealloc, result_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "What a run gave."},
                              {0, NULL}};
PyType_Spec ext_result_spec = {.name = "flexion._flexion.Result",
                               .basicsize = sizeof(ext_result),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = slots};

// ---- the run ---------------------------------------------------------------------------------------------------

static bool put_number(PyObject *d, const char *name, double value)
{
    PyObject *v = PyFloat_FromDouble(value);
    bool good = v && PyDict_SetItemString(d, name, v) == 0;
    Py_XDECREF(v);
    return good;
}

PyObject *ext_ledger_of(const flx_ledger *l)
{
    PyObject *d = Py_BuildValue("{s:i,s:l,s:l,s:l,s:O,s:z,s:z,s:z}", "status", (int)l->status,
                                "steps", l->work.steps, "evaluations", l->work.residuals,
                                "factorisations", l->work.factorisations, "balanced",
                                l->balanced ? Py_True : Py_False, "position_item", l->position_item,
                                "velocity_item", l->velocity_item, "stopped_by", l->stopped_by);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"t", l->t},
                   {"seconds", l->seconds},
                   {"energy_start", l->energy_start},
                   {"energy_end", l->energy_end},
                   {"dissipated", l->dissipated},
                   {"supplied", l->supplied},
                   {"lost_in_impacts", l->lost_in_impacts},
                   {"energy_drift", l->energy_drift},
                   {"position_residual", l->position_residual},
                   {"velocity_residual", l->velocity_residual},
                   {"dropped_residual", l->dropped_residual},
                   {"step_error", l->step_error}};
    for (size_t i = 0; d && i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!put_number(d, numbers[i].name, numbers[i].value)) Py_CLEAR(d);
    }
    PyObject *metrics = d ? PyList_New(0) : NULL;
    for (int i = 0; metrics && i < l->nmetric; i++) {
        PyObject *v = PyFloat_FromDouble(l->metrics[i]);
        if (!v || PyList_Append(metrics, v) != 0) Py_CLEAR(metrics);
        Py_XDECREF(v);
    }
    if (d && (!metrics || PyDict_SetItemString(d, "metrics", metrics) != 0)) Py_CLEAR(d);
    Py_XDECREF(metrics);
    return d;
}

// What was recorded, as a file that is opened again: there is one way from a run to a result.
static PyObject *keep(ext_model *m, flx_sink *recording, const char *path)
{
    flx_sink *file = NULL;
    flx_status status = flx_hdf5_sink_create(m->c->ctx, path, &file);
    if (status == FLX_OK) status = rec_replay(recording, file);
    flx_sink_destroy(&file);
    return ext_settle(m->c, status) ? open_at(path) : NULL;
}

PyObject *ext_simulate(ext_model *m, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path", "progress", "until", "states", NULL};
    const char *path;
    PyObject *progress = NULL, *result = NULL, *messages = NULL, *ledger = NULL;
    double until = 0.0;
    int states = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|Odp", names, &path, &progress, &until,
                                     &states))
        return NULL;
    flx_simulation *sim = NULL;
    flx_sink *recording = NULL;
    ext_work w = {.progress = progress == Py_None ? NULL : progress};
    ext_release(&w);
    bool created = false;
    flx_status status = flx_simulation_create(m->model, &sim);
    if (status == FLX_OK && states) flx_simulation_keep_states(sim);
    if (status == FLX_OK && until > 0.0) status = flx_simulation_set_until(sim, until);
    if (status == FLX_OK) status = rec_create(m->c->ctx, &recording);
    if (status == FLX_OK) {
        created = true;
        status = flx_simulation_run(sim, 1, &recording, ext_progress, &w);
    }
    ext_take_back(&w);

    PyObject *stopped = NULL; // by an exception of a callback, or a signal
    if (!created && ext_raise_failure(m->c)) {
        flx_ctx_clear_messages(m->c->ctx);
        return NULL;
    }
    if (w.failed || ext_raise_failure(m->c)) stopped = ext_take_exception();
    if (created && !stopped && status != FLX_OK && !rec_began(recording)) {
        (void)ext_settle(m->c, status);
        flx_sink_destroy(&recording);
        flx_simulation_destroy(&sim);
        return NULL;
    }
    messages = ext_messages(m->c, false);
    bool good = messages && (created ? ext_settle(m->c, FLX_OK) : ext_settle(m->c, status));
    if (good) ledger = ext_ledger_of(flx_simulation_ledger(sim));
    if (good) result = keep(m, recording, path);
    flx_sink_destroy(&recording);
    flx_simulation_destroy(&sim);
    PyObject *out = NULL;
    if (good && ledger && result) {
        out = Py_BuildValue("(OiOOO)", result, (int)status, messages, ledger,
                            stopped ? stopped : Py_None);
    }
    Py_XDECREF(stopped);
    Py_XDECREF(result);
    Py_XDECREF(messages);
    Py_XDECREF(ledger);
    return out;
}

// ---- the page --------------------------------------------------------------------------------------------------

PyObject *ext_write_page(PyObject *self, PyObject *args)
{
    const char *path;
    PyObject *results, *labels;
    (void)self;
    if (!PyArg_ParseTuple(args, "sOO", &path, &results, &labels)) return NULL;
    Py_ssize_t n = PySequence_Size(results);
    if (n <= 0 || PySequence_Size(labels) != n) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "one result or more, each with a label");
        return NULL;
    }
    ext_ctx *c = ext_ctx_create();
    flx_result **list = calloc((size_t)n, sizeof *list);
    const char **names = calloc((size_t)n, sizeof *names);
    PyObject *kept = PyList_New(0);
    bool good = c && list && names && kept;
    for (Py_ssize_t i = 0; good && i < n; i++) {
        PyObject *r = PySequence_GetItem(results, i), *label = PySequence_GetItem(labels, i);
        PyObject *bytes = label ? PyUnicode_AsUTF8String(label) : NULL;
        good = r && bytes && PyObject_IsInstance(r, (PyObject *)ext_result_type) == 1 &&
               PyList_Append(kept, r) == 0 && PyList_Append(kept, bytes) == 0;
        if (good) {
            list[i] = ((ext_result *)r)->result;
            names[i] = PyBytes_AsString(bytes);
        } else if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "a page is made of results");
        }
        Py_XDECREF(OBJ(r));
        Py_XDECREF(label);
        Py_XDECREF(bytes);
    }
    if (good) {
        flx_page_size size;
        flx_page_def def = {.path = path, .nresult = (int)n, .results = list, .labels = names};
        good = ext_settle(c, flx_page_write(c->ctx, &def, &size));
    }
    free(list);
    free(names);
    Py_XDECREF(kept);
    ext_ctx_leave(c);
    if (!good) return NULL;
    Py_RETURN_NONE;
}
