// expand.c - from the definitions of a file to items: `like`, `repeat`, `models` and `parts`.
#include "base/letters.h"
#include "base/number.h"
#include "base/text_file.h"
#include "language/builder.h"
#include "language/calls/description.h"
#include "language/schema/schema.h"

#include <string.h>

#define ITEM_LIMIT 1000000 // of one model; more is a slip of the pen

// ---- names --------------------------------------------------------------------------------------

static bool is_one_of(const char *name, const char *const *words)
{
    while (*words && strcmp(*words, name) != 0) words++;
    return *words != NULL;
}

static const char *article(const char *word)
{
    return strchr("aeiou", word[0]) ? "an" : "a";
}

static flx_status check_plain(flx_builder *b, const flx_entry *key, const char *what)
{
    static const char *const own[] = {"t", "ground", "energy", "momentum", "constraints", NULL};
    if (!flx_is_name(key->text)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "'%s' cannot be the name of %s %s: names are letters, digits and _, and "
                        "begin with a letter",
                        key->text, article(what), what);
    }
    if (is_one_of(key->text, own) || flx_expr_is_reserved(key->text)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "'%s' is built in and cannot be the name of %s %s", key->text,
                        article(what), what);
    }
    return FLX_OK;
}

flx_status flx_item_check_name(flx_builder *b, const flx_entry *key, const char *what)
{
    FLX_TRY(check_plain(b, key, what));
    if (!is_one_of(key->text, flx_expr_builtin_names())) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                    "'%s' is a built-in function and cannot be the name of %s %s", key->text,
                    article(what), what);
}

// A joint may be called like a built-in function, but nothing that is followed by '(' may.
static flx_status check_callable(flx_builder *b, const flx_entry *key, flx_kind kind,
                                 const flx_entry *def, bool repeated)
{
    bool list = kind == FLX_KIND_PARAMETER && def->kind == FLX_ENTRY_LIST;
    if (kind != FLX_KIND_FUNCTION && kind != FLX_KIND_PATH && !list && !repeated) return FLX_OK;
    return flx_item_check_name(b, key,
                               list       ? "list"
                               : repeated ? "repeated item"
                                          : flx_item_word(kind));
}

// ---- like ---------------------------------------------------------------------------------------

static flx_status find_sibling(flx_builder *b, const flx_entry *like, const flx_entry *siblings,
                               const flx_entry **out)
{
    if (like->kind != FLX_ENTRY_SCALAR) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, like->loc, "'like' takes the name of one item");
    }
    *out = siblings ? flx_entry_get(siblings, like->text) : NULL;
    if (*out) return FLX_OK;
    flx_nearest near;
    flx_nearest_start(&near, like->text);
    for (int i = 0; siblings && i < siblings->count; i++) {
        flx_nearest_offer(&near, siblings->keys[i]->text);
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, like->loc, "like: there is no '%s' in this block%s%s%s",
                    like->text, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

// The keys of def, then those of the items it is like, each key once.
static flx_status merge_like(flx_builder *b, const flx_entry *def, const flx_entry *siblings,
                             const flx_entry **out)
{
    *out = def;
    if (def->kind != FLX_ENTRY_MAP || !flx_entry_get(def, "like")) return FLX_OK;
    const flx_entry *like = flx_entry_get(def, "like"), *at = def;
    int total = 0, hops = 0;
    while (at) {
        if (at->kind != FLX_ENTRY_MAP) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, like->loc, "like: '%s' is not a mapping",
                            like->text);
        }
        total += at->count;
        const flx_entry *next = flx_entry_get(at, "like");
        if (!next) break;
        if (hops++ > siblings->count) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, like->loc,
                            "cyclic like: '%s' leads back to where it began", like->text);
        }
        FLX_TRY(find_sibling(b, next, siblings, &at));
    }
    flx_entry *merged = flx_take(b, 1, sizeof *merged);
    if (!merged) return FLX_ERR_MEMORY;
    *merged = *def;
    merged->count = 0;
    merged->slots = NULL; // those of def
    merged->items = flx_take(b, (size_t)total, sizeof(flx_entry *));
    merged->keys = flx_take(b, (size_t)total, sizeof(flx_entry *));
    if (!merged->items || !merged->keys) return FLX_ERR_MEMORY;
    for (at = def; at;) {
        const flx_entry *next = flx_entry_get(at, "like");
        for (int i = 0; i < at->count; i++) {
            const char *key = at->keys[i]->text;
            if (strcmp(key, "like") == 0 || flx_entry_get(merged, key)) continue;
            merged->keys[merged->count] = at->keys[i];
            merged->items[merged->count++] = at->items[i];
        }
        if (!next) break;
        FLX_TRY(find_sibling(b, next, siblings, &at));
    }
    *out = merged;
    return FLX_OK;
}

// ---- items --------------------------------------------------------------------------------------

// What is the same for all members of a family.
typedef struct declaration {
    flx_space *space;
    flx_kind kind;
    const flx_entry *key, *def, *repeat;
    const char *prefix;
    flx_items *list;
    void *data;
} declaration;

static size_t data_size(flx_kind kind)
{
    switch (kind) {
    case FLX_KIND_PARAMETER:
        return sizeof(flx_parameter_data);
    case FLX_KIND_FUNCTION:
        return sizeof(flx_function_data);
    case FLX_KIND_SIGNAL:
        return sizeof(flx_signal_data);
    case FLX_KIND_INPUT:
        return sizeof(flx_input_data);
    case FLX_KIND_PATH:
        return sizeof(flx_path_data);
    case FLX_KIND_CONTROL:
        return sizeof(flx_control_data);
    case FLX_KIND_PARTICLES:
        return flx_particles_item_size();
    case FLX_KIND_FMU:
        return flx_fmus_item_size();
    case FLX_KIND_BODY:
        return sizeof(flx_body_data);
    case FLX_KIND_POINT:
        return sizeof(flx_point_data);
    case FLX_KIND_JOINT:
        return sizeof(flx_joint_data);
    case FLX_KIND_FORCE:
        return sizeof(flx_force_data);
    case FLX_KIND_FIRST:
        return sizeof(flx_first_data);
    case FLX_KIND_CONSTRAINT:
        return sizeof(flx_constraint_data);
    default:
        return 0;
    }
}

static flx_status make_item(flx_builder *b, const declaration *d, const char *name,
                            const flx_local *locals, flx_item **out)
{
    if (++b->nitem > ITEM_LIMIT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, d->key->loc,
                        "the model has more than %d items; is a 'repeat' too long?", ITEM_LIMIT);
    }
    flx_item *item = flx_take(b, 1, sizeof *item);
    if (!item) return FLX_ERR_MEMORY;
    *item = (flx_item){.kind = d->kind,
                       .name = name,
                       .full = name,
                       .base = d->key->text,
                       .loc = d->key->loc,
                       .space = d->space,
                       .def = d->def,
                       .locals = locals,
                       .number = -1};
    if (*d->prefix) item->full = flx_arena_printf(b->m->arena, "%s%s", d->prefix, name);
    size_t size = data_size(d->kind);
    if (size > 0) item->data = flx_take(b, 1, size);
    if (!item->full || (size > 0 && !item->data)) return FLX_ERR_MEMORY;
    *out = item;
    return FLX_OK;
}

static flx_status repeat_range(flx_builder *b, const declaration *d, int k, const flx_local *locals,
                               int *lo, int *hi)
{
    const flx_entry *key = d->repeat->keys[k], *range = d->repeat->items[k];
    FLX_TRY(flx_item_check_name(b, key, "index"));
    if (range->kind != FLX_ENTRY_LIST || range->count != 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, range->loc,
                        "repeat: '%s' needs its first and last number, as in {%s: [1, 5]}",
                        key->text, key->text);
    }
    flx_env e;
    flx_env_init(&e, b, d->space, locals, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_integer(&e, range->items[0], lo));
    FLX_TRY(flx_build_integer(&e, range->items[1], hi));
    if (*hi < *lo - 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, range->loc, "repeat: '%s' goes from %d down to %d",
                        key->text, *lo, *hi);
    }
    if ((long)*hi - *lo + 1 > ITEM_LIMIT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, range->loc,
                        "repeat: %ld items are more than the %d a model may have",
                        (long)*hi - *lo + 1, ITEM_LIMIT);
    }
    return FLX_OK;
}

// The item itself, or for each index from the k-th on its family.
static flx_status expand(flx_builder *b, const declaration *d, int k, const char *name,
                         const flx_local *locals, flx_item **out)
{
    FLX_TRY(make_item(b, d, name, locals, out));
    flx_item *item = *out;
    if (!d->repeat || k == d->repeat->count) {
        flx_items *list = d->list;
        if (d->kind == FLX_KIND_FIRST && flx_first_is_carried(b, item->full)) {
            item->kind = FLX_KIND_VARIABLE; // with the data of a first-order one
            list = &b->variables;
        }
        item->number = list ? list->count : -1;
        if (list) FLX_TRY(flx_items_add(b, list, item));
        if (d->kind == FLX_KIND_POINT) {
            ((flx_point_data *)item->data)->body = d->data;
            ((flx_point_data *)item->data)->node = -1;
        }
        if (d->kind == FLX_KIND_CONTROL) return flx_control_declare(b, item);
        if (d->kind == FLX_KIND_PARTICLES) return flx_particles_declare(b, item);
        if (d->kind == FLX_KIND_FMU) return flx_fmus_declare(b, item);
        return d->kind == FLX_KIND_BODY ? flx_body_declare_points(b, item) : FLX_OK;
    }
    int lo = 0, hi = 0;
    FLX_TRY(repeat_range(b, d, k, locals, &lo, &hi));
    item->family = true;
    item->lo = lo;
    item->count = hi - lo + 1;
    item->members = flx_take(b, (size_t)item->count, sizeof(flx_item *));
    if (!item->members) return FLX_ERR_MEMORY;
    for (int i = 0; i < item->count; i++) {
        flx_local *l = flx_take(b, 1, sizeof *l);
        const char *each = flx_arena_printf(b->m->arena, "%s(%d)", name, lo + i);
        if (!l || !each) return FLX_ERR_MEMORY;
        *l = (flx_local){d->repeat->keys[k]->text,
                         flx_operand_number(flx_graph_const(b->g, lo + i)), locals};
        if (l->value.node < 0) return FLX_ERR_MEMORY;
        FLX_TRY(expand(b, d, k + 1, each, l, &item->members[i]));
    }
    return FLX_OK;
}

// The later of the two in the file is at fault.
static flx_status check_free(flx_builder *b, const flx_entry *key, flx_kind kind,
                             const flx_names *names)
{
    const flx_item *other = names ? flx_names_find(names, key->text) : NULL;
    if (!other) return FLX_OK;
    bool later = other->loc.line > key->loc.line;
    int line = later ? key->loc.line : other->loc.line;
    char where[24] = ""; // of a model made by calls nothing is in a line
    if (line > 0) flx_snprintf(where, sizeof where, " (line %d)", line);
    const char *word = flx_item_word(later ? kind : other->kind);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, later ? other->loc : key->loc,
                    "'%s' is already the name of %s %s%s; a model has one name space", key->text,
                    article(word), word, where);
}

flx_status flx_item_declare(flx_builder *b, flx_space *s, flx_kind kind, const flx_entry *key,
                            const flx_entry *def, const flx_entry *siblings,
                            const flx_local *locals, const char *prefix, flx_names *names,
                            flx_items *list, void *data)
{
    declaration d = {s, kind, key, def, NULL, prefix, list, data};
    flx_item *item = NULL;
    if (names) {
        bool behind =
            kind == FLX_KIND_SIGNAL && names != &s->names; // `gravel.energy` is no other energy
        if (!behind) FLX_TRY(check_plain(b, key, flx_item_word(kind)));
        FLX_TRY(check_free(b, key, kind, names));
    }
    flx_status status = merge_like(b, def, siblings, &d.def);
    if (status == FLX_OK && kind == FLX_KIND_BODY) status = flx_segment_expand(b, &d.def);
    if (status == FLX_OK && d.def->kind == FLX_ENTRY_MAP && kind != FLX_KIND_PARAMETER) {
        d.repeat = flx_entry_get(d.def, "repeat");
        if (d.repeat && d.repeat->kind != FLX_ENTRY_MAP) {
            status = FLX_FAIL(b->ctx, FLX_ERR_MODEL, d.repeat->loc,
                              "repeat needs an index with its range, as in {i: [1, 5]}");
        }
    }
    int before = list ? list->count : 0;
    if (status == FLX_OK && names) status = check_callable(b, key, kind, d.def, d.repeat);
    if (status == FLX_OK) status = expand(b, &d, 0, key->text, locals, &item);
    if (status == FLX_ERR_MEMORY) return status;
    if (status != FLX_OK) { // the name stays known, so that its users are not blamed
        if (list) list->count = before;
        item = NULL;
        flx_status made = make_item(b, &d, key->text, locals, &item);
        if (!item) return made;
        item->state = FLX_ITEM_FAILED;
        item->broken = true;
    }
    if (names) {
        flx_status added = flx_names_add(b, names, key->text, item);
        if (added != FLX_OK) return added;
    }
    return status;
}

// ---- spaces -------------------------------------------------------------------------------------

// Note an error of one item and go on with the next; only memory ends the reading.
static flx_status go_on(flx_builder *b, flx_status status)
{
    if (status == FLX_ERR_MEMORY) return status;
    if (status != FLX_OK) b->failed = true;
    return FLX_OK;
}

static flx_status declare_block(flx_builder *b, flx_space *s, const flx_entry *block, flx_kind kind,
                                flx_items *list)
{
    if (!block || block->kind != FLX_ENTRY_MAP) return FLX_OK;
    for (int i = 0; i < block->count; i++) {
        FLX_TRY(go_on(b, flx_item_declare(b, s, kind, block->keys[i], block->items[i], block, NULL,
                                          s->prefix, &s->names, list, NULL)));
    }
    return FLX_OK;
}

// Entries of a list have no names of their own: "constraint 1".
static flx_status declare_list(flx_builder *b, flx_space *s, const flx_entry *block, flx_kind kind,
                               flx_items *list)
{
    for (int i = 0; block && block->kind == FLX_ENTRY_LIST && i < block->count; i++) {
        flx_entry *key = flx_take(b, 1, sizeof *key);
        if (!key) return FLX_ERR_MEMORY;
        key->loc = block->items[i]->loc;
        key->text = flx_arena_printf(b->m->arena, "%s %d", flx_item_word(kind), i + 1);
        if (!key->text) return FLX_ERR_MEMORY;
        FLX_TRY(go_on(b, flx_item_declare(b, s, kind, key, block->items[i], NULL, NULL, s->prefix,
                                          NULL, list, NULL)));
    }
    return FLX_OK;
}

static const flx_entry *get(const flx_entry *map, const char *key)
{
    return map && map->kind == FLX_ENTRY_MAP ? flx_entry_get(map, key) : NULL;
}

static flx_status declare_items(flx_builder *b, flx_space *s)
{
    const flx_entry *equations = get(s->def, "equations");
    const flx_entry *constraints = get(equations, "constraints");
    FLX_TRY(declare_block(b, s, get(s->def, "inputs"), FLX_KIND_INPUT, &b->inputs));
    FLX_TRY(declare_block(b, s, get(s->def, "paths"), FLX_KIND_PATH, &b->paths));
    FLX_TRY(declare_block(b, s, get(s->def, "signals"), FLX_KIND_SIGNAL, &b->signals));
    FLX_TRY(declare_block(b, s, get(s->def, "bodies"), FLX_KIND_BODY, &b->bodies));
    FLX_TRY(declare_block(b, s, get(s->def, "joints"), FLX_KIND_JOINT, &b->joints));
    FLX_TRY(declare_block(b, s, get(s->def, "forces"), FLX_KIND_FORCE, &b->forces));
    FLX_TRY(declare_block(b, s, get(equations, "second_order"), FLX_KIND_VARIABLE, &b->variables));
    FLX_TRY(declare_block(b, s, get(equations, "first_order"), FLX_KIND_FIRST, &b->firsts));
    FLX_TRY(declare_block(b, s, get(equations, "discrete"), FLX_KIND_DISCRETE, &b->discretes));
    FLX_TRY(declare_block(b, s, constraints, FLX_KIND_CONSTRAINT, &b->constraints));
    FLX_TRY(declare_list(b, s, constraints, FLX_KIND_CONSTRAINT, &b->constraints));
    FLX_TRY(declare_list(b, s, get(equations, "coupling"), FLX_KIND_COUPLING, &b->couplings));
    FLX_TRY(declare_block(b, s, get(s->def, "events"), FLX_KIND_EVENT, &b->events));
    FLX_TRY(declare_block(b, s, get(s->def, "control"), FLX_KIND_CONTROL, &b->controls));
    FLX_TRY(declare_block(b, s, get(s->def, "fmus"), FLX_KIND_FMU, &b->fmus));
    if (!s->part) {
        FLX_TRY(declare_block(b, s, get(s->def, "particles"), FLX_KIND_PARTICLES, &b->particles));
        FLX_TRY(declare_block(b, s, get(s->def, "analyse"), FLX_KIND_ANALYSIS, &b->analyses));
        if (b->asked->to_load) FLX_TRY(flx_analyses_add_path(b, s));
    }
    return declare_block(b, s, get(s->def, "parts"), FLX_KIND_PART, &b->parts);
}

// ---- values from outside ------------------------------------------------------------------------

// NULL, with the message recorded, when there is none of this name.
static flx_parameter_data *find_parameter(flx_builder *b, flx_space *s, const char *name,
                                          flx_loc loc, const char *where)
{
    flx_item *item = flx_names_find(&s->names, name);
    if (item && item->kind == FLX_KIND_PARAMETER) return item->data;
    flx_nearest near;
    flx_nearest_start(&near, name);
    const flx_entry *block = get(s->def, "parameters");
    for (int i = 0; block && i < block->count; i++) {
        flx_nearest_offer(&near, block->keys[i]->text);
    }
    const char *best = flx_nearest_best(&near);
    (void)FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "%s has no parameter '%s'%s%s%s", where, name,
                   best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    b->failed = true;
    return NULL;
}

// parameters: of a part, evaluated where the part is used.
static void give_parameters(flx_builder *b, flx_space *s)
{
    const flx_entry *block = get(s->part->def, "parameters");
    for (int i = 0; block && block->kind == FLX_ENTRY_MAP && i < block->count; i++) {
        const flx_entry *key = block->keys[i];
        flx_parameter_data *d = find_parameter(b, s, key->text, key->loc, "the part's model");
        if (!d) continue;
        d->given = block->items[i];
        d->given_space = s->parent;
        d->given_locals = s->part->locals;
    }
}

// "name=value" or "name(2)=value" of the command line.
static flx_status apply_setting(flx_builder *b, flx_space *s, const char *setting)
{
    flx_loc loc = {flx_intern(b->ctx, "--set"), 1, 1, NULL};
    const char *sign = strchr(setting, '=');
    if (!sign || sign == setting || !sign[1]) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' is not of the form name=value", setting);
    }
    char *name = flx_arena_copy(b->scratch, setting, (size_t)(sign - setting));
    char *text = flx_arena_copy(b->scratch, sign + 1, strlen(sign + 1));
    flx_entry *value = flx_take(b, 1, sizeof *value);
    if (!name || !text || !value) return FLX_ERR_MEMORY;
    int index = flx_setting_entry(name);
    flx_parameter_data *d = find_parameter(b, s, name, loc, "the model");
    if (!d) return FLX_ERR_MODEL;
    *value = (flx_entry){.kind = FLX_ENTRY_SCALAR, .loc = loc, .text = text};
    value->loc.column = (int)(sign - setting) + 2;
    if (index > 0) {
        flx_entry_setting *one = flx_take(b, 1, sizeof *one);
        if (!one) return FLX_ERR_MEMORY;
        *one = (flx_entry_setting){index, value, d->entries};
        d->entries = one;
        return FLX_OK;
    }
    d->given = value;
    d->given_space = s;
    return FLX_OK;
}

flx_status flx_space_declare(flx_builder *b, flx_space *s)
{
    // Ranges of repeat need parameters and functions, so these come first.
    FLX_TRY(declare_block(b, s, get(s->def, "parameters"), FLX_KIND_PARAMETER, &b->parameters));
    FLX_TRY(declare_block(b, s, get(s->def, "functions"), FLX_KIND_FUNCTION, &b->functions));
    if (s->part) give_parameters(b, s);
    for (int i = 0; !s->part && i < b->asked->nset; i++) {
        if (flx_setting_is_key(b->asked->settings[i])) continue; // the tree has it
        FLX_TRY(go_on(b, apply_setting(b, s, b->asked->settings[i])));
    }
    return declare_items(b, s);
}

// ---- parts --------------------------------------------------------------------------------------

static flx_status read_part_file(flx_builder *b, const flx_entry *name, flx_entry **tree)
{
    const char *path = flx_file_beside(b->scratch, name->loc.file, name->text);
    if (!path) return FLX_ERR_MEMORY;
    for (struct flx_file_slot *f = b->files; f; f = f->next) {
        if (strcmp(f->path, path) == 0) {
            *tree = f->tree;
            return *tree ? FLX_OK : FLX_ERR_MODEL;
        }
    }
    struct flx_file_slot *slot = flx_take(b, 1, sizeof *slot);
    if (!slot) return FLX_ERR_MEMORY;
    *slot = (struct flx_file_slot){path, NULL, b->files};
    b->files = slot;
    if (!b->reader || !b->reader->read_tree) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc, "part files cannot be read here");
    }
    FLX_TRY(b->reader->read_tree(b->reader->user, name->text, name->loc, tree));
    FLX_TRY(flx_schema_check_part(b->ctx, *tree, b->m->dimension));
    FLX_TRY(flx_build_unavailable(b, *tree));
    slot->tree = *tree;
    return FLX_OK;
}

static flx_status find_model(flx_builder *b, const flx_space *from, const flx_entry *name,
                             const flx_entry **out)
{
    flx_nearest near;
    if (name->kind != FLX_ENTRY_SCALAR) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc,
                        "'model' takes the name of a model or of a file");
    }
    flx_nearest_start(&near, name->text);
    for (const flx_space *s = from; s; s = s->parent) {
        const flx_entry *models = get(s->def, "models");
        *out = get(models, name->text);
        if (*out) return FLX_OK;
        for (int i = 0; models && models->kind == FLX_ENTRY_MAP && i < models->count; i++) {
            flx_nearest_offer(&near, models->keys[i]->text);
        }
    }
    if (strpbrk(name->text, "./")) {
        flx_entry *tree = NULL;
        FLX_TRY(read_part_file(b, name, &tree));
        *out = tree;
        return FLX_OK;
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc, "unknown model '%s'; did you mean '%s'?",
                        name->text, best);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc,
                    "unknown model '%s'; it is neither in 'models' nor the name of a file",
                    name->text);
}

static flx_status check_dimension(flx_builder *b, const flx_entry *model, const flx_item *part)
{
    const flx_entry *dimension = get(model, "dimension");
    if (!dimension) return FLX_OK;
    flx_env e;
    int n = 0;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_integer(&e, dimension, &n));
    if (n == b->m->dimension) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, part->loc,
                    "part '%s' is a model of dimension %d in a model of dimension %d", part->full,
                    n, b->m->dimension);
}

static flx_status expand_part(flx_builder *b, flx_item *part)
{
    const flx_entry *name = NULL, *model = NULL;
    FLX_TRY(flx_build_need(b, part, "model", &name));
    FLX_TRY(find_model(b, part->space, name, &model));
    for (const flx_space *s = part->space; s; s = s->parent) {
        if (s->def == model) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc, "model '%s' contains itself",
                            name->text);
        }
    }
    FLX_TRY(check_dimension(b, model, part));
    flx_space *s = flx_take(b, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    *s = (flx_space){.parent = part->space, .part = part, .def = model};
    s->prefix = flx_arena_printf(b->scratch, "%s.", part->full);
    if (!s->prefix) return FLX_ERR_MEMORY;
    part->data = s;
    s->first_body = b->bodies.count;
    FLX_TRY(flx_space_declare(b, s));
    FLX_TRY(flx_space_expand(b, s));
    s->end_body = b->bodies.count;
    return FLX_OK;
}

static flx_status expand_parts(flx_builder *b, flx_item *item)
{
    if (item->broken) return FLX_OK;
    if (!item->family) {
        flx_status status = expand_part(b, item);
        if (status != FLX_OK) item->broken = true;
        return status;
    }
    for (int i = 0; i < item->count; i++) {
        flx_status status = expand_parts(b, item->members[i]);
        if (status != FLX_OK) { // the others would fail alike
            item->broken = true;
            return status;
        }
    }
    return FLX_OK;
}

flx_status flx_space_expand(flx_builder *b, flx_space *s)
{
    const flx_entry *parts = get(s->def, "parts");
    for (int i = 0; parts && parts->kind == FLX_ENTRY_MAP && i < parts->count; i++) {
        flx_item *item = flx_names_find(&s->names, parts->keys[i]->text);
        if (!item || item->kind != FLX_KIND_PART) continue; // its name was taken
        FLX_TRY(go_on(b, expand_parts(b, item)));
    }
    return FLX_OK;
}
