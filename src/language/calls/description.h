// description.h - what a user said about a model, as a tree that calls may change, and the model built of it.
//
// The user's flx_model is a handle: its description, and a copy of the members of the model that was built of
// it, the core. Systems and simulations hold the core (flx_model_share), which is counted: a handle that is
// changed gets another core, and the old one lives as long as somebody holds it.
#pragma once

#include "base/memory_files.h"
#include "language/build_model.h"
#include "model/known.h"

typedef struct flx_description flx_description;

// Something that was added, by its id - 1; the first is the ground.
typedef struct flx_added {
    const char *name;    // interned
    const char *section; // "bodies", "joints", ...; NULL: a name of any kind
} flx_added;

// A call that was refused.
typedef struct flx_refusal {
    char *path, *text; // owned
    flx_status status;
} flx_refusal;

// What the user's program gives for an external function.
typedef struct flx_binding {
    struct flx_binding *next;
    const char *name;
    flx_function_callback call;
    void *user;
    bool told; // that derivatives are differences
} flx_binding;

struct flx_description {
    flx_ctx *ctx;
    flx_model *handle; // whose it is: copies of its members are no handles
    const char *file;  // files that it names are sought beside it; interned
    flx_arena *arena;  // owned: of the tree; NULL: it is that of the core, unchanged
    flx_entry *root;   // NULL: that of the core
    long made;         // entries since the tree was last tidied
    bool changed;      // since the core was built
    bool starved;      // a call was lost for want of memory
    flx_added *added;  // owned
    int nadded, added_capacity;
    flx_refusal *refusals; // owned
    int nrefusal, refusal_capacity;
    flx_given_file *files;  // owned; in the order of their calls, the last first
    char *written;          // owned; of flx_model_write_text
    flx_read_def asked;     // its texts are in `own`
    flx_arena *own;         // owned
    flx_binding *bindings;  // in `own`
    flx_known *known;       // what analyses have found since the last change; in `found`
    flx_arena *found;       // owned; NULL: nothing yet
    flx_shape_study *study; // looks at flexible bodies while a core is built; NULL: nobody does
    // Builds a core of a copy of the tree in the arena, which the core takes; of src/read.
    flx_status (*build)(flx_description *d, flx_arena *arena, flx_entry *tree, flx_model **core);
};

// A handle of the core (which it takes; NULL: none yet) with an empty description, or that of the core.
flx_status flx_handle_create(flx_ctx *ctx, const char *file, const flx_read_def *asked,
                             flx_model *core, flx_model **out);
// The tree, to be changed; NULL: no memory.
flx_entry *flx_description_open(flx_model *m);
// "k(2)" of a setting: the number of the entry, 0: none; the name is left without it.
int flx_setting_entry(char *name);
// Whether a setting names a key by its path, "simulate.method=radau", and no parameter.
bool flx_setting_is_key(const char *setting);
// The tree, to be looked at; NULL where there is none.
const flx_entry *flx_description_tree(const flx_model *m);
int flx_description_dimension(const flx_model *m); // 2 or 3

// bindings.c: what was bound before holds in a graph that was built anew.
void flx_bindings_renew(flx_ctx *ctx, flx_binding *first, flx_graph *g);

// Refuse a call: told now, and again when the model is built. Returns the status.
#define FLX_REFUSE(m, trail, ...) flx_refuse((m), FLX_ERR_ARGUMENT, (trail), __VA_ARGS__)
flx_status flx_refuse(flx_model *m, flx_status status, const flx_trail *trail, const char *format,
                      ...) FLX_PRINTF(4, 5);

void flx_description_destroy(flx_description **d);
