// calls.c - from the definition of an item to its mapping in the description; ids.
#include "language/calls/calls.h"
#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

#define LONGEST 200 // letters of a name

flx_status flx_call_begin(const flx_model *m)
{
    return m && m->description ? FLX_OK : FLX_ERR_ARGUMENT;
}

flx_status flx_call_end(flx_model *m, flx_status status)
{
    if (status == FLX_ERR_MEMORY) m->description->starved = true;
    return status;
}

bool flx_is_sound(const char *text)
{
    size_t n = strlen(text), width;
    for (size_t i = 0; i < n; i += width) {
        if (flx_is_no_text(flx_utf8_decode((const unsigned char *)text + i, n - i, &width))) {
            return false;
        }
    }
    return true;
}

// ---- ids -------------------------------------------------------------------------------------------

static int add_id(flx_model *m, const char *name, const char *section)
{
    flx_description *d = m->description;
    if (d->nadded == 0 && strcmp(name, "ground") != 0) {
        int ground = add_id(m, "ground", "bodies"); // FLX_GROUND
        if (ground < 0) return ground;
    }
    const char *own = flx_intern(d->ctx, name);
    if (!own) return FLX_ERR_MEMORY;
    FLX_TRY(
        flx_grow(d->ctx, (void **)&d->added, &d->added_capacity, d->nadded + 1, sizeof *d->added));
    d->added[d->nadded++] = (flx_added){own, section};
    return d->nadded;
}

int flx_model_name(flx_model *m, const char *name)
{
    FLX_TRY(flx_call_begin(m));
    if (!name || !name[0]) return FLX_REFUSE(m, NULL, "the name of an item is missing");
    int id = add_id(m, name, NULL);
    if (id < 0) flx_call_end(m, (flx_status)id);
    return id;
}

// ---- the item --------------------------------------------------------------------------------------

void flx_item_begin(flx_item_maker *k, flx_model *m, const char *section, const char *name)
{
    *k = (flx_item_maker){.m = m, .word = section, .name = name, .status = flx_call_begin(m)};
    if (k->status != FLX_OK) return;
    k->top = (flx_trail){NULL, NULL, 0};
    k->section = (flx_trail){&k->top, section, -1};
    k->item = (flx_trail){&k->section, name ? name : "", 0};
    if (!flx_description_open(m)) {
        k->status = flx_call_end(m, FLX_ERR_MEMORY);
        return;
    }
    k->arena = m->description->arena;
    k->map = flx_entry_map(k->arena, FLX_NOWHERE);
    k->dimension = flx_description_dimension(m);
    if (!k->map)
        k->status = FLX_ERR_MEMORY;
    else if (!name || !name[0])
        flx_item_refuse(k, NULL, "it has no name");
    else if (strlen(name) > LONGEST)
        flx_item_refuse(k, NULL, "its name is too long");
}

void flx_item_take(flx_item_maker *k, const void *def, void *own, size_t first, size_t now)
{
    size_t size = 0;
    memset(own, 0, now);
    if (k->status != FLX_OK) return;
    if (!def) {
        flx_item_refuse(k, NULL, "its definition is NULL");
        return;
    }
    memcpy(&size, def, sizeof size);
    if (size == 0) size = first;
    if (size < sizeof size || size % sizeof(void *) != 0 || size > 64 * now) {
        flx_item_refuse(k, NULL,
                        "the size of its definition is %zu: begin with zeros or _default()", size);
        return;
    }
    // of a later version: what is not known here is not given
    for (size_t i = now; i < size; i++) {
        if (((const unsigned char *)def)[i] == 0) continue;
        flx_item_refuse(k, NULL, "its definition is that of a later version of the library");
        return;
    }
    memcpy(own, def, size < now ? size : now);
}

void flx_item_refuse(flx_item_maker *k, const char *key, const char *format, ...)
{
    char text[300];
    const flx_trail at = {&k->item, key, 0};
    va_list args;
    if (k->status != FLX_OK) return;
    va_start(args, format);
    flx_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    k->status = FLX_REFUSE(k->m, key ? &at : &k->item, "%s", text);
}

static void check_section(flx_item_maker *k, const flx_entry *section)
{
    if (section->kind != FLX_ENTRY_MAP) {
        flx_item_refuse(k, NULL, "'%s' is no mapping of names in this model", k->word);
    } else if (flx_entry_find(section, k->name) >= 0) {
        flx_item_refuse(k, NULL, "'%s' is there already: change it by flx_model_set, or remove it",
                        k->name);
    }
}

static int add_item(flx_item_maker *k)
{
    if (k->status != FLX_OK) return k->status;
    const flx_entry *found = flx_path_find(k->m, k->word);
    if (!found) {
        k->status = flx_path_put(k->m, k->word, flx_entry_map(k->arena, FLX_NOWHERE));
        found = flx_path_find(k->m, k->word);
    }
    if (k->status == FLX_OK) check_section(k, found);
    if (k->status != FLX_OK) return k->status;
    const char *name = flx_arena_copy(k->arena, k->name, strlen(k->name));
    flx_entry *key = name ? flx_entry_scalar(k->arena, FLX_NOWHERE, name) : NULL;
    if (!key) return FLX_ERR_MEMORY;
    k->m->description->made += 2;
    FLX_TRY(flx_entry_add(k->arena, (flx_entry *)found, key, k->map));
    return add_id(k->m, k->name, k->word);
}

int flx_item_end(flx_item_maker *k)
{
    int id = add_item(k);
    if (id < 0 && k->arena) flx_call_end(k->m, (flx_status)id);
    return id;
}

flx_status flx_item_end_block(flx_item_maker *k)
{
    char path[2 * LONGEST];
    for (int i = 0; k->status == FLX_OK && i < k->map->count; i++) {
        flx_snprintf(path, sizeof path, "%s.%s", k->word, k->map->keys[i]->text);
        k->status = flx_path_put(k->m, path, k->map->items[i]);
    }
    return k->arena ? flx_call_end(k->m, k->status) : k->status;
}

// ---- keys ------------------------------------------------------------------------------------------

static void put(flx_item_maker *k, const char *key, flx_entry *value)
{
    if (k->status != FLX_OK) return;
    const char *copy = value ? flx_arena_copy(k->arena, key, strlen(key)) : NULL;
    flx_entry *e = copy ? flx_entry_scalar(k->arena, FLX_NOWHERE, copy) : NULL;
    if (e && flx_entry_find(k->map, key) >= 0) {
        flx_item_refuse(k, key, "it is given twice");
        return;
    }
    k->status = e ? flx_entry_add(k->arena, k->map, e, value) : FLX_ERR_MEMORY;
    k->m->description->made += 2;
}

bool flx_is_given(flx_value v)
{
    return v.text || v.number != 0.0; // not a number is given, and refused
}

bool flx_is_vector_given(const flx_vector *v)
{
    return v->text || flx_is_given(v->x) || flx_is_given(v->y) || flx_is_given(v->z);
}

flx_entry *flx_make_scalar(flx_item_maker *k, const char *key, flx_value v)
{
    if (k->status != FLX_OK) return NULL;
    if (!v.text && !isfinite(v.number)) {
        flx_item_refuse(k, key, "the value is %s: a finite number is needed",
                        isnan(v.number) ? "nan" : "infinite");
        return NULL;
    }
    if (v.text && !v.text[0]) {
        flx_item_refuse(k, key, "the text is empty");
        return NULL;
    }
    if (v.text && !flx_is_sound(v.text)) {
        flx_item_refuse(k, key, "the text is not UTF-8, or has control characters");
        return NULL;
    }
    flx_entry *e = flx_path_scalar(k->m, v);
    if (!e) k->status = FLX_ERR_MEMORY;
    return e;
}

static void append(flx_item_maker *k, flx_entry *list, flx_entry *item)
{
    if (k->status != FLX_OK) return;
    k->status = list && item ? flx_entry_append(k->arena, list, item) : FLX_ERR_MEMORY;
}

flx_entry *flx_make_list(flx_item_maker *k)
{
    flx_entry *list = k->status == FLX_OK ? flx_entry_list(k->arena, FLX_NOWHERE) : NULL;
    if (!list && k->status == FLX_OK) k->status = FLX_ERR_MEMORY;
    return list;
}

flx_entry *flx_make_vector(flx_item_maker *k, const char *key, const flx_vector *v)
{
    if (v->text) return flx_make_scalar(k, key, (flx_value){0, v->text});
    const flx_value parts[3] = {v->x, v->y, v->z};
    flx_entry *list = flx_make_list(k);
    int n = k->dimension == 2 && !flx_is_given(v->z) ? 2 : 3;
    for (int i = 0; i < n; i++) append(k, list, flx_make_scalar(k, key, parts[i]));
    return list;
}

void flx_put_text(flx_item_maker *k, const char *key, const char *text)
{
    if (text) put(k, key, flx_make_scalar(k, key, (flx_value){0, text}));
}

void flx_put_value(flx_item_maker *k, const char *key, flx_value v)
{
    if (flx_is_given(v)) put(k, key, flx_make_scalar(k, key, v));
}

void flx_put_count(flx_item_maker *k, const char *key, int n)
{
    flx_put_value(k, key, (flx_value){n, NULL});
}

void flx_put_flag(flx_item_maker *k, const char *key, int flag)
{
    if (flag) flx_put_text(k, key, "true");
}

bool flx_item_has_array(flx_item_maker *k, const char *key, int n, const void *array)
{
    if (n < 0) flx_item_refuse(k, key, "%d cannot be the number of its entries", n);
    if (n > 0 && !array) flx_item_refuse(k, key, "%d are announced, and the array is NULL", n);
    return n > 0 && k->status == FLX_OK;
}

void flx_put_values(flx_item_maker *k, const char *key, int n, const flx_value *v)
{
    bool given = false;
    for (int i = 0; i < n; i++) given = given || flx_is_given(v[i]);
    if (!given) return;
    flx_entry *list = flx_make_list(k);
    for (int i = 0; i < n; i++) append(k, list, flx_make_scalar(k, key, v[i]));
    put(k, key, list);
}

void flx_put_pairs(flx_item_maker *k, const char *key, int n, const double *x, const double *y)
{
    if (!flx_item_has_array(k, key, n, x) || !flx_item_has_array(k, key, n, y)) return;
    flx_entry *list = flx_make_list(k);
    for (int i = 0; i < n && k->status == FLX_OK; i++) {
        flx_entry *row = flx_make_list(k);
        append(k, row, flx_make_scalar(k, key, (flx_value){x[i], NULL}));
        append(k, row, flx_make_scalar(k, key, (flx_value){y[i], NULL}));
        append(k, list, row);
    }
    put(k, key, list);
}

void flx_put_vector(flx_item_maker *k, const char *key, const flx_vector *v)
{
    if (flx_is_vector_given(v)) put(k, key, flx_make_vector(k, key, v));
}

void flx_put_place(flx_item_maker *k, const char *key, const flx_vector *v)
{
    put(k, key, flx_make_vector(k, key, v));
}

void flx_put_vectors(flx_item_maker *k, const char *key, int n, const flx_vector *v)
{
    if (!flx_item_has_array(k, key, n, v)) return;
    flx_entry *list = flx_make_list(k);
    for (int i = 0; i < n; i++) append(k, list, flx_make_vector(k, key, v + i));
    put(k, key, list);
}

void flx_put_turn(flx_item_maker *k, const char *key, const flx_vector *v)
{
    if (k->dimension == 3 || v->text) {
        flx_put_vector(k, key, v);
    } else {
        if (flx_is_given(v->y) || flx_is_given(v->z)) {
            flx_item_refuse(k, key, "in the plane it is one number: x");
        }
        flx_put_value(k, key, v->x);
    }
}

void flx_put_orientation(flx_item_maker *k, const char *key, const flx_orientation *o)
{
    if (k->dimension == 2) {
        bool space = flx_is_vector_given(&o->axis) || flx_is_vector_given(&o->x) ||
                     flx_is_vector_given(&o->y);
        for (int i = 0; i < 4; i++) space = space || flx_is_given(o->quaternion[i]);
        if (space) {
            flx_item_refuse(k, key, "in the plane it is one number: angle");
        }
        flx_put_value(k, key, o->angle);
        return;
    }
    flx_entry *outer = flx_put_begin(k);
    flx_put_vector(k, "axis", &o->axis);
    flx_put_value(k, "angle", o->angle);
    flx_put_vector(k, "x", &o->x);
    flx_put_vector(k, "y", &o->y);
    flx_put_values(k, "quaternion", 4, o->quaternion);
    flx_put_end(k, key, outer);
}

void flx_put_pose(flx_item_maker *k, const flx_vector *position, const flx_orientation *o,
                  const flx_vector *velocity, const flx_vector *angular_velocity)
{
    flx_put_vector(k, "position", position);
    flx_put_orientation(k, "orientation", o);
    flx_put_vector(k, "velocity", velocity);
    flx_put_turn(k, "angular_velocity", angular_velocity);
}

void flx_put_texts(flx_item_maker *k, const char *key, int n, const char *const *texts)
{
    if (!flx_item_has_array(k, key, n, texts)) return;
    flx_entry *list = flx_make_list(k);
    for (int i = 0; i < n && k->status == FLX_OK; i++) {
        if (!texts[i]) flx_item_refuse(k, key, "text %d is NULL", i);
        append(k, list, flx_make_scalar(k, key, (flx_value){0, texts[i]}));
    }
    put(k, key, list);
}

void flx_put_word(flx_item_maker *k, const char *key, const char *const *words, int first,
                  int choice)
{
    int n = 0;
    while (words[n]) n++;
    if (choice == 0 && first > 0) {
        flx_item_refuse(k, key, "it is not given");
    } else if (choice < first || choice >= first + n) {
        flx_item_refuse(k, key, "%d is none of the choices", choice);
    } else {
        flx_put_text(k, key, words[choice - first]);
    }
}

// The name behind an id.
static flx_entry *make_item(flx_item_maker *k, const char *key, int id, const char *section)
{
    const flx_description *d = k->m->description;
    if (k->status != FLX_OK) return NULL;
    if (id == FLX_GROUND && (!section || strcmp(section, "bodies") == 0)) {
        return flx_make_scalar(k, key, (flx_value){0, "ground"});
    }
    if (id < 1 || id > d->nadded) {
        flx_item_refuse(k, key, "%d is no id of this model", id);
        return NULL;
    }
    const flx_added *a = d->added + id - 1;
    if (section && a->section && strcmp(a->section, section) != 0) {
        flx_item_refuse(k, key, "'%s' is one of '%s'; an id of '%s' is needed", a->name, a->section,
                        section);
        return NULL;
    }
    return flx_make_scalar(k, key, (flx_value){0, a->name});
}

void flx_put_items(flx_item_maker *k, const char *key, int n, const int *ids, const char *section)
{
    if (n == 1) {
        put(k, key, make_item(k, key, ids[0], section));
        return;
    }
    flx_entry *list = flx_make_list(k);
    for (int i = 0; i < n; i++) append(k, list, make_item(k, key, ids[i], section));
    put(k, key, list);
}

flx_entry *flx_put_begin(flx_item_maker *k)
{
    flx_entry *outer = k->map;
    if (k->status != FLX_OK) return outer;
    k->map = flx_entry_map(k->arena, FLX_NOWHERE);
    if (!k->map) k->status = FLX_ERR_MEMORY;
    return outer;
}

void flx_put_among(flx_item_maker *k, flx_entry *list, flx_entry *outer)
{
    flx_entry *inner = k->map;
    k->map = outer;
    if (k->status == FLX_OK && inner->count > 0) append(k, list, inner);
}

void flx_put_list(flx_item_maker *k, const char *key, flx_entry *list)
{
    if (k->status == FLX_OK && list->count > 0)
        put(k, key, list->count > 1 ? list : list->items[0]);
}

void flx_put_end(flx_item_maker *k, const char *key, flx_entry *outer)
{
    flx_entry *inner = k->map;
    k->map = outer;
    if (k->status == FLX_OK && inner->count > 0) put(k, key, inner);
}
