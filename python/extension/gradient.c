// gradient.c - derivatives of a run by its parameters.
#include "extension.h"

#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"auto", "direct", "adjoint", "differences"};

static bool read_method(const char *text, flx_gradient_method *out)
{
    for (int i = 0; i < (int)(sizeof methods / sizeof methods[0]); i++) {
        if (strcmp(text, methods[i]) != 0) continue;
        *out = (flx_gradient_method)i;
        return true;
    }
    PyErr_Format(PyExc_ValueError,
                 "slopes are 'auto', 'direct', 'adjoint' or 'differences', not '%s'", text);
    return false;
}

const char *ext_gradient_method(flx_gradient_method method)
{
    return methods[method];
}

// (values, slopes, errors, method, why differences were taken, steps, runs)
static PyObject *give(const flx_gradient *g)
{
    Py_ssize_t shape[2] = {g->nvalue, g->nparam};
    double *errors = malloc(((size_t)g->nvalue * (size_t)g->nparam + 1) * sizeof *errors);
    if (!errors) return PyErr_NoMemory();
    for (int i = 0; i < g->nvalue; i++) {
        for (int k = 0; k < g->nparam; k++) errors[i * g->nparam + k] = flx_gradient_error(g, i, k);
    }
    PyObject *out = Py_BuildValue(
        "(NNNszii)", ext_array_copy(g->value, 1, shape), ext_array_copy(g->slope, 2, shape),
        ext_array_copy(errors, 2, shape), methods[g->method], g->instead, g->steps, g->runs);
    free(errors);
    return out;
}

// _gradient(method, parameters, scales or None, metrics, outputs, times)
PyObject *ext_gradient(ext_run *r, PyObject *args)
{
    const char *method;
    PyObject *parameters, *scales, *metrics, *outputs, *times, *out = NULL;
    flx_gradient_def def = flx_gradient_def_default();
    if (!PyArg_ParseTuple(args, "sOOOOO", &method, &parameters, &scales, &metrics, &outputs,
                          &times) ||
        !read_method(method, &def.method))
        return NULL;
    Py_ssize_t ntime = PySequence_Size(times);
    if (ntime < 0 || !ext_begin(&r->busy, "run")) return NULL;
    def.ntime = (int)ntime;
    int *param = ext_read_list(parameters, &def.nparam),
        *metric = param ? ext_read_list(metrics, &def.nmetric) : NULL,
        *output = metric ? ext_read_list(outputs, &def.noutput) : NULL;
    double *numbers =
        output ? malloc(((size_t)def.nparam + (size_t)ntime + 1) * sizeof *numbers) : NULL;
    double *scale = numbers, *at = numbers ? numbers + def.nparam : NULL;
    if (output && !numbers) PyErr_NoMemory();
    bool good = numbers && (scales == Py_None || ext_read_numbers(scales, def.nparam, scale)) &&
                ext_read_numbers(times, def.ntime, at);
    if (good) {
        flx_gradient g = {0};
        def.param = param;
        def.metric = metric;
        def.output = output;
        def.times = at;
        def.scale = scales == Py_None ? NULL : scale;
        ext_release(&r->work);
        flx_status status = flx_gradient_find(r->run, &def, &g);
        ext_take_back(&r->work);
        if (r->work.failed) { // a callback's exception, or a signal
            flx_ctx_clear_messages(r->c->ctx);
        } else if (ext_settle(r->c, status)) {
            out = give(&g);
        }
        flx_gradient_clear(&g);
    }
    r->busy = 0;
    free(param);
    free(metric);
    free(output);
    free(numbers);
    return out;
}
