// two_widths.h - functions for processors with wide registers and for others.
#pragma once

#include <stdlib.h> // __GLIBC__

// Made twice, for processors with wide registers and for others; the program takes what fits when it begins. Both give the same bits: operations
// are those of the text, and none is fused with another. Sanitizers do not know this.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define FLX_SANITIZED
#endif
#endif
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(FLX_SANITIZED) &&  \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FLX_TWO_WIDTHS __attribute__((target_clones("avx2", "default")))
#else
#define FLX_TWO_WIDTHS
#endif
