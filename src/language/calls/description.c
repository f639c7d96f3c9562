// description.c - the life of a description: opened for changes, built, shared.
#include "language/calls/description.h"
#include "base/number.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define GARBAGE 1000 // entries that were replaced and are kept without a thought

// ---- making and ending -----------------------------------------------------------------------------

static flx_status keep_texts(flx_description *d, int n, const char *const **texts)
{
    if (n <= 0) return FLX_OK;
    const char **own = flx_arena_take(d->own, (size_t)n, sizeof *own);
    for (int i = 0; own && i < n; i++) {
        own[i] = flx_arena_copy(d->own, (*texts)[i], strlen((*texts)[i]));
        if (!own[i]) return FLX_ERR_MEMORY;
    }
    *texts = own;
    return own ? FLX_OK : FLX_ERR_MEMORY;
}

// What was asked when the model was read is asked again when it is built anew.
static flx_status keep_asked(flx_description *d, const flx_read_def *asked)
{
    d->asked = *asked;
    d->asked.text = NULL;
    d->asked.length = 0;
    d->own = flx_arena_create(d->ctx);
    if (!d->own) return FLX_ERR_MEMORY;
    FLX_TRY(keep_texts(d, asked->nset, &d->asked.settings));
    FLX_TRY(keep_texts(d, asked->nopen, &d->asked.open));
    return keep_texts(d, asked->ninput, &d->asked.inputs);
}

flx_status flx_handle_create(flx_ctx *ctx, const char *file, const flx_read_def *asked,
                             flx_model *core, flx_model **out)
{
    flx_model *m = flx_alloc(ctx, 1, sizeof *m);
    flx_description *d = flx_alloc(ctx, 1, sizeof *d);
    flx_status status = m && d ? FLX_OK : FLX_ERR_MEMORY;
    *out = NULL;
    if (status == FLX_OK) {
        *d = (flx_description){.ctx = ctx, .handle = m, .file = file};
        status = keep_asked(d, asked);
    }
    if (status == FLX_OK) {
        if (core) *m = *core;
        if (!core) m->title = m->text = m->path = "";
        m->ctx = ctx;
        m->core = core;
        m->description = d;
        if (core) core->handle = m;
        *out = m;
        return FLX_OK;
    }
    flx_description_destroy(&d);
    flx_free(m);
    return status;
}

static void free_refusals(flx_description *d)
{
    for (int i = 0; i < d->nrefusal; i++) {
        flx_free(d->refusals[i].path);
        flx_free(d->refusals[i].text);
    }
    d->nrefusal = 0;
}

void flx_description_destroy(flx_description **description)
{
    flx_description *d = *description;
    if (!d) return;
    free_refusals(d);
    while (d->files) {
        flx_given_file *next = d->files->next;
        flx_free((char *)d->files->text);
        flx_free(d->files);
        d->files = next;
    }
    flx_arena_destroy(&d->arena);
    flx_arena_destroy(&d->own);
    flx_arena_destroy(&d->found);
    flx_free(d->refusals);
    flx_free(d->added);
    flx_free(d->written);
    flx_free(d);
    *description = NULL;
}

void flx_model_forgive(flx_model *m)
{
    if (!m || !m->description) return;
    free_refusals(m->description);
    m->description->starved = false;
}

// ---- the tree --------------------------------------------------------------------------------------

const flx_entry *flx_description_tree(const flx_model *m)
{
    if (!m->description) return NULL;
    return m->description->root ? m->description->root : m->tree;
}

int flx_description_dimension(const flx_model *m)
{
    const flx_entry *y = flx_entry_get(flx_description_tree(m), "dimension");
    return y && strcmp(y->text, "2") == 0 ? 2 : 3;
}

static flx_status copy_tree(flx_ctx *ctx, const flx_entry *from, flx_arena **arena, flx_entry **to)
{
    *arena = flx_arena_create(ctx);
    *to = *arena ? flx_entry_copy(*arena, from) : NULL;
    if (*to) return FLX_OK;
    flx_arena_destroy(arena);
    return FLX_ERR_MEMORY;
}

int flx_setting_entry(char *name)
{
    char *open = strchr(name, '('), *end = NULL;
    if (!open || open == name) return 0;
    double index = flx_number_read(open + 1, &end);
    if (end == open + 1 || strcmp(end, ")") != 0 || !(index >= 1 && index < 1e6)) return 0;
    *open = 0;
    return (int)index;
}

// A setting "name=value" or "name(2)=value" of the reading becomes what the description says: later calls stand
// against it. One that has no place there (an entry of what is no list) is asked for again.
static flx_status take_setting(flx_description *d, const char *setting, bool *taken)
{
    size_t n = strcspn(setting, "=");
    char *name = flx_arena_copy(d->arena, setting, n);
    const flx_entry *of = flx_entry_get(d->root, "parameters");
    *taken = flx_setting_is_key(setting); // the tree has it
    if (*taken) return FLX_OK;
    if (!name) return FLX_ERR_MEMORY;
    int entry = flx_setting_entry(name), i = flx_entry_find(of, name);
    if (i < 0) return FLX_OK;
    if (entry > 0) {
        of = of->items[i];
        i = entry - 1;
        if (of->kind != FLX_ENTRY_LIST || i >= of->count) return FLX_OK;
    }
    const char *text = flx_arena_copy(d->arena, setting + n + 1, strlen(setting + n + 1));
    flx_entry *value = text ? flx_entry_scalar(d->arena, of->items[i]->loc, text) : NULL;
    if (!value) return FLX_ERR_MEMORY;
    flx_entry_replace((flx_entry *)of, i, value);
    *taken = true;
    return FLX_OK;
}

static flx_status open_tree(flx_model *m)
{
    flx_description *d = m->description;
    FLX_TRY(copy_tree(d->ctx, m->tree, &d->arena, &d->root));
    const char **settings = (const char **)d->asked.settings; // of keep_texts
    bool *taken = flx_arena_take(d->arena, (size_t)d->asked.nset, sizeof *taken);
    int left = 0;
    if (!taken) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->asked.nset; i++) FLX_TRY(take_setting(d, settings[i], &taken[i]));
    for (int i = 0; i < d->asked.nset; i++) {
        if (!taken[i]) settings[left++] = settings[i];
    }
    d->asked.nset = left;
    return FLX_OK;
}

flx_entry *flx_description_open(flx_model *m)
{
    flx_description *d = m->description;
    if (!d->root && open_tree(m) != FLX_OK) {
        flx_arena_destroy(&d->arena);
        d->root = NULL;
        return NULL;
    }
    d->changed = true;
    d->known = NULL; // it held for the model as it was
    return d->root;
}

// What was replaced is left behind in the arena; now and then all that counts moves to another.
static flx_status tidy(flx_description *d)
{
    flx_arena *arena;
    flx_entry *root;
    if (d->made <= 2 * flx_entry_size(d->root) + GARBAGE) return FLX_OK;
    FLX_TRY(copy_tree(d->ctx, d->root, &arena, &root));
    flx_arena_destroy(&d->arena);
    d->arena = arena;
    d->root = root;
    d->made = 0;
    return FLX_OK;
}

// ---- refused calls ---------------------------------------------------------------------------------

static char *keep_text(flx_ctx *ctx, const char *text)
{
    char *copy = flx_alloc(ctx, strlen(text) + 1, 1);
    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

flx_status flx_refuse(flx_model *m, flx_status status, const flx_trail *trail, const char *format,
                      ...)
{
    flx_description *d = m->description;
    char text[500], path[500];
    va_list args;
    va_start(args, format);
    flx_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FLX_FAIL(m->ctx, status, ((flx_loc){NULL, 0, 0, trail}), "%s", text);
    if (!d || d->nrefusal >= FLX_MAX_ERRORS) return status;
    FLX_TRY(flx_grow(d->ctx, (void **)&d->refusals, &d->refusal_capacity, d->nrefusal + 1,
                     sizeof *d->refusals));
    flx_trail_write(trail, path, sizeof path);
    flx_refusal *r = d->refusals + d->nrefusal++;
    *r = (flx_refusal){keep_text(d->ctx, path), keep_text(d->ctx, text), status};
    return r->path && r->text ? status : FLX_ERR_MEMORY;
}

static bool is_told(const flx_ctx *ctx, const flx_refusal *r)
{
    const flx_message *m;
    for (int i = 0; (m = flx_ctx_error(ctx, i)) != NULL; i++) {
        if (strcmp(m->text, r->text) == 0 && strcmp(m->path, r->path) == 0) return true;
    }
    return false;
}

// The messages of refused calls are in the context, unless somebody has cleared it since.
static void tell_refusals(const flx_description *d)
{
    for (int i = 0; i < d->nrefusal; i++) {
        const flx_refusal *r = d->refusals + i;
        if (!r->path || !r->text || is_told(d->ctx, r)) continue;
        const flx_trail top = {NULL, NULL, 0}, trail = {&top, r->path, -1};
        FLX_FAIL(d->ctx, r->status, ((flx_loc){NULL, 0, 0, r->path[0] ? &trail : NULL}), "%s",
                 r->text);
    }
}

// ---- building --------------------------------------------------------------------------------------

static flx_status build(flx_model *m)
{
    flx_description *d = m->description;
    flx_model *core = NULL;
    flx_arena *arena;
    flx_entry *tree;
    tell_refusals(d);
    if (d->root) FLX_TRY(tidy(d));
    FLX_TRY(copy_tree(d->ctx, d->root ? d->root : m->tree, &arena, &tree));
    flx_status status = d->build(d, arena, tree, &core);
    if (status != FLX_OK) flx_arena_destroy(&arena); // the core takes it otherwise
    if (status == FLX_OK && d->nrefusal > 0) {
        flx_model_destroy(&core);
        status = FLX_ERR_MODEL;
    }
    if (status != FLX_OK) return status;
    flx_model *old = m->core;
    if (old) old->handle = NULL;
    *m = *core;
    m->core = core;
    m->description = d;
    core->handle = m;
    flx_model_destroy(&old);
    d->changed = false;
    return FLX_OK;
}

// A copy in the arena; NULL: no memory.
static flx_known *copy_known(flx_arena *arena, const flx_known *from)
{
    flx_known *k = flx_arena_take(arena, 1, sizeof *k);
    if (!k) return NULL;
    k->analysis = flx_arena_copy(arena, from->analysis, strlen(from->analysis));
    k->tables = flx_arena_take(arena, (size_t)from->ntable + 1, sizeof *k->tables);
    if (!k->analysis || !k->tables) return NULL;
    for (; k->ntable < from->ntable; k->ntable++) {
        const flx_known_table *t = from->tables + k->ntable;
        flx_known_table *own = k->tables + k->ntable;
        size_t n = (size_t)t->nrow * (size_t)t->ncolumn;
        *own = *t;
        own->name = flx_arena_copy(arena, t->name, strlen(t->name));
        own->values = flx_arena_take(arena, n + 1, sizeof *own->values);
        if (!own->name || !own->values) return NULL;
        memcpy(own->values, t->values, n * sizeof *own->values);
        if (!t->columns) continue;
        own->columns = flx_arena_take(arena, (size_t)t->ncolumn + 1, sizeof *own->columns);
        for (int i = 0; own->columns && i < t->ncolumn; i++) {
            own->columns[i] = flx_arena_copy(arena, t->columns[i], strlen(t->columns[i]));
            if (!own->columns[i]) return NULL;
        }
        if (!own->columns) return NULL;
    }
    return k;
}

flx_status flx_model_know(const flx_model *m, const flx_known *found)
{
    flx_description *d = m->description;
    if (!flx_model_is_handle(m)) {
        return FLX_FAIL(m->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "what '%s' finds is used by the model, which cannot be built again here",
                        found->analysis);
    }
    if (!d->found) d->found = flx_arena_create(d->ctx);
    flx_known *k = d->found ? copy_known(d->found, found) : NULL;
    if (!k) return FLX_ERR_MEMORY;
    k->next = d->known;
    d->known = k;
    return build((flx_model *)m);
}

flx_status flx_model_refuse_awaited(const flx_model *m)
{
    for (int i = 0; m->awaited && i < m->nanalysis; i++) {
        if (!m->awaited[i]) continue;
        return FLX_FAIL(m->ctx, FLX_ERR_CANNOT, m->analyses[i].loc,
                        "expressions of the model use what '%s' finds, which is known in a run "
                        "alone; give the numbers themselves",
                        m->analyses[i].name);
    }
    return FLX_OK;
}

bool flx_model_is_handle(const flx_model *m)
{
    return m->description && m->description->handle == m;
}

// The handle is the user's, who may have it const: bringing it up to date changes nothing of what it says.
flx_status flx_model_refresh(const flx_model *m)
{
    const flx_description *d = m->description;
    if (!flx_model_is_handle(m)) return FLX_OK;
    if (d->starved) {
        return FLX_FAIL(m->ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                        "a call that builds the model has run out of memory: something is missing");
    }
    if (!d->changed && d->nrefusal == 0) return FLX_OK;
    if (d->root) return build((flx_model *)m);
    tell_refusals(d); // of a model that was read, and not changed
    return FLX_ERR_MODEL;
}

flx_status flx_model_check(flx_model *m)
{
    return m ? flx_model_refresh(m) : FLX_ERR_ARGUMENT;
}

// A message of another context.
static void tell(flx_ctx *ctx, const flx_message *m)
{
    const flx_trail path = {NULL, m->path, -1};
    const char *file = m->loc.file ? flx_intern(ctx, m->loc.file) : NULL;
    const flx_loc loc = {file, m->loc.line, m->loc.column, m->path[0] ? &path : NULL};
    if (m->status == FLX_OK)
        flx_ctx_warn(ctx, loc, "%s", m->text);
    else
        FLX_FAIL(ctx, m->status, loc, "%s", m->text);
}

flx_status flx_model_refresh_for(const flx_model *m, flx_ctx *ctx)
{
    int nerror = flx_ctx_error_count(m->ctx), nwarning = flx_ctx_warning_count(m->ctx);
    flx_status status = flx_model_refresh(m);
    if (ctx == m->ctx) return status;
    const flx_message *told;
    if (status != FLX_OK) nerror = 0; // refused calls were told before
    while ((told = flx_ctx_error(m->ctx, nerror++)) != NULL) tell(ctx, told);
    while ((told = flx_ctx_warning(m->ctx, nwarning++)) != NULL) tell(ctx, told);
    return status;
}

flx_status flx_model_share(const flx_model *m, flx_model **core)
{
    *core = NULL;
    FLX_TRY(flx_model_refresh(m));
    flx_model *one = m->core ? m->core : (flx_model *)m;
    if (!one->users) return FLX_OK;
    atomic_fetch_add(one->users, 1);
    *core = one;
    return FLX_OK;
}
