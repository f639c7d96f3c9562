// yaml.h - YAML text to a tree with positions.
//
// The part of YAML 1.2 that a model needs: block and flow mappings and lists, plain and quoted
// scalars, comments. Every scalar is text. Tags, directives, anchors, aliases, several documents,
// keys that are not scalars, duplicate keys, empty values and tabs in the indentation are errors.
#pragma once

#include "model/entry.h"

#define FLX_YAML_DEPTH 64       // deepest nesting
#define FLX_YAML_VALUES 4000000 // most scalars, lists and mappings in a file

// file: for the positions, interned in the context. text: text[length] is 0. The tree lives in the
// arena and does not need the text.
// Wrong syntax: FLX_ERR_MODEL, *root NULL, one message. Empty values, duplicate keys and what else
// leaves the structure clear: FLX_ERR_MODEL with a message for each and *root set, so that the
// caller can look for more mistakes before it gives up.
flx_status flx_yaml_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                          size_t length, flx_entry **root);
