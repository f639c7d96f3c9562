// extension.h - the extension _flexion: the library's objects as objects of CPython, by its limited API of 3.11.
//
// Every object holds the context that its messages go to. Calls that compute release the interpreter's lock; an object that
// is computing in one thread refuses calls from another.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>

#include "flexion/flexion.h"

#define OBJ(x) ((PyObject *)(x))

struct ext_model;

// ---- contexts and messages: contexts.c -----------------------------------------------------------------

// A context with a count of its users: it ends with the last one.
typedef struct ext_function ext_function;
typedef struct ext_ctx {
    flx_ctx *ctx;
    int users;
    ext_function *functions; // owned: external functions of its model
    PyObject *failure;       // owned: the first exception of one of them; NULL: none
    unsigned long failed_in; // the thread that has to hear of it; 0: any
    struct ext_ctx *home;    // owned: of the model, where the functions are; NULL: itself
} ext_ctx;
ext_ctx *ext_ctx_create(void); // NULL: MemoryError is set
ext_ctx *ext_ctx_share(ext_ctx *c);
void ext_ctx_leave(ext_ctx *c); // NULL: nothing

// Warnings are told, messages forgotten; on failure an exception is set. false: an exception is set.
bool ext_settle(ext_ctx *c, flx_status status);
// Errors of the context as a list of tuples (status, text, file, line, column, path); NULL: an exception is set.
PyObject *ext_messages(ext_ctx *c, bool warnings);

// The exception that is set, whole, and then no more; NULL: there was none.
PyObject *ext_take_exception(void);

// ---- external functions: functions.c -----------------------------------------------------------------------

PyObject *ext_bind(struct ext_model *m, PyObject *args);
void ext_functions_clear(ext_ctx *c);
// Whether an external function has failed in this thread's call, with its exception set.
bool ext_raise_failure(ext_ctx *c);

// ---- calls that compute ----------------------------------------------------------------------------------

// While the lock is released: for callbacks, which take it back.
typedef struct ext_work {
    PyThreadState *thread;
    PyObject *progress; // borrowed: called with (t, until); NULL: none
    bool failed;        // a callback has set an exception
} ext_work;
void ext_release(ext_work *w);
void ext_take_back(ext_work *w);
// A flx_progress_callback whose user is an ext_work: looks for signals, then tells the progress.
int ext_progress(void *user, double t, double until);

// ---- arrays: arrays.c ------------------------------------------------------------------------------------

// Numbers that a buffer shows: of `owner` (a new reference is held), or owned by the array when copied.
PyObject *ext_array_view(PyObject *owner, const void *data, char type, int ndim,
                         const Py_ssize_t *shape);
PyObject *ext_array_copy(const double *data, int ndim, const Py_ssize_t *shape);
// The numbers of a buffer or a sequence: n of them into out. false: an exception is set.
bool ext_read_numbers(PyObject *from, int n, double *out);
// A sequence of integers; freed by the caller. NULL: an exception is set.
int *ext_read_list(PyObject *from, int *n);

// ---- types ----------------------------------------------------------------------------------------------

extern PyTypeObject *ext_array_type, *ext_model_type, *ext_system_type, *ext_run_type,
    *ext_result_type;
extern PyType_Spec ext_array_spec, ext_model_spec, ext_system_spec, ext_run_spec, ext_result_spec;

typedef struct ext_model {
    PyObject_HEAD ext_ctx *c;
    flx_model *model;
    int busy;
} ext_model;

typedef struct ext_system {
    PyObject_HEAD ext_ctx *c;
    flx_system *system;
} ext_system;

typedef struct ext_run {
    PyObject_HEAD ext_ctx *c;
    flx_run *run;
    ext_system *system; // owned
    ext_work work;      // of the call under way
    PyObject *event;    // owned: called with (t, name); NULL: none
    PyObject *weak;
    double until;
    int ledger, busy;
    size_t saved; // bytes of the last time, which are often those of the next
} ext_run;

// A simulation to its end; (result or None, status, messages, ledger).
PyObject *ext_simulate(ext_model *m, PyObject *args, PyObject *keywords);
PyObject *ext_analyse(ext_model *m, PyObject *args);
PyObject *ext_open_result(PyObject *self, PyObject *args);
PyObject *ext_write_page(PyObject *self, PyObject *args);
PyObject *ext_linearise(ext_run *r, PyObject *args);
PyObject *ext_gradient(ext_run *r, PyObject *args);
const char *ext_gradient_method(flx_gradient_method method);
PyObject *ext_fit(ext_model *m, PyObject *args);
PyObject *ext_design(ext_model *m, PyObject *args);
PyObject *ext_ledger_of(const flx_ledger *l); // a dictionary

// true: nobody else computes with the object, which is now taken.
bool ext_begin(int *busy, const char *what);
