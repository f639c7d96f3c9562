// arrays.c - numbers as buffers: views of what an object has, which they keep alive, and copies.
#include "extension.h"

#include <stdlib.h>
#include <string.h>

typedef struct ext_array {
    PyObject_HEAD PyObject *owner; // owned; NULL: the numbers are the array's own
    void *data;
    char format[2]; // "d" or "f"
    int ndim;
    Py_ssize_t shape[3], strides[3];
} ext_array;

static ext_array *array_create(char type, int ndim, const Py_ssize_t *shape)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(ext_array_type, Py_tp_alloc);
    ext_array *a = (ext_array *)alloc(ext_array_type, 0);
    if (!a) return NULL;
    a->format[0] = type;
    a->ndim = ndim;
    Py_ssize_t stride = type == 'f' ? (Py_ssize_t)sizeof(float) : (Py_ssize_t)sizeof(double);
    for (int i = ndim - 1; i >= 0; i--) {
        a->shape[i] = shape[i];
        a->strides[i] = stride;
        stride *= shape[i];
    }
    return a;
}

PyObject *ext_array_view(PyObject *owner, const void *data, char type, int ndim,
                         const Py_ssize_t *shape)
{
    ext_array *a = array_create(type, ndim, shape);
    if (!a) return NULL;
    Py_INCREF(owner);
    a->owner = owner;
    a->data = (void *)data;
    return (PyObject *)a;
}

PyObject *ext_array_copy(const double *data, int ndim, const Py_ssize_t *shape)
{
    ext_array *a = array_create('d', ndim, shape);
    size_t n = 1;
    for (int i = 0; i < ndim; i++) n *= (size_t)shape[i];
    if (a) a->data = malloc((n + 1) * sizeof(double));
    if (!a || !a->data) {
        Py_XDECREF(OBJ(a));
        return PyErr_NoMemory();
    }
    if (n > 0) memcpy(a->data, data, n * sizeof(double));
    return (PyObject *)a;
}

static void array_dealloc(ext_array *a)
{
    PyTypeObject *type = Py_TYPE(OBJ(a));
    if (a->owner) {
        Py_DECREF(a->owner);
    } else {
        free(a->data);
    }
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(a);
    Py_DECREF(OBJ(type));
}

static int array_get_buffer(ext_array *a, Py_buffer *view, int flags)
{
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "these numbers are read-only");
        return -1;
    }
    Py_ssize_t size = a->format[0] == 'f' ? (Py_ssize_t)sizeof(float) : (Py_ssize_t)sizeof(double);
    Py_ssize_t n = 1;
    for (int i = 0; i < a->ndim; i++) n *= a->shape[i];
    static double nothing; // an empty buffer has a place, too
    memset(view, 0, sizeof *view);
    Py_INCREF(OBJ(a));
    view->obj = (PyObject *)a;
    view->buf = a->data ? a->data : &nothing;
    view->len = n * size;
    view->itemsize = size;
    view->readonly = 1;
    view->ndim = a->ndim;
    view->format = flags & PyBUF_FORMAT ? a->format : NULL;
    view->shape = flags & PyBUF_ND ? a->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL;
    return 0;
}

static Py_ssize_t array_length(ext_array *a)
{
    return a->shape[0];
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, array_dealloc},
    {Py_bf_getbuffer, array_get_buffer},
    {Py_sq_length, array_length},
    {Py_tp_doc,
     "Numbers of the library, read-only: memoryview or numpy.asarray show them without a copy."},
    {0, NULL}};
PyType_Spec ext_array_spec = {.name = "flexion._flexion.Array",
                              .basicsize = sizeof(ext_array),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              .slots = slots};

bool ext_read_numbers(PyObject *from, int n, double *out)
{
    Py_buffer b;
    if (PyObject_CheckBuffer(from) &&
        PyObject_GetBuffer(from, &b, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) {
        bool fits = b.format && strcmp(b.format, "d") == 0 && b.len == n * (Py_ssize_t)sizeof *out;
        if (fits) memcpy(out, b.buf, (size_t)b.len);
        PyBuffer_Release(&b);
        if (fits) return true;
    }
    PyErr_Clear();
    PyObject *list = PySequence_List(from);
    if (!list) return false;
    bool good = PyList_Size(list) == n;
    if (!good)
        PyErr_Format(PyExc_ValueError, "%d numbers are needed, not %zd", n, PyList_Size(list));
    for (int i = 0; good && i < n; i++) {
        out[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
        good = !PyErr_Occurred();
    }
    Py_DECREF(list);
    return good;
}

int *ext_read_list(PyObject *list, int *n)
{
    Py_ssize_t count = PySequence_Size(list);
    int *out = count >= 0 ? calloc((size_t)count + 1, sizeof *out) : NULL;
    if (!out) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        out[i] = item ? (int)PyLong_AsLong(item) : -1;
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            free(out);
            return NULL;
        }
    }
    *n = (int)count;
    return out;
}
