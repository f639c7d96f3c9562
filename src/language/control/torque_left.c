// torque_left.c - what computed torque leaves out: forces on its links that do not follow from the controller, and friction in its joints.
//
// Found by the names that definitions are written with: values need not be there yet.
#include "base/letters.h"
#include "base/number.h"
#include "language/control/torque_tree.h"

#include <string.h>

#define DEEPEST 8        // inputs and signals through which a name is followed
#define MOST_NAMES 10000 // that are looked at for one force
#define MOST_SHOWN 4     // names

// Calls `is` with each name in a text, and whether it is behind a dot.
typedef bool name_test(void *user, const char *name, size_t length, bool member);

static bool any_name_in_text(const char *text, name_test *is, void *user)
{
    for (const char *c = text; *c;) {
        if (!flx_begins_name(*c)) {
            c++;
            continue;
        }
        size_t n = 1;
        while (flx_is_of_name(c[n])) n++;
        if (is(user, c, n, c > text && c[-1] == '.')) return true;
        c += n;
    }
    return false;
}

// without: a key that is not looked at.
static bool any_name(const flx_entry *y, const char *without, name_test *is, void *user)
{
    if (!y) return false;
    if (y->kind == FLX_ENTRY_SCALAR) return y->text && any_name_in_text(y->text, is, user);
    for (int i = 0; i < y->count; i++) {
        if (y->kind == FLX_ENTRY_MAP && without && strcmp(y->keys[i]->text, without) == 0) continue;
        if (any_name(y->items[i], NULL, is, user)) return true;
    }
    return false;
}

static bool same(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && memcmp(name, text, n) == 0;
}

// ---- which forces -------------------------------------------------------------------------------

typedef struct search {
    const flx_torque_tree *t;
    const flx_item *at; // whose definition is read
    int depth;
    int *left; // names that are still looked at
} search;

static bool is_of_tree(void *user, const char *name, size_t n, bool member)
{
    const search *s = user;
    for (int i = 0; i < s->t->nlink + s->t->nclosure; i++) {
        bool link = i < s->t->nlink;
        const flx_item *all[2] = {link ? s->t->links[i].by : s->t->closures[i - s->t->nlink].joint,
                                  link ? s->t->links[i].body : NULL};
        for (int k = 0; k < 2 && all[k]; k++) {
            if (same(all[k]->base, name, n) && (member || all[k]->space == s->at->space))
                return true;
        }
    }
    return false;
}

static bool is_of_controller(void *user, const char *name, size_t n, bool member);

static bool reads_controller(const search *s, const flx_item *item)
{
    search deeper = {s->t, item, s->depth + 1, s->left};
    return any_name(item->def, NULL, is_of_controller, &deeper);
}

static bool sets(const flx_item *event, const flx_item *discrete)
{
    const flx_entry *set = flx_entry_get(event->def, "set");
    for (int i = 0; set && set->kind == FLX_ENTRY_MAP && i < set->count; i++) {
        const char *name = set->keys[i]->text;
        if (same(discrete->base, name, strcspn(name, "(. "))) return true;
    }
    return false;
}

static bool follows(const search *s, const flx_item *item)
{
    const flx_items *events = &s->t->b->events;
    switch (item->kind) {
    case FLX_KIND_INPUT:
    case FLX_KIND_SIGNAL:
    case FLX_KIND_CONTROL:
    case FLX_KIND_FMU:
    case FLX_KIND_VARIABLE:
    case FLX_KIND_FIRST:
        return reads_controller(s, item);
    case FLX_KIND_DISCRETE:
        for (int i = 0; i < events->count; i++) {
            const flx_item *event = events->items[i];
            if (sets(event, item) && reads_controller(s, event)) return true;
        }
        return false;
    default:
        return false;
    }
}

// The controller, or what reads it. Where too much is to be looked at nothing is said of the force.
static bool is_of_controller(void *user, const char *name, size_t n, bool member)
{
    const search *s = user;
    if (same(s->t->control->base, name, n) || --*s->left < 0) return true;
    char *word = member || s->depth > DEEPEST ? NULL : flx_arena_copy(s->t->b->scratch, name, n);
    if (!word) return false;
    for (const flx_space *space = s->at->space; space; space = space->parent) {
        const flx_item *item = flx_names_find(&space->names, word);
        if (item && follows(s, item)) return true;
    }
    return false;
}

void flx_torque_tell_left_out(const flx_torque_tree *t)
{
    const flx_builder *b = t->b;
    char text[400] = "";
    size_t used = 0;
    int n = 0;
    for (int i = 0; i < b->forces.count + t->nlink; i++) {
        bool force = i < b->forces.count;
        const flx_item *item = force ? b->forces.items[i] : t->links[i - b->forces.count].by;
        int left = MOST_NAMES;
        search s = {t, item, 0, &left};
        if (force && !any_name(item->def, "value", is_of_tree, &s)) continue;
        if (force && any_name(item->def, NULL, is_of_controller, &s)) continue;
        if (!force && !flx_entry_get(item->def, "friction")) continue;
        if (n++ >= MOST_SHOWN) continue;
        int k = flx_snprintf(text + used, sizeof text - used, "%s%s'%s'", n > 1 ? ", " : "",
                             force ? "" : "the friction in ", item->full);
        used += k > 0 && used + (size_t)k < sizeof text ? (size_t)k : 0;
    }
    if (n == 0) return;
    flx_ctx_warn(b->ctx, t->loc,
                 "computed torque '%s' has inertia and gravity in it, and leaves out %s%s: unless "
                 "its torques are raised by as much, errors do not decay as 'p' and 'd' say",
                 t->control->full, text, n > MOST_SHOWN ? " and others" : "");
}
