// any_locale.h - every test program begins with this (tests/CMakeLists.txt): it runs in the locale of its
// environment, as programs that use the library do, and its own numbers have points all the same.
#pragma once

#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void take_locale(void)
{
    setlocale(LC_ALL, "");
}

#define snprintf flx_snprintf
#define vsnprintf flx_vsnprintf
#define fprintf flx_fprintf
#define strtod flx_number_read
