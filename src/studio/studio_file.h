// studio_file.h - the model file of the workbench: its text on the disk, its copy for the case of a crash, and whether
// somebody else has changed it.
#pragma once

#include "base/text.h"

#define FLX_STAMP 96

typedef struct flx_studio_file {
    flx_ctx *ctx;
    char *path, *copy;     // owned; copy: ".NAME.autosave" beside it
    const char *name;      // within path
    char stamp[FLX_STAMP]; // of the file as the page knows it; "none": there is no such file
} flx_studio_file;

flx_status flx_studio_file_open(flx_ctx *ctx, const char *path, flx_studio_file *f);
void flx_studio_file_clear(flx_studio_file *f);
// When it was changed, its size and its number, as text.
void flx_studio_stamp(const char *path, char out[FLX_STAMP]);
// All of a file, at most `most` bytes; false: there is no such file, or it is larger. The caller frees it. n, where asked for:
// its bytes.
bool flx_studio_read(const char *path, size_t most, char **text, size_t *n);
// Whether the bytes are UTF-8 without a zero: else the page cannot give them back as they are.
bool flx_studio_is_text(const char *text, size_t n);
// The text becomes the file, whole or not at all; the copy goes.
flx_status flx_studio_save(flx_studio_file *f, const char *text, size_t n);
flx_status flx_studio_autosave(flx_studio_file *f, const char *text, size_t n);
// A file of the same folder by its plain name.
typedef enum flx_file_kind {
    FLX_FILE_NONE,
    FLX_FILE_MODEL,
    FLX_FILE_ROBOT,
    FLX_FILE_MESH
} flx_file_kind;
flx_file_kind flx_studio_kind(const char *name);
// A path beside the file.
char *flx_studio_beside(const flx_studio_file *f, const char *name);
