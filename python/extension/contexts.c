// contexts.c - contexts that several objects share, and messages that become exceptions and warnings.
#include "extension.h"

#include <stdlib.h>

ext_ctx *ext_ctx_create(void)
{
    ext_ctx *c = calloc(1, sizeof *c);
    if (c) c->ctx = flx_ctx_create();
    if (!c || !c->ctx) {
        free(c);
        PyErr_NoMemory();
        return NULL;
    }
    c->users = 1;
    return c;
}

ext_ctx *ext_ctx_share(ext_ctx *c)
{
    c->users++; // the interpreter's lock is held
    return c;
}

void ext_ctx_leave(ext_ctx *c)
{
    if (!c || --c->users > 0) return;
    ext_functions_clear(c);
    ext_ctx_leave(c->home);
    flx_ctx_destroy(&c->ctx);
    free(c);
}

PyObject *ext_messages(ext_ctx *c, bool warnings)
{
    const flx_message *m;
    PyObject *list = PyList_New(0);
    for (int i = 0;
         list && (m = warnings ? flx_ctx_warning(c->ctx, i) : flx_ctx_error(c->ctx, i)) != NULL;
         i++) {
        PyObject *one = Py_BuildValue("(izziiz)", (int)m->status,
                                      m->text ? m->text : flx_status_text(m->status), m->loc.file,
                                      m->loc.line, m->loc.column, m->path ? m->path : "");
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// A function of flexion._errors.
static PyObject *call(const char *function, PyObject *args)
{
    PyObject *module = args ? PyImport_ImportModule("flexion._errors") : NULL;
    PyObject *f = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *out = f ? PyObject_CallObject(f, args) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(module);
    Py_XDECREF(args);
    return out;
}

bool ext_settle(ext_ctx *c, flx_status status)
{
    bool good = true;
    if (flx_ctx_warning_count(c->ctx) > 0) {
        PyObject *list = ext_messages(c, true);
        PyObject *out = list ? call("warn", Py_BuildValue("(N)", list)) : NULL;
        good = out != NULL; // a warning may be an error by the user's filter
        Py_XDECREF(out);
    }
    if (good && ext_raise_failure(c)) {
        good = false;
    } else if (status != FLX_OK && good) {
        PyObject *list = ext_messages(c, false);
        PyObject *out =
            list
                ? call("raise_", Py_BuildValue("(isN)", (int)status, flx_status_text(status), list))
                : NULL;
        Py_XDECREF(out); // never: it raises
        good = false;
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, flx_status_text(status));
    }
    if (flx_ctx_warning_count(c->ctx) > 0 || flx_ctx_error_count(c->ctx) > 0)
        flx_ctx_clear_messages(c->ctx);
    return good;
}

PyObject *ext_take_exception(void)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    if (type) PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

bool ext_begin(int *busy, const char *what)
{
    if (*busy) {
        PyErr_Format(PyExc_RuntimeError,
                     "this %s is in use: by another thread, or by a callback of its own", what);
        return false;
    }
    *busy = 1;
    return true;
}

void ext_release(ext_work *w)
{
    w->failed = false;
    w->thread = PyEval_SaveThread();
}

void ext_take_back(ext_work *w)
{
    PyEval_RestoreThread(w->thread);
}

int ext_progress(void *user, double t, double until)
{
    ext_work *w = user;
    if (w->failed) return 1;
    PyEval_RestoreThread(w->thread);
    w->failed = PyErr_CheckSignals() != 0;
    if (!w->failed && w->progress) {
        PyObject *answer = PyObject_CallFunction(w->progress, "dd", t, until);
        w->failed = answer == NULL;
        Py_XDECREF(answer);
    }
    w->thread = PyEval_SaveThread();
    return w->failed;
}
