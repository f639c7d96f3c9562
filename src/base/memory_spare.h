// memory_spare.h - blocks of some pages that were freed and are taken again: what makes a run, and ends it, again and again would
// otherwise give its memory back to the system and get it anew, page by page, which costs more than the run.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Room for `bytes` at a multiple of `alignment`, whose contents are not known; NULL: there is none.
void *flx_spare_take(size_t bytes, size_t alignment);
// Keeps a block of malloc's in this thread, for as long as it lives. false: it does not, and the caller frees it.
bool flx_spare_keep(void *block);
