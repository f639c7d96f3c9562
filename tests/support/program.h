// program.h - the program run as a user runs it, in a folder of the test's own: files_start() is the
// first test of a list and files_end() the last.
#pragma once

#include "check.h"
#include "flexion/flexion.h"

#include <stddef.h>

extern char folder[64];

// What the last command did.
extern int status;
extern char out[1 << 16], err[1 << 16];

int files_start(void);
int files_end(void);

// Run "flexion ARGUMENTS" in the folder.
void flexion(const char *arguments);

// Files of the folder.
void read_all(const char *name, char *text, size_t size); // cut to size - 1
void write_model(const char *name, const char *text);
long file_size(const char *name); // -1: none
void remove_file(const char *name);
flx_result *result(flx_ctx *ctx, const char *name); // NULL: cannot be read

#define CHECK_STATUS(expected)                                                                     \
    do {                                                                                           \
        if (status != (expected)) {                                                                \
            printf("%s:%d: exit status %d, expected %d\n%s%s", __FILE__, __LINE__, status,         \
                   (expected), out, err);                                                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

// A model that runs: a rod on a hinge.
extern const char pendulum[];
