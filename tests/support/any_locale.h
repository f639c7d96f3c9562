// any_locale.h - every test program begins with this (tests/CMakeLists.txt): it runs in the locale of its
// environment, as programs that use the library do, and its own numbers have points all the same.
#pragma once

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // what a test asks for comes too late after this
#endif

#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void take_locale(void)
{
    setlocale(LC_ALL, "");
}

// What the library has no use for.
__attribute__((format(scanf, 2, 3))) static inline int scan_points(const char *text,
                                                                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    int n = vsscanf(text, format, args);
    freelocale(uselocale(before));
    va_end(args);
    return n;
}

#define sscanf scan_points
#define sprintf(out, ...) flx_snprintf(out, 1 << 16, __VA_ARGS__)
#define snprintf flx_snprintf
#define vsnprintf flx_vsnprintf
#define fprintf flx_fprintf
#define strtod flx_number_read
#define atof(text) flx_number_read(text, NULL)
