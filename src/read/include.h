// include.h - text that jumps: files included in files, pieces read again. The numbers of lines that a structure
// keeps go on counting; the structure knows which file and line they stand for.
#pragma once

#include "model/structure.h"
#include "read/scan.h"

#define FLX_INCLUDES 16        // files within files
#define FLX_MOST_INCLUDES 4096 // in all: files that name others twice double at each level

typedef struct flx_include {
    flx_scan *scan; // the present text
    flx_structure *s;
    flx_arena *arena; // owned: texts of included files
    int depth, count;
    flx_scan outer[FLX_INCLUDES];
    int nknown; // files that were read before, from their beginnings
    flx_scan known[FLX_INCLUDES];
    int shift; // from lines of the text to numbers of the structure
} flx_include;

// The number of the present line.
static inline int flx_include_line(const flx_include *i)
{
    return i->scan->line + i->shift;
}
// Go on at another place.
flx_status flx_include_jump(flx_include *i, const flx_scan *to);
// A file beside the present one, or with a path of its own. line: that names it.
flx_status flx_include_open(flx_include *i, const char *name, int length, int line);
// Back to the text that included this one; *more false: there is none.
flx_status flx_include_close(flx_include *i, bool *more);
void flx_include_end(flx_include *i);
