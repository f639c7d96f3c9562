// run.c - Run: one motion of a system, which its owner advances.
#include "extension.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>

// ---- callbacks -----------------------------------------------------------------------------------------------

static int on_progress(void *user, double t, double until)
{
    return ext_progress(&((ext_run *)user)->work, t, until);
}

static int on_event(void *user, double t, int event, const char *name)
{
    ext_run *r = user;
    (void)event;
    if (!r->event || r->work.failed) return r->work.failed;
    PyEval_RestoreThread(r->work.thread);
    PyObject *answer = PyObject_CallFunction(r->event, "ds", t, name);
    int stop = answer ? PyObject_IsTrue(answer) : -1;
    r->work.failed = stop < 0;
    Py_XDECREF(answer);
    r->work.thread = PyEval_SaveThread();
    return stop != 0;
}

// ---- made and unmade -----------------------------------------------------------------------------------------

static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"system", "until", "ledger", "event", NULL};
    ext_system *s;
    double until = 0.0;
    int ledger = 1;
    PyObject *event = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!|dpO", names, ext_system_type, &s, &until,
                                     &ledger, &event))
        return NULL;
    ext_run *r = (ext_run *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!r) return NULL;
    Py_INCREF(OBJ(s));
    r->system = s;
    r->until = until;
    r->ledger = ledger;
    if (event && event != Py_None) {
        Py_INCREF(event);
        r->event = event;
    }
    r->c = ext_ctx_create();
    bool good = r->c != NULL;
    if (good) {
        r->c->home = ext_ctx_share(s->c);
        flx_run_def def = flx_run_def_default();
        def.until = until;
        def.no_ledger = !ledger;
        def.event = on_event;
        def.progress = on_progress;
        def.user = r;
        ext_release(&r->work);
        flx_status status = flx_run_create(s->system, &def, r->c->ctx, &r->run);
        ext_take_back(&r->work);
        good = ext_settle(r->c, status);
    }
    if (!good) {
        Py_XDECREF(OBJ(r));
        r = NULL;
    }
    return (PyObject *)r;
}

static void run_dealloc(ext_run *r)
{
    PyTypeObject *type = Py_TYPE(OBJ(r));
    PyObject_GC_UnTrack(r);
    if (r->weak) PyObject_ClearWeakRefs((PyObject *)r);
    if (r->run) flx_run_destroy(&r->run);
    ext_ctx_leave(r->c);
    Py_XDECREF(r->event);
    Py_XDECREF(OBJ(r->system));
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(r);
    Py_DECREF(OBJ(type));
}

static int run_traverse(ext_run *r, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(OBJ(r)));
    Py_VISIT(r->event);
    return 0;
}

static int run_clear(ext_run *r)
{
    Py_CLEAR(r->event);
    return 0;
}

// ---- time ----------------------------------------------------------------------------------------------------

// True: the motion goes on; False: an event or a callback has ended it.
static PyObject *settled(ext_run *r, flx_status status)
{
    r->busy = 0;
    if (r->work.failed) { // a callback's exception, or a signal
        flx_ctx_clear_messages(r->c->ctx);
        return NULL;
    }
    if (status == FLX_OK && flx_ctx_warning_count(r->c->ctx) == 0) Py_RETURN_TRUE;
    if (!ext_settle(r->c, status == FLX_STOPPED ? FLX_OK : status)) return NULL;
    if (status == FLX_STOPPED) Py_RETURN_FALSE;
    Py_RETURN_TRUE;
}

static PyObject *run_advance(ext_run *r, PyObject *to)
{
    double t = PyFloat_AsDouble(to);
    if ((t == -1.0 && PyErr_Occurred()) || !ext_begin(&r->busy, "run")) return NULL;
    ext_release(&r->work);
    flx_status status = flx_run_advance(r->run, t);
    ext_take_back(&r->work);
    return settled(r, status);
}

static PyObject *run_finish(ext_run *r, PyObject *args)
{
    PyObject *progress = NULL;
    if (!PyArg_ParseTuple(args, "|O", &progress) || !ext_begin(&r->busy, "run")) return NULL;
    r->work.progress = progress == Py_None ? NULL : progress;
    ext_release(&r->work);
    flx_status status = flx_run_finish(r->run);
    ext_take_back(&r->work);
    r->work.progress = NULL;
    return settled(r, status);
}

static PyObject *run_step(ext_run *r, PyObject *args)
{
    double most = 0.0, taken = 0.0;
    if (!PyArg_ParseTuple(args, "|d", &most) || !ext_begin(&r->busy, "run")) return NULL;
    ext_release(&r->work);
    flx_status status = flx_run_step(r->run, most, &taken);
    ext_take_back(&r->work);
    PyObject *done = settled(r, status);
    if (!done) return NULL;
    Py_DECREF(done);
    return PyFloat_FromDouble(taken);
}

static PyObject *run_reset(ext_run *r, PyObject *none)
{
    (void)none;
    if (!ext_begin(&r->busy, "run")) return NULL;
    ext_release(&r->work);
    flx_status status = flx_run_reset(r->run);
    ext_take_back(&r->work);
    PyObject *done = settled(r, status);
    if (!done) return NULL;
    Py_DECREF(done);
    Py_RETURN_NONE;
}

// Whether a short call may look at or change the run now.
static bool is_free(const ext_run *r)
{
    if (!r->busy) return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "this run is in use: by another thread, or by a callback of its own");
    return false;
}

// ---- values --------------------------------------------------------------------------------------------------

static PyObject *number_of(ext_run *r, long i)
{
    double value = flx_run_get(r->run, (int)i);
    if (value != value && flx_ctx_error_count(r->c->ctx) > 0) {
        ext_settle(r->c, FLX_ERR_ARGUMENT);
        return NULL;
    }
    return PyFloat_FromDouble(value);
}

static PyObject *run_subscript(ext_run *r, PyObject *which)
{
    if (!is_free(r)) return NULL;
    if (PyUnicode_Check(which)) {
        PyObject *name = PyUnicode_AsUTF8String(which);
        if (!name) return NULL;
        int i = flx_system_output(r->system->system, PyBytes_AsString(name), r->c->ctx);
        Py_DECREF(name);
        if (!ext_settle(r->c, i < 0 ? FLX_ERR_ARGUMENT : FLX_OK)) return NULL;
        return number_of(r, i);
    }
    long i = PyLong_AsLong(which);
    if (i == -1 && PyErr_Occurred()) return NULL;
    flx_port_info info;
    if (i < 0 || !flx_system_describe(r->system->system, FLX_PORT_OUTPUT, (int)i, &info)) {
        PyErr_SetString(PyExc_IndexError, "the system has no output of this number");
        return NULL;
    }
    return number_of(r, i);
}

static PyObject *run_outputs(ext_run *r, PyObject *none)
{
    (void)none;
    int n = 0;
    if (!is_free(r)) return NULL;
    const double *values = flx_run_outputs(r->run, &n);
    if (!values && n > 0) {
        ext_settle(r->c, FLX_ERR_ARGUMENT);
        return NULL;
    }
    Py_ssize_t shape[1] = {n};
    return ext_array_view((PyObject *)r, values, 'd', 1, shape);
}

static PyObject *run_view(ext_run *r, PyObject *what)
{
    long k = PyLong_AsLong(what);
    int n = 0;
    if (k == -1 && PyErr_Occurred()) return NULL;
    if (k < FLX_VIEW_Q || k > FLX_VIEW_MU) {
        PyErr_SetString(PyExc_ValueError, "there is no such view");
        return NULL;
    }
    const double *values = flx_run_view(r->run, (flx_view)k, &n);
    Py_ssize_t shape[1] = {n};
    return ext_array_view((PyObject *)r, values, 'd', 1, shape);
}

static PyObject *run_set_input(ext_run *r, PyObject *args)
{
    int i, n = 0;
    double u[3];
    PyObject *first = NULL, *second = NULL, *third = NULL, *given[3];
    if (!PyArg_ParseTuple(args, "i|OOO", &i, &first, &second, &third) || !is_free(r)) return NULL;
    given[0] = first, given[1] = second, given[2] = third;
    for (; n < 3 && given[n]; n++) {
        u[n] = PyFloat_AsDouble(given[n]);
        if (u[n] == -1.0 && PyErr_Occurred()) return NULL;
    }
    r->work.failed = false;
    r->busy = 1;
    ext_release(&r->work); // an input that jumps may be an event, whose callback takes the lock
    flx_status status = flx_run_set_input(r->run, i, n, u);
    ext_take_back(&r->work);
    PyObject *done = settled(r, status);
    if (!done) return NULL;
    Py_DECREF(done);
    Py_RETURN_NONE;
}

static PyObject *run_get_input(ext_run *r, PyObject *args)
{
    int i;
    double u[3] = {0.0, 0.0, 0.0};
    if (!PyArg_ParseTuple(args, "i", &i) || !is_free(r)) return NULL;
    if (!ext_settle(r->c, flx_run_get_input(r->run, i, u))) return NULL;
    return Py_BuildValue("(ddd)", u[0], u[1], u[2]);
}

static PyObject *run_set_parameter(ext_run *r, PyObject *args)
{
    int i;
    double value;
    if (!PyArg_ParseTuple(args, "id", &i, &value) || !is_free(r)) return NULL;
    if (!ext_settle(r->c, flx_run_set_parameter(r->run, i, value))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *run_get_parameter(ext_run *r, PyObject *args)
{
    int i;
    double value = 0.0;
    if (!PyArg_ParseTuple(args, "i", &i) || !is_free(r)) return NULL;
    if (!ext_settle(r->c, flx_run_get_parameter(r->run, i, &value))) return NULL;
    return PyFloat_FromDouble(value);
}

// set_state(q, v, x), each None: as it is; -> what was moved of positions and velocities, and residuals left.
static PyObject *run_set_state(ext_run *r, PyObject *args)
{
    static const flx_view views[3] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_X};
    PyObject *given[3];
    double *values[3] = {NULL, NULL, NULL};
    flx_start_report report = {0};
    bool good = PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2]) && is_free(r);
    for (int k = 0; good && k < 3; k++) {
        int n = 0;
        if (given[k] == Py_None) continue;
        flx_run_view(r->run, views[k], &n);
        values[k] = malloc((size_t)(n + 1) * sizeof *values[k]);
        if (!values[k]) PyErr_NoMemory();
        good = values[k] && ext_read_numbers(given[k], n, values[k]);
    }
    if (good) {
        r->busy = 1;
        ext_release(&r->work);
        flx_status status = flx_run_set_state(r->run, values[0], values[1], values[2], &report);
        ext_take_back(&r->work);
        PyObject *done = settled(r, status);
        good = done != NULL;
        Py_XDECREF(done);
    }
    for (int k = 0; k < 3; k++) free(values[k]);
    return good ? Py_BuildValue("(dddd)", report.moved_q, report.moved_v, report.residual_q,
                                report.residual_v)
                : NULL;
}

// ---- save, restore, clone ------------------------------------------------------------------------------------

static PyObject *run_save(ext_run *r, PyObject *none)
{
    (void)none;
    if (!is_free(r)) return NULL;
    size_t size = r->saved > 0 ? r->saved : flx_run_save(r->run, NULL, 0);
    for (int tries = 0; size > 0 && tries < 2; tries++) {
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
        if (!bytes) return NULL;
        size_t got = flx_run_save(r->run, PyBytes_AsString(bytes), size);
        if (got == size) {
            r->saved = size;
            if (ext_settle(r->c, FLX_OK)) return bytes;
            Py_DECREF(bytes);
            return NULL;
        }
        Py_DECREF(bytes);
        size = got < size ? flx_run_save(r->run, NULL, 0)
                          : got; // nothing was written where room is short
    }
    ext_settle(r->c, FLX_ERR_CANNOT);
    return NULL;
}

static PyObject *run_restore(ext_run *r, PyObject *from)
{
    Py_buffer b;
    if (!is_free(r) || PyObject_GetBuffer(from, &b, PyBUF_SIMPLE) != 0) return NULL;
    flx_status status = flx_run_restore(r->run, b.buf, (size_t)b.len);
    PyBuffer_Release(&b);
    if (!ext_settle(r->c, status)) return NULL;
    Py_RETURN_NONE;
}

// A run of the same type. Its callbacks are its own: the library keeps those of the original.
static PyObject *run_clone(ext_run *r, PyObject *none)
{
    (void)none;
    if (!is_free(r)) return NULL;
    PyObject *bytes = run_save(r, NULL);
    PyObject *copy =
        bytes ? PyObject_CallFunction((PyObject *)Py_TYPE(OBJ(r)), "OdiO", (PyObject *)r->system,
                                      r->until, r->ledger, r->event ? r->event : Py_None)
              : NULL;
    if (copy) {
        PyObject *done = run_restore((ext_run *)copy, bytes);
        if (!done) Py_CLEAR(copy);
        Py_XDECREF(done);
    }
    Py_XDECREF(bytes);
    return copy;
}

// ---- reports -------------------------------------------------------------------------------------------------

static PyObject *run_ledger(ext_run *r, PyObject *none)
{
    (void)none;
    if (!is_free(r)) return NULL;
    const flx_ledger *l = flx_run_ledger(r->run);
    PyObject *out = l ? ext_ledger_of(l) : PyDict_New();
    if (!ext_settle(r->c, FLX_OK)) Py_CLEAR(out);
    return out;
}

static PyObject *run_get_time(ext_run *r, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(flx_run_time(r->run));
}

static PyObject *run_get_stopped_by(ext_run *r, void *closure)
{
    (void)closure;
    const char *name = flx_run_stopped_by(r->run);
    return Py_BuildValue("z", name);
}

static PyObject *run_get_steps(ext_run *r, void *closure)
{
    (void)closure;
    return PyLong_FromLong(flx_run_statistics(r->run).steps);
}

static PyObject *run_get_system(ext_run *r, void *closure)
{
    (void)closure;
    Py_INCREF(OBJ(r->system));
    return (PyObject *)r->system;
}

static PyMethodDef methods[] = {
    {"advance", (PyCFunction)run_advance, METH_O,
     "advance(t): to the time t, exactly. False: an event has ended the motion."},
    {"finish", (PyCFunction)run_finish, METH_VARARGS,
     "finish(progress=None): to the end that the model names."},
    {"step", (PyCFunction)run_step, METH_VARARGS,
     "step(most=0): one step of the method; its length."},
    {"reset", (PyCFunction)run_reset, METH_NOARGS,
     "Back to the start, with inputs and parameters as they are now."},
    {"_outputs", (PyCFunction)run_outputs, METH_NOARGS, "All outputs."},
    {"_view", (PyCFunction)run_view, METH_O, "_view(what): unknowns."},
    {"set_input", (PyCFunction)run_set_input, METH_VARARGS,
     "set_input(number, value, slope, curvature): from here on; without a value: what the model "
     "says."},
    {"get_input", (PyCFunction)run_get_input, METH_VARARGS,
     "get_input(number) -> (value, slope, curvature)"},
    {"set_parameter", (PyCFunction)run_set_parameter, METH_VARARGS,
     "set_parameter(number, value): from the next reset on."},
    {"get_parameter", (PyCFunction)run_get_parameter, METH_VARARGS, "get_parameter(number)"},
    {"_set_state", (PyCFunction)run_set_state, METH_VARARGS, "_set_state(q, v, x)"},
    {"save", (PyCFunction)run_save, METH_NOARGS,
     "The run as bytes, from which it goes on with the same bits."},
    {"restore", (PyCFunction)run_restore, METH_O, "restore(bytes): as it was when saved."},
    {"clone", (PyCFunction)run_clone, METH_NOARGS, "A run of its own at the same place."},
    {"_linearise", (PyCFunction)ext_linearise, METH_VARARGS, "_linearise(inputs, outputs, closed)"},
    {"_gradient", (PyCFunction)ext_gradient, METH_VARARGS,
     "_gradient(method, parameters, scales, metrics, outputs, times)"},
    {"_ledger", (PyCFunction)run_ledger, METH_NOARGS, "The account so far."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {
    {"time", (getter)run_get_time, NULL, "Where the run is, in seconds.", NULL},
    {"stopped_by", (getter)run_get_stopped_by, NULL, "The event that ended the motion, or None.",
     NULL},
    {"steps", (getter)run_get_steps, NULL, "Steps so far.", NULL},
    {"_system", (getter)run_get_system, NULL, "The compiled system.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef places[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_run, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, run_new},
                              {Py_tp_dealloc, run_dealloc},
                              {Py_tp_traverse, run_traverse},
                              {Py_tp_clear, run_clear},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {Py_tp_members, places},
                              {Py_mp_subscript, run_subscript},
                              {Py_tp_doc, "Run(system, until=0, ledger=True, event=None)"},
                              {0, NULL}};
PyType_Spec ext_run_spec = {.name = "flexion._flexion.Run",
                            .basicsize = sizeof(ext_run),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                            .slots = slots};
