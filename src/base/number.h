// number.h - the one place where numbers become text and text becomes numbers. A decimal point is a
// point here, whatever locale the program that uses the library has chosen: the library calls no
// other function of C that prints or reads a number (tools/check_text.sh).
#pragma once

#include "flexion/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

// As strtod in the locale "C". The value is the nearest double.
double flx_number_read(const char *text, char **end);

// Whether the text is a number but for its decimal comma: "0,5", "-1,2e3"; for messages that say so.
bool flx_number_has_comma(const char *text);

// As the functions of C without their flx_, in the locale "C".
int flx_snprintf(char *out, size_t size, const char *format, ...) FLX_PRINTF(3, 4);
int flx_vsnprintf(char *out, size_t size, const char *format, va_list args) FLX_PRINTF(3, 0);
int flx_fprintf(FILE *f, const char *format, ...) FLX_PRINTF(2, 3);

// As strerror: what the system says of an error, in the language of all messages.
const char *flx_error_text(int error);

// A number in the fewest digits that read back the same: "0.1", "1e+20", "nan".
#define FLX_NUMBER_SIZE 32
const char *flx_number_text(double x, char out[FLX_NUMBER_SIZE]);
