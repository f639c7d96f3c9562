// system.c - System: a model compiled once; its inputs, outputs and parameters by name.
#include "extension.h"

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

static PyMethodDef methods[] = {
    {"ports", (PyCFunction)system_ports, METH_VARARGS,
     "ports(kind) -> list of (name, unit, value, lower, upper, tunable)"},
    {"find", (PyCFunction)system_find, METH_VARARGS, "find(kind, name) -> number"},
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
