// page_pack.h - numbers laid out so that they pack well, packed, and written as text.
#pragma once

#include "base/text.h"

// Append to t the numbers x[0], x[stride], ..., the last of the n included: taken as integers, each
// minus the one before it, the lowest bytes of all first. `step` is the distance in memory between
// one and the next.
void flx_pack_floats(flx_text *t, int n, int stride, const float *x, int step);
void flx_pack_narrowed(flx_text *t, int n, int stride, const double *x); // as floats
void flx_pack_doubles(flx_text *t, int n, int stride, const double *x);
// The lowest 2 or 4 bytes of all n integers.
void flx_pack_ints(flx_text *t, int n, const int *x, int bytes);
// How many are taken of n.
int flx_pack_count(int n, int stride);

void flx_pack_base64(flx_text *out, size_t n, const unsigned char *bytes);
// `bytes` deflated, in base64, appended to out.
flx_status flx_pack_deflate(flx_text *out, const flx_text *bytes);
