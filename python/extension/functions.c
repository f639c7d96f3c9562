// functions.c - external functions of models that are functions of Python.
//
// An exception in one is kept, and the value is no number, which ends the run; it is raised when the call of the library is
// over, in the thread whose call it was.
#include "extension.h"

#include <stdlib.h>

struct ext_function {
    ext_function *next;
    PyObject *call; // owned
    ext_ctx *c;     // whose it is
};

void ext_functions_clear(ext_ctx *c)
{
    while (c->functions) {
        ext_function *f = c->functions;
        c->functions = f->next;
        Py_DECREF(f->call);
        free(f);
    }
    Py_CLEAR(c->failure);
}

static void keep_failure(ext_ctx *c, bool own)
{
    PyObject *value = ext_take_exception();
    if (!c->failure) { // the first one
        c->failure = value;
        value = NULL;
        c->failed_in = own ? PyThread_get_thread_ident() : 0;
    }
    Py_XDECREF(value);
}

// A number, or a number and its slopes. -1: an exception is set.
static int take(PyObject *answer, int n, double *y, double *slopes)
{
    if (!PyTuple_Check(answer)) {
        *y = PyFloat_AsDouble(answer);
        return PyErr_Occurred() ? FLX_FUNCTION_FAILED : FLX_FUNCTION_VALUE;
    }
    if (PyTuple_Size(answer) != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "an external function returns a number, or a number and its slopes");
        return FLX_FUNCTION_FAILED;
    }
    *y = PyFloat_AsDouble(PyTuple_GetItem(answer, 0));
    if (PyErr_Occurred()) return FLX_FUNCTION_FAILED;
    if (!slopes) return FLX_FUNCTION_VALUE;
    return ext_read_numbers(PyTuple_GetItem(answer, 1), n, slopes) ? FLX_FUNCTION_SLOPES
                                                                   : FLX_FUNCTION_FAILED;
}

static int call(void *user, int n, const double *x, double *y, double *slopes)
{
    ext_function *f = user;
    bool own = PyGILState_GetThisThreadState() != NULL; // else a thread of the library
    PyGILState_STATE state = PyGILState_Ensure();
    int given = FLX_FUNCTION_FAILED;
    PyObject *args = f->c->failure ? NULL : PyTuple_New(n);
    bool good = args != NULL;
    for (int k = 0; good && k < n; k++) {
        PyObject *number = PyFloat_FromDouble(x[k]);
        good = number && PyTuple_SetItem(args, k, number) == 0;
    }
    PyObject *answer = good ? PyObject_CallObject(f->call, args) : NULL;
    if (answer) given = take(answer, n, y, slopes);
    Py_XDECREF(answer);
    Py_XDECREF(args);
    if (PyErr_Occurred()) keep_failure(f->c, own);
    PyGILState_Release(state);
    return given;
}

bool ext_raise_failure(ext_ctx *c)
{
    ext_ctx *at = c->home ? c->home : c;
    if (!at->failure || (at->failed_in && at->failed_in != PyThread_get_thread_ident()))
        return false;
    PyObject *failure = at->failure;
    at->failure = NULL;
    PyErr_SetObject(OBJ(Py_TYPE(failure)), failure);
    Py_DECREF(failure);
    return true;
}

PyObject *ext_bind(ext_model *m, PyObject *args)
{
    const char *name;
    PyObject *function;
    if (!PyArg_ParseTuple(args, "sO", &name, &function)) return NULL;
    if (!PyCallable_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "an external function is something that can be called");
        return NULL;
    }
    ext_function *f = calloc(1, sizeof *f);
    if (!f) return PyErr_NoMemory();
    *f = (ext_function){m->c->functions, Py_NewRef(function), m->c};
    m->c->functions = f;
    flx_status status = flx_model_bind(m->model, name, call, f);
    // it was asked for its slopes at a place that may be none of its own; a wrong count of arguments is wrong everywhere
    if (m->c->failure && !PyErr_GivenExceptionMatches(m->c->failure, PyExc_TypeError))
        Py_CLEAR(m->c->failure);
    if (!ext_settle(m->c, status)) {
        flx_model_forgive(m->model);
        return NULL;
    }
    Py_RETURN_NONE;
}
