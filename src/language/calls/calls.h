// calls.h - what the calls of flexion/build.h share: the definition of one item becomes a mapping.
#pragma once

#include "language/calls/description.h"

// Whether m can be changed by calls; else the status of the refusal.
flx_status flx_call_begin(const flx_model *m);
// The status of a call that changes m: want of memory is remembered, and no model is built without what is lost.
flx_status flx_call_end(flx_model *m, flx_status status);

bool flx_is_sound(const char *text); // what a file could hold: UTF-8 without control characters

// One item while it is made. After a failure nothing more happens to it.
typedef struct flx_item_maker {
    flx_model *m;
    flx_arena *arena; // of the description
    flx_entry *map;   // the item's; what is put goes there
    flx_trail top, section, item;
    const char *word; // the section, as a path: "bodies", "equations.second_order"
    const char *name;
    int dimension;
    flx_status status;
} flx_item_maker;

// size: what the definition says; first: sizeof its struct in version 0.1; now: sizeof it today. A copy with
// zeros in what is not there goes to `own`.
void flx_item_begin(flx_item_maker *k, flx_model *m, const char *section, const char *name);
void flx_item_take(flx_item_maker *k, const void *def, void *own, size_t first, size_t now);
// Begin an item and take its definition into `own`. A struct that has grown since version 0.1 takes its
// first size by flx_item_take.
#define FLX_BEGIN_ITEM(k, m, section, name, def, own)                                              \
    flx_item_begin((k), (m), (section), (name));                                                   \
    flx_item_take((k), (def), &(own), sizeof(own), sizeof(own))
// Into its section; returns its id, or the status of the failure.
int flx_item_end(flx_item_maker *k);
// The same for blocks that have no name: set into the model key by key.
flx_status flx_item_end_block(flx_item_maker *k);
void flx_item_refuse(flx_item_maker *k, const char *key, const char *format, ...) FLX_PRINTF(3, 4);

// Keys of the item. What is not given leaves no trace.
bool flx_is_given(flx_value v);
bool flx_is_vector_given(const flx_vector *v);
// key: for messages; NULL: the item itself. NULL on failure.
flx_entry *flx_make_scalar(flx_item_maker *k, const char *key, flx_value v);
flx_entry *flx_make_vector(flx_item_maker *k, const char *key, const flx_vector *v);
void flx_put_text(flx_item_maker *k, const char *key, const char *text);
void flx_put_value(flx_item_maker *k, const char *key, flx_value v);
void flx_put_count(flx_item_maker *k, const char *key, int n); // 0: not given
void flx_put_flag(flx_item_maker *k, const char *key, int flag);
void flx_put_values(flx_item_maker *k, const char *key, int n,
                    const flx_value *v); // a list, if one is given
void flx_put_vector(flx_item_maker *k, const char *key, const flx_vector *v);
void flx_put_pairs(flx_item_maker *k, const char *key, int n, const double *x, const double *y);
void flx_put_vectors(flx_item_maker *k, const char *key, int n,
                     const flx_vector *v);                                   // a list of all
void flx_put_place(flx_item_maker *k, const char *key, const flx_vector *v); // zeros are the origin
// A vector in space, a number (x) in the plane.
void flx_put_turn(flx_item_maker *k, const char *key, const flx_vector *v);
// Whether there are n entries to put; refuses a negative number, and an array that is not there.
bool flx_item_has_array(flx_item_maker *k, const char *key, int n, const void *array);
void flx_put_orientation(flx_item_maker *k, const char *key, const flx_orientation *o);
// Of a body: where it is, and how it moves at the start.
void flx_put_pose(flx_item_maker *k, const flx_vector *position, const flx_orientation *o,
                  const flx_vector *velocity, const flx_vector *angular_velocity);
void flx_put_texts(flx_item_maker *k, const char *key, int n, const char *const *texts);
// words: ends with NULL; the first is that of `first`. A choice that is none is refused.
void flx_put_word(flx_item_maker *k, const char *key, const char *const *words, int first,
                  int choice);
// Names of what was added: kinds of section that may be there, NULL: any. n = 1: a text, else a list.
void flx_put_items(flx_item_maker *k, const char *key, int n, const int *ids, const char *section);
// What follows goes into a mapping under the key, which is left out where nothing was put.
flx_entry *flx_put_begin(flx_item_maker *k);
void flx_put_end(flx_item_maker *k, const char *key, flx_entry *outer);
// The same as an entry of a list, which is put where all are there: one alone as it is, none not at all.
flx_entry *flx_make_list(flx_item_maker *k);
void flx_put_among(flx_item_maker *k, flx_entry *list, flx_entry *outer);
void flx_put_list(flx_item_maker *k, const char *key, flx_entry *list);

// key_path.c: set an entry at a path of the description; a refusal is told.
flx_status flx_path_put(flx_model *m, const char *path, flx_entry *value);
const flx_entry *flx_path_find(const flx_model *m, const char *path);
// Of settings of a reading, those whose name is a path ("simulate.method=radau"), into the tree that was read.
flx_status flx_settings_apply(flx_ctx *ctx, flx_arena *arena, flx_entry *tree, int n,
                              const char *const *settings);
flx_entry *flx_path_scalar(flx_model *m, flx_value v); // NULL: no memory, or refused
