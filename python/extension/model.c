// model.c - Model: a model that was read, its keys, and what is made of it.
#include "extension.h"

#include <stdlib.h>
#include <string.h>

// ---- lists of texts ----------------------------------------------------------------------------------------

typedef struct texts {
    int n;
    const char **items; // owned
    PyObject **bytes;   // owned, each
} texts;

static void texts_clear(texts *t)
{
    for (int i = 0; i < t->n; i++) Py_XDECREF(t->bytes[i]);
    free(t->items);
    free(t->bytes);
    *t = (texts){0};
}

static bool texts_read(PyObject *list, texts *t)
{
    *t = (texts){0};
    if (!list || list == Py_None) return true;
    Py_ssize_t n = PySequence_Size(list);
    if (n < 0) return false;
    t->items = calloc((size_t)n + 1, sizeof *t->items);
    t->bytes = calloc((size_t)n + 1, sizeof *t->bytes);
    bool good = t->items && t->bytes;
    if (!good) PyErr_NoMemory();
    for (Py_ssize_t i = 0; good && i < n; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        t->bytes[i] = item ? PyUnicode_AsUTF8String(item) : NULL;
        Py_XDECREF(item);
        good = t->bytes[i] != NULL;
        t->n++;
        if (good) t->items[i] = PyBytes_AsString(t->bytes[i]);
    }
    if (!good) texts_clear(t);
    return good;
}

// ---- made and unmade -----------------------------------------------------------------------------------------

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path",     "text",   "settings", "open", "inputs",
                            "floating", "strict", "packages", NULL};
    const char *path, *text = NULL;
    Py_ssize_t length = 0;
    PyObject *settings = NULL, *open = NULL, *inputs = NULL, *packages = NULL;
    int floating = 0, strict = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|z#OOOppO", names, &path, &text, &length,
                                     &settings, &open, &inputs, &floating, &strict, &packages))
        return NULL;
    texts set, kept, tables, folders;
    if (!texts_read(settings, &set)) return NULL;
    if (!texts_read(open, &kept)) {
        texts_clear(&set);
        return NULL;
    }
    if (!texts_read(inputs, &tables)) {
        texts_clear(&set);
        texts_clear(&kept);
        return NULL;
    }
    if (!texts_read(packages, &folders)) {
        texts_clear(&set);
        texts_clear(&kept);
        texts_clear(&tables);
        return NULL;
    }
    ext_model *m = (ext_model *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (m) m->c = ext_ctx_create();
    bool good = m && m->c;
    if (good) {
        flx_read_def def = flx_read_def_default();
        def.text = text;
        def.length = (size_t)length;
        def.nset = set.n;
        def.settings = set.items;
        def.nopen = open == Py_None || !open ? -1 : kept.n;
        def.open = kept.items;
        def.ninput = tables.n;
        def.inputs = tables.items;
        def.floating = floating;
        def.strict = strict;
        def.npackage = folders.n;
        def.packages = folders.items;
        ext_work w = {0};
        ext_release(&w);
        flx_status status = flx_model_read_by(m->c->ctx, path, &def, &m->model);
        ext_take_back(&w);
        good = ext_settle(m->c, status);
    }
    texts_clear(&set);
    texts_clear(&kept);
    texts_clear(&tables);
    texts_clear(&folders);
    if (!good) {
        Py_XDECREF(OBJ(m));
        m = NULL;
    }
    return (PyObject *)m;
}

static void model_dealloc(ext_model *m)
{
    PyTypeObject *type = Py_TYPE(OBJ(m));
    if (m->model) flx_model_destroy(&m->model);
    ext_ctx_leave(m->c);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(m);
    Py_DECREF(OBJ(type));
}

// ---- keys --------------------------------------------------------------------------------------------------

static PyObject *model_set(ext_model *m, PyObject *args)
{
    const char *path;
    PyObject *value;
    flx_status status;
    if (!PyArg_ParseTuple(args, "sO", &path, &value) || !ext_begin(&m->busy, "model")) return NULL;
    m->busy = 0;
    if (PyUnicode_Check(value)) {
        PyObject *bytes = PyUnicode_AsUTF8String(value);
        if (!bytes) return NULL;
        status = flx_model_set_text(m->model, path, PyBytes_AsString(bytes));
        Py_DECREF(bytes);
    } else {
        double number = PyFloat_AsDouble(value);
        if (PyErr_Occurred()) return NULL;
        status = flx_model_set(m->model, path, number);
    }
    if (!ext_settle(m->c, status)) {
        flx_model_forgive(m->model);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *model_remove(ext_model *m, PyObject *args)
{
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path) || !ext_begin(&m->busy, "model")) return NULL;
    m->busy = 0;
    if (flx_model_kind(m->model, path) == 0) Py_RETURN_NONE;
    if (!ext_settle(m->c, flx_model_remove(m->model, path))) return NULL;
    Py_RETURN_NONE;
}

// What is at a path, whole: texts, lists and dictionaries.
static PyObject *tree_at(ext_model *m, const char *path, int depth)
{
    int kind = flx_model_kind(m->model, path), n = flx_model_count(m->model, path);
    size_t size = strlen(path) + 16;
    if (depth > 100) {
        PyErr_SetString(PyExc_ValueError, "the model is nested too deeply");
        return NULL;
    }
    if (kind == 0) Py_RETURN_NONE;
    if (kind == 1) {
        const char *text = flx_model_get_text(m->model, path);
        return PyUnicode_FromString(text ? text : "");
    }
    PyObject *out = kind == 2 ? PyList_New(0) : PyDict_New();
    for (int i = 0; out && i < n; i++) {
        const char *key = kind == 3 ? flx_model_key(m->model, path, i) : NULL;
        char *inner = malloc(size + (key ? 2 * strlen(key) + 4 : 0));
        if (!inner) {
            Py_DECREF(out);
            return PyErr_NoMemory();
        }
        char *at = inner;
        if (key) { // in quotes whatever it is
            if (path[0]) at += PyOS_snprintf(at, size, "%s.", path);
            *at++ = '"';
            for (const char *k = key; *k; k++) {
                if (*k == '"' || *k == '\\') *at++ = '\\';
                *at++ = *k;
            }
            *at++ = '"';
            *at = '\0';
        } else {
            PyOS_snprintf(inner, size, "%s[%d]", path, i);
        }
        PyObject *item = tree_at(m, inner, depth + 1);
        int failed = !item ? -1
                     : key ? PyDict_SetItemString(out, key, item)
                           : PyList_Append(out, item);
        Py_XDECREF(item);
        free(inner);
        if (failed) Py_CLEAR(out);
    }
    return out;
}

static PyObject *model_tree(ext_model *m, PyObject *none)
{
    (void)none;
    if (!ext_begin(&m->busy, "model")) return NULL;
    m->busy = 0;
    return tree_at(m, "", 0);
}

static PyObject *model_check(ext_model *m, PyObject *none)
{
    (void)none;
    if (!ext_begin(&m->busy, "model")) return NULL;
    ext_work w = {0};
    ext_release(&w);
    flx_status status = flx_model_check(m->model);
    ext_take_back(&w);
    m->busy = 0;
    if (!ext_settle(m->c, status)) return NULL;
    Py_RETURN_NONE;
}

static PyObject *model_write(ext_model *m, PyObject *args)
{
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path) || !ext_begin(&m->busy, "model")) return NULL;
    m->busy = 0;
    if (!ext_settle(m->c, flx_model_write(m->model, path))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *model_text(ext_model *m, PyObject *none)
{
    (void)none;
    if (!ext_begin(&m->busy, "model")) return NULL;
    m->busy = 0;
    const char *text = flx_model_write_text(m->model);
    return text ? PyUnicode_FromString(text) : PyErr_NoMemory();
}

// ---- what it is made of --------------------------------------------------------------------------------------

static PyObject *tree_lines(const flx_simulation *sim)
{
    flx_tree_line line;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && flx_simulation_tree(sim, i, &line); i++) {
        PyObject *one =
            Py_BuildValue("(izzzi)", line.depth, line.body, line.joint, line.type, line.freedom);
        if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *model_examine(ext_model *m, PyObject *none)
{
    (void)none;
    flx_simulation *sim = NULL;
    if (!ext_begin(&m->busy, "model")) return NULL;
    ext_work w = {0};
    ext_release(&w);
    flx_status status = flx_simulation_examine(m->model, &sim);
    ext_take_back(&w);
    m->busy = 0;
    PyObject *out = NULL;
    if (ext_settle(m->c, status)) {
        const flx_summary *s = flx_simulation_summary(sim);
        PyObject *lines = tree_lines(sim);
        if (lines)
            out = Py_BuildValue("{s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:N}", "title",
                                flx_model_title(m->model), "bodies", s->bodies, "joints", s->joints,
                                "forces", s->forces, "variables", s->variables + s->states,
                                "constraints", s->constraints, "redundant", s->redundant,
                                "freedoms", s->freedoms, "tree", lines);
    }
    flx_simulation_destroy(&sim);
    return out;
}

static PyObject *model_sweep(ext_model *m, PyObject *none)
{
    (void)none;
    int n = flx_model_sweep_count(m->model);
    const char *name;
    PyObject *out = PyDict_New();
    for (int k = 0; out && (name = flx_model_sweep_parameter(m->model, k)) != NULL; k++) {
        PyObject *values = PyList_New(0);
        for (int i = 0; values && i < n; i++) {
            PyObject *v = PyFloat_FromDouble(flx_model_sweep_value(m->model, i, k));
            if (!v || PyList_Append(values, v) != 0) Py_CLEAR(values);
            Py_XDECREF(v);
        }
        if (!values || PyDict_SetItemString(out, name, values) != 0) Py_CLEAR(out);
        Py_XDECREF(values);
    }
    return out;
}

static PyObject *model_compile(ext_model *m, PyObject *none)
{
    (void)none;
    allocfunc alloc = (allocfunc)PyType_GetSlot(ext_system_type, Py_tp_alloc);
    ext_system *s = (ext_system *)alloc(ext_system_type, 0);
    if (!s) return NULL;
    if (!ext_begin(&m->busy, "model")) {
        Py_DECREF(OBJ(s));
        return NULL;
    }
    s->c = ext_ctx_share(m->c);
    ext_work w = {0};
    ext_release(&w);
    flx_status status = flx_system_compile(m->model, NULL, m->c->ctx, &s->system);
    ext_take_back(&w);
    m->busy = 0;
    if (!ext_settle(m->c, status)) {
        Py_XDECREF(OBJ(s));
        s = NULL;
    }
    return (PyObject *)s;
}

static PyObject *model_simulate(ext_model *m, PyObject *args, PyObject *keywords)
{
    if (!ext_begin(&m->busy, "model")) return NULL;
    PyObject *out = ext_simulate(m, args, keywords);
    m->busy = 0;
    return out;
}

static PyObject *model_analyse(ext_model *m, PyObject *args)
{
    if (!ext_begin(&m->busy, "model")) return NULL;
    PyObject *out = ext_analyse(m, args);
    m->busy = 0;
    return out;
}

static PyObject *model_fit(ext_model *m, PyObject *args)
{
    if (!ext_begin(&m->busy, "model")) return NULL;
    PyObject *out = ext_fit(m, args);
    m->busy = 0;
    return out;
}

static PyObject *model_design(ext_model *m, PyObject *args)
{
    if (!ext_begin(&m->busy, "model")) return NULL;
    PyObject *out = ext_design(m, args);
    m->busy = 0;
    return out;
}

static PyMethodDef methods[] = {
    {"analyse", (PyCFunction)model_analyse, METH_VARARGS, "analyse(name=None) -> what was found"},
    {"fit", (PyCFunction)model_fit, METH_VARARGS,
     "fit(evaluated=None) -> (fit, status, messages, exception)"},
    {"design", (PyCFunction)model_design, METH_VARARGS,
     "design(threads=1, evaluated=None) -> (design, status, messages, exception)"},
    {"bind", (PyCFunction)ext_bind, METH_VARARGS, "bind(name, function): an external function."},
    {"set", (PyCFunction)model_set, METH_VARARGS, "set(path, value): a key of the model."},
    {"remove", (PyCFunction)model_remove, METH_VARARGS, "remove(path): a key, if it is there."},
    {"tree", (PyCFunction)model_tree, METH_NOARGS,
     "The description as dictionaries, lists, texts."},
    {"check", (PyCFunction)model_check, METH_NOARGS, "Check all of it."},
    {"write", (PyCFunction)model_write, METH_VARARGS, "write(path): as YAML."},
    {"text", (PyCFunction)model_text, METH_NOARGS, "As YAML."},
    {"examine", (PyCFunction)model_examine, METH_NOARGS, "Counts and the tree of bodies."},
    {"sweep", (PyCFunction)model_sweep, METH_NOARGS, "Values of the block sweep, by parameter."},
    {"compile", (PyCFunction)model_compile, METH_NOARGS, "-> System"},
    {"simulate", (PyCFunction)(void (*)(void))model_simulate, METH_VARARGS | METH_KEYWORDS,
     "simulate(path, progress=None, until=0, states=False) -> (Result, status, messages, ledger)"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Model(path, text=None, settings=None, open=None, inputs=None)"},
    {0, NULL}};
PyType_Spec ext_model_spec = {.name = "flexion._flexion.Model",
                              .basicsize = sizeof(ext_model),
                              .flags = Py_TPFLAGS_DEFAULT,
                              .slots = slots};
