// scratch_folder.h - a folder for files that nobody keeps. Of the program alone: the library asks no environment.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A new folder where TMPDIR says, or else in /tmp; path: its name, with room for size characters. False: it could not be
// made, and path tells where.
bool flx_scratch_make(size_t size, char *path);
// With all that is in it; links are removed, not followed. "": nothing is done.
void flx_scratch_remove(const char *path);
