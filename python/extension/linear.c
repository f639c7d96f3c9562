// linear.c - a run linearised about its state.
#include "extension.h"

#include <stdlib.h>

static PyObject *matrix(const double *a, int rows, int columns)
{
    Py_ssize_t shape[2] = {rows, columns};
    if (!a) Py_RETURN_NONE;
    return ext_array_copy(a, 2, shape);
}

static PyObject *state_names(const flx_linear_model *m)
{
    static const char *const kinds[] = {"position", "velocity", "state"};
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < m->n; i++) {
        const flx_state_info *s = m->states + i;
        PyObject *one = Py_BuildValue("(szz)", kinds[s->kind], s->item, s->part);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

// (A, B, C, D, D1, D2, rate, [(kind, item, part), ...])
PyObject *ext_linearise(ext_run *r, PyObject *args)
{
    PyObject *ins, *outs, *out = NULL;
    int closed = 0;
    flx_io io = {0};
    if (!PyArg_ParseTuple(args, "OO|p", &ins, &outs, &closed) || !ext_begin(&r->busy, "run"))
        return NULL;
    int *inputs = ext_read_list(ins, &io.nin),
        *outputs = inputs ? ext_read_list(outs, &io.nout) : NULL;
    if (outputs) {
        flx_linear_def def = flx_linear_def_default();
        flx_linear_model m = {0};
        def.closed = closed;
        io.inputs = inputs;
        io.outputs = outputs;
        ext_release(&r->work);
        flx_status status = flx_run_linearise(r->run, &io, &def, &m);
        ext_take_back(&r->work);
        if (ext_settle(r->c, status)) {
            Py_ssize_t n[1] = {m.n};
            out = Py_BuildValue("(NNNNNNNN)", matrix(m.A, m.n, m.n), matrix(m.B, m.n, m.nin),
                                matrix(m.C, m.nout, m.n), matrix(m.D, m.nout, m.nin),
                                matrix(m.D1, m.nout, m.nin), matrix(m.D2, m.nout, m.nin),
                                ext_array_copy(m.rate, 1, n), state_names(&m));
            flx_linear_model_clear(&m);
        }
    }
    r->busy = 0;
    free(inputs);
    free(outputs);
    return out;
}
