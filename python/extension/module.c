// module.c - the module _flexion: its types and functions.
#include "extension.h"

PyTypeObject *ext_array_type, *ext_model_type, *ext_system_type, *ext_run_type, *ext_result_type;

static PyObject *version(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyUnicode_FromString(flx_version());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "Version of the library."},
    {"open_result", ext_open_result, METH_VARARGS, "open_result(path) -> Result"},
    {"write_page", ext_write_page, METH_VARARGS, "write_page(path, results, labels)"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_flexion",
                                        .m_doc = "The library of Flexion.", .m_size = -1,
                                        .m_methods = functions};

static bool add(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromSpec(spec);
    return *type && PyModule_AddObjectRef(module, name, (PyObject *)*type) == 0;
}

PyMODINIT_FUNC PyInit__flexion(void);
PyMODINIT_FUNC PyInit__flexion(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (!add(module, "Array", &ext_array_spec, &ext_array_type) ||
        !add(module, "Model", &ext_model_spec, &ext_model_type) ||
        !add(module, "System", &ext_system_spec, &ext_system_type) ||
        !add(module, "Run", &ext_run_spec, &ext_run_type) ||
        !add(module, "Result", &ext_result_spec, &ext_result_type)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
